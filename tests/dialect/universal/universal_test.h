/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal_test.h - a good handoff, ways to break it, and a world in which time stands still.
 */
#ifndef BATON_TESTS_DIALECT_UNIVERSAL_UNIVERSAL_TEST_H
#define BATON_TESTS_DIALECT_UNIVERSAL_UNIVERSAL_TEST_H

#include <baton/json.h>

#include "dialect/universal/universal.h"
#include "json/options.h"
#include "report/fixes.h"
#include "test.h"

/* Accepted without a finding. */
#define GOOD_HANDOFF                                                                               \
    "{\"handoff\":{\"version\":\"3.0\",\"schema_type\":\"universal\","                             \
    "\"timestamp\":\"2026-04-14T08:30:00Z\","                                                      \
    "\"trace_id\":\"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4\","                                       \
    "\"source\":{\"skill\":\"release-planner\",\"workflow_id\":\"run-0412\","                      \
    "\"session_path\":\"work\",\"phase\":\"Triage\"},\"target\":{\"skill\":\"patch-builder\"},"    \
    "\"context\":{\"summary\":\"Build the fix for the date parser; three customers are blocked.\"" \
    ",\"problem_type\":\"implementation\"},\"payload\":{\"working\":{\"ticket\":\"DP-118\","       \
    "\"files\":[\"parse.c\",\"date.c\"]}},\"meta\":{\"token_count\":128,"                          \
    "\"confidence\":\"high\"}}}"

struct world {
    struct bt_env env;
    struct bt_arena arena;
    struct bt_universal_checker *universal;
    struct bt_universal_options options;
};

static inline void world_begin(struct world *world)
{
    const bt_instant now = {1776157200, 0}; /* 2026-04-14T09:00:00Z */
    assert_int_equal(bt_env_init(&world->env), BT_OK);
    bt_env_pin_clock(&world->env, &now);
    bt_env_pin_seed(&world->env, 7);
    bt_arena_init(&world->arena, 256 << 20);
    assert_int_equal(bt_universal_checker_create(&world->env, &world->universal), BT_OK);
    world->options = bt_universal_options_default();
    world->options.no_refs = true;
}

static inline void world_end(struct world *world)
{
    bt_universal_checker_destroy(world->universal);
    bt_arena_free(&world->arena);
}

static inline const struct bt_json_doc *read_json(struct world *world, bt_str text)
{
    struct bt_json_read_result read = {0};
    assert_int_equal(bt_json_read(&world->arena, text, NULL, &read), BT_OK);
    if (!read.document) {
        fail_msg("no JSON: %.*s", BT_STR_ARG(text));
    }
    return read.document;
}

/* The text after an RFC 6902 patch, minified; "" when the patch is refused. */
static inline bt_str patched(struct world *world, bt_str text, bt_str patch)
{
    const struct bt_json_patch_options options = {.form = BT_JSON_FORM_COMPACT};
    struct bt_json_patch_result result = {0};
    struct bt_buf buf;
    bt_str out = BT_STR("");
    bt_buf_init(&buf, SIZE_MAX);
    assert_int_equal(bt_json_patch(&buf, read_json(world, text), read_json(world, patch), &options,
                                   &world->arena, &result),
                     BT_OK);
    if (result.code == BT_JSON_PATCH_OK) {
        assert_int_equal(bt_buf_copy(&buf, &world->arena, &out), BT_OK);
    }
    bt_buf_free(&buf);
    return out;
}

/* The value at a pointer as compact JSON, or "" when there is none. */
static inline bt_str value_at(struct world *world, bt_str text, const char *pointer)
{
    const struct bt_json_doc *document = read_json(world, text);
    const bt_json_value *value =
        bt_json_resolve(document, bt_json_root(document), bt_str_of(pointer));
    bt_str out = BT_STR("");
    if (value) {
        struct bt_buf buf;
        bt_buf_init(&buf, SIZE_MAX);
        assert_int_equal(
            bt_json_write(&buf, document, value, BT_JSON_FORM_COMPACT, &world->arena, NULL), BT_OK);
        assert_int_equal(bt_buf_copy(&buf, &world->arena, &out), BT_OK);
        bt_buf_free(&buf);
    }
    return out;
}

static inline struct bt_universal_result fixed(struct world *world, bt_str text, bool unsafe)
{
    const struct bt_universal_input input = {BT_STR("h.json"), text, &world->options};
    struct bt_universal_result result;
    assert_int_equal(bt_universal_fix(world->universal, &world->arena, &input,
                                      &(struct bt_fix_choice){.unsafe = unsafe}, &result),
                     BT_OK);
    return result;
}

static inline bool has_code(const struct bt_judgement *judged, const char *code)
{
    for (size_t i = 0; i < bt_findings_count(judged->findings); i++) {
        if (bt_str_eq(bt_findings_at(judged->findings, i)->rule->code, bt_str_of(code))) {
            return true;
        }
    }
    return false;
}

#endif
