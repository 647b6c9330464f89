/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - the nodes of a file with valid keys -> an organism, with defaults filled in. */
#include <assert.h>

#include "organism/organism.h"

static uint64_t get_integer(const struct bt_yaml_node *mapping, const char *key, uint64_t otherwise)
{
    int64_t number = 0;
    return bt_organism_node_integer(bt_organism_node_get(mapping, key), &number) && number >= 0
               ? (uint64_t)number
               : otherwise;
}

static bool get_boolean(const struct bt_yaml_node *mapping, const char *key, bool otherwise)
{
    const struct bt_yaml_node *node = bt_organism_node_get(mapping, key);
    return node ? bt_yaml_type_of(node) == BT_YAML_TYPE_TRUE : otherwise;
}

static bt_str get_text(const struct bt_yaml_node *mapping, const char *key, const char *otherwise)
{
    const struct bt_yaml_node *node = bt_organism_node_get(mapping, key);
    return node ? node->text : bt_str_of(otherwise);
}

static bool has_word(const struct bt_yaml_node *mapping, const char *key, const char *word)
{
    return bt_str_eq(bt_organism_node_text(mapping, key), bt_str_of(word));
}

/* The texts of a list, folded if they are names. */
static enum bt_status build_names(struct bt_arena *arena, const struct bt_yaml_node *list,
                                  bool folded, struct bt_organism_name_list *out)
{
    const size_t count = list ? list->count : 0;
    bt_str *items = BT_NEW_ARRAY(arena, bt_str, count);
    BT_TRY(items ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        items[i] = list->items[i].text;
        if (folded) {
            BT_TRY(bt_ascii_lower_copy(arena, items[i], &items[i]));
        }
    }
    *out = (struct bt_organism_name_list){items, count};
    return BT_OK;
}

enum bt_status bt_organism_tag(struct bt_arena *arena, bt_str name, bt_str type, bt_str *out)
{
    bt_str whole;
    BT_TRY(bt_arena_printf(arena, &whole, "%.*s.%.*s", BT_STR_ARG(name), BT_STR_ARG(type)));
    return bt_ascii_lower_copy(arena, whole, out);
}

/* A mapping of fields that was checked before; may be NULL. */
static enum bt_status build_fields(struct bt_organism_reader *reader,
                                   const struct bt_yaml_node *node, bt_str name,
                                   const struct bt_payload_type **out)
{
    return node ? bt_organism_node_fields(reader, node, name, out) : BT_OK;
}

static void add_reply(struct bt_organism_capability *takes, struct bt_organism_listener_reply *room,
                      bt_str tag, const struct bt_payload_type *type)
{
    room[takes->replies_count++] =
        (struct bt_organism_listener_reply){.tag = tag, .type = type, .xsd = BT_STR("")};
    takes->replies = room;
}

static enum bt_status build_result(struct bt_organism_reader *reader,
                                   const struct bt_yaml_node *node,
                                   struct bt_organism_capability *takes,
                                   struct bt_organism_listener_reply *room)
{
    const bt_str word = bt_organism_node_text(node, "result");
    const struct bt_yaml_node *class_node = bt_organism_node_get(node, "result_class");
    const struct bt_yaml_node *fields_node = bt_organism_node_get(node, "result_fields");
    takes->replying =
        bt_str_eq(word, BT_STR("any")) ? BT_ORGANISM_REPLIES_ANY : BT_ORGANISM_REPLIES_DECLARED;
    bt_str tag = BT_STR("result");
    const struct bt_payload_type *type = bt_payload_type_simple(word);
    if (!type && class_node) {
        BT_TRY(bt_ascii_lower_copy(reader->arena, bt_organism_listener_class_name(class_node->text),
                                   &tag));
    } else if (!type) {
        BT_TRY(build_fields(reader, fields_node, tag, &type));
    }
    if (type || class_node || fields_node) {
        add_reply(takes, room, tag, type);
    }
    return BT_OK; /* any, none; what result_xsd says is added when its file is read */
}

