/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler_serve.c - the host's side of the protocol for handlers in C.
 *
 * One thread reads frames and dispatches calls; results may come from any thread. Results that are
 * given while calls are dispatched are sent together, so a batch costs one read and one write.
 */
#define _GNU_SOURCE
#include <baton/handler.h>

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/error.h"
#include "json/emit.h"
#include "sandbox/host_channel.h"
#include "sandbox/plain.h"

enum {
    READ_BYTES = 65536,
    OUT_BYTES_MAX = 64 << 20,
    ARENA_BYTES_MAX = 64 << 20,
    SLOTS = BT_IN_FLIGHT_MAX,
    TICKETS = 65536,
};

/* A call in flight. */
struct sandbox_handler_serve_slot {
    baton_call call;
    struct bt_buf memory; /* of thread_id, own_name and payload, each with a NUL byte */
};

/* What a token points to. Tickets are used in a circle, so that an answer that comes twice meets a
 * ticket without a slot, and not the next call. */
struct handler_serve_token {
    struct sandbox_handler_serve_c_host *host;
    struct sandbox_handler_serve_slot *slot; /* NULL: answered */
};

struct sandbox_handler_serve_c_host {
    const struct bt_handler *handler;
    void *state;
    struct bt_handler_channel channel;
    struct bt_error *error;
    pthread_t reader;
    pthread_mutex_t lock; /* for everything below that not only the reader uses */
    struct sandbox_handler_serve_slot slots[SLOTS];
    struct sandbox_handler_serve_slot *unused[SLOTS]; /* a stack of free slots */
    size_t unused_count;
    struct handler_serve_token tickets[TICKETS];
    size_t next_ticket;
    struct bt_buf out;
    bool broken; /* the channel cannot be written to */

    struct bt_buf in; /* the reader's */
    size_t in_done;
    struct bt_arena scratch;
    bool ready;
};

/* Write everything. The lock is held. */
static void flush_output(struct sandbox_handler_serve_c_host *host)
{
    const bt_str text = bt_buf_str(&host->out);
    size_t done = 0;
    while (done < text.len && !host->broken) {
        const ssize_t size = write(host->channel.out_fd, text.ptr + done, text.len - done);
        host->broken = size < 0 && errno != EINTR;
        done += size > 0 ? (size_t)size : 0;
    }
    host->broken = host->broken || host->out.status != BT_OK;
    bt_buf_clear(&host->out);
}

static void put_fail(struct bt_buf *out, uint64_t id, const char *kind, bt_str detail)
{
    struct bt_buf body;
    struct bt_buf plain;
    struct bt_emit emit;
    bt_buf_init(&body, BT_FAIL_BYTES_MAX);
    bt_buf_init(&plain, BT_PLAIN_BYTES_MAX);
    bt_plain_put(&plain, detail);
    bt_emit_init(&emit, &body, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "kind", bt_str_of(kind));
    bt_emit_member_string(&emit, "detail", bt_buf_str(&plain));
    bt_emit_end(&emit);
    bt_host_frame_put(out, BT_HOST_FRAME_FAIL, id, bt_buf_str(&body));
    out->status = out->status == BT_OK ? body.status : out->status;
    bt_buf_free(&plain);
    bt_buf_free(&body);
}

static void put_answer(struct sandbox_handler_serve_c_host *host, uint64_t id, int failed,
                       bt_str bytes)
{
    if (failed) {
        put_fail(&host->out, id, "exception", bytes);
    } else if (!bytes.ptr) {
        put_fail(&host->out, id, "none", BT_STR("the handler has no answer"));
    } else {
        /* A result that does not fit a frame exceeds every limit; the pump refuses the rest. */
        bt_host_frame_put(&host->out, BT_HOST_FRAME_RESULT, id,
                          bt_str_slice(bytes, 0, BT_FRAME_BODY_MAX));
    }
}

static void take_answer(void *token, int failed, const void *bytes, size_t len)
{
    struct handler_serve_token *ticket = token;
    struct sandbox_handler_serve_c_host *host = ticket->host;
    (void)pthread_mutex_lock(&host->lock);
    struct sandbox_handler_serve_slot *slot = ticket->slot;
    assert(slot && "a call is answered once");
    ticket->slot = NULL;
    put_answer(host, slot->call.call_id, failed, (bt_str){bytes, bytes ? len : 0});
    host->unused[host->unused_count++] = slot;
    if (!pthread_equal(pthread_self(), host->reader)) {
        flush_output(host); /* the reader may be waiting for the pump */
    }
    (void)pthread_mutex_unlock(&host->lock);
}

