/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scarce.h - a machine on which the n-th call of a sort fails: writes and syncs of files, memory of
 * ours, of libcrypto and of SQLite. The linker leads the calls here (--wrap).
 */
#ifndef BATON_TESTS_LEDGER_SCARCE_H
#define BATON_TESTS_LEDGER_SCARCE_H

#include <stdbool.h>

enum scarce_sort {
    SCARCE_NOTHING = 0,
    SCARCE_MEMORY,        /* malloc(), calloc() and realloc() of our code */
    SCARCE_CRYPTO_MEMORY, /* libcrypto's */
    SCARCE_SQLITE_MEMORY, /* SQLite's */
    SCARCE_FILES,         /* write(), fsync(), rename(), linkat(), mkdir() ... fail with `code` */
    SCARCE_HALF_FILES,    /* a write() is short, and the next one fails with `code` */
    SCARCE_LYING_FILES,   /* nothing is written, and every call says that it was */
};

/* Once, before anything else: libcrypto and SQLite take their memory through here. */
bool scarce_begin(void);
/* Let the call fail that comes after `countdown` others of this sort. */
void scarce_set(enum scarce_sort sort, int countdown, int code);
/* Everything works again. Whether the fault had struck. */
bool scarce_end(void);

#endif
