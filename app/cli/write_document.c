/* SPDX-License-Identifier: Apache-2.0 */
/* write_document.c - write a document that a command has changed or made. */
#include "write_document.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <baton/json.h>
#include <baton/tokens.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "dialect/universal/universal.h"
#include "json/emit.h"
#include "output.h"
#include "report/members.h"
#include "text_diff.h"

/* ---- Changes for a person -------------------------------------------------------------------- */

enum {
    PATH_SHOWN = 200,
    VALUE_SHOWN = 60,
    LINES_MAX = 100, /* a longer list is truncated */
    COUNTS_BYTES_MAX = 200,
};

static bt_str text_of(const struct bt_json_doc *changes, const bt_json_value *operation,
                      const char *name)
{
    const bt_json_value *value = bt_json_get(changes, operation, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

static void put_value(struct bt_buf *buf, struct bt_arena *arena, const struct bt_json_doc *changes,
                      const bt_json_value *value)
{
    bt_str text = BT_STR("");
    buf->status = bt_json_write_text(changes, value, BT_JSON_FORM_COMPACT, arena, &text);
    bt_buf_put_printable(buf, text, VALUE_SHOWN);
}

static void put_operation(struct bt_buf *buf, struct bt_arena *arena,
                          const struct bt_json_doc *changes, const bt_json_value *operation)
{
    const bt_str op = text_of(changes, operation, "op");
    const bt_str from = text_of(changes, operation, "from");
    const bt_json_value *was = bt_json_get(changes, operation, BT_STR("was"));
    const bt_json_value *value = bt_json_get(changes, operation, BT_STR("value"));
    bt_buf_put_text(buf, "  ");
    bt_buf_put(buf, op);
    bt_buf_put_repeat(buf, ' ', op.len < 9 ? 9 - op.len : 1);
    if (from.len > 0) {
        bt_buf_put_printable(buf, from, PATH_SHOWN);
        bt_buf_put_text(buf, " -> ");
    }
    bt_buf_put_printable(buf, text_of(changes, operation, "path"), PATH_SHOWN);
    bt_buf_put_text(buf, was || value ? "  " : "");
    if (was) {
        put_value(buf, arena, changes, was);
    }
    bt_buf_put_text(buf, was && value ? " -> " : "");
    if (value) {
        put_value(buf, arena, changes, value);
    }
    bt_buf_put_char(buf, '\n');
}

/* Put what the document counts: the estimate that it carries, and the exact count where that is
 * known. */
static void put_counts(struct bt_buf *buf, const struct bt_universal_counts *counts)
{
    bt_buf_printf(buf, "%" PRIu64 " tokens by estimate", counts->estimate);
    if (counts->encoding != BT_ENCODING_CHARS4) {
        bt_buf_printf(buf, ", %" PRIu64 " exactly (%.*s)", counts->exact,
                      BT_STR_ARG(bt_encoding_name(counts->encoding)));
    }
}

static void put_head(struct bt_buf *buf, const struct bt_universal_result *result, size_t count)
{
    bt_buf_put_printable(buf, result->judged.path, PATH_SHOWN);
    bt_buf_put_text(buf, ": ");
    bt_buf_put(buf, bt_universal_outcome_name(result->outcome));
    if (result->outcome == BT_UNIVERSAL_ESCALATED) {
        bt_buf_put_text(buf, ", nothing was written; what is left is for a person:\n\n");
        return;
    }
    if (result->changes) { /* an organism has none */
        bt_buf_printf(buf, ", %zu change%s", count, count == 1 ? "" : "s");
    }
    if (result->counts.is_known) {
        bt_buf_put_text(buf, "; ");
        put_counts(buf, &result->counts);
    }
    bt_buf_put_char(buf, '\n');
}

/*
 * Put the outcome and each operation of facts.changes on its own line, then an empty line; nothing
 * when the document is unchanged. `arena` is working memory.
 */
static enum bt_status cli_put_changes(struct bt_buf *buf, struct bt_arena *arena,
                                      const struct bt_universal_result *result)
{
    assert(buf);
    assert(result);
    if (result->outcome == BT_UNIVERSAL_UNCHANGED ||
        bt_universal_outcome_name(result->outcome).len == 0) {
        return BT_OK;
    }
    const bt_json_value *changes = result->changes ? bt_json_root(result->changes) : NULL;
    const size_t count = changes ? bt_json_count(changes) : 0;
    put_head(buf, result, count);
    for (size_t i = 0; i < count && i < LINES_MAX; i++) {
        put_operation(buf, arena, result->changes, &bt_json_items(changes)[i]);
    }
    if (count > LINES_MAX) {
        bt_buf_printf(buf, "  and %zu more\n", count - LINES_MAX);
    }
    bt_buf_put_text(buf, result->outcome == BT_UNIVERSAL_ESCALATED ? "" : "\n");
    return buf->status;
}

/* ---- Documents ------------------------------------------------------------------------------- */

enum { TEXT_BYTES_MAX = 1 << 30 };

bool cli_document_write_init(const struct cli_options *options, const char *operand,
                             struct cli_document_out *out)
{
    assert(operand);
    const char *path = cli_given(options, &flag_document_out);
    *out = (struct cli_document_out){.path = path ? path : cli_given(options, &flag_document_file),
                                     .in_place = cli_given(options, &flag_in_place) != NULL,
                                     .diff = cli_given(options, &flag_diff) != NULL};
    struct stat info;
    if (out->path && out->in_place) {
        return cli_refuse_usage(options, "-o and --in-place exclude each other");
    }
    if (out->in_place && cli_is_stdin(operand)) {
        return cli_refuse_usage(options, "standard input cannot be changed in place");
    }
    if (out->path && strcmp(out->path, "-") == 0) {
        out->path = NULL;
    }
    if (out->path && !out->diff && lstat(out->path, &info) == 0) {
        return cli_refuse("%s exists already, and -o overwrites nothing", out->path);
    }
    return true;
}

/* ---- The document ---------------------------------------------------------------------------- */

static bool write_new(const char *path, bt_str text)
{
    struct bt_error error;
    return bt_file_create(bt_str_of(path), text, &error) == BT_OK ||
           cli_refuse("cannot write %s: %s", path, error.text);
}

bool cli_document_replace(bt_str path, bt_str text, bool keep)
{
    struct bt_error error;
    struct bt_buf old;
    bt_buf_init(&old, TEXT_BYTES_MAX);
    enum bt_status status = keep ? bt_file_back_up(path, &old, &error) : BT_OK;
    bt_buf_free(&old);
    if (status != BT_OK) {
        return cli_refuse("cannot keep the old bytes of %.*s: %s", BT_STR_ARG(path), error.text);
    }
    status = bt_file_replace(path, text, &error);
    return status == BT_OK || cli_refuse("cannot write %.*s: %s", BT_STR_ARG(path), error.text);
}

/* Make the folders above a file, those that begin behind `begin`. False leaves errno. */
static bool make_folders(char *path, size_t begin)
{
    for (size_t i = begin; path[i] != '\0'; i++) {
        if (path[i] != '/') {
            continue;
        }
        path[i] = '\0';
        const bool is_there = mkdir(path, 0777) == 0 || errno == EEXIST;
        path[i] = '/';
        if (!is_there) {
            return false;
        }
    }
    return true;
}

bool cli_create_below(struct cli_run *run, bt_str root, bt_str name, bt_str text, bt_str *out_path)
{
    struct bt_error error;
    char *path = BT_NEW_ARRAY(&run->arena, char, root.len + name.len + 2);
    if (!path) {
        return cli_refuse_status(BT_ENOMEM);
    }
    memcpy(path, root.ptr, root.len);
    path[root.len] = '/';
    memcpy(path + root.len + 1, name.ptr, name.len);
    *out_path = (bt_str){path, root.len + 1 + name.len};
    if (!make_folders(path, root.len + 1)) {
        return cli_refuse("cannot make the folder of %s: %s", path, strerror(errno));
    }
    return bt_file_create(*out_path, text, &error) == BT_OK ||
           cli_refuse("cannot write %s: %s", path, error.text);
}

/* Add `written` to the members of the report. */
static enum bt_status add_written(struct bt_arena *arena, bt_str path, size_t bytes,
                                  struct bt_judgement *judged)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str json;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "path", path);
    bt_emit_member_u64(&emit, "bytes", bytes);
    bt_emit_end(&emit);
    BT_TRY(bt_buf_finish(&buf, arena, &json));
    return bt_judgement_add_member(judged, arena, "written", json);
}

