/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_list.c - one session that gets the same list again and again, without processes. */
#include "wrap_list.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "dialect/plan/plan.h"
#include "json/options.h"
#include "measure.h"
#include "wrap/session.h"

enum { LISTS = 21, LOCK_BYTES_MAX = 32 << 20, LINE_BYTES_MAX = 16 << 20 };

/* A session of a server that is pinned. */
struct pinned {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_wrap_lock lock;
    struct bt_plan_checker *plans;
    struct bt_wrap_settings settings;
    struct bt_wrap_session session;
};

/* Take a line, and forget what is said. */
static void take(struct bt_wrap_session *session, enum bt_wrap_side side, bt_str line)
{
    if (bt_wrap_session_take(session, side, line) != BT_OK) {
        fail("session", "no memory");
    }
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        bt_buf_clear(&session->to[i]);
    }
    bt_buf_clear(&session->log);
}

static void begin(struct pinned *pinned, const char *lock_path)
{
    const struct bt_wrap_memory memory = {&pinned->arena, &pinned->env};
    struct bt_wrap_settings *settings = &pinned->settings;
    struct bt_error error = {0};
    bt_str text;
    bt_arena_init(&pinned->arena, SIZE_MAX);
    if (bt_env_init(&pinned->env) != BT_OK ||
        bt_file_read(&pinned->arena, bt_str_of(lock_path), LOCK_BYTES_MAX, &text, &error) !=
            BT_OK ||
        bt_wrap_lock_read(&memory, text, &pinned->lock, &error) != BT_OK ||
        bt_plan_checker_create(&pinned->env, &pinned->plans) != BT_OK) {
        fail(lock_path, error.text);
    }
    *settings = bt_wrap_settings_default(BT_STR("bench"));
    settings->lock = &pinned->lock;
    settings->entry = bt_wrap_lock_find(&pinned->lock, BT_STR("bench"));
    settings->started = settings->entry;
    settings->plans = pinned->plans;
    if (!settings->entry ||
        bt_wrap_session_init(&pinned->session, settings, &pinned->env) != BT_OK) {
        fail(lock_path, "it has no server `bench`");
    }
    take(&pinned->session, BT_WRAP_CLIENT,
         BT_STR("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"}"));
    take(&pinned->session, BT_WRAP_SERVER, BT_STR("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}"));
}

static double parse(struct pinned *pinned, bt_str line)
{
    struct bt_json_options options = bt_json_options_from_env(&pinned->env);
    struct bt_json_read_result read = {0};
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    options.document_bytes_max = LINE_BYTES_MAX;
    options.string_bytes_max = LINE_BYTES_MAX;
    /* The second time uses the memory of the first, as a session does. */
    double took = 0;
    for (size_t i = 0; i < 2; i++) {
        bt_arena_reset(&arena);
        const double began = now_ns();
        /* from: the benchmark */
        if (bt_json_read(&arena, line, &options, &read) != BT_OK || !read.document) {
            fail("list", "it is not JSON");
        }
        took = now_ns() - began;
    }
    bt_arena_free(&arena);
    return took;
}

static int compare_numbers(const void *a, const void *b)
{
    const double first = *(const double *)a;
    const double second = *(const double *)b;
    return (first > second) - (first < second);
}

void bench_wrap_list(const char *lock_path, const char *result)
{
    static struct pinned pinned;
    double compared[LISTS];
    double parsed[LISTS];
    bt_str line;
    begin(&pinned, lock_path);
    if (bt_arena_printf(&pinned.arena, &line, "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":%s}",
                        result) != BT_OK) {
        fail("list", "no memory");
    }
    for (size_t i = 0; i < LISTS; i++) {
        take(&pinned.session, BT_WRAP_CLIENT,
             BT_STR("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/list\"}"));
        const double began = now_ns();
        take(&pinned.session, BT_WRAP_SERVER, line);
        compared[i] = now_ns() - began;
        parsed[i] = parse(&pinned, line);
    }
    const double first_ms = compared[0] / 1e6;
    qsort(compared, LISTS, sizeof(compared[0]), compare_numbers);
    qsort(parsed, LISTS, sizeof(parsed[0]), compare_numbers);
    const double list_ms = compared[LISTS / 2] / 1e6;
    const double parse_ms = parsed[LISTS / 2] / 1e6;
    (void)printf(
        "a list of 1,000 tools, %.1f MB: first %.1f ms, then p50 %.1f ms (goal 5); parsing "
        "alone %.1f ms, %.2f times; gate: at most 3.00\n",
        (double)line.len / 1e6, first_ms, list_ms, parse_ms, list_ms / parse_ms);
    bt_wrap_session_free(&pinned.session);
    bt_plan_checker_destroy(pinned.plans);
    bt_arena_free(&pinned.arena);
}
