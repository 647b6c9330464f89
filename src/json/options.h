/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - how a text is read, with every limit and the seed given.
 */
#ifndef BATON_SRC_JSON_OPTIONS_H
#define BATON_SRC_JSON_OPTIONS_H

#include <baton/json.h>

struct bt_env; /* see base/env.h */

/*
 * 8 MiB, strings of 4 MiB, 1,000,000 nodes, depth 128; no duplicates, a constant seed, no scratch
 * arena. For texts from trusted sources only: an attacker can make reading slow.
 */
struct bt_json_options bt_json_options_default(void);
/* The limits and the seed of an environment. */
struct bt_json_options bt_json_options_from_env(const struct bt_env *env);

/*
 * Copy a caller's options, which may be NULL, and give every member that is zero its default.
 * BT_EINVAL: the size is wrong, or an option is out of range. BT_EIO: no randomness for the seed.
 */
BT_MUST_USE enum bt_status bt_json_options_complete(const struct bt_json_options *given,
                                                    struct bt_json_options *out);

#endif
