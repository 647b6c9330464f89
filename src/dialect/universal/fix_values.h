/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix_values.h - texts in other spellings -> the spelling that the schema wants, meaning the same.
 *
 * Each function puts the new text (plain, not JSON) to `out`, or nothing when it does not know the
 * spelling. Failures of the buffer stick to it.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_FIX_VALUES_H
#define BATON_SRC_DIALECT_UNIVERSAL_FIX_VALUES_H

#include <baton/report.h>

/*
 * A date and time in the common spellings -> UTC with Z. Safe when a zone is given; unsafe when it
 * is taken to be UTC, or when the text is a date alone and midnight is taken; none when it is
 * neither, or names no instant.
 */
enum bt_fix bt_universal_fix_date(bt_str text, struct bt_buf *out);

/* A UUID in upper case, in braces, with urn:uuid: or without hyphens. False: it is none. */
bool bt_universal_fix_uuid(bt_str text, struct bt_buf *out);

/* A SHA-256 in upper case or without its prefix -> "sha256:..." in lower case. False: it is none.*/
bool bt_universal_fix_hash(bt_str text, struct bt_buf *out);

/* The text without ASCII white space around it, with A to Z in lower case. */
void bt_universal_fix_case(bt_str text, struct bt_buf *out);

/* The first `keep` code points and "...". */
void bt_universal_fix_truncate(bt_str text, size_t keep, struct bt_buf *out);

/* Whether the text is 1 to 15 digits without sign or leading zero: a number as it stands. */
bool bt_json_is_plain_integer(bt_str text);

#endif
