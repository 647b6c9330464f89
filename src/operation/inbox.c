/* SPDX-License-Identifier: Apache-2.0 */
/* inbox.c - the operations on the inbox of an agent. */
#include <assert.h>
#include <inttypes.h>

#include "deliver/inbox.h"
#include "json/emit.h"
#include "ledger/bundle.h"
#include "ledger/entry.h"
#include "operation/records.h"

enum { LEASE_ITEMS_DEFAULT = 10, LEASE_S_DEFAULT = 60, FINISH_MAX = 100, SIZES_MAX = 500 };

static enum bt_status deliver_of(struct bt_call *work, struct bt_deliver *out)
{
    *out = (struct bt_deliver){.ledger = work->service->ledger,
                               .env = work->service->env,
                               .arena = work->arena,
                               .actor = work->caller->actor,
                               .alarms = bt_findings_new(work->arena)};
    return out->alarms ? BT_OK : BT_ENOMEM;
}

static bool is_open(struct bt_call *work, bt_str agent)
{
    if (bt_entry_name_is_valid(agent) && bt_caller_represents(work->caller, agent)) {
        return true;
    }
    (void)bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""), "inbox not found");
    return false;
}

/* The handoff's own entry names its source. */
static enum bt_status put_origin(const struct bt_deliver *deliver, struct bt_emit *emit,
                                 uint64_t seq, bt_str *out_leaf)
{
    static const char *const names[] = {"dialect", "source", "trace_id"};
    struct bt_ledger_entry_view shown;
    struct bt_json_read_result read = {0};
    struct bt_error error;
    BT_TRY(
        bt_ledger_get_entry(deliver->ledger, deliver->arena, seq, deliver->alarms, &shown, &error));
    if (bt_findings_count(deliver->alarms) > 0) {
        return BT_ECORRUPT;
    }
    *out_leaf = shown.entry.leaf_hash;
    /* from: store */
    BT_TRY(bt_json_read(deliver->arena, shown.entry.text, NULL, &read));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const bt_json_value *value =
            read.document
                ? bt_json_get(read.document, bt_json_root(read.document), bt_str_of(names[i]))
                : NULL;
        bt_emit_member_string_or_null(emit, names[i], value ? bt_json_text(value) : BT_STR(""));
    }
    return BT_OK;
}

/* An item of the inbox, including who holds it and how often it was tried. */
static enum bt_status put_handoff(const struct bt_deliver *deliver, struct bt_emit *emit,
                                  const struct bt_inbox_item *item, bt_str *out_leaf)
{
    char digest[BT_SHA256_HEX_BYTES];
    BT_TRY(bt_sha256_hex(item->bytes, digest));
    bt_emit_member_u64(emit, "seq", item->seq);
    bt_emit_name(emit, "ref");
    bt_emit_raw(emit, BT_STR("\""));
    bt_buf_put(emit->buf, bt_ledger_origin(deliver->ledger)); /* needs no escapes */
    bt_buf_printf(emit->buf, "#%" PRIu64 "\"", item->seq);
    BT_TRY(put_origin(deliver, emit, item->seq, out_leaf));
    bt_emit_member_string_or_null(emit, "traceparent", item->traceparent);
    bt_emit_member_string(emit, "sha256", bt_str_of(digest));
    bt_ledger_put_bytes(emit, item->bytes);
    return BT_OK;
}

static enum bt_status put_receipt(const struct bt_deliver *deliver, struct bt_emit *emit,
                                  const struct bt_inbox_item *item)
{
    struct bt_error error;
    bt_emit_name(emit, "receipt");
    bt_emit_raw(emit, BT_STR(""));
    return bt_inbox_put_receipt(deliver, item, emit->buf, &error);
}

static enum bt_status put_item(const struct bt_deliver *deliver, struct bt_emit *emit,
                               const struct bt_inbox_item *item, bool with_receipt)
{
    bt_str leaf;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "message", item->message);
    bt_emit_member_string(emit, "lease", item->lease);
    bt_emit_member_string(emit, "lease_until", item->lease_until);
    bt_emit_member_u64(emit, "attempt", item->attempt);
    BT_TRY(put_handoff(deliver, emit, item, &leaf));
    if (with_receipt) {
        BT_TRY(put_receipt(deliver, emit, item));
    }
    bt_emit_end(emit);
    return BT_OK;
}

enum bt_status bt_op_put_webhook_body(const struct bt_deliver *deliver, bt_str target,
                                      const struct bt_inbox_item *item, struct bt_buf *buf,
                                      bt_str *out_leaf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "message", item->message);
    bt_emit_member_string(&emit, "target", target);
    BT_TRY(put_handoff(deliver, &emit, item, out_leaf));
    BT_TRY(put_receipt(deliver, &emit, item));
    bt_emit_end(&emit);
    return buf->status;
}

