/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - the payload of an update: live state, references to other repositories, credentials.
 */
#include "dialect/contract/payload.h"

#include <assert.h>

#include "dialect/contract/address.h"

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper */

/* No output shows the string. */
static enum bt_status redact_value(struct bt_contract_check *check, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(check->document, value);
    return bt_contract_check_redact(check, span.begin + 1, span.end - 1);
}

static enum bt_status add_reference_finding(struct bt_contract_check *check,
                                            const bt_json_value *value,
                                            const struct bt_repo_address *address)
{
    const bool secret = (address->dropped & BT_REPO_ADDRESS_REMOVED_CREDENTIALS) != 0;
    BT_TRY(bt_add_cross_repo_ref(check->findings, secret, bt_contract_locate(check, value),
                                 address->canonical, secret));
    if (secret) {
        BT_TRY(redact_value(check, value));
    }
    return bt_contract_check_add_string_edit(check, BT_CODE_CROSS_REPO_REF, value,
                                             address->canonical);
}

static enum bt_status add_credential_finding(struct bt_contract_check *check,
                                             const bt_json_value *value)
{
    BT_TRY(redact_value(check, value));
    return bt_add_credential_in_payload(check->findings, bt_contract_locate(check, value));
}

static enum bt_status check_string(struct bt_contract_check *check, const bt_json_value *value)
{
    const bt_str text = bt_json_text(value);
    const struct bt_arena_mark before = bt_arena_mark(check->arena);
    struct bt_repo_address address;
    BT_TRY(bt_repo_reference_parse(check->arena, text, &address));
    if (address.valid && !bt_str_eq(address.canonical, text)) {
        return add_reference_finding(check, value, &address);
    }
    bt_arena_rewind(check->arena, before);
    size_t begin = 0;
    size_t end = 0;
    const bool secret = !address.valid && bt_contract_next_secret(text, 0, &begin, &end);
    return secret ? add_credential_finding(check, value) : BT_OK;
}

static enum bt_status check_value(struct bt_contract_check *check, bt_str name,
                                  const bt_json_value *value)
{
    if (bt_contract_is_live_state(name, value)) {
        BT_TRY(bt_add_live_state(check->findings, bt_contract_locate(check, value)));
    }
    return bt_json_type(value) == BT_JSON_STRING ? check_string(check, value) : BT_OK;
}

/* A container whose children are visited. */
struct contract_payload_visit {
    const bt_json_value *container;
    size_t next;
};

enum bt_status bt_contract_check_payload(struct bt_contract_check *check,
                                         const bt_json_value *payload)
{
    struct contract_payload_visit visits[DEPTH_MAX];
    size_t depth = 0;
    visits[depth++] = (struct contract_payload_visit){payload, 0};
    while (depth > 0) {
        struct contract_payload_visit *in = &visits[depth - 1];
        if (in->next == bt_json_count(in->container)) {
            depth--;
            continue;
        }
        const size_t index = in->next++;
        const struct bt_json_member *members = bt_json_members(in->container);
        const bt_json_value *items = bt_json_items(in->container);
        assert(members || items);
        const bt_json_value *value = members ? &members[index].value : &items[index];
        const bt_str name = members ? bt_json_name(&members[index]) : BT_STR("");
        BT_TRY(check_value(check, name, value));
        if (bt_json_count(value) > 0) {
            assert(depth < DEPTH_MAX);
            visits[depth++] = (struct contract_payload_visit){value, 0};
        }
    }
    return BT_OK;
}
