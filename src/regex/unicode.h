/* SPDX-License-Identifier: Apache-2.0 */
/* unicode.h - the contents of the braces of \p{...}. */
#ifndef BATON_SRC_REGEX_UNICODE_H
#define BATON_SRC_REGEX_UNICODE_H

#include "regex/set.h"

/*
 * Add the code points that `expression` ("Lu", "Script=Greek", "Emoji") names. *out_known tells
 * whether ECMA-262 knows it; names are compared letter for letter, as the standard asks. Returns
 * false only when working memory ran out.
 */
bool bt_re_unicode_add(struct bt_re_build *build, struct bt_re_set *set, bt_str expression,
                       bool *out_known);

#endif
