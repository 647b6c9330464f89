/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integrity.c - an agent as lock, manifest and prompt file have it: do the three agree?
 */
#include <assert.h>

#include "dialect/governed/roster.h"

static const bt_str member_names[BT_LOCK_MEMBERS] = {
    BT_STR_INIT("type"),
    BT_STR_INIT("file"),
    BT_STR_INIT("version"),
};

bt_str bt_lock_member(size_t index)
{
    assert(index < BT_LOCK_MEMBERS);
    return member_names[index];
}

enum bt_status bt_agent_read(struct bt_roster *roster, struct bt_agent *agent)
{
    if (agent->is_read) {
        return BT_OK;
    }
    BT_TRY(bt_root_bytes(roster->governed, roster->arena, roster->options, agent->file,
                         &agent->prompt));
    agent->is_read = true;
    return BT_OK;
}

static bt_str locked_text(const struct bt_roster *roster, const struct bt_agent *agent, bt_str name)
{
    return bt_json_text(bt_json_get(roster->lock.document, agent->locked, name));
}

static unsigned differing(const struct bt_roster *roster, const struct bt_agent *agent)
{
    const bt_str ours[BT_LOCK_MEMBERS] = {bt_agent_type_name(agent->type), agent->file,
                                          agent->version};
    unsigned differs = 0;
    for (size_t i = 0; i < BT_LOCK_MEMBERS; i++) {
        if (!bt_str_eq(locked_text(roster, agent, member_names[i]), ours[i])) {
            differs |= 1U << i;
        }
    }
    return differs;
}

/* A lock of layout 2 carries the prompt itself: one more copy that must have the same digest. */
static enum bt_status compare_embedded(const struct bt_roster *roster, struct bt_agent *agent,
                                       bt_str expected)
{
    char digest[BT_SHA256_HEX_BYTES];
    const bt_value *embedded =
        bt_json_get(roster->lock.document, agent->locked, BT_STR("system_prompt"));
    if (!embedded) {
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(bt_json_text(embedded), digest));
    if (!bt_str_eq(bt_str_of(digest), expected)) {
        agent->integrity |= BT_EMBEDDED_MISMATCH;
    }
    return BT_OK;
}

static enum bt_status compare_file(struct bt_roster *roster, struct bt_agent *agent)
{
    const bt_str expected = locked_text(roster, agent, BT_STR("hash"));
    BT_TRY(bt_agent_read(roster, agent));
    if (agent->prompt.fault != BT_ROOT_FINE) {
        agent->integrity |=
            agent->prompt.fault == BT_ROOT_MISSING ? BT_FILE_MISSING : BT_FILE_UNSAFE;
    } else if (!bt_str_eq(bt_str_of(agent->prompt.sha256), expected)) {
        agent->integrity |= BT_FILE_HASH_MISMATCH;
    } else {
        agent->is_verified = true;
    }
    return compare_embedded(roster, agent, expected);
}

/* What the list takes is allocated before the prompt is read, so that its bytes can be given back:
 * a suggestion looks at every prompt there is. */
static enum bt_status read_and_compare(struct bt_roster *roster, struct bt_agent *agent)
{
    struct bt_boundary_list list = {0};
    const bool from_prompt = roster->has_lists && !roster->lists_in_file;
    if (from_prompt) {
        BT_TRY(bt_list_init(roster, roster->counts[BT_DOMAIN], &list));
    }
    const struct bt_arena_mark mark = bt_arena_mark(roster->arena);
    BT_TRY(compare_file(roster, agent));
    if (from_prompt && agent->is_verified) {
        BT_TRY(bt_prompt_list(roster, agent, NULL, &list));
        agent->list = list;
    }
    if (!roster->keeps_prompts) {
        bt_arena_rewind(roster->arena, mark);
        agent->prompt.bytes = BT_STR("");
    }
    return BT_OK;
}

enum bt_status bt_agent_examine(struct bt_roster *roster, struct bt_agent *agent)
{
    assert(roster->lock.is_sound);
    if (agent->is_examined) {
        return BT_OK;
    }
    agent->is_examined = true;
    if (!agent->locked) {
        agent->integrity = BT_LOCK_ENTRY_MISSING;
        return BT_OK;
    }
    agent->differs = differing(roster, agent);
    if (agent->differs != 0) {
        agent->integrity = BT_LOCK_ENTRY_MISMATCH;
        return BT_OK;
    }
    return read_and_compare(roster, agent);
}
