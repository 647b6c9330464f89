/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skill_absent.c - skills in the core profile, which has neither YAML nor files: there is never a
 * catalogue.
 */
#include "skill/skill.h"

const struct bt_skill *bt_skill_catalogue_find(const struct bt_skill_catalogue *catalogue,
                                               bt_str name)
{
    (void)catalogue;
    (void)name;
    return NULL;
}

enum bt_status bt_skill_check_edge(const struct bt_skill_catalogue *catalogue,
                                   const struct bt_skill_edge *edge, struct bt_findings *findings)
{
    (void)catalogue;
    (void)edge;
    (void)findings;
    return BT_EINVAL;
}
