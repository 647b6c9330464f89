/* SPDX-License-Identifier: Apache-2.0 */
/* lock.c - read, check and write baton.mcp.lock. */
#include "wrap/lock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "json/builder.h"
#include "json/get.h"
#include "json/options.h"
#include "report/rules.h"
#include "schema/builtin.h"
#include "schema/options.h"
#include "wrap/canonical.h"
#include "wrap/compare.h"
#include "wrap/secrets.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* Compile the schema of locks and validate the document. */
static enum bt_status check_form(const struct bt_wrap_memory *memory,
                                 const struct bt_json_doc *document, struct bt_findings *findings)
{
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_schema *schema = NULL;
    struct bt_schema_runner *runner = NULL;
    /* from: a file of the build */
    BT_TRY(bt_json_read(memory->arena, bt_schema_builtin_of("mcp-lock"), NULL, &read));
    assert(read.document);
    enum bt_status status = bt_schema_compile(read.document, NULL, NULL, &schema);
    assert(status != BT_OK || schema);
    if (status == BT_OK) {
        status = bt_schema_runner_create(NULL, &runner);
    }
    if (status == BT_OK) {
        status = bt_schema_validate(schema, runner, document, findings, NULL);
    }
    bt_schema_runner_destroy(runner);
    bt_schema_destroy(schema);
    return status;
}

static enum bt_status read_document(const struct bt_wrap_memory *memory, bt_str bytes,
                                    const struct bt_json_doc **out, struct bt_error *error)
{
    struct bt_json_options options = bt_json_options_from_env(memory->env);
    struct bt_json_read_result read = BT_INIT(struct bt_json_read_result);
    struct bt_findings *findings = bt_findings_new(memory->arena);
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    options.document_bytes_max = BT_WRAP_LOCK_BYTES_MAX;
    options.string_bytes_max = BT_WRAP_LOCK_BYTES_MAX;
    /* from: baton.mcp.lock */
    BT_TRY(bt_json_read(memory->arena, bytes, &options, &read));
    if (!read.document) {
        return bt_error_set(error, BT_EINVAL, "it is not JSON: %s", read.detail);
    }
    BT_TRY(check_form(memory, read.document, findings));
    if (bt_findings_count(findings) > 0) {
        const struct bt_finding *first = bt_findings_at(findings, 0);
        return bt_error_set(error, BT_EINVAL, "it does not have the form of a lock: %.*s: %.*s",
                            BT_STR_ARG(first->pointer), BT_STR_ARG(first->message));
    }
    *out = read.document;
    return BT_OK;
}

/* A text, or one that is absent for null. */
static bt_str text_or_absent(const struct bt_json_doc *document, const bt_json_value *object,
                             const char *name)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    return value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR_ABSENT;
}

static void copy_digest(const struct bt_json_doc *document, const bt_json_value *object,
                        const char *name, char out[BT_SHA256_HEX_BYTES])
{
    const bt_str text = bt_json_get_text(document, object, bt_str_of(name));
    assert(text.len < BT_SHA256_HEX_BYTES);
    memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
}

static enum bt_status read_items(const struct bt_wrap_memory *memory,
                                 const struct bt_json_doc *document, const bt_json_value *object,
                                 struct bt_wrap_items *out)
{
    const struct bt_json_member *members = bt_json_members(object);
    for (size_t i = 0; members && i < bt_json_count(object); i++) {
        const bt_json_value *definition =
            bt_json_get(document, &members[i].value, BT_STR("definition"));
        struct bt_wrap_item item = {.key = bt_json_name(&members[i])};
        BT_TRY(bt_json_part(document, definition, memory->arena, &item.document));
        copy_digest(document, &members[i].value, "sha256", item.sha256);
        BT_TRY(bt_wrap_items_push(memory, out, &item));
    }
    return BT_OK;
}

