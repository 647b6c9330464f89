/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - plans (*.steps.csv): one row per step, typed payloads from step to step.
 *
 * `bt_check()` judges plans like every other dialect. Here is what else can be done with them:
 * audit the chain of payloads, find which steps can run at the same time, change a status, compare
 * a recorded run with what was planned; and with payload schemas: load, strip, lint, validate
 * payloads, compare two versions.
 *
 * Each of these gives a judged document and, in `members`, what the command of the same name shows
 * beside it. Everything lives in the caller's arena.
 */
#ifndef BATON_PLAN_H
#define BATON_PLAN_H

#include <baton/env.h>
#include <baton/file.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- How to judge ---------------------------------------------------------------------------- */

struct bt_plan_options {
    const struct bt_dir *dir; /* payload schemas are loaded beneath it; NULL: they are not */
    bool by_dependencies;     /* compare producer with consumer instead of neighbours */
    bool today_given;         /* else it is the date of the env's clock */
    bt_instant today;
    bool is_pinned; /* the day was named by a person: today_given, or the clock was set */
};

/* No root, neighbours, today by the clock. */
BT_API struct bt_plan_options bt_plan_check_options_default(void);

/* What is made once and used for many plans. For one thread at a time. */
struct bt_plan_checker;

/* `env` must outlive it. */
BT_API BT_MUST_USE enum bt_status bt_plan_checker_create(struct bt_env *env,
                                                         struct bt_plan_checker **out);
/* NULL is allowed. */
BT_API void bt_plan_checker_destroy(struct bt_plan_checker *plans);

struct bt_plan_input {
    bt_str path; /* as reports show it */
    bt_str text;
    const struct bt_plan_options *options; /* NULL: the defaults */
};

struct bt_plan_result {
    struct bt_judgement judged;
    bt_str members; /* top-level members of the report, `"name":value` or "" */
    bt_str text;    /* where a text was made: the fixed plan, the schema laid out, waves; else "" */
    bool changed;   /* the text differs from the input's */
};

/* ---- Plans ----------------------------------------------------------------------------------- */

/* Read, check references and compare the chain, and nothing else. Members: `audit`, and text: the
 * chain, a handoff on each line; neither when the plan could not be read. */
BT_API BT_MUST_USE enum bt_status bt_plan_check_audit(struct bt_plan_checker *plans,
                                                      struct bt_arena *arena,
                                                      const struct bt_plan_input *input,
                                                      struct bt_plan_result *out);

/* Apply the safe fixes, and with `unsafe` the others; judge what came of it. facts.fixed lists what
 * was done. */
BT_API BT_MUST_USE enum bt_status bt_plan_check_fix(struct bt_plan_checker *plans,
                                                    struct bt_arena *arena,
                                                    const struct bt_plan_input *input, bool unsafe,
                                                    struct bt_plan_result *out);

/* Which steps can run at the same time. With `remaining`, completed steps are left out. Members:
 * `schedule`, unless something stands in the way. */
BT_API BT_MUST_USE enum bt_status bt_plan_check_waves(struct bt_plan_checker *plans,
                                                      struct bt_arena *arena,
                                                      const struct bt_plan_input *input,
                                                      bool remaining, struct bt_plan_result *out);

struct bt_plan_status_change {
    bt_str step;
    bt_str to;   /* one of bt_plan_step_status_at() */
    bt_str from; /* the status that the step must have; ptr NULL: any */
};

/* The words that a status may be, "" after the last. */
BT_API bt_str bt_plan_step_status_at(size_t index);

/* Set the status of one step and leave every other byte. Members: `status`, unless refused. */
BT_API BT_MUST_USE enum bt_status
bt_plan_check_set_status(struct bt_plan_checker *plans, struct bt_arena *arena,
                         const struct bt_plan_input *input,
                         const struct bt_plan_status_change *change, struct bt_plan_result *out);

struct bt_plan_trajectory_input {
    struct bt_plan_input run;         /* the recorded run, a JSON document */
    const struct bt_plan_input *plan; /* or NULL */
    const bt_str *chains;             /* each names agents, separated by commas */
    size_t chains_count;
    bt_str returns_to; /* an agent, or "" */
};

/*
 * Compare a recorded run with what was expected. *out_plan is set to the plan, judged, when it has
 * findings that keep it from being read (verdict rejected), else cleared. BT_EINVAL: the plan has
 * no column of agents. Members: `trajectory`, unless the run could not be read.
 */
