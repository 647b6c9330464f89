/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outcome.c - whether the status is borne out: verification, loop, pending steps, gaps.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "dialect/contract/contract_check.h"

static enum bt_status check_result(struct bt_contract_check *check,
                                   const bt_json_value *verification)
{
    const bt_json_value *result = bt_contract_check_get(check, verification, "result");
    bt_str word = BT_STR("");
    if (result && bt_json_type(result) == BT_JSON_STRING) {
        BT_TRY(bt_ascii_lower_copy(check->arena, bt_str_trim(bt_json_text(result)), &word));
    }
    if (bt_str_eq(word, BT_STR("pass"))) {
        return bt_contract_check_canonical_spelling(check, result, word);
    }
    if (check->plan_status != BT_CONTRACT_STATUS_COMPLETE) {
        return BT_OK;
    }
    bt_contract_words_add_code(&check->tokens.invalid, BT_CODE_VERIFICATION_RESULT_MUST_BE_PASS);
    return bt_contract_check_add_member(check, bt_add_verification_result_must_be_pass,
                                        verification, "result");
}

static enum bt_status check_pending(struct bt_contract_check *check)
{
    const bt_json_value *steps = bt_contract_check_get(check, check->parts.status, "pending_steps");
    if (check->plan_status != BT_CONTRACT_STATUS_COMPLETE || !steps || !bt_json_items(steps) ||
        bt_json_count(steps) == 0) {
        return BT_OK;
    }
    return bt_add_complete_with_pending(check->findings, bt_contract_locate(check, steps),
                                        bt_json_count(steps));
}

static enum bt_status check_gaps(struct bt_contract_check *check)
{
    const bt_json_value *gaps = bt_contract_check_get(check, check->parts.evidence, "open_gaps");
    gaps = gaps ? gaps
                : bt_contract_check_get(check, check->parts.evidence,
                                        bt_code_name(BT_CODE_OPEN_GAPS).ptr);
    if (check->plan_status != BT_CONTRACT_STATUS_BLOCKED || !gaps) {
        return BT_OK;
    }
    const enum bt_json_type type = bt_json_type(gaps);
    const bool empty = type == BT_JSON_NULL ||
                       (type == BT_JSON_STRING && !bt_json_is_non_blank_string(gaps)) ||
                       (type == BT_JSON_ARRAY && bt_json_count(gaps) == 0);
    return empty ? bt_add_blocked_without_gap(check->findings, bt_contract_locate(check, gaps))
                 : BT_OK;
}

enum bt_status bt_contract_check_verification(struct bt_contract_check *check)
{
    const bt_json_value *verification =
        bt_contract_check_get(check, check->parts.evidence, "verification");
    if (verification && bt_json_type(verification) == BT_JSON_OBJECT) {
        BT_TRY(check_result(check, verification));
    } else if (check->plan_status == BT_CONTRACT_STATUS_COMPLETE) {
        check->absent.parts |= BT_CONTRACT_MISSING_VERIFICATION;
        bt_contract_words_add_code(&check->tokens.missing,
                                   BT_CODE_VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE);
        if (check->parts.evidence) { /* without a report that is the one thing to say */
            BT_TRY(bt_contract_check_add_member(check,
                                                bt_add_verification_result_required_for_complete,
                                                check->parts.evidence, "verification"));
        }
    }
    BT_TRY(check_pending(check));
    return check_gaps(check);
}

struct contract_loop_state {
    bt_str iteration;
    bt_str max;
    bt_str metric;
    bt_str threshold;
    bool lower; /* smaller is better */
};

/* False when the loop cannot be judged. */
static bool read_loop(const struct bt_contract_check *check, const bt_json_value *value,
                      struct contract_loop_state *out)
{
    const bt_json_value *direction = bt_contract_check_get(check, value, "direction");
    const bt_str word = direction ? bt_json_text(direction) : BT_STR("higher");
    *out = (struct contract_loop_state){
        .iteration =
            bt_contract_number_text(check, bt_contract_check_get(check, value, "iteration")),
        .max =
            bt_contract_number_text(check, bt_contract_check_get(check, value, "max_iterations")),
        .metric = bt_contract_number_text(check, bt_contract_check_get(check, value, "metric")),
        .threshold =
            bt_contract_number_text(check, bt_contract_check_get(check, value, "threshold")),
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
        bt_buf_put(buf, bt_str_cut_shown(number));
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

static enum bt_status add_unfinished_loop_finding(struct bt_contract_check *check,
                                                  const bt_json_value *value,
                                                  const struct contract_loop_state *loop)
{
    struct bt_buf state;
    bt_str text = BT_STR("");
    bt_str token = BT_STR("");
    bt_buf_init(&state, SIZE_MAX);
    bt_buf_put_text(&state, "iteration=");
    put_integer(&state, loop->iteration);
    bt_buf_put_text(&state, "<max=");
    put_integer(&state, loop->max);
    bt_buf_put_text(&state, ",metric=");
    put_number(&state, loop->metric);
    bt_buf_put_text(&state, loop->lower ? ">threshold=" : "<threshold=");
    put_number(&state, loop->threshold);
    BT_TRY(bt_buf_finish(&state, check->arena, &text));
    BT_TRY(bt_arena_printf(check->arena, &token, "%.*s:%.*s",
                           BT_STR_ARG(bt_code_name(BT_CODE_LOOP_STATE_INCOMPLETE)),
                           BT_STR_ARG(text)));
    bt_contract_words_add(&check->tokens.invalid, token);
    return bt_add_loop_state_incomplete(check->findings, bt_contract_locate(check, value), text);
}

enum bt_status bt_contract_check_loop(struct bt_contract_check *check)
{
    const bt_json_value *value = bt_contract_check_get(check, check->root, "loop_state");
    struct contract_loop_state loop;
    if (bt_json_is_absent_or_null(value)) {
        return BT_OK;
    }
    if (!read_loop(check, value, &loop)) {
        return bt_add_loop_state_shape(check->findings, bt_contract_locate(check, value));
    }
    const int order = bt_json_decimal_compare(loop.metric, loop.threshold);
    const bool unfinished = check->plan_status == BT_CONTRACT_STATUS_COMPLETE &&
                            bt_json_decimal_compare(loop.iteration, loop.max) < 0 &&
                            (loop.lower ? order > 0 : order < 0);
    return unfinished ? add_unfinished_loop_finding(check, value, &loop) : BT_OK;
}
