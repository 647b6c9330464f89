/* SPDX-License-Identifier: Apache-2.0 */
/* handler_probe.c - receive the HELLO of many handlers, a few at a time. */
#define _GNU_SOURCE
#include "sandbox/handler_probe.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "sandbox/host_pool.h"
#include "sandbox/private_dir.h"

enum { AT_A_TIME = 8, PRINTED_BYTES_MAX = 4096 };

struct bt_handler_probe_run {
    struct bt_arena *arena;
    const struct bt_host_launch_context *context;
    struct bt_handler_probe load;
    struct bt_handler_probe_result *results;
    struct bt_host_pool *hosts;
    size_t *listeners; /* by host: which listener it is */
    bool *judged;      /* by listener */
    size_t begun;
    size_t running;
    bt_str folder;
};

static enum bt_status set_probe_result(struct bt_handler_probe_run *loading, size_t i,
                                       enum bt_host_hello_error problem, bt_str reason)
{
    struct bt_handler_probe_result *result = &loading->results[i];
    if (loading->judged[i]) {
        return BT_OK; /* the first result counts */
    }
    loading->judged[i] = true;
    result->problem = problem;
    result->loaded = problem == BT_HELLO_FINE;
    return bt_arena_copy(loading->arena, reason, &result->reason);
}

/* A HELLO lives as long as its host; the result is a copy in the arena. */
static enum bt_status keep_hello(struct bt_handler_probe_run *loading, size_t i,
                                 const struct bt_host_hello *hello)
{
    struct bt_handler_probe_result *result = &loading->results[i];
    const char *reason = "";
    bt_str text;
    BT_TRY(bt_arena_copy(loading->arena, bt_json_source(hello->document), &text));
    const enum bt_status status = bt_host_hello_read(loading->arena, text, &result->hello, &reason);
    assert(status != BT_EINVAL); /* it was read before */
    BT_TRY(status);
    return set_probe_result(loading, i, result->hello.problem, result->hello.detail);
}

static enum bt_status keep_printed(struct bt_handler_probe_run *loading, size_t i, bt_str text)
{
    struct bt_handler_probe_result *result = &loading->results[i];
    const size_t room = PRINTED_BYTES_MAX - result->printed.len;
    const bt_str more = bt_str_slice(text, 0, room);
    return bt_arena_printf(loading->arena, &result->printed, "%.*s%.*s",
                           BT_STR_ARG(result->printed), BT_STR_ARG(more));
}

static enum bt_status keep_end(struct bt_handler_probe_run *loading, size_t i,
                               const struct bt_host_event *event)
{
    bt_str reason;
    loading->running--;
    if (event->end.signal > 0) {
        BT_TRY(bt_arena_printf(loading->arena, &reason, "the host said no HELLO: signal %d",
                               event->end.signal));
    } else if (event->end.code >= 0) {
        BT_TRY(bt_arena_printf(loading->arena, &reason, "the host said no HELLO: exit code %d",
                               event->end.code));
    } else {
        BT_TRY(
            bt_arena_printf(loading->arena, &reason, "the host did not start: %s", event->reason));
    }
    return set_probe_result(loading, i, BT_HELLO_IMPORT, reason);
}

static enum bt_status handle_event(struct bt_handler_probe_run *loading,
                                   const struct bt_host_event *event)
{
    const size_t i = loading->listeners[event->host];
    switch (event->kind) {
    case BT_HOST_EVENT_HELLO:
        bt_host_stop(loading->hosts, event->host);
        return keep_hello(loading, i, event->hello);
    case BT_HOST_EVENT_REFUSED:
        return keep_hello(loading, i, event->hello);
    case BT_HOST_EVENT_BROKE:
        return set_probe_result(loading, i, BT_HELLO_IMPORT, bt_str_of(event->reason));
    case BT_HOST_EVENT_LOG:
        return keep_printed(loading, i, event->body);
    case BT_HOST_EVENT_ENDED:
        return keep_end(loading, i, event);
    case BT_HOST_EVENT_NONE:
    case BT_HOST_EVENT_RESULT:
    case BT_HOST_EVENT_FAIL:
    case BT_HOST_EVENT_TIMEOUT:
    case BT_HOST_EVENT_LATE:
    case BT_HOST_EVENT_CANCELLED:
    case BT_HOST_EVENT_STUCK:
    case BT_HOST_EVENT_LOST:
        break;
    }
    return BT_OK;
}

