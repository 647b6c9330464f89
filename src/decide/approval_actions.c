/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval_actions.c - approval requests listed, shown, decided and used; every refusal is
 * recorded.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/str.h"
#include "decide/contract_decide.h"
#include "report/rules.h"

struct approval_action_state {
    enum bt_status (*act)(
        struct approval_action_state *approving); /* within the transaction; may be called again */
    const struct bt_contract_state *gate;
    const struct bt_approval_filter *filter; /* of a list ... */
    struct bt_approval_list listed;
    const struct bt_approval_action_options *options; /* ... or the action */
    struct bt_ledger_transaction recording;
    char now[BT_INSTANT_TEXT_BYTES];
    struct bt_findings *findings;
    struct bt_approval_result out;
    struct bt_approval_result *out_result; /* for the caller */
    struct bt_error *error;
};

/* Expire overdue requests, then run the action. */
static enum bt_status expire_and_run(struct bt_ledger_transaction *recording, void *context,
                                     struct bt_error *error)
{
    struct approval_action_state *approving = context;
    BT_TRY(bt_approval_list_expire(approving->gate, recording, error));
    return approving->act(approving);
}

static enum bt_status run_transaction(struct approval_action_state *approving)
{
    const struct bt_contract_state *gate = approving->gate;
    approving->recording = (struct bt_ledger_transaction){
        .ledger = gate->ledger, .env = gate->contract->env, .arena = gate->arena};
    bt_contract_transaction_time(gate, approving->now);
    return bt_ledger_transaction_run(&approving->recording, expire_and_run, approving, gate->alarms,
                                     approving->error);
}

static int compare_requests(const void *a, const void *b)
{
    const struct bt_approval *one = a;
    const struct bt_approval *other = b;
    const int by_time = bt_str_compare(one->requested_at, other->requested_at);
    return by_time != 0 ? by_time : bt_str_compare(one->id, other->id);
}

static bool is_filter_match(bt_str wanted, bt_str text)
{
    return wanted.len == 0 || bt_str_eq(wanted, text);
}

/* The matching requests, by time. */
static enum bt_status select_by_time(const struct approval_action_state *approving,
                                     const struct bt_approval_list *all,
                                     const struct bt_approval_filter *filter,
                                     struct bt_approval_list *out)
{
    const struct bt_contract_state *gate = approving->gate;
    size_t count = 0;
    struct bt_approval *items = BT_NEW_ARRAY(gate->arena, struct bt_approval, all->count + 1);
    if (!items) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < all->count; i++) {
        bool is_own = is_filter_match(filter->status, all->items[i].status) &&
                      is_filter_match(filter->workspace, all->items[i].workspace);
        if (is_own) {
            BT_TRY(bt_contract_state_owns(gate, filter->owner, &all->items[i], &is_own,
                                          approving->error));
        }
        if (is_own) {
            items[count++] = all->items[i];
        }
    }
    qsort(items, count, sizeof(*items), compare_requests);
    *out = (struct bt_approval_list){items, count};
    return BT_OK;
}

/* An expired request is shown as expired, even where that cannot be recorded. */
static enum bt_status mark_over(const struct bt_contract_state *gate, struct bt_approval_list *all)
{
    struct bt_approval *items = BT_NEW_ARRAY(gate->arena, struct bt_approval, all->count + 1);
    char now[BT_INSTANT_TEXT_BYTES];
    if (!items) {
        return BT_ENOMEM;
    }
    bt_contract_transaction_time(gate, now);
    for (size_t i = 0; i < all->count; i++) {
        items[i] = all->items[i];
        if (bt_str_eq(items[i].status, BT_STR("pending")) &&
            bt_approval_is_closed(&items[i], bt_str_of(now))) {
            items[i].status = BT_STR("expired");
        }
    }
    all->items = items;
    return BT_OK;
}

