/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive.c - a schema applied to a value: all its keywords, one after the other.
 */
#include "naive.h"

#include <stdlib.h>

#include "naive_inside.h"

#define ARENA_BYTES_MAX ((size_t)1 << 30)

/* A schema that sends us round in circles without ever going into the instance is stopped by the
 * first bound, one whose work explodes by the last. How deep instances are is up to the reader. */
enum {
    IN_PLACE_MAX = 1000,
    DEPTH_MAX = 6000,
    WORK_MAX = 1000000,
};

bool naive_fault(struct naive *naive, const char *reason)
{
    if (naive->reason[0] == '\0') {
        naive->reason = reason;
    }
    return false;
}

const bt_json_value *naive_sibling(const struct naive_frame *frame, bt_str name)
{
    return bt_json_get(frame->schema.home->document, frame->schema.value, name);
}

/* Before 2019-09 a reference stands for the whole schema: what stands beside it does not count. */
static bool is_reference_alone(const struct naive_frame *frame)
{
    return frame->schema.home->dialect.draft <= BT_SCHEMA_DRAFT_7 &&
           naive_sibling(frame, BT_STR("$ref")) != NULL;
}

static bool check_keywords(const struct naive_frame *frame)
{
    if (is_reference_alone(frame)) {
        return naive_check_ref(frame, naive_sibling(frame, BT_STR("$ref")));
    }
    bool passes = true;
    for (size_t i = 0; i < naive_keywords_count; i++) {
        const struct naive_keyword *keyword = &naive_keywords[i];
        if (!keyword->check || !naive_dialect_has(&frame->schema.home->dialect, keyword)) {
            continue;
        }
        const bt_json_value *value = naive_sibling(frame, keyword->name);
        if (value && !keyword->check(frame, value)) {
            passes = false;
        }
    }
    return passes;
}

static bool check_frame(const struct naive_frame *frame)
{
    struct naive *naive = frame->naive;
    if (naive->reason[0] != '\0') {
        return false;
    }
    if (frame->in_place > IN_PLACE_MAX) {
        return naive_fault(naive, "references go in circles");
    }
    if (frame->depth > DEPTH_MAX || ++naive->work > WORK_MAX) {
        return naive_fault(naive, "too deep or too much work");
    }
    switch (bt_json_type(frame->schema.value)) {
    case BT_JSON_TRUE:
        return true;
    case BT_JSON_FALSE:
        return false;
    case BT_JSON_OBJECT:
        return check_keywords(frame);
    case BT_JSON_NONE:
    case BT_JSON_NULL:
    case BT_JSON_INTEGER:
    case BT_JSON_NUMBER:
    case BT_JSON_STRING:
    case BT_JSON_ARRAY:
    default:
        return naive_fault(naive, "a schema is neither an object nor a boolean");
    }
}

/* `counts`: what a success evaluated counts as evaluated in the frame, too. */
static bool apply(const struct naive_frame *outer, naive_node schema, const bt_json_value *instance,
                  bool counts)
{
    struct naive *naive = outer->naive;
    const bool is_in_place = instance == outer->instance;
    const struct bt_arena_mark mark = bt_arena_mark(&naive->marks);
    const size_t children = bt_json_count(instance);
    struct naive_frame frame = {
        .naive = naive,
        .outer = outer,
        .schema = schema,
        .instance = instance,
        .seen = BT_NEW_ARRAY(&naive->marks, bool, children + 1),
        .depth = outer->depth + 1,
        .in_place = is_in_place ? outer->in_place + 1 : 0,
    };
    if (!frame.seen) {
        return naive_fault(naive, "no memory for marks");
    }
    const bool passes = check_frame(&frame);
    for (size_t i = 0; passes && counts && i < children; i++) {
        outer->seen[i] = outer->seen[i] || frame.seen[i];
    }
    bt_arena_rewind(&naive->marks, mark);
    return passes;
}

bool naive_apply_here(const struct naive_frame *frame, naive_node schema)
{
    return apply(frame, schema, frame->instance, true);
}

/* A schema inside the frame's schema: its own resource if it begins one. */
static naive_node sub(const struct naive_frame *frame, const bt_json_value *schema)
{
    const struct naive_resource *own = naive_resource_at(frame->naive, schema);
    return (naive_node){own ? own : frame->schema.home, schema};
}

bool naive_apply_sub(const struct naive_frame *frame, const bt_json_value *schema)
{
    return apply(frame, sub(frame, schema), frame->instance, true);
}

bool naive_try_sub(const struct naive_frame *frame, const bt_json_value *schema)
{
    return apply(frame, sub(frame, schema), frame->instance, false);
}

bool naive_apply_to(const struct naive_frame *frame, const bt_json_value *schema,
                    const bt_json_value *value)
{
    return apply(frame, sub(frame, schema), value, false);
}

static bool open_schema(struct naive *naive, const struct bt_json_doc *schema)
{
    const bt_json_value *root = bt_json_root(schema);
    const struct naive_dialect given = {.draft = naive->options.draft, .vocabularies = NAIVE_ALL};
    if (!naive_dialect_of(naive, schema, root, &given, &naive->dialect)) {
        return false;
    }
    naive->root = naive_load(naive, BT_STR(""), schema);
    return naive->root && naive_resolve_all(naive);
}

struct naive *naive_open(const struct bt_json_doc *schema, const struct judge_options *options)
{
    struct naive *naive = calloc(1, sizeof(*naive));
    if (!naive) {
        return NULL;
    }
    bt_arena_init(&naive->arena, ARENA_BYTES_MAX);
    bt_arena_init(&naive->marks, ARENA_BYTES_MAX);
    bt_arena_init(&naive->scratch, ARENA_BYTES_MAX);
    naive_regexes_init(&naive->regexes);
    naive->options = *options;
    naive->reason = "";
    naive->load_failed = !open_schema(naive, schema);
    return naive;
}

enum verdict naive_judge(struct naive *naive, const struct bt_json_doc *instance)
{
    if (naive->load_failed) {
        return VERDICT_NONE;
    }
    naive->reason = "";
    naive->work = 0;
    naive->instance = instance;
    bool nothing_seen[1] = {false};
    const struct naive_frame outermost = {
        .naive = naive, .schema = {naive->root, naive->root->root}, .seen = nothing_seen};
    const bool passes = apply(&outermost, outermost.schema, bt_json_root(instance), false);
    if (naive->reason[0] != '\0') {
        return VERDICT_NONE;
    }
    return passes ? VERDICT_VALID : VERDICT_INVALID;
}

const char *naive_reason(const struct naive *naive)
{
    return naive->reason;
}

void naive_close(struct naive *naive)
{
    if (!naive) {
        return;
    }
    naive_regexes_free(&naive->regexes);
    bt_arena_free(&naive->scratch);
    bt_arena_free(&naive->marks);
    bt_arena_free(&naive->arena);
    free(naive);
}

enum verdict naive_validate(const struct bt_json_doc *schema, const struct judge_options *options,
                            const struct bt_json_doc *instance)
{
    struct naive *naive = naive_open(schema, options);
    const enum verdict verdict = naive ? naive_judge(naive, instance) : VERDICT_NONE;
    naive_close(naive);
    return verdict;
}
