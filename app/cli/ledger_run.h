/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_run.h - what the commands about ledgers and stores share: flags, opening, output.
 */
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
    uint64_t deadline_ms; /* unless the flag says otherwise; 0: the usual one */
};

/* The world and an arena. False after a complaint; then there is nothing to end. */
bool ledger_run_begin(struct cli_ledger_run *run, const struct cli_options *options);
/* Where the flags say the store is. False after a complaint about a flag. */
bool ledger_run_where(struct cli_ledger_run *run, struct bt_ledger_options *out);
/* Open the ledger. False after a complaint. */
bool ledger_run_open(struct cli_ledger_run *run, bool writing);
/* Open it to write; a SQLite store that --store names is made when it is not there. */
bool ledger_run_open_or_make(struct cli_ledger_run *run);
/* Say it when anyone can compute the ledger's key. */
void ledger_run_warn(const struct cli_ledger_run *run);
/* Close everything and return the exit code. */
int ledger_run_end(struct cli_ledger_run *run, int code);

/* Complain about what could not be done. Returns CLI_FAILED. */
int ledger_run_failed(struct cli_ledger_run *run, const char *what);
/* Whether there are alarms; then they were reported as a document of dialect `ledger`. */
bool ledger_run_alarmed(struct cli_ledger_run *run);
/* Report judged documents and return the exit code. */
int ledger_run_report(struct cli_ledger_run *run, const struct bt_judgement *documents,
                      size_t count);

/* Whether the output is for programs. */
bool ledger_run_is_json(const struct cli_options *options);
/* Print, or write to the file that -o names, and free the buffer. Hidden characters are escaped.
 * Returns the exit code. */
int ledger_run_print(struct cli_ledger_run *run, struct bt_buf *buf);
/* The same for a document or a signed note, byte by byte. */
int ledger_run_print_bytes(struct cli_ledger_run *run, struct bt_buf *buf);

/* A number that a flag gives, or `otherwise`. False after a complaint. */
bool ledger_run_number(struct cli_ledger_run *run, const struct cli_flag *flag, uint64_t otherwise,
                       uint64_t *out);
/* SEQ or ORIGIN#SEQ. False after a complaint. */
bool ledger_run_seq(struct cli_ledger_run *run, const char *text, uint64_t *out);
/* Keys that a flag gives, each a vkey or @FILE; NULL in *out when it was not given. */
bool ledger_run_keys(struct cli_ledger_run *run, const struct cli_flag *flag,
                     enum bt_verifier_key_kind kind, struct bt_verifier_keys **out);
/* Who is acting. False after a complaint. */
bool ledger_run_actor(struct cli_ledger_run *run, bt_str *out);

/* Give up with exit 2 when the store does not answer in time; end the watch again. */
void ledger_run_watch(const struct cli_ledger_run *run);
void ledger_run_unwatch(void);

#endif
