/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_read.c - scan an entry along the only spelling it can have.
 *
 * Names come in the order of the table, no string needs an escape, numbers are plain digits: a text
 * that deviates is either not canonical or not an entry.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "base/civil_time.h"
#include "ledger/entry_shape.h"

/* The rest of the text; `ok` becomes false at the first byte that does not fit. */
struct ledger_entry_read_walk {
    const char *at;
    const char *end;
    bool ok;
};

enum { DELIVER_DIGITS_MAX = 16 };
enum {
    LENGTH_MAX = 200,
    CODE_LENGTH_MAX = 64,
    SHA256_HEX_BYTES = 64,
    YEAR_MIN = 1970,
    BLOCK_BYTES = 16
};

static bool is_between(char byte, char first, char last)
{
    return (unsigned)(unsigned char)byte - (unsigned)(unsigned char)first <=
           (unsigned)(unsigned char)last - (unsigned)(unsigned char)first;
}

static bool is_letter_or_digit(char byte)
{
    return is_between((char)(byte | 0x20), 'a', 'z') || is_between(byte, '0', '9');
}

/* ". / 0 to 9 :" follow "-" in ASCII. */
static bool is_of_name(char byte)
{
    return is_between((char)(byte | 0x20), 'a', 'z') || is_between(byte, '-', ':') || byte == '_' ||
           byte == '@' || byte == '+';
}

/* How many bytes at the start fit the pattern, without its bound. A text may also have spaces
 * and commas. */
static size_t count_fitting(const char *at, const char *end, bool is_text)
{
    const char *from = at;
    if (at == end || !is_letter_or_digit(*at)) {
        return 0;
    }
    while (at < end && (is_of_name(*at) || (is_text && (*at == ' ' || *at == ',')))) {
        at++;
    }
    return (size_t)(at - from);
}

static bool is_like(bt_str text, bool is_text)
{
    return text.len > 0 && text.len <= LENGTH_MAX &&
           count_fitting(text.ptr, text.ptr + text.len, is_text) == text.len;
}

/* True when the first `count` bytes fit a name, of which 16 can be read. */
static bool is_name_block(const char block[BLOCK_BYTES], size_t count)
{
    typedef uint8_t vector __attribute__((vector_size(BLOCK_BYTES)));
    static const vector places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    vector bytes;
    uint64_t odd[2];
    memcpy(&bytes, block, sizeof(bytes));
    const vector fits = (vector)((bytes | 0x20) - 'a' <= 'z' - 'a') |
                        (vector)(bytes - '-' <= ':' - '-') | (vector)(bytes == '_') |
                        (vector)(bytes == '@') | (vector)(bytes == '+');
    const uint8_t end = count < BLOCK_BYTES ? (uint8_t)count : BLOCK_BYTES;
    const vector is_odd = ~fits & (vector)(places < end);
    memcpy(odd, &is_odd, sizeof(odd));
    return (odd[0] | odd[1]) == 0;
}

bool bt_entry_name_fits(const char *at, size_t count, size_t readable)
{
    assert(count <= readable);
    size_t done = 0;
    if (count == 0 || count > LENGTH_MAX || !is_letter_or_digit(*at)) {
        return false;
    }
    for (; done < count && readable - done >= BLOCK_BYTES; done += BLOCK_BYTES) {
        if (!is_name_block(at + done, count - done)) {
            return false;
        }
    }
    for (; done < count; done++) {
        if (!is_of_name(at[done])) {
            return false;
        }
    }
    return true;
}

bool bt_entry_name_is_valid(bt_str text)
{
    return bt_entry_name_fits(text.ptr, text.len, text.len);
}

bool bt_entry_text_is_valid(bt_str text)
{
    return is_like(text, true);
}

/* The loop has no early exit and no bool, so that compilers vectorise it; the same holds for
 * is_time(). */
