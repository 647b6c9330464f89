/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_session.c - what a host may say when, and what each deadline does. No process, no clock.
 */
#include "test.h"

#include "sandbox/host_channel.h"

#define HELLO "{\"protocol\":1,\"host\":\"t 1\",\"ok\":true}"
#define THREAD BT_STR("550e8400-e29b-41d4-a716-446655440000")

static const char *const words[] = {
    [BT_HOST_CHANNEL_EVENT_KIND_NOTHING] = "nothing",
    [BT_HOST_CHANNEL_EVENT_KIND_HELLO] = "hello",
    [BT_HOST_CHANNEL_EVENT_KIND_REFUSED] = "refused",
    [BT_HOST_CHANNEL_EVENT_KIND_RESULT] = "result",
    [BT_HOST_CHANNEL_EVENT_KIND_FAIL] = "fail",
    [BT_HOST_CHANNEL_EVENT_KIND_LATE] = "late",
    [BT_HOST_CHANNEL_EVENT_KIND_TIMEOUT] = "timeout",
    [BT_HOST_CHANNEL_EVENT_KIND_CANCELLED] = "cancelled",
    [BT_HOST_CHANNEL_EVENT_KIND_STUCK] = "stuck",
    [BT_HOST_CHANNEL_EVENT_KIND_BROKE] = "broke",
    [BT_HOST_CHANNEL_EVENT_KIND_DONE] = "done",
};

/* Hand over bytes of the host. */
static void feed(struct bt_host_channel *session, bt_str bytes)
{
    char *room = bt_host_channel_input_buffer(session, bytes.len);
    assert_non_null(room);
    memcpy(room, bytes.ptr, bytes.len);
    session->in.len += bytes.len;
}

static void feed_frame(struct bt_host_channel *session, uint8_t type, uint64_t id, const char *body)
{
    struct bt_buf buf;
    bt_buf_init(&buf, BT_FRAME_BYTES_MAX);
    bt_host_frame_put(&buf, type, id, bt_str_of(body));
    feed(session, bt_buf_str(&buf));
    bt_buf_free(&buf);
}

/* Everything that happens until `now`, as words with call ids: "hello result1 broke". */
static void expect(struct bt_host_channel *session, uint64_t now, const char *expected)
{
    char got[512] = "";
    struct bt_host_channel_event event;
    size_t size = 0;
    while (bt_host_channel_next(session, now, &event)) {
        assert_non_null(event.reason);
        size += (size_t)snprintf(got + size, sizeof(got) - size, "%s%s", size > 0 ? " " : "",
                                 words[event.kind]);
        if (event.call > 0) {
            size += (size_t)snprintf(got + size, sizeof(got) - size, "%u", (unsigned)event.call);
        }
        assert_true(size < sizeof(got));
    }
    assert_string_equal(got, expected);
}

static void begin(struct bt_host_channel *session)
{
    bt_host_channel_init(session, 4, 1000);
    feed_frame(session, BT_HOST_FRAME_HELLO, 0, HELLO);
    expect(session, 1000, "hello");
    bt_host_channel_send_ready(session, BT_STR("{}"));
}

static enum bt_status call(struct bt_host_channel *session, uint64_t id, uint64_t due)
{
    const struct bt_host_channel_request request = {
        .id = id, .thread_id = THREAD, .payload = BT_STR("<x.y></x.y>"), .due_ms = due};
    return bt_host_channel_call(session, &request);
}

/* ---- Frames ---- */

static void a_frame_that_was_written_is_read_again(void **state)
{
    (void)state;
    struct bt_buf buf;
    struct bt_host_frame frame;
    size_t at = 0;
    bt_buf_init(&buf, 1 << 16);
    bt_host_frame_put(&buf, BT_HOST_FRAME_RESULT, UINT64_C(0x0102030405060708), BT_STR("<a/>"));
    bt_host_frame_put(&buf, 0x20, UINT64_MAX, BT_STR(""));
    assert_memory_equal(buf.ptr, "\0\0\0\x0d\x04\1\2\3\4\5\6\7\x08<a/>", 17);
    const bt_str both = bt_buf_str(&buf);
    assert_int_equal(bt_host_frame_read(both, &at, &frame), BT_FRAME_WHOLE);
    assert_int_equal(frame.type, BT_HOST_FRAME_RESULT);
    assert_true(frame.id == UINT64_C(0x0102030405060708));
    assert_str(frame.body, "<a/>");
    assert_int_equal(bt_host_frame_read(both, &at, &frame), BT_FRAME_WHOLE);
    assert_int_equal(frame.type, 0x20);
    assert_true(frame.id == UINT64_MAX);
    assert_int_equal(at, both.len);
    bt_buf_free(&buf);
}

