/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder_parts.h - the steps that builders take for each value, inline for their sake.
 *
 * What stands for the source of a document that is built has the texts of the numbers and a space
 * for every other value and name: a number is stored by where its text stands, and offsets rise as
 * in a text that was read.
 */
#ifndef BATON_SRC_JSON_BUILDER_PARTS_H
#define BATON_SRC_JSON_BUILDER_PARTS_H

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "json/builder.h"
#include "json/doc.h"
#include "json/string_put.h"

static inline void bt_json_builder_fail(struct bt_json_builder *builder, enum bt_status status)
{
    builder->source.status = builder->source.status == BT_OK ? status : builder->source.status;
}

/* Put what stands for a value or a name that is not a number; see above. */
static inline void bt_json_builder_put_place(struct bt_json_builder *builder)
{
    struct bt_buf *source = &builder->source;
    if (source->len < source->capacity && source->status == BT_OK) {
        source->ptr[source->len++] = ' ';
    } else {
        bt_buf_put_char(source, ' ');
    }
}

/* `size` bytes of the arena for what began at an offset of the source; NULL when there are none. */
static inline void *bt_json_builder_new_content(struct bt_json_builder *builder, size_t begin,
                                                size_t size)
{
    const struct bt_json_header header = {.begin = (uint32_t)begin,
                                          .end = (uint32_t)builder->source.len};
    char *memory = NULL;
    if (size > UINT32_MAX) {
        bt_json_builder_fail(builder, BT_ELIMIT);
    } else if (builder->source.status == BT_OK) {
        memory = bt_arena_alloc_inline(builder->arena, sizeof(header) + size);
        bt_json_builder_fail(builder, memory ? BT_OK : BT_ENOMEM);
    }
    return memory ? (char *)memcpy(memory, &header, sizeof(header)) + sizeof(header) : NULL;
}

/* Where the next value goes, with its name if it has one; NULL: there is a failure. */
static inline struct bt_json_member *bt_json_builder_slot(struct bt_json_builder *builder)
{
    if (builder->children.count == builder->children.capacity) {
        bt_json_builder_fail(builder, bt_vec_reserve(builder->work, &builder->children, 1));
    }
    return builder->source.status == BT_OK ? &builder->children.items[builder->children.count]
                                           : NULL;
}

static inline void bt_json_builder_add_value(struct bt_json_builder *builder, bt_json_value value)
{
    struct bt_json_member *slot = bt_json_builder_slot(builder);
    if (slot) {
        slot->value = value;
        builder->children.count++;
        builder->document->nodes += builder->frames.count > 0;
    }
}

/* A string of which it is known what is special about it. */
static inline bt_json_value bt_json_builder_copy_text(struct bt_json_builder *builder, bt_str text,
                                                      unsigned flags)
{
    bt_json_builder_put_place(builder);
    char *copy = bt_json_builder_new_content(builder, builder->source.len - 1, text.len);
    if (copy && text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    if (copy && (flags & BT_JSON_FLAG_LONE_SURROGATE)) {
        builder->document->has_lone = true;
    }
    return (bt_json_value){.type = BT_JSON_STRING,
                           .flags = (uint8_t)flags,
                           .size = (uint32_t)text.len,
                           .as.text = copy};
}

static inline bt_json_value bt_json_builder_make_string(struct bt_json_builder *builder,
                                                        bt_str text)
{
    unsigned flags = BT_JSON_FLAG_ESCAPED;
    if (!bt_json_string_is_ascii(text)) {
        flags |= BT_JSON_FLAG_NON_ASCII;
        flags |= bt_utf8_check(text) != text.len ? BT_JSON_FLAG_LONE_SURROGATE : 0;
    }
    return bt_json_builder_copy_text(builder, text, flags);
}

#endif
