/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - ListTasks: the caller's own tasks, newest status first, in pages.
 *
 * A page token names the last task of its page, and is sealed for the caller and the filter.
 */
#include <stdlib.h>
#include <string.h>

#include "a2a/a2a_internal.h"
#include "base/vec.h"

enum { PAGE_USUAL = 50, PAGE_MAX = 100, TOKEN_BYTES_MAX = 1024, TASKS_MAX = 1000000 };

/* The filter of the list. */
struct a2a_list_filter {
    bt_str context; /* "": any */
    bt_str state;   /* "": any */
    bool has_after;
    bt_instant after;
    uint64_t page_size;
    bt_str from_time; /* the last task of the previous page, or "" */
    bt_str from_id;
};

/* A task of the list, without its content. */
struct a2a_list_item {
    bt_str id;
    bt_str time;
};

/* ---- Collecting ------------------------------------------------------------------------------ */

/*
 * A copy of a task from the scan: its status is derived after the scan, because that queries the
 * store too.
 */
struct a2a_list_task {
    bt_str id;
    bt_str context;
    bt_str state;
};

struct a2a_list_scan {
    struct bt_arena *arena;
    struct a2a_list_task *items;
    size_t count;
    size_t capacity;
    enum bt_status status;
};

static enum bt_status copy_light(struct a2a_list_scan *scanning, const struct bt_task *task)
{
    BT_TRY(bt_vec_reserve(scanning->arena, scanning, 1));
    struct a2a_list_task *light = &scanning->items[scanning->count];
    BT_TRY(bt_arena_copy(scanning->arena, task->id, &light->id));
    BT_TRY(bt_arena_copy(scanning->arena, task->context, &light->context));
    BT_TRY(bt_arena_copy(scanning->arena, task->state, &light->state));
    scanning->count++;
    return BT_OK;
}

static bool add_task(void *context, const struct bt_task *task)
{
    struct a2a_list_scan *scanning = context;
    scanning->status = copy_light(scanning, task);
    return scanning->status == BT_OK && scanning->count < TASKS_MAX;
}

static bool is_after(bt_str time, bt_instant after)
{
    bt_instant at;
    return bt_instant_parse(time, &at) == BT_OK &&
           (at.seconds > after.seconds || (at.seconds == after.seconds && at.nanos > after.nanos));
}

static bool task_matches_filter(const struct a2a_list_filter *filter,
                                const struct a2a_list_task *light, const struct a2a_status *status)
{
    return (filter->context.len == 0 || bt_str_eq(filter->context, light->context)) &&
           (filter->state.len == 0 || bt_str_eq(filter->state, status->state)) &&
           (!filter->has_after || is_after(status->time, filter->after));
}

/* Newest first; equal times are ordered by id. */
static int compare_items(const void *a, const void *b)
{
    const struct a2a_list_item *one = a;
    const struct a2a_list_item *other = b;
    const int by_time = bt_str_compare(other->time, one->time);
    return by_time != 0 ? by_time : bt_str_compare(other->id, one->id);
}

static enum bt_status collect_tasks(struct a2a *a2a, const struct a2a_list_filter *filter,
                                    struct a2a_list_item **out, size_t *out_count)
{
    struct a2a_list_scan scanning = {.arena = a2a->arena};
    struct bt_error error;
    size_t count = 0;
    if (a2a->service->ledger) {
        BT_TRY(bt_task_each(a2a->service->ledger, a2a->caller->actor, add_task, &scanning, &error));
        BT_TRY(scanning.status);
    }
    struct a2a_list_item *items =
        BT_NEW_ARRAY(a2a->arena, struct a2a_list_item, scanning.count + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < scanning.count; i++) {
        struct a2a_status status;
        BT_TRY(a2a_status_read(a2a, scanning.items[i].state, &status));
        if (task_matches_filter(filter, &scanning.items[i], &status)) {
            items[count++] = (struct a2a_list_item){scanning.items[i].id, status.time};
        }
    }
    if (count > 1) {
        qsort(items, count, sizeof(*items), compare_items);
    }
    *out = items;
    *out_count = count;
    return BT_OK;
}

