/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - read the log: its head, its entries, its checkpoints.
 *
 * No entry is shown whose bytes do not hash to its leaf.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <baton/json.h>

#include "base/vec.h"
#include "ledger/entry.h"
#include "ledger/figures.h"
#include "ledger/ledger_internal.h"

enum { WINDOW_MIN = 16, WINDOW_MAX = 4096 }; /* segments whose places are read at once */

enum bt_status bt_ledger_head(struct bt_ledger *ledger, struct bt_arena *arena,
                              struct bt_findings *alarms, struct bt_ledger_head *out,
                              struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct bt_ledger_state *state = BT_NEW(arena, struct bt_ledger_state);
    if (!state) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_state(ledger, arena, alarms, state, error));
    struct bt_ledger_head head = {
        .store = bt_store_url(ledger->store)->url,
        .origin = ledger->origin,
        .vkey = ledger->vkey_text,
        .is_test_key = ledger->is_test_key,
        .size = state->tree.size,
    };
    BT_TRY(bt_ledger_hex(arena, &state->root, &head.root));
    *out = head;
    return BT_OK;
}

enum bt_status bt_ledger_check_memory(struct bt_ledger *ledger, struct bt_arena *arena,
                                      struct bt_findings *alarms, struct bt_error *error)
{
    assert(ledger);
    struct bt_ledger_state *state = BT_NEW(arena, struct bt_ledger_state);
    if (!state) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_state(ledger, arena, alarms, state, error));
    return bt_findings_count(alarms) == 0
               ? bt_ledger_check_head_file(ledger, arena, state, alarms, error)
               : BT_OK;
}

enum bt_status bt_ledger_locate(struct bt_arena *arena, const struct bt_ledger_options *options,
                                struct bt_ledger_location *out, struct bt_error *error)
{
    struct bt_store_location place;
    BT_TRY(bt_ledger_find_store(arena, options, true, &place, error));
    out->url = place.url;
    out->path = place.backend == BT_STORE_SQLITE ? place.path : BT_STR("");
    return bt_ledger_companion_path(arena, &place, ".key", &out->key);
}

/* Check that a row hashes to its leaf; else add a finding. */
static enum bt_status check_leaf(const struct bt_store_entry *row, struct bt_findings *alarms,
                                 bool *out_fine)
{
    struct bt_merkle_hash leaf;
    bt_merkle_hash_leaf(row->entry, &leaf);
    *out_fine = bt_str_eq(row->leaf, (bt_str){(const char *)leaf.bytes, BT_HASH_BYTES});
    return *out_fine ? BT_OK : bt_ledger_add_leaf_finding(alarms, row->seq, row->leaf, &leaf);
}

static enum bt_status keep_entry(struct bt_arena *arena, const struct bt_store_entry *row,
                                 struct bt_ledger_entry *out)
{
    struct bt_merkle_hash leaf;
    bt_merkle_hash_leaf(row->entry, &leaf);
    out->seq = row->seq;
    BT_TRY(bt_ledger_hex(arena, &leaf, &out->leaf_hash));
    return bt_arena_copy(arena, row->entry, &out->text);
}

/* A scan that collects matching entries. */
struct ledger_list_state {
    struct bt_arena *arena;
    const struct bt_ledger_filter *filter;
    struct bt_findings *alarms;
    uint64_t size; /* entries beyond it are not signed and not shown */
    bt_str handoff_id;
    bt_str trace_id;
    struct bt_ledger_entry *items;
    size_t count;
    size_t capacity;
    bool is_backwards;
    uint64_t scanned;  /* number of entries scanned */
    uint64_t last;     /* the last entry scanned */
    uint64_t range[2]; /* the first and the last entry of this scan */
    bool is_over;      /* nothing beyond this scan is needed */
    bool is_cut;       /* more entries would match */
    enum bt_status status;
};

static bool is_within(const struct bt_ledger_filter *filter, bt_str time)
{
    bt_instant instant;
    if (!filter->has_since && !filter->has_until) {
        return true;
    }
    if (bt_instant_parse(time, &instant) != BT_OK) {
        return false;
    }
    const bt_instant since = filter->since;
    const bt_instant until = filter->until;
    const bool is_early = instant.seconds < since.seconds ||
                          (instant.seconds == since.seconds && instant.nanos < since.nanos);
    const bool is_late = instant.seconds > until.seconds ||
                         (instant.seconds == until.seconds && instant.nanos > until.nanos);
    return !(filter->has_since && is_early) && !(filter->has_until && is_late);
}