/* Write the requested file, if there is one. */
static bool write_document(const struct cli_document_out *out, struct bt_arena *arena,
                           const struct cli_input *input, struct bt_universal_result *result)
{
    const bool is_new = !bt_str_eq(input->content, result->text);
    bt_str path;
    if (out->path) {
        path = bt_str_of(out->path);
    } else if (out->in_place && is_new) {
        path = input->path;
    } else {
        return true;
    }
    if (!(out->path ? write_new(out->path, result->text)
                    : cli_document_replace(path, result->text, true))) {
        return false;
    }
    return cli_is_ok(add_written(arena, path, result->text.len, &result->judged));
}

/* ---- The difference -------------------------------------------------------------------------- */

static enum bt_status put_pretty(struct bt_arena *arena, bt_str text, struct bt_buf *out)
{
    struct bt_json_read_result read = {0};
    /* from: file, or the text that replaces it */
    BT_TRY(bt_json_read(arena, text, NULL, &read));
    if (!read.document) {
        bt_buf_put(out, text);
        return out->status;
    }
    return bt_json_write(out, read.document, bt_json_root(read.document), BT_JSON_FORM_PRETTY,
                         arena, NULL);
}

enum bt_status cli_document_diff(struct bt_buf *buf, struct bt_arena *arena, bt_str path,
                                 bt_str before, bt_str after)
{
    struct bt_buf old;
    struct bt_buf new;
    bt_buf_init(&old, TEXT_BYTES_MAX);
    bt_buf_init(&new, TEXT_BYTES_MAX);
    enum bt_status status = put_pretty(arena, before, &old);
    if (status == BT_OK) {
        status = put_pretty(arena, after, &new);
    }
    if (status == BT_OK) {
        status = cli_put_diff(buf, arena, path, bt_buf_str(&old), bt_buf_str(&new));
    }
    bt_buf_free(&old);
    bt_buf_free(&new);
    return status;
}

