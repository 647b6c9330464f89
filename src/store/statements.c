/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statements.c - SQL that SQLite and PostgreSQL both read.
 */
#include "store/statements.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "store/tables.h"

#define ENTRY_COLUMNS                                                                              \
    "seq, leaf, entry, batch, kind, verdict, handoff_id, trace_id, document FROM ledger_entry "
/* The version of entries is needed where the newest checkpoint is, and only there. */
#define CHECKPOINT_COLUMNS(entries)                                                                \
    "size, root, frontier, note, batch, " entries " FROM ledger_checkpoint "

#define QUEUE_COLUMNS                                                                              \
    "queue, message_id, target, seq, thread, payload, not_before, lease_until, lease_token, "      \
    "attempts, state, updated_seq"

#define TASK_COLUMNS "id, principal, context, message_ids, state, artifacts, history, updated_seq"

#define SEQS_FROM "SELECT seq FROM ledger_entry WHERE seq >= $1 AND "
#define AMONG "($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"

/* The entries of a document, all of which are between `first` and `last`. A redaction names the
 * document as well, but what refers to it holds none of the bytes. */
#define SEQS_OF(digest, first, last)                                                               \
    "(SELECT seq FROM ledger_entry WHERE document = " digest " AND seq >= " first                  \
    " AND seq <= " last " AND kind <> 'redaction')"
#define SEQS_OF_DOCUMENT SEQS_OF("$2", "$3", "$4")
#define SEQS_OF_DOCUMENT_ONLY SEQS_OF("$1", "$2", "$3")

/* The messages of the pump that resulted from the entries `seqs`, including those of handlers. */
#define MESSAGES_OF(seqs)                                                                          \
    "(WITH RECURSIVE made (n) AS (SELECT n FROM pump_message WHERE updated_seq IN " seqs           \
    " OR (kind = 'ingress' AND caused_by IN " seqs ") UNION SELECT pump_message.n "                \
    "FROM made JOIN pump_message ON pump_message.n > made.n AND pump_message.caused_by = made.n "  \
    "AND pump_message.kind <> 'ingress') SELECT n FROM made)"

/* What waits and what is dead in inboxes and for webhooks, as queue_counts.c counts it. */
#define QUEUE_SPACES                                                                               \
    "('queue/inbox/open', 'queue/inbox/dead', 'queue/webhook/open', 'queue/webhook/dead')"
#define QUEUE_COUNTERS "SELECT space, name, n FROM ledger_count WHERE space IN " QUEUE_SPACES
#define COUNTED_ITEMS                                                                              \
    "SELECT 'queue/' || queue || CASE state WHEN 'dead' THEN '/dead' ELSE '/open' END AS space, "  \
    "target AS name, COUNT(*) AS n FROM queue WHERE state IN ('queued', 'leased', 'dead') "        \
    "AND queue IN ('inbox', 'webhook') GROUP BY 1, 2"
#define COUNTER_OF(what)                                                                           \
    "COALESCE((SELECT n FROM ledger_count WHERE space = 'queue/' || has.queue || '/" what "' "     \
    "AND name = has.target), 0)"
#define OLDEST(state)                                                                              \
    "(SELECT MIN(i.seq) FROM queue AS i WHERE i.state = '" state "' AND i.queue = has.queue "      \
    "AND i.target = has.target)"
/* The items of a queue that are not leased; those of a store without counters are counted. */
#define WAITING_IN(queue)                                                                          \
    "(SELECT CASE WHEN EXISTS (SELECT 1 FROM ledger_count WHERE space = 'queue/') "                \
    "THEN (SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM ledger_count "                          \
    "WHERE space = 'queue/" queue "/open') ELSE (SELECT COUNT(*) FROM queue "                      \
    "WHERE state IN ('queued', 'leased') AND state IS NOT NULL AND queue = '" queue "') END - "    \
    "(SELECT COUNT(*) FROM queue WHERE state = 'leased' AND queue = '" queue "' "                  \
    "AND lease_until > $1))"

/* SQLite uses the index of a column that is never NULL only where the statement says so: hence
 * `expiry IS NOT NULL` and the like. */
