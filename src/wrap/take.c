/* SPDX-License-Identifier: Apache-2.0 */
/* take.c - what is passed on, what is refused, and what gets which answer. */
#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "wrap/approve.h"
#include "wrap/call.h"
#include "wrap/repeat.h"
#include "wrap/session_internal.h"

enum { NOISE_BYTES_MAX = 200, IDS_MAX = 8 };

/* The words of both rules are numbered like the reasons. */
static_assert((int)BT_WRAP_MESSAGE_REFUSED_REASON_UNMATCHED == (int)BT_WRAP_REASON_UNMATCHED &&
                  (int)BT_WRAP_MESSAGE_DROPPED_REASON_NOISE == (int)BT_WRAP_REASON_NOISE,
              "reasons are numbered alike");

/* ---- From the client ------------------------------------------------------------------------- */

static enum bt_wrap_error error_of(enum bt_wrap_reason reason)
{
    return reason <= BT_WRAP_REASON_LIMIT ? BT_WRAP_ERROR_PARSE : BT_WRAP_ERROR_REQUEST;
}

/* `id`: of the answer; NULL: without one. */
static enum bt_status refuse_message(struct bt_wrap_session *session, enum bt_wrap_reason reason,
                                     const struct bt_wrap_id *id)
{
    const bt_str text = bt_wrap_reason_text(reason);
    bt_str message;
    BT_TRY(bt_arena_printf(&session->message, &message, "the message was not passed on: %.*s",
                           BT_STR_ARG(text)));
    const struct bt_wrap_answer answer = {.id = id,
                                          .error = error_of(reason),
                                          .code = BT_CODE_WRAP_MESSAGE_REFUSED,
                                          .message = message};
    if (reason != BT_WRAP_REASON_UNMATCHED) {
        bt_wrap_put_error(session, BT_WRAP_CLIENT, &answer);
    }
    return bt_add_wrap_message_refused(session->findings, bt_location_whole(), BT_STR("client"),
                                       (enum bt_wrap_message_refused_reason)reason, text);
}

static enum bt_status refuse_busy(struct bt_wrap_session *session, enum bt_wrap_side from,
                                  const struct bt_wrap_id *id)
{
    const struct bt_wrap_answer answer = {.id = id,
                                          .error = BT_WRAP_ERROR_REFUSED,
                                          .code = BT_CODE_WRAP_BUSY,
                                          .message = BT_STR("too many requests are open")};
    bt_wrap_put_error(session, from, &answer);
    return bt_add_wrap_busy(session->findings, bt_location_whole(),
                            session->settings->policy.limits.in_flight);
}

static bool is_full(const struct bt_wrap_session *session, enum bt_wrap_side side)
{
    const struct bt_wrap_requests *open = &session->open[side];
    const uint64_t max = session->settings->policy.limits.in_flight;
    return open->count - open->unawaited >= max || open->count >= 2 * max;
}

/* Refuse a request because the session is blocked. */
static enum bt_status refuse_blocked(struct bt_wrap_session *session,
                                     struct bt_wrap_request *request)
{
    struct bt_findings *findings = bt_findings_new(&session->message);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_add_wrap_blocked(findings, bt_location_whole(), session->settings->name));
    session->facts.refused += request->method == BT_WRAP_METHOD_CALL;
    return bt_wrap_refuse_by_error(session, BT_WRAP_CLIENT, request, findings);
}

static enum bt_status take_request(struct bt_wrap_session *session,
                                   const struct bt_wrap_message *message, bt_str line)
{
    struct bt_wrap_requests *open = &session->open[BT_WRAP_CLIENT];
    struct bt_wrap_request *request = NULL;
    if (bt_wrap_id_is_reserved(&message->id)) {
        return refuse_message(session, BT_WRAP_REASON_ID_RESERVED, &message->id);
    }
    if (bt_wrap_requests_find(open, &message->id)) {
        return refuse_message(session, BT_WRAP_REASON_ID_IN_USE, NULL);
    }
    if (is_full(session, BT_WRAP_CLIENT)) {
        return refuse_busy(session, BT_WRAP_CLIENT, &message->id);
    }
    BT_TRY(bt_wrap_requests_add(open, &message->id, &request));
    bt_wrap_note_request(session, message, request);
    request->begun_us = bt_wrap_measured_us(session);
    BT_TRY(bt_wrap_note_task(session, message, request));
    BT_TRY(bt_wrap_call_begin(session, message, request));
    open->unawaited += request->method == BT_WRAP_METHOD_LISTEN;
    if (session->is_blocked) {
        return refuse_blocked(session, request);
    }
    if (session->server_has_ended) {
        return bt_wrap_session_close(session);
    }
    return bt_wrap_gate_request(session, message, request, line);
}

