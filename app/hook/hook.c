/* SPDX-License-Identifier: Apache-2.0 */
/* hook.c - event -> decision -> answer. */
#include "hook.h"

#include <assert.h>

#include <baton/json.h>

#include "engine/submit.h"
#include "spending.h"
#include "tool_gate.h"
#include "transcript.h"

enum { ANSWER_BYTES_MAX = 1 << 27 };

/* ---- Answers --------------------------------------------------------------------------------- */

/*
 * If memory runs out even for the answer, the output is empty. Every agent host treats that as a
 * pass, but it is not an acceptance: decisions are in the store.
 */
static bt_str copy_answer(const struct hook *hook, struct bt_buf *buf)
{
    bt_str text = BT_STR("");
    if (bt_buf_copy(buf, hook->arena, &text) != BT_OK) {
        text = BT_STR("");
    }
    bt_buf_free(buf);
    return text;
}

static void answer_with(const struct hook *hook, const char *head, bt_str text,
                        struct hook_answer *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    bt_buf_put_text(&buf, head);
    bt_json_put_string(&buf, text);
    bt_buf_put_text(&buf, "}\n");
    *out = (struct hook_answer){.out = copy_answer(hook, &buf), .err = BT_STR("")};
}

static void answer_pass(const struct hook *hook, struct hook_answer *out)
{
    *out = (struct hook_answer){.out = bt_str_of(hook->host->pass_line), .err = BT_STR("")};
}

static void send_back(const struct hook *hook, bt_str reason, struct hook_answer *out)
{
    if (hook->exits) {
        *out = (struct hook_answer){.out = BT_STR(""), .err = reason, .blocks = true};
        return;
    }
    answer_with(hook, hook->host->retry_prefix, reason, out);
}

/* Pass, and write an error message, of one or more lines, where a person may see it. */
static void pass_and_complain(const struct hook *hook, bt_str text, struct hook_answer *out)
{
    struct bt_buf buf;
    answer_pass(hook, out);
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    bt_buf_put_text(&buf, "baton: ");
    for (size_t from = 0; from <= text.len;) {
        const size_t end = bt_str_find_byte(text, '\n', from);
        bt_buf_put_printable(&buf, bt_str_slice(text, from, end), SIZE_MAX);
        bt_buf_put_char(&buf, '\n');
        from = end + 1;
    }
    out->err = copy_answer(hook, &buf);
}

static void answer_user_message(const struct hook *hook, bt_str text, struct hook_answer *out)
{
    if (hook->host->traits.takes_messages) {
        answer_with(hook, "{\"systemMessage\":", text, out);
    } else {
        pass_and_complain(hook, text, out);
    }
}

void hook_answer_failure(const struct hook *hook, const char *why, struct hook_answer *out)
{
    assert(hook);
    assert(why);
    bt_str text = BT_STR("baton could not judge the end of this turn; it is not accepted");
    if (hook->observes) {
        answer_pass(hook, out);
        return;
    }
    if (bt_arena_printf(hook->arena, &text,
                        "baton could not judge the end of this turn: %s; it is not accepted",
                        why) != BT_OK) {
        assert(text.len > 0); /* the shorter text is used then */
    }
    if (hook->fails_closed) {
        /* our own failures never exit with code 2 */
        answer_with(hook, hook->host->retry_prefix, text, out);
    } else {
        answer_user_message(hook, text, out);
    }
}

static void answer_rejection_limit(const struct hook *hook,
                                   const struct bt_contract_decision *decision,
                                   struct hook_answer *out)
{
    bt_str text;
    if (bt_arena_printf(hook->arena, &text,
                        "CONTRACT_REJECTION_LIMIT: the report of agent %.*s was sent back as often "
                        "as allowed; its result is not accepted, and a person should look",
                        BT_STR_ARG(decision->agent_id)) != BT_OK) {
        hook_answer_failure(hook, bt_status_text(BT_ENOMEM), out);
    } else if (hook->fails_closed && hook->host->traits.takes_messages) {
        answer_with(hook, "{\"continue\":false,\"stopReason\":", text, out);
    } else {
        answer_user_message(hook, text, out);
    }
}

