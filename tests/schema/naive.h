/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive.h - JSON Schema taken literally: the interpreter that the fast one is measured against.
 *
 * Every keyword is one function that does what the specification says, on the schema as it was
 * read. Nothing is prepared, merged, skipped or cut short, so it is slow and easy to believe. All
 * that it shares with the engine is the JSON layer, regular expressions, formats and the texts of
 * the meta-schemas.
 *
 * References are resolved when the schema is opened, and one that leads nowhere makes every answer
 * VERDICT_NONE, as do a keyword with a value of the wrong type, an unknown dialect, references that
 * go in circles and too much work.
 */
#ifndef BATON_TESTS_SCHEMA_NAIVE_H
#define BATON_TESTS_SCHEMA_NAIVE_H

#include "judge.h"

struct naive;

/* Open a schema. It and the other documents must stay. NULL only when there is no memory. */
struct naive *naive_open(const struct bt_json_doc *schema, const struct judge_options *options);
enum verdict naive_judge(struct naive *naive, const struct bt_json_doc *instance);
/* Why the last answer was VERDICT_NONE; "" when it was not. Lives until the next call. */
const char *naive_reason(const struct naive *naive);
/* NULL is allowed. */
void naive_close(struct naive *naive);

/* All of it at once. */
enum verdict naive_validate(const struct bt_json_doc *schema, const struct judge_options *options,
                            const struct bt_json_doc *instance);

#endif
