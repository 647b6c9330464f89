/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approvals_out.c - requests for consent, written for programs and for people.
 */
#include "approvals_out.h"

#include <unistd.h>

#include <baton/json.h>

#include "say.h"
#include "service/approval_json.h"

enum { OUTPUT_BYTES_MAX = 1 << 30 };

static void put_line(struct bt_buf *buf, const struct bt_approval *approval)
{
    bt_buf_put(buf, approval->id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->grant.len > 0 ? approval->grant : approval->status);
    bt_buf_put_char(buf, ' ');
    bt_buf_put_visible(buf, approval->workspace, SIZE_MAX);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->agent_id);
    bt_buf_put_char(buf, ' ');
    bt_buf_put(buf, approval->requested_at);
    bt_buf_put_char(buf, '\n');
}

/* Every command that a grant of the request covers, below its line. */
static enum bt_status put_commands(struct gate_run *run, struct bt_buf *buf,
                                   const struct bt_approval *approval)
{
    struct approval_commands commands;
    BT_TRY(
        approval_commands(&run->contract.env, &run->contract.arena, approval->payload, &commands));
    approval_put_commands(buf, &commands, 2);
    return BT_OK;
}

int approvals_print_list(struct gate_run *run, const struct bt_approvals *approvals)
{
    const bool is_json = ledger_run_is_json(run->contract.options);
    enum bt_status status = BT_OK;
    struct bt_emit emit;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    bt_emit_init(&emit, &buf, false);
    if (is_json) {
        bt_emit_object(&emit);
        bt_emit_member_u64(&emit, "baton", 1);
        bt_emit_name(&emit, "approvals");
        bt_emit_array(&emit);
    }
    for (size_t i = 0; i < approvals->count && status == BT_OK; i++) {
        if (is_json) {
            status = approval_emit(&emit, &run->contract.env, &run->contract.arena,
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

static enum bt_status put_text(struct gate_run *run, struct bt_buf *buf,
                               const struct bt_approval_wish *wish,
                               const struct bt_approval_answer *answer)
{
    put_line(buf, &answer->approval);
    if (wish->act != BT_APPROVAL_SHOW) {
        return BT_OK;
    }
    BT_TRY(approval_put_text(buf, &run->contract.env, &run->contract.arena, &answer->approval));
    if (answer->approval.payload.len > 0) {
        bt_buf_put_text(buf, "payload: ");
        bt_buf_put_visible(buf, answer->approval.payload, SIZE_MAX);
        bt_buf_put_char(buf, '\n');
    }
    for (size_t i = 0; i < answer->event_count; i++) {
        const struct bt_approval_event *event = &answer->events[i];
        bt_buf_printf(buf, "%.*s %.*s %.*s %.*s\n", BT_STR_ARG(event->at), BT_STR_ARG(event->type),
                      BT_STR_ARG(event->actor), BT_STR_ARG(event->code));
    }
    return BT_OK;
}

bool approvals_show(struct gate_run *run, const struct bt_approval_answer *answer)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    put_line(&buf, &answer->approval);
    const bool is_shown = approval_put_text(&buf, &run->contract.env, &run->contract.arena,
                                            &answer->approval) == BT_OK &&
                          cli_write(STDERR_FILENO, bt_buf_str(&buf));
    bt_buf_free(&buf);
    if (!is_shown) {
        cli_complain("cannot show the request");
    }
    return is_shown;
}

int approvals_print_answer(struct gate_run *run, const struct bt_approval_wish *wish,
                           const struct bt_approval_answer *answer)
{
    const bool is_done = bt_findings_count(answer->findings) == 0;
    enum bt_status status = BT_OK;
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (ledger_run_is_json(run->contract.options)) {
        status = approval_put_answer(&buf, &run->contract.env, &run->contract.arena, wish, answer);
    } else if (is_done) {
        status = put_text(run, &buf, wish, answer);
    } else {
        const struct bt_finding *why = bt_findings_at(answer->findings, 0);
        cli_complain("%.*s: %.*s", BT_STR_ARG(why->rule->code), BT_STR_ARG(why->message));
    }
    if (status != BT_OK) {
        bt_buf_free(&buf);
        return contract_run_fail(status);
    }
    const int code = cli_print_buf(&buf);
    return code == CLI_DONE && !is_done ? CLI_REJECTED : code;
}
