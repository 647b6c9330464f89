/* SPDX-License-Identifier: Apache-2.0 */
/* test_frame.c - frames of the protocol: whole, partial, malformed. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "lsp/frame.h"

#include <sys/mman.h>

#include "lsp/lsp.h"
#include "test.h"

static void a_frame_gives_its_content(void **state)
{
    (void)state;
    struct lsp_frame frame;
    const bt_str bytes = BT_STR("Content-Length: 2\r\n\r\n{}Content-Length: 1");
    assert_int_equal(lsp_frame_read(bytes, &frame), LSP_FRAME_COMPLETE);
    assert_str(frame.content, "{}");
    assert_int_equal(frame.size, 23);
}

static void headers_that_are_allowed(void **state)
{
    (void)state;
    static const char *const frames[] = {
        "content-length: 2\r\n\r\n{}",
        "Content-Length:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
        "Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Type: application/vscode-jsonrpc\r\nContent-Length: 2\r\n\r\n{}",
    };
    for (size_t i = 0; i < COUNT_OF(frames); i++) {
        struct lsp_frame frame;
        assert_int_equal(lsp_frame_read(bt_str_of(frames[i]), &frame), LSP_FRAME_COMPLETE);
        assert_str(frame.content, "{}");
    }
}

static void headers_that_break_the_stream(void **state)
{
    (void)state;
    static const char *const frames[] = {
        "Content-Length: 0\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: many\r\n\r\n{}",
        "Content-Length: 33554433\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        "Content-Length: 2\n\n{}",
        "Content-Type: x\r\n\r\n{}",
        "Content-Length: 2\r\nContent-Type: text/plain; charset=latin1\r\n\r\n{}",
        "no colon\r\n\r\n",
        "\r\n",
        "{}\n",
    };
    for (size_t i = 0; i < COUNT_OF(frames); i++) {
        struct lsp_frame frame;
        assert_int_equal(lsp_frame_read(bt_str_of(frames[i]), &frame), LSP_FRAME_MALFORMED);
    }
}

static void a_header_may_have_4096_bytes(void **state)
{
    (void)state;
    static char bytes[LSP_HEADER_BYTES_MAX + 64];
    struct lsp_frame frame;
    memset(bytes, 'x', sizeof(bytes));
    memcpy(bytes, "X: ", 3);
    assert_int_equal(lsp_frame_read((bt_str){bytes, LSP_HEADER_BYTES_MAX - 1}, &frame),
                     LSP_FRAME_INCOMPLETE);
    assert_int_equal(lsp_frame_read((bt_str){bytes, LSP_HEADER_BYTES_MAX + 1}, &frame),
                     LSP_FRAME_MALFORMED);
}

/* Every prefix of a frame, with nothing readable behind it, is incomplete. */
static void parts_of_a_frame_are_incomplete(void **state)
{
    (void)state;
    const bt_str whole = BT_STR("Content-Length: 7\r\nContent-Type: a/b\r\n\r\n{\"a\":1}");
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
    for (size_t size = 0; size <= whole.len; size++) {
        char *begin = memory + page - size;
        struct lsp_frame frame;
        memcpy(begin, whole.ptr, size);
        assert_int_equal(lsp_frame_read((bt_str){begin, size}, &frame),
                         size < whole.len ? LSP_FRAME_INCOMPLETE : LSP_FRAME_COMPLETE);
    }
    assert_int_equal(munmap(memory, page * 2), 0);
}

static void a_frame_that_is_put_can_be_read(void **state)
{
    (void)state;
    struct lsp_frame frame;
    struct bt_buf buf;
    bt_buf_init(&buf, 1000);
    lsp_frame_put(&buf, BT_STR("{\"x\":1}"));
    assert_str(bt_buf_str(&buf), "Content-Length: 7\r\n\r\n{\"x\":1}");
    assert_int_equal(lsp_frame_read(bt_buf_str(&buf), &frame), LSP_FRAME_COMPLETE);
    assert_str(frame.content, "{\"x\":1}");
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_gives_its_content),
        cmocka_unit_test(headers_that_are_allowed),
        cmocka_unit_test(headers_that_break_the_stream),
        cmocka_unit_test(a_header_may_have_4096_bytes),
        cmocka_unit_test(parts_of_a_frame_are_incomplete),
        cmocka_unit_test(a_frame_that_is_put_can_be_read),
    };
    return RUN_TESTS(tests);
}