/* The filter is compared with the text of the entry, not with the copies in other columns. */
static bool is_filter_match(const struct ledger_list_state *tail, bt_str text)
{
    struct bt_entry entry;
    const struct bt_ledger_filter *filter = tail->filter;
    if (filter->accept && !filter->accept(filter->context, text)) {
        return false;
    }
    const bool is_plain = filter->kind.len == 0 && filter->verdict.len == 0 &&
                          tail->handoff_id.len == 0 && tail->trace_id.len == 0 &&
                          !filter->has_since && !filter->has_until;
    if (is_plain) {
        return true;
    }
    return bt_entry_read(text, &entry) &&
           (filter->kind.len == 0 || bt_str_eq(entry.kind, filter->kind)) &&
           (filter->verdict.len == 0 || bt_str_eq(entry.verdict, filter->verdict)) &&
           (tail->handoff_id.len == 0 || bt_str_eq(entry.handoff_id, tail->handoff_id)) &&
           (tail->trace_id.len == 0 || bt_ascii_equal_nocase(entry.trace_id, tail->trace_id)) &&
           is_within(filter, entry.time);
}

static enum bt_status collect_entry(struct ledger_list_state *tail,
                                    const struct bt_store_entry *row)
{
    bool fine = false;
    if (!tail->is_backwards && row->seq < tail->filter->from) {
        return BT_OK;
    }
    BT_TRY(check_leaf(row, tail->alarms, &fine));
    if (!fine || !is_filter_match(tail, row->entry)) {
        return BT_OK;
    }
    BT_TRY(bt_vec_reserve(tail->arena, tail, 1));
    return keep_entry(tail->arena, row, &tail->items[tail->count++]);
}

static bool take_row(void *context, const struct bt_store_entry *row)
{
    struct ledger_list_state *tail = context;
    const struct bt_ledger_filter *filter = tail->filter;
    const struct bt_arena_mark before = bt_arena_mark(tail->arena);
    const size_t count = tail->count;
    if (row->seq >= tail->size) {
        return tail->is_backwards; /* entries added in the meantime lie before the rest */
    }
    if (tail->is_backwards && filter->before > 0 && row->seq >= filter->before) {
        return true;
    }
    if (row->seq < tail->range[0] || row->seq > tail->range[1]) {
        return false;
    }
    if (count == filter->count || (filter->scan_max > 0 && tail->scanned == filter->scan_max)) {
        tail->is_cut = true; /* there is one more */
        tail->is_over = true;
        return false;
    }
    tail->status = collect_entry(tail, row);
    if (tail->count == count && bt_findings_count(tail->alarms) == 0) {
        bt_arena_rewind(tail->arena, before);
    }
    tail->scanned++;
    tail->last = row->seq;
    tail->is_over = tail->status != BT_OK || bt_findings_count(tail->alarms) > 0;
    return !tail->is_over;
}

static void reverse_entries(struct bt_ledger_entry *items, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const struct bt_ledger_entry first = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = first;
    }
}

/* True when the scan goes on from this segment without another window. */
static bool is_in_window(const struct bt_figures_segments *segments, uint64_t segment,
                         bool is_backwards)
{
    return is_backwards ? segment >= segments->first
                        : segment < segments->end || segments->end == segments->count;
}

/* Find the next segments in a row, from entry `at` on, that may have a wanted entry. False: the
 * window has none. */
