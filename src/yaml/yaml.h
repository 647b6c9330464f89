/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml.h - read the unambiguous part of YAML 1.2.
 *
 * Block and flow mappings and sequences, plain and quoted scalars, | and > blocks, comments; every
 * JSON text as well. Anchors, aliases, tags, merge keys, directives, complex keys and a second
 * document are rejected, because they let a text mean something other than it appears to; so are
 * repeated keys, tabs as indentation and a carriage return that does not end a line.
 *
 *     struct bt_yaml_read_result read;
 *     if (bt_yaml_read(&arena, text, NULL, &read) == BT_OK && read.root) {
 *         const struct bt_yaml_node *name = bt_yaml_get(read.root, BT_STR("name"));
 *         ...
 *     }
 *
 * The nodes are immutable and live in the caller's arena; the source need not outlive them.
 */
#ifndef BATON_SRC_YAML_YAML_H
#define BATON_SRC_YAML_YAML_H

#include <baton/base.h>

/* ---- Nodes ----------------------------------------------------------------------------------- */

enum bt_yaml_kind {
    BT_YAML_NONE = 0,
    BT_YAML_SCALAR,
    BT_YAML_SEQUENCE,
    BT_YAML_MAPPING,
};

/* How a scalar was written. */
enum bt_yaml_style {
    BT_YAML_STYLE_NONE = 0, /* not a scalar */
    BT_YAML_STYLE_PLAIN,
    BT_YAML_STYLE_QUOTED, /* single or double */
    BT_YAML_STYLE_BLOCK,  /* | or > */
};

struct bt_yaml_entry;

struct bt_yaml_node {
    enum bt_yaml_kind kind;
    enum bt_yaml_style style;
    size_t offset; /* of the first byte: a quote, a bracket, the | or >, the first key or dash */
    bt_str text;   /* scalar: its value in UTF-8, unescaped */
    size_t count;  /* sequence: items; mapping: entries */
    const struct bt_yaml_node *items;    /* of a sequence */
    const struct bt_yaml_entry *entries; /* of a mapping, in source order */
};

/* Keys are strings, whatever they look like. */
struct bt_yaml_entry {
    bt_str key;
    size_t key_offset;
    struct bt_yaml_node value;
};

/* ---- Reading --------------------------------------------------------------------------------- */

/* What is wrong with a text. The findings have the same names. */
enum bt_yaml_error {
    BT_YAML_ERROR_NONE = 0,
    BT_YAML_SYNTAX,        /* not YAML, or not UTF-8 */
    BT_YAML_UNSUPPORTED,   /* a feature that is rejected */
    BT_YAML_DUPLICATE_KEY, /* two entries of one mapping have the same key */
    BT_YAML_LIMIT,
};

struct bt_yaml_options {
    uint64_t bytes_max;
    uint64_t nodes_max; /* items and entries; the root is not counted */
    uint32_t depth_max; /* mappings and sequences; the root counts 1; at most 1000 */
};

/* 1 MiB, 100,000 nodes, depth 64. */
struct bt_yaml_options bt_yaml_options_default(void);

struct bt_yaml_read_result {
    /* NULL when `code` is set; an empty text gives an empty scalar */
    const struct bt_yaml_node *root;
    /* the first problem; repeated keys are detected at the mapping's end */
    enum bt_yaml_error code;
    size_t offset;     /* of the problem */
    bt_str detail;     /* a phrase for people; never empty when `code` is set */
    bt_str pointer;    /* of the mapping with a repeated key, else "" */
    bt_str key;        /* that key, else "" */
    bt_str feature;    /* anchor, alias, tag, merge, directive, complex-key, document or "" */
    uint64_t limit;    /* the bound that was exceeded, else 0 ... */
    bt_str limit_name; /* ... bytes, nodes, depth, blank_lines (256 in a row) or "" */
};

/*
 * Read `source`. BT_OK means that the text was checked: either out_result->root is set, or
 * out_result->code says what is wrong. `options` may be NULL for the defaults.
 *
 * BT_ENOMEM: the arena reached its limit, or the system has no memory. BT_EINVAL: an option is out
 * of range. *out_result is written only on BT_OK.
 */
BT_MUST_USE enum bt_status bt_yaml_read(struct bt_arena *arena, bt_str source,
                                        const struct bt_yaml_options *options,
                                        struct bt_yaml_read_result *out_result);

/* ---- Finding --------------------------------------------------------------------------------- */

/*
 * The entry with this key, or NULL. `mapping` may be NULL or another kind of node, which gives
 * NULL.
 */
const struct bt_yaml_entry *bt_yaml_find_entry(const struct bt_yaml_node *mapping, bt_str key);
/*
 * The value of the entry with this key, or NULL. `mapping` may be NULL or another kind of node,
 * which gives NULL.
 */
const struct bt_yaml_node *bt_yaml_get(const struct bt_yaml_node *mapping, bt_str key);

/* The type of a scalar. Only a plain scalar can be other than a string. */
enum bt_yaml_type {
    BT_YAML_TYPE_NONE = 0, /* not a scalar */
    BT_YAML_TYPE_STRING,
    BT_YAML_TYPE_NULL,    /* null, ~, or empty */
    BT_YAML_TYPE_FALSE,   /* false, not no, off or False */
    BT_YAML_TYPE_TRUE,    /* true, not yes, on or True */
    BT_YAML_TYPE_INTEGER, /* decimal digits, perhaps after a sign */
    BT_YAML_TYPE_NUMBER,  /* a decimal number with a fraction or an exponent */
};

/* The type of a scalar; BT_YAML_TYPE_NONE for NULL and for every node that is not a scalar. */
enum bt_yaml_type bt_yaml_type_of(const struct bt_yaml_node *node);

#endif
