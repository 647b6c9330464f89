/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c - another Baton as the judge of a replay: one process for each document.
 *
 *     PATH check --as DIALECT -f json --now TIME --today DATE --seed 0 ... -
 */
#define _GNU_SOURCE /* environ */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <baton/json.h>

#include "base/civil_time.h"
#include "base/clock.h"
#include "cli/output.h"
#include "json/builder.h"
#include "json/emit.h"
#include "json/options.h"
#include "replay/replay.h"
#include "sandbox/server_process.h"

enum {
    CALL_DEADLINE_MS = 60000,
    ANSWER_BYTES_MAX = 64 << 20,
    PART_BYTES = 65536,
    REAP_MS = 5,         /* between two checks of a program that has closed its output */
    SIGNALLED = 128,     /* and the number of the signal: the exit code */
    CALL_WORDS_MAX = 16, /* of a document, beside what all calls have */
};

/* ---- One call -------------------------------------------------------------------------------- */

/* Write a part of what is left of the input. A program that does not read it is not an error. */
static void write_input(struct bt_server_process *process, bt_str *left)
{
    const ssize_t count = write(process->input_fd, left->ptr, left->len);
    if (count > 0) {
        *left = bt_str_slice(*left, (size_t)count, left->len);
    }
    if (left->len == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        bt_server_process_close_input(process);
    }
}

/* Read a part of the answer. False at its end, or when it is too long. */
static bool read_answer(const struct bt_server_process *process, struct bt_buf *answer)
{
    char *part = bt_buf_reserve(answer, PART_BYTES);
    const ssize_t count = part ? read(process->output_fd, part, PART_BYTES) : 0;
    if (count > 0) {
        answer->len += (size_t)count;
    }
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Exchange until the program has closed its output. False: too late. */
static bool exchange_bytes(struct bt_server_process *process, bt_str input, struct bt_buf *answer,
                           uint64_t deadline_ms)
{
    bool is_open = true;
    while (is_open) {
        struct pollfd ends[2] = {{.fd = process->output_fd, .events = POLLIN},
                                 {.fd = process->input_fd, .events = POLLOUT}};
        const uint64_t now = bt_clock_monotonic_ms();
        if (now >= deadline_ms || poll(ends, 2, (int)(deadline_ms - now)) < 0) {
            return now < deadline_ms && errno == EINTR;
        }
        if (ends[1].revents != 0) {
            write_input(process, &input);
        }
        is_open = ends[0].revents == 0 || read_answer(process, answer);
    }
    return true;
}

/* Wait for the end of a program that has closed its output. Returns its exit code, that of a shell
 * for one that a signal ended, or -1 when it did not end. */
static int wait_for_end(struct bt_server_process *process, uint64_t deadline_ms)
{
    struct bt_server_process_end end = bt_server_process_poll(process);
    while (!end.has_ended && bt_clock_monotonic_ms() < deadline_ms) {
        struct pollfd life = {.fd = process->life_fd, .events = POLLIN};
        (void)poll(&life, 1, REAP_MS);
        end = bt_server_process_poll(process);
    }
    return !end.has_ended ? -1 : end.was_signalled ? SIGNALLED + end.number : end.number;
}

/*
 * Run the program once. Returns its exit code, or -1 when it could not be started or did not end in
 * time; the answer is in the arena.
 */
static int call_program(struct bt_arena *arena, char *const *words, bt_str input, bt_str *out,
                        struct bt_error *error)
{
    extern char **environ;
    const uint64_t deadline_ms = bt_clock_monotonic_ms() + CALL_DEADLINE_MS;
    const struct bt_server_command command = {
        .argv = words, .environment = environ, .search_path = bt_str_of(getenv("PATH"))};
    struct bt_server_process process;
    struct bt_buf answer;
    int code = -1;
    if (bt_server_process_start(arena, &command, &process, error) != BT_OK) {
        return -1;
    }
    bt_buf_init(&answer, ANSWER_BYTES_MAX);
    if (exchange_bytes(&process, input, &answer, deadline_ms)) {
        code = wait_for_end(&process, deadline_ms);
    }
    bt_server_process_close(&process);
    if (code < 0) {
        (void)bt_error_set(error, BT_EIO, "it did not answer within %d s", CALL_DEADLINE_MS / 1000);
    }
    const enum bt_status status = bt_buf_finish(&answer, arena, out);
    return status == BT_OK ? code : -1;
}

static enum bt_status read_json(const struct bt_env *env, struct bt_arena *arena, bt_str text,
                                const struct bt_json_doc **out)
{
    struct bt_json_options options = bt_json_options_from_env(env);
    struct bt_json_read_result read = {0};
    options.document_bytes_max = ANSWER_BYTES_MAX;
    options.string_bytes_max = ANSWER_BYTES_MAX;
    options.nodes_max = ANSWER_BYTES_MAX;
    BT_TRY(bt_json_read(arena, text, &options, &read)); /* from: the other program */
    *out = read.document;
    return read.document ? BT_OK : BT_EINVAL;
}

/* The text of a member; "" when it is absent. */
static bt_str text_of(const struct bt_json_doc *document, const bt_json_value *object,
                      const char *name)
{
    const bt_json_value *value = bt_json_get(document, object, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

/* ---- What the program is --------------------------------------------------------------------- */

/* Let the program print an object, and get a member of it, which a program that is not a Baton does
 * not have. False after an error message: it cannot be run. */
static bool query_program(struct cli_run *cli, const char *path, const char *command,
                          const char *member, bt_ref *out)
{
    char *words[5];
    const char *texts[] = {path, command, "-f", "json"};
    const struct bt_json_doc *document = NULL;
    struct bt_error error = {0};
    bt_str answer = BT_STR("");
    bt_str copy;
    *out = (bt_ref){NULL, NULL};
    for (size_t i = 0; i < 4; i++) {
        if (bt_arena_copy(&cli->arena, bt_str_of(texts[i]), &copy) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
        words[i] = (char *)(uintptr_t)copy.ptr;
    }
    words[4] = NULL;
    const int code = call_program(&cli->arena, words, BT_STR(""), &answer, &error);
    if (code < 0) {
        return cli_refuse("cannot run %s %s: %s", path, command,
                          error.text[0] ? error.text : "its answer is too long");
    }
    if (code == 0 && read_json(&cli->env, &cli->arena, answer, &document) == BT_OK) {
        *out = (bt_ref){document, bt_json_get(document, bt_json_root(document), bt_str_of(member))};
    }
    if (!out->value) {
        cli_print_error("note: %s %s -f json does not print what a Baton prints", path, command);
    }
    return true;
}

static bool needs_more(const struct bt_json_doc *rules, const bt_json_value *rule, unsigned met)
{
    const bt_json_value *needs = bt_json_get(rules, rule, BT_STR("needs"));
    for (size_t i = 0; needs && i < bt_json_count(needs); i++) {
        const bool is_root = bt_str_eq(bt_json_text(&bt_json_items(needs)[i]), BT_STR("root"));
        if (!is_root || !(met & BT_RULE_NEED_ROOT)) {
            return true;
        }
    }
    return false;
}

/* The rules of the program are listed by code, so the unmet ones are sorted. */
static enum bt_status collect_unmet(struct bt_arena *arena, bt_ref rules,
                                    struct replay_settings *settings)
{
    struct replay_program *program = &settings->program;
    const size_t count = rules.value ? bt_json_count(rules.value) : 0;
    bt_str *unmet = BT_NEW_ARRAY(arena, bt_str, count + 1);
    if (!unmet) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *rule = &bt_json_items(rules.value)[i];
        if (needs_more(rules.document, rule, settings->needs_met)) {
            unmet[program->unmet_count++] = text_of(rules.document, rule, "code");
        }
    }
    program->unmet = unmet;
    return BT_OK;
}

/* ---- The words of every call ----------------------------------------------------------------- */

/* True for a flag that says how to judge, and that `check` has as well. */
static bool is_passed_on(const struct cli_flag *flag)
{
    static const struct cli_flag *const others[] = {
        &flag_format, &flag_as_json, &flag_jobs,  &flag_now,        &flag_today,    &flag_seed,
        &flag_quiet,  &flag_verbose, &flag_color, &flag_hyperlinks, &flag_no_input, &flag_progress};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i]->id == flag->id) {
            return false;
        }
    }
    return flag->name[0] && cli_has_flag(cli_command_part(&cli_baton, "check"), flag);
}

