/* SPDX-License-Identifier: Apache-2.0 */
/* members.c - members that no schema names, and where they probably belong. */
#include "dialect/contract/names.h"
#include "dialect/contract/stages.h"
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

/* Everything in the order of the document, so that the first hundred are the first hundred. */
enum bt_status bt_contract_check_members(struct bt_contract_check *check)
{
    for (size_t i = 0; bt_json_members(check->root) && i < bt_json_count(check->root); i++) {
        const struct bt_json_member *member = &bt_json_members(check->root)[i];
        if (!has_member_name(&bt_named_objects[BT_CONTRACT_OBJECT_ROOT], bt_json_name(member)) &&
            !is_own(bt_json_name(member))) {
            BT_TRY(add_unknown_member_finding(check, BT_CONTRACT_OBJECT_ROOT, member));
        }
        BT_TRY(check_part(check, member));
    }
    return BT_OK;
}
