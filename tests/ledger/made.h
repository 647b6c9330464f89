/* SPDX-License-Identifier: Apache-2.0 */
/*
 * made.h - ledgers made for tests, in a temporary folder, with the published test key.
 */
#ifndef BATON_TESTS_LEDGER_MADE_H
#define BATON_TESTS_LEDGER_MADE_H

#include "ledger/ledger.h"

#define MADE_ORIGIN "ledger.example/team"
#define MADE_VKEY "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"

struct made {
    char folder[256];
    char store[512];
    struct bt_env env;
    struct bt_arena arena;
    struct bt_error error;
};

/* Make an empty ledger, with entries of version 1. */
void made_open(struct made *made);
/* Make an empty ledger, with entries of this version. */
void made_open_as(struct made *made, unsigned entries);
/* Delete the folder. */
void made_close(struct made *made);
struct bt_ledger *made_ledger(struct made *made, bool writing);
/* Record `count` raw documents in one transaction; the status of bt_ledger_append(). */
enum bt_status made_append(struct made *made, struct bt_ledger *ledger, size_t count,
                           bool *out_recorded);
/* Verify the store; whether nothing is wrong with it. */
bool made_verifies(struct made *made);

#endif
