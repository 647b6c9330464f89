/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_http.c - events of agent hosts over HTTP.
 *
 * Every failure is an answer in the host's format with status 200, and nothing is accepted then.
 */
#include <string.h>

#include "hook/hook.h"
#include "hook/protected.h"
#include "serve/rest.h"
#include "serve/server.h"

struct serve_hook_call {
    struct serve_rest *rest;
    struct bt_contract_state gate;
};

/*
 * Directories that a host names are not read: the workspace is that of the query, or the default.
 */
static struct hook_store open_place(void *context, const struct hook_event *event, bool writing)
{
    struct serve_hook_call *hooking = context;
    struct serve_rest *rest = hooking->rest;
    struct serve_call *x = rest->x;
    struct hook_store place = {
        .workspace =
            bt_op_workspace(&rest->work, bt_args_text(&rest->args, BT_ARG_HOOK_RUN_WORKSPACE)),
        .why = "its store cannot be used"};
    (void)event;
    const bool may_write = !serve_is_read_only(x->gateway) || !writing;
    if (rest->work.service->ledger && may_write &&
        bt_op_contract_state(&rest->work, &hooking->gate) == BT_OK) {
        place.gate = &hooking->gate;
    }
    return place;
}

/*
 * The paths of another machine, by name: its project is the directory of the event, and its home
 * directory is only known as ~.
 */
static enum bt_status find_place(void *context, const struct hook_event *event,
                                 struct bt_gate_place *out)
{
    const struct serve_hook_call *hooking = context;
    struct bt_arena *arena = hooking->rest->x->arena;
    bt_str name;
    const bool is_absolute = event->folder.len > 0 && event->folder.ptr[0] == '/' &&
                             bt_str_find_byte(event->folder, '\0', 0) == event->folder.len;
    *out = (struct bt_gate_place){.home = BT_STR("/~"), .is_remote = true};
    BT_TRY(bt_arena_copy(arena, hooking->rest->x->params[0], &name));
    out->project = is_absolute ? event->folder : BT_STR("/");
    out->folder = out->project;
    const struct hook_protected_options options = {.home = out->home,
                                                   .user_config = BT_STR("/~/.config/baton")};
    return hook_protected_files(arena, hook_host_find(name.ptr), &options, &out->files);
}

/* A caller that is bound to agents may end turns of these agents only. */
static bool can_end_turn(void *context, const struct hook_event *event)
{
    struct serve_hook_call *hooking = context;
    struct serve_rest *rest = hooking->rest;
    const struct serve_call *x = rest->x;
    const bt_str claimed = bt_str_of(event->host_id);
    bool is_own = x->identity.caller.agent_count == 0;
    if (!is_own && claimed.len > 0) {
        is_own = bt_caller_represents(&x->identity.caller, event->raw_id) ||
                 bt_caller_represents(&x->identity.caller, claimed);
    } else if (!is_own) {
        is_own = bt_op_caller_represents_agent(&rest->work, event->text);
    }
    if (!is_own && rest->work.service->ledger && !serve_is_read_only(x->gateway) &&
        bt_op_reject_caller(&rest->work, event->has_text ? event->text : x->request->body,
                            claimed) != BT_OK) {
        return false; /* refused in either case */
    }
    return is_own;
}

/* The agent types to judge: from the query, or from the configuration. */
static enum bt_status take_agents(const struct serve_rest *rest, const char **out)
{
    const struct serve_call *x = rest->x;
    bt_str list = bt_args_text(&rest->args, BT_ARG_HOOK_RUN_AGENTS);
    const size_t count = list.len > 0 ? 0 : bt_config_count(x->config, "contract.agents");
    for (size_t i = 0; i < count; i++) {
        const bt_str name = bt_config_item(x->config, "contract.agents", i);
        BT_TRY(bt_arena_printf(x->arena, &list, "%.*s%s%.*s", BT_STR_ARG(list), i > 0 ? "," : "",
                               BT_STR_ARG(name)));
    }
    BT_TRY(bt_arena_copy(x->arena, list, &list));
    *out = list.len > 0 ? list.ptr : NULL;
    return BT_OK;
}