static bool is_hex(const char digits[SHA256_HEX_BYTES])
{
    uint8_t odd = 0;
    for (size_t i = 0; i < SHA256_HEX_BYTES; i++) {
        const uint8_t from_zero = (uint8_t)(digits[i] - '0');
        const uint8_t from_a = (uint8_t)(digits[i] - 'a');
        odd |= (uint8_t)((from_zero > 9) & (from_a > 5));
    }
    return odd == 0;
}

bool bt_entry_sha256_is_valid(bt_str text)
{
    return text.len == SHA256_HEX_BYTES && is_hex(text.ptr);
}

/* Digits and punctuation in the right positions; whether the date exists is another rule. */
static bool is_time(const char text[BT_ENTRY_TIME_BYTES])
{
    static const char first[] = "0000-00-00T00:00:00.000Z";
    static const char last[] = "9999-99-99T99:99:99.999Z";
    uint8_t odd = 0;
    for (size_t i = 0; i < BT_ENTRY_TIME_BYTES; i++) {
        odd |= (uint8_t)((uint8_t)(text[i] - first[i]) > (uint8_t)(last[i] - first[i]));
    }
    return odd == 0;
}

static int two_digits(const char *at)
{
    return (at[0] - '0') * 10 + at[1] - '0';
}

bool bt_entry_time_is_valid(bt_str text)
{
    if (text.len != BT_ENTRY_TIME_BYTES || !is_time(text.ptr)) {
        return false;
    }
    const struct bt_civil_time civil = {
        .year = two_digits(text.ptr) * 100 + two_digits(text.ptr + 2),
        .month = two_digits(text.ptr + 5),
        .day = two_digits(text.ptr + 8),
        .hour = two_digits(text.ptr + 11),
        .minute = two_digits(text.ptr + 14),
        .second = two_digits(text.ptr + 17),
        .zone_sign = 1,
    };
    return bt_civil_time_is_valid(&civil) && civil.year >= YEAR_MIN && civil.second < 60;
}

static bool is_code(bt_str text)
{
    if (text.len < 2 || text.len > CODE_LENGTH_MAX || !is_between(text.ptr[0], 'A', 'Z')) {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!is_between(byte, 'A', 'Z') && !is_between(byte, '0', '9') && byte != '_') {
            return false;
        }
    }
    return true;
}

static bool next_is(const struct ledger_entry_read_walk *walk, char byte)
{
    return walk->at < walk->end && *walk->at == byte;
}

static void skip_byte(struct ledger_entry_read_walk *walk, char byte)
{
    walk->ok = walk->ok && next_is(walk, byte);
    walk->at += walk->ok;
}

/* Take `count` bytes and the closing quote, when they fit and are there. */
static bt_str take_quoted(struct ledger_entry_read_walk *walk, size_t count, bool fits)
{
    const bt_str text = {walk->at, count};
    walk->ok = walk->ok && fits;
    walk->at += walk->ok ? count : 0;
    skip_byte(walk, '"');
    return walk->ok ? text : BT_STR("");
}

/* A string of a fixed length. */
static bt_str take_fixed(struct ledger_entry_read_walk *walk, size_t count,
                         bool (*fits)(const char *text))
{
    skip_byte(walk, '"');
    const bool is_there = walk->ok && (size_t)(walk->end - walk->at) > count;
    return take_quoted(walk, count, is_there && fits(walk->at));
}

/* A string of the pattern `name` or `text`. */
static bt_str take_like(struct ledger_entry_read_walk *walk, bool is_text)
{
    skip_byte(walk, '"');
    const size_t count = walk->ok ? count_fitting(walk->at, walk->end, is_text) : 0;
    return take_quoted(walk, count, count > 0 && count <= LENGTH_MAX);
}

/* A word; the caller checks which. None is as long as a code can be, and none needs an escape. */
static bt_str take_word(struct ledger_entry_read_walk *walk)
{
    size_t count = 0;
    skip_byte(walk, '"');
    while (walk->ok && count <= CODE_LENGTH_MAX && walk->at + count < walk->end &&
           walk->at[count] != '"') {
        count++;
    }
    return take_quoted(walk, count, true);
}

