/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_run.h - shared by the commands about ledgers and stores: flags, opening, output. */
#ifndef BATON_APP_CLI_LEDGER_RUN_H
#define BATON_APP_CLI_LEDGER_RUN_H

#include <baton/ledger_proof.h>

#include "cli.h"

extern const struct cli_flag flag_store;
extern const struct cli_flag flag_store_root;
extern const struct cli_flag flag_deadline;
extern const struct cli_flag flag_key;
extern const struct cli_flag flag_out;
extern const struct cli_flag flag_report_out;
extern const struct cli_flag flag_size;
extern const struct cli_flag flag_handoff;
extern const struct cli_flag flag_vkey;
extern const struct cli_flag flag_witness_key;
extern const struct cli_flag flag_require_witness;
extern const struct cli_flag flag_actor;

/* One run of such a command. */
struct cli_ledger_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_findings *alarms; /* about the ledger itself */
    struct bt_ledger *ledger;
    struct bt_error error;
    uint64_t deadline_ms; /* unless the flag is given; 0: the default */
};

/*
 * Make the environment and an arena. False after an error message; then do not call
 * ledger_run_end().
 */
bool ledger_run_begin(struct cli_ledger_run *run, const struct cli_options *options);
/* The location of the store according to the flags. False after an error message about a flag. */
bool ledger_run_where(struct cli_ledger_run *run, struct bt_ledger_options *out);
/* Open the ledger. False after an error message. */
bool ledger_run_open(struct cli_ledger_run *run, bool writing);
/*
 * Open the ledger for writing; create the SQLite store that --store names if it does not exist.
 * False after an error message.
 */
bool ledger_run_open_or_make(struct cli_ledger_run *run);
/* Print a warning when the ledger has a test key. */
void ledger_run_warn(const struct cli_ledger_run *run);
/* Close everything and return the exit code. */
int ledger_run_end(struct cli_ledger_run *run, int code);

/* Print an error about what could not be done. Returns CLI_FAILED. */
int ledger_run_failed(struct cli_ledger_run *run, const char *what);
/* True when there are alarms; they were reported as a document of dialect `ledger`. */
bool ledger_run_alarmed(struct cli_ledger_run *run);
/* Report judged documents and return the exit code. */
int ledger_run_report(struct cli_ledger_run *run, const struct bt_judgement *documents,
                      size_t count);

/* True when the output is JSON. */
bool ledger_run_is_json(const struct cli_options *options);
/*
 * Print, or write to the file that -o names, and free the buffer. Hidden characters are escaped.
 * Returns the exit code.
 */
int ledger_run_print(struct cli_ledger_run *run, struct bt_buf *buf);
/*
 * Print a document or a signed note, or write it to the file that -o names, byte for byte, and free
 * the buffer. Returns the exit code.
 */
int ledger_run_print_bytes(struct cli_ledger_run *run, struct bt_buf *buf);

/* The number that a flag gives, or `otherwise`. False after an error message. */
bool ledger_run_number(struct cli_ledger_run *run, const struct cli_flag *flag, uint64_t otherwise,
                       uint64_t *out);
/* Parse SEQ or ORIGIN#SEQ. False after an error message. */
bool ledger_run_seq(struct cli_ledger_run *run, const char *text, uint64_t *out);
/*
 * The keys that a flag gives, each a vkey or @FILE; *out is NULL when it was not given. False after
 * an error message.
 */
bool ledger_run_keys(struct cli_ledger_run *run, const struct cli_flag *flag,
                     enum bt_verifier_key_kind kind, struct bt_verifier_keys **out);
/* The actor. False after an error message. */
bool ledger_run_actor(struct cli_ledger_run *run, bt_str *out);

/* Start and stop a timer that exits with code 2 when the store does not respond in time. */
void ledger_run_watch(const struct cli_ledger_run *run);
void ledger_run_unwatch(void);

#endif
