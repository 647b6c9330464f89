/* SPDX-License-Identifier: Apache-2.0 */
/* detect.c - is this text a plan? Allocates nothing, and reads only as far as the header needs. */
#include "dialect/plan/detect.h"

/* Move `at` behind the cell that begins there, and set its text; a quoted one with doubled quotes
 * in it can be no name that is looked for. */
static bt_str next_cell(bt_str text, size_t *at)
{
    const size_t begin = *at;
    if (begin < text.len && text.ptr[begin] == '"') {
        size_t quote = bt_str_find_byte(text, '"', begin + 1);
        while (quote + 1 < text.len && text.ptr[quote + 1] == '"') {
            quote = bt_str_find_byte(text, '"', quote + 2);
        }
        *at = quote < text.len ? quote + 1 : text.len;
        return bt_str_slice(text, begin + 1, quote);
    }
    while (*at < text.len && text.ptr[*at] != ',' && text.ptr[*at] != '\r' &&
           text.ptr[*at] != '\n') {
        (*at)++;
    }
    return bt_str_slice(text, begin, *at);
}

static size_t skip_blank_lines(bt_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == '\n' || (text.ptr[at] == '\r' && at + 1 < text.len &&
                                                      text.ptr[at + 1] == '\n'))) {
        at++;
    }
    return at;
}

bool bt_plan_recognise(bt_str content)
{
    const size_t mark = bt_str_starts_with(content, BT_STR("\xef\xbb\xbf")) ? 3 : 0;
    const bt_str text = bt_str_slice(content, mark, content.len);
    if (text.len == 0 || text.ptr[0] == '{' || text.ptr[0] == '[' || text.ptr[0] == '<') {
        return false;
    }
    for (size_t at = skip_blank_lines(text, 0); at < text.len;) {
        const bt_str name = next_cell(text, &at);
        if (bt_str_eq(name, BT_STR("step")) || bt_str_eq(name, BT_STR("step_id"))) {
            return true;
        }
        if (at >= text.len || text.ptr[at] != ',') {
            return false;
        }
        at++;
    }
    return false;
}
