/* SPDX-License-Identifier: Apache-2.0 */
/* discover.c - the skills that may take a piece of work, best first. */
#include <assert.h>
#include <stdlib.h>

#include "skill/skill_internal.h"

static bool is_listed(const struct bt_optional_str_list *list, bt_str text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (bt_str_eq(list->items[i], text)) {
            return true;
        }
    }
    return false;
}

/* Whether two categories have a word in common; words are what hyphens separate. */
static bool share_a_word(bt_str a, bt_str b)
{
    for (size_t i = 0; i < a.len;) {
        const size_t a_end = bt_str_find_byte(a, '-', i);
        for (size_t k = 0; k < b.len;) {
            const size_t b_end = bt_str_find_byte(b, '-', k);
            if (a_end > i && bt_str_eq(bt_str_slice(a, i, a_end), bt_str_slice(b, k, b_end))) {
                return true;
            }
            k = b_end + 1;
        }
        i = a_end + 1;
    }
    return false;
}

static int score_category(const struct bt_skill *skill, bt_str category)
{
    if (category.len == 0) {
        return 0;
    }
    if (is_listed(&skill->categories, category)) {
        return 40;
    }
    for (size_t i = 0; i < skill->categories.count; i++) {
        if (share_a_word(category, skill->categories.items[i])) {
            return 20;
        }
    }
    return 0;
}

static int score_schema(const struct bt_skill *skill)
{
    if (bt_str_eq(skill->schema_version, BT_STR("3.0"))) {
        return 20;
    }
    return bt_str_eq(skill->schema_type, BT_STR("universal")) ? 10 : 0;
}

static int score_input(const struct bt_skill *skill, const struct bt_optional_str_list *wanted)
{
    size_t met = 0;
    for (size_t i = 0; i < wanted->count; i++) {
        met += is_listed(&skill->input_requirements, wanted->items[i]);
    }
    if (met == 0) {
        return 0;
    }
    return met == wanted->count ? 20 : 10;
}

static bool is_in_chain(const struct bt_optional_str_list *chain, bt_str name)
{
    for (size_t i = 0; i < chain->count; i++) {
        if (bt_skill_name_equal(chain->items[i], name)) {
            return true;
        }
    }
    return false;
}

static struct bt_skill_score score_skill(const struct bt_skill *skill,
                                         const struct bt_skill_query *wanted)
{
    const bool has_succeeded =
        wanted->succeeded && wanted->succeeded(wanted->context, wanted->source, skill->name);
    const bool is_as_wanted =
        wanted->autonomy != BT_SKILL_ANSWER_NONE && wanted->autonomy == skill->autonomous;
    return (struct bt_skill_score){
        .category = score_category(skill, wanted->category),
        .schema = score_schema(skill),
        .input = score_input(skill, &wanted->inputs),
        .success = has_succeeded ? 10 : 0,
        .autonomy = is_as_wanted ? 10 : 0,
        .loop = is_in_chain(&wanted->chain, skill->name) ? -30 : 0,
    };
}

static int compare_candidates(const void *a, const void *b)
{
    const struct bt_skill_candidate *left = a;
    const struct bt_skill_candidate *right = b;
    return left->score != right->score ? right->score - left->score
                                       : bt_str_compare(left->skill->name, right->skill->name);
}

static struct bt_skill_candidate candidate_of(const struct bt_skill *skill,
                                              const struct bt_skill *source,
                                              const struct bt_skill_query *wanted)
{
    struct bt_skill_candidate candidate = {.skill = skill, .parts = score_skill(skill, wanted)};
    const struct bt_skill_score *parts = &candidate.parts;
    candidate.score = parts->category + parts->schema + parts->input + parts->success +
                      parts->autonomy + parts->loop;
    candidate.compatible = bt_skill_compatibility(wanted->version, skill->schema_version);
    if (source) {
        candidate.provided = bt_skill_list_has(&source->provides_to, skill->name)
                                 ? BT_SKILL_ANSWER_YES
                                 : BT_SKILL_ANSWER_NO;
    }
    return candidate;
}

enum bt_status bt_skill_discover(const struct bt_skill_catalogue *catalogue,
                                 const struct bt_skill_query *wanted, struct bt_arena *arena,
                                 const struct bt_skill_candidate **out, size_t *out_count)
{
    assert(catalogue);
    assert(wanted);
    assert(wanted->top > 0);
    struct bt_skill_candidate *candidates =
        BT_NEW_ARRAY(arena, struct bt_skill_candidate, catalogue->discoverable_count);
    const struct bt_skill *source = bt_skill_catalogue_find(catalogue, wanted->source);
    size_t count = 0;
    BT_TRY(candidates ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < catalogue->discoverable_count; i++) {
        const struct bt_skill *skill = catalogue->discoverable[i];
        if (bt_skill_name_equal(skill->name, wanted->source) ||
            !bt_skill_list_has(&skill->accepts_from, wanted->source)) {
            continue;
        }
        const struct bt_skill_candidate candidate = candidate_of(skill, source, wanted);
        if (!wanted->authorized || candidate.provided == BT_SKILL_ANSWER_YES) {
            candidates[count++] = candidate;
        }
    }
    qsort(candidates, count, sizeof(*candidates), compare_candidates);
    *out = candidates;
    *out_count = count < wanted->top ? count : wanted->top;
    return BT_OK;
}
