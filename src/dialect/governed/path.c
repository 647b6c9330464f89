/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.c - the way from one agent to another, for people and for programs.
 */
#include <assert.h>

#include "dialect/governed/map.h"

struct answer {
    const struct bt_path_question *question;
    struct bt_roster *roster;
    struct bt_findings *findings;
    size_t from;
    size_t to;
    struct bt_way way;
};

static enum bt_status say_unknown(struct answer *answer, bt_str id, const char *role)
{
    struct bt_remark remark;
    bt_governed_remark(&remark, "INVALID_AGENT_REFERENCE", (struct bt_spot){NULL, NULL});
    bt_buf_put_text(&remark.message, "the manifest has no agent ");
    bt_put_quoted(&remark.message, id);
    bt_emit_member_string(&remark.emit, "role", bt_str_of(role));
    bt_emit_member_string(&remark.emit, "agent_id", id);
    bt_roster_put_unknown(answer->roster, id, &remark.emit);
    return bt_remark_end(&remark, answer->findings);
}

static enum bt_status find(struct answer *answer)
{
    const struct bt_path_question *question = answer->question;
    struct bt_roster *roster = answer->roster;
    answer->from = bt_roster_find(roster, question->from);
    answer->to = bt_roster_find(roster, question->to);
    if (answer->from == BT_NO_AGENT) {
        BT_TRY(say_unknown(answer, question->from, "source"));
    }
    if (answer->to == BT_NO_AGENT) {
        BT_TRY(say_unknown(answer, question->to, "target"));
    }
    if (answer->from == BT_NO_AGENT || answer->to == BT_NO_AGENT) {
        return BT_OK;
    }
    for (size_t i = 0; i < question->avoided_count; i++) {
        const size_t avoided = bt_roster_find(roster, question->avoided[i]);
        if (avoided != BT_NO_AGENT) {
            roster->agents[avoided].is_blocked = true;
        }
    }
    return bt_roster_way(roster, answer->from, answer->to, &answer->way);
}

static void put_ids(const struct answer *answer, struct bt_emit *emit, const char *name,
                    const size_t *agents, size_t count)
{
    bt_emit_name(emit, name);
    bt_emit_array(emit);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(emit, answer->roster->agents[agents[i]].id);
    }
    bt_emit_end(emit);
}

static void put_json(const struct answer *answer, struct bt_buf *buf)
{
    const struct bt_way *way = &answer->way;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "from", answer->question->from);
    bt_emit_member_string(&emit, "to", answer->question->to);
    bt_emit_name(&emit, "reachable");
    bt_emit_bool(&emit, way->count > 0);
    bt_emit_name(&emit, "direct");
    bt_emit_bool(&emit, way->count == 2);
    bt_emit_member_u64(&emit, "hops", way->count > 0 ? way->count - 1 : 0);
    put_ids(answer, &emit, "path", way->path, way->count);
    bt_emit_name(&emit, "patterns");
    bt_emit_array(&emit);
    for (size_t i = 1; i < way->count; i++) {
        bt_emit_u64(&emit, bt_pair_pattern(answer->roster, way->path[i - 1], way->path[i]));
    }
    bt_emit_end(&emit);
    put_ids(answer, &emit, "first_hops", way->first, way->first_count);
    bt_emit_name(&emit, "findings");
    bt_emit_array(&emit);
    bt_emit_findings(&emit, answer->findings);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_text(const struct answer *answer, struct bt_buf *buf)
{
    const struct bt_way *way = &answer->way;
    for (size_t i = 0; i < bt_findings_count(answer->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(answer->findings, i);
        bt_buf_put(buf, finding->rule->code);
        bt_buf_put_char(buf, ' ');
        bt_buf_put_visible(buf, finding->message, finding->message.len);
        bt_buf_put_char(buf, '\n');
    }
    for (size_t i = 0; i < way->count; i++) {
        if (i > 0) {
            bt_buf_printf(buf, " -[%u]-> ",
                          bt_pair_pattern(answer->roster, way->path[i - 1], way->path[i]));
        }
        bt_buf_put(buf, answer->roster->agents[way->path[i]].id);
    }
    if (way->count == 0 && bt_findings_count(answer->findings) == 0) {
        bt_buf_put_visible(buf, answer->question->from, answer->question->from.len);
        bt_buf_put_text(buf, " cannot reach ");
        bt_buf_put_visible(buf, answer->question->to, answer->question->to.len);
    }
    if (way->count > 0 || bt_findings_count(answer->findings) == 0) {
        bt_buf_put_char(buf, '\n');
    }
}

enum bt_status bt_governed_path(struct bt_governed *governed, struct bt_arena *arena,
                                const struct bt_governed_options *options,
                                const struct bt_path_question *question, struct bt_buf *out,
                                bool *out_reachable)
{
    assert(governed);
    assert(options->root);
    assert(question);
    struct bt_roster roster = {.governed = governed, .options = options, .arena = arena};
    struct answer answer = {
        .question = question, .roster = &roster, .findings = bt_findings_new(arena)};
    bool answers = false;
    if (!answer.findings) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_map_read(&roster, BT_LISTS_IN_FORCE, answer.findings, &answers));
    if (answers) {
        BT_TRY(find(&answer));
    }
    BT_TRY(bt_findings_finish(answer.findings, BT_STR("")));
    if (question->form == BT_MAP_JSON) {
        put_json(&answer, out);
    } else {
        put_text(&answer, out);
    }
    *out_reachable = answer.way.count > 0;
    return out->status;
}
