/* SPDX-License-Identifier: Apache-2.0 */
/*
 * display_width.h - one character of a source that may not even be text: its bytes and its width.
 */
#ifndef BATON_SRC_REPORT_DISPLAY_WIDTH_H
#define BATON_SRC_REPORT_DISPLAY_WIDTH_H

#include <baton/base.h>

/* A character, or one byte that belongs to none. */
struct bt_display_char {
    uint32_t code_point; /* U+FFFD for a byte that belongs to no character */
    size_t bytes;
};

/* The glyph that begins at `at`, which lies before the end of the text. */
struct bt_display_char bt_display_char_at(bt_str text, size_t at);

/* How many columns a terminal gives to a character: 0, 1 or 2. */
size_t bt_display_char_columns(uint32_t code_point);
/* How many columns a terminal gives to a text. */
size_t bt_display_columns(bt_str text);

#endif
