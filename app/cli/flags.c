/* SPDX-License-Identifier: Apache-2.0 */
/* flags.c - the flags that are checked and stored while they are parsed. */
#include <assert.h>
#include <string.h>

#include <unistd.h>

#include "base/clock.h"
#include "cli.h"
#include "help.h"
#include "output.h"
#include "suggest.h"
#include "terminal.h"

bool cli_take_as(struct cli_options *options, const char *value)
{
    options->dialect = bt_dialect_find(bt_str_of(value));
    return cli_check_value(options, &flag_as, value);
}

bool cli_take_root(struct cli_options *options, const char *value)
{
    options->root = value;
    return true;
}

bool cli_take_fail_level(struct cli_options *options, const char *value)
{
    return bt_severity_parse(bt_str_of(value), &options->fail_level) == BT_OK ||
           cli_refuse_value(options, &flag_fail_level, value);
}

static bool add_output(struct cli_options *options, enum bt_report_format format)
{
    if (options->output_count == CLI_OUTPUTS_MAX) {
        return cli_refuse_usage(options, "more than %d output formats", CLI_OUTPUTS_MAX);
    }
    options->outputs[options->output_count++] = (struct cli_output){.format = format};
    return true;
}

static bool take_format(struct cli_options *options, const struct cli_flag *flag, const char *value)
{
    enum bt_report_format format = BT_REPORT_FORMAT_FULL;
    return cli_check_value(options, flag, value) &&
           bt_report_format_parse(bt_str_of(value), &format) == BT_OK &&
           add_output(options, format);
}

bool cli_take_format(struct cli_options *options, const char *value)
{
    return take_format(options, &flag_format, value);
}

bool cli_take_rule_format(struct cli_options *options, const char *value)
{
    return take_format(options, &flag_rule_format, value);
}

bool cli_take_table_format(struct cli_options *options, const char *value)
{
    return take_format(options, &flag_table_format, value);
}

/* Only commands with -f have this flag. */
bool cli_take_as_json(struct cli_options *options, const char *value)
{
    (void)value;
    return cli_add_flag(options, cli_find_flag(options->command, bt_str_of(flag_format.name), 0),
                        "json");
}

bool cli_take_draft(struct cli_options *options, const char *value)
{
    static const enum bt_schema_draft drafts[] = {
        BT_SCHEMA_DRAFT_3,       BT_SCHEMA_DRAFT_4,       BT_SCHEMA_DRAFT_6,  BT_SCHEMA_DRAFT_7,
        BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_2020_12, BT_SCHEMA_DRAFT_V1,
    };
    size_t index = 0;
    if (!cli_kind_find(CLI_DRAFT, value, &index)) {
        return cli_check_value(options, &flag_draft, value);
    }
    options->draft = drafts[index];
    return true;
}

bool cli_take_output(struct cli_options *options, const char *value)
{
    struct cli_output *last =
        options->output_count > 0 ? &options->outputs[options->output_count - 1] : NULL;
    if (!last || last->path) {
        return cli_refuse_usage(options, "-o %s must follow the -f FORMAT it belongs to", value);
    }
    last->path = strcmp(value, "-") == 0 ? NULL : value;
    return true;
}

bool cli_take_now(struct cli_options *options, const char *value)
{
    options->now_given = bt_instant_parse(bt_str_of(value), &options->now) == BT_OK;
    if (!options->now_given) {
        (void)cli_usage_error(options->command,
                              "--now wants a time like 2026-02-11T00:45:02Z, not %s", value);
    }
    return options->now_given;
}

bool cli_take_today(struct cli_options *options, const char *value)
{
    options->today_given = bt_date_parse(bt_str_of(value), &options->today) == BT_OK;
    if (!options->today_given) {
        (void)cli_usage_error(options->command, "--today wants a date like 2026-07-01, not %s",
                              value);
    }
    return options->today_given;
}

bool cli_take_seed(struct cli_options *options, const char *value)
{
    const uint64_t end = UINT64_C(1) << 53;
    options->seed_given =
        bt_str_to_u64(bt_str_of(value), &options->seed) == BT_OK && options->seed < end;
    if (!options->seed_given) {
        (void)cli_usage_error(options->command,
                              "--seed wants a whole number from 0 to 2^53-1, not %s", value);
    }
    return options->seed_given;
}

bool cli_env_init(const struct cli_options *options, struct bt_env *out)
{
    assert(options);
    const enum bt_status status = bt_env_init(out);
    if (status != BT_OK) {
        return cli_refuse("cannot start: %s", bt_status_text(status));
    }
    out->limits = options->limits;
    if (options->now_given || options->today_given) {
        bt_env_pin_clock(out, options->now_given ? &options->now : &options->today);
    }
    if (options->seed_given) {
        bt_env_pin_seed(out, options->seed);
    }
    return true;
}

