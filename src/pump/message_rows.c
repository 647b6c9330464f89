/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_rows.c - how the store spells kinds, states and numbers.
 */
#include "pump/message_rows.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static const bt_str kinds[] = {
    [BT_PUMP_MESSAGE_KIND_NONE] = BT_STR_INIT(""),
    [BT_PUMP_MESSAGE_KIND_INGRESS] = BT_STR_INIT("ingress"),
    [BT_PUMP_MESSAGE_KIND_CALL] = BT_STR_INIT("call"),
    [BT_PUMP_MESSAGE_KIND_SELF] = BT_STR_INIT("self"),
    [BT_PUMP_MESSAGE_KIND_REPLY] = BT_STR_INIT("reply"),
    [BT_PUMP_MESSAGE_KIND_DIAGNOSTIC] = BT_STR_INIT("huh"),
    [BT_PUMP_MESSAGE_KIND_EGRESS] = BT_STR_INIT("egress"),
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

bt_str bt_pump_message_kind_name(enum bt_pump_message_kind kind)
{
    assert((size_t)kind < KINDS);
    return kinds[kind];
}

enum bt_pump_message_kind bt_pump_message_kind_parse(bt_str name)
{
    for (size_t i = 1; i < KINDS; i++) {
        if (bt_str_eq(kinds[i], name)) {
            return (enum bt_pump_message_kind)i;
        }
    }
    return BT_PUMP_MESSAGE_KIND_NONE;
}

bt_str bt_pump_message_state_name(enum bt_pump_message_state state)
{
    switch (state) {
    case BT_PUMP_MESSAGE_STATE_QUEUED:
        return BT_STR("queued");
    case BT_PUMP_MESSAGE_STATE_IN_FLIGHT:
        return BT_STR("in-flight");
    case BT_PUMP_MESSAGE_STATE_DONE:
        return BT_STR("done");
    case BT_PUMP_MESSAGE_STATE_DROPPED:
        return BT_STR("dropped");
    case BT_PUMP_MESSAGE_STATE_DEAD:
        return BT_STR("dead");
    }
    assert(false);
    return BT_STR("");
}

bt_str bt_pump_number_text(uint64_t number, char out[BT_NUMBER_TEXT_BYTES])
{
    char *end = out + BT_NUMBER_TEXT_BYTES;
    char *at = end;
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return (bt_str){at, (size_t)(end - at)};
}

void bt_pump_delivery_id(uint64_t number, char out[BT_DELIVERY_ID_BYTES])
{
    (void)snprintf(out, BT_DELIVERY_ID_BYTES, "%020" PRIu64, number);
}
