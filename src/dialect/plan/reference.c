/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - the text of a reference: the tests in their order, then the two spellings.
 */
#include "dialect/plan/reference.h"

#include <string.h>

enum { REFERENCE_BYTES_MAX = 255 };

static const bt_str folder = BT_STR_INIT("schemas/handoff-payloads/");
static const bt_str suffix = BT_STR_INIT(".schema.json");

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_scheme_byte(char byte)
{
    return is_letter(byte) || is_digit(byte) || byte == '+' || byte == '.' || byte == '-';
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
    return length >= 2 && length < text.len && text.ptr[length] == ':' && is_letter(text.ptr[0]);
}

static bool is_absolute(bt_str text)
{
    return text.ptr[0] == '/' || text.ptr[0] == '\\' ||
           (text.len > 1 && is_letter(text.ptr[0]) && text.ptr[1] == ':');
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

/* In this order; the first that holds is the answer. */
static const struct plan_reference_test {
    bool (*holds)(bt_str text);
    const char *code;
    const char *why;
} tests[] = {
    {is_empty, "REF_EMPTY", "the reference is empty"},
    {has_nul, "REF_NUL", "a NUL byte stands in the reference"},
    {has_newline, "REF_NEWLINE", "a line ends in the reference"},
    {is_url, "REF_URL", "the reference is a URL"},
    {is_absolute, "REF_ABSOLUTE", "the reference is an absolute path"},
    {has_dotdot, "REF_DOTDOT", "the reference has a segment .."},
};

/* SLUG, `between`, digits, ".schema.json", and nothing else. */
static bool split_reference(bt_str text, bt_str between, struct bt_payload_reference *out)
{
    size_t at = 0;
    while (at < text.len && ((text.ptr[at] >= 'a' && text.ptr[at] <= 'z') ||
                             is_digit(text.ptr[at]) || text.ptr[at] == '-')) {
        at++;
    }
    const size_t slug = at;
    if (slug == 0 || !bt_str_starts_with(bt_str_slice(text, at, text.len), between)) {
        return false;
    }
    at += between.len;
    const size_t digits = at;
    while (at < text.len && is_digit(text.ptr[at])) {
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
            reference.code = tests[i].code;
            reference.why = tests[i].why;
            return reference;
        }
    }
    reference.is_path = bt_str_starts_with(text, folder);
    const bt_str rest = bt_str_slice(text, reference.is_path ? folder.len : 0, text.len);
    if (text.len > REFERENCE_BYTES_MAX ||
        !split_reference(rest, reference.is_path ? BT_STR(".v") : BT_STR("/v"), &reference)) {
        reference.code = "REF_PATTERN";
        reference.why = "the text is neither the path nor the id of a payload schema";
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