/* Two texts and a payload, one after the other, each with its NUL byte. */
static enum bt_status fill_slot(struct sandbox_handler_serve_slot *slot,
                                const struct bt_host_frame *frame, size_t payload_at,
                                bt_str thread_id, bt_str own_name)
{
    const bt_str payload = bt_str_slice(frame->body, payload_at, frame->body.len);
    struct bt_buf *memory = &slot->memory;
    bt_buf_clear(memory);
    if (!bt_buf_reserve(memory, thread_id.len + own_name.len + payload.len + 3)) {
        return memory->status;
    }
    bt_buf_put(memory, thread_id);
    bt_buf_put_char(memory, '\0');
    bt_buf_put(memory, own_name);
    bt_buf_put_char(memory, '\0');
    bt_buf_put(memory, payload);
    bt_buf_put_char(memory, '\0');
    slot->call = (baton_call){
        .thread_id = memory->ptr,
        .own_name = own_name.len > 0 ? memory->ptr + thread_id.len + 1 : NULL,
        .payload = memory->ptr + thread_id.len + own_name.len + 2,
        .payload_len = payload.len,
        .call_id = frame->id,
    };
    return memory->status;
}

/* A free slot and a ticket for it; NULL: the pump makes too many calls. */
static struct handler_serve_token *take_ticket(struct sandbox_handler_serve_c_host *host)
{
    (void)pthread_mutex_lock(&host->lock);
    struct handler_serve_token *ticket = NULL;
    if (host->unused_count > 0) {
        do { /* at most SLOTS tickets are in use */
            ticket = &host->tickets[host->next_ticket];
            host->next_ticket = (host->next_ticket + 1) % TICKETS;
        } while (ticket->slot);
        ticket->slot = host->unused[--host->unused_count];
    }
    (void)pthread_mutex_unlock(&host->lock);
    return ticket;
}

/* The metadata of a call. A handler that is not an agent gets only one form. */
static enum bt_status read_metadata(struct sandbox_handler_serve_c_host *host, bt_str metadata,
                                    bt_str *out_thread, bt_str *out_name)
{
    static const bt_str head = BT_STR_INIT("{\"thread_id\":\"");
    struct bt_json_read_result read = {0};
    *out_name = (bt_str){"", 0};
    if (metadata.len == head.len + 38 && bt_str_starts_with(metadata, head)) {
        *out_thread = bt_str_slice(metadata, head.len, head.len + 36);
        return BT_OK;
    }
    bt_arena_reset(&host->scratch);
    /* from: handler */
    BT_TRY(bt_json_read(&host->scratch, metadata, NULL, &read));
    const bt_json_value *root = read.document ? bt_json_root(read.document) : NULL;
    const bt_json_value *thread = bt_json_get(read.document, root, BT_STR("thread_id"));
    const bt_json_value *name = bt_json_get(read.document, root, BT_STR("own_name"));
    if (!thread) {
        return BT_ECORRUPT;
    }
    *out_thread = bt_json_text(thread);
    *out_name = name ? bt_json_text(name) : *out_name;
    return BT_OK;
}

static enum bt_status handle_call(struct sandbox_handler_serve_c_host *host,
                                  const struct bt_host_frame *frame)
{
    const unsigned char *size = (const unsigned char *)frame->body.ptr;
    const size_t bytes = frame->body.len < 4 ? SIZE_MAX
                                             : (size_t)size[0] << 24 | (size_t)size[1] << 16 |
                                                   (size_t)size[2] << 8 | size[3];
    if (!host->ready || bytes > frame->body.len - 4) {
        return BT_ECORRUPT;
    }
    bt_str thread_id;
    bt_str own_name;
    BT_TRY(read_metadata(host, bt_str_slice(frame->body, 4, 4 + bytes), &thread_id, &own_name));
    struct handler_serve_token *ticket = take_ticket(host);
    if (!ticket) {
        return BT_ECORRUPT;
    }
    BT_TRY(fill_slot(ticket->slot, frame, 4 + bytes, thread_id, own_name));
    host->handler->call(host->state, &ticket->slot->call, take_answer, ticket);
    return BT_OK;
}

static enum bt_status handle_ready(struct sandbox_handler_serve_c_host *host, bt_str body)
{
    bt_str text;
    if (host->ready) {
        return BT_ECORRUPT;
    }
    BT_TRY(bt_arena_copy(&host->scratch, body, &text));
    host->ready = true;
    if (host->handler->init(BATON_HANDLER_ABI, text.ptr, &host->state) != 0) {
        return bt_error_set(host->error, BT_EINVAL, "baton_handler_init() did not return 0");
    }
    return BT_OK;
}

