/* SPDX-License-Identifier: Apache-2.0 */
/* session_settings.c - flags, configuration, lock and store -> the settings of a session. */
#include "wrap/session_settings.h"

#include "cli/output.h"
#include "dialect/plan/plan.h"
#include "wrap/policy_flags.h"

/* Find the server in the lock. False after an error message. */
static bool take_lock(struct cli_run *run, const struct wrap_server *server,
                      struct wrap_session_parts *used, struct bt_wrap_settings *settings)
{
    const struct cli_options *options = run->options;
    settings->is_unlocked = cli_given(options, &flag_no_lock) != NULL;
    if (settings->is_unlocked && cli_given(options, &flag_lock_file)) {
        return cli_refuse_usage(options, "--lock and --no-lock exclude each other");
    }
    if (settings->is_unlocked) {
        return true;
    }
    if (!wrap_read_lock(run, true, &used->lock) || !wrap_check_lock(run, &used->lock)) {
        return false;
    }
    settings->lock = &used->lock.lock;
    settings->entry = bt_wrap_lock_find(&used->lock.lock, server->name);
    if (!settings->entry && settings->policy.pin.first_use != BT_WRAP_CHOICE_YES) {
        return true;
    }
    const enum bt_status status = bt_plan_checker_create(&run->env, &used->plans);
    settings->plans = used->plans;
    settings->started = &used->started;
    return status == BT_OK ? wrap_describe_command(run, server, used->lock.path, &used->started)
                           : cli_refuse_status(status);
}

/* Set how arguments and results are judged. False after an error message. */
static bool take_limits(struct cli_run *run, const struct wrap_server *server,
                        struct wrap_session_parts *used, struct bt_wrap_settings *settings)
{
    const struct bt_config *config = run->options->config;
    enum bt_encoding encoding;
    if (bt_encoding_parse(bt_config_text(config, "check.tokens"), &encoding) != BT_OK) {
        return cli_refuse_status(BT_EINVAL);
    }
    bt_tokens_init(&used->tokens, encoding);
    used->schema_limits = wrap_schema_limits(config);
    used->writer_context = (struct wrap_session_writer){.run = run,
                                                        .name = server->name,
                                                        .lock = &used->lock,
                                                        .recording = &used->records.recording};
    used->writer = wrap_session_writer(&used->writer_context);
    settings->tokens = &used->tokens;
    settings->schema_limits = &used->schema_limits;
    settings->writer = &used->writer;
    return true;
}

/* The digest of the lock in force, for the record. False after an error message. */
static bool digest_lock(struct cli_run *run, const struct wrap_session_parts *used,
                        struct bt_wrap_record_settings *recording)
{
    char digest[BT_SHA256_HEX_BYTES];
    if (!used->lock.is_there) {
        return true;
    }
    const enum bt_status status = bt_sha256_hex(used->lock.bytes, digest);
    return (status == BT_OK &&
            bt_arena_copy(&run->arena, bt_str_of(digest), &recording->lock_sha256) == BT_OK) ||
           cli_refuse_status(status == BT_OK ? BT_ENOMEM : status);
}

/* The policy, the store and what is decided with it. False after an error message. */
static bool take_policy(struct cli_run *run, const struct wrap_server *server,
                        const struct wrap_shared_store *shared, struct wrap_session_parts *parts)
{
    struct bt_wrap_policy *policy = &parts->settings.policy;
    if (!wrap_take_policy(run, server->name, policy)) {
        return false;
    }
    /* A client over HTTP need not be under the control of the person who is asked. */
    if (shared && !bt_wrap_policy_is_given(run->options->config, server->name, BT_STR("ask"))) {
        policy->approval_form = BT_WRAP_APPROVAL_FORM_OUTSIDE;
    }
    return wrap_records_take_flags(run, policy, &parts->records) &&
           wrap_records_open(run, server, shared, &parts->records) &&
           wrap_records_decide(run, policy, &parts->records);
}

bool wrap_session_prepare(struct cli_run *run, const struct wrap_server *server,
                          const struct wrap_shared_store *shared, struct wrap_session_parts *out)
{
    struct bt_wrap_settings *settings = &out->settings;
    *out = (struct wrap_session_parts){.settings = bt_wrap_settings_default(server->name),
                                       .records = {.wake_fd = -1}};
    settings->is_upstream = server->is_upstream;
    settings->is_quiet = cli_given(run->options, &flag_quiet) != NULL;
    settings->logs_info = cli_given(run->options, &flag_verbose) != NULL;
    settings->recording = &out->records.recording;
    settings->repeats = &out->records.repeats;
    if (!take_policy(run, server, shared, out) || !take_lock(run, server, out, settings) ||
        !digest_lock(run, out, &out->records.recording) ||
        !take_limits(run, server, out, settings)) {
        return false;
    }
    settings->consent = out->records.consent.ledger ? &out->records.consent : NULL;
    if (shared) {
        settings->spending = shared->spending;
        out->writer.spill = NULL; /* the client is not on this machine */
    }
    return true;
}

void wrap_session_parts_free(struct cli_run *run, struct wrap_session_parts *parts)
{
    wrap_records_close(run, &parts->records);
    bt_plan_checker_destroy(parts->plans);
    bt_tokens_free(&parts->tokens);
}
