/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - merge a payload into a stored section. Nothing is ever deleted.
 *
 * Payload and section are walked in parallel, in the order of the payload. Each difference becomes
 * one change for the report and one operation of an RFC 6902 patch; the result is made by applying
 * the patch, so the report cannot differ from what was done.
 */
#include <assert.h>

#include "base/buf.h"
#include "dialect/contract/contract_check.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/options.h"
#include "report/findings.h"

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper */

/* Two objects whose members are merged. */
struct contract_merge_pair {
    bt_ref stored;
    bt_ref payload;
    const uint32_t *partners; /* for each member of the payload, that of the section */
    size_t next;
    size_t pointer_len; /* of the objects' own pointer */
};

struct contract_merge_state {
    struct bt_contract_check *check;
    const bt_json_value *written; /* the payload as it stands in the checked document */
    struct bt_json_member_matcher matcher;
    const struct bt_json_doc *stored;
    const struct bt_json_doc *payload; /* with its references in canonical form */
    struct bt_buf pointer;             /* of the value that is looked at */
    struct bt_buf changes;
    struct bt_json_builder patch;
    size_t depth;
    struct contract_merge_pair pairs[DEPTH_MAX];
};

/* Note that the value at the pointer becomes the one that is added next; `op` is the word of the
 * report. Ended with bt_emit_end() of the emitter that it returns. */
static struct bt_emit *begin_change(struct contract_merge_state *merge, const char *op)
{
    struct bt_emit emit;
    bt_buf_put_text(&merge->changes, merge->changes.len > 1 ? "," : "");
    bt_emit_init(&emit, &merge->changes, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "pointer", bt_buf_str(&merge->pointer));
    bt_emit_member_string(&emit, "op", bt_str_of(op));
    bt_emit_end(&emit);
    bt_emit_begin_object(&merge->patch.emit);
    bt_emit_member_string(&merge->patch.emit, "op", BT_STR("add")); /* sets a member as well */
    bt_emit_member_string(&merge->patch.emit, "path", bt_buf_str(&merge->pointer));
    bt_emit_name(&merge->patch.emit, "value");
    return &merge->patch.emit;
}

static enum bt_status note_value(struct contract_merge_state *merge, const char *op,
                                 const bt_json_value *value)
{
    struct bt_emit *patch = begin_change(merge, op);
    bt_json_builder_copy(&merge->patch, (bt_ref){merge->payload, value}, NULL);
    bt_emit_end(patch);
    return patch->buf->status;
}

/* The place in the payload as it was written. */
static struct bt_location locate_payload(const struct contract_merge_state *merge)
{
    return bt_contract_locate(merge->check, bt_json_resolve(merge->check->document, merge->written,
                                                            bt_buf_str(&merge->pointer)));
}

static enum bt_status merge_lists(struct contract_merge_state *merge, bt_ref stored, bt_ref payload)
{
    struct bt_arena scratch; /* the patch grows in the arena of the check meanwhile */
    struct bt_contract_merged_value united = {.changed = false};
    bt_arena_init(&scratch, merge->check->arena->limit);
    const enum bt_status status = bt_contract_merge_values(
        &scratch, stored, payload, merge->check->contract->env->hash_seed, &united);
    if (status == BT_OK && united.changed) {
        struct bt_emit *patch = begin_change(merge, "union");
        bt_emit_begin_array(patch);
        for (size_t i = 0; i < united.count; i++) {
            bt_json_builder_copy(&merge->patch, united.items[i], NULL);
        }
        bt_emit_end(patch);
        bt_emit_end(patch);
    }
    bt_arena_free(&scratch);
    BT_TRY(status);
    return united.same_name ? bt_add_merge_same_name(merge->check->findings, locate_payload(merge))
                            : BT_OK;
}

static enum bt_status push_pair(struct contract_merge_state *merge, bt_ref stored, bt_ref payload)
{
    uint32_t *partners =
        BT_NEW_ARRAY(merge->check->arena, uint32_t, bt_json_count(payload.value) + 1);
    BT_TRY(partners ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_json_members_match(&merge->matcher, payload, stored, partners));
    assert(merge->depth < DEPTH_MAX);
    merge->pairs[merge->depth++] =
        (struct contract_merge_pair){stored, payload, partners, 0, merge->pointer.len};
    return BT_OK;
}

