/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bloom_filter.h - a set of keys that may report keys that were never added, but never misses one
 * that was.
 *
 * Adding thousands of documents requires a test for each whether it is already stored, and almost
 * none is: four bits in one word of memory answer that.
 */
#ifndef BATON_SRC_STORE_BLOOM_FILTER_H
#define BATON_SRC_STORE_BLOOM_FILTER_H

#include <baton/base.h>

struct bt_bloom_filter {
    struct bt_arena arena;
    uint64_t *words; /* NULL: there is no memory for it, or nobody has asked yet */
    size_t count;    /* a power of two */
};

void bt_seccomp_filter_init(struct bt_bloom_filter *filter);
void bt_seccomp_filter_free(struct bt_bloom_filter *filter);
/* Whether so many marks would make it say too often that it may hold others. */
bool bt_seccomp_filter_is_narrow(const struct bt_bloom_filter *filter, uint64_t marks);
/* Empty it, with room for four times so many marks; up to a bound, beyond which it is wrong more
 * and more often. */
BT_MUST_USE enum bt_status bt_seccomp_filter_reserve(struct bt_bloom_filter *filter,
                                                     uint64_t marks);
/* Marks have 48 bits. */
void bt_seccomp_filter_add(struct bt_bloom_filter *filter, uint64_t mark);
/* False: it was never added. */
bool bt_seccomp_filter_may_have(const struct bt_bloom_filter *filter, uint64_t mark);

#endif