/* Deny the use of a tool. A shorter answer denies it when memory runs out. */
static void deny_tool(const struct hook *hook, bt_str reason, bt_str message,
                      struct hook_answer *out)
{
    const struct agent_host *host = hook->host;
    const bool is_user_first = host->traits.denies_to_user_first;
    struct bt_buf buf;
    pass_and_complain(hook, message, out);
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    bt_buf_put_text(&buf, host->deny);
    bt_json_put_string(&buf, is_user_first ? message : reason);
    if (host->deny_too) {
        out->err = BT_STR("");
        bt_buf_put_text(&buf, host->deny_too);
        bt_json_put_string(&buf, is_user_first ? reason : message);
    }
    bt_buf_put_text(&buf, "}\n");
    out->out = copy_answer(hook, &buf);
    if (out->out.len == 0) {
        out->out = bt_str_of(host->deny_briefly);
    }
}

/*
 * The pinned configuration was changed: the turn must not end normally, whatever the flags are,
 * except that an observing hook never blocks.
 */
static void stop_for_pin(const struct hook *hook, const struct hook_event *event,
                         struct hook_answer *out)
{
    if (hook->observes || (event->kind == HOOK_TOOL && !hook_tool_is_risky(&event->tool))) {
        answer_pass(hook, out);
    } else if (event->kind == HOOK_TOOL) {
        deny_tool(hook, hook->pin_changed, hook->pin_changed, out);
    } else if (event->kind == HOOK_START) {
        answer_user_message(hook, hook->pin_changed, out);
    } else if (hook->host->traits.takes_messages) {
        answer_with(hook, "{\"continue\":false,\"stopReason\":", hook->pin_changed, out);
    } else {
        answer_with(hook, hook->host->retry_prefix, hook->pin_changed, out);
    }
}

/* ---- The end of a turn ----------------------------------------------------------------------- */

static struct bt_contract_input_owner owner_of(const struct hook_event *event, bt_str workspace)
{
    return (struct bt_contract_input_owner){.workspace = workspace,
                                            .session = event->session,
                                            .agent_id = bt_str_of(event->host_id),
                                            .agent_type = event->agent_type};
}

/* Decide the block in one transaction. False: its ledger cannot be written. */
static bool submit_block(const struct hook *hook, struct bt_contract_submission *contract,
                         const struct hook_turn *turn)
{
    const struct bt_contract_state *state = contract->state;
    const struct bt_entry_ref policy = {BT_STR("policy"), hook->policy.sha256};
    struct bt_judgement judged = {.path = contract->document->path,
                                  .dialect = BT_DIALECT_CONTRACT,
                                  .source = contract->document->text};
    const struct bt_deliver deliver = {.ledger = state->ledger,
                                       .env = hook->env,
                                       .arena = state->arena,
                                       .actor = state->actor,
                                       .alarms = state->alarms};
    struct bt_submission submission;
    struct bt_submission *item = &submission;
    struct bt_error error;
    bt_submission_init(item, state->arena, &judged, state->actor, contract->document->text,
                       hook->env->limits.document_bytes);
    submission.mode = hook->observes ? BT_SUBMIT_OBSERVE : BT_SUBMIT_RECORD;
    submission.entry.refs = &policy;
    submission.entry.ref_count = hook->policy.sha256.len > 0 ? 1 : 0;
    submission.entry.policy = hook->policy.text;
    submission.decision = contract;
    submission.hooks = turn->is_on ? &turn->steps : NULL;
    return bt_submit(&deliver, &item, 1, &error) == BT_OK && bt_findings_count(state->alarms) == 0;
}

