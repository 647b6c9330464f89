/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.c - a message -> its era -> its method. The order of the tests is the protocol's.
 */
#include "mcp/inside.h"

#include <assert.h>
#include <string.h>

static const char version_key[] = "io.modelcontextprotocol/protocolVersion";
static const char capabilities_key[] = "io.modelcontextprotocol/clientCapabilities";

static const bt_str modern_version = BT_STR_INIT("2026-07-28");
static const bt_str legacy_versions[] = {BT_STR_INIT("2025-11-25"), BT_STR_INIT("2025-06-18")};

/* ---- Conversations --------------------------------------------------------------------------- */

enum bt_status mcp_begin(struct mcp *mcp, struct service *service, const struct caller *caller)
{
    *mcp = (struct mcp){.service = service, .caller = caller};
    for (size_t i = 0; i < MCP_QUESTIONS_MAX; i++) {
        bt_buf_init(&mcp->questions[i].call, MCP_MESSAGE_BYTES_MAX);
        bt_buf_init(&mcp->questions[i].approval, 256);
        bt_buf_init(&mcp->questions[i].fingerprint, 256);
    }
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        bt_buf_init(&mcp->listens[i].id, MCP_MESSAGE_BYTES_MAX);
    }
    if (service->ledger) {
        return bt_ledger_derive(service->ledger, BT_STR("mcp-state"), mcp->seal_key);
    }
    return service->env->random(service->env->context, mcp->seal_key, sizeof(mcp->seal_key))
               ? BT_OK
               : BT_EIO;
}

void mcp_end(struct mcp *mcp)
{
    for (size_t i = 0; i < MCP_QUESTIONS_MAX; i++) {
        bt_buf_free(&mcp->questions[i].call);
        bt_buf_free(&mcp->questions[i].approval);
        bt_buf_free(&mcp->questions[i].fingerprint);
    }
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        bt_buf_free(&mcp->listens[i].id);
    }
}

/* ---- Params ---------------------------------------------------------------------------------- */

const bt_value *mcp_param(const struct mcp_ask *ask, const char *name)
{
    return ask->params ? bt_json_get(ask->document, ask->params, bt_str_of(name)) : NULL;
}

bt_str mcp_param_text(const struct mcp_ask *ask, const char *name)
{
    const bt_value *value = mcp_param(ask, name);
    return value ? bt_json_text(value) : BT_STR("");
}

static const bt_value *meta_of(const struct mcp_ask *ask, const char *name)
{
    const bt_value *meta = mcp_param(ask, "_meta");
    return meta ? bt_json_get(ask->document, meta, bt_str_of(name)) : NULL;
}

bool mcp_is_first_page(struct mcp_ask *ask)
{
    if (!mcp_param(ask, "cursor")) {
        return true;
    }
    mcp_error(ask, MCP_INVALID_PARAMS, "there is no such page", BT_STR(""));
    return false;
}

bool mcp_may(const struct mcp_ask *ask, unsigned scopes, bool needs_store)
{
    return scopes_hold(ask->mcp->caller->scopes, scopes) &&
           (!needs_store || ask->mcp->service->ledger);
}

/* Whether a client that declared these capabilities shows forms to a person. */
static bool shows_forms(const struct bt_doc *document, const bt_value *capabilities)
{
    const bt_value *elicitation =
        capabilities ? bt_json_get(document, capabilities, BT_STR("elicitation")) : NULL;
    return elicitation && bt_json_type(elicitation) == BT_JSON_OBJECT &&
           (bt_json_count(elicitation) == 0 || bt_json_get(document, elicitation, BT_STR("form")));
}

/* ---- Methods --------------------------------------------------------------------------------- */

static void put_versions(struct bt_emit *emit)
{
    bt_emit_array(emit);
    bt_emit_string(emit, modern_version);
    for (size_t i = 0; i < 2; i++) {
        bt_emit_string(emit, legacy_versions[i]);
    }
    bt_emit_end(emit);
}

static void put_capabilities(struct bt_emit *emit)
{
    bt_emit_name(emit, "capabilities");
    bt_emit_raw(emit, BT_STR("{\"tools\":{},\"resources\":{\"subscribe\":true},\"prompts\":{},"
                             "\"completions\":{}}"));
}

static enum bt_status discover(struct mcp_ask *ask)
{
    mcp_result(ask, "complete");
    bt_emit_name(&ask->emit, "supportedVersions");
    put_versions(&ask->emit);
    put_capabilities(&ask->emit);
    mcp_result_end(ask, MCP_HOUR_PUBLIC);
    return BT_OK;
}

