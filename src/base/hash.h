/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - hashing what is not in memory.
 */
#ifndef BATON_SRC_BASE_HASH_H
#define BATON_SRC_BASE_HASH_H

#include "base/env.h"

/*
 * Hash what can be read from the descriptor, at most `bytes_max` bytes (UINT64_MAX: no limit), and
 * count it. When there is more, *out_size is bytes_max + 1. BT_EIO: a read failed.
 */
BT_MUST_USE enum bt_status bt_sha256_fd(int fd, uint64_t bytes_max, uint8_t out[BT_SHA256_BYTES],
                                        uint64_t *out_size);

/* A hash of bytes that come in parts. */
struct bt_sha256_state {
    uint64_t words[16]; /* of the implementation */
};

BT_MUST_USE enum bt_status bt_sha256_begin(struct bt_sha256_state *state);
BT_MUST_USE enum bt_status bt_sha256_add(struct bt_sha256_state *state, bt_str bytes);
/* The hash of what was added so far; more may be added. */
BT_MUST_USE enum bt_status bt_sha256_end(const struct bt_sha256_state *state,
                                         uint8_t out[BT_SHA256_BYTES]);

/* A state as bytes, which any build can go on from: the eight words, the size, the last block. */
enum { BT_SHA256_SAVED_BYTES = 104 };
void bt_sha256_save(const struct bt_sha256_state *state, uint8_t out[BT_SHA256_SAVED_BYTES]);
BT_MUST_USE enum bt_status bt_sha256_restore(const uint8_t saved[BT_SHA256_SAVED_BYTES],
                                             struct bt_sha256_state *out);

#endif
