/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approve.c - requests listed, shown, decided and used; every refusal is recorded.
 */
#include <assert.h>
#include <stdlib.h>

#include "gate/gating.h"

struct approving {
    enum bt_status (*act)(struct approving *approving); /* within the transaction; maybe again */
    const struct bt_gate *gate;
    const struct bt_approval_filter *filter; /* of a list ... */
    struct bt_approvals listed;
    const struct bt_approval_wish *wish; /* ... or what is to be done */
    struct bt_recording recording;
    char now[BT_INSTANT_TEXT_BYTES];
    struct bt_findings *findings;
    struct bt_approval_answer out;
    struct bt_approval_answer *told; /* whoever asked */
    struct bt_error *error;
};

/* ---- One transaction ------------------------------------------------------------------------- */

/* Notice deadlines, then do it. */
static enum bt_status add(struct bt_recording *recording, void *context, struct bt_error *error)
{
    struct approving *approving = context;
    BT_TRY(bt_approvals_expire(approving->gate, recording, error));
    return approving->act(approving);
}

static enum bt_status run(struct approving *approving)
{
    const struct bt_gate *gate = approving->gate;
    approving->recording = (struct bt_recording){
        .ledger = gate->ledger, .env = gate->contract->env, .arena = gate->arena};
    bt_gate_time(gate, approving->now);
    return bt_recording_run(&approving->recording, add, approving, gate->alarms, approving->error);
}

/* ---- Listing --------------------------------------------------------------------------------- */

static int compare_requests(const void *a, const void *b)
{
    const struct bt_approval *one = a;
    const struct bt_approval *other = b;
    const int by_time = bt_str_compare(one->requested_at, other->requested_at);
    return by_time != 0 ? by_time : bt_str_compare(one->id, other->id);
}

static bool passes(bt_str wanted, bt_str text)
{
    return wanted.len == 0 || bt_str_eq(wanted, text);
}

/* Those that match, by time. */
static enum bt_status select_by_time(const struct approving *approving,
                                     const struct bt_approvals *all,
                                     const struct bt_approval_filter *filter,
                                     struct bt_approvals *out)
{
    const struct bt_gate *gate = approving->gate;
    size_t count = 0;
    struct bt_approval *items = BT_NEW_ARRAY(gate->arena, struct bt_approval, all->count + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < all->count; i++) {
        bool is_own = passes(filter->status, all->items[i].status) &&
                      passes(filter->workspace, all->items[i].workspace);
        if (is_own) {
            BT_TRY(bt_gate_owns(gate, filter->owner, &all->items[i], &is_own, approving->error));
        }
        if (is_own) {
            items[count++] = all->items[i];
        }
    }
    qsort(items, count, sizeof(*items), compare_requests);
    *out = (struct bt_approvals){items, count};
    return BT_OK;
}

/* A deadline that has passed shows, also where that cannot be recorded. */
static enum bt_status mark_over(const struct bt_gate *gate, struct bt_approvals *all)
{
    struct bt_approval *items = BT_NEW_ARRAY(gate->arena, struct bt_approval, all->count + 1);
    char now[BT_INSTANT_TEXT_BYTES];
    if (!items) {
        return BT_ENOMEM;
    }
    bt_gate_time(gate, now);
    for (size_t i = 0; i < all->count; i++) {
        items[i] = all->items[i];
        if (bt_str_eq(items[i].status, BT_STR("pending")) &&
            bt_approval_is_over(&items[i], bt_str_of(now))) {
            items[i].status = BT_STR("expired");
        }
    }
    all->items = items;
    return BT_OK;
}

static enum bt_status list(struct approving *approving)
{
    struct bt_approvals all;
    BT_TRY(bt_approvals_load(approving->gate, &all, approving->error));
    BT_TRY(mark_over(approving->gate, &all));
    return select_by_time(approving, &all, approving->filter, &approving->listed);
}

