/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - the tables and their columns.
 *
 * A changeable row has in updated_seq the entry that recorded its last change.
 */
#include "store/tables.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"

/* clang-format off */
#define KEY_NUMBER(name) {name, BT_STORE_COLUMN_NUMBER, true, false, NULL}
#define KEY_BYTES(name) {name, BT_STORE_COLUMN_BYTES, true, false, NULL}
#define KEY_TEXT(name) {name, BT_STORE_COLUMN_TEXT, true, false, NULL}
#define NUMBER(name) {name, BT_STORE_COLUMN_NUMBER, false, false, NULL}
#define BYTES(name) {name, BT_STORE_COLUMN_BYTES, false, false, NULL}
#define TEXT(name) {name, BT_STORE_COLUMN_TEXT, false, false, NULL}
#define MAYBE_NUMBER(name) {name, BT_STORE_COLUMN_NUMBER, false, true, NULL}
#define MAYBE_BYTES(name) {name, BT_STORE_COLUMN_BYTES, false, true, NULL}
#define MAYBE_TEXT(name) {name, BT_STORE_COLUMN_TEXT, false, true, NULL}
#define UPDATED MAYBE_NUMBER("updated_seq")
#define END {NULL, 0, false, false, NULL}
/* Columns that schema version 1 does not have. */
#define ADDED_NUMBER(name, preset) {name, BT_STORE_COLUMN_NUMBER, false, false, preset}
#define ADDED_TEXT(name, preset) {name, BT_STORE_COLUMN_TEXT, false, false, preset}
#define ADDED_MAYBE_NUMBER(name) {name, BT_STORE_COLUMN_NUMBER, false, true, "NULL"}
#define ADDED_MAYBE_TEXT(name) {name, BT_STORE_COLUMN_TEXT, false, true, "NULL"}

#define COLUMNS(table, \
    ...) static const struct bt_store_column table##_columns[] = {__VA_ARGS__, END}

COLUMNS(meta, KEY_TEXT("name"), TEXT("value"));
COLUMNS(ledger_entry, KEY_NUMBER("seq"), BYTES("leaf"), BYTES("entry"), BYTES("batch"),
    TEXT("kind"), TEXT("verdict"), MAYBE_TEXT("handoff_id"), MAYBE_TEXT("trace_id"),
    MAYBE_BYTES("document"));
COLUMNS(ledger_hash, KEY_NUMBER("level"), KEY_NUMBER("n"), BYTES("hash"));
COLUMNS(ledger_mark, KEY_NUMBER("level"), KEY_NUMBER("part"), KEY_NUMBER("n"), BYTES("marks"));
COLUMNS(ledger_checkpoint, KEY_NUMBER("size"), BYTES("root"), BYTES("frontier"), TEXT("note"),
    BYTES("batch"));
COLUMNS(ledger_cosignature, KEY_NUMBER("size"), KEY_TEXT("key_name"), KEY_BYTES("key_id"),
    NUMBER("n"), TEXT("line"));
COLUMNS(document, KEY_BYTES("sha256"), NUMBER("size"), TEXT("encoding"), MAYBE_BYTES("bytes"),
    MAYBE_NUMBER("redacted_seq"));
COLUMNS(seen, KEY_TEXT("dialect"), KEY_TEXT("id"), NUMBER("seq"), BYTES("document"));
COLUMNS(agent_state, KEY_TEXT("workspace"), KEY_TEXT("session"), KEY_TEXT("agent_id"),
    TEXT("state"), TEXT("counters"), ADDED_NUMBER("resumed", "0"), UPDATED);
COLUMNS(approval, KEY_TEXT("id"), TEXT("workspace"), TEXT("session"), TEXT("agent_id"),
    TEXT("status"), TEXT("fingerprint"), MAYBE_BYTES("payload"), TEXT("requested"),
    MAYBE_TEXT("decided"), MAYBE_TEXT("expires"), ADDED_TEXT("origin", "'report'"),
    ADDED_MAYBE_NUMBER("redacted_seq"), UPDATED);
