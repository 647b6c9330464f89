/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - what benchmarks share: clocks, a ledger to write to, and the end when something
 * fails.
 */
#ifndef BATON_BENCH_MEASURE_H
#define BATON_BENCH_MEASURE_H

#include <time.h>

#include "ledger/ledger.h"

/* A clock that never goes back. */
double now_ns(void);
double now_s(void);
/* Processor time: of all threads of this process, and of children that have ended. */
double processor_s(void);
double children_s(void);
/* So many seconds from now, as whoever waits is told it. */
struct timespec seconds_from_now(int seconds);

/* Complain, and end with status 2. */
_Noreturn void fail(const char *what, const char *why);

/* Make a ledger and open it to write, or fail; *out_vkey, if it is wanted, is in the arena. */
struct bt_ledger *make_ledger(struct bt_env *env, struct bt_arena *arena,
                              const struct bt_ledger_options *options, bt_str *out_vkey);
/* Open its writer, or fail. */
struct bt_ledger_writer *make_writer(struct bt_ledger *ledger, const struct bt_env *env);

#endif
