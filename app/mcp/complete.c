/* SPDX-License-Identifier: Apache-2.0 */
/* complete.c - completion/complete: the possible values of an argument. */
#include "mcp/mcp_internal.h"

#include <stdlib.h>

#include <baton/schema.h>

#include "schema/builtin.h"

enum { VALUES_MAX = 100 };

/*
 * The word at `index` of a list, or "" after the last. A word may occur twice, in consecutive
 * places.
 */
typedef bt_str mcp_completion_fn(size_t index);

static bt_str dialect_at(size_t index)
{
    return index + 1 < BT_DIALECT__CHECKABLE_MAX ? bt_dialect_name((enum bt_dialect_id)(index + 1))
                                                 : BT_STR("");
}

static bt_str status_at(size_t index)
{
    return index + 1 < BT_CONTRACT_STATUS__MAX
               ? bt_contract_status_name((enum bt_contract_status)(index + 1))
               : BT_STR("");
}

static bt_str code_at(size_t index)
{
    return index < bt_rules_count() ? bt_rules_at(index)->code : BT_STR("");
}

static bt_str schema_at(size_t index)
{
    return index < bt_schema_builtin_count() ? bt_schema_builtin_at(index)->name : BT_STR("");
}

/* Where an argument belongs, and its possible values. */
static const struct mcp_completion_slot {
    const char *owner; /* name of a prompt, or URI of a template */
    const char *argument;
    mcp_completion_fn *words;
} places[] = {
    {"repair_handoff", "dialect", dialect_at},
    {"write_contract_block", "status", status_at},
    {"baton://rules/{code}", "code", code_at},
    {"baton://schemas/{name}", "name", schema_at},
};

static int compare_words(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

/* Collect the words that begin with `prefix`, sorted, each once. */
static enum bt_status collect_words(struct bt_arena *arena, mcp_completion_fn *words, bt_str prefix,
                                    bt_str **out, size_t *out_count)
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
        if (is_new && bt_str_starts_with(word, prefix)) {
            found[count++] = word;
        }
    }
    qsort(found, count, sizeof(bt_str), compare_words);
    *out = found;
    *out_count = count;
    return BT_OK;
}

static const bt_json_value *find_member(const struct mcp_request *request, const char *object,
                                        const char *name)
{
    const bt_json_value *value = mcp_param(request, object);
    return value ? bt_json_get(request->document, value, bt_str_of(name)) : NULL;
}

enum bt_status mcp_complete(struct mcp_request *request)
{
    const bt_json_value *type = find_member(request, "ref", "type");
    const bool is_prompt = type && bt_str_eq(bt_json_text(type), BT_STR("ref/prompt"));
    const bt_json_value *owner = find_member(request, "ref", is_prompt ? "name" : "uri");
    const bt_json_value *name = find_member(request, "argument", "name");
    const bt_json_value *value = find_member(request, "argument", "value");
    if (!type || !owner || !name || !value || bt_json_type(value) != BT_JSON_STRING) {
        mcp_error(request, MCP_INVALID_PARAMS, "ref and argument say what to complete", BT_STR(""));
        return BT_OK;
    }
    bt_str *words = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (bt_str_eq(bt_str_of(places[i].owner), bt_json_text(owner)) &&
            bt_str_eq(bt_str_of(places[i].argument), bt_json_text(name))) {
            BT_TRY(collect_words(&request->arena, places[i].words, bt_json_text(value), &words,
                                 &count));
        }
    }
    mcp_result(request, "complete");
    bt_emit_member_object(&request->emit, "completion");
    bt_emit_member_array(&request->emit, "values");
    for (size_t i = 0; i < count && i < VALUES_MAX; i++) {
        bt_emit_string(&request->emit, words[i]);
    }
    bt_emit_end(&request->emit);
    bt_emit_member_u64(&request->emit, "total", count);
    bt_emit_member_bool(&request->emit, "hasMore", count > VALUES_MAX);
    bt_emit_end(&request->emit);
    mcp_result_end(request, MCP_UNCACHED);
    return BT_OK;
}
