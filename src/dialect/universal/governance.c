/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governance.c - stage governance: may this skill hand work to that one?
 *
 * The catalogue is asked about names that passed their own part of the schema.
 */
#include <baton/catalogue.h>

#include "dialect/universal/stages.h"

/* The member's text; "" when it cannot be used. */
static bt_str usable(const struct bt_handoff *handoff, const bt_value *object, const char *name)
{
    bt_str text = BT_STR("");
    return bt_usable_text(handoff, object, name, &text) ? text : BT_STR("");
}

enum bt_status bt_stage_governance(struct bt_handoff *handoff)
{
    if (!handoff->handoff) {
        return BT_OK;
    }
    /* The schema knows one version alone; whom it suits is a question for every version. */
    const bt_value *version = bt_json_get(handoff->document, handoff->handoff, BT_STR("version"));
    const struct bt_governed_edge edge = {
        .document = handoff->document,
        .handoff = handoff->handoff,
        .source = usable(handoff, handoff->source, "skill"),
        .target = usable(handoff, handoff->target, "skill"),
        .version = version ? bt_json_text(version) : BT_STR(""),
    };
    return bt_catalogue_govern(handoff->options->catalogue, &edge, handoff->findings);
}