enum bt_status bt_handler_make_work(struct bt_arena *arena,
                                    const struct bt_host_launch_context *context, bt_str folder,
                                    size_t number, bt_str *out, struct bt_error *error)
{
    bt_str path;
    BT_TRY(bt_arena_printf(arena, &path, "%.*s/%zu", BT_STR_ARG(folder), number));
    if (mkdir(path.ptr, 0700) != 0 ||
        (context->drop_user && chown(path.ptr, context->uid, context->gid) != 0)) {
        return bt_error_errno(error, "cannot make a work directory", NULL);
    }
    *out = path;
    return BT_OK;
}

static enum bt_status start_probe(struct bt_handler_probe_run *loading, size_t i,
                                  struct bt_error *out_error)
{
    struct bt_host_options options = {.in_flight_max = 1, .once = true};
    struct bt_error error = {.text = ""};
    bt_host_id id;
    BT_TRY(bt_handler_make_work(loading->arena, loading->context, loading->folder, i, &options.work,
                                out_error));
    const enum bt_status status = bt_host_pool_add(loading->hosts, loading->context,
                                                   &loading->load.specs[i], &options, &id, &error);
    if (status == BT_ENOENT || status == BT_EINVAL) {
        return set_probe_result(loading, i, BT_HELLO_IMPORT, bt_str_of(error.text));
    }
    if (status != BT_OK) {
        return bt_error_set(out_error, status, "%s", error.text);
    }
    loading->listeners[id] = i;
    loading->running++;
    return BT_OK;
}

bool bt_handler_probe_run_is_done(const struct bt_handler_probe_run *loading)
{
    return loading->begun == loading->load.count && loading->running == 0;
}

int bt_handler_probe_run_fd(const struct bt_handler_probe_run *loading)
{
    return bt_host_pool_fd(loading->hosts);
}

enum bt_status bt_handler_probe_run_step(struct bt_handler_probe_run *loading, uint32_t wait_ms,
                                         struct bt_error *error)
{
    struct bt_host_event event;
    while (loading->begun < loading->load.count && loading->running < AT_A_TIME) {
        BT_TRY(start_probe(loading, loading->begun, error));
        loading->begun++;
    }
    BT_TRY(bt_host_pool_wait(loading->hosts, wait_ms, error));
    while (bt_host_pool_next(loading->hosts, &event)) {
        BT_TRY(handle_event(loading, &event));
    }
    return BT_OK;
}

static enum bt_status open_loading(struct bt_handler_probe_run *loading, struct bt_error *error)
{
    loading->listeners = BT_NEW_ARRAY(loading->arena, size_t, loading->load.count + 1);
    loading->judged = BT_NEW_ARRAY(loading->arena, bool, loading->load.count + 1);
    if (!loading->listeners || !loading->judged) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_private_dir_create(loading->arena, loading->load.temporary, &loading->folder, error));
    return bt_host_pool_open(NULL, &loading->hosts, error);
}

enum bt_status
bt_handler_probe_run_open(struct bt_arena *arena, const struct bt_host_launch_context *context,
                          const struct bt_handler_probe *load, struct bt_handler_probe_result *out,
                          struct bt_handler_probe_run **out_loading, struct bt_error *error)
{
    struct bt_handler_probe_run *loading = BT_NEW(arena, struct bt_handler_probe_run);
    if (!loading) {
        return BT_ENOMEM;
    }
    *loading = (struct bt_handler_probe_run){
        .arena = arena, .context = context, .load = *load, .results = out};
    memset(out, 0, load->count * sizeof(*out));
    const enum bt_status status = open_loading(loading, error);
    if (status != BT_OK) {
        bt_handler_probe_run_close(loading);
        return status;
    }
    *out_loading = loading;
    return BT_OK;
}

void bt_handler_probe_run_close(struct bt_handler_probe_run *loading)
{
    if (!loading) {
        return;
    }
    bt_host_pool_close(loading->hosts);
    if (loading->folder.len > 0) {
        bt_private_dir_remove(loading->folder);
    }
}
