/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - look for short texts in the long lines of transcripts. */
#ifndef BATON_SRC_TRANSCRIPT_SCAN_H
#define BATON_SRC_TRANSCRIPT_SCAN_H

#include "base/arena.h"

/* True when the first 32 bytes of the word, which is not empty, stand in the text. */
bool bt_transcript_may_have_word(bt_str text, bt_str word);
/* True when the text says in any letter case that it is truncated. */
bool bt_transcript_is_truncated(bt_str text);
/*
 * True when a text may be hidden in a line of JSON: a letter as \u00XX, or a carriage return or
 * escape sequence between two letters.
 */
bool bt_transcript_has_hidden_text(bt_str line);

#endif
