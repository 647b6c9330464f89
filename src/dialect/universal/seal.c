/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.c - the hash and size of the payload, over the bytes that JavaScript would write for it.
 */
#include "dialect/universal/seal.h"

#include <assert.h>
#include <string.h>

enum bt_status bt_universal_seal_info_of(const struct bt_json_doc *document,
                                         const bt_json_value *payload, struct bt_arena *arena,
                                         struct bt_universal_seal_info *out)
{
    assert(document);
    assert(payload);
    assert(out);
    struct bt_buf form;
    bt_buf_init(&form, SIZE_MAX);
    static const bt_str prefix = BT_STR_INIT("sha256:");
    bt_str text;
    enum bt_status status = BT_OK;
    if (!bt_json_source_has_form(document, payload, BT_JSON_FORM_STRINGIFY, &text)) {
        status = bt_json_write(&form, document, payload, BT_JSON_FORM_STRINGIFY, arena, NULL);
        text = bt_buf_str(&form);
    }
    if (status == BT_OK) {
        out->bytes = text.len;
        memcpy(out->hash, prefix.ptr, prefix.len);
        status = bt_sha256_hex(text, out->hash + prefix.len);
    }
    bt_buf_free(&form);
    return status;
}
