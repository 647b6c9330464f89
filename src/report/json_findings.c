/* SPDX-License-Identifier: Apache-2.0 */
/* json_findings.c - errors of the JSON reader -> findings. */
#include <assert.h>
#include <string.h>

#include "json/peek.h"
#include "report/add.h"
#include "report/display_width.h"
#include "report/finding_builder.h"
#include "report/json_rules.h"

const struct bt_rule *bt_json_rule(bt_str code)
{
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_JSON, code);
    assert(rule);
    return rule;
}

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper; see struct bt_json_options */

/* What stands at the place where reading could not go on. */
static void put_found(struct bt_buf *buf, bt_str source, size_t offset)
{
    if (offset >= source.len) {
        bt_buf_put_text(buf, source.len == 0 ? "an empty document" : "the end of the document");
        return;
    }
    bt_buf_put_quoted(
        buf, bt_str_slice(source, offset, offset + bt_display_char_at(source, offset).bytes));
}

static void put_position(struct bt_buf *buf, bt_str source, size_t offset)
{
    const struct bt_position place = bt_position_at(source, offset);
    bt_buf_printf(buf, " at line %u, column %u", place.line, place.column);
}

static bool follows_comma(bt_str source, size_t offset)
{
    while (offset > 0 && bt_json_is_space(source.ptr[offset - 1])) {
        offset--;
    }
    return offset > 0 && source.ptr[offset - 1] == ',';
}

/* What people and models write instead of JSON, by the byte that gives it away. */
static bt_str syntax_hint(bt_str source, size_t offset)
{
    static const struct json_error_hint {
        const char *bytes;
        bt_str hint;
    } habits[] = {
        {"'", BT_STR_INIT("write names and strings in double quotes")},
        {"/#", BT_STR_INIT("remove the comment; JSON has none")},
        {"NI", BT_STR_INIT("JSON has no NaN or Infinity; write null or a string")},
        {"TF", BT_STR_INIT("write true, false and null in lower case")},
        {"`", BT_STR_INIT("give the JSON alone, without a Markdown fence")},
    };
    if (offset >= source.len) {
        return BT_STR("the document stops too early; complete it");
    }
    const char byte = source.ptr[offset];
    if ((byte == '}' || byte == ']') && follows_comma(source, offset)) {
        return BT_STR("remove the comma before the closing bracket");
    }
    if ((unsigned char)byte < 0x20) {
        return BT_STR("write control characters in strings as escapes, such as \\n");
    }
    if ((unsigned char)byte == 0xef && offset == 0) {
        return BT_STR("save the file without a byte order mark");
    }
    for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++) {
        if (strchr(habits[i].bytes, byte)) {
            return habits[i].hint;
        }
    }
    return BT_STR("write strict JSON (RFC 8259)");
}

static void remark_syntax(struct bt_finding_builder *remark,
                          const struct bt_json_read_result *result, bt_str source)
{
    bt_buf_put_text(&remark->message, result->detail);
    put_position(&remark->message, source, result->offset);
    bt_buf_put_text(&remark->message, ", found ");
    put_found(&remark->message, source, result->offset);
    remark->finding.hint = syntax_hint(source, result->offset);
}

static void remark_utf8(struct bt_finding_builder *remark, const struct bt_json_read_result *result,
                        bt_str source)
{
    bt_buf_put_text(&remark->message, "the byte ");
    put_found(&remark->message, source, result->offset);
    put_position(&remark->message, source, result->offset);
    bt_buf_put_text(&remark->message, " begins no UTF-8 character");
    remark->finding.hint = BT_STR("save the file as UTF-8");
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

static void remark_duplicate(struct bt_finding_builder *remark,
                             const struct bt_json_read_result *result, bt_str source)
{
    struct bt_buf name;
    bt_buf_init(&name, SIZE_MAX);
    put_last_token(&name, result->pointer);
    bt_buf_put_text(&remark->message, "the object has a member ");
    bt_buf_put_quoted(&remark->message, bt_buf_str(&name));
    bt_buf_put_text(&remark->message, " already; it comes again");
    put_position(&remark->message, source, result->offset);
    bt_emit_member_string(&remark->emit, "name", bt_buf_str(&name));
    remark->params.status = remark->params.status == BT_OK ? name.status : remark->params.status;
    bt_buf_free(&name);
    remark->finding.pointer = result->pointer;
    remark->finding.hint = BT_STR("keep one of the two members, or rename one");
}

static void remark_limit(struct bt_finding_builder *remark,
                         const struct bt_json_read_result *result, bt_str source)
{
    const bool deep = result->code == BT_JSON_ERROR_TOO_DEEP;
    bt_buf_put_text(&remark->message, result->detail);
    put_position(&remark->message, source, result->offset);
    bt_buf_put_text(&remark->message, "; the limit is ");
    bt_buf_put_u64(&remark->message, result->limit);
    bt_emit_member_u64(&remark->emit, "limit", result->limit);
    bt_emit_member_string(&remark->emit, "name", result->limit_name);
    remark->finding.hint = deep ? BT_STR("flatten the document")
                                : BT_STR("put large content into files and refer to them");
}

enum bt_status bt_findings_add_json(struct bt_findings *findings,
                                    const struct bt_json_read_result *result, bt_str source)
{
    assert(findings);
    assert(result);
    assert(!result->document);
    struct bt_finding_builder remark;
    bt_finding_builder_begin(&remark, bt_json_rule(bt_json_error_name(result->code)));
    remark.finding.offset = result->offset;
    switch (result->code) {
    case BT_JSON_ERROR_SYNTAX:
        remark_syntax(&remark, result, source);
        break;
    case BT_JSON_ERROR_UTF8:
        remark_utf8(&remark, result, source);
        break;
    case BT_JSON_ERROR_DUPLICATE_KEY:
        remark_duplicate(&remark, result, source);
        break;
    case BT_JSON_ERROR_TOO_DEEP:
    case BT_JSON_ERROR_TOO_LARGE:
        remark_limit(&remark, result, source);
        break;
    case BT_JSON_ERROR_NONE:
        break; /* has no rule, so bt_json_rule() refused it */
    }
    return bt_finding_builder_end(&remark, findings);
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
                               const char *place)
{
    struct bt_finding_builder remark;
    bt_finding_builder_begin(&remark, bt_json_rule(BT_STR("JSON_LONE_SURROGATE")));
    bt_buf_put_text(&remark.message, "the ");
    bt_buf_put_text(&remark.message, place);
    bt_buf_put_char(&remark.message, ' ');
    bt_buf_put_quoted(&remark.message, text);
    bt_buf_put_text(&remark.message, " holds half of a surrogate pair");
    /* A member whose name and value both have one makes two findings at one pointer. */
    bt_emit_member_string(&remark.emit, "in", bt_str_of(place));
    remark.finding.pointer = bt_buf_str(&walk->pointer);
    remark.finding.offset = offset;
    remark.finding.hint = BT_STR("write the whole character");
    return bt_finding_builder_end(&remark, walk->findings);
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
        return add_lone(walk, bt_json_text(value), offset, "string");
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
        BT_TRY(add_lone(walk, bt_json_name(member), offset, "name"));
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