/* How the block of this event is judged. */
static struct bt_contract_options options_for_event(const struct hook *hook,
                                                    const struct hook_event *event)
{
    struct bt_contract_options options = hook->judging;
    options.runtime_agent_id = bt_str_of(event->host_id);
    options.written_agent_id = event->raw_id;
    options.fills_agent_id = hook->host->traits.reports_id_late;
    return options;
}

/* Put which updates of an accepted report were not written. */
static void put_dropped(struct bt_buf *buf, const struct bt_contract_decision *decision)
{
    enum { NAMES_SHOWN = 20 };
    const struct bt_str_list *names = &decision->dropped;
    bt_buf_put_text(buf, "UPDATE_CONTRACTS_NOT_WRITABLE: agent ");
    bt_buf_put(buf, decision->agent_id);
    bt_buf_put_text(buf, " may not write ");
    for (size_t i = 0; i < names->count && i < NAMES_SHOWN; i++) {
        bt_buf_put_text(buf, i > 0 ? ", " : "");
        bt_buf_put_printable(buf, names->items[i], SIZE_MAX);
    }
    if (names->count > NAMES_SHOWN) {
        bt_buf_printf(buf, " and %zu more", names->count - NAMES_SHOWN);
    }
    bt_buf_put_text(buf, "; these updates were dropped, the rest of its report is accepted");
}

/* Put the request that an accepted report makes, if a person has to decide it. */
static enum bt_status put_announcement(const struct hook *hook,
                                       const struct bt_contract_state *state,
                                       const struct bt_contract_decision *decision,
                                       struct bt_buf *buf)
{
    struct bt_approval approval;
    struct bt_error error;
    if (decision->approval_id.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_approval_get(state, decision->approval_id, &approval, &error));
    return bt_str_eq(approval.status, BT_STR("pending")) ? hook_put_request(buf, hook, &approval)
                                                         : BT_OK;
}

/* Pass, or show a person what the agent asks for and what was not written. */
static void answer_accepted(const struct hook *hook, const struct bt_contract_state *state,
                            const struct bt_contract_decision *decision, struct hook_answer *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    if (put_announcement(hook, state, decision, &buf) != BT_OK) {
        bt_buf_clear(&buf);
        bt_buf_printf(&buf, "agent %.*s asks for your consent: baton approvals show %.*s",
                      BT_STR_ARG(decision->agent_id), BT_STR_ARG(decision->approval_id));
    }
    if (decision->dropped.count > 0) {
        bt_buf_put_text(&buf, buf.len > 0 ? "\n" : "");
        put_dropped(&buf, decision);
    }
    const bt_str text = copy_answer(hook, &buf);
    if (text.len > 0) {
        answer_user_message(hook, text, out);
    } else {
        answer_pass(hook, out);
    }
}

/* Judge the text without a store: for events that a test makes. */
static void check_event(const struct hook *hook, const struct hook_event *event,
                        struct hook_answer *out)
{
    const struct bt_contract_options options = options_for_event(hook, event);
    const struct bt_contract_document document = {BT_STR("<hook>"), event->text, &options};
    const struct bt_contract_attempt attempt = {1, hook->max_rejections};
    struct bt_contract_repair_prompt repaired;
    const enum bt_status status =
        bt_contract_write_repair_prompt(hook->contract, hook->arena, &document, attempt, &repaired);
    if (status != BT_OK) {
        hook_answer_failure(hook, bt_status_text(status), out);
    } else if (hook->observes || repaired.prompt.len == 0) {
        answer_pass(hook, out);
    } else {
        send_back(hook, repaired.prompt, out);
    }
}

