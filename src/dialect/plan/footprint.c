/* SPDX-License-Identifier: Apache-2.0 */
/*
 * footprint.c - the files that a step reads and writes, according to its cells; placed footprints
 * as a tree of path segments.
 *
 * Nodes are found by one table of all edges, (parent, segment) -> node, so that a folder with many
 * children costs no more than one with few.
 */
#include "dialect/plan/footprint.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

static bool is_word_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '_';
}

/* Whether `word` begins with `known`, whatever the case. */
static bool has_prefix(bt_str word, bt_str known)
{
    return bt_ascii_equal_nocase(bt_str_slice(word, 0, known.len), known);
}

static bool is_shared_word(bt_str word)
{
    static const bt_str words[] = {
        BT_STR_INIT("git"),   BT_STR_INIT("database"), BT_STR_INIT("db"),
        BT_STR_INIT("sql"),   BT_STR_INIT("lock"),     BT_STR_INIT("locks"),
        BT_STR_INIT("env"),   BT_STR_INIT("lockfile"), BT_STR_INIT("http"),
        BT_STR_INIT("https"), BT_STR_INIT("network"),  BT_STR_INIT("server"),
        BT_STR_INIT("port"),
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (bt_ascii_equal_nocase(word, words[i])) {
            return true;
        }
    }
    return has_prefix(word, BT_STR("deploy")) || has_prefix(word, BT_STR("migrat"));
}

static bool is_shared(bt_str text)
{
    if (bt_str_find(text, BT_STR("://")) < text.len) {
        return true;
    }
    for (size_t i = 0; i < text.len; i++) {
        const size_t begin = i;
        while (i < text.len && is_word_byte(text.ptr[i])) {
            i++;
        }
        if (i > begin && is_shared_word(bt_str_slice(text, begin, i))) {
            return true;
        }
    }
    return false;
}

static bool is_path_byte(char byte)
{
    return is_word_byte(byte) || byte == '.' || byte == '/' || byte == '-' ||
           (unsigned char)byte > 0x7f;
}

static bool is_path(bt_str token)
{
    bool is_inner = false;
    for (size_t i = 0; i < token.len; i++) {
        if (!is_path_byte(token.ptr[i])) {
            return false;
        }
        is_inner = is_inner || ((token.ptr[i] == '/' || token.ptr[i] == '.') && i + 1 < token.len);
    }
    return is_inner || (token.len > 0 && token.ptr[token.len - 1] == '/');
}

/* Drop empty and "." segments; say whether there is a "..". */
static enum bt_status normalise_path(struct bt_arena *arena, bt_str token, bt_str *out,
                                     bool *out_up)
{
    char *text = bt_arena_alloc(arena, token.len + 1);
    size_t length = 0;
    BT_TRY(text ? BT_OK : BT_ENOMEM);
    for (size_t at = 0; at < token.len; at++) {
        const size_t end = bt_str_find_byte(token, '/', at);
        const bt_str segment = bt_str_slice(token, at, end);
        if (segment.len > 0 && !bt_str_eq(segment, BT_STR("."))) {
            *out_up = *out_up || bt_str_eq(segment, BT_STR(".."));
            if (length > 0) {
                text[length++] = '/';
            }
            memcpy(text + length, segment.ptr, segment.len);
            length += segment.len;
        }
        at = end;
    }
    *out = (bt_str){text, length};
    return BT_OK;
}

/* Count the paths of a cell and, when `paths` is not NULL, put them there. */
static enum bt_status take_paths(const struct bt_plan_check *plan, bt_str text, bool is_write,
                                 struct bt_plan_footprint_path *paths,
                                 struct bt_plan_footprint *out)
{
    bool is_up = false;
    bt_str token;
    for (size_t at = 0; bt_plan_next_token(text, &at, &token);) {
        if (!is_path(token)) {
            continue;
        }
        if (paths) {
            BT_TRY(normalise_path(plan->arena, token, &paths[out->count].text, &is_up));
            paths[out->count].is_write = is_write;
        }
        out->count++;
    }
    if (is_up && !out->alone) {
        out->alone = "dotdot";
    }
    return BT_OK;
}

enum bt_status bt_plan_footprint_of(const struct bt_plan_check *plan, size_t step,
                                    struct bt_plan_footprint *out)
{
    static const enum bt_plan_column runtime[] = {BT_PLAN_COLUMN_ACTION, BT_PLAN_COLUMN_INPUTS,
                                                  BT_PLAN_COLUMN_OUTPUTS};
    static const enum bt_plan_column planning[] = {
        BT_PLAN_COLUMN_STEP_TITLE, BT_PLAN_COLUMN_DESCRIPTION, BT_PLAN_COLUMN_DELIVERABLE};
    const bool is_planning = plan->columns == BT_PLAN_COLUMN_SET_PLANNING;
    const enum bt_plan_column *columns = is_planning ? planning : runtime;
    const size_t row = plan->steps[step].row;
    struct bt_plan_footprint made = {0};
    for (size_t i = 0; i < 3; i++) {
        if (is_shared(bt_plan_text(plan, row, columns[i]))) {
            made.alone = "shared_state";
        }
    }
    const bt_str reads = is_planning ? BT_STR("") : bt_plan_text(plan, row, BT_PLAN_COLUMN_INPUTS);
    const bt_str writes = bt_plan_text(plan, row, columns[2]);
    struct bt_plan_footprint counted = {0};
    BT_TRY(take_paths(plan, reads, false, NULL, &counted));
    BT_TRY(take_paths(plan, writes, true, NULL, &counted));
    struct bt_plan_footprint_path *paths =
        BT_NEW_ARRAY(plan->arena, struct bt_plan_footprint_path, counted.count + 1);
    BT_TRY(paths ? BT_OK : BT_ENOMEM);
    BT_TRY(take_paths(plan, reads, false, paths, &made));
    BT_TRY(take_paths(plan, writes, true, paths, &made));
    made.paths = paths;
    if (made.count == 0 && !made.alone) {
        made.alone = "no_footprint";
    }
    *out = made;
    return BT_OK;
}

