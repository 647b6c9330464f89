/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_plan.c - the commands of `baton plan` */
#include <assert.h>
#include <string.h>

#include <baton/json.h>

#include "base/file.h"
#include "cli.h"
#include "dialect/plan/references.h"
#include "engine/submit.h"
#include "fix_files.h"
#include "json/emit.h"
#include "json/options.h"
#include "operation/rule_codes.h"
#include "output.h"
#include "plan_run.h"
#include "run.h"
#include "schema_run.h"
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
    if (!plan_run_steps(run, &flag_artifact, &artifacts, &input.artifact_count) ||
        !plan_run_steps(run, &flag_slug, &slugs, &input.slug_count) ||
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
           cli_refuse_word(options, CLI_STEP_STATUS, word);
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

/* ---- baton plan validate --------------------------------------------------------------------- */

static const uint64_t budget_max = UINT64_C(1000000000000);

/* Parse a decimal number of seconds exactly, with at most nine digits of a fraction. */
static bool to_ns(const char *text, uint64_t *out)
{
    const bt_str value = bt_str_of(text);
    const size_t point = bt_str_find_byte(value, '.', 0);
    const bt_str fraction = bt_str_slice(value, point + 1, value.len);
    uint64_t whole = 0;
    uint64_t ns = 0;
    if (bt_str_to_u64(bt_str_slice(value, 0, point), &whole) != BT_OK || whole > 60 ||
        (point < value.len && fraction.len == 0)) {
        return false;
    }
    uint64_t unit = 100000000;
    for (size_t i = 0; i < fraction.len; i++, unit /= 10) {
        if (fraction.ptr[i] < '0' || fraction.ptr[i] > '9') {
            return false;
        }
        ns += (uint64_t)(fraction.ptr[i] - '0') * unit;
    }
    *out = whole * 1000000000 + ns;
    return *out >= 1000000 && *out <= UINT64_C(60000000000);
}

static bool take_bounds(const struct cli_options *options, struct bt_plan_validate_input *out)
{
    const char *timeout = cli_given(options, &flag_timeout);
    const char *budget = cli_given(options, &flag_budget);
    out->timeout_ns = bt_config_u64(options->config, "limits.schema_ms") * 1000000;
    out->budget = bt_config_u64(options->config, "limits.schema_work");
    if (timeout && !to_ns(timeout, &out->timeout_ns)) {
        return cli_refuse_usage(options, "--timeout wants seconds from 0.001 to 60, not %s",
                                timeout);
    }
    if (budget && (bt_str_to_u64(bt_str_of(budget), &out->budget) != BT_OK || out->budget == 0 ||
                   out->budget > budget_max)) {
        return cli_refuse_usage(options, "--budget wants a whole number from 1 to 10^12, not %s",
                                budget);
    }
    return true;
}

/* What is wrong with the combination of flags, or NULL. */
static const char *find_usage_error(const struct cli_options *options)
{
    const char *side = cli_given(options, &flag_side);
    const bool has_schema = cli_given(options, &flag_schema) != NULL;
    const bool has_plan = cli_given(options, &flag_plan) != NULL;
    const bool has_step = cli_given(options, &flag_step) != NULL;
    if (has_schema == has_plan) {
        return "give either --schema REF or --plan FILE";
    }
    if (has_plan != has_step || (side && !has_plan)) {
        return "--plan and --step need each other, and --side needs both";
    }
    if (side && strcmp(side, "out") != 0 && strcmp(side, "in") != 0) {
        return "--side wants out or in";
    }
    return options->root ? NULL : "give --root DIR, the folder of schemas";
}

static int validate_payload(struct cli_run *run, struct bt_plan_validate_input *input)
{
    const char *plan_path = cli_given(run->options, &flag_plan);
    const char *side = cli_given(run->options, &flag_side);
    struct bt_plan_input plan;
    struct bt_plan_result result;
    if (plan_path && !plan_run_read(run, plan_path, &plan)) {
        return CLI_FAILED;
    }
    if (!plan_run_read(run, run->options->operands[0], &input->payload)) {
        return CLI_FAILED;
    }
    input->plan = plan_path ? &plan : NULL;
    input->step = bt_str_of(cli_given(run->options, &flag_step));
    input->is_input_schema = side && strcmp(side, "in") == 0;
    input->reference = bt_str_of(cli_given(run->options, &flag_schema));
    input->clock = schema_run_clock;
    const enum bt_status status =
        bt_plan_validate_payload(run->plan->checker, &run->arena, input, &result);
    return status == BT_OK ? plan_run_report(run, &result, NULL)
                           : plan_run_fail(input->payload.path, status);
}

int cmd_plan_validate(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    struct bt_plan_validate_input input = {0};
    const char *wrong = find_usage_error(options);
    if (wrong) {
        return cli_usage_error(options->command, "%s", wrong);
    }
    if (!take_bounds(options, &input) || !plan_run_begin(run)) {
        return CLI_FAILED;
    }
    return validate_payload(run, &input);
}

/* ---- baton plan schema, baton schema strip --------------------------------------------------- */

typedef enum bt_status cli_plan_schema_fn(struct bt_plan_checker *plans, struct bt_arena *arena,
                                          const struct bt_payload_schema_input *input,
                                          struct bt_plan_result *out);

static int print_schema(struct cli_run *run, cli_plan_schema_fn *tool)
{
    struct bt_payload_schema_input input;
    struct bt_plan_result result;
    if (!plan_run_begin(run) || !plan_run_schema(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    const enum bt_status status = tool(run->plan->checker, &run->arena, &input, &result);
    return status == BT_OK ? plan_run_show(run, &result) : plan_run_fail(input.path, status);
}

int cmd_plan_schema_load(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_load);
}

int cmd_payload_schema_strip(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_strip);
}

int cmd_plan_schema_lint(struct cli_run *run)
{
    return print_schema(run, bt_payload_schema_lint);
}

/* ---- baton plan schema publish --------------------------------------------------------------- */

enum { PUBLISH_BYTES_MAX = 1 << 30 };

/* A schema on its way into the root. */
struct cli_publication {
    bt_str path; /* as reports show it */
    bt_str text;
    bt_str id;
    bt_str file; /* below the root */
    char sha256[BT_SHA256_HEX_BYTES];
    struct bt_payload_reference reference;
    bt_str previous; /* id of the version that it is compared with; "": none */
    bt_str compat;   /* the member of the report, or "" */
    struct bt_plan_result result;
    struct bt_judgement old_judged; /* of the version before, if it was rejected */
    bool is_breaking;               /* and was allowed */
    bool is_already;
    bool is_written;
};

/* Check the schema, and find out where it belongs. *out_is_good is false when it was rejected. */
static enum bt_status load_publication(struct cli_run *run, struct cli_publication *publication,
                                       bool *out_is_good)
{
    const struct bt_payload_schema_input input = {
        .path = publication->path, .text = publication->text, .name = BT_STR("")};
    const struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct bt_json_read_result read = {0};
    BT_TRY(bt_payload_schema_lint(run->plan->checker, &run->arena, &input, &publication->result));
    *out_is_good = publication->result.judged.verdict == BT_VERDICT_ACCEPTED;
    if (!*out_is_good) {
        return BT_OK;
    }
    BT_TRY(bt_json_read(&run->arena, publication->text, &options, &read)); /* from: file */
    const bt_json_value *id =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("$id"))
                      : NULL;
    BT_TRY(id ? BT_OK : BT_EINTERNAL);
    publication->id = bt_json_text(id);
    publication->reference = bt_plan_reference_read(publication->id);
    assert(!publication->reference.refuse); /* it was checked */
    BT_TRY(bt_sha256_hex(publication->text, publication->sha256));
    return bt_payload_reference_file(&publication->reference, &run->arena, &publication->file);
}

