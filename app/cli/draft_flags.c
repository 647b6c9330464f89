/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft_flags.c - the parts of a universal handoff as flags -> a draft.
 */
#include "draft_flags.h"

#include <string.h>

#include <baton/json.h>

#include "print.h"

/* clang-format off */
const struct cli_flag flag_source = {"source", 0, "SKILL", CLI_ANY, "who sends it", NULL};
const struct cli_flag flag_target = {"target", 0, "SKILL", CLI_ANY, "who receives it", NULL};
const struct cli_flag flag_session_path = {"session-path", 0, "DIR", CLI_FOLDER,
    "the folder in which the sender keeps its work", NULL};
const struct cli_flag flag_workflow_id = {"workflow-id", 0, "ID", CLI_ANY,
    "the sender's run", NULL};
const struct cli_flag flag_phase = {"phase", 0, "TEXT", CLI_ANY,
    "where in its work the sender is", NULL};
const struct cli_flag flag_summary = {"summary", 0, "TEXT", CLI_ANY,
    "what is handed over and why", NULL};
const struct cli_flag flag_problem_type = {"problem-type", 0, "TYPE", CLI_PROBLEM_TYPE,
    "what kind of problem it is", NULL};
const struct cli_flag flag_working = {"working", 0, "JSON|@FILE", CLI_ANY,
    "what the receiver needs at once (default {})", NULL};
const struct cli_flag flag_session = {"session", 0, "JSON|@FILE", CLI_ANY,
    "what it may need later", NULL};
const struct cli_flag flag_references = {"references", 0, "JSON|@FILE", CLI_ANY,
    "what it can look up", NULL};
const struct cli_flag flag_original_prompt = {"original-prompt", 0, "TEXT", CLI_ANY,
    "the user's own words", NULL};
const struct cli_flag flag_focus = {"focus", 0, "TEXT", CLI_ANY,
    "an area to look at (repeatable)", NULL};
const struct cli_flag flag_gap = {"gap", 0, "TEXT", CLI_ANY,
    "something that is not known (repeatable)", NULL};
const struct cli_flag flag_criterion = {"criterion", 0, "TEXT", CLI_ANY,
    "how success will be told (repeatable)", NULL};
const struct cli_flag flag_category = {"category", 0, "TEXT", CLI_ANY,
    "the kind of receiver", NULL};
const struct cli_flag flag_invocation = {"invocation", 0, "TEXT", CLI_ANY,
    "how to start the receiver", NULL};
const struct cli_flag flag_expected_phase = {"expected-phase", 0, "TEXT", CLI_ANY,
    "where the receiver should begin", NULL};
const struct cli_flag flag_confidence = {"confidence", 0, "LEVEL", CLI_CONFIDENCE,
    "how sure the sender is (default medium)", NULL};
const struct cli_flag flag_reason = {"reason", 0, "TEXT", CLI_ANY,
    "why it is passed on; needed when a skill is entered again", NULL};
const struct cli_flag flag_approved = {"approved", 0, NULL, CLI_ANY,
    "a person agreed to a long chain", NULL};
const struct cli_flag flag_expires_at = {"expires-at", 0, "TIME", CLI_ANY,
    "the end of its validity", NULL};
const struct cli_flag flag_trace_id = {"trace-id", 0, "UUID", CLI_ANY,
    "the trace it belongs to (default a new one)", NULL};
const struct cli_flag flag_continue = {"continue", 0, "HANDOFF", CLI_FILE,
    "go on from this handoff: take over its chain, trace and prompt", NULL};
const struct cli_flag flag_parent_span = {"parent-span", 0, "UUID", CLI_ANY,
    "the sender's span", NULL};
const struct cli_flag flag_tag = {"tag", 0, "NAME=VALUE", CLI_ANY,
    "a tag of the trace (repeatable)", NULL};
const struct cli_flag flag_no_seal = {"no-seal", 0, NULL, CLI_ANY,
    "leave hash and size out", NULL};
const struct cli_flag flag_style = {"style", 0, "STYLE", CLI_STYLE,
    "minified (default) or pretty", NULL};

/* clang-format on */

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
    if (bt_utf8_check(text) == text.len) {
        return true;
    }
    (void)cli_usage_error(options->command, "the value of --%s is not UTF-8", flag->name);
    return false;
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

