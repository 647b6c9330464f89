/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.c - the members of a document of another kind, each carried to its place or named.
 */
#include "convert/map.h"

#include <assert.h>
#include <string.h>

#include "base/vec.h"
#include "dialect/universal/shorten.h"
#include "json/emit.h"

enum {
    DEPTH_MAX = 8, /* of what the tables enter */
    SUMMARY_CODE_POINTS_MAX = 500,
    HOUR_SECONDS = 3600,
};

#define STATE "/handoff/payload/session/state"

static const char overridden[] = "a flag says otherwise";
static const char no_text[] = "it is not a text";

void bt_convert_run_begin(struct bt_convert_run *run, struct bt_universal_checker *universal,
                          struct bt_arena *arena, const struct bt_json_doc *document,
                          const struct bt_universal_draft *draft)
{
    assert(document);
    assert(bt_json_type(bt_json_root(document)) == BT_JSON_OBJECT);
    *run = (struct bt_convert_run){.universal = universal, .arena = arena, .document = document};
    if (draft) {
        run->draft = *draft;
    }
    run->draft.no_chain = true;
    run->has_working = run->draft.working.ptr != NULL;
    run->has_session = run->draft.session.ptr != NULL;
    bt_buf_init(&run->working, SIZE_MAX);
    bt_buf_init(&run->state, SIZE_MAX);
    bt_buf_init(&run->mapped, SIZE_MAX);
}

void bt_convert_run_end(struct bt_convert_run *run)
{
    bt_buf_free(&run->working);
    bt_buf_free(&run->state);
    bt_buf_free(&run->mapped);
}

/* The pointer as people know it. */
static enum bt_status show_pointer(const struct bt_convert_run *run, bt_str pointer, bt_str *out)
{
    *out = pointer;
    for (size_t i = 0; i < sizeof(run->names.items) / sizeof(run->names.items[0]); i++) {
        const struct bt_convert_name *name = &run->names.items[i];
        if (name->inner.len == 0 || !bt_str_starts_with(pointer, name->inner)) {
            continue;
        }
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        bt_buf_put(&buf, name->shown);
        bt_buf_put(&buf, bt_str_slice(pointer, name->inner.len, pointer.len));
        const enum bt_status status = bt_buf_copy(&buf, run->arena, out);
        bt_buf_free(&buf);
        return status;
    }
    return BT_OK;
}

/* A member of the input that is being looked at. */
struct convert_member {
    bt_str pointer;
    bt_str name;
    const bt_json_value *value;
};

/* `to` is a pointer; with `name`, of the container that the member stands in. */
static enum bt_status add_mapped_member(struct bt_convert_run *run, bt_str from, const char *to,
                                        bt_str name)
{
    struct bt_buf *buf = &run->mapped;
    struct bt_buf pointer;
    BT_TRY(show_pointer(run, from, &from));
    bt_buf_init(&pointer, SIZE_MAX);
    bt_buf_put_text(&pointer, to);
    if (name.ptr) {
        bt_json_pointer_put(&pointer, name);
    }
    bt_buf_put_text(buf, buf->len > 0 ? ",{\"from\":" : "{\"from\":");
    bt_json_put_string(buf, from);
    bt_buf_put_text(buf, ",\"to\":");
    bt_json_put_string(buf, bt_buf_str(&pointer));
    bt_buf_put_char(buf, '}');
    const enum bt_status status = pointer.status;
    bt_buf_free(&pointer);
    return status == BT_OK ? buf->status : status;
}

static enum bt_status note_left(struct bt_convert_run *run, const struct convert_member *member,
                                const char *reason)
{
    BT_TRY(bt_vec_grow(run->arena, &run->left, run->left_count, &run->left_capacity, 1,
                       sizeof(*run->left)));
    bt_str shown;
    BT_TRY(show_pointer(run, member->pointer, &shown));
    run->left[run->left_count++] =
        (struct bt_convert_unmapped){shown, reason, member->value, false};
    return BT_OK;
}

struct convert_target {
    const char *pointer;
    size_t offset; /* of the text in the draft */
};

