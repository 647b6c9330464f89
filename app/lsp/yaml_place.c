/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_place.c - where an offset is in a YAML text in block style, line by line. */
#include "lsp/yaml_place.h"

#include <string.h>

#include "base/ascii.h"

static size_t skip_blanks(bt_str text, size_t at, size_t end)
{
    while (at < end && bt_ascii_is_blank(text.ptr[at])) {
        at++;
    }
    return at;
}

/* The offset of the colon that ends a key, or SIZE_MAX. */
static size_t find_colon(bt_str text, size_t at, size_t end)
{
    for (; at < end && text.ptr[at] != '#'; at++) {
        if (text.ptr[at] == ':' && (at + 1 == end || bt_ascii_is_blank(text.ptr[at + 1]))) {
            return at;
        }
    }
    return SIZE_MAX;
}

/* A value without the blanks around it, a comment and its quotes. */
static struct lsp_span trim_value(bt_str text, size_t begin, size_t end)
{
    begin = skip_blanks(text, begin, end);
    const bool is_quoted = begin < end && (text.ptr[begin] == '"' || text.ptr[begin] == '\'');
    size_t stop = begin + is_quoted;
    if (is_quoted) {
        stop = bt_str_find_byte(bt_str_slice(text, 0, end), text.ptr[begin], stop);
        return (struct lsp_span){begin + 1, stop};
    }
    while (stop < end && !(text.ptr[stop] == '#' && bt_ascii_is_blank(text.ptr[stop - 1]))) {
        stop++;
    }
    while (stop > begin && bt_ascii_is_blank(text.ptr[stop - 1])) {
        stop--;
    }
    return (struct lsp_span){begin, stop};
}

static void push_level(struct lsp_yaml_scan *scan, size_t indent, bt_str step)
{
    while (scan->depth > 0 && scan->levels[scan->depth - 1].indent >= indent) {
        scan->depth--;
    }
    if (scan->depth < LSP_YAML_DEPTH_MAX) {
        scan->levels[scan->depth++] = (struct lsp_yaml_level){indent, step};
    }
}

/*
 * Open the items of lists that begin in this line. An item is deeper than a key in its own column,
 * because `- ` may stand below the first letter of the key. Returns where the rest begins.
 */
static size_t take_dashes(struct lsp_yaml_scan *scan, size_t at)
{
    const struct lsp_span line = scan->whole;
    while (at < line.end && scan->text.ptr[at] == '-' &&
           (at + 1 == line.end || bt_ascii_is_blank(scan->text.ptr[at + 1]))) {
        push_level(scan, (at - line.begin) * 2 + 1, BT_STR("[]"));
        at = skip_blanks(scan->text, at + 1, line.end);
    }
    return at;
}

/* Drop the levels that are not above a word without a colon, which may become a key. */
static void drop_levels(struct lsp_yaml_scan *scan, size_t indent)
{
    while (scan->depth > 0 && scan->levels[scan->depth - 1].indent >= indent) {
        scan->depth--;
    }
}

static void take_content(struct lsp_yaml_scan *scan, size_t at)
{
    const struct lsp_span line = scan->whole;
    const size_t indent = (at - line.begin) * 2;
    const size_t colon = find_colon(scan->text, at, line.end);
    scan->line = (struct lsp_yaml_line){.has_key = colon != SIZE_MAX};
    if (scan->line.has_key) {
        scan->line.key = trim_value(scan->text, at, colon);
        scan->line.value = trim_value(scan->text, colon + 1, line.end);
        push_level(scan, indent,
                   bt_str_slice(scan->text, scan->line.key.begin, scan->line.key.end));
    } else {
        scan->line.key = trim_value(scan->text, at, line.end);
        scan->line.value = scan->line.key;
        drop_levels(scan, indent);
    }
}

bool lsp_yaml_next(struct lsp_yaml_scan *scan)
{
    if (scan->at > scan->text.len) {
        return false;
    }
    scan->whole = lsp_line_at(scan->text, scan->at);
    scan->at = scan->whole.end;
    const bool is_crlf = scan->at + 1 < scan->text.len && scan->text.ptr[scan->at] == '\r' &&
                         scan->text.ptr[scan->at + 1] == '\n';
    scan->at += is_crlf ? 2 : 1;
    const size_t at = skip_blanks(scan->text, scan->whole.begin, scan->whole.end);
    if (at < scan->whole.end && scan->text.ptr[at] == '#') {
        scan->line = (struct lsp_yaml_line){.key = {at, at}, .value = {at, at}};
        return true;
    }
    take_content(scan, take_dashes(scan, at));
    for (size_t i = 0; i < scan->depth; i++) {
        scan->line.path[i] = scan->levels[i].step;
    }
    scan->line.depth = scan->depth;
    return true;
}

struct lsp_yaml_line lsp_yaml_line_at(bt_str text, size_t offset)
{
    struct lsp_yaml_scan scan = {.text = text};
    while (lsp_yaml_next(&scan) && scan.at <= offset) {
    }
    return scan.line;
}

struct lsp_span lsp_yaml_item_at(bt_str text, const struct lsp_yaml_line *line, size_t offset)
{
    struct lsp_span item = line->value;
    if (offset < item.begin || offset > item.end) {
        return (struct lsp_span){offset, offset};
    }
    if (item.begin == item.end || text.ptr[item.begin] != '[') {
        return item;
    }
    item = (struct lsp_span){offset, offset};
    while (item.begin > line->value.begin + 1 && !strchr("[, \t", text.ptr[item.begin - 1])) {
        item.begin--;
    }
    while (item.end < line->value.end && !strchr("], \t", text.ptr[item.end])) {
        item.end++;
    }
    return item;
}

bool lsp_yaml_is(const struct lsp_yaml_line *line, const char *const *steps, size_t count)
{
    bool is_equal = line->depth == count;
    for (size_t i = 0; is_equal && i < count; i++) {
        is_equal = bt_str_eq(line->path[i], bt_str_of(steps[i]));
    }
    return is_equal;
}

bool lsp_yaml_find_listener(bt_str text, bt_str name, struct lsp_span *out)
{
    static const char *const path[] = {"listeners", "[]", "name"};
    struct lsp_yaml_scan scan = {.text = text};
    while (lsp_yaml_next(&scan)) {
        const struct lsp_span value = scan.line.value;
        if (lsp_yaml_is(&scan.line, path, 3) &&
            bt_ascii_equal_nocase(bt_str_slice(text, value.begin, value.end), name)) {
            *out = value;
            return true;
        }
    }
    return false;
}
