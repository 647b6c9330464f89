/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governed_record_rules.c - the rules that need the store and the clock: links, freshness, replay.
 *
 * Replay is the last rule: a document that fails another rule is not also reported as a replay.
 */
#include <inttypes.h>

#include "decide/governed_decide.h"

bool bt_governed_submission_is_refused(const struct bt_governed_submission *item)
{
    return bt_verdict_of(item->check.findings, BT_SEVERITY_HARD) != BT_VERDICT_ACCEPTED;
}

static enum bt_status add_unlinked_finding(struct bt_governed_submission *item, const char *reason)
{
    struct bt_finding_builder remark;
    bt_governed_check_remark(&item->check, &remark, "RESPONSE_UNLINKED",
                             BT_STR("/request_context/request_id"));
    bt_buf_put_text(&remark.message, reason[0] == 'c' ? "the handoff has its final response already"
                                                      : "no handoff of this id was accepted");
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(reason));
    return bt_finding_builder_end(&remark, item->check.findings);
}

static enum bt_status add_wrong_agent_finding(struct bt_governed_submission *item)
{
    struct bt_finding_builder remark;
    bt_governed_check_remark(&item->check, &remark, "RESPONSE_WRONG_AGENT",
                             BT_STR("/agent/agent_id"));
    bt_buf_put_quoted(&remark.message, item->check.parties[0].id);
    bt_buf_put_text(&remark.message, " is not the target of the handoff");
    bt_emit_member_string(&remark.emit, "agent_id", item->check.parties[0].id);
    return bt_finding_builder_end(&remark, item->check.findings);
}

static enum bt_status add_request_type_finding(struct bt_governed_submission *item, bt_str actual)
{
    struct bt_finding_builder remark;
    bt_governed_check_remark(&item->check, &remark, "RESPONSE_CONTEXT_MISMATCH",
                             BT_STR("/request_context/request_type"));
    bt_buf_printf(&remark.message, "the request was of type %.*s",
                  BT_STR_ARG(item->linked.request_type));
    bt_emit_member_string(&remark.emit, "expected", item->linked.request_type);
    bt_emit_member_string(&remark.emit, "actual", actual);
    return bt_finding_builder_end(&remark, item->check.findings);
}

static enum bt_status add_time_order_finding(struct bt_governed_submission *item)
{
    struct bt_finding_builder remark;
    bt_governed_check_remark(&item->check, &remark, "RESPONSE_TIME_ORDER", BT_STR("/timestamp"));
    bt_emit_member_string(&remark.emit, "handoff", item->linked.timestamp);
    bt_emit_member_string(&remark.emit, "response",
                          bt_governed_check_text(&item->check, BT_STR("/timestamp")));
    return bt_finding_builder_end(&remark, item->check.findings);
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
    bt_instant handoff_time = {0};
    if (!linked->is_known) {
        return add_unlinked_finding(item, "unknown_handoff");
    }
    if (linked->closed_seq != BT_STORE_NONE) {
        BT_TRY(add_unlinked_finding(item, "closed"));
    }
    if (check->is_governor || !bt_str_eq(check->parties[0].id, linked->target)) {
        BT_TRY(add_wrong_agent_finding(item));
    }
    if (!bt_str_eq(type, linked->request_type)) {
        BT_TRY(add_request_type_finding(item, type));
    }
    const bool is_early = bt_instant_parse(linked->timestamp, &handoff_time) == BT_OK &&
                          compare_instants(time, handoff_time) < 0;
    return is_early ? add_time_order_finding(item) : BT_OK;
}

/* Whole seconds from a to b, rounded down, and whether there is more; a is not after b. */
static uint64_t seconds_between(bt_instant a, bt_instant b, bool *out_more)
{
    const uint64_t seconds = (uint64_t)(b.seconds - a.seconds) - (b.nanos < a.nanos);
    *out_more = b.nanos != a.nanos;
    return seconds;
}

static enum bt_status add_freshness_finding(struct bt_governed_submission *item, bool is_stale,
                                            uint64_t seconds, uint64_t limit)
{
    struct bt_finding_builder remark;
    bt_governed_check_remark(&item->check, &remark,
                             is_stale ? "STALE_TIMESTAMP" : "FUTURE_TIMESTAMP",
                             BT_STR("/timestamp"));
    bt_buf_printf(&remark.message,
                  is_stale ? "the document is %" PRIu64 " s old, and %" PRIu64 " s are allowed"
                           : "the document is %" PRIu64 " s ahead, and %" PRIu64 " s are allowed",
                  seconds, limit);
    bt_emit_member_u64(&remark.emit, is_stale ? "age_s" : "ahead_s", seconds);
    bt_emit_member_u64(&remark.emit, is_stale ? "max_age_s" : "max_future_s", limit);
    return bt_finding_builder_end(&remark, item->check.findings);
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
    return seconds > limit || (seconds == limit && has_more)
               ? add_freshness_finding(item, is_past, seconds, limit)
               : BT_OK;
}

static enum bt_status add_replay_finding(struct bt_governed_submission *item,
                                         const struct bt_store_used_id *seen)
{
    const bool is_handoff = item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF;
    const bt_str pointer = is_handoff ? BT_STR("/handoff_id") : BT_STR("/response_id");
    const bt_str prefix = BT_STR("response:");
    const bt_str id = is_handoff ? item->id : bt_str_slice(item->id, prefix.len, item->id.len);
    uint8_t digest[BT_SHA256_BYTES];
    struct bt_finding_builder remark;
    BT_TRY(bt_sha256(item->document.text, digest));
    const bool is_same = bt_str_eq(seen->document, (bt_str){(const char *)digest, sizeof(digest)});
    bt_governed_check_remark(&item->check, &remark, "REPLAYED_ID", pointer);
    bt_buf_printf(&remark.message, "the id was accepted before, as entry %" PRIu64 ", with %s",
                  seen->seq, is_same ? "the same document" : "another document");
    bt_emit_member_string(&remark.emit, "id", id);
    bt_emit_member_u64(&remark.emit, "first_seq", seen->seq);
    bt_emit_name(&remark.emit, "same_document");
    bt_emit_bool(&remark.emit, is_same);
    return bt_finding_builder_end(&remark, item->check.findings);
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
