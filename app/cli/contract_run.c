/* SPDX-License-Identifier: Apache-2.0 */
/* contract_run.c - the flags and runs of the commands about contract blocks. */
#define _XOPEN_SOURCE 700 /* realpath() */

#include "contract_run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "dialect/contract/contract.h"
#include "input.h"
#include "operation/operation.h"
#include "output.h"
#include "suggest.h"

/* ---- Flags ----------------------------------------------------------------------------------- */

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
    return cli_refuse_usage(options, "--direction wants output or input, not %s", value);
}

static bool take_host_id(const struct cli_options *options, struct cli_contract *out)
{
    const char *value = cli_given(options, &flag_runtime_agent_id);
    if (!value) {
        return true;
    }
    if (value[0] == '\0') {
        return cli_refuse_usage(options, "--runtime-agent-id wants an id");
    }
    const enum bt_status status = bt_contract_agent_id_from_runtime(bt_str_of(value), out->host_id);
    if (status != BT_OK) {
        return cli_refuse("cannot take the agent's id: %s", bt_status_text(status));
    }
    out->options.runtime_agent_id = bt_str_of(out->host_id);
    out->options.written_agent_id = bt_str_of(value);
    return true;
}

bool cli_contract_settings(const struct cli_options *options, struct bt_contract_options *out)
{
    static const struct cli_flag *const flags[BT_CONTRACT_SETTINGS] = {
        &flag_agent_ids, &flag_transitions, &flag_off_list, &flag_approval_ids};
    for (size_t i = 0; i < BT_CONTRACT_SETTINGS; i++) {
        const struct bt_contract_setting *setting = &bt_contract_settings[i];
        const char *word = cli_given(options, flags[i]);
        if (word && !bt_contract_options_set(out, bt_str_of(setting->name), bt_str_of(word))) {
            return cli_refuse_value(options, flags[i], word);
        }
    }
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
    if (options->config) {
        out->options = bt_contract_options_from_config(options->config);
    }
    out->options.no_fence = cli_given(options, &flag_bare) != NULL;
    return cli_contract_settings(options, &out->options) && take_direction(options, out) &&
           take_host_id(options, out) && take_input(options, env, arena, out);
}

/* ---- The name of the project ----------------------------------------------------------------- */

enum { CONFIG_BYTES_MAX = 1 << 20 };

/* The part of a line before a comment, without surrounding white space. */
static bt_str content_of(bt_str line)
{
    bool quoted = false;
    size_t end = 0;
    for (; end < line.len; end++) {
        const char byte = line.ptr[end];
        quoted = byte == '"' ? !quoted : quoted;
        if (!quoted && (byte == '#' || byte == ';')) {
            break;
        }
    }
    return bt_str_trim(bt_str_slice(line, 0, end));
}

static bool is_url(bt_str line, bt_str *out)
{
    const size_t equals = bt_str_find_byte(line, '=', 0);
    if (equals == line.len ||
        !bt_str_eq(bt_str_trim(bt_str_slice(line, 0, equals)), BT_STR("url"))) {
        return false;
    }
    bt_str value = bt_str_trim(bt_str_slice(line, equals + 1, line.len));
    if (value.len >= 2 && bt_str_starts_with(value, BT_STR("\"")) &&
        bt_str_ends_with(value, BT_STR("\""))) {
        value = bt_str_slice(value, 1, value.len - 1);
    }
    *out = value;
    return true;
}

/* The URL of the remote `origin`, or "". */
static bt_str origin_in(bt_str config)
{
    bool in_origin = false;
    bt_str url = BT_STR("");
    for (size_t from = 0; from < config.len;) {
        const size_t end = bt_str_find_byte(config, '\n', from);
        const bt_str line = content_of(bt_str_slice(config, from, end));
        from = end + 1;
        if (bt_str_starts_with(line, BT_STR("["))) {
            in_origin = bt_str_eq(line, BT_STR("[remote \"origin\"]"));
        } else if (in_origin && url.len == 0) {
            (void)is_url(line, &url);
        }
    }
    return url;
}

static enum bt_status from_git(struct bt_arena *arena, bt_str root, bt_str *out)
{
    bt_str path;
    bt_str config;
    struct bt_repo_address address;
    BT_TRY(bt_arena_printf(arena, &path, "%.*s/.git/config", BT_STR_ARG(root)));
    if (bt_file_read(arena, path, CONFIG_BYTES_MAX, &config, NULL) != BT_OK) {
        return BT_OK;
    }
    BT_TRY(bt_repo_address_parse(arena, origin_in(config), &address));
    if (address.valid) {
        *out = address.identity;
    }
    return BT_OK;
}

