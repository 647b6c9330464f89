/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary_pairs.c - the four patterns of collaboration, and the shortest path from agent to agent
 * over candidates that may hand off to each other.
 *
 *     1  domain -> domain                        by the lists of both, as the boundary mode says
 *     2  archetype -> domain                     its constituents (and, where declared, its list)
 *     3  domain -> archetype                     its constituents, and whom its list authorises
 *     4  orchestrator <-> domain or archetype    downwards by its list if it has one
 *
 * One breadth-first search backwards from the target gives every agent's distance; the path and its
 * first steps follow from that. It tests each pair at most once.
 */
#include "dialect/governed/governed_root.h"

#include <assert.h>

static const struct governed_pair_reason {
    bt_str word;
    bt_str text;
} reasons[BT_GOVERNED_PAIR_RESULT__MAX] = {
    [BT_PAIR_UNDECIDED] = {BT_STR_INIT(""), BT_STR_INIT("")},
    [BT_PAIR_ALLOWED] = {BT_STR_INIT(""), BT_STR_INIT("")},
    [BT_PAIR_SELF] = {BT_STR_INIT("self"), BT_STR_INIT("an agent may not hand to itself")},
    [BT_PAIR_NO_PATTERN] = {BT_STR_INIT("no_pattern"),
                            BT_STR_INIT("no pattern of collaboration covers this pair")},
    [BT_PAIR_NOT_LISTED] = {BT_STR_INIT("not_listed"), BT_STR_INIT("the target is not listed")},
    [BT_PAIR_SEPARATION_ONLY] = {BT_STR_INIT("separation_only"),
                                 BT_STR_INIT("the list only separates the two")},
    [BT_PAIR_UNCLEAR_LINE] = {BT_STR_INIT("unclear_line"),
                              BT_STR_INIT("the line about the two is unclear")},
    [BT_PAIR_NOT_MUTUAL] = {BT_STR_INIT("not_mutual"),
                            BT_STR_INIT("the target does not list the source")},
    [BT_PAIR_NOT_CONSTITUENT] = {BT_STR_INIT("not_constituent"),
                                 BT_STR_INIT("the archetype is not made of it")},
    [BT_PAIR_NOT_MEMBER] = {BT_STR_INIT("not_member"),
                            BT_STR_INIT("the archetype is not made of "
                                        "the source and does not list it")},
};

bt_str bt_governed_pair_reason(enum bt_governed_pair_result answer)
{
    assert(answer < BT_GOVERNED_PAIR_RESULT__MAX);
    return reasons[answer].word;
}

bt_str bt_governed_pair_text(enum bt_governed_pair_result answer)
{
    assert(answer < BT_GOVERNED_PAIR_RESULT__MAX);
    return reasons[answer].text;
}

