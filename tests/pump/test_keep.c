/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_keep.c - the core's state in a real store: what was committed is there again after the
 * process is gone, what was not is not.
 */
#define _DEFAULT_SOURCE /* mkdtemp() */
#include <stdlib.h>
#include <unistd.h>

#include "pump/pump_store.h"
#include "test.h"

enum { LISTENERS = 2, CLIENTS = 1 };

static const char thread_uuid[] = "11111111-2222-4333-8444-555555555555";

struct pump {
    char folder[64];
    char path[96];
    struct bt_env env;
    struct bt_arena memory;
    struct bt_pump_core core;
    struct bt_pump_core_listener listeners[LISTENERS];
    struct bt_pump_core_client clients[CLIENTS];
    struct bt_pump_store rows;
    struct bt_ledger *ledger;
    uint64_t held; /* bytes that may be */
    size_t events;
};

static enum bt_status tell(void *context, const struct bt_pump_core_event *event)
{
    (void)event;
    ((struct pump *)context)->events++;
    return BT_OK;
}

static void cancel(void *context, uint32_t listener, uint64_t call)
{
    (void)context;
    (void)listener;
    (void)call;
}

static enum bt_status recall(void *context, uint64_t number, struct bt_arena *arena, bt_str *out)
{
    return bt_pump_store_load_payload(&((struct pump *)context)->rows, number, arena, out);
}

/* Start the process, with whatever the store holds. */
static void start(struct pump *pump)
{
    const struct bt_ledger_options options = {.store = pump->path};
    uint64_t passed = 99;
    bt_arena_init(&pump->memory, 1 << 20);
    pump->listeners[0] = (struct bt_pump_core_listener){.lane = {.max = 4, .is_open = true},
                                                        .name = BT_STR("front")};
    pump->listeners[1] =
        (struct bt_pump_core_listener){.lane = {.max = 4, .is_open = true}, .name = BT_STR("back")};
    pump->clients[0] = (struct bt_pump_core_client){.name = BT_STR("alice")};
    pump->core = (struct bt_pump_core){.env = &pump->env,
                                       .limits = {8, 8, 100, 3, 100000, 1000, pump->held},
                                       .driver = {pump, tell, cancel, recall},
                                       .listeners = pump->listeners,
                                       .listeners_count = LISTENERS,
                                       .clients = pump->clients,
                                       .clients_count = CLIENTS,
                                       .schedule = {.max = 8}};
    bt_pump_core_begin(&pump->core, 1 << 20);
    assert_int_equal(bt_ledger_open(&options, true, &pump->ledger, NULL), BT_OK);
    assert_int_equal(bt_pump_store_open(&pump->rows, &pump->core, pump->ledger, &pump->memory),
                     BT_OK);
    assert_int_equal(bt_pump_store_load(&pump->rows, &passed, NULL), BT_OK);
    assert_int_equal(passed, 0);
}

/* The process is gone, with everything that was not committed. */
static void stop(struct pump *pump)
{
    bt_pump_store_close(&pump->rows);
    bt_pump_core_end(&pump->core);
    bt_ledger_close(pump->ledger);
    bt_arena_free(&pump->memory);
}

static int begin(void **state)
{
    struct pump *pump = calloc(1, sizeof(*pump));
    struct bt_arena arena;
    struct bt_ledger_init_result made;
    assert_non_null(pump);
    (void)snprintf(pump->folder, sizeof(pump->folder), "/tmp/baton-keep-XXXXXX");
    assert_non_null(mkdtemp(pump->folder));
    (void)snprintf(pump->path, sizeof(pump->path), "%s/store.db", pump->folder);
    pump->held = 1 << 20;
    assert_int_equal(bt_env_init(&pump->env), BT_OK);
    bt_arena_init(&arena, 1 << 20);
    const struct bt_ledger_options options = {.store = pump->path};
    const struct bt_ledger_init_options plan = {.origin = BT_STR("pump.test")};
    assert_int_equal(bt_ledger_init(&pump->env, &arena, &options, &plan, &made, NULL), BT_OK);
    bt_arena_free(&arena);
    start(pump);
    *state = pump;
    return 0;
}

