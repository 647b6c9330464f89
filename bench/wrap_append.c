/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_append.c - one thread that makes records, and the recorder that appends them. */
#include "wrap_append.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "measure.h"
#include "wrap/record.h"
#include "wrap/recorder.h"

enum { RECORDS = 20000, WAITING_MAX = 1024, DEADLINE_MS = 60000, DOCUMENT_BYTES = 1 << 20 };

static void wake_loop(void *context)
{
    const uint64_t one = 1;
    (void)!write(*(const int *)context, &one, sizeof(one));
}

/* Take back what is durable, until at most so many records wait. */
static void take_back(struct bt_wrap_recorder *recorder, int fd, uint64_t most)
{
    struct bt_wrap_recorded recorded;
    uint64_t count = 0;
    while (bt_wrap_recorder_counts(recorder).waiting > most) {
        while (bt_wrap_recorder_next(recorder, bt_clock_monotonic_ms(), &recorded)) {
            if (!recorded.is_durable) {
                fail("record", bt_wrap_recorder_error(recorder));
            }
            bt_wrap_record_destroy(recorded.record);
        }
        if (bt_wrap_recorder_counts(recorder).waiting > most) {
            (void)!read(fd, &count, sizeof(count));
        }
    }
}

static void put_record(struct bt_wrap_recorder *recorder, const struct bt_env *env, uint64_t number)
{
    static const char text[300] = "{}";
    const struct bt_wrap_record_subject subject = {
        .server = BT_STR("bench"),
        .session = BT_STR("018f2b6c-7d1e-4a3c-9b42-000000000000"),
        .method = BT_STR("tools/call"),
        .name = BT_STR("search"),
        .class_name = BT_STR("read"),
        .source = BT_STR("bench"),
        .trace_id = BT_STR("018f2b6c-7d1e-4a3c-9b42-000000000000"),
        .n = number};
    struct bt_wrap_record *record = NULL;
    bool is_missing = false;
    if (bt_wrap_record_create(env, &subject, &record) != BT_OK ||
        bt_wrap_part_set_text(&record->request, (bt_str){text, sizeof(text)}) != BT_OK ||
        bt_wrap_part_set_text(&record->response, (bt_str){text, sizeof(text)}) != BT_OK) {
        fail("record", "no memory");
    }
    record->event = BT_WRAP_EVENT_RETURNED;
    if (bt_wrap_recorder_put(recorder, record, &is_missing) != BT_OK || is_missing) {
        fail("record", bt_wrap_recorder_error(recorder));
    }
}

struct wrap_append bench_wrap_append(const char *folder)
{
    struct bt_env env;
    struct bt_arena arena;
    struct bt_wrap_recorder *recorder = NULL;
    struct bt_error error = {0};
    char store[4200];
    int fd = eventfd(0, EFD_CLOEXEC);
    bt_arena_init(&arena, SIZE_MAX);
    if (fd < 0 || bt_env_init(&env) != BT_OK) {
        fail("recorder", "no randomness or descriptor");
    }
    (void)snprintf(store, sizeof(store), "%s/append.%.0f.db", folder, now_ns());
    const struct bt_ledger_options where = {.store = store, .root = folder};
    const struct bt_wrap_recorder_options options = {.ledger =
                                                         make_ledger(&env, &arena, &where, NULL),
                                                     .env = &env,
                                                     .actor = BT_STR("wrap/bench"),
                                                     .policy = BT_STR(""),
                                                     .server = BT_STR("bench"),
                                                     .session = BT_STR(""),
                                                     .records_max = 2 * (uint64_t)WAITING_MAX,
                                                     .deadline_ms = DEADLINE_MS,
                                                     .document_bytes = DOCUMENT_BYTES,
                                                     .wake = wake_loop,
                                                     .context = &fd};
    if (bt_wrap_recorder_open(&options, &recorder, &error) != BT_OK) {
        fail("recorder", error.text);
    }
    const double began_s = now_s();
    const double processor_began_s = processor_s();
    for (uint64_t i = 1; i <= RECORDS; i++) {
        put_record(recorder, &env, i);
        take_back(recorder, fd, WAITING_MAX);
    }
    take_back(recorder, fd, 0);
    const struct wrap_append out = {RECORDS / (now_s() - began_s),
                                    (processor_s() - processor_began_s) / RECORDS * 1e6};
    (void)bt_wrap_recorder_close(recorder);
    bt_ledger_close(options.ledger);
    bt_arena_free(&arena);
    (void)close(fd);
    return out;
}
