/* SPDX-License-Identifier: Apache-2.0 */
/* outputs.c - look for quoted lines in the outputs of a turn. */
#include "evidence/outputs.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/str.h"

/* The offset behind an escape sequence that begins at `at`; `at` when none begins there. */
static size_t skip_escape(bt_str text, size_t at)
{
    if (text.ptr[at] != '\x1b' || at + 1 >= text.len) {
        return at;
    }
    size_t end = at + 2;
    if (text.ptr[at + 1] == '[') {
        while (end < text.len && (text.ptr[end] < '@' || text.ptr[end] > '~')) {
            end++;
        }
        return end < text.len ? end + 1 : end;
    }
    if (text.ptr[at + 1] != ']') {
        return at;
    }
    while (end < text.len && text.ptr[end] != '\a' &&
           !(text.ptr[end] == '\x1b' && end + 1 < text.len && text.ptr[end + 1] == '\\')) {
        end++;
    }
    return end >= text.len ? text.len : text.ptr[end] == '\a' ? end + 1 : end + 2;
}

/* Write one line without escape sequences and extra blanks; returns its size. */
static size_t write_plain(bt_str line, char *out)
{
    size_t size = 0;
    for (size_t i = 0; i < line.len;) {
        const size_t behind = skip_escape(line, i);
        if (behind > i) {
            i = behind;
            continue;
        }
        const char byte = line.ptr[i++];
        const bool is_blank = byte == ' ' || byte == '\t';
        if (byte != '\r' && !(is_blank && (size == 0 || out[size - 1] == ' '))) {
            out[size++] = is_blank ? ' ' : byte;
        }
    }
    return size > 0 && out[size - 1] == ' ' ? size - 1 : size;
}

static size_t count_lines(bt_str text)
{
    size_t count = 1;
    for (size_t at = bt_str_find_byte(text, '\n', 0); at < text.len;
         at = bt_str_find_byte(text, '\n', at + 1)) {
        count++;
    }
    return count;
}

enum bt_status bt_plain_text_read(struct bt_arena *arena, bt_str text, struct bt_plain_text *out)
{
    assert(arena);
    assert(out);
    bt_str *lines = BT_NEW_ARRAY(arena, bt_str, count_lines(text));
    char *bytes = bt_arena_alloc(arena, text.len + 1);
    size_t used = 0;
    size_t count = 0;
    BT_TRY(lines && bytes ? BT_OK : BT_ENOMEM);
    for (size_t at = 0; at < text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', at);
        const size_t size = write_plain(bt_str_slice(text, at, end), bytes + used);
        if (size > 0) {
            lines[count++] = (bt_str){bytes + used, size};
            used += size;
        }
        at = end + 1;
    }
    *out = (struct bt_plain_text){lines, count};
    return BT_OK;
}

static const bt_str ELLIPSES[] = {BT_STR_INIT("..."), BT_STR_INIT("\xe2\x80\xa6"),
                                  BT_STR_INIT("[...]")};

/* A line without the dots at its end. */
static bt_str without_dots(bt_str line)
{
    for (size_t i = 0; i < 2; i++) {
        if (bt_str_ends_with(line, ELLIPSES[i])) {
            return bt_str_trim(bt_str_slice(line, 0, line.len - ELLIPSES[i].len));
        }
    }
    return line;
}

enum bt_status bt_quotation_read(struct bt_arena *arena, bt_str text, struct bt_quotation *out)
{
    assert(out);
    struct bt_plain_text plain;
    BT_TRY(bt_plain_text_read(arena, text, &plain));
    bt_str *lines = BT_NEW_ARRAY(arena, bt_str, plain.count + 1);
    size_t count = 0;
    BT_TRY(lines ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < plain.count; i++) {
        const bt_str line = without_dots(plain.lines[i]);
        const bool is_left_out = line.len == 0 || bt_str_is_one_of(plain.lines[i], ELLIPSES) ||
                                 bt_str_starts_with(line, BT_STR("$ "));
        if (!is_left_out) {
            lines[count++] = line;
        }
    }
    *out = (struct bt_quotation){.text = {lines, count}};
    return BT_OK;
}

void bt_quotation_search(struct bt_quotation *quotation, const struct bt_plain_text *output)
{
    assert(quotation);
    assert(output);
    for (size_t i = 0; i < output->count && !bt_quotation_is_found(quotation); i++) {
        const bt_str wanted = quotation->text.lines[quotation->found];
        if (bt_str_find(output->lines[i], wanted) < output->lines[i].len) {
            quotation->found++;
        }
    }
}
