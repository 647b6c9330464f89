/* SPDX-License-Identifier: Apache-2.0 */
/* schema_view.c - what a built-in schema says about the place of a value. */
#include "lsp/schema_view.h"

#include "json/options.h"
#include "operation/operation.h"

enum { TYPES_BYTES_MAX = 200 };

static const bt_json_value *get_keyword(const struct lsp_schema_view *view,
                                        const bt_json_value *schema, const char *keyword)
{
    return bt_json_get(view->document, schema, bt_str_of(keyword));
}

/* ---- Applicable schemas ---------------------------------------------------------------------- */

static void add_part(struct lsp_schema_view *view, const bt_json_value *schema, bool is_conditional)
{
    if (!schema || bt_json_type(schema) != BT_JSON_OBJECT || view->count == LSP_SCHEMAS_MAX) {
        return;
    }
    for (size_t i = 0; i < view->count; i++) {
        if (view->parts[i].schema == schema) {
            return;
        }
    }
    view->parts[view->count++] = (struct lsp_schema_part){schema, is_conditional};
}

/* Add what applies to the same value as parts that are there. */
static void expand_parts(struct lsp_schema_view *view)
{
    static const struct {
        const char *keyword;
        bool is_list;
        bool is_conditional;
    } rows[] = {{"allOf", true, false},
                {"anyOf", true, true},
                {"oneOf", true, true},
                {"then", false, true},
                {"else", false, true}};
    for (size_t i = 0; i < view->count; i++) { /* ends: there are LSP_SCHEMAS_MAX parts at most */
        const struct lsp_schema_part part = view->parts[i];
        const bt_json_value *reference = get_keyword(view, part.schema, "$ref");
        if (reference && bt_str_starts_with(bt_json_text(reference), BT_STR("#"))) {
            const bt_str text = bt_json_text(reference);
            add_part(view,
                     bt_json_resolve(view->document, bt_json_root(view->document),
                                     bt_str_slice(text, 1, text.len)),
                     part.is_conditional);
        }
        for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
            const bt_json_value *value = get_keyword(view, part.schema, rows[row].keyword);
            const bool is_conditional = part.is_conditional || rows[row].is_conditional;
            if (!value || !rows[row].is_list) {
                add_part(view, value, is_conditional);
                continue;
            }
            for (size_t item = 0; item < bt_json_count(value); item++) {
                add_part(view, &bt_json_items(value)[item], is_conditional);
            }
        }
    }
}

/* The schemas of a member that no name declares: those of patterns, else the general one. */
static void add_undeclared(struct lsp_schema_view *next, const struct lsp_schema_view *view,
                           const struct lsp_schema_part *part)
{
    const bt_json_value *patterns = get_keyword(view, part->schema, "patternProperties");
    for (size_t i = 0; patterns && i < bt_json_count(patterns); i++) {
        add_part(next, &bt_json_members(patterns)[i].value, true);
    }
    add_part(next, get_keyword(view, part->schema, "additionalProperties"), part->is_conditional);
}

static void step_down(struct lsp_schema_view *view, const struct lsp_json_step *step)
{
    struct lsp_schema_view next = {.document = view->document};
    for (size_t i = 0; i < view->count; i++) {
        const struct lsp_schema_part *part = &view->parts[i];
        if (!step->name.ptr) {
            add_part(&next, get_keyword(view, part->schema, "items"), part->is_conditional);
            continue;
        }
        const bt_json_value *members = get_keyword(view, part->schema, "properties");
        const bt_json_value *member = bt_json_get(view->document, members, step->name);
        add_part(&next, member, part->is_conditional);
        if (!member) {
            add_undeclared(&next, view, part);
        }
    }
    expand_parts(&next);
    *view = next;
}

enum bt_status lsp_schema_view_find(struct bt_arena *arena, struct bt_env *env, const char *name,
                                    const struct lsp_json_step *path, size_t depth,
                                    struct lsp_schema_view *out)
{
    const bt_str text = bt_schema_builtin_named(bt_str_of(name));
    const struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = {0};
    *out = (struct lsp_schema_view){.document = NULL};
    BT_TRY(bt_json_read(arena, text, &options, &read)); /* from: build */
    if (!read.document) {
        return BT_EINTERNAL;
    }
    out->document = read.document;
    add_part(out, bt_json_root(read.document), false);
    expand_parts(out);
    for (size_t i = 0; i < depth; i++) {
        step_down(out, &path[i]);
    }
    return BT_OK;
}

/* ---- Texts ----------------------------------------------------------------------------------- */

bt_str lsp_schema_view_text(const struct lsp_schema_view *view, const char *keyword)
{
    for (size_t i = 0; i < view->count; i++) {
        const bt_json_value *value = get_keyword(view, view->parts[i].schema, keyword);
        if (value && bt_json_text(value).len > 0) {
            return bt_json_text(value);
        }
    }
    return BT_STR("");
}

static void put_type(struct bt_buf *buf, const bt_json_value *type)
{
    if (bt_json_text(type).len > 0) {
        bt_buf_put_text(buf, buf->len > 0 ? " or " : "");
        bt_buf_put(buf, bt_json_text(type));
    }
}

