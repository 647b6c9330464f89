/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_contract_normalize.c - baton contract normalize REF...
 */
#include "commands.h"
#include "contract_run.h"
#include "output.h"
#include "print.h"

enum { TEXT_BYTES_MAX = 64 << 20 };

static cli_run_fn run;

const struct cli_command cmd_contract_normalize = {
    .name = "baton contract normalize",
    .operands = "REF...",
    .summary = "write addresses of repositories the same way",
    .about =
        "Prints the identity of each remote address, host/owner/repo, one a line; with -f json "
        "also the canonical form of a reference, host/owner/repo:table/name. Users, passwords "
        "and default ports are dropped. What is given is never repeated, because it may hold "
        "a secret.\n",
    .missing = "normalize what? give an address",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .operand_kind = CLI_ANY,
    .flags = CLI_FLAGS(&flag_table_format, &flag_help),
    .examples = CLI_EXAMPLES(
        {"baton contract normalize git@github.com:Owner/Repo.git", "prints github.com/owner/repo"}),
    .run = run,
};

static void put_address(struct bt_emit *emit, const struct bt_repo_address *address)
{
    bt_emit_begin_object(emit);
    bt_emit_name(emit, "valid");
    bt_emit_bool(emit, address->valid);
    bt_emit_member_string_or_null(emit, "identity", address->identity);
    bt_emit_member_string_or_null(emit, "suffix", address->suffix);
    bt_emit_member_string_or_null(emit, "canonical", address->canonical);
    bt_emit_name(emit, "dropped");
    bt_emit_begin_array(emit);
    if ((address->dropped & BT_REPO_ADDRESS_REMOVED_CREDENTIALS) != 0) {
        bt_emit_string(emit, BT_STR("credentials"));
    }
    if ((address->dropped & BT_REPO_ADDRESS_REMOVED_USER) != 0) {
        bt_emit_string(emit, BT_STR("user"));
    }
    if ((address->dropped & BT_REPO_ADDRESS_REMOVED_PORT) != 0) {
        bt_emit_string(emit, BT_STR("port"));
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Put all addresses, as lines or as JSON; *out_valid is false when one has no identity. */
static enum bt_status put_all(struct cli_contract_run *run, struct bt_buf *buf, bool *out_valid)
{
    const bool json = cli_wants_json(run->options);
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    if (json) {
        bt_emit_begin_object(&emit);
        bt_emit_member_u64(&emit, "baton", 1);
        bt_emit_name(&emit, "refs");
        bt_emit_begin_array(&emit);
    }
    for (size_t i = 0; i < run->options->operand_count; i++) {
        const bt_str given = bt_str_of(run->options->operands[i]);
        struct bt_repo_address address = {0};
        if (bt_utf8_check(given) == given.len) { /* other bytes are not an address */
            BT_TRY(bt_repo_address_parse(&run->arena, given, &address));
        }
        *out_valid = *out_valid && address.valid;
        if (json) {
            put_address(&emit, &address);
        } else {
            bt_buf_put(buf, address.valid ? address.identity : BT_STR("(invalid)"));
            bt_buf_put_char(buf, '\n');
        }
    }
    if (json) {
        bt_emit_end(&emit);
        bt_emit_end(&emit);
        bt_buf_put_char(buf, '\n');
    }
    return buf->status;
}

static int run(const struct cli_options *options)
{
    struct cli_contract_run run;
    struct bt_buf buf;
    bool valid = true;
    int code = CLI_FAILED;
    bt_buf_init(&buf, TEXT_BYTES_MAX);
    if (contract_run_begin(&run, options)) {
        const enum bt_status status = put_all(&run, &buf, &valid);
        code = status == BT_OK ? cli_print_buf(&buf) : contract_run_fail(status);
    }
    bt_buf_free(&buf);
    contract_run_end(&run);
    return code == CLI_DONE && !valid ? CLI_REJECTED : code;
}
