/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - the rows of the table of commands; each stands in the file of its name.
 */
#ifndef BATON_APP_CLI_COMMANDS_H
#define BATON_APP_CLI_COMMANDS_H

#include "cli.h"

extern const struct cli_command cmd_approvals;
extern const struct cli_command cmd_check;
extern const struct cli_command cmd_completion;
extern const struct cli_command cmd_compress;
extern const struct cli_command cmd_config;
extern const struct cli_command cmd_contract;
extern const struct cli_command cmd_contract_input;
extern const struct cli_command cmd_contract_merge;
extern const struct cli_command cmd_contract_normalize;
extern const struct cli_command cmd_contract_repair_prompt;
extern const struct cli_command cmd_contract_sections;
extern const struct cli_command cmd_contract_state;
extern const struct cli_command cmd_contract_submit;
extern const struct cli_command cmd_contract_template;
extern const struct cli_command cmd_convert;
extern const struct cli_command cmd_discover;
extern const struct cli_command cmd_explain;
extern const struct cli_command cmd_handler_host;
extern const struct cli_command cmd_govern;
extern const struct cli_command cmd_govern_blocked;
extern const struct cli_command cmd_govern_boundaries;
extern const struct cli_command cmd_govern_boundaries_show;
extern const struct cli_command cmd_govern_dispatch;
extern const struct cli_command cmd_govern_lock;
extern const struct cli_command cmd_govern_lock_update;
extern const struct cli_command cmd_govern_lock_verify;
extern const struct cli_command cmd_govern_path;
extern const struct cli_command cmd_govern_respond;
extern const struct cli_command cmd_govern_submit;
extern const struct cli_command cmd_govern_unblock;
extern const struct cli_command cmd_govern_verify_root;
extern const struct cli_command cmd_help;
extern const struct cli_command cmd_hook;
extern const struct cli_command cmd_hook_install;
extern const struct cli_command cmd_hook_status;
extern const struct cli_command cmd_hook_uninstall;
extern const struct cli_command cmd_json;
extern const struct cli_command cmd_json_canon;
extern const struct cli_command cmd_json_diff;
extern const struct cli_command cmd_json_fmt;
extern const struct cli_command cmd_json_get;
extern const struct cli_command cmd_json_min;
extern const struct cli_command cmd_json_patch;
extern const struct cli_command cmd_json_stringify;
extern const struct cli_command cmd_ledger;
extern const struct cli_command cmd_ledger_append;
extern const struct cli_command cmd_ledger_checkpoint;
extern const struct cli_command cmd_ledger_export;
extern const struct cli_command cmd_ledger_init;
extern const struct cli_command cmd_ledger_prove;
extern const struct cli_command cmd_ledger_prove_consistency;
extern const struct cli_command cmd_ledger_prove_inclusion;
extern const struct cli_command cmd_ledger_redact;
extern const struct cli_command cmd_ledger_rotate;
extern const struct cli_command cmd_ledger_show;
extern const struct cli_command cmd_ledger_tail;
extern const struct cli_command cmd_ledger_verify;
extern const struct cli_command cmd_ledger_verify_receipt;
extern const struct cli_command cmd_ledger_witness;
extern const struct cli_command cmd_man;
extern const struct cli_command cmd_mcp;
extern const struct cli_command cmd_serve;
extern const struct cli_command cmd_new;
extern const struct cli_command cmd_new_universal;
extern const struct cli_command cmd_plan;
extern const struct cli_command cmd_plan_audit;
extern const struct cli_command cmd_plan_schema;
extern const struct cli_command cmd_plan_schema_lint;
extern const struct cli_command cmd_plan_schema_load;
extern const struct cli_command cmd_plan_schema_strip;
extern const struct cli_command cmd_plan_status;
extern const struct cli_command cmd_plan_status_set;
extern const struct cli_command cmd_plan_trajectory;
extern const struct cli_command cmd_plan_validate;
extern const struct cli_command cmd_plan_waves;
extern const struct cli_command cmd_pump;
extern const struct cli_command cmd_pump_check;
extern const struct cli_command cmd_pump_ctl;
extern const struct cli_command cmd_pump_run;
extern const struct cli_command cmd_pump_send;
extern const struct cli_command cmd_pump_example;
extern const struct cli_command cmd_pump_prompt;
extern const struct cli_command cmd_pump_schema;
extern const struct cli_command cmd_registry;
extern const struct cli_command cmd_registry_lint;
extern const struct cli_command cmd_registry_sync;
extern const struct cli_command cmd_repair;
extern const struct cli_command cmd_rules;
extern const struct cli_command cmd_schema;
extern const struct cli_command cmd_schema_bench;
extern const struct cli_command cmd_schema_bundle;
extern const struct cli_command cmd_schema_check;
extern const struct cli_command cmd_schema_compat;
extern const struct cli_command cmd_schema_print;
extern const struct cli_command cmd_schema_strip;
extern const struct cli_command cmd_schema_validate;
extern const struct cli_command cmd_seal;
extern const struct cli_command cmd_store;
extern const struct cli_command cmd_store_retain;
extern const struct cli_command cmd_token;
extern const struct cli_command cmd_tokens;
extern const struct cli_command cmd_trace;
extern const struct cli_command cmd_trace_add;
extern const struct cli_command cmd_trace_parent;
extern const struct cli_command cmd_trace_show;
extern const struct cli_command cmd_version;
extern const struct cli_command cmd_write;

#endif
