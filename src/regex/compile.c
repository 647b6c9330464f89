/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - text -> tree -> automata -> tier, in this order.
 */
#include <assert.h>
#include <string.h>

#include "base/plain.h"
#include "base/sized.h"
#include "regex/matcher.h"
#include "regex/regex.h"

#define DEPTH_MAX 1000
#define PATTERN_BYTES_MAX (UINT64_C(1) << 24)

struct bt_regex_options bt_regex_options_default(void)
{
    return (struct bt_regex_options){.size = sizeof(struct bt_regex_options),
                                     .depth_max = 250,
                                     .instructions_max = 20000,
                                     .tables_bytes_max = 64 << 10,
                                     .pattern_bytes_max = 64 << 10,
                                     .compile_bytes_max = 16 << 20};
}

/* With the `u` flag; if that is refused, and Annex B is allowed and takes it, without. */
static bool parse_pattern(struct bt_re_build *build, bt_str text, struct bt_re_pattern *out)
{
    if (bt_re_parse(build, text, true, out)) {
        return true;
    }
    if (build->options->is_strict || build->code != BT_REGEX_ERROR_INVALID) {
        return false;
    }
    struct bt_re_build lenient = *build;
    lenient.code = BT_REGEX_ERROR_NONE;
    if (bt_re_parse(&lenient, text, false, out)) {
        build->code = BT_REGEX_ERROR_NONE;
        return true;
    }
    /* The first refusal is told: it is about the syntax that is documented. */
    if (lenient.code != BT_REGEX_ERROR_INVALID) {
        *build = lenient;
    }
    return false;
}

static bool keep_frozen(struct bt_re_build *build, const struct bt_re_dfa *dfa,
                        struct bt_re_program *program)
{
    const size_t moves = (size_t)dfa->states_count * dfa->stride;
    struct bt_re_frozen *frozen = bt_re_keep(build, 1, sizeof(*frozen));
    uint32_t *copy = frozen ? bt_re_keep(build, moves, sizeof(*copy)) : NULL;
    if (!copy) {
        return false;
    }
    for (size_t i = 0; i < moves; i++) {
        const uint32_t move = dfa->moves[i];
        copy[i] = (move >> 1) * dfa->stride << 1 | (move & 1);
    }
    *frozen = (struct bt_re_frozen){dfa->stride, copy};
    program->frozen = frozen;
    return true;
}

/* Build what can be built ahead, within the bytes that all tables together may have. */
static bool build_tables(struct bt_re_build *build, struct bt_regex *regex)
{
    size_t bytes_left = build->options->tables_bytes_max;
    for (uint32_t i = 0; i < regex->programs.count; i++) {
        struct bt_re_program *program = &regex->programs.items[i];
        const struct bt_arena_mark mark = bt_arena_mark(build->scratch);
        struct bt_re_dfa dfa;
        if (program->is_needed &&
            bt_re_dfa_build(build, &regex->programs, program, (uint32_t)bytes_left, &dfa)) {
            if (!keep_frozen(build, &dfa, program)) {
                return false;
            }
            bytes_left -= (size_t)dfa.states_count * dfa.stride * sizeof(*dfa.moves);
        }
        bt_arena_rewind(build->scratch, mark);
    }
    regex->tier = BT_RE_TIER_AUTOMATA;
#if !defined(BT_PROFILE_CORE) /* which is to be small before fast */
    const struct bt_re_program *main = &regex->programs.items[regex->programs.count - 1];
    if (!BT_PLAIN_REGEX_TABLE && main->frozen && main->looks_count == 0) {
        regex->tier = BT_RE_TIER_TABLE;
    }
#endif
    return true;
}

#if BT_RE_HAS_FIXED

/* A byte of a link's set; 0 when it has none that is ASCII. */
static unsigned find_byte(const struct bt_re_chain *chain, const struct bt_re_link_of *link)
{
    unsigned byte = 127;
    while (byte > 0 && (chain->sets[byte] & link->bit) == 0) {
        byte--;
    }
    return byte;
}

