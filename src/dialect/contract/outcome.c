/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - whether the status is borne out: verification, loop, pending steps, gaps.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/contract/stages.h"

/* ---- Verification ---------------------------------------------------------------------------- */

static enum bt_status check_result(struct bt_turn *turn, const bt_value *verification)
{
    const bt_value *result = bt_turn_get(turn, verification, "result");
    bt_str word = BT_STR("");
    if (result && bt_json_type(result) == BT_JSON_STRING) {
        BT_TRY(bt_ascii_lower_copy(turn->arena, bt_str_trim(bt_json_text(result)), &word));
    }
    if (bt_str_eq(word, BT_STR("pass"))) {
        return bt_turn_spelling(turn, result, word);
    }
    if (turn->plan_status != BT_PLAN_COMPLETE) {
        return BT_OK;
    }
    bt_words_add(&turn->invalid, BT_STR("VERIFICATION_RESULT_MUST_BE_PASS"));
    return bt_turn_say_member(turn, "VERIFICATION_RESULT_MUST_BE_PASS", verification, "result",
                              "only a verification with the result \"pass\" completes a turn; "
                              "report IN_PROGRESS or BLOCKED");
}

static enum bt_status check_pending(struct bt_turn *turn)
{
    const bt_value *steps = bt_turn_get(turn, turn->status, "pending_steps");
    if (turn->plan_status != BT_PLAN_COMPLETE || !steps || !bt_json_items(steps) ||
        bt_json_count(steps) == 0) {
        return BT_OK;
    }
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "COMPLETE_WITH_PENDING", steps);
    bt_emit_member_u64(&remark.emit, "count", bt_json_count(steps));
    remark.finding.hint = BT_STR("empty the list, or do the steps and report IN_PROGRESS");
    return bt_turn_say(turn, &remark);
}

static enum bt_status check_gaps(struct bt_turn *turn)
{
    const bt_value *gaps = bt_turn_get(turn, turn->evidence, "open_gaps");
    gaps = gaps ? gaps : bt_turn_get(turn, turn->evidence, "OPEN_GAPS");
    if (turn->plan_status != BT_PLAN_BLOCKED || !gaps) {
        return BT_OK;
    }
    const enum bt_json_type type = bt_json_type(gaps);
    const bool empty = type == BT_JSON_NULL || (type == BT_JSON_STRING && !bt_is_text(gaps)) ||
                       (type == BT_JSON_ARRAY && bt_json_count(gaps) == 0);
    if (!empty) {
        return BT_OK;
    }
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "BLOCKED_WITHOUT_GAP", gaps);
    remark.finding.hint = BT_STR("name in open_gaps what stands in the way");
    return bt_turn_say(turn, &remark);
}

enum bt_status bt_turn_verification(struct bt_turn *turn)
{
    const bt_value *verification = bt_turn_get(turn, turn->evidence, "verification");
    if (verification && bt_json_type(verification) == BT_JSON_OBJECT) {
        BT_TRY(check_result(turn, verification));
    } else if (turn->plan_status == BT_PLAN_COMPLETE) {
        turn->lacks |= BT_LACKS_VERIFICATION;
        bt_words_add(&turn->missing, BT_STR("VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE"));
        if (turn->evidence) { /* without a report that is the one thing to say */
            BT_TRY(bt_turn_say_member(turn, "VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE",
                                      turn->evidence, "verification",
                                      "verify and write {\"result\": \"pass\"} into "
                                      "evidence_report.verification, or report IN_PROGRESS"));
        }
    }
    BT_TRY(check_pending(turn));
    return check_gaps(turn);
}

/* ---- Loop ------------------------------------------------------------------------------------ */

struct loop {
    bt_str iteration;
    bt_str max;
    bt_str metric;
    bt_str threshold;
    bool lower; /* smaller is better */
};

