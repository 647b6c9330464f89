/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - character data: where a run of it ends, and what it says once references and line ends
 * are decoded.
 */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/str.h"
#include "xml/chars.h"
#include "xml/reader.h"

static const struct xml_text_entity {
    bt_str written;
    char meant;
} entities[] = {
    {BT_STR_INIT("amp;"), '&'},  {BT_STR_INIT("lt;"), '<'},    {BT_STR_INIT("gt;"), '>'},
    {BT_STR_INIT("quot;"), '"'}, {BT_STR_INIT("apos;"), '\''},
};

/* The value of a digit to this base, 10 or 16, or -1. */
static int digit_of(char byte, int base)
{
    const int value = bt_ascii_hex_value(byte);
    return value < base ? value : -1;
}

/* The length of a character reference after its `&#`; 0: it is not one. */
static size_t character_reference(bt_str text, uint32_t *out)
{
    const bool is_hex = text.len > 0 && text.ptr[0] == 'x';
    const int base = is_hex ? 16 : 10;
    uint32_t number = 0;
    size_t at = is_hex ? 1 : 0;
    const size_t first = at;
    for (; at < text.len && digit_of(text.ptr[at], base) >= 0; at++) {
        number = number * (uint32_t)base + (uint32_t)digit_of(text.ptr[at], base);
        if (number > 0x10ffff) {
            return 0;
        }
    }
    if (at == first || at == text.len || text.ptr[at] != ';' || !bt_xml_char(number)) {
        return 0;
    }
    *out = number;
    return at + 1;
}

/* The length of the reference that begins `text` with its `&`, or 0; what it means goes to `to`. */
static size_t decode_reference(bt_str text, char *to, size_t *out_size)
{
    const bt_str after = bt_str_slice(text, 1, text.len);
    if (after.len > 0 && after.ptr[0] == '#') {
        uint32_t character = 0;
        const size_t size = character_reference(bt_str_slice(after, 1, after.len), &character);
        *out_size = size > 0 ? bt_utf8_encode(character, to) : 0;
        return size > 0 ? size + 2 : 0;
    }
    for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
        if (bt_str_starts_with(after, entities[i].written)) {
            *to = entities[i].meant;
            *out_size = 1;
            return entities[i].written.len + 1;
        }
    }
    return 0;
}

static bool needs_decoding(bt_str raw, bool is_attribute)
{
    for (size_t i = 0; i < raw.len; i++) {
        const char byte = raw.ptr[i];
        if (byte == '&' || byte == '\r' || (is_attribute && (byte == '\n' || byte == '\t'))) {
            return true;
        }
    }
    return false;
}

/* The `&` at raw[at]: decoded, or text. Returns how many bytes it takes, 0 after a fault. */
static size_t decode_ampersand(struct bt_xml_reader *reader, bt_str raw, size_t at, size_t offset,
                               char *to, size_t *out_size)
{
    const size_t taken = decode_reference(bt_str_slice(raw, at, raw.len), to, out_size);
    if (taken > 0) {
        return taken;
    }
    if (!bt_xml_is_lenient(reader)) {
        (void)bt_xml_set_error(reader, BT_XML_SYNTAX, offset + at,
                               "an & that begins neither a predefined entity nor a character "
                               "reference");
        return 0;
    }
    bt_xml_add_repair(reader, BT_XML_REPAIR_AMP);
    *to = '&';
    *out_size = 1;
    return 1;
}

bool bt_xml_decode(struct bt_xml_reader *reader, bt_str raw, size_t offset, bool is_attribute,
                   bt_str *out)
{
    if (!needs_decoding(raw, is_attribute)) {
        *out = raw;
        return true;
    }
    /* Nothing decodes to more bytes than it was written in. */
    char *text = bt_arena_alloc(reader->arena, raw.len);
    if (!text) {
        return bt_xml_no_memory(reader);
    }
    size_t length = 0;
    for (size_t at = 0; at < raw.len;) {
        const char byte = raw.ptr[at];
        size_t size = 1;
        size_t taken = 1;
        if (byte == '&') {
            taken = decode_ampersand(reader, raw, at, offset, text + length, &size);
            if (taken == 0) {
                return false;
            }
        } else if (byte == '\r') {
            text[length] = is_attribute ? ' ' : '\n';
            taken = at + 1 < raw.len && raw.ptr[at + 1] == '\n' ? 2 : 1;
        } else {
            text[length] = is_attribute && (byte == '\n' || byte == '\t') ? ' ' : byte;
        }
        at += taken;
        length += size;
    }
    bt_arena_shrink_last(reader->arena, text, length);
    *out = (bt_str){text, length};
    return true;
}