void lsp_schema_view_put_types(const struct lsp_schema_view *view, struct bt_buf *buf)
{
    struct bt_buf types;
    bt_buf_init(&types, TYPES_BYTES_MAX);
    for (size_t i = 0; i < view->count && types.len == 0; i++) {
        const bt_json_value *value = get_keyword(view, view->parts[i].schema, "type");
        if (value && bt_json_type(value) == BT_JSON_ARRAY) {
            for (size_t item = 0; item < bt_json_count(value); item++) {
                put_type(&types, &bt_json_items(value)[item]);
            }
        } else if (value) {
            put_type(&types, value);
        } else if (get_keyword(view, view->parts[i].schema, "enum")) {
            bt_buf_put_text(&types, "one of a list");
        }
    }
    bt_buf_put(buf, bt_buf_str(&types));
    bt_buf_free(&types);
}

/* ---- Completions ----------------------------------------------------------------------------- */

static bool is_required(const struct lsp_schema_view *view, bt_str name)
{
    for (size_t i = 0; i < view->count; i++) {
        const bt_json_value *list = get_keyword(view, view->parts[i].schema, "required");
        for (size_t item = 0; list && !view->parts[i].is_conditional && item < bt_json_count(list);
             item++) {
            if (bt_str_eq(bt_json_text(&bt_json_items(list)[item]), name)) {
                return true;
            }
        }
    }
    return false;
}

/* What is shown beside the name of a member: its description, else its type. */
static enum bt_status describe_member(const struct lsp_schema_view *view,
                                      const struct bt_json_member *member, struct bt_arena *arena,
                                      bt_str *out)
{
    struct lsp_schema_view below = *view;
    const struct lsp_json_step step = {.name = bt_json_name(member)};
    step_down(&below, &step);
    *out = lsp_schema_view_text(&below, "description");
    if (out->len > 0) {
        return BT_OK;
    }
    struct bt_buf types;
    bt_buf_init(&types, TYPES_BYTES_MAX);
    lsp_schema_view_put_types(&below, &types);
    const enum bt_status status = bt_buf_copy(&types, arena, out);
    bt_buf_free(&types);
    return status;
}

enum bt_status lsp_schema_view_add_members(const struct lsp_schema_view *view,
                                           struct lsp_completion *completion,
                                           bool (*is_absent)(const void *context, bt_str name),
                                           const void *context)
{
    for (size_t i = 0; i < view->count; i++) {
        const bt_json_value *members = get_keyword(view, view->parts[i].schema, "properties");
        for (size_t item = 0; members && item < bt_json_count(members); item++) {
            const struct bt_json_member *member = &bt_json_members(members)[item];
            struct lsp_completion_item found = {.label = bt_json_name(member),
                                                .kind = LSP_KIND_PROPERTY,
                                                .is_needed =
                                                    is_required(view, bt_json_name(member))};
            if (!is_absent(context, found.label)) {
                continue;
            }
            BT_TRY(describe_member(view, member, completion->arena, &found.detail));
            BT_TRY(lsp_completion_add(completion, &found));
        }
    }
    return BT_OK;
}

/* Add one value. In a string only texts can stand. */
static enum bt_status add_value(const struct lsp_schema_view *view,
                                struct lsp_completion *completion, const bt_json_value *value,
                                bool in_string)
{
    const bool is_text = bt_json_type(value) == BT_JSON_STRING;
    if (in_string && !is_text) {
        return BT_OK;
    }
    const struct bt_json_span span = bt_json_span(view->document, value);
    const struct lsp_completion_item item = {
        .label = is_text ? bt_json_text(value)
                         : bt_str_slice(bt_json_source(view->document), span.begin, span.end),
        .detail = BT_STR("value"),
        .kind = LSP_KIND_VALUE,
        .is_bare = !is_text};
    return lsp_completion_add(completion, &item);
}

static enum bt_status add_booleans(struct lsp_completion *completion)
{
    static const bt_str words[] = {BT_STR_INIT("true"), BT_STR_INIT("false")};
    for (size_t i = 0; i < 2; i++) {
        const struct lsp_completion_item item = {.label = words[i],
                                                 .detail = BT_STR("boolean"),
                                                 .kind = LSP_KIND_VALUE,
                                                 .is_bare = true};
        BT_TRY(lsp_completion_add(completion, &item));
    }
    return BT_OK;
}

enum bt_status lsp_schema_view_add_values(const struct lsp_schema_view *view,
                                          struct lsp_completion *completion, bool in_string)
{
    for (size_t i = 0; i < view->count; i++) {
        const bt_json_value *schema = view->parts[i].schema;
        const bt_json_value *list = get_keyword(view, schema, "enum");
        const bt_json_value *constant = get_keyword(view, schema, "const");
        const bt_json_value *type = get_keyword(view, schema, "type");
        for (size_t item = 0; list && item < bt_json_count(list); item++) {
            BT_TRY(add_value(view, completion, &bt_json_items(list)[item], in_string));
        }
        if (constant) {
            BT_TRY(add_value(view, completion, constant, in_string));
        }
        if (!in_string && type && bt_str_eq(bt_json_text(type), BT_STR("boolean"))) {
            BT_TRY(add_booleans(completion));
        }
    }
    return BT_OK;
}
