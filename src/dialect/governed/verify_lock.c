/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_lock.c - the lock against manifest and files: every entry, every digest, every copy.
 */
#include "dialect/governed/verify.h"

static void begin_integrity(const struct bt_governed_root *governed_root,
                            const struct bt_governed_agent *agent, bt_str member, bool in_lock,
                            struct bt_finding_builder *remark)
{
    const struct bt_json_doc *document = governed_root->lock.document;
    const bt_json_value *at =
        agent->locked ? bt_json_get(document, agent->locked, member)
                      : bt_json_get(document, governed_root->lock.root, BT_STR("prompts"));
    bt_governed_remark(remark, "HASH_VERIFICATION_FAILURE",
                       in_lock ? (struct bt_governed_location){document, at}
                               : (struct bt_governed_location){NULL, NULL});
    if (in_lock) {
        bt_json_pointer_put(&remark->pointer, BT_STR("prompts"));
    }
    if (in_lock && agent->locked) {
        bt_json_pointer_put(&remark->pointer, agent->id);
        bt_json_pointer_put(&remark->pointer, member);
    }
    bt_buf_put_quoted(&remark->message, agent->id);
    bt_emit_member_string(&remark->emit, "agent_id", agent->id);
}

static const struct governed_lock_error {
    unsigned bit;
    const char *reason;
    bt_str member;
    const char *text;
} faults[] = {
    {BT_LOCK_ENTRY_MISSING, "lock_entry_missing", BT_STR_INIT(""), "is not in the lock"},
    {BT_FILE_MISSING, "file_missing", BT_STR_INIT("file"), "has no prompt file"},
    {BT_FILE_UNSAFE, "file_unsafe", BT_STR_INIT("file"), "has a prompt file that is unsafe"},
    {BT_FILE_HASH_MISMATCH, "file_hash_mismatch", BT_STR_INIT("hash"),
     "has a prompt file of another digest"},
    {BT_EMBEDDED_MISMATCH, "embedded_prompt_mismatch", BT_STR_INIT("hash"),
     "has a prompt of another digest inside the lock"},
};

static enum bt_status add_lock_mismatch_finding(const struct bt_governed_root *governed_root,
                                                const struct bt_governed_agent *agent, size_t index,
                                                bool in_lock, struct bt_findings *findings)
{
    const bt_str ours[BT_LOCK_MEMBERS] = {bt_governed_agent_type_name(agent->type), agent->file,
                                          agent->version};
    const bt_str member = bt_governed_lock_member(index);
    struct bt_finding_builder remark;
    begin_integrity(governed_root, agent, member, in_lock, &remark);
    bt_buf_printf(&remark.message, " has another %.*s in the lock than in the manifest",
                  BT_STR_ARG(member));
    bt_emit_member_string(&remark.emit, "reason", BT_STR("lock_entry_mismatch"));
    bt_emit_member_string(&remark.emit, "member", member);
    bt_emit_member_string(&remark.emit, "expected", ours[index]);
    bt_emit_member_string(
        &remark.emit, "actual",
        bt_json_text(bt_json_get(governed_root->lock.document, agent->locked, member)));
    return bt_finding_builder_end(&remark, findings);
}

static enum bt_status add_integrity_finding(const struct bt_governed_root *governed_root,
                                            const struct bt_governed_agent *agent,
                                            const struct governed_lock_error *fault, bool in_lock,
                                            struct bt_findings *findings)
{
    struct bt_finding_builder remark;
    begin_integrity(governed_root, agent, fault->member, in_lock, &remark);
    bt_buf_printf(&remark.message, " %s", fault->text);
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(fault->reason));
    if (fault->bit == BT_FILE_HASH_MISMATCH) {
        bt_emit_member_string(
            &remark.emit, "expected",
            bt_json_text(bt_json_get(governed_root->lock.document, agent->locked, BT_STR("hash"))));
        bt_emit_member_string(&remark.emit, "actual", bt_str_of(agent->prompt.sha256));
    }
    return bt_finding_builder_end(&remark, findings);
}

