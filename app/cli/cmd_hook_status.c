/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hook_status.c - baton hook status, baton hook test: what is installed, and does it work? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "cli.h"
#include "dialect/contract/contract.h"
#include "hook/sample.h"
#include "hook_config.h"
#include "json/emit.h"
#include "model_command.h"
#include "operation/rule_codes.h"
#include "output.h"
#include "report/table.h"
#include "run.h"

enum { OUTPUT_BYTES_MAX = 1 << 20, HOSTS_MAX = 8 };

/* ---- Findings -------------------------------------------------------------------------------- */

/* The items of a list that is separated by a comma and a blank. */
static enum bt_status split_keys(struct bt_arena *arena, bt_str list, struct bt_str_list *out)
{
    bt_str *keys = BT_NEW_ARRAY(arena, bt_str, list.len + 1);
    size_t count = 0;
    if (!keys) {
        return BT_ENOMEM;
    }
    for (size_t at = 0; at < list.len;) {
        const size_t end = bt_str_find_byte(list, ',', at);
        keys[count++] = bt_str_slice(list, at, end);
        at = end + 2;
    }
    *out = (struct bt_str_list){keys, count};
    return BT_OK;
}

/* The words that the installed command consists of. */
static enum bt_status find_program(struct hook_status *known)
{
    const struct hook_files *files = &known->files;
    const char **words = NULL;
    size_t count = 0;
    BT_TRY(hook_words(files->arena, known->found.command, &words, &count));
    BT_TRY(hook_program_find(files->arena, bt_str_of(count > 0 ? words[0] : HOOK_PROGRAM),
                             files->base, &known->program));
    if (count == 0 || known->program.is_same) {
        return BT_OK;
    }
    return bt_add_hook_program_missing(
        known->findings, bt_location_whole(), known->program.name,
        known->program.path.len > 0 ? known->program.path : BT_STR_ABSENT, known->program.own);
}

/* True when Baton has an entry at this event. */
static bool has_event(const struct hook_status *known, const char *name)
{
    for (size_t i = 0; i < known->found.event_count; i++) {
        if (bt_str_eq(known->found.events[i], bt_str_of(name))) {
            return true;
        }
    }
    return false;
}

static enum bt_status find_events(struct hook_status *known)
{
    const struct agent_host *host = known->files.host;
    for (size_t i = 0; hook_status_event(known, i); i++) {
        const char *name = hook_status_event(known, i);
        if (!has_event(known, name)) {
            BT_TRY(bt_add_hook_event_missing(known->findings, bt_location_whole(), bt_str_of(name),
                                             bt_str_of(host->name)));
        }
    }
    return BT_OK;
}

/* A store that a flag names is made by the first event; the one of the project is not. */
static enum bt_status find_store(struct hook_status *known, const struct hook_config *config)
{
    const struct hook_files *files = &known->files;
    const char *outer = getenv("BATON_STORE");
    bt_str path = BT_STR("");
    if (cli_given(&config->options, &flag_store) || (outer && outer[0] != '\0') || files->is_user) {
        return BT_OK;
    }
    BT_TRY(bt_config_path(config->options.config, "store", files->arena, &path));
    if (path.len == 0) {
        BT_TRY(
            bt_arena_printf(files->arena, &path, "%.*s/.baton/store.db", BT_STR_ARG(files->base)));
    }
    if (bt_str_starts_with(path, BT_STR("postgres")) || bt_file_kind_of(path) != BT_FILE_NONE) {
        return BT_OK;
    }
    return bt_add_hook_store_missing(known->findings, bt_location_whole(), path);
}

static enum bt_status find_absolute(struct hook_status *known)
{
    const struct hook_files *files = &known->files;
    const char **words = NULL;
    size_t count = 0;
    BT_TRY(hook_words(files->arena, known->found.command, &words, &count));
    for (size_t i = 0; i < count && !files->is_user && !files->is_local; i++) {
        const bt_str word = bt_str_of(words[i]);
        if (bt_str_starts_with(word, BT_STR("/")) || bt_str_starts_with(word, BT_STR("sqlite:/"))) {
            BT_TRY(bt_add_hook_path_absolute(known->findings, bt_location_whole(), word));
        }
    }
    return BT_OK;
}

