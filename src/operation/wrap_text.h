/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap_text.h - prose for a terminal: wrapped at a width, indented.
 */
#ifndef BATON_SRC_OPERATION_WRAP_TEXT_H
#define BATON_SRC_OPERATION_WRAP_TEXT_H

#include <baton/base.h>

enum { TEXT_COLUMNS = 80 };

/*
 * Put words, broken at spaces so that lines end before TEXT_COLUMNS. The first line continues at
 * the current column `at`; further ones are indented by `indent`. Ends with a line feed.
 */
void bt_text_put_wrapped(struct bt_buf *buf, bt_str text, size_t at, size_t indent);

/* Put lines unchanged, each indented, with control characters escaped. */
void bt_text_put_lines(struct bt_buf *buf, bt_str text, size_t indent);

#endif
