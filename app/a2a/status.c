/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - the state of a task: the decision, and what has happened since.
 *
 * The row holds the decision and what the state depends on. The state is derived for every request,
 * so that no notification is needed when an inbox is emptied or a person decides.
 */
#include <string.h>

#include "a2a/a2a_internal.h"
#include "decide/contract_state.h"
#include "decide/governed_state.h"
#include "operation/approval_json.h"
#include "operation/records.h"

enum { APPROVAL_BYTES_MAX = 32 << 20 };

static const char *const kinds[] = {[A2A_STATUS_SOURCE_FIXED] = "fixed",
                                    [A2A_STATUS_SOURCE_INBOX] = "inbox",
                                    [A2A_STATUS_SOURCE_APPROVAL] = "approval",
                                    [A2A_STATUS_SOURCE_GOVERNED] = "governed"};

static bool is_one_of(bt_str state, const char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        if (bt_str_eq(state, bt_str_of(words[i]))) {
            return true;
        }
    }
    return false;
}

bool a2a_is_final(bt_str state)
{
    static const char *const words[] = {"COMPLETED", "FAILED", "CANCELED", "REJECTED", NULL};
    return is_one_of(state, words);
}

bool a2a_is_waiting(bt_str state)
{
    static const char *const words[] = {"INPUT_REQUIRED", "AUTH_REQUIRED", NULL};
    return is_one_of(state, words);
}

/* ---- Times ----------------------------------------------------------------------------------- */

static enum bt_status time_text(struct bt_arena *arena, bt_instant instant, bt_str *out)
{
    char text[BT_INSTANT_TEXT_BYTES];
    instant.nanos = 0;
    const size_t size = bt_instant_format(instant, text);
    return bt_arena_printf(arena, out, "%.*s", (int)(size > 0 ? size - 1 : 0), text);
}

static enum bt_status with_milliseconds(struct bt_arena *arena, bt_instant instant, bt_str *out)
{
    bt_str seconds;
    BT_TRY(time_text(arena, instant, &seconds));
    return bt_arena_printf(arena, out, "%.*s.%03uZ", BT_STR_ARG(seconds),
                           (unsigned)(instant.nanos / 1000000));
}

enum bt_status a2a_format_time(struct bt_arena *arena, bt_str time, bt_str *out)
{
    bt_instant instant;
    if (bt_instant_parse(time, &instant) != BT_OK) {
        *out = time;
        return BT_OK;
    }
    return with_milliseconds(arena, instant, out);
}

enum bt_status a2a_format_now(struct a2a *a2a, bt_str *out)
{
    return with_milliseconds(a2a->arena, bt_env_now(a2a->service->env), out);
}

/* ---- Entries --------------------------------------------------------------------------------- */

static enum bt_status read_shown(struct a2a *a2a, uint64_t seq, bool is_document,
                                 const struct bt_json_doc **out)
{
    struct bt_findings *alarms = bt_findings_new(a2a->arena);
    struct bt_ledger_entry_view shown;
    struct bt_json_read_result read = {0};
    struct bt_error error;
    *out = NULL;
    if (!alarms) {
        return BT_ENOMEM;
    }
    if (bt_ledger_get_entry(a2a->service->ledger, a2a->arena, seq, alarms, &shown, &error) !=
            BT_OK ||
        (is_document && shown.state != BT_DOCUMENT_STORED)) {
        return BT_OK;
    }
    /* from: store */
    BT_TRY(bt_json_read(a2a->arena, is_document ? shown.bytes : shown.entry.text, NULL, &read));
    *out = read.document;
    return BT_OK;
}

enum bt_status a2a_put_entry(struct a2a *a2a, uint64_t seq, const struct bt_json_doc **out)
{
    return read_shown(a2a, seq, false, out);
}

enum bt_status a2a_document(struct a2a *a2a, uint64_t seq, const struct bt_json_doc **out)
{
    return read_shown(a2a, seq, true, out);
}

/* The time of an entry. */
static enum bt_status entry_time(struct a2a *a2a, uint64_t seq, bt_str *out)
{
    const struct bt_json_doc *entry = NULL;
    BT_TRY(a2a_put_entry(a2a, seq, &entry));
    const bt_json_value *time =
        entry ? bt_json_get(entry, bt_json_root(entry), BT_STR("time")) : NULL;
    return time ? a2a_format_time(a2a->arena, bt_json_text(time), out) : BT_OK;
}

/* ---- The row --------------------------------------------------------------------------------- */

