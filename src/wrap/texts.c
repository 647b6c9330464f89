/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texts.c - characters that nobody sees, and phrases that instruct a model.
 *
 * Phrases are searched in the text in lower case, with each run of white space as one blank.
 */
#include "wrap/texts.h"

#include <assert.h>
#include <inttypes.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/uninitialized.h"
#include "json/value_pointer.h"
#include "json/walk.h"
#include "regex/matcher.h"
#include "report/rules.h"

enum { HIDDEN_SHOWN_MAX = 10, HIDDEN_TEXT_BYTES = 12, PATTERNS_BYTES_MAX = 32 << 20 };

/* One row for each pattern; a rule may have two. */
static const struct wrap_phrase {
    enum bt_wrap_text_injection_rule rule;
    bt_str pattern;
} phrases[BT_WRAP_PHRASES] = {
    {BT_WRAP_TEXT_INJECTION_RULE_OVERRIDE,
     BT_STR_INIT("\\b(ignore|disregard|forget|override)\\b.{0,40}"
                 "\\b(previous|prior|above|earlier|all|system)\\b.{0,20}"
                 "\\b(instructions?|prompts?|rules|messages)\\b")},
    {BT_WRAP_TEXT_INJECTION_RULE_SECRECY,
     BT_STR_INIT("\\b(do not|don't|never|must not)\\b.{0,20}"
                 "\\b(tell|inform|mention|reveal|show|notify|alert|disclose)\\b.{0,30}"
                 "\\b(user|human|person|operator)\\b")},
    {BT_WRAP_TEXT_INJECTION_RULE_SECRECY,
     BT_STR_INIT("\\bwithout\\b.{0,20}\\b(telling|informing|notifying|asking)\\b.{0,20}"
                 "\\b(user|human|person|operator)\\b")},
    {BT_WRAP_TEXT_INJECTION_RULE_TAG,
     BT_STR_INIT("</?\\s*(system|important|instructions?|secret|hidden|admin)\\s*>")},
    {BT_WRAP_TEXT_INJECTION_RULE_PROMPT, BT_STR_INIT("\\bsystem prompt\\b")},
    {BT_WRAP_TEXT_INJECTION_RULE_FILE,
     BT_STR_INIT("(~|\\$home)/\\.(ssh|aws|gnupg|netrc)\\b|\\bid_(rsa|ed25519)\\b|"
                 "/etc/(passwd|shadow)\\b|\\bmcp\\.json\\b")},
    {BT_WRAP_TEXT_INJECTION_RULE_RELAY, BT_STR_INIT("\\b(bcc|forward|send|upload|post)\\b.{0,60}"
                                                    "(@[a-z0-9.-]+\\.[a-z]{2,}|https?://)")},
};

enum bt_status bt_wrap_texts_init(struct bt_wrap_texts *texts)
{
    *texts = (struct bt_wrap_texts){0};
    bt_arena_init(&texts->arena, PATTERNS_BYTES_MAX);
    for (size_t i = 0; i < BT_WRAP_PHRASES; i++) {
        struct bt_regex_compile_result result = BT_INIT(struct bt_regex_compile_result);
        BT_TRY(bt_regex_compile(&texts->arena, phrases[i].pattern, NULL, &result));
        assert(result.regex);
        texts->phrases[i] = result.regex;
    }
    return bt_regex_matcher_create(NULL, &texts->matcher);
}

void bt_wrap_texts_free(struct bt_wrap_texts *texts)
{
    bt_regex_matcher_destroy(texts->matcher);
    bt_arena_free(&texts->arena);
}

/* ---- Hidden characters ----------------------------------------------------------------------- */

