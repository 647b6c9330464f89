/* SPDX-License-Identifier: Apache-2.0 */
/* key_conflicts.c - keys of one mapping that require or exclude each other. */
#include "organism/keys.h"

#include <assert.h>

static bool has_key(const struct bt_yaml_node *node, const char *key)
{
    return bt_organism_node_get(node, key) != NULL;
}

static bool is_true(const struct bt_yaml_node *node, const char *key)
{
    return bt_yaml_type_of(bt_organism_node_get(node, key)) == BT_YAML_TYPE_TRUE;
}

enum { KEYS_MAX = 4 };

/* Add a finding about those of the keys that are present. The list ends with NULL. */
static enum bt_status add_conflict_finding(struct bt_organism_reader *reader,
                                           const struct bt_yaml_node *node, const char *const *keys)
{
    bt_str present[KEYS_MAX];
    size_t count = 0;
    for (; *keys; keys++) {
        if (has_key(node, *keys)) {
            assert(count < KEYS_MAX);
            present[count++] = bt_str_of(*keys);
        }
    }
    return bt_add_pump_key_conflict(reader->findings, bt_organism_locate(reader, node),
                                    (struct bt_str_list){present, count});
}

static size_t count_keys(const struct bt_yaml_node *node, const char *const *keys)
{
    size_t found = 0;
    for (; *keys; keys++) {
        found += has_key(node, *keys);
    }
    return found;
}

static const char *const payload_keys[] = {"payload_class", "payload_type", "fields", "xsd", NULL};
static const char *const result_keys[] = {"result", "result_class", "result_fields", "result_xsd",
                                          NULL};

/* The payload must be declared in exactly one way. */
static enum bt_status check_payload(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *node)
{
    const bool has_class = has_key(node, "payload_class");
    const bool has_fields = has_key(node, "fields");
    const bool has_xsd = has_key(node, "xsd");
    if ((has_class && count_keys(node, payload_keys) > 1) || (has_fields && has_xsd)) {
        BT_TRY(add_conflict_finding(reader, node, payload_keys));
    }
    if (!has_class && !has_fields && !has_xsd && !reader->options->host_describes) {
        return bt_add_pump_payload_undeclared(reader->findings, bt_organism_locate(reader, node));
    }
    return BT_OK;
}

/* The replies must be declared in exactly one way. */
static enum bt_status check_result(struct bt_organism_reader *reader,
                                   const struct bt_yaml_node *node)
{
    const size_t found = count_keys(node, result_keys);
    if (found == 0) {
        return bt_add_pump_result_undeclared(reader->findings, bt_organism_locate(reader, node));
    }
    return found > 1 ? add_conflict_finding(reader, node, result_keys) : BT_OK;
}

static enum bt_status check_handler(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *node)
{
    static const char *const handler_keys[] = {"handler", "command", NULL};
    static const char *const transports[] = {"handler", "transport", NULL};
    const struct bt_yaml_node *named = bt_organism_node_get(node, "handler");
    if (count_keys(node, handler_keys) == 0) {
        BT_TRY(bt_add_pump_key_missing(reader->findings, bt_organism_locate(reader, node),
                                       BT_STR("handler")));
    }
    if (count_keys(node, handler_keys) == 2) {
        BT_TRY(add_conflict_finding(reader, node, handler_keys));
    } else if (has_key(node, "transport") && !has_key(node, "command")) {
        BT_TRY(add_conflict_finding(reader, node, transports));
    }
    if (bt_organism_node_is_string(named) &&
        bt_organism_listener_handler_parse(named->text).host == 0) {
        BT_TRY(bt_add_pump_handler_form(reader->findings, bt_organism_locate(reader, named)));
    }
    return BT_OK;
}

static enum bt_status check_description(struct bt_organism_reader *reader,
                                        const struct bt_yaml_node *node)
{
    const struct bt_yaml_node *text = bt_organism_node_get(node, "description");
    if (text && !(bt_organism_node_is_string(text) && bt_str_is_blank(text->text))) {
        return BT_OK;
    }
    return bt_add_pump_description_missing(reader->findings, bt_organism_locate(reader, node));
}

