/* SPDX-License-Identifier: Apache-2.0 */
/* diagnostics.c - judge documents; findings -> diagnostics, pushed or pulled. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/path.h"
#include "config/select.h"
#include "dialect/universal/universal.h"
#include "dialect/xml/message.h"
#include "lsp/dialects.h"
#include "lsp/lsp_internal.h"

/* ---- Judging --------------------------------------------------------------------------------- */

/* The length of the character at an offset; 0 at the end of its line. */
static size_t measure_one(bt_str text, size_t at)
{
    const struct lsp_span line = lsp_line_at(text, at);
    size_t size = at < line.end ? 1 : 0;
    while (size > 0 && at + size < line.end &&
           ((unsigned char)text.ptr[at + size] & 0xc0) == 0x80) {
        size++;
    }
    return size;
}

static struct lsp_diagnostic locate_finding(const struct lsp_document *document,
                                            const struct bt_finding *finding)
{
    const bt_str text = lsp_document_text(document);
    struct lsp_diagnostic diagnostic = {.finding = finding,
                                        .has_position = finding->position.line > 0};
    if (diagnostic.has_position) {
        const size_t begin = finding->offset < text.len ? finding->offset : text.len;
        const bool is_read = finding->rule->stage == BT_STAGE_READ;
        const size_t size = is_read ? measure_one(text, begin)
                                    : lsp_dialect(document->judged.dialect)->measure(text, begin);
        diagnostic.span = (struct lsp_span){begin, begin + size};
    }
    return diagnostic;
}

static enum bt_status locate_findings(struct lsp_document *document)
{
    struct lsp_judged *judged = &document->judged;
    const struct bt_findings *findings = judged->judgement.findings;
    const size_t count = bt_findings_count(findings);
    judged->items = BT_NEW_ARRAY(&judged->arena, struct lsp_diagnostic, count + 1);
    if (!judged->items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        judged->items[i] = locate_finding(document, bt_findings_at(findings, i));
    }
    judged->count = count;
    return BT_OK;
}

/*
 * The path of a document as patterns and the baseline know it: absolute, the links of its folder
 * resolved; "" for one that is not a file.
 */
static enum bt_status find_real_path(const struct lsp_document *document, struct bt_arena *arena,
                                     bt_str *out)
{
    char folder[PATH_MAX];
    const bt_str path = document->path;
    const bt_str parent = bt_path_parent(path);
    bt_str name;
    *out = BT_STR("");
    if (!bt_str_starts_with(path, BT_STR("/"))) {
        return BT_OK;
    }
    BT_TRY(bt_arena_copy(arena, parent, &name));
    if (parent.len == 0 || !realpath(name.ptr, folder)) {
        *out = path;
        return BT_OK;
    }
    const bt_str rest = bt_str_slice(path, parent.len, path.len);
    return bt_arena_printf(arena, out, "%s%.*s", folder, BT_STR_ARG(rest));
}

/* True when the patterns of the configuration leave the document out. */
static bool is_left_out(const struct lsp_workspace *workspace, bt_str real)
{
    return real.len > 0 && ((workspace->include && !bt_ignore_cover(workspace->include, real)) ||
                            (workspace->exclude && bt_ignore_cover(workspace->exclude, real)));
}

/*
 * True when files that the document names may be read: its folder exists, and is below the root or
 * a workspace folder.
 */
static bool may_read_files(const struct lsp_server *server, const struct lsp_workspace *workspace,
                           const struct lsp_document *document)
{
    return lsp_path_is_inside(server, workspace, document->path) &&
           bt_file_kind_of(bt_path_parent(document->path)) == BT_FILE_DIRECTORY;
}

/* What a document is judged with. */
struct lsp_judge_options {
    struct bt_check_options check;
    struct bt_universal_options universal;
    struct bt_message_options xml;
    bt_str real; /* its path, see find_real_path() */
};

/* Set what `paths` of the configuration and the place of the document change. */
static enum bt_status set_options(struct lsp_server *server, const struct lsp_workspace *workspace,
                                  struct lsp_document *document, struct lsp_judge_options *out)
{
    struct bt_check_options *check = &out->check;
    *check = workspace->options;
    BT_TRY(find_real_path(document, &document->judged.arena, &out->real));
    const struct bt_select_path set =
        workspace->select ? bt_select_for_path(&workspace->select->select, out->real)
                          : (struct bt_select_path){.as = BT_DIALECT_NONE};
    check->dialect = set.as ? set.as
                            : bt_dialect_recognise(lsp_shown_path(server, document),
                                                   lsp_document_text(document));
    if (check->universal) {
        out->universal = *check->universal;
        out->universal.budget = set.budget > 0 ? set.budget : out->universal.budget;
        if (set.tokens.len > 0) {
            BT_TRY(bt_encoding_parse(set.tokens, &out->universal.encoding));
        }
        check->universal = &out->universal;
    }
    if (check->xml && !may_read_files(server, workspace, document)) {
        out->xml = *check->xml;
        out->xml.organism_options = NULL;
        check->xml = &out->xml;
    }
    return BT_OK;
}

