/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - a document while it is being read, for the files of this folder.
 */
#ifndef BATON_SRC_XML_READER_H
#define BATON_SRC_XML_READER_H

#include <baton/base.h>

#include "base/map.h"
#include "base/vec.h"
#include "xml/xml.h"

/* ---- Namespaces ------------------------------------------------------------------------------ */

#define BT_XML_SPACE_XML BT_STR("http://www.w3.org/XML/1998/namespace")
#define BT_XML_SPACE_XMLNS BT_STR("http://www.w3.org/2000/xmlns/")

struct bt_xml_namespaces {
    struct bt_arena *arena;
    struct bt_map prefixes; /* an entry's number is the prefix's number */
    BT_VEC(bt_str) bound;   /* by number: the namespace in force; ptr NULL: unbound */
};

/* What a declaration replaced. */
struct bt_xml_namespace_undo {
    struct bt_xml_namespace_undo *next;
    uint32_t prefix;
    bt_str bound;
};

BT_MUST_USE enum bt_status bt_xml_namespaces_init(struct bt_xml_namespaces *spaces,
                                                  struct bt_arena *arena, const uint64_t seed[2]);
/* The number of a prefix, which gets one if it has none. */
BT_MUST_USE enum bt_status bt_xml_namespaces_number(struct bt_xml_namespaces *spaces, bt_str prefix,
                                                    uint32_t *out);
/* Bind a prefix, and note in *undo what stood there. */
BT_MUST_USE enum bt_status bt_xml_namespaces_bind(struct bt_xml_namespaces *spaces, uint32_t prefix,
                                                  bt_str space,
                                                  struct bt_xml_namespace_undo **undo);
/* Take back everything that is noted. */
void bt_xml_namespaces_undo(struct bt_xml_namespaces *spaces,
                            const struct bt_xml_namespace_undo *undo);

/* An element that is open. */
struct bt_xml_frame {
    struct bt_xml_node *element;
    bt_str written;                     /* its name with the prefix, as an end tag must repeat it */
    struct bt_xml_namespace_undo *undo; /* the bindings that end with it */
    unsigned repairs;                   /* those that would have changed its value, if it has one */
};

/* A name as it is written: a local part, perhaps after a prefix and a colon. */
struct bt_xml_raw_name {
    bt_str whole;
    bt_str prefix;
    bt_str local;
};

struct bt_xml_pair {
    struct bt_xml_raw_name name;
    bt_str value;
};

struct bt_xml_reader {
    struct bt_arena *arena;
    const struct bt_xml_options *options;
    bt_str source;
    size_t at;
    struct bt_xml_document *document;
    struct bt_xml_node *last_root;
    struct bt_xml_namespaces spaces;
    struct bt_xml_frame *frames; /* room for BT_XML_DEPTH_MAX */
    size_t depth;
    struct bt_xml_pair *pairs; /* of the tag that is being read; room for BT_XML_ATTRIBUTES_MAX */
    struct bt_xml_result *result;
    bool failed; /* there was no memory */
};

static inline bool bt_xml_is_lenient(const struct bt_xml_reader *reader)
{
    return reader->options->mode != BT_XML_STRICT;
}

/* The innermost open element; NULL at the top. */
static inline struct bt_xml_frame *bt_xml_open_element(struct bt_xml_reader *reader)
{
    return reader->depth > 0 ? &reader->frames[reader->depth - 1] : NULL;
}

static inline bt_str bt_xml_rest(const struct bt_xml_reader *reader)
{
    return bt_str_slice(reader->source, reader->at, reader->source.len);
}

/* Set the fault that ends the reading. Returns false. */
bool bt_xml_set_error(struct bt_xml_reader *reader, enum bt_xml_error code, size_t offset,
                      const char *detail);
/* Set that memory ran out. Returns false. */
bool bt_xml_no_memory(struct bt_xml_reader *reader);
/* Record a repair, also for the open element whose value it may change. */
void bt_xml_add_repair(struct bt_xml_reader *reader, enum bt_xml_repair repair);

/* The steps below return false when the reading is over: a fault, or no memory. */

/* Read the start tag at reader->at, which is a `<` before a name. */
bool bt_xml_start_tag(struct bt_xml_reader *reader);
/* Read text up to the next `<` that begins markup. */
bool bt_xml_char_data(struct bt_xml_reader *reader);
/* Add text as a child of the innermost element. */
bool bt_xml_add_text(struct bt_xml_reader *reader, bt_str text, size_t offset);
/* Close the innermost element. */
bool bt_xml_close(struct bt_xml_reader *reader);

/*
 * Decode references and line ends of a run of text or of an attribute's value. False after a fault.
 */
bool bt_xml_decode(struct bt_xml_reader *reader, bt_str raw, size_t offset, bool is_attribute,
                   bt_str *out);

/* Read the XML declaration, if there is one at reader->at. */
bool bt_xml_declaration(struct bt_xml_reader *reader);
/* Where the value of the encoding declaration stands; an empty text: there is none. */
bt_str bt_xml_declared_encoding(bt_str source);

#endif
