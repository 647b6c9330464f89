/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - the places of elements, findings about attributes, and the facts of a message. */
#include <assert.h>

#include "base/buf.h"
#include "dialect/xml/message_check.h"
#include "json/emit.h"

enum { BYTES_PER_TOKEN = 4 };

/* The tokens that delivering the payload costs. */
static enum bt_status tokens_of(const struct bt_message_check *message, uint64_t *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const enum bt_status status =
        bt_xml_put_canonical(&buf, message->arena, message->document, message->payload);
    *out = buf.len < BYTES_PER_TOKEN ? 1 : buf.len / BYTES_PER_TOKEN;
    bt_buf_free(&buf);
    return status;
}

static void put_text_or_null(struct bt_emit *emit, const char *name, bool is_there, bt_str text)
{
    bt_emit_name(emit, name);
    if (is_there) {
        bt_emit_string(emit, text);
    } else {
        bt_emit_null(emit);
    }
}

static enum bt_status put_envelope(struct bt_emit *emit, const struct bt_message_check *message)
{
    uint64_t tokens = 0;
    BT_TRY(tokens_of(message, &tokens));
    bt_emit_member_string(emit, "from", message->envelope.from);
    put_text_or_null(emit, "to", message->envelope.has_to, message->envelope.to);
    bt_emit_member_string(emit, "thread", message->envelope.thread);
    bt_emit_member_string(emit, "root", message->payload->name);
    put_text_or_null(emit, "id", message->envelope.has_id, message->envelope.id);
    bt_emit_member_u64(emit, "tokens", tokens);
    put_text_or_null(emit, "listener", message->listener.len > 0, message->listener);
    return BT_OK;
}

static void put_fixed(struct bt_emit *emit, const struct bt_message_edits *fixed)
{
    bt_emit_member_array(emit, "fixed");
    for (size_t i = 0; i < fixed->count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "code", bt_code_name(fixed->items[i].code));
        bt_emit_member_string(emit, "pointer", fixed->items[i].pointer);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static enum bt_status put_facts(struct bt_emit *emit, const struct bt_message_check *message,
                                const struct bt_message_edits *fixed)
{
    if (message->document) {
        char digest[BT_SHA256_HEX_BYTES];
        bt_str canonical;
        BT_TRY(bt_message_check_canonical(message, &canonical));
        BT_TRY(bt_sha256_hex(canonical, digest));
        bt_emit_member_u64(emit, "canonical_bytes", canonical.len);
        bt_emit_member_string(emit, "canonical_sha256", bt_str_of(digest));
    }
    if (message->has_envelope) {
        BT_TRY(put_envelope(emit, message));
    }
    if (fixed && fixed->count > 0) {
        put_fixed(emit, fixed);
    }
    return BT_OK;
}

enum bt_status bt_message_check_facts(const struct bt_message_check *message,
                                      const struct bt_message_edits *fixed, bt_str *out)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, SIZE_MAX, NULL);
    return bt_object_text_finish(&text, put_facts(emit, message, fixed), message->arena, out);
}

void bt_message_check_identify(const struct bt_message_check *message, struct bt_identity *out)
{
    assert(message);
    assert(out);
    if (message->has_envelope) {
        out->source = message->envelope.from;
        out->target = message->envelope.has_to ? message->envelope.to : BT_STR("");
        out->trace_id = message->envelope.thread;
    }
}

/* The path of an element, and below it the attribute `name` unless that is "". */
static struct bt_location locate_attribute(const struct bt_message_check *message,
                                           const struct bt_xml_node *element, bt_str name)
{
    struct bt_location at = bt_location_pointer(BT_STR(""), element->offset);
    struct bt_buf path;
    bt_buf_init(&path, SIZE_MAX);
    at.status = bt_xml_put_path(&path, message->arena, element);
    if (name.len > 0) {
        bt_buf_put_text(&path, "/@");
        bt_buf_put(&path, name);
    }
    const enum bt_status status = bt_buf_finish(&path, message->arena, &at.pointer);
    at.status = at.status == BT_OK ? status : at.status;
    return at;
}

struct bt_location bt_message_locate(const struct bt_message_check *message,
                                     const struct bt_xml_node *element)
{
    return element ? locate_attribute(message, element, BT_STR("")) : bt_location_whole();
}

enum bt_status bt_message_check_attributes(struct bt_message_check *message,
                                           const struct bt_xml_node *element, bool is_payload)
{
    for (size_t i = 0; i < element->attributes_count; i++) {
        const bt_str name = element->attributes[i].name;
        const struct bt_location at = locate_attribute(message, element, name);
        BT_TRY(is_payload ? bt_add_xml_attribute_unexpected(message->findings, at, name)
                          : bt_add_xml_envelope_attribute(message->findings, at, name));
    }
    return BT_OK;
}
