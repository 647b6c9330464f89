/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h - what is read without the library: the text as bytes, and single-quoted scalars.
 */
#ifndef BATON_SRC_YAML_BYTES_H
#define BATON_SRC_YAML_BYTES_H

#include "yaml/build.h"

static inline bool bt_yaml_is_break(char byte)
{
    return byte == '\n' || byte == '\r';
}

static inline bool bt_yaml_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || bt_yaml_is_break(byte);
}

/* Refuse what is too large, no UTF-8, or holds what the library should never see. */
void bt_yaml_check_bytes(struct bt_yaml_build *build, bt_str source);

/* Put what stands between single quotes: two quotes are one; blanks with line breaks among them are
 * a blank, or the breaks but one. */
void bt_yaml_put_single_quoted(struct bt_buf *buf, bt_str raw);

#endif
