/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_path.c - baton govern path FROM TO
 */
#include "commands.h"
#include "govern_store.h"
#include "output.h"
#include "print.h"

static cli_run_fn run_path;

const struct cli_command cmd_govern_path = {
    .name = "baton govern path",
    .operands = "FROM TO",
    .summary = "find the shortest allowed way from one agent to another",
    .about =
        "Goes over agents that are verified now and, with --store, not blocked there. Exit 1 when "
        "there is no way.\n",
    .missing = "from whom to whom? give the ids of two agents",
    .operands_min = 2,
    .operands_max = 2,
    .flags = CLI_FLAGS(CLI_GOVERN_FLAGS, &flag_output, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton govern path domain-01-content domain-09-technical --root prompts",
                      "the shortest way that is allowed"}),
    .run = run_path,
};

enum { PATH_BYTES_MAX = 1 << 24 };

/* Load the ids of blocked agents when a store was named. False after an error message. */
static bool take_blocked(struct cli_govern_store *store, struct bt_governed_path_query *question)
{
    struct bt_agent_block_list blocks;
    if (!cli_given(store->run.options, &flag_store)) {
        return true;
    }
    if (!govern_store_open(store, GOVERN_READ)) {
        return false;
    }
    if (bt_agent_blocks_list(&store->govern, &blocks, &store->ledger.error) != BT_OK) {
        (void)ledger_run_failed(&store->ledger, "cannot list the blocked agents");
        return false;
    }
    bt_str *ids = BT_NEW_ARRAY(&store->run.arena, bt_str, blocks.count + 1);
    for (size_t i = 0; ids && i < blocks.count; i++) {
        ids[i] = blocks.items[i].agent_id;
    }
    question->excluded = ids;
    question->avoided_count = blocks.count;
    if (!ids) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
    }
    return ids != NULL;
}

static int find_path(struct cli_govern_store *store)
{
    struct cli_govern_run *run = &store->run;
    struct bt_governed_path_query question = {
        .from = bt_str_of(run->options->operands[0]),
        .to = bt_str_of(run->options->operands[1]),
        .form = cli_wants_json(run->options) ? BT_BOUNDARY_MAP_JSON : BT_BOUNDARY_MAP_TEXT,
    };
    struct bt_buf buf;
    bool is_reachable = false;
    if (!take_blocked(store, &question)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, PATH_BYTES_MAX);
    const enum bt_status status = bt_governed_find_path(
        run->governed, &run->arena, &run->flags.options, &question, &buf, &is_reachable);
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return govern_run_fail(run, status);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_reachable ? CLI_REJECTED : code;
}

static int run_path(const struct cli_options *options)
{
    struct cli_govern_store store;
    const bool ready = govern_store_begin(&store, options, true);
    return govern_store_end(&store, ready ? find_path(&store) : CLI_FAILED);
}
