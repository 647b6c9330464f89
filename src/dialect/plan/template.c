/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template.c - the section of an agent's template that declares the codes of untyped and
 * mismatched handoffs.
 */
#include "base/buf.h"
#include "dialect/plan/plan_check.h"
#include "report/rules.h"

bt_str bt_plan_template_name(void)
{
    return BT_STR("handoff_payload_codes");
}

void bt_plan_put_template(struct bt_buf *buf)
{
    const bt_str name = bt_plan_template_name();
    const bt_str untyped = bt_code_name(BT_CODE_PAYLOAD_UNTYPED);
    const bt_str mismatch = bt_code_name(BT_CODE_PAYLOAD_MISMATCH);
    const bt_str day = bt_plan_untyped_hard_from();
    bt_buf_printf(buf, "<!-- AGENTTEAMS:BEGIN %.*s v=1 -->\n", BT_STR_ARG(name));
    bt_buf_put_text(buf, "## Handoff payload codes\n\n"
                         "| Category | Code | Severity | Description |\n"
                         "|---|---|---|---|\n");
    bt_buf_printf(buf,
                  "| `%.*s` | PU | WARN before %.*s, HARD from that day on | A side of a handoff "
                  "names no payload schema. |\n",
                  BT_STR_ARG(untyped), BT_STR_ARG(day));
    bt_buf_printf(buf,
                  "| `%.*s` | PM | HARD | The two sides of a handoff name different payload "
                  "schemas. |\n\n",
                  BT_STR_ARG(mismatch));
    bt_buf_put_text(buf, "Find them with this command; do not read the plan by eye:\n\n"
                         "    baton plan audit FILE -f json\n\n"
                         "The severity comes from the tool, by the day on which it runs. It is "
                         "not a matter of judgement: report it as\n"
                         "the tool gives it, and never lower it.\n");
    bt_buf_printf(buf, "<!-- AGENTTEAMS:END %.*s -->\n", BT_STR_ARG(name));
}
