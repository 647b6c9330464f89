/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_http_client.c - requests and answers over loopback; a resolver and a server that hang.
 */
#include "test.h"

#include <netdb.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "net/http_client.h"
#include "net/socket_address.h"

enum { SOON_MS = 50, NEVER_MS = 3600000, REQUEST_BYTES_MAX = 1 << 21, LONG_BODY = 1 << 20 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_released; /* the resolver answers at last */
    int waiting;
} resolver = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* Where 127.0.0.1 leads: to the server of the test, whatever the port is called. */
static union bt_socket_address server_address;
static struct addrinfo server_info = {.ai_family = AF_INET,
                                      .ai_socktype = SOCK_STREAM,
                                      .ai_addr = &server_address.any,
                                      .ai_addrlen = sizeof(struct sockaddr_in)};

/* Replaces the system's: no name has an address, and for `slow` it takes until the test ends. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
    (void)service;
    const bool is_slow = strcmp(name, "slow") == 0 && !(hints->ai_flags & AI_NUMERICHOST);
    (void)pthread_mutex_lock(&resolver.lock);
    resolver.waiting += is_slow ? 1 : 0;
    while (is_slow && !resolver.is_released) {
        (void)pthread_cond_wait(&resolver.changed, &resolver.lock);
    }
    resolver.waiting -= is_slow ? 1 : 0;
    (void)pthread_cond_broadcast(&resolver.changed);
    (void)pthread_mutex_unlock(&resolver.lock);
    if (strcmp(name, "127.0.0.1") != 0) {
        return EAI_NONAME;
    }
    *out = &server_info;
    return 0;
}

void freeaddrinfo(struct addrinfo *found)
{
    assert_ptr_equal(found, &server_info);
}

static int release(void **state)
{
    (void)state;
    (void)pthread_mutex_lock(&resolver.lock);
    resolver.is_released = true;
    (void)pthread_cond_broadcast(&resolver.changed);
    while (resolver.waiting > 0) {
        (void)pthread_cond_wait(&resolver.changed, &resolver.lock);
    }
    (void)pthread_mutex_unlock(&resolver.lock);
    return 0;
}

static unsigned ask(bt_str host, uint64_t until_ms, const _Atomic uint64_t *end_ms)
{
    const struct http_url where = {.host = host,
                                   .port = BT_STR_INIT("80"),
                                   .authority = BT_STR_INIT("nobody"),
                                   .path = BT_STR_INIT("")};
    const struct http_client_post post = {.where = &where,
                                          .path = "/",
                                          .fields = BT_STR_INIT(""),
                                          .body = BT_STR_INIT(""),
                                          .until_ms = until_ms,
                                          .end_ms = end_ms};
    return bt_http_client_post(&post, NULL);
}

static void a_name_that_is_never_found_costs_the_deadline_and_no_more(void **state)
{
    (void)state;
    const uint64_t until_ms = bt_clock_monotonic_ms() + SOON_MS;
    assert_int_equal(ask(BT_STR("slow"), until_ms, NULL), 0);
    assert_true(bt_clock_monotonic_ms() >= until_ms);
    assert_false(resolver.is_released);
}

static void whoever_ends_does_not_wait_for_a_name(void **state)
{
    (void)state;
    const _Atomic uint64_t end_ms = bt_clock_monotonic_ms() + SOON_MS;
    assert_int_equal(ask(BT_STR("slow"), bt_clock_monotonic_ms() + NEVER_MS, &end_ms), 0);
    assert_false(resolver.is_released);
}

static void a_name_that_nobody_has_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(ask(BT_STR("nobody"), bt_clock_monotonic_ms() + NEVER_MS, NULL), 0);
}

struct server {
    int listener;
    size_t request_bytes; /* when that many have come, it answers */
    bt_str answer;
    char *got;
    size_t got_bytes;
    pthread_t thread;
};

static void *serve_once(void *context)
{
    struct server *server = context;
    const int fd = accept(server->listener, NULL, NULL);
    ssize_t count = 1;
    while (count > 0 && server->got_bytes < server->request_bytes) {
        count = recv(fd, server->got + server->got_bytes, REQUEST_BYTES_MAX - server->got_bytes, 0);
        server->got_bytes += count > 0 ? (size_t)count : 0;
    }
    (void)!send(fd, server->answer.ptr, server->answer.len, MSG_NOSIGNAL);
    (void)close(fd);
    return NULL;
}

static int open_listener(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t length = sizeof(server_address);
    server_address.four =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(fd, &server_address.any, sizeof(struct sockaddr_in)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, &server_address.any, &length), 0);
    return fd;
}

static unsigned post_body(bt_str body, struct bt_buf *out_body)
{
    const struct http_url where = {.host = BT_STR_INIT("127.0.0.1"),
                                   .port = BT_STR_INIT("80"),
                                   .authority = BT_STR_INIT("here.example:80"),
                                   .path = BT_STR_INIT("/in")};
    const struct http_client_post post = {.where = &where,
                                          .path = "/x",
                                          .fields = BT_STR_INIT("A: b\r\n"),
                                          .body = body,
                                          .until_ms = bt_clock_monotonic_ms() + NEVER_MS};
    return bt_http_client_post(&post, out_body);
}

