/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ledger_append.c - baton ledger append PATH... --raw FILE...
 *
 * Everything is read and judged first; then one transaction records all documents in the order of
 * the command line, or nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <baton/check.h>

#include "base/file.h"
#include "cli.h"
#include "contract_run.h"
#include "decide/contract_state.h"
#include "decide/governed_state.h"
#include "engine/submit.h"
#include "govern_run.h"
#include "input.h"
#include "operation/operation.h"
#include "organism_file.h"
#include "output.h"
#include "plan_run.h"
#include "run.h"
#include "universal_run.h"

/* A file of which only digest and size are recorded may have 1 TiB. */
#define STREAM_BYTES_MAX (UINT64_C(1) << 40)

/* What the judging of each dialect works with; made when it is first needed. */
struct cli_append_judge {
    struct bt_checker *checker;
    struct bt_universal_options universal;
    struct bt_plan_options plan;
    struct cli_message_options xml;
    struct bt_dir *root; /* NULL: not given */
    struct cli_contract contract_flags;
    struct bt_contract_state contract; /* without a checker: not needed yet */
    bt_str workspace;
    struct cli_governed governed_flags;
    struct bt_governed_checker *governed; /* NULL: not needed yet */
};

/* What is to be recorded. */
struct cli_append_run {
    struct cli_run run;
    struct bt_judgement *documents;
    struct bt_submission **items;
    size_t count;
    struct bt_submission_entry common; /* from the flags, for all of them */
    struct bt_entry_ref *refs;
    struct cli_append_judge judge;
    bool stdin_read;
};

/*
 * Universal handoffs, plans and messages are judged as `baton check` does with the same flags,
 * contract blocks and governed documents with the default options of `contract submit`, `govern
 * submit` and `govern respond`.
 */

/* ---- As `baton check` ------------------------------------------------------------------------ */

/* Set the options once. References are resolved below the directory of --root. */
static bool make_ready(struct cli_append_judge *judge, struct cli_run *run)
{
    const struct cli_options *options = run->options;
    const char *root = cli_given(options, &flag_store_root);
    if (judge->checker) {
        return true;
    }
    if (!cli_universal_options(options, &judge->universal) ||
        !cli_plan_options(options, &judge->plan) || !cli_dir_open(root, &judge->root) ||
        !cli_skills_open(options, &run->arena, &judge->universal.catalogue) ||
        !cli_message_options_init(options, &run->env, &judge->xml)) {
        return false;
    }
    judge->universal.root = bt_str_of(root);
    judge->plan.dir = judge->root;
    judge->plan.is_recorded = !bt_ledger_has_test_key(run->ledger);
    judge->checker = bt_checker_create(&run->env);
    if (!judge->checker) {
        (void)cli_fail_status(BT_ENOMEM);
    }
    return judge->checker != NULL;
}

static bool judge_plain(struct cli_append_judge *judge, struct cli_run *run,
                        const struct cli_input *input, struct bt_submission *item)
{
    if (!make_ready(judge, run)) {
        return false;
    }
    const struct bt_check_options options = {.dialect = run->options->dialect,
                                             .fail_level = run->options->fail_level,
                                             .checker = judge->checker,
                                             .universal = &judge->universal,
                                             .plan = &judge->plan,
                                             .xml = &judge->xml.options};
    const enum bt_status status =
        bt_submission_judge(item, &run->env, input->path, input->content, &options);
    return status == BT_OK ||
           cli_refuse("cannot judge %.*s: %s", BT_STR_ARG(input->path), bt_status_text(status));
}

/* ---- Contract blocks ------------------------------------------------------------------------- */

/* Make the names, the checker and the state once. */
static enum bt_status make_contract(struct cli_append_judge *judge, struct cli_run *run,
                                    bt_str actor)
{
    if (judge->contract.contract) {
        return BT_OK;
    }
    judge->workspace = bt_config_text(run->options->config, "contract.workspace");
    if (judge->workspace.len == 0) {
        const char *root = cli_given(run->options, &flag_store_root);
        BT_TRY(cli_workspace(&run->arena, root, &judge->workspace));
    }
    judge->contract = (struct bt_contract_state){
        .ledger = run->ledger, .arena = &run->arena, .actor = actor, .alarms = run->alarms};
    return bt_contract_checker_create(&run->env, &judge->contract.contract);
}

