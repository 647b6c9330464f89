/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - find rows of the table and their parameters.
 */
#include "operation/table.h"

const struct bt_operation *bt_operation_find(bt_str operation_id)
{
    size_t low = 0;
    size_t high = BT_OPERATIONS_REST_COUNT;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct bt_operation *operation = &bt_operations[bt_operations_by_id[middle]];
        const int order = bt_str_compare(bt_str_of(operation->rest.operation_id), operation_id);
        if (order == 0) {
            return operation;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
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

bool bt_operation_takes_object(const struct bt_operation *operation)
{
    for (size_t i = 0; i < operation->param_count; i++) {
        if (operation->params[i].places & BT_IN_CONTENT) {
            return false;
        }
    }
    return operation->rest.takes != NULL;
}
