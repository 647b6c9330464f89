/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - whether the status is borne out: verification, loop, pending steps, gaps.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/contract/stages.h"

static enum bt_status check_result(struct bt_contract_check *turn,
                                   const bt_json_value *verification)
{
    const bt_json_value *result = bt_contract_check_get(turn, verification, "result");
    bt_str word = BT_STR("");
    if (result && bt_json_type(result) == BT_JSON_STRING) {
        BT_TRY(bt_ascii_lower_copy(turn->arena, bt_str_trim(bt_json_text(result)), &word));
    }
    if (bt_str_eq(word, BT_STR("pass"))) {
        return bt_contract_check_canonical_spelling(turn, result, word);
    }
    if (turn->plan_status != BT_CONTRACT_STATUS_COMPLETE) {
        return BT_OK;
    }
    bt_contract_words_add(&turn->invalid, BT_STR("VERIFICATION_RESULT_MUST_BE_PASS"));
    return bt_contract_check_add_member_finding(
        turn, "VERIFICATION_RESULT_MUST_BE_PASS", verification, "result",
        "only a verification with the result \"pass\" completes a turn; "
        "report IN_PROGRESS or BLOCKED");
}

static enum bt_status check_pending(struct bt_contract_check *turn)
{
    const bt_json_value *steps = bt_contract_check_get(turn, turn->status, "pending_steps");
    if (turn->plan_status != BT_CONTRACT_STATUS_COMPLETE || !steps || !bt_json_items(steps) ||
        bt_json_count(steps) == 0) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "COMPLETE_WITH_PENDING", steps);
    bt_emit_member_u64(&remark.emit, "count", bt_json_count(steps));
    remark.finding.hint = BT_STR("empty the list, or do the steps and report IN_PROGRESS");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status check_gaps(struct bt_contract_check *turn)
{
    const bt_json_value *gaps = bt_contract_check_get(turn, turn->evidence, "open_gaps");
    gaps = gaps ? gaps : bt_contract_check_get(turn, turn->evidence, "OPEN_GAPS");
    if (turn->plan_status != BT_CONTRACT_STATUS_BLOCKED || !gaps) {
        return BT_OK;
    }
    const enum bt_json_type type = bt_json_type(gaps);
    const bool empty = type == BT_JSON_NULL ||
                       (type == BT_JSON_STRING && !bt_json_is_non_blank_string(gaps)) ||
                       (type == BT_JSON_ARRAY && bt_json_count(gaps) == 0);
    if (!empty) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "BLOCKED_WITHOUT_GAP", gaps);
    remark.finding.hint = BT_STR("name in open_gaps what stands in the way");
    return bt_contract_check_add_finding(turn, &remark);
}

enum bt_status bt_contract_check_verification(struct bt_contract_check *turn)
{
    const bt_json_value *verification = bt_contract_check_get(turn, turn->evidence, "verification");
    if (verification && bt_json_type(verification) == BT_JSON_OBJECT) {
        BT_TRY(check_result(turn, verification));
    } else if (turn->plan_status == BT_CONTRACT_STATUS_COMPLETE) {
        turn->missing_parts |= BT_CONTRACT_MISSING_VERIFICATION;
        bt_contract_words_add(&turn->missing, BT_STR("VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE"));
        if (turn->evidence) { /* without a report that is the one thing to say */
            BT_TRY(bt_contract_check_add_member_finding(
                turn, "VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE", turn->evidence, "verification",
                "verify and write {\"result\": \"pass\"} into "
                "evidence_report.verification, or report IN_PROGRESS"));
        }
    }
    BT_TRY(check_pending(turn));
    return check_gaps(turn);
}

struct contract_loop_state {
    bt_str iteration;
    bt_str max;
    bt_str metric;
    bt_str threshold;
    bool lower; /* smaller is better */
};

/* False when the loop cannot be judged. */
static bool read_loop(const struct bt_contract_check *turn, const bt_json_value *value,
                      struct contract_loop_state *out)
{
    const bt_json_value *direction = bt_contract_check_get(turn, value, "direction");
    const bt_str word = direction ? bt_json_text(direction) : BT_STR("higher");
    *out = (struct contract_loop_state){
        .iteration = bt_contract_number_text(turn, bt_contract_check_get(turn, value, "iteration")),
        .max = bt_contract_number_text(turn, bt_contract_check_get(turn, value, "max_iterations")),
        .metric = bt_contract_number_text(turn, bt_contract_check_get(turn, value, "metric")),
        .threshold = bt_contract_number_text(turn, bt_contract_check_get(turn, value, "threshold")),
        .lower = bt_str_eq(word, BT_STR("lower")),
    };
    return out->iteration.len > 0 && out->max.len > 0 && out->metric.len > 0 &&
           out->threshold.len > 0 && (out->lower || bt_str_eq(word, BT_STR("higher")));
}

/* As RFC 8785 writes it; a number beyond the doubles stays as it was written. */
static void put_number(struct bt_buf *buf, bt_str number)
{
    const double nearest = bt_json_decimal_to_double(number);
    char text[BT_DOUBLE_TEXT_BYTES];
    if (nearest - nearest != 0) {
        bt_buf_put(buf, bt_str_truncate_80(number));
    } else {
        bt_buf_put(buf, (bt_str){text, bt_double_format(nearest, text)});
    }
}

/* What stands before the point. */
static void put_integer(struct bt_buf *buf, bt_str number)
{
    const double exact_end = 9007199254740992.0; /* 2^53: from here on doubles are whole */
    const double nearest = bt_json_decimal_to_double(number);
    if (nearest > -exact_end && nearest < exact_end) {
        bt_buf_printf(buf, "%" PRId64, (int64_t)nearest);
    } else {
        put_number(buf, number);
    }
}

static enum bt_status add_unfinished_loop_finding(struct bt_contract_check *turn,
                                                  const bt_json_value *value,
                                                  const struct contract_loop_state *loop)
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
    const enum bt_status status = bt_buf_copy(&state, turn->arena, &kept);
    bt_buf_free(&state);
    BT_TRY(status);
    bt_contract_words_add(&turn->invalid, kept);
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "LOOP_STATE_INCOMPLETE", value);
    bt_buf_put_text(&remark.message, "the loop is neither spent nor good enough: ");
    bt_buf_put(&remark.message, bt_str_slice(kept, sizeof("LOOP_STATE_INCOMPLETE:") - 1, kept.len));
    remark.finding.hint = BT_STR("go on, and report IN_PROGRESS");
    return bt_contract_check_add_finding(turn, &remark);
}

enum bt_status bt_contract_check_loop(struct bt_contract_check *turn)
{
    const bt_json_value *value = bt_contract_check_get(turn, turn->root, "loop_state");
    struct contract_loop_state loop;
    if (bt_json_is_absent_or_null(value)) {
        return BT_OK;
    }
    if (!read_loop(turn, value, &loop)) {
        struct bt_finding_builder remark;
        bt_contract_check_remark(turn, &remark, "LOOP_STATE_SHAPE", value);
        remark.finding.hint = BT_STR("give iteration, max_iterations, metric and threshold as "
                                     "numbers; direction is higher or lower");
        return bt_contract_check_add_finding(turn, &remark);
    }
    const int order = bt_json_decimal_compare(loop.metric, loop.threshold);
    const bool unfinished = turn->plan_status == BT_CONTRACT_STATUS_COMPLETE &&
                            bt_json_decimal_compare(loop.iteration, loop.max) < 0 &&
                            (loop.lower ? order > 0 : order < 0);
    return unfinished ? add_unfinished_loop_finding(turn, value, &loop) : BT_OK;
}
