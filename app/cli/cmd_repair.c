/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_repair.c - baton repair, baton compress */
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli.h"
#include "model_command.h"
#include "output.h"
#include "report/members.h"
#include "universal_run.h"
#include "write_document.h"

/* ---- baton compress -------------------------------------------------------------------------- */

enum { BUDGET_MAX = 2000 };

static int compress_document(struct cli_run *run, const struct cli_document_out *where)
{
    const struct bt_universal_compress_options how = {
        .original_order = cli_given(run->options, &flag_compress_literal) != NULL,
        .no_files = cli_given(run->options, &flag_no_spill) != NULL,
        .no_spill = where->diff,
        .roots = run->universal->roots,
    };
    struct cli_input read;
    if (!cli_run_read(run, run->options->operands[0], &read)) {
        return CLI_FAILED;
    }
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status =
        bt_universal_compress(run->universal->checker, &run->arena, &input, &how, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, &error);
    }
    return cli_document_write(run->options, where, &run->arena, &read, &result);
}

int cmd_compress(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct cli_document_out where;
    if (!cli_document_write_init(options, options->operands[0], &where) ||
        !universal_run_begin(run)) {
        return CLI_FAILED;
    }
    if (run->universal->how.budget > BUDGET_MAX) {
        return cli_usage_error(options->command, "--budget wants a number from 1 to %d",
                               BUDGET_MAX);
    }
    return compress_document(run, &where);
}

/* ---- baton repair ---------------------------------------------------------------------------- */

enum {
    TRIES_MAX = 3,
    TIMEOUT_S = 120,
    TIMEOUT_S_MAX = 86400,
    ATTEMPTS_MAX = 3,
    ATTEMPTS_BEFORE_MODEL = 2, /* a model is called before data is discarded */
};

/* The flags that only this command has. */
struct cli_repair_options {
    struct cli_document_out where;
    struct bt_universal_repair_options how;
    bool prompt;
    const char *answer;
    struct cli_model_command llm; /* command is NULL: none */
};

/* ---- Flags ----------------------------------------------------------------------------------- */

static bool take_number(const struct cli_options *options, const struct cli_flag *flag,
                        uint64_t max, uint64_t *out)
{
    const char *value = cli_given(options, flag);
    return !value || (bt_str_to_u64(bt_str_of(value), out) == BT_OK && *out > 0 && *out <= max) ||
           cli_refuse_usage(options, "--%s wants a whole number from 1 to %u, not %s", flag->name,
                            (unsigned)max, value);
}

static enum bt_universal_prompt_kind find_prompt_kind(const struct cli_options *options)
{
    const char *kind = cli_given(options, &flag_prompt);
    return kind && strcmp(kind, "findings") == 0 ? BT_UNIVERSAL_PROMPT_FINDINGS
                                                 : BT_UNIVERSAL_PROMPT_DOCUMENT;
}

static bool take_dialect(const struct cli_options *options)
{
    return !options->dialect || options->dialect == BT_DIALECT_UNIVERSAL ||
           cli_refuse_usage(options, "only universal handoffs can be repaired");
}

static bool parse_repair_options(const struct cli_options *options, struct cli_repair_options *out)
{
    *out = (struct cli_repair_options){
        .how.original_order = cli_given(options, &flag_repair_literal) != NULL,
        .how.no_files = cli_given(options, &flag_no_spill) != NULL,
        .prompt = cli_given(options, &flag_emit_prompt) != NULL,
        .answer = cli_given(options, &flag_apply_answer),
        .llm = {.command = cli_given(options, &flag_llm), .timeout_s = TIMEOUT_S},
    };
    const int models = out->prompt + (out->answer != NULL) + (out->llm.command != NULL);
    uint64_t attempts = models > 0 ? ATTEMPTS_BEFORE_MODEL : ATTEMPTS_MAX;
    if (models > 1) {
        return cli_refuse_usage(options,
                                "--emit-prompt, --apply-answer and --llm exclude each other");
    }
    if (!take_dialect(options) || !take_number(options, &flag_attempt, ATTEMPTS_MAX, &attempts) ||
        !take_number(options, &flag_llm_timeout, TIMEOUT_S_MAX, &out->llm.timeout_s) ||
        !cli_document_write_init(options, options->operands[0], &out->where)) {
        return false;
    }
    out->how.attempts = (unsigned)attempts;
    out->how.prompt = find_prompt_kind(options);
    out->how.no_spill = out->where.diff || out->prompt;
    return true;
}

/* ---- Model ----------------------------------------------------------------------------------- */

/* Print the prompt, if there is one. */
static int print_prompt(struct cli_run *run, struct bt_universal_repair_run *repair, bt_str path)
{
    struct bt_universal_result result;
    struct bt_universal_prompt prompt = {BT_STR(""), BT_STR("")};
    struct bt_error error;
    if (bt_universal_repair_is_done(repair)) {
        return CLI_DONE;
    }
    enum bt_status status = bt_universal_repair_finish(repair, &run->arena, false, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(path, status, &error);
    }
    if (bt_universal_repair_can_prompt(repair)) {
        status = bt_universal_repair_write_prompt(repair, &run->arena, &prompt);
        status = status == BT_OK
                     ? bt_judgement_add_member(&result.judged, &run->arena, "prompt", prompt.json)
                     : status;
    }
    if (status != BT_OK) {
        return universal_run_fail(path, status, NULL);
    }
    if (prompt.text.len == 0 && bt_universal_repair_can_prompt(repair)) {
        cli_print_error("%s", BT_UNIVERSAL_NO_PROMPT);
        if (run->options->output_count == 0) {
            return CLI_REJECTED;
        }
    }
    const bool plain = prompt.text.len > 0 && run->options->output_count == 0;
    const bool shown = plain ? cli_print(prompt.text) == CLI_DONE
                             : cli_report_write_one(run->options, &run->arena, &result.judged);
    return shown ? CLI_REJECTED : CLI_FAILED;
}

