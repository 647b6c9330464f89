/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matcher.h - matchers in the memory of their user, and complete options.
 */
#ifndef BATON_SRC_REGEX_MATCHER_H
#define BATON_SRC_REGEX_MATCHER_H

#include <baton/regex.h>

#include "base/arena.h"

/* The defaults that the comments of the struct name. */
struct bt_regex_options bt_regex_options_default(void);
/* The defaults that the comments of the struct name. */
struct bt_regex_limits bt_regex_limits_default(void);

struct bt_regex_cache;

struct bt_regex_matcher {
    uint64_t steps; /* work done since init, in steps; a caller may count it against a budget */
    struct bt_regex_limits limits;
    struct bt_arena arena;
    struct bt_regex_cache *caches; /* the automata built so far, newest first */
};

/*
 * Make an empty matcher. `limits`, whose size is that of this release, may be NULL for the
 * defaults. Allocates nothing yet.
 */
void bt_regex_matcher_init(struct bt_regex_matcher *matcher, const struct bt_regex_limits *limits);
/* Free the memory; the matcher may be used again. See bt_regex_matcher_destroy(). */
void bt_regex_matcher_free(struct bt_regex_matcher *matcher);

#endif
