/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.h - the diagnostic run, and what its files share.
 *
 * It walks the same program as the fast run but fails nowhere: what does not hold is said, and the
 * walk goes on. Only what must hold is walked; whether an alternative holds is asked of the fast
 * machine, and when it does not, its branches are walked once more to say what each of them lacked.
 */
#ifndef BATON_SRC_SCHEMA_EXPLAIN_H
#define BATON_SRC_SCHEMA_EXPLAIN_H

#include "base/buf.h"
#include "report/rules.h"
#include "schema/machine.h"
#include "schema/nearest.h"

struct bt_schema_explain_run {
    struct bt_schema_machine *run;
    struct bt_arena arena; /* of the findings, until all are known */
    struct bt_findings *found;
    uint32_t count;
    enum bt_status status; /* the first failure of this run */

    /* Texts of the finding that is being made. */
    struct bt_buf subject;  /* the value as messages show it */
    struct bt_buf keyword;  /* where the keyword is */
    struct bt_buf texts[2]; /* parameters */

    /* The branches of an alternative, while they are walked. */
    bool is_collecting;
    struct bt_findings *branch;   /* the finding about a branch that is being made */
    struct bt_arena branch_arena; /* of that finding alone */
    struct bt_buf branches;       /* JSON, for params */
    uint32_t branch_findings;     /* about the present branch */
};

/* A name as a value: marked by `spare`, so that it can be told where it stands. */
struct bt_schema_name_value {
    bt_json_value value;
    const struct bt_json_member *member;
};

/* What a finding is about. */
struct bt_schema_finding_site {
    const struct bt_schema_instr *at; /* whose schema it is ... */
    const char *keyword;              /* ... and the member of it; NULL: the schema itself */
    const bt_json_value *value;
};

/* What all findings begin with. The texts are valid until the next finding. */
struct bt_schema_finding_head {
    struct bt_findings *findings;
    struct bt_location at;
    bt_str keyword;
    bt_str subject;
};

/* Begin a finding; it is added to head.findings. */
struct bt_schema_finding_head bt_schema_finding_begin(struct bt_schema_explain_run *explain,
                                                      const struct bt_schema_finding_site *site);
/* End it, with the status of its addition: it stays, or becomes part of the present branch. */
void bt_schema_finding_end(struct bt_schema_explain_run *explain, enum bt_status status);
/* The JSON of a value of the schema, or of the document, in one of explain->texts. */
bt_str bt_schema_finding_schema_json(struct bt_schema_explain_run *explain, size_t text,
                                     const struct bt_schema_instr *at, const bt_json_value *value);
bt_str bt_schema_finding_value_json(struct bt_schema_explain_run *explain, size_t text,
                                    const bt_json_value *value);
/* The member of the instruction's schema called so, or NULL. */
const bt_json_value *bt_schema_finding_keyword(const struct bt_schema_explain_run *explain,
                                               const struct bt_schema_instr *at, const char *name);

/* explain_leaf.c: say what a leaf found wrong. */
void bt_schema_explain_run_leaf(struct bt_schema_explain_run *explain,
                                const struct bt_schema_instr *at, const bt_json_value *value);

/* explain_children.c */
enum bt_schema_step bt_schema_explain_run_object(struct bt_schema_explain_run *explain,
                                                 const struct bt_schema_instr *at,
                                                 const bt_json_value *value);
enum bt_schema_step bt_schema_explain_run_names(struct bt_schema_explain_run *explain,
                                                const struct bt_schema_instr *at,
                                                const bt_json_value *value);
enum bt_schema_step bt_schema_explain_run_items(struct bt_schema_explain_run *explain,
                                                const struct bt_schema_instr *at,
                                                const bt_json_value *value);
enum bt_schema_step bt_schema_explain_run_unevaluated(struct bt_schema_explain_run *explain,
                                                      const struct bt_schema_instr *at,
                                                      const bt_json_value *value);

/* The object instruction beside an UNEVALUATED one, for its names; NULL when there is none. */
const struct bt_schema_object *
bt_schema_explain_run_known(const struct bt_schema_explain_run *explain,
                            const struct bt_schema_instr *at);

/* explain_choice.c */
enum bt_schema_step bt_schema_explain_run_choice(struct bt_schema_explain_run *explain,
                                                 struct bt_schema_cursor *cursor);
enum bt_schema_step bt_schema_explain_run_if(struct bt_schema_explain_run *explain,
                                             struct bt_schema_cursor *cursor);
/* The walk of a branch has come to its end. */
enum bt_schema_step bt_schema_explain_run_branch_done(struct bt_schema_explain_run *explain,
                                                      struct bt_schema_cursor *cursor);

/* Have the walk come by a block and a value. */
enum bt_schema_step bt_schema_explain_run_push(struct bt_schema_explain_run *explain,
                                               const struct bt_schema_block_ref *use,
                                               const bt_json_value *value);
/* Whether nothing passes: the schema false. */
static inline bool bt_use_is_false(const struct bt_schema_block_ref *use)
{
    return use->kind == BT_USE_TYPES && use->types == 0;
}

#endif
