/* SPDX-License-Identifier: Apache-2.0 */
/*
 * submit.c - one decision, one transaction: the repeat, the entry, the inbox.
 */
#include <assert.h>
#include <inttypes.h>

#include <baton/json.h>

#include "deliver/deliver.h"
#include "deliver/rules.h"

enum { PARAMS_BYTES_MAX = 4096 };

/* Columns of the table idempotency. */
enum { PRINCIPAL, PATH, KEY, REQUEST, STATUS, BODY, SEQ, EXPIRY, UPDATED, COLUMNS };

struct submitting {
    const struct bt_deliver *deliver;
    struct bt_deliver_submission *asked;
    bt_deliver_compose_fn *compose;
    void *context;
    struct bt_store *store;
    struct bt_recording recording;
    struct bt_error *error;
    uint8_t digest[BT_SHA256_BYTES]; /* of the request */
};

/* ---- Who speaks ------------------------------------------------------------------------------ */

enum bt_status bt_deliver_refuse_source(struct bt_arena *arena, struct bt_judged *judged,
                                        bt_str claimed, bt_str pointer)
{
    struct bt_findings *findings = bt_findings_new(arena);
    struct bt_finding finding =
        bt_finding_of(bt_deliver_rule("AGENT_BINDING_MISMATCH", judged->dialect));
    struct bt_buf params;
    struct bt_emit emit;
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        const struct bt_finding *found = bt_findings_at(judged->findings, i);
        if (found->rule->stage <= BT_STAGE_SCHEMA) {
            BT_TRY(bt_findings_add(findings, found));
        }
    }
    bt_buf_init(&params, PARAMS_BYTES_MAX);
    bt_emit_init(&emit, &params, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "claimed", bt_str_slice(claimed, 0, 200));
    bt_emit_end(&emit);
    finding.pointer = pointer;
    finding.params = bt_buf_str(&params);
    finding.hint = BT_STR("use the sender's own token");
    enum bt_status status = params.status;
    status = status == BT_OK ? bt_findings_add(findings, &finding) : status;
    status = status == BT_OK ? bt_findings_finish(findings, judged->source) : status;
    bt_buf_free(&params);
    BT_TRY(status);
    judged->findings = findings;
    judged->verdict = BT_REJECTED;
    return BT_OK;
}

/* ---- Repeats --------------------------------------------------------------------------------- */

static uint64_t seconds_now(const struct bt_env *env)
{
    const bt_instant now = bt_env_now(env);
    return now.seconds > 0 ? (uint64_t)now.seconds : 0;
}

/* Look for an answer that was given before; the outcome is set when there is one. */
static enum bt_status look_back(struct submitting *submitting)
{
    const struct bt_deliver_key *key = submitting->asked->key;
    const struct bt_cell *cells = NULL;
    if (!key) {
        return BT_OK;
    }
    const struct bt_cell names[] = {bt_cell_text(key->principal), bt_cell_text(key->path),
                                    bt_cell_text(key->key)};
    const struct bt_row_scan scan = {BT_TABLE_IDEMPOTENCY, names, 3};
    const enum bt_status status = bt_store_row_get(submitting->store, submitting->deliver->arena,
                                                   &scan, &cells, submitting->error);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    if (cells[EXPIRY].number <= (int64_t)seconds_now(submitting->deliver->env)) {
        return BT_OK;
    }
    const bt_str digest = {(const char *)submitting->digest, sizeof(submitting->digest)};
    const bool is_same = bt_str_eq(cells[REQUEST].text, digest);
    submitting->asked->outcome = is_same ? BT_DELIVER_REPEATED : BT_DELIVER_REUSED;
    submitting->asked->body = is_same ? cells[BODY].text : BT_STR("");
    submitting->asked->item->seq =
        cells[SEQ].type == BT_CELL_NUMBER ? (uint64_t)cells[SEQ].number : BT_LEDGER_NONE;
    submitting->asked->size = (uint64_t)cells[STATUS].number;
    return BT_OK;
}

static enum bt_status keep_answer(struct submitting *submitting)
{
    struct bt_deliver_submission *asked = submitting->asked;
    const struct bt_deliver_key *key = asked->key;
    struct bt_cell cells[COLUMNS];
    bt_str body;
    if (!key) {
        return BT_OK;
    }
    BT_TRY(submitting->compose(submitting->context, asked, &body));
    cells[PRINCIPAL] = bt_cell_text(key->principal);
    cells[PATH] = bt_cell_text(key->path);
    cells[KEY] = bt_cell_text(key->key);
    cells[REQUEST] =
        bt_cell_bytes((bt_str){(const char *)submitting->digest, sizeof(submitting->digest)});
    cells[STATUS] = bt_cell_number(asked->size);
    cells[BODY] = bt_cell_bytes(body);
    cells[SEQ] = bt_cell_number(asked->item->seq);
    cells[EXPIRY] = bt_cell_number(seconds_now(submitting->deliver->env) + key->seconds);
    cells[UPDATED] = bt_cell_number(asked->item->seq);
    return bt_store_row_put(submitting->store, BT_TABLE_IDEMPOTENCY, cells, submitting->error);
}

/* ---- Handing on ------------------------------------------------------------------------------ */

