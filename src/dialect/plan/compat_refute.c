/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_refute.c - a payload that a accepts and b rejects, looked for where proofs failed.
 *
 * The search goes from the roots down, through members and items, along pairs that are not proven.
 * A candidate for a pair is put into the smallest payload that leads there, and validated by both
 * roots.
 */
#include <assert.h>

#include "dialect/plan/compat.h"

enum { PLACES_MAX = 4096, VALUE_BYTES_MAX = 1 << 20 };

/* A pair of schemas, and the way to it. */
struct place {
    size_t a;
    size_t b;
    size_t above; /* index of the place above; BT_ABSENT at the roots */
    bt_str name;  /* of the member; ptr NULL: it is an item */
    size_t index; /* of the item */
};

struct search {
    struct bt_compat *compat;
    bt_str *samples;
    struct place *places;
    size_t count;
};

static void visit(struct search *search, const struct place *place)
{
    struct bt_compat *compat = search->compat;
    struct place there = *place;
    there.a = bt_side_resolve(compat->a, place->a);
    there.b = bt_side_resolve(compat->b, place->b);
    if (search->count == PLACES_MAX || bt_compat_is_proven(compat, there.a, there.b) ||
        bt_side_is_nothing(compat->a, there.a)) {
        return;
    }
    search->places[search->count++] = there;
}

static void visit_names(struct search *search, size_t at, const bt_value *properties)
{
    struct bt_compat *compat = search->compat;
    const struct place here = search->places[at];
    const struct bt_json_member *members = properties ? bt_json_members(properties) : NULL;
    for (size_t i = 0; members && i < bt_json_count(properties); i++) {
        const bt_str name = bt_json_name(&members[i]);
        const struct place next = {bt_side_property(compat->a, here.a, name),
                                   bt_side_property(compat->b, here.b, name), at, name, 0};
        visit(search, &next);
    }
}

/* Members and items below a pair. A name in both comes twice, which does no harm. */
static void visit_below(struct search *search, size_t at)
{
    struct bt_compat *compat = search->compat;
    const struct place here = search->places[at];
    const size_t a_items = bt_side_items(compat->a, here.a);
    const size_t b_items = bt_side_items(compat->b, here.b);
    visit_names(search, at, bt_side_get(compat->a, here.a, "properties"));
    visit_names(search, at, bt_side_get(compat->b, here.b, "properties"));
    const bt_str other = BT_STR("zz");
    const struct place rest = {bt_side_property(compat->a, here.a, other),
                               bt_side_property(compat->b, here.b, other), at, other, 0};
    visit(search, &rest);
    for (size_t i = 0; i <= (a_items > b_items ? a_items : b_items) && i < 64; i++) {
        const struct place next = {bt_side_item(compat->a, here.a, i),
                                   bt_side_item(compat->b, here.b, i),
                                   at,
                                   {NULL, 0},
                                   i};
        visit(search, &next);
    }
}

/* Put `value`, made for a place, into the smallest payload that leads there. */
static enum bt_status wrap(const struct search *search, size_t at, bt_str value, bt_str *out)
{
    struct bt_arena *arena = search->compat->arena;
    for (const struct place *place = &search->places[at]; place->above != BT_ABSENT;
         place = &search->places[place->above]) {
        const size_t above = search->places[place->above].a;
        struct bt_buf buf;
        bt_buf_init(&buf, VALUE_BYTES_MAX);
        if (place->name.ptr) {
            const struct bt_made_member member = {place->name, value};
            bt_put_object(search->compat->a, search->samples, above, &member, &buf);
        } else {
            bt_put_array(search->compat->a, search->samples, above, place->index, value, &buf);
        }
        const enum bt_status status = bt_buf_keep(&buf, arena, &value);
        bt_buf_free(&buf);
        BT_TRY(status);
    }
    *out = value;
    return BT_OK;
}

static enum bt_status is_counterexample(struct bt_compat *compat, bt_str payload, bool *out)
{
    enum bt_schema_answer by_a = BT_SCHEMA_LIMIT;
    enum bt_schema_answer by_b = BT_SCHEMA_LIMIT;
    BT_TRY(bt_side_validate(compat, compat->a, BT_NODES_BEFORE, payload, &by_a));
    if (by_a == BT_SCHEMA_VALID) {
        BT_TRY(bt_side_validate(compat, compat->b, BT_NODES_BEFORE, payload, &by_b));
    }
    *out = by_a == BT_SCHEMA_VALID && by_b == BT_SCHEMA_INVALID;
    return BT_OK;
}

/* The schemas of a place or, where one stands nowhere, the nearest above it that does. */
static struct bt_counterexample found_at(const struct search *search, size_t at, bt_str payload)
{
    struct bt_counterexample found = {search->places[at].a, search->places[at].b, payload};
    for (size_t i = at; i != BT_ABSENT; i = search->places[i].above) {
        found.a = found.a < BT_NODES_BEFORE ? search->places[i].a : found.a;
        found.b = found.b < BT_NODES_BEFORE ? search->places[i].b : found.b;
    }
    return found;
}

static enum bt_status try_place(struct search *search, size_t at, struct bt_counterexample *out)
{
    struct bt_compat *compat = search->compat;
    const struct place place = search->places[at];
    const struct bt_arena_mark mark = bt_arena_mark(compat->arena);
    struct bt_candidates found = {.arena = compat->arena};
    found.items = BT_NEW_ARRAY(compat->arena, bt_str, BT_CANDIDATES_MAX);
    if (!found.items) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_candidates_find(compat, search->samples, place.a, place.b, &found));
    for (size_t i = 0; i < found.count; i++) {
        bt_str payload;
        bool is_found = false;
        const enum bt_status status = wrap(search, at, found.items[i], &payload);
        if (status == BT_ELIMIT) {
            continue; /* too large to be shown */
        }
        BT_TRY(status);
        BT_TRY(is_counterexample(compat, payload, &is_found));
        if (is_found) {
            *out = found_at(search, at, payload);
            return BT_OK;
        }
    }
    bt_arena_rewind(compat->arena, mark);
    return BT_OK;
}

enum bt_status bt_compat_refute(struct bt_compat *compat, struct bt_counterexample *out)
{
    struct search search = {.compat = compat,
                            .samples = BT_NEW_ARRAY(compat->arena, bt_str, compat->a->count),
                            .places = BT_NEW_ARRAY(compat->arena, struct place, PLACES_MAX)};
    if (!search.samples || !search.places) {
        return BT_ENOMEM;
    }
    const struct place roots = {BT_NODES_BEFORE, BT_NODES_BEFORE, BT_ABSENT, {NULL, 0}, 0};
    BT_TRY(bt_samples_make(compat, compat->a, search.samples));
    visit(&search, &roots);
    assert(search.count == 1);
    struct bt_counterexample found = {.payload = BT_STR("")};
    /* Deeper places tell more exactly what is wrong, so the last is looked at first. */
    for (size_t i = 0; i < search.count; i++) {
        visit_below(&search, i);
    }
    for (size_t i = search.count; i > 0 && found.payload.len == 0; i--) {
        BT_TRY(try_place(&search, i - 1, &found));
    }
    /* Without one, a person should look at the deepest place at which a proof failed. */
    *out = found.payload.len > 0 ? found : found_at(&search, search.count - 1, BT_STR(""));
    return BT_OK;
}
