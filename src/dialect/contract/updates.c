/* SPDX-License-Identifier: Apache-2.0 */
/*
 * updates.c - update_contracts: form, repetition, permission, payloads.
 */
#include "dialect/contract/updates.h"

#include <assert.h>

#include "dialect/contract/payload.h"
#include "dialect/contract/stages.h"
#include "report/sort.h"

enum { NAME_BYTES_MAX = 128 };

static const bt_json_value *find_entries(const struct bt_contract_check *turn)
{
    const bt_json_value *updates = bt_contract_check_get(turn, turn->root, "update_contracts");
    return updates && bt_json_type(updates) == BT_JSON_ARRAY ? updates : NULL;
}

size_t bt_contract_updates_count(const struct bt_contract_check *turn)
{
    const bt_json_value *updates = turn->document ? find_entries(turn) : NULL;
    return updates ? bt_json_count(updates) : 0;
}

static bool has_control(bt_str text)
{
    for (size_t i = 0; i < text.len;) {
        uint32_t character = 0;
        i += bt_utf8_decode(text, i, &character);
        if (character < 0x20 || (character >= 0x7f && character < 0xa0)) {
            return true;
        }
    }
    return false;
}

static bool is_name(const bt_json_value *value)
{
    return bt_json_is_non_blank_string(value) && bt_json_text(value).len <= NAME_BYTES_MAX &&
           !has_control(bt_json_text(value));
}

struct bt_contract_update bt_contract_updates_at(const struct bt_contract_check *turn, size_t index)
{
    const bt_json_value *updates = find_entries(turn);
    assert(updates);
    assert(index < bt_json_count(updates));
    const bt_json_value *entry = &updates->as.items[index];
    const bt_json_value *contract = bt_contract_check_get(turn, entry, "contract");
    const bt_json_value *payload = bt_contract_check_get(turn, entry, "payload");
    return (struct bt_contract_update){
        .contract = is_name(contract) ? contract : NULL,
        .payload = payload && bt_json_type(payload) == BT_JSON_OBJECT ? payload : NULL,
    };
}

static enum bt_status add_shape_finding(struct bt_contract_check *turn, const bt_json_value *value,
                                        const char *message, const char *property)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "UPDATE_CONTRACTS_SHAPE", value);
    bt_buf_put_text(&remark.message, message);
    bt_emit_member_string(&remark.emit, "property", bt_str_of(property));
    remark.finding.hint = BT_STR("an entry is {\"contract\": NAME, \"payload\": {...}}");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status check_shape(struct bt_contract_check *turn, const bt_json_value *entry,
                                  const struct bt_contract_update *update)
{
    if (bt_json_type(entry) != BT_JSON_OBJECT) {
        return add_shape_finding(turn, entry, "an update is no object", "update_contracts");
    }
    if (!update->contract) {
        const bt_json_value *contract = bt_contract_check_get(turn, entry, "contract");
        BT_TRY(add_shape_finding(
            turn, contract ? contract : entry,
            "an update does not name its contract in at most 128 bytes of text", "contract"));
    }
    if (!update->payload) {
        const bt_json_value *payload = bt_contract_check_get(turn, entry, "payload");
        BT_TRY(add_shape_finding(turn, payload ? payload : entry,
                                 "an update has no object as its payload", "payload"));
    }
    return BT_OK;
}

static bool is_writable(const struct bt_contract_check *turn, bt_str name)
{
    const struct bt_contract_input *input = turn->options->input;
    for (size_t i = 0; input && i < input->writable_count; i++) {
        if (bt_str_eq(input->writable[i], name)) {
            return true;
        }
    }
    return false;
}

static enum bt_status add_not_writable_finding(struct bt_contract_check *turn,
                                               const bt_json_value *contract)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "UPDATE_CONTRACTS_NOT_WRITABLE", contract);
    bt_buf_put_text(&remark.message, "the section ");
    bt_buf_put_quoted(&remark.message, bt_json_text(contract));
    bt_buf_put_text(&remark.message, turn->options->input
                                         ? " is not among the sections that this agent may write"
                                         : " may not be written: no INPUT was given");
    bt_emit_member_string(&remark.emit, "contract", bt_json_text(contract));
    remark.finding.hint = BT_STR("drop the update, or ask for permission; the INPUT that permits "
                                 "is given with --input");
    return bt_contract_check_add_finding(turn, &remark);
}

static int compare_names(const void *context, size_t a, size_t b)
{
    const struct bt_contract_update *updates = context;
    const bt_str none = BT_STR("");
    return bt_str_compare(
        updates[a].payload && updates[a].contract ? bt_json_text(updates[a].contract) : none,
        updates[b].payload && updates[b].contract ? bt_json_text(updates[b].contract) : none);
}

static bool is_well_formed(const struct bt_contract_update *update)
{
    return update->contract && update->payload;
}

/* Mark the entries whose contract an earlier well-formed one names. */
static enum bt_status find_repeated(struct bt_contract_check *turn,
                                    const struct bt_contract_update *updates, size_t count,
                                    bool *repeated)
{
    size_t *order = BT_NEW_ARRAY(turn->arena, size_t, count);
    size_t *scratch = BT_NEW_ARRAY(turn->arena, size_t, count);
    if (!order || !scratch) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        order[i] = i;
    }
    bt_sort_indices(order, scratch, count, compare_names, updates);
    for (size_t i = 1; i < count; i++) {
        repeated[order[i]] = is_well_formed(&updates[order[i]]) &&
                             compare_names(updates, order[i - 1], order[i]) == 0;
    }
    return BT_OK;
}

static enum bt_status check_entry(struct bt_contract_check *turn, const bt_json_value *entry,
                                  const struct bt_contract_update *update, bool repeated)
{
    BT_TRY(check_shape(turn, entry, update));
    if (repeated) {
        struct bt_finding_builder remark;
        bt_contract_check_remark(turn, &remark, "UPDATE_CONTRACTS_DUPLICATE", entry);
        bt_contract_check_put_value(turn, &remark, update->contract);
        bt_emit_member_string(&remark.emit, "contract", bt_json_text(update->contract));
        remark.finding.hint =
            BT_STR("combine the updates of one contract; they are merged in order");
        BT_TRY(bt_contract_check_add_finding(turn, &remark));
    }
    if (update->contract && !is_writable(turn, bt_json_text(update->contract))) {
        BT_TRY(add_not_writable_finding(turn, update->contract));
    }
    return update->payload ? bt_contract_check_payload(turn, update->payload) : BT_OK;
}

enum bt_status bt_contract_check_updates(struct bt_contract_check *turn)
{
    const bt_json_value *updates = bt_contract_check_get(turn, turn->root, "update_contracts");
    const size_t count = bt_contract_updates_count(turn);
    if (!bt_json_is_absent_or_null(updates) && bt_json_type(updates) != BT_JSON_ARRAY) {
        return add_shape_finding(turn, updates, "update_contracts is no list", "update_contracts");
    }
    if (count == 0) {
        return BT_OK;
    }
    struct bt_contract_update *parts = BT_NEW_ARRAY(turn->arena, struct bt_contract_update, count);
    bool *repeated = BT_NEW_ARRAY(turn->arena, bool, count);
    if (!parts || !repeated) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        parts[i] = bt_contract_updates_at(turn, i);
    }
    BT_TRY(find_repeated(turn, parts, count, repeated));
    for (size_t i = 0; i < count; i++) {
        BT_TRY(check_entry(turn, &bt_json_items(updates)[i], &parts[i], repeated[i]));
    }
    return BT_OK;
}
