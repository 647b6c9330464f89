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
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include "base/error.h"
#include "base/hex.h"

enum { READ_BYTES = 64 * 1024 };

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

enum bt_status bt_sha256_hex(bt_str bytes, char out[BT_SHA256_HEX_BYTES])
{
    assert(out);
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(bt_sha256(bytes, digest));
    bt_hex_put(digest, sizeof(digest), out);
    out[BT_SHA256_HEX_BYTES - 1] = '\0';
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

static enum bt_status digest_fd(EVP_MD_CTX *context, int fd, uint64_t bytes_max, uint64_t *out_size)
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
        const uint64_t left = bytes_max - *out_size;
        const bool is_over = count > 0 && (uint64_t)count > left;
        const size_t hashed = is_over ? (size_t)left : (size_t)count;
        if (count < 0 || EVP_DigestUpdate(context, bytes, hashed) != 1) {
            return BT_EIO;
        }
        *out_size += is_over ? left + 1 : hashed;
    }
    return BT_OK;
}

enum bt_status bt_sha256_fd(int fd, uint64_t bytes_max, uint8_t out[BT_SHA256_BYTES],
                            uint64_t *out_size)
{
    assert(out);
    assert(out_size);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context) {
        return BT_ENOMEM;
    }
    enum bt_status status = EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 ? BT_OK : BT_EIO;
    if (status == BT_OK) {
        status = digest_fd(context, fd, bytes_max, out_size);
    }
    if (status == BT_OK && EVP_DigestFinal_ex(context, out, NULL) != 1) {
        status = BT_EIO;
    }
    EVP_MD_CTX_free(context);
    return status;
}