static bool find_range(const struct bt_figures_segments *segments, uint64_t at, bool is_backwards,
                       uint64_t out[2])
{
    const uint64_t step = is_backwards ? UINT64_MAX : 1;
    uint64_t first = at / BT_FIGURES_SEGMENT;
    while (is_in_window(segments, first, is_backwards) &&
           !bt_figures_segment_fits(segments, first)) { /* ends: those not counted fit */
        if (is_backwards && first == 0) {
            return false;
        }
        first += step;
    }
    if (!is_in_window(segments, first, is_backwards)) {
        return false;
    }
    uint64_t last = first;
    while (is_backwards ? last > segments->first && bt_figures_segment_fits(segments, last - 1)
                        : last < segments->count && bt_figures_segment_fits(segments, last + 1)) {
        last += step;
    }
    const uint64_t lowest = (is_backwards ? last : first) * BT_FIGURES_SEGMENT;
    const uint64_t highest = is_backwards ? first * BT_FIGURES_SEGMENT + BT_FIGURES_SEGMENT - 1
                             : last < segments->count
                                 ? last * BT_FIGURES_SEGMENT + BT_FIGURES_SEGMENT - 1
                                 : UINT64_MAX;
    out[0] = !is_backwards && at > lowest ? at : lowest;
    out[1] = is_backwards && at < highest ? at : highest;
    return true;
}

/* Find the wanted segments among the next `width`, beyond those that lie in other hours. */
static enum bt_status find_window(struct bt_ledger *ledger, const struct ledger_list_state *tail,
                                  uint64_t at, uint64_t width, struct bt_figures_segments *segments,
                                  struct bt_error *error)
{
    const uint64_t segment = at / BT_FIGURES_SEGMENT;
    uint64_t window[2] = {segment, segment + 1};
    if (tail->is_backwards) {
        window[1] = window[1] < segments->count ? window[1] : segments->count;
        while (window[1] > 0 && !bt_figures_segment_is_in_range(segments, window[1] - 1)) {
            window[1]--;
        }
        window[0] = window[1] > width ? window[1] - width : 0;
    } else {
        window[0] = segment < segments->count ? segment : segments->count;
        while (window[0] < segments->count &&
               !bt_figures_segment_is_in_range(segments, window[0])) {
            window[0]++;
        }
        window[1] = segments->count - window[0] > width ? window[0] + width : segments->count;
    }
    return bt_ledger_find_segments(ledger, tail->arena, tail->filter->places, window, segments,
                                   error);
}

/* Scan the segments of the window that may have a wanted entry, from entry *at on. */
static enum bt_status scan_window(struct bt_ledger *ledger, struct ledger_list_state *tail,
                                  const struct bt_figures_segments *segments, uint64_t *at,
                                  struct bt_error *error)
{
    while (!tail->is_over && find_range(segments, *at, tail->is_backwards, tail->range)) {
        const struct bt_store_scan scan = {
            .order = tail->is_backwards ? BT_STORE_DOWN : BT_STORE_UP,
            .from = tail->range[tail->is_backwards ? 1 : 0],
        };
        BT_TRY(bt_store_entry_scan(ledger->store, &scan, take_row, tail, error));
        tail->is_over = tail->is_over ||
                        (tail->is_backwards ? tail->range[0] == 0 : tail->range[1] >= tail->size);
        *at = tail->is_backwards ? tail->range[0] - 1 : tail->range[1] + 1;
    }
    return BT_OK;
}

/* Scan the segments that may have a wanted entry, from entry `at` on. Their places are read in
 * windows, the first of which are small: most lists are full after a few segments. */
static enum bt_status scan_segments(struct bt_ledger *ledger, struct ledger_list_state *tail,
                                    uint64_t at, struct bt_error *error)
{
    struct bt_figures_segments segments = {0};
    uint64_t width = WINDOW_MIN;
    if (tail->filter->places) {
        BT_TRY(bt_ledger_find_hours(ledger, tail->arena, tail->filter->places, &segments, error));
    }
    while (!tail->is_over) {
        if (segments.count > 0) {
            BT_TRY(find_window(ledger, tail, at, width, &segments, error));
        }
        BT_TRY(scan_window(ledger, tail, &segments, &at, error));
        if (tail->is_backwards ? segments.first == 0 : segments.end == segments.count) {
            break;
        }
        at = tail->is_backwards ? segments.first * BT_FIGURES_SEGMENT - 1
                                : segments.end * BT_FIGURES_SEGMENT;
        width = width < WINDOW_MAX ? 4 * width : width;
    }
    return BT_OK;
}

