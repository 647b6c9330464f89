/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_modes.h - the engine as the tests ask it; the functions of struct mode.
 */
#ifndef BATON_TESTS_SCHEMA_ENGINE_MODES_H
#define BATON_TESTS_SCHEMA_ENGINE_MODES_H

#include "judge.h"

void *engine_open(const struct bt_json_doc *schema, const struct judge_options *judge);
const char *engine_reason(void *opened);
void engine_close(void *opened);
enum verdict engine_judge_fast(void *opened, const struct bt_json_doc *instance);
/* The same from the diagnostic run; VERDICT_NONE also when its findings and its answer disagree. */
enum verdict engine_judge_diagnostic(void *opened, const struct bt_json_doc *instance);

#endif
