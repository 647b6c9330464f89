/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complete.c - what an argument may go on with.
 */
#include "mcp/inside.h"

#include <stdlib.h>

#include <baton/schema.h>

enum { VALUES_MAX = 100 };

/* The word at `index` of a list, or "" after the last. A word may come twice, and then in a row. */
typedef bt_str word_fn(size_t index);

static bt_str dialect_at(size_t index)
{
    return index < bt_dialects_count() ? bt_dialect_name(bt_dialects_at(index)) : BT_STR("");
}

static bt_str status_at(size_t index)
{
    return index + 1 < BT_PLAN__MAX ? bt_plan_status_name((enum bt_plan_status)(index + 1))
                                    : BT_STR("");
}

static bt_str code_at(size_t index)
{
    return index < bt_rules_count() ? bt_rules_at(index)->code : BT_STR("");
}

static bt_str schema_at(size_t index)
{
    return index < bt_schemas_count() ? bt_schemas_at(index)->name : BT_STR("");
}

/* Where an argument belongs, and what it may be. */
static const struct place {
    const char *owner; /* name of a prompt, or address of a template */
    const char *argument;
    word_fn *words;
} places[] = {
    {"repair_handoff", "dialect", dialect_at},
    {"write_contract_block", "status", status_at},
    {"baton://rules/{code}", "code", code_at},
    {"baton://schemas/{name}", "name", schema_at},
};

static int compare(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

/* The words that begin with `prefix`, sorted, each once. */
static enum bt_status collect(struct bt_arena *arena, word_fn *words, bt_str prefix, bt_str **out,
                              size_t *out_count)
{
    size_t total = 0;
    while (words(total).len > 0) {
        total++;
    }
    bt_str *found = BT_NEW_ARRAY(arena, bt_str, total + 1);
    size_t count = 0;
    if (!found) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < total; i++) {
        const bt_str word = words(i);
        const bool is_new = count == 0 || !bt_str_eq(found[count - 1], word);
        if (is_new && bt_str_starts(word, prefix)) {
            found[count++] = word;
        }
    }
    qsort(found, count, sizeof(bt_str), compare);
    *out = found;
    *out_count = count;
    return BT_OK;
}

static const bt_value *member(const struct mcp_ask *ask, const char *object, const char *name)
{
    const bt_value *value = mcp_param(ask, object);
    return value ? bt_json_get(ask->document, value, bt_str_of(name)) : NULL;
}

enum bt_status mcp_complete(struct mcp_ask *ask)
{
    const bt_value *type = member(ask, "ref", "type");
    const bool is_prompt = type && bt_str_eq(bt_json_text(type), BT_STR("ref/prompt"));
    const bt_value *owner = member(ask, "ref", is_prompt ? "name" : "uri");
    const bt_value *name = member(ask, "argument", "name");
    const bt_value *value = member(ask, "argument", "value");
    if (!type || !owner || !name || !value || bt_json_type(value) != BT_JSON_STRING) {
        mcp_error(ask, MCP_INVALID_PARAMS, "ref and argument say what to complete", BT_STR(""));
        return BT_OK;
    }
    bt_str *words = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (bt_str_eq(bt_str_of(places[i].owner), bt_json_text(owner)) &&
            bt_str_eq(bt_str_of(places[i].argument), bt_json_text(name))) {
            BT_TRY(collect(&ask->arena, places[i].words, bt_json_text(value), &words, &count));
        }
    }
    mcp_result(ask, "complete");
    bt_emit_name(&ask->emit, "completion");
    bt_emit_object(&ask->emit);
    bt_emit_name(&ask->emit, "values");
    bt_emit_array(&ask->emit);
    for (size_t i = 0; i < count && i < VALUES_MAX; i++) {
        bt_emit_string(&ask->emit, words[i]);
    }
    bt_emit_end(&ask->emit);
    bt_emit_member_u64(&ask->emit, "total", count);
    bt_emit_name(&ask->emit, "hasMore");
    bt_emit_bool(&ask->emit, count > VALUES_MAX);
    bt_emit_end(&ask->emit);
    mcp_result_end(ask, MCP_UNCACHED);
    return BT_OK;
}