enum bt_status bt_op_inbox_lease(struct bt_call *work, const struct bt_args *args)
{
    const struct bt_inbox_lease_options lease_options = {
        .agent = bt_args_text(args, BT_ARG_INBOX_LEASE_AGENT),
        .max = bt_args_number(args, BT_ARG_INBOX_LEASE_MAX, LEASE_ITEMS_DEFAULT),
        .lease_seconds = bt_args_number(args, BT_ARG_INBOX_LEASE_LEASE_S, LEASE_S_DEFAULT),
        .attempts_max = bt_config_u64(work->service->config, "deliver.attempts")};
    const bool with_receipts = bt_args_bool(args, BT_ARG_INBOX_LEASE_RECEIPTS);
    struct bt_inbox_items taken = {NULL, 0};
    struct bt_deliver deliver;
    struct bt_emit emit;
    struct bt_error error;
    if (!is_open(work, lease_options.agent)) {
        return BT_OK;
    }
    BT_TRY(deliver_of(work, &deliver));
    if (bt_inbox_lease(&deliver, &lease_options, &taken, &error) != BT_OK ||
        bt_findings_count(deliver.alarms) > 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was taken");
    }
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "items");
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < taken.count; i++) {
        if (put_item(&deliver, &emit, &taken.items[i], with_receipts) != BT_OK) {
            bt_buf_clear(&work->answer->body);
            return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                        "it is delivered again later");
        }
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    work->answer->is_empty = taken.count == 0;
    return bt_result_set_done(work);
}

struct bt_op_inbox_finish {
    struct bt_inbox_finish_item *items;
    size_t count;
};

static enum bt_status put_ends(struct bt_call *work, void *context)
{
    static const char *const words[] = {[BT_INBOX_FINISHED] = "ok",
                                        [BT_INBOX_LEASE_LOST] = "lease_lost",
                                        [BT_INBOX_NOT_FOUND] = "unknown",
                                        [BT_INBOX_WRONG_ENTRY] = "wrong_entry"};
    const struct bt_op_inbox_finish *finishing = context;
    struct bt_result *answer = work->answer;
    struct bt_emit emit;
    bt_buf_clear(&answer->body);
    bt_emit_init(&emit, &answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_name(&emit, "items");
    bt_emit_begin_array(&emit);
    answer->kind = ANSWER_DONE;
    answer->status = BT_HTTP_OK;
    for (size_t i = 0; i < finishing->count; i++) {
        const struct bt_inbox_finish_item *item = &finishing->items[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "message", item->message);
        bt_emit_member_string(&emit, "result", bt_str_of(words[item->end]));
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return answer->body.status;
}

static enum bt_status finish_items(struct bt_call *work, bt_str agent,
                                   struct bt_inbox_finish_item *items, size_t count)
{
    struct bt_op_inbox_finish finishing = {items, count};
    struct bt_op_idempotent deciding;
    struct bt_deliver deliver;
    struct bt_error error;
    if (!is_open(work, agent)) {
        return BT_OK;
    }
    for (size_t i = 0; i < count; i++) {
        items[i].agent = agent;
        items[i].attempts_max = bt_config_u64(work->service->config, "deliver.attempts");
    }
    BT_TRY(deliver_of(work, &deliver));
    bt_op_idempotency_begin(&deciding, work, put_ends, &finishing);
    bt_op_idempotent_attach(&deciding);
    const enum bt_status status = bt_inbox_finish_item(&deliver, items, count, &error);
    return bt_op_idempotency_end(&deciding,
                                 status == BT_OK && bt_findings_count(deliver.alarms) == 0,
                                 "nothing was recorded");
}

/* Read one item of a list. False: the result is set. */
static bool take_item(struct bt_call *call, const struct bt_operation_param *param,
                      const struct bt_json_doc *document, const bt_json_value *value,
                      struct bt_inbox_finish_item *out)
{
    bt_str texts[4]; /* in the order of the group `delivery`: message, lease, outcome, leaf_hash */
    struct bt_argument_fault fault = {BT_STR_INIT("items"), "it is not a list of objects"};
    assert(param->member_count == 4);
    if (bt_json_type(value) != BT_JSON_OBJECT ||
        !bt_arguments_read_texts(param, document, value, texts, &fault)) {
        return bt_result_refuse_argument(call, fault.name, fault.why) == BT_OK;
    }
    out->message = texts[0];
    out->lease = texts[1];
    out->is_delivered = bt_str_eq(texts[2], BT_STR("delivered"));
    out->leaf_hash = texts[3];
    out->has_leaf_hash = bt_json_get(document, value, BT_STR("leaf_hash")) != NULL;
    if (out->message.len > 0 && (out->is_delivered || bt_str_eq(texts[2], BT_STR("failed")))) {
        return true;
    }
    (void)bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/items"),
                                "each has message, lease and outcome: delivered or failed");
    return false;
}

/* Finish the items of a list. */
static enum bt_status finish_list(struct bt_call *call, const struct bt_args *args)
{
    const struct bt_arg *list = bt_args_at(args, BT_ARG_INBOX_FINISH_ITEMS);
    const bool is_list = list && bt_json_type(list->json) == BT_JSON_ARRAY;
    const size_t count = is_list ? bt_json_count(list->json) : 0;
    if (count == 0 || count > FINISH_MAX) {
        return bt_result_set_problem(call, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/items"),
                                     "it is a list of 1 to 100 items");
    }
    struct bt_inbox_finish_item *items =
        BT_NEW_ARRAY(call->arena, struct bt_inbox_finish_item, count);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (!take_item(call, &args->operation->params[BT_ARG_INBOX_FINISH_ITEMS], list->document,
                       &bt_json_items(list->json)[i], &items[i])) {
            return BT_OK;
        }
    }
    return finish_items(call, bt_args_text(args, BT_ARG_INBOX_FINISH_AGENT), items, count);
}

