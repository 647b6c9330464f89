/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader_bodies.c - bodies: by length, in chunks, and what is behind them.
 */
#include "reading.h"

#define POST "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHUNKED POST "Transfer-Encoding: Chunked\r\n\r\n"
#define TEN "1234567890"

static const struct sample by_length[] = {
    SAMPLE(POST "Content-Length: 3\r\n\r\nabc", "POST / [h] {abc}"),
    SAMPLE(POST "Content-Length: 3\r\n\r\nabcd", "POST / [h] {abc} +d"),
    SAMPLE(POST "Content-Length: 003\r\n\r\nabc", "POST / [h] {abc}"),
    SAMPLE(POST "Content-Length: 0\r\n\r\nabc", "POST / [h] {} +abc"),
    SAMPLE(POST "\r\nabc", "POST / [h] {} +abc"),
    SAMPLE(POST "Content-Length: 3\r\n\r\nab", "more body"),
    SAMPLE(POST "Content-Length: 2\r\n\r\n\r\n", "POST / [h] {\r\n}"),
};

static void a_body_is_as_long_as_it_was_said_to_be(void **state)
{
    (void)state;
    expect_all(by_length, COUNT_OF(by_length));
}

static const struct sample chunked[] = {
    SAMPLE(CHUNKED "0\r\n\r\n", "POST / [h] {}"),
    SAMPLE(CHUNKED "3\r\nabc\r\n0\r\n\r\nGET", "POST / [h] {abc} +GET"),
    SAMPLE(CHUNKED "1\r\na\r\nA\r\n" TEN "\r\n00\r\n\r\n", "POST / [h] {a" TEN "}"),
    SAMPLE(CHUNKED "000000000000000a\r\n" TEN "\r\n0\r\n\r\n", "POST / [h] {" TEN "}"),
    SAMPLE(CHUNKED "3;x=\"y z\"\r\nabc\r\n0;end\r\n\r\n", "POST / [h] {abc}"),
    SAMPLE(CHUNKED "3\r\nabc\r\n0\r\nA-Trailer: x\r\nb:\r\n\r\n", "POST / [h] {abc}"),
    SAMPLE(CHUNKED "2\r\n\r\n\r\n0\r\n\r\n", "POST / [h] {\r\n}"),
    SAMPLE(CHUNKED "3\r\nabc\r\n", "more body"),
    SAMPLE(CHUNKED "3\r\nabc\r\n0\r\n", "more body"),
};

static void chunks_are_joined(void **state)
{
    (void)state;
    expect_all(chunked, COUNT_OF(chunked));
}

static const struct sample bad_chunks[] = {
    SAMPLE(CHUNKED "\r\n", "400"),
    SAMPLE(CHUNKED "g\r\n", "400"),
    SAMPLE(CHUNKED "-1\r\n", "400"),
    SAMPLE(CHUNKED "+1\r\n", "400"),
    SAMPLE(CHUNKED " 1\r\n", "400"),
    SAMPLE(CHUNKED "1 \r\n", "400"),
    SAMPLE(CHUNKED "0x1\r\n", "400"),
    SAMPLE(CHUNKED "1\na\n0\n\n", "400"),
    SAMPLE(CHUNKED "1\r\na\n", "400"),
    SAMPLE(CHUNKED "1\r\nab", "400"),
    SAMPLE(CHUNKED "1\r\na\rb", "400"),
    SAMPLE(CHUNKED "1\ra", "400"),
    SAMPLE(CHUNKED "1;a\nb\r\n", "400"),
    SAMPLE(CHUNKED "1;a\x01\r\n", "400"),
    SAMPLE(CHUNKED "0000000000000000a\r\n", "400"),
    SAMPLE(CHUNKED "ffffffffffffffff\r\n", "400"),
    SAMPLE(CHUNKED "41\r\n", "400"),
    SAMPLE(CHUNKED "0\r\n bad: x\r\n\r\n", "400"),
    SAMPLE(CHUNKED "0\r\nbad : x\r\n\r\n", "400"),
    SAMPLE(CHUNKED "0\r\nbad\r\n\r\n", "400"),
    SAMPLE(CHUNKED "0\r\nx: y\n\r\n", "400"),
    SAMPLE(CHUNKED "0\r\n\rx", "400"),
};

static void chunks_that_are_not_of_the_form_are_refused(void **state)
{
    (void)state;
    expect_all(bad_chunks, COUNT_OF(bad_chunks));
}

#define FORTY "28\r\n" TEN TEN TEN TEN "\r\n"

static const struct sample large[] = {
    SAMPLE(CHUNKED "40\r\n" TEN TEN TEN TEN TEN TEN "1234\r\n0\r\n\r\n",
           "POST / [h] {" TEN TEN TEN TEN TEN TEN "1234}"),
    SAMPLE(CHUNKED FORTY "18\r\n" TEN TEN "1234\r\n0\r\n\r\n",
           "POST / [h] {" TEN TEN TEN TEN TEN TEN "1234}"),
    SAMPLE(CHUNKED FORTY "19\r\n", "413"),
    SAMPLE(CHUNKED "0\r\na:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\ng:\r\n", "431"),
    SAMPLE(CHUNKED "0\r\na: " TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
               TEN TEN TEN "\r\n",
           "431"),
    SAMPLE(CHUNKED
           "1;" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
           "1\r\n",
           "431"),
};

static void chunks_are_counted_together(void **state)
{
    (void)state;
    expect_all(large, COUNT_OF(large));
}

/* A reader that forgot a CR between two pieces would pass this one and no other. */
static void a_cut_between_cr_and_lf_is_no_bare_lf(void **state)
{
    (void)state;
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 16);
    reading_put(&buf, BT_STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), 1, &reading_limits);
    assert_str(bt_buf_str(&buf), "GET / [h] {}");
    bt_buf_clear(&buf);
    reading_put(&buf, BT_STR("GET / HTTP/1.1\r\nHost: h\r\n\n"), 1, &reading_limits);
    assert_str(bt_buf_str(&buf), "400");
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_is_as_long_as_it_was_said_to_be),
        cmocka_unit_test(chunks_are_joined),
        cmocka_unit_test(chunks_that_are_not_of_the_form_are_refused),
        cmocka_unit_test(chunks_are_counted_together),
        cmocka_unit_test(a_cut_between_cr_and_lf_is_no_bare_lf),
    };
    return RUN_TESTS(tests);
}
