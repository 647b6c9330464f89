/* SPDX-License-Identifier: Apache-2.0 */
/* hold.c - documents that must not be deleted, and entries that say who held or released them. */
#include "ledger/hold.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/ascii.h"
#include "base/vec.h"
#include "store/rows.h"

static const bt_str by_names[] = {
    [BT_LEDGER_HOLD_TRACE] = BT_STR_INIT("trace"),
    [BT_LEDGER_HOLD_HANDOFF] = BT_STR_INIT("handoff"),
    [BT_LEDGER_HOLD_DOCUMENT] = BT_STR_INIT("document"),
};

bt_str bt_ledger_hold_by_name(enum bt_ledger_hold_by by)
{
    return by_names[by];
}

/* The row of a hold in force, if there is one: *out_row in the arena, or NULL. */
static enum bt_status get_hold(struct bt_ledger *ledger, struct bt_arena *arena,
                               enum bt_ledger_hold_by by, bt_str value,
                               const struct bt_store_cell **out_row, struct bt_error *error)
{
    const struct bt_store_cell key[] = {bt_store_cell_text(by_names[by]),
                                        bt_store_cell_text(value)};
    const struct bt_store_row_range range = {BT_TABLE_HOLD, key, 2};
    const struct bt_store_cell *row = NULL;
    const enum bt_status status = bt_store_row_get(ledger->store, arena, &range, &row, error);
    *out_row = NULL;
    if (status == BT_OK && row[BT_HOLD_RELEASED].type == BT_STORE_CELL_NULL) {
        *out_row = row;
    }
    return status == BT_ENOENT ? BT_OK : status;
}

/* A hold by a trace, whatever its letter case. */
struct ledger_hold_search {
    struct bt_arena *arena;
    bt_str trace;
    bt_str found; /* as the row has it; "" so far */
    enum bt_status status;
};

static bool take_trace(void *context, const struct bt_store_cell *cells)
{
    struct ledger_hold_search *search = context;
    if (cells[BT_HOLD_RELEASED].type == BT_STORE_CELL_NULL &&
        bt_ascii_equal_nocase(cells[BT_HOLD_VALUE].text, search->trace)) {
        search->status = bt_arena_copy(search->arena, cells[BT_HOLD_VALUE].text, &search->found);
        return false;
    }
    return true;
}

/* The hold in force. A trace is one whatever its letter case, as in every search; the table keeps
 * it as it was given. Documents are named in lower case, and handoffs are when recorded. */
static enum bt_status find_hold(struct bt_ledger *ledger, struct bt_arena *arena,
                                enum bt_ledger_hold_by by, bt_str value,
                                const struct bt_store_cell **out_row, struct bt_error *error)
{
    const struct bt_store_cell key[] = {bt_store_cell_text(by_names[by])};
    const struct bt_store_row_range range = {BT_TABLE_HOLD, key, 1};
    struct ledger_hold_search search = {arena, value, BT_STR(""), BT_OK};
    BT_TRY(get_hold(ledger, arena, by, value, out_row, error));
    if (*out_row || by != BT_LEDGER_HOLD_TRACE) {
        return BT_OK;
    }
    BT_TRY(bt_store_row_scan(ledger->store, &range, take_trace, &search, error));
    BT_TRY(search.status);
    return search.found.len > 0 ? get_hold(ledger, arena, by, search.found, out_row, error) : BT_OK;
}

/* ---- May it be deleted? ---------------------------------------------------------------------- */

/* The names and times of the entries about a document. */
struct ledger_retention_scan {
    struct bt_arena *arena;
    bt_str *names; /* by turns of a trace and of a handoff; "" for none */
    size_t count;
    size_t capacity;
    char youngest[BT_ENTRY_TIME_BYTES + 1];
    enum bt_status status;
};

