/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syntax.c - why a body is not valid JSON.
 *
 * The strict reader reports where it had to stop. Which mistake it is depends on what was expected
 * there, so the text before that position is scanned again, token by token, with the same grammar
 * but without looking into numbers and words.
 */
#include "dialect/contract/contract_check.h"

#include <assert.h>

#include "json/peek.h"

enum { DEPTH_MAX = 1024 }; /* no reader goes deeper */

enum contract_syntax_expect {
    VALUE = 0,
    FIRST_VALUE, /* or the end of the list */
    NAME,
    FIRST_NAME, /* or the end of the object */
    COLON,
    NEXT, /* a comma or the end of the container */
    END,
};

struct contract_syntax_walk {
    bt_str body;
    size_t at; /* the next token; where it stopped */
    enum contract_syntax_expect expect;
    size_t depth;
    bool in_string; /* it stopped inside one */
    size_t comma;   /* the last one */
    uint64_t objects[DEPTH_MAX / 64];
};

static bool wants_value(const struct contract_syntax_walk *walk)
{
    return walk->expect == VALUE || walk->expect == FIRST_VALUE;
}

static bool wants_name(const struct contract_syntax_walk *walk)
{
    return walk->expect == NAME || walk->expect == FIRST_NAME;
}

static bool in_object(const struct contract_syntax_walk *walk)
{
    const size_t level = walk->depth - 1;
    return walk->depth > 0 && (walk->objects[level / 64] >> (level % 64) & 1) != 0;
}

static void end_value(struct contract_syntax_walk *walk)
{
    walk->expect = walk->depth > 0 ? NEXT : END;
}

static bool take_string(struct contract_syntax_walk *walk)
{
    if (!wants_value(walk) && !wants_name(walk)) {
        return false;
    }
    size_t at = walk->at + 1;
    while (at < walk->body.len && walk->body.ptr[at] != '"' &&
           (unsigned char)walk->body.ptr[at] >= 0x20) {
        at += walk->body.ptr[at] == '\\' && at + 1 < walk->body.len &&
                      (unsigned char)walk->body.ptr[at + 1] >= 0x20
                  ? 2
                  : 1;
    }
    if (at >= walk->body.len || walk->body.ptr[at] != '"') {
        walk->at = at;
        walk->in_string = true;
        return false;
    }
    walk->at = at + 1;
    if (wants_name(walk)) {
        walk->expect = COLON;
    } else {
        end_value(walk);
    }
    return true;
}

static bool open_container(struct contract_syntax_walk *walk, bool object)
{
    if (!wants_value(walk) || walk->depth == DEPTH_MAX) {
        return false;
    }
    const size_t level = walk->depth++;
    const uint64_t bit = UINT64_C(1) << (level % 64);
    walk->objects[level / 64] =
        object ? walk->objects[level / 64] | bit : walk->objects[level / 64] & ~bit;
    walk->expect = object ? FIRST_NAME : FIRST_VALUE;
    walk->at++;
    return true;
}

static bool close_container(struct contract_syntax_walk *walk, bool object)
{
    const bool may_end =
        walk->expect == NEXT || walk->expect == (object ? FIRST_NAME : FIRST_VALUE);
    if (walk->depth == 0 || in_object(walk) != object || !may_end) {
        return false;
    }
    walk->depth--;
    walk->at++;
    end_value(walk);
    return true;
}

static bool take_comma(struct contract_syntax_walk *walk)
{
    if (walk->expect != NEXT) {
        return false;
    }
    walk->comma = walk->at++;
    walk->expect = in_object(walk) ? NAME : VALUE;
    return true;
}

