/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fence.c - the fenced blocks of one tag in a text.
 */
#include "fence/fence.h"

#include <assert.h>

enum {
    INDENT_MAX = 3,
    TICKS_MIN = 3,
};

/* A line without its line end, and where the next one begins. */
struct fence_line {
    bt_str text;
    size_t next;
};

static struct fence_line line_at(bt_str text, size_t from)
{
    const size_t end = bt_str_find_byte(text, '\n', from);
    if (end == text.len) {
        return (struct fence_line){bt_str_slice(text, from, end), end};
    }
    const bool returns = end > from && text.ptr[end - 1] == '\r';
    return (struct fence_line){bt_str_slice(text, from, end - (returns ? 1 : 0)), end + 1};
}

/* The number of backticks a line begins with, and what follows them; 0 when the line is not a
 * fence. */
static size_t ticks_of(bt_str line, bt_str *out_rest)
{
    size_t at = 0;
    while (at < line.len && at < INDENT_MAX && line.ptr[at] == ' ') {
        at++;
    }
    const size_t first = at;
    while (at < line.len && line.ptr[at] == '`') {
        at++;
    }
    *out_rest = bt_str_slice(line, at, line.len);
    return at - first >= TICKS_MIN ? at - first : 0;
}

static bool is_empty(bt_str rest)
{
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.ptr[i] != ' ' && rest.ptr[i] != '\t') {
            return false;
        }
    }
    return true;
}

/* The number of backticks of an opening line, 0 for every other line. */
static size_t opening_ticks(bt_str line, bt_str tag)
{
    bt_str rest = BT_STR("");
    const size_t ticks = ticks_of(line, &rest);
    const bool opens = ticks > 0 && bt_str_starts_with(rest, tag) &&
                       is_empty(bt_str_slice(rest, tag.len, rest.len));
    return opens ? ticks : 0;
}

static bool is_closing_line(bt_str line, size_t ticks)
{
    bt_str rest = BT_STR("");
    return ticks_of(line, &rest) >= ticks && is_empty(rest);
}

/* Find the next opening line; returns its backticks, 0 when there is none. */
static size_t find_opening(struct bt_fence *fence, struct bt_fence_block *out)
{
    while (fence->at < fence->text.len) {
        const struct fence_line line = line_at(fence->text, fence->at);
        const size_t ticks = opening_ticks(line.text, fence->tag);
        if (ticks > 0) {
            out->open = fence->at;
            out->body = line.next;
            fence->at = line.next;
            return ticks;
        }
        fence->at = line.next;
    }
    return 0;
}

bool bt_fence_next(struct bt_fence *fence, struct bt_fence_block *out)
{
    assert(fence);
    assert(fence->tag.len > 0);
    assert(out);
    struct bt_fence_block block = {0};
    const size_t ticks = find_opening(fence, &block);
    if (ticks == 0) {
        return false;
    }
    while (fence->at < fence->text.len && !block.closed) {
        const struct fence_line line = line_at(fence->text, fence->at);
        if (opening_ticks(line.text, fence->tag) > 0) {
            break; /* the next block begins here */
        }
        block.closed = is_closing_line(line.text, ticks);
        block.end = fence->at;
        fence->at = line.next;
    }
    block.end = block.closed ? block.end : fence->at;
    block.after = fence->at;
    *out = block;
    return true;
}

bool bt_fence_opens(bt_str text, bt_str tag)
{
    struct bt_fence fence = {.text = text, .tag = tag};
    struct bt_fence_block block;
    return find_opening(&fence, &block) > 0;
}
