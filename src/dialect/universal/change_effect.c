/* SPDX-License-Identifier: Apache-2.0 */
/* change_effect.c - the locations at which two documents differ. */
#include "dialect/universal/change_effect.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"
#include "json/members.h"

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper */

/* Two containers of one kind that are compared child by child. */
struct universal_effect_pair {
    const bt_json_value *before;
    const bt_json_value *after;
    uint32_t *partners; /* objects: for each member of `after` the one of `before` */
    bool *found;        /* objects: which members of `before` have a partner */
    size_t next;
    size_t pointer_bytes; /* of the pointer that names them */
};

struct universal_effect_comparison {
    const struct bt_json_doc *before;
    const struct bt_json_doc *after;
    struct bt_arena *arena;
    struct bt_universal_effects *out;
    struct bt_json_member_matcher matcher;
    struct bt_buf pointer; /* of the current children */
    size_t depth;
    struct universal_effect_pair pairs[DEPTH_MAX];
};

static enum bt_status add_effect(struct universal_effect_comparison *comparison,
                                 const bt_json_value *before, const bt_json_value *after)
{
    struct bt_universal_effect effect = {.before = before, .after = after};
    BT_TRY(bt_buf_copy(&comparison->pointer, comparison->arena, &effect.pointer));
    return bt_vec_push(comparison->arena, comparison->out, effect);
}

static enum bt_status match_members(struct universal_effect_comparison *comparison,
                                    struct universal_effect_pair *pair)
{
    const size_t count = bt_json_count(pair->after);
    const size_t before_count = bt_json_count(pair->before);
    pair->partners = BT_NEW_ARRAY(comparison->arena, uint32_t, count + 1);
    pair->found = BT_NEW_ARRAY(comparison->arena, bool, before_count + 1);
    BT_TRY(pair->partners && pair->found ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_json_members_match(&comparison->matcher, (bt_ref){comparison->after, pair->after},
                                 (bt_ref){comparison->before, pair->before}, pair->partners));
    for (size_t i = 0; i < count; i++) {
        if (pair->partners[i] != BT_NO_MEMBER) {
            pair->found[pair->partners[i]] = true;
        }
    }
    return BT_OK;
}

/* Both are containers of one kind whose children have partners, so that these are compared. */
static bool is_entered(const bt_json_value *before, const bt_json_value *after)
{
    const enum bt_json_type type = bt_json_type(before);
    return type == bt_json_type(after) &&
           (type == BT_JSON_OBJECT ||
            (type == BT_JSON_ARRAY && bt_json_count(before) == bt_json_count(after)));
}

static enum bt_status compare_values(struct universal_effect_comparison *comparison,
                                     const bt_json_value *before, const bt_json_value *after)
{
    if (is_entered(before, after)) {
        assert(comparison->depth < DEPTH_MAX);
        struct universal_effect_pair *pair = &comparison->pairs[comparison->depth++];
        *pair = (struct universal_effect_pair){
            .before = before, .after = after, .pointer_bytes = comparison->pointer.len};
        return bt_json_type(after) == BT_JSON_OBJECT ? match_members(comparison, pair) : BT_OK;
    }
    bool equal = false;
    BT_TRY(bt_json_equal(comparison->before, before, comparison->after, after, comparison->arena,
                         &equal));
    return equal ? BT_OK : add_effect(comparison, before, after);
}

/* The current child of two objects: first those that are there now, then those that are gone. */
static enum bt_status next_member(struct universal_effect_comparison *comparison,
                                  const struct universal_effect_pair *pair, size_t index)
{
    const size_t count = bt_json_count(pair->after);
    if (index >= count) {
        const struct bt_json_member *gone = &bt_json_members(pair->before)[index - count];
        bt_json_pointer_put(&comparison->pointer, bt_json_name(gone));
        return pair->found[index - count] ? BT_OK : add_effect(comparison, &gone->value, NULL);
    }
    const struct bt_json_member *member = &bt_json_members(pair->after)[index];
    const uint32_t partner = pair->partners[index];
    bt_json_pointer_put(&comparison->pointer, bt_json_name(member));
    return partner == BT_NO_MEMBER
               ? add_effect(comparison, NULL, &member->value)
               : compare_values(comparison, &bt_json_members(pair->before)[partner].value,
                                &member->value);
}

static size_t children_of(const struct universal_effect_pair *pair)
{
    const size_t count = bt_json_count(pair->after);
    return bt_json_type(pair->after) == BT_JSON_OBJECT ? count + bt_json_count(pair->before)
                                                       : count;
}

static enum bt_status compare_all(struct universal_effect_comparison *comparison)
{
    BT_TRY(compare_values(comparison, bt_json_root(comparison->before),
                          bt_json_root(comparison->after)));
    while (comparison->depth > 0) {
        struct universal_effect_pair *pair = &comparison->pairs[comparison->depth - 1];
        comparison->pointer.len = pair->pointer_bytes;
        if (pair->next == children_of(pair)) {
            comparison->depth--;
            continue;
        }
        const size_t index = pair->next++;
        if (bt_json_type(pair->after) == BT_JSON_OBJECT) {
            BT_TRY(next_member(comparison, pair, index));
        } else {
            bt_json_pointer_put_index(&comparison->pointer, index);
            BT_TRY(compare_values(comparison, &bt_json_items(pair->before)[index],
                                  &bt_json_items(pair->after)[index]));
        }
        BT_TRY(comparison->pointer.status);
    }
    return BT_OK;
}

enum bt_status bt_universal_effects_find(const struct bt_json_doc *before,
                                         const struct bt_json_doc *after, struct bt_arena *arena,
                                         struct bt_universal_effects *out)
{
    assert(before);
    assert(after);
    struct universal_effect_comparison *comparison =
        BT_NEW(arena, struct universal_effect_comparison);
    struct bt_universal_effects effects = {NULL, 0, 0};
    BT_TRY(comparison ? BT_OK : BT_ENOMEM);
    comparison->before = before;
    comparison->after = after;
    comparison->arena = arena;
    comparison->out = &effects;
    comparison->matcher.arena = arena;
    bt_buf_init(&comparison->pointer, SIZE_MAX);
    const enum bt_status status = compare_all(comparison);
    bt_buf_free(&comparison->pointer);
    if (status == BT_OK) {
        *out = effects;
    }
    return status;
}
