/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the facts of the report. */
#include "dialect/governed/governed_check.h"

#include "json/emit.h"

static void put_found(struct bt_emit *emit, bt_str name, enum bt_governed_fact found)
{
    bt_emit_name_str(emit, name);
    if (found == BT_GOVERNED_FACT_NOTHING) {
        bt_emit_null(emit);
    } else {
        bt_emit_bool(emit, found == BT_GOVERNED_FACT_TRUE);
    }
}

/* An id in lower case, or null. */
static enum bt_status put_id(const struct bt_governed_check *check, struct bt_emit *emit,
                             const char *name, bt_str pointer)
{
    bt_str folded = BT_STR("");
    if (check->matches_schema) {
        BT_TRY(bt_ascii_lower_copy(check->arena, bt_governed_check_text(check, pointer), &folded));
    }
    bt_emit_member_string_or_null(emit, name, folded);
    return BT_OK;
}

/* A text of a document that satisfies its schema, or null. */
static void put_sound(const struct bt_governed_check *check, struct bt_emit *emit, const char *name,
                      bt_str pointer)
{
    bt_emit_member_string_or_null(
        emit, name, check->matches_schema ? bt_governed_check_text(check, pointer) : BT_STR(""));
}

static void put_verified(const struct bt_governed_check *check, struct bt_emit *emit)
{
    bt_emit_member_object(emit, "verified");
    if (check->kind == BT_GOVERNED_RESPONSE) {
        put_found(emit, BT_STR("agent_verified"), check->verified[BT_SOURCE_VERIFIED]);
    } else {
        for (size_t i = 0; i < BT_GOVERNED_CLAIM__MAX; i++) {
            put_found(emit, bt_governed_claim_name((enum bt_governed_claim)i), check->verified[i]);
        }
    }
    bt_emit_end(emit);
}

void bt_governed_put_modes(const struct bt_governed_options *options, struct bt_emit *emit)
{
    static const char *const boundary[] = {"source", "either", "mutual"};
    bt_emit_member_object(emit, "modes");
    bt_emit_member_string(emit, "boundary", bt_str_of(boundary[options->boundary_mode]));
    bt_emit_member_string(emit, "relation",
                          options->relation_mode == BT_GOVERNED_RELATION_STRICT
                              ? BT_STR("strict")
                              : BT_STR("literal"));
    bt_emit_member_string(emit, "archetype",
                          options->archetype_mode == BT_GOVERNED_ARCHETYPE_CONSTITUENT
                              ? BT_STR("constituent")
                              : BT_STR("declared"));
    bt_emit_end(emit);
}

static bt_str version_of(const struct bt_governed_file_document *file)
{
    return file->fault == BT_ROOT_FINE ? bt_governed_file_text(file, BT_STR("version"))
                                       : BT_STR("");
}

static void put_root(const struct bt_governed_check *check, struct bt_emit *emit)
{
    const struct bt_governed_root *governed_root = &check->governed_root;
    bt_emit_name(emit, "root");
    if (!check->options->dir) {
        bt_emit_null(emit);
        return;
    }
    bt_emit_begin_object(emit);
    bt_emit_member_string_or_null(emit, "manifest_version", version_of(&governed_root->manifest));
    bt_emit_member_string_or_null(emit, "lock_version", version_of(&governed_root->lock));
    bt_emit_member_u64(emit, "agents", governed_root->count);
    bt_emit_member_string_or_null(emit, "boundaries",
                                  !governed_root->has_lists      ? BT_STR("")
                                  : governed_root->lists_in_file ? BT_STR("file")
                                                                 : BT_STR("prompts"));
    bt_emit_end(emit);
}

static void put_security(const struct bt_governed_check *check, struct bt_emit *emit)
{
    bool is_flagged = false;
    for (size_t i = 0; i < bt_findings_count(check->findings); i++) {
        is_flagged = is_flagged || bt_findings_at(check->findings, i)->security;
    }
    bt_emit_member_bool(emit, "security_flag", is_flagged);
}

static enum bt_status put_handoff(const struct bt_governed_check *check, struct bt_emit *emit)
{
    BT_TRY(put_id(check, emit, "handoff_id", BT_STR("/handoff_id")));
    bt_emit_member_u64_or_null(emit, "pattern", check->pattern > 0, check->pattern);
    put_sound(check, emit, "source", BT_STR("/source_agent/agent_id"));
    put_sound(check, emit, "target", BT_STR("/target_agent/agent_id"));
    put_verified(check, emit);
    bt_governed_put_modes(check->options, emit);
    return BT_OK;
}

static enum bt_status put_response(const struct bt_governed_check *check, struct bt_emit *emit)
{
    BT_TRY(put_id(check, emit, "response_id", BT_STR("/response_id")));
    put_sound(check, emit, "status", BT_STR("/response/status"));
    put_sound(check, emit, "agent", BT_STR("/agent/agent_id"));
    BT_TRY(put_id(check, emit, "request_id", BT_STR("/request_context/request_id")));
    put_verified(check, emit);
    return BT_OK;
}

enum bt_status bt_governed_check_facts(const struct bt_governed_check *check, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    enum bt_status status = check->kind == BT_GOVERNED_RESPONSE ? put_response(check, &emit)
                                                                : put_handoff(check, &emit);
    if (status == BT_OK) {
        put_root(check, &emit);
        put_security(check, &emit);
        bt_emit_end(&emit);
        status = bt_buf_copy(&buf, check->arena, out);
    }
    bt_buf_free(&buf);
    return status;
}
