/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix_table.c - one table from finding to fix.
 *
 * Several keywords may reject one value; the fix depends on the value and on the part of the schema
 * that judges it, never on the keyword. So these codes share a row.
 */
#include "dialect/universal/fix_table.h"

#include <assert.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/str.h"
#include "dialect/universal/subschema.h"
#include "json/get.h"
#include "report/findings.h"
#include "report/rules.h"
#include "schema/nearest.h"

enum { SUMMARY_KEPT = 497 }; /* code points of a summary that is cut; "..." makes 500 */

#define TOKEN_COUNT "/handoff/meta/token_count"

/* A finding that is being looked at. */
struct universal_fix_finding {
    struct bt_universal_fix_finder *finder;
    const struct bt_universal_check *handoff;
    const struct bt_finding *finding;
    struct bt_arena *arena;
    struct bt_universal_location location;
};

typedef enum bt_status universal_fix_fn(const struct universal_fix_finding *context,
                                        struct bt_universal_fix_row *out);

static const bt_json_value *find_keyword(const struct universal_fix_finding *context,
                                         const bt_json_value *subschema, const char *name)
{
    return bt_json_get(context->handoff->universal->schema_document, subschema, bt_str_of(name));
}

static bool has_schema_type(const struct universal_fix_finding *context,
                            const bt_json_value *subschema, const char *type)
{
    const bt_json_value *types = find_keyword(context, subschema, "type");
    return types && (bt_json_lists_text(types, bt_str_of(type)) ||
                     bt_str_eq(bt_json_text(types), bt_str_of(type)));
}

static bool wants_strings(const struct universal_fix_finding *context)
{
    const bt_json_value *items = find_keyword(context, context->location.subschema, "items");
    return items && has_schema_type(context, context->location.subschema, "array") &&
           has_schema_type(context, items, "string");
}

static bool is_at(const struct universal_fix_finding *context, const char *pointer)
{
    return bt_str_eq(context->finding->pointer, bt_str_of(pointer));
}

/* Whether the schema lists the text among the values that it allows. */
static bool is_listed(const struct universal_fix_finding *context, bt_str text)
{
    const bt_json_value *only = find_keyword(context, context->location.subschema, "const");
    return bt_json_lists_text(find_keyword(context, context->location.subschema, "enum"), text) ||
           (only && bt_str_eq(bt_json_text(only), text));
}

/* Whether any text would do, apart from its length. */
static bool is_free_text(const struct universal_fix_finding *context)
{
    const bt_json_value *subschema = context->location.subschema;
    return !find_keyword(context, subschema, "enum") &&
           !find_keyword(context, subschema, "const") &&
           !find_keyword(context, subschema, "pattern");
}

static bool fits_length(const struct universal_fix_finding *context, bt_str text)
{
    const bt_json_value *most = find_keyword(context, context->location.subschema, "maxLength");
    return !most || (int64_t)bt_utf8_count(text) <= most->as.integer;
}

/* The value at the finding's pointer becomes this one. */
static enum bt_status set_value_fix(const struct universal_fix_finding *context,
                                    struct bt_universal_fix_value value, enum bt_fix fix,
                                    struct bt_universal_fix_row *out)
{
    *out = (struct bt_universal_fix_row){.fix = fix,
                                         .step = BT_UNIVERSAL_FIX_STEP_CONVERT,
                                         .pointer = context->finding->pointer,
                                         .value = value};
    return BT_OK;
}

/* The value at the finding's pointer becomes the text: as a string, an integer, or an array of one
 * string. */
static enum bt_status set_text_value_fix(const struct universal_fix_finding *context,
                                         enum bt_json_type type, bt_str text, enum bt_fix fix,
                                         struct bt_universal_fix_row *out)
{
    bt_str *copy = BT_NEW(context->arena, bt_str);
    BT_TRY(copy ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_arena_copy(context->arena, text, copy));
    return set_value_fix(context, (struct bt_universal_fix_value){type, {copy, 1}}, fix, out);
}

/* The value becomes what the buffer holds, as a string, if that is something else than it is. Ends
 * the buffer. */
static enum bt_status set_text_fix(const struct universal_fix_finding *context, struct bt_buf *text,
                                   enum bt_fix fix, struct bt_universal_fix_row *out)
{
    enum bt_status status = text->status;
    if (status == BT_OK && fix != BT_FIX_NONE) {
        status = set_text_value_fix(context, BT_JSON_STRING, bt_buf_str(text), fix, out);
    }
    bt_buf_free(text);
    return status;
}

