/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fresh.h - a new store for a test: SQLite in a temporary folder, or a schema of its own on the
 * server that BATON_TEST_POSTGRES names.
 */
#ifndef BATON_TESTS_STORE_FRESH_H
#define BATON_TESTS_STORE_FRESH_H

#include "base/arena.h"
#include "store/store.h"

struct fresh {
    char folder[256];
    struct bt_arena arena; /* holds the place */
    struct bt_error error;
    struct bt_store_location place;
    struct bt_store *store;
};

void fresh_open(struct fresh *fresh);
void fresh_close(struct fresh *fresh);
/* Another connection to the same store, for the caller to close. */
struct bt_store *fresh_other(struct fresh *fresh);
/* A number from the environment, for runs that are longer or other than usual. */
size_t fresh_number(const char *name, size_t usual);

#endif
