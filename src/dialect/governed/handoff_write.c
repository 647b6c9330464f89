/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handoff_write.c - handoffs made and sealed by their author.
 *
 * What the catalogue knows is taken from it: types from the manifest, versions and hashes from the
 * lock. The four flags say what a judgement of the rest has found, so nothing is attested that was
 * not verified. A text is changed by replacing the bytes of single values; all others stay.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "dialect/governed/governed_check.h"
#include "json/emit.h"
#include "json/options.h"

enum {
    EDITS_MAX = 16,
    TEXT_BYTES_MAX = 1 << 30,
};

static const char *const party_members[2] = {"source_agent", "target_agent"};

/* Bytes of a text, and what replaces them. */
struct governed_text_edit {
    size_t begin;
    size_t end;
    bt_str text;
};

struct governed_handoff_writer {
    struct bt_governed_checker *governed;
    struct bt_arena *arena;
    const struct bt_governed_options *options;
    const struct bt_json_doc *document; /* that is changed */
    struct governed_text_edit edits[EDITS_MAX];
    size_t edit_count;
};

/* ---- Changes of a text ----------------------------------------------------------------------- */

static enum bt_status quote_text(struct bt_arena *arena, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_string(&emit, text);
    return bt_buf_finish(&buf, arena, out);
}

/* Set a member of an object; one that is not there becomes the last. `value` is JSON. */
static enum bt_status set_member(struct governed_handoff_writer *writer,
                                 const bt_json_value *object, const char *name, bt_str value)
{
    if (!object || bt_json_type(object) != BT_JSON_OBJECT) {
        return BT_OK; /* the schema says what is wrong */
    }
    assert(writer->edit_count < EDITS_MAX);
    struct governed_text_edit *edit = &writer->edits[writer->edit_count++];
    const bt_json_value *old = bt_json_get(writer->document, object, bt_str_of(name));
    if (old) {
        const struct bt_json_span span = bt_json_span(writer->document, old);
        *edit = (struct governed_text_edit){span.begin, span.end, value};
        return BT_OK;
    }
    const size_t count = bt_json_count(object);
    const bt_json_value *last = count > 0 ? &bt_json_members(object)[count - 1].value : object;
    const struct bt_json_span span = bt_json_span(writer->document, last);
    const size_t at = count > 0 ? span.end : span.end - 1;
    *edit = (struct governed_text_edit){.begin = at, .end = at};
    return bt_arena_printf(writer->arena, &edit->text, "%s\"%s\":%.*s", count > 0 ? "," : "", name,
                           BT_STR_ARG(value));
}

static enum bt_status set_text(struct governed_handoff_writer *writer, const bt_json_value *object,
                               const char *name, bt_str text)
{
    bt_str quoted;
    BT_TRY(quote_text(writer->arena, text, &quoted));
    return set_member(writer, object, name, quoted);
}

