/* SPDX-License-Identifier: Apache-2.0 */
/* responses.c - stored responses and tasks as rows. */
#include "store/responses.h"

#include <assert.h>

#include "store/rows.h"
#include "store/store_internal.h"

enum { ANSWER_KEYS = 3, ANSWER_BYTES_MAX = 1 << 28 };

static struct bt_store_response answer_of(const struct bt_store_cell *cells)
{
    return (struct bt_store_response){
        .principal = cells[0].text,
        .path = cells[1].text,
        .key = cells[2].text,
        .request = cells[3].text,
        .status = bt_store_cell_u64(&cells[4]),
        .body = cells[5].text,
        .seq = bt_store_cell_u64(&cells[6]),
        .expiry_ms = bt_store_cell_u64(&cells[7]),
        .owner = cells[8].text,
    };
}

enum bt_status bt_store_response_get(struct bt_store *store, struct bt_arena *arena,
                                     const bt_str key[3], uint64_t now_ms,
                                     struct bt_store_response *out, struct bt_error *error)
{
    assert(out);
    const struct bt_store_cell cells[ANSWER_KEYS] = {
        bt_store_cell_text(key[0]), bt_store_cell_text(key[1]), bt_store_cell_text(key[2])};
    const struct bt_store_row_range scan = {BT_TABLE_IDEMPOTENCY, cells, ANSWER_KEYS};
    const struct bt_store_cell *row = NULL;
    BT_TRY(bt_store_row_get(store, arena, &scan, &row, error));
    const struct bt_store_response answer = answer_of(row);
    if (answer.expiry_ms <= now_ms) {
        return bt_error_set(error, BT_ENOENT, "the answer has expired");
    }
    *out = answer;
    return BT_OK;
}

enum bt_status bt_store_response_put(struct bt_store *store, const struct bt_store_response *answer,
                                     uint64_t now_ms, struct bt_error *error)
{
    assert(answer);
    struct bt_arena arena;
    struct bt_store_response old;
    const bt_str key[3] = {answer->principal, answer->path, answer->key};
    bt_arena_init(&arena, ANSWER_BYTES_MAX);
    const enum bt_status status = bt_store_response_get(store, &arena, key, now_ms, &old, error);
    bt_arena_free(&arena);
    if (status != BT_ENOENT) {
        return status == BT_OK ? bt_error_set(error, BT_EDENIED, "the key has an answer") : status;
    }
    return bt_store_response_replace(store, answer, error);
}

enum bt_status bt_store_response_replace(struct bt_store *store,
                                         const struct bt_store_response *answer,
                                         struct bt_error *error)
{
    assert(answer);
    const struct bt_store_cell cells[] = {
        bt_store_cell_text(answer->principal),
        bt_store_cell_text(answer->path),
        bt_store_cell_text(answer->key),
        bt_store_cell_bytes(answer->request),
        bt_store_cell_number(answer->status),
        bt_store_cell_bytes(answer->body),
        bt_store_cell_number(answer->seq),
        bt_store_cell_number(answer->expiry_ms),
        answer->owner.ptr ? bt_store_cell_text(answer->owner) : bt_store_cell_null(),
        bt_store_cell_number(answer->seq),
    };
    return bt_store_row_put(store, BT_TABLE_IDEMPOTENCY, cells, error);
}

enum bt_status bt_store_response_delete(struct bt_store *store, const bt_str key[3],
                                        struct bt_error *error)
{
    const struct bt_store_cell cells[ANSWER_KEYS] = {
        bt_store_cell_text(key[0]), bt_store_cell_text(key[1]), bt_store_cell_text(key[2])};
    return bt_store_row_delete(store, BT_TABLE_IDEMPOTENCY, cells, error);
}

enum bt_status bt_store_response_redact(struct bt_store *store, uint64_t seq, uint64_t redaction,
                                        struct bt_error *error)
{
    const struct bt_store_cell cells[] = {bt_store_cell_number(redaction),
                                          bt_store_cell_number(seq)};
    return bt_store_put(store, BT_SQL_REDACT_ANSWER_AT, cells, 2, error);
}

enum bt_status bt_store_response_purge(struct bt_store *store, uint64_t now_ms,
                                       struct bt_error *error)
{
    const struct bt_store_cell cell = bt_store_cell_number(now_ms);
    return bt_store_put(store, BT_SQL_ANSWER_PURGE, &cell, 1, error);
}

static struct bt_store_task task_of(const struct bt_store_cell *cells)
{
    return (struct bt_store_task){
        .id = cells[0].text,
        .principal = cells[1].text,
        .context = cells[2].text,
        .message_ids = cells[3].text,
        .state = cells[4].text,
        .artifacts = cells[5].text,
        .history = cells[6].text,
        .updated_seq = bt_store_cell_u64(&cells[7]),
    };
}

enum bt_status bt_store_task_put(struct bt_store *store, const struct bt_store_task *task,
                                 struct bt_error *error)
{
    assert(task);
    const struct bt_store_cell cells[] = {
        bt_store_cell_text(task->id),       bt_store_cell_text(task->principal),
        bt_store_cell_text(task->context),  bt_store_cell_text(task->message_ids),
        bt_store_cell_text(task->state),    bt_store_cell_bytes(task->artifacts),
        bt_store_cell_bytes(task->history), bt_store_cell_number(task->updated_seq),
    };
    return bt_store_row_put(store, BT_TABLE_A2A_TASK, cells, error);
}

enum bt_status bt_store_task_get(struct bt_store *store, struct bt_arena *arena, bt_str id,
                                 struct bt_store_task *out, struct bt_error *error)
{
    assert(out);
    const struct bt_store_cell cell = bt_store_cell_text(id);
    const struct bt_store_row_range scan = {BT_TABLE_A2A_TASK, &cell, 1};
    const struct bt_store_cell *row = NULL;
    BT_TRY(bt_store_row_get(store, arena, &scan, &row, error));
    *out = task_of(row);
    return BT_OK;
}

struct store_answers_task_scan {
    bt_store_task_fn *each;
    void *context;
};

static bool pass_task(void *context, const struct bt_store_cell *cells)
{
    const struct store_answers_task_scan *scan = context;
    const struct bt_store_task task = task_of(cells);
    return scan->each(scan->context, &task);
}

enum bt_status bt_store_task_scan(struct bt_store *store, bt_str principal, bt_store_task_fn *each,
                                  void *context, struct bt_error *error)
{
    assert(each);
    struct store_answers_task_scan rows = {each, context};
    const struct bt_store_cell cell = bt_store_cell_text(principal);
    const struct bt_store_query query = {BT_SQL_TASK_SCAN, &cell, 1, pass_task, &rows};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_task_having(struct bt_store *store, const bt_str bytes[2],
                                    bt_store_task_fn *each, void *context, struct bt_error *error)
{
    assert(each);
    struct store_answers_task_scan rows = {each, context};
    const struct bt_store_cell cells[] = {bt_store_cell_bytes(bytes[0]),
                                          bt_store_cell_bytes(bytes[1])};
    const struct bt_store_query query = {bt_store_is_remote(store) ? BT_SQL_TASK_HAVING_REMOTE
                                                                   : BT_SQL_TASK_HAVING,
                                         cells, 2, pass_task, &rows};
    return bt_store_run(store, &query, error);
}

enum bt_status bt_store_task_redact(struct bt_store *store, bt_str id, uint64_t redaction,
                                    struct bt_error *error)
{
    const struct bt_store_cell cells[] = {bt_store_cell_number(redaction), bt_store_cell_text(id)};
    return bt_store_put(store, BT_SQL_REDACT_TASK_AT, cells, 2, error);
}
