/* SPDX-License-Identifier: Apache-2.0 */
/*
 * print.h - everything the program writes to its terminal: results on standard output, complaints
 * on standard error.
 */
#ifndef BATON_APP_CLI_PRINT_H
#define BATON_APP_CLI_PRINT_H

#include "cli.h"

/* "baton: ..." on standard error; characters that a terminal would obey are escaped. */
void cli_print_error(const char *format, ...) BT_PRINTF(1, 2);
/* The same, followed by where to read more. Returns what bad words of the command end with. */
int cli_usage_error(const struct cli_command *command, const char *format, ...) BT_PRINTF(2, 3);

/* What bad words of a command end with: its own code, but CLI_FAILED where a person typed them. */
int cli_misuse_code(const struct cli_command *command);

/* A line below a complaint: what to do about it. */
void cli_print_hint(const char *format, ...) BT_PRINTF(1, 2);

/* Write to standard output. CLI_DONE, also when the reader of a pipe went away and the rest is not
 * wanted, or CLI_FAILED after a complaint. */
int cli_print(bt_str text);
/* Whether standard output is a pipe that nobody reads any more: a command that goes on printing
 * should end. */
bool cli_reader_is_gone(void);
/* Print what a buffer holds unless it failed, and free it. Hidden characters, see
 * bt_json_escape_hidden(), are written as \uXXXX. */
int cli_print_buf(struct bt_buf *buf);
/* Print a document byte by byte as the buffer holds it unless it failed, and free the buffer. */
int cli_print_document(struct bt_buf *buf);
/* Write all of `text` to a descriptor; false leaves errno. */
bool cli_write(int fd, bt_str text);

#endif
