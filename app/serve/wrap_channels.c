/* SPDX-License-Identifier: Apache-2.0 */
/* wrap_channels.c - channels to wrapped servers: their threads, and who waits in them. */
#include "serve/wrap_channels.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "mcp/mcp.h"
#include "operation/rule_codes.h"
#include "serve/protocol_state.h"
#include "serve/wrap_state.h"
#include "wrap/served.h"
#include "wrap/upstream.h"

enum {
    TEXTS_BYTES_MAX = 1 << 20,
    MESSAGE_BYTES_MAX = 2000000000,
    QUEUE_SPARE_BYTES = 64 << 10,
    PARK_MS = 1000,
    POLL_MS = 1000,
    SECOND_MS = 1000,
};

static void lock_wrap(struct serve_wrap *wrap)
{
    (void)pthread_mutex_lock(&wrap->lock);
}

static void unlock_wrap(struct serve_wrap *wrap)
{
    (void)pthread_mutex_unlock(&wrap->lock);
}

/* ---- Channels -------------------------------------------------------------------------------- */

/* With the lock: have the thread of the channel look at its input. */
static void wake_channel(const struct serve_wrap_channel *channel)
{
    const uint64_t one = 1;
    (void)!write(channel->ready_fd, &one, sizeof(one)); /* full: it is awake */
}

/* With the lock: queue a line for the server. False: too much waits. */
static bool queue_line(struct serve_wrap_channel *channel, bt_str line)
{
    if (channel->input.len + line.len > channel->input.max) {
        return false;
    }
    bt_buf_put(&channel->input, line);
    wake_channel(channel);
    return channel->input.status == BT_OK;
}

static void end_channel(struct serve_wrap_channel *channel)
{
    channel->life.is_ending = true;
    wake_channel(channel);
}

/* Free a channel whose thread has ended, or ends by itself. */
static void free_channel(struct serve_wrap_channel *channel)
{
    (void)pthread_join(channel->thread, NULL);
    assert(!channel->exchanges);
    serve_settings_release(channel->settings);
    wrap_params_free(&channel->params);
    bt_buf_free(&channel->input);
    bt_arena_free(&channel->message);
    bt_arena_free(&channel->texts);
    (void)close(channel->ready_fd);
    free(channel);
}

/* With the lock: free the channels that are over. */
static void free_ended(struct serve_wrap *wrap)
{
    for (struct serve_wrap_channel **at = &wrap->channels; *at;) {
        struct serve_wrap_channel *channel = *at;
        if (channel->life.is_done) {
            *at = channel->next;
            free_channel(channel);
        } else {
            at = &channel->next;
        }
    }
}

/* ---- Waking requests ------------------------------------------------------------------------- */

/* With the lock: something has arrived for a request. */
static void wake_exchange(struct serve_wrap *wrap, struct serve_wrap_exchange *exchange)
{
    if (exchange->is_parked) {
        exchange->is_parked = false;
        http_call_resume(exchange->call);
    } else {
        http_server_wake(wrap->gateway->server);
    }
}

/* With the lock: the request of a number; NULL: nobody waits for it any more. */
static struct serve_wrap_exchange *find_exchange(const struct serve_wrap_channel *channel,
                                                 uint64_t number)
{
    struct serve_wrap_exchange *at = channel->exchanges;
    while (at && at->number != number) {
        at = at->next;
    }
    return at;
}

/* With the lock: the newest open request that can get messages; NULL: none. */
static struct serve_wrap_exchange *find_newest(const struct serve_wrap_channel *channel)
{
    struct serve_wrap_exchange *at = channel->exchanges;
    while (at && (at->is_answered || !at->takes_events)) {
        at = at->next;
    }
    return at;
}

/* With the lock: nobody can answer a request of the server. */
static void refuse_request(struct serve_wrap_channel *channel,
                           const struct bt_wrap_message *message)
{
    struct bt_buf line;
    bt_buf_init(&line, 1024);
    bt_buf_put_text(&line, "{\"jsonrpc\":\"2.0\",\"id\":");
    bt_wrap_id_put(&line, &message->id);
    bt_buf_put_text(&line, ",\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}\n");
    if (line.status == BT_OK) {
        (void)queue_line(channel, bt_buf_str(&line));
    }
    bt_buf_free(&line);
}

