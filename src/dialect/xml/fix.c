/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - apply fixes to the tree, write it in canonical form, and judge again until none is left.
 */
#include <assert.h>

#include "base/vec.h"
#include "dialect/xml/message_check.h"
#include "report/fixes.h"

/* Each round settles at least one kind of fault for good: the namespace, the thread, the order on
 * one level after the other. */
enum { ROUNDS_MAX = BT_XML_DEPTH_MAX };

/* Move an element and what inherited its namespace into no namespace. */
static void leave_namespace(struct bt_xml_node *top)
{
    for (struct bt_xml_node *node = top; node; node = bt_xml_next_element(node, top)) {
        if (!node->is_text && bt_str_eq(node->space, BT_SPACE_ENV)) {
            node->space = BT_STR("");
            node->prefix = BT_XML_NO_PREFIX;
        }
    }
}

/* Hang the children of an element in the order in which its type declares them; what it does not
 * declare comes last. */
static void sort_children(struct bt_xml_node *element, const struct bt_payload_type *type)
{
    struct bt_xml_node *old = element->first;
    struct bt_xml_node *first = NULL;
    struct bt_xml_node *last = NULL;
    for (size_t i = 0; i <= type->count; i++) {
        struct bt_xml_node **link = &old;
        while (*link) {
            struct bt_xml_node *node = *link;
            const size_t place =
                node->is_text ? type->count : bt_message_field_named(type, node->name);
            if (place != i) {
                link = &node->next;
                continue;
            }
            *link = node->next;
            node->next = NULL;
            if (last) {
                last->next = node;
            } else {
                first = node;
            }
            last = node;
        }
    }
    element->first = first;
    element->last = last;
}

static enum bt_status renew_thread(struct bt_message_check *message, struct bt_xml_node *thread)
{
    char uuid[BT_UUID_TEXT_BYTES];
    BT_TRY(bt_env_uuid(message->env, uuid));
    struct bt_xml_node *text = thread->first;
    assert(text && text->is_text);
    BT_TRY(bt_arena_copy(message->arena, bt_str_of(uuid), &text->name));
    text->next = NULL;
    thread->last = text;
    return BT_OK;
}

static enum bt_status apply_edit(struct bt_message_check *message,
                                 const struct bt_message_edit *edit)
{
    if (edit->type) {
        sort_children(edit->node->parent, edit->type);
        return BT_OK;
    }
    if (edit->kind == BT_FIX_UNSAFE) {
        return renew_thread(message, edit->node);
    }
    leave_namespace(edit->node);
    return BT_OK;
}

/* Make the fixes that are wanted. Those that were made are appended to *fixed. */
static enum bt_status apply_all(struct bt_message_check *message,
                                const struct bt_fix_choice *choice, bool is_first,
                                struct bt_message_edits *fixed)
{
    for (size_t i = 0; i < message->edits.count; i++) {
        const struct bt_message_edit *edit = &message->edits.items[i];
        if (bt_fix_choice_has(choice, edit->kind, edit->code, edit->pointer)) {
            BT_TRY(apply_edit(message, edit));
            BT_TRY(bt_vec_push(message->arena, fixed, *edit));
            /* Later rounds see the canonical form, whose offsets are not those of the document. */
            fixed->items[fixed->count - 1].offset = is_first ? edit->node->offset : 0;
        }
    }
    return BT_OK;
}

static enum bt_status check_text(struct bt_env *env, struct bt_arena *arena,
                                 const struct bt_message_input *document, bt_str text,
                                 struct bt_message_check *out)
{
    static const struct bt_message_options defaults = {.client = {"", 0}};
    *out = (struct bt_message_check){.env = env,
                                     .options = document->options ? document->options : &defaults,
                                     .findings = bt_findings_new(arena),
                                     .text = text};
    return out->findings ? bt_message_check_judge(out) : BT_ENOMEM;
}

static enum bt_status describe_edits(const struct bt_message_edits *fixed, bt_str source,
                                     struct bt_arena *arena, const struct bt_report_changes **out)
{
    struct bt_report_change_list changes = {0};
    for (size_t i = 0; i < fixed->count; i++) {
        const struct bt_report_change change = {.why = bt_code_name(fixed->items[i].code),
                                                .offset = fixed->items[i].offset,
                                                .before = BT_STR(""),
                                                .after = BT_STR("")};
        BT_TRY(bt_vec_push(arena, &changes, change));
    }
    return bt_report_changes_finish(&changes, source, arena, out);
}

enum bt_status bt_message_fix(struct bt_env *env, struct bt_arena *arena,
                              const struct bt_message_input *document,
                              const struct bt_fix_choice *choice, struct bt_message_fix_result *out)
{
    assert(env);
    assert(document);
    assert(out);
    struct bt_message_edits fixed = {0};
    bt_str text = document->text;
    struct bt_message_check message;
    for (size_t round = 0;; round++) {
        const size_t before = fixed.count;
        BT_TRY(check_text(env, arena, document, text, &message));
        if (round < ROUNDS_MAX) {
            BT_TRY(apply_all(&message, choice, round == 0, &fixed));
        }
        if (fixed.count == before) {
            break;
        }
        BT_TRY(bt_xml_canonical(arena, message.document, message.root, SIZE_MAX, &text));
    }
    bt_str facts = BT_STR("");
    const struct bt_report_changes *changes = NULL;
    BT_TRY(bt_findings_finish(message.findings, text));
    BT_TRY(bt_message_check_facts(&message, &fixed, &facts));
    BT_TRY(describe_edits(&fixed, document->text, arena, &changes));
    *out = (struct bt_message_fix_result){
        .judged = {.path = document->path,
                   .dialect = BT_DIALECT_XML,
                   .source = text,
                   .verdict = bt_verdict_of(message.findings, BT_SEVERITY_HARD),
                   .findings = message.findings,
                   .facts = facts,
                   .fixed = fixed.count,
                   .changes = changes},
        .text = text,
        .count = fixed.count};
    return BT_OK;
}
