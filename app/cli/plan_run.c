/* SPDX-License-Identifier: Apache-2.0 */
/* plan_run.c - the flags and runs of the commands about plans. */
#include "plan_run.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "output.h"

/* ---- Flags ----------------------------------------------------------------------------------- */

bool cli_plan_options(const struct cli_options *options, struct bt_plan_options *out)
{
    const char *edges = cli_given(options, &flag_edges);
    *out = bt_plan_options_default();
    out->today_given = options->today_given;
    out->today = options->today;
    out->is_pinned = options->today_given || options->now_given;
    out->by_dependencies = edges && strcmp(edges, "deps") == 0;
    return true;
}

bool cli_dir_open(const char *path, struct bt_dir **out)
{
    struct bt_error error;
    *out = NULL;
    return !path || bt_dir_open(bt_str_of(path), out, &error) == BT_OK ||
           cli_refuse("cannot use the root %s: %s", path, error.text);
}

bool cli_dir_exists(const char *path)
{
    struct bt_dir *root = NULL;
    const bool is_there = cli_dir_open(path, &root);
    bt_dir_close(root);
    return is_there;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

enum { SHOWN_BYTES_MAX = 1 << 30 };

bool plan_run_begin(struct cli_run *run)
{
    struct cli_plan_run *plan = BT_NEW(&run->arena, struct cli_plan_run);
    if (!plan) {
        return cli_refuse_status(BT_ENOMEM);
    }
    run->plan = plan;
    if (!cli_plan_options(run->options, &plan->how) ||
        !cli_dir_open(run->options->root, &plan->root)) {
        return false;
    }
    plan->how.dir = plan->root;
    return cli_is_ok(bt_plan_checker_create(&run->env, &plan->checker));
}

void plan_run_free(struct cli_plan_run *plan)
{
    if (plan) {
        bt_plan_checker_destroy(plan->checker);
        bt_dir_close(plan->root);
    }
}

bool plan_run_read(struct cli_run *run, const char *operand, struct bt_plan_input *out)
{
    struct cli_input input;
    if (!cli_run_read(run, operand, &input)) {
        return false;
    }
    *out = (struct bt_plan_input){input.path, input.content, &run->plan->how};
    return true;
}

int plan_run_fail(bt_str path, enum bt_status status)
{
    assert(status != BT_OK);
    const char *reason = status == BT_EDENIED ? "permission denied" : bt_status_text(status);
    return cli_failed("cannot judge %.*s: %s", BT_STR_ARG(path), reason);
}

int plan_run_report(struct cli_run *run, const struct bt_plan_result *result,
                    const struct bt_judgement *second)
{
    return cli_run_report_add(run, &result->judged) && (!second || cli_run_report_add(run, second))
               ? cli_run_report_write(run, result->members)
               : CLI_FAILED;
}

/* The part after the last slash. */
static bt_str base_name(bt_str path)
{
    size_t begin = path.len;
    while (begin > 0 && path.ptr[begin - 1] != '/') {
        begin--;
    }
    return bt_str_slice(path, begin, path.len);
}

bool plan_run_schema(struct cli_run *run, const char *operand, struct bt_payload_schema_input *out)
{
    if (run->plan->root) {
        *out = (struct bt_payload_schema_input){
            .path = bt_str_of(operand), .root = run->plan->root, .reference = bt_str_of(operand)};
        return true;
    }
    struct bt_plan_input read;
    if (!plan_run_read(run, operand, &read)) {
        return false;
    }
    *out = (struct bt_payload_schema_input){.path = read.path,
                                            .text = read.text,
                                            .name = cli_is_stdin(operand) ? BT_STR("")
                                                                          : base_name(read.path)};
    return true;
}

int plan_run_show(struct cli_run *run, const struct bt_plan_result *result)
{
    if (run->options->output_count > 0 || result->text.len == 0) {
        return plan_run_report(run, result, NULL);
    }
    const struct bt_report_render_options options = {.format = BT_REPORT_FORMAT_CONCISE};
    struct bt_buf buf;
    if (!cli_run_report_add(run, &result->judged)) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, SHOWN_BYTES_MAX);
    int code = CLI_FAILED;
    if (bt_report_render(run->report, &options, &buf) == BT_OK) {
        (void)cli_write(STDERR_FILENO, bt_buf_str(&buf));
        code = cli_print(result->text) == CLI_DONE ? cli_run_report_code(run) : CLI_FAILED;
    }
    bt_buf_free(&buf);
    return code;
}

bool plan_run_steps(struct cli_run *run, const struct cli_flag *flag,
                    struct bt_plan_step_value **out, size_t *out_count)
{
    size_t count = 0;
    while (cli_given_at(run->options, flag, count)) {
        count++;
    }
    struct bt_plan_step_value *values =
        BT_NEW_ARRAY(&run->arena, struct bt_plan_step_value, count + 1);
    if (!values) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < count; i++) {
        const bt_str text = bt_str_of(cli_given_at(run->options, flag, i));
        const size_t equals = bt_str_find_byte(text, '=', 0);
        values[i] = (struct bt_plan_step_value){.step = bt_str_slice(text, 0, equals),
                                                .value = bt_str_slice(text, equals + 1, text.len)};
        if (equals == 0 || values[i].value.len == 0) {
            return cli_refuse_usage(run->options, "--%s wants %s, not %.*s", flag->name,
                                    flag->argument, BT_STR_ARG(text));
        }
    }
    *out = values;
    *out_count = count;
    return true;
}
