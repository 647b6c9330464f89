/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - the call record: digests of a request and its answer, and what is kept of them.
 *
 * The document has the form of canonical.h for values without an exact form: compact, with sorted
 * names and the numbers as they were written. So the members below are put in the order of their
 * names.
 */
#include "wrap/record.h"

#include "base/buf.h"
#include "base/hex.h"
#include "base/uninitialized.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/value_pointer.h"
#include "json/walk.h"
#include "wrap/canonical.h"
#include "wrap/secrets.h"

enum { RECORD_BYTES_MAX = 1 << 30, SALT_BYTES = 16 };

static const bt_str event_names[BT_WRAP_EVENTS] = {
    [BT_WRAP_EVENT_NONE] = BT_STR_INIT(""),
    [BT_WRAP_EVENT_RETURNED] = BT_STR_INIT("returned"),
    [BT_WRAP_EVENT_FAILED] = BT_STR_INIT("failed"),
    [BT_WRAP_EVENT_REFUSED] = BT_STR_INIT("refused"),
    [BT_WRAP_EVENT_WITHHELD] = BT_STR_INIT("withheld"),
    [BT_WRAP_EVENT_CANCELLED] = BT_STR_INIT("cancelled"),
    [BT_WRAP_EVENT_LOST] = BT_STR_INIT("lost"),
    [BT_WRAP_EVENT_REPLAYED] = BT_STR_INIT("replayed"),
    [BT_WRAP_EVENT_CHANGED] = BT_STR_INIT("changed"),
    [BT_WRAP_EVENT_GAP] = BT_STR_INIT("gap"),
};

static const char *const kept_names[BT_WRAP_KEPT_PARTS] = {
    [BT_WRAP_KEPT_RESULT] = "result",
    [BT_WRAP_KEPT_ERROR] = "error",
    [BT_WRAP_KEPT_ARGUMENTS] = "arguments",
};

bt_str bt_wrap_event_name(enum bt_wrap_event event)
{
    return event_names[event];
}

enum bt_wrap_event bt_wrap_event_find(bt_str name)
{
    const size_t index = bt_str_index_in(name, event_names, BT_WRAP_EVENTS);
    return index < BT_WRAP_EVENTS ? (enum bt_wrap_event)index : BT_WRAP_EVENT_NONE;
}

/* ---- Making -------------------------------------------------------------------------------- */

enum bt_status bt_wrap_record_set(struct bt_wrap_record *record, bt_str *place, bt_str text)
{
    return bt_arena_copy(&record->arena, text, place);
}

static enum bt_status fill_record(struct bt_wrap_record *record, const struct bt_env *env,
                                  const struct bt_wrap_record_subject *subject)
{
    struct bt_wrap_record_subject *own = &record->subject;
    uint8_t salt[SALT_BYTES];
    *own = *subject;
    BT_TRY(bt_wrap_record_set(record, &own->server, subject->server));
    BT_TRY(bt_wrap_record_set(record, &own->session, subject->session));
    BT_TRY(bt_wrap_record_set(record, &own->method, subject->method));
    BT_TRY(bt_wrap_record_set(record, &own->name, subject->name));
    BT_TRY(bt_wrap_record_set(record, &own->class_name, subject->class_name));
    BT_TRY(bt_wrap_record_set(record, &own->source, subject->source));
    BT_TRY(bt_wrap_record_set(record, &own->trace_id, subject->trace_id));
    record->refs = (struct bt_wrap_record_refs){.manifest = BT_STR(""),
                                                .lock = BT_STR(""),
                                                .policy = BT_STR(""),
                                                .approval = BT_STR(""),
                                                .fingerprint = BT_STR(""),
                                                .key_sha256 = BT_STR(""),
                                                .task = BT_STR(""),
                                                .parent = UINT64_MAX};
    record->key.text = BT_STR("");
    record->started = bt_env_now(env);
    record->findings = bt_findings_new(&record->arena);
    if (!env->random(env->context, salt, sizeof(salt))) {
        return BT_EIO;
    }
    bt_hex_put(salt, sizeof(salt), record->salt);
    return record->findings ? BT_OK : BT_ENOMEM;
}

