/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_lock.c - the lock against manifest and files: every entry, every digest, every copy.
 */
#include "base/buf.h"
#include "dialect/governed/verify.h"
#include "json/emit.h"

/* The member of the agent's entry in the lock, or the entries that lack it; unless `in_lock`, the
 * whole document. */
static struct bt_location locate_entry(const struct bt_governed_root *governed_root,
                                       const struct bt_governed_agent *agent, bt_str member,
                                       bool in_lock)
{
    const struct bt_json_doc *document = governed_root->lock.document;
    const bt_json_value *at =
        agent->locked ? bt_json_get(document, agent->locked, member)
                      : bt_json_get(document, governed_root->lock.root, BT_STR("prompts"));
    return bt_location_value(document, in_lock ? at : NULL);
}

static const struct governed_lock_error {
    unsigned bit;
    enum bt_hash_verification_failure_locked_reason reason;
    bt_str member;
} faults[] = {
    {BT_LOCK_ENTRY_MISSING, BT_HASH_VERIFICATION_FAILURE_LOCKED_REASON_LOCK_ENTRY_MISSING,
     BT_STR_INIT("")},
    {BT_FILE_MISSING, BT_HASH_VERIFICATION_FAILURE_LOCKED_REASON_FILE_MISSING, BT_STR_INIT("file")},
    {BT_FILE_UNSAFE, BT_HASH_VERIFICATION_FAILURE_LOCKED_REASON_FILE_UNSAFE, BT_STR_INIT("file")},
    {BT_FILE_HASH_MISMATCH, BT_HASH_VERIFICATION_FAILURE_LOCKED_REASON_FILE_HASH_MISMATCH,
     BT_STR_INIT("hash")},
    {BT_EMBEDDED_MISMATCH, BT_HASH_VERIFICATION_FAILURE_LOCKED_REASON_EMBEDDED_PROMPT_MISMATCH,
     BT_STR_INIT("hash")},
};

static enum bt_status add_lock_mismatch_finding(const struct bt_governed_root *governed_root,
                                                const struct bt_governed_agent *agent, size_t index,
                                                bool in_lock, struct bt_findings *findings)
{
    const bt_str ours[BT_LOCK_MEMBERS] = {bt_governed_agent_type_name(agent->type), agent->file,
                                          agent->version};
    const bt_str member = bt_governed_lock_member(index);
    return bt_add_hash_verification_failure_member(
        findings, locate_entry(governed_root, agent, member, in_lock), agent->id,
        BT_STR("lock_entry_mismatch"), member, ours[index],
        bt_governed_locked_text(governed_root, agent, member));
}

static enum bt_status add_integrity_finding(const struct bt_governed_root *governed_root,
                                            const struct bt_governed_agent *agent,
                                            const struct governed_lock_error *fault, bool in_lock,
                                            struct bt_findings *findings)
{
    const bool has_digests = fault->bit == BT_FILE_HASH_MISMATCH;
    return bt_add_hash_verification_failure_locked(
        findings, locate_entry(governed_root, agent, fault->member, in_lock), agent->id,
        fault->reason,
        has_digests ? bt_governed_locked_text(governed_root, agent, BT_STR("hash")) : BT_STR_ABSENT,
        has_digests ? bt_str_of(agent->prompt.sha256) : BT_STR_ABSENT);
}

enum bt_status
bt_governed_agent_add_integrity_findings(const struct bt_governed_root *governed_root,
                                         const struct bt_governed_agent *agent, bool in_lock,
                                         struct bt_findings *findings)
{
    for (size_t i = 0; i < BT_LOCK_MEMBERS; i++) {
        if (agent->lock_state.differs & (1U << i)) {
            BT_TRY(add_lock_mismatch_finding(governed_root, agent, i, in_lock, findings));
        }
    }
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (agent->lock_state.faults & faults[i].bit) {
            BT_TRY(add_integrity_finding(governed_root, agent, &faults[i], in_lock, findings));
        }
    }
    return BT_OK;
}

