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

bool http_field(const struct http_request *request, const char *name, bt_str *out)
{
    const bt_str wanted = bt_str_of(name);
    for (size_t i = 0; i < request->field_count; i++) {
        if (bt_str_eq(request->fields[i].name, wanted)) {
            *out = request->fields[i].value;
            return true;
        }
    }
    return false;
}

bt_str http_field_text(const struct http_request *request, const char *name)
{
    bt_str value = BT_STR("");
    (void)http_field(request, name, &value);
    return value;
}

size_t http_field_count(const struct http_request *request, const char *name)
{
    const bt_str wanted = bt_str_of(name);
    size_t count = 0;
    for (size_t i = 0; i < request->field_count; i++) {
        count += bt_str_eq(request->fields[i].name, wanted) ? 1 : 0;
    }
    return count;
}

bt_str http_trim(bt_str text)
{
    size_t from = 0;
    while (from < text.len && bt_ascii_is_blank(text.ptr[from])) {
        from++;
    }
    while (text.len > from && bt_ascii_is_blank(text.ptr[text.len - 1])) {
        text.len--;
    }
    return bt_str_slice(text, from, text.len);
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
