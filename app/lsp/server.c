/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - a server from its creation to its end: bytes in, frames out. */
#define _DEFAULT_SOURCE /* PATH_MAX */
#include <assert.h>
#include <limits.h>
#include <unistd.h>

#include "lsp/frame.h"
#include "lsp/lsp_internal.h"

enum {
    SERVER_ARENA_BYTES = 1 << 20,
    INPUT_BYTES_MAX = LSP_FRAME_BYTES_MAX * 2 + LSP_HEADER_BYTES_MAX,
    OUTPUT_BYTES_MAX = 1 << 30,
    CANCELLED_BYTES_MAX = 1 << 20,
    PATHS_BYTES_MAX = 16 << 20,
};

struct lsp_server *lsp_server_create(const struct lsp_program *program)
{
    assert(program);
    struct bt_arena arena;
    bt_arena_init(&arena, SERVER_ARENA_BYTES);
    struct lsp_server *server = BT_NEW(&arena, struct lsp_server);
    if (!server) {
        return NULL;
    }
    server->arena = arena;
    server->program = program;
    bt_buf_init(&server->input, INPUT_BYTES_MAX);
    bt_buf_init(&server->output, OUTPUT_BYTES_MAX);
    bt_buf_init(&server->message, OUTPUT_BYTES_MAX);
    bt_buf_init(&server->result, OUTPUT_BYTES_MAX);
    bt_buf_init(&server->cancelled, CANCELLED_BYTES_MAX);
    bt_arena_init(&server->settings_arena, PATHS_BYTES_MAX);
    bt_arena_init(&server->folders.arena, PATHS_BYTES_MAX);
    char path[PATH_MAX];
    const bt_str start = bt_str_of(getcwd(path, sizeof(path)) ? path : "/");
    struct lsp_folders *folders = &server->folders;
    folders->count = 1;
    folders->current = &folders->items[0];
    if (bt_arena_copy(&folders->arena, start, &folders->items[0].path) != BT_OK) {
        lsp_server_destroy(server);
        return NULL;
    }
    return server;
}

void lsp_server_destroy(struct lsp_server *server)
{
    if (!server) {
        return;
    }
    for (size_t i = 0; i < server->documents.count; i++) {
        lsp_document_destroy(server->documents.items[i]);
    }
    for (size_t i = 0; i < server->folders.count; i++) {
        if (server->folders.items[i].workspace) {
            server->program->close(server->program->context, server->folders.items[i].workspace);
        }
    }
    bt_buf_free(&server->input);
    bt_buf_free(&server->output);
    bt_buf_free(&server->message);
    bt_buf_free(&server->result);
    bt_buf_free(&server->cancelled);
    bt_arena_free(&server->settings_arena);
    bt_arena_free(&server->folders.arena);
    struct bt_arena arena = server->arena;
    bt_arena_free(&arena);
}

enum bt_status lsp_server_receive(struct lsp_server *server, bt_str bytes)
{
    /* Move the rest to the front when that is cheap: most of the bytes were handled. */
    if (server->input_at > server->input.len / 2) {
        lsp_text_replace(&server->input, (struct lsp_span){0, server->input_at}, BT_STR(""));
        server->scan_at -= server->input_at;
        server->input_at = 0;
    }
    bt_buf_put(&server->input, bytes);
    return server->input.status;
}

/* The frame at an offset of the input. */
static enum lsp_frame_result read_frame(const struct lsp_server *server, size_t at,
                                        struct lsp_frame *out)
{
    return lsp_frame_read(bt_str_slice(bt_buf_str(&server->input), at, server->input.len), out);
}

/* Search the frames that arrived since the last time for requests to cancel. */
static void scan_cancellations(struct lsp_server *server)
{
    struct lsp_frame frame;
    while (read_frame(server, server->scan_at, &frame) == LSP_FRAME_COMPLETE) {
        lsp_note_cancellation(server, frame.content);
        server->scan_at += frame.size;
    }
}

enum lsp_state lsp_server_handle(struct lsp_server *server)
{
    struct lsp_frame frame;
    enum lsp_frame_result found = LSP_FRAME_INCOMPLETE;
    scan_cancellations(server);
    while (!server->has_exited &&
           (found = read_frame(server, server->input_at, &frame)) == LSP_FRAME_COMPLETE) {
        lsp_handle_message(server, frame.content);
        server->input_at += frame.size;
    }
    if (server->has_exited) {
        return LSP_ENDED;
    }
    return found == LSP_FRAME_MALFORMED ? LSP_BROKEN : LSP_RUNNING;
}

bool lsp_server_is_full(const struct lsp_server *server)
{
    return server->input.len - server->input_at > LSP_FRAME_BYTES_MAX;
}

struct bt_buf *lsp_server_output(struct lsp_server *server)
{
    return &server->output;
}

int64_t lsp_server_process_id(const struct lsp_server *server)
{
    return server->client.process_id;
}

int lsp_server_exit_code(const struct lsp_server *server)
{
    return server->phase == LSP_PHASE_SHUT ? 0 : 1;
}
