/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - where reports go.
 */
#ifndef BATON_APP_CLI_OUTPUT_H
#define BATON_APP_CLI_OUTPUT_H

#include "cli.h"

/* Whether standard output is a terminal that is to show colours. */
bool cli_wants_colour(void);

/* Whether the first of the formats that were asked for is json. */
bool cli_wants_json(const struct cli_options *options);

/* Write the report in every format that was asked for, `full` to standard output when none was.
 * Files are replaced as a whole, first all files and then standard output. False after a complaint
 * when one of them could not be written; the others are, and list that as a failure. */
bool cli_report_write(const struct cli_options *options, struct bt_report *report);
/* The same with further members of the JSON formats; see struct bt_report_render_options. */
bool cli_report_write_with(const struct cli_options *options, struct bt_report *report,
                           bt_str members);

#endif
