/* SPDX-License-Identifier: Apache-2.0 */
/*
 * register.h - statements of others, registered in a log that holds nothing else.
 *
 * What is signed is registered once. The list of issuers in force is a leaf too: when it is not the
 * one that the log knows, it is registered first, in the same transaction, signed by the log's key.
 */
#ifndef BATON_SRC_LEDGER_REGISTER_H
#define BATON_SRC_LEDGER_REGISTER_H

#include "ledger/issuers.h"
#include "ledger/ledger.h"

/* A statement that the issuers were asked about, and what became of it. */
struct bt_registration {
    const struct bt_signed_statement *statement;
    const struct bt_issuers *issuers; /* in force; unused by bt_ledger_find_statement() */
    bool is_there;                    /* out: the same bytes are registered, as `seq` */
    bool is_other; /* out: what it signs is registered, as `seq`, with another signature */
    uint64_t seq;  /* out */
};

/* Look for the statement in a log of statements. BT_EDENIED: the log holds decisions. */
BT_MUST_USE enum bt_status bt_ledger_find_statement(struct bt_ledger *ledger,
                                                    struct bt_arena *arena,
                                                    struct bt_registration *registration,
                                                    struct bt_error *error);
/*
 * Register the statement, unless it is there. BT_OK with findings in `alarms`, or with is_other:
 * nothing was registered. BT_EDENIED: the log holds decisions. Other statuses as for
 * bt_ledger_append().
 */
BT_MUST_USE enum bt_status bt_ledger_register(struct bt_ledger *ledger, struct bt_env *env,
                                              struct bt_arena *arena,
                                              struct bt_registration *registration,
                                              struct bt_findings *alarms, struct bt_error *error);

#endif
