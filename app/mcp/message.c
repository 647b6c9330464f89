/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - message -> era -> method. The order of the checks is that of the protocol. */
#include "mcp/mcp_internal.h"

#include <assert.h>
#include <string.h>

#include "json/options.h"

static const char version_key[] = "io.modelcontextprotocol/protocolVersion";
static const char capabilities_key[] = "io.modelcontextprotocol/clientCapabilities";

enum { NOTE_BYTES_MAX = 1024 };

static const bt_str modern_version = BT_STR_INIT("2026-07-28");
static const bt_str legacy_versions[] = {BT_STR_INIT("2025-11-25"), BT_STR_INIT("2025-06-18")};

/* ---- Conversations --------------------------------------------------------------------------- */

enum bt_status mcp_begin(struct mcp *mcp, struct bt_worker *service, const struct bt_caller *caller,
                         const struct mcp_transport *place)
{
    *mcp = (struct mcp){.service = service,
                        .caller = caller,
                        .place = *place,
                        .last_question_number = place->last_question_number};
    for (size_t i = 0; i < MCP_QUESTIONS_MAX; i++) {
        bt_buf_init(&mcp->questions[i].call, MCP_MESSAGE_BYTES_MAX);
        bt_buf_init(&mcp->questions[i].notes[0], NOTE_BYTES_MAX);
        bt_buf_init(&mcp->questions[i].notes[1], NOTE_BYTES_MAX);
        bt_buf_init(&mcp->questions[i].params, MCP_MESSAGE_BYTES_MAX);
    }
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        bt_buf_init(&mcp->listens[i].id, MCP_MESSAGE_BYTES_MAX);
    }
    if (place->fixtures) {
        mcp->seen_tools = atomic_load(&place->fixtures->tools);
        mcp->seen_prompts = atomic_load(&place->fixtures->prompts);
    }
    if (place->state_key) {
        memcpy(mcp->seal_key, place->state_key, sizeof(mcp->seal_key));
        return BT_OK;
    }
    if (service->ledger) {
        return bt_ledger_derive_secret(service->ledger, BT_STR("mcp-state"), mcp->seal_key, NULL);
    }
    return service->env->random(service->env->context, mcp->seal_key, sizeof(mcp->seal_key))
               ? BT_OK
               : BT_EIO;
}

void mcp_end(struct mcp *mcp)
{
    for (size_t i = 0; i < MCP_QUESTIONS_MAX; i++) {
        bt_buf_free(&mcp->questions[i].call);
        bt_buf_free(&mcp->questions[i].params);
        bt_buf_free(&mcp->questions[i].notes[0]);
        bt_buf_free(&mcp->questions[i].notes[1]);
    }
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        bt_buf_free(&mcp->listens[i].id);
    }
}

/* ---- Params ---------------------------------------------------------------------------------- */

const bt_json_value *mcp_param(const struct mcp_request *request, const char *name)
{
    return request->params ? bt_json_get(request->document, request->params, bt_str_of(name))
                           : NULL;
}

bt_str mcp_param_text(const struct mcp_request *request, const char *name)
{
    const bt_json_value *value = mcp_param(request, name);
    return value ? bt_json_text(value) : BT_STR("");
}

const bt_json_value *mcp_meta(const struct mcp_request *request, const char *name)
{
    const bt_json_value *meta = mcp_param(request, "_meta");
    return meta ? bt_json_get(request->document, meta, bt_str_of(name)) : NULL;
}

bool mcp_is_first_page(struct mcp_request *request)
{
    if (!mcp_param(request, "cursor")) {
        return true;
    }
    mcp_error(request, MCP_INVALID_PARAMS, "unknown page", BT_STR(""));
    return false;
}

bool mcp_has_scope(const struct mcp_request *request, unsigned scopes, bool needs_store)
{
    return bt_scopes_hold(request->mcp->caller->scopes, scopes) &&
           (!needs_store || request->mcp->service->ledger);
}

static bool has_capability(const struct bt_json_doc *document, const bt_json_value *capabilities,
                           const char *name)
{
    const bt_json_value *value =
        capabilities ? bt_json_get(document, capabilities, bt_str_of(name)) : NULL;
    return value && bt_json_type(value) == BT_JSON_OBJECT;
}

