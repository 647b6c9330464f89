/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the rules about ledgers, receipts, checkpoints and stores.
 */
#ifndef BATON_SRC_LEDGER_RULES_H
#define BATON_SRC_LEDGER_RULES_H

#include <baton/report.h>

/* A finding of one of these rules, with its hint, ready to be filled in and added. */
struct bt_finding bt_ledger_finding(const char *code);

#endif
