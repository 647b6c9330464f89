/* SPDX-License-Identifier: Apache-2.0 */
/* cose.c - COSE receipts read, and their signatures verified. */
#include "ledger/cose.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "cbor/cbor.h"
#include "ledger/cose_labels.h"
#include "ledger/ed25519.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { FIRST_BYTE = 0xd2, SIGNED_BYTES_MAX = 2 * BT_RECEIPT_BYTES_MAX };

static const struct bt_cose_fault no_fault = {0, NULL};

static struct bt_cose_fault fault_of_shape(const char *why)
{
    return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_SHAPE, why};
}

bool bt_cose_recognise(bt_str bytes)
{
    return bytes.len > 0 && (unsigned char)bytes.ptr[0] == FIRST_BYTE;
}

/* Check an item that is in a byte string, where no tag is allowed. NULL, or what is wrong. */
static const char *check_wrapped(bt_str bytes)
{
    const char *why = bt_cbor_check(bytes);
    return why || bt_cbor_read(bytes).type != BT_CBOR_TAG ? why : "a tag is not around the whole";
}

struct bt_cose_fault bt_cose_split(bt_str bytes, struct bt_cose_parts *out)
{
    assert(out);
    const char *why = bt_cbor_check(bytes);
    if (why) {
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_CBOR, why};
    }
    const struct bt_cbor_item tag = bt_cbor_read(bytes);
    const struct bt_cbor_item array = bt_cbor_read(tag.content);
    bt_str rest = array.content;
    if (tag.type != BT_CBOR_TAG || tag.number != BT_COSE_SIGN1_TAG || array.type != BT_CBOR_ARRAY ||
        array.number != 4 || !bt_cbor_next(&rest, &out->headers) ||
        !bt_cbor_next(&rest, &out->unprotected) || !bt_cbor_next(&rest, &out->payload) ||
        !bt_cbor_next(&rest, &out->signature)) {
        return fault_of_shape("it is not a COSE_Sign1, an array of 4 with tag 18");
    }
    if (!bt_cbor_read_string(out->signature, BT_CBOR_BYTES, &out->signature) ||
        out->signature.len != BT_SIGNATURE_BYTES) {
        return fault_of_shape("its signature is not 64 bytes");
    }
    if (!bt_cbor_read_string(out->headers, BT_CBOR_BYTES, &out->headers) ||
        bt_cbor_read(out->unprotected).type != BT_CBOR_MAP) {
        return fault_of_shape("its headers are not a byte string and a map");
    }
    why = check_wrapped(out->headers);
    if (why) {
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_CBOR, why};
    }
    return bt_cbor_read(out->headers).type == BT_CBOR_MAP
               ? no_fault
               : fault_of_shape("its protected header is not a map");
}

bool bt_cose_find_string(bt_str map, int64_t label, enum bt_cbor_type type, bt_str *out)
{
    bt_str value;
    return bt_cbor_find(map, label, &value) && bt_cbor_read_string(value, type, out);
}

/* A label may be in one of the two headers only (RFC 9052 section 3), and ours has its place. */
static bool labels_are_misplaced(const struct bt_cose_parts *parts)
{
    static const int64_t protected_labels[] = {BT_COSE_ALG, BT_COSE_KID, BT_COSE_CLAIMS,
                                               BT_COSE_TYP, BT_COSE_VDS};
    static const int64_t unprotected_labels[] = {BT_COSE_VDP, BT_COSE_ENTRY, BT_COSE_CHECKPOINT};
    bt_str value;
    for (size_t i = 0; i < COUNT_OF(protected_labels); i++) {
        if (bt_cbor_find(parts->unprotected, protected_labels[i], &value)) {
            return true;
        }
    }
    for (size_t i = 0; i < COUNT_OF(unprotected_labels); i++) {
        if (bt_cbor_find(parts->headers, unprotected_labels[i], &value)) {
            return true;
        }
    }
    return false;
}