static void a_frame_is_whole_only_with_its_last_byte(void **state)
{
    (void)state;
    struct bt_buf buf;
    struct bt_host_frame frame;
    bt_buf_init(&buf, 1 << 16);
    bt_host_frame_put(&buf, BT_HOST_FRAME_RESULT, 7, BT_STR("<a/>"));
    for (size_t size = 0; size < buf.len; size++) {
        size_t at = 0;
        assert_int_equal(bt_host_frame_read((bt_str){buf.ptr, size}, &at, &frame), BT_FRAME_CUT);
        assert_int_equal(at, 0);
    }
    bt_buf_free(&buf);
}

static void a_length_out_of_range_is_seen_before_the_body(void **state)
{
    (void)state;
    static const struct {
        bt_str bytes;
        enum bt_host_frame_result found;
    } rows[] = {
        {BT_STR_INIT("\0\0\0\0"), BT_FRAME_BROKEN},
        {BT_STR_INIT("\0\0\0\x08"), BT_FRAME_BROKEN},
        {BT_STR_INIT("\0\0\0\x09"), BT_FRAME_CUT},
        {BT_STR_INIT("\0\x20\0\x09"), BT_FRAME_CUT},
        {BT_STR_INIT("\0\x20\0\x0a"), BT_FRAME_BROKEN},
        {BT_STR_INIT("\xff\xff\xff\xff"), BT_FRAME_BROKEN},
        {BT_STR_INIT("<res"), BT_FRAME_BROKEN},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t at = 0;
        struct bt_host_frame frame;
        assert_int_equal(bt_host_frame_read(rows[i].bytes, &at, &frame), rows[i].found);
    }
}

/* ---- HELLO ---- */

static void only_a_hello_of_its_form_opens_a_session(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *expected;
    } rows[] = {
        {HELLO, "hello"},
        {"{\"protocol\":1,\"host\":\"t 1\",\"ok\":true,\"more\":[1]}", "hello"},
        {"{\"protocol\":1,\"host\":\"\",\"ok\":true,\"payload\":{\"name\":\"P\",\"fields\":[]}}",
         "hello"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":false,\"problem\":\"sync\",\"detail\":\"\"}",
         "refused"},
        {"", "broke"},
        {"[]", "broke"},
        {"{\"protocol\":1", "broke"},
        {"{\"protocol\":2,\"host\":\"t\",\"ok\":true}", "broke"},
        {"{\"protocol\":1.0,\"host\":\"t\",\"ok\":true}", "broke"},
        {"{\"protocol\":\"1\",\"host\":\"t\",\"ok\":true}", "broke"},
        {"{\"protocol\":1,\"host\":7,\"ok\":true}", "broke"},
        {"{\"protocol\":1,\"host\":\"t\"}", "broke"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":1}", "broke"},
        {"{\"protocol\":1,\"protocol\":1,\"host\":\"t\",\"ok\":true}", "broke"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":false}", "broke"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":false,\"problem\":\"odd\",\"detail\":\"\"}",
         "broke"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":true,\"payload\":\"P\"}", "broke"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":true,\"payload\":{\"name\":\"P\"}}", "broke"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":true,\"payload\":{\"name\":\"P\","
         "\"fields\":[[\"a\"]]}}",
         "broke"},
        {"{\"protocol\":1,\"host\":\"t\",\"ok\":true,\"payload\":{\"name\":\"P\","
         "\"fields\":[[\"a\",7]]}}",
         "broke"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_host_channel session;
        bt_host_channel_init(&session, 1, 0);
        feed_frame(&session, BT_HOST_FRAME_HELLO, 0, rows[i].body);
        expect(&session, 0, rows[i].expected);
        bt_host_channel_free(&session);
    }
}