static enum bt_status find_changed(struct hook_status *known)
{
    const bool is_same = !known->pinned.state || strcmp(known->pinned.state, "same") == 0;
    return is_same ? BT_OK
                   : bt_add_hook_config_changed(known->findings, bt_location_whole(),
                                                bt_str_of(known->files.host->name));
}

static enum bt_status find_ignored(struct hook_status *known, const struct hook_config *config)
{
    const struct hook_files *files = &known->files;
    struct bt_str_list ignored;
    const bt_str keys = hook_config_ignored_keys(files->arena, &config->options,
                                                 files->is_user ? BT_STR("") : files->base);
    known->ignored_keys = keys;
    if (keys.len == 0) {
        return BT_OK;
    }
    BT_TRY(split_keys(files->arena, keys, &ignored));
    return bt_add_hook_config_ignored(known->findings, bt_location_whole(), ignored,
                                      bt_str_of(files->host->name));
}

/* Find what is wrong with the installed hook. */
static enum bt_status find_faults(struct hook_status *known)
{
    const struct hook_files *files = &known->files;
    struct cli_options given;
    struct hook_config config;
    bt_str folder;
    known->findings = bt_findings_new(files->arena);
    BT_TRY(known->findings ? BT_OK : BT_ENOMEM);
    BT_TRY(find_program(known));
    if (known->found.command.len > 0) {
        BT_TRY(bt_arena_copy(files->arena, files->is_user ? BT_STR("") : files->base, &folder));
        BT_TRY(hook_config_flags(files->arena, known->found.command, &given));
        hook_config_read(&given, files->host, folder.len > 0 ? folder.ptr : NULL, files->arena,
                         &config);
        known->has_tools = cli_hook_sees_tools(&given, config.options.config);
        BT_TRY(find_events(known));
        BT_TRY(find_store(known, &config));
        BT_TRY(hook_pin_find(files, known->found.command, &known->pinned));
        BT_TRY(find_changed(known));
        BT_TRY(find_ignored(known, &config));
        BT_TRY(find_absolute(known));
    }
    return bt_findings_finish(known->findings, BT_STR(""));
}

const char *hook_status_event(const struct hook_status *known, size_t index)
{
    const struct agent_host *host = known->files.host;
    size_t count = 0;
    while (count < HOOK_EVENTS_MAX && host->events[count]) {
        count++;
    }
    if (known->found.command.len == 0) {
        return NULL;
    }
    if (index < count) {
        return host->events[index];
    }
    return known->has_tools && index - count < host->tools.entries
               ? host->tools.events[index - count]
               : NULL;
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* Put the program that the host would run, and the events that have an entry. */
static void put_parts(struct bt_emit *emit, const struct hook_status *known)
{
    const struct hook_program *program = &known->program;
    bt_emit_member_object(emit, "program");
    bt_emit_member_string(emit, "name", program->name);
    cli_json_bool(emit, "found", program->path.len > 0);
    bt_emit_name(emit, "same");
    if (program->path.len > 0) {
        bt_emit_bool(emit, program->is_same);
    } else {
        bt_emit_null(emit);
    }
    bt_emit_end(emit);
    bt_emit_member_object(emit, "events");
    for (size_t i = 0; hook_status_event(known, i); i++) {
        cli_json_bool(emit, hook_status_event(known, i),
                      has_event(known, hook_status_event(known, i)));
    }
    bt_emit_end(emit);
}

static const char *skill_state(const struct hook_skill *skill)
{
    return !skill->exists                                   ? "absent"
           : bt_str_eq(skill->content, bt_contract_skill()) ? "installed"
                                                            : "modified";
}

/* Put what the hook is pinned to, and what was found. */
static void put_config(struct bt_emit *emit, const struct hook_status *known)
{
    bt_emit_name(emit, "config");
    if (known->pinned.state) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "path", known->pinned.path);
        bt_emit_member_string(emit, "sha256", known->pinned.digest);
        bt_emit_member_string(emit, "state", bt_str_of(known->pinned.state));
        bt_emit_end(emit);
    } else {
        bt_emit_null(emit);
    }
    bt_emit_member_string(emit, "skill", bt_str_of(skill_state(&known->skill)));
    cli_json_array(emit, "findings");
    bt_findings_emit(emit, known->findings);
    bt_emit_end(emit);
}