static void set_recount_fix(struct bt_universal_fix_row *out)
{
    *out = (struct bt_universal_fix_row){
        .fix = BT_FIX_SAFE, .step = BT_UNIVERSAL_FIX_STEP_RECOUNT, .pointer = BT_STR(TOKEN_COUNT)};
}

/* What a finding of the schema says is missing. */
static bt_str missing_property(const struct bt_finding *finding)
{
    const struct bt_finding_arg *property = bt_finding_arg(finding, BT_STR("property"));
    assert(property);
    return property->as.text;
}

enum bt_status bt_universal_put_missing_pointer(const struct bt_finding *finding,
                                                struct bt_arena *arena, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, finding->pointer);
    bt_json_pointer_put(&buf, missing_property(finding));
    return bt_buf_finish(&buf, arena, out);
}

/* The members that have a default. What those without a type get is made when it is written. */
static const struct bt_universal_fix_default {
    bt_str pointer;
    enum bt_json_type type;
    bt_str text;
} defaults[] = {
    {BT_STR_INIT("/handoff/version"), BT_JSON_STRING, BT_STR_INIT("3.0")},
    {BT_STR_INIT("/handoff/schema_type"), BT_JSON_NONE, BT_STR_INIT("")},
    {BT_STR_INIT("/handoff/timestamp"), BT_JSON_NONE, BT_STR_INIT("")},
    {BT_STR_INIT("/handoff/trace_id"), BT_JSON_NONE, BT_STR_INIT("")},
    {BT_STR_INIT("/handoff/meta"), BT_JSON_OBJECT, BT_STR_INIT("")},
    {BT_STR_INIT("/handoff/meta/confidence"), BT_JSON_STRING, BT_STR_INIT("medium")},
};

/* What fills the place; nothing for most. */
static void set_default_value(bt_str pointer, struct bt_universal_fix_row *out)
{
    if (bt_str_eq(pointer, BT_STR(TOKEN_COUNT))) {
        set_recount_fix(out);
        return;
    }
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
        if (bt_str_eq(defaults[i].pointer, pointer)) {
            *out =
                (struct bt_universal_fix_row){.fix = BT_FIX_SAFE,
                                              .step = BT_UNIVERSAL_FIX_STEP_DEFAULT,
                                              .pointer = pointer,
                                              .value = {defaults[i].type, {&defaults[i].text, 1}}};
        }
    }
}

static void find_null_fix(const struct universal_fix_finding *context,
                          struct bt_universal_fix_row *out)
{
    const struct bt_universal_location *location = &context->location;
    const bool optional =
        location->member &&
        !bt_universal_subschema_requires(context->handoff->universal, location->holder_subschema,
                                         bt_json_name(location->member));
    if (optional) {
        *out = (struct bt_universal_fix_row){.fix = BT_FIX_SAFE,
                                             .step = BT_UNIVERSAL_FIX_STEP_NULL,
                                             .pointer = context->finding->pointer};
    } else {
        set_default_value(context->finding->pointer, out);
    }
}

static enum bt_status find_number_fix(const struct universal_fix_finding *context,
                                      struct bt_universal_fix_row *out)
{
    const bt_str text = bt_json_number_text(context->handoff->document, context->location.value);
    const bool three =
        is_at(context, "/handoff/version") && bt_json_decimal_compare(text, BT_STR("3")) == 0;
    if (three) {
        return set_text_value_fix(context, BT_JSON_STRING, BT_STR("3.0"), BT_FIX_SAFE, out);
    }
    const bool is_wanted = has_schema_type(context, context->location.subschema, "string") &&
                           is_free_text(context) && fits_length(context, text);
    return is_wanted ? set_text_value_fix(context, BT_JSON_STRING, text, BT_FIX_SAFE, out) : BT_OK;
}

static bt_str word_at(const void *allowed, size_t index)
{
    return bt_json_text(&bt_json_items(allowed)[index]);
}