const char *const bt_statements[BT_SQL__MAX] = {
    [BT_SQL_META_GET] = "SELECT value FROM meta WHERE name = $1",
    [BT_SQL_META_PUT] = "INSERT INTO meta (name, value) VALUES ($1, $2)",
    [BT_SQL_META_SET] = "UPDATE meta SET value = $1 WHERE name = $2",
    [BT_SQL_ENTRY_PUT] = "INSERT INTO ledger_entry (seq, leaf, entry, batch, kind, verdict, "
                         "handoff_id, trace_id, document) "
                         "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    [BT_SQL_ENTRY_UP] = "SELECT " ENTRY_COLUMNS "WHERE seq >= $1 ORDER BY seq",
    [BT_SQL_ENTRY_DOWN] = "SELECT " ENTRY_COLUMNS "WHERE seq <= $1 ORDER BY seq DESC",
    [BT_SQL_ENTRY_TEXTS] = "SELECT seq, leaf, entry FROM ledger_entry WHERE seq >= $1 AND seq < $2 "
                           "ORDER BY seq",
    [BT_SQL_ENTRY_NAMES] = "SELECT seq, handoff_id, trace_id, document FROM ledger_entry "
                           "WHERE seq >= $1 AND seq < $2 ORDER BY seq",
    [BT_SQL_ENTRY_LAST] = "SELECT seq FROM ledger_entry ORDER BY seq DESC LIMIT 1",
    [BT_SQL_ENTRY_AMONG] = "SELECT " ENTRY_COLUMNS "WHERE seq IN " AMONG " ORDER BY seq",
    [BT_SQL_ENTRY_AMONG_DOWN] = "SELECT " ENTRY_COLUMNS "WHERE seq IN " AMONG " ORDER BY seq DESC",
    [BT_SQL_SEQS_BY_HANDOFF] = SEQS_FROM "handoff_id = $2 ORDER BY seq",
    [BT_SQL_SEQS_BY_TRACE] = SEQS_FROM "trace_id = $2 ORDER BY seq",
    [BT_SQL_SEQS_BY_DOCUMENT] = SEQS_FROM "document = $2 ORDER BY seq",
    [BT_SQL_MARK_SCAN] = "SELECT n, marks FROM ledger_mark WHERE level = $1 AND part = $2 "
                         "AND n >= $3 AND n < $4 ORDER BY n",
    [BT_SQL_MARK_PUT] = "INSERT INTO ledger_mark (level, part, n, marks) VALUES ($1, $2, $3, $4)",
    [BT_SQL_LEAF_SCAN] = "SELECT seq, leaf FROM ledger_entry WHERE seq >= $1 AND seq < $2 "
                         "ORDER BY seq",
    [BT_SQL_HASH_SCAN] = "SELECT n, hash FROM ledger_hash WHERE level = $1 AND n >= $2 AND n < $3 "
                         "ORDER BY n",
    [BT_SQL_HASH_PUT] = "INSERT INTO ledger_hash (level, n, hash) VALUES ($1, $2, $3)",
    [BT_SQL_CHECKPOINT_PUT] = "INSERT INTO ledger_checkpoint (size, root, frontier, note, batch) "
                              "VALUES ($1, $2, $3, $4, $5)",
    [BT_SQL_CHECKPOINT_GET] = "SELECT " CHECKPOINT_COLUMNS("NULL") "WHERE size = $1",
    [BT_SQL_CHECKPOINT_LAST] = "SELECT " CHECKPOINT_COLUMNS(
        "(SELECT value FROM meta WHERE name = 'entries')") "ORDER BY size DESC LIMIT 1",
    [BT_SQL_CHECKPOINT_SCAN] =
        "SELECT " CHECKPOINT_COLUMNS("NULL") "WHERE size >= $1 ORDER BY size",
    [BT_SQL_COSIGNATURE_PUT] =
        "INSERT INTO ledger_cosignature (size, key_name, key_id, n, line) VALUES ($1, $2, $3, "
        "(SELECT COUNT(*) FROM ledger_cosignature WHERE size = $1), $4) ON CONFLICT DO NOTHING",
    [BT_SQL_COSIGNATURE_SCAN] = "SELECT size, key_name, key_id, line FROM ledger_cosignature "
                                "WHERE size = $1 ORDER BY n",
    [BT_SQL_COSIGNATURE_LAST] = "SELECT size, key_name, key_id, line FROM ledger_cosignature "
                                "WHERE key_name = $1 AND key_id = $2 ORDER BY size DESC LIMIT 1",
    [BT_SQL_COSIGNATURE_SIZES] = "SELECT DISTINCT size FROM ledger_cosignature ORDER BY size DESC",
    [BT_SQL_DOCUMENT_PUT] = "INSERT INTO document (sha256, size, encoding, bytes, redacted_seq) "
                            "VALUES ($1, $2, $3, $4, NULL)",
    [BT_SQL_DOCUMENT_STATE] = "SELECT redacted_seq FROM document WHERE sha256 = $1",
    [BT_SQL_DOCUMENT_GET] = "SELECT size, encoding, bytes, redacted_seq FROM document "
                            "WHERE sha256 = $1",
    [BT_SQL_DOCUMENT_REDACT] = "UPDATE document SET bytes = NULL, redacted_seq = $1 "
                               "WHERE sha256 = $2",
    [BT_SQL_DOCUMENT_SCAN] = "SELECT sha256 FROM document ORDER BY sha256",
    [BT_SQL_DOCUMENT_ABSENT] =
        "SELECT " ENTRY_COLUMNS "WHERE document IS NOT NULL AND NOT EXISTS (SELECT 1 "
        "FROM document WHERE sha256 = ledger_entry.document "
        "AND (bytes IS NOT NULL OR redacted_seq IS NOT NULL)) ORDER BY seq",
    [BT_SQL_DOCUMENT_NAMES] = "SELECT rowid - 1, sha256 FROM document "
                              "WHERE rowid > $1 AND rowid <= $2 ORDER BY rowid",
    [BT_SQL_DOCUMENT_LAST] = "SELECT rowid - 1 FROM document ORDER BY rowid DESC LIMIT 1",
    [BT_SQL_DOCUMENT_ROWS_BY_SHA256] =
        "SELECT rowid - 1 FROM document WHERE rowid > $1 AND sha256 = $2 "
        "ORDER BY rowid",
    [BT_SQL_DOCUMENT_ROW_STATE] =
        "SELECT redacted_seq FROM document WHERE rowid = $1 + 1 AND sha256 = $2",
    [BT_SQL_DOCUMENT_ROW_GET] = "SELECT size, encoding, bytes, redacted_seq FROM document "
                                "WHERE rowid = $1 + 1 AND sha256 = $2",
    [BT_SQL_DOCUMENT_ROW_REDACT] = "UPDATE document SET bytes = NULL, redacted_seq = $1 "
                                   "WHERE rowid = $2 + 1",
    [BT_SQL_DOCUMENT_ROW_SCAN] = "SELECT sha256, rowid - 1 FROM document ORDER BY sha256",
    [BT_SQL_DOCUMENT_ROW_ABSENT] =
        "SELECT " ENTRY_COLUMNS "WHERE document IS NOT NULL AND document NOT IN (SELECT sha256 "
        "FROM document WHERE bytes IS NOT NULL OR redacted_seq IS NOT NULL) ORDER BY seq",
    [BT_SQL_SEEN_PUT] = "INSERT INTO seen (dialect, id, seq, document) VALUES ($1, $2, $3, $4)",
    [BT_SQL_SEEN_GET] = "SELECT seq, document FROM seen WHERE dialect = $1 AND id = $2",
    [BT_SQL_SEEN_SCAN] = "SELECT dialect, id, seq, document FROM seen ORDER BY dialect, id",
    [BT_SQL_QUEUE_PUT] =
        "INSERT INTO queue (" QUEUE_COLUMNS ") VALUES ($1, $2, $3, $4, $5, $6, $7, "
        "$8, $9, $10, $11, $12)",
    [BT_SQL_QUEUE_HOLD] =
        "SELECT " QUEUE_COLUMNS " FROM queue WHERE queue = $1 AND message_id = $2",
    [BT_SQL_QUEUE_READY] =
        "SELECT " QUEUE_COLUMNS " FROM queue WHERE state = $1 AND queue = $2 AND target = $3 "
        "AND not_before <= $4 AND lease_until <= $4 AND attempts < $5 "
        "ORDER BY seq, message_id LIMIT $6",
    [BT_SQL_QUEUE_SPENT] =
        "SELECT " QUEUE_COLUMNS " FROM queue WHERE queue = $1 AND target = $2 "
        "AND state IN ('queued', 'leased') AND attempts > 0 AND lease_until <= $3 "
        "AND attempts >= $4 ORDER BY seq, message_id",
    [BT_SQL_MESSAGE_STATE] = "UPDATE pump_message SET state = $1, updated_seq = $2 WHERE n = $3",
    [BT_SQL_QUEUE_OF_DOCUMENT] =
        "SELECT " QUEUE_COLUMNS " FROM queue WHERE state IN ('queued', 'leased') "
        "AND seq IN " SEQS_OF_DOCUMENT_ONLY " ORDER BY queue, message_id",
    [BT_SQL_ANSWER_PURGE] = "DELETE FROM idempotency WHERE expiry <= $1 AND expiry IS NOT NULL",
    [BT_SQL_TASK_SCAN] = "SELECT id, principal, context, message_ids, state, NULL, NULL, NULL "
                         "FROM a2a_task WHERE principal = $1 AND principal IS NOT NULL ORDER BY id",
    [BT_SQL_REDACT_QUEUE] =
        "UPDATE queue SET payload = NULL, updated_seq = $1, lease_token = NULL, lease_until = 0, "
        "state = CASE WHEN state IN ('queued', 'leased') THEN 'dead' ELSE state END "
        "WHERE seq IN " SEQS_OF_DOCUMENT,
    [BT_SQL_REDACT_MESSAGE] = "UPDATE pump_message SET payload = NULL, updated_seq = $1 "
                              "WHERE n IN " MESSAGES_OF(SEQS_OF_DOCUMENT),
    [BT_SQL_REDACT_ANSWER] = "UPDATE idempotency SET body = NULL, updated_seq = $1 "
                             "WHERE seq IN " SEQS_OF_DOCUMENT,
    [BT_SQL_REDACT_ANSWER_AT] = "UPDATE idempotency SET body = NULL, updated_seq = $1 "
                                "WHERE seq = $2",
    [BT_SQL_REDACT_TASK] = "UPDATE a2a_task SET artifacts = NULL, history = NULL, updated_seq = $1 "
                           "WHERE updated_seq IN " SEQS_OF_DOCUMENT,
    [BT_SQL_REDACT_TASK_AT] =
        "UPDATE a2a_task SET artifacts = NULL, history = NULL, updated_seq = $1 WHERE id = $2",
    [BT_SQL_DOCUMENT_COPIES] =
        "SELECT (SELECT COUNT(*) FROM queue WHERE payload IS NOT NULL "
        "AND seq IN " SEQS_OF_DOCUMENT_ONLY ") + (SELECT COUNT(*) FROM pump_message "
        "WHERE payload IS NOT NULL AND n IN " MESSAGES_OF(
            SEQS_OF_DOCUMENT_ONLY) ") + "
                                   "(SELECT COUNT(*) FROM idempotency WHERE body IS NOT NULL "
                                   "AND seq IN " SEQS_OF_DOCUMENT_ONLY
                                   ") + (SELECT COUNT(*) FROM a2a_task "
                                   "WHERE (artifacts IS NOT NULL OR history IS NOT NULL) "
                                   "AND updated_seq IN " SEQS_OF_DOCUMENT_ONLY ")",
    [BT_SQL_TASK_HAVING] = "SELECT " TASK_COLUMNS " FROM a2a_task WHERE instr(history, $1) > 0 "
                           "OR instr(history, $2) > 0 OR instr(artifacts, $1) > 0 ORDER BY id",
    [BT_SQL_TASK_HAVING_REMOTE] =
        "SELECT " TASK_COLUMNS " FROM a2a_task WHERE position($1::bytea IN history) > 0 "
        "OR position($2::bytea IN history) > 0 OR position($1::bytea IN artifacts) > 0 ORDER BY id",
    [BT_SQL_COUNTS] =
        "SELECT (SELECT COUNT(*) FROM document WHERE bytes IS NOT NULL), "
        "(SELECT COUNT(*) FROM document WHERE redacted_seq IS NOT NULL), "
        "(SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM document WHERE bytes IS NOT NULL), "
        "(SELECT COUNT(*) FROM seen), (SELECT COUNT(*) FROM agent_state), "
        "(SELECT COUNT(*) FROM approval WHERE status = 'pending'), "
        "(SELECT COUNT(*) FROM blocked WHERE cleared_seq IS NULL), "
        "(SELECT COUNT(*) FROM context WHERE space = 'section'), (SELECT COUNT(*) FROM thread), "
        "(SELECT COUNT(*) FROM queue WHERE state NOT IN ('done', 'dead', 'cancelled'))",
    [BT_SQL_WAITING] = "SELECT " WAITING_IN("inbox") ", " WAITING_IN(
        "webhook") ", "
                   "(SELECT COUNT(*) FROM blocked WHERE cleared_seq IS NULL)",
    [BT_SQL_QUEUE_SIZES] = "SELECT queue, target, " COUNTER_OF(
        "open") ", "
                "(SELECT COUNT(*) FROM queue AS i WHERE i.state = 'leased' AND i.queue = has.queue "
                "AND i.target = has.target AND i.lease_until > $1), " COUNTER_OF(
                    "dead") ", " OLDEST("queued") ", " OLDEST("leased") ", "
                                                                        "COALESCE((SELECT "
                                                                        "MAX(i.attempts) FROM "
                                                                        "queue AS i WHERE i.queue "
                                                                        "= has.queue "
                                                                        "AND i.target = has.target "
                                                                        "AND i.state IN ('queued', "
                                                                        "'leased') AND i.attempts "
                                                                        "> 0), 0) "
                                                                        "FROM (SELECT DISTINCT "
                                                                        "substr(space, 7, "
                                                                        "length(space) - 11) AS "
                                                                        "queue, name AS target "
                                                                        "FROM ledger_count WHERE "
                                                                        "space IN " QUEUE_SPACES
                                                                        " ORDER BY 1, 2 LIMIT $2) "
                                                                        "AS has "
                                                                        "ORDER BY queue, target",
    [BT_SQL_QUEUE_SIZES_READ] =
        "SELECT queue, target, SUM(CASE WHEN state = 'dead' THEN 0 ELSE 1 END), "
        "SUM(CASE WHEN state = 'leased' AND lease_until > $1 THEN 1 ELSE 0 END), "
        "SUM(CASE WHEN state = 'dead' THEN 1 ELSE 0 END), "
        "MIN(CASE WHEN state = 'dead' THEN NULL ELSE seq END), NULL, "
        "MAX(CASE WHEN state = 'dead' THEN 0 ELSE attempts END) FROM queue "
        "WHERE state IN ('queued', 'leased', 'dead') AND state IS NOT NULL AND queue <> 'pump' "
        "GROUP BY queue, target ORDER BY queue, target LIMIT $2",
    [BT_SQL_QUEUE_COUNT_ALL] =
        "INSERT INTO ledger_count (space, name, n, updated_seq) SELECT space, name, n, "
        "CAST($1 AS BIGINT) FROM (" COUNTED_ITEMS
        " UNION ALL SELECT 'queue/', 'complete', 1) AS counted",
    [BT_SQL_QUEUE_COUNTS_WRONG] =
        "SELECT (SELECT COUNT(*) FROM (" COUNTED_ITEMS " EXCEPT " QUEUE_COUNTERS ") AS absent) + "
        "(SELECT COUNT(*) FROM (" QUEUE_COUNTERS " EXCEPT " COUNTED_ITEMS ") AS more)",
    [BT_SQL_COUNT_ADD] =
        "INSERT INTO ledger_count (space, name, n, updated_seq) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (space, name) DO UPDATE SET n = ledger_count.n + excluded.n, "
        "updated_seq = excluded.updated_seq",
    [BT_SQL_COUNT_DROP] = "DELETE FROM ledger_count WHERE space = $1 AND name = $2 AND n <= 0",
    [BT_SQL_COUNT_SCAN] = "SELECT space, name, n FROM ledger_count WHERE space >= $1 "
                          "AND space < $2 ORDER BY space, name LIMIT $3",
    [BT_SQL_COUNT_SCAN_KEYS] = "SELECT space, name FROM ledger_count WHERE space >= $1 "
                               "AND space < $2 ORDER BY space, name LIMIT $3",
    [BT_SQL_COUNT_SCAN_NAMES] = "SELECT space, name FROM ledger_count WHERE space = $1 "
                                "AND name >= $2 AND name < $3 ORDER BY name",
    [BT_SQL_COUNT_DELETE] = "DELETE FROM ledger_count WHERE space >= $1 AND space < $2",
};

