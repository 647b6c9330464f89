/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approve.c - consent in a session. A legacy client is asked in between, and the call is held; a
 * modern one gets the question as a result and repeats the call with the answer and a seal.
 */
#include "wrap/approve.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decide/approval_text.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/get.h"
#include "wrap/consent.h"
#include "wrap/recorder.h"
#include "wrap/session_internal.h"

enum { STATE_BYTES_MAX = 64 << 20 };

static const bt_str QUESTION = BT_STR_INIT("baton-approval");

/* What is known while one call is decided. */
struct wrap_approving {
    struct bt_wrap_session *session;
    const struct bt_wrap_message *message;
    struct bt_wrap_request *request;
    const struct bt_wrap_consent *consent;
    struct bt_wrap_consent_call call;
    struct bt_call_grant grant;
    bool was_answered; /* the client carries an answer, or something like one */
    struct bt_error error;
};

/* ---- Refusals ------------------------------------------------------------------------------ */

static enum bt_status refuse_for(const struct wrap_approving *approving, enum bt_code code)
{
    struct bt_wrap_session *session = approving->session;
    const struct bt_approval *approval = &approving->grant.approval;
    const struct bt_location at = bt_location_whole();
    struct bt_findings *one = bt_findings_new(&session->message);
    enum bt_status status = one ? BT_OK : BT_ENOMEM;
    BT_TRY(status);
    if (code == BT_CODE_WRAP_APPROVAL_REQUIRED) {
        status = bt_add_wrap_approval_required(one, at, approval->id, approval->expires_at);
    } else if (code == BT_CODE_WRAP_APPROVAL_DENIED) {
        status = bt_add_wrap_approval_denied(one, at, approval->id);
    } else if (code == BT_CODE_JSON_NOT_CANONICAL) {
        status = bt_add_mcp_json_not_canonical(one, at);
    } else if (code == BT_CODE_WRAP_APPROVAL_LIMIT) {
        const bool is_large = approving->call.content.len > BT_WRAP_CONTENT_BYTES_MAX;
        status = bt_add_wrap_approval_limit(
            one, at,
            is_large ? BT_WRAP_APPROVAL_LIMIT_WHAT_BYTES : BT_WRAP_APPROVAL_LIMIT_WHAT_PENDING,
            is_large ? BT_WRAP_CONTENT_BYTES_MAX : approving->consent->pending_max);
    } else {
        status = bt_wrap_refuse_unrecorded(session, one, false);
    }
    BT_TRY(status);
    return bt_wrap_refuse_request(session, approving->request, one);
}

/* ---- Changed messages ---------------------------------------------------------------------- */

static enum bt_status put_value(struct bt_emit *emit, const struct bt_json_doc *document,
                                const bt_json_value *value, struct bt_arena *arena)
{
    bt_emit_value(emit);
    return bt_json_write(emit->buf, document, value, BT_JSON_FORM_COMPACT, arena, NULL);
}

/* Put the members of an object, without the one called `left_out`. */
static enum bt_status put_members(struct bt_emit *emit, const struct bt_json_doc *document,
                                  const bt_json_value *object, bt_str left_out,
                                  struct bt_arena *arena)
{
    const struct bt_json_member *members = bt_json_members(object);
    for (size_t i = 0; i < bt_json_count(object); i++) {
        if (!bt_str_eq(bt_json_name(&members[i]), left_out)) {
            bt_emit_name_str(emit, bt_json_name(&members[i]));
            BT_TRY(put_value(emit, document, &members[i].value, arena));
        }
    }
    return BT_OK;
}

/* Put params, or a result, with another state; without one the member is left out. */
static enum bt_status put_with_state(struct bt_emit *emit, const struct bt_wrap_message *message,
                                     const bt_json_value *object, const bt_str *state,
                                     struct bt_arena *arena)
{
    const struct bt_json_doc *document = message->document;
    const struct bt_json_member *members = bt_json_members(object);
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < bt_json_count(object); i++) {
        const bt_str name = bt_json_name(&members[i]);
        const bt_json_value *value = &members[i].value;
        const bool has_ours =
            bt_str_eq(name, BT_STR("inputResponses")) && bt_json_get(document, value, QUESTION);
        if (bt_str_eq(name, BT_STR("requestState")) || (has_ours && bt_json_count(value) == 1)) {
            continue;
        }
        bt_emit_name_str(emit, name);
        if (has_ours) {
            bt_emit_begin_object(emit);
            BT_TRY(put_members(emit, document, value, QUESTION, arena));
            bt_emit_end(emit);
        } else {
            BT_TRY(put_value(emit, document, value, arena));
        }
    }
    if (state) {
        bt_emit_member_string(emit, "requestState", *state);
    }
    bt_emit_end(emit);
    return BT_OK;
}

