/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest_statements.c - statements of others into a log of statements: POST /entries (RFC 9943).
 *
 * policy -> record in the default log -> registration -> receipt
 *
 * The two logs are two stores, and no transaction spans both. So the record comes first: whatever
 * happens then, no statement is registered without the time and the caller being on record. A
 * record without a registration is possible; who sent it got no receipt, and sends it again.
 */
#include "base/clock.h"
#include "engine/submit.h"
#include "ledger/proof_api.h"
#include "ledger/register.h"
#include "serve/rest.h"
#include "serve/server.h"

/* ---- Refusals -------------------------------------------------------------------------------- */

static enum bt_status refuse_statement(struct serve_call *x, const struct bt_statement_fault *fault)
{
    static const enum bt_problem problems[] = {
        [BT_STATEMENT_BAD_ALGORITHM] = BT_PROBLEM_STATEMENT_ALGORITHM,
        [BT_STATEMENT_NO_PAYLOAD] = BT_PROBLEM_STATEMENT_PAYLOAD,
        [BT_STATEMENT_REJECTED] = BT_PROBLEM_STATEMENT_REJECTED,
    };
    x->outcome.detail = bt_str_of(fault->why);
    return serve_call_respond_problem(x, problems[fault->refusal]);
}

/* Refuse what is registered with another signature, and say where. */
static enum bt_status refuse_other(struct serve_call *x, uint64_t seq)
{
    bt_str why;
    BT_TRY(bt_arena_printf(x->arena, &why, "what it signs is entry %llu, with another signature",
                           (unsigned long long)seq));
    x->outcome.detail = why;
    return serve_call_respond_problem(x, BT_PROBLEM_STATEMENT_REJECTED);
}

static enum bt_status fail_store(struct serve_call *x, bool is_unknown)
{
    return serve_call_respond_problem(x, is_unknown ? BT_PROBLEM_OUTCOME_UNKNOWN
                                                    : BT_PROBLEM_STORE_UNAVAILABLE);
}

/* Judge by the policy of the log. BT_STATEMENT_FINE: the statement may be registered. */
static enum bt_status judge_statement(struct serve_call *x,
                                      const struct bt_signed_statement *statement,
                                      struct bt_statement_fault *out)
{
    const struct bt_issuers *issuers = &x->settings->logs.issuers;
    *out = (struct bt_statement_fault){BT_STATEMENT_REJECTED, "its issuer is the log itself"};
    return bt_str_eq(statement->issuer, bt_ledger_origin(x->service->ledger))
               ? BT_OK
               : bt_issuers_judge(issuers, statement, out);
}

/* ---- Registration ---------------------------------------------------------------------------- */

/* Record in the default log who has sent it, and when. False: the response is set. */
static bool record_statement(struct serve_call *x, const struct bt_signed_statement *statement)
{
    struct bt_judgement judged = {.path = BT_STR("<statement>"),
                                  .dialect = BT_DIALECT_RAW,
                                  .verdict = BT_VERDICT_RECORDED,
                                  .findings = bt_findings_new(x->arena),
                                  .facts = BT_STR(""),
                                  .extra_members = BT_STR("")};
    struct bt_ledger_writer *writer = x->gateway->store.writer;
    struct bt_submission item;
    struct bt_error error;
    const struct timespec until =
        bt_clock_deadline(bt_clock_monotonic_ms() + x->settings->keys.record_deadline_ms);
    if (!judged.findings || bt_statement_leaf(x->arena, statement, &judged.source) != BT_OK) {
        (void)serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
        return false;
    }
    bt_submission_init(&item, x->arena, &judged, x->identity.caller.actor, judged.source,
                       judged.source.len);
    item.entry.kind = BT_STR("raw");
    item.entry.dialect = BT_DIALECT_RAW;
    item.entry.source = statement->issuer;
    item.entry.target = bt_ledger_origin(x->service->ledger);
    item.entry.withheld = x->settings->keys.withheld;
    if (!writer || bt_ledger_writer_append(writer, &item, &until, &error) != BT_OK ||
        item.durability != BT_DURABILITY_DURABLE) {
        (void)fail_store(x, writer && item.durability == BT_DURABILITY_UNKNOWN);
        return false;
    }
    serve_call_notify_commit(x);
    return true;
}

/* Respond with the receipt that the statement got when it was registered. */
static enum bt_status respond_receipt(struct serve_call *x, uint64_t seq)
{
    const struct bt_receipt_request request = {
        .seq = seq, .format = BT_RECEIPT_FORMAT_COSE, .is_first = true};
    struct bt_receipt_result made;
    struct bt_error error;
    bt_str location;
    if (bt_ledger_make_receipt(x->service->ledger, x->arena, &request, &made, &error) != BT_OK) {
        return fail_store(x, false);
    }
    BT_TRY(bt_arena_printf(x->arena, &location, "%.*s/entries/%llu", BT_STR_ARG(x->target.prefix),
                           (unsigned long long)seq));
    serve_call_add_header(x, "Location", location);
    serve_call_set_seq(x, seq);
    return serve_call_respond_body(x, BT_HTTP_CREATED, BT_MEDIA_COSE, made.receipt);
}

static enum bt_status register_new(struct serve_call *x, struct bt_registration *registration)
{
    struct bt_ledger *ledger = x->service->ledger;
    struct bt_findings *alarms = bt_findings_new(x->arena);
    struct bt_error error;
    if (!alarms) {
        return BT_ENOMEM;
    }
    if (!record_statement(x, registration->statement)) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_ledger_register(ledger, x->service->env, x->arena, registration, alarms, &error);
    if (status != BT_OK || bt_findings_count(alarms) > 0) {
        return fail_store(x, bt_ledger_commit_is_unknown(ledger));
    }
    return registration->is_other ? refuse_other(x, registration->seq)
                                  : respond_receipt(x, registration->seq);
}

static enum bt_status register_statement(struct serve_call *x)
{
    struct bt_signed_statement statement;
    struct bt_registration registration = {.statement = &statement,
                                           .issuers = &x->settings->logs.issuers};
    struct bt_error error;
    struct bt_statement_fault fault = bt_statement_read(x->request->body, &statement);
    if (!fault.refusal && judge_statement(x, &statement, &fault) != BT_OK) {
        return serve_call_respond_problem(x, BT_PROBLEM_OVERLOADED);
    }
    if (fault.refusal) {
        return refuse_statement(x, &fault);
    }
    if (bt_ledger_find_statement(x->service->ledger, x->arena, &registration, &error) != BT_OK) {
        return fail_store(x, false);
    }
    if (registration.is_other) {
        return refuse_other(x, registration.seq);
    }
    return registration.is_there ? respond_receipt(x, registration.seq)
                                 : register_new(x, &registration);
}

enum bt_status rest_register_statement(struct serve_call *x)
{
    if (bt_ledger_entries(x->service->ledger) > 0) {
        return serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    return serve_list_has_word(x->route->takes, exchange_media_type(x))
               ? register_statement(x)
               : serve_call_respond_problem(x, BT_PROBLEM_UNSUPPORTED_MEDIA_TYPE);
}