static enum bt_status list_approvals(struct approval_action_state *approving)
{
    struct bt_approval_list all;
    BT_TRY(bt_approval_list_load(approving->gate, &all, approving->error));
    BT_TRY(mark_over(approving->gate, &all));
    return select_by_time(approving, &all, approving->filter, &approving->listed);
}

enum bt_status bt_approvals_list(const struct bt_contract_state *gate,
                                 const struct bt_approval_filter *filter,
                                 struct bt_approval_list *out, struct bt_error *error)
{
    assert(gate);
    assert(filter);
    assert(out);
    struct approval_action_state approving = {
        .act = list_approvals, .gate = gate, .filter = filter, .error = error};
    BT_TRY(gate->ledger->is_writing ? run_transaction(&approving) : list_approvals(&approving));
    if (bt_findings_count(gate->alarms) == 0) {
        *out = approving.listed;
    }
    return BT_OK;
}

enum bt_status bt_approval_get(const struct bt_contract_state *gate, bt_str id,
                               struct bt_approval *out, struct bt_error *error)
{
    assert(gate);
    assert(out);
    char now[BT_INSTANT_TEXT_BYTES];
    struct bt_approval_list found = {0};
    bt_contract_transaction_time(gate, now);
    BT_TRY(bt_approval_load(gate, id, &found, error));
    if (found.count == 0) {
        return bt_error_set(error, BT_ENOENT, "the request does not exist");
    }
    *out = found.items[0];
    if (bt_str_eq(out->status, BT_STR("pending")) && bt_approval_is_closed(out, bt_str_of(now))) {
        out->status = BT_STR("expired");
    }
    return BT_OK;
}

static enum bt_status is_tampered(const struct bt_approval *approval, bool *out)
{
    char digest[BT_SHA256_HEX_BYTES];
    BT_TRY(bt_sha256_hex(approval->payload, digest));
    *out = !bt_str_eq(bt_str_of(digest), approval->fingerprint);
    return BT_OK;
}

enum bt_status bt_approval_covers_next(const struct bt_contract_state *gate,
                                       const struct bt_approval *approval, bt_str command,
                                       bool *out, struct bt_error *error)
{
    const bt_str *commands = NULL;
    size_t count = 0;
    bool is_changed = false;
    *out = false;
    BT_TRY(is_tampered(approval, &is_changed));
    if (is_changed) {
        return BT_OK; /* whatever its state is now */
    }
    BT_TRY(bt_approval_commands(gate->contract->env, gate->arena, approval->payload, &commands,
                                &count, error));
    *out = approval->used < count && bt_str_eq(commands[approval->used], command);
    return BT_OK;
}

static enum bt_status check_next_command(struct approval_action_state *approving,
                                         const struct bt_approval *approval, bool *out)
{
    return bt_approval_covers_next(approving->gate, approval, approving->options->command, out,
                                   approving->error);
}

static bool is_granted(const struct bt_approval *approval)
{
    return bt_str_eq(approval->status, BT_STR("approved")) &&
           bt_str_eq(approval->grant, BT_STR("active"));
}

/* The oldest grant of the workspace for the command. */
static enum bt_status find_grant(struct approval_action_state *approving, bool *out_found)
{
    const struct bt_approval_action_options *options = approving->options;
    const struct bt_approval_filter filter = {BT_STR("approved"), options->workspace,
                                              options->owner};
    struct bt_approval_list all;
    BT_TRY(bt_approval_list_granted(approving->gate, &all, approving->error));
    BT_TRY(select_by_time(approving, &all, &filter, &all));
    for (size_t i = 0; i < all.count && !*out_found; i++) {
        approving->out.approval = all.items[i];
        bool is_agent = options->agent_id.len == 0;
        if (!is_agent) {
            BT_TRY(bt_contract_names_agent(options->agent_id, all.items[i].agent_id, &is_agent));
        }
        if (is_agent) {
            BT_TRY(check_next_command(approving, &all.items[i], out_found));
        }
    }
    return BT_OK;
}

