/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chars.h - the characters of XML 1.0, fifth edition.
 */
#ifndef BATON_SRC_XML_CHARS_H
#define BATON_SRC_XML_CHARS_H

#include <baton/base.h>

static inline bool bt_xml_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* True when a document may contain the character. */
bool bt_xml_char(uint32_t character);
/* The offset of the first byte that is not valid UTF-8 or begins a character that is not allowed
 * in a document, or text.len. */
size_t bt_xml_check_chars(bt_str text);
/* True when a name without colons can begin at `at`. */
bool bt_xml_begins_name(bt_str text, size_t at);
/* The end of the name without colons that begins at `from`; `from` itself when none does. */
size_t bt_xml_name_end(bt_str text, size_t from);

#endif
