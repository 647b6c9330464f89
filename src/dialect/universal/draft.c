/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.c - a handoff made from parts: members in the order of the schema, sealed and counted.
 */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "dialect/universal/chain_budget.h"
#include "dialect/universal/revision.h"
#include "json/emit.h"
#include "json/options.h"
#include "skill/skill.h"

/* A part that is JSON: read by itself, so that it can be nothing but one value, and minified. */
static enum bt_status put_json(struct bt_universal_checker *universal, struct bt_arena *arena,
                               const char *name, bt_str text, struct bt_buf *buf)
{
    const struct bt_json_options options = bt_json_options_from_env(universal->env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    if (!read.document) {
        return BT_EINVAL;
    }
    if (buf->len > 1) {
        bt_buf_put_char(buf, ',');
    }
    bt_json_put_string(buf, bt_str_of(name));
    bt_buf_put_char(buf, ':');
    return bt_json_write(buf, read.document, bt_json_root(read.document), BT_JSON_FORM_COMPACT,
                         arena, NULL);
}

static enum bt_status put_payload(struct bt_universal_checker *universal, struct bt_arena *arena,
                                  const struct bt_universal_draft *draft, struct bt_buf *buf,
                                  struct bt_error *error)
{
    const struct universal_draft_part {
        const char *name;
        bt_str text;
    } parts[] = {
        {"working", draft->working.ptr ? draft->working : BT_STR("{}")},
        {"session", draft->session},
        {"references", draft->references},
    };
    bt_buf_put_char(buf, '{');
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!parts[i].text.ptr) {
            continue;
        }
        const enum bt_status status = put_json(universal, arena, parts[i].name, parts[i].text, buf);
        if (status != BT_OK) {
            return bt_error_set(error, status, "payload.%s: %s", parts[i].name,
                                status == BT_EINVAL ? "it is not JSON" : bt_status_text(status));
        }
    }
    bt_buf_put_char(buf, '}');
    return buf->status;
}

static enum bt_status seal_payload(struct bt_universal_checker *universal, struct bt_arena *arena,
                                   bt_str payload, struct bt_universal_seal_info *out)
{
    struct bt_json_options options = bt_json_options_default();
    options.depth_max =
        (uint32_t)universal->env->limits.depth + 1; /* the payload around the part */
    options.document_bytes_max = UINT64_C(1) << 30;
    options.nodes_max = UINT64_C(1) << 30;
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(arena, payload, &options, &read));
    return read.document
               ? bt_universal_seal_info_of(read.document, bt_json_root(read.document), arena, out)
               : BT_EINVAL;
}

static void put_text(struct bt_emit *emit, const char *name, bt_str text)
{
    if (text.ptr) {
        bt_emit_member_string(emit, name, text);
    }
}

static void put_list(struct bt_emit *emit, const char *name, struct bt_str_list list)
{
    if (list.count > 0) {
        bt_emit_member_texts(emit, name, list.items, list.count);
    }
}

static void put_ends(struct bt_emit *emit, const struct bt_universal_draft *draft)
{
    bt_emit_member_object(emit, "source");
    put_text(emit, "skill", draft->source);
    put_text(emit, "workflow_id", draft->workflow_id);
    put_text(emit, "session_path", draft->session_path);
    put_text(emit, "phase", draft->phase);
    bt_emit_end(emit);
    bt_emit_member_object(emit, "target");
    put_text(emit, "skill", draft->target);
    put_text(emit, "invocation", draft->invocation);
    put_text(emit, "category", draft->category);
    put_text(emit, "expected_phase", draft->expected_phase);
    bt_emit_end(emit);
}

static void put_context(struct bt_emit *emit, const struct bt_universal_draft *draft)
{
    bt_emit_member_object(emit, "context");
    put_text(emit, "summary", draft->summary);
    put_text(emit, "original_prompt", draft->original_prompt);
    put_text(emit, "problem_type", draft->problem_type);
    put_list(emit, "focus_areas", draft->focus_areas);
    put_list(emit, "known_gaps", draft->known_gaps);
    put_list(emit, "success_criteria", draft->success_criteria);
    bt_emit_end(emit);
}