COLUMNS(approval_grant, KEY_TEXT("approval_id"), TEXT("status"), NUMBER("uses"), NUMBER("used"),
    MAYBE_TEXT("expires"), UPDATED);
COLUMNS(approval_event, KEY_TEXT("approval"), KEY_NUMBER("n"), TEXT("type"), TEXT("at"),
    TEXT("actor"), MAYBE_TEXT("code"), MAYBE_TEXT("fingerprint"), NUMBER("seq"));
COLUMNS(blocked, KEY_TEXT("agent_id"), TEXT("reason"), NUMBER("since_seq"),
    MAYBE_NUMBER("cleared_seq"), UPDATED);
COLUMNS(context, KEY_TEXT("workspace"), KEY_TEXT("space"), KEY_TEXT("session"), KEY_TEXT("name"),
    BYTES("value"), TEXT("sha256"), UPDATED);
COLUMNS(context_history, KEY_TEXT("workspace"), KEY_TEXT("space"), KEY_TEXT("session"),
    KEY_TEXT("name"), KEY_NUMBER("version"), BYTES("value"), TEXT("sha256"), NUMBER("seq"));
COLUMNS(governed_handoff, KEY_TEXT("handoff_id"), NUMBER("seq"), TEXT("target"),
    TEXT("request_type"), TEXT("timestamp"), MAYBE_NUMBER("closed_seq"), UPDATED);
COLUMNS(thread, KEY_TEXT("thread_id"), TEXT("client"), TEXT("client_uuid"), MAYBE_TEXT("parent"),
    TEXT("listener"), TEXT("root"), NUMBER("depth"), NUMBER("tokens"), TEXT("state"),
    TEXT("last_activity"), UPDATED);
COLUMNS(queue, KEY_TEXT("queue"), KEY_TEXT("message_id"), TEXT("target"), NUMBER("seq"),
    MAYBE_TEXT("thread"), MAYBE_BYTES("payload"), NUMBER("not_before"), NUMBER("lease_until"),
    MAYBE_TEXT("lease_token"), NUMBER("attempts"), TEXT("state"), UPDATED);
COLUMNS(pump_message, KEY_NUMBER("n"), TEXT("kind"), TEXT("sender"), TEXT("target"),
    TEXT("thread"), TEXT("root"), TEXT("tag"), MAYBE_TEXT("call_id"), MAYBE_BYTES("payload"),
    TEXT("state"), MAYBE_NUMBER("caused_by"), UPDATED);
COLUMNS(pump_delivery, KEY_TEXT("client"), KEY_TEXT("delivery_id"), NUMBER("message_n"),
    NUMBER("taken"), UPDATED);
COLUMNS(pump_id, KEY_TEXT("client"), KEY_TEXT("id"), BYTES("digest"), TEXT("thread"),
    NUMBER("seq"), NUMBER("expiry"), UPDATED);
COLUMNS(pump_counter, KEY_TEXT("owner"), NUMBER("next"), UPDATED);
COLUMNS(idempotency, KEY_TEXT("principal"), KEY_TEXT("path"), KEY_TEXT("key"), BYTES("request"),
    MAYBE_NUMBER("status"), MAYBE_BYTES("body"), MAYBE_NUMBER("seq"), NUMBER("expiry"),
    ADDED_MAYBE_TEXT("owner"), UPDATED);
COLUMNS(a2a_task, KEY_TEXT("id"), TEXT("principal"), TEXT("context"), TEXT("message_ids"),
    TEXT("state"), MAYBE_BYTES("artifacts"), MAYBE_BYTES("history"), UPDATED);
COLUMNS(approval_use, KEY_TEXT("workspace"), KEY_TEXT("session"), KEY_TEXT("call_id"),
    TEXT("approval"), NUMBER("n"), BYTES("sha256"), NUMBER("seq"));
