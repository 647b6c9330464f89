/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_wrap.c - any bytes as the lines of a client and a server behind `baton wrap`.
 *
 * Each line goes to the side that its first byte chooses. Promises: a line passes with its bytes or
 * not at all; everything else that a side gets is a message of ours; no more answers pass than
 * there were requests; at the end every open request can be answered.
 */
#include "fuzz.h"

#include "base/env.h"
#include "base/str.h"
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

/* A message of ours: an error with our member in `data`. */
static void is_ours(bt_str line)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_json_doc *document = fuzz_reread(&arena, line);
    PROMISE(bt_json_resolve(document, bt_json_root(document), BT_STR("/error/data/baton/code")));
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
                         enum bt_wrap_side from, bt_str line)
{
    for (size_t i = 0; i < BT_WRAP_SIDES; i++) {
        const bt_str said = bt_buf_str(&session->to[i]);
        for (size_t at = 0; at < said.len;) {
            const size_t end = bt_str_find_byte(said, '\n', at);
            const bt_str one = bt_str_slice(said, at, end);
            PROMISE(end < said.len);
            if ((enum bt_wrap_side)i != from && bt_str_eq(one, line)) {
                count_passed(counts, from, one);
            } else {
                is_ours(one);
            }
            at = end + 1;
        }
        bt_buf_clear(&session->to[i]);
    }
    bt_buf_clear(&session->log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_env env;
    struct bt_wrap_settings settings = bt_wrap_settings_default(BT_STR("fuzz"));
    struct bt_wrap_session session;
    struct counts counts = {0};
    size_t at = 0;
    settings.message_bytes = MESSAGE_BYTES;
    settings.in_flight = 8;
    PROMISE(bt_env_init(&env) == BT_OK);
    PROMISE(bt_wrap_session_init(&session, &settings, &env) == BT_OK);
    for (size_t i = 0; i < LINES_MAX && at < text.len; i++) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        const enum bt_wrap_side from = text.ptr[at] & 1 ? BT_WRAP_SERVER : BT_WRAP_CLIENT;
        bt_str line = bt_str_slice(text, at + 1 < end ? at + 1 : end, end);
        PROMISE(bt_wrap_session_take(&session, from, line) == BT_OK);
        line.len -= line.len > 0 && line.ptr[line.len - 1] == '\r';
        check_output(&session, &counts, from, line);
        at = end + 1;
    }
    PROMISE(bt_wrap_session_close(&session) == BT_OK);
    PROMISE(bt_wrap_session_awaited(&session) == 0);
    struct bt_judgement judged;
    PROMISE(bt_wrap_session_judge(&session, &judged) == BT_OK);
    bt_wrap_session_free(&session);
    return 0;
}
