/* SPDX-License-Identifier: Apache-2.0 */
/*
 * front_matter.c - the text of a SKILL.md -> its front matter -> a skill, or why there is none.
 *
 * Front matter lies between a first line --- and the next line that is exactly ---, white space at
 * the end of either allowed. Anywhere else --- means nothing.
 */
#include <assert.h>

#include "base/buf.h"
#include "skill/skill_internal.h"

/* The line that begins at `at`, without its line feed. */
static bt_str line_at(bt_str text, size_t at)
{
    return bt_str_slice(text, at, bt_str_find_byte(text, '\n', at));
}

static bool is_fence(bt_str line)
{
    while (line.len > 3 && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\t' ||
                            line.ptr[line.len - 1] == '\r')) {
        line.len--;
    }
    return bt_str_eq(line, BT_STR("---"));
}

static void set_problem(struct bt_skill_file *file, const char *problem, size_t at)
{
    file->problem = bt_str_of(problem);
    file->problem_at = at;
}

/* Where the front matter lies; false, with the problem set, when there is none. */
static bool find_front(struct bt_skill_file *file, bt_str *out)
{
    const bt_str text = file->text;
    const bt_str first = line_at(text, 0);
    if (!is_fence(first)) {
        set_problem(file, "it does not begin with a line ---", 0);
        return false;
    }
    file->front_at = first.len < text.len ? first.len + 1 : text.len;
    for (size_t at = file->front_at; at < text.len;) {
        const bt_str line = line_at(text, at);
        if (is_fence(line)) {
            *out = bt_str_slice(text, file->front_at, at);
            return true;
        }
        at += line.len + 1;
    }
    set_problem(file, "its front matter has no end: a line --- is missing", 0);
    return false;
}

/* What the reader refused, in one phrase: "anchor: this part of YAML is not used here". */
static enum bt_status take_problem(struct bt_arena *arena, const struct bt_yaml_read_result *result,
                                   struct bt_skill_file *file)
{
    const bt_str what = result->feature.len > 0 ? result->feature : result->limit_name;
    struct bt_buf buf;
    bt_buf_init(&buf, 4096);
    if (what.len > 0 || result->key.len > 0) {
        bt_buf_put_printable(&buf, what.len > 0 ? what : result->key, 80);
        bt_buf_put_text(&buf, ": ");
    }
    bt_buf_put(&buf, result->detail);
    file->problem_at = file->front_at + result->offset;
    return bt_buf_finish(&buf, arena, &file->problem);
}

enum bt_status bt_skill_file_read(struct bt_arena *arena, struct bt_skill_file *file)
{
    assert(file);
    bt_str front;
    struct bt_yaml_read_result result;
    if (file->is_misnamed || file->problem.len > 0 || !find_front(file, &front)) {
        return BT_OK;
    }
    BT_TRY(bt_yaml_read(arena, front, NULL, &result));
    if (!result.root) {
        return take_problem(arena, &result, file);
    }
    if (bt_skill_name_trim(bt_skill_text(result.root, BT_STR("name"))).len == 0) {
        set_problem(file, "its front matter has no name", file->front_at);
        return BT_OK;
    }
    BT_TRY(bt_skill_read(arena, result.root, &file->skill));
    file->skill.path = file->path;
    file->skill.front = result.root;
    return BT_OK;
}
