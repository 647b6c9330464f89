/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_context.c - what a workspace keeps: sections with their history, INPUTs by whom they are
 * for.
 */
#include "test.h"

#include "scene.h"

static struct bt_contract_section_list sections_of(struct scene *scene, bool history)
{
    struct bt_contract_section_list sections;
    (void)scene_states(scene); /* which makes the gate ready */
    assert_int_equal(bt_contract_sections_list(&scene->gate, BT_STR("w"), BT_STR(""), history,
                                               &sections, &scene->error),
                     BT_OK);
    return sections;
}

static void updates_are_merged_in_order_and_every_version_stays(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    const struct scene_report first = {
        .status = "IN_PROGRESS",
        .more = ",\"update_contracts\":[{\"contract\":\"services\",\"payload\":{\"a\":1}}]"};
    const struct scene_report second = {
        .status = "COMPLETE",
        .more = ",\"update_contracts\":[{\"contract\":\"services\",\"payload\":{\"b\":[1]}},"
                "{\"contract\":\"services\",\"payload\":{\"b\":[1,2],\"a\":null}}]"};
    assert_int_equal(scene_decide(&scene, &first).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_int_equal(scene_decide(&scene, &second).outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    const struct bt_contract_section_list now = sections_of(&scene, false);
    assert_int_equal(now.count, 1);
    assert_str(now.items[0].value, "{\"a\":null,\"b\":[1,2]}");
    const struct bt_contract_section_list all = sections_of(&scene, true);
    assert_int_equal(all.count, 3);
    assert_str(all.items[0].value, "{\"a\":1}");
    assert_int_equal(all.items[2].version, 3);
    scene_close(&scene);
}

static void a_rejected_report_updates_nothing(void **state)
{
    (void)state;
    static const char *const bad[] = {
        ",\"update_contracts\":[{\"contract\":\"services\",\"payload\":{\"a\":1}},"
        "{\"contract\":\"other\",\"payload\":{}}]",
        ",\"update_contracts\":[{\"contract\":\"services\",\"payload\":{\"a\":1}},"
        "{\"contract\":\"services\",\"payload\":[]}]",
        ",\"update_contracts\":[{\"contract\":\"services\",\"payload\":"
        "{\"a\":\"https://u:p@h/\"}}]",
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct scene scene;
        scene_open(&scene);
        const struct scene_report report = {
            .status = "COMPLETE", .more = bad[i], .is_strict = true};
        assert_int_equal(scene_decide(&scene, &report).outcome, BT_CONTRACT_OUTCOME_RETRY);
        assert_int_equal(sections_of(&scene, true).count, 0);
        assert_int_equal(scene_size(&scene), 1);
        scene_close(&scene);
    }
}

static void an_update_off_the_list_is_dropped_and_the_others_are_applied(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene);
    const struct scene_report report = {
        .status = "COMPLETE",
        .more = ",\"update_contracts\":[{\"contract\":\"other\",\"payload\":{\"b\":2}},"
                "{\"contract\":\"services\",\"payload\":{\"a\":1}}]"};
    const struct scene_decision decision = scene_decide(&scene, &report);
    assert_int_equal(decision.outcome, BT_CONTRACT_OUTCOME_ACCEPTED);
    assert_true(scene_says(&decision, "UPDATE_CONTRACTS_NOT_WRITABLE"));
    const struct bt_contract_section_list sections = sections_of(&scene, false);
    assert_int_equal(sections.count, 1);
    assert_str(sections.items[0].name, "services");
    scene_close(&scene);
}

static void keep(struct scene *scene, const struct bt_contract_input_owner *owner,
                 const char *input)
{
    (void)scene_states(scene);
    assert_int_equal(bt_contract_input_store(&scene->gate, owner, bt_str_of(input), &scene->error),
                     BT_OK);
}

static void the_narrowest_input_is_found(void **state)
{
    (void)state;
    struct scene scene;
    const struct bt_contract_input_owner asked = {BT_STR("w"), BT_STR("s"), BT_STR(SCENE_AGENT),
                                                  BT_STR("t")};
    const struct {
        struct bt_contract_input_owner owner;
        const char *input;
        const char *found; /* after it is kept */
    } rows[] = {
        {{BT_STR("v"), BT_STR(""), BT_STR(""), BT_STR("t")}, "{\"a\":0}", ""},
        {{BT_STR("w"), BT_STR(""), BT_STR(""), BT_STR("u")}, "{\"a\":1}", ""},
        {{BT_STR("w"), BT_STR(""), BT_STR(""), BT_STR("t")}, "{\"a\":2}", "{\"a\":2}"},
        {{BT_STR("w"), BT_STR("s"), BT_STR(""), BT_STR("t")}, "{\"a\":3}", "{\"a\":3}"},
        {{BT_STR("w"), BT_STR("s"), BT_STR(SCENE_AGENT), BT_STR("")}, "{\"a\":4}", "{\"a\":4}"},
        {{BT_STR("w"), BT_STR("r"), BT_STR(SCENE_AGENT), BT_STR("")}, "{\"a\":5}", "{\"a\":4}"},
    };
    scene_open(&scene);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bt_str found;
        keep(&scene, &rows[i].owner, rows[i].input);
        assert_int_equal(bt_contract_input_load(&scene.gate, &asked, &found, &scene.error), BT_OK);
        assert_true(bt_str_eq(found, bt_str_of(rows[i].found)));
    }
    assert_int_equal(sections_of(&scene, true).count, 0);
    scene_close(&scene);
}

static void the_same_input_is_kept_once(void **state)
{
    (void)state;
    struct scene scene;
    const struct bt_contract_input_owner owner = {BT_STR("w"), BT_STR("s"), BT_STR(SCENE_AGENT),
                                                  BT_STR("")};
    scene_open(&scene);
    keep(&scene, &owner, "{}");
    const uint64_t size = scene_size(&scene);
    keep(&scene, &owner, "{}");
    assert_int_equal(scene_size(&scene), size);
    keep(&scene, &owner, "{\"a\":1}");
    assert_int_equal(scene_size(&scene), size + 1);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_are_merged_in_order_and_every_version_stays),
        cmocka_unit_test(a_rejected_report_updates_nothing),
        cmocka_unit_test(an_update_off_the_list_is_dropped_and_the_others_are_applied),
        cmocka_unit_test(the_narrowest_input_is_found),
        cmocka_unit_test(the_same_input_is_kept_once),
    };
    return RUN_TESTS(tests);
}
