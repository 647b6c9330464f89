/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token_tool.c - a JSON array of strings on standard input, their tokens on standard output: one
 * line each, in o200k_base and cl100k_base, for tests that know better.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <baton/json.h>
#include <baton/tokens.h>

#include "base/file.h"
#include "json/options.h"
#include "token/tokens.h"

static bool tell(struct bt_tokens *counters, bt_str text)
{
    uint64_t counts[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        if (bt_tokens_count(&counters[i], text, &counts[i]) != BT_OK) {
            return false;
        }
    }
    return printf("%" PRIu64 " %" PRIu64 "\n", counts[0], counts[1]) > 0;
}

int main(void)
{
    struct bt_arena arena;
    struct bt_tokens counters[2];
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    bt_str text = {0};
    bool is_well = true;
    options.document_bytes_max = (size_t)256 << 20;
    bt_arena_init(&arena, (size_t)1 << 30);
    if (bt_fd_read(&arena, STDIN_FILENO, options.document_bytes_max, &text, NULL) != BT_OK ||
        bt_json_read(&arena, text, &options, &read) != BT_OK || !read.document) {
        return 1;
    }
    bt_tokens_init(&counters[0], BT_ENCODING_O200K_BASE);
    bt_tokens_init(&counters[1], BT_ENCODING_CL100K_BASE);
    const bt_json_value *root = bt_json_root(read.document);
    for (size_t i = 0; i < bt_json_count(root) && is_well; i++) {
        is_well = tell(counters, bt_json_text(&bt_json_items(root)[i]));
    }
    bt_tokens_free(&counters[0]);
    bt_tokens_free(&counters[1]);
    bt_arena_free(&arena);
    return is_well ? 0 : 1;
}
