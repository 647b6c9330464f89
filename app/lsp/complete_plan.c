/* SPDX-License-Identifier: Apache-2.0 */
/* complete_plan.c - completions and definitions in plans, row by row. */
#include "base/file.h"
#include "dialect/plan/plan_check.h"
#include "dialect/plan/references.h"
#include "lsp/dialects.h"

/* ---- Cells ----------------------------------------------------------------------------------- */

/* One cell of a text that need not be readable as a whole. */
struct lsp_plan_cell {
    size_t row; /* the header is 0 */
    size_t column;
    struct lsp_span span;    /* with quotes */
    struct lsp_span content; /* without them */
};

/* Passes over the cells from the beginning. Begin with {.text = ...}. */
struct lsp_plan_scan {
    bt_str text;
    size_t at;
    struct lsp_plan_cell cell;
    bool has_begun;
    bool has_ended;
};

/* Take the next cell. False after the last. */
static bool next_cell(struct lsp_plan_scan *scan)
{
    const bt_str text = scan->text;
    if (scan->has_ended) {
        return false;
    }
    if (scan->has_begun) {
        const char end = text.ptr[scan->at - 1];
        scan->cell.row += end == '\n';
        scan->cell.column = end == '\n' ? 0 : scan->cell.column + 1;
    }
    scan->has_begun = true;
    const size_t begin = scan->at;
    const size_t size = lsp_measure_csv(text, begin);
    const bool is_quoted = size >= 2 && text.ptr[begin] == '"' && text.ptr[begin + size - 1] == '"';
    scan->cell.span = (struct lsp_span){begin, begin + size};
    scan->cell.content = (struct lsp_span){begin + is_quoted, begin + size - is_quoted};
    scan->at = begin + size;
    while (scan->at < text.len && text.ptr[scan->at] != ',' && text.ptr[scan->at] != '\n') {
        scan->at++; /* a carriage return, or what follows a closing quote */
    }
    scan->has_ended = scan->at == text.len;
    scan->at++;
    return true;
}

/* Find the cell at an offset. */
static struct lsp_plan_cell find_cell(bt_str text, size_t offset)
{
    struct lsp_plan_scan scan = {.text = text};
    while (next_cell(&scan) && scan.at <= offset) {
    }
    return scan.cell;
}

static bt_str content_of(bt_str text, const struct lsp_plan_cell *cell)
{
    return bt_plan_trim(bt_str_slice(text, cell->content.begin, cell->content.end));
}

/* The column that the header gives a number; BT_PLAN_COLUMN__MAX: an unknown one. */
static enum bt_plan_column find_column(bt_str text, size_t number)
{
    struct lsp_plan_scan scan = {.text = text};
    while (next_cell(&scan) && scan.cell.row == 0) {
        if (scan.cell.column == number) {
            enum bt_plan_column column = BT_PLAN_COLUMN_STEP;
            while (column < BT_PLAN_COLUMN__MAX &&
                   !bt_str_eq(bt_plan_column_name(column), content_of(text, &scan.cell))) {
                column++;
            }
            return column;
        }
    }
    return BT_PLAN_COLUMN__MAX;
}

static bool has_column(bt_str text, bt_str name)
{
    struct lsp_plan_scan scan = {.text = text};
    while (next_cell(&scan) && scan.cell.row == 0) {
        if (bt_str_eq(content_of(text, &scan.cell), name)) {
            return true;
        }
    }
    return false;
}

static bool is_id_column(enum bt_plan_column column)
{
    return column == BT_PLAN_COLUMN_STEP || column == BT_PLAN_COLUMN_STEP_ID;
}

/* ---- Completions ----------------------------------------------------------------------------- */

static enum bt_status add_header_names(bt_str text, struct lsp_completion *out)
{
    for (enum bt_plan_column column = 0; column < BT_PLAN_COLUMN__MAX; column++) {
        const bt_str name = bt_plan_column_name(column);
        if (!has_column(text, name)) {
            BT_TRY(lsp_completion_add_label(out, name, LSP_KIND_PROPERTY, BT_STR("column")));
        }
    }
    return BT_OK;
}

/* Add what can stand in a cell. */
typedef enum bt_status lsp_plan_complete_fn(struct lsp_request *request,
                                            const struct lsp_plan_cell *cell,
                                            struct lsp_completion *out);

static enum bt_status add_statuses(struct lsp_request *request, const struct lsp_plan_cell *cell,
                                   struct lsp_completion *out)
{
    (void)request;
    (void)cell;
    for (size_t i = 0; bt_plan_step_status_at(i).len > 0; i++) {
        BT_TRY(lsp_completion_add_label(out, bt_plan_step_status_at(i), LSP_KIND_VALUE,
                                        BT_STR("status")));
    }
    return BT_OK;
}

/* Add the texts of other cells in the columns for which `is_wanted` holds. */
static enum bt_status add_used(bt_str text, size_t except,
                               bool (*is_wanted)(enum bt_plan_column column), const char *detail,
                               struct lsp_completion *out)
{
    enum { COLUMNS_MAX = 64 };
    bool wanted[COLUMNS_MAX] = {false};
    struct lsp_plan_scan scan = {.text = text};
    for (size_t i = 0; i < COLUMNS_MAX; i++) {
        wanted[i] = is_wanted(find_column(text, i));
    }
    while (next_cell(&scan)) {
        const bt_str value = content_of(text, &scan.cell);
        if (scan.cell.row > 0 && scan.cell.column < COLUMNS_MAX && wanted[scan.cell.column] &&
            value.len > 0 && scan.cell.span.begin != except) {
            BT_TRY(lsp_completion_add_label(out, value, LSP_KIND_REFERENCE, bt_str_of(detail)));
        }
    }
    return BT_OK;
}

