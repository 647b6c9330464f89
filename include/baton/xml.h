/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml.h - messages of the XML pump: an envelope with a sender, a thread and one payload.
 *
 * Checking goes through bt_check() like every dialect, with the options below. Rules that need an
 * organism are skipped when there is none.
 */
#ifndef BATON_XML_H
#define BATON_XML_H

#include <baton/organism.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_xml_check_options {
    const struct bt_organism *organism; /* NULL: none; see organism.h */
    bt_str client;                      /* who is known to send; "": whoever the message names */
    const struct bt_organism_options *organisms; /* how organism files are judged; NULL: alone,
                                                    without a look at other files */
};

struct bt_xml_message {
    bt_str path; /* as people know it */
    bt_str text;
    const struct bt_xml_check_options *options; /* NULL: the defaults */
};

/* What came of fixing. Everything lives in the arena that the call was given. */
struct bt_xml_fixed {
    struct bt_judged judged; /* the result, judged; facts.fixed lists what was done */
    bt_str text;  /* the resulting message, canonical; the given one when nothing changed */
    size_t count; /* of the fixes that were made */
};

/* Apply the safe fixes, and with `unsafe` the others, until none is left. */
BT_API BT_MUST_USE enum bt_status bt_xml_fix(struct bt_env *env, struct bt_arena *arena,
                                             const struct bt_xml_message *document, bool unsafe,
                                             struct bt_xml_fixed *out);

#ifdef __cplusplus
}
#endif

#endif
