/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_query.c - requests to a server, one after another, each with a deadline.
 *
 * The client declares elicitation, roots and sampling, because servers offer other tools to other
 * clients; it has no roots and declines everything else.
 */
#include "wrap/server_query.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <baton/version.h>

#include "base/clock.h"
#include "json/emit.h"
#include "wrap/message.h"

enum {
    DISCOVER_MS = 2000,
    START_MS = 60000, /* a package may be fetched first */
    LIST_MS = 30000,
    MESSAGE_BYTES_MAX = 33554432,
    READ_BYTES = 64 << 10,
    WALKS_MAX = 5,
    PAGES_MAX = 1000,
    NOISE_BYTES_MAX = 200,
    END_MS = 1000, /* for a server that has closed its output */
    UNKNOWN_METHOD = -32601,
    REJECTED = -1, /* how clients refuse sampling */
};

static const bt_str VERSION_MODERN = BT_STR_INIT("2026-07-28");
static const bt_str VERSION_LEGACY = BT_STR_INIT("2025-11-25");

struct wrap_query {
    struct bt_wrap_memory memory;
    struct bt_server_process server;
    struct bt_buf input;
    struct bt_buf out;
    uint64_t requests;
    bool is_modern;
    bool is_upstream; /* lines may be notes about HTTP */
    bt_str note;      /* the last one, or "" */
    bool is_closed;   /* the server has closed one of its ends */
    struct bt_error *error;
};

/* ---- Writing --------------------------------------------------------------------------------- */

/* Write what is in `out`; the server has until the deadline to take it. */
static bool write_out(struct wrap_query *query, uint64_t deadline_ms)
{
    size_t sent = 0;
    while (sent < query->out.len) {
        const ssize_t count =
            write(query->server.input_fd, query->out.ptr + sent, query->out.len - sent);
        if (count > 0) {
            sent += (size_t)count;
            continue;
        }
        const uint64_t now = bt_clock_monotonic_ms();
        if ((errno != EAGAIN && errno != EINTR) || now >= deadline_ms) {
            query->is_closed = query->is_closed || errno == EPIPE;
            return false;
        }
        struct pollfd fd = {.fd = query->server.input_fd, .events = POLLOUT};
        (void)poll(&fd, 1, (int)(deadline_ms - now));
    }
    bt_buf_clear(&query->out);
    return true;
}

static void put_client(struct bt_emit *emit, const char *name)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_string(emit, "name", BT_STR("baton"));
    bt_emit_member_string(emit, "version", bt_str_of(bt_version()));
    bt_emit_end(emit);
}

static void put_capabilities(struct bt_emit *emit, const char *name)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_object(emit, "elicitation");
    bt_emit_member_object(emit, "form");
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_member_object(emit, "roots");
    bt_emit_end(emit);
    bt_emit_member_object(emit, "sampling");
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void put_metadata(struct bt_emit *emit)
{
    bt_emit_member_object(emit, "_meta");
    bt_emit_member_string(emit, "io.modelcontextprotocol/protocolVersion", VERSION_MODERN);
    put_client(emit, "io.modelcontextprotocol/clientInfo");
    put_capabilities(emit, "io.modelcontextprotocol/clientCapabilities");
    bt_emit_end(emit);
}

static void put_handshake(struct bt_emit *emit)
{
    bt_emit_member_string(emit, "protocolVersion", VERSION_LEGACY);
    put_capabilities(emit, "capabilities");
    put_client(emit, "clientInfo");
}

/* Begin a request with its params open. */
static void begin_request(struct wrap_query *query, struct bt_emit *emit, bt_str method)
{
    bt_emit_init(emit, &query->out, false);
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_name(emit, "id");
    bt_emit_value(emit);
    bt_buf_printf(&query->out, "\"baton-%llu\"", (unsigned long long)++query->requests);
    bt_emit_member_string(emit, "method", method);
    bt_emit_member_object(emit, "params");
}

static void end_request(struct wrap_query *query, struct bt_emit *emit)
{
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_buf_put_char(&query->out, '\n');
}

/* ---- What the server asks -------------------------------------------------------------------- */

static void put_error(struct bt_emit *emit, int64_t code, const char *message)
{
    bt_emit_member_object(emit, "error");
    bt_emit_name(emit, "code");
    bt_emit_i64(emit, code);
    bt_emit_member_string(emit, "message", bt_str_of(message));
    bt_emit_end(emit);
}

