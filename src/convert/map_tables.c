/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_tables.c - what goes where when a document is converted, one table per kind of document.
 */
#include "convert/map.h"

#define WORKING "/handoff/payload/working"
#define STATE "/handoff/payload/session/state"
#define OTHER_BYTES "it covered other bytes; a new seal is made"
#define ATTESTATION "an attestation does not hold for other bytes"
#define CONSENT "consent is not transferable"
#define PROMISE "it is a promise within the plan"

/* clang-format off */
static const struct bt_convert_rule universal_2[] = {
    {"/handoff/version", BT_CARRY_COUNTED, "/handoff/version"},
    {"/handoff/timestamp", BT_CARRY_TIME, "/handoff/timestamp"},
    {"/handoff/expires_at", BT_CARRY_TIME, "/handoff/expires_at"},
    {"/handoff/source/skill", BT_CARRY_TEXT, "/handoff/source/skill"},
    {"/handoff/source/workflow_id", BT_CARRY_TEXT, "/handoff/source/workflow_id"},
    {"/handoff/source/session_path", BT_CARRY_TEXT, "/handoff/source/session_path"},
    {"/handoff/target/skill", BT_CARRY_TEXT, "/handoff/target/skill"},
    {"/handoff/context/original_prompt", BT_CARRY_TEXT, "/handoff/context/original_prompt"},
    {"/handoff/context/problem_type", BT_CARRY_TEXT, "/handoff/context/problem_type"},
    {"/handoff/context/synthesis_summary", BT_CARRY_SUMMARY, "/handoff/context/summary"},
    {"/handoff/context/reframed_challenge", BT_CARRY_WORKING, WORKING},
    /* Found in both places. */
    {"/handoff/insights", BT_CARRY_WORKING, WORKING},
    {"/handoff/context/insights", BT_CARRY_WORKING, WORKING},
    {"/handoff/research_seeds", BT_CARRY_WORKING, WORKING},
    {"/handoff/context/research_seeds", BT_CARRY_WORKING, WORKING},
    {"/handoff/meta/perspectives_completed", BT_CARRY_WORKING, WORKING},
    {"/handoff/meta/user_feedback", BT_CARRY_WORKING, WORKING},
    {"/handoff/meta/convergence_level", BT_CARRY_LEVEL, "/handoff/meta/confidence"},
    {"/handoff/meta/handoff_reason", BT_CARRY_TEXT, "/handoff/meta/handoff_reason"},
    {"/handoff/meta/handoff_chain", BT_CARRY_CHAIN, "/handoff/meta/handoff_chain"},
    {"/handoff/meta/payload_hash", BT_CARRY_NOT, OTHER_BYTES},
    {"/handoff/meta/payload_size_bytes", BT_CARRY_NOT, OTHER_BYTES},
    {NULL, BT_CARRY_NOT, NULL},
};

static const struct bt_convert_rule governed[] = {
    {"/protocol_version", BT_CARRY_COUNTED, "/handoff/version"},
    {"/handoff_id", BT_CARRY_TAG, "/handoff/tracing/tags"},
    {"/timestamp", BT_CARRY_TIME, "/handoff/timestamp"},
    {"/source_agent/agent_id", BT_CARRY_TEXT, "/handoff/source/skill"},
    {"/target_agent/agent_id", BT_CARRY_TEXT, "/handoff/target/skill"},
    {"/source_agent/*", BT_CARRY_NEVER, ATTESTATION},
    {"/target_agent/*", BT_CARRY_NEVER, ATTESTATION},
    {"/context/request/type", BT_CARRY_REQUEST, "/handoff/context/problem_type"},
    {"/context/request/description", BT_CARRY_SUMMARY, "/handoff/context/summary"},
    {"/context/request/input_data", BT_CARRY_WORKING, WORKING},
    {"/context/request/constraints", BT_CARRY_WORKING, WORKING},
    {"/context/request/expected_output", BT_CARRY_CRITERION, "/handoff/context/success_criteria"},
    {"/context/state/*", BT_CARRY_STATE, STATE},
    {"/governance", BT_CARRY_NEVER, ATTESTATION},
    {NULL, BT_CARRY_NOT, NULL},
};

static const struct bt_convert_rule contract[] = {
    {"/agent_status", BT_CARRY_WORKING, WORKING},
    {"/evidence_report", BT_CARRY_WORKING, WORKING},
    {"/consolidation_report/next_best_agent", BT_CARRY_TEXT, "/handoff/target/skill"},
    {"/approval_request", BT_CARRY_NEVER, CONSENT},
    {"/loop_state", BT_CARRY_STATE, STATE},
    {"/user_facing_summary", BT_CARRY_SUMMARY, "/handoff/context/summary"},
    {NULL, BT_CARRY_NOT, NULL},
};

static const struct bt_convert_rule contract_also[] = {
    {"/agent_status/agent_id", BT_CARRY_TAG, "/handoff/tracing/tags"},
    {"/agent_status/next_action", BT_CARRY_SUMMARY, "/handoff/context/summary"},
    {"/evidence_report/open_gaps", BT_CARRY_GAPS, "/handoff/context/known_gaps"},
    {NULL, BT_CARRY_NOT, NULL},
};

static const struct bt_convert_rule plan[] = {
    {"/row/step", BT_CARRY_TAG, "/handoff/tracing/tags"},
    {"/row/step_id", BT_CARRY_TAG, "/handoff/tracing/tags"},
    {"/row/agent", BT_CARRY_TEXT, "/handoff/source/skill"},
    {"/next/agent", BT_CARRY_TEXT, "/handoff/target/skill"},
    {"/row/action", BT_CARRY_SUMMARY, "/handoff/context/summary"},
    {"/row/inputs", BT_CARRY_WORKING, WORKING},
    {"/row/outputs", BT_CARRY_WORKING, WORKING},
    {"/row/notes", BT_CARRY_WORKING, WORKING},
    {"/row/status", BT_CARRY_STATE, STATE},
    {"/row/payload_schema_in", BT_CARRY_NEVER, PROMISE},
    {"/row/payload_schema_out", BT_CARRY_NEVER, PROMISE},
    {NULL, BT_CARRY_NOT, NULL},
};
/* clang-format on */

const struct bt_convert_table bt_carry_universal_2 = {.converted_from = "universal 2.0",
                                                      .rows = universal_2,
                                                      .phase = "unknown",
                                                      .hour = true,
                                                      .prompt = true};
const struct bt_convert_table bt_carry_governed = {.converted_from = "governed", .rows = governed};
const struct bt_convert_table bt_carry_contract = {
    .converted_from = "contract", .rows = contract, .also = contract_also};
const struct bt_convert_table bt_carry_plan = {.converted_from = "plan", .rows = plan};