/* Find the highest published version below this one. */
static enum bt_status find_previous(struct cli_run *run, struct cli_publication *publication)
{
    struct bt_payload_reference best = {.version = BT_STR_INIT("")};
    struct bt_payload_reference other;
    struct bt_dir *folder = NULL;
    const bt_str *names = NULL;
    size_t count = 0;
    bt_str path;
    BT_TRY(bt_arena_printf(&run->arena, &path, "%s/schemas/handoff-payloads", run->options->root));
    enum bt_status status = bt_dir_open(path, &folder, &run->error);
    if (status == BT_ENOENT) {
        return BT_OK;
    }
    BT_TRY(status);
    status = bt_dir_list(folder, &run->arena, &names, &count, &run->error);
    bt_dir_close(folder);
    BT_TRY(status);
    for (size_t i = 0; i < count; i++) {
        if (bt_payload_reference_of_name(names[i], &other) &&
            bt_str_eq(other.slug, publication->reference.slug) &&
            bt_payload_version_compare(other.version, publication->reference.version) < 0 &&
            (best.version.len == 0 ||
             bt_payload_version_compare(other.version, best.version) > 0)) {
            best = other;
        }
    }
    return best.version.len > 0
               ? bt_payload_reference_id(&best, &run->arena, &publication->previous)
               : BT_OK;
}

