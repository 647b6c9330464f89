/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_channel.c - the table of permitted frames, and the effect of each frame and each deadline.
 */
#include "sandbox/host_channel.h"

#include <assert.h>
#include <string.h>

enum {
    OUT_BYTES_MAX = 16 << 20, /* a call that does not fit waits */
    OUT_BYTES_FULL = 4 << 20, /* no call is begun while so much is unsent */
    IN_BYTES_MAX = BT_FRAME_BYTES_MAX + (1 << 20),
    HELLO_ARENA_BYTES = 4 << 20,
    SCRATCH_BYTES = 1 << 20,
};

#define PERMIT(type) (1U << (type))

/* Which frames a host may send in which state. */
static const unsigned permitted[BT_SESSION__MAX] = {
    [BT_SESSION_START] = PERMIT(BT_HOST_FRAME_HELLO),
    [BT_SESSION_OPEN] =
        PERMIT(BT_HOST_FRAME_RESULT) | PERMIT(BT_HOST_FRAME_FAIL) | PERMIT(BT_HOST_FRAME_BYE),
    [BT_SESSION_LEAVING] = PERMIT(BT_HOST_FRAME_RESULT) | PERMIT(BT_HOST_FRAME_FAIL),
    [BT_SESSION_DRAIN] =
        PERMIT(BT_HOST_FRAME_RESULT) | PERMIT(BT_HOST_FRAME_FAIL) | PERMIT(BT_HOST_FRAME_BYE),
};

void bt_host_channel_init(struct bt_host_channel *session, uint32_t in_flight_max, uint64_t now_ms)
{
    assert(in_flight_max > 0);
    assert(in_flight_max <= BT_IN_FLIGHT_MAX);
    *session = (struct bt_host_channel){
        .state = BT_SESSION_START,
        .due_ms = now_ms + BT_HELLO_MS_MAX,
        .in_flight_max = in_flight_max,
        .calls_due_ms = BT_NEVER,
    };
    bt_buf_init(&session->in, IN_BYTES_MAX);
    bt_buf_init(&session->out, OUT_BYTES_MAX);
    bt_buf_init(&session->metadata, 4096);
    bt_arena_init(&session->hello_arena, HELLO_ARENA_BYTES);
    bt_arena_init(&session->scratch, SCRATCH_BYTES);
}

void bt_host_channel_free(struct bt_host_channel *session)
{
    bt_buf_free(&session->in);
    bt_buf_free(&session->out);
    bt_buf_free(&session->metadata);
    bt_arena_free(&session->hello_arena);
    bt_arena_free(&session->scratch);
    session->state = BT_SESSION_CLOSED;
}

/* The oldest call in flight, the first of a list. */
static struct bt_host_channel_call *first_call(struct bt_host_channel *session)
{
    return session->calls + session->first_call;
}

static struct bt_host_channel_call *find_call(struct bt_host_channel *session, uint64_t id)
{
    struct bt_host_channel_call *calls = first_call(session);
    for (uint32_t i = 0; id <= session->newest_call && i < session->in_flight; i++) {
        if (calls[i].id == id) {
            return &calls[i];
        }
    }
    return NULL;
}

static void add_call(struct bt_host_channel *session, const struct bt_host_channel_request *request)
{
    const uint64_t id = request->id;
    const uint64_t due_ms = request->due_ms;
    if (session->first_call + session->in_flight == 2 * BT_IN_FLIGHT_MAX) {
        memmove(session->calls, first_call(session), session->in_flight * sizeof(*session->calls));
        session->first_call = 0;
    }
    first_call(session)[session->in_flight++] =
        (struct bt_host_channel_call){id, due_ms, request->document, false};
    session->newest_call = id > session->newest_call ? id : session->newest_call;
    session->calls_due_ms = due_ms < session->calls_due_ms ? due_ms : session->calls_due_ms;
}

/* Remove a call from the list. */
static void drop_call(struct bt_host_channel *session, struct bt_host_channel_call *call)
{
    struct bt_host_channel_call *first = first_call(session);
    const size_t index = (size_t)(call - first);
    assert(index < session->in_flight);
    session->cancels -= call->cancelled ? 1 : 0;
    memmove(first + 1, first, index * sizeof(*first));
    session->first_call++;
    session->in_flight--;
}