/* The kind of the answer, for metrics. */
static const char *kind_of(const struct agent_host *host, bt_str out)
{
    if (bt_str_starts_with(out, bt_str_of(host->deny))) {
        return "block";
    }
    return bt_str_starts_with(out, BT_STR("{\"systemMessage")) ? "failed"
           : bt_str_starts_with(out, BT_STR("{\"decision")) ||
                   bt_str_starts_with(out, BT_STR("{\"followup_message")) ||
                   bt_str_starts_with(out, BT_STR("{\"continue"))
               ? "block"
               : "allow";
}

static enum bt_status respond_to_hook(struct serve_rest *rest, const struct hook *hook)
{
    struct serve_call *x = rest->x;
    struct hook_answer given;
    hook_run(hook, x->request->body, &given);
    const bt_str out = given.out.len > 0 ? given.out : BT_STR("{}\n");
    serve_call_count_metric(x, SERVE_METRIC_HOOKS, hook->host->name, kind_of(hook->host, out),
                            NULL);
    serve_call_notify_commit(x);
    return serve_call_respond_body(x, BT_HTTP_OK, "application/json", out);
}

static enum bt_status run_hook(struct serve_rest *rest, const struct agent_host *host)
{
    struct serve_call *x = rest->x;
    struct serve_hook_call hooking = {.rest = rest};
    struct hook hook = {.host = host,
                        .is_remote = true,
                        .observes = bt_args_bool(&rest->args, BT_ARG_HOOK_RUN_OBSERVE),
                        .fails_closed = bt_args_bool(&rest->args, BT_ARG_HOOK_RUN_FAIL_CLOSED),
                        .max_rejections = bt_config_u64(x->config, "contract.max_rejections"),
                        .pending_seconds = bt_config_seconds(x->config, "approvals.pending_ttl"),
                        .judging = rest->work.service->keys->contract,
                        .policy = rest->work.service->policy,
                        .input_text = BT_STR(""),
                        .env = rest->work.service->env,
                        .arena = x->arena,
                        .calls = {.open = open_place,
                                  .represents_agent = can_end_turn,
                                  .find_place = find_place,
                                  .context = &hooking}};
    struct bt_budget_rules budget;
    struct bt_gate_rules rules;
    /* A server reads no file that a caller names: it records a missing transcript, and with
     * fail_closed a limit that cannot be compared denies the use of a tool. */
    BT_TRY(
        bt_evidence_mode_parse(bt_config_text(x->config, "evidence.mode"), &hook.transcripts.mode));
    BT_TRY(bt_gate_rules_read(x->arena, x->config, &rules));
    BT_TRY(bt_budget_rules_read(x->arena, x->config, &budget));
    hook.transcripts.budget = bt_config_has_budget(x->config) ? &budget : NULL;
    hook.gate = bt_config_has_gate(x->config) ? &rules : NULL;
    if ((hook.observes || bt_args_text(&rest->args, BT_ARG_HOOK_RUN_AGENTS).len > 0) &&
        !serve_call_has_scope(x, BT_SCOPE_OPERATE)) {
        return serve_call_respond_problem_with(x, BT_PROBLEM_SCOPE_MISSING,
                                               BT_STR("\"scope\":\"operate\""));
    }
    if (hook.observes && hook.fails_closed) {
        return serve_call_respond_bad_parameter(x, BT_STR("observe"),
                                                "observe and fail_closed exclude each other");
    }
    BT_TRY(take_agents(rest, &hook.agents));
    BT_TRY(bt_checker_contract(rest->work.service->checker, &hook.contract));
    if (hook.observes) {
        BT_TRY(bt_arena_printf(x->arena, &x->identity.caller.actor, "%.*s/observe",
                               BT_STR_ARG(x->identity.caller.actor)));
    }
    return respond_to_hook(rest, &hook);
}

enum bt_status rest_run_hook(struct serve_call *x)
{
    struct serve_rest rest;
    bt_str name;
    if (!rest_begin(&rest, x)) {
        return BT_OK;
    }
    enum bt_status status = bt_arena_copy(x->arena, x->params[0], &name);
    if (status == BT_OK) {
        const struct agent_host *host = hook_host_find(name.ptr);
        status = host ? run_hook(&rest, host) : serve_call_respond_problem(x, BT_PROBLEM_NOT_FOUND);
    }
    (void)rest_drop(&rest);
    return status;
}
