/* SPDX-License-Identifier: Apache-2.0 */
/* test_server.c - a server in this process: messages in, answers out. */
#include "lsp/lsp.h"

#include "test.h"

/* A program without flags and configuration, whose workspaces can be made to fail. */
struct test_program {
    struct lsp_program base;
    struct lsp_workspace workspace;
    struct bt_env env;
    bool fails;
    unsigned opened;
};

static struct lsp_workspace *open_workspace(void *context, const struct lsp_settings *settings,
                                            struct bt_error *error)
{
    struct test_program *program = context;
    (void)settings;
    program->opened++;
    if (program->fails) {
        (void)bt_error_set(error, BT_EINVAL, "the configuration is broken");
        return NULL;
    }
    program->workspace =
        (struct lsp_workspace){.env = &program->env,
                               .options = {.checker = bt_checker_create(&program->env)},
                               .root = BT_STR(""),
                               .governed_root = BT_STR(""),
                               .organism_path = BT_STR(""),
                               .docs_url = BT_STR("https://example.org/rules")};
    return &program->workspace;
}

static void close_workspace(void *context, struct lsp_workspace *workspace)
{
    (void)context;
    bt_checker_destroy(workspace->options.checker);
}

static struct lsp_server *begin_server(struct test_program *program)
{
    *program = (struct test_program){.base = {.env = &program->env,
                                              .context = program,
                                              .open = open_workspace,
                                              .close = close_workspace}};
    assert_int_equal(bt_env_init(&program->env), BT_OK);
    struct lsp_server *server = lsp_server_create(&program->base);
    assert_non_null(server);
    return server;
}

static void send_text(struct lsp_server *server, const char *message)
{
    char header[64];
    (void)snprintf(header, sizeof(header), "Content-Length: %zu\r\n\r\n", strlen(message));
    assert_int_equal(lsp_server_receive(server, bt_str_of(header)), BT_OK);
    assert_int_equal(lsp_server_receive(server, bt_str_of(message)), BT_OK);
}

/* The output since the last call, as a NUL-terminated text that lives until the next call. */
static const char *take_output(struct lsp_server *server)
{
    static char text[1 << 16];
    struct bt_buf *output = lsp_server_output(server);
    assert_true(output->len < sizeof(text));
    memcpy(text, output->len > 0 ? output->ptr : "", output->len);
    text[output->len] = '\0';
    bt_buf_clear(output);
    return text;
}

#define INITIALIZE                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"capabilities\":{}}}"
#define OPEN(uri, text)                                                                            \
    "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":{"      \
    "\"uri\":\"" uri "\",\"languageId\":\"json\",\"version\":1,\"text\":\"" text "\"}}}"
#define CHANGE(uri, version, changes)                                                              \
    "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didChange\",\"params\":{\"textDocument\":{"    \
    "\"uri\":\"" uri "\",\"version\":" version "},\"contentChanges\":[" changes "]}}"
#define A "file:///w/a.handoff.json"

static struct lsp_server *begin_ready(struct test_program *program)
{
    struct lsp_server *server = begin_server(program);
    send_text(server, INITIALIZE);
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    assert_non_null(strstr(take_output(server), "\"capabilities\""));
    return server;
}

static size_t count_text(const char *text, const char *wanted)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, wanted)); at++) {
        count++;
    }
    return count;
}

static void changes_that_arrived_are_published_once(void **state)
{
    (void)state;
    struct test_program program;
    struct lsp_server *server = begin_ready(&program);
    send_text(server, OPEN(A, "{}"));
    send_text(server, CHANGE(A, "2", "{\"text\":\"{\\\"handoff\\\":\"}"));
    send_text(server, CHANGE(A, "3", "{\"text\":\"{\\\"handoff\\\":{}}\"}"));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    assert_string_equal(take_output(server), "");
    lsp_server_publish(server);
    const char *output = take_output(server);
    assert_int_equal(count_text(output, "publishDiagnostics"), 1);
    assert_non_null(strstr(output, "\"version\":3"));
    assert_non_null(strstr(output, "https://example.org/rules#SCHEMA_REQUIRED"));
    lsp_server_publish(server);
    assert_string_equal(take_output(server), "");
    lsp_server_destroy(server);
}

static void a_request_that_has_not_begun_can_be_cancelled(void **state)
{
    (void)state;
    struct test_program program;
    struct lsp_server *server = begin_ready(&program);
    send_text(server, OPEN(A, "{}"));
    send_text(server, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"textDocument/codeLens\","
                      "\"params\":{\"textDocument\":{\"uri\":\"" A "\"}}}");
    send_text(server, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"textDocument/codeLens\","
                      "\"params\":{\"textDocument\":{\"uri\":\"" A "\"}}}");
    send_text(server, "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":7}}");
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    const char *output = take_output(server);
    assert_non_null(strstr(output, "\"id\":7,\"error\":{\"code\":-32800"));
    assert_non_null(strstr(output, "\"id\":8,\"result\":"));
    /* One that comes too late has no effect on a later request of the same id. */
    send_text(server, "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":9}}");
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    send_text(server, "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"textDocument/codeLens\","
                      "\"params\":{\"textDocument\":{\"uri\":\"" A "\"}}}");
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    assert_non_null(strstr(take_output(server), "\"id\":9,\"result\":"));
    lsp_server_destroy(server);
}

