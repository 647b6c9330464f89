/* SPDX-License-Identifier: Apache-2.0 */
/* universal_run.c - the flags and runs of the commands about universal handoffs. */
#include "universal_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <baton/json.h>

#include "base/file.h"
#include "base/micros.h"
#include "evidence/budget.h"
#include "json/options.h"
#include "operation/operation.h"
#include "output.h"
#include "suggest.h"
#include "write_document.h"

/* ---- Flags of judging ------------------------------------------------------------------------ */

bool cli_encoding(const struct cli_options *options, const struct cli_flag *flag,
                  enum bt_encoding *out)
{
    const char *value = cli_given(options, flag);
    return !value || bt_encoding_parse(bt_str_of(value), out) == BT_OK;
}

static bool take_budget(const struct cli_options *options, uint64_t *out)
{
    const char *value = cli_given(options, &flag_token_budget);
    return !value || (bt_str_to_u64(bt_str_of(value), out) == BT_OK && *out > 0) ||
           cli_refuse_usage(options, "--budget wants a whole number from 1, not %s", value);
}

static bool take_section_limit(const struct cli_options *options, const char *value,
                               struct bt_universal_options *out)
{
    const bt_str text = bt_str_of(value);
    const size_t equals = bt_str_find_byte(text, '=', 0);
    enum bt_universal_section section = BT_UNIVERSAL_SECTION_METADATA;
    uint64_t limit = 0;
    if (bt_universal_section_parse(bt_str_slice(text, 0, equals), &section) != BT_OK ||
        bt_str_to_u64(bt_str_slice(text, equals + 1, text.len), &limit) != BT_OK) {
        return cli_refuse_usage(options,
                                "--section-limit wants NAME=N, such as working=500, not %s", value);
    }
    out->section_limits[section] = limit;
    return true;
}

/*
 * True when the flag has the second of its two words; *out_known is false after an error message.
 */
static bool is_second(const struct cli_options *options, const struct cli_flag *flag,
                      const char *first, const char *second, bool *out_known)
{
    const char *value = cli_given(options, flag);
    if (!value || strcmp(value, first) == 0) {
        return false;
    }
    if (strcmp(value, second) != 0) {
        (void)cli_usage_error(options->command, "--%s wants %s or %s, not %s", flag->name, first,
                              second, value);
        *out_known = false;
    }
    return true;
}

bool cli_universal_options(const struct cli_options *options, struct bt_universal_options *out)
{
    const struct bt_config *config = options->config;
    *out = bt_universal_options_default();
    out->budget = bt_config_u64(config, "check.budget");
    bool known =
        bt_encoding_parse(bt_config_text(config, "check.tokens"), &out->encoding) == BT_OK &&
        cli_encoding(options, &flag_tokens, &out->encoding) && take_budget(options, &out->budget);
    const char *limit = NULL;
    for (size_t i = 0; known && (limit = cli_given_at(options, &flag_section_limit, i)); i++) {
        known = take_section_limit(options, limit, out);
    }
    if (!known) {
        return false;
    }
    out->semantics_warn = is_second(options, &flag_semantics, "error", "warn", &known);
    out->relaxed_names =
        cli_given(options, &flag_skill_names)
            ? is_second(options, &flag_skill_names, "kebab", "relaxed", &known)
            : bt_str_eq(bt_config_text(config, "check.skill_names"), BT_STR("relaxed"));
    out->chain_head = is_second(options, &flag_chain, "head-or-tail", "head", &known);
    out->strict_expiry = cli_given(options, &flag_strict_expiry) != NULL;
    out->no_refs = cli_given(options, &flag_no_refs) != NULL;
    out->verify_artifacts = cli_given(options, &flag_verify_artifacts) != NULL;
    out->fail_fast = cli_given(options, &flag_fail_fast) != NULL;
    out->token_dir = bt_str_of(cli_given(options, &flag_token_dir));
    out->root = bt_str_of(options->root);
    out->chain_budget = bt_op_chain_budget(config);
    return known;
}

/* ---- Budgets of chains ----------------------------------------------------------------------- */

