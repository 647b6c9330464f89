/* SPDX-License-Identifier: Apache-2.0 */
/* peer_keys.c - `ledger.peers`: servers that cosign this log, and whose logs we cosign. */
#include "config/peer_keys.h"

#include <assert.h>

#include <baton/json.h>

#include "base/ascii.h"
#include "config/row_macros.h"
#include "proof/vkey.h"
#include "report/rules.h"

enum {
    NAME_BYTES_MAX = 64,
    TOKENS_MAX = 1000,
};

static bool is_peer_name(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!bt_ascii_is_alnum(byte) && byte != '.' && byte != '_' && byte != '-') {
            return false;
        }
    }
    return text.len > 0 && text.len <= NAME_BYTES_MAX;
}

static bool is_witness_key(bt_str text)
{
    struct bt_vkey vkey;
    return bt_vkey_parse(text, BT_KEY_WITNESS, &vkey, NULL) == BT_OK;
}

static bool is_log_key(bt_str text)
{
    struct bt_vkey vkey;
    return bt_vkey_parse(text, BT_KEY_LOG, &vkey, NULL) == BT_OK;
}

/* clang-format off */
const struct bt_config_row bt_config_peer_rows[6] = {
    FORMED("name", BT_CONFIG_TEXT, is_peer_name, "1 to 64 of [A-Za-z0-9._-]")},
    FORMED("url", BT_CONFIG_TEXT, bt_config_is_hook_url,
        "an http or https URL without a user and a fragment")},
    FORMED("vkey", BT_CONFIG_TEXT, is_witness_key, "the vkey of a witness, of type 04")},
    FORMED("log", BT_CONFIG_TEXT, is_log_key, "the vkey of a log, of type 01")},
    FORMED("monitor", BT_CONFIG_TEXT, bt_config_is_hook_url,
        "an http or https URL without a user and a fragment")},
    FORMED("tokens", BT_CONFIG_LIST, NULL, "names of tokens"), .list.count_max = TOKENS_MAX},
};
/* clang-format on */

enum bt_status bt_config_peer(const struct bt_config *config, size_t index, struct bt_arena *arena,
                              struct bt_config_peer *out)
{
    const struct bt_yaml_node *list =
        bt_config_value(config, bt_config_row(BT_STR("ledger.peers")));
    assert(index < list->count);
    const struct bt_yaml_node *tokens = bt_yaml_get(&list->items[index], BT_STR("tokens"));
    const size_t count = tokens && tokens->kind == BT_YAML_SEQUENCE ? tokens->count : 0;
    bt_str *names = BT_NEW_ARRAY(arena, bt_str, count + 1);
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        names[i] = tokens->items[i].text;
    }
    *out = (struct bt_config_peer){
        .name = bt_config_item_member(config, "ledger.peers", index, "name"),
        .url = bt_config_item_member(config, "ledger.peers", index, "url"),
        .monitor = bt_config_item_member(config, "ledger.peers", index, "monitor"),
        .vkey = bt_config_item_member(config, "ledger.peers", index, "vkey"),
        .log = bt_config_item_member(config, "ledger.peers", index, "log"),
        .tokens = {names, count},
    };
    out->monitor = out->monitor.len > 0 ? out->monitor : out->url;
    return BT_OK;
}

/* Add a finding when an item before this one has the same value. */
static enum bt_status judge_member(const struct bt_yaml_node *list, size_t index, bt_str member,
                                   struct bt_findings *findings)
{
    const struct bt_yaml_node *mine = bt_yaml_get(&list->items[index], member);
    for (size_t i = 0; mine && i < index; i++) {
        const struct bt_yaml_node *other = bt_yaml_get(&list->items[i], member);
        if (other && bt_str_eq(mine->text, other->text)) {
            struct bt_arena *arena = bt_findings_arena(findings);
            bt_str keys[2];
            bt_str pointer;
            BT_TRY(
                bt_arena_printf(arena, &keys[0], "ledger.peers.%zu.%.*s", i, BT_STR_ARG(member)));
            BT_TRY(bt_arena_printf(arena, &keys[1], "ledger.peers.%zu.%.*s", index,
                                   BT_STR_ARG(member)));
            BT_TRY(bt_arena_printf(arena, &pointer, "/ledger/peers/%zu/%.*s", index,
                                   BT_STR_ARG(member)));
            return bt_add_config_conflict(findings, bt_location_pointer(pointer, mine->offset),
                                          (struct bt_str_list){keys, 2},
                                          BT_CONFIG_CONFLICT_KIND_SAME_PEER);
        }
    }
    return BT_OK;
}

enum bt_status bt_config_judge_peers(const struct bt_config *config, struct bt_findings *findings)
{
    static const bt_str members[] = {BT_STR_INIT("name"), BT_STR_INIT("vkey"), BT_STR_INIT("log")};
    const struct bt_yaml_node *list =
        bt_config_value(config, bt_config_row(BT_STR("ledger.peers")));
    for (size_t i = 1; i < list->count; i++) {
        for (size_t j = 0; j < sizeof(members) / sizeof(members[0]); j++) {
            BT_TRY(judge_member(list, i, members[j], findings));
        }
    }
    return BT_OK;
}
