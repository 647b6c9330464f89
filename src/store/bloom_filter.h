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
    uint64_t *words; /* NULL: there is no memory for it, or it was not needed yet */
    size_t count;    /* a power of two */
};

void bt_bloom_filter_init(struct bt_bloom_filter *filter);
void bt_bloom_filter_free(struct bt_bloom_filter *filter);
/* True when so many keys would cause too many false positives. */
bool bt_bloom_filter_is_narrow(const struct bt_bloom_filter *filter, uint64_t marks);
/* Empty it, with room for four times so many keys; up to a bound, beyond which false positives
 * become more frequent. */
BT_MUST_USE enum bt_status bt_bloom_filter_reserve(struct bt_bloom_filter *filter, uint64_t marks);
/* Keys have 48 bits. */
void bt_bloom_filter_add(struct bt_bloom_filter *filter, uint64_t mark);
/* False: it was never added. */
bool bt_bloom_filter_may_have(const struct bt_bloom_filter *filter, uint64_t mark);

#endif
