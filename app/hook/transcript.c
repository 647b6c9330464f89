/* SPDX-License-Identifier: Apache-2.0 */
/* transcript.c - the transcript that an event names. */
#include "transcript.h"

#include <assert.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"

enum {
    ID_BYTES_MAX = 128,
    ADVANCE_BYTES = 1 << 20, /* read at the use of a tool from so many bytes on */
};

/* ---- Finding it ------------------------------------------------------------------------------ */

/* Whether the id of an agent can be a part of the name of its file. */
static bool is_file_id(bt_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (!bt_ascii_is_alnum(id.ptr[i]) && id.ptr[i] != '_' && id.ptr[i] != '-') {
            return false;
        }
    }
    return id.len > 0 && id.len <= ID_BYTES_MAX;
}

/* The file of an agent beside the file of its session; "" when its name cannot be made. */
static enum bt_status find_agent_file(const struct hook *hook, const struct hook_event *event,
                                      bt_str *out)
{
    const bt_str session = event->session_transcript;
    const bt_str ending = BT_STR(".jsonl");
    *out = BT_STR("");
    if (!is_file_id(event->raw_id) || !bt_str_ends_with(session, ending) ||
        bt_str_find_byte(session, '\0', 0) < session.len) {
        return BT_OK;
    }
    const bt_str stem = bt_str_slice(session, 0, session.len - ending.len);
    const bt_str folder =
        bt_str_slice(session, 0, session.len - bt_str_after_last(session, '/').len);
    BT_TRY(bt_arena_printf(hook->arena, out, "%.*s/subagents/agent-%.*s.jsonl", BT_STR_ARG(stem),
                           BT_STR_ARG(event->raw_id)));
    return access(out->ptr, F_OK) == 0
               ? BT_OK
               : bt_arena_printf(hook->arena, out, "%.*sagent-%.*s.jsonl", BT_STR_ARG(folder),
                                 BT_STR_ARG(event->raw_id));
}

enum bt_status hook_transcript_find(const struct hook *hook, const struct hook_event *event,
                                    struct bt_evidence_source *out)
{
    assert(hook);
    assert(event);
    assert(out);
    const bool has_agent = event->raw_id.len > 0;
    *out = (struct bt_evidence_source){.path = BT_STR(""),
                                       .agent = event->raw_id,
                                       .doc_paths = hook->transcripts.doc_paths,
                                       .owned_only = true,
                                       .deadline_ms = hook->transcripts.deadline_ms};
    if (hook->is_remote || !hook->host->traits.has_transcripts) {
        return BT_OK;
    }
    if (event->agent_transcript.len > 0) {
        out->path = event->agent_transcript;
        return BT_OK;
    }
    if (has_agent && hook->host->traits.has_agent_files) {
        return find_agent_file(hook, event, &out->path);
    }
    /* At the use of a tool Codex names the transcript of the agent so; that of another thread is
     * unreadable. */
    out->path = event->session_transcript;
    out->agent = has_agent ? event->raw_id : BT_STR("-");
    return BT_OK;
}

/* ---- The end of a turn ----------------------------------------------------------------------- */

struct bt_evidence_key hook_transcript_key(const struct hook_event *event, bt_str workspace)
{
    const bt_str id = bt_str_of(event->host_id);
    return (struct bt_evidence_key){workspace, event->session, id.len > 0 ? id : BT_STR("-")};
}

static enum bt_status refresh_turn(void *context, struct bt_ledger_transaction *recording,
                                   bool *out_is_over, struct bt_error *error)
{
    struct hook_turn *turn = context;
    (void)recording;
    *out_is_over = false;
    return bt_evidence_turn_refresh(&turn->evidence, error);
}

static enum bt_status record_turn(void *context, struct bt_ledger_transaction *recording,
                                  const struct bt_decision_record *decided, struct bt_error *error)
{
    struct hook_turn *turn = context;
    const struct bt_contract_submission *contract = decided->decision;
    return bt_evidence_turn_record(&turn->evidence, recording, decided->seq, contract->out.agent_id,
                                   decided->judged->findings, error);
}

enum bt_status hook_turn_begin(struct hook_turn *turn, const struct hook *hook,
                               const struct hook_event *event, const struct hook_store *place,
                               struct bt_contract_options *options)
{
    assert(turn);
    assert(place->gate);
    const struct hook_transcripts *wanted = &hook->transcripts;
    const bool reports_only = hook->observes && wanted->mode != BT_EVIDENCE_OFF;
    struct bt_evidence evidence = {.env = hook->env,
                                   .mode = reports_only ? BT_EVIDENCE_REPORT : wanted->mode};
    struct bt_error error;
    *turn = (struct hook_turn){.is_on = false};
    if (wanted->mode == BT_EVIDENCE_OFF) {
        return BT_OK;
    }
    BT_TRY(hook_transcript_find(hook, event, &evidence.source));
    bt_evidence_turn_init(&turn->evidence, place->gate, &evidence);
    turn->is_on = true;
    turn->evidence.key = hook_transcript_key(event, place->workspace);
    turn->evidence.keeps_slice = wanted->keeps_slice;
    turn->evidence.slice_bytes_max = hook->env->limits.document_bytes;
    turn->steps = (struct bt_transaction_hooks){refresh_turn, record_turn, turn};
    options->compare = bt_evidence_compare;
    options->compare_context = &turn->evidence.evidence;
    return bt_evidence_turn_read(&turn->evidence, &error);
}

void hook_turn_end(struct hook_turn *turn)
{
    assert(turn);
    if (turn->is_on) {
        bt_evidence_turn_free(&turn->evidence);
    }
}

/* ---- The use of a tool ----------------------------------------------------------------------- */

/* Whether the file has grown by much since it was read. */
static bool has_grown(const struct hook *hook, bt_str path, uint64_t read_to)
{
    struct stat about;
    bt_str name; /* ends with a NUL byte */
    return path.len > 0 && bt_arena_copy(hook->arena, path, &name) == BT_OK &&
           stat(name.ptr, &about) == 0 && S_ISREG(about.st_mode) &&
           (uint64_t)about.st_size > read_to + ADVANCE_BYTES;
}

void hook_transcript_advance(const struct hook *hook, const struct hook_event *event,
                             const struct hook_store *place)
{
    struct bt_evidence evidence = {.env = hook->env, .mode = hook->transcripts.mode};
    const struct bt_evidence_key key = hook_transcript_key(event, place->workspace);
    struct bt_evidence_kept kept;
    struct bt_error error;
    if (evidence.mode == BT_EVIDENCE_OFF || event->is_test || !place->gate ||
        hook_transcript_find(hook, event, &evidence.source) != BT_OK ||
        bt_evidence_kept_load(place->gate->ledger, hook->arena, &key, &kept, &error) != BT_OK ||
        !has_grown(hook, evidence.source.path, kept.read_to)) {
        return;
    }
    const struct hook_store writing = hook->calls.open(hook->calls.context, event, true);
    struct bt_evidence_turn turn;
    if (!writing.gate) {
        return;
    }
    bt_evidence_turn_init(&turn, writing.gate, &evidence);
    turn.key = key;
    const enum bt_status status = bt_evidence_turn_read(&turn, &error);
    if (status == BT_OK && bt_evidence_turn_keep(&turn, &error) != BT_OK) {
        turn.kept.is_there = false; /* the report reads it again */
    }
    bt_evidence_turn_free(&turn);
}
