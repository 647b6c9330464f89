/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.h - the file name patterns by which dialects are recognised.
 */
#ifndef BATON_SRC_ENGINE_PATTERN_H
#define BATON_SRC_ENGINE_PATTERN_H

#include <baton/base.h>

/*
 * True when the end of `path` matches `pattern`: as many components as the pattern has, compared
 * byte by byte, where `*` stands for any run of bytes within one component. So "handoffs/" and
 * "*.json" put together match "a/handoffs/b.json" and neither "handoffs/a/b.json" nor
 * "myhandoffs/b.json".
 */
bool bt_pattern_matches(bt_str pattern, bt_str path);

#endif
