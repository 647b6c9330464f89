/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary.c - compositions, who may hand to whom, and what the target takes on. Stage governance.
 */
#include "dialect/governed/ruling.h"

static struct bt_agent *agent_of(struct bt_ruling *ruling, size_t party)
{
    const size_t agent = ruling->parties[party].agent;
    return agent == BT_NO_AGENT ? NULL : &ruling->roster.agents[agent];
}

static void put_no_suggestion(struct bt_emit *emit)
{
    bt_emit_name(emit, "suggested_agents");
    bt_emit_array(emit);
    bt_emit_end(emit);
}

/* ---- Compositions ---------------------------------------------------------------------------- */

static enum bt_status say_composition(struct bt_ruling *ruling, const struct bt_party *party)
{
    const struct bt_agent *agent = &ruling->roster.agents[party->agent];
    struct bt_remark remark;
    bt_party_remark(ruling, party, &remark, "COMPOSITION_VIOLATION", "agent_id");
    bt_buf_put_text(&remark.message, "the composition of ");
    bt_put_quoted(&remark.message, agent->id);
    bt_buf_put_text(&remark.message, " is not valid");
    bt_emit_member_string(&remark.emit, "reason", BT_STR("composition_invalid"));
    bt_emit_name(&remark.emit, "problems");
    bt_emit_array(&remark.emit);
    for (size_t i = 0; i < BT_COMPOSITION_PROBLEM__MAX; i++) {
        if (agent->problems & (1U << i)) {
            bt_emit_string(&remark.emit,
                           bt_composition_problem_name((enum bt_composition_problem)i));
        }
    }
    bt_emit_end(&remark.emit);
    bt_emit_name(&remark.emit, "archetype_composition");
    const enum bt_status status = bt_roster_put_composition(&ruling->roster, agent, &remark.emit);
    if (status != BT_OK) {
        remark.params.status = status;
        bt_emit_null(&remark.emit);
    }
    put_no_suggestion(&remark.emit);
    return bt_remark_end(&remark, ruling->findings);
}

enum bt_status bt_ruling_compose(struct bt_ruling *ruling)
{
    enum bt_found found = BT_FOUND_TRUE;
    for (size_t i = 0; i < ruling->party_count; i++) {
        const struct bt_agent *agent = agent_of(ruling, i);
        if (agent && agent->problems != 0) {
            BT_TRY(say_composition(ruling, &ruling->parties[i]));
            found = BT_FOUND_FALSE;
        } else if (!agent && found == BT_FOUND_TRUE) {
            found = BT_FOUND_NOTHING;
        }
    }
    ruling->verified[BT_COMPOSITION_VALID] = found;
    return BT_OK;
}

/* ---- The pair -------------------------------------------------------------------------------- */

static const char *text_of(enum bt_pair_answer answer)
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
    case BT_PAIR_ANSWER__MAX:
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

static enum bt_status put_pair(struct bt_ruling *ruling, struct bt_emit *emit,
                               enum bt_pair_answer answer, const struct bt_way *way)
{
    const struct bt_agent *source = &ruling->roster.agents[ruling->parties[0].agent];
    bt_emit_member_string(emit, "source", ruling->parties[0].id);
    bt_emit_member_string(emit, "target", ruling->parties[1].id);
    put_pattern(emit, ruling->pattern);
    bt_emit_member_string(emit, "reason", bt_pair_reason(answer));
    bt_ruling_put_agents(ruling, emit, "suggested_agents", way->first, way->first_count);
    bt_ruling_put_agents(ruling, emit, "path", way->path, way->count);
    if (answer != BT_PAIR_NOT_CONSTITUENT) {
        return BT_OK;
    }
    bt_emit_name(emit, "archetype_composition");
    return bt_roster_put_composition(&ruling->roster, source, emit);
}

