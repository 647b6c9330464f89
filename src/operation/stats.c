/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - count the entries of a range of time in buckets, by verdict, code, agent, dialect, edge
 * or event.
 *
 * For callers who may see everything the counters of ledger/figures.h have all but the newest
 * entries, so that those alone are read. For others entries are read from the newest back, at most
 * READ_MAX of them, and where that is not enough the result says from which moment on its figures
 * are complete.
 */
#include "base/map.h"
#include "json/emit.h"
#include "ledger/entry.h"
#include "ledger/figures.h"
#include "operation/entry_fields.h"
#include "operation/records.h"

enum {
    READ_MAX = 20000, /* entries for one request */
    READ_AT_ONCE = 1000,
    ROWS_MAX = 100000, /* counters for one request */
    BUCKETS_MAX = 500,
    NAMES_MAX = 200,
    RANGE_S_MAX = 31 * 86400,
    RANGE_S_DEFAULT = 300,
    REGRESSION_S_MAX = 5, /* by how much the time of an entry may lie before an earlier one's */
    COUNTS_BYTES_MAX = 8 << 20,
};

/* Which counters a range of at most so many seconds is summed from; one that begins 6 hours ago and
 * ends when the question arrives is a little longer. */
static const struct {
    int64_t range_s_max;
    uint32_t span_s;
} spans[] = {{6 * 3600 + 60, 60}, {7 * 86400 + 60, 3600}, {INT64_MAX, 21600}};

/* What can be counted, and what of it was rejected. */
static const struct {
    const char *word;
    enum bt_figure_kind kind;
    enum bt_figure_kind rejected; /* BT_FIGURE__MAX: not counted */
} groupings[] = {
    {"verdict", BT_FIGURE_VERDICT, BT_FIGURE__MAX},
    {"code", BT_FIGURE_CODE, BT_FIGURE__MAX},
    {"agent", BT_FIGURE_AGENT, BT_FIGURE_REJECTED_AGENT},
    {"dialect", BT_FIGURE_DIALECT, BT_FIGURE_REJECTED_DIALECT},
    {"edge", BT_FIGURE_EDGE, BT_FIGURE_REJECTED_EDGE},
    {"event", BT_FIGURE_EVENT, BT_FIGURE__MAX},
};

/* Counts of a name; all of them, and the rejected ones. */
struct bt_stats_name {
    bt_str name;
    uint64_t *counts[2]; /* for each bucket */
    uint64_t totals[2];
};

struct bt_stats {
    struct bt_call *work;
    struct bt_arena *arena; /* of names and counts; that of the call is rewound for each entry */
    size_t by;              /* the number of the grouping */
    bt_instant since;       /* of the first bucket */
    int64_t until_s;        /* the end of the last, not in it */
    uint64_t bucket_s;
    size_t bucket_count;
    struct bt_map by_name;
    struct bt_stats_name names[NAMES_MAX];
    size_t name_count;
    uint64_t others;    /* counted under names beyond NAMES_MAX */
    uint64_t read;      /* entries that were read */
    uint64_t counted;   /* entries before this one are in the counters */
    bt_instant reached; /* the time of the oldest entry that was read */
    size_t bucket;      /* of the entry that is being counted */
    bool is_past;       /* it lies before the range, or is counted */
    bool is_cut;        /* there are more counters than ROWS_MAX */
    bool sees_all;      /* the caller may see every entry */
    enum bt_status status;
};

static struct bt_stats_name *add_name(struct bt_stats *stats, bt_str name)
{
    struct bt_stats_name *added = &stats->names[stats->name_count];
    struct bt_map_entry *entry = NULL;
    added->counts[0] = BT_NEW_ARRAY(stats->arena, uint64_t, stats->bucket_count);
    added->counts[1] = BT_NEW_ARRAY(stats->arena, uint64_t, stats->bucket_count);
    if (!added->counts[0] || !added->counts[1] ||
        bt_arena_copy(stats->arena, name, &added->name) != BT_OK ||
        bt_map_add(&stats->by_name, bt_map_text(added->name), &entry) != BT_OK) {
        stats->status = BT_ENOMEM;
        return NULL;
    }
    entry->value.pointer = added;
    stats->name_count++;
    return added;
}

