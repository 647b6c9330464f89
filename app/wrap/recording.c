/* SPDX-License-Identifier: Apache-2.0 */
/* recording.c - flags of the record, the store and its recorder. */
#include "wrap/recording.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/contract_run.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "config/config.h"
#include "operation/records.h"
#include "wrap/recorder.h"

enum { CACHE_KIB = 1024 }; /* of SQLite */

/* ---- Flags --------------------------------------------------------------------------------- */

/* Flags that are words of the policy. */
static bool take_word(const struct cli_options *options, const struct cli_flag *flag,
                      const char *key, struct bt_wrap_policy *policy)
{
    const char *given = cli_given(options, flag);
    return !given || bt_wrap_policy_set(policy, bt_str_of(key), bt_str_of(given)) == BT_OK ||
           cli_refuse_value(options, flag, given);
}

bool wrap_records_take_flags(struct cli_run *run, struct bt_wrap_policy *policy,
                             struct wrap_records *out)
{
    const struct cli_options *options = run->options;
    const char *agent = cli_given(options, &flag_calling_agent);
    char digest[BT_SHA256_HEX_BYTES];
    struct bt_buf text;
    *out = (struct wrap_records){.wake_fd = -1,
                                 .recording = {.agent = bt_str_of(agent),
                                               .lock_sha256 = BT_STR(""),
                                               .policy = {BT_STR(""), BT_STR("")}}};
    if (!take_word(options, &flag_record_mode, "record", policy) ||
        !take_word(options, &flag_record_wait, "wait", policy) ||
        !take_word(options, &flag_fail_mode, "fail", policy)) {
        return false;
    }
    if (agent && !bt_entry_name_is_valid(bt_str_of(agent))) {
        return cli_refuse_usage(options, "--agent wants a name of 1 to 200 of [A-Za-z0-9._:/@+-]");
    }
    out->records_max = policy->limits.queue_records;
    bt_buf_init(&text, SIZE_MAX);
    bt_wrap_policy_put(policy, &text);
    enum bt_status status = bt_wrap_policy_digest(policy, digest);
    if (status == BT_OK) {
        status = bt_arena_copy(&run->arena, bt_str_of(digest), &out->recording.policy.sha256);
    }
    if (status == BT_OK) {
        status = bt_buf_copy(&text, &run->arena, &out->recording.policy.text);
    }
    bt_buf_free(&text);
    return status == BT_OK || cli_refuse_status(status);
}

/* ---- The store ----------------------------------------------------------------------------- */

/* A store that nobody named may be missing. */
static bool open_ledger(struct cli_run *run)
{
    struct bt_ledger_options where;
    struct bt_ledger *found = NULL;
    run->cache_kib = CACHE_KIB;
    if (!cli_run_find_store(run, &where)) {
        return false;
    }
    if (!where.store && bt_ledger_open(&where, false, &found, &run->error) == BT_ENOENT) {
        if (!cli_is_quiet(run->options)) {
            cli_print_error("note: no store was found, so nothing is recorded");
        }
        return true;
    }
    bt_ledger_close(found);
    return cli_run_open_ledger(run, CLI_MAKE) && cli_run_check_ledger(run);
}

bool wrap_records_open(struct cli_run *run, const struct wrap_server *server,
                       const struct wrap_shared_store *shared, struct wrap_records *out)
{
    const struct cli_options *options = run->options;
    if (shared) {
        out->actor = shared->actor;
        out->shared_writer = shared->writer;
        out->has_store = shared->writer != NULL;
        return true;
    }
    if (bt_arena_printf(&run->arena, &out->actor, "wrap/%.*s", BT_STR_ARG(server->name)) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!cli_given(options, &flag_no_record)) {
        const bool is_open = open_ledger(run);
        out->has_store = run->ledger != NULL;
        return is_open;
    }
    return (!cli_given(options, &flag_store) && !cli_given(options, &flag_record_mode) &&
            !cli_given(options, &flag_record_wait)) ||
           cli_refuse_usage(options, "--no-record excludes --store, --record and --wait");
}

/* ---- Approvals ----------------------------------------------------------------------------- */