/* A value of a form that its row in the table cannot describe. */
static enum bt_status add_value_finding(struct bt_organism_reader *reader,
                                        const struct bt_yaml_node *value, const char *expected)
{
    return bt_add_pump_key_value_malformed(reader->findings, bt_organism_locate(reader, value),
                                           bt_str_of(expected));
}

/* The name of a class becomes a part of a tag. */
static enum bt_status class_form(struct bt_organism_reader *reader, const struct bt_yaml_node *node,
                                 const char *key)
{
    const struct bt_yaml_node *named = bt_organism_node_get(node, key);
    return !bt_organism_node_is_string(named) ||
                   bt_payload_type_name_is_valid(bt_organism_listener_class_name(named->text))
               ? BT_OK
               : add_value_finding(reader, named, "Class, module.Class or file.py:Class");
}

static enum bt_status check_agent(struct bt_organism_reader *reader,
                                  const struct bt_yaml_node *node)
{
    static const char *const grouped[] = {"agent", "group", NULL};
    static const char *const prompted[] = {"agent", "prompt", NULL};
    const bool is_agent = is_true(node, "agent");
    if (is_agent && has_key(node, "group")) {
        BT_TRY(add_conflict_finding(reader, node, grouped));
    }
    return !is_agent && has_key(node, "prompt") ? add_conflict_finding(reader, node, prompted)
                                                : BT_OK;
}

static enum bt_status any_replies(struct bt_organism_reader *reader,
                                  const struct bt_yaml_node *node)
{
    static const char *const keys[] = {"result", "replies", NULL};
    const struct bt_yaml_node *declared = bt_organism_node_get(node, "replies");
    return declared && declared->count > 0 &&
                   bt_str_eq(bt_organism_node_text(node, "result"), BT_STR("any"))
               ? add_conflict_finding(reader, node, keys)
               : BT_OK;
}

enum bt_status bt_organism_check_listener_keys(struct bt_organism_reader *reader,
                                               const struct bt_yaml_node *node)
{
    if ((has_key(node, "fields") || has_key(node, "xsd")) && !has_key(node, "payload_class") &&
        !has_key(node, "payload_type")) {
        BT_TRY(bt_add_pump_key_missing(reader->findings, bt_organism_locate(reader, node),
                                       BT_STR("payload_type")));
    }
    BT_TRY(check_handler(reader, node));
    BT_TRY(check_description(reader, node));
    BT_TRY(check_payload(reader, node));
    BT_TRY(check_result(reader, node));
    BT_TRY(class_form(reader, node, "payload_class"));
    BT_TRY(class_form(reader, node, "result_class"));
    BT_TRY(check_agent(reader, node));
    return any_replies(reader, node);
}

enum bt_status bt_organism_check_capability_keys(struct bt_organism_reader *reader,
                                                 const struct bt_yaml_node *node)
{
    BT_TRY(check_payload(reader, node));
    return check_result(reader, node);
}

enum bt_status bt_organism_check_gateway_keys(struct bt_organism_reader *reader,
                                              const struct bt_yaml_node *node)
{
    const struct bt_yaml_node *url = bt_organism_node_get(node, "remote_url");
    struct bt_organism_gateway_url parts;
    return !bt_organism_node_is_string(url) || bt_organism_gateway_url_read(url->text, &parts)
               ? BT_OK
               : add_value_finding(reader, url, "tls://HOST:PORT or unix:PATH");
}

enum bt_status bt_organism_check_tls_keys(struct bt_organism_reader *reader,
                                          const struct bt_yaml_node *node)
{
    static const char *const keys[] = {"cert", "key", NULL};
    return count_keys(node, keys) == 1 ? add_conflict_finding(reader, node, keys) : BT_OK;
}