/* Post `body` to a server that gives `answer`, and demand that the request was as written here. */
static unsigned exchange(bt_str answer, bt_str body, struct bt_buf *out_body)
{
    struct server server = {
        .listener = open_listener(), .answer = answer, .got = malloc(REQUEST_BYTES_MAX)};
    struct bt_buf wanted;
    bt_buf_init(&wanted, REQUEST_BYTES_MAX);
    bt_buf_printf(&wanted,
                  "POST /in/x HTTP/1.%d\r\nHost: here.example:80\r\nA: b\r\nConnection: close\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  out_body ? 0 : 1, body.len);
    bt_buf_put(&wanted, body);
    server.request_bytes = wanted.len;
    assert_int_equal(pthread_create(&server.thread, NULL, serve_once, &server), 0);
    const unsigned status = post_body(body, out_body);
    assert_int_equal(pthread_join(server.thread, NULL), 0);
    assert_true(bt_str_eq((bt_str){server.got, server.got_bytes}, bt_buf_str(&wanted)));
    bt_buf_free(&wanted);
    free(server.got);
    (void)close(server.listener);
    return status;
}

static void the_status_of_an_answer_is_given_and_no_redirect_followed(void **state)
{
    (void)state;
    const struct {
        bt_str answer;
        unsigned status;
    } rows[] = {
        {BT_STR_INIT("HTTP/1.1 204 No Content\r\n\r\n"), 204},
        {BT_STR_INIT("HTTP/1.0 503 Later\r\n\r\n"), 503},
        {BT_STR_INIT("HTTP/1.1 307 There\r\nLocation: http://127.0.0.1/y\r\n\r\n"), 307},
        {BT_STR_INIT("HTTP/1.1 20"), 0},
        {BT_STR_INIT("HTTP/2 200 OK\r\n\r\n"), 0},
        {BT_STR_INIT("220 mail.example ESMTP\r\n"), 0},
        {BT_STR_INIT(""), 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(exchange(rows[i].answer, BT_STR("{}"), NULL), rows[i].status);
    }
}

static void the_body_of_an_answer_is_bounded(void **state)
{
    (void)state;
    const bt_str answer = BT_STR("HTTP/1.1 409 Conflict\r\nA: b\r\n\r\n12345\n");
    struct bt_buf body;
    bt_buf_init(&body, 6);
    assert_int_equal(exchange(answer, BT_STR(""), &body), 409);
    assert_true(body.status == BT_OK && bt_str_eq(bt_buf_str(&body), BT_STR("12345\n")));
    bt_buf_free(&body);
    bt_buf_init(&body, 5);
    assert_int_equal(exchange(answer, BT_STR(""), &body), 409);
    assert_true(body.status != BT_OK && body.len <= 5);
    bt_buf_free(&body);
}

static void a_long_body_arrives_whole(void **state)
{
    (void)state;
    char *bytes = malloc(LONG_BODY);
    for (size_t i = 0; i < LONG_BODY; i++) {
        bytes[i] = (char)('a' + i % 26);
    }
    assert_int_equal(exchange(BT_STR("HTTP/1.1 200 OK\r\n\r\n"), (bt_str){bytes, LONG_BODY}, NULL),
                     200);
    free(bytes);
}

static void a_server_that_hangs_costs_the_deadline_and_no_more(void **state)
{
    (void)state;
    const int listener = open_listener(); /* connections are made, and nothing answers */
    const uint64_t until_ms = bt_clock_monotonic_ms() + SOON_MS;
    assert_int_equal(ask(BT_STR("127.0.0.1"), until_ms, NULL), 0);
    const _Atomic uint64_t end_ms = bt_clock_monotonic_ms() + SOON_MS;
    assert_int_equal(ask(BT_STR("127.0.0.1"), bt_clock_monotonic_ms() + NEVER_MS, &end_ms), 0);
    (void)close(listener);
}

static void urls_are_split_or_refused(void **state)
{
    (void)state;
    const struct {
        const char *url;
        const char *host; /* NULL: refused */
        const char *port;
        const char *authority;
        const char *path;
    } rows[] = {
        {"http://a", "a", "80", "a", ""},
        {"https://a/b/", "a", "443", "a", "/b"},
        {"http://u:p@a:8/b?c=d", "a", "8", "a:8", "/b?c=d"},
        {"https://[::1]:8443/", "::1", "8443", "[::1]:8443", ""},
        {"ftp://a", NULL, NULL, NULL, NULL},
        {"http://", NULL, NULL, NULL, NULL},
        {"http://a/\r\nX: y", NULL, NULL, NULL, NULL},
    };
    struct bt_arena arena;
    bt_arena_init(&arena, 4096);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct http_url url;
        const enum bt_status status = bt_http_url_parse(&arena, bt_str_of(rows[i].url), &url);
        assert_int_equal(status, rows[i].host ? BT_OK : BT_EINVAL);
        assert_true(!rows[i].host || (bt_str_eq(url.host, bt_str_of(rows[i].host)) &&
                                      bt_str_eq(url.port, bt_str_of(rows[i].port)) &&
                                      bt_str_eq(url.authority, bt_str_of(rows[i].authority)) &&
                                      bt_str_eq(url.path, bt_str_of(rows[i].path))));
    }
    bt_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_is_never_found_costs_the_deadline_and_no_more),
        cmocka_unit_test(whoever_ends_does_not_wait_for_a_name),
        cmocka_unit_test(a_name_that_nobody_has_is_not_waited_for),
        cmocka_unit_test(the_status_of_an_answer_is_given_and_no_redirect_followed),
        cmocka_unit_test(the_body_of_an_answer_is_bounded),
        cmocka_unit_test(a_long_body_arrives_whole),
        cmocka_unit_test(a_server_that_hangs_costs_the_deadline_and_no_more),
        cmocka_unit_test(urls_are_split_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
