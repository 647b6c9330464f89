/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.c - the table of formats: a row for each name and meaning.
 *
 * A name has one row per meaning; no two of them have a draft in common. Left out are `phone`,
 * `style` and `utc-millisec` of draft 3, whose texts may be anything.
 */
#include "schema/format.h"

#include <assert.h>
#include <string.h>

#include "base/env.h"

#include "schema/format_scan.h"

#define ONLY(draft) (1U << (draft))
#define FROM(draft) (~0U << (draft))
#define UP_TO(draft) ((2U << (draft)) - 1)

static bool is_uuid(bt_str text);

static const struct bt_schema_format formats[] = {
    {BT_STR_INIT("color"), ONLY(BT_SCHEMA_DRAFT_3), bt_schema_format_is_color},
    {BT_STR_INIT("date"), ONLY(BT_SCHEMA_DRAFT_3) | FROM(BT_SCHEMA_DRAFT_7),
     bt_schema_format_is_date},
    {BT_STR_INIT("date-time"), FROM(BT_SCHEMA_DRAFT_3), bt_schema_format_is_date_time},
    {BT_STR_INIT("duration"), FROM(BT_SCHEMA_DRAFT_2019_09), bt_schema_format_is_duration},
    {BT_STR_INIT("email"), FROM(BT_SCHEMA_DRAFT_3), bt_schema_format_is_email},
    {BT_STR_INIT("host-name"), ONLY(BT_SCHEMA_DRAFT_3), bt_schema_format_is_hostname_draft3},
    {BT_STR_INIT("hostname"), FROM(BT_SCHEMA_DRAFT_4) & UP_TO(BT_SCHEMA_DRAFT_6),
     bt_schema_format_is_hostname_draft3},
    {BT_STR_INIT("hostname"), FROM(BT_SCHEMA_DRAFT_7), bt_schema_format_is_hostname},
    {BT_STR_INIT("idn-email"), FROM(BT_SCHEMA_DRAFT_7), bt_schema_format_is_idn_email},
    {BT_STR_INIT("idn-hostname"), FROM(BT_SCHEMA_DRAFT_7), bt_schema_format_is_idn_hostname},
    {BT_STR_INIT("ip-address"), ONLY(BT_SCHEMA_DRAFT_3), bt_schema_format_is_ipv4},
    {BT_STR_INIT("ipv4"), FROM(BT_SCHEMA_DRAFT_4), bt_schema_format_is_ipv4},
    {BT_STR_INIT("ipv6"), FROM(BT_SCHEMA_DRAFT_3), bt_schema_format_is_ipv6},
    {BT_STR_INIT("iri"), FROM(BT_SCHEMA_DRAFT_7), bt_schema_format_is_iri},
    {BT_STR_INIT("iri-reference"), FROM(BT_SCHEMA_DRAFT_7), bt_schema_format_is_iri_reference},
    {BT_STR_INIT("json-pointer"), FROM(BT_SCHEMA_DRAFT_6), bt_schema_format_is_json_pointer},
    {BT_STR_INIT("regex"), ONLY(BT_SCHEMA_DRAFT_3) | FROM(BT_SCHEMA_DRAFT_7), NULL},
    {BT_STR_INIT("relative-json-pointer"), FROM(BT_SCHEMA_DRAFT_7) & UP_TO(BT_SCHEMA_DRAFT_2019_09),
     bt_schema_format_is_relative_pointer_draft7},
    {BT_STR_INIT("relative-json-pointer"), FROM(BT_SCHEMA_DRAFT_2020_12),
     bt_schema_format_is_relative_pointer},
    {BT_STR_INIT("time"), ONLY(BT_SCHEMA_DRAFT_3), bt_schema_format_is_time_draft3},
    {BT_STR_INIT("time"), FROM(BT_SCHEMA_DRAFT_7), bt_schema_format_is_time},
    {BT_STR_INIT("uri"), FROM(BT_SCHEMA_DRAFT_3), bt_schema_format_is_uri},
    {BT_STR_INIT("uri-reference"), FROM(BT_SCHEMA_DRAFT_6), bt_schema_format_is_uri_reference},
    {BT_STR_INIT("uri-template"), FROM(BT_SCHEMA_DRAFT_6), bt_schema_format_is_uri_template},
    {BT_STR_INIT("uuid"), FROM(BT_SCHEMA_DRAFT_2019_09), is_uuid},
};

/* RFC 4122: any version and variant, in either case. */
static bool is_uuid(bt_str text)
{
    char lower[BT_UUID_TEXT_BYTES];
    if (text.len >= sizeof(lower)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        lower[i] = bt_ascii_lower(text.ptr[i]);
    }
    return bt_uuid_is_valid((bt_str){lower, text.len});
}

const struct bt_schema_format *bt_schema_format_find(bt_str name, enum bt_schema_draft draft)
{
    assert(draft >= BT_SCHEMA_DRAFT_3);
    assert(draft <= BT_SCHEMA_DRAFT_V1);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if ((formats[i].drafts >> draft & 1) != 0 && bt_str_eq(formats[i].name, name)) {
            return &formats[i];
        }
    }
    return NULL;
}

enum bt_schema_format_answer bt_schema_format_check(const struct bt_schema_format *format,
                                                    bt_str text)
{
    assert(format);
    if (!format->has) {
        return bt_schema_format_check_regex(text);
    }
    return format->has(text) ? BT_SCHEMA_FORMAT_YES : BT_SCHEMA_FORMAT_NO;
}
