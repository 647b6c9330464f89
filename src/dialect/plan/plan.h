/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - plans (*.steps.csv): one row per step, typed payloads from step to step.
 *
 * `bt_check_document()` judges plans like every other dialect. This header has what else can be
 * done with them: audit the chain of payloads, find steps that can run at the same time, change a
 * status, compare a recorded run with the plan; and for payload schemas: load, strip, lint,
 * validate payloads, compare two versions.
 *
 * Each function gives a judgement and, in `members`, what the command of the same name adds to the
 * report. Everything lives in the caller's arena. Statuses other than BT_OK that are not described:
 * BT_ENOMEM, the arena reached its limit or the system has no memory.
 */
#ifndef BATON_SRC_DIALECT_PLAN_PLAN_H
#define BATON_SRC_DIALECT_PLAN_PLAN_H

#include <baton/base.h>
#include <baton/report.h>
#include "base/env.h"

#include "base/file.h"
#include "edit/edit.h"
#include "report/report.h"

/* ---- Options --------------------------------------------------------------------------------- */

struct bt_plan_options {
    const struct bt_dir *dir; /* payload schemas are loaded below it; NULL: they are not loaded */
    bool by_dependencies;     /* compare producer with consumer instead of neighbours */
    bool today_given;         /* else the date of env's clock */
    bt_instant today;
    bool is_pinned; /* a person chose the day: today_given, or the clock is fixed */
    /* the verdict goes into a log that cannot be repeated: a day before the clock's is not used, so
     * that a chosen day can tighten the dated rule and never loosen it */
    bool is_recorded;
};

/* No directory, neighbours, today by the clock. */
struct bt_plan_options bt_plan_options_default(void);

/* What is made once and used for many plans. For one thread at a time. */
struct bt_plan_checker;

/*
 * Make a checker; destroy it with bt_plan_checker_destroy(). `env` must outlive it. BT_ENOMEM: no
 * memory.
 */
BT_MUST_USE enum bt_status bt_plan_checker_create(struct bt_env *env, struct bt_plan_checker **out);
/* Destroy it. NULL is allowed. */
void bt_plan_checker_destroy(struct bt_plan_checker *plans);

struct bt_plan_input {
    bt_str path; /* as reports show it */
    bt_str text;
    const struct bt_plan_options *options; /* NULL: the defaults */
};

struct bt_plan_result {
    struct bt_judgement judged;
    bt_str members; /* top-level members of the report, `"name":value` or "" */
    /* the fixed plan, the formatted schema or the waves, where the function makes one; else "" */
    bt_str text;
    bool changed;              /* the text differs from the input's */
    struct bt_edit_list edits; /* of bt_plan_fix(): from the input's text to the fixed one */
};

/* ---- Plans ----------------------------------------------------------------------------------- */

/*
 * Read the plan, check its references and compare the chain; nothing else. Members: `audit`; text:
 * the chain, one handoff per line. Both are "" when the plan could not be read.
 */
BT_MUST_USE enum bt_status bt_plan_audit(struct bt_plan_checker *plans, struct bt_arena *arena,
                                         const struct bt_plan_input *input,
                                         struct bt_plan_result *out);

struct bt_fix_choice; /* see report/fixes.h */

/* Make the fixes that were chosen, and judge the result. facts.fixed lists the fixes. */
BT_MUST_USE enum bt_status bt_plan_fix(struct bt_plan_checker *plans, struct bt_arena *arena,
                                       const struct bt_plan_input *input,
                                       const struct bt_fix_choice *choice,
                                       struct bt_plan_result *out);

/*
 * Find the steps that can run at the same time. With `remaining`, completed steps are left out.
 * Members: `schedule`, or "" when there is a finding that prevents a schedule.
 */
BT_MUST_USE enum bt_status bt_plan_waves(struct bt_plan_checker *plans, struct bt_arena *arena,
                                         const struct bt_plan_input *input, bool remaining,
                                         struct bt_plan_result *out);

struct bt_plan_status_change {
    bt_str step;
    bt_str to;   /* one of bt_plan_step_status_at() */
    bt_str from; /* the status that the step must have now; ptr NULL: any */
};

/* The status with this index; "" after the last. */
bt_str bt_plan_step_status_at(size_t index);

/*
 * Set the status of one step and leave every other byte unchanged. Members: `status`, or "" when
 * the change was rejected.
 */
BT_MUST_USE enum bt_status bt_plan_set_status(struct bt_plan_checker *plans, struct bt_arena *arena,
                                              const struct bt_plan_input *input,
                                              const struct bt_plan_status_change *change,
                                              struct bt_plan_result *out);

/* What a flag says about a step: a sample of what it gives, or a slug. */
struct bt_plan_step_value {
    bt_str step;
    bt_str value; /* of a slug */
    bt_str path;  /* of a sample, as reports show it */
    bt_str text;  /* of a sample */
};