/* False when the loop cannot be judged. */
static bool read_loop(const struct bt_turn *turn, const bt_value *value, struct loop *out)
{
    const bt_value *direction = bt_turn_get(turn, value, "direction");
    const bt_str word = direction ? bt_json_text(direction) : BT_STR("higher");
    *out = (struct loop){
        .iteration = bt_number_in(turn, bt_turn_get(turn, value, "iteration")),
        .max = bt_number_in(turn, bt_turn_get(turn, value, "max_iterations")),
        .metric = bt_number_in(turn, bt_turn_get(turn, value, "metric")),
        .threshold = bt_number_in(turn, bt_turn_get(turn, value, "threshold")),
        .lower = bt_str_eq(word, BT_STR("lower")),
    };
    return out->iteration.len > 0 && out->max.len > 0 && out->metric.len > 0 &&
           out->threshold.len > 0 && (out->lower || bt_str_eq(word, BT_STR("higher")));
}

/* As RFC 8785 writes it; a number beyond the doubles stays as it was written. */
static void put_number(struct bt_buf *buf, bt_str number)
{
    const double nearest = bt_decimal_to_double(number);
    char text[BT_DOUBLE_TEXT_BYTES];
    if (nearest - nearest != 0) {
        bt_buf_put(buf, bt_cut_at_80(number));
    } else {
        bt_buf_put(buf, (bt_str){text, bt_double_format(nearest, text)});
    }
}

/* What stands before the point. */
static void put_integer(struct bt_buf *buf, bt_str number)
{
    const double exact_end = 9007199254740992.0; /* 2^53: from here on doubles are whole */
    const double nearest = bt_decimal_to_double(number);
    if (nearest > -exact_end && nearest < exact_end) {
        bt_buf_printf(buf, "%" PRId64, (int64_t)nearest);
    } else {
        put_number(buf, number);
    }
}

static enum bt_status say_unfinished(struct bt_turn *turn, const bt_value *value,
                                     const struct loop *loop)
{
    struct bt_buf state;
    bt_str kept = BT_STR("");
    bt_buf_init(&state, SIZE_MAX);
    bt_buf_put_text(&state, "LOOP_STATE_INCOMPLETE:iteration=");
    put_integer(&state, loop->iteration);
    bt_buf_put_text(&state, "<max=");
    put_integer(&state, loop->max);
    bt_buf_put_text(&state, ",metric=");
    put_number(&state, loop->metric);
    bt_buf_put_text(&state, loop->lower ? ">threshold=" : "<threshold=");
    put_number(&state, loop->threshold);
    const enum bt_status status = bt_buf_keep(&state, turn->arena, &kept);
    bt_buf_free(&state);
    BT_TRY(status);
    bt_words_add(&turn->invalid, kept);
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "LOOP_STATE_INCOMPLETE", value);
    bt_buf_put_text(&remark.message, "the loop is neither spent nor good enough: ");
    bt_buf_put(&remark.message, bt_str_slice(kept, sizeof("LOOP_STATE_INCOMPLETE:") - 1, kept.len));
    remark.finding.hint = BT_STR("go on, and report IN_PROGRESS");
    return bt_turn_say(turn, &remark);
}

enum bt_status bt_turn_loop(struct bt_turn *turn)
{
    const bt_value *value = bt_turn_get(turn, turn->root, "loop_state");
    struct loop loop;
    if (bt_is_nothing(value)) {
        return BT_OK;
    }
    if (!read_loop(turn, value, &loop)) {
        struct bt_remark remark;
        bt_turn_remark(turn, &remark, "LOOP_STATE_SHAPE", value);
        remark.finding.hint = BT_STR("give iteration, max_iterations, metric and threshold as "
                                     "numbers; direction is higher or lower");
        return bt_turn_say(turn, &remark);
    }
    const int order = bt_decimal_compare(loop.metric, loop.threshold);
    const bool unfinished = turn->plan_status == BT_PLAN_COMPLETE &&
                            bt_decimal_compare(loop.iteration, loop.max) < 0 &&
                            (loop.lower ? order > 0 : order < 0);
    return unfinished ? say_unfinished(turn, value, &loop) : BT_OK;
}