static uint64_t take_number(struct ledger_entry_read_walk *walk)
{
    const char *from = walk->at;
    uint64_t number = 0;
    while (walk->at < walk->end && is_between(*walk->at, '0', '9') && number <= BT_SEQ_MAX) {
        number = number * 10 + (uint64_t)(*walk->at++ - '0');
    }
    const ptrdiff_t count = walk->at - from;
    walk->ok = walk->ok && number <= BT_SEQ_MAX && (count == 1 || (count > 1 && *from != '0'));
    return number;
}

static enum bt_entry_optional_bool take_bool(struct ledger_entry_read_walk *walk)
{
    const bool is_true = next_is(walk, 't');
    const char *word = is_true ? "true" : "false";
    const size_t length = is_true ? 4 : 5;
    walk->ok = walk->ok && (size_t)(walk->end - walk->at) >= length &&
               bt_entry_same_bytes(walk->at, word, length);
    walk->at += walk->ok ? length : 0;
    return is_true ? BT_TRUE : BT_FALSE;
}

/* True when a word is new to the list. A sorted list, which is what we write, needs one
 * comparison. */
static bool is_new(const struct bt_entry_words *words, bt_str word)
{
    if (words->count > 0 && bt_str_compare(words->items[words->count - 1], word) < 0) {
        return true;
    }
    for (size_t i = 0; i < words->count; i++) {
        if (bt_str_eq(words->items[i], word)) {
            return false;
        }
    }
    return true;
}

static void take_words(struct ledger_entry_read_walk *walk, const struct bt_entry_row *row,
                       struct bt_entry_words *out)
{
    out->count = 0;
    skip_byte(walk, '[');
    while (walk->ok && !next_is(walk, ']')) {
        if (out->count > 0) {
            skip_byte(walk, ',');
        }
        const bt_str word = take_word(walk);
        const bool fits = row->words ? bt_entry_is_one_of(word, row->words) : is_code(word);
        walk->ok = walk->ok && fits && out->count < BT_ENTRY_WORDS_MAX && is_new(out, word);
        if (walk->ok) {
            out->items[out->count++] = word;
        }
    }
    skip_byte(walk, ']');
    walk->ok = walk->ok && (out->count > 0 || row->type == BT_ENTRY_CODES);
}

/* One promised delivery: "h" or "w", and a number. */
static bt_str take_delivery(struct ledger_entry_read_walk *walk)
{
    const bt_str word = take_word(walk);
    walk->ok = walk->ok && word.len >= 2 && word.len <= 1 + DELIVER_DIGITS_MAX &&
               (word.ptr[0] == 'h' || word.ptr[0] == 'w');
    for (size_t i = 1; i < word.len && walk->ok; i++) {
        walk->ok = is_between(word.ptr[i], '0', '9');
    }
    return word;
}

static void take_deliver(struct ledger_entry_read_walk *walk, bt_str out[2])
{
    skip_byte(walk, '[');
    out[0] = take_delivery(walk);
    out[1] = BT_STR("");
    if (walk->ok && next_is(walk, ',')) {
        skip_byte(walk, ',');
        out[1] = take_delivery(walk);
    }
    skip_byte(walk, ']');
}

static bt_str take_string(struct ledger_entry_read_walk *walk, const struct bt_entry_row *row)
{
    bt_str word;
    switch (row->type) {
    case BT_ENTRY_NAME:
        return take_like(walk, false);
    case BT_ENTRY_TEXT:
        return take_like(walk, true);
    case BT_ENTRY_SHA256:
        return take_fixed(walk, SHA256_HEX_BYTES, is_hex);
    case BT_ENTRY_TIME:
        return take_fixed(walk, BT_ENTRY_TIME_BYTES, is_time);
    case BT_ENTRY_WORD:
        word = take_word(walk);
        walk->ok = walk->ok && bt_entry_is_one_of(word, row->words);
        return word;
    case BT_ENTRY_SEQ:
    case BT_ENTRY_COUNT:
    case BT_ENTRY_VERSION:
    case BT_ENTRY_BOOL:
    case BT_ENTRY_TRULY:
    case BT_ENTRY_CODES:
    case BT_ENTRY_WORDS:
    case BT_ENTRY_DELIVER:
    case BT_ENTRY_OBJECT:
        break;
    }
    assert(false); /* these members are not strings */
    return BT_STR("");
}