static enum bt_status keep_names(struct ledger_retention_scan *scan, const struct bt_entry *entry)
{
    BT_TRY(bt_vec_grow(scan->arena, &scan->names, scan->count, &scan->capacity, 2, sizeof(bt_str)));
    BT_TRY(bt_arena_copy(scan->arena, entry->trace_id, &scan->names[scan->count]));
    BT_TRY(bt_arena_copy(scan->arena, entry->handoff_id, &scan->names[scan->count + 1]));
    scan->count += 2;
    if (bt_str_compare(entry->time, bt_str_of(scan->youngest)) > 0) {
        memcpy(scan->youngest, entry->time.ptr, BT_ENTRY_TIME_BYTES);
    }
    return BT_OK;
}

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct ledger_retention_scan *scan = context;
    struct bt_entry entry;
    if (bt_entry_read(row->entry, &entry) && bt_entry_is_about_document(&entry)) {
        scan->status = keep_names(scan, &entry);
    }
    return scan->status == BT_OK;
}

static enum bt_status add_hold_finding(struct bt_findings *refusals, bt_str pointer,
                                       enum bt_ledger_hold_by by, bt_str value)
{
    return bt_add_retention_hold(refusals, bt_ledger_part(pointer),
                                 by == BT_LEDGER_HOLD_TRACE     ? BT_RETENTION_HOLD_BY_TRACE
                                 : by == BT_LEDGER_HOLD_HANDOFF ? BT_RETENTION_HOLD_BY_HANDOFF
                                                                : BT_RETENTION_HOLD_BY_DOCUMENT,
                                 value);
}

/* The first hold that covers the document. */
static enum bt_status check_holds(struct bt_ledger_transaction *recording,
                                  const struct ledger_retention_scan *scan, bt_str hex,
                                  bt_str pointer, struct bt_findings *refusals,
                                  struct bt_error *error)
{
    const struct bt_store_cell *row = NULL;
    BT_TRY(
        find_hold(recording->ledger, recording->arena, BT_LEDGER_HOLD_DOCUMENT, hex, &row, error));
    if (row) {
        return add_hold_finding(refusals, pointer, BT_LEDGER_HOLD_DOCUMENT, hex);
    }
    for (size_t i = 0; i < scan->count; i++) {
        const enum bt_ledger_hold_by by =
            i % 2 == 0 ? BT_LEDGER_HOLD_TRACE : BT_LEDGER_HOLD_HANDOFF;
        if (scan->names[i].len == 0) {
            continue;
        }
        BT_TRY(find_hold(recording->ledger, recording->arena, by, scan->names[i], &row, error));
        if (row) {
            return add_hold_finding(refusals, pointer, by, scan->names[i]);
        }
    }
    return BT_OK;
}

static enum bt_status check_minimum(const struct bt_ledger_transaction *recording,
                                    const struct ledger_retention_scan *scan, bt_str pointer,
                                    uint64_t min_s, struct bt_findings *refusals)
{
    bt_instant now;
    bt_instant until;
    char text[BT_ENTRY_TIME_BYTES + 1];
    if (bt_instant_parse(bt_str_of(scan->youngest), &until) != BT_OK ||
        bt_instant_parse(bt_str_of(recording->time), &now) != BT_OK) {
        return BT_OK; /* no entry is about it */
    }
    until = bt_instant_after(until, min_s);
    if (now.seconds > until.seconds || (now.seconds == until.seconds && now.nanos >= until.nanos)) {
        return BT_OK;
    }
    bt_entry_time_put(until, text);
    return bt_add_retention_minimum(refusals, bt_ledger_part(pointer), bt_str_of(text));
}

