/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - bytes -> a tree of elements and text, or the first fault; a tree -> canonical bytes.
 *
 * XML 1.0 (fifth edition) with namespaces, in UTF-8, without document types and processing
 * instructions. One reader has two tempers: strict, and lenient, which makes the repairs of a
 * closed list and tells them. Comments are dropped, CDATA sections become text.
 *
 * A document lives in the caller's arena and points into the source, which must stay in place.
 */
#ifndef BATON_SRC_XML_XML_H
#define BATON_SRC_XML_XML_H

#include <baton/base.h>

#include "base/map.h"

#define BT_XML_DEPTH_MAX 128
#define BT_XML_ATTRIBUTES_MAX 64

/* ---- The tree -------------------------------------------------------------------------------- */

struct bt_xml_attribute {
    bt_str name;     /* local part */
    bt_str space;    /* namespace; "": none */
    bt_str value;    /* decoded and normalised */
    uint32_t prefix; /* number of its prefix; see struct bt_xml_document */
};

/* An element, or a run of text between two of them. Runs that a comment or a reference parts stay
 * apart; see bt_xml_text(). */
struct bt_xml_node {
    bool is_text;
    bool has_elements; /* at least one child is an element */
    bool has_text;     /* a child is text that is not blank */
    bool is_dressed;   /* a comment or a CDATA section is among the children */
    bool is_numbered;  /* the ordinals of the children are known */
    uint8_t attributes_count;
    uint32_t prefix;
    uint32_t ordinal; /* among siblings of the same name, from 1; 0: it is the only one */
    bt_str name;      /* local part of an element's name, or the text */
    bt_str space;     /* namespace; "": none */
    const struct bt_xml_attribute *attributes; /* in source order, without declarations */
    size_t offset;                             /* of the `<`, or of the text */
    struct bt_xml_node *parent;                /* NULL at the top */
    struct bt_xml_node *next;
    struct bt_xml_node *first;
    struct bt_xml_node *last;
};

/* Prefixes are numbered in the order in which they come up; these two are there from the start. */
enum { BT_XML_NO_PREFIX = 0, BT_XML_PREFIX_XML = 1 };

struct bt_xml_document {
    struct bt_xml_node *root; /* further top-level elements follow by `next`; only of a result */
    size_t roots;
    size_t prefixes_count;
    const struct bt_map_entry *prefixes; /* by number; key.text is the prefix */
};

/* ---- Reading --------------------------------------------------------------------------------- */

enum bt_xml_error {
    BT_XML_FINE = 0,
    BT_XML_TOO_LARGE,
    BT_XML_ENCODING,
    BT_XML_DTD,
    BT_XML_PI,
    BT_XML_NAMESPACE, /* an unbound prefix, or two attributes with one expanded name */
    BT_XML_TOO_DEEP,
    BT_XML_TOO_MANY_ATTRIBUTES,
    BT_XML_SYNTAX,
    BT_XML_CUT,           /* the input ends inside a value; strict reading says BT_XML_SYNTAX */
    BT_XML_REPAIRED_LEAF, /* a repair could have changed a value; only of a message */
};

enum bt_xml_repair {
    BT_XML_REPAIR_OUTSIDE = 1,
    BT_XML_REPAIR_PI = 2,
    BT_XML_REPAIR_AMP = 4,
    BT_XML_REPAIR_LT = 8,
    BT_XML_REPAIR_CLOSE = 16,
    BT_XML_REPAIR_STRAY = 32,
    BT_XML_REPAIR_EOF = 64,
    BT_XML_REPAIR_CORE_CHILD = 128,
};

#define BT_XML_REPAIRS_MAX 8

/* The names of the repairs in the set, sorted; returns how many there are. */
size_t bt_xml_repair_names(unsigned repairs, bt_str out[BT_XML_REPAIRS_MAX]);

enum bt_xml_mode {
    BT_XML_STRICT = 0,
    BT_XML_LENIENT_MESSAGE, /* one document; no processing instruction; no value is repaired */
    BT_XML_LENIENT_RESULT,  /* any number of fragments */
};

struct bt_xml_options {
    enum bt_xml_mode mode;
    uint64_t bytes_max;
    uint32_t depth_max; /* the root counts 1; at most BT_XML_DEPTH_MAX */
    uint64_t seed[2];   /* prefixes are hashed with it; that of bt_env */
};

struct bt_xml_result {
    const struct bt_xml_document *document; /* NULL when `code` is set */
    enum bt_xml_error code;                 /* the first fault */
    size_t offset;                          /* where it is */
    const char *detail;                     /* a phrase for people; never NULL */
    bt_str name;              /* the prefix, or the target of the processing instruction; else "" */
    uint64_t limit;           /* the bound that was exceeded, else 0 */
    unsigned repairs;         /* set of enum bt_xml_repair */
    struct bt_xml_node *leaf; /* whose value was repaired, else NULL */
    unsigned leaf_repair;     /* the repair, else 0 */
};

/*
 * Read `source`. BT_OK means that it was judged. The order of judgement is: size, encoding of the
 * whole text, then everything else in document order. BT_ENOMEM is the only failure.
 */
BT_MUST_USE enum bt_status bt_xml_read(struct bt_arena *arena, bt_str source,
                                       const struct bt_xml_options *options,
                                       struct bt_xml_result *out);

/* ---- Access ---------------------------------------------------------------------------------- */

/* The first child, or the next sibling, that is an element; NULL: there is none. */
struct bt_xml_node *bt_xml_first(const struct bt_xml_node *element);
struct bt_xml_node *bt_xml_next(const struct bt_xml_node *element);
/* True when an element has this namespace ("": none) and local name. */
bool bt_xml_is(const struct bt_xml_node *element, bt_str space, bt_str name);
/* The node after `node` in document order, within `top`; NULL at its end. */
struct bt_xml_node *bt_xml_next_element(const struct bt_xml_node *node,
                                        const struct bt_xml_node *top);
/* All text directly inside an element, in one piece. */
BT_MUST_USE enum bt_status bt_xml_text(struct bt_arena *arena, const struct bt_xml_node *element,
                                       bt_str *out);
/* True when text has only blanks of XML: space, tab, line feed, carriage return. */
bool bt_xml_is_blank(bt_str text);
/* The text without such blanks at both ends. */
bt_str bt_xml_trim(bt_str text);

/*
 * Put the path of an element: local names from the top, each after a slash, with [n] where siblings
 * have the same name. BT_ENOMEM: there was no memory to number siblings in.
 */
BT_MUST_USE enum bt_status bt_xml_put_path(struct bt_buf *buf, struct bt_arena *arena,
                                           const struct bt_xml_node *element);

/* ---- Writing --------------------------------------------------------------------------------- */

/*
 * Put an element as Exclusive XML Canonicalization 1.0 without comments gives it for a document of
 * its own. Blank text beside elements is left out. `arena` is working memory and is rewound. What
 * the buffer cannot hold sticks to it and is returned.
 */
BT_MUST_USE enum bt_status bt_xml_put_canonical(struct bt_buf *buf, struct bt_arena *arena,
                                                const struct bt_xml_document *document,
                                                const struct bt_xml_node *element);

/* The canonical form of an element, at most `bytes_max` bytes, in the arena. BT_ELIMIT: longer. */
BT_MUST_USE enum bt_status bt_xml_canonical(struct bt_arena *arena,
                                            const struct bt_xml_document *document,
                                            const struct bt_xml_node *element, size_t bytes_max,
                                            bt_str *out);

/* Put text as the content of an element. */
void bt_xml_put_text(struct bt_buf *buf, bt_str text);

#endif