/* The request in question; *out_found: there is one. */
static enum bt_status find_approval(struct approval_action_state *approving, bool *out_found)
{
    struct bt_approval_list one;
    *out_found = false;
    if (approving->options->id.len == 0) {
        return find_grant(approving, out_found);
    }
    BT_TRY(bt_approval_load(approving->gate, approving->options->id, &one, approving->error));
    if (one.count > 0) {
        BT_TRY(bt_contract_state_owns(approving->gate, approving->options->owner, &one.items[0],
                                      out_found, approving->error));
    }
    if (*out_found) {
        approving->out.approval = one.items[0];
    }
    return BT_OK;
}

/* The name without the prefix of people. */
static bt_str without_user(bt_str name)
{
    const bt_str prefix = BT_STR("user:");
    return bt_str_starts_with(name, prefix) ? bt_str_slice(name, prefix.len, name.len) : name;
}

enum bt_status bt_contract_actor_is_agent(bt_str actor, bt_str agent_id, bool *out)
{
    const bt_str last = bt_str_after_last(actor, '/');
    *out = bt_agent_id_is_valid(last);
    if (!*out) {
        BT_TRY(bt_contract_names_agent(without_user(actor), agent_id, out));
    }
    return *out ? BT_OK : bt_contract_names_agent(without_user(last), agent_id, out);
}

/* Why a grant may not be used for the command, or BT_CODE_NONE. */
static enum bt_status judge_use(struct approval_action_state *approving, enum bt_code *out)
{
    const struct bt_approval_action_options *options = approving->options;
    const struct bt_approval *approval = &approving->out.approval;
    bool is_changed = false;
    bool is_covered = false;
    BT_TRY(is_tampered(approval, &is_changed));
    BT_TRY(check_next_command(approving, approval, &is_covered));
    bool is_agent = options->agent_id.len == 0;
    if (!is_agent) {
        BT_TRY(bt_contract_names_agent(options->agent_id, approval->agent_id, &is_agent));
    }
    const bool fits =
        is_covered && is_agent && is_filter_match(options->workspace, approval->workspace);
    *out = !bt_str_eq(approval->status, BT_STR("approved")) ? BT_CODE_APPROVAL_NOT_APPROVED
           : bt_str_eq(approval->grant, BT_STR("consumed")) ? BT_CODE_APPROVAL_CONSUMED
           : is_changed                                     ? BT_CODE_APPROVAL_TAMPERED
           : !fits                                          ? BT_CODE_APPROVAL_MISMATCH
                                                            : BT_CODE_NONE;
    return BT_OK;
}

/* Why a person may not make this decision, or BT_CODE_NONE. */
static enum bt_status judge_decision(struct approval_action_state *approving, enum bt_code *out)
{
    const struct bt_approval_action_options *options = approving->options;
    const struct bt_approval *approval = &approving->out.approval;
    const bool is_pending = bt_str_eq(approval->status, BT_STR("pending"));
    const bool is_consumed = bt_str_eq(approval->grant, BT_STR("consumed"));
    bool is_changed = false;
    BT_TRY(is_tampered(approval, &is_changed));
    is_changed = is_changed || !bt_str_eq(approval->fingerprint, options->fingerprint);
    if (options->act == BT_APPROVAL_ACTION_REVOKE) {
        *out = is_consumed                            ? BT_CODE_APPROVAL_CONSUMED
               : !is_pending && !is_granted(approval) ? BT_CODE_APPROVAL_NOT_PENDING
                                                      : BT_CODE_NONE;
        return BT_OK;
    }
    *out = !is_pending                                              ? BT_CODE_APPROVAL_NOT_PENDING
           : options->act == BT_APPROVAL_ACTION_GRANT && is_changed ? BT_CODE_APPROVAL_TAMPERED
                                                                    : BT_CODE_NONE;
    return BT_OK;
}