/* A number or a word. */
static bool take_scalar(struct contract_syntax_walk *walk)
{
    static const bt_str words[] = {BT_STR_INIT("true"), BT_STR_INIT("false"), BT_STR_INIT("null")};
    const bt_str rest = bt_str_slice(walk->body, walk->at, walk->body.len);
    size_t size = rest.ptr[0] == '-' ? 1 : 0;
    const bool number = size < rest.len && bt_ascii_is_digit(rest.ptr[size]);
    while (number && size < rest.len &&
           (bt_ascii_is_digit(rest.ptr[size]) || rest.ptr[size] == '.' || rest.ptr[size] == 'e' ||
            rest.ptr[size] == 'E' || rest.ptr[size] == '+' || rest.ptr[size] == '-')) {
        size++;
    }
    for (size_t i = 0; !number && i < sizeof(words) / sizeof(words[0]); i++) {
        size = bt_str_starts_with(rest, words[i]) ? words[i].len : size;
    }
    if (!wants_value(walk) || size < (number ? 1 : sizeof("true") - 1)) {
        return false;
    }
    walk->at += size;
    end_value(walk);
    return true;
}

/* Take one token. False at the end of the body, and where the grammar does not allow what comes. */
static bool take_token(struct contract_syntax_walk *walk)
{
    while (walk->at < walk->body.len && bt_json_is_space(walk->body.ptr[walk->at])) {
        walk->at++;
    }
    if (walk->at == walk->body.len) {
        return false;
    }
    switch (walk->body.ptr[walk->at]) {
    case '"':
        return take_string(walk);
    case '{':
    case '[':
        return open_container(walk, walk->body.ptr[walk->at] == '{');
    case '}':
    case ']':
        return close_container(walk, walk->body.ptr[walk->at] == '}');
    case ',':
        return take_comma(walk);
    case ':':
        if (walk->expect != COLON) {
            return false;
        }
        walk->expect = VALUE;
        walk->at++;
        return true;
    default:
        return take_scalar(walk);
    }
}

/* The end of the comment at `at`, or `at` when there is none; a comment that is not closed ends
 * nowhere, which *out_closed says. */
static size_t comment_end(bt_str body, size_t at, bool *out_closed)
{
    const bt_str rest = bt_str_slice(body, at, body.len);
    *out_closed = true;
    if (bt_str_starts_with(rest, BT_STR("/*"))) {
        for (size_t end = at + 2; end + 1 < body.len; end++) {
            if (body.ptr[end] == '*' && body.ptr[end + 1] == '/') {
                return end + 2;
            }
        }
        *out_closed = false;
        return body.len;
    }
    if (bt_str_starts_with(rest, BT_STR("//")) || bt_str_starts_with(rest, BT_STR("#"))) {
        const size_t end = bt_str_find_byte(body, '\n', at);
        const bool returns = end < body.len && body.ptr[end - 1] == '\r';
        return end - (returns ? 1 : 0);
    }
    return at;
}

/* The first line with content is `word:`, `word: ...`, `- ...` or `---...`. */
static bool is_yaml(bt_str body)
{
    const bt_str text = bt_str_trim(body);
    const bt_str line = bt_str_slice(text, 0, bt_str_find_byte(text, '\n', 0));
    if (bt_str_starts_with(line, BT_STR("---")) || bt_str_starts_with(line, BT_STR("- "))) {
        return true;
    }
    size_t at = 0;
    while (at < line.len && (bt_ascii_is_alpha(line.ptr[at]) || bt_ascii_is_digit(line.ptr[at]) ||
                             line.ptr[at] == '_' || line.ptr[at] == '-' || line.ptr[at] == '.')) {
        at++;
    }
    return at > 0 && at < line.len && line.ptr[at] == ':' &&
           (at + 1 == line.len || bt_json_is_space(line.ptr[at + 1]));
}

/* A bracket that would be right but for the comma before it. */
static bool is_after_comma(const struct contract_syntax_walk *walk)
{
    const char byte = walk->body.ptr[walk->at];
    return (walk->expect == NAME && byte == '}') ||
           (walk->expect == VALUE && byte == ']' && walk->depth > 0 && !in_object(walk));
}

static bool follows_comma(const struct contract_syntax_walk *walk)
{
    size_t at = walk->at;
    while (at > 0 && bt_json_is_space(walk->body.ptr[at - 1])) {
        at--;
    }
    return at > 0 && at - 1 == walk->comma && walk->body.ptr[at - 1] == ',';
}

