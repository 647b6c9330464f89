/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - find rows of the table and their parameters.
 */
#include "operation/table.h"

const struct bt_operation *bt_operation_find(bt_str operation_id)
{
    for (size_t i = 0; i < BT_OPERATIONS_CALLS_COUNT; i++) {
        const struct bt_operation *operation = &bt_operations[bt_operations_calls[i]];
        if (bt_str_eq(bt_str_of(operation->rest.operation_id), operation_id)) {
            return operation;
        }
    }
    return NULL;
}

const struct bt_operation_param *bt_operation_param_find(const struct bt_operation *operation,
                                                         unsigned places, bt_str name)
{
    for (size_t i = 0; i < operation->param_count; i++) {
        const struct bt_operation_param *param = &operation->params[i];
        if ((param->places & places) && bt_str_eq(param->name, name)) {
            return param;
        }
    }
    return NULL;
}
