/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h - messages of the XML pump: an envelope with a sender, a thread and one payload.
 *
 * Checks go through bt_check_document() as for every dialect, with the options below. Rules that
 * need an organism are skipped without one.
 */
#ifndef BATON_SRC_DIALECT_XML_MESSAGE_H
#define BATON_SRC_DIALECT_XML_MESSAGE_H

#include <baton/base.h>

#include "organism/read.h"

struct bt_message_options {
    const struct bt_organism *organism; /* NULL: no organism; see organism.h */
    /* the authenticated sender; "": the sender that the message names */
    bt_str client;
    /* How organism files are checked. NULL: each alone, without the files that it names. */
    const struct bt_organism_options *organism_options;
};

struct bt_message_input {
    bt_str path; /* for messages */
    bt_str text;
    const struct bt_message_options *options; /* NULL: the defaults */
};

/* The result of fixing. Everything lives in the arena passed to the call. */
struct bt_message_fix_result {
    struct bt_judgement judged; /* of the resulting message; facts.fixed lists the fixes */
    /* the resulting message in canonical form, or the given text when nothing changed */
    bt_str text;
    size_t count; /* number of fixes applied */
};

struct bt_fix_choice; /* see report/fixes.h */

/*
 * Make the fixes that were chosen, until none is left. The result lives in `arena`. BT_ENOMEM: the
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_message_fix(struct bt_env *env, struct bt_arena *arena,
                                          const struct bt_message_input *document,
                                          const struct bt_fix_choice *choice,
                                          struct bt_message_fix_result *out);

/* A field of a message to be made: an element with a text. */
struct bt_message_field {
    bt_str name;
    bt_str value;
};

/* A message to be made. */
struct bt_message_draft {
    bt_str client;
    bt_str listener;
    bt_str thread; /* "": a new one */
    bt_str id;     /* "": none */
    const struct bt_message_field *fields;
    size_t field_count;
};

/* A message that was made. */
struct bt_message_new_result {
    bt_str text;   /* its canonical form and a line feed */
    bt_str thread; /* the thread that it belongs to */
};

/*
 * Write a message for a listener of the organism. Fields come in the order in which the listener
 * declares them, others after them. *out lives in the arena. BT_ENOENT: there is no such listener.
 * BT_EINVAL: the name of a field cannot be the name of an element. `error` says more. BT_ENOMEM:
 * the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_message_new(struct bt_env *env, struct bt_arena *arena,
                                          const struct bt_organism *organism,
                                          const struct bt_message_draft *draft,
                                          struct bt_message_new_result *out,
                                          struct bt_error *error);

/* Whether the first byte that is not blank is a `<`. */
bool bt_message_recognise(bt_str content);

#endif
