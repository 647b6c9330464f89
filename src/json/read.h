/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.h - reading with a chosen kernel, so that tests can compare all of them.
 */
#ifndef BATON_SRC_JSON_READ_H
#define BATON_SRC_JSON_READ_H

#include <baton/json.h>

#include "json/build.h"
#include "json/index.h"

/* The two stages as one instruction set has them. */
struct bt_json_kernel {
    const char *name;
    bool (*is_supported)(void);
    bt_json_index_fn *index;
    bt_json_build_fn *build;
};

/* The best one first; the last one runs anywhere. */
extern const struct bt_json_kernel bt_json_kernels[];
extern const size_t bt_json_kernels_count;

/* The best one for this processor. */
const struct bt_json_kernel *bt_json_kernel_best(void);

/* As bt_json_read(), which has checked the options and the size. */
BT_MUST_USE enum bt_status bt_json_read_with(struct bt_arena *arena, bt_str source,
                                             const struct bt_json_options *options,
                                             const struct bt_json_kernel *kernel,
                                             struct bt_json_read_result *out_result);

#endif
