/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - the order of reading: size, encoding, the XML declaration, then markup and text in turn.
 *
 * Nothing recurses; open elements stand in an array. No wrapper is ever put around the input: the
 * top level is walked, so that a forged end tag has nothing to close.
 */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/uninitialized.h"
#include "xml/chars.h"
#include "xml/reader.h"

bool bt_xml_set_error(struct bt_xml_reader *reader, enum bt_xml_error code, size_t offset,
                      const char *detail)
{
    assert(reader->result->code == BT_XML_FINE);
    reader->result->code = code;
    reader->result->offset = offset;
    reader->result->detail = detail;
    return false;
}

bool bt_xml_no_memory(struct bt_xml_reader *reader)
{
    reader->failed = true;
    return false;
}

void bt_xml_add_repair(struct bt_xml_reader *reader, enum bt_xml_repair repair)
{
    static const unsigned of_values =
        BT_XML_REPAIR_AMP | BT_XML_REPAIR_LT | BT_XML_REPAIR_CLOSE | BT_XML_REPAIR_STRAY;
    struct bt_xml_frame *top = bt_xml_open_element(reader);
    reader->result->repairs |= repair;
    if (top && (repair & of_values) != 0 && top->repairs == 0) {
        top->repairs = repair;
    }
}

bool bt_xml_close(struct bt_xml_reader *reader)
{
    assert(reader->depth > 0);
    const struct bt_xml_frame *top = &reader->frames[--reader->depth];
    bt_xml_namespaces_undo(&reader->spaces, top->undo);
    if (reader->options->mode == BT_XML_LENIENT_MESSAGE && top->repairs != 0 &&
        !top->element->has_elements) {
        reader->result->leaf = top->element;
        reader->result->leaf_repair = top->repairs;
        return bt_xml_set_error(reader, BT_XML_REPAIRED_LEAF, top->element->offset,
                                "a repair could have changed a value");
    }
    return true;
}

/* How many elements an end tag closes; 0: it matches nothing that is open. */
static size_t count_closed(const struct bt_xml_reader *reader, bt_str name)
{
    /* Hostile text causes this for every level every few bytes, so compare the cheap part first. */
    for (size_t i = reader->depth; i > 0; i--) {
        const bt_str written = reader->frames[i - 1].written;
        if (written.len == name.len && written.ptr[0] == name.ptr[0] && bt_str_eq(written, name)) {
            return reader->depth - i + 1;
        }
    }
    return 0;
}

/* The name of the end tag at reader->at, which is passed. */
static bool read_end_tag(struct bt_xml_reader *reader, bt_str *out)
{
    const bt_str source = reader->source;
    const size_t from = reader->at + 2;
    size_t end = bt_xml_name_end(source, from);
    if (end > from && end < source.len && source.ptr[end] == ':') {
        end = bt_xml_name_end(source, end + 1);
    }
    *out = bt_str_slice(source, from, end);
    size_t at = end;
    while (at < source.len && bt_xml_blank(source.ptr[at])) {
        at++;
    }
    if (out->len == 0 || at == source.len || source.ptr[at] != '>') {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at, "a malformed end tag");
    }
    reader->at = at + 1;
    return true;
}

static bool end_tag(struct bt_xml_reader *reader)
{
    const size_t offset = reader->at;
    bt_str name;
    if (!read_end_tag(reader, &name)) {
        return false;
    }
    const size_t count = count_closed(reader, name);
    if (count != 1 && !bt_xml_is_lenient(reader)) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, offset,
                                "an end tag that is not that of the open element");
    }
    if (count == 0) {
        bt_xml_add_repair(reader, BT_XML_REPAIR_STRAY);
        return true;
    }
    for (size_t i = 1; i < count; i++) {
        bt_xml_add_repair(reader, BT_XML_REPAIR_CLOSE);
        if (!bt_xml_close(reader)) {
            return false;
        }
    }
    return bt_xml_close(reader);
}

/* The offset of `mark` in the source at or after `from`, or the length of the source. */
static size_t find_mark(bt_str source, bt_str mark, size_t from)
{
    size_t at = bt_str_find_byte(source, mark.ptr[0], from);
    while (at < source.len && !bt_str_starts_with(bt_str_slice(source, at, source.len), mark)) {
        at = bt_str_find_byte(source, mark.ptr[0], at + 1);
    }
    return at;
}

static void mark_comment_or_cdata(struct bt_xml_reader *reader)
{
    const struct bt_xml_frame *top = bt_xml_open_element(reader);
    if (top) {
        top->element->is_dressed = true;
    }
}

