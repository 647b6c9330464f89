/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card.c - what Baton says about itself to agents of others. The agents behind it are not listed.
 */
#include "a2a/inside.h"

static void put_interface(struct bt_emit *emit, const struct a2a_card *card, const char *binding)
{
    bt_emit_object(emit);
    bt_emit_member_string(emit, "url", card->url);
    bt_emit_member_string(emit, "protocolBinding", bt_str_of(binding));
    bt_emit_member_string(emit, "protocolVersion", BT_STR("1.0"));
    bt_emit_end(emit);
}

static void put_skills(struct bt_emit *emit)
{
    static const char *const skills[][3] = {
        {"check-handoff", "Check a handoff", "judges a handoff and records nothing"},
        {"repair-handoff", "Repair a handoff", "mends what can be mended, or asks a model"},
        {"submit-handoff", "Submit a handoff",
         "judges a handoff, records the decision and hands it on"},
    };
    bt_emit_name(emit, "skills");
    bt_emit_array(emit);
    for (size_t i = 0; i < sizeof(skills) / sizeof(skills[0]); i++) {
        bt_emit_object(emit);
        bt_emit_member_string(emit, "id", bt_str_of(skills[i][0]));
        bt_emit_member_string(emit, "name", bt_str_of(skills[i][1]));
        bt_emit_member_string(emit, "description", bt_str_of(skills[i][2]));
        bt_emit_name(emit, "tags");
        bt_emit_raw(emit, BT_STR("[\"handoff\"]"));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

void a2a_put_card(struct bt_buf *out, const struct a2a_card *card)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_object(&emit);
    bt_emit_member_string(&emit, "name", card->name);
    bt_emit_member_string(&emit, "description", card->description);
    bt_emit_member_string(&emit, "version", bt_str_of(bt_version()));
    bt_emit_name(&emit, "supportedInterfaces");
    bt_emit_array(&emit);
    put_interface(&emit, card, "JSONRPC");
    put_interface(&emit, card, "HTTP+JSON");
    bt_emit_end(&emit);
    bt_emit_name(&emit, "capabilities");
    bt_emit_raw(&emit, BT_STR("{\"streaming\":true,\"pushNotifications\":false,"
                              "\"extendedAgentCard\":false,\"extensions\":"));
    struct bt_emit extensions;
    bt_emit_init(&extensions, out, false);
    a2a_put_extension_cards(&extensions);
    bt_buf_put_char(out, '}');
    bt_emit_name(&emit, "defaultInputModes");
    bt_emit_raw(&emit, BT_STR("[\"application/json\",\"text/markdown\",\"text/plain\","
                              "\"text/csv\",\"application/xml\"]"));
    bt_emit_name(&emit, "defaultOutputModes");
    bt_emit_raw(&emit, BT_STR("[\"application/json\"]"));
    put_skills(&emit);
    if (card->has_tokens) {
        bt_emit_name(&emit, "securitySchemes");
        bt_emit_raw(&emit,
                    BT_STR("{\"bearer\":{\"httpAuthSecurityScheme\":{\"scheme\":\"Bearer\"}}}"));
        bt_emit_name(&emit, "securityRequirements");
        bt_emit_raw(&emit, BT_STR("[{\"schemes\":{\"bearer\":{\"list\":[]}}}]"));
    }
    bt_emit_end(&emit);
}
