/* SPDX-License-Identifier: Apache-2.0 */
/*
 * references.c - the text of a reference, its tests in their order and the two spellings; and all
 * references of a document: what each names, and whether it can be loaded.
 */
#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/map.h"
#include "base/str.h"
#include "dialect/plan/payload.h"
#include "dialect/plan/references.h"
#include "json/emit.h"
#include "report/rules.h"

enum { CELLS_BYTES_MAX = 1 << 30 };

bt_str bt_payload_references_identity(const struct bt_payload_references *refs, size_t site)
{
    assert(site < refs->sites_count);
    const struct bt_payload_reference_site *at = &refs->sites[site];
    if (at->schema == BT_ABSENT || !at->is_path) {
        return at->trimmed;
    }
    const struct bt_payload_named_schema *schema = &refs->schemas[at->schema];
    return schema->has_own_id ? schema->own_id : schema->id;
}

/* Report what is wrong with a schema, or with the text of a reference, at a site. */
static enum bt_status copy_findings_to_site(const struct bt_payload_references *refs, size_t site,
                                            bt_str cells, const struct bt_payload *payload)
{
    struct bt_buf pointer;
    BT_TRY(bt_findings_finish(payload->findings, payload->bytes));
    bt_buf_init(&pointer, CELLS_BYTES_MAX);
    refs->put_pointer(refs->context, site, &pointer);
    const struct bt_payload_finding_target target = {.pointer = bt_buf_str(&pointer),
                                                     .offset = refs->sites[site].offset,
                                                     .reference = refs->sites[site].trimmed,
                                                     .cells = cells};
    const enum bt_status status = pointer.status == BT_OK
                                      ? bt_payload_copy_finding(payload, &target, refs->findings)
                                      : pointer.status;
    bt_buf_free(&pointer);
    return status;
}

/* Report what is wrong with the text of a reference. */
static enum bt_status refuse_text(const struct bt_payload_references *refs, size_t site)
{
    struct bt_payload payload;
    struct bt_findings *findings = bt_findings_new(bt_findings_arena(refs->findings));
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_payload_begin(&payload, refs->plans, findings);
    BT_TRY(bt_payload_fetch(&payload, NULL, refs->sites[site].trimmed));
    assert(payload.step == BT_PAYLOAD_TEXT);
    return copy_findings_to_site(refs, site, BT_STR(""), &payload);
}

/* Record that a site names a schema. */
static enum bt_status add_named_schema(struct bt_payload_references *refs, struct bt_map *files,
                                       const struct bt_payload_reference *reference, size_t index)
{
    bt_str file;
    struct bt_payload_reference_site *site = &refs->sites[index];
    struct bt_arena *arena = bt_findings_arena(refs->findings);
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    BT_TRY(bt_payload_reference_file(reference, arena, &file));
    site->is_path = reference->is_path;
    struct bt_map_entry *entry = bt_map_find(files, bt_map_text(file));
    if (entry) {
        bt_arena_rewind(arena, mark);
        site->schema = bt_map_index(files, entry);
        struct bt_payload_named_schema *known = &refs->schemas[site->schema];
        refs->sites[known->last].next = index;
        known->last = index;
        known->cells++;
        return BT_OK;
    }
    BT_TRY(bt_map_add(files, bt_map_text(file), &entry));
    site->schema = bt_map_index(files, entry);
    struct bt_payload_named_schema *schema = &refs->schemas[refs->schemas_count++];
    *schema =
        (struct bt_payload_named_schema){.file = file, .cells = 1, .first = index, .last = index};
    return bt_payload_reference_id(reference, arena, &schema->id);
}

static enum bt_status read_site(struct bt_payload_references *refs, struct bt_map *files,
                                size_t index)
{
    struct bt_payload_reference_site *site = &refs->sites[index];
    site->trimmed = BT_STR("");
    site->schema = BT_ABSENT;
    site->next = BT_ABSENT;
    if (bt_plan_is_blank(site->text)) {
        return BT_OK;
    }
    site->trimmed = bt_plan_trim(site->text);
    const struct bt_payload_reference reference = bt_plan_reference_read(site->trimmed);
    return reference.refuse ? refuse_text(refs, index)
                            : add_named_schema(refs, files, &reference, index);
}

/* Put the pointers of all sites that name a schema, as a JSON array. */
static void put_cells(const struct bt_payload_references *refs, size_t schema, struct bt_buf *buf)
{
    struct bt_buf pointer;
    struct bt_emit emit;
    bt_buf_init(&pointer, CELLS_BYTES_MAX);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = refs->schemas[schema].first; i != BT_ABSENT; i = refs->sites[i].next) {
        bt_buf_clear(&pointer);
        refs->put_pointer(refs->context, i, &pointer);
        bt_emit_string(&emit, bt_buf_str(&pointer));
    }
    bt_emit_end(&emit);
    buf->status = buf->status == BT_OK ? pointer.status : buf->status;
    bt_buf_free(&pointer);
}

