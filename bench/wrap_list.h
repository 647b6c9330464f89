/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_list.h - a list of many tools, compared with their lock and parsed alone. */
#ifndef BATON_BENCH_WRAP_LIST_H
#define BATON_BENCH_WRAP_LIST_H

/*
 * Measure how long a session takes for the result of tools/list when nothing in it changed since
 * the lock of the server `bench` was written, and how long parsing it takes; print both.
 */
void bench_wrap_list(const char *lock_path, const char *result);

#endif
