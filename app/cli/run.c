/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - one run of a command. */
#include "run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/build_options.h"
#include "base/clock.h"
#include "base/file.h"
#include "config/config_internal.h"
#include "config/memory.h"
#include "contract_run.h"
#include "govern_run.h"
#include "logs/log_flag.h"
#include "operation/operation.h"
#include "output.h"
#include "plan_run.h"
#include "schema_run.h"
#include "universal_run.h"

enum {
    RUN_BYTES_MAX = 2000000000,
    KEYS_FILE_BYTES_MAX = 1 << 20,
    STORE_SHOWN_BYTES_MAX = 1 << 16,
    DEADLINE_MS_USUAL = 2000,
    DEADLINE_MS_MAX = 3600000,
    MAKING_MS_MAX = 2000, /* that another process may take to make a store */
    MAKING_PAUSE_NS = 20000000,
    GRACE_MS = 50, /* added, because the lock itself is waited for until the deadline */
};

/* A first -o without a -f before it has the default format. */
bool cli_take_report_out(struct cli_options *options, const char *value)
{
    if (options->output_count == 0) {
        options->outputs[options->output_count++] =
            (struct cli_output){.format = BT_REPORT_FORMAT_FULL};
    }
    return cli_take_output(options, value);
}

bool cli_run_begin(struct cli_run *run, const struct cli_options *options)
{
    *run = (struct cli_run){.options = options};
    bt_arena_init(&run->arena, RUN_BYTES_MAX);
    run->alarms = bt_findings_new(&run->arena);
    if (!run->alarms) {
        return cli_refuse_status(BT_ENOMEM);
    }
    return cli_env_init(options, &run->env);
}

/* Say what a ledger that was written to could not remember, or had forgotten. */
static void print_ledger_notes(const struct bt_ledger *ledger)
{
    bt_str path;
    if (bt_ledger_misses_head(ledger, &path)) {
        cli_print_error("note: the head file %.*s was missing although the ledger has entries: "
                        "find out who removed it",
                        BT_STR_ARG(path));
    }
    if (bt_ledger_memory_has_failed(ledger, &path)) {
        cli_print_error("note: the size of the ledger is not remembered in %.*s, which cannot be "
                        "written; BATON_STATE_DIR or ledger.memory names another folder",
                        BT_STR_ARG(path));
    }
}

int cli_run_end(struct cli_run *run, int code)
{
    if (run->ledger) {
        print_ledger_notes(run->ledger);
    }
    contract_run_free(run->contract);
    govern_run_free(run->govern);
    plan_run_free(run->plan);
    universal_run_free(run->universal);
    schema_run_free(run->schema);
    bt_ledger_close(run->ledger);
    bt_arena_free(&run->arena);
    return code;
}

int cli_run_command(const struct cli_options *options)
{
    const struct cli_command *command = options->command;
    struct cli_run run;
    const bool is_ready = cli_run_begin(&run, options) && (!command->begin || command->begin(&run));
    return cli_run_end(&run, is_ready ? command->work(&run) : CLI_FAILED);
}

/* ---- Input and report ------------------------------------------------------------------------ */

bool cli_run_read(struct cli_run *run, const char *operand, struct cli_input *out)
{
    if (cli_is_stdin(operand) && run->stdin_read) {
        return cli_refuse("cannot judge <stdin>: standard input was read already");
    }
    run->stdin_read = run->stdin_read || cli_is_stdin(operand);
    return cli_input_read(&run->arena, operand, run->env.limits.document_bytes, out);
}

bool cli_run_open_transcript(struct cli_run *run, bt_str path, struct bt_transcript_reader **out)
{
    const struct bt_transcript_options options = {.hash_seed = run->env.hash_seed};
    const enum bt_status status = bt_transcript_open(path, &options, out, &run->error);
    if (status != BT_OK) {
        const struct bt_failure failure = {path, cli_reason_of_path(path.ptr, status),
                                           bt_str_of(run->error.text)};
        cli_fail(run->options, "read", &failure);
    }
    return status == BT_OK;
}

