/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.c - one document from a file or from standard input.
 */
#include "input.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <baton/file.h>

#include "say.h"

bool cli_is_stdin(const char *operand)
{
    return strcmp(operand, "-") == 0;
}

static bool read_stdin(struct bt_arena *arena, uint64_t bytes_max, struct cli_input *out)
{
    struct bt_error error;
    out->path = BT_STR("<stdin>");
    if (bt_fd_read(arena, STDIN_FILENO, bytes_max, &out->content, &error) != BT_OK) {
        cli_complain("standard input: %s", error.text);
        return false;
    }
    return true;
}

bool cli_input_read(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                    struct cli_input *out)
{
    assert(arena);
    assert(operand);
    assert(out);
    if (cli_is_stdin(operand)) {
        return read_stdin(arena, bytes_max, out);
    }
    struct bt_error error;
    out->path = bt_str_of(operand);
    if (bt_file_read(arena, out->path, bytes_max, &out->content, &error) != BT_OK) {
        cli_complain("cannot read %s: %s", operand, error.text);
        return false;
    }
    return true;
}

bool cli_input_read_all(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                        struct cli_input *out)
{
    if (!cli_input_read(arena, operand, bytes_max, out)) {
        return false;
    }
    if (out->content.len > bytes_max) {
        cli_complain("cannot use %.*s: it is larger than %" PRIu64 " bytes", BT_STR_ARG(out->path),
                     bytes_max);
        return false;
    }
    return true;
}