/* Decide the report with the store that was opened. */
static void decide_event(const struct hook *hook, const struct hook_event *event,
                         const struct hook_spending *spending, const struct hook_store *place,
                         struct hook_answer *out)
{
    const struct bt_contract_input_owner owner = owner_of(event, place->workspace);
    struct bt_contract_options options = options_for_event(hook, event);
    struct hook_turn turn;
    const struct bt_contract_document document = {BT_STR("<hook>"), event->text, &options};
    struct bt_contract_submission contract = {.state = place->gate,
                                              .document = &document,
                                              .input_owner = hook->judging.input ? NULL : &owner,
                                              .workspace = place->workspace,
                                              .session = event->session,
                                              .max_rejections = hook->max_rejections,
                                              .pending_seconds = hook->pending_seconds};
    enum bt_status status = hook_turn_begin(&turn, hook, event, place, &options);
    status =
        status == BT_OK ? hook_spending_describe(hook, spending, &turn.evidence.usage) : status;
    struct hook_spending_compare compare = {hook, spending, options.compare,
                                            options.compare_context};
    if (spending->is_counted) {
        options.compare = hook_spending_compare;
        options.compare_context = &compare;
        contract.never_sends_back = spending->is_denied && !hook->observes;
    }
    if (status != BT_OK) {
        hook_answer_failure(hook,
                            status == BT_ELIMIT ? "the time for it was over"
                                                : "its transcript cannot be compared",
                            out);
    } else if (!submit_block(hook, &contract, &turn)) {
        hook_answer_failure(hook, "its ledger cannot be written", out);
    } else if (hook->observes) {
        answer_pass(hook, out);
    } else if (contract.out.outcome == BT_CONTRACT_OUTCOME_ACCEPTED) {
        answer_accepted(hook, place->gate, &contract.out, out);
    } else if (contract.out.outcome == BT_CONTRACT_OUTCOME_RETRY) {
        send_back(hook, contract.out.prompt, out);
    } else {
        answer_rejection_limit(hook, &contract.out, out);
    }
    hook_turn_end(&turn);
}

static void judge_event(const struct hook *hook, const struct hook_event *event,
                        struct hook_answer *out)
{
    if (event->is_test) {
        check_event(hook, event, out);
        return;
    }
    struct hook_spending spending;
    hook_spending_count(hook, event, &spending);
    const struct hook_store place = hook->calls.open(hook->calls.context, event, true);
    if (place.gate) {
        decide_event(hook, event, &spending, &place, out);
    } else {
        hook_answer_failure(hook, place.why, out);
    }
}

/* ---- The start of an agent ------------------------------------------------------------------- */

static void put_briefing(const struct hook *hook, struct bt_buf *buf,
                         const struct hook_event *event, bt_str input)
{
    struct bt_contract_template wanted = {.agent_id = bt_str_of(event->host_id),
                                          .fills_agent_id = hook->host->traits.reports_id_late};
    struct bt_contract_input read;
    struct bt_error error;
    if (input.len > 0 &&
        bt_contract_input_read(hook->contract, hook->arena, input, &read, &error) == BT_OK) {
        wanted.consolidation_required = read.consolidation_required;
    }
    bt_contract_put_guide(buf, &wanted);
    if (input.len > 0) {
        bt_buf_put_text(buf, "\nYour INPUT:\n");
        bt_buf_put(buf, input);
        bt_buf_put_char(buf, '\n');
    }
}

/*
 * Mark the agent as resumed, if it has reported before. `place` is open for reading, so that only
 * an event of an agent that reported before takes the lock of its store. A failure costs no more
 * than a warning about its next report.
 */
static void resume_agent(const struct hook *hook, const struct hook_event *event,
                         const struct hook_store *place)
{
    const struct bt_contract_agent_filter filter = {.workspace = place->workspace,
                                                    .session = event->session,
                                                    .agent_id = bt_str_of(event->host_id)};
    struct bt_contract_agent_list agents = {0};
    struct bt_error error;
    uint64_t resumed = 0;
    if (hook->observes || !place->gate || filter.agent_id.len == 0 ||
        bt_contract_agents_list(place->gate, &filter, &agents, &error) != BT_OK ||
        agents.count == 0 || agents.items[0].is_resumed) {
        return;
    }
    const struct hook_store writing = hook->calls.open(hook->calls.context, event, true);
    if (writing.gate &&
        bt_contract_agents_resume(writing.gate, &filter, &resumed, &error) != BT_OK) {
        assert(resumed == 0);
    }
}