static struct bt_cose_fault read_protected(const struct bt_cose_parts *parts,
                                           struct bt_cose_receipt *out)
{
    const bt_str headers = parts->headers;
    bt_str value;
    bt_str type;
    if (bt_cbor_find(headers, BT_COSE_CRIT, &value) ||
        bt_cbor_find(parts->unprotected, BT_COSE_CRIT, &value)) {
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_CRITICAL,
                                      "it has critical headers, which this program does not know"};
    }
    if (!bt_cbor_find(headers, BT_COSE_ALG, &value) ||
        (!bt_cbor_is_integer(value, BT_COSE_EDDSA) &&
         !bt_cbor_is_integer(value, BT_COSE_ED25519))) {
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_ALGORITHM,
                                      "its alg is neither -8 nor -19"};
    }
    if (!bt_cbor_find(headers, BT_COSE_VDS, &value) ||
        !bt_cbor_is_integer(value, BT_COSE_RFC9162_SHA256)) {
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_TREE,
                                      "its tree is not RFC9162_SHA256, number 1 at label 395"};
    }
    if (!bt_cose_find_string(headers, BT_COSE_TYP, BT_CBOR_TEXT, &type)) {
        type = BT_STR("");
    }
    out->is_about_statement = bt_str_eq(type, BT_STR(BT_COSE_STATEMENT_RECEIPT_TYPE));
    if (!out->is_about_statement && !bt_str_eq(type, BT_STR(BT_COSE_RECEIPT_TYPE))) {
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_TYPE,
                                      "its typ is neither " BT_COSE_RECEIPT_TYPE
                                      " nor " BT_COSE_STATEMENT_RECEIPT_TYPE};
    }
    if (!bt_cose_find_string(headers, BT_COSE_KID, BT_CBOR_BYTES, &out->kid) ||
        out->kid.len != BT_HASH_BYTES) {
        return fault_of_shape("its kid is not 32 bytes");
    }
    if (!bt_cbor_find(headers, BT_COSE_CLAIMS, &value) ||
        !bt_cose_find_string(value, BT_COSE_ISSUER, BT_CBOR_TEXT, &out->issuer) ||
        !bt_cose_find_string(value, BT_COSE_SUBJECT, BT_CBOR_TEXT, &out->subject)) {
        return fault_of_shape("its claims have no texts for issuer and subject");
    }
    return labels_are_misplaced(parts) ? fault_of_shape("a label is in the wrong header")
                                       : no_fault;
}

/* Read [HASH...]. */
static bool read_hashes(bt_str item, struct bt_merkle_proof *out)
{
    const struct bt_cbor_item array = bt_cbor_read(item);
    bt_str rest = array.content;
    if (array.type != BT_CBOR_ARRAY || array.number > BT_TREE_DEPTH_MAX) {
        return false;
    }
    out->count = (size_t)array.number;
    for (size_t i = 0; i < out->count; i++) {
        bt_str value;
        bt_str hash;
        if (!bt_cbor_next(&rest, &value) || !bt_cbor_read_string(value, BT_CBOR_BYTES, &hash) ||
            hash.len != BT_HASH_BYTES) {
            return false;
        }
        memcpy(out->hashes[i].bytes, hash.ptr, BT_HASH_BYTES);
    }
    return true;
}

static bool read_number(bt_str *rest, uint64_t *out)
{
    bt_str value;
    if (!bt_cbor_next(rest, &value)) {
        return false;
    }
    const struct bt_cbor_item item = bt_cbor_read(value);
    *out = item.number;
    return item.type == BT_CBOR_UNSIGNED && item.number <= INT64_MAX;
}

/* Read {-1: [<< [SIZE, SEQ, [HASH...]] >>]}. */
static struct bt_cose_fault read_proof(bt_str unprotected, struct bt_receipt *out,
                                       struct bt_cose_receipt *out_cose)
{
    bt_str proofs;
    bt_str list;
    bt_str proof;
    bt_str hashes;
    if (!bt_cbor_find(unprotected, BT_COSE_VDP, &proofs) || bt_cbor_read(proofs).number != 1 ||
        !bt_cbor_find(proofs, BT_COSE_INCLUSION, &list) ||
        bt_cbor_read(list).type != BT_CBOR_ARRAY || bt_cbor_read(list).number != 1 ||
        !bt_cbor_read_string(bt_cbor_read(list).content, BT_CBOR_BYTES, &proof)) {
        return fault_of_shape("it does not have exactly one inclusion proof");
    }
    const char *why = check_wrapped(proof);
    if (why) {
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_CBOR, why};
    }
    const struct bt_cbor_item array = bt_cbor_read(proof);
    bt_str rest = array.content;
    if (array.type != BT_CBOR_ARRAY || array.number != 3 || !read_number(&rest, &out_cose->size) ||
        !read_number(&rest, &out->index) || !bt_cbor_next(&rest, &hashes) ||
        !read_hashes(hashes, &out->proof)) {
        return fault_of_shape("its proof is not a size, an index and at most 63 hashes");
    }
    return no_fault;
}

