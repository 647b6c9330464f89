/* SPDX-License-Identifier: Apache-2.0 */
/* print.h - write to the terminal: results to standard output, errors to standard error. */
#ifndef BATON_APP_CLI_PRINT_H
#define BATON_APP_CLI_PRINT_H

#include "cli.h"

/* Print "baton: ..." on standard error, with control characters escaped. */
void cli_print_error(const char *format, ...) BT_PRINTF(1, 2);
/*
 * Print "baton: ..." on standard error, followed by a reference to the help of the command. Returns
 * the exit code of a usage error.
 */
int cli_usage_error(const struct cli_command *command, const char *format, ...) BT_PRINTF(2, 3);

/* The exit code of a usage error: the command's own, but CLI_FAILED at a terminal. */
int cli_misuse_code(const struct cli_command *command);

/* Print a line below an error: what to do about it. */
void cli_print_hint(const char *format, ...) BT_PRINTF(1, 2);

/*
 * Write to standard output. Returns CLI_DONE, also when the reader of a pipe has closed it, or
 * CLI_FAILED after an error message.
 */
int cli_print(bt_str text);
/*
 * True when standard output is a pipe whose reader has closed it, so that a command that keeps
 * printing should end.
 */
bool cli_reader_is_gone(void);
/*
 * Print the content of a buffer, unless it failed, and free it. Hidden characters, see
 * bt_json_escape_hidden(), are written as \uXXXX. Returns the exit code.
 */
int cli_print_buf(struct bt_buf *buf);
/*
 * Print the content of a buffer byte for byte, unless it failed, and free it. Returns the exit
 * code.
 */
int cli_print_document(struct bt_buf *buf);
/* Write all of `text` to a descriptor. On false, errno is set. */
bool cli_write(int fd, bt_str text);

#endif
