/* SPDX-License-Identifier: Apache-2.0 */
/*
 * updates.c - update_contracts: form, repetition, permission, payloads.
 */

#include <assert.h>

#include "base/str.h"
#include "dialect/contract/contract_check.h"
#include "report/sort.h"

enum { NAME_BYTES_MAX = 128, NAMES_SHOWN = 20 };

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

static bool is_writable(const struct bt_contract_check *check, bt_str name)
{
    const struct bt_contract_input *input = check->options->input;
    return input &&
           bt_str_index_in(name, input->writable, input->writable_count) < input->writable_count;
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
        .is_dropped = is_name(contract) && !is_writable(check, bt_json_text(contract)) &&
                      !check->options->rejects_off_list,
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

/* The contract of an entry that would be merged, or "". */
static bt_str counted_name(const struct bt_contract_update *update)
{
    return update->contract && update->payload && !update->is_dropped
               ? bt_json_text(update->contract)
               : BT_STR("");
}

static int compare_names(const void *context, size_t a, size_t b)
{
    const struct bt_contract_update *updates = context;
    return bt_str_compare(counted_name(&updates[a]), counted_name(&updates[b]));
}

/* Mark the entries whose contract an earlier one that is merged names. */
static enum bt_status find_repeated(struct bt_contract_check *check,
                                    const struct bt_contract_update *updates, size_t count,
                                    bool *repeated)
{
    const size_t *order = NULL;
    BT_TRY(bt_sort_indices_new(check->arena, count, compare_names, updates, &order));
    for (size_t i = 1; i < count; i++) {
        repeated[order[i]] = counted_name(&updates[order[i]]).len > 0 &&
                             compare_names(updates, order[i - 1], order[i]) == 0;
    }
    return BT_OK;
}

/* Says which sections could be written, as far as that is not too long. */
static enum bt_status add_off_list_finding(struct bt_contract_check *check,
                                           const struct bt_contract_update *update)
{
    const struct bt_contract_input *input = check->options->input;
    const size_t count = input ? input->writable_count : 0;
    const size_t shown = count < NAMES_SHOWN ? count : NAMES_SHOWN;
    bt_str left_out = BT_STR_ABSENT;
    if (count > shown) {
        BT_TRY(bt_arena_printf(check->arena, &left_out, "%zu", count - shown));
    }
    return bt_add_update_contracts_not_writable(
        check->findings, update->is_dropped ? BT_SEVERITY_WARN : BT_SEVERITY_HARD,
        bt_contract_locate(check, update->contract), bt_json_text(update->contract),
        (struct bt_str_list){input ? input->writable : NULL, shown}, count > 0, left_out,
        update->is_dropped);
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
        BT_TRY(add_off_list_finding(check, update));
    }
    return update->payload ? bt_contract_check_payload(check, update->payload, !update->is_dropped)
                           : BT_OK;
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
