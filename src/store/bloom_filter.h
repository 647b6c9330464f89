/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bloom_filter.h - a set of marks that may hold more than was put into it, and never less.
 *
 * Whoever adds thousands of documents asks for each whether it is there, and nearly none is: four
 * bits in one word of memory say so.
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
