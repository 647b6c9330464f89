/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - count the entries of complete segments by time and name.
 *
 * The space of a counter is "figures/SPAN/KIND/NUMBER": the length of the span in seconds, the word
 * of what is counted, and the time of the span divided by its length, in ten digits, so that spans
 * follow each other in the order of time. Only one row has the space "figures": the number of
 * entries that are counted.
 */
#include "ledger/figures.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "ledger/transaction.h"

enum {
    SEGMENTS_AT_ONCE = 4,
    SPANS = 3,
    SPACE_BYTES = 64,
    EDGE_BYTES_MAX = 512, /* two names and what separates them */
    MINUTE_BYTES = 16,    /* YYYY-MM-DDThh:mm */
    COUNTS_BYTES_MAX = 256 << 20,
};

static const uint32_t span_lengths[SPANS] = {60, 3600, 21600};
static const bt_str figures_space = BT_STR_INIT("figures");
static const bt_str figures_end = BT_STR_INIT("figures0"); /* '0' follows '/' */

static const char *const figure_words[] = {
    [BT_FIGURE_VERDICT] = "verdict",
    [BT_FIGURE_CODE] = "code",
    [BT_FIGURE_AGENT] = "agent",
    [BT_FIGURE_DIALECT] = "dialect",
    [BT_FIGURE_EDGE] = "edge",
    [BT_FIGURE_EVENT] = "event",
    [BT_FIGURE_REJECTED_AGENT] = "rejected-agent",
    [BT_FIGURE_REJECTED_DIALECT] = "rejected-dialect",
    [BT_FIGURE_REJECTED_EDGE] = "rejected-edge",
};
static_assert(sizeof(figure_words) / sizeof(figure_words[0]) == BT_FIGURE__MAX,
              "a word is missing");

/* ---- What an entry counts for ---------------------------------------------------------------- */

/* Two names with something between them, or "" when one of them is "". */
static bt_str join_names(char buffer[EDGE_BYTES_MAX], bt_str first, char between, bt_str second)
{
    if (first.len == 0 || second.len == 0 || first.len + second.len + 1 > EDGE_BYTES_MAX) {
        return BT_STR("");
    }
    memcpy(buffer, first.ptr, first.len);
    buffer[first.len] = between;
    memcpy(buffer + first.len + 1, second.ptr, second.len);
    return (bt_str){buffer, first.len + 1 + second.len};
}

void bt_figures_of_entry(const struct bt_entry *entry, bt_figure_name_fn *each, void *context)
{
    assert(entry);
    assert(each);
    char buffers[2][EDGE_BYTES_MAX];
    const bool is_rejected = bt_str_eq(entry->verdict, BT_STR("rejected"));
    const bt_str other = bt_str_eq(entry->source, entry->target) ? BT_STR("") : entry->target;
    const struct {
        enum bt_figure_kind kind;
        bt_str name;
        bool is_rejection;
    } names[] = {
        {BT_FIGURE_VERDICT, entry->verdict, false},
        {BT_FIGURE_AGENT, entry->source, false},
        {BT_FIGURE_AGENT, other, false},
        {BT_FIGURE_DIALECT, entry->dialect, false},
        {BT_FIGURE_EDGE, join_names(buffers[0], entry->source, '>', entry->target), false},
        {BT_FIGURE_EVENT, join_names(buffers[1], entry->kind, '/', entry->refs.event), false},
        {BT_FIGURE_REJECTED_AGENT, entry->source, true},
        {BT_FIGURE_REJECTED_AGENT, other, true},
        {BT_FIGURE_REJECTED_DIALECT, entry->dialect, true},
        {BT_FIGURE_REJECTED_EDGE, join_names(buffers[0], entry->source, '>', entry->target), true},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].name.len > 0 && (is_rejected || !names[i].is_rejection)) {
            each(context, names[i].kind, names[i].name);
        }
    }
    for (size_t i = 0; i < entry->codes.count; i++) {
        each(context, BT_FIGURE_CODE, entry->codes.items[i]);
    }
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* The counters of one segment. The number of a key is the number of its span, and its kind. */
struct figures_count {
    struct bt_arena arena;
    struct bt_map spans[SPANS];
    uint64_t minute;                /* of the entry that is counted ... */
    char minute_text[MINUTE_BYTES]; /* ... as its time is written up to there */
    enum bt_status status;
};