static void an_impossible_change_makes_a_document_out_of_sync(void **state)
{
    (void)state;
    static const char *const changes[] = {
        CHANGE(A, "1",
               "{\"text\":\"{}\",\"range\":{\"start\":{\"line\":0,\"character\":0},"
               "\"end\":{\"line\":0,\"character\":0}}}"), /* not a newer version */
        CHANGE(A, "2",
               "{\"text\":\"x\",\"range\":{\"start\":{\"line\":0,\"character\":1},"
               "\"end\":{\"line\":0,\"character\":0}}}"),
        CHANGE(A, "2",
               "{\"text\":\"x\",\"range\":{\"start\":{\"line\":0,\"character\":3},"
               "\"end\":{\"line\":0,\"character\":4}}}"), /* inside the smiley */
        CHANGE(A, "2", "{\"text\":\"x\",\"range\":5}"),
        CHANGE(A, "2",
               "{\"range\":{\"start\":{\"line\":0,\"character\":0},"
               "\"end\":{\"line\":0,\"character\":0}}}"),
        CHANGE(A, "\"2\"",
               "{\"text\":\"\",\"range\":{\"start\":{\"line\":0,\"character\":0},"
               "\"end\":{\"line\":0,\"character\":0}}}"),
    };
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        struct test_program program;
        struct lsp_server *server = begin_ready(&program);
        send_text(server, OPEN(A, "{\\\"\xf0\x9f\x98\x80\\\":1}"));
        assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
        lsp_server_publish(server);
        assert_null(strstr(take_output(server), "\"diagnostics\":[]"));
        send_text(server, changes[i]);
        send_text(server, CHANGE(A, "5",
                                 "{\"text\":\"x\",\"range\":{\"start\":{\"line\":0,"
                                 "\"character\":0},\"end\":{\"line\":0,\"character\":0}}}"));
        assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
        lsp_server_publish(server);
        const char *output = take_output(server);
        assert_int_equal(count_text(output, "window/showMessage"), 1);
        assert_non_null(strstr(output, "\"diagnostics\":[]"));
        /* A change without a range ends it, and is judged. */
        send_text(server, CHANGE(A, "9", "{\"text\":\"{}\"}"));
        assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
        lsp_server_publish(server);
        assert_non_null(strstr(take_output(server), "SCHEMA_REQUIRED"));
        lsp_server_destroy(server);
    }
}

/* The negative control of the test above. */
static void a_possible_change_keeps_a_document_in_sync(void **state)
{
    (void)state;
    struct test_program program;
    struct lsp_server *server = begin_ready(&program);
    send_text(server, OPEN(A, "{\\\"\xf0\x9f\x98\x80\\\":1}"));
    send_text(server, CHANGE(A, "2",
                             "{\"text\":\"x\",\"range\":{\"start\":{\"line\":0,"
                             "\"character\":2},\"end\":{\"line\":0,\"character\":4}}}"));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    lsp_server_publish(server);
    const char *output = take_output(server);
    assert_null(strstr(output, "window/showMessage"));
    assert_null(strstr(output, "\"diagnostics\":[]"));
    lsp_server_destroy(server);
}

static void a_broken_configuration_is_shown_once_and_judges_nothing(void **state)
{
    (void)state;
    struct test_program program;
    struct lsp_server *server = begin_ready(&program);
    program.fails = true;
    send_text(server, OPEN(A, "{}"));
    send_text(server, OPEN("file:///w/b.handoff.json", "{}"));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    lsp_server_publish(server);
    const char *output = take_output(server);
    assert_int_equal(count_text(output, "the configuration is broken"), 1);
    assert_null(strstr(output, "SCHEMA_REQUIRED"));
    /* It is read again when a document is saved. */
    program.fails = false;
    send_text(server, "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didSave\",\"params\":{"
                      "\"textDocument\":{\"uri\":\"" A "\"}}}");
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    lsp_server_publish(server);
    assert_int_equal(count_text(take_output(server), "\"code\":\"SCHEMA_REQUIRED"), 2);
    assert_int_equal(program.opened, 2);
    lsp_server_destroy(server);
}

