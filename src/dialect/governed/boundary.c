/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary.c - compositions, which agent may hand off to which, and what the target accepts. Stage
 * governance.
 */
#include "dialect/governed/governed_check.h"

static struct bt_governed_agent *agent_of(struct bt_governed_check *check, size_t party)
{
    const size_t agent = check->parties[party].agent;
    return agent == BT_NO_AGENT ? NULL : &check->governed_root.agents[agent];
}

static void put_no_suggestion(struct bt_emit *emit)
{
    bt_emit_name(emit, "suggested_agents");
    bt_emit_begin_array(emit);
    bt_emit_end(emit);
}

static enum bt_status add_composition_finding(struct bt_governed_check *check,
                                              const struct bt_governed_party *party)
{
    const struct bt_governed_agent *agent = &check->governed_root.agents[party->agent];
    struct bt_finding_builder remark;
    bt_governed_party_remark(check, party, &remark, "COMPOSITION_VIOLATION", "agent_id");
    bt_buf_put_text(&remark.message, "the composition of ");
    bt_buf_put_quoted(&remark.message, agent->id);
    bt_buf_put_text(&remark.message, " is not valid");
    bt_emit_member_string(&remark.emit, "reason", BT_STR("composition_invalid"));
    bt_emit_name(&remark.emit, "problems");
    bt_emit_begin_array(&remark.emit);
    for (size_t i = 0; i < BT_GOVERNED_COMPOSITION_ERROR__MAX; i++) {
        if (agent->problems & (1U << i)) {
            bt_emit_string(&remark.emit, bt_governed_composition_error_name(
                                             (enum bt_governed_composition_error)i));
        }
    }
    bt_emit_end(&remark.emit);
    bt_emit_name(&remark.emit, "archetype_composition");
    const enum bt_status status =
        bt_governed_root_put_composition(&check->governed_root, agent, &remark.emit);
    if (status != BT_OK) {
        remark.params.status = status;
        bt_emit_null(&remark.emit);
    }
    put_no_suggestion(&remark.emit);
    return bt_finding_builder_end(&remark, check->findings);
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

static const char *text_of(enum bt_governed_pair_result answer)
{
    switch (answer) {
    case BT_PAIR_SELF:
        return "an agent may not hand to itself";
    case BT_PAIR_NO_PATTERN:
        return "no pattern of collaboration covers this pair";
    case BT_PAIR_NOT_LISTED:
        return "the target is not listed";
    case BT_PAIR_SEPARATION_ONLY:
        return "the list only separates the two";
    case BT_PAIR_NOT_MUTUAL:
        return "the target does not list the source";
    case BT_PAIR_NOT_CONSTITUENT:
        return "the archetype is not made of it";
    case BT_PAIR_NOT_MEMBER:
        return "the archetype is not made of the source and does not list it";
    case BT_PAIR_UNDECIDED:
    case BT_PAIR_ALLOWED:
    case BT_GOVERNED_PAIR_RESULT__MAX:
        break;
    }
    return "";
}

static void put_pattern(struct bt_emit *emit, unsigned pattern)
{
    bt_emit_name(emit, "pattern");
    if (pattern == 0) {
        bt_emit_null(emit);
    } else {
        bt_emit_u64(emit, pattern);
    }
}

static enum bt_status put_pair(struct bt_governed_check *check, struct bt_emit *emit,
                               enum bt_governed_pair_result answer,
                               const struct bt_governed_route *route)
{
    const struct bt_governed_agent *source = &check->governed_root.agents[check->parties[0].agent];
    bt_emit_member_string(emit, "source", check->parties[0].id);
    bt_emit_member_string(emit, "target", check->parties[1].id);
    put_pattern(emit, check->pattern);
    bt_emit_member_string(emit, "reason", bt_governed_pair_reason(answer));
    bt_governed_check_put_agents(check, emit, "suggested_agents", route->first, route->first_count);
    bt_governed_check_put_agents(check, emit, "path", route->path, route->count);
    if (answer != BT_PAIR_NOT_CONSTITUENT) {
        return BT_OK;
    }
    bt_emit_name(emit, "archetype_composition");
    return bt_governed_root_put_composition(&check->governed_root, source, emit);
}

static enum bt_status add_pair_finding(struct bt_governed_check *check,
                                       enum bt_governed_pair_result answer)
{
    struct bt_finding_builder remark;
    struct bt_governed_route route;
    BT_TRY(bt_governed_root_find_route(&check->governed_root, check->parties[0].agent,
                                       check->parties[1].agent, &route));
    bt_governed_check_remark(check, &remark,
                             answer == BT_PAIR_NOT_CONSTITUENT ? "COMPOSITION_VIOLATION"
                                                               : "BOUNDARY_VIOLATION",
                             BT_STR("/target_agent/agent_id"));
    bt_buf_put_quoted(&remark.message, check->parties[0].id);
    bt_buf_put_text(&remark.message, " may not hand to ");
    bt_buf_put_quoted(&remark.message, check->parties[1].id);
    bt_buf_printf(&remark.message, ": %s", text_of(answer));
    const enum bt_status status = put_pair(check, &remark.emit, answer, &route);
    if (status != BT_OK) {
        remark.params.status = status;
        bt_emit_null(&remark.emit);
    }
    return bt_finding_builder_end(&remark, check->findings);
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
           (governed_root->lists_in_file || (source->is_verified && target->is_verified));
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
    if (!agent->accepts) {
        return true;
    }
    for (size_t i = 0; i < bt_json_count(agent->accepts); i++) {
        if (bt_str_eq(bt_json_text(&bt_json_items(agent->accepts)[i]), type)) {
            return true;
        }
    }
    return false;
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
    struct bt_finding_builder remark;
    struct bt_governed_route others;
    if (!target || can_accept_type(target, type)) {
        return BT_OK;
    }
    BT_TRY(find_others(check, type, &others));
    bt_governed_check_remark(check, &remark, "OUT_OF_SCOPE", where);
    bt_buf_put_quoted(&remark.message, target->id);
    bt_buf_printf(&remark.message, " does not take requests of type %.*s", BT_STR_ARG(type));
    bt_emit_member_string(&remark.emit, "target", target->id);
    bt_emit_name(&remark.emit, "accepts");
    bt_emit_begin_array(&remark.emit);
    for (size_t i = 0; i < bt_json_count(target->accepts); i++) {
        bt_emit_string(&remark.emit, bt_json_text(&bt_json_items(target->accepts)[i]));
    }
    bt_emit_end(&remark.emit);
    bt_governed_check_put_agents(check, &remark.emit, "suggested_agents", others.first,
                                 others.first_count);
    return bt_finding_builder_end(&remark, check->findings);
}

enum bt_status bt_governed_check_pair_step(struct bt_governed_check *check)
{
    BT_TRY(judge_pair(check));
    return judge_scope(check);
}

static enum bt_status add_false_claim_finding(struct bt_governed_check *check,
                                              enum bt_governed_claim flag, bt_str pointer)
{
    struct bt_finding_builder remark;
    bt_governed_check_remark(check, &remark, "ATTESTATION_FALSE", pointer);
    bt_buf_printf(&remark.message, "the sender vouches for %.*s, and it is not so",
                  BT_STR_ARG(bt_governed_claim_name(flag)));
    bt_emit_member_string(&remark.emit, "flag", bt_governed_claim_name(flag));
    bt_emit_name(&remark.emit, "claimed");
    bt_emit_bool(&remark.emit, true);
    bt_emit_name(&remark.emit, "found");
    bt_emit_bool(&remark.emit, false);
    return bt_finding_builder_end(&remark, check->findings);
}

static enum bt_status add_admitted_fault_finding(struct bt_governed_check *check,
                                                 enum bt_governed_claim flag, bt_str pointer)
{
    static const char *const codes[BT_GOVERNED_CLAIM__MAX] = {
        [BT_SOURCE_VERIFIED] = "HASH_VERIFICATION_FAILURE",
        [BT_TARGET_VERIFIED] = "HASH_VERIFICATION_FAILURE",
        [BT_COMPOSITION_VALID] = "COMPOSITION_VIOLATION",
        [BT_BOUNDARIES_RESPECTED] = "BOUNDARY_VIOLATION",
    };
    struct bt_finding_builder remark;
    bt_governed_check_remark(check, &remark, codes[flag], pointer);
    bt_buf_printf(&remark.message, "the sender itself says that %.*s is false",
                  BT_STR_ARG(bt_governed_claim_name(flag)));
    bt_emit_member_string(&remark.emit, "flag", bt_governed_claim_name(flag));
    bt_emit_member_string(&remark.emit, "reason", BT_STR("sender_attests_false"));
    if (flag == BT_COMPOSITION_VALID || flag == BT_BOUNDARIES_RESPECTED) {
        put_no_suggestion(&remark.emit);
    }
    return bt_finding_builder_end(&remark, check->findings);
}

enum bt_status bt_governed_check_attest(struct bt_governed_check *check)
{
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < BT_GOVERNED_CLAIM__MAX && status == BT_OK; i++) {
        const enum bt_governed_claim flag = (enum bt_governed_claim)i;
        struct bt_buf pointer;
        bt_buf_init(&pointer, SIZE_MAX);
        bt_buf_put_text(&pointer, "/governance");
        bt_json_pointer_put(&pointer, bt_governed_claim_name(flag));
        const bt_json_value *claim = bt_governed_check_at(check, bt_buf_str(&pointer));
        status = pointer.status;
        if (status == BT_OK && claim) {
            const bool claimed = bt_json_type(claim) == BT_JSON_TRUE;
            const bool found_false = check->verified[i] == BT_GOVERNED_FACT_FALSE;
            status = claimed && found_false
                         ? add_false_claim_finding(check, flag, bt_buf_str(&pointer))
                     : !claimed && !found_false
                         ? add_admitted_fault_finding(check, flag, bt_buf_str(&pointer))
                         : BT_OK;
        }
        bt_buf_free(&pointer);
    }
    return status;
}
