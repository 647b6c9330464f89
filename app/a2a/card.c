/* SPDX-License-Identifier: Apache-2.0 */
/* card.c - the agent card of Baton. The agents behind it are not listed. */
#include "a2a/a2a_internal.h"
#include "operation/table.h"

static void put_interface(struct bt_emit *emit, const struct a2a_card *card, const char *binding)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "url", card->url);
    bt_emit_member_string(emit, "protocolBinding", bt_str_of(binding));
    bt_emit_member_string(emit, "protocolVersion", BT_STR("1.0"));
    bt_emit_end(emit);
}

static void put_skills(struct bt_emit *emit)
{
    bt_emit_member_array(emit, "skills");
    for (size_t i = 0; i < BT_OPERATIONS_SKILLS_COUNT; i++) {
        const struct bt_operation_skill *skill = &bt_operations[bt_operations_skills[i]].skill;
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "id", bt_str_of(skill->id));
        bt_emit_member_string(emit, "name", bt_str_of(skill->name));
        bt_emit_member_string(emit, "description", bt_str_of(skill->description));
        bt_emit_member_raw(emit, "tags", BT_STR("[\"handoff\"]"));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/*
 * Whether members with default or empty values are written; A2A gives an omitted member the same
 * meaning.
 */
enum a2a_card_defaults { A2A_CARD_DEFAULTS_WRITTEN = 1, A2A_CARD_DEFAULTS_OMITTED };

static void put_capabilities(struct bt_emit *emit, enum a2a_card_defaults defaults)
{
    struct bt_emit extensions;
    bt_emit_member_raw(emit, "capabilities",
                       BT_STR("{\"streaming\":true,\"pushNotifications\":false,"
                              "\"extendedAgentCard\":false,\"extensions\":"));
    bt_emit_init(&extensions, emit->buf, false);
    a2a_put_extension_cards(&extensions, defaults == A2A_CARD_DEFAULTS_WRITTEN);
    bt_buf_put_char(emit->buf, '}');
}

static void put_security(struct bt_emit *emit, enum a2a_card_defaults defaults)
{
    bt_emit_member_raw(emit, "securitySchemes",
                       BT_STR("{\"bearer\":{\"httpAuthSecurityScheme\":{\"scheme\":\"Bearer\"}}}"));
    if (defaults == A2A_CARD_DEFAULTS_WRITTEN) {
        bt_emit_member_raw(emit, "securityRequirements",
                           BT_STR("[{\"schemes\":{\"bearer\":{\"list\":[]}}}]"));
    }
}

static void put_card(struct bt_buf *out, const struct a2a_card *card,
                     enum a2a_card_defaults defaults)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "name", card->name);
    bt_emit_member_string(&emit, "description", card->description);
    bt_emit_member_string(&emit, "version", bt_str_of(bt_version()));
    bt_emit_member_array(&emit, "supportedInterfaces");
    put_interface(&emit, card, "JSONRPC");
    put_interface(&emit, card, "HTTP+JSON");
    bt_emit_end(&emit);
    put_capabilities(&emit, defaults);
    bt_emit_member_raw(&emit, "defaultInputModes",
                       BT_STR("[\"application/json\",\"text/markdown\",\"text/plain\","
                              "\"text/csv\",\"application/xml\"]"));
    bt_emit_member_raw(&emit, "defaultOutputModes", BT_STR("[\"application/json\"]"));
    put_skills(&emit);
    if (card->has_tokens) {
        put_security(&emit, defaults);
    }
    if (card->signatures.len > 0) {
        bt_emit_member_raw(&emit, "signatures", card->signatures);
    }
    bt_emit_end(&emit);
}

void a2a_put_card(struct bt_buf *out, const struct a2a_card *card)
{
    put_card(out, card, A2A_CARD_DEFAULTS_WRITTEN);
}

/* ---- Signatures ------------------------------------------------------------------------------ */

enum { CARD_BYTES_MAX = 1 << 20 };

/* Put the RFC 8785 form of a JSON text that this file made. */
static enum bt_status put_canonical(struct bt_arena *arena, bt_str text, struct bt_buf *out)
{
    struct bt_json_read_result read;
    BT_TRY(bt_json_read(arena, text, NULL, &read));
    if (!read.document) {
        return BT_EINVAL;
    }
    return bt_json_write(out, read.document, bt_json_root(read.document), BT_JSON_FORM_CANONICAL,
                         arena, NULL);
}

static enum bt_status sign_card(struct bt_arena *arena, const struct a2a_card *card,
                                enum a2a_card_defaults defaults, struct bt_ledger *ledger,
                                struct bt_buf *out)
{
    struct a2a_card bare = *card;
    struct bt_buf text;
    struct bt_buf canonical;
    struct bt_error why;
    bare.signatures = BT_STR("");
    bt_buf_init(&text, CARD_BYTES_MAX);
    bt_buf_init(&canonical, CARD_BYTES_MAX);
    put_card(&text, &bare, defaults);
    enum bt_status status = text.status;
    if (status == BT_OK) {
        status = put_canonical(arena, bt_buf_str(&text), &canonical);
    }
    if (status == BT_OK) {
        status = bt_ledger_sign_jws(ledger, bt_buf_str(&canonical), out, &why);
    }
    bt_buf_free(&canonical);
    bt_buf_free(&text);
    return status;
}

/*
 * A2A 1.0, 8.4.1, omits members with default values from what is signed, and verifiers remove them
 * first. A second signature is for verifiers that take the card as it is.
 */
enum bt_status a2a_sign_card(struct bt_arena *arena, const struct a2a_card *card,
                             struct bt_ledger *ledger, struct bt_buf *out)
{
    bt_buf_put_char(out, '[');
    BT_TRY(sign_card(arena, card, A2A_CARD_DEFAULTS_OMITTED, ledger, out));
    bt_buf_put_char(out, ',');
    BT_TRY(sign_card(arena, card, A2A_CARD_DEFAULTS_WRITTEN, ledger, out));
    bt_buf_put_char(out, ']');
    return out->status;
}
