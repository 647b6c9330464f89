/* SPDX-License-Identifier: Apache-2.0 */
/*
 * carry.c - the members of a document of another kind, each carried to its place or named.
 */
#include "convert/carry.h"

#include <assert.h>
#include <string.h>

#include "dialect/universal/shorten.h"

enum {
    DEPTH_MAX = 8, /* of what the tables enter */
    SUMMARY_CODE_POINTS_MAX = 500,
    HOUR_SECONDS = 3600,
};

#define STATE "/handoff/payload/session/state"

static const char overridden[] = "a flag says otherwise";
static const char no_text[] = "it is not a text";

/* ---- Beginning and end ----------------------------------------------------------------------- */

void bt_carrying_begin(struct bt_carrying *carrying, struct bt_universal *universal,
                       struct bt_arena *arena, const struct bt_doc *document,
                       const struct bt_handoff_draft *draft)
{
    assert(document);
    assert(bt_json_type(bt_json_root(document)) == BT_JSON_OBJECT);
    *carrying = (struct bt_carrying){.universal = universal, .arena = arena, .document = document};
    if (draft) {
        carrying->draft = *draft;
    }
    carrying->draft.no_chain = true;
    carrying->has_working = carrying->draft.working.ptr != NULL;
    carrying->has_session = carrying->draft.session.ptr != NULL;
    bt_buf_init(&carrying->working, SIZE_MAX);
    bt_buf_init(&carrying->state, SIZE_MAX);
    bt_buf_init(&carrying->carried, SIZE_MAX);
}

void bt_carrying_end(struct bt_carrying *carrying)
{
    bt_buf_free(&carrying->working);
    bt_buf_free(&carrying->state);
    bt_buf_free(&carrying->carried);
}

/* ---- Naming ---------------------------------------------------------------------------------- */

/* The pointer as people know it. */
static enum bt_status show_pointer(const struct bt_carrying *carrying, bt_str pointer, bt_str *out)
{
    *out = pointer;
    for (size_t i = 0; i < sizeof(carrying->names.items) / sizeof(carrying->names.items[0]); i++) {
        const struct bt_carry_name *name = &carrying->names.items[i];
        if (name->inner.len == 0 || !bt_str_starts(pointer, name->inner)) {
            continue;
        }
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        bt_buf_put(&buf, name->shown);
        bt_buf_put(&buf, bt_str_slice(pointer, name->inner.len, pointer.len));
        const enum bt_status status = bt_buf_keep(&buf, carrying->arena, out);
        bt_buf_free(&buf);
        return status;
    }
    return BT_OK;
}

/* A member of the input that is being looked at. */
struct member {
    bt_str pointer;
    bt_str name;
    const bt_value *value;
};