/* Judge the text as it is now. Without a status BT_OK it has no dialect and no diagnostics. */
static enum bt_status judge_text(struct lsp_server *server, struct lsp_document *document)
{
    struct lsp_judged *judged = &document->judged;
    const struct lsp_workspace *workspace = lsp_folder_enter(server, document);
    struct lsp_judge_options *options = BT_NEW(&judged->arena, struct lsp_judge_options);
    if (!workspace || !options) {
        return workspace ? BT_ENOMEM : BT_ENOENT;
    }
    BT_TRY(set_options(server, workspace, document, options));
    if (!options->check.dialect || is_left_out(workspace, options->real)) {
        return BT_ENOENT;
    }
    BT_TRY(bt_check_document(workspace->env, &judged->arena, lsp_shown_path(server, document),
                             lsp_document_text(document), &options->check, &judged->judgement));
    if (workspace->select) {
        struct bt_select_result selected;
        BT_TRY(config_select_judgement(workspace->select, &judged->arena, options->real,
                                       workspace->options.fail_level, &judged->judgement,
                                       &selected));
    }
    judged->dialect = options->check.dialect;
    judged->options = &options->check;
    return locate_findings(document);
}

/* ---- Rendering ------------------------------------------------------------------------------- */

static void emit_message(struct bt_emit *emit, const struct bt_finding *finding)
{
    if (finding->hint.len == 0) {
        bt_emit_member_string(emit, "message", finding->message);
        return;
    }
    struct bt_buf text;
    bt_buf_init(&text, LSP_FRAME_BYTES_MAX);
    bt_buf_put(&text, finding->message);
    bt_buf_put_text(&text, "\nhelp: ");
    bt_buf_put(&text, finding->hint);
    bt_emit_member_string(emit, "message", bt_buf_str(&text));
    bt_buf_free(&text);
}

static void emit_code(struct bt_emit *emit, bt_str docs_url, bt_str code)
{
    bt_emit_member_string(emit, "code", code);
    if (docs_url.len == 0) {
        return;
    }
    struct bt_buf url;
    bt_buf_init(&url, LSP_FRAME_BYTES_MAX);
    bt_buf_put(&url, docs_url);
    bt_buf_put_char(&url, '#');
    bt_buf_put(&url, code);
    bt_emit_member_object(emit, "codeDescription");
    bt_emit_member_string(emit, "href", bt_buf_str(&url));
    bt_emit_end(emit);
    bt_buf_free(&url);
}

void lsp_emit_diagnostic(struct bt_emit *emit, struct lsp_cursor *cursor, bt_str docs_url,
                         const struct lsp_diagnostic *diagnostic)
{
    static const unsigned severities[] = {
        [BT_SEVERITY_HARD] = 1, [BT_SEVERITY_WARN] = 2, [BT_SEVERITY_INFO] = 3};
    const struct bt_finding *finding = diagnostic->finding;
    const struct lsp_range none = {{0, 0}, {0, 0}};
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "range");
    lsp_emit_range(emit,
                   diagnostic->has_position ? lsp_cursor_range(cursor, diagnostic->span) : none);
    bt_emit_member_u64(emit, "severity", severities[finding->severity]);
    emit_code(emit, docs_url, finding->rule->code);
    bt_emit_member_string(emit, "source", BT_STR("baton"));
    emit_message(emit, finding);
    bt_emit_member_object(emit, "data");
    bt_emit_member_string(emit, "pointer", finding->pointer);
    bt_emit_member_string(emit, "stage", bt_stage_name(finding->rule->stage));
    if (finding->fix) {
        bt_emit_member_string(emit, "fix", bt_fix_name(finding->fix));
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* The last diagnostic of a document that has too many. */
static void emit_omitted(struct bt_emit *emit, size_t count)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "%zu more findings are not shown", count);
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "range");
    lsp_emit_range(emit, (struct lsp_range){{0, 0}, {0, 0}});
    bt_emit_member_u64(emit, "severity", 3);
    bt_emit_member_string(emit, "source", BT_STR("baton"));
    bt_emit_member_string(emit, "message", bt_str_of(text));
    bt_emit_end(emit);
}

