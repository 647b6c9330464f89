/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - judge a document: bytes -> document -> checks -> findings -> verdict.
 *
 * One entry for all dialects. The same bytes give the same judgement through every entry point:
 * library, command line, hook, server.
 */
#ifndef BATON_SRC_ENGINE_CHECK_H
#define BATON_SRC_ENGINE_CHECK_H

#include <baton/check.h>

#include "base/env.h"
#include "report/report.h"

/*
 * What is made once and used for many documents: compiled schemas, tables, memory. For one thread
 * at a time.
 */
struct bt_checker;

/*
 * Make a checker; its parts are made on first use. `env` must outlive it. NULL when there is no
 * memory. Destroy it with bt_checker_destroy().
 */
BT_MUST_USE struct bt_checker *bt_checker_create(struct bt_env *env);
/* Destroy it with all its parts. NULL is allowed. */
void bt_checker_destroy(struct bt_checker *checker);

struct bt_universal_checker; /* see universal.h */
struct bt_universal_options; /* see universal.h */
struct bt_contract_checker;  /* see contract.h */
struct bt_contract_options;  /* see contract.h */

/*
 * The part of the checker for universal handoffs, made on first use; the checker owns it.
 * BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status bt_checker_universal(struct bt_checker *checker,
                                                struct bt_universal_checker **out);
/*
 * The part of the checker for contract blocks, made on first use; the checker owns it. BT_ENOMEM:
 * no memory.
 */
BT_MUST_USE enum bt_status bt_checker_contract(struct bt_checker *checker,
                                               struct bt_contract_checker **out);

struct bt_governed_checker; /* see governed.h */
struct bt_governed_options; /* see governed.h */

/*
 * The part of the checker for governed handoffs, made on first use; the checker owns it. BT_ENOMEM:
 * no memory.
 */
BT_MUST_USE enum bt_status bt_checker_governed(struct bt_checker *checker,
                                               struct bt_governed_checker **out);

struct bt_plan_checker; /* see plan.h */
struct bt_plan_options; /* see plan.h */

/*
 * The part of the checker for plans, made on first use; the checker owns it. BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status bt_checker_plan(struct bt_checker *checker,
                                           struct bt_plan_checker **out);

struct bt_message_options; /* see message.h */

struct bt_check_options {
    enum bt_dialect_id dialect;  /* BT_DIALECT_NONE: recognise it */
    enum bt_severity fail_level; /* zero means BT_SEVERITY_HARD */
    struct bt_checker *checker;  /* of the same env; NULL: the call makes its own */
    const struct bt_universal_options *universal; /* NULL: the defaults */
    const struct bt_contract_options *contract;   /* NULL: the defaults */
    const struct bt_plan_options *plan;           /* NULL: the defaults */
    const struct bt_message_options *xml;         /* NULL: the defaults */
    const struct bt_governed_options *governed;   /* NULL: the defaults, without a governed root */
    bool lists_skipped; /* set bt_judgement.skipped, for a caller that only checks */
};

/*
 * Judge `content`, which messages call `path`. *out lives in the arena and points into path and
 * content. `options` may be NULL.
 *
 * BT_ENOENT: no dialect was named and none recognises the document. BT_ENOMEM: the arena reached
 * its limit, or the system has no memory. After any status other than BT_OK there is no verdict,
 * and *out is untouched.
 */
BT_MUST_USE enum bt_status bt_check_document(struct bt_env *env, struct bt_arena *arena,
                                             bt_str path, bt_str content,
                                             const struct bt_check_options *options,
                                             struct bt_judgement *out);

#endif