/* The message with the state of one of its objects changed, in the arena of the message. */
static enum bt_status change_state(struct bt_wrap_session *session,
                                   const struct bt_wrap_message *message,
                                   const bt_json_value *object, const bt_str *state, bt_str *out)
{
    const bt_json_value *root = bt_json_root(message->document);
    const struct bt_json_member *members = bt_json_members(root);
    struct bt_buf buf;
    struct bt_emit emit;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, session->to[BT_WRAP_SERVER].max);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; status == BT_OK && i < bt_json_count(root); i++) {
        bt_emit_name_str(&emit, bt_json_name(&members[i]));
        status = &members[i].value == object
                     ? put_with_state(&emit, message, object, state, &session->message)
                     : put_value(&emit, message->document, &members[i].value, &session->message);
    }
    bt_emit_end(&emit);
    return bt_buf_finish_if(status, &buf, &session->message, out);
}

/* `round`: see struct bt_wrap_seal; "": the approval was not used yet. */
static enum bt_status make_seal(const struct wrap_approving *approving, bt_str round,
                                const bt_str *state, bt_str *out)
{
    struct bt_wrap_session *session = approving->session;
    const struct bt_approval *approval = &approving->grant.approval;
    const struct bt_wrap_seal seal = {.is_used = round.len > 0,
                                      .server = session->settings->name,
                                      .approval = approval->id,
                                      .fingerprint = approval->fingerprint,
                                      .round = round,
                                      .state = state ? *state : BT_STR(""),
                                      .has_state = state != NULL,
                                      .seconds = (uint64_t)bt_env_now(session->env).seconds +
                                                 BT_WRAP_SEAL_SECONDS};
    struct bt_buf buf;
    bt_buf_init(&buf, STATE_BYTES_MAX);
    const enum bt_status status = bt_wrap_seal_put(approving->consent, &seal, &buf);
    return bt_buf_finish_if(status, &buf, &session->message, out);
}

/* ---- Questions ----------------------------------------------------------------------------- */

static bool can_prompt(const struct wrap_approving *approving)
{
    return approving->consent->prompts_client && approving->request->client_has_forms &&
           !approving->request->was_prompted && !approving->was_answered &&
           approving->call.content.len <= BT_APPROVAL_FORM_BYTES_MAX;
}

/* The question as a result, and the seal that the repeated call must carry. */
static enum bt_status make_question(const struct wrap_approving *approving,
                                    const struct bt_json_doc **out)
{
    struct bt_wrap_session *session = approving->session;
    struct bt_buf form;
    struct bt_emit form_emit;
    struct bt_emit emit;
    struct bt_buf text;
    struct bt_json_read_result read = {0};
    bt_str seal;
    bt_str whole;
    BT_TRY(make_seal(approving, BT_STR(""), NULL, &seal));
    bt_buf_init(&form, STATE_BYTES_MAX);
    bt_emit_init(&form_emit, &form, false);
    enum bt_status status = bt_approval_put_form(&form_emit, session->env, &session->message,
                                                 &approving->grant.approval);
    bt_buf_init(&text, STATE_BYTES_MAX);
    bt_emit_init(&emit, &text, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "resultType", BT_STR("input_required"));
    bt_emit_member_object(&emit, "inputRequests");
    bt_emit_name_str(&emit, QUESTION);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "method", BT_STR("elicitation/create"));
    bt_emit_member_raw(&emit, "params", bt_buf_str(&form));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_member_string(&emit, "requestState", seal);
    bt_emit_end(&emit);
    status = status == BT_OK ? form.status : status;
    bt_buf_free(&form);
    BT_TRY(bt_buf_finish_if(status, &text, &session->message, &whole));
    /* from: own question, whose digest is that of its canonical form */
    BT_TRY(bt_json_read(&session->message, whole, NULL, &read));
    *out = read.document;
    return read.document ? BT_OK : BT_ENOMEM;
}