enum bt_status bt_ledger_check_retention(struct bt_ledger_transaction *recording,
                                         const struct bt_merkle_hash *digest,
                                         const struct bt_ledger_retention *retention,
                                         struct bt_findings *refusals, struct bt_error *error)
{
    assert(recording);
    assert(digest);
    assert(refusals);
    struct ledger_retention_scan scan = {.arena = recording->arena};
    const struct bt_store_scan entries = {.order = BT_STORE_BY_DOCUMENT,
                                          .key = {(const char *)digest->bytes, BT_HASH_BYTES}};
    char digits[BT_HASH_HEX_BYTES];
    bt_str hex;
    bt_str pointer;
    bt_merkle_hash_hex(digest, digits);
    BT_TRY(bt_arena_copy(recording->arena, bt_str_of(digits), &hex));
    BT_TRY(bt_arena_printf(recording->arena, &pointer, "/documents/%s", digits));
    BT_TRY(bt_store_entry_scan(recording->ledger->store, &entries, take_entry, &scan, error));
    BT_TRY(scan.status);
    BT_TRY(check_holds(recording, &scan, hex, pointer, refusals, error));
    return bt_findings_count(refusals) > 0 || retention->is_early || retention->min_s == 0
               ? BT_OK
               : check_minimum(recording, &scan, pointer, retention->min_s, refusals);
}

/* ---- Setting and releasing ------------------------------------------------------------------- */

static enum bt_status put_hold(struct bt_ledger_transaction *recording,
                               const struct bt_ledger_hold_options *options, uint64_t since,
                               uint64_t released, struct bt_error *error)
{
    const struct bt_store_cell cells[BT_HOLD_COLUMNS] = {
        bt_store_cell_text(by_names[options->by]), bt_store_cell_text(options->value),
        bt_store_cell_text(options->reason), bt_store_cell_number(since),
        bt_store_cell_number(released)};
    return bt_store_row_put(recording->ledger->store, BT_TABLE_HOLD, cells, error);
}

/* The entry names what is held. BT_ENOENT: the document is unknown. */
static enum bt_status name_held(struct bt_ledger_transaction *recording,
                                const struct bt_ledger_hold_options *options,
                                struct bt_entry *entry, struct bt_error *error)
{
    struct bt_merkle_hash digest;
    struct bt_store_document document;
    if (options->by == BT_LEDGER_HOLD_TRACE) {
        entry->trace_id = options->value;
    } else if (options->by == BT_LEDGER_HOLD_HANDOFF) {
        entry->handoff_id = options->value;
    } else {
        if (!bt_merkle_hash_from_hex(options->value, &digest)) {
            return bt_error_set(error, BT_EINVAL, "a digest is 64 lower-case hexadecimal digits");
        }
        BT_TRY(bt_store_document_get(recording->ledger->store, recording->arena,
                                     (bt_str){(const char *)digest.bytes, BT_HASH_BYTES}, &document,
                                     error));
        entry->document.sha256 = options->value;
        entry->document.size = document.size;
    }
    return BT_OK;
}

static enum bt_status add_hold(struct bt_ledger_transaction *recording, void *context,
                               struct bt_error *error)
{
    struct bt_ledger_hold_options *options = context;
    const struct bt_store_cell *row = NULL;
    struct bt_entry *entry = BT_NEW(recording->arena, struct bt_entry);
    struct bt_ledger_record *recorded = BT_NEW(recording->arena, struct bt_ledger_record);
    if (!entry || !recorded) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    if (recording->ledger->form.version < 2) {
        return bt_error_set(error, BT_EINVAL,
                            "entries of version 1 have no holds; baton store migrate --entries 2 "
                            "switches the log over");
    }
    bt_entry_init(entry);
    BT_TRY(
        find_hold(recording->ledger, recording->arena, options->by, options->value, &row, error));
    options->value = row ? row[BT_HOLD_VALUE].text : options->value;
    BT_TRY(name_held(recording, options, entry, error));
    options->was_there = (row != NULL) != options->releases;
    if (options->was_there) {
        return BT_OK;
    }
    entry->actor = options->actor;
    entry->kind = BT_STR("hold");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->refs.event = options->releases ? BT_STR("released") : BT_STR("set");
    entry->refs.reason = options->reason;
    BT_TRY(bt_ledger_transaction_add_entry(recording, entry, NULL, recorded, error));
    const uint64_t seq = recorded->entry.seq;
    BT_TRY(put_hold(recording, options, row ? (uint64_t)row[BT_HOLD_SINCE].number : seq,
                    options->releases ? seq : BT_STORE_NONE, error));
    return bt_ledger_transaction_copy_record(recording, recorded, &options->record);
}

