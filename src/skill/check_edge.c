/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_edge.c - stage governance: may this skill hand work to that one, and will it be understood?
 */
#include <assert.h>

#include "report/finding_builder.h"
#include "skill/skill_internal.h"

enum { AVAILABLE_SHOWN = 20 };

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

/* Begin a finding about the target. */
static void begin_target_finding(struct bt_finding_builder *remark,
                                 const struct bt_skill_edge *edge, const char *code)
{
    const bt_str pointer = BT_STR("/target/skill");
    const bt_json_value *value = bt_json_resolve(edge->document, edge->handoff, pointer);
    bt_finding_builder_begin(remark, bt_skill_catalogue_rule(code));
    remark->finding.pointer = BT_STR("/handoff/target/skill");
    if (value) {
        remark->finding.offset = bt_json_span(edge->document, value).begin;
    }
    bt_emit_member_string(&remark->emit, "target", edge->target);
}

static enum bt_status add_not_found_finding(const struct bt_skill_catalogue *catalogue,
                                            const struct bt_skill_edge *edge,
                                            struct bt_findings *findings)
{
    struct bt_finding_builder remark;
    begin_target_finding(&remark, edge, "TARGET_NOT_FOUND");
    bt_buf_put_text(&remark.message, "there is no discoverable skill ");
    bt_buf_put_quoted(&remark.message, edge->target);
    bt_emit_name(&remark.emit, "available");
    bt_emit_begin_array(&remark.emit);
    for (size_t i = 0; i < catalogue->discoverable_count && i < AVAILABLE_SHOWN; i++) {
        bt_emit_string(&remark.emit, catalogue->discoverable[i]->name);
    }
    bt_emit_end(&remark.emit);
    remark.finding.hint = BT_STR("choose one of those that baton discover shows");
    return bt_finding_builder_end(&remark, findings);
}

static enum bt_status add_refused_finding(const struct bt_skill_edge *edge,
                                          struct bt_findings *findings)
{
    struct bt_finding_builder remark;
    begin_target_finding(&remark, edge, "TARGET_REFUSES_SOURCE");
    bt_buf_put_quoted(&remark.message, edge->target);
    bt_buf_put_text(&remark.message, " does not accept work from ");
    bt_buf_put_quoted(&remark.message, edge->source);
    bt_emit_member_string(&remark.emit, "source", edge->source);
    remark.finding.hint = BT_STR("choose one of those that baton discover shows");
    return bt_finding_builder_end(&remark, findings);
}

static enum bt_status add_not_provided_finding(const struct bt_skill_edge *edge,
                                               struct bt_findings *findings)
{
    struct bt_finding_builder remark;
    begin_target_finding(&remark, edge, "TARGET_NOT_PROVIDED");
    bt_buf_put_quoted(&remark.message, edge->source);
    bt_buf_put_text(&remark.message, " does not say that it hands work to ");
    bt_buf_put_quoted(&remark.message, edge->target);
    bt_emit_member_string(&remark.emit, "source", edge->source);
    remark.finding.hint = BT_STR("add the target to provides_to of the source");
    return bt_finding_builder_end(&remark, findings);
}

static enum bt_status add_incompatible_finding(const struct bt_skill_edge *edge, bt_str version,
                                               bt_str compatible, struct bt_findings *findings)
{
    struct bt_finding_builder remark;
    begin_target_finding(&remark, edge, "TARGET_INCOMPATIBLE");
    bt_buf_put_quoted(&remark.message, edge->target);
    if (version.len > 0) {
        bt_buf_put_text(&remark.message, " speaks version ");
        bt_buf_put_quoted(&remark.message, version);
    } else {
        bt_buf_put_text(&remark.message, " does not say which version it speaks");
    }
    bt_buf_put_text(&remark.message, ", the handoff is of version ");
    bt_buf_put_quoted(&remark.message, edge->version);
    bt_emit_member_string(&remark.emit, "compatible", compatible);
    bt_emit_member_string(&remark.emit, "version", version);
    remark.finding.hint = BT_STR("convert the handoff, or ask the target's author");
    return bt_finding_builder_end(&remark, findings);
}

static enum bt_status add_missing_finding(const struct bt_skill_edge *edge, bt_str path,
                                          struct bt_findings *findings)
{
    struct bt_finding_builder remark;
    bt_finding_builder_begin(&remark, bt_skill_catalogue_rule("TARGET_REQUIRES_MISSING"));
    remark.finding.pointer = BT_STR("/handoff");
    remark.finding.offset = bt_json_span(edge->document, edge->handoff).begin;
    bt_buf_put_quoted(&remark.message, edge->target);
    bt_buf_put_text(&remark.message, " needs ");
    bt_buf_put_quoted(&remark.message, path);
    bt_buf_put_text(&remark.message, ", which the handoff does not have");
    bt_emit_member_string(&remark.emit, "target", edge->target);
    bt_emit_member_string(&remark.emit, "path", path);
    remark.finding.hint = BT_STR("add the member");
    return bt_finding_builder_end(&remark, findings);
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
        BT_TRY(add_refused_finding(edge, findings));
    }
    for (size_t i = 0; i < target->requires.count; i++) {
        if (!has_path(edge, target->requires.items[i])) {
            BT_TRY(add_missing_finding(edge, target->requires.items[i], findings));
        }
    }
    const bt_str compatible = bt_skill_compatibility(edge->version, target->schema_version);
    if (edge->version.len > 0 && !bt_str_eq(compatible, BT_STR("yes"))) {
        BT_TRY(add_incompatible_finding(edge, target->schema_version, compatible, findings));
    }
    return BT_OK;
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
    if (!target || !target->is_discoverable) {
        BT_TRY(add_not_found_finding(catalogue, edge, findings));
    } else {
        BT_TRY(judge_target(target, edge, findings));
    }
    if (source && !bt_skill_list_has(&source->provides_to, edge->target)) {
        BT_TRY(add_not_provided_finding(edge, findings));
    }
    return BT_OK;
}
