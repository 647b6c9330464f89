/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - what messages say about their senders, and the report of a session. */
#include <string.h>

#include "base/str.h"
#include "json/emit.h"
#include "json/get.h"
#include "wrap/recorder.h"
#include "wrap/session_internal.h"

enum { FACTS_BYTES_MAX = 64 << 20 };

static const bt_str METADATA_VERSION = BT_STR_INIT("io.modelcontextprotocol/protocolVersion");
static const bt_str METADATA_CLIENT = BT_STR_INIT("io.modelcontextprotocol/clientInfo");
static const bt_str METADATA_CAPABILITIES =
    BT_STR_INIT("io.modelcontextprotocol/clientCapabilities");
static const bt_str METADATA_SERVER = BT_STR_INIT("io.modelcontextprotocol/serverInfo");

static void set_text(struct bt_wrap_text *text, bt_str given)
{
    size_t size = given.len < BT_WRAP_TEXT_BYTES_MAX ? given.len : BT_WRAP_TEXT_BYTES_MAX;
    while (size > 0 && size < given.len && ((unsigned char)given.ptr[size] & 0xc0) == 0x80) {
        size--; /* no part of a character */
    }
    memcpy(text->bytes, given.ptr, size);
    text->size = size;
}

/* Set the text unless the message does not have it. */
static void take_text(struct bt_wrap_text *text, const struct bt_json_doc *document,
                      const bt_json_value *object, const char *name)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    if (value && bt_json_type(value) == BT_JSON_STRING) {
        set_text(text, bt_json_text(value));
    }
}

static enum bt_wrap_method method_of(bt_str method)
{
    static const bt_str names[] = {
        [BT_WRAP_METHOD_OTHER] = BT_STR_INIT(""),
        [BT_WRAP_METHOD_INITIALIZE] = BT_STR_INIT("initialize"),
        [BT_WRAP_METHOD_DISCOVER] = BT_STR_INIT("server/discover"),
        [BT_WRAP_METHOD_CALL] = BT_STR_INIT("tools/call"),
        [BT_WRAP_METHOD_LISTEN] = BT_STR_INIT("subscriptions/listen"),
        [BT_WRAP_METHOD_TASK_GET] = BT_STR_INIT("tasks/get"),
        [BT_WRAP_METHOD_TASK_RESULT] = BT_STR_INIT("tasks/result"),
    };
    const size_t index = bt_str_index_in(method, names, BT_COUNT_OF(names));
    return index < BT_COUNT_OF(names) ? (enum bt_wrap_method)index : BT_WRAP_METHOD_OTHER;
}

/* Whether the request is about an item or a list of them. */
static void note_kind(const struct bt_wrap_message *message, struct bt_wrap_request *request)
{
    static const bt_str uses[BT_WRAP_KINDS] = {
        [BT_WRAP_TOOL] = BT_STR_INIT("tools/call"),
        [BT_WRAP_PROMPT] = BT_STR_INIT("prompts/get"),
        [BT_WRAP_TEMPLATE] = BT_STR_INIT(""), /* a URI does not name its template */
        [BT_WRAP_RESOURCE] = BT_STR_INIT("resources/read"),
    };
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        const bool uses_item = bt_str_eq(message->method, uses[i]);
        const bool is_list =
            bt_str_eq(message->method, bt_wrap_kind_names((enum bt_wrap_kind)i)->method);
        if (uses_item || is_list) {
            request->kind = (enum bt_wrap_kind)i;
            request->uses_item = uses_item;
            request->is_list = is_list;
        }
    }
    request->is_first_page = !bt_json_get(message->document, message->params, BT_STR("cursor"));
}

/* True when a client with these capabilities can show a form to a person. */
static bool has_forms(const struct bt_json_doc *document, const bt_json_value *capabilities)
{
    const bt_json_value *elicitation = bt_json_get(document, capabilities, BT_STR("elicitation"));
    return elicitation && bt_json_type(elicitation) == BT_JSON_OBJECT &&
           (bt_json_count(elicitation) == 0 ||
            bt_json_get(document, elicitation, BT_STR("form")) != NULL);
}

/* A request that names its version in its metadata is modern; the handshake is legacy. */
void bt_wrap_note_request(struct bt_wrap_session *session, const struct bt_wrap_message *message,
                          struct bt_wrap_request *request)
{
    struct bt_wrap_facts *facts = &session->facts;
    const struct bt_json_doc *document = message->document;
    const bt_json_value *metadata = bt_json_get(document, message->params, BT_STR("_meta"));
    request->method = method_of(message->method);
    note_kind(message, request);
    if (request->method == BT_WRAP_METHOD_CALL) {
        request->call = ++facts->calls;
    }
    if (bt_json_get(document, metadata, METADATA_VERSION)) {
        facts->era = BT_WRAP_ERA_MODERN;
        request->is_modern = true;
        take_text(&facts->protocol, document, metadata, METADATA_VERSION.ptr);
        take_text(&facts->client, document, bt_json_get(document, metadata, METADATA_CLIENT),
                  "name");
        request->client_has_forms =
            has_forms(document, bt_json_get(document, metadata, METADATA_CAPABILITIES));
        return;
    }
    facts->era = BT_WRAP_ERA_LEGACY;
    request->client_has_forms = facts->client_has_forms;
    if (request->method == BT_WRAP_METHOD_INITIALIZE) {
        facts->client_has_forms =
            has_forms(document, bt_json_get(document, message->params, BT_STR("capabilities")));
        take_text(&facts->client, document,
                  bt_json_get(document, message->params, BT_STR("clientInfo")), "name");
    }
}