/* ---- Messages of the server ------------------------------------------------------------------ */

/* The client's id, in quotes where the server put ours in quotes. */
static bt_str quoted_like(const struct serve_wrap_exchange *exchange, const bt_json_value *value,
                          struct bt_arena *arena)
{
    bt_str quoted = exchange->id;
    const bool is_text = value && bt_json_type(value) == BT_JSON_STRING;
    return is_text && !bt_str_starts_with(exchange->id, BT_STR("\"")) &&
                   bt_arena_printf(arena, &quoted, "\"%.*s\"", BT_STR_ARG(exchange->id)) == BT_OK
               ? quoted
               : exchange->id;
}

/* With the lock: give a message to a request, with the names that its client knows. */
static void give_message(struct serve_wrap_channel *channel, struct serve_wrap_exchange *exchange,
                         const struct bt_wrap_message *message,
                         const struct serve_wrap_route *route)
{
    const bool is_own_subscription =
        route->values[2] &&
        serve_wrap_number_of(message->document, route->values[2]) == exchange->number;
    const struct serve_wrap_edit edits[SERVE_WRAP_EDITS_MAX] = {
        {route->values[0], exchange->id},
        {route->values[1], exchange->token},
        {is_own_subscription ? route->values[2] : NULL,
         quoted_like(exchange, route->values[2], &channel->message)},
    };
    serve_wrap_put_line(&exchange->output, message->document, edits, SERVE_WRAP_EDITS_MAX);
    if (message->kind == BT_WRAP_MESSAGE_RESPONSE) {
        const bt_json_value *code =
            message->error ? bt_json_get(message->document, message->error, BT_STR("code")) : NULL;
        struct bt_wrap_id number;
        exchange->is_answered = true;
        if (code && bt_wrap_id_read(message->document, code, &number) && !number.is_text) {
            exchange->error_code = number.number;
        }
    }
    wake_exchange(channel->wrap, exchange);
}

/* With the lock: find out who gets a message. */
static void deliver_message(struct serve_wrap_channel *channel,
                            const struct bt_wrap_message *message)
{
    static const struct serve_wrap_route whole = {0};
    const struct serve_wrap_route route = serve_wrap_route_of(message, channel->is_legacy);
    struct serve_wrap_exchange *named = find_exchange(channel, route.number);
    struct serve_wrap_exchange *newest = find_newest(channel);
    if (message->kind == BT_WRAP_MESSAGE_RESPONSE) {
        if (named && !named->is_answered) {
            if (named->lists_tools) {
                wrap_params_note(&channel->params, message);
            }
            give_message(channel, named, message, &route);
        }
    } else if (message->kind == BT_WRAP_MESSAGE_REQUEST && !(newest && channel->is_legacy)) {
        refuse_request(channel, message);
    } else if (route.number > 0) {
        /* Without a token its client has not asked for progress, and could not read it. */
        const bool is_wanted = named && (!route.values[1] || named->token.len > 0);
        if (is_wanted && named->takes_events && !named->is_answered) {
            give_message(channel, named, message, &route);
        }
    } else if (newest) {
        give_message(channel, newest, message, &whole);
    }
}

/* On the thread of the channel. */
static void give_lines(void *context, bt_str lines)
{
    struct serve_wrap_channel *channel = context;
    for (size_t from = 0; from < lines.len;) {
        const size_t end = bt_str_find_byte(lines, '\n', from);
        const bt_str line = bt_str_slice(lines, from, end);
        struct bt_wrap_message message;
        bt_arena_reset(&channel->message);
        /* What is not a message has not passed the session. */
        if (bt_wrap_message_read(&channel->message, &channel->env, line, line.len, &message) ==
                BT_OK &&
            message.kind != BT_WRAP_MESSAGE_NONE) {
            lock_wrap(channel->wrap);
            deliver_message(channel, &message);
            unlock_wrap(channel->wrap);
        }
        from = end + 1;
    }
}

