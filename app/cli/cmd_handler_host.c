/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_handler_host.c - `baton handler-host FILE.so`: run a C handler for the pump that started this
 * process.
 */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include <baton/handler.h>

#include "print.h"

static cli_run_fn run;

const struct cli_command cmd_handler_host = {
    .name = "baton handler-host",
    .operands = "FILE.so",
    .summary = "run a handler written in C for the pump",
    .about =
        "Loads a shared object with the functions of <baton/handler.h> and serves calls on the "
        "descriptor that BATON_FD names. The pump starts it, in a sandbox; started by hand it "
        "tells whether the file can be loaded.\n",
    .missing = "give the FILE.so to run",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(&flag_help),
    .examples = CLI_EXAMPLES({"baton handler-host ./libadd.so",
                              "what the pump starts for a listener with a shared object"}),
    .run = run,
};

static int run(const struct cli_options *options)
{
    struct bt_error error = {.text = ""};
    struct bt_handler handler;
    enum bt_status status = bt_handler_load(bt_str_of(options->operands[0]), &handler, &error);
    if (status != BT_OK) {
        cli_print_error("%s", error.text[0] ? error.text : bt_status_text(status));
        return CLI_FAILED;
    }
    uint64_t fd = 0;
    const char *named = getenv("BATON_FD");
    if (!named || bt_str_to_u64(bt_str_of(named), &fd) != BT_OK || fd > 1023) {
        cli_print_error("%s can be loaded, but no pump started this: BATON_FD names no descriptor",
                        options->operands[0]);
        return CLI_FAILED;
    }
    const struct bt_handler_channel channel = {.in_fd = (int)fd, .out_fd = (int)fd};
    status = bt_handler_serve(&handler, &channel, &error);
    if (status != BT_OK) {
        cli_print_error("%s", error.text[0] ? error.text : bt_status_text(status));
    }
    return status == BT_OK ? CLI_DONE : CLI_FAILED;
}