static const struct convert_target places[] = {
    {"/handoff/timestamp", offsetof(struct bt_universal_draft, timestamp)},
    {"/handoff/expires_at", offsetof(struct bt_universal_draft, expires_at)},
    {"/handoff/source/skill", offsetof(struct bt_universal_draft, source)},
    {"/handoff/source/workflow_id", offsetof(struct bt_universal_draft, workflow_id)},
    {"/handoff/source/session_path", offsetof(struct bt_universal_draft, session_path)},
    {"/handoff/target/skill", offsetof(struct bt_universal_draft, target)},
    {"/handoff/context/summary", offsetof(struct bt_universal_draft, summary)},
    {"/handoff/context/original_prompt", offsetof(struct bt_universal_draft, original_prompt)},
    {"/handoff/context/problem_type", offsetof(struct bt_universal_draft, problem_type)},
    {"/handoff/meta/confidence", offsetof(struct bt_universal_draft, confidence)},
    {"/handoff/meta/handoff_reason", offsetof(struct bt_universal_draft, reason)},
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static bt_str get_text(const struct bt_convert_run *run, size_t offset)
{
    bt_str text;
    memcpy(&text, (const char *)&run->draft + offset, sizeof(text));
    return text;
}

static void set_text(struct bt_convert_run *run, size_t offset, bt_str text)
{
    memcpy((char *)&run->draft + offset, &text, sizeof(text));
}

static size_t offset_of(const char *pointer)
{
    size_t i = 0;
    while (i < PLACES && strcmp(places[i].pointer, pointer) != 0) {
        i++;
    }
    assert(i < PLACES); /* the tables name places of the draft */
    return places[i].offset;
}

/* Set a text of the draft unless a flag did. */
static enum bt_status carry_text(struct bt_convert_run *run, const struct convert_member *member,
                                 const struct bt_convert_rule *row, bt_str text)
{
    const size_t offset = offset_of(row->to);
    if (get_text(run, offset).ptr) {
        return note_left(run, member, overridden);
    }
    set_text(run, offset, text);
    return add_mapped_member(run, member->pointer, row->to, (bt_str){NULL, 0});
}

static enum bt_status carry_time(struct bt_convert_run *run, const struct convert_member *member,
                                 const struct bt_convert_rule *row)
{
    bt_str text = bt_json_text(member->value);
    struct bt_buf utc;
    bt_buf_init(&utc, SIZE_MAX);
    enum bt_status status = bt_timestamp_to_utc(text, &utc);
    if (status == BT_OK) {
        status = bt_buf_copy(&utc, run->arena, &text);
    } else if (status == BT_EINVAL || status == BT_ELIMIT) {
        status = BT_OK; /* a text that is not a time is copied unchanged, and the checks report
                         * it */
    }
    bt_buf_free(&utc);
    return status == BT_OK ? carry_text(run, member, row, text) : status;
}

/* Put a member into an object that is being written. */
static enum bt_status put_member(struct bt_convert_run *run, struct bt_buf *object, bt_str name,
                                 const bt_json_value *value)
{
    if (object->len > 0) {
        bt_buf_put_char(object, ',');
    }
    bt_json_put_string(object, name);
    bt_buf_put_char(object, ':');
    return bt_json_write(object, run->document, value, BT_JSON_FORM_COMPACT, run->arena, NULL);
}

static enum bt_status wrap_members(struct bt_convert_run *run, const char *before,
                                   const struct bt_buf *members, const char *after, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, before);
    bt_buf_put(&buf, bt_buf_str(members));
    bt_buf_put_text(&buf, after);
    const enum bt_status status =
        members->status == BT_OK ? bt_buf_copy(&buf, run->arena, out) : members->status;
    bt_buf_free(&buf);
    return status;
}

/* True when a member of this name was put into the working payload. */
static bool has_working_name(const struct bt_convert_run *run, bt_str name)
{
    for (size_t i = 0; i < run->working_names.count; i++) {
        if (bt_str_eq(run->working_names.items[i], name)) {
            return true;
        }
    }
    return false;
}

