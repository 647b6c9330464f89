/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - the steps that a call of a tool passes before the server gets it. */
#include "wrap/call.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/uninitialized.h"
#include "json/get.h"
#include "json/value_pointer.h"
#include "json/walk.h"
#include "wrap/approve.h"
#include "wrap/repeat.h"
#include "wrap/secrets.h"
#include "wrap/session_internal.h"

enum { POINTER_BYTES_MAX = 64 << 20 };

/* ---- Findings -------------------------------------------------------------------------------- */

enum bt_status bt_wrap_call_pointer(struct bt_wrap_session *session, uint64_t call,
                                    const char *part, bt_str *out)
{
    return bt_arena_printf(&session->message, out, "/calls/%llu/%s", (unsigned long long)call,
                           part);
}

enum bt_status bt_wrap_add_below(struct bt_wrap_session *session, struct bt_findings *findings,
                                 const struct bt_findings *added, bt_str pointer,
                                 enum bt_severity severity)
{
    for (size_t i = 0; i < bt_findings_count(added); i++) {
        struct bt_finding finding = *bt_findings_at(added, i);
        BT_TRY(bt_arena_printf(&session->message, &finding.pointer, "%.*s%.*s", BT_STR_ARG(pointer),
                               BT_STR_ARG(finding.pointer)));
        finding.offset = BT_OFFSET_NONE;
        finding.severity = severity;
        BT_TRY(bt_findings_add(findings, &finding));
    }
    return BT_OK;
}

enum bt_status bt_wrap_add_all(struct bt_wrap_session *session, const struct bt_findings *added)
{
    for (size_t i = 0; i < bt_findings_count(added); i++) {
        BT_TRY(bt_findings_add(session->findings, bt_findings_at(added, i)));
    }
    return BT_OK;
}

static enum bt_status check_secret(struct bt_wrap_session *session,
                                   const struct bt_wrap_call_part *part, const bt_json_value *value,
                                   struct bt_findings *findings)
{
    const bt_ref root = part->value;
    struct bt_wrap_secret secret;
    bt_str pointer;
    bt_str base;
    bt_str whole;
    bt_str at;
    if (bt_json_type(value) != BT_JSON_STRING ||
        !bt_wrap_secret_find(bt_json_text(value), 0, &secret)) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_call_pointer(session, part->call, part->name, &pointer));
    BT_TRY(bt_json_value_pointer(root.document, root.value, &session->message, &base));
    BT_TRY(bt_json_value_pointer(root.document, value, &session->message, &whole));
    BT_TRY(bt_arena_printf(&session->message, &at, "%.*s%.*s", BT_STR_ARG(pointer),
                           BT_STR_ARG(bt_str_slice(whole, base.len, whole.len))));
    return bt_add_wrap_secret(findings, bt_location_pointer(at, BT_OFFSET_NONE), secret.kind);
}

enum bt_status bt_wrap_check_secrets(struct bt_wrap_session *session,
                                     const struct bt_wrap_call_part *part,
                                     struct bt_findings *findings)
{
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value at;
    if (session->settings->policy.secrets == BT_WRAP_READING_OFF || !part->value.value) {
        return BT_OK;
    }
    BT_TRY(check_secret(session, part, part->value.value, findings));
    bt_json_walk_begin(&walk, part->value.value);
    while (bt_json_walk_next(&walk, &at)) {
        BT_TRY(check_secret(session, part, at.value, findings));
    }
    return BT_OK;
}

