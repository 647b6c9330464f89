/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock_update.c - compute the new lock from the current files.
 *
 * A locked prompt is immutable: other bytes need a higher version (SemVer 2.0.0, section 11; build
 * metadata does not count), and any change needs a higher version of the manifest. With one HARD
 * finding nothing is written.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/governed/verify.h"
#include "json/emit.h"
#include "json/get.h"

/* What happens to the entry of an agent. */
enum governed_lock_change { UNCHANGED = 0, CHANGED, ADDED };

struct governed_lock_update {
    struct bt_governed_root *governed_root;
    const struct bt_governed_lock_options *lock_options;
    struct bt_findings *manifest;     /* findings about it ... */
    struct bt_findings *lock;         /* ... and about the lock */
    enum governed_lock_change *fates; /* by agent */
    size_t counts[3];
    size_t removed;
    bool has_lock;
    bool boundaries_changed;
    struct bt_governed_file boundaries;
};

static bt_str locked_text(const struct governed_lock_update *update, const bt_json_value *entry,
                          const char *name)
{
    return bt_json_get_text(update->governed_root->lock.document, entry, bt_str_of(name));
}

static bt_str version_of(const struct bt_governed_file_document *file)
{
    return bt_governed_file_text(file, BT_STR("version"));
}

static enum bt_status add_immutability_finding(struct governed_lock_update *update,
                                               const struct bt_governed_agent *agent, bt_str locked,
                                               bt_str actual)
{
    const struct bt_governed_file_document *manifest = &update->governed_root->manifest;
    const bt_json_value *at =
        bt_json_get(manifest->document, agent ? agent->entry : manifest->root, BT_STR("version"));
    return bt_add_immutability_violation(update->manifest,
                                         bt_location_value(manifest->document, at),
                                         agent ? agent->id : BT_STR_ABSENT, locked, actual);
}

static enum bt_status add_unreadable_prompt_finding(struct governed_lock_update *update,
                                                    const struct bt_governed_agent *agent)
{
    struct bt_buf pointer;
    bt_str kept;
    bt_buf_init(&pointer, SIZE_MAX);
    bt_json_pointer_put(&pointer, BT_STR("prompts"));
    bt_json_pointer_put(&pointer, agent->id);
    bt_json_pointer_put(&pointer, BT_STR("file"));
    BT_TRY(bt_buf_finish(&pointer, update->governed_root->arena, &kept));
    return bt_add_hash_verification_failure_locked(
        update->lock, bt_location_pointer(kept, BT_OFFSET_NONE), agent->id,
        agent->prompt.fault == BT_ROOT_MISSING
            ? BT_HASH_VERIFICATION_FAILURE_LOCKED_REASON_FILE_MISSING
            : BT_HASH_VERIFICATION_FAILURE_LOCKED_REASON_FILE_UNSAFE,
        BT_STR_ABSENT, BT_STR_ABSENT);
}

static enum bt_status update_agent(struct governed_lock_update *update, size_t index)
{
    struct bt_governed_agent *agent = &update->governed_root->agents[index];
    const struct bt_arena_mark mark = bt_arena_mark(update->governed_root->arena);
    BT_TRY(bt_governed_agent_read(update->governed_root, agent));
    bt_arena_rewind(update->governed_root->arena, mark); /* the digest is what counts */
    agent->prompt.bytes = BT_STR("");
    if (agent->prompt.fault != BT_ROOT_FINE) {
        return add_unreadable_prompt_finding(update, agent);
    }
    const bt_str hash = locked_text(update, agent->locked, "hash");
    const bt_str version = locked_text(update, agent->locked, "version");
    const bool is_same = bt_str_eq(hash, bt_str_of(agent->prompt.sha256)) &&
                         bt_str_eq(version, agent->version) &&
                         bt_str_eq(locked_text(update, agent->locked, "file"), agent->file) &&
                         bt_str_eq(locked_text(update, agent->locked, "type"),
                                   bt_governed_agent_type_name(agent->type));
    update->fates[index] = !agent->locked ? ADDED : is_same ? UNCHANGED : CHANGED;
    update->counts[update->fates[index]]++;
    const bool other_bytes = agent->locked && !bt_str_eq(hash, bt_str_of(agent->prompt.sha256));
    return other_bytes && bt_governed_version_compare(agent->version, version) <= 0
               ? add_immutability_finding(update, agent, version, agent->version)
               : BT_OK;
}