static enum bt_status carry_member(struct bt_convert_run *run, const struct convert_member *member,
                                   const struct bt_convert_rule *row)
{
    const bool is_state = row->kind == BT_CARRY_STATE;
    struct bt_buf *object = is_state ? &run->state : &run->working;
    if (is_state ? run->has_session : run->has_working) {
        return note_left(run, member, overridden);
    }
    /* What goes to the state comes from one object, so its names differ; working takes a few
     * members from many places. */
    if (!is_state) {
        if (has_working_name(run, member->name)) {
            return note_left(run, member, "another member of that name was carried");
        }
        BT_TRY(bt_vec_push(run->arena, &run->working_names, member->name));
    } else if (bt_str_eq(member->name, BT_STR("rest"))) {
        run->state_has_rest = true;
    }
    BT_TRY(put_member(run, object, member->name, member->value));
    return add_mapped_member(run, member->pointer, row->to, member->name);
}

static enum bt_status carry_summary(struct bt_convert_run *run, const struct convert_member *member,
                                    const struct bt_convert_rule *row)
{
    const bt_str text = bt_json_text(member->value);
    bt_str summary = BT_STR("");
    BT_TRY(bt_universal_truncate(run->arena, text, SUMMARY_CODE_POINTS_MAX, &summary));
    if (run->draft.summary.ptr) {
        return note_left(run, member, overridden);
    }
    BT_TRY(carry_text(run, member, row, summary));
    if (summary.ptr == text.ptr) {
        return BT_OK;
    }
    static const struct bt_convert_rule whole = {"", BT_CARRY_WORKING, "/handoff/payload/working"};
    return carry_member(run, member, &whole);
}

static enum bt_status carry_level(struct bt_convert_run *run, const struct convert_member *member,
                                  const struct bt_convert_rule *row)
{
    const bt_str level = bt_json_text(member->value);
    if (bt_json_type(member->value) == BT_JSON_STRING && !run->draft.confidence.ptr) {
        const bool none = bt_str_eq(level, BT_STR("none"));
        BT_TRY(carry_text(run, member, row, none ? BT_STR("low") : level));
    }
    static const struct bt_convert_rule kept = {"", BT_CARRY_WORKING, "/handoff/payload/working"};
    return carry_member(run, member, &kept);
}

static enum bt_status carry_request(struct bt_convert_run *run, const struct convert_member *member,
                                    const struct bt_convert_rule *row)
{
    static const struct {
        bt_str request;
        bt_str problem;
    } types[] = {
        {BT_STR_INIT("query"), BT_STR_INIT("research")},
        {BT_STR_INIT("task"), BT_STR_INIT("implementation")},
        {BT_STR_INIT("analysis"), BT_STR_INIT("analytical")},
        {BT_STR_INIT("decision"), BT_STR_INIT("decision")},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (bt_str_eq(types[i].request, bt_json_text(member->value))) {
            return carry_text(run, member, row, types[i].problem);
        }
    }
    return note_left(run, member, "it is not a type of a request");
}

static enum bt_status carry_chain(struct bt_convert_run *run, const struct convert_member *member,
                                  const struct bt_convert_rule *row)
{
    const size_t count = bt_json_count(member->value);
    const bt_json_value *items = bt_json_items(member->value);
    if (run->draft.chain.count > 0) {
        return note_left(run, member, overridden);
    }
    if (!items || count == 0) {
        return note_left(run, member, "it is not a list of names");
    }
    bt_str *names = BT_NEW_ARRAY(run->arena, bt_str, count);
    BT_TRY(names ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        if (bt_json_type(&items[i]) != BT_JSON_STRING) {
            return note_left(run, member, "it is not a list of names");
        }
        names[i] = bt_json_text(&items[i]);
    }
    run->draft.chain = (struct bt_str_list){names, count};
    return add_mapped_member(run, member->pointer, row->to, (bt_str){NULL, 0});
}

/* What else is in the list stays where the list itself was carried to. */
static enum bt_status carry_gaps(struct bt_convert_run *run, const struct convert_member *member,
                                 const struct bt_convert_rule *row)
{
    const size_t count = bt_json_count(member->value);
    const bt_json_value *items = bt_json_items(member->value);
    if (!items || count == 0 || run->draft.known_gaps.count > 0) {
        return BT_OK;
    }
    bt_str *gaps = BT_NEW_ARRAY(run->arena, bt_str, count);
    size_t texts = 0;
    BT_TRY(gaps ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        if (bt_json_type(&items[i]) == BT_JSON_STRING) {
            gaps[texts++] = bt_json_text(&items[i]);
        }
    }
    if (texts == 0) {
        return BT_OK;
    }
    run->draft.known_gaps = (struct bt_str_list){gaps, texts};
    return add_mapped_member(run, member->pointer, row->to, (bt_str){NULL, 0});
}

