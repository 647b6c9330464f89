/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - clocks, a ledger, the end.
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static double read_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

double now_s(void)
{
    return read_ns(CLOCK_MONOTONIC) / 1e9;
}

double processor_s(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

double children_s(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0) {
        fail("getrusage", "failed");
    }
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

struct timespec seconds_from_now(int seconds)
{
    struct timespec moment;
    (void)clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_sec += seconds;
    return moment;
}

void fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(2);
}

struct bt_ledger *make_ledger(struct bt_env *env, struct bt_arena *arena,
                              const struct bt_ledger_options *options, bt_str *out_vkey)
{
    struct bt_error error;
    struct bt_ledger_init_result made;
    struct bt_ledger *ledger = NULL;
    const struct bt_ledger_init_options plan = {.origin = BT_STR("ledger.example/bench"),
                                                .key_text = BT_STR("")};
    if (bt_ledger_init(env, arena, options, &plan, &made, &error) != BT_OK ||
        bt_ledger_open(options, true, &ledger, &error) != BT_OK) {
        fail("ledger", error.text);
    }
    if (out_vkey) {
        *out_vkey = made.vkey;
    }
    return ledger;
}

struct bt_ledger_writer *make_writer(struct bt_ledger *ledger, const struct bt_env *env)
{
    struct bt_error error;
    struct bt_ledger_writer *writer = NULL;
    if (bt_ledger_writer_open(ledger, env, &writer, &error) != BT_OK) {
        fail("writer", error.text);
    }
    return writer;
}
