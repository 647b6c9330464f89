/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_rules.c - what only the store and the clock can tell: links, freshness, replay.
 *
 * Replay is the last rule of all: a document that fails anything else is not also called a replay.
 */
#include <inttypes.h>

#include "govern/case.h"

bool bt_case_is_refused(const struct bt_case *item)
{
    return bt_verdict_of(item->ruling.findings, BT_HARD) != BT_ACCEPTED;
}

/* ---- Links ----------------------------------------------------------------------------------- */

static enum bt_status say_unlinked(struct bt_case *item, const char *reason)
{
    struct bt_remark remark;
    bt_ruling_remark(&item->ruling, &remark, "RESPONSE_UNLINKED",
                     BT_STR("/request_context/request_id"));
    bt_buf_put_text(&remark.message, reason[0] == 'c' ? "the handoff has its final response already"
                                                      : "no handoff of this id was accepted");
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(reason));
    return bt_remark_end(&remark, item->ruling.findings);
}

static enum bt_status say_agent(struct bt_case *item)
{
    struct bt_remark remark;
    bt_ruling_remark(&item->ruling, &remark, "RESPONSE_WRONG_AGENT", BT_STR("/agent/agent_id"));
    bt_put_quoted(&remark.message, item->ruling.parties[0].id);
    bt_buf_put_text(&remark.message, " is not the target of the handoff");
    bt_emit_member_string(&remark.emit, "agent_id", item->ruling.parties[0].id);
    return bt_remark_end(&remark, item->ruling.findings);
}

static enum bt_status say_type(struct bt_case *item, bt_str actual)
{
    struct bt_remark remark;
    bt_ruling_remark(&item->ruling, &remark, "RESPONSE_CONTEXT_MISMATCH",
                     BT_STR("/request_context/request_type"));
    bt_buf_printf(&remark.message, "the request was of type %.*s",
                  BT_STR_ARG(item->linked.request_type));
    bt_emit_member_string(&remark.emit, "expected", item->linked.request_type);
    bt_emit_member_string(&remark.emit, "actual", actual);
    return bt_remark_end(&remark, item->ruling.findings);
}

static enum bt_status say_order(struct bt_case *item)
{
    struct bt_remark remark;
    bt_ruling_remark(&item->ruling, &remark, "RESPONSE_TIME_ORDER", BT_STR("/timestamp"));
    bt_emit_member_string(&remark.emit, "handoff", item->linked.timestamp);
    bt_emit_member_string(&remark.emit, "response",
                          bt_ruling_text(&item->ruling, BT_STR("/timestamp")));
    return bt_remark_end(&remark, item->ruling.findings);
}

static int compare_instants(bt_instant a, bt_instant b)
{
    return a.seconds != b.seconds ? (a.seconds > b.seconds) - (a.seconds < b.seconds)
                                  : (a.nanos > b.nanos) - (a.nanos < b.nanos);
}

static enum bt_status judge_links(struct bt_case *item, bt_instant time)
{
    const struct bt_linked *linked = &item->linked;
    const struct bt_ruling *ruling = &item->ruling;
    const bt_str type = bt_ruling_text(ruling, BT_STR("/request_context/request_type"));
    bt_instant asked = {0};
    if (!linked->is_known) {
        return say_unlinked(item, "unknown_handoff");
    }
    if (linked->closed_seq != BT_STORE_NONE) {
        BT_TRY(say_unlinked(item, "closed"));
    }
    if (ruling->is_governor || !bt_str_eq(ruling->parties[0].id, linked->target)) {
        BT_TRY(say_agent(item));
    }
    if (!bt_str_eq(type, linked->request_type)) {
        BT_TRY(say_type(item, type));
    }
    const bool is_early =
        bt_instant_parse(linked->timestamp, &asked) == BT_OK && compare_instants(time, asked) < 0;
    return is_early ? say_order(item) : BT_OK;
}

/* ---- Freshness ------------------------------------------------------------------------------- */

/* Whole seconds from a to b, rounded down, and whether there is more; a is not after b. */
static uint64_t seconds_between(bt_instant a, bt_instant b, bool *out_more)
{
    const uint64_t seconds = (uint64_t)(b.seconds - a.seconds) - (b.nanos < a.nanos);
    *out_more = b.nanos != a.nanos;
    return seconds;
}

