/* SPDX-License-Identifier: Apache-2.0 */
/* repeat.c - keys of calls: taken before a call is passed on, answered with its record. */
#include "wrap/repeat.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "json/emit.h"
#include "json/get.h"
#include "ledger/call_key.h"
#include "wrap/consent.h"
#include "wrap/session_internal.h"

enum { KEY_BYTES_MAX = 128, BODY_BYTES_MAX = 1 << 20 };

/* How an answer is stored. */
enum { STORED_RESULT = 1, STORED_ERROR, STORED_NOTHING };

/* What is known while one call is compared. */
struct wrap_repeating {
    struct bt_wrap_session *session;
    struct bt_wrap_request *request;
    struct bt_wrap_record *record;
    struct bt_call_key_result found;
};

/* ---- Keys ---------------------------------------------------------------------------------- */

static bool is_key_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '.' || byte == '_' || byte == ':' || byte == '-';
}

/* The key that the client gives. False: it is not one; "": it gives none. */
static bool find_key(const struct bt_wrap_message *message, bt_str *out)
{
    const struct bt_json_doc *document = message->document;
    const bt_json_value *metadata = bt_json_get(document, message->params, BT_STR("_meta"));
    const bt_json_value *key = bt_json_get(document, metadata, BT_STR("baton/idempotency-key"));
    key = key ? key : bt_json_get(document, message->params, BT_STR("idempotencyKey"));
    *out = key ? bt_json_text(key) : BT_STR("");
    return !key || (bt_json_type(key) == BT_JSON_STRING && out->len > 0 &&
                    out->len <= KEY_BYTES_MAX && bt_ascii_all(*out, is_key_byte));
}

/* Name the call: by its key, or, of an idempotent tool, by its content. */
static enum bt_status set_key(const struct wrap_repeating *repeating,
                              const struct bt_wrap_message *message, bt_str key)
{
    struct bt_wrap_record *record = repeating->record;
    struct bt_wrap_session *session = repeating->session;
    char digest[BT_SHA256_BYTES];
    char hex[BT_SHA256_HEX_BYTES];
    bool is_exact = false;
    bt_str content;
    BT_TRY(bt_wrap_call_content(&session->message, session->settings->name, message, &content,
                                &is_exact));
    BT_TRY(bt_sha256(content, (uint8_t *)digest));
    BT_TRY(bt_wrap_record_set(record, &record->key.digest, (bt_str){digest, sizeof(digest)}));
    BT_TRY(bt_arena_printf(&record->arena, &record->key.path, "wrap:%.*s/%.*s",
                           BT_STR_ARG(session->settings->name), BT_STR_ARG(record->subject.name)));
    record->key.is_given = key.len > 0;
    if (key.len == 0) {
        BT_TRY(bt_sha256_hex(content, hex));
        return bt_arena_printf(&record->arena, &record->key.text, "lost:%s", hex);
    }
    BT_TRY(bt_sha256_hex(key, hex));
    BT_TRY(bt_wrap_record_set(record, &record->refs.key_sha256, bt_str_of(hex)));
    return bt_wrap_record_set(record, &record->key.text, key);
}

/* An earlier call of this session with the same key whose fate is open; NULL: none. */
static const struct bt_wrap_record *find_open(const struct wrap_repeating *repeating)
{
    const struct bt_wrap_record *at = repeating->session->repeatable;
    while (at && !(bt_str_eq(at->key.text, repeating->record->key.text) &&
                   bt_str_eq(at->key.path, repeating->record->key.path))) {
        at = at->key.next;
    }
    return at;
}

static void add_open(const struct wrap_repeating *repeating)
{
    repeating->record->key.next = repeating->session->repeatable;
    repeating->session->repeatable = repeating->record;
    repeating->record->key.is_open = true;
}

struct bt_call_key bt_wrap_repeat_key(const struct bt_wrap_repeats *repeats,
                                      const struct bt_wrap_record_key *own)
{
    return (struct bt_call_key){.principal = repeats->principal,
                                .path = own->path,
                                .key = own->text,
                                .digest = own->digest,
                                .owner = repeats->owner,
                                .seconds = repeats->seconds};
}

static enum bt_status take_key(struct wrap_repeating *repeating, bool is_search)
{
    struct bt_wrap_session *session = repeating->session;
    const struct bt_wrap_repeats *repeats = session->settings->repeats;
    const struct bt_call_key key = bt_wrap_repeat_key(repeats, &repeating->record->key);
    const struct bt_call_key_use use = {.ledger = repeats->ledger,
                                        .env = session->env,
                                        .arena = &session->message,
                                        .alarms = bt_findings_new(&session->message),
                                        .may_repeat = repeating->record->policy.is_idempotent,
                                        .is_search = is_search};
    struct bt_error error = {0};
    BT_TRY(use.alarms ? BT_OK : BT_ENOMEM);
    if (!bt_wrap_store_is_usable(session)) {
        return BT_EIO;
    }
    const enum bt_status status = bt_call_key_take(&use, &key, &repeating->found, &error);
    bt_wrap_note_store(session, repeats->ledger, &error);
    return status == BT_OK && bt_findings_count(use.alarms) > 0 ? BT_ECORRUPT : status;
}

