/* SPDX-License-Identifier: Apache-2.0 */
/*
 * subscriptions.c - notifications about changed resources.
 *
 * A legacy client subscribes to one resource at a time; a modern one opens a subscription that
 * names several, and every notification has its id.
 */
#include <string.h>

#include "mcp/mcp_internal.h"

/* The resources that can be watched, in the order of mcp->watched. */
static const char *const watchable[MCP_WATCHED_MAX] = {
    "baton://ledger/checkpoint", "baton://approvals/pending", "test://watched-resource"};

/*
 * The index of the resource that a URI names, if the caller may see it; MCP_WATCHED_MAX: none. Its
 * digest is stored when it is not watched yet.
 */
static size_t find_watched(struct mcp_request *request, bt_str uri)
{
    uint8_t digest[BT_SHA256_BYTES];
    for (size_t i = 0; i < MCP_WATCHED_MAX; i++) {
        if (bt_str_eq(uri, bt_str_of(watchable[i])) && mcp_resource_digest(request, uri, digest)) {
            struct mcp_watched_resource *watched = &request->mcp->watched[i];
            if (!watched->is_known) {
                memcpy(watched->digest, digest, sizeof(digest));
                watched->is_known = true;
            }
            return i;
        }
    }
    return MCP_WATCHED_MAX;
}

/* ---- Legacy ---------------------------------------------------------------------------------- */

static enum bt_status set_subscription(struct mcp_request *request, bool is_on)
{
    const bt_str uri = mcp_param_text(request, "uri");
    const size_t which = find_watched(request, uri);
    if (which == MCP_WATCHED_MAX) {
        return mcp_respond_no_resource(request, uri);
    }
    request->mcp->watched[which].is_on = is_on;
    mcp_result(request, "complete");
    mcp_result_end(request, MCP_UNCACHED);
    return BT_OK;
}

enum bt_status mcp_subscribe(struct mcp_request *request)
{
    return set_subscription(request, true);
}

enum bt_status mcp_unsubscribe(struct mcp_request *request)
{
    return set_subscription(request, false);
}

/* ---- Modern ---------------------------------------------------------------------------------- */

static void send_acknowledgement(struct mcp_request *request, const struct mcp_subscription *listen)
{
    struct bt_emit emit;
    mcp_begin_notification(&emit, request->out, "notifications/subscriptions/acknowledged",
                           bt_buf_str(&listen->id));
    bt_emit_member_object(&emit, "notifications");
    if (listen->tools) {
        bt_emit_member_bool(&emit, "toolsListChanged", true);
    }
    if (listen->prompts) {
        bt_emit_member_bool(&emit, "promptsListChanged", true);
    }
    bt_emit_member_array(&emit, "resourceSubscriptions");
    for (size_t i = 0; i < MCP_WATCHED_MAX; i++) {
        if (listen->watches[i]) {
            bt_emit_string(&emit, bt_str_of(watchable[i]));
        }
    }
    bt_emit_end(&emit);
    bt_emit_end(&emit);
    mcp_end_notification(&emit);
}

/* The lists change only for the conformance suite. */
static bool has_list_option(const struct mcp_request *request, const bt_json_value *wanted,
                            const char *name)
{
    const bt_json_value *value = bt_json_get(request->document, wanted, bt_str_of(name));
    return request->mcp->place.fixtures && value && bt_json_type(value) == BT_JSON_TRUE;
}

enum bt_status mcp_listen(struct mcp_request *request)
{
    const bt_json_value *wanted = mcp_param(request, "notifications");
    const bt_json_value *uris =
        wanted ? bt_json_get(request->document, wanted, BT_STR("resourceSubscriptions")) : NULL;
    size_t free = 0;
    while (free < MCP_LISTENS_MAX && request->mcp->listens[free].is_on) {
        free++;
    }
    if (!wanted || bt_json_type(wanted) != BT_JSON_OBJECT || free == MCP_LISTENS_MAX) {
        mcp_error(request, MCP_INVALID_PARAMS,
                  free == MCP_LISTENS_MAX ? "too many subscriptions are open"
                                          : "notifications says what to tell of",
                  BT_STR(""));
        return BT_OK;
    }
    struct mcp_subscription *listen = &request->mcp->listens[free];
    memset(listen->watches, 0, sizeof(listen->watches));
    for (size_t i = 0; uris && bt_json_items(uris) && i < bt_json_count(uris); i++) {
        const size_t which = find_watched(request, bt_json_text(&bt_json_items(uris)[i]));
        if (which < MCP_WATCHED_MAX) {
            listen->watches[which] = true;
        }
    }
    listen->tools = has_list_option(request, wanted, "toolsListChanged");
    listen->prompts = has_list_option(request, wanted, "promptsListChanged");
    bt_buf_clear(&listen->id);
    bt_buf_put(&listen->id, request->id);
    BT_TRY(listen->id.status);
    listen->is_on = true;
    send_acknowledgement(request, listen);
    return BT_OK;
}

