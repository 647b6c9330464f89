/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_stats.c - what wrapped servers did: counted by server. */
#include "json/emit.h"
#include "serve/wrap_state.h"
#include "wrap/recorder.h"
#include "wrap/servers.h"

struct serve_wrap_stats *serve_wrap_find_stats(struct serve_wrap *wrap, bt_str server)
{
    struct serve_wrap_stats *at = wrap->stats;
    while (at && !bt_str_eq(at->server, server)) {
        at = at->next;
    }
    if (at) {
        return at;
    }
    at = BT_NEW(&wrap->texts, struct serve_wrap_stats);
    if (!at || bt_arena_copy(&wrap->texts, server, &at->server) != BT_OK) {
        return NULL;
    }
    at->next = wrap->stats;
    wrap->stats = at;
    return at;
}

/* What a session has counted until now. */
static struct serve_wrap_seen count_session(const struct bt_wrap_session *session)
{
    const struct bt_wrap_facts *facts = &session->facts;
    const struct bt_wrap_recorder *recorder = session->settings->recording->recorder;
    return (struct serve_wrap_seen){.events = {[BT_WRAP_EVENT_RETURNED] = facts->returned,
                                               [BT_WRAP_EVENT_FAILED] = facts->failed,
                                               [BT_WRAP_EVENT_REFUSED] = facts->refused,
                                               [BT_WRAP_EVENT_WITHHELD] = facts->withheld,
                                               [BT_WRAP_EVENT_CANCELLED] = facts->cancelled,
                                               [BT_WRAP_EVENT_LOST] = facts->lost,
                                               [BT_WRAP_EVENT_REPLAYED] = facts->replayed},
                                    .unrecorded =
                                        recorder ? bt_wrap_recorder_counts(recorder).unrecorded : 0,
                                    .dropped = facts->dropped,
                                    .findings = bt_findings_count(session->findings)};
}

