/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_scalar.c - the first stage in plain C, for any processor.
 */
#include "json/index.h"

#include "json/index_masks.h"

enum {
    QUOTE = 1,
    BACKSLASH = 2,
    STRUCTURAL = 4,
    BLANK = 8,
    CONTROL = 16,
    WIDE = 32,
};

static inline uint64_t class_of(unsigned char byte)
{
    switch (byte) {
    case '"':
        return QUOTE;
    case '\\':
        return BACKSLASH;
    case '{':
    case '}':
    case '[':
    case ']':
    case ':':
    case ',':
        return STRUCTURAL;
    case ' ':
        return BLANK;
    case '\t':
    case '\n':
    case '\r':
        return BLANK | CONTROL;
    default:
        return byte < 0x20 ? CONTROL : byte > 0x7f ? WIDE : 0;
    }
}

static inline struct json_index_masks classify_block(const char *block)
{
    struct json_index_masks masks = {0};
    for (unsigned i = 0; i < 64; i++) {
        const uint64_t class = class_of((unsigned char)block[i]);
        masks.quote |= (class & QUOTE) << i;
        masks.backslash |= (class >> 1 & 1) << i;
        masks.structural |= (class >> 2 & 1) << i;
        masks.blank |= (class >> 3 & 1) << i;
        masks.control |= (class >> 4 & 1) << i;
        masks.wide |= (class >> 5 & 1) << i;
    }
    return masks;
}

#define INDEX_FUNCTION bt_json_index_scalar
#include "json/index_body.h"
