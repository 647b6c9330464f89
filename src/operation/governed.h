/* SPDX-License-Identifier: Apache-2.0 */
/* governed.h - the options of governed handoffs from the configuration. */
#ifndef BATON_SRC_OPERATION_GOVERNED_H
#define BATON_SRC_OPERATION_GOVERNED_H

#include "config/config.h"
#include "dialect/governed/governed.h"

/* The options that baton.yaml gives, without a root. */
BT_MUST_USE enum bt_status bt_governed_options_from_config(const struct bt_config *config,
                                                           struct bt_arena *arena,
                                                           struct bt_governed_options *out,
                                                           struct bt_error *error);

#endif
