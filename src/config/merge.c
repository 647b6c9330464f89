/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - several files -> what is in force, key by key.
 *
 * The class of a key, a column of the table of keys, says what a project's file may do to it.
 */
#include <assert.h>

#include "base/str.h"
#include "config/config_internal.h"
#include "report/rules.h"

struct config_merge_state {
    struct bt_arena *arena;
    const struct bt_config_merge *merge;
    struct bt_findings *findings; /* of the project's file */
    struct bt_config *out;
};

enum bt_status bt_config_pointer(struct bt_arena *arena, bt_str key, bt_str *out)
{
    char *text = bt_arena_alloc(arena, key.len + 2);
    BT_TRY(text ? BT_OK : BT_ENOMEM);
    text[0] = '/';
    for (size_t i = 0; i < key.len; i++) {
        text[i + 1] = (char)(key.ptr[i] == '.' ? '/' : key.ptr[i]);
    }
    text[key.len + 1] = '\0';
    *out = (bt_str){text, key.len + 1};
    return BT_OK;
}

/* How strict a word is: 0 is the strictest. */
static size_t rank_of(const struct bt_config_row *row, bt_str word)
{
    size_t rank = 0;
    while (row->strict[rank] &&
           !bt_str_eq(bt_str_of(row->strict[rank]), bt_config_canonical(row, word))) {
        rank++;
    }
    return rank;
}

/* Whether a value is at least as strict as the one that is in force. */
static bool is_strict(const struct config_merge_state *state, size_t row,
                      const struct bt_yaml_node *value)
{
    const struct bt_config_row *about = &bt_config_rows[row];
    const bt_str other = bt_config_value(state->out, row)->text;
    if (about->type == BT_CONFIG_GROUP) {
        return bt_config_group_is_within(about, value, bt_config_value(state->out, row));
    }
    if (about->strict) {
        return rank_of(about, value->text) <= rank_of(about, other);
    }
    if (about->type == BT_CONFIG_NUMBER) {
        return bt_config_text_number(value->text) <= bt_config_text_number(other);
    }
    if (about->is_minimum) {
        return other.len == 0 ||
               bt_config_text_seconds(value->text) >= bt_config_text_seconds(other);
    }
    assert(about->form == bt_config_is_duration);
    return bt_config_text_seconds(value->text) <= bt_config_text_seconds(other);
}

/* The path of a store, or "" when it is not a file. */
static bt_str store_path(bt_str text)
{
    const bt_str scheme = BT_STR("sqlite:");
    if (bt_str_starts_with(text, scheme)) {
        return bt_str_slice(text, scheme.len, text.len);
    }
    return bt_str_starts_with(text, BT_STR("postgres")) && bt_str_find_byte(text, ':', 0) < text.len
               ? BT_STR("")
               : text;
}

/* Whether all paths of a value stay below the project folder. Those of governance files start at
 * the governance root, which must be the project's own. */
static bool is_below(const struct config_merge_state *state, size_t row,
                     const struct bt_yaml_node *value)
{
    const struct bt_config_merge *merge = state->merge;
    const bt_str name = bt_config_rows[row].name;
    const size_t root = bt_config_row(BT_STR("governed.root"));
    const bool has_root = bt_str_starts_with(name, BT_STR("governed.")) && row != root;
    if (has_root && state->out->given[root] && state->out->kinds[root] != BT_CONFIG_PROJECT) {
        return false;
    }
    for (size_t i = 0; i < bt_config_texts(value); i++) {
        const bt_str text = bt_config_text_at(value, i);
        const bt_str path = bt_str_eq(name, BT_STR("store")) ? store_path(text) : text;
        if (path.len == 0 || !merge->is_below || !merge->is_below(merge->context, path)) {
            return false;
        }
    }
    return true;
}

/* Why the project's value is not used; zero: it is used. */
static enum bt_config_not_from_project_reason
refuse_looser(const struct config_merge_state *state, size_t row, const struct bt_yaml_node *value)
{
    return is_strict(state, row, value) ? BT_CONFIG_NOT_FROM_PROJECT_REASON__NONE
                                        : BT_CONFIG_NOT_FROM_PROJECT_REASON_LOOSER;
}

static enum bt_config_not_from_project_reason
refuse_outside(const struct config_merge_state *state, size_t row, const struct bt_yaml_node *value)
{
    return is_below(state, row, value) ? BT_CONFIG_NOT_FROM_PROJECT_REASON__NONE
                                       : BT_CONFIG_NOT_FROM_PROJECT_REASON_OUTSIDE;
}