void cli_today(const struct cli_options *options, char out[BT_DATE_BYTES + 1])
{
    const bt_instant day = options->today_given ? options->today
                           : options->now_given ? options->now
                                                : bt_clock_now();
    bt_civil_date_format(day.seconds, out);
}

/* ---- Flags that a command needs -------------------------------------------------------------- */

enum { NEEDED_BYTES_MAX = 1 << 16 };

bool cli_waive_needed(const struct cli_options *options, const struct cli_flag *flag)
{
    /* A needed flag, and the flag or the configuration key that makes it unnecessary. */
    static const struct {
        const struct cli_flag *flag;
        const struct cli_flag *instead;
        const char *key;
    } rows[] = {{&flag_root, NULL, "governed.root"},
                {&flag_skills, NULL, "skills"},
                {&flag_trace_id, &flag_for, NULL},
                {&flag_workflow, &flag_for, NULL}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].flag->id == flag->id) {
            return rows[i].key ? bt_config_has(options->config, rows[i].key)
                               : cli_given(options, rows[i].instead) != NULL;
        }
    }
    /* On a terminal the request is shown, and the user confirms what is shown. */
    return flag->id == flag_fingerprint.id && cli_can_prompt(options);
}

static size_t find_missing(const struct cli_options *options,
                           const struct cli_flag *missing[CLI_NEEDED_MAX])
{
    const struct cli_command *command = options->command;
    size_t count = 0;
    for (size_t i = 0; command->needs.flags && command->needs.flags[i]; i++) {
        const struct cli_flag *flag = cli_flag_rows[command->needs.flags[i]];
        if (!cli_given(options, flag) &&
            !(command->needs.waives && command->needs.waives(options, flag))) {
            assert(count < CLI_NEEDED_MAX);
            missing[count++] = flag;
        }
    }
    return count;
}

static void put_names(struct bt_buf *buf, const struct cli_flag *const *missing, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bt_buf_printf(buf, "%s--%s",
                      i == 0           ? ""
                      : i + 1 == count ? " and "
                                       : ", ",
                      missing[i]->name);
    }
}

/* One line for each: the flag, its value and its meaning. */
static void put_meanings(struct bt_buf *buf, const struct cli_flag *const *missing, size_t count)
{
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(missing[i]->name) + strlen(missing[i]->argument);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(missing[i]->name) + strlen(missing[i]->argument);
        bt_buf_printf(buf, "\n         --%s %s", missing[i]->name, missing[i]->argument);
        bt_buf_put_repeat(buf, ' ', width - length + 3);
        bt_buf_put_text(buf, missing[i]->help);
    }
}

static bool refuse_missing(const struct cli_command *command, const struct cli_flag *const *missing,
                           size_t count)
{
    struct bt_buf buf;
    bt_buf_init(&buf, NEEDED_BYTES_MAX);
    bt_buf_printf(&buf, "baton:%s needs ", command->name + strlen(cli_baton.name));
    put_names(&buf, missing, count);
    put_meanings(&buf, missing, count);
    bt_buf_printf(&buf, "\n       example: %s\n", command->examples[0].command);
    if (buf.status == BT_OK) {
        (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
    return false;
}

/* Ask for the value of a flag: "--target SKILL, who receives it: ". */
static bool prompt_flag(struct cli_options *options, struct bt_arena *arena,
                        const struct cli_flag *flag)
{
    struct bt_buf question;
    bt_str reply = BT_STR("");
    bt_buf_init(&question, NEEDED_BYTES_MAX);
    bt_buf_printf(&question, "--%s %s, ", flag->name, flag->argument);
    cli_put_flag_meaning(&question, flag);
    bt_buf_put_char(&question, '\0');
    const bool is_answered =
        question.status == BT_OK && cli_prompt_text(arena, question.ptr, &reply);
    bt_buf_free(&question);
    return is_answered ? cli_add_flag(options, flag, reply.ptr)
                       : cli_refuse("no answer for --%s; nothing was written", flag->name);
}

bool cli_check_needed(struct cli_options *options, struct bt_arena *arena)
{
    const struct cli_flag *missing[CLI_NEEDED_MAX];
    size_t count = find_missing(options, missing);
    const bool prompts = options->command->needs.prompts && cli_can_prompt(options);
    for (size_t i = 0; prompts && count > 0 && i < CLI_NEEDED_MAX; i++) {
        if (!prompt_flag(options, arena, missing[0])) {
            return false;
        }
        count = find_missing(options, missing); /* an answer can make another flag needed */
    }
    return count == 0 || refuse_missing(options->command, missing, count);
}
