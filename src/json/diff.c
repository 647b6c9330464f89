/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c - two documents -> the RFC 6902 patch that turns one into the other.
 *
 * Pairs of containers are walked from the root down, a frame for each pair that is open. Operations
 * come out in an order in which each may rely on those before it: in an array from left to right,
 * with indexes as they are at that moment.
 */
#include "json/diff.h"

#include <assert.h>

#include "base/arena.h"
#include "json/string_put.h"
#include "json/write.h"

/* Comparisons that all searches of one diff may make together: some tenths of a second. */
#define SEARCH_STEPS_MAX (UINT64_C(1) << 26)

struct json_diff_frame {
    struct json_diff_frame *outer;
    struct json_diff_frame *inner;
    uint32_t a;
    uint32_t b;
    struct bt_json_diff_script script;
    size_t next;
};

struct json_diff_walk {
    struct bt_json_diff_run diff;
    struct bt_buf *buf;
    struct bt_json_writer writer;
    struct json_diff_frame bottom;
    struct json_diff_frame *top;
    bool any; /* an operation has been written */
};

/* A name within a pointer within a string: escaped for both. */
static void put_name(struct bt_buf *buf, bt_str name)
{
    size_t done = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == '~' || name.ptr[i] == '/') {
            bt_json_put_escaped(buf, bt_str_slice(name, done, i));
            bt_buf_put(buf, name.ptr[i] == '~' ? BT_STR("~0") : BT_STR("~1"));
            done = i + 1;
        }
    }
    bt_json_put_escaped(buf, bt_str_slice(name, done, name.len));
}

/* The token of the step that a frame has come to. */
static void put_token(struct json_diff_walk *walk, const struct json_diff_frame *frame)
{
    const struct bt_json_diff_step *step = &frame->script.steps[frame->next - 1];
    const struct bt_json_diff_run *diff = &walk->diff;
    bt_buf_put_char(walk->buf, '/');
    const bt_json_value *parent =
        step->kind == BT_DIFF_ADD ? diff->b.shades[frame->b].value : diff->a.shades[frame->a].value;
    if (parent->type == BT_JSON_ARRAY) {
        bt_buf_put_u64(walk->buf, step->token);
    } else {
        put_name(walk->buf, bt_json_name(&parent->as.members[step->token]));
    }
}

/* An operation at the place where the walk is; `value` may be NULL. */
static enum bt_status put_operation(struct json_diff_walk *walk, bt_str operation,
                                    const bt_json_value *value)
{
    struct bt_buf *buf = walk->buf;
    bt_buf_put(buf, walk->any ? BT_STR(",{\"op\":\"") : BT_STR("{\"op\":\""));
    bt_buf_put(buf, operation);
    bt_buf_put(buf, BT_STR("\",\"path\":\""));
    for (const struct json_diff_frame *frame = &walk->bottom; frame != walk->top;) {
        frame = frame->inner;
        put_token(walk, frame);
    }
    bt_buf_put_char(buf, '"');
    if (value) {
        bt_buf_put(buf, BT_STR(",\"value\":"));
        BT_TRY(bt_json_writer_put(&walk->writer, (bt_ref){walk->diff.b.document, value}));
    }
    bt_buf_put_char(buf, '}');
    walk->any = true;
    return buf->status;
}

static struct json_diff_frame *frame_below(struct json_diff_walk *walk)
{
    struct json_diff_frame *outer = walk->top;
    if (!outer->inner) {
        outer->inner = BT_NEW(walk->diff.arena, struct json_diff_frame);
        if (outer->inner) {
            outer->inner->outer = outer;
        }
    }
    return outer->inner;
}

/* a is to become b: nothing, a replacement, or a frame whose steps do it. */
static enum bt_status diff_nodes(struct json_diff_walk *walk, uint32_t a, uint32_t b)
{
    bool same = false;
    BT_TRY(bt_json_diff_run_same(&walk->diff, a, b, &same));
    if (same) {
        return BT_OK;
    }
    const bt_json_value *before = walk->diff.a.shades[a].value;
    const bt_json_value *after = walk->diff.b.shades[b].value;
    if (before->type != after->type || before->type < BT_JSON_ARRAY) {
        return put_operation(walk, BT_STR("replace"), after);
    }
    struct json_diff_frame *frame = frame_below(walk);
    if (!frame) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_json_diff_run_script(&walk->diff, a, b, &frame->script));
    if (!frame->script.kinship && frame->script.count > 1) {
        return put_operation(walk, BT_STR("replace"), after);
    }
    frame->a = a;
    frame->b = b;
    frame->next = 0;
    walk->top = frame;
    return BT_OK;
}

static enum bt_status take_step(struct json_diff_walk *walk)
{
    struct json_diff_frame *frame = walk->top;
    const struct bt_json_diff_step *step = &frame->script.steps[frame->next++];
    switch (step->kind) {
    case BT_DIFF_PAIR:
        return diff_nodes(walk, step->a, step->b);
    case BT_DIFF_ADD:
        return put_operation(walk, BT_STR("add"), walk->diff.b.shades[step->b].value);
    case BT_DIFF_REMOVE:
        return put_operation(walk, BT_STR("remove"), NULL);
    }
    assert(false);
    return BT_EINVAL;
}

static enum bt_status put_patch(struct json_diff_walk *walk)
{
    bt_buf_put_char(walk->buf, '[');
    BT_TRY(diff_nodes(walk, 0, 0));
    while (walk->top->outer) {
        if (walk->top->next == walk->top->script.count) {
            walk->top = walk->top->outer;
        } else {
            BT_TRY(take_step(walk));
        }
    }
    bt_buf_put_char(walk->buf, ']');
    return walk->buf->status;
}

static enum bt_status run_diff(struct json_diff_walk *walk, const struct bt_json_doc *a,
                               const struct bt_json_doc *b)
{
    struct bt_json_diff_node *a_shades = NULL;
    struct bt_json_diff_node *b_shades = NULL;
    BT_TRY(bt_json_diff_hash_nodes(a, walk->diff.arena, &a_shades));
    BT_TRY(bt_json_diff_hash_nodes(b, walk->diff.arena, &b_shades));
    walk->diff.a = (struct bt_json_diff_side){a, a_shades};
    walk->diff.b = (struct bt_json_diff_side){b, b_shades};
    return put_patch(walk);
}

enum bt_status bt_json_diff(struct bt_buf *buf, const struct bt_json_doc *a,
                            const struct bt_json_doc *b, struct bt_arena *arena)
{
    assert(buf && arena);
    assert(a && b);
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    const size_t start = buf->len;
    struct json_diff_walk walk = {
        .diff = {.arena = arena, .matcher = {.arena = arena}, .search_left = SEARCH_STEPS_MAX},
        .buf = buf,
    };
    walk.top = &walk.bottom;
    bt_json_writer_init(&walk.writer, buf, BT_JSON_FORM_COMPACT, NULL, arena);
    const enum bt_status status = run_diff(&walk, a, b);
    bt_arena_rewind(arena, mark);
    if (status != BT_OK) {
        buf->len = start;
    }
    return status;
}
