/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_hook.c - any bytes at all, as the settings of a host and as the event that it sends. The
 * first byte chooses the host.
 *
 * Promises: settings are refused, or Baton's entries are put in so that a second time changes
 * nothing, and taken out so that none is left; what is not Baton's keeps its order and its bytes.
 * An event is refused, or names its agent in a form that a block may carry.
 */
#include "base/env.h"

#include "fuzz.h"
#include "hook/event.h"
#include "hook/settings.h"

static bool is_touched(bt_str name)
{
    return bt_str_eq(name, BT_STR("hooks")) || bt_str_eq(name, BT_STR("version"));
}

/* The members that are not ours stand in both texts, in order and byte for byte. */
static void others_stay(struct bt_arena *arena, bt_str before, bt_str after)
{
    const struct bt_json_doc *old = fuzz_reread(arena, before);
    const struct bt_json_doc *new = fuzz_reread(arena, after);
    const bt_json_value *new_root = bt_json_root(new);
    size_t at = 0;
    for (size_t i = 0; i < bt_json_count(bt_json_root(old)); i++) {
        const struct bt_json_member *member = &bt_json_members(bt_json_root(old))[i];
        const bt_str name = bt_json_name(member);
        if (is_touched(name)) {
            continue;
        }
        while (at < bt_json_count(new_root) &&
               !bt_str_eq(bt_json_name(&bt_json_members(new_root)[at]), name)) {
            PROMISE(is_touched(bt_json_name(&bt_json_members(new_root)[at])));
            at++;
        }
        PROMISE(at < bt_json_count(new_root));
        const struct bt_json_span was = bt_json_span(old, &member->value);
        const struct bt_json_span is = bt_json_span(new, &bt_json_members(new_root)[at].value);
        PROMISE(bt_str_eq(bt_str_slice(before, was.begin, was.end),
                          bt_str_slice(after, is.begin, is.end)));
        at++;
    }
}

static bt_str found_in(struct bt_arena *arena, bt_str text, const struct agent_host *host)
{
    const struct hook_entry_options wish = {.host = host};
    struct bt_error error;
    struct hook_settings_found found;
    PROMISE(hook_settings_find(arena, text, &wish, &found, &error) == BT_OK);
    return found.command;
}

static void settings_are_sound(struct bt_arena *arena, bt_str text, const struct agent_host *host)
{
    struct hook_entry_options wish = {.host = host, .matcher = host->traits.matches ? "m" : NULL};
    struct bt_error error;
    bt_str added;
    bt_str again;
    bt_str removed;
    bt_str command;
    PROMISE(bt_arena_printf(arena, &command, "baton hook %s --store 'a b'", host->name) == BT_OK);
    wish.entries[wish.count++] = (struct hook_entry){host->events[0], command, false};
    wish.entries[wish.count++] = (struct hook_entry){host->tools.events[0], command, true};
    const enum bt_status status = hook_settings_add(arena, text, &wish, &added, &error);
    PROMISE(status == BT_OK || status == BT_EINVAL);
    if (status != BT_OK) {
        PROMISE(error.text[0] != '\0');
        return;
    }
    others_stay(arena, text, added);
    PROMISE(found_in(arena, added, host).len > 0);
    PROMISE(hook_settings_add(arena, added, &wish, &again, &error) == BT_OK);
    PROMISE(bt_str_eq(added, again));
    PROMISE(hook_settings_remove(arena, added, &wish, &removed, &error) == BT_OK);
    others_stay(arena, text, removed);
    PROMISE(found_in(arena, removed, host).len == 0);
}

static void event_is_sound(struct bt_arena *arena, bt_str text, const struct agent_host *host)
{
    struct bt_env env = {.limits = bt_limits_default()};
    const struct hook_event_source source = {host, NULL};
    struct hook_event event;
    const enum bt_status status = hook_event_read(&env, arena, text, &source, &event);
    PROMISE(status == BT_OK || status == BT_EINVAL);
    if (status == BT_OK) {
        PROMISE(event.host_id[0] == '\0' || bt_agent_id_is_valid(bt_str_of(event.host_id)));
        PROMISE(event.session.len > 0);
        PROMISE(event.kind == HOOK_TOOL || event.tool.call.kind == 0);
        PROMISE(event.kind != HOOK_TOOL || event.tool.content.ptr);
        PROMISE(event.has_text || event.text.len == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bt_arena arena;
    if (size == 0) {
        return 0;
    }
    const struct agent_host *host = hook_host_at(data[0] % 5);
    const bt_str text = fuzz_text(data + 1, size - 1);
    bt_arena_init(&arena, FUZZ_ARENA_BYTES * 4);
    settings_are_sound(&arena, text, host);
    event_is_sound(&arena, text, host);
    bt_arena_free(&arena);
    return 0;
}
