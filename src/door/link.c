/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.c - a link to another pump. Calls wait here until the other pump has acknowledged and
 * answered them; after a break they are sent again under the same id, which makes that harmless.
 */
#define _GNU_SOURCE /* struct addrinfo */
#include "door/link.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include <baton/file.h>

#include "door/address.h"
#include "door/door.h"
#include "door/remote.h"
#include "door/tls.h"
#include "door/wire.h"
#include "sandbox/frame.h"

enum {
    CALLS_MAX = 64,
    DOWN_MS = 30000,     /* that a call waits for the link */
    ANSWER_MS = 3600000, /* that it waits for an answer */
    RETRY_MS = 1000,
    GREETING_MS = 10000,
    FRAMES_AT_ONCE = 64,
    READ_BYTES = 65536,
    OUT_BYTES_MAX = 256 << 20,
};

enum link_state { LINK_DOWN = 0, LINK_SEARCHING, LINK_GREETING, LINK_UP };

/* A call that the other pump has not answered. */
struct waiting_call {
    uint64_t call;
    uint64_t since_ms;
    bool is_sent; /* over this connection */
};

struct bt_link {
    struct bt_post post;
    uint32_t number; /* of the gateway */
    struct bt_link *next;
    enum link_state state;
    bool has_wire;
    struct bt_wire wire;
    bool is_said_hello;
    uint64_t since_ms; /* of the state */
    struct bt_remote remote;
    struct waiting_call calls[CALLS_MAX];
    size_t count;
};

static const struct bt_gateway *gateway_of(const struct bt_door *door, const struct bt_link *link)
{
    return door->pump->slots[link->number].gateway;
}

static struct bt_link *link_of(const struct bt_door *door, uint32_t number)
{
    struct bt_link *at = door->links;
    while (at && at->number != number) {
        at = at->next;
    }
    return at;
}

/* ---- Up and down ----------------------------------------------------------------------------- */

static void fall(struct bt_door *door, struct bt_link *link)
{
    if (link->has_wire) {
        bt_door_unwatch(door, link->wire.fd);
        bt_wire_free(&link->wire);
    }
    link->has_wire = false;
    link->state = LINK_DOWN;
    link->since_ms = door->now_ms;
    for (size_t i = 0; i < link->count; i++) {
        link->calls[i].is_sent = false;
    }
}

static void link_ready(struct bt_door *door, struct bt_post *post, uint32_t events)
{
    struct bt_link *link = (struct bt_link *)post;
    (void)door;
    (void)events;
    link->wire.is_unread = true;
}

static void rise(struct bt_door *door, struct bt_link *link)
{
    int fd = -1;
    if (link->state == LINK_DOWN) {
        link->state = LINK_SEARCHING;
        link->since_ms = door->now_ms;
    }
    if (bt_remote_connect(&link->remote, &fd) != BT_OK) {
        fall(door, link); /* the next time, then */
        return;
    }
    if (fd < 0) {
        return; /* its name is being looked up */
    }
    link->since_ms = door->now_ms;
    bt_wire_init(&link->wire, fd, BT_FRAME_BYTES_MAX, OUT_BYTES_MAX);
    link->has_wire = true;
    link->is_said_hello = false;
    link->state = LINK_GREETING;
    link->post.ready = link_ready;
    if ((link->remote.tls && !bt_tls_connect(link->remote.tls, &link->wire)) ||
        !bt_door_watch(door, fd, &link->post, EPOLLIN | EPOLLOUT)) {
        fall(door, link);
    }
}

/* ---- Calls ----------------------------------------------------------------------------------- */

bool bt_links_is_open(const struct bt_door *door, uint32_t number)
{
    const struct bt_link *link = link_of(door, number);
    return link && link->count < CALLS_MAX;
}

enum bt_status bt_links_call(struct bt_door *door, const struct bt_pump_message *message)
{
    struct bt_link *link = link_of(door, message->thread->listener);
    assert(link); /* it was open a moment ago */
    link->calls[link->count++] =
        (struct waiting_call){.call = message->call, .since_ms = door->now_ms};
    return BT_OK;
}

void bt_links_cancel(struct bt_door *door, uint32_t number, uint64_t call)
{
    struct bt_link *link = link_of(door, number);
    for (size_t i = 0; link && i < link->count; i++) {
        if (link->calls[i].call == call) {
            memmove(&link->calls[i], &link->calls[i + 1],
                    (--link->count - i) * sizeof(link->calls[0]));
            return;
        }
    }
}

/* The capability that a canonical payload is for; NULL: the gateway has none such. */
static const struct bt_capability *capability_of(const struct bt_gateway *gateway, bt_str payload)
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

