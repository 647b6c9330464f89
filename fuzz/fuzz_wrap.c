/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_wrap.c - any bytes as the lines of a client and a server behind `baton wrap`.
 *
 * Each line goes to the side that its first byte chooses; an input that begins with L has a lock.
 * Promises: a line passes with its bytes or not at all; everything else that a side gets is a
 * message of ours; without a lock no more answers pass than there were requests; at the end every
 * open request can be answered. With a lock no list of tools that the client gets has a definition
 * that the lock does not have, and no other tool is called.
 */
#include "fuzz.h"

#include "base/env.h"
#include "base/str.h"
#include "dialect/plan/plan.h"
#include "wrap/session.h"

enum { LINES_MAX = 200, MESSAGE_BYTES = 4096 };

struct counts {
    size_t requests[BT_WRAP_SIDES]; /* that were passed, by who asked */
    size_t answers[BT_WRAP_SIDES];
};

static enum bt_wrap_side other_side(enum bt_wrap_side side)
{
    return side == BT_WRAP_CLIENT ? BT_WRAP_SERVER : BT_WRAP_CLIENT;
}

/* A message of ours: an error or a refusal; with a lock also lists, and calls that were held. */
static void is_ours(const struct bt_wrap_session *session, bt_str line)
{
    static const bt_str places[] = {BT_STR_INIT("/error/data/baton/code"),
                                    BT_STR_INIT("/result/_meta/baton~1refusal/code")};
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_json_doc *document = fuzz_reread(&arena, line);
    bool is_known = session->settings->entry != NULL;
    for (size_t i = 0; i < 2; i++) {
        is_known = is_known || bt_json_resolve(document, bt_json_root(document), places[i]);
    }
    PROMISE(is_known);
    bt_arena_free(&arena);
}

/* ---- With a lock ----------------------------------------------------------------------------- */

static const char tools[] =
    "{\"tools\":[{\"name\":\"echo\",\"description\":\"Says it.\",\"inputSchema\":{\"type\":"
    "\"object\"}},{\"name\":\"mail\",\"inputSchema\":{\"type\":\"object\"}}]}";

/* Whether the line answers a request for a page of the tools. */
static bool answers_list(struct bt_wrap_session *session, bt_str line)
{
    struct bt_arena arena;
    struct bt_wrap_message message;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    PROMISE(bt_wrap_message_read(&arena, session->env, line, MESSAGE_BYTES, &message) == BT_OK);
    const struct bt_wrap_request *request =
        message.kind == BT_WRAP_MESSAGE_RESPONSE
            ? bt_wrap_requests_find(&session->open[BT_WRAP_CLIENT], &message.id)
            : NULL;
    const bool is_list = request && request->is_list && request->kind == BT_WRAP_TOOL;
    bt_arena_free(&arena);
    return is_list;
}

static void is_reviewed_list(const struct bt_wrap_session *session, bt_str line)
{
    struct bt_arena arena;
    struct bt_wrap_items shown = {0};
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_wrap_memory memory = {&arena, session->env};
    const struct bt_json_doc *document = fuzz_reread(&arena, line);
    const bt_json_value *result = bt_json_get(document, bt_json_root(document), BT_STR("result"));
    PROMISE(bt_wrap_items_add(&memory, BT_WRAP_TOOL, document, result, &shown) == BT_OK);
    for (size_t i = 0; i < shown.list.count; i++) {
        const struct bt_wrap_item *locked = bt_wrap_items_find(
            &session->settings->entry->items[BT_WRAP_TOOL], shown.list.items[i].key);
        PROMISE(locked && strcmp(locked->sha256, shown.list.items[i].sha256) == 0);
    }
    bt_arena_free(&arena);
}

static void is_reviewed_call(const struct bt_wrap_session *session, bt_str line)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_json_doc *document = fuzz_reread(&arena, line);
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *method = bt_json_get(document, root, BT_STR("method"));
    const bt_json_value *name = bt_json_resolve(document, root, BT_STR("/params/name"));
    const bool is_call = method && bt_str_eq(bt_json_text(method), BT_STR("tools/call")) &&
                         bt_json_get(document, root, BT_STR("id")) && name &&
                         bt_json_text(name).len > 0;
    PROMISE(!is_call ||
            bt_wrap_items_find(&session->settings->entry->items[BT_WRAP_TOOL], bt_json_text(name)));
    bt_arena_free(&arena);
}

