/* SPDX-License-Identifier: Apache-2.0 */
/* diff_script.c - what happens to each child when one container becomes another. */
#include "json/diff.h"

#include <assert.h>

#include "base/error.h"
#include "json/equal.h"

enum bt_status bt_json_diff_run_same(struct bt_json_diff_run *diff, uint32_t a, uint32_t b,
                                     bool *out_same)
{
    const struct bt_json_diff_node *a_shade = &diff->a.shades[a];
    const struct bt_json_diff_node *b_shade = &diff->b.shades[b];
    if (a_shade->hash != b_shade->hash) {
        *out_same = false;
        return BT_OK;
    }
    return bt_ref_equal((bt_ref){diff->a.document, a_shade->value},
                        (bt_ref){diff->b.document, b_shade->value}, diff->arena, out_same);
}

static void add_step(struct bt_json_diff_script *script, enum bt_json_diff_op kind, uint32_t a,
                     uint32_t b, uint32_t token)
{
    script->steps[script->count++] = (struct bt_json_diff_step){kind, a, b, token};
}

/* Members that go and members that change, as a has them; then new members, as b has them. */
static enum bt_status script_object(struct bt_json_diff_run *diff,
                                    const struct bt_json_diff_node *a,
                                    const struct bt_json_diff_node *b,
                                    struct bt_json_diff_script *script)
{
    const uint32_t a_count = a->value->size;
    const uint32_t b_count = b->value->size;
    uint32_t *partners = bt_json_scratch_reserve(&diff->partners, diff->arena,
                                                 (size_t)a_count + b_count, sizeof(*partners));
    if (!partners) {
        return BT_ENOMEM;
    }
    uint32_t *is_old = partners + a_count;
    for (uint32_t j = 0; j < b_count; j++) {
        is_old[j] = 0;
    }
    BT_TRY(bt_json_members_match(&diff->matcher, (bt_ref){diff->a.document, a->value},
                                 (bt_ref){diff->b.document, b->value}, partners));
    for (uint32_t i = 0; i < a_count; i++) {
        if (partners[i] == BT_NO_MEMBER) {
            add_step(script, BT_DIFF_REMOVE, a->first + i, 0, i);
            continue;
        }
        script->kinship = true;
        is_old[partners[i]] = 1;
        add_step(script, BT_DIFF_PAIR, a->first + i, b->first + partners[i], i);
    }
    for (uint32_t j = 0; j < b_count; j++) {
        if (!is_old[j]) {
            add_step(script, BT_DIFF_ADD, 0, b->first + j, j);
        }
    }
    return BT_OK;
}

/* Two arrays, from both ends of which equal items have been taken. */
struct json_diff_script_middle {
    uint32_t a; /* shades of the first items */
    uint32_t b;
    uint32_t a_count;
    uint32_t b_count;
    uint32_t skipped; /* items before the first */
};

static enum bt_status trim_equal_ends(struct bt_json_diff_run *diff,
                                      struct json_diff_script_middle *middle)
{
    bool same = true;
    while (same && middle->a_count > 0 && middle->b_count > 0) {
        BT_TRY(bt_json_diff_run_same(diff, middle->a, middle->b, &same));
        middle->a += same;
        middle->b += same;
        middle->skipped += same;
        middle->a_count -= same;
        middle->b_count -= same;
    }
    same = true;
    while (same && middle->a_count > 0 && middle->b_count > 0) {
        BT_TRY(bt_json_diff_run_same(diff, middle->a + middle->a_count - 1,
                                     middle->b + middle->b_count - 1, &same));
        middle->a_count -= same;
        middle->b_count -= same;
    }
    return BT_OK;
}

static bool are_containers_alike(const struct bt_json_diff_run *diff, uint32_t a, uint32_t b)
{
    const bt_json_value *left = diff->a.shades[a].value;
    const bt_json_value *right = diff->b.shades[b].value;
    return left->type == right->type && left->type >= BT_JSON_ARRAY;
}

/* Items i..i_end of a give way to items j..j_end of b: one for one, then what is left over. */
struct json_diff_script_gap {
    uint32_t i;
    uint32_t i_end;
    uint32_t j;
    uint32_t j_end;
};

static void script_gap(const struct bt_json_diff_run *diff, const struct json_diff_script_gap *gap,
                       uint32_t *index, struct bt_json_diff_script *script)
{
    uint32_t i = gap->i;
    uint32_t j = gap->j;
    for (; i < gap->i_end && j < gap->j_end; i++, j++) {
        script->kinship |= are_containers_alike(diff, i, j);
        add_step(script, BT_DIFF_PAIR, i, j, (*index)++);
    }
    for (; i < gap->i_end; i++) {
        add_step(script, BT_DIFF_REMOVE, i, 0, *index);
    }
    for (; j < gap->j_end; j++) {
        add_step(script, BT_DIFF_ADD, 0, j, (*index)++);
    }
}

static enum bt_status script_array(struct bt_json_diff_run *diff, const struct bt_json_diff_node *a,
                                   const struct bt_json_diff_node *b,
                                   struct bt_json_diff_script *script)
{
    struct json_diff_script_middle middle = {a->first, b->first, a->value->size, b->value->size, 0};
    BT_TRY(trim_equal_ends(diff, &middle));
    script->kinship = middle.a_count < a->value->size;
    uint32_t *partners =
        bt_json_scratch_reserve(&diff->partners, diff->arena, middle.a_count, sizeof(*partners));
    if (!partners) {
        return BT_ENOMEM;
    }
    const struct bt_json_diff_range range = {diff->a.shades + middle.a, diff->b.shades + middle.b,
                                             middle.a_count, middle.b_count};
    BT_TRY(bt_json_diff_run_align(diff, &range, partners));

    struct json_diff_script_gap gap = {middle.a, middle.a, middle.b, middle.b};
    uint32_t index = middle.skipped;
    for (uint32_t i = 0; i < middle.a_count; i++) {
        if (partners[i] == BT_DIFF_ALONE) {
            continue;
        }
        script->kinship = true;
        gap.i_end = middle.a + i;
        gap.j_end = middle.b + partners[i];
        script_gap(diff, &gap, &index, script);
        /* They are equal by hash; still a pair, which is compared when it is reached. */
        add_step(script, BT_DIFF_PAIR, gap.i_end, gap.j_end, index++);
        gap.i = gap.i_end + 1;
        gap.j = gap.j_end + 1;
    }
    gap.i_end = middle.a + middle.a_count;
    gap.j_end = middle.b + middle.b_count;
    script_gap(diff, &gap, &index, script);
    return BT_OK;
}

enum bt_status bt_json_diff_run_script(struct bt_json_diff_run *diff, uint32_t a, uint32_t b,
                                       struct bt_json_diff_script *script)
{
    const struct bt_json_diff_node *a_shade = &diff->a.shades[a];
    const struct bt_json_diff_node *b_shade = &diff->b.shades[b];
    assert(are_containers_alike(diff, a, b));
    const size_t most = bt_json_count(a_shade->value) + bt_json_count(b_shade->value);
    script->steps =
        bt_json_scratch_reserve(&script->room, diff->arena, most, sizeof(*script->steps));
    if (!script->steps) {
        return BT_ENOMEM;
    }
    script->count = 0;
    script->kinship = false;
    return a_shade->value->type == BT_JSON_ARRAY ? script_array(diff, a_shade, b_shade, script)
                                                 : script_object(diff, a_shade, b_shade, script);
}
