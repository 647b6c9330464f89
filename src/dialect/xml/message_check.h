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

#include <baton/xml.h>

#include "organism/organism.h"
#include "report/finding_builder.h"
#include "xml/xml.h"

#define BT_SPACE_ENV BT_STR("https://xml-pipeline.org/ns/envelope/v1")
#define BT_SPACE_CORE BT_STR("https://xml-pipeline.org/ns/core/v1")
#define BT_SPACE_META BT_STR("https://xml-pipeline.org/ns/meta/v1")
#define BT_SPACE_SYS BT_STR("https://xml-pipeline.org/system")
#define BT_SPACE_PRIV BT_STR("https://xml-pipeline.org/privileged-msg")
#define BT_SPACE_BATON BT_STR("urn:baton:pump:1")

/* The row of a code that has one. */
const struct bt_rule *bt_xml_rule(const char *code);

/* A fix that would settle a finding. */
struct bt_message_edit {
    const char *code;
    bt_str pointer;
    enum bt_fix kind;
    struct bt_xml_node *node;           /* what it is about */
    const struct bt_payload_type *type; /* of the element whose fields are out of order */
    struct bt_message_edit *next;
};

struct bt_message_check {
    struct bt_env *env;
    const struct bt_message_options *options;
    struct bt_findings *findings;
    struct bt_arena *arena; /* of what is found out; NULL: that of the findings */
    bt_str text;

    const struct bt_xml_document *document; /* NULL: it could not be read */
    bt_str canonical;                       /* ptr NULL: see bt_message_check_canonical() */
    struct bt_xml_node *root;
    struct bt_xml_node *thread_node;
    struct bt_xml_node *payload;
    bool has_envelope; /* it is sound, and what follows is known */
    bt_str from;
    bool has_to;
    bt_str to;
    bt_str thread;
    bool has_id;
    bt_str id;
    bt_str listener; /* "": not found */
    const struct bt_organism_client *client;
    struct bt_organism_target target;

    size_t hard;                   /* HARD findings so far */
    struct bt_message_edit *edits; /* the first noted first */
    struct bt_message_edit *last_edit;
};

/* Run all groups. *message has been cleared but for env, options, findings, arena and text. */
BT_MUST_USE enum bt_status bt_message_check_judge(struct bt_message_check *message);
/* The canonical form of a message that could be read. Few ask for it, so it is written then. */
BT_MUST_USE enum bt_status bt_message_check_canonical(const struct bt_message_check *message,
                                                      bt_str *out);

BT_MUST_USE enum bt_status bt_message_check_envelope(struct bt_message_check *message);
BT_MUST_USE enum bt_status bt_message_check_target(struct bt_message_check *message);
BT_MUST_USE enum bt_status bt_message_check_meta_request(struct bt_message_check *message,
                                                         const char **out);

/* Check an element against a type; the findings are those of a payload. */
BT_MUST_USE enum bt_status bt_message_check_value(struct bt_message_check *message,
                                                  struct bt_xml_node *element,
                                                  const struct bt_payload_type *type);

/* Whom the message is from and for; nothing when its envelope is not sound. */
void bt_message_check_identify(const struct bt_message_check *message, struct bt_identity *out);
/* The facts; `fixed` (may be NULL) are the fixes that were made, oldest first. */
BT_MUST_USE enum bt_status bt_message_check_facts(const struct bt_message_check *message,
                                                  const struct bt_message_edit *fixed, bt_str *out);

/* ---- Saying ---------------------------------------------------------------------------------- */

/* Begin a finding about an element (NULL: about the whole text). */
BT_MUST_USE enum bt_status bt_message_check_remark(struct bt_message_check *message,
                                                   struct bt_finding_builder *remark,
                                                   const char *code,
                                                   const struct bt_xml_node *element);
BT_MUST_USE enum bt_status bt_message_add_finding(struct bt_message_check *message,
                                                  struct bt_finding_builder *remark);
/* A finding with at most one member of params; `name` NULL: none. */
BT_MUST_USE enum bt_status bt_message_add_text_finding(struct bt_message_check *message,
                                                       const char *code,
                                                       const struct bt_xml_node *element,
                                                       const char *name, bt_str value);
/* A finding about each attribute of an element. */
BT_MUST_USE enum bt_status bt_message_check_attributes(struct bt_message_check *message,
                                                       const char *code,
                                                       const struct bt_xml_node *element);
/* Note a fix that would settle the finding of `code` about the node. */
BT_MUST_USE enum bt_status bt_message_add_edit(struct bt_message_check *message,
                                               struct bt_message_edit edit);

#endif