static enum bt_status send_call(struct bt_door *door, struct bt_link *link,
                                struct waiting_call *waiting)
{
    const struct bt_pump_message *message =
        bt_core_call(&door->pump->core, link->number, waiting->call);
    const struct bt_core_driver *driver = &door->pump->core.driver;
    struct bt_buf body;
    bt_str payload;
    waiting->is_sent = true;
    if (!message) {
        return BT_OK;
    }
    BT_TRY(driver->recall(driver->context, message->number, &door->arena, &payload));
    bt_buf_init(&body, BT_FRAME_BODY_MAX);
    bt_remote_put_call(&body, gateway_of(door, link)->name, &link->remote,
                       &(struct bt_remote_call){message, payload});
    const enum bt_status status = body.status;
    if (status == BT_OK) {
        bt_frame_put(&link->wire.out, BT_BUS_SEND, waiting->call, bt_buf_str(&body));
    }
    bt_buf_free(&body);
    return status;
}

static void send_calls(struct bt_door *door, struct bt_link *link)
{
    for (size_t i = 0; i < link->count; i++) {
        if (!link->calls[i].is_sent && send_call(door, link, &link->calls[i]) != BT_OK) {
            fall(door, link);
            return;
        }
    }
}

/* Whoever waited too long is told so. */
static enum bt_status time_out(struct bt_door *door, struct bt_link *link)
{
    struct bt_core *core = &door->pump->core;
    for (size_t i = 0; i < link->count; i++) {
        const struct waiting_call *waiting = &link->calls[i];
        const bool is_sent = waiting->is_sent && link->state == LINK_UP;
        const uint64_t most = is_sent ? ANSWER_MS : DOWN_MS;
        if (door->now_ms - waiting->since_ms < most) {
            continue;
        }
        struct bt_pump_message *message = bt_core_call(core, link->number, waiting->call);
        bt_links_cancel(door, link->number, waiting->call);
        return message ? bt_core_timeout(core, message,
                                         is_sent ? BT_STR("{\"seconds\":3600}")
                                                 : BT_STR("{\"seconds\":30}"))
                       : BT_OK;
    }
    return BT_OK;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static enum bt_status refused(struct bt_door *door, struct bt_link *link, uint64_t call)
{
    struct bt_core *core = &door->pump->core;
    struct bt_pump_message *message = bt_core_call(core, link->number, call);
    bt_links_cancel(door, link->number, call);
    return message ? bt_core_fail(core, message, "PUMP_HANDLER_FAILED", BT_STR("")) : BT_OK;
}

/* The first call that waits on a thread; NULL: none does. */
static struct bt_pump_message *waiting_on(const struct bt_door *door, const struct bt_link *link,
                                          const struct bt_thread *thread)
{
    for (size_t i = 0; i < link->count; i++) {
        struct bt_pump_message *message =
            bt_core_call(&door->pump->core, link->number, link->calls[i].call);
        if (message && message->thread == thread && message->state == BT_MESSAGE_IN_FLIGHT) {
            return message;
        }
    }
    return NULL;
}

/* What is said on a thread belongs to the call that waits there or, after its first answer, to the
 * last one that was made. */
static enum bt_status find_answered(struct bt_door *door, const struct bt_link *link, bt_str thread,
                                    struct bt_remote_answered *out)
{
    const struct bt_core *core = &door->pump->core;
    struct bt_thread *known = bt_core_thread(core, thread);
    bt_str payload;
    *out = (struct bt_remote_answered){.thread = NULL};
    if (!known || known->listener != link->number || known->request == 0) {
        return BT_OK;
    }
    out->message = waiting_on(door, link, known);
    const uint64_t asked = out->message ? out->message->number : known->request;
    const enum bt_status status =
        core->driver.recall(core->driver.context, asked, &door->arena, &payload);
    if (status == BT_ENOENT) {
        return BT_OK; /* so long ago that it is forgotten */
    }
    BT_TRY(status);
    out->thread = known;
    out->called = capability_of(gateway_of(door, link), payload);
    return BT_OK;
}

static enum bt_status delivered(struct bt_door *door, struct bt_link *link, bt_str body)
{
    struct bt_pump *pump = door->pump;
    struct bt_remote_reply reply;
    struct bt_remote_answered to;
    BT_TRY(bt_remote_read(&door->arena, pump->env, body, &reply));
    BT_TRY(find_answered(door, link, reply.thread, &to));
    if (!to.thread || reply.payload.len == 0) {
        return BT_OK;
    }
    if (to.message) {
        bt_links_cancel(door, link->number, to.message->call);
    }
    if (!reply.is_core && to.called) {
        return bt_remote_answer(pump, &door->arena, &to, reply.payload);
    }
    return to.message ? bt_core_fail(&pump->core, to.message, "PUMP_HANDLER_FAILED", BT_STR(""))
                      : bt_core_fail_again(&pump->core, to.thread, "PUMP_HANDLER_FAILED");
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* False: it is out of place. */
static bool greet(struct bt_door *door, struct bt_link *link, const struct bt_frame *frame)
{
    if (frame->type == BT_BUS_CHALLENGE && !link->is_said_hello &&
        frame->body.len == BT_CHALLENGE_BYTES) {
        struct bt_buf hello;
        bt_buf_init(&hello, 4096);
        bt_remote_put_hello(&hello, &link->remote, frame->body);
        bt_frame_put(&link->wire.out, BT_BUS_HELLO, 0, bt_buf_str(&hello));
        const bool is_said = hello.status == BT_OK;
        bt_buf_free(&hello);
        link->is_said_hello = true;
        return is_said;
    }
    if (frame->type == BT_BUS_WELCOME && link->is_said_hello) {
        link->state = LINK_UP;
        link->since_ms = door->now_ms;
        return true;
    }
    return false;
}

static bool take_frame(struct bt_door *door, struct bt_link *link, const struct bt_frame *frame)
{
    if (link->state != LINK_UP) {
        /* Whoever answers must be the one that is trusted, before he learns anything. */
        return bt_tls_is_peer(&link->wire, link->remote.trusted) && greet(door, link, frame);
    }
    switch (frame->type) {
    case BT_BUS_ACK:
        return true; /* the answer is delivered */
    case BT_BUS_NAK:
        door->status = refused(door, link, frame->id);
        return true;
    case BT_BUS_DELIVER:
        door->status = delivered(door, link, frame->body);
        bt_frame_put(&link->wire.out, BT_BUS_TAKEN, frame->id, BT_STR(""));
        return true;
    default:
        return false;
    }
}

static void hear(struct bt_door *door, struct bt_link *link)
{
    bool is_right = true;
    if (link->wire.is_unread) {
        bt_wire_read(&link->wire, READ_BYTES);
        door->pump->is_hurried = door->pump->is_hurried || link->wire.is_unread;
    }
    for (size_t i = 0; i < FRAMES_AT_ONCE && is_right && door->status == BT_OK; i++) {
        struct bt_frame frame;
        size_t offset = 0;
        const enum bt_frame_found found =
            bt_frame_read(bt_wire_heard(&link->wire), &offset, &frame);
        if (found == BT_FRAME_CUT) {
            break;
        }
        is_right = found == BT_FRAME_WHOLE && take_frame(door, link, &frame);
        link->wire.in_done += offset;
        door->pump->is_hurried = true;
    }
    if (!is_right || link->wire.is_broken || link->wire.is_ended) {
        fall(door, link);
    }
}

void bt_links_hear(struct bt_door *door)
{
    for (struct bt_link *at = door->links; at && door->status == BT_OK; at = at->next) {
        if (at->has_wire) {
            hear(door, at);
        }
        if (door->status == BT_OK) {
            door->status = time_out(door, at);
        }
    }
}

void bt_links_speak(struct bt_door *door)
{
    for (struct bt_link *at = door->links; at; at = at->next) {
        const uint64_t since = door->now_ms - at->since_ms;
        if ((at->state == LINK_DOWN && since >= RETRY_MS) || at->state == LINK_SEARCHING) {
            rise(door, at);
        } else if (at->state == LINK_GREETING && since >= GREETING_MS) {
            fall(door, at);
        } else if (at->state == LINK_UP) {
            send_calls(door, at);
        }
        if (!at->has_wire) {
            continue;
        }
        bt_wire_write(&at->wire);
        if (at->wire.is_broken || at->wire.out.status != BT_OK) {
            fall(door, at);
        } else {
            const bool is_writing = bt_wire_unsaid(&at->wire) > 0 || at->wire.wants_writing;
            bt_door_rewatch(door, at->wire.fd, &at->post, EPOLLIN | (is_writing ? EPOLLOUT : 0));
        }
    }
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

enum bt_status bt_links_begin(struct bt_door *door, struct bt_error *error)
{
    const struct bt_organism *organism = door->pump->organism;
    for (size_t i = 0; i < organism->gateways_count; i++) {
        struct bt_link *link = BT_NEW(&door->memory, struct bt_link);
        if (!link) {
            return bt_fail(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
        }
        link->number = organism->gateways[i].number;
        link->next = door->links;
        door->links = link;
        BT_TRY(bt_remote_open(&door->memory, door->pump, &organism->gateways[i], &link->remote,
                              error));
        rise(door, link);
    }
    return BT_OK;
}

void bt_links_end(struct bt_door *door)
{
    for (struct bt_link *at = door->links; at; at = at->next) {
        fall(door, at);
        bt_remote_close(&at->remote);
    }
}