static enum bt_status add_count(struct bt_map *map, struct bt_map_key key, uint64_t count)
{
    struct bt_map_entry *found = bt_map_find(map, key);
    if (!found) {
        BT_TRY(bt_arena_copy(map->arena, key.text, &key.text));
        BT_TRY(bt_map_add(map, key, &found));
    }
    found->value.number += count;
    return BT_OK;
}

static void count_name(void *context, enum bt_figure_kind kind, bt_str name)
{
    struct figures_count *counting = context;
    const struct bt_map_key key = {name, counting->minute * BT_FIGURE__MAX + kind};
    if (counting->status == BT_OK) {
        counting->status = add_count(&counting->spans[0], key, 1);
    }
}

static bool count_text(void *context, const struct bt_store_entry *row)
{
    struct figures_count *counting = context;
    struct bt_entry entry;
    bt_instant time;
    if (!bt_entry_read(row->entry, &entry)) {
        return true; /* it is counted for nothing; verify reports it */
    }
    if (memcmp(counting->minute_text, entry.time.ptr, MINUTE_BYTES) != 0) {
        if (bt_instant_parse(entry.time, &time) != BT_OK) {
            return true;
        }
        counting->minute = (uint64_t)time.seconds / span_lengths[0];
        memcpy(counting->minute_text, entry.time.ptr, MINUTE_BYTES);
    }
    bt_figures_of_entry(&entry, count_name, counting);
    return counting->status == BT_OK;
}

/* Sum the minutes to longer spans. */
static enum bt_status sum_spans(struct figures_count *counting)
{
    const struct bt_map *minutes = &counting->spans[0];
    for (size_t span = 1; span < SPANS; span++) {
        const uint64_t ratio = span_lengths[span] / span_lengths[0];
        for (size_t i = 0; i < minutes->count; i++) {
            const struct bt_map_entry *from = &minutes->entries[i];
            const uint64_t number = from->key.number / BT_FIGURE__MAX / ratio;
            const struct bt_map_key key = {from->key.text, number * BT_FIGURE__MAX +
                                                               from->key.number % BT_FIGURE__MAX};
            BT_TRY(add_count(&counting->spans[span], key, from->value.number));
        }
    }
    return BT_OK;
}

static bt_str space_of(char buffer[SPACE_BYTES], uint32_t span_s, size_t kind, uint64_t number)
{
    const int length = snprintf(buffer, SPACE_BYTES, "figures/%" PRIu32 "/%s/%010" PRIu64, span_s,
                                figure_words[kind], number);
    assert(length > 0 && length < SPACE_BYTES);
    return (bt_str){buffer, (size_t)length};
}

static enum bt_status put_counts(struct bt_store *store, const struct figures_count *counting,
                                 uint64_t seq, struct bt_error *error)
{
    for (size_t span = 0; span < SPANS; span++) {
        for (size_t i = 0; i < counting->spans[span].count; i++) {
            const struct bt_map_entry *entry = &counting->spans[span].entries[i];
            char buffer[SPACE_BYTES];
            const bt_str key[2] = {space_of(buffer, span_lengths[span],
                                            entry->key.number % BT_FIGURE__MAX,
                                            entry->key.number / BT_FIGURE__MAX),
                                   entry->key.text};
            BT_TRY(bt_store_count_add(store, key, entry->value.number, seq, error));
        }
    }
    const bt_str size[2] = {figures_space, BT_STR("")};
    return bt_store_count_add(store, size, BT_FIGURES_SEGMENT, seq, error);
}