/* Read the entry and the checkpoint, both of which may be absent. */
static struct bt_cose_fault read_contents(bt_str unprotected, struct bt_receipt *out,
                                          bool is_about_statement)
{
    bt_str value;
    out->has_entry = bt_cbor_find(unprotected, BT_COSE_ENTRY, &value);
    if (out->has_entry && is_about_statement) { /* it is that of a decision, by another name */
        return (struct bt_cose_fault){BT_RECEIPT_SYNTAX_COSE_REASON_TYPE,
                                      "its typ is that of a statement, and it carries an entry"};
    }
    if (out->has_entry && !bt_cbor_read_string(value, BT_CBOR_BYTES, &out->entry)) {
        return fault_of_shape("its entry is not a byte string");
    }
    if (bt_cbor_find(unprotected, BT_COSE_CHECKPOINT, &value) &&
        !bt_cbor_read_string(value, BT_CBOR_TEXT, &out->checkpoint)) {
        return fault_of_shape("its checkpoint is not a text");
    }
    return no_fault;
}

static bool is_null(bt_str item)
{
    const struct bt_cbor_item value = bt_cbor_read(item);
    return value.type == BT_CBOR_SIMPLE && value.number == BT_CBOR_NULL;
}

struct bt_cose_fault bt_cose_read(bt_str bytes, struct bt_receipt *out,
                                  struct bt_cose_receipt *out_cose)
{
    assert(out);
    assert(out_cose);
    struct bt_cose_parts parts;
    *out = (struct bt_receipt){
        .form = BT_RECEIPT_COSE, .entry = BT_STR(""), .checkpoint = BT_STR_ABSENT};
    if (bytes.len > BT_RECEIPT_BYTES_MAX) {
        return fault_of_shape("it is longer than 256 KiB");
    }
    struct bt_cose_fault fault = bt_cose_split(bytes, &parts);
    if (!fault.reason && !is_null(parts.payload)) {
        fault = fault_of_shape("its payload is not null");
    }
    if (!fault.reason) {
        fault = read_protected(&parts, out_cose);
    }
    if (!fault.reason) {
        fault = read_proof(parts.unprotected, out, out_cose);
    }
    if (!fault.reason) {
        fault = read_contents(parts.unprotected, out, out_cose->is_about_statement);
        out_cose->headers = parts.headers;
        out_cose->signature = parts.signature;
    }
    return fault;
}

void bt_cose_put_signed(struct bt_buf *buf, bt_str headers, bt_str payload)
{
    bt_cbor_put_head(buf, BT_CBOR_ARRAY, 4);
    bt_cbor_put_string(buf, BT_CBOR_TEXT, BT_STR("Signature1"));
    bt_cbor_put_string(buf, BT_CBOR_BYTES, headers);
    bt_cbor_put_string(buf, BT_CBOR_BYTES, BT_STR(""));
    bt_cbor_put_string(buf, BT_CBOR_BYTES, payload);
}

enum bt_status bt_cose_verify(const struct bt_cose_receipt *cose, const struct bt_merkle_hash *root,
                              const struct bt_vkey *vkey, bool *out_valid)
{
    assert(cose->signature.len == BT_SIGNATURE_BYTES);
    uint8_t signature[BT_SIGNATURE_BYTES];
    struct bt_buf message;
    memcpy(signature, cose->signature.ptr, sizeof(signature));
    bt_buf_init(&message, SIGNED_BYTES_MAX);
    bt_cose_put_signed(&message, cose->headers, (bt_str){(const char *)root->bytes, BT_HASH_BYTES});
    const enum bt_status status =
        message.status == BT_OK ? bt_vkey_verify(vkey, bt_buf_str(&message), signature, out_valid)
                                : message.status;
    bt_buf_free(&message);
    return status;
}

void bt_cose_thumbprint(const struct bt_vkey *vkey, struct bt_merkle_hash *out)
{
    /* {1: 1, -1: 6, -2: PUBLIC}: key type OKP, curve Ed25519, the public key */
    char bytes[8 + BT_KEY_BYTES] = "\xa3\x01\x01\x20\x06\x21\x58\x20";
    memcpy(bytes + 8, vkey->key, BT_KEY_BYTES);
    bt_merkle_hash_plain((bt_str){bytes, sizeof(bytes)}, out);
}