COLUMNS(transcript, KEY_TEXT("workspace"), KEY_TEXT("session"), KEY_TEXT("agent_id"),
    BYTES("path_sha256"), TEXT("device"), TEXT("inode"), NUMBER("read_to"), BYTES("last_bytes"),
    BYTES("slice_sha256"), BYTES("calls"), TEXT("counters"), TEXT("message_ids"), TEXT("told"));
COLUMNS(budget, KEY_TEXT("workspace"), KEY_TEXT("session"), KEY_TEXT("agent_id"),
    MAYBE_NUMBER("tokens"), MAYBE_TEXT("cost"), MAYBE_NUMBER("set_seq"));
COLUMNS(ledger_count, KEY_TEXT("space"), KEY_TEXT("name"), NUMBER("n"), UPDATED);
COLUMNS(hold, KEY_TEXT("held_by"), KEY_TEXT("value"), TEXT("reason"), NUMBER("since_seq"),
    MAYBE_NUMBER("released_seq"));

#define INDEX(column) {#column, #column, #column " IS NOT NULL"}
#define NO_INDEX {NULL, NULL, NULL}

static const struct bt_store_index status_indexes[] = {INDEX(status), NO_INDEX};
/* What waits for one receiver, in the order in which it is taken; and what was taken before. */
static const struct bt_store_index queue_indexes[] = {
    {"waiting", "state, queue, target, seq, message_id", NULL},
    {"tried", "queue, target, attempts", "state IN ('queued', 'leased') AND attempts > 0"},
    NO_INDEX,
};
static const struct bt_store_index task_indexes[] = {INDEX(principal), NO_INDEX};
static const struct bt_store_index expiry_indexes[] = {INDEX(expiry), NO_INDEX};

#define TABLE(table, change) {#table, change, table##_columns, NULL}

const struct bt_store_table bt_tables[BT_TABLE__MAX] = {
    [BT_TABLE_META] = TABLE(meta, BT_STORE_TABLE_POLICY_MIGRATION),
    [BT_TABLE_ENTRY] = TABLE(ledger_entry, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_HASH] = TABLE(ledger_hash, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_MARK] = TABLE(ledger_mark, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_CHECKPOINT] = TABLE(ledger_checkpoint, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_COSIGNATURE] = TABLE(ledger_cosignature, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_DOCUMENT] = TABLE(document, BT_STORE_TABLE_POLICY_REDACTION),
    [BT_TABLE_SEEN] = TABLE(seen, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_AGENT_STATE] = TABLE(agent_state, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_APPROVAL] = {"approval", BT_STORE_TABLE_POLICY_YES, approval_columns, status_indexes},
    [BT_TABLE_APPROVAL_GRANT] = {"approval_grant", BT_STORE_TABLE_POLICY_YES,
        approval_grant_columns,
        status_indexes},
    [BT_TABLE_APPROVAL_EVENT] = TABLE(approval_event, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_BLOCKED] = TABLE(blocked, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_CONTEXT] = TABLE(context, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_CONTEXT_HISTORY] = TABLE(context_history, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_GOVERNED_HANDOFF] = TABLE(governed_handoff, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_THREAD] = TABLE(thread, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_QUEUE] = {"queue", BT_STORE_TABLE_POLICY_YES, queue_columns, queue_indexes},
    [BT_TABLE_PUMP_MESSAGE] = TABLE(pump_message, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_PUMP_DELIVERY] = TABLE(pump_delivery, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_PUMP_ID] = TABLE(pump_id, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_PUMP_COUNTER] = TABLE(pump_counter, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_IDEMPOTENCY] = {"idempotency", BT_STORE_TABLE_POLICY_YES, idempotency_columns,
        expiry_indexes},
    [BT_TABLE_A2A_TASK] = {"a2a_task", BT_STORE_TABLE_POLICY_YES, a2a_task_columns, task_indexes},
    [BT_TABLE_APPROVAL_USE] = TABLE(approval_use, BT_STORE_TABLE_POLICY_NEVER),
    [BT_TABLE_TRANSCRIPT] = TABLE(transcript, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_BUDGET] = TABLE(budget, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_LEDGER_COUNT] = TABLE(ledger_count, BT_STORE_TABLE_POLICY_YES),
    [BT_TABLE_HOLD] = TABLE(hold, BT_STORE_TABLE_POLICY_YES),
};
/* clang-format on */