static void count_passed(struct counts *counts, enum bt_wrap_side from, bt_str line)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_json_doc *document = fuzz_reread(&arena, line);
    const bt_json_value *root = bt_json_root(document);
    const bool has_method = bt_json_get(document, root, BT_STR("method")) != NULL;
    const bool has_id = bt_json_get(document, root, BT_STR("id")) != NULL;
    counts->requests[from] += has_method && has_id;
    counts->answers[other_side(from)] += !has_method;
    PROMISE(has_method || has_id);
    PROMISE(counts->answers[BT_WRAP_CLIENT] <= counts->requests[BT_WRAP_CLIENT]);
    PROMISE(counts->answers[BT_WRAP_SERVER] <= counts->requests[BT_WRAP_SERVER]);
    bt_arena_free(&arena);
}

static void check_output(struct bt_wrap_session *session, struct counts *counts,
                         enum bt_wrap_side from, bt_str line, bool is_list)
{
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        const bt_str said = bt_buf_str(&session->to[i]);
        for (size_t at = 0; at < said.len;) {
            const size_t end = bt_str_find_byte(said, '\n', at);
            const bt_str one = bt_str_slice(said, at, end);
            PROMISE(end < said.len);
            if ((enum bt_wrap_side)i != from && bt_str_eq(one, line)) {
                if (!session->settings->entry) { /* else calls that were held pass later */
                    count_passed(counts, from, one);
                }
            } else {
                is_ours(session, one);
            }
            if (is_list && i == BT_WRAP_CLIENT) {
                is_reviewed_list(session, one);
            }
            if (session->settings->entry && i == BT_WRAP_SERVER) {
                is_reviewed_call(session, one);
            }
            at = end + 1;
        }
        bt_buf_clear(&session->to[i]);
    }
    bt_buf_clear(&session->log);
}

static void run_lines(struct bt_wrap_session *session, bt_str text)
{
    struct counts counts = {0};
    size_t at = 0;
    for (size_t i = 0; i < LINES_MAX && at < text.len; i++) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        const enum bt_wrap_side from = text.ptr[at] & 1 ? BT_WRAP_SERVER : BT_WRAP_CLIENT;
        bt_str line = bt_str_slice(text, at + 1 < end ? at + 1 : end, end);
        const bool is_list =
            session->settings->entry && from == BT_WRAP_SERVER && answers_list(session, line);
        session->now_ms += 1000;
        PROMISE(bt_wrap_session_take(session, from, line) == BT_OK);
        line.len -= line.len > 0 && line.ptr[line.len - 1] == '\r';
        if (session->held.count == 0 || from == BT_WRAP_CLIENT) {
            check_output(session, &counts, from, line, is_list);
        }
        PROMISE(bt_wrap_session_expire(session) == BT_OK);
        bt_buf_clear(&session->to[BT_WRAP_CLIENT]);
        bt_buf_clear(&session->to[BT_WRAP_SERVER]);
        at = end + 1;
    }
    PROMISE(bt_wrap_session_close(session) == BT_OK);
    PROMISE(bt_wrap_session_awaited(session) == 0);
    struct bt_judgement judged;
    PROMISE(bt_wrap_session_judge(session, &judged) == BT_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bt_str text = fuzz_text(data, size);
    struct bt_env env;
    struct bt_arena arena;
    struct bt_plan_checker *plans = NULL;
    struct bt_wrap_entry entry = {.server_name = BT_STR("s"), .server_version = BT_STR("1")};
    struct bt_wrap_settings settings = bt_wrap_settings_default(BT_STR("fuzz"));
    struct bt_wrap_session session;
    settings.policy.limits.message_bytes = MESSAGE_BYTES;
    settings.policy.limits.in_flight = 8;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    PROMISE(bt_env_init(&env) == BT_OK);
    if (bt_str_starts_with(text, BT_STR("L"))) {
        const struct bt_wrap_memory memory = {&arena, &env};
        const struct bt_json_doc *list = fuzz_reread(&arena, bt_str_of(tools));
        PROMISE(bt_wrap_items_add(&memory, BT_WRAP_TOOL, list, bt_json_root(list),
                                  &entry.items[BT_WRAP_TOOL]) == BT_OK);
        PROMISE(bt_plan_checker_create(&env, &plans) == BT_OK);
        settings.entry = &entry;
        settings.started = &entry;
        settings.plans = plans;
        text = bt_str_slice(text, 1, text.len);
    } else { /* nothing has to be listed, so every line passes at once or never */
        settings.policy.arguments = BT_WRAP_JUDGING_OFF;
        settings.policy.results = BT_WRAP_JUDGING_OFF;
    }
    PROMISE(bt_wrap_session_init(&session, &settings, &env) == BT_OK);
    run_lines(&session, text);
    bt_wrap_session_free(&session);
    bt_plan_checker_destroy(plans);
    bt_arena_free(&arena);
    return 0;
}