BT_API BT_MUST_USE enum bt_status
bt_plan_compare_trajectory(struct bt_plan_checker *plans, struct bt_arena *arena,
                           const struct bt_plan_trajectory_input *input, struct bt_plan_result *out,
                           struct bt_judgement *out_plan);

/* ---- Payload schemas ------------------------------------------------------------------------- */

/* A schema to look at: a reference beneath a root, or a text. */
struct bt_payload_schema_input {
    bt_str path; /* as reports show it */
    const struct bt_dir *root;
    bt_str reference; /* with a root */
    bt_str text;      /* without one */
    bt_str name;      /* without one: of the file, which its $id is compared with; or "" */
};

/* Judge a schema and show it. Members: `schema`, null when refused. BT_EDENIED: the file may not be
 * read. */
BT_API BT_MUST_USE enum bt_status
bt_payload_schema_load(struct bt_plan_checker *plans, struct bt_arena *arena,
                       const struct bt_payload_schema_input *input, struct bt_plan_result *out);
/* Remove the text that is meant for readers. Members: `schema`, `removed`. */
BT_API BT_MUST_USE enum bt_status
bt_payload_schema_strip(struct bt_plan_checker *plans, struct bt_arena *arena,
                        const struct bt_payload_schema_input *input, struct bt_plan_result *out);
/* Judge a schema, and warn of what is hardly meant. */
BT_API BT_MUST_USE enum bt_status
bt_payload_schema_lint(struct bt_plan_checker *plans, struct bt_arena *arena,
                       const struct bt_payload_schema_input *input, struct bt_plan_result *out);

/* A schema that was loaded, for many payloads: loading costs far more than one validation. It may
 * be one that was refused; then each validation tells why again. */
struct bt_payload_schema;

/* Load the schema that `reference` names beneath `root`. `plans` must outlive it, later changes of
 * the file do not reach it. BT_EDENIED: the file may not be read. */
BT_API BT_MUST_USE enum bt_status bt_payload_schema_open(struct bt_plan_checker *plans,
                                                         const struct bt_dir *root,
                                                         bt_str reference,
                                                         struct bt_payload_schema **out);
/* The same for a schema that is given itself: its $id is compared with no file. */
BT_API BT_MUST_USE enum bt_status
bt_payload_schema_parse(struct bt_plan_checker *plans, bt_str text, struct bt_payload_schema **out);
/* NULL is allowed. */
BT_API void bt_payload_schema_close(struct bt_payload_schema *schema);

/* Nanoseconds from any fixed point in time. */
typedef uint64_t bt_clock_ns_fn(void *context);

struct bt_plan_validate_input {
    struct bt_plan_input payload;           /* its options: root and day */
    const struct bt_payload_schema *schema; /* NULL: the one that is named below is loaded */
    bt_str reference;                       /* used when there is no plan */
    const struct bt_plan_input *plan;
    bt_str step;
    bool is_input_schema; /* payload_schema_in instead of payload_schema_out */
    uint64_t timeout_ns;
    uint64_t budget; /* units of work */
    bt_clock_ns_fn *clock;
    void *clock_context;
};

/* May this payload travel? The document is the payload. Members: `validate`. */
BT_API BT_MUST_USE enum bt_status
bt_plan_validate_payload(struct bt_plan_checker *plans, struct bt_arena *arena,
                         const struct bt_plan_validate_input *input, struct bt_plan_result *out);

/* ---- Versions -------------------------------------------------------------------------------- */

enum bt_payload_compat_mode {
    BT_PAYLOAD_COMPAT_BACKWARD = 1, /* every payload of the old version is one of the new */
    BT_PAYLOAD_COMPAT_FORWARD = 2,  /* every payload of the new version is one of the old */
    BT_PAYLOAD_COMPAT_FULL = 3,
};

struct bt_payload_compat_input {
    struct bt_payload_schema_input old_schema;
    struct bt_payload_schema_input new_schema;
    enum bt_payload_compat_mode mode;
};

/*
 * Does the new version break anyone? The document is the new schema; *out_old is set to the old
 * one, judged, when it was refused, else cleared. out->text is the first counterexample, laid out,
 * or "". Members: `compat`, unless one of the schemas was refused.
 */
BT_API BT_MUST_USE enum bt_status
bt_payload_schema_compare(struct bt_plan_checker *plans, struct bt_arena *arena,
                          const struct bt_payload_compat_input *input, struct bt_plan_result *out,
                          struct bt_judgement *out_old);

#ifdef __cplusplus
}
#endif

#endif
