/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.h - values -> JSON text in one of four forms, piece by piece.
 *
 * bt_json_write() writes a whole value. The pieces are here for those who write what is no
 * document: they open and close containers themselves and hand over the values in between.
 */
#ifndef BATON_SRC_JSON_WRITE_H
#define BATON_SRC_JSON_WRITE_H

#include "json/emit.h"
#include "json/members.h"

/* Bounds of what is written. */
struct bt_json_write_limits {
    uint64_t bytes;
    uint64_t string_bytes; /* of one string or name as written, without its quotes */
    uint64_t nodes;
    uint32_t depth;
};

/* A container that is being written. Kept for the next one of the same depth. */
struct bt_json_write_frame {
    struct bt_json_write_frame *outer;
    struct bt_json_write_frame *inner;
    const bt_json_value *value;
    size_t next;
    bool reordered; /* the members come in the order of `keys`, else in that of the source */
    struct bt_json_member_key *keys;
    struct bt_json_scratch room; /* holds them */
};

struct bt_json_writer {
    struct bt_buf *buf;
    struct bt_arena *arena;
    enum bt_json_form form;
    struct bt_json_write_limits limits;
    size_t start; /* what stood in the buffer before */
    uint64_t nodes;
    uint32_t depth;
    const char *exceeded;         /* which limit was, for people; NULL: none */
    const bt_json_value *culprit; /* what has no canonical form */
    struct bt_json_write_frame bottom;
    struct bt_json_write_frame *top;
    struct bt_json_scratch spare; /* for sorting */
};

/* `limits` may be NULL. The writer's memory comes from the arena; the caller that initialised
 * the writer rewinds it. */
void bt_json_writer_init(struct bt_json_writer *writer, struct bt_buf *buf, enum bt_json_form form,
                         const struct bt_json_write_limits *limits, struct bt_arena *arena);

/* A whole value. BT_ELIMIT with `exceeded` set, BT_EINVAL with `culprit` set, BT_ENOMEM, or the
 * buffer's failure. */
BT_MUST_USE enum bt_status bt_json_writer_put(struct bt_json_writer *writer, bt_ref ref);

/*
 * Put a value, compact or as JavaScript writes it, from its source. False: it is not in the source
 * of the document, its numbers or names are written otherwise, or bt_json_put_without_blanks() does
 * not do it; then nothing is put, and bt_json_writer_put() has to.
 */
BT_MUST_USE bool bt_json_put_source(struct bt_buf *buf, const struct bt_json_doc *document,
                                    const bt_json_value *value, enum bt_json_form form);

/* A container from the outside: open; before each child `next`, in objects followed by a name;
 * close, which wants to know whether there was a child. Failures show in the next
 * bt_json_writer_put() and in bt_json_writer_status(). */
void bt_json_writer_open(struct bt_json_writer *writer, enum bt_json_type type);
void bt_json_writer_next(struct bt_json_writer *writer, bool first);
void bt_json_writer_name(struct bt_json_writer *writer, bt_str name, bool may_be_lone);
void bt_json_writer_close(struct bt_json_writer *writer, enum bt_json_type type, bool empty);

/* What has gone wrong so far. */
BT_MUST_USE enum bt_status bt_json_writer_status(const struct bt_json_writer *writer);

/* Put the members of the innermost frame's object into the order of the form. BT_EINVAL: a name
 * has no canonical form. */
BT_MUST_USE enum bt_status bt_json_writer_order(struct bt_json_writer *writer,
                                                const struct bt_json_doc *document);

#endif