static enum bt_status carry_criterion(struct bt_convert_run *run,
                                      const struct convert_member *member,
                                      const struct bt_convert_rule *row)
{
    if (run->draft.success_criteria.count > 0) {
        return note_left(run, member, overridden);
    }
    bt_str *only = BT_NEW(run->arena, bt_str);
    BT_TRY(only ? BT_OK : BT_ENOMEM);
    *only = bt_json_text(member->value);
    run->draft.success_criteria = (struct bt_str_list){only, 1};
    return add_mapped_member(run, member->pointer, row->to, (bt_str){NULL, 0});
}

/* Add a tag; *out_added is false when a flag has one of that name. */
static enum bt_status add_tag(struct bt_convert_run *run, struct bt_universal_tag tag,
                              bool *out_added)
{
    struct bt_universal_draft *draft = &run->draft;
    *out_added = false;
    for (size_t i = 0; i < draft->tag_count; i++) {
        if (bt_str_eq(draft->tags[i].name, tag.name)) {
            return BT_OK;
        }
    }
    struct bt_universal_tag *tags =
        BT_NEW_ARRAY(run->arena, struct bt_universal_tag, draft->tag_count + 1);
    BT_TRY(tags ? BT_OK : BT_ENOMEM);
    if (draft->tag_count > 0) {
        memcpy(tags, draft->tags, draft->tag_count * sizeof(*tags));
    }
    tags[draft->tag_count++] = tag;
    draft->tags = tags;
    *out_added = true;
    return BT_OK;
}

static enum bt_status carry_tag(struct bt_convert_run *run, const struct convert_member *member,
                                const struct bt_convert_rule *row)
{
    bool added = false;
    BT_TRY(
        add_tag(run, (struct bt_universal_tag){member->name, bt_json_text(member->value)}, &added));
    return added ? add_mapped_member(run, member->pointer, row->to, member->name)
                 : note_left(run, member, overridden);
}

static bool wants_text(enum bt_convert_rule_kind kind)
{
    return kind == BT_CARRY_TEXT || kind == BT_CARRY_TIME || kind == BT_CARRY_SUMMARY ||
           kind == BT_CARRY_CRITERION || kind == BT_CARRY_TAG || kind == BT_CARRY_REQUEST;
}

static enum bt_status carry_by(struct bt_convert_run *run, const struct convert_member *member,
                               const struct bt_convert_rule *row)
{
    if (wants_text(row->kind) && bt_json_type(member->value) != BT_JSON_STRING) {
        return note_left(run, member, no_text);
    }
    switch (row->kind) {
    case BT_CARRY_NOT:
        return note_left(run, member, row->to);
    case BT_CARRY_NEVER:
        BT_TRY(note_left(run, member, row->to));
        run->left[run->left_count - 1].never = true;
        return BT_OK;
    case BT_CARRY_COUNTED:
        return add_mapped_member(run, member->pointer, row->to, (bt_str){NULL, 0});
    case BT_CARRY_TEXT:
        return carry_text(run, member, row, bt_json_text(member->value));
    case BT_CARRY_TIME:
        return carry_time(run, member, row);
    case BT_CARRY_SUMMARY:
        return carry_summary(run, member, row);
    case BT_CARRY_LEVEL:
        return carry_level(run, member, row);
    case BT_CARRY_REQUEST:
        return carry_request(run, member, row);
    case BT_CARRY_CHAIN:
        return carry_chain(run, member, row);
    case BT_CARRY_GAPS:
        return carry_gaps(run, member, row);
    case BT_CARRY_CRITERION:
        return carry_criterion(run, member, row);
    case BT_CARRY_WORKING:
    case BT_CARRY_STATE:
        return carry_member(run, member, row);
    case BT_CARRY_TAG:
        return carry_tag(run, member, row);
    }
    return BT_EINVAL;
}