/* Count the segment that begins at `first`. Without memory nothing is written, and a later
 * transaction tries again: a decision is not refused because of figures. */
static enum bt_status count_segment(struct bt_store *store, uint64_t first, bool *out_done,
                                    struct bt_error *error)
{
    const uint64_t range[2] = {first, first + BT_FIGURES_SEGMENT};
    /* The names come from entries, so that collisions are bounded by the length of a segment. */
    const uint64_t seed[2] = {first, 0};
    struct figures_count counting = {.status = BT_OK};
    bt_arena_init(&counting.arena, COUNTS_BYTES_MAX);
    for (size_t i = 0; i < SPANS; i++) {
        bt_map_init(&counting.spans[i], &counting.arena, seed);
    }
    enum bt_status status = bt_store_text_scan(store, range, count_text, &counting, error);
    if (status == BT_OK && counting.status == BT_OK) {
        counting.status = sum_spans(&counting);
    }
    *out_done = status == BT_OK && counting.status == BT_OK;
    if (*out_done) {
        status = put_counts(store, &counting, range[1] - 1, error);
    }
    bt_arena_free(&counting.arena);
    return status;
}

static bool take_size(void *context, bt_str space, bt_str name, uint64_t count)
{
    (void)space;
    (void)name;
    *(uint64_t *)context = count;
    return false;
}

static enum bt_status counted_size(struct bt_store *store, uint64_t *out, struct bt_error *error)
{
    const bt_str range[2] = {figures_space, BT_STR("figures/")};
    *out = 0;
    return bt_store_count_scan(store, range, 1, take_size, out, error);
}

/* Count complete segments below `size`, at most `segments` of them. */
static enum bt_status count_up_to(struct bt_store *store, uint64_t size, uint64_t segments,
                                  struct bt_error *error)
{
    uint64_t counted = 0;
    bool is_done = true;
    BT_TRY(counted_size(store, &counted, error));
    for (uint64_t i = 0; i < segments && is_done && counted + BT_FIGURES_SEGMENT <= size; i++) {
        BT_TRY(count_segment(store, counted, &is_done, error));
        counted += BT_FIGURES_SEGMENT;
    }
    return BT_OK;
}

enum bt_status bt_ledger_count_segments(struct bt_ledger_transaction *recording,
                                        struct bt_error *error)
{
    assert(recording);
    const uint64_t before = recording->before.size;
    if (before / BT_FIGURES_SEGMENT == recording->state.tree.size / BT_FIGURES_SEGMENT) {
        return BT_OK;
    }
    return count_up_to(recording->ledger->store, before, SEGMENTS_AT_ONCE, error);
}

/* ---- Checking -------------------------------------------------------------------------------- */

static bool add_to_sum(void *context, bt_str space, bt_str name, uint64_t count)
{
    (void)space;
    (void)name;
    *(uint64_t *)context += count;
    return true;
}

enum bt_status bt_ledger_figures_agree(struct bt_ledger *ledger, uint64_t size, bool *out_agree,
                                       struct bt_error *error)
{
    assert(ledger);
    assert(out_agree);
    uint64_t counted = 0;
    BT_TRY(counted_size(ledger->store, &counted, error));
    *out_agree = counted <= size && counted % BT_FIGURES_SEGMENT == 0;
    for (size_t span = 0; span < SPANS && *out_agree; span++) {
        char buffers[2][SPACE_BYTES];
        const bt_str range[2] = {
            space_of(buffers[0], span_lengths[span], BT_FIGURE_VERDICT, 0),
            space_of(buffers[1], span_lengths[span], BT_FIGURE_VERDICT, UINT32_MAX)};
        uint64_t sum = 0;
        BT_TRY(bt_store_count_scan(ledger->store, range, INT64_MAX, add_to_sum, &sum, error));
        *out_agree = sum == counted;
    }
    return BT_OK;
}

