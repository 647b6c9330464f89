/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the names of a document that go into its entry, by dialect. */
#include <assert.h>

#include <baton/json.h>

#include "ledger/ledger_internal.h"

/* Pointers into the document, or for XML messages into the facts; "" where the dialect has no
 * such member. */
static const struct ledger_names_row {
    enum bt_dialect_id dialect;
    bt_str handoff_id;
    bt_str trace_id;
    bt_str source;
    bt_str target;
} rows[] = {
    {BT_DIALECT_GOVERNED, BT_STR_INIT("/handoff_id"), BT_STR_INIT(""),
     BT_STR_INIT("/source_agent/agent_id"), BT_STR_INIT("/target_agent/agent_id")},
    {BT_DIALECT_UNIVERSAL, BT_STR_INIT(""), BT_STR_INIT("/handoff/trace_id"),
     BT_STR_INIT("/handoff/source/skill"), BT_STR_INIT("/handoff/target/skill")},
    {BT_DIALECT_XML, BT_STR_INIT(""), BT_STR_INIT("/thread"), BT_STR_INIT("/from"),
     BT_STR_INIT("/to")},
};

/* The string that a pointer refers to, if any. */
static void find_name(const struct bt_json_doc *document, bt_str pointer, bt_str *out)
{
    const bt_json_value *value =
        pointer.len > 0 ? bt_json_resolve(document, bt_json_root(document), pointer) : NULL;
    if (value && bt_json_type(value) == BT_JSON_STRING) {
        /* The name is present but empty; "" would mean that it is absent. */
        *out = bt_json_text(value).len > 0 ? bt_json_text(value) : BT_STR(" ");
    }
}

/* The document, or the facts of an XML message, as JSON; NULL when it cannot be read. */
static enum bt_status read_item(struct bt_env *env, struct bt_arena *arena,
                                const struct bt_submission *item, const struct bt_json_doc **out)
{
    const struct bt_judgement *judged = item->judged;
    const bool is_xml = judged->dialect == BT_DIALECT_XML;
    const struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read;
    *out = judged->document;
    if (*out && !is_xml && bt_json_source(*out).ptr == item->bytes.ptr &&
        bt_json_source(*out).len == item->bytes.len) {
        return BT_OK; /* the check has already read it */
    }
    BT_TRY(bt_json_read(arena, is_xml ? judged->facts : item->bytes, &options, &read));
    *out = read.document;
    return BT_OK;
}

enum bt_status bt_ledger_find_names(struct bt_env *env, struct bt_arena *arena,
                                    struct bt_submission *item)
{
    assert(env);
    assert(arena);
    assert(item);
    const struct ledger_names_row *row = NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        row = rows[i].dialect == item->judged->dialect ? &rows[i] : row;
    }
    if (!row || item->is_truncated) {
        return BT_OK;
    }
    const struct bt_json_doc *document = NULL;
    BT_TRY(read_item(env, arena, item, &document));
    if (document) {
        find_name(document, row->trace_id, &item->trace_id);
        find_name(document, row->source, &item->source);
        find_name(document, row->target, &item->target);
        if (row->handoff_id.len > 0) {
            find_name(document, row->handoff_id, &item->handoff_id);
            item->id_pointer = row->handoff_id;
        }
    }
    return BT_OK;
}
