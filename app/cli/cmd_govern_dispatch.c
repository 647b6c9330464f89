/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_govern_dispatch.c - baton govern dispatch FILE|-
 */
#include <baton/json.h>

#include "commands.h"
#include "govern_store.h"
#include "print.h"

static cli_run_fn run_dispatch;

/* clang-format off */
static const struct cli_flag flag_method = {"method", 0, "METHOD", CLI_ANY,
    "of the request (default POST)", NULL};
static const struct cli_flag flag_content_type = {"content-type", 0, "TYPE", CLI_ANY,
    "of the body (default application/json)", NULL};
/* clang-format on */

const struct cli_command cmd_govern_dispatch = {
    .name = "baton govern dispatch",
    .operands = "FILE|-",
    .summary = "decide a handoff, and show what POST /v1/dispatch answers",
    .about = "The same act as baton govern submit; the answer is printed as JSON with status, "
             "headers and body. Exit 0 for 200, 2 when the store fails, else 1.\n",
    .missing = "dispatch what? give a FILE, or - for standard input",
    .operands_min = 1,
    .operands_max = 1,
    .operand_kind = CLI_FILE,
    .flags = CLI_FLAGS(CLI_GOVERN_FLAGS, &flag_method, &flag_content_type, &flag_help),
    .examples =
        CLI_EXAMPLES({"baton govern dispatch handoff.json --root prompts --store .baton/store.db",
                      "what would the server answer?"}),
    .use = BT_CONFIG_DECIDES,
    .run = run_dispatch,
};

enum { ANSWER_BYTES_MAX = 1 << 28 };

static void put_header(struct bt_emit *emit, const char *name, bt_str value)
{
    if (value.len > 0) {
        bt_emit_member_string(emit, name, value);
    }
}

static int print_response(const struct bt_dispatch_response *answer, int code)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, ANSWER_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_u64(&emit, "status", answer->status);
    bt_emit_name(&emit, "headers");
    bt_emit_begin_object(&emit);
    put_header(&emit, "content-type", answer->content_type);
    put_header(&emit, "cache-control", BT_STR("no-store"));
    put_header(&emit, "allow", answer->allow);
    put_header(&emit, "retry-after", answer->retry_after);
    bt_emit_end(&emit);
    bt_emit_name(&emit, "body");
    bt_emit_raw(&emit, answer->body);
    bt_emit_end(&emit);
    bt_buf_put_char(&buf, '\n');
    return cli_print_buf(&buf) == CLI_DONE ? code : CLI_FAILED;
}

static int print_status_error(enum bt_status status)
{
    cli_print_error("%s", bt_status_text(status));
    return CLI_FAILED;
}

/* Nothing was decided: print the response for that, and return its exit code. */
static int print_unavailable(struct cli_govern_store *store)
{
    struct bt_dispatch_response answer;
    const enum bt_status status = bt_dispatch_write_unavailable(&store->run.arena, &answer);
    return status == BT_OK ? print_response(&answer, CLI_FAILED) : print_status_error(status);
}

static int dispatch_handoff(struct cli_govern_store *store)
{
    const char *method = cli_given(store->run.options, &flag_method);
    const char *type = cli_given(store->run.options, &flag_content_type);
    struct bt_dispatch_response answer;
    bool is_refused = false;
    bool is_done = false;
    enum bt_status status = bt_dispatch_check_request(
        &store->run.arena, bt_str_of(method ? method : "POST"),
        bt_str_of(type ? type : "application/json"), &answer, &is_refused);
    if (status != BT_OK || is_refused) {
        return status == BT_OK ? print_response(&answer, CLI_REJECTED) : print_status_error(status);
    }
    if (!govern_store_read(store, BT_GOVERNED_SUBMISSION_HANDOFF)) {
        return CLI_FAILED;
    }
    if (!govern_store_open(store, GOVERN_MAKE)) {
        const bool is_named = cli_given(store->run.options, &flag_store) != NULL;
        return is_named ? print_unavailable(store) : CLI_FAILED; /* not found: a usage error */
    }
    (void)govern_store_decide(store, false, &is_done);
    if (!is_done) {
        return print_unavailable(store);
    }
    status = bt_dispatch_write_response(&store->govern, store->submission.decision, &answer);
    return status == BT_OK ? print_response(&answer, answer.status == 200 ? CLI_DONE : CLI_REJECTED)
                           : print_status_error(status);
}

static int run_dispatch(const struct cli_options *options)
{
    struct cli_govern_store store;
    const bool ready = govern_store_begin(&store, options, true);
    return govern_store_end(&store, ready ? dispatch_handoff(&store) : CLI_FAILED);
}
