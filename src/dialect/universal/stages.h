/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stages.h - the stages of a judgement, in the order in which bt_universal_check_judge() runs them.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_STAGES_H
#define BATON_SRC_DIALECT_UNIVERSAL_STAGES_H

#include "dialect/universal/universal_check.h"

typedef enum bt_status bt_stage_fn(struct bt_universal_check *handoff);

bt_stage_fn bt_universal_stage_schema;
bt_stage_fn bt_universal_stage_budget;
bt_stage_fn bt_universal_stage_semantics;
bt_stage_fn bt_universal_stage_governance;

/* Count the tokens of the document and its sections. */
bt_stage_fn bt_universal_count_tokens;
/* The value that a finding about a section points at. */
const bt_json_value *bt_universal_section_value(const struct bt_universal_check *handoff,
                                                enum bt_universal_section section);

/* Parts of stage semantics that have files of their own. */
bt_stage_fn bt_universal_check_chain;
bt_stage_fn bt_universal_check_refs;
bt_stage_fn bt_universal_check_artifacts;

/* Whether a declared count is off by more than 30 percent. */
bool bt_count_is_off(uint64_t declared, uint64_t actual);
/* Count a text with the encoding of the options; *out_known is false where that cannot be done. */
BT_MUST_USE enum bt_status bt_count_exactly(struct bt_universal_checker *universal,
                                            const struct bt_universal_options *options, bt_str text,
                                            struct bt_arena *arena, bool *out_known, uint64_t *out);

#endif