/* ---- Answers ------------------------------------------------------------------------------- */

static enum bt_status refuse_for(const struct wrap_repeating *repeating, enum bt_code code)
{
    const uint64_t seq = repeating->found.seq;
    const struct bt_location at = bt_location_whole();
    repeating->record->key.text = BT_STR(""); /* it belongs to another call, or to none */
    struct bt_findings *one = bt_findings_new(&repeating->session->message);
    BT_TRY(one ? BT_OK : BT_ENOMEM);
    BT_TRY(code == BT_CODE_WRAP_KEY_INVALID  ? bt_add_wrap_key_invalid(one, at)
           : code == BT_CODE_WRAP_KEY_REUSED ? bt_add_wrap_key_reused(one, at)
           : code == BT_CODE_WRAP_OUTCOME_UNKNOWN
               ? bt_add_wrap_outcome_unknown(one, at, seq == BT_STORE_NONE ? NULL : &seq)
               : bt_wrap_refuse_unrecorded(repeating->session, one, false));
    return bt_wrap_refuse_request(repeating->session, repeating->request, one);
}

/* Give the recorded answer again. */
static enum bt_status replay_answer(struct wrap_repeating *repeating)
{
    struct bt_wrap_session *session = repeating->session;
    struct bt_wrap_request *request = repeating->request;
    struct bt_wrap_record *record = repeating->record;
    const bool is_error = repeating->found.status == STORED_ERROR;
    struct bt_json_read_result read = {0};
    /* from: store */
    BT_TRY(bt_json_read(&session->message, repeating->found.body, NULL, &read));
    if (read.document) {
        BT_TRY(bt_wrap_record_set_part(record, &record->delivered, read.document,
                                       bt_json_root(read.document)));
    }
    record->refs.parent = repeating->found.seq;
    record->key.text = BT_STR(""); /* it belongs to the first call */
    const size_t before = bt_findings_count(session->findings);
    BT_TRY(bt_wrap_log_findings(
        session, before,
        bt_add_wrap_replayed(session->findings, bt_location_whole(), repeating->found.seq)));
    session->facts.replayed++;
    BT_TRY(bt_wrap_call_end(session, request, BT_WRAP_EVENT_REPLAYED));
    struct bt_buf *out = bt_wrap_output(session, BT_WRAP_CLIENT);
    bt_buf_put_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    bt_wrap_id_put(out, &request->id);
    bt_buf_put_text(out, is_error ? ",\"error\":" : ",\"result\":");
    bt_buf_put(out, repeating->found.body);
    bt_buf_put_text(out, "}\n");
    bt_wrap_requests_remove(&session->open[BT_WRAP_CLIENT], request);
    return BT_OK;
}

