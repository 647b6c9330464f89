/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - a log in memory for tests: every leaf is kept, and everything is computed from the leaves
 * by the recursive definitions of RFC 6962, which the library does not use.
 */
#ifndef BATON_TESTS_LEDGER_LOG_H
#define BATON_TESTS_LEDGER_LOG_H

#include "ledger/proof.h"

struct log {
    size_t size;
    struct bt_merkle_hash *leaves;
};

/* A log whose i-th entry is i in decimal. */
struct log log_make(size_t size);
void log_free(struct log *log);
/* MTH(D[from:to]) by definition. */
struct bt_merkle_hash log_root(const struct log *log, size_t from, size_t to);
/* The log as proofs are made from it. */
struct bt_merkle_subtrees log_subtrees(struct log *log);

/* A small generator of numbers, the same on every machine. */
uint64_t log_random(uint64_t *state);

#endif
