/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c - definitions of tools that were called, read and compiled once per definition. */
#include "wrap/tools.h"

#include <string.h>

#include "json/builder.h"
#include "schema/options.h"
#include "wrap/session_internal.h"

enum {
    TOOLS_MAX = 4096, /* then all are forgotten, and compiled again when they are called */
    SCHEMA_BYTES_MAX = 64 << 20,
};

static const bt_str MEMBERS[BT_WRAP_SCHEMAS] = {BT_STR_INIT("inputSchema"),
                                                BT_STR_INIT("outputSchema")};

void bt_wrap_tools_init(struct bt_wrap_session *session)
{
    bt_arena_init(&session->tools.arena, SIZE_MAX);
    bt_map_init(&session->tools.by_name, &session->tools.arena, session->env->hash_seed);
}

static void free_schemas(struct bt_wrap_tool *tool)
{
    for (size_t i = 0; i < BT_WRAP_SCHEMAS; i++) {
        bt_schema_destroy(tool->schemas[i].schema);
        tool->schemas[i] = (struct bt_wrap_schema){0};
    }
}

void bt_wrap_tools_free(struct bt_wrap_session *session)
{
    struct bt_wrap_tools *tools = &session->tools;
    bt_schema_runner_destroy(tools->runner);
    for (size_t i = 0; i < tools->by_name.count; i++) {
        free_schemas(tools->by_name.entries[i].value.pointer);
    }
    bt_arena_free(&tools->arena);
}

/* ---- Definitions ----------------------------------------------------------------------------- */

/* The definition of a tool; *out NULL: there is none. It may be in the memory of the message. */
static enum bt_status find_definition(struct bt_wrap_session *session, bt_str name,
                                      const struct bt_json_doc **out)
{
    const struct bt_wrap_item *locked =
        session->entry ? bt_wrap_items_find(&session->entry->items[BT_WRAP_TOOL], name) : NULL;
    const struct bt_wrap_known *known = bt_wrap_pins_find(session, BT_WRAP_TOOL, name);
    struct bt_json_read_result read = {0};
    const struct bt_json_options options = bt_wrap_json_options(session);
    *out = locked ? locked->document : NULL;
    if (locked || !known || !known->definition) {
        return BT_OK;
    }
    /* from: what the server showed */
    BT_TRY(bt_json_read(&session->message, bt_buf_str(known->definition), &options, &read));
    *out = read.document;
    return BT_OK;
}

/* The digest of the definition that counts, or NULL. */
static const char *find_digest(const struct bt_wrap_session *session, bt_str name,
                               bool *out_is_locked)
{
    const struct bt_wrap_item *locked =
        session->entry ? bt_wrap_items_find(&session->entry->items[BT_WRAP_TOOL], name) : NULL;
    const struct bt_wrap_known *known = bt_wrap_pins_find(session, BT_WRAP_TOOL, name);
    *out_is_locked = locked != NULL;
    return locked ? locked->sha256 : known && known->definition ? known->sha256 : NULL;
}

static enum bt_status make_tool(struct bt_wrap_session *session, bt_str name,
                                struct bt_wrap_tool **out)
{
    struct bt_wrap_tools *tools = &session->tools;
    struct bt_map_entry *entry = NULL;
    if (tools->by_name.count >= TOOLS_MAX) {
        bt_wrap_tools_free(session);
        *tools = (struct bt_wrap_tools){0};
        bt_wrap_tools_init(session);
    }
    struct bt_wrap_tool *tool = BT_NEW(&tools->arena, struct bt_wrap_tool);
    BT_TRY(tool ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_arena_copy(&tools->arena, name, &tool->name));
    BT_TRY(bt_map_add(&tools->by_name, bt_map_text(tool->name), &entry));
    entry->value.pointer = tool;
    *out = tool;
    return BT_OK;
}

enum bt_status bt_wrap_tools_find(struct bt_wrap_session *session, bt_str name,
                                  struct bt_wrap_tool **out)
{
    struct bt_map_entry *entry = bt_map_find(&session->tools.by_name, bt_map_text(name));
    bool is_locked = false;
    const char *sha256 = find_digest(session, name, &is_locked);
    struct bt_wrap_tool *tool = entry ? entry->value.pointer : NULL;
    const struct bt_json_doc *document = NULL;
    *out = NULL;
    if (!sha256) {
        return BT_OK;
    }
    if (!tool) {
        BT_TRY(make_tool(session, name, &tool));
    }
    if (strcmp(tool->sha256, sha256) != 0 || tool->is_locked != is_locked) {
        BT_TRY(find_definition(session, name, &document));
        if (!document) {
            return BT_OK;
        }
        const struct bt_wrap_hints hints = bt_wrap_hints_read(document, bt_json_root(document));
        free_schemas(tool);
        memcpy(tool->sha256, sha256, sizeof(tool->sha256));
        tool->is_locked = is_locked;
        bt_wrap_policy_for_tool(&session->settings->policy, name, &hints, &tool->policy);
    }
    *out = tool;
    return BT_OK;
}

/* ---- Schemas --------------------------------------------------------------------------------- */

static enum bt_status compile_schema(struct bt_wrap_session *session, const struct bt_json_doc *doc,
                                     const bt_json_value *value, struct bt_wrap_schema *schema)
{
    struct bt_schema_options options = bt_schema_options_default();
    struct bt_findings *findings = bt_findings_new(&session->message);
    const struct bt_json_doc *part = NULL;
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_json_part(doc, value, &session->message, &part));
    options.memory_bytes_max = SCHEMA_BYTES_MAX;
    memcpy(options.hash_seed, session->env->hash_seed, sizeof(options.hash_seed));
    BT_TRY(bt_schema_compile(part, &options, findings, &schema->schema));
    if (!schema->schema) {
        schema->code = bt_findings_count(findings) > 0 ? bt_findings_at(findings, 0)->code
                                                       : BT_CODE_SCHEMA_BUDGET;
    }
    return BT_OK;
}

enum bt_status bt_wrap_tools_schema(struct bt_wrap_session *session, struct bt_wrap_tool *tool,
                                    enum bt_wrap_schema_kind kind, struct bt_wrap_schema **out)
{
    struct bt_wrap_schema *schema = &tool->schemas[kind];
    const struct bt_json_doc *document = NULL;
    *out = schema;
    if (schema->is_made) {
        return BT_OK;
    }
    BT_TRY(find_definition(session, tool->name, &document));
    const bt_json_value *value =
        document ? bt_json_get(document, bt_json_root(document), MEMBERS[kind]) : NULL;
    schema->is_absent = !value;
    if (value) {
        BT_TRY(compile_schema(session, document, value, schema));
    }
    schema->is_made = true;
    return BT_OK;
}

enum bt_status bt_wrap_tools_judge(struct bt_wrap_session *session,
                                   const struct bt_wrap_schema *schema, bt_ref value,
                                   struct bt_findings *findings)
{
    const struct bt_json_doc *part = NULL;
    if (!session->tools.runner) {
        BT_TRY(bt_schema_runner_create(session->settings->schema_limits, &session->tools.runner));
    }
    BT_TRY(bt_json_part(value.document, value.value, &session->message, &part));
    return bt_schema_validate(schema->schema, session->tools.runner, part, findings, NULL);
}