enum contract_merge_kind { SCALAR = 0, LIST, OBJECT };

static enum contract_merge_kind kind_of(const bt_json_value *value)
{
    const enum bt_json_type type = bt_json_type(value);
    return type == BT_JSON_OBJECT ? OBJECT : type == BT_JSON_ARRAY ? LIST : SCALAR;
}

static enum bt_status merge_values(struct contract_merge_state *merge, bt_ref stored,
                                   bt_ref payload)
{
    const enum contract_merge_kind kind = kind_of(payload.value);
    if (kind_of(stored.value) != kind) {
        BT_TRY(bt_add_merge_type_change(merge->check->findings, locate_payload(merge)));
        return note_value(merge, "type_change", payload.value);
    }
    if (kind == OBJECT) {
        return push_pair(merge, stored, payload);
    }
    if (kind == LIST) {
        return merge_lists(merge, stored, payload);
    }
    bool equal = false;
    BT_TRY(bt_json_equal(stored.document, stored.value, payload.document, payload.value,
                         merge->check->arena, &equal));
    return equal ? BT_OK : note_value(merge, "overwrite", payload.value);
}

static enum bt_status walk_pairs(struct contract_merge_state *merge)
{
    BT_TRY(push_pair(merge, (bt_ref){merge->stored, bt_json_root(merge->stored)},
                     (bt_ref){merge->payload, bt_json_root(merge->payload)}));
    while (merge->depth > 0) {
        struct contract_merge_pair *pair = &merge->pairs[merge->depth - 1];
        if (pair->next == bt_json_count(pair->payload.value)) {
            merge->depth--;
            continue;
        }
        const size_t index = pair->next++;
        const struct bt_json_member *member = &bt_json_members(pair->payload.value)[index];
        const uint32_t partner = pair->partners[index];
        merge->pointer.len = pair->pointer_len;
        bt_json_pointer_put(&merge->pointer, bt_json_name(member));
        BT_TRY(merge->pointer.status);
        if (partner == BT_NO_MEMBER) {
            BT_TRY(note_value(merge, "add", &member->value));
            continue;
        }
        const struct bt_json_member *there = &bt_json_members(pair->stored.value)[partner];
        BT_TRY(merge_values(merge, (bt_ref){merge->stored, &there->value},
                            (bt_ref){merge->payload, &member->value}));
    }
    return BT_OK;
}

/* Apply the patch. BT_ELIMIT: the section would break a limit. */
static enum bt_status apply_patch(struct contract_merge_state *merge,
                                  const struct bt_json_doc *patch, bt_str *out)
{
    const struct bt_json_options limits = bt_json_options_from_env(merge->check->contract->env);
    const struct bt_json_patch_options options = {.form = BT_JSON_FORM_COMPACT, .result = &limits};
    struct bt_arena *arena = merge->check->arena;
    struct bt_json_patch_result result = {0};
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = bt_json_patch(&buf, merge->stored, patch, &options, arena, &result);
    if (status == BT_OK && result.code != BT_JSON_PATCH_OK) {
        status = BT_ELIMIT;
    }
    return bt_buf_finish_if(status, &buf, arena, out);
}

static enum bt_status merge_all(struct contract_merge_state *merge,
                                struct bt_contract_merge_result *out)
{
    const struct bt_json_doc *patch = NULL;
    bt_buf_put_char(&merge->changes, '[');
    bt_emit_begin_array(bt_json_builder_begin(&merge->patch, merge->check->arena, NULL));
    const enum bt_status status = walk_pairs(merge);
    bt_buf_put_char(&merge->changes, ']');
    bt_emit_end(&merge->patch.emit);
    BT_TRY(bt_json_builder_finish(&merge->patch, status, &patch));
    BT_TRY(merge->changes.status);
    BT_TRY(apply_patch(merge, patch, &out->result));
    struct bt_buf members;
    bt_buf_init(&members, SIZE_MAX);
    bt_buf_put_text(&members, "\"result\":");
    bt_buf_put(&members, out->result);
    bt_buf_put_text(&members, ",\"changes\":");
    bt_buf_put(&members, bt_buf_str(&merge->changes));
    return bt_buf_finish(&members, merge->check->arena, &out->members);
}

