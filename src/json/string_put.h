/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_put.h - strings as JSON writes them; text -> quoted, escaped text.
 */
#ifndef BATON_SRC_JSON_STRING_PUT_H
#define BATON_SRC_JSON_STRING_PUT_H

#include <baton/base.h>

/* Whether all of it is ASCII that needs no escape. */
bool bt_json_string_needs_no_escape(bt_str text);
/* The bytes that the escapes of quotes, backslashes and control characters add. */
size_t bt_json_string_count_escapes(bt_str text);
static inline bool bt_json_string_is_ascii(bt_str text)
{
    unsigned char all = 0;
    for (size_t i = 0; i < text.len; i++) {
        all |= (unsigned char)text.ptr[i];
    }
    return all < 0x80;
}
/* Like bt_json_put_string(), without the quotes. */
void bt_json_put_escaped(struct bt_buf *buf, bt_str text);
/* Put a string as JSON escapes it; the text is known to be well-formed UTF-8, which saves the
 * check. */
void bt_json_put_escaped_utf8(struct bt_buf *buf, bt_str text);

#endif
