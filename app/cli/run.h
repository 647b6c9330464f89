/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one run of a command: environment, memory, report, store; flags and output of stores. */
#ifndef BATON_APP_CLI_RUN_H
#define BATON_APP_CLI_RUN_H

#include "cli.h"
#include "input.h"
#include "ledger/ledger.h"
#include "ledger/proof_api.h"
#include "transcript/usage.h"

/*
 * One run of a command. The environment, the memory and the list of alarms are always there; the
 * other parts are made when they are first needed.
 */
struct cli_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_report *report;   /* see cli_run_report() */
    struct bt_findings *alarms; /* about the ledger itself */
    struct bt_ledger *ledger;
    struct bt_error error;
    uint64_t deadline_ms;                /* unless the flag is given; 0: the default */
    uint64_t cache_kib;                  /* of SQLite; 0: the default */
    bool stdin_read;                     /* see cli_run_read() */
    bool failed;                         /* something failed for a reason other than a document */
    struct cli_contract_run *contract;   /* see contract_run_begin() */
    struct cli_govern_run *govern;       /* see govern_run_begin() */
    struct cli_plan_run *plan;           /* see plan_run_begin() */
    struct cli_universal_run *universal; /* see universal_run_begin() */
    struct cli_schema_run *schema;       /* see schema_run_begin() */
};

/* Begin a run. False after an error message. Call cli_run_end() in either case. */
bool cli_run_begin(struct cli_run *run, const struct cli_options *options);
/* Free everything and return `code`. */
int cli_run_end(struct cli_run *run, int code);
/* Run the command of these options: its `begin`, then its `work`. Returns the exit code. */
int cli_run_command(const struct cli_options *options);

/*
 * Read the document that an operand or a flag names. Standard input can be read once. False after
 * an error message.
 */
bool cli_run_read(struct cli_run *run, const char *operand, struct cli_input *out);
/*
 * Open the transcript of an agent host; close it with bt_transcript_close(). False after an error
 * message.
 */
bool cli_run_open_transcript(struct cli_run *run, bt_str path, struct bt_transcript_reader **out);
/*
 * Count what was spent according to a transcript; that of a session of Claude Code brings those of
 * its subagents with it. cmd_budget.c. False after an error message.
 */
bool cli_run_count_usage(struct cli_run *run, bt_str path, struct bt_usage *usage);
/* The report of the run. NULL after an error message. */
struct bt_report *cli_run_report(struct cli_run *run);
/* Add a document to the report. False after an error message. */
bool cli_run_report_add(struct cli_run *run, const struct bt_judgement *judged);
/*
 * Write the report, with more members in the JSON formats. Returns the exit code for its verdicts.
 */
int cli_run_report_write(struct cli_run *run, bt_str members);

/* The exit code for the verdicts of the report. */
int cli_run_report_code(const struct cli_run *run);
/* Add a document to the report and write it, as cli_run_report_write() does. */
int cli_run_report_one(struct cli_run *run, const struct bt_judgement *judged, bt_str members);

/* How a command opens its store. */
enum cli_access {
    CLI_READ = 1,
    CLI_WRITE,
    CLI_MAKE,     /* create the SQLite store that --store names if it does not exist */
    CLI_READ_ANY, /* a log of decisions or of statements */
    CLI_SIGN_ANY, /* such a log, with its key */
};

/* What the flags say about every ledger, without a store. False after an error message. */
bool cli_run_find_options(struct cli_run *run, struct bt_ledger_options *out);
/* The location of the store according to the flags. False after an error message about a flag. */
bool cli_run_find_store(struct cli_run *run, struct bt_ledger_options *out);
/* Open the ledger. False after an error message. */
bool cli_run_open_ledger(struct cli_run *run, enum cli_access access);
/*
 * Check that the ledger is not older than this node has seen. False after an error message on
 * standard error, for commands whose standard output belongs to a protocol.
 */
bool cli_run_check_ledger(struct cli_run *run);
/* Put the members about a new ledger, and print notes about its key. cmd_ledger_init.c. */
struct bt_emit;
void cli_json_put_made(struct bt_emit *emit, const struct bt_ledger_init_result *made,
                       bt_str origin);
void cli_note_made_key(const struct bt_ledger_init_result *made);
/* Print a warning when the ledger has a test key. */
void cli_run_warn_of_test_key(const struct cli_run *run);
/* Print a note when a receipt at this size is one that some verifiers refuse. */
void cli_run_warn_of_empty_path(enum bt_receipt_format format, uint64_t size);

/* Print an error about what could not be done. Returns CLI_FAILED. */
int cli_run_failed(struct cli_run *run, const char *what);
/* True when there are alarms; they were reported as a document of dialect `ledger`. */
bool cli_run_alarmed(struct cli_run *run);

/* Put "recorded REF: ", which begins a line about an entry of the run's ledger. */
void cli_run_put_reference(struct cli_run *run, struct bt_buf *buf, uint64_t seq);
/*
 * Put the line about a recorded document, "recorded REF: VERDICT DIALECT FROM -> TO"; with --quiet
 * only when it was rejected.
 */
void cli_run_put_recorded(struct cli_run *run, struct bt_buf *buf,
                          const struct bt_submission *item);

/* True when the output is JSON. */
bool cli_run_is_json(const struct cli_options *options);
/*
 * Print, or write to the file that -o names, and free the buffer. Hidden characters are escaped.
 * Returns the exit code.
 */
int cli_run_print(struct cli_run *run, struct bt_buf *buf);
/*
 * Print a document or a signed note, or write it to the file that -o names, byte for byte, and free
 * the buffer. Returns the exit code.
 */
int cli_run_print_bytes(struct cli_run *run, struct bt_buf *buf);

/* The number that a flag gives, or `otherwise`. False after an error message. */
bool cli_run_number(struct cli_run *run, const struct cli_flag *flag, uint64_t otherwise,
                    uint64_t *out);
/* The version of entries that --entries names. False after an error message. */
bool cli_run_entries(struct cli_run *run, unsigned otherwise, unsigned *out);
/* What the log that is to be made holds: a version of entries, or statements. False after an error
 * message. */
bool cli_run_new_entries(struct cli_run *run, struct bt_ledger_init_options *out);
/* The time that a flag gives, if it is given. False after an error message. */
bool cli_run_instant(struct cli_run *run, const struct cli_flag *flag, bool *out_has,
                     bt_instant *out);
/* Parse SEQ or ORIGIN#SEQ. False after an error message. */
bool cli_run_seq(struct cli_run *run, const char *text, uint64_t *out);
/*
 * The keys that a flag gives, each a vkey or @FILE; *out is NULL when it was not given. False after
 * an error message.
 */
bool cli_run_keys(struct cli_run *run, const struct cli_flag *flag, enum bt_verifier_key_kind kind,
                  struct bt_verifier_keys **out);
/*
 * The policy that --policy names, which takes the place of keys and witnesses; *out is unchanged
 * when it was not given. False after an error message.
 */
bool cli_run_policy(struct cli_run *run, struct bt_witness_policy **out);
/* The duration that a flag gives, in seconds; *out is unchanged when it was not given. False after
 * an error message. */
bool cli_run_duration(struct cli_run *run, const struct cli_flag *flag, uint64_t *out);
/* The actor. False after an error message. */
bool cli_run_actor(struct cli_run *run, bt_str *out);

/* Start and stop a timer that exits with code 2 when the store does not respond in time. */
void cli_run_watch(const struct cli_run *run);
void cli_run_unwatch(void);

#endif
