/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sets.h - the data sets that benchmarks run over.
 *
 * Each folder below DATA/schema-bench, DATA/schema-bench-2, DATA/handoffs and DATA/real is one set:
 * instances.jsonl with one text per line, and a schema beside it. tests/schema/real is a group.
 */
#ifndef BATON_BENCH_SETS_H
#define BATON_BENCH_SETS_H

#include <baton/base.h>

#define SETS_MAX 256
#define SET_PADDING 64
#define SET_COUNTED_MAX 60 /* texts of a set whose instructions are counted; see counts.py */

struct set {
    char name[64];
    char folder[512];
    char **texts; /* each followed by SET_PADDING zero bytes */
    size_t *sizes;
    size_t count;
    size_t bytes;
};

/* Load up to SETS_MAX sets, sorted by name within each group; returns how many there are. */
size_t sets_load(struct set *sets, const char *data);
void sets_free(struct set *sets, size_t count);

#endif