enum bt_status bt_gate_approvals(const struct bt_gate *gate,
                                 const struct bt_approval_filter *filter, struct bt_approvals *out,
                                 struct bt_error *error)
{
    assert(gate);
    assert(filter);
    assert(out);
    struct approving approving = {.act = list, .gate = gate, .filter = filter, .error = error};
    BT_TRY(gate->ledger->is_writing ? run(&approving) : list(&approving));
    if (bt_findings_count(gate->alarms) == 0) {
        *out = approving.listed;
    }
    return BT_OK;
}

enum bt_status bt_gate_look(const struct bt_gate *gate, bt_str id, struct bt_approval *out,
                            struct bt_error *error)
{
    assert(gate);
    assert(out);
    char now[BT_INSTANT_TEXT_BYTES];
    struct bt_approvals found = {0};
    bt_gate_time(gate, now);
    BT_TRY(bt_approval_load(gate, id, &found, error));
    if (found.count == 0) {
        return bt_fail(error, BT_ENOENT, "there is no such request");
    }
    *out = found.items[0];
    if (bt_str_eq(out->status, BT_STR("pending")) && bt_approval_is_over(out, bt_str_of(now))) {
        out->status = BT_STR("expired");
    }
    return BT_OK;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static enum bt_status is_tampered(const struct bt_approval *approval, bool *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    BT_TRY(bt_sha256_hex(approval->payload, digest));
    *out = !bt_str_eq(bt_str_of(digest), approval->fingerprint);
    return BT_OK;
}

/* Whether the next command of a grant is these bytes. */
static enum bt_status covers(struct approving *approving, const struct bt_approval *approval,
                             bool *out)
{
    const bt_str *commands = NULL;
    size_t count = 0;
    bool is_changed = false;
    *out = false;
    BT_TRY(is_tampered(approval, &is_changed));
    if (is_changed) {
        return BT_OK; /* whatever it says now */
    }
    BT_TRY(bt_approval_commands(approving->gate->contract->env, approving->gate->arena,
                                approval->payload, &commands, &count, approving->error));
    *out = approval->used < count && bt_str_eq(commands[approval->used], approving->wish->command);
    return BT_OK;
}

static bool is_granted(const struct bt_approval *approval)
{
    return bt_str_eq(approval->status, BT_STR("approved")) &&
           bt_str_eq(approval->grant, BT_STR("active"));
}

/* The oldest grant of the workspace for the command. */
static enum bt_status find_grant(struct approving *approving, bool *out_found)
{
    const struct bt_approval_wish *wish = approving->wish;
    const struct bt_approval_filter filter = {BT_STR("approved"), wish->workspace, wish->owner};
    struct bt_approvals all;
    BT_TRY(bt_approvals_granted(approving->gate, &all, approving->error));
    BT_TRY(select_by_time(approving, &all, &filter, &all));
    for (size_t i = 0; i < all.count && !*out_found; i++) {
        approving->out.approval = all.items[i];
        if (passes(wish->agent_id, all.items[i].agent_id)) {
            BT_TRY(covers(approving, &all.items[i], out_found));
        }
    }
    return BT_OK;
}

/* The request that is meant; *out_found tells whether there is one. */
static enum bt_status find(struct approving *approving, bool *out_found)
{
    struct bt_approvals one;
    *out_found = false;
    if (approving->wish->id.len == 0) {
        return find_grant(approving, out_found);
    }
    BT_TRY(bt_approval_load(approving->gate, approving->wish->id, &one, approving->error));
    if (one.count > 0) {
        BT_TRY(bt_gate_owns(approving->gate, approving->wish->owner, &one.items[0], out_found,
                            approving->error));
    }
    if (*out_found) {
        approving->out.approval = one.items[0];
    }
    return BT_OK;
}

static bool is_self(bt_str actor)
{
    size_t begin = actor.len;
    while (begin > 0 && actor.ptr[begin - 1] != '/') {
        begin--;
    }
    return bt_agent_id_is(bt_str_slice(actor, begin, actor.len));
}

/* Why a grant may not be used for the command, or NULL. */
static enum bt_status judge_use(struct approving *approving, const char **out)
{
    const struct bt_approval_wish *wish = approving->wish;
    const struct bt_approval *approval = &approving->out.approval;
    bool is_changed = false;
    bool is_covered = false;
    BT_TRY(is_tampered(approval, &is_changed));
    BT_TRY(covers(approving, approval, &is_covered));
    const bool fits = is_covered && passes(wish->agent_id, approval->agent_id) &&
                      passes(wish->workspace, approval->workspace);
    *out = !bt_str_eq(approval->status, BT_STR("approved")) ? "APPROVAL_NOT_APPROVED"
           : bt_str_eq(approval->grant, BT_STR("consumed")) ? "APPROVAL_CONSUMED"
           : is_changed                                     ? "APPROVAL_TAMPERED"
           : !fits                                          ? "APPROVAL_MISMATCH"
                                                            : NULL;
    return BT_OK;
}

/* Why a person may not decide so, or NULL. */
static enum bt_status judge_decision(struct approving *approving, const char **out)
{
    const struct bt_approval_wish *wish = approving->wish;
    const struct bt_approval *approval = &approving->out.approval;
    const bool is_pending = bt_str_eq(approval->status, BT_STR("pending"));
    const bool is_consumed = bt_str_eq(approval->grant, BT_STR("consumed"));
    bool is_changed = false;
    BT_TRY(is_tampered(approval, &is_changed));
    is_changed = is_changed || !bt_str_eq(approval->fingerprint, wish->fingerprint);
    if (wish->act == BT_APPROVAL_REVOKE) {
        *out = is_consumed                            ? "APPROVAL_CONSUMED"
               : !is_pending && !is_granted(approval) ? "APPROVAL_NOT_PENDING"
                                                      : NULL;
        return BT_OK;
    }
    *out = !is_pending                                    ? "APPROVAL_NOT_PENDING"
           : wish->act == BT_APPROVAL_GRANT && is_changed ? "APPROVAL_TAMPERED"
                                                          : NULL;
    return BT_OK;
}

static enum bt_status judge(struct approving *approving, const char **out)
{
    const enum bt_approval_act act = approving->wish->act;
    *out = NULL;
    if (act == BT_APPROVAL_SHOW && !approving->wish->to_decide) {
        return BT_OK;
    }
    if (act != BT_APPROVAL_USE && is_self(approving->gate->actor)) {
        *out = "APPROVAL_SELF";
        return BT_OK;
    }
    if (bt_str_eq(approving->out.approval.status, BT_STR("expired"))) {
        *out = "APPROVAL_EXPIRED";
        return BT_OK;
    }
    return act == BT_APPROVAL_USE ? judge_use(approving, out) : judge_decision(approving, out);
}

/* ---- Acting ---------------------------------------------------------------------------------- */

static enum bt_status say(struct approving *approving, const char *code)
{
    struct bt_remark remark;
    bt_remark_begin(&remark, bt_contract_rule(code));
    const bool is_actor = bt_str_eq(bt_str_of(code), BT_STR("APPROVAL_SELF"));
    const bt_str named = is_actor ? approving->gate->actor : approving->wish->id;
    if (named.len > 0) {
        bt_buf_put(&remark.message, remark.finding.rule->meaning);
        bt_buf_put_text(&remark.message, ": ");
        bt_put_quoted(&remark.message, named);
    }
    if (bt_str_ends(bt_str_of(code), BT_STR("_NOT_PENDING")) ||
        bt_str_ends(bt_str_of(code), BT_STR("_NOT_APPROVED"))) {
        bt_emit_member_string(&remark.emit, "status", approving->out.approval.status);
    }
    return bt_remark_end(&remark, approving->findings);
}

static enum bt_status grant(struct approving *approving, struct bt_approval *approval)
{
    const bt_str *commands = NULL;
    size_t count = 0;
    char expires[BT_INSTANT_TEXT_BYTES];
    bt_instant deadline = bt_env_now(approving->gate->contract->env);
    deadline.nanos = 0;
    deadline.seconds += (int64_t)approving->wish->seconds;
    (void)bt_instant_format(deadline, expires);
    BT_TRY(bt_approval_commands(approving->gate->contract->env, approving->gate->arena,
                                approval->payload, &commands, &count, approving->error));
    approval->status = BT_STR("approved");
    approval->grant = BT_STR("active");
    approval->uses = count;
    approval->used = 0;
    return bt_arena_copy(approving->gate->arena, bt_str_of(expires), &approval->grant_expires_at);
}

/* Change the request as the wish says; the word of the event. */
static enum bt_status change(struct approving *approving, const char **out_type)
{
    struct bt_approval *approval = &approving->out.approval;
    bt_str now;
    BT_TRY(bt_arena_copy(approving->gate->arena, bt_str_of(approving->now), &now));
    switch (approving->wish->act) {
    case BT_APPROVAL_SHOW:
        *out_type = "SHOWN";
        return BT_OK;
    case BT_APPROVAL_USE:
        approval->used++;
        approval->grant = approval->used >= approval->uses ? BT_STR("consumed") : approval->grant;
        *out_type = "CONSUMED";
        return BT_OK;
    case BT_APPROVAL_GRANT:
        *out_type = "APPROVED";
        approval->decided_at = now;
        return grant(approving, approval);
    case BT_APPROVAL_DENY:
        *out_type = "REJECTED";
        approval->decided_at = now;
        approval->status = BT_STR("rejected");
        return BT_OK;
    case BT_APPROVAL_REVOKE:
        *out_type = "REVOKED";
        approval->decided_at = now;
        approval->status = BT_STR("revoked");
        approval->grant = approval->grant.len > 0 ? BT_STR("revoked") : approval->grant;
        return BT_OK;
    }
    return bt_fail(approving->error, BT_EINVAL, "there is no such act");
}

static enum bt_status act(struct approving *approving)
{
    const struct bt_gate *gate = approving->gate;
    struct bt_approval_news news = {"REFUSED", gate->actor, BT_STR(""), BT_STR(""), BT_SEQ_ABSENT};
    const char *code = NULL;
    bool is_known = false;
    BT_TRY(find(approving, &is_known));
    if (!is_known) {
        return say(approving, "APPROVAL_UNKNOWN");
    }
    BT_TRY(judge(approving, &code));
    if (code) {
        news.code = bt_str_of(code);
        BT_TRY(say(approving, code));
    } else {
        news.reason = approving->wish->reason;
        BT_TRY(change(approving, &news.type));
    }
    BT_TRY(bt_approval_put(gate, &approving->recording, &approving->out.approval, &news,
                           approving->error));
    return bt_approval_events(gate, approving->out.approval.id, &approving->out.events,
                              &approving->out.event_count, approving->error);
}

/* From the beginning each time; told before the commit, which may keep an answer about it. */
static enum bt_status act_and_tell(struct approving *approving)
{
    approving->findings = bt_findings_new(approving->gate->arena);
    approving->out = (struct bt_approval_answer){0};
    if (!approving->findings) {
        return BT_ENOMEM;
    }
    const enum bt_status status = act(approving);
    BT_TRY(status == BT_OK ? bt_findings_finish(approving->findings, BT_STR("")) : status);
    approving->out.findings = approving->findings;
    *approving->told = approving->out;
    return BT_OK;
}

enum bt_status bt_gate_approve(const struct bt_gate *gate, const struct bt_approval_wish *wish,
                               struct bt_approval_answer *out, struct bt_error *error)
{
    assert(gate);
    assert(wish);
    assert(out);
    struct approving approving = {
        .act = act_and_tell, .gate = gate, .wish = wish, .told = out, .error = error};
    return run(&approving);
}
