/* SPDX-License-Identifier: Apache-2.0 */
/* boundary_pairs.h - which agent may hand off to which, and a detour where one may not. */
#ifndef BATON_SRC_DIALECT_GOVERNED_BOUNDARY_PAIRS_H
#define BATON_SRC_DIALECT_GOVERNED_BOUNDARY_PAIRS_H

#include "dialect/governed/governed_root.h"

/* Why a pair is not allowed. Zero: nobody has asked. */
enum bt_governed_pair_result {
    BT_PAIR_UNDECIDED = 0,
    BT_PAIR_ALLOWED,
    BT_PAIR_SELF,
    BT_PAIR_NO_PATTERN,
    BT_PAIR_NOT_LISTED,
    BT_PAIR_SEPARATION_ONLY,
    BT_PAIR_NOT_MUTUAL,
    BT_PAIR_NOT_CONSTITUENT,
    BT_PAIR_NOT_MEMBER,
    BT_GOVERNED_PAIR_RESULT__MAX,
};

/* "self" ...; "" for the first two. */
bt_str bt_governed_pair_reason(enum bt_governed_pair_result answer);

/* The pattern of a pair, 1 to 4, or 0: none covers it. */
unsigned bt_governed_pair_pattern(const struct bt_governed_root *governed_root, size_t from,
                                  size_t to);
/* Whether `from` may hand to `to`. Lists of both are known as far as they can be. */
enum bt_governed_pair_result bt_governed_check_pair(const struct bt_governed_root *governed_root,
                                                    size_t from, size_t to);

/* Look at every agent, so that candidates and their lists are known. */
BT_MUST_USE enum bt_status bt_governed_root_check_integrity(struct bt_governed_root *governed_root);
/* Whether an agent, which was examined, may stand on a way. */
bool bt_governed_agent_is_candidate(const struct bt_governed_agent *agent);

/* The shortest way, and all its first steps. */
struct bt_governed_route {
    size_t *path; /* agents from source to target; none when there is no way */
    size_t count;
    size_t first[BT_SUGGESTIONS_MAX];
    size_t first_count;
};

/* Look for it; every agent is examined first. */
BT_MUST_USE enum bt_status bt_governed_root_find_route(struct bt_governed_root *governed_root,
                                                       size_t from, size_t to,
                                                       struct bt_governed_route *out);

#endif