/* The row of a member: its own, or that of every member of its object. */
static const struct bt_convert_rule *row_of(const struct bt_convert_table *table, bt_str outer,
                                            bt_str pointer)
{
    for (const struct bt_convert_rule *row = table->rows; row->from; row++) {
        const bt_str from = bt_str_of(row->from);
        const bool is_any = bt_str_ends_with(from, BT_STR("/*")) &&
                            bt_str_eq(bt_str_slice(from, 0, from.len - 2), outer);
        if (is_any || bt_str_eq(from, pointer)) {
            return row;
        }
    }
    return NULL;
}

/* Whether some row lies below. */
static bool leads_on(const struct bt_convert_table *table, bt_str pointer)
{
    for (const struct bt_convert_rule *row = table->rows; row->from; row++) {
        const bt_str from = bt_str_of(row->from);
        if (bt_str_starts_with(from, pointer) && from.len > pointer.len &&
            from.ptr[pointer.len] == '/') {
            return true;
        }
    }
    return false;
}

struct convert_visit {
    bt_str pointer;
    const bt_json_value *object;
    size_t next;
};

/* Carry or name a member; *out_enter when its own members are to be looked at instead. */
static enum bt_status map_member(struct bt_convert_run *run, const struct bt_convert_table *table,
                                 bt_str outer, const struct convert_member *member, bool *out_enter)
{
    const struct bt_convert_rule *row = row_of(table, outer, member->pointer);
    *out_enter = false;
    if (row) {
        return carry_by(run, member, row);
    }
    if (!leads_on(table, member->pointer)) {
        return note_left(run, member, "it has no place in a universal handoff");
    }
    if (bt_json_type(member->value) != BT_JSON_OBJECT) {
        return note_left(run, member, "it is not an object");
    }
    if (bt_json_count(member->value) == 0) {
        return note_left(run, member, "it is empty");
    }
    *out_enter = true;
    return BT_OK;
}

static enum bt_status map_members(struct bt_convert_run *run, const struct bt_convert_table *table)
{
    struct convert_visit visits[DEPTH_MAX] = {{BT_STR(""), bt_json_root(run->document), 0}};
    size_t depth = 1;
    while (depth > 0) {
        struct convert_visit *in = &visits[depth - 1];
        if (in->next == bt_json_count(in->object)) {
            depth--;
            continue;
        }
        const struct bt_json_member *at = &bt_json_members(in->object)[in->next++];
        struct convert_member member = {.name = bt_json_name(at), .value = &at->value};
        struct bt_buf pointer;
        bool enter = false;
        bt_buf_init(&pointer, SIZE_MAX);
        bt_buf_put(&pointer, in->pointer);
        bt_json_pointer_put(&pointer, member.name);
        const enum bt_status status = bt_buf_copy(&pointer, run->arena, &member.pointer);
        bt_buf_free(&pointer);
        BT_TRY(status);
        BT_TRY(map_member(run, table, in->pointer, &member, &enter));
        if (enter) {
            assert(depth < DEPTH_MAX);
            visits[depth++] = (struct convert_visit){member.pointer, member.value, 0};
        }
    }
    return BT_OK;
}

/* A place that has something already keeps it: the member itself is carried in any case. */
static bool is_taken(const struct bt_convert_run *run, const struct bt_convert_rule *row)
{
    return row->kind == BT_CARRY_SUMMARY && run->draft.summary.ptr;
}

static enum bt_status take_also(struct bt_convert_run *run, const struct bt_convert_rule *rows)
{
    for (const struct bt_convert_rule *row = rows; row && row->from; row++) {
        const bt_str pointer = bt_str_of(row->from);
        const bt_json_value *value =
            bt_json_resolve(run->document, bt_json_root(run->document), pointer);
        const bool is_fit =
            value && (!wants_text(row->kind) || bt_json_type(value) == BT_JSON_STRING);
        if (!is_fit || is_taken(run, row)) {
            continue;
        }
        size_t slash = pointer.len;
        while (pointer.ptr[slash - 1] != '/') {
            slash--;
        }
        const struct convert_member member = {pointer, bt_str_slice(pointer, slash, pointer.len),
                                              value};
        BT_TRY(carry_by(run, &member, row));
    }
    return BT_OK;
}

