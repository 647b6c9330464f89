/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash_portable.c - hash.h without libcrypto, for the core profile.
 */
#include "base/hash.h"

#include <assert.h>

#include "base/error.h"
#include "base/sha256.h"

static_assert(sizeof(struct bt_sha256_portable) <= sizeof(struct bt_sha256_state),
              "the state has room");

static struct bt_sha256_portable *portable_of(struct bt_sha256_state *state)
{
    return (struct bt_sha256_portable *)(void *)state->words;
}

enum bt_status bt_sha256_begin(struct bt_sha256_state *state)
{
    assert(state);
    bt_sha256_portable_begin(portable_of(state));
    return BT_OK;
}

enum bt_status bt_sha256_add(struct bt_sha256_state *state, bt_str bytes)
{
    assert(state);
    bt_sha256_portable_add(portable_of(state), bytes);
    return BT_OK;
}

enum bt_status bt_sha256_end(const struct bt_sha256_state *state, uint8_t out[BT_SHA256_BYTES])
{
    assert(state);
    bt_sha256_portable_end((const struct bt_sha256_portable *)(const void *)state->words, out);
    return BT_OK;
}

enum bt_status bt_sha256(bt_str bytes, uint8_t out[BT_SHA256_BYTES])
{
    struct bt_sha256_portable state;
    bt_sha256_portable_begin(&state);
    bt_sha256_portable_add(&state, bytes);
    bt_sha256_portable_end(&state, out);
    return BT_OK;
}