bool cli_universal_previous(const struct cli_options *options, const struct bt_env *env,
                            struct bt_arena *arena, struct bt_universal_options *out)
{
    const char *path = cli_given(options, &flag_previous);
    struct bt_universal_hop *hop = BT_NEW(arena, struct bt_universal_hop);
    struct bt_error error = {0};
    struct cli_input read;
    if (!path) {
        return true;
    }
    if (!hop) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!cli_input_read(arena, path, env->limits.document_bytes, &read)) {
        return false;
    }
    if (bt_universal_hop_read(env, arena, read.content, hop, &error) != BT_OK) {
        return cli_refuse("cannot use %s as --previous: %s", path, error.text);
    }
    out->chain_budget.previous = hop;
    return true;
}

bool cli_universal_is_same_trace(const struct bt_universal_options *options,
                                 const struct bt_env *env, struct bt_arena *arena, bt_str text)
{
    const struct bt_universal_hop *previous = options->chain_budget.previous;
    struct bt_universal_hop hop;
    return !previous || bt_universal_hop_read(env, arena, text, &hop, NULL) != BT_OK ||
           bt_str_eq(hop.trace_id, previous->trace_id);
}

/* A number of tokens that a flag gives. */
static bool take_tokens(const struct cli_options *options, const struct cli_flag *flag,
                        uint64_t least, uint64_t *out)
{
    const uint64_t most = (UINT64_C(1) << 53) - 1;
    const char *value = cli_given(options, flag);
    return !value ||
           (bt_str_to_u64(bt_str_of(value), out) == BT_OK && *out >= least && *out <= most) ||
           cli_refuse_usage(options, "--%s wants a whole number from %u, not %s", flag->name,
                            (unsigned)least, value);
}

/* A cost that a flag gives, in millionths. */
static bool take_cost(const struct cli_options *options, const struct cli_flag *flag,
                      uint64_t least, uint64_t *out)
{
    const char *value = cli_given(options, flag);
    return !value || (bt_micros_parse(bt_str_of(value), out) == BT_OK && *out >= least) ||
           cli_refuse_usage(options,
                            "--%s wants a decimal with up to six places, such as 40.00, "
                            "not %s",
                            flag->name, value);
}

/* Add up what a transcript says. */
static bool add_usage(struct cli_run *run, const struct bt_usage *usage,
                      struct bt_universal_spending *out)
{
    const char *wanted = cli_given(run->options, &flag_spent_agent);
    struct bt_budget_used used = {.unpriced = BT_STR("")};
    struct bt_budget_rules rules;
    if (!cli_is_ok(bt_budget_rules_read(&run->arena, run->options->config, &rules))) {
        return false;
    }
    for (size_t i = 0; i < usage->agents.count; i++) {
        const struct bt_usage_agent *agent = &usage->agents.items[i];
        if (!wanted || bt_str_eq(agent->agent, bt_str_of(wanted))) {
            bt_budget_add_usage(&rules, agent, &used);
        }
    }
    if (used.is_unknown) {
        return cli_refuse("cannot tell what the transcript of a child spent from what its parent "
                          "did: give --spent-tokens or --spent-cost");
    }
    out->spent_tokens += used.tokens;
    out->spent_cost += bt_budget_cost_micros(used.cost);
    out->unpriced = used.unpriced;
    return true;
}

bool cli_spending_is_priced(const struct bt_universal_spending *spending)
{
    return spending->unpriced.len == 0 ||
           cli_refuse("the cost is not known: budget.prices has no price for %.*s",
                      BT_STR_ARG(spending->unpriced));
}

