/* SPDX-License-Identifier: Apache-2.0 */
/* statement.c - signed statements of others, read strictly, and as leaves of a log. */
#include "ledger/statement.h"

#include <assert.h>

#include "base/buf.h"
#include "cbor/cbor.h"
#include "ledger/cose.h"
#include "ledger/cose_labels.h"

enum { OVERHEAD_BYTES_MAX = 64 };

static struct bt_statement_fault refuse_with(const char *why)
{
    return (struct bt_statement_fault){BT_STATEMENT_REJECTED, why};
}

/* The labels that count stand in the protected header, and nowhere else. */
static bool has_unsigned_label(bt_str unprotected)
{
    static const int64_t labels[] = {BT_COSE_ALG, BT_COSE_CRIT, BT_COSE_KID, BT_COSE_CLAIMS};
    bt_str value;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        if (bt_cbor_find(unprotected, labels[i], &value)) {
            return true;
        }
    }
    return false;
}

static bool is_claim(bt_str text)
{
    return text.len > 0 && text.len <= BT_STATEMENT_CLAIM_MAX;
}

static struct bt_statement_fault read_algorithm(bt_str headers, int64_t *out)
{
    static const int64_t known[] = {BT_COSE_EDDSA, BT_COSE_ED25519, BT_COSE_ES256};
    bt_str value;
    const bool has_one = bt_cbor_find(headers, BT_COSE_ALG, &value);
    for (size_t i = 0; has_one && i < sizeof(known) / sizeof(known[0]); i++) {
        if (bt_cbor_is_integer(value, known[i])) {
            *out = known[i];
            return (struct bt_statement_fault){BT_STATEMENT_FINE, ""};
        }
    }
    return (struct bt_statement_fault){BT_STATEMENT_BAD_ALGORITHM,
                                       "its alg is none of -8, -19 and -7"};
}

static struct bt_statement_fault read_headers(bt_str headers, struct bt_signed_statement *out)
{
    bt_str value;
    if (bt_cbor_find(headers, BT_COSE_CRIT, &value)) {
        return refuse_with("it has critical headers, which this program does not know");
    }
    if (!bt_cose_find_string(headers, BT_COSE_KID, BT_CBOR_BYTES, &out->kid) ||
        out->kid.len != BT_HASH_BYTES) {
        return refuse_with("its protected header has no kid of 32 bytes");
    }
    if (!bt_cbor_find(headers, BT_COSE_CLAIMS, &value) ||
        !bt_cose_find_string(value, BT_COSE_ISSUER, BT_CBOR_TEXT, &out->issuer) ||
        !bt_cose_find_string(value, BT_COSE_SUBJECT, BT_CBOR_TEXT, &out->subject) ||
        !is_claim(out->issuer) || !is_claim(out->subject)) {
        return refuse_with("its claims have no issuer and subject, texts of 1 to 1024 bytes");
    }
    return (struct bt_statement_fault){BT_STATEMENT_FINE, ""};
}

/* The size of a byte string with its head. */
static size_t string_size(bt_str content)
{
    return content.len + (content.len < 24            ? 1
                          : content.len <= UINT8_MAX  ? 2
                          : content.len <= UINT16_MAX ? 3
                                                      : 5);
}

static size_t leaf_size(const struct bt_signed_statement *statement)
{
    return 3 + string_size(statement->headers) + string_size(statement->payload) +
           string_size(statement->signature); /* tag, array and an empty map */
}

struct bt_statement_fault bt_statement_read(bt_str bytes, struct bt_signed_statement *out)
{
    assert(out);
    struct bt_cose_parts parts;
    struct bt_signed_statement read = {.alg = 0};
    if (bytes.len > BT_STATEMENT_RECEIVED_MAX) {
        return refuse_with("it is longer than 256 KiB");
    }
    const struct bt_cose_fault fault = bt_cose_split(bytes, &parts);
    if (fault.reason) {
        return refuse_with(fault.why);
    }
    read.headers = parts.headers;
    read.signature = parts.signature;
    const struct bt_statement_fault algorithm = read_algorithm(parts.headers, &read.alg);
    if (algorithm.refusal) {
        return algorithm;
    }
    if (!bt_cbor_read_string(parts.payload, BT_CBOR_BYTES, &read.payload)) {
        return (struct bt_statement_fault){BT_STATEMENT_NO_PAYLOAD,
                                           "its payload is not attached as a byte string"};
    }
    const struct bt_statement_fault headers = read_headers(parts.headers, &read);
    if (headers.refusal) {
        return headers;
    }
    if (has_unsigned_label(parts.unprotected)) {
        return refuse_with("a label that has to be signed is in its unprotected header");
    }
    if (leaf_size(&read) > BT_STATEMENT_BYTES_MAX) {
        return refuse_with("without its unprotected header it is longer than 65535 bytes");
    }
    *out = read;
    return headers;
}

struct bt_statement_fault bt_statement_read_leaf(bt_str leaf, struct bt_signed_statement *out)
{
    const struct bt_statement_fault fault = bt_statement_read(leaf, out);
    return fault.refusal || leaf_size(out) == leaf.len
               ? fault
               : refuse_with("its unprotected header is not empty");
}

void bt_statement_put_leaf(struct bt_buf *buf, const struct bt_signed_statement *statement)
{
    assert(buf);
    assert(statement);
    bt_cbor_put_head(buf, BT_CBOR_TAG, BT_COSE_SIGN1_TAG);
    bt_cbor_put_head(buf, BT_CBOR_ARRAY, 4);
    bt_cbor_put_string(buf, BT_CBOR_BYTES, statement->headers);
    bt_cbor_put_head(buf, BT_CBOR_MAP, 0);
    bt_cbor_put_string(buf, BT_CBOR_BYTES, statement->payload);
    bt_cbor_put_string(buf, BT_CBOR_BYTES, statement->signature);
}

enum bt_status bt_statement_leaf(struct bt_arena *arena,
                                 const struct bt_signed_statement *statement, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, BT_STATEMENT_BYTES_MAX);
    bt_statement_put_leaf(&buf, statement);
    return bt_buf_finish(&buf, arena, out);
}

void bt_statement_put_signed(struct bt_buf *buf, const struct bt_signed_statement *statement)
{
    bt_cose_put_signed(buf, statement->headers, statement->payload);
}

enum bt_status bt_statement_digest(const struct bt_signed_statement *statement,
                                   struct bt_merkle_hash *out)
{
    struct bt_buf message;
    bt_buf_init(&message, BT_STATEMENT_BYTES_MAX + OVERHEAD_BYTES_MAX);
    bt_statement_put_signed(&message, statement);
    const enum bt_status status = message.status;
    if (status == BT_OK) {
        bt_merkle_hash_plain(bt_buf_str(&message), out);
    }
    bt_buf_free(&message);
    return status;
}
