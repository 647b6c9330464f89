/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - accessors of a request. */
#include <assert.h>

#include "base/ascii.h"
#include "http/chars.h"
#include "http/http.h"

bt_str http_method_name(enum http_method method)
{
    static const bt_str names[] = {
        BT_STR_INIT(""),    BT_STR_INIT("GET"),    BT_STR_INIT("HEAD"),  BT_STR_INIT("POST"),
        BT_STR_INIT("PUT"), BT_STR_INIT("DELETE"), BT_STR_INIT("PATCH"), BT_STR_INIT("OPTIONS"),
    };
    return names[method];
}

enum bt_status http_decode(struct bt_arena *arena, bt_str text, bool plus, bt_str *out)
{
    char *bytes = bt_arena_alloc(arena, text.len + 1);
    size_t length = 0;
    if (!bytes) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        if (byte == '%') {
            const int high = i + 2 < text.len ? bt_ascii_hex_value(text.ptr[i + 1]) : -1;
            const int low = high >= 0 ? bt_ascii_hex_value(text.ptr[i + 2]) : -1;
            if (low < 0 || (high == 0 && low == 0)) {
                return BT_EINVAL;
            }
            byte = (char)(unsigned char)(high << 4 | low);
            i += 2;
        } else if (byte == '+' && plus) {
            byte = ' ';
        }
        bytes[length++] = byte;
    }
    bytes[length] = '\0';
    *out = (bt_str){bytes, length};
    return BT_OK;
}