size_t bt_store_row_statement_of(size_t table, size_t what)
{
    assert(table < BT_TABLE__MAX);
    assert(what < BT_ROW__MAX);
    return BT_SQL__MAX + table * BT_ROW__MAX + what;
}

size_t bt_store_statements_count(void)
{
    return BT_SQL__MAX + (size_t)BT_TABLE__MAX * BT_ROW__MAX;
}

/* "a, b, c" */
static void put_columns(struct bt_buf *buf, const struct bt_store_table *table)
{
    for (const struct bt_store_column *column = table->columns; column->name; column++) {
        bt_buf_printf(buf, "%s%s", column == table->columns ? "" : ", ", column->name);
    }
}

/* " WHERE a = $1 AND b = $2", for the first columns of the key. */
static void put_where(struct bt_buf *buf, const struct bt_store_table *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(buf, "%s%s = $%zu", i == 0 ? " WHERE " : " AND ", table->columns[i].name,
                      i + 1);
    }
}

static void put_insert(struct bt_buf *buf, const struct bt_store_table *table)
{
    const size_t keys = bt_store_table_keys(table);
    bt_buf_printf(buf, "INSERT INTO %s (", table->name);
    put_columns(buf, table);
    bt_buf_put_text(buf, ") VALUES (");
    for (size_t i = 0; i < bt_store_table_columns(table); i++) {
        bt_buf_printf(buf, "%s$%zu", i == 0 ? "" : ", ", i + 1);
    }
    bt_buf_put_char(buf, ')');
    if (table->change != BT_STORE_TABLE_POLICY_YES) {
        return;
    }
    for (size_t i = 0; i < keys; i++) {
        bt_buf_printf(buf, "%s%s", i == 0 ? " ON CONFLICT (" : ", ", table->columns[i].name);
    }
    for (size_t i = keys; i < bt_store_table_columns(table); i++) {
        bt_buf_printf(buf, "%s%s = excluded.%s", i == keys ? ") DO UPDATE SET " : ", ",
                      table->columns[i].name, table->columns[i].name);
    }
}