static enum bt_status say_pair(struct bt_ruling *ruling, enum bt_pair_answer answer)
{
    struct bt_remark remark;
    struct bt_way way;
    BT_TRY(
        bt_roster_way(&ruling->roster, ruling->parties[0].agent, ruling->parties[1].agent, &way));
    bt_ruling_remark(ruling, &remark,
                     answer == BT_PAIR_NOT_CONSTITUENT ? "COMPOSITION_VIOLATION"
                                                       : "BOUNDARY_VIOLATION",
                     BT_STR("/target_agent/agent_id"));
    bt_put_quoted(&remark.message, ruling->parties[0].id);
    bt_buf_put_text(&remark.message, " may not hand to ");
    bt_put_quoted(&remark.message, ruling->parties[1].id);
    bt_buf_printf(&remark.message, ": %s", text_of(answer));
    const enum bt_status status = put_pair(ruling, &remark.emit, answer, &way);
    if (status != BT_OK) {
        remark.params.status = status;
        bt_emit_null(&remark.emit);
    }
    return bt_remark_end(&remark, ruling->findings);
}

/* Whether the question can be answered. */
static bool can_judge(struct bt_ruling *ruling)
{
    const struct bt_roster *roster = &ruling->roster;
    const struct bt_agent *source = agent_of(ruling, 0);
    const struct bt_agent *target = agent_of(ruling, 1);
    if (!source || !target || roster->lock.fault != BT_ROOT_FINE || !roster->has_lists) {
        return false;
    }
    if (source == target) {
        return true;
    }
    return source->problems == 0 && target->problems == 0 &&
           (roster->lists_in_file || (source->is_verified && target->is_verified));
}

static enum bt_status judge_pair(struct bt_ruling *ruling)
{
    const struct bt_roster *roster = &ruling->roster;
    const size_t from = ruling->parties[0].agent;
    const size_t to = ruling->parties[1].agent;
    const bool is_known = from != BT_NO_AGENT && to != BT_NO_AGENT;
    if (is_known) {
        ruling->pattern = bt_pair_pattern(roster, from, to);
    }
    if (is_known && roster->lock.fault == BT_ROOT_FINE && !roster->has_lists) {
        BT_TRY(bt_roster_say_boundaries(roster, ruling->findings));
    }
    if (!can_judge(ruling)) {
        return BT_OK;
    }
    const enum bt_pair_answer answer = bt_pair_judge(roster, from, to);
    ruling->verified[BT_BOUNDARIES_RESPECTED] =
        answer == BT_PAIR_ALLOWED ? BT_FOUND_TRUE : BT_FOUND_FALSE;
    return answer == BT_PAIR_ALLOWED ? BT_OK : say_pair(ruling, answer);
}

/* ---- Scope ----------------------------------------------------------------------------------- */

static bool accepts(const struct bt_agent *agent, bt_str type)
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

/* Who could be asked instead; none when the source is no candidate itself. */
static enum bt_status find_others(struct bt_ruling *ruling, bt_str type, struct bt_way *out)
{
    struct bt_roster *roster = &ruling->roster;
    const size_t from = ruling->parties[0].agent;
    *out = (struct bt_way){0};
    if (from == BT_NO_AGENT || roster->lock.fault != BT_ROOT_FINE || !roster->has_lists) {
        return BT_OK;
    }
    BT_TRY(bt_roster_examine(roster));
    if (!bt_agent_is_candidate(&roster->agents[from])) {
        return BT_OK;
    }
    for (size_t i = 0; i < roster->count && out->first_count < BT_SUGGESTIONS_MAX; i++) {
        if (i != ruling->parties[1].agent && bt_agent_is_candidate(&roster->agents[i]) &&
            accepts(&roster->agents[i], type) &&
            bt_pair_judge(roster, from, i) == BT_PAIR_ALLOWED) {
            out->first[out->first_count++] = i;
        }
    }
    return BT_OK;
}

