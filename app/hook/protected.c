/* SPDX-License-Identifier: Apache-2.0 */
/* protected.c - the files that belong to the gate, as patterns. */
#include "protected.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum { FILES_MAX = 16 };

struct hook_protected_list {
    struct bt_arena *arena;
    bt_str *items;
    size_t count;
};

/* Add `folder`/`name``ending`; nothing without a name, or without a folder that is needed. */
static enum bt_status add_file(struct hook_protected_list *list, bt_str folder, bt_str name,
                               const char *ending)
{
    const bool is_absolute = bt_str_starts_with(name, BT_STR("/"));
    if (name.len == 0) {
        return BT_OK;
    }
    return bt_arena_printf(list->arena, &list->items[list->count++], "%.*s%s%.*s%s",
                           BT_STR_ARG(is_absolute ? BT_STR("") : folder),
                           is_absolute || folder.len == 0 ? "" : "/", BT_STR_ARG(name), ending);
}

/* The files of the agent host: its settings in every scope, and the skill. */
static enum bt_status add_host(struct hook_protected_list *list, const struct agent_host *host,
                               bt_str home)
{
    const char *skill = "/" HOOK_SKILL_NAME "/**";
    BT_TRY(add_file(list, BT_STR(""), bt_str_of(host->project_file), ""));
    BT_TRY(add_file(list, BT_STR(""), bt_str_of(host->local_file), ""));
    BT_TRY(add_file(list, BT_STR(""), bt_str_of(host->skills), skill));
    if (home.len == 0) {
        return BT_OK;
    }
    BT_TRY(add_file(list, home, bt_str_of(host->user_file), ""));
    return add_file(list, home, bt_str_of(host->user_skills), skill);
}

/* The file of the store, those that SQLite keeps beside it, and the keys. */
static enum bt_status add_store(struct hook_protected_list *list, bt_str here, bt_str store)
{
    const bt_str scheme = BT_STR("sqlite:");
    const bool has_scheme = bt_str_starts_with(store, scheme);
    const bt_str path = has_scheme ? bt_str_slice(store, scheme.len, store.len) : store;
    const bt_str name = bt_str_after_last(path, '/');
    if (bt_str_starts_with(store, BT_STR("postgres")) || path.len == 0) {
        return BT_OK; /* on a server; the keys are in .baton */
    }
    BT_TRY(add_file(list, here, path, "*"));
    if (!bt_str_eq(name, BT_STR("store.db"))) {
        return BT_OK;
    }
    bt_str ledger;
    BT_TRY(bt_arena_printf(list->arena, &ledger, "%.*sledger",
                           BT_STR_ARG(bt_str_slice(path, 0, path.len - name.len))));
    return add_file(list, here, ledger, ".*");
}

enum bt_status hook_protected_files(struct bt_arena *arena, const struct agent_host *host,
                                    const struct hook_protected_options *options,
                                    struct bt_str_list *out)
{
    struct hook_protected_list list = {arena, BT_NEW_ARRAY(arena, bt_str, FILES_MAX), 0};
    if (!list.items) {
        return BT_ENOMEM;
    }
    BT_TRY(add_file(&list, BT_STR(""), BT_STR(".baton"), "/**"));
    BT_TRY(add_file(&list, BT_STR(""), BT_STR("baton.mcp.lock"), ""));
    BT_TRY(add_host(&list, host, options->home));
    BT_TRY(add_file(&list, options->here, options->pin, ""));
    BT_TRY(add_file(&list, BT_STR(""), options->user_config, "/**"));
    BT_TRY(add_store(&list, options->here, options->store));
    *out = (struct bt_str_list){list.items, list.count};
    return BT_OK;
}
