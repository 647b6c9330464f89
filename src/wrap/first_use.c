/* SPDX-License-Identifier: Apache-2.0 */
/* first_use.c - what a server shows first, collected into an entry of the lock. */
#include "wrap/first_use.h"

#include "wrap/session_internal.h"

void bt_wrap_first_use_init(struct bt_wrap_session *session)
{
    const struct bt_wrap_settings *settings = session->settings;
    struct bt_wrap_first_use *first_use = &session->pins.first_use;
    bt_arena_init(&first_use->arena, BT_WRAP_LOCK_BYTES_MAX * 16);
    if (settings->policy.pin.first_use == BT_WRAP_CHOICE_YES && !settings->entry &&
        !settings->is_unlocked && settings->started && settings->writer) {
        first_use->phase = BT_WRAP_FIRST_USE_TOOLS;
    }
}

void bt_wrap_first_use_free(struct bt_wrap_first_use *first_use)
{
    bt_arena_free(&first_use->arena);
}

enum bt_status bt_wrap_first_use_take_identity(struct bt_wrap_session *session, bt_str instructions)
{
    struct bt_wrap_first_use *first_use = &session->pins.first_use;
    if (first_use->phase == BT_WRAP_FIRST_USE_OFF || !instructions.ptr) {
        return BT_OK;
    }
    /* In the memory of the session, since that of the items is cleared. */
    return bt_arena_copy(&session->arena, instructions, &first_use->entry.instructions);
}

static enum bt_status begin_others(struct bt_wrap_session *session)
{
    session->pins.first_use.phase = BT_WRAP_FIRST_USE_OTHERS;
    BT_TRY(bt_wrap_gate_list(session, BT_WRAP_PROMPT));
    return bt_wrap_gate_list(session, BT_WRAP_TEMPLATE);
}

static bool is_collected(const struct bt_wrap_first_use *first_use, const struct bt_wrap_page *page)
{
    return first_use->phase == BT_WRAP_FIRST_USE_TOOLS
               ? page->kind == BT_WRAP_TOOL
               : first_use->phase == BT_WRAP_FIRST_USE_OTHERS &&
                     page->walker == BT_WRAP_WALKER_OWN &&
                     (page->kind == BT_WRAP_PROMPT || page->kind == BT_WRAP_TEMPLATE);
}

enum bt_status bt_wrap_first_use_take_page(struct bt_wrap_session *session,
                                           const struct bt_wrap_message *message,
                                           const struct bt_wrap_page *page, bool is_last)
{
    struct bt_wrap_first_use *first_use = &session->pins.first_use;
    const struct bt_wrap_memory memory = {&first_use->arena, session->env};
    const uint64_t walk = session->pins.kinds[page->kind].walks[page->walker];
    const bool is_tools = page->kind == BT_WRAP_TOOL;
    if (!is_collected(first_use, page)) {
        return BT_OK;
    }
    if (is_tools && page->is_first) { /* another walk begins again */
        bt_arena_reset(&first_use->arena);
        first_use->entry.items[BT_WRAP_TOOL] = (struct bt_wrap_items){0};
        first_use->walk = walk;
    }
    if (is_tools && first_use->walk != walk) {
        return BT_OK;
    }
    const enum bt_status status =
        bt_wrap_items_add(&memory, page->kind, message->document, message->result,
                          &first_use->entry.items[page->kind]);
    if (status == BT_ENOMEM) { /* more than a lock may have: it is not pinned */
        first_use->phase = BT_WRAP_FIRST_USE_OFF;
        return BT_OK;
    }
    BT_TRY(status);
    return is_tools && is_last ? begin_others(session) : BT_OK;
}

/* Write the entry, and compare with it from now on. */
static enum bt_status pin_server(struct bt_wrap_session *session)
{
    const struct bt_wrap_settings *settings = session->settings;
    struct bt_wrap_first_use *first_use = &session->pins.first_use;
    struct bt_wrap_entry *entry = &first_use->entry;
    const struct bt_wrap_memory memory = {&session->message, session->env};
    const size_t before = bt_findings_count(session->findings);
    const bt_str instructions = entry->instructions;
    struct bt_wrap_entry pinned = *settings->started;
    first_use->phase = BT_WRAP_FIRST_USE_OFF;
    pinned.name = settings->name;
    pinned.instructions = instructions;
    pinned.server_name = entry->server_name.ptr ? entry->server_name : BT_STR("");
    pinned.server_version = entry->server_version.ptr ? entry->server_version : BT_STR("");
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        pinned.items[i] = entry->items[i];
    }
    *entry = pinned;
    BT_TRY(bt_wrap_check_review(&memory, entry, session->findings));
    if (bt_findings_have_hard(session->findings, before) ||
        !settings->writer->pin(settings->writer->context, entry)) {
        return BT_OK;
    }
    session->entry = entry;
    return bt_add_wrap_pinned(session->findings, bt_location_whole(),
                              entry->items[BT_WRAP_TOOL].list.count, settings->name);
}

enum bt_status bt_wrap_first_use_advance(struct bt_wrap_session *session)
{
    const struct bt_wrap_pins *pins = &session->pins;
    const bool is_listing = pins->kinds[BT_WRAP_PROMPT].listing == BT_WRAP_LISTING ||
                            pins->kinds[BT_WRAP_TEMPLATE].listing == BT_WRAP_LISTING;
    return pins->first_use.phase == BT_WRAP_FIRST_USE_OTHERS && !is_listing ? pin_server(session)
                                                                            : BT_OK;
}
