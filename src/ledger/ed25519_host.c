/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ed25519_host.c - Ed25519 in the core profile: the host verifies, and nothing is signed.
 */
#include "ledger/ed25519.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"

enum { QUESTIONS_MAX = 1000 };

struct evp_pkey_st *bt_ed25519_pair_create(const uint8_t secret[BT_KEY_BYTES])
{
    (void)secret;
    return NULL;
}

void bt_ed25519_pair_destroy(struct evp_pkey_st *pair)
{
    assert(!pair);
    (void)pair;
}

bool bt_ed25519_get_public(const struct evp_pkey_st *pair, uint8_t out[BT_KEY_BYTES])
{
    (void)pair;
    (void)out;
    return false;
}

enum bt_status bt_ed25519_sign(struct evp_pkey_st *pair, bt_str message,
                               uint8_t out[BT_SIGNATURE_BYTES])
{
    (void)pair;
    (void)message;
    (void)out;
    return BT_EIO;
}

void bt_secret_wipe(void *secret, size_t size)
{
    memset(secret, 0, size); /* no secret is ever read in this build */
}

static struct bt_signature_question *find_question(const struct bt_signature_host *host,
                                                   const struct bt_signature_question *wanted)
{
    for (size_t i = 0; i < host->count; i++) {
        struct bt_signature_question *question = &host->items[i];
        if (memcmp(question->key, wanted->key, sizeof(wanted->key)) == 0 &&
            memcmp(question->signature, wanted->signature, sizeof(wanted->signature)) == 0 &&
            bt_str_eq(question->message, wanted->message)) {
            return question;
        }
    }
    return NULL;
}

enum bt_status bt_vkey_verify(const struct bt_vkey *vkey, bt_str message,
                              const uint8_t signature[BT_SIGNATURE_BYTES], bool *out_valid)
{
    assert(vkey);
    assert(out_valid);
    struct bt_signature_host *host = vkey->host;
    struct bt_signature_question question = {.message = message};
    if (!host) {
        return BT_EIO;
    }
    memcpy(question.key, vkey->key, sizeof(question.key));
    memcpy(question.signature, signature, sizeof(question.signature));
    const struct bt_signature_question *known = find_question(host, &question);
    if (!known) {
        BT_TRY(bt_arena_copy(host->arena, message, &question.message));
        BT_TRY(bt_vec_push_max(host->arena, host, QUESTIONS_MAX, question));
        host->open++;
    }
    *out_valid = !known || !known->is_answered || known->is_valid;
    return BT_OK;
}