unsigned bt_governed_pair_pattern(const struct bt_governed_root *governed_root, size_t from,
                                  size_t to)
{
    /* domain, archetype, orchestrator -> the same */
    static const unsigned patterns[BT_GOVERNED_AGENT_TYPE__MAX][BT_GOVERNED_AGENT_TYPE__MAX] = {
        {1, 3, 4}, {2, 0, 4}, {4, 4, 0}};
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

/* Why the line of `a` about `b`, and with `both_decide` the one of `b` about `a`, does not
 * authorise the other. */
static enum bt_governed_pair_result find_separation(const struct bt_governed_root *governed_root,
                                                    size_t a, size_t b, bool both_decide)
{
    const struct bt_governed_boundary_list *lists[2] = {&governed_root->agents[a].list,
                                                        &governed_root->agents[b].list};
    const size_t partners[2] = {b, a};
    for (size_t i = 0; i < (both_decide ? 2U : 1U); i++) {
        if (lists[i]->is_there && (lists[i]->named[partners[i]] & BT_UNCLEAR)) {
            return BT_PAIR_UNCLEAR_LINE;
        }
    }
    return BT_PAIR_SEPARATION_ONLY;
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
        return there ? BT_PAIR_ALLOWED
               : is_partner_named(governed_root, from, to)
                   ? find_separation(governed_root, from, to, false)
                   : BT_PAIR_NOT_LISTED;
    case BT_GOVERNED_BOUNDARY_EITHER:
        return there || back ? BT_PAIR_ALLOWED
               : is_partner_named(governed_root, from, to) ||
                       is_partner_named(governed_root, to, from)
                   ? find_separation(governed_root, from, to, true)
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
               ? find_separation(governed_root, from, to, true)
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
    return is_partner_named(governed_root, to, from)
               ? find_separation(governed_root, to, from, false)
               : BT_PAIR_NOT_MEMBER;
}

static enum bt_governed_pair_result judge_orchestrator(const struct bt_governed_root *governed_root,
                                                       size_t from, size_t to)
{
    if (governed_root->agents[from].type != BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR ||
        !governed_root->agents[from].list.is_there ||
        is_partner_authorised(governed_root, from, to)) {
        return BT_PAIR_ALLOWED;
    }
    return is_partner_named(governed_root, from, to)
               ? find_separation(governed_root, from, to, false)
               : BT_PAIR_NOT_LISTED;
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

#define FAR SIZE_MAX

enum bt_status bt_governed_root_check_integrity(struct bt_governed_root *governed_root)
{
    for (size_t i = 0; i < governed_root->count && governed_root->lock.is_sound; i++) {
        BT_TRY(bt_governed_agent_check_integrity(governed_root, &governed_root->agents[i]));
    }
    return BT_OK;
}

bool bt_governed_agent_is_candidate(const struct bt_governed_agent *agent)
{
    return agent->lock_state.is_examined && agent->lock_state.faults == 0 && agent->problems == 0 &&
           !agent->is_blocked;
}

struct governed_route_search {
    const struct bt_governed_root *governed_root;
    size_t *distance; /* to the target */
    size_t *queue;
    size_t count;
};

static bool may_hand(const struct bt_governed_root *governed_root, size_t from, size_t to)
{
    return bt_governed_agent_is_candidate(&governed_root->agents[from]) &&
           bt_governed_check_pair(governed_root, from, to) == BT_PAIR_ALLOWED;
}

static void find_distances(struct governed_route_search *search, size_t target)
{
    const struct bt_governed_root *governed_root = search->governed_root;
    for (size_t i = 0; i < governed_root->count; i++) {
        search->distance[i] = FAR;
    }
    search->distance[target] = 0;
    search->queue[search->count++] = target;
    for (size_t done = 0; done < search->count; done++) {
        const size_t to = search->queue[done];
        for (size_t from = 0; from < governed_root->count; from++) {
            if (search->distance[from] == FAR && may_hand(governed_root, from, to)) {
                search->distance[from] = search->distance[to] + 1;
                search->queue[search->count++] = from;
            }
        }
    }
}

/* The first agent from `start` on that comes next on a shortest way, or BT_NO_AGENT. */
static size_t next_step(const struct governed_route_search *search, size_t at, size_t start)
{
    const struct bt_governed_root *governed_root = search->governed_root;
    for (size_t i = start; i < governed_root->count; i++) {
        if (search->distance[i] != FAR && search->distance[i] + 1 == search->distance[at] &&
            may_hand(governed_root, at, i)) {
            return i;
        }
    }
    return BT_NO_AGENT;
}

enum bt_status bt_governed_root_find_route(struct bt_governed_root *governed_root, size_t from,
                                           size_t to, struct bt_governed_route *out)
{
    *out = (struct bt_governed_route){0};
    BT_TRY(bt_governed_root_check_integrity(governed_root));
    if (!governed_root->has_lists || from == to ||
        !bt_governed_agent_is_candidate(&governed_root->agents[from]) ||
        !bt_governed_agent_is_candidate(&governed_root->agents[to])) {
        return BT_OK;
    }
    struct governed_route_search search = {
        .governed_root = governed_root,
        .distance = BT_NEW_ARRAY(governed_root->arena, size_t, governed_root->count),
        .queue = BT_NEW_ARRAY(governed_root->arena, size_t, governed_root->count),
    };
    out->path = BT_NEW_ARRAY(governed_root->arena, size_t, governed_root->count + 1);
    BT_TRY(search.distance && search.queue && out->path ? BT_OK : BT_ENOMEM);
    find_distances(&search, to);
    if (search.distance[from] == FAR) {
        return BT_OK;
    }
    for (size_t at = from; at != BT_NO_AGENT; at = next_step(&search, at, 0)) {
        out->path[out->count++] = at;
    }
    for (size_t i = next_step(&search, from, 0);
         i != BT_NO_AGENT && out->first_count < BT_SUGGESTIONS_MAX;
         i = next_step(&search, from, i + 1)) {
        out->first[out->first_count++] = i;
    }
    return BT_OK;
}
