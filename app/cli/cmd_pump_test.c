/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_pump_test.c - baton pump test LISTENER|HANDLER
 */
#include <stdio.h>
#include <string.h>

#include <baton/json.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli.h"
#include "input.h"
#include "json/emit.h"
#include "operation/rule_codes.h"
#include "organism_file.h"
#include "output.h"
#include "pump/pump.h"
#include "run.h"

enum {
    PAYLOAD_BYTES_MAX = 2 << 20,
    SHOWN_BYTES_MAX = 1 << 28,
    FILE_TEXT_BYTES_MAX = 1 << 16,
};

/* ---- Arguments ------------------------------------------------------------------------------- */

/* Set the payload: XML, the content of a file, or fields. False after an error message. */
static bool take_payload(struct cli_run *run, struct bt_pump_test_input *input)
{
    const char *payload = cli_given(run->options, &flag_payload);
    const char *field = cli_given(run->options, &flag_field);
    BT_VEC(struct bt_pump_test_field) fields = {.items = NULL};
    struct cli_input file;
    if ((payload != NULL) == (field != NULL)) {
        return cli_refuse_usage(run->options, payload
                                                  ? "--payload and --field exclude each other"
                                                  : "give the payload: --payload XML, --payload "
                                                    "@FILE, or --field NAME=VALUE for each field");
    }
    input->payload = (bt_str){NULL, 0};
    if (payload && payload[0] == '@') {
        if (!cli_input_read(&run->arena, payload + 1, PAYLOAD_BYTES_MAX, &file)) {
            return false;
        }
        input->payload = file.content;
    } else if (payload) {
        input->payload = bt_str_of(payload);
    }
    for (size_t i = 0; (field = cli_given_at(run->options, &flag_field, i)) != NULL; i++) {
        const bt_str text = bt_str_of(field);
        const size_t sign = bt_str_find_byte(text, '=', 0);
        const struct bt_pump_test_field made = {bt_str_slice(text, 0, sign),
                                                bt_str_slice(text, sign + 1, text.len)};
        if (sign == text.len || !bt_pump_test_field_is_valid(&made)) {
            return cli_refuse_usage(run->options, "--field wants NAME=VALUE, not %s", field);
        }
        if (!cli_is_ok(bt_vec_push(&run->arena, &fields, made))) {
            return false;
        }
    }
    input->fields = fields.items;
    input->field_count = fields.count;
    return true;
}

static bool take_thread(struct cli_run *run, struct bt_pump_test_input *input)
{
    const char *thread = cli_given(run->options, &flag_thread_id);
    input->thread = bt_str_of(thread);
    return !thread || bt_uuid_is_v4(input->thread) ||
           cli_refuse_usage(run->options, "--thread wants a version 4 UUID in lower case, not %s",
                            thread);
}

/* ---- What is tested -------------------------------------------------------------------------- */

/* Read the organism and load the listener's handler. False after an error message. */
static bool require_listener(struct cli_run *run, struct cli_organism_file *file, const char *path,
                             bt_str name)
{
    struct bt_listener_view listener;
    const struct bt_organism_options plain = {.only_listener = BT_STR("")};
    const struct bt_organism_options wanted = {.only_listener = name};
    if (!organism_file_read(file, path, &run->env, ORGANISM_NOT_LOADED, plain)) {
        return false;
    }
    if (file->organism &&
        bt_organism_find_listener(file->organism, &file->arena, name, &listener) != BT_OK) {
        return cli_refuse("the organism %s has no listener %s", path, run->options->operands[0]);
    }
    if (file->organism && !organism_file_read(file, path, &run->env, ORGANISM_LOADED, wanted)) {
        return false;
    }
    return organism_file_is_usable(file, path);
}

/* The organism around a handler that stands alone, as text. */
static enum bt_status write_organism(struct bt_arena *arena, bt_str handler, bt_str name,
                                     bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, FILE_TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_raw(&emit, "organism", BT_STR("{\"name\":\"test\"}"));
    cli_json_array(&emit, "listeners");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "name", name);
    bt_emit_member_string(&emit, "description", BT_STR("under test"));
    bt_emit_member_string(&emit, "handler", handler);
    bt_emit_member_string(&emit, "result", BT_STR("any"));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

/* A name for a handler that stands alone: that of its function or file. */
static enum bt_status name_of(struct bt_arena *arena, bt_str handler, bt_str *out)
{
    const bool is_object = bt_str_ends_with(handler, BT_STR(".so"));
    const bt_str name =
        is_object ? BT_STR("handler") : bt_str_after_last(bt_str_after_last(handler, ':'), '.');
    return bt_ascii_lower_copy(arena, name, out);
}

