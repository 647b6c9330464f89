/* SPDX-License-Identifier: Apache-2.0 */
/* approval_rows.c - approval requests as rows: request, grant, events, deadlines. */
#include <assert.h>

#include "base/vec.h"
#include "decide/contract_decide.h"
#include "store/rows.h"

/* Columns of approval, approval_grant and approval_event. */
enum {
    ID = 0,
    WORKSPACE,
    SESSION,
    AGENT_ID,
    STATUS,
    FINGERPRINT,
    PAYLOAD,
    REQUESTED,
    DECIDED,
    EXPIRES,
    ORIGIN,
    REDACTED_SEQ,
    UPDATED_SEQ,
    COLUMNS
};
enum { GRANT_ID = 0, GRANT_STATUS, USES, USED, GRANT_EXPIRES, GRANT_UPDATED_SEQ, GRANT_COLUMNS };
enum { EVENT_OF = 0, N, TYPE, AT, ACTOR, CODE, EVENT_FINGERPRINT, SEQ, EVENT_COLUMNS };

/* Rows of any kind while they are collected. */
struct approval_rows {
    const struct bt_contract_state *gate;
    void *items;
    size_t size; /* of one */
    size_t count;
    size_t capacity;
    enum bt_status status;
};

/* Room for one more row. NULL when the arena is exhausted. */
static void *add_row(struct approval_rows *rows)
{
    if (bt_vec_grow(rows->gate->arena, &rows->items, rows->count, &rows->capacity, 1, rows->size) !=
        BT_OK) {
        return NULL;
    }
    return (char *)rows->items + rows->count++ * rows->size;
}

/* Copy cells to the texts of a row; an absent one becomes "". */
static enum bt_status copy_texts(struct bt_arena *arena, const struct bt_store_cell *cells,
                                 bt_str *const *texts, const size_t *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct bt_store_cell *cell = &cells[columns[i]];
        *texts[i] = BT_STR("");
        if (cell->type != BT_STORE_CELL_NULL) {
            BT_TRY(bt_arena_copy(arena, cell->text, texts[i]));
        }
    }
    return BT_OK;
}

static enum bt_status read_approval(struct approval_rows *rows, const struct bt_store_cell *cells)
{
    static const size_t columns[] = {ID,      STATUS,    WORKSPACE, SESSION, AGENT_ID, FINGERPRINT,
                                     PAYLOAD, REQUESTED, DECIDED,   EXPIRES, ORIGIN};
    struct bt_approval *made = add_row(rows);
    if (!made) {
        return BT_ENOMEM;
    }
    bt_str *const texts[] = {&made->id,         &made->status,       &made->workspace,
                             &made->session,    &made->agent_id,     &made->fingerprint,
                             &made->payload,    &made->requested_at, &made->decided_at,
                             &made->expires_at, &made->origin};
    made->redacted_seq = cells[REDACTED_SEQ].type == BT_STORE_CELL_NULL
                             ? BT_STORE_NONE
                             : (uint64_t)cells[REDACTED_SEQ].number;
    made->grant = BT_STR("");
    made->grant_expires_at = BT_STR("");
    return copy_texts(rows->gate->arena, cells, texts, columns,
                      sizeof(columns) / sizeof(columns[0]));
}

static bool see_approval(void *context, const struct bt_store_cell *cells)
{
    struct approval_rows *rows = context;
    rows->status = read_approval(rows, cells);
    return rows->status == BT_OK;
}

static enum bt_status read_grant(const struct bt_contract_state *gate, struct bt_approval *approval,
                                 struct bt_error *error)
{
    static const size_t columns[] = {GRANT_STATUS, GRANT_EXPIRES};
    const struct bt_store_cell key = bt_store_cell_text(approval->id);
    const struct bt_store_row_range scan = {BT_TABLE_APPROVAL_GRANT, &key, 1};
    const struct bt_store_cell *cells = NULL;
    const enum bt_status status =
        bt_store_row_get(gate->ledger->store, gate->arena, &scan, &cells, error);
    if (status != BT_OK) {
        return status == BT_ENOENT ? BT_OK : status;
    }
    bt_str *const texts[] = {&approval->grant, &approval->grant_expires_at};
    approval->uses = (uint64_t)cells[USES].number;
    approval->used = (uint64_t)cells[USED].number;
    return copy_texts(gate->arena, cells, texts, columns, 2);
}

/* The loaded requests, each with its grant. */
static enum bt_status take_grants(struct approval_rows *rows, struct bt_approval_list *out,
                                  struct bt_error *error)
{
    struct bt_approval *items = rows->items;
    BT_TRY(rows->status);
    for (size_t i = 0; i < rows->count; i++) {
        BT_TRY(read_grant(rows->gate, &items[i], error));
    }
    *out = (struct bt_approval_list){items, rows->count};
    return BT_OK;
}

