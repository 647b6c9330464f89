/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - a task for its caller: status, artifacts, history. */
#include <inttypes.h>

#include "a2a/a2a_internal.h"
#include "json/options.h"
#include "ledger/proof_api.h"
#include "operation/entry_fields.h"

enum { RECEIPT_BYTES_MAX = 1 << 20, HOPS_BYTES_MAX = 16 << 20 };

enum bt_status a2a_task_find(struct a2a *a2a, bt_str id, struct bt_task *out)
{
    struct bt_error error;
    struct bt_task task;
    if (!a2a->service->ledger || !bt_uuid_is_valid(id)) {
        return BT_ENOENT;
    }
    BT_TRY(bt_task_get(a2a->service->ledger, a2a->arena, id, &task, &error));
    if (!bt_str_eq(task.principal, a2a->caller->actor)) {
        return BT_ENOENT; /* tasks of others are reported as not found */
    }
    *out = task;
    return BT_OK;
}

/* ---- Status ---------------------------------------------------------------------------------- */

static void put_message(struct bt_emit *emit, const struct bt_task *task,
                        const struct a2a_status *status)
{
    bt_emit_member_object(emit, "message");
    bt_emit_member_raw(emit, "messageId", BT_STR("\"status-"));
    bt_buf_put(emit->buf, task->id);
    bt_buf_put_char(emit->buf, '"');
    bt_emit_member_string(emit, "contextId", task->context);
    bt_emit_member_string(emit, "taskId", task->id);
    bt_emit_member_string(emit, "role", BT_STR("ROLE_AGENT"));
    bt_emit_member_array(emit, "parts");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "text", status->text);
    bt_emit_end(emit);
    if (status->data.len > 0) {
        bt_emit_begin_object(emit);
        bt_emit_member_raw(emit, "data", status->data);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

void a2a_put_status(struct bt_emit *emit, const struct bt_task *task,
                    const struct a2a_status *status)
{
    bt_emit_begin_object(emit);
    bt_emit_member_raw(emit, "state", BT_STR("\"TASK_STATE_"));
    bt_buf_put(emit->buf, status->state);
    bt_buf_put_char(emit->buf, '"');
    if (status->text.len > 0) {
        put_message(emit, task, status);
    }
    bt_emit_member_string(emit, "timestamp", status->time);
    bt_emit_end(emit);
}

/* ---- Extensions ------------------------------------------------------------------------------ */

static void put_schema_contract(struct bt_emit *emit, const struct a2a_status *status)
{
    bt_emit_member_object(emit, "urn:baton:a2a:schema-contract:v1");
    bt_emit_member_raw(emit, "schema", BT_STR("\"/v1/schemas/"));
    bt_buf_put(emit->buf, bt_dialect_name(status->dialect)); /* needs no escapes */
    bt_buf_put_char(emit->buf, '"');
    bt_emit_member_string(emit, "verdict", status->verdict);
    bt_emit_member_raw(emit, "codes", status->codes);
    bt_emit_end(emit);
}

static void put_hop(struct bt_emit *emit, const struct bt_json_doc *entry, uint64_t seq)
{
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "seq", seq);
    bt_emit_member_string_or_null(emit, "source", a2a_member_text(entry, "source"));
    bt_emit_member_string_or_null(emit, "target", a2a_member_text(entry, "target"));
    bt_emit_member_string(emit, "time", a2a_member_text(entry, "time"));
    bt_emit_end(emit);
}

/* Put the recorded hops of the trace of the task's entry that the caller may see. */
static enum bt_status put_hops(struct a2a *a2a, struct bt_emit *emit, uint64_t seq)
{
    struct bt_ledger_filter filter = {.count = 1000,
                                      .from = 0,
                                      .kind = BT_STR("handoff"),
                                      .verdict = BT_STR(""),
                                      .handoff_id = BT_STR(""),
                                      .trace_id = BT_STR("")};
    const struct bt_call work = {
        .service = a2a->service, .caller = a2a->caller, .arena = a2a->arena};
    struct bt_findings *alarms = bt_findings_new(a2a->arena);
    struct bt_ledger_entries entries = {0};
    const struct bt_json_doc *entry = NULL;
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    BT_TRY(a2a_put_entry(a2a, seq, &entry));
    if (!entry) {
        return BT_OK;
    }
    filter.trace_id = a2a_member_text(entry, "trace_id");
    if (filter.trace_id.len == 0) {
        put_hop(emit, entry, seq);
        return BT_OK;
    }
    if (bt_ledger_list_entries(a2a->service->ledger, a2a->arena, &filter, alarms, &entries,
                               &error) != BT_OK) {
        return BT_OK;
    }
    for (size_t i = 0; i < entries.count; i++) {
        struct bt_entry_fields hop;
        if (bt_entry_fields_read(a2a->service->env, a2a->arena, entries.items[i].text, &hop) &&
            bt_entry_fields_visible_to(&work, &hop)) {
            put_hop(emit, hop.document, entries.items[i].seq);
        }
    }
    return BT_OK;
}

