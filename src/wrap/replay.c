/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - the record of a call -> what the rules of today would do with the call. */
#include "wrap/replay.h"

#include "json/emit.h"
#include "json/get.h"
#include "report/rules.h"
#include "wrap/call.h"

enum { NAME_BYTES_MAX = 1 << 20 };

/* A call while it is judged again. */
struct wrap_replay {
    const struct bt_wrap_past_call *past;
    struct bt_wrap_call call;
    bool arguments_are_known;
    size_t from;      /* of the findings of the step that decides */
    bool is_refused;  /* by a step */
    bool is_doubtful; /* a rule on arguments could refuse it, or seems to */
};

/* ---- What was recorded ----------------------------------------------------------------------- */

static const bt_json_value *record_member(const struct bt_wrap_past_call *past, const char *name)
{
    return past->record ? bt_json_get(past->record, bt_json_root(past->record), bt_str_of(name))
                        : NULL;
}

static bool was_refused(const struct bt_wrap_past_call *past)
{
    return bt_str_eq(past->verdict, BT_STR("rejected"));
}

static bool was_refused_by(const struct bt_wrap_past_call *past, unsigned code)
{
    const bt_json_value *codes =
        bt_json_get(past->entry, bt_json_root(past->entry), BT_STR("codes"));
    const size_t count = codes ? bt_json_count(codes) : 0;
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(bt_json_text(&bt_json_items(codes)[i]), bt_code_name(code))) {
            return true;
        }
    }
    return false;
}

/* Annotations that give the class in the record, for a tool whose definition the lock lacks. */
static struct bt_wrap_hints recorded_hints(const struct bt_wrap_past_call *past)
{
    const bt_json_value *value = record_member(past, "class");
    const bt_str name =
        value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR("");
    struct bt_wrap_hints hints = {0};
    if (bt_str_eq(name, BT_STR("read"))) {
        hints.read_only = BT_WRAP_CHOICE_YES;
    } else if (bt_str_eq(name, BT_STR("write"))) {
        hints.destructive = BT_WRAP_CHOICE_NO;
    }
    return hints;
}

