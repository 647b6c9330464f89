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

struct bt_message_options {
    const struct bt_organism *organism; /* NULL: none; see organism.h */
    bt_str client;                      /* who is known to send; "": whoever the message names */
    const struct bt_organism_options
        *organism_options; /* how organism files are judged; NULL: alone,
                                                    without a look at other files */
};

struct bt_message_input {
    bt_str path; /* as people know it */
    bt_str text;
    const struct bt_message_options *options; /* NULL: the defaults */
};

/* What came of fixing. Everything lives in the arena that the call was given. */
struct bt_message_fix_result {
    struct bt_judgement judged; /* the result, judged; facts.fixed lists what was done */
    bt_str text;  /* the resulting message, canonical; the given one when nothing changed */
    size_t count; /* of the fixes that were made */
};

/* Apply the safe fixes, and with `unsafe` the others, until none is left. */
BT_API BT_MUST_USE enum bt_status bt_message_fix(struct bt_env *env, struct bt_arena *arena,
                                                 const struct bt_message_input *document,
                                                 bool unsafe, struct bt_message_fix_result *out);

#ifdef __cplusplus
}
#endif

#endif