/* Add to the counts of a name; `which` is 1 for what was rejected. */
static void count_name(struct bt_stats *stats, bt_str name, size_t bucket, size_t which,
                       uint64_t count)
{
    const struct bt_map_entry *entry = bt_map_find(&stats->by_name, bt_map_text(name));
    struct bt_stats_name *found = entry                            ? entry->value.pointer
                                  : stats->name_count == NAMES_MAX ? NULL
                                                                   : add_name(stats, name);
    if (found) {
        found->counts[which][bucket] += count;
        found->totals[which] += count;
    } else if (which == 0) {
        stats->others += count;
    }
}

static size_t bucket_of(const struct bt_stats *stats, int64_t time_s)
{
    return (size_t)((uint64_t)(time_s - stats->since.seconds) / stats->bucket_s);
}

static bool is_in_range(const struct bt_stats *stats, int64_t time_s)
{
    return time_s >= stats->since.seconds && time_s < stats->until_s;
}

/* A name of an entry that was read. */
static void take_name(void *context, enum bt_figure_kind kind, bt_str name)
{
    struct bt_stats *stats = context;
    if (kind == groupings[stats->by].kind || kind == groupings[stats->by].rejected) {
        count_name(stats, name, stats->bucket, kind == groupings[stats->by].kind ? 0 : 1, 1);
    }
}

static bool is_visible(const struct bt_stats *stats, bt_str text)
{
    struct bt_entry_fields fields;
    return stats->sees_all ||
           (bt_entry_fields_read(stats->work->service->env, stats->work->arena, text, &fields) &&
            bt_entry_fields_visible_to(stats->work, &fields));
}

/* Called for each entry, from the newest back; none is collected. */
static bool take_entry(void *context, bt_str text)
{
    struct bt_stats *stats = context;
    struct bt_entry entry;
    bt_instant time;
    if (stats->is_past || !bt_entry_read(text, &entry) ||
        bt_instant_parse(entry.time, &time) != BT_OK) {
        return false;
    }
    if (entry.seq < stats->counted) {
        stats->is_past = true;
        return false;
    }
    stats->read++;
    stats->reached = time;
    stats->is_past = time.seconds < stats->since.seconds - REGRESSION_S_MAX;
    if (is_in_range(stats, time.seconds) && is_visible(stats, text)) {
        stats->bucket = bucket_of(stats, time.seconds);
        bt_figures_of_entry(&entry, take_name, stats);
    }
    return false;
}

/* Read back until the range is passed. *out_partial: READ_MAX came first. */
static bool read_entries(struct bt_stats *stats, bool *out_partial)
{
    struct bt_findings *alarms = bt_findings_new(stats->work->arena);
    struct bt_ledger_filter how = {.count = 1,
                                   .from = BT_LEDGER_SEQ_NONE,
                                   .scan_max = READ_AT_ONCE,
                                   .accept = take_entry,
                                   .context = stats};
    struct bt_ledger_entries found = {.is_truncated = true};
    struct bt_error error;
    while (alarms && found.is_truncated && !stats->is_past && stats->read < READ_MAX) {
        if (bt_ledger_list_entries(stats->work->service->ledger, stats->work->arena, &how, alarms,
                                   &found, &error) != BT_OK ||
            bt_findings_count(alarms) > 0 || stats->status != BT_OK) {
            return false;
        }
        how.before = found.last;
    }
    *out_partial = found.is_truncated && !stats->is_past;
    return alarms != NULL;
}

static void take_figure(void *context, const struct bt_figure *figure)
{
    struct bt_stats *stats = context;
    if (is_in_range(stats, figure->start_s)) {
        count_name(stats, figure->name, bucket_of(stats, figure->start_s), figure->query,
                   figure->count);
    }
}

