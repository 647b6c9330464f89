/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simplify.c - a smaller tree that matches the same subjects.
 *
 * Only a yes or no is asked for, so the order of alternatives and the greed of quantifiers mean
 * nothing, and a language may be rewritten freely: x{a,b}x{c,d} is x{a+c,b+d}, (x+)* is x*. With
 * back-references the order decides what a group captures, and all that is done is to drop what is
 * empty.
 */
#include "regex/ast.h"

#include <assert.h>

struct re_simplify_simplifier {
    struct bt_re_build *build;
    bool has_backrefs;
};

static struct bt_re_node *simplify_node(struct re_simplify_simplifier *self,
                                        struct bt_re_node *node);

static struct bt_re_node *new_empty(struct re_simplify_simplifier *self)
{
    return bt_re_node_new(self->build, BT_RE_EMPTY);
}

static uint32_t add_bounds(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? BT_RE_INFINITE : sum;
}

static uint32_t get_min_count(const struct bt_re_node *node)
{
    return node->kind == BT_RE_REPEAT ? node->min : 1;
}

static uint32_t get_max_count(const struct bt_re_node *node)
{
    return node->kind == BT_RE_REPEAT ? node->max : 1;
}

/* The set that a node repeats (or is), or NULL. */
static const struct bt_re_node *repeated_set(const struct bt_re_node *node)
{
    const struct bt_re_node *inner = node->kind == BT_RE_REPEAT ? node->child : node;
    return inner->kind == BT_RE_SET ? inner : NULL;
}

/* Let `before` swallow `node` when both repeat the same set and one of them does so really. */
static bool join_repeats(struct bt_re_node *before, const struct bt_re_node *node)
{
    if (before->kind != BT_RE_REPEAT && node->kind != BT_RE_REPEAT) {
        return false;
    }
    const struct bt_re_node *set = repeated_set(before);
    const struct bt_re_node *other = repeated_set(node);
    if (!set || !other || !bt_re_set_eq(&set->set, &other->set)) {
        return false;
    }
    const uint32_t min = add_bounds(get_min_count(before), get_min_count(node));
    const uint32_t max = add_bounds(get_max_count(before), get_max_count(node));
    if (min == BT_RE_INFINITE) {
        return false;
    }
    if (before->kind == BT_RE_SET) { /* then `node` is the one to be kept, in the other's place */
        struct bt_re_node *next = before->next;
        *before = *node;
        before->next = next;
    }
    before->min = min;
    before->max = max;
    return true;
}

struct re_simplify_list {
    struct bt_re_node *head;
    struct bt_re_node *last;
};

static void append_node(struct re_simplify_list *list, struct bt_re_node *node)
{
    node->next = NULL;
    if (list->last) {
        list->last->next = node;
    } else {
        list->head = node;
    }
    list->last = node;
}

static void append_term(struct re_simplify_simplifier *self, struct re_simplify_list *list,
                        struct bt_re_node *node)
{
    if (node->kind == BT_RE_EMPTY) {
        return;
    }
    if (self->has_backrefs || !list->last || !join_repeats(list->last, node)) {
        append_node(list, node);
    }
}