static void a_hello_that_is_too_long_or_deep_is_refused(void **state)
{
    (void)state;
    static char text[BT_HELLO_BYTES_MAX + 100];
    struct bt_host_channel session;
    const int head = snprintf(text, sizeof(text), "%s", HELLO);
    memset(text + head, ' ', sizeof(text) - (size_t)head - 1);
    for (int more = 0; more < 2; more++) {
        text[BT_HELLO_BYTES_MAX + more] = '\0';
        bt_host_channel_init(&session, 1, 0);
        feed_frame(&session, BT_HOST_FRAME_HELLO, 0, text);
        expect(&session, 0, more ? "broke" : "hello");
        bt_host_channel_free(&session);
        text[BT_HELLO_BYTES_MAX + more] = ' ';
    }
    memset(text, '[', 60000);
    text[60000] = '\0';
    bt_host_channel_init(&session, 1, 0);
    feed_frame(&session, BT_HOST_FRAME_HELLO, 0, text);
    expect(&session, 0, "broke");
    bt_host_channel_free(&session);
}

static void a_silent_host_is_given_ten_seconds(void **state)
{
    (void)state;
    struct bt_host_channel session;
    bt_host_channel_init(&session, 1, 500);
    expect(&session, 10499, "");
    assert_true(bt_host_channel_due(&session) == 10500);
    expect(&session, 10500, "broke");
    assert_true(bt_host_channel_due(&session) == BT_NEVER);
    bt_host_channel_free(&session);
}

static void a_host_that_does_not_wait_for_ready_is_not_heard_until_then(void **state)
{
    (void)state;
    struct bt_host_channel session;
    bt_host_channel_init(&session, 1, 0);
    feed_frame(&session, BT_HOST_FRAME_HELLO, 0, HELLO);
    feed_frame(&session, BT_HOST_FRAME_RESULT, 1, "<a/>");
    expect(&session, 0, "hello");
    assert_null(bt_host_channel_input_buffer(&session, 1));
    bt_host_channel_send_ready(&session, BT_STR("{}"));
    expect(&session, 0, "broke");
    bt_host_channel_free(&session);
}

/* ---- What is permitted when ---- */

/* A session in each state: started, open with call 1 in flight, leaving, draining. */
static void bring_to(struct bt_host_channel *session, enum bt_host_channel_state wanted)
{
    if (wanted == BT_SESSION_START) {
        bt_host_channel_init(session, 4, 1000);
        return;
    }
    begin(session);
    assert_int_equal(call(session, 1, 60000), BT_OK);
    if (wanted == BT_SESSION_LEAVING) {
        feed_frame(session, BT_HOST_FRAME_BYE, 0, "");
        expect(session, 1000, "");
    } else if (wanted == BT_SESSION_DRAIN) {
        bt_host_channel_send_bye(session, 1000);
    }
    assert_int_equal(session->state, wanted);
}

