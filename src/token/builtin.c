/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin.c - the tables of this build.
 */
#include "token/table.h"

const struct bt_token_table *bt_token_table_builtin(enum bt_encoding encoding)
{
    return encoding == BT_ENCODING_O200K_BASE    ? &bt_token_o200k_base
           : encoding == BT_ENCODING_CL100K_BASE ? &bt_token_cl100k_base
                                                 : NULL;
}
