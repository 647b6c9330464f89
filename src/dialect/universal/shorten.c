/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shorten.c - truncate texts visibly, at a space if there is one, with "..." after; and the strings
 * below a value that are longer than a bound.
 *
 * Texts may hold lone surrogates in three bytes, so code points are recognised by their first byte.
 */
#include "dialect/universal/shorten.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "json/value_pointer.h"

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

enum {
    DEPTH_MAX = 1000, /* no document is nested deeper */
    FIRST_CAPACITY = 16,
};

struct universal_long_texts_visit {
    const bt_json_value *container;
    size_t next;
};

static enum bt_status grow_long_texts(struct bt_arena *arena, struct bt_universal_long_texts *texts)
{
    const size_t capacity = texts->capacity > 0 ? 2 * texts->capacity : FIRST_CAPACITY;
    struct bt_universal_long_text *at =
        BT_NEW_ARRAY(arena, struct bt_universal_long_text, capacity);
    BT_TRY(at ? BT_OK : BT_ENOMEM);
    if (texts->count > 0) {
        memcpy(at, texts->at, texts->count * sizeof(*at));
    }
    texts->at = at;
    texts->capacity = capacity;
    return BT_OK;
}

static enum bt_status add_long_text(const struct bt_json_doc *document, const bt_json_value *value,
                                    size_t limit, struct bt_arena *arena,
                                    struct bt_universal_long_texts *texts)
{
    const bt_str text = bt_json_text(value);
    const size_t code_points = text.len > limit ? bt_utf8_count(text) : 0;
    if (code_points <= limit) {
        return BT_OK;
    }
    if (texts->count == texts->capacity) {
        BT_TRY(grow_long_texts(arena, texts));
    }
    struct bt_universal_long_text *found = &texts->at[texts->count];
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    bt_json_put_value_pointer(&pointer, document, value);
    const enum bt_status status = bt_buf_copy(&pointer, arena, &found->pointer);
    bt_buf_free(&pointer);
    found->text = text;
    found->code_points = code_points;
    found->order = texts->count++;
    return status;
}

static int longest_first(const void *a, const void *b)
{
    const struct bt_universal_long_text *one = a;
    const struct bt_universal_long_text *other = b;
    if (one->code_points != other->code_points) {
        return one->code_points > other->code_points ? -1 : 1;
    }
    return one->order < other->order ? -1 : 1;
}

enum bt_status bt_universal_long_texts_find(const struct bt_json_doc *document,
                                            const bt_json_value *value, size_t limit,
                                            struct bt_arena *arena,
                                            struct bt_universal_long_texts *out)
{
    assert(value);
    assert(out);
    struct universal_long_texts_visit visits[DEPTH_MAX];
    size_t depth = 0;
    struct bt_universal_long_texts texts = {NULL, 0, 0};
    for (const bt_json_value *next = value; next;) {
        if (bt_json_type(next) == BT_JSON_STRING) {
            BT_TRY(add_long_text(document, next, limit, arena, &texts));
        } else if (bt_json_count(next) > 0) {
            assert(depth < DEPTH_MAX);
            visits[depth++] = (struct universal_long_texts_visit){next, 0};
        }
        while (depth > 0 && visits[depth - 1].next == bt_json_count(visits[depth - 1].container)) {
            depth--;
        }
        next = NULL;
        if (depth > 0) {
            struct universal_long_texts_visit *in = &visits[depth - 1];
            const size_t index = in->next++;
            next = bt_json_type(in->container) == BT_JSON_OBJECT
                       ? &bt_json_members(in->container)[index].value
                       : &bt_json_items(in->container)[index];
        }
    }
    if (texts.count > 1) {
        qsort(texts.at, texts.count, sizeof(*texts.at), longest_first);
    }
    *out = texts;
    return BT_OK;
}
