/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_table.h - a table from names to numbers, for step ids, files and columns.
 */
#ifndef BATON_SRC_DIALECT_PLAN_NAME_TABLE_H
#define BATON_SRC_DIALECT_PLAN_NAME_TABLE_H

#include <baton/base.h>

#define BT_NO_NUMBER SIZE_MAX

struct bt_plan_name_table {
    bt_str *names;   /* slots; an unused one has ptr NULL */
    size_t *numbers; /* by slot */
    size_t mask;
    uint64_t seed; /* so that nobody can choose names that collide */
};

/* A table with room for `count` names. */
BT_MUST_USE enum bt_status bt_plan_name_table_init(struct bt_plan_name_table *names,
                                                   struct bt_arena *arena, size_t count,
                                                   uint64_t seed);
/* The number of a name, or BT_NO_NUMBER. */
size_t bt_plan_name_table_find(const struct bt_plan_name_table *names, bt_str name);
/* Give `name` a number unless it has one; returns the number that it has then. */
size_t bt_plan_name_table_add(struct bt_plan_name_table *names, bt_str name, size_t number);

#endif
