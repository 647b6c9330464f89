/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.c - names in a document that was read already.
 */
#include "report/identity.h"

#include <assert.h>

void bt_identity_read_name(const struct bt_json_doc *document, bt_str pointer, bt_str *out)
{
    assert(document);
    assert(out);
    const bt_json_value *value = bt_json_resolve(document, bt_json_root(document), pointer);
    if (value && bt_json_type(value) == BT_JSON_STRING) {
        *out = bt_json_text(value).len > 0 ? bt_json_text(value) : BT_STR(" ");
    }
}
