/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include "test.h"

struct log log_make(size_t size)
{
    struct log log = {.size = size, .leaves = calloc(size + 1, sizeof(struct bt_merkle_hash))};
    assert_non_null(log.leaves);
    for (size_t i = 0; i < size; i++) {
        char text[24];
        const int length = snprintf(text, sizeof(text), "%zu", i);
        bt_merkle_hash_leaf((bt_str){text, (size_t)length}, &log.leaves[i]);
    }
    return log;
}

void log_free(struct log *log)
{
    free(log->leaves);
    log->leaves = NULL;
}

struct bt_merkle_hash log_root(const struct log *log, size_t from, size_t to)
{
    struct bt_merkle_hash root;
    if (from == to) {
        bt_merkle_hash_empty(&root);
        return root;
    }
    if (to - from == 1) {
        return log->leaves[from];
    }
    size_t split = 1;
    while (split * 2 < to - from) {
        split *= 2;
    }
    const struct bt_merkle_hash left = log_root(log, from, from + split);
    const struct bt_merkle_hash right = log_root(log, from + split, to);
    bt_merkle_hash_node(&left, &right, &root);
    return root;
}

static enum bt_status subtree(void *context, uint32_t level, uint64_t n, struct bt_merkle_hash *out)
{
    const struct log *log = context;
    const size_t width = (size_t)1 << level;
    assert_true((n + 1) * width <= log->size);
    *out = log_root(log, n * width, (n + 1) * width);
    return BT_OK;
}

struct bt_merkle_subtrees log_subtrees(struct log *log)
{
    return (struct bt_merkle_subtrees){subtree, log};
}

uint64_t log_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}
