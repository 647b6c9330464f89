/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - print results, errors and reports, and log judgements. */
#ifndef BATON_APP_CLI_OUTPUT_H
#define BATON_APP_CLI_OUTPUT_H

#include <baton/json.h>

#include "cli.h"
#include "trace/trace.h"

/* Print "baton: ..." on standard error, with control characters escaped. */
void cli_print_error(const char *format, ...) BT_PRINTF(1, 2);
/*
 * Print "baton: ..." on standard error, followed by a reference to the help of the command. Returns
 * the exit code of a usage error.
 */
int cli_usage_error(const struct cli_command *command, const char *format, ...) BT_PRINTF(2, 3);

/* The exit code of a usage error: the command's own, but CLI_FAILED at a terminal. */
int cli_misuse_code(const struct cli_command *command);

/* Print the error for a status. Returns CLI_FAILED. */
int cli_fail_status(enum bt_status status);
/* Print the error for a status unless it is BT_OK. True when it is. */
bool cli_is_ok(enum bt_status status);

/* Print an error as cli_print_error() does. Returns CLI_FAILED. */
int cli_failed(const char *format, ...) BT_PRINTF(1, 2);

/*
 * Print an error and return false: as cli_print_error() does, as cli_usage_error() does for the
 * command of these options, or for a status other than BT_OK.
 */
bool cli_refuse(const char *format, ...) BT_PRINTF(1, 2);
bool cli_refuse_usage(const struct cli_options *options, const char *format, ...) BT_PRINTF(2, 3);
bool cli_refuse_status(enum bt_status status);
/* Print the text of an error; without a text memory is missing. */
bool cli_refuse_error(const struct bt_error *error);

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

/* Begin `{"baton":1`, the object that a command prints, and end it with its line feed. */
void cli_json_begin(struct bt_emit *emit, struct bt_buf *buf);
void cli_json_end(struct bt_emit *emit);
/* Put a member that is true or false, or begin one that is an array. */
void cli_json_bool(struct bt_emit *emit, const char *name, bool value);
void cli_json_array(struct bt_emit *emit, const char *name);

/* Add a failure to the report of the run; the caller has already printed the error. */
void cli_note_failure(const struct cli_options *options, bt_str path, enum bt_failure_reason reason,
                      const char *message);
/* Print "baton: cannot VERB PATH: MESSAGE", and add the failure to the report of the run. */
void cli_fail(const struct cli_options *options, const char *verb,
              const struct bt_failure *failure);

/* The reason why a path could not be read with this status. */
enum bt_failure_reason cli_reason_of_path(const char *path, enum bt_status status);

/* True when standard output gets colours: by --color, the environment, or because of a terminal. */
bool cli_wants_colour(const struct cli_options *options);
/* True when codes are to be links to the rules page: see --hyperlinks. */
bool cli_wants_links(const struct cli_options *options);
/* The width of the terminal on standard output; 0 when it is not a terminal. */
size_t cli_terminal_columns(void);
/* True when only what is rejected and what failed is printed. */
bool cli_is_quiet(const struct cli_options *options);
/* True when standard output gets text for people. */
bool cli_prints_text(const struct cli_options *options);
/* Print sentences on standard error that say what is empty and what fills it. */
void cli_print_empty(const struct cli_options *options, const char *sentences);
/*
 * The text of a time in a table: as --now and `output.time` want it; "" stays "". BT_ENOMEM: the
 * arena reached its limit.
 */
BT_MUST_USE enum bt_status cli_time_text(const struct cli_options *options, struct bt_arena *arena,
                                         bt_instant now, bt_str time, bt_str *out);

/* True when the first requested format is json. */
bool cli_wants_json(const struct cli_options *options);

/*
 * Write the report in every requested format, `full` to standard output when none was requested.
 * Files are replaced atomically, all files before standard output. False, after an error message,
 * when one of them could not be written; the others are written and list that failure.
 */
bool cli_report_write(const struct cli_options *options, struct bt_report *report);
/* Write the report of one document as cli_report_write() does. */
bool cli_report_write_one(const struct cli_options *options, struct bt_arena *arena,
                          const struct bt_judgement *judged);
/* Print the findings of a document, one line each, on standard error. */
void cli_report_complain(struct bt_arena *arena, const struct bt_judgement *judged);
/*
 * Write the report as cli_report_write() does, with more members in the JSON formats; see struct
 * bt_report_render_options.
 */
bool cli_report_write_with(const struct cli_options *options, struct bt_report *report,
                           bt_str members);

/*
 * Write the report as cli_report_write_with() does. Text on standard output shows only documents
 * with findings, and ends with a line that begins with `time`, unless that is "".
 */
bool cli_report_write_timed(const struct cli_options *options, struct bt_report *report,
                            bt_str members, bt_str time);

/*
 * Append the event if the flag was given and the document is a universal handoff. A failure to log
 * becomes a finding of the document, and its verdict is computed again.
 */
BT_MUST_USE enum bt_status cli_trace_judgement(const struct cli_options *options,
                                               struct bt_env *env, struct bt_arena *arena,
                                               enum bt_trace_event_type type,
                                               struct bt_judgement *judged);

#endif