static bool begin_consent(struct cli_run *run, const struct bt_wrap_policy *policy,
                          struct wrap_records *records)
{
    struct bt_wrap_consent *consent = &records->consent;
    if (!contract_run_names(run)) {
        return false;
    }
    *consent = (struct bt_wrap_consent){
        .ledger = records->decisions,
        .contract = run->contract->checker,
        .env = &run->env,
        .workspace = run->contract->workspace,
        .actor = records->actor,
        .pending_seconds = bt_config_seconds(run->options->config, "approvals.pending_ttl"),
        .grant_seconds = bt_op_grant_seconds(run->options->config),
        .pending_max = policy->limits.pending,
        .prompts_client = policy->approval_form == BT_WRAP_APPROVAL_FORM_CLIENT};
    enum bt_status status = bt_ledger_derive_secret(consent->ledger, BT_STR("wrap-approval"),
                                                    consent->seal_key, &run->error);
    if (status != BT_OK) {
        (void)cli_run_failed(run, "cannot begin");
        return false;
    }
    if (status == BT_OK) {
        status = bt_arena_printf(&run->arena, &consent->form_actor, "%.*s/elicitation",
                                 BT_STR_ARG(records->actor));
    }
    return status == BT_OK || cli_refuse_status(status);
}

/* Name this session so that no other one has the name, on any machine. */
static bool begin_repeats(struct cli_run *run, struct wrap_records *records)
{
    char machine[256] = "";
    char id[BT_UUID_TEXT_BYTES];
    struct bt_env random; /* that of a run can be seeded */
    (void)gethostname(machine, sizeof(machine) - 1);
    records->repeats = (struct bt_wrap_repeats){
        .ledger = records->decisions,
        .principal = records->actor,
        .seconds = bt_config_seconds(run->options->config, "idempotency.ttl")};
    if (bt_env_init(&random) != BT_OK || bt_env_uuid(&random, id) != BT_OK) {
        return cli_refuse_status(BT_EIO);
    }
    return bt_arena_printf(&run->arena, &records->repeats.owner, "%s/%ld/%s", machine,
                           (long)getpid(), id) == BT_OK ||
           cli_refuse_status(BT_ENOMEM);
}

bool wrap_records_decide(struct cli_run *run, const struct bt_wrap_policy *policy,
                         struct wrap_records *records)
{
    const bool approves = bt_wrap_policy_approves(policy) && !policy->is_observing;
    struct bt_ledger_options where;
    if (!records->has_store) {
        return !approves ||
               cli_refuse_usage(run->options,
                                "a rule wants approvals, which need a store: give --store URL");
    }
    if (!cli_run_find_store(run, &where)) {
        return false;
    }
    if (bt_ledger_open(&where, true, &records->decisions, &run->error) != BT_OK) {
        return cli_refuse("cannot open the ledger: %s", run->error.text);
    }
    return begin_repeats(run, records) && (!approves || begin_consent(run, policy, records));
}

/* ---- The recorder -------------------------------------------------------------------------- */

/* On the writer's thread. */
static void wake_loop(void *context)
{
    const struct wrap_records *records = context;
    const uint64_t one = 1;
    (void)!write(records->wake_fd, &one, sizeof(one)); /* full: the loop is awake */
}

bool wrap_records_start(struct cli_run *run, struct wrap_records *records, bt_str server,
                        bt_str session)
{
    if (!records->has_store) {
        return true;
    }
    records->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (records->wake_fd < 0) {
        return cli_refuse("cannot record: %s", strerror(errno));
    }
    const struct bt_wrap_recorder_options options = {
        .ledger = run->ledger,
        .writer = records->shared_writer,
        .env = &run->env,
        .actor = records->actor,
        .policy = records->recording.policy.text,
        .server = server,
        .session = session,
        .repeats = &records->repeats,
        .records_max = records->records_max,
        .deadline_ms = bt_config_u64(run->options->config, "limits.record_deadline_ms"),
        .document_bytes = run->env.limits.document_bytes,
        .wake = wake_loop,
        .context = records};
    /* Signals are for the loop: the writer's threads inherit that they do not get any. */
    sigset_t every;
    sigset_t before;
    (void)sigfillset(&every);
    (void)pthread_sigmask(SIG_BLOCK, &every, &before);
    const enum bt_status status =
        bt_wrap_recorder_open(&options, &records->recording.recorder, &run->error);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status == BT_OK || cli_refuse("cannot record: %s", run->error.text);
}

void wrap_records_close(struct cli_run *run, struct wrap_records *records)
{
    bt_ledger_close(records->decisions);
    if (records->recording.recorder && !bt_wrap_recorder_close(records->recording.recorder)) {
        run->ledger = NULL; /* its writer still has it */
        return;
    }
    if (records->wake_fd >= 0) {
        (void)close(records->wake_fd);
    }
}
