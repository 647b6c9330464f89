/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boundary_lists.c - the agents that an agent has listed: from its prompt, or from the boundaries
 * file.
 */
#include <assert.h>

#include "dialect/governed/governed_root.h"

static const bt_str relation_names[BT_GOVERNED_RELATION__MAX] = {
    [BT_GOVERNED_RELATION_RECEIVES] = BT_STR_INIT("receives"),
    [BT_GOVERNED_RELATION_PROVIDES] = BT_STR_INIT("provides"),
    [BT_GOVERNED_RELATION_COORDINATES] = BT_STR_INIT("coordinates"),
    [BT_GOVERNED_RELATION_UNCLEAR] = BT_STR_INIT("unclear"),
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
    static const uint8_t marks[BT_GOVERNED_RELATION__MAX] = {
        [BT_GOVERNED_RELATION_RECEIVES] = BT_NAMED,
        [BT_GOVERNED_RELATION_PROVIDES] = BT_NAMED,
        [BT_GOVERNED_RELATION_COORDINATES] = BT_NAMED,
        [BT_GOVERNED_RELATION_UNCLEAR] = BT_NAMED | BT_SEPARATED | BT_UNCLEAR,
        [BT_GOVERNED_RELATION_DEMARCATES] = BT_NAMED | BT_SEPARATED,
    };
    size_t at = 0;
    while (at < list->count && list->lines[at].partner != line->partner) {
        at++;
    }
    if (at == list->count) {
        list->lines[list->count++] = *line;
    } else if (line->relation >= BT_GOVERNED_RELATION_UNCLEAR &&
               line->relation > list->lines[at].relation) {
        list->lines[at] = *line;
    }
    list->named[line->partner] = marks[list->lines[at].relation];
}

struct governed_prompt_scan {
    const struct bt_governed_root *governed_root;
    const struct bt_governed_agent *agent;
    struct bt_findings *findings;
    struct bt_governed_boundary_list list;
};

/* The text of a line of the prompt. */
static bt_str line_text(const struct governed_prompt_scan *prompt,
                        const struct bt_governed_prompt_line *line)
{
    const bt_str bytes = prompt->agent->prompt.bytes;
    return bt_str_slice(bytes, line->offset, bt_str_find_byte(bytes, '\n', line->offset));
}

static enum bt_status add_invalid_line_finding(const struct governed_prompt_scan *prompt,
                                               enum bt_boundary_line_invalid_reason reason,
                                               const struct bt_governed_prompt_line *line)
{
    return prompt->findings
               ? bt_add_boundary_line_invalid(prompt->findings,
                                              bt_location_pointer(BT_STR(""), line->offset), reason,
                                              (uint64_t)line->number, line_text(prompt, line))
               : BT_OK;
}

static enum bt_status add_odd_line_finding(const struct governed_prompt_scan *prompt,
                                           enum bt_boundary_line_odd_reason reason,
                                           const struct bt_governed_prompt_line *line)
{
    const uint64_t number = (uint64_t)line->number;
    return prompt->findings
               ? bt_add_boundary_line_odd(
                     prompt->findings, bt_location_pointer(BT_STR(""), line->offset), reason,
                     line->kind == BT_PROMPT_PARTNER ? &number : NULL, line_text(prompt, line))
               : BT_OK;
}

static enum bt_status add_partner(struct governed_prompt_scan *prompt,
                                  const struct bt_governed_prompt_line *line)
{
    const struct bt_governed_root *governed_root = prompt->governed_root;
    const size_t partner = bt_governed_root_domain(governed_root, line->number);
    if (partner == BT_NO_AGENT) {
        return add_invalid_line_finding(prompt, BT_BOUNDARY_LINE_INVALID_REASON_UNKNOWN_AGENT,
                                        line);
    }
    if (&governed_root->agents[partner] == prompt->agent) {
        return add_invalid_line_finding(prompt, BT_BOUNDARY_LINE_INVALID_REASON_SELF_REFERENCE,
                                        line);
    }
    if (prompt->list.named[partner] != 0) {
        BT_TRY(add_invalid_line_finding(prompt, BT_BOUNDARY_LINE_INVALID_REASON_DUPLICATE, line));
    }
    if (!bt_governed_prompt_label_matches(line->label, &governed_root->agents[partner])) {
        BT_TRY(add_odd_line_finding(prompt, BT_BOUNDARY_LINE_ODD_REASON_LABEL, line));
    }
    const bool is_unclear = line->relation == BT_GOVERNED_RELATION_UNCLEAR;
    if (is_unclear) {
        BT_TRY(add_odd_line_finding(prompt, BT_BOUNDARY_LINE_ODD_REASON_UNCLEAR, line));
    }
    const struct bt_governed_boundary_line added = {
        partner, line->relation,
        is_unclear && governed_root->keeps_prompts ? line->text : BT_STR("")};
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
            BT_TRY(add_odd_line_finding(&prompt, BT_BOUNDARY_LINE_ODD_REASON_UNRECOGNISED, &line));
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
                                                 enum bt_boundary_line_invalid_entry_reason reason)
{
    const bool is_key = index == SIZE_MAX;
    const bt_json_value *at = is_key ? &member->value : &bt_json_items(&member->value)[index];
    governed_root->boundaries.fault = BT_ROOT_INCONSISTENT;
    return findings ? bt_add_boundary_line_invalid_entry(
                          findings, bt_location_value(governed_root->boundaries.document, at),
                          reason, bt_json_name(member), is_key)
                    : BT_OK;
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
                                          BT_BOUNDARY_LINE_INVALID_ENTRY_REASON_UNKNOWN_AGENT);
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
            BT_TRY(add_boundary_entry_finding(
                governed_root, findings, member, i,
                is_self                  ? BT_BOUNDARY_LINE_INVALID_ENTRY_REASON_SELF_REFERENCE
                : partner == BT_NO_AGENT ? BT_BOUNDARY_LINE_INVALID_ENTRY_REASON_UNKNOWN_AGENT
                                         : BT_BOUNDARY_LINE_INVALID_ENTRY_REASON_DUPLICATE));
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
            break; /* the result is known */
        }
    }
    return BT_OK;
}
