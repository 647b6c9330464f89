/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secrets.c - passwords, tokens and keys in the strings of a document, and the marks for them.
 */
#include "dialect/universal/secrets.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/uninitialized.h"
#include "base/vec.h"
#include "json/walk.h"

enum { PEM_LABEL_BYTES_MAX = 80 };

/* ---- Names ----------------------------------------------------------------------------------- */

/* True when the name ends in the word, in any case and with - as _. */
static bool has_word_at_end(bt_str name, bt_str word)
{
    if (name.len < word.len) {
        return false;
    }
    const size_t begin = name.len - word.len;
    for (size_t i = 0; i < word.len; i++) {
        const char c = name.ptr[begin + i];
        if ((c == '-' ? '_' : bt_ascii_lower(c)) != word.ptr[i]) {
            return false;
        }
    }
    return begin == 0 || name.ptr[begin - 1] == '_' || name.ptr[begin - 1] == '-';
}

bool bt_universal_names_secret(bt_str name)
{
    static const bt_str words[] = {
        BT_STR_INIT("password"),      BT_STR_INIT("passwd"),      BT_STR_INIT("secret"),
        BT_STR_INIT("token"),         BT_STR_INIT("api_key"),     BT_STR_INIT("apikey"),
        BT_STR_INIT("access_key"),    BT_STR_INIT("private_key"), BT_STR_INIT("client_secret"),
        BT_STR_INIT("authorization"), BT_STR_INIT("credential"),  BT_STR_INIT("credentials"),
        BT_STR_INIT("cookie"),
    };
    for (size_t i = 0; i < BT_COUNT_OF(words); i++) {
        if (has_word_at_end(name, words[i])) {
            return true;
        }
    }
    return false;
}

/* ---- Forms ----------------------------------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return bt_ascii_is_alnum(c) || c == '_';
}

static bool is_base64url(char c)
{
    return is_word_byte(c) || c == '-';
}

static bool is_capital_or_digit(char c)
{
    return bt_ascii_is_upper(c) || bt_ascii_is_digit(c);
}

typedef bool byte_class_fn(char c);

static size_t end_of_run(bt_str text, size_t at, byte_class_fn *is_member)
{
    while (at < text.len && is_member(text.ptr[at])) {
        at++;
    }
    return at;
}

static const struct universal_token_form {
    bt_str prefix;
    byte_class_fn *is_member; /* of the bytes behind the prefix */
    size_t min;               /* so many of them */
    bool exactly;             /* and no more */
} token_forms[] = {
    {BT_STR_INIT("AKIA"), is_capital_or_digit, 16, true},
    {BT_STR_INIT("ASIA"), is_capital_or_digit, 16, true},
    {BT_STR_INIT("ghp_"), is_word_byte, 20, false},
    {BT_STR_INIT("gho_"), is_word_byte, 20, false},
    {BT_STR_INIT("ghu_"), is_word_byte, 20, false},
    {BT_STR_INIT("ghs_"), is_word_byte, 20, false},
    {BT_STR_INIT("ghr_"), is_word_byte, 20, false},
    {BT_STR_INIT("github_pat_"), is_word_byte, 20, false},
    {BT_STR_INIT("glpat-"), is_base64url, 16, false},
    {BT_STR_INIT("sk-"), is_base64url, 16, false},
    {BT_STR_INIT("xoxa-"), is_base64url, 16, false},
    {BT_STR_INIT("xoxb-"), is_base64url, 16, false},
    {BT_STR_INIT("xoxp-"), is_base64url, 16, false},
    {BT_STR_INIT("xoxr-"), is_base64url, 16, false},
    {BT_STR_INIT("xoxs-"), is_base64url, 16, false},
    {BT_STR_INIT("bt_"), is_base64url, 43, true},
};

/* The end of a token of a known service that begins at `at`; `at` itself when none does. */
static size_t end_of_token(bt_str text, size_t at)
{
    const bt_str rest = bt_str_slice(text, at, text.len);
    for (size_t i = 0; i < BT_COUNT_OF(token_forms); i++) {
        const struct universal_token_form *form = &token_forms[i];
        if (!bt_str_starts_with(rest, form->prefix)) {
            continue;
        }
        const size_t begin = at + form->prefix.len;
        const size_t end = end_of_run(text, begin, form->is_member);
        const bool ends = end == text.len || !is_word_byte(text.ptr[end]);
        if (form->exactly ? end - begin == form->min && ends : end - begin >= form->min) {
            return end;
        }
    }
    return at;
}