static bool take_list(struct cli_universal_run *run, const struct cli_flag *flag,
                      struct bt_str_list *out)
{
    bt_str *list = BT_NEW_ARRAY(&run->arena, bt_str, run->options->given_count + 1);
    if (!list) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return false;
    }
    size_t count = 0;
    const char *value = NULL;
    for (; (value = cli_given_at(run->options, flag, count)); count++) {
        if (!is_text(run->options, flag, value)) {
            return false;
        }
        list[count] = bt_str_of(value);
    }
    *out = (struct bt_str_list){list, count};
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

static bool take_tags(struct cli_universal_run *run, struct bt_universal_draft *draft)
{
    struct bt_universal_tag *tags =
        BT_NEW_ARRAY(&run->arena, struct bt_universal_tag, run->options->given_count + 1);
    if (!tags) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return false;
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
            (void)cli_usage_error(run->options->command,
                                  "--tag wants NAME=VALUE, each name once, not %s", value);
            return false;
        }
        tags[count] = (struct bt_universal_tag){name, bt_str_slice(text, equals + 1, text.len)};
    }
    draft->tags = tags;
    draft->tag_count = count;
    return true;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool read_value(struct cli_universal_run *run, const char *value, bt_str *out)
{
    if (value[0] != '@') {
        *out = bt_str_of(value);
        return true;
    }
    struct cli_input input;
    const bool read = universal_run_read(run, value + 1, &input);
    *out = read ? input.content : *out;
    return read;
}

/* JSON|@FILE: malformed JSON is a usage error, not a finding. */
static bool take_json(struct cli_universal_run *run, const struct cli_flag *flag, bt_str *out)
{
    const char *value = cli_given(run->options, flag);
    if (!value) {
        return true;
    }
    bt_str text = BT_STR("");
    const struct bt_json_options options = bt_json_options_from_env(&run->env);
    struct bt_json_read_result read;
    if (!read_value(run, value, &text)) {
        return false;
    }
    /* from: caller */
    if (bt_json_read(&run->arena, text, &options, &read) != BT_OK) {
        cli_print_error("%s", bt_status_text(BT_ENOMEM));
        return false;
    }
    if (!read.document) {
        const struct bt_position place = bt_position_at(text, read.offset);
        (void)cli_usage_error(run->options->command, "--%s is not JSON: line %u, column %u: %s",
                              flag->name, place.line, place.column, read.detail);
        return false;
    }
    *out = text;
    return true;
}

/* ---- The draft ------------------------------------------------------------------------------- */

static bool take_style(const struct cli_options *options, bool *out_pretty)
{
    const char *value = cli_given(options, &flag_style);
    *out_pretty = value && strcmp(value, "pretty") == 0;
    if (!value || *out_pretty || strcmp(value, "minified") == 0) {
        return true;
    }
    (void)cli_usage_error(options->command, "--style wants minified or pretty, not %s", value);
    return false;
}

static bool take_continue(struct cli_universal_run *run, struct bt_universal_draft *draft)
{
    const char *path = cli_given(run->options, &flag_continue);
    struct cli_input input;
    struct bt_error error = {.text = ""};
    if (!path) {
        return true;
    }
    if (!universal_run_read(run, path, &input)) {
        return false;
    }
    const enum bt_status status =
        bt_universal_draft_continue(run->universal, &run->arena, input.content, draft, &error);
    if (status != BT_OK) {
        cli_print_error("cannot continue %s: %s", path,
                        error.text[0] ? error.text : bt_status_text(status));
    }
    return status == BT_OK;
}

bool cli_draft_flags(struct cli_universal_run *run, struct bt_universal_draft *out)
{
    const struct cli_options *options = run->options;
    *out = (struct bt_universal_draft){0};
    out->approved = cli_given(options, &flag_approved) != NULL;
    out->no_seal = cli_given(options, &flag_no_seal) != NULL;
    return take_texts(options, out) && take_style(options, &out->pretty) &&
           take_list(run, &flag_focus, &out->focus_areas) &&
           take_list(run, &flag_gap, &out->known_gaps) &&
           take_list(run, &flag_criterion, &out->success_criteria) && take_tags(run, out) &&
           take_json(run, &flag_working, &out->working) &&
           take_json(run, &flag_session, &out->session) &&
           take_json(run, &flag_references, &out->references) && take_continue(run, out);
}
