/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mend.c - one table from finding to fix.
 *
 * Several keywords may find fault with one value; what mends the value depends on the value and on
 * the part of the schema that judges it, never on which keyword spoke. So these codes share a row.
 */
#include "dialect/universal/mend.h"

#include <assert.h>
#include <inttypes.h>

#include "dialect/universal/convert.h"
#include "dialect/universal/spot.h"
#include "dialect/universal/subschema.h"
#include "report/findings.h"
#include "schema/nearest.h"

enum { SUMMARY_KEPT = 497 }; /* code points of a summary that is cut; "..." makes 500 */

#define TOKEN_COUNT "/handoff/meta/token_count"

/* A finding that is being looked at. */
struct patient {
    struct bt_mender *mender;
    const struct bt_handoff *handoff;
    const struct bt_finding *finding;
    struct bt_arena *arena;
    struct bt_spot spot;
};

typedef enum bt_status mend_fn(const struct patient *patient, struct bt_mend *out);

/* ---- What the schema says about a place ------------------------------------------------------ */

static const bt_value *keyword(const struct patient *patient, const bt_value *subschema,
                               const char *name)
{
    return bt_json_get(patient->handoff->universal->schema_document, subschema, bt_str_of(name));
}

static bool wants(const struct patient *patient, const bt_value *subschema, const char *type)
{
    const bt_value *types = keyword(patient, subschema, "type");
    if (!types) {
        return false;
    }
    for (size_t i = 0; i < bt_json_count(types); i++) {
        if (bt_str_eq(bt_json_text(&bt_json_items(types)[i]), bt_str_of(type))) {
            return true;
        }
    }
    return bt_str_eq(bt_json_text(types), bt_str_of(type));
}

static bool wants_strings(const struct patient *patient)
{
    const bt_value *items = keyword(patient, patient->spot.subschema, "items");
    return items && wants(patient, patient->spot.subschema, "array") &&
           wants(patient, items, "string");
}

static bool is_at(const struct patient *patient, const char *pointer)
{
    return bt_str_eq(patient->finding->pointer, bt_str_of(pointer));
}

/* Whether the schema lists the text among the values that it allows. */
static bool is_listed(const struct patient *patient, bt_str text)
{
    const bt_value *allowed = keyword(patient, patient->spot.subschema, "enum");
    for (size_t i = 0; allowed && i < bt_json_count(allowed); i++) {
        if (bt_str_eq(bt_json_text(&bt_json_items(allowed)[i]), text)) {
            return true;
        }
    }
    const bt_value *only = keyword(patient, patient->spot.subschema, "const");
    return only && bt_str_eq(bt_json_text(only), text);
}

/* Whether any text would do, apart from its length. */
static bool is_free_text(const struct patient *patient)
{
    const bt_value *subschema = patient->spot.subschema;
    return !keyword(patient, subschema, "enum") && !keyword(patient, subschema, "const") &&
           !keyword(patient, subschema, "pattern");
}

static bool fits_length(const struct patient *patient, bt_str text)
{
    const bt_value *most = keyword(patient, patient->spot.subschema, "maxLength");
    return !most || (int64_t)bt_utf8_count(text) <= most->as.integer;
}

/* ---- Making mends ---------------------------------------------------------------------------- */

static enum bt_status keep_string(const struct patient *patient, bt_str text, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_json_put_string(&buf, text);
    const enum bt_status status = bt_buf_keep(&buf, patient->arena, out);
    bt_buf_free(&buf);
    return status;
}

/* The value at the finding's pointer becomes this JSON text. */
static enum bt_status becomes(const struct patient *patient, bt_str json, enum bt_fix fix,
                              struct bt_mend *out)
{
    *out = (struct bt_mend){
        .fix = fix, .step = BT_MEND_CONVERT, .pointer = patient->finding->pointer, .value = json};
    return BT_OK;
}

/* The value becomes what the buffer holds, as a string, if that is something else than it is. Ends
 * the buffer. */
static enum bt_status becomes_text(const struct patient *patient, struct bt_buf *text,
                                   enum bt_fix fix, struct bt_mend *out)
{
    bt_str json = BT_STR("");
    enum bt_status status = text->status;
    if (status == BT_OK && fix != BT_FIX_NONE) {
        status = keep_string(patient, bt_buf_str(text), &json);
        if (status == BT_OK) {
            status = becomes(patient, json, fix, out);
        }
    }
    bt_buf_free(text);
    return status;
}

