/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approvals_out.c - requests for consent, written for programs and for people.
 */
#include "approvals_out.h"

#include <unistd.h>

#include <baton/json.h>

#include "say.h"
#include "service/text.h"

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static void put_or_null(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_name(emit, name);
    if (text.len > 0) {
        bt_emit_string(emit, text);
    } else {
        bt_emit_null(emit);
    }
}

/* Copies out of the payload: a string as it is, anything else as JSON, null when absent. */
static enum bt_status put_copies(struct bt_emit *emit, struct gate_run *run, bt_str payload)
{
    static const char *const names[] = {"operation", "exact_content", "risk_level"};
    struct bt_json_options options = bt_json_options_of(&run->contract.env);
    struct bt_json_result read;
    options.document_bytes_max = payload.len + 1;
    options.string_bytes_max = payload.len + 1;
    BT_TRY(bt_json_read(&run->contract.arena, payload, &options, &read));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const bt_value *value =
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

/* Put the members of a request; the object stays open. */
static enum bt_status put_request(struct bt_emit *emit, struct gate_run *run,
                                  const struct bt_approval *approval)
{
    bt_emit_object(emit);
    bt_emit_member_string(emit, "id", approval->id);
    bt_emit_member_string(emit, "status", approval->status);
    bt_emit_member_string(emit, "workspace", approval->workspace);
    bt_emit_member_string(emit, "session", approval->session);
    bt_emit_member_string(emit, "agent_id", approval->agent_id);
    bt_emit_member_string(emit, "fingerprint", approval->fingerprint);
    BT_TRY(put_copies(emit, run, approval->payload));
    bt_emit_member_string(emit, "requested_at", approval->requested_at);
    put_or_null(emit, "decided_at", approval->decided_at);
    bt_emit_member_string(emit, "expires_at", approval->expires_at);
    bt_emit_name(emit, "grant");
    if (approval->grant.len == 0) {
        bt_emit_null(emit);
        return BT_OK;
    }
    bt_emit_object(emit);
    bt_emit_member_string(emit, "status", approval->grant);
    bt_emit_member_string(emit, "expires_at", approval->grant_expires_at);
    bt_emit_member_u64(emit, "used", approval->used);
    bt_emit_member_u64(emit, "uses", approval->uses);
    bt_emit_end(emit);
    return BT_OK;
}

static void put_line(struct bt_buf *buf, const struct bt_approval *approval)
{
    bt_buf_put(buf, approval->id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->grant.len > 0 ? approval->grant : approval->status);
    bt_buf_put_char(buf, ' ');
    bt_buf_put_visible(buf, approval->workspace, SIZE_MAX);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->agent_id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->requested_at);
    bt_buf_put_char(buf, '\n');
}

