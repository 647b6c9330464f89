/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format.h - the drafts and names of all formats, and asking for one by name.
 */
#ifndef BATON_TESTS_SCHEMA_TEST_FORMAT_H
#define BATON_TESTS_SCHEMA_TEST_FORMAT_H

#include "test.h"

#include "schema/format.h"

static const enum bt_schema_draft all_drafts[] = {
    BT_SCHEMA_DRAFT_3,       BT_SCHEMA_DRAFT_4,       BT_SCHEMA_DRAFT_6, BT_SCHEMA_DRAFT_7,
    BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_2020_12, BT_SCHEMA_DRAFT_V1};

/* One text for each format, with the parts that its scanner knows. */
static const struct sample {
    const char *name;
    const char *text;
} samples[] = {
    {"color", "rgb( 10.5%, -20%,30% )"},
    {"date", "2024-02-29"},
    {"date-time", "1998-12-31T15:59:60.123-08:00"},
    {"duration", "P1Y2M3DT4H5M6S"},
    {"email", "\"a \\\" b\"@[IPv6:1:2::192.168.0.1]"},
    {"email", "a.b-c+d@example.org"},
    {"host-name", "www.example-1.org"},
    {"hostname", "a--b.xn--ngba5hb2804a.xn--4gbwdl"},
    {"idn-email", "\xce\xb4\xce\xbf.\xce\xba@caf\x65\xcc\x81.org"},
    {"idn-hostname",
     "l\xc2\xb7l.\xe3\x83\xbb\xe3\x81\x81\xe3\x80\x82xn--zca29lwxobi7a.\xe1\xba\xbf"},
    {"ip-address", "192.168.0.1"},
    {"ipv4", "255.255.255.255"},
    {"ipv6", "1:22:333:4444:a:Bb:192.168.0.1"},
    {"iri", "http://u:%C3%A9@\xc6\x92\xc3\xb8.com:80/\xc3\xa9/?\xee\x80\x80#\xf0\x90\x8c\x80"},
    {"iri-reference", "//[v1.a:b]:8/\xc3\xa9?q#f"},
    {"json-pointer", "/a~0b/~1/\xf0\x9f\x98\x8e"},
    {"regex", "^(?<n>[a-z\\d]+|\\u{1F600}){2,3}\\k<n>$"},
    {"relative-json-pointer", "12+3/a~1b"},
    {"time", "23:20:50.52+01:30"},
    {"uri", "ldap://u@[2001:db8::7]:389/c=GB%20?objectClass?one#f"},
    {"uri-reference", "./a:b/../c?d=e#f/g"},
    {"uri-template", "http://e.org/{+a.b:30,c*}{?d%41}\xc3\xa9%20"},
    {"uuid", "2eb8aa08-AA98-11ea-b4aa-73B441d16380"},
};

static inline bool has_format(const char *name, enum bt_schema_draft draft, bt_str text)
{
    const struct bt_schema_format *format = bt_schema_format_find(bt_str_of(name), draft);
    if (!format) {
        fail_msg("draft %d has no format '%s'", (int)draft, name);
    }
    const enum bt_schema_format_answer answer = bt_schema_format_check(format, text);
    assert_int_not_equal(answer, BT_SCHEMA_FORMAT_LIMIT);
    return answer == BT_SCHEMA_FORMAT_YES;
}

#endif
