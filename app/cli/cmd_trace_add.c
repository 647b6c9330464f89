/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_trace_add.c - baton trace add LOG --event E
 *
 * An event is made from a handoff, if one is given, then from flags, then from the environment:
 * time and span. Only then is the log opened.
 */
#include <string.h>

#include <baton/json.h>

#include "cli.h"
#include "engine/check.h"
#include "input.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/options.h"
#include "output.h"
#include "run.h"
#include "suggest.h"
#include "trace/trace.h"

enum {
    PARENT_ID_DIGITS = 16, /* a W3C parent id, as `trace parent --parse` prints it */
};

struct cli_trace_add_run {
    struct cli_run *run;
    struct bt_trace_event event;
    char span[BT_UUID_TEXT_BYTES];
};

static bool take_event(struct cli_trace_add_run *adding)
{
    const char *name = cli_given(adding->run->options, &flag_event);
    adding->event.type = bt_trace_event_type_parse(bt_str_of(name));
    if (adding->event.type == BT_TRACE_EVENT_UNKNOWN) {
        (void)cli_refuse_value(adding->run->options, &flag_event, name);
    }
    return adding->event.type != BT_TRACE_EVENT_UNKNOWN;
}

/* Check whether the document passes a check without flags. */
static enum bt_status check_document(struct cli_trace_add_run *adding,
                                     const struct cli_input *input, bool *out_passed)
{
    const struct bt_check_options options = {.dialect = BT_DIALECT_UNIVERSAL};
    struct bt_judgement judged;
    BT_TRY(bt_check_document(&adding->run->env, &adding->run->arena, input->path, input->content,
                             &options, &judged));
    *out_passed = judged.verdict == BT_VERDICT_ACCEPTED;
    return BT_OK;
}

static enum bt_status read_handoff(struct cli_trace_add_run *adding, const struct cli_input *input)
{
    const struct bt_json_options options = bt_json_options_from_env(&adding->run->env);
    struct bt_json_read_result read = {0};
    bool passed = false;
    /* from: file */
    BT_TRY(bt_json_read(&adding->run->arena, input->content, &options, &read));
    BT_TRY(check_document(adding, input, &passed));
    return bt_trace_event_from_handoff(&adding->run->arena, read.document, adding->event.type,
                                       passed, &adding->event);
}

static bool take_handoff(struct cli_trace_add_run *adding)
{
    const char *operand = cli_given(adding->run->options, &flag_for);
    struct cli_input input;
    if (!operand) {
        return true;
    }
    if (!cli_input_read(&adding->run->arena, operand, adding->run->env.limits.document_bytes,
                        &input)) {
        return false;
    }
    const enum bt_status status = read_handoff(adding, &input);
    return status == BT_OK || cli_refuse("cannot judge %s: %s", operand, bt_status_text(status));
}

static bool is_parent_id(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (!strchr("0123456789abcdef", text.ptr[i])) {
            return false;
        }
    }
    return text.len == PARENT_ID_DIGITS;
}

static bool take_id(struct cli_trace_add_run *adding, const struct cli_flag *flag, bt_str *out)
{
    const char *value = cli_given(adding->run->options, flag);
    if (!value) {
        return true;
    }
    const bt_str text = bt_str_of(value);
    if (!bt_uuid_is_valid(text) && !(flag->id == flag_parent.id && is_parent_id(text))) {
        return cli_refuse_usage(adding->run->options, "--%s wants a UUID in lower case, not %s",
                                flag->name, value);
    }
    *out = text;
    return true;
}

static bool take_text(struct cli_trace_add_run *adding, const struct cli_flag *flag, bt_str *out)
{
    const char *value = cli_given(adding->run->options, flag);
    if (!value) {
        return true;
    }
    const bt_str text = bt_str_of(value);
    if (bt_utf8_check(text) != text.len) {
        return cli_refuse_usage(adding->run->options, "names are UTF-8, not %s", value);
    }
    *out = text;
    return true;
}

static bool take_duration(struct cli_trace_add_run *adding)
{
    const char *value = cli_given(adding->run->options, &flag_duration);
    uint64_t ms = 0;
    if (!value) {
        return true;
    }
    if (bt_str_to_u64(bt_str_of(value), &ms) != BT_OK || ms >= UINT64_C(1) << 53) {
        return cli_refuse_usage(adding->run->options,
                                "--duration-ms wants a whole number from 0 to 2^53-1, not %s",
                                value);
    }
    adding->event.has_duration = true;
    adding->event.duration_ms = (double)ms;
    return true;
}

/* ---- Details --------------------------------------------------------------------------------- */

/* The key of the detail at `index`, or an absent text after the last. */
static bt_str detail_key(const struct cli_trace_add_run *adding, size_t index)
{
    const char *value = cli_given_at(adding->run->options, &flag_detail, index);
    return value ? bt_str_slice(bt_str_of(value), 0, strcspn(value, "=")) : (bt_str){NULL, 0};
}

/* The index of the detail with this key, or one past the last. */
static size_t find_detail(const struct cli_trace_add_run *adding, bt_str key)
{
    size_t i = 0;
    while (detail_key(adding, i).ptr && !bt_str_eq(detail_key(adding, i), key)) {
        i++;
    }
    return i;
}

