/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prompt.h - a question to the person at the terminal.
 */
#ifndef BATON_APP_CLI_PROMPT_H
#define BATON_APP_CLI_PROMPT_H

#include <stdbool.h>

/* Whether there is somebody who can be asked: standard input and standard error are a terminal. */
bool cli_can_prompt(void);
/* Ask, and wait. True for the word `yes` alone; everything else, also no answer, is a no. */
bool cli_prompt_line(const char *question);

#endif