static void recount(struct bt_mend *out)
{
    *out = (struct bt_mend){
        .fix = BT_FIX_SAFE, .step = BT_MEND_RECOUNT, .pointer = BT_STR(TOKEN_COUNT)};
}

/* A member of the params of a finding: its value, and the JSON text of it. */
static enum bt_status param(const struct bt_finding *finding, struct bt_arena *arena,
                            const char *name, bt_value *out, bt_str *out_json)
{
    struct bt_json_result read;
    BT_TRY(bt_json_read(arena, finding->params, NULL, &read));
    assert(read.document); /* params are ours */
    const bt_value *value =
        bt_json_get(read.document, bt_json_root(read.document), bt_str_of(name));
    assert(value);
    const struct bt_json_span span = bt_json_span(read.document, value);
    *out = *value;
    *out_json = bt_str_slice(finding->params, span.begin, span.end);
    return BT_OK;
}

enum bt_status bt_missing_pointer(const struct bt_finding *finding, struct bt_arena *arena,
                                  bt_str *out)
{
    bt_value name;
    bt_str json = BT_STR("");
    BT_TRY(param(finding, arena, "property", &name, &json));
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, finding->pointer);
    bt_pointer_put(&buf, bt_json_text(&name));
    const enum bt_status status = bt_buf_keep(&buf, arena, out);
    bt_buf_free(&buf);
    return status;
}

/* ---- Defaults -------------------------------------------------------------------------------- */

/* The members that have a default. What timestamp and trace_id get is made when it is written. */
static const struct bt_mend_default {
    bt_str pointer;
    bt_str value; /* JSON text, or "" */
} defaults[] = {
    {BT_STR_INIT("/handoff/version"), BT_STR_INIT("\"3.0\"")},
    {BT_STR_INIT("/handoff/schema_type"), BT_STR_INIT("\"universal\"")},
    {BT_STR_INIT("/handoff/timestamp"), BT_STR_INIT("")},
    {BT_STR_INIT("/handoff/trace_id"), BT_STR_INIT("")},
    {BT_STR_INIT("/handoff/meta"), BT_STR_INIT("{}")},
    {BT_STR_INIT("/handoff/meta/confidence"), BT_STR_INIT("\"medium\"")},
};

/* What fills the place; nothing for most. */
static void fill(bt_str pointer, struct bt_mend *out)
{
    if (bt_str_eq(pointer, BT_STR(TOKEN_COUNT))) {
        recount(out);
        return;
    }
    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
        if (bt_str_eq(defaults[i].pointer, pointer)) {
            *out = (struct bt_mend){.fix = BT_FIX_SAFE,
                                    .step = BT_MEND_DEFAULT,
                                    .pointer = pointer,
                                    .value = defaults[i].value};
        }
    }
}

