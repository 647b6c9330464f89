/* SPDX-License-Identifier: Apache-2.0 */
/* json_run.c - shared by the commands of `baton json`: begin, read, report, end. */
#include "json_run.h"

#include <assert.h>
#include <unistd.h>

#include "engine/check.h"
#include "json/options.h"
#include "output.h"

enum {
    POINTER_BYTES_MAX = 64 << 20, /* every byte of a document escaped, and more */
};

bool json_run_begin(struct cli_run *run)
{
    return cli_run_report(run) != NULL;
}

void json_run_fail(struct cli_run *run, enum bt_status status)
{
    assert(status != BT_OK);
    (void)cli_fail_status(status);
    run->failed = true;
}

/* Judge a document that the reader rejected, so that the report is that of `check`. */
static enum bt_status report_unreadable(struct cli_run *run, const struct cli_input *input)
{
    const struct bt_check_options options = {.dialect = BT_DIALECT_JSON};
    struct bt_judgement judged;
    BT_TRY(
        bt_check_document(&run->env, &run->arena, input->path, input->content, &options, &judged));
    return bt_report_add(run->report, &judged);
}

static enum bt_status read_document(struct cli_run *run, struct cli_json_input *input)
{
    const struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct bt_json_read_result result = {0};
    /* from: file */
    BT_TRY(bt_json_read(&run->arena, input->input.content, &options, &result));
    input->document = result.document;
    return result.document ? BT_OK : report_unreadable(run, &input->input);
}

bool json_run_read(struct cli_run *run, size_t index, struct cli_json_input *out)
{
    assert(run);
    assert(out);
    *out = (struct cli_json_input){0};
    const bool given = index < run->options->operand_count;
    if (!given && isatty(STDIN_FILENO) == 1) {
        run->failed = true;
        return cli_refuse_usage(run->options, "give a FILE, or - to type the document");
    }
    const char *operand = given ? run->options->operands[index] : "-";
    if (!cli_input_read(&run->arena, operand, run->env.limits.document_bytes, &out->input)) {
        run->failed = true;
        return false;
    }
    const enum bt_status status = read_document(run, out);
    if (status != BT_OK) {
        json_run_fail(run, status);
        return false;
    }
    return out->document != NULL;
}

bool json_run_read_both(struct cli_run *run, struct cli_json_input out[2])
{
    char **operands = run->options->operands;
    assert(run->options->operand_count == 2);
    if (cli_is_stdin(operands[0]) && cli_is_stdin(operands[1])) {
        run->failed = true;
        return cli_refuse_usage(run->options, "only one of the two can be standard input");
    }
    const bool first = json_run_read(run, 0, &out[0]);
    const bool second = json_run_read(run, 1, &out[1]);
    return first && second;
}

/* The child of `parent` that contains the byte at `offset`, after putting its token; else NULL. */
static const bt_json_value *child_around(struct bt_buf *pointer, const struct bt_json_doc *document,
                                         const bt_json_value *parent, size_t offset)
{
    const struct bt_json_member *members = bt_json_members(parent);
    const bt_json_value *items = bt_json_items(parent);
    for (size_t i = 0; i < bt_json_count(parent); i++) {
        const bt_json_value *child = members ? &members[i].value : &items[i];
        const struct bt_json_span span = bt_json_span(document, child);
        if (offset < span.begin || offset >= span.end) {
            continue;
        }
        if (members) {
            bt_json_pointer_put(pointer, bt_json_name(&members[i]));
        } else {
            bt_json_pointer_put_index(pointer, i);
        }
        return child;
    }
    return NULL;
}

/* Put the pointer of a value; every step goes one level down, and depth is bounded. */
static void put_pointer_of(struct bt_buf *pointer, const struct bt_json_doc *document,
                           const bt_json_value *value)
{
    const size_t offset = bt_json_span(document, value).begin;
    const bt_json_value *at = bt_json_root(document);
    while (at && at != value) {
        at = child_around(pointer, document, at, offset);
    }
}

static enum bt_status add_refusal(struct cli_run *run, const struct cli_json_input *input,
                                  const struct bt_finding *finding)
{
    struct bt_findings *findings = bt_findings_new(&run->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_findings_add(findings, finding));
    struct bt_judgement judged;
    BT_TRY(bt_judgement_make(input->input.path, BT_DIALECT_JSON, input->input.content, findings,
                             BT_STR(""), &judged));
    return bt_report_add(run->report, &judged);
}

void json_run_refuse(struct cli_run *run, const struct cli_json_input *input,
                     const struct cli_json_error *refusal)
{
    assert(run);
    assert(input);
    assert(refusal->culprit);
    struct bt_buf pointer;
    bt_buf_init(&pointer, POINTER_BYTES_MAX);
    put_pointer_of(&pointer, input->document, refusal->culprit);
    struct bt_finding finding = bt_finding_from_rule(bt_rule_of_code(refusal->code));
    finding.offset = bt_json_span(input->document, refusal->culprit).begin;
    finding.pointer = bt_buf_str(&pointer);
    finding.message = refusal->message;
    finding.hint = refusal->hint;
    const enum bt_status status =
        pointer.status == BT_OK ? add_refusal(run, input, &finding) : pointer.status;
    if (status != BT_OK) {
        json_run_fail(run, status);
    }
    bt_buf_free(&pointer);
}

int json_run_end(struct cli_run *run, struct bt_buf *result)
{
    assert(run);
    assert(result);
    int code = CLI_REJECTED;
    if (bt_report_count(run->report) > 0) {
        run->failed = !cli_report_write(run->options, run->report) || run->failed;
        bt_buf_free(result);
    } else if (run->failed) {
        bt_buf_free(result);
    } else {
        code = cli_print_document(result);
    }
    return run->failed ? CLI_FAILED : code;
}
