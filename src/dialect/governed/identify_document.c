/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify_document.c - whom a governed handoff or response is from and for.
 */
#include <assert.h>

#include "dialect/governed/governed_check.h"
#include "report/identity.h"

static void identify_handoff(const struct bt_json_doc *document, struct bt_identity *out)
{
    out->id_pointer = BT_STR("/handoff_id");
    bt_identity_read_name(document, out->id_pointer, &out->handoff_id);
    bt_identity_read_name(document, BT_STR("/source_agent/agent_id"), &out->source);
    bt_identity_read_name(document, BT_STR("/target_agent/agent_id"), &out->target);
}

void bt_governed_check_identify_document(const struct bt_governed_check *check,
                                         struct bt_identity *out)
{
    assert(check);
    assert(out);
    if (!check->document) {
        return;
    }
    /* The first of the two that there is, whatever the kind: it decides what the caller may see. */
    const bool has_source = bt_governed_check_at(check, BT_STR("/source_agent/agent_id")) != NULL;
    out->speaker = bt_governed_check_text(check, has_source ? BT_STR("/source_agent/agent_id")
                                                            : BT_STR("/agent/agent_id"));
    if (check->kind == BT_GOVERNED_HANDOFF) {
        identify_handoff(check->document, out);
    }
}
