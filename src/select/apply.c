/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.c - the findings of one document -> those in force, and what was suppressed.
 *
 * First the level of each finding, then `ignore`, then the baseline. Each of them asks whether the
 * finding is protected, so that no order of settings can hide one.
 */
#include <assert.h>

#include "base/vec.h"
#include "report/findings.h"
#include "report/rules.h"
#include "select/baseline.h"

enum { PATHS_MATCH = 1, WAS_USED = 2 };

struct select_apply_state {
    const struct bt_select *select;
    struct bt_arena *arena;
    bt_str path;
    bool *paths; /* by entry of `paths`: it matches the document */
    uint8_t *ignores;
    struct bt_select_baseline_match baseline;
    struct bt_findings *kept;
    struct bt_suppressed *suppressed;
};

static bool is_protected(const struct bt_finding *finding)
{
    return finding->security || bt_select_lowest(finding->code).is_protected;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

static enum bt_select_level level_in(const struct bt_select_rules *rules, unsigned code)
{
    return rules->levels ? (enum bt_select_level)rules->levels[code] : BT_SELECT_LEVEL_NONE;
}

/* What the first setting that has the code says; NONE: no setting has it. */
static enum bt_select_level find_level(const struct select_apply_state *state, unsigned code)
{
    const struct bt_select *select = state->select;
    enum bt_select_level level = level_in(&select->flags, code);
    if (level != BT_SELECT_LEVEL_NONE || (select->set_by_flag && select->set_by_flag[code])) {
        return level;
    }
    for (size_t i = select->path_count; i > 0 && level == BT_SELECT_LEVEL_NONE; i--) {
        level = state->paths[i - 1] ? level_in(&select->paths[i - 1].rules, code) : level;
    }
    for (size_t i = 0; i < BT_SELECT_FILES_MAX && level == BT_SELECT_LEVEL_NONE; i++) {
        level = level_in(&select->files[i], code);
    }
    return level;
}

/* The level in force. A finding that is milder than the lowest level of its rule is not raised by a
 * setting that wants to lower it. */
static enum bt_select_level limit_level(enum bt_select_level wanted,
                                        const struct bt_finding *finding)
{
    const enum bt_select_level given = bt_select_level_of(finding->severity);
    const enum bt_select_level lowest = bt_select_lowest(finding->code).level;
    const enum bt_select_level floor = is_protected(finding) || given < lowest ? given : lowest;
    if (wanted == BT_SELECT_LEVEL_NONE) {
        return given;
    }
    return wanted < floor ? floor : wanted;
}

/* ---- Suppressing ----------------------------------------------------------------------------- */

static enum bt_status suppress_finding(struct select_apply_state *state,
                                       const struct bt_finding *finding, enum bt_suppressed_by by,
                                       bt_str reason)
{
    if (!state->suppressed) {
        state->suppressed = BT_NEW(state->arena, struct bt_suppressed);
        BT_TRY(state->suppressed ? BT_OK : BT_ENOMEM);
    }
    const struct bt_suppressed_finding item = {finding, by, reason};
    return bt_vec_push(state->arena, state->suppressed, item);
}

/* Whether a pointer is another one or lies below it. */
static bool is_covered(bt_str pointer, bt_str by)
{
    return bt_str_starts_with(pointer, by) && (pointer.len == by.len || pointer.ptr[by.len] == '/');
}

static bool is_ignored_by(const struct bt_select_ignore *entry, const struct bt_finding *finding)
{
    return finding->code >= entry->codes.first && finding->code < entry->codes.end &&
           (!entry->has_pointer || is_covered(finding->pointer, entry->pointer));
}

/* The first entry of `ignore` that covers a finding, or NULL. */
static const struct bt_select_ignore *find_ignore(const struct select_apply_state *state,
                                                  const struct bt_finding *finding)
{
    if (is_protected(finding)) {
        return NULL;
    }
    for (size_t i = 0; i < state->select->ignore_count; i++) {
        if (state->ignores[i] && is_ignored_by(&state->select->ignores[i], finding)) {
            state->ignores[i] = WAS_USED;
            return &state->select->ignores[i];
        }
    }
    return NULL;
}

/* ---- One finding ----------------------------------------------------------------------------- */

/* The finding with the severity in force; *out is the same one when nothing changes. */
static enum bt_status set_severity(struct select_apply_state *state,
                                   const struct bt_finding *finding, enum bt_severity severity,
                                   struct bt_finding **out)
{
    struct bt_finding *changed = BT_NEW(state->arena, struct bt_finding);
    BT_TRY(changed ? BT_OK : BT_ENOMEM);
    *changed = *finding;
    if (severity != finding->severity) {
        changed->severity = severity;
        changed->default_severity = finding->severity;
    }
    *out = changed;
    return BT_OK;
}

static enum bt_status select_finding(struct select_apply_state *state,
                                     const struct bt_finding *finding)
{
    const enum bt_select_level level = limit_level(find_level(state, finding->code), finding);
    struct bt_finding *shown = NULL;
    bool is_baselined = false;
    if (level == BT_SELECT_LEVEL_OFF) {
        return suppress_finding(state, finding, BT_SUPPRESSED_BY_RULES, BT_STR(""));
    }
    BT_TRY(set_severity(state, finding, bt_select_severity_of(level), &shown));
    const struct bt_select_ignore *entry = find_ignore(state, shown);
    if (entry) {
        return suppress_finding(state, shown, BT_SUPPRESSED_BY_IGNORE, entry->reason);
    }
    BT_TRY(bt_select_baseline_take(&state->baseline, state->arena, shown, is_protected(shown),
                                   &is_baselined));
    if (is_baselined) {
        return suppress_finding(state, shown, BT_SUPPRESSED_BY_BASELINE, BT_STR(""));
    }
    return bt_vec_push(state->arena, state->kept, shown);
}

/* ---- One document ---------------------------------------------------------------------------- */

static enum bt_status match_path(struct select_apply_state *state)
{
    const struct bt_select *select = state->select;
    state->paths = BT_NEW_ARRAY(state->arena, bool, select->path_count + 1);
    state->ignores = BT_NEW_ARRAY(state->arena, uint8_t, select->ignore_count + 1);
    BT_TRY(state->paths && state->ignores ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < select->path_count; i++) {
        state->paths[i] = bt_ignore_cover(&select->paths[i].match, state->path);
    }
    for (size_t i = 0; i < select->ignore_count; i++) {
        const struct bt_select_ignore *entry = &select->ignores[i];
        state->ignores[i] =
            !entry->has_expired && bt_ignore_cover(&entry->paths, state->path) ? PATHS_MATCH : 0;
    }
    return bt_select_baseline_match(select, state->arena, state->path, &state->baseline);
}

enum bt_status bt_select_apply(const struct bt_select *select, struct bt_arena *arena, bt_str path,
                               const struct bt_findings *findings, struct bt_select_result *out)
{
    assert(select);
    assert(findings);
    assert(out);
    struct select_apply_state state = {.select = select, .arena = arena, .path = path};
    state.kept = bt_findings_new(arena);
    BT_TRY(state.kept ? BT_OK : BT_ENOMEM);
    BT_TRY(match_path(&state));
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        BT_TRY(select_finding(&state, bt_findings_at(findings, i)));
    }
    state.kept->finished = true;
    *out = (struct bt_select_result){.findings = state.kept,
                                     .suppressed = state.suppressed,
                                     .ignores = state.ignores,
                                     .baseline = state.baseline};
    return BT_OK;
}

