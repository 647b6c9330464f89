/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - what a server shows beside what its lock has: which definitions changed, and how. */
#ifndef BATON_SRC_WRAP_COMPARE_H
#define BATON_SRC_WRAP_COMPARE_H

#include "report/add.h"
#include "wrap/lock.h"

struct bt_plan_checker; /* compares schemas; see dialect/plan/plan.h */
struct bt_wrap_policy;  /* see wrap/policy.h */

/* What comparing needs, and how grave each change is. */
struct bt_wrap_compare {
    struct bt_wrap_memory memory;
    struct bt_plan_checker *plans;
    struct bt_findings *findings;
    const struct bt_wrap_policy *policy; /* whose rules leave members of tools out; NULL: none */
    enum bt_severity changed;
    enum bt_severity added;
    enum bt_severity removed;
    enum bt_severity command;
};

struct bt_wrap_compare_counts {
    uint64_t same;
    uint64_t changed;
    uint64_t added;
    uint64_t removed;
};

/*
 * Compare what a server shows with its entry of the lock, items of all kinds and instructions.
 * Resources are compared when both sides have them. Counts are of items. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_compare_entries(const struct bt_wrap_compare *compare,
                                                   const struct bt_wrap_entry *locked,
                                                   const struct bt_wrap_entry *shown,
                                                   struct bt_wrap_compare_counts *out);

/*
 * Compare a definition with the reviewed one, without the members that rules leave out. A
 * difference is WRAP_PIN_CHANGED. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_compare_item(const struct bt_wrap_compare *compare,
                                                enum bt_wrap_kind kind, struct bt_location at,
                                                const struct bt_wrap_item *locked,
                                                const struct bt_wrap_item *shown,
                                                bool *out_is_same);

/*
 * Items of the lock that `shown` does not have any more, by what is left of them when they are
 * renamed. The maps are made when the first item is looked for.
 */
struct bt_wrap_former {
    const struct bt_wrap_memory *memory;
    enum bt_wrap_kind kind;
    const struct bt_wrap_items *locked;
    const struct bt_wrap_items *shown;
    bool is_ready;
    struct bt_map by_rest;    /* digest without name and title -> 1 + index of the first */
    struct bt_map by_schemas; /* of tools: digest of their schemas -> the same; 0: of several */
};

/*
 * The item of the lock that an added one was before: it is equal but for name and title or, for
 * tools, the only one with the same schemas. *out has a NULL pointer when there is none. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_former_find(struct bt_wrap_former *former,
                                               const struct bt_wrap_item *item, bt_str *out);

/* Compare command, package, program and version. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_compare_commands(const struct bt_wrap_compare *compare,
                                                    const struct bt_wrap_entry *locked,
                                                    const struct bt_wrap_entry *shown);

/* Add one finding about a server that only one side has; the other is NULL. */
BT_MUST_USE enum bt_status bt_wrap_add_whole(const struct bt_wrap_compare *compare,
                                             const struct bt_wrap_entry *locked,
                                             const struct bt_wrap_entry *shown);

/* Add what a reviewer has to know about an entry before it is pinned: definitions that share a name
 * (HARD), and a package without a version. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_check_review(const struct bt_wrap_memory *memory,
                                                const struct bt_wrap_entry *entry,
                                                struct bt_findings *findings);

/* The pointer of an item in reports: /tools/NAME. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_item_pointer(struct bt_arena *arena, enum bt_wrap_kind kind,
                                                bt_str key, bt_str *out);

#endif
