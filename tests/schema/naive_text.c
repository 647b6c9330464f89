/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_text.c - formats, which the engine's own table knows, and the encoded content of strings.
 */
#include "naive_text.h"

#include "base/arena.h"
#include "base/buf.h"
#include "json/options.h"
#include "schema/format.h"

#define CONTENT_BYTES_MAX ((size_t)64 << 20)

bool naive_text_has_format(enum bt_schema_draft draft, bt_str format, bt_str text,
                           const char **out_fault)
{
    const struct bt_schema_format *found = bt_schema_format_find(format, draft);
    if (!found) {
        return true;
    }
    const enum bt_schema_format_answer answer = bt_schema_format_check(found, text);
    if (answer == BT_SCHEMA_FORMAT_LIMIT) {
        *out_fault = "a format reached a bound";
    }
    return answer == BT_SCHEMA_FORMAT_YES;
}

static int base64_value(char digit)
{
    if (digit >= 'A' && digit <= 'Z') {
        return digit - 'A';
    }
    if (digit >= 'a' && digit <= 'z') {
        return digit - 'a' + 26;
    }
    if (digit >= '0' && digit <= '9') {
        return digit - '0' + 52;
    }
    if (digit == '+') {
        return 62;
    }
    return digit == '/' ? 63 : -1;
}

/* RFC 4648 section 4, padded; put what it stands for. */
static bool put_base64(struct bt_buf *buf, bt_str text)
{
    const bool is_padded = text.len > 0 && text.len % 4 == 0;
    size_t digits = text.len;
    for (size_t i = 0; is_padded && i < 2 && text.ptr[digits - 1] == '='; i++) {
        digits--;
    }
    uint32_t bits = 0;
    for (size_t i = 0; i < digits; i++) {
        const int value = base64_value(text.ptr[i]);
        if (value < 0) {
            return false;
        }
        bits = (bits << 6 | (uint32_t)value) & 0xffffff;
        if (i % 4 > 0) {
            bt_buf_put_char(buf, (char)(bits >> (6 - i % 4 * 2) & 0xff));
        }
    }
    return text.len % 4 == 0;
}

static bool is_json(bt_str text)
{
    struct bt_arena arena;
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    options.duplicates_allowed = true;
    bt_arena_init(&arena, CONTENT_BYTES_MAX);
    const bool was_read = bt_json_read(&arena, text, &options, &read) == BT_OK && read.document;
    bt_arena_free(&arena);
    return was_read;
}

bool naive_text_has_content(bt_str text, bt_str media_type, bt_str encoding)
{
    const bool is_base64 = bt_str_eq(encoding, BT_STR("base64"));
    struct bt_buf content;
    bt_buf_init(&content, CONTENT_BYTES_MAX);
    bool has = true;
    if (is_base64) {
        has = put_base64(&content, text);
    } else {
        bt_buf_put(&content, text);
    }
    /* An encoding that is unknown hides whether the content is JSON. */
    if (has && bt_str_eq(media_type, BT_STR("application/json")) &&
        (is_base64 || encoding.len == 0)) {
        has = is_json(bt_buf_str(&content));
    }
    bt_buf_free(&content);
    return has;
}