/*
 * The INPUT of an agent that starts, or "". It is optional, so a failure to load it is ignored. The
 * first event creates a store that was named, so that a start shows whether that works.
 */
static bt_str starting_input(const struct hook *hook, const struct hook_event *event)
{
    bt_str input = BT_STR("");
    struct bt_error error;
    if (event->is_test) {
        return hook->judging.input ? hook->input_text : input;
    }
    const struct hook_store place = hook->calls.open(hook->calls.context, event, false);
    const struct bt_contract_input_owner owner = owner_of(event, place.workspace);
    if (!hook->judging.input && place.gate &&
        bt_contract_input_load(place.gate, &owner, &input, &error) != BT_OK) {
        input = BT_STR("");
    }
    resume_agent(hook, event, &place);
    return hook->judging.input ? hook->input_text : input;
}

/* Put how much the agent may spend. */
static void put_budget(const struct hook *hook, struct bt_buf *buf,
                       const struct bt_config_limit *limit)
{
    char cost[BT_MICROS_TEXT_BYTES];
    if (limit->tokens > 0) {
        bt_buf_printf(buf, "\nYou may spend %llu tokens.\n", (unsigned long long)limit->tokens);
    }
    if (limit->cost > 0) {
        bt_buf_printf(buf, "\nYou may spend %.*s %.*s.\n",
                      BT_STR_ARG(bt_micros_write(limit->cost, cost)),
                      BT_STR_ARG(hook->transcripts.budget->currency));
    }
}

static void put_start(const struct hook *hook, const struct hook_event *event, bt_str input,
                      const struct bt_config_limit *limit, bt_str note, struct hook_answer *out)
{
    const bool is_plain = hook->host->traits.takes_plain_context;
    struct bt_buf text;
    struct bt_buf answer;
    *out = (struct hook_answer){.out = BT_STR(""), .err = BT_STR("")};
    bt_buf_init(&text, ANSWER_BYTES_MAX);
    put_briefing(hook, &text, event, input);
    put_budget(hook, &text, limit);
    bt_buf_init(&answer, ANSWER_BYTES_MAX);
    bt_buf_put_char(&answer, '{');
    if (is_plain && note.len > 0) {
        pass_and_complain(hook, note, out); /* the note goes to standard error */
    } else if (note.len > 0) {
        bt_buf_put_text(&answer, "\"systemMessage\":");
        bt_json_put_string(&answer, note);
        bt_buf_put_char(&answer, ',');
    }
    bt_buf_put_text(&answer, is_plain ? "\"additionalContext\":"
                                      : "\"hookSpecificOutput\":{\"hookEventName\":"
                                        "\"SubagentStart\",\"additionalContext\":");
    bt_json_put_string(&answer, bt_buf_str(&text));
    bt_buf_put_text(&answer, is_plain ? "}\n" : "}}\n");
    bt_buf_free(&text);
    out->out = copy_answer(hook, &answer);
}

static void answer_start(const struct hook *hook, const struct hook_event *event,
                         struct hook_answer *out)
{
    const bool knows_id = event->host_id[0] != '\0';
    const bool is_briefed =
        !hook->observes && (hook->host->traits.takes_plain_context ||
                            (hook->host->traits.takes_start_context && knows_id));
    const bt_str input = starting_input(hook, event);
    bt_str note = hook->calls.note && !hook->observes ? hook->calls.note(hook->calls.context, event)
                                                      : BT_STR("");
    struct hook_spending spending;
    bt_str reason;
    bt_str message;
    hook_spending_count(hook, event, &spending);
    if (spending.is_denied && !hook->observes && note.len == 0 &&
        hook_spending_texts(hook, event, &spending, &reason, &message) == BT_OK) {
        note = message;
    }
    if (is_briefed) {
        put_start(hook, event, input, &spending.agent.limit, note, out);
    } else if (note.len == 0) {
        answer_pass(hook, out);
    } else if (hook->host->traits.takes_start_context) {
        answer_user_message(hook, note, out);
    } else {
        pass_and_complain(hook, note, out);
    }
}