/* The end of a JSON Web Token: three parts in base64url, joined by dots. */
static size_t end_of_web_token(bt_str text, size_t at)
{
    if (!bt_str_starts_with(bt_str_slice(text, at, text.len), BT_STR("eyJ"))) {
        return at;
    }
    size_t end = end_of_run(text, at, is_base64url);
    for (size_t part = 1; part < 3; part++) {
        const size_t next = end < text.len && text.ptr[end] == '.' ? end + 1 : text.len;
        end = end_of_run(text, next, is_base64url);
        if (end == next) {
            return at;
        }
    }
    return end;
}

/* The end of a PEM private key. One without its last line reaches to the end of the text. */
static size_t end_of_key_block(bt_str text, size_t at)
{
    const bt_str begin = BT_STR("-----BEGIN");
    const bt_str dashes = BT_STR("-----");
    const bt_str rest = bt_str_slice(text, at, text.len);
    if (!bt_str_starts_with(rest, begin)) {
        return at;
    }
    const bt_str label = bt_str_slice(rest, begin.len, begin.len + PEM_LABEL_BYTES_MAX);
    const size_t label_end = bt_str_find(label, dashes);
    if (label_end == label.len ||
        !bt_str_ends_with(bt_str_slice(label, 0, label_end), BT_STR("PRIVATE KEY"))) {
        return at;
    }
    const bt_str body = bt_str_slice(rest, begin.len + label_end + dashes.len, rest.len);
    const size_t last = bt_str_find(body, BT_STR("-----END"));
    if (last == body.len) {
        return text.len;
    }
    const bt_str tail = bt_str_slice(body, last + dashes.len, body.len);
    const size_t close = bt_str_find(tail, dashes);
    return close == tail.len ? text.len : text.len - tail.len + close + dashes.len;
}

