/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_edit.c - the containers under a patch, held against the plainest model of each.
 */
#include "json_test.h"

#include "json/edit_node.h"

/* Slots are told apart by the value they point at. */
static const bt_json_value values[4096];

static bt_json_edit_slot slot_of(size_t number)
{
    return (bt_json_edit_slot){.document = (const struct bt_json_doc *)(const void *)&values[0],
                               .as = {.value = &values[number]}};
}

static size_t number_of(bt_json_edit_slot slot)
{
    return (size_t)(slot.as.value - values);
}

static void start(struct bt_json_edit *edit, struct bt_arena *arena)
{
    bt_arena_init(arena, TEST_ARENA_BYTES);
    *edit = (struct bt_json_edit){.arena = arena, .work_left = 100000000};
}

/* Insertions and removals anywhere, around the length at which runs are split. */
static void an_array_behaves_like_a_plain_one(void **state)
{
    (void)state;
    static const size_t starts[] = {0, 1, 511, 512, 513, 1024, 1500};
    static size_t model[8192];
    for (size_t i = 0; i < COUNT_OF(starts); i++) {
        struct bt_arena arena;
        struct bt_json_edit edit;
        struct bt_json_edit_array array;
        struct rng rng = {i};
        start(&edit, &arena);
        size_t count = starts[i];
        assert_int_equal(bt_json_edit_array_init(&edit, &array, count), BT_OK);
        for (size_t k = 0; k < count; k++) {
            model[k] = k;
            *bt_json_edit_array_at(&array, k) = slot_of(k);
        }
        for (size_t round = 0; round < 6000; round++) {
            const bool growing = round % 2000 < 1000;
            /* Often the same place, so that one run takes it all. */
            const size_t wish = round % 3 == 0 ? rng_below(&rng, count + 1) : count / 2;
            if (growing || count == 0) {
                const size_t number = rng_below(&rng, COUNT_OF(values));
                assert_int_equal(bt_json_edit_array_insert(&edit, &array, wish, slot_of(number)),
                                 BT_OK);
                memmove(model + wish + 1, model + wish, (count - wish) * sizeof(*model));
                model[wish] = number;
                count++;
            } else {
                const size_t place = wish < count ? wish : count - 1;
                assert_int_equal(number_of(bt_json_edit_array_remove(&array, place)), model[place]);
                count--;
                memmove(model + place, model + place + 1, (count - place) * sizeof(*model));
            }
            assert_int_equal(array.count, count);
            const size_t look = count > 0 ? rng_below(&rng, count) : 0;
            assert_true(count == 0 ||
                        number_of(*bt_json_edit_array_at(&array, look)) == model[look]);
        }
        const struct bt_json_edit_node node = {.type = BT_JSON_ARRAY, .as = {.array = array}};
        struct bt_json_edit_cursor cursor = {.node = &node};
        bt_str name;
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(number_of(*bt_json_edit_cursor_next(&cursor, &name)), model[k]);
        }
        assert_null(bt_json_edit_cursor_next(&cursor, &name));
        bt_arena_free(&arena);
    }
}

enum { NAMES = 300 };

static struct bt_json_edit_member member_of(const char *name, size_t which, uint32_t hash_mask)
{
    struct bt_json_edit_member member = {
        .name = name, .name_size = (uint32_t)strlen(name), .slot = slot_of(which)};
    member.name_hash =
        (uint32_t)bt_json_hash_text(0, (bt_str){member.name, member.name_size}) & hash_mask;
    return member;
}

/* Hashes with all their bits, with few, and with none: then every name collides. */
static void an_object_finds_its_members_whatever_collides(void **state)
{
    (void)state;
    static const uint32_t masks[] = {UINT32_MAX, 0x1f, 0};
    static char names[NAMES][8];
    for (size_t i = 0; i < NAMES; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "n%zu", i);
    }
    for (size_t i = 0; i < COUNT_OF(masks); i++) {
        struct bt_arena arena;
        struct bt_json_edit edit;
        struct bt_json_edit_object object;
        struct rng rng = {i};
        bool present[NAMES] = {false};
        size_t count = 0;
        start(&edit, &arena);
        assert_int_equal(bt_json_edit_object_init(&edit, &object, 0), BT_OK);
        for (size_t round = 0; round < 20000; round++) {
            const size_t which = rng_below(&rng, round % 4000 < 2000 ? NAMES : 6);
            const struct bt_json_edit_member wanted = member_of(names[which], which, masks[i]);
            const bt_str name = {wanted.name, wanted.name_size};
            struct bt_json_edit_member *found = NULL;
            assert_int_equal(
                bt_json_edit_object_find(&edit, &object, name, wanted.name_hash, &found), BT_OK);
            assert_int_equal(found != NULL, present[which]);
            assert_true(!found || number_of(found->slot) == which);
            if (found && rng_below(&rng, 2)) {
                assert_int_equal(bt_json_edit_object_remove(&edit, &object, found), BT_OK);
                present[which] = false;
                count--;
            } else if (!found) {
                assert_int_equal(bt_json_edit_object_append(&edit, &object, &wanted), BT_OK);
                present[which] = true;
                count++;
            }
            assert_int_equal(object.count, count);
        }
        bt_arena_free(&arena);
    }
}

static void collisions_are_paid_for(void **state)
{
    (void)state;
    struct bt_arena arena;
    struct bt_json_edit edit;
    struct bt_json_edit_object object;
    static char names[NAMES][8];
    start(&edit, &arena);
    edit.work_left = 1000;
    assert_int_equal(bt_json_edit_object_init(&edit, &object, NAMES), BT_OK);
    enum bt_status status = BT_OK;
    size_t entered = 0;
    for (; entered < NAMES && status == BT_OK; entered++) {
        (void)snprintf(names[entered], sizeof(names[entered]), "n%zu", entered);
        const struct bt_json_edit_member member = member_of(names[entered], entered, 0);
        status = bt_json_edit_object_append(&edit, &object, &member);
    }
    assert_int_equal(status, BT_ELIMIT);
    assert_in_range(entered, 40, 50); /* 1 + 2 + ... + 44 is the last sum below 1000 */
    struct bt_json_edit_member *found = NULL;
    assert_int_equal(bt_json_edit_object_find(&edit, &object, BT_STR("none"), 0, &found),
                     BT_ELIMIT);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_behaves_like_a_plain_one),
        cmocka_unit_test(an_object_finds_its_members_whatever_collides),
        cmocka_unit_test(collisions_are_paid_for),
    };
    return RUN_TESTS(tests);
}
