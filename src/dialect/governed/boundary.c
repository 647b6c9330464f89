/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary.c - compositions, which agent may hand off to which, and what the target accepts. Stage
 * governance.
 */
#include "dialect/governed/governed_check.h"

#include "base/buf.h"
#include "json/get.h"

static struct bt_governed_agent *agent_of(struct bt_governed_check *check, size_t party)
{
    const size_t agent = check->parties[party].agent;
    return agent == BT_NO_AGENT ? NULL : &check->governed_root.agents[agent];
}

static const struct bt_str_list no_agents = {NULL, 0};

enum { HINT_BYTES_MAX = 1 << 20 };

/* Write whom to hand to instead, and by which path; a NULL pointer when no agent is left. */
static enum bt_status write_route(struct bt_arena *arena, struct bt_str_list suggested,
                                  struct bt_str_list path, bt_str *out)
{
    struct bt_buf buf;
    *out = BT_STR_ABSENT;
    if (suggested.count == 0) {
        return BT_OK;
    }
    bt_buf_init(&buf, HINT_BYTES_MAX);
    for (size_t i = 0; i < suggested.count; i++) {
        bt_buf_put_text(&buf, i == 0 ? "hand to " : ", ");
        bt_buf_put(&buf, suggested.items[i]);
    }
    for (size_t i = 0; i < path.count; i++) {
        bt_buf_put_text(&buf, i == 0 ? "; path " : " -> ");
        bt_buf_put(&buf, path.items[i]);
    }
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status add_composition_finding(struct bt_governed_check *check,
                                              const struct bt_governed_party *party)
{
    const struct bt_governed_agent *agent = &check->governed_root.agents[party->agent];
    bt_str problems[BT_GOVERNED_COMPOSITION_ERROR__MAX];
    size_t count = 0;
    bt_str composition;
    for (size_t i = 0; i < BT_GOVERNED_COMPOSITION_ERROR__MAX; i++) {
        if (agent->problems & (1U << i)) {
            problems[count++] =
                bt_governed_composition_error_name((enum bt_governed_composition_error)i);
        }
    }
    BT_TRY(bt_governed_root_composition(&check->governed_root, agent, &composition));
    return bt_add_composition_violation_party(
        check->findings, bt_governed_party_locate(check, party, "agent_id"), bt_str_of(party->role),
        agent->id, BT_STR("composition_invalid"), (struct bt_str_list){problems, count},
        composition, no_agents);
}

enum bt_status bt_governed_check_compose(struct bt_governed_check *check)
{
    enum bt_governed_fact found = BT_GOVERNED_FACT_TRUE;
    for (size_t i = 0; i < check->party_count; i++) {
        const struct bt_governed_agent *agent = agent_of(check, i);
        if (agent && agent->problems != 0) {
            BT_TRY(add_composition_finding(check, &check->parties[i]));
            found = BT_GOVERNED_FACT_FALSE;
        } else if (!agent && found == BT_GOVERNED_FACT_TRUE) {
            found = BT_GOVERNED_FACT_NOTHING;
        }
    }
    check->verified[BT_COMPOSITION_VALID] = found;
    return BT_OK;
}

static enum bt_status add_pair_finding(struct bt_governed_check *check,
                                       enum bt_governed_pair_result answer)
{
    const struct bt_governed_root *governed_root = &check->governed_root;
    const bt_str source = check->parties[0].id;
    const bt_str target = check->parties[1].id;
    const struct bt_location at = bt_governed_locate(check, BT_STR("/target_agent/agent_id"));
    const uint64_t pattern = check->pattern;
    const uint64_t *known_pattern = pattern > 0 ? &pattern : NULL;
    const bt_str reason = bt_governed_pair_reason(answer);
    const bt_str why = bt_governed_pair_text(answer);
    struct bt_governed_route route;
    struct bt_str_list suggested;
    struct bt_str_list path;
    bt_str shown;
    BT_TRY(bt_governed_root_find_route(&check->governed_root, check->parties[0].agent,
                                       check->parties[1].agent, &route));
    BT_TRY(bt_governed_root_ids(governed_root, route.first, route.first_count, &suggested));
    BT_TRY(bt_governed_root_ids(governed_root, route.path, route.count, &path));
    BT_TRY(write_route(check->arena, suggested, path, &shown));
    if (answer != BT_PAIR_NOT_CONSTITUENT) {
        return bt_add_boundary_violation(check->findings, at, source, target, known_pattern, reason,
                                         suggested, path, why, shown);
    }
    bt_str composition;
    BT_TRY(bt_governed_root_composition(
        governed_root, &governed_root->agents[check->parties[0].agent], &composition));
    return bt_add_composition_violation_pair(check->findings, at, source, target, known_pattern,
                                             reason, suggested, path, composition, why, shown);
}

/* Whether the question can be answered. */
static bool can_judge(struct bt_governed_check *check)
{
    const struct bt_governed_root *governed_root = &check->governed_root;
    const struct bt_governed_agent *source = agent_of(check, 0);
    const struct bt_governed_agent *target = agent_of(check, 1);
    if (!source || !target || governed_root->lock.fault != BT_ROOT_FINE ||
        !governed_root->has_lists) {
        return false;
    }
    if (source == target) {
        return true;
    }
    return source->problems == 0 && target->problems == 0 &&
           (governed_root->lists_in_file ||
            (source->lock_state.is_verified && target->lock_state.is_verified));
}

static enum bt_status judge_pair(struct bt_governed_check *check)
{
    const struct bt_governed_root *governed_root = &check->governed_root;
    const size_t from = check->parties[0].agent;
    const size_t to = check->parties[1].agent;
    const bool is_known = from != BT_NO_AGENT && to != BT_NO_AGENT;
    if (is_known) {
        check->pattern = bt_governed_pair_pattern(governed_root, from, to);
    }
    if (is_known && governed_root->lock.fault == BT_ROOT_FINE && !governed_root->has_lists) {
        BT_TRY(bt_governed_root_add_boundaries_finding(governed_root, check->findings));
    }
    if (!can_judge(check)) {
        return BT_OK;
    }
    const enum bt_governed_pair_result answer = bt_governed_check_pair(governed_root, from, to);
    check->verified[BT_BOUNDARIES_RESPECTED] =
        answer == BT_PAIR_ALLOWED ? BT_GOVERNED_FACT_TRUE : BT_GOVERNED_FACT_FALSE;
    return answer == BT_PAIR_ALLOWED ? BT_OK : add_pair_finding(check, answer);
}

static bool can_accept_type(const struct bt_governed_agent *agent, bt_str type)
{
    return !agent->accepts || bt_json_lists_text(agent->accepts, type);
}

/* Other agents that could act instead; none when the source is not a candidate itself. */
static enum bt_status find_others(struct bt_governed_check *check, bt_str type,
                                  struct bt_governed_route *out)
{
    struct bt_governed_root *governed_root = &check->governed_root;
    const size_t from = check->parties[0].agent;
    *out = (struct bt_governed_route){0};
    if (from == BT_NO_AGENT || governed_root->lock.fault != BT_ROOT_FINE ||
        !governed_root->has_lists) {
        return BT_OK;
    }
    BT_TRY(bt_governed_root_check_integrity(governed_root));
    if (!bt_governed_agent_is_candidate(&governed_root->agents[from])) {
        return BT_OK;
    }
    for (size_t i = 0; i < governed_root->count && out->first_count < BT_SUGGESTIONS_MAX; i++) {
        if (i != check->parties[1].agent &&
            bt_governed_agent_is_candidate(&governed_root->agents[i]) &&
            can_accept_type(&governed_root->agents[i], type) &&
            bt_governed_check_pair(governed_root, from, i) == BT_PAIR_ALLOWED) {
            out->first[out->first_count++] = i;
        }
    }
    return BT_OK;
}

static enum bt_status judge_scope(struct bt_governed_check *check)
{
    const bt_str where = BT_STR("/context/request/type");
    const bt_str type = bt_governed_check_text(check, where);
    const struct bt_governed_agent *target = agent_of(check, 1);
    struct bt_governed_route others;
    struct bt_str_list suggested;
    bt_str shown;
    if (!target || can_accept_type(target, type)) {
        return BT_OK;
    }
    BT_TRY(find_others(check, type, &others));
    BT_TRY(
        bt_governed_root_ids(&check->governed_root, others.first, others.first_count, &suggested));
    BT_TRY(write_route(check->arena, suggested, no_agents, &shown));
    const size_t count = bt_json_count(target->accepts);
    bt_str *accepts = BT_NEW_ARRAY(check->arena, bt_str, count + 1);
    BT_TRY(accepts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        accepts[i] = bt_json_text(&bt_json_items(target->accepts)[i]);
    }
    return bt_add_out_of_scope(check->findings, bt_governed_locate(check, where), target->id,
                               (struct bt_str_list){accepts, count}, suggested, type, shown);
}

enum bt_status bt_governed_check_pair_step(struct bt_governed_check *check)
{
    BT_TRY(judge_pair(check));
    return judge_scope(check);
}

static enum bt_status add_admitted_fault_finding(struct bt_governed_check *check,
                                                 enum bt_governed_claim flag, struct bt_location at)
{
    const bt_str name = bt_governed_claim_name(flag);
    const bt_str reason = BT_STR("sender_attests_false");
    return flag == BT_COMPOSITION_VALID
               ? bt_add_composition_violation_attested(check->findings, at, name, reason, no_agents)
           : flag == BT_BOUNDARIES_RESPECTED
               ? bt_add_boundary_violation_attested(check->findings, at, name, reason, no_agents)
               : bt_add_hash_verification_failure_attested(check->findings, at, name, reason);
}

enum bt_status bt_governed_check_attest(struct bt_governed_check *check)
{
    const bt_json_value *governance = bt_governed_check_at(check, BT_STR("/governance"));
    for (size_t i = 0; i < BT_GOVERNED_CLAIM__MAX; i++) {
        const enum bt_governed_claim flag = (enum bt_governed_claim)i;
        const bt_str name = bt_governed_claim_name(flag);
        const bt_json_value *claim = bt_json_get(check->document, governance, name);
        if (!claim) {
            continue;
        }
        const struct bt_location at = bt_location_value(check->document, claim);
        const bool claimed = bt_json_type(claim) == BT_JSON_TRUE;
        const bool found_false = check->verified[i] == BT_GOVERNED_FACT_FALSE;
        if (claimed && found_false) {
            BT_TRY(bt_add_attestation_false(check->findings, at, name, true, false));
        } else if (!claimed && !found_false) {
            BT_TRY(add_admitted_fault_finding(check, flag, at));
        }
    }
    return BT_OK;
}
