/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_diff.c - the differences between two texts, line by line, in the unified format.
 *
 * Equal lines at both ends are skipped; the rest is aligned by the shortest edit script (Myers'
 * greedy search). Texts that are too different for that are shown as one replacement, so that the
 * work is bounded.
 */
#include "text_diff.h"

#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

enum {
    CONTEXT_LINES = 3,
    EDITS_MAX = 1000, /* of an alignment; its memory grows with the square */
};

struct cli_diff_lines {
    const bt_str *at;
    size_t count;
};

/* One line of the result: ' ' in both, '-' only in the first, '+' only in the second. */
struct cli_diff_row {
    char kind;
    bt_str line;
};

struct cli_diff_rows {
    struct cli_diff_row *at;
    size_t count;
};

/* Split a text into lines with their line feeds, so that one that lacks it differs. */
static enum bt_status split_lines(struct bt_arena *arena, bt_str text, struct cli_diff_lines *out)
{
    size_t count = 0;
    for (size_t from = 0; from < text.len; from = bt_str_find_byte(text, '\n', from) + 1) {
        count++;
    }
    bt_str *lines = BT_NEW_ARRAY(arena, bt_str, count + 1);
    if (!lines) {
        return BT_ENOMEM;
    }
    size_t from = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t end = bt_str_find_byte(text, '\n', from) + 1;
        lines[i] = bt_str_slice(text, from, end);
        from = end;
    }
    *out = (struct cli_diff_lines){lines, count};
    return BT_OK;
}

static struct cli_diff_lines slice_lines(struct cli_diff_lines lines, size_t from, size_t to)
{
    return (struct cli_diff_lines){lines.at + from, to - from};
}

static void add_rows(struct cli_diff_rows *rows, char kind, struct cli_diff_lines lines)
{
    for (size_t i = 0; i < lines.count; i++) {
        rows->at[rows->count++] = (struct cli_diff_row){kind, lines.at[i]};
    }
}

/* ---- Alignment ------------------------------------------------------------------------------- */

/* How far each diagonal was reached with each number of edits: row d has the diagonals -d to d. */
struct cli_diff_frontier {
    int32_t *rows[EDITS_MAX + 1];
};

/* True when diagonal k is entered from above (a line of `b` is added) rather than from the left. */
static bool comes_down(const int32_t *before, int32_t edits, int32_t k)
{
    return k == -edits || (k != edits && before[k - 1 + edits - 1] < before[k + 1 + edits - 1]);
}

static int32_t start_of(const int32_t *before, int32_t edits, int32_t k)
{
    if (edits == 0) {
        return 0;
    }
    return comes_down(before, edits, k) ? before[k + 1 + edits - 1] : before[k - 1 + edits - 1] + 1;
}

/* Allow one more edit on every diagonal. True when the end of both was reached. */
static bool extend_frontier(const struct cli_diff_lines lines[2], const int32_t *before,
                            int32_t edits, int32_t *row)
{
    const int32_t a_count = (int32_t)lines[0].count;
    const int32_t b_count = (int32_t)lines[1].count;
    for (int32_t k = -edits; k <= edits; k += 2) {
        int32_t x = start_of(before, edits, k);
        while (x < a_count && x - k < b_count && x - k >= 0 &&
               bt_str_eq(lines[0].at[x], lines[1].at[x - k])) {
            x++;
        }
        row[k + edits] = x;
        if (x >= a_count && x - k >= b_count) {
            return true;
        }
    }
    return false;
}

/* Walk back from the end and store each step; the rows come out in reverse. */
static void walk_back(const struct cli_diff_lines lines[2], const struct cli_diff_frontier *reached,
                      int32_t edits, struct cli_diff_rows *rows)
{
    int32_t x = (int32_t)lines[0].count;
    int32_t y = (int32_t)lines[1].count;
    for (int32_t d = edits; d >= 0; d--) {
        const int32_t k = x - y;
        const int32_t *before = d > 0 ? reached->rows[d - 1] : NULL;
        const int32_t start = start_of(before, d, k);
        for (; x > start; x--, y--) {
            rows->at[rows->count++] = (struct cli_diff_row){' ', lines[0].at[x - 1]};
        }
        if (d == 0) {
            break;
        }
        if (comes_down(before, d, k)) {
            rows->at[rows->count++] = (struct cli_diff_row){'+', lines[1].at[--y]};
        } else {
            rows->at[rows->count++] = (struct cli_diff_row){'-', lines[0].at[--x]};
        }
    }
}

static void reverse_rows(struct cli_diff_row *rows, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const struct cli_diff_row row = rows[i];
        rows[i] = rows[count - 1 - i];
        rows[count - 1 - i] = row;
    }
}

