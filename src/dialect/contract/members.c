/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.c - the members that the schema of the block names, object by object; members that no
 * schema names, and where they probably belong.
 */
#include "base/str.h"
#include "base/uninitialized.h"
#include "dialect/contract/contract_check.h"
#include "json/walk.h"
#include "schema/nearest.h"

static bool has_member_name(const struct bt_contract_object_row *object, bt_str name)
{
    for (size_t i = 0; i < object->count; i++) {
        if (bt_str_eq(bt_str_of(object->names[i]), name)) {
            return true;
        }
    }
    return false;
}

static bool is_own(bt_str name)
{
    return bt_str_starts_with(name, BT_STR("x_")) || bt_str_starts_with(name, BT_STR("x-"));
}

/* A key of a report in capitals, which counts unless the proper spelling is there as well. */
static bool is_other_spelling(const struct bt_contract_check *check, enum bt_contract_object named,
                              const bt_json_value *object, bt_str name)
{
    const struct bt_contract_report_key *keys =
        named == BT_CONTRACT_OBJECT_EVIDENCE ? bt_evidence_keys : bt_consolidation_keys;
    const size_t count = named == BT_CONTRACT_OBJECT_EVIDENCE        ? BT_EVIDENCE_KEYS
                         : named == BT_CONTRACT_OBJECT_CONSOLIDATION ? BT_CONSOLIDATION_KEYS
                                                                     : 0;
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(bt_code_name(keys[i].code), name)) {
            return bt_contract_check_get(check, object, keys[i].name) == NULL;
        }
    }
    return false;
}

static bt_str name_at(const void *names, size_t index)
{
    return bt_str_of(((const struct bt_contract_object_row *)names)->names[index]);
}

/* Names that other senders use, and the member that they mean. */
static const struct contract_other_name {
    const char *name;
    enum bt_contract_object object; /* that has the member */
    const char *member;
} other_names[] = {
    {"status", BT_CONTRACT_OBJECT_STATUS, "plan_status"},
    {"state", BT_CONTRACT_OBJECT_STATUS, "plan_status"},
    {"id", BT_CONTRACT_OBJECT_STATUS, "agent_id"},
    {"steps", BT_CONTRACT_OBJECT_STATUS, "pending_steps"},
    {"todo", BT_CONTRACT_OBJECT_STATUS, "pending_steps"},
    {"remaining", BT_CONTRACT_OBJECT_STATUS, "pending_steps"},
    {"next", BT_CONTRACT_OBJECT_STATUS, "next_action"},
    {"next_step", BT_CONTRACT_OBJECT_STATUS, "next_action"},
    {"next_steps", BT_CONTRACT_OBJECT_STATUS, "next_action"},
    {"evidence", BT_CONTRACT_OBJECT_ROOT, "evidence_report"},
    {"commands", BT_CONTRACT_OBJECT_EVIDENCE, "commands_run"},
    {"files", BT_CONTRACT_OBJECT_EVIDENCE, "files_checked"},
    {"files_read", BT_CONTRACT_OBJECT_EVIDENCE, "files_checked"},
    {"files_modified", BT_CONTRACT_OBJECT_EVIDENCE, "files_changed"},
    {"changed_files", BT_CONTRACT_OBJECT_EVIDENCE, "files_changed"},
    {"modified_files", BT_CONTRACT_OBJECT_EVIDENCE, "files_changed"},
    {"outputs", BT_CONTRACT_OBJECT_EVIDENCE, "key_outputs"},
    {"gaps", BT_CONTRACT_OBJECT_EVIDENCE, "open_gaps"},
    {"verified", BT_CONTRACT_OBJECT_EVIDENCE, "verification"},
    {"summary", BT_CONTRACT_OBJECT_ROOT, "user_facing_summary"},
    {"approval", BT_CONTRACT_OBJECT_ROOT, "approval_request"},
    {"command", BT_CONTRACT_OBJECT_APPROVAL, "exact_content"},
    {"risk", BT_CONTRACT_OBJECT_APPROVAL, "risk_level"},
};

/* The member that a name of another sender means: its name where it stands in the right object or
 * in one that has such a member too, else its pointer; "" when the name is not one of them. */