/* On the thread of the channel. */
static enum wrap_client_state take_lines(void *context, struct bt_buf *input)
{
    struct serve_wrap_channel *channel = context;
    struct bt_buf *queue = &channel->input;
    size_t taken = 0;
    lock_wrap(channel->wrap);
    while (taken < queue->len) {
        const size_t end = bt_str_find_byte(bt_buf_str(queue), '\n', taken) + 1;
        if (input->len + (end - taken) > input->max) {
            break;
        }
        bt_buf_put(input, bt_str_slice(bt_buf_str(queue), taken, end));
        taken = end;
    }
    memmove(queue->ptr, queue->ptr + taken, queue->len - taken);
    queue->len -= taken;
    if (queue->len > 0) {
        wake_channel(channel);
    }
    const enum wrap_client_state state = channel->wrap->is_stopping ? WRAP_CLIENT_ABORTED
                                         : channel->life.is_ending && queue->len == 0
                                             ? WRAP_CLIENT_ENDED
                                             : WRAP_CLIENT_TALKS;
    unlock_wrap(channel->wrap);
    return state;
}

/* On the thread of the channel, before it takes messages. */
static void show_tool(void *context, const struct bt_json_doc *definition)
{
    struct serve_wrap_channel *channel = context;
    lock_wrap(channel->wrap);
    (void)wrap_params_note_tool(&channel->params, definition, bt_json_root(definition));
    unlock_wrap(channel->wrap);
}

/* ---- The thread of a channel ----------------------------------------------------------------- */

/* With the lock: the server has ended, and nobody answers any more. */
static void answer_lost(struct serve_wrap_channel *channel)
{
    struct serve_wrap_exchange *next = NULL;
    for (struct serve_wrap_exchange *at = channel->exchanges; at; at = next) {
        next = at->next;
        at->next = NULL;
        at->channel = NULL;
        if (!at->is_answered) {
            at->is_answered = true;
            at->error_code = SERVE_WRAP_ERROR_SERVER;
            bt_buf_printf(
                &at->output,
                "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":%d,\"message\":\"the "
                "server has ended\",\"data\":{\"baton\":{\"code\":\"%.*s\"}}}}\n",
                BT_STR_ARG(at->id), SERVE_WRAP_ERROR_SERVER,
                BT_STR_ARG(bt_code_name(BT_CODE_WRAP_SERVER_ENDED)));
            wake_exchange(channel->wrap, at);
        }
    }
    channel->exchanges = NULL;
}

static void *run_channel(void *context)
{
    struct serve_wrap_channel *channel = context;
    const struct serve_server *gateway = channel->wrap->gateway;
    const struct wrap_client client = {.context = channel,
                                       .ready_fd = channel->ready_fd,
                                       .take = take_lines,
                                       .give = give_lines,
                                       .note = serve_wrap_note_session};
    const struct bt_wrap_shared_tools shared_tools = {
        .context = channel, .find = serve_wrap_find_tool, .add = serve_wrap_add_tool};
    const struct bt_wrap_meter meter = {
        .context = channel, .now_us = bt_clock_monotonic_us, .note_call = serve_wrap_note_call};
    const struct wrap_served served = {.name = channel->server,
                                       .actor = channel->actor,
                                       .config = channel->settings->config,
                                       .limits = &channel->settings->reading,
                                       .store = &gateway->flags->store,
                                       .writer = gateway->store.writer,
                                       .spending = channel->spending,
                                       .client = &client,
                                       .meter = &meter,
                                       .show_tool = show_tool,
                                       .shared_tools = &shared_tools};
    (void)wrap_served_run(&served);
    lock_wrap(channel->wrap);
    answer_lost(channel);
    channel->life.is_done = true;
    unlock_wrap(channel->wrap);
    return NULL;
}

/* With the lock: what a principal has spent of a server, in all sessions. NULL: no memory. */
static struct bt_wrap_spending *find_spending(struct serve_wrap *wrap, bt_str server, bt_str actor)
{
    struct serve_wrap_account *at = wrap->accounts;
    while (at && !(bt_str_eq(at->server, server) && bt_str_eq(at->actor, actor))) {
        at = at->next;
    }
    if (at) {
        return &at->spending;
    }
    at = BT_NEW(&wrap->texts, struct serve_wrap_account);
    if (!at || bt_arena_copy(&wrap->texts, server, &at->server) != BT_OK ||
        bt_arena_copy(&wrap->texts, actor, &at->actor) != BT_OK ||
        bt_wrap_spending_init(&at->spending, true) != BT_OK) {
        return NULL;
    }
    at->next = wrap->accounts;
    wrap->accounts = at;
    return &at->spending;
}