/* Answer a request of the server: no roots, no person, no model. */
static void answer_server(struct wrap_query *query, const struct bt_wrap_message *message)
{
    struct bt_emit emit;
    bt_emit_init(&emit, &query->out, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "jsonrpc", BT_STR("2.0"));
    bt_emit_name(&emit, "id");
    bt_emit_value(&emit);
    bt_wrap_id_put(&query->out, &message->id);
    if (bt_str_eq(message->method, BT_STR("roots/list"))) {
        bt_emit_member_object(&emit, "result");
        bt_emit_member_array(&emit, "roots");
        bt_emit_end(&emit);
        bt_emit_end(&emit);
    } else if (bt_str_eq(message->method, BT_STR("ping"))) {
        bt_emit_member_object(&emit, "result");
        bt_emit_end(&emit);
    } else if (bt_str_eq(message->method, BT_STR("elicitation/create"))) {
        bt_emit_member_object(&emit, "result");
        bt_emit_member_string(&emit, "action", BT_STR("decline"));
        bt_emit_end(&emit);
    } else if (bt_str_eq(message->method, BT_STR("sampling/createMessage"))) {
        put_error(&emit, REJECTED, "declined");
    } else {
        put_error(&emit, UNKNOWN_METHOD, "Method not found");
    }
    bt_emit_end(&emit);
    bt_buf_put_char(&query->out, '\n');
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Take the next complete line out of the input, as a copy in the arena. False: there is none. */
static bool next_line(struct wrap_query *query, bt_str *out)
{
    const bt_str input = bt_buf_str(&query->input);
    const size_t end = bt_str_find_byte(input, '\n', 0);
    if (end == input.len ||
        bt_arena_copy(query->memory.arena, bt_str_slice(input, 0, end), out) != BT_OK) {
        return false;
    }
    memmove(query->input.ptr, query->input.ptr + end + 1, input.len - end - 1);
    query->input.len = input.len - end - 1;
    return true;
}

/* Wait for more input. False: the deadline passed, or the server has ended. */
static bool read_more(struct wrap_query *query, uint64_t deadline_ms)
{
    char *room = bt_buf_reserve(&query->input, READ_BYTES);
    while (room) {
        const ssize_t count = read(query->server.output_fd, room, READ_BYTES);
        const uint64_t now = bt_clock_monotonic_ms();
        if (count > 0) {
            query->input.len += (size_t)count;
            return true;
        }
        query->is_closed = query->is_closed || count == 0;
        if (count == 0 || (errno != EAGAIN && errno != EINTR) || now >= deadline_ms) {
            return false;
        }
        struct pollfd fd = {.fd = query->server.output_fd, .events = POLLIN};
        (void)poll(&fd, 1, (int)(deadline_ms - now));
    }
    return false;
}

static void show_noise(bt_str line)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 8 * NOISE_BYTES_MAX);
    bt_buf_put_printable(&buf, line, NOISE_BYTES_MAX);
    bt_buf_put_char(&buf, '\n');
    (void)!write(STDERR_FILENO, buf.ptr, buf.len);
    bt_buf_free(&buf);
}

static bool is_answer(const struct wrap_query *query, const struct bt_wrap_message *message)
{
    struct bt_buf id;
    bt_buf_init(&id, 64);
    bt_buf_printf(&id, "baton-%llu", (unsigned long long)query->requests);
    const bool is_ours = message->kind == BT_WRAP_MESSAGE_RESPONSE && message->id.is_text &&
                         bt_str_eq((bt_str){message->id.text, message->id.size}, bt_buf_str(&id));
    bt_buf_free(&id);
    return is_ours;
}

/* Take lines until the answer to the last request is there. */
static bool wait_for_answer(struct wrap_query *query, uint64_t deadline_ms,
                            struct bt_wrap_message *out)
{
    bt_str line;
    for (;;) { /* ends with the answer, the deadline or the server */
        if (!next_line(query, &line)) {
            if (!read_more(query, deadline_ms)) {
                return false;
            }
            continue;
        }
        if (bt_wrap_message_read(query->memory.arena, query->memory.env, line, MESSAGE_BYTES_MAX,
                                 out) != BT_OK) {
            return false;
        }
        if (is_answer(query, out)) {
            return true;
        }
        if (out->kind == BT_WRAP_MESSAGE_REQUEST) {
            answer_server(query, out);
            if (!write_out(query, deadline_ms)) {
                return false;
            }
        } else if (query->is_upstream && line.len > 0 && line.ptr[0] == BT_WRAP_NOTE) {
            query->note = bt_str_slice(line, 1, line.len);
        } else if (out->kind == BT_WRAP_MESSAGE_NONE) {
            show_noise(line);
        }
    }
}

/* Send what was put, and wait for the answer. */
static bool send_request(struct wrap_query *query, uint64_t wait_ms, struct bt_wrap_message *out)
{
    const uint64_t deadline = bt_clock_monotonic_ms() + wait_ms;
    return write_out(query, deadline) && wait_for_answer(query, deadline, out);
}