/* A text outside the list of those that are allowed. */
static enum bt_status find_word_fix(const struct universal_fix_finding *context, bt_str text,
                                    struct bt_universal_fix_row *out)
{
    if (is_at(context, "/handoff/version")) {
        return BT_OK; /* a version that is there is never overwritten */
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_universal_fix_case(text, &buf);
    enum bt_fix fix = is_listed(context, bt_buf_str(&buf)) ? BT_FIX_SAFE : BT_FIX_NONE;
    const bt_json_value *allowed = find_keyword(context, context->location.subschema, "enum");
    const size_t count = allowed && fix == BT_FIX_NONE ? bt_json_count(allowed) : 0;
    const size_t nearest = bt_nearest_word(text, word_at, allowed, count);
    if (nearest < count) {
        bt_buf_clear(&buf);
        bt_buf_put(&buf, word_at(allowed, nearest));
        fix = BT_FIX_UNSAFE;
    }
    if (fix == BT_FIX_NONE && is_at(context, "/handoff/meta/confidence")) {
        bt_buf_clear(&buf);
        bt_buf_put_text(&buf, "medium");
        fix = BT_FIX_UNSAFE;
    }
    return set_text_fix(context, &buf, fix, out);
}

/* A date, identifier or hash in another spelling. */
static enum bt_status find_spelling_fix(const struct universal_fix_finding *context, bt_str text,
                                        struct bt_universal_fix_row *out)
{
    const bt_json_value *format = find_keyword(context, context->location.subschema, "format");
    const bt_str form = format ? bt_json_text(format) : BT_STR("");
    enum bt_fix fix = BT_FIX_NONE;
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    if (bt_str_eq(form, BT_STR("date-time"))) {
        fix = bt_universal_fix_date(text, &buf);
    } else if (bt_str_eq(form, BT_STR("uuid"))) {
        fix = bt_universal_fix_uuid(text, &buf) ? BT_FIX_SAFE : BT_FIX_NONE;
    } else {
        fix = bt_universal_fix_hash(text, &buf) ? BT_FIX_SAFE : BT_FIX_NONE;
    }
    return set_text_fix(context, &buf, fix, out);
}

static enum bt_status find_length_fix(const struct universal_fix_finding *context, bt_str text,
                                      struct bt_universal_fix_row *out)
{
    if (fits_length(context, text) || !is_at(context, "/handoff/context/summary")) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_universal_fix_truncate(text, SUMMARY_KEPT, &buf);
    return set_text_fix(context, &buf, BT_FIX_UNSAFE, out);
}

static enum bt_status find_text_fix(const struct universal_fix_finding *context,
                                    struct bt_universal_fix_row *out)
{
    const bt_json_value *subschema = context->location.subschema;
    const bt_str text = bt_json_text(context->location.value);
    if (has_schema_type(context, subschema, "integer")) {
        return bt_json_is_plain_integer(text)
                   ? set_text_value_fix(context, BT_JSON_INTEGER, text, BT_FIX_SAFE, out)
                   : BT_OK;
    }
    if (wants_strings(context)) { /* one text where a list of them is wanted */
        return set_text_value_fix(context, BT_JSON_ARRAY, text, BT_FIX_SAFE, out);
    }
    if (find_keyword(context, subschema, "enum") || find_keyword(context, subschema, "const")) {
        return find_word_fix(context, text, out);
    }
    return find_keyword(context, subschema, "pattern") ? find_spelling_fix(context, text, out)
                                                       : find_length_fix(context, text, out);
}

static enum bt_status find_value_fix(const struct universal_fix_finding *context,
                                     struct bt_universal_fix_row *out)
{
    const bt_json_value *value = context->location.value;
    if (is_at(context, TOKEN_COUNT)) {
        set_recount_fix(out);
        return BT_OK;
    }
    if (bt_json_type(value) == BT_JSON_NULL) {
        find_null_fix(context, out);
        return BT_OK;
    }
    if (bt_json_is_number(value)) {
        return find_number_fix(context, out);
    }
    return bt_json_type(value) == BT_JSON_STRING ? find_text_fix(context, out) : BT_OK;
}

static bt_str name_at(const void *names, size_t index)
{
    return bt_json_name(&bt_json_members(names)[index]);
}

/* What is known about the names of an object at a depth. Remembered, because an object may hold
 * very many members that are like one of its declared names; per level, because findings come in
 * the order of the document. */
static struct bt_universal_fix_level *level_of(const struct universal_fix_finding *context,
                                               size_t level, const bt_json_value *object,
                                               const bt_json_value *names)
{
    assert(level < BT_UNIVERSAL_FIX_LEVELS_MAX);
    assert(bt_json_count(names) <= 32);
    struct bt_universal_fix_level *known = &context->finder->levels[level];
    if (known->object != object) {
        *known = (struct bt_universal_fix_level){.object = object};
        for (size_t i = 0; i < bt_json_count(names); i++) {
            const bool there =
                bt_json_member(context->handoff->document, object, name_at(names, i)) != NULL;
            known->taken |= there ? UINT32_C(1) << i : 0;
        }
    }
    return known;
}

/* Which declared names are the nearest of a member that is not declared. */
static uint32_t find_meant(const struct universal_fix_finding *context, const bt_json_value *object,
                           const bt_json_value *names)
{
    const struct bt_json_doc *schema = context->handoff->universal->schema_document;
    uint32_t meant = 0;
    for (size_t i = 0; i < bt_json_count(object); i++) {
        const bt_str name = bt_json_name(&bt_json_members(object)[i]);
        if (!bt_json_get(schema, names, name)) {
            const size_t nearest = bt_nearest_word(name, name_at, names, bt_json_count(names));
            meant |= nearest < bt_json_count(names) ? UINT32_C(1) << nearest : 0;
        }
    }
    return meant;
}

void bt_universal_fix_finder_next(struct bt_universal_fix_finder *finder,
                                  const struct bt_universal_fix_row *fix_row)
{
    if (fix_row->step == BT_UNIVERSAL_FIX_STEP_RENAME) {
        finder->levels[fix_row->level].taken |= UINT32_C(1) << fix_row->name;
    }
}

/* The pointer of a sibling called `name`. */
static enum bt_status build_sibling_pointer(const struct universal_fix_finding *context,
                                            bt_str name, bt_str *out)
{
    const bt_str pointer = context->finding->pointer;
    const size_t slash = pointer.len - bt_str_after_last(pointer, '/').len;
    assert(slash > 0);
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, bt_str_slice(pointer, 0, slash - 1));
    bt_json_pointer_put(&buf, name);
    return bt_buf_finish(&buf, context->arena, out);
}

