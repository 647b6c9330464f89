/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c - a subject given to a compiled pattern.
 */
#include <assert.h>

#include "base/sized.h"
#include "regex/matcher.h"
#include "regex/regex.h"

/* The automaton that one program builds while it runs. */
struct bt_regex_cache {
    const struct bt_re_program *program;
    struct bt_regex_cache *older;
    bool is_usable;
    struct bt_arena arena;
    struct bt_re_dfa dfa;
};

struct bt_regex_limits bt_regex_limits_default(void)
{
    return (struct bt_regex_limits){.size = sizeof(struct bt_regex_limits),
                                    .steps_max = 1000000,
                                    .steps_per_byte = 200,
                                    .cache_bytes_max = (size_t)1 << 20,
                                    .memory_bytes = (size_t)64 << 20};
}

void bt_regex_matcher_init(struct bt_regex_matcher *matcher, const struct bt_regex_limits *limits)
{
    assert(matcher);
    *matcher = (struct bt_regex_matcher){.limits = limits ? *limits : bt_regex_limits_default()};
    bt_arena_init(&matcher->arena, matcher->limits.memory_bytes);
}

void bt_regex_matcher_free(struct bt_regex_matcher *matcher)
{
    assert(matcher);
    for (struct bt_regex_cache *cache = matcher->caches; cache; cache = cache->older) {
        bt_arena_free(&cache->arena);
    }
    matcher->caches = NULL;
    bt_arena_free(&matcher->arena);
}

enum bt_status bt_regex_matcher_create(const struct bt_regex_limits *limits,
                                       struct bt_regex_matcher **out)
{
    assert(out);
    const struct bt_regex_limits usual = bt_regex_limits_default();
    struct bt_regex_limits known;
    BT_TRY(bt_sized_read(limits, BT_SIZED_FIRST(struct bt_regex_limits), &known));
    known.steps_max = known.steps_max > 0 ? known.steps_max : usual.steps_max;
    known.steps_per_byte = known.steps_per_byte > 0 ? known.steps_per_byte : usual.steps_per_byte;
    known.cache_bytes_max =
        known.cache_bytes_max > 0 ? known.cache_bytes_max : usual.cache_bytes_max;
    known.memory_bytes = known.memory_bytes > 0 ? known.memory_bytes : usual.memory_bytes;
    struct bt_regex_matcher *matcher = bt_handle_create(sizeof(*matcher));
    if (!matcher) {
        return BT_ENOMEM;
    }
    bt_regex_matcher_init(matcher, &known);
    *out = matcher;
    return BT_OK;
}

void bt_regex_matcher_destroy(struct bt_regex_matcher *matcher)
{
    if (matcher) {
        bt_regex_matcher_free(matcher);
        bt_handle_destroy(matcher);
    }
}

/* Find a program's cache; the latest one used comes first. NULL: there is none. */
static struct bt_regex_cache *find_cache(struct bt_regex_matcher *matcher,
                                         const struct bt_re_program *program)
{
    struct bt_regex_cache **link = &matcher->caches;
    while (*link && (*link)->program != program) {
        link = &(*link)->older;
    }
    struct bt_regex_cache *cache = *link;
    if (cache) {
        *link = cache->older;
        cache->older = matcher->caches;
        matcher->caches = cache;
    }
    return cache;
}

/* Make a cache. Without memory for it the program runs without one. */
static void make_cache(struct bt_re_run *run, const struct bt_re_program *program)
{
    struct bt_regex_matcher *matcher = run->matcher;
    struct bt_regex_cache *cache = BT_NEW(&matcher->arena, struct bt_regex_cache);
    if (cache) {
        cache->program = program;
        bt_arena_init(&cache->arena, matcher->limits.cache_bytes_max);
        cache->is_usable = bt_re_dfa_make(&cache->arena, run->programs, program, &cache->dfa);
        cache->older = matcher->caches;
        matcher->caches = cache;
    }
}

/* Caches outlive the match, so they are made before anything that does not. */
static void prepare_caches(struct bt_re_run *run)
{
    for (uint32_t i = 0; i < run->programs->count; i++) {
        const struct bt_re_program *program = &run->programs->items[i];
        if (program->is_needed && !program->frozen && bt_re_dfa_is_fit(program) &&
            !find_cache(run->matcher, program)) {
            make_cache(run, program);
        }
    }
}

static enum bt_regex_match_result run_program(struct bt_re_run *run)
{
    struct bt_regex_cache *cache =
        run->is_plain || run->program->frozen ? NULL : find_cache(run->matcher, run->program);
    return bt_re_run_program(run, cache && cache->is_usable ? &cache->dfa : NULL);
}

