/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patterns.c - the regular expressions of payload schemas: ECMA-262 (Unicode) without features that
 * cannot be matched in linear time or that implementations interpret differently.
 */
#include <baton/regex.h>

#include "base/ascii.h"
#include "dialect/plan/payload.h"
#include "regex/matcher.h"
#include "report/rules.h"

enum {
    REPEAT_MAX = 1000,
    STATES_MAX = 20000,
    CAP = 1 << 30,    /* counting goes no further */
    GROUPS_MAX = 256, /* the engine refuses deeper patterns */
    WORK_BYTES_MAX = 64 << 20,
};

/* Why a group is refused, or NULL; `at` is behind its bracket. */
static const char *why_group(bt_str pattern, size_t at)
{
    const bt_str rest = bt_str_slice(pattern, at, pattern.len);
    if (bt_str_starts_with(rest, BT_STR("?=")) || bt_str_starts_with(rest, BT_STR("?!"))) {
        return "look-ahead";
    }
    if (bt_str_starts_with(rest, BT_STR("?<=")) || bt_str_starts_with(rest, BT_STR("?<!"))) {
        return "look-behind";
    }
    return NULL;
}

/* Why an escape is refused, or NULL; `byte` follows the backslash. */
static const char *why_escape(char byte, bool is_class)
{
    if (byte == 'p' || byte == 'P') {
        return "a Unicode property";
    }
    return !is_class && ((byte >= '1' && byte <= '9') || byte == 'k') ? "a back-reference" : NULL;
}

/* A counted repeat, {N}, {N,} or {N,M}. */
struct plan_patterns_repeat {
    size_t end; /* behind its closing brace; 0: there is none */
    uint64_t least;
    uint64_t most; /* when it is open, one more than the least */
    bool is_open;  /* {N,} */
};

/* Digits at `at`, which moves behind them; saturates far above every bound. */
static uint64_t number_at(bt_str pattern, size_t *at)
{
    uint64_t number = 0;
    for (; *at < pattern.len && bt_ascii_is_digit(pattern.ptr[*at]); (*at)++) {
        number = number < STATES_MAX ? number * 10 + (uint64_t)(pattern.ptr[*at] - '0') : number;
    }
    return number;
}

static struct plan_patterns_repeat repeat_at(bt_str pattern, size_t at)
{
    struct plan_patterns_repeat repeat = {0};
    at++;
    repeat.least = number_at(pattern, &at);
    repeat.most = repeat.least;
    if (at < pattern.len && pattern.ptr[at] == ',') {
        const size_t begin = ++at;
        repeat.most = number_at(pattern, &at);
        repeat.is_open = at == begin;
        repeat.most = repeat.is_open ? repeat.least + 1 : repeat.most;
    }
    repeat.end = at < pattern.len && pattern.ptr[at] == '}' ? at + 1 : 0;
    return repeat;
}

static bool counts_too_far(bt_str pattern, size_t at)
{
    const struct plan_patterns_repeat repeat = repeat_at(pattern, at);
    return repeat.end > 0 &&
           (repeat.least > REPEAT_MAX || (!repeat.is_open && repeat.most > REPEAT_MAX));
}

/* How many states a matcher needs when repeats are written out, counted without writing them. */
struct plan_pattern_count {
    uint64_t sums[GROUPS_MAX]; /* of the groups that are open, the pattern itself first */
    size_t depth;
    uint64_t atom; /* of what a repeat would apply to */
};

static uint64_t cap_number(uint64_t number)
{
    return number < CAP ? number : CAP;
}

/* Close the current atom: it counts `times` over. */
static void close_atom(struct plan_pattern_count *counting, uint64_t times)
{
    uint64_t *sum = &counting->sums[counting->depth];
    *sum = cap_number(*sum + cap_number(counting->atom * times));
    counting->atom = 0;
}

/* Move behind a class that begins at `at`. */
static size_t skip_class(bt_str pattern, size_t at)
{
    for (at++; at < pattern.len && pattern.ptr[at] != ']'; at++) {
        at += pattern.ptr[at] == '\\';
    }
    return at + 1;
}

