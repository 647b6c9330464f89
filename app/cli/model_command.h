/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_command.h - run a command that calls a model: the prompt on its standard input, the answer
 * from its standard output.
 */
#ifndef BATON_APP_CLI_MODEL_COMMAND_H
#define BATON_APP_CLI_MODEL_COMMAND_H

#include <baton/base.h>

enum {
    CLI_ANSWER_BYTES_MAX = 1 << 20,
    CLI_REASON_BYTES = 120,
};

struct cli_model_command {
    const char *command; /* for /bin/sh -c */
    uint64_t timeout_s;
    unsigned number; /* of the attempt; the command sees it as BATON_TRY */
};

/* Result of one attempt. Zero is never an answer. */
enum cli_model_outcome {
    CLI_LLM_BROKEN = 0, /* the command cannot be started */
    CLI_LLM_FAILED,     /* it failed, timed out, or wrote too much */
    CLI_LLM_ANSWERED,
};

struct cli_model_result {
    enum cli_model_outcome end;
    int exit_code;                 /* of a command that ended by itself; -1: it did not */
    char reason[CLI_REASON_BYTES]; /* set unless it answered */
};

/*
 * Run the command in its own process group, with `question` on its standard input (which it need
 * not read) and this program's standard error, and collect its output. After the timeout or too
 * much output the whole group is killed.
 */
struct cli_model_result cli_model_command_run(const struct cli_model_command *llm, bt_str question,
                                              struct bt_buf *answer);

#endif