static enum bt_status check_action(struct approval_action_state *approving, enum bt_code *out)
{
    const enum bt_approval_action act = approving->options->act;
    bool is_own = false;
    *out = BT_CODE_NONE;
    if (act == BT_APPROVAL_ACTION_SHOW && !approving->options->to_decide) {
        return BT_OK;
    }
    if (act != BT_APPROVAL_ACTION_USE) {
        BT_TRY(bt_contract_actor_is_agent(approving->gate->actor, approving->out.approval.agent_id,
                                          &is_own));
    }
    if (is_own) {
        *out = BT_CODE_APPROVAL_SELF;
        return BT_OK;
    }
    if (bt_str_eq(approving->out.approval.status, BT_STR("expired"))) {
        *out = BT_CODE_APPROVAL_EXPIRED;
        return BT_OK;
    }
    return act == BT_APPROVAL_ACTION_USE ? judge_use(approving, out)
                                         : judge_decision(approving, out);
}

typedef enum bt_status approval_add_fn(struct bt_findings *findings, struct bt_location at,
                                       bt_str named);
typedef enum bt_status approval_add_status_fn(struct bt_findings *findings, struct bt_location at,
                                              bt_str id, bt_str status);

static enum bt_status add_approval_finding(struct approval_action_state *approving,
                                           enum bt_code code)
{
    static const struct {
        enum bt_code code;
        approval_add_fn *add;
        approval_add_status_fn *add_with_status;
    } rows[] = {
        {BT_CODE_APPROVAL_SELF, bt_add_approval_self, NULL},
        {BT_CODE_APPROVAL_EXPIRED, bt_add_approval_expired, NULL},
        {BT_CODE_APPROVAL_CONSUMED, bt_add_approval_consumed, NULL},
        {BT_CODE_APPROVAL_TAMPERED, bt_add_approval_tampered_action, NULL},
        {BT_CODE_APPROVAL_MISMATCH, bt_add_approval_mismatch, NULL},
        {BT_CODE_APPROVAL_UNKNOWN, bt_add_approval_unknown, NULL},
        {BT_CODE_APPROVAL_NOT_PENDING, NULL, bt_add_approval_not_pending},
        {BT_CODE_APPROVAL_NOT_APPROVED, NULL, bt_add_approval_not_approved},
    };
    const bt_str about =
        code == BT_CODE_APPROVAL_SELF ? approving->gate->actor : approving->options->id;
    const bt_str named = about.len > 0 ? about : BT_STR_ABSENT;
    const struct bt_location at = bt_location_whole();
    size_t i = 0;
    while (rows[i].code != code) { /* ends, because every code above is in the table */
        i++;
        assert(i < sizeof(rows) / sizeof(rows[0]));
    }
    return rows[i].add ? rows[i].add(approving->findings, at, named)
                       : rows[i].add_with_status(approving->findings, at, named,
                                                 approving->out.approval.status);
}

static enum bt_status grant_approval(struct approval_action_state *approving,
                                     struct bt_approval *approval)
{
    const bt_str *commands = NULL;
    size_t count = 0;
    char expires[BT_INSTANT_TEXT_BYTES];
    bt_instant deadline =
        bt_instant_after(bt_env_now(approving->gate->contract->env), approving->options->seconds);
    deadline.nanos = 0;
    (void)bt_instant_format(deadline, expires);
    BT_TRY(bt_approval_commands(approving->gate->contract->env, approving->gate->arena,
                                approval->payload, &commands, &count, approving->error));
    approval->status = BT_STR("approved");
    approval->grant = BT_STR("active");
    approval->uses = count;
    approval->used = 0;
    return bt_arena_copy(approving->gate->arena, bt_str_of(expires), &approval->grant_expires_at);
}

