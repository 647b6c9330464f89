/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_new.c - baton new DIALECT: make a document, judge it as check does, and write it only when it
 * is accepted.
 */
#include <string.h>

#include "base/buf.h"
#include "cli.h"
#include "contract_run.h"
#include "govern_run.h"
#include "json/emit.h"
#include "organism_file.h"
#include "output.h"
#include "plan_run.h"
#include "report/members.h"
#include "suggest.h"
#include "universal_run.h"
#include "write_document.h"

enum { DOCUMENT_BYTES_MAX = 1 << 30 };

#define NEW_PATH BT_STR("<new>")

/* ---- What all dialects share ----------------------------------------------------------------- */

/* A flag with a default, and the member of the document that has the default. */
struct cli_new_default {
    const struct cli_flag *flag;
    const char *member;
    bt_str json;
};

/* Add `defaults` to the members of the document: those whose flags were not given. */
static enum bt_status add_defaults(struct cli_run *run, struct bt_judgement *judged,
                                   const struct cli_new_default *rows, size_t count)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_str json;
    bt_buf_init(&buf, DOCUMENT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < count; i++) {
        if (!cli_given(run->options, rows[i].flag)) {
            bt_emit_member_raw(&emit, rows[i].member, rows[i].json);
        }
    }
    bt_emit_end(&emit);
    BT_TRY(bt_buf_finish(&buf, &run->arena, &json));
    return bt_judgement_add_member(judged, &run->arena, "defaults", json);
}

/* A text as JSON. */
static enum bt_status quote_text(struct cli_run *run, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, DOCUMENT_BYTES_MAX);
    bt_json_put_string(&buf, text);
    return bt_buf_finish(&buf, &run->arena, out);
}

/* Judge a document that is a text, add its members, and write it. Returns the exit code. */
static int finish_text(struct cli_run *run, const struct cli_document_out *where, bt_str text,
                       const struct bt_check_options *how, const struct cli_new_default *defaults)
{
    struct bt_judgement judged;
    bt_str json;
    enum bt_status status = bt_check_document(&run->env, &run->arena, NEW_PATH, text, how, &judged);
    status = status == BT_OK ? quote_text(run, text, &json) : status;
    status =
        status == BT_OK ? bt_judgement_add_member(&judged, &run->arena, "document", json) : status;
    status = status == BT_OK ? add_defaults(run, &judged, defaults, 1) : status;
    return cli_is_ok(status)
               ? cli_document_write_made(run, where,
                                         &(struct cli_made_document){"", BT_STR(""), text, &judged})
               : CLI_FAILED;
}

/* Check that the value of a flag is UTF-8. False after an error message. */
static bool is_text(const struct cli_run *run, const struct cli_flag *flag, bt_str text)
{
    return bt_utf8_check(text) == text.len ||
           cli_refuse_usage(run->options, "the value of --%s is not UTF-8", flag->name);
}

/* ---- baton new universal --------------------------------------------------------------------- */

/* The compact form of a JSON text that was just written. */
static enum bt_status compact_json(struct cli_run *run, bt_str text, bt_str *out)
{
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(&run->arena, text, NULL, &read));
    return read.document ? bt_json_write_text(read.document, bt_json_root(read.document),
                                              BT_JSON_FORM_COMPACT, &run->arena, out)
                         : BT_EINVAL;
}

/* Judge a handoff and print it instead of writing a file. Returns the exit code. */
static int print_universal(struct cli_run *run, bt_str text, bt_str defaults)
{
    const struct bt_check_options how = {.dialect = BT_DIALECT_UNIVERSAL,
                                         .universal = &run->universal->how};
    const struct cli_document_out where = {.path = NULL};
    struct bt_judgement judged;
    bt_str json;
    enum bt_status status =
        bt_check_document(&run->env, &run->arena, NEW_PATH, text, &how, &judged);
    status = status == BT_OK ? compact_json(run, text, &json) : status;
    status =
        status == BT_OK ? bt_judgement_add_member(&judged, &run->arena, "document", json) : status;
    status = status == BT_OK ? bt_judgement_add_member(&judged, &run->arena, "defaults", defaults)
                             : status;
    if (status == BT_OK && judged.verdict == BT_VERDICT_ACCEPTED) {
        status = cli_trace_judgement(run->options, &run->env, &run->arena,
                                     BT_TRACE_EVENT_HANDOFF_CREATED, &judged);
    }
    return status == BT_OK
               ? cli_document_write_made(run, &where,
                                         &(struct cli_made_document){"", BT_STR(""), text, &judged})
               : universal_run_fail(NEW_PATH, status, NULL);
}