/* Say why a handler that stands alone cannot be used; the organism around it is not the user's. */
static bool refuse_handler(const struct cli_organism_file *file, const char *handler)
{
    const struct bt_findings *findings = file->judged.findings;
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            cli_print_error("%s: %.*s: %.*s", handler,
                            BT_STR_ARG(bt_rule_of_code(finding->code)->code),
                            BT_STR_ARG(finding->message));
        }
    }
    return false;
}

/* Make the organism of a handler that stands alone, and load it. False after an error message. */
static bool require_handler(struct cli_run *run, struct cli_organism_file *file, bt_str *out_name)
{
    const char *given = cli_given(run->options, &flag_organism);
    const bt_str handler = bt_str_of(run->options->operands[0]);
    const struct bt_organism_options wanted = {.host_describes = true};
    struct bt_organism_source source = {.path = bt_str_of(given ? given : "organism.yaml")};
    if (!cli_is_ok(name_of(&file->arena, handler, out_name)) ||
        !cli_is_ok(write_organism(&file->arena, handler, *out_name, &source.text)) ||
        !organism_file_judge(file, &source, &run->env, wanted)) {
        return false;
    }
    return file->organism || refuse_handler(file, run->options->operands[0]);
}

/* Whether the operand can only be a handler: it names a file. */
static bool names_file(bt_str operand)
{
    return bt_str_find_byte(operand, ':', 0) < operand.len ||
           bt_str_ends_with(operand, BT_STR(".so"));
}