static bool wait_for_end(const struct bt_server_process *server, uint64_t wait_ms)
{
    struct pollfd life = {.fd = server->life_fd, .events = POLLIN};
    return poll(&life, 1, (int)wait_ms) > 0;
}

/* Tell why the server did not answer, and what to look at. */
static enum bt_status fail_query(struct wrap_query *query, bt_str method)
{
    struct bt_server_process_end end = bt_server_process_poll(&query->server);
    uint64_t status = 0;
    if (query->note.len > 0) {
        const bool is_status = bt_str_to_u64(query->note, &status) == BT_OK;
        return bt_error_set(query->error, BT_EIO, "the HTTP server does not answer %.*s: %s%.*s",
                            BT_STR_ARG(method), is_status ? "status " : "",
                            BT_STR_ARG(query->note));
    }
    if (!end.has_ended && query->is_closed && wait_for_end(&query->server, END_MS)) {
        end = bt_server_process_poll(&query->server);
    }
    if (end.has_ended) {
        return bt_error_set(query->error, BT_EIO,
                            "the server ended with %s %d before it answered %.*s; run its command "
                            "by itself to see why",
                            end.was_signalled ? "signal" : "status", end.number,
                            BT_STR_ARG(method));
    }
    return bt_error_set(query->error, BT_EIO,
                        "the server does not answer %.*s; is its command an MCP server that talks "
                        "on standard input and output?",
                        BT_STR_ARG(method));
}

/* ---- Who the server is ----------------------------------------------------------------------- */

static bt_str text_of(const struct bt_json_doc *document, const bt_json_value *object,
                      const char *name)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

static void set_server(const struct bt_wrap_message *answer, struct bt_wrap_entry *out)
{
    const struct bt_json_doc *document = answer->document;
    const bt_json_value *metadata = bt_json_get(document, answer->result, BT_STR("_meta"));
    const bt_json_value *server = bt_json_get(document, answer->result, BT_STR("serverInfo"));
    const bt_json_value *instructions =
        bt_json_get(document, answer->result, BT_STR("instructions"));
    if (!server) {
        server = bt_json_get(document, metadata, BT_STR("io.modelcontextprotocol/serverInfo"));
    }
    out->server_name = text_of(document, server, "name");
    out->server_version = text_of(document, server, "version");
    out->instructions = instructions && bt_json_type(instructions) == BT_JSON_STRING
                            ? bt_json_text(instructions)
                            : (bt_str){NULL, 0};
}

static bool query_modern(struct wrap_query *query, struct bt_wrap_entry *out)
{
    struct bt_emit emit;
    struct bt_wrap_message answer;
    begin_request(query, &emit, BT_STR("server/discover"));
    put_metadata(&emit);
    end_request(query, &emit);
    if (!send_request(query, DISCOVER_MS, &answer) || !answer.result) {
        return false;
    }
    query->is_modern = true;
    set_server(&answer, out);
    return true;
}

static bool query_legacy(struct wrap_query *query, struct bt_wrap_entry *out)
{
    struct bt_emit emit;
    struct bt_wrap_message answer;
    begin_request(query, &emit, BT_STR("initialize"));
    put_handshake(&emit);
    end_request(query, &emit);
    if (!send_request(query, START_MS, &answer) || !answer.result) {
        return false;
    }
    set_server(&answer, out);
    bt_buf_put(&query->out,
               BT_STR("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"));
    return write_out(query, bt_clock_monotonic_ms() + LIST_MS);
}

static enum bt_status query_identity(struct wrap_query *query, enum wrap_query_era era,
                                     struct bt_wrap_entry *out)
{
    if (era != WRAP_QUERY_LEGACY && query_modern(query, out)) {
        return BT_OK;
    }
    if (era == WRAP_QUERY_MODERN || query->is_closed) {
        return fail_query(query, BT_STR("server/discover"));
    }
    return query_legacy(query, out) ? BT_OK : fail_query(query, BT_STR("initialize"));
}

/* ---- What it shows --------------------------------------------------------------------------- */

static bool is_unknown_method(const struct bt_wrap_message *answer)
{
    const bt_json_value *code = bt_json_get(answer->document, answer->error, BT_STR("code"));
    return code && bt_json_type(code) == BT_JSON_INTEGER && code->as.integer == UNKNOWN_METHOD;
}

static enum bt_status query_page(struct wrap_query *query, enum bt_wrap_kind kind, bt_str cursor,
                                 struct bt_wrap_message *out)
{
    const bt_str method = bt_wrap_kind_names(kind)->method;
    struct bt_emit emit;
    begin_request(query, &emit, method);
    if (cursor.ptr) {
        bt_emit_member_string(&emit, "cursor", cursor);
    }
    if (query->is_modern) {
        put_metadata(&emit);
    }
    end_request(query, &emit);
    if (!send_request(query, LIST_MS, out)) {
        return fail_query(query, method);
    }
    return out->error && !is_unknown_method(out)
               ? bt_error_set(query->error, BT_EIO, "the server answers %.*s with an error",
                              BT_STR_ARG(method))
               : BT_OK;
}

