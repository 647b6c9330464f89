/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - read a file or standard input. */
#include "input.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "suggest.h"

bool cli_is_stdin(const char *operand)
{
    return strcmp(operand, "-") == 0;
}

bt_str cli_input_name(const char *operand)
{
    return cli_is_stdin(operand) ? BT_STR("<stdin>") : bt_str_of(operand);
}

enum bt_status cli_input_try(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                             struct cli_input *out, struct bt_error *error)
{
    assert(arena);
    assert(operand);
    assert(out);
    out->path = cli_input_name(operand);
    return cli_is_stdin(operand) ? bt_fd_read(arena, STDIN_FILENO, bytes_max, &out->content, error)
                                 : bt_file_read(arena, out->path, bytes_max, &out->content, error);
}

/* True for BT_OK; else false, after an error message. */
static bool is_read(const char *operand, enum bt_status status, const struct bt_error *error)
{
    if (status == BT_OK) {
        return true;
    }
    if (cli_is_stdin(operand)) {
        cli_print_error("standard input: %s", error->text);
    } else {
        cli_print_error("cannot read %s: %s", operand, error->text);
        if (status == BT_ENOENT) {
            cli_print_near_file(bt_str_of(operand));
        }
    }
    return false;
}

bool cli_input_read(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                    struct cli_input *out)
{
    struct bt_error error;
    return is_read(operand, cli_input_try(arena, operand, bytes_max, out, &error), &error);
}

bool cli_input_digest(const char *operand, uint64_t bytes_max, struct bt_file_digest *out)
{
    struct bt_error error;
    const enum bt_status status = cli_is_stdin(operand)
                                      ? bt_fd_digest(STDIN_FILENO, bytes_max, out, &error)
                                      : bt_file_digest(bt_str_of(operand), bytes_max, out, &error);
    return is_read(operand, status, &error);
}

bool cli_input_read_all(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                        struct cli_input *out)
{
    if (!cli_input_read(arena, operand, bytes_max, out)) {
        return false;
    }
    if (out->content.len > bytes_max) {
        return cli_refuse("cannot use %.*s: it is larger than %" PRIu64 " bytes",
                          BT_STR_ARG(out->path), bytes_max);
    }
    return true;
}
