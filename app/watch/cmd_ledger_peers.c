/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_peers.c - baton ledger peers: how far peers have witnessed this log. */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/run.h"
#include "operation/peers.h"

static void put_text(struct bt_buf *buf, const struct bt_peer_list *peers)
{
    for (size_t i = 0; i < peers->count; i++) {
        const struct bt_peer_view *peer = &peers->items[i];
        char last[BT_INSTANT_TEXT_BYTES] = "never";
        if (peer->last > 0) {
            (void)bt_instant_format((bt_instant){.seconds = (int64_t)peer->last}, last);
        }
        bt_buf_printf(buf,
                      "%.*s: has cosigned %" PRIu64 ", %" PRIu64 " behind, last %s; we have "
                      "cosigned %" PRIu64 "\n",
                      BT_STR_ARG(peer->name), peer->witnessed, peer->behind, last, peer->seen);
    }
}

int cmd_ledger_peers(struct cli_run *run)
{
    const struct bt_config *config = run->options->config;
    struct bt_peer_sources sources = {.config = config};
    struct bt_peer_list peers;
    struct bt_buf buf;
    bt_str witness = BT_STR("");
    if (!cli_run_open_ledger(run, CLI_READ) ||
        !cli_is_ok(bt_config_path(config, "ledger.witness", &run->arena, &witness))) {
        return CLI_FAILED;
    }
    sources.ledger = run->ledger;
    sources.witness = witness.len > 0 ? witness.ptr : NULL;
    if (bt_peers_read(&run->arena, &sources, &peers, &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot show the peers");
    }
    bt_buf_init(&buf, 1 << 20);
    if (cli_run_is_json(run->options)) {
        bt_peers_put(&buf, &peers);
        bt_buf_put_char(&buf, '\n');
    } else if (peers.count == 0) {
        cli_print_empty(run->options, "No peers. ledger.peers of the configuration names them.");
    } else {
        put_text(&buf, &peers);
    }
    return cli_run_print(run, &buf);
}
