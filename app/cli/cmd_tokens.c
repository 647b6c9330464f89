/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_tokens.c - baton tokens [FILE...|-]
 *
 * Counts the tokens of texts. A text that is not UTF-8 has no tokens and is reported instead.
 */
#include <unistd.h>

#include <baton/json.h>
#include <baton/tokens.h>

#include "cli.h"
#include "engine/check.h"
#include "input.h"
#include "json/emit.h"
#include "operation/rule_codes.h"
#include "output.h"
#include "token/tokens.h"
#include "universal_run.h"

enum {
    TEXT_BYTES_MAX = 1 << 30,
    RESULT_BYTES_MAX = 256 << 20,
    NUMBER_BYTES = 32, /* a number with commas */
};

#define RUN_BYTES_MAX ((size_t)3 << 30)

/* One text: counted, or rejected. */
struct cli_tokens_text {
    bt_str path;
    uint64_t count; /* exact, or else the estimate */
    uint64_t estimate;
    uint64_t bytes;
    const struct bt_findings *refused; /* NULL: it was counted */
};

struct cli_tokens_run {
    const struct cli_options *options;
    struct bt_env env;
    struct bt_arena arena;
    struct bt_tokens counter;
    struct bt_findings *unavailable; /* why there is no exact count, or NULL */
    struct bt_report *refused;
    struct cli_tokens_text *texts;
    size_t count;
    bool has_budget;
    uint64_t budget;
    bool stdin_read;
    bool is_over; /* a text is over the budget */
    bool failed;  /* something could not be counted for a reason other than a text */
};

static bool is_exact(const struct cli_tokens_run *run)
{
    return run->counter.encoding != BT_ENCODING_CHARS4;
}

/* ---- Encoding -------------------------------------------------------------------------------- */

/* The two flags are equivalent, and the last one given counts. */
static const struct cli_flag *encoding_flag(const struct cli_options *options)
{
    const struct cli_flag *last = &flag_tokens_in;
    for (size_t i = 0; i < options->given_count; i++) {
        const struct cli_flag *flag = options->given[i].flag;
        last = flag->id == flag_tokens_in.id || flag->id == flag_in_too.id ? flag : last;
    }
    return last;
}

static bool take_budget(struct cli_tokens_run *run)
{
    const char *value = cli_given(run->options, &flag_budget);
    run->has_budget = value != NULL;
    return !value || bt_str_to_u64(bt_str_of(value), &run->budget) == BT_OK ||
           cli_refuse_usage(run->options, "--budget wants a whole number, not %s", value);
}

static enum bt_status add_unavailable_finding(struct cli_tokens_run *run, enum bt_encoding encoding,
                                              const char *reason)
{
    run->unavailable = bt_findings_new(&run->arena);
    if (!run->unavailable) {
        return BT_ENOMEM;
    }
    BT_TRY(bt_add_tokens_unavailable_estimate(run->unavailable, bt_location_whole(),
                                              bt_encoding_name(encoding), bt_str_of(reason)));
    return bt_findings_finish(run->unavailable, BT_STR(""));
}