/* What a client with these capabilities can do. */
static unsigned can_do(const struct bt_json_doc *document, const bt_json_value *capabilities)
{
    unsigned can =
        has_capability(document, capabilities, "sampling") ? MCP_CLIENT_CAPABILITY_SAMPLE : 0;
    can |= has_capability(document, capabilities, "roots") ? MCP_CLIENT_CAPABILITY_ROOTS : 0;
    if (has_capability(document, capabilities, "elicitation")) {
        const bt_json_value *forms = bt_json_get(document, capabilities, BT_STR("elicitation"));
        can |= bt_json_count(forms) == 0 || bt_json_get(document, forms, BT_STR("form"))
                   ? MCP_CLIENT_CAPABILITY_FORMS
                   : 0;
    }
    return can;
}

/* ---- Methods --------------------------------------------------------------------------------- */

static void put_versions(struct bt_emit *emit)
{
    bt_emit_begin_array(emit);
    bt_emit_string(emit, modern_version);
    for (size_t i = 0; i < 2; i++) {
        bt_emit_string(emit, legacy_versions[i]);
    }
    bt_emit_end(emit);
}

/*
 * True when a legacy client can subscribe: on a lasting connection, or for the conformance suite.
 */
static bool can_subscribe(const struct mcp *mcp)
{
    return !mcp->place.headers || mcp->place.fixtures;
}

static void put_capabilities(struct mcp_request *request)
{
    const bool has_fixtures = request->mcp->place.fixtures != NULL;
    const char *changes = has_fixtures ? "{\"listChanged\":true}" : "{}";
    struct bt_buf *buf = request->emit.buf;
    bt_emit_member_raw(&request->emit, "capabilities", BT_STR("{"));
    bt_buf_printf(buf, "\"tools\":%s,\"resources\":%s,\"prompts\":%s,\"completions\":{}%s}",
                  changes,
                  request->is_modern || can_subscribe(request->mcp) ? "{\"subscribe\":true}" : "{}",
                  changes, has_fixtures && !request->is_modern ? ",\"logging\":{}" : "");
}

static enum bt_status respond_discover(struct mcp_request *request)
{
    mcp_result(request, "complete");
    bt_emit_name(&request->emit, "supportedVersions");
    put_versions(&request->emit);
    put_capabilities(request);
    mcp_result_end(request, MCP_HOUR_PUBLIC);
    return BT_OK;
}

static enum bt_status respond_initialize(struct mcp_request *request)
{
    const bt_json_value *wanted = mcp_param(request, "protocolVersion");
    if (request->mcp->is_legacy && !request->mcp->place.headers) {
        mcp_error(request, MCP_INVALID_REQUEST, "this conversation is open already", BT_STR(""));
        return BT_OK;
    }
    if (!wanted || bt_json_type(wanted) != BT_JSON_STRING) {
        mcp_error(request, MCP_INVALID_PARAMS, "protocolVersion is missing", BT_STR(""));
        return BT_OK;
    }
    const bool is_older = bt_str_eq(bt_json_text(wanted), legacy_versions[1]);
    request->mcp->is_legacy = true;
    request->mcp->can = can_do(request->document, mcp_param(request, "capabilities"));
    request->mcp->outcome.has_opened = true;
    mcp_result(request, "complete");
    bt_emit_member_string(&request->emit, "protocolVersion", legacy_versions[is_older ? 1 : 0]);
    put_capabilities(request);
    bt_emit_member_object(&request->emit, "serverInfo");
    bt_emit_member_string(&request->emit, "name", BT_STR("baton"));
    bt_emit_member_string(&request->emit, "title", BT_STR("Baton"));
    bt_emit_member_string(&request->emit, "version", bt_str_of(bt_version()));
    bt_emit_end(&request->emit);
    mcp_result_end(request, MCP_UNCACHED);
    return BT_OK;
}

static enum bt_status respond_ping(struct mcp_request *request)
{
    mcp_result(request, "complete");
    mcp_result_end(request, MCP_UNCACHED);
    return BT_OK;
}

