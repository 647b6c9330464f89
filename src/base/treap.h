/* SPDX-License-Identifier: Apache-2.0 */
/*
 * treap.h - an ordered set of nodes that lie in what they order: the first at once, the first
 * behind a place in logarithmic time. Nothing is allocated, so nothing can fail.
 */
#ifndef BATON_SRC_BASE_TREAP_H
#define BATON_SRC_BASE_TREAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a node lies in. */
#define BT_WITHIN(type, member, node) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* Compared in this order; no two nodes of a ring have the same. */
struct bt_treap_key {
    uint64_t part[3];
};

struct bt_treap_node {
    struct bt_treap_key key;
    struct bt_treap_node *up;
    struct bt_treap_node *left;
    struct bt_treap_node *right;
    uint64_t weight; /* random enough to keep the tree shallow */
};

struct bt_treap {
    struct bt_treap_node *root; /* NULL: empty */
    struct bt_treap_node
        *first;                 /* what leaves is mostly this one; what is added comes mostly ... */
    struct bt_treap_node *last; /* ... behind that, or before the first */
};

/* Whether `a` comes before `b`. */
bool bt_treap_precedes(const struct bt_treap_key *a, const struct bt_treap_key *b);

/* The node is in no ring; its key is set. */
void bt_treap_add(struct bt_treap *ring, struct bt_treap_node *node);
/* The node is in this ring. */
void bt_treap_remove(struct bt_treap *ring, struct bt_treap_node *node);

/* NULL: the ring is empty. */
struct bt_treap_node *bt_treap_first(const struct bt_treap *ring);
/* The node with this key, or NULL. */
struct bt_treap_node *bt_treap_find(const struct bt_treap *ring, const struct bt_treap_key *key);
/* The first whose first part is greater than `place`; NULL: there is none. */
struct bt_treap_node *bt_treap_find_after(const struct bt_treap *ring, uint64_t place);

#endif