/* `to` is a pointer; with `name`, of the container that the member stands in. */
static enum bt_status note_carried(struct bt_carrying *carrying, bt_str from, const char *to,
                                   bt_str name)
{
    struct bt_buf *buf = &carrying->carried;
    struct bt_buf pointer;
    BT_TRY(show_pointer(carrying, from, &from));
    bt_buf_init(&pointer, SIZE_MAX);
    bt_buf_put_text(&pointer, to);
    if (name.ptr) {
        bt_pointer_put(&pointer, name);
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

static enum bt_status note_left(struct bt_carrying *carrying, const struct member *member,
                                const char *reason)
{
    if (carrying->left_count == carrying->left_capacity) {
        const size_t capacity = carrying->left_capacity > 0 ? 2 * carrying->left_capacity : 16;
        struct bt_left *left = BT_NEW_ARRAY(carrying->arena, struct bt_left, capacity);
        if (!left) {
            return BT_ENOMEM;
        }
        if (carrying->left_count > 0) {
            memcpy(left, carrying->left, carrying->left_count * sizeof(*left));
        }
        carrying->left = left;
        carrying->left_capacity = capacity;
    }
    bt_str shown;
    BT_TRY(show_pointer(carrying, member->pointer, &shown));
    carrying->left[carrying->left_count++] = (struct bt_left){shown, reason, member->value, false};
    return BT_OK;
}

/* ---- Places of the draft --------------------------------------------------------------------- */

struct place {
    const char *pointer;
    size_t offset; /* of the text in the draft */
};

static const struct place places[] = {
    {"/handoff/timestamp", offsetof(struct bt_handoff_draft, timestamp)},
    {"/handoff/expires_at", offsetof(struct bt_handoff_draft, expires_at)},
    {"/handoff/source/skill", offsetof(struct bt_handoff_draft, source)},
    {"/handoff/source/workflow_id", offsetof(struct bt_handoff_draft, workflow_id)},
    {"/handoff/source/session_path", offsetof(struct bt_handoff_draft, session_path)},
    {"/handoff/target/skill", offsetof(struct bt_handoff_draft, target)},
    {"/handoff/context/summary", offsetof(struct bt_handoff_draft, summary)},
    {"/handoff/context/original_prompt", offsetof(struct bt_handoff_draft, original_prompt)},
    {"/handoff/context/problem_type", offsetof(struct bt_handoff_draft, problem_type)},
    {"/handoff/meta/confidence", offsetof(struct bt_handoff_draft, confidence)},
    {"/handoff/meta/handoff_reason", offsetof(struct bt_handoff_draft, reason)},
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static bt_str get_text(const struct bt_carrying *carrying, size_t offset)
{
    bt_str text;
    memcpy(&text, (const char *)&carrying->draft + offset, sizeof(text));
    return text;
}

static void set_text(struct bt_carrying *carrying, size_t offset, bt_str text)
{
    memcpy((char *)&carrying->draft + offset, &text, sizeof(text));
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

/* ---- Carrying one member --------------------------------------------------------------------- */

/* Set a text of the draft unless a flag did. */
static enum bt_status carry_text(struct bt_carrying *carrying, const struct member *member,
                                 const struct bt_carry_row *row, bt_str text)
{
    const size_t offset = offset_of(row->to);
    if (get_text(carrying, offset).ptr) {
        return note_left(carrying, member, overridden);
    }
    set_text(carrying, offset, text);
    return note_carried(carrying, member->pointer, row->to, (bt_str){NULL, 0});
}

static enum bt_status carry_time(struct bt_carrying *carrying, const struct member *member,
                                 const struct bt_carry_row *row)
{
    bt_str text = bt_json_text(member->value);
    struct bt_buf utc;
    bt_buf_init(&utc, SIZE_MAX);
    enum bt_status status = bt_timestamp_to_utc(text, &utc);
    if (status == BT_OK) {
        status = bt_buf_keep(&utc, carrying->arena, &text);
    } else if (status == BT_EINVAL || status == BT_ELIMIT) {
        status = BT_OK; /* what is no time is carried as it is, and judged */
    }
    bt_buf_free(&utc);
    return status == BT_OK ? carry_text(carrying, member, row, text) : status;
}

/* Put a member into an object that is being written. */
static enum bt_status put_member(struct bt_carrying *carrying, struct bt_buf *object, bt_str name,
                                 const bt_value *value)
{
    if (object->len > 0) {
        bt_buf_put_char(object, ',');
    }
    bt_json_put_string(object, name);
    bt_buf_put_char(object, ':');
    return bt_json_write(object, carrying->document, value, BT_JSON_COMPACT, carrying->arena, NULL);
}

static enum bt_status wrap(struct bt_carrying *carrying, const char *before,
                           const struct bt_buf *members, const char *after, bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    bt_buf_put_text(&buf, before);
    bt_buf_put(&buf, bt_buf_str(members));
    bt_buf_put_text(&buf, after);
    const enum bt_status status =
        members->status == BT_OK ? bt_buf_keep(&buf, carrying->arena, out) : members->status;
    bt_buf_free(&buf);
    return status;
}

/* Whether the members that were put so far have this name. */
static enum bt_status has_name(struct bt_carrying *carrying, const struct bt_buf *object,
                               bt_str name, bool *out)
{
    bt_str text = BT_STR("");
    struct bt_json_result read;
    BT_TRY(wrap(carrying, "{", object, "}", &text));
    BT_TRY(bt_json_read(carrying->arena, text, NULL, &read));
    *out = read.document && bt_json_member(read.document, bt_json_root(read.document), name);
    return BT_OK;
}

static enum bt_status carry_member(struct bt_carrying *carrying, const struct member *member,
                                   const struct bt_carry_row *row)
{
    const bool is_state = row->kind == BT_CARRY_STATE;
    struct bt_buf *object = is_state ? &carrying->state : &carrying->working;
    bool repeated = false;
    if (is_state ? carrying->has_session : carrying->has_working) {
        return note_left(carrying, member, overridden);
    }
    /* What goes to the state comes from one object, so its names differ; working takes a few
     * members from many places. */
    if (!is_state) {
        BT_TRY(has_name(carrying, object, member->name, &repeated));
    }
    if (repeated) {
        return note_left(carrying, member, "another member of that name was carried");
    }
    BT_TRY(put_member(carrying, object, member->name, member->value));
    return note_carried(carrying, member->pointer, row->to, member->name);
}

static enum bt_status carry_summary(struct bt_carrying *carrying, const struct member *member,
                                    const struct bt_carry_row *row)
{
    const bt_str text = bt_json_text(member->value);
    bt_str summary = BT_STR("");
    BT_TRY(bt_cut(carrying->arena, text, SUMMARY_CODE_POINTS_MAX, &summary));
    if (carrying->draft.summary.ptr) {
        return note_left(carrying, member, overridden);
    }
    BT_TRY(carry_text(carrying, member, row, summary));
    if (summary.ptr == text.ptr) {
        return BT_OK;
    }
    static const struct bt_carry_row whole = {"", BT_CARRY_WORKING, "/handoff/payload/working"};
    return carry_member(carrying, member, &whole);
}

static enum bt_status carry_level(struct bt_carrying *carrying, const struct member *member,
                                  const struct bt_carry_row *row)
{
    const bt_str level = bt_json_text(member->value);
    if (bt_json_type(member->value) == BT_JSON_STRING && !carrying->draft.confidence.ptr) {
        const bool none = bt_str_eq(level, BT_STR("none"));
        BT_TRY(carry_text(carrying, member, row, none ? BT_STR("low") : level));
    }
    static const struct bt_carry_row kept = {"", BT_CARRY_WORKING, "/handoff/payload/working"};
    return carry_member(carrying, member, &kept);
}

static enum bt_status carry_request(struct bt_carrying *carrying, const struct member *member,
                                    const struct bt_carry_row *row)
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
            return carry_text(carrying, member, row, types[i].problem);
        }
    }
    return note_left(carrying, member, "it is no type of a request");
}

static enum bt_status carry_chain(struct bt_carrying *carrying, const struct member *member,
                                  const struct bt_carry_row *row)
{
    const size_t count = bt_json_count(member->value);
    const bt_value *items = bt_json_items(member->value);
    if (carrying->draft.chain.count > 0) {
        return note_left(carrying, member, overridden);
    }
    if (!items || count == 0) {
        return note_left(carrying, member, "it is not a list of names");
    }
    bt_str *names = BT_NEW_ARRAY(carrying->arena, bt_str, count);
    if (!names) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (bt_json_type(&items[i]) != BT_JSON_STRING) {
            return note_left(carrying, member, "it is not a list of names");
        }
        names[i] = bt_json_text(&items[i]);
    }
    carrying->draft.chain = (struct bt_strs){names, count};
    return note_carried(carrying, member->pointer, row->to, (bt_str){NULL, 0});
}

