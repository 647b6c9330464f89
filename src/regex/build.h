/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - what the stages of compiling share: working memory, bounds, and the first failure.
 *
 * A stage that fails says so once, through bt_re_fail() or bt_re_starve(), and returns false or
 * NULL; its callers only pass that on.
 */
#ifndef BATON_SRC_REGEX_BUILD_H
#define BATON_SRC_REGEX_BUILD_H

#include <baton/regex.h>

#include "base/arena.h"

struct bt_re_build {
    struct bt_arena *scratch;               /* ends with the compilation */
    struct bt_arena *arena;                 /* the caller's: what the regex keeps */
    const struct bt_regex_options *options; /* never NULL */
    enum bt_status status;                  /* BT_ENOMEM when the caller's arena is full */
    enum bt_regex_error code;
    size_t offset;
    const char *detail;
};

static inline bool bt_re_is_failed(const struct bt_re_build *build)
{
    return build->status != BT_OK || build->code != BT_REGEX_ERROR_NONE;
}

/* Note a failure unless there is one already, and return false. */
static inline bool bt_re_fail(struct bt_re_build *build, enum bt_regex_error code, size_t offset,
                              const char *detail)
{
    if (!bt_re_is_failed(build)) {
        build->code = code;
        build->offset = offset;
        build->detail = detail;
    }
    return false;
}

/* Zeroed working memory. NULL is a failure that has been noted: our own bound was reached. */
static inline void *bt_re_scratch(struct bt_re_build *build, size_t count, size_t size)
{
    void *memory = bt_arena_calloc(build->scratch, count, size);
    if (!memory) {
        (void)bt_re_fail(build, BT_REGEX_ERROR_TOO_COMPLEX, 0,
                         "compiling the pattern takes too much memory");
    }
    return memory;
}

/* Zeroed memory that the regex keeps. NULL is a failure that has been noted: BT_ENOMEM. */
static inline void *bt_re_keep(struct bt_re_build *build, size_t count, size_t size)
{
    void *memory = bt_arena_calloc(build->arena, count, size);
    if (!memory && !bt_re_is_failed(build)) {
        build->status = BT_ENOMEM;
    }
    return memory;
}

#endif
