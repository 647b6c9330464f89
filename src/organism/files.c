/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - the files that an organism names: below its directory, there, and regular; schemas are
 * read.
 */
#include <assert.h>

#include <baton/file.h>

#include "organism/organism.h"
#include "organism/xsd.h"
#include "report/remark.h"

enum wanted {
    ANYTHING = 0, /* it may be absent */
    PRESENT,      /* a file or a directory */
    REGULAR,      /* a regular file */
};

/* Whether the words of a path alone lead out of the directory. */
static bool leaves_by_words(bt_str path)
{
    if (bt_str_starts(path, BT_STR("/"))) {
        return true;
    }
    for (size_t from = 0; from <= path.len;) {
        const size_t slash = bt_str_find(path, '/', from);
        if (bt_str_eq(bt_str_slice(path, from, slash), BT_STR(".."))) {
            return true;
        }
        from = slash + 1;
    }
    return false;
}

/*
 * Judge the path in `node`, of which `path` is the part that names a file. *out_content (may be
 * NULL) is what a regular file holds, at most BT_XSD_BYTES_MAX + 1 bytes; it stays when there is
 * nothing to read.
 */
static enum bt_status judge(struct bt_reading *reading, const struct bt_yaml_node *node,
                            bt_str path, enum wanted wanted, bt_str *out_content)
{
    struct bt_root_file found = {.refusal = BT_NOT_REFUSED, .content = BT_STR("")};
    if (leaves_by_words(path)) {
        return bt_reading_tell(reading, "PUMP_PATH", node, NULL, BT_STR(""));
    }
    if (!reading->root) {
        return BT_OK;
    }
    const enum bt_status status = bt_root_fetch(reading->root, reading->arena, path,
                                                out_content ? BT_XSD_BYTES_MAX : 0, &found, NULL);
    if (status == BT_EDENIED) {
        found.refusal = BT_NO_REGULAR_FILE;
    } else {
        BT_TRY(status);
    }
    if (found.refusal == BT_LEAVES_ROOT || found.refusal == BT_LINK_LOOP) {
        return bt_reading_tell(reading, "PUMP_PATH", node, NULL, BT_STR(""));
    }
    if ((wanted != ANYTHING && found.refusal == BT_NOT_THERE) ||
        (wanted == REGULAR && found.refusal == BT_NO_REGULAR_FILE)) {
        return bt_reading_tell(reading, "PUMP_FILE_MISSING", node, "path", path);
    }
    if (out_content && found.refusal == BT_NOT_REFUSED) {
        *out_content = found.content;
    }
    return BT_OK;
}

static enum bt_status at_key(struct bt_reading *reading, const struct bt_yaml_node *mapping,
                             const char *key, enum wanted wanted)
{
    const struct bt_yaml_node *node = bt_node_get(mapping, key);
    if (!node) {
        return BT_OK;
    }
    const size_t length = bt_reading_down(reading, bt_str_of(key));
    BT_TRY(judge(reading, node, node->text, wanted, NULL));
    bt_reading_up(reading, length);
    return BT_OK;
}

/* ---- Schemas --------------------------------------------------------------------------------- */

static enum bt_status schema(struct bt_reading *reading, const struct bt_yaml_node *mapping,
                             const char *key, bt_str root, struct bt_xsd *out)
{
    *out = (struct bt_xsd){.text = BT_STR("")};
    const struct bt_yaml_node *node = bt_node_get(mapping, key);
    bt_str content = {NULL, 0};
    const size_t length = bt_reading_down(reading, bt_str_of(key));
    BT_TRY(judge(reading, node, node->text, REGULAR, &content));
    if (content.ptr) {
        BT_TRY(bt_xsd_read(reading->arena, content, root, reading->env->hash_seed[0], out));
        if (out->reason) {
            struct bt_remark remark;
            bt_reading_remark(reading, &remark, "PUMP_XSD_INVALID", node);
            bt_buf_printf(&remark.message, "%s", out->detail);
            bt_emit_member_string(&remark.emit, "reason", bt_str_of(out->reason));
            BT_TRY(bt_reading_say(reading, &remark));
        }
    }
    bt_reading_up(reading, length);
    return BT_OK;
}

