/* SPDX-License-Identifier: Apache-2.0 */
/* servers.c - `wrap.servers` -> how one server is started or reached. The values were checked. */
#include "wrap/servers.h"

#include "config/wrap_keys.h"

enum { IDLE_S = 600, PROCESSES = 16 };

static const struct bt_yaml_node *all_servers(const struct bt_config *config)
{
    return bt_config_value(config, bt_config_row(BT_STR("wrap.servers")));
}

/* A member that is there and not null, or NULL. */
static const struct bt_yaml_node *member_of(const struct bt_yaml_node *node, const char *name)
{
    const struct bt_yaml_node *member = bt_yaml_get(node, bt_str_of(name));
    return member && bt_yaml_type_of(member) != BT_YAML_TYPE_NULL ? member : NULL;
}

static enum bt_status copy_text(struct bt_arena *arena, const struct bt_yaml_node *node,
                                const char *name, bt_str *out)
{
    const struct bt_yaml_node *member = member_of(node, name);
    return bt_arena_copy(arena, member ? member->text : BT_STR(""), out);
}

/* A path of the file, as it is seen from here. */
static enum bt_status copy_path(struct bt_arena *arena, bt_str folder, bt_str path, bt_str *out)
{
    const bool is_relative = path.len > 0 && path.ptr[0] != '/';
    return bt_arena_printf(arena, out, "%.*s%.*s", BT_STR_ARG(is_relative ? folder : BT_STR("")),
                           BT_STR_ARG(path));
}

/* `folder`: of the paths in the list; NULL: they are other texts. */
static enum bt_status copy_list(struct bt_arena *arena, const struct bt_yaml_node *node,
                                const char *name, const bt_str *folder, struct bt_str_list *out)
{
    const struct bt_yaml_node *list = member_of(node, name);
    const size_t count = list ? list->count : 0;
    bt_str *texts = BT_NEW_ARRAY(arena, bt_str, count + 1);
    BT_TRY(texts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        BT_TRY(folder ? copy_path(arena, *folder, list->items[i].text, &texts[i])
                      : bt_arena_copy(arena, list->items[i].text, &texts[i]));
    }
    *out = (struct bt_str_list){texts, count};
    return BT_OK;
}

static enum bt_status copy_pairs(struct bt_arena *arena, const struct bt_yaml_node *node,
                                 const char *name, struct bt_wrap_pairs *out)
{
    const struct bt_yaml_node *map = member_of(node, name);
    const size_t count = map ? map->count : 0;
    bt_str *names = BT_NEW_ARRAY(arena, bt_str, count + 1);
    bt_str *texts = BT_NEW_ARRAY(arena, bt_str, count + 1);
    BT_TRY(names && texts ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        BT_TRY(bt_arena_copy(arena, map->entries[i].key, &names[i]));
        BT_TRY(bt_arena_copy(arena, map->entries[i].value.text, &texts[i]));
    }
    *out = (struct bt_wrap_pairs){names, texts, count};
    return BT_OK;
}

static bool is_true(const struct bt_yaml_node *node, const char *name)
{
    const struct bt_yaml_node *member = member_of(node, name);
    return member && bt_yaml_type_of(member) == BT_YAML_TYPE_TRUE;
}

static bool has_word(const struct bt_yaml_node *node, const char *name, bt_str word)
{
    const struct bt_yaml_node *list = member_of(node, name);
    bool has = false;
    for (size_t i = 0; list && i < list->count; i++) {
        has = has || bt_str_eq(list->items[i].text, word);
    }
    return has;
}

static enum bt_status read_sandbox(struct bt_arena *arena, bt_str folder,
                                   const struct bt_yaml_node *server, struct bt_wrap_sandbox *out)
{
    static const bt_str modes[] = {BT_STR_INIT("off"), BT_STR_INIT("available"),
                                   BT_STR_INIT("required")};
    const struct bt_yaml_node *sandbox = member_of(server, "sandbox");
    const struct bt_yaml_node *mode = member_of(sandbox, "mode");
    const struct bt_yaml_node *memory = member_of(sandbox, "memory_mb");
    const size_t index = mode ? bt_str_index_in(mode->text, modes, BT_COUNT_OF(modes)) : 0;
    out->mode = (enum bt_wrap_sandbox_mode)(index + 1);
    out->allows_net = has_word(sandbox, "allow", BT_STR("net"));
    out->allows_exec = has_word(sandbox, "allow", BT_STR("exec"));
    out->memory_mb = memory ? bt_config_text_number(memory->text) : 0;
    BT_TRY(copy_list(arena, sandbox, "read", &folder, &out->read));
    return copy_list(arena, sandbox, "write", &folder, &out->write);
}

static enum bt_status read_server(struct bt_arena *arena, bt_str folder,
                                  const struct bt_yaml_node *server,
                                  struct bt_wrap_server_settings *out)
{
    const struct bt_yaml_node *cwd = member_of(server, "cwd");
    const struct bt_yaml_node *ca = member_of(server, "ca");
    const struct bt_yaml_node *idle = member_of(server, "idle");
    const struct bt_yaml_node *processes = member_of(server, "processes");
    out->has_env_from = member_of(server, "env_from") != NULL;
    out->has_principals = member_of(server, "principals") != NULL;
    out->is_served = is_true(server, "serve");
    out->idle_s = idle ? bt_config_text_seconds(idle->text) : IDLE_S;
    out->processes = processes ? bt_config_text_number(processes->text) : PROCESSES;
    BT_TRY(copy_list(arena, server, "command", NULL, &out->command));
    BT_TRY(copy_text(arena, server, "url", &out->url));
    BT_TRY(copy_path(arena, folder, cwd ? cwd->text : BT_STR(""), &out->cwd));
    BT_TRY(copy_pairs(arena, server, "env", &out->env));
    BT_TRY(copy_list(arena, server, "env_from", NULL, &out->env_from));
    BT_TRY(copy_pairs(arena, server, "headers_env", &out->headers_env));
    BT_TRY(copy_text(arena, server, "bearer_env", &out->bearer_env));
    BT_TRY(copy_path(arena, folder, ca ? ca->text : BT_STR(""), &out->ca));
    BT_TRY(copy_list(arena, server, "principals", NULL, &out->principals));
    return read_sandbox(arena, folder, server, &out->sandbox);
}

enum bt_status bt_wrap_servers_list(struct bt_arena *arena, const struct bt_config *config,
                                    struct bt_str_list *out)
{
    const struct bt_yaml_node *servers = all_servers(config);
    bt_str *names = BT_NEW_ARRAY(arena, bt_str, servers->count + 1);
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < servers->count; i++) {
        names[i] = servers->entries[i].key;
    }
    *out = (struct bt_str_list){names, servers->count};
    return BT_OK;
}

enum bt_status bt_wrap_servers_read(struct bt_arena *arena, const struct bt_config *config,
                                    bt_str name, struct bt_wrap_server_settings *out)
{
    const struct bt_yaml_entry *entry = bt_yaml_find_entry(all_servers(config), name);
    struct bt_wrap_server_settings read = {0};
    if (!entry) {
        return BT_ENOENT;
    }
    BT_TRY(read_server(arena, bt_config_folder(config, "wrap.servers"), &entry->value, &read));
    *out = read;
    return BT_OK;
}
