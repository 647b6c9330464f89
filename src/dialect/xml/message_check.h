/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_check.h - one message on its way through the groups of checks, for the files of this
 * folder.
 *
 *     read -> envelope -> sender and target -> payload
 *
 * A group with a HARD finding is the last.
 */
#ifndef BATON_SRC_DIALECT_XML_MESSAGE_CHECK_H
#define BATON_SRC_DIALECT_XML_MESSAGE_CHECK_H

#include "dialect/xml/message.h"
#include "organism/organism.h"
#include "organism/xsd.h"
#include "report/rules.h"
#include "xml/xml.h"

#define BT_SPACE_ENV BT_STR("https://xml-pipeline.org/ns/envelope/v1")
#define BT_SPACE_CORE BT_STR("https://xml-pipeline.org/ns/core/v1")
#define BT_SPACE_META BT_STR("https://xml-pipeline.org/ns/meta/v1")
#define BT_SPACE_SYS BT_STR("https://xml-pipeline.org/system")
#define BT_SPACE_PRIV BT_STR("https://xml-pipeline.org/privileged-msg")
#define BT_SPACE_BATON BT_STR("urn:baton:pump:1")

/* A fix that would settle a finding. */
struct bt_message_edit {
    enum bt_code code;
    bt_str pointer;
    enum bt_fix kind;
    struct bt_xml_node *node;           /* what it is about */
    const struct bt_payload_type *type; /* of the element whose fields are out of order */
    size_t offset;                      /* of a fix that was made: in the given text */
};

/* A vector of fixes, the first noted first. */
struct bt_message_edits {
    struct bt_message_edit *items;
    size_t count;
    size_t capacity;
};

/* What a valid envelope says. */
struct bt_message_envelope {
    bt_str from;
    bool has_to;
    bt_str to;
    bt_str thread;
    bool has_id;
    bt_str id;
};

struct bt_message_check {
    struct bt_env *env;
    const struct bt_message_options *options;
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the results; NULL: that of the findings */
    bt_str text;

    const struct bt_xml_document *document; /* NULL: it could not be read */
    bt_str canonical;                       /* ptr NULL: see bt_message_check_canonical() */
    struct bt_xml_node *root;
    struct bt_xml_node *thread_node;
    struct bt_xml_node *payload;
    bool has_envelope; /* it is valid */
    struct bt_message_envelope envelope;
    bt_str listener; /* "": not found */
    const struct bt_organism_client *client;
    struct bt_organism_target target;

    size_t first_finding; /* index of the first finding about this message */
    struct bt_message_edits edits;
};

/* Run all groups. Only env, options, findings, arena and text of *message are set. */
BT_MUST_USE enum bt_status bt_message_check_judge(struct bt_message_check *message);
/* What a payload without an envelope must be. */
struct bt_message_payload_target {
    bt_str tag;
    bt_str group_tag;                   /* also allowed; "": none */
    bt_str suffix;                      /* also allowed is a tag that ends with it; "": none */
    bool is_any;                        /* every tag with a dot is allowed */
    const struct bt_payload_type *type; /* NULL: any content */
};
/*
 * Judge a payload without an envelope. Only env, options, findings, arena and text of *message are
 * set.
 */
BT_MUST_USE enum bt_status bt_message_check_payload(struct bt_message_check *message,
                                                    const struct bt_message_payload_target *target);
/* The canonical form of a message that could be read. It is written on demand. */
BT_MUST_USE enum bt_status bt_message_check_canonical(const struct bt_message_check *message,
                                                      bt_str *out);

BT_MUST_USE enum bt_status bt_message_check_envelope(struct bt_message_check *message);
BT_MUST_USE enum bt_status bt_message_check_target(struct bt_message_check *message);
/* Whether the client may make this query; *out is why not, or 0. */
BT_MUST_USE enum bt_status bt_message_check_meta_request(struct bt_message_check *message,
                                                         enum bt_xml_meta_refused_reason *out);

/* Check an element against a type; the findings are those of a payload. */
BT_MUST_USE enum bt_status bt_message_check_value(struct bt_message_check *message,
                                                  struct bt_xml_node *element,
                                                  const struct bt_payload_type *type);

/* The sender and receiver of the message; unchanged when its envelope is not valid. */
void bt_message_check_identify(const struct bt_message_check *message, struct bt_identity *out);
/* The facts; `fixed` (may be NULL) are the fixes that were made, oldest first. */
BT_MUST_USE enum bt_status bt_message_check_facts(const struct bt_message_check *message,
                                                  const struct bt_message_edits *fixed,
                                                  bt_str *out);

/* ---- Findings -------------------------------------------------------------------------------- */

/* The place of an element (NULL: of the whole text). */
struct bt_location bt_message_locate(const struct bt_message_check *message,
                                     const struct bt_xml_node *element);
/* Add a finding about each attribute of an element of the payload or of the envelope. */
BT_MUST_USE enum bt_status bt_message_check_attributes(struct bt_message_check *message,
                                                       const struct bt_xml_node *element,
                                                       bool is_payload);
/* True when the message has a HARD finding. */
static inline bool bt_message_has_hard(const struct bt_message_check *message)
{
    return bt_findings_have_hard(message->findings, message->first_finding);
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The index of the field of this name, or the number of fields. */
size_t bt_message_field_named(const struct bt_payload_type *type, bt_str name);
/* True when a text is a value of a simple type. */
bool bt_message_value_matches(enum bt_payload_type_kind kind, bt_str text);

/* Report equal items of a set, or equal keys of a dict, at the later item. */
BT_MUST_USE enum bt_status bt_message_values_unique(struct bt_message_check *message,
                                                    struct bt_xml_node *element,
                                                    const struct bt_payload_type *type);

#endif