static void render_diagnostics(struct lsp_server *server, const struct lsp_document *document,
                               bt_str docs_url, struct bt_buf *buf)
{
    const struct lsp_judged *judged = &document->judged;
    const size_t shown =
        judged->count > LSP_DIAGNOSTICS_MAX ? LSP_DIAGNOSTICS_MAX - 1 : judged->count;
    struct lsp_cursor cursor =
        lsp_cursor_begin(lsp_document_text(document), server->client.encoding);
    struct bt_emit emit;
    bt_buf_clear(buf);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < shown; i++) {
        lsp_emit_diagnostic(&emit, &cursor, docs_url, &judged->items[i]);
    }
    if (shown < judged->count) {
        emit_omitted(&emit, judged->count - shown);
    }
    bt_emit_end(&emit);
}

void lsp_judge_document(struct lsp_server *server, struct lsp_document *document)
{
    struct lsp_judged *judged = &document->judged;
    const enum bt_dialect_id before = judged->dialect;
    bt_arena_reset(&judged->arena);
    judged->dialect = BT_DIALECT_NONE;
    judged->items = NULL;
    judged->count = 0;
    const enum bt_status status = document->is_lost ? BT_ENOENT : judge_text(server, document);
    if (status != BT_OK) {
        judged->dialect = BT_DIALECT_NONE;
        judged->count = 0;
    }
    if (status != BT_OK && status != BT_ENOENT) {
        lsp_show_message(server, BT_STR("baton: a document could not be checked: no memory, or a "
                                        "file of the root cannot be read"));
    }
    const struct lsp_folder *folder = server->folders.current;
    const bt_str docs_url = folder && folder->workspace ? folder->workspace->docs_url : BT_STR("");
    render_diagnostics(server, document, docs_url, &server->message);
    if (judged->number == 0 ||
        !bt_str_eq(bt_buf_str(&server->message), bt_buf_str(&judged->rendered))) {
        bt_buf_clear(&judged->rendered);
        bt_buf_put(&judged->rendered, bt_buf_str(&server->message));
        judged->number = ++server->last_result;
        document->needs_publish = true;
    }
    /* What never had a dialect has nothing to publish. */
    if (!judged->dialect && !before && !document->was_published) {
        document->needs_publish = false;
    }
    document->needs_check = false;
}

/* ---- Pushing --------------------------------------------------------------------------------- */

static void publish_document(struct lsp_server *server, struct lsp_document *document)
{
    struct bt_emit emit = lsp_notification_begin(server, "textDocument/publishDiagnostics");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "uri", document->uri);
    bt_emit_name(&emit, "version");
    bt_emit_i64(&emit, document->version);
    bt_emit_member_raw(&emit, "diagnostics", bt_buf_str(&document->judged.rendered));
    bt_emit_end(&emit);
    lsp_notification_end(server, &emit);
    document->was_published = true;
}

void lsp_publish_empty(struct lsp_server *server, bt_str uri)
{
    if (server->client.pulls_diagnostics) {
        return;
    }
    struct bt_emit emit = lsp_notification_begin(server, "textDocument/publishDiagnostics");
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "uri", uri);
    bt_emit_member_array(&emit, "diagnostics");
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    lsp_notification_end(server, &emit);
}

void lsp_server_publish(struct lsp_server *server)
{
    for (size_t i = 0; i < server->documents.count; i++) {
        struct lsp_document *document = server->documents.items[i];
        if (document->needs_check && !document->is_ignored) {
            lsp_judge_document(server, document);
        }
        if (document->needs_publish && !server->client.pulls_diagnostics) {
            publish_document(server, document);
        }
        document->needs_publish = false;
    }
}

/* ---- Pulling --------------------------------------------------------------------------------- */

enum lsp_error lsp_method_diagnostic(struct lsp_request *request)
{
    struct bt_emit *emit = &request->emit;
    const struct lsp_judged *judged = &request->document->judged;
    char number[32];
    bt_str previous = BT_STR("");
    (void)snprintf(number, sizeof(number), "%llu", (unsigned long long)judged->number);
    (void)lsp_get_text(request, request->params, "previousResultId", &previous);
    const bool is_same = bt_str_eq(previous, bt_str_of(number));
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "kind", is_same ? BT_STR("unchanged") : BT_STR("full"));
    bt_emit_member_string(emit, "resultId", bt_str_of(number));
    if (!is_same) {
        const bt_str items = bt_buf_str(&judged->rendered);
        bt_emit_member_raw(emit, "items", items.len > 0 ? items : BT_STR("[]"));
    }
    bt_emit_end(emit);
    return LSP_OK;
}