/*
 * Add the findings of the comparison to those of the schema. A version that must follow another one
 * is a rule here; with --allow-breaking the others only warn.
 */
static enum bt_status merge_findings(struct cli_run *run, struct cli_publication *publication,
                                     const struct bt_findings *compared)
{
    const bool allows_breaking = cli_given(run->options, &flag_allow_breaking) != NULL;
    const struct bt_findings *lists[] = {publication->result.judged.findings, compared};
    struct bt_findings *all = bt_findings_new(&run->arena);
    BT_TRY(all ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; lists[i] && j < bt_findings_count(lists[i]); j++) {
            struct bt_finding finding = *bt_findings_at(lists[i], j);
            const bool is_breaking =
                finding.code == BT_CODE_COMPAT_BREAKING || finding.code == BT_CODE_COMPAT_UNDECIDED;
            if (finding.code == BT_CODE_COMPAT_ID) {
                finding.severity = BT_SEVERITY_HARD;
            } else if (is_breaking && allows_breaking) {
                finding.severity = BT_SEVERITY_WARN;
                publication->is_breaking = true;
            }
            BT_TRY(bt_findings_add(all, &finding));
        }
    }
    BT_TRY(bt_findings_finish(all, publication->text));
    publication->result.judged.findings = all;
    publication->result.judged.verdict = bt_verdict_of(all, BT_SEVERITY_HARD);
    return BT_OK;
}

static enum bt_status compare_previous(struct cli_run *run, struct cli_publication *publication)
{
    struct bt_payload_compat_input input = {
        .old_schema = {.path = publication->previous,
                       .root = run->plan->root,
                       .reference = publication->previous},
        .new_schema = {.path = publication->path, .text = publication->text, .name = BT_STR("")},
        .mode = BT_PAYLOAD_COMPAT_BACKWARD};
    struct bt_plan_result compared;
    size_t mode = 0;
    if (publication->previous.len == 0) {
        return BT_OK;
    }
    const char *word = cli_given(run->options, &flag_mode);
    if (word && cli_kind_find(CLI_MODE, word, &mode)) {
        input.mode = (enum bt_payload_compat_mode)(mode + 1); /* words and modes have one order */
    }
    BT_TRY(bt_payload_schema_compare(run->plan->checker, &run->arena, &input, &compared,
                                     &publication->old_judged));
    publication->compat = compared.members;
    return merge_findings(run, publication, compared.judged.findings);
}