int approvals_print_list(struct gate_run *run, const struct bt_approvals *approvals)
{
    const bool is_json = ledger_run_is_json(run->contract.options);
    enum bt_status status = BT_OK;
    struct bt_emit emit;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    if (is_json) {
        bt_emit_object(&emit);
        bt_emit_member_u64(&emit, "baton", 1);
        bt_emit_name(&emit, "approvals");
        bt_emit_array(&emit);
    }
    for (size_t i = 0; i < approvals->count && status == BT_OK; i++) {
        if (is_json) {
            status = put_request(&emit, run, &approvals->items[i]);
            bt_emit_end(&emit);
        } else {
            put_line(&buf, &approvals->items[i]);
        }
    }
    if (is_json) {
        bt_emit_end(&emit);
        bt_emit_end(&emit);
        bt_buf_put_char(&buf, '\n');
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return contract_run_fail(status);
    }
    return cli_print_buf(&buf);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void put_findings(struct bt_emit *emit, const struct bt_findings *findings)
{
    bt_emit_name(emit, "findings");
    bt_emit_array(emit);
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        bt_emit_object(emit);
        bt_emit_member_string(emit, "code", finding->rule->code);
        bt_emit_member_string(emit, "severity", BT_STR("HARD"));
        bt_emit_member_string(emit, "stage", BT_STR("governance"));
        bt_emit_member_string(emit, "pointer", BT_STR(""));
        bt_emit_member_string(emit, "message", finding->message);
        if (finding->params.len > 0) {
            bt_emit_name(emit, "params");
            bt_emit_raw(emit, finding->params);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_events(struct bt_emit *emit, const struct bt_approval_answer *answer)
{
    bt_emit_name(emit, "payload");
    bt_emit_raw(emit, answer->approval.payload);
    bt_emit_name(emit, "events");
    bt_emit_array(emit);
    for (size_t i = 0; i < answer->event_count; i++) {
        const struct bt_approval_event *event = &answer->events[i];
        bt_emit_object(emit);
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

static enum bt_status put_answer(struct bt_buf *buf, struct gate_run *run,
                                 const struct bt_approval_wish *wish,
                                 const struct bt_approval_answer *answer)
{
    const bool is_done = bt_findings_count(answer->findings) == 0;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    if (wish->act == BT_APPROVAL_USE) {
        bt_emit_name(&emit, "granted");
        bt_emit_bool(&emit, is_done);
    }
    if (is_done) {
        bt_emit_name(&emit, "approval");
        BT_TRY(put_request(&emit, run, &answer->approval));
        if (wish->act == BT_APPROVAL_SHOW) {
            put_events(&emit, answer);
        }
        bt_emit_end(&emit);
    } else {
        put_findings(&emit, answer->findings);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    return BT_OK;
}

static void put_text(struct bt_buf *buf, const struct bt_approval_wish *wish,
                     const struct bt_approval_answer *answer)
{
    put_line(buf, &answer->approval);
    if (wish->act != BT_APPROVAL_SHOW) {
        return;
    }
    bt_buf_put_text(buf, "fingerprint ");
    bt_buf_put(buf, answer->approval.fingerprint);
    bt_buf_put_char(buf, '\n');
    bt_buf_put_visible(buf, answer->approval.payload, SIZE_MAX);
    bt_buf_put_char(buf, '\n');
    for (size_t i = 0; i < answer->event_count; i++) {
        const struct bt_approval_event *event = &answer->events[i];
        bt_buf_printf(buf, "%.*s %.*s %.*s %.*s\n", BT_STR_ARG(event->at), BT_STR_ARG(event->type),
                      BT_STR_ARG(event->actor), BT_STR_ARG(event->code));
    }
}

bool approvals_show(struct gate_run *run, const struct bt_approval_answer *answer)
{
    const struct bt_approval *approval = &answer->approval;
    struct bt_json_options options = bt_json_options_of(&run->contract.env);
    struct bt_json_result read;
    struct bt_buf pretty;
    struct bt_buf buf;
    options.document_bytes_max = approval->payload.len + 1;
    options.string_bytes_max = approval->payload.len + 1;
    bt_buf_init(&pretty, OUTPUT_BYTES_MAX);
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    put_line(&buf, approval);
    if (bt_json_read(&run->contract.arena, approval->payload, &options, &read) != BT_OK ||
        !read.document ||
        bt_json_write(&pretty, read.document, bt_json_root(read.document), BT_JSON_PRETTY,
                      &run->contract.arena, NULL) != BT_OK) {
        bt_buf_clear(&pretty);
        bt_buf_put(&pretty, approval->payload);
        bt_buf_put_char(&pretty, '\n');
    }
    text_put_lines(&buf, bt_buf_str(&pretty), 2);
    const bool is_shown =
        pretty.status == BT_OK && buf.status == BT_OK && cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&pretty);
    bt_buf_free(&buf);
    if (!is_shown) {
        cli_complain("cannot show the request");
    }
    return is_shown;
}

int approvals_print_answer(struct gate_run *run, const struct bt_approval_wish *wish,
                           const struct bt_approval_answer *answer)
{
    const bool is_done = bt_findings_count(answer->findings) == 0;
    enum bt_status status = BT_OK;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (ledger_run_is_json(run->contract.options)) {
        status = put_answer(&buf, run, wish, answer);
    } else if (is_done) {
        put_text(&buf, wish, answer);
    } else {
        const struct bt_finding *why = bt_findings_at(answer->findings, 0);
        cli_complain("%.*s: %.*s", BT_STR_ARG(why->rule->code), BT_STR_ARG(why->message));
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return contract_run_fail(status);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_done ? CLI_REJECTED : code;
}