static enum bt_status find_other_name(struct bt_contract_check *check,
                                      enum bt_contract_object named, bt_str name, bt_str *out)
{
    for (size_t i = 0; i < BT_COUNT_OF(other_names); i++) {
        const struct contract_other_name *other = &other_names[i];
        if (!bt_str_eq(name, bt_str_of(other->name))) {
            continue;
        }
        *out = bt_str_of(other->member);
        return named != BT_CONTRACT_OBJECT_ROOT && has_member_name(&bt_named_objects[named], *out)
                   ? BT_OK
                   : bt_arena_printf(check->arena, out, "%s/%s",
                                     bt_named_objects[other->object].pointer, other->member);
    }
    return BT_OK;
}

/* The pointer where the name belongs, or a name that is like it, or "". */
static enum bt_status find_suggestion(struct bt_contract_check *check,
                                      enum bt_contract_object named, bt_str name, bt_str *out)
{
    for (unsigned i = BT_CONTRACT_OBJECT_ROOT; i < BT_CONTRACT_OBJECT_UPDATE; i++) {
        if (has_member_name(&bt_named_objects[i], name)) {
            return bt_arena_printf(check->arena, out, "%s/%.*s", bt_named_objects[i].pointer,
                                   BT_STR_ARG(name));
        }
    }
    BT_TRY(find_other_name(check, named, name, out));
    if (out->len > 0) {
        return BT_OK;
    }
    const struct bt_contract_object_row *siblings = &bt_named_objects[named];
    const size_t nearest = bt_nearest_word(name, name_at, siblings, siblings->count);
    *out = nearest < siblings->count ? name_at(siblings, nearest) : BT_STR("");
    return BT_OK;
}

static enum bt_status add_unknown_member_finding(struct bt_contract_check *check,
                                                 enum bt_contract_object named,
                                                 const struct bt_json_member *member)
{
    const bt_str name = bt_json_name(member);
    bt_str meant = BT_STR("");
    BT_TRY(find_suggestion(check, named, name, &meant));
    return bt_add_unknown_field(check->findings, bt_contract_locate(check, &member->value), name,
                                meant.len > 0 ? meant : BT_STR_ABSENT,
                                bt_str_starts_with(meant, BT_STR("/")));
}

static enum bt_status check_object(struct bt_contract_check *check, enum bt_contract_object named,
                                   const bt_json_value *object)
{
    for (size_t i = 0; bt_json_members(object) && i < bt_json_count(object); i++) {
        const struct bt_json_member *member = &bt_json_members(object)[i];
        const bt_str name = bt_json_name(member);
        if (!has_member_name(&bt_named_objects[named], name) && !is_own(name) &&
            &member->value != check->parts.status_word &&
            !is_other_spelling(check, named, object, name)) {
            BT_TRY(add_unknown_member_finding(check, named, member));
        }
    }
    return BT_OK;
}

/* A member of the root that has named members of its own. */
static enum bt_status check_part(struct bt_contract_check *check,
                                 const struct bt_json_member *member)
{
    const bt_str name = bt_json_name(member);
    for (unsigned i = BT_CONTRACT_OBJECT_STATUS; i <= BT_CONTRACT_OBJECT_LOOP; i++) {
        if (bt_str_eq(name, bt_str_of(bt_named_objects[i].pointer + 1))) {
            return check_object(check, (enum bt_contract_object)i, &member->value);
        }
    }
    if (bt_str_eq(name, BT_STR("update_contracts"))) {
        const bt_json_value *updates = &member->value;
        for (size_t i = 0; bt_json_items(updates) && i < bt_json_count(updates); i++) {
            BT_TRY(check_object(check, BT_CONTRACT_OBJECT_UPDATE, &bt_json_items(updates)[i]));
        }
    }
    return BT_OK;
}

static bool is_passed_over(bt_str name)
{
    static const bt_str names[] = {BT_STR_INIT("work_phase"), BT_STR_INIT("failure_report"),
                                   BT_STR_INIT("report_prose"), BT_STR_INIT("memory_delta")};
    return bt_str_is_one_of(name, names);
}

static enum bt_status check_root_member(struct bt_contract_check *check,
                                        const struct bt_json_member *member)
{
    const bt_str name = bt_json_name(member);
    if (is_passed_over(name)) {
        return bt_add_advisory_ignored_newer(check->findings,
                                             bt_contract_locate(check, &member->value), name);
    }
    return has_member_name(&bt_named_objects[BT_CONTRACT_OBJECT_ROOT], name) || is_own(name)
               ? BT_OK
               : add_unknown_member_finding(check, BT_CONTRACT_OBJECT_ROOT, member);
}

