/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - findings about configurations.
 */
#include "config/config_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "report/add.h"

enum bt_status bt_config_pointer(struct bt_arena *arena, bt_str key, bt_str *out)
{
    char *text = bt_arena_alloc(arena, key.len + 2);
    if (!text) {
        return BT_ENOMEM;
    }
    text[0] = '/';
    for (size_t i = 0; i < key.len; i++) {
        text[i + 1] = (char)(key.ptr[i] == '.' ? '/' : key.ptr[i]);
    }
    text[key.len + 1] = '\0';
    *out = (bt_str){text, key.len + 1};
    return BT_OK;
}

enum bt_status bt_config_add_finding(struct bt_findings *findings,
                                     const struct bt_config_finding *fault, const char *format, ...)
{
    char message[BT_ERROR_TEXT_BYTES];
    va_list arguments;
    const struct bt_rule *rule = bt_rule_find(BT_DIALECT_CONFIG, bt_str_of(fault->code));
    assert(rule);
    struct bt_finding finding = bt_finding_from_rule(rule);
    va_start(arguments, format);
    const int length = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    assert(length >= 0);
    (void)length;
    finding.pointer = fault->pointer;
    finding.offset = fault->offset;
    finding.params = bt_str_eq(fault->params, BT_STR("{}")) ? BT_STR("") : fault->params;
    finding.message = bt_str_of(message);
    return bt_findings_add(findings, &finding);
}
