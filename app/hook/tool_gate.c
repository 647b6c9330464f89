/* SPDX-License-Identifier: Apache-2.0 */
/* tool_gate.c - decide about a tool, look up the grant, and put the reply into words. */
#include "tool_gate.h"

#include <baton/json.h>

#include "base/buf.h"
#include "decide/gate_grants.h"
#include "operation/approval_json.h"

enum { TEXT_BYTES_MAX = 1 << 26, CONTENT_BYTES_SHOWN = 4096 };

/* ---- Texts ----------------------------------------------------------------------------------- */

enum bt_status hook_put_request(struct bt_buf *buf, const struct hook *hook,
                                const struct bt_approval *approval)
{
    const bool is_main = bt_str_eq(approval->agent_id, BT_STR("-"));
    bt_buf_printf(buf, "%s%.*s asks for your consent, request %.*s\n",
                  is_main ? "the main agent" : "agent ",
                  BT_STR_ARG(is_main ? BT_STR("") : approval->agent_id), BT_STR_ARG(approval->id));
    BT_TRY(bt_approval_put_text(buf, hook->env, hook->arena, approval));
    bt_buf_printf(buf,
                  "look at it: baton approvals show %.*s\n"
                  "grant it: baton approvals grant %.*s --fingerprint %.*s --actor NAME",
                  BT_STR_ARG(approval->id), BT_STR_ARG(approval->id),
                  BT_STR_ARG(approval->fingerprint));
    return buf->status;
}

/* What is gated: the tier, and the pattern that matched. */
static void put_match(struct bt_buf *buf, const struct bt_gate_verdict *verdict)
{
    bt_buf_put(buf, verdict->code);
    bt_buf_printf(buf, ": a person must grant this command first (tier %.*s, ",
                  BT_STR_ARG(verdict->tier->name));
    if (verdict->pattern.len > 0) {
        bt_buf_put_text(buf, "pattern ");
        bt_buf_put_printable(buf, verdict->pattern, SIZE_MAX);
    } else {
        bt_buf_put_text(buf, "what it runs cannot be told, and it mentions a gated program");
    }
    bt_buf_put_text(buf, "). ");
}

static void put_reason(struct bt_buf *buf, const struct hook_event *event,
                       const struct bt_gate_verdict *verdict, const struct bt_approval *approval)
{
    put_match(buf, verdict);
    bt_buf_printf(buf,
                  "Request %.*s waits for a person. Do not try the command in another form: every "
                  "other text needs a grant of its own. To ask, end your turn with plan_status "
                  "APPROVAL_REQUEST and an approval_request with \"approval_id\":\"%.*s\", "
                  "\"exact_content\"",
                  BT_STR_ARG(approval->id), BT_STR_ARG(approval->id));
    if (event->tool.content.len <= CONTENT_BYTES_SHOWN) {
        bt_buf_put_char(buf, ':');
        bt_json_put_string(buf, event->tool.content);
    } else {
        bt_buf_put_text(buf, " exactly this command");
    }
    bt_buf_put_text(buf,
                    ", and your \"rollback\" and \"verification\". After the grant run exactly "
                    "this command again; the grant is for one use.");
}

/* ---- Denials --------------------------------------------------------------------------------- */

static enum bt_status finish_texts(const struct hook *hook, struct bt_buf *reason,
                                   struct bt_buf *message, struct hook_gate_reply *out)
{
    out->denies = true;
    const enum bt_status status = bt_buf_finish(reason, hook->arena, &out->reason);
    return bt_buf_finish_if(status, message, hook->arena, &out->message);
}

static void init_texts(struct bt_buf *reason, struct bt_buf *message)
{
    bt_buf_init(reason, TEXT_BYTES_MAX);
    bt_buf_init(message, TEXT_BYTES_MAX);
}

/* Neither the agent nor a person can get a grant for it. */
static enum bt_status deny_always(const struct hook *hook, const struct bt_gate_verdict *verdict,
                                  struct hook_gate_reply *out)
{
    struct bt_buf reason;
    struct bt_buf message;
    init_texts(&reason, &message);
    bt_buf_put(&reason, verdict->code);
    bt_buf_put_text(&reason, ": ");
    bt_buf_put_printable(&reason, verdict->about, CONTENT_BYTES_SHOWN);
    bt_buf_put_text(&reason,
                    " belongs to the gate that judges this agent, and no grant exists for it. Do "
                    "not try it in another form; if it is needed, say so at the end of your turn.");
    bt_buf_put(&message, verdict->code);
    bt_buf_put_text(&message, ": an agent tried to use ");
    bt_buf_put_printable(&message, verdict->about, CONTENT_BYTES_SHOWN);
    bt_buf_put_text(&message,
                    ", which belongs to its own gate; it was stopped, and no grant exists "
                    "for it: only a person can do that");
    return finish_texts(hook, &reason, &message, out);
}

