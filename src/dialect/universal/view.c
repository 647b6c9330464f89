/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - a handoff as its receiver should read it: absent optional members have their values.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "dialect/universal/universal.h"
#include "json/emit.h"
#include "json/options.h"
#include "json/write.h"
#include "report/rules.h"

/* The values of absent members, in the order in which they are filled in. */
static const struct universal_view_default {
    bt_str pointer;
    bt_str value; /* JSON; "": the list of the source alone */
} defaults[] = {
    {BT_STR_INIT("/handoff/expires_at"), BT_STR_INIT("null")},
    {BT_STR_INIT("/handoff/target/invocation"), BT_STR_INIT("null")},
    {BT_STR_INIT("/handoff/target/expected_phase"), BT_STR_INIT("null")},
    {BT_STR_INIT("/handoff/context/focus_areas"), BT_STR_INIT("[]")},
    {BT_STR_INIT("/handoff/context/known_gaps"), BT_STR_INIT("[]")},
    {BT_STR_INIT("/handoff/context/success_criteria"), BT_STR_INIT("[]")},
    {BT_STR_INIT("/handoff/payload/session"), BT_STR_INIT("null")},
    {BT_STR_INIT("/handoff/payload/references"), BT_STR_INIT("null")},
    {BT_STR_INIT("/handoff/meta/handoff_chain"), BT_STR_INIT("")},
    {BT_STR_INIT("/handoff/meta/user_approved"), BT_STR_INIT("false")},
};

/* What was filled in, with its place in the view. */
struct universal_view_place {
    bt_str pointer;
    size_t offset;
};

bool bt_universal_can_view(const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD && finding->rule->stage <= BT_STAGE_SCHEMA) {
            return false;
        }
    }
    return true;
}

static const bt_json_value *find_value(const struct bt_json_doc *document, bt_str pointer)
{
    return bt_json_resolve(document, bt_json_root(document), pointer);
}

static void put_value(const struct bt_json_doc *document, const struct universal_view_default *row,
                      struct bt_buf *buf)
{
    const bt_json_value *source = find_value(document, BT_STR("/handoff/source/skill"));
    if (row->value.len > 0) {
        bt_buf_put(buf, row->value);
        return;
    }
    bt_buf_put_char(buf, '[');
    bt_json_put_string(buf, source ? bt_json_text(source) : BT_STR(""));
    bt_buf_put_char(buf, ']');
}

/* The object that a default belongs to; NULL when it is absent. */
static const bt_json_value *find_object(const struct bt_json_doc *document, bt_str pointer)
{
    const bt_str name = bt_str_after_last(pointer, '/');
    const bt_json_value *object =
        find_value(document, bt_str_slice(pointer, 0, pointer.len - name.len - 1));
    return object && bt_json_type(object) == BT_JSON_OBJECT ? object : NULL;
}

/* Put the text with what is absent at the end of each object; the places get their pointers. */
static void fill_in(const struct bt_json_doc *document, struct bt_buf *buf,
                    struct universal_view_place *places, size_t *out_count)
{
    const bt_str source = bt_json_source(document);
    bool is_filled[BT_COUNT_OF(defaults)] = {false};
    for (size_t from = 0; from < source.len;) {
        size_t end = source.len; /* the next object that gets something ends here */
        for (size_t i = 0; i < BT_COUNT_OF(defaults); i++) {
            const bt_json_value *object = find_object(document, defaults[i].pointer);
            is_filled[i] = is_filled[i] || !object || find_value(document, defaults[i].pointer);
            const size_t close = object ? bt_json_span(document, object).end - 1 : source.len;
            end = !is_filled[i] && close < end ? close : end;
        }
        bt_buf_put(buf, bt_str_slice(source, from, end));
        from = end;
        for (size_t i = 0; i < BT_COUNT_OF(defaults) && end < source.len; i++) {
            const bt_json_value *object = find_object(document, defaults[i].pointer);
            if (is_filled[i] || bt_json_span(document, object).end - 1 != end) {
                continue;
            }
            is_filled[i] = true;
            places[(*out_count)++].pointer = defaults[i].pointer;
            bt_buf_put_char(buf, ','); /* each of these objects has required members */
            bt_json_put_string(buf, bt_str_after_last(defaults[i].pointer, '/'));
            bt_buf_put_char(buf, ':');
            put_value(document, &defaults[i], buf);
        }
    }
}

static int compare_offsets(const void *a, const void *b)
{
    const size_t one = ((const struct universal_view_place *)a)->offset;
    const size_t other = ((const struct universal_view_place *)b)->offset;
    return (one > other) - (one < other);
}

/* List the places in the order in which the view has them. */
static enum bt_status list_places(const struct bt_json_doc *view, struct bt_arena *arena,
                                  struct universal_view_place *places, size_t count, bt_str *out)
{
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *value = find_value(view, places[i].pointer);
        assert(value);
        places[i].offset = bt_json_span(view, value).begin;
    }
    qsort(places, count, sizeof(*places), compare_offsets);
    struct bt_emit emit;
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_array(&emit);
    for (size_t i = 0; i < count; i++) {
        bt_emit_string(&emit, places[i].pointer);
    }
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

static enum bt_status read_text(struct bt_env *env, struct bt_arena *arena, bt_str text,
                                const struct bt_json_doc **out)
{
    const struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    *out = read.document;
    return BT_OK;
}

enum bt_status bt_universal_view(struct bt_env *env, struct bt_arena *arena, bt_str text,
                                 struct bt_universal_view *out)
{
    struct universal_view_place places[BT_COUNT_OF(defaults)] = {{BT_STR(""), 0}};
    struct bt_universal_view view = {BT_STR(""), BT_STR("")};
    const struct bt_json_doc *document = NULL;
    size_t count = 0;
    struct bt_buf buf;
    BT_TRY(read_text(env, arena, text, &document));
    BT_TRY(document ? BT_OK : BT_EINVAL);
    bt_buf_init(&buf, SIZE_MAX);
    fill_in(document, &buf, places, &count);
    BT_TRY(bt_buf_finish(&buf, arena, &view.text));
    BT_TRY(read_text(env, arena, view.text, &document));
    BT_TRY(document ? BT_OK : BT_ELIMIT);
    BT_TRY(list_places(document, arena, places, count, &view.defaults));
    BT_TRY(bt_json_write_text(document, bt_json_root(document), BT_JSON_FORM_PRETTY, arena,
                              &view.text));
    *out = view;
    return BT_OK;
}