static enum bt_status copy_schema_findings(const struct bt_payload_references *refs, size_t index,
                                           const struct bt_payload *payload)
{
    struct bt_buf cells;
    bt_buf_init(&cells, CELLS_BYTES_MAX);
    put_cells(refs, index, &cells);
    const enum bt_status status =
        cells.status == BT_OK
            ? copy_findings_to_site(refs, refs->schemas[index].first, bt_buf_str(&cells), payload)
            : cells.status;
    bt_buf_free(&cells);
    return status;
}

static enum bt_status load_with(struct bt_payload_references *refs, size_t index,
                                struct bt_payload *payload)
{
    struct bt_payload_named_schema *schema = &refs->schemas[index];
    BT_TRY(bt_payload_fetch(payload, refs->root, schema->file));
    BT_TRY(bt_payload_judge(payload));
    schema->is_loaded = payload->step == BT_PAYLOAD_PASSED;
    const bt_json_value *id =
        payload->document
            ? bt_json_get(payload->document, bt_json_root(payload->document), BT_STR("$id"))
            : NULL;
    if (id && bt_json_type(id) == BT_JSON_STRING) {
        schema->has_own_id = true;
        schema->own_id = bt_json_text(id);
    }
    return bt_findings_count(payload->findings) > 0 ? copy_schema_findings(refs, index, payload)
                                                    : BT_OK;
}

static enum bt_status load_schema(struct bt_payload_references *refs, size_t index)
{
    struct bt_payload payload;
    struct bt_findings *findings = bt_findings_new(bt_findings_arena(refs->findings));
    BT_TRY(findings ? BT_OK : BT_ENOMEM);
    bt_payload_begin(&payload, refs->plans, findings);
    const enum bt_status status = load_with(refs, index, &payload);
    bt_payload_end(&payload);
    return status;
}

enum bt_status bt_payload_references_read(struct bt_payload_references *refs)
{
    assert(refs->sites);
    assert(refs->put_pointer);
    struct bt_arena *arena = bt_findings_arena(refs->findings);
    struct bt_map files;
    refs->schemas = BT_NEW_ARRAY(arena, struct bt_payload_named_schema, refs->sites_count + 1);
    BT_TRY(refs->schemas ? BT_OK : BT_ENOMEM);
    bt_map_init(&files, arena, refs->plans->env->hash_seed);
    for (size_t i = 0; i < refs->sites_count; i++) {
        BT_TRY(read_site(refs, &files, i));
    }
    for (size_t i = 0; refs->root && i < refs->schemas_count; i++) {
        BT_TRY(load_schema(refs, i));
    }
    return BT_OK;
}

static enum bt_plan_column side_of(size_t site)
{
    return site % 2 == 0 ? BT_PLAN_COLUMN_PAYLOAD_IN : BT_PLAN_COLUMN_PAYLOAD_OUT;
}

static void put_cell_pointer(const void *context, size_t site, struct bt_buf *buf)
{
    const struct bt_plan_check *plan = context;
    bt_plan_put_pointer(buf, plan->steps[site / 2].row, bt_plan_column_name(side_of(site)));
}

enum bt_status bt_plan_references(struct bt_plan_check *plan)
{
    const size_t count = 2 * plan->steps_count;
    plan->refs = (struct bt_payload_references){
        .plans = plan->plans,
        .findings = plan->findings,
        .root = plan->options.dir,
        .put_pointer = put_cell_pointer,
        .context = plan,
        .sites = BT_NEW_ARRAY(plan->arena, struct bt_payload_reference_site, count + 1),
        .sites_count = count};
    BT_TRY(plan->refs.sites ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const size_t row = plan->steps[i / 2].row;
        plan->refs.sites[i].text = bt_plan_text(plan, row, side_of(i));
        plan->refs.sites[i].offset = bt_plan_offset(plan, row, side_of(i));
    }
    return bt_payload_references_read(&plan->refs);
}

enum { REFERENCE_BYTES_MAX = 255 };

static const bt_str folder = BT_STR_INIT("schemas/handoff-payloads/");
static const bt_str suffix = BT_STR_INIT(".schema.json");

static bool is_scheme_byte(char byte)
{
    return bt_ascii_is_alnum(byte) || byte == '+' || byte == '.' || byte == '-';
}

static bool is_empty(bt_str text)
{
    return text.len == 0;
}

static bool has_nul(bt_str text)
{
    return bt_str_find_byte(text, '\0', 0) < text.len;
}

static bool has_newline(bt_str text)
{
    return bt_str_find_byte(text, '\n', 0) < text.len || bt_str_find_byte(text, '\r', 0) < text.len;
}

