/* SPDX-License-Identifier: Apache-2.0 */
/*
 * long_texts.c - the strings somewhere below a value that are longer than a bound.
 */
#include "dialect/universal/long_texts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "json/value_pointer.h"

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
    if (!at) {
        return BT_ENOMEM;
    }
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
