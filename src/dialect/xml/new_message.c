/* SPDX-License-Identifier: Apache-2.0 */
/*
 * new_message.c - a client, a listener and the texts of fields -> a message in canonical form.
 */
#include <assert.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "dialect/xml/message_check.h"

enum { NAMES_BYTES_MAX = 200 };

/* Say which listeners there are, as many as fit into a message. */
static enum bt_status set_listener_error(const struct bt_organism *organism, bt_str name,
                                         struct bt_error *error)
{
    struct bt_buf names;
    size_t shown = 0;
    bt_buf_init(&names, (size_t)2 * NAMES_BYTES_MAX);
    for (; shown < organism->listeners_count && names.len < NAMES_BYTES_MAX; shown++) {
        bt_buf_put_text(&names, shown > 0 ? ", " : "");
        bt_buf_put(&names, organism->listeners[shown].takes.name);
    }
    (void)bt_error_set(error, BT_ENOENT, "unknown listener %.*s; allowed: %.*s%s", BT_STR_ARG(name),
                       BT_STR_ARG(bt_buf_str(&names)),
                       shown < organism->listeners_count ? ", ..." : "");
    bt_buf_free(&names);
    return BT_ENOENT;
}

static void put_element(struct bt_buf *buf, bt_str name, bt_str text)
{
    bt_buf_printf(buf, "<%.*s>", BT_STR_ARG(name));
    bt_xml_put_text(buf, text);
    bt_buf_printf(buf, "</%.*s>", BT_STR_ARG(name));
}

/* True when the type declares a field of this name. */
static bool is_declared(const struct bt_payload_type *type, bt_str name)
{
    for (size_t i = 0; type && type->kind == BT_TYPE_RECORD && i < type->count; i++) {
        if (bt_str_eq(type->parts[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* Put the fields called `name`, in the order in which they were given. */
static void put_fields(struct bt_buf *buf, const struct bt_message_draft *draft, bt_str name)
{
    for (size_t i = 0; i < draft->field_count; i++) {
        if (bt_str_eq(draft->fields[i].name, name)) {
            put_element(buf, name, draft->fields[i].value);
        }
    }
}

static void put_payload(struct bt_buf *buf, const struct bt_organism_capability *takes,
                        const struct bt_message_draft *draft)
{
    const struct bt_payload_type *type = takes->type;
    bt_buf_printf(buf, "<%.*s xmlns=\"\">", BT_STR_ARG(takes->tag));
    for (size_t i = 0; type && type->kind == BT_TYPE_RECORD && i < type->count; i++) {
        put_fields(buf, draft, type->parts[i].name);
    }
    for (size_t i = 0; i < draft->field_count; i++) {
        if (!is_declared(type, draft->fields[i].name)) {
            put_element(buf, draft->fields[i].name, draft->fields[i].value);
        }
    }
    bt_buf_printf(buf, "</%.*s>", BT_STR_ARG(takes->tag));
}

static enum bt_status check_names(const struct bt_message_draft *draft, struct bt_error *error)
{
    for (size_t i = 0; i < draft->field_count; i++) {
        if (!bt_payload_field_name_is_valid(draft->fields[i].name)) {
            return bt_error_set(error, BT_EINVAL, "%.*s cannot be the name of a field",
                                BT_STR_ARG(draft->fields[i].name));
        }
    }
    return BT_OK;
}

enum bt_status bt_message_new(struct bt_env *env, struct bt_arena *arena,
                              const struct bt_organism *organism,
                              const struct bt_message_draft *draft,
                              struct bt_message_new_result *out, struct bt_error *error)
{
    assert(env);
    assert(organism);
    assert(draft);
    char uuid[BT_UUID_TEXT_BYTES];
    bt_str name;
    bt_str thread = draft->thread;
    struct bt_buf buf;
    BT_TRY(bt_ascii_lower_copy(arena, draft->listener, &name));
    const struct bt_organism_listener *listener = bt_organism_listener(organism, name);
    if (!listener) {
        return set_listener_error(organism, draft->listener, error);
    }
    BT_TRY(check_names(draft, error));
    if (thread.len == 0) {
        BT_TRY(bt_env_uuid(env, uuid));
        BT_TRY(bt_arena_copy(arena, bt_str_of(uuid), &thread));
    }
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_printf(&buf, "<message xmlns=\"%.*s\"><meta>", BT_STR_ARG(BT_SPACE_ENV));
    put_element(&buf, BT_STR("from"), draft->client);
    put_element(&buf, BT_STR("thread"), thread);
    if (draft->id.len > 0) {
        bt_buf_printf(&buf, "<id xmlns=\"%.*s\">", BT_STR_ARG(BT_SPACE_BATON));
        bt_xml_put_text(&buf, draft->id);
        bt_buf_put_text(&buf, "</id>");
    }
    bt_buf_put_text(&buf, "</meta>");
    put_payload(&buf, &listener->takes, draft);
    bt_buf_put_text(&buf, "</message>\n");
    out->thread = thread;
    return bt_buf_finish(&buf, arena, &out->text);
}