/* When a method is available to legacy clients. */
enum mcp_legacy_support { NEVER = 0, ALWAYS, LASTING, FOR_THE_SUITE };

struct mcp_method_row {
    const char *name;
    bool in_modern;
    enum mcp_legacy_support in_legacy;
    mcp_method_fn *run;
};

static const struct mcp_method_row methods[] = {
    {"server/discover", true, NEVER, respond_discover},
    {"initialize", false, ALWAYS, respond_initialize},
    {"ping", false, ALWAYS, respond_ping},
    {"logging/setLevel", false, FOR_THE_SUITE, mcp_set_level},
    {"tools/list", true, ALWAYS, mcp_tools_list},
    {"tools/call", true, ALWAYS, mcp_tools_call},
    {"resources/list", true, ALWAYS, mcp_resources_list},
    {"resources/templates/list", true, ALWAYS, mcp_templates_list},
    {"resources/read", true, ALWAYS, mcp_resources_read},
    {"resources/subscribe", false, LASTING, mcp_subscribe},
    {"resources/unsubscribe", false, LASTING, mcp_unsubscribe},
    {"subscriptions/listen", true, NEVER, mcp_listen},
    {"prompts/list", true, ALWAYS, mcp_prompts_list},
    {"prompts/get", true, ALWAYS, mcp_prompts_get},
    {"completion/complete", true, ALWAYS, mcp_complete},
};

static bool is_here(const struct mcp_request *request, const struct mcp_method_row *method)
{
    if (request->is_modern) {
        return method->in_modern;
    }
    switch (method->in_legacy) {
    case ALWAYS:
        return true;
    case LASTING:
        return can_subscribe(request->mcp);
    case FOR_THE_SUITE:
        return request->mcp->place.fixtures != NULL;
    case NEVER:
        break;
    }
    return false;
}

static const struct mcp_method_row *method_named(bt_str name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (bt_str_eq(bt_str_of(methods[i].name), name)) {
            return &methods[i];
        }
    }
    return NULL;
}

static enum bt_status run_method(struct mcp_request *request)
{
    const struct mcp_method_row *method = method_named(request->method);
    if (method && is_here(request, method)) {
        return method->run(request);
    }
    mcp_error(request, MCP_UNKNOWN_METHOD, "unknown method", BT_STR(""));
    return BT_OK;
}

/* ---- Eras ------------------------------------------------------------------------------------ */

static bool has_type(const bt_json_value *value, enum bt_json_type type)
{
    return value && bt_json_type(value) == type;
}

