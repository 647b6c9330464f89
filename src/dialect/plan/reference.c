/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - the text of a reference: the tests in their order, then the two spellings.
 */
#include "dialect/plan/reference.h"

#include <string.h>

#include "base/ascii.h"
#include "report/rules.h"

enum { REFERENCE_BYTES_MAX = 255 };

static const bt_str folder = BT_STR_INIT("schemas/handoff-payloads/");
static const bt_str suffix = BT_STR_INIT(".schema.json");

static bool is_scheme_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '+' || byte == '.' || byte == '-';
}

static bool is_empty(bt_str text)
{
    return text.len == 0;
}

static bool has_nul(bt_str text)
{
    return bt_str_find_byte(text, '\0', 0) < text.len;
}

static bool has_newline(bt_str text)
{
    return bt_str_find_byte(text, '\n', 0) < text.len || bt_str_find_byte(text, '\r', 0) < text.len;
}

/* "://" anywhere, or a scheme of two or more characters: one letter and a colon is a drive. */
static bool is_url(bt_str text)
{
    for (size_t i = 0; i + 3 <= text.len; i++) {
        if (memcmp(text.ptr + i, "://", 3) == 0) {
            return true;
        }
    }
    size_t length = 0;
    while (length < text.len && is_scheme_byte(text.ptr[length])) {
        length++;
    }
    return length >= 2 && length < text.len && text.ptr[length] == ':' &&
           bt_ascii_is_alpha(text.ptr[0]);
}

static bool is_absolute(bt_str text)
{
    return text.ptr[0] == '/' || text.ptr[0] == '\\' ||
           (text.len > 1 && bt_ascii_is_alpha(text.ptr[0]) && text.ptr[1] == ':');
}

static bool has_dotdot(bt_str text)
{
    size_t begin = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i == text.len || text.ptr[i] == '/' || text.ptr[i] == '\\') {
            if (bt_str_eq(bt_str_slice(text, begin, i), BT_STR(".."))) {
                return true;
            }
            begin = i + 1;
        }
    }
    return false;
}

/* In this order; the first that holds decides. */
static const struct plan_reference_test {
    bool (*holds)(bt_str text);
    bt_payload_refuse_fn *refuse;
} tests[] = {
    {is_empty, bt_add_ref_empty},       {has_nul, bt_add_ref_nul},
    {has_newline, bt_add_ref_newline},  {is_url, bt_add_ref_url},
    {is_absolute, bt_add_ref_absolute}, {has_dotdot, bt_add_ref_dotdot},
};

/* SLUG, `between`, digits, ".schema.json", and nothing else. */
static bool split_reference(bt_str text, bt_str between, struct bt_payload_reference *out)
{
    size_t at = 0;
    while (at < text.len && (bt_ascii_is_lower(text.ptr[at]) || bt_ascii_is_digit(text.ptr[at]) ||
                             text.ptr[at] == '-')) {
        at++;
    }
    const size_t slug = at;
    if (slug == 0 || !bt_str_starts_with(bt_str_slice(text, at, text.len), between)) {
        return false;
    }
    at += between.len;
    const size_t digits = at;
    while (at < text.len && bt_ascii_is_digit(text.ptr[at])) {
        at++;
    }
    if (at == digits || !bt_str_eq(bt_str_slice(text, at, text.len), suffix)) {
        return false;
    }
    out->slug = bt_str_slice(text, 0, slug);
    out->version = bt_str_slice(text, digits, at);
    return true;
}

struct bt_payload_reference bt_plan_reference_read(bt_str text)
{
    struct bt_payload_reference reference = {0};
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (tests[i].holds(text)) {
            reference.refuse = tests[i].refuse;
            return reference;
        }
    }
    reference.is_path = bt_str_starts_with(text, folder);
    const bt_str rest = bt_str_slice(text, reference.is_path ? folder.len : 0, text.len);
    if (text.len > REFERENCE_BYTES_MAX ||
        !split_reference(rest, reference.is_path ? BT_STR(".v") : BT_STR("/v"), &reference)) {
        reference.refuse = bt_add_ref_pattern;
    }
    return reference;
}

bool bt_payload_reference_is_id(bt_str text)
{
    struct bt_payload_reference reference = {0};
    return text.len <= REFERENCE_BYTES_MAX && split_reference(text, BT_STR("/v"), &reference);
}

bool bt_payload_reference_of_name(bt_str name, struct bt_payload_reference *out)
{
    struct bt_payload_reference reference = {.is_path = true};
    if (!split_reference(name, BT_STR(".v"), &reference)) {
        return false;
    }
    *out = reference;
    return true;
}

enum bt_status bt_payload_reference_id(const struct bt_payload_reference *reference,
                                       struct bt_arena *arena, bt_str *out)
{
    return bt_arena_printf(arena, out, "%.*s/v%.*s.schema.json", BT_STR_ARG(reference->slug),
                           BT_STR_ARG(reference->version));
}

enum bt_status bt_payload_reference_file(const struct bt_payload_reference *reference,
                                         struct bt_arena *arena, bt_str *out)
{
    return bt_arena_printf(arena, out, "schemas/handoff-payloads/%.*s.v%.*s.schema.json",
                           BT_STR_ARG(reference->slug), BT_STR_ARG(reference->version));
}
