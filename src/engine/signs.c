/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signs.c - signs in the content that need more than a search for members: the envelope of a
 * message, and the keys of an organism.
 */
#include "base/ascii.h"
#include "base/str.h"
#include "engine/dialect.h"
#include "json/peek.h"

static const bt_str envelope = BT_STR_INIT("https://xml-pipeline.org/ns/envelope/v1");

/* ---- Messages -------------------------------------------------------------------------------- */

static size_t skip_space(bt_str text, size_t at)
{
    while (at < text.len && bt_ascii_is_space(text.ptr[at])) {
        at++;
    }
    return at;
}

/* The offset behind the first `end` at or after `at`; text.len when there is none. */
static size_t skip_past(bt_str text, size_t at, bt_str end)
{
    const bt_str rest = bt_str_slice(text, at, text.len);
    const size_t found = bt_str_find(rest, end);
    return found == rest.len ? text.len : at + found + end.len;
}

/* The offset of the first element: behind declarations, comments and instructions. */
static size_t find_element(bt_str text, size_t at)
{
    for (;;) { /* ends, because every step moves `at` forward */
        at = skip_space(text, at);
        const bt_str rest = bt_str_slice(text, at, text.len);
        if (bt_str_starts_with(rest, BT_STR("<!--"))) {
            at = skip_past(text, at + 4, BT_STR("-->"));
        } else if (bt_str_starts_with(rest, BT_STR("<?"))) {
            at = skip_past(text, at + 2, BT_STR("?>"));
        } else if (bt_str_starts_with(rest, BT_STR("<!"))) {
            at = skip_past(text, at + 2, BT_STR(">"));
        } else {
            return bt_str_starts_with(rest, BT_STR("<")) ? at : text.len;
        }
    }
}

static bool is_name_end(char c)
{
    return bt_ascii_is_space(c) || c == '=' || c == '/' || c == '>' || c == '<';
}

static bt_str take_name(bt_str text, size_t *at)
{
    const size_t begin = *at;
    while (*at < text.len && !is_name_end(text.ptr[*at])) {
        (*at)++;
    }
    return bt_str_slice(text, begin, *at);
}

/* The value in quotes behind an equals sign; false when there is none. */
static bool take_value(bt_str text, size_t *at, bt_str *out)
{
    *at = skip_space(text, *at);
    if (*at == text.len || text.ptr[*at] != '=') {
        return false;
    }
    *at = skip_space(text, *at + 1);
    const char quote = *at < text.len ? text.ptr[*at] : '\0';
    const size_t end =
        quote == '"' || quote == '\'' ? bt_str_find_byte(text, quote, *at + 1) : text.len;
    if (end == text.len) {
        return false;
    }
    *out = bt_str_slice(text, *at + 1, end);
    *at = end + 1;
    return true;
}

/* True when the attributes from `at` on give this prefix ("" for none) the envelope's namespace. */
static bool declares_envelope(bt_str text, size_t at, bt_str prefix)
{
    for (;;) { /* ends, because every attribute moves `at` forward */
        at = skip_space(text, at);
        const bt_str name = take_name(text, &at);
        bt_str value = BT_STR("");
        if (name.len == 0 || !take_value(text, &at, &value)) {
            return false;
        }
        const bool is_plain = prefix.len == 0 && bt_str_eq(name, BT_STR("xmlns"));
        const bool is_prefixed = prefix.len > 0 && bt_str_starts_with(name, BT_STR("xmlns:")) &&
                                 bt_str_eq(bt_str_slice(name, 6, name.len), prefix);
        if (is_plain || is_prefixed) {
            return bt_str_eq(value, envelope);
        }
    }
}

bool bt_sign_envelope(bt_str content)
{
    const bool is_marked = bt_str_starts_with(content, BT_STR("\xef\xbb\xbf"));
    size_t at = find_element(content, is_marked ? 3 : 0);
    if (at == content.len) {
        return false;
    }
    at++;
    const bt_str name = take_name(content, &at);
    const bt_str local = bt_str_after_last(name, ':');
    const bt_str prefix =
        local.len < name.len ? bt_str_slice(name, 0, name.len - local.len - 1) : BT_STR("");
    return bt_str_eq(local, BT_STR("message")) && declares_envelope(content, at, prefix);
}

/* ---- Organisms ------------------------------------------------------------------------------- */

/* True when a line begins with the key of a mapping. */
static bool has_key(bt_str text, bt_str key)
{
    for (size_t at = 0; at < text.len; at = bt_str_find_byte(text, '\n', at) + 1) {
        const bt_str line = bt_str_slice(text, at, text.len);
        if (bt_str_starts_with(line, key)) {
            const size_t colon = skip_space(line, key.len);
            if (colon < line.len && line.ptr[colon] == ':') {
                return true;
            }
        }
    }
    return false;
}

bool bt_sign_organism(bt_str content)
{
    const bt_str organism = bt_dialect_name(BT_DIALECT_ORGANISM); /* the key has its name */
    const bt_str listeners = BT_STR("listeners");
    return (bt_json_peek(content, organism) != '\0' && bt_json_peek(content, listeners) != '\0') ||
           (has_key(content, organism) && has_key(content, listeners));
}