/* Check that `_meta` has the version and the client's capabilities. False after an error. */
static bool has_meta(struct mcp_request *request)
{
    const bool has_version = has_type(mcp_meta(request, version_key), BT_JSON_STRING);
    const bool has_capabilities = has_type(mcp_meta(request, capabilities_key), BT_JSON_OBJECT);
    if (has_version && has_capabilities) {
        return true;
    }
    struct bt_buf data;
    struct bt_emit emit;
    bt_buf_init(&data, 1024);
    bt_emit_init(&emit, &data, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_array(&emit, "missing");
    if (!has_version) {
        bt_emit_string(&emit, bt_str_of(version_key));
    }
    if (!has_capabilities) {
        bt_emit_string(&emit, bt_str_of(capabilities_key));
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    mcp_error(request, MCP_INVALID_PARAMS, "required members of _meta are missing",
              bt_buf_str(&data));
    request->mcp->outcome.status = BT_HTTP_BAD_REQUEST;
    bt_buf_free(&data);
    return false;
}

static bool has_version(struct mcp_request *request)
{
    const bt_json_value *named = mcp_meta(request, version_key);
    const bt_str version = named ? bt_json_text(named) : BT_STR("");
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
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "supported");
    if (is_legacy) {
        bt_emit_begin_array(&emit);
        bt_emit_string(&emit, modern_version);
        bt_emit_end(&emit);
    } else {
        put_versions(&emit);
    }
    bt_emit_member_string(&emit, "requested", bt_str_slice(version, 0, 200));
    bt_emit_end(&emit);
    mcp_error(request, MCP_VERSION_UNSUPPORTED, "this version is not spoken here",
              bt_buf_str(&data));
    bt_buf_free(&data);
    return false;
}

static bool is_legacy_version(bt_str version)
{
    return bt_str_eq(version, legacy_versions[0]) || bt_str_eq(version, legacy_versions[1]);
}

/* The era according to the header fields, if there are any. */
static enum mcp_era era_of_headers(struct mcp *mcp)
{
    const struct mcp_headers *headers = mcp->place.headers;
    if (!headers || (headers->version.ptr && !is_legacy_version(headers->version))) {
        return headers ? MCP_ERA_MODERN : MCP_ERA_UNKNOWN;
    }
    if (headers->session.ptr) {
        return mcp_session_take(mcp, headers->session) ? MCP_ERA_LEGACY : MCP_ERA_NOBODY;
    }
    return headers->version.ptr ? MCP_ERA_LEGACY : MCP_ERA_UNKNOWN;
}

/* Set the era of a message. False after an error: its session is unknown. */
static bool choose_era(struct mcp_request *request)
{
    struct mcp *mcp = request->mcp;
    const bool is_opening = bt_str_eq(request->method, BT_STR("initialize"));
    const enum mcp_era era = mcp_meta(request, version_key) ? MCP_ERA_MODERN : era_of_headers(mcp);
    request->is_modern =
        era == MCP_ERA_MODERN || (era == MCP_ERA_UNKNOWN && !is_opening && !mcp->is_legacy);
    mcp->outcome.is_modern = request->is_modern;
    request->can = mcp->can;
    if (era == MCP_ERA_NOBODY && !is_opening) {
        mcp_error(request, MCP_INVALID_REQUEST, "unknown session", BT_STR(""));
        mcp->outcome.status = BT_HTTP_NOT_FOUND;
        return false;
    }
    return true;
}

static enum bt_status take_request(struct mcp_request *request)
{
    bool fits = true;
    if (request->is_modern) {
        if (!has_meta(request)) {
            return BT_OK;
        }
        BT_TRY(mcp_headers_check(request, &fits));
        if (!fits || !has_version(request)) {
            return BT_OK;
        }
        request->can = can_do(request->document, mcp_meta(request, capabilities_key));
    }
    return run_method(request);
}

/* ---- Messages -------------------------------------------------------------------------------- */

/* The id as it was written; "" when it is absent or not allowed. */
static bt_str id_of(const struct bt_json_doc *document, const bt_json_value *id)
{
    if (!has_type(id, BT_JSON_STRING) && !has_type(id, BT_JSON_INTEGER)) {
        return BT_STR("");
    }
    const struct bt_json_span span = bt_json_span(document, id);
    return bt_str_slice(bt_json_source(document), span.begin, span.end);
}

/* Set the method for metrics: a name from the closed list. */
static void note_method(struct mcp_request *request)
{
    const struct mcp_method_row *method = method_named(request->method);
    request->mcp->outcome.method = method ? method->name : "other";
}

static enum bt_status take_object(struct mcp_request *request, const bt_json_value *root)
{
    const bt_json_value *id = bt_json_get(request->document, root, BT_STR("id"));
    const bt_json_value *method = bt_json_get(request->document, root, BT_STR("method"));
    const bt_json_value *version = bt_json_get(request->document, root, BT_STR("jsonrpc"));
    const bt_json_value *params = bt_json_get(request->document, root, BT_STR("params"));
    const bool is_response = !method && (bt_json_get(request->document, root, BT_STR("result")) ||
                                         bt_json_get(request->document, root, BT_STR("error")));
    request->id = id_of(request->document, id);
    if ((id && request->id.len == 0) || !version ||
        !bt_str_eq(bt_json_text(version), BT_STR("2.0")) ||
        (!is_response && !has_type(method, BT_JSON_STRING))) {
        mcp_error(request, MCP_INVALID_REQUEST, "this is not a JSON-RPC 2.0 message", BT_STR(""));
        return BT_OK;
    }
    request->params = has_type(params, BT_JSON_OBJECT) ? params : NULL;
    request->method = method ? bt_json_text(method) : BT_STR("");
    note_method(request);
    if (!choose_era(request)) {
        return BT_OK;
    }
    if (is_response) {
        request->mcp->outcome.is_silent = true;
        request->mcp->outcome.answers =
            mcp_question_number(request->mcp, id ? bt_json_text(id) : BT_STR(""));
        return mcp_question_answered(request, request->mcp->outcome.answers, root);
    }
    if (!id) { /* notifications are never answered */
        request->mcp->outcome.is_silent = true;
        if (bt_str_eq(request->method, BT_STR("notifications/cancelled"))) {
            mcp_cancelled(request);
        }
        return BT_OK;
    }
    return take_request(request);
}

static enum bt_status take_text(struct mcp_request *request, bt_str message)
{
    struct bt_json_options options = bt_json_options_from_env(request->mcp->service->env);
    struct bt_json_read_result read = {0};
    options.document_bytes_max = MCP_MESSAGE_BYTES_MAX;
    options.string_bytes_max = MCP_MESSAGE_BYTES_MAX;
    /* from: caller */
    BT_TRY(bt_json_read(&request->arena, message, &options, &read));
    if (!read.document) {
        mcp_error(request, MCP_PARSE_ERROR, "this is not JSON", BT_STR(""));
        return BT_OK;
    }
    request->document = read.document;
    if (bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        mcp_error(request, MCP_INVALID_REQUEST, "a message is one object", BT_STR(""));
        return BT_OK;
    }
    return take_object(request, bt_json_root(read.document));
}

/* Free the request, unless it is pending. */
static enum bt_status end_request(struct mcp_request *request, enum bt_status status)
{
    const enum bt_status output_status = request->out->status;
    if (!request->mcp->pending_submission) {
        struct bt_arena arena = request->arena; /* it holds the request */
        bt_arena_free(&arena);
    }
    return status == BT_OK ? output_status : status;
}

enum bt_status mcp_handle_message(struct mcp *mcp, bt_str message, struct bt_buf *out)
{
    assert(mcp);
    assert(out);
    assert(!mcp->pending_submission);
    struct bt_arena arena;
    bt_arena_init(&arena, MCP_ARENA_BYTES_MAX);
    struct mcp_request *request = BT_NEW(&arena, struct mcp_request);
    if (!request) {
        return BT_ENOMEM;
    }
    const bool is_modern = !mcp->is_legacy && era_of_headers(mcp) != MCP_ERA_LEGACY;
    mcp->outcome =
        (struct mcp_outcome){.status = BT_HTTP_OK, .method = "other", .is_modern = is_modern};
    *request = (struct mcp_request){.mcp = mcp,
                                    .arena = arena,
                                    .id = BT_STR(""),
                                    .method = BT_STR(""),
                                    .is_modern = is_modern, /* until the message has been read */
                                    .out = out};
    const enum bt_status status = take_text(request, message);
    if (mcp->outcome.is_silent && !mcp->outcome.is_refused) {
        mcp->outcome.status = BT_HTTP_ACCEPTED;
    }
    return end_request(request, status);
}

enum bt_status mcp_resume(struct mcp *mcp, struct bt_buf *out)
{
    assert(mcp);
    assert(mcp->pending_submission);
    struct mcp_call *call = mcp->pending_submission;
    struct mcp_request *request = call->request;
    request->out = out;
    return end_request(request, mcp_call_end(call));
}

bool mcp_is_open(const struct mcp *mcp)
{
    bool is_open = false;
    for (size_t i = 0; i < MCP_QUESTIONS_MAX; i++) {
        is_open = is_open || mcp->questions[i].number != 0;
    }
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        is_open = is_open || mcp->listens[i].is_on;
    }
    return is_open;
}

void mcp_respond_too_long(struct bt_buf *out)
{
    struct mcp mcp = {0};
    struct mcp_request request = {.mcp = &mcp, .id = BT_STR(""), .out = out};
    mcp_error(&request, MCP_INVALID_REQUEST, "the message is longer than 32 MiB", BT_STR(""));
}