/* Change the request as the action says; returns the word of the event. */
static enum bt_status change_approval(struct approval_action_state *approving,
                                      const char **out_type)
{
    struct bt_approval *approval = &approving->out.approval;
    bt_str now;
    BT_TRY(bt_arena_copy(approving->gate->arena, bt_str_of(approving->now), &now));
    switch (approving->options->act) {
    case BT_APPROVAL_ACTION_SHOW:
        *out_type = "SHOWN";
        return BT_OK;
    case BT_APPROVAL_ACTION_USE:
        approval->used++;
        approval->grant = approval->used >= approval->uses ? BT_STR("consumed") : approval->grant;
        *out_type = "CONSUMED";
        return BT_OK;
    case BT_APPROVAL_ACTION_GRANT:
        *out_type = "APPROVED";
        approval->decided_at = now;
        return grant_approval(approving, approval);
    case BT_APPROVAL_ACTION_DENY:
        *out_type = "REJECTED";
        approval->decided_at = now;
        approval->status = BT_STR("rejected");
        return BT_OK;
    case BT_APPROVAL_ACTION_REVOKE:
        *out_type = "REVOKED";
        approval->decided_at = now;
        approval->status = BT_STR("revoked");
        approval->grant = approval->grant.len > 0 ? BT_STR("revoked") : approval->grant;
        return BT_OK;
    }
    return bt_error_set(approving->error, BT_EINVAL, "unknown action");
}

static bool is_decision(enum bt_approval_action act)
{
    return act != BT_APPROVAL_ACTION_SHOW && act != BT_APPROVAL_ACTION_USE;
}

static enum bt_status run_action(struct approval_action_state *approving)
{
    const struct bt_contract_state *gate = approving->gate;
    struct bt_approval_change news = {.type = "REFUSED",
                                      .actor = gate->actor,
                                      .code = BT_STR(""),
                                      .reason = BT_STR(""),
                                      .parent = BT_SEQ_ABSENT};
    enum bt_code code = BT_CODE_NONE;
    bool is_known = false;
    BT_TRY(find_approval(approving, &is_known));
    if (!is_known) {
        return add_approval_finding(approving, BT_CODE_APPROVAL_UNKNOWN);
    }
    BT_TRY(check_action(approving, &code));
    if (code) {
        news.code = bt_rule_of_dialect(code, BT_DIALECT_CONTRACT)->code;
        BT_TRY(add_approval_finding(approving, code));
    } else {
        news.reason = approving->options->reason;
        BT_TRY(change_approval(approving, &news.type));
    }
    BT_TRY(bt_approval_save(gate, &approving->recording, &approving->out.approval, &news,
                            approving->error));
    if (!code && is_decision(approving->options->act)) {
        BT_TRY(bt_approval_resume_agent(gate, &approving->out.approval, approving->error));
    }
    return bt_approval_events(gate, approving->out.approval.id, &approving->out.events,
                              &approving->out.event_count, approving->error);
}

/* Runs from the beginning each time; the result is copied before the commit, which may store a
 * response about it. */
static enum bt_status run_action_and_copy_result(struct approval_action_state *approving)
{
    approving->findings = bt_findings_new(approving->gate->arena);
    approving->out = (struct bt_approval_result){0};
    if (!approving->findings) {
        return BT_ENOMEM;
    }
    const enum bt_status status = run_action(approving);
    BT_TRY(status == BT_OK ? bt_findings_finish(approving->findings, BT_STR("")) : status);
    approving->out.findings = approving->findings;
    *approving->out_result = approving->out;
    return BT_OK;
}

enum bt_status bt_approval_run_action(const struct bt_contract_state *gate,
                                      const struct bt_approval_action_options *options,
                                      struct bt_approval_result *out, struct bt_error *error)
{
    assert(gate);
    assert(options);
    assert(out);
    struct approval_action_state approving = {.act = run_action_and_copy_result,
                                              .gate = gate,
                                              .options = options,
                                              .out_result = out,
                                              .error = error};
    return run_transaction(&approving);
}