static enum bt_status update_orphans(struct governed_lock_update *update)
{
    const struct bt_governed_file_document *lock = &update->governed_root->lock;
    const bt_json_value *prompts = bt_json_get(lock->document, lock->root, BT_STR("prompts"));
    for (size_t i = 0; i < bt_json_count(prompts); i++) {
        update->removed +=
            bt_governed_root_find(update->governed_root,
                                  bt_json_name(&bt_json_members(prompts)[i])) == BT_NO_AGENT;
    }
    return update->lock_options->prune
               ? BT_OK
               : bt_governed_lock_add_orphan_findings(update->governed_root, update->lock);
}

static enum bt_status update_boundaries(struct governed_lock_update *update)
{
    struct bt_governed_root *governed_root = update->governed_root;
    const bt_json_value *member = update->has_lock
                                      ? bt_json_get(governed_root->lock.document,
                                                    governed_root->lock.root, BT_STR("boundaries"))
                                      : NULL;
    BT_TRY(bt_governed_file_read(governed_root->governed, governed_root->arena,
                                 governed_root->options, governed_root->options->boundaries,
                                 &update->boundaries));
    if (update->boundaries.fault == BT_ROOT_UNSAFE) {
        governed_root->boundaries.path = governed_root->options->boundaries;
        governed_root->boundaries.fault = BT_ROOT_UNSAFE;
        return bt_governed_root_add_boundaries_finding(governed_root, update->lock);
    }
    const bool is_there = update->boundaries.fault == BT_ROOT_FINE;
    update->boundaries_changed =
        is_there != (member != NULL) ||
        (is_there &&
         (!bt_str_eq(locked_text(update, member, "file"), governed_root->options->boundaries) ||
          !bt_str_eq(locked_text(update, member, "hash"), bt_str_of(update->boundaries.sha256))));
    return BT_OK;
}

static bool has_changed(const struct governed_lock_update *update)
{
    return update->counts[CHANGED] > 0 || update->counts[ADDED] > 0 ||
           (update->removed > 0 && update->lock_options->prune) || update->boundaries_changed ||
           !bt_str_eq(version_of(&update->governed_root->lock),
                      version_of(&update->governed_root->manifest));
}

static enum bt_status compare_lock(struct governed_lock_update *update)
{
    struct bt_governed_root *governed_root = update->governed_root;
    for (size_t i = 0; i < governed_root->count; i++) {
        BT_TRY(update_agent(update, i));
    }
    BT_TRY(update_boundaries(update));
    if (!update->has_lock) {
        return BT_OK;
    }
    BT_TRY(update_orphans(update));
    const bt_str locked = version_of(&governed_root->lock);
    const bt_str actual = version_of(&governed_root->manifest);
    return has_changed(update) && bt_governed_version_compare(actual, locked) <= 0
               ? add_immutability_finding(update, NULL, locked, actual)
               : BT_OK;
}

static void put_prompts(const struct governed_lock_update *update, struct bt_emit *emit)
{
    bt_emit_member_object(emit, "prompts");
    for (size_t i = 0; i < update->governed_root->count; i++) {
        const struct bt_governed_agent *agent = &update->governed_root->agents[i];
        bt_emit_name_str(emit, agent->id);
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "file", agent->file);
        bt_emit_member_string(emit, "hash", bt_str_of(agent->prompt.sha256));
        bt_emit_member_string(emit, "type", bt_governed_agent_type_name(agent->type));
        bt_emit_member_string(emit, "version", agent->version);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_integrity(const struct governed_lock_update *update, struct bt_emit *emit)
{
    const struct bt_governed_root *governed_root = update->governed_root;
    bt_emit_member_object(emit, "integrity");
    bt_emit_member_u64(emit, "total_prompts", governed_root->count);
    bt_emit_member_u64(emit, "domains", governed_root->counts[BT_GOVERNED_AGENT_TYPE_DOMAIN]);
    bt_emit_member_u64(emit, "archetypes", governed_root->counts[BT_GOVERNED_AGENT_TYPE_ARCHETYPE]);
    if (governed_root->counts[BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR] > 0) {
        bt_emit_member_u64(emit, "orchestrators",
                           governed_root->counts[BT_GOVERNED_AGENT_TYPE_ORCHESTRATOR]);
    }
    bt_emit_end(emit);
}

static void put_lock(const struct governed_lock_update *update, struct bt_emit *emit)
{
    const struct bt_governed_root *governed_root = update->governed_root;
    const bt_json_value *description =
        update->has_lock ? bt_json_get(governed_root->lock.document, governed_root->lock.root,
                                       BT_STR("description"))
                         : NULL;
    bt_instant now = bt_env_now(governed_root->governed->env);
    char time[BT_INSTANT_TEXT_BYTES];
    now.nanos = 0;
    (void)bt_instant_format(now, time);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "version", version_of(&governed_root->manifest));
    bt_emit_member_u64(emit, "lockfileVersion", 1);
    bt_emit_member_string(emit, "generated", bt_str_of(time));
    if (description) {
        bt_emit_member_string(emit, "description", bt_json_text(description));
    }
    bt_emit_member_string(emit, "algorithm", BT_STR("SHA-256"));
    put_prompts(update, emit);
    if (update->boundaries.fault == BT_ROOT_FINE) {
        bt_emit_member_object(emit, "boundaries");
        bt_emit_member_string(emit, "file", governed_root->options->boundaries);
        bt_emit_member_string(emit, "hash", bt_str_of(update->boundaries.sha256));
        bt_emit_end(emit);
    }
    put_integrity(update, emit);
    bt_emit_end(emit);
}

