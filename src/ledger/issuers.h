/* SPDX-License-Identifier: Apache-2.0 */
/*
 * issuers.h - whose statements a log takes: names and keys, from PEM files.
 *
 * The kid of a key is its COSE thumbprint (RFC 9679).
 */
#ifndef BATON_SRC_LEDGER_ISSUERS_H
#define BATON_SRC_LEDGER_ISSUERS_H

#include "ledger/statement.h"

enum { BT_ISSUERS_MAX = 64, BT_ISSUERS_TEXT_MAX = 48 << 10, BT_ISSUER_KEY_BYTES_MAX = 128 };

enum bt_issuer_key_kind { BT_ISSUER_KEY_ED25519 = 1, BT_ISSUER_KEY_P256 };

/* A plain value: the public key as SubjectPublicKeyInfo. */
struct bt_issuer_key {
    enum bt_issuer_key_kind kind;
    struct bt_merkle_hash kid;
    size_t size;
    uint8_t spki[BT_ISSUER_KEY_BYTES_MAX];
};

struct bt_issuer {
    bt_str name; /* claim 1 of its statements */
    struct bt_issuer_key key;
};

/* All of them, sorted by name and kid; it lives in one arena. */
struct bt_issuers {
    const struct bt_issuer *items;
    size_t count;
    bt_str text; /* JSON array of {"iss","key","kid"}, as a log registers it */
};

/* A name and the content of a PEM file with one public key. */
struct bt_issuer_source {
    bt_str name;
    bt_str pem;
};

/* Read the keys. BT_EINVAL: a name or a key cannot be used, or is there twice; `error` says which
 * and why. */
BT_MUST_USE enum bt_status bt_issuers_read(struct bt_arena *arena,
                                           const struct bt_issuer_source *sources, size_t count,
                                           struct bt_issuers *out, struct bt_error *error);
/*
 * Check whether a listed issuer has signed the statement with a listed key. BT_OK: *out says.
 * BT_ENOMEM or BT_EIO: it could not be verified.
 */
BT_MUST_USE enum bt_status bt_issuers_judge(const struct bt_issuers *issuers,
                                            const struct bt_signed_statement *statement,
                                            struct bt_statement_fault *out);

#endif