enum bt_status a2a_status_write(struct bt_arena *arena, const struct a2a_status *status,
                                bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, 1 << 20);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "kind", bt_str_of(kinds[status->kind]));
    bt_emit_member_string(&emit, "state", status->state);
    bt_emit_member_string(&emit, "time", status->time);
    bt_emit_member_string(&emit, "key", status->key);
    bt_emit_member_string(&emit, "fingerprint", status->fingerprint);
    bt_emit_member_string(&emit, "dialect", bt_dialect_name(status->dialect));
    bt_emit_member_string(&emit, "verdict", status->verdict);
    bt_emit_member_raw(&emit, "codes", status->codes.len > 0 ? status->codes : BT_STR("[]"));
    if (status->seq != BT_LEDGER_SEQ_NONE) {
        bt_emit_member_u64(&emit, "seq", status->seq);
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

bt_str a2a_member_text(const struct bt_json_doc *document, const char *name)
{
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

/* Join the codes of a refusal to a text. */
static enum bt_status join_codes(struct a2a *a2a, const struct bt_json_doc *document, bt_str *out)
{
    const bt_json_value *codes = bt_json_get(document, bt_json_root(document), BT_STR("codes"));
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    for (size_t i = 0; codes && bt_json_items(codes) && i < bt_json_count(codes); i++) {
        bt_buf_put_text(&buf, i > 0 ? " " : "");
        bt_buf_put(&buf, bt_json_text(&bt_json_items(codes)[i]));
    }
    return bt_buf_finish(&buf, a2a->arena, out);
}

static enum bt_status read_row(struct a2a *a2a, const struct bt_json_doc *document,
                               struct a2a_status *out)
{
    const bt_json_value *codes = bt_json_get(document, bt_json_root(document), BT_STR("codes"));
    const bt_json_value *seq = bt_json_get(document, bt_json_root(document), BT_STR("seq"));
    const bt_str kind = a2a_member_text(document, "kind");
    *out = (struct a2a_status){.kind = A2A_STATUS_SOURCE_FIXED,
                               .state = a2a_member_text(document, "state"),
                               .time = a2a_member_text(document, "time"),
                               .text = BT_STR(""),
                               .data = BT_STR(""),
                               .key = a2a_member_text(document, "key"),
                               .fingerprint = a2a_member_text(document, "fingerprint"),
                               .dialect = bt_dialect_find(a2a_member_text(document, "dialect")),
                               .verdict = a2a_member_text(document, "verdict"),
                               .codes = codes ? a2a_value_source(document, codes) : BT_STR("[]"),
                               .seq = seq && bt_json_type(seq) == BT_JSON_INTEGER
                                          ? (uint64_t)seq->as.integer
                                          : BT_LEDGER_SEQ_NONE,
                               .answer_seq = BT_LEDGER_SEQ_NONE};
    for (enum a2a_status_source i = A2A_STATUS_SOURCE_FIXED; i <= A2A_STATUS_SOURCE_GOVERNED; i++) {
        out->kind = bt_str_eq(kind, bt_str_of(kinds[i])) ? i : out->kind;
    }
    return bt_str_eq(out->state, BT_STR("REJECTED")) ? join_codes(a2a, document, &out->text)
                                                     : BT_OK;
}

/* ---- Later changes --------------------------------------------------------------------------- */

static enum bt_status read_inbox_status(struct a2a *a2a, struct a2a_status *status)
{
    static const char *const rows[][2] = {
        {"queued", "SUBMITTED"}, {"taken", "WORKING"},      {"delivered", "COMPLETED"},
        {"dead", "FAILED"},      {"cancelled", "CANCELED"},
    };
    struct bt_deliver deliver = {.ledger = a2a->service->ledger,
                                 .env = a2a->service->env,
                                 .arena = a2a->arena,
                                 .actor = a2a->caller->actor,
                                 .alarms = bt_findings_new(a2a->arena)};
    struct bt_inbox_item_state found;
    struct bt_error error;
    if (!deliver.alarms) {
        return BT_ENOMEM;
    }
    if (bt_inbox_get_state(&deliver, status->key, &found, &error) != BT_OK) {
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(found.state, bt_str_of(rows[i][0]))) {
            status->state = bt_str_of(rows[i][1]);
        }
    }
    return found.seq != status->seq ? entry_time(a2a, found.seq, &status->time) : BT_OK;
}

/* Write what the task waits for, with everything that a person must see before deciding. */
static enum bt_status write_approval_request(struct a2a *a2a, const struct bt_approval *approval,
                                             struct a2a_status *status)
{
    struct bt_emit emit;
    struct bt_buf text;
    struct bt_buf data;
    bt_buf_init(&text, APPROVAL_BYTES_MAX);
    bt_buf_init(&data, APPROVAL_BYTES_MAX);
    bt_emit_init(&emit, &data, false);
    bt_buf_printf(&text, "consent is asked for: %.*s\n", BT_STR_ARG(approval->id));
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "approval");
    enum bt_status made = bt_approval_put_text(&text, a2a->service->env, a2a->arena, approval);
    made = made == BT_OK ? bt_emit_approval(&emit, a2a->service->env, a2a->arena, approval) : made;
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    made = made == BT_OK ? bt_buf_copy(&text, a2a->arena, &status->text) : made;
    made = made == BT_OK ? bt_buf_copy(&data, a2a->arena, &status->data) : made;
    bt_buf_free(&text);
    bt_buf_free(&data);
    return made;
}

