/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - predicates on the values of a block: non-blank text, numbers, strings. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "dialect/contract/contract_check.h"
#include "json/write.h"

const bt_json_value *bt_contract_check_get(const struct bt_contract_check *check,
                                           const bt_json_value *object, const char *name)
{
    return object ? bt_json_get(check->document, object, bt_str_of(name)) : NULL;
}

const bt_json_value *bt_contract_non_empty_object(const bt_json_value *value)
{
    const bool filled = value && bt_json_type(value) == BT_JSON_OBJECT && bt_json_count(value) > 0;
    return filled ? value : NULL;
}

bool bt_json_is_non_blank_string(const bt_json_value *value)
{
    return value && bt_json_type(value) == BT_JSON_STRING && !bt_str_is_blank(bt_json_text(value));
}

bool bt_json_is_non_empty(const bt_json_value *value)
{
    return bt_json_is_non_blank_string(value) || (value && bt_json_count(value) > 0);
}

bool bt_json_is_absent_or_null(const bt_json_value *value)
{
    return !value || bt_json_type(value) == BT_JSON_NULL;
}

static size_t skip_digits(bt_str text, size_t at)
{
    while (at < text.len && bt_ascii_is_digit(text.ptr[at])) {
        at++;
    }
    return at;
}

/* RFC 8259 section 6. */
static bool is_json_number(bt_str text)
{
    size_t at = text.len > 0 && text.ptr[0] == '-' ? 1 : 0;
    const size_t whole = at;
    at = skip_digits(text, at);
    if (at == whole || (text.ptr[whole] == '0' && at - whole > 1)) {
        return false;
    }
    if (at < text.len && text.ptr[at] == '.') {
        const size_t fraction = ++at;
        at = skip_digits(text, at);
        if (at == fraction) {
            return false;
        }
    }
    if (at < text.len && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
        at++;
        at += at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-') ? 1 : 0;
        const size_t exponent = at;
        at = skip_digits(text, at);
        if (at == exponent) {
            return false;
        }
    }
    return at == text.len;
}

bt_str bt_contract_number_text(const struct bt_contract_check *check, const bt_json_value *value)
{
    if (value && bt_json_is_number(value)) {
        return bt_json_number_text(check->document, value);
    }
    const bt_str text = value ? bt_json_text(value) : BT_STR("");
    return is_json_number(text) ? text : BT_STR("");
}

enum bt_status bt_contract_check_text(const struct bt_contract_check *check,
                                      const bt_json_value *value, bt_str *out)
{
    assert(value);
    if (bt_json_type(value) == BT_JSON_STRING) {
        *out = bt_json_text(value);
        return BT_OK;
    }
    return bt_json_write_text(check->document, value, BT_JSON_FORM_COMPACT, check->arena, out);
}

void bt_contract_words_add(struct bt_contract_words *words, bt_str word)
{
    assert(words->count < BT_WORDS_MAX);
    words->items[words->count++] = word;
}

void bt_contract_words_add_code(struct bt_contract_words *words, unsigned code)
{
    bt_contract_words_add(words, bt_code_name(code));
}

enum bt_status bt_contract_check_add_token(struct bt_contract_check *check,
                                           struct bt_contract_words *words, unsigned code,
                                           bt_str text)
{
    struct bt_buf buf;
    bt_str token = BT_STR("");
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, bt_code_name(code));
    bt_buf_put_char(&buf, ':');
    bt_buf_put(&buf, bt_str_cut_shown(text));
    BT_TRY(bt_buf_finish(&buf, check->arena, &token));
    bt_contract_words_add(words, token);
    return BT_OK;
}

static const bt_str plan_statuses[BT_CONTRACT_STATUS__MAX] = {
    BT_STR_INIT(""),         BT_STR_INIT("IN_PROGRESS"), BT_STR_INIT("APPROVAL_REQUEST"),
    BT_STR_INIT("COMPLETE"), BT_STR_INIT("BLOCKED"),     BT_STR_INIT("NEEDS_INPUT"),
};

bt_str bt_contract_status_name(enum bt_contract_status status)
{
    assert(status < BT_CONTRACT_STATUS__MAX);
    return plan_statuses[status];
}

enum bt_status bt_contract_status_parse(bt_str name, enum bt_contract_status *out)
{
    assert(out);
    for (unsigned i = BT_CONTRACT_STATUS_IN_PROGRESS; i < BT_CONTRACT_STATUS__MAX; i++) {
        if (bt_str_eq(plan_statuses[i], name)) {
            *out = (enum bt_contract_status)i;
            return BT_OK;
        }
    }
    return BT_EINVAL;
}

enum { HEX_MIN = 5 };

bool bt_agent_id_is_valid(bt_str text)
{
    return text.len > HEX_MIN && text.len <= BT_AGENT_ID_BYTES_MAX && text.ptr[0] == 'a' &&
           bt_ascii_all(bt_str_slice(text, 1, text.len), bt_ascii_is_lower_hex);
}

bool bt_agent_id_is_any(bt_str text)
{
    const bt_str marks = BT_STR("_.:@/-");
    for (size_t i = 0; i < text.len; i++) {
        const bool is_mark = bt_str_find_byte(marks, text.ptr[i], 0) < marks.len;
        if (!bt_ascii_is_alnum(text.ptr[i]) && (i == 0 || !is_mark)) {
            return false;
        }
    }
    return text.len > 0 && text.len <= BT_AGENT_ID_BYTES_MAX;
}

/* The id without hyphens, in lower case, with an `a` before it; false when the result is not a
 * legal id. */
static bool map_hex(bt_str id, char out[BT_AGENT_ID_BYTES_MAX + 1])
{
    size_t used = 1;
    out[0] = 'a';
    for (size_t i = 0; i < id.len; i++) {
        const char byte = id.ptr[i];
        if (byte == '-') {
            continue;
        }
        if (used == BT_AGENT_ID_BYTES_MAX) {
            return false;
        }
        out[used++] = bt_ascii_lower(byte);
    }
    out[used] = '\0';
    return bt_agent_id_is_valid((bt_str){out, used});
}

enum bt_status bt_contract_agent_id_from_runtime(bt_str id, char out[BT_AGENT_ID_BYTES_MAX + 1])
{
    enum { DIGEST_DIGITS = 32 };
    if (bt_agent_id_is_valid(id)) {
        memcpy(out, id.ptr, id.len);
        out[id.len] = '\0';
        return BT_OK;
    }
    char mapped[BT_AGENT_ID_BYTES_MAX + 1];
    if (map_hex(id, mapped)) {
        memcpy(out, mapped, sizeof(mapped));
        return BT_OK;
    }
    char digest[BT_SHA256_HEX_BYTES];
    BT_TRY(bt_sha256_hex(id, digest));
    out[0] = 'a';
    memcpy(out + 1, digest, DIGEST_DIGITS);
    out[1 + DIGEST_DIGITS] = '\0';
    return BT_OK;
}
