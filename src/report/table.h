/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - tables for people: a header in capitals, two spaces between columns, numbers at the
 * right, "-" for absent values, no trailing spaces.
 */
#ifndef BATON_SRC_REPORT_TABLE_H
#define BATON_SRC_REPORT_TABLE_H

#include <baton/base.h>

#include "base/vec.h"

enum { BT_TABLE_COLUMNS_MAX = 16 };

/* A table whose cells are added row by row, from left to right. */
struct bt_table {
    struct bt_arena *arena;
    const char *const *names; /* of the columns; a name that begins with "#" is that of numbers */
    size_t column_count;
    BT_VEC(bt_str) cells;
    enum bt_status status; /* the first failure; it sticks */
    bool without_header;
};

/* Begin a table with these columns; the list ends with NULL. */
void bt_table_init(struct bt_table *table, struct bt_arena *arena, const char *const *names);
/* Add a cell; "" stands for an absent value. Control characters are escaped. */
void bt_table_add(struct bt_table *table, bt_str cell);
void bt_table_add_u64(struct bt_table *table, uint64_t number);
void bt_table_add_bool(struct bt_table *table, bool value);
/*
 * Put the table. Cells are cut when the lines are wider than `columns`, that of a terminal; 0: they
 * are never cut. Returns the first failure.
 */
BT_MUST_USE enum bt_status bt_table_put(const struct bt_table *table, size_t columns,
                                        struct bt_buf *buf);

#endif
