/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.c - the baseline file: which findings a run may have without showing them.
 *
 * Entries are sorted by the absolute path of their document, code and pointer, so those of one
 * document are neighbours; equal ones of the file are one entry with the sum of their counts.
 */
#include "select/baseline.h"

#include <assert.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/path.h"
#include "json/emit.h"
#include "json/options.h"
#include "report/rules.h"
#include "report/sort.h"

enum { WAS_JUDGED = 1, HAS_MATCHED = 2, MEMBER_COUNT = 4 };

static const uint64_t COUNT_MAX = 9007199254740991U; /* what every reader of JSON keeps exactly */

struct select_baseline_entry {
    bt_str path; /* absolute */
    bt_str code;
    bt_str pointer;
    uint64_t count;
    bool is_protected;
};

struct bt_select_baseline {
    bt_str folder;
    const struct select_baseline_entry *entries; /* sorted */
    size_t count;
};

struct select_baseline_entries {
    struct select_baseline_entry *items;
    size_t count;
    size_t capacity;
};

size_t bt_select_baseline_count(const struct bt_select_baseline *baseline)
{
    return baseline ? baseline->count : 0;
}

static int compare_entries(const struct select_baseline_entry *a,
                           const struct select_baseline_entry *b)
{
    int order = bt_str_compare(a->path, b->path);
    order = order != 0 ? order : bt_str_compare(a->code, b->code);
    return order != 0 ? order : bt_str_compare(a->pointer, b->pointer);
}

static int compare_indices(const void *context, size_t a, size_t b)
{
    const struct select_baseline_entry *entries = context;
    return compare_entries(&entries[a], &entries[b]);
}

/* Sort the entries, and make one of those that are equal. */
static enum bt_status sort_entries(struct bt_arena *arena,
                                   const struct select_baseline_entry *entries, size_t count,
                                   struct bt_select_baseline *out)
{
    const size_t *order = NULL;
    struct select_baseline_entry *sorted =
        BT_NEW_ARRAY(arena, struct select_baseline_entry, count + 1);
    size_t kept = 0;
    BT_TRY(sorted ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_sort_indices_new(arena, count, compare_indices, entries, &order));
    for (size_t i = 0; i < count; i++) {
        const struct select_baseline_entry *entry = &entries[order[i]];
        struct select_baseline_entry *before = kept > 0 ? &sorted[kept - 1] : NULL;
        if (before && compare_entries(before, entry) == 0) {
            before->count =
                entry->count < COUNT_MAX - before->count ? before->count + entry->count : COUNT_MAX;
        } else {
            sorted[kept++] = *entry;
        }
    }
    out->entries = sorted;
    out->count = kept;
    return BT_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static bool is_protected_code(bt_str code)
{
    const size_t row = bt_rules_find(code);
    return row < bt_rules_count() && bt_select_lowest(bt_rules_at(row)->id).is_protected;
}

/* Whether a value is a text that a finding can have; *out is the text. */
static bool take_text(const struct bt_json_doc *document, const bt_json_value *object,
                      const char *name, bt_str *out)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    const bool is_text = value && bt_json_type(value) == BT_JSON_STRING &&
                         (value->flags & BT_JSON_FLAG_LONE_SURROGATE) == 0;
    *out = is_text ? bt_json_text(value) : BT_STR("");
    return is_text;
}

static enum bt_status read_entry(struct bt_arena *arena, bt_str folder,
                                 const struct bt_json_doc *document, const bt_json_value *value,
                                 struct select_baseline_entry *out)
{
    bt_str path;
    const bt_json_value *count = bt_json_get(document, value, BT_STR("count"));
    if (bt_json_type(value) != BT_JSON_OBJECT || bt_json_count(value) != MEMBER_COUNT ||
        !take_text(document, value, "path", &path) || path.len == 0 || path.ptr[0] == '/' ||
        bt_str_find_byte(path, '\0', 0) < path.len ||
        !take_text(document, value, "code", &out->code) ||
        !take_text(document, value, "pointer", &out->pointer) || !count ||
        bt_json_type(count) != BT_JSON_INTEGER || count->as.integer < 1 ||
        (uint64_t)count->as.integer > COUNT_MAX) {
        return BT_EINVAL;
    }
    out->count = (uint64_t)count->as.integer;
    out->is_protected = is_protected_code(out->code);
    BT_TRY(bt_arena_printf(arena, &path, "%.*s/%.*s", BT_STR_ARG(folder), BT_STR_ARG(path)));
    return bt_path_resolve(arena, path, &out->path);
}