static void put_json(struct bt_buf *buf, const struct hook_status *found, size_t count)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    cli_json_array(&emit, "hosts");
    for (size_t i = 0; i < count; i++) {
        const struct hook_files *files = &found[i].files;
        const char *mode = hook_settings_mode(found[i].found.command);
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "host", bt_str_of(files->host->name));
        bt_emit_member_string(&emit, "path", files->name);
        cli_json_bool(&emit, "installed", mode != NULL);
        bt_emit_name(&emit, "mode");
        if (mode) {
            bt_emit_string(&emit, bt_str_of(mode));
        } else {
            bt_emit_null(&emit);
        }
        cli_json_bool(&emit, "modified", files->is_modified);
        cli_json_bool(&emit, "backup", files->has_backup);
        put_parts(&emit, &found[i]);
        put_config(&emit, &found[i]);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
}

/* Put what is wrong with a hook and what to do about it, one line each. */
static void put_findings(struct bt_buf *buf, const struct hook_status *known)
{
    for (size_t i = 0; i < bt_findings_count(known->findings); i++) {
        const struct bt_finding *finding = bt_findings_at(known->findings, i);
        const bool has_keys = finding->rule->id == BT_CODE_HOOK_CONFIG_IGNORED;
        bt_buf_printf(buf, "  %.*s: %.*s%s%.*s; %.*s\n", BT_STR_ARG(finding->rule->code),
                      BT_STR_ARG(finding->message), has_keys ? ": " : "",
                      BT_STR_ARG(has_keys ? known->ignored_keys : BT_STR("")),
                      BT_STR_ARG(finding->hint));
    }
}

static bool has_hard(const struct bt_findings *findings)
{
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        if (bt_findings_at(findings, i)->severity == BT_SEVERITY_HARD) {
            return true;
        }
    }
    return false;
}

/* The table, and below it what was found about each host. */
static enum bt_status put_text(struct bt_arena *arena, struct bt_buf *buf,
                               const struct hook_status *found, size_t count)
{
    static const char *const names[] = {"HOST", "INSTALLED", "MODE", "MODIFIED", "FILE", NULL};
    struct bt_table table;
    bt_table_init(&table, arena, names);
    for (size_t i = 0; i < count; i++) {
        const struct hook_files *files = &found[i].files;
        const char *mode = hook_settings_mode(found[i].found.command);
        bt_table_add(&table, bt_str_of(files->host->name));
        bt_table_add_bool(&table, mode != NULL);
        bt_table_add(&table, bt_str_of(mode));
        bt_table_add_bool(&table, files->is_modified);
        bt_table_add(&table, files->name);
    }
    BT_TRY(bt_table_put(&table, cli_terminal_columns(), buf));
    for (size_t i = 0; i < count; i++) {
        if (bt_findings_count(found[i].findings) > 0) {
            bt_buf_printf(buf, "%s:\n", found[i].files.host->name);
            put_findings(buf, &found[i]);
        }
    }
    return BT_OK;
}

bool hook_status_read(const struct cli_options *options, const struct agent_host *host,
                      struct bt_arena *arena, struct hook_status *out)
{
    const struct hook_entry_options entries = {.host = host,
                                               .program = cli_given(options, &flag_program)};
    struct bt_error error = {0};
    *out = (struct hook_status){.found = {.command = BT_STR("")}};
    if (!hook_files_load(options, host, arena, &out->files) ||
        !hook_skill_load(&out->files, &out->skill)) {
        return false;
    }
    if (out->files.exists &&
        hook_settings_find(arena, out->files.content, &entries, &out->found, &error) != BT_OK) {
        return cli_refuse("cannot understand %.*s: %s", BT_STR_ARG(out->files.name),
                          error.text[0] ? error.text : bt_status_text(BT_ENOMEM));
    }
    return find_faults(out) == BT_OK || cli_refuse_status(BT_ENOMEM);
}

