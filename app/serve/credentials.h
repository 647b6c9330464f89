/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials.h - the credentials file: who may call the server, and what they may do.
 *
 * The file holds digests. A token has 256 random bits, so a digest without salt is enough.
 */
#ifndef BATON_APP_SERVE_CREDENTIALS_H
#define BATON_APP_SERVE_CREDENTIALS_H

#include "base/env.h"

enum { TOKEN_TEXT_BYTES = 46 }; /* bt_ and 43 characters, without a NUL */

/* The credential of one caller. */
struct serve_credential {
    bt_str name;
    bool is_certificate;             /* the digest is that of a public key */
    uint8_t digest[BT_SHA256_BYTES]; /* of the token's text, or of the key */
    unsigned scopes;
    const bt_str *agents; /* that it may represent; none: any agent */
    size_t agent_count;
    bt_str pump_client; /* "": none */
    const bt_str *logs; /* that it may use besides the default one; "*": all of them */
    size_t log_count;
    bt_str created;
    bt_str expires; /* "": never */
};

struct serve_credentials {
    const struct serve_credential *items;
    size_t count;
};

/*
 * Read a file into the arena. BT_EINVAL: malformed. BT_EDENIED: not readable. BT_ENOENT: there is
 * none. `error` gives the reason without the path.
 */
BT_MUST_USE enum bt_status tokens_read(struct bt_env *env, struct bt_arena *arena, bt_str path,
                                       struct serve_credentials *out, struct bt_error *error);
/* Put the member `logs` of a credential that has any. */
struct bt_emit;
void serve_credential_put_logs(struct bt_emit *emit, const struct serve_credential *token);
/* True when only its owner may read and write the file. */
bool tokens_are_private(const char *path);
/* Put the content of a file. Failures stick to the buffer. */
void tokens_put(struct bt_buf *buf, const struct serve_credentials *tokens);

/* True when the text is valid as the name of a credential. */
bool serve_credential_name_is_valid(bt_str text);
/* True when the text names logs that a credential may use: one of them, or `*` for all. */
bool serve_credential_log_is_valid(bt_str text);
/* True when the credential is good for a log that is not the default one. */
bool serve_credential_has_log(const struct serve_credential *token, bt_str log);
/* True when the credential has expired. */
bool token_is_expired(const struct serve_credential *token, bt_instant now);

/*
 * The credential of this token, or NULL when there is none or it has expired. Every entry is
 * compared, each in constant time.
 */
const struct serve_credential *tokens_find(const struct serve_credentials *tokens, bt_str text,
                                           bt_instant now);

/*
 * Make a token of 32 random bytes: its text and its digest. BT_EIO: the system gives no
 * randomness, or libcrypto failed.
 */
BT_MUST_USE enum bt_status serve_credential_generate(struct bt_env *env,
                                                     char out_text[TOKEN_TEXT_BYTES],
                                                     uint8_t out_digest[BT_SHA256_BYTES]);

/* The digest of the public key of a PEM certificate. BT_EINVAL: the text is not a certificate. */
BT_MUST_USE enum bt_status serve_certificate_digest(bt_str pem, uint8_t out[BT_SHA256_BYTES],
                                                    struct bt_error *error);

#endif