/* Widen the range to whole spans, so that it can be summed from counters, which are of UTC. */
static void round_range(struct bt_stats *stats, uint32_t span_s)
{
    const int64_t span = span_s;
    stats->since = (bt_instant){.seconds = stats->since.seconds / span * span};
    stats->until_s = (stats->until_s + span - 1) / span * span;
    stats->bucket_s = (stats->bucket_s + span_s - 1) / span_s * span_s;
    const uint64_t range_s = (uint64_t)(stats->until_s - stats->since.seconds);
    while ((range_s + stats->bucket_s - 1) / stats->bucket_s > BUCKETS_MAX) {
        stats->bucket_s += span_s;
    }
    stats->bucket_count = (size_t)((range_s + stats->bucket_s - 1) / stats->bucket_s);
}

/* Sum the counters, where the range reaches back to them. */
static bool read_figures(struct bt_stats *stats)
{
    struct bt_ledger *ledger = stats->work->service->ledger;
    struct bt_error error;
    bt_instant last;
    size_t span = 0;
    if (!stats->sees_all) {
        return true;
    }
    if (bt_ledger_figures_size(ledger, &stats->counted, &last, &error) != BT_OK) {
        return false;
    }
    if (stats->counted == 0 || stats->since.seconds > last.seconds + REGRESSION_S_MAX) {
        return true;
    }
    while (stats->until_s - stats->since.seconds > spans[span].range_s_max) {
        span++;
    }
    round_range(stats, spans[span].span_s);
    const struct bt_figures_query all = {groupings[stats->by].kind, spans[span].span_s,
                                         stats->since.seconds, stats->until_s, ROWS_MAX};
    struct bt_figures_query rejected = all;
    rejected.kind = groupings[stats->by].rejected;
    const struct bt_figures_query queries[] = {all, rejected};
    struct bt_figures_result result;
    if (bt_ledger_read_figures(ledger, queries, rejected.kind == BT_FIGURE__MAX ? 1 : 2,
                               take_figure, stats, &result, &error) != BT_OK ||
        stats->status != BT_OK) {
        return false;
    }
    stats->counted = result.size;
    stats->is_cut = result.is_cut;
    return true;
}

static void put_instant(struct bt_emit *emit, const char *name, int64_t seconds)
{
    char text[BT_INSTANT_TEXT_BYTES];
    const size_t length = bt_instant_format((bt_instant){.seconds = seconds}, text);
    bt_emit_member_string(emit, name, (bt_str){text, length});
}

static void put_counts(struct bt_emit *emit, const struct bt_stats *stats, const char *member,
                       size_t bucket, size_t which)
{
    bt_emit_member_object(emit, member);
    for (size_t i = 0; i < stats->name_count; i++) {
        const struct bt_stats_name *name = &stats->names[i];
        const uint64_t count =
            bucket < stats->bucket_count ? name->counts[which][bucket] : name->totals[which];
        if (count > 0) {
            bt_emit_name_str(emit, name->name);
            bt_emit_u64(emit, count);
        }
    }
    bt_emit_end(emit);
}

/* The counts of a bucket, or of all. */
static void put_names(struct bt_emit *emit, const struct bt_stats *stats, const char *member,
                      size_t bucket)
{
    put_counts(emit, stats, member, bucket, 0);
    if (groupings[stats->by].rejected != BT_FIGURE__MAX) {
        put_counts(emit, stats, "rejected", bucket, 1);
    }
}

static void put_bucket(struct bt_emit *emit, const struct bt_stats *stats, size_t bucket)
{
    bool has_any = false;
    for (size_t i = 0; i < stats->name_count; i++) {
        has_any = has_any || stats->names[i].counts[0][bucket] > 0;
    }
    if (!has_any) {
        return;
    }
    bt_emit_begin_object(emit);
    put_instant(emit, "at", stats->since.seconds + (int64_t)(bucket * stats->bucket_s));
    put_names(emit, stats, "counts", bucket);
    bt_emit_end(emit);
}