/* Whether an accepted document has an inbox to go to; else that is said. */
static enum bt_status address(struct submitting *submitting)
{
    struct bt_deliver_submission *asked = submitting->asked;
    struct bt_judged *judged = asked->item->judged;
    if (!asked->has_inbox || judged->verdict != BT_ACCEPTED) {
        return BT_OK;
    }
    if (asked->item->target.len > 0 && bt_ledger_name_is(asked->item->target)) {
        asked->inbox = asked->item->target;
        return BT_OK;
    }
    struct bt_findings *findings = bt_findings_new(submitting->deliver->arena);
    const struct bt_finding finding =
        bt_finding_of(bt_deliver_rule("DELIVERY_UNADDRESSED", judged->dialect));
    if (!findings) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        BT_TRY(bt_findings_add(findings, bt_findings_at(judged->findings, i)));
    }
    BT_TRY(bt_findings_add(findings, &finding));
    BT_TRY(bt_findings_finish(findings, judged->source));
    judged->findings = findings;
    return BT_OK;
}

static enum bt_status hand_on(struct submitting *submitting)
{
    struct bt_deliver_submission *asked = submitting->asked;
    const struct bt_ledger_item *item = asked->item;
    if (asked->inbox.len == 0 || item->judged->verdict != BT_ACCEPTED) {
        asked->inbox = BT_STR("");
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(submitting->deliver->arena, &asked->message, "h%" PRIu64, item->seq));
    asked->is_queued = true;
    const struct bt_inbox_row row = {.message = asked->message,
                                     .target = asked->inbox,
                                     .seq = item->seq,
                                     .payload = item->bytes,
                                     .lease = BT_STR(""),
                                     .state = BT_STR("queued")};
    return bt_inbox_put(submitting->store, &row, item->seq, submitting->error);
}

/* ---- The transaction ------------------------------------------------------------------------- */

/* Where it is recorded; the root is that of the checkpoint which the commit signs. */
static enum bt_status tell(struct submitting *submitting, const struct bt_recorded *recorded)
{
    struct bt_recording *recording = &submitting->recording;
    struct bt_buf buf;
    bt_tree_root(&recording->state.tree, &recording->state.root);
    submitting->asked->size = recording->state.tree.size;
    bt_buf_init(&buf, 1 << 16);
    bt_buf_put_text(&buf, "\"record\":");
    bt_recording_put(&buf, recording, recorded);
    const enum bt_status status =
        bt_buf_keep(&buf, submitting->deliver->arena, &submitting->asked->item->judged->members);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status decide(struct submitting *submitting)
{
    struct bt_recorded *recorded = BT_NEW(submitting->deliver->arena, struct bt_recorded);
    if (!recorded) {
        return BT_ENOMEM;
    }
    submitting->asked->outcome = BT_DELIVER_DECIDED;
    BT_TRY(
        bt_recording_before(&submitting->recording, submitting->asked->beside, submitting->error));
    BT_TRY(address(submitting));
    BT_TRY(bt_recording_add_item(&submitting->recording, submitting->asked->item, recorded,
                                 submitting->error));
    BT_TRY(hand_on(submitting));
    BT_TRY(tell(submitting, recorded));
    BT_TRY(bt_recording_after(&submitting->recording, submitting->asked->beside, recorded,
                              submitting->asked->item->judged, BT_STR(""), submitting->error));
    return keep_answer(submitting);
}

static enum bt_status run(struct submitting *submitting)
{
    struct bt_deliver_submission *asked = submitting->asked;
    struct bt_recording *recording = &submitting->recording;
    BT_TRY(bt_recording_begin(recording, submitting->deliver->alarms, submitting->error));
    if (bt_findings_count(submitting->deliver->alarms) > 0) {
        return BT_OK;
    }
    enum bt_status status = look_back(submitting);
    if (status == BT_OK && asked->outcome == 0) {
        status = decide(submitting);
    }
    if (status != BT_OK || asked->outcome != BT_DELIVER_DECIDED) {
        bt_store_rollback(submitting->store);
        return status;
    }
    status = bt_recording_commit(recording, submitting->error);
    asked->is_recorded = recording->is_recorded;
    asked->is_unknown = recording->is_unknown;
    return status;
}

enum bt_status bt_deliver_submit(const struct bt_deliver *deliver,
                                 struct bt_deliver_submission *submission,
                                 bt_deliver_compose_fn *compose, void *context,
                                 struct bt_error *error)
{
    assert(deliver);
    assert(submission);
    assert(compose || !submission->key);
    struct submitting *submitting = BT_NEW(deliver->arena, struct submitting);
    if (!submitting) {
        return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    *submitting = (struct submitting){
        .deliver = deliver,
        .asked = submission,
        .compose = compose,
        .context = context,
        .store = deliver->ledger->store,
        .recording = {.ledger = deliver->ledger, .env = deliver->env, .arena = deliver->arena},
        .error = error};
    submission->outcome = 0;
    submission->inbox = BT_STR("");
    submission->message = BT_STR("");
    submission->body = BT_STR("");
    if (submission->key) {
        BT_TRY(bt_sha256(submission->key->request, submitting->digest));
    }
    return run(submitting);
}