/* A schema that typed handoffs name. */
struct bt_plan_typed_schema {
    bt_str id;
    bt_str file;     /* below the directory of the options */
    bt_str text;     /* as it was drafted; "" for one that existed */
    bool is_present; /* a file with this content exists */
    struct bt_str_list samples;
};

struct bt_plan_type_input {
    struct bt_plan_input plan; /* its options have a directory */
    const struct bt_plan_step_value *artifacts;
    size_t artifact_count;
    const struct bt_plan_step_value *slugs;
    size_t slug_count;
    bool will_write; /* the members tell that it was written */
};

struct bt_plan_type_result {
    struct bt_plan_result audit; /* of the new plan, with the member `type` */
    bt_str text;                 /* the new plan */
    const struct bt_plan_typed_schema *schemas;
    size_t schema_count;
    bool is_changed; /* the text differs from the input's */
    bool is_refused; /* a finding of the audit's judgement says why; there is nothing else */
};

/*
 * Find what makes the handoffs of a plan typed: columns, cells, and schemas drafted from samples.
 * The caller writes the schemas that are not present, and the new plan. BT_EDENIED: a file may not
 * be read.
 */
BT_MUST_USE enum bt_status bt_plan_type(struct bt_plan_checker *plans, struct bt_arena *arena,
                                        const struct bt_plan_type_input *input,
                                        struct bt_plan_type_result *out);

/* The steps of a new plan, and what each hands to the next. */
struct bt_plan_draft {
    const struct bt_plan_draft_step {
        bt_str agent;
        bt_str action;
    } * steps;
    size_t count;
    bt_str payload;    /* slug of the schema of every handoff; "": none */
    bool wants_schema; /* make the schema as well, unless the directory of the options has it */
};

struct bt_plan_new_result {
    struct bt_judgement judged; /* of the plan, with the member `document` */
    bt_str text;
    struct bt_plan_typed_schema schema; /* text "": none was wanted */
};

/* Make a typed plan, and judge it as if its schema were written. The caller writes both. */
BT_MUST_USE enum bt_status bt_plan_new(struct bt_plan_checker *plans, struct bt_arena *arena,
                                       const struct bt_plan_options *options,
                                       const struct bt_plan_draft *draft,
                                       struct bt_plan_new_result *out);

struct bt_plan_trajectory_input {
    struct bt_plan_input run;         /* the recorded run, a JSON document */
    const struct bt_plan_input *plan; /* or NULL */
    const bt_str *chains;             /* each is a list of agents, separated by commas */
    size_t chains_count;
    bt_str returns_to; /* an agent, or "" */
};

/*
 * Compare a recorded run with what was expected. When the plan itself has findings that prevent its
 * use, *out_plan is its judgement (rejected), else it is cleared. Members: `trajectory`, or "" when
 * the run could not be read. BT_EINVAL: the plan has no column of agents.
 */
BT_MUST_USE enum bt_status bt_plan_compare_trajectory(struct bt_plan_checker *plans,
                                                      struct bt_arena *arena,
                                                      const struct bt_plan_trajectory_input *input,
                                                      struct bt_plan_result *out,
                                                      struct bt_judgement *out_plan);

/* ---- Payload schemas ------------------------------------------------------------------------- */

/* A schema: either a reference below a directory, or a text. */
struct bt_payload_schema_input {
    bt_str path; /* as reports show it */
    const struct bt_dir *root;
    bt_str reference; /* with `root` */
    bt_str text;      /* without `root` */
    bt_str name;      /* without `root`: the file name to compare its $id with, or "" */
};

/*
 * Judge a schema and show it. Members: `schema`, null when it was rejected. BT_EDENIED: the file
 * may not be read.
 */
BT_MUST_USE enum bt_status bt_payload_schema_load(struct bt_plan_checker *plans,
                                                  struct bt_arena *arena,
                                                  const struct bt_payload_schema_input *input,
                                                  struct bt_plan_result *out);
/*
 * Remove the texts of a schema that are meant for people, such as descriptions. Members: `schema`,
 * `removed`. BT_EDENIED: the file may not be read.
 */
BT_MUST_USE enum bt_status bt_payload_schema_strip(struct bt_plan_checker *plans,
                                                   struct bt_arena *arena,
                                                   const struct bt_payload_schema_input *input,
                                                   struct bt_plan_result *out);
/* Judge a schema, and warn of what is probably a mistake. BT_EDENIED: the file may not be read. */
BT_MUST_USE enum bt_status bt_payload_schema_lint(struct bt_plan_checker *plans,
                                                  struct bt_arena *arena,
                                                  const struct bt_payload_schema_input *input,
                                                  struct bt_plan_result *out);

/*
 * A loaded schema, for many payloads, because loading costs far more than one validation. If the
 * schema was rejected, each validation reports the reasons.
 */
struct bt_payload_schema;

/*
 * Load the schema that `reference` names below `root`. `plans` must outlive it; later changes of
 * the file have no effect. Close it with bt_payload_schema_close(). BT_EDENIED: the file may not be
 * read.
 */
