/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gateway_link.c - a link to another pump. Calls wait here until the other pump has acknowledged
 * and answered them; after a break they are sent again under the same id, which makes that
 * harmless.
 */
#define _GNU_SOURCE /* struct addrinfo */
#include "pump_net/gateway_link.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/file.h"
#include "net/connection.h"
#include "net/socket_address.h"
#include "pump_net/gateway_peer.h"
#include "pump_net/pump_net.h"
#include "sandbox/host_frame.h"

enum {
    CALLS_MAX = 64,
    DOWN_MS = 30000,     /* how long a call waits for the link */
    ANSWER_MS = 3600000, /* how long it waits for an answer */
    RETRY_MS = 1000,
    GREETING_MS = 10000,
    FRAMES_AT_ONCE = 64,
    READ_BYTES = 65536,
    OUT_BYTES_MAX = 256 << 20,
};

enum gateway_link_state { LINK_DOWN = 0, LINK_SEARCHING, LINK_GREETING, LINK_UP };

/* A call that the other pump has not answered. */
struct gateway_link_call {
    uint64_t call;
    uint64_t since_ms;
    bool is_sent; /* on the current connection */
};

struct bt_gateway_link {
    struct bt_pump_net_watch post;
    uint32_t number; /* of the gateway */
    struct bt_gateway_link *next;
    enum gateway_link_state state;
    bool has_wire;
    struct bt_net_connection wire;
    bool has_sent_hello;
    uint64_t since_ms; /* of the state */
    struct bt_gateway_peer remote;
    struct gateway_link_call calls[CALLS_MAX];
    size_t count;
};

static const struct bt_organism_gateway *gateway_of(const struct bt_pump_net *net,
                                                    const struct bt_gateway_link *link)
{
    return net->pump->hosting.slots[link->number].gateway;
}

static struct bt_gateway_link *link_of(const struct bt_pump_net *net, uint32_t number)
{
    struct bt_gateway_link *at = net->links;
    while (at && at->number != number) {
        at = at->next;
    }
    return at;
}

static void close_link(struct bt_pump_net *net, struct bt_gateway_link *link)
{
    if (link->has_wire) {
        bt_pump_net_unwatch_fd(net, link->wire.fd);
        bt_net_connection_free(&link->wire);
    }
    link->has_wire = false;
    link->state = LINK_DOWN;
    link->since_ms = net->now_ms;
    for (size_t i = 0; i < link->count; i++) {
        link->calls[i].is_sent = false;
    }
}

static void link_ready(struct bt_pump_net *net, struct bt_pump_net_watch *post, uint32_t events)
{
    struct bt_gateway_link *link = (struct bt_gateway_link *)post;
    (void)net;
    (void)events;
    link->wire.is_unread = true;
}

static void open_link(struct bt_pump_net *net, struct bt_gateway_link *link)
{
    int fd = -1;
    if (link->state == LINK_DOWN) {
        link->state = LINK_SEARCHING;
        link->since_ms = net->now_ms;
    }
    if (bt_gateway_peer_connect(&link->remote, &fd) != BT_OK) {
        close_link(net, link); /* try again later */
        return;
    }
    if (fd < 0) {
        return; /* its name is being resolved */
    }
    link->since_ms = net->now_ms;
    bt_net_connection_init(&link->wire, fd, BT_FRAME_BYTES_MAX, OUT_BYTES_MAX);
    link->has_wire = true;
    link->has_sent_hello = false;
    link->state = LINK_GREETING;
    link->post.ready = link_ready;
    if (link->remote.tls) { /* the client sends the first message of TLS */
        link->wire.wants_writing = true;
        link->wire.is_unread = true;
    }
    if ((link->remote.tls &&
         !bt_net_connection_start_tls(&link->wire, link->remote.tls, BT_STR(""))) ||
        !bt_pump_net_watch_fd(net, fd, &link->post, EPOLLIN | EPOLLOUT)) {
        close_link(net, link);
    }
}

