/* SPDX-License-Identifier: Apache-2.0 */
/* contract_texts.c - contract blocks without stored state: one to fill in; merged sections. */
#include "operation/contract_json.h"
#include "operation/operation.h"

enum bt_status bt_op_contract_template(struct bt_call *work, const struct bt_args *args)
{
    const bt_str status = bt_args_text(args, BT_ARG_CONTRACT_TEMPLATE_STATUS);
    struct bt_contract_template wanted = {
        .agent_id = bt_args_text(args, BT_ARG_CONTRACT_TEMPLATE_AGENT_ID),
        .consolidation_required =
            bt_args_bool(args, BT_ARG_CONTRACT_TEMPLATE_CONSOLIDATION_REQUIRED)};
    if (status.len > 0 && bt_contract_status_parse(status, &wanted.status) != BT_OK) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/status"),
                                     "IN_PROGRESS, APPROVAL_REQUEST, COMPLETE, BLOCKED or "
                                     "NEEDS_INPUT");
    }
    if (wanted.agent_id.len > 0 && !bt_agent_id_is_valid(wanted.agent_id)) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/agent_id"),
                                     "`a` and 5 to 127 lower-case hexadecimal digits");
    }
    if (bt_args_bool(args, BT_ARG_CONTRACT_TEMPLATE_GUIDE)) {
        bt_emit_contract_guide(&work->answer->body, &wanted);
    } else {
        bt_emit_contract_template(&work->answer->body, &wanted, false);
    }
    return bt_result_set_done(work);
}

enum bt_status bt_op_contract_merge(struct bt_call *work, const struct bt_args *args)
{
    const bt_str stored = bt_args_source(args, BT_ARG_CONTRACT_MERGE_STORED);
    const struct bt_contract_document document = {
        .path = BT_STR("document"), .text = bt_args_source(args, BT_ARG_CONTRACT_MERGE_PAYLOAD)};
    struct bt_contract_checker *contract = NULL;
    struct bt_contract_merge_result merged;
    struct bt_json_read_result read = {0};
    BT_TRY(bt_checker_contract(work->service->checker, &contract));
    /* from: caller */
    BT_TRY(bt_json_read(work->arena, stored, NULL, &read));
    if (!read.document || bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return bt_result_set_problem(work, BT_PROBLEM_PARAMETER_INVALID, BT_STR("/stored"),
                                     "it is not a JSON object");
    }
    BT_TRY(bt_contract_merge_section(contract, work->arena, read.document, &document, &merged));
    return bt_result_set_report(work, &merged.judged, 1, merged.members);
}
