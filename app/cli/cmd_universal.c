/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_universal.c - baton view, write, seal and convert */
#include "cli.h"
#include "json/emit.h"
#include "organism/read.h"
#include "output.h"
#include "universal_run.h"
#include "write_document.h"

#include "engine/check.h"

/* ---- baton view ------------------------------------------------------------------------------ */

enum { VIEW_BYTES_MAX = 256 << 20 };

static int print_view(struct cli_run *run, const struct cli_input *read)
{
    struct bt_universal_view view;
    const enum bt_status status = bt_universal_view(&run->env, &run->arena, read->content, &view);
    if (status != BT_OK) {
        return universal_run_fail(read->path, status, NULL);
    }
    if (!cli_wants_json(run->options)) {
        return cli_print(view.text);
    }
    struct bt_emit emit;
    struct bt_buf buf;
    bt_buf_init(&buf, VIEW_BYTES_MAX);
    cli_json_begin(&emit, &buf);
    bt_emit_member_raw(&emit, "view", view.text);
    bt_emit_member_raw(&emit, "defaults", view.defaults);
    cli_json_end(&emit);
    return cli_print_buf(&buf);
}

int cmd_view(struct cli_run *run)
{
    struct cli_input read;
    struct bt_judgement judged;
    if (!cli_run_read(run, run->options->operands[0], &read)) {
        return CLI_FAILED;
    }
    const struct bt_check_options options = {.dialect = BT_DIALECT_UNIVERSAL,
                                             .universal = &run->universal->how};
    const enum bt_status status =
        bt_check_document(&run->env, &run->arena, read.path, read.content, &options, &judged);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, NULL);
    }
    if (bt_universal_can_view(judged.findings)) {
        return print_view(run, &read);
    }
    return cli_report_write_one(run->options, &run->arena, &judged) ? CLI_REJECTED : CLI_FAILED;
}

/* ---- baton write ----------------------------------------------------------------------------- */

/* Change the budget of a document as the flags say. False after an error message. */
static bool spend_budget(struct cli_run *run, bt_str *text)
{
    const struct cli_options *options = run->options;
    struct bt_universal_spending spending;
    struct bt_universal_hop hop;
    if (!cli_given(options, &flag_budget_tokens) && !cli_given(options, &flag_budget_cost) &&
        !cli_given(options, &flag_spent_tokens) && !cli_given(options, &flag_spent_cost) &&
        !cli_given(options, &flag_spent_transcript)) {
        return true;
    }
    if (!cli_spending_flags(run, &spending)) {
        return false;
    }
    /* what cannot be read, or has a malformed budget, is rejected as it stands */
    if (bt_universal_hop_read(&run->env, &run->arena, *text, &hop, NULL) != BT_OK) {
        return true;
    }
    if ((hop.budget.cost.is_there || spending.cost > 0) && !cli_spending_is_priced(&spending)) {
        return false;
    }
    const enum bt_status status =
        bt_universal_set_budget(run->universal->checker, &run->arena, *text, &spending, text);
    return status == BT_EINVAL || cli_is_ok(status);
}

