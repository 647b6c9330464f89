/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visible.h - which characters a person does not see, for those who escape them in their own way.
 */
#ifndef BATON_SRC_BASE_VISIBLE_H
#define BATON_SRC_BASE_VISIBLE_H

#include <baton/base.h>

/* Whether the character, which is above U+007F, controls, reorders, hides or has no width. */
bool bt_is_hidden(uint32_t code_point);

#endif
