/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_lsp.c - bench_lsp FILE: check the bytes of a file, once for each line of standard input,
 * and print how many nanoseconds it took. bench/lsp.py compares the language server with it.
 */
#include <inttypes.h>
#include <stdio.h>

#include <baton/check.h>

#include "base/clock.h"
#include "base/file.h"
#include "engine/check.h"

enum { ARENA_BYTES = 1 << 30, FILE_BYTES_MAX = 64 << 20 };

static uint64_t check_once(struct bt_env *env, struct bt_arena *arena, bt_str path, bt_str text,
                           const struct bt_check_options *options)
{
    struct bt_judgement judged;
    const uint64_t begin = bt_clock_monotonic_ns();
    bt_arena_reset(arena);
    if (bt_check_document(env, arena, path, text, options, &judged) != BT_OK) {
        return 0;
    }
    return bt_clock_monotonic_ns() - begin;
}

int main(int count, char **words)
{
    const bt_instant now = {.seconds = 1776157200};
    struct bt_env env;
    struct bt_arena files;
    struct bt_arena arena;
    bt_str text;
    bt_arena_init(&files, ARENA_BYTES);
    bt_arena_init(&arena, ARENA_BYTES);
    if (count != 2 || bt_env_init(&env) != BT_OK ||
        bt_file_read(&files, bt_str_of(words[1]), FILE_BYTES_MAX, &text, NULL) != BT_OK) {
        return 2;
    }
    bt_env_pin_clock(&env, &now);
    const struct bt_check_options options = {.dialect = BT_DIALECT_UNIVERSAL,
                                             .checker = bt_checker_create(&env)};
    while (options.checker && getchar() != EOF) {
        (void)printf("%" PRIu64 "\n",
                     check_once(&env, &arena, bt_str_of(words[1]), text, &options));
        (void)fflush(stdout);
    }
    bt_checker_destroy(options.checker);
    bt_arena_free(&arena);
    bt_arena_free(&files);
    return 0;
}
