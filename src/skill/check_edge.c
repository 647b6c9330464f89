/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_edge.c - stage governance: may this skill hand work to that one, and will it be understood?
 */
#include <assert.h>

#include "report/rules.h"
#include "schema/nearest.h"
#include "skill/skill_internal.h"

enum { AVAILABLE_SHOWN = 20, NAME_SHOWN = 80, HINT_BYTES_MAX = 16384 };

bt_str bt_skill_compatibility(bt_str from, bt_str to)
{
    static const struct skill_version_pair {
        bt_str from;
        bt_str to;
        bt_str answer;
    } pairs[] = {
        {BT_STR_INIT("3.0"), BT_STR_INIT("3.0"), BT_STR_INIT("yes")},
        {BT_STR_INIT("3.0"), BT_STR_INIT("2.0"), BT_STR_INIT("partial")},
        {BT_STR_INIT("3.0"), BT_STR_INIT("1.2"), BT_STR_INIT("no")},
        {BT_STR_INIT("2.0"), BT_STR_INIT("3.0"), BT_STR_INIT("yes")},
        {BT_STR_INIT("1.2"), BT_STR_INIT("3.0"), BT_STR_INIT("adapter")},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (bt_str_eq(pairs[i].from, from) && bt_str_eq(pairs[i].to, to)) {
            return pairs[i].answer;
        }
    }
    return BT_STR("unknown");
}

static struct bt_location target_location(const struct bt_skill_edge *edge)
{
    const bt_json_value *value =
        bt_json_resolve(edge->document, edge->handoff, BT_STR("/target/skill"));
    return bt_location_pointer(BT_STR("/handoff/target/skill"),
                               value ? bt_json_span(edge->document, value).begin : BT_OFFSET_NONE);
}

static bt_str name_at(const void *catalogue, size_t index)
{
    return bt_skill_catalogue_at(catalogue, index)->name;
}

size_t bt_skill_catalogue_nearest(const struct bt_skill_catalogue *catalogue, bt_str name,
                                  bt_str out[BT_SKILL_NEAREST_MAX])
{
    _Static_assert((int)BT_SKILL_NEAREST_MAX == (int)BT_NEAREST_WORDS_MAX,
                   "both are the near names");
    return bt_nearest_words(name, name_at, catalogue, bt_skill_catalogue_count(catalogue), out);
}

void bt_skill_put_suggestion(struct bt_buf *buf, const bt_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(buf, i == 0 ? "did you mean \"" : "\" or \"");
        bt_buf_put_printable(buf, names[i], NAME_SHOWN);
    }
    bt_buf_put_text(buf, count > 0 ? "\"?" : "");
}

/* Put the near names and those that there are. */
static void put_suggestion(struct bt_buf *buf, const struct bt_skill_catalogue *catalogue,
                           const struct bt_str_list *nearest, const struct bt_str_list *available)
{
    const size_t total = bt_skill_catalogue_count(catalogue);
    bt_skill_put_suggestion(buf, nearest->items, nearest->count);
    bt_buf_put_text(buf, nearest->count > 0 ? " " : "");
    if (total == 0) {
        bt_buf_put_text(buf, "the catalogue is empty: no skill below --skills takes work");
        return;
    }
    for (size_t i = 0; i < available->count; i++) {
        bt_buf_put_text(buf, i == 0 ? "available: " : ", ");
        bt_buf_put_printable(buf, available->items[i], NAME_SHOWN);
    }
    if (total > available->count) {
        bt_buf_printf(buf, " and %zu more", total - available->count);
    }
}

static enum bt_status add_not_found_finding(const struct bt_skill_catalogue *catalogue,
                                            const struct bt_skill_edge *edge,
                                            struct bt_findings *findings)
{
    bt_str names[AVAILABLE_SHOWN];
    bt_str near[BT_SKILL_NEAREST_MAX];
    size_t count = 0;
    for (; count < catalogue->discoverable_count && count < AVAILABLE_SHOWN; count++) {
        names[count] = catalogue->discoverable[count]->name;
    }
    const struct bt_str_list nearest = {near,
                                        bt_skill_catalogue_nearest(catalogue, edge->target, near)};
    const struct bt_str_list available = {names, count};
    struct bt_buf hint;
    bt_buf_init(&hint, HINT_BYTES_MAX);
    put_suggestion(&hint, catalogue, &nearest, &available);
    enum bt_status status = hint.status;
    if (status == BT_OK) {
        status = bt_add_target_not_found(findings, target_location(edge), edge->target, nearest,
                                         available, bt_buf_str(&hint));
    }
    bt_buf_free(&hint);
    return status;
}

/* Whether there is a value at a dotted path below handoff. Each step eats a part of the path. */
static bool has_path(const struct bt_skill_edge *edge, bt_str path)
{
    const bt_json_value *value = edge->handoff;
    for (size_t from = 0; value && from <= path.len;) {
        const size_t dot = bt_str_find_byte(path, '.', from);
        value = bt_json_get(edge->document, value, bt_str_slice(path, from, dot));
        from = dot + 1;
    }
    return value != NULL;
}

static enum bt_status judge_target(const struct bt_skill *target, const struct bt_skill_edge *edge,
                                   struct bt_findings *findings)
{
    if (edge->source.len > 0 && !bt_skill_list_has(&target->accepts_from, edge->source)) {
        BT_TRY(bt_add_target_refuses_source(findings, target_location(edge), edge->target,
                                            edge->source));
    }
    const struct bt_location handoff =
        bt_location_pointer(BT_STR("/handoff"), bt_json_span(edge->document, edge->handoff).begin);
    for (size_t i = 0; i < target->requires.count; i++) {
        if (!has_path(edge, target->requires.items[i])) {
            BT_TRY(bt_add_target_requires_missing(findings, handoff, edge->target,
                                                  target->requires.items[i]));
        }
    }
    const bt_str version = target->schema_version;
    const bt_str compatible = bt_skill_compatibility(edge->version, version);
    return edge->version.len > 0 && !bt_str_eq(compatible, BT_STR("yes"))
               ? bt_add_target_incompatible(findings, target_location(edge), edge->target,
                                            compatible, version, version.len > 0, edge->version)
               : BT_OK;
}

enum bt_status bt_skill_check_edge(const struct bt_skill_catalogue *catalogue,
                                   const struct bt_skill_edge *edge, struct bt_findings *findings)
{
    assert(catalogue);
    assert(edge);
    assert(findings);
    if (edge->target.len == 0) {
        return BT_OK;
    }
    const struct bt_skill *target = bt_skill_catalogue_find(catalogue, edge->target);
    const struct bt_skill *source =
        edge->source.len > 0 ? bt_skill_catalogue_find(catalogue, edge->source) : NULL;
    BT_TRY(target && target->is_discoverable ? judge_target(target, edge, findings)
                                             : add_not_found_finding(catalogue, edge, findings));
    return source && !bt_skill_list_has(&source->provides_to, edge->target)
               ? bt_add_target_not_provided(findings, target_location(edge), edge->target,
                                            edge->source)
               : BT_OK;
}