static bool is_scheme_byte(char c)
{
    return bt_ascii_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

/* True when the scheme that ends at `colon` is http or https; those need no password to have a
 * secret as their user. */
static bool is_http_scheme(bt_str text, size_t begin, size_t colon)
{
    const bt_str scheme = bt_str_slice(text, begin, colon);
    return bt_ascii_equal_nocase(scheme, BT_STR("http")) ||
           bt_ascii_equal_nocase(scheme, BT_STR("https"));
}

/* The user part of a URL whose "://" begins at `colon`. False when it has none that is secret. */
static bool find_user_part(bt_str text, size_t colon, size_t *out_begin, size_t *out_end)
{
    if (!bt_str_starts_with(bt_str_slice(text, colon, text.len), BT_STR("://"))) {
        return false;
    }
    size_t scheme = colon;
    while (scheme > 0 && is_scheme_byte(text.ptr[scheme - 1])) {
        scheme--;
    }
    const size_t begin = colon + 3;
    size_t at_sign = begin; /* the last one before the host: a password may hold others */
    size_t at = begin;
    for (; at < text.len && text.ptr[at] != '/' && !bt_ascii_is_space(text.ptr[at]); at++) {
        at_sign = text.ptr[at] == '@' ? at : at_sign;
    }
    const bt_str user = bt_str_slice(text, begin, at_sign);
    *out_begin = begin;
    *out_end = at_sign;
    return scheme < colon && user.len > 0 &&
           (is_http_scheme(text, scheme, colon) || bt_str_find_byte(user, ':', 0) < user.len);
}

/* The end of a secret that begins a word at `at`; `at` itself when none does. */
static size_t end_of_secret_word(bt_str text, size_t at)
{
    size_t end = end_of_key_block(text, at);
    if (end == at && (at == 0 || !is_word_byte(text.ptr[at - 1]))) {
        end = end_of_token(text, at);
        end = end == at ? end_of_web_token(text, at) : end;
    }
    return end;
}

bool bt_universal_next_secret(bt_str text, size_t from, size_t *out_begin, size_t *out_end)
{
    for (size_t at = from; at < text.len; at++) {
        if (text.ptr[at] == ':' && find_user_part(text, at, out_begin, out_end)) {
            return true;
        }
        const size_t end = end_of_secret_word(text, at);
        if (end > at) {
            *out_begin = at;
            *out_end = end;
            return true;
        }
    }
    return false;
}

/* ---- Masked strings -------------------------------------------------------------------------- */

static void put_mark(struct bt_buf *buf, size_t number)
{
    bt_buf_printf(buf, BT_MARK_WITHHELD " %zu]", number);
}

static enum bt_status mask_parts(bt_str text, struct bt_arena *arena,
                                 struct bt_universal_masks *masks, struct bt_buf *buf)
{
    size_t from = 0;
    size_t begin = 0;
    size_t end = 0;
    while (bt_universal_next_secret(text, from, &begin, &end)) {
        BT_TRY(bt_vec_push(arena, &masks->secrets, bt_str_slice(text, begin, end)));
        bt_buf_put(buf, bt_str_slice(text, from, begin));
        put_mark(buf, masks->secrets.count);
        from = end;
    }
    bt_buf_put(buf, bt_str_slice(text, from, text.len));
    return BT_OK;
}

static enum bt_status mask_value(const struct bt_json_walk_value *walked, struct bt_arena *arena,
                                 struct bt_universal_masks *masks)
{
    const bt_str text = bt_json_text(walked->value);
    struct bt_universal_masked_string masked = {.value = walked->value,
                                                .first = masks->secrets.count};
    size_t begin = 0;
    size_t end = 0;
    const bool whole =
        text.len > 0 && walked->member && bt_universal_names_secret(bt_json_name(walked->member));
    if (!whole && !bt_universal_next_secret(text, 0, &begin, &end)) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status =
        whole ? bt_vec_push(arena, &masks->secrets, text) : mask_parts(text, arena, masks, &buf);
    if (whole) {
        put_mark(&buf, masks->secrets.count);
    }
    BT_TRY(bt_buf_finish_if(status, &buf, arena, &masked.text));
    masked.count = masks->secrets.count - masked.first;
    return bt_vec_push(arena, &masks->strings, masked);
}

static int compare_values(const void *a, const void *b)
{
    const uintptr_t one = (uintptr_t)((const struct bt_universal_masked_string *)a)->value;
    const uintptr_t other = (uintptr_t)((const struct bt_universal_masked_string *)b)->value;
    return (one > other) - (one < other);
}

void bt_universal_masked_strings_sort(struct bt_universal_masked_strings *strings)
{
    if (strings->count > 1) {
        qsort(strings->items, strings->count, sizeof(*strings->items), compare_values);
    }
}

enum bt_status bt_universal_masks_find(const struct bt_json_doc *document, struct bt_arena *arena,
                                       struct bt_universal_masks *out)
{
    struct bt_universal_masks masks = {.secrets = {NULL, 0, 0}};
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    bt_json_walk_begin(&walk, bt_json_root(document));
    while (bt_json_walk_next(&walk, &walked)) {
        if (bt_json_type(walked.value) == BT_JSON_STRING) {
            BT_TRY(mask_value(&walked, arena, &masks));
        }
    }
    bt_universal_masked_strings_sort(&masks.strings);
    *out = masks;
    return BT_OK;
}

const struct bt_universal_masked_string *
bt_universal_masked_strings_find(const struct bt_universal_masked_strings *strings,
                                 const bt_json_value *value)
{
    const struct bt_universal_masked_string key = {.value = value};
    return strings->count > 0 ? bsearch(&key, strings->items, strings->count,
                                        sizeof(*strings->items), compare_values)
                              : NULL;
}

void bt_universal_masks_put_text(const struct bt_universal_masks *masks, struct bt_buf *buf,
                                 bt_str text)
{
    size_t from = 0;
    size_t begin = 0;
    size_t end = 0;
    while (bt_universal_next_secret(text, from, &begin, &end)) {
        const size_t index = bt_str_index_in(bt_str_slice(text, begin, end), masks->secrets.items,
                                             masks->secrets.count);
        bt_buf_put(buf, bt_str_slice(text, from, begin));
        if (index < masks->secrets.count) {
            put_mark(buf, index + 1);
        } else {
            bt_buf_put_text(buf, BT_MARK_WITHHELD "]");
        }
        from = end;
    }
    bt_buf_put(buf, bt_str_slice(text, from, text.len));
}