enum bt_status bt_approval_list_load(const struct bt_contract_state *gate,
                                     struct bt_approval_list *out, struct bt_error *error)
{
    struct approval_rows rows = {.gate = gate, .size = sizeof(struct bt_approval)};
    const struct bt_store_row_range scan = {.table = BT_TABLE_APPROVAL};
    BT_TRY(bt_store_row_scan(gate->ledger->store, &scan, see_approval, &rows, error));
    return take_grants(&rows, out, error);
}

enum bt_status bt_approval_list_pending(const struct bt_contract_state *gate,
                                        struct bt_approval_list *out, struct bt_error *error)
{
    struct approval_rows rows = {.gate = gate, .size = sizeof(struct bt_approval)};
    BT_TRY(bt_store_row_find(gate->ledger->store, BT_TABLE_APPROVAL, BT_STR("pending"),
                             see_approval, &rows, error));
    return take_grants(&rows, out, error);
}

enum bt_status bt_approval_load(const struct bt_contract_state *gate, bt_str id,
                                struct bt_approval_list *out, struct bt_error *error)
{
    struct approval_rows rows = {.gate = gate, .size = sizeof(struct bt_approval)};
    const struct bt_store_cell key = bt_store_cell_text(id);
    const struct bt_store_row_range scan = {BT_TABLE_APPROVAL, &key, 1};
    BT_TRY(bt_store_row_scan(gate->ledger->store, &scan, see_approval, &rows, error));
    return take_grants(&rows, out, error);
}

static bool see_grant(void *context, const struct bt_store_cell *cells)
{
    struct approval_rows *rows = context;
    bt_str *id = add_row(rows);
    rows->status = id ? bt_arena_copy(rows->gate->arena, cells[GRANT_ID].text, id) : BT_ENOMEM;
    return rows->status == BT_OK;
}

enum bt_status bt_approval_list_granted(const struct bt_contract_state *gate,
                                        struct bt_approval_list *out, struct bt_error *error)
{
    struct approval_rows ids = {.gate = gate, .size = sizeof(bt_str)};
    BT_TRY(bt_store_row_find(gate->ledger->store, BT_TABLE_APPROVAL_GRANT, BT_STR("active"),
                             see_grant, &ids, error));
    BT_TRY(ids.status);
    struct bt_approval *items = BT_NEW_ARRAY(gate->arena, struct bt_approval, ids.count + 1);
    const bt_str *names = ids.items;
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < ids.count; i++) {
        struct bt_approval_list one;
        BT_TRY(bt_approval_load(gate, names[i], &one, error));
        if (one.count != 1) {
            return bt_error_set(error, BT_ECORRUPT, "a grant has lost its request");
        }
        items[i] = one.items[0];
    }
    *out = (struct bt_approval_list){items, ids.count};
    return BT_OK;
}

static enum bt_status read_event(struct approval_rows *rows, const struct bt_store_cell *cells)
{
    static const size_t columns[] = {TYPE, AT, ACTOR, CODE, EVENT_FINGERPRINT};
    struct bt_approval_event *event = add_row(rows);
    if (!event) {
        return BT_ENOMEM;
    }
    bt_str *const texts[] = {&event->type, &event->at, &event->actor, &event->code,
                             &event->fingerprint};
    return copy_texts(rows->gate->arena, cells, texts, columns,
                      sizeof(columns) / sizeof(columns[0]));
}

static bool see_event(void *context, const struct bt_store_cell *cells)
{
    struct approval_rows *rows = context;
    rows->status = read_event(rows, cells);
    return rows->status == BT_OK;
}

enum bt_status bt_approval_events(const struct bt_contract_state *gate, bt_str id,
                                  const struct bt_approval_event **out, size_t *out_count,
                                  struct bt_error *error)
{
    struct approval_rows rows = {.gate = gate, .size = sizeof(struct bt_approval_event)};
    const struct bt_store_cell key = bt_store_cell_text(id);
    const struct bt_store_row_range scan = {BT_TABLE_APPROVAL_EVENT, &key, 1};
    BT_TRY(bt_store_row_scan(gate->ledger->store, &scan, see_event, &rows, error));
    BT_TRY(rows.status);
    *out = rows.items;
    *out_count = rows.count;
    return BT_OK;
}

/* The entry that a request was made with, and its submitter. */
struct contract_approvals_origin {
    const struct bt_contract_state *gate;
    bool is_found;
    uint64_t seq;
    bt_str actor;
    enum bt_status status;
};

static bool see_request(void *context, const struct bt_store_cell *cells)
{
    struct contract_approvals_origin *origin = context;
    origin->is_found = bt_str_eq(cells[TYPE].text, BT_STR("REQUESTED"));
    origin->seq = (uint64_t)cells[SEQ].number;
    return !origin->is_found;
}

