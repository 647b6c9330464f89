/* SPDX-License-Identifier: Apache-2.0 */
/* complete_yaml.c - completions and definitions in organisms and configurations. */
#include "base/file.h"
#include "base/path.h"
#include "config/config_internal.h"
#include "lsp/dialects.h"
#include "lsp/yaml_place.h"
#include "organism/keys.h"

/* True when the offset is where a key stands or may come to stand. */
static bool is_key_place(const struct lsp_yaml_line *line, size_t offset)
{
    return !line->has_key || offset <= line->key.end;
}

/* The part of the path that leads to the mapping of a key: without the key itself. */
static size_t mapping_depth(const struct lsp_yaml_line *line)
{
    return line->depth - line->has_key;
}

/* The word that is replaced: the key, or an item of the value. */
static void set_span(const struct lsp_request *request, const struct lsp_yaml_line *line,
                     struct lsp_completion *out)
{
    const struct lsp_span empty = {request->offset, request->offset};
    const bool is_on_key = request->offset >= line->key.begin && request->offset <= line->key.end;
    out->span = is_key_place(line, request->offset)
                    ? (is_on_key ? line->key : empty)
                    : lsp_yaml_item_at(lsp_document_text(request->document), line, request->offset);
}

/* ---- Organisms ------------------------------------------------------------------------------- */

/* The row that a path leads to; *out_keys is the table below it, NULL: it has none. */
static const struct bt_organism_key *find_row(const struct lsp_yaml_line *line, size_t depth,
                                              const struct bt_organism_key_table **out_keys)
{
    const struct bt_organism_key *row = NULL;
    *out_keys = &bt_organism_key_table;
    for (size_t i = 0; i < depth; i++) {
        if (bt_str_eq(line->path[i], BT_STR("[]"))) {
            continue; /* a list of mappings has the keys of each of them */
        }
        row = *out_keys ? bt_organism_key_named(*out_keys, line->path[i]) : NULL;
        *out_keys = row ? row->keys : NULL;
    }
    return row;
}

static enum bt_status add_keys(const struct bt_organism_key_table *keys, struct lsp_completion *out)
{
    for (const struct bt_organism_key *row = keys ? keys->rows : NULL; row && row->name.len > 0;
         row++) {
        const char *about = row->about ? row->about : row->expected ? row->expected : "key";
        const struct lsp_completion_item item = {.label = row->name,
                                                 .detail = bt_str_of(about),
                                                 .kind = LSP_KIND_PROPERTY,
                                                 .is_needed = row->is_required};
        BT_TRY(lsp_completion_add(out, &item));
    }
    return BT_OK;
}

/* True when the values of a key are names of listeners. */
static bool names_listeners(const struct lsp_yaml_line *line, size_t depth)
{
    const bt_str key = depth > 0 ? line->path[depth - 1] : BT_STR("");
    return bt_str_eq(key, BT_STR("peers")) || bt_str_eq(key, BT_STR("may_call"));
}

static enum bt_status add_listeners(bt_str text, struct lsp_completion *out)
{
    static const char *const path[] = {"listeners", "[]", "name"};
    struct lsp_yaml_scan scan = {.text = text};
    while (lsp_yaml_next(&scan)) {
        const struct lsp_span value = scan.line.value;
        if (lsp_yaml_is(&scan.line, path, 3) && value.end > value.begin) {
            BT_TRY(lsp_completion_add_label(out, bt_str_slice(text, value.begin, value.end),
                                            LSP_KIND_MODULE, BT_STR("listener")));
        }
    }
    return BT_OK;
}

static enum bt_status add_words(const char *const *words, struct lsp_completion *out)
{
    for (; words && *words; words++) {
        BT_TRY(lsp_completion_add_label(out, bt_str_of(*words), LSP_KIND_VALUE, BT_STR("value")));
    }
    return BT_OK;
}

static const char *const boolean_words[] = {"true", "false", NULL};

/* The depth of the path to the key whose value an offset is in; an item of a list has its key. */
static size_t value_depth(const struct lsp_yaml_line *line)
{
    size_t depth = line->depth;
    while (depth > 0 && bt_str_eq(line->path[depth - 1], BT_STR("[]"))) {
        depth--;
    }
    return depth;
}

