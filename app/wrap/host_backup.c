/* SPDX-License-Identifier: Apache-2.0 */
/* host_backup.c - write and read the backup of servers in the settings of a host. */
#include "wrap/host_backup.h"

#include <assert.h>

#include "base/vec.h"
#include "json/emit.h"
#include "json/options.h"

void wrap_backup_put(struct bt_buf *buf, const struct wrap_backup *backup)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "host", backup->host);
    bt_emit_member_string(&emit, "path", backup->path);
    bt_emit_member_object(&emit, "entries");
    for (size_t i = 0; i < backup->count; i++) {
        const struct wrap_backup_entry *entry = &backup->items[i];
        bt_emit_name_str(&emit, entry->name);
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "before", entry->before);
        bt_emit_member_string(&emit, "after", entry->after);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static bool take_text(const struct bt_json_doc *document, const bt_json_value *object,
                      const char *name, bt_str *out)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    *out = value ? bt_json_text(value) : BT_STR("");
    return value && bt_json_type(value) == BT_JSON_STRING;
}

enum bt_status wrap_backup_read(struct bt_arena *arena, bt_str text, struct wrap_backup *out)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    struct wrap_backup backup = {.count = 0};
    options.document_bytes_max = text.len + 1;
    options.string_bytes_max = text.len + 1;
    /* from: file */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    if (!read.document) {
        return BT_EINVAL;
    }
    const bt_json_value *root = bt_json_root(read.document);
    const bt_json_value *entries = bt_json_get(read.document, root, BT_STR("entries"));
    if (!take_text(read.document, root, "host", &backup.host) ||
        !take_text(read.document, root, "path", &backup.path) || !entries ||
        bt_json_type(entries) != BT_JSON_OBJECT) {
        return BT_EINVAL;
    }
    for (size_t i = 0; i < bt_json_count(entries); i++) {
        const struct bt_json_member *member = &bt_json_members(entries)[i];
        struct wrap_backup_entry entry = {.name = bt_json_name(member)};
        if (!take_text(read.document, &member->value, "before", &entry.before) ||
            !take_text(read.document, &member->value, "after", &entry.after)) {
            return BT_EINVAL;
        }
        BT_TRY(bt_vec_push(arena, &backup, entry));
    }
    *out = backup;
    return BT_OK;
}

struct wrap_backup_entry *wrap_backup_find(const struct wrap_backup *backup, bt_str name)
{
    for (size_t i = 0; i < backup->count; i++) {
        if (bt_str_eq(backup->items[i].name, name)) {
            return &backup->items[i];
        }
    }
    return NULL;
}

enum bt_status wrap_backup_set(struct bt_arena *arena, struct wrap_backup *backup,
                               struct wrap_backup_entry entry)
{
    struct wrap_backup_entry *known = wrap_backup_find(backup, entry.name);
    if (known) {
        *known = entry;
        return BT_OK;
    }
    return bt_vec_push(arena, backup, entry);
}

void wrap_backup_remove(struct wrap_backup *backup, bt_str name)
{
    struct wrap_backup_entry *known = wrap_backup_find(backup, name);
    assert(known);
    for (; known + 1 < backup->items + backup->count; known++) {
        known[0] = known[1];
    }
    backup->count--;
}