enum bt_status
bt_governed_agent_add_integrity_findings(const struct bt_governed_root *governed_root,
                                         const struct bt_governed_agent *agent, bool in_lock,
                                         struct bt_findings *findings)
{
    for (size_t i = 0; i < BT_LOCK_MEMBERS; i++) {
        if (agent->differs & (1U << i)) {
            BT_TRY(add_lock_mismatch_finding(governed_root, agent, i, in_lock, findings));
        }
    }
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (agent->integrity & faults[i].bit) {
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
    const bt_json_value *ours = bt_json_get(manifest->document, manifest->root, BT_STR("version"));
    const bt_json_value *theirs = bt_json_get(lock->document, lock->root, BT_STR("version"));
    struct bt_finding_builder remark;
    if (bt_str_eq(bt_json_text(ours), bt_json_text(theirs))) {
        return BT_OK;
    }
    bt_governed_remark(&remark, "ROOT_VERSION_MISMATCH",
                       (struct bt_governed_location){lock->document, theirs});
    bt_json_pointer_put(&remark.pointer, BT_STR("version"));
    bt_buf_put_text(&remark.message, "the lock is of version ");
    bt_buf_put_quoted(&remark.message, bt_json_text(theirs));
    bt_buf_put_text(&remark.message, ", the manifest of ");
    bt_buf_put_quoted(&remark.message, bt_json_text(ours));
    bt_emit_member_string(&remark.emit, "expected", bt_json_text(ours));
    bt_emit_member_string(&remark.emit, "actual", bt_json_text(theirs));
    return bt_finding_builder_end(&remark, findings);
}

enum bt_status bt_governed_lock_add_orphan_findings(const struct bt_governed_root *governed_root,
                                                    struct bt_findings *findings)
{
    const struct bt_governed_file_document *lock = &governed_root->lock;
    const bt_json_value *prompts = bt_json_get(lock->document, lock->root, BT_STR("prompts"));
    for (size_t i = 0; i < bt_json_count(prompts); i++) {
        const struct bt_json_member *member = &bt_json_members(prompts)[i];
        struct bt_finding_builder remark;
        if (bt_governed_root_find(governed_root, bt_json_name(member)) != BT_NO_AGENT) {
            continue;
        }
        bt_governed_remark(&remark, "LOCK_ENTRY_ORPHAN",
                           (struct bt_governed_location){lock->document, &member->value});
        bt_json_pointer_put(&remark.pointer, BT_STR("prompts"));
        bt_json_pointer_put(&remark.pointer, bt_json_name(member));
        bt_buf_put_quoted(&remark.message, bt_json_name(member));
        bt_buf_put_text(&remark.message, " is locked, and the manifest does not list it");
        bt_emit_member_string(&remark.emit, "agent_id", bt_json_name(member));
        BT_TRY(bt_finding_builder_end(&remark, findings));
    }
    return BT_OK;
}

static enum bt_status judge_copies(struct bt_governed_root *governed_root,
                                   struct bt_findings *findings)
{
    const struct bt_governed_options *options = governed_root->options;
    for (size_t i = 0; i < options->lock_copies_count; i++) {
        struct bt_governed_file copy;
        struct bt_finding_builder remark;
        const struct bt_arena_mark mark = bt_arena_mark(governed_root->arena);
        BT_TRY(bt_governed_file_read(governed_root->governed, governed_root->arena, options,
                                     options->lock_copies[i], &copy));
        const bool is_same =
            copy.fault == BT_ROOT_FINE && bt_str_eq(copy.bytes, governed_root->lock.file.bytes);
        bt_arena_rewind(governed_root->arena, mark);
        if (is_same) {
            continue;
        }
        bt_governed_remark(&remark, "LOCK_COPY_DIFFERS", (struct bt_governed_location){NULL, NULL});
        bt_buf_put_quoted(&remark.message, options->lock_copies[i]);
        bt_buf_put_text(&remark.message, copy.fault == BT_ROOT_FINE
                                             ? " is not the same as the lock"
                                             : " is absent, or cannot be read safely");
        bt_emit_member_string(&remark.emit, "file", options->lock_copies[i]);
        BT_TRY(bt_finding_builder_end(&remark, findings));
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
        verified += governed_root->agents[i].integrity == 0;
    }
    bt_emit_member_u64(emit, "verified", verified);
    bt_emit_name(emit, "failed");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < governed_root->count; i++) {
        if (governed_root->agents[i].integrity != 0) {
            bt_emit_string(emit, governed_root->agents[i].id);
        }
    }
    bt_emit_end(emit);
}

enum bt_status bt_governed_lock_put_facts(const struct bt_governed_root *governed_root, bt_str *out)
{
    const struct bt_governed_file_document *lock = &governed_root->lock;
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "entries",
                       bt_json_count(bt_json_get(lock->document, lock->root, BT_STR("prompts"))));
    if (governed_root->count > 0) {
        put_failed(governed_root, &emit);
    }
    bt_emit_end(&emit);
    const enum bt_status status = bt_buf_copy(&buf, governed_root->arena, out);
    bt_buf_free(&buf);
    return status;
}
