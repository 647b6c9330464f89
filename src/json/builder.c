/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.c - documents made from values.
 */
#include "json/builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/keyed_hash.h"
#include "base/str.h"
#include "base/uninitialized.h"
#include "json/build.h"
#include "json/builder_parts.h"
#include "json/walk.h"

enum { DEPTH_MAX = 1000 }; /* no document that was read is nested deeper */

static void create_document(struct bt_json_builder *builder, const uint64_t seed[2])
{
    builder->document = BT_NEW(builder->arena, struct bt_json_doc);
    if (!builder->document) {
        bt_json_builder_fail(builder, BT_ENOMEM);
    } else {
        builder->document->is_built = true;
        bt_hash_begin(seed ? seed : (const uint64_t[2]){0, 0}, builder->document->seed);
    }
}

struct bt_emit *bt_json_builder_begin(struct bt_json_builder *builder, struct bt_arena *arena,
                                      const uint64_t seed[2])
{
    *builder = (struct bt_json_builder){.arena = arena, .work = arena};
    bt_buf_init(&builder->source, UINT32_MAX);
    bt_emit_init(&builder->emit, &builder->source, false);
    builder->emit.builder = builder;
    create_document(builder, seed);
    return &builder->emit;
}

void bt_json_builder_begin_again(struct bt_json_builder *builder, const uint64_t seed[2])
{
    builder->source.len = 0;
    builder->source.status = BT_OK;
    builder->children.count = 0;
    builder->frames.count = 0;
    create_document(builder, seed);
}

void bt_json_builder_name(struct bt_json_builder *builder, bt_str name)
{
    const bt_json_value text = bt_json_builder_make_string(builder, name);
    struct bt_json_member *slot = bt_json_builder_slot(builder);
    if (slot) {
        slot->name = text.as.text;
        slot->name_size = text.size;
        slot->name_hash = bt_json_name_hash(builder->document, name);
    }
}

void bt_json_builder_string(struct bt_json_builder *builder, bt_str text)
{
    bt_json_builder_add_value(builder, bt_json_builder_make_string(builder, text));
}

void bt_json_builder_word(struct bt_json_builder *builder, enum bt_json_type type)
{
    bt_json_builder_put_place(builder);
    bt_json_builder_add_value(
        builder,
        (bt_json_value){.type = (uint8_t)type, .size = (uint32_t)(builder->source.len - 1)});
}

void bt_json_builder_number(struct bt_json_builder *builder, size_t begin)
{
    const bt_str source = bt_buf_str(&builder->source);
    struct bt_json_build scan = {.source = bt_str_slice(source, begin, source.len),
                                 .document = builder->document};
    bt_json_value value = {0};
    if (builder->source.status == BT_OK) {
        const bool is_number = bt_json_build_number(&scan, 0, &value);
        assert(is_number);
        value.size = (uint32_t)begin;
        bt_json_builder_add_value(builder, value);
        bt_buf_put_char(&builder->source, ' ');
    }
}