static void a_document_beyond_the_limit_is_not_judged(void **state)
{
    (void)state;
    struct test_program program;
    struct lsp_server *server = begin_ready(&program);
    for (unsigned i = 0; i < LSP_DOCUMENTS_MAX + 2; i++) {
        char message[400];
        (void)snprintf(message, sizeof(message), OPEN("file:///w/%u.txt", "x"), i);
        send_text(server, message);
    }
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    lsp_server_publish(server);
    assert_int_equal(count_text(take_output(server), "window/showMessage"), 1);
    send_text(server, CHANGE("file:///w/1000.txt", "2", "{\"text\":\"{\\\"handoff\\\":{}}\"}"));
    send_text(server, CHANGE("file:///w/999.txt", "2", "{\"text\":\"{\\\"handoff\\\":{}}\"}"));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    lsp_server_publish(server);
    const char *output = take_output(server);
    assert_null(strstr(output, "1000.txt"));
    assert_non_null(strstr(output, "999.txt"));
    lsp_server_destroy(server);
}

static void a_document_that_loses_its_dialect_has_no_diagnostics(void **state)
{
    (void)state;
    struct test_program program;
    struct lsp_server *server = begin_ready(&program);
    send_text(server, OPEN("file:///w/a.json", "{\\\"handoff\\\":{}}"));
    send_text(server, OPEN("git:///w/a.handoff.json", "{}"));
    send_text(server, OPEN("file:///w/package.json", "{}"));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    lsp_server_publish(server);
    const char *output = take_output(server);
    assert_int_equal(count_text(output, "publishDiagnostics"), 1);
    assert_null(strstr(output, "\"diagnostics\":[]"));
    send_text(server, CHANGE("file:///w/a.json", "2", "{\"text\":\"{}\"}"));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    lsp_server_publish(server);
    assert_non_null(strstr(take_output(server), "\"version\":2,\"diagnostics\":[]"));
    lsp_server_destroy(server);
}

static void pulled_diagnostics_are_unchanged_until_they_change(void **state)
{
    (void)state;
#define PULL(id, previous)                                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"textDocument/diagnostic\",\"params\":{"       \
    "\"textDocument\":{\"uri\":\"" A "\"}" previous "}}"
    struct test_program program;
    struct lsp_server *server = begin_server(&program);
    send_text(server, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                      "\"capabilities\":{\"textDocument\":{\"diagnostic\":{}}}}}");
    send_text(server, OPEN(A, "{}"));
    send_text(server, PULL("1", ""));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    assert_non_null(
        strstr(take_output(server),
               "\"id\":1,\"result\":{\"kind\":\"full\",\"resultId\":\"1\",\"items\":[{"));
    send_text(server, PULL("2", ",\"previousResultId\":\"1\""));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    assert_non_null(
        strstr(take_output(server), "\"result\":{\"kind\":\"unchanged\",\"resultId\":\"1\"}}"));
    send_text(server, CHANGE(A, "2", "{\"text\":\"{\\\"handoff\\\":1}\"}"));
    send_text(server, PULL("3", ",\"previousResultId\":\"1\""));
    assert_int_equal(lsp_server_handle(server), LSP_RUNNING);
    const char *output = take_output(server);
    assert_non_null(strstr(output, "\"kind\":\"full\",\"resultId\":\"2\""));
    assert_null(strstr(output, "publishDiagnostics"));
    lsp_server_destroy(server);
}

/* Bytes of a message one at a time give what the whole gives. */
static void messages_arrive_in_any_pieces(void **state)
{
    (void)state;
    struct test_program program;
    struct lsp_server *server = begin_server(&program);
    static const char bytes[] =
        "Content-Length: 75\r\n\r\n" INITIALIZE "Content-Length: 44\r\n\r\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"shutdown\"}"
        "Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
    enum lsp_state now = LSP_RUNNING;
    assert_int_equal(strlen(INITIALIZE), 75);
    for (size_t i = 0; bytes[i]; i++) {
        assert_int_equal(now, LSP_RUNNING);
        assert_int_equal(lsp_server_receive(server, (bt_str){bytes + i, 1}), BT_OK);
        now = lsp_server_handle(server);
    }
    assert_int_equal(now, LSP_ENDED);
    assert_int_equal(lsp_server_exit_code(server), 0);
    assert_non_null(strstr(take_output(server), "\"id\":2,\"result\":null"));
    lsp_server_destroy(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_that_arrived_are_published_once),
        cmocka_unit_test(a_request_that_has_not_begun_can_be_cancelled),
        cmocka_unit_test(an_impossible_change_makes_a_document_out_of_sync),
        cmocka_unit_test(a_possible_change_keeps_a_document_in_sync),
        cmocka_unit_test(a_broken_configuration_is_shown_once_and_judges_nothing),
        cmocka_unit_test(a_document_beyond_the_limit_is_not_judged),
        cmocka_unit_test(a_document_that_loses_its_dialect_has_no_diagnostics),
        cmocka_unit_test(pulled_diagnostics_are_unchanged_until_they_change),
        cmocka_unit_test(messages_arrive_in_any_pieces),
    };
    return RUN_TESTS(tests);
}
