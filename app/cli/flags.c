/* SPDX-License-Identifier: Apache-2.0 */
/* flags.c - the flags that are checked and stored while they are parsed. */
#include <assert.h>
#include <string.h>

#include <unistd.h>

#include "base/clock.h"
#include "cli.h"
#include "output.h"
#include "suggest.h"

bool cli_take_as(struct cli_options *options, const char *value)
{
    options->dialect = bt_dialect_find(bt_str_of(value));
    return options->dialect || cli_refuse_word(options, "dialect", CLI_DIALECT, value);
}

bool cli_take_root(struct cli_options *options, const char *value)
{
    options->root = value;
    return true;
}

bool cli_take_fail_level(struct cli_options *options, const char *value)
{
    return bt_severity_parse(bt_str_of(value), &options->fail_level) == BT_OK ||
           cli_refuse_word(options, "fail level", CLI_SEVERITY, value);
}

static bool add_output(struct cli_options *options, enum bt_report_format format)
{
    if (options->output_count == CLI_OUTPUTS_MAX) {
        return cli_refuse_usage(options, "more than %d output formats", CLI_OUTPUTS_MAX);
    }
    options->outputs[options->output_count++] = (struct cli_output){.format = format};
    return true;
}

static bool take_format(struct cli_options *options, enum cli_kind kind, const char *value)
{
    enum bt_report_format format = BT_REPORT_FORMAT_FULL;
    size_t index = 0;
    return cli_kind_find(kind, value, &index) &&
                   bt_report_format_parse(bt_str_of(value), &format) == BT_OK
               ? add_output(options, format)
               : cli_refuse_word(options, "format", kind, value);
}

bool cli_take_format(struct cli_options *options, const char *value)
{
    return take_format(options, CLI_FORMAT, value);
}

bool cli_take_rule_format(struct cli_options *options, const char *value)
{
    return take_format(options, CLI_RULE_FORMAT, value);
}

bool cli_take_table_format(struct cli_options *options, const char *value)
{
    return take_format(options, CLI_TABLE_FORMAT, value);
}

bool cli_take_draft(struct cli_options *options, const char *value)
{
    static const enum bt_schema_draft drafts[] = {
        BT_SCHEMA_DRAFT_3,       BT_SCHEMA_DRAFT_4,       BT_SCHEMA_DRAFT_6,  BT_SCHEMA_DRAFT_7,
        BT_SCHEMA_DRAFT_2019_09, BT_SCHEMA_DRAFT_2020_12, BT_SCHEMA_DRAFT_V1,
    };
    size_t index = 0;
    if (!cli_kind_find(CLI_DRAFT, value, &index)) {
        return cli_refuse_word(options, "draft", CLI_DRAFT, value);
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

enum { REQUIRED_BYTES_MAX = 1 << 16, REQUIRED_MAX = 16 };

/* The flag as this command describes it. */
static const struct cli_flag *find_flag(const struct cli_command *command,
                                        const struct cli_flag *flag)
{
    for (size_t i = 0; command->flags[i]; i++) {
        if (command->flags[i]->id == flag->id) {
            return command->flags[i];
        }
    }
    return flag;
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
static void put_meanings(struct bt_buf *buf, const struct cli_command *command,
                         const struct cli_flag *const *missing, size_t count)
{
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cli_flag *flag = find_flag(command, missing[i]);
        const size_t length = bt_str_of(flag->name).len + bt_str_of(flag->argument).len;
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < count; i++) {
        const struct cli_flag *flag = find_flag(command, missing[i]);
        const size_t length = bt_str_of(flag->name).len + bt_str_of(flag->argument).len;
        bt_buf_printf(buf, "\n         --%s %s", flag->name, flag->argument);
        bt_buf_put_repeat(buf, ' ', width - length + 3);
        bt_buf_put_text(buf, flag->help);
    }
}

bool cli_require_flags(const struct cli_options *options, const struct cli_flag *const *needed,
                       size_t count, const char *example)
{
    const struct cli_flag *missing[REQUIRED_MAX];
    const bt_str name = bt_str_of(options->command->name);
    const size_t word = bt_str_find_byte(name, ' ', 0) + 1;
    size_t missing_count = 0;
    struct bt_buf buf;
    for (size_t i = 0; i < count && i < REQUIRED_MAX; i++) {
        if (!cli_given(options, needed[i])) {
            missing[missing_count++] = needed[i];
        }
    }
    if (missing_count == 0) {
        return true;
    }
    bt_buf_init(&buf, REQUIRED_BYTES_MAX);
    bt_buf_put_text(&buf, "baton: ");
    bt_buf_put(&buf, bt_str_slice(name, word, name.len));
    bt_buf_put_text(&buf, " needs ");
    put_names(&buf, missing, missing_count);
    put_meanings(&buf, options->command, missing, missing_count);
    bt_buf_printf(&buf, "\n       example: %s\n", example);
    if (buf.status == BT_OK) {
        (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
    }
    bt_buf_free(&buf);
    return false;
}