void bt_json_builder_integer(struct bt_json_builder *builder, int64_t number)
{
    enum { DIGITS_MAX = 20 };
    BT_UNCLEARED char text[2 * DIGITS_MAX]; /* as much is copied, whatever the number is */
    size_t first = DIGITS_MAX;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    struct bt_buf *source = &builder->source;
    const size_t begin = source->len;
    do {
        text[--first] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (number < 0) {
        text[--first] = '-';
    }
    const size_t size = DIGITS_MAX - first;
    char *room = bt_buf_reserve(source, DIGITS_MAX);
    if (room) {
        memcpy(room, text + first, DIGITS_MAX);
        source->len += size;
        builder->document->has_long_number |= size > BT_JSON_SHORT_NUMBER_MAX;
        bt_json_builder_add_value(builder, (bt_json_value){.type = BT_JSON_INTEGER,
                                                           .size = (uint32_t)begin,
                                                           .as.integer = number});
        bt_json_builder_put_place(builder);
    }
}

static void open_frame(struct bt_json_builder *builder, enum bt_json_type type, bt_ref source)
{
    const size_t begin = builder->source.len;
    bt_json_builder_put_place(builder);
    bt_json_builder_add_value(builder, (bt_json_value){.type = (uint8_t)type});
    const struct bt_json_builder_frame frame = {
        .type = type, .first = builder->children.count, .begin = begin, .source = source};
    bt_json_builder_fail(builder,
                         bt_vec_push_max(builder->work, &builder->frames, DEPTH_MAX, frame));
}

void bt_json_builder_open(struct bt_json_builder *builder, enum bt_json_type type)
{
    open_frame(builder, type, (bt_ref){0});
}

void bt_json_builder_close(struct bt_json_builder *builder)
{
    if (builder->source.status != BT_OK) {
        return;
    }
    const struct bt_json_builder_frame *frame = &builder->frames.items[--builder->frames.count];
    const struct bt_json_member *children = builder->children.items + frame->first;
    const size_t count = builder->children.count - frame->first;
    const bool is_array = frame->type == BT_JSON_ARRAY;
    void *content = bt_json_builder_new_content(
        builder, frame->begin, count * (is_array ? sizeof(bt_json_value) : sizeof(*children)));
    bt_json_value *items = content;
    for (size_t i = 0; content && is_array && i < count; i++) {
        items[i] = children[i].value;
    }
    if (content && !is_array && count > 0) {
        memcpy(content, children, count * sizeof(*children));
    }
    builder->children.count = frame->first;
    bt_json_value *self = &builder->children.items[frame->first - 1].value;
    self->size = (uint32_t)count;
    self->as.items = items;
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t left = ((const struct bt_json_replacement *)a)->begin;
    const uint64_t right = ((const struct bt_json_replacement *)b)->begin;
    return (left > right) - (left < right);
}

void bt_json_replacements_sort(struct bt_json_replacement *items, size_t count)
{
    if (count > 0) {
        qsort(items, count, sizeof(*items), compare_places);
    }
}

/* The text that comes in place of the value, or an absent text. */
static bt_str find_replacement(bt_ref ref, const struct bt_json_replacements *replacements)
{
    if (!replacements || replacements->count == 0) {
        return (bt_str){NULL, 0};
    }
    const struct bt_json_replacement wanted = {
        .begin = replacements->base + bt_json_span(ref.document, ref.value).begin};
    const struct bt_json_replacement *found =
        bsearch(&wanted, replacements->items, replacements->count, sizeof(wanted), compare_places);
    return found ? found->text : (bt_str){NULL, 0};
}

static void copy_value(struct bt_json_builder *builder, bt_ref ref,
                       const struct bt_json_replacements *replacements)
{
    const bt_str text = find_replacement(ref, replacements);
    if (text.ptr || ref.value->type == BT_JSON_STRING) {
        bt_json_builder_string(builder, text.ptr ? text : bt_json_text(ref.value));
    } else if (ref.value->type >= BT_JSON_ARRAY) {
        open_frame(builder, bt_json_type(ref.value), ref);
    } else if (bt_json_is_number(ref.value)) {
        const size_t begin = builder->source.len;
        bt_buf_put(&builder->source, bt_json_number_text(ref.document, ref.value));
        bt_json_builder_number(builder, begin);
    } else {
        bt_json_builder_word(builder, bt_json_type(ref.value));
    }
}

void bt_json_builder_copy(struct bt_json_builder *builder, bt_ref ref,
                          const struct bt_json_replacements *replacements)
{
    bt_emit_value(&builder->emit);
    bt_json_builder_add(builder, ref, replacements);
}

void bt_json_builder_add(struct bt_json_builder *builder, bt_ref ref,
                         const struct bt_json_replacements *replacements)
{
    const size_t outer = builder->frames.count;
    copy_value(builder, ref, replacements);
    while (builder->source.status == BT_OK && builder->frames.count > outer) {
        struct bt_json_builder_frame *frame = &builder->frames.items[builder->frames.count - 1];
        const bt_json_value *from = frame->source.value;
        if (frame->next == bt_json_count(from)) {
            bt_json_builder_close(builder);
            continue;
        }
        const size_t index = frame->next++;
        if (from->type == BT_JSON_OBJECT) {
            bt_json_builder_name(builder, bt_json_name(&from->as.members[index]));
        }
        copy_value(builder, (bt_ref){ref.document, bt_json_child(from, index)}, replacements);
    }
}

enum bt_status bt_json_builder_finish(struct bt_json_builder *builder, enum bt_status status,
                                      const struct bt_json_doc **out)
{
    bt_str source;
    BT_TRY(bt_buf_finish_if(status, &builder->source, builder->arena, &source));
    assert(builder->frames.count == 0);
    assert(builder->children.count == 1);
    builder->document->root = builder->children.items[0].value;
    builder->document->source = source;
    *out = builder->document;
    return BT_OK;
}

/* ---- Documents from documents ---------------------------------------------------------------- */

enum bt_status bt_json_part(const struct bt_json_doc *document, const bt_json_value *value,
                            struct bt_arena *arena, const struct bt_json_doc **out)
{
    struct bt_json_doc *part = BT_NEW(arena, struct bt_json_doc);
    BT_TRY(part ? BT_OK : BT_ENOMEM);
    *part = *document;
    part->root = *value;
    part->is_compact = false; /* that is about the whole source */
    part->is_stringified = false;
    *out = part;
    return BT_OK;
}

/* Copy `size` bytes and the span before them; NULL: no memory. */
static void *copy_content(struct bt_arena *arena, const void *content, size_t size)
{
    const size_t header = sizeof(struct bt_json_header);
    char *memory = bt_arena_alloc(arena, header + size);
    return memory ? (char *)memcpy(memory, (const char *)content - header, header + size) + header
                  : NULL;
}

/* Move a text to where it stands in the copy. */
static enum bt_status move_text(const struct bt_json_doc *from, const struct bt_json_doc *to,
                                struct bt_arena *arena, const char **text, size_t size)
{
    const size_t offset = (uintptr_t)*text - (uintptr_t)from->source.ptr;
    *text = offset > 0 && offset <= from->source.len ? to->source.ptr + offset
                                                     : copy_content(arena, *text, size);
    return *text ? BT_OK : BT_ENOMEM;
}

/* Give a value that was copied with its siblings children of its own. */
static enum bt_status own_content(const struct bt_json_doc *from, const struct bt_json_doc *to,
                                  struct bt_arena *arena, bt_json_value *value)
{
    if (value->type == BT_JSON_STRING) {
        return move_text(from, to, arena, &value->as.text, value->size);
    }
    if (value->type == BT_JSON_ARRAY) {
        value->as.items = copy_content(arena, value->as.items, value->size * sizeof(*value));
    } else if (value->type == BT_JSON_OBJECT) {
        struct bt_json_member *members =
            copy_content(arena, value->as.members, value->size * sizeof(*members));
        for (size_t i = 0; members && i < value->size; i++) {
            members[i].name_hash = bt_json_name_hash(to, bt_json_name(&members[i]));
            BT_TRY(move_text(from, to, arena, &members[i].name, members[i].name_size));
        }
        value->as.members = members;
    }
    return value->type < BT_JSON_STRING || value->as.text ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_json_clone(const struct bt_json_doc *document, const uint64_t seed[2],
                             struct bt_arena *arena, const struct bt_json_doc **out)
{
    struct bt_json_doc *clone = BT_NEW(arena, struct bt_json_doc);
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    BT_TRY(clone ? BT_OK : BT_ENOMEM);
    *clone = *document;
    bt_hash_begin(seed, clone->seed);
    BT_TRY(bt_arena_copy(arena, document->source, &clone->source));
    BT_TRY(own_content(document, clone, arena, &clone->root));
    bt_json_walk_begin(&walk, &clone->root);
    while (bt_json_walk_next(&walk, &walked)) {
        /* The value stands in what was copied with its container. */
        BT_TRY(own_content(document, clone, arena, (bt_json_value *)(uintptr_t)walked.value));
    }
    *out = clone;
    return BT_OK;
}
