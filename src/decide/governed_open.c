/* SPDX-License-Identifier: Apache-2.0 */
/* governed_open.c - the checks of a submission that need no store. */
#include <assert.h>

#include "decide/governed_decide.h"

/* True when the text is a UUID of version 4, in any letter case; *out is it in lower case. */
static enum bt_status take_id(struct bt_arena *arena, bt_str text, bt_str *out)
{
    bt_str folded;
    *out = BT_STR("");
    BT_TRY(bt_ascii_lower_copy(arena, text, &folded));
    if (bt_uuid_is_v4(folded)) {
        *out = folded;
    }
    return BT_OK;
}

static enum bt_status take_ids(struct bt_governed_submission *item)
{
    const struct bt_governed_check *check = &item->check;
    const bool is_handoff = item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF;
    const bt_str own =
        bt_governed_check_text(check, is_handoff ? BT_STR("/handoff_id") : BT_STR("/response_id"));
    BT_TRY(take_id(
        item->arena,
        is_handoff ? own : bt_governed_check_text(check, BT_STR("/request_context/request_id")),
        &item->handoff_id));
    if (is_handoff || own.len == 0) {
        return bt_ascii_lower_copy(item->arena, own, &item->id);
    }
    bt_str folded;
    BT_TRY(bt_ascii_lower_copy(item->arena, own, &folded));
    return bt_arena_printf(item->arena, &item->id, "response:%.*s",
                           BT_STR_ARG(bt_str_slice(folded, 0, 256)));
}

enum bt_status bt_governed_submission_read(struct bt_governed_submission *item)
{
    struct bt_governed_checker *governed = item->check.governed;
    struct bt_findings *findings = bt_findings_new(item->arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    item->check = (struct bt_governed_check){
        .governed = governed,
        .options = item->document.options,
        .kind = item->document.kind == BT_GOVERNED_SUBMISSION_HANDOFF ? BT_GOVERNED_HANDOFF
                                                                      : BT_GOVERNED_RESPONSE,
        .findings = findings,
        .text = item->document.text};
    BT_TRY(bt_governed_check_begin(&item->check));
    item->identity = (struct bt_identity){0};
    bt_governed_check_identify_document(&item->check, &item->identity);
    return take_ids(item);
}

enum bt_status bt_governed_submission_open(struct bt_governed_checker *governed,
                                           struct bt_arena *arena,
                                           const struct bt_governed_input *document,
                                           struct bt_governed_submission **out)
{
    assert(governed);
    assert(document->options->dir);
    assert(out);
    struct bt_governed_submission *item = BT_NEW(arena, struct bt_governed_submission);
    if (!item) {
        return BT_ENOMEM;
    }
    item->document = *document;
    item->arena = arena;
    item->check.governed = governed;
    BT_TRY(bt_governed_submission_read(item));
    *out = item;
    return BT_OK;
}

const struct bt_governed_decision *
bt_governed_submission_decision(const struct bt_governed_submission *item)
{
    assert(item);
    return &item->decision;
}

void bt_governed_submission_name(const struct bt_governed_submission *item,
                                 struct bt_submission *submission)
{
    assert(item);
    assert(submission);
    submission->judged->identity = item->identity;
    bt_submission_set_names(submission);
}
