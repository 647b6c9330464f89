/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xsd_absent.c - values against the types of an organism, in the core profile: no organism can be
 * read, so nothing is ever compared.
 */
#include "organism/xsd.h"

#include <assert.h>

enum bt_status bt_xsd_judge(struct bt_arena *arena, const struct bt_xsd_simple *simple, bt_str text,
                            bool *out_is_of_type, enum bt_xml_field_facet_facet *out_facet)
{
    (void)arena;
    (void)simple;
    (void)text;
    (void)out_is_of_type;
    (void)out_facet;
    return BT_EINVAL;
}

enum bt_status bt_xsd_match_begin(struct bt_arena *arena, const struct bt_xsd_group *content,
                                  struct bt_xsd_match **out)
{
    (void)arena;
    (void)content;
    (void)out;
    return BT_EINVAL;
}

enum bt_xsd_match_result bt_xsd_match_child(struct bt_xsd_match *match, bt_str name,
                                            const struct bt_payload_type **out_type)
{
    (void)match;
    (void)name;
    (void)out_type;
    assert(false); /* no matching can begin */
    return BT_XSD_CHOICE;
}

bool bt_xsd_match_missing(const struct bt_xsd_match *match, size_t index, bt_str *out)
{
    (void)match;
    (void)index;
    (void)out;
    assert(false); /* no matching can begin */
    return false;
}