/* Judge a handoff and write it to its session's folder. Returns the exit code. */
static int write_universal(struct cli_run *run, const struct bt_universal_input *input,
                           bt_str defaults)
{
    const struct bt_universal_write_options how = {
        .dry_run = cli_given(run->options, &flag_new_dry_run) != NULL,
        .show_document = true,
        .roots = run->universal->roots,
    };
    struct bt_universal_result result;
    struct bt_error error;
    enum bt_status status =
        bt_universal_write(run->universal->checker, &run->arena, input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(input->path, status, &error);
    }
    status = bt_judgement_add_member(&result.judged, &run->arena, "defaults", defaults);
    if (status == BT_OK && result.written.len == 0) {
        status = bt_judgement_add_member(&result.judged, &run->arena, "written", BT_STR("null"));
    }
    bt_str document = BT_STR("null");
    bt_str members;
    if (status == BT_OK) {
        status = compact_json(run, input->text, &document);
        status = status == BT_EINVAL ? BT_OK : status; /* it is over a limit */
    }
    status = status == BT_OK
                 ? bt_arena_printf(&run->arena, &members, "\"document\":%.*s", BT_STR_ARG(document))
                 : status;
    return cli_is_ok(status) ? universal_run_written(run, how.dry_run, &result, members)
                             : CLI_FAILED;
}

static int make_universal(struct cli_run *run)
{
    struct bt_universal_draft draft;
    struct bt_universal_input input = {NEW_PATH, BT_STR(""), &run->universal->how};
    struct bt_universal_spending spending;
    struct bt_error error;
    bt_str defaults;
    if (!cli_draft_flags(run, &draft) || !cli_spending_flags(run, &spending) ||
        !cli_is_ok(bt_universal_draft_complete(&draft, &run->arena, &defaults))) {
        return CLI_FAILED;
    }
    bt_universal_budget_spend(&draft.budget, &spending);
    if (draft.budget.cost.is_there && !cli_spending_is_priced(&spending)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_universal_draft_write(run->universal->checker, &run->arena, &draft, &input.text, &error);
    if (status != BT_OK) {
        return universal_run_fail(input.path, status, status == BT_EINVAL ? &error : NULL);
    }
    return cli_given(run->options, &flag_to_stdout) ? print_universal(run, input.text, defaults)
                                                    : write_universal(run, &input, defaults);
}

int cmd_new_universal(struct cli_run *run)
{
    return universal_run_begin(run) ? make_universal(run) : CLI_FAILED;
}

/* ---- baton new contract ---------------------------------------------------------------------- */

/* Take the values of a repeatable flag. False after an error message. */
static bool take_texts(struct cli_run *run, const struct cli_flag *flag, struct bt_str_list *out)
{
    if (!cli_given_list(run->options, flag, &run->arena, out)) {
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        if (!is_text(run, flag, out->items[i])) {
            return false;
        }
    }
    return true;
}

/* Take the value of a flag; "" when it was not given. False after an error message. */
static bool take_text(struct cli_run *run, const struct cli_flag *flag, bt_str *out)
{
    *out = bt_str_of(cli_given(run->options, flag));
    return is_text(run, flag, *out);
}

static bool take_contract(struct cli_run *run, struct bt_contract_draft *out)
{
    const struct cli_options *options = run->options;
    const char *status = cli_given(options, &flag_status);
    *out = (struct bt_contract_draft){
        .blank = {.consolidation_required = run->contract->flags.input.consolidation_required}};
    if (status && bt_contract_status_parse(bt_str_of(status), &out->blank.status) != BT_OK) {
        return cli_refuse_value(options, &flag_status, status);
    }
    return take_text(run, &flag_agent_id, &out->blank.agent_id) &&
           take_text(run, &flag_next_action, &out->next_action) &&
           take_text(run, &flag_verification, &out->verification) &&
           take_text(run, &flag_summary, &out->summary) &&
           take_texts(run, &flag_pending_step, &out->pending_steps) &&
           take_texts(run, &flag_checked_file, &out->files_checked) &&
           take_texts(run, &flag_run_command, &out->commands_run) &&
           take_texts(run, &flag_key_output, &out->key_outputs) &&
           take_texts(run, &flag_gap, &out->open_gaps);
}

static int make_contract(struct cli_run *run, const struct cli_document_out *where)
{
    static const struct cli_new_default defaults[] = {
        {&flag_status, "plan_status", BT_STR_INIT("\"IN_PROGRESS\"")}};
    const struct bt_check_options how = {.dialect = BT_DIALECT_CONTRACT,
                                         .contract = &run->contract->flags.options};
    struct bt_contract_draft draft;
    struct bt_buf buf;
    bt_str text;
    if (!take_contract(run, &draft)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, DOCUMENT_BYTES_MAX);
    bt_contract_put_draft(&buf, &draft);
    return cli_is_ok(bt_buf_finish(&buf, &run->arena, &text))
               ? finish_text(run, where, text, &how, defaults)
               : CLI_FAILED;
}

int cmd_new_contract(struct cli_run *run)
{
    struct cli_document_out where;
    return cli_document_write_init(run->options, "", &where) && contract_run_begin(run)
               ? make_contract(run, &where)
               : CLI_FAILED;
}

/* ---- baton new plan -------------------------------------------------------------------------- */

/* Split the values AGENT=ACTION. False after an error message. */
static bool take_plan(struct cli_run *run, struct bt_plan_draft *out)
{
    const char *payload = cli_given(run->options, &flag_payload);
    struct bt_plan_step_value *values = NULL;
    if (!plan_run_steps(run, &flag_new_step, &values, &out->count)) {
        return false;
    }
    struct bt_plan_draft_step *steps =
        BT_NEW_ARRAY(&run->arena, struct bt_plan_draft_step, out->count + 1);
    if (!steps) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < out->count; i++) {
        steps[i] = (struct bt_plan_draft_step){values[i].step, values[i].value};
    }
    out->steps = steps;
    out->payload = payload ? bt_str_of(payload) : BT_STR("");
    out->wants_schema = cli_given(run->options, &flag_write_schema) != NULL;
    return true;
}

