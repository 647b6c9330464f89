/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - count the entries of a range of time in buckets, by verdict, code, agent or dialect.
 *
 * Entries are read from the newest back, at most READ_MAX of them. Where that is not enough the
 * result says from which moment on its figures are complete. docs/decisions/0080-figures.md has the
 * index that will replace the reading.
 */
#include "json/emit.h"
#include "operation/entry_fields.h"
#include "operation/records.h"

enum {
    READ_MAX = 20000, /* entries for one request */
    READ_AT_ONCE = 1000,
    BUCKETS_MAX = 500,
    NAMES_MAX = 100,
    RANGE_S_MAX = 31 * 86400,
    RANGE_S_DEFAULT = 300,
    REGRESSION_S_MAX = 5, /* by how much the time of an entry may lie before an earlier one's */
    COUNTS_BYTES_MAX = 4 << 20,
};

struct bt_stats_name {
    bt_str name;
    uint64_t *counts; /* for each bucket */
    uint64_t total;
};

struct bt_stats {
    struct bt_call *work;
    struct bt_arena *arena; /* of names and counts; that of the call is rewound for each entry */
    bt_str by;
    bt_instant since; /* of the first bucket */
    int64_t until_s;  /* the end of the last, not in it */
    uint64_t bucket_s;
    size_t bucket_count;
    struct bt_stats_name names[NAMES_MAX];
    size_t name_count;
    uint64_t others;    /* counted under names beyond NAMES_MAX */
    uint64_t read;      /* entries that were read */
    bt_instant reached; /* the time of the oldest of them */
    bool is_past;       /* it lies before the range */
    enum bt_status status;
};

static struct bt_stats_name *find_name(struct bt_stats *stats, bt_str name)
{
    for (size_t i = 0; i < stats->name_count; i++) {
        if (bt_str_eq(stats->names[i].name, name)) {
            return &stats->names[i];
        }
    }
    if (stats->name_count == NAMES_MAX) {
        return NULL;
    }
    struct bt_stats_name *added = &stats->names[stats->name_count];
    added->counts = BT_NEW_ARRAY(stats->arena, uint64_t, stats->bucket_count);
    if (!added->counts || bt_arena_copy(stats->arena, name, &added->name) != BT_OK) {
        stats->status = BT_ENOMEM;
        return NULL;
    }
    stats->name_count++;
    return added;
}

static void count_name(struct bt_stats *stats, bt_str name, size_t bucket)
{
    struct bt_stats_name *found = name.len > 0 ? find_name(stats, name) : NULL;
    if (found) {
        found->counts[bucket]++;
        found->total++;
    } else if (name.len > 0) {
        stats->others++;
    }
}

static void count_entry(struct bt_stats *stats, const struct bt_entry_fields *entry, size_t bucket)
{
    if (bt_str_eq(stats->by, BT_STR("code"))) {
        const bt_json_value *codes = bt_json_get(entry->document, entry->root, BT_STR("codes"));
        for (size_t i = 0; codes && i < bt_json_count(codes); i++) {
            count_name(stats, bt_json_text(&bt_json_items(codes)[i]), bucket);
        }
    } else if (bt_str_eq(stats->by, BT_STR("agent"))) {
        const bt_str source = bt_entry_fields_text(entry, "source");
        const bt_str target = bt_entry_fields_text(entry, "target");
        count_name(stats, source, bucket);
        count_name(stats, bt_str_eq(source, target) ? BT_STR("") : target, bucket);
    } else if (bt_str_eq(stats->by, BT_STR("dialect"))) {
        count_name(stats, bt_entry_fields_text(entry, "dialect"), bucket);
    } else {
        count_name(stats, bt_entry_fields_text(entry, "verdict"), bucket);
    }
}

