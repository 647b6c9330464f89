/* SPDX-License-Identifier: Apache-2.0 */
/* spending.c - count what an agent has spent at its events, and compare it with its limits. */
#include "spending.h"

#include <assert.h>

#include "base/micros.h"
#include "tool_gate.h"
#include "transcript.h"

/* ---- Limits ---------------------------------------------------------------------------------- */

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

/* The limit that an INPUT narrows to; 0 where it says nothing. */
static struct bt_config_limit limit_of_input(const struct hook *hook, bt_str input)
{
    static const bt_str places[] = {BT_STR_INIT("/agent_contract_handoff/budget"),
                                    BT_STR_INIT("/investigation_brief/budget")};
    struct bt_config_limit limit = {0};
    struct bt_json_read_result read = {0};
    /* from: store */
    if (input.len == 0 || bt_json_read(hook->arena, input, NULL, &read) != BT_OK ||
        !read.document) {
        return limit;
    }
    for (size_t i = 0; i < BT_COUNT_OF(places); i++) {
        const bt_json_value *budget =
            bt_json_resolve(read.document, bt_json_root(read.document), places[i]);
        const bt_json_value *tokens =
            budget ? bt_json_get(read.document, budget, BT_STR("tokens")) : NULL;
        const bt_json_value *cost =
            budget ? bt_json_get(read.document, budget, BT_STR("cost")) : NULL;
        uint64_t micros = 0;
        if (tokens && bt_json_type(tokens) == BT_JSON_INTEGER && tokens->as.integer > 0) {
            limit.tokens = smaller_of(limit.tokens, (uint64_t)tokens->as.integer);
        }
        if (cost && bt_json_type(cost) == BT_JSON_STRING &&
            bt_micros_parse(bt_json_text(cost), &micros) == BT_OK) {
            limit.cost = smaller_of(limit.cost, micros);
        }
    }
    return limit;
}

