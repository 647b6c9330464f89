/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive_text.h - what may be asserted of a string beyond its characters.
 */
#ifndef BATON_TESTS_SCHEMA_NAIVE_TEXT_H
#define BATON_TESTS_SCHEMA_NAIVE_TEXT_H

#include "judge.h"

/* Whether the text has the format; true for one that the draft does not know. *out_fault is set
 * when that could not be decided. */
bool naive_text_has_format(enum bt_schema_draft draft, bt_str format, bt_str text,
                           const char **out_fault);

/* Whether the text is what draft 7's contentEncoding and contentMediaType say ("": nothing is
 * said). Base64 and JSON are known, all else passes. */
bool naive_text_has_content(bt_str text, bt_str media_type, bt_str encoding);

#endif