enum bt_status bt_wrap_add_unusable(struct bt_wrap_session *session, struct bt_wrap_tool *tool,
                                    enum bt_wrap_schema_kind kind, enum bt_wrap_judging judging,
                                    struct bt_findings *findings)
{
    static const char *const members[] = {"inputSchema", "outputSchema"};
    struct bt_wrap_schema *schema = &tool->schemas[kind];
    const bool refuses = judging == BT_WRAP_JUDGING_REFUSE;
    bt_str pointer;
    bt_str at;
    if (schema->is_reported && !refuses) {
        return BT_OK;
    }
    schema->is_reported = true;
    BT_TRY(bt_wrap_item_pointer(&session->message, BT_WRAP_TOOL, tool->name, &pointer));
    BT_TRY(bt_arena_printf(&session->message, &at, "%.*s/%s", BT_STR_ARG(pointer), members[kind]));
    return bt_add_wrap_schema_unusable(findings, refuses ? BT_SEVERITY_HARD : BT_SEVERITY_WARN,
                                       bt_location_pointer(at, BT_OFFSET_NONE),
                                       bt_str_of(members[kind]), bt_code_name(schema->code),
                                       tool->name);
}

/* ---- Definitions and rules ------------------------------------------------------------------- */

static bool is_locked(const struct bt_wrap_call *call)
{
    const struct bt_wrap_entry *entry = call->session->entry;
    return entry && bt_wrap_items_find(&entry->items[BT_WRAP_TOOL], call->name);
}

/* Find the tool, and what the policy says about it. */
static enum bt_status resolve_tool(struct bt_wrap_call *call)
{
    BT_TRY(bt_wrap_tools_find(call->session, call->name, &call->tool));
    if (call->tool) {
        call->policy = call->tool->policy;
    } else {
        bt_wrap_policy_for_tool(&call->session->settings->policy, call->name, &call->hints,
                                &call->policy);
    }
    return BT_OK;
}

/* Whether a definition could change what happens to the call. */
static bool needs_definition(const struct bt_wrap_call *call)
{
    const struct bt_wrap_session *session = call->session;
    const struct bt_wrap_policy *policy = &session->settings->policy;
    if (call->name.len == 0 || bt_wrap_pins_find(session, BT_WRAP_TOOL, call->name)) {
        return false;
    }
    if (session->entry && !is_locked(call) && policy->pin.added != BT_WRAP_PINNING_WARN) {
        return false; /* it is refused in any case */
    }
    return session->entry || call->policy.rule.arguments != BT_WRAP_JUDGING_OFF ||
           call->policy.rule.results != BT_WRAP_JUDGING_OFF ||
           policy->texts == BT_WRAP_READING_HIDE || bt_wrap_policy_needs_hints(policy);
}

static enum bt_status check_catalogue(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    struct bt_wrap_session *session = call->session;
    struct bt_wrap_catalogue *catalogue = &session->pins.kinds[BT_WRAP_TOOL];
    BT_TRY(resolve_tool(call));
    BT_TRY(bt_wrap_call_set_tool(session, call->message, call->request, &call->policy));
    if (!needs_definition(call) || catalogue->listing == BT_WRAP_LISTED) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_gate_begin_list(session, call->message, call->request));
    if (catalogue->listing == BT_WRAP_LISTING) {
        struct bt_wrap_held *held = NULL;
        *out = BT_WRAP_STEP_HELD;
        return bt_wrap_gate_hold(session, call->request, call->line, &held);
    }
    const bool refuses = !session->settings->policy.is_observing &&
                         (session->entry || call->policy.rule.arguments == BT_WRAP_JUDGING_REFUSE);
    if (!refuses && catalogue->failure_is_reported) {
        return BT_OK;
    }
    catalogue->failure_is_reported = true;
    *out = refuses ? BT_WRAP_STEP_REFUSED : BT_WRAP_STEP_PASSED;
    return bt_add_wrap_catalogue_missing(
        call->findings, refuses ? BT_SEVERITY_HARD : BT_SEVERITY_WARN, bt_location_whole(),
        (enum bt_wrap_catalogue_missing_reason)catalogue->failure);
}

