/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.h - count the tokens of a text exactly. Needs only base.h.
 *
 *     struct bt_tokens *counter = NULL;
 *     if (bt_tokens_create(BT_ENCODING_O200K_BASE, &counter) == BT_OK &&
 *         bt_tokens_count(counter, text, &count) == BT_OK) {
 *         ...
 *     }
 *     bt_tokens_destroy(counter);
 *
 * The count equals that of tiktoken's encode_ordinary: special tokens are treated as ordinary text.
 * The tables are constants of the library, so making a counter costs nothing; it caches pieces of
 * text that it has counted, so use one counter for many texts.
 *
 * Texts must be well-formed UTF-8. A surrogate in three bytes (ED A0..BF xx), which the JSON reader
 * makes of a lone \uD800, is counted like U+FFFD. For other bytes the count is meaningless but
 * safe. The time is linear in the length of every text.
 *
 * Threads: a counter may be used by one thread at a time; the tables are shared by all.
 */
#ifndef BATON_TOKENS_H
#define BATON_TOKENS_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Encodings ------------------------------------------------------------------------------- */

/* How texts are split into tokens. */
enum bt_encoding {
    BT_ENCODING_O200K_BASE = 0,
    BT_ENCODING_CL100K_BASE = 1,
    BT_ENCODING_CHARS4 = 2, /* an estimate: the number of bytes divided by four */
};

/* "o200k_base", "cl100k_base" or "chars4"; a constant. */
BT_API bt_str bt_encoding_name(enum bt_encoding encoding);
/* The encoding of that name. BT_EINVAL: the name is unknown. */
BT_API BT_MUST_USE enum bt_status bt_encoding_parse(bt_str name, enum bt_encoding *out);

/* The estimate without a table: a quarter of the bytes, rounded down. */
BT_API uint64_t bt_tokens_estimate(bt_str text);

/*
 * Check that `DIR/NAME.tiktoken` is the published table of the encoding by comparing its SHA-256
 * with a constant. A table that passes equals the library's own, so it is not loaded. `arena` is
 * working memory and is rewound. Always BT_OK for BT_ENCODING_CHARS4, which has no table.
 *
 * BT_ENOENT, BT_EDENIED, BT_EIO: the file cannot be read. BT_ECORRUPT: its content differs. After
 * these statuses tokens cannot be counted with that directory, only estimated; `error` (may be
 * NULL) gives the reason. BT_ENOMEM: the arena reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_tokens_verify_table(struct bt_arena *arena, bt_str dir,
                                                         enum bt_encoding encoding,
                                                         struct bt_error *error);

/* ---- Counting -------------------------------------------------------------------------------- */

/* A counter: an encoding and its cache. */
struct bt_tokens;

/*
 * Make a counter. On BT_OK the caller destroys *out with bt_tokens_destroy(). BT_EINVAL: there is
 * no such encoding. BT_ENOMEM: no memory.
 */
BT_API BT_MUST_USE enum bt_status bt_tokens_create(enum bt_encoding encoding,
                                                   struct bt_tokens **out);
/* Destroy it. NULL is allowed. */
BT_API void bt_tokens_destroy(struct bt_tokens *counter);

/*
 * Count the tokens; for BT_ENCODING_CHARS4 estimate them. BT_ENOMEM: not enough memory; a long word
 * needs 17 bytes of it for each of its bytes. BT_ENOENT: this build has no table of the encoding.
 */
BT_API BT_MUST_USE enum bt_status bt_tokens_count(struct bt_tokens *counter, bt_str text,
                                                  uint64_t *out_count);

/*
 * Set *out_within when the text has at most `budget` tokens. Gives the same answer as
 * bt_tokens_count(), but stops as soon as it is certain, often from the size alone. BT_ENOMEM: not
 * enough memory. BT_ENOENT: this build has no table of the encoding.
 */
BT_API BT_MUST_USE enum bt_status bt_tokens_fit_budget(struct bt_tokens *counter, bt_str text,
                                                       uint64_t budget, bool *out_within);

#ifdef __cplusplus
}
#endif

#endif
