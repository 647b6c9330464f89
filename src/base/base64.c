/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base64.c - three bytes, four characters, and back.
 */
#include <baton/base.h>

#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The four digits of three bytes. */
static void put_group(const char bytes[3], char out[4])
{
    const uint32_t group = (uint32_t)(unsigned char)bytes[0] << 16 |
                           (uint32_t)(unsigned char)bytes[1] << 8 | (unsigned char)bytes[2];
    out[0] = digits[group >> 18];
    out[1] = digits[group >> 12 & 63];
    out[2] = digits[group >> 6 & 63];
    out[3] = digits[group & 63];
}

void bt_base64_put(struct bt_buf *buf, bt_str bytes)
{
    assert(buf);
    assert(bytes.len <= SIZE_MAX / 2);
    const size_t left = bytes.len % 3;
    const size_t whole = bytes.len - left;
    const size_t size = whole / 3 * 4 + (left > 0 ? 4 : 0);
    char *out = size > 0 ? bt_buf_reserve(buf, size) : NULL;
    if (!out) {
        return;
    }
    for (size_t at = 0; at < whole; at += 3, out += 4) {
        put_group(bytes.ptr + at, out);
    }
    if (left > 0) {
        const char last[3] = {bytes.ptr[whole], left > 1 ? bytes.ptr[whole + 1] : '\0', '\0'};
        put_group(last, out);
        out[2] = left > 1 ? out[2] : '=';
        out[3] = '=';
    }
    buf->len += size;
}

void bt_base64url_put(struct bt_buf *buf, bt_str bytes)
{
    assert(buf);
    const size_t start = buf->len;
    bt_base64_put(buf, bytes);
    while (buf->status == BT_OK && buf->len > start && buf->ptr[buf->len - 1] == '=') {
        buf->len--;
    }
    for (size_t i = start; i < buf->len; i++) {
        const char digit = buf->ptr[i];
        buf->ptr[i] = (char)(digit == '+' ? '-' : digit == '/' ? '_' : digit);
    }
}

/* 0 to 63, or -1. */
static int value_of(char digit)
{
    if (bt_ascii_is_upper(digit)) {
        return digit - 'A';
    }
    if (bt_ascii_is_lower(digit)) {
        return digit - 'a' + 26;
    }
    if (bt_ascii_is_digit(digit)) {
        return digit - '0' + 52;
    }
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

size_t bt_base64_decoded_size(bt_str text)
{
    if (text.len % 4 != 0) {
        return SIZE_MAX;
    }
    size_t padding = 0;
    while (padding < 2 && padding < text.len && text.ptr[text.len - 1 - padding] == '=') {
        padding++;
    }
    int last = 0;
    for (size_t i = 0; i < text.len - padding; i++) {
        last = value_of(text.ptr[i]);
        if (last < 0) {
            return SIZE_MAX;
        }
    }
    /* The bits of the last digit that stand for no byte must be 0. */
    const int stray = padding == 2 ? 15 : padding == 1 ? 3 : 0;
    return (last & stray) != 0 ? SIZE_MAX : text.len / 4 * 3 - padding;
}

void bt_base64_decode(bt_str text, void *out)
{
    assert(out);
    const size_t size = bt_base64_decoded_size(text);
    assert(size != SIZE_MAX);
    uint8_t *bytes = out;
    uint32_t bits = 0;
    size_t written = 0;
    for (size_t i = 0; written < size; i++) {
        const int value = value_of(text.ptr[i]);
        bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
        if (i % 4 != 0) {
            bytes[written++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
}