/* Walk a list from the first page to the last. A server without the method shows nothing. */
static enum bt_status walk_list(struct wrap_query *query, enum bt_wrap_kind kind,
                                struct bt_wrap_items *out)
{
    bt_str cursor = {NULL, 0};
    *out = (struct bt_wrap_items){0};
    for (size_t i = 0; i < PAGES_MAX; i++) {
        struct bt_wrap_message answer;
        BT_TRY(query_page(query, kind, cursor, &answer));
        BT_TRY(bt_wrap_items_add(&query->memory, kind, answer.document, answer.result, out));
        const bt_json_value *next =
            bt_json_get(answer.document, answer.result, BT_STR("nextCursor"));
        if (!next || bt_json_type(next) != BT_JSON_STRING) {
            return BT_OK;
        }
        cursor = bt_json_text(next);
    }
    return bt_error_set(query->error, BT_EIO, "%.*s has more than %d pages",
                        BT_STR_ARG(bt_wrap_kind_names(kind)->method), PAGES_MAX);
}

static bool lists_are_equal(const struct bt_wrap_items *a, const struct bt_wrap_items *b)
{
    bool is_equal = a->list.count == b->list.count;
    for (size_t i = 0; is_equal && i < a->list.count; i++) {
        is_equal = bt_str_eq(a->list.items[i].key, b->list.items[i].key) &&
                   strcmp(a->list.items[i].sha256, b->list.items[i].sha256) == 0;
    }
    return is_equal;
}

static enum bt_status query_list(struct wrap_query *query, enum bt_wrap_kind kind,
                                 struct bt_wrap_items *out)
{
    struct bt_wrap_items before;
    BT_TRY(walk_list(query, kind, &before));
    for (size_t i = 1; i < WALKS_MAX; i++) {
        BT_TRY(walk_list(query, kind, out));
        if (lists_are_equal(&before, out)) {
            return BT_OK;
        }
        before = *out;
    }
    return bt_error_set(query->error, BT_EIO, "%.*s gives another list each time",
                        BT_STR_ARG(bt_wrap_kind_names(kind)->method));
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void end_server(struct bt_server_process *server)
{
    const struct wrap_timing timing = wrap_timing_default();
    bt_server_process_close_input(server);
    if (!wait_for_end(server, timing.shutdown_ms)) {
        bt_server_process_signal(server, SIGTERM);
        (void)wait_for_end(server, timing.kill_ms);
    }
    bt_server_process_close(server);
}

static enum bt_status query_all(struct wrap_query *query, const struct wrap_query_options *options,
                                struct bt_wrap_entry *out)
{
    BT_TRY(query_identity(query, options->era, out));
    out->has_resources = options->with_resources;
    for (size_t i = 0; i < BT_WRAP_KINDS; i++) {
        if (i != BT_WRAP_RESOURCE || options->with_resources) {
            BT_TRY(query_list(query, (enum bt_wrap_kind)i, &out->items[i]));
        }
    }
    return BT_OK;
}

enum bt_status wrap_query_server(const struct bt_wrap_memory *memory,
                                 const struct bt_server_command *command,
                                 const struct wrap_query_options *options,
                                 struct bt_wrap_entry *out, struct bt_error *error)
{
    struct bt_server_process server;
    struct wrap_query_options started = *options;
    if (bt_server_process_start(memory->arena, command, &server, error) != BT_OK) {
        struct bt_error reason = *error;
        return bt_error_set(error, BT_EIO, "cannot start %s: %s", command->argv[0], reason.text);
    }
    started.is_upstream = command->serve != NULL;
    return wrap_query_process(memory, &server, &started, out, error);
}

enum bt_status wrap_query_process(const struct bt_wrap_memory *memory,
                                  const struct bt_server_process *server,
                                  const struct wrap_query_options *options,
                                  struct bt_wrap_entry *out, struct bt_error *error)
{
    struct wrap_query query = {.memory = *memory,
                               .server = *server,
                               .is_upstream = options->is_upstream,
                               .note = BT_STR(""),
                               .error = error};
    bt_buf_init(&query.input, MESSAGE_BYTES_MAX + 2 * (size_t)READ_BYTES);
    bt_buf_init(&query.out, MESSAGE_BYTES_MAX);
    const enum bt_status status = query_all(&query, options, out);
    end_server(&query.server);
    bt_buf_free(&query.input);
    bt_buf_free(&query.out);
    return status;
}