static enum bt_status judge_version(const struct bt_governed_root *governed_root,
                                    struct bt_findings *findings)
{
    const struct bt_governed_file_document *manifest = &governed_root->manifest;
    const struct bt_governed_file_document *lock = &governed_root->lock;
    const bt_str ours = bt_governed_file_text(manifest, BT_STR("version"));
    const bt_json_value *theirs = bt_json_get(lock->document, lock->root, BT_STR("version"));
    return bt_str_eq(ours, bt_json_text(theirs))
               ? BT_OK
               : bt_add_root_version_mismatch(findings, bt_location_value(lock->document, theirs),
                                              ours, bt_json_text(theirs));
}

enum bt_status bt_governed_lock_add_orphan_findings(const struct bt_governed_root *governed_root,
                                                    struct bt_findings *findings)
{
    const struct bt_governed_file_document *lock = &governed_root->lock;
    const bt_json_value *prompts = bt_json_get(lock->document, lock->root, BT_STR("prompts"));
    for (size_t i = 0; i < bt_json_count(prompts); i++) {
        const struct bt_json_member *member = &bt_json_members(prompts)[i];
        if (bt_governed_root_find(governed_root, bt_json_name(member)) == BT_NO_AGENT) {
            BT_TRY(bt_add_lock_entry_orphan(
                findings, bt_location_value(lock->document, &member->value), bt_json_name(member)));
        }
    }
    return BT_OK;
}

static enum bt_status judge_copies(struct bt_governed_root *governed_root,
                                   struct bt_findings *findings)
{
    const struct bt_governed_options *options = governed_root->options;
    for (size_t i = 0; i < options->lock_copies_count; i++) {
        struct bt_governed_file copy;
        const struct bt_arena_mark mark = bt_arena_mark(governed_root->arena);
        BT_TRY(bt_governed_file_read(governed_root->governed, governed_root->arena, options,
                                     options->lock_copies[i], &copy));
        const bool is_same =
            copy.fault == BT_ROOT_FINE && bt_str_eq(copy.bytes, governed_root->lock.file.bytes);
        bt_arena_rewind(governed_root->arena, mark);
        if (!is_same) {
            BT_TRY(bt_add_lock_copy_differs(findings, bt_location_whole(), options->lock_copies[i],
                                            copy.fault == BT_ROOT_FINE));
        }
    }
    return BT_OK;
}

enum bt_status bt_governed_lock_judge(struct bt_governed_file_report *out)
{
    struct bt_governed_root *governed_root = out->governed_root;
    BT_TRY(bt_governed_lock_judge_counts(&governed_root->lock, out->findings));
    if (governed_root->manifest.fault != BT_ROOT_FINE) {
        return BT_OK;
    }
    BT_TRY(judge_version(governed_root, out->findings));
    BT_TRY(bt_governed_lock_add_orphan_findings(governed_root, out->findings));
    BT_TRY(bt_governed_root_check_integrity(governed_root));
    for (size_t i = 0; i < governed_root->count; i++) {
        BT_TRY(bt_governed_agent_add_integrity_findings(governed_root, &governed_root->agents[i],
                                                        true, out->findings));
    }
    return judge_copies(governed_root, out->findings);
}

static void put_failed(const struct bt_governed_root *governed_root, struct bt_emit *emit)
{
    size_t verified = 0;
    for (size_t i = 0; i < governed_root->count; i++) {
        verified += governed_root->agents[i].lock_state.faults == 0;
    }
    bt_emit_member_u64(emit, "verified", verified);
    bt_emit_member_array(emit, "failed");
    for (size_t i = 0; i < governed_root->count; i++) {
        if (governed_root->agents[i].lock_state.faults != 0) {
            bt_emit_string(emit, governed_root->agents[i].id);
        }
    }
    bt_emit_end(emit);
}

enum bt_status bt_governed_lock_put_facts(const struct bt_governed_root *governed_root, bt_str *out)
{
    const struct bt_governed_file_document *lock = &governed_root->lock;
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    bt_emit_member_u64(emit, "entries",
                       bt_json_count(bt_json_get(lock->document, lock->root, BT_STR("prompts"))));
    if (governed_root->count > 0) {
        put_failed(governed_root, emit);
    }
    return bt_object_text_finish(&text, BT_OK, governed_root->arena, out);
}