static void put_meta(struct bt_emit *emit, const struct bt_universal_draft *draft,
                     const struct bt_universal_seal_info *seal)
{
    const struct bt_str_list alone = {&draft->source,
                                      draft->source.ptr && !draft->no_chain ? 1 : 0};
    bt_emit_member_object(emit, "meta");
    bt_emit_member_u64(emit, "token_count", 0); /* counted when the rest is known */
    bt_emit_member_string(emit, "confidence",
                          draft->confidence.ptr ? draft->confidence : BT_STR("medium"));
    put_list(emit, "handoff_chain", draft->chain.count > 0 ? draft->chain : alone);
    put_text(emit, "handoff_reason", draft->reason);
    if (!draft->no_seal) {
        bt_emit_member_string(emit, "payload_hash", bt_str_of(seal->hash));
        bt_emit_member_u64(emit, "payload_size_bytes", seal->bytes);
    }
    if (draft->approved) {
        bt_emit_member_bool(emit, "user_approved", true);
    }
    if (bt_universal_budget_is_set(&draft->budget)) {
        bt_emit_name(emit, "baton_budget");
        bt_universal_budget_emit(&draft->budget, emit);
    }
    bt_emit_end(emit);
}

static void put_tracing(struct bt_emit *emit, const struct bt_universal_draft *draft)
{
    if (!draft->parent_span.ptr && draft->tag_count == 0) {
        return;
    }
    bt_emit_member_object(emit, "tracing");
    put_text(emit, "parent_span_id", draft->parent_span);
    if (draft->tag_count > 0) {
        bt_emit_member_object(emit, "tags");
        for (size_t i = 0; i < draft->tag_count; i++) {
            bt_emit_name_str(emit, draft->tags[i].name);
            bt_emit_string(emit, draft->tags[i].value);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/* Time and identifier, made where the draft has none. */
struct universal_draft_stamp {
    char time[BT_INSTANT_TEXT_BYTES];
    char trace_id[BT_UUID_TEXT_BYTES];
};

static enum bt_status put_stamp(struct bt_universal_checker *universal, struct bt_emit *emit,
                                const struct bt_universal_draft *draft)
{
    struct universal_draft_stamp stamp;
    bt_instant now = bt_env_now(universal->env);
    now.nanos = 0;
    (void)bt_instant_format(now, stamp.time);
    put_text(emit, "timestamp", draft->timestamp.ptr ? draft->timestamp : bt_str_of(stamp.time));
    put_text(emit, "expires_at", draft->expires_at);
    if (!draft->trace_id.ptr) {
        BT_TRY(bt_env_uuid(universal->env, stamp.trace_id));
    }
    put_text(emit, "trace_id", draft->trace_id.ptr ? draft->trace_id : bt_str_of(stamp.trace_id));
    return BT_OK;
}

static enum bt_status put_handoff(struct bt_universal_checker *universal, struct bt_arena *arena,
                                  const struct bt_universal_draft *draft, bt_str payload,
                                  struct bt_buf *buf)
{
    struct bt_universal_seal_info seal;
    struct bt_emit emit;
    BT_TRY(seal_payload(universal, arena, payload, &seal));
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_object(&emit, "handoff");
    bt_emit_member_string(&emit, "version", BT_STR("3.0"));
    bt_emit_member_string(&emit, "schema_type", BT_STR("universal"));
    BT_TRY(put_stamp(universal, &emit, draft));
    put_ends(&emit, draft);
    put_context(&emit, draft);
    bt_emit_member_raw(&emit, "payload", payload);
    put_meta(&emit, draft, &seal);
    put_tracing(&emit, draft);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    return buf->status;
}

/* Count the tokens, in the form in which the document is to be written. */
static enum bt_status set_token_count(struct bt_universal_checker *universal,
                                      struct bt_arena *arena, bt_str text, bool pretty, bt_str *out)
{
    struct bt_universal_revision revision;
    enum bt_status status = bt_universal_revision_begin(&revision, universal, arena, text);
    if (status != BT_OK) {
        /* It exceeds a limit; the check of the result reports which. */
        *out = text;
        return status == BT_EINVAL ? BT_OK : status;
    }
    status = bt_universal_revision_rewrite(&revision,
                                           pretty ? BT_JSON_FORM_PRETTY : BT_JSON_FORM_COMPACT);
    if (status == BT_OK) {
        status = bt_universal_revision_finish(&revision, true);
    }
    if (status == BT_OK) {
        *out = revision.text;
    }
    bt_universal_revision_end(&revision);
    return status;
}

enum bt_status bt_universal_draft_write(struct bt_universal_checker *universal,
                                        struct bt_arena *arena,
                                        const struct bt_universal_draft *draft, bt_str *out,
                                        struct bt_error *error)
{
    assert(universal);
    assert(draft);
    assert(out);
    struct bt_buf buf;
    bt_str payload = BT_STR("");
    bt_str text = BT_STR("");
    bt_buf_init(&buf, SIZE_MAX);
    BT_TRY(
        bt_buf_finish_if(put_payload(universal, arena, draft, &buf, error), &buf, arena, &payload));
    bt_buf_init(&buf, SIZE_MAX);
    BT_TRY(
        bt_buf_finish_if(put_handoff(universal, arena, draft, payload, &buf), &buf, arena, &text));
    return set_token_count(universal, arena, text, draft->pretty, out);
}

enum bt_status bt_universal_draft_complete(struct bt_universal_draft *draft, struct bt_arena *arena,
                                           bt_str *out_defaults)
{
    assert(draft);
    assert(out_defaults);
    const struct universal_draft_default {
        const char *name;
        bt_str *member;
        bt_str value;
    } rows[] = {
        {"session_path", &draft->session_path, BT_STR(".")},
        {"workflow_id", &draft->workflow_id, BT_STR("manual")},
        {"phase", &draft->phase, BT_STR("handoff")},
        {"problem_type", &draft->problem_type, BT_STR("implementation")},
        {"working", &draft->working, BT_STR("{}")},
        {"confidence", &draft->confidence, BT_STR("medium")},
    };
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].member->ptr) {
            continue;
        }
        *rows[i].member = rows[i].value;
        if (rows[i].member == &draft->working) {
            bt_emit_member_raw(&emit, rows[i].name, rows[i].value);
        } else {
            bt_emit_member_string(&emit, rows[i].name, rows[i].value);
        }
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out_defaults);
}