static enum bt_status align_lines(struct bt_arena *arena, const struct cli_diff_lines lines[2],
                                  struct cli_diff_rows *rows)
{
    struct cli_diff_frontier *reached = BT_NEW(arena, struct cli_diff_frontier);
    if (!reached) {
        return BT_ENOMEM;
    }
    const bool fits = lines[0].count < INT32_MAX / 4 && lines[1].count < INT32_MAX / 4;
    for (int32_t d = 0; fits && d <= EDITS_MAX; d++) {
        reached->rows[d] = BT_NEW_ARRAY(arena, int32_t, 2 * (size_t)d + 1);
        if (!reached->rows[d]) {
            return BT_ENOMEM;
        }
        if (extend_frontier(lines, d > 0 ? reached->rows[d - 1] : NULL, d, reached->rows[d])) {
            const size_t from = rows->count;
            walk_back(lines, reached, d, rows);
            reverse_rows(rows->at + from, rows->count - from);
            return BT_OK;
        }
    }
    add_rows(rows, '-', lines[0]);
    add_rows(rows, '+', lines[1]);
    return BT_OK;
}

static enum bt_status compare_lines(struct bt_arena *arena, struct cli_diff_lines a,
                                    struct cli_diff_lines b, struct cli_diff_rows *out)
{
    size_t head = 0;
    size_t tail = 0;
    while (head < a.count && head < b.count && bt_str_eq(a.at[head], b.at[head])) {
        head++;
    }
    while (tail < a.count - head && tail < b.count - head &&
           bt_str_eq(a.at[a.count - 1 - tail], b.at[b.count - 1 - tail])) {
        tail++;
    }
    out->at = BT_NEW_ARRAY(arena, struct cli_diff_row, a.count + b.count + 1);
    if (!out->at) {
        return BT_ENOMEM;
    }
    const struct cli_diff_lines middle[2] = {slice_lines(a, head, a.count - tail),
                                             slice_lines(b, head, b.count - tail)};
    add_rows(out, ' ', slice_lines(a, 0, head));
    BT_TRY(align_lines(arena, middle, out));
    add_rows(out, ' ', slice_lines(a, a.count - tail, a.count));
    return BT_OK;
}

/* ---- Hunks ----------------------------------------------------------------------------------- */

/* The position in both texts before a row, counted in lines. */
struct cli_diff_position {
    size_t before;
    size_t after;
};

static struct cli_diff_position advance_position(struct cli_diff_position position,
                                                 const struct cli_diff_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        position.before += rows[i].kind != '+';
        position.after += rows[i].kind != '-';
    }
    return position;
}

/* An empty range is named by the line before it. */
static void put_range(struct bt_buf *buf, char sign, size_t begin, size_t end)
{
    bt_buf_printf(buf, "%c%zu", sign, end > begin ? begin + 1 : begin);
    if (end - begin != 1) {
        bt_buf_printf(buf, ",%zu", end - begin);
    }
}

static void put_row(struct bt_buf *buf, const struct cli_diff_row *row, bool is_raw)
{
    const bool has_end = bt_str_ends_with(row->line, BT_STR("\n"));
    const bt_str line = bt_str_slice(row->line, 0, row->line.len - has_end);
    bt_buf_put_char(buf, row->kind);
    if (is_raw) {
        bt_buf_put(buf, line);
    } else {
        bt_buf_put_printable(buf, line, SIZE_MAX);
    }
    bt_buf_put_text(buf, has_end ? "\n" : "\n\\ No newline at end of file\n");
}

static struct cli_diff_position put_hunk(struct bt_buf *buf, struct cli_diff_position from,
                                         const struct cli_diff_row *rows, size_t count, bool is_raw)
{
    const struct cli_diff_position to = advance_position(from, rows, count);
    bt_buf_put_text(buf, "@@ ");
    put_range(buf, '-', from.before, to.before);
    bt_buf_put_char(buf, ' ');
    put_range(buf, '+', from.after, to.after);
    bt_buf_put_text(buf, " @@\n");
    for (size_t i = 0; i < count; i++) {
        put_row(buf, &rows[i], is_raw);
    }
    return to;
}

/* The first row at or after `from` that is a change, or the number of rows. */
static size_t next_change(const struct cli_diff_rows *rows, size_t from)
{
    while (from < rows->count && rows->at[from].kind == ' ') {
        from++;
    }
    return from;
}

/* The end of the hunk around the change at `from`: where the next change is too far away. */
static size_t hunk_end(const struct cli_diff_rows *rows, size_t from)
{
    size_t end = from;
    for (size_t next = from; next < rows->count; next = next_change(rows, end)) {
        if (next > end + (size_t)2 * CONTEXT_LINES) {
            break;
        }
        end = next;
        while (end < rows->count && rows->at[end].kind != ' ') {
            end++;
        }
    }
    return end + CONTEXT_LINES < rows->count ? end + CONTEXT_LINES : rows->count;
}

static void put_hunks(struct bt_buf *buf, const struct cli_diff_rows *rows, bool is_raw)
{
    struct cli_diff_position position = {0, 0};
    size_t shown = 0; /* rows that are done */
    for (size_t change = next_change(rows, 0); change < rows->count;
         change = next_change(rows, shown)) {
        const size_t first = change - shown > CONTEXT_LINES ? change - CONTEXT_LINES : shown;
        const size_t end = hunk_end(rows, change);
        position = advance_position(position, rows->at + shown, first - shown);
        position = put_hunk(buf, position, rows->at + first, end - first, is_raw);
        shown = end;
    }
}