static bool see_actor(void *context, const struct bt_store_entry *row)
{
    struct contract_approvals_origin *origin = context;
    struct bt_entry entry;
    if (row->seq == origin->seq && bt_entry_read(row->entry, &entry)) {
        origin->status = bt_arena_copy(origin->gate->arena, entry.actor, &origin->actor);
    }
    return false;
}

static enum bt_status find_origin(struct contract_approvals_origin *origin, bt_str id,
                                  struct bt_error *error)
{
    const struct bt_store_cell key = bt_store_cell_text(id);
    const struct bt_store_row_range events = {BT_TABLE_APPROVAL_EVENT, &key, 1};
    struct bt_store *store = origin->gate->ledger->store;
    BT_TRY(bt_store_row_scan(store, &events, see_request, origin, error));
    if (!origin->is_found) {
        return BT_OK;
    }
    const struct bt_store_scan entries = {.order = BT_STORE_UP, .from = origin->seq};
    BT_TRY(bt_store_entry_scan(store, &entries, see_actor, origin, error));
    return origin->status;
}

enum bt_status bt_contract_state_owns(const struct bt_contract_state *gate,
                                      const struct bt_approval_owner *owner,
                                      const struct bt_approval *approval, bool *out,
                                      struct bt_error *error)
{
    assert(gate);
    assert(approval);
    struct contract_approvals_origin origin = {.gate = gate, .actor = BT_STR("")};
    *out = owner == NULL;
    for (size_t i = 0; owner && i < owner->agent_count && !*out; i++) {
        BT_TRY(bt_contract_names_agent(owner->agents[i], approval->agent_id, out));
    }
    if (*out || owner->agent_count > 0) {
        return BT_OK;
    }
    BT_TRY(find_origin(&origin, approval->id, error));
    *out = origin.actor.len > 0 && bt_str_eq(origin.actor, owner->actor);
    return BT_OK;
}

static struct bt_store_cell maybe_text(bt_str text)
{
    return text.len > 0 ? bt_store_cell_text(text) : bt_store_cell_null();
}

/* The reason of a person goes into the entry when it fits, else it is the entry's document. */
static enum bt_status put_reason(const struct bt_contract_state *gate, struct bt_entry *entry,
                                 const struct bt_approval_change *news)
{
    char digest[BT_SHA256_HEX_BYTES];
    entry->refs.reason = news->code.len > 0 ? news->code : news->reason;
    if (news->reason.len == 0 || bt_entry_text_is_valid(news->reason)) {
        return BT_OK;
    }
    entry->refs.reason = BT_STR("see-document");
    entry->document.size = news->reason.len;
    BT_TRY(bt_sha256_hex(news->reason, digest));
    return bt_arena_copy(gate->arena, bt_str_of(digest), &entry->document.sha256);
}

static enum bt_status put_event(const struct bt_contract_state *gate,
                                const struct bt_approval *approval,
                                const struct bt_approval_change *news, uint64_t seq,
                                struct bt_error *error)
{
    const struct bt_approval_event *events = NULL;
    struct bt_store_cell cells[EVENT_COLUMNS];
    char now[BT_INSTANT_TEXT_BYTES];
    size_t count = 0;
    bt_contract_transaction_time(gate, now);
    BT_TRY(bt_approval_events(gate, approval->id, &events, &count, error));
    cells[EVENT_OF] = bt_store_cell_text(approval->id);
    cells[N] = bt_store_cell_number(count + 1);
    cells[TYPE] = bt_store_cell_text(bt_str_of(news->type));
    cells[AT] = bt_store_cell_text(bt_str_of(now));
    cells[ACTOR] = bt_store_cell_text(news->actor);
    cells[CODE] = maybe_text(news->code);
    cells[EVENT_FINGERPRINT] = bt_store_cell_text(approval->fingerprint);
    cells[SEQ] = bt_store_cell_number(seq);
    return bt_store_row_put(gate->ledger->store, BT_TABLE_APPROVAL_EVENT, cells, error);
}