static enum bt_status check_hidden(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    struct bt_wrap_session *session = call->session;
    const struct bt_wrap_known *known = bt_wrap_pins_find(session, BT_WRAP_TOOL, call->name);
    const enum bt_wrap_pinning added = session->settings->policy.pin.added;
    const bool is_added = session->entry && !is_locked(call);
    enum bt_wrap_hidden hidden = known ? known->hidden : BT_WRAP_VISIBLE;
    bt_str pointer;
    if (hidden == BT_WRAP_VISIBLE && !is_added) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_item_pointer(&session->message, BT_WRAP_TOOL, call->name, &pointer));
    const struct bt_location at = bt_location_pointer(pointer, BT_OFFSET_NONE);
    if (is_added && !known && added == BT_WRAP_PINNING_WARN) {
        BT_TRY(bt_add_wrap_pin_added(call->findings, BT_SEVERITY_WARN, at, BT_STR_ABSENT,
                                     BT_STR_ABSENT, call->name));
    }
    session->pins.must_block =
        session->pins.must_block || (is_added && added == BT_WRAP_PINNING_BLOCK);
    if (hidden == BT_WRAP_VISIBLE && added == BT_WRAP_PINNING_WARN) {
        return BT_OK;
    }
    hidden = hidden == BT_WRAP_VISIBLE ? BT_WRAP_HIDDEN_ADDED : hidden;
    *out = BT_WRAP_STEP_REFUSED;
    return bt_add_wrap_tool_hidden(call->findings, at, (enum bt_wrap_tool_hidden_reason)hidden,
                                   call->name);
}

static enum bt_status check_denied(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    bt_str pointer;
    if (call->policy.rule.deny != BT_WRAP_CHOICE_YES) {
        return BT_OK;
    }
    *out = BT_WRAP_STEP_REFUSED;
    BT_TRY(bt_wrap_item_pointer(&call->session->message, BT_WRAP_TOOL, call->name, &pointer));
    return bt_add_wrap_denied(call->findings, bt_wrap_refusal_severity(call->session),
                              bt_location_pointer(pointer, BT_OFFSET_NONE), call->name);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static enum bt_status check_argument_secrets(struct bt_wrap_call *call,
                                             enum bt_wrap_step_result *out)
{
    const struct bt_wrap_call_part arguments = {
        .call = call->request->call,
        .name = "arguments",
        .value = {call->message->document, call->arguments}};
    (void)out;
    return call->request->is_counted
               ? BT_OK
               : bt_wrap_check_secrets(call->session, &arguments, call->findings);
}

/* The arguments as a value; an empty object when they are absent. */
static enum bt_status read_arguments(const struct bt_wrap_call *call, bt_ref *out)
{
    struct bt_wrap_session *session = call->session;
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    const struct bt_json_options options = bt_wrap_json_options(session);
    if (call->arguments) {
        *out = (bt_ref){call->message->document, call->arguments};
        return BT_OK;
    }
    /* from: a constant */
    BT_TRY(bt_json_read(&session->message, BT_STR("{}"), &options, &read));
    *out = (bt_ref){read.document, bt_json_root(read.document)};
    return BT_OK;
}

static enum bt_status add_not_object(const struct bt_wrap_call *call, struct bt_findings *found)
{
    const char *actual = bt_json_type_name(call->message->document, call->arguments);
    return bt_add_json_schema_type(found, bt_location_whole(), BT_STR("/type"),
                                   BT_STR("\"object\""), bt_str_of(actual), BT_STR("arguments"),
                                   BT_STR("object"));
}

static enum bt_status check_arguments(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    struct bt_wrap_session *session = call->session;
    const enum bt_wrap_judging judging = call->policy.rule.arguments;
    const bool refuses = judging == BT_WRAP_JUDGING_REFUSE;
    const enum bt_wrap_step_result refusal = refuses ? BT_WRAP_STEP_REFUSED : BT_WRAP_STEP_PASSED;
    struct bt_findings *found = bt_findings_new(&session->message);
    struct bt_wrap_schema *schema = NULL;
    bt_ref arguments;
    bt_str pointer;
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    if (judging == BT_WRAP_JUDGING_OFF || !call->tool || call->request->is_counted) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_tools_schema(session, call->tool, BT_WRAP_SCHEMA_INPUT, &schema));
    if (call->arguments && bt_json_type(call->arguments) != BT_JSON_OBJECT) {
        BT_TRY(add_not_object(call, found));
    } else if (schema->schema) {
        BT_TRY(read_arguments(call, &arguments));
        BT_TRY(bt_wrap_tools_judge(session, schema, arguments, found));
    } else if (!schema->is_absent) {
        *out = refusal;
        return bt_wrap_add_unusable(session, call->tool, BT_WRAP_SCHEMA_INPUT, judging,
                                    call->findings);
    }
    if (bt_findings_count(found) == 0) {
        return BT_OK;
    }
    *out = refusal;
    BT_TRY(bt_wrap_call_pointer(session, call->request->call, "arguments", &pointer));
    return bt_wrap_add_below(session, call->findings, found, pointer,
                             refuses ? BT_SEVERITY_HARD : BT_SEVERITY_WARN);
}