/* What the schemas of a listener or capability declare. */
static enum bt_status schemas(struct bt_reading *reading, const struct bt_yaml_node *node,
                              struct bt_capability *takes)
{
    struct bt_xsd found;
    if (bt_node_get(node, "xsd")) {
        BT_TRY(schema(reading, node, "xsd", takes->tag, &found));
        takes->type = found.type;
        takes->xsd = found.text;
    }
    if (!bt_node_get(node, "result_xsd")) {
        return BT_OK;
    }
    BT_TRY(schema(reading, node, "result_xsd", BT_STR(""), &found));
    struct bt_reply *replies =
        BT_NEW_ARRAY(reading->arena, struct bt_reply, takes->replies_count + 1);
    if (!replies) {
        return BT_ENOMEM;
    }
    replies[0] = (struct bt_reply){found.root, found.type, found.declarations};
    for (size_t i = 0; i < takes->replies_count; i++) {
        replies[i + 1] = takes->replies[i];
    }
    if (found.type) {
        takes->replies = replies;
        takes->replies_count++;
    }
    return BT_OK;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static enum bt_status code(struct bt_reading *reading, const struct bt_listener *listener)
{
    const struct bt_yaml_node *handler = bt_node_get(listener->node, "handler");
    const struct bt_yaml_node *command = bt_node_get(listener->node, "command");
    const size_t length = bt_reading_down(reading, handler ? BT_STR("handler") : BT_STR("command"));
    if (handler && bt_handler_form(handler->text).file.len > 0) {
        BT_TRY(judge(reading, handler, bt_handler_form(handler->text).file, REGULAR, NULL));
    }
    if (command && bt_str_find(command->items[0].text, '/', 0) < command->items[0].text.len) {
        (void)bt_reading_down_to(reading, 0);
        BT_TRY(judge(reading, &command->items[0], command->items[0].text, REGULAR, NULL));
    }
    bt_reading_up(reading, length);
    return BT_OK;
}

static enum bt_status readable(struct bt_reading *reading, const struct bt_listener *listener)
{
    const struct bt_yaml_node *list = bt_node_get(listener->node, "read");
    const size_t length = bt_reading_down(reading, BT_STR("read"));
    for (size_t i = 0; list && i < list->count; i++) {
        const size_t inside = bt_reading_down_to(reading, i);
        BT_TRY(judge(reading, &list->items[i], list->items[i].text, PRESENT, NULL));
        bt_reading_up(reading, inside);
    }
    bt_reading_up(reading, length);
    return BT_OK;
}

static enum bt_status gateway(struct bt_reading *reading, const struct bt_gateway *gateway)
{
    const struct bt_yaml_node *list = bt_node_get(gateway->node, "capabilities");
    BT_TRY(at_key(reading, gateway->node, "trusted_identity", REGULAR));
    const size_t length = bt_reading_down(reading, BT_STR("capabilities"));
    for (size_t i = 0; i < gateway->capabilities_count; i++) {
        const size_t inside = bt_reading_down_to(reading, i);
        BT_TRY(schemas(reading, &list->items[i], &gateway->capabilities[i]));
        bt_reading_up(reading, inside);
    }
    bt_reading_up(reading, length);
    return BT_OK;
}

static enum bt_status top_level(struct bt_reading *reading)
{
    const struct bt_yaml_node *organism = bt_node_get(reading->document, "organism");
    const struct bt_yaml_node *tls = bt_node_get(organism, "tls");
    size_t length = bt_reading_down(reading, BT_STR("organism"));
    BT_TRY(at_key(reading, organism, "socket", ANYTHING));
    BT_TRY(at_key(reading, organism, "identity", REGULAR));
    (void)bt_reading_down(reading, BT_STR("tls"));
    BT_TRY(at_key(reading, tls, "cert", REGULAR));
    BT_TRY(at_key(reading, tls, "key", REGULAR));
    bt_reading_up(reading, length);
    length = bt_reading_down(reading, BT_STR("oob"));
    BT_TRY(at_key(reading, bt_node_get(reading->document, "oob"), "unix_socket", ANYTHING));
    bt_reading_up(reading, length);
    BT_TRY(at_key(reading, reading->document, "store", ANYTHING));
    return at_key(reading, reading->document, "schemas", ANYTHING);
}

enum bt_status bt_organism_files(struct bt_reading *reading)
{
    struct bt_organism *organism = reading->organism;
    BT_TRY(top_level(reading));
    size_t length = bt_reading_down(reading, BT_STR("clients"));
    for (size_t i = 0; i < organism->clients_count; i++) {
        const size_t inside = bt_reading_down_to(reading, i);
        BT_TRY(at_key(reading, organism->clients[i].node, "public_key", REGULAR));
        bt_reading_up(reading, inside);
    }
    bt_reading_up(reading, length);
    length = bt_reading_down(reading, BT_STR("listeners"));
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const size_t inside = bt_reading_down_to(reading, i);
        BT_TRY(code(reading, &organism->listeners[i]));
        BT_TRY(schemas(reading, organism->listeners[i].node, &organism->listeners[i].takes));
        BT_TRY(readable(reading, &organism->listeners[i]));
        bt_reading_up(reading, inside);
    }
    bt_reading_up(reading, length);
    length = bt_reading_down(reading, BT_STR("gateways"));
    for (size_t i = 0; i < organism->gateways_count; i++) {
        const size_t inside = bt_reading_down_to(reading, i);
        BT_TRY(gateway(reading, &organism->gateways[i]));
        bt_reading_up(reading, inside);
    }
    bt_reading_up(reading, length);
    return BT_OK;
}