static enum bt_status read_entries(struct bt_arena *arena, const struct bt_json_doc *document,
                                   const bt_json_value *list, struct bt_select_baseline *baseline,
                                   struct bt_error *error)
{
    const size_t count = bt_json_count(list);
    struct select_baseline_entry *entries =
        BT_NEW_ARRAY(arena, struct select_baseline_entry, count + 1);
    BT_TRY(entries ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const enum bt_status status =
            read_entry(arena, baseline->folder, document, &bt_json_items(list)[i], &entries[i]);
        if (status == BT_EINVAL) {
            return bt_error_set(error, status,
                                "/findings/%zu is not an entry with a relative path, code, pointer "
                                "and count",
                                i);
        }
        BT_TRY(status);
    }
    return sort_entries(arena, entries, count, baseline);
}

enum bt_status bt_select_baseline_read(struct bt_arena *arena, bt_str folder, bt_str text,
                                       const struct bt_select_baseline **out,
                                       struct bt_error *error)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    struct bt_select_baseline *baseline = BT_NEW(arena, struct bt_select_baseline);
    BT_TRY(baseline ? BT_OK : BT_ENOMEM);
    baseline->folder = folder;
    options.document_bytes_max = BT_SELECT_BASELINE_BYTES_MAX;
    options.nodes_max = BT_SELECT_BASELINE_BYTES_MAX;
    /* from: file */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    if (!read.document) {
        return bt_error_set(error, BT_EINVAL, "it is not JSON: %s at byte %zu", read.detail,
                            read.offset);
    }
    const bt_json_value *root = bt_json_root(read.document);
    const bt_json_value *version = bt_json_get(read.document, root, BT_STR("baton_baseline"));
    const bt_json_value *list = bt_json_get(read.document, root, BT_STR("findings"));
    if (!version || bt_json_type(version) != BT_JSON_INTEGER || version->as.integer != 1) {
        return bt_error_set(error, BT_EINVAL, "it has no \"baton_baseline\": 1");
    }
    if (!list || bt_json_type(list) != BT_JSON_ARRAY || bt_json_count(root) != 2) {
        return bt_error_set(error, BT_EINVAL, "it is not an object of baton_baseline and findings");
    }
    BT_TRY(read_entries(arena, read.document, list, baseline, error));
    *out = baseline;
    return BT_OK;
}

const struct bt_select_baseline *bt_select_baseline_empty(struct bt_arena *arena, bt_str folder)
{
    struct bt_select_baseline *baseline = BT_NEW(arena, struct bt_select_baseline);
    if (baseline) {
        baseline->folder = folder;
    }
    return baseline;
}

/* ---- One document ---------------------------------------------------------------------------- */