static size_t count_next(struct plan_pattern_count *counting, bt_str pattern, size_t at)
{
    const char byte = pattern.ptr[at];
    const struct plan_patterns_repeat repeat =
        byte == '{' ? repeat_at(pattern, at) : (struct plan_patterns_repeat){0};
    if (repeat.end > 0) {
        close_atom(counting, repeat.most > 0 ? repeat.most : 1);
        return repeat.end;
    }
    if (byte == '*' || byte == '+' || byte == '?' || byte == '|') {
        counting->atom++;
        close_atom(counting, 1);
        return at + 1;
    }
    if (byte == ')' && counting->depth > 0) {
        close_atom(counting, 1);
        counting->atom = counting->sums[counting->depth--];
        return at + 1;
    }
    close_atom(counting, 1);
    if (byte == '(' && counting->depth + 1 < GROUPS_MAX) {
        counting->sums[++counting->depth] = 1;
        return at + 1;
    }
    counting->atom = 1;
    return byte == '[' ? skip_class(pattern, at) : at + (byte == '\\' ? 2 : 1);
}

static bool needs_too_many_states(bt_str pattern)
{
    struct plan_pattern_count counting = {0};
    for (size_t at = 0; at < pattern.len;) {
        at = count_next(&counting, pattern, at);
    }
    close_atom(&counting, 1);
    uint64_t sum = 0;
    for (size_t i = 0; i <= counting.depth; i++) {
        sum = cap_number(sum + counting.sums[i]);
    }
    return sum > STATES_MAX;
}

/* What in the pattern is not supported here, or NULL. */
static const char *find_unsupported(bt_str pattern)
{
    bool is_class = false;
    for (size_t i = 0; i < pattern.len; i++) {
        const char *why = NULL;
        const char byte = pattern.ptr[i];
        if (byte == '\\' && i + 1 < pattern.len) {
            why = why_escape(pattern.ptr[++i], is_class);
        } else if (byte == '[') {
            is_class = true;
        } else if (byte == ']') {
            is_class = false;
        } else if (byte == '(' && !is_class) {
            why = why_group(pattern, i + 1);
        } else if (byte == '{' && !is_class && counts_too_far(pattern, i)) {
            why = "a count above 1000";
        }
        if (why) {
            return why;
        }
    }
    return NULL;
}

static enum bt_status add_pattern_finding(struct bt_payload *payload, const bt_json_value *where,
                                          bt_str pattern, const char *why)
{
    return bt_add_payload_schema_pattern(payload->findings, bt_payload_location(payload, where),
                                         pattern, bt_str_of(why));
}

static enum bt_status check_pattern(struct bt_payload *payload, const bt_json_value *where,
                                    bt_str pattern)
{
    const char *why = find_unsupported(pattern);
    why = !why && needs_too_many_states(pattern) ? "it needs more than 20,000 states" : why;
    if (why) {
        return add_pattern_finding(payload, where, pattern, why);
    }
    struct bt_regex_options options = bt_regex_options_default();
    struct bt_regex_compile_result made = {0};
    struct bt_arena arena;
    options.is_strict = true;
    bt_arena_init(&arena, WORK_BYTES_MAX);
    const enum bt_status status = bt_regex_compile(&arena, pattern, &options, &made);
    bt_arena_free(&arena);
    BT_TRY(status);
    return made.regex ? BT_OK : add_pattern_finding(payload, where, pattern, made.detail);
}

enum bt_status bt_payload_check_patterns(struct bt_payload *payload)
{
    for (size_t i = 0; i < payload->positions.count; i++) {
        const bt_json_value *schema = payload->positions.items[i].schema;
        const bt_json_value *pattern = bt_json_get(payload->document, schema, BT_STR("pattern"));
        const bt_json_value *named =
            bt_json_get(payload->document, schema, BT_STR("patternProperties"));
        if (pattern && bt_json_type(pattern) == BT_JSON_STRING) {
            BT_TRY(check_pattern(payload, pattern, bt_json_text(pattern)));
        }
        const struct bt_json_member *members = named ? bt_json_members(named) : NULL;
        for (size_t j = 0; members && j < bt_json_count(named); j++) {
            BT_TRY(check_pattern(payload, &members[j].value, bt_json_name(&members[j])));
        }
    }
    return BT_OK;
}