static bool read_comment(struct bt_xml_reader *reader)
{
    const size_t dashes = find_mark(reader->source, BT_STR("--"), reader->at + sizeof("<!--") - 1);
    if (!bt_str_starts_with(bt_str_slice(reader->source, dashes, reader->source.len),
                            BT_STR("-->"))) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at, "a malformed comment");
    }
    mark_comment_or_cdata(reader);
    reader->at = dashes + sizeof("-->") - 1;
    return true;
}

/* Line ends are the only thing that is decoded in a section. */
static bool decode_lines(struct bt_xml_reader *reader, bt_str raw, bt_str *out)
{
    *out = raw;
    if (bt_str_find_byte(raw, '\r', 0) == raw.len) {
        return true;
    }
    char *text = bt_arena_alloc(reader->arena, raw.len);
    if (!text) {
        return bt_xml_no_memory(reader);
    }
    size_t length = 0;
    for (size_t i = 0; i < raw.len; i++) {
        const bool is_return = raw.ptr[i] == '\r';
        i += is_return && i + 1 < raw.len && raw.ptr[i + 1] == '\n';
        text[length++] = is_return ? '\n' : raw.ptr[i];
    }
    *out = (bt_str){text, length};
    return true;
}

static bool read_cdata(struct bt_xml_reader *reader)
{
    const size_t from = reader->at + sizeof("<![CDATA[") - 1;
    const size_t end = find_mark(reader->source, BT_STR("]]>"), from);
    if (end == reader->source.len) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at,
                                "a CDATA section without an end");
    }
    const bt_str raw = bt_str_slice(reader->source, from, end);
    if (reader->depth == 0) {
        if (!bt_xml_is_lenient(reader)) {
            return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at,
                                    "a CDATA section outside the document element");
        }
        bt_xml_add_repair(reader, BT_XML_REPAIR_OUTSIDE);
        reader->at = end + sizeof("]]>") - 1;
        return true;
    }
    bt_str text;
    mark_comment_or_cdata(reader);
    reader->at = end + sizeof("]]>") - 1;
    return decode_lines(reader, raw, &text) &&
           (text.len == 0 || bt_xml_add_text(reader, text, from));
}

static bool read_markup_declaration(struct bt_xml_reader *reader)
{
    const bt_str rest = bt_xml_rest(reader);
    if (bt_str_starts_with(rest, BT_STR("<!--"))) {
        return read_comment(reader);
    }
    if (bt_str_starts_with(rest, BT_STR("<![CDATA["))) {
        return read_cdata(reader);
    }
    if (bt_str_starts_with(rest, BT_STR("<!DOCTYPE"))) {
        return bt_xml_set_error(reader, BT_XML_DTD, reader->at, "a document type declaration");
    }
    return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at, "a malformed declaration");
}

static bool has_other_encoding(struct bt_xml_reader *reader)
{
    const bt_str encoding = bt_xml_declared_encoding(bt_xml_rest(reader));
    return encoding.len > 0 && !bt_ascii_equal_nocase(encoding, BT_STR("utf-8")) &&
           !bt_xml_set_error(reader, BT_XML_ENCODING, reader->at, "an encoding other than UTF-8");
}

static bool read_instruction(struct bt_xml_reader *reader)
{
    const bt_str source = reader->source;
    const size_t from = reader->at + sizeof("<?") - 1;
    const bt_str target = bt_str_slice(source, from, bt_xml_name_end(source, from));
    const size_t end = find_mark(source, BT_STR("?>"), from);
    const bool is_misplaced = bt_ascii_equal_nocase(target, bt_str_of("xml"));
    if (target.len == 0 || end == source.len || (is_misplaced && !bt_xml_is_lenient(reader))) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at,
                                is_misplaced ? "an XML declaration that is not at the beginning"
                                             : "a malformed processing instruction");
    }
    if (!is_misplaced && reader->options->mode != BT_XML_LENIENT_RESULT) {
        reader->result->name = target;
        return bt_xml_set_error(reader, BT_XML_PI, reader->at, "a processing instruction");
    }
    if (has_other_encoding(reader)) {
        return false;
    }
    bt_xml_add_repair(reader, BT_XML_REPAIR_PI);
    reader->at = end + sizeof("?>") - 1;
    return true;
}