static enum bt_status say_window(struct bt_case *item, bool is_stale, uint64_t seconds,
                                 uint64_t limit)
{
    struct bt_remark remark;
    bt_ruling_remark(&item->ruling, &remark, is_stale ? "STALE_TIMESTAMP" : "FUTURE_TIMESTAMP",
                     BT_STR("/timestamp"));
    bt_buf_printf(&remark.message,
                  is_stale ? "the document is %" PRIu64 " s old, and %" PRIu64 " s are allowed"
                           : "the document is %" PRIu64 " s ahead, and %" PRIu64 " s are allowed",
                  seconds, limit);
    bt_emit_member_u64(&remark.emit, is_stale ? "age_s" : "ahead_s", seconds);
    bt_emit_member_u64(&remark.emit, is_stale ? "max_age_s" : "max_future_s", limit);
    return bt_remark_end(&remark, item->ruling.findings);
}

static enum bt_status judge_freshness(const struct bt_deciding *deciding, struct bt_case *item,
                                      bt_instant time)
{
    const bool is_past = compare_instants(time, deciding->at) <= 0;
    const uint64_t limit =
        is_past ? item->ruling.options->max_age_s : item->ruling.options->max_future_s;
    bool has_more = false;
    const uint64_t seconds = is_past ? seconds_between(time, deciding->at, &has_more)
                                     : seconds_between(deciding->at, time, &has_more);
    return seconds > limit || (seconds == limit && has_more)
               ? say_window(item, is_past, seconds, limit)
               : BT_OK;
}

/* ---- Replay ---------------------------------------------------------------------------------- */

static enum bt_status say_replay(struct bt_case *item, const struct bt_store_seen *seen)
{
    const bool is_handoff = item->document.kind == BT_CASE_HANDOFF;
    const bt_str pointer = is_handoff ? BT_STR("/handoff_id") : BT_STR("/response_id");
    const bt_str prefix = BT_STR("response:");
    const bt_str id = is_handoff ? item->id : bt_str_slice(item->id, prefix.len, item->id.len);
    uint8_t digest[BT_SHA256_BYTES];
    struct bt_remark remark;
    BT_TRY(bt_sha256(item->document.text, digest));
    const bool is_same = bt_str_eq(seen->document, (bt_str){(const char *)digest, sizeof(digest)});
    bt_ruling_remark(&item->ruling, &remark, "REPLAYED_ID", pointer);
    bt_buf_printf(&remark.message, "the id was accepted before, as entry %" PRIu64 ", with %s",
                  seen->seq, is_same ? "the same document" : "another document");
    bt_emit_member_string(&remark.emit, "id", id);
    bt_emit_member_u64(&remark.emit, "first_seq", seen->seq);
    bt_emit_name(&remark.emit, "same_document");
    bt_emit_bool(&remark.emit, is_same);
    return bt_remark_end(&remark, item->ruling.findings);
}

static enum bt_status judge_replay(const struct bt_deciding *deciding, struct bt_case *item)
{
    struct bt_store_seen seen;
    const bt_str key[2] = {BT_STR("governed"), item->id};
    const enum bt_status status = bt_store_seen_get(deciding->store, item->arena, key, &seen, NULL);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    return status == BT_OK ? say_replay(item, &seen)
                           : bt_fail(deciding->error, status, "cannot look up the id");
}

enum bt_status bt_case_record_rules(const struct bt_deciding *deciding, struct bt_case *item)
{
    bt_instant time = {0};
    if (item->ruling.is_sound && item->document.kind == BT_CASE_RESPONSE) {
        BT_TRY(bt_linked_get(deciding, item->arena, item->handoff_id, &item->linked));
    }
    if (bt_case_is_refused(item)) {
        return BT_OK;
    }
    if (bt_instant_parse(bt_ruling_text(&item->ruling, BT_STR("/timestamp")), &time) != BT_OK) {
        return BT_ECORRUPT; /* the schema has let it pass */
    }
    if (item->document.kind == BT_CASE_RESPONSE) {
        BT_TRY(judge_links(item, time));
    }
    BT_TRY(judge_freshness(deciding, item, time));
    return bt_case_is_refused(item) ? BT_OK : judge_replay(deciding, item);
}
