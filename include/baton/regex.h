/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - ECMA-262 regular expressions that cannot be made slow. Needs only base.h.
 *
 *     struct bt_regex_compile_result made;
 *     if (bt_regex_compile(&arena, BT_STR("^[a-z]+$"), NULL, &made) == BT_OK && made.regex) {
 *         struct bt_regex_matcher matcher;
 *         bt_regex_matcher_init(&matcher, NULL);
 *         if (bt_regex_match(made.regex, &matcher, subject) == BT_REGEX_MATCH) {
 *             ...
 *         }
 *         bt_regex_matcher_free(&matcher);
 *     }
 *
 * The question is always "does the pattern occur anywhere in the subject". Syntax: ECMA-262 (2024)
 * with the `u` flag; a pattern that this refuses is tried again with the leniency of Annex B. No
 * other flag is on: case as written, `.` is no line terminator, `^` and `$` are the ends of the
 * subject. In either syntax a character is a code point, never half of a surrogate pair.
 *
 * The time of a match is linear in the subject for every pattern, save for back-references, which
 * are matched by a search under fuel. Whatever could not be decided within its bounds is answered
 * BT_REGEX_UNDECIDED, never yes and never no.
 *
 * Threads: a compiled regex is immutable and may be used by many; a matcher by one at a time.
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

struct bt_regex_options {
    bool is_strict;             /* `u` syntax only, without Annex B */
    uint32_t depth_max;         /* groups inside groups; at most 1000 */
    uint32_t instructions_max;  /* of the automata, after counted repeats are written out */
    uint32_t tables_bytes_max;  /* for the tables of one pattern that are built ahead of matching */
    uint64_t pattern_bytes_max; /* at most 2^24 */
    uint64_t compile_bytes_max; /* memory while compiling, given back at its end */
};

/* Not strict; 250, 20,000, 64 KiB, 64 KiB, 16 MiB. */
BT_API struct bt_regex_options bt_regex_options_default(void);

enum bt_regex_error {
    BT_REGEX_ERROR_NONE = 0,
    BT_REGEX_ERROR_INVALID,     /* not a regular expression */
    BT_REGEX_ERROR_TOO_COMPLEX, /* it is one, above a bound of the options */
};

struct bt_regex_compile_result {
    const struct bt_regex *regex; /* NULL when `code` is set */
    enum bt_regex_error code;
    size_t offset;      /* of the byte of the pattern where reading it could not go on */
    const char *detail; /* what is wrong, for people; never NULL, a constant */
};

/*
 * Compile `pattern` (UTF-8; a lone surrogate may stand in three bytes). BT_OK means that it was
 * judged: either result->regex is set, or result->code says what is wrong with it. `options` may be
 * NULL for the defaults. The regex lives in `arena` and needs `pattern` no longer. BT_ENOMEM: the
 * arena reached its limit; BT_EINVAL: an option is out of range. *out_result is written only on
 * BT_OK.
 */
BT_API BT_MUST_USE enum bt_status bt_regex_compile(struct bt_arena *arena, bt_str pattern,
                                                   const struct bt_regex_options *options,
                                                   struct bt_regex_compile_result *out_result);

/* "PATTERN_INVALID" and so on; "" for BT_REGEX_ERROR_NONE. */
BT_API bt_str bt_regex_error_name(enum bt_regex_error code);

/* ---- Matching -------------------------------------------------------------------------------- */

/* Zero is no decision, so that cleared memory never reads as one. */
enum bt_regex_match_result {
    BT_REGEX_UNDECIDED = 0, /* undecided: fuel or memory was spent */
    BT_REGEX_NO_MATCH,
    BT_REGEX_MATCH,
};

struct bt_regex_limits {
    uint64_t steps_max;      /* steps that one match may take ... */
    uint32_t steps_per_byte; /* ... plus so many for each byte of the subject (see below) */
    size_t cache_bytes_max;  /* for the automaton that one pattern builds while it runs */
    size_t memory_bytes;     /* for everything else: one bit per position and look-around, ... */
};

/* 1,000,000; 200; 1 MiB; 64 MiB. Back-references get the fuel alone, the rest both; a step takes
 * some nanoseconds, so that no subject takes more than about a microsecond for each byte. */
BT_API struct bt_regex_limits bt_regex_limits_default(void);

struct bt_regex_cache;

/* Working memory for matches, kept warm from one to the next. */
struct bt_regex_matcher {
    uint64_t steps; /* work done since init, in steps; a caller may count it against a budget */
    struct bt_regex_limits limits;
    struct bt_arena arena;
    struct bt_regex_cache *caches; /* the automata built so far, newest first */
};

/* Make an empty matcher. `limits` may be NULL for the defaults. Takes no memory yet. */
BT_API void bt_regex_matcher_init(struct bt_regex_matcher *matcher,
                                  const struct bt_regex_limits *limits);
/*
 * Give everything back; the matcher may be used again. A matcher knows patterns by their address:
 * free it before the arena of a regex that it has run is rewound or freed.
 */
BT_API void bt_regex_matcher_free(struct bt_regex_matcher *matcher);

/*
 * Does the pattern occur anywhere in `subject`? The subject is UTF-8, in which lone surrogates may
 * stand in three bytes each (as the JSON reader leaves them); for any other bytes the answer is
 * without meaning, though never a fault.
 */
BT_API BT_MUST_USE enum bt_regex_match_result
bt_regex_match(const struct bt_regex *regex, struct bt_regex_matcher *matcher, bt_str subject);

#ifdef __cplusplus
}
#endif

#endif