static enum bt_status add_word(struct bt_arena *arena, char **words, size_t *count, bt_str text)
{
    bt_str copy;
    BT_TRY(bt_arena_copy(arena, text, &copy));
    words[(*count)++] = (char *)(uintptr_t)copy.ptr; /* the arena's own copy */
    return BT_OK;
}

/* `--strict` keeps out what files choose to show, which is not a part of a decision. */
static enum bt_status collect_words(struct cli_run *cli, struct replay_program *program)
{
    const struct cli_options *options = cli->options;
    struct bt_arena *arena = &cli->arena;
    bt_str word;
    program->arguments = BT_NEW_ARRAY(arena, char *, 2 * options->given_count + 1);
    BT_TRY(program->arguments ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < options->given_count; i++) {
        const struct cli_given *given = &options->given[i];
        if (!is_passed_on(given->flag)) {
            continue;
        }
        BT_TRY(bt_arena_printf(arena, &word, "--%s", given->flag->name));
        BT_TRY(add_word(arena, program->arguments, &program->argument_count, word));
        if (given->value) {
            BT_TRY(add_word(arena, program->arguments, &program->argument_count,
                            bt_str_of(given->value)));
        }
    }
    return BT_OK;
}

bool replay_program_open(struct cli_run *cli, struct replay_settings *settings)
{
    struct replay_program *program = &settings->program;
    const char *path = cli_given(cli->options, &flag_program);
    char hex[BT_SHA256_HEX_BYTES];
    bt_str text;
    bt_ref version;
    bt_ref rules;
    *program = (struct replay_program){.version = BT_STR_INIT(""), .rules = BT_STR_INIT("")};
    if (!path) {
        return true;
    }
    if (!query_program(cli, path, "version", "version", &version) ||
        !query_program(cli, path, "rules", "rules", &rules)) {
        return false;
    }
    program->path = path;
    if (version.value) {
        program->version = bt_json_text(version.value);
    }
    if (rules.value &&
        (!cli_is_ok(bt_json_write_text(rules.document, rules.value, BT_JSON_FORM_CANONICAL,
                                       &cli->arena, &text)) ||
         !cli_is_ok(bt_sha256_hex(text, hex)) ||
         !cli_is_ok(bt_arena_copy(&cli->arena, bt_str_of(hex), &program->rules)))) {
        return false;
    }
    return cli_is_ok(collect_unmet(&cli->arena, rules, settings)) &&
           cli_is_ok(collect_words(cli, program));
}