/* Called for each entry, from the newest back; none is collected. */
static bool take_entry(void *context, bt_str text)
{
    struct bt_stats *stats = context;
    struct bt_entry_fields entry;
    bt_instant time;
    if (!bt_entry_fields_read(stats->work->service->env, stats->work->arena, text, &entry) ||
        bt_instant_parse(bt_entry_fields_text(&entry, "time"), &time) != BT_OK) {
        return false;
    }
    stats->read++;
    stats->reached = time;
    stats->is_past = stats->is_past || time.seconds < stats->since.seconds - REGRESSION_S_MAX;
    if (time.seconds >= stats->since.seconds && time.seconds < stats->until_s &&
        bt_entry_fields_visible_to(stats->work, &entry)) {
        count_entry(stats, &entry,
                    (size_t)((uint64_t)(time.seconds - stats->since.seconds) / stats->bucket_s));
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

static void put_instant(struct bt_emit *emit, const char *name, int64_t seconds)
{
    char text[BT_INSTANT_TEXT_BYTES];
    const size_t length = bt_instant_format((bt_instant){.seconds = seconds}, text);
    bt_emit_member_string(emit, name, (bt_str){text, length});
}

static void put_bucket(struct bt_emit *emit, const struct bt_stats *stats, size_t bucket)
{
    bool has_any = false;
    for (size_t i = 0; i < stats->name_count; i++) {
        has_any = has_any || stats->names[i].counts[bucket] > 0;
    }
    if (!has_any) {
        return;
    }
    bt_emit_begin_object(emit);
    put_instant(emit, "at", stats->since.seconds + (int64_t)(bucket * stats->bucket_s));
    bt_emit_member_object(emit, "counts");
    for (size_t i = 0; i < stats->name_count; i++) {
        if (stats->names[i].counts[bucket] > 0) {
            bt_emit_name_str(emit, stats->names[i].name);
            bt_emit_u64(emit, stats->names[i].counts[bucket]);
        }
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void put_stats(struct bt_buf *body, const struct bt_stats *stats, bool is_partial)
{
    struct bt_emit emit;
    int64_t complete_s = stats->since.seconds;
    if (is_partial && complete_s < stats->reached.seconds + 1 + REGRESSION_S_MAX) {
        complete_s = stats->reached.seconds + 1 + REGRESSION_S_MAX;
    }
    complete_s = complete_s < stats->until_s ? complete_s : stats->until_s;
    bt_emit_init(&emit, body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "by", stats->by);
    put_instant(&emit, "since", stats->since.seconds);
    put_instant(&emit, "until", stats->until_s);
    bt_emit_member_u64(&emit, "bucket", stats->bucket_s);
    bt_emit_member_bool(&emit, "partial", is_partial);
    put_instant(&emit, "complete_since", complete_s);
    bt_emit_member_u64(&emit, "read", stats->read);
    bt_emit_member_object(&emit, "total");
    for (size_t i = 0; i < stats->name_count; i++) {
        bt_emit_name_str(&emit, stats->names[i].name);
        bt_emit_u64(&emit, stats->names[i].total);
    }
    bt_emit_end(&emit);
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

enum bt_status bt_op_handoff_count(struct bt_call *work, const struct bt_args *args)
{
    struct bt_stats *stats = BT_NEW(work->arena, struct bt_stats);
    const bt_str by = bt_args_text(args, BT_ARG_HANDOFF_COUNT_BY);
    struct bt_arena arena;
    bool is_partial = false;
    if (!stats) {
        return BT_ENOMEM;
    }
    *stats = (struct bt_stats){.work = work, .by = by.len > 0 ? by : BT_STR("verdict")};
    if (!take_range(stats, args)) {
        return BT_OK;
    }
    bt_arena_init(&arena, COUNTS_BYTES_MAX);
    stats->arena = &arena;
    enum bt_status status = BT_OK;
    if (read_entries(stats, &is_partial)) {
        put_stats(&work->answer->body, stats, is_partial);
        status = bt_result_set_done(work);
    } else {
        status =
            bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "the ledger cannot be read");
    }
    bt_arena_free(&arena);
    return status;
}