/* Add the set of `node` to the one set among the alternatives. */
static bool join_sets(struct re_simplify_simplifier *self, struct re_simplify_list *list,
                      struct bt_re_node **one, struct bt_re_node *node)
{
    if (!*one) {
        *one = bt_re_node_new(self->build, BT_RE_SET);
        if (!*one) {
            return false;
        }
        append_node(list, *one);
    }
    return bt_re_set_add_all(self->build, &(*one)->set, &node->set);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the groups of the pattern, which is bounded. */

/* Simplify the children of a list and put them, or their own children, into `list`. */
static bool simplify_children(struct re_simplify_simplifier *self, struct bt_re_node *node,
                              struct re_simplify_list *list)
{
    struct bt_re_node *one = NULL;
    struct bt_re_node *next = NULL;
    for (struct bt_re_node *child = node->child; child; child = next) {
        next = child->next;
        struct bt_re_node *done = simplify_node(self, child);
        if (!done) {
            return false;
        }
        const bool is_nested = done->kind == node->kind;
        struct bt_re_node *inner = is_nested ? done->child : done;
        for (struct bt_re_node *after = NULL; inner; inner = after) {
            after = is_nested ? inner->next : NULL;
            if (node->kind == BT_RE_CAT) {
                append_term(self, list, inner);
            } else if (inner->kind == BT_RE_SET && !self->has_backrefs) {
                if (!join_sets(self, list, &one, inner)) {
                    return false;
                }
            } else {
                append_node(list, inner);
            }
        }
    }
    if (one) {
        bt_re_set_finish(&one->set);
    }
    return true;
}

static struct bt_re_node *simplify_list(struct re_simplify_simplifier *self,
                                        struct bt_re_node *node)
{
    struct re_simplify_list list = {0};
    if (!simplify_children(self, node, &list)) {
        return NULL;
    }
    if (!list.head) {
        return new_empty(self);
    }
    if (!list.head->next) {
        return list.head;
    }
    node->child = list.head;
    return node;
}

/* Whether all that a node can match is nothing, under conditions. */
static bool is_zero_width(const struct bt_re_node *node)
{
    switch (node->kind) {
    case BT_RE_EMPTY:
    case BT_RE_BEGIN:
    case BT_RE_END:
    case BT_RE_WORD:
    case BT_RE_LOOK:
        return true;
    case BT_RE_CAT:
    case BT_RE_ALT:
        for (const struct bt_re_node *child = node->child; child; child = child->next) {
            if (!is_zero_width(child)) {
                return false;
            }
        }
        return true;
    case BT_RE_SET:
    case BT_RE_REPEAT:
    case BT_RE_GROUP:
    case BT_RE_BACKREF:
        break;
    }
    return false;
}

/* Fold a repeat of a repeat into `node` where the counts that can be reached have no gaps. */
static void fold_repeats(struct bt_re_node *node)
{
    const struct bt_re_node *inner = node->child;
    if (inner->kind != BT_RE_REPEAT) {
        return;
    }
    const bool is_exact = inner->min == inner->max && node->min == node->max;
    uint32_t product = 0;
    if (inner->max == BT_RE_INFINITE && inner->min <= 1) {
        node->min *= inner->min;
        node->max = BT_RE_INFINITE;
    } else if (inner->min == 0 && inner->max == 1) {
        node->min = 0;
    } else if (is_exact && !__builtin_mul_overflow(inner->min, node->min, &product) &&
               product < BT_RE_INFINITE) {
        node->min = product;
        node->max = product;
    } else {
        return;
    }
    node->child = inner->child;
}

static struct bt_re_node *simplify_repeat(struct re_simplify_simplifier *self,
                                          struct bt_re_node *node)
{
    if (node->max == 0) {
        return new_empty(self);
    }
    node->child = simplify_node(self, node->child);
    if (!node->child) {
        return NULL;
    }
    if (node->child->kind == BT_RE_EMPTY) {
        return node->child;
    }
    if (!self->has_backrefs) {
        if (is_zero_width(node->child)) {
            return node->min == 0 ? new_empty(self) : node->child;
        }
        fold_repeats(node);
    }
    return node->min == 1 && node->max == 1 ? node->child : node;
}

static struct bt_re_node *simplify_look(struct re_simplify_simplifier *self,
                                        struct bt_re_node *node)
{
    node->child = simplify_node(self, node->child);
    if (!node->child || node->child->kind != BT_RE_EMPTY) {
        return node->child ? node : NULL;
    }
    /* Nothing can be found everywhere, and a set without members nowhere. */
    return bt_re_node_new(self->build, node->is_negative ? BT_RE_SET : BT_RE_EMPTY);
}

static struct bt_re_node *simplify_node(struct re_simplify_simplifier *self,
                                        struct bt_re_node *node)
{
    switch (node->kind) {
    case BT_RE_CAT:
    case BT_RE_ALT:
        return simplify_list(self, node);
    case BT_RE_REPEAT:
        return simplify_repeat(self, node);
    case BT_RE_LOOK:
        return simplify_look(self, node);
    case BT_RE_GROUP:
        if (!self->has_backrefs) {
            return simplify_node(self, node->child);
        }
        node->child = simplify_node(self, node->child);
        return node->child ? node : NULL;
    case BT_RE_EMPTY:
    case BT_RE_SET:
    case BT_RE_BEGIN:
    case BT_RE_END:
    case BT_RE_WORD:
    case BT_RE_BACKREF:
        break;
    }
    return node;
}

/* NOLINTEND(misc-no-recursion) */

struct bt_re_node *bt_re_simplify(struct bt_re_build *build, struct bt_re_node *root,
                                  bool has_backrefs)
{
    assert(root);
    struct re_simplify_simplifier self = {build, has_backrefs};
    return simplify_node(&self, root);
}