static enum bt_status read_entry(const struct bt_wrap_memory *memory,
                                 const struct bt_json_doc *document,
                                 const struct bt_json_member *member, struct bt_wrap_entry *out)
{
    const bt_json_value *object = &member->value;
    const bt_json_value *program = bt_json_get(document, object, BT_STR("program"));
    const bt_json_value *server = bt_json_get(document, object, BT_STR("server"));
    const bt_json_value *resources = bt_json_get(document, object, BT_STR("resources"));
    *out = (struct bt_wrap_entry){.name = bt_json_name(member),
                                  .instructions = text_or_absent(document, object, "instructions"),
                                  .package = text_or_absent(document, object, "package"),
                                  .program_path = text_or_absent(document, program, "path"),
                                  .server_name = text_or_absent(document, server, "name"),
                                  .server_version = text_or_absent(document, server, "version"),
                                  .server_in_lock = {document, server},
                                  .has_resources = bt_json_type(resources) == BT_JSON_OBJECT};
    copy_digest(document, object, "command_sha256", out->command_sha256);
    copy_digest(document, program, "sha256", out->program_sha256);
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        const struct bt_wrap_kind_names *names = bt_wrap_kind_names((enum bt_wrap_kind)i);
        BT_TRY(read_items(memory, document, bt_json_get(document, object, names->in_lock),
                          &out->items[i]));
    }
    return BT_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const struct bt_wrap_entry *first = a;
    const struct bt_wrap_entry *second = b;
    return bt_str_compare(first->name, second->name);
}

static void sort_entries(struct bt_wrap_lock *lock)
{
    if (lock->entries.count > 1) {
        qsort(lock->entries.items, lock->entries.count, sizeof(lock->entries.items[0]),
              compare_entries);
    }
}

enum bt_status bt_wrap_lock_read(const struct bt_wrap_memory *memory, bt_str bytes,
                                 struct bt_wrap_lock *out, struct bt_error *error)
{
    struct bt_wrap_lock lock = {0};
    const struct bt_json_doc *document = NULL;
    if (bytes.len > BT_WRAP_LOCK_BYTES_MAX) {
        return bt_error_set(error, BT_EINVAL, "it is larger than 16 MiB");
    }
    BT_TRY(read_document(memory, bytes, &document, error));
    const bt_json_value *servers = bt_json_get(document, bt_json_root(document), BT_STR("servers"));
    for (size_t i = 0; i < bt_json_count(servers); i++) {
        struct bt_wrap_entry entry;
        BT_TRY(read_entry(memory, document, &bt_json_members(servers)[i], &entry));
        BT_TRY(bt_vec_push(memory->arena, &lock.entries, entry));
    }
    sort_entries(&lock);
    *out = lock;
    return BT_OK;
}

/* ---- Checking -------------------------------------------------------------------------------- */

enum bt_status bt_wrap_item_pointer(struct bt_arena *arena, enum bt_wrap_kind kind, bt_str key,
                                    bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, BT_WRAP_LOCK_BYTES_MAX * 2);
    bt_json_pointer_put(&buf, bt_wrap_kind_names(kind)->pointer);
    bt_json_pointer_put(&buf, key);
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status check_item(const struct bt_wrap_memory *memory, enum bt_wrap_kind kind,
                                 const struct bt_wrap_item *item, struct bt_findings *findings)
{
    char actual[BT_SHA256_HEX_BYTES];
    bt_str pointer;
    BT_TRY(bt_wrap_digest(memory->arena, item->document, bt_json_root(item->document), actual));
    if (strcmp(actual, item->sha256) == 0) {
        return BT_OK;
    }
    BT_TRY(bt_wrap_item_pointer(memory->arena, kind, item->key, &pointer));
    return bt_add_wrap_lock_digest(findings, bt_location_pointer(pointer, BT_OFFSET_NONE),
                                   bt_str_of(item->sha256), bt_str_of(actual), item->key);
}

enum bt_status bt_wrap_entry_check_digests(const struct bt_wrap_memory *memory,
                                           const struct bt_wrap_entry *entry,
                                           struct bt_findings *findings)
{
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        const struct bt_wrap_items *items = &entry->items[i];
        for (size_t j = 0; j < items->list.count; j++) {
            BT_TRY(check_item(memory, (enum bt_wrap_kind)i, &items->list.items[j], findings));
        }
    }
    return BT_OK;
}

/* ---- Changing -------------------------------------------------------------------------------- */

struct bt_wrap_entry *bt_wrap_lock_find(const struct bt_wrap_lock *lock, bt_str name)
{
    for (size_t i = 0; i < lock->entries.count; i++) {
        if (bt_str_eq(lock->entries.items[i].name, name)) {
            return &lock->entries.items[i];
        }
    }
    return NULL;
}

