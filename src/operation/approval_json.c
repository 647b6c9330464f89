/* SPDX-License-Identifier: Apache-2.0 */
/* approval_json.c - approval requests as JSON. */
#include "operation/approval_json.h"

#include "json/emit.h"
#include "json/options.h"

/* Copies from the payload: a string unchanged, anything else as JSON, null when absent. */
static enum bt_status put_copies(struct bt_emit *emit, const struct bt_env *env,
                                 struct bt_arena *arena, bt_str payload)
{
    static const char *const names[] = {"operation", "exact_content", "risk_level"};
    struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = {0};
    options.document_bytes_max = payload.len + 1;
    options.string_bytes_max = payload.len + 1;
    if (payload.len > 0) {
        /* from: store */
        BT_TRY(bt_json_read(arena, payload, &options, &read));
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const bt_json_value *value =
            read.document
                ? bt_json_get(read.document, bt_json_root(read.document), bt_str_of(names[i]))
                : NULL;
        bt_emit_name(emit, names[i]);
        if (!value) {
            bt_emit_null(emit);
            continue;
        }
        const struct bt_json_span span = bt_json_span(read.document, value);
        bt_emit_raw(emit, bt_str_slice(payload, span.begin, span.end)); /* it is canonical */
    }
    return BT_OK;
}

/* Every command that the grant covers. */
static enum bt_status put_commands(struct bt_emit *emit, const struct bt_env *env,
                                   struct bt_arena *arena, bt_str payload)
{
    struct bt_op_approval_json_commands commands;
    BT_TRY(bt_op_approval_commands(env, arena, payload, &commands));
    bt_emit_name(emit, "commands");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < commands.count; i++) {
        bt_emit_string(emit, commands.items[i]);
    }
    bt_emit_end(emit);
    return BT_OK;
}

enum bt_status bt_emit_approval(struct bt_emit *emit, const struct bt_env *env,
                                struct bt_arena *arena, const struct bt_approval *approval)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "id", approval->id);
    bt_emit_member_string(emit, "status", approval->status);
    bt_emit_member_string(emit, "workspace", approval->workspace);
    bt_emit_member_string(emit, "session", approval->session);
    bt_emit_member_string(emit, "agent_id", approval->agent_id);
    bt_emit_member_string(emit, "fingerprint", approval->fingerprint);
    if (approval->payload.len == 0) {
        bt_emit_name(emit, "redacted");
        bt_emit_bool(emit, true);
    }
    BT_TRY(put_commands(emit, env, arena, approval->payload));
    BT_TRY(put_copies(emit, env, arena, approval->payload));
    bt_emit_member_string(emit, "requested_at", approval->requested_at);
    bt_emit_member_string_or_null(emit, "decided_at", approval->decided_at);
    bt_emit_member_string(emit, "expires_at", approval->expires_at);
    bt_emit_name(emit, "grant");
    if (approval->grant.len == 0) {
        bt_emit_null(emit);
        return BT_OK;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "status", approval->grant);
    bt_emit_member_string(emit, "expires_at", approval->grant_expires_at);
    bt_emit_member_u64(emit, "used", approval->used);
    bt_emit_member_u64(emit, "uses", approval->uses);
    bt_emit_end(emit);
    return BT_OK;
}

void bt_emit_approval_findings(struct bt_emit *emit, const struct bt_findings *findings)
{
    bt_emit_name(emit, "findings");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "code", finding->rule->code);
        bt_emit_member_string(emit, "severity", BT_STR("HARD"));
        bt_emit_member_string(emit, "stage", BT_STR("governance"));
        bt_emit_member_string(emit, "pointer", BT_STR(""));
        bt_emit_member_string(emit, "message", finding->message);
        if (finding->arg_count > 0) {
            bt_emit_name(emit, "params");
            bt_emit_raw(emit, BT_STR(""));
            bt_finding_put_params(finding, emit->buf);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_events(struct bt_emit *emit, const struct bt_approval_result *answer)
{
    bt_emit_name(emit, "payload");
    if (answer->approval.payload.len > 0) {
        bt_emit_raw(emit, answer->approval.payload);
    } else {
        bt_emit_null(emit);
    }
    bt_emit_name(emit, "events");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < answer->event_count; i++) {
        const struct bt_approval_event *event = &answer->events[i];
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "type", event->type);
        bt_emit_member_string(emit, "at", event->at);
        bt_emit_member_string(emit, "actor", event->actor);
        if (event->code.len > 0) {
            bt_emit_member_string(emit, "code", event->code);
        }
        bt_emit_member_string(emit, "fingerprint", event->fingerprint);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

enum bt_status bt_emit_approval_result(struct bt_buf *buf, const struct bt_env *env,
                                       struct bt_arena *arena,
                                       const struct bt_approval_action_options *action_options,
                                       const struct bt_approval_result *answer)
{
    const bool is_done = bt_findings_count(answer->findings) == 0;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    if (action_options->act == BT_APPROVAL_ACTION_USE) {
        bt_emit_name(&emit, "granted");
        bt_emit_bool(&emit, is_done);
    }
    if (is_done) {
        bt_emit_name(&emit, "approval");
        BT_TRY(bt_emit_approval(&emit, env, arena, &answer->approval));
        if (action_options->act == BT_APPROVAL_ACTION_SHOW) {
            put_events(&emit, answer);
        }
        bt_emit_end(&emit);
    } else {
        bt_emit_approval_findings(&emit, answer->findings);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    return BT_OK;
}

bool bt_approval_ttl_parse(bt_str text, uint64_t *out_seconds)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    uint64_t number = 0;
    for (size_t i = 0; text.len > 1 && i < sizeof(units) / sizeof(units[0]); i++) {
        if (text.ptr[text.len - 1] == units[i].unit &&
            bt_str_to_u64(bt_str_slice(text, 0, text.len - 1), &number) == BT_OK && number > 0 &&
            number <= BT_GRANT_SECONDS_MAX / units[i].seconds) {
            *out_seconds = number * units[i].seconds;
            return true;
        }
    }
    return false;
}

bool bt_fingerprint_is_valid(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'))) {
            return false;
        }
    }
    return text.len == BT_SHA256_HEX_BYTES - 1;
}