static enum bt_status take_over(struct bt_arena *arena, const struct bt_universal_check *from,
                                const bt_json_value *object, const char *name, bt_str *out)
{
    bt_str text = BT_STR("");
    if (out->ptr || !bt_universal_check_usable_text(from, object, name, &text)) {
        return BT_OK;
    }
    return bt_arena_copy(arena, text, out);
}

enum bt_status bt_universal_draft_continue(struct bt_universal_checker *universal,
                                           struct bt_arena *arena, bt_str text,
                                           struct bt_universal_draft *draft, struct bt_error *error)
{
    assert(universal);
    assert(draft);
    struct bt_universal_options options = bt_universal_options_default();
    options.no_refs = true;
    struct bt_universal_check from;
    struct bt_findings *findings = bt_findings_new(arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_universal_check_judge(universal, text, &options, findings, &from));
    if (!from.document) {
        return bt_error_set(error, BT_EINVAL, "it cannot be read");
    }
    if (!from.chain.names || from.chain.count == 0) {
        return bt_error_set(error, BT_EINVAL, "its chain cannot be known");
    }
    bt_str *chain = BT_NEW_ARRAY(arena, bt_str, from.chain.count + 1);
    BT_TRY(chain ? BT_OK : BT_ENOMEM);
    size_t count = from.chain.count;
    memcpy(chain, from.chain.names, count * sizeof(*chain));
    if (draft->source.ptr && !bt_skill_name_equal(chain[count - 1], draft->source)) {
        chain[count++] = draft->source;
    }
    draft->chain = (struct bt_str_list){chain, count};
    draft->budget = from.budget;
    BT_TRY(take_over(arena, &from, from.parts.handoff, "trace_id", &draft->trace_id));
    return take_over(arena, &from, from.parts.context, "original_prompt", &draft->original_prompt);
}
