/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_check.h - one plan and the stages of its check, for the files of this folder.
 *
 *     read (records, header, rows) -> schema (references) -> semantics (ids, words, chain)
 *
 * A HARD finding of reading ends the check: `is_readable` is false, and no later stage runs.
 */
#ifndef BATON_SRC_DIALECT_PLAN_PLAN_CHECK_H
#define BATON_SRC_DIALECT_PLAN_PLAN_CHECK_H

#include <baton/schema.h>

#include "base/civil_time.h"
#include "base/map.h"
#include "csv/csv.h"
#include "dialect/plan/plan.h"
#include "dialect/plan/references.h"
#include "report/add.h"

#define BT_ABSENT SIZE_MAX

struct bt_plan_checker {
    struct bt_env *env;
    struct bt_arena arena;    /* of this struct and what lives as long */
    struct bt_schema *meta;   /* of payload schemas */
    struct bt_schema *record; /* of trajectories */
    struct bt_schema_runner *runner;
    struct bt_schema_runner *payload_runner; /* within the limits of each validation */
    /* schemas that are judged before they are written: those with a text are read as if they were
     * there */
    const struct bt_plan_typed_schema *made_schemas;
    size_t made_count;
};

/* ---- Columns --------------------------------------------------------------------------------- */

/* The columns that mean something. Their names are in bt_plan_column_name(). */
enum bt_plan_column {
    BT_PLAN_COLUMN_STEP = 0,
    BT_PLAN_COLUMN_AGENT,
    BT_PLAN_COLUMN_ACTION,
    BT_PLAN_COLUMN_INPUTS,
    BT_PLAN_COLUMN_OUTPUTS,
    BT_PLAN_COLUMN_STATUS,
    BT_PLAN_COLUMN_NOTES,
    BT_PLAN_COLUMN_DEPENDS_ON,
    BT_PLAN_COLUMN_PHASE_ID,
    BT_PLAN_COLUMN_STEP_ID,
    BT_PLAN_COLUMN_PHASE_NAME,
    BT_PLAN_COLUMN_STEP_TITLE,
    BT_PLAN_COLUMN_DESCRIPTION,
    BT_PLAN_COLUMN_DELIVERABLE,
    BT_PLAN_COLUMN_DEPENDENCIES,
    BT_PLAN_COLUMN_PRIORITY,
    BT_PLAN_COLUMN_EFFORT,
    BT_PLAN_COLUMN_PAYLOAD_IN,
    BT_PLAN_COLUMN_PAYLOAD_OUT,
    BT_PLAN_COLUMN__MAX,
};

bt_str bt_plan_column_name(enum bt_plan_column column);

enum bt_plan_column_set {
    BT_PLAN_COLUMN_SET_UNKNOWN = 0,
    BT_PLAN_COLUMN_SET_RUNTIME,
    BT_PLAN_COLUMN_SET_PLANNING
};

/* ---- The plan -------------------------------------------------------------------------------- */

struct bt_plan_step {
    size_t row; /* its number, from 1 */
    bt_str id;
};

/* Two steps of which one hands its payload to the other. */
struct bt_plan_pair {
    size_t from; /* indexes of steps */
    size_t to;
};

enum bt_plan_pair_result {
    BT_PLAN_PAIR_UNKNOWN = 0,
    BT_PLAN_PAIR_TYPED,
    BT_PLAN_PAIR_UNTYPED,
    BT_PLAN_PAIR_MISMATCH
};

/* Steps that a step depends on. */
struct bt_plan_edges {
    const size_t *items; /* indexes of steps, rising, each once, never the step itself */
    size_t count;
};

/* The handoffs of a plan and what the two sides of each say. */
struct bt_plan_handoffs {
    const struct bt_plan_pair *pairs;
    const enum bt_plan_pair_result *results;
    size_t count;
    size_t typed;
    size_t untyped;
    size_t mismatched;
    bool is_by_dependencies; /* pairs were made of dependencies, else of neighbouring rows */
};

struct bt_plan_check {
    struct bt_plan_checker *plans;
    struct bt_plan_options options;
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the findings */
    bt_str text;
    const struct bt_csv_table *table; /* NULL: it could not be read */
    size_t at[BT_PLAN_COLUMN__MAX];   /* where a column stands, or BT_ABSENT */

    struct bt_plan_step *steps;
    size_t steps_count;
    struct bt_map ids;     /* step id -> 1 + index of the first step that has it */
    struct bt_map row_ids; /* of every row; filled when a row is ragged */

    struct bt_payload_references refs; /* two sites for each step: what it takes, what it gives */

