/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_heartbeat.c - the entries about a run of a pump, by a clock that the test sets.
 */
#include "../ledger/made.h"
#include "pump/pump_internal.h"
#include "test.h"

enum { INTERVAL_S = 60 };

static const bt_instant begin = {1770000000, 0};

struct place {
    struct made made;
    struct bt_pump pump;
};

static void open_place(struct place *place, unsigned entries)
{
    made_open_as(&place->made, entries);
    place->pump = (struct bt_pump){.env = &place->made.env,
                                   .storage.ledger = made_ledger(&place->made, true)};
    assert_non_null(place->pump.storage.ledger);
    bt_env_pin_clock(&place->made.env, &begin);
    assert_int_equal(bt_pump_start_heartbeat(&place->pump, INTERVAL_S, &place->made.error), BT_OK);
}

static void close_place(struct place *place)
{
    bt_ledger_close(place->pump.storage.ledger);
    made_close(&place->made);
}

static uint64_t size_of(struct place *place)
{
    struct bt_ledger_head head;
    struct bt_findings *alarms = bt_findings_new(&place->made.arena);
    assert_non_null(alarms);
    assert_int_equal(bt_ledger_head(place->pump.storage.ledger, &place->made.arena, alarms, &head,
                                    &place->made.error),
                     BT_OK);
    return head.size;
}

/* Let the pump look at its heartbeat so many seconds after the start, when its own timer is over;
 * the size of the log then. */
static uint64_t look_after(struct place *place, int64_t seconds)
{
    const bt_instant now = {begin.seconds + seconds, 0};
    bt_env_pin_clock(&place->made.env, &now);
    place->pump.run.heartbeat.due_ms = 0;
    assert_int_equal(bt_pump_beat_when_due(&place->pump, &place->made.error), BT_OK);
    return size_of(place);
}

static void a_quiet_log_gets_one_beat_for_each_interval(void **state)
{
    struct place place;
    bool is_recorded = false;
    (void)state;
    open_place(&place, 2);
    assert_int_equal(size_of(&place), 1);
    assert_int_equal(look_after(&place, INTERVAL_S - 1), 1);
    assert_int_equal(look_after(&place, INTERVAL_S), 2);
    assert_int_equal(look_after(&place, 2 * INTERVAL_S - 1), 2);
    assert_int_equal(look_after(&place, 2 * INTERVAL_S), 3);
    /* any entry is as good as a beat */
    assert_int_equal(made_append(&place.made, place.pump.storage.ledger, 1, &is_recorded), BT_OK);
    assert_int_equal(look_after(&place, 3 * INTERVAL_S - 1), 4);
    bt_pump_stop_heartbeat(&place.pump);
    assert_int_equal(size_of(&place), 5);
    close_place(&place);
}

static void the_timer_of_the_pump_is_not_asked_twice(void **state)
{
    struct place place;
    const bt_instant later = {begin.seconds + 10 * INTERVAL_S, 0};
    (void)state;
    open_place(&place, 2);
    bt_env_pin_clock(&place.made.env, &later);
    assert_int_equal(bt_pump_beat_when_due(&place.pump, &place.made.error), BT_OK);
    assert_int_equal(size_of(&place), 1); /* its own timer is not over */
    assert_int_equal(look_after(&place, 10 * INTERVAL_S), 2);
    assert_true(place.pump.run.heartbeat.due_ms > 0);
    close_place(&place);
}

static void nothing_is_recorded_when_it_is_off_or_the_entries_are_of_version_1(void **state)
{
    struct place place;
    (void)state;
    open_place(&place, 2);
    place.pump.run.heartbeat.interval_s = 0;
    assert_int_equal(look_after(&place, 10 * INTERVAL_S), 1);
    close_place(&place);
    open_place(&place, 1);
    assert_int_equal(look_after(&place, 10 * INTERVAL_S), 0);
    bt_pump_stop_heartbeat(&place.pump);
    assert_int_equal(size_of(&place), 0);
    close_place(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_log_gets_one_beat_for_each_interval),
        cmocka_unit_test(the_timer_of_the_pump_is_not_asked_twice),
        cmocka_unit_test(nothing_is_recorded_when_it_is_off_or_the_entries_are_of_version_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