/* Compare the place with the schema. A version that is published is not published again. */
static enum bt_status check_place(struct cli_run *run, struct cli_publication *publication,
                                  bool *out_is_free)
{
    char actual[BT_SHA256_HEX_BYTES];
    bt_str present;
    const enum bt_status status =
        bt_dir_read(run->plan->root, &run->arena, publication->file,
                    run->options->limits.document_bytes, &present, &run->error);
    *out_is_free = status == BT_ENOENT;
    if (*out_is_free) {
        return BT_OK;
    }
    BT_TRY(status);
    publication->is_already = bt_str_eq(present, publication->text);
    if (publication->is_already) {
        return BT_OK;
    }
    struct bt_findings *found = bt_findings_new(&run->arena);
    BT_TRY(found ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_sha256_hex(present, actual));
    BT_TRY(bt_add_publish_exists(found, bt_location_pointer(BT_STR("/$id"), BT_OFFSET_NONE),
                                 publication->file, bt_str_of(publication->sha256),
                                 bt_str_of(actual)));
    return merge_findings(run, publication, found);
}

/*
 * Look for an earlier record of this id: an earlier run may have been ended before it could write
 * the file. False after an error message.
 */
static bool find_record(struct cli_run *run, const struct cli_publication *publication,
                        bool *out_is_recorded)
{
    struct bt_ledger_entry_view earlier = {.sha256 = BT_STR_INIT("")};
    uint64_t seq = 0;
    *out_is_recorded = false;
    enum bt_status status = bt_ledger_find_handoff(run->ledger, publication->id, &seq, &run->error);
    if (status == BT_ENOENT) {
        return true;
    }
    if (status == BT_OK) {
        status =
            bt_ledger_get_entry(run->ledger, &run->arena, seq, run->alarms, &earlier, &run->error);
    }
    if (status != BT_OK) {
        return cli_run_failed(run, "cannot read the ledger") == CLI_DONE;
    }
    *out_is_recorded = bt_str_eq(earlier.sha256, bt_str_of(publication->sha256));
    return !cli_run_alarmed(run) &&
           (*out_is_recorded ||
            cli_refuse("entry %llu of the ledger has another document as %.*s: publish the next "
                       "version",
                       (unsigned long long)seq, BT_STR_ARG(publication->id)));
}

/* Record the schema. False after an error message. */
static bool record_publication(struct cli_run *run, const struct cli_publication *publication)
{
    const char *reason = cli_given(run->options, &flag_reason);
    const struct bt_entry_ref ref = {BT_STR("reason"), bt_str_of(reason)};
    struct bt_findings *findings = bt_findings_new(&run->arena);
    struct bt_submission item;
    struct bt_submission *items[] = {&item};
    struct bt_ledger_batch batch = {.items = items, .count = 1};
    bool is_recorded = false;
    bt_str actor;
    if (!findings || bt_findings_finish(findings, BT_STR("")) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!cli_run_actor(run, &actor) || !cli_run_open_ledger(run, CLI_WRITE) ||
        !find_record(run, publication, &is_recorded) || is_recorded) {
        return is_recorded;
    }
    struct bt_judgement judged = {.path = publication->path,
                                  .dialect = BT_DIALECT_RAW,
                                  .source = BT_STR(""),
                                  .verdict = BT_VERDICT_RECORDED,
                                  .findings = findings};
    bt_submission_init(&item, &run->arena, &judged, actor, publication->text,
                       run->options->limits.document_bytes);
    item.entry.kind = BT_STR("raw");
    item.entry.handoff_id = publication->id;
    item.entry.source = BT_STR("schemas");
    item.entry.refs = &ref;
    item.entry.ref_count = publication->is_breaking ? 1 : 0;
    if (bt_ledger_append(run->ledger, &run->env, &run->arena, &batch, run->alarms, &run->error) !=
        BT_OK) {
        return cli_run_failed(run, "nothing was published: not recorded") == CLI_DONE;
    }
    return !cli_run_alarmed(run);
}