/* ---- Page tokens ----------------------------------------------------------------------------- */

/* Put the seal of a position in the list, for this caller and this filter. */
static enum bt_status put_token(const struct a2a *a2a, const struct a2a_list_filter *filter,
                                const struct a2a_list_item *last, struct bt_buf *out)
{
    uint8_t mac[BT_SHA256_BYTES];
    bt_str text;
    BT_TRY(bt_arena_printf(a2a->arena, &text, "%.*s\n%.*s\n%.*s\n%lld.%d\n%.*s\n%.*s",
                           BT_STR_ARG(a2a->caller->actor), BT_STR_ARG(filter->context),
                           BT_STR_ARG(filter->state),
                           filter->has_after ? (long long)filter->after.seconds : -1LL,
                           filter->has_after ? (int)filter->after.nanos : 0, BT_STR_ARG(last->time),
                           BT_STR_ARG(last->id)));
    BT_TRY(bt_hmac_sha256(a2a->place->page_key, text, mac));
    bt_buf_put(out, last->time);
    bt_buf_put_char(out, '_');
    bt_buf_put(out, last->id);
    bt_buf_put_char(out, '_');
    bt_base64url_put(out, (bt_str){(const char *)mac, sizeof(mac)});
    return out->status;
}

/* Check that a token was issued for this list, and set the position in the filter. */
static enum bt_status take_token(const struct a2a *a2a, bt_str token,
                                 struct a2a_list_filter *filter, bool *out)
{
    const size_t first = bt_str_find_byte(token, '_', 0);
    const size_t second = bt_str_find_byte(token, '_', first + 1);
    const struct a2a_list_item last = {.time = bt_str_slice(token, 0, first),
                                       .id = bt_str_slice(token, first + 1, second)};
    struct bt_buf expected;
    bt_buf_init(&expected, TOKEN_BYTES_MAX);
    *out = token.len < TOKEN_BYTES_MAX;
    const enum bt_status status = *out ? put_token(a2a, filter, &last, &expected) : BT_OK;
    *out = *out && status == BT_OK && expected.len == token.len &&
           bt_bytes_equal_constant_time(expected.ptr, token.ptr, token.len);
    bt_buf_free(&expected);
    filter->from_time = last.time;
    filter->from_id = last.id;
    return status == BT_ENOMEM ? status : BT_OK;
}

/* ---- Params ---------------------------------------------------------------------------------- */

static bool take_state(struct a2a_request *request, struct a2a_list_filter *out)
{
    static const char *const words[] = {"SUBMITTED", "WORKING",      "COMPLETED",
                                        "FAILED",    "CANCELED",     "INPUT_REQUIRED",
                                        "REJECTED",  "AUTH_REQUIRED"};
    static const bt_str prefix = BT_STR_INIT("TASK_STATE_");
    const bt_str text = a2a_param_text(request, "status");
    if (!a2a_param(request, "status") || bt_str_eq(text, BT_STR("TASK_STATE_UNSPECIFIED"))) {
        return true;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (bt_str_starts_with(text, prefix) &&
            bt_str_eq(bt_str_slice(text, prefix.len, text.len), bt_str_of(words[i]))) {
            out->state = bt_str_of(words[i]);
            return true;
        }
    }
    (void)a2a_respond_field_error(request, "status", BT_STR("a state of a task"));
    return false;
}

static bool take_after(struct a2a_request *request, struct a2a_list_filter *out)
{
    if (!a2a_param(request, "statusTimestampAfter")) {
        return true;
    }
    out->has_after =
        bt_instant_parse(a2a_param_text(request, "statusTimestampAfter"), &out->after) == BT_OK;
    if (!out->has_after) {
        (void)a2a_respond_field_error(request, "statusTimestampAfter",
                                      BT_STR("a time of RFC 3339"));
    }
    return out->has_after;
}

