/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap_text.h - prose for a terminal: wrapped at a width, indented.
 */
#ifndef BATON_SRC_OPERATION_WRAP_TEXT_H
#define BATON_SRC_OPERATION_WRAP_TEXT_H

#include <baton/base.h>

enum { TEXT_COLUMNS = 80 };

/*
 * Put words, broken at blanks so that lines end before TEXT_COLUMNS. The first line goes on where
 * the caller stands, at column `at`; further ones are indented by `indent`. Ends with a line feed.
 */
void bt_text_put_wrapped(struct bt_buf *buf, bt_str text, size_t at, size_t indent);

/* Put lines as they stand, each indented, with what a terminal would obey escaped. */
void bt_text_put_lines(struct bt_buf *buf, bt_str text, size_t indent);

#endif
