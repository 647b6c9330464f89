/* SPDX-License-Identifier: Apache-2.0 */
/*
 * whole.c - what the keys of one mapping demand of each other and exclude.
 */
#include "organism/keys.h"

#include <baton/json.h>

#include "report/remark.h"

static bool has(const struct bt_yaml_node *node, const char *key)
{
    return bt_node_get(node, key) != NULL;
}

static bool is_true(const struct bt_yaml_node *node, const char *key)
{
    return bt_yaml_type(bt_node_get(node, key)) == BT_YAML_TYPE_TRUE;
}

/* Say that those of the keys that are there exclude each other. The list ends with NULL. */
static enum bt_status conflict(struct bt_reading *reading, const struct bt_yaml_node *node,
                               const char *const *keys)
{
    struct bt_remark remark;
    bt_reading_remark(reading, &remark, "PUMP_KEY_CONFLICT", node);
    bt_buf_put_text(&remark.message, "these do not go together:");
    bt_emit_name(&remark.emit, "keys");
    bt_emit_array(&remark.emit);
    for (; *keys; keys++) {
        if (has(node, *keys)) {
            bt_buf_printf(&remark.message, " %s", *keys);
            bt_emit_string(&remark.emit, bt_str_of(*keys));
        }
    }
    bt_emit_end(&remark.emit);
    remark.finding.hint = BT_STR("keep one of them");
    return bt_reading_say(reading, &remark);
}

static size_t count(const struct bt_yaml_node *node, const char *const *keys)
{
    size_t found = 0;
    for (; *keys; keys++) {
        found += has(node, *keys);
    }
    return found;
}

static const char *const payload_keys[] = {"payload_class", "payload_type", "fields", "xsd", NULL};
static const char *const result_keys[] = {"result", "result_class", "result_fields", "result_xsd",
                                          NULL};

/* The payload is declared in exactly one way. */
static enum bt_status payload(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    const bool has_class = has(node, "payload_class");
    const bool has_fields = has(node, "fields");
    const bool has_xsd = has(node, "xsd");
    if ((has_class && count(node, payload_keys) > 1) || (has_fields && has_xsd)) {
        BT_TRY(conflict(reading, node, payload_keys));
    }
    if (!has_class && !has_fields && !has_xsd) {
        return bt_reading_tell(reading, "PUMP_PAYLOAD_UNDECLARED", node, NULL, BT_STR(""));
    }
    return BT_OK;
}

/* So are the replies. */
static enum bt_status result(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    const size_t found = count(node, result_keys);
    if (found == 0) {
        return bt_reading_tell(reading, "PUMP_RESULT_UNDECLARED", node, NULL, BT_STR(""));
    }
    return found > 1 ? conflict(reading, node, result_keys) : BT_OK;
}

static enum bt_status handler(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    static const char *const ways[] = {"handler", "command", NULL};
    static const char *const transports[] = {"handler", "transport", NULL};
    const struct bt_yaml_node *named = bt_node_get(node, "handler");
    if (count(node, ways) == 0) {
        BT_TRY(bt_reading_tell(reading, "PUMP_KEY_MISSING", node, "key", BT_STR("handler")));
    }
    if (count(node, ways) == 2) {
        BT_TRY(conflict(reading, node, ways));
    } else if (has(node, "transport") && !has(node, "command")) {
        BT_TRY(conflict(reading, node, transports));
    }
    if (bt_node_is_string(named) && bt_handler_form(named->text).host == 0) {
        const size_t length = bt_reading_down(reading, BT_STR("handler"));
        BT_TRY(bt_reading_tell(reading, "PUMP_HANDLER_FORM", named, NULL, BT_STR("")));
        bt_reading_up(reading, length);
    }
    return BT_OK;
}

static enum bt_status description(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    const struct bt_yaml_node *text = bt_node_get(node, "description");
    if (text && !(bt_node_is_string(text) && bt_str_is_blank(text->text))) {
        return BT_OK;
    }
    return bt_reading_tell(reading, "PUMP_DESCRIPTION_MISSING", node, NULL, BT_STR(""));
}

/* A value that its row cannot judge is not of its form. */
static enum bt_status misformed(struct bt_reading *reading, const struct bt_yaml_node *value,
                                const char *key, const char *expected)
{
    const size_t length = bt_reading_down(reading, bt_str_of(key));
    BT_TRY(bt_reading_tell(reading, "PUMP_KEY_VALUE", value, "expected", bt_str_of(expected)));
    bt_reading_up(reading, length);
    return BT_OK;
}

/* The name of a class becomes a part of a tag. */
static enum bt_status class_form(struct bt_reading *reading, const struct bt_yaml_node *node,
                                 const char *key)
{
    const struct bt_yaml_node *named = bt_node_get(node, key);
    return !bt_node_is_string(named) || bt_type_name_is(bt_class_name(named->text))
               ? BT_OK
               : misformed(reading, named, key, "Class, module.Class or file.py:Class");
}

static enum bt_status agent(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    static const char *const grouped[] = {"agent", "group", NULL};
    static const char *const prompted[] = {"agent", "prompt", NULL};
    const bool is_agent = is_true(node, "agent");
    if (is_agent && has(node, "group")) {
        BT_TRY(conflict(reading, node, grouped));
    }
    return !is_agent && has(node, "prompt") ? conflict(reading, node, prompted) : BT_OK;
}

static enum bt_status any_replies(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    static const char *const keys[] = {"result", "replies", NULL};
    const struct bt_yaml_node *declared = bt_node_get(node, "replies");
    return declared && declared->count > 0 && bt_str_eq(bt_node_text(node, "result"), BT_STR("any"))
               ? conflict(reading, node, keys)
               : BT_OK;
}

enum bt_status bt_listener_whole(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    if ((has(node, "fields") || has(node, "xsd")) && !has(node, "payload_class") &&
        !has(node, "payload_type")) {
        BT_TRY(bt_reading_tell(reading, "PUMP_KEY_MISSING", node, "key", BT_STR("payload_type")));
    }
    BT_TRY(handler(reading, node));
    BT_TRY(description(reading, node));
    BT_TRY(payload(reading, node));
    BT_TRY(result(reading, node));
    BT_TRY(class_form(reading, node, "payload_class"));
    BT_TRY(class_form(reading, node, "result_class"));
    BT_TRY(agent(reading, node));
    return any_replies(reading, node);
}

enum bt_status bt_capability_whole(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    BT_TRY(payload(reading, node));
    return result(reading, node);
}

enum bt_status bt_gateway_whole(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    const struct bt_yaml_node *url = bt_node_get(node, "remote_url");
    struct bt_remote_url parts;
    return !bt_node_is_string(url) || bt_remote_url_read(url->text, &parts)
               ? BT_OK
               : misformed(reading, url, "remote_url", "tls://HOST:PORT or unix:PATH");
}

enum bt_status bt_tls_whole(struct bt_reading *reading, const struct bt_yaml_node *node)
{
    static const char *const keys[] = {"cert", "key", NULL};
    return count(node, keys) == 1 ? conflict(reading, node, keys) : BT_OK;
}
