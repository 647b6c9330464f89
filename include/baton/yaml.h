/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml.h - read the part of YAML 1.2 that looks like what it means.
 *
 * Block and flow mappings and sequences, plain and quoted scalars, | and > blocks, comments; every
 * JSON text as well. Anchors, aliases, tags, merge keys, directives, complex keys and a second
 * document are refused, because each lets a text read differently from how it looks; so are
 * repeated keys, tabs as indentation and carriage returns that end no line.
 *
 *     struct bt_yaml_read_result read;
 *     if (bt_yaml_read(&arena, text, NULL, &read) == BT_OK && read.root) {
 *         const struct bt_yaml_node *name = bt_yaml_get(read.root, BT_STR("name"));
 *         ...
 *     }
 *
 * What was read is immutable and lives in the caller's arena; the source need not outlive it.
 */
#ifndef BATON_YAML_H
#define BATON_YAML_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Nodes ----------------------------------------------------------------------------------- */

enum bt_yaml_kind {
    BT_YAML_NONE = 0,
    BT_YAML_SCALAR,
    BT_YAML_SEQUENCE,
    BT_YAML_MAPPING,
};

/* How a scalar was written. */
enum bt_yaml_style {
    BT_YAML_STYLE_NONE = 0, /* it is no scalar */
    BT_YAML_STYLE_PLAIN,
    BT_YAML_STYLE_QUOTED, /* single or double */
    BT_YAML_STYLE_BLOCK,  /* | or > */
};

struct bt_yaml_entry;

struct bt_yaml_node {
    enum bt_yaml_kind kind;
    enum bt_yaml_style style;
    size_t offset; /* of its first byte: a quote, a bracket, the | or >, the first key or dash */
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

/* What is wrong with a text. The names are those of the findings. */
enum bt_yaml_error {
    BT_YAML_ERROR_NONE = 0,
    BT_YAML_SYNTAX,        /* not YAML, or not UTF-8 */
    BT_YAML_UNSUPPORTED,   /* a feature that is refused */
    BT_YAML_DUPLICATE_KEY, /* two entries of one mapping have the same key */
    BT_YAML_LIMIT,
};

struct bt_yaml_options {
    uint64_t bytes_max;
    uint64_t nodes_max; /* items and entries; the root counts as none */
    uint32_t depth_max; /* mappings and sequences; the root counts 1; at most 1000 */
};

/* 1 MiB, 100,000 and 64. */
BT_API struct bt_yaml_options bt_yaml_options_default(void);

struct bt_yaml_read_result {
    const struct bt_yaml_node *root; /* NULL when `code` is set; an empty text is an empty scalar */
    enum bt_yaml_error code;         /* the first problem; repeated keys show at a mapping's end */
    size_t offset;                   /* where it is */
    bt_str detail;                   /* a phrase for people; never empty when `code` is set */
    bt_str pointer;                  /* of the mapping that has a key twice, else "" */
    bt_str key;                      /* that key, else "" */
    bt_str feature;    /* anchor, alias, tag, merge, directive, complex-key, document or "" */
    uint64_t limit;    /* the bound that was exceeded, else 0 ... */
    bt_str limit_name; /* ... bytes, nodes, depth, blank_lines (256 in a row) or "" */
};

/*
 * Read `source`. BT_OK means that the text was judged: either result->root is set, or result->code
 * says what is wrong. `options` may be NULL for the defaults.
 *
 * BT_ENOMEM: the arena reached its limit, or the system has no memory; BT_EINVAL: an option is out
 * of range. *out_result is written only on BT_OK.
 */
BT_API BT_MUST_USE enum bt_status bt_yaml_read(struct bt_arena *arena, bt_str source,
                                               const struct bt_yaml_options *options,
                                               struct bt_yaml_read_result *out_result);

/* "YAML_SYNTAX" and so on; "" for BT_YAML_ERROR_NONE. */
BT_API bt_str bt_yaml_error_name(enum bt_yaml_error code);

/* ---- Looking --------------------------------------------------------------------------------- */

/* The entry with this key, or NULL; NULL also when `mapping` is NULL or no mapping. */
BT_API const struct bt_yaml_entry *bt_yaml_find_entry(const struct bt_yaml_node *mapping,
                                                      bt_str key);
/* Its value, or NULL. */
BT_API const struct bt_yaml_node *bt_yaml_get(const struct bt_yaml_node *mapping, bt_str key);

/* What a scalar is. Only a plain one is ever more than a string. */
enum bt_yaml_type {
    BT_YAML_TYPE_NONE = 0, /* it is no scalar */
    BT_YAML_TYPE_STRING,
    BT_YAML_TYPE_NULL,    /* null, ~, or nothing at all */
    BT_YAML_TYPE_FALSE,   /* false, not no, off or False */
    BT_YAML_TYPE_TRUE,    /* true, not yes, on or True */
    BT_YAML_TYPE_INTEGER, /* decimal digits, perhaps after a sign */
    BT_YAML_TYPE_NUMBER,  /* with a fraction or an exponent */
};

/* NULL, like every node that is no scalar, gives BT_YAML_TYPE_NONE. */
BT_API enum bt_yaml_type bt_yaml_type_of(const struct bt_yaml_node *node);

#ifdef __cplusplus
}
#endif

#endif
