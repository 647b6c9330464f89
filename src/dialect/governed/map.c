/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - who has listed whom and who may hand to whom: read, and put as texts and JSON.
 */
#include "dialect/governed/map.h"

#include <assert.h>

#include "dialect/governed/verify.h"

bt_str bt_map_form_name(enum bt_map_form form)
{
    static const bt_str names[BT_MAP__MAX] = {
        [BT_MAP_TEXT] = BT_STR_INIT("text"), [BT_MAP_MERMAID] = BT_STR_INIT("mermaid"),
        [BT_MAP_DOT] = BT_STR_INIT("dot"),   [BT_MAP_SVG] = BT_STR_INIT("svg"),
        [BT_MAP_JSON] = BT_STR_INIT(""),     [BT_MAP_EMIT] = BT_STR_INIT(""),
    };
    assert(form < BT_MAP__MAX);
    return names[form];
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Take lists from where they are wanted, not from where they are in force. */
static void choose(struct bt_roster *roster, enum bt_boundary_source source)
{
    if (source == BT_LISTS_OF_FILE && !roster->lists_in_file) {
        roster->has_lists = false; /* boundaries.fault says that there is no file */
    }
    if (source == BT_LISTS_OF_PROMPTS) {
        for (size_t i = 0; i < roster->count; i++) {
            roster->agents[i].list = (struct bt_boundary_list){0};
        }
        roster->lists_in_file = false;
        roster->has_lists = true;
    }
}

enum bt_status bt_map_read(struct bt_roster *roster, enum bt_boundary_source source,
                           struct bt_findings *findings, bool *out_answers)
{
    *out_answers = false;
    BT_TRY(bt_roster_read(roster));
    if (roster->manifest.fault != BT_ROOT_FINE) {
        return bt_roster_say_manifest(roster, findings);
    }
    if (roster->lock.fault != BT_ROOT_FINE) {
        roster->boundaries.fault = BT_ROOT_NOT_LOCKED; /* there is no lock that could cover them */
        return bt_roster_say_boundaries(roster, findings);
    }
    choose(roster, source);
    if (!roster->has_lists) {
        return bt_roster_say_boundaries(roster, findings);
    }
    *out_answers = true;
    return bt_roster_examine(roster);
}

bool bt_map_allows(const struct bt_roster *roster, size_t from, size_t to)
{
    return bt_agent_is_candidate(&roster->agents[from]) &&
           bt_agent_is_candidate(&roster->agents[to]) &&
           bt_pair_judge(roster, from, to) == BT_PAIR_ALLOWED;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_line(const struct bt_roster *roster, struct bt_emit *emit,
                     const struct bt_boundary_line *line)
{
    bt_emit_object(emit);
    bt_emit_member_string(emit, "with", roster->agents[line->partner].id);
    bt_emit_member_string(emit, "relation", bt_relation_name(line->relation));
    if (line->note.len > 0) {
        bt_emit_member_string(emit, "note", line->note);
    }
    bt_emit_end(emit);
}

static void put_lists(const struct bt_roster *roster, struct bt_emit *emit)
{
    bt_emit_object(emit);
    for (size_t i = 0; i < roster->count; i++) {
        const struct bt_boundary_list *list = &roster->agents[i].list;
        if (!list->is_there) {
            continue;
        }
        bt_emit_name_str(emit, roster->agents[i].id);
        bt_emit_array(emit);
        for (size_t k = 0; k < list->count; k++) {
            put_line(roster, emit, &list->lines[k]);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_allowed(const struct bt_roster *roster, struct bt_emit *emit)
{
    bt_emit_name(emit, "allowed");
    bt_emit_array(emit);
    for (size_t from = 0; from < roster->count; from++) {
        for (size_t to = 0; to < roster->count; to++) {
            if (!bt_map_allows(roster, from, to)) {
                continue;
            }
            bt_emit_object(emit);
            bt_emit_member_string(emit, "from", roster->agents[from].id);
            bt_emit_member_string(emit, "to", roster->agents[to].id);
            bt_emit_member_u64(emit, "pattern", bt_pair_pattern(roster, from, to));
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

void bt_map_json(const struct bt_roster *roster, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "from",
                          roster->lists_in_file ? BT_STR("file") : BT_STR("prompts"));
    bt_put_modes(roster->options, &emit);
    bt_emit_name(&emit, "boundaries");
    put_lists(roster, &emit);
    put_allowed(roster, &emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

void bt_map_emit(const struct bt_roster *roster, struct bt_buf *buf)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, true);
    put_lists(roster, &emit);
    bt_buf_put_char(buf, '\n');
}

/* ---- Text ------------------------------------------------------------------------------------ */

static size_t widest(const struct bt_roster *roster)
{
    size_t width = 0;
    for (size_t i = 0; i < roster->count; i++) {
        width = roster->agents[i].id.len > width ? roster->agents[i].id.len : width;
    }
    return width;
}

static void put_padded(struct bt_buf *buf, bt_str text, size_t width)
{
    bt_buf_put(buf, text);
    bt_buf_put_repeat(buf, ' ', text.len < width ? width - text.len : 0);
}

static void put_targets(const struct bt_roster *roster, struct bt_buf *buf, size_t from)
{
    bool is_first = true;
    for (size_t to = 0; to < roster->count; to++) {
        if (bt_map_allows(roster, from, to)) {
            bt_buf_printf(buf, "%s%.*s [%u]", is_first ? "" : ", ",
                          BT_STR_ARG(roster->agents[to].id), bt_pair_pattern(roster, from, to));
            is_first = false;
        }
    }
    bt_buf_put_text(buf, is_first ? "nobody\n" : "\n");
}

void bt_map_text(const struct bt_roster *roster, struct bt_buf *buf)
{
    const size_t width = widest(roster);
    bt_buf_printf(buf, "lists, from %s:\n", roster->lists_in_file ? "the file" : "prompts");
    for (size_t i = 0; i < roster->count; i++) {
        const struct bt_boundary_list *list = &roster->agents[i].list;
        for (size_t k = 0; k < list->count; k++) {
            bt_buf_put_text(buf, "  ");
            put_padded(buf, roster->agents[i].id, width);
            bt_buf_printf(buf, " %-11.*s ", BT_STR_ARG(bt_relation_name(list->lines[k].relation)));
            bt_buf_put(buf, roster->agents[list->lines[k].partner].id);
            bt_buf_put_char(buf, '\n');
        }
        if (list->is_there && list->count == 0) {
            bt_buf_printf(buf, "  %.*s lists nobody\n", BT_STR_ARG(roster->agents[i].id));
        }
    }
    bt_buf_put_text(buf, "\nmay hand to [pattern]:\n");
    for (size_t i = 0; i < roster->count; i++) {
        bt_buf_put_text(buf, "  ");
        put_padded(buf, roster->agents[i].id, width);
        bt_buf_put_text(buf, " -> ");
        if (bt_agent_is_candidate(&roster->agents[i])) {
            put_targets(roster, buf, i);
        } else {
            bt_buf_put_text(buf, "nobody: it is not verified, or its composition is invalid\n");
        }
    }
}

/* ---- Boundaries ------------------------------------------------------------------------------ */

enum bt_status bt_governed_boundaries(struct bt_governed *governed,
                                      const struct bt_governed_options *options,
                                      enum bt_boundary_source source, enum bt_map_form form,
                                      struct bt_report *report, struct bt_buf *out)
{
    static bt_map_fn *const forms[BT_MAP__MAX] = {
        [BT_MAP_TEXT] = bt_map_text, [BT_MAP_MERMAID] = bt_map_mermaid, [BT_MAP_DOT] = bt_map_dot,
        [BT_MAP_SVG] = bt_map_svg,   [BT_MAP_JSON] = bt_map_json,       [BT_MAP_EMIT] = bt_map_emit,
    };
    assert(governed);
    assert(options->root);
    assert(form < BT_MAP__MAX);
    struct bt_roster roster = {
        .governed = governed, .options = options, .arena = bt_report_arena(report)};
    struct bt_root_report document = {.report = report, .roster = &roster};
    bool answers = false;
    BT_TRY(bt_root_report_begin(&document));
    BT_TRY(bt_map_read(&roster, source, document.findings, &answers));
    if (answers) {
        forms[form](&roster, out);
        return out->status;
    }
    const bool is_manifest = roster.manifest.fault != BT_ROOT_FINE;
    return bt_root_report_end(&document,
                              is_manifest ? roster.manifest.path : roster.boundaries.path,
                              is_manifest ? "manifest" : "boundaries", BT_STR(""), BT_STR(""));
}