/*
 * A cancelled request may still be answered, but nobody waits for that. They are kept until there
 * are as many as may be open; then later ones are forgotten at once. *out_is_known is false when
 * the request was held, so that the server does not know it.
 */
static enum bt_status cancel_request(struct bt_wrap_session *session,
                                     const struct bt_wrap_message *message, bool *out_is_known)
{
    struct bt_wrap_requests *open = &session->open[BT_WRAP_CLIENT];
    const bt_json_value *value =
        bt_json_get(message->document, message->params, BT_STR("requestId"));
    struct bt_wrap_id id;
    struct bt_wrap_request *request = value && bt_wrap_id_read(message->document, value, &id)
                                          ? bt_wrap_requests_find(open, &id)
                                          : NULL;
    *out_is_known = true;
    if (!request || request->is_cancelled) {
        return BT_OK;
    }
    const bool was_held = request->is_held;
    const bool was_awaited = request->method != BT_WRAP_METHOD_LISTEN;
    request->is_cancelled = true;
    if (request->record) {
        request->record->key.is_lost = true;
    }
    open->unawaited += was_awaited;
    if (was_held) {
        bt_wrap_gate_cancel(session, request);
    }
    *out_is_known = !was_held;
    return was_held || open->unawaited > session->settings->policy.limits.in_flight
               ? bt_wrap_lose_request(session, request)
               : BT_OK;
}

enum bt_status bt_wrap_take_from_client(struct bt_wrap_session *session,
                                        const struct bt_wrap_message *message, bt_str line)
{
    struct bt_wrap_requests *server_requests = &session->open[BT_WRAP_SERVER];
    struct bt_wrap_request *request = NULL;
    bool is_known = true;
    bool is_ours = false;
    switch (message->kind) {
    case BT_WRAP_MESSAGE_NONE:
        return refuse_message(session, message->reason, NULL);
    case BT_WRAP_MESSAGE_REQUEST:
        return take_request(session, message, line);
    case BT_WRAP_MESSAGE_NOTIFICATION:
        if (bt_str_eq(message->method, BT_STR("notifications/cancelled"))) {
            BT_TRY(cancel_request(session, message, &is_known));
        }
        if (!is_known) {
            return BT_OK;
        }
        if (bt_str_eq(message->method, BT_STR("notifications/initialized"))) {
            session->pins.is_initialized = true;
        }
        break;
    case BT_WRAP_MESSAGE_RESPONSE:
        request = bt_wrap_requests_find(server_requests, &message->id);
        BT_TRY(request ? BT_OK : bt_wrap_approve_take_reply(session, message, &is_ours));
        if (is_ours) {
            return BT_OK;
        }
        if (!request) {
            return refuse_message(session, BT_WRAP_REASON_UNMATCHED, NULL);
        }
        BT_TRY(bt_wrap_call_take_answer(message, request));
        BT_TRY(bt_wrap_call_end_other(session, message, request));
        bt_wrap_requests_remove(server_requests, request);
        break;
    }
    if (!session->is_blocked) {
        bt_wrap_pass(session, BT_WRAP_SERVER, line);
    }
    return BT_OK;
}

/* ---- From the server ------------------------------------------------------------------------- */

static bool is_noise(const struct bt_wrap_message *message, bt_str line)
{
    size_t at = 0;
    while (at < line.len && bt_ascii_is_space(line.ptr[at])) {
        at++;
    }
    const bool is_container = at < line.len && (line.ptr[at] == '{' || line.ptr[at] == '[');
    return message->kind == BT_WRAP_MESSAGE_NONE && !is_container;
}

static void log_noise(struct bt_wrap_session *session, bt_str line)
{
    bt_buf_put_printable(&session->log, line, NOISE_BYTES_MAX);
    bt_buf_put_char(&session->log, '\n');
}