/* The first entry that is not before `wanted`. */
static size_t find_entry(const struct bt_select_baseline *baseline,
                         const struct select_baseline_entry *wanted)
{
    size_t low = 0;
    size_t high = baseline->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_entries(&baseline->entries[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

enum bt_status bt_select_baseline_match(const struct bt_select *select, struct bt_arena *arena,
                                        bt_str path, struct bt_select_baseline_match *out)
{
    const struct bt_select_baseline *baseline = select->baseline;
    const struct select_baseline_entry wanted = {.path = path};
    *out = (struct bt_select_baseline_match){.select = select};
    /* A path that is not UTF-8 cannot be written as JSON. */
    if (select->mode == BT_SELECT_BASELINE_OFF || path.len == 0 ||
        bt_utf8_check(path) != path.len) {
        return BT_OK;
    }
    out->path = path;
    out->first = find_entry(baseline, &wanted);
    while (out->first + out->count < baseline->count &&
           bt_str_eq(baseline->entries[out->first + out->count].path, path)) {
        out->count++;
    }
    out->used = BT_NEW_ARRAY(arena, uint64_t, out->count + 1);
    return out->used ? BT_OK : BT_ENOMEM;
}

/* Let an entry of the file cover a finding. */
static bool use_entry(struct bt_select_baseline_match *match, const struct bt_finding *finding)
{
    const struct bt_select_baseline *baseline = match->select->baseline;
    const struct select_baseline_entry wanted = {
        .path = match->path, .code = finding->rule->code, .pointer = finding->pointer};
    const size_t at = find_entry(baseline, &wanted);
    if (at == baseline->count || compare_entries(&baseline->entries[at], &wanted) != 0 ||
        match->used[at - match->first] == baseline->entries[at].count) {
        return false;
    }
    match->used[at - match->first]++;
    return true;
}

enum bt_status bt_select_baseline_take(struct bt_select_baseline_match *match,
                                       struct bt_arena *arena, const struct bt_finding *finding,
                                       bool is_protected, bool *out_taken)
{
    *out_taken = false;
    if (match->path.len == 0) {
        return BT_OK;
    }
    if (match->select->mode == BT_SELECT_BASELINE_USE) {
        *out_taken = !is_protected && use_entry(match, finding);
        return BT_OK;
    }
    if (finding->severity < BT_SEVERITY_WARN) {
        return BT_OK;
    }
    match->refused += is_protected ? 1 : 0;
    *out_taken = !is_protected;
    const struct bt_select_baseline_item item = {finding->rule->code, finding->pointer};
    return is_protected ? BT_OK : bt_vec_push(arena, &match->added, item);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static enum bt_status copy_items(struct bt_select_usage *usage,
                                 const struct bt_select_baseline_match *match, bt_str path)
{
    struct bt_arena *arena = usage->arena;
    struct bt_select_baseline_item *items =
        BT_NEW_ARRAY(arena, struct bt_select_baseline_item, match->added.count + 1);
    struct bt_select_written written = {.items = items, .count = match->added.count};
    BT_TRY(items ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_arena_copy(arena, path, &written.path));
    for (size_t i = 0; i < match->added.count; i++) {
        items[i] = match->added.items[i]; /* codes are constants */
        BT_TRY(bt_arena_copy(arena, match->added.items[i].pointer, &items[i].pointer));
    }
    return bt_vec_push(arena, &usage->written, written);
}

enum bt_status bt_select_baseline_note(struct bt_select_usage *usage, bt_str path,
                                       const struct bt_select_baseline_match *match)
{
    for (size_t i = 0; i < match->count; i++) {
        usage->entries[match->first + i] |=
            match->used[i] > 0 ? WAS_JUDGED | HAS_MATCHED : WAS_JUDGED;
    }
    usage->refused += match->refused;
    return match->added.count > 0 ? copy_items(usage, match, path) : BT_OK;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int compare_written(const void *context, size_t a, size_t b)
{
    const struct bt_select_written *written = context;
    return bt_str_compare(written[a].path, written[b].path);
}

/* Add what was found in this run. A document that was judged twice counts once. */
static enum bt_status add_written(const struct bt_select_usage *usage,
                                  struct select_baseline_entries *all)
{
    const struct bt_select_written *written = usage->written.items;
    const size_t *order = NULL;
    BT_TRY(
        bt_sort_indices_new(usage->arena, usage->written.count, compare_written, written, &order));
    for (size_t i = 0; i < usage->written.count; i++) {
        const struct bt_select_written *document = &written[order[i]];
        const bool is_new = i == 0 || !bt_str_eq(document->path, written[order[i - 1]].path);
        for (size_t j = 0; is_new && j < document->count; j++) {
            const struct select_baseline_entry entry = {.path = document->path,
                                                        .code = document->items[j].code,
                                                        .pointer = document->items[j].pointer,
                                                        .count = 1};
            BT_TRY(bt_vec_push(usage->arena, all, entry));
        }
    }
    return BT_OK;
}

/* Add the old entries of documents that still exist and were not part of this run. */
static enum bt_status add_old(const struct bt_select_usage *usage, bt_select_exists_fn *exists,
                              void *context, struct select_baseline_entries *all)
{
    const struct bt_select_baseline *old = usage->select->baseline;
    for (size_t i = 0; i < old->count; i++) {
        const struct select_baseline_entry *entry = &old->entries[i];
        if (usage->entries[i] == 0 && !entry->is_protected && exists(context, entry->path)) {
            BT_TRY(bt_vec_push(usage->arena, all, *entry));
        }
    }
    return BT_OK;
}

static bool has_entry(const struct bt_select_baseline *baseline,
                      const struct select_baseline_entry *wanted)
{
    const size_t at = find_entry(baseline, wanted);
    return at < baseline->count && compare_entries(&baseline->entries[at], wanted) == 0;
}

/* The number of entries of `a` that `b` does not have. */
static uint64_t count_missing(const struct bt_select_baseline *a,
                              const struct bt_select_baseline *b)
{
    uint64_t missing = 0;
    for (size_t i = 0; i < a->count; i++) {
        missing += !has_entry(b, &a->entries[i]);
    }
    return missing;
}

/* The path of a document as seen from a folder; both are absolute. */
static enum bt_status make_relative(struct bt_arena *arena, bt_str folder, bt_str path, bt_str *out)
{
    struct bt_buf buf;
    size_t common = 0; /* the length of the folder that both lie in */
    size_t at = 0;
    while (at < folder.len && at + 1 < path.len && folder.ptr[at] == path.ptr[at]) {
        at++;
        common = (at == folder.len || folder.ptr[at] == '/') && path.ptr[at] == '/' ? at : common;
    }
    bt_buf_init(&buf, SIZE_MAX);
    for (size_t i = common; i < folder.len; i++) {
        bt_buf_put_text(&buf, folder.ptr[i] == '/' ? "../" : "");
    }
    bt_buf_put(&buf, bt_str_slice(path, common + 1, path.len));
    return bt_buf_finish(&buf, arena, out);
}

static void put_string(struct bt_buf *buf, const char *before, bt_str text)
{
    struct bt_emit emit;
    bt_buf_put_text(buf, before);
    bt_emit_init(&emit, buf, false);
    bt_emit_string(&emit, text);
}

/* Put the file, sorted by the paths that it has. */
static enum bt_status put_baseline(struct bt_arena *arena,
                                   const struct bt_select_baseline *baseline, struct bt_buf *buf)
{
    struct select_baseline_entry *shown =
        BT_NEW_ARRAY(arena, struct select_baseline_entry, baseline->count + 1);
    const size_t *order = NULL;
    BT_TRY(shown ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < baseline->count; i++) {
        shown[i] = baseline->entries[i];
        BT_TRY(make_relative(arena, baseline->folder, shown[i].path, &shown[i].path));
    }
    BT_TRY(bt_sort_indices_new(arena, baseline->count, compare_indices, shown, &order));
    bt_buf_put_text(buf, "{\n  \"baton_baseline\": 1,\n  \"findings\": [");
    for (size_t i = 0; i < baseline->count; i++) {
        const struct select_baseline_entry *entry = &shown[order[i]];
        bt_buf_put_text(buf, i == 0 ? "\n" : ",\n");
        put_string(buf, "    {\"path\": ", entry->path);
        put_string(buf, ", \"code\": ", entry->code);
        put_string(buf, ", \"pointer\": ", entry->pointer);
        bt_buf_printf(buf, ", \"count\": %" PRIu64 "}", entry->count);
    }
    bt_buf_put_text(buf, baseline->count == 0 ? "]\n}\n" : "\n  ]\n}\n");
    return buf->status;
}

static enum bt_status write_baseline(const struct bt_select_usage *usage,
                                     bt_select_exists_fn *exists, void *context, struct bt_buf *buf,
                                     struct bt_select_baseline_totals *out)
{
    const struct bt_select_baseline *old = usage->select->baseline;
    struct bt_select_baseline made = {.folder = old->folder};
    struct select_baseline_entries all = {0};
    BT_TRY(add_written(usage, &all));
    BT_TRY(sort_entries(usage->arena, all.items, all.count, &made));
    out->used = made.count;
    BT_TRY(add_old(usage, exists, context, &all));
    BT_TRY(sort_entries(usage->arena, all.items, all.count, &made));
    out->entries = made.count;
    out->added = count_missing(&made, old);
    out->removed = count_missing(old, &made);
    out->refused = usage->refused;
    return put_baseline(usage->arena, &made, buf);
}

/* ---- The end of a run ------------------------------------------------------------------------ */

enum bt_status bt_select_baseline_finish(struct bt_select_usage *usage, bt_select_exists_fn *exists,
                                         void *context, struct bt_findings *findings,
                                         struct bt_buf *buf, struct bt_select_baseline_totals *out)
{
    const struct bt_select_baseline *baseline = usage->select->baseline;
    const struct bt_location whole = bt_location_pointer(BT_STR(""), BT_OFFSET_NONE);
    struct bt_select_baseline_totals totals = {.entries = bt_select_baseline_count(baseline)};
    uint64_t without_effect = 0;
    assert(usage->select->mode != BT_SELECT_BASELINE_OFF);
    if (usage->select->mode == BT_SELECT_BASELINE_WRITE) {
        BT_TRY(write_baseline(usage, exists, context, buf, &totals));
        *out = totals;
        return BT_OK;
    }
    for (size_t i = 0; i < baseline->count; i++) {
        const bool has_effect = !baseline->entries[i].is_protected;
        without_effect += !has_effect;
        totals.used += (usage->entries[i] & HAS_MATCHED) != 0;
        totals.stale += has_effect && usage->entries[i] == WAS_JUDGED;
    }
    if (without_effect > 0) {
        BT_TRY(bt_add_baseline_protected(findings, whole, without_effect));
    }
    if (totals.stale > 0) {
        BT_TRY(bt_add_baseline_stale(findings, whole, totals.stale));
    }
    *out = totals;
    return BT_OK;
}
