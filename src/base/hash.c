/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.c - SHA-256 through libcrypto.
 *
 * Its plain functions keep their state on the stack: a digest of a few hundred bytes does not wait
 * for a look-up by name.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.h"

#include <assert.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "base/error.h"

enum bt_status bt_sha256(bt_str bytes, uint8_t out[BT_SHA256_BYTES])
{
    assert(out);
    SHA256_CTX state;
    uint8_t digest[BT_SHA256_BYTES];
    if (SHA256_Init(&state) != 1 || SHA256_Update(&state, bytes.ptr, bytes.len) != 1 ||
        SHA256_Final(digest, &state) != 1) {
        return BT_EIO;
    }
    memcpy(out, digest, sizeof(digest));
    return BT_OK;
}

static_assert(sizeof(SHA256_CTX) <= sizeof(struct bt_sha256_state), "the state has room");

/* The members of SHA256_CTX are 32-bit words, so the words of the state are aligned for it. */
static SHA256_CTX *context_of(struct bt_sha256_state *state)
{
    return (SHA256_CTX *)(void *)state->words;
}

enum bt_status bt_sha256_begin(struct bt_sha256_state *state)
{
    assert(state);
    return SHA256_Init(context_of(state)) == 1 ? BT_OK : BT_EIO;
}

enum bt_status bt_sha256_add(struct bt_sha256_state *state, bt_str bytes)
{
    assert(state);
    return SHA256_Update(context_of(state), bytes.ptr, bytes.len) == 1 ? BT_OK : BT_EIO;
}

enum bt_status bt_sha256_end(const struct bt_sha256_state *state, uint8_t out[BT_SHA256_BYTES])
{
    assert(state);
    assert(out);
    struct bt_sha256_state copy = *state;
    return SHA256_Final(out, context_of(&copy)) == 1 ? BT_OK : BT_EIO;
}

enum { WORD_BYTES = 4, STATE_WORDS = 8, BLOCK_BYTES = 64 };

static void put_big_endian(uint64_t number, size_t size, uint8_t *out)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = (uint8_t)(number >> (8 * (size - 1 - i)));
    }
}

static uint64_t get_big_endian(const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number = number << 8 | bytes[i];
    }
    return number;
}

void bt_sha256_save(const struct bt_sha256_state *state, uint8_t out[BT_SHA256_SAVED_BYTES])
{
    assert(state);
    assert(out);
    struct bt_sha256_state copy = *state;
    const SHA256_CTX *context = context_of(&copy);
    const uint64_t bits = (uint64_t)context->Nh << 32 | context->Nl;
    for (size_t i = 0; i < STATE_WORDS; i++) {
        put_big_endian(context->h[i], WORD_BYTES, out + i * WORD_BYTES);
    }
    put_big_endian(bits / 8, sizeof(uint64_t), out + STATE_WORDS * WORD_BYTES);
    uint8_t *block = out + STATE_WORDS * WORD_BYTES + sizeof(uint64_t);
    memset(block, 0, BLOCK_BYTES);
    memcpy(block, context->data, context->num);
}

enum bt_status bt_sha256_restore(const uint8_t saved[BT_SHA256_SAVED_BYTES],
                                 struct bt_sha256_state *out)
{
    assert(saved);
    assert(out);
    struct bt_sha256_state state;
    BT_TRY(bt_sha256_begin(&state));
    SHA256_CTX *context = context_of(&state);
    const uint64_t bits = 8 * get_big_endian(saved + STATE_WORDS * WORD_BYTES, sizeof(uint64_t));
    for (size_t i = 0; i < STATE_WORDS; i++) {
        context->h[i] = (SHA_LONG)get_big_endian(saved + i * WORD_BYTES, WORD_BYTES);
    }
    context->Nh = (SHA_LONG)(bits >> 32);
    context->Nl = (SHA_LONG)bits;
    context->num = (unsigned int)(bits / 8 % BLOCK_BYTES);
    memcpy(context->data, saved + STATE_WORDS * WORD_BYTES + sizeof(uint64_t), context->num);
    *out = state;
    return BT_OK;
}

enum bt_status bt_hmac_sha256(const uint8_t key[BT_SHA256_BYTES], bt_str bytes,
                              uint8_t out[BT_SHA256_BYTES])
{
    assert(key);
    assert(out);
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    const bool made = HMAC(EVP_sha256(), key, BT_SHA256_BYTES, (const unsigned char *)bytes.ptr,
                           bytes.len, digest, &size) != NULL;
    if (!made || size != BT_SHA256_BYTES) {
        return BT_EIO;
    }
    memcpy(out, digest, BT_SHA256_BYTES);
    return BT_OK;
}

bool bt_bytes_equal_constant_time(const void *a, const void *b, size_t size)
{
    return CRYPTO_memcmp(a, b, size) == 0;
}