static enum bt_status build_replies(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *node,
                                    struct bt_organism_capability *takes)
{
    const struct bt_yaml_node *further = bt_organism_node_get(node, "replies");
    const size_t count = further ? further->count : 0;
    struct bt_organism_listener_reply *room =
        BT_NEW_ARRAY(reader->arena, struct bt_organism_listener_reply, count + 1);
    BT_TRY(room ? BT_OK : BT_ENOMEM);
    takes->replies = room;
    BT_TRY(build_result(reader, node, takes, room));
    for (size_t i = 0; i < count; i++) {
        const struct bt_yaml_entry *entry = &further->entries[i];
        const struct bt_payload_type *type = bt_payload_type_simple(entry->value.text);
        if (bt_yaml_type_of(&entry->value) == BT_YAML_TYPE_NULL) {
            continue;
        }
        if (entry->value.kind == BT_YAML_MAPPING) {
            type = NULL;
            BT_TRY(build_fields(reader, &entry->value, entry->key, &type));
        }
        add_reply(takes, room, entry->key, type);
    }
    return BT_OK;
}

/* The payload and replies of a listener or of a gateway's capability. */
static enum bt_status build_capability(struct bt_organism_reader *reader,
                                       const struct bt_yaml_node *node, bt_str name,
                                       struct bt_organism_capability *out)
{
    const struct bt_yaml_node *class_node = bt_organism_node_get(node, "payload_class");
    out->name = name;
    out->xsd = BT_STR("");
    out->type_name = class_node ? bt_organism_listener_class_name(class_node->text)
                                : bt_organism_node_text(node, "payload_type");
    BT_TRY(bt_organism_tag(reader->arena, name, out->type_name, &out->tag));
    BT_TRY(build_fields(reader, bt_organism_node_get(node, "fields"), out->type_name, &out->type));
    return build_replies(reader, node, out);
}

static enum bt_status build_client(struct bt_organism_reader *reader,
                                   const struct bt_yaml_node *node, struct bt_organism_client *out)
{
    *out = (struct bt_organism_client){.name = bt_organism_node_text(node, "name"),
                                       .is_admin = get_boolean(node, "admin", false),
                                       .node = node};
    BT_TRY(
        build_names(reader->arena, bt_organism_node_get(node, "may_call"), true, &out->may_call));
    out->may_call_all = bt_organism_name_list_has(&out->may_call, BT_STR("*"));
    return BT_OK;
}

/* Its peers without itself. */
static enum bt_status build_peers(struct bt_arena *arena, struct bt_organism_listener *listener)
{
    struct bt_organism_name_list all;
    BT_TRY(build_names(arena, bt_organism_node_get(listener->node, "peers"), true, &all));
    bt_str *kept = BT_NEW_ARRAY(arena, bt_str, all.count);
    BT_TRY(kept ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < all.count; i++) {
        const struct bt_organism_name_list before = {kept, listener->peers.count};
        if (!bt_str_eq(all.items[i], listener->takes.name) &&
            !bt_organism_name_list_has(&before, all.items[i])) {
            kept[listener->peers.count++] = all.items[i];
        }
    }
    listener->peers.items = kept;
    return BT_OK;
}

static void build_settings(const struct bt_organism_limits *limits,
                           struct bt_organism_listener *out)
{
    const struct bt_yaml_node *node = out->node;
    const bool is_agent = out->is_agent;
    int64_t timeout = 30000;
    (void)bt_organism_node_thousandths(bt_organism_node_get(node, "timeout_seconds"), &timeout);
    out->limits.timeout_ms = (uint64_t)timeout;
    out->limits.max_concurrent =
        get_integer(node, "max_concurrent",
                    is_agent ? limits->max_concurrent_per_agent : limits->max_concurrent_handlers);
    out->is_serial = get_boolean(node, "serial", is_agent);
    out->diagnostics_go_to_emitter =
        bt_organism_node_get(node, "on_huh") ? has_word(node, "on_huh", "emitter") : is_agent;
    out->uses_stdio = has_word(node, "transport", "stdio");
    out->has_prompt = bt_organism_node_get(node, "prompt") != NULL;
    out->prompt = bt_organism_node_text(node, "prompt");
    out->config = bt_organism_node_get(node, "config");
    out->access.env = bt_organism_node_get(node, "env");
    out->limits.memory_mb = get_integer(node, "memory_mb", 1024);
}