static bool fill_channel(struct serve_wrap_channel *channel, struct serve_call *x,
                         const struct serve_wrap_target *target)
{
    struct bt_env random = x->gateway->env;
    bt_arena_init(&channel->texts, TEXTS_BYTES_MAX);
    bt_arena_init(&channel->message, MESSAGE_BYTES_MAX);
    bt_buf_init(&channel->input, target->message_bytes + QUEUE_SPARE_BYTES);
    wrap_params_init(&channel->params);
    channel->wrap = x->gateway->conversations.wrap;
    channel->env = x->gateway->env;
    channel->env.limits = x->settings->reading;
    channel->is_legacy = target->is_legacy;
    channel->life.idle_ms = target->idle_s * SECOND_MS;
    channel->life.used_ms = bt_clock_monotonic_ms();
    channel->spending = find_spending(channel->wrap, target->server, x->identity.caller.actor);
    channel->stats = serve_wrap_find_stats(channel->wrap, target->server);
    return channel->ready_fd >= 0 && channel->spending && channel->stats &&
           bt_arena_copy(&channel->texts, target->server, &channel->server) == BT_OK &&
           bt_arena_copy(&channel->texts, x->identity.caller.actor, &channel->actor) == BT_OK &&
           bt_env_uuid(&random, channel->session) == BT_OK;
}

/* With the lock: start a server. NULL: the system or the entry of the server does not allow it. */
static struct serve_wrap_channel *open_channel(struct serve_call *x,
                                               const struct serve_wrap_target *target)
{
    struct serve_wrap *wrap = x->gateway->conversations.wrap;
    uint64_t processes = 0;
    free_ended(wrap);
    for (const struct serve_wrap_channel *at = wrap->channels; at; at = at->next) {
        processes += bt_str_eq(at->server, target->server);
    }
    struct serve_wrap_channel *channel =
        processes < target->processes && !wrap->is_stopping ? calloc(1, sizeof(*channel)) : NULL;
    if (!channel) {
        return NULL;
    }
    channel->ready_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    channel->settings = x->settings;
    if (!fill_channel(channel, x, target) ||
        pthread_create(&channel->thread, NULL, run_channel, channel) != 0) {
        wrap_params_free(&channel->params);
        bt_arena_free(&channel->texts);
        if (channel->ready_fd >= 0) {
            (void)close(channel->ready_fd);
        }
        free(channel);
        return NULL;
    }
    (void)atomic_fetch_add(&channel->settings->users, 1);
    channel->next = wrap->channels;
    wrap->channels = channel;
    return channel;
}

/* True when both configurations say the same about wrapped servers. */
static bool is_current(const struct serve_wrap_channel *channel, const struct serve_call *x)
{
    const struct bt_config *config = channel->settings->config;
    bool is_same = true;
    for (size_t i = 0; channel->settings != x->settings && is_same && bt_config_key(i).len > 0;
         i++) {
        is_same = !bt_str_starts_with(bt_config_key(i), BT_STR("wrap.")) ||
                  bt_config_is_same(config, x->config, i);
    }
    return is_same;
}

/* With the lock: the channel of a target. NULL: there is none. */
static struct serve_wrap_channel *find_channel(struct serve_call *x,
                                               const struct serve_wrap_target *target)
{
    struct serve_wrap_channel *at = x->gateway->conversations.wrap->channels;
    for (; at; at = at->next) {
        const bool is_it = !at->life.is_ending && !at->life.is_done &&
                           at->is_legacy == target->is_legacy &&
                           bt_str_eq(at->server, target->server) &&
                           bt_str_eq(at->actor, x->identity.caller.actor) &&
                           (!at->is_legacy || bt_str_eq(bt_str_of(at->session), target->session));
        if (is_it && is_current(at, x)) {
            return at;
        }
        if (is_it) { /* other rules hold now: what is open ends under the old ones */
            at->life.is_retired = true;
        }
    }
    return NULL;
}

/* ---- Requests -------------------------------------------------------------------------------- */

uint64_t serve_wrap_next_number(struct serve_wrap *wrap)
{
    return atomic_fetch_add(&wrap->numbers, 1) + 1;
}

