/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - the commands of `baton plan` about one plan */
#include <string.h>

#include "cli.h"
#include "fix_files.h"
#include "json/emit.h"
#include "output.h"
#include "plan_run.h"
#include "suggest.h"
#include "write_document.h"

/* ---- baton plan audit ------------------------------------------------------------------------ */

int cmd_plan_audit(struct cli_run *run)
{
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status = bt_plan_audit(run->plan->checker, &run->arena, &input, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    const bool is_for_people = run->options->output_count == 0;
    if (is_for_people && result.text.len > 0 && cli_print(result.text) != CLI_DONE) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

/* ---- baton plan template --------------------------------------------------------------------- */

enum { TEMPLATE_BYTES_MAX = 1 << 16 };

int cmd_plan_template(struct cli_run *run)
{
    struct bt_buf text;
    struct bt_buf json;
    struct bt_emit emit;
    bt_buf_init(&text, TEMPLATE_BYTES_MAX);
    bt_plan_put_template(&text);
    if (!cli_wants_json(run->options)) {
        return cli_print_buf(&text);
    }
    bt_buf_init(&json, TEMPLATE_BYTES_MAX);
    cli_json_begin(&emit, &json);
    bt_emit_member_object(&emit, "template");
    bt_emit_member_string(&emit, "name", bt_plan_template_name());
    bt_emit_member_string(&emit, "text", bt_buf_str(&text));
    bt_emit_end(&emit);
    cli_json_end(&emit);
    bt_buf_free(&text);
    return cli_print_buf(&json);
}

/* ---- baton plan type ------------------------------------------------------------------------- */

/* Split the values STEP=VALUE, or the like, of a flag. False after an error message. */
static bool take_steps(struct cli_run *run, const struct cli_flag *flag,
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

static bool read_samples(struct cli_run *run, struct bt_plan_step_value *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cli_input input;
        if (!cli_run_read(run, samples[i].value.ptr, &input)) {
            return false;
        }
        samples[i].path = input.path;
        samples[i].text = input.content;
    }
    return true;
}

/* Write the schemas, which are all new, then the plan, whose old bytes stay as FILE.orig. */
static bool write_result(struct cli_run *run, const struct cli_plan_file *file,
                         const struct bt_plan_type_result *result)
{
    const char *root = run->options->root ? run->options->root : ".";
    for (size_t i = 0; i < result->schema_count; i++) {
        const struct bt_plan_typed_schema *schema = &result->schemas[i];
        bt_str path;
        if (!schema->is_present &&
            !cli_create_below(run, bt_str_of(root), schema->file, schema->text, &path)) {
            return false;
        }
    }
    return cli_document_replace(bt_str_of(file->path), result->text, true);
}

static int type_plan(struct cli_run *run, const struct cli_plan_file *file)
{
    struct bt_plan_step_value *artifacts = NULL;
    struct bt_plan_step_value *slugs = NULL;
    struct bt_plan_type_input input = {.will_write = file != NULL};
    struct bt_plan_type_result result;
    if (!take_steps(run, &flag_artifact, &artifacts, &input.artifact_count) ||
        !take_steps(run, &flag_slug, &slugs, &input.slug_count) ||
        !plan_run_read(run, run->options->operands[0], &input.plan) ||
        !read_samples(run, artifacts, input.artifact_count)) {
        return CLI_FAILED;
    }
    input.artifacts = artifacts;
    input.slugs = slugs;
    const enum bt_status status = bt_plan_type(run->plan->checker, &run->arena, &input, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.plan.path, status);
    }
    if (file && result.is_changed && !result.is_refused && !write_result(run, file, &result)) {
        return CLI_FAILED;
    }
    const bool is_for_people = run->options->output_count == 0;
    if (is_for_people && result.audit.text.len > 0 && cli_print(result.audit.text) != CLI_DONE) {
        return CLI_FAILED;
    }
    /* The proposal could be made, whatever the audit says of what it leaves open. */
    const int code = plan_run_report(run, &result.audit, NULL);
    return code == CLI_REJECTED && !result.is_refused ? CLI_DONE : code;
}

int cmd_plan_type(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const bool writes = cli_given(options, &flag_write) != NULL;
    struct cli_plan_file file;
    if (writes && cli_is_stdin(options->operands[0])) {
        return cli_usage_error(options->command, "standard input cannot be written");
    }
    if (!plan_run_begin(run) || (!run->plan->root && !cli_dir_open(".", &run->plan->root))) {
        return CLI_FAILED;
    }
    run->plan->how.dir = run->plan->root;
    if (!writes) {
        return type_plan(run, NULL);
    }
    int code = CLI_FAILED;
    if (plan_file_lock(options->operands[0], &file)) {
        code = type_plan(run, &file);
        plan_file_unlock(&file);
    }
    return code;
}

/* ---- baton new plan -------------------------------------------------------------------------- */

/* Split the values AGENT=ACTION. False after an error message. */
static bool take_draft(struct cli_run *run, struct bt_plan_draft *out)
{
    const char *payload = cli_given(run->options, &flag_payload);
    struct bt_plan_step_value *values = NULL;
    if (!take_steps(run, &flag_new_step, &values, &out->count)) {
        return false;
    }
    struct bt_plan_draft_step *steps =
        BT_NEW_ARRAY(&run->arena, struct bt_plan_draft_step, out->count + 1);
    if (!steps) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < out->count; i++) {
        steps[i] = (struct bt_plan_draft_step){values[i].step, values[i].value};
    }
    out->steps = steps;
    out->payload = payload ? bt_str_of(payload) : BT_STR("");
    out->wants_schema = cli_given(run->options, &flag_write_schema) != NULL;
    return true;
}

