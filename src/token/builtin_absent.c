/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin_absent.c - the tables of a core build, which has none; see load.c.
 */
#include "token/table.h"

const struct bt_token_table *bt_token_table_builtin(enum bt_encoding encoding)
{
    (void)encoding;
    return NULL;
}