static enum bt_status end_tail(struct ledger_list_state *tail, struct bt_ledger_entries *out,
                               struct bt_error *error)
{
    if (tail->status != BT_OK) {
        return bt_error_set(error, tail->status, "%s", bt_status_text(tail->status));
    }
    if (tail->is_backwards) {
        reverse_entries(tail->items, tail->count);
    }
    *out = (struct bt_ledger_entries){tail->count, tail->items, tail->is_cut,
                                      tail->scanned > 0 ? tail->last : BT_LEDGER_SEQ_NONE};
    return BT_OK;
}

enum bt_status bt_ledger_list_entries(struct bt_ledger *ledger, struct bt_arena *arena,
                                      const struct bt_ledger_filter *filter,
                                      struct bt_findings *alarms, struct bt_ledger_entries *out,
                                      struct bt_error *error)
{
    assert(filter);
    assert(out);
    struct bt_ledger_head head = {.size = 0};
    struct ledger_list_state tail = {
        .arena = arena, .filter = filter, .alarms = alarms, .range = {0, UINT64_MAX}};
    BT_TRY(bt_ledger_head(ledger, arena, alarms, &head, error));
    *out = (struct bt_ledger_entries){.last = BT_LEDGER_SEQ_NONE};
    if (bt_findings_count(alarms) > 0 || head.size == 0 || filter->count == 0) {
        return BT_OK;
    }
    BT_TRY(bt_ascii_lower_copy(arena, filter->handoff_id, &tail.handoff_id));
    BT_TRY(bt_ascii_lower_copy(arena, filter->trace_id, &tail.trace_id));
    tail.size = head.size;
    tail.is_backwards = filter->from == BT_LEDGER_SEQ_NONE;
    if (tail.handoff_id.len > 0) {
        const struct bt_store_scan named = {.order = tail.is_backwards ? BT_STORE_BY_HANDOFF_DOWN
                                                                       : BT_STORE_BY_HANDOFF,
                                            .key = tail.handoff_id};
        BT_TRY(bt_store_entry_scan(ledger->store, &named, take_row, &tail, error));
        return end_tail(&tail, out, error);
    }
    if (filter->is_exact && filter->trace_id.len > 0) {
        const struct bt_store_scan named = {.order = tail.is_backwards ? BT_STORE_BY_TRACE_DOWN
                                                                       : BT_STORE_BY_TRACE,
                                            .key = filter->trace_id};
        BT_TRY(bt_store_entry_scan(ledger->store, &named, take_row, &tail, error));
        return end_tail(&tail, out, error);
    }
    const uint64_t from = !tail.is_backwards                                 ? filter->from
                          : filter->before > 0 && filter->before < head.size ? filter->before - 1
                                                                             : head.size - 1;
    BT_TRY(from < head.size ? scan_segments(ledger, &tail, from, error) : BT_OK);
    return end_tail(&tail, out, error);
}

struct ledger_get_state {
    struct bt_arena *arena;
    struct bt_findings *alarms;
    struct bt_ledger_entry entry;
    bool found;
    enum bt_status status;
    uint64_t seq;
};

static bool take_one(void *context, const struct bt_store_entry *row)
{
    struct ledger_get_state *one = context;
    if (row->seq == one->seq) {
        one->status = check_leaf(row, one->alarms, &one->found);
        if (one->status == BT_OK && one->found) {
            one->status = keep_entry(one->arena, row, &one->entry);
        }
    }
    return false;
}

static enum bt_status read_one(struct bt_ledger *ledger, struct ledger_get_state *one,
                               struct bt_error *error)
{
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = one->seq};
    BT_TRY(bt_store_entry_scan(ledger->store, &scan, take_one, one, error));
    if (one->status != BT_OK) {
        return bt_error_set(error, one->status, "%s", bt_status_text(one->status));
    }
    return one->found || bt_findings_count(one->alarms) > 0
               ? BT_OK
               : bt_error_set(error, BT_ECORRUPT, "entry %" PRIu64 " is missing", one->seq);
}