static enum bt_status prepare_contract(struct cli_append_judge *judge, struct cli_run *run,
                                       const struct cli_input *message, struct bt_submission *item)
{
    struct bt_contract_document *document = BT_NEW(&run->arena, struct bt_contract_document);
    struct bt_contract_submission *contract = BT_NEW(&run->arena, struct bt_contract_submission);
    if (!document || !contract) {
        return BT_ENOMEM;
    }
    *document = (struct bt_contract_document){message->path, message->content,
                                              &judge->contract_flags.options};
    *contract = (struct bt_contract_submission){
        .state = &judge->contract,
        .document = document,
        .workspace = judge->workspace,
        .session = BT_STR("default"),
        .max_rejections = bt_config_u64(run->options->config, "contract.max_rejections"),
        .pending_seconds = bt_config_seconds(run->options->config, "approvals.pending_ttl"),
    };
    item->decision = contract;
    return BT_OK;
}

static bool add_contract(struct cli_append_judge *judge, struct cli_run *run,
                         const struct cli_input *message, struct bt_submission *item)
{
    enum bt_status status = make_contract(judge, run, item->entry.actor);
    if (status == BT_OK &&
        !cli_contract_options(run->options, &run->env, &run->arena, &judge->contract_flags)) {
        return false;
    }
    status = status == BT_OK ? prepare_contract(judge, run, message, item) : status;
    return status == BT_OK ||
           cli_refuse("cannot judge %.*s: %s", BT_STR_ARG(message->path), bt_status_text(status));
}

/* ---- Governed documents ---------------------------------------------------------------------- */

/* Load settings, governed root and schemas once. False after an error message. */
static bool make_governed(struct cli_append_judge *judge, struct cli_run *run)
{
    if (judge->governed) {
        return true;
    }
    /* Here --root has two uses: to find the store, and as the governed root. */
    struct cli_options options = *run->options;
    options.root = cli_given(run->options, &flag_store_root);
    if (!cli_governed_options(&options, &run->arena, &judge->governed_flags) ||
        !cli_governed_open(&options, &judge->governed_flags)) {
        return false;
    }
    if (!judge->governed_flags.options.dir) {
        return cli_refuse_usage(run->options,
                                "a governed document needs a catalogue: give --root DIR");
    }
    return cli_is_ok(bt_governed_checker_create(&run->env, &judge->governed));
}

static bool add_governed(struct cli_append_judge *judge, struct cli_run *run,
                         const struct cli_input *input, struct bt_submission *item)
{
    if (item->entry.handoff_id.len > 0) {
        return cli_refuse_usage(run->options, "--id: %.*s has an id of its own",
                                BT_STR_ARG(input->path));
    }
    if (!make_governed(judge, run)) {
        return false;
    }
    const bool is_response = item->judged->dialect == BT_DIALECT_RESPONSE;
    const struct bt_governed_input document = {.kind = is_response ? BT_GOVERNED_SUBMISSION_RESPONSE
                                                                   : BT_GOVERNED_SUBMISSION_HANDOFF,
                                               .path = input->path,
                                               .text = input->content,
                                               .options = &judge->governed_flags.options};
    struct bt_governed_submission *governed = NULL;
    const enum bt_status status =
        bt_governed_submission_open(judge->governed, &run->arena, &document, &governed);
    if (status != BT_OK) {
        const char *trouble = bt_governed_last_error(judge->governed);
        return cli_refuse("cannot judge %.*s: %s", BT_STR_ARG(input->path),
                          trouble[0] ? trouble : bt_status_text(status));
    }
    bt_governed_submission_name(governed, item);
    item->decision = governed;
    return true;
}

typedef bool append_judge_fn(struct cli_append_judge *judge, struct cli_run *run,
                             const struct cli_input *input, struct bt_submission *item);

/*
 * Judge a document, whose dialect stands in item->judged, or prepare its decision. False after an
 * error message.
 */
