/* SPDX-License-Identifier: Apache-2.0 */
/* chars.h - character classes of HTTP (RFC 9110 section 5.6). */
#ifndef BATON_SRC_HTTP_CHARS_H
#define BATON_SRC_HTTP_CHARS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* A control character, except a tab. */
static inline bool http_is_control(char byte)
{
    const unsigned char code = (unsigned char)byte;
    return (code < ' ' && byte != '\t') || code == 0x7f;
}

/* True when the byte is in a set of ASCII characters, given as a bit for each. */
static inline bool http_is_among(char byte, uint64_t low, uint64_t high)
{
    const unsigned char code = (unsigned char)byte;
    return code < 128 && ((code < 64 ? low : high) >> (code & 63) & 1) != 0;
}

/* Letters, digits and !#$%&'*+-.^_`|~ */
static inline bool http_is_token(char byte)
{
    return http_is_among(byte, UINT64_C(0x03ff6cfa00000000), UINT64_C(0x57ffffffc7fffffe));
}

static inline bool http_is_token_text(bt_str text)
{
    size_t end = 0;
    while (end < text.len && http_is_token(text.ptr[end])) {
        end++;
    }
    return text.len > 0 && end == text.len;
}

/* The characters of a host and its port: letters, digits and -._~:[]% */
static inline bool http_is_host(char byte)
{
    return http_is_among(byte, UINT64_C(0x07ff602000000000), UINT64_C(0x47fffffeaffffffe));
}

#endif
