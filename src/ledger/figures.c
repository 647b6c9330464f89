/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - count the entries of complete segments by time and name.
 *
 * The space of a counter is "figures/SPAN/KIND/NUMBER": the length of the span in seconds, the word
 * of what is counted, and the time of the span divided by its length, in ten digits, so that spans
 * follow each other in the order of time. The space of a place is "figures/places/KIND/NAME", and
 * its name the number of the segment. Only one row has the space "figures": the number of entries
 * that are counted. Its name says which rows there are: counters that were made without places are
 * made again.
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
    NAMES_MAX = 11,       /* that an entry counts for, besides its codes */
    KEY_BYTES_MAX = 2048,
    COUNTS_BYTES_MAX = 256 << 20,
    PLACE_BYTES = 640,
    PLACE_KIND_HOUR = BT_FIGURE__MAX, /* every entry has one */
    PLACE_ROWS_MAX = 200000,          /* of a name; one with more is not used to choose segments */
};

static const uint32_t span_lengths[SPANS] = {60, 3600, 21600};
static const bt_str figures_space = BT_STR_INIT("figures");
static const bt_str figures_end = BT_STR_INIT("figures0"); /* '0' follows '/' */
static const bt_str figures_version = BT_STR_INIT("with places");

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
    [BT_FIGURE_KIND] = "kind",
    [PLACE_KIND_HOUR] = "hour",
};
static_assert(sizeof(figure_words) / sizeof(figure_words[0]) == BT_FIGURE__MAX + 1,
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
        {BT_FIGURE_KIND, entry->kind, false},
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

/* Entries of one minute that count for the same names. */
struct figures_group {
    uint64_t minute;
    uint64_t count;
    size_t name_count;
    struct figures_name {
        enum bt_figure_kind kind;
        bt_str name;
    } names[];
};

struct figures_naming {
    struct bt_arena *arena;
    struct figures_group *group;
    enum bt_status status;
};

static void take_name(void *context, enum bt_figure_kind kind, bt_str name)
{
    struct figures_naming *naming = context;
    if (naming->status == BT_OK) {
        struct figures_name *to = &naming->group->names[naming->group->name_count++];
        to->kind = kind;
        naming->status = bt_arena_copy(naming->arena, name, &to->name);
    }
}

static enum bt_status make_group(struct bt_figures_segment *segment, const struct bt_entry *entry,
                                 struct figures_group **out)
{
    const size_t names_max = NAMES_MAX + entry->codes.count;
    struct figures_group *group =
        bt_arena_calloc(&segment->arena, 1, sizeof(*group) + names_max * sizeof(group->names[0]));
    if (!group) {
        return BT_ENOMEM;
    }
    struct figures_naming naming = {&segment->arena, group, BT_OK};
    bt_figures_of_entry(entry, take_name, &naming);
    assert(group->name_count <= names_max);
    group->minute = segment->minute;
    *out = group;
    return naming.status;
}

/* Write the members that decide which names an entry counts for; the length, or 0 when they are
 * too long. */
static size_t put_key(char buffer[KEY_BYTES_MAX], const struct bt_entry *entry)
{
    const bt_str members[] = {entry->verdict, entry->source, entry->target,
                              entry->dialect, entry->kind,   entry->refs.event};
    const size_t member_count = sizeof(members) / sizeof(members[0]);
    size_t length = 0;
    for (size_t i = 0; i < member_count + entry->codes.count; i++) {
        const bt_str text = i < member_count ? members[i] : entry->codes.items[i - member_count];
        if (text.len >= KEY_BYTES_MAX - length) {
            return 0;
        }
        if (text.len > 0) {
            memcpy(buffer + length, text.ptr, text.len);
        }
        length += text.len;
        buffer[length++] = '\0';
    }
    return length;
}

static void start_segment(struct bt_figures_segment *segment, uint64_t first)
{
    /* The names come from entries, so that collisions are bounded by the length of a segment. */
    const uint64_t seed[2] = {first, 0};
    bt_arena_free(&segment->arena);
    *segment =
        (struct bt_figures_segment){.next = first, .is_uncommitted = segment->is_uncommitted};
    bt_arena_init(&segment->arena, COUNTS_BYTES_MAX);
    bt_map_init(&segment->groups, &segment->arena, seed);
}

/* Count the next entry of a segment. An entry without a valid time counts for nothing; verify
 * reports it. */
static enum bt_status count_entry(struct bt_figures_segment *segment, const struct bt_entry *entry)
{
    char buffer[KEY_BYTES_MAX];
    segment->next++;
    if (memcmp(segment->minute_text, entry->time.ptr, sizeof(segment->minute_text)) != 0) {
        bt_instant time;
        if (bt_instant_parse(entry->time, &time) != BT_OK) {
            return BT_OK;
        }
        segment->minute = (uint64_t)time.seconds / span_lengths[0];
        memcpy(segment->minute_text, entry->time.ptr, sizeof(segment->minute_text));
    }
    const size_t length = put_key(buffer, entry);
    /* Without a key the entry is a group of its own, by its number. */
    struct bt_map_key key = {{buffer, length}, length > 0 ? segment->minute : segment->next};
    struct bt_map_entry *found = bt_map_find(&segment->groups, key);
    if (!found) {
        struct figures_group *group = NULL;
        BT_TRY(make_group(segment, entry, &group));
        BT_TRY(bt_arena_copy(&segment->arena, key.text, &key.text));
        BT_TRY(bt_map_add(&segment->groups, key, &found));
        found->value.pointer = group;
    }
    ((struct figures_group *)found->value.pointer)->count++;
    return BT_OK;
}

/* The counters of one span length. The number of a key is the number of its span, and its kind. */
static enum bt_status sum_groups(struct bt_figures_segment *segment, size_t span,
                                 struct bt_map *sums)
{
    const uint64_t ratio = span_lengths[span] / span_lengths[0];
    for (size_t i = 0; i < segment->groups.count; i++) {
        const struct figures_group *group = segment->groups.entries[i].value.pointer;
        for (size_t k = 0; k < group->name_count; k++) {
            const struct bt_map_key key = {group->names[k].name,
                                           group->minute / ratio * BT_FIGURE__MAX +
                                               group->names[k].kind};
            struct bt_map_entry *sum = NULL;
            BT_TRY(bt_map_add(sums, key, &sum));
            sum->value.number += group->count;
        }
    }
    return BT_OK;
}

/* A number in ten digits, so that numbers sort as texts do. */
static bt_str put_number(char buffer[SPACE_BYTES], uint64_t number)
{
    const int length = snprintf(buffer, SPACE_BYTES, "%010" PRIu64, number);
    return (bt_str){buffer, (size_t)length};
}

/* The places of a segment. The number of a key is its kind. */
static enum bt_status sum_places(struct bt_figures_segment *segment, struct bt_map *places)
{
    for (size_t i = 0; i < segment->groups.count; i++) {
        const struct figures_group *group = segment->groups.entries[i].value.pointer;
        struct bt_map_entry *place = NULL;
        char digits[SPACE_BYTES];
        bt_str hour = put_number(digits, group->minute / 60);
        BT_TRY(bt_arena_copy(&segment->arena, hour, &hour));
        BT_TRY(bt_map_add(places, (struct bt_map_key){hour, PLACE_KIND_HOUR}, &place));
        place->value.number += group->count;
        for (size_t k = 0; k < group->name_count; k++) {
            const struct bt_map_key key = {group->names[k].name, group->names[k].kind};
            BT_TRY(bt_map_add(places, key, &place));
            place->value.number += group->count;
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

static enum bt_status put_sums(struct bt_store *store, const struct bt_map *sums, size_t span,
                               uint64_t seq, struct bt_error *error)
{
    for (size_t i = 0; i < sums->count; i++) {
        const struct bt_map_entry *sum = &sums->entries[i];
        char buffer[SPACE_BYTES];
        const bt_str key[2] = {space_of(buffer, span_lengths[span],
                                        sum->key.number % BT_FIGURE__MAX,
                                        sum->key.number / BT_FIGURE__MAX),
                               sum->key.text};
        BT_TRY(bt_store_count_add(store, key, sum->value.number, seq, error));
    }
    return BT_OK;
}

static bt_str place_of(char buffer[PLACE_BYTES], uint64_t kind, bt_str name)
{
    const int length = snprintf(buffer, PLACE_BYTES, "figures/places/%s/%.*s", figure_words[kind],
                                BT_STR_ARG(name));
    assert(length > 0 && length < PLACE_BYTES);
    return (bt_str){buffer, (size_t)length};
}

static enum bt_status put_places(struct bt_store *store, const struct bt_map *places, uint64_t seq,
                                 struct bt_error *error)
{
    char digits[SPACE_BYTES];
    const bt_str segment = put_number(digits, seq / BT_FIGURES_SEGMENT);
    for (size_t i = 0; i < places->count; i++) {
        const struct bt_map_entry *place = &places->entries[i];
        char buffer[PLACE_BYTES];
        const bt_str key[2] = {place_of(buffer, place->key.number, place->key.text), segment};
        BT_TRY(bt_store_count_add(store, key, place->value.number, seq, error));
    }
    return BT_OK;
}

/* Write the counters of a complete segment, and how far the log is counted. Without memory nothing
 * is written, and a later transaction tries again: a decision is not refused because of figures. */
static enum bt_status put_segment(struct bt_store *store, struct bt_figures_segment *segment,
                                  bool *out_done, struct bt_error *error)
{
    struct bt_map sums[SPANS];
    struct bt_map places;
    *out_done = false;
    bt_map_init(&places, &segment->arena, segment->groups.seed);
    if (sum_places(segment, &places) != BT_OK) {
        return BT_OK;
    }
    for (size_t span = 0; span < SPANS; span++) {
        bt_map_init(&sums[span], &segment->arena, segment->groups.seed);
        if (sum_groups(segment, span, &sums[span]) != BT_OK) {
            return BT_OK;
        }
    }
    for (size_t span = 0; span < SPANS; span++) {
        BT_TRY(put_sums(store, &sums[span], span, segment->next - 1, error));
    }
    BT_TRY(put_places(store, &places, segment->next - 1, error));
    const bt_str size[2] = {figures_space, figures_version};
    *out_done = true;
    return bt_store_count_add(store, size, BT_FIGURES_SEGMENT, segment->next - 1, error);
}

struct figures_scan {
    struct bt_figures_segment segment;
    enum bt_status status;
};

static bool count_text(void *context, const struct bt_store_entry *row)
{
    struct figures_scan *scan = context;
    struct bt_entry entry;
    if (!bt_entry_read(row->entry, &entry)) {
        scan->segment.next++; /* it is counted for nothing; verify reports it */
        return true;
    }
    scan->status = count_entry(&scan->segment, &entry);
    return scan->status == BT_OK;
}

/* Read the segment that begins at `first` and count it. */
static enum bt_status count_segment(struct bt_store *store, uint64_t first, bool *out_done,
                                    struct bt_error *error)
{
    const uint64_t range[2] = {first, first + BT_FIGURES_SEGMENT};
    struct figures_scan scan = {.status = BT_OK};
    start_segment(&scan.segment, first);
    enum bt_status status = bt_store_text_scan(store, range, count_text, &scan, error);
    *out_done = false;
    if (status == BT_OK && scan.status == BT_OK && scan.segment.next == range[1]) {
        status = put_segment(store, &scan.segment, out_done, error);
    }
    bt_arena_free(&scan.segment.arena);
    return status;
}

static bool take_size(void *context, bt_str space, bt_str name, uint64_t count)
{
    (void)space;
    if (bt_str_eq(name, figures_version)) {
        *(uint64_t *)context = count;
    }
    return true;
}

static enum bt_status counted_size(struct bt_store *store, uint64_t *out, struct bt_error *error)
{
    const bt_str range[2] = {figures_space, BT_STR("figures/")};
    *out = 0;
    return bt_store_count_scan(store, range, 2, take_size, out, error);
}

/* Count complete segments below `size`, at most `segments` of them. */
static enum bt_status count_up_to(struct bt_store *store, uint64_t size, uint64_t segments,
                                  struct bt_error *error)
{
    uint64_t counted = 0;
    bool is_done = true;
    BT_TRY(counted_size(store, &counted, error));
    if (counted == 0) {
        const bt_str all[2] = {figures_space, figures_end}; /* without places, if there are any */
        BT_TRY(bt_store_count_delete(store, all, error));
    }
    for (uint64_t i = 0; i < segments && is_done && counted + BT_FIGURES_SEGMENT <= size; i++) {
        BT_TRY(count_segment(store, counted, &is_done, error));
        counted += BT_FIGURES_SEGMENT;
    }
    return BT_OK;
}

void bt_ledger_figures_begin(struct bt_ledger *ledger, uint64_t size)
{
    assert(ledger);
    struct bt_figures_segment *segment = &ledger->figures;
    if (segment->is_uncommitted || segment->next != size) {
        segment->next = BT_STORE_NONE;
        segment->is_uncommitted = false;
    }
}

enum bt_status bt_ledger_figures_add(struct bt_ledger *ledger, const struct bt_entry *entry,
                                     struct bt_error *error)
{
    assert(ledger);
    assert(entry);
    struct bt_figures_segment *segment = &ledger->figures;
    if (entry->seq % BT_FIGURES_SEGMENT == 0) {
        start_segment(segment, entry->seq);
    }
    if (segment->next != entry->seq) {
        return BT_OK;
    }
    segment->is_uncommitted = true;
    if (count_entry(segment, entry) != BT_OK) {
        segment->next = BT_STORE_NONE;
        return BT_OK;
    }
    if (segment->next % BT_FIGURES_SEGMENT != 0) {
        return BT_OK;
    }
    const uint64_t first = segment->next - BT_FIGURES_SEGMENT;
    uint64_t counted = 0;
    bool is_done = false;
    BT_TRY(count_up_to(ledger->store, first, SEGMENTS_AT_ONCE, error));
    BT_TRY(counted_size(ledger->store, &counted, error));
    return counted == first ? put_segment(ledger->store, segment, &is_done, error) : BT_OK;
}

void bt_ledger_figures_end(struct bt_ledger *ledger)
{
    assert(ledger);
    ledger->figures.is_uncommitted = false;
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
    const bt_str places[2] = {BT_STR("figures/places/hour/"), BT_STR("figures/places/hour0")};
    uint64_t sum = 0;
    BT_TRY(bt_store_count_scan(ledger->store, places, INT64_MAX, add_to_sum, &sum, error));
    *out_agree = *out_agree && sum == counted;
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

/* ---- Places ---------------------------------------------------------------------------------- */

void bt_figures_add_place(struct bt_figures_places *places, enum bt_figure_kind kind, bt_str name)
{
    assert(places);
    if (bt_entry_text_is_valid(name) && places->count < BT_FIGURES_PLACES_MAX) {
        places->names[places->count++] = (struct bt_figures_place){kind, name};
    }
}

/* Segments that a scan of places has found; the first bit is that of `first`. */
struct figures_found {
    uint64_t first, end, rows;
    uint8_t *bits;
};

static enum bt_status make_bits(struct bt_arena *arena, uint64_t count, uint8_t **out,
                                struct bt_error *error)
{
    *out = BT_NEW_ARRAY(arena, uint8_t, (size_t)(count / 8 + 1));
    return *out ? BT_OK : bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
}

static bool take_place(void *context, bt_str space, bt_str name, uint64_t count)
{
    struct figures_found *found = context;
    uint64_t segment = 0;
    (void)space;
    (void)count;
    found->rows++;
    if (bt_str_to_u64(name, &segment) == BT_OK && segment >= found->first && segment < found->end) {
        const uint64_t at = segment - found->first;
        found->bits[at / 8] |= (uint8_t)(1U << (at % 8));
    }
    return true;
}

enum bt_status bt_ledger_find_hours(struct bt_ledger *ledger, struct bt_arena *arena,
                                    const struct bt_figures_places *places,
                                    struct bt_figures_segments *out, struct bt_error *error)
{
    assert(ledger);
    assert(places);
    assert(out);
    char buffers[2][PLACE_BYTES];
    char digits[2][SPACE_BYTES];
    struct figures_found found = {0};
    BT_TRY(counted_size(ledger->store, &found.end, error));
    found.end /= BT_FIGURES_SEGMENT;
    *out = (struct bt_figures_segments){.count = found.end};
    if (!places->has_range || found.end == 0) {
        return BT_OK;
    }
    const bt_str range[2] = {place_of(buffers[0], PLACE_KIND_HOUR,
                                      put_number(digits[0], (uint64_t)places->since_s / 3600)),
                             place_of(buffers[1], PLACE_KIND_HOUR,
                                      put_number(digits[1], (uint64_t)places->until_s / 3600 + 1))};
    BT_TRY(make_bits(arena, found.end, &found.bits, error));
    BT_TRY(
        bt_store_count_scan_keys(ledger->store, range, PLACE_ROWS_MAX, take_place, &found, error));
    out->in_range = found.rows < PLACE_ROWS_MAX ? found.bits : NULL;
    return BT_OK;
}

/* Remove the segments of the window that have no place of a name. */
static enum bt_status keep_segments(struct bt_ledger *ledger, struct bt_arena *arena,
                                    const struct bt_figures_place *place,
                                    struct bt_figures_segments *segments, bool *out_is_empty,
                                    struct bt_error *error)
{
    const uint64_t width = segments->end - segments->first;
    struct figures_found found = {.first = segments->first, .end = segments->end};
    char buffer[PLACE_BYTES];
    char digits[2][SPACE_BYTES];
    const bt_str range[2] = {put_number(digits[0], segments->first),
                             put_number(digits[1], segments->end)};
    BT_TRY(make_bits(arena, width, &found.bits, error));
    BT_TRY(bt_store_count_scan_names(ledger->store, place_of(buffer, place->kind, place->name),
                                     range, take_place, &found, error));
    *out_is_empty = true;
    for (size_t i = 0; i <= width / 8; i++) {
        segments->bits[i] &= found.bits[i];
        *out_is_empty = *out_is_empty && segments->bits[i] == 0;
    }
    return BT_OK;
}

enum bt_status bt_ledger_find_segments(struct bt_ledger *ledger, struct bt_arena *arena,
                                       const struct bt_figures_places *places,
                                       const uint64_t window[2],
                                       struct bt_figures_segments *segments, struct bt_error *error)
{
    assert(ledger);
    assert(places);
    assert(segments);
    assert(window[0] <= window[1] && window[1] <= segments->count);
    segments->first = window[0];
    segments->end = window[1];
    BT_TRY(make_bits(arena, window[1] - window[0], &segments->bits, error));
    for (uint64_t i = window[0]; i < window[1]; i++) {
        const uint64_t at = i - window[0];
        const bool is_wanted = bt_figures_segment_is_in_range(segments, i);
        segments->bits[at / 8] |= (uint8_t)(is_wanted ? 1U << (at % 8) : 0);
    }
    bool is_empty = window[0] == window[1];
    for (size_t i = 0; i < places->count && !is_empty; i++) {
        BT_TRY(keep_segments(ledger, arena, &places->names[i], segments, &is_empty, error));
    }
    return BT_OK;
}
