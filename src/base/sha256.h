/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256.h - SHA-256 (FIPS 180-4) without a library, for builds that have nothing but a compiler.
 */
#ifndef BATON_SRC_BASE_SHA256_H
#define BATON_SRC_BASE_SHA256_H

#include <baton/base.h>

/* A hash of bytes that come in parts. */
struct bt_sha256_portable {
    uint32_t words[8];
    uint8_t block[64]; /* the last bytes, which do not fill a block yet */
    uint64_t size;     /* of what was added */
};

void bt_sha256_portable_begin(struct bt_sha256_portable *state);
void bt_sha256_portable_add(struct bt_sha256_portable *state, bt_str bytes);
/* The hash of what was added so far; more may be added. */
void bt_sha256_portable_end(const struct bt_sha256_portable *state, uint8_t out[32]);

#endif