/* Read the filter. False after an error, or when *out_status is not BT_OK. */
static bool take_filter(struct a2a_request *request, struct a2a_list_filter *out,
                        enum bt_status *out_status)
{
    static const uint64_t range[2] = {1, PAGE_MAX};
    const bt_str token = a2a_param_text(request, "pageToken");
    bool is_ours = true;
    *out = (struct a2a_list_filter){.context = a2a_param_text(request, "contextId"),
                                    .state = BT_STR(""),
                                    .page_size = PAGE_USUAL,
                                    .from_time = BT_STR(""),
                                    .from_id = BT_STR("")};
    *out_status = BT_OK;
    if (!a2a_param_number(request, "pageSize", range, &out->page_size) ||
        !take_state(request, out) || !take_after(request, out)) {
        return false;
    }
    if (token.len > 0) {
        *out_status = take_token(request->a2a, token, out, &is_ours);
    }
    if (!is_ours) {
        (void)a2a_respond_field_error(request, "pageToken",
                                      BT_STR("one that was handed out for this list"));
    }
    return is_ours && *out_status == BT_OK;
}

/* ---- The list -------------------------------------------------------------------------------- */

static enum bt_status put_tasks(struct a2a_request *request, struct bt_emit *emit,
                                const struct a2a_list_item *items, size_t count)
{
    static const uint64_t range[2] = {0, TASKS_MAX};
    const bt_json_value *artifacts = a2a_param(request, "includeArtifacts");
    struct a2a_task_view view = {.has_history_length = true,
                                 .has_no_artifacts =
                                     !artifacts || bt_json_type(artifacts) != BT_JSON_TRUE};
    if (!a2a_param_number(request, "historyLength", range, &view.history_length)) {
        return BT_OK;
    }
    bt_emit_member_array(emit, "tasks");
    for (size_t i = 0; i < count; i++) {
        struct bt_task task;
        const enum bt_status found = a2a_task_find(request->a2a, items[i].id, &task);
        if (found == BT_OK) {
            BT_TRY(a2a_put_task(request->a2a, emit, &task, &view));
        } else if (found != BT_ENOENT) {
            return found;
        }
    }
    bt_emit_end(emit);
    return BT_OK;
}

static enum bt_status put_next(struct a2a_request *request, struct bt_emit *emit,
                               const struct a2a_list_filter *filter,
                               const struct a2a_list_item *last)
{
    struct bt_buf token;
    bt_buf_init(&token, TOKEN_BYTES_MAX);
    const enum bt_status status = last ? put_token(request->a2a, filter, last, &token) : BT_OK;
    bt_emit_member_string(emit, "nextPageToken", bt_buf_str(&token));
    bt_buf_free(&token);
    return status;
}

enum bt_status a2a_list(struct a2a_request *request)
{
    struct a2a_list_filter filter;
    struct a2a_list_item *items = NULL;
    struct bt_emit emit;
    enum bt_status status = BT_OK;
    size_t count = 0;
    size_t first = 0;
    if (!take_filter(request, &filter, &status)) {
        return status;
    }
    BT_TRY(collect_tasks(request->a2a, &filter, &items, &count));
    const struct a2a_list_item from = {filter.from_id, filter.from_time};
    while (filter.from_id.len > 0 && first < count && compare_items(&items[first], &from) <= 0) {
        first++;
    }
    const size_t left = count - first;
    const size_t shown = left < filter.page_size ? left : (size_t)filter.page_size;
    bt_emit_init(&emit, &request->result, false);
    bt_emit_begin_object(&emit);
    BT_TRY(put_tasks(request, &emit, items + first, shown));
    if (request->is_answered) {
        return BT_OK;
    }
    BT_TRY(put_next(request, &emit, &filter, shown < left ? &items[first + shown - 1] : NULL));
    bt_emit_member_u64(&emit, "pageSize", filter.page_size);
    bt_emit_member_u64(&emit, "totalSize", count);
    bt_emit_end(&emit);
    return BT_OK;
}