static enum bt_status put_metadata(struct a2a *a2a, struct bt_emit *emit,
                                   const struct a2a_status *status)
{
    enum bt_status written = BT_OK;
    bt_emit_member_object(emit, "metadata");
    if (a2a->used & A2A_SCHEMA_CONTRACT) {
        put_schema_contract(emit, status);
    }
    if ((a2a->used & A2A_ACTOR_CHAIN) && status->seq != BT_LEDGER_SEQ_NONE) {
        bt_emit_member_object(emit, "urn:baton:a2a:actor-chain:v1");
        bt_emit_member_array(emit, "hops");
        written = put_hops(a2a, emit, status->seq);
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    if (a2a->used & A2A_TRACE_CONTEXT) {
        bt_emit_member_object(emit, A2A_TRACE_KEY);
        bt_emit_member_string(emit, "traceparent", a2a->place->traceparent);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return written;
}

/* ---- Artifacts ------------------------------------------------------------------------------- */

/* Put one artifact whose content is a JSON value. */
static enum bt_status put_artifact(struct a2a *a2a, struct bt_emit *emit, const char *name,
                                   bt_str data, const struct a2a_status *status)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "artifactId", bt_str_of(name));
    bt_emit_member_string(emit, "name", bt_str_of(name));
    bt_emit_member_array(emit, "parts");
    bt_emit_begin_object(emit);
    bt_emit_member_raw(emit, "data", data);
    bt_emit_member_string(emit, "mediaType", BT_STR("application/json"));
    bt_emit_end(emit);
    bt_emit_end(emit);
    const enum bt_status written = put_metadata(a2a, emit, status);
    bt_emit_end(emit);
    return written;
}

static enum bt_status put_receipt(struct a2a *a2a, struct bt_emit *emit,
                                  const struct a2a_status *status)
{
    struct bt_buf receipt;
    struct bt_error error;
    bt_buf_init(&receipt, RECEIPT_BYTES_MAX);
    enum bt_status written =
        bt_ledger_prove_inclusion(a2a->service->ledger, status->seq, BT_LEDGER_SEQ_NONE,
                                  BT_RECEIPT_FORMAT_JSON, &receipt, &error);
    if (written == BT_OK) {
        written = put_artifact(a2a, emit, "receipt", bt_str_trim(bt_buf_str(&receipt)), status);
    }
    bt_buf_free(&receipt);
    return written == BT_ENOMEM ? written : BT_OK;
}

/* The document of an entry as JSON; "" when it is not stored. */
static enum bt_status document_of(struct a2a *a2a, uint64_t seq, bt_str *out)
{
    const struct bt_json_doc *document = NULL;
    *out = BT_STR("");
    BT_TRY(a2a_document(a2a, seq, &document));
    return document ? a2a_put_compact(a2a->arena, document, bt_json_root(document), out) : BT_OK;
}

static bool is_in_range(const struct a2a_artifact_range *range, uint64_t number)
{
    return number >= range->first && number < range->end;
}

enum bt_status a2a_put_artifacts(struct a2a *a2a, struct bt_emit *emit, const struct bt_task *task,
                                 const struct a2a_status *status,
                                 const struct a2a_artifact_range *range, uint64_t *out_count)
{
    uint64_t count = 0;
    bt_str answer = BT_STR("");
    if (task->artifacts.len > 0 && is_in_range(range, count++)) {
        BT_TRY(put_artifact(a2a, emit, "report", task->artifacts, status));
    }
    if ((a2a->used & A2A_RECEIPT) && status->seq != BT_LEDGER_SEQ_NONE &&
        is_in_range(range, count++)) {
        BT_TRY(put_receipt(a2a, emit, status));
    }
    if (status->answer_seq != BT_LEDGER_SEQ_NONE) {
        BT_TRY(document_of(a2a, status->answer_seq, &answer));
    }
    if (answer.len > 0 && is_in_range(range, count++)) {
        BT_TRY(put_artifact(a2a, emit, "response", answer, status));
    }
    *out_count = count;
    return BT_OK;
}

/* ---- History --------------------------------------------------------------------------------- */

/* Put the last messages unchanged. */
static enum bt_status put_history(struct a2a *a2a, struct bt_emit *emit, const struct bt_task *task,
                                  const struct a2a_task_view *view)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    size_t count = 0;
    options.document_bytes_max = A2A_TEXT_BYTES_MAX;
    options.string_bytes_max = A2A_TEXT_BYTES_MAX;
    if (task->history.len > 0) {
        /* from: store */
        BT_TRY(bt_json_read(a2a->arena, task->history, &options, &read));
        count = read.document ? bt_json_count(bt_json_root(read.document)) : 0;
    }
    const size_t wanted = view->has_history_length && view->history_length < count
                              ? (size_t)view->history_length
                              : count;
    bt_emit_member_array(emit, "history");
    for (size_t i = count - wanted; i < count; i++) {
        bt_emit_raw(
            emit, a2a_value_source(read.document, &bt_json_items(bt_json_root(read.document))[i]));
    }
    bt_emit_end(emit);
    return BT_OK;
}

enum bt_status a2a_put_task(struct a2a *a2a, struct bt_emit *emit, const struct bt_task *task,
                            const struct a2a_task_view *view)
{
    static const struct a2a_artifact_range all_artifacts = {0, UINT64_MAX};
    struct a2a_status status;
    uint64_t count = 0;
    BT_TRY(a2a_status_read(a2a, task->state, &status));
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "id", task->id);
    bt_emit_member_string(emit, "contextId", task->context);
    bt_emit_name(emit, "status");
    a2a_put_status(emit, task, &status);
    if (!view->has_no_artifacts) {
        bt_emit_member_array(emit, "artifacts");
        BT_TRY(a2a_put_artifacts(a2a, emit, task, &status, &all_artifacts, &count));
        bt_emit_end(emit);
    }
    BT_TRY(put_history(a2a, emit, task, view));
    bt_emit_end(emit);
    return BT_OK;
}