static int print_diff(struct bt_arena *arena, const struct cli_input *input, bt_str text)
{
    struct bt_buf diff;
    bt_buf_init(&diff, TEXT_BYTES_MAX);
    const enum bt_status status =
        cli_document_diff(&diff, arena, input->path, input->content, text);
    if (status != BT_OK) {
        cli_print_error("cannot show the difference: %s", bt_status_text(status));
        bt_buf_free(&diff);
        return CLI_FAILED;
    }
    return cli_print_buf(&diff);
}

/* ---- The report ------------------------------------------------------------------------------ */

/*
 * Print what was done for a person: before a report for people, or on standard error with the
 * document.
 */
static bool print_changes(struct bt_arena *arena, const struct bt_universal_result *result, int fd)
{
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    const bool printed =
        cli_put_changes(&buf, arena, result) == BT_OK && cli_write(fd, bt_buf_str(&buf));
    bt_buf_free(&buf);
    if (!printed) {
        cli_print_error("cannot tell what was changed");
    }
    return printed;
}

static bool print_report(const struct cli_options *options, struct bt_arena *arena,
                         const struct bt_universal_result *result, bt_str members)
{
    struct bt_report *report = bt_report_new(arena);
    return (options->output_count > 0 || print_changes(arena, result, STDOUT_FILENO)) &&
           cli_is_ok(report ? bt_report_add(report, &result->judged) : BT_ENOMEM) &&
           cli_report_write_with(options, report, members);
}

/* Print only the document to standard output; messages for a person go to standard error. */
static bool print_alone(struct bt_arena *arena, const struct bt_universal_result *result,
                        bt_str text)
{
    if (isatty(STDERR_FILENO) == 1) {
        (void)print_changes(arena, result, STDERR_FILENO);
    }
    cli_report_complain(arena, &result->judged);
    return cli_print(text) == CLI_DONE;
}

