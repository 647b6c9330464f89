/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - complete options and limits and the size of a compiled schema.
 */
#ifndef BATON_SRC_SCHEMA_OPTIONS_H
#define BATON_SRC_SCHEMA_OPTIONS_H

#include <baton/schema.h>

/* The defaults that the comments of the struct name, and a constant seed. */
struct bt_schema_options bt_schema_options_default(void);
/* The defaults that the comments of the struct name. */
struct bt_schema_limits bt_schema_limits_default(void);

/*
 * Copy a caller's options, which may be NULL, and give every member that is zero its default.
 * BT_EINVAL: the size is wrong, or there is no such draft. BT_EIO: no randomness for the seed.
 */
BT_MUST_USE enum bt_status bt_schema_options_complete(const struct bt_schema_options *given,
                                                      struct bt_schema_options *out);

/* As bt_schema_runner_create() for limits of this release, or NULL. NULL: no memory. */
static inline struct bt_schema_runner *bt_schema_runner_with(const struct bt_schema_limits *limits)
{
    struct bt_schema_runner *runner = NULL;
    return bt_schema_runner_create(limits, &runner) == BT_OK ? runner : NULL;
}

/* The size of a compiled schema. */
struct bt_schema_size {
    uint64_t bytes;
    uint32_t instructions;
    uint32_t schemas;
};

struct bt_schema_size bt_schema_get_size(const struct bt_schema *schema);

#endif
