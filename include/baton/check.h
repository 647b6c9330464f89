/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - the road: bytes -> document -> checks -> findings -> verdict.
 *
 * One entry for all dialects. The same bytes give the same judgement through every door: library,
 * command line, hook, server.
 */
#ifndef BATON_CHECK_H
#define BATON_CHECK_H

#include <baton/env.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kind of document that Baton can judge. */
struct bt_dialect;

/* The dialects in the order in which recognition tries them. */
BT_API size_t bt_dialects_count(void);
BT_API const struct bt_dialect *bt_dialects_at(size_t index);
BT_API bt_str bt_dialect_name(const struct bt_dialect *dialect);
/* One line about it. */
BT_API bt_str bt_dialect_summary(const struct bt_dialect *dialect);
/* By name, or NULL. */
BT_API const struct bt_dialect *bt_dialect_find(bt_str name);
/* By the file's path alone, or NULL: this is what a walk through a folder goes by. */
BT_API const struct bt_dialect *bt_dialect_for_path(bt_str path);
/* By path, then content, or NULL. */
BT_API const struct bt_dialect *bt_dialect_recognise(bt_str path, bt_str content);

/* What is made once and used for many documents: compiled schemas, tables, warm memory. For one
 * thread at a time. */
struct bt_checker;

/* `env` must outlive it. NULL when there is no memory. Nothing is made before it is needed. */
BT_API BT_MUST_USE struct bt_checker *bt_checker_create(struct bt_env *env);
/* NULL is allowed. */
BT_API void bt_checker_destroy(struct bt_checker *checker);

struct bt_universal_checker; /* see universal.h */
struct bt_universal_options; /* see universal.h */
struct bt_contract_checker;  /* see contract.h */
struct bt_contract_options;  /* see contract.h */

/* The part of a checker that knows universal handoffs; it ends with the checker. */
BT_API BT_MUST_USE enum bt_status bt_checker_universal(struct bt_checker *checker,
                                                       struct bt_universal_checker **out);
/* The same for contract blocks. */
BT_API BT_MUST_USE enum bt_status bt_checker_contract(struct bt_checker *checker,
                                                      struct bt_contract_checker **out);

struct bt_governed_checker; /* see governed.h */
struct bt_governed_options; /* see governed.h */

/* The part of a checker that knows governed handoffs; it ends with the checker. */
BT_API BT_MUST_USE enum bt_status bt_checker_governed(struct bt_checker *checker,
                                                      struct bt_governed_checker **out);

struct bt_plan_checker; /* see plan.h */
struct bt_plan_options; /* see plan.h */

/* The part of a checker that knows plans; it ends with the checker. */
BT_API BT_MUST_USE enum bt_status bt_checker_plan(struct bt_checker *checker,
                                                  struct bt_plan_checker **out);

struct bt_message_options; /* see xml.h */

struct bt_check_options {
    const struct bt_dialect *dialect; /* NULL: recognise it */
    enum bt_severity fail_level;      /* zero means BT_SEVERITY_HARD */
    struct bt_checker *checker;       /* of the same env; NULL: one is made for this call */
    const struct bt_universal_options *universal; /* NULL: the defaults */
    const struct bt_contract_options *contract;   /* NULL: the defaults */
    const struct bt_plan_options *plan;           /* NULL: the defaults */
    const struct bt_message_options *xml;         /* NULL: the defaults */
    const struct bt_governed_options *governed;   /* NULL: the defaults, without a root */
};

/*
 * Judge `content`, known to people as `path`, and set *out to the judged document, which lives in
 * the arena and points into path and content. `options` may be NULL.
 *
 * BT_ENOENT: no dialect was named and none recognises the document. Any status other than BT_OK
 * means that there is no verdict; *out is untouched.
 */
BT_API BT_MUST_USE enum bt_status bt_check(struct bt_env *env, struct bt_arena *arena, bt_str path,
                                           bt_str content, const struct bt_check_options *options,
                                           struct bt_judgement *out);

/* ---- The registry of rules ------------------------------------------------------------------- */

/* All rules, sorted by code, then dialect. */
BT_API size_t bt_rules_count(void);
BT_API const struct bt_rule *bt_rules_at(size_t index);
/* All bt_rules_count() rows in the same order, as an array in the arena. Asking for each row by its
 * index takes time that grows with the square of their number; this does not. */
BT_API BT_MUST_USE enum bt_status bt_rules_all(struct bt_arena *arena,
                                               const struct bt_rule *const **out);
/* The first row of a code (rows of one code are neighbours), or bt_rules_count(). */
BT_API size_t bt_rules_find(bt_str code);

/* The version of the library, "0.1.0". */
BT_API const char *bt_version(void);

#ifdef __cplusplus
}
#endif

#endif