static void each_state_permits_what_its_row_says_and_nothing_else(void **state)
{
    (void)state;
    static const struct {
        enum bt_host_channel_state in;
        const char *expected[9]; /* by frame type, 0 to 8, with call id 1 or 0 as is right */
    } rows[] = {
        {BT_SESSION_START,
         {"broke", "hello", "broke", "broke", "broke", "broke", "broke", "broke", "broke"}},
        {BT_SESSION_OPEN,
         {"broke", "broke", "broke", "broke", "result1", "fail1", "broke", "", "broke"}},
        {BT_SESSION_LEAVING,
         {"broke", "broke", "broke", "broke", "result1 done", "fail1 done", "broke", "broke",
          "broke"}},
        {BT_SESSION_DRAIN,
         {"broke", "broke", "broke", "broke", "result1 done", "fail1 done", "broke", "", "broke"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (uint8_t type = 0; type <= 8; type++) {
            struct bt_host_channel session;
            bring_to(&session, rows[i].in);
            const bool answer = type == BT_HOST_FRAME_RESULT || type == BT_HOST_FRAME_FAIL;
            feed_frame(&session, type, answer ? 1 : 0,
                       type == BT_HOST_FRAME_HELLO  ? HELLO
                       : type == BT_HOST_FRAME_FAIL ? "{\"kind\":\"none\",\"detail\":\"\"}"
                                                    : "");
            expect(&session, 1000, rows[i].expected[type]);
            bt_host_channel_free(&session);
        }
    }
}

static void frames_that_are_not_of_their_form_break_the_session(void **state)
{
    (void)state;
    static const struct {
        uint8_t type;
        uint64_t id;
        const char *body;
        const char *expected;
    } rows[] = {
        {BT_HOST_FRAME_RESULT, 1, "", "result1"},
        {BT_HOST_FRAME_RESULT, 2, "<a/>", "broke"},
        {BT_HOST_FRAME_RESULT, 0, "<a/>", "broke"},
        {BT_HOST_FRAME_FAIL, 2, "{\"kind\":\"none\",\"detail\":\"\"}", "broke"},
        {BT_HOST_FRAME_FAIL, 1, "oops", "broke"},
        {BT_HOST_FRAME_FAIL, 1, "{\"kind\":\"none\"}", "broke"},
        {BT_HOST_FRAME_FAIL, 1, "{\"kind\":\"odd\",\"detail\":\"\"}", "broke"},
        {BT_HOST_FRAME_FAIL, 1, "{\"kind\":\"none\",\"detail\":7}", "broke"},
        {BT_HOST_FRAME_FAIL, 1, "{\"kind\":\"none\",\"detail\":\"\",\"more\":1}", "broke"},
        {BT_HOST_FRAME_FAIL, 1, "{\"kind\":\"not-bytes\",\"detail\":\"x\"}", "fail1"},
        {BT_HOST_FRAME_BYE, 1, "", "broke"},
        {BT_HOST_FRAME_BYE, 0, "{}", "broke"},
        {BT_HOST_FRAME_BYE, 0, "{\"reason\":7}", "broke"},
        {BT_HOST_FRAME_BYE, 0, "{\"reason\":\"x\",\"y\":1}", "broke"},
        {BT_HOST_FRAME_BYE, 0, "{\"reason\":\"tired\"}", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct bt_host_channel session;
        bring_to(&session, BT_SESSION_OPEN);
        feed_frame(&session, rows[i].type, rows[i].id, rows[i].body);
        expect(&session, 1000, rows[i].expected);
        bt_host_channel_free(&session);
    }
}

static void a_fail_has_at_most_4096_bytes(void **state)
{
    (void)state;
    static char body[5000];
    for (size_t size = 4096; size <= 4097; size++) {
        struct bt_host_channel session;
        const int head = snprintf(body, sizeof(body), "{\"kind\":\"none\",\"detail\":\"");
        memset(body + head, 'x', sizeof(body) - (size_t)head);
        (void)snprintf(body + size - 2, 3, "\"}");
        bring_to(&session, BT_SESSION_OPEN);
        feed_frame(&session, BT_HOST_FRAME_FAIL, 1, body);
        expect(&session, 1000, size == 4096 ? "fail1" : "broke");
        bt_host_channel_free(&session);
    }
}

static void a_call_is_answered_once(void **state)
{
    (void)state;
    struct bt_host_channel session;
    bring_to(&session, BT_SESSION_OPEN);
    feed_frame(&session, BT_HOST_FRAME_RESULT, 1, "<a/>");
    feed_frame(&session, BT_HOST_FRAME_RESULT, 1, "<a/>");
    expect(&session, 1000, "result1 broke");
    bt_host_channel_free(&session);
}

static void answers_come_in_any_order_and_in_pieces(void **state)
{
    (void)state;
    struct bt_host_channel session;
    struct bt_buf buf;
    begin(&session);
    for (uint64_t id = 1; id <= 4; id++) {
        assert_int_equal(call(&session, id, 60000), BT_OK);
    }
    assert_int_equal(call(&session, 5, 60000), BT_ELIMIT);
    bt_buf_init(&buf, 1 << 16);
    bt_host_frame_put(&buf, BT_HOST_FRAME_RESULT, 3, BT_STR("<a/>"));
    bt_host_frame_put(&buf, BT_HOST_FRAME_RESULT, 1, BT_STR(""));
    bt_host_frame_put(&buf, BT_HOST_FRAME_RESULT, 4, BT_STR("<b/>"));
    struct bt_host_channel_event event;
    static const uint64_t order[] = {3, 1, 4};
    size_t heard = 0;
    for (size_t i = 0; i < buf.len; i++) {
        feed(&session, bt_str_slice(bt_buf_str(&buf), i, i + 1));
        while (bt_host_channel_next(&session, 1000, &event)) {
            assert_int_equal(event.kind, BT_HOST_CHANNEL_EVENT_KIND_RESULT);
            assert_true(event.call == order[heard++]);
        }
    }
    assert_int_equal(heard, 3);
    assert_int_equal(bt_host_channel_free_slots(&session), 3);
    bt_buf_free(&buf);
    bt_host_channel_free(&session);
}

/* Seven at a time, answered from the middle, the front and the end in turn. Most ids grow. */
static void thousands_of_calls_come_and_go(void **state)
{
    (void)state;
    enum { AT_ONCE = 7, ROUNDS = 9000 };
    struct bt_host_channel session;
    uint64_t open[AT_ONCE];
    size_t count = 0;
    begin(&session);
    session.in_flight_max = AT_ONCE;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        open[count++] = round % 5 == 0 ? ROUNDS + 1 - round : ROUNDS + 1 + round;
        assert_int_equal(call(&session, open[count - 1], 60000), BT_OK);
        bt_host_channel_sent(&session, bt_host_channel_pending(&session).len);
        if (count == AT_ONCE) {
            char expected[32];
            const size_t which = round % 3 * (AT_ONCE / 2);
            (void)snprintf(expected, sizeof(expected), "result%u", (unsigned)open[which]);
            feed_frame(&session, BT_HOST_FRAME_RESULT, open[which], "");
            expect(&session, 1000, expected);
            memmove(open + which, open + which + 1, (--count - which) * sizeof(open[0]));
        }
        assert_int_equal(bt_host_channel_free_slots(&session), AT_ONCE - count);
    }
    bt_host_channel_close(&session);
    for (size_t i = 0; i < count; i++) {
        uint64_t lost = 0;
        assert_true(bt_host_channel_next_lost_call(&session, &lost));
        assert_true(lost == open[i]);
    }
    bt_host_channel_free(&session);
}

/* ---- Saying ---- */

static void a_call_says_the_thread_and_nothing_about_anybody(void **state)
{
    (void)state;
    struct bt_host_channel session;
    begin(&session);
    bt_host_channel_sent(&session, bt_host_channel_pending(&session).len);
    const struct bt_host_channel_request request = {.id = 9,
                                                    .thread_id = THREAD,
                                                    .own_name = BT_STR("res\"x"),
                                                    .payload = BT_STR("<p.q></p.q>"),
                                                    .due_ms = 60000};
    assert_int_equal(bt_host_channel_call(&session, &request), BT_OK);
    struct bt_host_frame frame;
    size_t at = 0;
    const bt_str pending = bt_host_channel_pending(&session);
    assert_int_equal(bt_host_frame_read(pending, &at, &frame), BT_FRAME_WHOLE);
    assert_int_equal(at, pending.len);
    assert_int_equal(frame.type, BT_HOST_FRAME_CALL);
    assert_true(frame.id == 9);
    assert_memory_equal(frame.body.ptr, "\0\0\0\x48", 4);
    assert_str(bt_str_slice(frame.body, 4, frame.body.len),
               "{\"thread_id\":\"550e8400-e29b-41d4-a716-446655440000\",\"own_name\":\"res\\\"x\"}"
               "<p.q></p.q>");
    bt_host_channel_free(&session);
}

static void a_payload_that_fits_no_frame_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    struct bt_host_channel session;
    char *payload = malloc(BT_FRAME_BODY_MAX);
    assert_non_null(payload);
    memset(payload, 'x', BT_FRAME_BODY_MAX);
    begin(&session);
    bt_host_channel_sent(&session, bt_host_channel_pending(&session).len);
    const size_t around = 4 + 52;
    struct bt_host_channel_request request = {.id = 1,
                                              .thread_id = THREAD,
                                              .payload = {payload, BT_FRAME_BODY_MAX - around + 1},
                                              .due_ms = 60000};
    assert_int_equal(bt_host_channel_call(&session, &request), BT_EINVAL);
    assert_int_equal(bt_host_channel_pending(&session).len, 0);
    assert_int_equal(session.in_flight, 0);
    request.payload.len--;
    assert_int_equal(bt_host_channel_call(&session, &request), BT_OK);
    assert_int_equal(bt_host_channel_pending(&session).len, BT_FRAME_BYTES_MAX);
    bt_host_channel_free(&session);
    free(payload);
}

/* ---- Time ---- */

static void a_late_call_is_cancelled_and_the_host_gets_two_seconds(void **state)
{
    (void)state;
    struct bt_host_channel session;
    begin(&session);
    assert_int_equal(call(&session, 1, 2000), BT_OK);
    assert_int_equal(call(&session, 2, 9000), BT_OK);
    bt_host_channel_sent(&session, bt_host_channel_pending(&session).len);
    expect(&session, 1999, "");
    expect(&session, 2000, "timeout1");
    const bt_str cancel = bt_host_channel_pending(&session);
    assert_int_equal(cancel.len, BT_FRAME_HEAD_BYTES);
    assert_memory_equal(cancel.ptr, "\0\0\0\x09\x06\0\0\0\0\0\0\0\x01", BT_FRAME_HEAD_BYTES);
    assert_int_equal(bt_host_channel_free_slots(&session), 0);
    expect(&session, 3999, "");
    expect(&session, 4000, "stuck1");
    uint64_t lost = 0;
    assert_true(bt_host_channel_next_lost_call(&session, &lost));
    assert_true(lost == 2); /* the cancelled one is not repeated */
    assert_false(bt_host_channel_next_lost_call(&session, &lost));
    bt_host_channel_free(&session);
}

static void an_answer_to_a_cancelled_call_is_dropped_once(void **state)
{
    (void)state;
    struct bt_host_channel session;
    begin(&session);
    assert_int_equal(call(&session, 1, 60000), BT_OK);
    assert_int_equal(call(&session, 2, 60000), BT_OK);
    assert_true(bt_host_channel_cancel(&session, 1, 1000));
    assert_false(bt_host_channel_cancel(&session, 1, 1000));
    assert_true(bt_host_channel_cancel(&session, 2, 1000));
    assert_false(bt_host_channel_cancel(&session, 3, 1000));
    feed_frame(&session, BT_HOST_FRAME_RESULT, 1, "<a/>");
    feed_frame(&session, BT_HOST_FRAME_FAIL, 2, "{\"kind\":\"cancelled\",\"detail\":\"\"}");
    expect(&session, 1000, "late1 cancelled2");
    assert_int_equal(bt_host_channel_free_slots(&session), 4);
    feed_frame(&session, BT_HOST_FRAME_RESULT, 1, "<a/>");
    expect(&session, 1000, "broke");
    bt_host_channel_free(&session);
}

static void whoever_leaves_has_ten_seconds_for_what_is_in_flight(void **state)
{
    (void)state;
    static const enum bt_host_channel_state leaving[] = {BT_SESSION_LEAVING, BT_SESSION_DRAIN};
    for (size_t i = 0; i < COUNT_OF(leaving); i++) {
        struct bt_host_channel session;
        uint64_t lost = 0;
        bring_to(&session, leaving[i]);
        assert_int_equal(bt_host_channel_free_slots(&session), 0);
        expect(&session, 10999, "");
        expect(&session, 11000, "done");
        assert_true(bt_host_channel_next_lost_call(&session, &lost));
        assert_true(lost == 1);
        bt_host_channel_free(&session);
    }
}

/* ---- Garbage ---- */

static void random_bytes_never_do_more_than_break_the_session(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        struct bt_host_channel session;
        bring_to(&session, round % 2 ? BT_SESSION_OPEN : BT_SESSION_START);
        char bytes[64];
        for (size_t i = 0; i < sizeof(bytes); i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[i] = (char)(seed >> 56 & (i % 13 < 4 ? 0x0f : 0xff));
        }
        feed(&session, (bt_str){bytes, sizeof(bytes)});
        struct bt_host_channel_event event;
        int events = 0;
        while (bt_host_channel_next(&session, 1000, &event)) {
            assert_true(++events < 10);
        }
        bt_host_channel_free(&session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_that_was_written_is_read_again),
        cmocka_unit_test(a_frame_is_whole_only_with_its_last_byte),
        cmocka_unit_test(a_length_out_of_range_is_seen_before_the_body),
        cmocka_unit_test(only_a_hello_of_its_form_opens_a_session),
        cmocka_unit_test(a_hello_that_is_too_long_or_deep_is_refused),
        cmocka_unit_test(a_silent_host_is_given_ten_seconds),
        cmocka_unit_test(a_host_that_does_not_wait_for_ready_is_not_heard_until_then),
        cmocka_unit_test(each_state_permits_what_its_row_says_and_nothing_else),
        cmocka_unit_test(frames_that_are_not_of_their_form_break_the_session),
        cmocka_unit_test(a_fail_has_at_most_4096_bytes),
        cmocka_unit_test(a_call_is_answered_once),
        cmocka_unit_test(answers_come_in_any_order_and_in_pieces),
        cmocka_unit_test(thousands_of_calls_come_and_go),
        cmocka_unit_test(a_call_says_the_thread_and_nothing_about_anybody),
        cmocka_unit_test(a_payload_that_fits_no_frame_is_refused_and_leaves_nothing),
        cmocka_unit_test(a_late_call_is_cancelled_and_the_host_gets_two_seconds),
        cmocka_unit_test(an_answer_to_a_cancelled_call_is_dropped_once),
        cmocka_unit_test(whoever_leaves_has_ten_seconds_for_what_is_in_flight),
        cmocka_unit_test(random_bytes_never_do_more_than_break_the_session),
    };
    return RUN_TESTS(tests);
}
