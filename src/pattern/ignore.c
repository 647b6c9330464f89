/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ignore.c - patterns of paths as .gitignore files have them.
 *
 * A path is compared component by component; `**` stands for any number of them. Both the search
 * for components and that for bytes go back to their last star alone, so that a comparison takes
 * at most the product of both lengths.
 */
#include "pattern/ignore.h"

#include "base/ascii.h"
#include "base/error.h"
#include "base/vec.h"

/* ---- Bytes of a component -------------------------------------------------------------------- */

/* The end of the class that begins at `at` with [; `at` itself when it is not closed. */
static size_t end_of_class(bt_str text, size_t at)
{
    size_t end = at + 1;
    end += end < text.len && (text.ptr[end] == '!' || text.ptr[end] == '^');
    end += end < text.len && text.ptr[end] == ']'; /* the first one stands for itself */
    while (end < text.len && text.ptr[end] != ']') {
        end += text.ptr[end] == '\\' ? 2 : 1;
    }
    return end < text.len ? end + 1 : at;
}

/* Whether a class, brackets included, has the byte. */
static bool class_has(bt_str text, char byte)
{
    size_t at = 1;
    const bool is_negated = text.ptr[at] == '!' || text.ptr[at] == '^';
    bool has = false;
    at += is_negated;
    while (at + 1 < text.len) {
        at += text.ptr[at] == '\\' && at + 2 < text.len;
        const unsigned char low = (unsigned char)text.ptr[at++];
        unsigned char high = low;
        if (at + 2 < text.len && text.ptr[at] == '-') {
            high = (unsigned char)text.ptr[at + 1];
            at += 2;
        }
        has = has || ((unsigned char)byte >= low && (unsigned char)byte <= high);
    }
    return has != is_negated;
}

/* Whether the unit of the pattern at *at matches the byte; *at moves behind it if it does. */
static bool unit_matches(bt_str pattern, size_t *at, char byte)
{
    const char c = pattern.ptr[*at];
    const size_t class_end = c == '[' ? end_of_class(pattern, *at) : *at;
    if (class_end > *at) {
        const bool has = class_has(bt_str_slice(pattern, *at, class_end), byte);
        *at = has ? class_end : *at;
        return has;
    }
    const bool is_escape = c == '\\' && *at + 1 < pattern.len;
    const bool matches = c == '?' || pattern.ptr[*at + (is_escape ? 1 : 0)] == byte;
    *at += matches ? (is_escape ? 2U : 1U) : 0U;
    return matches;
}

static bool component_matches(bt_str pattern, bt_str name)
{
    size_t p = 0;
    size_t n = 0;
    size_t star = pattern.len; /* the last star passed, or none */
    size_t resume = 0;         /* where the name after its run begins */
    while (n < name.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < pattern.len && unit_matches(pattern, &p, name.ptr[n])) {
            n++;
        } else if (star < pattern.len) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') {
        p++;
    }
    return p == pattern.len;
}

/* ---- Components of a path -------------------------------------------------------------------- */

/* The component at *at, which moves behind it and its slash. */
static bt_str take_component(bt_str path, size_t *at)
{
    const size_t end = bt_str_find_byte(path, '/', *at);
    const bt_str component = bt_str_slice(path, *at, end);
    *at = end + 1;
    return component;
}

static bool path_matches(bt_str pattern, bt_str path)
{
    size_t p = 0;
    size_t n = 0;
    size_t after_stars = 0; /* the component behind the last ** passed; 0: none */
    size_t resume = 0;
    while (n <= path.len) {
        size_t next_p = p;
        size_t next_n = n;
        const bool is_left = p <= pattern.len;
        const bt_str part = is_left ? take_component(pattern, &next_p) : BT_STR("");
        if (is_left && bt_str_eq(part, BT_STR("**"))) {
            if (next_p > pattern.len) {
                return true; /* at the end it matches all that lies below */
            }
            p = next_p;
            after_stars = next_p;
            resume = n;
        } else if (is_left && component_matches(part, take_component(path, &next_n))) {
            p = next_p;
            n = next_n;
        } else if (after_stars > 0) {
            (void)take_component(path, &resume);
            p = after_stars;
            n = resume;
        } else {
            return false;
        }
    }
    return p > pattern.len;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

enum bt_status bt_ignore_add(struct bt_arena *arena, struct bt_ignore_list *list, bt_str text)
{
    struct bt_ignore_pattern pattern = {.text = text};
    if (text.len > BT_IGNORE_PATTERN_BYTES_MAX) {
        return BT_ELIMIT;
    }
    if (bt_str_starts_with(pattern.text, BT_STR("!"))) {
        pattern.is_negated = true;
        pattern.text = bt_str_slice(pattern.text, 1, pattern.text.len);
    }
    while (bt_str_ends_with(pattern.text, BT_STR("/"))) {
        pattern.is_folder = true;
        pattern.text.len--;
    }
    pattern.is_anchored = bt_str_find_byte(pattern.text, '/', 0) < pattern.text.len;
    if (bt_str_starts_with(pattern.text, BT_STR("/"))) {
        pattern.text = bt_str_slice(pattern.text, 1, pattern.text.len);
    }
    if (pattern.text.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(arena, pattern.text, &pattern.text));
    return bt_vec_push(arena, list, pattern);
}

/* A line without what does not belong to its pattern: a return, and spaces at its end. */
static bt_str trim_line(bt_str line)
{
    while (line.len > 0 && (line.ptr[line.len - 1] == ' ' || line.ptr[line.len - 1] == '\r') &&
           !(line.len > 1 && line.ptr[line.len - 2] == '\\')) {
        line.len--;
    }
    return line;
}

/* Whether a pattern has a [ that is not closed: Git matches nothing with it. */
static bool has_open_class(bt_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        if (text.ptr[at] == '[') {
            const size_t end = end_of_class(text, at);
            if (end == at) {
                return true;
            }
            at = end - 1;
        }
        at += text.ptr[at] == '\\'; /* what follows stands for itself */
    }
    return false;
}