enum bt_status bt_wrap_record_create(const struct bt_env *env,
                                     const struct bt_wrap_record_subject *subject,
                                     struct bt_wrap_record **out)
{
    struct bt_arena arena;
    bt_arena_init(&arena, RECORD_BYTES_MAX);
    struct bt_wrap_record *record = BT_NEW(&arena, struct bt_wrap_record);
    BT_TRY(record ? BT_OK : BT_ENOMEM);
    record->arena = arena;
    const enum bt_status status = fill_record(record, env, subject);
    if (status != BT_OK) {
        bt_wrap_record_destroy(record);
        return status;
    }
    *out = record;
    return BT_OK;
}

void bt_wrap_record_destroy(struct bt_wrap_record *record)
{
    if (record) {
        struct bt_arena arena = record->arena; /* holds the record */
        bt_arena_free(&arena);
    }
}

/* ---- Digests ------------------------------------------------------------------------------- */

enum bt_status bt_wrap_part_set_text(struct bt_wrap_part *part, bt_str canonical)
{
    part->is_exact = true;
    part->size = canonical.len;
    return bt_sha256_hex(canonical, part->sha256);
}

/* The object without its member _meta; the members are those of the document. */
static enum bt_status without_metadata(struct bt_arena *arena, const struct bt_json_doc *document,
                                       const bt_json_value *value, bt_json_value *out)
{
    const struct bt_json_member *left_out = bt_json_member(document, value, BT_STR("_meta"));
    const struct bt_json_member *members = bt_json_members(value);
    uint32_t count = 0;
    *out = *value;
    if (!left_out) {
        return BT_OK;
    }
    struct bt_json_member *rest = BT_NEW_ARRAY(arena, struct bt_json_member, bt_json_count(value));
    BT_TRY(rest ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < bt_json_count(value); i++) {
        if (&members[i] != left_out) {
            rest[count++] = members[i];
        }
    }
    out->size = count;
    out->as.members = rest;
    return BT_OK;
}

enum bt_status bt_wrap_part_of(struct bt_arena *arena, const struct bt_json_doc *document,
                               const bt_json_value *value, struct bt_wrap_part *part)
{
    bt_json_value rest;
    bt_str text;
    bool is_exact = false;
    BT_TRY(without_metadata(arena, document, value, &rest));
    BT_TRY(bt_wrap_canonical(arena, document, &rest, &text, &is_exact));
    BT_TRY(bt_wrap_part_set_text(part, text));
    part->is_exact = is_exact;
    return BT_OK;
}

enum bt_status bt_wrap_record_set_part(struct bt_wrap_record *record, struct bt_wrap_part *part,
                                       const struct bt_json_doc *document,
                                       const bt_json_value *value)
{
    const struct bt_arena_mark mark = bt_arena_mark(&record->arena);
    const enum bt_status status = bt_wrap_part_of(&record->arena, document, value, part);
    bt_arena_rewind(&record->arena, mark);
    return status;
}

enum bt_status bt_wrap_record_set_request(struct bt_wrap_record *record,
                                          const struct bt_json_doc *document,
                                          const bt_json_value *params)
{
    return params ? bt_wrap_record_set_part(record, &record->request, document, params)
                  : bt_wrap_part_set_text(&record->request, BT_STR("{}"));
}

/* ---- What is kept -------------------------------------------------------------------------- */

struct wrap_mask {
    struct bt_wrap_record *record;
    const struct bt_json_doc *document;
    BT_VEC(struct bt_json_replacement) found;
};

/* The pointer of a value in the record: that in the message, without /params. */
static enum bt_status add_redacted(struct bt_wrap_record *record,
                                   const struct bt_json_doc *document, const bt_json_value *value)
{
    const bt_str params = BT_STR("/params");
    bt_str pointer;
    BT_TRY(bt_json_value_pointer(document, value, &record->arena, &pointer));
    if (bt_str_starts_with(pointer, params)) {
        pointer = bt_str_slice(pointer, params.len, pointer.len);
    }
    return bt_vec_push(&record->arena, &record->redacted, pointer);
}