/* The state of the document that the entry names. */
static enum bt_status find_document(struct bt_ledger *ledger, struct bt_arena *arena,
                                    const struct bt_entry *entry,
                                    struct bt_ledger_entry_view *shown, struct bt_error *error)
{
    struct bt_merkle_hash digest;
    struct bt_store_document document = {0};
    shown->state = BT_DOCUMENT_ABSENT;
    if (entry->document.sha256.len == 0) {
        return BT_OK;
    }
    shown->sha256 = entry->document.sha256;
    shown->size = entry->document.size;
    shown->state = BT_DOCUMENT_NOT_STORED;
    if (entry->document.kept != BT_TRUE) {
        return BT_OK; /* whatever other entries did with these bytes */
    }
    const bool is_digest = bt_merkle_hash_from_hex(entry->document.sha256, &digest);
    assert(is_digest);
    const bt_str key = {(const char *)digest.bytes, BT_HASH_BYTES};
    const enum bt_status status =
        bt_store_document_get(ledger->store, arena, key, &document, error);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    if (document.redacted_seq != BT_STORE_NONE) {
        shown->state = BT_DOCUMENT_REDACTED;
    } else if (document.has_bytes) {
        shown->state = BT_DOCUMENT_STORED;
        shown->bytes = document.bytes;
    }
    return BT_OK;
}

enum bt_status bt_ledger_read_entry(struct bt_ledger *ledger, struct bt_arena *arena, uint64_t seq,
                                    struct bt_findings *alarms, struct bt_ledger_entry *out,
                                    struct bt_error *error)
{
    assert(out);
    struct bt_ledger_head head = {.size = 0};
    struct ledger_get_state one = {.arena = arena, .alarms = alarms, .seq = seq};
    *out = (struct bt_ledger_entry){.text = BT_STR("")};
    BT_TRY(bt_ledger_head(ledger, arena, alarms, &head, error));
    if (bt_findings_count(alarms) > 0) {
        return BT_OK;
    }
    if (seq >= head.size) {
        return bt_error_set(error, BT_ENOENT,
                            "the ledger has %" PRIu64 " entries; it has no entry %" PRIu64,
                            head.size, seq);
    }
    BT_TRY(read_one(ledger, &one, error));
    if (bt_findings_count(alarms) == 0) {
        *out = one.entry;
    }
    return BT_OK;
}

enum bt_status bt_ledger_get_entry(struct bt_ledger *ledger, struct bt_arena *arena, uint64_t seq,
                                   struct bt_findings *alarms, struct bt_ledger_entry_view *out,
                                   struct bt_error *error)
{
    assert(out);
    struct bt_entry *entry = BT_NEW(arena, struct bt_entry);
    struct bt_ledger_entry_view shown = {.state = BT_DOCUMENT_ABSENT};
    if (!entry) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_ledger_read_entry(ledger, arena, seq, alarms, &shown.entry, error));
    if (bt_findings_count(alarms) == 0 && bt_entry_read(shown.entry.text, entry)) {
        BT_TRY(find_document(ledger, arena, entry, &shown, error));
    }
    *out = shown;
    return BT_OK;
}

static bool take_accepted(void *context, const struct bt_store_entry *row)
{
    struct ledger_get_state *one = context;
    struct bt_entry entry;
    one->found = bt_entry_read(row->entry, &entry) &&
                 !bt_str_eq(entry.verdict, BT_STR("rejected")) &&
                 !bt_str_eq(entry.kind, BT_STR("hold")); /* which names it, and may come first */
    one->seq = row->seq;
    return !one->found;
}

enum bt_status bt_ledger_find_handoff(struct bt_ledger *ledger, bt_str handoff_id,
                                      uint64_t *out_seq, struct bt_error *error)
{
    assert(out_seq);
    struct ledger_get_state one = {0};
    struct bt_arena arena;
    struct bt_store_scan scan = {.order = BT_STORE_BY_HANDOFF};
    bt_arena_init(&arena, 1 << 16);
    enum bt_status status = bt_ascii_lower_copy(&arena, handoff_id, &scan.key);
    if (status == BT_OK) {
        status = bt_store_entry_scan(ledger->store, &scan, take_accepted, &one, error);
    }
    bt_arena_free(&arena);
    BT_TRY(status);
    if (!one.found) {
        return bt_error_set(error, BT_ENOENT, "no entry that is not a refusal has this handoff id");
    }
    *out_seq = one.seq;
    return BT_OK;
}