/* What is known about a path and about everything below it. */
struct plan_pathtree_node {
    struct bt_plan_placed_step read;
    struct bt_plan_placed_step write;
    struct bt_plan_placed_step read_below; /* itself included */
    struct bt_plan_placed_step write_below;
};

struct bt_plan_path_tree {
    struct bt_arena *arena;
    struct bt_map children; /* (node, segment) -> node; the root is not a child */
    BT_VEC(struct plan_pathtree_node) nodes;
    uint64_t work;
};

struct bt_plan_placed_step bt_plan_placed_step_first(struct bt_plan_placed_step a,
                                                     struct bt_plan_placed_step b)
{
    if (a.wave != b.wave) {
        return a.wave > b.wave ? a : b;
    }
    return a.step <= b.step ? a : b;
}

struct bt_plan_path_tree *bt_plan_path_tree_new(struct bt_arena *arena, const uint64_t seed[2])
{
    struct bt_plan_path_tree *tree = BT_NEW(arena, struct bt_plan_path_tree);
    if (!tree || bt_vec_push(arena, &tree->nodes, (struct plan_pathtree_node){0}) != BT_OK) {
        return NULL;
    }
    tree->arena = arena;
    bt_map_init(&tree->children, arena, seed);
    return tree;
}

static struct bt_map_key child_key(size_t parent, bt_str segment)
{
    return (struct bt_map_key){segment, parent};
}

/* Move `at` behind the next segment of a normalised path; false at its end. */
static bool next_segment(bt_str path, size_t *at, bt_str *out)
{
    if (*at >= path.len) {
        return false;
    }
    const size_t end = bt_str_find_byte(path, '/', *at);
    *out = bt_str_slice(path, *at, end);
    *at = end + 1;
    return true;
}

static enum bt_status enter_segment(struct bt_plan_path_tree *tree, size_t *node, bt_str segment)
{
    struct bt_map_entry *child = NULL;
    BT_TRY(bt_map_add(&tree->children, child_key(*node, segment), &child));
    if (child->value.number == 0) {
        child->value.number = tree->nodes.count;
        BT_TRY(bt_vec_push(tree->arena, &tree->nodes, (struct plan_pathtree_node){0}));
    }
    *node = (size_t)child->value.number;
    return BT_OK;
}

static void update_placed(struct bt_plan_path_tree *tree, struct bt_plan_placed_step *known,
                          struct bt_plan_placed_step placed)
{
    tree->work++;
    *known = bt_plan_placed_step_first(*known, placed);
}

enum bt_status bt_plan_path_tree_add(struct bt_plan_path_tree *tree, bt_str path, bool is_write,
                                     struct bt_plan_placed_step placed)
{
    assert(tree);
    assert(placed.wave > 0);
    size_t node = 0;
    bt_str segment;
    for (size_t at = 0;;) {
        struct plan_pathtree_node *here = &tree->nodes.items[node];
        update_placed(tree, is_write ? &here->write_below : &here->read_below, placed);
        if (!next_segment(path, &at, &segment)) {
            update_placed(tree, is_write ? &here->write : &here->read, placed);
            return BT_OK;
        }
        BT_TRY(enter_segment(tree, &node, segment));
    }
}

struct bt_plan_placed_step bt_plan_path_tree_conflict(struct bt_plan_path_tree *tree, bt_str path,
                                                      bool is_write)
{
    assert(tree);
    struct bt_plan_placed_step first = {.wave = 0, .step = 0};
    size_t node = 0;
    bt_str segment;
    for (size_t at = 0;;) {
        const struct plan_pathtree_node *here = &tree->nodes.items[node];
        tree->work++;
        first = bt_plan_placed_step_first(first, here->write);
        first = is_write ? bt_plan_placed_step_first(first, here->read) : first;
        if (!next_segment(path, &at, &segment)) {
            first = bt_plan_placed_step_first(first, here->write_below);
            return is_write ? bt_plan_placed_step_first(first, here->read_below) : first;
        }
        const struct bt_map_entry *child = bt_map_find(&tree->children, child_key(node, segment));
        if (!child) {
            return first;
        }
        node = (size_t)child->value.number;
    }
}

uint64_t bt_plan_path_tree_work(const struct bt_plan_path_tree *tree)
{
    return tree->work;
}