/* What else is in the list stays where the list itself was carried to. */
static enum bt_status carry_gaps(struct bt_carrying *carrying, const struct member *member,
                                 const struct bt_carry_row *row)
{
    const size_t count = bt_json_count(member->value);
    const bt_value *items = bt_json_items(member->value);
    if (!items || count == 0 || carrying->draft.known_gaps.count > 0) {
        return BT_OK;
    }
    bt_str *gaps = BT_NEW_ARRAY(carrying->arena, bt_str, count);
    size_t texts = 0;
    if (!gaps) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (bt_json_type(&items[i]) == BT_JSON_STRING) {
            gaps[texts++] = bt_json_text(&items[i]);
        }
    }
    if (texts == 0) {
        return BT_OK;
    }
    carrying->draft.known_gaps = (struct bt_strs){gaps, texts};
    return note_carried(carrying, member->pointer, row->to, (bt_str){NULL, 0});
}

static enum bt_status carry_criterion(struct bt_carrying *carrying, const struct member *member,
                                      const struct bt_carry_row *row)
{
    if (carrying->draft.success_criteria.count > 0) {
        return note_left(carrying, member, overridden);
    }
    bt_str *only = BT_NEW(carrying->arena, bt_str);
    if (!only) {
        return BT_ENOMEM;
    }
    *only = bt_json_text(member->value);
    carrying->draft.success_criteria = (struct bt_strs){only, 1};
    return note_carried(carrying, member->pointer, row->to, (bt_str){NULL, 0});
}

