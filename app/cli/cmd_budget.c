/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_budget.c - baton budget */
#include "evidence/spending.h"

#include "base/buf.h"
#include "base/file.h"
#include "cli.h"
#include "contract_run.h"
#include "json/emit.h"
#include "output.h"
#include "report/table.h"
#include "run.h"

enum { OUTPUT_BYTES_MAX = 1 << 30, TEXT_BYTES_MAX = 1 << 30 };

/* ---- Transcripts ----------------------------------------------------------------------------- */

/* Count what a transcript has. False after an error message. */
static bool count_file(struct cli_run *run, struct bt_usage *usage, bt_str path, bool is_parent,
                       bool *out_has_more)
{
    struct bt_transcript_reader *reader = NULL;
    if (!cli_run_open_transcript(run, path, &reader)) {
        return false;
    }
    const enum bt_status status =
        is_parent ? bt_usage_read_parent(usage, reader) : bt_usage_read(usage, reader);
    const struct bt_transcript_state *state = bt_transcript_state(reader);
    const bool is_known = state->format != BT_TRANSCRIPT_FORMAT_NONE;
    *out_has_more =
        state->format == BT_TRANSCRIPT_CLAUDE && bt_str_eq(state->own_agent, BT_STR("-"));
    bt_transcript_close(reader);
    if (!is_known) {
        cli_print_error("%.*s: not a transcript of Claude Code or Codex", BT_STR_ARG(path));
    }
    return cli_is_ok(status) && is_known;
}

/* Count the subagents of a session, whose files lie beside it. False after an error message. */
static bool count_subagents(struct cli_run *run, struct bt_usage *usage, bt_str path)
{
    const bt_str suffix = BT_STR(".jsonl");
    const bt_str stem =
        bt_str_slice(path, 0, bt_str_ends_with(path, suffix) ? path.len - suffix.len : 0);
    struct bt_dir *dir = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    bt_str folder;
    bool has_more = false;
    if (!cli_is_ok(bt_arena_printf(usage->arena, &folder, "%.*s/subagents", BT_STR_ARG(stem)))) {
        return false;
    }
    if (stem.len == 0 || bt_dir_open(folder, &dir, NULL) != BT_OK) {
        return true; /* it has none */
    }
    bool is_done = cli_is_ok(bt_dir_list(dir, usage->arena, &names, &count, &run->error));
    bt_dir_close(dir);
    for (size_t i = 0; is_done && i < count; i++) {
        bt_str file;
        if (bt_str_starts_with(names[i], BT_STR("agent-")) && bt_str_ends_with(names[i], suffix)) {
            is_done = cli_is_ok(bt_arena_printf(usage->arena, &file, "%.*s/%.*s",
                                                BT_STR_ARG(folder), BT_STR_ARG(names[i]))) &&
                      count_file(run, usage, file, false, &has_more);
        }
    }
    return is_done;
}

bool cli_run_count_usage(struct cli_run *run, bt_str path, struct bt_usage *usage)
{
    bool has_more = false;
    return count_file(run, usage, path, false, &has_more) &&
           (!has_more || count_subagents(run, usage, path));
}

/* ---- What was spent -------------------------------------------------------------------------- */

/* One agent, and what it spent of its limit. */
struct budget_item {
    bt_str session; /* "": of a transcript */
    const struct bt_usage_agent *agent;
    struct bt_budget_share share;
};

struct budget_shown {
    struct cli_run *run;
    struct bt_arena arena; /* of the usage */
    struct bt_budget_rules rules;
    struct bt_usage usage;
    BT_VEC(struct budget_item) items;
    struct bt_budget_share session;
    struct bt_findings *findings;
};

static bool is_spent(const struct budget_shown *shown)
{
    bool is = shown->session.state == BT_BUDGET_SPENT;
    for (size_t i = 0; i < shown->items.count; i++) {
        is = is || shown->items.items[i].share.state == BT_BUDGET_SPENT;
    }
    return is;
}

/* What findings about the budget are made. */
static struct bt_budget_report report_of(const struct budget_shown *shown)
{
    return (struct bt_budget_report){shown->findings, BT_DIALECT_NONE, BT_SEVERITY_HARD,
                                     &shown->rules};
}