/* Each look-around once over the whole subject, inner ones first; then the pattern itself. */
static enum bt_regex_match_result run_programs(struct bt_re_run *run)
{
    const uint32_t count = run->programs->count;
    struct bt_arena *arena = &run->matcher->arena;
    uint64_t **bits = BT_NEW_ARRAY(arena, uint64_t *, count);
    run->bits = bits;
    enum bt_regex_match_result answer = bits ? BT_REGEX_MATCH : BT_REGEX_UNDECIDED;
    for (uint32_t i = 0; i < count && answer == BT_REGEX_MATCH; i++) {
        run->program = &run->programs->items[i];
        run->record = NULL;
        if (!run->program->is_needed) {
            continue;
        }
        if (run->program->is_recording) {
            bits[i] = BT_NEW_ARRAY(arena, uint64_t, run->subject.len / 64 + 1);
            run->record = bits[i];
            answer = bits[i] ? BT_REGEX_MATCH : BT_REGEX_UNDECIDED;
        }
        answer = answer == BT_REGEX_MATCH ? run_program(run) : answer;
    }
    return answer;
}

static enum bt_regex_match_result run_automata(const struct bt_regex *regex,
                                               struct bt_regex_matcher *matcher, bt_str subject,
                                               bool is_plain)
{
    const uint64_t fuel =
        matcher->limits.steps_max + (uint64_t)matcher->limits.steps_per_byte * subject.len;
    struct bt_re_run run = {.programs = &regex->programs,
                            .matcher = matcher,
                            .subject = subject,
                            .steps_left = fuel,
                            .is_plain = is_plain};
    if (!is_plain) {
        prepare_caches(&run);
    }
    if (!matcher->arena.chunk) {
        /* Else the rewind below would give the memory back, and the next match take it again. */
        (void)!bt_arena_alloc(&matcher->arena, 1);
    }
    const struct bt_arena_mark mark = bt_arena_mark(&matcher->arena);
    const enum bt_regex_match_result answer = run_programs(&run);
    bt_arena_rewind(&matcher->arena, mark);
    matcher->steps += fuel - run.steps_left;
    return answer;
}

/* The empty string may come without an address, to which nothing may be added. */
static bt_str normalize_subject(bt_str subject)
{
    return subject.ptr ? subject : BT_STR("");
}

enum bt_regex_match_result bt_regex_match_plain(const struct bt_regex *regex,
                                                struct bt_regex_matcher *matcher, bt_str subject)
{
    subject = normalize_subject(subject);
    return regex->tier == BT_RE_TIER_BACKTRACK
               ? bt_re_backtrack_run(&regex->backtrack, matcher, subject)
               : run_automata(regex, matcher, subject, true);
}

#if !defined(BT_PROFILE_CORE)
/* By the table alone, or from behind what the pattern begins with. */
static __attribute__((noinline)) bool match_table(const struct bt_regex *regex, bt_str subject)
{
    const struct bt_re_programs *programs = &regex->programs;
#if BT_RE_HAS_FIXED
    if (regex->chain && bt_re_fixed_match(regex->chain->fixed, subject)) {
        const size_t size = bt_re_fixed_size(regex->chain->fixed);
        return bt_re_table_match(programs, regex->after_chain,
                                 bt_str_slice(subject, size, subject.len));
    }
#endif
    return bt_re_table_match(programs, BT_RE_INITIAL * bt_re_table(programs)->stride, subject);
}
#endif

static enum bt_regex_match_result match_one(const struct bt_regex *regex,
                                            struct bt_regex_matcher *matcher, bt_str subject)
{
    if (regex->tier == BT_RE_TIER_BACKTRACK) {
        return bt_re_backtrack_run(&regex->backtrack, matcher, subject);
    }
    if (regex->tier == BT_RE_TIER_AUTOMATA) {
        return run_automata(regex, matcher, subject, false);
    }
#if !defined(BT_PROFILE_CORE)
    if (regex->tier == BT_RE_TIER_TABLE) {
        matcher->steps += subject.len + 1;
        return match_table(regex, subject) ? BT_REGEX_MATCH : BT_REGEX_NO_MATCH;
    }
#endif
    matcher->steps += subject.len + regex->chain->count + 1;
    return bt_re_chain_match(regex->chain, &regex->programs.alphabet, subject) ? BT_REGEX_MATCH
                                                                               : BT_REGEX_NO_MATCH;
}

#if !defined(BT_PROFILE_CORE)
static __attribute__((noinline)) enum bt_regex_match_result
match_parts(const struct bt_regex *regex, struct bt_regex_matcher *matcher, bt_str subject)
{
    for (const struct bt_re_part *part = regex->parts; part; part = part->next) {
        const enum bt_regex_match_result answer = match_one(&part->regex, matcher, subject);
        if (answer == BT_REGEX_UNDECIDED) {
            return answer;
        }
        if ((answer == BT_REGEX_MATCH) == part->is_negative) {
            return BT_REGEX_NO_MATCH;
        }
    }
    return BT_REGEX_MATCH;
}
#endif

enum bt_regex_match_result bt_regex_match(const struct bt_regex *regex,
                                          struct bt_regex_matcher *matcher, bt_str subject)
{
    assert(regex);
    assert(matcher);
    subject = normalize_subject(subject);
#if !defined(BT_PROFILE_CORE)
    if (regex->tier == BT_RE_TIER_PARTS) {
        return match_parts(regex, matcher, subject);
    }
#endif
    return match_one(regex, matcher, subject);
}