/* Add a tag; *out_added is false when a flag has one of that name. */
static enum bt_status add_tag(struct bt_carrying *carrying, struct bt_tag tag, bool *out_added)
{
    struct bt_handoff_draft *draft = &carrying->draft;
    *out_added = false;
    for (size_t i = 0; i < draft->tag_count; i++) {
        if (bt_str_eq(draft->tags[i].name, tag.name)) {
            return BT_OK;
        }
    }
    struct bt_tag *tags = BT_NEW_ARRAY(carrying->arena, struct bt_tag, draft->tag_count + 1);
    if (!tags) {
        return BT_ENOMEM;
    }
    if (draft->tag_count > 0) {
        memcpy(tags, draft->tags, draft->tag_count * sizeof(*tags));
    }
    tags[draft->tag_count++] = tag;
    draft->tags = tags;
    *out_added = true;
    return BT_OK;
}

static enum bt_status carry_tag(struct bt_carrying *carrying, const struct member *member,
                                const struct bt_carry_row *row)
{
    bool added = false;
    BT_TRY(add_tag(carrying, (struct bt_tag){member->name, bt_json_text(member->value)}, &added));
    return added ? note_carried(carrying, member->pointer, row->to, member->name)
                 : note_left(carrying, member, overridden);
}

static bool wants_text(enum bt_carry_kind kind)
{
    return kind == BT_CARRY_TEXT || kind == BT_CARRY_TIME || kind == BT_CARRY_SUMMARY ||
           kind == BT_CARRY_CRITERION || kind == BT_CARRY_TAG || kind == BT_CARRY_REQUEST;
}

