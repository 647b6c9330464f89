/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoding.c - the encodings by name, and whether a file is the table of one.
 */
#include <baton/tokens.h>

#include <assert.h>

#include "base/env.h"

#include "base/file.h"
#include "token/tokens.h"

enum { FILE_BYTES_MAX = 16 << 20 }; /* the larger of the two has 3.6 MB */

struct token_encoding {
    bt_str name;
    bt_str file;
    bt_str sha256; /* of the published file */
};

static const struct token_encoding encodings[BT_ENCODING__MAX] = {
    [BT_ENCODING_O200K_BASE] =
        {
            BT_STR_INIT("o200k_base"),
            BT_STR_INIT("o200k_base.tiktoken"),
            BT_STR_INIT("446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
        },
    [BT_ENCODING_CL100K_BASE] =
        {
            BT_STR_INIT("cl100k_base"),
            BT_STR_INIT("cl100k_base.tiktoken"),
            BT_STR_INIT("223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
        },
    [BT_ENCODING_CHARS4] = {BT_STR_INIT("chars4"), BT_STR_INIT(""), BT_STR_INIT("")},
};

bt_str bt_encoding_name(enum bt_encoding encoding)
{
    assert(encoding < BT_ENCODING__MAX);
    return encodings[encoding].name;
}

enum bt_status bt_encoding_parse(bt_str name, enum bt_encoding *out)
{
    assert(out);
    for (size_t i = 0; i < BT_ENCODING__MAX; i++) {
        if (bt_str_eq(encodings[i].name, name)) {
            *out = (enum bt_encoding)i;
            return BT_OK;
        }
    }
    return BT_EINVAL;
}

uint64_t bt_tokens_estimate(bt_str text)
{
    return text.len / 4;
}

static enum bt_status check_file(struct bt_arena *arena, bt_str dir,
                                 const struct token_encoding *wanted, struct bt_error *error)
{
    bt_str path = {0};
    bt_str content = {0};
    struct bt_error why = {0};
    char digest[BT_SHA256_HEX_BYTES];
    BT_TRY(bt_arena_printf(arena, &path, "%.*s/%.*s", BT_STR_ARG(dir), BT_STR_ARG(wanted->file)));
    const enum bt_status status = bt_file_read(arena, path, FILE_BYTES_MAX, &content, &why);
    if (status != BT_OK) {
        return bt_error_set(error, status, "%.*s: %s", BT_STR_ARG(wanted->file), why.text);
    }
    BT_TRY(bt_sha256_hex(content, digest));
    if (!bt_str_eq(bt_str_of(digest), wanted->sha256)) {
        return bt_error_set(error, BT_ECORRUPT,
                            "%.*s: not the published table (its SHA-256 differs)",
                            BT_STR_ARG(wanted->file));
    }
    return BT_OK;
}

enum bt_status bt_tokens_verify_table(struct bt_arena *arena, bt_str dir, enum bt_encoding encoding,
                                      struct bt_error *error)
{
    assert(arena);
    assert(encoding < BT_ENCODING__MAX);
    if (encoding == BT_ENCODING_CHARS4) {
        return BT_OK;
    }
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    const enum bt_status status = check_file(arena, dir, &encodings[encoding], error);
    bt_arena_rewind(arena, mark);
    return status;
}
