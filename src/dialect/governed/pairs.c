/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.c - the four patterns of collaboration.
 *
 *     1  domain -> domain                        by the lists of both, as the boundary mode says
 *     2  archetype -> domain                     its constituents (and, where declared, its list)
 *     3  domain -> archetype                     its constituents, and whom its list authorises
 *     4  orchestrator <-> domain or archetype    downwards by its list if it has one
 */
#include "dialect/governed/pairs.h"

#include <assert.h>

static const bt_str reasons[BT_PAIR_ANSWER__MAX] = {
    [BT_PAIR_UNDECIDED] = BT_STR_INIT(""),
    [BT_PAIR_ALLOWED] = BT_STR_INIT(""),
    [BT_PAIR_SELF] = BT_STR_INIT("self"),
    [BT_PAIR_NO_PATTERN] = BT_STR_INIT("no_pattern"),
    [BT_PAIR_NOT_LISTED] = BT_STR_INIT("not_listed"),
    [BT_PAIR_SEPARATION_ONLY] = BT_STR_INIT("separation_only"),
    [BT_PAIR_NOT_MUTUAL] = BT_STR_INIT("not_mutual"),
    [BT_PAIR_NOT_CONSTITUENT] = BT_STR_INIT("not_constituent"),
    [BT_PAIR_NOT_MEMBER] = BT_STR_INIT("not_member"),
};

bt_str bt_pair_reason(enum bt_pair_answer answer)
{
    assert(answer < BT_PAIR_ANSWER__MAX);
    return reasons[answer];
}

unsigned bt_pair_pattern(const struct bt_roster *roster, size_t from, size_t to)
{
    static const unsigned patterns[BT_AGENT_TYPE__MAX][BT_AGENT_TYPE__MAX] = {
        [BT_DOMAIN] = {[BT_DOMAIN] = 1, [BT_ARCHETYPE] = 3, [BT_ORCHESTRATOR] = 4},
        [BT_ARCHETYPE] = {[BT_DOMAIN] = 2, [BT_ARCHETYPE] = 0, [BT_ORCHESTRATOR] = 4},
        [BT_ORCHESTRATOR] = {[BT_DOMAIN] = 4, [BT_ARCHETYPE] = 4, [BT_ORCHESTRATOR] = 0},
    };
    return from == to ? 0 : patterns[roster->agents[from].type][roster->agents[to].type];
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool names(const struct bt_roster *roster, size_t owner, size_t partner)
{
    const struct bt_boundary_list *list = &roster->agents[owner].list;
    return list->is_there && (list->named[partner] & BT_NAMED);
}

static bool separates(const struct bt_roster *roster, size_t owner, size_t partner)
{
    return names(roster, owner, partner) &&
           (roster->agents[owner].list.named[partner] & BT_SEPARATED);
}

static bool authorises(const struct bt_roster *roster, size_t owner, size_t partner)
{
    return names(roster, owner, partner) &&
           (roster->options->relation_mode == BT_RELATION_LITERAL ||
            !separates(roster, owner, partner));
}

static bool is_made_of(const struct bt_agent *archetype, size_t domain)
{
    for (size_t i = 0; i < archetype->share_count; i++) {
        if (archetype->shares[i] == domain) {
            return true;
        }
    }
    return false;
}

/* ---- Patterns -------------------------------------------------------------------------------- */

static enum bt_pair_answer judge_domains(const struct bt_roster *roster, size_t from, size_t to)
{
    const bool there = authorises(roster, from, to);
    const bool back = authorises(roster, to, from);
    switch (roster->options->boundary_mode) {
    case BT_BOUNDARY_SOURCE:
        return there                     ? BT_PAIR_ALLOWED
               : names(roster, from, to) ? BT_PAIR_SEPARATION_ONLY
                                         : BT_PAIR_NOT_LISTED;
    case BT_BOUNDARY_EITHER:
        return there || back                                        ? BT_PAIR_ALLOWED
               : names(roster, from, to) || names(roster, to, from) ? BT_PAIR_SEPARATION_ONLY
                                                                    : BT_PAIR_NOT_LISTED;
    case BT_BOUNDARY_MUTUAL:
        break;
    }
    if (there && back) {
        return BT_PAIR_ALLOWED;
    }
    if (!names(roster, from, to)) {
        return BT_PAIR_NOT_LISTED;
    }
    return separates(roster, from, to) || separates(roster, to, from) ? BT_PAIR_SEPARATION_ONLY
                                                                      : BT_PAIR_NOT_MUTUAL;
}

static enum bt_pair_answer judge_archetype_out(const struct bt_roster *roster, size_t from,
                                               size_t to)
{
    const bool is_declared =
        roster->options->archetype_mode == BT_ARCHETYPE_DECLARED && authorises(roster, from, to);
    return is_made_of(&roster->agents[from], to) || is_declared ? BT_PAIR_ALLOWED
                                                                : BT_PAIR_NOT_CONSTITUENT;
}

static enum bt_pair_answer judge_archetype_in(const struct bt_roster *roster, size_t from,
                                              size_t to)
{
    if (is_made_of(&roster->agents[to], from) || authorises(roster, to, from)) {
        return BT_PAIR_ALLOWED;
    }
    return names(roster, to, from) ? BT_PAIR_SEPARATION_ONLY : BT_PAIR_NOT_MEMBER;
}

static enum bt_pair_answer judge_orchestrator(const struct bt_roster *roster, size_t from,
                                              size_t to)
{
    if (roster->agents[from].type != BT_ORCHESTRATOR || !roster->agents[from].list.is_there ||
        authorises(roster, from, to)) {
        return BT_PAIR_ALLOWED;
    }
    return names(roster, from, to) ? BT_PAIR_SEPARATION_ONLY : BT_PAIR_NOT_LISTED;
}

enum bt_pair_answer bt_pair_judge(const struct bt_roster *roster, size_t from, size_t to)
{
    assert(from < roster->count);
    assert(to < roster->count);
    if (from == to) {
        return BT_PAIR_SELF;
    }
    switch (bt_pair_pattern(roster, from, to)) {
    case 1:
        return judge_domains(roster, from, to);
    case 2:
        return judge_archetype_out(roster, from, to);
    case 3:
        return judge_archetype_in(roster, from, to);
    case 4:
        return judge_orchestrator(roster, from, to);
    default:
        return BT_PAIR_NO_PATTERN;
    }
}