static enum bt_status carry_by(struct bt_carrying *carrying, const struct member *member,
                               const struct bt_carry_row *row)
{
    if (wants_text(row->kind) && bt_json_type(member->value) != BT_JSON_STRING) {
        return note_left(carrying, member, no_text);
    }
    switch (row->kind) {
    case BT_CARRY_NOT:
        return note_left(carrying, member, row->to);
    case BT_CARRY_NEVER:
        BT_TRY(note_left(carrying, member, row->to));
        carrying->left[carrying->left_count - 1].never = true;
        return BT_OK;
    case BT_CARRY_COUNTED:
        return note_carried(carrying, member->pointer, row->to, (bt_str){NULL, 0});
    case BT_CARRY_TEXT:
        return carry_text(carrying, member, row, bt_json_text(member->value));
    case BT_CARRY_TIME:
        return carry_time(carrying, member, row);
    case BT_CARRY_SUMMARY:
        return carry_summary(carrying, member, row);
    case BT_CARRY_LEVEL:
        return carry_level(carrying, member, row);
    case BT_CARRY_REQUEST:
        return carry_request(carrying, member, row);
    case BT_CARRY_CHAIN:
        return carry_chain(carrying, member, row);
    case BT_CARRY_GAPS:
        return carry_gaps(carrying, member, row);
    case BT_CARRY_CRITERION:
        return carry_criterion(carrying, member, row);
    case BT_CARRY_WORKING:
    case BT_CARRY_STATE:
        return carry_member(carrying, member, row);
    case BT_CARRY_TAG:
        return carry_tag(carrying, member, row);
    }
    return BT_EINVAL;
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* The row of a member: its own, or that of every member of its object. */
static const struct bt_carry_row *row_of(const struct bt_carry_table *table, bt_str outer,
                                         bt_str pointer)
{
    for (const struct bt_carry_row *row = table->rows; row->from; row++) {
        const bt_str from = bt_str_of(row->from);
        const bool is_any = bt_str_ends(from, BT_STR("/*")) &&
                            bt_str_eq(bt_str_slice(from, 0, from.len - 2), outer);
        if (is_any || bt_str_eq(from, pointer)) {
            return row;
        }
    }
    return NULL;
}

/* Whether some row lies below. */
static bool leads_on(const struct bt_carry_table *table, bt_str pointer)
{
    for (const struct bt_carry_row *row = table->rows; row->from; row++) {
        const bt_str from = bt_str_of(row->from);
        if (bt_str_starts(from, pointer) && from.len > pointer.len &&
            from.ptr[pointer.len] == '/') {
            return true;
        }
    }
    return false;
}

struct visit {
    bt_str pointer;
    const bt_value *object;
    size_t next;
};

/* Carry or name a member; *out_enter when its own members are to be looked at instead. */
static enum bt_status look_at(struct bt_carrying *carrying, const struct bt_carry_table *table,
                              bt_str outer, const struct member *member, bool *out_enter)
{
    const struct bt_carry_row *row = row_of(table, outer, member->pointer);
    *out_enter = false;
    if (row) {
        return carry_by(carrying, member, row);
    }
    if (!leads_on(table, member->pointer)) {
        return note_left(carrying, member, "it has no place in a universal handoff");
    }
    if (bt_json_type(member->value) != BT_JSON_OBJECT) {
        return note_left(carrying, member, "it is not an object");
    }
    if (bt_json_count(member->value) == 0) {
        return note_left(carrying, member, "it is empty");
    }
    *out_enter = true;
    return BT_OK;
}

static enum bt_status walk(struct bt_carrying *carrying, const struct bt_carry_table *table)
{
    struct visit visits[DEPTH_MAX] = {{BT_STR(""), bt_json_root(carrying->document), 0}};
    size_t depth = 1;
    while (depth > 0) {
        struct visit *in = &visits[depth - 1];
        if (in->next == bt_json_count(in->object)) {
            depth--;
            continue;
        }
        const struct bt_json_member *at = &bt_json_members(in->object)[in->next++];
        struct member member = {.name = bt_json_name(at), .value = &at->value};
        struct bt_buf pointer;
        bool enter = false;
        bt_buf_init(&pointer, SIZE_MAX);
        bt_buf_put(&pointer, in->pointer);
        bt_pointer_put(&pointer, member.name);
        const enum bt_status status = bt_buf_keep(&pointer, carrying->arena, &member.pointer);
        bt_buf_free(&pointer);
        BT_TRY(status);
        BT_TRY(look_at(carrying, table, in->pointer, &member, &enter));
        if (enter) {
            assert(depth < DEPTH_MAX);
            visits[depth++] = (struct visit){member.pointer, member.value, 0};
        }
    }
    return BT_OK;
}

/* ---- What is taken twice --------------------------------------------------------------------- */

/* A place that has something already keeps it: the member itself is carried in any case. */
static bool is_taken(const struct bt_carrying *carrying, const struct bt_carry_row *row)
{
    return row->kind == BT_CARRY_SUMMARY && carrying->draft.summary.ptr;
}

static enum bt_status take_also(struct bt_carrying *carrying, const struct bt_carry_row *rows)
{
    for (const struct bt_carry_row *row = rows; row && row->from; row++) {
        const bt_str pointer = bt_str_of(row->from);
        const bt_value *value =
            bt_json_point(carrying->document, bt_json_root(carrying->document), pointer);
        const bool is_fit =
            value && (!wants_text(row->kind) || bt_json_type(value) == BT_JSON_STRING);
        if (!is_fit || is_taken(carrying, row)) {
            continue;
        }
        size_t slash = pointer.len;
        while (pointer.ptr[slash - 1] != '/') {
            slash--;
        }
        const struct member member = {pointer, bt_str_slice(pointer, slash, pointer.len), value};
        BT_TRY(carry_by(carrying, &member, row));
    }
    return BT_OK;
}

/* ---- What is made ---------------------------------------------------------------------------- */

/* Without a summary, the user's own words are one. */
static enum bt_status summarise(struct bt_carrying *carrying)
{
    static const struct bt_carry_row row = {"", BT_CARRY_SUMMARY, "/handoff/context/summary"};
    const bt_str pointer = BT_STR("/handoff/context/original_prompt");
    const bt_value *prompt =
        bt_json_point(carrying->document, bt_json_root(carrying->document), pointer);
    if (carrying->draft.summary.ptr || !prompt || bt_json_type(prompt) != BT_JSON_STRING) {
        return BT_OK;
    }
    const struct member member = {pointer, BT_STR("synthesis_summary"), prompt};
    return carry_summary(carrying, &member, &row);
}

static enum bt_status end_after_an_hour(struct bt_carrying *carrying)
{
    bt_instant instant;
    char text[BT_INSTANT_TEXT_BYTES];
    struct bt_handoff_draft *draft = &carrying->draft;
    if (draft->expires_at.ptr || !draft->timestamp.ptr ||
        bt_timestamp_parse(draft->timestamp, &instant) != BT_TIMESTAMP_VALID) {
        return BT_OK;
    }
    instant.seconds += HOUR_SECONDS;
    const size_t size = bt_instant_format(instant, text);
    return bt_arena_copy(carrying->arena, (bt_str){text, size}, &draft->expires_at);
}

enum bt_status bt_carry(struct bt_carrying *carrying, const struct bt_carry_table *table)
{
    assert(carrying);
    assert(table);
    bool added = false;
    BT_TRY(walk(carrying, table));
    BT_TRY(take_also(carrying, table->also));
    if (table->prompt) {
        BT_TRY(summarise(carrying));
    }
    if (table->hour) {
        BT_TRY(end_after_an_hour(carrying));
    }
    if (table->phase && !carrying->draft.phase.ptr) {
        carrying->draft.phase = bt_str_of(table->phase);
    }
    const struct bt_tag tag = {BT_STR("converted_from"), bt_str_of(table->converted_from)};
    return add_tag(carrying, tag, &added);
}

/* ---- The rest -------------------------------------------------------------------------------- */

/* Put the values that may be kept, as members keyed by their pointers, and forget them. */
static enum bt_status put_rest(struct bt_carrying *carrying, struct bt_buf *members)
{
    size_t stay = 0;
    for (size_t i = 0; i < carrying->left_count; i++) {
        const struct bt_left *left = &carrying->left[i];
        if (left->never) {
            carrying->left[stay++] = *left;
            continue;
        }
        BT_TRY(put_member(carrying, members, left->pointer, left->value));
        BT_TRY(note_carried(carrying, left->pointer, STATE "/rest", left->pointer));
    }
    carrying->left_count = stay;
    return members->status;
}

enum bt_status bt_carry_rest(struct bt_carrying *carrying)
{
    bool taken = false;
    BT_TRY(has_name(carrying, &carrying->state, BT_STR("rest"), &taken));
    if (carrying->has_session || taken) {
        return BT_OK; /* a session that a flag gave is not added to, nor a name taken twice */
    }
    struct bt_buf members;
    bt_buf_init(&members, SIZE_MAX);
    const enum bt_status status = put_rest(carrying, &members);
    if (status == BT_OK && members.len > 0) {
        bt_buf_put_text(&carrying->state, carrying->state.len > 0 ? ",\"rest\":{" : "\"rest\":{");
        bt_buf_put(&carrying->state, bt_buf_str(&members));
        bt_buf_put_char(&carrying->state, '}');
    }
    bt_buf_free(&members);
    return status == BT_OK ? carrying->state.status : status;
}

enum bt_status bt_carry_finish(struct bt_carrying *carrying)
{
    struct bt_handoff_draft *draft = &carrying->draft;
    if (!carrying->has_working) {
        BT_TRY(wrap(carrying, "{", &carrying->working, "}", &draft->working));
    }
    if (!carrying->has_session && carrying->state.len > 0) {
        BT_TRY(wrap(carrying, "{\"state\":{", &carrying->state, "}}", &draft->session));
    }
    return BT_OK;
}

enum bt_status bt_carry_put_facts(const void *context, struct bt_emit *emit)
{
    const struct bt_carrying *carrying = context;
    bt_emit_name(emit, "carried");
    bt_emit_array(emit);
    if (carrying->carried.len > 0) {
        bt_emit_raw(emit, bt_buf_str(&carrying->carried));
    }
    bt_emit_end(emit);
    bt_emit_name(emit, "not_carried");
    bt_emit_array(emit);
    for (size_t i = 0; i < carrying->left_count; i++) {
        bt_emit_object(emit);
        bt_emit_member_string(emit, "pointer", carrying->left[i].pointer);
        bt_emit_member_string(emit, "reason", bt_str_of(carrying->left[i].reason));
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    return carrying->carried.status;
}