    const struct bt_plan_edges *edges; /* by step; NULL: not asked for */
    struct bt_plan_handoffs handoffs;
    enum bt_plan_column_set columns;
    bool is_readable;
    bool has_ids;     /* `ids` is filled */
    bool has_row_ids; /* `row_ids` is filled */
    bool is_audited;
};

/* Begin: nothing is read yet. `options` may be NULL. */
void bt_plan_begin(struct bt_plan_check *plan, struct bt_plan_checker *plans,
                   const struct bt_plan_options *options, struct bt_findings *findings);

/* Read `text`: records, header, rows. */
BT_MUST_USE enum bt_status bt_plan_read(struct bt_plan_check *plan, bt_str text);
/* The parts of reading. */
BT_MUST_USE enum bt_status bt_plan_read_header(struct bt_plan_check *plan);
BT_MUST_USE enum bt_status bt_plan_read_rows(struct bt_plan_check *plan);

/* The column that identifies steps. */
enum bt_plan_column bt_plan_id_column(const struct bt_plan_check *plan);
/* The text of a cell; "" when the column is absent or the row too short. */
bt_str bt_plan_text(const struct bt_plan_check *plan, size_t row, enum bt_plan_column column);

/* Remove spaces and tabs at both ends. */
bt_str bt_plan_trim(bt_str text);
/* Whether a cell holds nothing but spaces, tabs, CR and LF. */
bool bt_plan_is_blank(bt_str text);

/* The location of a row, and of a cell, whose column may be absent. */
struct bt_location bt_plan_row_location(const struct bt_plan_check *plan, size_t row);
struct bt_location bt_plan_cell_location(const struct bt_plan_check *plan, size_t row,
                                         enum bt_plan_column column);
/* Put the pointer of a cell, /ROW/COLUMN. */
void bt_plan_put_pointer(struct bt_buf *buf, size_t row, bt_str name);
/* The offset of a cell, or of its row when the column is absent. */
size_t bt_plan_offset(const struct bt_plan_check *plan, size_t row, enum bt_plan_column column);

/* ---- Stages ---------------------------------------------------------------------------------- */

typedef enum bt_status bt_plan_stage_fn(struct bt_plan_check *plan);

/* Check the references in the payload columns and, with a root, load what they name. */
bt_plan_stage_fn bt_plan_references;
/* Fill plan->ids, once. */
bt_plan_stage_fn bt_plan_find_ids;
/* The index of the first step with this id, or BT_ABSENT. The ids are filled. */
size_t bt_plan_step_of_id(const struct bt_plan_check *plan, bt_str id);
/* The only step with this id; SIZE_MAX after a finding about the whole document in `findings`, when
 * there is none or more than one. */
BT_MUST_USE enum bt_status bt_plan_find_step(struct bt_plan_check *plan, bt_str id,
                                             struct bt_findings *findings, size_t *out);
/* Ids that occur twice, status words that are none. */
bt_plan_stage_fn bt_plan_duplicates;
bt_plan_stage_fn bt_plan_check_status_words;
/* What steps depend on; sets plan->edges. */
bt_plan_stage_fn bt_plan_dependencies;
/* Find the edges without adding findings. */
bt_plan_stage_fn bt_plan_find_edges;
/* Compare both sides of each handoff; needs references and edges. */
bt_plan_stage_fn bt_plan_chain;

/* The column that dependencies stand in. */
enum bt_plan_column bt_plan_depend_column(const struct bt_plan_check *plan);
/* Whether a token of `text`, which ends at `at`, names no dependency: none, n/a, -, +, & or and;
 * step or steps before another token. */
bool bt_plan_means_no_dependency(bt_str text, size_t at, bt_str token);
/* The next token of a cell that is split at spaces, tabs, CR, LF, commas and semicolons. */
bool bt_plan_next_token(bt_str text, size_t *at, bt_str *out);
/* Sort indexes of steps, lowest first. */
void bt_plan_sort_indexes(size_t *items, size_t count);

enum bt_plan_dependency_kind {
    BT_PLAN_DEPENDENCY_NONE = 0, /* the cell has no more */
    BT_PLAN_DEPENDENCY_STEP,
    BT_PLAN_DEPENDENCY_SPELLED, /* a range of steps, or a phase */
    BT_PLAN_DEPENDENCY_UNKNOWN,
    BT_PLAN_DEPENDENCY_TOO_MANY, /* a range or phase of more steps than are read */
};

/* One thing that a dependency cell says. */
struct bt_plan_dependency {
    enum bt_plan_dependency_kind kind;
    bt_str text;
    size_t step;         /* when it is one */
    const size_t *steps; /* when it is spelled: rising, without the step whose cell it is */
    size_t count;
};