static enum bt_status write_lock(const struct governed_lock_update *update, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, true);
    put_lock(update, &emit);
    bt_buf_put_char(&buf, '\n');
    return bt_buf_finish(&buf, update->governed_root->arena, out);
}

static void put_state(struct bt_emit *emit, const char *name, bt_str version, bt_str hash)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_string(emit, "version", version);
    bt_emit_member_string(emit, "hash", hash);
    bt_emit_end(emit);
}

static void put_changed(const struct governed_lock_update *update, struct bt_emit *emit)
{
    bt_emit_member_array(emit, "changed");
    for (size_t i = 0; i < update->governed_root->count; i++) {
        const struct bt_governed_agent *agent = &update->governed_root->agents[i];
        if (update->fates[i] == CHANGED) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "agent_id", agent->id);
            put_state(emit, "from", locked_text(update, agent->locked, "version"),
                      locked_text(update, agent->locked, "hash"));
            put_state(emit, "to", agent->version, bt_str_of(agent->prompt.sha256));
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
    bt_emit_member_array(emit, "added");
    for (size_t i = 0; i < update->governed_root->count; i++) {
        if (update->fates[i] == ADDED) {
            bt_emit_string(emit, update->governed_root->agents[i].id);
        }
    }
    bt_emit_end(emit);
}

static void put_removed(const struct governed_lock_update *update, struct bt_emit *emit)
{
    const struct bt_governed_file_document *lock = &update->governed_root->lock;
    const bt_json_value *prompts = update->has_lock && update->lock_options->prune
                                       ? bt_json_get(lock->document, lock->root, BT_STR("prompts"))
                                       : NULL;
    bt_emit_member_array(emit, "removed");
    for (size_t i = 0; prompts && i < bt_json_count(prompts); i++) {
        const bt_str id = bt_json_name(&bt_json_members(prompts)[i]);
        if (bt_governed_root_find(update->governed_root, id) == BT_NO_AGENT) {
            bt_emit_string(emit, id);
        }
    }
    bt_emit_end(emit);
}

static enum bt_status describe_update(const struct governed_lock_update *update, bool written,
                                      bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, "lock");
    bt_emit_member_string(emit, "file", update->governed_root->options->lock);
    bt_emit_member_bool(emit, "written", written);
    put_changed(update, emit);
    put_removed(update, emit);
    bt_emit_member_u64(emit, "unchanged", update->counts[UNCHANGED]);
    return bt_object_text_finish(&text, BT_OK, update->governed_root->arena, out);
}

/* Judge the lock that there is; *out_may: it may be replaced. */
static enum bt_status judge_old(struct governed_lock_update *update, bool *out_may)
{
    const struct bt_governed_file_document *lock = &update->governed_root->lock;
    struct bt_governed_file_report out = {.governed_root = update->governed_root,
                                          .findings = update->lock};
    *out_may = false;
    if (lock->file.fault == BT_ROOT_MISSING && update->lock_options->init) {
        *out_may = true;
        return BT_OK;
    }
    if (lock->file.fault != BT_ROOT_FINE) {
        return bt_governed_file_add_unusable_finding(update->lock, lock, true);
    }
    BT_TRY(bt_governed_file_report_explain(&out, lock, BT_GOVERNED_LOCK, out_may));
    update->has_lock = *out_may;
    return BT_OK;
}

static enum bt_status begin_update(struct governed_lock_update *update, struct bt_arena *arena)
{
    update->manifest = bt_findings_new(arena);
    update->lock = bt_findings_new(arena);
    update->fates = BT_NEW_ARRAY(arena, enum governed_lock_change, BT_AGENTS_MAX);
    BT_TRY(update->manifest && update->lock && update->fates ? BT_OK : BT_ENOMEM);
    return bt_governed_root_read(update->governed_root);
}