static int end(void **state)
{
    static const char *const names[] = {"store.db",   "store.db-wal", "store.db-shm",
                                        "ledger.key", "ledger.vkey",  "ledger.head"};
    struct pump *pump = *state;
    char path[128];
    stop(pump);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", pump->folder, names[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(pump->folder), 0);
    free(pump);
    return 0;
}

static void commit(struct pump *pump)
{
    struct bt_error error = {.text = ""};
    struct bt_findings *alarms = bt_findings_new(&pump->memory);
    assert_non_null(alarms);
    assert_int_equal(bt_pump_store_commit(&pump->rows, alarms, &error), BT_OK);
    bt_pump_core_forget_finished(&pump->core);
    assert_int_equal(bt_findings_count(alarms), 0);
}

static void accept(struct pump *pump, const char *payload)
{
    const uint32_t target = 0;
    const struct bt_pump_core_ingress order = {.uuid = thread_uuid,
                                               .targets = &target,
                                               .targets_count = 1,
                                               .tag = BT_STR("front.ask"),
                                               .payload = bt_str_of(payload)};
    assert_int_equal(bt_pump_core_accept(&pump->core, &order), BT_OK);
}

static struct bt_pump_message *next(struct pump *pump)
{
    struct bt_pump_message *message = NULL;
    assert_int_equal(bt_pump_core_next(&pump->core, &message), BT_OK);
    return message;
}

static void answer(struct pump *pump, struct bt_pump_message *message,
                   enum bt_pump_fragment_action way)
{
    static const uint32_t back = 1;
    const struct bt_pump_fragment fragment = {.action = way,
                                              .root = BT_STR("x"),
                                              .canonical = BT_STR("<x></x>"),
                                              .payload = BT_STR("<x></x>"),
                                              .targets = &back,
                                              .targets_count = 1,
                                              .code = BT_CODE_PUMP_BLOCKED};
    const struct bt_pump_fragments fragments = {.items = &fragment, .count = 1};
    assert_int_equal(bt_pump_core_handle_result(&pump->core, message, BT_STR("raw"), &fragments),
                     BT_OK);
}

/* ---- Claims ---------------------------------------------------------------------------------- */

static void what_was_committed_is_called_again_with_the_same_call(void **state)
{
    struct pump *pump = *state;
    accept(pump, "<a></a>");
    commit(pump);
    accept(pump, "<lost></lost>");
    stop(pump);
    start(pump);
    assert_int_equal(pump->core.counts.unhandled, 1);
    struct bt_pump_message *message = next(pump);
    assert_non_null(message);
    assert_int_equal(message->call, 1);
    assert_true(bt_str_eq(bt_buf_str(&message->payload.bytes), BT_STR("<a></a>")));
    assert_true(bt_str_eq(message->payload.tag, BT_STR("front.ask")));
    char uuid[BT_UUID_TEXT_BYTES];
    memcpy(uuid, message->thread->uuid, sizeof(uuid));
    stop(pump); /* in flight, without an answer */
    start(pump);
    message = next(pump);
    assert_non_null(message);
    assert_int_equal(message->call, 1);
    assert_string_equal(message->thread->uuid, uuid);
}

static void a_conversation_goes_on_where_it_was(void **state)
{
    struct pump *pump = *state;
    accept(pump, "<a></a>");
    commit(pump);
    answer(pump, next(pump), BT_PUMP_FRAGMENT_ACTION_CALL);
    commit(pump);
    stop(pump);
    start(pump);
    struct bt_pump_message *message = next(pump);
    assert_non_null(message);
    assert_int_equal(message->thread->listener, 1);
    assert_int_equal(message->thread->depth, 2);
    assert_non_null(message->thread->parent);
    answer(pump, message, BT_PUMP_FRAGMENT_ACTION_REPLY);
    commit(pump);
    message = next(pump);
    assert_int_equal(message->kind, BT_PUMP_MESSAGE_KIND_REPLY);
    assert_int_equal(message->thread->listener, 0);
    assert_int_equal(message->sender, 1);
}