static void cancel_call(struct bt_host_channel *session, struct bt_host_channel_call *call,
                        uint64_t now_ms)
{
    assert(!call->cancelled);
    call->cancelled = true;
    call->due_ms = now_ms + BT_CANCEL_MS_MAX;
    session->cancels++;
    if (call->due_ms < session->calls_due_ms) {
        session->calls_due_ms = call->due_ms;
    }
    bt_host_frame_put(&session->out, BT_HOST_FRAME_CANCEL, call->id, (bt_str){"", 0});
}

bool bt_host_channel_next_lost_call(struct bt_host_channel *session, uint64_t *out_call)
{
    assert(session->state == BT_SESSION_CLOSED);
    while (session->in_flight > 0) {
        const struct bt_host_channel_call call = *first_call(session);
        drop_call(session, first_call(session));
        if (!call.cancelled) {
            *out_call = call.id;
            return true;
        }
    }
    return false;
}

char *bt_host_channel_input_buffer(struct bt_host_channel *session, size_t size)
{
    if (session->state == BT_SESSION_CLOSED || session->state == BT_SESSION_HELD) {
        return NULL;
    }
    if (session->in_done > 0) {
        session->in.len -= session->in_done;
        memmove(session->in.ptr, session->in.ptr + session->in_done, session->in.len);
        session->in_done = 0;
    }
    if (size > session->in.max - session->in.len) {
        return NULL;
    }
    return bt_buf_reserve(&session->in, size);
}

static bool set_event(struct bt_host_channel_event *out, enum bt_host_channel_event_kind kind,
                      uint64_t call, const char *reason)
{
    *out = (struct bt_host_channel_event){.kind = kind, .call = call, .reason = reason};
    return true;
}

static bool close_with_error(struct bt_host_channel *session, struct bt_host_channel_event *out,
                             const char *reason)
{
    session->state = BT_SESSION_CLOSED;
    return set_event(out, BT_HOST_CHANNEL_EVENT_KIND_BROKE, 0, reason);
}

static bool handle_hello(struct bt_host_channel *session, bt_str body,
                         struct bt_host_channel_event *out)
{
    const char *reason = "no memory for HELLO";
    bt_str kept;
    if (body.len > BT_HELLO_BYTES_MAX) {
        return close_with_error(session, out, "HELLO is too long");
    }
    if (bt_arena_copy(&session->hello_arena, body, &kept) != BT_OK ||
        bt_host_hello_read(&session->hello_arena, kept, &session->hello, &reason) != BT_OK) {
        return close_with_error(session, out, reason);
    }
    const bool fine = session->hello.problem == BT_HELLO_FINE;
    session->state = fine ? BT_SESSION_HELD : BT_SESSION_CLOSED;
    session->due_ms = BT_NEVER;
    set_event(out, fine ? BT_HOST_CHANNEL_EVENT_KIND_HELLO : BT_HOST_CHANNEL_EVENT_KIND_REFUSED, 0,
              "");
    out->hello = &session->hello;
    return true;
}

static bool handle_answer(struct bt_host_channel *session, const struct bt_host_frame *frame,
                          struct bt_host_channel_event *out)
{
    struct bt_host_channel_call *call = find_call(session, frame->id);
    const bool failed = frame->type == BT_HOST_FRAME_FAIL;
    struct bt_host_failure fail = {.kind = BT_FAIL_UNKNOWN};
    if (!call) {
        return close_with_error(session, out, "an answer to a call that is not in flight");
    }
    bt_arena_reset(&session->scratch);
    if (failed && (frame->body.len > BT_FAIL_BYTES_MAX ||
                   bt_error_set_read(&session->scratch, frame->body, &fail) != BT_OK)) {
        return close_with_error(session, out, "a FAIL that is not of its form");
    }
    const struct bt_host_channel_call answered = *call;
    drop_call(session, call);
    if (answered.cancelled) {
        set_event(out,
                  failed ? BT_HOST_CHANNEL_EVENT_KIND_CANCELLED : BT_HOST_CHANNEL_EVENT_KIND_LATE,
                  frame->id, "");
        out->document = answered.document;
        return true;
    }
    set_event(out, failed ? BT_HOST_CHANNEL_EVENT_KIND_FAIL : BT_HOST_CHANNEL_EVENT_KIND_RESULT,
              frame->id, "");
    out->document = answered.document;
    out->fail = fail.kind;
    out->body = failed ? fail.detail : frame->body;
    return true;
}

