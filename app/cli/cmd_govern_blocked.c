/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_blocked.c - baton govern blocked, baton govern unblock
 */
#include <inttypes.h>

#include "commands.h"
#include "govern_store.h"
#include "output.h"
#include "say.h"
#include "service/govern_json.h"

static cli_run_fn run_blocked;
static cli_run_fn run_unblock;

/* clang-format off */
static const struct cli_flag flag_reason = {"reason", 0, "TEXT", CLI_ANY,
    "why, in your words; it is recorded", NULL};

static const struct cli_flag *const list_flags[] = {
    CLI_GOVERN_FLAGS, &flag_help, NULL,
};
static const struct cli_flag *const lift_flags[] = {
    &flag_reason, CLI_GOVERN_FLAGS, &flag_help, NULL,
};
/* clang-format on */

static const struct cli_example list_examples[] = {
    {"baton govern blocked --store .baton/store.db", "who awaits manual verification?"},
    {NULL, NULL},
};

const struct cli_command cmd_govern_blocked = {
    .name = "baton govern blocked",
    .operands = "",
    .summary = "list the agents that are blocked",
    .about = "An agent is blocked when a handoff, the lock and its prompt file do not agree about "
             "it. Nothing it takes part in is accepted until that is lifted.\n",
    .missing = "",
    .flags = list_flags,
    .examples = list_examples,
    .run = run_blocked,
};

static const struct cli_example lift_examples[] = {
    {"baton govern unblock domain-02-analysis --reason \"compared\" --root prompts",
     "after lock and file agree again"},
    {NULL, NULL},
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
    .flags = lift_flags,
    .examples = lift_examples,
    .run = run_unblock,
};

enum { LIST_BYTES_MAX = 1 << 26 };

/* ---- blocked --------------------------------------------------------------------------------- */

static void put_blocks(struct bt_buf *buf, const struct bt_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        const struct bt_block *block = &blocks->items[i];
        bt_buf_printf(buf, "%.*s  since %.*s  %.*s  entry %" PRIu64 "\n",
                      BT_STR_ARG(block->agent_id), BT_STR_ARG(block->since),
                      BT_STR_ARG(block->reason), block->seq);
    }
    bt_buf_put_text(buf, blocks->count == 0 ? "nobody is blocked\n" : "");
}

static int list(struct govern_store *store)
{
    struct bt_blocks blocks;
    struct bt_buf buf;
    if (!govern_store_open(store, GOVERN_READ)) {
        return CLI_FAILED;
    }
    if (bt_govern_blocked(&store->govern, &blocks, &store->ledger.error) != BT_OK) {
        return ledger_run_failed(&store->ledger, "cannot list the blocked agents");
    }
    bt_buf_init(&buf, LIST_BYTES_MAX);
    if (cli_wants_json(store->run.options)) {
        blocks_put(&buf, &blocks);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_blocks(&buf, &blocks);
    }
    return cli_print_buf(&buf);
}

static int run_blocked(const struct cli_options *options)
{
    struct govern_store store;
    const bool ready = govern_store_begin(&store, options, false);
    return govern_store_end(&store, ready ? list(&store) : CLI_FAILED);
}

/* ---- unblock --------------------------------------------------------------------------------- */

static void put_text(struct bt_buf *buf, const struct bt_unblocking *asked)
{
    for (size_t i = 0; i < bt_findings_count(asked->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(asked->findings, i);
        bt_buf_put(buf, finding->rule->code);
        bt_buf_put_char(buf, ' ');
        bt_buf_put_visible(buf, finding->message, finding->message.len);
        bt_buf_put_char(buf, '\n');
    }
    if (bt_findings_count(asked->findings) == 0) {
        bt_buf_put_visible(buf, asked->agent_id, asked->agent_id.len);
        bt_buf_put_text(buf,
                        asked->is_unblocked ? " is no longer blocked\n" : " was not blocked\n");
    }
}

static int lift(struct govern_store *store)
{
    const struct cli_options *options = store->run.options;
    const char *reason = cli_given(options, &flag_reason);
    struct bt_unblocking asked = {.agent_id = bt_str_of(options->operands[0]),
                                  .reason = bt_str_of(reason),
                                  .options = &store->run.flags.options};
    struct bt_buf buf;
    if (bt_utf8_check(asked.reason) != asked.reason.len || bt_str_is_blank(asked.reason)) {
        (void)cli_misused(options->command, "why? give --reason TEXT");
        return CLI_FAILED;
    }
    if (!govern_store_open(store, GOVERN_WRITE)) {
        return CLI_FAILED;
    }
    ledger_run_watch(&store->ledger);
    const enum bt_status status =
        bt_govern_unblock(&store->govern, store->run.governed, &asked, &store->ledger.error);
    ledger_run_unwatch();
    if (status != BT_OK) {
        return bt_governed_trouble(store->run.governed)[0]
                   ? govern_run_fail(&store->run, status)
                   : govern_store_fail(store, asked.is_recorded, asked.is_unknown);
    }
    if (govern_store_alarmed(store)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, LIST_BYTES_MAX);
    if (cli_wants_json(options)) {
        unblocking_put(&buf, &asked);
        bt_buf_put_char(&buf, '\n');
    } else {
        put_text(&buf, &asked);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && bt_findings_count(asked.findings) > 0 ? CLI_REJECTED : code;
}

static int run_unblock(const struct cli_options *options)
{
    struct govern_store store;
    const bool ready = govern_store_begin(&store, options, true);
    return govern_store_end(&store, ready ? lift(&store) : CLI_FAILED);
}
