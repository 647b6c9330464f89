/* SPDX-License-Identifier: Apache-2.0 */
/* check_run.h - one run of `baton check`: how documents are judged, and by whom. */
#ifndef BATON_APP_CLI_CHECK_RUN_H
#define BATON_APP_CLI_CHECK_RUN_H

#include <pthread.h>

#include "check/found.h"
#include "check/path_list.h"
#include "check/queue.h"
#include "check/walk.h"
#include "check/watch_files.h"
#include "cli.h"
#include "config/select.h"
#include "contract_run.h"
#include "fix_files.h"
#include "govern_run.h"
#include "organism_file.h"
#include "plan_run.h"
#include "terminal.h"
#include "universal_run.h"

/* Sources may be kept for the excerpts of the report, so the memory of an OS thread has a limit. */
enum { CLI_CHECK_BYTES_MAX = 2000000000 };

/* How documents are judged. Threads share it; only the governed root is opened later. */
struct cli_check_settings {
    struct bt_universal_options universal;
    struct cli_contract contract;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct cli_governed governed;
    pthread_mutex_t governed_lock; /* held while its root is opened */
    struct bt_dir *root;           /* NULL: not given */
    struct cli_fix_run fixing;
    struct config_select select; /* which findings are shown */
};

/* What a job is about. */
enum cli_check_kind {
    CLI_CHECK_NAMED = 1,  /* a file that was named */
    CLI_CHECK_TEXT,       /* standard input or a flag; the content is there */
    CLI_CHECK_FOUND,      /* a file that a walk found */
    CLI_CHECK_FAILURE,    /* something that cannot be judged */
    CLI_CHECK_FOLDER_END, /* all of a folder was added before */
};

enum cli_check_outcome {
    CLI_CHECK_NONE = 0,
    CLI_CHECK_JUDGED,
    CLI_CHECK_FAILED,
    CLI_CHECK_UNRECOGNISED, /* it is not a document */
    CLI_CHECK_NO_BLOCK,     /* its name promises a contract block, and it has none */
    CLI_CHECK_NO_ENVELOPE,  /* its name promises a message, and it has no envelope */
};

/* What a walk through one folder found. */
struct cli_check_folder {
    struct check_walk_counts dropped; /* what the walk itself counted */
    bool has_repeated;                /* an earlier walk had read some of it */
};

/* One document, or what may be one, on its way from a path to a line of the report. */
struct cli_check_job {
    enum cli_check_kind kind;
    enum cli_check_outcome outcome;
    enum bt_dialect_id dialect; /* BT_DIALECT_NONE: recognise it */
    bool is_regular;            /* CLI_CHECK_FOUND */
    bt_str path;                /* as reports show it; ends in a NUL byte */
    bt_str real;                /* its absolute path; "" when it has none or nothing needs it */
    bt_str content;             /* CLI_CHECK_TEXT */
    union {
        struct {
            const struct bt_judgement *document;
            const struct bt_select_result *selected; /* what it used of the settings */
        } judged;
        struct {
            const char *verb; /* what could not be done */
            enum bt_failure_reason reason;
            bt_str message;
        } failure;
        struct cli_check_folder *folder; /* CLI_CHECK_FOLDER_END */
    } result;
};

struct cli_check_run;

/* What one OS thread works with. */
struct cli_check_worker {
    const struct cli_check_run *run;
    struct bt_env env;
    struct bt_arena arena;      /* results, until the run ends */
    struct bt_arena work;       /* emptied after each document */
    struct bt_checker *checker; /* made when it is needed */
    struct check_found_buffer *buffer;
    struct bt_universal_options universal; /* for the current document ... */
    enum bt_severity fail_level;
    uint64_t read_us; /* spent on reading and recognising, and on judging */
    uint64_t judge_us;
};

struct cli_check_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;    /* settings and jobs */
    struct bt_report *report; /* that of the options */
    struct cli_check_settings *settings;
    struct check_walk_options walk_options;
    struct check_walk *walk;
    struct check_queue *queue;
    struct cli_check_worker *workers;
    size_t worker_count;
    size_t taken; /* jobs */
    struct {
        size_t documents;
        size_t failures;
        size_t others;
    } folder; /* results since the last CLI_CHECK_FOLDER_END */
    struct cli_progress progress;
    struct check_watch *watch; /* NULL: this is the only run */
    bool has_ended;            /* a person ended the watch during the run */
    uint64_t begun_us;         /* times of bt_clock_monotonic_us(): the run began ... */
    uint64_t opened_us;        /* ... and everything that it needs was open */
};

/* The paths of the operands and of --files-from. False after an error message about the command
 * line. */
bool cli_check_take_paths(const struct cli_options *options, struct bt_arena *arena,
                          struct check_path_list *out);
/* The number of OS threads: --jobs, else the number of cores. False after an error message. */
bool cli_check_take_jobs(const struct cli_options *options, size_t *out);
/* What a walk drops, from the configuration and the flags. False after an error message. */
bool cli_check_walk_options(const struct cli_options *options, const struct config_select *select,
                            struct bt_arena *arena, struct check_walk_options *out);
/*
 * Which findings are shown, from the configuration and the flags. False after an error message; a
 * baseline that cannot be used is a failure of the report, anything else a usage error.
 */
bool cli_check_select_open(const struct cli_options *options, struct bt_arena *arena,
                           struct config_select *out);
/*
 * With --strict, let *options have a configuration that chooses nothing, in the arena. False after
 * an error message.
 */
bool cli_check_take_strict(struct cli_options *options, struct bt_arena *arena);

/* False with --progress never. */
bool cli_check_shows_progress(const struct cli_options *options);

/* True unless a universal handoff is of another trace than --previous; the job says so then. */
bool cli_check_is_next_hop(struct cli_check_worker *worker, struct cli_check_job *job,
                           enum bt_dialect_id dialect);
/* Make a job a failure. The message is copied to the arena. */
void cli_check_fail_job(struct cli_check_job *job, struct bt_arena *arena, const char *verb,
                        enum bt_failure_reason reason, bt_str message);

/*
 * Judge once and report. `watch` is NULL unless this is one run of several; *out_ended is true when
 * a person ended the watch. Returns the exit code.
 */
int cli_check_run_once(const struct cli_options *options, const struct check_path_list *paths,
                       struct check_watch *watch, bool *out_ended);

/* Judge again and again, until a person ends it. Returns the exit code of the last run. */
int cli_check_watch_paths(const struct cli_options *options, const struct check_path_list *paths);

/* Make the workers and the queue. False after an error message; the report has the failure. */
bool cli_check_start(struct cli_check_run *run);
/* End the threads and free what the workers hold. */
void cli_check_stop(struct cli_check_run *run);

#endif
