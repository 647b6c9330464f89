/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_command.h - a command that answers: a question on its standard input, an answer from its
 * output.
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
    unsigned number; /* of the try, which the command sees as BATON_TRY */
};

/* What came of asking. Zero is never an answer. */
enum cli_model_outcome {
    CLI_LLM_BROKEN = 0, /* the command cannot be started */
    CLI_LLM_FAILED,     /* it failed, ran too long, or wrote too much */
    CLI_LLM_ANSWERED,
};

struct cli_model_result {
    enum cli_model_outcome end;
    char reason[CLI_REASON_BYTES]; /* unless it answered */
};

/*
 * Run the command in a process group of its own, with `question` on its standard input (which it
 * need not read) and our standard error, and collect what it writes. When time is over or it wrote
 * too much, the whole group is ended.
 */
struct cli_model_result cli_model_command_run(const struct cli_model_command *llm, bt_str question,
                                              struct bt_buf *answer);

#endif
