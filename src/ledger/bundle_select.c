/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bundle_select.c - which entries a bundle discloses.
 *
 * The entries of the range are read up to three times: to mark those that match and those linked to
 * them, to note their documents, and to take them together with the redactions of these documents
 * and all `key` and `policy` entries.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/map.h"
#include "base/vec.h"
#include "ledger/bundle_internal.h"

enum { MARK_MATCHES = 1, MARK_LINKED = 2 };

/* One reading of the range. */
struct ledger_bundle_pass {
    struct bt_ledger *ledger;
    struct bt_arena *arena;
    const struct bt_ledger_bundle_options *options;
    struct bt_ledger_bundle_selection *selection;
    bt_str value;          /* of the selection, as entries spell it */
    uint8_t *marks;        /* of the entries from selection->from on */
    struct bt_map digests; /* of the documents of marked entries */
    struct bt_entry *entry;
    bool is_readable; /* *entry is set: it is not of a later version */
    enum bt_status (*step)(struct ledger_bundle_pass *pass, const struct bt_store_entry *row);
    struct bt_error *error;
    enum bt_status status;
};

static bool take_row(void *context, const struct bt_store_entry *row)
{
    struct ledger_bundle_pass *pass = context;
    struct bt_merkle_hash leaf;
    if (row->seq > pass->selection->to) {
        return false;
    }
    bt_merkle_hash_leaf(row->entry, &leaf);
    if (!bt_str_eq(row->leaf, (bt_str){(const char *)leaf.bytes, BT_HASH_BYTES})) {
        pass->status =
            bt_error_set(pass->error, BT_ECORRUPT,
                         "entry %" PRIu64 " is damaged; run baton ledger verify", row->seq);
        return false;
    }
    pass->is_readable = bt_entry_read(row->entry, pass->entry);
    pass->status = pass->step(pass, row);
    return pass->status == BT_OK && row->seq < pass->selection->to;
}

static enum bt_status read_range(struct ledger_bundle_pass *pass,
                                 enum bt_status (*step)(struct ledger_bundle_pass *pass,
                                                        const struct bt_store_entry *row))
{
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = pass->selection->from};
    pass->step = step;
    BT_TRY(bt_store_entry_scan(pass->ledger->store, &scan, take_row, pass, pass->error));
    return pass->status == BT_ENOMEM || pass->status == BT_ELIMIT
               ? bt_error_set(pass->error, pass->status, "%s",
                              pass->status == BT_ELIMIT
                                  ? "more than 100,000 entries; narrow them with --from, --to, "
                                    "--handoff, --trace or --agent"
                                  : bt_status_text(pass->status))
               : pass->status;
}

/* ---- Range ----------------------------------------------------------------------------------- */

static int compare_time(bt_str time, bt_instant instant)
{
    char text[BT_ENTRY_TIME_BYTES + 1];
    bt_entry_time_put(instant, text);
    return bt_str_compare(time, bt_str_of(text));
}

/* The first entry at or after options->from and the last at or before options->to, by time. */
struct ledger_bundle_times {
    uint64_t first; /* BT_SEQ_ABSENT: none */
    uint64_t last;
    const struct bt_ledger_bundle_options *options;
};

static bool find_times(void *context, const struct bt_store_entry *row)
{
    struct ledger_bundle_times *times = context;
    const struct bt_ledger_bundle_options *options = times->options;
    struct bt_entry entry;
    if (bt_entry_read(row->entry, &entry)) {
        if (times->first == BT_SEQ_ABSENT && options->from.is_time &&
            compare_time(entry.time, options->from.time) >= 0) {
            times->first = row->seq;
        }
        if (options->to.is_time && compare_time(entry.time, options->to.time) <= 0) {
            times->last = row->seq;
        }
    }
    return true;
}

static enum bt_status find_range(struct ledger_bundle_pass *pass, uint64_t size)
{
    const struct bt_ledger_bundle_options *options = pass->options;
    struct ledger_bundle_times times = {BT_SEQ_ABSENT, BT_SEQ_ABSENT, options};
    const struct bt_store_scan scan = {.order = BT_STORE_UP};
    struct bt_ledger_bundle_selection *selection = pass->selection;
    selection->is_empty = size == 0 && !options->from.is_given && !options->to.is_given;
    if (selection->is_empty) {
        return BT_OK;
    }
    if (options->from.is_time || options->to.is_time) {
        BT_TRY(bt_store_entry_scan(pass->ledger->store, &scan, find_times, &times, pass->error));
    }
    selection->from = options->from.is_time ? times.first : options->from.seq;
    selection->to = options->to.is_time ? times.last : options->to.seq;
    if (!options->to.is_given || (selection->to >= size && selection->to != BT_SEQ_ABSENT)) {
        selection->to = size - 1;
    }
    return size == 0 || selection->to == BT_SEQ_ABSENT || selection->from > selection->to
               ? bt_error_set(pass->error, BT_EINVAL, "no entry is in this range")
               : BT_OK;
}

/* ---- Entries --------------------------------------------------------------------------------- */