static enum bt_config_not_from_project_reason
find_refusal(const struct config_merge_state *state, size_t row, const struct bt_yaml_node *value)
{
    const enum bt_config_use use = state->merge->use;
    const bool judges = use == BT_CONFIG_JUDGES;
    switch (bt_config_rows[row].project) {
    case BT_PROJECT_ANY_OR_NOTHING:
        return judges ? BT_CONFIG_NOT_FROM_PROJECT_REASON__NONE
                      : BT_CONFIG_NOT_FROM_PROJECT_REASON_OPERATOR;
    case BT_PROJECT_ANY_OR_STRICTER:
        return judges ? BT_CONFIG_NOT_FROM_PROJECT_REASON__NONE : refuse_looser(state, row, value);
    case BT_PROJECT_STRICTER:
        return refuse_looser(state, row, value);
    case BT_PROJECT_BELOW_OR_NOTHING:
        return judges ? refuse_outside(state, row, value)
                      : BT_CONFIG_NOT_FROM_PROJECT_REASON_OPERATOR;
    case BT_PROJECT_BELOW:
        return use == BT_CONFIG_DECIDES_STORELESS ? BT_CONFIG_NOT_FROM_PROJECT_REASON_OPERATOR
                                                  : refuse_outside(state, row, value);
    case BT_PROJECT_NOTHING:
        break;
    }
    return BT_CONFIG_NOT_FROM_PROJECT_REASON_OPERATOR;
}

/* Whether a file can only lower the limits that others give: a pinned file and a project's. */
static bool can_only_lower(size_t row, enum bt_config_kind kind)
{
    return bt_config_rows[row].list.is_limit &&
           (kind == BT_CONFIG_FILE || kind == BT_CONFIG_PROJECT);
}

/* Take the value of a file, which is stronger than those that were taken before. */
static enum bt_status take_value(struct config_merge_state *state, size_t row,
                                 enum bt_config_kind kind)
{
    const struct bt_yaml_node *before = state->out->given[row];
    const struct bt_yaml_node *value = state->merge->files[kind]->given[row];
    state->out->given[row] = value;
    state->out->kinds[row] = kind;
    if (before && can_only_lower(row, kind)) {
        return bt_config_groups_min(state->arena, &bt_config_rows[row], value, before,
                                    &state->out->given[row]);
    }
    if (bt_str_eq(bt_config_rows[row].name, BT_STR("rules"))) {
        state->out->rules[kind] = value; /* `rules` merges by code */
    } else if (bt_config_rows[row].type != BT_CONFIG_GROUP || bt_config_rows[row].list.is_limit) {
        return BT_OK;
    }
    return before ? bt_config_unite(state->arena, value, before, &state->out->given[row]) : BT_OK;
}

/* The pinned file beats the others, but never gives more tries than they do. */
static bool is_pin_looser(const struct config_merge_state *state, size_t row)
{
    return bt_str_eq(bt_config_rows[row].name, BT_STR("contract.max_rejections")) &&
           state->out->given[row] &&
           !is_strict(state, row, state->merge->files[BT_CONFIG_FILE]->given[row]);
}

/* Lists of the gate only grow: what the pinned file does not name stays protected. */
static bool is_united(size_t row)
{
    static const bt_str united[] = {BT_STR_INIT("gate.tiers"), BT_STR_INIT("gate.protect")};
    return bt_str_is_one_of(bt_config_rows[row].name, united);
}

static enum bt_status take_operators(struct config_merge_state *state, size_t row)
{
    static const enum bt_config_kind order[] = {BT_CONFIG_SYSTEM, BT_CONFIG_USER, BT_CONFIG_FILE};
    if (state->merge->use == BT_CONFIG_HOOK && !bt_config_rows[row].for_hooks) {
        return BT_OK;
    }
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        const struct bt_config *file = state->merge->files[order[i]];
        const bool is_pin = order[i] == BT_CONFIG_FILE;
        const struct bt_yaml_node *before = state->out->given[row];
        if (!file || !file->given[row] || (is_pin && is_pin_looser(state, row))) {
            continue;
        }
        BT_TRY(take_value(state, row, order[i]));
        if (is_pin && before && is_united(row)) {
            BT_TRY(bt_config_join(state->arena, file->given[row], before, &state->out->given[row]));
        }
    }
    return BT_OK;
}

static enum bt_status take_project(struct config_merge_state *state, size_t row)
{
    const struct bt_config *project = state->merge->files[BT_CONFIG_PROJECT];
    if (!project || !project->given[row] || state->merge->use == BT_CONFIG_HOOK) {
        return BT_OK;
    }
    const enum bt_config_not_from_project_reason refusal =
        find_refusal(state, row, project->given[row]);
    if (refusal == BT_CONFIG_NOT_FROM_PROJECT_REASON__NONE) {
        return take_value(state, row, BT_CONFIG_PROJECT);
    }
    state->out->refused[row] = true;
    bt_str pointer;
    BT_TRY(bt_config_pointer(state->arena, bt_config_rows[row].name, &pointer));
    return bt_add_config_not_from_project(state->findings,
                                          bt_location_pointer(pointer, project->given[row]->offset),
                                          bt_config_rows[row].name, refusal);
}

