/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_run.h - shared by the commands of `baton schema`: they read and compile schemas and report
 * errors of schemas and instances as `check` does.
 */
#ifndef BATON_APP_CLI_SCHEMA_RUN_H
#define BATON_APP_CLI_SCHEMA_RUN_H

#include <baton/schema.h>

#include "cli.h"
#include "input.h"
#include "schema_dir.h"

struct cli_schema_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena; /* what the report shows */
    struct bt_arena work;  /* for one instance at a time */
    struct bt_report *report;
    struct cli_schema_dir root;
    bool stdin_read;
    bool failed; /* something failed for a reason other than a document */
};

/* A document that was read. */
struct cli_schema_input {
    struct cli_input input;
    const struct bt_json_doc *document; /* NULL: not JSON */
    struct bt_findings *findings;       /* of the stage read; more may be added */
    uint32_t line;                      /* within a larger text, from 1; 0: the whole text */
};

/* Begin a run. False after an error message; else call schema_run_end(). */
bool schema_run_begin(struct cli_schema_run *run, const struct cli_options *options);

/* Print the error for a status that is not about the document at `path`. */
void schema_run_fail(struct cli_schema_run *run, bt_str path, enum bt_status status);

/*
 * Read the bytes of an operand; `bytes_max` as for cli_input_read(). False after an error message.
 */
bool schema_run_open(struct cli_schema_run *run, const char *operand, uint64_t bytes_max,
                     struct cli_input *out);

/* One document among the instances. */
struct cli_schema_instance {
    struct cli_input input;
    uint32_t line;               /* in a file of JSON Lines, from 1; 0: the whole file */
    struct bt_arena_mark before; /* position of run->arena before the document */
};

/* Read a document, which lives in `arena`. out->findings has its errors. */
BT_MUST_USE enum bt_status schema_run_read(struct cli_schema_run *run,
                                           const struct cli_schema_instance *instance,
                                           struct bt_arena *arena, struct cli_schema_input *out);

typedef enum bt_status cli_schema_instance_fn(void *context,
                                              const struct cli_schema_instance *instance);

/*
 * Call `each` for the document that an operand names or, with `is_lines`, for each of its lines
 * that is not blank. Errors are printed.
 */
void schema_run_each(struct cli_schema_run *run, const char *operand, bool is_lines,
                     cli_schema_instance_fn *each, void *context);

/* The monotonic clock in nanoseconds. */
bt_clock_ns_fn schema_run_clock;

/* A schema that was read and, if it is valid, compiled. */
struct cli_schema_compiled {
    struct cli_schema_input input;
    struct bt_schema_options options; /* with which it was compiled */
    struct bt_schema *schema;         /* NULL: input.findings says why, unless the run failed */
};

/*
 * Read and compile the schema that an operand names. False after an error message; else the caller
 * must destroy out->schema with bt_schema_destroy(). Referenced schemas that could not be read are
 * added to the report.
 */
bool schema_run_compile(struct cli_schema_run *run, const char *operand,
                        struct cli_schema_compiled *out);

/* Finish the findings and add the document to the report. `facts` must live in run->arena. */
BT_MUST_USE enum bt_status schema_run_report(struct cli_schema_run *run,
                                             const struct cli_schema_input *input,
                                             enum bt_dialect_id dialect, bt_str facts);

/* Print the report if it is not empty; free everything; return the exit code. */
int schema_run_end(struct cli_schema_run *run);
/*
 * Print the report or, if it is empty, `result`; free everything including `result`; return the
 * exit code.
 */
int schema_run_end_with(struct cli_schema_run *run, struct bt_buf *result);

#endif
