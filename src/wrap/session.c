/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - begin and end a session, answer in its name, and log what is found. */
#include <assert.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "json/emit.h"
#include "json/options.h"
#include "report/findings.h"
#include "wrap/session_internal.h"

enum {
    FINDINGS_OF_CODE_MAX = 100,
    LOG_BYTES_MAX = 1 << 20,
    ANSWERS_BYTES = 1 << 20, /* room for our own answers beside what is passed on */
};

struct bt_wrap_settings bt_wrap_settings_default(bt_str name)
{
    return (struct bt_wrap_settings){.name = name, .policy = bt_wrap_policy_default()};
}

enum bt_status bt_wrap_session_init(struct bt_wrap_session *session,
                                    const struct bt_wrap_settings *settings, struct bt_env *env)
{
    const struct bt_wrap_limits *limits = &settings->policy.limits;
    *session = (struct bt_wrap_session){.settings = settings, .env = env, .entry = settings->entry};
    bt_arena_init(&session->arena, SIZE_MAX);
    bt_arena_init(&session->message, SIZE_MAX);
    bt_buf_init(&session->log, LOG_BYTES_MAX);
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        bt_buf_init(&session->to[i],
                    2 * (limits->buffer_bytes + limits->message_bytes) + ANSWERS_BYTES);
        bt_wrap_requests_init(&session->open[i], &session->arena);
    }
    BT_TRY(bt_env_uuid(env, session->facts.session));
    session->findings = bt_findings_new(&session->arena);
    BT_TRY(session->findings ? BT_OK : BT_ENOMEM);
    bt_findings_limit_codes(session->findings, FINDINGS_OF_CODE_MAX);
    bt_wrap_pins_init(session);
    bt_wrap_gate_init(session);
    bt_wrap_calls_init(session);
    bt_wrap_tools_init(session);
    bt_wrap_first_use_init(session);
    BT_TRY(bt_wrap_counters_init(session));
    BT_TRY(bt_wrap_log_findings(session, 0, bt_wrap_pins_begin(session)));
    return bt_wrap_block_if_needed(session);
}

void bt_wrap_session_free(struct bt_wrap_session *session)
{
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        bt_buf_free(&session->to[i]);
    }
    bt_wrap_calls_free(session);
    bt_wrap_tasks_free(&session->tasks);
    bt_wrap_tools_free(session);
    bt_buf_free(&session->log);
    bt_wrap_counters_free(session);
    bt_wrap_gate_free(session);
    bt_wrap_pins_free(session);
    bt_arena_free(&session->message);
    bt_arena_free(&session->arena);
}

enum bt_status bt_wrap_session_status(const struct bt_wrap_session *session)
{
    const enum bt_status client = bt_buf_status(&session->to[BT_WRAP_CLIENT]);
    return client != BT_OK ? client : bt_buf_status(&session->to[BT_WRAP_SERVER]);
}

/* ---- Output ---------------------------------------------------------------------------------- */

struct bt_buf *bt_wrap_output(struct bt_wrap_session *session, enum bt_wrap_side to)
{
    return to == BT_WRAP_CLIENT ? bt_wrap_client_output(session) : &session->to[to];
}

void bt_wrap_pass(struct bt_wrap_session *session, enum bt_wrap_side to, bt_str line)
{
    struct bt_buf *out = bt_wrap_output(session, to);
    bt_buf_put(out, line);
    bt_buf_put_char(out, '\n');
}

void bt_wrap_write_error(struct bt_buf *out, const struct bt_wrap_answer *answer)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    if (answer->id) {
        bt_emit_name(&emit, "id");
        bt_emit_value(&emit);
        bt_wrap_id_put(out, answer->id);
    }
    bt_emit_member_object(&emit, "error");
    bt_emit_name(&emit, "code");
    bt_emit_i64(&emit, answer->error);
    bt_emit_member_string(&emit, "message", answer->message);
    bt_emit_member_object(&emit, "data");
    bt_emit_member_object(&emit, "baton");
    bt_emit_member_string(&emit, "code", bt_code_name(answer->code));
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(out, '\n');
}

void bt_wrap_put_error(struct bt_wrap_session *session, enum bt_wrap_side to,
                       const struct bt_wrap_answer *answer)
{
    bt_wrap_write_error(bt_wrap_output(session, to), answer);
}

static bool is_logged(const struct bt_wrap_session *session, const struct bt_finding *finding)
{
    const struct bt_wrap_settings *settings = session->settings;
    return !settings->is_quiet && (settings->logs_info || finding->severity >= BT_SEVERITY_WARN);
}

