/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.h - a pairing heap of nodes that lie in what they order: nothing is allocated, so nothing
 * can fail.
 */
#ifndef BATON_SRC_PUMP_HEAP_H
#define BATON_SRC_PUMP_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct bt_heap_node {
    uint64_t key[2];             /* the smaller comes first; compared in this order */
    struct bt_heap_node *child;  /* the first of those below */
    struct bt_heap_node *next;   /* sibling */
    struct bt_heap_node *before; /* the sibling before, or for the first one the parent */
};

struct bt_heap {
    struct bt_heap_node *top; /* NULL: empty */
};

/* Whether the key of `a` comes before that of `b`. */
bool bt_heap_precedes(const uint64_t a[2], const uint64_t b[2]);

/* The node is in no heap. */
void bt_heap_add(struct bt_heap *heap, struct bt_heap_node *node);
/* The node is in this heap. */
void bt_heap_remove(struct bt_heap *heap, struct bt_heap_node *node);

#endif
