/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry_sync.c - the registry after adding the scanned skills.
 *
 * Every discoverable skill of the scan is written, with what the registry adds to it; every other
 * entry of the registry stays. Whether an entry changed is found by writing it twice, before and
 * after.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "skill/skill_internal.h"

enum { TEXT_BYTES_MAX = 2 * BT_REGISTRY_BYTES_MAX };

/* One entry of the new registry. */
struct skill_sync_row {
    const struct bt_skill *skill; /* of the scan, merged, or of the registry alone */
    bool is_scanned;
};

struct skill_sync_names {
    bt_str *items;
    size_t count;
};

struct skill_sync_state {
    const struct bt_skill_catalogue *catalogue;
    struct bt_arena *arena;
    struct skill_sync_row *rows; /* sorted by name */
    size_t count;
    struct bt_buf text;
    struct skill_sync_names added;
    struct skill_sync_names updated;
    struct skill_sync_names kept;
};

static int compare_rows(const void *a, const void *b)
{
    const struct skill_sync_row *left = a;
    const struct skill_sync_row *right = b;
    return bt_str_compare(left->skill->name, right->skill->name);
}

static bool is_scanned(const struct bt_skill_catalogue *catalogue, const struct bt_skill *skill)
{
    return skill && skill->front && skill->is_discoverable &&
           bt_skill_catalogue_find(catalogue, skill->name) == skill;
}

/* What was scanned, then what only the registry has: also a name that two files quarrel about, and
 * a skill that takes no work. */
static enum bt_status collect_rows(struct skill_sync_state *sync)
{
    const struct bt_skill_catalogue *catalogue = sync->catalogue;
    const struct bt_skill_registry *registry = &catalogue->registry;
    sync->rows = BT_NEW_ARRAY(sync->arena, struct skill_sync_row,
                              catalogue->discoverable_count + registry->entry_count);
    BT_TRY(sync->rows ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < catalogue->discoverable_count; i++) {
        if (is_scanned(catalogue, catalogue->discoverable[i])) {
            sync->rows[sync->count++] = (struct skill_sync_row){catalogue->discoverable[i], true};
        }
    }
    for (size_t i = 0; i < registry->entry_count; i++) {
        const struct bt_skill *entry = &registry->entries[i];
        if (!is_scanned(catalogue, bt_skill_catalogue_find(catalogue, entry->name))) {
            sync->rows[sync->count++] = (struct skill_sync_row){entry, false};
        }
    }
    qsort(sync->rows, sync->count, sizeof(*sync->rows), compare_rows);
    return BT_OK;
}

/* Lists have room for every row. */
static enum bt_status new_names(struct skill_sync_state *sync, struct skill_sync_names *out)
{
    out->items = BT_NEW_ARRAY(sync->arena, bt_str, sync->count);
    return out->items ? BT_OK : BT_ENOMEM;
}

static void append_name(struct skill_sync_names *names, bt_str name)
{
    names->items[names->count++] = name;
}

static struct bt_optional_str_list texts_of(const struct skill_sync_names *names)
{
    return (struct bt_optional_str_list){names->items, names->count, true};
}

/* Whether a skill's entry is written otherwise than the one that the registry has. */
static enum bt_status has_changed(const struct bt_skill *skill, bt_str written, bool *out)
{
    struct bt_buf before;
    bt_buf_init(&before, TEXT_BYTES_MAX);
    bt_skill_registry_put_entry(&before, NULL, skill->entry,
                                bt_skill_text(skill->entry, BT_STR("skill_path")));
    const enum bt_status status = before.status;
    *out = !bt_str_eq(bt_buf_str(&before), written);
    bt_buf_free(&before);
    return status;
}

static enum bt_status put_row(struct skill_sync_state *sync, const struct skill_sync_row *row)
{
    const struct bt_skill *skill = row->skill;
    const size_t from = sync->text.len;
    bt_skill_registry_put_entry(&sync->text, skill->front, skill->entry, skill->path);
    BT_TRY(sync->text.status);
    bool changed = false;
    if (row->is_scanned && skill->entry) {
        const bt_str written = bt_str_slice(bt_buf_str(&sync->text), from, sync->text.len);
        BT_TRY(has_changed(skill, written, &changed));
    }
    if (!row->is_scanned) {
        append_name(&sync->kept, skill->name);
    } else if (!skill->entry) {
        append_name(&sync->added, skill->name);
    } else if (changed) {
        append_name(&sync->updated, skill->name);
    }
    return BT_OK;
}

static void put_member(struct bt_buf *buf, const struct bt_yaml_node *mapping, const char *key,
                       const char *otherwise)
{
    const struct bt_yaml_node *node = bt_yaml_get(mapping, bt_str_of(key));
    bt_buf_put_text(buf, key);
    bt_buf_put_text(buf, ": ");
    if (node) {
        bt_skill_registry_put_node(buf, node);
    } else {
        bt_buf_put_text(buf, otherwise);
    }
    bt_buf_put_char(buf, '\n');
}