static enum bt_status mask_string(struct wrap_mask *mask, const bt_json_value *value)
{
    const bt_str text = bt_json_text(value);
    struct bt_wrap_secret secret;
    struct bt_json_replacement masked = {.text = BT_STR("")};
    if (bt_json_type(value) != BT_JSON_STRING || !bt_wrap_secret_find(text, 0, &secret)) {
        return BT_OK;
    }
    masked.begin = bt_json_span(mask->document, value).begin;
    BT_TRY(bt_wrap_mask_secrets(&mask->record->arena, text, &masked.text));
    BT_TRY(add_redacted(mask->record, mask->document, value));
    return bt_vec_push(&mask->record->arena, &mask->found, masked);
}

/* Find the strings with credentials. *out_is_named: a name has one, so nothing can be kept. */
static enum bt_status find_secrets(struct wrap_mask *mask, const bt_json_value *value,
                                   bool *out_is_named)
{
    BT_UNCLEARED struct bt_json_walk walk;
    struct bt_json_walk_value at = {.value = value};
    struct bt_wrap_secret secret;
    BT_TRY(mask_string(mask, value));
    bt_json_walk_begin(&walk, value);
    while (!*out_is_named && bt_json_walk_next(&walk, &at)) {
        *out_is_named = at.member && bt_wrap_secret_find(bt_json_name(at.member), 0, &secret);
        BT_TRY(mask_string(mask, at.value));
    }
    return BT_OK;
}

static enum bt_status copy_masked(struct wrap_mask *mask, const bt_json_value *value,
                                  const struct bt_json_doc **out)
{
    struct bt_json_builder builder;
    const struct bt_json_replacements replacements = {mask->found.items, mask->found.count, 0};
    (void)bt_json_builder_begin(&builder, &mask->record->arena, NULL);
    bt_json_replacements_sort(mask->found.items, mask->found.count);
    bt_json_builder_copy(&builder, (bt_ref){mask->document, value}, &replacements);
    return bt_json_builder_finish(&builder, BT_OK, out);
}

enum bt_status bt_wrap_record_keep(struct bt_wrap_record *record, enum bt_wrap_kept what,
                                   const struct bt_json_doc *document, const bt_json_value *value)
{
    struct wrap_mask mask = {.record = record, .document = document};
    const size_t redacted = record->redacted.count;
    bool is_named = false;
    struct bt_buf buf;
    BT_TRY(find_secrets(&mask, value, &is_named));
    if (is_named) {
        record->is_left_out[what] = true;
        record->redacted.count = redacted;
        return BT_OK;
    }
    if (mask.found.count > 0) {
        BT_TRY(copy_masked(&mask, value, &document));
        value = bt_json_root(document);
    }
    bt_buf_init(&buf, RECORD_BYTES_MAX);
    const enum bt_status status = bt_wrap_put_sorted(&buf, document, value, false, &record->arena);
    return bt_buf_finish_if(status, &buf, &record->arena, &record->kept[what]);
}

enum bt_status bt_wrap_record_add_findings(struct bt_wrap_record *record,
                                           const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        BT_TRY(bt_findings_add(record->findings, bt_findings_at(findings, i)));
    }
    return BT_OK;
}

/* ---- The document -------------------------------------------------------------------------- */

static void put_part(struct bt_emit *emit, const char *name, const struct bt_wrap_part *part)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_bool(emit, "canonical", part->is_exact);
    bt_emit_member_string(emit, "sha256", bt_str_of(part->sha256));
    bt_emit_member_u64(emit, "size", part->size);
    bt_emit_end(emit);
}

static void put_text(struct bt_emit *emit, const char *name, bt_str text)
{
    if (text.len > 0) {
        bt_emit_member_string(emit, name, text);
    }
}

static void put_kept(struct bt_emit *emit, const struct bt_wrap_record *record,
                     enum bt_wrap_kept what)
{
    if (record->kept[what].len > 0 && !record->is_left_out[what]) {
        bt_emit_member_raw(emit, kept_names[what], record->kept[what]);
    }
}

static void put_findings(struct bt_emit *emit, const struct bt_findings *findings)
{
    bt_emit_member_array(emit, "findings");
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "code", finding->rule->code);
        bt_emit_member_string(emit, "pointer", finding->pointer);
        bt_emit_member_string(emit, "severity", bt_severity_name(finding->severity));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/* The parts that are left out, in the order of their names. */