bool cli_spending_flags(struct cli_run *run, struct bt_universal_spending *out)
{
    const struct cli_options *options = run->options;
    const char *path = cli_given(options, &flag_spent_transcript);
    struct bt_usage usage;
    *out = (struct bt_universal_spending){
        .currency = bt_config_text(options->config, "budget.currency"), .unpriced = BT_STR("")};
    if (!take_tokens(options, &flag_budget_tokens, 1, &out->tokens) ||
        !take_cost(options, &flag_budget_cost, 1, &out->cost) ||
        !take_tokens(options, &flag_spent_tokens, 0, &out->spent_tokens) ||
        !take_cost(options, &flag_spent_cost, 0, &out->spent_cost)) {
        return false;
    }
    if (cli_given(options, &flag_spent_agent) && !path) {
        return cli_refuse_usage(options, "--agent is for --spent-transcript");
    }
    if (!path) {
        return true;
    }
    bt_usage_init(&usage, &run->arena, run->env.hash_seed);
    const bool is_done =
        cli_run_count_usage(run, bt_str_of(path), &usage) && add_usage(run, &usage, out);
    bt_usage_free(&usage);
    return is_done;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Each root is opened once before any work, so that a wrong one is reported at once. */
static bool take_root(const char *path, bt_str *out)
{
    struct bt_dir *root = NULL;
    struct bt_error error;
    if (bt_dir_open(bt_str_of(path), &root, &error) != BT_OK) {
        return cli_refuse("cannot use the root %s: %s", path, error.text);
    }
    bt_dir_close(root);
    *out = bt_str_of(path);
    return true;
}

static bool take_roots(struct cli_run *run)
{
    const struct cli_options *options = run->options;
    run->universal->roots.temporary = bt_str_of(getenv("TMPDIR"));
    bt_str *paths = BT_NEW_ARRAY(&run->arena, bt_str, options->given_count + 1);
    if (!paths) {
        return cli_refuse_status(BT_ENOMEM);
    }
    const char *path = NULL;
    for (; (path = cli_given_at(options, &flag_write_root, run->universal->roots.count));
         run->universal->roots.count++) {
        if (!take_root(path, &paths[run->universal->roots.count])) {
            return false;
        }
    }
    run->universal->roots.paths = paths;
    /* References are resolved below the first. */
    run->universal->how.root = run->universal->roots.count > 0 ? paths[0] : BT_STR("");
    return true;
}

bool universal_run_begin(struct cli_run *run)
{
    struct cli_universal_run *universal = BT_NEW(&run->arena, struct cli_universal_run);
    if (!universal) {
        return cli_refuse_status(BT_ENOMEM);
    }
    run->universal = universal;
    if (!cli_universal_options(run->options, &universal->how)) {
        return false;
    }
    const enum bt_status status = bt_universal_checker_create(&run->env, &universal->checker);
    if (status != BT_OK) {
        return cli_refuse_status(status);
    }
    return take_roots(run) &&
           cli_universal_previous(run->options, &run->env, &run->arena, &universal->how) &&
           cli_skills_open(run->options, &run->arena, &universal->how.catalogue);
}

void universal_run_free(struct cli_universal_run *universal)
{
    if (universal) {
        bt_universal_checker_destroy(universal->checker);
    }
}

int universal_run_fail(bt_str path, enum bt_status status, const struct bt_error *error)
{
    assert(status != BT_OK);
    return cli_failed("cannot finish %.*s: %s", BT_STR_ARG(path),
                      error ? error->text : bt_status_text(status));
}

int universal_run_written(struct cli_run *run, bool dry_run, struct bt_universal_result *result,
                          bt_str members)
{
    if (!dry_run && result->judged.verdict == BT_VERDICT_ACCEPTED) {
        const enum bt_status status = cli_trace_judgement(
            run->options, &run->env, &run->arena, BT_TRACE_EVENT_HANDOFF_CREATED, &result->judged);
        if (status != BT_OK) {
            return universal_run_fail(result->judged.path, status, NULL);
        }
    }
    return cli_document_written(run->options, &run->arena, result, members);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

struct cli_draft_text_flag {
    const struct cli_flag *flag;
    size_t member; /* offset of the text in the draft */
};

static const struct cli_draft_text_flag text_flags[] = {
    {&flag_source, offsetof(struct bt_universal_draft, source)},
    {&flag_target, offsetof(struct bt_universal_draft, target)},
    {&flag_session_path, offsetof(struct bt_universal_draft, session_path)},
    {&flag_workflow_id, offsetof(struct bt_universal_draft, workflow_id)},
    {&flag_phase, offsetof(struct bt_universal_draft, phase)},
    {&flag_summary, offsetof(struct bt_universal_draft, summary)},
    {&flag_problem_type, offsetof(struct bt_universal_draft, problem_type)},
    {&flag_original_prompt, offsetof(struct bt_universal_draft, original_prompt)},
    {&flag_category, offsetof(struct bt_universal_draft, category)},
    {&flag_invocation, offsetof(struct bt_universal_draft, invocation)},
    {&flag_expected_phase, offsetof(struct bt_universal_draft, expected_phase)},
    {&flag_confidence, offsetof(struct bt_universal_draft, confidence)},
    {&flag_reason, offsetof(struct bt_universal_draft, reason)},
    {&flag_expires_at, offsetof(struct bt_universal_draft, expires_at)},
    {&flag_trace_id, offsetof(struct bt_universal_draft, trace_id)},
    {&flag_parent_span, offsetof(struct bt_universal_draft, parent_span)},
};

/* Refuse a value that is not UTF-8, because writing would replace its bytes by U+FFFD. */
static bool is_text(const struct cli_options *options, const struct cli_flag *flag,
                    const char *value)
{
    const bt_str text = bt_str_of(value);
    return bt_utf8_check(text) == text.len ||
           cli_refuse_usage(options, "the value of --%s is not UTF-8", flag->name);
}

static bool take_texts(const struct cli_options *options, struct bt_universal_draft *draft)
{
    for (size_t i = 0; i < sizeof(text_flags) / sizeof(text_flags[0]); i++) {
        const char *value = cli_given(options, text_flags[i].flag);
        const bt_str text = bt_str_of(value);
        if (value && !is_text(options, text_flags[i].flag, value)) {
            return false;
        }
        if (value) {
            memcpy((char *)draft + text_flags[i].member, &text, sizeof(text));
        }
    }
    return true;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static bool take_list(struct cli_run *run, const struct cli_flag *flag, struct bt_str_list *out)
{
    if (!cli_given_list(run->options, flag, &run->arena, out)) {
        return false;
    }
    for (size_t i = 0; i < out->count; i++) {
        if (!is_text(run->options, flag, out->items[i].ptr)) {
            return false;
        }
    }
    return true;
}

static bool is_repeated(const struct bt_universal_tag *tags, size_t count, bt_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (bt_str_eq(tags[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool take_tags(struct cli_run *run, struct bt_universal_draft *draft)
{
    struct bt_universal_tag *tags =
        BT_NEW_ARRAY(&run->arena, struct bt_universal_tag, run->options->given_count + 1);
    if (!tags) {
        return cli_refuse_status(BT_ENOMEM);
    }
    size_t count = 0;
    const char *value = NULL;
    for (; (value = cli_given_at(run->options, &flag_tag, count)); count++) {
        if (!is_text(run->options, &flag_tag, value)) {
            return false;
        }
        const bt_str text = bt_str_of(value);
        const size_t equals = bt_str_find_byte(text, '=', 0);
        const bt_str name = bt_str_slice(text, 0, equals);
        if (equals == text.len || is_repeated(tags, count, name)) {
            return cli_refuse_usage(run->options, "--tag wants NAME=VALUE, each name once, not %s",
                                    value);
        }
        tags[count] = (struct bt_universal_tag){name, bt_str_slice(text, equals + 1, text.len)};
    }
    draft->tags = tags;
    draft->tag_count = count;
    return true;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool read_value(struct cli_run *run, const char *value, bt_str *out)
{
    if (value[0] != '@') {
        *out = bt_str_of(value);
        return true;
    }
    struct cli_input input;
    const bool read = cli_run_read(run, value + 1, &input);
    *out = read ? input.content : *out;
    return read;
}

bool cli_take_json(struct cli_run *run, const struct cli_flag *flag, bt_str *out)
{
    const char *value = cli_given(run->options, flag);
    if (!value) {
        return true;
    }
    bt_str text = BT_STR("");
    const struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct bt_json_read_result read = {0};
    if (!read_value(run, value, &text)) {
        return false;
    }
    /* from: caller */
    if (bt_json_read(&run->arena, text, &options, &read) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    if (!read.document) {
        const struct bt_position place = bt_position_at(text, read.offset);
        return cli_refuse_usage(run->options, "--%s is not JSON: line %u, column %u: %s",
                                flag->name, place.line, place.column, read.detail);
    }
    *out = text;
    return true;
}

/* ---- The draft ------------------------------------------------------------------------------- */

static bool take_style(const struct cli_options *options, bool *out_pretty)
{
    const char *value = cli_given(options, &flag_style);
    *out_pretty = value && strcmp(value, "pretty") == 0;
    return !value || *out_pretty || strcmp(value, "minified") == 0 ||
           cli_refuse_usage(options, "--style wants minified or pretty, not %s", value);
}

static bool take_continue(struct cli_run *run, struct bt_universal_draft *draft)
{
    const char *path = cli_given(run->options, &flag_continue);
    struct cli_input input;
    struct bt_error error = {.text = ""};
    if (!path) {
        return true;
    }
    if (!cli_run_read(run, path, &input)) {
        return false;
    }
    const enum bt_status status = bt_universal_draft_continue(run->universal->checker, &run->arena,
                                                              input.content, draft, &error);
    return status == BT_OK || cli_refuse("cannot continue %s: %s", path,
                                         error.text[0] ? error.text : bt_status_text(status));
}

bool cli_draft_flags(struct cli_run *run, struct bt_universal_draft *out)
{
    const struct cli_options *options = run->options;
    *out = (struct bt_universal_draft){0};
    out->approved = cli_given(options, &flag_approved) != NULL;
    out->no_seal = cli_given(options, &flag_no_seal) != NULL;
    return take_texts(options, out) && take_style(options, &out->pretty) &&
           take_list(run, &flag_focus, &out->focus_areas) &&
           take_list(run, &flag_gap, &out->known_gaps) &&
           take_list(run, &flag_criterion, &out->success_criteria) && take_tags(run, out) &&
           cli_take_json(run, &flag_working, &out->working) &&
           cli_take_json(run, &flag_session, &out->session) &&
           cli_take_json(run, &flag_references, &out->references) && take_continue(run, out);
}

/* ---- The catalogue of skills that --skills and --registry name ------------------------------- */

enum { FINDINGS_SHOWN_MAX = 20 }; /* for people; JSON has all */

/* Add the failure for the first directory that does not exist, else for the first one. */
static void note_unreadable(const struct cli_options *options,
                            const struct bt_skill_catalogue_options *wanted, enum bt_status status,
                            const char *message)
{
    size_t index = 0;
    while (index < wanted->folder_count &&
           bt_file_kind_of(wanted->folders[index]) == BT_FILE_DIRECTORY) {
        index++;
    }
    const bt_str path = wanted->folders[index < wanted->folder_count ? index : 0];
    cli_note_failure(options, path, cli_reason_of_path(path.ptr, status), message);
}

bool cli_skills_open(const struct cli_options *options, struct bt_arena *arena,
                     const struct bt_skill_catalogue **out)
{
    size_t count = 0;
    *out = NULL;
    while (cli_given_at(options, &flag_skills, count)) {
        count++;
    }
    const bool is_flagged = count > 0;
    count = is_flagged ? count : bt_config_count(options->config, "skills");
    const char *registry = cli_given(options, &flag_registry);
    if (count == 0 && registry) {
        return cli_refuse_usage(options, "--registry adds to skills: give --skills DIR as well");
    }
    bt_str *folders = BT_NEW_ARRAY(arena, bt_str, count);
    if (count == 0 || !folders) {
        return count == 0;
    }
    for (size_t i = 0; i < count; i++) {
        folders[i] = bt_str_of(cli_given_at(options, &flag_skills, i));
        if (!is_flagged &&
            bt_config_item_path(options->config, "skills", i, arena, &folders[i]) != BT_OK) {
            return cli_refuse_status(BT_ENOMEM);
        }
    }
    const struct bt_skill_catalogue_options wanted = {
        .folders = folders, .folder_count = count, .registry = bt_str_of(registry)};
    struct bt_error error;
    const enum bt_status status = bt_skill_catalogue_open(arena, &wanted, out, &error);
    if (status != BT_OK) {
        cli_print_error("cannot read the skills: %s", error.text);
        note_unreadable(options, &wanted, status, error.text);
    }
    return status == BT_OK;
}

void cli_emit_texts(struct bt_emit *emit, const struct bt_optional_str_list *texts)
{
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < texts->count; i++) {
        bt_emit_string(emit, texts->items[i]);
    }
    bt_emit_end(emit);
}

struct bt_findings *cli_skills_findings(const struct bt_skill_catalogue *catalogue,
                                        struct bt_arena *arena)
{
    struct bt_findings *findings = bt_findings_new(arena);
    const bool complete = findings &&
                          bt_skill_catalogue_add_findings(catalogue, findings) == BT_OK &&
                          bt_findings_finish(findings, BT_STR("")) == BT_OK;
    return complete ? findings : NULL;
}

void cli_skills_complain(const struct bt_findings *findings)
{
    const size_t count = bt_findings_count(findings);
    for (size_t i = 0; i < count && i < FINDINGS_SHOWN_MAX; i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        cli_print_error("%.*s: %.*s", BT_STR_ARG(finding->rule->code),
                        BT_STR_ARG(finding->message));
    }
    if (count > FINDINGS_SHOWN_MAX) {
        cli_print_error("and %zu more; baton registry lint shows all", count - FINDINGS_SHOWN_MAX);
    }
}
