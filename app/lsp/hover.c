/* SPDX-License-Identifier: Apache-2.0 */
/* hover.c - textDocument/hover and textDocument/codeLens: what is known about a place. */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/universal/universal.h"
#include "json/options.h"
#include "lsp/dialects.h"
#include "lsp/schema_view.h"
#include "operation/rule_text.h"

enum { HOVER_BYTES_MAX = 1 << 20 };

/* ---- Tokens of universal handoffs ------------------------------------------------------------ */

/* The facts of a judgement as a document; NULL when they say nothing of tokens. */
static const bt_json_value *read_tokens(struct lsp_request *request,
                                        const struct bt_json_doc **out_document)
{
    const struct bt_json_options options = bt_json_options_from_env(request->workspace->env);
    struct bt_json_read_result read = {0};
    /* from: own facts, which have no other form */
    if (bt_json_read(request->arena, request->document->judged.judgement.facts, &options, &read) !=
            BT_OK ||
        !read.document) {
        return NULL;
    }
    *out_document = read.document;
    const bt_json_value *tokens =
        bt_json_get(read.document, bt_json_root(read.document), BT_STR("tokens"));
    return tokens && bt_json_type(tokens) == BT_JSON_OBJECT ? tokens : NULL;
}

static bool get_number(const struct bt_json_doc *document, const bt_json_value *object, bt_str name,
                       int64_t *out)
{
    const bt_json_value *value = bt_json_get(document, object, name);
    if (!value || bt_json_type(value) != BT_JSON_INTEGER) {
        return false;
    }
    *out = value->as.integer;
    return true;
}

/* Put "175 of 2000 tokens (o200k_base)"; nothing when the tokens were not counted. */
static void put_total(const struct bt_json_doc *document, const bt_json_value *tokens,
                      struct bt_buf *buf)
{
    const bt_json_value *encoding = bt_json_get(document, tokens, BT_STR("encoding"));
    int64_t count = 0;
    int64_t budget = 0;
    if ((get_number(document, tokens, BT_STR("exact"), &count) ||
         get_number(document, tokens, BT_STR("estimate"), &count)) &&
        get_number(document, tokens, BT_STR("budget"), &budget) && encoding) {
        bt_buf_printf(buf, "%" PRId64 " of %" PRId64 " tokens (%.*s)", count, budget,
                      BT_STR_ARG(bt_json_text(encoding)));
    }
}

/* Put "16 of 500 tokens" for a section, without the limit when it has none. */
static void put_section(struct lsp_request *request, const struct bt_json_doc *document,
                        const bt_json_value *tokens, enum bt_universal_section section,
                        struct bt_buf *buf)
{
    const struct bt_universal_options *options = request->document->judged.options->universal;
    const bt_json_value *sections = bt_json_get(document, tokens, BT_STR("sections"));
    const uint64_t limit =
        options ? options->section_limits[section] : BT_UNIVERSAL_SECTION_UNLIMITED;
    int64_t count = 0;
    if (!get_number(document, sections, bt_universal_section_name(section), &count)) {
        return;
    }
    bt_buf_printf(buf, "%" PRId64, count);
    if (limit != BT_UNIVERSAL_SECTION_UNLIMITED) {
        bt_buf_printf(buf, " of %" PRIu64, limit);
    }
    bt_buf_put_text(buf, " tokens");
}

/* Sections whose values are one member. */
static const struct {
    enum bt_universal_section section;
    const char *path[3];
    size_t depth;
    bool has_lens;
} sections[] = {
    {BT_UNIVERSAL_SECTION_CONTEXT, {"handoff", "context"}, 2, false},
    {BT_UNIVERSAL_SECTION_WORKING, {"handoff", "payload", "working"}, 3, true},
    {BT_UNIVERSAL_SECTION_SESSION, {"handoff", "payload", "session"}, 3, true},
    {BT_UNIVERSAL_SECTION_REFERENCES, {"handoff", "payload", "references"}, 3, true},
};
enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

/* ---- Hover ----------------------------------------------------------------------------------- */

/* The diagnostic over which an offset is, or NULL. */
static const struct lsp_diagnostic *find_diagnostic(const struct lsp_judged *judged, size_t offset)
{
    for (size_t i = 0; i < judged->count; i++) {
        const struct lsp_span span = judged->items[i].span;
        if (offset >= span.begin && (offset < span.end || span.begin == span.end) &&
            offset <= span.end) {
            return &judged->items[i];
        }
    }
    return NULL;
}

/* Put what is counted at a place of a universal handoff. */
static void put_counts(struct lsp_request *request, const struct lsp_json_place *place, size_t drop,
                       struct bt_buf *buf)
{
    static const char *const total[] = {"handoff", "meta", "token_count"};
    const struct bt_json_doc *document = NULL;
    const bt_json_value *tokens = request->document->judged.dialect == BT_DIALECT_UNIVERSAL
                                      ? read_tokens(request, &document)
                                      : NULL;
    if (!tokens) {
        return;
    }
    const size_t from = buf->len;
    bt_buf_put_text(buf, from > 0 ? "\n\n" : "");
    const size_t begin = buf->len;
    if (lsp_json_place_is(place, drop, total, 3)) {
        put_total(document, tokens, buf);
    }
    for (size_t i = 0; i < SECTIONS; i++) {
        if (lsp_json_place_is(place, drop, sections[i].path, sections[i].depth)) {
            put_section(request, document, tokens, sections[i].section, buf);
        }
    }
    buf->len = buf->len == begin ? from : buf->len;
}