/* The value of a member that is not an object. */
static void take_plain(struct ledger_entry_read_walk *walk, const struct bt_entry_row *row,
                       struct bt_entry *entry)
{
    void *place = (char *)entry + row->place;
    if (bt_entry_type_is_number(row->type)) {
        const uint64_t number = take_number(walk);
        *(uint64_t *)place = number;
        walk->ok = walk->ok && (row->type == BT_ENTRY_SEQ || number >= 1) &&
                   (row->type != BT_ENTRY_VERSION || number <= BT_ENTRY_VERSION_MAX);
    } else if (row->type == BT_ENTRY_BOOL || row->type == BT_ENTRY_TRULY) {
        const enum bt_entry_optional_bool truth = take_bool(walk);
        *(enum bt_entry_optional_bool *)place = truth;
        walk->ok = walk->ok && (row->type == BT_ENTRY_BOOL || truth == BT_TRUE);
    } else if (row->type == BT_ENTRY_CODES || row->type == BT_ENTRY_WORDS) {
        take_words(walk, row, place);
    } else if (row->type == BT_ENTRY_DELIVER) {
        take_deliver(walk, place);
    } else {
        *(bt_str *)place = take_string(walk, row);
    }
}

/* Take `"name":` when it is the next member. The first letter distinguishes most names. */
static bool take_name(struct ledger_entry_read_walk *walk, const struct bt_entry_row *row,
                      bool is_first)
{
    const bt_str lead = bt_entry_lead(row, is_first);
    const size_t letter = is_first ? 1 : 2;
    if (!walk->ok || (size_t)(walk->end - walk->at) <= lead.len ||
        walk->at[letter] != lead.ptr[letter] ||
        !bt_entry_same_bytes(walk->at, lead.ptr, lead.len)) {
        return false;
    }
    walk->at += lead.len;
    return true;
}

static void take_object(struct ledger_entry_read_walk *walk, const struct bt_entry_shape *shape,
                        struct bt_entry *entry)
{
    size_t count = 0;
    skip_byte(walk, '{');
    for (size_t i = 0; i < shape->count && walk->ok; i++) {
        if (take_name(walk, &shape->rows[i], count == 0)) {
            take_plain(walk, &shape->rows[i], entry);
            count++;
        } else {
            walk->ok = walk->ok && !shape->rows[i].required;
        }
    }
    skip_byte(walk, '}');
    walk->ok = walk->ok && count > 0;
}

/* What one version has and the other does not. */
static bool fits_version(const struct bt_entry *entry)
{
    return entry->v == 1 ? entry->n.actor == BT_SEQ_ABSENT && entry->deliver[0].len == 0 &&
                               entry->judge.rules.len == 0 && !bt_entry_kind_is_new(entry->kind)
                         : entry->n.actor != BT_SEQ_ABSENT;
}

bool bt_entry_read(bt_str text, struct bt_entry *out)
{
    assert(text.ptr);
    assert(out);
    struct ledger_entry_read_walk walk = {text.ptr, text.ptr + text.len,
                                          text.len <= BT_ENTRY_BYTES_MAX};
    bt_entry_init(out);
    skip_byte(&walk, '{');
    for (size_t i = 0; i < bt_entry_shape.count && walk.ok; i++) {
        const struct bt_entry_row *row = &bt_entry_shape.rows[i];
        if (!take_name(&walk, row, walk.at == text.ptr + 1)) {
            walk.ok = walk.ok && !row->required;
        } else if (row->type == BT_ENTRY_OBJECT) {
            take_object(&walk, row->shape, out);
        } else {
            take_plain(&walk, row, out);
        }
    }
    skip_byte(&walk, '}');
    return walk.ok && walk.at == walk.end && fits_version(out);
}