/* A lock that is not there is listed with its finding, or not at all: it must not look accepted. */
static enum bt_status report_both(struct governed_lock_update *update, struct bt_report *report,
                                  bool is_written)
{
    const struct bt_governed_root *governed_root = update->governed_root;
    const bool is_missing = governed_root->lock.file.fault == BT_ROOT_MISSING && !is_written;
    struct bt_governed_file_report out = {
        .report = report, .governed_root = update->governed_root, .findings = update->manifest};
    BT_TRY(bt_governed_file_report_end(&out, governed_root->manifest.path, BT_DIALECT_MANIFEST,
                                       governed_root->manifest.file.bytes, BT_STR("")));
    out.findings = update->lock;
    if (is_missing && bt_findings_count(update->lock) == 0) {
        return BT_OK;
    }
    return bt_governed_file_report_end(&out, governed_root->lock.path, BT_DIALECT_LOCK,
                                       governed_root->lock.file.bytes, BT_STR(""));
}

enum bt_status bt_governed_update_lock(struct bt_governed_checker *governed,
                                       const struct bt_governed_options *options,
                                       const struct bt_governed_lock_options *lock_options,
                                       bool dry_run, struct bt_report *report,
                                       struct bt_governed_lock_result *out)
{
    assert(governed);
    assert(options->dir);
    assert(lock_options);
    assert(out);
    struct bt_governed_root governed_root = {
        .governed = governed, .options = options, .arena = bt_report_arena(report)};
    struct governed_lock_update update = {.governed_root = &governed_root,
                                          .lock_options = lock_options};
    bool may_write = false;
    out->text = BT_STR("");
    BT_TRY(begin_update(&update, governed_root.arena));
    BT_TRY(judge_old(&update, &may_write));
    if (governed_root.manifest.fault != BT_ROOT_FINE) {
        BT_TRY(bt_governed_root_add_manifest_finding(&governed_root, update.manifest));
        update.has_lock = false; /* there is nothing to compare it with */
        may_write = false;
    }
    if (may_write) {
        BT_TRY(compare_lock(&update));
    }
    may_write = may_write &&
                bt_verdict_of(update.manifest, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED &&
                bt_verdict_of(update.lock, BT_SEVERITY_HARD) == BT_VERDICT_ACCEPTED &&
                (!update.has_lock || has_changed(&update));
    if (may_write) {
        BT_TRY(write_lock(&update, &out->text));
    }
    BT_TRY(describe_update(&update, may_write && !dry_run, &out->members));
    return report_both(&update, report, may_write && !dry_run);
}

/* What stands before `mark`; *rest is what follows it; a NULL pointer when there is no mark. */
static bt_str split_at_mark(bt_str text, char mark, bt_str *rest)
{
    const size_t at = bt_str_find_byte(text, mark, 0);
    *rest = at < text.len ? bt_str_slice(text, at + 1, text.len) : (bt_str){NULL, 0};
    return bt_str_slice(text, 0, at);
}

/* Numbers have no leading zeros, so the longer one is the greater one. */
static int compare_numbers(bt_str a, bt_str b)
{
    return a.len != b.len ? (a.len > b.len) - (a.len < b.len) : bt_str_compare(a, b);
}

/* Identifiers between dots; with fewer of them a version is the lower one. */
static int compare_dotted(bt_str a, bt_str b)
{
    while (a.ptr && b.ptr) {
        const bt_str ours = split_at_mark(a, '.', &a);
        const bt_str theirs = split_at_mark(b, '.', &b);
        const bool numbers[2] = {bt_ascii_all(ours, bt_ascii_is_digit),
                                 bt_ascii_all(theirs, bt_ascii_is_digit)};
        const int order = numbers[0] && numbers[1]   ? compare_numbers(ours, theirs)
                          : numbers[0] != numbers[1] ? (numbers[0] ? -1 : 1)
                                                     : bt_str_compare(ours, theirs);
        if (order != 0) {
            return order;
        }
    }
    return (a.ptr != NULL) - (b.ptr != NULL);
}

int bt_governed_version_compare(bt_str a, bt_str b)
{
    bt_str ignored;
    bt_str a_pre;
    bt_str b_pre;
    const bt_str a_core = split_at_mark(split_at_mark(a, '+', &ignored), '-', &a_pre);
    const bt_str b_core = split_at_mark(split_at_mark(b, '+', &ignored), '-', &b_pre);
    const int order = compare_dotted(a_core, b_core);
    if (order != 0) {
        return order;
    }
    if (!a_pre.ptr || !b_pre.ptr) {
        return (a_pre.ptr == NULL) - (b_pre.ptr == NULL); /* a release comes after its previews */
    }
    return compare_dotted(a_pre, b_pre);
}