static bool entry_matches(const struct ledger_bundle_pass *pass)
{
    const struct bt_entry *entry = pass->entry;
    switch (pass->options->by) {
    case BT_LEDGER_BUNDLE_HANDOFF:
        return bt_str_eq(entry->handoff_id, pass->value);
    case BT_LEDGER_BUNDLE_TRACE:
        return bt_str_eq(entry->trace_id, pass->value);
    case BT_LEDGER_BUNDLE_AGENT:
        return bt_str_eq(entry->source, pass->value) || bt_str_eq(entry->target, pass->value) ||
               bt_str_eq(entry->refs.agent, pass->value);
    case BT_LEDGER_BUNDLE_ALL:
        break;
    }
    return true;
}

/* A parent comes before its children, so one reading finds both directions. */
static enum bt_status mark_entry(struct ledger_bundle_pass *pass, const struct bt_store_entry *row)
{
    const uint64_t from = pass->selection->from;
    const uint64_t parent = pass->is_readable ? pass->entry->refs.parent : BT_SEQ_ABSENT;
    const bool has_parent = parent != BT_SEQ_ABSENT && parent >= from && parent < row->seq;
    uint8_t *mark = &pass->marks[row->seq - from];
    if (pass->is_readable && entry_matches(pass)) {
        *mark |= MARK_MATCHES;
        pass->selection->count++;
        if (has_parent) {
            pass->marks[parent - from] |= MARK_LINKED;
        }
    }
    if (has_parent && pass->marks[parent - from] & MARK_MATCHES) {
        *mark |= MARK_LINKED;
    }
    return BT_OK;
}

static enum bt_status note_document(struct ledger_bundle_pass *pass,
                                    const struct bt_store_entry *row)
{
    struct bt_map_key key = bt_map_text(pass->entry->document.sha256);
    struct bt_map_entry *ignored = NULL;
    if (!pass->is_readable || key.text.len == 0 || !pass->marks[row->seq - pass->selection->from] ||
        bt_map_find(&pass->digests, key)) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(pass->arena, key.text, &key.text));
    return bt_map_add(&pass->digests, key, &ignored);
}

static bool is_disclosed(const struct ledger_bundle_pass *pass, uint64_t seq)
{
    const struct bt_entry *entry = pass->entry;
    if (!pass->marks || pass->marks[seq - pass->selection->from]) {
        return true;
    }
    return pass->is_readable &&
           (bt_str_eq(entry->kind, BT_STR("key")) || bt_str_eq(entry->kind, BT_STR("policy")) ||
            (bt_str_eq(entry->kind, BT_STR("redaction")) &&
             bt_map_find(&pass->digests, bt_map_text(entry->document.sha256))));
}

static enum bt_status keep_entry(struct ledger_bundle_pass *pass, const struct bt_store_entry *row)
{
    struct bt_ledger_bundle_entry kept = {.seq = row->seq};
    if (!is_disclosed(pass, row->seq)) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(pass->arena, row->entry, &kept.text));
    return bt_vec_push_max(pass->arena, pass->selection, BT_LEDGER_BUNDLE_ENTRIES_MAX, kept);
}

static enum bt_status find_marks(struct ledger_bundle_pass *pass)
{
    struct bt_ledger_bundle_selection *selection = pass->selection;
    const uint64_t count = selection->to - selection->from + 1;
    uint64_t seed[2];
    BT_TRY(bt_ascii_lower_copy(pass->arena, pass->options->value, &pass->value));
    if (pass->options->by != BT_LEDGER_BUNDLE_HANDOFF) { /* only handoff ids are in lower case */
        pass->value = pass->options->value;
    }
    pass->marks = BT_NEW_ARRAY(pass->arena, uint8_t, count);
    if (!pass->marks || bt_env_make_seed(seed) != BT_OK) {
        return bt_error_set(pass->error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bt_map_init(&pass->digests, pass->arena, seed);
    BT_TRY(read_range(pass, mark_entry));
    if (selection->count == 0) {
        return bt_error_set(pass->error, BT_ENOENT, "no entry matches");
    }
    selection->count = 0;
    return read_range(pass, note_document);
}

enum bt_status bt_ledger_bundle_select(struct bt_ledger *ledger, struct bt_arena *arena,
                                       uint64_t size,
                                       const struct bt_ledger_bundle_options *options,
                                       struct bt_ledger_bundle_selection *out,
                                       struct bt_error *error)
{
    assert(options);
    struct bt_entry *entry = BT_NEW(arena, struct bt_entry);
    struct ledger_bundle_pass pass = {.ledger = ledger,
                                      .arena = arena,
                                      .options = options,
                                      .selection = out,
                                      .entry = entry,
                                      .error = error};
    *out = (struct bt_ledger_bundle_selection){0};
    if (!entry) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bt_entry_init(entry);
    BT_TRY(find_range(&pass, size));
    if (out->is_empty) {
        return options->by == BT_LEDGER_BUNDLE_ALL
                   ? BT_OK
                   : bt_error_set(error, BT_ENOENT, "no entry matches");
    }
    if (options->by != BT_LEDGER_BUNDLE_ALL) {
        BT_TRY(find_marks(&pass));
    }
    BT_TRY(read_range(&pass, keep_entry));
    if (options->by != BT_LEDGER_BUNDLE_ALL && !options->from.is_given && !options->to.is_given) {
        out->from = out->items[0].seq;
        out->to = out->items[out->count - 1].seq;
    }
    return BT_OK;
}
