/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - nodes as they come -> a tree. Knows nothing of who reads the text.
 *
 * Finished nodes wait in a list until the container they stand in ends; then they are copied behind
 * one another into the caller's arena. Open containers are a stack of bounded height.
 */
#ifndef BATON_SRC_YAML_BUILD_H
#define BATON_SRC_YAML_BUILD_H

#include "base/arena.h"
#include "base/buf.h"
#include "yaml/yaml.h"

/* A container that has not ended. */
struct bt_yaml_frame {
    enum bt_yaml_kind kind;
    size_t offset;
    size_t first; /* of its finished children in the list */
    bool has_key; /* mapping: the next node is the value of this key */
    bt_str key;
    size_t key_offset;
};

struct bt_yaml_build {
    struct bt_arena *arena;
    struct bt_yaml_options options;
    struct bt_buf finished; /* struct bt_yaml_find_entry; in sequences the key is empty */
    struct bt_arena work;   /* of the frames, and of whatever is looked for at an end */
    struct bt_yaml_frame *frames;
    size_t depth;
    uint64_t nodes;
    struct bt_yaml_read_result result; /* root or problem */
};

/* BT_ENOMEM, BT_EINVAL as bt_yaml_read() says. In any case give it to bt_yaml_build_free(). */
BT_MUST_USE enum bt_status bt_yaml_build_init(struct bt_yaml_build *build, struct bt_arena *arena,
                                              const struct bt_yaml_options *options);
void bt_yaml_build_free(struct bt_yaml_build *build);

/* Whether the next node is a key. */
bool bt_yaml_build_wants_key(const struct bt_yaml_build *build);
/* Whether the root, or what is wrong with the text, is known. */
bool bt_yaml_build_is_done(const struct bt_yaml_build *build);

/* Take a key; only where one is wanted. The text must live as long as the arena. */
void bt_yaml_build_key(struct bt_yaml_build *build, bt_str key, size_t offset);
/* Take a scalar that is not a key. */
BT_MUST_USE enum bt_status bt_yaml_build_scalar(struct bt_yaml_build *build,
                                                const struct bt_yaml_node *scalar);
/* Begin a mapping or a sequence, and end the innermost one. */
void bt_yaml_build_begin(struct bt_yaml_build *build, enum bt_yaml_kind kind, size_t offset);
BT_MUST_USE enum bt_status bt_yaml_build_end(struct bt_yaml_build *build);

/* Note what is wrong, unless something was wrong before. */
void bt_yaml_build_set_error(struct bt_yaml_build *build, enum bt_yaml_error code, size_t offset,
                             bt_str detail);
void bt_yaml_build_set_limit_error(struct bt_yaml_build *build, const char *name, uint64_t limit,
                                   size_t offset);

/* ---- Bytes ----------------------------------------------------------------------------------- */

static inline bool bt_yaml_is_break(char byte)
{
    return byte == '\n' || byte == '\r';
}

static inline bool bt_yaml_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || bt_yaml_is_break(byte);
}

/* Refuse what is too large, no UTF-8, or holds what the library should never see. */
void bt_yaml_check_bytes(struct bt_yaml_build *build, bt_str source);

/* Put what stands between single quotes: two quotes are one; blanks with line breaks among them are
 * a blank, or the breaks but one. */
void bt_yaml_put_single_quoted(struct bt_buf *buf, bt_str raw);

#endif
