/* SPDX-License-Identifier: Apache-2.0 */
/*
 * treap.c - a treap: a search tree by key that is a heap by weight. Weights are mixed from the
 * keys, so the same nodes always make the same tree.
 */
#include "base/treap.h"

#include <assert.h>
#include <stddef.h>

bool bt_treap_precedes(const struct bt_treap_key *a, const struct bt_treap_key *b)
{
    for (size_t i = 0; i < 2; i++) {
        if (a->part[i] != b->part[i]) {
            return a->part[i] < b->part[i];
        }
    }
    return a->part[2] < b->part[2];
}

static uint64_t mix_bits(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

static uint64_t weight_of(const struct bt_treap_key *key)
{
    uint64_t weight = 0;
    for (size_t i = 0; i < 3; i++) {
        weight = mix_bits(weight + key->part[i] + UINT64_C(0x9e3779b97f4a7c15));
    }
    return weight;
}

/* Where the pointer to `node` stands. */
static struct bt_treap_node **place_of(struct bt_treap *ring, struct bt_treap_node *node)
{
    if (!node->up) {
        return &ring->root;
    }
    return node->up->left == node ? &node->up->left : &node->up->right;
}

/* Let `node` and its parent change places. */
static void rotate_up(struct bt_treap *ring, struct bt_treap_node *node)
{
    struct bt_treap_node *parent = node->up;
    *place_of(ring, parent) = node;
    node->up = parent->up;
    parent->up = node;
    struct bt_treap_node *between;
    if (parent->left == node) {
        between = node->right;
        parent->left = between;
        node->right = parent;
    } else {
        between = node->left;
        parent->right = between;
        node->left = parent;
    }
    if (between) {
        between->up = parent;
    }
}

/* Where a node of this key belongs, and below whom. */
static struct bt_treap_node **find_place(struct bt_treap *ring, const struct bt_treap_key *key,
                                         struct bt_treap_node **out_up)
{
    if (ring->last && bt_treap_precedes(&ring->last->key, key)) {
        *out_up = ring->last;
        return &ring->last->right;
    }
    if (ring->first && bt_treap_precedes(key, &ring->first->key)) {
        *out_up = ring->first;
        return &ring->first->left;
    }
    struct bt_treap_node **place = &ring->root;
    *out_up = NULL;
    while (*place) {
        *out_up = *place;
        place = bt_treap_precedes(key, &(*place)->key) ? &(*place)->left : &(*place)->right;
    }
    return place;
}

void bt_treap_add(struct bt_treap *ring, struct bt_treap_node *node)
{
    assert(ring);
    assert(node);
    node->left = node->right = NULL;
    node->weight = weight_of(&node->key);
    *find_place(ring, &node->key, &node->up) = node;
    if (!node->up || (ring->first == node->up && node->up->left == node)) {
        ring->first = node;
    }
    if (!node->up || (ring->last == node->up && node->up->right == node)) {
        ring->last = node;
    }
    while (node->up && node->up->weight < node->weight) {
        rotate_up(ring, node);
    }
}

/* The first and the last have nothing on one side, so their neighbour is near. */
static void leave_ends(struct bt_treap *ring, const struct bt_treap_node *node)
{
    if (ring->first == node) {
        ring->first = node->right ? node->right : node->up;
        while (node->right && ring->first->left) {
            ring->first = ring->first->left;
        }
    }
    if (ring->last == node) {
        ring->last = node->left ? node->left : node->up;
        while (node->left && ring->last->right) {
            ring->last = ring->last->right;
        }
    }
}

void bt_treap_remove(struct bt_treap *ring, struct bt_treap_node *node)
{
    assert(ring);
    assert(ring->root);
    leave_ends(ring, node);
    while (node->left && node->right) {
        rotate_up(ring, node->left->weight > node->right->weight ? node->left : node->right);
    }
    struct bt_treap_node *below = node->left ? node->left : node->right;
    *place_of(ring, node) = below;
    if (below) {
        below->up = node->up;
    }
    node->up = node->left = node->right = NULL;
}

struct bt_treap_node *bt_treap_first(const struct bt_treap *ring)
{
    return ring->first;
}

static bool is_same(const struct bt_treap_key *a, const struct bt_treap_key *b)
{
    return a->part[0] == b->part[0] && a->part[1] == b->part[1] && a->part[2] == b->part[2];
}

struct bt_treap_node *bt_treap_find(const struct bt_treap *ring, const struct bt_treap_key *key)
{
    if (ring->first && is_same(&ring->first->key, key)) {
        return ring->first;
    }
    struct bt_treap_node *node = ring->root;
    while (node && !is_same(&node->key, key)) {
        node = bt_treap_precedes(key, &node->key) ? node->left : node->right;
    }
    return node;
}

struct bt_treap_node *bt_treap_find_after(const struct bt_treap *ring, uint64_t place)
{
    struct bt_treap_node *found = NULL;
    struct bt_treap_node *node = ring->root;
    while (node) {
        if (node->key.part[0] > place) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return found;
}
