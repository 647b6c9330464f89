/* SPDX-License-Identifier: Apache-2.0 */
/* fix_files.c - change files in place: check --fix, and locked plans. */
#define _DEFAULT_SOURCE /* flock(), realpath() */

#include "fix_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/buf.h"
#include "base/file.h"
#include "dialect/universal/universal.h"
#include "input.h"
#include "output.h"
#include "report/members.h"
#include "text_diff.h"
#include "write_document.h"

/* ---- Locked plans ---------------------------------------------------------------------------- */

enum { TRIES_MAX = 100000 };

static bool print_change_error(const char *path)
{
    return cli_refuse("cannot change %s: %s", path, strerror(errno));
}

static bool lock_file(int fd)
{
    int result = flock(fd, LOCK_EX);
    while (result != 0 && errno == EINTR) {
        result = flock(fd, LOCK_EX);
    }
    return result == 0;
}

/* True when the path still leads to the open file. */
static bool is_current(const struct cli_plan_file *file)
{
    struct stat held;
    struct stat named;
    return fstat(file->fd, &held) == 0 && stat(file->path, &named) == 0 &&
           held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool plan_file_lock(const char *path, struct cli_plan_file *out)
{
    assert(out);
    struct cli_plan_file file = {.fd = -1};
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        if (!realpath(path, file.path)) {
            return print_change_error(path);
        }
        file.fd = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file.fd < 0 && errno != ENOENT) {
            return print_change_error(path);
        }
        if (file.fd >= 0 && lock_file(file.fd) && is_current(&file)) {
            *out = file;
            return true;
        }
        plan_file_unlock(&file);
    }
    errno = EBUSY;
    return print_change_error(path);
}

void plan_file_unlock(struct cli_plan_file *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
        file->fd = -1;
    }
}

bool plan_file_replace(const struct cli_plan_file *file, bt_str content)
{
    struct bt_error error;
    return bt_file_replace(bt_str_of(file->path), content, &error) == BT_OK ||
           cli_refuse("cannot write %s: %s", file->path, error.text);
}

/* ---- Fixes ----------------------------------------------------------------------------------- */

enum { DIFFS_BYTES_MAX = 1 << 30 };

bool cli_fixing_begin(const struct cli_options *options, struct cli_fix_run *out)
{
    assert(out);
    const bool fix = cli_given(options, &flag_fix) != NULL;
    *out = (struct cli_fix_run){
        .unsafe = cli_given(options, &flag_unsafe_fixes) != NULL,
        .diff = cli_given(options, &flag_diff) != NULL,
    };
    out->wanted = fix || out->diff;
    bt_buf_init(&out->shown, DIFFS_BYTES_MAX);
    if (out->unsafe && !out->wanted) {
        return cli_refuse_usage(options, "--unsafe-fixes needs --fix or --diff");
    }
    for (size_t i = 0; fix && i < options->operand_count; i++) {
        if (cli_is_stdin(options->operands[i])) {
            return cli_refuse_usage(options, "--fix cannot change standard input");
        }
    }
    return true;
}

void cli_fixing_end(struct cli_fix_run *fixing)
{
    bt_buf_free(&fixing->shown);
}

bool cli_fix_run_has_one_document(const struct cli_options *options,
                                  const struct cli_fix_run *fixing)
{
    return fixing->diff && options->output_count == 0;
}

/* ---- Diffs ----------------------------------------------------------------------------------- */

/* Add the change to the diffs of the run, and to the members of the document. */
static enum bt_status show_change(struct cli_fix_run *fixing, struct bt_arena *arena, bt_str path,
                                  const struct bt_fix_shown *shown, struct bt_judgement *judged)
{
    const size_t from = fixing->shown.len;
    BT_TRY(cli_put_patch(&fixing->shown, arena, path, shown->before, shown->after));
    struct bt_buf buf;
    bt_str json;
    bt_buf_init(&buf, DIFFS_BYTES_MAX);
    bt_json_put_string(&buf, bt_str_slice(bt_buf_str(&fixing->shown), from, SIZE_MAX));
    BT_TRY(bt_buf_finish(&buf, arena, &json));
    return bt_judgement_add_member(judged, arena, "diff", json);
}

/* Put a line so that no document can control the terminal. */
static void put_visible_line(struct bt_buf *buf, bt_str line)
{
    for (size_t from = 0, end = 0; from < line.len; from = end + 1) {
        end = bt_str_find_byte(line, '\t', from);
        bt_buf_put_printable(buf, bt_str_slice(line, from, end), SIZE_MAX);
        if (end < line.len) {
            bt_buf_put_char(buf, '\t');
        }
    }
    bt_buf_put_char(buf, '\n');
}

bool cli_fixing_print(const struct cli_fix_run *fixing)
{
    const bt_str diffs = bt_buf_str(&fixing->shown);
    if (isatty(STDOUT_FILENO) != 1) {
        return cli_print(diffs) == CLI_DONE;
    }
    struct bt_buf visible;
    bt_buf_init(&visible, DIFFS_BYTES_MAX);
    for (size_t from = 0, end = 0; from < diffs.len; from = end + 1) {
        end = bt_str_find_byte(diffs, '\n', from);
        put_visible_line(&visible, bt_str_slice(diffs, from, end));
    }
    return cli_print_buf(&visible) == CLI_DONE;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/*
 * Lock the plan against other writers, so that no change is lost: the file must still be what was
 * read. A link is followed. False after an error message.
 */
static bool replace_plan(const struct bt_fix_input *input, bt_str text)
{
    struct cli_plan_file file;
    struct bt_arena arena;
    struct cli_input now;
    if (!plan_file_lock(input->path.ptr, &file)) {
        return false;
    }
    bt_arena_init(&arena, DIFFS_BYTES_MAX);
    bool is_done = cli_input_read(&arena, file.path, input->content.len, &now);
    if (is_done && !bt_str_eq(now.content, input->content)) {
        cli_print_error("cannot fix %s: it was changed meanwhile", file.path);
        is_done = false;
    }
    is_done = is_done && cli_document_replace(bt_str_of(file.path), text, input->choice.unsafe);
    bt_arena_free(&arena);
    plan_file_unlock(&file);
    return is_done;
}

static bool replace_file(const struct bt_fix_input *input, const struct bt_fix_result *fixed)
{
    return fixed->judged.dialect == BT_DIALECT_PLAN
               ? replace_plan(input, fixed->text)
               : cli_document_replace(input->path, fixed->text, input->choice.unsafe);
}

enum bt_status cli_fix_document(struct cli_fix_run *fixing, const struct bt_fix_input *input,
                                struct bt_arena *arena, struct bt_judgement *out, bool *out_written)
{
    struct bt_fix_result fixed;
    BT_TRY(bt_fix(input, arena, &fixed));
    *out_written = true;
    if (!fixing->diff && fixed.edits.count > 0) {
        *out_written = replace_file(input, &fixed);
    }
    *out = fixed.judged;
    if (!*out_written) {
        out->fixed = 0;
        out->changes = NULL;
    }
    if (fixing->diff && out->dialect == BT_DIALECT_UNIVERSAL) {
        /* The fixed bytes are written nowhere. */
        BT_TRY(bt_universal_cite_given(out, arena, input->content));
    }
    return fixing->diff ? show_change(fixing, arena, input->path, &fixed.shown, out) : BT_OK;
}
