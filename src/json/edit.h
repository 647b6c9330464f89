/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edit.h - a document that can be changed, laid over documents that cannot.
 *
 * A slot holds either a value of a document, which stays as it is, or a node: an array or object
 * whose children are slots. A container becomes a node when somebody goes into it. Nodes may stand
 * in several places (that is all a copy takes); such a node is marked shared and is replaced by a
 * clone of its own before it is changed in one of them. So copies cost nothing until they differ,
 * and a document that doubles with every operation does not need memory that does.
 *
 * What could be made expensive on purpose (turning values into nodes, cloning, colliding names) is
 * paid from a fixed allowance of work.
 *
 * Statuses: BT_ENOENT, a pointer names nothing; BT_ELIMIT, the work is spent; BT_ENOMEM.
 */
#ifndef BATON_SRC_JSON_EDIT_H
#define BATON_SRC_JSON_EDIT_H

#include "json/builder.h"
#include "json/write.h"

struct bt_json_edit_node;

typedef struct bt_json_edit_slot {
    const struct bt_json_doc *document; /* NULL: a node */
    union {
        const bt_json_value *value;
        struct bt_json_edit_node *node;
    } as;
} bt_json_edit_slot;

struct bt_json_edit {
    struct bt_arena *arena; /* everything the edit makes lives here */
    uint64_t seed;          /* names are hashed with it */
    bool may_be_lone;       /* names may hold lone surrogates */
    uint64_t work_left;     /* in children looked at or copied */
    bt_json_edit_slot root;
};

/* Begin with the whole of `document`. */
void bt_json_edit_init(struct bt_json_edit *edit, const struct bt_json_doc *document, uint64_t work,
                       struct bt_arena *arena);

static inline bt_json_edit_slot bt_slot_of(bt_ref ref)
{
    return (bt_json_edit_slot){.document = ref.document, .as = {.value = ref.value}};
}

/* Pointers below are well-formed. */

/* What the pointer names. Share it before it is put somewhere else as well. */
BT_MUST_USE enum bt_status bt_json_edit_find(struct bt_json_edit *edit, bt_str pointer,
                                             bt_json_edit_slot *out);
void bt_json_edit_share(bt_json_edit_slot slot);
/* RFC 6902's add: a member is set (a new one comes last), an item inserted, "-" appends. */
BT_MUST_USE enum bt_status bt_json_edit_add(struct bt_json_edit *edit, bt_str pointer,
                                            bt_json_edit_slot slot);
BT_MUST_USE enum bt_status bt_json_edit_replace(struct bt_json_edit *edit, bt_str pointer,
                                                bt_json_edit_slot slot);
/* Take out what the pointer, which is not "", names. */
BT_MUST_USE enum bt_status bt_json_edit_remove(struct bt_json_edit *edit, bt_str pointer,
                                               bt_json_edit_slot *out);
/* Whether a slot equals a value, as bt_json_equal() has it. */
BT_MUST_USE enum bt_status bt_json_edit_equal(struct bt_json_edit *edit, bt_json_edit_slot slot,
                                              bt_ref value, bool *out_equal);
/* Write the whole and, unless it is NULL, add it to the builder. Fails like
 * bt_json_writer_put(). */
BT_MUST_USE enum bt_status bt_json_edit_write(const struct bt_json_edit *edit,
                                              struct bt_json_writer *writer,
                                              struct bt_json_builder *builder);

/* patch.c: as bt_json_patch(), but set *out to the result as a document in the arena, or to NULL
 * when the patch is refused. options->form does not count. */
BT_MUST_USE enum bt_status
bt_json_patch_document(const struct bt_json_doc *document, const struct bt_json_doc *patch,
                       const struct bt_json_patch_options *options, struct bt_arena *arena,
                       const struct bt_json_doc **out, struct bt_json_patch_result *out_result);

#endif
