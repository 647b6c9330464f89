/* SPDX-License-Identifier: Apache-2.0 */
/*
 * response.c - rules about the answers to handoffs.
 */
#include "dialect/governed/governed_check.h"

/* Whether data says why: an explanation, or for errors their message. */
static bool is_explained(const struct bt_governed_check *check)
{
    const bool is_error =
        bt_str_eq(bt_governed_check_text(check, BT_STR("/response/status")), BT_STR("error"));
    return !bt_ascii_is_all_space(
               bt_governed_check_text(check, BT_STR("/response/content/data/explanation"))) ||
           (is_error && !bt_ascii_is_all_space(bt_governed_check_text(
                            check, BT_STR("/response/content/data/error_message"))));
}

static enum bt_status judge_flags(struct bt_governed_check *check)
{
    static const bt_str pointers[] = {
        BT_STR_INIT("/governance/within_scope"),
        BT_STR_INIT("/governance/boundaries_respected"),
        BT_STR_INIT("/governance/quality_standards_met"),
        BT_STR_INIT("/governance/constraints_followed"),
    };
    for (size_t i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
        const bt_json_value *flag = bt_governed_check_at(check, pointers[i]);
        const bt_str name = bt_str_slice(pointers[i], sizeof("/governance/") - 1, pointers[i].len);
        if (bt_json_type(flag) == BT_JSON_FALSE && !is_explained(check)) {
            BT_TRY(bt_add_response_unexplained(check->findings,
                                               bt_governed_locate(check, pointers[i]), name));
        }
    }
    return BT_OK;
}

enum bt_status bt_governed_check_response(struct bt_governed_check *check)
{
    const bt_str status = bt_governed_check_text(check, BT_STR("/response/status"));
    const bt_str confidence = bt_governed_check_text(check, BT_STR("/response/confidence"));
    BT_TRY(judge_flags(check));
    if (bt_str_eq(status, BT_STR("error")) == bt_str_eq(confidence, BT_STR("not_applicable"))) {
        return BT_OK;
    }
    return bt_add_response_confidence(check->findings,
                                      bt_governed_locate(check, BT_STR("/response/confidence")),
                                      status, confidence);
}

/* Why the responder may not hand to the agent; "" when it may, or when that is unknown. */
static bt_str refusal_of(const struct bt_governed_check *check, bt_str id)
{
    const struct bt_governed_root *governed_root = &check->governed_root;
    const size_t to = bt_governed_root_find(governed_root, id);
    const size_t from = check->parties[0].agent;
    if (to == BT_NO_AGENT) {
        return BT_STR("unknown_agent");
    }
    if (from == BT_NO_AGENT || !governed_root->has_lists ||
        governed_root->lock.fault != BT_ROOT_FINE ||
        !bt_governed_agent_is_candidate(&governed_root->agents[from]) ||
        !bt_governed_agent_is_candidate(&governed_root->agents[to])) {
        return BT_STR("");
    }
    return bt_governed_pair_reason(bt_governed_check_pair(governed_root, from, to));
}

enum bt_status bt_governed_check_suggest(struct bt_governed_check *check)
{
    const bt_json_value *list =
        bt_governed_check_at(check, BT_STR("/next_actions/suggested_handoffs"));
    const size_t count = list ? bt_json_count(list) : 0;
    if (count > 0 && check->governed_root.lock.fault == BT_ROOT_FINE) {
        BT_TRY(bt_governed_root_check_integrity(&check->governed_root));
    }
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *at =
            bt_json_get(check->document, &bt_json_items(list)[i], BT_STR("target_agent"));
        const bt_str reason = refusal_of(check, bt_json_text(at));
        if (reason.len > 0) {
            BT_TRY(bt_add_suggestion_invalid(
                check->findings, bt_location_value(check->document, at), bt_json_text(at), reason));
        }
    }
    return BT_OK;
}
