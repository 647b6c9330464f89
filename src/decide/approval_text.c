/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approval_text.c - the text that a person reads before deciding about a request: every command in
 * full, then the details.
 */
#include "decide/approval_text.h"

#include "base/buf.h"
#include "json/emit.h"
#include "json/get.h"
#include "json/options.h"

static void put_escaped(struct bt_buf *buf, bt_str text)
{
    for (size_t i = 0; i < text.len;) {
        i += bt_buf_put_visible_char(buf, text, i);
    }
}

/* A member of the payload: a string unchanged, anything else as JSON. */
static void put_member(struct bt_buf *buf, const struct bt_json_doc *payload, const char *name)
{
    const bt_json_value *value = bt_json_get(payload, bt_json_root(payload), bt_str_of(name));
    if (!value || bt_json_type(value) == BT_JSON_NULL) {
        bt_buf_put_text(buf, "none given");
    } else if (bt_json_type(value) == BT_JSON_STRING) {
        put_escaped(buf, bt_json_text(value));
    } else {
        const struct bt_json_span span = bt_json_span(payload, value);
        put_escaped(buf, bt_str_slice(bt_json_source(payload), span.begin, span.end));
    }
    bt_buf_put_char(buf, '\n');
}

static void put_members(struct bt_buf *buf, const struct bt_json_doc *payload)
{
    static const char *const names[][2] = {
        {"operation", "operation"},       {"scope", "scope"},
        {"risk_level", "risk"},           {"rollback", "rollback"},
        {"verification", "verification"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        bt_buf_printf(buf, "%s: ", names[i][1]);
        put_member(buf, payload, names[i][0]);
    }
}

enum bt_status bt_op_approval_commands(const struct bt_env *env, struct bt_arena *arena,
                                       bt_str payload, struct bt_op_approval_json_commands *out)
{
    struct bt_error error;
    *out = (struct bt_op_approval_json_commands){0};
    const enum bt_status status =
        bt_approval_commands(env, arena, payload, &out->items, &out->count, &error);
    for (size_t i = 0; i < out->count; i++) {
        out->bytes += out->items[i].len;
    }
    return status;
}

void bt_approval_put_commands(struct bt_buf *buf,
                              const struct bt_op_approval_json_commands *commands, size_t indent)
{
    for (size_t i = 0; i < commands->count; i++) {
        bt_buf_put_repeat(buf, ' ', indent);
        bt_buf_printf(buf, "%zu. ", i + 1);
        put_escaped(buf, commands->items[i]);
        bt_buf_put_char(buf, '\n');
    }
}

enum bt_status bt_approval_put_text(struct bt_buf *buf, const struct bt_env *env,
                                    struct bt_arena *arena, const struct bt_approval *approval)
{
    struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_op_approval_json_commands commands;
    struct bt_json_read_result read = {0};
    if (approval->payload.len == 0) {
        bt_buf_put_text(buf, "redacted: what was asked for is deleted\nfingerprint: ");
        bt_buf_put(buf, approval->fingerprint);
        bt_buf_put_char(buf, '\n');
        return buf->status;
    }
    options.document_bytes_max = approval->payload.len + 1;
    options.string_bytes_max = approval->payload.len + 1;
    /* from: store */
    BT_TRY(bt_json_read(arena, approval->payload, &options, &read));
    if (!read.document) {
        return BT_ECORRUPT;
    }
    BT_TRY(bt_op_approval_commands(env, arena, approval->payload, &commands));
    bt_buf_put_text(buf, commands.count == 0   ? "no command can be granted\n"
                         : commands.count == 1 ? "command, granted once:\n"
                                               : "commands, each granted once, in this order:\n");
    bt_approval_put_commands(buf, &commands, 2);
    put_members(buf, read.document);
    bt_buf_put_text(buf, "fingerprint: ");
    bt_buf_put(buf, approval->fingerprint);
    bt_buf_put_char(buf, '\n');
    return buf->status;
}

/* ---- The form ------------------------------------------------------------------------------ */

enum { TEXT_BYTES_MAX = 16 << 20, REASON_CHARACTERS_MAX = 200 };

enum bt_status bt_approval_put_form(struct bt_emit *emit, const struct bt_env *env,
                                    struct bt_arena *arena, const struct bt_approval *approval)
{
    struct bt_buf text;
    bt_buf_init(&text, TEXT_BYTES_MAX);
    bt_buf_put_text(&text, "An agent asks for consent.\n");
    const enum bt_status status = bt_approval_put_text(&text, env, arena, approval);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "mode", BT_STR("form"));
    bt_emit_member_string(emit, "message", bt_buf_str(&text));
    bt_emit_member_raw(emit, "requestedSchema",
                       BT_STR("{\"type\":\"object\",\"properties\":{\"decision\":{\"type\":"
                              "\"string\",\"enum\":[\"approve\",\"deny\"]},\"reason\":{\"type\":"
                              "\"string\",\"maxLength\":200}},\"required\":[\"decision\"]}"));
    bt_emit_end(emit);
    bt_buf_free(&text);
    return status;
}

enum bt_approval_reply bt_approval_read_reply(const struct bt_json_doc *document,
                                              const bt_json_value *result, bt_str *out_reason)
{
    const bt_str action = bt_json_get_text(document, result, BT_STR("action"));
    const bt_json_value *content = result ? bt_json_get(document, result, BT_STR("content")) : NULL;
    const bt_json_value *reason = bt_json_get(document, content, BT_STR("reason"));
    const bt_str choice = bt_json_get_text(document, content, BT_STR("decision"));
    *out_reason = reason ? bt_json_text(reason) : BT_STR("");
    if (bt_str_eq(action, BT_STR("decline")) || bt_str_eq(action, BT_STR("cancel"))) {
        return BT_APPROVAL_REPLY_DECLINED;
    }
    const bool fits = (!reason || bt_json_type(reason) == BT_JSON_STRING) &&
                      bt_utf8_count(*out_reason) <= REASON_CHARACTERS_MAX;
    if (!bt_str_eq(action, BT_STR("accept")) || !fits) {
        return BT_APPROVAL_REPLY_NONE;
    }
    return bt_str_eq(choice, BT_STR("approve")) ? BT_APPROVAL_REPLY_APPROVE
           : bt_str_eq(choice, BT_STR("deny"))  ? BT_APPROVAL_REPLY_DENY
                                                : BT_APPROVAL_REPLY_NONE;
}
