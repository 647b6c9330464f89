/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.h - one run of `baton replay`: recorded documents judged again, beside what was decided.
 *
 *     range of the log -> spans -> OS threads: read, judge, compare -> changes in the order of seq
 */
#ifndef BATON_APP_REPLAY_REPLAY_H
#define BATON_APP_REPLAY_REPLAY_H

#include "cli/contract_run.h"
#include "cli/govern_run.h"
#include "cli/organism_file.h"
#include "cli/run.h"
#include "cli/universal_run.h"
#include "dialect/plan/plan.h"
#include "ledger/recorded.h"

/* Entries of one job: enough to begin a transaction for, few enough to share among threads. */
enum { REPLAY_SPAN = 64 };

/* Why a recorded document was not judged again. */
enum replay_reason {
    REPLAY_REASON_NONE = 0,
    REPLAY_REASON_NOT_KEPT,
    REPLAY_REASON_REDACTED,
    REPLAY_REASON_TRUNCATED,
    REPLAY_REASON_STATEFUL, /* it was rejected only for what a replay cannot look at */
    REPLAY_REASON_ROOT,     /* it was judged with another governed root */
    REPLAY_REASON_FAILED,   /* the other program gave no report */
    REPLAY_REASON__MAX,
};

/* The name of a reason in reports. */
bt_str replay_reason_name(enum replay_reason reason);

/* One verdict, with the sorted codes of the findings that rejected. */
struct replay_side {
    bool is_rejected;
    const bt_str *codes;
    size_t code_count;
};

/* A document whose verdict, or with --codes whose set of codes, differs. */
struct replay_change {
    uint64_t seq;
    enum bt_dialect_id dialect;
    bt_str handoff_id;
    struct replay_side was;
    struct replay_side is;
};

struct replay_counts {
    uint64_t candidates;
    uint64_t judged;
    uint64_t same;
    uint64_t changed;
    uint64_t unjudged[REPLAY_REASON__MAX];
};

/* A part of the range, read and judged by one thread. */
struct replay_span {
    uint64_t first;
    uint64_t end;
    struct replay_counts counts;
    struct replay_change *items; /* in the order of seq, in the memory of the thread */
    size_t count;
    size_t capacity;
    enum bt_status status;
    struct bt_error error;
};

/* Another Baton, which judges instead of this program. */
struct replay_program {
    const char *path; /* NULL: this program judges */
    char **arguments; /* what every call has, without `check` and the flags of a document */
    size_t argument_count;
    bt_str version;
    bt_str rules;        /* digest of its rules */
    const bt_str *unmet; /* codes that it says need what a replay does not have, sorted */
    size_t unmet_count;
};

/* How documents are judged. Threads share it. */
struct replay_settings {
    struct bt_universal_options universal;
    struct cli_contract contract;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct cli_governed governed;
    struct bt_dir *root;
    bt_str manifest; /* digests of the files of the governed root, or "" */
    bt_str lock;
    unsigned needs_met; /* set of enum bt_rule_need */
    bool compares_codes;
    struct bt_str_list dialects;
    struct replay_program program;
};

struct replay_run;

/* What one OS thread works with. */
struct replay_worker {
    struct replay_run *run;
    struct bt_env env;
    struct bt_recorded_memory memory;
    struct bt_arena results; /* changes */
    struct bt_checker *checker;
    struct bt_ledger *ledger; /* that of the run for the first worker */
    struct bt_plan_options plan;
    struct replay_span *span; /* being read */
};

struct replay_run {
    struct cli_run *cli;
    struct bt_ledger_options where;
    struct replay_settings settings;
    uint64_t first;
    uint64_t end;
    struct replay_worker *workers;
    size_t worker_count;
    struct replay_span *spans;
    size_t span_count;
    struct replay_counts counts; /* of all spans */
};

/* ---- Settings: settings.c -------------------------------------------------------------------- */

/* Read the flags that say how to judge, and open what they name. False after an error message. Call
 * replay_settings_close() in either case. */
bool replay_settings_open(struct cli_run *cli, struct replay_settings *out);
void replay_settings_close(struct replay_settings *settings);
/* Put the digest of the policy that the settings amount to. False after an error message. */
bool replay_settings_policy(struct cli_run *cli, const struct replay_settings *settings,
                            bt_str *out);

/* ---- Judging: judge.c ------------------------------------------------------------------------ */

/* The dialect as which the document is to be judged. */
enum bt_dialect_id replay_dialect(const struct bt_recorded_handoff *handoff);

/*
 * Judge a recorded document, add it to the counts of the worker's span and, when it changed, to its
 * changes. It is the bt_recorded_fn of a worker.
 */
enum bt_status replay_judge(void *context, const struct bt_recorded_handoff *handoff);

/* ---- Another program: program.c -------------------------------------------------------------- */

/* Find out what the program of --program is, if it is given. False after an error message. */
bool replay_program_open(struct cli_run *cli, struct replay_settings *settings);
/*
 * Let the program judge a document: the codes of its blocking findings, in the arena of work, with
 * their number. False: it gave no report.
 */
bool replay_program_judge(struct replay_worker *worker, const struct bt_recorded_handoff *handoff,
                          const bt_str **out_codes, size_t *out_count);

/* ---- The whole range: spans.c ---------------------------------------------------------------- */

/* Judge everything between run->first and run->end. False after an error message. Call
 * replay_spans_free() in either case. */
bool replay_spans_judge(struct replay_run *run);
void replay_spans_free(struct replay_run *run);

/* ---- Output: output.c ------------------------------------------------------------------------ */

/* Print the result in the format of the flags. Returns CLI_DONE or CLI_FAILED. */
int replay_print(struct replay_run *run);

#endif