static int compare_edits(const void *a_pointer, const void *b_pointer)
{
    const struct governed_text_edit *a = a_pointer;
    const struct governed_text_edit *b = b_pointer;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static enum bt_status apply_edits(struct governed_handoff_writer *writer, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    size_t at = 0;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    qsort(writer->edits, writer->edit_count, sizeof(writer->edits[0]), compare_edits);
    for (size_t i = 0; i < writer->edit_count; i++) {
        bt_buf_put(&buf, bt_str_slice(text, at, writer->edits[i].begin));
        bt_buf_put(&buf, writer->edits[i].text);
        at = writer->edits[i].end;
    }
    bt_buf_put(&buf, bt_str_slice(text, at, text.len));
    writer->edit_count = 0;
    return bt_buf_finish(&buf, writer->arena, out);
}

/* ---- What the catalogue knows ---------------------------------------------------------------- */

/* Set what manifest and lock say about the two agents; what they do not say stays. */
static enum bt_status set_parties(struct governed_handoff_writer *writer)
{
    struct bt_governed_root governed_root = {
        .governed = writer->governed, .options = writer->options, .arena = writer->arena};
    const bt_json_value *root = bt_json_root(writer->document);
    BT_TRY(bt_governed_root_read(&governed_root));
    for (size_t i = 0; i < 2; i++) {
        const bt_json_value *party =
            bt_json_get(writer->document, root, bt_str_of(party_members[i]));
        const bt_json_value *id = bt_json_get(writer->document, party, BT_STR("agent_id"));
        const size_t index =
            id ? bt_governed_root_find(&governed_root, bt_json_text(id)) : BT_NO_AGENT;
        if (index == BT_NO_AGENT) {
            continue;
        }
        const struct bt_governed_agent *agent = &governed_root.agents[index];
        BT_TRY(set_text(writer, party, "agent_type", bt_governed_agent_type_name(agent->type)));
        if (governed_root.lock.is_sound && agent->locked) {
            BT_TRY(set_text(writer, party, "agent_version",
                            bt_governed_locked_text(&governed_root, agent, BT_STR("version"))));
            BT_TRY(set_text(writer, party, "prompt_hash",
                            bt_governed_locked_text(&governed_root, agent, BT_STR("hash"))));
        }
    }
    return BT_OK;
}

/* The time in whole seconds. */
static void format_now(struct bt_env *env, char out[BT_INSTANT_TEXT_BYTES])
{
    bt_instant now = bt_env_now(env);
    now.nanos = 0;
    (void)bt_instant_format(now, out);
}

static enum bt_status renew_identity(struct governed_handoff_writer *writer)
{
    struct bt_env *env = writer->governed->env;
    const bt_json_value *root = bt_json_root(writer->document);
    char id[BT_UUID_TEXT_BYTES];
    char now[BT_INSTANT_TEXT_BYTES];
    BT_TRY(bt_env_uuid(env, id));
    format_now(env, now);
    BT_TRY(set_text(writer, root, "handoff_id", bt_str_of(id)));
    return set_text(writer, root, "timestamp", bt_str_of(now));
}

/* ---- Judging --------------------------------------------------------------------------------- */

static enum bt_status judge_text(const struct governed_handoff_writer *writer, bt_str text,
                                 struct bt_governed_check *out)
{
    *out = (struct bt_governed_check){.governed = writer->governed,
                                      .options = writer->options,
                                      .kind = BT_GOVERNED_HANDOFF,
                                      .findings = bt_findings_new(writer->arena),
                                      .text = text};
    return out->findings ? bt_governed_check_judge(out) : BT_ENOMEM;
}

/* Set the flags to what the check has found. What it could not establish stays true: then there is
 * a HARD finding that says why, and a second one about the flag would only hide it. */
static enum bt_status set_flags(struct governed_handoff_writer *writer,
                                const struct bt_governed_check *check)
{
    const bt_json_value *governance =
        bt_json_get(check->document, check->root, BT_STR("governance"));
    writer->document = check->document;
    for (size_t i = 0; i < BT_GOVERNED_CLAIM__MAX; i++) {
        const bt_str name = bt_governed_claim_name((enum bt_governed_claim)i);
        BT_TRY(set_member(writer, governance, name.ptr,
                          check->verified[i] == BT_GOVERNED_FACT_FALSE ? BT_STR("false")
                                                                       : BT_STR("true")));
    }
    return BT_OK;
}

/* `"document":` and the document, or null when it could not be read. */
static enum bt_status write_document_member(const struct bt_governed_check *check, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_buf_put_text(&buf, "\"document\":");
    enum bt_status status = BT_OK;
    if (check->document) {
        status = bt_json_write(&buf, check->document, check->root, BT_JSON_FORM_COMPACT,
                               check->arena, NULL);
    } else {
        bt_buf_put_text(&buf, "null");
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return status;
    }
    return bt_buf_finish(&buf, check->arena, out);
}

static enum bt_status finish_result(struct bt_governed_check *check, bt_str path, bt_str text,
                                    struct bt_governed_write_result *out)
{
    struct bt_governed_write_result result = {.text = text};
    bt_str facts;
    BT_TRY(bt_governed_check_facts(check, &facts));
    BT_TRY(bt_findings_finish(check->findings, text));
    result.judged =
        (struct bt_judgement){.path = path,
                              .dialect = BT_DIALECT_GOVERNED,
                              .source = text,
                              .verdict = bt_verdict_of(check->findings, BT_SEVERITY_HARD),
                              .findings = check->findings,
                              .facts = facts};
    BT_TRY(write_document_member(check, &result.judged.extra_members));
    *out = result;
    return BT_OK;
}

enum bt_status bt_governed_seal_handoff(struct bt_governed_checker *governed,
                                        struct bt_arena *arena,
                                        const struct bt_governed_seal_input *input,
                                        struct bt_governed_write_result *out)
{
    assert(governed);
    assert(input->options->dir);
    assert(out);
    struct governed_handoff_writer writer = {
        .governed = governed, .arena = arena, .options = input->options};
    struct bt_governed_check check;
    bt_str text = input->text;
    BT_TRY(judge_text(&writer, text, &check));
    if (!check.document) {
        return finish_result(&check, input->path, text, out);
    }
    writer.document = check.document;
    BT_TRY(set_parties(&writer));
    if (input->renew) {
        BT_TRY(renew_identity(&writer));
    }
    BT_TRY(apply_edits(&writer, text, &text));
    BT_TRY(judge_text(&writer, text, &check));
    assert(check.document);
    BT_TRY(set_flags(&writer, &check));
    BT_TRY(apply_edits(&writer, text, &text));
    BT_TRY(judge_text(&writer, text, &check));
    return finish_result(&check, input->path, text, out);
}

/* ---- A new handoff --------------------------------------------------------------------------- */

/* The catalogue fills in the rest; what it does not know is refused as what it is. */
static void put_party(struct bt_emit *emit, const char *name, bt_str id)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_string(emit, "agent_type", BT_STR("domain"));
    bt_emit_member_string(emit, "agent_id", id);
    bt_emit_member_string(emit, "agent_version", BT_STR("0.0.0"));
    bt_emit_member_string(
        emit, "prompt_hash",
        BT_STR("0000000000000000000000000000000000000000000000000000000000000000"));
    bt_emit_end(emit);
}