static bool details_are_sound(const struct cli_trace_add_run *adding)
{
    for (size_t i = 0; detail_key(adding, i).ptr; i++) {
        const bt_str key = detail_key(adding, i);
        const bt_str whole = bt_str_of(key.ptr);
        if (key.len == 0 || key.len == whole.len || bt_utf8_check(whole) != whole.len) {
            return cli_refuse_usage(adding->run->options,
                                    "--detail wants KEY=TEXT in UTF-8, not %s", key.ptr);
        }
        if (find_detail(adding, key) != i) {
            return cli_refuse_usage(adding->run->options, "a detail is given once, not %s",
                                    key.ptr);
        }
    }
    return true;
}

static void emit_detail(struct bt_emit *emit, bt_str key)
{
    bt_emit_name_str(emit, key);
    bt_emit_string(emit, bt_str_of(key.ptr + key.len + 1));
}

/* Put the details of the handoff, except those that a flag replaces, and then the other flags. */
static void put_details(const struct cli_trace_add_run *adding, struct bt_json_builder *details)
{
    const struct bt_json_doc *declared = adding->event.declared;
    const bt_json_value *root = declared ? bt_json_root(declared) : NULL;
    bt_emit_begin_object(&details->emit);
    for (size_t i = 0; root && i < bt_json_count(root); i++) {
        const struct bt_json_member *member = &bt_json_members(root)[i];
        const bt_str given = detail_key(adding, find_detail(adding, bt_json_name(member)));
        if (given.ptr) {
            emit_detail(&details->emit, given);
            continue;
        }
        bt_emit_name_str(&details->emit, bt_json_name(member));
        bt_json_builder_copy(details, (bt_ref){declared, &member->value}, NULL);
    }
    for (size_t i = 0; detail_key(adding, i).ptr; i++) {
        if (!root || !bt_json_get(declared, root, detail_key(adding, i))) {
            emit_detail(&details->emit, detail_key(adding, i));
        }
    }
    bt_emit_end(&details->emit);
}

static bool take_details(struct cli_trace_add_run *adding)
{
    if (!details_are_sound(adding)) {
        return false;
    }
    struct bt_json_builder builder;
    const struct bt_json_doc *details = NULL;
    (void)bt_json_builder_begin(&builder, &adding->run->arena, NULL);
    put_details(adding, &builder);
    enum bt_status status = bt_json_builder_finish(&builder, BT_OK, &details);
    if (status == BT_OK) {
        status = bt_json_write_text(details, bt_json_root(details), BT_JSON_FORM_COMPACT,
                                    &adding->run->arena, &adding->event.details);
    }
    return status == BT_OK ||
           cli_refuse("cannot put the details together: %s", bt_status_text(status));
}

/* ---- The event ------------------------------------------------------------------------------- */

/* Set what is still absent: the time, and a new span. */
static bool take_world(struct cli_trace_add_run *adding)
{
    adding->event.at = bt_env_now(&adding->run->env);
    if (adding->event.span_id.ptr) {
        return true;
    }
    const enum bt_status status = bt_env_uuid(&adding->run->env, adding->span);
    if (status != BT_OK) {
        cli_print_error("cannot make a span: %s", bt_status_text(status));
    }
    adding->event.span_id = bt_str_of(adding->span);
    return status == BT_OK;
}

/* Check that the event has its required members. */
static bool is_complete(const struct cli_trace_add_run *adding)
{
    const bool from_handoff = cli_given(adding->run->options, &flag_for) != NULL;
    if (adding->event.trace_id.len == 0) {
        return cli_refuse_usage(adding->run->options,
                                from_handoff ? "the handoff has no trace_id; give --trace-id"
                                             : "--trace-id wants an id");
    }
    if (adding->event.workflow.len == 0) {
        return cli_refuse_usage(adding->run->options,
                                from_handoff
                                    ? "the handoff does not name the skill; give --workflow"
                                    : "--workflow wants a name");
    }
    return true;
}

static bool make_event(struct cli_trace_add_run *adding)
{
    struct bt_trace_event *event = &adding->event;
    return take_event(adding) && take_handoff(adding) &&
           take_id(adding, &flag_trace_id, &event->trace_id) &&
           take_id(adding, &flag_span, &event->span_id) &&
           take_id(adding, &flag_parent, &event->parent_span_id) &&
           take_text(adding, &flag_workflow, &event->workflow) &&
           take_text(adding, &flag_phase, &event->phase) && take_duration(adding) &&
           take_details(adding) && is_complete(adding) && take_world(adding);
}

static int append_event(struct cli_trace_add_run *adding)
{
    const char *log = adding->run->options->operands[0];
    struct bt_error error;
    if (bt_trace_append(bt_str_of(log), &adding->event, BT_TRACE_WAIT_MS_MAX, &error) != BT_OK) {
        return cli_failed("cannot append to %s: %s", log, error.text);
    }
    struct bt_buf buf;
    bt_buf_init(&buf, BT_UUID_TEXT_BYTES);
    bt_buf_put(&buf, adding->event.span_id);
    bt_buf_put_char(&buf, '\n');
    return cli_print_buf(&buf);
}

int cmd_trace_add(struct cli_run *run)
{
    struct cli_trace_add_run adding = {.run = run};
    if (cli_is_stdin(run->options->operands[0])) {
        return cli_usage_error(run->options->command, "a log is a file, not -");
    }
    return make_event(&adding) ? append_event(&adding) : CLI_FAILED;
}