/* True when the `<` at `at` begins markup, judging by the next character. */
static bool begins_markup(bt_str source, size_t at)
{
    if (at + 1 == source.len) {
        return false;
    }
    const char next = source.ptr[at + 1];
    return next == '/' || next == '!' || next == '?' || next == ':' ||
           bt_xml_begins_name(source, at + 1);
}

/* The next `<` that is not text. False after a fault. */
static bool find_markup(struct bt_xml_reader *reader, size_t *out)
{
    const bt_str source = reader->source;
    size_t at = bt_str_find_byte(source, '<', reader->at);
    for (; at < source.len && !begins_markup(source, at);
         at = bt_str_find_byte(source, '<', at + 1)) {
        if (!bt_xml_is_lenient(reader)) {
            return bt_xml_set_error(reader, BT_XML_SYNTAX, at, "a < that begins no tag");
        }
        if (reader->depth > 0) {
            bt_xml_add_repair(reader, BT_XML_REPAIR_LT);
        }
    }
    *out = at;
    return true;
}

bool bt_xml_add_text(struct bt_xml_reader *reader, bt_str text, size_t offset)
{
    assert(reader->depth > 0);
    struct bt_xml_node *parent = reader->frames[reader->depth - 1].element;
    struct bt_xml_node *node = BT_NEW(reader->arena, struct bt_xml_node);
    if (!node) {
        return bt_xml_no_memory(reader);
    }
    node->is_text = true;
    node->name = text;
    node->offset = offset;
    node->parent = parent;
    if (parent->last) {
        parent->last->next = node;
    } else {
        parent->first = node;
    }
    parent->last = node;
    parent->has_text = parent->has_text || !bt_xml_is_blank(text);
    return true;
}

/* Text outside every element. */
static bool check_outside_text(struct bt_xml_reader *reader, bt_str raw)
{
    if (bt_xml_is_blank(raw)) {
        return true;
    }
    if (!bt_xml_is_lenient(reader)) {
        size_t from = 0;
        while (bt_xml_blank(raw.ptr[from])) {
            from++;
        }
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at + from,
                                reader->document->root
                                    ? "text after the document element"
                                    : "text where the document element is expected");
    }
    bt_xml_add_repair(reader, BT_XML_REPAIR_OUTSIDE);
    return true;
}

/* The offset of "]]>" in `raw`, or its length. */
static size_t find_section_end(bt_str raw)
{
    for (size_t at = bt_str_find_byte(raw, ']', 0); at < raw.len;
         at = bt_str_find_byte(raw, ']', at + 1)) {
        if (bt_str_starts_with(bt_str_slice(raw, at, raw.len), BT_STR("]]>"))) {
            return at;
        }
    }
    return raw.len;
}

bool bt_xml_char_data(struct bt_xml_reader *reader)
{
    size_t end = 0;
    const size_t offset = reader->at;
    if (!find_markup(reader, &end)) {
        return false;
    }
    const bt_str raw = bt_str_slice(reader->source, offset, end);
    if (reader->depth == 0) {
        if (!check_outside_text(reader, raw)) {
            return false;
        }
        reader->at = end;
        return true;
    }
    bt_str text = BT_STR("");
    const size_t forbidden = bt_xml_is_lenient(reader) ? raw.len : find_section_end(raw);
    if (!bt_xml_decode(reader, bt_str_slice(raw, 0, forbidden), offset, false, &text)) {
        return false;
    }
    if (forbidden < raw.len) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, offset + forbidden, "]]> in text");
    }
    reader->at = end;
    return text.len == 0 || bt_xml_add_text(reader, text, offset);
}