/* Show an agent beside its limit, unless another one was asked for. */
static enum bt_status add_item(struct budget_shown *shown, bt_str session,
                               const struct bt_usage_agent *agent,
                               const struct bt_budget_used *used, struct bt_config_limit limit)
{
    const char *wanted = cli_given(shown->run->options, &flag_budget_agent);
    const struct bt_budget_report report = report_of(shown);
    if (wanted && !bt_str_eq(agent->agent, bt_str_of(wanted))) {
        return BT_OK;
    }
    const struct budget_item item = {
        session, agent, bt_budget_compare(&shown->rules, BT_BUDGET_AGENT, used, limit)};
    BT_TRY(bt_vec_push(&shown->arena, &shown->items, item));
    return bt_budget_add_finding(&report, &item.share,
                                 agent->is_uncertain ? BT_BUDGET_UNKNOWN_REASON_UNCERTAIN
                                                     : BT_BUDGET_UNKNOWN_REASON_NONE);
}

/* Show the sum of all agents beside the limit of their session. */
static enum bt_status finish_items(struct budget_shown *shown, const struct bt_budget_used *sum,
                                   struct bt_config_limit limit)
{
    const struct bt_budget_report report = report_of(shown);
    shown->session = bt_budget_compare(&shown->rules, BT_BUDGET_SESSION, sum, limit);
    BT_TRY(bt_budget_add_finding(&report, &shown->session, BT_BUDGET_UNKNOWN_REASON_UNCERTAIN));
    return bt_findings_finish(shown->findings, BT_STR(""));
}

/* Compare every agent and their sum with the limits. */
static enum bt_status compare_all(struct budget_shown *shown)
{
    struct bt_budget_used sum = {.unpriced = BT_STR("")};
    for (size_t i = 0; i < shown->usage.agents.count; i++) {
        const struct bt_usage_agent *agent = &shown->usage.agents.items[i];
        struct bt_budget_used used = {.unpriced = BT_STR("")};
        bt_budget_add_usage(&shown->rules, agent, &used);
        bt_budget_add_usage(&shown->rules, agent, &sum);
        BT_TRY(add_item(shown, BT_STR(""), agent, &used, shown->rules.agent));
    }
    return finish_items(shown, &sum, shown->rules.session);
}

/* Count all transcripts that were given. False after an error message. */
static bool count_files(struct budget_shown *shown)
{
    const struct cli_options *options = shown->run->options;
    const char *parent = cli_given(options, &flag_budget_parent);
    const char *path = cli_given(options, &flag_budget_transcript);
    bool has_more = false;
    if (!path) {
        return cli_refuse_usage(options, "count which usage? give --transcript FILE");
    }
    bool is_done =
        !parent || count_file(shown->run, &shown->usage, bt_str_of(parent), true, &has_more);
    for (size_t i = 0;
         is_done && (path = cli_given_at(options, &flag_budget_transcript, i)) != NULL; i++) {
        is_done = cli_run_count_usage(shown->run, bt_str_of(path), &shown->usage);
    }
    return is_done;
}

/* ---- Stores ---------------------------------------------------------------------------------- */

/* What a store has of a workspace. */
struct budget_stored {
    struct bt_evidence_key key; /* session "": all of them */
    struct bt_spending_list agents;
    struct bt_spending_limits limits;
};

static enum bt_status load_stored(struct budget_shown *shown, struct budget_stored *out)
{
    struct cli_run *run = shown->run;
    BT_TRY(bt_spending_list(run->ledger, &shown->arena, &out->key, &out->agents, &run->error));
    return bt_spending_list_limits(run->ledger, &shown->arena, &out->key, &out->limits,
                                   &run->error);
}

/* The limit that was set for an agent or, with the id "", for a session; NULL: none. */
static const struct bt_config_limit *find_set(const struct budget_stored *stored, bt_str session,
                                              bt_str agent_id)
{
    for (size_t i = 0; i < stored->limits.count; i++) {
        const struct bt_spending_limit *set = &stored->limits.items[i];
        if (bt_str_eq(set->session, session) && bt_str_eq(set->agent_id, agent_id)) {
            return &set->limit;
        }
    }
    return NULL;
}

static bool has_counted(const struct budget_stored *stored, const struct bt_spending_limit *set)
{
    for (size_t i = 0; i < stored->agents.count; i++) {
        const struct bt_spending_agent *agent = &stored->agents.items[i];
        if (bt_str_eq(agent->session, set->session) && bt_str_eq(agent->agent_id, set->agent_id)) {
            return true;
        }
    }
    return false;
}