static enum bt_status judge_scope(struct bt_ruling *ruling)
{
    const bt_str where = BT_STR("/context/request/type");
    const bt_str type = bt_ruling_text(ruling, where);
    const struct bt_agent *target = agent_of(ruling, 1);
    struct bt_remark remark;
    struct bt_way others;
    if (!target || accepts(target, type)) {
        return BT_OK;
    }
    BT_TRY(find_others(ruling, type, &others));
    bt_ruling_remark(ruling, &remark, "OUT_OF_SCOPE", where);
    bt_put_quoted(&remark.message, target->id);
    bt_buf_printf(&remark.message, " does not take requests of type %.*s", BT_STR_ARG(type));
    bt_emit_member_string(&remark.emit, "target", target->id);
    bt_emit_name(&remark.emit, "accepts");
    bt_emit_array(&remark.emit);
    for (size_t i = 0; i < bt_json_count(target->accepts); i++) {
        bt_emit_string(&remark.emit, bt_json_text(&bt_json_items(target->accepts)[i]));
    }
    bt_emit_end(&remark.emit);
    bt_ruling_put_agents(ruling, &remark.emit, "suggested_agents", others.first,
                         others.first_count);
    return bt_remark_end(&remark, ruling->findings);
}

enum bt_status bt_ruling_pair(struct bt_ruling *ruling)
{
    BT_TRY(judge_pair(ruling));
    return judge_scope(ruling);
}

/* ---- Attestation ----------------------------------------------------------------------------- */

static enum bt_status say_false(struct bt_ruling *ruling, enum bt_flag flag, bt_str pointer)
{
    struct bt_remark remark;
    bt_ruling_remark(ruling, &remark, "ATTESTATION_FALSE", pointer);
    bt_buf_printf(&remark.message, "the sender vouches for %.*s, and it is not so",
                  BT_STR_ARG(bt_flag_name(flag)));
    bt_emit_member_string(&remark.emit, "flag", bt_flag_name(flag));
    bt_emit_name(&remark.emit, "claimed");
    bt_emit_bool(&remark.emit, true);
    bt_emit_name(&remark.emit, "found");
    bt_emit_bool(&remark.emit, false);
    return bt_remark_end(&remark, ruling->findings);
}

static enum bt_status say_admitted(struct bt_ruling *ruling, enum bt_flag flag, bt_str pointer)
{
    static const char *const codes[BT_FLAG__MAX] = {
        [BT_SOURCE_VERIFIED] = "HASH_VERIFICATION_FAILURE",
        [BT_TARGET_VERIFIED] = "HASH_VERIFICATION_FAILURE",
        [BT_COMPOSITION_VALID] = "COMPOSITION_VIOLATION",
        [BT_BOUNDARIES_RESPECTED] = "BOUNDARY_VIOLATION",
    };
    struct bt_remark remark;
    bt_ruling_remark(ruling, &remark, codes[flag], pointer);
    bt_buf_printf(&remark.message, "the sender itself says that %.*s is false",
                  BT_STR_ARG(bt_flag_name(flag)));
    bt_emit_member_string(&remark.emit, "flag", bt_flag_name(flag));
    bt_emit_member_string(&remark.emit, "reason", BT_STR("sender_attests_false"));
    if (flag == BT_COMPOSITION_VALID || flag == BT_BOUNDARIES_RESPECTED) {
        put_no_suggestion(&remark.emit);
    }
    return bt_remark_end(&remark, ruling->findings);
}

enum bt_status bt_ruling_attest(struct bt_ruling *ruling)
{
    enum bt_status status = BT_OK;
    for (size_t i = 0; i < BT_FLAG__MAX && status == BT_OK; i++) {
        const enum bt_flag flag = (enum bt_flag)i;
        struct bt_buf pointer;
        bt_buf_init(&pointer, SIZE_MAX);
        bt_buf_put_text(&pointer, "/governance");
        bt_pointer_put(&pointer, bt_flag_name(flag));
        const bt_value *claim = bt_ruling_at(ruling, bt_buf_str(&pointer));
        status = pointer.status;
        if (status == BT_OK && claim) {
            const bool claimed = bt_json_type(claim) == BT_JSON_TRUE;
            const bool found_false = ruling->verified[i] == BT_FOUND_FALSE;
            status = claimed && found_false     ? say_false(ruling, flag, bt_buf_str(&pointer))
                     : !claimed && !found_false ? say_admitted(ruling, flag, bt_buf_str(&pointer))
                                                : BT_OK;
        }
        bt_buf_free(&pointer);
    }
    return status;
}
