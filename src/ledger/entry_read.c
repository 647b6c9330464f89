/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_read.c - a walk along the one spelling that an entry can have.
 *
 * Names come in the order of the table, no string needs an escape, numbers are plain digits: where
 * the text leaves the way, it is either not canonical or not an entry.
 */
#include <assert.h>
#include <string.h>

#include "ledger/entry_shape.h"

/* Where the walk stands; `ok` falls to false at the first byte that does not fit. */
struct walk {
    bt_str text;
    size_t at;
    bool ok;
};

enum { LENGTH_MAX = 200, CODE_LENGTH_MAX = 64 };

static bool is_letter_or_digit(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9');
}

/* 1 to 200 bytes, the first a letter or digit, the others also one of `more`. */
static bool is_like(bt_str text, const char *more)
{
    if (text.len == 0 || text.len > LENGTH_MAX || !is_letter_or_digit(text.ptr[0])) {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (!is_letter_or_digit(text.ptr[i]) &&
            (text.ptr[i] == '\0' || !strchr(more, text.ptr[i]))) {
            return false;
        }
    }
    return true;
}

bool bt_entry_name_is(bt_str text)
{
    return is_like(text, "._:/@+-");
}

bool bt_entry_text_is(bt_str text)
{
    return is_like(text, " ._:/@+,-");
}

bool bt_entry_sha256_is(bt_str text)
{
    bool fits = text.len == 64;
    for (size_t i = 0; i < text.len && fits; i++) {
        const char byte = text.ptr[i];
        fits = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f');
    }
    return fits;
}

/* Digits and marks where they belong; whether the date exists is another rule. */
static bool is_time(bt_str text)
{
    static const char form[] = "0000-00-00T00:00:00.000Z";
    bool fits = text.len == sizeof(form) - 1;
    for (size_t i = 0; i < text.len && fits; i++) {
        const char byte = text.ptr[i];
        fits = form[i] == '0' ? byte >= '0' && byte <= '9' : byte == form[i];
    }
    return fits;
}

static bool is_code(bt_str text)
{
    if (text.len < 2 || text.len > CODE_LENGTH_MAX || text.ptr[0] < 'A' || text.ptr[0] > 'Z') {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!(byte >= 'A' && byte <= 'Z') && !(byte >= '0' && byte <= '9') && byte != '_') {
            return false;
        }
    }
    return true;
}

static bool next_is(const struct walk *walk, bt_str text)
{
    return bt_str_starts(bt_str_slice(walk->text, walk->at, walk->text.len), text);
}

static void take(struct walk *walk, bt_str text)
{
    walk->ok = walk->ok && next_is(walk, text);
    walk->at += text.len;
}

/* The bytes between two quotes. The patterns allow neither quotes nor escapes inside. */
static bt_str take_string(struct walk *walk)
{
    take(walk, BT_STR("\""));
    const size_t end = bt_str_find(walk->text, '"', walk->at);
    const bt_str text = bt_str_slice(walk->text, walk->at, end);
    walk->at = end;
    take(walk, BT_STR("\""));
    return text;
}

static uint64_t take_number(struct walk *walk)
{
    size_t end = walk->at;
    while (end < walk->text.len && walk->text.ptr[end] >= '0' && walk->text.ptr[end] <= '9') {
        end++;
    }
    const bt_str digits = bt_str_slice(walk->text, walk->at, end);
    uint64_t number = 0;
    walk->ok = walk->ok && bt_str_to_u64(digits, &number) == BT_OK && number <= BT_SEQ_MAX &&
               (digits.len == 1 || digits.ptr[0] != '0');
    walk->at = end;
    return number;
}

static enum bt_maybe take_bool(struct walk *walk)
{
    const bool is_true = next_is(walk, BT_STR("true"));
    take(walk, is_true ? BT_STR("true") : BT_STR("false"));
    return is_true ? BT_TRUE : BT_FALSE;
}

/* Whether a word is new to the list. Sorted lists, which all of ours are, need one comparison. */
static bool is_new(const struct bt_words *words, bt_str word)
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