static enum bt_status initialize(struct mcp_ask *ask)
{
    const bt_value *wanted = mcp_param(ask, "protocolVersion");
    if (ask->mcp->is_legacy) {
        mcp_error(ask, MCP_INVALID_REQUEST, "this conversation is open already", BT_STR(""));
        return BT_OK;
    }
    if (!wanted || bt_json_type(wanted) != BT_JSON_STRING) {
        mcp_error(ask, MCP_INVALID_PARAMS, "protocolVersion is missing", BT_STR(""));
        return BT_OK;
    }
    const bool is_older = bt_str_eq(bt_json_text(wanted), legacy_versions[1]);
    ask->mcp->is_legacy = true;
    ask->mcp->has_forms = shows_forms(ask->document, mcp_param(ask, "capabilities"));
    mcp_result(ask, "complete");
    bt_emit_member_string(&ask->emit, "protocolVersion", legacy_versions[is_older ? 1 : 0]);
    put_capabilities(&ask->emit);
    bt_emit_name(&ask->emit, "serverInfo");
    bt_emit_object(&ask->emit);
    bt_emit_member_string(&ask->emit, "name", BT_STR("baton"));
    bt_emit_member_string(&ask->emit, "title", BT_STR("Baton"));
    bt_emit_member_string(&ask->emit, "version", bt_str_of(bt_version()));
    bt_emit_end(&ask->emit);
    mcp_result_end(ask, MCP_UNCACHED);
    return BT_OK;
}

static enum bt_status ping(struct mcp_ask *ask)
{
    mcp_result(ask, "complete");
    mcp_result_end(ask, MCP_UNCACHED);
    return BT_OK;
}

struct method {
    const char *name;
    bool in_modern;
    bool in_legacy;
    mcp_method_fn *run;
};

static const struct method methods[] = {
    {"server/discover", true, false, discover},
    {"initialize", false, true, initialize},
    {"ping", false, true, ping},
    {"tools/list", true, true, mcp_tools_list},
    {"tools/call", true, true, mcp_tools_call},
    {"resources/list", true, true, mcp_resources_list},
    {"resources/templates/list", true, true, mcp_templates_list},
    {"resources/read", true, true, mcp_resources_read},
    {"resources/subscribe", false, true, mcp_subscribe},
    {"resources/unsubscribe", false, true, mcp_unsubscribe},
    {"subscriptions/listen", true, false, mcp_listen},
    {"prompts/list", true, true, mcp_prompts_list},
    {"prompts/get", true, true, mcp_prompts_get},
    {"completion/complete", true, true, mcp_complete},
};

static enum bt_status run_method(struct mcp_ask *ask)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        const struct method *method = &methods[i];
        const bool is_here = ask->is_modern ? method->in_modern : method->in_legacy;
        if (is_here && bt_str_eq(bt_str_of(method->name), ask->method)) {
            return method->run(ask);
        }
    }
    mcp_error(ask, MCP_UNKNOWN_METHOD, "there is no such method", BT_STR(""));
    return BT_OK;
}

/* ---- Eras ------------------------------------------------------------------------------------ */

static bool has_type(const bt_value *value, enum bt_json_type type)
{
    return value && bt_json_type(value) == type;
}