enum serve_wrap_outcome serve_wrap_send(struct serve_call *x,
                                        const struct serve_wrap_target *target, bt_str line,
                                        struct serve_wrap_exchange *exchange)
{
    struct serve_wrap *wrap = x->gateway->conversations.wrap;
    enum serve_wrap_outcome outcome = SERVE_WRAP_SENT;
    lock_wrap(wrap);
    struct serve_wrap_channel *channel = find_channel(x, target);
    const bool is_opened = !channel && target->may_start;
    if (is_opened) {
        channel = open_channel(x, target);
    }
    if (!channel) {
        outcome = is_opened ? SERVE_WRAP_BUSY : SERVE_WRAP_NO_CHANNEL;
    } else if (!queue_line(channel, line)) {
        outcome = SERVE_WRAP_BUSY;
    } else {
        channel->life.used_ms = bt_clock_monotonic_ms();
    }
    if (outcome == SERVE_WRAP_SENT && exchange) {
        exchange->channel = channel;
        exchange->next = channel->exchanges;
        channel->exchanges = exchange;
        if (is_opened && channel->is_legacy) {
            memcpy(exchange->session, channel->session, sizeof(exchange->session));
        }
    }
    unlock_wrap(wrap);
    return outcome;
}

bool serve_wrap_take(struct serve_wrap *wrap, struct serve_wrap_exchange *exchange,
                     struct bt_buf *out)
{
    lock_wrap(wrap);
    const bool is_answered = exchange->is_answered || exchange->output.status != BT_OK;
    exchange->is_parked = false;
    bt_buf_put(out, bt_buf_str(&exchange->output));
    exchange->output.len = 0;
    unlock_wrap(wrap);
    return is_answered;
}

bool serve_wrap_park(struct serve_wrap *wrap, struct serve_wrap_exchange *exchange, bool is_first)
{
    lock_wrap(wrap);
    const bool has_come = exchange->is_answered || exchange->output.len > 0;
    if (!has_come && is_first) {
        exchange->is_parked = true;
        exchange->call->resume_by_ms = bt_clock_monotonic_ms() + PARK_MS;
    } else if (!has_come) {
        exchange->call->answer.retry_ms = POLL_MS;
    }
    unlock_wrap(wrap);
    return !has_come;
}

/* With the lock: remove a request from its channel. */
static void remove_exchange(struct serve_wrap_exchange *exchange)
{
    struct serve_wrap_exchange **at = &exchange->channel->exchanges;
    while (*at != exchange) {
        at = &(*at)->next;
    }
    *at = exchange->next;
    exchange->channel->life.used_ms = bt_clock_monotonic_ms();
    exchange->channel = NULL;
}

/*
 * With the lock: nobody waits for a request. A modern server is told that it is cancelled. In the
 * legacy era a lost connection cancels nothing; only the session is told.
 */