/* The open request that an unusable answer names, if it names one and no other; else NULL. */
static struct bt_wrap_request *find_named(struct bt_wrap_session *session, bt_str line)
{
    struct bt_wrap_id *ids = BT_NEW_ARRAY(&session->message, struct bt_wrap_id, IDS_MAX);
    struct bt_wrap_request *named = NULL;
    const size_t count =
        ids ? bt_wrap_ids_scan(&session->message, session->env, line, ids, IDS_MAX) : 0;
    for (size_t i = 0; i < count; i++) {
        struct bt_wrap_request *request =
            bt_wrap_requests_find(&session->open[BT_WRAP_CLIENT], &ids[i]);
        if (!request || request->is_held || (named && named != request)) {
            return NULL;
        }
        named = request;
    }
    return named;
}

static enum bt_status drop_line(struct bt_wrap_session *session, enum bt_wrap_reason reason)
{
    session->facts.dropped++;
    return bt_add_wrap_message_dropped(
        session->findings, reason == BT_WRAP_REASON_NOISE ? BT_SEVERITY_INFO : BT_SEVERITY_WARN,
        bt_location_whole(), BT_STR("server"), (enum bt_wrap_message_dropped_reason)reason,
        bt_wrap_reason_text(reason));
}

static enum bt_status drop_unusable(struct bt_wrap_session *session, enum bt_wrap_reason reason,
                                    bt_str line)
{
    struct bt_wrap_request *named = find_named(session, line);
    if (named) {
        const struct bt_wrap_answer answer = {
            .id = &named->id,
            .error = BT_WRAP_ERROR_ANSWER,
            .code = BT_CODE_WRAP_MESSAGE_DROPPED,
            .message = BT_STR("the server's answer could not be passed on")};
        session->facts.failed += named->method == BT_WRAP_METHOD_CALL;
        BT_TRY(bt_wrap_call_end(session, named, BT_WRAP_EVENT_FAILED));
        bt_wrap_put_error(session, BT_WRAP_CLIENT, &answer);
        BT_TRY(bt_wrap_call_answered(session));
        bt_wrap_requests_remove(&session->open[BT_WRAP_CLIENT], named);
    }
    return drop_line(session, reason);
}

/* A server that does not read is not sent more answers than a direction may hold. */
static enum bt_status refuse_server(struct bt_wrap_session *session, enum bt_wrap_reason reason,
                                    const struct bt_wrap_id *id)
{
    const struct bt_wrap_answer answer = {.id = id,
                                          .error = BT_WRAP_ERROR_REQUEST,
                                          .code = BT_CODE_WRAP_MESSAGE_DROPPED,
                                          .message = bt_wrap_reason_text(reason)};
    if (session->to[BT_WRAP_SERVER].len <= session->settings->policy.limits.buffer_bytes) {
        bt_wrap_put_error(session, BT_WRAP_SERVER, &answer);
    }
    return drop_line(session, reason);
}

/* Whether a request of the server may pass: the policy may forbid it, or want its record. */
static enum bt_status check_server_request(struct bt_wrap_session *session,
                                           const struct bt_wrap_message *message,
                                           const struct bt_wrap_request *request,
                                           struct bt_findings *findings, bool *out_passes)
{
    *out_passes = true;
    if (bt_wrap_refuses_server_request(session, message->method)) {
        BT_TRY(bt_add_wrap_denied(findings, bt_wrap_refusal_severity(session), bt_location_whole(),
                                  message->method));
        *out_passes = session->settings->policy.is_observing;
    }
    if (*out_passes && bt_wrap_call_needs_store(session, request)) {
        *out_passes = false;
        BT_TRY(bt_wrap_refuse_unrecorded(session, findings, false));
    }
    return bt_wrap_add_all(session, findings);
}

