/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integrity.c - an agent as lock, manifest and prompt file have it: do the three agree?
 */
#include <assert.h>

#include "dialect/governed/governed_root.h"

static const bt_str member_names[BT_LOCK_MEMBERS] = {
    BT_STR_INIT("type"),
    BT_STR_INIT("file"),
    BT_STR_INIT("version"),
};

bt_str bt_governed_lock_member(size_t index)
{
    assert(index < BT_LOCK_MEMBERS);
    return member_names[index];
}

enum bt_status bt_governed_agent_read(struct bt_governed_root *governed_root,
                                      struct bt_governed_agent *agent)
{
    if (agent->is_read) {
        return BT_OK;
    }
    BT_TRY(bt_governed_file_read(governed_root->governed, governed_root->arena,
                                 governed_root->options, agent->file, &agent->prompt));
    agent->is_read = true;
    return BT_OK;
}

static unsigned find_differing_members(const struct bt_governed_root *governed_root,
                                       const struct bt_governed_agent *agent)
{
    const bt_str ours[BT_LOCK_MEMBERS] = {bt_governed_agent_type_name(agent->type), agent->file,
                                          agent->version};
    unsigned differs = 0;
    for (size_t i = 0; i < BT_LOCK_MEMBERS; i++) {
        if (!bt_str_eq(bt_governed_locked_text(governed_root, agent, member_names[i]), ours[i])) {
            differs |= 1U << i;
        }
    }
    return differs;
}

/* A lock of layout 2 carries the prompt itself: one more copy that must have the same digest. */
static enum bt_status compare_embedded(const struct bt_governed_root *governed_root,
                                       struct bt_governed_agent *agent, bt_str expected)
{
    char digest[BT_SHA256_HEX_BYTES];
    const bt_json_value *embedded =
        bt_json_get(governed_root->lock.document, agent->locked, BT_STR("system_prompt"));
    if (!embedded) {
        return BT_OK;
    }
    BT_TRY(bt_sha256_hex(bt_json_text(embedded), digest));
    if (!bt_str_eq(bt_str_of(digest), expected)) {
        agent->lock_state.faults |= BT_EMBEDDED_MISMATCH;
    }
    return BT_OK;
}

static enum bt_status compare_file(struct bt_governed_root *governed_root,
                                   struct bt_governed_agent *agent)
{
    const bt_str expected = bt_governed_locked_text(governed_root, agent, BT_STR("hash"));
    BT_TRY(bt_governed_agent_read(governed_root, agent));
    if (agent->prompt.fault != BT_ROOT_FINE) {
        agent->lock_state.faults |=
            agent->prompt.fault == BT_ROOT_MISSING ? BT_FILE_MISSING : BT_FILE_UNSAFE;
    } else if (!bt_str_eq(bt_str_of(agent->prompt.sha256), expected)) {
        agent->lock_state.faults |= BT_FILE_HASH_MISMATCH;
    } else {
        agent->lock_state.is_verified = true;
    }
    return compare_embedded(governed_root, agent, expected);
}

/* What the list takes is allocated before the prompt is read, so that its bytes can be given back:
 * a suggestion looks at every prompt there is. */
static enum bt_status read_and_compare(struct bt_governed_root *governed_root,
                                       struct bt_governed_agent *agent)
{
    struct bt_governed_boundary_list list = {0};
    const bool from_prompt = governed_root->has_lists && !governed_root->lists_in_file;
    if (from_prompt) {
        BT_TRY(bt_governed_boundary_list_init(
            governed_root, governed_root->counts[BT_GOVERNED_AGENT_TYPE_DOMAIN], &list));
    }
    const struct bt_arena_mark mark = bt_arena_mark(governed_root->arena);
    BT_TRY(compare_file(governed_root, agent));
    if (from_prompt && agent->lock_state.is_verified) {
        BT_TRY(bt_governed_prompt_read_list(governed_root, agent, NULL, &list));
        agent->list = list;
    }
    if (!governed_root->keeps_prompts) {
        bt_arena_rewind(governed_root->arena, mark);
        agent->prompt.bytes = BT_STR("");
    }
    return BT_OK;
}

enum bt_status bt_governed_agent_check_integrity(struct bt_governed_root *governed_root,
                                                 struct bt_governed_agent *agent)
{
    assert(governed_root->lock.is_sound);
    if (agent->lock_state.is_examined) {
        return BT_OK;
    }
    agent->lock_state.is_examined = true;
    if (!agent->locked) {
        agent->lock_state.faults = BT_LOCK_ENTRY_MISSING;
        return BT_OK;
    }
    agent->lock_state.differs = find_differing_members(governed_root, agent);
    if (agent->lock_state.differs != 0) {
        agent->lock_state.faults = BT_LOCK_ENTRY_MISMATCH;
        return BT_OK;
    }
    return read_and_compare(governed_root, agent);
}
