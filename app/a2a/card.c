/* SPDX-License-Identifier: Apache-2.0 */
/* card.c - the agent card of Baton. The agents behind it are not listed. */
#include "a2a/a2a_internal.h"
#include "json/builder.h"
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
    static const bt_str tag = BT_STR_INIT("handoff");
    bt_emit_member_array(emit, "skills");
    for (size_t i = 0; i < BT_OPERATIONS_SKILLS_COUNT; i++) {
        const struct bt_operation_skill *skill = &bt_operations[bt_operations_skills[i]].skill;
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "id", bt_str_of(skill->id));
        bt_emit_member_string(emit, "name", bt_str_of(skill->name));
        bt_emit_member_string(emit, "description", bt_str_of(skill->description));
        bt_emit_member_texts(emit, "tags", &tag, 1);
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
    bt_emit_member_object(emit, "capabilities");
    bt_emit_member_bool(emit, "streaming", true);
    bt_emit_member_bool(emit, "pushNotifications", false);
    bt_emit_member_bool(emit, "extendedAgentCard", false);
    a2a_put_extension_cards(emit, defaults == A2A_CARD_DEFAULTS_WRITTEN);
    bt_emit_end(emit);
}

static void put_security(struct bt_emit *emit, enum a2a_card_defaults defaults)
{
    bt_emit_member_object(emit, "securitySchemes");
    bt_emit_member_object(emit, "bearer");
    bt_emit_member_object(emit, "httpAuthSecurityScheme");
    bt_emit_member_string(emit, "scheme", BT_STR("Bearer"));
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
    if (defaults == A2A_CARD_DEFAULTS_WRITTEN) {
        bt_emit_member_array(emit, "securityRequirements");
        bt_emit_begin_object(emit);
        bt_emit_member_object(emit, "schemes");
        bt_emit_member_object(emit, "bearer");
        bt_emit_member_texts(emit, "list", NULL, 0);
        bt_emit_end(emit);
        bt_emit_end(emit);
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
}

static void put_card(struct bt_emit *emit, const struct a2a_card *card,
                     enum a2a_card_defaults defaults)
{
    static const bt_str modes[] = {BT_STR_INIT("application/json"), BT_STR_INIT("text/markdown"),
                                   BT_STR_INIT("text/plain"), BT_STR_INIT("text/csv"),
                                   BT_STR_INIT("application/xml")};
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", card->name);
    bt_emit_member_string(emit, "description", card->description);
    bt_emit_member_string(emit, "version", bt_str_of(bt_version()));
    bt_emit_member_array(emit, "supportedInterfaces");
    put_interface(emit, card, "JSONRPC");
    put_interface(emit, card, "HTTP+JSON");
    bt_emit_end(emit);
    put_capabilities(emit, defaults);
    bt_emit_member_texts(emit, "defaultInputModes", modes, sizeof(modes) / sizeof(modes[0]));
    bt_emit_member_texts(emit, "defaultOutputModes", modes, 1);
    put_skills(emit);
    if (card->has_tokens) {
        put_security(emit, defaults);
    }
    if (card->signatures.len > 0) {
        bt_emit_member_raw(emit, "signatures", card->signatures);
    }
    bt_emit_end(emit);
}

void a2a_put_card(struct bt_buf *out, const struct a2a_card *card)
{
    struct bt_emit emit;
    bt_emit_init(&emit, out, false);
    put_card(&emit, card, A2A_CARD_DEFAULTS_WRITTEN);
}

/* ---- Signatures ------------------------------------------------------------------------------ */

enum { CARD_BYTES_MAX = 1 << 20 };

static enum bt_status sign_card(struct bt_arena *arena, const struct a2a_card *card,
                                enum a2a_card_defaults defaults, struct bt_ledger *ledger,
                                struct bt_buf *out)
{
    struct a2a_card bare = *card;
    struct bt_json_builder builder;
    const struct bt_json_doc *document = NULL;
    struct bt_buf canonical;
    struct bt_error why;
    bare.signatures = BT_STR("");
    put_card(bt_json_builder_begin(&builder, arena, NULL), &bare, defaults);
    BT_TRY(bt_json_builder_finish(&builder, BT_OK, &document));
    bt_buf_init(&canonical, CARD_BYTES_MAX);
    enum bt_status status = bt_json_write(&canonical, document, bt_json_root(document),
                                          BT_JSON_FORM_CANONICAL, arena, NULL);
    if (status == BT_OK) {
        status = bt_ledger_sign_jws(ledger, bt_buf_str(&canonical), out, &why);
    }
    bt_buf_free(&canonical);
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
