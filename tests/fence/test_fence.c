/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_fence.c - fenced blocks: what opens and closes them, and where they stand.
 */
#include "test.h"

#include "base/buf.h"
#include "fence/fence.h"

#define TAG BT_STR("agent_contract_handoff")
#define OPEN "```agent_contract_handoff"

/* The blocks of a text, each as its body in brackets, with ! for one that is not closed. */
static void expect_blocks(const char *text, const char *expected)
{
    struct bt_fence fence = {.text = bt_str_of(text), .tag = TAG};
    struct bt_fence_block block;
    struct bt_buf buf;
    bt_buf_init(&buf, 1 << 20);
    while (bt_fence_next(&fence, &block)) {
        assert_true(block.open < block.body);
        assert_true(block.body <= block.end);
        assert_true(block.end <= block.after);
        bt_buf_put_char(&buf, '[');
        bt_buf_put(&buf, bt_str_slice(bt_str_of(text), block.body, block.end));
        bt_buf_put_text(&buf, block.closed ? "]" : "!]");
    }
    const bt_str got = bt_buf_str(&buf);
    if (!bt_str_eq(got, bt_str_of(expected))) {
        fail_msg("%s: got %.*s, expected %s", text, BT_STR_ARG(got), expected);
    }
    assert_int_equal(bt_fence_opens(bt_str_of(text), TAG), got.len > 0);
    bt_buf_free(&buf);
}

static const struct sample {
    const char *text;
    const char *blocks;
} samples[] = {
    {"", ""},
    {"no block", ""},
    {OPEN "\n{}\n```\n", "[{}\n]"},
    {OPEN "\n{}\n```", "[{}\n]"},
    {"text\n" OPEN "\n{}\n```\ntext", "[{}\n]"},
    {OPEN "\n```\n", "[]"},
    {OPEN "\n", "[!]"},
    {OPEN, "[!]"},
    /* Blanks before, blanks and tabs behind; four blanks make no fence. */
    {"   " OPEN " \t \n{}\n   ``` \t\n", "[{}\n]"},
    {"    " OPEN "\n{}\n```\n", ""},
    {"\t" OPEN "\n{}\n```\n", ""},
    {OPEN "\n{}\n    ```\n", "[{}\n    ```\n!]"},
    {OPEN "\n{}\n\t```\n", "[{}\n\t```\n!]"},
    /* Line ends. */
    {OPEN "\r\n{}\r\n```\r\n", "[{}\r\n]"},
    {OPEN "\r\r\n{}\n```\n", ""},
    {OPEN "\n{}\n```\r", "[{}\n```\r!]"},
    /* The tag is the whole word, in this case. */
    {"```Agent_contract_handoff\n{}\n```\n", ""},
    {"``` agent_contract_handoff\n{}\n```\n", ""},
    {OPEN "s\n{}\n```\n", ""},
    {OPEN " json\n{}\n```\n", ""},
    {"``agent_contract_handoff\n{}\n``\n", ""},
    {"text " OPEN "\n{}\n```\n", ""},
    /* At least as many backticks close it, and nothing else on the line. */
    {"`" OPEN "\n{}\n```\n````\n", "[{}\n```\n]"},
    {OPEN "\n{}\n``````\n", "[{}\n]"},
    {OPEN "\n{}\n```sh\n```\n", "[{}\n```sh\n]"},
    {OPEN "\n{} ```\n```\n", "[{} ```\n]"},
    /* Several blocks; one that opens inside another ends it. */
    {OPEN "\n1\n```\n" OPEN "\n2\n```\n", "[1\n][2\n]"},
    {OPEN "\n1\n" OPEN "\n2\n```\n", "[1\n!][2\n]"},
    {OPEN "\n" OPEN "\n" OPEN "\n", "[!][!][!]"},
    {OPEN "\n1\n```\n" OPEN "\n2\n", "[1\n][2\n!]"},
    /* Other fences mean nothing. */
    {"```sh\nls\n" OPEN "\n{}\n```\n", "[{}\n]"},
    {"~~~\n" OPEN "\n{}\n```\n~~~\n", "[{}\n]"},
};

static void each_text_has_its_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        expect_blocks(samples[i].text, samples[i].blocks);
    }
}

static void offsets_are_those_of_the_whole_text(void **state)
{
    (void)state;
    const bt_str text = BT_STR("a\n\n  ```t\n{}\n```\nb");
    struct bt_fence fence = {.text = text, .tag = BT_STR("t")};
    struct bt_fence_block block;
    assert_true(bt_fence_next(&fence, &block));
    assert_int_equal(block.open, 3);
    assert_int_equal(block.body, 10);
    assert_int_equal(block.end, 13);
    assert_int_equal(block.after, 17);
    assert_true(block.closed);
    assert_false(bt_fence_next(&fence, &block));
}

static void bytes_that_are_no_text_do_no_harm(void **state)
{
    (void)state;
    const bt_str text = {"\xff\x00\n```t\n\x80\x00\n```\n", 16};
    struct bt_fence fence = {.text = text, .tag = BT_STR("t")};
    struct bt_fence_block block;
    assert_true(bt_fence_next(&fence, &block));
    assert_true(block.closed);
    assert_int_equal(block.end - block.body, 3);
}

/* Every line opens a block: the time must stay linear, or this takes hours. */
static void many_blocks_in_a_large_text_are_found(void **state)
{
    (void)state;
    enum { BLOCKS = 1 << 20 };
    struct bt_buf buf;
    bt_buf_init(&buf, 16 << 20);
    for (size_t i = 0; i < BLOCKS; i++) {
        bt_buf_put_text(&buf, "```t\n`````````\n");
    }
    assert_int_equal(buf.status, BT_OK);
    struct bt_fence fence = {.text = bt_buf_str(&buf), .tag = BT_STR("t")};
    struct bt_fence_block block;
    size_t count = 0;
    while (bt_fence_next(&fence, &block)) {
        assert_true(block.closed);
        count++;
    }
    assert_int_equal(count, BLOCKS);
    bt_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_has_its_blocks),
        cmocka_unit_test(offsets_are_those_of_the_whole_text),
        cmocka_unit_test(bytes_that_are_no_text_do_no_harm),
        cmocka_unit_test(many_blocks_in_a_large_text_are_found),
    };
    return RUN_TESTS(tests);
}
