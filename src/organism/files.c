/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.c - the files that an organism names: below its directory, there, and regular; schemas are
 * read, and those that were written before are compared with those that would be written now.
 */
#include <assert.h>

#include "base/file.h"
#include "organism/organism.h"
#include "organism/xsd.h"

enum organism_files_wanted {
    ANYTHING = 0, /* it may be absent */
    PRESENT,      /* a file or a directory */
    REGULAR,      /* a regular file */
};

/* True when a path is absolute or has a part "..". */
static bool leaves_by_words(bt_str path)
{
    if (bt_str_starts_with(path, BT_STR("/"))) {
        return true;
    }
    for (size_t from = 0; from <= path.len;) {
        const size_t slash = bt_str_find_byte(path, '/', from);
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
static enum bt_status check_path(struct bt_organism_reader *reader, const struct bt_yaml_node *node,
                                 bt_str path, enum organism_files_wanted wanted,
                                 bt_str *out_content)
{
    struct bt_dir_file found = {.error = BT_PATH_OK, .content = BT_STR("")};
    if (leaves_by_words(path)) {
        return bt_add_pump_path(reader->findings, bt_organism_locate(reader, node));
    }
    if (!reader->root) {
        return BT_OK;
    }
    const enum bt_status status = bt_dir_read_linked(
        reader->root, reader->arena, path, out_content ? BT_XSD_BYTES_MAX : 0, &found, NULL);
    if (status == BT_EDENIED) {
        found.error = BT_PATH_NOT_REGULAR;
    } else {
        BT_TRY(status);
    }
    if (found.error == BT_PATH_OUTSIDE_DIR || found.error == BT_PATH_LINK_LOOP) {
        return bt_add_pump_path(reader->findings, bt_organism_locate(reader, node));
    }
    if ((wanted != ANYTHING && found.error == BT_PATH_NOT_FOUND) ||
        (wanted == REGULAR && found.error == BT_PATH_NOT_REGULAR)) {
        return bt_add_pump_file_missing(reader->findings, bt_organism_locate(reader, node), path);
    }
    if (out_content && found.error == BT_PATH_OK) {
        *out_content = found.content;
    }
    return BT_OK;
}

static enum bt_status at_key(struct bt_organism_reader *reader, const struct bt_yaml_node *mapping,
                             const char *key, enum organism_files_wanted wanted)
{
    const struct bt_yaml_node *node = bt_organism_node_get(mapping, key);
    return node ? check_path(reader, node, node->text, wanted, NULL) : BT_OK;
}

static enum bt_status read_schema(struct bt_organism_reader *reader,
                                  const struct bt_yaml_node *mapping, const char *key, bt_str root,
                                  struct bt_xsd *out)
{
    *out = (struct bt_xsd){.text = BT_STR("")};
    const struct bt_yaml_node *node = bt_organism_node_get(mapping, key);
    bt_str content = {NULL, 0};
    BT_TRY(check_path(reader, node, node->text, REGULAR, &content));
    if (content.ptr) {
        BT_TRY(bt_xsd_read(reader->arena, content, root, reader->env->hash_seed, out));
        if (out->reason) {
            BT_TRY(bt_add_pump_xsd_invalid(reader->findings, bt_organism_locate(reader, node),
                                           out->reason, bt_str_of(out->detail)));
        }
    }
    return BT_OK;
}

/* Read the schemas of a listener or capability. */
static enum bt_status read_schemas(struct bt_organism_reader *reader,
                                   const struct bt_yaml_node *node,
                                   struct bt_organism_capability *takes)
{
    struct bt_xsd found;
    if (bt_organism_node_get(node, "xsd")) {
        BT_TRY(read_schema(reader, node, "xsd", takes->tag, &found));
        takes->type = found.type;
        takes->xsd = found.text;
    }
    if (!bt_organism_node_get(node, "result_xsd")) {
        return BT_OK;
    }
    BT_TRY(read_schema(reader, node, "result_xsd", BT_STR(""), &found));
    struct bt_organism_listener_reply *replies =
        BT_NEW_ARRAY(reader->arena, struct bt_organism_listener_reply, takes->replies_count + 1);
    BT_TRY(replies ? BT_OK : BT_ENOMEM);
    replies[0] = (struct bt_organism_listener_reply){found.root, found.type, found.declarations};
    for (size_t i = 0; i < takes->replies_count; i++) {
        replies[i + 1] = takes->replies[i];
    }
    if (found.type) {
        takes->replies = replies;
        takes->replies_count++;
    }
    return BT_OK;
}

static enum bt_status check_code_path(struct bt_organism_reader *reader,
                                      const struct bt_organism_listener *listener)
{
    const struct bt_yaml_node *handler = bt_organism_node_get(listener->node, "handler");
    const struct bt_yaml_node *command = bt_organism_node_get(listener->node, "command");
    if (handler && bt_organism_listener_handler_parse(handler->text).file.len > 0) {
        BT_TRY(check_path(reader, handler, bt_organism_listener_handler_parse(handler->text).file,
                          REGULAR, NULL));
    }
    if (command && bt_str_find_byte(command->items[0].text, '/', 0) < command->items[0].text.len) {
        BT_TRY(check_path(reader, &command->items[0], command->items[0].text, REGULAR, NULL));
    }
    return BT_OK;
}

static enum bt_status check_readable_paths(struct bt_organism_reader *reader,
                                           const struct bt_organism_listener *listener)
{
    const struct bt_yaml_node *list = bt_organism_node_get(listener->node, "read");
    for (size_t i = 0; list && i < list->count; i++) {
        BT_TRY(check_path(reader, &list->items[i], list->items[i].text, PRESENT, NULL));
    }
    return BT_OK;
}

static enum bt_status check_gateway(struct bt_organism_reader *reader,
                                    const struct bt_organism_gateway *gateway)
{
    const struct bt_yaml_node *list = bt_organism_node_get(gateway->node, "capabilities");
    BT_TRY(at_key(reader, gateway->node, "trusted_identity", REGULAR));
    for (size_t i = 0; i < gateway->capabilities_count; i++) {
        BT_TRY(read_schemas(reader, &list->items[i], &gateway->capabilities[i]));
    }
    return BT_OK;
}

static enum bt_status top_level(struct bt_organism_reader *reader)
{
    const struct bt_yaml_node *organism = bt_organism_node_get(reader->document, "organism");
    const struct bt_yaml_node *tls = bt_organism_node_get(organism, "tls");
    BT_TRY(at_key(reader, organism, "socket", ANYTHING));
    BT_TRY(at_key(reader, organism, "identity", REGULAR));
    BT_TRY(at_key(reader, tls, "cert", REGULAR));
    BT_TRY(at_key(reader, tls, "key", REGULAR));
    BT_TRY(at_key(reader, bt_organism_node_get(reader->document, "oob"), "unix_socket", ANYTHING));
    BT_TRY(at_key(reader, reader->document, "store", ANYTHING));
    return at_key(reader, reader->document, "schemas", ANYTHING);
}

enum bt_status bt_organism_check_files(struct bt_organism_reader *reader)
{
    struct bt_organism *organism = reader->organism;
    BT_TRY(top_level(reader));
    for (size_t i = 0; i < organism->clients_count; i++) {
        BT_TRY(at_key(reader, organism->clients[i].node, "public_key", REGULAR));
    }
    for (size_t i = 0; i < organism->listeners_count; i++) {
        BT_TRY(check_code_path(reader, &organism->listeners[i]));
        BT_TRY(read_schemas(reader, organism->listeners[i].node, &organism->listeners[i].takes));
        BT_TRY(check_readable_paths(reader, &organism->listeners[i]));
    }
    for (size_t i = 0; i < organism->gateways_count; i++) {
        BT_TRY(check_gateway(reader, &organism->gateways[i]));
    }
    return BT_OK;
}

static enum bt_status compare_schema_file(struct bt_organism_reader *reader,
                                          const struct bt_organism_listener *listener)
{
    struct bt_dir_file found = {.content = BT_STR("")};
    struct bt_buf buf;
    bt_str path;
    BT_TRY(bt_arena_printf(reader->arena, &path, "%.*s/%.*s/v1.xsd",
                           BT_STR_ARG(reader->organism->schemas),
                           BT_STR_ARG(listener->takes.name)));
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = bt_organism_put_text(&buf, reader->arena, reader->organism,
                                                 listener->takes.name, BT_ORGANISM_TEXT_SCHEMA);
    if (status == BT_OK) {
        status = bt_dir_read_linked(reader->root, reader->arena, path, buf.len, &found, NULL);
    }
    const bool is_other =
        status == BT_OK && found.error == BT_PATH_OK && !bt_str_eq(found.content, bt_buf_str(&buf));
    bt_buf_free(&buf);
    if (status == BT_EDENIED) {
        return BT_OK; /* it cannot be compared; running reports that */
    }
    BT_TRY(status);
    return is_other ? bt_add_pump_schema_drift(reader->findings,
                                               bt_organism_locate(reader, listener->node), path)
                    : BT_OK;
}

enum bt_status bt_organism_check_drift(struct bt_organism_reader *reader)
{
    const struct bt_organism *organism = reader->organism;
    for (size_t i = 0; reader->root && i < organism->listeners_count; i++) {
        if (organism->listeners[i].takes.type) {
            BT_TRY(compare_schema_file(reader, &organism->listeners[i]));
        }
    }
    return BT_OK;
}
