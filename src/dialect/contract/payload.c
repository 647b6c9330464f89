/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - the payload of an update: live state, references to other repositories, credentials.
 */
#include "dialect/contract/payload.h"

#include <assert.h>

#include "dialect/contract/address.h"

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper */

static enum bt_status add_live_state_finding(struct bt_contract_check *turn,
                                             const bt_json_value *value)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "LIVE_STATE", value);
    remark.finding.hint = BT_STR("leave it out, and look it up when it is needed");
    return bt_contract_check_add_finding(turn, &remark);
}

/* No output shows the string. */
static enum bt_status redact_value(struct bt_contract_check *turn, const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(turn->document, value);
    return bt_contract_check_redact(turn, span.begin + 1, span.end - 1);
}

static enum bt_status add_reference_finding(struct bt_contract_check *turn,
                                            const bt_json_value *value,
                                            const struct bt_repo_address *address)
{
    const bool secret = (address->dropped & BT_REPO_ADDRESS_REMOVED_CREDENTIALS) != 0;
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "CROSS_REPO_REF", value);
    bt_buf_put_text(&remark.message, "the reference is written ");
    bt_buf_put_quoted(&remark.message, address->canonical);
    bt_buf_put_text(&remark.message, secret ? "; it also carried a secret" : "");
    bt_emit_member_string(&remark.emit, "canonical", address->canonical);
    remark.finding.security = secret;
    remark.finding.hint = secret ? BT_STR("remove the secret and change it: it has been seen; "
                                          "--fix writes the canonical form")
                                 : BT_STR("write the canonical form, or use --fix");
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    if (secret) {
        BT_TRY(redact_value(turn, value));
    }
    return bt_contract_check_add_string_edit(turn, "CROSS_REPO_REF", value, address->canonical);
}

static enum bt_status add_credential_finding(struct bt_contract_check *turn,
                                             const bt_json_value *value)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "CREDENTIAL_IN_PAYLOAD", value);
    remark.finding.hint =
        BT_STR("remove the user part of the address, and change the secret: it has been seen");
    BT_TRY(redact_value(turn, value));
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status check_string(struct bt_contract_check *turn, const bt_json_value *value)
{
    const bt_str text = bt_json_text(value);
    const struct bt_arena_mark before = bt_arena_mark(turn->arena);
    struct bt_repo_address address;
    BT_TRY(bt_repo_reference_parse(turn->arena, text, &address));
    if (address.valid && !bt_str_eq(address.canonical, text)) {
        return add_reference_finding(turn, value, &address);
    }
    bt_arena_rewind(turn->arena, before);
    size_t begin = 0;
    size_t end = 0;
    const bool secret = !address.valid && bt_contract_next_secret(text, 0, &begin, &end);
    return secret ? add_credential_finding(turn, value) : BT_OK;
}

static enum bt_status check_value(struct bt_contract_check *turn, bt_str name,
                                  const bt_json_value *value)
{
    if (bt_contract_is_live_state(name, value)) {
        BT_TRY(add_live_state_finding(turn, value));
    }
    return bt_json_type(value) == BT_JSON_STRING ? check_string(turn, value) : BT_OK;
}

/* A container whose children are visited. */
struct contract_payload_visit {
    const bt_json_value *container;
    size_t next;
};

enum bt_status bt_contract_check_payload(struct bt_contract_check *turn,
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
        BT_TRY(check_value(turn, name, value));
        if (bt_json_count(value) > 0) {
            assert(depth < DEPTH_MAX);
            visits[depth++] = (struct contract_payload_visit){value, 0};
        }
    }
    return BT_OK;
}
