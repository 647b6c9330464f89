/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_stats.c - what wrapped servers did: counted by server. */
#include "json/emit.h"
#include "serve/wrap_state.h"
#include "wrap/recorder.h"

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
static struct serve_wrap_now look_at_channels(const struct serve_wrap *wrap, bt_str server)
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
    const struct serve_wrap_now now = look_at_channels(wrap, server);
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