/* Answer a modern call with the question. The call ends; its repetition is another call. */
static enum bt_status prompt_modern(struct wrap_approving *approving)
{
    struct bt_wrap_session *session = approving->session;
    struct bt_wrap_request *request = approving->request;
    struct bt_wrap_record *record = request->record;
    const struct bt_json_doc *question = NULL;
    struct bt_emit emit;
    BT_TRY(make_question(approving, &question));
    BT_TRY(bt_wrap_record_set_part(record, &record->delivered, question, bt_json_root(question)));
    BT_TRY(bt_add_wrap_approval_required(record->findings, bt_location_whole(),
                                         approving->grant.approval.id,
                                         approving->grant.approval.expires_at));
    session->facts.refused++;
    BT_TRY(bt_wrap_call_end(session, request, BT_WRAP_EVENT_REFUSED));
    struct bt_buf *out = bt_wrap_output(session, BT_WRAP_CLIENT);
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_name(&emit, "id");
    bt_emit_value(&emit);
    bt_wrap_id_put(out, &request->id);
    bt_emit_member_raw(&emit, "result", bt_json_source(question));
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
    bt_wrap_requests_remove(&session->open[BT_WRAP_CLIENT], request);
    return BT_OK;
}

/* Ask a legacy client in between; the call is held. */
static enum bt_status prompt_legacy(struct wrap_approving *approving, bt_str line)
{
    struct bt_wrap_session *session = approving->session;
    const struct bt_approval *approval = &approving->grant.approval;
    struct bt_wrap_held *held = NULL;
    struct bt_buf *out = bt_wrap_output(session, BT_WRAP_CLIENT);
    struct bt_emit emit;
    char id[32];
    const uint64_t number = ++session->pins.requests;
    BT_TRY(bt_wrap_gate_hold(session, approving->request, line, &held));
    held->question = number;
    session->held.questions++;
    (void)snprintf(held->approval, sizeof(held->approval), "%.*s", BT_STR_ARG(approval->id));
    (void)snprintf(held->fingerprint, sizeof(held->fingerprint), "%.*s",
                   BT_STR_ARG(approval->fingerprint));
    (void)snprintf(id, sizeof(id), "baton-%" PRIu64, number);
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_member_string(&emit, "id", bt_str_of(id));
    bt_emit_member_string(&emit, "method", BT_STR("elicitation/create"));
    bt_emit_name(&emit, "params");
    BT_TRY(bt_approval_put_form(&emit, session->env, &session->message, approval));
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
    return BT_OK;
}

static enum bt_status prompt_person(struct wrap_approving *approving, bt_str line)
{
    bool is_open = false;
    const enum bt_status status =
        bt_wrap_consent_show(approving->consent, &approving->session->message,
                             &approving->grant.approval, &is_open, &approving->error);
    if (status != BT_OK || !is_open) {
        return status == BT_ENOMEM ? status : refuse_for(approving, BT_CODE_WRAP_APPROVAL_REQUIRED);
    }
    return approving->request->is_modern ? prompt_modern(approving)
                                         : prompt_legacy(approving, line);
}

/* ---- Answers ------------------------------------------------------------------------------- */

/* Record what the person decided; without a decision nothing changes. */
static enum bt_status take_decision(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message,
                                    const bt_json_value *result, struct bt_wrap_decision *decision)
{
    const enum bt_approval_reply reply =
        bt_approval_read_reply(message->document, result, &decision->reason);
    struct bt_error error = {0};
    decision->is_approved = reply == BT_APPROVAL_REPLY_APPROVE;
    if ((reply != BT_APPROVAL_REPLY_APPROVE && reply != BT_APPROVAL_REPLY_DENY) ||
        !bt_wrap_store_is_usable(session)) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_wrap_consent_decide(session->settings->consent, &session->message, decision, &error);
    bt_wrap_note_store(session, session->settings->consent->ledger, &error);
    return status == BT_ENOMEM ? status : BT_OK; /* without a grant the call is refused */
}