static bool read_next(struct bt_xml_reader *reader)
{
    const bt_str rest = bt_xml_rest(reader);
    assert(rest.len > 0);
    if (rest.ptr[0] != '<' || rest.len == 1) {
        return bt_xml_char_data(reader);
    }
    switch (rest.ptr[1]) {
    case '/':
        return end_tag(reader);
    case '!':
        return read_markup_declaration(reader);
    case '?':
        return read_instruction(reader);
    default:
        return bt_xml_begins_name(rest, 1) || rest.ptr[1] == ':' ? bt_xml_start_tag(reader)
                                                                 : bt_xml_char_data(reader);
    }
}

/* The end of the input: all elements must be closed, or are closed by repair. */
static bool check_end(struct bt_xml_reader *reader)
{
    const struct bt_xml_frame *top = bt_xml_open_element(reader);
    if (top) {
        if (!bt_xml_is_lenient(reader) || !top->element->has_elements) {
            return bt_xml_set_error(reader, bt_xml_is_lenient(reader) ? BT_XML_CUT : BT_XML_SYNTAX,
                                    reader->source.len, "the input ends inside an element");
        }
        bt_xml_add_repair(reader, BT_XML_REPAIR_EOF);
        while (reader->depth > 0) {
            if (!bt_xml_close(reader)) {
                return false;
            }
        }
    }
    if (!reader->document->root && reader->options->mode != BT_XML_LENIENT_RESULT) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->source.len, "no document element");
    }
    return true;
}

/* Size and encoding, and past the byte order mark and the declaration. */
static bool read_prolog(struct bt_xml_reader *reader)
{
    const bt_str source = reader->source;
    if (source.len > reader->options->bytes_max) {
        reader->result->limit = reader->options->bytes_max;
        return bt_xml_set_error(reader, BT_XML_TOO_LARGE, 0, "more bytes than allowed");
    }
    const size_t bad = bt_xml_check_chars(source);
    if (bad < source.len) {
        return bt_xml_set_error(reader, BT_XML_ENCODING, bad,
                                bt_utf8_check(source) == bad ? "bytes that are not UTF-8"
                                                             : "a character that XML forbids");
    }
    reader->at = bt_str_starts_with(source, BT_STR("\xef\xbb\xbf")) ? 3 : 0;
    if (has_other_encoding(reader)) {
        return false;
    }
    if (reader->options->mode == BT_XML_LENIENT_RESULT) {
        return true; /* the declaration is dropped together with instructions */
    }
    return bt_xml_declaration(reader);
}

static bool read_all(struct bt_xml_reader *reader)
{
    if (!read_prolog(reader)) {
        return false;
    }
    while (reader->at < reader->source.len) {
        const size_t before = reader->at;
        if (!read_next(reader)) {
            return false;
        }
        assert(reader->at > before);
    }
    return check_end(reader);
}

enum bt_status bt_xml_read(struct bt_arena *arena, bt_str source,
                           const struct bt_xml_options *options, struct bt_xml_result *out)
{
    assert(options);
    assert(options->depth_max > 0 && options->depth_max <= BT_XML_DEPTH_MAX);
    assert(out);
    struct bt_xml_result result = {.detail = "", .name = BT_STR("")};
    BT_UNCLEARED struct bt_xml_frame frames[BT_XML_DEPTH_MAX];
    BT_UNCLEARED struct bt_xml_pair pairs[BT_XML_ATTRIBUTES_MAX];
    struct bt_xml_reader reader = {.arena = arena,
                                   .options = options,
                                   .source = source,
                                   .document = BT_NEW(arena, struct bt_xml_document),
                                   .frames = frames,
                                   .pairs = pairs,
                                   .result = &result};
    BT_TRY(reader.document ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_xml_namespaces_init(&reader.spaces, arena, options->seed));
    if (read_all(&reader)) {
        reader.document->prefixes = reader.spaces.prefixes.entries;
        reader.document->prefixes_count = reader.spaces.prefixes.count;
        result.document = reader.document;
    }
    if (reader.failed) {
        return BT_ENOMEM;
    }
    *out = result;
    return BT_OK;
}

