/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reader.c - heads: what is a request, and every shape that is none.
 */
#include "reading.h"

#define HOST "Host: h\r\n"
#define GET "GET / HTTP/1.1\r\n" HOST

static const struct sample good[] = {
    SAMPLE(GET "\r\n", "GET / [h] {}"),
    SAMPLE(GET "\r\nGET", "GET / [h] {} +GET"),
    SAMPLE("GET /a/b?c=d&e HTTP/1.1\r\n" HOST "\r\n", "GET /a/b ?c=d&e [h] {}"),
    SAMPLE("GET /a%2Fb%20c HTTP/1.1\r\n" HOST "\r\n", "GET /a/b c [h] {}"),
    SAMPLE("GET /? HTTP/1.1\r\n" HOST "\r\n", "GET / [h] {}"),
    SAMPLE("GET /?/../%zz HTTP/1.1\r\n" HOST "\r\n", "GET / ?/../%zz [h] {}"),
    SAMPLE("HEAD / HTTP/1.1\r\nhOsT:\t h \t\r\n\r\n", "HEAD / [h] {}"),
    SAMPLE("PUT / HTTP/1.1\r\nHost:\r\n\r\n", "PUT / [] {}"),
    SAMPLE("DELETE / HTTP/1.1\r\n" HOST "x-any: \x80\xff !\r\n\r\n", "DELETE / [h] {}"),
    SAMPLE("OPTIONS / HTTP/1.1\r\n" HOST "\r\n", "OPTIONS / [h] {}"),
    SAMPLE("PATCH / HTTP/1.1\r\n" HOST "\r\n", "PATCH / [h] {}"),
    SAMPLE("GET / HTTP/1.0\r\n" HOST "\r\n", "GET / [h] {} close"),
    SAMPLE("GET / HTTP/1.0\r\n" HOST "Connection: keep-alive\r\n\r\n", "GET / [h] {} close"),
    SAMPLE(GET "Connection: keep-alive, Close\r\n\r\n", "GET / [h] {} close"),
    SAMPLE(GET "Connection: upgrade\r\n\r\n", "GET / [h] {}"),
    SAMPLE(GET "Connection: \xff\xfe, close\r\n\r\n", "GET / [h] {} close"),
    SAMPLE(GET "Expect: 100-Continue\r\n\r\n", "GET / [h] {}"),
    SAMPLE("GET http://H/x?y HTTP/1.1\r\n" HOST "\r\n", "GET /x ?y [h] {}"),
    SAMPLE("GET HTTPS://h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n", "GET / [h:1] {}"),
    SAMPLE("GET http://h?y HTTP/1.1\r\n" HOST "\r\n", "GET / ?y [h] {}"),
    SAMPLE("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "GET / [[::1]:80] {}"),
    SAMPLE("", "more head"),
    SAMPLE("GET / HTTP/1.1\r\nHost: h\r\n\r", "more head"),
};

static void requests_are_read(void **state)
{
    (void)state;
    expect_all(good, COUNT_OF(good));
}

static const struct sample bad_lines[] = {
    SAMPLE("GET / HTTP/1.1\nHost: h\n\n", "400"),
    SAMPLE("GET / HTTP/1.1\r\nHost: h\n", "400"),
    SAMPLE(GET "\n", "400"),
    SAMPLE("GET / HTTP/1.1\r\rHost: h", "400"),
    SAMPLE(GET "x: a\rb\r\n\r\n", "400"),
    SAMPLE(GET "x: a\0b\r\n\r\n", "400"),
    SAMPLE(GET "x: a\x01\r\n\r\n", "400"),
    SAMPLE(GET "x: a\x7f\r\n\r\n", "400"),
    SAMPLE("\r\n" GET "\r\n", "400"),
    SAMPLE("GET  / HTTP/1.1\r\n", "400"),
    SAMPLE("GET / HTTP/1.1 \r\n", "400"),
    SAMPLE(" GET / HTTP/1.1\r\n", "400"),
    SAMPLE("GET /\r\n", "400"),
    SAMPLE("GET\r\n", "400"),
    SAMPLE("GET\t/ HTTP/1.1\r\n", "400"),
    SAMPLE("G(T / HTTP/1.1\r\n", "400"),
    SAMPLE("GET /\x80 HTTP/1.1\r\n", "400"),
    SAMPLE("GET /#a HTTP/1.1\r\n", "400"),
    SAMPLE("GET / http/1.1\r\n", "400"),
    SAMPLE("GET / HTTP/1.10\r\n", "400"),
    SAMPLE("GET / HTTP/1\r\n", "400"),
    SAMPLE("GET / HTTPS/1.1\r\n", "400"),
    SAMPLE("GET / HTTP/2.0\r\n", "505"),
    SAMPLE("GET / HTTP/1.2\r\n", "505"),
    SAMPLE("GET / HTTP/0.9\r\n", "505"),
    SAMPLE("get / HTTP/1.1\r\n", "501"),
    SAMPLE("BREW / HTTP/1.1\r\n", "501"),
    SAMPLE("CONNECT h:80 HTTP/1.1\r\n", "501"),
};

static void lines_that_two_readers_could_read_differently_are_refused(void **state)
{
    (void)state;
    expect_all(bad_lines, COUNT_OF(bad_lines));
}

static const struct sample bad_targets[] = {
    SAMPLE("GET a HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET * HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET h:80 HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET ftp://h/ HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET http://g/ HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET http://u@h/ HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET http://h:80/ HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET // HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /a/ HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /a//b HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /. HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /.. HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /a/../b HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /%2e%2E/b HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /a%2F..%2Fb HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /%00 HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /% HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /%4 HTTP/1.1\r\n" HOST "\r\n", "400"),
    SAMPLE("GET /%g1 HTTP/1.1\r\n" HOST "\r\n", "400"),
};

static void a_path_is_plain_and_its_authority_that_of_host(void **state)
{
    (void)state;
    expect_all(bad_targets, COUNT_OF(bad_targets));
}

static const struct sample bad_fields[] = {
    SAMPLE("GET / HTTP/1.1\r\n\r\n", "400"),
    SAMPLE("GET / HTTP/1.0\r\n\r\n", "400"),
    SAMPLE(GET HOST "\r\n", "400"),
    SAMPLE("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400"),
    SAMPLE("GET / HTTP/1.1\r\nHost: a,b\r\n\r\n", "400"),
    SAMPLE("GET / HTTP/1.1\r\nHost: u@h\r\n\r\n", "400"),
    SAMPLE("GET / HTTP/1.1\r\nHost : h\r\n\r\n", "400"),
    SAMPLE("GET / HTTP/1.1\r\n Host: h\r\n\r\n", "400"),
    SAMPLE(GET " folded\r\n\r\n", "400"),
    SAMPLE(GET "\tfolded\r\n\r\n", "400"),
    SAMPLE(GET ": x\r\n\r\n", "400"),
    SAMPLE(GET "x\r\n\r\n", "400"),
    SAMPLE(GET "x y: z\r\n\r\n", "400"),
    SAMPLE(GET "x\x80: z\r\n\r\n", "400"),
    SAMPLE(GET "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", "400"),
    SAMPLE(GET "Content-Length: +5\r\n\r\n", "400"),
    SAMPLE(GET "Content-Length: -1\r\n\r\n", "400"),
    SAMPLE(GET "Content-Length: 1, 1\r\n\r\n", "400"),
    SAMPLE(GET "Content-Length: 0x1\r\n\r\n", "400"),
    SAMPLE(GET "Content-Length:\r\n\r\n", "400"),
    SAMPLE(GET "Content-Length: 00000000000000000001\r\n\r\n", "400"),
    SAMPLE(GET "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
    SAMPLE(GET "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "400"),
    SAMPLE(GET "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
    SAMPLE("GET / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", "400"),
    SAMPLE(GET "Transfer-Encoding: gzip\r\n\r\n", "501"),
    SAMPLE(GET "Transfer-Encoding: gzip, chunked\r\n\r\n", "501"),
    SAMPLE(GET "Transfer-Encoding: xchunked\r\n\r\n", "501"),
    SAMPLE(GET "Transfer-Encoding:\r\n\r\n", "501"),
    SAMPLE(GET "Expect: tea\r\n\r\n", "417"),
    SAMPLE(GET "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n", "417"),
};

static void fields_that_frame_a_request_are_read_in_one_way(void **state)
{
    (void)state;
    expect_all(bad_fields, COUNT_OF(bad_fields));
}

static const struct sample limits[] = {
    SAMPLE("GET /123456789012345678901234567890123456789 HTTP/1.1\r\n" HOST "\r\n",
           "GET /123456789012345678901234567890123456789 [h] {}"),
    SAMPLE("GET /1234567890123456789012345678901234567890 HTTP/1.1\r\n" HOST "\r\n", "414"),
    SAMPLE("GET /12345678901234567890123456789012345678901234567890123456789012345678901234567890"
           "12345678901234567890",
           "414"),
    SAMPLE(GET "a:\r\nb:\r\nc:\r\nd:\r\ne:\r\n\r\n", "GET / [h] {}"),
    SAMPLE(GET "a:\r\nb:\r\nc:\r\nd:\r\ne:\r\nf:\r\n\r\n", "431"),
    SAMPLE(GET "a: 3456789012345678901234567890123456789012345678901234567890123456789012345678901"
               "234567890123456789012345678901234567890123456789012345678901234567890123456789012"
               "345678901234567890123456789012345678",
           "431"),
    SAMPLE(GET "Content-Length: 64\r\n\r\n", "more body"),
    SAMPLE(GET "Content-Length: 65\r\n\r\n", "413"),
    SAMPLE(GET "Content-Length: 9999999999999999999\r\n\r\n", "413"),
};

static void what_is_too_large_is_refused_before_it_is_complete(void **state)
{
    (void)state;
    expect_all(limits, COUNT_OF(limits));
}

static void names_of_fields_are_in_lower_case(void **state)
{
    (void)state;
    const bt_str bytes = BT_STR("GET / HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nx-one:  2 \r\n\r\n");
    struct http_reader reader = {0};
    struct http_request request = {0};
    struct bt_arena arena;
    bt_arena_init(&arena, 1 << 16);
    http_reader_begin(&reader, &reading_limits);
    assert_int_equal(http_reader_take(&reader, &arena, bytes), bytes.len);
    assert_int_equal(reader.stage, HTTP_HAS_HEAD);
    http_reader_request(&reader, &request);
    assert_int_equal(request.field_count, 3);
    assert_str(request.fields[1].name, "x-one");
    assert_str(request.fields[1].value, "1");
    assert_str(request.fields[2].name, "x-one");
    assert_str(request.fields[2].value, "2");
    http_reader_free(&reader);
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_read),
        cmocka_unit_test(lines_that_two_readers_could_read_differently_are_refused),
        cmocka_unit_test(a_path_is_plain_and_its_authority_that_of_host),
        cmocka_unit_test(fields_that_frame_a_request_are_read_in_one_way),
        cmocka_unit_test(what_is_too_large_is_refused_before_it_is_complete),
        cmocka_unit_test(names_of_fields_are_in_lower_case),
    };
    return RUN_TESTS(tests);
}