static bool take_answer(struct cli_run *run, struct bt_universal_repair_run *repair,
                        const char *file)
{
    struct cli_input answer;
    enum bt_universal_answer_result kind = BT_UNIVERSAL_ANSWER_NONE;
    if (!cli_run_read(run, file, &answer)) {
        return false;
    }
    const enum bt_status status =
        bt_universal_repair_can_prompt(repair)
            ? bt_universal_repair_apply_answer(repair, answer.content, &kind)
            : BT_OK;
    if (status != BT_OK) {
        (void)universal_run_fail(answer.path, status, NULL);
    }
    return status == BT_OK;
}

/* Send one prompt to the model and apply its answer; *out_ends is set when asking again would be of
 * no use. False after an error message. */
static bool query_model_once(struct cli_run *run, struct bt_universal_repair_run *repair,
                             const struct cli_model_command *llm, bool *out_ends)
{
    struct bt_universal_prompt prompt;
    enum bt_universal_answer_result kind = BT_UNIVERSAL_ANSWER_NONE;
    enum bt_status status = bt_universal_repair_write_prompt(repair, &run->arena, &prompt);
    if (status != BT_OK) {
        (void)universal_run_fail(BT_STR("the question"), status, NULL);
        return false;
    }
    if (prompt.text.len == 0) {
        cli_print_error("%s", BT_UNIVERSAL_NO_PROMPT);
        *out_ends = true;
        return true;
    }
    struct bt_buf answer;
    bt_buf_init(&answer, (size_t)2 * CLI_ANSWER_BYTES_MAX);
    const struct cli_model_result result = cli_model_command_run(llm, prompt.text, &answer);
    if (result.end == CLI_LLM_ANSWERED) {
        status = bt_universal_repair_apply_answer(repair, bt_buf_str(&answer), &kind);
    } else if (result.end == CLI_LLM_FAILED) {
        status = bt_universal_repair_note_failure(repair, result.reason);
    }
    bt_buf_free(&answer);
    *out_ends = kind == BT_UNIVERSAL_ANSWER_EMPTY;
    if (result.end == CLI_LLM_BROKEN) {
        return cli_refuse("cannot run the command of --llm: %s", result.reason);
    }
    if (status != BT_OK) {
        (void)universal_run_fail(BT_STR("the answer"), status, NULL);
    }
    return status == BT_OK;
}

static bool query_model(struct cli_run *run, struct bt_universal_repair_run *repair,
                        struct cli_model_command *llm)
{
    bool ends = false;
    for (llm->number = 1;
         llm->number <= TRIES_MAX && !ends && bt_universal_repair_can_prompt(repair);
         llm->number++) {
        const struct bt_arena_mark before = bt_arena_mark(&run->arena);
        if (!query_model_once(run, repair, llm, &ends)) {
            return false;
        }
        bt_arena_rewind(&run->arena, before);
    }
    return true;
}

/* ---- Repairing ------------------------------------------------------------------------------- */

static int finish_repair(struct cli_run *run, struct bt_universal_repair_run *repair,
                         const struct cli_repair_options *repair_options,
                         const struct cli_input *read)
{
    struct bt_universal_result result;
    struct bt_error error;
    const enum bt_status status = bt_universal_repair_finish(
        repair, &run->arena, repair_options->llm.command != NULL, &result, &error);
    if (status != BT_OK) {
        return universal_run_fail(read->path, status, &error);
    }
    return cli_document_write(run->options, &repair_options->where, &run->arena, read, &result);
}

static int go_on(struct cli_run *run, struct bt_universal_repair_run *repair,
                 struct cli_repair_options *repair_options, const struct cli_input *read)
{
    if (repair_options->prompt) {
        return print_prompt(run, repair, read->path);
    }
    if (repair_options->answer && !take_answer(run, repair, repair_options->answer)) {
        return CLI_FAILED;
    }
    if (repair_options->llm.command && !query_model(run, repair, &repair_options->llm)) {
        return CLI_FAILED;
    }
    return finish_repair(run, repair, repair_options, read);
}

static int repair_document(struct cli_run *run, struct cli_repair_options *repair_options)
{
    struct cli_input read;
    struct bt_universal_repair_run *repair = NULL;
    if (!cli_run_read(run, run->options->operands[0], &read)) {
        return CLI_FAILED;
    }
    if (!cli_universal_is_same_trace(&run->universal->how, &run->env, &run->arena, read.content)) {
        return cli_failed("cannot repair %.*s: %s", BT_STR_ARG(read.path), CLI_OTHER_TRACE);
    }
    const struct bt_universal_input input = {read.path, read.content, &run->universal->how};
    repair_options->how.roots = run->universal->roots;
    const enum bt_status status =
        bt_universal_repair_open(run->universal->checker, &input, &repair_options->how, &repair);
    if (status != BT_OK) {
        return universal_run_fail(read.path, status, NULL);
    }
    const int code = go_on(run, repair, repair_options, &read);
    bt_universal_repair_close(repair);
    return code;
}

int cmd_repair(struct cli_run *run)
{
    struct cli_repair_options repair_options;
    return parse_repair_options(run->options, &repair_options) && universal_run_begin(run)
               ? repair_document(run, &repair_options)
               : CLI_FAILED;
}