struct bt_report *cli_run_report(struct cli_run *run)
{
    run->report = run->report ? run->report : bt_report_new(&run->arena);
    if (!run->report) {
        (void)cli_fail_status(BT_ENOMEM);
    }
    return run->report;
}

bool cli_run_report_add(struct cli_run *run, const struct bt_judgement *judged)
{
    struct bt_report *report = cli_run_report(run);
    if (report && bt_report_add(report, judged) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    return report != NULL;
}

int cli_run_report_write(struct cli_run *run, bt_str members)
{
    struct bt_report *report = cli_run_report(run);
    if (!report || !cli_report_write_with(run->options, report, members)) {
        return CLI_FAILED;
    }
    return cli_run_report_code(run);
}

int cli_run_report_code(const struct cli_run *run)
{
    const struct bt_report_totals summary = bt_report_get_totals(run->report);
    return summary.accepted == summary.documents ? CLI_DONE : CLI_REJECTED;
}

int cli_run_report_one(struct cli_run *run, const struct bt_judgement *judged, bt_str members)
{
    return cli_run_report_add(run, judged) ? cli_run_report_write(run, members) : CLI_FAILED;
}

/* ---- The store ------------------------------------------------------------------------------- */

int cli_run_failed(struct cli_run *run, const char *what)
{
    const bool is_unknown = run->ledger && bt_ledger_commit_is_unknown(run->ledger);
    /* A failure without a text of its own is a lack of memory. */
    return cli_failed("%s: %s", is_unknown ? "the outcome is unknown" : what,
                      run->error.text[0] ? run->error.text : bt_status_text(BT_ENOMEM));
}

bool cli_run_number(struct cli_run *run, const struct cli_flag *flag, uint64_t otherwise,
                    uint64_t *out)
{
    const char *text = cli_given(run->options, flag);
    *out = otherwise;
    return !text || bt_str_to_u64(bt_str_of(text), out) == BT_OK ||
           cli_refuse_usage(run->options, "--%s wants a whole number, not %s", flag->name, text);
}

bool cli_run_entries(struct cli_run *run, unsigned otherwise, unsigned *out)
{
    const char *text = cli_given(run->options, &flag_entries);
    *out = text ? (unsigned)(text[0] - '0') : otherwise;
    return !text || strcmp(text, "1") == 0 || strcmp(text, "2") == 0 ||
           cli_refuse_usage(run->options, "--entries wants 1 or 2, the version of new entries");
}

bool cli_run_new_entries(struct cli_run *run, struct bt_ledger_init_options *out)
{
    const char *text = cli_given(run->options, &flag_entries);
    out->holds_statements = text && strcmp(text, "statements") == 0;
    out->entries = text && strcmp(text, "2") == 0 ? 2 : 1;
    return !text || out->holds_statements || out->entries == 2 || strcmp(text, "1") == 0 ||
           cli_refuse_usage(run->options, "--entries wants 1, 2 or statements, not %s", text);
}

bool cli_run_instant(struct cli_run *run, const struct cli_flag *flag, bool *out_has,
                     bt_instant *out)
{
    const char *text = cli_given(run->options, flag);
    *out_has = text != NULL;
    return !text || bt_instant_parse(bt_str_of(text), out) == BT_OK ||
           cli_refuse_usage(run->options, "--%s wants a time like 2026-02-11T00:45:02Z",
                            flag->name);
}

/*
 * The store from BATON_STORE or else the configuration, where logs.default takes precedence over
 * `store`; "" when neither names one. A relative path in a file starts at its directory. False
 * after an error message.
 */
static bool find_configured_store(struct cli_run *run, bt_str *out)
{
    const bt_str outer = bt_str_of(getenv("BATON_STORE"));
    *out = BT_STR("");
    if (outer.len > 0) {
        return cli_is_ok(bt_arena_copy(&run->arena, outer, out));
    }
#if BT_HAS_STORE
    if (!logs_find_default(run->options, &run->arena, out)) {
        return false;
    }
#endif
    return out->len > 0 ||
           cli_is_ok(bt_config_path(run->options->config, "store", &run->arena, out));
}

bool cli_run_find_options(struct cli_run *run, struct bt_ledger_options *out)
{
    uint64_t deadline = 0;
    struct bt_ledger_memory memory;
    if (!cli_run_number(run, &flag_deadline,
                        run->deadline_ms > 0 ? run->deadline_ms : DEADLINE_MS_USUAL, &deadline)) {
        return false;
    }
    if (deadline == 0 || deadline > DEADLINE_MS_MAX) {
        return cli_refuse_usage(run->options, "--deadline wants 1 to %d milliseconds",
                                DEADLINE_MS_MAX);
    }
    const char *agent = NULL;
    if (!cli_is_ok(config_find_memory(&run->arena, run->options->config, &memory)) ||
        !cli_is_ok(config_find_agent(&run->arena, run->options->config, &agent))) {
        return false;
    }
    *out = (struct bt_ledger_options){
        .root = cli_given(run->options, &flag_store_root),
        .key_file = cli_given(run->options, &flag_key),
        .agent = agent,
        .deadline_ms = deadline,
        .cache_kib = run->cache_kib,
        .memory = memory,
    };
    return true;
}

bool cli_run_find_store(struct cli_run *run, struct bt_ledger_options *out)
{
    const char *store = cli_given(run->options, &flag_store);
    bt_str configured = BT_STR("");
    if (!cli_run_find_options(run, out) || (!store && !find_configured_store(run, &configured))) {
        return false;
    }
    out->store = store ? store : configured.len > 0 ? configured.ptr : NULL;
    return true;
}

void cli_run_warn_of_test_key(const struct cli_run *run)
{
    if (bt_ledger_has_test_key(run->ledger)) {
        cli_print_error("note: this ledger has a test key, which anyone can compute");
    }
}

void cli_run_warn_of_empty_path(enum bt_receipt_format format, uint64_t size)
{
    if (format == BT_RECEIPT_FORMAT_COSE && size == 1) {
        cli_print_error("note: a tree of one entry has an empty path, which some verifiers of COSE "
                        "receipts refuse; they need a larger --size");
    }
}

/* Print the error for a ledger that could not be opened, and what to do about it. */
static void refuse_open(struct cli_run *run, const struct bt_ledger_options *where,
                        enum bt_status status)
{
    struct bt_buf store;
    (void)cli_run_failed(run, "cannot open the ledger");
    if (status == BT_ENOENT) {
        bt_buf_init(&store, STORE_SHOWN_BYTES_MAX);
        bt_buf_put_masked(&store, bt_str_of(where->store));
        cli_print_hint("baton ledger init --origin NAME%s%.*s makes it%s",
                       where->store ? " --store " : "", BT_STR_ARG(bt_buf_str(&store)),
                       where->store ? "" : "; --store URL names another");
        bt_buf_free(&store);
    }
}

/* Open a store that this process or another one has just begun to make. */
static enum bt_status open_new_store(struct cli_run *run, const struct bt_ledger_options *where)
{
    const uint64_t until_ms = bt_clock_monotonic_ms() + MAKING_MS_MAX;
    const struct timespec pause = {0, MAKING_PAUSE_NS};
    enum bt_status status = bt_ledger_open(where, true, &run->ledger, &run->error);
    while ((status == BT_ENOENT || status == BT_EINVAL) && bt_clock_monotonic_ms() < until_ms) {
        (void)nanosleep(&pause, NULL);
        status = bt_ledger_open(where, true, &run->ledger, &run->error);
    }
    return status;
}

/* True when another process makes the store in time; run->error stays as it is. */
static bool store_is_made(struct cli_run *run, const struct bt_ledger_options *where)
{
    const struct bt_error error = run->error;
    const bool is_made = open_new_store(run, where) == BT_OK;
    bt_ledger_close(run->ledger);
    run->ledger = NULL;
    run->error = error;
    return is_made;
}

/* Make a ledger with its own name and key, as `ledger init` does. */
static bool make_store(struct cli_run *run, const struct bt_ledger_options *where)
{
    struct bt_ledger_init_result made;
    uint64_t name[2];
    bt_str origin;
    if (!run->env.random(run->env.context, name, sizeof(name)) ||
        bt_arena_printf(&run->arena, &origin, "baton.local/%016" PRIx64 "%016" PRIx64, name[0],
                        name[1]) != BT_OK) {
        return cli_refuse("cannot name the new store");
    }
    const struct bt_ledger_init_options plan = {.origin = origin, .key_text = BT_STR("")};
    struct bt_ledger_options init_options = *where;
    init_options.key_file = NULL;
    const enum bt_status status =
        bt_ledger_init(&run->env, &run->arena, &init_options, &plan, &made, &run->error);
    if (status == BT_EDENIED) {
        return true; /* another process was first, or opening it reports the error */
    }
    if (status == BT_EINVAL && store_is_made(run, where)) {
        return true; /* another process had written its key, and the store since */
    }
    if (status != BT_OK) {
        (void)cli_run_failed(run, "cannot make the store");
        return false;
    }
    if (!cli_is_quiet(run->options)) {
        struct bt_buf line;
        bt_buf_init(&line, STORE_SHOWN_BYTES_MAX);
        bt_buf_put_text(&line, "made ");
        bt_buf_put_printable(&line, made.store, STORE_SHOWN_BYTES_MAX / 8);
        bt_buf_printf(&line, " (origin %.*s)\n", BT_STR_ARG(origin));
        (void)cli_write(STDERR_FILENO, bt_buf_str(&line));
        bt_buf_free(&line);
    }
    return true;
}

bool cli_run_open_ledger(struct cli_run *run, enum cli_access access)
{
    const bool may_make = access == CLI_MAKE && cli_given(run->options, &flag_store);
    struct bt_ledger_options where;
    if (!cli_run_find_store(run, &where)) {
        return false;
    }
    where.accepts_statements = access == CLI_READ_ANY || access == CLI_SIGN_ANY;
    const bool writes = access != CLI_READ && access != CLI_READ_ANY;
    enum bt_status status = bt_ledger_open(&where, writes, &run->ledger, &run->error);
    if (may_make && (status == BT_ENOENT || status == BT_EINVAL) &&
        !bt_str_starts_with(bt_str_of(where.store), BT_STR("postgres"))) {
        if (status == BT_ENOENT && !make_store(run, &where)) {
            return false;
        }
        status = open_new_store(run, &where);
    }
    if (status == BT_OK) {
        bt_ledger_set_withheld(run->ledger, bt_config_withheld_fields(run->options->config));
        cli_run_warn_of_test_key(run);
        return true;
    }
    refuse_open(run, &where, status);
    return false;
}

bool cli_run_check_ledger(struct cli_run *run)
{
    if (bt_ledger_check_writable(run->ledger, &run->env, &run->arena, run->alarms, &run->error) !=
        BT_OK) {
        (void)cli_run_failed(run, "cannot use the ledger");
        return false;
    }
    if (bt_findings_count(run->alarms) == 0) {
        return true;
    }
    const struct bt_finding *first = bt_findings_at(run->alarms, 0);
    return cli_refuse("cannot use the ledger: %.*s: %.*s", BT_STR_ARG(first->rule->code),
                      BT_STR_ARG(first->message));
}

void cli_run_put_reference(struct cli_run *run, struct bt_buf *buf, uint64_t seq)
{
    bt_buf_printf(buf, "recorded %.*s#%" PRIu64 ": ", BT_STR_ARG(bt_ledger_origin(run->ledger)),
                  seq);
}

void cli_run_put_recorded(struct cli_run *run, struct bt_buf *buf, const struct bt_submission *item)
{
    const struct bt_judgement *judged = item->judged;
    const bt_str source = item->entry.source;
    const bt_str target = item->entry.target;
    if (item->is_skipped ||
        (cli_is_quiet(run->options) && judged->verdict != BT_VERDICT_REJECTED)) {
        return;
    }
    cli_run_put_reference(run, buf, item->seq);
    if (judged->dialect == BT_DIALECT_RAW) {
        bt_buf_put_text(buf, "raw ");
        bt_buf_put_printable(buf, judged->path, SIZE_MAX);
    } else {
        bt_buf_printf(buf, "%.*s %.*s", BT_STR_ARG(bt_verdict_name(judged->verdict)),
                      BT_STR_ARG(bt_dialect_name(judged->dialect)));
        bt_buf_put_text(buf, source.len > 0 ? " " : "");
        bt_buf_put_printable(buf, source, SIZE_MAX);
        bt_buf_put_text(buf, target.len > 0 ? " -> " : "");
        bt_buf_put_printable(buf, target, SIZE_MAX);
    }
    bt_buf_put_char(buf, '\n');
}

/* ---- Output ---------------------------------------------------------------------------------- */

bool cli_run_is_json(const struct cli_options *options)
{
    const struct cli_output *last =
        options->output_count > 0 ? &options->outputs[options->output_count - 1] : NULL;
    return last &&
           (last->format == BT_REPORT_FORMAT_JSON || last->format == BT_REPORT_FORMAT_JSONL);
}

int cli_run_print(struct cli_run *run, struct bt_buf *buf)
{
    if (buf->status == BT_OK) {
        bt_json_escape_hidden(buf, 0);
    }
    return cli_run_print_bytes(run, buf);
}

int cli_run_print_bytes(struct cli_run *run, struct bt_buf *buf)
{
    const char *path = cli_given(run->options, &flag_out);
    if (!path || cli_is_stdin(path) || buf->status != BT_OK) {
        return cli_print_document(buf);
    }
    const enum bt_status status = bt_file_replace(bt_str_of(path), bt_buf_str(buf), &run->error);
    bt_buf_free(buf);
    if (status != BT_OK) {
        return cli_failed("cannot write %s: %s", path, run->error.text);
    }
    return CLI_DONE;
}

bool cli_run_alarmed(struct cli_run *run)
{
    if (bt_findings_count(run->alarms) == 0) {
        return false;
    }
    if (bt_findings_finish(run->alarms, BT_STR("")) != BT_OK) {
        (void)cli_fail_status(BT_ENOMEM);
        return true;
    }
    const struct bt_judgement judged = {
        .path = bt_ledger_url(run->ledger),
        .dialect = BT_DIALECT_LEDGER,
        .source = BT_STR(""),
        .verdict = bt_verdict_of(run->alarms, BT_SEVERITY_HARD),
        .findings = run->alarms,
    };
    (void)cli_run_report_one(run, &judged, BT_STR(""));
    return true;
}

/* ---- Flags ----------------------------------------------------------------------------------- */

bool cli_run_seq(struct cli_run *run, const char *text, uint64_t *out)
{
    bt_str digits = bt_str_of(text);
    const size_t hash = bt_str_find_byte(digits, '#', 0);
    if (hash < digits.len) {
        const bt_str origin = bt_ledger_origin(run->ledger);
        if (!bt_str_eq(bt_str_slice(digits, 0, hash), origin)) {
            return cli_refuse("%s belongs to another ledger; this one is %.*s", text,
                              BT_STR_ARG(origin));
        }
        digits = bt_str_slice(digits, hash + 1, digits.len);
    }
    if (bt_str_to_u64(digits, out) != BT_OK || (digits.len > 1 && digits.ptr[0] == '0')) {
        return cli_refuse_usage(run->options, "%s is not the number of an entry", text);
    }
    return true;
}

bool cli_run_duration(struct cli_run *run, const struct cli_flag *flag, uint64_t *out)
{
    const char *text = cli_given(run->options, flag);
    if (text && !bt_config_is_duration(bt_str_of(text))) {
        return cli_refuse_usage(run->options, "--%s wants 1 to 6 digits and s, m, h or d",
                                flag->name);
    }
    *out = text ? bt_config_text_seconds(bt_str_of(text)) : *out;
    return true;
}

bool cli_run_policy(struct cli_run *run, struct bt_witness_policy **out)
{
    const char *path = cli_given(run->options, &flag_witness_policy);
    struct cli_input input;
    if (!path) {
        return true;
    }
    if (cli_given(run->options, &flag_vkey) || cli_given(run->options, &flag_witness_key) ||
        cli_given(run->options, &flag_require_witness)) {
        return cli_refuse_usage(run->options, "--policy takes the place of --vkey, --witness-key "
                                              "and --require-witness");
    }
    if (!cli_input_read(&run->arena, path, BT_POLICY_BYTES_MAX + 1, &input)) {
        return false;
    }
    return bt_witness_policy_read(&run->arena, input.content, out, &run->error) == BT_OK ||
           cli_refuse("the policy %s: %s", path, run->error.text);
}

static enum bt_status add_key(struct cli_run *run, struct bt_verifier_keys *keys, const char *text)
{
    bt_str lines;
    if (text[0] != '@') {
        return bt_verifier_keys_add(keys, bt_str_of(text), &run->error);
    }
    BT_TRY(
        bt_file_read(&run->arena, bt_str_of(text + 1), KEYS_FILE_BYTES_MAX, &lines, &run->error));
    if (lines.len > KEYS_FILE_BYTES_MAX) {
        return bt_error_set(&run->error, BT_ELIMIT, "the file is larger than %d bytes",
                            KEYS_FILE_BYTES_MAX);
    }
    BT_TRY(bt_verifier_keys_add_lines(keys, lines, &run->error));
    return bt_verifier_keys_count(keys) > 0
               ? BT_OK
               : bt_error_set(&run->error, BT_EINVAL, "the file has no key");
}

bool cli_run_keys(struct cli_run *run, const struct cli_flag *flag, enum bt_verifier_key_kind kind,
                  struct bt_verifier_keys **out)
{
    struct bt_verifier_keys *keys = bt_verifier_keys_new(&run->arena, kind);
    const char *text = cli_given_at(run->options, flag, 0);
    *out = NULL;
    for (size_t i = 1; text; i++) {
        if (!keys || add_key(run, keys, text) != BT_OK) {
            return cli_refuse("--%s %s: %s", flag->name, text,
                              keys ? run->error.text : bt_status_text(BT_ENOMEM));
        }
        text = cli_given_at(run->options, flag, i);
    }
    if (cli_given(run->options, flag)) {
        *out = keys;
    }
    return true;
}

bool cli_run_actor(struct cli_run *run, bt_str *out)
{
    const char *actor = cli_given(run->options, &flag_actor);
    *out = actor ? bt_str_of(actor) : BT_STR("cli");
    return bt_entry_name_is_valid(*out) ||
           cli_refuse_usage(run->options, "--actor wants a name of 1 to 200 of [A-Za-z0-9._:/@+-]");
}

/* ---- Deadline -------------------------------------------------------------------------------- */

/* The store does not respond: nothing is acknowledged. Uses only async-signal-safe functions. */
static void give_up(int number)
{
    static const char text[] = "baton: the store did not answer before the deadline; the outcome "
                               "is unknown: look with baton ledger tail\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(CLI_FAILED);
}

static void set_timer(uint64_t ms)
{
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000 * 1000)}};
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void cli_run_watch(const struct cli_run *run)
{
    uint64_t deadline = DEADLINE_MS_USUAL;
    const char *text = cli_given(run->options, &flag_deadline);
    if (text && bt_str_to_u64(bt_str_of(text), &deadline) != BT_OK) {
        deadline = DEADLINE_MS_USUAL; /* it was checked before */
    }
    struct sigaction action = {.sa_handler = give_up};
    (void)sigaction(SIGALRM, &action, NULL);
    set_timer(deadline + GRACE_MS);
}

void cli_run_unwatch(void)
{
    set_timer(0);
}
