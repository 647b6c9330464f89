/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary_map.c - which agent has listed which, and which may hand off to which: read, and written
 * as text and JSON.
 */
#include "dialect/governed/governed_root.h"

#include <assert.h>

#include "dialect/governed/verify.h"
#include "json/emit.h"

bt_str bt_boundary_map_format_name(enum bt_boundary_map_format form)
{
    static const bt_str names[BT_BOUNDARY_MAP__MAX] = {
        [BT_BOUNDARY_MAP_TEXT] = BT_STR_INIT("text"),
        [BT_BOUNDARY_MAP_MERMAID] = BT_STR_INIT("mermaid"),
        [BT_BOUNDARY_MAP_DOT] = BT_STR_INIT("dot"),
        [BT_BOUNDARY_MAP_SVG] = BT_STR_INIT("svg"),
        [BT_BOUNDARY_MAP_JSON] = BT_STR_INIT(""),
        [BT_BOUNDARY_MAP_FILE] = BT_STR_INIT(""),
    };
    assert(form < BT_BOUNDARY_MAP__MAX);
    return names[form];
}

/* Take lists from where they are wanted, not from where they are in force. */
static void select_lists(struct bt_governed_root *governed_root,
                         enum bt_governed_boundary_lists source)
{
    if (source == BT_BOUNDARY_LISTS_FROM_FILE && !governed_root->lists_in_file) {
        governed_root->has_lists = false; /* boundaries.fault says that there is no file */
    }
    if (source == BT_BOUNDARY_LISTS_FROM_PROMPTS) {
        for (size_t i = 0; i < governed_root->count; i++) {
            governed_root->agents[i].list = (struct bt_governed_boundary_list){0};
        }
        governed_root->lists_in_file = false;
        governed_root->has_lists = true;
    }
}

enum bt_status bt_governed_map_read(struct bt_governed_root *governed_root,
                                    enum bt_governed_boundary_lists source,
                                    struct bt_findings *findings, bool *out_answers)
{
    *out_answers = false;
    BT_TRY(bt_governed_root_read(governed_root));
    if (governed_root->manifest.fault != BT_ROOT_FINE) {
        return bt_governed_root_add_manifest_finding(governed_root, findings);
    }
    if (governed_root->lock.fault != BT_ROOT_FINE) {
        governed_root->boundaries.fault =
            BT_ROOT_NOT_LOCKED; /* there is no lock that could cover them */
        return bt_governed_root_add_boundaries_finding(governed_root, findings);
    }
    select_lists(governed_root, source);
    if (!governed_root->has_lists) {
        return bt_governed_root_add_boundaries_finding(governed_root, findings);
    }
    *out_answers = true;
    return bt_governed_root_check_integrity(governed_root);
}

bool bt_governed_map_allows(const struct bt_governed_root *governed_root, size_t from, size_t to)
{
    return bt_governed_agent_is_candidate(&governed_root->agents[from]) &&
           bt_governed_agent_is_candidate(&governed_root->agents[to]) &&
           bt_governed_check_pair(governed_root, from, to) == BT_PAIR_ALLOWED;
}

/* A boundaries file has no unclear lines: it separates until its author decides. */
static void put_line(const struct bt_governed_root *governed_root, struct bt_emit *emit,
                     const struct bt_governed_boundary_line *line, bool is_for_file)
{
    const enum bt_governed_relation relation =
        is_for_file && line->relation == BT_GOVERNED_RELATION_UNCLEAR
            ? BT_GOVERNED_RELATION_DEMARCATES
            : line->relation;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "with", governed_root->agents[line->partner].id);
    bt_emit_member_string(emit, "relation", bt_governed_relation_name(relation));
    if (line->note.len > 0) {
        bt_emit_member_string(emit, "note", line->note);
    }
    bt_emit_end(emit);
}