bool bt_gateway_links_is_open(void *context, uint32_t number)
{
    const struct bt_gateway_link *link = link_of(context, number);
    return link && link->count < CALLS_MAX;
}

enum bt_status bt_gateway_links_call(void *context, const struct bt_pump_message *message)
{
    const struct bt_pump_net *net = context;
    struct bt_gateway_link *link = link_of(net, message->thread->listener);
    assert(link); /* it was open a moment ago */
    link->calls[link->count++] =
        (struct gateway_link_call){.call = message->call, .since_ms = net->now_ms};
    return BT_OK;
}

void bt_gateway_links_cancel(void *context, uint32_t number, uint64_t call)
{
    struct bt_gateway_link *link = link_of(context, number);
    for (size_t i = 0; link && i < link->count; i++) {
        if (link->calls[i].call == call) {
            memmove(&link->calls[i], &link->calls[i + 1],
                    (--link->count - i) * sizeof(link->calls[0]));
            return;
        }
    }
}

/* The capability that a canonical payload is for; NULL: the gateway has none such. */
static const struct bt_organism_capability *capability_of(const struct bt_organism_gateway *gateway,
                                                          bt_str payload)
{
    size_t end = 1;
    while (end < payload.len && payload.ptr[end] != '>' && payload.ptr[end] != ' ') {
        end++;
    }
    for (size_t i = 0; i < gateway->capabilities_count; i++) {
        if (bt_str_eq(gateway->capabilities[i].tag, bt_str_slice(payload, 1, end))) {
            return &gateway->capabilities[i];
        }
    }
    return NULL;
}

static enum bt_status send_call(struct bt_pump_net *net, struct bt_gateway_link *link,
                                struct gateway_link_call *waiting)
{
    const struct bt_pump_message *message =
        bt_pump_core_find_call(&net->pump->core, link->number, waiting->call);
    const struct bt_pump_core_driver *driver = &net->pump->core.driver;
    struct bt_buf body;
    bt_str payload;
    waiting->is_sent = true;
    if (!message) {
        return BT_OK;
    }
    BT_TRY(driver->recall(driver->context, message->number, &net->arena, &payload));
    bt_buf_init(&body, BT_FRAME_BODY_MAX);
    bt_gateway_peer_put_call(&body, gateway_of(net, link)->name, &link->remote,
                             &(struct bt_gateway_call){message, payload});
    const enum bt_status status = body.status;
    if (status == BT_OK) {
        bt_host_frame_put(&link->wire.out, BT_BUS_SEND, waiting->call, bt_buf_str(&body));
    }
    bt_buf_free(&body);
    return status;
}

static void send_calls(struct bt_pump_net *net, struct bt_gateway_link *link)
{
    for (size_t i = 0; i < link->count; i++) {
        if (!link->calls[i].is_sent && send_call(net, link, &link->calls[i]) != BT_OK) {
            close_link(net, link);
            return;
        }
    }
}

/* Answer calls that have waited too long with an error. */
static enum bt_status time_out(struct bt_pump_net *net, struct bt_gateway_link *link)
{
    struct bt_pump_core *core = &net->pump->core;
    for (size_t i = 0; i < link->count; i++) {
        const struct gateway_link_call *waiting = &link->calls[i];
        const bool is_sent = waiting->is_sent && link->state == LINK_UP;
        const uint64_t most = is_sent ? ANSWER_MS : DOWN_MS;
        if (net->now_ms - waiting->since_ms < most) {
            continue;
        }
        struct bt_pump_message *message = bt_pump_core_find_call(core, link->number, waiting->call);
        bt_gateway_links_cancel(net, link->number, waiting->call);
        return message ? bt_pump_core_handle_timeout(core, message,
                                                     is_sent ? BT_STR("{\"seconds\":3600}")
                                                             : BT_STR("{\"seconds\":30}"))
                       : BT_OK;
    }
    return BT_OK;
}

