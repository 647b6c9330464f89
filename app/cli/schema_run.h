/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_run.h - what the commands of `baton schema` have in common: schemas and instances come in,
 * schemas are compiled, and what is wrong with either is reported as `check` reports it.
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
    struct bt_arena work;  /* instances, one after the other */
    struct bt_report *report;
    struct cli_schema_dir root;
    bool stdin_read;
    bool failed; /* something went wrong that is no fault of a document */
};

/* A document that was read. */
struct cli_schema_input {
    struct cli_input input;
    const struct bt_json_doc *document; /* NULL when it could not be read as JSON */
    struct bt_findings *findings;       /* of the read stage; more may be added */
    uint32_t line;                      /* of a larger text, from 1; 0: it is the whole */
};

/* False after a complaint. A run that began is given to schema_run_end(). */
bool schema_run_begin(struct cli_schema_run *run, const struct cli_options *options);

/* Complain of a status that is no fault of the document at `path`. */
void schema_run_fail(struct cli_schema_run *run, bt_str path, enum bt_status status);

/* The bytes of an operand; `bytes_max` as for cli_input_read(). False after a complaint. */
bool schema_run_open(struct cli_schema_run *run, const char *operand, uint64_t bytes_max,
                     struct cli_input *out);

/* One document among the instances. */
struct cli_schema_instance {
    struct cli_input input;
    uint32_t line;               /* of a file of JSON Lines, from 1; 0: it is the whole file */
    struct bt_arena_mark before; /* run->arena, before anything of the document was there */
};

/* Read a document; the document lives in `arena`. out->findings says what is wrong
 * with it. */
BT_MUST_USE enum bt_status schema_run_read(struct cli_schema_run *run,
                                           const struct cli_schema_instance *instance,
                                           struct bt_arena *arena, struct cli_schema_input *out);

typedef enum bt_status cli_schema_instance_fn(void *context,
                                              const struct cli_schema_instance *instance);

/* Call `each` for the document that an operand names or, when `is_lines`, for each line of it that
 * is not blank. What cannot be read or done is complained of. */
void schema_run_each(struct cli_schema_run *run, const char *operand, bool is_lines,
                     cli_schema_instance_fn *each, void *context);

/* Nanoseconds by the system's steady clock. */
bt_clock_ns_fn schema_run_clock;

/* A schema that was read, and perhaps compiled. */
struct cli_schema_compiled {
    struct cli_schema_input input;
    struct bt_schema_options options; /* with which it was, or would have been, compiled */
    struct bt_schema *schema;         /* NULL: input.findings says why, unless the run failed */
};

/* Read and compile the schema that an operand names. False after a complaint; else *out is given to
 * bt_schema_destroy(out->schema) by the caller. Schemas that could not be read although something
 * refers to them are added to the report. */
bool schema_run_compile(struct cli_schema_run *run, const char *operand,
                        struct cli_schema_compiled *out);

/* Finish the findings and add the document to the report. `facts` must live in run->arena. */
BT_MUST_USE enum bt_status schema_run_report(struct cli_schema_run *run,
                                             const struct cli_schema_input *input, bt_str dialect,
                                             bt_str facts);

/* Print the report, unless nothing is in it; free everything; return the exit code. */
int schema_run_end(struct cli_schema_run *run);
/* The same, but print `result` when the report is empty. Frees it in any case. */
int schema_run_end_with(struct cli_schema_run *run, struct bt_buf *result);

#endif
