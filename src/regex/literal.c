/* SPDX-License-Identifier: Apache-2.0 */
/*
 * literal.c - patterns that are a few words: the whole subject, at one end of it, or anywhere in
 * it.
 */
#include <string.h>

#include "regex/tier.h"

/* Looking for a long word anywhere is left to the automata, which never compare twice. */
#define ANYWHERE_BYTES_MAX 32

/* Whether the nodes up to `stop` are single characters, and how many. */
static bool count_points(const struct bt_re_node *first, const struct bt_re_node *stop,
                         size_t *out_count)
{
    *out_count = 0;
    for (const struct bt_re_node *node = first; node != stop; node = node->next) {
        if (node->kind != BT_RE_SET || node->set.count != 1 ||
            node->set.ranges[0].first != node->set.ranges[0].last) {
            return false;
        }
        ++*out_count;
    }
    return true;
}

/* Add the word that the nodes up to `stop` spell. False: it is none, or (failed) no memory. */
static bool add_word(struct bt_re_build *build, const struct bt_re_node *first,
                     const struct bt_re_node *stop, struct bt_re_literals *out)
{
    size_t count = 0;
    if (out->count == BT_RE_LITERALS_MAX || !count_points(first, stop, &count)) {
        return false;
    }
    char *bytes = bt_re_keep(build, count + 1, 4);
    if (!bytes) {
        return false;
    }
    size_t size = 0;
    for (const struct bt_re_node *node = first; node != stop; node = node->next) {
        size += bt_utf8_encode(node->set.ranges[0].first, bytes + size);
    }
    out->items[out->count++] = (bt_str){bytes, size};
    return true;
}

static bool add_words(struct bt_re_build *build, const struct bt_re_node *alternatives,
                      struct bt_re_literals *out)
{
    for (const struct bt_re_node *node = alternatives->child; node; node = node->next) {
        const bool is_list = node->kind == BT_RE_CAT;
        const struct bt_re_node *first = node->kind == BT_RE_EMPTY ? node->next
                                         : is_list                 ? node->child
                                                                   : node;
        if (!add_word(build, first, is_list ? NULL : node->next, out)) {
            return false;
        }
    }
    return true;
}

static bool collect_literals(struct bt_re_build *build, const struct bt_re_node *root,
                             struct bt_re_literals *out)
{
    if (root->kind == BT_RE_EMPTY) {
        return add_word(build, NULL, NULL, out);
    }
    const struct bt_re_node *first = root->kind == BT_RE_CAT ? root->child : root;
    const struct bt_re_node *last = root->kind == BT_RE_CAT ? root->last : root;
    out->has_begin = first->kind == BT_RE_BEGIN;
    out->has_end = last->kind == BT_RE_END;
    const struct bt_re_node *stop = out->has_end ? last : NULL;
    first = out->has_begin ? first->next : first;
    const bool is_choice =
        first && first != stop && first->kind == BT_RE_ALT && first->next == stop;
    return is_choice ? add_words(build, first, out) : add_word(build, first, stop, out);
}

bool bt_re_literals_make(struct bt_re_build *build, const struct bt_re_node *root,
                         struct bt_re_literals **out)
{
    struct bt_re_literals *literals = bt_re_keep(build, 1, sizeof(*literals));
    if (!literals || !collect_literals(build, root, literals)) {
        return false;
    }
    const bool is_anywhere = !literals->has_begin && !literals->has_end;
    if (is_anywhere && (literals->count > 1 || literals->items[0].len > ANYWHERE_BYTES_MAX)) {
        return false;
    }
    *out = literals;
    return true;
}

static bool has_word(bt_str word, bt_str subject)
{
    if (word.len == 0) {
        return true;
    }
    size_t at = bt_str_find_byte(subject, word.ptr[0], 0);
    while (at < subject.len && word.len <= subject.len - at) {
        if (memcmp(subject.ptr + at, word.ptr, word.len) == 0) {
            return true;
        }
        at = bt_str_find_byte(subject, word.ptr[0], at + 1);
    }
    return false;
}

bool bt_re_literals_match(const struct bt_re_literals *literals, bt_str subject)
{
    if (!literals->has_begin && !literals->has_end) {
        return has_word(literals->items[0], subject);
    }
    for (uint32_t i = 0; i < literals->count; i++) {
        const bt_str word = literals->items[i];
        const bool is_whole = literals->has_begin && literals->has_end;
        if (word.len > subject.len || (is_whole && word.len < subject.len)) {
            continue;
        }
        const char *at = literals->has_begin ? subject.ptr : subject.ptr + subject.len - word.len;
        if (word.len == 0 || memcmp(at, word.ptr, word.len) == 0) {
            return true;
        }
    }
    return false;
}
