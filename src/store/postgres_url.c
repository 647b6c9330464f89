/* SPDX-License-Identifier: Apache-2.0 */
/*
 * postgres_url.c - postgresql://USER:PASSWORD@HOST,HOST/DATABASE?NAME=VALUE&NAME=VALUE
 *
 * Only the password and the parameters are located here; libpq interprets the parts.
 */
#include "store/postgres_url.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"

enum { SCHEMA_BYTES_MAX = 63 };

/* The offset after `://`. */
static size_t find_authority(bt_str url)
{
    assert(bt_str_starts_with(url, BT_STR("postgresql://")));
    return sizeof("postgresql://") - 1;
}

/* The offset of the parameters, after the question mark: one before an `@` belongs to a
 * password. */
static size_t find_parameters(bt_str url)
{
    const size_t sign = bt_str_find_byte(url, '@', 0);
    const size_t slash = bt_str_find_byte(url, '/', find_authority(url));
    return bt_str_find_byte(url, '?', sign < slash ? sign : 0) + 1;
}

/* One `NAME=VALUE` of those after the question mark. */
struct store_postgres_url_parameter {
    bt_str whole;
    bt_str name;
    bt_str value;
};

/* The next parameter at *at, which moves after it and its `&`; false when there is none. */
static bool next_parameter(bt_str url, size_t *at, struct store_postgres_url_parameter *out)
{
    if (*at >= url.len) {
        return false;
    }
    const size_t end = bt_str_find_byte(url, '&', *at);
    out->whole = bt_str_slice(url, *at, end);
    const size_t equals = bt_str_find_byte(out->whole, '=', 0);
    out->name = bt_str_slice(out->whole, 0, equals);
    out->value =
        bt_str_slice(out->whole, equals < out->whole.len ? equals + 1 : equals, out->whole.len);
    *at = end + 1;
    return true;
}

enum bt_status bt_postgres_url_shown(struct bt_arena *arena, bt_str url, bt_str *out)
{
    assert(out);
    struct bt_buf buf;
    bt_buf_init(&buf, url.len * 4 + 16);
    bt_buf_put_masked(&buf, url);
    return bt_buf_finish(&buf, arena, out);
}

/* Letters, digits and underscores need no escape in a URL and none in SQL. */
static bool is_schema(bt_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char byte = name.ptr[i];
        const bool is_letter = bt_ascii_is_lower(byte) || byte == '_';
        if (!is_letter && !(bt_ascii_is_digit(byte) && i > 0)) {
            return false;
        }
    }
    return name.len > 0 && name.len <= SCHEMA_BYTES_MAX && !bt_str_starts_with(name, BT_STR("pg_"));
}

enum bt_status bt_postgres_url_split(struct bt_arena *arena, bt_str url, bt_str *out_schema,
                                     bt_str *out_rest, struct bt_error *error)
{
    assert(out_schema);
    assert(out_rest);
    const size_t start = find_parameters(url);
    bt_str schema = BT_STR("baton");
    bool leads_away = false;
    struct store_postgres_url_parameter parameter;
    struct bt_buf rest;
    bt_buf_init(&rest, url.len + 1);
    bt_buf_put(&rest, bt_str_slice(url, 0, start - 1));
    char before = '?';
    for (size_t at = start; next_parameter(url, &at, &parameter);) {
        if (bt_str_eq(parameter.name, BT_STR("schema"))) {
            schema = parameter.value;
            continue;
        }
        if (bt_str_eq(parameter.name, BT_STR("files"))) {
            continue;
        }
        leads_away = leads_away || bt_str_eq(parameter.name, BT_STR("service"));
        bt_buf_put_char(&rest, before);
        bt_buf_put(&rest, parameter.whole);
        before = '&';
    }
    enum bt_status status = BT_OK;
    if (!is_schema(schema)) {
        status =
            bt_error_set(error, BT_EINVAL, "a schema is named by 1 to %d of [a-z0-9_], not %.*s",
                         SCHEMA_BYTES_MAX, BT_STR_ARG(bt_str_slice(schema, 0, 40)));
    } else if (leads_away) {
        status =
            bt_error_set(error, BT_EINVAL, "the parameter service is not taken: name the host");
    } else if (bt_arena_copy(arena, schema, &schema) != BT_OK ||
               bt_buf_copy(&rest, arena, out_rest) != BT_OK) {
        status = bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bt_buf_free(&rest);
    if (status == BT_OK) {
        *out_schema = schema;
    }
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Decode %XX. False: it has another percent sign, or a NUL byte. */
static bool put_decoded(struct bt_buf *buf, bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        if (byte == '%') {
            const int high = i + 2 < text.len ? bt_ascii_hex_value(text.ptr[i + 1]) : -1;
            const int low = high >= 0 ? bt_ascii_hex_value(text.ptr[i + 2]) : -1;
            byte = (char)(low >= 0 ? high * 16 + low : 0);
            i += 2;
        }
        if (byte == '\0') {
            return false;
        }
        bt_buf_put_char(buf, byte);
    }
    return true;
}

enum bt_status bt_postgres_url_files(struct bt_arena *arena, bt_str url, bt_str *out,
                                     struct bt_error *error)
{
    assert(out);
    struct store_postgres_url_parameter parameter;
    bt_str value = BT_STR("");
    for (size_t at = find_parameters(url); next_parameter(url, &at, &parameter);) {
        value = bt_str_eq(parameter.name, BT_STR("files")) ? parameter.value : value;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, value.len + 1);
    if (!put_decoded(&buf, value)) {
        bt_buf_free(&buf);
        return bt_error_set(error, BT_EINVAL, "the parameter files is not a path");
    }
    return bt_buf_finish(&buf, arena, out);
}

/* Put a value that stays one parameter, and is read again as it was. */
static void put_encoded(struct bt_buf *buf, bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (bt_ascii_is_alnum(byte) || bt_str_find_byte(BT_STR("/._-"), byte, 0) < 4) {
            bt_buf_put_char(buf, byte);
        } else {
            bt_buf_printf(buf, "%%%02x", (unsigned)(unsigned char)byte);
        }
    }
}

enum bt_status bt_postgres_url_of_schema(struct bt_arena *arena, bt_str url, bt_str schema,
                                         bt_str files, bt_str *out, struct bt_error *error)
{
    assert(out);
    struct store_postgres_url_parameter parameter;
    const size_t start = find_parameters(url);
    for (size_t at = start; next_parameter(url, &at, &parameter);) {
        if (bt_str_eq(parameter.name, BT_STR("schema")) ||
            bt_str_eq(parameter.name, BT_STR("files"))) {
            return bt_error_set(error, BT_EINVAL, "the URL of many logs names no %.*s",
                                BT_STR_ARG(parameter.name));
        }
    }
    struct bt_buf buf;
    bt_buf_init(&buf, url.len + schema.len + files.len * 3 + 64);
    bt_buf_put(&buf, url);
    bt_buf_printf(&buf, "%sschema=%.*s&files=", start <= url.len ? "&" : "?", BT_STR_ARG(schema));
    put_encoded(&buf, files);
    return bt_buf_finish(&buf, arena, out);
}