void mcp_listen_cancelled(struct mcp *mcp, bt_str id)
{
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        if (mcp->listens[i].is_on && bt_str_eq(bt_buf_str(&mcp->listens[i].id), id)) {
            mcp->listens[i].is_on = false;
        }
    }
}

void mcp_close(struct mcp *mcp, struct bt_buf *out)
{
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        struct mcp_subscription *listen = &mcp->listens[i];
        struct mcp_request request = {
            .mcp = mcp, .id = bt_buf_str(&listen->id), .is_modern = true, .out = out};
        if (listen->is_on) {
            mcp_result(&request, "complete");
            request.subscription = request.id;
            mcp_result_end(&request, MCP_UNCACHED);
            listen->is_on = false;
        }
    }
}

/* ---- Notifications --------------------------------------------------------------------------- */

static void notify_change(struct mcp_request *request, size_t which, bt_str subscription)
{
    struct bt_emit emit;
    mcp_begin_notification(&emit, request->out, "notifications/resources/updated", subscription);
    bt_emit_member_string(&emit, "uri", bt_str_of(watchable[which]));
    mcp_end_notification(&emit);
}

static bool is_watched(const struct mcp *mcp, size_t which)
{
    bool is_on = mcp->watched[which].is_on;
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        is_on = is_on || (mcp->listens[i].is_on && mcp->listens[i].watches[which]);
    }
    return is_on;
}

bool mcp_is_watching(const struct mcp *mcp)
{
    bool is_on = false;
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        is_on =
            is_on || (mcp->listens[i].is_on && (mcp->listens[i].tools || mcp->listens[i].prompts));
    }
    for (size_t i = 0; i < MCP_WATCHED_MAX; i++) {
        is_on = is_on || is_watched(mcp, i);
    }
    return is_on;
}

/* Notify all watchers of a resource whose content has changed. */
static void check_resource(struct mcp_request *request, size_t which)
{
    struct mcp_watched_resource *watched = &request->mcp->watched[which];
    uint8_t now[BT_SHA256_BYTES];
    if (!is_watched(request->mcp, which)) {
        watched->is_known = false;
        return;
    }
    if (!mcp_resource_digest(request, bt_str_of(watchable[which]), now) ||
        bt_bytes_equal_constant_time(now, watched->digest, sizeof(now))) {
        return;
    }
    memcpy(watched->digest, now, sizeof(now));
    if (watched->is_on) {
        notify_change(request, which, BT_STR(""));
    }
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        const struct mcp_subscription *listen = &request->mcp->listens[i];
        if (listen->is_on && listen->watches[which]) {
            notify_change(request, which, bt_buf_str(&listen->id));
        }
    }
}

/* Notify the subscribers of a list that has changed. */
static void notify_list_change(struct mcp *mcp, struct bt_buf *out, bool is_tools)
{
    struct bt_emit emit;
    for (size_t i = 0; i < MCP_LISTENS_MAX; i++) {
        const struct mcp_subscription *listen = &mcp->listens[i];
        if (listen->is_on && (is_tools ? listen->tools : listen->prompts)) {
            mcp_begin_notification(&emit, out,
                                   is_tools ? "notifications/tools/list_changed"
                                            : "notifications/prompts/list_changed",
                                   bt_buf_str(&listen->id));
            mcp_end_notification(&emit);
        }
    }
}

static void check_lists(struct mcp *mcp, struct bt_buf *out)
{
    struct mcp_fixtures *fixtures = mcp->place.fixtures;
    const unsigned long tools = fixtures ? atomic_load(&fixtures->tools) : mcp->seen_tools;
    const unsigned long prompts = fixtures ? atomic_load(&fixtures->prompts) : mcp->seen_prompts;
    if (tools != mcp->seen_tools) {
        notify_list_change(mcp, out, true);
    }
    if (prompts != mcp->seen_prompts) {
        notify_list_change(mcp, out, false);
    }
    mcp->seen_tools = tools;
    mcp->seen_prompts = prompts;
}

void mcp_poll_subscriptions(struct mcp *mcp, struct bt_buf *out)
{
    struct mcp_request request = {.mcp = mcp, .id = BT_STR(""), .method = BT_STR(""), .out = out};
    bt_arena_init(&request.arena, MCP_ARENA_BYTES_MAX);
    for (size_t i = 0; i < MCP_WATCHED_MAX; i++) {
        check_resource(&request, i);
    }
    bt_arena_free(&request.arena);
    check_lists(mcp, out);
}
