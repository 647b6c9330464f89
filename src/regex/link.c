/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - the tree made ready for writing automata from it.
 */
#include <assert.h>

#include "regex/program.h"

struct re_link_linker {
    struct bt_re_build *build;
    struct bt_re_sets *sets;
    uint32_t looks;
};

static bool number_node(struct re_link_linker *self, struct bt_re_node *node)
{
    struct bt_re_set word = {0};
    uint32_t unused = 0;
    switch (node->kind) {
    case BT_RE_SET:
        return bt_re_sets_add(self->build, self->sets, &node->set, &node->index);
    case BT_RE_WORD:
        return bt_re_set_add_escape(self->build, &word, 'w') &&
               bt_re_sets_add(self->build, self->sets, &word, &unused);
    case BT_RE_LOOK:
        if (self->looks == BT_RE_LOOKS_MAX) {
            return bt_re_fail(self->build, BT_REGEX_ERROR_TOO_COMPLEX, 0,
                              "the pattern looks around too often");
        }
        node->index = self->looks++;
        return true;
    case BT_RE_EMPTY:
    case BT_RE_CAT:
    case BT_RE_ALT:
    case BT_RE_REPEAT:
    case BT_RE_GROUP:
    case BT_RE_BEGIN:
    case BT_RE_END:
    case BT_RE_BACKREF:
        break;
    }
    return true;
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the groups of the pattern, which is bounded. */

/* Children come before their parents, so that an inner look-around has the lower number. */
static bool link_node(struct re_link_linker *self, struct bt_re_node *node)
{
    struct bt_re_node *previous = NULL;
    for (struct bt_re_node *child = node->child; child; child = child->next) {
        if (!link_node(self, child)) {
            return false;
        }
        child->previous = previous;
        previous = child;
        node->last = child;
    }
    return number_node(self, node);
}

/* NOLINTEND(misc-no-recursion) */

bool bt_re_link(struct bt_re_build *build, struct bt_re_node *root, struct bt_re_sets *sets,
                uint32_t *out_looks)
{
    assert(root);
    struct re_link_linker self = {build, sets, 0};
    struct bt_re_set everything = {0};
    uint32_t unused = 0;
    root->next = NULL;
    root->previous = NULL;
    /* A pattern without any set still needs an alphabet, of one symbol. */
    if (!bt_re_set_add(build, &everything, 0, BT_RE_POINT_MAX) ||
        !bt_re_sets_add(build, sets, &everything, &unused) || !link_node(&self, root)) {
        return false;
    }
    *out_looks = self.looks;
    return true;
}
