/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_refute.c - search for a payload that a accepts and b rejects, where proofs failed.
 *
 * The search goes from the roots down, through members and items, along pairs that are not proven.
 * A candidate for a pair is put into the smallest payload that leads there, and validated by both
 * roots.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/plan/compat.h"

enum { PLACES_MAX = 4096, VALUE_BYTES_MAX = 1 << 20 };

/* A pair of schemas, and the way to it. */
struct plan_compat_location {
    size_t a;
    size_t b;
    size_t above; /* index of the place above; BT_ABSENT at the roots */
    bt_str name;  /* of the member; ptr NULL: it is an item */
    size_t index; /* of the item */
};

struct plan_compat_refute_search {
    struct bt_payload_compat *compat;
    bt_str *samples;
    struct plan_compat_location *places;
    size_t count;
};

static void add_location(struct plan_compat_refute_search *search,
                         const struct plan_compat_location *place)
{
    struct bt_payload_compat *compat = search->compat;
    struct plan_compat_location there = *place;
    there.a = bt_payload_side_resolve(compat->a, place->a);
    there.b = bt_payload_side_resolve(compat->b, place->b);
    if (search->count == PLACES_MAX || bt_payload_compat_is_proven(compat, there.a, there.b) ||
        bt_payload_side_is_nothing(compat->a, there.a)) {
        return;
    }
    search->places[search->count++] = there;
}

static void visit_names(struct plan_compat_refute_search *search, size_t at,
                        const bt_json_value *properties)
{
    struct bt_payload_compat *compat = search->compat;
    const struct plan_compat_location here = search->places[at];
    const struct bt_json_member *members = properties ? bt_json_members(properties) : NULL;
    for (size_t i = 0; members && i < bt_json_count(properties); i++) {
        const bt_str name = bt_json_name(&members[i]);
        const struct plan_compat_location next = {bt_payload_side_property(compat->a, here.a, name),
                                                  bt_payload_side_property(compat->b, here.b, name),
                                                  at, name, 0};
        add_location(search, &next);
    }
}

/* Members and items below a pair. A name in both comes twice, which does no harm. */
static void visit_below(struct plan_compat_refute_search *search, size_t at)
{
    struct bt_payload_compat *compat = search->compat;
    const struct plan_compat_location here = search->places[at];
    const size_t a_items = bt_payload_side_items(compat->a, here.a);
    const size_t b_items = bt_payload_side_items(compat->b, here.b);
    visit_names(search, at, bt_payload_side_get(compat->a, here.a, "properties"));
    visit_names(search, at, bt_payload_side_get(compat->b, here.b, "properties"));
    const bt_str other = BT_STR("zz");
    const struct plan_compat_location rest = {bt_payload_side_property(compat->a, here.a, other),
                                              bt_payload_side_property(compat->b, here.b, other),
                                              at, other, 0};
    add_location(search, &rest);
    for (size_t i = 0; i <= (a_items > b_items ? a_items : b_items) && i < 64; i++) {
        const struct plan_compat_location next = {bt_payload_side_item(compat->a, here.a, i),
                                                  bt_payload_side_item(compat->b, here.b, i),
                                                  at,
                                                  {NULL, 0},
                                                  i};
        add_location(search, &next);
    }
}

/* Put `value`, made for a place, into the smallest payload that leads there. */
static enum bt_status wrap_value(const struct plan_compat_refute_search *search, size_t at,
                                 bt_str value, bt_str *out)
{
    for (const struct plan_compat_location *place = &search->places[at]; place->above != BT_ABSENT;
         place = &search->places[place->above]) {
        const size_t above = search->places[place->above].a;
        struct bt_buf buf;
        bt_buf_init(&buf, VALUE_BYTES_MAX);
        if (place->name.ptr) {
            const struct bt_payload_sample_member member = {place->name, value};
            bt_payload_put_object(search->compat->a, search->samples, above, &member, &buf);
        } else {
            bt_payload_put_array(search->compat->a, search->samples, above, place->index, value,
                                 &buf);
        }
        BT_TRY(bt_buf_finish(&buf, search->compat->arena, &value));
    }
    *out = value;
    return BT_OK;
}

static enum bt_status is_counterexample(struct bt_payload_compat *compat, bt_str payload, bool *out)
{
    enum bt_schema_result by_a = BT_SCHEMA_UNDECIDED;
    enum bt_schema_result by_b = BT_SCHEMA_UNDECIDED;
    const struct bt_arena_mark mark = bt_arena_mark(compat->arena);
    const struct bt_json_doc *value = NULL;
    BT_TRY(bt_payload_sample_read(compat, payload, &value));
    BT_TRY(bt_payload_side_validate(compat, compat->a, BT_NODES_BEFORE, value, &by_a));
    if (by_a == BT_SCHEMA_VALID) {
        BT_TRY(bt_payload_side_validate(compat, compat->b, BT_NODES_BEFORE, value, &by_b));
    }
    bt_arena_rewind(compat->arena, mark);
    *out = by_a == BT_SCHEMA_VALID && by_b == BT_SCHEMA_INVALID;
    return BT_OK;
}

/* The schemas of a place or, where one stands nowhere, the nearest above it that does. */
static struct bt_payload_counterexample found_at(const struct plan_compat_refute_search *search,
                                                 size_t at, bt_str payload)
{
    struct bt_payload_counterexample found = {search->places[at].a, search->places[at].b, payload};
    for (size_t i = at; i != BT_ABSENT; i = search->places[i].above) {
        found.a = found.a < BT_NODES_BEFORE ? search->places[i].a : found.a;
        found.b = found.b < BT_NODES_BEFORE ? search->places[i].b : found.b;
    }
    return found;
}

static enum bt_status try_place(struct plan_compat_refute_search *search, size_t at,
                                struct bt_payload_counterexample *out)
{
    struct bt_payload_compat *compat = search->compat;
    const struct plan_compat_location place = search->places[at];
    const struct bt_arena_mark mark = bt_arena_mark(compat->arena);
    struct bt_payload_samples found = {.arena = compat->arena};
    found.items = BT_NEW_ARRAY(compat->arena, bt_str, BT_CANDIDATES_MAX);
    BT_TRY(found.items ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_payload_samples_find(compat, search->samples, place.a, place.b, &found));
    for (size_t i = 0; i < found.count; i++) {
        bt_str payload;
        bool is_found = false;
        const enum bt_status status = wrap_value(search, at, found.items[i], &payload);
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

enum bt_status bt_payload_compat_refute(struct bt_payload_compat *compat,
                                        struct bt_payload_counterexample *out)
{
    struct plan_compat_refute_search search = {
        .compat = compat,
        .samples = BT_NEW_ARRAY(compat->arena, bt_str, compat->a->count),
        .places = BT_NEW_ARRAY(compat->arena, struct plan_compat_location, PLACES_MAX)};
    BT_TRY(search.samples && search.places ? BT_OK : BT_ENOMEM);
    const struct plan_compat_location roots = {
        BT_NODES_BEFORE, BT_NODES_BEFORE, BT_ABSENT, {NULL, 0}, 0};
    BT_TRY(bt_payload_samples_make(compat, compat->a, search.samples));
    add_location(&search, &roots);
    assert(search.count == 1);
    struct bt_payload_counterexample found = {.payload = BT_STR("")};
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
