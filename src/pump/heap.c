/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.c - a pairing heap: the smallest is always on top, any node can leave.
 */
#include "pump/heap.h"

#include <assert.h>
#include <stddef.h>

bool bt_heap_precedes(const uint64_t a[2], const uint64_t b[2])
{
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

/* Make one heap of two that are whole; each may be NULL. */
static struct bt_heap_node *meld(struct bt_heap_node *a, struct bt_heap_node *b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    if (bt_heap_precedes(b->key, a->key)) {
        struct bt_heap_node *smaller = b;
        b = a;
        a = smaller;
    }
    b->before = a;
    b->next = a->child;
    if (a->child) {
        a->child->before = b;
    }
    a->child = b;
    return a;
}

/* Make one heap of a list of siblings: in pairs from the left, then together from the right. */
static struct bt_heap_node *gather(struct bt_heap_node *list)
{
    struct bt_heap_node *pairs = NULL; /* the last pair first, linked by `next` */
    while (list) {
        struct bt_heap_node *a = list;
        struct bt_heap_node *b = a->next;
        list = b ? b->next : NULL;
        a->next = a->before = NULL;
        if (b) {
            b->next = b->before = NULL;
        }
        struct bt_heap_node *pair = meld(a, b);
        pair->next = pairs;
        pairs = pair;
    }
    struct bt_heap_node *whole = NULL;
    while (pairs) {
        struct bt_heap_node *rest = pairs->next;
        pairs->next = NULL;
        whole = meld(whole, pairs);
        pairs = rest;
    }
    return whole;
}

void bt_heap_add(struct bt_heap *heap, struct bt_heap_node *node)
{
    assert(heap);
    assert(node);
    node->child = node->next = node->before = NULL;
    heap->top = meld(heap->top, node);
}

void bt_heap_remove(struct bt_heap *heap, struct bt_heap_node *node)
{
    assert(heap->top);
    struct bt_heap_node *below = gather(node->child);
    node->child = NULL;
    if (heap->top == node) {
        heap->top = below;
        return;
    }
    if (node->before->child == node) {
        node->before->child = node->next;
    } else {
        node->before->next = node->next;
    }
    if (node->next) {
        node->next->before = node->before;
    }
    node->next = node->before = NULL;
    heap->top = meld(heap->top, below);
}
