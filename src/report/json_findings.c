/* SPDX-License-Identifier: Apache-2.0 */
/* json_findings.c - errors of the JSON reader -> findings. */
#include <assert.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "json/peek.h"
#include "report/display_width.h"
#include "report/json_rules.h"
#include "report/rules.h"

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper; see struct bt_json_options */

/* The character at which reading could not go on; absent at the end. */
static bt_str found_at(bt_str source, size_t offset)
{
    return offset < source.len
               ? bt_str_slice(source, offset, offset + bt_display_char_at(source, offset).bytes)
               : BT_STR_ABSENT;
}

static bool follows_comma(bt_str source, size_t offset)
{
    while (offset > 0 && bt_json_is_space(source.ptr[offset - 1])) {
        offset--;
    }
    return offset > 0 && source.ptr[offset - 1] == ',';
}

/* What people and models write instead of JSON, by the byte that gives it away. */
static enum bt_json_json_syntax_mistake find_mistake(bt_str source, size_t offset)
{
    if (offset >= source.len) {
        return source.len == 0 ? BT_JSON_JSON_SYNTAX_MISTAKE_EMPTY
                               : BT_JSON_JSON_SYNTAX_MISTAKE_END;
    }
    const unsigned char byte = (unsigned char)source.ptr[offset];
    if (byte < 0x20) {
        return BT_JSON_JSON_SYNTAX_MISTAKE_CONTROL;
    }
    switch (byte) {
    case '}':
    case ']':
        return follows_comma(source, offset) ? BT_JSON_JSON_SYNTAX_MISTAKE_COMMA
                                             : BT_JSON_JSON_SYNTAX_MISTAKE_OTHER;
    case 0xef:
        return offset == 0 ? BT_JSON_JSON_SYNTAX_MISTAKE_MARK : BT_JSON_JSON_SYNTAX_MISTAKE_OTHER;
    case '\'':
        return BT_JSON_JSON_SYNTAX_MISTAKE_QUOTES;
    case '/':
    case '#':
        return BT_JSON_JSON_SYNTAX_MISTAKE_COMMENT;
    case 'N':
    case 'I':
        return BT_JSON_JSON_SYNTAX_MISTAKE_NUMBER;
    case 'T':
    case 'F':
        return BT_JSON_JSON_SYNTAX_MISTAKE_CASE;
    case '`':
        return BT_JSON_JSON_SYNTAX_MISTAKE_FENCE;
    default:
        return BT_JSON_JSON_SYNTAX_MISTAKE_OTHER;
    }
}

/* RFC 6901 section 4: ~1 is a slash, ~0 a tilde. */
static void put_last_token(struct bt_buf *buf, bt_str pointer)
{
    size_t begin = pointer.len;
    while (begin > 0 && pointer.ptr[begin - 1] != '/') {
        begin--;
    }
    for (size_t i = begin; i < pointer.len; i++) {
        if (pointer.ptr[i] == '~' && i + 1 < pointer.len) {
            bt_buf_put_char(buf, pointer.ptr[++i] == '1' ? '/' : '~');
        } else {
            bt_buf_put_char(buf, pointer.ptr[i]);
        }
    }
}

static enum bt_status add_duplicate_finding(struct bt_findings *findings,
                                            const struct bt_json_read_result *result,
                                            struct bt_position place)
{
    struct bt_buf name;
    bt_buf_init(&name, SIZE_MAX);
    put_last_token(&name, result->pointer);
    const enum bt_status status =
        name.status != BT_OK
            ? name.status
            : bt_add_json_duplicate_key(findings,
                                        bt_location_pointer(result->pointer, result->offset),
                                        bt_buf_str(&name), place.line, place.column);
    bt_buf_free(&name);
    return status;
}

enum bt_status bt_findings_add_json(struct bt_findings *findings,
                                    const struct bt_json_read_result *result, bt_str source)
{
    assert(findings);
    assert(result);
    assert(!result->document);
    const struct bt_location at = bt_location_pointer(BT_STR(""), result->offset);
    const struct bt_position place = bt_position_at(source, result->offset);
    const bt_str found = found_at(source, result->offset);
    const bt_str detail = bt_str_of(result->detail);
    switch (result->code) {
    case BT_JSON_ERROR_SYNTAX:
        return bt_add_json_json_syntax(findings, at, detail, place.line, place.column, found,
                                       find_mistake(source, result->offset));
    case BT_JSON_ERROR_UTF8:
        return bt_add_json_utf8(findings, at, found, place.line, place.column);
    case BT_JSON_ERROR_DUPLICATE_KEY:
        return add_duplicate_finding(findings, result, place);
    case BT_JSON_ERROR_TOO_DEEP:
        return bt_add_json_too_deep(findings, at, result->limit, result->limit_name, detail,
                                    place.line, place.column);
    case BT_JSON_ERROR_TOO_LARGE:
        return bt_add_json_too_large(findings, at, result->limit, result->limit_name, detail,
                                     place.line, place.column);
    case BT_JSON_ERROR_NONE:
        break;
    }
    assert(false); /* a text without a document has an error */
    return BT_OK;
}