static bool judge_document(struct cli_append_judge *judge, struct cli_run *run,
                           const struct cli_input *input, struct bt_submission *item)
{
    static append_judge_fn *const judges[BT_DIALECT__MAX] = {
        [BT_DIALECT_CONTRACT] = add_contract, [BT_DIALECT_GOVERNED] = add_governed,
        [BT_DIALECT_RESPONSE] = add_governed, [BT_DIALECT_UNIVERSAL] = judge_plain,
        [BT_DIALECT_PLAN] = judge_plain,      [BT_DIALECT_XML] = judge_plain,
    };
    const enum bt_dialect_id dialect = item->judged->dialect;
    if (judges[dialect]) {
        return judges[dialect](judge, run, input, item);
    }
    if (!dialect) {
        cli_print_error("cannot judge %.*s: its dialect is not recognised; name it with --as",
                        BT_STR_ARG(input->path));
    } else {
        cli_print_error(
            "%.*s is %.*s, whose verdicts are not recorded here; --raw records the bytes",
            BT_STR_ARG(input->path), BT_STR_ARG(bt_dialect_name(dialect)));
    }
    return false;
}

static void end_judge(struct cli_append_judge *judge)
{
    bt_checker_destroy(judge->checker);
    bt_dir_close(judge->root);
    cli_message_options_free(&judge->xml);
    bt_contract_checker_destroy(judge->contract.contract);
    bt_governed_checker_destroy(judge->governed);
    cli_governed_close(&judge->governed_flags);
}

/* ---- Flags ----------------------------------------------------------------------------------- */

/* A name that a flag gives; "" without the flag. False after an error message. */
static bool take_name(struct cli_append_run *append, const struct cli_flag *flag, bt_str *out)
{
    const char *text = cli_given(append->run.options, flag);
    *out = bt_str_of(text);
    if (text && !bt_entry_name_is_valid(*out)) {
        (void)cli_usage_error(append->run.options->command,
                              "--%s wants a name of 1 to 200 of [A-Za-z0-9._:/@+-]", flag->name);
        return false;
    }
    return true;
}

static bool take_withheld(struct cli_append_run *append)
{
    const char *given = cli_given(append->run.options, &flag_withhold);
    const bt_str list = bt_str_of(given);
    for (size_t from = 0; given && from <= list.len;) {
        const size_t end = bt_str_find_byte(list, ',', from);
        const uint32_t bit = bt_entry_field_parse(bt_str_slice(list, from, end));
        if (bit == 0) {
            (void)cli_usage_error(append->run.options->command,
                                  "--withhold wants handoff_id, source, target, trace_id, not %s",
                                  given);
            return false;
        }
        append->common.withheld |= bit;
        from = end + 1;
    }
    return true;
}

static bool take_number(struct cli_append_run *append)
{
    const struct cli_flag *flag = &flag_number;
    uint64_t *number = &append->common.number;
    const bool is_given = cli_given(append->run.options, flag) != NULL;
    return cli_run_number(&append->run, flag, 0, number) &&
           (!is_given || (*number > 0 && *number <= BT_ENTRY_NUMBER_MAX) ||
            cli_refuse_usage(append->run.options, "--number wants 1 to 9007199254740991"));
}