static enum bt_status build_listener(struct bt_organism_reader *reader,
                                     const struct bt_yaml_node *node,
                                     struct bt_organism_listener *out)
{
    struct bt_arena *arena = reader->arena;
    struct bt_organism_name_list allowed;
    bt_str name;
    BT_TRY(bt_ascii_lower_copy(arena, bt_organism_node_text(node, "name"), &name));
    *out =
        (struct bt_organism_listener){.node = node,
                                      .description = bt_organism_node_text(node, "description"),
                                      .handler = bt_organism_node_text(node, "handler"),
                                      .payload_class = bt_organism_node_text(node, "payload_class"),
                                      .result_class = bt_organism_node_text(node, "result_class"),
                                      .is_agent = get_boolean(node, "agent", false)};
    out->host = out->handler.len > 0 ? bt_organism_listener_handler_parse(out->handler).host
                                     : BT_HOST_COMMAND;
    BT_TRY(build_capability(reader, node, name, &out->takes));
    BT_TRY(build_names(arena, bt_organism_node_get(node, "command"), false, &out->command));
    BT_TRY(
        build_names(arena, bt_organism_node_get(node, "env_from"), false, &out->access.env_from));
    BT_TRY(build_names(arena, bt_organism_node_get(node, "read"), false, &out->access.read));
    BT_TRY(build_names(arena, bt_organism_node_get(node, "allow"), false, &allowed));
    out->access.may_net = bt_organism_name_list_has(&allowed, BT_STR("net"));
    out->access.may_exec = bt_organism_name_list_has(&allowed, BT_STR("exec"));
    BT_TRY(bt_ascii_lower_copy(arena, bt_organism_node_text(node, "group"), &out->group));
    build_settings(&reader->organism->limits, out);
    return build_peers(arena, out);
}

static enum bt_status build_gateway(struct bt_organism_reader *reader,
                                    const struct bt_yaml_node *node,
                                    struct bt_organism_gateway *out)
{
    struct bt_arena *arena = reader->arena;
    const struct bt_yaml_node *list = bt_organism_node_get(node, "capabilities");
    const size_t count = list ? list->count : 0;
    struct bt_organism_capability *capabilities =
        BT_NEW_ARRAY(arena, struct bt_organism_capability, count);
    *out = (struct bt_organism_gateway){.remote_url = bt_organism_node_text(node, "remote_url"),
                                        .trusted_identity =
                                            bt_organism_node_text(node, "trusted_identity"),
                                        .description = bt_organism_node_text(node, "description"),
                                        .capabilities = capabilities,
                                        .capabilities_count = count,
                                        .node = node};
    BT_TRY(bt_ascii_lower_copy(arena, bt_organism_node_text(node, "name"), &out->name));
    for (size_t i = 0; capabilities && i < count; i++) {
        bt_str whole;
        bt_str name;
        BT_TRY(bt_arena_printf(arena, &whole, "%.*s.%.*s", BT_STR_ARG(out->name),
                               BT_STR_ARG(bt_organism_node_text(&list->items[i], "name"))));
        BT_TRY(bt_ascii_lower_copy(arena, whole, &name));
        BT_TRY(build_capability(reader, &list->items[i], name, &capabilities[i]));
    }
    return capabilities ? BT_OK : BT_ENOMEM;
}

/* A group is made by its first member. */
static enum bt_status build_groups(struct bt_organism_reader *reader)
{
    struct bt_organism *organism = reader->organism;
    organism->groups =
        BT_NEW_ARRAY(reader->arena, struct bt_organism_group, organism->listeners_count);
    BT_TRY(organism->groups ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < organism->listeners_count; i++) {
        const struct bt_organism_listener *member = &organism->listeners[i];
        if (member->group.len > 0 && !bt_organism_group(organism, member->group)) {
            struct bt_organism_group *made = &organism->groups[organism->groups_count];
            *made = (struct bt_organism_group){.name = member->group, .first = member};
            BT_TRY(bt_organism_tag(reader->arena, made->name, member->takes.type_name, &made->tag));
            organism->groups_count++;
        }
    }
    return BT_OK;
}

