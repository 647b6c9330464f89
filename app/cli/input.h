/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - read input: files and standard input. */
#ifndef BATON_APP_CLI_INPUT_H
#define BATON_APP_CLI_INPUT_H

#include "base/file.h"
#include "cli.h"

/* One document; lives in the arena it was read into. */
struct cli_input {
    bt_str path; /* as reports show it: "<stdin>" for standard input */
    bt_str content;
};

/* True when an operand means standard input. */
bool cli_is_stdin(const char *operand);
/* The operand as reports show it. */
bt_str cli_input_name(const char *operand);

/*
 * Read the whole file, or standard input for "-". False after an error message, also when it is
 * longer than `bytes_max`: for content whose length no reader checks.
 */
bool cli_input_read_all(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                        struct cli_input *out);

/*
 * Read the file, or standard input for "-". Content longer than `bytes_max` is truncated to one
 * byte more, which is enough for the reader to reject it as too large. False after an error
 * message.
 */
bool cli_input_read(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                    struct cli_input *out);

/*
 * Hash the file, or standard input for "-", as a stream, at most `bytes_max` bytes (UINT64_MAX: no
 * limit). False after an error message.
 */
bool cli_input_digest(const char *operand, uint64_t bytes_max, struct bt_file_digest *out);

/*
 * Read the file, or standard input for "-", as cli_input_read() does but without an error message;
 * `error` says why it could not be read. Statuses as for bt_file_read().
 */
BT_MUST_USE enum bt_status cli_input_try(struct bt_arena *arena, const char *operand,
                                         uint64_t bytes_max, struct cli_input *out,
                                         struct bt_error *error);

#endif
