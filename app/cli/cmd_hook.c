/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_hook.c - baton hook HOST
 *
 * Exit 2 means "block" to several hosts. So whatever goes wrong is answered in the host's words
 * with exit 0, and a bad command line is 1.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <baton/file.h>
#include <baton/json.h>

#include "commands.h"
#include "gate_run.h"
#include "hook_event.h"
#include "say.h"
#include "workspace.h"

enum { ANSWER_BYTES_MAX = 1 << 24, HOOK_MISUSED = 1 };

static cli_run_fn run;

/* clang-format off */
static const struct cli_flag flag_observe = {"observe", 0, NULL, CLI_ANY,
    "judge and record, change nothing, and always let the turn end", NULL};
static const struct cli_flag flag_fail_closed = {"fail-closed", 0, NULL, CLI_ANY,
    "send the turn back when it could not be judged", NULL};
static const struct cli_flag flag_exit2 = {"exit2", 0, NULL, CLI_ANY,
    "claude, gemini: send back with exit 2 and the prompt on standard error", NULL};
static const struct cli_flag flag_agents = {"agents", 0, "LIST", CLI_ANY,
    "only agents of these types, with commas", NULL};

static const struct cli_flag *const flags[] = {
    &flag_observe, &flag_fail_closed, &flag_exit2, &flag_agents, &flag_input, &flag_store,
    &flag_workspace, &flag_max_rejections, &flag_now, &flag_seed, &flag_help, NULL,
};
/* clang-format on */

static const struct cli_example examples[] = {
    {"baton hook claude --store .baton/store.db", "as the command of a SubagentStop hook"},
    {NULL, NULL},
};

const struct cli_command cmd_hook = {
    .name = "baton hook",
    .operands = "HOST",
    .summary = "answer the hooks of an agent host",
    .about = "HOST is claude, codex, copilot, cursor or gemini. Reads the event from standard "
             "input, decides as baton contract submit does, and answers in the host's words. A "
             "failure lets the turn end and tells the user, unless --fail-closed is given.\n",
    .missing = "name the host: claude, codex, copilot, cursor or gemini",
    .operands_min = 1,
    .operands_max = 1,
    .flags = flags,
    .examples = examples,
    .misused = HOOK_MISUSED,
    .run = run,
};

/* How a host is spoken to. */
struct host {
    const char *name;
    const char *actor;
    const char *observer;
    const char *pass; /* a line, or "" for none */
    const char *back; /* the answer up to its text */
    bool hears;       /* systemMessage, continue */
    bool starts;      /* takes context at the start of an agent */
    bool exits;       /* knows exit 2 */
    bool summarises;  /* `summary` is the text */
};

static const struct host hosts[] = {
    {"claude", "hook/claude", "hook/claude/observe", "",
     "{\"decision\":\"block\",\"reason\":", true, true, true, false},
    {"codex", "hook/codex", "hook/codex/observe", "{}\n",
     "{\"decision\":\"block\",\"reason\":", true, true, false, false},
    {"copilot", "hook/copilot", "hook/copilot/observe", "{}\n",
     "{\"decision\":\"block\",\"reason\":", false, false, false, false},
    {"cursor", "hook/cursor", "hook/cursor/observe", "{}\n", "{\"followup_message\":", false, false,
     false, true},
    {"gemini", "hook/gemini", "hook/gemini/observe", "{}\n",
     "{\"decision\":\"deny\",\"reason\":", true, false, true, false},
};

struct hook {
    const struct host *host;
    const struct cli_options *options;
    bool observes;
    bool fails_closed;
    struct gate_run run;
    struct hook_event event;
};

/* ---- Answers --------------------------------------------------------------------------------- */

static int print(const char *head, bt_str text)
{
    struct bt_buf buf;
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    bt_buf_put_text(&buf, head);
    bt_json_put_string(&buf, text);
    bt_buf_put_text(&buf, "}\n");
    (void)cli_print_buf(&buf);
    return CLI_DONE;
}

static int pass(const struct hook *hook)
{
    (void)cli_print(bt_str_of(hook->host->pass));
    return CLI_DONE;
}

static int send_back(const struct hook *hook, bt_str reason)
{
    if (cli_given(hook->options, &flag_exit2)) {
        (void)cli_write(STDERR_FILENO, reason);
        return CLI_FAILED;
    }
    return print(hook->host->back, reason);
}

static int tell_user(const struct hook *hook, bt_str text)
{
    if (hook->host->hears) {
        return print("{\"systemMessage\":", text);
    }
    cli_complain("%.*s", BT_STR_ARG(text));
    return pass(hook);
}