enum bt_status bt_wrap_approve_take_reply(struct bt_wrap_session *session,
                                          const struct bt_wrap_message *message, bool *out_is_ours)
{
    const bt_str prefix = BT_STR("baton-");
    const bt_str id = {message->id.text, message->id.size};
    uint64_t number = 0;
    struct bt_wrap_held *held = NULL;
    *out_is_ours = false;
    if (message->id.is_text && bt_str_starts_with(id, prefix) &&
        bt_str_to_u64(bt_str_slice(id, prefix.len, id.len), &number) == BT_OK && number > 0) {
        held = bt_wrap_gate_find_question(session, number);
    }
    if (!held) {
        return BT_OK;
    }
    struct bt_wrap_decision decision = {.approval = bt_str_of(held->approval),
                                        .fingerprint = bt_str_of(held->fingerprint),
                                        .reason = BT_STR("")};
    struct bt_wrap_request *request =
        bt_wrap_requests_find(&session->open[BT_WRAP_CLIENT], &held->id);
    *out_is_ours = true;
    BT_TRY(take_decision(session, message, message->result, &decision));
    if (request) {
        request->was_prompted = true;
    }
    return bt_wrap_gate_release_question(session, number);
}

/* Record that the answer to a question of the server is passed on. *out_is_first: it was not. */
static enum bt_status take_round(struct wrap_approving *approving, const struct bt_wrap_seal *seal,
                                 bool *out_is_first)
{
    struct bt_wrap_session *session = approving->session;
    if (!bt_wrap_store_is_usable(session)) {
        return BT_OK;
    }
    const enum bt_status status = bt_wrap_consent_take_round(
        approving->consent, session->env, &session->message, seal, out_is_first, &approving->error);
    bt_wrap_note_store(session, approving->consent->ledger, &approving->error);
    return status == BT_ENOMEM ? status : BT_OK; /* otherwise the call needs a grant of its own */
}

/* Take what a modern client carries: a decision, or the approval that was used before. */
static enum bt_status take_seal(struct wrap_approving *approving, bt_str *line, bool *out_is_used)
{
    struct bt_wrap_session *session = approving->session;
    const struct bt_wrap_message *message = approving->message;
    const struct bt_json_doc *document = message->document;
    const bt_json_value *state = bt_json_get(document, message->params, BT_STR("requestState"));
    const bt_json_value *responses =
        bt_json_get(document, message->params, BT_STR("inputResponses"));
    const bt_json_value *answer = bt_json_get(document, responses, QUESTION);
    struct bt_wrap_seal seal;
    char fingerprint[BT_SHA256_HEX_BYTES];
    approving->was_answered = state || answer;
    if (!state || !bt_wrap_seal_read(approving->consent, &session->message, session->settings->name,
                                     bt_json_text(state), &seal)) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_consent_fingerprint(&session->message, &approving->call, fingerprint));
    if (!bt_str_eq(seal.fingerprint, bt_str_of(fingerprint))) {
        return BT_OK; /* another call */
    }
    struct bt_wrap_decision decision = {
        .approval = seal.approval, .fingerprint = seal.fingerprint, .reason = BT_STR("")};
    BT_TRY(seal.is_used ? take_round(approving, &seal, out_is_used)
                        : take_decision(session, message, answer, &decision));
    approving->grant.approval.id = seal.approval;
    approving->grant.approval.fingerprint = seal.fingerprint;
    return change_state(session, message, message->params, seal.has_state ? &seal.state : NULL,
                        line);
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* Name the approval that a call uses or waits for in its record. */
static enum bt_status note_approval(const struct wrap_approving *approving, uint64_t parent)
{
    struct bt_wrap_record *record = approving->request->record;
    const struct bt_approval *approval = &approving->grant.approval;
    record->refs.parent = parent;
    BT_TRY(bt_wrap_record_set(record, &record->refs.approval, approval->id));
    return bt_wrap_record_set(record, &record->refs.fingerprint, approval->fingerprint);
}

