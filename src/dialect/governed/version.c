/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.c - which of two semantic versions is higher (SemVer 2.0.0, section 11). Build metadata
 * does not count.
 */
#include "dialect/governed/verify.h"

/* What stands before `mark`; *rest is what follows it; a NULL pointer when there is no mark. */
static bt_str split_at_mark(bt_str text, char mark, bt_str *rest)
{
    const size_t at = bt_str_find_byte(text, mark, 0);
    *rest = at < text.len ? bt_str_slice(text, at + 1, text.len) : (bt_str){NULL, 0};
    return bt_str_slice(text, 0, at);
}

static bool is_number(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return true;
}

/* Numbers have no leading zeros, so the longer one is the greater one. */
static int compare_numbers(bt_str a, bt_str b)
{
    return a.len != b.len ? (a.len > b.len) - (a.len < b.len) : bt_str_compare(a, b);
}

/* Identifiers between dots; with fewer of them a version is the lower one. */
static int compare_dotted(bt_str a, bt_str b)
{
    while (a.ptr && b.ptr) {
        const bt_str ours = split_at_mark(a, '.', &a);
        const bt_str theirs = split_at_mark(b, '.', &b);
        const bool numbers[2] = {is_number(ours), is_number(theirs)};
        const int order = numbers[0] && numbers[1]   ? compare_numbers(ours, theirs)
                          : numbers[0] != numbers[1] ? (numbers[0] ? -1 : 1)
                                                     : bt_str_compare(ours, theirs);
        if (order != 0) {
            return order;
        }
    }
    return (a.ptr != NULL) - (b.ptr != NULL);
}

int bt_governed_version_compare(bt_str a, bt_str b)
{
    bt_str ignored;
    bt_str a_pre;
    bt_str b_pre;
    const bt_str a_core = split_at_mark(split_at_mark(a, '+', &ignored), '-', &a_pre);
    const bt_str b_core = split_at_mark(split_at_mark(b, '+', &ignored), '-', &b_pre);
    const int order = compare_dotted(a_core, b_core);
    if (order != 0) {
        return order;
    }
    if (!a_pre.ptr || !b_pre.ptr) {
        return (a_pre.ptr == NULL) - (b_pre.ptr == NULL); /* a release comes after its previews */
    }
    return compare_dotted(a_pre, b_pre);
}