static enum bt_status fail_call(struct bt_pump_net *net, struct bt_gateway_link *link,
                                uint64_t call)
{
    struct bt_pump_core *core = &net->pump->core;
    struct bt_pump_message *message = bt_pump_core_find_call(core, link->number, call);
    bt_gateway_links_cancel(net, link->number, call);
    return message
               ? bt_pump_core_handle_failure(core, message, BT_CODE_PUMP_HANDLER_FAILED, BT_STR(""))
               : BT_OK;
}

/* The first call that waits on a thread, or NULL. */
static struct bt_pump_message *waiting_on(const struct bt_pump_net *net,
                                          const struct bt_gateway_link *link,
                                          const struct bt_pump_thread *thread)
{
    for (size_t i = 0; i < link->count; i++) {
        struct bt_pump_message *message =
            bt_pump_core_find_call(&net->pump->core, link->number, link->calls[i].call);
        if (message && message->thread == thread &&
            message->state == BT_PUMP_MESSAGE_STATE_IN_FLIGHT) {
            return message;
        }
    }
    return NULL;
}

/* What is said on a thread belongs to the call that waits there or, after its first answer, to the
 * last one that was made. */
static enum bt_status find_answered(struct bt_pump_net *net, const struct bt_gateway_link *link,
                                    bt_str thread, struct bt_gateway_reply_target *out)
{
    const struct bt_pump_core *core = &net->pump->core;
    struct bt_pump_thread *known = bt_pump_core_find_thread(core, thread);
    bt_str payload;
    *out = (struct bt_gateway_reply_target){.thread = NULL};
    if (!known || known->listener != link->number || known->request == 0) {
        return BT_OK;
    }
    out->message = waiting_on(net, link, known);
    const uint64_t request = out->message ? out->message->number : known->request;
    const enum bt_status status =
        core->driver.recall(core->driver.context, request, &net->arena, &payload);
    if (status == BT_ENOENT) {
        return BT_OK; /* too old: it was deleted */
    }
    BT_TRY(status);
    out->thread = known;
    out->called = capability_of(gateway_of(net, link), payload);
    return BT_OK;
}

static enum bt_status handle_delivery(struct bt_pump_net *net, struct bt_gateway_link *link,
                                      bt_str body)
{
    struct bt_pump *pump = net->pump;
    struct bt_gateway_reply reply;
    struct bt_gateway_reply_target to;
    BT_TRY(bt_gateway_peer_read(&net->arena, pump->env, body, &reply));
    BT_TRY(find_answered(net, link, reply.thread, &to));
    if (!to.thread || reply.payload.len == 0) {
        return BT_OK;
    }
    if (to.message) {
        bt_gateway_links_cancel(net, link->number, to.message->call);
    }
    if (!reply.is_core && to.called) {
        return bt_gateway_peer_deliver_reply(pump, &net->arena, &to, reply.payload);
    }
    return to.message ? bt_pump_core_handle_failure(&pump->core, to.message,
                                                    BT_CODE_PUMP_HANDLER_FAILED, BT_STR(""))
                      : bt_pump_core_handle_late_failure(&pump->core, to.thread,
                                                         BT_CODE_PUMP_HANDLER_FAILED);
}

/* False: the frame is not permitted now. */
static bool handle_greeting(struct bt_pump_net *net, struct bt_gateway_link *link,
                            const struct bt_host_frame *frame)
{
    if (frame->type == BT_BUS_CHALLENGE && !link->has_sent_hello &&
        frame->body.len == BT_CHALLENGE_BYTES) {
        struct bt_buf hello;
        bt_buf_init(&hello, 4096);
        bt_gateway_peer_put_hello(&hello, &link->remote, frame->body);
        bt_host_frame_put(&link->wire.out, BT_BUS_HELLO, 0, bt_buf_str(&hello));
        const bool is_written = hello.status == BT_OK;
        bt_buf_free(&hello);
        link->has_sent_hello = true;
        return is_written;
    }
    if (frame->type == BT_BUS_WELCOME && link->has_sent_hello) {
        link->state = LINK_UP;
        link->since_ms = net->now_ms;
        return true;
    }
    return false;
}

