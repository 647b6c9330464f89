/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.h - ask the person at the terminal for confirmation. */
#ifndef BATON_APP_CLI_PROMPT_H
#define BATON_APP_CLI_PROMPT_H

#include <stdbool.h>

/* True when a person can answer: standard input and standard error are a terminal. */
bool cli_can_prompt(void);
/*
 * Print the question and wait. True only for the answer `yes`; any other answer, or none, is false.
 */
bool cli_prompt_line(const char *question);

#endif