BT_MUST_USE enum bt_status bt_payload_schema_open(struct bt_plan_checker *plans,
                                                  const struct bt_dir *root, bt_str reference,
                                                  struct bt_payload_schema **out);
/*
 * Load a schema from a text; its $id is not compared with a file name. `plans` must outlive it.
 * Close it with bt_payload_schema_close().
 */
BT_MUST_USE enum bt_status bt_payload_schema_parse(struct bt_plan_checker *plans, bt_str text,
                                                   struct bt_payload_schema **out);
/* Free it. NULL is allowed. */
void bt_payload_schema_close(struct bt_payload_schema *schema);

/* A monotonic clock in nanoseconds, from any fixed point in time. */
typedef uint64_t bt_clock_ns_fn(void *context);

struct bt_plan_validate_input {
    struct bt_plan_input payload;           /* of its options, the directory and the day are used */
    const struct bt_payload_schema *schema; /* NULL: load the schema named below */
    bt_str reference;                       /* used without a plan */
    const struct bt_plan_input *plan;
    bt_str step;
    bool is_input_schema; /* payload_schema_in instead of payload_schema_out */
    uint64_t timeout_ns;
    uint64_t budget; /* units of work */
    bt_clock_ns_fn *clock;
    void *clock_context;
};

/*
 * Validate a payload against its schema. The judged document is the payload. Members: `validate`.
 */
BT_MUST_USE enum bt_status bt_plan_validate_payload(struct bt_plan_checker *plans,
                                                    struct bt_arena *arena,
                                                    const struct bt_plan_validate_input *input,
                                                    struct bt_plan_result *out);

/* ---- Versions -------------------------------------------------------------------------------- */

enum bt_payload_compat_mode {
    BT_PAYLOAD_COMPAT_BACKWARD = 1, /* every payload of the old version is valid in the new */
    BT_PAYLOAD_COMPAT_FORWARD = 2,  /* every payload of the new version is valid in the old */
    BT_PAYLOAD_COMPAT_FULL = 3,
};

struct bt_payload_compat_input {
    struct bt_payload_schema_input old_schema;
    struct bt_payload_schema_input new_schema;
    enum bt_payload_compat_mode mode;
};

/*
 * Check that the new version of a schema is compatible with the old one. The judged document is the
 * new schema; when the old one was rejected, *out_old is its judgement, else it is cleared.
 * out->text is the first counterexample, pretty-printed, or "". Members: `compat`, or "" when one
 * of the schemas was rejected.
 */
BT_MUST_USE enum bt_status bt_payload_schema_compare(struct bt_plan_checker *plans,
                                                     struct bt_arena *arena,
                                                     const struct bt_payload_compat_input *input,
                                                     struct bt_plan_result *out,
                                                     struct bt_judgement *out_old);

/*
 * Show what changed between two versions, without annotations, and judge nothing about it: the
 * findings are only those of loading. out->text lists the changes and the results. Members: `diff`,
 * or "" when one of the schemas was rejected. *out_old as for bt_payload_schema_compare().
 */
BT_MUST_USE enum bt_status bt_payload_schema_diff(struct bt_plan_checker *plans,
                                                  struct bt_arena *arena,
                                                  const struct bt_payload_compat_input *input,
                                                  struct bt_plan_result *out,
                                                  struct bt_judgement *out_old);

enum bt_payload_compat_answer {
    BT_PAYLOAD_COMPAT_ANSWER_NONE = 0,
    BT_PAYLOAD_COMPAT_ANSWER_COMPATIBLE,
    BT_PAYLOAD_COMPAT_ANSWER_INCOMPATIBLE,
    BT_PAYLOAD_COMPAT_ANSWER_UNDECIDED,
};

/* "compatible", "incompatible" or "undecided". A constant. */
bt_str bt_payload_compat_answer_name(enum bt_payload_compat_answer answer);

/* One direction of a comparison. */
struct bt_payload_compat_result {
    enum bt_payload_compat_answer answer;
    bt_str counterexample; /* JSON; "": none was found */
};

/*
 * Compare two versions of a schema that is not a payload schema, such as that of the arguments of a
 * tool: out[0] is backward, out[1] forward. An object schema with `properties` that does not say
 * what other members are counts as closed. What does not compile or cannot be compared is
 * undecided. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_payload_compare_foreign(struct bt_plan_checker *plans,
                                                      struct bt_arena *arena, bt_str old_schema,
                                                      bt_str new_schema,
                                                      struct bt_payload_compat_result out[2]);

/* ---- Templates ------------------------------------------------------------------------------- */

/* Put the Markdown section that declares the codes of handoffs, for the template of an agent. */
void bt_plan_put_template(struct bt_buf *buf);
/* The name of that section. */
bt_str bt_plan_template_name(void);

/* ---- Recognition ----------------------------------------------------------------------------- */

/* Whether the first record has a cell that is exactly `step` or `step_id`, and the text does not
 * begin like JSON or XML. Takes no memory. */
bool bt_plan_recognise(bt_str content);

#endif