/* Baton could not judge. That is no acceptance: nothing was stored. */
static int fail(const struct hook *hook, const char *why)
{
    struct bt_buf text;
    if (hook->observes) {
        return pass(hook);
    }
    bt_buf_init(&text, ANSWER_BYTES_MAX);
    bt_buf_printf(&text, "baton could not judge the end of this turn: %s; it is not accepted", why);
    const int code = hook->fails_closed ? print(hook->host->back, bt_buf_str(&text))
                                        : tell_user(hook, bt_buf_str(&text));
    bt_buf_free(&text);
    return code;
}

static int escalate(struct hook *hook, const struct bt_decision *decision)
{
    bt_str text;
    if (bt_arena_printf(&hook->run.contract.arena, &text,
                        "CONTRACT_REJECTION_LIMIT: the report of agent %.*s was sent back as often "
                        "as allowed; its result is not accepted, and a person should look",
                        BT_STR_ARG(decision->agent_id)) != BT_OK) {
        return fail(hook, bt_status_text(BT_ENOMEM));
    }
    return hook->fails_closed && hook->host->hears
               ? print("{\"continue\":false,\"stopReason\":", text)
               : tell_user(hook, text);
}

/* ---- The end of a turn ----------------------------------------------------------------------- */

static bool open_store(struct hook *hook, enum gate_access access)
{
    const char *store = getenv("BATON_STORE");
    const bool is_named = cli_given(hook->options, &flag_store) || (store && store[0] != '\0');
    /* The usual store is that of the event's folder. */
    if (!is_named && hook->event.folder.len > 0 && chdir(hook->event.folder.ptr) != 0) {
        return false;
    }
    if (!gate_run_open(&hook->run, access)) {
        return false;
    }
    hook->run.gate.actor = bt_str_of(hook->observes ? hook->host->observer : hook->host->actor);
    return true;
}

static enum bt_status take_names(struct hook *hook, struct bt_input_owner *owner)
{
    const char *workspace = cli_given(hook->options, &flag_workspace);
    struct bt_arena *arena = &hook->run.contract.arena;
    BT_TRY(bt_arena_copy(arena, hook->event.folder, &hook->event.folder)); /* ends with a NUL */
    *owner = (struct bt_input_owner){.workspace = bt_str_of(workspace),
                                     .session = hook->event.session,
                                     .agent_id = bt_str_of(hook->event.host_id),
                                     .agent_type = hook->event.agent_type};
    return workspace
               ? BT_OK
               : cli_workspace(arena, hook->event.folder.len > 0 ? hook->event.folder.ptr : NULL,
                               &owner->workspace);
}

/* The INPUT that is kept for the agent, unless one was given. */
static enum bt_status take_input(struct hook *hook, const struct bt_input_owner *owner)
{
    struct contract_run *contract = &hook->run.contract;
    bt_str text;
    if (contract->flags.options.input) {
        return BT_OK;
    }
    BT_TRY(bt_gate_input_get(&hook->run.gate, owner, &text, &hook->run.ledger.error));
    if (text.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_contract_input_read(contract->contract, &contract->arena, text,
                                  &contract->flags.input, &hook->run.ledger.error));
    contract->flags.options.input = &contract->flags.input;
    return BT_OK;
}

static int judge(struct hook *hook, const struct bt_input_owner *owner)
{
    const struct bt_contract_document document = {BT_STR("<hook>"), hook->event.text,
                                                  &hook->run.contract.flags.options};
    struct bt_submission submission = {.document = &document,
                                       .workspace = owner->workspace,
                                       .session = owner->session,
                                       .max_rejections = CONTRACT_REJECTIONS_MAX,
                                       .mode = hook->observes ? BT_GATE_OBSERVE : BT_GATE_DECIDE};
    struct bt_decision decision;
    hook->run.contract.flags.options.host_id = bt_str_of(hook->event.host_id);
    if (!contract_run_number(&hook->run.contract, &flag_max_rejections,
                             &submission.max_rejections)) {
        return HOOK_MISUSED;
    }
    if (!open_store(hook, GATE_MAKE)) {
        return fail(hook, "its store cannot be used");
    }
    if (take_input(hook, owner) != BT_OK) {
        return fail(hook, "the INPUT that is kept for the agent cannot be used");
    }
    const enum bt_status status =
        bt_gate_submit(&hook->run.gate, &submission, &decision, &hook->run.ledger.error);
    if (status != BT_OK || bt_findings_count(hook->run.ledger.alarms) > 0) {
        return fail(hook, "its ledger cannot be written");
    }
    return hook->observes || decision.outcome == BT_GATE_ACCEPTED ? pass(hook)
           : decision.outcome == BT_GATE_SENT_BACK                ? send_back(hook, decision.prompt)
                                                                  : escalate(hook, &decision);
}