static int make_plan(struct cli_run *run, const struct bt_plan_draft *draft,
                     const struct cli_document_out *where)
{
    const bt_str root = bt_str_of(run->options->root ? run->options->root : ".");
    struct bt_plan_new_result made;
    bt_str path;
    const enum bt_status status =
        bt_plan_new(run->plan->checker, &run->arena, &run->plan->how, draft, &made);
    if (status != BT_OK) {
        return plan_run_fail(BT_STR("<new>"), status);
    }
    if (made.judged.verdict == BT_VERDICT_ACCEPTED && made.schema.text.len > 0 &&
        !made.schema.is_present &&
        !cli_create_below(run, root, made.schema.file, made.schema.text, &path)) {
        return CLI_FAILED;
    }
    if (!cli_is_ok(add_defaults(run, &made.judged, NULL, 0))) {
        return CLI_FAILED;
    }
    return cli_document_write_made(
        run, where, &(struct cli_made_document){"", BT_STR(""), made.text, &made.judged});
}

bool cli_waive_payload(const struct cli_options *options, const struct cli_flag *flag)
{
    return flag->id == flag_payload.id && !cli_given_at(options, &flag_new_step, 1);
}

int cmd_new_plan(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_plan_draft draft = {.count = 0};
    struct cli_document_out where;
    if (!take_plan(run, &draft) || !cli_document_write_init(options, "", &where) ||
        !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    /* A schema that is written is looked for in the current folder, too. */
    if (draft.wants_schema && !run->plan->root && !cli_dir_open(".", &run->plan->root)) {
        return CLI_FAILED;
    }
    run->plan->how.dir = run->plan->root;
    return make_plan(run, &draft, &where);
}

/* ---- baton new governed ---------------------------------------------------------------------- */

static const struct cli_new_default governed_defaults[] = {
    {&flag_request_type, "type", BT_STR_INIT("\"task\"")},
    {&flag_input, "input_data", BT_STR_INIT("{}")},
    {&flag_constraint, "constraints", BT_STR_INIT("[]")},
    {&flag_history, "conversation_history", BT_STR_INIT("[]")},
    {&flag_context, "accumulated_context", BT_STR_INIT("{}")},
    {&flag_decisions, "decisions_made", BT_STR_INIT("[]")},
};

enum { GOVERNED_DEFAULTS = sizeof(governed_defaults) / sizeof(governed_defaults[0]) };

static bool take_governed(struct cli_run *run, struct bt_governed_draft *out)
{
    const struct cli_options *options = run->options;
    const char *type = cli_given(options, &flag_request_type);
    const char *audit_trail = cli_given(options, &flag_audit_trail);
    *out = (struct bt_governed_draft){
        .source = bt_str_of(cli_given(options, &flag_source)),
        .target = bt_str_of(cli_given(options, &flag_target)),
        .type = type ? bt_str_of(type) : BT_STR("task"),
        .description = bt_str_of(cli_given(options, &flag_description)),
        .expected_output = bt_str_of(cli_given(options, &flag_expected_output)),
        .input_data = BT_STR("{}"),
        .history = BT_STR("[]"),
        .context = BT_STR("{}"),
        .decisions = BT_STR("[]"),
        .audit_trail = audit_trail ? bt_str_of(audit_trail) : BT_STR(""),
    };
    return cli_take_json(run, &flag_input, &out->input_data) &&
           cli_take_json(run, &flag_history, &out->history) &&
           cli_take_json(run, &flag_context, &out->context) &&
           cli_take_json(run, &flag_decisions, &out->decisions) &&
           cli_given_list(options, &flag_constraint, &run->arena, &out->constraints);
}

/* The default of the audit trail holds the id of the handoff. */
static enum bt_status add_governed_defaults(struct cli_run *run,
                                            struct bt_governed_write_result *result)
{
    struct cli_new_default rows[GOVERNED_DEFAULTS + 1];
    memcpy(rows, governed_defaults, sizeof(governed_defaults));
    rows[GOVERNED_DEFAULTS] =
        (struct cli_new_default){&flag_audit_trail, "audit_trail", BT_STR("")};
    BT_TRY(quote_text(run, result->audit_trail, &rows[GOVERNED_DEFAULTS].json));
    return add_defaults(run, &result->judged, rows, GOVERNED_DEFAULTS + 1);
}

static int make_governed(struct cli_run *run, const struct cli_document_out *where)
{
    struct bt_governed_draft draft;
    struct bt_governed_write_result result;
    if (!take_governed(run, &draft)) {
        return CLI_FAILED;
    }
    const enum bt_status status = bt_governed_new_handoff(
        run->govern->checker, &run->arena, &run->govern->flags.options, &draft, &result);
    if (status != BT_OK) {
        return govern_run_fail(run, status);
    }
    return cli_is_ok(add_governed_defaults(run, &result))
               ? cli_document_write_made(
                     run, where,
                     &(struct cli_made_document){"", BT_STR(""), result.text, &result.judged})
               : CLI_FAILED;
}

int cmd_new_governed(struct cli_run *run)
{
    struct cli_document_out where;
    return cli_document_write_init(run->options, "", &where) && govern_run_begin(run)
               ? make_governed(run, &where)
               : CLI_FAILED;
}

/* ---- baton new xml --------------------------------------------------------------------------- */

/* Split the values NAME=VALUE. False after an error message. */
static bool take_fields(struct cli_run *run, struct bt_message_draft *out)
{
    struct bt_str_list given;
    if (!take_texts(run, &flag_field, &given)) {
        return false;
    }
    struct bt_message_field *fields =
        BT_NEW_ARRAY(&run->arena, struct bt_message_field, given.count + 1);
    if (!fields) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < given.count; i++) {
        const bt_str text = given.items[i];
        const size_t equals = bt_str_find_byte(text, '=', 0);
        if (equals == 0 || equals == text.len) {
            return cli_refuse_usage(run->options, "--field wants NAME=VALUE, not %.*s",
                                    BT_STR_ARG(text));
        }
        fields[i] = (struct bt_message_field){bt_str_slice(text, 0, equals),
                                              bt_str_slice(text, equals + 1, text.len)};
    }
    out->fields = fields;
    out->field_count = given.count;
    return true;
}

