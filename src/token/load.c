/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - the table of an encoding from its merge list, for builds that have none.
 */
#include <assert.h>

#include "base/env.h"
#include "base/error.h"
#include "token/make_table.h"
#include "token/tokens.h"

enum { SCRATCH_BYTES_MAX = 64 << 20 };

/* The SHA-256 of both lists, by encoding. */
static const bt_str digests[] = {
    [BT_ENCODING_O200K_BASE] =
        BT_STR_INIT("334519918c96f35d4090bb8f82deb45829906869dd3cefe4c5e6692d759fef57"),
    [BT_ENCODING_CL100K_BASE] =
        BT_STR_INIT("135f6491f7739ae827a7deb4078a0b32b45ab2821319082e40e08a0cddea4eae"),
};

enum bt_status bt_token_table_load(struct bt_arena *arena, enum bt_encoding encoding, bt_str merges,
                                   const struct bt_token_table **out, struct bt_error *error)
{
    assert(arena);
    assert(out);
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_token_tables made;
    if (encoding == BT_ENCODING_CHARS4) {
        return bt_error_set(error, BT_EINVAL, "this encoding has no table");
    }
    BT_TRY(bt_sha256_hex(merges, digest));
    if (!bt_str_eq(bt_str_of(digest), digests[encoding])) {
        return bt_error_set(error, BT_ECORRUPT, "it is not the merge list of %.*s",
                            BT_STR_ARG(bt_encoding_name(encoding)));
    }
    if (bt_token_table_builtin(encoding)) {
        *out = NULL;
        return BT_OK;
    }
    struct bt_token_table *table = BT_NEW(arena, struct bt_token_table);
    struct bt_arena scratch;
    bt_arena_init(&scratch, SCRATCH_BYTES_MAX);
    const enum bt_status status =
        table ? bt_token_tables_make(arena, &scratch, merges, &made) : BT_ENOMEM;
    bt_arena_free(&scratch);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%s", bt_status_text(status));
    }
    *table = made.table;
    *out = table;
    return BT_OK;
}
