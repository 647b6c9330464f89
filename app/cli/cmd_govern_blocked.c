/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_blocked.c - baton govern blocked, baton govern unblock
 */
#include <inttypes.h>

#include "commands.h"
#include "govern_store.h"
#include "operation/govern_json.h"
#include "output.h"
#include "print.h"

static cli_run_fn run_blocked;
static cli_run_fn run_unblock;

/* clang-format off */
static const struct cli_flag flag_reason = {"reason", 0, "TEXT", CLI_ANY,
    "why, in your words; it is recorded", NULL};
/* clang-format on */

const struct cli_command cmd_govern_blocked = {
    .name = "baton govern blocked",
    .operands = "",
    .summary = "list the agents that are blocked",
    .about = "An agent is blocked when a handoff, the lock and its prompt file do not agree about "
             "it. Nothing it takes part in is accepted until that is lifted.\n",
    .missing = "",
    .flags = CLI_FLAGS(CLI_GOVERN_FLAGS, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton govern blocked --store .baton/store.db", "who awaits manual verification?"}),
    .run = run_blocked,
};

const struct cli_command cmd_govern_unblock = {
    .name = "baton govern unblock",
    .operands = "AGENT",
    .summary = "lift the block of an agent, with a reason",
    .about = "Lock and prompt file must agree now: a block is lifted by reconciliation plus a "
             "person, never by either alone. The reason is recorded.\n",
    .missing = "unblock whom? give the id of an agent",
    .operands_min = 1,
    .operands_max = 1,
    .flags = CLI_FLAGS(&flag_reason, CLI_GOVERN_FLAGS, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton govern unblock domain-02-analysis --reason \"compared\" --root prompts",
         "after lock and file agree again"}),
    .run = run_unblock,
};

enum { LIST_BYTES_MAX = 1 << 26 };

/* ---- blocked --------------------------------------------------------------------------------- */

static void put_blocks(struct bt_buf *buf, const struct bt_agent_block_list *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        const struct bt_agent_block *block = &blocks->items[i];
        bt_buf_printf(buf, "%.*s  since %.*s  %.*s  entry %" PRIu64 "\n",
                      BT_STR_ARG(block->agent_id), BT_STR_ARG(block->since),
                      BT_STR_ARG(block->reason), block->seq);
    }
    bt_buf_put_text(buf, blocks->count == 0 ? "nobody is blocked\n" : "");
}

static int list_blocked_agents(struct cli_govern_store *store)
{
    struct bt_agent_block_list blocks;
    struct bt_buf buf;
    if (!govern_store_open(store, GOVERN_READ)) {
        return CLI_FAILED;
    }
    if (bt_agent_blocks_list(&store->govern, &blocks, &store->ledger.error) != BT_OK) {
        return ledger_run_failed(&store->ledger, "cannot list the blocked agents");
    }
    bt_buf_init(&buf, LIST_BYTES_MAX);
    if (cli_wants_json(store->run.options)) {
        bt_emit_agent_blocks(&buf, &blocks);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_blocks(&buf, &blocks);
    }
    return cli_print_buf(&buf);
}

static int run_blocked(const struct cli_options *options)
{
    struct cli_govern_store store;
    const bool ready = govern_store_begin(&store, options, false);
    return govern_store_end(&store, ready ? list_blocked_agents(&store) : CLI_FAILED);
}

/* ---- unblock --------------------------------------------------------------------------------- */

static void put_text(struct bt_buf *buf, const struct bt_agent_unblock_options *unblock_options)
{
    for (size_t i = 0; i < bt_findings_count(unblock_options->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(unblock_options->findings, i);
        bt_buf_put(buf, finding->rule->code);
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, finding->message, finding->message.len);
        bt_buf_put_char(buf, '\n');
    }
    if (bt_findings_count(unblock_options->findings) == 0) {
        bt_buf_put_printable(buf, unblock_options->agent_id, unblock_options->agent_id.len);
        bt_buf_put_text(buf, unblock_options->is_unblocked ? " is no longer blocked\n"
                                                           : " was not blocked\n");
    }
}

static int unblock_agent(struct cli_govern_store *store)
{
    const struct cli_options *options = store->run.options;
    const char *reason = cli_given(options, &flag_reason);
    struct bt_agent_unblock_options unblock_options = {.agent_id = bt_str_of(options->operands[0]),
                                                       .reason = bt_str_of(reason),
                                                       .options = &store->run.flags.options};
    struct bt_buf buf;
    if (bt_utf8_check(unblock_options.reason) != unblock_options.reason.len ||
        bt_str_is_blank(unblock_options.reason)) {
        (void)cli_usage_error(options->command, "why? give --reason TEXT");
        return CLI_FAILED;
    }
    if (!govern_store_open(store, GOVERN_WRITE)) {
        return CLI_FAILED;
    }
    ledger_run_watch(&store->ledger);
    const enum bt_status status = bt_agent_unblock(&store->govern, store->run.governed,
                                                   &unblock_options, &store->ledger.error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return bt_governed_last_error(store->run.governed)[0]
                   ? govern_run_fail(&store->run, status)
                   : govern_store_fail(store, unblock_options.is_recorded,
                                       unblock_options.is_unknown);
    }
    if (govern_store_alarmed(store)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, LIST_BYTES_MAX);
    if (cli_wants_json(options)) {
        bt_emit_unblock(&buf, &unblock_options);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_text(&buf, &unblock_options);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && bt_findings_count(unblock_options.findings) > 0 ? CLI_REJECTED
                                                                               : code;
}

static int run_unblock(const struct cli_options *options)
{
    struct cli_govern_store store;
    const bool ready = govern_store_begin(&store, options, true);
    return govern_store_end(&store, ready ? unblock_agent(&store) : CLI_FAILED);
}