static void numbers_are_never_given_twice(void **state)
{
    struct pump *pump = *state;
    accept(pump, "<a></a>");
    commit(pump);
    answer(pump, next(pump), BT_PUMP_FRAGMENT_ACTION_REPLY);
    commit(pump);
    const uint64_t number = pump->core.next.number;
    const uint64_t call = pump->listeners[0].next_call;
    const uint64_t delivery = pump->clients[0].next_delivery;
    stop(pump);
    start(pump);
    assert_int_equal(pump->core.next.number, number);
    assert_int_equal(pump->listeners[0].next_call, call);
    assert_int_equal(pump->clients[0].next_delivery, delivery);
    assert_int_equal(pump->core.counts.unhandled, 0);
}

struct heard {
    size_t count;
    struct bt_pump_pending_delivery last;
};

static bool hear(void *context, const struct bt_pump_pending_delivery *delivery)
{
    struct heard *heard = context;
    heard->count++;
    heard->last = *delivery;
    assert_true(bt_str_eq(delivery->thread, bt_str_of(thread_uuid)));
    return true;
}

static size_t deliveries(struct pump *pump, struct heard *heard)
{
    *heard = (struct heard){0};
    assert_int_equal(bt_pump_store_each_delivery(&pump->rows, hear, heard, NULL), BT_OK);
    return heard->count;
}

static void a_delivery_waits_until_its_client_has_it(void **state)
{
    struct pump *pump = *state;
    struct heard heard;
    accept(pump, "<a></a>");
    commit(pump);
    answer(pump, next(pump), BT_PUMP_FRAGMENT_ACTION_REPLY);
    commit(pump);
    assert_non_null(pump->rows.new_deliveries);
    stop(pump);
    start(pump);
    assert_non_null(pump->rows.new_deliveries);
    assert_true(bt_pump_store_has_pending_delivery(&pump->rows, &pump->memory, BT_STR("alice"), 1));
    commit(pump); /* it was not taken at once: now it has a row */
    assert_null(pump->rows.new_deliveries);
    assert_int_equal(deliveries(pump, &heard), 1);
    stop(pump);
    start(pump);
    assert_null(pump->rows.new_deliveries);
    assert_int_equal(deliveries(pump, &heard), 1);
    assert_int_equal(heard.last.id, 1);
    assert_true(bt_pump_store_has_pending_delivery(&pump->rows, &pump->memory, BT_STR("alice"), 1));
    assert_int_equal(bt_pump_store_mark_delivered(&pump->rows, &heard.last), BT_OK);
    assert_int_equal(deliveries(pump, &heard), 1); /* not yet committed */
    commit(pump);
    assert_int_equal(deliveries(pump, &heard), 0);
    assert_false(
        bt_pump_store_has_pending_delivery(&pump->rows, &pump->memory, BT_STR("alice"), 1));
}

static void a_delivery_that_is_taken_at_once_does_not_come_again(void **state)
{
    struct pump *pump = *state;
    struct heard heard;
    accept(pump, "<a></a>");
    accept(pump, "<b></b>");
    commit(pump);
    answer(pump, next(pump), BT_PUMP_FRAGMENT_ACTION_REPLY);
    answer(pump, next(pump), BT_PUMP_FRAGMENT_ACTION_REPLY);
    commit(pump);
    const struct bt_pump_pending_delivery first = {.id = 1,
                                                   .number = pump->rows.new_deliveries->number};
    assert_int_equal(bt_pump_store_mark_delivered(&pump->rows, &first), BT_OK);
    commit(pump); /* the other was not */
    stop(pump);
    start(pump);
    assert_int_equal(deliveries(pump, &heard), 1);
    assert_int_equal(heard.last.id, 2);
}

static void without_anybody_who_takes_it_a_delivery_has_a_row_at_once(void **state)
{
    struct pump *pump = *state;
    struct heard heard;
    pump->rows.files_at_once = true;
    accept(pump, "<a></a>");
    commit(pump);
    answer(pump, next(pump), BT_PUMP_FRAGMENT_ACTION_REPLY);
    commit(pump);
    assert_int_equal(deliveries(pump, &heard), 1);
    stop(pump);
    start(pump);
    assert_null(pump->rows.new_deliveries);
    assert_int_equal(deliveries(pump, &heard), 1);
}

