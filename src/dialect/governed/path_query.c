/* SPDX-License-Identifier: Apache-2.0 */
/* path_query.c - the path from one agent to another, as text and as JSON. */
#include <assert.h>

#include "dialect/governed/governed_check.h"

#include "json/emit.h"

struct governed_path_answer {
    const struct bt_governed_path_query *question;
    struct bt_governed_root *governed_root;
    struct bt_findings *findings;
    size_t from;
    size_t to;
    struct bt_governed_route route;
};

static enum bt_status add_unknown_agent_finding(struct governed_path_answer *answer, bt_str id,
                                                const char *role)
{
    return bt_governed_root_add_unknown_finding(answer->governed_root, answer->findings,
                                                bt_location_whole(), bt_str_of(role), id);
}

static enum bt_status find_route(struct governed_path_answer *answer)
{
    const struct bt_governed_path_query *question = answer->question;
    struct bt_governed_root *governed_root = answer->governed_root;
    answer->from = bt_governed_root_find(governed_root, question->from);
    answer->to = bt_governed_root_find(governed_root, question->to);
    if (answer->from == BT_NO_AGENT) {
        BT_TRY(add_unknown_agent_finding(answer, question->from, "source"));
    }
    if (answer->to == BT_NO_AGENT) {
        BT_TRY(add_unknown_agent_finding(answer, question->to, "target"));
    }
    if (answer->from == BT_NO_AGENT || answer->to == BT_NO_AGENT) {
        return BT_OK;
    }
    for (size_t i = 0; i < question->avoided_count; i++) {
        const size_t avoided = bt_governed_root_find(governed_root, question->excluded[i]);
        if (avoided != BT_NO_AGENT) {
            governed_root->agents[avoided].is_blocked = true;
        }
    }
    return bt_governed_root_find_route(governed_root, answer->from, answer->to, &answer->route);
}

static void put_ids(const struct governed_path_answer *answer, struct bt_emit *emit,
                    const char *name, const size_t *agents, size_t count)
{
    bt_emit_member_array(emit, name);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(emit, answer->governed_root->agents[agents[i]].id);
    }
    bt_emit_end(emit);
}

static void put_json(const struct governed_path_answer *answer, struct bt_buf *buf)
{
    const struct bt_governed_route *route = &answer->route;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "from", answer->question->from);
    bt_emit_member_string(&emit, "to", answer->question->to);
    bt_emit_member_bool(&emit, "reachable", route->count > 0);
    bt_emit_member_bool(&emit, "direct", route->count == 2);
    bt_emit_member_u64(&emit, "hops", route->count > 0 ? route->count - 1 : 0);
    put_ids(answer, &emit, "path", route->path, route->count);
    bt_emit_member_array(&emit, "patterns");
    for (size_t i = 1; i < route->count; i++) {
        bt_emit_u64(&emit, bt_governed_pair_pattern(answer->governed_root, route->path[i - 1],
                                                    route->path[i]));
    }
    bt_emit_end(&emit);
    put_ids(answer, &emit, "first_hops", route->first, route->first_count);
    bt_emit_member_array(&emit, "findings");
    bt_findings_emit(&emit, answer->findings);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_text(const struct governed_path_answer *answer, struct bt_buf *buf)
{
    const struct bt_governed_route *route = &answer->route;
    for (size_t i = 0; i < bt_findings_count(answer->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(answer->findings, i);
        bt_buf_put(buf, finding->rule->code);
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, finding->message, finding->message.len);
        bt_buf_put_char(buf, '\n');
    }
    for (size_t i = 0; i < route->count; i++) {
        if (i > 0) {
            bt_buf_printf(buf, " -[%u]-> ",
                          bt_governed_pair_pattern(answer->governed_root, route->path[i - 1],
                                                   route->path[i]));
        }
        bt_buf_put(buf, answer->governed_root->agents[route->path[i]].id);
    }
    if (route->count == 0 && bt_findings_count(answer->findings) == 0) {
        bt_buf_put_printable(buf, answer->question->from, answer->question->from.len);
        bt_buf_put_text(buf, " cannot reach ");
        bt_buf_put_printable(buf, answer->question->to, answer->question->to.len);
    }
    if (route->count > 0 || bt_findings_count(answer->findings) == 0) {
        bt_buf_put_char(buf, '\n');
    }
}

enum bt_status bt_governed_find_path(struct bt_governed_checker *governed, struct bt_arena *arena,
                                     const struct bt_governed_options *options,
                                     const struct bt_governed_path_query *question,
                                     struct bt_buf *out, bool *out_reachable)
{
    assert(governed);
    assert(options->dir);
    assert(question);
    struct bt_governed_root governed_root = {
        .governed = governed, .options = options, .arena = arena};
    struct governed_path_answer answer = {
        .question = question, .governed_root = &governed_root, .findings = bt_findings_new(arena)};
    bool answers = false;
    BT_TRY(answer.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_governed_map_read(&governed_root, BT_BOUNDARY_LISTS_IN_FORCE, answer.findings,
                                &answers));
    if (answers) {
        BT_TRY(find_route(&answer));
    }
    BT_TRY(bt_findings_finish(answer.findings, BT_STR("")));
    if (question->form == BT_BOUNDARY_MAP_JSON) {
        put_json(&answer, out);
    } else {
        put_text(&answer, out);
    }
    *out_reachable = answer.route.count > 0;
    return out->status;
}
