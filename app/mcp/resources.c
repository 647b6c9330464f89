/* SPDX-License-Identifier: Apache-2.0 */
/* resources.c - resources/list and resources/read: rules, schemas, the ledger. */
#include "mcp/mcp_internal.h"

#include <baton/schema.h>

#include "ledger/proof_api.h"
#include "operation/records.h"
#include "operation/rule_text.h"
#include "schema/builtin.h"

enum { RESOURCE_BYTES_MAX = 16 << 20 };

static bool put_rules(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    (void)request;
    (void)key;
    bt_rules_put(buf);
    return true;
}

static bool put_rule(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    const size_t first = bt_rules_find(key);
    (void)request;
    if (first == bt_rules_count()) {
        return false;
    }
    bt_rule_put_group(buf, first, bt_rule_put_markdown);
    return true;
}

static bool put_schema(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    const bt_str text = bt_schema_builtin_named(key);
    (void)request;
    bt_buf_put(buf, text);
    return text.len > 0;
}

static bool put_checkpoint(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    struct bt_ledger_checkpoint found;
    struct bt_error error;
    (void)key;
    if (bt_ledger_get_checkpoint(request->mcp->service->ledger, &request->arena, BT_LEDGER_SEQ_NONE,
                                 &found, &error) != BT_OK) {
        return false;
    }
    bt_buf_put(buf, found.note);
    return true;
}

/* Run an operation and put its result. */
static bool put_operation(struct mcp_request *request, struct bt_buf *buf,
                          enum bt_status (*run)(struct bt_call *work, bt_str key), bt_str key)
{
    struct bt_result answer = {0};
    struct bt_call work = {.service = request->mcp->service,
                           .caller = request->mcp->caller,
                           .arena = &request->arena,
                           .answer = &answer};
    bt_buf_init(&answer.body, RESOURCE_BYTES_MAX);
    const bool is_done = run(&work, key) == BT_OK && answer.kind == ANSWER_DONE;
    bt_buf_put(buf, bt_buf_str(&answer.body));
    bt_buf_free(&answer.body);
    return is_done;
}

static bool put_pending(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    (void)key;
    return put_operation(request, buf, bt_op_approvals, BT_STR("pending"));
}

static bool put_handoff(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    uint64_t seq = 0;
    return bt_str_to_u64(key, &seq) == BT_OK && put_operation(request, buf, bt_op_handoff, key);
}

static bool put_receipt(struct mcp_request *request, bt_str key, struct bt_buf *buf)
{
    struct bt_result answer = {0};
    struct bt_call work = {.service = request->mcp->service,
                           .caller = request->mcp->caller,
                           .arena = &request->arena,
                           .answer = &answer};
    uint64_t seq = 0;
    return bt_str_to_u64(key, &seq) == BT_OK && bt_op_put_receipt(&work, key, buf);
}

/* clang-format off */
static const struct mcp_resource resources[] = {
    {"baton://rules", NULL, "rules", "every rule that Baton knows", "application/json",
     put_rules, "", BT_SCOPE_CHECK, MCP_HOUR_PUBLIC, false, false},
    {"baton://rules/", "code", "rule", "one rule, explained", "text/markdown",
     put_rule, "", BT_SCOPE_CHECK, MCP_HOUR_PUBLIC, false, false},
    {"baton://schemas/", "name", "schema", "the JSON Schema of a dialect",
     "application/schema+json", put_schema, "", BT_SCOPE_CHECK, MCP_HOUR_PUBLIC, false, false},
    {"baton://ledger/checkpoint", NULL, "checkpoint", "the newest signed state of the ledger",
     "text/plain", put_checkpoint, "", BT_SCOPE_CHECK, MCP_NEVER, true, false},
    {"baton://approvals/pending", NULL, "pending approvals", "what waits for a person",
     "application/json", put_pending, "", BT_SCOPE_APPROVE, MCP_NEVER, true, false},
    {"baton://handoffs/", "seq", "handoff", "a recorded handoff", "application/json",
     put_handoff, "", BT_SCOPE_SUBMIT, MCP_NEVER, true, false},
    {"baton://receipts/", "seq", "receipt", "the receipt of a recorded handoff", "text/plain",
     put_receipt, "", BT_SCOPE_SUBMIT, MCP_NEVER, true, false},
};
/* clang-format on */

enum { RESOURCES = sizeof(resources) / sizeof(resources[0]) };

/*
 * The next resource that the caller may use, in table order, the fixtures last; NULL after the
 * last.
 */
static const struct mcp_resource *find_next_resource(const struct mcp_request *request,
                                                     size_t *index)
{
    const size_t all = RESOURCES + (request->mcp->place.fixtures ? mcp_fixture_resources_count : 0);
    while (*index < all) {
        const size_t i = (*index)++;
        const struct mcp_resource *resource =
            i < RESOURCES ? &resources[i] : &mcp_fixture_resources[i - RESOURCES];
        if (mcp_has_scope(request, resource->scopes, resource->needs_store)) {
            return resource;
        }
    }
    return NULL;
}

static void put_entry(struct bt_emit *emit, const struct mcp_resource *resource,
                      const char *address, bt_str uri, bt_str name)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, address, uri);
    bt_emit_member_string(emit, "name", name);
    bt_emit_member_string(emit, "description", bt_str_of(resource->description));
    bt_emit_member_string(emit, "mimeType", bt_str_of(resource->type));
    bt_emit_end(emit);
}