/* Put the description and type of the member at a place. */
static enum bt_status put_member(struct lsp_request *request, const struct lsp_json_place *place,
                                 struct bt_buf *buf)
{
    const char *schema = lsp_dialect(request->document->judged.dialect)->schema;
    struct lsp_schema_view view;
    if (!schema || place->depth == 0) {
        return BT_OK;
    }
    BT_TRY(lsp_schema_view_find(request->arena, request->workspace->env, schema, place->path,
                                place->depth, &view));
    if (view.count == 0) {
        return BT_OK;
    }
    const bt_str name = place->path[place->depth - 1].name;
    const bt_str description = lsp_schema_view_text(&view, "description");
    bt_buf_put_text(buf, "**");
    bt_buf_put_printable(buf, name.ptr ? name : BT_STR("item"), 200);
    bt_buf_put_text(buf, "** ");
    const size_t before = buf->len;
    lsp_schema_view_put_types(&view, buf);
    if (buf->len == before && description.len == 0) {
        buf->len = 0; /* the schema says nothing about it */
        return BT_OK;
    }
    bt_buf_put_text(buf, description.len > 0 ? "\n\n" : "");
    bt_buf_put(buf, description);
    return BT_OK;
}

static void emit_hover(struct lsp_request *request, struct bt_buf *text, struct lsp_span span)
{
    struct bt_emit *emit = &request->emit;
    if (text->len == 0) {
        bt_emit_null(emit);
        return;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_object(emit, "contents");
    bt_emit_member_string(emit, "kind", BT_STR("markdown"));
    bt_emit_member_string(emit, "value", bt_buf_str(text));
    bt_emit_end(emit);
    lsp_emit_span(request, span);
    bt_emit_end(emit);
}

static enum bt_status put_place(struct lsp_request *request, struct bt_buf *text,
                                struct lsp_span *out_span)
{
    const struct lsp_document *document = request->document;
    struct lsp_json_place place;
    if (!lsp_dialect(document->judged.dialect)->schema) {
        return BT_OK;
    }
    lsp_json_place_find(lsp_document_text(document), lsp_json_body(document, request->offset),
                        request->offset, &place);
    if (place.role == LSP_JSON_NOWHERE || place.token.begin == place.token.end) {
        return BT_OK;
    }
    /* The name of a member is one step behind the path of its object. */
    place.depth += place.role == LSP_JSON_NAME;
    *out_span = place.token;
    BT_TRY(put_member(request, &place, text));
    put_counts(request, &place, 0, text);
    for (size_t drop = 1; text->len == 0 && drop < place.depth; drop++) {
        put_counts(request, &place, drop, text); /* inside the value of a section */
    }
    return text->status;
}

enum lsp_error lsp_method_hover(struct lsp_request *request)
{
    const struct lsp_diagnostic *diagnostic =
        find_diagnostic(&request->document->judged, request->offset);
    struct lsp_span span = {request->offset, request->offset};
    struct bt_buf text;
    enum bt_status status = BT_OK;
    bt_buf_init(&text, HOVER_BYTES_MAX);
    if (diagnostic) {
        bt_rule_put_markdown(&text, diagnostic->finding->rule);
        span = diagnostic->span;
    } else {
        status = put_place(request, &text, &span);
    }
    emit_hover(request, &text, span);
    bt_buf_free(&text);
    return status == BT_OK ? LSP_OK : LSP_INTERNAL_ERROR;
}

/* ---- Code lenses ----------------------------------------------------------------------------- */

static void emit_lens(struct lsp_request *request, struct lsp_span span, bt_str title)
{
    struct bt_emit *emit = &request->emit;
    bt_emit_begin_object(emit);
    lsp_emit_span(request, span);
    bt_emit_member_object(emit, "command");
    bt_emit_member_string(emit, "title", title);
    bt_emit_member_string(emit, "command", BT_STR(""));
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* The name of a section in the document; false when it is absent. */
static bool find_section(const struct lsp_request *request, size_t section, struct lsp_span *out)
{
    const struct bt_json_doc *document = request->document->judged.judgement.document;
    const struct bt_json_member *member = NULL;
    const bt_json_value *value = document ? bt_json_root(document) : NULL;
    for (size_t i = 0; i < sections[section].depth; i++) {
        member = bt_json_member(document, value, bt_str_of(sections[section].path[i]));
        value = member ? &member->value : NULL;
        if (!member) {
            return false;
        }
    }
    const struct bt_json_span span = bt_json_member_name_span(document, member);
    *out = (struct lsp_span){span.begin, span.end};
    return true;
}

static void emit_lenses(struct lsp_request *request, const struct bt_json_doc *document,
                        const bt_json_value *tokens)
{
    struct bt_buf title;
    struct lsp_span span;
    bt_buf_init(&title, HOVER_BYTES_MAX);
    put_total(document, tokens, &title);
    if (title.len > 0) {
        emit_lens(request, (struct lsp_span){0, 0}, bt_buf_str(&title));
    }
    for (size_t i = 0; i < SECTIONS; i++) {
        bt_buf_clear(&title);
        if (sections[i].has_lens && find_section(request, i, &span)) {
            put_section(request, document, tokens, sections[i].section, &title);
        }
        if (title.len > 0) {
            emit_lens(request, span, bt_buf_str(&title));
        }
    }
    bt_buf_free(&title);
}

enum lsp_error lsp_method_code_lens(struct lsp_request *request)
{
    const struct bt_json_doc *document = NULL;
    const bt_json_value *tokens = request->document->judged.dialect == BT_DIALECT_UNIVERSAL
                                      ? read_tokens(request, &document)
                                      : NULL;
    bt_emit_begin_array(&request->emit);
    if (tokens) {
        emit_lenses(request, document, tokens);
    }
    bt_emit_end(&request->emit);
    return LSP_OK;
}