static enum bt_status find_name_fix(const struct universal_fix_finding *context,
                                    struct bt_universal_fix_row *out)
{
    const struct bt_universal_checker *universal = context->handoff->universal;
    const bt_json_value *judge = context->location.holder_subschema;
    const bt_json_value *names =
        context->location.member && judge ? find_keyword(context, judge, "properties") : NULL;
    if (!names) {
        return BT_OK;
    }
    const size_t nearest = bt_nearest_word(bt_json_name(context->location.member), name_at, names,
                                           bt_json_count(names));
    if (nearest == bt_json_count(names)) {
        return BT_OK;
    }
    const size_t level = context->location.depth - 1;
    const uint32_t taken = level_of(context, level, context->location.holder, names)->taken;
    if ((taken >> nearest & 1) != 0) {
        return BT_OK;
    }
    const bt_str meant = name_at(names, nearest);
    if (bt_str_eq(meant, BT_STR("user_approved"))) {
        return BT_OK; /* a typo must never become a person's consent */
    }
    *out = (struct bt_universal_fix_row){
        .fix = BT_FIX_UNSAFE,
        .step = BT_UNIVERSAL_FIX_STEP_RENAME,
        .onto_required = bt_universal_subschema_requires(universal, judge, meant),
        .level = (uint8_t)level,
        .name = (uint8_t)nearest,
        .pointer = context->finding->pointer,
    };
    return build_sibling_pointer(context, meant, &out->to);
}

/* A member of a closed object: renamed, or else removed. */
static enum bt_status find_member_fix(const struct universal_fix_finding *context,
                                      struct bt_universal_fix_row *out)
{
    BT_TRY(find_name_fix(context, out));
    if (out->step == BT_UNIVERSAL_FIX_STEP_NONE) {
        *out = (struct bt_universal_fix_row){.fix = BT_FIX_UNSAFE,
                                             .step = BT_UNIVERSAL_FIX_STEP_REMOVE,
                                             .pointer = context->finding->pointer};
    }
    return BT_OK;
}

/* Whether renaming a member of the object supplies `name`, which the object lacks. */
static bool is_meant(const struct universal_fix_finding *context, bt_str name)
{
    const struct bt_universal_location *location = &context->location;
    const bt_json_value *names =
        location->subschema ? find_keyword(context, location->subschema, "properties") : NULL;
    if (!names || bt_json_type(location->value) != BT_JSON_OBJECT) {
        return false;
    }
    struct bt_universal_fix_level *level =
        level_of(context, location->depth, location->value, names);
    if (!level->has_meant) {
        level->has_meant = true;
        level->meant = find_meant(context, location->value, names);
    }
    for (size_t i = 0; i < bt_json_count(names); i++) {
        if (bt_str_eq(name_at(names, i), name)) {
            return (level->meant >> i & 1) != 0;
        }
    }
    return false;
}

/* A missing member: supplied by the rename that fixes another finding, or else by its default.
 * A default beside the misspelled member would take the place of what the author wrote. */
static enum bt_status find_missing_member_fix(const struct universal_fix_finding *context,
                                              struct bt_universal_fix_row *out)
{
    if (is_meant(context, missing_property(context->finding))) {
        *out =
            (struct bt_universal_fix_row){.fix = BT_FIX_UNSAFE, .step = BT_UNIVERSAL_FIX_STEP_NONE};
        return BT_OK;
    }
    bt_str pointer = BT_STR("");
    BT_TRY(bt_universal_put_missing_pointer(context->finding, context->arena, &pointer));
    set_default_value(pointer, out);
    return BT_OK;
}

