/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary_pairs.c - the four patterns of collaboration.
 *
 *     1  domain -> domain                        by the lists of both, as the boundary mode says
 *     2  archetype -> domain                     its constituents (and, where declared, its list)
 *     3  domain -> archetype                     its constituents, and whom its list authorises
 *     4  orchestrator <-> domain or archetype    downwards by its list if it has one
 */
#include "dialect/governed/boundary_pairs.h"

#include <assert.h>

static const bt_str reasons[BT_GOVERNED_PAIR_RESULT__MAX] = {
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

bt_str bt_governed_pair_reason(enum bt_governed_pair_result answer)
{
    assert(answer < BT_GOVERNED_PAIR_RESULT__MAX);
    return reasons[answer];
}

unsigned bt_governed_pair_pattern(const struct bt_governed_root *governed_root, size_t from,
                                  size_t to)
{
    static const unsigned patterns[BT_GOVERNED_AGENT_TYPE__MAX][BT_GOVERNED_AGENT_TYPE__MAX] = {
        [BT_GOVERNED_AGENT_TYPE_DOMAIN] = {[BT_GOVERNED_AGENT_TYPE_DOMAIN] = 1,
                                           [BT_GOVERNED_AGENT_TYPE_ARCHETYPE] = 3,
                                           [BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR] = 4},
        [BT_GOVERNED_AGENT_TYPE_ARCHETYPE] = {[BT_GOVERNED_AGENT_TYPE_DOMAIN] = 2,
                                              [BT_GOVERNED_AGENT_TYPE_ARCHETYPE] = 0,
                                              [BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR] = 4},
        [BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR] = {[BT_GOVERNED_AGENT_TYPE_DOMAIN] = 4,
                                                 [BT_GOVERNED_AGENT_TYPE_ARCHETYPE] = 4,
                                                 [BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR] = 0},
    };
    return from == to ? 0
                      : patterns[governed_root->agents[from].type][governed_root->agents[to].type];
}

static bool is_partner_named(const struct bt_governed_root *governed_root, size_t owner,
                             size_t partner)
{
    const struct bt_governed_boundary_list *list = &governed_root->agents[owner].list;
    return list->is_there && (list->named[partner] & BT_NAMED);
}

static bool is_partner_separated(const struct bt_governed_root *governed_root, size_t owner,
                                 size_t partner)
{
    return is_partner_named(governed_root, owner, partner) &&
           (governed_root->agents[owner].list.named[partner] & BT_SEPARATED);
}

static bool is_partner_authorised(const struct bt_governed_root *governed_root, size_t owner,
                                  size_t partner)
{
    return is_partner_named(governed_root, owner, partner) &&
           (governed_root->options->relation_mode == BT_GOVERNED_RELATION_LITERAL ||
            !is_partner_separated(governed_root, owner, partner));
}

static bool is_made_of(const struct bt_governed_agent *archetype, size_t domain)
{
    for (size_t i = 0; i < archetype->share_count; i++) {
        if (archetype->shares[i] == domain) {
            return true;
        }
    }
    return false;
}

static enum bt_governed_pair_result judge_domains(const struct bt_governed_root *governed_root,
                                                  size_t from, size_t to)
{
    const bool there = is_partner_authorised(governed_root, from, to);
    const bool back = is_partner_authorised(governed_root, to, from);
    switch (governed_root->options->boundary_mode) {
    case BT_GOVERNED_BOUNDARY_SOURCE:
        return there                                       ? BT_PAIR_ALLOWED
               : is_partner_named(governed_root, from, to) ? BT_PAIR_SEPARATION_ONLY
                                                           : BT_PAIR_NOT_LISTED;
    case BT_GOVERNED_BOUNDARY_EITHER:
        return there || back ? BT_PAIR_ALLOWED
               : is_partner_named(governed_root, from, to) ||
                       is_partner_named(governed_root, to, from)
                   ? BT_PAIR_SEPARATION_ONLY
                   : BT_PAIR_NOT_LISTED;
    case BT_GOVERNED_BOUNDARY_MUTUAL:
        break;
    }
    if (there && back) {
        return BT_PAIR_ALLOWED;
    }
    if (!is_partner_named(governed_root, from, to)) {
        return BT_PAIR_NOT_LISTED;
    }
    return is_partner_separated(governed_root, from, to) ||
                   is_partner_separated(governed_root, to, from)
               ? BT_PAIR_SEPARATION_ONLY
               : BT_PAIR_NOT_MUTUAL;
}

static enum bt_governed_pair_result
judge_archetype_out(const struct bt_governed_root *governed_root, size_t from, size_t to)
{
    const bool is_declared =
        governed_root->options->archetype_mode == BT_GOVERNED_ARCHETYPE_DECLARED &&
        is_partner_authorised(governed_root, from, to);
    return is_made_of(&governed_root->agents[from], to) || is_declared ? BT_PAIR_ALLOWED
                                                                       : BT_PAIR_NOT_CONSTITUENT;
}

static enum bt_governed_pair_result judge_archetype_in(const struct bt_governed_root *governed_root,
                                                       size_t from, size_t to)
{
    if (is_made_of(&governed_root->agents[to], from) ||
        is_partner_authorised(governed_root, to, from)) {
        return BT_PAIR_ALLOWED;
    }
    return is_partner_named(governed_root, to, from) ? BT_PAIR_SEPARATION_ONLY : BT_PAIR_NOT_MEMBER;
}

static enum bt_governed_pair_result judge_orchestrator(const struct bt_governed_root *governed_root,
                                                       size_t from, size_t to)
{
    if (governed_root->agents[from].type != BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR ||
        !governed_root->agents[from].list.is_there ||
        is_partner_authorised(governed_root, from, to)) {
        return BT_PAIR_ALLOWED;
    }
    return is_partner_named(governed_root, from, to) ? BT_PAIR_SEPARATION_ONLY : BT_PAIR_NOT_LISTED;
}

enum bt_governed_pair_result bt_governed_check_pair(const struct bt_governed_root *governed_root,
                                                    size_t from, size_t to)
{
    assert(from < governed_root->count);
    assert(to < governed_root->count);
    if (from == to) {
        return BT_PAIR_SELF;
    }
    switch (bt_governed_pair_pattern(governed_root, from, to)) {
    case 1:
        return judge_domains(governed_root, from, to);
    case 2:
        return judge_archetype_out(governed_root, from, to);
    case 3:
        return judge_archetype_in(governed_root, from, to);
    case 4:
        return judge_orchestrator(governed_root, from, to);
    default:
        return BT_PAIR_NO_PATTERN;
    }
}