int cli_document_write(const struct cli_options *options, const struct cli_document_out *out,
                       struct bt_arena *arena, const struct cli_input *input,
                       struct bt_universal_result *result)
{
    assert(out);
    assert(result);
    const bool accepted =
        result->outcome != BT_UNIVERSAL_ESCALATED && result->judged.verdict == BT_VERDICT_ACCEPTED;
    if (accepted && out->diff) {
        return print_diff(arena, input, result->text);
    }
    if (accepted && !write_document(out, arena, input, result)) {
        return CLI_FAILED;
    }
    const bool shows_document =
        accepted && !out->path && !out->in_place && options->output_count == 0;
    const bool shown = shows_document ? print_alone(arena, result, result->text)
                                      : print_report(options, arena, result, BT_STR(""));
    if (!shown) {
        return CLI_FAILED;
    }
    return accepted ? CLI_DONE : CLI_REJECTED;
}

/* Tell a person what the written document counts; its path alone goes to standard output. */
static void print_counts(const struct bt_universal_result *result)
{
    struct bt_buf line;
    bt_buf_init(&line, COUNTS_BYTES_MAX);
    put_counts(&line, &result->counts);
    if (line.status == BT_OK && result->counts.is_known) {
        cli_print_error("%.*s", BT_STR_ARG(bt_buf_str(&line)));
    }
    bt_buf_free(&line);
}

int cli_document_written(const struct cli_options *options, struct bt_arena *arena,
                         const struct bt_universal_result *result, bt_str members)
{
    assert(result);
    const bool accepted = result->judged.verdict == BT_VERDICT_ACCEPTED;
    bool shown = false;
    if (!accepted || options->output_count > 0) {
        shown = print_report(options, arena, result, members);
    } else {
        bt_str line = BT_STR("");
        print_counts(result);
        shown = bt_arena_printf(arena, &line, "%.*s\n", BT_STR_ARG(result->written)) == BT_OK &&
                print_alone(arena, result, line);
    }
    if (!shown) {
        return CLI_FAILED;
    }
    return accepted ? CLI_DONE : CLI_REJECTED;
}

/* ---- Documents that a command has made ------------------------------------------------------- */

/* Add `written` to the members of the document: what was written, or null. */
static enum bt_status add_written_or_null(struct bt_arena *arena, const char *path, bt_str text,
                                          struct bt_judgement *judged)
{
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str json;
    if (!path) {
        return bt_judgement_add_member(judged, arena, "written", BT_STR("null"));
    }
    BT_TRY(bt_sha256_hex(text, digest));
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "path", bt_str_of(path));
    bt_emit_member_u64(&emit, "bytes", text.len);
    bt_emit_member_string(&emit, "sha256", bt_str_of(digest));
    cli_json_bool(&emit, "fallback", false);
    bt_emit_end(&emit);
    BT_TRY(bt_buf_finish(&buf, arena, &json));
    return bt_judgement_add_member(judged, arena, "written", json);
}

/* Write the file that was asked for; *out_path is NULL when there is none. */
static bool write_made(const struct cli_document_out *where, const struct cli_made_document *made,
                       const char **out_path)
{
    *out_path = where->path                                            ? where->path
                : where->in_place && !bt_str_eq(made->old, made->text) ? made->operand
                                                                       : NULL;
    if (!*out_path) {
        return true;
    }
    return where->path ? write_new(where->path, made->text)
                       : cli_document_replace(bt_str_of(made->operand), made->text, true);
}

int cli_document_write_made(struct cli_run *run, const struct cli_document_out *where,
                            const struct cli_made_document *made)
{
    const bool is_accepted = made->judged->verdict == BT_VERDICT_ACCEPTED;
    const char *written = NULL;
    if ((is_accepted && !write_made(where, made, &written)) ||
        !cli_is_ok(add_written_or_null(&run->arena, written, made->text, made->judged))) {
        return CLI_FAILED;
    }
    bool is_shown = false;
    if (is_accepted && !where->path && !where->in_place && run->options->output_count == 0) {
        cli_report_complain(&run->arena, made->judged);
        is_shown = cli_print(made->text) == CLI_DONE;
    } else {
        is_shown = cli_report_write_one(run->options, &run->arena, made->judged);
    }
    return !is_shown ? CLI_FAILED : is_accepted ? CLI_DONE : CLI_REJECTED;
}
