/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_session.c - any bytes at all, said by a host in a conversation with calls in flight.
 *
 * Promises: what happens does not depend on how the bytes are cut into pieces; a call is answered
 * or lost, once, and none that was not made; a conversation that is closed says nothing more.
 */
#include "fuzz.h"

#include "sandbox/host_channel.h"

enum { CALLS = 4, EVENTS_MAX = 64 };

struct heard {
    enum bt_host_channel_event_kind said[EVENTS_MAX];
    uint64_t call[EVENTS_MAX];
    size_t bytes[EVENTS_MAX];
    size_t count;
};

static void take_all(struct bt_host_channel *session, struct heard *heard)
{
    struct bt_host_channel_event event;
    while (bt_host_channel_next(session, 1000, &event)) {
        PROMISE(heard->count < EVENTS_MAX);
        PROMISE(event.reason);
        heard->said[heard->count] = event.kind;
        heard->call[heard->count] = event.call;
        heard->bytes[heard->count++] = event.body.len;
        if (event.kind == BT_HOST_CHANNEL_EVENT_KIND_HELLO) {
            bt_host_channel_send_ready(session, BT_STR("{}"));
            for (uint64_t id = 1; id <= CALLS; id++) {
                const struct bt_host_channel_request request = {
                    .id = id, .thread_id = BT_STR("t"), .payload = BT_STR("p"), .due_ms = 5000};
                PROMISE(bt_host_channel_call(session, &request) == BT_OK);
            }
            PROMISE(bt_host_channel_cancel(session, CALLS, 1000));
        }
    }
}

/* Every call is answered, lost, or still in flight. */
static void account(struct bt_host_channel *session, const struct heard *heard)
{
    unsigned seen[CALLS + 1] = {0};
    bool opened = false;
    for (size_t i = 0; i < heard->count; i++) {
        opened = opened || heard->said[i] == BT_HOST_CHANNEL_EVENT_KIND_HELLO;
        PROMISE(heard->call[i] <= CALLS);
        seen[heard->call[i]] += heard->call[i] > 0;
    }
    for (uint32_t i = 0; i < session->in_flight; i++) {
        seen[session->calls[session->first_call + i].id]++;
    }
    for (size_t id = 1; id <= CALLS; id++) {
        PROMISE(seen[id] == (opened ? 1 : 0));
    }
}

static void listen_to(bt_str bytes, size_t piece, struct heard *heard)
{
    struct bt_host_channel session;
    bt_host_channel_init(&session, CALLS, 1000);
    heard->count = 0;
    for (size_t at = 0; at < bytes.len; at += piece) {
        const bt_str part = bt_str_slice(bytes, at, at + piece);
        char *room = bt_host_channel_input_buffer(&session, part.len);
        if (!room) {
            break;
        }
        memcpy(room, part.ptr, part.len);
        session.in.len += part.len;
        take_all(&session, heard);
    }
    account(&session, heard);
    if (session.state == BT_SESSION_CLOSED) {
        struct bt_host_channel_event event;
        PROMISE(!bt_host_channel_next(&session, UINT64_MAX - 1, &event));
        PROMISE(bt_host_channel_due(&session) == BT_NEVER);
    }
    bt_host_channel_free(&session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str bytes = fuzz_text(data, size);
    static struct heard whole;
    static struct heard pieces;
    if (size == 0 || size > 65536) {
        return 0;
    }
    listen_to(bytes, size, &whole);
    static const size_t cuts[] = {1, 7, 64};
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
        listen_to(bytes, cuts[i], &pieces);
        PROMISE(pieces.count == whole.count);
        for (size_t k = 0; k < whole.count; k++) {
            PROMISE(pieces.said[k] == whole.said[k]);
            PROMISE(pieces.call[k] == whole.call[k]);
            PROMISE(pieces.bytes[k] == whole.bytes[k]);
        }
    }
    return 0;
}