/* "://" anywhere, or a scheme of two or more characters: one letter and a colon is a drive. */
static bool is_url(bt_str text)
{
    if (bt_str_find(text, BT_STR("://")) < text.len) {
        return true;
    }
    size_t length = 0;
    while (length < text.len && is_scheme_byte(text.ptr[length])) {
        length++;
    }
    return length >= 2 && length < text.len && text.ptr[length] == ':' &&
           bt_ascii_is_alpha(text.ptr[0]);
}

static bool is_absolute(bt_str text)
{
    return text.ptr[0] == '/' || text.ptr[0] == '\\' ||
           (text.len > 1 && bt_ascii_is_alpha(text.ptr[0]) && text.ptr[1] == ':');
}

static bool has_dotdot(bt_str text)
{
    size_t begin = 0;
    for (size_t i = 0; i <= text.len; i++) {
        if (i == text.len || text.ptr[i] == '/' || text.ptr[i] == '\\') {
            if (bt_str_eq(bt_str_slice(text, begin, i), BT_STR(".."))) {
                return true;
            }
            begin = i + 1;
        }
    }
    return false;
}

/* In this order; the first that holds decides. */
static const struct plan_reference_test {
    bool (*holds)(bt_str text);
    bt_payload_refuse_fn *refuse;
} tests[] = {
    {is_empty, bt_add_ref_empty},       {has_nul, bt_add_ref_nul},
    {has_newline, bt_add_ref_newline},  {is_url, bt_add_ref_url},
    {is_absolute, bt_add_ref_absolute}, {has_dotdot, bt_add_ref_dotdot},
};

/* SLUG, `between`, digits, ".schema.json", and nothing else. */
static bool split_reference(bt_str text, bt_str between, struct bt_payload_reference *out)
{
    size_t at = 0;
    while (at < text.len && (bt_ascii_is_lower(text.ptr[at]) || bt_ascii_is_digit(text.ptr[at]) ||
                             text.ptr[at] == '-')) {
        at++;
    }
    const size_t slug = at;
    if (slug == 0 || !bt_str_starts_with(bt_str_slice(text, at, text.len), between)) {
        return false;
    }
    at += between.len;
    const size_t digits = at;
    while (at < text.len && bt_ascii_is_digit(text.ptr[at])) {
        at++;
    }
    if (at == digits || !bt_str_eq(bt_str_slice(text, at, text.len), suffix)) {
        return false;
    }
    out->slug = bt_str_slice(text, 0, slug);
    out->version = bt_str_slice(text, digits, at);
    return true;
}

int bt_payload_version_compare(bt_str a, bt_str b)
{
    while (a.len > 0 && a.ptr[0] == '0') {
        a = bt_str_slice(a, 1, a.len);
    }
    while (b.len > 0 && b.ptr[0] == '0') {
        b = bt_str_slice(b, 1, b.len);
    }
    return a.len != b.len ? (a.len > b.len) - (a.len < b.len) : bt_str_compare(a, b);
}

struct bt_payload_reference bt_plan_reference_read(bt_str text)
{
    struct bt_payload_reference reference = {0};
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (tests[i].holds(text)) {
            reference.refuse = tests[i].refuse;
            return reference;
        }
    }
    reference.is_path = bt_str_starts_with(text, folder);
    const bt_str rest = bt_str_slice(text, reference.is_path ? folder.len : 0, text.len);
    if (text.len > REFERENCE_BYTES_MAX ||
        !split_reference(rest, reference.is_path ? BT_STR(".v") : BT_STR("/v"), &reference)) {
        reference.refuse = bt_add_ref_pattern;
    }
    return reference;
}

bool bt_payload_reference_is_id(bt_str text)
{
    struct bt_payload_reference reference = {0};
    return text.len <= REFERENCE_BYTES_MAX && split_reference(text, BT_STR("/v"), &reference);
}

bool bt_payload_reference_of_name(bt_str name, struct bt_payload_reference *out)
{
    struct bt_payload_reference reference = {.is_path = true};
    if (!split_reference(name, BT_STR(".v"), &reference)) {
        return false;
    }
    *out = reference;
    return true;
}

enum bt_status bt_payload_reference_id(const struct bt_payload_reference *reference,
                                       struct bt_arena *arena, bt_str *out)
{
    return bt_arena_printf(arena, out, "%.*s/v%.*s.schema.json", BT_STR_ARG(reference->slug),
                           BT_STR_ARG(reference->version));
}

enum bt_status bt_payload_reference_file(const struct bt_payload_reference *reference,
                                         struct bt_arena *arena, bt_str *out)
{
    return bt_arena_printf(arena, out, "schemas/handoff-payloads/%.*s.v%.*s.schema.json",
                           BT_STR_ARG(reference->slug), BT_STR_ARG(reference->version));
}
