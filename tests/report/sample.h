/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - a report made by hand that has something of everything, hostile names included.
 */
#ifndef BATON_TESTS_REPORT_SAMPLE_H
#define BATON_TESTS_REPORT_SAMPLE_H

#include <baton/report.h>

/* The top-level members that the sample is rendered with. */
#define SAMPLE_MEMBERS BT_STR("\"record\":null")

/* A name as an enemy would choose it: terminal, workflow command, XML, HTML, Markdown, URI. */
#define SAMPLE_HOSTILE                                                                             \
    "evil\x1b[31m\r\n::error file=x::<script>alert('1')</script>]]>|`a`*b*[c](http://d)@e &amp; "  \
    "%41#"                                                                                         \
    "\xff\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\xef\xbb\xbf\xf3\xa0\x81\x81\xc2\xad\x7f\xef\xbf\xbe."    \
    "json"

/* NULL when the arena is exhausted. */
struct bt_report *sample_report(struct bt_arena *arena);

#endif