/* `_meta` must say the version and what the client can do. False after an error. */
static bool has_meta(struct mcp_ask *ask)
{
    const bool has_version = has_type(meta_of(ask, version_key), BT_JSON_STRING);
    const bool has_capabilities = has_type(meta_of(ask, capabilities_key), BT_JSON_OBJECT);
    if (has_version && has_capabilities) {
        return true;
    }
    struct bt_buf data;
    struct bt_emit emit;
    bt_buf_init(&data, 1024);
    bt_emit_init(&emit, &data, false);
    bt_emit_object(&emit);
    bt_emit_name(&emit, "missing");
    bt_emit_array(&emit);
    if (!has_version) {
        bt_emit_string(&emit, bt_str_of(version_key));
    }
    if (!has_capabilities) {
        bt_emit_string(&emit, bt_str_of(capabilities_key));
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    mcp_error(ask, MCP_INVALID_PARAMS, "_meta lacks what a request must say about itself",
              bt_buf_str(&data));
    bt_buf_free(&data);
    return false;
}

static bool has_version(struct mcp_ask *ask)
{
    const bt_str version = bt_json_text(meta_of(ask, version_key));
    bool is_legacy = false;
    if (bt_str_eq(version, modern_version)) {
        return true;
    }
    for (size_t i = 0; i < 2; i++) {
        is_legacy = is_legacy || bt_str_eq(version, legacy_versions[i]);
    }
    struct bt_buf data;
    struct bt_emit emit;
    bt_buf_init(&data, 1 << 20);
    bt_emit_init(&emit, &data, false);
    bt_emit_object(&emit);
    bt_emit_name(&emit, "supported");
    if (is_legacy) {
        bt_emit_array(&emit);
        bt_emit_string(&emit, modern_version);
        bt_emit_end(&emit);
    } else {
        put_versions(&emit);
    }
    bt_emit_member_string(&emit, "requested", bt_str_slice(version, 0, 200));
    bt_emit_end(&emit);
    mcp_error(ask, MCP_VERSION_UNSUPPORTED, "this version is not spoken here", bt_buf_str(&data));
    bt_buf_free(&data);
    return false;
}

static enum bt_status take_request(struct mcp_ask *ask)
{
    const bool is_opening = bt_str_eq(ask->method, BT_STR("initialize"));
    ask->is_modern = meta_of(ask, version_key) || !(is_opening || ask->mcp->is_legacy);
    ask->has_forms = ask->mcp->has_forms;
    if (ask->is_modern) {
        if (!has_meta(ask) || !has_version(ask)) {
            return BT_OK;
        }
        ask->has_forms = shows_forms(ask->document, meta_of(ask, capabilities_key));
    }
    return run_method(ask);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* The id as it was written; "" when it is missing or may not be one. */
static bt_str id_of(const struct bt_doc *document, const bt_value *id)
{
    if (!has_type(id, BT_JSON_STRING) && !has_type(id, BT_JSON_INTEGER)) {
        return BT_STR("");
    }
    const struct bt_json_span span = bt_json_span(document, id);
    return bt_str_slice(bt_json_source(document), span.begin, span.end);
}

static enum bt_status take_object(struct mcp_ask *ask, const bt_value *root)
{
    const bt_value *id = bt_json_get(ask->document, root, BT_STR("id"));
    const bt_value *method = bt_json_get(ask->document, root, BT_STR("method"));
    const bt_value *version = bt_json_get(ask->document, root, BT_STR("jsonrpc"));
    const bt_value *params = bt_json_get(ask->document, root, BT_STR("params"));
    const bool is_response = !method && (bt_json_get(ask->document, root, BT_STR("result")) ||
                                         bt_json_get(ask->document, root, BT_STR("error")));
    ask->id = id_of(ask->document, id);
    if ((id && ask->id.len == 0) || !version || !bt_str_eq(bt_json_text(version), BT_STR("2.0")) ||
        (!is_response && !has_type(method, BT_JSON_STRING))) {
        mcp_error(ask, MCP_INVALID_REQUEST, "this is no JSON-RPC 2.0 message", BT_STR(""));
        return BT_OK;
    }
    ask->params = has_type(params, BT_JSON_OBJECT) ? params : NULL;
    if (is_response) {
        return mcp_answered(ask, id ? bt_json_text(id) : BT_STR(""),
                            bt_json_get(ask->document, root, BT_STR("result")));
    }
    ask->method = bt_json_text(method);
    if (!id) { /* notifications are never answered */
        if (bt_str_eq(ask->method, BT_STR("notifications/cancelled"))) {
            mcp_cancelled(ask);
        }
        return BT_OK;
    }
    return take_request(ask);
}

static enum bt_status take_text(struct mcp_ask *ask, bt_str message)
{
    struct bt_json_options options = bt_json_options_of(ask->mcp->service->env);
    struct bt_json_result read;
    options.document_bytes_max = MCP_MESSAGE_BYTES_MAX;
    options.string_bytes_max = MCP_MESSAGE_BYTES_MAX;
    BT_TRY(bt_json_read(&ask->arena, message, &options, &read));
    if (!read.document) {
        mcp_error(ask, MCP_PARSE_ERROR, "this is no JSON", BT_STR(""));
        return BT_OK;
    }
    ask->document = read.document;
    if (bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        mcp_error(ask, MCP_INVALID_REQUEST, "a message is one object", BT_STR(""));
        return BT_OK;
    }
    return take_object(ask, bt_json_root(read.document));
}

enum bt_status mcp_take(struct mcp *mcp, bt_str message, struct bt_buf *out)
{
    assert(mcp);
    assert(out);
    struct mcp_ask ask = {.mcp = mcp, .id = BT_STR(""), .method = BT_STR(""), .out = out};
    bt_arena_init(&ask.arena, MCP_ARENA_BYTES_MAX);
    const enum bt_status status = take_text(&ask, message);
    bt_arena_free(&ask.arena);
    return status == BT_OK ? out->status : status;
}

void mcp_refuse_long(struct bt_buf *out)
{
    struct mcp_ask ask = {.id = BT_STR(""), .out = out};
    mcp_error(&ask, MCP_INVALID_REQUEST, "the message is longer than 32 MiB", BT_STR(""));
}