const bt_json_value *bt_wrap_server_info(const struct bt_wrap_message *message, bool is_handshake)
{
    const struct bt_json_doc *document = message->document;
    const bt_json_value *metadata = bt_json_get(document, message->result, BT_STR("_meta"));
    return is_handshake ? bt_json_get(document, message->result, BT_STR("serverInfo"))
                        : bt_json_get(document, metadata, METADATA_SERVER);
}

void bt_wrap_note_answer(struct bt_wrap_session *session, const struct bt_wrap_message *message,
                         const struct bt_wrap_request *request)
{
    struct bt_wrap_facts *facts = &session->facts;
    const struct bt_json_doc *document = message->document;
    const bool is_handshake = request->method == BT_WRAP_METHOD_INITIALIZE;
    const bt_json_value *server = bt_wrap_server_info(message, is_handshake);
    if (is_handshake) {
        take_text(&facts->protocol, document, message->result, "protocolVersion");
    }
    take_text(&facts->server_name, document, server, "name");
    take_text(&facts->server_version, document, server, "version");
}

/* ---- The report ------------------------------------------------------------------------------ */

static bt_str text_of(const struct bt_wrap_text *text)
{
    return (bt_str){text->bytes, text->size};
}

static void put_text_or_null(struct bt_emit *emit, const char *name,
                             const struct bt_wrap_text *text)
{
    if (text->size > 0) {
        bt_emit_member_string(emit, name, text_of(text));
    } else {
        bt_emit_member_null(emit, name);
    }
}

static void put_calls(struct bt_emit *emit, const struct bt_wrap_facts *facts)
{
    bt_emit_member_object(emit, "calls");
    bt_emit_member_u64(emit, "total", facts->calls);
    bt_emit_member_u64(emit, "returned", facts->returned);
    bt_emit_member_u64(emit, "failed", facts->failed);
    bt_emit_member_u64(emit, "refused", facts->refused);
    bt_emit_member_u64(emit, "withheld", facts->withheld);
    bt_emit_member_u64(emit, "cancelled", facts->cancelled);
    bt_emit_member_u64(emit, "lost", facts->lost);
    bt_emit_member_u64(emit, "replayed", facts->replayed);
    bt_emit_end(emit);
}

static void put_recorded(struct bt_emit *emit, const struct bt_wrap_session *session)
{
    const struct bt_wrap_record_settings *recording = session->settings->recording;
    const struct bt_wrap_recorder_counts counts = recording && recording->recorder
                                                      ? bt_wrap_recorder_counts(recording->recorder)
                                                      : (struct bt_wrap_recorder_counts){0};
    bt_emit_member_u64(emit, "recorded", counts.recorded);
    bt_emit_member_u64(emit, "unrecorded", counts.unrecorded);
}

static enum bt_status put_facts(struct bt_wrap_session *session, bt_str *out)
{
    static const bt_str eras[] = {BT_STR_INIT(""), BT_STR_INIT("legacy"), BT_STR_INIT("modern")};
    const struct bt_wrap_facts *facts = &session->facts;
    struct bt_object_text text;
    struct bt_str_list hidden;
    BT_TRY(bt_wrap_pins_hidden_tools(session, &hidden));
    struct bt_emit *emit = bt_object_text_begin(&text, FACTS_BYTES_MAX, NULL);
    bt_emit_member_string(emit, "session", bt_str_of(facts->session));
    if (facts->era == BT_WRAP_ERA_NONE) {
        bt_emit_member_null(emit, "era");
    } else {
        bt_emit_member_string(emit, "era", eras[facts->era]);
    }
    put_text_or_null(emit, "protocol", &facts->protocol);
    bt_emit_member_object(emit, "server");
    put_text_or_null(emit, "name", &facts->server_name);
    put_text_or_null(emit, "version", &facts->server_version);
    bt_emit_end(emit);
    put_text_or_null(emit, "client", &facts->client);
    bt_emit_member_bool(emit, "pinned", session->entry != NULL);
    put_calls(emit, facts);
    put_recorded(emit, session);
    bt_emit_member_texts(emit, "hidden", hidden.items, hidden.count);
    bt_emit_member_u64(emit, "tokens", facts->tokens);
    bt_emit_member_object(emit, "messages");
    bt_emit_member_u64(emit, "client", facts->messages[BT_WRAP_CLIENT]);
    bt_emit_member_u64(emit, "server", facts->messages[BT_WRAP_SERVER]);
    bt_emit_end(emit);
    return bt_object_text_finish(&text, BT_OK, &session->arena, out);
}

enum bt_status bt_wrap_session_judge(struct bt_wrap_session *session, struct bt_judgement *out)
{
    bt_str facts = BT_STR("");
    BT_TRY(put_facts(session, &facts));
    return bt_judgement_make(session->settings->name, BT_DIALECT_MCP, BT_STR(""), session->findings,
                             facts, out);
}
