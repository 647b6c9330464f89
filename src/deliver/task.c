/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task.c - tasks and the messages that came to them, as rows.
 *
 * A message is a row of the table idempotency that never expires: it holds the digest and the
 * task's id, which no redaction has to remove, since neither reveals what the message said.
 */
#include <assert.h>
#include <string.h>

#include "deliver/inbox_internal.h"
#include "deliver/task.h"
#include "store/responses.h"

enum { ID_BYTES_MAX = 64, FOREVER_MS_SHIFT = 62 };

#define MESSAGES BT_STR("a2a:message")

static bt_str or_empty(bt_str text)
{
    return text.ptr ? text : BT_STR("");
}

static struct bt_task task_of(const struct bt_store_task *row)
{
    return (struct bt_task){.id = row->id,
                            .principal = row->principal,
                            .context = row->context,
                            .message_ids = row->message_ids,
                            .state = row->state,
                            .artifacts = or_empty(row->artifacts),
                            .history = or_empty(row->history),
                            .seq = row->updated_seq};
}

enum bt_status bt_task_get(struct bt_ledger *ledger, struct bt_arena *arena, bt_str id,
                           struct bt_task *out, struct bt_error *error)
{
    assert(ledger);
    assert(out);
    struct bt_store_task row;
    BT_TRY(bt_store_task_get(ledger->store, arena, id, &row, error));
    *out = task_of(&row);
    return BT_OK;
}

enum bt_status bt_task_get_in_transaction(struct bt_ledger_transaction *recording,
                                          struct bt_arena *arena, bt_str id, struct bt_task *out,
                                          struct bt_error *error)
{
    assert(recording);
    return bt_task_get(recording->ledger, arena, id, out, error);
}

struct task_scan {
    bt_task_fn *each;
    void *context;
};

static bool pass_task(void *context, const struct bt_store_task *row)
{
    const struct task_scan *each = context;
    const struct bt_task task = task_of(row);
    return each->each(each->context, &task);
}

enum bt_status bt_task_each(struct bt_ledger *ledger, bt_str principal, bt_task_fn *each,
                            void *context, struct bt_error *error)
{
    assert(ledger);
    assert(each);
    struct task_scan rows = {each, context};
    return bt_store_task_scan(ledger->store, principal, pass_task, &rows, error);
}

enum bt_status bt_task_message_find(struct bt_ledger *ledger, struct bt_arena *arena,
                                    struct bt_task_message *message, struct bt_error *error)
{
    assert(ledger);
    assert(message);
    const bt_str key[3] = {message->principal, MESSAGES, message->id};
    struct bt_store_response row;
    uint8_t digest[BT_SHA256_BYTES];
    BT_TRY(bt_sha256(message->content, digest));
    BT_TRY(bt_store_response_get(ledger->store, arena, key, 0, &row, error));
    if (row.request.len < sizeof(digest)) {
        return bt_error_set(error, BT_ECORRUPT, "a message is kept without its digest");
    }
    message->task = bt_str_slice(row.request, sizeof(digest), row.request.len);
    message->is_same = memcmp(row.request.ptr, digest, sizeof(digest)) == 0;
    return BT_OK;
}

enum bt_status bt_task_message_find_in_transaction(struct bt_ledger_transaction *recording,
                                                   struct bt_arena *arena,
                                                   struct bt_task_message *message,
                                                   struct bt_error *error)
{
    assert(recording);
    return bt_task_message_find(recording->ledger, arena, message, error);
}

static enum bt_status put_message(struct bt_store *store, const struct bt_task_message *message,
                                  bt_str task, struct bt_error *error)
{
    char request[BT_SHA256_BYTES + ID_BYTES_MAX];
    uint8_t digest[BT_SHA256_BYTES];
    assert(task.len <= ID_BYTES_MAX);
    BT_TRY(bt_sha256(message->content, digest));
    memcpy(request, digest, sizeof(digest));
    memcpy(request + sizeof(digest), task.ptr, task.len);
    const struct bt_store_response row = {.principal = message->principal,
                                          .path = MESSAGES,
                                          .key = message->id,
                                          .request = {request, sizeof(digest) + task.len},
                                          .body = {NULL, 0},
                                          .seq = BT_STORE_NONE,
                                          .expiry_ms = (uint64_t)1 << FOREVER_MS_SHIFT};
    return bt_store_response_put(store, &row, 0, error);
}

static enum bt_status save_task(struct bt_store *store, const struct bt_task *task,
                                const struct bt_task_message *message, struct bt_error *error)
{
    const struct bt_store_task row = {.id = task->id,
                                      .principal = task->principal,
                                      .context = task->context,
                                      .message_ids = task->message_ids,
                                      .state = task->state,
                                      .artifacts = task->artifacts,
                                      .history = task->history,
                                      .updated_seq = task->seq};
    BT_TRY(bt_store_task_put(store, &row, error));
    return put_message(store, message, task->id, error);
}

enum bt_status bt_task_save_in_transaction(struct bt_ledger_transaction *recording,
                                           const struct bt_task *task,
                                           const struct bt_task_message *message,
                                           struct bt_error *error)
{
    assert(recording);
    assert(task);
    return save_task(recording->ledger->store, task, message, error);
}

enum bt_status bt_task_save(struct bt_ledger *ledger, struct bt_arena *arena,
                            const struct bt_task *task, const struct bt_task_message *message,
                            struct bt_error *error)
{
    assert(ledger);
    assert(task);
    struct bt_task_message before = *message;
    BT_TRY(bt_store_begin(ledger->store, error));
    enum bt_status status = bt_task_message_find(ledger, arena, &before, error);
    status = status == BT_ENOENT ? save_task(ledger->store, task, message, error)
             : status == BT_OK   ? bt_error_set(error, BT_EDENIED, "the message came before")
                                 : status;
    if (status == BT_OK) {
        return bt_store_commit(ledger->store, error);
    }
    bt_store_rollback(ledger->store);
    return status;
}
