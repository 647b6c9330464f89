/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - read a message: its document, and what is to be done with it. */
#include <string.h>

#include "a2a/a2a_internal.h"

enum { ID_BYTES_MAX = 200 };

/* A message while it is read. */
struct a2a_message_reader {
    struct a2a_request *request;
    const bt_json_value *message;
    const bt_json_value *metadata; /* an object, or NULL */
    struct a2a_message *out;
};

static bool has_type(const bt_json_value *value, enum bt_json_type type)
{
    return value && bt_json_type(value) == type;
}

static const bt_json_value *find_member(const struct a2a_message_reader *reading,
                                        const bt_json_value *object, const char *name)
{
    return object ? bt_json_get(reading->request->document, object, bt_str_of(name)) : NULL;
}

static bool respond_field_error(const struct a2a_message_reader *reading, const char *field,
                                const char *why)
{
    (void)a2a_respond_field_error(reading->request, field, bt_str_of(why));
    return false;
}

/* Read an optional text. */
static bool take_text(const struct a2a_message_reader *reading, const char *name, const char *field,
                      bt_str *out)
{
    const bt_json_value *value = find_member(reading, reading->message, name);
    *out = has_type(value, BT_JSON_STRING) ? bt_json_text(value) : BT_STR("");
    return !value || bt_json_type(value) == BT_JSON_STRING ||
           respond_field_error(reading, field, "a string");
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool take_names(const struct a2a_message_reader *reading)
{
    struct a2a_message *out = reading->out;
    const bt_json_value *role = find_member(reading, reading->message, "role");
    if (!take_text(reading, "messageId", "message.messageId", &out->id) ||
        !take_text(reading, "contextId", "message.contextId", &out->context) ||
        !take_text(reading, "taskId", "message.taskId", &out->task)) {
        return false;
    }
    if (out->id.len == 0 || out->id.len > ID_BYTES_MAX) {
        return respond_field_error(reading, "message.messageId", "1 to 200 bytes");
    }
    if (!role || !bt_str_eq(bt_json_text(role), BT_STR("ROLE_USER"))) {
        return respond_field_error(reading, "message.role", "ROLE_USER");
    }
    return out->context.len == 0 || bt_entry_name_is_valid(out->context) ||
           respond_field_error(reading, "message.contextId", "1 to 200 of [A-Za-z0-9._:/@+-]");
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* A file name that corresponds to a media type, so that the dialect can be recognised by it. */
static bt_str path_of(const struct a2a_message_reader *reading, const bt_json_value *part)
{
    static const char *const rows[][2] = {
        {"application/json", "document.json"}, {"text/csv", "document.csv"},
        {"text/markdown", "document.md"},      {"text/plain", "document.md"},
        {"application/xml", "document.xml"},
    };
    const bt_json_value *filename = find_member(reading, part, "filename");
    const bt_json_value *type = find_member(reading, part, "mediaType");
    if (has_type(filename, BT_JSON_STRING) && bt_json_text(filename).len > 0) {
        return bt_json_text(filename);
    }
    for (size_t i = 0; type && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(bt_json_text(type), bt_str_of(rows[i][0]))) {
            return bt_str_of(rows[i][1]);
        }
    }
    return BT_STR("document");
}

static bool take_raw(const struct a2a_message_reader *reading, const bt_json_value *raw)
{
    const bt_str text = bt_json_text(raw);
    const size_t size = bt_base64_decoded_size(text);
    char *bytes = size == SIZE_MAX ? NULL : bt_arena_alloc(reading->request->a2a->arena, size + 3);
    if (!bytes) {
        return respond_field_error(reading, "message.parts", "raw is base64, with its padding");
    }
    bt_base64_decode(text, bytes);
    reading->out->text = (bt_str){bytes, size};
    return true;
}

static bool take_part(const struct a2a_message_reader *reading, const bt_json_value *part)
{
    const bt_json_value *text = find_member(reading, part, "text");
    const bt_json_value *raw = find_member(reading, part, "raw");
    const bt_json_value *data = find_member(reading, part, "data");
    const int contents = (text != NULL) + (raw != NULL) + (data != NULL);
    if (find_member(reading, part, "url")) {
        (void)a2a_respond_error(reading->request, A2A_CONTENT_TYPE,
                                "nothing is fetched: send the document");
        return false;
    }
    if (contents != 1 || (text && bt_json_type(text) != BT_JSON_STRING) ||
        (raw && bt_json_type(raw) != BT_JSON_STRING)) {
        return respond_field_error(reading, "message.parts",
                                   "a part has one of data, text and raw");
    }
    if (reading->out->has_document) {
        return respond_field_error(reading, "message.parts",
                                   "exactly one part carries the document");
    }
    reading->out->has_document = true;
    reading->out->path = path_of(reading, part);
    if (raw) {
        return take_raw(reading, raw);
    }
    reading->out->text =
        text ? bt_json_text(text) : a2a_value_source(reading->request->document, data);
    return true;
}

static bool take_parts(const struct a2a_message_reader *reading)
{
    const bt_json_value *parts = find_member(reading, reading->message, "parts");
    if (!has_type(parts, BT_JSON_ARRAY) || bt_json_count(parts) == 0) {
        return respond_field_error(reading, "message.parts", "at least one part");
    }
    for (size_t i = 0; i < bt_json_count(parts); i++) {
        const bt_json_value *part = &bt_json_items(parts)[i];
        if (!has_type(part, BT_JSON_OBJECT)) {
            return respond_field_error(reading, "message.parts", "a part is an object");
        }
        if (!take_part(reading, part)) {
            return false;
        }
    }
    return true;
}

/* ---- Metadata -------------------------------------------------------------------------------- */

/* Read the action. The object is closed, so that a misspelt member is an error and not ignored. */
static bool parse_action(const struct a2a_message_reader *reading)
{
    static const char *const words[] = {[A2A_ACTION_SUBMIT] = "submit",
                                        [A2A_ACTION_CHECK] = "check",
                                        [A2A_ACTION_REPAIR] = "repair"};
    const bt_json_value *action = find_member(reading, reading->metadata, A2A_HANDOFF_KEY);
    struct a2a_message *out = reading->out;
    out->act = A2A_ACTION_SUBMIT;
    if (!action) {
        return true;
    }
    if (!has_type(action, BT_JSON_OBJECT)) {
        return respond_field_error(reading, "message.metadata", A2A_HANDOFF_KEY " is an object");
    }
    for (size_t i = 0; i < bt_json_count(action); i++) {
        const struct bt_json_member *item = &bt_json_members(action)[i];
        const bt_str name = bt_json_name(item);
        if (bt_str_eq(name, BT_STR("operation"))) {
            out->act = 0;
            for (enum a2a_action k = A2A_ACTION_SUBMIT; k <= A2A_ACTION_REPAIR; k++) {
                out->act =
                    bt_str_eq(bt_json_text(&item->value), bt_str_of(words[k])) ? k : out->act;
            }
        } else if (bt_str_eq(name, BT_STR("dialect"))) {
            out->dialect = bt_json_text(&item->value);
        } else if (bt_str_eq(name, BT_STR("options")) && has_type(&item->value, BT_JSON_OBJECT)) {
            out->options = &item->value;
        } else {
            return respond_field_error(reading, "message.metadata",
                                       A2A_HANDOFF_KEY " has operation, dialect and options");
        }
    }
    return out->act != 0 ||
           respond_field_error(reading, "message.metadata", "operation: submit, check, repair");
}

/* Read the answer to an approval request. */
static bool take_decision(const struct a2a_message_reader *reading)
{
    const bt_json_value *answer = find_member(reading, reading->metadata, A2A_APPROVAL_KEY);
    const bt_json_value *decision = find_member(reading, answer, "decision");
    const bt_json_value *fingerprint = find_member(reading, answer, "fingerprint");
    struct a2a_message *out = reading->out;
    if (!answer) {
        return true;
    }
    const bt_str word = decision ? bt_json_text(decision) : BT_STR("");
    out->is_decision = true;
    out->is_approved = bt_str_eq(word, BT_STR("approve"));
    out->fingerprint = fingerprint ? bt_json_text(fingerprint) : BT_STR("");
    if (!out->is_approved && !bt_str_eq(word, BT_STR("deny"))) {
        return respond_field_error(reading, "message.metadata", "decision: approve or deny");
    }
    return out->fingerprint.len > 0 ||
           respond_field_error(reading, "message.metadata", "fingerprint: of what was shown");
}

static bool take_envelope(const struct a2a_message_reader *reading)
{
    const bt_json_value *envelope = find_member(reading, reading->metadata, A2A_ENVELOPE_KEY);
    const bt_json_value *id = find_member(reading, envelope, "id");
    const bt_json_value *expires = find_member(reading, envelope, "expires_at");
    const bt_instant now = bt_env_now(reading->request->a2a->service->env);
    bt_instant end;
    reading->out->replay_id = id && has_type(id, BT_JSON_STRING) ? bt_json_text(id) : BT_STR("");
    if (id && !bt_entry_name_is_valid(reading->out->replay_id)) {
        return respond_field_error(reading, "message.metadata",
                                   "id: 1 to 200 of [A-Za-z0-9._:/@+-]");
    }
    if (!expires) {
        return true;
    }
    if (!has_type(expires, BT_JSON_STRING) ||
        bt_instant_parse(bt_json_text(expires), &end) != BT_OK) {
        return respond_field_error(reading, "message.metadata", "expires_at: a time of RFC 3339");
    }
    reading->out->is_expired =
        end.seconds < now.seconds || (end.seconds == now.seconds && end.nanos <= now.nanos);
    return true;
}

/* ---- Run ------------------------------------------------------------------------------------- */

enum bt_status a2a_message_read(struct a2a_request *request, struct a2a_message *out,
                                bool *out_fits)
{
    const bt_json_value *message = a2a_param(request, "message");
    struct a2a_message_reader reading = {.request = request, .message = message, .out = out};
    *out = (struct a2a_message){.dialect = BT_STR(""),
                                .text = BT_STR(""),
                                .path = BT_STR("document"),
                                .fingerprint = BT_STR(""),
                                .replay_id = BT_STR("")};
    *out_fits = false;
    if (!has_type(message, BT_JSON_OBJECT)) {
        return a2a_respond_field_error(request, "message", BT_STR("an object"));
    }
    const bt_json_value *metadata = bt_json_get(request->document, message, BT_STR("metadata"));
    reading.metadata = has_type(metadata, BT_JSON_OBJECT) ? metadata : NULL;
    out->source = a2a_value_source(request->document, message);
    request->a2a->used |= a2a_extensions_used(request->document, message);
    *out_fits = take_names(&reading) && parse_action(&reading) && take_decision(&reading) &&
                take_envelope(&reading) && take_parts(&reading);
    return BT_OK;
}
