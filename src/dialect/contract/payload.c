/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payload.c - the payload of an update: live state, references to other repositories, credentials.
 */
#include "dialect/contract/payload.h"

#include <assert.h>

#include "dialect/contract/address.h"

enum { DEPTH_MAX = 1000 }; /* no document is nested deeper */

static enum bt_status say_live(struct bt_turn *turn, const bt_value *value)
{
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "LIVE_STATE", value);
    remark.finding.hint = BT_STR("leave it out, and look it up when it is needed");
    return bt_turn_say(turn, &remark);
}

/* No output shows the string. */
static enum bt_status hide(struct bt_turn *turn, const bt_value *value)
{
    const struct bt_json_span span = bt_json_span(turn->document, value);
    return bt_turn_hide(turn, span.begin + 1, span.end - 1);
}

static enum bt_status say_reference(struct bt_turn *turn, const bt_value *value,
                                    const struct bt_address *address)
{
    const bool secret = (address->dropped & BT_DROPPED_CREDENTIALS) != 0;
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "CROSS_REPO_REF", value);
    bt_buf_put_text(&remark.message, "the reference is written ");
    bt_put_quoted(&remark.message, address->canonical);
    bt_buf_put_text(&remark.message, secret ? "; it also carried a secret" : "");
    bt_emit_member_string(&remark.emit, "canonical", address->canonical);
    remark.finding.security = secret;
    remark.finding.hint = secret ? BT_STR("remove the secret and change it: it has been seen; "
                                          "--fix writes the canonical form")
                                 : BT_STR("write the canonical form, or use --fix");
    BT_TRY(bt_turn_say(turn, &remark));
    if (secret) {
        BT_TRY(hide(turn, value));
    }
    return bt_turn_mend_string(turn, "CROSS_REPO_REF", value, address->canonical);
}

static enum bt_status say_credential(struct bt_turn *turn, const bt_value *value)
{
    struct bt_remark remark;
    bt_turn_remark(turn, &remark, "CREDENTIAL_IN_PAYLOAD", value);
    remark.finding.hint =
        BT_STR("remove the user part of the address, and change the secret: it has been seen");
    BT_TRY(hide(turn, value));
    return bt_turn_say(turn, &remark);
}

static enum bt_status check_string(struct bt_turn *turn, const bt_value *value)
{
    const bt_str text = bt_json_text(value);
    const struct bt_arena_mark before = bt_arena_mark(turn->arena);
    struct bt_address address;
    BT_TRY(bt_reference_read(turn->arena, text, &address));
    if (address.valid && !bt_str_eq(address.canonical, text)) {
        return say_reference(turn, value, &address);
    }
    bt_arena_rewind(turn->arena, before);
    size_t begin = 0;
    size_t end = 0;
    const bool secret = !address.valid && bt_secret_next(text, 0, &begin, &end);
    return secret ? say_credential(turn, value) : BT_OK;
}

static enum bt_status check_value(struct bt_turn *turn, bt_str name, const bt_value *value)
{
    if (bt_is_live(name, value)) {
        BT_TRY(say_live(turn, value));
    }
    return bt_json_type(value) == BT_JSON_STRING ? check_string(turn, value) : BT_OK;
}

/* A container whose children are visited. */
struct visit {
    const bt_value *container;
    size_t next;
};

enum bt_status bt_payload_check(struct bt_turn *turn, const bt_value *payload)
{
    struct visit visits[DEPTH_MAX];
    size_t depth = 0;
    visits[depth++] = (struct visit){payload, 0};
    while (depth > 0) {
        struct visit *in = &visits[depth - 1];
        if (in->next == bt_json_count(in->container)) {
            depth--;
            continue;
        }
        const size_t index = in->next++;
        const struct bt_json_member *members = bt_json_members(in->container);
        const bt_value *items = bt_json_items(in->container);
        assert(members || items);
        const bt_value *value = members ? &members[index].value : &items[index];
        const bt_str name = members ? bt_json_name(&members[index]) : BT_STR("");
        BT_TRY(check_value(turn, name, value));
        if (bt_json_count(value) > 0) {
            assert(depth < DEPTH_MAX);
            visits[depth++] = (struct visit){value, 0};
        }
    }
    return BT_OK;
}
