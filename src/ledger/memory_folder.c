/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_folder.c - find the folder in which this account remembers the size of its ledgers. It is
 * the account's and not the program's, so the command, the server and the library look in one
 * place, which the environment names. So is the SSH agent that has the keys of ledgers.
 */
#include <stdlib.h>

#include "ledger/ledger_internal.h"

/* A folder below the one that a variable names; "" when it names no absolute path. */
static enum bt_status find_below(struct bt_arena *arena, const char *variable, const char *rest,
                                 bt_str *out)
{
    const bt_str folder = bt_str_of(getenv(variable));
    *out = BT_STR("");
    return folder.len > 0 && folder.ptr[0] == '/'
               ? bt_arena_printf(arena, out, "%.*s%s", BT_STR_ARG(folder), rest)
               : BT_OK;
}

/* The folder of a service, or of the account; "" when neither is known. */
static enum bt_status find_default(struct bt_arena *arena, bt_str *out)
{
    const bt_str service = bt_str_of(getenv("STATE_DIRECTORY")); /* of systemd: a:b:c */
    const bt_str first = bt_str_slice(service, 0, bt_str_find_byte(service, ':', 0));
    if (first.len > 0) {
        return bt_arena_copy(arena, first, out);
    }
    BT_TRY(find_below(arena, "XDG_STATE_HOME", "/baton", out));
    return out->len > 0 ? BT_OK : find_below(arena, "HOME", "/.local/state/baton", out);
}

enum bt_status bt_ledger_memory_find(struct bt_arena *arena, bool is_off, bt_str configured,
                                     struct bt_ledger_memory *out)
{
    const bt_str outer = bt_str_of(getenv("BATON_STATE_DIR"));
    bt_str folder = BT_STR("");
    *out = (struct bt_ledger_memory){.is_named = outer.len > 0 || is_off || configured.len > 0};
    if (outer.len > 0 || configured.len > 0) {
        BT_TRY(bt_arena_copy(arena, outer.len > 0 ? outer : configured, &folder));
    } else if (!is_off) {
        BT_TRY(find_default(arena, &folder));
    }
    out->folder = folder.len > 0 ? folder.ptr : NULL;
    return BT_OK;
}

const char *bt_ledger_agent_find(const char *configured)
{
    const char *outer = getenv("SSH_AUTH_SOCK");
    return configured || !outer || outer[0] == '\0' ? configured : outer;
}
