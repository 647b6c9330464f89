/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statements.h - the statements of the interface, by number.
 */
#ifndef BATON_SRC_STORE_STATEMENTS_H
#define BATON_SRC_STORE_STATEMENTS_H

#include <baton/base.h>

enum bt_statement {
    BT_SQL_META_GET = 0,
    BT_SQL_META_PUT,
    BT_SQL_META_SET,
    BT_SQL_ENTRY_PUT,
    BT_SQL_ENTRY_UP,
    BT_SQL_ENTRY_DOWN,
    BT_SQL_ENTRY_TEXTS,
    BT_SQL_ENTRY_NAMES,
    BT_SQL_ENTRY_LAST,
    BT_SQL_ENTRY_AMONG, /* BT_ENTRIES_AMONG seqs */
    BT_SQL_ENTRY_AMONG_DOWN,
    BT_SQL_SEQS_BY_HANDOFF,
    BT_SQL_SEQS_BY_TRACE,
    BT_SQL_SEQS_BY_DOCUMENT,
    BT_SQL_MARK_SCAN,
    BT_SQL_MARK_PUT,
    BT_SQL_LEAF_SCAN,
    BT_SQL_HASH_SCAN,
    BT_SQL_HASH_PUT,
    BT_SQL_CHECKPOINT_PUT,
    BT_SQL_CHECKPOINT_GET,
    BT_SQL_CHECKPOINT_LAST,
    BT_SQL_CHECKPOINT_SCAN,
    BT_SQL_COSIGNATURE_PUT,
    BT_SQL_COSIGNATURE_SCAN,
    BT_SQL_COSIGNATURE_SIZES,
    BT_SQL_COSIGNATURE_LAST,
    BT_SQL_DOCUMENT_PUT,
    BT_SQL_DOCUMENT_STATE,
    BT_SQL_DOCUMENT_GET,
    BT_SQL_DOCUMENT_REDACT,
    BT_SQL_DOCUMENT_SCAN,
    BT_SQL_DOCUMENT_ABSENT,
    BT_SQL_DOCUMENT_NAMES, /* these are for a file: by the numbers of its rows, from 0 */
    BT_SQL_DOCUMENT_LAST,
    BT_SQL_DOCUMENT_ROWS_BY_SHA256,
    BT_SQL_DOCUMENT_ROW_STATE,
    BT_SQL_DOCUMENT_ROW_GET,
    BT_SQL_DOCUMENT_ROW_REDACT,
    BT_SQL_DOCUMENT_ROW_SCAN,
    BT_SQL_DOCUMENT_ROW_ABSENT,
    BT_SQL_SEEN_PUT,
    BT_SQL_SEEN_GET,
    BT_SQL_SEEN_SCAN,
    BT_SQL_QUEUE_PUT,
    BT_SQL_QUEUE_HOLD, /* and keep others from changing it */
    BT_SQL_QUEUE_READY,
    BT_SQL_QUEUE_SPENT,
    BT_SQL_QUEUE_OF_DOCUMENT,
    BT_SQL_MESSAGE_STATE,
    BT_SQL_ANSWER_PURGE,
    BT_SQL_TASK_SCAN,
    BT_SQL_REDACT_QUEUE,
    BT_SQL_REDACT_MESSAGE,
    BT_SQL_REDACT_ANSWER,
    BT_SQL_REDACT_ANSWER_AT,
    BT_SQL_REDACT_TASK,
    BT_SQL_REDACT_TASK_AT,
    BT_SQL_DOCUMENT_COPIES,
    BT_SQL_TASK_HAVING, /* in a file; the next one elsewhere */
    BT_SQL_TASK_HAVING_REMOTE,
    BT_SQL_COUNTS,
    BT_SQL_WAITING,
    BT_SQL_QUEUE_SIZES,
    BT_SQL_QUEUE_SIZES_READ, /* without counters */
    BT_SQL_QUEUE_COUNT_ALL,
    BT_SQL_QUEUE_COUNTS_WRONG,
    BT_SQL_COUNT_ADD,
    BT_SQL_COUNT_DROP,
    BT_SQL_COUNT_SCAN,
    BT_SQL_COUNT_SCAN_KEYS, /* the index has all that this and the next one read */
    BT_SQL_COUNT_SCAN_NAMES,
    BT_SQL_COUNT_DELETE,
    BT_SQL__MAX,
};

/* As many seqs as one statement asks for. */
enum { BT_ENTRIES_AMONG = 16 };

extern const char *const bt_statements[BT_SQL__MAX];

/* The statements of every table; their numbers follow BT_SQL__MAX, so many for each table. */
enum bt_row_statement {
    BT_ROW_PUT = 0,   /* all columns; an existing row is replaced where that is allowed */
    BT_ROW_DELETE,    /* by the whole key */
    BT_ROW_COUNT_BAD, /* count of rows with updated_seq at or above $1 */
    BT_ROW_FIND,      /* by the first column that has an index of its own */
    BT_ROW_FROM,      /* by the first column of the key, from $1 on upwards */
    BT_ROW_SCAN,      /* by the first 0, 1, 2 ... columns of the key: one number each */
    BT_ROW__MAX = BT_ROW_SCAN + 6,
};

/* The number of one of them. */
size_t bt_store_row_statement_of(size_t table, size_t what);
/* One above the last number. */
size_t bt_store_statements_count(void);
/* Put the text of any statement. */
void bt_statement_put(struct bt_buf *buf, size_t number);

#endif
