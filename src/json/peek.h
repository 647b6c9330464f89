/* SPDX-License-Identifier: Apache-2.0 */
/* peek.h - a quick inspection of a text that may be JSON. */
#ifndef BATON_SRC_JSON_PEEK_H
#define BATON_SRC_JSON_PEEK_H

#include <baton/base.h>

/* White space as JSON has it (RFC 8259 section 2). */
static inline bool bt_json_is_space(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/*
 * The first byte of the value that the member `name` of the root object has, such as '{' or '"';
 * '\0' when the text does not look like an object with that member. Nothing is judged: a text that
 * breaks off or goes wrong later may well have been recognised before. Takes no memory and time
 * linear in the text. A name that is written with escapes is compared as it stands.
 */
char bt_json_peek(bt_str text, bt_str name);

#endif