/* The limits in force: those that a person has set, else those of the configuration and INPUT. */
static enum bt_status find_limits(const struct hook *hook, const struct hook_event *event,
                                  const struct bt_contract_state *state,
                                  const struct bt_evidence_key *key, bt_str input,
                                  struct bt_config_limit out[2], struct bt_error *error)
{
    const struct bt_evidence_key session = {key->workspace, key->session, BT_STR_INIT("")};
    const struct bt_config_limit narrow = limit_of_input(hook, input);
    out[0] = bt_budget_limit_of(hook->transcripts.budget, event->agent_type);
    out[0].tokens = smaller_of(out[0].tokens, narrow.tokens);
    out[0].cost = smaller_of(out[0].cost, narrow.cost);
    out[1] = hook->transcripts.budget->session;
    BT_TRY(bt_spending_load_limit(state->ledger, hook->arena, key, &out[0], error));
    return bt_spending_load_limit(state->ledger, hook->arena, &session, &out[1], error);
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Read the transcript on, and count it. */
static enum bt_status read_on(struct bt_evidence_follow *follow, struct bt_spending *spending)
{
    struct bt_transcript_event event;
    do {
        BT_TRY(bt_evidence_follow_next(follow, &event));
        BT_TRY(event.kind == BT_TRANSCRIPT_END ? BT_OK : bt_spending_add(spending, follow, &event));
    } while (event.kind != BT_TRANSCRIPT_END);
    return BT_OK;
}

/* What all agents of the session spent; `own` replaces what is kept of the agent itself. */
static enum bt_status add_session(const struct hook *hook, const struct bt_contract_state *state,
                                  const struct bt_evidence_key *key,
                                  const struct bt_usage_agent *own, struct bt_budget_used *out,
                                  struct bt_error *error)
{
    const struct bt_evidence_key filter = {key->workspace, key->session, BT_STR_INIT("")};
    struct bt_spending_list agents;
    BT_TRY(bt_spending_list(state->ledger, hook->arena, &filter, &agents, error));
    bt_budget_add_usage(hook->transcripts.budget, own, out);
    for (size_t i = 0; i < agents.count; i++) {
        if (!bt_str_eq(agents.items[i].agent_id, key->agent_id)) {
            bt_budget_add_usage(hook->transcripts.budget, &agents.items[i].usage, out);
        }
    }
    return BT_OK;
}

/* Words of the column `told`: what was said about which limit. */
static bool has_word(bt_str notices, bt_str word)
{
    for (size_t from = 0; from <= notices.len;) {
        const size_t end = bt_str_find_byte(notices, ' ', from);
        if (bt_str_eq(bt_str_slice(notices, from, end), word)) {
            return true;
        }
        from = end + 1;
    }
    return false;
}

/* Note what is told about a share. True when it was not told before. */
static bool note_share(const struct hook *hook, const struct bt_budget_share *share,
                       bt_str *notices)
{
    bt_str word;
    bt_str longer;
    if (bt_arena_printf(hook->arena, &word, "%.*s:%s",
                        BT_STR_ARG(bt_budget_state_name(share->state)),
                        share->scope == BT_BUDGET_SESSION ? "session" : "agent") != BT_OK ||
        has_word(*notices, word) ||
        bt_arena_printf(hook->arena, &longer, "%.*s%s%.*s", BT_STR_ARG(*notices),
                        notices->len > 0 ? " " : "", BT_STR_ARG(word)) != BT_OK) {
        return false;
    }
    *notices = longer;
    return true;
}

/* Compare with both limits, and choose what is said at the use of a tool (`is_reported`), once.
 * True when it is said for the first time. */
static bool choose_share(const struct hook *hook, bool is_reported, struct hook_spending *out,
                         bt_str *notices)
{
    const struct bt_budget_share *shares[] = {&out->agent, &out->session};
    bool is_new = false;
    for (size_t i = 0; i < 2 && !out->is_denied; i++) {
        if (shares[i]->state == BT_BUDGET_SPENT) {
            out->is_denied = true;
            out->share = shares[i];
            is_new = is_reported && note_share(hook, shares[i], notices);
        }
    }
    for (size_t i = 0; is_reported && i < 2 && !out->is_denied && !out->is_low; i++) {
        if (shares[i]->state == BT_BUDGET_LOW && note_share(hook, shares[i], notices)) {
            out->is_low = is_new = true;
            out->share = shares[i];
        }
    }
    return is_new;
}

/* An event whose usage is counted. */
struct spending_event {
    const struct hook *hook;
    const struct hook_event *event;
    struct hook_store place;
    struct bt_evidence_source source;
    struct bt_evidence_key key;
    bt_str input;
};

/* Whether the host names a transcript for this event. That of another machine is not read. */
static bool names_transcript(const struct spending_event *at)
{
    return at->source.path.len > 0 ||
           (at->hook->is_remote && at->hook->host->traits.has_transcripts &&
            (at->event->agent_transcript.len > 0 || at->event->session_transcript.len > 0));
}

/* Keep what was counted and told, and record a denial that is new. */
static enum bt_status keep_count(const struct spending_event *at, struct bt_evidence_follow *follow,
                                 const struct bt_evidence_kept *kept,
                                 const struct bt_spending_denial *denial)
{
    struct bt_evidence_kept after;
    struct bt_error error;
    const enum bt_status status = bt_evidence_follow_keep(follow, false, &after);
    if (status == BT_ENOENT) { /* nothing was read now: keep what was told */
        after = *kept;
        after.is_there = kept->is_there || follow->spent.notices.len > 0;
        after.spent.notices = follow->spent.notices;
    } else {
        BT_TRY(status);
    }
    return bt_evidence_kept_is_equal(kept, &after)
               ? BT_OK
               : bt_spending_keep(at->place.gate, &at->key, kept, &after, denial, &error);
}

static enum bt_status count_follow(struct spending_event *at, struct bt_evidence_follow *follow,
                                   const struct bt_evidence_kept *kept, struct hook_spending *out)
{
    const struct hook *hook = at->hook;
    const struct bt_contract_state *state = at->place.gate;
    struct bt_spending spending;
    struct bt_config_limit limits[2];
    struct bt_budget_used used = {.unpriced = BT_STR("")};
    struct bt_budget_used sum = {.unpriced = BT_STR("")};
    struct bt_error error;
    enum bt_status status = bt_spending_begin(&spending, hook->arena, hook->env, &follow->spent);
    spending.parent = at->event->session_transcript;
    status = status == BT_OK ? read_on(follow, &spending) : status;
    status = status == BT_OK ? bt_spending_write(&spending, &follow->spent) : status;
    bt_spending_free(&spending);
    BT_TRY(status);
    const struct bt_usage_agent *own = &spending.usage.agents.items[0];
    out->is_unread = follow->reading < BT_EVIDENCE_READING_PARTIAL && names_transcript(at);
    bt_budget_add_usage(hook->transcripts.budget, own, &used);
    used.is_unknown = used.is_unknown || follow->reading < BT_EVIDENCE_READING_PARTIAL;
    BT_TRY(add_session(hook, state, &at->key, own, &sum, &error));
    BT_TRY(find_limits(hook, at->event, state, &at->key, at->input, limits, &error));
    out->agent = bt_budget_compare(hook->transcripts.budget, BT_BUDGET_AGENT, &used, limits[0]);
    out->session = bt_budget_compare(hook->transcripts.budget, BT_BUDGET_SESSION, &sum, limits[1]);
    out->is_counted = true;
    const bool is_reported = at->event->kind == HOOK_TOOL && !hook->observes;
    const bool is_new = choose_share(hook, is_reported, out, &follow->spent.notices);
    const struct bt_spending_denial denial = {hook->transcripts.budget,
                                              is_new && out->is_denied ? out->share : NULL};
    return keep_count(at, follow, kept, &denial);
}

/* The INPUT of the agent, or "". */
static bt_str load_input(const struct hook *hook, const struct hook_event *event,
                         const struct hook_store *place)
{
    const struct bt_contract_input_owner owner = {.workspace = place->workspace,
                                                  .session = event->session,
                                                  .agent_id = bt_str_of(event->host_id),
                                                  .agent_type = event->agent_type};
    struct bt_error error;
    bt_str input = BT_STR("");
    if (hook->judging.input) {
        return hook->input_text;
    }
    return bt_contract_input_load(place->gate, &owner, &input, &error) == BT_OK ? input
                                                                                : BT_STR("");
}

void hook_spending_count(const struct hook *hook, const struct hook_event *event,
                         struct hook_spending *out)
{
    static const struct hook_gate_reply not_judged = {.denies = false};
    struct spending_event at = {.hook = hook, .event = event, .input = BT_STR("")};
    struct hook_event opened = *event;
    struct bt_evidence_follow follow;
    struct bt_evidence_kept kept;
    struct bt_error error;
    *out = (struct hook_spending){.is_counted = false};
    if (!hook->transcripts.budget || event->is_test ||
        hook_transcript_find(hook, event, &at.source) != BT_OK) {
        return;
    }
    opened.if_late = event->kind == HOOK_TOOL ? &not_judged : NULL;
    at.place = hook->calls.open(hook->calls.context, &opened, true);
    if (!at.place.gate) {
        out->is_unread = bt_budget_has_limit(hook->transcripts.budget);
        return;
    }
    at.key = hook_transcript_key(event, at.place.workspace);
    at.input = load_input(hook, event, &at.place);
    bt_evidence_follow_init(&follow, hook->env, &at.source);
    enum bt_status status =
        bt_evidence_kept_load(at.place.gate->ledger, hook->arena, &at.key, &kept, &error);
    status = status == BT_OK ? bt_evidence_follow_open(&follow, &kept) : status;
    status = status == BT_OK ? count_follow(&at, &follow, &kept, out) : status;
    if (status != BT_OK) {
        out->is_unread = bt_budget_has_limit(hook->transcripts.budget);
    }
    bt_evidence_follow_free(&follow);
}

/* ---- Reports --------------------------------------------------------------------------------- */

enum bt_status hook_spending_compare(void *context, const struct bt_contract_view *view,
                                     bt_str *out_facts)
{
    const struct hook_spending_compare *compare = context;
    const struct bt_budget_report report = {view->findings, BT_DIALECT_CONTRACT, BT_SEVERITY_WARN,
                                            compare->hook->transcripts.budget};
    *out_facts = BT_STR("");
    if (compare->inner) {
        BT_TRY(compare->inner(compare->inner_context, view, out_facts));
    }
    BT_TRY(bt_budget_add_finding(&report, &compare->spending->agent,
                                 compare->spending->is_unread ? BT_BUDGET_UNKNOWN_REASON_UNREADABLE
                                                              : BT_BUDGET_UNKNOWN_REASON_NONE));
    return bt_budget_add_finding(&report, &compare->spending->session,
                                 BT_BUDGET_UNKNOWN_REASON_UNCERTAIN);
}

enum bt_status hook_spending_describe(const struct hook *hook, const struct hook_spending *spending,
                                      struct bt_evidence_usage *out)
{
    char cost[BT_MICROS_TEXT_BYTES];
    const struct bt_budget_used *used = &spending->agent.used;
    *out = (struct bt_evidence_usage){.cost = BT_STR(""), .currency = BT_STR("")};
    if (!spending->is_counted || used->is_unknown) {
        return BT_OK;
    }
    out->has_tokens = true;
    out->tokens = used->tokens;
    if (used->unpriced.len > 0) {
        return BT_OK;
    }
    out->currency = hook->transcripts.budget->currency;
    return bt_arena_copy(hook->arena, bt_budget_write_cost(used->cost, cost), &out->cost);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

enum bt_status hook_spending_texts(const struct hook *hook, const struct hook_event *event,
                                   const struct hook_spending *spending, bt_str *out_reason,
                                   bt_str *out_message)
{
    const struct bt_budget_share *share = spending->share;
    const bool is_session = share->scope == BT_BUDGET_SESSION;
    const char *whose = is_session ? "session" : "agent";
    const bt_str id = event->host_id[0] ? bt_str_of(event->host_id) : BT_STR("-");
    bt_str text;
    BT_TRY(bt_budget_write_share(hook->arena, hook->transcripts.budget, share, &text));
    if (share->state == BT_BUDGET_LOW) {
        BT_TRY(bt_arena_printf(hook->arena, out_message,
                               "BUDGET_LOW: %llu percent of the %s's budget is used: %.*s; finish "
                               "soon",
                               (unsigned long long)share->percent, whose, BT_STR_ARG(text)));
        *out_reason = *out_message;
        return BT_OK;
    }
    BT_TRY(bt_arena_printf(hook->arena, out_reason,
                           "BUDGET_SPENT: the budget of the %s is spent: %.*s. Call no further "
                           "tool. End your turn now: with plan_status COMPLETE if the work is "
                           "verified, else with BLOCKED and what is left in open_gaps.",
                           whose, BT_STR_ARG(text)));
    return bt_arena_printf(hook->arena, out_message,
                           "BUDGET_SPENT: the budget of %s %.*s is spent: %.*s; its calls are "
                           "denied. Raise it: baton budget set --session %.*s%s%.*s --%s N "
                           "--actor NAME",
                           whose, BT_STR_ARG(is_session ? event->session : id), BT_STR_ARG(text),
                           BT_STR_ARG(event->session), is_session ? "" : " --agent ",
                           BT_STR_ARG(is_session ? BT_STR("") : id),
                           share->is_cost ? "cost" : "tokens");
}
