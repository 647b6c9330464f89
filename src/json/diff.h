/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - the stages of a diff: values hashed, children paired, operations written.
 *
 * Hashes only ever choose what is paired with what. Whether a pair needs an operation is decided by
 * comparing the values, so a collision costs a longer patch, never a wrong one.
 */
#ifndef BATON_SRC_JSON_DIFF_H
#define BATON_SRC_JSON_DIFF_H

#include "json/members.h"

/* A value and the hash of all there is below it. Equal values have equal hashes. */
struct bt_json_diff_node {
    const bt_json_value *value;
    uint64_t hash;
    uint32_t first; /* where the shades of its children begin; they are contiguous */
};

/* Hash every value of a document. *out_shades begins with the root's. BT_ENOMEM is the arena's. */
BT_MUST_USE enum bt_status bt_json_diff_hash_nodes(const struct bt_json_doc *document,
                                                   struct bt_arena *arena,
                                                   struct bt_json_diff_node **out_shades);

/* One document of the two. */
struct bt_json_diff_side {
    const struct bt_json_doc *document;
    const struct bt_json_diff_node *shades;
};

struct bt_json_diff_run {
    struct bt_arena *arena;
    struct bt_json_diff_side a;
    struct bt_json_diff_side b;
    struct bt_json_member_matcher matcher;
    struct bt_json_scratch partners;
    struct bt_json_scratch rows; /* of the search for the longest common subsequence */
    uint64_t search_left;        /* steps that may still be spent on that search */
};

enum bt_json_diff_op {
    BT_DIFF_PAIR,   /* a's child is to become b's child */
    BT_DIFF_ADD,    /* b's child is new */
    BT_DIFF_REMOVE, /* a's child goes */
};

/* What happens to one child. Shades are named by their place. */
struct bt_json_diff_step {
    enum bt_json_diff_op kind;
    uint32_t a;
    uint32_t b;
    uint32_t
        token; /* array: the index when its turn comes; object: the member's index in its side */
};

struct bt_json_diff_script {
    struct bt_json_diff_step *steps;
    size_t count;
    bool kinship; /* something below is kept: else replacing the whole is the shorter patch */
    struct bt_json_scratch room;
};

/* Whether a and b, two shades, are equal for certain. */
BT_MUST_USE enum bt_status bt_json_diff_run_same(struct bt_json_diff_run *diff, uint32_t a,
                                                 uint32_t b, bool *out_same);
/* What turns the container a into the container b of the same type, child by child, in order. */
BT_MUST_USE enum bt_status bt_json_diff_run_script(struct bt_json_diff_run *diff, uint32_t a,
                                                   uint32_t b, struct bt_json_diff_script *script);

/* Some neighbouring items of two arrays. */
struct bt_json_diff_range {
    const struct bt_json_diff_node *a;
    const struct bt_json_diff_node *b;
    uint32_t a_count;
    uint32_t b_count;
};

#define BT_DIFF_ALONE UINT32_MAX

/*
 * Find a longest common subsequence of hashes: out_partners[i] is the partner of a's item i, or
 * BT_DIFF_ALONE. When that would take too much work, every item is left alone.
 */
BT_MUST_USE enum bt_status bt_json_diff_run_align(struct bt_json_diff_run *diff,
                                                  const struct bt_json_diff_range *range,
                                                  uint32_t *out_partners);

#endif
