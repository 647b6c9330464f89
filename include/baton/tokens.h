/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokens.h - how many tokens a text is, exactly. Needs only base.h.
 *
 *     struct bt_tokens counter;
 *     bt_tokens_init(&counter, BT_ENCODING_O200K_BASE);
 *     if (bt_tokens_count(&counter, text, &count) == BT_OK) {
 *         ...
 *     }
 *     bt_tokens_free(&counter);
 *
 * The count is that of tiktoken's encode_ordinary: what looks like a special token is ordinary
 * text. The tables are constants of the library, so a counter is made in no time; it remembers the
 * pieces of text that it has met, so keep one for many texts.
 *
 * Texts are well-formed UTF-8. A surrogate in three bytes (ED A0..BF xx), as the JSON reader leaves
 * a lone \uD800, is counted as U+FFFD would be. For other bytes the count is without meaning,
 * though never a fault. The time is linear in the text, whatever it says.
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

enum bt_encoding {
    BT_ENCODING_O200K_BASE = 0,
    BT_ENCODING_CL100K_BASE,
    BT_ENCODING_CHARS4, /* no tokens at all: the bytes divided by four */
    BT_ENCODING__MAX,
};

/* "o200k_base", "cl100k_base", "chars4". */
BT_API bt_str bt_encoding_name(enum bt_encoding encoding);
/* The encoding of that name. BT_EINVAL: there is none. */
BT_API BT_MUST_USE enum bt_status bt_encoding_parse(bt_str name, enum bt_encoding *out);

/* The estimate that needs no table: a quarter of the bytes, rounded down. */
BT_API uint64_t bt_tokens_estimate(bt_str text);

/*
 * Is `DIR/NAME.tiktoken` the published table of the encoding? Its SHA-256 is compared with the
 * constant that is known here; a file that passes says byte for byte what the library's own table
 * says, so nothing of it is kept. `arena` is working memory, rewound at the end. Always BT_OK for
 * BT_ENCODING_CHARS4, which has no table.
 *
 * BT_ENOENT, BT_EDENIED, BT_EIO: there is no file that can be read; BT_ECORRUPT: it is another one.
 * These mean that the tokens cannot be counted with that folder, error->text (may be NULL) says why
 * in a few words, and the estimate is what remains. BT_ENOMEM: as always.
 */
BT_API BT_MUST_USE enum bt_status bt_tokens_verify_table(struct bt_arena *arena, bt_str dir,
                                                         enum bt_encoding encoding,
                                                         struct bt_error *error);

/* ---- Counting -------------------------------------------------------------------------------- */

struct bt_tokens_cache;

/* A counter: an encoding and what it remembers. The members are its own. */
struct bt_tokens {
    enum bt_encoding encoding;
    struct bt_arena arena;
    struct bt_arena work;          /* for one text at a time */
    struct bt_tokens_cache *cache; /* made by the first count */
};

/* Make a counter. Takes no memory yet. */
BT_API void bt_tokens_init(struct bt_tokens *counter, enum bt_encoding encoding);
/* Give everything back; the counter may be used again. */
BT_API void bt_tokens_free(struct bt_tokens *counter);

/* The exact number of tokens; for BT_ENCODING_CHARS4 the estimate. BT_ENOMEM: there was no memory
 * to count with, of which a text needs 17 bytes for each byte of its longest word, if that is a
 * long one. */
BT_API BT_MUST_USE enum bt_status bt_tokens_count(struct bt_tokens *counter, bt_str text,
                                                  uint64_t *out_count);

/* Are there at most `budget` tokens? The same answer as that of a count, found as soon as it is
 * certain: often from the size alone. BT_ENOMEM as above. */
BT_API BT_MUST_USE enum bt_status bt_tokens_fit_budget(struct bt_tokens *counter, bt_str text,
                                                       uint64_t budget, bool *out_within);

#ifdef __cplusplus
}
#endif

#endif
