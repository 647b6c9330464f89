/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft_check.h - can a handoff become a file? Judged by names alone, without looking at files.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_DRAFT_CHECK_H
#define BATON_SRC_DIALECT_UNIVERSAL_DRAFT_CHECK_H

#include "dialect/universal/universal_check.h"

/* Why a session path is refused wherever it leads, or NULL. */
const char *bt_universal_session_path_error(bt_str path);
/* Add SESSION_PATH_UNSAFE with the reason. */
BT_MUST_USE enum bt_status bt_universal_add_unsafe_session_path(struct bt_findings *notes,
                                                                bt_str session_path,
                                                                const char *reason);
/* Add UNSAFE_SKILL_NAME for the source and the target, where it applies. */
BT_MUST_USE enum bt_status bt_universal_check_file_names(const struct bt_universal_check *handoff,
                                                         struct bt_findings *notes);

#endif
