/* SPDX-License-Identifier: Apache-2.0 */
/* schema_run.h - the runs of the commands about schemas, and the files that schemas refer to. */
#ifndef BATON_APP_CLI_SCHEMA_RUN_H
#define BATON_APP_CLI_SCHEMA_RUN_H

#include <baton/schema.h>
#include "base/env.h"

#include "base/file.h"
#include "run.h"

/* A URI without a document. */
struct cli_schema_missing {
    bt_str uri;
    bt_str hint;    /* the reason, and what to do */
    bt_str path;    /* of a file that exists but is not JSON, for messages; else "" ... */
    bt_str content; /* ... and its content */
    bool reported;
    struct cli_schema_missing *next;
};

struct cli_schema_dir {
    const struct bt_env *env;
    struct bt_arena *arena; /* what was read lives here */
    const char *folder;     /* as it was given; NULL: none */
    bt_str real;            /* its absolute path with links resolved */
    struct bt_dir *root;
    struct cli_schema_missing *misses; /* newest first */
};

/* Open `folder`, which may be NULL. False after an error message. */
bool schema_root_open(struct cli_schema_dir *root, const char *folder, const struct bt_env *env,
                      struct bt_arena *arena);
/* Close it. */
void schema_root_close(struct cli_schema_dir *root);

/* The base URI of the schema at `path`: "" without a directory, "/" when it lies outside. */
BT_MUST_USE enum bt_status schema_root_uri(const struct cli_schema_dir *root, bt_str path,
                                           bt_str *out);

/* Finds files below the directory, if there is one; the context is a struct cli_schema_dir. */
bt_schema_resolve_fn schema_root_resolve;

/*
 * The hint for a reference (as the schema writes it) that could not be resolved; "" when its URI
 * was never requested.
 */
bt_str cli_schema_dir_put_hint(const struct cli_schema_dir *root, bt_str ref);

/* What the commands about schemas share, as a part of a run. */
struct cli_schema_run {
    struct bt_arena work; /* for one instance at a time */
    struct cli_schema_dir root;
};

/* A document that was read. */
struct cli_schema_input {
    struct cli_input input;
    const struct bt_json_doc *document; /* NULL: not JSON */
    struct bt_findings *findings;       /* of the stage read; more may be added */
    uint32_t line;                      /* within a larger text, from 1; 0: the whole text */
};

/* Make run->schema and the report. */
cli_begin_fn schema_run_begin;
void schema_run_free(struct cli_schema_run *schema);

/* Print the error for a status that is not about the document at `path`. */
void schema_run_fail(struct cli_run *run, bt_str path, enum bt_status status);

/*
 * Read the bytes of an operand; `bytes_max` as for cli_input_read(). False after an error message.
 */
bool schema_run_open(struct cli_run *run, const char *operand, uint64_t bytes_max,
                     struct cli_input *out);

/* One document among the instances. */
struct cli_schema_instance {
    struct cli_input input;
    uint32_t line;               /* in a file of JSON Lines, from 1; 0: the whole file */
    struct bt_arena_mark before; /* position of run->arena before the document */
};

/* Read a document, which lives in `arena`. out->findings has its errors. */
BT_MUST_USE enum bt_status schema_run_read(struct cli_run *run,
                                           const struct cli_schema_instance *instance,
                                           struct bt_arena *arena, struct cli_schema_input *out);

typedef enum bt_status cli_schema_instance_fn(void *context,
                                              const struct cli_schema_instance *instance);

/*
 * Call `each` for the document that an operand names or, with `is_lines`, for each of its lines
 * that is not blank. Errors are printed.
 */
void schema_run_each(struct cli_run *run, const char *operand, bool is_lines,
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
bool schema_run_compile(struct cli_run *run, const char *operand, struct cli_schema_compiled *out);

/* Finish the findings and add the document to the report. `facts` must live in run->arena. */
BT_MUST_USE enum bt_status schema_run_report(struct cli_run *run,
                                             const struct cli_schema_input *input,
                                             enum bt_dialect_id dialect, bt_str facts);

/* Print the report if it is not empty; return the exit code. */
int schema_run_end(struct cli_run *run);
/* Print the report or, if it is empty, `result`; free `result`; return the exit code. */
int schema_run_end_with(struct cli_run *run, struct bt_buf *result);

#endif