/* ---- Repeats --------------------------------------------------------------------------------- */

static enum bt_status check_repeat(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    bool is_done = false;
    BT_TRY(bt_wrap_repeat_call(call->session, call->message, call->request, call->line, &is_done));
    *out = is_done ? BT_WRAP_STEP_ANSWERED : BT_WRAP_STEP_PASSED;
    return BT_OK;
}

/* ---- Rate and spend -------------------------------------------------------------------------- */

static enum bt_status check_rate(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    uint64_t retry_ms = 0;
    bt_str pointer;
    if (call->request->is_counted || bt_wrap_take_rate(call->session, &call->policy, &retry_ms)) {
        return BT_OK;
    }
    *out = BT_WRAP_STEP_REFUSED;
    BT_TRY(bt_wrap_item_pointer(&call->session->message, BT_WRAP_TOOL, call->name, &pointer));
    return bt_add_wrap_rate(call->findings, bt_wrap_refusal_severity(call->session),
                            bt_location_pointer(pointer, BT_OFFSET_NONE), call->policy.rule.rate,
                            retry_ms, call->name);
}

static enum bt_status check_spend(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    if (call->request->is_counted) {
        return BT_OK;
    }
    const struct bt_wrap_spend_limit limit =
        bt_wrap_spend_call(call->session, call->policy.rule.cost);
    if (limit.what == BT_WRAP_SPENT_NOTHING) {
        call->request->is_counted = true; /* a person may be asked now, and all steps repeated */
        return BT_OK;
    }
    *out = BT_WRAP_STEP_REFUSED;
    return bt_add_wrap_spend(call->findings, bt_wrap_refusal_severity(call->session),
                             bt_location_whole(), (enum bt_wrap_spend_what)limit.what, limit.limit,
                             limit.spent);
}

/* ---- The store ------------------------------------------------------------------------------- */

static enum bt_status check_store(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    if (!bt_wrap_call_needs_store(call->session, call->request)) {
        return BT_OK;
    }
    *out = BT_WRAP_STEP_REFUSED;
    return bt_wrap_refuse_unrecorded(call->session, call->findings, false);
}

/* ---- Approvals ------------------------------------------------------------------------------- */

/* The last step, because a grant is used up by one call. */
static enum bt_status check_approval(struct bt_wrap_call *call, enum bt_wrap_step_result *out)
{
    bool is_done = false;
    BT_TRY(bt_wrap_call_note(call->request, call->findings));
    BT_TRY(
        bt_wrap_approve_call(call->session, call->message, call->request, &call->line, &is_done));
    *out = is_done ? BT_WRAP_STEP_ANSWERED : BT_WRAP_STEP_PASSED;
    return BT_OK;
}

/* ---- The steps ------------------------------------------------------------------------------- */

/*
 * In the order in which they decide. A step that is not about the call leaves *out alone, which is
 * BT_WRAP_STEP_PASSED.
 */
static bt_wrap_step_fn *const steps[] = {
    check_catalogue, check_hidden,   check_denied, check_argument_secrets,
    check_arguments, check_repeat,   check_rate,   check_spend,
    check_store,     check_approval,
};