static enum bt_status add_organism_values(bt_str text, const struct lsp_yaml_line *line,
                                          struct lsp_completion *out)
{
    const size_t depth = value_depth(line);
    const struct bt_organism_key_table *keys = NULL;
    const struct bt_organism_key *row = find_row(line, depth, &keys);
    if (names_listeners(line, depth)) {
        return add_listeners(text, out);
    }
    if (row && row->kind == BT_ORGANISM_KEY_BOOL) {
        return add_words(boolean_words, out);
    }
    return row ? add_words(row->words, out) : BT_OK;
}

enum bt_status lsp_complete_organism(struct lsp_request *request, struct lsp_completion *out)
{
    const bt_str text = lsp_document_text(request->document);
    const struct lsp_yaml_line line = lsp_yaml_line_at(text, request->offset);
    const struct bt_organism_key_table *keys = NULL;
    set_span(request, &line, out);
    if (!is_key_place(&line, request->offset)) {
        return add_organism_values(text, &line, out);
    }
    (void)find_row(&line, mapping_depth(&line), &keys);
    BT_TRY(add_keys(keys, out));
    return line.has_key ? BT_OK : add_organism_values(text, &line, out);
}

/* A file that the organism names, relative to its own folder. */
static enum bt_status find_file(struct lsp_request *request, bt_str name, struct lsp_target *out)
{
    const bt_str folder = bt_path_parent(request->document->path);
    bt_str joined;
    bt_str path;
    if (name.len == 0) {
        return BT_OK;
    }
    const bool is_absolute = name.ptr[0] == '/';
    BT_TRY(bt_arena_printf(request->arena, &joined, "%.*s/%.*s",
                           (int)(is_absolute ? 0 : folder.len), folder.ptr, BT_STR_ARG(name)));
    BT_TRY(bt_path_resolve(request->arena, joined, &path));
    if (lsp_path_is_inside(request->server, request->workspace, path) &&
        bt_file_kind_of(path) == BT_FILE_REGULAR) {
        *out = (struct lsp_target){.path = path, .is_found = true};
    }
    return BT_OK;
}

/* The file of a handler: what stands before its last colon, FILE.py:NAME. */
static bt_str handler_file(bt_str handler)
{
    size_t end = handler.len;
    while (end > 0 && handler.ptr[end - 1] != ':') {
        end--;
    }
    return bt_str_slice(handler, 0, end > 0 ? end - 1 : handler.len);
}

enum bt_status lsp_define_organism(struct lsp_request *request, struct lsp_target *out)
{
    const bt_str text = lsp_document_text(request->document);
    const struct lsp_yaml_line line = lsp_yaml_line_at(text, request->offset);
    const struct lsp_span item = lsp_yaml_item_at(text, &line, request->offset);
    const bt_str value = bt_str_slice(text, item.begin, item.end);
    const size_t depth = value_depth(&line);
    const bt_str key = depth > 0 ? line.path[depth - 1] : BT_STR("");
    if (is_key_place(&line, request->offset) && line.has_key) {
        return BT_OK;
    }
    if (names_listeners(&line, depth)) {
        out->is_found = value.len > 0 && lsp_yaml_find_listener(text, value, &out->span);
        return BT_OK;
    }
    if (bt_str_eq(key, BT_STR("handler"))) {
        return find_file(request, handler_file(value), out);
    }
    return bt_str_eq(key, BT_STR("command")) ? find_file(request, value, out) : BT_OK;
}

/* ---- Configurations -------------------------------------------------------------------------- */

/* Put the keys of a path with dots; items of lists are left out. */
static enum bt_status join_keys(struct bt_arena *arena, const struct lsp_yaml_line *line,
                                size_t depth, bt_str *out)
{
    bt_str joined = BT_STR("");
    for (size_t i = 0; i < depth; i++) {
        if (!bt_str_eq(line->path[i], BT_STR("[]"))) {
            BT_TRY(bt_arena_printf(arena, &joined, "%.*s%s%.*s", BT_STR_ARG(joined),
                                   joined.len > 0 ? "." : "", BT_STR_ARG(line->path[i])));
        }
    }
    *out = joined;
    return BT_OK;
}

