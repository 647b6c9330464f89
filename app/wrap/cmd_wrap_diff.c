/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_wrap_diff.c - baton wrap diff: a server beside its lock, or two locks. */
#include "cli/output.h"
#include "cli/run.h"
#include "dialect/plan/plan.h"
#include "json/emit.h"
#include "wrap/compare.h"
#include "wrap/policy.h"
#include "wrap/server_flags.h"
#include "wrap/server_query.h"

enum { FACTS_BYTES_MAX = 4096 };

/* What all comparisons of a run share. */
struct wrap_diff {
    struct cli_run *run;
    struct bt_plan_checker *plans;
    struct bt_wrap_policy policy; /* of the server that is compared */
};

static bool add_document(struct wrap_diff *diff, bt_str name, struct bt_findings *findings,
                         const struct bt_wrap_compare_counts *counts)
{
    struct bt_judgement judged = {
        .path = name, .dialect = BT_DIALECT_MCP, .source = BT_STR(""), .findings = findings};
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, FACTS_BYTES_MAX, NULL);
    bt_emit_member_u64(emit, "same", counts->same);
    bt_emit_member_u64(emit, "changed", counts->changed);
    bt_emit_member_u64(emit, "added", counts->added);
    bt_emit_member_u64(emit, "removed", counts->removed);
    enum bt_status status = bt_object_text_finish(&text, BT_OK, &diff->run->arena, &judged.facts);
    status = status == BT_OK ? bt_findings_finish(findings, BT_STR("")) : status;
    judged.verdict = bt_verdict_of(findings, BT_SEVERITY_HARD);
    return status == BT_OK ? cli_run_report_add(diff->run, &judged) : cli_refuse_status(status);
}

/* Compare two entries of one server, of which one may be absent. */
static enum bt_status compare_both(struct wrap_diff *diff, const struct bt_wrap_entry *before,
                                   const struct bt_wrap_entry *after, struct bt_findings *findings,
                                   struct bt_wrap_compare_counts *counts)
{
    const struct bt_wrap_compare compare = {.memory = wrap_memory(diff->run),
                                            .plans = diff->plans,
                                            .findings = findings,
                                            .policy = &diff->policy,
                                            .changed = BT_SEVERITY_HARD,
                                            .added = BT_SEVERITY_HARD,
                                            .removed = BT_SEVERITY_HARD,
                                            .command = BT_SEVERITY_WARN};
    *counts = (struct bt_wrap_compare_counts){0};
    if (before) {
        BT_TRY(bt_wrap_entry_check_digests(&compare.memory, before, findings));
    }
    if (after) {
        BT_TRY(bt_wrap_entry_check_digests(&compare.memory, after, findings));
    }
    if (!before || !after) {
        return bt_wrap_add_whole(&compare, before, after);
    }
    BT_TRY(bt_wrap_compare_entries(&compare, before, after, counts));
    return bt_wrap_compare_commands(&compare, before, after);
}

static bool compare_servers(struct wrap_diff *diff, bt_str name, const struct bt_wrap_entry *before,
                            const struct bt_wrap_entry *after)
{
    struct bt_findings *findings = bt_findings_new(&diff->run->arena);
    struct bt_wrap_compare_counts counts;
    enum bt_status status = findings
                                ? bt_wrap_policy_read(&diff->run->arena, diff->run->options->config,
                                                      name, &diff->policy)
                                : BT_ENOMEM;
    if (status == BT_OK) {
        status = compare_both(diff, before, after, findings, &counts);
    }
    return status == BT_OK ? add_document(diff, name, findings, &counts)
                           : cli_refuse_status(status);
}

/* ---- Two locks ------------------------------------------------------------------------------- */

/* The servers of both, in the order of their names. */
static bool compare_locks(struct wrap_diff *diff, const struct bt_wrap_lock *before,
                          const struct bt_wrap_lock *after)
{
    size_t i = 0;
    size_t j = 0;
    while (i < before->entries.count || j < after->entries.count) {
        const struct bt_wrap_entry *old =
            i < before->entries.count ? &before->entries.items[i] : NULL;
        const struct bt_wrap_entry *new =
            j < after->entries.count ? &after->entries.items[j] : NULL;
        const int order = !old ? 1 : !new ? -1 : bt_str_compare(old->name, new->name);
        i += order <= 0;
        j += order >= 0;
        if (!compare_servers(diff, order <= 0 ? old->name : new->name, order <= 0 ? old : NULL,
                             order >= 0 ? new : NULL)) {
            return false;
        }
    }
    return true;
}

static bool diff_locks(struct wrap_diff *diff)
{
    char **paths = diff->run->options->operands;
    struct wrap_lock_file before;
    struct wrap_lock_file after;
    return wrap_read_lock_at(diff->run, paths[0], &before) &&
           wrap_read_lock_at(diff->run, paths[1], &after) &&
           compare_locks(diff, &before.lock, &after.lock);
}

/* ---- A server -------------------------------------------------------------------------------- */

static bool diff_server(struct wrap_diff *diff)
{
    struct cli_run *run = diff->run;
    struct wrap_server server;
    struct wrap_lock_file file;
    struct bt_wrap_entry shown;
    if (!wrap_take_server(run, &server) || !wrap_read_lock(run, true, &file)) {
        return false;
    }
    if (!file.is_there) {
        return cli_refuse("%s: the lock does not exist; baton wrap pin writes one", file.path);
    }
    const struct bt_wrap_entry *locked = bt_wrap_lock_find(&file.lock, server.name);
    return wrap_query_shown(run, &server, file.path, locked, &shown) &&
           compare_servers(diff, server.name, locked, &shown);
}

bool wrap_diff_entries(struct cli_run *run, bt_str name, const struct bt_wrap_entry *locked,
                       const struct bt_wrap_entry *shown)
{
    struct wrap_diff diff = {.run = run};
    if (bt_plan_checker_create(&run->env, &diff.plans) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    const bool is_done = compare_servers(&diff, name, locked, shown);
    bt_plan_checker_destroy(diff.plans);
    return is_done;
}

int cmd_wrap_diff(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct wrap_diff diff = {.run = run};
    const bool has_locks = options->operands_before_dashes == 2 && options->operand_count == 2;
    if (bt_plan_checker_create(&run->env, &diff.plans) != BT_OK) {
        return cli_fail_status(BT_ENOMEM);
    }
    const bool is_done = has_locks ? diff_locks(&diff) : diff_server(&diff);
    bt_plan_checker_destroy(diff.plans);
    return is_done ? cli_run_report_write(run, BT_STR("")) : CLI_FAILED;
}
