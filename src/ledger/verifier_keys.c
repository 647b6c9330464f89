/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verifier_keys.c - lists of keys to verify with.
 */
#include <assert.h>

#include "base/vec.h"
#include "ledger/ledger_internal.h"

enum { KEYS_MAX = 16384 };

struct bt_verifier_keys *bt_verifier_keys_new(struct bt_arena *arena,
                                              enum bt_verifier_key_kind kind)
{
    assert(arena);
    struct bt_verifier_keys *keys = BT_NEW(arena, struct bt_verifier_keys);
    if (keys) {
        keys->arena = arena;
        keys->type = kind == BT_VERIFIER_KEY_LOG ? BT_KEY_LOG : BT_KEY_WITNESS;
    }
    return keys;
}

void bt_verifier_keys_set_host(struct bt_verifier_keys *keys, struct bt_signature_host *host)
{
    assert(keys);
    keys->host = host;
}

enum bt_status bt_verifier_keys_add(struct bt_verifier_keys *keys, bt_str vkey,
                                    struct bt_error *error)
{
    assert(keys);
    struct bt_vkey parsed;
    BT_TRY(bt_vkey_parse(vkey, keys->type, &parsed, error));
    parsed.host = keys->host;
    if (bt_vec_push_max(keys->arena, keys, KEYS_MAX, parsed) != BT_OK) {
        return bt_error_set(error, BT_ENOMEM, "too many keys");
    }
    keys->keys = (struct bt_vkey_list){keys->count, keys->items};
    return BT_OK;
}

enum bt_status bt_verifier_keys_add_lines(struct bt_verifier_keys *keys, bt_str text,
                                          struct bt_error *error)
{
    assert(keys);
    for (size_t from = 0; from < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        const bt_str line = bt_str_slice(text, from, end);
        if (line.len > 0 && line.ptr[0] != '#') {
            BT_TRY(bt_verifier_keys_add(keys, line, error));
        }
        from = end + 1;
    }
    return BT_OK;
}

size_t bt_verifier_keys_count(const struct bt_verifier_keys *keys)
{
    return keys ? keys->keys.count : 0;
}