enum bt_status bt_wrap_lock_set(const struct bt_wrap_memory *memory, struct bt_wrap_lock *lock,
                                const struct bt_wrap_entry *entry)
{
    struct bt_wrap_entry *known = bt_wrap_lock_find(lock, entry->name);
    if (known) {
        *known = *entry;
        return BT_OK;
    }
    BT_TRY(bt_vec_push(memory->arena, &lock->entries, *entry));
    sort_entries(lock);
    return BT_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void emit_text_or_null(struct bt_emit *emit, const char *name, bt_str text)
{
    if (text.ptr) {
        bt_emit_member_string(emit, name, text);
    } else {
        bt_emit_member_null(emit, name);
    }
}

static void emit_items(struct bt_json_builder *builder, const struct bt_wrap_items *items)
{
    struct bt_emit *emit = &builder->emit;
    bt_emit_begin_object(emit);
    for (size_t i = 0; i < items->list.count; i++) {
        const struct bt_wrap_item *item = &items->list.items[i];
        if (item->is_duplicate) {
            continue; /* a lock has one definition of a key */
        }
        bt_emit_name_str(emit, item->key);
        bt_emit_begin_object(emit);
        bt_emit_name(emit, "definition");
        bt_json_builder_copy(builder, (bt_ref){item->document, bt_json_root(item->document)}, NULL);
        bt_emit_member_string(emit, "sha256", bt_str_of(item->sha256));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void emit_entry(struct bt_json_builder *builder, const struct bt_wrap_entry *entry)
{
    struct bt_emit *emit = &builder->emit;
    bt_emit_name_str(emit, entry->name);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "command_sha256", bt_str_of(entry->command_sha256));
    emit_text_or_null(emit, "instructions", entry->instructions);
    emit_text_or_null(emit, "package", entry->package);
    if (entry->program_path.ptr) {
        bt_emit_member_object(emit, "program");
        bt_emit_member_string(emit, "path", entry->program_path);
        bt_emit_member_string(emit, "sha256", bt_str_of(entry->program_sha256));
        bt_emit_end(emit);
    } else {
        bt_emit_member_null(emit, "program");
    }
    bt_emit_name(emit, "server");
    if (entry->server_in_lock.value) {
        bt_json_builder_copy(builder, entry->server_in_lock, NULL);
    } else {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "name", entry->server_name);
        bt_emit_member_string(emit, "version", entry->server_version);
        bt_emit_end(emit);
    }
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        bt_emit_name_str(emit, bt_wrap_kind_names((enum bt_wrap_kind)i)->in_lock);
        if (i == BT_WRAP_RESOURCE && !entry->has_resources) {
            bt_emit_null(emit);
        } else {
            emit_items(builder, &entry->items[i]);
        }
    }
    bt_emit_end(emit);
}

enum bt_status bt_wrap_lock_put(const struct bt_wrap_memory *memory,
                                const struct bt_wrap_lock *lock, struct bt_buf *buf)
{
    struct bt_json_builder builder;
    const struct bt_json_doc *document = NULL;
    struct bt_emit *emit = bt_json_builder_begin(&builder, memory->arena, memory->env->hash_seed);
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "baton_mcp_lock", 1);
    bt_emit_member_object(emit, "servers");
    for (size_t i = 0; i < lock->entries.count; i++) {
        emit_entry(&builder, &lock->entries.items[i]);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
    BT_TRY(bt_json_builder_finish(&builder, BT_OK, &document));
    BT_TRY(bt_wrap_put_sorted(buf, document, bt_json_root(document), true, memory->arena));
    bt_buf_put_char(buf, '\n');
    return bt_buf_status(buf);
}

enum bt_status bt_wrap_command_digest(const struct bt_wrap_memory *memory,
                                      struct bt_str_list command, char out[BT_SHA256_HEX_BYTES])
{
    struct bt_json_builder builder;
    const struct bt_json_doc *document = NULL;
    struct bt_emit *emit = bt_json_builder_begin(&builder, memory->arena, memory->env->hash_seed);
    enum bt_status status = BT_OK;
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < command.count && status == BT_OK; i++) {
        bt_str masked;
        status = bt_wrap_mask_secrets(memory->arena, command.items[i], &masked);
        if (status == BT_OK) {
            bt_emit_string(emit, masked);
        }
    }
    bt_emit_end(emit);
    BT_TRY(bt_json_builder_finish(&builder, status, &document));
    return bt_wrap_digest(memory->arena, document, bt_json_root(document), out);
}
