/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extensions.c - Baton's extensions of the protocol. None is required, and what another party
 * claims in its metadata proves nothing.
 */
#include <stdio.h>

#include <baton/schema.h>

#include "a2a/a2a_internal.h"
#include "schema/builtin.h"

static const struct a2a_extension_row {
    unsigned bit;
    const char *uri;
    const char *description;
} extensions[] = {
    {A2A_SCHEMA_CONTRACT, "urn:baton:a2a:schema-contract:v1",
     "artifacts name the schema that judged, the verdict and the codes"},
    {A2A_RECEIPT, "urn:baton:a2a:receipt:v1", "a receipt of the ledger as an artifact"},
    {A2A_ACTOR_CHAIN, "urn:baton:a2a:actor-chain:v1",
     "the recorded hops of the trace; claims are never believed"},
    {A2A_TRACE_CONTEXT, A2A_TRACE_KEY, "W3C Trace Context in metadata"},
    {A2A_GOVERNED_ENVELOPE, A2A_ENVELOPE_KEY,
     "an id against replay and the end of the message's validity"},
};

enum { EXTENSIONS = sizeof(extensions) / sizeof(extensions[0]) };

static unsigned bit_of(bt_str uri)
{
    for (size_t i = 0; i < EXTENSIONS; i++) {
        if (bt_str_eq(uri, bt_str_of(extensions[i].uri))) {
            return extensions[i].bit;
        }
    }
    return 0;
}

unsigned a2a_extensions_of(bt_str list)
{
    unsigned bits = 0;
    for (size_t from = 0; from < list.len;) {
        const size_t end = bt_str_find_byte(list, ',', from);
        bits |= bit_of(bt_str_trim(bt_str_slice(list, from, end)));
        from = end + 1;
    }
    return bits;
}

unsigned a2a_extensions_used(const struct bt_json_doc *document, const bt_json_value *message)
{
    const bt_json_value *listed = bt_json_get(document, message, BT_STR("extensions"));
    const bt_json_value *metadata = bt_json_get(document, message, BT_STR("metadata"));
    unsigned bits = 0;
    for (size_t i = 0; listed && bt_json_items(listed) && i < bt_json_count(listed); i++) {
        bits |= bit_of(bt_json_text(&bt_json_items(listed)[i]));
    }
    for (size_t i = 0; metadata && bt_json_members(metadata) && i < bt_json_count(metadata); i++) {
        bits |= bit_of(bt_json_name(&bt_json_members(metadata)[i]));
    }
    return bits;
}

void a2a_put_extensions(const struct a2a *a2a, struct bt_buf *out)
{
    for (size_t i = 0; i < EXTENSIONS; i++) {
        if (a2a->used & extensions[i].bit) {
            bt_buf_printf(out, "%s%s", out->len > 0 ? ", " : "", extensions[i].uri);
        }
    }
}

/* Put the dialects, and where the schema of each can be read. */
static void put_dialects(struct bt_emit *emit)
{
    char path[64];
    bt_emit_member_object(emit, "params");
    bt_emit_member_object(emit, "dialects");
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        const bt_str name = bt_schema_builtin_at(i)->name;
        if (bt_dialect_find(name)) {
            (void)snprintf(path, sizeof(path), "/v1/schemas/%.*s", BT_STR_ARG(name));
            bt_emit_name_str(emit, name);
            bt_emit_string(emit, bt_str_of(path));
        }
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

void a2a_put_extension_cards(struct bt_emit *emit, bool includes_defaults)
{
    bt_emit_member_array(emit, "extensions");
    for (size_t i = 0; i < EXTENSIONS; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "uri", bt_str_of(extensions[i].uri));
        bt_emit_member_string(emit, "description", bt_str_of(extensions[i].description));
        if (includes_defaults) {
            bt_emit_member_bool(emit, "required", false);
        }
        if (extensions[i].bit == A2A_SCHEMA_CONTRACT) {
            put_dialects(emit);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}