static int print_status(const struct cli_options *options, const struct agent_host *only,
                        struct bt_arena *arena)
{
    struct hook_status found[HOSTS_MAX];
    size_t count = 0;
    struct bt_buf buf;
    for (size_t i = 0; i < HOSTS_MAX && hook_host_at(i); i++) {
        const struct agent_host *host = hook_host_at(i);
        if (only && only != host) {
            continue;
        }
        if (!hook_status_read(options, host, arena, &found[count++])) {
            return CLI_FAILED;
        }
    }
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(options)) {
        put_json(&buf, found, count);
    } else if (put_text(arena, &buf, found, count) != BT_OK) {
        bt_buf_free(&buf);
        return cli_fail_status(BT_ENOMEM);
    }
    return cli_print_buf(&buf);
}

int cmd_hook_status(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct agent_host *only =
        options->operand_count > 0 ? hook_host_find(options->operands[0]) : NULL;
    return options->operand_count > 0 && !only
               ? hook_host_unknown(options->command, options->operands[0])
               : print_status(options, only, &run->arena);
}

/* ---- baton hook test ------------------------------------------------------------------------- */

enum { TEST_TIMEOUT_S = 10, SAMPLES_MAX = HOOK_ENTRIES_MAX };

/* One sample event that was answered. */
struct hook_test_event {
    struct hook_sample sample;
    int exit_code;
    uint64_t ms;
    bt_str output;
    enum hook_sample_answer answer;
};

struct hook_test {
    const struct cli_options *options;
    struct bt_arena *arena;
    struct hook_status known;
    bool by_self;
    bt_str command; /* of the stop event */
    struct hook_test_event events[SAMPLES_MAX];
    size_t count;
    bool is_as_expected;
};

/* The command for an event: that of its entry, or this program with the flags of it. */
static enum bt_status find_command(struct hook_test *test, const char *event, bt_str *out)
{
    const struct hook_settings_found *found = &test->known.found;
    bt_str command = found->command;
    for (size_t i = 0; i < found->event_count; i++) {
        command = bt_str_eq(found->events[i], bt_str_of(event)) ? found->commands[i] : command;
    }
    if (!test->by_self) {
        return bt_arena_copy(test->arena, command, out);
    }
    const struct agent_host *host = test->known.files.host;
    const bool is_named =
        host->traits.names_event || strcmp(event, hook_host_stop_event(host)) == 0;
    bt_str flags = bt_str_slice(command, bt_str_find(command, BT_STR(" hook ")), command.len);
    if (command.len == 0) {
        BT_TRY(bt_arena_printf(test->arena, &flags, " hook %s%s%s", host->name,
                               is_named ? "" : " --event ", is_named ? "" : event));
    }
    return hook_self_command(test->arena, test->known.program.own, flags, out);
}

static enum bt_status run_sample(struct hook_test *test, struct hook_test_event *event)
{
    struct bt_buf input;
    struct bt_buf output;
    bt_str command;
    BT_TRY(find_command(test, event->sample.event, &command));
    bt_buf_init(&input, OUTPUT_BYTES_MAX);
    bt_buf_init(&output, (size_t)2 * CLI_ANSWER_BYTES_MAX);
    hook_sample_put(&input, &event->sample);
    const struct cli_model_command run = {
        .command = command.ptr, .timeout_s = TEST_TIMEOUT_S, .number = 1};
    const uint64_t began = bt_clock_monotonic_ms();
    const struct cli_model_result result = cli_model_command_run(&run, bt_buf_str(&input), &output);
    event->ms = bt_clock_monotonic_ms() - began;
    event->exit_code = result.exit_code;
    bt_buf_free(&input);
    BT_TRY(bt_buf_finish(&output, test->arena, &event->output));
    return hook_sample_read(test->arena, &event->sample, event->exit_code, event->output,
                            &event->answer);
}

