/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.c - file name patterns: literal bytes and `*`, compared with the end of a path.
 */
#include "engine/pattern.h"

#include <assert.h>

#include "base/str.h"

/* The last components of `path`, as many as `pattern` has; all of it when it has fewer. */
static bt_str tail_like(bt_str pattern, bt_str path)
{
    size_t slashes = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        slashes += pattern.ptr[i] == '/';
    }
    size_t from = path.len;
    while (from > 0 && (path.ptr[from - 1] != '/' || slashes > 0)) {
        slashes -= path.ptr[from - 1] == '/';
        from--;
    }
    return bt_str_slice(path, from, path.len);
}

/* True when the ends differ, which rules out most names at once. */
static bool ends_differently(bt_str pattern, bt_str path)
{
    const char last = pattern.ptr[pattern.len - 1];
    return last != '*' && (path.len == 0 || path.ptr[path.len - 1] != last);
}

bool bt_pattern_matches(bt_str pattern, bt_str path)
{
    assert(pattern.len > 0);
    if (ends_differently(pattern, path)) {
        return false;
    }
    return bt_str_glob_matches(pattern, tail_like(pattern, path), '/');
}