static enum bt_status put_approval(const struct bt_contract_state *gate,
                                   const struct bt_approval *approval, uint64_t seq,
                                   struct bt_error *error)
{
    const struct bt_store_cell cells[COLUMNS] = {
        [ID] = bt_store_cell_text(approval->id),
        [WORKSPACE] = bt_store_cell_text(approval->workspace),
        [SESSION] = bt_store_cell_text(approval->session),
        [AGENT_ID] = bt_store_cell_text(approval->agent_id),
        [STATUS] = bt_store_cell_text(approval->status),
        [FINGERPRINT] = bt_store_cell_text(approval->fingerprint),
        [PAYLOAD] = approval->payload.len > 0 ? bt_store_cell_bytes(approval->payload)
                                              : bt_store_cell_null(),
        [REQUESTED] = bt_store_cell_text(approval->requested_at),
        [DECIDED] = maybe_text(approval->decided_at),
        [EXPIRES] = bt_store_cell_text(approval->expires_at),
        [ORIGIN] = bt_store_cell_text(approval->origin),
        [REDACTED_SEQ] = bt_store_cell_number(approval->redacted_seq),
        [UPDATED_SEQ] = bt_store_cell_number(seq),
    };
    const struct bt_store_cell grant[GRANT_COLUMNS] = {
        [GRANT_ID] = bt_store_cell_text(approval->id),
        [GRANT_STATUS] = bt_store_cell_text(approval->grant),
        [USES] = bt_store_cell_number(approval->uses),
        [USED] = bt_store_cell_number(approval->used),
        [GRANT_EXPIRES] = bt_store_cell_text(approval->grant_expires_at),
        [GRANT_UPDATED_SEQ] = bt_store_cell_number(seq),
    };
    BT_TRY(bt_store_row_put(gate->ledger->store, BT_TABLE_APPROVAL, cells, error));
    return approval->grant.len == 0
               ? BT_OK
               : bt_store_row_put(gate->ledger->store, BT_TABLE_APPROVAL_GRANT, grant, error);
}

enum bt_status bt_approval_save(const struct bt_contract_state *gate,
                                struct bt_ledger_transaction *recording,
                                const struct bt_approval *approval,
                                const struct bt_approval_change *news, struct bt_error *error)
{
    struct bt_entry *entry = bt_contract_add_entry(gate, "approval");
    struct bt_ledger_record *recorded = BT_NEW(gate->arena, struct bt_ledger_record);
    if (!entry || !recorded) {
        return BT_ENOMEM;
    }
    entry->refs.approval = approval->id;
    entry->refs.event = bt_str_of(news->type);
    entry->refs.fingerprint = approval->fingerprint;
    entry->refs.parent = news->parent;
    entry->refs.message = news->message.len > 0 ? news->message : entry->refs.message;
    BT_TRY(put_reason(gate, entry, news));
    const bt_str *bytes = entry->document.sha256.len > 0 ? &news->reason : NULL;
    BT_TRY(bt_ledger_transaction_add_entry(recording, entry, bytes, recorded, error));
    if (news->out_seq) {
        *news->out_seq = recorded->entry.seq;
    }
    BT_TRY(put_approval(gate, approval, recorded->entry.seq, error));
    return put_event(gate, approval, news, recorded->entry.seq, error);
}

enum bt_status bt_approval_resume_agent(const struct bt_contract_state *gate,
                                        const struct bt_approval *approval, struct bt_error *error)
{
    const struct bt_contract_agent agent = {.workspace = approval->workspace,
                                            .session = approval->session,
                                            .agent_id = approval->agent_id};
    return bt_contract_agent_mark_resumed(gate, &agent, error);
}

bool bt_approval_is_closed(const struct bt_approval *approval, bt_str now)
{
    /* Times of one form and width compare as texts. */
    if (bt_str_eq(approval->status, BT_STR("pending"))) {
        return bt_str_compare(now, approval->expires_at) >= 0;
    }
    return bt_str_eq(approval->grant, BT_STR("active")) &&
           bt_str_compare(now, approval->grant_expires_at) >= 0;
}

static enum bt_status save_expired_approvals(const struct bt_contract_state *gate,
                                             struct bt_ledger_transaction *recording,
                                             const struct bt_approval_list *open,
                                             struct bt_error *error)
{
    const struct bt_approval_change news = {.type = "EXPIRED",
                                            .actor = BT_STR("baton"),
                                            .code = BT_STR(""),
                                            .reason = BT_STR(""),
                                            .parent = BT_SEQ_ABSENT};
    char now[BT_INSTANT_TEXT_BYTES];
    bt_contract_transaction_time(gate, now);
    for (size_t i = 0; i < open->count; i++) {
        struct bt_approval approval = open->items[i];
        if (!bt_approval_is_closed(&approval, bt_str_of(now))) {
            continue;
        }
        approval.status = BT_STR("expired");
        approval.grant = approval.grant.len > 0 ? BT_STR("expired") : approval.grant;
        BT_TRY(bt_approval_save(gate, recording, &approval, &news, error));
        BT_TRY(bt_approval_resume_agent(gate, &approval, error));
    }
    return BT_OK;
}

enum bt_status bt_approval_list_expire(const struct bt_contract_state *gate,
                                       struct bt_ledger_transaction *recording,
                                       struct bt_error *error)
{
    struct bt_approval_list open;
    BT_TRY(bt_approval_list_pending(gate, &open, error));
    BT_TRY(save_expired_approvals(gate, recording, &open, error));
    BT_TRY(bt_approval_list_granted(gate, &open, error));
    return save_expired_approvals(gate, recording, &open, error);
}
