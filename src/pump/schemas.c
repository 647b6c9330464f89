/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schemas.c - the files that are made from an organism when it runs: for each listener its schema,
 * that of its replies, an example and the prompt.
 */
#include <stdio.h>

#include <baton/json.h>

#include "base/file.h"
#include "json/emit.h"
#include "pump/pump_internal.h"

enum { TEXT_BYTES_MAX = 1 << 26 };

static const struct pump_schemas_kind {
    const char *file;
    enum bt_organism_text text;
} kinds[] = {
    {"v1.xsd", BT_ORGANISM_TEXT_SCHEMA},
    {"v1.result.xsd", BT_ORGANISM_TEXT_RESULT},
    {"v1.example.xml", BT_ORGANISM_TEXT_EXAMPLE},
    {"v1.prompt.txt", BT_ORGANISM_TEXT_PROMPT},
};

/* Clients may still use the old schema. */
static enum bt_status notify_drift(struct bt_pump *pump, uint32_t listener, bt_str path)
{
    char pointer[48];
    struct bt_buf params;
    struct bt_emit emit;
    (void)snprintf(pointer, sizeof(pointer), "/listeners/%u", (unsigned)listener);
    bt_buf_init(&params, TEXT_BYTES_MAX);
    bt_emit_init(&emit, &params, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "path", path);
    bt_emit_end(&emit);
    const struct bt_pump_event event = {
        .rule = bt_rule_of_dialect(BT_CODE_PUMP_SCHEMA_DRIFT, BT_DIALECT_XML),
        .pointer = bt_str_of(pointer),
        .listener = pump->organism->listeners[listener].takes.name,
        .params = bt_buf_str(&params)};
    if (params.status == BT_OK) {
        bt_pump_notify_event(pump, &event);
    }
    const enum bt_status status = params.status;
    bt_buf_free(&params);
    return status;
}

static enum bt_status write_file(struct bt_pump *pump, uint32_t listener,
                                 const struct pump_schemas_kind *kind, bt_str text,
                                 struct bt_error *error)
{
    const bt_str schemas = pump->organism->schemas;
    const bt_str name = pump->organism->listeners[listener].takes.name;
    bt_str shown;
    bt_str path;
    bt_str old = BT_STR("");
    BT_TRY(bt_arena_printf(&pump->arena, &shown, "%.*s/%.*s/%s", BT_STR_ARG(schemas),
                           BT_STR_ARG(name), kind->file));
    BT_TRY(bt_arena_printf(&pump->arena, &path, "%.*s/%.*s", BT_STR_ARG(pump->launch.context.root),
                           BT_STR_ARG(shown)));
    const enum bt_status status = bt_file_read(&pump->arena, path, text.len + 1, &old, NULL);
    if (status == BT_OK && bt_str_eq(old, text)) {
        return BT_OK;
    }
    if (status == BT_OK && kind->text == BT_ORGANISM_TEXT_SCHEMA) {
        BT_TRY(notify_drift(pump, listener, shown));
    }
    return bt_file_replace(path, text, error);
}

static enum bt_status write_one(struct bt_pump *pump, uint32_t listener,
                                const struct pump_schemas_kind *kind, struct bt_error *error)
{
    struct bt_buf text;
    bt_buf_init(&text, TEXT_BYTES_MAX);
    enum bt_status status =
        bt_organism_put_text(&text, &pump->arena, pump->organism,
                             pump->organism->listeners[listener].takes.name, kind->text);
    if (status == BT_EINVAL) {
        status = BT_OK; /* the listener has no such text */
    } else if (status == BT_OK) {
        status = write_file(pump, listener, kind, bt_buf_str(&text), error);
    }
    bt_buf_free(&text);
    return status;
}

enum bt_status bt_pump_write_schemas(struct bt_pump *pump, struct bt_error *error)
{
    for (uint32_t i = 0; i < pump->organism->listeners_count; i++) {
        bt_str folder;
        BT_TRY(bt_arena_printf(&pump->arena, &folder, "%.*s/%.*s/%.*s%c",
                               BT_STR_ARG(pump->launch.context.root),
                               BT_STR_ARG(pump->organism->schemas),
                               BT_STR_ARG(pump->organism->listeners[i].takes.name), '\0'));
        BT_TRY(bt_pump_make_folders(folder.ptr, 0755, error));
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
            BT_TRY(write_one(pump, i, &kinds[k], error));
        }
    }
    bt_arena_reset(&pump->arena);
    return BT_OK;
}