static void put_json(struct bt_emit *emit, const char *name, bt_str value)
{
    bt_emit_name(emit, name);
    bt_emit_raw(emit, value);
}

static void put_context(struct bt_emit *emit, const struct bt_governed_draft *draft)
{
    bt_emit_member_object(emit, "context");
    bt_emit_member_object(emit, "request");
    bt_emit_member_string(emit, "type", draft->type);
    bt_emit_member_string(emit, "description", draft->description);
    put_json(emit, "input_data", draft->input_data);
    bt_emit_member_texts(emit, "constraints", draft->constraints.items, draft->constraints.count);
    bt_emit_member_string(emit, "expected_output", draft->expected_output);
    bt_emit_end(emit);
    bt_emit_member_object(emit, "state");
    put_json(emit, "conversation_history", draft->history);
    put_json(emit, "accumulated_context", draft->context);
    put_json(emit, "decisions_made", draft->decisions);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void put_handoff(struct bt_emit *emit, const struct bt_governed_draft *draft, bt_str id,
                        bt_str now)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "handoff_id", id);
    bt_emit_member_string(emit, "timestamp", now);
    bt_emit_member_string(emit, "protocol_version", BT_STR("1.0.0"));
    put_party(emit, party_members[0], draft->source);
    put_party(emit, party_members[1], draft->target);
    put_context(emit, draft);
    bt_emit_member_object(emit, "governance");
    for (size_t i = 0; i < BT_GOVERNED_CLAIM__MAX; i++) {
        bt_emit_name_str(emit, bt_governed_claim_name((enum bt_governed_claim)i));
        bt_emit_bool(emit, true);
    }
    bt_emit_member_string(emit, "audit_trail", draft->audit_trail);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Lay a text out for people. The given values have layouts of their own, so it is read again; what
 * cannot be read stays as it is, and its judgement says why. */
static enum bt_status lay_out(struct bt_governed_checker *governed, struct bt_arena *arena,
                              bt_str text, bt_str *out)
{
    const struct bt_json_options options = bt_json_options_from_env(governed->env);
    struct bt_json_read_result read = {0};
    struct bt_buf buf;
    /* from: caller */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    *out = text;
    if (!read.document) {
        return BT_OK;
    }
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    const enum bt_status status = bt_json_write(&buf, read.document, bt_json_root(read.document),
                                                BT_JSON_FORM_PRETTY, arena, NULL);
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return status;
    }
    return bt_buf_finish(&buf, arena, out);
}

enum bt_status bt_governed_new_handoff(struct bt_governed_checker *governed, struct bt_arena *arena,
                                       const struct bt_governed_options *options,
                                       const struct bt_governed_draft *draft,
                                       struct bt_governed_write_result *out)
{
    assert(governed);
    assert(draft);
    struct bt_governed_draft whole = *draft;
    struct bt_governed_seal_input input = {.path = BT_STR("<new>"), .options = options};
    struct bt_buf buf;
    struct bt_emit emit;
    char id[BT_UUID_TEXT_BYTES];
    char now[BT_INSTANT_TEXT_BYTES];
    BT_TRY(bt_env_uuid(governed->env, id));
    format_now(governed->env, now);
    if (whole.audit_trail.len == 0) {
        BT_TRY(bt_arena_printf(arena, &whole.audit_trail, "baton:%s", id));
    }
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    put_handoff(&emit, &whole, bt_str_of(id), bt_str_of(now));
    BT_TRY(bt_buf_finish(&buf, arena, &input.text));
    BT_TRY(lay_out(governed, arena, input.text, &input.text));
    BT_TRY(bt_governed_seal_handoff(governed, arena, &input, out));
    out->audit_trail = whole.audit_trail;
    return BT_OK;
}