static bool is_agent_column(enum bt_plan_column column)
{
    return column == BT_PLAN_COLUMN_AGENT;
}

static enum bt_status add_agents(struct lsp_request *request, const struct lsp_plan_cell *cell,
                                 struct lsp_completion *out)
{
    return add_used(lsp_document_text(request->document), cell->span.begin, is_agent_column,
                    "agent", out);
}

/* Add the schemas below the root. */
static enum bt_status add_schemas(struct lsp_request *request, const struct lsp_plan_cell *cell,
                                  struct lsp_completion *out)
{
    (void)cell;
    const struct bt_plan_options *options = request->workspace->options.plan;
    struct bt_dir *dir = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    if (!options || !options->dir ||
        bt_dir_open_subdir(options->dir, BT_STR("schemas/handoff-payloads"), false, &dir, NULL) !=
            BT_OK) {
        return BT_OK;
    }
    enum bt_status status = bt_dir_list(dir, request->arena, &names, &count, NULL);
    for (size_t i = 0; status == BT_OK && i < count; i++) {
        struct bt_payload_reference reference;
        bt_str id;
        if (bt_payload_reference_of_name(names[i], &reference)) {
            status = bt_payload_reference_id(&reference, request->arena, &id);
            status = status == BT_OK
                         ? lsp_completion_add_label(out, id, LSP_KIND_FILE, BT_STR("schema"))
                         : status;
        }
    }
    bt_dir_close(dir);
    return status == BT_ENOMEM ? status : BT_OK;
}

/* The item of a list of step ids that an offset is in. */
static struct lsp_span find_item(bt_str text, struct lsp_span cell, size_t offset)
{
    const bt_str list = bt_str_slice(text, cell.begin, cell.end);
    bt_str token;
    for (size_t at = 0; bt_plan_next_token(list, &at, &token);) {
        const size_t begin = (size_t)(token.ptr - text.ptr);
        if (offset >= begin && offset <= begin + token.len) {
            return (struct lsp_span){begin, begin + token.len};
        }
    }
    return (struct lsp_span){offset, offset};
}

static enum bt_status add_steps(struct lsp_request *request, const struct lsp_plan_cell *cell,
                                struct lsp_completion *out)
{
    const bt_str text = lsp_document_text(request->document);
    out->span = find_item(text, cell->content, request->offset);
    return add_used(text, SIZE_MAX, is_id_column, "step", out);
}

enum bt_status lsp_complete_plan(struct lsp_request *request, struct lsp_completion *out)
{
    static lsp_plan_complete_fn *const rows[BT_PLAN_COLUMN__MAX + 1] = {
        [BT_PLAN_COLUMN_STATUS] = add_statuses,    [BT_PLAN_COLUMN_AGENT] = add_agents,
        [BT_PLAN_COLUMN_DEPENDS_ON] = add_steps,   [BT_PLAN_COLUMN_DEPENDENCIES] = add_steps,
        [BT_PLAN_COLUMN_PAYLOAD_IN] = add_schemas, [BT_PLAN_COLUMN_PAYLOAD_OUT] = add_schemas,
    };
    const bt_str text = lsp_document_text(request->document);
    const struct lsp_plan_cell cell = find_cell(text, request->offset);
    out->span = cell.content;
    if (cell.row == 0) {
        return add_header_names(text, out);
    }
    lsp_plan_complete_fn *complete = rows[find_column(text, cell.column)];
    return complete ? complete(request, &cell, out) : BT_OK;
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static enum bt_status find_schema(struct lsp_request *request, bt_str text, struct lsp_target *out)
{
    const struct bt_plan_options *options = request->workspace->options.plan;
    const struct bt_payload_reference reference = bt_plan_reference_read(text);
    bt_str file;
    if (!options || !options->dir || reference.refuse || text.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_payload_reference_file(&reference, request->arena, &file));
    if (bt_dir_file_kind_of(options->dir, file) != BT_FILE_REGULAR) {
        return BT_OK;
    }
    out->is_found = true;
    return bt_arena_printf(request->arena, &out->path, "%.*s/%.*s",
                           BT_STR_ARG(request->workspace->root), BT_STR_ARG(file));
}

/* Find the row whose id is the item at the offset. */
static void find_row(bt_str text, struct lsp_span item, struct lsp_target *out)
{
    const bt_str id = bt_str_slice(text, item.begin, item.end);
    struct lsp_plan_scan scan = {.text = text};
    while (id.len > 0 && !out->is_found && next_cell(&scan)) {
        if (scan.cell.row > 0 && bt_str_eq(content_of(text, &scan.cell), id) &&
            is_id_column(find_column(text, scan.cell.column))) {
            *out = (struct lsp_target){.span = scan.cell.span, .is_found = true};
        }
    }
}

enum bt_status lsp_define_plan(struct lsp_request *request, struct lsp_target *out)
{
    const bt_str text = lsp_document_text(request->document);
    const struct lsp_plan_cell cell = find_cell(text, request->offset);
    const enum bt_plan_column column =
        cell.row > 0 ? find_column(text, cell.column) : BT_PLAN_COLUMN__MAX;
    if (column == BT_PLAN_COLUMN_PAYLOAD_IN || column == BT_PLAN_COLUMN_PAYLOAD_OUT) {
        return find_schema(request, content_of(text, &cell), out);
    }
    if (column == BT_PLAN_COLUMN_DEPENDS_ON || column == BT_PLAN_COLUMN_DEPENDENCIES) {
        find_row(text, find_item(text, cell.content, request->offset), out);
    }
    return BT_OK;
}