static void leave_request(struct serve_wrap_channel *channel, uint64_t number)
{
    static const char note[] = {BT_WRAP_NOTE, '%', 'l', 'l', 'u', '\n', '\0'};
    static const char cancelled[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                                    "\"params\":{\"requestId\":%llu}}\n";
    char line[160];
    const int length = channel->is_legacy
                           ? snprintf(line, sizeof(line), note, (unsigned long long)number)
                           : snprintf(line, sizeof(line), cancelled, (unsigned long long)number);
    (void)queue_line(channel, (bt_str){line, (size_t)length});
}

void serve_wrap_leave(struct serve_wrap *wrap, struct serve_wrap_exchange *exchange)
{
    lock_wrap(wrap);
    struct serve_wrap_channel *channel = exchange->channel;
    if (channel) {
        remove_exchange(exchange);
        if (!exchange->is_answered) {
            leave_request(channel, exchange->number);
        }
    }
    unlock_wrap(wrap);
    bt_buf_free(&exchange->output);
}

void serve_wrap_close_session(struct serve_wrap *wrap, const struct serve_wrap_exchange *exchange)
{
    lock_wrap(wrap);
    if (exchange->channel) {
        end_channel(exchange->channel);
    }
    unlock_wrap(wrap);
}

uint64_t serve_wrap_find_number(struct serve_call *x, const struct serve_wrap_target *target,
                                const struct bt_wrap_id *id)
{
    struct serve_wrap *wrap = x->gateway->conversations.wrap;
    uint64_t number = 0;
    size_t count = 0;
    lock_wrap(wrap);
    const struct serve_wrap_channel *channel = find_channel(x, target);
    for (const struct serve_wrap_exchange *at = channel ? channel->exchanges : NULL; at;
         at = at->next) {
        if (!at->is_answered && bt_wrap_ids_equal(&at->client_id, id)) {
            number = at->number;
            count++;
        }
    }
    unlock_wrap(wrap);
    return count == 1 ? number : 0;
}

/* ---- Parameters in header fields ------------------------------------------------------------- */

/* True when the field of a parameter has the text of the argument, or neither is there. */
static bool param_fits(struct serve_call *x, const struct wrap_param *param,
                       const struct bt_wrap_message *message, const bt_json_value *arguments)
{
    const bt_json_value *value =
        arguments ? bt_json_get(message->document, arguments, param->property) : NULL;
    const bt_str header = serve_mcp_param(x->request, param->field);
    if (!value || bt_json_type(value) == BT_JSON_NULL) {
        return !header.ptr;
    }
    const struct bt_json_span span = bt_json_span(message->document, value);
    return mcp_header_equals(
        x->arena, header,
        bt_json_type(value) == BT_JSON_STRING
            ? bt_json_text(value)
            : bt_str_slice(bt_json_source(message->document), span.begin, span.end));
}

bool serve_wrap_params_fit(struct serve_call *x, const struct serve_wrap_target *target,
                           const struct bt_wrap_message *message)
{
    struct serve_wrap *wrap = x->gateway->conversations.wrap;
    const struct bt_json_doc *document = message->document;
    const bt_json_value *tool = bt_json_get(document, message->params, BT_STR("name"));
    const bt_json_value *arguments = bt_json_get(document, message->params, BT_STR("arguments"));
    bool fits = true;
    lock_wrap(wrap);
    const struct serve_wrap_channel *channel = tool ? find_channel(x, target) : NULL;
    for (size_t i = 0; fits && channel && i < channel->params.count; i++) {
        const struct wrap_param *param = &channel->params.items[i];
        fits =
            !bt_str_eq(param->tool, bt_json_text(tool)) || param_fits(x, param, message, arguments);
    }
    unlock_wrap(wrap);
    return fits;
}

/* ---- All channels ---------------------------------------------------------------------------- */

struct serve_wrap *serve_wrap_create(struct serve_server *gateway)
{
    struct serve_wrap *wrap = calloc(1, sizeof(*wrap));
    if (!wrap || pthread_mutex_init(&wrap->lock, NULL) != 0) {
        free(wrap);
        return NULL;
    }
    wrap->gateway = gateway;
    bt_arena_init(&wrap->texts, MESSAGE_BYTES_MAX);
    serve_wrap_tools_init(wrap);
    return wrap;
}

void serve_wrap_end_idle(struct serve_wrap *wrap)
{
    const uint64_t now_ms = bt_clock_monotonic_ms();
    lock_wrap(wrap);
    for (struct serve_wrap_channel *at = wrap->channels; at; at = at->next) {
        const bool is_idle = at->life.is_retired || now_ms - at->life.used_ms >= at->life.idle_ms;
        if (!at->exchanges && !at->life.is_ending && is_idle) {
            end_channel(at);
        }
    }
    free_ended(wrap);
    unlock_wrap(wrap);
}

void serve_wrap_destroy(struct serve_wrap *wrap)
{
    if (!wrap) {
        return;
    }
    lock_wrap(wrap);
    wrap->is_stopping = true;
    for (struct serve_wrap_channel *at = wrap->channels; at; at = at->next) {
        assert(!at->exchanges);
        wake_channel(at);
    }
    unlock_wrap(wrap);
    while (wrap->channels) { /* whose threads end by themselves now */
        struct serve_wrap_channel *channel = wrap->channels;
        wrap->channels = channel->next;
        free_channel(channel);
    }
    for (struct serve_wrap_account *at = wrap->accounts; at; at = at->next) {
        bt_wrap_spending_free(&at->spending);
    }
    bt_arena_free(&wrap->texts);
    (void)pthread_mutex_destroy(&wrap->lock);
    free(wrap);
}