static enum bt_status take_server_request(struct bt_wrap_session *session,
                                          const struct bt_wrap_message *message, bt_str line)
{
    struct bt_wrap_requests *server_requests = &session->open[BT_WRAP_SERVER];
    struct bt_findings *findings = bt_findings_new(&session->message);
    struct bt_wrap_request *request = NULL;
    bool passes = false;
    if (bt_wrap_id_is_reserved(&message->id)) {
        return refuse_server(session, BT_WRAP_REASON_ID_RESERVED, &message->id);
    }
    if (bt_wrap_requests_find(server_requests, &message->id)) {
        return refuse_server(session, BT_WRAP_REASON_ID_IN_USE, NULL);
    }
    if (is_full(session, BT_WRAP_SERVER)) {
        return refuse_busy(session, BT_WRAP_SERVER, &message->id);
    }
    BT_TRY(bt_wrap_requests_add(server_requests, &message->id, &request));
    BT_TRY(bt_wrap_call_begin(session, message, request));
    BT_TRY(findings ? check_server_request(session, message, request, findings, &passes)
                    : BT_ENOMEM);
    if (!passes) {
        return bt_wrap_refuse_by_error(session, BT_WRAP_SERVER, request, findings);
    }
    bt_wrap_pass(session, BT_WRAP_CLIENT, line);
    return BT_OK;
}

/* Pass the answer to a request of the client on, and end its record. */
static enum bt_status pass_response(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message,
                                    struct bt_wrap_request *answered, bt_str line)
{
    const size_t before = bt_findings_count(session->findings);
    BT_TRY(bt_wrap_call_take_answer(message, answered));
    BT_TRY(bt_wrap_repeat_take_answer(message, answered));
    if (answered->is_list) {
        BT_TRY(bt_wrap_pins_pass_list(session, message, answered, line));
        return bt_wrap_call_end_list(session, answered, before);
    }
    switch (answered->method) {
    case BT_WRAP_METHOD_INITIALIZE:
    case BT_WRAP_METHOD_DISCOVER:
        BT_TRY(bt_wrap_pins_pass_identity(session, message, answered, line));
        return bt_wrap_call_end_list(session, answered, before);
    case BT_WRAP_METHOD_CALL:
    case BT_WRAP_METHOD_TASK_GET:
    case BT_WRAP_METHOD_TASK_RESULT:
        return bt_wrap_take_result(session, message, answered, line);
    case BT_WRAP_METHOD_OTHER:
    case BT_WRAP_METHOD_LISTEN:
        break;
    }
    BT_TRY(bt_wrap_call_end_other(session, message, answered));
    bt_wrap_pass(session, BT_WRAP_CLIENT, line);
    return bt_wrap_call_answered(session);
}

static enum bt_status take_response(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message, bt_str line)
{
    struct bt_wrap_requests *open = &session->open[BT_WRAP_CLIENT];
    struct bt_wrap_request *request = bt_wrap_requests_find(open, &message->id);
    bool is_ours = false;
    BT_TRY(bt_wrap_gate_take_answer(session, message, &is_ours));
    if (is_ours) {
        return BT_OK;
    }
    if (!request || request->is_held) {
        return drop_line(session, BT_WRAP_REASON_UNMATCHED);
    }
    const uint64_t come_us = bt_wrap_measured_us(session);
    struct bt_wrap_request answered = *request;
    bt_wrap_note_answer(session, message, request);
    request->tool = NULL; /* it is needed a little longer */
    bt_wrap_requests_remove(open, request);
    const enum bt_status status = pass_response(session, message, &answered, line);
    bt_buf_destroy(answered.tool);
    if (answered.sent_us > 0) {
        const struct bt_wrap_meter *meter = session->settings->meter;
        meter->note_call(meter->context, come_us - answered.sent_us,
                         meter->now_us() - answered.begun_us);
    }
    return status;
}

enum bt_status bt_wrap_take_from_server(struct bt_wrap_session *session,
                                        const struct bt_wrap_message *message, bt_str line)
{
    if (session->is_blocked) {
        return BT_OK;
    }
    if (is_noise(message, line)) {
        log_noise(session, line);
        return drop_line(session, BT_WRAP_REASON_NOISE);
    }
    switch (message->kind) {
    case BT_WRAP_MESSAGE_NONE:
        return drop_unusable(session, message->reason, line);
    case BT_WRAP_MESSAGE_REQUEST:
        return take_server_request(session, message, line);
    case BT_WRAP_MESSAGE_NOTIFICATION:
        bt_wrap_gate_note_change(session, message->method);
        return bt_wrap_take_notice(session, message, line);
    case BT_WRAP_MESSAGE_RESPONSE:
        return take_response(session, message, line);
    }
    return BT_OK;
}