/* Without a summary, the user's own words are one. */
static enum bt_status set_default_summary(struct bt_convert_run *run)
{
    static const struct bt_convert_rule row = {"", BT_CARRY_SUMMARY, "/handoff/context/summary"};
    const bt_str pointer = BT_STR("/handoff/context/original_prompt");
    const bt_json_value *prompt =
        bt_json_resolve(run->document, bt_json_root(run->document), pointer);
    if (run->draft.summary.ptr || !prompt || bt_json_type(prompt) != BT_JSON_STRING) {
        return BT_OK;
    }
    const struct convert_member member = {pointer, BT_STR("synthesis_summary"), prompt};
    return carry_summary(run, &member, &row);
}

static enum bt_status end_after_an_hour(struct bt_convert_run *run)
{
    bt_instant instant;
    char text[BT_INSTANT_TEXT_BYTES];
    struct bt_universal_draft *draft = &run->draft;
    if (draft->expires_at.ptr || !draft->timestamp.ptr ||
        bt_timestamp_parse(draft->timestamp, &instant) != BT_TIMESTAMP_KIND_VALID) {
        return BT_OK;
    }
    const size_t size = bt_instant_format(bt_instant_after(instant, HOUR_SECONDS), text);
    return bt_arena_copy(run->arena, (bt_str){text, size}, &draft->expires_at);
}

enum bt_status bt_convert_map(struct bt_convert_run *run, const struct bt_convert_table *table)
{
    assert(run);
    assert(table);
    bool added = false;
    BT_TRY(map_members(run, table));
    BT_TRY(take_also(run, table->also));
    if (table->prompt) {
        BT_TRY(set_default_summary(run));
    }
    if (table->hour) {
        BT_TRY(end_after_an_hour(run));
    }
    if (table->phase && !run->draft.phase.ptr) {
        run->draft.phase = bt_str_of(table->phase);
    }
    const struct bt_universal_tag tag = {BT_STR("converted_from"),
                                         bt_str_of(table->converted_from)};
    return add_tag(run, tag, &added);
}

/* Put the values that may be kept, as members keyed by their pointers, and forget them. */
static enum bt_status put_rest(struct bt_convert_run *run, struct bt_buf *members)
{
    size_t stay = 0;
    for (size_t i = 0; i < run->left_count; i++) {
        const struct bt_convert_unmapped *left = &run->left[i];
        if (left->never) {
            run->left[stay++] = *left;
            continue;
        }
        BT_TRY(put_member(run, members, left->pointer, left->value));
        BT_TRY(add_mapped_member(run, left->pointer, STATE "/rest", left->pointer));
    }
    run->left_count = stay;
    return members->status;
}

enum bt_status bt_convert_keep_unmapped(struct bt_convert_run *run)
{
    if (run->has_session || run->state_has_rest) {
        return BT_OK; /* a session that a flag gave is not added to, nor a name taken twice */
    }
    struct bt_buf members;
    bt_buf_init(&members, SIZE_MAX);
    const enum bt_status status = put_rest(run, &members);
    if (status == BT_OK && members.len > 0) {
        bt_buf_put_text(&run->state, run->state.len > 0 ? ",\"rest\":{" : "\"rest\":{");
        bt_buf_put(&run->state, bt_buf_str(&members));
        bt_buf_put_char(&run->state, '}');
    }
    bt_buf_free(&members);
    return status == BT_OK ? run->state.status : status;
}

enum bt_status bt_convert_map_finish(struct bt_convert_run *run)
{
    struct bt_universal_draft *draft = &run->draft;
    if (!run->has_working) {
        BT_TRY(wrap_members(run, "{", &run->working, "}", &draft->working));
    }
    if (!run->has_session && run->state.len > 0) {
        BT_TRY(wrap_members(run, "{\"state\":{", &run->state, "}}", &draft->session));
    }
    return BT_OK;
}

enum bt_status bt_convert_put_facts(const void *context, struct bt_emit *emit)
{
    const struct bt_convert_run *run = context;
    bt_emit_member_array(emit, "carried");
    if (run->mapped.len > 0) {
        bt_emit_raw(emit, bt_buf_str(&run->mapped));
    }
    bt_emit_end(emit);
    bt_emit_member_array(emit, "not_carried");
    for (size_t i = 0; i < run->left_count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "pointer", run->left[i].pointer);
        bt_emit_member_string(emit, "reason", bt_str_of(run->left[i].reason));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return run->mapped.status;
}
