/* SPDX-License-Identifier: Apache-2.0 */
/* class.h - the eight character classes of the splitter, by Unicode 16.0. */
#ifndef BATON_SRC_TOKEN_CLASS_H
#define BATON_SRC_TOKEN_CLASS_H

#include <stdint.h>

/* The order is that of tools/gen_tokens.py. */
enum bt_token_class {
    BT_CLASS_OTHER = 0,
    BT_CLASS_UPPER,  /* Lu, Lt */
    BT_CLASS_LOWER,  /* Ll */
    BT_CLASS_LETTER, /* Lm, Lo: neither case */
    BT_CLASS_MARK,   /* M */
    BT_CLASS_NUMBER, /* N */
    BT_CLASS_SPACE,  /* White_Space, save for the two below */
    BT_CLASS_LINE,   /* CR and LF */
};

/* The class of every code point, in blocks of 128, and which block is whose. The first block is
 * that of ASCII. */
extern const uint8_t bt_token_classes[];
extern const uint8_t bt_token_blocks[];

static inline uint8_t bt_token_class(uint32_t point)
{
    if (point >= 0x110000) {
        return BT_CLASS_OTHER;
    }
    return bt_token_classes[(uint32_t)bt_token_blocks[point >> 7] << 7 | (point & 127)];
}

#endif