static void take_words(struct walk *walk, const struct bt_entry_row *row, struct bt_words *out)
{
    out->count = 0;
    take(walk, BT_STR("["));
    while (walk->ok && !next_is(walk, BT_STR("]"))) {
        if (out->count > 0) {
            take(walk, BT_STR(","));
        }
        const bt_str word = take_string(walk);
        const bool fits = row->words ? bt_entry_is_one_of(word, row->words) : is_code(word);
        walk->ok = walk->ok && fits && out->count < BT_ENTRY_WORDS_MAX && is_new(out, word);
        if (walk->ok) {
            out->items[out->count++] = word;
        }
    }
    take(walk, BT_STR("]"));
    walk->ok = walk->ok && (out->count > 0 || row->type == BT_ENTRY_CODES);
}

static bool fits_string(const struct bt_entry_row *row, bt_str text)
{
    switch (row->type) {
    case BT_ENTRY_NAME:
        return bt_entry_name_is(text);
    case BT_ENTRY_TEXT:
        return bt_entry_text_is(text);
    case BT_ENTRY_SHA256:
        return bt_entry_sha256_is(text);
    case BT_ENTRY_TIME:
        return is_time(text);
    case BT_ENTRY_WORD:
        return bt_entry_is_one_of(text, row->words);
    case BT_ENTRY_SEQ:
    case BT_ENTRY_ONE:
    case BT_ENTRY_BOOL:
    case BT_ENTRY_TRULY:
    case BT_ENTRY_CODES:
    case BT_ENTRY_WORDS:
    case BT_ENTRY_OBJECT:
        break;
    }
    return false;
}

/* The value of a member that is no object. */
static void take_plain(struct walk *walk, const struct bt_entry_row *row, struct bt_entry *entry)
{
    void *place = (char *)entry + row->place;
    if (row->type == BT_ENTRY_SEQ || row->type == BT_ENTRY_ONE) {
        const uint64_t number = take_number(walk);
        *(uint64_t *)place = number;
        walk->ok = walk->ok && (row->type == BT_ENTRY_SEQ || number == 1);
    } else if (row->type == BT_ENTRY_BOOL || row->type == BT_ENTRY_TRULY) {
        const enum bt_maybe truth = take_bool(walk);
        *(enum bt_maybe *)place = truth;
        walk->ok = walk->ok && (row->type == BT_ENTRY_BOOL || truth == BT_TRUE);
    } else if (row->type == BT_ENTRY_CODES || row->type == BT_ENTRY_WORDS) {
        take_words(walk, row, place);
    } else {
        const bt_str text = take_string(walk);
        *(bt_str *)place = text;
        walk->ok = walk->ok && fits_string(row, text);
    }
}

/* `"name":` when it is the next member. */
static bool take_name(struct walk *walk, bt_str name, bool is_first)
{
    const size_t from = walk->at + (is_first ? 0 : 1);
    const bt_str rest = bt_str_slice(walk->text, from, walk->text.len);
    const bool fits = rest.len > name.len + 2 && rest.ptr[0] == '"' &&
                      memcmp(rest.ptr + 1, name.ptr, name.len) == 0 &&
                      rest.ptr[name.len + 1] == '"' && rest.ptr[name.len + 2] == ':';
    if (!walk->ok || !fits || (!is_first && walk->text.ptr[walk->at] != ',')) {
        return false;
    }
    walk->at = from + name.len + 3;
    return true;
}

static void take_object(struct walk *walk, const struct bt_entry_shape *shape,
                        struct bt_entry *entry)
{
    size_t count = 0;
    take(walk, BT_STR("{"));
    for (size_t i = 0; i < shape->count && walk->ok; i++) {
        if (take_name(walk, shape->rows[i].name, count == 0)) {
            take_plain(walk, &shape->rows[i], entry);
            count++;
        } else {
            walk->ok = walk->ok && !shape->rows[i].required;
        }
    }
    take(walk, BT_STR("}"));
    walk->ok = walk->ok && count > 0;
}

bool bt_entry_read(bt_str text, struct bt_entry *out)
{
    assert(out);
    struct walk walk = {.text = text, .ok = text.len <= BT_ENTRY_BYTES_MAX};
    bt_entry_init(out);
    take(&walk, BT_STR("{"));
    for (size_t i = 0; i < bt_entry_shape.count && walk.ok; i++) {
        const struct bt_entry_row *row = &bt_entry_shape.rows[i];
        if (!take_name(&walk, row->name, walk.at == 1)) {
            walk.ok = walk.ok && !row->required;
        } else if (row->type == BT_ENTRY_OBJECT) {
            take_object(&walk, row->shape, out);
        } else {
            take_plain(&walk, row, out);
        }
    }
    take(&walk, BT_STR("}"));
    return walk.ok && walk.at == text.len;
}