/* The only session that the store knows of; "": there are several, which have no common limit. */
static bt_str only_session(const struct budget_stored *stored)
{
    bt_str found = stored->key.session;
    for (size_t i = 0; i < stored->agents.count + stored->limits.count; i++) {
        const bt_str session = i < stored->agents.count
                                   ? stored->agents.items[i].session
                                   : stored->limits.items[i - stored->agents.count].session;
        if (found.len > 0 && !bt_str_eq(found, session)) {
            return BT_STR("");
        }
        found = session;
    }
    return found;
}

/* Show limits that were set for agents whose usage was never counted. */
static enum bt_status add_uncounted(struct budget_shown *shown, const struct budget_stored *stored)
{
    const struct bt_budget_used used = {.unpriced = BT_STR(""), .is_unknown = true};
    for (size_t i = 0; i < stored->limits.count; i++) {
        const struct bt_spending_limit *set = &stored->limits.items[i];
        if (set->agent_id.len == 0 || has_counted(stored, set)) {
            continue;
        }
        struct bt_usage_agent *agent = BT_NEW(&shown->arena, struct bt_usage_agent);
        BT_TRY(agent ? BT_OK : BT_ENOMEM);
        *agent = (struct bt_usage_agent){.agent = set->agent_id};
        BT_TRY(add_item(shown, set->session, agent, &used, set->limit));
    }
    return BT_OK;
}

static enum bt_status compare_stored(struct budget_shown *shown, const struct budget_stored *stored)
{
    struct bt_budget_used sum = {.unpriced = BT_STR("")};
    for (size_t i = 0; i < stored->agents.count; i++) {
        const struct bt_spending_agent *agent = &stored->agents.items[i];
        const struct bt_config_limit *set = find_set(stored, agent->session, agent->agent_id);
        struct bt_budget_used used = {.unpriced = BT_STR("")};
        bt_budget_add_usage(&shown->rules, &agent->usage, &used);
        bt_budget_add_usage(&shown->rules, &agent->usage, &sum);
        BT_TRY(
            add_item(shown, agent->session, &agent->usage, &used, set ? *set : shown->rules.agent));
    }
    BT_TRY(add_uncounted(shown, stored));
    const bt_str session = only_session(stored);
    const struct bt_config_limit none = {0};
    const struct bt_config_limit *set = find_set(stored, session, BT_STR(""));
    return finish_items(shown, &sum, session.len == 0 ? none : set ? *set : shown->rules.session);
}