enum bt_status bt_op_inbox_finish(struct bt_call *call, const struct bt_args *args)
{
    if (!args->is_tool) {
        return finish_list(call, args);
    }
    struct bt_inbox_finish_item item = {
        .leaf_hash = bt_args_text(args, BT_ARG_INBOX_FINISH_LEAF_HASH),
        .has_leaf_hash = bt_args_has(args, BT_ARG_INBOX_FINISH_LEAF_HASH),
        .message = bt_args_text(args, BT_ARG_INBOX_FINISH_MESSAGE),
        .lease = bt_args_text(args, BT_ARG_INBOX_FINISH_LEASE),
        .is_delivered =
            bt_str_eq(bt_args_text(args, BT_ARG_INBOX_FINISH_OUTCOME), BT_STR("delivered"))};
    BT_TRY(finish_items(call, bt_args_text(args, BT_ARG_INBOX_FINISH_AGENT), &item, 1));
    if (call->answer->kind == ANSWER_DONE && item.end != BT_INBOX_FINISHED) {
        call->answer->kind = ANSWER_REFUSED;
    }
    return BT_OK;
}

/* When the oldest handoff of an inbox was recorded. */
static enum bt_status put_oldest(const struct bt_deliver *deliver, struct bt_emit *emit,
                                 uint64_t seq)
{
    struct bt_ledger_entry_view shown;
    struct bt_entry entry;
    struct bt_error error;
    bt_emit_name(emit, "oldest");
    if (seq == BT_LEDGER_SEQ_NONE) {
        bt_emit_null(emit);
        return BT_OK;
    }
    BT_TRY(
        bt_ledger_get_entry(deliver->ledger, deliver->arena, seq, deliver->alarms, &shown, &error));
    if (bt_findings_count(deliver->alarms) > 0 || !bt_entry_read(shown.entry.text, &entry)) {
        return BT_ECORRUPT;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "seq", seq);
    bt_emit_member_string(emit, "time", entry.time);
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_size(const struct bt_deliver *deliver, struct bt_emit *emit,
                               const struct bt_inbox_size *size)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "agent", size->agent);
    bt_emit_member_string(emit, "queue", size->is_webhook ? BT_STR("webhook") : BT_STR("inbox"));
    bt_emit_member_u64(emit, "waiting", size->waiting);
    bt_emit_member_u64(emit, "leased", size->leased);
    bt_emit_member_u64(emit, "dead", size->dead);
    bt_emit_member_u64(emit, "attempts", size->attempts_max);
    BT_TRY(put_oldest(deliver, emit, size->oldest));
    bt_emit_end(emit);
    return BT_OK;
}

enum bt_status bt_op_inbox_list(struct bt_call *work, const struct bt_args *args)
{
    (void)args;
    struct bt_deliver deliver;
    struct bt_inbox_sizes sizes;
    struct bt_emit emit;
    struct bt_error error;
    BT_TRY(deliver_of(work, &deliver));
    enum bt_status status = bt_inbox_list_sizes(&deliver, SIZES_MAX, &sizes, &error);
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_array(&emit, "inboxes");
    for (size_t i = 0; status == BT_OK && i < sizes.count; i++) {
        status = put_size(&deliver, &emit, &sizes.items[i]);
    }
    if (status != BT_OK) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE,
                                    "the inboxes cannot be read");
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return bt_result_set_done(work);
}

enum bt_status bt_op_inbox_retry(struct bt_call *work, const struct bt_args *args)
{
    const bt_str message = bt_args_text(args, BT_ARG_INBOX_RETRY_MESSAGE);
    struct bt_deliver deliver;
    struct bt_emit emit;
    struct bt_error error;
    uint64_t seq = 0;
    BT_TRY(deliver_of(work, &deliver));
    const enum bt_status status = bt_inbox_retry(&deliver, message, &seq, &error);
    if (status == BT_ENOENT) {
        return bt_result_set_problem(work, BT_PROBLEM_NOT_FOUND, BT_STR(""),
                                     "no item of this name was given up and has its document");
    }
    if (status != BT_OK || bt_findings_count(deliver.alarms) > 0) {
        return bt_result_set_failed(work, BT_PROBLEM_STORE_UNAVAILABLE, "nothing was recorded");
    }
    bt_emit_init(&emit, &work->answer->body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "message", message);
    bt_emit_member_string(&emit, "state", BT_STR("queued"));
    bt_emit_member_u64(&emit, "seq", seq);
    bt_emit_end(&emit);
    return bt_result_set_done(work);
}
