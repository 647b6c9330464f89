/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shorten.c - truncate texts visibly, at a space if there is one, with "..." after; and the strings
 * below a value that are longer than a bound.
 *
 * Texts may hold lone surrogates in three bytes, so code points are recognised by their first byte.
 */
#include "dialect/universal/shorten.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/uninitialized.h"
#include "base/vec.h"
#include "json/value_pointer.h"
#include "json/walk.h"

static const bt_str mark = BT_STR_INIT("...");

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

/* Whether a code point begins with this byte. */
static bool is_code_point_start(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

static enum bt_status with_mark(struct bt_arena *arena, bt_str text, bt_str *out)
{
    char *copy = bt_arena_alloc(arena, text.len + mark.len);
    BT_TRY(copy ? BT_OK : BT_ENOMEM);
    memcpy(copy, text.ptr, text.len);
    memcpy(copy + text.len, mark.ptr, mark.len);
    *out = (bt_str){copy, text.len + mark.len};
    return BT_OK;
}

enum bt_status bt_universal_truncate(struct bt_arena *arena, bt_str text, size_t limit, bt_str *out)
{
    assert(limit > mark.len);
    size_t count = 0;
    size_t end = 0;
    for (size_t at = 0; at < text.len && count <= limit; at++) {
        if (is_code_point_start(text.ptr[at])) {
            end = count == limit - mark.len ? at : end;
            count++;
        }
    }
    if (count <= limit) {
        *out = text;
        return BT_OK;
    }
    return with_mark(arena, bt_str_slice(text, 0, end), out);
}

enum bt_status bt_universal_shorten(struct bt_arena *arena, bt_str text, size_t limit, bt_str *out)
{
    assert(limit > mark.len);
    const size_t keep = limit - mark.len; /* code points that can stay */
    size_t index = 0;
    size_t end = 0; /* in bytes, like `blank` */
    size_t blank = text.len;
    size_t blank_index = 0;
    for (size_t at = 0; at < text.len && index <= keep; at++) {
        if (!is_code_point_start(text.ptr[at])) {
            continue;
        }
        end = at;
        if (is_blank(text.ptr[at])) {
            blank = at;
            blank_index = index;
        }
        index++;
    }
    assert(index > keep);
    if (blank < text.len && blank_index >= limit / 2) {
        end = blank;
    }
    while (end > 0 && is_blank(text.ptr[end - 1])) {
        end--;
    }
    return with_mark(arena, bt_str_slice(text, 0, end), out);
}

/* Whether the text up to `end`, with the mark, has fewer tokens. */
static enum bt_status is_under(struct bt_arena *arena, bt_str text, struct bt_tokens *counter,
                               uint64_t tokens, bool *out)
{
    const struct bt_arena_mark before = bt_arena_mark(arena);
    bt_str marked = BT_STR("");
    uint64_t count = 0;
    BT_TRY(with_mark(arena, text, &marked));
    BT_TRY(bt_tokens_count(counter, marked, &count));
    bt_arena_rewind(arena, before);
    *out = count < tokens;
    return BT_OK;
}

/* Whether a prefix may end at `end`: before a blank and not in one, or, where no such prefix will
 * do, between any two code points. */
static bool may_end(bt_str text, size_t end, bool anywhere)
{
    if (anywhere) {
        return end == 0 || end == text.len || is_code_point_start(text.ptr[end]);
    }
    return end > 0 && end < text.len && is_blank(text.ptr[end]) && !is_blank(text.ptr[end - 1]);
}

enum bt_status bt_universal_shorten_to_tokens(struct bt_arena *arena, bt_str text,
                                              struct bt_tokens *counter, uint64_t tokens,
                                              bt_str *out)
{
    assert(tokens > 1); /* the mark alone is one */
    uint64_t count = 0;
    BT_TRY(bt_tokens_count(counter, text, &count));
    if (count < tokens) {
        *out = text;
        return BT_OK;
    }
    for (size_t i = 0; i < 2 * (text.len + 1); i++) {
        const bool anywhere = i > text.len;
        const size_t end = anywhere ? 2 * text.len + 1 - i : text.len - i;
        bool under = false;
        if (!may_end(text, end, anywhere)) {
            continue;
        }
        BT_TRY(is_under(arena, bt_str_slice(text, 0, end), counter, tokens, &under));
        if (under) {
            return with_mark(arena, bt_str_slice(text, 0, end), out);
        }
    }
    return with_mark(arena, BT_STR(""), out);
}

enum bt_status bt_universal_shorten_summary(struct bt_arena *arena, bt_str text, size_t min,
                                            size_t max, bt_str *out)
{
    size_t index = 0; /* of the code point that begins at `at` */
    size_t end = 0;
    bool found = false;
    for (size_t at = 0; at < text.len && index <= max; at++) {
        if (!is_code_point_start(text.ptr[at])) {
            continue;
        }
        if (!found && index == min) {
            end = at; /* where there is no white space */
        }
        if (index >= min && may_end(text, at, false)) {
            end = at;
            found = true;
        }
        index++;
    }
    return with_mark(arena, bt_str_slice(text, 0, end), out);
}

static enum bt_status add_long_text(const struct bt_json_doc *document, const bt_json_value *value,
                                    size_t limit, struct bt_arena *arena,
                                    struct bt_universal_long_texts *texts)
{
    struct bt_universal_long_text found = {.text = bt_json_text(value)};
    found.code_points = found.text.len > limit ? bt_utf8_count(found.text) : 0;
    if (found.code_points <= limit) {
        return BT_OK;
    }
    BT_TRY(bt_json_value_pointer(document, value, arena, &found.pointer));
    return bt_vec_push(arena, texts, found);
}

enum bt_status bt_universal_long_texts_find(const struct bt_json_doc *document,
                                            const bt_json_value *value, size_t limit,
                                            struct bt_arena *arena,
                                            struct bt_universal_long_texts *out)
{
    assert(value);
    assert(out);
    struct bt_universal_long_texts texts = {NULL, 0, 0};
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    BT_TRY(add_long_text(document, value, limit, arena, &texts));
    bt_json_walk_begin(&walk, value);
    while (bt_json_walk_next(&walk, &walked)) {
        BT_TRY(add_long_text(document, walked.value, limit, arena, &texts));
    }
    *out = texts;
    return BT_OK;
}
