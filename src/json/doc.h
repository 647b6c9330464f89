/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.h - what a document looks like inside.
 *
 *     struct bt_json_doc ── root ─┐
 *                            v
 *     [span][member][member][member]...      children of an object: 32 bytes each
 *     [span][value][value]...                children of an array: 16 bytes each
 *
 * The children of a container are contiguous and preceded by its span, 16 bytes that say where it
 * stands in the source. The text of a string without escapes is a run of the source, so its place
 * follows from its address; the text of a string with escapes stands in the arena, preceded by its
 * span. Every other value carries its offset in `size`.
 */
#ifndef BATON_SRC_JSON_DOC_H
#define BATON_SRC_JSON_DOC_H

#include <baton/json.h>

enum { BT_JSON_SHORT_NUMBER_MAX = 15 }; /* in bytes; see bt_json_has_long_number() */

struct bt_json_doc {
    bt_str source;
    bt_json_value root;
    uint64_t seed[2];
    uint64_t nodes;
    bool has_lone;
    bool has_long_number;
    bool is_built;       /* `source` is not a text that was read; see builder.c */
    bool last_wins;      /* names may repeat, and the last of them counts */
    bool is_compact;     /* there is neither a blank outside strings nor an escape */
    bool is_stringified; /* nor a name or number that JavaScript would write otherwise */
};

/* What stands before children and before unescaped text. */
struct bt_json_header {
    uint32_t begin;
    uint32_t end;
    uint64_t spare; /* keeps what follows aligned to 16 bytes */
};

_Static_assert(sizeof(bt_json_value) == 16, "a value is 16 bytes");
_Static_assert(sizeof(struct bt_json_member) == 32, "a member is 32 bytes");
_Static_assert(sizeof(struct bt_json_header) == 16, "a header is 16 bytes");

#endif