static enum bt_status take_approval(struct a2a *a2a, const struct bt_approval *approval,
                                    struct a2a_status *status)
{
    static const char *const rows[][2] = {
        {"approved", "WORKING"},
        {"rejected", "REJECTED"},
        {"revoked", "CANCELED"},
        {"expired", "FAILED"},
    };
    if (bt_str_eq(approval->status, BT_STR("pending"))) {
        status->state = bt_scopes_hold(a2a->caller->scopes, BT_SCOPE_APPROVE)
                            ? BT_STR("INPUT_REQUIRED")
                            : BT_STR("AUTH_REQUIRED");
        return write_approval_request(a2a, approval, status);
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(approval->status, bt_str_of(rows[i][0]))) {
            status->state = bt_str_of(rows[i][1]);
        }
    }
    return approval->decided_at.len > 0
               ? a2a_format_time(a2a->arena, approval->decided_at, &status->time)
               : BT_OK;
}

static enum bt_status read_approval_status(struct a2a *a2a, struct a2a_status *status)
{
    struct bt_result none = {0};
    struct bt_call work = {
        .service = a2a->service, .caller = a2a->caller, .arena = a2a->arena, .answer = &none};
    struct bt_approval approval;
    struct bt_contract_state gate;
    struct bt_error error;
    BT_TRY(bt_op_contract_state(&work, &gate));
    return bt_approval_get(&gate, status->key, &approval, &error) == BT_OK
               ? take_approval(a2a, &approval, status)
               : BT_OK;
}

/* The status from a response of the target. */
static enum bt_status answer_status(struct a2a *a2a, uint64_t seq, bt_str *out)
{
    const struct bt_json_doc *document = NULL;
    BT_TRY(a2a_document(a2a, seq, &document));
    const bt_json_value *value =
        document ? bt_json_resolve(document, bt_json_root(document), BT_STR("/response/status"))
                 : NULL;
    *out = value ? bt_json_text(value) : BT_STR("");
    return BT_OK;
}

static enum bt_status read_response_status(struct a2a *a2a, struct a2a_status *status)
{
    struct bt_governed_state govern = {.ledger = a2a->service->ledger,
                                       .env = a2a->service->env,
                                       .arena = a2a->arena,
                                       .actor = a2a->caller->actor};
    struct bt_governed_response_state found;
    struct bt_error error;
    bt_str answer;
    if (bt_governed_get_response_state(&govern, status->key, &found, &error) != BT_OK ||
        found.seq != status->seq) {
        return BT_OK;
    }
    if (found.last_seq == BT_LEDGER_SEQ_NONE) {
        struct a2a_status item = *status; /* cancelled before it was leased */
        BT_TRY(bt_arena_printf(a2a->arena, &item.key, "h%llu", (unsigned long long)status->seq));
        BT_TRY(read_inbox_status(a2a, &item));
        if (bt_str_eq(item.state, BT_STR("CANCELED"))) {
            status->state = item.state;
            status->time = item.time;
        }
        return BT_OK;
    }
    status->answer_seq = found.last_seq;
    BT_TRY(entry_time(a2a, found.last_seq, &status->time));
    BT_TRY(answer_status(a2a, found.last_seq, &answer));
    if (found.is_closed) {
        status->state = bt_str_eq(answer, BT_STR("success"))   ? BT_STR("COMPLETED")
                        : bt_str_eq(answer, BT_STR("refused")) ? BT_STR("REJECTED")
                                                               : BT_STR("FAILED");
    }
    return BT_OK;
}

enum bt_status a2a_status_read(struct a2a *a2a, bt_str text, struct a2a_status *out)
{
    struct bt_json_read_result read = {0};
    /* from: store */
    BT_TRY(bt_json_read(a2a->arena, text, NULL, &read));
    if (!read.document) {
        return BT_ECORRUPT;
    }
    BT_TRY(read_row(a2a, read.document, out));
    if (!a2a->service->ledger) {
        return BT_OK;
    }
    switch (out->kind) {
    case A2A_STATUS_SOURCE_INBOX:
        return read_inbox_status(a2a, out);
    case A2A_STATUS_SOURCE_APPROVAL:
        return read_approval_status(a2a, out);
    case A2A_STATUS_SOURCE_GOVERNED:
        return read_response_status(a2a, out);
    case A2A_STATUS_SOURCE_FIXED:
        break;
    }
    return BT_OK;
}
