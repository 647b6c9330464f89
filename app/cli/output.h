/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - write reports. */
#ifndef BATON_APP_CLI_OUTPUT_H
#define BATON_APP_CLI_OUTPUT_H

#include "cli.h"

/* True when standard output is a terminal and colours are not disabled. */
bool cli_wants_colour(void);

/* True when the first requested format is json. */
bool cli_wants_json(const struct cli_options *options);

/*
 * Write the report in every requested format, `full` to standard output when none was requested.
 * Files are replaced atomically, all files before standard output. False, after an error message,
 * when one of them could not be written; the others are written and list that failure.
 */
bool cli_report_write(const struct cli_options *options, struct bt_report *report);
/*
 * Write the report as cli_report_write() does, with more members in the JSON formats; see struct
 * bt_report_render_options.
 */
bool cli_report_write_with(const struct cli_options *options, struct bt_report *report,
                           bt_str members);

#endif
