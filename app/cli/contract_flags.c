/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_flags.c - how to judge contract blocks: flags -> options.
 */
#include "contract_flags.h"

#include <string.h>

#include "failing.h"
#include "input.h"
#include "print.h"

/* clang-format off */
const struct cli_flag flag_text = {"text", 0, "TEXT", CLI_ANY,
    "judge TEXT itself", NULL};
const struct cli_flag flag_bare = {"bare", 0, NULL, CLI_ANY,
    "contract: the document is the body of the block, without its fence", NULL};
const struct cli_flag flag_direction = {"direction", 0, "WAY", CLI_DIRECTION,
    "contract: judge what an agent wrote (output, the default) or was given (input)", NULL};
const struct cli_flag flag_input = {"input", 0, "FILE", CLI_FILE,
    "contract: the INPUT envelope that says what is demanded and what may be written", NULL};
const struct cli_flag flag_runtime_agent_id = {"runtime-agent-id", 0, "ID", CLI_ANY,
    "contract: the id under which the host knows the agent", NULL};
const struct cli_flag flag_max_rejections = {"max-rejections", 0, "N", CLI_ANY,
    "how often a bad report is sent back (default 3)", NULL};
const struct cli_flag flag_workspace = {"workspace", 0, "NAME", CLI_ANY,
    "the project (default: the repository that origin names, else the folder)", NULL};
const struct cli_flag flag_agent_session = {"session", 0, "NAME", CLI_ANY,
    "the session of the agent (default default)", NULL};
const struct cli_flag flag_agent = {"agent", 0, "ID", CLI_ANY,
    "the agent with this id", NULL};
/* clang-format on */

static bool take_direction(const struct cli_options *options, struct cli_contract *out)
{
    const char *value = cli_given(options, &flag_direction);
    if (!value || strcmp(value, "output") == 0) {
        return true;
    }
    if (strcmp(value, "input") == 0) {
        out->options.direction = BT_CONTRACT_INPUT;
        return true;
    }
    (void)cli_usage_error(options->command, "--direction wants output or input, not %s", value);
    return false;
}

static bool take_host_id(const struct cli_options *options, struct cli_contract *out)
{
    const char *value = cli_given(options, &flag_runtime_agent_id);
    if (!value) {
        return true;
    }
    if (value[0] == '\0') {
        (void)cli_usage_error(options->command, "--runtime-agent-id wants an id");
        return false;
    }
    const enum bt_status status = bt_contract_agent_id_from_runtime(bt_str_of(value), out->host_id);
    if (status != BT_OK) {
        cli_print_error("cannot take the agent's id: %s", bt_status_text(status));
        return false;
    }
    out->options.runtime_agent_id = bt_str_of(out->host_id);
    return true;
}

static bool take_input(const struct cli_options *options, struct bt_env *env,
                       struct bt_arena *arena, struct cli_contract *out)
{
    const char *path = cli_given(options, &flag_input);
    struct bt_contract_checker *contract = NULL;
    struct cli_input file;
    struct bt_error error;
    if (!path) {
        return true;
    }
    enum bt_status status = cli_input_try(arena, path, env->limits.document_bytes, &file, &error);
    if (status != BT_OK) {
        const struct bt_failure failure = {file.path, cli_reason_of_path(path, status),
                                           bt_str_of(error.text)};
        cli_fail(options, "read", &failure);
        return false;
    }
    status = bt_contract_checker_create(env, &contract);
    if (status == BT_OK) {
        status = bt_contract_input_read(contract, arena, file.content, &out->input, &error);
    } else {
        (void)bt_error_set(&error, status, "%s", bt_status_text(status));
    }
    bt_contract_checker_destroy(contract);
    if (status != BT_OK) {
        const struct bt_failure failure = {file.path, BT_FAILURE_CONFIG, bt_str_of(error.text)};
        cli_fail(options, "use the INPUT", &failure);
        return false;
    }
    out->options.input = &out->input;
    out->input_text = file.content;
    return true;
}

bool cli_contract_options(const struct cli_options *options, struct bt_env *env,
                          struct bt_arena *arena, struct cli_contract *out)
{
    *out = (struct cli_contract){.options = {.runtime_agent_id = BT_STR("")},
                                 .input_text = BT_STR("")};
    out->options.no_fence = cli_given(options, &flag_bare) != NULL;
    return take_direction(options, out) && take_host_id(options, out) &&
           take_input(options, env, arena, out);
}