size_t bt_xml_repair_names(unsigned repairs, bt_str out[BT_XML_REPAIRS_MAX])
{
    static const struct xml_read_repair {
        enum bt_xml_repair repair;
        bt_str name;
    } names[] = {
        {BT_XML_REPAIR_AMP, BT_STR_INIT("amp")},
        {BT_XML_REPAIR_CLOSE, BT_STR_INIT("close")},
        {BT_XML_REPAIR_CORE_CHILD, BT_STR_INIT("core-child")},
        {BT_XML_REPAIR_EOF, BT_STR_INIT("eof")},
        {BT_XML_REPAIR_LT, BT_STR_INIT("lt")},
        {BT_XML_REPAIR_OUTSIDE, BT_STR_INIT("outside")},
        {BT_XML_REPAIR_PI, BT_STR_INIT("pi")},
        {BT_XML_REPAIR_STRAY, BT_STR_INIT("stray")},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if ((repairs & names[i].repair) != 0) {
            out[count++] = names[i].name;
        }
    }
    return count;
}

/* What a declaration says, as far as it could be read. */
struct xml_declaration {
    bool is_sound;
    bt_str encoding; /* "": it names none */
    size_t end;      /* after its ?> */
};

struct xml_declaration_cursor {
    bt_str text;
    size_t at;
};

static bool skip_blanks(struct xml_declaration_cursor *cursor)
{
    const size_t from = cursor->at;
    while (cursor->at < cursor->text.len && bt_xml_blank(cursor->text.ptr[cursor->at])) {
        cursor->at++;
    }
    return cursor->at > from;
}

static bool skip_word(struct xml_declaration_cursor *cursor, bt_str word)
{
    if (!bt_str_starts_with(bt_str_slice(cursor->text, cursor->at, cursor->text.len), word)) {
        return false;
    }
    cursor->at += word.len;
    return true;
}

/* name = "value", after blanks. False: it is not there, or malformed (*out_sound is false then). */
static bool take_pair(struct xml_declaration_cursor *cursor, bt_str name, bt_str *out,
                      bool *out_sound)
{
    const size_t from = cursor->at;
    if (!skip_blanks(cursor) || !skip_word(cursor, name)) {
        cursor->at = from;
        return false;
    }
    (void)skip_blanks(cursor);
    *out_sound = skip_word(cursor, BT_STR("="));
    (void)skip_blanks(cursor);
    const char quote = cursor->at < cursor->text.len ? cursor->text.ptr[cursor->at] : '\0';
    if (!*out_sound || (quote != '"' && quote != '\'')) {
        *out_sound = false;
        return false;
    }
    const size_t first = cursor->at + 1;
    const size_t end = bt_str_find_byte(cursor->text, quote, first);
    *out = bt_str_slice(cursor->text, first, end);
    *out_sound = end < cursor->text.len;
    cursor->at = end + 1;
    return *out_sound;
}

static bool is_version(bt_str text)
{
    for (size_t i = 2; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return false;
        }
    }
    return text.len > 2 && bt_str_starts_with(text, BT_STR("1."));
}

static struct xml_declaration parse_declaration(bt_str rest)
{
    struct xml_declaration made = {.encoding = BT_STR("")};
    struct xml_declaration_cursor cursor = {rest, sizeof("<?xml") - 1};
    bt_str version = BT_STR("");
    bt_str standalone = BT_STR("yes");
    bool is_sound = true;
    is_sound = take_pair(&cursor, BT_STR("version"), &version, &is_sound) && is_sound;
    (void)take_pair(&cursor, BT_STR("encoding"), &made.encoding, &is_sound);
    (void)take_pair(&cursor, BT_STR("standalone"), &standalone, &is_sound);
    (void)skip_blanks(&cursor);
    made.is_sound = skip_word(&cursor, BT_STR("?>")) && is_sound && is_version(version) &&
                    (bt_str_eq(standalone, BT_STR("yes")) || bt_str_eq(standalone, BT_STR("no")));
    made.end = cursor.at;
    return made;
}

/* Whether `rest` begins with an XML declaration. */
static bool is_declaration(bt_str rest)
{
    const bt_str open = BT_STR("<?xml");
    return bt_str_starts_with(rest, open) && rest.len > open.len &&
           (bt_xml_blank(rest.ptr[open.len]) || rest.ptr[open.len] == '?');
}

bt_str bt_xml_declared_encoding(bt_str rest)
{
    return is_declaration(rest) ? parse_declaration(rest).encoding : BT_STR("");
}

bool bt_xml_declaration(struct bt_xml_reader *reader)
{
    const bt_str rest = bt_xml_rest(reader);
    if (!is_declaration(rest)) {
        return true;
    }
    const struct xml_declaration found = parse_declaration(rest);
    if (!found.is_sound) {
        return bt_xml_set_error(reader, BT_XML_SYNTAX, reader->at, "a malformed XML declaration");
    }
    reader->at += found.end;
    return true;
}