/* The first is never answered, so that everything after it is looked at again. */
static void what_led_on_is_over_in_the_next_life(void **state)
{
    static const enum bt_pump_fragment_action ways[] = {BT_PUMP_FRAGMENT_ACTION_REPLY,
                                                        BT_PUMP_FRAGMENT_ACTION_CALL,
                                                        BT_PUMP_FRAGMENT_ACTION_REJECT};
    struct pump *pump = *state;
    for (size_t i = 0; i < COUNT_OF(ways) + 2; i++) {
        accept(pump, "<a></a>");
    }
    commit(pump);
    const uint64_t stuck = next(pump)->number;
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        answer(pump, next(pump), ways[i]);
    }
    const uint64_t left = next(pump)->number;
    commit(pump);
    stop(pump);
    start(pump);
    assert_int_equal(pump->core.counts.unhandled, 3); /* stuck, left, and the call */
    assert_non_null(bt_pump_core_find_message(&pump->core, stuck));
    assert_non_null(bt_pump_core_find_message(&pump->core, left));
    answer(pump, next(pump), BT_PUMP_FRAGMENT_ACTION_HALT);
    commit(pump);
    stop(pump);
    start(pump);
    assert_int_equal(pump->core.counts.unhandled, 0);
}

static void a_huh_shows_a_request_of_an_earlier_life(void **state)
{
    struct pump *pump = *state;
    bt_str payload = BT_STR("");
    accept(pump, "<a>hello</a>");
    commit(pump);
    assert_non_null(next(pump));
    stop(pump);
    start(pump);
    struct bt_pump_message *message = next(pump);
    const uint64_t number = message->number;
    assert_int_equal(bt_pump_core_handle_timeout(&pump->core, message, BT_STR("{\"seconds\":1}")),
                     BT_OK);
    assert_int_equal(pump->events, 1);
    commit(pump);
    assert_int_equal(bt_pump_store_load_payload(&pump->rows, number, &pump->memory, &payload),
                     BT_OK);
    assert_true(bt_str_eq(payload, BT_STR("<a>hello</a>")));
    assert_int_equal(bt_pump_store_load_payload(&pump->rows, 12345, &pump->memory, &payload),
                     BT_ENOENT);
}

/* A payload beyond what may be held is where it was kept, and nowhere else. */
static void payloads_beyond_the_limit_lie_only_in_the_store(void **state)
{
    struct pump *pump = *state;
    bt_str payload = BT_STR("");
    pump->core.limits.held = pump->held = 10;
    accept(pump, "<a></a>");
    accept(pump, "<b></b>");
    assert_int_equal(pump->core.counts.payload_bytes, 14);
    commit(pump);
    assert_int_equal(pump->core.counts.payload_bytes, 7);
    stop(pump);
    start(pump);
    assert_int_equal(pump->core.counts.payload_bytes, 7);
    for (size_t i = 0; i < 2; i++) {
        const struct bt_pump_message *message = next(pump);
        assert_non_null(message);
        assert_int_equal(message->payload.size, 7);
        assert_int_equal(
            bt_pump_store_load_payload(&pump->rows, message->number, &pump->memory, &payload),
            BT_OK);
        assert_true(bt_str_eq(payload, i == 0 ? BT_STR("<a></a>") : BT_STR("<b></b>")));
    }
    assert_int_equal(pump->core.oldest->tokens, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_committed_is_called_again_with_the_same_call,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_conversation_goes_on_where_it_was, begin, end),
        cmocka_unit_test_setup_teardown(numbers_are_never_given_twice, begin, end),
        cmocka_unit_test_setup_teardown(a_delivery_waits_until_its_client_has_it, begin, end),
        cmocka_unit_test_setup_teardown(a_delivery_that_is_taken_at_once_does_not_come_again, begin,
                                        end),
        cmocka_unit_test_setup_teardown(without_anybody_who_takes_it_a_delivery_has_a_row_at_once,
                                        begin, end),
        cmocka_unit_test_setup_teardown(what_led_on_is_over_in_the_next_life, begin, end),
        cmocka_unit_test_setup_teardown(a_huh_shows_a_request_of_an_earlier_life, begin, end),
        cmocka_unit_test_setup_teardown(payloads_beyond_the_limit_lie_only_in_the_store, begin,
                                        end),
    };
    return RUN_TESTS(tests);
}