enum bt_status bt_ignore_add_lines(struct bt_arena *arena, struct bt_ignore_list *list,
                                   bt_str lines)
{
    for (size_t at = 0; at < lines.len;) {
        const size_t end = bt_str_find_byte(lines, '\n', at);
        const bt_str line = trim_line(bt_str_slice(lines, at, end));
        at = end + 1;
        if (line.len > 0 && line.ptr[0] != '#' && bt_utf8_check(line) == line.len &&
            !has_open_class(line)) {
            const enum bt_status status = bt_ignore_add(arena, list, line);
            BT_TRY(status == BT_ELIMIT ? BT_OK : status);
        }
    }
    return BT_OK;
}

/* The path below the folder of a list; "" when it is not below it. */
static bt_str path_below(const struct bt_ignore_list *list, bt_str path)
{
    const bt_str folder = list->folder;
    const bool is_root = bt_str_eq(folder, BT_STR("/"));
    if (!bt_str_starts_with(path, folder) || path.len <= folder.len ||
        (!is_root && path.ptr[folder.len] != '/')) {
        return BT_STR("");
    }
    return bt_str_slice(path, folder.len + (is_root ? 0 : 1), path.len);
}

static bool matches_path(const struct bt_ignore_pattern *pattern, bt_str below, bool is_folder)
{
    if (pattern->is_folder && !is_folder) {
        return false;
    }
    size_t name = below.len;
    while (!pattern->is_anchored && name > 0 && below.ptr[name - 1] != '/') {
        name--;
    }
    return pattern->is_anchored
               ? path_matches(pattern->text, below)
               : component_matches(pattern->text, bt_str_slice(below, name, below.len));
}

const struct bt_ignore_pattern *bt_ignore_find(const struct bt_ignore_list *list, bt_str path,
                                               bool is_folder)
{
    for (; list; list = list->parent) {
        const bt_str below = path_below(list, path);
        for (size_t i = below.len > 0 ? list->count : 0; i > 0; i--) {
            if (matches_path(&list->items[i - 1], below, is_folder)) {
                return &list->items[i - 1];
            }
        }
    }
    return NULL;
}

bool bt_ignore_cover(const struct bt_ignore_list *list, bt_str path)
{
    bool is_folder = false;
    for (size_t end = path.len; end > 0;) {
        const struct bt_ignore_pattern *found =
            bt_ignore_find(list, bt_str_slice(path, 0, end), is_folder);
        if (found) {
            return !found->is_negated;
        }
        do {
            end--;
        } while (end > 0 && path.ptr[end] != '/');
        is_folder = true;
    }
    return false;
}

bool bt_ignore_drop(const struct bt_ignore_list *list, bt_str path, bool is_folder)
{
    for (size_t end = 1; end < path.len; end++) {
        if (path.ptr[end] == '/') {
            const struct bt_ignore_pattern *found =
                bt_ignore_find(list, bt_str_slice(path, 0, end), true);
            if (found && !found->is_negated) {
                return true;
            }
        }
    }
    const struct bt_ignore_pattern *found = bt_ignore_find(list, path, is_folder);
    return found && !found->is_negated;
}

bool bt_ignore_name(const struct bt_ignore_list *list, bt_str path)
{
    for (; list; list = list->parent) {
        const bt_str below = path_below(list, path);
        for (size_t i = 0; below.len > 0 && i < list->count; i++) {
            const bt_str text = list->items[i].text;
            if (bt_str_starts_with(text, below) &&
                (text.len == below.len || text.ptr[below.len] == '/')) {
                return true;
            }
        }
    }
    return false;
}