/* The payload as it is stored: with its references in canonical form. */
static enum bt_status canonical_payload(const struct bt_contract_check *check,
                                        const bt_json_value *payload,
                                        const struct bt_json_doc **out)
{
    struct bt_json_builder builder;
    struct bt_json_replacement *items =
        BT_NEW_ARRAY(check->arena, struct bt_json_replacement, check->edits.count + 1);
    struct bt_json_replacements references = {.items = items, .base = check->block.base};
    BT_TRY(items ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < check->edits.count; i++) {
        const struct bt_contract_edit *edit = &check->edits.items[i];
        if (edit->string.ptr) {
            items[references.count++] = (struct bt_json_replacement){edit->begin, edit->string};
        }
    }
    bt_json_replacements_sort(items, references.count);
    (void)bt_json_builder_begin(&builder, check->arena, check->contract->env->hash_seed);
    bt_json_builder_copy(&builder, (bt_ref){check->document, payload}, &references);
    return bt_json_builder_finish(&builder, BT_OK, out);
}

enum bt_status bt_contract_check_merge(struct bt_contract_check *check,
                                       const bt_json_value *payload,
                                       const struct bt_json_doc *stored,
                                       struct bt_contract_merge_result *out)
{
    struct contract_merge_state *merge = BT_NEW(check->arena, struct contract_merge_state);
    BT_TRY(merge ? BT_OK : BT_ENOMEM);
    merge->check = check;
    merge->written = payload;
    merge->stored = stored;
    merge->matcher.arena = check->arena;
    BT_TRY(canonical_payload(check, payload, &merge->payload));
    bt_buf_init(&merge->pointer, SIZE_MAX);
    bt_buf_init(&merge->changes, SIZE_MAX);
    const enum bt_status status = merge_all(merge, out);
    bt_buf_free(&merge->changes);
    bt_buf_free(&merge->pointer);
    return status;
}

static enum bt_status judge_payload(struct bt_contract_check *check)
{
    check->arena = bt_findings_arena(check->findings);
    bt_findings_limit_codes(check->findings, BT_CONTRACT_FINDINGS_PER_CODE);
    check->block.body = BT_STR("");
    check->agent_id = BT_STR("");
    BT_TRY(bt_contract_check_read(check));
    return check->document ? bt_contract_check_payload(check, check->root, true) : BT_OK;
}

enum bt_status bt_contract_merge_section(struct bt_contract_checker *contract,
                                         struct bt_arena *arena, const struct bt_json_doc *stored,
                                         const struct bt_contract_document *payload,
                                         struct bt_contract_merge_result *out)
{
    assert(contract);
    assert(stored);
    assert(bt_json_type(bt_json_root(stored)) == BT_JSON_OBJECT);
    assert(payload);
    assert(out);
    static const struct bt_contract_options bare = {.no_fence = true, .runtime_agent_id = {"", 0}};
    struct bt_contract_check check = {.contract = contract,
                                      .options = &bare,
                                      .findings = bt_findings_new(arena),
                                      .text = payload->text,
                                      .wants_edits = true};
    struct bt_contract_merge_result merged = {.result = BT_STR(""),
                                              .members = BT_STR("\"result\":null,\"changes\":[]")};
    BT_TRY(check.findings ? BT_OK : BT_ENOMEM);
    BT_TRY(judge_payload(&check));
    if (!bt_contract_check_is_rejected(&check)) {
        BT_TRY(bt_contract_check_merge(&check, check.root, stored, &merged));
    }
    merged.judged = (struct bt_judgement){.path = payload->path,
                                          .dialect = BT_DIALECT_CONTRACT,
                                          .findings = check.findings,
                                          .facts = BT_STR("")};
    BT_TRY(bt_contract_check_excerpt_text(&check, &merged.judged.source));
    BT_TRY(bt_findings_finish(check.findings, check.text));
    merged.judged.verdict = bt_verdict_of(check.findings, BT_SEVERITY_HARD);
    *out = merged;
    return BT_OK;
}