/* The row of a key, or of a member of a list of mappings; NULL: there is none. */
static const struct bt_config_row *find_config_row(bt_str key)
{
    for (size_t i = 0; i < bt_config_rows_count; i++) {
        const struct bt_config_row *row = &bt_config_rows[i];
        if (bt_str_eq(row->name, key)) {
            return row;
        }
        for (size_t k = 0; k < row->list.member_count; k++) {
            const bt_str rest = bt_str_slice(key, row->name.len + 1, key.len);
            if (bt_str_starts_with(key, row->name) && key.len > row->name.len &&
                bt_str_eq(row->list.members[k].name, rest)) {
                return &row->list.members[k];
            }
        }
    }
    return NULL;
}

static enum bt_status add_config_keys(bt_str prefix, struct lsp_completion *out)
{
    const struct bt_config_row *parent = find_config_row(prefix);
    for (size_t i = 0; parent && i < parent->list.member_count; i++) {
        BT_TRY(lsp_completion_add_label(out, parent->list.members[i].name, LSP_KIND_PROPERTY,
                                        BT_STR("key")));
    }
    for (size_t i = 0; i < bt_config_rows_count; i++) {
        const bt_str name = bt_config_rows[i].name;
        const size_t from = prefix.len > 0 ? prefix.len + 1 : 0;
        if (bt_str_starts_with(name, prefix) &&
            (from == 0 || (name.len > from && name.ptr[from - 1] == '.'))) {
            const size_t end = bt_str_find_byte(name, '.', from);
            BT_TRY(lsp_completion_add_label(out, bt_str_slice(name, from, end), LSP_KIND_PROPERTY,
                                            BT_STR("key")));
        }
    }
    return BT_OK;
}

static enum bt_status add_codes(struct lsp_completion *out)
{
    for (size_t i = 0; i < bt_rules_count(); i++) {
        const struct bt_rule *rule = bt_rules_at(i);
        BT_TRY(lsp_completion_add_label(out, rule->code, LSP_KIND_VALUE, rule->meaning));
    }
    return BT_OK;
}

static bool ends_in(bt_str key, const char *last)
{
    const bt_str word = bt_str_of(last);
    return bt_str_ends_with(key, word) &&
           (key.len == word.len || key.ptr[key.len - word.len - 1] == '.');
}

static enum bt_status add_config_values(bt_str key, struct lsp_completion *out)
{
    static const char *const levels[] = {"off", "info", "warning", "error", NULL};
    const bt_str parent = bt_str_slice(key, 0, key.len - (key.len > 0));
    const struct bt_config_row *row = find_config_row(key);
    if (bt_str_eq(key, BT_STR("ignore.code"))) {
        return add_codes(out);
    }
    if (bt_str_starts_with(parent, BT_STR("rules.")) ||
        bt_str_starts_with(parent, BT_STR("paths.rules."))) {
        return add_words(levels, out);
    }
    if (row && row->type == BT_CONFIG_SWITCH) {
        return add_words(boolean_words, out);
    }
    for (size_t i = 0; row && row->word && row->word(i).len > 0; i++) {
        BT_TRY(lsp_completion_add_label(out, row->word(i), LSP_KIND_VALUE, BT_STR("value")));
    }
    return row ? add_words(row->words, out) : BT_OK;
}

enum bt_status lsp_complete_config(struct lsp_request *request, struct lsp_completion *out)
{
    const struct lsp_yaml_line line =
        lsp_yaml_line_at(lsp_document_text(request->document), request->offset);
    const bool is_key = is_key_place(&line, request->offset);
    bt_str key;
    set_span(request, &line, out);
    BT_TRY(join_keys(request->arena, &line, is_key ? mapping_depth(&line) : line.depth, &key));
    if (!is_key) {
        return add_config_values(key, out);
    }
    if (ends_in(key, "rules")) {
        return add_codes(out);
    }
    BT_TRY(add_config_keys(key, out));
    return line.has_key ? BT_OK : add_config_values(key, out);
}
