/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envelope.c - messages that the pump itself makes: every name is escaped, never pasted.
 */
#include "pump/pump_internal.h"
#include "xml/xml.h"

#define OPENING "<message xmlns=\"https://xml-pipeline.org/ns/envelope/v1\"><meta>"

void bt_pump_put_leaf(struct bt_buf *buf, const char *name, bt_str text)
{
    bt_buf_put_char(buf, '<');
    bt_buf_put_text(buf, name);
    bt_buf_put_char(buf, '>');
    bt_xml_put_text(buf, text);
    bt_buf_put_text(buf, "</");
    bt_buf_put_text(buf, name);
    bt_buf_put_char(buf, '>');
}

/* The envelope has a default namespace, so a payload in no namespace needs xmlns="". */
static void put_payload(struct bt_buf *buf, bt_str payload)
{
    size_t name_end = 1;
    while (name_end < payload.len && payload.ptr[name_end] != ' ' && payload.ptr[name_end] != '>' &&
           payload.ptr[name_end] != ':') {
        name_end++;
    }
    const bt_str rest = bt_str_slice(payload, name_end, payload.len);
    const bool has_space =
        bt_str_starts_with(rest, BT_STR(":")) || bt_str_starts_with(rest, BT_STR(" xmlns="));
    bt_buf_put(buf, bt_str_slice(payload, 0, name_end));
    if (!has_space) {
        bt_buf_put_text(buf, " xmlns=\"\"");
    }
    bt_buf_put(buf, rest);
}

void bt_pump_put_message(struct bt_buf *buf, const struct bt_pump_envelope *envelope)
{
    bt_buf_put_text(buf, OPENING);
    bt_pump_put_leaf(buf, "from", envelope->from);
    bt_pump_put_leaf(buf, "to", envelope->to);
    bt_pump_put_leaf(buf, "thread", envelope->thread);
    bt_buf_put_text(buf, "</meta>");
    put_payload(buf, envelope->payload);
    bt_buf_put_text(buf, "</message>");
}
