/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - what the program reads: files, standard input, and folders full of handoffs.
 */
#ifndef BATON_APP_CLI_INPUT_H
#define BATON_APP_CLI_INPUT_H

#include "cli.h"

/* One document as it came in; lives in the arena it was read into. */
struct cli_input {
    bt_str path; /* as reports show it: "<stdin>" for standard input */
    bt_str content;
};

/* Whether an operand means standard input. */
bool cli_is_stdin(const char *operand);

/*
 * Read the file, or standard input for "-", all of it. False after a complaint, also when it is
 * longer than `bytes_max`: for what nobody judges the length of.
 */
bool cli_input_read_all(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                        struct cli_input *out);

/*
 * Read the file, or standard input for "-". Content longer than `bytes_max` is cut to one byte
 * more, which is enough for the reader to say that it is too large. False after a complaint.
 */
bool cli_input_read(struct bt_arena *arena, const char *operand, uint64_t bytes_max,
                    struct cli_input *out);

/* The same without a complaint; `error` says why it could not be read. */
BT_MUST_USE enum bt_status cli_input_try(struct bt_arena *arena, const char *operand,
                                         uint64_t bytes_max, struct cli_input *out,
                                         struct bt_error *error);

/* Paths that end in NUL bytes, in an arena. */
struct cli_paths {
    bt_str *items;
    size_t count;
    size_t capacity;
};

/*
 * Collect the files below `folder` whose names tell their dialect, sorted by path. Hidden folders
 * and links to folders are not entered. False when something could not be looked at, after each
 * such failure was told and noted in the report of the run; *out then holds what could.
 */
bool cli_walk(const struct cli_options *options, struct bt_arena *arena, const char *folder,
              struct cli_paths *out);

#endif