int cmd_write(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const struct bt_universal_write_options how = {
        .seal = cli_given(options, &flag_seal) != NULL,
        .dry_run = cli_given(options, &flag_write_dry_run) != NULL,
        .roots = run->universal->roots,
    };
    struct cli_input read;
    if (!cli_run_read(run, options->operand_count > 0 ? options->operands[0] : "-", &read)) {
        return CLI_FAILED;
    }
    if (!cli_universal_is_same_trace(&run->universal->how, &run->env, &run->arena, read.content)) {
        return cli_failed("cannot write %.*s: %s", BT_STR_ARG(read.path), CLI_OTHER_TRACE);
    }
    if (!spend_budget(run, &read.content)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_write(run->universal->checker, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return universal_run_written(run, how.dry_run, &result, BT_STR(""));
}

/* ---- baton seal ------------------------------------------------------------------------------ */

static int seal_document(struct cli_run *run, const struct cli_document_out *where)
{
    struct cli_input read;
    if (!cli_run_read(run, run->options->operands[0], &read)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    const bool reseal = cli_given(run->options, &flag_reseal) != NULL;
    struct bt_universal_result result;
    const enum bt_status status =
        bt_universal_seal(run->universal->checker, &run->arena, &input, reseal, &result);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, NULL);
    }
    return cli_document_write(run->options, where, &run->arena, &read, &result);
}

int cmd_seal(struct cli_run *run)
{
    struct cli_document_out where;
    return cli_document_write_init(run->options, run->options->operands[0], &where) &&
                   universal_run_begin(run)
               ? seal_document(run, &where)
               : CLI_FAILED;
}

/* ---- baton convert --------------------------------------------------------------------------- */

/* Check the word of a dialect flag. False after an error message. */
static bool is_known(const struct cli_options *options, const struct cli_flag *flag,
                     enum cli_kind kind, const char *value)
{
    size_t index = 0;
    return cli_kind_find(kind, value, &index) ||
           cli_refuse_usage(options, "--%s does not know %s", flag->name, value);
}

static bool has_good_dialects(const struct cli_options *options)
{
    const char *to = cli_given(options, &flag_to);
    const char *from = cli_given(options, &flag_from);
    return is_known(options, &flag_to, CLI_CONVERT_TO, to) &&
           (!from || is_known(options, &flag_from, CLI_CONVERT_FROM, from));
}

static enum bt_dialect_id dialect_of(const struct cli_options *options,
                                     const struct cli_input *input)
{
    const char *from = cli_given(options, &flag_from);
    return from ? bt_dialect_find(bt_str_of(from))
                : bt_dialect_recognise(input->path, input->content);
}

static int convert_document(struct cli_run *run, const struct cli_document_out *where)
{
    const struct cli_options *options = run->options;
    struct cli_input read;
    struct bt_universal_draft draft;
    if (!cli_run_read(run, options->operands[0], &read) || !cli_draft_flags(run, &draft)) {
        return CLI_FAILED;
    }
    const char *step = cli_given(options, &flag_step);
    const struct bt_universal_convert_options how = {
        .from = dialect_of(options, &read),
        .step = step ? bt_str_of(step) : BT_STR(""),
        .keep_unmapped = cli_given(options, &flag_keep_rest) != NULL,
        .strict = cli_given(options, &flag_strict) != NULL,
        .draft = &draft,
    };
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_convert(run->universal->checker, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return cli_document_write(options, where, &run->arena, &read, &result);
}

/* Make an organism file of Baton from one of another pump. */
static int convert_organism(struct cli_run *run, const struct cli_document_out *where)
{
    const struct cli_options *options = run->options;
    const bool is_strict = cli_given(options, &flag_strict) != NULL;
    static const enum bt_universal_outcome outcomes[] = {
        [BT_ORGANISM_UNCHANGED] = BT_UNIVERSAL_UNCHANGED,
        [BT_ORGANISM_CONVERTED] = BT_UNIVERSAL_CONVERTED,
        [BT_ORGANISM_ESCALATED] = BT_UNIVERSAL_ESCALATED};
    struct bt_organism_convert_result made;
    struct cli_input read;
    if (cli_given(options, &flag_from) || cli_given(options, &flag_step)) {
        return cli_usage_error(options->command,
                               "--to organism reads an organism file: no --from, no --step");
    }
    if (!cli_run_read(run, options->operands[0], &read)) {
        return CLI_FAILED;
    }
    const struct bt_organism_source source = {read.path, read.content};
    if (!cli_is_ok(bt_organism_convert(&run->env, &run->arena, &source, is_strict, &made))) {
        return CLI_FAILED;
    }
    struct bt_universal_result result = {
        .judged = made.judged, .outcome = outcomes[made.outcome], .text = made.text};
    if (!cli_is_ok(bt_arena_printf(&run->arena, &result.judged.extra_members,
                                   "\"outcome\":\"%.*s\"",
                                   BT_STR_ARG(bt_universal_outcome_name(result.outcome))))) {
        return CLI_FAILED;
    }
    return cli_document_write(options, where, &run->arena, &read, &result);
}

int cmd_convert(struct cli_run *run)
{
    struct cli_document_out where;
    const char *to = cli_given(run->options, &flag_to);
    if (to && bt_dialect_find(bt_str_of(to)) == BT_DIALECT_ORGANISM) {
        return cli_document_write_init(run->options, run->options->operands[0], &where)
                   ? convert_organism(run, &where)
                   : CLI_FAILED;
    }
    return has_good_dialects(run->options) &&
                   cli_document_write_init(run->options, run->options->operands[0], &where) &&
                   universal_run_begin(run)
               ? convert_document(run, &where)
               : CLI_FAILED;
}
