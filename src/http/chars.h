/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chars.h - which bytes may stand where (RFC 9110 section 5.6).
 */
#ifndef BATON_SRC_HTTP_CHARS_H
#define BATON_SRC_HTTP_CHARS_H

#include <stdbool.h>
#include <stdint.h>

/* A control character; a tab is none. */
static inline bool http_is_control(char byte)
{
    const unsigned char code = (unsigned char)byte;
    return (code < ' ' && byte != '\t') || code == 0x7f;
}

/* Whether the byte is in a set of ASCII characters, a bit for each. */
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

/* What a host and its port are made of: letters, digits and -._~:[]% */
static inline bool http_is_host(char byte)
{
    return http_is_among(byte, UINT64_C(0x07ff602000000000), UINT64_C(0x47fffffeaffffffe));
}

#endif
