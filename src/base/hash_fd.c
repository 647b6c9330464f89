/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_fd.c - SHA-256 of a file, whichever implementation of hash.h there is.
 */
#include "base/hash.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "base/error.h"

enum { READ_BYTES = 64 * 1024 };

static enum bt_status add_fd(struct bt_sha256_state *state, int fd, uint64_t bytes_max,
                             uint64_t *out_size)
{
    char bytes[READ_BYTES];
    *out_size = 0;
    while (*out_size <= bytes_max) {
        const ssize_t count = read(fd, bytes, sizeof(bytes));
        if (count == 0) {
            return BT_OK;
        }
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return BT_EIO;
        }
        const uint64_t left = bytes_max - *out_size;
        const bool is_over = (uint64_t)count > left;
        const size_t hashed = is_over ? (size_t)left : (size_t)count;
        BT_TRY(bt_sha256_add(state, (bt_str){bytes, hashed}));
        *out_size += is_over ? left + 1 : hashed;
    }
    return BT_OK;
}

enum bt_status bt_sha256_fd(int fd, uint64_t bytes_max, uint8_t out[BT_SHA256_BYTES],
                            uint64_t *out_size)
{
    assert(out);
    assert(out_size);
    struct bt_sha256_state state;
    BT_TRY(bt_sha256_begin(&state));
    BT_TRY(add_fd(&state, fd, bytes_max, out_size));
    return bt_sha256_end(&state, out);
}