/* ---- The use of a tool ----------------------------------------------------------------------- */

/* A failure of Baton, as at the end of a turn: the tool is used, unless it fails closed. */
static void fail_tool(const struct hook *hook, const char *why, struct hook_answer *out)
{
    bt_str text = BT_STR("baton could not judge the use of this tool");
    if (bt_arena_printf(hook->arena, &text, "baton could not judge the use of this tool: %s",
                        why) != BT_OK) {
        assert(text.len > 0); /* the shorter text is used then */
    }
    if (hook->fails_closed) {
        deny_tool(hook, text, text, out);
    } else {
        answer_user_message(hook, text, out);
    }
}

/* Say that most of a budget is used; the tool is used. */
static void answer_low(const struct hook *hook, bt_str message, struct hook_answer *out)
{
    struct bt_buf buf;
    if (!hook->host->traits.takes_start_context || !hook->host->traits.takes_messages) {
        answer_user_message(hook, message, out);
        return;
    }
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    bt_buf_put_text(&buf, "{\"systemMessage\":");
    bt_json_put_string(&buf, message);
    bt_buf_put_text(&buf, ",\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\","
                          "\"additionalContext\":");
    bt_json_put_string(&buf, message);
    bt_buf_put_text(&buf, "}}\n");
    *out = (struct hook_answer){.out = copy_answer(hook, &buf), .err = BT_STR("")};
}

/* Compare what the agent has spent with its limits. True when that is the answer. */
static bool answer_spending(const struct hook *hook, const struct hook_event *event,
                            struct hook_spending *spending, struct hook_answer *out)
{
    const bool has_limit = spending->agent.has_limit || spending->session.has_limit;
    bt_str reason = BT_STR("BUDGET_SPENT: a budget is spent; end your turn now");
    bt_str message = reason;
    if (spending->is_unread && hook->fails_closed && (has_limit || !spending->is_counted)) {
        fail_tool(hook, "what this agent has spent cannot be read", out);
        return true;
    }
    if (spending->is_denied &&
        hook_spending_texts(hook, event, spending, &reason, &message) != BT_OK) {
        message = reason; /* the shorter text is used then */
    }
    if (spending->is_denied) {
        deny_tool(hook, reason, message, out);
    }
    return spending->is_denied;
}

/* The call passes the gate: say what is new about its budget, or nothing. */
static void answer_passed(const struct hook *hook, const struct hook_event *event,
                          const struct hook_spending *spending, struct hook_answer *out)
{
    bt_str reason;
    bt_str message;
    if (spending->is_low &&
        hook_spending_texts(hook, event, spending, &reason, &message) == BT_OK) {
        answer_low(hook, message, out);
    } else {
        answer_pass(hook, out);
    }
}

