/* SPDX-License-Identifier: Apache-2.0 */
/*
 * revision.h - a handoff that is being changed.
 *
 * Every change is an operation of an RFC 6902 patch, and the new text is made by applying the
 * patch. So what facts.changes says and what came out cannot differ.
 *
 *     bt_universal_revision_begin(&revision, universal, arena, text);
 *     bt_universal_revision_remove(&revision, BT_STR("/handoff/note"), "compress");
 *     bt_universal_revision_finish(&revision, false); // applies, seals again, counts
 *     ... revision.text, revision.changes ...
 *     bt_universal_revision_end(&revision);
 *
 * Operations are collected until bt_universal_revision_apply(), so that many cost no more than one.
 * Those of one batch must not depend on each other: pointers name places of revision.document, the
 * document before the batch, and `was` is taken from there.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_REVISION_H
#define BATON_SRC_DIALECT_UNIVERSAL_REVISION_H

#include "base/vec.h"
#include "dialect/universal/universal_check.h"
#include "edit/edit.h"
#include "json/builder.h"
#include "json/cursor.h"

/* Lists of operations that were applied. */
struct bt_universal_changes {
    const struct bt_json_doc **items;
    size_t count;
    size_t capacity;
};

/* The operations that wait. */
struct bt_revision_pending {
    struct bt_json_builder list; /* begun when there is one */
    size_t count;
    size_t fixes;
    struct bt_revision_operation {
        const char *op;
        bt_str path;
        const char *why;
    } operation; /* the one that is being put */
};

struct bt_universal_revision {
    struct bt_universal_checker *universal;
    struct bt_arena *arena;             /* of the texts and documents */
    bt_str given;                       /* the text at the beginning */
    bt_str text;                        /* as it stands now; `given` itself while nothing changed */
    const struct bt_json_doc *document; /* of `text` */
    enum bt_json_form form;             /* in which texts are written: compact or pretty */
    struct bt_universal_seal_info seal; /* of the payload at the beginning */
    bool sealed;                        /* payload is an object, so `seal` was measured */
    bool hash_true;                     /* the document said so, and was right */
    bool size_true;
    struct bt_universal_changes changes;
    size_t count;                 /* of the operations in them */
    struct bt_json_cursor cursor; /* in `document` */
    size_t fixes;                 /* those of `count` that answer a finding */
    struct bt_revision_pending pending;
    struct bt_revision_edits {
        bool is_wanted;           /* change only the bytes concerned, whatever the form */
        bool keep_count;          /* meta.token_count stays as it is, unless it is what is fixed */
        struct bt_edit_list list; /* from `given` to `text` */
        BT_VEC(size_t) offsets;   /* of each operation in `given` */
    } edits;
};

/* `text` must be a document that can be read; BT_EINVAL otherwise. Ended with
 * bt_universal_revision_end() unless this fails. It begins in the style of the document. */
BT_MUST_USE enum bt_status bt_universal_revision_begin(struct bt_universal_revision *revision,
                                                       struct bt_universal_checker *universal,
                                                       struct bt_arena *arena, bt_str text);
void bt_universal_revision_end(struct bt_universal_revision *revision);

/* Begin to replace the value that `pointer` names or, unless `is_there`, to add it; `why` is a
 * finding code or recount, reseal, compress, simplify, answer. The value is put with the emitter
 * that is returned, that of revision->pending.list; bt_universal_revision_end_value() ends it. */
struct bt_emit *bt_universal_revision_begin_value(struct bt_universal_revision *revision,
                                                  bt_str pointer, bool is_there, const char *why);
BT_MUST_USE enum bt_status bt_universal_revision_end_value(struct bt_universal_revision *revision);
BT_MUST_USE enum bt_status bt_universal_revision_remove(struct bt_universal_revision *revision,
                                                        bt_str pointer, const char *why);
BT_MUST_USE enum bt_status bt_universal_revision_move(struct bt_universal_revision *revision,
                                                      bt_str from, bt_str to, const char *why);

/* Apply what waits. BT_EINVAL: an operation cannot be applied, which is a mistake of the caller. */
BT_MUST_USE enum bt_status bt_universal_revision_apply(struct bt_universal_revision *revision);

/* From now on write in this form; the text is written anew at once. No operation. */
BT_MUST_USE enum bt_status bt_universal_revision_rewrite(struct bt_universal_revision *revision,
                                                         enum bt_json_form form);

/*
 * Apply what waits; then, if anything changed or `recount` is set, seal the payload again as far as
 * its seal was true at the beginning, and write meta.token_count (which is made if it is missing
 * and meta is an object).
 */
BT_MUST_USE enum bt_status bt_universal_revision_finish(struct bt_universal_revision *revision,
                                                        bool recount);

/* A state to which a revision can go back. */
struct bt_universal_revision_mark {
    bt_str text;
    const struct bt_json_doc *document;
    struct bt_universal_changes changes;
    size_t count;
    size_t fixes;
    struct bt_arena_mark arena;
};

/* Nothing may wait. */
struct bt_universal_revision_mark
bt_universal_revision_mark(const struct bt_universal_revision *revision);
/* Undo everything since the mark; what was taken from the revision's arena meanwhile is gone too.
 * The form stays. */
void bt_universal_revision_roll_back(struct bt_universal_revision *revision,
                                     const struct bt_universal_revision_mark *mark);

/* What meta.token_count, which must be there, would be if it alone were counted again. */
uint64_t bt_universal_revision_count_of(const struct bt_json_doc *document);

/* Set payload_hash and payload_size_bytes whatever they were before. Apply or settle follows. */
BT_MUST_USE enum bt_status bt_universal_revision_seal(struct bt_universal_revision *revision);

/* Add the changes as an array. */
void bt_universal_revision_put_changes(const struct bt_universal_revision *revision,
                                       struct bt_json_builder *builder);

/* ---- Sealing --------------------------------------------------------------------------------- */

/* Begin a revision of `text` and set hash, size and token count. Ended with
 * bt_universal_revision_end() unless this fails. */
BT_MUST_USE enum bt_status bt_universal_seal_begin(struct bt_universal_revision *revision,
                                                   struct bt_universal_checker *universal,
                                                   struct bt_arena *arena, bt_str text);

#endif