static bool is_nan(bt_str rest)
{
    return bt_str_starts_with(rest, BT_STR("NaN")) ||
           bt_str_starts_with(rest, BT_STR("Infinity")) ||
           bt_str_starts_with(rest, BT_STR("-Infinity"));
}

/* The walk stopped at something that the grammar does not allow there. */
static enum bt_contract_json_syntax_rule judge_token(const struct contract_syntax_walk *walk,
                                                     bool *out_fixable)
{
    const bt_str rest = bt_str_slice(walk->body, walk->at, walk->body.len);
    const char byte = rest.ptr[0];
    bool closed = false;
    if (comment_end(walk->body, walk->at, &closed) > walk->at) {
        *out_fixable = closed;
        return BT_CONTRACT_JSON_SYNTAX_RULE_COMMENT;
    }
    if ((byte == '}' || byte == ']') && follows_comma(walk)) {
        *out_fixable = is_after_comma(walk);
        return BT_CONTRACT_JSON_SYNTAX_RULE_TRAILING_COMMA;
    }
    if (byte == '\'' && (wants_name(walk) || wants_value(walk))) {
        return BT_CONTRACT_JSON_SYNTAX_RULE_SINGLE_QUOTES;
    }
    if (wants_name(walk) && (bt_ascii_is_alpha(byte) || byte == '_' || byte == '$')) {
        return BT_CONTRACT_JSON_SYNTAX_RULE_UNQUOTED_KEY;
    }
    if (wants_value(walk) && is_nan(rest)) {
        return BT_CONTRACT_JSON_SYNTAX_RULE_NAN;
    }
    return walk->expect == END ? BT_CONTRACT_JSON_SYNTAX_RULE_TRAILING_BYTES
                               : BT_CONTRACT_JSON_SYNTAX_RULE_OTHER;
}

enum bt_contract_json_syntax_rule bt_contract_check_syntax(bt_str body, size_t offset,
                                                           bool *out_fixable)
{
    assert(offset <= body.len);
    *out_fixable = false;
    if (bt_str_is_blank(body)) {
        return BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED;
    }
    if (is_yaml(body)) {
        return BT_CONTRACT_JSON_SYNTAX_RULE_YAML;
    }
    if (offset == body.len) {
        return BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED;
    }
    struct contract_syntax_walk walk = {.body = body};
    while (walk.at < offset && take_token(&walk)) {
    }
    if (walk.in_string) {
        const bool control = (unsigned char)body.ptr[offset] < 0x20;
        return control ? BT_CONTRACT_JSON_SYNTAX_RULE_CONTROL_CHARACTER
                       : BT_CONTRACT_JSON_SYNTAX_RULE_OTHER;
    }
    /* Half a word or number is cut off as well when only the line end of the fence follows. */
    if (bt_str_is_blank(bt_str_slice(body, offset, body.len))) {
        return BT_CONTRACT_JSON_SYNTAX_RULE_TRUNCATED;
    }
    return walk.at > offset ? BT_CONTRACT_JSON_SYNTAX_RULE_OTHER : judge_token(&walk, out_fixable);
}

enum bt_status bt_contract_fix_syntax(struct bt_contract_check *check)
{
    struct contract_syntax_walk walk = {.body = check->block.body};
    for (;;) {
        while (take_token(&walk)) {
        }
        if (walk.in_string || walk.at == walk.body.len) {
            return BT_OK;
        }
        bool closed = false;
        const size_t end = comment_end(walk.body, walk.at, &closed);
        struct bt_contract_edit edit = {.text = BT_STR(""), .kind = BT_FIX_SAFE};
        if (end > walk.at && closed) {
            edit.begin = walk.at;
            edit.end = end;
            walk.at = end;
        } else if (end == walk.at && is_after_comma(&walk)) {
            edit.begin = walk.comma;
            edit.end = walk.comma + 1;
            walk.expect = NEXT;
        } else {
            return BT_OK;
        }
        BT_TRY(bt_contract_check_add_edit(check, BT_CODE_JSON_SYNTAX, NULL, edit));
    }
}