/* The last component of a path, in lower case. */
static enum bt_status from_folder(struct bt_arena *arena, bt_str path, bt_str *out)
{
    size_t begin = path.len;
    while (begin > 0 && path.ptr[begin - 1] != '/') {
        begin--;
    }
    const bt_str name = bt_str_slice(path, begin, path.len);
    char *small = bt_arena_alloc(arena, name.len + 1);
    if (!small) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < name.len; i++) {
        const char byte = name.ptr[i];
        small[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
    }
    small[name.len] = '\0';
    const bt_str made = {small, name.len};
    if (made.len > 0 && bt_utf8_check(made) == made.len) {
        *out = made;
    }
    return BT_OK;
}

static bt_str without_slashes(bt_str path)
{
    while (bt_str_ends_with(path, BT_STR("/"))) {
        path = bt_str_slice(path, 0, path.len - 1);
    }
    return path;
}

enum bt_status cli_workspace(struct bt_arena *arena, const char *root, bt_str *out)
{
    char real[PATH_MAX];
    bt_str name = BT_STR("");
    if (realpath(root ? root : ".", real)) {
        BT_TRY(from_git(arena, bt_str_of(real), &name));
        if (name.len == 0) {
            BT_TRY(from_folder(arena, bt_str_of(real), &name));
        }
    } else if (root) {
        /* Use the name even if the directory does not exist on this machine. */
        BT_TRY(from_folder(arena, without_slashes(bt_str_of(root)), &name));
    }
    *out = name.len > 0 ? name : BT_STR("global");
    return BT_OK;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

bool contract_run_begin(struct cli_run *run)
{
    run->contract = BT_NEW(&run->arena, struct cli_contract_run);
    const enum bt_status status =
        run->contract ? bt_contract_checker_create(&run->env, &run->contract->checker) : BT_ENOMEM;
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    run->contract->workspace = BT_STR("");
    run->contract->session = BT_STR("");
    return cli_contract_options(run->options, &run->env, &run->arena, &run->contract->flags);
}

void contract_run_free(struct cli_contract_run *contract)
{
    if (contract) {
        bt_contract_checker_destroy(contract->checker);
    }
}

bool contract_run_message(struct cli_run *run, struct cli_input *out)
{
    const struct cli_options *options = run->options;
    const char *text = cli_given(options, &flag_text);
    if ((text != NULL) + options->operand_count != 1) {
        return cli_refuse_usage(options, "give one message: a PATH, - or --text");
    }
    if (text) {
        *out = (struct cli_input){BT_STR("<text>"), bt_str_of(text)};
        return true;
    }
    return cli_run_read(run, options->operands[0], out);
}

bool contract_run_number(const struct cli_run *run, const struct cli_flag *flag, uint64_t *out)
{
    const char *value = cli_given(run->options, flag);
    return !value || (bt_str_to_u64(bt_str_of(value), out) == BT_OK && *out > 0) ||
           cli_refuse_usage(run->options, "--%s wants a whole number from 1, not %s", flag->name,
                            value);
}

/* The text of a flag, if it is given. False after an error message about an empty one. */
static bool take_text(struct cli_run *run, const struct cli_flag *flag, bt_str *out)
{
    const char *text = cli_given(run->options, flag);
    if (!text) {
        return true;
    }
    *out = bt_str_of(text);
    if (out->len == 0 || bt_utf8_check(*out) != out->len) {
        return cli_refuse_usage(run->options, "--%s wants a name", flag->name);
    }
    return true;
}

bool contract_run_names(struct cli_run *run)
{
    run->contract->session = BT_STR("default");
    if (!take_text(run, &flag_workspace, &run->contract->workspace) ||
        !take_text(run, &flag_agent_session, &run->contract->session)) {
        return false;
    }
    const bt_str configured = bt_config_text(run->options->config, "contract.workspace");
    run->contract->workspace =
        run->contract->workspace.len > 0 ? run->contract->workspace : configured;
    if (run->contract->workspace.len > 0) {
        return true;
    }
    const char *root = cli_given(run->options, &flag_store_root);
    return cli_is_ok(cli_workspace(&run->arena, root, &run->contract->workspace));
}

bool contract_run_agent(struct cli_run *run, bt_str *out)
{
    const char *id = cli_given(run->options, &flag_agent);
    *out = bt_str_of(id);
    return !id || id[0] != '\0' || cli_refuse_usage(run->options, "--agent wants an id");
}

bool contract_run_open(struct cli_run *run, enum cli_access access)
{
    bt_str actor;
    if (!cli_run_actor(run, &actor) || !cli_run_open_ledger(run, access)) {
        return false;
    }
    run->contract->gate = (struct bt_contract_state){.ledger = run->ledger,
                                                     .contract = run->contract->checker,
                                                     .arena = &run->arena,
                                                     .actor = actor,
                                                     .alarms = run->alarms};
    return true;
}
