/* SPDX-License-Identifier: Apache-2.0 */
/*
 * updates.c - update_contracts: form, repetition, permission, payloads.
 */

#include <assert.h>

#include "base/str.h"
#include "dialect/contract/contract_check.h"
#include "report/sort.h"

enum { NAME_BYTES_MAX = 128 };

static const bt_json_value *find_entries(const struct bt_contract_check *check)
{
    const bt_json_value *updates = bt_contract_check_get(check, check->root, "update_contracts");
    return updates && bt_json_type(updates) == BT_JSON_ARRAY ? updates : NULL;
}

size_t bt_contract_updates_count(const struct bt_contract_check *check)
{
    const bt_json_value *updates = check->document ? find_entries(check) : NULL;
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

struct bt_contract_update bt_contract_updates_at(const struct bt_contract_check *check,
                                                 size_t index)
{
    const bt_json_value *updates = find_entries(check);
    assert(updates);
    assert(index < bt_json_count(updates));
    const bt_json_value *entry = &updates->as.items[index];
    const bt_json_value *contract = bt_contract_check_get(check, entry, "contract");
    const bt_json_value *payload = bt_contract_check_get(check, entry, "payload");
    return (struct bt_contract_update){
        .contract = is_name(contract) ? contract : NULL,
        .payload = payload && bt_json_type(payload) == BT_JSON_OBJECT ? payload : NULL,
    };
}

static enum bt_status add_shape_finding(struct bt_contract_check *check, const bt_json_value *value,
                                        enum bt_update_contracts_shape_what what,
                                        const char *property)
{
    return bt_add_update_contracts_shape(check->findings, bt_contract_locate(check, value),
                                         bt_str_of(property), what);
}

static enum bt_status check_shape(struct bt_contract_check *check, const bt_json_value *entry,
                                  const struct bt_contract_update *update)
{
    if (bt_json_type(entry) != BT_JSON_OBJECT) {
        return add_shape_finding(check, entry, BT_UPDATE_CONTRACTS_SHAPE_WHAT_OBJECT,
                                 "update_contracts");
    }
    if (!update->contract) {
        const bt_json_value *contract = bt_contract_check_get(check, entry, "contract");
        BT_TRY(add_shape_finding(check, contract ? contract : entry,
                                 BT_UPDATE_CONTRACTS_SHAPE_WHAT_CONTRACT, "contract"));
    }
    if (!update->payload) {
        const bt_json_value *payload = bt_contract_check_get(check, entry, "payload");
        BT_TRY(add_shape_finding(check, payload ? payload : entry,
                                 BT_UPDATE_CONTRACTS_SHAPE_WHAT_PAYLOAD, "payload"));
    }
    return BT_OK;
}

static bool is_writable(const struct bt_contract_check *check, bt_str name)
{
    const struct bt_contract_input *input = check->options->input;
    return input &&
           bt_str_index_in(name, input->writable, input->writable_count) < input->writable_count;
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
static enum bt_status find_repeated(struct bt_contract_check *check,
                                    const struct bt_contract_update *updates, size_t count,
                                    bool *repeated)
{
    const size_t *order = NULL;
    BT_TRY(bt_sort_indices_new(check->arena, count, compare_names, updates, &order));
    for (size_t i = 1; i < count; i++) {
        repeated[order[i]] = is_well_formed(&updates[order[i]]) &&
                             compare_names(updates, order[i - 1], order[i]) == 0;
    }
    return BT_OK;
}

static enum bt_status check_entry(struct bt_contract_check *check, const bt_json_value *entry,
                                  const struct bt_contract_update *update, bool repeated)
{
    BT_TRY(check_shape(check, entry, update));
    if (repeated) {
        BT_TRY(bt_add_update_contracts_duplicate(check->findings, bt_contract_locate(check, entry),
                                                 bt_json_text(update->contract)));
    }
    if (update->contract && !is_writable(check, bt_json_text(update->contract))) {
        BT_TRY(bt_add_update_contracts_not_writable(
            check->findings, bt_contract_locate(check, update->contract),
            bt_json_text(update->contract), check->options->input != NULL));
    }
    return update->payload ? bt_contract_check_payload(check, update->payload) : BT_OK;
}

enum bt_status bt_contract_check_updates(struct bt_contract_check *check)
{
    const bt_json_value *updates = bt_contract_check_get(check, check->root, "update_contracts");
    const size_t count = bt_contract_updates_count(check);
    if (!bt_json_is_absent_or_null(updates) && bt_json_type(updates) != BT_JSON_ARRAY) {
        return add_shape_finding(check, updates, BT_UPDATE_CONTRACTS_SHAPE_WHAT_LIST,
                                 "update_contracts");
    }
    if (count == 0) {
        return BT_OK;
    }
    struct bt_contract_update *parts = BT_NEW_ARRAY(check->arena, struct bt_contract_update, count);
    bool *repeated = BT_NEW_ARRAY(check->arena, bool, count);
    BT_TRY(parts && repeated ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        parts[i] = bt_contract_updates_at(check, i);
    }
    BT_TRY(find_repeated(check, parts, count, repeated));
    for (size_t i = 0; i < count; i++) {
        BT_TRY(check_entry(check, &bt_json_items(updates)[i], &parts[i], repeated[i]));
    }
    return BT_OK;
}