/* A BYE does not produce an event: the session ends, and reports that when it is done. */
static bool handle_bye(struct bt_host_channel *session, bt_str body, uint64_t now_ms,
                       struct bt_host_channel_event *out)
{
    bt_str reason;
    bt_arena_reset(&session->scratch);
    if (body.len > BT_FAIL_BYTES_MAX ||
        bt_host_bye_read(&session->scratch, body, &reason) != BT_OK) {
        return close_with_error(session, out, "a BYE that is not of its form");
    }
    if (session->state == BT_SESSION_OPEN) {
        session->state = BT_SESSION_LEAVING;
        session->due_ms = now_ms + BT_LEAVE_MS_MAX;
    }
    return false;
}

static bool handle_frame(struct bt_host_channel *session, const struct bt_host_frame *frame,
                         uint64_t now_ms, struct bt_host_channel_event *out)
{
    if (frame->type >= BT_HOST_FRAME__MAX || !(permitted[session->state] & PERMIT(frame->type))) {
        return close_with_error(session, out, "a frame that is not permitted now");
    }
    if (frame->type == BT_HOST_FRAME_RESULT || frame->type == BT_HOST_FRAME_FAIL) {
        return handle_answer(session, frame, out);
    }
    if (frame->id != 0) {
        return close_with_error(session, out, "a call id where none is due");
    }
    return frame->type == BT_HOST_FRAME_HELLO ? handle_hello(session, frame->body, out)
                                              : handle_bye(session, frame->body, now_ms, out);
}

/* True when one side has sent BYE. */
static bool is_ending(const struct bt_host_channel *session)
{
    return session->state == BT_SESSION_LEAVING || session->state == BT_SESSION_DRAIN;
}

/* The last answer after a BYE ends the conversation; later bytes are ignored. */
static bool is_over(const struct bt_host_channel *session)
{
    return is_ending(session) && session->in_flight == 0;
}

static bool can_receive(const struct bt_host_channel *session)
{
    return session->state != BT_SESSION_CLOSED && session->state != BT_SESSION_HELD &&
           !is_over(session);
}

/* The next frame that makes an event. */
static bool next_frame(struct bt_host_channel *session, uint64_t now_ms,
                       struct bt_host_channel_event *out)
{
    while (can_receive(session)) {
        struct bt_host_frame frame;
        switch (bt_host_frame_read(bt_buf_str(&session->in), &session->in_done, &frame)) {
        case BT_FRAME_BROKEN:
            return close_with_error(session, out, "a length out of range");
        case BT_FRAME_CUT:
            return false;
        case BT_FRAME_WHOLE:
            break;
        }
        if (handle_frame(session, &frame, now_ms, out)) {
            return true;
        }
    }
    return false;
}

/* The next call whose time is up, or NULL, and then calls_due_ms is exact. */
static bool next_late_call(struct bt_host_channel *session, uint64_t now_ms,
                           struct bt_host_channel_event *out)
{
    if (now_ms < session->calls_due_ms) {
        return false;
    }
    uint64_t soonest = BT_NEVER;
    for (uint32_t i = 0; i < session->in_flight; i++) {
        struct bt_host_channel_call *call = first_call(session) + i;
        if (now_ms >= call->due_ms && call->cancelled) {
            session->state = BT_SESSION_CLOSED;
            return set_event(out, BT_HOST_CHANNEL_EVENT_KIND_STUCK, call->id,
                             "no answer to a CANCEL");
        }
        if (now_ms >= call->due_ms) {
            cancel_call(session, call, now_ms);
            return set_event(out, BT_HOST_CHANNEL_EVENT_KIND_TIMEOUT, call->id, "");
        }
        soonest = call->due_ms < soonest ? call->due_ms : soonest;
    }
    session->calls_due_ms = soonest;
    return false;
}

static bool next_deadline(struct bt_host_channel *session, uint64_t now_ms,
                          struct bt_host_channel_event *out)
{
    if (session->state == BT_SESSION_CLOSED) {
        return false;
    }
    if (session->state == BT_SESSION_START && now_ms >= session->due_ms) {
        return close_with_error(session, out, "no HELLO in 10 s");
    }
    if (is_over(session) || (is_ending(session) && now_ms >= session->due_ms)) {
        session->state = BT_SESSION_CLOSED;
        return set_event(out, BT_HOST_CHANNEL_EVENT_KIND_DONE, 0,
                         session->in_flight == 0 ? "" : "calls are unanswered");
    }
    return next_late_call(session, now_ms, out);
}

