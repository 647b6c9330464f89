/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_memory.c - memory runs out at every place in turn: a report is decided and stored, or it is
 * neither.
 */
#include "test.h"

#include "scene.h"

enum { STEP_BYTES = 1021, LIMIT_BYTES_MAX = 4 << 20 };

static const char *const more[] = {
    NULL,
    ",\"update_contracts\":[{\"contract\":\"services\",\"payload\":{\"a\":[{\"name\":\"x\"}]}}]",
    ",\"approval_request\":{\"operation\":\"o\",\"exact_content\":\"run\",\"scope\":\"s\","
    "\"risk_level\":\"LOW\",\"rollback\":\"r\",\"verification\":\"v\"}",
    ",\"update_contracts\":[{\"contract\":\"none\",\"payload\":{}}]",
};
static const char *const statuses[] = {"COMPLETE", "IN_PROGRESS", "APPROVAL_REQUEST", "BLOCKED"};

static void a_report_is_stored_whole_or_not_at_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        struct scene scene;
        scene_open(&scene);
        const struct scene_report report = {.status = statuses[i], .more = more[i]};
        const size_t usual = scene.arena.limit;
        struct scene_decision decision = {0};
        enum bt_status status = BT_ENOMEM;
        size_t failures = 0;
        for (size_t limit = 0; limit < LIMIT_BYTES_MAX && status != BT_OK; limit += STEP_BYTES) {
            bt_arena_free(&scene.arena);
            bt_arena_init(&scene.arena, limit);
            status = scene_submit(&scene, &report, &decision);
            assert_true(status == BT_OK || status == BT_ENOMEM);
            failures += status != BT_OK;
            bt_arena_free(&scene.arena);
            bt_arena_init(&scene.arena, usual);
            /* After the commit only the report about it can fail, and that is told. */
            const bool is_stored = status == BT_OK || decision.is_recorded;
            assert_int_equal(scene_size(&scene) > 0, is_stored);
            assert_int_equal(scene_states(&scene).count, is_stored);
            if (is_stored) {
                break;
            }
        }
        assert_true(failures > 0);
        scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_is_stored_whole_or_not_at_all),
    };
    return RUN_TESTS(tests);
}