static struct bt_organism_limits limits_of(const struct bt_yaml_node *root)
{
    const struct bt_yaml_node *limits = bt_organism_node_get(root, "limits");
    const struct bt_yaml_node *organism = bt_organism_node_get(root, "organism");
    return (struct bt_organism_limits){
        .depth = get_integer(limits, "depth", 32),
        .self_iterations = get_integer(limits, "self_iterations", 64),
        .fragments = get_integer(limits, "fragments", 64),
        .queue = get_integer(limits, "queue", 10000),
        .message_bytes = get_integer(limits, "message_bytes", 1048576),
        .result_bytes = get_integer(limits, "result_bytes", 1048576),
        .attempts = get_integer(limits, "attempts", 3),
        .thread_idle_s = get_integer(limits, "thread_idle_s", 86400),
        .history_days = get_integer(limits, "history_days", 7),
        .max_tokens_per_thread = get_integer(organism, "max_tokens_per_thread", 100000),
        .max_concurrent_handlers = get_integer(root, "max_concurrent_handlers", 20),
        .max_concurrent_per_agent = get_integer(root, "max_concurrent_per_agent", 5),
    };
}

static enum bt_organism_introspection level_of(const struct bt_yaml_node *meta, const char *key)
{
    return has_word(meta, key, "admin")           ? BT_META_ADMIN
           : has_word(meta, key, "authenticated") ? BT_META_AUTHENTICATED
                                                  : BT_META_NOBODY;
}

static struct bt_organism top_of(const struct bt_yaml_node *root)
{
    const struct bt_yaml_node *meta = bt_organism_node_get(root, "meta");
    return (struct bt_organism){
        .root = root,
        .name = bt_organism_node_text(bt_organism_node_get(root, "organism"), "name"),
        .limits = limits_of(root),
        .ingress_repair = get_boolean(root, "ingress_repair", false),
        .depth_first = has_word(root, "thread_scheduling", "depth-first"),
        .hosting.needs_sandbox = has_word(root, "sandbox", "required"),
        .meta.is_enabled = get_boolean(meta, "enabled", false),
        .meta.has_list = get_boolean(meta, "allow_list_capabilities", false),
        .meta.schema = level_of(meta, "allow_schema_requests"),
        .meta.example = level_of(meta, "allow_example_requests"),
        .meta.prompt = level_of(meta, "allow_prompt_requests"),
        .store = get_text(root, "store", ".baton/pump"),
        .schemas = get_text(root, "schemas", "schemas"),
        .hosting.python = get_text(root, "python", "python3"),
        .hosting.user = get_text(root, "sandbox_user", ""),
    };
}

static size_t count_of(const struct bt_yaml_node *list)
{
    return list ? list->count : 0;
}

enum bt_status bt_organism_build(struct bt_organism_reader *reader)
{
    struct bt_arena *arena = reader->arena;
    struct bt_organism *organism = BT_NEW(arena, struct bt_organism);
    const struct bt_yaml_node *root = reader->document;
    const struct bt_yaml_node *clients = bt_organism_node_get(root, "clients");
    const struct bt_yaml_node *listeners = bt_organism_node_get(root, "listeners");
    const struct bt_yaml_node *gateways = bt_organism_node_get(root, "gateways");
    BT_TRY(organism ? BT_OK : BT_ENOMEM);
    *organism = top_of(root);
    organism->folder = reader->folder;
    organism->file = reader->file;
    reader->organism = organism;
    organism->clients = BT_NEW_ARRAY(arena, struct bt_organism_client, count_of(clients));
    organism->listeners = BT_NEW_ARRAY(arena, struct bt_organism_listener, count_of(listeners));
    organism->gateways = BT_NEW_ARRAY(arena, struct bt_organism_gateway, count_of(gateways));
    BT_TRY(organism->clients && organism->listeners && organism->gateways ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count_of(clients); i++) {
        BT_TRY(build_client(reader, &clients->items[i], &organism->clients[i]));
    }
    for (size_t i = 0; i < count_of(listeners); i++) {
        BT_TRY(build_listener(reader, &listeners->items[i], &organism->listeners[i]));
        organism->listeners[i].number = (uint32_t)i;
    }
    for (size_t i = 0; i < count_of(gateways); i++) {
        BT_TRY(build_gateway(reader, &gateways->items[i], &organism->gateways[i]));
        organism->gateways[i].number = (uint32_t)(count_of(listeners) + i);
    }
    organism->clients_count = count_of(clients);
    organism->listeners_count = count_of(listeners);
    organism->gateways_count = count_of(gateways);
    return build_groups(reader);
}