static enum bt_status put_publication(struct cli_run *run, struct cli_publication *publication)
{
    struct bt_object_text text;
    struct bt_emit *emit = bt_object_text_begin(&text, PUBLISH_BYTES_MAX, "publish");
    bt_emit_member_string(emit, "id", publication->id);
    bt_emit_member_string(emit, "file", publication->file);
    bt_emit_member_string(emit, "sha256", bt_str_of(publication->sha256));
    bt_emit_member_string_or_null(emit, "previous", publication->previous);
    if (publication->compat.len > 0) {
        const size_t colon = bt_str_find_byte(publication->compat, ':', 0);
        bt_emit_member_raw(emit, "compat",
                           bt_str_slice(publication->compat, colon + 1, publication->compat.len));
    } else {
        bt_emit_member_null(emit, "compat");
    }
    bt_emit_member_bool(emit, "already", publication->is_already);
    bt_emit_member_bool(emit, "written", publication->is_written);
    return bt_object_text_finish(&text, BT_OK, &run->arena, &publication->result.members);
}

/* Write an accepted schema to its free place. False after an error message. */
static bool write_publication(struct cli_run *run, struct cli_publication *publication)
{
    bt_str path;
    if (cli_given(run->options, &flag_publish_dry_run)) {
        return true;
    }
    if (cli_given(run->options, &flag_store) && !record_publication(run, publication)) {
        return false;
    }
    publication->is_written = cli_create_below(run, bt_str_of(run->options->root),
                                               publication->file, publication->text, &path);
    return publication->is_written;
}

/* Report it; the version before is reported too when it cannot be used. */
static int report_publication(struct cli_run *run, struct cli_publication *publication)
{
    if (!cli_is_ok(put_publication(run, publication))) {
        return CLI_FAILED;
    }
    if (cli_prints_text(run->options) && publication->is_written) {
        cli_print_error("note: wrote %.*s", BT_STR_ARG(publication->file));
    }
    return plan_run_report(run, &publication->result,
                           publication->old_judged.findings ? &publication->old_judged : NULL);
}

int cmd_plan_schema_publish(struct cli_run *run)
{
    struct cli_publication publication = {.previous = BT_STR_INIT(""), .compat = BT_STR_INIT("")};
    struct cli_input input;
    bool is_good = false;
    bool is_free = false;
    const char *reason = cli_given(run->options, &flag_reason);
    if (cli_given(run->options, &flag_allow_breaking) && !reason) {
        return cli_usage_error(run->options->command, "--allow-breaking needs a --reason");
    }
    if (reason && !bt_entry_text_is_valid(bt_str_of(reason))) {
        return cli_usage_error(run->options->command,
                               "--reason wants 1 to 200 of [A-Za-z0-9 ._:/@+,-]");
    }
    if (!plan_run_begin(run) || !cli_run_read(run, run->options->operands[0], &input)) {
        return CLI_FAILED;
    }
    publication.path = input.path;
    publication.text = input.content;
    enum bt_status status = load_publication(run, &publication, &is_good);
    if (status == BT_OK && !is_good) {
        return plan_run_report(run, &publication.result, NULL);
    }
    status = status == BT_OK ? check_place(run, &publication, &is_free) : status;
    if (status == BT_OK && is_free) {
        status = find_previous(run, &publication);
        status = status == BT_OK ? compare_previous(run, &publication) : status;
    }
    if (status != BT_OK) {
        return plan_run_fail(publication.path, status);
    }
    const bool is_accepted = publication.result.judged.verdict == BT_VERDICT_ACCEPTED &&
                             !publication.old_judged.findings;
    if (is_free && is_accepted && !write_publication(run, &publication)) {
        return CLI_FAILED;
    }
    return report_publication(run, &publication);
}
