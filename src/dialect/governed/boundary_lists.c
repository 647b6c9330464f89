/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary_lists.c - the agents that an agent has listed: from its prompt, or from the boundaries
 * file.
 */
#include <assert.h>

#include "dialect/governed/prompt.h"

static const bt_str relation_names[BT_GOVERNED_RELATION__MAX] = {
    [BT_GOVERNED_RELATION_RECEIVES] = BT_STR_INIT("receives"),
    [BT_GOVERNED_RELATION_PROVIDES] = BT_STR_INIT("provides"),
    [BT_GOVERNED_RELATION_COORDINATES] = BT_STR_INIT("coordinates"),
    [BT_GOVERNED_RELATION_DEMARCATES] = BT_STR_INIT("demarcates"),
};

bt_str bt_governed_relation_name(enum bt_governed_relation relation)
{
    assert(relation < BT_GOVERNED_RELATION__MAX);
    return relation_names[relation];
}

static enum bt_governed_relation relation_named(bt_str name)
{
    size_t i = 0;
    while (i + 1 < BT_GOVERNED_RELATION__MAX && !bt_str_eq(relation_names[i], name)) {
        i++;
    }
    return (enum bt_governed_relation)i;
}

enum bt_status bt_governed_boundary_list_init(const struct bt_governed_root *governed_root,
                                              size_t lines, struct bt_governed_boundary_list *out)
{
    *out = (struct bt_governed_boundary_list){
        .lines = BT_NEW_ARRAY(governed_root->arena, struct bt_governed_boundary_line, lines + 1),
        .named = BT_NEW_ARRAY(governed_root->arena, uint8_t, governed_root->count + 1),
    };
    return out->lines && out->named ? BT_OK : BT_ENOMEM;
}

void bt_governed_boundary_list_add(struct bt_governed_boundary_list *list,
                                   const struct bt_governed_boundary_line *line)
{
    const uint8_t marks =
        (uint8_t)(BT_NAMED |
                  (line->relation == BT_GOVERNED_RELATION_DEMARCATES ? BT_SEPARATED : 0));
    if (list->named[line->partner] == 0) {
        list->lines[list->count++] = *line;
    } else if (line->relation == BT_GOVERNED_RELATION_DEMARCATES) {
        for (size_t i = 0; i < list->count; i++) {
            if (list->lines[i].partner == line->partner) {
                list->lines[i].relation = BT_GOVERNED_RELATION_DEMARCATES;
            }
        }
    }
    list->named[line->partner] |= marks;
}

struct governed_prompt_scan {
    const struct bt_governed_root *governed_root;
    const struct bt_governed_agent *agent;
    struct bt_findings *findings;
    struct bt_governed_boundary_list list;
};

static enum bt_status add_prompt_line_finding(const struct governed_prompt_scan *prompt,
                                              const char *code, const char *reason,
                                              const struct bt_governed_prompt_line *line)
{
    struct bt_finding_builder remark;
    if (!prompt->findings) {
        return BT_OK;
    }
    const bt_str rest =
        bt_str_slice(prompt->agent->prompt.bytes, line->offset, prompt->agent->prompt.bytes.len);
    bt_governed_remark(&remark, code, (struct bt_governed_location){NULL, NULL});
    remark.finding.offset = line->offset;
    bt_buf_put_quoted(&remark.message, bt_str_slice(rest, 0, bt_str_find_byte(rest, '\n', 0)));
    bt_buf_printf(&remark.message, ": %s",
                  reason[0] == 's'   ? "the agent names itself"
                  : reason[0] == 'd' ? "the partner was named before"
                  : reason[0] == 'l' ? "the label is not that of the domain with this number"
                  : line->kind == BT_PROMPT_ODD ? "the line is not understood"
                                                : "there is no such domain");
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(reason));
    if (line->kind == BT_PROMPT_PARTNER) {
        bt_emit_member_u64(&remark.emit, "number", (uint64_t)line->number);
    }
    return bt_finding_builder_end(&remark, prompt->findings);
}

static enum bt_status add_partner(struct governed_prompt_scan *prompt,
                                  const struct bt_governed_prompt_line *line)
{
    const struct bt_governed_root *governed_root = prompt->governed_root;
    const size_t partner = bt_governed_root_domain(governed_root, line->number);
    if (partner == BT_NO_AGENT) {
        return add_prompt_line_finding(prompt, "BOUNDARY_LINE_INVALID", "unknown_agent", line);
    }
    if (&governed_root->agents[partner] == prompt->agent) {
        return add_prompt_line_finding(prompt, "BOUNDARY_LINE_INVALID", "self_reference", line);
    }
    if (prompt->list.named[partner] != 0) {
        BT_TRY(add_prompt_line_finding(prompt, "BOUNDARY_LINE_INVALID", "duplicate", line));
    }
    if (!bt_governed_prompt_label_matches(line->label, &governed_root->agents[partner])) {
        BT_TRY(add_prompt_line_finding(prompt, "BOUNDARY_LINE_ODD", "label", line));
    }
    const struct bt_governed_boundary_line added = {partner, line->relation, BT_STR("")};
    bt_governed_boundary_list_add(&prompt->list, &added);
    return BT_OK;
}

