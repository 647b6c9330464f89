/* SPDX-License-Identifier: Apache-2.0 */
/* approvals_out.c - print approval requests for programs and for people. */
#include "approvals_out.h"

#include <unistd.h>

#include <baton/json.h>

#include "operation/approval_json.h"
#include "print.h"

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static void put_line(struct bt_buf *buf, const struct bt_approval *approval)
{
    bt_buf_put(buf, approval->id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->grant.len > 0 ? approval->grant : approval->status);
    bt_buf_put_char(buf, ' ');
    bt_buf_put_printable(buf, approval->workspace, SIZE_MAX);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->agent_id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->requested_at);
    bt_buf_put_char(buf, '\n');
}

/* Put every command that a grant of the request covers, below its line. */
static enum bt_status put_commands(struct cli_gate_run *run, struct bt_buf *buf,
                                   const struct bt_approval *approval)
{
    struct bt_op_approval_json_commands commands;
    BT_TRY(bt_op_approval_commands(&run->contract.env, &run->contract.arena, approval->payload,
                                   &commands));
    bt_approval_put_commands(buf, &commands, 2);
    return BT_OK;
}

int cli_print_approvals(struct cli_gate_run *run, const struct bt_approval_list *approvals)
{
    const bool is_json = ledger_run_is_json(run->contract.options);
    enum bt_status status = BT_OK;
    struct bt_emit emit;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    if (is_json) {
        bt_emit_begin_object(&emit);
        bt_emit_member_u64(&emit, "baton", 1);
        bt_emit_name(&emit, "approvals");
        bt_emit_begin_array(&emit);
    }
    for (size_t i = 0; i < approvals->count && status == BT_OK; i++) {
        if (is_json) {
            status = bt_emit_approval(&emit, &run->contract.env, &run->contract.arena,
                                      &approvals->items[i]);
            bt_emit_end(&emit);
        } else {
            put_line(&buf, &approvals->items[i]);
            status = put_commands(run, &buf, &approvals->items[i]);
        }
    }
    if (is_json) {
        bt_emit_end(&emit);
        bt_emit_end(&emit);
        bt_buf_put_char(&buf, '\n');
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return contract_run_fail(status);
    }
    return cli_print_buf(&buf);
}

/* ---- Answers --------------------------------------------------------------------------------- */

static enum bt_status put_text(struct cli_gate_run *run, struct bt_buf *buf,
                               const struct bt_approval_action_options *action_options,
                               const struct bt_approval_result *answer)
{
    put_line(buf, &answer->approval);
    if (action_options->act != BT_APPROVAL_ACTION_SHOW) {
        return BT_OK;
    }
    BT_TRY(bt_approval_put_text(buf, &run->contract.env, &run->contract.arena, &answer->approval));
    if (answer->approval.payload.len > 0) {
        bt_buf_put_text(buf, "payload: ");
        bt_buf_put_printable(buf, answer->approval.payload, SIZE_MAX);
        bt_buf_put_char(buf, '\n');
    }
    for (size_t i = 0; i < answer->event_count; i++) {
        const struct bt_approval_event *event = &answer->events[i];
        bt_buf_printf(buf, "%.*s %.*s %.*s %.*s\n", BT_STR_ARG(event->at), BT_STR_ARG(event->type),
                      BT_STR_ARG(event->actor), BT_STR_ARG(event->code));
    }
    return BT_OK;
}

bool cli_show_approval(struct cli_gate_run *run, const struct bt_approval_result *answer)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    put_line(&buf, &answer->approval);
    const bool is_shown = bt_approval_put_text(&buf, &run->contract.env, &run->contract.arena,
                                               &answer->approval) == BT_OK &&
                          cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
    if (!is_shown) {
        cli_print_error("cannot show the request");
    }
    return is_shown;
}

int cli_print_approval(struct cli_gate_run *run,
                       const struct bt_approval_action_options *action_options,
                       const struct bt_approval_result *answer)
{
    const bool is_done = bt_findings_count(answer->findings) == 0;
    enum bt_status status = BT_OK;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (ledger_run_is_json(run->contract.options)) {
        status = bt_emit_approval_result(&buf, &run->contract.env, &run->contract.arena,
                                         action_options, answer);
    } else if (is_done) {
        status = put_text(run, &buf, action_options, answer);
    } else {
        const struct bt_finding *why = bt_findings_at(answer->findings, 0);
        cli_print_error("%.*s: %.*s", BT_STR_ARG(why->rule->code), BT_STR_ARG(why->message));
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return contract_run_fail(status);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_done ? CLI_REJECTED : code;
}
