/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_fence.c - any bytes, searched for fenced blocks.
 *
 * Promises: blocks come in order and do not overlap; a block that is closed has a line of backticks
 * and blanks where it ends; the text before a block does not change what the block is.
 */
#include "fence/fence.h"
#include "fuzz.h"

static void block_is_sound(bt_str text, const struct bt_fence_block *block)
{
    PROMISE(block->open < block->body);
    PROMISE(block->body <= block->end);
    PROMISE(block->end <= block->after);
    PROMISE(block->after <= text.len);
    PROMISE(block->open == 0 || text.ptr[block->open - 1] == '\n');
    PROMISE(block->end == text.len || block->end == 0 || text.ptr[block->end - 1] == '\n');
    for (size_t i = block->end; block->closed && i < block->after; i++) {
        const char byte = text.ptr[i];
        PROMISE(byte == '`' || byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n');
    }
}

/* Looking from the opening line on finds the same block. */
static void block_stands_alone(bt_str text, bt_str tag, const struct bt_fence_block *block)
{
    struct bt_fence fence = {.text = bt_str_slice(text, block->open, text.len), .tag = tag};
    struct bt_fence_block alone;
    PROMISE(bt_fence_next(&fence, &alone));
    PROMISE(alone.open == 0);
    PROMISE(alone.body == block->body - block->open);
    PROMISE(alone.end == block->end - block->open);
    PROMISE(alone.after == block->after - block->open);
    PROMISE(alone.closed == block->closed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    const bt_str tag = BT_STR("agent_contract_handoff");
    struct bt_fence fence = {.text = text, .tag = tag};
    struct bt_fence_block block;
    size_t last = 0;
    size_t count = 0;
    while (bt_fence_next(&fence, &block)) {
        PROMISE(block.open >= last);
        block_is_sound(text, &block);
        if (count++ < 16) {
            block_stands_alone(text, tag, &block);
        }
        last = block.after;
    }
    PROMISE(bt_fence_opens(text, tag) == (count > 0));
    return 0;
}