/* Put the two lines of the header. */
typedef void cli_diff_header_fn(struct bt_buf *buf, const struct cli_diff_names *names);

static void put_plain_header(struct bt_buf *buf, const struct cli_diff_names *names)
{
    bt_buf_put_text(buf, "--- ");
    bt_buf_put_printable(buf, names->before, SIZE_MAX);
    bt_buf_put_text(buf, "\n+++ ");
    bt_buf_put_printable(buf, names->after, SIZE_MAX);
    bt_buf_put_char(buf, '\n');
}

static enum bt_status put_differences(struct bt_buf *buf, struct bt_arena *arena,
                                      const struct cli_diff_names *names, const bt_str texts[2],
                                      cli_diff_header_fn *put_header)
{
    struct cli_diff_lines a;
    struct cli_diff_lines b;
    struct cli_diff_rows rows = {NULL, 0};
    BT_TRY(split_lines(arena, texts[0], &a));
    BT_TRY(split_lines(arena, texts[1], &b));
    BT_TRY(compare_lines(arena, a, b, &rows));
    if (next_change(&rows, 0) < rows.count) {
        put_header(buf, names);
        put_hunks(buf, &rows, put_header != put_plain_header);
    }
    return buf->status;
}

enum bt_status cli_put_named_diff(struct bt_buf *buf, struct bt_arena *arena,
                                  struct cli_diff_names names, bt_str before, bt_str after)
{
    assert(buf);
    assert(arena);
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    const bt_str texts[2] = {before, after};
    const enum bt_status status = put_differences(buf, arena, &names, texts, put_plain_header);
    bt_arena_rewind(arena, mark);
    return status;
}

enum bt_status cli_put_diff(struct bt_buf *buf, struct bt_arena *arena, bt_str path, bt_str before,
                            bt_str after)
{
    return cli_put_named_diff(buf, arena, (struct cli_diff_names){path, path}, before, after);
}

/* ---- Patches --------------------------------------------------------------------------------- */

/* The path as a patch names it: from the current folder, or without its first slash. */
static bt_str shorten_path(bt_str path)
{
    char folder[PATH_MAX];
    const bt_str here = getcwd(folder, sizeof(folder)) ? bt_str_of(folder) : BT_STR("/");
    if (bt_str_starts_with(path, here) && path.len > here.len && path.ptr[here.len] == '/') {
        path = bt_str_slice(path, here.len, path.len);
    }
    for (;;) { /* ends, because every turn shortens the path */
        if (bt_str_starts_with(path, BT_STR("./"))) {
            path = bt_str_slice(path, 2, path.len);
        } else if (bt_str_starts_with(path, BT_STR("/"))) {
            path = bt_str_slice(path, 1, path.len);
        } else {
            return path;
        }
    }
}

/* True for a byte that git and GNU patch read only in a quoted name. */
static bool needs_escape(char byte)
{
    return (unsigned char)byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\';
}

/* Put a name as git does: quoted like a string of C when it must be; with a tab behind it when it
 * has a space, since a reader would else look for a date there. */
static void put_patch_name(struct bt_buf *buf, const char *side, bt_str name)
{
    bool is_quoted = false;
    for (size_t i = 0; i < name.len; i++) {
        is_quoted = is_quoted || needs_escape(name.ptr[i]);
    }
    bt_buf_put_text(buf, is_quoted ? "\"" : "");
    bt_buf_put_text(buf, side);
    for (size_t i = 0; i < name.len; i++) {
        if (needs_escape(name.ptr[i])) {
            bt_buf_printf(buf, "\\%03o", (unsigned char)name.ptr[i]);
        } else {
            bt_buf_put_char(buf, name.ptr[i]);
        }
    }
    const bool has_space = bt_str_find_byte(name, ' ', 0) < name.len;
    bt_buf_put_text(buf, is_quoted ? "\"\n" : has_space ? "\t\n" : "\n");
}

static void put_patch_header(struct bt_buf *buf, const struct cli_diff_names *names)
{
    bt_buf_put_text(buf, "--- ");
    put_patch_name(buf, "a/", names->before);
    bt_buf_put_text(buf, "+++ ");
    put_patch_name(buf, "b/", names->after);
}

enum bt_status cli_put_patch(struct bt_buf *buf, struct bt_arena *arena, bt_str path, bt_str before,
                             bt_str after)
{
    assert(buf);
    assert(arena);
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    const bt_str name = shorten_path(path);
    const struct cli_diff_names names = {name, name};
    const bt_str texts[2] = {before, after};
    const enum bt_status status = put_differences(buf, arena, &names, texts, put_patch_header);
    bt_arena_rewind(arena, mark);
    return status;
}
