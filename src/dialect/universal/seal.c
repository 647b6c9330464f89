/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.c - the hash and size of the payload, over the bytes that JavaScript would write for it.
 */
#include "dialect/universal/seal.h"

#include <assert.h>
#include <stdio.h>

enum bt_status bt_seal_of(const struct bt_doc *document, const bt_value *payload,
                          struct bt_arena *arena, struct bt_seal *out)
{
    assert(document);
    assert(payload);
    assert(out);
    struct bt_buf form;
    bt_buf_init(&form, SIZE_MAX);
    char hex[BT_SHA256_HEX_BYTES] = "";
    bt_str text;
    enum bt_status status = BT_OK;
    if (!bt_json_is_written(document, payload, BT_JSON_STRINGIFY, &text)) {
        status = bt_json_write(&form, document, payload, BT_JSON_STRINGIFY, arena, NULL);
        text = bt_buf_str(&form);
    }
    if (status == BT_OK) {
        status = bt_sha256_hex(text, hex);
    }
    if (status == BT_OK) {
        out->bytes = text.len;
        (void)snprintf(out->hash, sizeof(out->hash), "sha256:%s", hex);
    }
    bt_buf_free(&form);
    return status;
}