bool bt_host_channel_next(struct bt_host_channel *session, uint64_t now_ms,
                          struct bt_host_channel_event *out)
{
    return next_frame(session, now_ms, out) || next_deadline(session, now_ms, out);
}

uint64_t bt_host_channel_due(const struct bt_host_channel *session)
{
    if (session->state == BT_SESSION_CLOSED) {
        return BT_NEVER;
    }
    return session->due_ms < session->calls_due_ms ? session->due_ms : session->calls_due_ms;
}

void bt_host_channel_close(struct bt_host_channel *session)
{
    session->state = BT_SESSION_CLOSED;
}

void bt_host_channel_send_ready(struct bt_host_channel *session, bt_str ready_json)
{
    assert(session->state == BT_SESSION_HELD);
    bt_host_frame_put(&session->out, BT_HOST_FRAME_READY, 0, ready_json);
    session->state = BT_SESSION_OPEN;
}

uint32_t bt_host_channel_free_slots(const struct bt_host_channel *session)
{
    const bool full = session->out.len - session->out_done > OUT_BYTES_FULL;
    if (session->state != BT_SESSION_OPEN || session->cancels > 0 || full) {
        return 0;
    }
    return session->in_flight_max - session->in_flight;
}

static void put_metadata(struct bt_buf *words, const struct bt_host_channel_request *request)
{
    bt_buf_clear(words);
    bt_buf_put(words, BT_STR("{\"thread_id\":"));
    bt_json_put_string(words, request->thread_id);
    if (request->own_name.len > 0) {
        bt_buf_put(words, BT_STR(",\"own_name\":"));
        bt_json_put_string(words, request->own_name);
    }
    bt_buf_put_char(words, '}');
}

enum bt_status bt_host_channel_call(struct bt_host_channel *session,
                                    const struct bt_host_channel_request *request)
{
    if (bt_host_channel_free_slots(session) == 0) {
        return BT_ELIMIT;
    }
    assert(!find_call(session, request->id));
    struct bt_buf *out = &session->out;
    const size_t before = out->len;
    put_metadata(&session->metadata, request);
    BT_TRY(session->metadata.status);
    const bt_str metadata = bt_buf_str(&session->metadata);
    if (request->payload.len > BT_FRAME_BODY_MAX - 4 - metadata.len) {
        return BT_EINVAL;
    }
    bt_host_frame_put_head(out, BT_HOST_FRAME_CALL, request->id,
                           4 + metadata.len + request->payload.len);
    bt_host_frame_put_u32(out, (uint32_t)metadata.len);
    bt_buf_put(out, metadata);
    bt_buf_put(out, request->payload);
    if (out->status != BT_OK) {
        const enum bt_status status = out->status;
        out->len = before;
        out->status = BT_OK;
        return status;
    }
    add_call(session, request);
    return BT_OK;
}

bool bt_host_channel_cancel(struct bt_host_channel *session, uint64_t id, uint64_t now_ms)
{
    struct bt_host_channel_call *call =
        session->state == BT_SESSION_CLOSED ? NULL : find_call(session, id);
    if (!call || call->cancelled) {
        return false;
    }
    cancel_call(session, call, now_ms);
    return true;
}

void bt_host_channel_send_bye(struct bt_host_channel *session, uint64_t now_ms)
{
    assert(session->state == BT_SESSION_OPEN || session->state == BT_SESSION_HELD);
    bt_host_frame_put(&session->out, BT_HOST_FRAME_BYE, 0, (bt_str){"", 0});
    session->state = BT_SESSION_DRAIN;
    session->due_ms = now_ms + BT_LEAVE_MS_MAX;
}

bt_str bt_host_channel_pending(const struct bt_host_channel *session)
{
    return bt_str_slice(bt_buf_str(&session->out), session->out_done, session->out.len);
}

void bt_host_channel_sent(struct bt_host_channel *session, size_t bytes)
{
    session->out_done += bytes;
    assert(session->out_done <= session->out.len);
    if (session->out_done == session->out.len) {
        bt_buf_clear(&session->out);
        session->out_done = 0;
    } else if (session->out_done > session->out.len / 2 && session->out_done > 65536) {
        session->out.len -= session->out_done;
        memmove(session->out.ptr, session->out.ptr + session->out_done, session->out.len);
        session->out_done = 0;
    }
}