enum bt_status bt_ledger_change_hold(struct bt_ledger *ledger, struct bt_env *env,
                                     struct bt_arena *arena, struct bt_ledger_hold_options *options,
                                     struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    assert(options);
    struct bt_ledger_transaction recording = {.ledger = ledger, .env = env, .arena = arena};
    options->record = BT_STR("");
    options->was_there = false;
    if (!bt_entry_text_is_valid(options->reason)) {
        return bt_error_set(error, BT_EINVAL, "a reason is 1 to 200 of [A-Za-z0-9 ._:/@+,-]");
    }
    if (options->by != BT_LEDGER_HOLD_DOCUMENT && !bt_entry_name_is_valid(options->value)) {
        return bt_error_set(error, BT_EINVAL, "an id is 1 to 200 of [A-Za-z0-9._:/@+-]");
    }
    if (options->by == BT_LEDGER_HOLD_HANDOFF) {
        BT_TRY(bt_ascii_lower_copy(arena, options->value, &options->value));
    }
    return bt_ledger_transaction_run(&recording, add_hold, options, alarms, error);
}

/* ---- Listing --------------------------------------------------------------------------------- */

struct ledger_hold_list {
    struct bt_arena *arena;
    struct bt_ledger_hold *items;
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static enum bt_status keep_hold(struct ledger_hold_list *list, const struct bt_store_cell *cells)
{
    BT_TRY(bt_vec_grow(list->arena, &list->items, list->count, &list->capacity, 1,
                       sizeof(*list->items)));
    struct bt_ledger_hold *hold = &list->items[list->count++];
    hold->since_seq = (uint64_t)cells[BT_HOLD_SINCE].number;
    hold->since = BT_STR("");
    BT_TRY(bt_arena_copy(list->arena, cells[BT_HOLD_BY].text, &hold->by));
    BT_TRY(bt_arena_copy(list->arena, cells[BT_HOLD_VALUE].text, &hold->value));
    return bt_arena_copy(list->arena, cells[BT_HOLD_REASON].text, &hold->reason);
}

static bool take_hold(void *context, const struct bt_store_cell *cells)
{
    struct ledger_hold_list *list = context;
    if (cells[BT_HOLD_RELEASED].type == BT_STORE_CELL_NULL) {
        list->status = keep_hold(list, cells);
    }
    return list->status == BT_OK;
}

struct ledger_hold_time {
    struct bt_arena *arena;
    bt_str time;
    enum bt_status status;
};

static bool take_time(void *context, const struct bt_store_entry *row)
{
    struct ledger_hold_time *found = context;
    struct bt_entry entry;
    if (bt_entry_read(row->entry, &entry)) {
        found->status = bt_arena_copy(found->arena, entry.time, &found->time);
    }
    return false;
}

static enum bt_status read_holds(struct bt_ledger *ledger, struct ledger_hold_list *list,
                                 struct bt_error *error)
{
    const struct bt_store_row_range all = {BT_TABLE_HOLD, NULL, 0};
    BT_TRY(bt_store_row_scan(ledger->store, &all, take_hold, list, error));
    BT_TRY(list->status);
    for (size_t i = 0; i < list->count; i++) {
        struct ledger_hold_time found = {list->arena, BT_STR(""), BT_OK};
        const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = list->items[i].since_seq};
        BT_TRY(bt_store_entry_scan(ledger->store, &scan, take_time, &found, error));
        BT_TRY(found.status);
        list->items[i].since = found.time;
    }
    return BT_OK;
}

enum bt_status bt_ledger_list_holds(struct bt_ledger *ledger, struct bt_arena *arena,
                                    struct bt_ledger_holds *out, struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct ledger_hold_list list = {.arena = arena};
    BT_TRY(bt_store_begin_read(ledger->store, error));
    const enum bt_status status = read_holds(ledger, &list, error);
    bt_store_rollback(ledger->store);
    *out = (struct bt_ledger_holds){list.items, list.count};
    return status;
}