/* True when the answer is the one that a hook in order gives. */
static bool is_expected(const struct hook_test *test, const struct hook_test_event *event)
{
    const char *mode = hook_settings_mode(test->known.found.command);
    const bool observes = mode && strcmp(mode, "observe") == 0;
    switch (event->sample.kind) {
    case HOOK_SAMPLE_START:
        return event->answer == HOOK_SAMPLE_CONTEXT || event->answer == HOOK_SAMPLE_PASS ||
               event->answer == HOOK_SAMPLE_USER_MESSAGE;
    case HOOK_SAMPLE_STOP:
        return event->answer == (observes ? HOOK_SAMPLE_PASS : HOOK_SAMPLE_SEND_BACK);
    case HOOK_SAMPLE_TOOL:
        break;
    }
    return event->answer == HOOK_SAMPLE_PASS;
}

/* The first type that --agents of the installed command names: the hook judges no others. */
static enum bt_status find_agent_type(struct hook_test *test, bt_str *out)
{
    const char **words = NULL;
    size_t count = 0;
    *out = BT_STR("test");
    BT_TRY(hook_words(test->arena, test->known.found.command, &words, &count));
    for (size_t i = 0; i + 1 < count; i++) {
        if (strcmp(words[i], "--agents") == 0) {
            const bt_str list = bt_str_of(words[i + 1]);
            *out = bt_str_slice(list, 0, bt_str_find_byte(list, ',', 0));
        }
    }
    return BT_OK;
}

/* The kind of an event of the agent host. */
static enum hook_sample_kind kind_of(const struct agent_host *host, const char *event)
{
    for (size_t i = 0; i < HOOK_EVENTS_MAX && host->events[i]; i++) {
        if (strcmp(host->events[i], event) == 0) {
            return strcmp(event, hook_host_stop_event(host)) == 0 ? HOOK_SAMPLE_STOP
                                                                  : HOOK_SAMPLE_START;
        }
    }
    return HOOK_SAMPLE_TOOL;
}

static void add_sample(struct hook_test *test, const char *event, enum hook_sample_kind only,
                       bt_str agent_type)
{
    const struct agent_host *host = test->known.files.host;
    const enum hook_sample_kind kind = kind_of(host, event);
    if (test->count < SAMPLES_MAX && (only == 0 || only == kind)) {
        test->events[test->count++] =
            (struct hook_test_event){.sample = {.host = host,
                                                .event = event,
                                                .kind = kind,
                                                .agent_type = agent_type,
                                                .folder = test->known.files.base}};
    }
}

/* Choose the samples, and run them. */
static enum bt_status run_samples(struct hook_test *test, enum hook_sample_kind only)
{
    const struct agent_host *host = test->known.files.host;
    const bool has_tools = test->known.has_tools || only == HOOK_SAMPLE_TOOL;
    bt_str agent_type;
    BT_TRY(find_agent_type(test, &agent_type));
    for (size_t i = 0; i < HOOK_EVENTS_MAX && host->events[i]; i++) {
        add_sample(test, host->events[i], only, agent_type);
    }
    if (has_tools) {
        add_sample(test, host->tools.events[0], only, agent_type);
    }
    for (size_t i = 0; i < test->count; i++) {
        BT_TRY(run_sample(test, &test->events[i]));
        test->is_as_expected = test->is_as_expected && is_expected(test, &test->events[i]);
    }
    return BT_OK;
}

