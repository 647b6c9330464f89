/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h - what the line-by-line test tools share: a line comes in, a line goes out.
 */
#ifndef BATON_TESTS_JSON_TOOL_H
#define BATON_TESTS_JSON_TOOL_H

#include <stdio.h>
#include <stdlib.h>

#include <baton/json.h>

#include "base/arena.h"
#include "base/buf.h"

#define TOOL_LINE_BYTES_MAX ((size_t)64 << 20)

/* Put the answer to a line; false when that could not be done. */
typedef bool tool_answer(struct bt_buf *out, bt_str line, struct bt_arena *arena);

/* The next line without its end; false after the last. */
static inline bool tool_read_line(struct bt_buf *line)
{
    bt_buf_clear(line);
    int byte = getchar();
    if (byte == EOF) {
        return false;
    }
    for (; byte != EOF && byte != '\n'; byte = getchar()) {
        bt_buf_put_char(line, (char)byte);
    }
    return line->status == BT_OK;
}

/* Answer every line of standard input; the result is that of the program. */
static inline int tool_run(tool_answer *answer)
{
    struct bt_arena arena;
    struct bt_buf line;
    struct bt_buf out;
    bt_arena_init(&arena, TOOL_LINE_BYTES_MAX * 4);
    bt_buf_init(&line, TOOL_LINE_BYTES_MAX);
    bt_buf_init(&out, TOOL_LINE_BYTES_MAX);
    bool fine = true;
    while (fine && tool_read_line(&line)) {
        bt_buf_clear(&out);
        bt_arena_reset(&arena);
        fine = answer(&out, bt_buf_str(&line), &arena);
        bt_buf_put_char(&out, '\n');
        fine = fine && out.status == BT_OK && fwrite(out.ptr, 1, out.len, stdout) == out.len;
    }
    bt_buf_free(&out);
    bt_buf_free(&line);
    bt_arena_free(&arena);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