/*
 * Where a pattern begins with runs of one size, these are asked together. All that they match leads
 * to one state of the automaton, since it can have read them in one way only: one example finds it.
 */
static bool add_prefix(struct bt_re_build *build, const struct bt_re_node *root,
                       struct bt_regex *regex)
{
    struct bt_re_chain *chain = NULL;
    if (regex->tier != BT_RE_TIER_TABLE || !bt_re_chain_make_prefix(build, root, &chain)) {
        return !bt_re_is_failed(build);
    }
    const struct bt_re_frozen *frozen = bt_re_table(&regex->programs);
    uint32_t state = BT_RE_INITIAL * frozen->stride;
    bool is_usable = chain != NULL;
    for (uint32_t i = 0; is_usable && i < chain->fixed_count; i++) {
        const unsigned byte = find_byte(chain, &chain->links[i]);
        for (uint32_t k = 0; is_usable && k < chain->links[i].max; k++) {
            const uint32_t move = frozen->moves[state + regex->programs.alphabet.ascii[byte]];
            is_usable = byte != 0 && (move & 1) == 0;
            state = move >> 1;
        }
    }
    regex->chain = is_usable ? chain : NULL;
    regex->after_chain = state;
    return true;
}

#endif

/* Use a chain where the pattern is one. What a chain that does not fit has taken is given back. */
static bool choose_tier(struct bt_re_build *build, const struct bt_re_node *root,
                        struct bt_regex *regex)
{
    const struct bt_arena_mark mark = bt_arena_mark(build->arena);
    if (!BT_PLAIN_REGEX_CHAIN && bt_re_chain_make(build, root, &regex->chain)) {
        regex->tier = BT_RE_TIER_CHAIN;
        return true;
    }
    if (bt_re_is_failed(build)) {
        return false;
    }
    bt_arena_rewind(build->arena, mark);
#if BT_RE_HAS_FIXED
    return build_tables(build, regex) && add_prefix(build, root, regex);
#else
    return build_tables(build, regex);
#endif
}

#if !defined(BT_PROFILE_CORE) /* which is to be small before fast */

/* ^ and then the nodes from `first` on. */
static struct bt_re_node *anchor_nodes(struct bt_re_build *build, struct bt_re_node *first)
{
    struct bt_re_node *list = bt_re_node_new(build, BT_RE_CAT);
    struct bt_re_node *begin = list ? bt_re_node_new(build, BT_RE_BEGIN) : NULL;
    if (!begin) {
        return NULL;
    }
    list->child = begin;
    begin->next = first && first->kind == BT_RE_CAT ? first->child : first;
    return list;
}

static bool add_part(struct bt_re_build *build, struct bt_re_node *root, bool is_negative,
                     struct bt_re_part ***tail)
{
    struct bt_re_part *part = root ? bt_re_keep(build, 1, sizeof(*part)) : NULL;
    if (!part || !bt_re_programs_make(build, root, &part->regex.programs) ||
        !choose_tier(build, root, &part->regex)) {
        return false;
    }
    part->is_negative = is_negative;
    **tail = part;
    *tail = &part->next;
    return true;
}

static bool is_look_ahead(const struct bt_re_node *node)
{
    return node && node->kind == BT_RE_LOOK && !node->is_behind;
}

/*
 * Look-aheads right behind ^ matter at one position only, so each is a pattern of its own, which
 * need not be run over the whole subject to be known everywhere.
 */
static bool make_parts(struct bt_re_build *build, const struct bt_re_node *root,
                       struct bt_regex *regex)
{
    struct bt_re_part **tail = &regex->parts;
    struct bt_re_node *node = root->child->next;
    for (; is_look_ahead(node); node = node->next) {
        if (!add_part(build, anchor_nodes(build, node->child), node->is_negative, &tail)) {
            return false;
        }
    }
    regex->tier = BT_RE_TIER_PARTS;
    return add_part(build, anchor_nodes(build, node), false, &tail);
}