static int make_plan(struct cli_run *run, const struct bt_plan_draft *draft,
                     const struct cli_document_out *where)
{
    const bt_str root = bt_str_of(run->options->root ? run->options->root : ".");
    struct bt_plan_new_result made;
    bt_str path;
    const enum bt_status status =
        bt_plan_new(run->plan->checker, &run->arena, &run->plan->how, draft, &made);
    if (status != BT_OK) {
        return plan_run_fail(BT_STR("<new>"), status);
    }
    if (made.judged.verdict == BT_VERDICT_ACCEPTED && made.schema.text.len > 0 &&
        !made.schema.is_present &&
        !cli_create_below(run, root, made.schema.file, made.schema.text, &path)) {
        return CLI_FAILED;
    }
    if (!cli_is_ok(bt_arena_printf(&run->arena, &made.judged.extra_members, "%.*s,\"defaults\":{}",
                                   BT_STR_ARG(made.judged.extra_members)))) {
        return CLI_FAILED;
    }
    return cli_document_write_made(
        run, where, &(struct cli_made_document){"", BT_STR(""), made.text, &made.judged});
}

int cmd_new_plan(struct cli_run *run)
{
    static const struct cli_flag *const needed[] = {&flag_new_step, &flag_payload};
    const struct cli_options *options = run->options;
    const size_t count = cli_given_at(options, &flag_new_step, 1) ? 2 : 1;
    struct bt_plan_draft draft = {.count = 0};
    struct cli_document_out where;
    if (!cli_require_flags(options, needed, count,
                           "baton new plan --step planner=\"Plan the release\" "
                           "--step builder=\"Build it\" --payload work") ||
        !take_draft(run, &draft) || !cli_document_write_init(options, "", &where) ||
        !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    /* A schema that is written is looked for in the current folder, too. */
    if (draft.wants_schema && !run->plan->root && !cli_dir_open(".", &run->plan->root)) {
        return CLI_FAILED;
    }
    run->plan->how.dir = run->plan->root;
    return make_plan(run, &draft, &where);
}

/* ---- baton plan waves ------------------------------------------------------------------------ */

int cmd_plan_waves(struct cli_run *run)
{
    const bool remaining = cli_given(run->options, &flag_remaining) != NULL;
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_plan_waves(run->plan->checker, &run->arena, &input, remaining, &result);
    return status == BT_OK ? plan_run_show(run, &result) : plan_run_fail(input.path, status);
}

/* ---- baton plan status ----------------------------------------------------------------------- */

static bool is_status(const struct cli_options *options, const char *word)
{
    size_t index = 0;
    return cli_kind_find(CLI_STEP_STATUS, word, &index) ||
           cli_refuse_word(options, "status", CLI_STEP_STATUS, word);
}

static int set_step_status(struct cli_run *run, const struct cli_plan_file *file)
{
    char **operands = run->options->operands;
    const char *from = cli_given(run->options, &flag_from);
    const struct bt_plan_status_change change = {bt_str_of(operands[1]), bt_str_of(operands[2]),
                                                 from ? bt_str_of(from) : (bt_str){NULL, 0}};
    struct bt_plan_input input;
    struct bt_plan_result result;
    if (!plan_run_read(run, operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status =
        bt_plan_set_status(run->plan->checker, &run->arena, &input, &change, &result);
    if (status != BT_OK) {
        return plan_run_fail(input.path, status);
    }
    if (result.changed && !plan_file_replace(file, result.text)) {
        return CLI_FAILED;
    }
    return plan_run_report(run, &result, NULL);
}

int cmd_plan_status_set(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *from = cli_given(options, &flag_from);
    struct cli_plan_file file;
    if (strcmp(options->operands[0], "-") == 0) {
        return cli_usage_error(options->command, "standard input has no status that could be set");
    }
    if (!is_status(options, options->operands[2]) || (from && !is_status(options, from)) ||
        !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    int code = CLI_FAILED;
    if (plan_file_lock(options->operands[0], &file)) {
        code = set_step_status(run, &file);
        plan_file_unlock(&file);
    }
    return code;
}

/* ---- baton plan trajectory ------------------------------------------------------------------- */

int cmd_plan_trajectory(struct cli_run *run)
{
    const char *plan_path = cli_given(run->options, &flag_plan);
    struct bt_plan_trajectory_input input = {
        .returns_to = bt_str_of(cli_given(run->options, &flag_returns_to))};
    struct bt_plan_input plan;
    struct bt_plan_result result;
    struct bt_judgement planned;
    struct bt_str_list chains;
    if ((plan_path && !plan_run_read(run, plan_path, &plan)) ||
        !plan_run_read(run, run->options->operands[0], &input.run) ||
        !cli_given_list(run->options, &flag_agent_chain, &run->arena, &chains)) {
        return CLI_FAILED;
    }
    input.plan = plan_path ? &plan : NULL;
    input.chains = chains.items;
    input.chains_count = chains.count;
    const enum bt_status status =
        bt_plan_compare_trajectory(run->plan->checker, &run->arena, &input, &result, &planned);
    if (status == BT_EINVAL) {
        return cli_failed("cannot compare with %s: it has no column agent", plan_path);
    }
    return status == BT_OK ? plan_run_report(run, &result, planned.findings ? &planned : NULL)
                           : plan_run_fail(input.run.path, status);
}