/* Whether the call had no arguments: then the digest of its parameters is that of its name. */
static enum bt_status find_absence(struct bt_wrap_session *session,
                                   const struct bt_wrap_past_call *past, bool *out)
{
    const bt_json_value *request = record_member(past, "request");
    struct bt_wrap_part part = {0};
    struct bt_emit emit;
    struct bt_buf buf;
    bt_str text;
    if (!request) {
        return BT_OK;
    }
    bt_buf_init(&buf, NAME_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "name", past->tool);
    bt_emit_end(&emit);
    BT_TRY(bt_buf_finish_if(BT_OK, &buf, &session->message, &text));
    BT_TRY(bt_wrap_part_set_text(&part, text));
    *out = bt_str_eq(bt_json_get_text(past->record, request, BT_STR("sha256")),
                     bt_str_of(part.sha256));
    return BT_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Whether a finding is about a value with a credential, which was not kept. */
static bool is_about_redacted(const struct wrap_replay *replay, const struct bt_finding *finding)
{
    const bt_json_value *redacted = record_member(replay->past, "redacted");
    const size_t count = redacted ? bt_json_count(redacted) : 0;
    const bt_str base = BT_STR("/calls/0"); /* the call has no number here */
    const bt_str at = bt_str_slice(finding->pointer, base.len, finding->pointer.len);
    for (size_t i = 0; i < count; i++) {
        const bt_str text = bt_json_text(&bt_json_items(redacted)[i]);
        if (bt_str_starts_with(text, at) && (text.len == at.len || text.ptr[at.len] == '/')) {
            return true;
        }
    }
    return false;
}

static bool is_certain(const struct wrap_replay *replay, const struct bt_finding *finding)
{
    return finding->severity == BT_SEVERITY_HARD && !is_about_redacted(replay, finding);
}

static bool is_refused_for_sure(const struct wrap_replay *replay)
{
    const struct bt_findings *findings = replay->call.findings;
    for (size_t i = replay->from; i < bt_findings_count(findings); i++) {
        if (is_certain(replay, bt_findings_at(findings, i))) {
            return true;
        }
    }
    return false;
}

static enum bt_status take_steps(struct wrap_replay *replay)
{
    struct bt_wrap_call *call = &replay->call;
    enum bt_wrap_step_result result = BT_WRAP_STEP_PASSED;
    BT_TRY(bt_wrap_call_review(call, replay->arguments_are_known, &result, &replay->from));
    const bool is_refused = result == BT_WRAP_STEP_REFUSED;
    replay->is_refused = is_refused && is_refused_for_sure(replay);
    replay->is_doubtful = is_refused ? !replay->is_refused
                                     : call->policy.rule.arguments == BT_WRAP_JUDGING_REFUSE &&
                                           (!replay->arguments_are_known || !call->tool);
    return BT_OK;
}

/* An approval that was used counts; one that the call waited for does not. */
static bool needs_approval(const struct wrap_replay *replay)
{
    const struct bt_wrap_past_call *past = replay->past;
    const bool has_one = past->approval.len > 0 && past->event != BT_WRAP_EVENT_REFUSED;
    return replay->call.policy.rule.approve == BT_WRAP_CHOICE_YES && !has_one &&
           past->event != BT_WRAP_EVENT_REPLAYED;
}

/*
 * Whether the tool was hidden and still would be: the server showed another definition than the
 * lock has. *out_is_known is false when the lock cannot tell.
 */
static bool is_still_hidden(const struct wrap_replay *replay, bool *out_is_known)
{
    const struct bt_wrap_past_call *past = replay->past;
    const struct bt_wrap_tool *tool = replay->call.tool;
    const bt_json_value *refs = bt_json_get(past->entry, bt_json_root(past->entry), BT_STR("refs"));
    const bt_str shown = bt_json_get_text(past->entry, refs, bt_str_of("manifest"));
    *out_is_known = tool && shown.len > 0;
    return *out_is_known && !bt_str_eq(shown, bt_str_of(tool->sha256));
}

/* Whether the call was refused by what is not replayed, so that it may be refused again. */
static bool was_refused_otherwise(const struct bt_wrap_past_call *past)
{
    static const unsigned codes[] = {BT_CODE_WRAP_CATALOGUE_MISSING,
                                     BT_CODE_WRAP_BLOCKED,
                                     BT_CODE_WRAP_KEY_INVALID,
                                     BT_CODE_WRAP_KEY_REUSED,
                                     BT_CODE_WRAP_OUTCOME_UNKNOWN,
                                     BT_CODE_WRAP_RATE,
                                     BT_CODE_WRAP_SPEND,
                                     BT_CODE_WRAP_RECORD_FAILED,
                                     BT_CODE_WRAP_BUSY};
    for (size_t i = 0; i < BT_COUNT_OF(codes); i++) {
        if (was_refused_by(past, codes[i])) {
            return true;
        }
    }
    return past->event == BT_WRAP_EVENT_WITHHELD; /* results are not replayed */
}

/* ---- The result ------------------------------------------------------------------------------ */

static void add_code(struct bt_wrap_replay_result *out, bt_str *codes, bt_str code)
{
    if (bt_str_index_in(code, codes, out->codes.count) == out->codes.count) {
        codes[out->codes.count++] = code;
    }
}

/* The codes are those of the step that refused it, or `code`. */
static enum bt_status refuse_again(const struct wrap_replay *replay, struct bt_arena *arena,
                                   unsigned code, struct bt_wrap_replay_result *out)
{
    const struct bt_findings *findings = replay->call.findings;
    bt_str *codes = BT_NEW_ARRAY(arena, bt_str, bt_findings_count(findings) + 1);
    BT_TRY(codes ? BT_OK : BT_ENOMEM);
    out->is_refused = true;
    out->outcome = was_refused(replay->past) ? BT_WRAP_REPLAY_SAME : BT_WRAP_REPLAY_CHANGED;
    out->codes = (struct bt_str_list){codes, 0};
    for (size_t i = replay->from; replay->is_refused && i < bt_findings_count(findings); i++) {
        if (is_certain(replay, bt_findings_at(findings, i))) {
            add_code(out, codes, bt_findings_at(findings, i)->rule->code);
        }
    }
    if (!replay->is_refused) {
        add_code(out, codes, bt_code_name(code));
    }
    return BT_OK;
}

static enum bt_status decide_again(const struct wrap_replay *replay, struct bt_arena *arena,
                                   struct bt_wrap_replay_result *out)
{
    const struct bt_wrap_past_call *past = replay->past;
    bool is_known = true;
    if (replay->is_refused || needs_approval(replay)) {
        return refuse_again(replay, arena, BT_CODE_WRAP_APPROVAL_REQUIRED, out);
    }
    if (was_refused_by(past, BT_CODE_WRAP_TOOL_HIDDEN) && is_still_hidden(replay, &is_known)) {
        return refuse_again(replay, arena, BT_CODE_WRAP_TOOL_HIDDEN, out);
    }
    out->outcome = replay->is_doubtful || !is_known || was_refused_otherwise(past)
                       ? BT_WRAP_REPLAY_UNDECIDED
                   : was_refused(past) ? BT_WRAP_REPLAY_CHANGED
                                       : BT_WRAP_REPLAY_SAME;
    return BT_OK;
}

enum bt_status bt_wrap_replay_call(struct bt_wrap_session *session,
                                   const struct bt_wrap_past_call *past, struct bt_arena *arena,
                                   struct bt_wrap_replay_result *out)
{
    const struct bt_wrap_message message = {.document = past->record, .method = past->method};
    struct bt_wrap_request request = {0};
    bt_arena_reset(&session->message);
    struct wrap_replay replay = {.past = past,
                                 .call = {.session = session,
                                          .message = &message,
                                          .request = &request,
                                          .line = BT_STR(""),
                                          .name = past->tool,
                                          .arguments = record_member(past, "arguments"),
                                          .hints = recorded_hints(past),
                                          .findings = bt_findings_new(&session->message)}};
    BT_TRY(replay.call.findings ? BT_OK : BT_ENOMEM);
    *out = (struct bt_wrap_replay_result){0};
    replay.arguments_are_known = replay.call.arguments != NULL;
    if (!replay.arguments_are_known) {
        BT_TRY(find_absence(session, past, &replay.arguments_are_known));
    }
    BT_TRY(take_steps(&replay));
    return decide_again(&replay, arena, out);
}