/* List each schema by its name, in addition to the template. */
static enum bt_status put_schemas(struct mcp_request *request, const struct mcp_resource *resource)
{
    for (size_t i = 0; i < bt_schema_builtin_count(); i++) {
        const bt_str name = bt_schema_builtin_at(i)->name;
        bt_str uri;
        BT_TRY(bt_arena_printf(&request->arena, &uri, "%s%.*s", resource->uri, BT_STR_ARG(name)));
        put_entry(&request->emit, resource, "uri", uri, name);
    }
    return BT_OK;
}

enum bt_status mcp_resources_list(struct mcp_request *request)
{
    if (!mcp_is_first_page(request)) {
        return BT_OK;
    }
    mcp_result(request, "complete");
    bt_emit_member_array(&request->emit, "resources");
    size_t i = 0;
    for (const struct mcp_resource *resource = find_next_resource(request, &i); resource;
         resource = find_next_resource(request, &i)) {
        if (!resource->variable) {
            put_entry(&request->emit, resource, "uri", bt_str_of(resource->uri),
                      bt_str_of(resource->name));
        } else if (resource->put == put_schema) {
            BT_TRY(put_schemas(request, resource));
        }
    }
    bt_emit_end(&request->emit);
    mcp_result_end(request, MCP_MINUTES_PRIVATE);
    return BT_OK;
}

enum bt_status mcp_templates_list(struct mcp_request *request)
{
    if (!mcp_is_first_page(request)) {
        return BT_OK;
    }
    mcp_result(request, "complete");
    bt_emit_member_array(&request->emit, "resourceTemplates");
    size_t i = 0;
    for (const struct mcp_resource *resource = find_next_resource(request, &i); resource;
         resource = find_next_resource(request, &i)) {
        bt_str uri;
        if (!resource->variable) {
            continue;
        }
        BT_TRY(bt_arena_printf(&request->arena, &uri, "%s{%s}%s", resource->uri, resource->variable,
                               resource->ending));
        put_entry(&request->emit, resource, "uriTemplate", uri, bt_str_of(resource->name));
    }
    bt_emit_end(&request->emit);
    mcp_result_end(request, MCP_MINUTES_PUBLIC);
    return BT_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/*
 * True when the URI names a resource or matches a template; *out_key is then the value of its
 * variable.
 */
static bool match_uri(bt_str uri, const struct mcp_resource *resource, bt_str *out_key)
{
    const bt_str known = bt_str_of(resource->uri);
    const bt_str ending = bt_str_of(resource->ending);
    if (!resource->variable) {
        *out_key = BT_STR("");
        return bt_str_eq(uri, known);
    }
    if (!bt_str_starts_with(uri, known) || !bt_str_ends_with(uri, ending) ||
        uri.len <= known.len + ending.len) {
        return false;
    }
    *out_key = bt_str_slice(uri, known.len, uri.len - ending.len);
    return true;
}

/*
 * Put what a URI names. Returns its row, or NULL when it does not exist or is not visible to the
 * caller.
 */
static const struct mcp_resource *put_resource(struct mcp_request *request, bt_str uri,
                                               struct bt_buf *buf)
{
    size_t i = 0;
    bt_str key;
    for (const struct mcp_resource *resource = find_next_resource(request, &i); resource;
         resource = find_next_resource(request, &i)) {
        if (match_uri(uri, resource, &key) && resource->put(request, key, buf)) {
            return resource;
        }
        bt_buf_clear(buf);
    }
    return NULL;
}

enum bt_status mcp_respond_no_resource(struct mcp_request *request, bt_str uri)
{
    struct bt_buf data;
    struct bt_emit emit;
    bt_buf_init(&data, RESOURCE_BYTES_MAX);
    bt_emit_init(&emit, &data, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "uri", bt_str_slice(uri, 0, 2000));
    bt_emit_end(&emit);
    mcp_error(request, request->is_modern ? MCP_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND,
              "unknown resource", bt_buf_str(&data));
    const enum bt_status status = data.status;
    bt_buf_free(&data);
    return status;
}

enum bt_status mcp_resources_read(struct mcp_request *request)
{
    const bt_str uri = mcp_param_text(request, "uri");
    struct bt_buf buf;
    bt_buf_init(&buf, RESOURCE_BYTES_MAX);
    const struct mcp_resource *found = put_resource(request, uri, &buf);
    enum bt_status status = buf.status;
    if (!found) {
        status = mcp_respond_no_resource(request, uri);
    } else if (status == BT_OK) {
        mcp_result(request, "complete");
        bt_emit_member_array(&request->emit, "contents");
        bt_emit_begin_object(&request->emit);
        bt_emit_member_string(&request->emit, "uri", uri);
        bt_emit_member_string(&request->emit, "mimeType", bt_str_of(found->type));
        bt_emit_member_string(&request->emit, found->is_bytes ? "blob" : "text", bt_buf_str(&buf));
        bt_emit_end(&request->emit);
        bt_emit_end(&request->emit);
        mcp_result_end(request, found->cache);
    }
    bt_buf_free(&buf);
    return status;
}

bool mcp_resource_digest(struct mcp_request *request, bt_str uri, uint8_t out[BT_SHA256_BYTES])
{
    struct bt_buf buf;
    bt_buf_init(&buf, RESOURCE_BYTES_MAX);
    const bool is_there = put_resource(request, uri, &buf) && buf.status == BT_OK &&
                          bt_sha256(bt_buf_str(&buf), out) == BT_OK;
    bt_buf_free(&buf);
    return is_there;
}
