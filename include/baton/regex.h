/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - ECMA-262 regular expressions with a bounded matching time. Needs only base.h.
 *
 *     struct bt_regex_compile_result made = BT_INIT(struct bt_regex_compile_result);
 *     struct bt_regex_matcher *matcher = NULL;
 *     if (bt_regex_compile(arena, BT_STR("^[a-z]+$"), NULL, &made) == BT_OK && made.regex &&
 *         bt_regex_matcher_create(NULL, &matcher) == BT_OK &&
 *         bt_regex_match(made.regex, matcher, subject) == BT_REGEX_MATCH) {
 *         ...
 *     }
 *     bt_regex_matcher_destroy(matcher);
 *
 * A match is a search: does the pattern occur anywhere in the subject? Syntax: ECMA-262 (2024) with
 * the `u` flag; a pattern that this rejects is tried again with the extensions of Annex B. No other
 * flag is set: case is significant, `.` does not match a line terminator, `^` and `$` are the ends
 * of the subject. In both syntaxes a character is a code point, never half of a surrogate pair.
 *
 * The time of a match is linear in the subject for every pattern without back-references; those are
 * matched by backtracking with a step limit. A match that is not decided within its limits gives
 * BT_REGEX_UNDECIDED.
 *
 * Threads: a compiled regex is immutable and may be used by many threads; a matcher by one at a
 * time.
 */
#ifndef BATON_REGEX_H
#define BATON_REGEX_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Compiling ------------------------------------------------------------------------------- */

/* A compiled pattern; see bt_regex_compile(). */
struct bt_regex;

/*
 * How a pattern is compiled: a sized struct. Every zero means the default that the comment names.
 */
struct bt_regex_options {
    uint32_t size;              /* of this struct; 0: that of version 0.1 */
    uint32_t depth_max;         /* groups inside groups; at most 1000; 250 */
    uint32_t instructions_max;  /* of the automata, after counted repeats are expanded; 20,000 */
    uint32_t tables_bytes_max;  /* for tables that are built before matching; 64 KiB */
    uint64_t pattern_bytes_max; /* at most 2^24; 64 KiB */
    uint64_t compile_bytes_max; /* memory while compiling; freed at the end; 16 MiB */
    bool is_strict;             /* `u` syntax only, without Annex B */
};

/* What is wrong with a pattern. */
enum bt_regex_error {
    BT_REGEX_ERROR_NONE = 0,
    BT_REGEX_ERROR_INVALID,     /* not a regular expression */
    BT_REGEX_ERROR_TOO_COMPLEX, /* valid, but above a limit of the options */
};

/* What came of compiling: a sized struct that the library fills in; see BT_INIT(). */
struct bt_regex_compile_result {
    uint32_t size;                /* of this struct; 0: that of version 0.1 */
    const struct bt_regex *regex; /* NULL when `code` is set */
    enum bt_regex_error code;
    size_t offset;      /* of the byte of the pattern where parsing stopped */
    const char *detail; /* what is wrong, for people; never NULL, a constant */
};

/*
 * Compile `pattern` (UTF-8; a lone surrogate may be encoded in three bytes). BT_OK means that it
 * was checked: either out_result->regex is set, or out_result->code says what is wrong. `options`
 * may be NULL for the defaults. The regex lives in `arena`; `pattern` need not outlive the call.
 * BT_ENOMEM: the arena reached its limit. BT_EINVAL: an option is out of range, or the size of a
 * struct is wrong. *out_result is written only on BT_OK.
 */
BT_API BT_MUST_USE enum bt_status bt_regex_compile(struct bt_arena *arena, bt_str pattern,
                                                   const struct bt_regex_options *options,
                                                   struct bt_regex_compile_result *out_result);

/* ---- Matching -------------------------------------------------------------------------------- */

/* Zero means undecided, so that cleared memory never reads as a result. */
enum bt_regex_match_result {
    BT_REGEX_UNDECIDED = 0, /* the step limit or the memory limit was reached */
    BT_REGEX_NO_MATCH,
    BT_REGEX_MATCH,
};

/*
 * The limits of a match: a sized struct. Every zero means the default that the comment names. A
 * step takes some nanoseconds, so by default a subject takes at most about a microsecond per byte.
 */
struct bt_regex_limits {
    uint32_t size; /* of this struct; 0: that of version 0.1 */
    /* steps for each byte of the subject, beside `steps_max`; not for back-references; 200 */
    uint32_t steps_per_byte;
    uint64_t steps_max;     /* steps that one match may take; 1,000,000 */
    size_t cache_bytes_max; /* for the automaton that is built during matching; 1 MiB */
    size_t memory_bytes;    /* for the rest, such as one bit per position; 64 MiB */
};

/* Working memory for matches. Its caches make repeated matches of one pattern faster. */
struct bt_regex_matcher;

/*
 * Make a matcher. `limits` may be NULL for the defaults. On BT_OK the caller destroys *out with
 * bt_regex_matcher_destroy(). BT_EINVAL: the size of the limits is wrong. BT_ENOMEM: no memory.
 */
BT_API BT_MUST_USE enum bt_status bt_regex_matcher_create(const struct bt_regex_limits *limits,
                                                          struct bt_regex_matcher **out);
/*
 * Destroy it. NULL is allowed. A matcher identifies patterns by their address: destroy it before
 * the arena of a regex that it has run is reset or destroyed.
 */
BT_API void bt_regex_matcher_destroy(struct bt_regex_matcher *matcher);

/*
 * Search for the pattern in `subject`, which is UTF-8; a lone surrogate may be encoded in three
 * bytes, as the JSON reader does. For other bytes the result is meaningless but safe.
 */
BT_API BT_MUST_USE enum bt_regex_match_result
bt_regex_match(const struct bt_regex *regex, struct bt_regex_matcher *matcher, bt_str subject);

#ifdef __cplusplus
}
#endif

#endif