/* Show what hooks have counted, and what was set. False after an error message. */
static bool count_store(struct budget_shown *shown)
{
    struct cli_run *run = shown->run;
    if (!contract_run_names(run) || !contract_run_open(run, CLI_READ)) {
        return false;
    }
    struct budget_stored stored = {
        .key = {run->contract->workspace,
                cli_given(run->options, &flag_agent_session) ? run->contract->session : BT_STR(""),
                BT_STR_INIT("")}};
    enum bt_status status = load_stored(shown, &stored);
    status = status == BT_OK ? compare_stored(shown, &stored) : status;
    return status == BT_OK || cli_run_failed(run, "read what was spent") != CLI_FAILED;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void put_limit(struct bt_emit *emit, const struct bt_budget_share *share)
{
    char text[BT_MICROS_TEXT_BYTES];
    bt_emit_name(emit, "limit");
    if (!share->has_limit) {
        bt_emit_null(emit);
        return;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_u64_or_null(emit, "tokens", share->limit.tokens > 0, share->limit.tokens);
    bt_emit_member_string_or_null(emit, "cost",
                                  share->limit.cost > 0 ? bt_micros_write(share->limit.cost, text)
                                                        : BT_STR(""));
    bt_emit_end(emit);
}

/* The cost as it is shown; "": it is not known. */
static bt_str write_cost(const struct bt_budget_used *used, char out[BT_MICROS_TEXT_BYTES])
{
    return used->unpriced.len > 0 || used->is_unknown ? BT_STR("")
                                                      : bt_budget_write_cost(used->cost, out);
}

static void put_share(struct bt_emit *emit, const struct bt_budget_share *share)
{
    char text[BT_MICROS_TEXT_BYTES];
    bt_emit_member_u64(emit, "tokens", share->used.tokens);
    bt_emit_member_string_or_null(emit, "cost", write_cost(&share->used, text));
    put_limit(emit, share);
    bt_emit_member_u64_or_null(emit, "percent", share->has_limit, share->percent);
    bt_emit_member_string(emit, "state", bt_budget_state_name(share->state));
}

static void put_models(struct bt_emit *emit, const struct bt_usage_agent *agent)
{
    bt_emit_member_object(emit, "models");
    for (size_t i = 0; i < agent->models.count; i++) {
        const struct bt_usage_model *model = &agent->models.items[i];
        bt_emit_name_str(emit, model->model);
        bt_emit_begin_object(emit);
        bt_emit_member_u64(emit, "input", model->count.input);
        bt_emit_member_u64(emit, "output", model->count.output);
        bt_emit_member_u64(emit, "cache_read", model->count.cache_read);
        bt_emit_member_u64(emit, "cache_write", model->count.cache_write);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_json(struct bt_buf *buf, const struct budget_shown *shown)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_member_object(&emit, "budget");
    bt_emit_member_string(&emit, "count",
                          shown->rules.counts_all ? BT_STR("all") : BT_STR("fresh"));
    bt_emit_member_string(&emit, "currency", shown->rules.currency);
    cli_json_array(&emit, "agents");
    for (size_t i = 0; i < shown->items.count; i++) {
        const struct budget_item *item = &shown->items.items[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string_or_null(&emit, "session", item->session);
        bt_emit_member_string(&emit, "agent_id", item->agent->agent);
        put_models(&emit, item->agent);
        put_share(&emit, &item->share);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_member_object(&emit, "session");
    put_share(&emit, &shown->session);
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    cli_json_array(&emit, "findings");
    bt_findings_emit(&emit, shown->findings);
    bt_emit_end(&emit);
    cli_json_end(&emit);
}

static enum bt_status add_row(struct budget_shown *shown, struct bt_table *table, bt_str name,
                              const struct bt_budget_share *share)
{
    char cost[BT_MICROS_TEXT_BYTES];
    bt_str percent = BT_STR("");
    bt_str limit = BT_STR("");
    if (share->has_limit) {
        BT_TRY(
            bt_arena_printf(&shown->arena, &percent, "%llu%%", (unsigned long long)share->percent));
        BT_TRY(bt_budget_write_share(&shown->arena, &shown->rules, share, &limit));
    }
    bt_str shown_cost;
    BT_TRY(bt_arena_copy(&shown->arena, write_cost(&share->used, cost), &shown_cost));
    bt_table_add(table, name);
    bt_table_add_u64(table, share->used.tokens);
    bt_table_add(table, shown_cost);
    bt_table_add(table, percent);
    bt_table_add(table, bt_budget_state_name(share->state));
    bt_table_add(table, limit);
    return table->status;
}

static enum bt_status put_text(struct bt_buf *buf, struct budget_shown *shown)
{
    static const char *const names[] = {"AGENT", "#TOKENS", "#COST", "#USED",
                                        "STATE", "LIMIT",   NULL};
    struct bt_table table;
    bt_table_init(&table, &shown->arena, names);
    for (size_t i = 0; i < shown->items.count; i++) {
        const struct budget_item *item = &shown->items.items[i];
        BT_TRY(add_row(shown, &table, item->agent->agent, &item->share));
    }
    BT_TRY(add_row(shown, &table, BT_STR("all"), &shown->session));
    BT_TRY(bt_table_put(&table, cli_terminal_columns(), buf));
    for (size_t i = 0; i < bt_findings_count(shown->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(shown->findings, i);
        bt_buf_printf(buf, "%.*s: %.*s; %.*s\n", BT_STR_ARG(finding->rule->code),
                      BT_STR_ARG(finding->message), BT_STR_ARG(finding->hint));
    }
    return buf->status;
}

static int print_budget(struct budget_shown *shown)
{
    struct bt_buf buf;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(shown->run->options)) {
        put_json(&buf, shown);
    } else {
        status = put_text(&buf, shown);
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(status);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && is_spent(shown) ? CLI_REJECTED : code;
}

/* True when a store is named, so that no transcript is needed. */
static bool has_store_flag(const struct cli_options *options)
{
    return cli_given(options, &flag_store) || cli_given(options, &flag_store_root) ||
           bt_config_has(options->config, "store");
}

int cmd_budget_show(struct cli_run *run)
{
    struct budget_shown shown = {.run = run};
    int code = CLI_FAILED;
    bt_arena_init(&shown.arena, TEXT_BYTES_MAX);
    bt_usage_init(&shown.usage, &shown.arena, run->env.hash_seed);
    shown.findings = bt_findings_new(&shown.arena);
    if (shown.findings &&
        cli_is_ok(bt_budget_rules_read(&shown.arena, run->options->config, &shown.rules)) &&
        (cli_given(run->options, &flag_budget_transcript) || !has_store_flag(run->options)
             ? count_files(&shown) && cli_is_ok(compare_all(&shown))
             : count_store(&shown))) {
        code = print_budget(&shown);
    }
    bt_usage_free(&shown.usage);
    bt_arena_free(&shown.arena);
    return code;
}

/* ---- baton budget set ------------------------------------------------------------------------ */

/* Read the limit. False after an error message. */
static bool take_limit(const struct cli_options *options, struct bt_config_limit *out)
{
    const char *tokens = cli_given(options, &flag_set_tokens);
    const char *cost = cli_given(options, &flag_set_cost);
    *out = (struct bt_config_limit){0};
    if ((tokens != NULL) == (cost != NULL)) {
        return cli_refuse_usage(options, "give one of --tokens N and --cost X");
    }
    if (tokens && (bt_str_to_u64(bt_str_of(tokens), &out->tokens) != BT_OK || out->tokens == 0 ||
                   out->tokens >= UINT64_C(1) << 53)) {
        return cli_refuse_usage(options, "--tokens wants a whole number from 1, not %s", tokens);
    }
    if (cost && (bt_micros_parse(bt_str_of(cost), &out->cost) != BT_OK || out->cost == 0)) {
        return cli_refuse_usage(
            options, "--cost wants a decimal above 0 with up to six places, not %s", cost);
    }
    return true;
}

static int print_set(struct cli_run *run, const struct bt_evidence_key *key,
                     struct bt_config_limit limit, const struct bt_findings *refused)
{
    char text[BT_MICROS_TEXT_BYTES];
    const bool is_done = bt_findings_count(refused) == 0;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(run->options)) {
        cli_json_begin(&emit, &buf);
        if (is_done) {
            bt_emit_member_object(&emit, "set");
            bt_emit_member_string(&emit, "scope",
                                  key->agent_id.len > 0 ? BT_STR("agent") : BT_STR("session"));
            bt_emit_member_string(&emit, "session", key->session);
            bt_emit_member_string_or_null(&emit, "agent_id", key->agent_id);
            bt_emit_member_u64_or_null(&emit, "tokens", limit.tokens > 0, limit.tokens);
            bt_emit_member_string_or_null(
                &emit, "cost", limit.cost > 0 ? bt_micros_write(limit.cost, text) : BT_STR(""));
            bt_emit_end(&emit);
        } else {
            cli_json_array(&emit, "findings");
            bt_findings_emit(&emit, refused);
            bt_emit_end(&emit);
        }
        cli_json_end(&emit);
    } else if (is_done) {
        bt_buf_put_text(&buf, "the limit is set\n");
    } else {
        const struct bt_finding *why = bt_findings_at(refused, 0);
        cli_print_error("%.*s: %.*s", BT_STR_ARG(why->rule->code), BT_STR_ARG(why->message));
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_done ? CLI_REJECTED : code;
}

int cmd_budget_set(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_findings *refused = bt_findings_new(&run->arena);
    struct bt_config_limit limit;
    bool is_self = false;
    bt_str actor;
    if (!cli_given(options, &flag_agent_session) || !cli_given(options, &flag_actor)) {
        return cli_usage_error(options->command, "budget set needs --session and --actor");
    }
    if (!refused || !take_limit(options, &limit) || !contract_run_names(run) ||
        !cli_run_actor(run, &actor)) {
        return CLI_FAILED;
    }
    const struct bt_evidence_key key = {run->contract->workspace, run->contract->session,
                                        bt_str_of(cli_given(options, &flag_budget_agent))};
    if (!cli_is_ok(bt_contract_actor_is_agent(actor, key.agent_id, &is_self))) {
        return CLI_FAILED;
    }
    if (is_self) {
        return cli_is_ok(bt_add_approval_self(refused, bt_location_whole(), actor)) &&
                       cli_is_ok(bt_findings_finish(refused, BT_STR("")))
                   ? print_set(run, &key, limit, refused)
                   : CLI_FAILED;
    }
    if (!contract_run_open(run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    cli_run_watch(run);
    const enum bt_status status =
        bt_spending_set_limit(&run->contract->gate, &key, limit, &run->error);
    cli_run_unwatch();
    if (status != BT_OK) {
        return cli_run_failed(run, "set the limit");
    }
    return cli_run_alarmed(run) ? CLI_FAILED : print_set(run, &key, limit, refused);
}