static void put_stats(struct bt_buf *body, const struct bt_stats *stats, bool is_partial)
{
    struct bt_emit emit;
    int64_t complete_s = stats->since.seconds;
    if (is_partial && complete_s < stats->reached.seconds + 1 + REGRESSION_S_MAX) {
        complete_s = stats->reached.seconds + 1 + REGRESSION_S_MAX;
    }
    complete_s = stats->is_cut || complete_s > stats->until_s ? stats->until_s : complete_s;
    bt_emit_init(&emit, body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "by", bt_str_of(groupings[stats->by].word));
    put_instant(&emit, "since", stats->since.seconds);
    put_instant(&emit, "until", stats->until_s);
    bt_emit_member_u64(&emit, "bucket", stats->bucket_s);
    bt_emit_member_bool(&emit, "partial", is_partial || stats->is_cut);
    put_instant(&emit, "complete_since", complete_s);
    bt_emit_member_u64(&emit, "read", stats->read);
    put_names(&emit, stats, "total", stats->bucket_count);
    bt_emit_member_u64(&emit, "others", stats->others);
    bt_emit_member_array(&emit, "buckets");
    for (size_t i = 0; i < stats->bucket_count; i++) {
        put_bucket(&emit, stats, i);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
}

/* Read and check the range. False after bt_result_set_problem(). */
static bool take_range(struct bt_stats *stats, const struct bt_args *args)
{
    bt_instant until;
    if (!bt_args_instant(args, BT_ARG_HANDOFF_COUNT_UNTIL, &until)) {
        until = bt_env_now(stats->work->service->env);
        until.seconds++; /* the second that is under way is counted */
    }
    if (!bt_args_instant(args, BT_ARG_HANDOFF_COUNT_SINCE, &stats->since)) {
        stats->since.seconds = until.seconds - RANGE_S_DEFAULT;
    }
    const int64_t range_s = until.seconds - stats->since.seconds;
    if (range_s < 1 || range_s > RANGE_S_MAX) {
        (void)bt_result_set_problem(stats->work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/since"),
                                    "it is 1 second to 31 days before until");
        return false;
    }
    stats->until_s = until.seconds;
    stats->bucket_s = bt_args_number(args, BT_ARG_HANDOFF_COUNT_BUCKET, (uint64_t)range_s);
    const uint64_t count = ((uint64_t)range_s + stats->bucket_s - 1) / stats->bucket_s;
    if (count > BUCKETS_MAX) {
        (void)bt_result_set_problem(stats->work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/bucket"),
                                    "the range would have more than 500 buckets");
        return false;
    }
    stats->bucket_count = (size_t)count;
    return true;
}

static size_t grouping_of(bt_str word)
{
    size_t found = 0; /* the default */
    for (size_t i = 0; i < sizeof(groupings) / sizeof(groupings[0]); i++) {
        found = bt_str_eq(word, bt_str_of(groupings[i].word)) ? i : found;
    }
    return found;
}

enum bt_status bt_op_handoff_count(struct bt_call *work, const struct bt_args *args)
{
    struct bt_stats *stats = BT_NEW(work->arena, struct bt_stats);
    const bt_str by = bt_args_text(args, BT_ARG_HANDOFF_COUNT_BY);
    struct bt_arena arena;
    bool is_partial = false;
    if (!stats) {
        return BT_ENOMEM;
    }
    *stats = (struct bt_stats){.work = work,
                               .by = grouping_of(by),
                               .sees_all = bt_scopes_hold(work->caller->scopes, BT_SCOPE_OPERATE)};
    if (!take_range(stats, args)) {
        return BT_OK;
    }
    bt_arena_init(&arena, COUNTS_BYTES_MAX);
    stats->arena = &arena;
    bt_map_init(&stats->by_name, &arena, work->service->env->hash_seed);
    enum bt_status status = BT_OK;
    if (read_figures(stats) && read_entries(stats, &is_partial)) {
        put_stats(&work->answer->body, stats, is_partial);
        status = bt_result_set_done(work);
    } else {
        status =
            bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the ledger cannot be read");
    }
    bt_arena_free(&arena);
    return status;
}
