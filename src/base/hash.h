/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - hashing what is not in memory.
 */
#ifndef BATON_SRC_BASE_HASH_H
#define BATON_SRC_BASE_HASH_H

#include "base/env.h"

/* The SHA-256 of everything that can be read from the descriptor, and how much that is. BT_EIO: a
 * read failed. */
BT_MUST_USE enum bt_status bt_sha256_fd(int fd, uint8_t out[BT_SHA256_BYTES], uint64_t *out_size);

#endif