/* A container whose children are being visited. */
struct report_json_findings_frame {
    const bt_json_value *container;
    size_t next;
    size_t pointer_len; /* of the container's own pointer */
};

struct report_json_findings_walk {
    const struct bt_json_doc *document;
    struct bt_findings *findings;
    struct bt_buf pointer; /* of the value that is being visited */
    size_t depth;
    struct report_json_findings_frame frames[DEPTH_MAX];
};

static enum bt_status add_lone(struct report_json_findings_walk *walk, bt_str text, size_t offset,
                               enum bt_json_lone_surrogate_in in)
{
    /* A member whose name and value both have one makes two findings at one pointer. */
    return bt_add_json_lone_surrogate(
        walk->findings, bt_location_pointer(bt_buf_str(&walk->pointer), offset), in, text);
}

/* Names carry no flags, but a surrogate is the only text in which ED comes before A0 to BF. */
static bool has_surrogate(bt_str text)
{
    size_t at = bt_str_find_byte(text, '\xed', 0);
    while (at + 1 < text.len && (unsigned char)text.ptr[at + 1] < 0xa0) {
        at = bt_str_find_byte(text, '\xed', at + 1);
    }
    return at + 1 < text.len;
}

static enum bt_status visit_value(struct report_json_findings_walk *walk,
                                  const bt_json_value *value)
{
    if (bt_json_type(value) == BT_JSON_STRING &&
        (value->flags & BT_JSON_FLAG_LONE_SURROGATE) != 0) {
        const size_t offset = bt_json_span(walk->document, value).begin;
        return add_lone(walk, bt_json_text(value), offset, BT_JSON_LONE_SURROGATE_IN_STRING);
    }
    if (bt_json_count(value) > 0) {
        assert(walk->depth < DEPTH_MAX);
        walk->frames[walk->depth++] =
            (struct report_json_findings_frame){value, 0, walk->pointer.len};
    }
    return BT_OK;
}

static enum bt_status visit_member(struct report_json_findings_walk *walk,
                                   const struct bt_json_member *member)
{
    bt_json_pointer_put(&walk->pointer, bt_json_name(member));
    if (has_surrogate(bt_json_name(member))) {
        const size_t offset = bt_json_member_name_span(walk->document, member).begin;
        BT_TRY(add_lone(walk, bt_json_name(member), offset, BT_JSON_LONE_SURROGATE_IN_NAME));
    }
    return visit_value(walk, &member->value);
}

static enum bt_status walk_all(struct report_json_findings_walk *walk)
{
    BT_TRY(visit_value(walk, bt_json_root(walk->document)));
    while (walk->depth > 0) {
        struct report_json_findings_frame *frame = &walk->frames[walk->depth - 1];
        if (frame->next == bt_json_count(frame->container)) {
            walk->depth--;
            continue;
        }
        const size_t index = frame->next++;
        walk->pointer.len = frame->pointer_len;
        if (bt_json_type(frame->container) == BT_JSON_OBJECT) {
            BT_TRY(visit_member(walk, &bt_json_members(frame->container)[index]));
        } else {
            bt_json_pointer_put_index(&walk->pointer, index);
            BT_TRY(visit_value(walk, &bt_json_items(frame->container)[index]));
        }
        BT_TRY(walk->pointer.status);
    }
    return BT_OK;
}

/* Apart, since a walk of any depth needs many pages of stack, and few documents need a walk. */
static __attribute__((noinline)) enum bt_status add_all(struct bt_findings *findings,
                                                        const struct bt_json_doc *document)
{
    struct report_json_findings_walk walk = {.document = document, .findings = findings};
    bt_buf_init(&walk.pointer, SIZE_MAX);
    const enum bt_status status = walk_all(&walk);
    bt_buf_free(&walk.pointer);
    return status;
}

enum bt_status bt_findings_add_lone(struct bt_findings *findings,
                                    const struct bt_json_doc *document)
{
    assert(findings);
    assert(document);
    return bt_json_has_lone_surrogate(document) ? add_all(findings, document) : BT_OK;
}
