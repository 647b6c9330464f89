/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member_names.c - the members that the schema of the block names, object by object.
 */
#include "dialect/contract/names.h"

const struct bt_contract_report_key bt_evidence_keys[BT_EVIDENCE_KEYS] = {
    {"patterns_checked", BT_CODE_PATTERNS_CHECKED, bt_add_patterns_checked},
    {"files_checked", BT_CODE_FILES_CHECKED, bt_add_files_checked},
    {"commands_run", BT_CODE_COMMANDS_RUN, bt_add_commands_run},
    {"key_outputs", BT_CODE_KEY_OUTPUTS, bt_add_key_outputs},
    {"verbatim_outputs", BT_CODE_VERBATIM_OUTPUTS, bt_add_verbatim_outputs},
    {"cross_layer_impacts", BT_CODE_CROSS_LAYER_IMPACTS, bt_add_cross_layer_impacts},
    {"open_gaps", BT_CODE_OPEN_GAPS, bt_add_open_gaps},
};

const struct bt_contract_report_key bt_consolidation_keys[BT_CONSOLIDATION_KEYS] = {
    {"ownership_assessment", BT_CODE_OWNERSHIP_ASSESSMENT, NULL},
    {"confirmed_findings", BT_CODE_CONFIRMED_FINDINGS, bt_add_confirmed_findings},
    {"suspected_findings", BT_CODE_SUSPECTED_FINDINGS, bt_add_suspected_findings},
    {"conflicts", BT_CODE_CONFLICTS, bt_add_conflicts},
    {"open_gaps", BT_CODE_OPEN_GAPS, bt_add_open_gaps},
    {"next_best_agent", BT_CODE_NEXT_BEST_AGENT, NULL},
};

static const char *const root[] = {
    "agent_status",       "evidence_report",     "consolidation_report",
    "approval_request",   "loop_state",          "user_facing_summary",
    "memory_suggestions", "update_contracts",    "memorialize_suggestions",
    "rollback_executed",  "context_consumption",
};
static const char *const status[] = {"plan_status", "agent_id", "pending_steps", "next_action"};
static const char *const evidence[] = {
    "patterns_checked", "files_checked",       "commands_run", "key_outputs",
    "verbatim_outputs", "cross_layer_impacts", "open_gaps",    "verification",
};
static const char *const consolidation[] = {
    "ownership_assessment", "confirmed_findings", "suspected_findings", "conflicts", "open_gaps",
    "next_best_agent",
};
static const char *const approval[] = {
    "operation",    "exact_content", "scope",     "risk_level",  "rollback",
    "verification", "approval_id",   "rationale", "command_set",
};
static const char *const loop[] = {
    "iteration", "max_iterations", "metric", "threshold", "direction",
};
static const char *const update[] = {"contract", "payload"};

#define NAMED(pointer, names)                                                                      \
    {                                                                                              \
        (pointer), (names), sizeof(names) / sizeof((names)[0])                                     \
    }

const struct bt_contract_object_row bt_named_objects[BT_CONTRACT_OBJECT__MAX] = {
    [BT_CONTRACT_OBJECT_ROOT] = NAMED("", root),
    [BT_CONTRACT_OBJECT_STATUS] = NAMED("/agent_status", status),
    [BT_CONTRACT_OBJECT_EVIDENCE] = NAMED("/evidence_report", evidence),
    [BT_CONTRACT_OBJECT_CONSOLIDATION] = NAMED("/consolidation_report", consolidation),
    [BT_CONTRACT_OBJECT_APPROVAL] = NAMED("/approval_request", approval),
    [BT_CONTRACT_OBJECT_LOOP] = NAMED("/loop_state", loop),
    [BT_CONTRACT_OBJECT_UPDATE] = NAMED("/update_contracts", update),
};