/* ---- Judging --------------------------------------------------------------------------------- */

static enum bt_status make_words(struct replay_worker *worker,
                                 const struct bt_recorded_handoff *handoff, char ***out)
{
    const struct replay_program *program = &worker->run->settings.program;
    const struct cli_options *options = worker->run->cli->options;
    const bt_instant now = options->now_given ? options->now : handoff->time;
    const bt_str dialect = bt_dialect_name(replay_dialect(handoff));
    struct bt_arena *arena = &worker->memory.work;
    char time[BT_INSTANT_TEXT_BYTES];
    char day[BT_DATE_BYTES + 1];
    size_t count = 0;
    char **words = BT_NEW_ARRAY(arena, char *, program->argument_count + CALL_WORDS_MAX);
    BT_TRY(words ? BT_OK : BT_ENOMEM);
    (void)bt_instant_format(now, time);
    bt_civil_date_format(options->today_given ? options->today.seconds : now.seconds, day);
    const bt_str own[] = {bt_str_of(program->path),
                          BT_STR("check"),
                          BT_STR("--as"),
                          dialect,
                          BT_STR("-f"),
                          BT_STR("json"),
                          BT_STR("--now"),
                          bt_str_of(time),
                          BT_STR("--today"),
                          bt_str_of(day),
                          BT_STR("--seed"),
                          BT_STR("0"),
                          BT_STR("--strict")};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        BT_TRY(add_word(arena, words, &count, own[i]));
    }
    for (size_t i = 0; i < program->argument_count; i++) {
        words[count++] = program->arguments[i];
    }
    if (!options->root) {
        BT_TRY(add_word(arena, words, &count, BT_STR("--structure-only")));
    }
    BT_TRY(add_word(arena, words, &count, BT_STR("-")));
    *out = words;
    return BT_OK;
}

static int compare_codes(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

/* The distinct codes of the blocking findings of the only document of a report. */
static bool take_codes(struct replay_worker *worker, bt_str report, const bt_str **out,
                       size_t *out_count)
{
    const struct bt_json_doc *read = NULL;
    if (read_json(&worker->env, &worker->memory.work, report, &read) != BT_OK) {
        return false;
    }
    const bt_json_value *documents = bt_json_get(read, bt_json_root(read), BT_STR("documents"));
    if (!documents || bt_json_count(documents) != 1) {
        return false;
    }
    const bt_json_value *findings =
        bt_json_get(read, &bt_json_items(documents)[0], BT_STR("findings"));
    const size_t count = findings ? bt_json_count(findings) : 0;
    bt_str *codes = BT_NEW_ARRAY(&worker->memory.work, bt_str, count + 1);
    size_t used = 0;
    for (size_t i = 0; codes && i < count; i++) {
        const bt_json_value *finding = &bt_json_items(findings)[i];
        enum bt_severity severity = BT_SEVERITY_HARD;
        if (bt_severity_parse(text_of(read, finding, "severity"), &severity) != BT_OK ||
            severity < worker->run->cli->options->fail_level) {
            continue;
        }
        codes[used++] = text_of(read, finding, "code");
    }
    if (used > 1) {
        qsort(codes, used, sizeof(bt_str), compare_codes);
    }
    *out_count = 0;
    for (size_t i = 0; i < used; i++) {
        if (*out_count == 0 || !bt_str_eq(codes[*out_count - 1], codes[i])) {
            codes[(*out_count)++] = codes[i];
        }
    }
    *out = codes;
    return findings && codes;
}

bool replay_program_judge(struct replay_worker *worker, const struct bt_recorded_handoff *handoff,
                          const bt_str **out_codes, size_t *out_count)
{
    struct bt_error error;
    bt_str report = BT_STR("");
    char **words = NULL;
    if (make_words(worker, handoff, &words) != BT_OK) {
        return false;
    }
    const int code = call_program(&worker->memory.work, words, handoff->bytes, &report, &error);
    return (code == 0 || code == 1) && take_codes(worker, report, out_codes, out_count);
}