/* ---- The start of an agent ------------------------------------------------------------------- */

static int brief(struct hook *hook, const struct bt_input_owner *owner)
{
    struct bt_contract_template wanted = {.agent_id = owner->agent_id};
    bt_str input = BT_STR("");
    struct bt_buf text;
    if (!hook->host->starts || owner->agent_id.len == 0) {
        return pass(hook);
    }
    if (open_store(hook, GATE_READ) &&
        bt_gate_input_get(&hook->run.gate, owner, &input, &hook->run.ledger.error) != BT_OK) {
        input = BT_STR("");
    }
    bt_buf_init(&text, ANSWER_BYTES_MAX);
    bt_buf_printf(&text,
                  "Your agent_id is %.*s. End your turn with one fenced block called "
                  "agent_contract_handoff, as strict JSON, like this one filled in:\n\n",
                  BT_STR_ARG(owner->agent_id));
    bt_contract_put_block(&text, &wanted);
    if (input.len > 0) {
        bt_buf_put_text(&text, "\nYour INPUT:\n");
        bt_buf_put(&text, input);
        bt_buf_put_char(&text, '\n');
    }
    struct bt_buf answer;
    bt_buf_init(&answer, ANSWER_BYTES_MAX);
    bt_buf_put_text(&answer, "{\"hookSpecificOutput\":{\"hookEventName\":\"SubagentStart\","
                             "\"additionalContext\":");
    bt_json_put_string(&answer, bt_buf_str(&text));
    bt_buf_put_text(&answer, "}}\n");
    bt_buf_free(&text);
    (void)cli_print_buf(&answer);
    return CLI_DONE;
}

/* ---- One event ------------------------------------------------------------------------------- */

/* Whether --agents leaves agents of this type alone. */
static bool is_spared(const struct hook *hook)
{
    const char *given = cli_given(hook->options, &flag_agents);
    const bt_str list = bt_str_of(given);
    for (size_t from = 0; given && from <= list.len;) {
        const size_t end = bt_str_find(list, ',', from);
        if (bt_str_eq(bt_str_slice(list, from, end), hook->event.agent_type)) {
            return false;
        }
        from = end + 1;
    }
    return given != NULL;
}

static int answer(struct hook *hook)
{
    struct contract_run *contract = &hook->run.contract;
    struct bt_input_owner owner;
    bt_str input;
    if (bt_fd_read(&contract->arena, STDIN_FILENO, contract->env.limits.document_bytes, &input,
                   NULL) != BT_OK ||
        hook_event_read(&contract->env, &contract->arena, input, hook->host->summarises,
                        &hook->event) != BT_OK) {
        return fail(hook, "standard input is no JSON object");
    }
    if (hook->event.kind == HOOK_OTHER || is_spared(hook)) {
        return pass(hook);
    }
    if (hook->event.kind == HOOK_STOP && !hook->event.has_text &&
        (hook_event_transcript(&contract->env, &contract->arena, &hook->event) != BT_OK ||
         !hook->event.has_text)) {
        return fail(hook, "the host delivered no text");
    }
    if (take_names(hook, &owner) != BT_OK) {
        return fail(hook, bt_status_text(BT_ENOMEM));
    }
    return hook->event.kind == HOOK_START ? brief(hook, &owner) : judge(hook, &owner);
}

static int run(const struct cli_options *options)
{
    struct hook hook = {.options = options,
                        .observes = cli_given(options, &flag_observe) != NULL,
                        .fails_closed = cli_given(options, &flag_fail_closed) != NULL};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        hook.host = strcmp(hosts[i].name, options->operands[0]) == 0 ? &hosts[i] : hook.host;
    }
    if (!hook.host || (hook.observes && hook.fails_closed) ||
        (cli_given(options, &flag_exit2) && !hook.host->exits)) {
        (void)cli_misused(options->command, "%s",
                          !hook.host ? "the host is claude, codex, copilot, cursor or gemini"
                                     : "these flags do not go together with this host");
        return HOOK_MISUSED;
    }
    const bool ready = gate_run_begin(&hook.run, options);
    return gate_run_end(&hook.run, ready ? answer(&hook) : fail(&hook, "the INPUT is unusable"));
}
