/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lsp.c - a hostile client of the language server: frames, and changes of a document.
 *
 * The first byte chooses. Frames: the bytes are what a client sends; the server must neither crash
 * nor write anything but well-formed frames, whatever pieces the bytes come in. Changes: the bytes
 * are ranges and texts; after any of them the text equals that of a naive model, which inserts and
 * removes one byte at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lsp/frame.h"
#include "lsp/lsp.h"
#include "lsp/text.h"

enum { MODEL_BYTES_MAX = 1 << 16 };

/* ---- Frames ---------------------------------------------------------------------------------- */

struct fuzz_program {
    struct lsp_program base;
    struct lsp_workspace workspace;
    struct bt_env env;
};

static struct lsp_workspace *open_workspace(void *context, const struct lsp_settings *settings,
                                            struct bt_error *error)
{
    struct fuzz_program *program = context;
    (void)settings;
    (void)error;
    program->workspace =
        (struct lsp_workspace){.env = &program->env,
                               .options = {.checker = bt_checker_create(&program->env)},
                               .root = BT_STR(""),
                               .governed_root = BT_STR(""),
                               .organism_path = BT_STR(""),
                               .docs_url = BT_STR("")};
    return program->workspace.options.checker ? &program->workspace : NULL;
}

static void close_workspace(void *context, struct lsp_workspace *workspace)
{
    (void)context;
    bt_checker_destroy(workspace->options.checker);
}

/* Every byte that the server wrote belongs to a frame. */
static void check_output(struct lsp_server *server)
{
    bt_str rest = bt_buf_str(lsp_server_output(server));
    struct lsp_frame frame;
    while (rest.len > 0) {
        PROMISE(lsp_frame_read(rest, &frame) == LSP_FRAME_COMPLETE);
        rest = bt_str_slice(rest, frame.size, rest.len);
    }
    bt_buf_clear(lsp_server_output(server));
}

static void fuzz_frames(bt_str bytes)
{
    struct fuzz_program program = {.base = {.env = &program.env,
                                            .context = &program,
                                            .open = open_workspace,
                                            .close = close_workspace}};
    PROMISE(bt_env_init(&program.env) == BT_OK);
    bt_env_pin_clock(&program.env, &(bt_instant){.seconds = 1776157200});
    bt_env_pin_seed(&program.env, 1);
    struct lsp_server *server = lsp_server_create(&program.base);
    PROMISE(server);
    const size_t half = bytes.len / 2;
    enum lsp_state state = LSP_RUNNING;
    for (size_t from = 0; from < bytes.len && state == LSP_RUNNING; from += half + 1) {
        const bt_str piece = bt_str_slice(bytes, from, from + half + 1);
        PROMISE(lsp_server_receive(server, piece) == BT_OK);
        state = lsp_server_handle(server);
        check_output(server);
        lsp_server_publish(server);
        check_output(server);
    }
    lsp_server_destroy(server);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* The offset of a position, found by stepping through the characters. */
static size_t find_naively(bt_str text, enum lsp_encoding encoding, struct lsp_position wanted,
                           bool *out_inside)
{
    size_t at = 0;
    for (uint64_t line = 0; line < wanted.line; at++) {
        if (at >= text.len) {
            return text.len;
        }
        const bool is_crlf = text.ptr[at] == '\r' && at + 1 < text.len && text.ptr[at + 1] == '\n';
        line += text.ptr[at] == '\n' || (text.ptr[at] == '\r' && !is_crlf);
    }
    uint64_t left = wanted.character;
    while (left > 0 && at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r') {
        size_t size = 1;
        while (at + size < text.len && ((unsigned char)text.ptr[at + size] & 0xc0) == 0x80) {
            size++;
        }
        const uint64_t units = encoding == LSP_ENCODING_UTF8 ? size : size > 3 ? 2 : 1;
        if (units > left) {
            *out_inside = true;
            return at;
        }
        left -= units;
        at += size;
    }
    return at;
}

/* Replace bytes of the model, one at a time. */
static size_t replace_naively(char *model, size_t size, struct lsp_span span, bt_str by)
{
    for (size_t i = span.begin; i < span.end; i++) {
        memmove(model + span.begin, model + span.begin + 1, size - span.begin - 1);
        size--;
    }
    for (size_t i = 0; i < by.len; i++) {
        memmove(model + span.begin + i + 1, model + span.begin + i, size - span.begin - i);
        model[span.begin + i] = by.ptr[i];
        size++;
    }
    return size;
}

static void fuzz_changes(bt_str bytes, enum lsp_encoding encoding)
{
    static char model[MODEL_BYTES_MAX * 2];
    size_t size = 0;
    struct bt_buf text;
    bt_buf_init(&text, MODEL_BYTES_MAX);
    /* Each change: two positions of one byte each per part, the length of the text, the text. */
    while (bytes.len >= 5 && size + 256 < MODEL_BYTES_MAX) {
        const unsigned char *head = (const unsigned char *)bytes.ptr;
        const struct lsp_position start = {head[0], head[1]};
        const struct lsp_position end = {head[2], head[3]};
        const bt_str by = bt_str_slice(bytes, 5, 5 + (size_t)head[4]);
        bytes = bt_str_slice(bytes, 5 + by.len, bytes.len);
        struct lsp_span span = {0, 0};
        bool is_inside = false;
        const size_t begin = find_naively((bt_str){model, size}, encoding, start, &is_inside);
        const size_t finish = find_naively((bt_str){model, size}, encoding, end, &is_inside);
        const bool is_first = lsp_offset_of(bt_buf_str(&text), encoding, start, &span.begin);
        const bool is_last = lsp_offset_of(bt_buf_str(&text), encoding, end, &span.end);
        PROMISE((is_first && is_last) == !is_inside);
        PROMISE(span.begin == begin && span.end == finish);
        /* Only well-formed text reaches a document: it was a JSON string. */
        if (is_inside || lsp_position_compare(start, end) > 0 || bt_utf8_check(by) != by.len) {
            continue;
        }
        lsp_text_replace(&text, span, by);
        size = replace_naively(model, size, span, by);
        PROMISE(text.status == BT_OK);
        PROMISE(bt_str_eq(bt_buf_str(&text), (bt_str){model, size}));
    }
    bt_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str bytes = {(const char *)data, size};
    const bt_str rest = bt_str_slice(bytes, 1, bytes.len);
    if (size == 0) {
        return 0;
    }
    if (data[0] == 'F') {
        fuzz_frames(rest);
    } else {
        fuzz_changes(rest, data[0] % 2 ? LSP_ENCODING_UTF8 : LSP_ENCODING_UTF16);
    }
    return 0;
}