struct bt_select_path bt_select_for_path(const struct bt_select *select, bt_str path)
{
    struct bt_select_path found = {0};
    for (size_t i = 0; i < select->path_count; i++) {
        const struct bt_select_path *entry = &select->paths[i].path;
        if (bt_ignore_cover(&select->paths[i].match, path)) {
            found.as = entry->as ? entry->as : found.as;
            found.tokens = entry->tokens.len > 0 ? entry->tokens : found.tokens;
            found.budget = entry->budget > 0 ? entry->budget : found.budget;
            found.fail_level = entry->fail_level ? entry->fail_level : found.fail_level;
        }
    }
    return found;
}

/* ---- A run ----------------------------------------------------------------------------------- */

struct bt_select_usage *bt_select_usage_new(struct bt_arena *arena, const struct bt_select *select)
{
    struct bt_select_usage *usage = BT_NEW(arena, struct bt_select_usage);
    if (!usage) {
        return NULL;
    }
    usage->select = select;
    usage->arena = arena;
    usage->ignores = BT_NEW_ARRAY(arena, uint8_t, select->ignore_count + 1);
    usage->entries = BT_NEW_ARRAY(arena, uint8_t, bt_select_baseline_count(select->baseline) + 1);
    return usage->ignores && usage->entries ? usage : NULL;
}

enum bt_status bt_select_usage_add(struct bt_select_usage *usage, bt_str path,
                                   const struct bt_select_result *result)
{
    assert(usage);
    assert(result);
    for (size_t i = 0; i < usage->select->ignore_count; i++) {
        usage->ignores[i] |= result->ignores[i];
    }
    return bt_select_baseline_note(usage, path, &result->baseline);
}

enum bt_status bt_select_add_unused(const struct bt_select_usage *usage,
                                    struct bt_findings *findings)
{
    for (size_t i = 0; i < usage->select->ignore_count; i++) {
        const struct bt_select_ignore *entry = &usage->select->ignores[i];
        if (usage->ignores[i] == PATHS_MATCH) {
            bt_str pointer;
            BT_TRY(bt_arena_printf(bt_findings_arena(findings), &pointer, "/ignore/%zu", i));
            BT_TRY(bt_add_ignore_unused(findings, bt_location_pointer(pointer, entry->offset),
                                        entry->code));
        }
    }
    return BT_OK;
}