static void put_lists(const struct bt_governed_root *governed_root, struct bt_emit *emit,
                      bool is_for_file)
{
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < governed_root->count; i++) {
        const struct bt_governed_boundary_list *list = &governed_root->agents[i].list;
        if (!list->is_there) {
            continue;
        }
        bt_emit_name_str(emit, governed_root->agents[i].id);
        bt_emit_begin_array(emit);
        for (size_t k = 0; k < list->count; k++) {
            put_line(governed_root, emit, &list->lines[k], is_for_file);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_allowed(const struct bt_governed_root *governed_root, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "allowed");
    for (size_t from = 0; from < governed_root->count; from++) {
        for (size_t to = 0; to < governed_root->count; to++) {
            if (!bt_governed_map_allows(governed_root, from, to)) {
                continue;
            }
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "from", governed_root->agents[from].id);
            bt_emit_member_string(emit, "to", governed_root->agents[to].id);
            bt_emit_member_u64(emit, "pattern", bt_governed_pair_pattern(governed_root, from, to));
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

void bt_governed_map_put_json(const struct bt_governed_root *governed_root, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "from",
                          governed_root->lists_in_file ? BT_STR("file") : BT_STR("prompts"));
    bt_governed_put_modes(governed_root->options, &emit);
    bt_emit_name(&emit, "boundaries");
    put_lists(governed_root, &emit, false);
    put_allowed(governed_root, &emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

void bt_governed_map_put_file(const struct bt_governed_root *governed_root, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, true);
    put_lists(governed_root, &emit, true);
    bt_buf_put_char(buf, '\n');
}

static size_t find_widest_id(const struct bt_governed_root *governed_root)
{
    size_t width = 0;
    for (size_t i = 0; i < governed_root->count; i++) {
        width = governed_root->agents[i].id.len > width ? governed_root->agents[i].id.len : width;
    }
    return width;
}

static void put_padded(struct bt_buf *buf, bt_str text, size_t width)
{
    bt_buf_put(buf, text);
    bt_buf_put_repeat(buf, ' ', text.len < width ? width - text.len : 0);
}

static void put_targets(const struct bt_governed_root *governed_root, struct bt_buf *buf,
                        size_t from)
{
    bool is_first = true;
    for (size_t to = 0; to < governed_root->count; to++) {
        if (bt_governed_map_allows(governed_root, from, to)) {
            bt_buf_printf(buf, "%s%.*s [%u]", is_first ? "" : ", ",
                          BT_STR_ARG(governed_root->agents[to].id),
                          bt_governed_pair_pattern(governed_root, from, to));
            is_first = false;
        }
    }
    bt_buf_put_text(buf, is_first ? "no agent\n" : "\n");
}

void bt_governed_map_put_text(const struct bt_governed_root *governed_root, struct bt_buf *buf)
{
    const size_t width = find_widest_id(governed_root);
    bt_buf_printf(buf, "lists, from %s:\n", governed_root->lists_in_file ? "the file" : "prompts");
    for (size_t i = 0; i < governed_root->count; i++) {
        const struct bt_governed_boundary_list *list = &governed_root->agents[i].list;
        for (size_t k = 0; k < list->count; k++) {
            bt_buf_put_text(buf, "  ");
            put_padded(buf, governed_root->agents[i].id, width);
            bt_buf_printf(buf, " %-11.*s ",
                          BT_STR_ARG(bt_governed_relation_name(list->lines[k].relation)));
            bt_buf_put(buf, governed_root->agents[list->lines[k].partner].id);
            bt_buf_put_char(buf, '\n');
        }
        if (list->is_there && list->count == 0) {
            bt_buf_printf(buf, "  %.*s lists no agent\n", BT_STR_ARG(governed_root->agents[i].id));
        }
    }
    bt_buf_put_text(buf, "\nmay hand to [pattern]:\n");
    for (size_t i = 0; i < governed_root->count; i++) {
        bt_buf_put_text(buf, "  ");
        put_padded(buf, governed_root->agents[i].id, width);
        bt_buf_put_text(buf, " -> ");
        if (bt_governed_agent_is_candidate(&governed_root->agents[i])) {
            put_targets(governed_root, buf, i);
        } else {
            bt_buf_put_text(buf, "no agent: it is not verified, or its composition is invalid\n");
        }
    }
}

enum bt_status bt_governed_put_boundary_map(struct bt_governed_checker *governed,
                                            const struct bt_governed_options *options,
                                            enum bt_governed_boundary_lists source,
                                            enum bt_boundary_map_format form,
                                            struct bt_report *report, struct bt_buf *out)
{
    static bt_map_fn *const forms[BT_BOUNDARY_MAP__MAX] = {
        [BT_BOUNDARY_MAP_TEXT] = bt_governed_map_put_text,
        [BT_BOUNDARY_MAP_MERMAID] = bt_governed_map_put_mermaid,
        [BT_BOUNDARY_MAP_DOT] = bt_governed_map_put_dot,
        [BT_BOUNDARY_MAP_SVG] = bt_governed_map_put_svg,
        [BT_BOUNDARY_MAP_JSON] = bt_governed_map_put_json,
        [BT_BOUNDARY_MAP_FILE] = bt_governed_map_put_file,
    };
    assert(governed);
    assert(options->dir);
    assert(form < BT_BOUNDARY_MAP__MAX);
    struct bt_governed_root governed_root = {.governed = governed,
                                             .options = options,
                                             .arena = bt_report_arena(report),
                                             .keeps_prompts = form == BT_BOUNDARY_MAP_FILE};
    struct bt_governed_file_report document = {.report = report, .governed_root = &governed_root};
    bool answers = false;
    BT_TRY(bt_governed_file_report_begin(&document));
    BT_TRY(bt_governed_map_read(&governed_root, source, document.findings, &answers));
    if (answers) {
        forms[form](&governed_root, out);
        return out->status;
    }
    const bool is_manifest = governed_root.manifest.fault != BT_ROOT_FINE;
    return bt_governed_file_report_end(
        &document, is_manifest ? governed_root.manifest.path : governed_root.boundaries.path,
        is_manifest ? BT_DIALECT_MANIFEST : BT_DIALECT_BOUNDARIES, BT_STR(""), BT_STR(""));
}