enum bt_status bt_wrap_request_keep_tool(struct bt_wrap_request *request, bt_str name)
{
    if (request->tool || name.len == 0 || name.len > BT_WRAP_TOOL_NAME_MAX) {
        return BT_OK;
    }
    request->tool = bt_buf_create(name.len);
    BT_TRY(request->tool ? BT_OK : BT_ENOMEM);
    bt_buf_put(request->tool, name);
    return bt_buf_status(request->tool);
}

static enum bt_status refuse_call(struct bt_wrap_call *call, size_t from)
{
    struct bt_wrap_session *session = call->session;
    if (session->pins.must_block) { /* all open requests get the same error */
        return BT_OK;
    }
    session->facts.refused++;
    BT_TRY(bt_wrap_call_refuse(session, call->request, call->findings, from));
    bt_wrap_answer_refusal(bt_wrap_output(session, BT_WRAP_CLIENT), &call->request->id,
                           call->request->is_modern, call->findings, from);
    bt_wrap_requests_remove(&session->open[BT_WRAP_CLIENT], call->request);
    return BT_OK;
}

enum bt_status bt_wrap_refuse_request(struct bt_wrap_session *session,
                                      struct bt_wrap_request *request,
                                      const struct bt_findings *one)
{
    session->facts.refused++;
    BT_TRY(bt_wrap_add_all(session, one));
    BT_TRY(bt_wrap_call_refuse(session, request, one, 0));
    bt_wrap_answer_refusal(bt_wrap_output(session, BT_WRAP_CLIENT), &request->id,
                           request->is_modern, one, 0);
    bt_wrap_requests_remove(&session->open[BT_WRAP_CLIENT], request);
    return BT_OK;
}

/* Take so many steps of a table, until one of them decides. */
static enum bt_status take_steps(struct bt_wrap_call *call, bt_wrap_step_fn *const *table,
                                 size_t count, enum bt_wrap_step_result *out, size_t *out_from)
{
    *out = BT_WRAP_STEP_PASSED;
    for (size_t i = 0; *out == BT_WRAP_STEP_PASSED && i < count; i++) {
        *out_from = bt_findings_count(call->findings);
        BT_TRY(table[i](call, out));
        if (*out == BT_WRAP_STEP_REFUSED && call->session->settings->policy.is_observing) {
            *out = BT_WRAP_STEP_PASSED;
        }
    }
    return BT_OK;
}

enum bt_status bt_wrap_call_review(struct bt_wrap_call *call, bool arguments_are_known,
                                   enum bt_wrap_step_result *out, size_t *out_from)
{
    static bt_wrap_step_fn *const reviewed[] = {check_hidden, check_denied, check_arguments};
    const size_t count = BT_COUNT_OF(reviewed);
    BT_TRY(resolve_tool(call));
    return take_steps(call, reviewed, arguments_are_known ? count : count - 1, out, out_from);
}

enum bt_status bt_wrap_call_take(struct bt_wrap_session *session,
                                 const struct bt_wrap_message *message,
                                 struct bt_wrap_request *request, bt_str line)
{
    const struct bt_json_doc *document = message->document;
    struct bt_wrap_call call = {
        .session = session,
        .message = message,
        .request = request,
        .line = line,
        .name = bt_json_get_text(document, message->params, BT_STR("name")),
        .arguments =
            message->params ? bt_json_get(document, message->params, BT_STR("arguments")) : NULL,
        .findings = bt_findings_new(&session->message)};
    enum bt_wrap_step_result result = BT_WRAP_STEP_PASSED;
    size_t from = 0;
    BT_TRY(call.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_wrap_request_keep_tool(request, call.name));
    BT_TRY(take_steps(&call, steps, BT_COUNT_OF(steps), &result, &from));
    BT_TRY(bt_wrap_add_all(session, call.findings));
    if (result == BT_WRAP_STEP_REFUSED) {
        return refuse_call(&call, from);
    }
    if (result == BT_WRAP_STEP_PASSED) {
        bt_wrap_pass(session, BT_WRAP_SERVER, call.line);
        request->sent_us = bt_wrap_measured_us(session);
    }
    return BT_OK;
}