static enum bt_status find_zone_fix(const struct universal_fix_finding *context,
                                    struct bt_universal_fix_row *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const enum bt_fix fix = bt_universal_fix_date(bt_json_text(context->location.value), &buf);
    return set_text_fix(context, &buf, fix, out);
}

/* Counting again fixes a drift unless the document has more tokens than the schema lets it say, and
 * says so already. */
static enum bt_status find_drift_fix(const struct universal_fix_finding *context,
                                     struct bt_universal_fix_row *out)
{
    uint64_t declared = 0;
    const uint64_t counted = bt_universal_revision_count_of(context->handoff->document);
    if (!bt_universal_check_integer(context->handoff, context->location.value, &declared) ||
        declared != counted) {
        set_recount_fix(out);
    }
    return BT_OK;
}

static enum bt_status find_chain_fix(const struct universal_fix_finding *context,
                                     struct bt_universal_fix_row *out)
{
    const struct bt_finding_arg *kept = bt_finding_arg(context->finding, BT_STR("keep"));
    assert(kept);
    const struct bt_universal_fix_value value = {BT_JSON_ARRAY, kept->as.texts};
    return set_value_fix(context, value, BT_FIX_UNSAFE, out);
}

static enum bt_status find_size_fix(const struct universal_fix_finding *context,
                                    struct bt_universal_fix_row *out)
{
    bt_str actual = BT_STR("");
    BT_TRY(bt_arena_printf(context->arena, &actual, "%" PRIu64, context->handoff->seal.info.bytes));
    return set_text_value_fix(context, BT_JSON_INTEGER, actual, BT_FIX_UNSAFE, out);
}

static const struct universal_fix_table_row {
    enum bt_code code;
    universal_fix_fn *find_fix;
} rows[] = {
    {BT_CODE_SCHEMA_REQUIRED, find_missing_member_fix},
    {BT_CODE_SCHEMA_TYPE, find_value_fix},
    {BT_CODE_SCHEMA_CONST, find_value_fix},
    {BT_CODE_SCHEMA_ENUM, find_value_fix},
    {BT_CODE_SCHEMA_PATTERN, find_value_fix},
    {BT_CODE_SCHEMA_MAX_LENGTH, find_value_fix},
    {BT_CODE_SCHEMA_MINIMUM, find_value_fix},
    {BT_CODE_SCHEMA_MAXIMUM, find_value_fix},
    {BT_CODE_SCHEMA_UNEVALUATED_PROPERTIES, find_member_fix},
    {BT_CODE_UNKNOWN_MEMBER, find_name_fix},
    {BT_CODE_TIMESTAMP_NOT_UTC, find_zone_fix},
    {BT_CODE_TOKENS_DRIFT, find_drift_fix},
    {BT_CODE_CHAIN_TOO_LONG, find_chain_fix},
    {BT_CODE_PAYLOAD_SIZE_MISMATCH, find_size_fix},
};

static universal_fix_fn *find_fix_function(unsigned code)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].code == code) {
            return rows[i].find_fix;
        }
    }
    return NULL;
}

enum bt_status bt_universal_find_fix(struct bt_universal_fix_finder *finder,
                                     const struct bt_finding *finding, struct bt_arena *arena,
                                     struct bt_universal_fix_row *out)
{
    assert(finder->handoff);
    struct bt_universal_fix_row fix_row = {.fix = BT_FIX_NONE};
    universal_fix_fn *function =
        finder->handoff->document ? find_fix_function(finding->code) : NULL;
    struct universal_fix_finding context = {
        .finder = finder, .handoff = finder->handoff, .finding = finding, .arena = arena};
    if (function &&
        bt_universal_find_pointer(finder->handoff, finding->offset, &context.location)) {
        BT_TRY(function(&context, &fix_row));
    }
    *out = fix_row;
    return BT_OK;
}

enum bt_status bt_universal_mark_fixable(const struct bt_universal_check *handoff)
{
    struct bt_universal_fix_finder finder = {.handoff = handoff};
    for (size_t i = 0; i < bt_findings_count(handoff->findings); i++) {
        const struct bt_arena_mark before = bt_arena_mark(handoff->arena);
        struct bt_finding *finding = handoff->findings->items[i];
        struct bt_universal_fix_row fix_row;
        BT_TRY(bt_universal_find_fix(&finder, finding, handoff->arena, &fix_row));
        finding->fix = fix_row.fix;
        bt_arena_rewind(handoff->arena, before);
    }
    return BT_OK;
}