/* Choose the requested encoding, or the estimate when its table is missing. */
static enum bt_status choose_encoding(struct cli_tokens_run *run, enum bt_encoding wanted)
{
    const char *dir = cli_given(run->options, &flag_token_dir);
    struct bt_error error;
    enum bt_status status = BT_OK;
    if (dir) {
        status = bt_tokens_verify_table(&run->arena, bt_str_of(dir), wanted, &error);
    }
    if (status == BT_ENOMEM) {
        return status;
    }
    bt_tokens_init(&run->counter, status == BT_OK ? wanted : BT_ENCODING_CHARS4);
    return status == BT_OK ? BT_OK : add_unavailable_finding(run, wanted, error.text);
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* Report bytes that are not text, as `check` does. */
static enum bt_status reject_text(struct cli_tokens_run *run, const struct cli_input *input,
                                  struct cli_tokens_text *text)
{
    const struct bt_check_options options = {.dialect = BT_DIALECT_JSON};
    struct bt_judgement judged;
    run->env.limits.document_bytes = TEXT_BYTES_MAX;
    BT_TRY(
        bt_check_document(&run->env, &run->arena, input->path, input->content, &options, &judged));
    text->refused = judged.findings;
    return bt_report_add(run->refused, &judged);
}

static enum bt_status count_input(struct cli_tokens_run *run, const struct cli_input *input)
{
    struct cli_tokens_text *text = &run->texts[run->count];
    *text = (struct cli_tokens_text){.path = input->path, .bytes = input->content.len};
    if (input->content.len > TEXT_BYTES_MAX) {
        return BT_ELIMIT;
    }
    if (bt_utf8_check(input->content) < input->content.len) {
        BT_TRY(reject_text(run, input, text));
    } else {
        text->estimate = bt_tokens_estimate(input->content);
        BT_TRY(bt_tokens_count(&run->counter, input->content, &text->count));
        run->is_over = run->is_over || (run->has_budget && text->count > run->budget);
    }
    run->count++;
    return BT_OK;
}

static void count_operand(struct cli_tokens_run *run, const char *operand)
{
    const struct bt_arena_mark before = bt_arena_mark(&run->arena);
    struct cli_input input;
    if (cli_is_stdin(operand) && run->stdin_read) {
        cli_print_error("standard input was read already");
        run->failed = true;
        return;
    }
    run->stdin_read = run->stdin_read || cli_is_stdin(operand);
    if (!cli_input_read(&run->arena, operand, TEXT_BYTES_MAX, &input)) {
        run->failed = true;
        return;
    }
    const enum bt_status status = count_input(run, &input);
    if (status != BT_OK) {
        cli_print_error("cannot count %.*s: %s", BT_STR_ARG(input.path), bt_status_text(status));
        run->failed = true;
    }
    if (status == BT_OK && !run->texts[run->count - 1].refused) {
        bt_arena_rewind(&run->arena, before); /* the text is no longer needed */
    }
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void emit_figures(const struct cli_tokens_run *run, struct bt_emit *emit,
                         const struct cli_tokens_text *text)
{
    bt_emit_member_string(emit, "encoding", bt_encoding_name(run->counter.encoding));
    bt_emit_name(emit, "exact");
    if (is_exact(run)) {
        bt_emit_u64(emit, text->count);
    } else {
        bt_emit_null(emit);
    }
    bt_emit_member_u64(emit, "estimate", text->estimate);
    bt_emit_member_u64(emit, "bytes", text->bytes);
}

static void emit_findings(struct bt_emit *emit, const struct bt_findings *findings)
{
    cli_json_array(emit, "findings");
    bt_findings_emit(emit, findings);
    bt_emit_end(emit);
}

/* One text: its figures, or what is wrong with it. */
static void emit_one(const struct cli_tokens_run *run, struct bt_emit *emit)
{
    const struct cli_tokens_text *text = &run->texts[0];
    if (text->refused) {
        emit_findings(emit, text->refused);
        return;
    }
    bt_emit_name(emit, "tokens");
    bt_emit_begin_object(emit);
    emit_figures(run, emit, text);
    bt_emit_end(emit);
}

static void emit_list(const struct cli_tokens_run *run, struct bt_emit *emit)
{
    cli_json_array(emit, "files");
    for (size_t i = 0; i < run->count; i++) {
        const struct cli_tokens_text *text = &run->texts[i];
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "path", text->path);
        if (text->refused) {
            emit_findings(emit, text->refused);
        } else {
            emit_figures(run, emit, text);
        }
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

static void put_json(const struct cli_tokens_run *run, struct bt_buf *buf)
{
    const bool is_one = run->options->operand_count < 2;
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    if (is_one) {
        emit_one(run, &emit);
    } else {
        emit_list(run, &emit);
    }
    if (run->unavailable && !(is_one && run->texts[0].refused)) {
        emit_findings(&emit, run->unavailable);
    }
    cli_json_end(&emit);
}

/* Write a number with commas: 1,234,567. Written from the end of `out`. */
static const char *with_commas(uint64_t number, char out[NUMBER_BYTES])
{
    char *at = out + NUMBER_BYTES - 1;
    *at = '\0';
    for (unsigned digits = 0; number > 0 || digits == 0; digits++, number /= 10) {
        if (digits > 0 && digits % 3 == 0) {
            *--at = ',';
        }
        *--at = (char)('0' + number % 10);
    }
    return at;
}

static void put_row(const struct cli_tokens_run *run, struct bt_buf *buf,
                    const struct cli_tokens_text *text)
{
    char numbers[3][NUMBER_BYTES];
    bt_buf_printf(buf, "%12s %12s %14s  ", with_commas(text->count, numbers[0]),
                  with_commas(text->estimate, numbers[1]), with_commas(text->bytes, numbers[2]));
    bt_buf_put_printable(buf, text->path, SIZE_MAX);
    if (run->has_budget && text->count > run->budget) {
        bt_buf_printf(buf, "  (%s over the budget)",
                      with_commas(text->count - run->budget, numbers[0]));
    }
    bt_buf_put_char(buf, '\n');
}

static void put_table(const struct cli_tokens_run *run, struct bt_buf *buf)
{
    const bt_str name = bt_encoding_name(run->counter.encoding);
    struct cli_tokens_text total = {.path = BT_STR("in all")};
    size_t counted = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct cli_tokens_text *text = &run->texts[i];
        if (text->refused) {
            continue;
        }
        if (counted++ == 0) {
            bt_buf_printf(buf, "%12.*s %12s %14s\n", BT_STR_ARG(name), "estimate", "bytes");
        }
        put_row(run, buf, text);
        total.count += text->count;
        total.estimate += text->estimate;
        total.bytes += text->bytes;
    }
    if (counted > 1) {
        struct cli_tokens_run without = *run;
        without.has_budget = false; /* the budget is for each text */
        put_row(&without, buf, &total);
    }
}

static void put_full(const struct cli_tokens_run *run, struct bt_buf *buf)
{
    put_table(run, buf);
    if (run->unavailable) {
        const struct bt_finding *finding = bt_findings_at(run->unavailable, 0);
        bt_buf_put_text(buf, "warning[TOKENS_UNAVAILABLE]: ");
        bt_buf_put_printable(buf, finding->message, SIZE_MAX);
        bt_buf_printf(buf, "\n  = help: %.*s\n", BT_STR_ARG(finding->hint));
    }
}

/* Print the figures, and for people the report about rejected texts. */
static void print_counts(struct cli_tokens_run *run)
{
    struct bt_buf buf;
    bt_buf_init(&buf, RESULT_BYTES_MAX);
    if (cli_wants_json(run->options)) {
        put_json(run, &buf);
    } else {
        put_full(run, &buf);
    }
    run->failed = cli_print_buf(&buf) != CLI_DONE || run->failed;
    if (!cli_wants_json(run->options) && bt_report_count(run->refused) > 0) {
        run->failed = !cli_report_write(run->options, run->refused) || run->failed;
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static enum bt_status begin_run(struct cli_tokens_run *run, enum bt_encoding wanted)
{
    const size_t operands = run->options->operand_count;
    bt_arena_init(&run->arena, RUN_BYTES_MAX);
    run->refused = bt_report_new(&run->arena);
    run->texts = BT_NEW_ARRAY(&run->arena, struct cli_tokens_text, operands > 0 ? operands : 1);
    if (!run->refused || !run->texts) {
        return BT_ENOMEM;
    }
    return choose_encoding(run, wanted);
}

static void count_all(struct cli_tokens_run *run)
{
    for (size_t i = 0; i < run->options->operand_count; i++) {
        count_operand(run, run->options->operands[i]);
    }
    if (run->options->operand_count == 0) {
        count_operand(run, "-");
    }
    if (run->count > 0) {
        print_counts(run);
    }
}

int cmd_tokens(const struct cli_options *options)
{
    struct cli_tokens_run run = {.options = options};
    enum bt_encoding wanted = BT_ENCODING_O200K_BASE;
    if (bt_encoding_parse(bt_config_text(options->config, "check.tokens"), &wanted) != BT_OK ||
        !cli_encoding(options, encoding_flag(options), &wanted) || !take_budget(&run) ||
        !cli_env_init(options, &run.env)) {
        return CLI_FAILED;
    }
    if (options->operand_count == 0 && isatty(STDIN_FILENO) == 1) {
        return cli_usage_error(options->command, "give a FILE, or - to type the text");
    }
    const enum bt_status status = begin_run(&run, wanted);
    if (status == BT_OK) {
        count_all(&run);
    } else {
        (void)cli_fail_status(status);
        run.failed = true;
    }
    const bool is_rejected = run.is_over || (run.refused && bt_report_count(run.refused) > 0);
    bt_tokens_free(&run.counter);
    bt_arena_free(&run.arena);
    if (run.failed) {
        return CLI_FAILED;
    }
    return is_rejected ? CLI_REJECTED : CLI_DONE;
}