static void put_select(struct bt_buf *buf, const struct bt_store_table *table)
{
    bt_buf_put_text(buf, "SELECT ");
    put_columns(buf, table);
    bt_buf_printf(buf, " FROM %s", table->name);
}

static void put_order(struct bt_buf *buf, const struct bt_store_table *table)
{
    for (size_t i = 0; i < bt_store_table_keys(table); i++) {
        bt_buf_printf(buf, "%s%s", i == 0 ? " ORDER BY " : ", ", table->columns[i].name);
    }
}

static void put_row_statement(struct bt_buf *buf, const struct bt_store_table *table, size_t what)
{
    const size_t keys = bt_store_table_keys(table);
    if (what == BT_ROW_PUT) {
        put_insert(buf, table);
    } else if (what == BT_ROW_DELETE) {
        bt_buf_printf(buf, "DELETE FROM %s", table->name);
        put_where(buf, table, keys);
    } else if (what == BT_ROW_COUNT_BAD) {
        bt_buf_printf(buf, "SELECT COUNT(*) FROM %s WHERE updated_seq >= $1", table->name);
    } else if (what == BT_ROW_FIND) {
        const char *searched = table->indexes ? table->indexes[0].columns : table->columns[0].name;
        put_select(buf, table);
        const int size = (int)strcspn(searched, ",");
        bt_buf_printf(buf, " WHERE %.*s = $1 AND %.*s IS NOT NULL", size, searched, size, searched);
        put_order(buf, table);
    } else if (what == BT_ROW_FROM) {
        put_select(buf, table);
        bt_buf_printf(buf, " WHERE %s >= $1", table->columns[0].name);
        put_order(buf, table);
    } else {
        assert(what - BT_ROW_SCAN <= keys);
        put_select(buf, table);
        put_where(buf, table, what - BT_ROW_SCAN);
        put_order(buf, table);
    }
}

void bt_statement_put(struct bt_buf *buf, size_t number)
{
    assert(buf);
    assert(number < bt_store_statements_count());
    if (number < BT_SQL__MAX) {
        bt_buf_put_text(buf, bt_statements[number]);
    } else {
        const size_t row = number - BT_SQL__MAX;
        put_row_statement(buf, &bt_tables[row / BT_ROW__MAX], row % BT_ROW__MAX);
    }
}