static bool take_message(struct cli_run *run, struct bt_message_draft *out)
{
    *out = (struct bt_message_draft){.fields = NULL};
    if (!take_text(run, &flag_client, &out->client) ||
        !take_text(run, &flag_call_listener, &out->listener) ||
        !take_text(run, &flag_message_thread, &out->thread) ||
        !take_text(run, &flag_message_id, &out->id) || !take_fields(run, out)) {
        return false;
    }
    return out->thread.len == 0 || bt_uuid_is_v4(out->thread) ||
           cli_refuse_usage(run->options,
                            "--thread wants a version 4 UUID in lower case, such as "
                            "550e8400-e29b-41d4-a716-446655440000, not %.*s",
                            BT_STR_ARG(out->thread));
}

static int make_message(struct cli_run *run, const struct cli_document_out *where,
                        const struct cli_message_options *xml)
{
    const struct bt_check_options how = {.dialect = BT_DIALECT_XML, .xml = &xml->options};
    struct bt_message_draft draft;
    struct bt_message_new_result made;
    struct cli_new_default thread = {&flag_message_thread, "thread", BT_STR("")};
    if (!take_message(run, &draft)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_message_new(&run->env, &run->arena, xml->file.organism, &draft, &made, &run->error);
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return cli_usage_error(run->options->command, "--%s: %s",
                               status == BT_ENOENT ? flag_call_listener.name : flag_field.name,
                               run->error.text);
    }
    return cli_is_ok(status) && cli_is_ok(quote_text(run, made.thread, &thread.json))
               ? finish_text(run, where, made.text, &how, &thread)
               : CLI_FAILED;
}

int cmd_new_xml(struct cli_run *run)
{
    struct cli_document_out where;
    struct cli_message_options xml;
    if (!cli_document_write_init(run->options, "", &where)) {
        return CLI_FAILED;
    }
    const int code = cli_message_options_init(run->options, &run->env, &xml)
                         ? make_message(run, &where, &xml)
                         : CLI_FAILED;
    cli_message_options_free(&xml);
    return code;
}