static bool has_parts(const struct bt_re_node *root)
{
    return !BT_PLAIN_REGEX_TABLE && root->kind == BT_RE_CAT && root->child->kind == BT_RE_BEGIN &&
           is_look_ahead(root->child->next);
}

static bool choose_form(struct bt_re_build *build, const struct bt_re_node *root,
                        struct bt_regex *regex)
{
    return has_parts(root) ? make_parts(build, root, regex) : choose_tier(build, root, regex);
}

#else
#define choose_form choose_tier
#endif

static bool compile_pattern(struct bt_re_build *build, bt_str text, struct bt_regex *regex)
{
    struct bt_re_pattern pattern;
    if (text.len > build->options->pattern_bytes_max) {
        return bt_re_fail(build, BT_REGEX_ERROR_TOO_COMPLEX, 0, "the pattern is too long");
    }
    if (!parse_pattern(build, text, &pattern)) {
        return false;
    }
    struct bt_re_node *root = bt_re_simplify(build, pattern.root, pattern.has_backrefs);
    pattern.root = root;
    if (!root) {
        return false;
    }
    if (pattern.has_backrefs) {
        regex->tier = BT_RE_TIER_BACKTRACK;
        return bt_re_backtrack_make(build, &pattern, &regex->backtrack);
    }
    return bt_re_programs_make(build, root, &regex->programs) && choose_form(build, root, regex);
}

static void set_default(uint32_t *member, uint32_t value)
{
    *member = *member > 0 ? *member : value;
}

/* Complete the options of a caller. BT_EINVAL: one is out of range, or the size is wrong. */
static enum bt_status read_options(const struct bt_regex_options *given,
                                   struct bt_regex_options *out)
{
    const struct bt_regex_options usual = bt_regex_options_default();
    BT_TRY(bt_sized_read(given, BT_SIZED_FIRST(struct bt_regex_options), out));
    set_default(&out->depth_max, usual.depth_max);
    set_default(&out->instructions_max, usual.instructions_max);
    set_default(&out->tables_bytes_max, usual.tables_bytes_max);
    out->pattern_bytes_max =
        out->pattern_bytes_max > 0 ? out->pattern_bytes_max : usual.pattern_bytes_max;
    out->compile_bytes_max =
        out->compile_bytes_max > 0 ? out->compile_bytes_max : usual.compile_bytes_max;
    return out->depth_max <= DEPTH_MAX && out->pattern_bytes_max <= PATTERN_BYTES_MAX ? BT_OK
                                                                                      : BT_EINVAL;
}

enum bt_status bt_regex_compile(struct bt_arena *arena, bt_str pattern,
                                const struct bt_regex_options *options,
                                struct bt_regex_compile_result *out_result)
{
    assert(arena);
    assert(out_result);
    const struct bt_sized_layout layout = BT_SIZED_FIRST(struct bt_regex_compile_result);
    struct bt_regex_options known;
    BT_TRY(bt_sized_check(out_result, layout));
    BT_TRY(read_options(options, &known));
    struct bt_regex *regex = BT_NEW(arena, struct bt_regex);
    if (!regex) {
        return BT_ENOMEM;
    }
    struct bt_arena scratch;
    struct bt_re_build build = {
        .scratch = &scratch, .arena = arena, .options = &known, .detail = ""};
    bt_arena_init(&scratch, (size_t)known.compile_bytes_max);
    const bool is_made = compile_pattern(&build, pattern.ptr ? pattern : BT_STR(""), regex);
    bt_arena_free(&scratch);
    assert(is_made == !bt_re_is_failed(&build));
    if (build.status != BT_OK) {
        return build.status;
    }
    const struct bt_regex_compile_result result = {.regex = is_made ? regex : NULL,
                                                   .code = build.code,
                                                   .offset = build.offset,
                                                   .detail = build.detail};
    bt_sized_write(out_result, layout, &result);
    return BT_OK;
}
