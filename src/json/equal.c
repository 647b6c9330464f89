/* SPDX-License-Identifier: Apache-2.0 */
/*
 * equal.c - whether two values are equal: numbers by value, objects without regard to order.
 *
 * Pairs of containers are walked with a stack of frames in the arena. Frames are kept when their
 * pair is done and serve the next pair of the same depth.
 */
#include "json/equal.h"

#include <assert.h>

#include "base/arena.h"
#include "base/error.h"

struct json_equal_frame {
    struct json_equal_frame *outer;
    struct json_equal_frame *inner;
    const bt_json_value *a;
    const bt_json_value *b;
    size_t next;
    bool reordered; /* b's partner of a's member i is partners[i], else i */
    uint32_t *partners;
    struct bt_json_scratch room; /* holds them */
};

struct json_equal_comparison {
    const struct bt_json_doc *a_document;
    const struct bt_json_doc *b_document;
    struct bt_json_member_matcher matcher;
    struct json_equal_frame bottom;
    struct json_equal_frame *top;
};

static bool numbers_equal(bt_ref a, bt_ref b)
{
    if (a.value->type == BT_JSON_INTEGER && b.value->type == BT_JSON_INTEGER) {
        return a.value->as.integer == b.value->as.integer;
    }
    /* Equal numbers have the same nearest double; the reverse needs the digits. */
    return bt_json_to_double(a.value) == bt_json_to_double(b.value) &&
           bt_json_decimal_compare(bt_json_number_text(a.document, a.value),
                                   bt_json_number_text(b.document, b.value)) == 0;
}

enum bt_json_similarity bt_json_compare_shallow(bt_ref a, bt_ref b)
{
    if (bt_json_is_number(a.value) && bt_json_is_number(b.value)) {
        return numbers_equal(a, b) ? BT_ALIKE : BT_UNLIKE;
    }
    if (a.value->type != b.value->type) {
        return BT_UNLIKE;
    }
    if (a.value->type == BT_JSON_STRING) {
        return bt_str_eq(bt_json_text(a.value), bt_json_text(b.value)) ? BT_ALIKE : BT_UNLIKE;
    }
    if (bt_json_count(a.value) != bt_json_count(b.value)) {
        return BT_UNLIKE;
    }
    return bt_json_count(a.value) == 0 || a.value == b.value ? BT_ALIKE : BT_JSON_SIMILARITY_OPEN;
}

static bool same_order(const bt_json_value *a, const bt_json_value *b)
{
    for (size_t i = 0; i < bt_json_count(a); i++) {
        if (!bt_str_eq(bt_json_name(&a->as.members[i]), bt_json_name(&b->as.members[i]))) {
            return false;
        }
    }
    return true;
}

/* Find the partners of the frame's members; *out_equal is false when one has none. */
static enum bt_status match_members(struct json_equal_comparison *comparison,
                                    struct json_equal_frame *frame, bool *out_equal)
{
    const size_t count = bt_json_count(frame->a);
    frame->reordered = true;
    frame->partners = bt_json_scratch_reserve(&frame->room, comparison->matcher.arena, count,
                                              sizeof(*frame->partners));
    if (!frame->partners) {
        return BT_ENOMEM;
    }
    const bt_ref a = {comparison->a_document, frame->a};
    const bt_ref b = {comparison->b_document, frame->b};
    BT_TRY(bt_json_members_match(&comparison->matcher, a, b, frame->partners));
    for (size_t i = 0; i < count; i++) {
        if (frame->partners[i] == BT_NO_MEMBER) {
            *out_equal = false;
        }
    }
    return BT_OK;
}

static enum bt_status push_frame(struct json_equal_comparison *comparison, const bt_json_value *a,
                                 const bt_json_value *b, bool *out_equal)
{
    struct json_equal_frame *outer = comparison->top;
    if (!outer->inner) {
        outer->inner = BT_NEW(comparison->matcher.arena, struct json_equal_frame);
        if (!outer->inner) {
            return BT_ENOMEM;
        }
        outer->inner->outer = outer;
    }
    struct json_equal_frame *frame = outer->inner;
    frame->a = a;
    frame->b = b;
    frame->next = 0;
    frame->reordered = false;
    comparison->top = frame;
    if (a->type == BT_JSON_ARRAY || same_order(a, b)) {
        return BT_OK;
    }
    return match_members(comparison, frame, out_equal);
}

/* The next pair of children of the innermost frame. */
static void take_pair(struct json_equal_frame *frame, const bt_json_value **out_a,
                      const bt_json_value **out_b)
{
    const size_t i = frame->next++;
    if (frame->a->type == BT_JSON_ARRAY) {
        *out_a = &frame->a->as.items[i];
        *out_b = &frame->b->as.items[i];
        return;
    }
    *out_a = &frame->a->as.members[i].value;
    *out_b = &frame->b->as.members[frame->reordered ? frame->partners[i] : i].value;
}

static enum bt_status compare_values(struct json_equal_comparison *comparison,
                                     const bt_json_value *a, const bt_json_value *b,
                                     bool *out_equal)
{
    for (;;) {
        switch (bt_json_compare_shallow((bt_ref){comparison->a_document, a},
                                        (bt_ref){comparison->b_document, b})) {
        case BT_UNLIKE:
            *out_equal = false;
            break;
        case BT_ALIKE:
            break;
        case BT_JSON_SIMILARITY_OPEN:
            BT_TRY(push_frame(comparison, a, b, out_equal));
            break;
        }
        while (comparison->top->outer &&
               comparison->top->next == bt_json_count(comparison->top->a)) {
            comparison->top = comparison->top->outer;
        }
        if (!*out_equal || !comparison->top->outer) {
            return BT_OK;
        }
        take_pair(comparison->top, &a, &b);
    }
}

enum bt_status bt_ref_equal(bt_ref a, bt_ref b, struct bt_arena *arena, bool *out_equal)
{
    const enum bt_json_similarity likeness = bt_json_compare_shallow(a, b);
    if (likeness != BT_JSON_SIMILARITY_OPEN) {
        *out_equal = likeness == BT_ALIKE;
        return BT_OK;
    }
    struct json_equal_comparison comparison = {
        .a_document = a.document, .b_document = b.document, .matcher = {.arena = arena}};
    comparison.top = &comparison.bottom;
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    bool equal = true;
    const enum bt_status status = compare_values(&comparison, a.value, b.value, &equal);
    bt_arena_rewind(arena, mark);
    if (status == BT_OK) {
        *out_equal = equal;
    }
    return status;
}

enum bt_status bt_json_equal(const struct bt_json_doc *a_document, const bt_json_value *a,
                             const struct bt_json_doc *b_document, const bt_json_value *b,
                             struct bt_arena *arena, bool *out_equal)
{
    assert(a_document && a);
    assert(b_document && b);
    assert(arena && out_equal);
    return bt_ref_equal((bt_ref){a_document, a}, (bt_ref){b_document, b}, arena, out_equal);
}