/* Wait for the call that this one repeats. */
static enum bt_status hold_repeated(const struct wrap_repeating *repeating, bt_str line)
{
    struct bt_wrap_session *session = repeating->session;
    struct bt_wrap_held *held = NULL;
    BT_TRY(bt_wrap_gate_hold(session, repeating->request, line, &held));
    held->question = ++session->pins.requests;
    held->is_repeated = true;
    bt_hex_put((const uint8_t *)repeating->record->key.digest.ptr, BT_SHA256_BYTES,
               held->fingerprint);
    held->fingerprint[BT_SHA256_HEX_BYTES - 1] = '\0';
    return BT_OK;
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* A call with a key. */
static enum bt_status compare_keyed(struct wrap_repeating *repeating, bt_str line,
                                    bool *out_is_done)
{
    const enum bt_status status = take_key(repeating, false);
    *out_is_done = true;
    if (status != BT_OK) {
        return status == BT_ENOMEM ? status : refuse_for(repeating, BT_CODE_WRAP_RECORD_FAILED);
    }
    switch (repeating->found.outcome) {
    case BT_CALL_KEY_FIRST:
        *out_is_done = false;
        repeating->record->policy.waits = true;
        add_open(repeating);
        return BT_OK;
    case BT_CALL_KEY_OWN:
        if (find_open(repeating)) {
            return hold_repeated(repeating, line);
        }
        break; /* its record could not be written */
    case BT_CALL_KEY_ANSWERED:
        return replay_answer(repeating);
    case BT_CALL_KEY_REUSED:
        return refuse_for(repeating, BT_CODE_WRAP_KEY_REUSED);
    case BT_CALL_KEY_UNKNOWN:
    case BT_CALL_KEY_NONE:
        break;
    }
    return refuse_for(repeating, BT_CODE_WRAP_OUTCOME_UNKNOWN);
}

/* A call of an idempotent tool without a key: an earlier answer may have been lost. */
static enum bt_status compare_idempotent(struct wrap_repeating *repeating, bt_str line,
                                         bool *out_is_done)
{
    const struct bt_wrap_record *open = find_open(repeating);
    *out_is_done = true;
    if (open && open->key.is_lost) {
        return hold_repeated(repeating, line);
    }
    const enum bt_status status = take_key(repeating, true);
    if (status == BT_ENOMEM) {
        return status;
    }
    if (status == BT_OK && repeating->found.outcome == BT_CALL_KEY_ANSWERED) {
        return replay_answer(repeating);
    }
    *out_is_done = false; /* also when the store failed: nothing says that it is a repetition */
    add_open(repeating);
    return BT_OK;
}

enum bt_status bt_wrap_repeat_call(struct bt_wrap_session *session,
                                   const struct bt_wrap_message *message,
                                   struct bt_wrap_request *request, bt_str line, bool *out_is_done)
{
    struct wrap_repeating repeating = {.session = session,
                                       .request = request,
                                       .record = request->record,
                                       .found = {.seq = BT_STORE_NONE}};
    const struct bt_wrap_repeats *repeats = session->settings->repeats;
    bt_str key;
    *out_is_done = false;
    if (!request->record || request->method != BT_WRAP_METHOD_CALL || !repeats ||
        !repeats->ledger || session->settings->policy.is_observing) {
        return BT_OK;
    }
    if (!find_key(message, &key)) {
        *out_is_done = true;
        return refuse_for(&repeating, BT_CODE_WRAP_KEY_INVALID);
    }
    if (key.len == 0 && !request->record->policy.is_idempotent) {
        return BT_OK;
    }
    BT_TRY(set_key(&repeating, message, key));
    return key.len > 0 ? compare_keyed(&repeating, line, out_is_done)
                       : compare_idempotent(&repeating, line, out_is_done);
}

/*
 * Errors of the form of a request say that nothing was executed. A question of the server is not
 * the answer of the call: the client repeats it, under the same key, with what was asked for.
 */
static bool frees_key(const struct bt_wrap_message *message)
{
    const bt_json_value *code =
        message->error ? bt_json_get(message->document, message->error, BT_STR("code")) : NULL;
    if (message->result &&
        bt_str_eq(bt_json_get_text(message->document, message->result, BT_STR("resultType")),
                  BT_STR("input_required"))) {
        return true;
    }
    return code && bt_json_type(code) == BT_JSON_INTEGER && code->as.integer >= -32602 &&
           code->as.integer <= -32600;
}

enum bt_status bt_wrap_repeat_take_answer(const struct bt_wrap_message *message,
                                          const struct bt_wrap_request *request)
{
    struct bt_wrap_record *record = request->record;
    const bt_json_value *answer = message->result ? message->result : message->error;
    if (!record || record->key.text.len == 0) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(message->document, answer);
    const bool is_large = span.end - span.begin > BODY_BYTES_MAX;
    record->key.status = is_large ? STORED_NOTHING : message->result ? STORED_RESULT : STORED_ERROR;
    record->key.is_freed = frees_key(message);
    return is_large ? BT_OK
                    : bt_wrap_record_set(
                          record, &record->key.body,
                          bt_str_slice(bt_json_source(message->document), span.begin, span.end));
}

void bt_wrap_repeat_end(struct bt_wrap_record *record, enum bt_wrap_event event)
{
    struct bt_wrap_record_key *key = &record->key;
    const bool is_answered = event == BT_WRAP_EVENT_RETURNED || event == BT_WRAP_EVENT_FAILED ||
                             event == BT_WRAP_EVENT_WITHHELD;
    if (event == BT_WRAP_EVENT_REFUSED && key->is_given) {
        key->is_freed = true; /* it was not sent */
    } else if (!is_answered || (!key->is_given && !key->is_lost) || key->status == 0) {
        key->text = BT_STR(""); /* an open key stays open: nobody knows what happened */
    }
}

enum bt_status bt_wrap_repeat_release(struct bt_wrap_session *session,
                                      const struct bt_wrap_record *record)
{
    struct bt_wrap_record **at = &session->repeatable;
    char hex[BT_SHA256_HEX_BYTES];
    if (!record->key.is_open) {
        return BT_OK;
    }
    while (*at && *at != record) {
        at = &(*at)->key.next;
    }
    if (*at) {
        *at = record->key.next;
    }
    bt_hex_put((const uint8_t *)record->key.digest.ptr, BT_SHA256_BYTES, hex);
    hex[BT_SHA256_HEX_BYTES - 1] = '\0';
    return bt_wrap_gate_release_repeated(session, hex);
}
