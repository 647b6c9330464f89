/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governance.c - stage governance: may this skill hand work to that one?
 *
 * Only names that passed their own part of the schema are looked up in the catalogue.
 */
#include "skill/skill.h"

#include "dialect/universal/stages.h"

/* The member's text; "" when it cannot be used. */
static bt_str find_usable_text(const struct bt_universal_check *handoff,
                               const bt_json_value *object, const char *name)
{
    bt_str text = BT_STR("");
    return bt_universal_check_usable_text(handoff, object, name, &text) ? text : BT_STR("");
}

enum bt_status bt_universal_stage_governance(struct bt_universal_check *handoff)
{
    if (!handoff->parts.handoff) {
        return BT_OK;
    }
    /* The schema knows one version alone; whom it suits is a question for every version. */
    const bt_json_value *version =
        bt_json_get(handoff->document, handoff->parts.handoff, BT_STR("version"));
    const struct bt_skill_edge edge = {
        .document = handoff->document,
        .handoff = handoff->parts.handoff,
        .source = find_usable_text(handoff, handoff->parts.source, "skill"),
        .target = find_usable_text(handoff, handoff->parts.target, "skill"),
        .version = version ? bt_json_text(version) : BT_STR(""),
    };
    return bt_skill_check_edge(handoff->options->catalogue, &edge, handoff->findings);
}