static bool take_frame(struct bt_pump_net *net, struct bt_gateway_link *link,
                       const struct bt_host_frame *frame)
{
    if (link->state != LINK_UP) {
        /* The server must be the trusted one before it receives anything. Without TLS it is a Unix
         * socket of this machine. */
        return (!link->wire.tls ||
                bt_tls_connection_peer_has_key(link->wire.tls, link->remote.trusted)) &&
               handle_greeting(net, link, frame);
    }
    switch (frame->type) {
    case BT_BUS_ACK:
        return true; /* the answer is delivered */
    case BT_BUS_NAK:
        net->status = fail_call(net, link, frame->id);
        return true;
    case BT_BUS_DELIVER:
        net->status = handle_delivery(net, link, frame->body);
        bt_host_frame_put(&link->wire.out, BT_BUS_TAKEN, frame->id, BT_STR(""));
        return true;
    default:
        return false;
    }
}

static void receive_link(struct bt_pump_net *net, struct bt_gateway_link *link)
{
    bool is_right = true;
    if (link->wire.is_unread) {
        bt_net_connection_read(&link->wire, READ_BYTES);
        net->pump->run.has_work = net->pump->run.has_work || link->wire.is_unread;
    }
    for (size_t i = 0; i < FRAMES_AT_ONCE && is_right && net->status == BT_OK; i++) {
        struct bt_host_frame frame;
        size_t offset = 0;
        const enum bt_host_frame_result found =
            bt_host_frame_read(bt_net_connection_received(&link->wire), &offset, &frame);
        if (found == BT_FRAME_CUT) {
            break;
        }
        is_right = found == BT_FRAME_WHOLE && take_frame(net, link, &frame);
        link->wire.in_done += offset;
        net->pump->run.has_work = true;
    }
    if (!is_right || link->wire.is_broken || link->wire.peer_has_closed) {
        close_link(net, link);
    }
}

void bt_gateway_links_receive(struct bt_pump_net *net)
{
    for (struct bt_gateway_link *at = net->links; at && net->status == BT_OK; at = at->next) {
        if (at->has_wire) {
            receive_link(net, at);
        }
        if (net->status == BT_OK) {
            net->status = time_out(net, at);
        }
    }
}

void bt_gateway_links_send(struct bt_pump_net *net)
{
    for (struct bt_gateway_link *at = net->links; at; at = at->next) {
        const uint64_t since = net->now_ms - at->since_ms;
        if ((at->state == LINK_DOWN && since >= RETRY_MS) || at->state == LINK_SEARCHING) {
            open_link(net, at);
        } else if (at->state == LINK_GREETING && since >= GREETING_MS) {
            close_link(net, at);
        } else if (at->state == LINK_UP) {
            send_calls(net, at);
        }
        if (!at->has_wire) {
            continue;
        }
        bt_net_connection_write(&at->wire);
        if (at->wire.is_broken || at->wire.out.status != BT_OK) {
            close_link(net, at);
        } else {
            const bool is_writing =
                bt_net_connection_unsent(&at->wire) > 0 || at->wire.wants_writing;
            bt_pump_net_rewatch_fd(net, at->wire.fd, &at->post,
                                   EPOLLIN | (is_writing ? EPOLLOUT : 0));
        }
    }
}

enum bt_status bt_gateway_links_open(struct bt_pump_net *net, struct bt_error *error)
{
    const struct bt_organism *organism = net->pump->organism;
    for (size_t i = 0; i < organism->gateways_count; i++) {
        struct bt_gateway_link *link = BT_NEW(&net->arena_owner, struct bt_gateway_link);
        if (!link) {
            return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        }
        link->number = organism->gateways[i].number;
        link->next = net->links;
        net->links = link;
        BT_TRY(bt_gateway_peer_open(&net->arena_owner, net->pump, &organism->gateways[i],
                                    &link->remote, error));
        open_link(net, link);
    }
    return BT_OK;
}

void bt_gateway_links_close(struct bt_pump_net *net)
{
    for (struct bt_gateway_link *at = net->links; at; at = at->next) {
        close_link(net, at);
        bt_gateway_peer_close(&at->remote);
    }
}
