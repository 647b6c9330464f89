/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identify.c - whom a universal handoff is from and for.
 */
#include <assert.h>

#include "dialect/universal/universal_check.h"
#include "report/identity.h"

void bt_universal_check_identify(const struct bt_universal_check *handoff, struct bt_identity *out)
{
    assert(handoff);
    assert(out);
    if (handoff->document) {
        bt_identity_read_name(handoff->document, BT_STR("/handoff/trace_id"), &out->trace_id);
        bt_identity_read_name(handoff->document, BT_STR("/handoff/source/skill"), &out->source);
        bt_identity_read_name(handoff->document, BT_STR("/handoff/target/skill"), &out->target);
    }
}