enum bt_status bt_wrap_log_findings(struct bt_wrap_session *session, size_t before,
                                    enum bt_status status)
{
    for (size_t i = before; status == BT_OK && i < bt_findings_count(session->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(session->findings, i);
        if (is_logged(session, finding)) {
            bt_buf_printf(&session->log, "baton: %.*s: %.*s: ", BT_STR_ARG(session->settings->name),
                          BT_STR_ARG(finding->rule->code));
            bt_buf_put_printable(&session->log, finding->message, SIZE_MAX);
            bt_buf_put_char(&session->log, '\n');
        }
    }
    return status;
}

struct bt_json_options bt_wrap_json_options(const struct bt_wrap_session *session)
{
    struct bt_json_options options = bt_json_options_from_env(session->env);
    options.document_bytes_max = session->settings->policy.limits.message_bytes;
    options.string_bytes_max = options.document_bytes_max;
    return options;
}

enum bt_status bt_wrap_replace_value(struct bt_wrap_session *session,
                                     const struct bt_wrap_message *message, bt_str line,
                                     const bt_json_value *value, bt_str json,
                                     const struct bt_json_doc **out)
{
    const struct bt_json_span span = bt_json_span(message->document, value);
    struct bt_json_options options = bt_wrap_json_options(session);
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    bt_str changed;
    BT_TRY(bt_arena_printf(&session->message, &changed, "%.*s%.*s%.*s",
                           BT_STR_ARG(bt_str_slice(line, 0, span.begin)), BT_STR_ARG(json),
                           BT_STR_ARG(bt_str_slice(line, span.end, line.len))));
    options.document_bytes_max = changed.len; /* escapes can make it longer than it was */
    /* from: the server, with a part of our own */
    BT_TRY(bt_json_read(&session->message, changed, &options, &read));
    assert(read.document);
    *out = read.document;
    return BT_OK;
}

enum bt_status bt_wrap_pass_document(struct bt_wrap_session *session,
                                     const struct bt_json_doc *document)
{
    struct bt_buf *out = bt_wrap_output(session, BT_WRAP_CLIENT);
    BT_TRY(bt_json_write(out, document, bt_json_root(document), BT_JSON_FORM_COMPACT,
                         &session->message, NULL));
    bt_buf_put_char(out, '\n');
    return BT_OK;
}

/* ---- Blocking -------------------------------------------------------------------------------- */

void bt_wrap_answer_blocked(struct bt_wrap_session *session, const struct bt_wrap_id *id)
{
    const struct bt_wrap_answer answer = {.id = id,
                                          .error = BT_WRAP_ERROR_REFUSED,
                                          .code = BT_CODE_WRAP_BLOCKED,
                                          .message = BT_WRAP_BLOCKED_TEXT};
    bt_wrap_put_error(session, BT_WRAP_CLIENT, &answer);
}

enum bt_status bt_wrap_block_if_needed(struct bt_wrap_session *session)
{
    struct bt_wrap_requests *open = &session->open[BT_WRAP_CLIENT];
    struct bt_findings *findings = bt_findings_new(&session->message);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    if (!session->pins.must_block || session->is_blocked) {
        return BT_OK;
    }
    session->is_blocked = true;
    BT_TRY(bt_add_wrap_blocked(findings, bt_location_whole(), session->settings->name));
    for (struct bt_wrap_request *request = bt_wrap_requests_first(open); request;
         request = bt_wrap_requests_first(open)) {
        if (request->is_held) {
            bt_wrap_gate_cancel(session, request);
        }
        if (!request->is_cancelled) {
            session->facts.refused += request->method == BT_WRAP_METHOD_CALL;
            BT_TRY(bt_wrap_refuse_by_error(session, BT_WRAP_CLIENT, request, findings));
        } else {
            BT_TRY(bt_wrap_lose_request(session, request));
        }
    }
    return bt_findings_add(session->findings, bt_findings_at(findings, 0));
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool is_blank(bt_str line)
{
    return bt_ascii_all(line, bt_ascii_is_blank);
}

static enum bt_status take_message(struct bt_wrap_session *session, enum bt_wrap_side from,
                                   const struct bt_wrap_message *message, bt_str line)
{
    const size_t before = bt_findings_count(session->findings);
    session->facts.messages[from] += message->kind != BT_WRAP_MESSAGE_NONE;
    enum bt_status status = from == BT_WRAP_CLIENT
                                ? bt_wrap_take_from_client(session, message, line)
                                : bt_wrap_take_from_server(session, message, line);
    status = status == BT_OK ? bt_wrap_block_if_needed(session) : status;
    BT_TRY(bt_wrap_log_findings(session, before, status));
    return bt_wrap_session_status(session);
}

/* A request to the HTTP server failed; its answer is a line of its own. */
static enum bt_status take_note(struct bt_wrap_session *session, bt_str note)
{
    const size_t before = bt_findings_count(session->findings);
    uint64_t status = 0;
    const bool is_status = bt_str_to_u64(note, &status) == BT_OK;
    return bt_wrap_log_findings(session, before,
                                bt_add_wrap_upstream(session->findings, bt_location_whole(),
                                                     is_status ? &status : NULL,
                                                     is_status ? BT_STR_ABSENT : note));
}

/* Nobody waits for the answer to a request any more: it is lost, but not cancelled. */
static void take_client_note(struct bt_wrap_session *session, bt_str note)
{
    struct bt_wrap_id id = {.is_text = false};
    uint64_t number = 0;
    if (bt_str_to_u64(note, &number) != BT_OK || number > INT64_MAX) {
        return;
    }
    id.number = (int64_t)number;
    const struct bt_wrap_request *request =
        bt_wrap_requests_find(&session->open[BT_WRAP_CLIENT], &id);
    if (request && request->record) {
        request->record->key.is_lost = true;
    }
}

enum bt_status bt_wrap_session_take(struct bt_wrap_session *session, enum bt_wrap_side from,
                                    bt_str line)
{
    struct bt_wrap_message message;
    if (bt_str_ends_with(line, BT_STR("\r"))) {
        line.len--;
    }
    if (is_blank(line)) {
        return BT_OK;
    }
    bt_arena_reset(&session->message);
    if (from == BT_WRAP_SERVER && session->settings->is_upstream && line.ptr[0] == BT_WRAP_NOTE) {
        return take_note(session, bt_str_slice(line, 1, line.len));
    }
    if (from == BT_WRAP_CLIENT && session->settings->is_served && line.ptr[0] == BT_WRAP_NOTE) {
        take_client_note(session, bt_str_slice(line, 1, line.len));
        return BT_OK;
    }
    BT_TRY(bt_wrap_message_read(&session->message, session->env, line,
                                session->settings->policy.limits.message_bytes, &message));
    return take_message(session, from, &message, line);
}

enum bt_status bt_wrap_session_take_too_long(struct bt_wrap_session *session,
                                             enum bt_wrap_side from, bt_str head)
{
    const struct bt_wrap_message message = {.reason = BT_WRAP_REASON_SIZE, .method = BT_STR("")};
    bt_arena_reset(&session->message);
    return take_message(session, from, &message, head);
}

/* ---- The end --------------------------------------------------------------------------------- */

size_t bt_wrap_session_awaited(const struct bt_wrap_session *session)
{
    const struct bt_wrap_requests *open = &session->open[BT_WRAP_CLIENT];
    return open->count - open->unawaited;
}

bool bt_wrap_session_needs_server(const struct bt_wrap_session *session)
{
    const struct bt_wrap_pins *pins = &session->pins;
    const bool waits =
        pins->first_use.phase == BT_WRAP_FIRST_USE_OTHERS ||
        (pins->first_use.phase == BT_WRAP_FIRST_USE_TOOLS && bt_wrap_session_awaited(session) > 0);
    return !session->is_blocked && (session->held.count > 0 || waits);
}

enum bt_status bt_wrap_lose_request(struct bt_wrap_session *session,
                                    struct bt_wrap_request *request)
{
    struct bt_wrap_facts *facts = &session->facts;
    if (request->method == BT_WRAP_METHOD_CALL) {
        facts->cancelled += request->is_cancelled;
        facts->lost += !request->is_cancelled;
    }
    const enum bt_status status = bt_wrap_call_end(
        session, request, request->is_cancelled ? BT_WRAP_EVENT_CANCELLED : BT_WRAP_EVENT_LOST);
    bt_wrap_requests_remove(&session->open[BT_WRAP_CLIENT], request);
    return status;
}

enum bt_status bt_wrap_session_close(struct bt_wrap_session *session)
{
    struct bt_wrap_requests *open = &session->open[BT_WRAP_CLIENT];
    for (struct bt_wrap_request *request = bt_wrap_requests_first(open); request;
         request = bt_wrap_requests_first(open)) {
        const struct bt_wrap_answer answer = {.id = &request->id,
                                              .error = BT_WRAP_ERROR_SERVER,
                                              .code = BT_CODE_WRAP_SERVER_ENDED,
                                              .message = BT_STR("the server has ended")};
        if (!request->is_cancelled) {
            bt_wrap_put_error(session, BT_WRAP_CLIENT, &answer);
        }
        BT_TRY(bt_wrap_lose_request(session, request));
    }
    struct bt_wrap_requests *questions = &session->open[BT_WRAP_SERVER];
    for (struct bt_wrap_request *request = bt_wrap_requests_first(questions); request;
         request = bt_wrap_requests_first(questions)) {
        BT_TRY(bt_wrap_call_end(session, request, BT_WRAP_EVENT_LOST));
        bt_wrap_requests_remove(questions, request);
    }
    return bt_wrap_session_status(session);
}

enum bt_status bt_wrap_session_server_ended(struct bt_wrap_session *session,
                                            struct bt_wrap_server_end end)
{
    const size_t before = bt_findings_count(session->findings);
    const uint64_t number = (uint64_t)end.number;
    BT_TRY(bt_wrap_log_findings(session, before,
                                bt_add_wrap_server_ended(session->findings, bt_location_whole(),
                                                         end.was_signalled ? NULL : &number,
                                                         end.was_signalled ? &number : NULL,
                                                         bt_wrap_session_awaited(session))));
    session->server_has_ended = true;
    return bt_wrap_session_close(session);
}