size_t bt_store_table_columns(const struct bt_store_table *table)
{
    assert(table);
    size_t count = 0;
    while (table->columns[count].name) {
        count++;
    }
    return count;
}

size_t bt_store_table_keys(const struct bt_store_table *table)
{
    assert(table);
    size_t count = 0;
    while (table->columns[count].is_key) {
        count++;
    }
    return count;
}

bool bt_store_table_is_widened(const struct bt_store_table *table)
{
    assert(table);
    for (const struct bt_store_column *column = table->columns; column->name; column++) {
        if (column->preset) {
            return true;
        }
    }
    return false;
}

bool bt_store_table_is_dated(const struct bt_store_table *table)
{
    assert(table);
    for (const struct bt_store_column *column = table->columns; column->name; column++) {
        if (strcmp(column->name, "updated_seq") == 0) {
            return true;
        }
    }
    return false;
}

bool bt_store_table_is_guarded(const struct bt_store_table *table)
{
    assert(table);
    return table->change == BT_STORE_TABLE_POLICY_NEVER ||
           table->change == BT_STORE_TABLE_POLICY_REDACTION;
}

void bt_store_table_put_index(struct bt_buf *buf, const struct bt_store_table *table,
                              const struct bt_store_index *index)
{
    assert(buf);
    assert(table);
    assert(index);
    bt_buf_printf(buf, "CREATE INDEX %s_%s ON %s (%s)%s%s", table->name, index->name, table->name,
                  index->columns, index->condition ? " WHERE " : "",
                  index->condition ? index->condition : "");
}

static void put_definition(struct bt_buf *buf, const struct bt_store_table *table,
                           const char *suffix, const struct bt_store_table_style *style)
{
    bt_buf_printf(buf, "CREATE TABLE %s%s (", table->name, suffix);
    for (const struct bt_store_column *column = table->columns; column->name; column++) {
        bt_buf_printf(buf, "%s%s %s%s", column == table->columns ? "" : ", ", column->name,
                      style->types[column->type], column->may_be_null ? "" : " NOT NULL");
    }
    for (size_t i = 0; i < bt_store_table_keys(table) && !style->has_no_key; i++) {
        bt_buf_printf(buf, "%s%s", i == 0 ? ", PRIMARY KEY (" : ", ", table->columns[i].name);
    }
    bt_buf_printf(buf, "%s)%s;\n", style->has_no_key ? "" : ")", style->ending);
}

static void put_indexes(struct bt_buf *buf, const struct bt_store_table *table)
{
    for (const struct bt_store_index *index = table->indexes; index && index->name; index++) {
        bt_store_table_put_index(buf, table, index);
        bt_buf_put_text(buf, ";\n");
    }
}

void bt_store_table_put_create(struct bt_buf *buf, const struct bt_store_table *table,
                               const struct bt_store_table_style *style)
{
    assert(buf);
    assert(table);
    put_definition(buf, table, "", style);
    put_indexes(buf, table);
}

void bt_store_table_put_rebuild(struct bt_buf *buf, const struct bt_store_table *table,
                                const struct bt_store_table_style *style)
{
    assert(buf);
    assert(table);
    put_definition(buf, table, "_rebuilt", style);
    bt_buf_printf(buf, "INSERT INTO %s_rebuilt SELECT ", table->name);
    for (const struct bt_store_column *column = table->columns; column->name; column++) {
        bt_buf_printf(buf, "%s%s", column == table->columns ? "" : ", ",
                      column->preset ? column->preset : column->name);
    }
    bt_buf_printf(buf,
                  " FROM %s%s;\nDROP TABLE %s;\n"
                  "ALTER TABLE %s_rebuilt RENAME TO %s;\n",
                  table->name, style->order, table->name, table->name, table->name);
    put_indexes(buf, table);
}
