/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials.h - the file of tokens: who may call a server, and what they may do.
 *
 * The file holds digests. A token has 256 random bits, so a digest without salt is enough.
 */
#ifndef BATON_APP_SERVE_CREDENTIALS_H
#define BATON_APP_SERVE_CREDENTIALS_H

#include <baton/env.h>

enum { TOKEN_TEXT_BYTES = 46 }; /* bt_ and 43 characters, without a NUL */

/* One caller. */
struct serve_credential {
    bt_str name;
    bool is_certificate;             /* the digest is that of a public key */
    uint8_t digest[BT_SHA256_BYTES]; /* of the token's text, or of the key */
    unsigned scopes;
    const bt_str *agents; /* that it speaks for; none: for anybody */
    size_t agent_count;
    bt_str pump_client; /* "" for none */
    bt_str created;
    bt_str expires; /* "" for never */
};

struct serve_credentials {
    const struct serve_credential *items;
    size_t count;
};

/* Read a file. BT_EINVAL: it is not of the form. BT_EDENIED: it may not be read. BT_ENOENT: there
 * is none. `error` gives the reason alone. */
BT_MUST_USE enum bt_status tokens_read(struct bt_env *env, struct bt_arena *arena, bt_str path,
                                       struct serve_credentials *out, struct bt_error *error);
/* Whether nobody but its owner may read or write the file. */
bool tokens_are_private(const char *path);
/* Put the content of a file. */
void tokens_put(struct bt_buf *buf, const struct serve_credentials *tokens);

/* Whether the text may name a token. */
bool serve_credential_name_is_valid(bt_str text);
bool token_is_expired(const struct serve_credential *token, bt_instant now);

/*
 * The token whose text this is, or NULL when it is none, or expired. Every entry is compared, and
 * each in a time that does not depend on what is equal.
 */
const struct serve_credential *tokens_find(const struct serve_credentials *tokens, bt_str text,
                                           bt_instant now);

/* Make a token of 32 random bytes: the text and its digest. */
BT_MUST_USE enum bt_status serve_credential_generate(struct bt_env *env,
                                                     char out_text[TOKEN_TEXT_BYTES],
                                                     uint8_t out_digest[BT_SHA256_BYTES]);

/* The digest of the public key of a PEM certificate. BT_EINVAL: the text is none. */
BT_MUST_USE enum bt_status serve_certificate_digest(bt_str pem, uint8_t out[BT_SHA256_BYTES],
                                                    struct bt_error *error);

#endif