static bool is_free_ref(bt_str name)
{
    static const char *const names[] = {"parent", "approval", "grant",  "manifest",
                                        "lock",   "policy",   "thread", "message"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (bt_str_eq(name, bt_str_of(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool has_ref(const struct bt_entry_ref *refs, size_t count, bt_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(refs[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool take_refs(struct cli_append_run *append)
{
    const struct cli_options *options = append->run.options;
    append->refs = BT_NEW_ARRAY(&append->run.arena, struct bt_entry_ref, options->given_count + 1);
    if (!append->refs) {
        return cli_refuse_status(BT_ENOMEM);
    }
    const char *given = cli_given_at(options, &flag_ref, 0);
    size_t count = 0;
    for (; given; given = cli_given_at(options, &flag_ref, count)) {
        const bt_str text = bt_str_of(given);
        const size_t equals = bt_str_find_byte(text, '=', 0);
        const bt_str name = bt_str_slice(text, 0, equals);
        if (equals == text.len || !is_free_ref(name)) {
            return cli_refuse_usage(options, "--ref %s: unknown reference", given);
        }
        if (has_ref(append->refs, count, name)) {
            return cli_refuse_usage(options, "--ref %.*s is given twice", BT_STR_ARG(name));
        }
        append->refs[count++] =
            (struct bt_entry_ref){name, bt_str_slice(text, equals + 1, text.len)};
    }
    append->common.refs = append->refs;
    append->common.ref_count = count;
    return true;
}

static bool take_flags(struct cli_append_run *append)
{
    const struct cli_options *options = append->run.options;
    struct bt_submission_entry *common = &append->common;
    common->kind = BT_STR("handoff");
    common->id_pointer = BT_STR("");
    common->omit_document = cli_given(options, &flag_no_document) != NULL;
    if (!take_name(append, &flag_id, &common->handoff_id) ||
        !take_name(append, &flag_trace, &common->trace_id) ||
        !take_name(append, &flag_entry_source, &common->source) ||
        !take_name(append, &flag_entry_target, &common->target) ||
        !cli_run_actor(&append->run, &common->actor) || !take_withheld(append) ||
        !take_number(append) || !take_refs(append)) {
        return false;
    }
    const bool names_raw =
        common->trace_id.len > 0 || common->source.len > 0 || common->target.len > 0;
    if (names_raw && options->operand_count > 0) {
        return cli_refuse_usage(options, "--trace, --source and --target are for --raw records");
    }
    if (append->count > 1 &&
        (common->handoff_id.len > 0 || common->number > 0 || cli_given(options, &flag_receipt))) {
        return cli_refuse_usage(options, "--id, --number and --receipt are for one document");
    }
    return true;
}

/* ---- Documents ------------------------------------------------------------------------------- */

/* Read standard input once. False after an error message. */
static bool reserve_stdin(struct cli_append_run *append, const char *path)
{
    if (cli_is_stdin(path) && append->stdin_read) {
        return cli_refuse("standard input can be recorded once in a run");
    }
    append->stdin_read = append->stdin_read || cli_is_stdin(path);
    return true;
}

/* Make the next item. Content above the limit is truncated. */
static struct bt_submission *add_item(struct cli_append_run *append, bt_str content)
{
    const struct cli_options *options = append->run.options;
    struct bt_submission *item = append->items[append->count];
    bt_submission_init(item, &append->run.arena, &append->documents[append->count++],
                       append->common.actor, content, options->limits.document_bytes);
    const bool is_truncated = item->entry.is_truncated;
    item->entry = append->common;
    item->entry.is_truncated = is_truncated;
    item->fail_level = options->fail_level;
    return item;
}

/* Read the next document. NULL after an error message. */
static struct bt_submission *read_document(struct cli_append_run *append, const char *path,
                                           struct cli_input *out)
{
    const uint64_t bytes_max = append->run.options->limits.document_bytes;
    return reserve_stdin(append, path) && cli_input_read(&append->run.arena, path, bytes_max, out)
               ? add_item(append, out->content)
               : NULL;
}

/*
 * Hash the next raw file as a stream. Nothing of it is judged or kept, so the document limit does
 * not hold for it. NULL after an error message.
 */
static struct bt_submission *read_digest(struct cli_append_run *append, const char *path)
{
    struct bt_file_digest *digest = BT_NEW(&append->run.arena, struct bt_file_digest);
    if (!digest) {
        (void)cli_refuse_status(BT_ENOMEM);
        return NULL;
    }
    if (!reserve_stdin(append, path) || !cli_input_digest(path, STREAM_BYTES_MAX, digest)) {
        return NULL;
    }
    struct bt_submission *item = add_item(append, BT_STR(""));
    item->entry.digest = digest;
    item->entry.is_truncated = digest->is_truncated;
    return item;
}

static enum bt_status record_raw(struct cli_append_run *append, bt_str path,
                                 struct bt_submission *item)
{
    const bool is_truncated = item->entry.is_truncated;
    struct bt_findings *findings = bt_findings_new(&append->run.arena);
    if (!findings) {
        return BT_ENOMEM;
    }
    if (is_truncated) {
        const uint64_t limit =
            item->entry.digest ? STREAM_BYTES_MAX : append->run.options->limits.document_bytes;
        BT_TRY(bt_ledger_add_too_large_finding(findings, limit));
    }
    BT_TRY(bt_findings_finish(findings, BT_STR("")));
    item->entry.kind = BT_STR("raw");
    *item->judged = (struct bt_judgement){
        .path = path,
        .dialect = BT_DIALECT_RAW,
        .source = BT_STR(""),
        .verdict = is_truncated ? BT_VERDICT_REJECTED : BT_VERDICT_RECORDED,
        .findings = findings,
    };
    return BT_OK;
}

static bool add_raw(struct cli_append_run *append, const char *path)
{
    struct cli_input input;
    struct bt_submission *item = append->common.omit_document ? read_digest(append, path)
                                                              : read_document(append, path, &input);
    if (!item) {
        return false;
    }
    const enum bt_status status = record_raw(append, cli_input_name(path), item);
    return status == BT_OK || cli_refuse("cannot record %s: %s", path, bt_status_text(status));
}

static bool add_judged(struct cli_append_run *append, const char *path)
{
    struct cli_input input;
    struct cli_run *run = &append->run;
    struct bt_submission *item = read_document(append, path, &input);
    if (!item) {
        return false;
    }
    const enum bt_dialect_id named = run->options->dialect;
    *item->judged = (struct bt_judgement){
        .path = input.path,
        .dialect = named ? named : bt_dialect_recognise(input.path, input.content),
        .source = BT_STR("")};
    return judge_document(&append->judge, run, &input, item);
}

/* In the order of the command line: each --raw knows how many operands came before it. */
static bool add_documents(struct cli_append_run *append)
{
    const struct cli_options *options = append->run.options;
    size_t operand = 0;
    append->count = 0;
    for (size_t i = 0; i < options->given_count; i++) {
        if (options->given[i].flag->id != flag_raw.id) {
            continue;
        }
        for (; operand < options->given[i].operands_before; operand++) {
            if (!add_judged(append, options->operands[operand])) {
                return false;
            }
        }
        if (!add_raw(append, options->given[i].value)) {
            return false;
        }
    }
    for (; operand < options->operand_count; operand++) {
        if (!add_judged(append, options->operands[operand])) {
            return false;
        }
    }
    return true;
}

static bool count_documents(struct cli_append_run *append)
{
    const struct cli_options *options = append->run.options;
    append->count = options->operand_count;
    for (size_t i = 0; i < options->given_count; i++) {
        append->count += options->given[i].flag->id == flag_raw.id;
    }
    if (append->count == 0 || append->count > BT_LEDGER_BATCH_MAX) {
        return cli_refuse_usage(options, "%s",
                                append->count == 0 ? "nothing to record: give a PATH or --raw FILE"
                                                   : "more than 10,000 documents in one run");
    }
    append->documents = BT_NEW_ARRAY(&append->run.arena, struct bt_judgement, append->count);
    append->items = BT_NEW_ARRAY(&append->run.arena, struct bt_submission *, append->count);
    struct bt_submission *items =
        BT_NEW_ARRAY(&append->run.arena, struct bt_submission, append->count);
    if (!append->documents || !append->items || !items) {
        return cli_refuse_status(BT_ENOMEM);
    }
    for (size_t i = 0; i < append->count; i++) {
        append->items[i] = &items[i];
    }
    return true;
}

/* ---- Receipt --------------------------------------------------------------------------------- */

/* Create the file before anything is recorded, so that an existing one stops the run. */
static bool reserve_receipt(const char *path)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return cli_refuse("cannot write the receipt %s: %s", path, strerror(errno));
    }
    (void)close(fd);
    return true;
}

static bool fill_receipt(struct cli_append_run *append, const char *path)
{
    struct cli_run *run = &append->run;
    const bt_str name = bt_str_of(path);
    const enum bt_receipt_format format =
        bt_str_ends_with(name, BT_STR(".json"))   ? BT_RECEIPT_FORMAT_JSON
        : bt_str_ends_with(name, BT_STR(".cose")) ? BT_RECEIPT_FORMAT_COSE
                                                  : BT_RECEIPT_FORMAT_TEXT;
    const struct bt_receipt_request request = {
        .seq = append->items[0]->seq, .size = BT_LEDGER_SEQ_NONE, .format = format};
    struct bt_receipt_result made;
    if (bt_ledger_make_receipt(run->ledger, &run->arena, &request, &made, &run->error) != BT_OK ||
        bt_file_replace(name, made.receipt, &run->error) != BT_OK) {
        return false;
    }
    cli_run_warn_of_empty_path(format, made.size);
    return true;
}

enum { RECORDED_BYTES_MAX = 64 << 20 };

/* ---- Recording ------------------------------------------------------------------------------- */

/* Something failed after the commit: print where the records are. */
static int name_refs(struct cli_append_run *append, const char *what)
{
    return cli_failed("%s: %s; already recorded: %.*s#%" PRIu64 " to #%" PRIu64, what,
                      append->run.error.text, BT_STR_ARG(bt_ledger_origin(append->run.ledger)),
                      append->items[0]->seq, append->items[append->count - 1]->seq);
}

static int record_batch(struct cli_append_run *append)
{
    struct cli_run *run = &append->run;
    const struct bt_deliver deliver = {.ledger = run->ledger,
                                       .env = &run->env,
                                       .arena = &run->arena,
                                       .actor = append->common.actor,
                                       .alarms = run->alarms};
    cli_run_watch(run);
    enum bt_status status = bt_submit(&deliver, append->items, append->count, &run->error);
    cli_run_unwatch();
    if (status != BT_OK && append->items[0]->durability == BT_DURABILITY_DURABLE) {
        return name_refs(append, "the record is made, but");
    }
    if (status != BT_OK) {
        return cli_run_failed(run, "not recorded");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    for (size_t i = 0; i < append->count && status == BT_OK; i++) {
        status = bt_submission_put_record(append->items[i]);
    }
    if (status != BT_OK) {
        (void)bt_error_set(&run->error, status, "%s", bt_status_text(status));
        return name_refs(append, "the record is made, but");
    }
    return CLI_DONE;
}

/* Print what was recorded, below the report. Returns `code`, that of the report. */
static int print_recorded(struct cli_append_run *append, const char *receipt, int code)
{
    struct bt_buf buf;
    if (!cli_prints_text(append->run.options)) {
        return code;
    }
    bt_buf_init(&buf, RECORDED_BYTES_MAX);
    for (size_t i = 0; i < append->count; i++) {
        cli_run_put_recorded(&append->run, &buf, append->items[i]);
    }
    if (receipt && !cli_is_quiet(append->run.options)) {
        bt_buf_put_text(&buf, "receipt: ");
        bt_buf_put_printable(&buf, bt_str_of(receipt), SIZE_MAX);
        bt_buf_put_char(&buf, '\n');
    }
    return cli_print_buf(&buf) == CLI_DONE ? code : CLI_FAILED;
}

static int record_all(struct cli_append_run *append)
{
    const char *receipt = cli_given(append->run.options, &flag_receipt);
    if (receipt && !reserve_receipt(receipt)) {
        return CLI_FAILED;
    }
    const int code = record_batch(append);
    if (code != CLI_DONE) {
        if (receipt) {
            (void)unlink(receipt);
        }
        return code;
    }
    if (receipt && !fill_receipt(append, receipt)) {
        return name_refs(append, "cannot write the receipt");
    }
    for (size_t i = 0; i < append->count; i++) {
        if (!cli_run_report_add(&append->run, &append->documents[i])) {
            return CLI_FAILED;
        }
    }
    const int report_code = cli_run_report_write(&append->run, BT_STR(""));
    return report_code == CLI_FAILED ? report_code : print_recorded(append, receipt, report_code);
}

static int append_all(struct cli_append_run *append)
{
    if (!count_documents(append) || !take_flags(append) ||
        !cli_run_open_ledger(&append->run, CLI_WRITE)) {
        return CLI_FAILED;
    }
    if (append->common.number > 0 && bt_ledger_entries(append->run.ledger) < 2) {
        return cli_failed("entries of version 1 have no --number; baton store migrate --entries 2 "
                          "switches the log over");
    }
    return add_documents(append) ? record_all(append) : CLI_FAILED;
}

int cmd_ledger_append(const struct cli_options *options)
{
    struct cli_append_run append = {0};
    if (!cli_run_begin(&append.run, options)) {
        return cli_run_end(&append.run, CLI_FAILED);
    }
    const int code = append_all(&append);
    end_judge(&append.judge);
    return cli_run_end(&append.run, code);
}