/* Reads the dependency cells of one plan. */
struct bt_plan_dependency_reader {
    struct bt_plan_check *plan;
    struct bt_map seen;     /* texts other than ids -> 1 + the last step whose cell has it */
    struct bt_map phases;   /* their order is that of their first rows */
    size_t *first_in_phase; /* by phase: its first step */
    size_t *next_in_phase;  /* by step; NULL: phases were not needed yet */
    size_t read_left;
    size_t step; /* whose cell is read */
    bt_str text;
    size_t at;
};

/* Begin with a plan, whose ids are filled. */
void bt_plan_dependency_reader_init(struct bt_plan_dependency_reader *reader,
                                    struct bt_plan_check *plan);
/* Begin with the cell of a step. */
void bt_plan_dependency_reader_begin(struct bt_plan_dependency_reader *reader, size_t step);
/* Read the next dependency of the cell; repeats of what is not an id are passed over. */
BT_MUST_USE enum bt_status bt_plan_dependency_next(struct bt_plan_dependency_reader *reader,
                                                   struct bt_plan_dependency *out);

/* Read `text` and run `stages` over it, unless it could not be read. */
BT_MUST_USE enum bt_status bt_plan_run(struct bt_plan_check *plan, bt_str text,
                                       bt_plan_stage_fn *const *stages, size_t count);
/* Every stage that `check` runs, over `text`. */
BT_MUST_USE enum bt_status bt_plan_judge(struct bt_plan_check *plan, bt_str text);

/* ---- Dates ----------------------------------------------------------------------------------- */

/* The day that counts, as YYYY-MM-DD. */
void bt_plan_today(const struct bt_plan_checker *plans, const struct bt_plan_options *options,
                   char out[BT_DATE_BYTES + 1]);
/* The first day on which an untyped handoff is HARD. */
bt_str bt_plan_untyped_hard_from(void);
/* What an untyped handoff is on that day. */
enum bt_severity bt_plan_untyped_severity(const struct bt_plan_checker *plans,
                                          const struct bt_plan_options *options);

/* ---- What is shown --------------------------------------------------------------------------- */

/* Write the facts. `fixed` lists the rows that were repaired; NULL: no repair was asked for. */
BT_MUST_USE enum bt_status bt_plan_facts(const struct bt_plan_check *plan, const size_t *fixed,
                                         size_t fixed_count, bt_str *out);
/* The identity of what a step takes, and of what it gives; "" when the cell is blank. */
bt_str bt_plan_input_cell(const struct bt_plan_check *plan, size_t step);
bt_str bt_plan_output_cell(const struct bt_plan_check *plan, size_t step);
bt_str bt_plan_pair_result_name(enum bt_plan_pair_result result);

/* Finish the findings and make the judged document. */
BT_MUST_USE enum bt_status bt_plan_finish(struct bt_findings *findings, bt_str path, bt_str source,
                                          struct bt_judgement *out);

/* ---- Words of the status column -------------------------------------------------------------- */

enum bt_plan_step_status {
    BT_PLAN_STEP_OTHER = 0, /* none of the words */
    BT_PLAN_STEP_PENDING,   /* also a blank cell */
    BT_PLAN_STEP_IN_PROGRESS,
    BT_PLAN_STEP_COMPLETED, /* also `done` */
    BT_PLAN_STEP_BLOCKED,
    BT_PLAN_STEP_STATUS__MAX,
};

/* What the status cell of a step says. */
enum bt_plan_step_status bt_plan_step_status(const struct bt_plan_check *plan, size_t step);

/* ---- Ragged rows ----------------------------------------------------------------------------- */

enum {
    BT_READINGS_COUNTED = 100,  /* more possible readings than this are not counted */
    BT_READINGS_TRIED = 100000, /* a row that can be joined in more ways is not tried */
    BT_READINGS_TOO_MANY = -1,  /* `readings` of such a row */
};

struct bt_plan_ragged {
    enum bt_fix fix;
    bool has_readings; /* the row is too long and its surplus cells are not dropped */
    int readings;      /* how many are possible, at most BT_READINGS_COUNTED, or TOO_MANY */
    /* When there is exactly one: by column, the index of its first cell; ends with the number of
     * cells of the row. Otherwise NULL. */
    const size_t *starts;
};

/* Find the repair of a row whose number of cells is not that of the header. */
BT_MUST_USE enum bt_status bt_plan_check_ragged(struct bt_plan_check *plan, size_t row,
                                                struct bt_plan_ragged *out);

#endif