static enum bt_status use_consent(struct wrap_approving *approving, bt_str line, bool *out_is_done)
{
    *out_is_done = true;
    if (!bt_wrap_store_is_usable(approving->session)) {
        return refuse_for(approving, BT_CODE_WRAP_RECORD_FAILED);
    }
    const enum bt_status status =
        bt_wrap_consent_use(approving->consent, &approving->session->message, &approving->call,
                            &approving->grant, &approving->error);
    bt_wrap_note_store(approving->session, approving->consent->ledger, &approving->error);
    if (status != BT_OK) {
        return status == BT_ENOMEM ? status : refuse_for(approving, BT_CODE_WRAP_RECORD_FAILED);
    }
    switch (approving->grant.consent) {
    case BT_CALL_CONSENT_GRANTED:
        *out_is_done = false;
        approving->request->is_approved = true;
        return note_approval(approving, approving->grant.seq);
    case BT_CALL_CONSENT_PENDING:
        BT_TRY(note_approval(approving, UINT64_MAX));
        return can_prompt(approving) ? prompt_person(approving, line)
                                     : refuse_for(approving, BT_CODE_WRAP_APPROVAL_REQUIRED);
    case BT_CALL_CONSENT_DENIED:
        BT_TRY(note_approval(approving, UINT64_MAX));
        return refuse_for(approving, BT_CODE_WRAP_APPROVAL_DENIED);
    case BT_CALL_CONSENT_TOO_MANY:
    case BT_CALL_CONSENT_NONE:
        break;
    }
    return refuse_for(approving, BT_CODE_WRAP_APPROVAL_LIMIT);
}

enum bt_status bt_wrap_approve_call(struct bt_wrap_session *session,
                                    const struct bt_wrap_message *message,
                                    struct bt_wrap_request *request, bt_str *line,
                                    bool *out_is_done)
{
    const struct bt_wrap_record *record = request->record;
    struct wrap_approving approving = {.session = session,
                                       .message = message,
                                       .request = request,
                                       .consent = session->settings->consent};
    bool is_exact = false;
    bool is_used = false;
    *out_is_done = false;
    if (!record || !record->policy.needs_approval || !approving.consent) {
        return BT_OK;
    }
    approving.call = (struct bt_wrap_consent_call){.server = session->settings->name,
                                                   .tool = record->subject.name,
                                                   .session = bt_str_of(session->facts.session),
                                                   .class_name = record->subject.class_name,
                                                   .tool_sha256 = record->refs.manifest};
    BT_TRY(bt_wrap_call_content(&session->message, session->settings->name, message,
                                &approving.call.content, &is_exact));
    if (!is_exact || approving.call.content.len > BT_WRAP_CONTENT_BYTES_MAX) {
        *out_is_done = true;
        return refuse_for(&approving,
                          is_exact ? BT_CODE_WRAP_APPROVAL_LIMIT : BT_CODE_JSON_NOT_CANONICAL);
    }
    if (request->is_modern) {
        BT_TRY(take_seal(&approving, line, &is_used));
    }
    if (is_used) {
        request->is_approved = true;
        return note_approval(&approving, UINT64_MAX);
    }
    return use_consent(&approving, *line, out_is_done);
}

enum bt_status bt_wrap_approve_answer(struct bt_wrap_session *session,
                                      const struct bt_wrap_message *message,
                                      const struct bt_wrap_request *request, bt_str *line)
{
    const bt_str type = bt_json_get_text(message->document, message->result, BT_STR("resultType"));
    const bt_json_value *state =
        bt_json_get(message->document, message->result, BT_STR("requestState"));
    const bool has_state = state && bt_json_type(state) == BT_JSON_STRING;
    const struct bt_wrap_record *record = request->record;
    const bt_str text = has_state ? bt_json_text(state) : BT_STR("");
    bt_str round;
    bt_str seal;
    if (!request->is_approved || !request->is_modern || !record ||
        !bt_str_eq(type, BT_STR("input_required"))) {
        return BT_OK;
    }
    struct wrap_approving approving = {.session = session, .consent = session->settings->consent};
    approving.grant.approval.id = record->refs.approval;
    approving.grant.approval.fingerprint = record->refs.fingerprint;
    BT_TRY(bt_arena_printf(&session->message, &round, "%s/%" PRIu64, session->facts.session,
                           request->call));
    BT_TRY(make_seal(&approving, round, has_state ? &text : NULL, &seal));
    return change_state(session, message, message->result, &seal, line);
}