static bool find_tested(struct cli_run *run, struct cli_organism_file *file,
                        struct bt_pump_test_input *input)
{
    const char *given = cli_given(run->options, &flag_organism);
    const char *path = given ? given : "organism.yaml";
    const bt_str operand = bt_str_of(run->options->operands[0]);
    const bool is_dotted = bt_str_find_byte(operand, '.', 0) < operand.len;
    input->is_alone = names_file(operand) ||
                      (is_dotted && !given && bt_file_kind_of(bt_str_of(path)) == BT_FILE_NONE);
    if (input->is_alone) {
        return require_handler(run, file, &input->listener);
    }
    return cli_is_ok(bt_ascii_lower_copy(&file->arena, operand, &input->listener)) &&
           require_listener(run, file, path, input->listener);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *const outcomes[] = {[BT_PUMP_TEST_REFUSED] = "refused",
                                       [BT_PUMP_TEST_RESULT] = "result",
                                       [BT_PUMP_TEST_FAIL] = "fail",
                                       [BT_PUMP_TEST_TIMEOUT] = "timeout",
                                       [BT_PUMP_TEST_CRASHED] = "crashed"};
static const char *const places[] = {[BT_PUMP_TEST_DROPPED] = "dropped",
                                     [BT_PUMP_TEST_TO_PARENT] = "parent",
                                     [BT_PUMP_TEST_TO_SELF] = "self",
                                     [BT_PUMP_TEST_TO_PEER] = "peer"};

static void emit_lists(struct bt_emit *emit, const struct bt_pump_test_result *result)
{
    cli_json_array(emit, "fragments");
    for (size_t i = 0; i < result->fragment_count; i++) {
        const struct bt_pump_test_fragment *fragment = &result->fragments[i];
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "root", fragment->root);
        bt_emit_member_string(emit, "goes", bt_str_of(places[fragment->goes]));
        bt_emit_member_string_or_null(emit, "to", fragment->to);
        bt_emit_member_string_or_null(emit, "code",
                                      fragment->rule ? fragment->rule->code : BT_STR(""));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    cli_json_array(emit, "output");
    for (size_t i = 0; i < result->output_count; i++) {
        bt_emit_begin_object(emit);
        bt_pump_output_emit(emit, &result->output[i]);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    if (result->output_more > 0) {
        bt_emit_member_u64(emit, "output_more", result->output_more);
    }
}

static int print_json(const struct bt_pump_test_input *input,
                      const struct bt_pump_test_result *result)
{
    const bool has_result = result->outcome == BT_PUMP_TEST_RESULT;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    cli_json_begin(&emit, &buf);
    bt_emit_name(&emit, "test");
    bt_emit_begin_object(&emit);
    bt_emit_member_string_or_null(&emit, "listener",
                                  input->is_alone ? BT_STR("") : input->listener);
    bt_emit_member_string(&emit, "outcome", bt_str_of(outcomes[result->outcome]));
    bt_emit_member_string_or_null(&emit, "kind", result->kind);
    bt_emit_member_string_or_null(&emit, "detail", result->detail);
    bt_emit_name(&emit, "result");
    if (has_result) {
        bt_emit_string(&emit, result->result);
    } else {
        bt_emit_null(&emit);
    }
    emit_lists(&emit, result);
    bt_emit_member_u64(&emit, "ms", result->ms);
    bt_emit_end(&emit);
    cli_json_array(&emit, "findings");
    if (result->refused) {
        bt_findings_emit(&emit, result->refused->findings);
    }
    for (size_t i = 0; i < result->event_count; i++) {
        bt_emit_begin_object(&emit);
        bt_pump_event_emit(&emit, &result->events[i]);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
    return cli_print_buf(&buf);
}

static void put_fragment(struct bt_buf *buf, const struct bt_pump_test_fragment *fragment)
{
    bt_buf_put_char(buf, '<');
    bt_buf_put_printable(buf, fragment->root, 200);
    switch (fragment->goes) {
    case BT_PUMP_TEST_TO_PARENT:
        bt_buf_put_text(buf, "> would go to the caller\n");
        break;
    case BT_PUMP_TEST_TO_SELF:
        bt_buf_put_text(buf, "> would go to the handler itself\n");
        break;
    case BT_PUMP_TEST_TO_PEER:
        bt_buf_printf(buf, "> would go to %.*s\n", BT_STR_ARG(fragment->to));
        break;
    case BT_PUMP_TEST_DROPPED:
        bt_buf_printf(buf, "> would be dropped: %.*s, %.*s\n", BT_STR_ARG(fragment->rule->code),
                      BT_STR_ARG(fragment->rule->meaning));
        break;
    }
}

static int print_text(const struct cli_run *run, const struct bt_pump_test_result *result)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    bt_buf_put_printable(&buf, bt_str_of(run->options->operands[0]), 200);
    bt_buf_printf(&buf, ": %s", outcomes[result->outcome]);
    if (result->detail.len > 0) {
        bt_buf_printf(&buf, ": %.*s", BT_STR_ARG(result->detail));
    }
    bt_buf_put_char(&buf, '\n');
    if (result->outcome == BT_PUMP_TEST_RESULT) {
        bt_buf_put_printable(&buf, result->result, SHOWN_BYTES_MAX);
        bt_buf_put_char(&buf, '\n');
    }
    for (size_t i = 0; i < result->fragment_count; i++) {
        put_fragment(&buf, &result->fragments[i]);
    }
    return cli_print_buf(&buf);
}

/* Print what goes to standard error: output of the handler, findings, and a payload that fits. */
static void print_remarks(struct cli_run *run, struct cli_organism_file *file,
                          const struct bt_pump_test_input *input,
                          const struct bt_pump_test_result *result)
{
    struct bt_buf example;
    for (size_t i = 0; i < result->output_count; i++) {
        cli_print_error("[%.*s] %.*s", BT_STR_ARG(result->output[i].listener),
                        BT_STR_ARG(result->output[i].text));
    }
    if (cli_wants_json(run->options)) {
        return;
    }
    for (size_t i = 0; i < result->event_count; i++) {
        cli_print_error("%.*s: %.*s", BT_STR_ARG(result->events[i].rule->code),
                        BT_STR_ARG(result->events[i].rule->meaning));
    }
    if (!result->refused) {
        return;
    }
    cli_report_complain(&run->arena, result->refused);
    bt_buf_init(&example, PAYLOAD_BYTES_MAX);
    if (bt_organism_put_text(&example, &file->arena, file->organism, input->listener,
                             BT_ORGANISM_TEXT_EXAMPLE) == BT_OK) {
        cli_print_error("it takes: %.*s", BT_STR_ARG(bt_str_trim(bt_buf_str(&example))));
    }
    bt_buf_free(&example);
}

static int call_handler(struct cli_run *run, struct cli_organism_file *file,
                        struct bt_pump_test_input *input)
{
    struct bt_pump_test_result result;
    struct bt_error error = {.text = ""};
    input->hosts = &file->hosts;
    if (bt_pump_test(&run->env, &run->arena, file->organism, input, &result, &error) != BT_OK) {
        return cli_failed("%s cannot be started: %s", run->options->operands[0], error.text);
    }
    print_remarks(run, file, input, &result);
    const int shown =
        cli_wants_json(run->options) ? print_json(input, &result) : print_text(run, &result);
    return shown != CLI_DONE ? shown : result.is_delivered ? CLI_DONE : CLI_REJECTED;
}

int cmd_pump_test(struct cli_run *run)
{
    struct cli_organism_file file;
    struct bt_pump_test_input input = {.listener = BT_STR("")};
    organism_file_begin(&file);
    const int code =
        take_payload(run, &input) && take_thread(run, &input) && find_tested(run, &file, &input)
            ? call_handler(run, &file, &input)
            : CLI_FAILED;
    organism_file_end(&file);
    return code;
}
