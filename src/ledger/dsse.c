/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dsse.c - envelopes parsed and verified.
 *
 * The signed bytes begin with "DSSEv1 " and so can never be mistaken for a note, whose first line
 * is an origin without spaces.
 */
#include "ledger/dsse.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "ledger/dsse_names.h"
#include "ledger/ed25519.h"

void bt_dsse_put_signed(struct bt_buf *buf, bt_str payload)
{
    bt_buf_printf(buf, "DSSEv1 %zu " BT_DSSE_PAYLOAD_TYPE " %zu ", sizeof(BT_DSSE_PAYLOAD_TYPE) - 1,
                  payload.len);
    bt_buf_put(buf, payload);
}

bool bt_dsse_recognise(const struct bt_json_doc *document)
{
    assert(document);
    return bt_json_get(document, bt_json_root(document), BT_STR("payloadType")) != NULL;
}

/* The only item of a list, or NULL. */
static const bt_json_value *only_item(const bt_json_value *array)
{
    return array && bt_json_type(array) == BT_JSON_ARRAY && bt_json_count(array) == 1
               ? bt_json_items(array)
               : NULL;
}

/* Read one signature; false when it is not an object of keyid and base64. Signatures of other
 * keys may be of another kind. */
static bool read_signature(const struct bt_json_doc *document, const bt_json_value *item,
                           struct bt_dsse_signature *out)
{
    const bt_json_value *key_id = bt_json_get(document, item, BT_STR("keyid"));
    const bt_json_value *sig = bt_json_get(document, item, BT_STR("sig"));
    if (!key_id || bt_json_type(key_id) != BT_JSON_STRING || !sig ||
        bt_json_type(sig) != BT_JSON_STRING || bt_json_count(item) != 2) {
        return false;
    }
    const size_t size = bt_base64_decoded_size(bt_json_text(sig));
    out->key_id = bt_json_text(key_id);
    out->is_ed25519 = size == BT_SIGNATURE_BYTES;
    if (out->is_ed25519) {
        bt_base64_decode(bt_json_text(sig), out->bytes);
    }
    return size != SIZE_MAX;
}

static bool read_signatures(const struct bt_json_doc *document, const bt_json_value *list,
                            struct bt_dsse *out)
{
    if (!list || bt_json_type(list) != BT_JSON_ARRAY || bt_json_count(list) == 0 ||
        bt_json_count(list) > BT_DSSE_SIGNATURES_MAX) {
        return false;
    }
    for (size_t i = 0; i < bt_json_count(list); i++) {
        if (!read_signature(document, &bt_json_items(list)[i], &out->signatures[i])) {
            return false;
        }
    }
    out->count = bt_json_count(list);
    return true;
}

enum bt_status bt_dsse_read(struct bt_arena *arena, const struct bt_json_doc *document,
                            struct bt_dsse *out, const char **out_reason)
{
    assert(arena);
    assert(out);
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *payload = bt_json_get(document, root, BT_STR("payload"));
    const bt_json_value *type = bt_json_get(document, root, BT_STR("payloadType"));
    const bt_json_value *signatures = bt_json_get(document, root, BT_STR("signatures"));
    *out_reason = "it is not an envelope of payload, payloadType and 1 to 64 signatures, each of "
                  "keyid and sig";
    if (bt_json_count(root) != 3 || !payload || !type ||
        !bt_str_eq(bt_json_text(type), BT_STR(BT_DSSE_PAYLOAD_TYPE)) ||
        !read_signatures(document, signatures, out)) {
        return BT_OK;
    }
    const bt_str encoded = bt_json_text(payload);
    const size_t size = bt_base64_decoded_size(encoded);
    if (bt_json_type(payload) != BT_JSON_STRING || size == SIZE_MAX) {
        *out_reason = "its payload is not base64";
        return BT_OK;
    }
    char *bytes = bt_arena_alloc(arena, size + 1);
    if (!bytes) {
        return BT_ENOMEM;
    }
    bt_base64_decode(encoded, bytes);
    out->payload = (bt_str){bytes, size};
    *out_reason = NULL;
    return BT_OK;
}

enum bt_status bt_dsse_verify(const struct bt_dsse *envelope, size_t index,
                              const struct bt_vkey *vkey, bool *out_valid)
{
    assert(envelope);
    assert(index < envelope->count);
    const struct bt_dsse_signature *signature = &envelope->signatures[index];
    *out_valid = false;
    if (!signature->is_ed25519) {
        return BT_OK;
    }
    struct bt_buf message;
    bt_buf_init(&message, (size_t)4 * BT_RECEIPT_BYTES_MAX);
    bt_dsse_put_signed(&message, envelope->payload);
    const enum bt_status status =
        message.status == BT_OK
            ? bt_vkey_verify(vkey, bt_buf_str(&message), signature->bytes, out_valid)
            : message.status;
    bt_buf_free(&message);
    return status;
}

static bool has_text(const struct bt_json_doc *document, const char *name, const char *text)
{
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), bt_str_of(name));
    return value && bt_str_eq(bt_json_text(value), bt_str_of(text));
}

enum bt_status bt_dsse_read_statement(struct bt_arena *arena, bt_str payload,
                                      struct bt_dsse_statement *out, const char **out_reason)
{
    assert(arena);
    assert(out);
    struct bt_json_read_result read = {0};
    *out_reason = "the payload is not an in-toto statement about a receipt";
    /* from: caller */
    BT_TRY(bt_json_read(arena, payload, NULL, &read));
    const bool is_svr = read.document && has_text(read.document, "predicateType", BT_DSSE_SVR_TYPE);
    if (!read.document || !has_text(read.document, "_type", BT_DSSE_STATEMENT_TYPE) ||
        (!is_svr && !has_text(read.document, "predicateType", BT_DSSE_RECEIPT_TYPE))) {
        return BT_OK;
    }
    const bt_json_value *root = bt_json_root(read.document);
    const bt_json_value *predicate = bt_json_get(read.document, root, BT_STR("predicate"));
    if (is_svr) {
        predicate = bt_json_get(read.document, predicate, BT_STR(BT_DSSE_RECEIPT_TYPE));
    }
    const bt_json_value *subject = only_item(bt_json_get(read.document, root, BT_STR("subject")));
    const bt_json_value *digest = bt_json_get(read.document, subject, BT_STR("digest"));
    const bt_json_value *sha256 = bt_json_get(read.document, digest, BT_STR("sha256"));
    if (!predicate || !sha256 || bt_json_type(sha256) != BT_JSON_STRING) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(read.document, predicate);
    out->predicate = is_svr ? BT_PREDICATE_SVR : BT_PREDICATE_RECEIPT;
    out->receipt = bt_str_slice(payload, span.begin, span.end);
    out->sha256 = bt_json_text(sha256);
    *out_reason = NULL;
    return BT_OK;
}