static void answer_tool(const struct hook *hook, const struct hook_event *event,
                        struct hook_answer *out)
{
    const bt_str short_of_memory = BT_STR("the gate has no memory left to judge this call");
    struct hook_spending spending = {.is_counted = false};
    struct bt_gate_verdict verdict;
    struct hook_gate_reply reply;
    if (!hook->unusable && event->host_id[0] != '\0') { /* the agent works on */
        const struct hook_store place = hook->calls.open(hook->calls.context, event, false);
        resume_agent(hook, event, &place);
        hook_transcript_advance(hook, event, &place);
    }
    if (hook->unusable) {
        fail_tool(hook, hook->unusable, out);
        return;
    }
    if (hook_gate_decide(hook, event, &verdict) != BT_OK) {
        deny_tool(hook, short_of_memory, short_of_memory, out);
        return;
    }
    /* What no grant permits is denied before a spent budget; a grant is looked up after it. */
    if (verdict.decision != BT_GATE_DENIED) {
        hook_spending_count(hook, event, &spending);
    }
    if (answer_spending(hook, event, &spending, out)) {
        return;
    }
    if (hook_gate_answer(hook, event, &verdict, &reply) != BT_OK) {
        deny_tool(hook, short_of_memory, short_of_memory, out);
    } else if (reply.denies) {
        deny_tool(hook, reply.reason, reply.message, out);
    } else {
        answer_passed(hook, event, &spending, out);
    }
}

void hook_answer_denial(const struct hook *hook, const struct hook_gate_reply *reply,
                        struct hook_answer *out)
{
    deny_tool(hook, reply->reason, reply->message, out);
}

/* ---- One event ------------------------------------------------------------------------------- */

/*
 * The caller represents other agents: nothing is judged, and nothing about the agent is revealed.
 */
static void refuse_caller(const struct hook *hook, const struct hook_event *event,
                          struct hook_answer *out)
{
    const bt_str why = BT_STR("AGENT_BINDING_MISMATCH: the token of this hook represents other "
                              "agents: use the token of the agent");
    if (event->kind == HOOK_START) {
        answer_pass(hook, out);
        return;
    }
    if (event->kind == HOOK_TOOL) {
        deny_tool(hook, why, why, out);
        return;
    }
    answer_user_message(
        hook,
        BT_STR("AGENT_BINDING_MISMATCH: the token of this hook represents other agents; the "
               "end of this turn is not accepted: use the token of the agent"),
        out);
}

/* True when agents of this type are not judged. */
static bool is_spared(const struct hook *hook, bt_str agent_type)
{
    const bt_str list = bt_str_of(hook->agents);
    for (size_t from = 0; hook->agents && from <= list.len;) {
        const size_t end = bt_str_find_byte(list, ',', from);
        if (bt_str_eq(bt_str_slice(list, from, end), agent_type)) {
            return false;
        }
        from = end + 1;
    }
    return hook->agents != NULL;
}

void hook_run(const struct hook *hook, bt_str input, struct hook_answer *out)
{
    assert(hook);
    assert(hook->host);
    assert(out);
    const struct hook_event_source source = {hook->host, hook->event};
    struct hook_event event;
    if (hook_event_read(hook->env, hook->arena, input, &source, &event) != BT_OK) {
        hook_answer_failure(hook, "standard input is not a JSON object", out);
    } else if (event.kind == HOOK_OTHER) {
        answer_pass(hook, out);
    } else if (hook->calls.represents_agent &&
               !hook->calls.represents_agent(hook->calls.context, &event)) {
        refuse_caller(hook, &event, out);
    } else if (is_spared(hook, event.agent_type)) {
        answer_pass(hook, out);
    } else if (event.kind == HOOK_TOOL && hook->observes) {
        struct hook_spending spending;
        hook_spending_count(hook, &event, &spending);
        answer_pass(hook, out);
    } else if (hook->pin_changed.len > 0) {
        stop_for_pin(hook, &event, out);
    } else if (event.kind == HOOK_START) {
        answer_start(hook, &event, out);
    } else if (event.kind == HOOK_TOOL) {
        answer_tool(hook, &event, out);
    } else if (hook->unusable) {
        hook_answer_failure(hook, hook->unusable, out);
    } else if (!event.has_text &&
               (hook->is_remote || hook_event_transcript(hook->env, hook->arena, &event) != BT_OK ||
                !event.has_text)) {
        hook_answer_failure(hook, "the host delivered no text", out);
    } else {
        judge_event(hook, &event, out);
    }
}
