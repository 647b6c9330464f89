/* SPDX-License-Identifier: Apache-2.0 */
/*
 * governance.c - what an organism must not do: show secrets, listen without protection, let
 * handlers read the names of others, or run them where they cannot be sandboxed.
 */
#include <assert.h>

#include "organism/organism.h"

static bool ends_in(bt_str folded, const char *word)
{
    return bt_str_ends_with(folded, bt_str_of(word));
}

static enum bt_status check_secrets(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *mapping, const char *key)
{
    const struct bt_yaml_node *values = bt_organism_node_get(mapping, key);
    for (size_t i = 0; values && i < values->count; i++) {
        const struct bt_yaml_entry *entry = &values->entries[i];
        bt_str name;
        BT_TRY(bt_ascii_lower_copy(reader->arena, entry->key, &name));
        const bool is_secret = ends_in(name, "key") || ends_in(name, "token") ||
                               ends_in(name, "secret") || ends_in(name, "password");
        if (is_secret && bt_yaml_type_of(&entry->value) != BT_YAML_TYPE_NULL &&
            entry->value.text.len > 0) {
            BT_TRY(bt_add_pump_secret_inline(reader->findings,
                                             bt_organism_locate(reader, &entry->value)));
        }
    }
    return BT_OK;
}

/* A path without its "." parts and doubled slashes. */
static enum bt_status normalise_path(struct bt_arena *arena, bt_str path, bt_str *out)
{
    char *text = bt_arena_alloc(arena, path.len + 1);
    size_t length = 0;
    BT_TRY(text ? BT_OK : BT_ENOMEM);
    for (size_t from = 0; from <= path.len;) {
        const size_t slash = bt_str_find_byte(path, '/', from);
        const bt_str part = bt_str_slice(path, from, slash);
        if (part.len > 0 && !bt_str_eq(part, BT_STR("."))) {
            if (length > 0) {
                text[length++] = '/';
            }
            for (size_t i = 0; i < part.len; i++) {
                text[length++] = part.ptr[i];
            }
        }
        from = slash + 1;
    }
    *out = (bt_str){text, length};
    return BT_OK;
}

/* True when `folder` is `path` or contains it. Both are normalised. */
static bool folder_contains_path(bt_str folder, bt_str path)
{
    return folder.len == 0 || bt_str_eq(folder, path) ||
           (bt_str_starts_with(path, folder) && path.ptr[folder.len] == '/');
}

static enum bt_status check_topology(struct bt_organism_reader *reader,
                                     const struct bt_organism_listener *listener)
{
    const struct bt_organism *organism = reader->organism;
    const struct bt_yaml_node *list = bt_organism_node_get(listener->node, "read");
    bt_str store;
    bt_str schemas;
    BT_TRY(normalise_path(reader->arena, organism->store, &store));
    BT_TRY(normalise_path(reader->arena, organism->schemas, &schemas));
    for (size_t i = 0; list && i < list->count; i++) {
        bt_str path;
        BT_TRY(normalise_path(reader->arena, list->items[i].text, &path));
        if (folder_contains_path(path, reader->file) || folder_contains_path(path, store) ||
            folder_contains_path(path, schemas)) {
            BT_TRY(bt_add_pump_topology_exposed(reader->findings,
                                                bt_organism_locate(reader, &list->items[i])));
        }
    }
    return BT_OK;
}

/* 127.a.b.c or ::1. */
static bool is_loopback(bt_str bind)
{
    if (bt_str_eq(bind, BT_STR("::1"))) {
        return true;
    }
    size_t parts = 0;
    for (size_t from = 0; from <= bind.len; parts++) {
        const size_t dot = bt_str_find_byte(bind, '.', from);
        uint64_t number = 0;
        if (bt_str_to_u64(bt_str_slice(bind, from, dot), &number) != BT_OK || number > 255 ||
            (parts == 0 && number != 127)) {
            return false;
        }
        from = dot + 1;
    }
    return parts == 4;
}

static enum bt_status check_port(struct bt_organism_reader *reader)
{
    const struct bt_yaml_node *organism = bt_organism_node_get(reader->document, "organism");
    const struct bt_yaml_node *bind = bt_organism_node_get(organism, "bind");
    int64_t number = 0;
    (void)bt_organism_node_integer(bt_organism_node_get(organism, "port"), &number);
    if (number == 0 || !bind || is_loopback(bind->text) ||
        bt_organism_node_get(bt_organism_node_get(organism, "tls"), "cert")) {
        return BT_OK;
    }
    return bt_add_pump_port_plain(reader->findings, bt_organism_locate(reader, bind));
}

static enum bt_status add_sandbox_finding(struct bt_organism_reader *reader,
                                          enum bt_pump_sandbox_missing_mechanism mechanism)
{
    return bt_add_pump_sandbox_missing(
        reader->findings,
        reader->organism->hosting.needs_sandbox ? BT_SEVERITY_HARD : BT_SEVERITY_INFO,
        bt_organism_locate_key(reader, reader->document, "sandbox"), mechanism);
}

enum bt_status bt_organism_check_governance(struct bt_organism_reader *reader)
{
    const struct bt_organism *organism = reader->organism;
    const struct bt_sandbox_support *sandbox = &reader->sandbox;
    for (size_t i = 0; i < organism->listeners_count; i++) {
        BT_TRY(check_secrets(reader, organism->listeners[i].node, "env"));
        BT_TRY(check_secrets(reader, organism->listeners[i].node, "config"));
        BT_TRY(check_topology(reader, &organism->listeners[i]));
    }
    BT_TRY(check_port(reader));
    if (!sandbox->seccomp) {
        BT_TRY(add_sandbox_finding(reader, BT_PUMP_SANDBOX_MISSING_MECHANISM_SECCOMP));
    }
    return sandbox->landlock == 0
               ? add_sandbox_finding(reader, BT_PUMP_SANDBOX_MISSING_MECHANISM_LANDLOCK)
               : BT_OK;
}