static void put_left_out(struct bt_emit *emit, const struct bt_wrap_record *record)
{
    static const enum bt_wrap_kept order[] = {BT_WRAP_KEPT_ARGUMENTS, BT_WRAP_KEPT_ERROR,
                                              BT_WRAP_KEPT_RESULT};
    bt_str names[BT_WRAP_KEPT_PARTS];
    size_t count = 0;
    for (size_t i = 0; i < BT_COUNT_OF(order); i++) {
        if (record->is_left_out[order[i]]) {
            names[count++] = bt_str_of(kept_names[order[i]]);
        }
    }
    if (count > 0) {
        bt_emit_member_texts(emit, "left_out", names, count);
    }
}

/* The members up to `findings`. */
static void put_first(struct bt_emit *emit, const struct bt_wrap_record *record)
{
    const struct bt_wrap_record_subject *subject = &record->subject;
    put_text(emit, "approval", record->refs.approval);
    put_kept(emit, record, BT_WRAP_KEPT_ARGUMENTS);
    bt_emit_member_u64(emit, "baton_call", 1);
    if (subject->class_name.len > 0) {
        bt_emit_member_string(emit, "class", subject->class_name);
    } else {
        bt_emit_member_null(emit, "class");
    }
    bt_emit_member_u64(emit, "cost", record->cost);
    if (record->delivered.sha256[0] != '\0') {
        put_part(emit, "delivered", &record->delivered);
    }
    bt_emit_member_string(emit, "era", subject->is_modern ? BT_STR("modern") : BT_STR("legacy"));
    put_kept(emit, record, BT_WRAP_KEPT_ERROR);
    bt_emit_member_string(emit, "event", bt_wrap_event_name(record->event));
    put_findings(emit, record->findings);
}

static void put_answer(struct bt_emit *emit, const struct bt_wrap_record *record)
{
    if (record->redacted.count > 0) {
        bt_emit_member_texts(emit, "redacted", record->redacted.items, record->redacted.count);
    }
    put_part(emit, "request", &record->request);
    if (record->response.sha256[0] != '\0') {
        put_part(emit, "response", &record->response);
    } else {
        bt_emit_member_null(emit, "response");
    }
    put_kept(emit, record, BT_WRAP_KEPT_RESULT);
}

static void put_record(struct bt_emit *emit, const struct bt_wrap_record *record)
{
    const struct bt_wrap_record_subject *subject = &record->subject;
    char started[BT_INSTANT_TEXT_BYTES] = "";
    put_first(emit, record);
    put_text(emit, "key_sha256", record->refs.key_sha256);
    put_left_out(emit, record);
    bt_emit_member_string(emit, "method", subject->method);
    if (record->missing > 0) {
        bt_emit_member_u64(emit, "missing", record->missing);
    }
    bt_emit_member_u64(emit, "ms", record->ms);
    bt_emit_member_u64(emit, "n", subject->n);
    bt_emit_member_string(emit, "name", subject->name);
    put_answer(emit, record);
    bt_emit_member_string(emit, "salt", bt_str_of(record->salt));
    bt_emit_member_string(emit, "server", subject->server);
    bt_emit_member_string(emit, "session", subject->session);
    (void)!bt_timestamp_format(record->started, started);
    bt_emit_member_string(emit, "started", bt_str_of(started));
    put_text(emit, "task", record->refs.task);
    if (record->tokens.is_known) {
        bt_emit_member_object(emit, "tokens");
        bt_emit_member_u64(emit, "structured", record->tokens.structured);
        bt_emit_member_u64(emit, "text", record->tokens.text);
        bt_emit_end(emit);
    }
    put_text(emit, "tool_sha256", record->refs.manifest);
}

enum bt_status bt_wrap_record_write(struct bt_wrap_record *record, uint64_t limit, bt_str *out)
{
    for (size_t left_out = 0;; left_out++) { /* ends, because at most all parts are left out */
        struct bt_object_text text;
        struct bt_emit *emit = bt_object_text_begin(&text, RECORD_BYTES_MAX, NULL);
        put_record(emit, record);
        BT_TRY(bt_object_text_finish(&text, BT_OK, &record->arena, out));
        while (left_out < BT_WRAP_KEPT_PARTS && record->kept[left_out].len == 0) {
            left_out++;
        }
        if (out->len <= limit || left_out >= BT_WRAP_KEPT_PARTS) {
            return BT_OK;
        }
        record->is_left_out[left_out] = true;
    }
}
