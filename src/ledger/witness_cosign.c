/* SPDX-License-Identifier: Apache-2.0 */
/*
 * witness_cosign.c - a request to a witness: checked, stored, cosigned, in this order and under one
 * lock, so that concurrent requests cannot roll the witness back.
 */
#include <assert.h>
#include <inttypes.h>
#include <unistd.h>

#include <baton/json.h>

#include "json/emit.h"
#include "ledger/receipt.h"
#include "ledger/witness.h"
#include "ledger/witness_internal.h"
#include "store/files.h"

/* A request while it is processed. */
struct ledger_witness_add_request {
    struct bt_env *env;
    struct bt_arena *arena;
    const char *folder;
    bt_str body;
    struct bt_findings *findings;
    struct bt_error *error;
    uint64_t old_size;
    struct bt_merkle_proof proof;
    struct bt_checkpoint checkpoint;
    struct bt_witness_log *log;
    bool is_read;    /* the body is well-formed */
    bool is_known;   /* its log is trusted */
    uint64_t latest; /* size held afterwards */
    unsigned status; /* of the HTTP response */
    bt_str line;     /* the cosignature */
};

static enum bt_status add_bad_request_finding(struct ledger_witness_add_request *request,
                                              uint32_t line, const char *reason)
{
    request->status = 400;
    return bt_add_witness_bad_request(request->findings, bt_location_whole(), line,
                                      bt_str_of(reason));
}

static enum bt_status read_body(struct ledger_witness_add_request *request)
{
    struct bt_receipt_lines lines = {.rest = request->body};
    bt_str line = BT_STR("");
    if (!bt_receipt_lines_next(&lines, &line) ||
        !bt_receipt_line_number(line, BT_STR("old "), &request->old_size)) {
        return add_bad_request_finding(request, 1, "the first line is not `old` and a number");
    }
    const char *reason = bt_receipt_lines_take_proof(&lines, &request->proof);
    if (reason) {
        return add_bad_request_finding(request, lines.line, reason);
    }
    reason = bt_checkpoint_read(lines.rest, &request->checkpoint);
    if (reason) {
        return add_bad_request_finding(request, lines.line + 1, reason);
    }
    request->is_read = true;
    return BT_OK;
}

static enum bt_status judge_origin(struct ledger_witness_add_request *request)
{
    if (request->log->keys) {
        request->is_known = true;
        request->latest = request->log->checkpoint.size;
        return BT_OK;
    }
    request->status = 404;
    return bt_add_witness_unknown_origin(request->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                         request->checkpoint.origin);
}

static enum bt_status judge_signature(struct ledger_witness_add_request *request)
{
    struct bt_checkpoint_trust_result trusted;
    char key[BT_VKEY_TEXT_MAX];
    const struct bt_vkey_list *keys = &request->log->keys->keys;
    BT_TRY(bt_checkpoint_judge(&request->checkpoint, keys, &trusted));
    if (trusted.trust == BT_TRUSTED) {
        return BT_OK;
    }
    const struct bt_vkey *vkey = trusted.culprit ? trusted.culprit : &keys->items[0];
    request->status = 403;
    return bt_add_witness_bad_signature(request->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                        bt_vkey_id_text(vkey, key));
}

static enum bt_status judge_sizes(struct ledger_witness_add_request *request)
{
    if (request->old_size > request->checkpoint.size) {
        return add_bad_request_finding(request, 1, "its old size is above the new one");
    }
    if (request->old_size == request->latest) {
        return BT_OK;
    }
    request->status = 409;
    return bt_add_witness_stale(request->findings, bt_ledger_part(BT_STR("/old")),
                                request->old_size, request->latest);
}

static enum bt_status judge_growth(struct ledger_witness_add_request *request)
{
    const struct bt_consistency_proof claim = {request->old_size, request->checkpoint.size,
                                               request->log->checkpoint.root,
                                               request->checkpoint.root};
    if (bt_consistency_proof_verify(&claim, &request->proof)) {
        return BT_OK;
    }
    request->status = 422;
    return bt_add_witness_inconsistent(request->findings, bt_ledger_part(BT_STR("/checkpoint")),
                                       request->old_size, request->checkpoint.size);
}

/* The log's own lines of the note, and the witness's. */
static enum bt_status put_note(struct ledger_witness_add_request *request,
                               const struct bt_signing_key *key, struct bt_buf *note)
{
    const struct bt_checkpoint *checkpoint = &request->checkpoint;
    struct bt_buf line;
    const bt_instant now = bt_env_now(request->env);
    bt_buf_init(&line, 1024);
    enum bt_status status = bt_cosignature_put(&line, key, checkpoint->text, (uint64_t)now.seconds);
    bt_buf_put(note, checkpoint->text);
    bt_buf_put_char(note, '\n');
    for (size_t i = 0; i < checkpoint->line_count; i++) {
        if (bt_str_eq(checkpoint->lines[i].name, checkpoint->origin)) {
            bt_buf_put(note, checkpoint->lines[i].line);
            bt_buf_put_char(note, '\n');
        }
    }
    bt_buf_put(note, bt_buf_str(&line));
    if (status == BT_OK) {
        status = bt_buf_copy(&line, request->arena, &request->line);
    }
    bt_buf_free(&line);
    return status == BT_OK ? note->status : status;
}