static enum bt_status handle_frame(struct sandbox_handler_serve_c_host *host,
                                   const struct bt_host_frame *frame)
{
    switch (frame->type) {
    case BT_HOST_FRAME_READY:
        return handle_ready(host, frame->body);
    case BT_HOST_FRAME_CALL:
        return handle_call(host, frame);
    case BT_HOST_FRAME_CANCEL:
        if (host->handler->cancel) {
            host->handler->cancel(host->state, frame->id);
        }
        return BT_OK;
    case BT_HOST_FRAME_BYE: /* the pump closes the channel when everything is answered */
        return BT_OK;
    default:
        return BT_ECORRUPT;
    }
}

static enum bt_status handle_frames(struct sandbox_handler_serve_c_host *host)
{
    for (;;) { /* each round handles one frame */
        struct bt_host_frame frame;
        switch (bt_host_frame_read(bt_buf_str(&host->in), &host->in_done, &frame)) {
        case BT_FRAME_BROKEN:
            return BT_ECORRUPT;
        case BT_FRAME_CUT:
            return BT_OK;
        case BT_FRAME_WHOLE:
            BT_TRY(handle_frame(host, &frame));
            break;
        }
    }
}

/* Read what is available; *out_end: the pump closed the channel. */
static enum bt_status read_more(struct sandbox_handler_serve_c_host *host, bool *out_end)
{
    host->in.len -= host->in_done;
    if (host->in_done > 0 && host->in.len > 0) {
        memmove(host->in.ptr, host->in.ptr + host->in_done, host->in.len);
    }
    host->in_done = 0;
    char *room = bt_buf_reserve(&host->in, READ_BYTES);
    if (!room) {
        return host->in.status;
    }
    const ssize_t size = read(host->channel.in_fd, room, READ_BYTES);
    if (size < 0 && errno != EINTR) {
        return bt_error_errno(host->error, "cannot read", NULL);
    }
    host->in.len += size > 0 ? (size_t)size : 0;
    *out_end = size == 0;
    return BT_OK;
}

static enum bt_status serve_pump(struct sandbox_handler_serve_c_host *host)
{
    bt_host_frame_put(&host->out, BT_HOST_FRAME_HELLO, 0,
                      BT_STR("{\"protocol\":1,\"host\":\"baton-c 1\",\"ok\":true}"));
    for (bool end = false; !end && !host->broken;) {
        (void)pthread_mutex_lock(&host->lock);
        flush_output(host);
        (void)pthread_mutex_unlock(&host->lock);
        BT_TRY(read_more(host, &end));
        const enum bt_status status = handle_frames(host);
        if (status == BT_ECORRUPT) {
            return bt_error_set(host->error, status, "the pump broke the protocol");
        }
        BT_TRY(status);
    }
    return BT_OK;
}

static void open_host(struct sandbox_handler_serve_c_host *host, const struct bt_handler *handler,
                      const struct bt_handler_channel *channel, struct bt_error *error)
{
    host->handler = handler;
    host->channel = *channel;
    host->error = error;
    host->reader = pthread_self();
    bt_buf_init(&host->in, BT_FRAME_BYTES_MAX + READ_BYTES);
    bt_buf_init(&host->out, OUT_BYTES_MAX);
    bt_arena_init(&host->scratch, ARENA_BYTES_MAX);
    for (size_t i = 0; i < SLOTS; i++) {
        bt_buf_init(&host->slots[i].memory, BT_FRAME_BYTES_MAX + 16);
        host->unused[host->unused_count++] = &host->slots[SLOTS - 1 - i];
    }
    for (size_t i = 0; i < TICKETS; i++) {
        host->tickets[i].host = host;
    }
}

/* False: calls are unanswered, so threads of the handler may still use this memory. */
static bool close_host(struct sandbox_handler_serve_c_host *host)
{
    (void)pthread_mutex_lock(&host->lock);
    const bool idle = host->unused_count == SLOTS;
    (void)pthread_mutex_unlock(&host->lock);
    if (!idle) {
        return false;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        bt_buf_free(&host->slots[i].memory);
    }
    bt_buf_free(&host->in);
    bt_buf_free(&host->out);
    bt_arena_free(&host->scratch);
    (void)pthread_mutex_destroy(&host->lock);
    return true;
}

enum bt_status bt_handler_serve(const struct bt_handler *handler,
                                const struct bt_handler_channel *channel, struct bt_error *error)
{
    struct bt_arena arena;
    bt_arena_init(&arena, ARENA_BYTES_MAX);
    struct sandbox_handler_serve_c_host *host = BT_NEW(&arena, struct sandbox_handler_serve_c_host);
    if (!host || pthread_mutex_init(&host->lock, NULL) != 0) {
        bt_arena_free(&arena);
        return bt_error_set(error, BT_ENOMEM, "no memory for a host");
    }
    open_host(host, handler, channel, error);
    const enum bt_status status = serve_pump(host);
    if (close_host(host)) {
        bt_arena_free(&arena);
    }
    return status;
}
