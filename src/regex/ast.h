/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ast.h - a pattern as a tree, and the stages that make and tidy it.
 *
 * The tree is as deep as the groups of the pattern are, which is bounded, so its walks recurse.
 */
#ifndef BATON_SRC_REGEX_AST_H
#define BATON_SRC_REGEX_AST_H

#include "regex/set.h"

#define BT_RE_INFINITE UINT32_MAX

enum bt_re_kind {
    BT_RE_EMPTY = 1,
    BT_RE_SET,    /* one code point out of a set */
    BT_RE_CAT,    /* the children one after another */
    BT_RE_ALT,    /* one of the children */
    BT_RE_REPEAT, /* the child, min to max times */
    BT_RE_GROUP,  /* the child, captured as number `index` */
    BT_RE_BEGIN,  /* ^ */
    BT_RE_END,    /* $ */
    BT_RE_WORD,   /* \b, or \B when negative */
    BT_RE_LOOK,   /* (?=child), (?!child), and (?<=child), (?<!child) when behind */
    BT_RE_BACKREF /* what group `index` captured */
};

struct bt_re_node {
    enum bt_re_kind kind;
    bool is_negative;
    bool is_behind;
    bool is_lazy;
    uint32_t index; /* of a group; of SET, the number of its set; of LOOK, its own number */
    uint32_t min;
    uint32_t max;
    uint32_t groups_begin; /* REPEAT: the groups inside have the numbers groups_begin ... */
    uint32_t groups_end;   /* ... up to, but not including, groups_end */
    struct bt_re_set set;
    struct bt_re_range point;    /* where the set of one literal character lies */
    struct bt_re_node *child;    /* the first */
    struct bt_re_node *last;     /* child; set by bt_re_link() */
    struct bt_re_node *next;     /* the next child of the same parent */
    struct bt_re_node *previous; /* set by bt_re_link() */
};

struct bt_re_pattern {
    struct bt_re_node *root;
    uint32_t groups; /* capturing groups, plus one for the whole */
    bool has_backrefs;
};

struct bt_re_node *bt_re_node_new(struct bt_re_build *build, enum bt_re_kind kind);

/*
 * Read a pattern: `u` syntax when is_unicode, else that of Annex B. Returns false when it failed,
 * with the failure noted in `build`.
 */
bool bt_re_parse(struct bt_re_build *build, bt_str text, bool is_unicode,
                 struct bt_re_pattern *out_pattern);

/*
 * Rewrite the tree into a simpler one that matches the same subjects: no groups that are not
 * referred to, no nested lists, alternatives of single characters as one set, stars of stars as
 * one star. Returns NULL when working memory ran out.
 */
struct bt_re_node *bt_re_simplify(struct bt_re_build *build, struct bt_re_node *root,
                                  bool has_backrefs);

#endif
