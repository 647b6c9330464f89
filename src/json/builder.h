/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.h - documents made from values, without a text in between.
 *
 *     struct bt_json_builder builder;
 *     struct bt_emit *emit = bt_json_builder_begin(&builder, arena, NULL);
 *     bt_emit_begin_object(emit);
 *     bt_emit_member_string(emit, "op", BT_STR("add"));
 *     bt_emit_name(emit, "value");
 *     bt_json_builder_copy(&builder, value, NULL);
 *     bt_emit_end(emit);
 *     status = bt_json_builder_finish(&builder, BT_OK, &document);
 *
 * Such a document has no source that could be read; spans only tell which value comes first.
 */
#ifndef BATON_SRC_JSON_BUILDER_H
#define BATON_SRC_JSON_BUILDER_H

#include "base/vec.h"
#include "json/emit.h"
#include "json/members.h"

/* An open container. */
struct bt_json_builder_frame {
    enum bt_json_type type;
    size_t first;  /* its first child; its own slot is the one before */
    size_t begin;  /* its place in the source */
    bt_ref source; /* the value that it is a copy of, or NULL */
    size_t next;   /* the next child of that */
};

struct bt_json_builder {
    struct bt_arena *arena;
    struct bt_arena *work; /* for the open containers */
    struct bt_emit emit;
    struct bt_json_doc *document;
    struct bt_buf source; /* what stands for it; failures of the builder stick to it */
    /* The root, and the children of open containers; items have no name. The name of the next value
     * stands behind them. */
    BT_VEC(struct bt_json_member) children;
    BT_VEC(struct bt_json_builder_frame) frames;
};

/*
 * Begin a document in `arena` with the hash seed of struct bt_json_options (NULL: zeros). Open
 * containers are in the same arena, unless the caller sets builder->work afterwards. Returns the
 * emitter that adds its values, all but texts of JSON; failures stick to its buffer. Ended with
 * bt_json_builder_finish().
 */
struct bt_emit *bt_json_builder_begin(struct bt_json_builder *builder, struct bt_arena *arena,
                                      const uint64_t seed[2]);

/*
 * Begin another document after one that was copied out of the builder or has failed, with the
 * arenas and the working memory of the last one.
 */
void bt_json_builder_begin_again(struct bt_json_builder *builder, const uint64_t seed[2]);

/* A string that comes in place of the value that begins at an offset of a source. */
struct bt_json_replacement {
    uint64_t begin;
    bt_str text;
};

struct bt_json_replacements {
    const struct bt_json_replacement *items; /* sorted */
    size_t count;
    uint64_t base; /* is added to the offsets of the copied values before they are looked up */
};

void bt_json_replacements_sort(struct bt_json_replacement *items, size_t count);

/* Add a copy of a value; `replacements` may be NULL. */
void bt_json_builder_copy(struct bt_json_builder *builder, bt_ref ref,
                          const struct bt_json_replacements *replacements);

/*
 * End the document and free the working memory. `status` is what came of adding its values; unless
 * it is BT_OK it is returned. BT_ENOMEM: the arena reached its limit. BT_ELIMIT: the document is
 * nested too deeply. *out is written only on BT_OK.
 */
BT_MUST_USE enum bt_status bt_json_builder_finish(struct bt_json_builder *builder,
                                                  enum bt_status status,
                                                  const struct bt_json_doc **out);

/* What the emitter calls. */
void bt_json_builder_add(struct bt_json_builder *builder, bt_ref ref,
                         const struct bt_json_replacements *replacements);
void bt_json_builder_name(struct bt_json_builder *builder, bt_str name);
void bt_json_builder_open(struct bt_json_builder *builder, enum bt_json_type type);
void bt_json_builder_close(struct bt_json_builder *builder);
void bt_json_builder_string(struct bt_json_builder *builder, bt_str text);
void bt_json_builder_integer(struct bt_json_builder *builder, int64_t number);
/* The number whose text was put at the end of `source`, from `begin` on. */
void bt_json_builder_number(struct bt_json_builder *builder, size_t begin);
/* True, false or null. */
void bt_json_builder_word(struct bt_json_builder *builder, enum bt_json_type type);

/* Set *out to a document whose root is `value`, a value of `document`, which it refers to. */
BT_MUST_USE enum bt_status bt_json_part(const struct bt_json_doc *document,
                                        const bt_json_value *value, struct bt_arena *arena,
                                        const struct bt_json_doc **out);

/* Copy a document and its source into the arena. Names are hashed as in a document that
 * is read with this seed. */
BT_MUST_USE enum bt_status bt_json_clone(const struct bt_json_doc *document, const uint64_t seed[2],
                                         struct bt_arena *arena, const struct bt_json_doc **out);

#endif