static bool is_hidden(uint32_t point)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x08},     {0x0b, 0x0c},       {0x0e, 0x1f},       {0x7f, 0x9f},
        {0xad, 0xad},     {0x61c, 0x61c},     {0x180e, 0x180e},   {0x200b, 0x200c},
        {0x200e, 0x200f}, {0x202a, 0x202e},   {0x2060, 0x206f},   {0xfeff, 0xfeff},
        {0xfff9, 0xfffb}, {0xe0000, 0xe007f}, {0xe0100, 0xe01ef},
    };
    for (size_t i = 0; i < BT_COUNT_OF(ranges); i++) {
        if (point >= ranges[i][0] && point <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

static bool is_selector(uint32_t point)
{
    return point >= 0xfe00 && point <= 0xfe0f;
}

/* Whether the code point between two others is hidden. 0: there is none on that side. */
static bool is_hidden_between(uint32_t before, uint32_t point, uint32_t after)
{
    enum { JOINER = 0x200d, FIRST_JOINED = 0x2190 };
    if (point == JOINER) {
        return before < FIRST_JOINED || after < FIRST_JOINED;
    }
    return is_hidden(point) || (is_selector(before) && is_selector(point));
}

static enum bt_status add_character(struct bt_arena *arena, uint32_t point, bt_str *list,
                                    size_t *count)
{
    bt_str shown;
    BT_TRY(bt_arena_printf(arena, &shown, "U+%04" PRIX32, point));
    for (size_t i = 0; i < *count; i++) {
        if (bt_str_eq(list[i], shown)) {
            return BT_OK;
        }
    }
    list[(*count)++] = shown;
    return BT_OK;
}

static enum bt_status check_hidden(const struct bt_wrap_text_check *check, bt_str pointer,
                                   bt_str text)
{
    bt_str found[HIDDEN_SHOWN_MAX];
    size_t count = 0;
    uint32_t before = 0;
    for (size_t at = 0; at < text.len && count < HIDDEN_SHOWN_MAX;) {
        uint32_t point = 0;
        uint32_t after = 0;
        at += bt_utf8_decode(text, at, &point);
        if (at < text.len) {
            (void)bt_utf8_decode(text, at, &after);
        }
        if (is_hidden_between(before, point, after)) {
            BT_TRY(add_character(check->memory.arena, point, found, &count));
        }
        before = point;
    }
    return count == 0 ? BT_OK
                      : bt_add_wrap_text_hidden(check->findings, check->severity,
                                                bt_location_pointer(pointer, BT_OFFSET_NONE),
                                                (struct bt_str_list){found, count});
}

/* ---- Phrases --------------------------------------------------------------------------------- */

static bool is_space(uint32_t point)
{
    return point == ' ' || (point >= '\t' && point <= '\r') || point == 0x85 || point == 0xa0 ||
           point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
           point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

static enum bt_status normalise_text(struct bt_arena *arena, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    bool was_space = false;
    bt_buf_init(&buf, text.len + 1);
    for (size_t at = 0; at < text.len;) {
        uint32_t point = 0;
        const size_t size = bt_utf8_decode(text, at, &point);
        const bool is_blank = is_space(point);
        if (is_blank && !was_space) {
            bt_buf_put_char(&buf, ' ');
        } else if (!is_blank && size == 1) {
            bt_buf_put_char(&buf, bt_ascii_lower(text.ptr[at]));
        } else if (!is_blank) {
            bt_buf_put(&buf, bt_str_slice(text, at, at + size));
        }
        was_space = is_blank;
        at += size;
    }
    return bt_buf_finish(&buf, arena, out);
}

static bool is_word_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '_';
}

/* True where a text can be cut without making or hiding the end of a word. */
static bool is_cut(bt_str text, size_t at)
{
    if (at == 0 || at == text.len) {
        return true;
    }
    return is_word_byte(text.ptr[at - 1]) != is_word_byte(text.ptr[at]) &&
           ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
}

static bool phrase_matches(const struct bt_wrap_text_check *check, size_t phrase, bt_str text)
{
    return bt_regex_match(check->texts->phrases[phrase], check->texts->matcher, text) ==
           BT_REGEX_MATCH;
}

/*
 * The first match: what ends first, and begins as late as it can. Both are found by halving, since
 * a longer text has every match of a shorter one.
 */
static bt_str find_match(const struct bt_wrap_text_check *check, size_t phrase, bt_str text)
{
    size_t low = 0;
    size_t high = text.len;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        size_t cut = middle;
        while (cut < high && !is_cut(text, cut)) {
            cut++;
        }
        if (cut < high && phrase_matches(check, phrase, bt_str_slice(text, 0, cut))) {
            high = cut;
        } else {
            low = middle;
        }
    }
    const size_t end = high;
    for (low = 0; low + 1 < high;) {
        const size_t middle = low + (high - low) / 2;
        size_t cut = middle;
        while (cut > low && !is_cut(text, cut)) {
            cut--;
        }
        if (cut > low && phrase_matches(check, phrase, bt_str_slice(text, cut, end))) {
            low = cut;
        } else {
            high = cut > low ? cut : middle;
        }
    }
    return bt_str_slice(text, low, end);
}

static enum bt_status check_phrases(const struct bt_wrap_text_check *check, bt_str pointer,
                                    bt_str text)
{
    enum bt_wrap_text_injection_rule last_rule = BT_WRAP_TEXT_INJECTION_RULE__NONE;
    bt_str normal;
    BT_TRY(normalise_text(check->memory.arena, text, &normal));
    for (size_t i = 0; i < BT_WRAP_PHRASES; i++) {
        if (phrases[i].rule != last_rule && phrase_matches(check, i, normal)) {
            last_rule = phrases[i].rule;
            BT_TRY(bt_add_wrap_text_injection(check->findings, check->severity,
                                              bt_location_pointer(pointer, BT_OFFSET_NONE),
                                              last_rule, find_match(check, i, normal)));
        }
    }
    return BT_OK;
}

enum bt_status bt_wrap_check_text(const struct bt_wrap_text_check *check, bt_str pointer,
                                  bt_str text)
{
    BT_TRY(check_hidden(check, pointer, text));
    return check_phrases(check, pointer, text);
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static enum bt_status check_value(const struct bt_wrap_text_check *check,
                                  const struct bt_wrap_item *item, bt_str base,
                                  const struct bt_json_walk_value *at)
{
    struct bt_buf buf;
    bt_str pointer;
    const bool is_text = bt_json_type(at->value) == BT_JSON_STRING;
    if (!is_text && !at->member) {
        return BT_OK;
    }
    bt_buf_init(&buf, BT_WRAP_LOCK_BYTES_MAX * 2);
    bt_buf_put(&buf, base);
    bt_json_put_value_pointer(&buf, item->document, at->value);
    BT_TRY(bt_buf_finish(&buf, check->memory.arena, &pointer));
    if (at->member) {
        BT_TRY(bt_wrap_check_text(check, pointer, bt_json_name(at->member)));
    }
    return is_text ? bt_wrap_check_text(check, pointer, bt_json_text(at->value)) : BT_OK;
}

enum bt_status bt_wrap_check_item_texts(const struct bt_wrap_text_check *check,
                                        enum bt_wrap_kind kind, const struct bt_wrap_item *item)
{
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value at;
    bt_str base;
    BT_TRY(bt_wrap_item_pointer(check->memory.arena, kind, item->key, &base));
    bt_json_walk_begin(&walk, bt_json_root(item->document));
    while (bt_json_walk_next(&walk, &at)) {
        BT_TRY(check_value(check, item, base, &at));
    }
    return BT_OK;
}