static void put_test_json(struct bt_buf *buf, const struct hook_test *test)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    bt_emit_member_string(&emit, "host", bt_str_of(test->known.files.host->name));
    bt_emit_member_string(&emit, "via", test->by_self ? BT_STR("self") : BT_STR("command"));
    bt_emit_member_string_or_null(&emit, "command", test->command);
    cli_json_array(&emit, "events");
    for (size_t i = 0; i < test->count; i++) {
        const struct hook_test_event *event = &test->events[i];
        bt_emit_begin_object(&emit);
        bt_emit_member_string(&emit, "event", bt_str_of(event->sample.event));
        bt_emit_name(&emit, "exit");
        if (event->exit_code >= 0) {
            bt_emit_u64(&emit, (uint64_t)event->exit_code);
        } else {
            bt_emit_null(&emit);
        }
        bt_emit_member_u64(&emit, "ms", event->ms);
        bt_emit_member_string(&emit, "answer", bt_str_of(hook_sample_answer_name(event->answer)));
        bt_emit_member_string(&emit, "stdout", event->output);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    cli_json_array(&emit, "findings");
    bt_findings_emit(&emit, test->known.findings);
    bt_emit_end(&emit);
    cli_json_end(&emit);
}

static void put_test_text(struct bt_buf *buf, const struct hook_test *test)
{
    for (size_t i = 0; i < test->count; i++) {
        const struct hook_test_event *event = &test->events[i];
        bt_buf_printf(buf, "%s: %s%s, in %" PRIu64 " ms\n", event->sample.event,
                      hook_sample_answer_name(event->answer),
                      is_expected(test, event) ? ", as expected" : ", NOT as expected", event->ms);
    }
    put_findings(buf, &test->known);
}

/* The kind that --event names; 0: all. False after an error message. */
static bool take_kind(const struct cli_options *options, enum hook_sample_kind *out)
{
    static const char *const words[] = {NULL, "start", "stop", "tool"};
    const char *given = cli_given(options, &flag_event);
    size_t kind = given ? 1 : 0;
    while (given && kind < sizeof(words) / sizeof(words[0]) && strcmp(words[kind], given) != 0) {
        kind++;
    }
    *out = (enum hook_sample_kind)kind;
    return kind < sizeof(words) / sizeof(words[0]) ||
           cli_refuse_usage(options, "--event wants start, stop or tool, not %s", given);
}

static int print_test(struct hook_test *test)
{
    struct bt_buf buf;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (cli_run_is_json(test->options)) {
        put_test_json(&buf, test);
    } else {
        put_test_text(&buf, test);
    }
    const int code = cli_print_buf(&buf);
    const bool is_fine = test->is_as_expected && !has_hard(test->known.findings);
    return code != CLI_DONE || is_fine ? code : CLI_REJECTED;
}

int cmd_hook_test(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct agent_host *host = hook_host_find(options->operands[0]);
    struct hook_test test = {.options = options,
                             .arena = &run->arena,
                             .by_self = cli_given(options, &flag_self) != NULL,
                             .is_as_expected = true};
    enum hook_sample_kind only = HOOK_SAMPLE_START;
    if (!host) {
        return hook_host_unknown(options->command, options->operands[0]);
    }
    if (!take_kind(options, &only) || !hook_status_read(options, host, &run->arena, &test.known)) {
        return CLI_FAILED;
    }
    const bool is_installed = test.known.found.command.len > 0;
    enum bt_status status = find_command(&test, hook_host_stop_event(host), &test.command);
    if (status == BT_OK && !is_installed && !test.by_self) {
        test.known.findings = bt_findings_new(&run->arena);
        status = !test.known.findings
                     ? BT_ENOMEM
                     : bt_add_hook_not_installed(test.known.findings, bt_location_whole(),
                                                 bt_str_of(host->name));
        status = status == BT_OK ? bt_findings_finish(test.known.findings, BT_STR("")) : status;
    } else if (status == BT_OK &&
               chdir(test.known.files.base.len > 0 ? test.known.files.base.ptr : "/") != 0) {
        return cli_failed("cannot go to %.*s", BT_STR_ARG(test.known.files.base));
    } else if (status == BT_OK) {
        status = run_samples(&test, only);
    }
    return status == BT_OK ? print_test(&test) : cli_fail_status(status);
}