static enum bt_status save_checkpoint(struct ledger_witness_add_request *request)
{
    const struct bt_store_file_mode mode = {.mode = 0644, .replacing = true};
    struct bt_signing_key key;
    struct bt_buf note;
    bt_str path;
    BT_TRY(bt_witness_key(request->arena, request->folder, &key, request->error));
    BT_TRY(bt_arena_printf(request->arena, &path, "%s/checkpoint", request->log->folder.ptr));
    bt_buf_init(&note, (size_t)2 * BT_NOTE_BYTES_MAX);
    enum bt_status status = put_note(request, &key, &note);
    bt_signing_key_wipe(&key);
    if (status == BT_OK) {
        status = bt_store_write_file(path.ptr, bt_buf_str(&note), mode, request->error);
    }
    bt_buf_free(&note);
    BT_TRY(status);
    request->status = 200;
    request->latest = request->checkpoint.size;
    return BT_OK;
}

typedef enum bt_status step_fn(struct ledger_witness_add_request *request);

static enum bt_status run_steps(struct ledger_witness_add_request *request)
{
    static step_fn *const steps[] = {judge_origin, judge_signature, judge_sizes, judge_growth,
                                     save_checkpoint};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        BT_TRY(steps[i](request));
        if (bt_findings_count(request->findings) > 0) {
            break;
        }
    }
    return request->status == 422 ? bt_witness_keep_evidence(request->arena, request->log->folder,
                                                             request->body, request->error)
                                  : BT_OK;
}

static enum bt_status put_facts(const struct ledger_witness_add_request *request, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    if (request->is_read) {
        char root[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&request->checkpoint.root, root);
        bt_emit_member_string(&emit, "origin", request->checkpoint.origin);
        bt_emit_member_u64(&emit, "old", request->old_size);
        bt_emit_member_u64(&emit, "size", request->checkpoint.size);
        bt_emit_member_string(&emit, "root", bt_str_of(root));
    }
    if (request->is_known) {
        bt_emit_member_u64(&emit, "latest", request->latest);
    }
    bt_emit_member_u64(&emit, "status", request->status);
    if (request->line.len > 0) {
        bt_emit_member_string(&emit, "cosignature",
                              bt_str_slice(request->line, 0, request->line.len - 1));
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, request->arena, out);
}

static enum bt_status add_locked(struct ledger_witness_add_request *request)
{
    BT_TRY(bt_witness_log(request->arena, request->folder, request->checkpoint.origin,
                          &request->log, request->error));
    return run_steps(request);
}

/* The response of the server. A log that gets the size can prove from there. */
static enum bt_status put_answer(const struct ledger_witness_add_request *request,
                                 struct bt_witness_cosign_result *out)
{
    out->line = request->line;
    out->status = request->status;
    out->body = request->line;
    out->body_type = BT_STR("text/plain; charset=utf-8");
    if (request->status == 409) {
        out->body_type = BT_STR("text/x.tlog.size");
        return bt_arena_printf(request->arena, &out->body, "%" PRIu64 "\n", request->latest);
    }
    return request->status == 200
               ? BT_OK
               : bt_arena_printf(request->arena, &out->body, "%.*s\n",
                                 BT_STR_ARG(bt_findings_at(request->findings, 0)->rule->meaning));
}

enum bt_status bt_witness_cosign(struct bt_env *env, struct bt_arena *arena,
                                 const struct bt_witness_request *request,
                                 struct bt_witness_cosign_result *out, struct bt_error *error)
{
    assert(env);
    assert(request);
    assert(out);
    struct ledger_witness_add_request *state = BT_NEW(arena, struct ledger_witness_add_request);
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_signing_key key;
    bt_str facts;
    if (!state || !findings) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    BT_TRY(bt_witness_key(arena, request->folder, &key, error)); /* check that there is a witness */
    bt_signing_key_wipe(&key);
    state->env = env;
    state->arena = arena;
    state->folder = request->folder;
    state->body = request->body;
    state->findings = findings;
    state->error = error;
    state->line = BT_STR("");
    BT_TRY(read_body(state));
    if (state->is_read) {
        const int lock = bt_witness_lock(arena, request->folder, error);
        if (lock < 0) {
            return BT_EIO;
        }
        const enum bt_status status = add_locked(state);
        (void)close(lock);
        BT_TRY(status);
    }
    BT_TRY(put_facts(state, &facts));
    BT_TRY(bt_judgement_make(request->path, BT_DIALECT_CHECKPOINT, BT_STR(""), findings, facts,
                             &out->judged));
    return put_answer(state, out);
}