enum bt_status bt_config_merge(struct bt_arena *arena, const struct bt_config_merge *merge,
                               struct bt_findings *findings, struct bt_findings *conflicts,
                               const struct bt_config **out)
{
    assert(merge);
    assert(out);
    struct bt_config *config = BT_NEW(arena, struct bt_config);
    struct config_merge_state state = {arena, merge, findings, config};
    BT_TRY(config ? BT_OK : BT_ENOMEM);
    config->is_merged = true;
    for (size_t kind = 0; kind < BT_CONFIG_KINDS; kind++) {
        const struct bt_config *file = merge->files[kind];
        config->folders[kind] = file ? file->folders[kind] : BT_STR("");
        config->has_gate =
            config->has_gate || (file && file->has_gate && kind != BT_CONFIG_PROJECT);
        config->has_budget =
            config->has_budget || (file && file->has_budget && kind != BT_CONFIG_PROJECT);
    }
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        BT_TRY(take_operators(&state, row));
    }
    for (size_t row = 0; row < bt_config_rows_count; row++) {
        BT_TRY(take_project(&state, row));
    }
    if (merge->store.len > 0) {
        const size_t row = bt_config_row(BT_STR("store"));
        config->store_is_outer = true;
        config->store = (struct bt_yaml_node){
            .kind = BT_YAML_SCALAR, .style = BT_YAML_STYLE_QUOTED, .text = merge->store};
        config->given[row] = &config->store;
        config->refused[row] = false;
    }
    if (merge->use != BT_CONFIG_HOOK) { /* it has not all the keys that depend on each other */
        BT_TRY(bt_config_conflicts(config, conflicts));
    }
    *out = bt_findings_have_hard(conflicts, 0) ? NULL : config;
    return BT_OK;
}

bt_str bt_config_key(size_t index)
{
    return index < bt_config_rows_count ? bt_config_rows[index].name : BT_STR("");
}

const char *bt_config_key_expected(size_t index)
{
    assert(index < bt_config_rows_count);
    return bt_config_rows[index].expected;
}

bt_str bt_config_key_default(size_t index)
{
    assert(index < bt_config_rows_count);
    const struct bt_yaml_node *otherwise = &bt_config_rows[index].otherwise;
    return otherwise->kind == BT_YAML_SCALAR ? otherwise->text : BT_STR("");
}

unsigned bt_config_key_users(size_t index)
{
    assert(index < bt_config_rows_count);
    return bt_config_rows[index].users;
}

bool bt_config_key_is_for_hooks(size_t index)
{
    assert(index < bt_config_rows_count);
    return bt_config_rows[index].for_hooks;
}

bool bt_config_is_refused(const struct bt_config *config, size_t index)
{
    assert(index < bt_config_rows_count);
    return config->refused[index];
}

static bool is_same_text(const struct bt_config_row *row, bt_str a, bt_str b)
{
    if (row->type == BT_CONFIG_NUMBER) {
        return bt_config_text_number(a) == bt_config_text_number(b);
    }
    if (row->form == bt_config_is_duration) {
        return bt_config_text_seconds(a) == bt_config_text_seconds(b);
    }
    return bt_str_eq(bt_config_canonical(row, a), bt_config_canonical(row, b));
}

bool bt_config_is_same(const struct bt_config *a, const struct bt_config *b, size_t index)
{
    const struct bt_yaml_node *mine = bt_config_value(a, index);
    const struct bt_yaml_node *other = bt_config_value(b, index);
    const size_t count = bt_config_texts(mine);
    const enum bt_config_type type = bt_config_rows[index].type;
    if (type == BT_CONFIG_MAPPINGS) {
        return bt_config_mappings_are_same(mine, other);
    }
    if (type == BT_CONFIG_GROUP || type == BT_CONFIG_GROUPS) {
        return !bt_config_rows[index].list.is_limit
                   ? bt_config_nodes_are_same(mine, other)
                   : bt_config_groups_are_same(&bt_config_rows[index], mine, other);
    }
    bool is_same = count == bt_config_texts(other);
    for (size_t i = 0; is_same && i < count; i++) {
        is_same = is_same_text(&bt_config_rows[index], bt_config_text_at(mine, i),
                               bt_config_text_at(other, i));
    }
    return is_same;
}