enum bt_status bt_governed_prompt_read_list(const struct bt_governed_root *governed_root,
                                            const struct bt_governed_agent *agent,
                                            struct bt_findings *findings,
                                            struct bt_governed_boundary_list *out)
{
    struct governed_prompt_scan prompt = {
        .governed_root = governed_root, .agent = agent, .findings = findings};
    struct bt_governed_prompt_reader reader = {.text = agent->prompt.bytes};
    struct bt_governed_prompt_line line;
    if (out && out->named) {
        prompt.list = *out;
    } else {
        BT_TRY(bt_governed_boundary_list_init(
            governed_root, governed_root->counts[BT_GOVERNED_AGENT_TYPE_DOMAIN], &prompt.list));
    }
    while (bt_governed_prompt_next_line(&reader, &line)) {
        if (line.kind == BT_PROMPT_SECTION) {
            prompt.list.is_there = true;
        } else if (line.kind == BT_PROMPT_PARTNER) {
            BT_TRY(add_partner(&prompt, &line));
        } else if (line.kind == BT_PROMPT_ODD) {
            BT_TRY(add_prompt_line_finding(&prompt, "BOUNDARY_LINE_ODD", "unrecognised", &line));
        }
    }
    if (out) {
        *out = prompt.list;
    }
    return BT_OK;
}

/* Say that an entry (or, with index SIZE_MAX, a key) is invalid. The whole file is then. */
static enum bt_status add_boundary_entry_finding(struct bt_governed_root *governed_root,
                                                 struct bt_findings *findings,
                                                 const struct bt_json_member *member, size_t index,
                                                 const char *reason)
{
    const bool is_key = index == SIZE_MAX;
    const bt_json_value *at = is_key ? &member->value : &bt_json_items(&member->value)[index];
    struct bt_finding_builder remark;
    governed_root->boundaries.fault = BT_ROOT_INCONSISTENT;
    if (!findings) {
        return BT_OK;
    }
    bt_governed_remark(&remark, "BOUNDARY_LINE_INVALID",
                       (struct bt_governed_location){governed_root->boundaries.document, at});
    bt_json_pointer_put(&remark.pointer, bt_json_name(member));
    if (!is_key) {
        bt_json_pointer_put_index(&remark.pointer, index);
    }
    bt_buf_put_quoted(&remark.message, bt_json_name(member));
    bt_buf_printf(&remark.message, "%s",
                  reason[0] == 's'   ? " names itself"
                  : reason[0] == 'd' ? " names a partner twice"
                  : is_key           ? " is no agent of the manifest"
                                     : " names somebody who is no agent of the manifest");
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(reason));
    return bt_finding_builder_end(&remark, findings);
}

static enum bt_status take_list(struct bt_governed_root *governed_root,
                                struct bt_findings *findings, const struct bt_json_member *member)
{
    const struct bt_json_doc *document = governed_root->boundaries.document;
    const size_t owner = bt_governed_root_find(governed_root, bt_json_name(member));
    const bt_json_value *items = bt_json_items(&member->value);
    const size_t count = bt_json_count(&member->value);
    struct bt_governed_boundary_list list;
    if (owner == BT_NO_AGENT) {
        return add_boundary_entry_finding(governed_root, findings, member, SIZE_MAX,
                                          "unknown_agent");
    }
    BT_TRY(bt_governed_boundary_list_init(governed_root, governed_root->count, &list));
    list.is_there = true;
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *note = bt_json_get(document, &items[i], BT_STR("note"));
        const bt_str with = bt_json_text(bt_json_get(document, &items[i], BT_STR("with")));
        const size_t partner = bt_governed_root_find(governed_root, with);
        const struct bt_governed_boundary_line line = {
            partner,
            relation_named(bt_json_text(bt_json_get(document, &items[i], BT_STR("relation")))),
            note ? bt_json_text(note) : BT_STR(""),
        };
        const bool is_self = bt_str_eq(with, bt_json_name(member));
        if (is_self || partner == BT_NO_AGENT || list.named[partner] != 0) {
            BT_TRY(add_boundary_entry_finding(governed_root, findings, member, i,
                                              is_self                  ? "self_reference"
                                              : partner == BT_NO_AGENT ? "unknown_agent"
                                                                       : "duplicate"));
        } else {
            bt_governed_boundary_list_add(&list, &line);
        }
    }
    governed_root->agents[owner].list = list;
    return BT_OK;
}

enum bt_status bt_governed_root_lists(struct bt_governed_root *governed_root,
                                      struct bt_findings *findings)
{
    const bt_json_value *root = governed_root->boundaries.root;
    for (size_t i = 0; i < bt_json_count(root); i++) {
        BT_TRY(take_list(governed_root, findings, &bt_json_members(root)[i]));
        if (!findings && governed_root->boundaries.fault != BT_ROOT_FINE) {
            break; /* nobody wants to know more */
        }
    }
    return BT_OK;
}