static void mend_null(const struct patient *patient, struct bt_mend *out)
{
    const struct bt_spot *spot = &patient->spot;
    const bool optional =
        spot->member && !bt_subschema_requires(patient->handoff->universal, spot->holder_subschema,
                                               bt_json_name(spot->member));
    if (optional) {
        *out = (struct bt_mend){
            .fix = BT_FIX_SAFE, .step = BT_MEND_NULL, .pointer = patient->finding->pointer};
    } else {
        fill(patient->finding->pointer, out);
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

static enum bt_status mend_number(const struct patient *patient, struct bt_mend *out)
{
    const bt_str text = bt_json_number_text(patient->handoff->document, patient->spot.value);
    const bool three =
        is_at(patient, "/handoff/version") && bt_decimal_compare(text, BT_STR("3")) == 0;
    if (three) {
        return becomes(patient, BT_STR("\"3.0\""), BT_FIX_SAFE, out);
    }
    if (!wants(patient, patient->spot.subschema, "string") || !is_free_text(patient) ||
        !fits_length(patient, text)) {
        return BT_OK;
    }
    bt_str json = BT_STR("");
    BT_TRY(keep_string(patient, text, &json));
    return becomes(patient, json, BT_FIX_SAFE, out);
}

/* A text outside the list of those that are allowed. */
static enum bt_status mend_word(const struct patient *patient, bt_str text, struct bt_mend *out)
{
    if (is_at(patient, "/handoff/version")) {
        return BT_OK; /* a version that is there is never overwritten */
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_convert_letters(text, &buf);
    enum bt_fix fix = is_listed(patient, bt_buf_str(&buf)) ? BT_FIX_SAFE : BT_FIX_NONE;
    if (fix == BT_FIX_NONE && is_at(patient, "/handoff/meta/confidence")) {
        bt_buf_clear(&buf);
        bt_buf_put_text(&buf, "medium");
        fix = BT_FIX_UNSAFE;
    }
    return becomes_text(patient, &buf, fix, out);
}

/* A date, identifier or hash in another spelling. */
static enum bt_status mend_spelling(const struct patient *patient, bt_str text, struct bt_mend *out)
{
    const bt_value *format = keyword(patient, patient->spot.subschema, "format");
    const bt_str form = format ? bt_json_text(format) : BT_STR("");
    enum bt_fix fix = BT_FIX_NONE;
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    if (bt_str_eq(form, BT_STR("date-time"))) {
        fix = bt_convert_date(text, &buf);
    } else if (bt_str_eq(form, BT_STR("uuid"))) {
        fix = bt_convert_uuid(text, &buf) ? BT_FIX_SAFE : BT_FIX_NONE;
    } else {
        fix = bt_convert_hash(text, &buf) ? BT_FIX_SAFE : BT_FIX_NONE;
    }
    return becomes_text(patient, &buf, fix, out);
}

static enum bt_status mend_length(const struct patient *patient, bt_str text, struct bt_mend *out)
{
    if (fits_length(patient, text) || !is_at(patient, "/handoff/context/summary")) {
        return BT_OK;
    }
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_convert_cut(text, SUMMARY_KEPT, &buf);
    return becomes_text(patient, &buf, BT_FIX_UNSAFE, out);
}

/* One text where a list of them is wanted. */
static enum bt_status mend_single(const struct patient *patient, bt_str text, struct bt_mend *out)
{
    bt_str json = BT_STR("");
    bt_str list = BT_STR("");
    BT_TRY(keep_string(patient, text, &json));
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_char(&buf, '[');
    bt_buf_put(&buf, json);
    bt_buf_put_char(&buf, ']');
    const enum bt_status status = bt_buf_keep(&buf, patient->arena, &list);
    bt_buf_free(&buf);
    return status == BT_OK ? becomes(patient, list, BT_FIX_SAFE, out) : status;
}

static enum bt_status mend_text(const struct patient *patient, struct bt_mend *out)
{
    const bt_value *subschema = patient->spot.subschema;
    const bt_str text = bt_json_text(patient->spot.value);
    if (wants(patient, subschema, "integer")) {
        return bt_is_plain_integer(text) ? becomes(patient, text, BT_FIX_SAFE, out) : BT_OK;
    }
    if (wants_strings(patient)) {
        return mend_single(patient, text, out);
    }
    if (keyword(patient, subschema, "enum") || keyword(patient, subschema, "const")) {
        return mend_word(patient, text, out);
    }
    return keyword(patient, subschema, "pattern") ? mend_spelling(patient, text, out)
                                                  : mend_length(patient, text, out);
}

static enum bt_status mend_value(const struct patient *patient, struct bt_mend *out)
{
    const bt_value *value = patient->spot.value;
    if (is_at(patient, TOKEN_COUNT)) {
        recount(out);
        return BT_OK;
    }
    if (bt_json_type(value) == BT_JSON_NULL) {
        mend_null(patient, out);
        return BT_OK;
    }
    if (bt_json_is_number(value)) {
        return mend_number(patient, out);
    }
    return bt_json_type(value) == BT_JSON_STRING ? mend_text(patient, out) : BT_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bt_str name_at(const void *names, size_t index)
{
    return bt_json_name(&bt_json_members(names)[index]);
}

/* What is known about the names of an object at a depth. Remembered, because an object may hold
 * very many members that are like one of its declared names; per level, because findings come in
 * the order of the document. */
static struct bt_mender_level *level_of(const struct patient *patient, size_t level,
                                        const bt_value *object, const bt_value *names)
{
    assert(level < BT_MENDER_LEVELS);
    assert(bt_json_count(names) <= 32);
    struct bt_mender_level *known = &patient->mender->levels[level];
    if (known->object != object) {
        *known = (struct bt_mender_level){.object = object};
        for (size_t i = 0; i < bt_json_count(names); i++) {
            const bool there =
                bt_json_member(patient->handoff->document, object, name_at(names, i)) != NULL;
            known->taken |= there ? UINT32_C(1) << i : 0;
        }
    }
    return known;
}

/* Which declared names are the nearest of a member that is not declared. */
static uint32_t find_meant(const struct patient *patient, const bt_value *object,
                           const bt_value *names)
{
    const struct bt_doc *schema = patient->handoff->universal->schema_document;
    uint32_t meant = 0;
    for (size_t i = 0; i < bt_json_count(object); i++) {
        const bt_str name = bt_json_name(&bt_json_members(object)[i]);
        if (!bt_json_get(schema, names, name)) {
            const size_t nearest = bt_nearest(name, name_at, names, bt_json_count(names));
            meant |= nearest < bt_json_count(names) ? UINT32_C(1) << nearest : 0;
        }
    }
    return meant;
}

void bt_mender_take(struct bt_mender *mender, const struct bt_mend *mend)
{
    if (mend->step == BT_MEND_RENAME) {
        mender->levels[mend->level].taken |= UINT32_C(1) << mend->name;
    }
}

/* The pointer of a sibling called `name`. */
static enum bt_status beside(const struct patient *patient, bt_str name, bt_str *out)
{
    size_t slash = patient->finding->pointer.len;
    while (slash > 0 && patient->finding->pointer.ptr[slash - 1] != '/') {
        slash--;
    }
    assert(slash > 0);
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put(&buf, bt_str_slice(patient->finding->pointer, 0, slash - 1));
    bt_pointer_put(&buf, name);
    const enum bt_status status = bt_buf_keep(&buf, patient->arena, out);
    bt_buf_free(&buf);
    return status;
}

static enum bt_status mend_name(const struct patient *patient, struct bt_mend *out)
{
    const struct bt_universal *universal = patient->handoff->universal;
    const bt_value *judge = patient->spot.holder_subschema;
    const bt_value *names =
        patient->spot.member && judge ? keyword(patient, judge, "properties") : NULL;
    if (!names) {
        return BT_OK;
    }
    const size_t nearest =
        bt_nearest(bt_json_name(patient->spot.member), name_at, names, bt_json_count(names));
    if (nearest == bt_json_count(names)) {
        return BT_OK;
    }
    const size_t level = patient->spot.depth - 1;
    const uint32_t taken = level_of(patient, level, patient->spot.holder, names)->taken;
    if ((taken >> nearest & 1) != 0) {
        return BT_OK;
    }
    const bt_str meant = name_at(names, nearest);
    if (bt_str_eq(meant, BT_STR("user_approved"))) {
        return BT_OK; /* a typo must never become a person's consent */
    }
    *out = (struct bt_mend){
        .fix = BT_FIX_UNSAFE,
        .step = BT_MEND_RENAME,
        .onto_required = bt_subschema_requires(universal, judge, meant),
        .level = (uint8_t)level,
        .name = (uint8_t)nearest,
        .pointer = patient->finding->pointer,
    };
    return beside(patient, meant, &out->to);
}

/* A member of a closed object: renamed, or else removed. */
static enum bt_status mend_member(const struct patient *patient, struct bt_mend *out)
{
    BT_TRY(mend_name(patient, out));
    if (out->step == BT_MEND_NOTHING) {
        *out = (struct bt_mend){
            .fix = BT_FIX_UNSAFE, .step = BT_MEND_REMOVE, .pointer = patient->finding->pointer};
    }
    return BT_OK;
}

/* Whether renaming a member of the object supplies `name`, which the object lacks. */
static bool is_meant(const struct patient *patient, bt_str name)
{
    const struct bt_spot *spot = &patient->spot;
    const bt_value *names =
        spot->subschema ? keyword(patient, spot->subschema, "properties") : NULL;
    if (!names || bt_json_type(spot->value) != BT_JSON_OBJECT) {
        return false;
    }
    struct bt_mender_level *level = level_of(patient, spot->depth, spot->value, names);
    if (!level->has_meant) {
        level->has_meant = true;
        level->meant = find_meant(patient, spot->value, names);
    }
    for (size_t i = 0; i < bt_json_count(names); i++) {
        if (bt_str_eq(name_at(names, i), name)) {
            return (level->meant >> i & 1) != 0;
        }
    }
    return false;
}

/* A missing member: supplied by the rename that mends another finding, or else by its default.
 * A default beside the misspelled member would take the place of what the author wrote. */
static enum bt_status mend_missing(const struct patient *patient, struct bt_mend *out)
{
    bt_value name;
    bt_str json = BT_STR("");
    BT_TRY(param(patient->finding, patient->arena, "property", &name, &json));
    if (is_meant(patient, bt_json_text(&name))) {
        *out = (struct bt_mend){.fix = BT_FIX_UNSAFE, .step = BT_MEND_NOTHING};
        return BT_OK;
    }
    bt_str pointer = BT_STR("");
    BT_TRY(bt_missing_pointer(patient->finding, patient->arena, &pointer));
    fill(pointer, out);
    return BT_OK;
}

/* ---- Rules besides the schema ---------------------------------------------------------------- */

static enum bt_status mend_zone(const struct patient *patient, struct bt_mend *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    const enum bt_fix fix = bt_convert_date(bt_json_text(patient->spot.value), &buf);
    return becomes_text(patient, &buf, fix, out);
}

/* Counting again mends a drift unless the document says already what would be counted: it may have
 * more tokens than the schema lets it say, or white space that is not written again. */
static enum bt_status mend_drift(const struct patient *patient, struct bt_mend *out)
{
    uint64_t declared = 0;
    uint64_t counted = 0;
    BT_TRY(bt_revision_count_of(patient->handoff->document, patient->arena, &counted));
    if (!bt_handoff_integer(patient->handoff, patient->spot.value, &declared) ||
        declared != counted) {
        recount(out);
    }
    return BT_OK;
}

static enum bt_status mend_chain(const struct patient *patient, struct bt_mend *out)
{
    bt_value list;
    bt_str keep = BT_STR("");
    BT_TRY(param(patient->finding, patient->arena, "keep", &list, &keep));
    return becomes(patient, keep, BT_FIX_UNSAFE, out);
}

static enum bt_status mend_size(const struct patient *patient, struct bt_mend *out)
{
    bt_str actual = BT_STR("");
    BT_TRY(bt_arena_printf(patient->arena, &actual, "%" PRIu64, patient->handoff->seal.bytes));
    return becomes(patient, actual, BT_FIX_UNSAFE, out);
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct row {
    bt_str code;
    mend_fn *mend;
} rows[] = {
    {BT_STR_INIT("SCHEMA_REQUIRED"), mend_missing},
    {BT_STR_INIT("SCHEMA_TYPE"), mend_value},
    {BT_STR_INIT("SCHEMA_CONST"), mend_value},
    {BT_STR_INIT("SCHEMA_ENUM"), mend_value},
    {BT_STR_INIT("SCHEMA_PATTERN"), mend_value},
    {BT_STR_INIT("SCHEMA_MAX_LENGTH"), mend_value},
    {BT_STR_INIT("SCHEMA_MINIMUM"), mend_value},
    {BT_STR_INIT("SCHEMA_MAXIMUM"), mend_value},
    {BT_STR_INIT("SCHEMA_UNEVALUATED_PROPERTIES"), mend_member},
    {BT_STR_INIT("UNKNOWN_MEMBER"), mend_name},
    {BT_STR_INIT("TIMESTAMP_NOT_UTC"), mend_zone},
    {BT_STR_INIT("TOKENS_DRIFT"), mend_drift},
    {BT_STR_INIT("CHAIN_TOO_LONG"), mend_chain},
    {BT_STR_INIT("PAYLOAD_SIZE_MISMATCH"), mend_size},
};

static mend_fn *mend_for(bt_str code)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (bt_str_eq(rows[i].code, code)) {
            return rows[i].mend;
        }
    }
    return NULL;
}

enum bt_status bt_mend_of(struct bt_mender *mender, const struct bt_finding *finding,
                          struct bt_arena *arena, struct bt_mend *out)
{
    assert(mender->handoff);
    struct bt_mend mend = {.fix = BT_FIX_NONE};
    mend_fn *function = mender->handoff->document ? mend_for(finding->rule->code) : NULL;
    struct patient patient = {
        .mender = mender, .handoff = mender->handoff, .finding = finding, .arena = arena};
    if (function && bt_spot_find(mender->handoff, finding->offset, &patient.spot)) {
        BT_TRY(function(&patient, &mend));
    }
    *out = mend;
    return BT_OK;
}

enum bt_status bt_mend_promise(const struct bt_handoff *handoff)
{
    struct bt_mender mender = {.handoff = handoff};
    for (size_t i = 0; i < bt_findings_count(handoff->findings); i++) {
        const struct bt_arena_mark before = bt_arena_mark(handoff->arena);
        struct bt_finding *finding = handoff->findings->items[i];
        struct bt_mend mend;
        BT_TRY(bt_mend_of(&mender, finding, handoff->arena, &mend));
        finding->fix = mend.fix;
        bt_arena_rewind(handoff->arena, before);
    }
    return BT_OK;
}