/* Everything in the order of the document, so that the first hundred are the first hundred. */
enum bt_status bt_contract_check_members(struct bt_contract_check *check)
{
    for (size_t i = 0; bt_json_members(check->root) && i < bt_json_count(check->root); i++) {
        const struct bt_json_member *member = &bt_json_members(check->root)[i];
        BT_TRY(check_root_member(check, member));
        BT_TRY(check_part(check, member));
    }
    return BT_OK;
}

enum bt_status bt_contract_check_marks(struct bt_contract_check *check)
{
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value walked;
    bt_json_walk_begin(&walk, check->root);
    while (bt_json_walk_next(&walk, &walked)) {
        const bt_str text = bt_json_text(walked.value);
        if (bt_str_find(text, BT_STR("<FILL:")) < text.len) {
            BT_TRY(
                bt_add_template_unfilled(check->findings, bt_contract_locate(check, walked.value)));
        }
    }
    return BT_OK;
}

const struct bt_contract_report_key bt_evidence_keys[BT_EVIDENCE_KEYS] = {
    {"patterns_checked", BT_CODE_PATTERNS_CHECKED, bt_add_patterns_checked},
    {"files_checked", BT_CODE_FILES_CHECKED, bt_add_files_checked},
    {"commands_run", BT_CODE_COMMANDS_RUN, bt_add_commands_run},
    {"key_outputs", BT_CODE_KEY_OUTPUTS, bt_add_key_outputs},
    {"verbatim_outputs", BT_CODE_VERBATIM_OUTPUTS, bt_add_verbatim_outputs},
    {"cross_layer_impacts", BT_CODE_CROSS_LAYER_IMPACTS, bt_add_cross_layer_impacts},
    {"open_gaps", BT_CODE_OPEN_GAPS, bt_add_open_gaps},
};

const struct bt_contract_report_key bt_consolidation_keys[BT_CONSOLIDATION_KEYS] = {
    {"ownership_assessment", BT_CODE_OWNERSHIP_ASSESSMENT, NULL},
    {"confirmed_findings", BT_CODE_CONFIRMED_FINDINGS, bt_add_confirmed_findings},
    {"suspected_findings", BT_CODE_SUSPECTED_FINDINGS, bt_add_suspected_findings},
    {"conflicts", BT_CODE_CONFLICTS, bt_add_conflicts},
    {"open_gaps", BT_CODE_OPEN_GAPS, bt_add_open_gaps},
    {"next_best_agent", BT_CODE_NEXT_BEST_AGENT, NULL},
};

static const char *const root[] = {
    "agent_status",       "evidence_report",     "consolidation_report",
    "approval_request",   "loop_state",          "user_facing_summary",
    "memory_suggestions", "update_contracts",    "memorialize_suggestions",
    "rollback_executed",  "context_consumption",
};
static const char *const status[] = {"plan_status", "agent_id", "pending_steps", "next_action"};
static const char *const evidence[] = {
    "patterns_checked",    "files_checked", "commands_run", "key_outputs",   "verbatim_outputs",
    "cross_layer_impacts", "open_gaps",     "verification", "files_changed",
};
static const char *const consolidation[] = {
    "ownership_assessment", "confirmed_findings", "suspected_findings", "conflicts", "open_gaps",
    "next_best_agent",
};
static const char *const approval[] = {
    "operation",    "exact_content", "scope",     "risk_level",  "rollback",
    "verification", "approval_id",   "rationale", "command_set",
};
static const char *const loop[] = {
    "iteration", "max_iterations", "metric", "threshold", "direction",
};
static const char *const update[] = {"contract", "payload"};

#define NAMED(pointer, names)                                                                      \
    {                                                                                              \
        (pointer), (names), sizeof(names) / sizeof((names)[0])                                     \
    }

const struct bt_contract_object_row bt_named_objects[BT_CONTRACT_OBJECT__MAX] = {
    [BT_CONTRACT_OBJECT_ROOT] = NAMED("", root),
    [BT_CONTRACT_OBJECT_STATUS] = NAMED("/agent_status", status),
    [BT_CONTRACT_OBJECT_EVIDENCE] = NAMED("/evidence_report", evidence),
    [BT_CONTRACT_OBJECT_CONSOLIDATION] = NAMED("/consolidation_report", consolidation),
    [BT_CONTRACT_OBJECT_APPROVAL] = NAMED("/approval_request", approval),
    [BT_CONTRACT_OBJECT_LOOP] = NAMED("/loop_state", loop),
    [BT_CONTRACT_OBJECT_UPDATE] = NAMED("/update_contracts", update),
};