enum bt_status bt_ledger_restore_figures(struct bt_ledger *ledger, uint64_t size, bool *out_changed,
                                         struct bt_error *error)
{
    assert(ledger);
    assert(out_changed);
    uint64_t counted = 0;
    bool is_fine = false;
    BT_TRY(bt_ledger_figures_agree(ledger, size, &is_fine, error));
    if (!is_fine) {
        const bt_str all[2] = {figures_space, figures_end};
        BT_TRY(bt_store_count_delete(ledger->store, all, error));
    }
    BT_TRY(counted_size(ledger->store, &counted, error));
    /* The last complete segment is counted with the next append anyway. */
    const bool is_behind = counted + 2 * BT_FIGURES_SEGMENT <= size;
    *out_changed = !is_fine || is_behind;
    return is_behind ? count_up_to(ledger->store, size, UINT64_MAX, error) : BT_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

struct figures_read {
    const struct bt_figures_query *query;
    size_t number; /* of the query */
    bt_figure_fn *each;
    void *context;
    uint64_t count;
};

static bool take_figure(void *context, bt_str space, bt_str name, uint64_t count)
{
    struct figures_read *reading = context;
    const bt_str digits = bt_str_after_last(space, '/');
    int64_t number = 0;
    if (++reading->count > reading->query->row_max) {
        return false;
    }
    for (size_t i = 0; i < digits.len; i++) {
        number = number * 10 + (digits.ptr[i] - '0');
    }
    const struct bt_figure figure = {reading->number, number * reading->query->span_s, name, count};
    reading->each(reading->context, &figure);
    return true;
}

static enum bt_status read_query(struct bt_store *store, struct figures_read *reading,
                                 struct bt_error *error)
{
    const struct bt_figures_query *query = reading->query;
    char buffers[2][SPACE_BYTES];
    const bt_str range[2] = {
        space_of(buffers[0], query->span_s, query->kind, (uint64_t)query->since_s / query->span_s),
        space_of(buffers[1], query->span_s, query->kind, (uint64_t)query->until_s / query->span_s)};
    return bt_store_count_scan(store, range, query->row_max + 1, take_figure, reading, error);
}

enum bt_status bt_ledger_read_figures(struct bt_ledger *ledger,
                                      const struct bt_figures_query *queries, size_t query_count,
                                      bt_figure_fn *each, void *context,
                                      struct bt_figures_result *out, struct bt_error *error)
{
    assert(ledger);
    assert(queries);
    assert(each);
    assert(out);
    struct bt_figures_result result = {0};
    BT_TRY(bt_store_begin_read(ledger->store, error));
    enum bt_status status = counted_size(ledger->store, &result.size, error);
    for (size_t i = 0; i < query_count && status == BT_OK; i++) {
        struct figures_read reading = {&queries[i], i, each, context, 0};
        status = read_query(ledger->store, &reading, error);
        result.is_cut = result.is_cut || reading.count > queries[i].row_max;
    }
    bt_store_rollback(ledger->store);
    BT_TRY(status);
    *out = result;
    return BT_OK;
}

static bool take_time(void *context, const struct bt_store_entry *row)
{
    bt_instant *time = context;
    struct bt_entry entry;
    if (!bt_entry_read(row->entry, &entry) || bt_instant_parse(entry.time, time) != BT_OK) {
        time->seconds = INT64_MAX / 2; /* it may be of any time */
    }
    return false;
}

enum bt_status bt_ledger_figures_size(struct bt_ledger *ledger, uint64_t *out_size,
                                      bt_instant *out_time, struct bt_error *error)
{
    assert(ledger);
    assert(out_size);
    assert(out_time);
    uint64_t counted = 0;
    BT_TRY(counted_size(ledger->store, &counted, error));
    const uint64_t range[2] = {counted - 1, counted};
    *out_time = (bt_instant){.seconds = 0};
    *out_size = counted;
    return counted > 0 ? bt_store_text_scan(ledger->store, range, take_time, out_time, error)
                       : BT_OK;
}