static enum bt_status deny_without_store(const struct hook *hook, const struct hook_event *event,
                                         const struct bt_gate_verdict *verdict, const char *why,
                                         struct hook_gate_reply *out)
{
    struct bt_buf reason;
    struct bt_buf message;
    init_texts(&reason, &message);
    put_match(&reason, verdict);
    bt_buf_printf(&reason,
                  "No grant could be looked up: %s. Do not try the command in another form; report "
                  "this at the end of your turn.",
                  why);
    put_match(&message, verdict);
    bt_buf_printf(&message, "No grant could be looked up: %s. It was stopped:\n", why);
    bt_buf_put_printable(&message, event->tool.content, CONTENT_BYTES_SHOWN);
    return finish_texts(hook, &reason, &message, out);
}

static enum bt_status deny_until_granted(const struct hook *hook, const struct hook_event *event,
                                         const struct bt_gate_verdict *verdict,
                                         const struct bt_approval *approval,
                                         struct hook_gate_reply *out)
{
    struct bt_buf reason;
    struct bt_buf message;
    init_texts(&reason, &message);
    put_reason(&reason, event, verdict, approval);
    const enum bt_status status = hook_put_request(&message, hook, approval);
    message.status = message.status == BT_OK ? status : message.status;
    return finish_texts(hook, &reason, &message, out);
}

/* ---- One call -------------------------------------------------------------------------------- */

/* Look up the grant, in the store of the project. */
static enum bt_status request_grant(const struct hook *hook, struct hook_event *event,
                                    const struct bt_gate_verdict *verdict,
                                    struct hook_gate_reply *out)
{
    struct bt_gate_grant grant;
    struct bt_error error = {0};
    struct hook_gate_reply late;
    if (event->is_test) {
        return deny_without_store(hook, event, verdict, "this is a test of the hook", out);
    }
    BT_TRY(deny_without_store(hook, event, verdict, "the time for it was over", &late));
    event->if_late = &late;
    const struct hook_store place = hook->calls.open(hook->calls.context, event, true);
    event->if_late = NULL;
    const struct bt_gate_request request = {
        .workspace = place.workspace,
        .session = event->session,
        .agent_id = event->host_id[0] != '\0' ? bt_str_of(event->host_id) : BT_STR("-"),
        .call_id = event->tool.call_id,
        .content = event->tool.content,
        .tier = verdict->tier->name,
        .pattern = verdict->pattern,
        .risk = verdict->tier->risk,
        .pending_seconds = hook->pending_seconds};
    if (!place.gate) {
        return deny_without_store(hook, event, verdict, place.why, out);
    }
    const enum bt_status status = bt_gate_grant_use(place.gate, &request, &grant, &error);
    if (status != BT_OK || bt_findings_count(place.gate->alarms) > 0) {
        return deny_without_store(hook, event, verdict,
                                  status == BT_EINVAL ? "the command is not Unicode text"
                                  : error.text[0]     ? error.text
                                                      : "its ledger cannot be trusted",
                                  out);
    }
    if (grant.is_granted) {
        *out = (struct hook_gate_reply){.denies = false};
        return BT_OK;
    }
    return deny_until_granted(hook, event, verdict, &grant.approval, out);
}

enum bt_status hook_gate_decide(const struct hook *hook, const struct hook_event *event,
                                struct bt_gate_verdict *out)
{
    struct bt_gate_place place;
    struct hook_event copy = *event;
    *out = (struct bt_gate_verdict){.decision = BT_GATE_PASS};
    if (!hook->gate || event->tool.call.kind == 0) {
        return BT_OK;
    }
    /* a text that takes long to read must not pass because the time is over */
    const bt_str why = BT_STR("the gate had no time to judge this call: make it shorter");
    const struct hook_gate_reply late = {.denies = true, .reason = why, .message = why};
    copy.if_late = &late;
    BT_TRY(hook->calls.find_place(hook->calls.context, &copy, &place));
    return bt_gate_decide(hook->arena, hook->gate, &place, &event->tool.call, out);
}

enum bt_status hook_gate_answer(const struct hook *hook, const struct hook_event *event,
                                const struct bt_gate_verdict *verdict, struct hook_gate_reply *out)
{
    struct hook_event copy = *event;
    *out = (struct hook_gate_reply){.denies = false};
    switch (verdict->decision) {
    case BT_GATE_DENIED:
        return deny_always(hook, verdict, out);
    case BT_GATE_NEEDS_APPROVAL:
        return request_grant(hook, &copy, verdict, out);
    case BT_GATE_PASS:
        break;
    }
    return BT_OK;
}
