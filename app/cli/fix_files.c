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
#include "input.h"
#include "output.h"
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
        return cli_refuse_usage(options, "--unsafe-fixes wants --fix or --diff beside it");
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

typedef enum bt_status cli_fix_diff_fn(struct bt_buf *buf, struct bt_arena *arena, bt_str path,
                                       bt_str before, bt_str after);

struct cli_fix_change;

/*
 * Replace the old text by the new one; with `keep` the old one stays as FILE.orig. False after an
 * error message.
 */
typedef bool cli_fix_replace_fn(const struct cli_fix_change *change, bool keep);

/* A changed text, and how to compare it. */
struct cli_fix_change {
    bt_str path;
    bt_str before;
    bt_str after;
    bt_str shown; /* shown instead of `after`, when that contains secrets */
    bool is_changed;
    cli_fix_diff_fn *diff;
    cli_fix_replace_fn *replace;
};

/* Show the change: among the diffs of the run, and as a member of the document. */
static enum bt_status show_change(struct cli_fix_run *fixing, struct bt_arena *arena,
                                  const struct cli_fix_change *change, struct bt_judgement *judged)
{
    const size_t from = fixing->shown.len;
    BT_TRY(change->diff(&fixing->shown, arena, change->path, change->before, change->shown));
    struct bt_buf member;
    bt_buf_init(&member, DIFFS_BYTES_MAX);
    bt_buf_put_text(&member, "\"diff\":");
    bt_json_put_string(&member, bt_str_slice(bt_buf_str(&fixing->shown), from, SIZE_MAX));
    return bt_buf_finish(&member, arena, &judged->extra_members);
}

static bool replace_document(const struct cli_fix_change *change, bool keep)
{
    return cli_document_replace(change->path, change->after, keep);
}

/*
 * Lock the plan against other writers, so that no change is lost: the file must still be what was
 * read. A link is followed.
 */
static bool replace_plan(const struct cli_fix_change *change, bool keep)
{
    struct cli_plan_file file;
    struct bt_arena arena;
    struct cli_input now;
    if (!plan_file_lock(change->path.ptr, &file)) {
        return false;
    }
    bt_arena_init(&arena, DIFFS_BYTES_MAX);
    bool is_done = cli_input_read(&arena, file.path, change->before.len, &now);
    if (is_done && !bt_str_eq(now.content, change->before)) {
        cli_print_error("cannot mend %s: it was changed meanwhile", file.path);
        is_done = false;
    }
    is_done = is_done && cli_document_replace(bt_str_of(file.path), change->after, keep);
    bt_arena_free(&arena);
    plan_file_unlock(&file);
    return is_done;
}

/* Write or show the change; *out_written is false after an error message. */
static enum bt_status write_or_show_change(struct cli_fix_run *fixing, struct bt_arena *arena,
                                           const struct cli_fix_change *change,
                                           struct bt_judgement *judged, bool *out_written)
{
    *out_written = true;
    if (fixing->diff) {
        return show_change(fixing, arena, change, judged);
    }
    if (change->is_changed) {
        *out_written = change->replace(change, fixing->unsafe);
    }
    return BT_OK;
}

static enum bt_status fix_universal(struct cli_fix_run *fixing, const struct cli_fix_input *input,
                                    struct bt_judgement *out, bool *out_written)
{
    const struct bt_universal_input document = {input->path, input->text, input->universal};
    struct bt_universal_checker *universal = NULL;
    struct bt_universal_result result;
    BT_TRY(bt_checker_universal(input->checker, &universal));
    BT_TRY(bt_universal_fix(universal, input->arena, &document, fixing->unsafe, &result));
    const struct cli_fix_change change = {
        input->path,
        input->text,
        result.text,
        result.text,
        result.outcome == BT_UNIVERSAL_FIXED,
        cli_document_diff,
        replace_document,
    };
    *out = result.judged;
    if (fixing->diff) {
        /* The fixed bytes are written nowhere. */
        BT_TRY(bt_universal_cite_given(out, input->arena, input->text));
    }
    return write_or_show_change(fixing, input->arena, &change, out, out_written);
}

static enum bt_status fix_plan(struct cli_fix_run *fixing, const struct cli_fix_input *input,
                               struct bt_judgement *out, bool *out_written)
{
    const struct bt_plan_input document = {input->path, input->text, input->plan};
    struct bt_plan_checker *plans = NULL;
    struct bt_plan_result result;
    BT_TRY(bt_checker_plan(input->checker, &plans));
    BT_TRY(bt_plan_fix(plans, input->arena, &document, fixing->unsafe, &result));
    const struct cli_fix_change change = {
        input->path,    input->text,  result.text,  result.text,
        result.changed, cli_put_diff, replace_plan,
    };
    *out = result.judged;
    return write_or_show_change(fixing, input->arena, &change, out, out_written);
}

static enum bt_status fix_contract(struct cli_fix_run *fixing, const struct cli_fix_input *input,
                                   struct bt_judgement *out, bool *out_written)
{
    const struct bt_contract_document document = {input->path, input->text, input->contract};
    struct bt_contract_checker *contract = NULL;
    struct bt_contract_fix_result fixed;
    BT_TRY(bt_checker_contract(input->checker, &contract));
    BT_TRY(bt_contract_fix(contract, input->arena, &document, fixing->unsafe, &fixed));
    /* Secrets are masked in what is shown. */
    const struct cli_fix_change change = {
        input->path,     fixed.before, fixed.text,       fixed.judged.source,
        fixed.count > 0, cli_put_diff, replace_document,
    };
    *out = fixed.judged;
    return write_or_show_change(fixing, input->arena, &change, out, out_written);
}

static enum bt_status fix_xml(struct cli_fix_run *fixing, const struct cli_fix_input *input,
                              struct bt_judgement *out, bool *out_written)
{
    const struct bt_message_input document = {input->path, input->text, input->xml};
    struct bt_message_fix_result fixed;
    BT_TRY(bt_message_fix(input->env, input->arena, &document, fixing->unsafe, &fixed));
    const struct cli_fix_change change = {
        input->path,     input->text,  fixed.text,       fixed.text,
        fixed.count > 0, cli_put_diff, replace_document,
    };
    *out = fixed.judged;
    return write_or_show_change(fixing, input->arena, &change, out, out_written);
}

cli_fix_fn *cli_fixer_of(enum bt_dialect_id dialect)
{
    static cli_fix_fn *const fixers[BT_DIALECT__MAX] = {[BT_DIALECT_UNIVERSAL] = fix_universal,
                                                        [BT_DIALECT_CONTRACT] = fix_contract,
                                                        [BT_DIALECT_PLAN] = fix_plan,
                                                        [BT_DIALECT_XML] = fix_xml};
    return fixers[dialect];
}
