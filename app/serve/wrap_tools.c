/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_tools.c - the tools that the wrapped servers of this process have shown, by name. */
#include "serve/wrap_state.h"
#include "wrap/texts.h"

enum { TOOLS_MAX = 10000, NAME_BYTES_MAX = 256 };

/* A tool that a server has shown. */
struct serve_wrap_shown_tool {
    struct bt_wrap_other_tool names;
    struct serve_wrap_shown_tool *next[SERVE_WRAP_SPELLINGS]; /* one of the same name */
};

void serve_wrap_tools_init(struct serve_wrap *wrap)
{
    for (size_t i = 0; i < SERVE_WRAP_SPELLINGS; i++) {
        bt_map_init(&wrap->tools.by_name[i], &wrap->texts, wrap->gateway->env.hash_seed);
    }
}

/* With the lock: the first tool of a name; NULL: none. */
static struct serve_wrap_shown_tool *find_first(const struct serve_wrap *wrap,
                                                enum serve_wrap_spelling spelling, bt_str name)
{
    const struct bt_map_entry *entry =
        bt_map_find(&wrap->tools.by_name[spelling], bt_map_text(name));
    return entry ? entry->value.pointer : NULL;
}

bool serve_wrap_find_tool(void *context, bt_str name, bool is_folded,
                          struct bt_wrap_other_tool *out)
{
    const struct serve_wrap_channel *channel = context;
    const enum serve_wrap_spelling spelling =
        is_folded ? SERVE_WRAP_SPELLING_FOLDED : SERVE_WRAP_SPELLING_EXACT;
    (void)pthread_mutex_lock(&channel->wrap->lock);
    const struct serve_wrap_shown_tool *at = find_first(channel->wrap, spelling, name);
    while (at && bt_str_eq(at->names.server, channel->server)) {
        at = at->next[spelling];
    }
    if (at) {
        *out = at->names;
    }
    (void)pthread_mutex_unlock(&channel->wrap->lock);
    return at != NULL;
}

/* With the lock. A tool that cannot be added is not compared. */
static void add_shown(struct serve_wrap *wrap, bt_str server, const bt_str *spellings)
{
    struct serve_wrap_shown_tool *tool = BT_NEW(&wrap->texts, struct serve_wrap_shown_tool);
    bt_str texts[SERVE_WRAP_SPELLINGS];
    if (!tool || bt_arena_copy(&wrap->texts, server, &tool->names.server) != BT_OK) {
        return;
    }
    for (size_t i = 0; i < SERVE_WRAP_SPELLINGS; i++) {
        struct bt_map_entry *entry = NULL;
        if (bt_arena_copy(&wrap->texts, spellings[i], &texts[i]) != BT_OK ||
            bt_map_add(&wrap->tools.by_name[i], bt_map_text(texts[i]), &entry) != BT_OK) {
            return;
        }
        tool->names.tool = texts[SERVE_WRAP_SPELLING_EXACT];
        tool->next[i] = entry->value.pointer;
        entry->value.pointer = tool;
    }
    wrap->tools.count++;
}

void serve_wrap_add_tool(void *context, bt_str name, bt_str folded)
{
    const struct serve_wrap_channel *channel = context;
    struct serve_wrap *wrap = channel->wrap;
    const bt_str spellings[SERVE_WRAP_SPELLINGS] = {
        [SERVE_WRAP_SPELLING_EXACT] = name, [SERVE_WRAP_SPELLING_FOLDED] = folded};
    (void)pthread_mutex_lock(&wrap->lock);
    const struct serve_wrap_shown_tool *at = find_first(wrap, SERVE_WRAP_SPELLING_EXACT, name);
    while (at && !bt_str_eq(at->names.server, channel->server)) {
        at = at->next[SERVE_WRAP_SPELLING_EXACT];
    }
    if (!at && wrap->tools.count < TOOLS_MAX && name.len <= NAME_BYTES_MAX) {
        add_shown(wrap, channel->server, spellings);
    }
    (void)pthread_mutex_unlock(&wrap->lock);
}