/* Lines before and behind the entries. A file that stays as it was keeps its date. */
static void put_frame(struct skill_sync_state *sync, bt_str rows, bt_instant now)
{
    /* clang-format off */
    static const struct bt_skill_registry_field known[] = {
        {BT_STR_INIT("version"), BT_AS_IT_IS}, {BT_STR_INIT("updated_at"), BT_AS_IT_IS},
        {BT_STR_INIT("workflows"), BT_AS_IT_IS}, {BT_STR_INIT("meta"), BT_AS_IT_IS},
        {BT_STR_INIT(""), BT_AS_IT_IS},
    };
    static const struct bt_skill_registry_field known_meta[] = {
        {BT_STR_INIT("total_workflows"), BT_AS_IT_IS}, {BT_STR_INIT("last_scan"), BT_AS_IT_IS},
        {BT_STR_INIT("discovery_mode"), BT_AS_IT_IS}, {BT_STR_INIT(""), BT_AS_IT_IS},
    };
    /* clang-format on */
    const struct bt_yaml_node *root = sync->catalogue->registry.root;
    const struct bt_yaml_node *meta = bt_yaml_get(root, BT_STR("meta"));
    const bool changed = sync->added.count + sync->updated.count > 0;
    struct bt_buf *buf = &sync->text;
    char time[BT_INSTANT_TEXT_BYTES];
    char quoted[BT_INSTANT_TEXT_BYTES + 2];
    (void)bt_instant_format(now, time);
    (void)snprintf(quoted, sizeof(quoted), "\"%s\"", time);
    put_member(buf, root, "version", "\"1.0\"");
    put_member(buf, changed ? NULL : root, "updated_at", quoted);
    bt_buf_put_text(buf, rows.len > 0 ? "workflows:\n" : "workflows: []\n");
    bt_buf_put(buf, rows);
    bt_buf_printf(buf, "meta:\n  total_workflows: %zu\n  last_scan: %s\n  ", sync->count, quoted);
    put_member(buf, meta, "discovery_mode", "\"scan\"");
    bt_skill_registry_put_others(buf, meta, known_meta, 2);
    bt_skill_registry_put_others(buf, root, known, 0);
}

/* What cannot be read back must not be written. */
static enum bt_status verify_text(const struct skill_sync_state *sync, bt_str text)
{
    struct bt_skill_registry again = {.text = text};
    BT_TRY(bt_skill_registry_parse(sync->arena, &again));
    return again.problem.len == 0 && again.entry_count == sync->count ? BT_OK : BT_ECORRUPT;
}

static enum bt_status make_text(struct skill_sync_state *sync, bt_instant now, bt_str *out)
{
    bt_str rows;
    BT_TRY(collect_rows(sync));
    BT_TRY(new_names(sync, &sync->added));
    BT_TRY(new_names(sync, &sync->updated));
    BT_TRY(new_names(sync, &sync->kept));
    for (size_t i = 0; i < sync->count; i++) {
        BT_TRY(put_row(sync, &sync->rows[i]));
    }
    BT_TRY(bt_buf_copy(&sync->text, sync->arena, &rows));
    bt_buf_clear(&sync->text);
    put_frame(sync, rows, now);
    BT_TRY(bt_buf_copy(&sync->text, sync->arena, out));
    return verify_text(sync, *out);
}

enum bt_status bt_skill_registry_sync(const struct bt_skill_catalogue *catalogue, bt_instant now,
                                      struct bt_arena *arena, struct bt_skill_registry_result *out)
{
    assert(catalogue);
    assert(out);
    struct skill_sync_state sync = {.catalogue = catalogue, .arena = arena};
    if (bt_skill_catalogue_has_unreadable_registry(catalogue)) {
        return BT_EINVAL;
    }
    bt_buf_init(&sync.text, TEXT_BYTES_MAX);
    bt_str text;
    const enum bt_status status = make_text(&sync, now, &text);
    bt_buf_free(&sync.text);
    if (status == BT_OK) {
        *out = (struct bt_skill_registry_result){.text = text,
                                                 .total = sync.count,
                                                 .added = texts_of(&sync.added),
                                                 .updated = texts_of(&sync.updated),
                                                 .kept = texts_of(&sync.kept)};
    }
    return status;
}

enum bt_status bt_skill_registry_save(const struct bt_skill_catalogue *catalogue,
                                      const struct bt_skill_registry_result *sync,
                                      struct bt_arena *arena, struct bt_error *error)
{
    assert(catalogue);
    assert(sync);
    const bt_str path = catalogue->registry.path;
    bt_str again;
    BT_TRY(bt_file_replace(path, sync->text, error));
    BT_TRY(bt_file_read(arena, path, sync->text.len, &again, error));
    if (!bt_str_eq(again, sync->text)) {
        return bt_error_set(error, BT_ECORRUPT, "what was written cannot be read back");
    }
    return BT_OK;
}
