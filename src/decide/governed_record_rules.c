/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_record_rules.c - the rules that need the store and the clock: links, freshness, replay.
 *
 * Replay is the last rule: a document that fails another rule is not also reported as a replay.
 */
#include "decide/governed_decide.h"
#include "report/rules.h"

bool bt_governed_submission_is_refused(const struct bt_governed_submission *item)
{
    return bt_verdict_of(item->check.findings, BT_SEVERITY_HARD) != BT_VERDICT_ACCEPTED;
}

static int compare_instants(bt_instant a, bt_instant b)
{
    return a.seconds != b.seconds ? (a.seconds > b.seconds) - (a.seconds < b.seconds)
                                  : (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

static enum bt_status judge_links(struct bt_governed_submission *item, bt_instant time)
{
    const struct bt_governed_accepted_row *linked = &item->linked;
    const struct bt_governed_check *check = &item->check;
    const bt_str type = bt_governed_check_text(check, BT_STR("/request_context/request_type"));
    const struct bt_location id_at =
        bt_governed_locate(check, BT_STR("/request_context/request_id"));
    bt_instant handoff_time = {0};
    if (!linked->is_known) {
        return bt_add_response_unlinked(check->findings, id_at,
                                        BT_RESPONSE_UNLINKED_REASON_UNKNOWN_HANDOFF);
    }
    if (linked->closed_seq != BT_STORE_NONE) {
        BT_TRY(
            bt_add_response_unlinked(check->findings, id_at, BT_RESPONSE_UNLINKED_REASON_CLOSED));
    }
    if (check->is_governor || !bt_str_eq(check->parties[0].id, linked->target)) {
        BT_TRY(bt_add_response_wrong_agent(check->findings,
                                           bt_governed_locate(check, BT_STR("/agent/agent_id")),
                                           check->parties[0].id));
    }
    if (!bt_str_eq(type, linked->request_type)) {
        BT_TRY(bt_add_response_context_mismatch(
            check->findings, bt_governed_locate(check, BT_STR("/request_context/request_type")),
            linked->request_type, type));
    }
    if (bt_instant_parse(linked->timestamp, &handoff_time) != BT_OK ||
        compare_instants(time, handoff_time) >= 0) {
        return BT_OK;
    }
    return bt_add_response_time_order(
        check->findings, bt_governed_locate(check, BT_STR("/timestamp")), linked->timestamp,
        bt_governed_check_text(check, BT_STR("/timestamp")));
}

/* Whole seconds from a to b, rounded down, and whether there is more; a is not after b. */
static uint64_t seconds_between(bt_instant a, bt_instant b, bool *out_more)
{
    const uint64_t seconds = (uint64_t)(b.seconds - a.seconds) - (b.nanos < a.nanos);
    *out_more = b.nanos != a.nanos;
    return seconds;
}

static enum bt_status judge_freshness(const struct bt_governed_decision_state *deciding,
                                      struct bt_governed_submission *item, bt_instant time)
{
    const bool is_past = compare_instants(time, deciding->at) <= 0;
    const uint64_t limit =
        is_past ? item->check.options->max_age_s : item->check.options->max_future_s;
    bool has_more = false;
    const uint64_t seconds = is_past ? seconds_between(time, deciding->at, &has_more)
                                     : seconds_between(deciding->at, time, &has_more);
    const struct bt_location at = bt_governed_locate(&item->check, BT_STR("/timestamp"));
    if (seconds < limit || (seconds == limit && !has_more)) {
        return BT_OK;
    }
    return is_past ? bt_add_stale_timestamp(item->check.findings, at, seconds, limit)
                   : bt_add_future_timestamp(item->check.findings, at, seconds, limit);
}

static enum bt_status add_replay_finding(struct bt_governed_submission *item,
                                         const struct bt_store_used_id *seen)
{
    const bool is_handoff = item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF;
    const bt_str pointer = is_handoff ? BT_STR("/handoff_id") : BT_STR("/response_id");
    const bt_str prefix = BT_STR("response:");
    const bt_str id = is_handoff ? item->id : bt_str_slice(item->id, prefix.len, item->id.len);
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(bt_sha256(item->document.text, digest));
    const bool is_same = bt_str_eq(seen->document, (bt_str){(const char *)digest, sizeof(digest)});
    return bt_add_governed_replayed_id(
        item->check.findings, bt_governed_locate(&item->check, pointer), id, seen->seq, is_same);
}

static enum bt_status judge_replay(const struct bt_governed_decision_state *deciding,
                                   struct bt_governed_submission *item)
{
    struct bt_store_used_id seen;
    const bt_str key[2] = {BT_STR("governed"), item->id};
    const enum bt_status status =
        bt_store_used_id_get(deciding->store, item->arena, key, &seen, NULL);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    return status == BT_OK ? add_replay_finding(item, &seen)
                           : bt_error_set(deciding->error, status, "cannot look up the id");
}

enum bt_status
bt_governed_submission_record_rules(const struct bt_governed_decision_state *deciding,
                                    struct bt_governed_submission *item)
{
    bt_instant time = {0};
    if (item->check.matches_schema && item->document.kind == BT_GOVERNED_SUBMISSION_RESPONSE) {
        BT_TRY(
            bt_governed_accepted_row_get(deciding, item->arena, item->handoff_id, &item->linked));
    }
    if (bt_governed_submission_is_refused(item)) {
        return BT_OK;
    }
    if (bt_instant_parse(bt_governed_check_text(&item->check, BT_STR("/timestamp")), &time) !=
        BT_OK) {
        return BT_ECORRUPT; /* the schema has accepted it */
    }
    if (item->document.kind == BT_GOVERNED_SUBMISSION_RESPONSE) {
        BT_TRY(judge_links(item, time));
    }
    BT_TRY(judge_freshness(deciding, item, time));
    return bt_governed_submission_is_refused(item) ? BT_OK : judge_replay(deciding, item);
}