static void count_findings(const struct serve_wrap_channel *channel,
                           const struct bt_wrap_session *session, size_t from)
{
    for (size_t i = from; i < bt_findings_count(session->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(session->findings, i);
        const bt_str labels[METRIC_LABELS_MAX] = {
            finding->rule->code, bt_severity_name(finding->severity), BT_STR_INIT("")};
        metrics_count(channel->wrap->gateway->observers.metrics, SERVE_METRIC_FINDINGS, labels);
    }
}

void serve_wrap_note_session(void *context, const struct bt_wrap_session *session)
{
    struct serve_wrap_channel *channel = context;
    struct serve_wrap_seen now = count_session(session);
    /* What is hidden is told by findings. */
    now.hidden = now.findings == channel->seen.findings ? channel->seen.hidden
                                                        : bt_wrap_pins_hidden_count(session);
    count_findings(channel, session, channel->seen.findings);
    (void)pthread_mutex_lock(&channel->wrap->lock);
    for (size_t i = 0; i < BT_WRAP_EVENTS; i++) {
        /* A result that is withheld at last was counted as returned before. */
        channel->stats->events[i] += now.events[i] - channel->seen.events[i];
    }
    channel->stats->unrecorded += now.unrecorded - channel->seen.unrecorded;
    channel->stats->dropped += now.dropped - channel->seen.dropped;
    channel->seen = now;
    (void)pthread_mutex_unlock(&channel->wrap->lock);
}

/* What the channels of one server do now. */
struct serve_wrap_now {
    uint64_t processes;
    uint64_t open;
    uint64_t hidden;
};

/* With the lock. */
static struct serve_wrap_now count_channels(const struct serve_wrap *wrap, bt_str server)
{
    struct serve_wrap_now now = {0};
    for (const struct serve_wrap_channel *at = wrap->channels; at; at = at->next) {
        if (at->life.is_done || !bt_str_eq(at->server, server)) {
            continue;
        }
        now.processes++;
        now.hidden = at->seen.hidden > now.hidden ? at->seen.hidden : now.hidden;
        for (const struct serve_wrap_exchange *waits = at->exchanges; waits; waits = waits->next) {
            now.open += !waits->is_answered;
        }
    }
    return now;
}

void serve_wrap_emit_counts(struct serve_wrap *wrap, bt_str server, struct bt_emit *emit)
{
    struct serve_wrap_stats stats = {0};
    uint64_t total = 0;
    (void)pthread_mutex_lock(&wrap->lock);
    const struct serve_wrap_stats *found = serve_wrap_find_stats(wrap, server);
    const struct serve_wrap_now now = count_channels(wrap, server);
    stats = found ? *found : stats;
    (void)pthread_mutex_unlock(&wrap->lock);
    bt_emit_member_u64(emit, "processes", now.processes);
    bt_emit_member_u64(emit, "open", now.open);
    bt_emit_member_u64(emit, "hidden", now.hidden);
    bt_emit_member_object(emit, "calls");
    for (size_t i = BT_WRAP_EVENT_RETURNED; i <= BT_WRAP_EVENT_REPLAYED; i++) {
        const bt_str name = bt_wrap_event_name((enum bt_wrap_event)i);
        bt_emit_member_u64(emit, name.ptr, stats.events[i]);
        total += stats.events[i];
    }
    bt_emit_member_u64(emit, "total", total);
    bt_emit_end(emit);
    bt_emit_member_u64(emit, "unrecorded", stats.unrecorded);
    bt_emit_member_u64(emit, "dropped", stats.dropped);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

/* The bounds of histograms, in microseconds. */
static const uint64_t bounds_us[SERVE_WRAP_BOUNDS] = {
    100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000};

static void add_time(struct serve_wrap_times *times, uint64_t us)
{
    size_t bound = 0;
    while (bound < SERVE_WRAP_BOUNDS && us > bounds_us[bound]) {
        bound++;
    }
    times->counts[bound]++;
    times->sum_us += us;
}

void serve_wrap_note_call(void *context, uint64_t server_us, uint64_t total_us)
{
    struct serve_wrap_channel *channel = context;
    (void)pthread_mutex_lock(&channel->wrap->lock);
    add_time(&channel->stats->server_times, server_us);
    add_time(&channel->stats->added_times, total_us > server_us ? total_us - server_us : 0);
    (void)pthread_mutex_unlock(&channel->wrap->lock);
}

/* One server in the metrics. */
struct serve_wrap_measured {
    bt_str name;
    struct serve_wrap_stats stats;
    struct serve_wrap_now now;
};

/* The servers of the configuration that are offered: a closed list. NULL: no memory. */
static struct serve_wrap_measured *measure_servers(struct serve_call *x, size_t *out_count)
{
    struct serve_wrap *wrap = x->gateway->conversations.wrap;
    struct bt_str_list names = {NULL, 0};
    if (!x->settings->may_wrap || bt_wrap_servers_list(x->arena, x->config, &names) != BT_OK) {
        return NULL;
    }
    struct serve_wrap_measured *items =
        BT_NEW_ARRAY(x->arena, struct serve_wrap_measured, names.count + 1);
    for (size_t i = 0; items && i < names.count; i++) {
        struct bt_wrap_server_settings entry;
        if (bt_wrap_servers_read(x->arena, x->config, names.items[i], &entry) != BT_OK ||
            !entry.is_served) {
            continue;
        }
        struct serve_wrap_measured *item = &items[(*out_count)++];
        (void)pthread_mutex_lock(&wrap->lock);
        const struct serve_wrap_stats *found = serve_wrap_find_stats(wrap, names.items[i]);
        *item = (struct serve_wrap_measured){.name = names.items[i],
                                             .now = count_channels(wrap, names.items[i])};
        if (found) {
            item->stats = *found;
        }
        (void)pthread_mutex_unlock(&wrap->lock);
    }
    return items;
}

static void put_number(struct bt_buf *buf, const char *metric, bt_str server, uint64_t value)
{
    bt_buf_printf(buf, "%s{server=\"%.*s\"} %llu\n", metric, BT_STR_ARG(server),
                  (unsigned long long)value);
}

static void put_times(struct bt_buf *buf, const char *metric, bt_str server,
                      const struct serve_wrap_times *times)
{
    uint64_t total = 0;
    for (size_t i = 0; i <= SERVE_WRAP_BOUNDS; i++) {
        total += times->counts[i];
        bt_buf_printf(buf, "%s_bucket{server=\"%.*s\",le=\"", metric, BT_STR_ARG(server));
        if (i < SERVE_WRAP_BOUNDS) {
            bt_buf_printf(buf, "%g", (double)bounds_us[i] / 1e6);
        } else {
            bt_buf_put_text(buf, "+Inf");
        }
        bt_buf_printf(buf, "\"} %llu\n", (unsigned long long)total);
    }
    bt_buf_printf(buf, "%s_sum{server=\"%.*s\"} %g\n%s_count{server=\"%.*s\"} %llu\n", metric,
                  BT_STR_ARG(server), (double)times->sum_us / 1e6, metric, BT_STR_ARG(server),
                  (unsigned long long)total);
}

/* The metrics with one number for each server. */
enum serve_wrap_number {
    NUMBER_OPEN = 0,
    NUMBER_PROCESSES,
    NUMBER_HIDDEN,
    NUMBER_UNRECORDED,
    NUMBER_DROPPED,
    NUMBERS,
};

static uint64_t number_at(const struct serve_wrap_measured *item, enum serve_wrap_number which)
{
    const uint64_t numbers[NUMBERS] = {[NUMBER_OPEN] = item->now.open,
                                       [NUMBER_PROCESSES] = item->now.processes,
                                       [NUMBER_HIDDEN] = item->now.hidden,
                                       [NUMBER_UNRECORDED] = item->stats.unrecorded,
                                       [NUMBER_DROPPED] = item->stats.dropped};
    return numbers[which];
}

static void put_numbers(struct bt_buf *buf, const struct serve_wrap_measured *items, size_t count)
{
    static const struct {
        const char *name;
        const char *type;
        const char *help;
    } rows[NUMBERS] = {
        [NUMBER_OPEN] = {"baton_wrap_open", "gauge", "Requests that wait for a wrapped server."},
        [NUMBER_PROCESSES] = {"baton_wrap_processes", "gauge", "Wrapped servers that run."},
        [NUMBER_HIDDEN] = {"baton_wrap_hidden", "gauge", "Tools that are hidden."},
        [NUMBER_UNRECORDED] = {"baton_wrap_unrecorded_total", "counter",
                               "Calls that passed without a record."},
        [NUMBER_DROPPED] = {"baton_wrap_dropped_total", "counter",
                            "Messages of servers that were not passed on."}};
    for (size_t i = 0; i < NUMBERS; i++) {
        bt_buf_printf(buf, "# HELP %s %s\n# TYPE %s %s\n", rows[i].name, rows[i].help, rows[i].name,
                      rows[i].type);
        for (size_t k = 0; k < count; k++) {
            put_number(buf, rows[i].name, items[k].name,
                       number_at(&items[k], (enum serve_wrap_number)i));
        }
    }
}

static void put_calls(struct bt_buf *buf, const struct serve_wrap_measured *items, size_t count)
{
    bt_buf_put_text(buf, "# HELP baton_wrap_calls_total Calls of tools of wrapped servers.\n"
                         "# TYPE baton_wrap_calls_total counter\n");
    for (size_t k = 0; k < count; k++) {
        for (size_t i = BT_WRAP_EVENT_RETURNED; i <= BT_WRAP_EVENT_REPLAYED; i++) {
            bt_buf_printf(buf, "baton_wrap_calls_total{server=\"%.*s\",event=\"%.*s\"} %llu\n",
                          BT_STR_ARG(items[k].name),
                          BT_STR_ARG(bt_wrap_event_name((enum bt_wrap_event)i)),
                          (unsigned long long)items[k].stats.events[i]);
        }
    }
}

void serve_wrap_put_metrics(struct serve_call *x, struct bt_buf *buf)
{
    size_t count = 0;
    const struct serve_wrap_measured *items = measure_servers(x, &count);
    if (!items || count == 0) {
        return;
    }
    put_calls(buf, items, count);
    bt_buf_put_text(buf, "# HELP baton_wrap_call_seconds Time of calls in wrapped servers.\n"
                         "# TYPE baton_wrap_call_seconds histogram\n");
    for (size_t i = 0; i < count; i++) {
        put_times(buf, "baton_wrap_call_seconds", items[i].name, &items[i].stats.server_times);
    }
    bt_buf_put_text(buf, "# HELP baton_wrap_added_seconds Time that Baton adds to calls.\n"
                         "# TYPE baton_wrap_added_seconds histogram\n");
    for (size_t i = 0; i < count; i++) {
        put_times(buf, "baton_wrap_added_seconds", items[i].name, &items[i].stats.added_times);
    }
    put_numbers(buf, items, count);
}
