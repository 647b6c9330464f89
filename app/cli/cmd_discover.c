/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_discover.c - baton discover
 */
#include <string.h>

#include <baton/json.h>

#include "base/buf.h"
#include "cli.h"
#include "dialect/universal/universal.h"
#include "engine/check.h"
#include "input.h"
#include "json/emit.h"
#include "json/options.h"
#include "output.h"
#include "report/table.h"
#include "run.h"
#include "skill/skill.h"
#include "trace/trace.h"
#include "universal_run.h"

enum {
    RESULT_BYTES_MAX = 64 << 20,
    NAME_SHOWN = 40,
    TOP_DEFAULT = 5,
};

/* The query, or the reason why the handoff gives none. */
struct cli_discover_query {
    struct bt_skill_query wanted;
    bool is_unusable; /* the handoff cannot be read or names no source: `judged` says why */
    struct bt_judgement judged;
};

struct cli_discover_run {
    struct cli_run *run;
    const struct bt_skill_catalogue *catalogue;
    struct cli_discover_query query;
    const struct bt_findings *findings;
    struct bt_trace_set *history; /* NULL: not given */
    const struct bt_skill_candidate *candidates;
    size_t count;
};

/* ---- The query, from flags and from a handoff ------------------------------------------------ */

struct cli_discover_reader {
    const struct cli_options *options;
    struct bt_env *env;
    struct bt_arena *arena;
    const struct bt_json_doc *document;
    struct cli_discover_query *query;
};

/* The string at a pointer, or "". */
static bt_str text_at(const struct cli_discover_reader *reader, const char *pointer)
{
    const bt_json_value *value =
        bt_json_resolve(reader->document, bt_json_root(reader->document), bt_str_of(pointer));
    return value ? bt_json_text(value) : BT_STR("");
}

static bool has_text(const struct bt_optional_str_list *texts, bt_str text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (bt_str_eq(texts->items[i], text)) {
            return true;
        }
    }
    return false;
}

/* The strings of an array: the items, or their member `name`; each once. */
static enum bt_status strings_of(const struct cli_discover_reader *reader, const char *pointer,
                                 const char *name, struct bt_optional_str_list *out)
{
    const bt_json_value *array =
        bt_json_resolve(reader->document, bt_json_root(reader->document), bt_str_of(pointer));
    const bt_json_value *items = array ? bt_json_items(array) : NULL;
    const size_t count = items ? bt_json_count(array) : 0;
    bt_str *texts = BT_NEW_ARRAY(reader->arena, bt_str, count);
    if (!texts) {
        return BT_ENOMEM;
    }
    *out = (struct bt_optional_str_list){texts, 0, items != NULL};
    for (size_t i = 0; i < count; i++) {
        const bt_json_value *item =
            name ? bt_json_get(reader->document, &items[i], bt_str_of(name)) : &items[i];
        if (item && bt_json_type(item) == BT_JSON_STRING &&
            !(name && has_text(out, bt_json_text(item)))) {
            texts[out->count++] = bt_json_text(item);
        }
    }
    return BT_OK;
}

static bt_str category_of(const struct cli_discover_reader *reader)
{
    static const struct cli_discover_input_kind {
        const char *problem;
        const char *category;
    } kinds[] = {
        {"implementation", "implementation"}, {"research", "research"},
        {"verification", "verification"},     {"creative", "creative"},
        {"analytical", "analysis"},           {"strategic", "decision-support"},
        {"decision", "decision-support"},
    };
    const bt_str category = text_at(reader, "/handoff/target/category");
    const bt_str problem = text_at(reader, "/handoff/context/problem_type");
    for (size_t i = 0; category.len == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (bt_str_eq(bt_str_of(kinds[i].problem), problem)) {
            return bt_str_of(kinds[i].category);
        }
    }
    return category;
}

/* Without a chain, the source alone is the chain. */
static enum bt_status chain_of(const struct cli_discover_reader *reader,
                               struct bt_optional_str_list *out)
{
    BT_TRY(strings_of(reader, "/handoff/meta/handoff_chain", NULL, out));
    if (out->given) {
        return BT_OK;
    }
    bt_str *source = BT_NEW_ARRAY(reader->arena, bt_str, 1);
    if (!source) {
        return BT_ENOMEM;
    }
    source[0] = reader->query->wanted.source;
    *out = (struct bt_optional_str_list){source, 1, true};
    return BT_OK;
}

/* Judge a handoff that cannot be read or does not name its source, as `check` does. */
static enum bt_status judge_unusable(struct cli_discover_reader *reader,
                                     const struct cli_input *input)
{
    struct bt_universal_options universal = bt_universal_options_default();
    universal.no_refs = true;
    const struct bt_check_options options = {.dialect = BT_DIALECT_UNIVERSAL,
                                             .universal = &universal};
    reader->query->is_unusable = true;
    return bt_check_document(reader->env, reader->arena, input->path, input->content, &options,
                             &reader->query->judged);
}

static enum bt_status read_handoff(struct cli_discover_reader *reader,
                                   const struct cli_input *input)
{
    const struct bt_json_options options = bt_json_options_from_env(reader->env);
    struct bt_skill_query *wanted = &reader->query->wanted;
    struct bt_json_read_result result = {0};
    /* from: file */
    BT_TRY(bt_json_read(reader->arena, input->content, &options, &result));
    reader->document = result.document;
    if (!result.document || text_at(reader, "/handoff/source/skill").len == 0) {
        return judge_unusable(reader, input);
    }
    wanted->source = text_at(reader, "/handoff/source/skill");
    wanted->version = text_at(reader, "/handoff/version");
    wanted->category = category_of(reader);
    BT_TRY(chain_of(reader, &wanted->chain));
    return strings_of(reader, "/handoff/payload/session/artifacts", "type", &wanted->inputs);
}

static bool take_source(struct cli_discover_reader *reader)
{
    const char *file = cli_given(reader->options, &flag_discover_for);
    const char *from = cli_given(reader->options, &flag_discover_from);
    struct cli_input input;
    if (!file == !from) {
        return cli_refuse_usage(reader->options,
                                "discover needs either --for HANDOFF or --from SKILL");
    }
    if (from) {
        reader->query->wanted.source = bt_str_of(from);
        reader->query->wanted.version = BT_STR("3.0");
        return true;
    }
    if (!cli_input_read(reader->arena, file, reader->env->limits.document_bytes, &input)) {
        return false;
    }
    const enum bt_status status = read_handoff(reader, &input);
    return status == BT_OK || cli_refuse("cannot read %s: %s", file, bt_status_text(status));
}

static bool take_inputs(struct cli_discover_reader *reader)
{
    size_t count = 0;
    while (cli_given_at(reader->options, &flag_discover_input, count)) {
        count++;
    }
    bt_str *inputs = BT_NEW_ARRAY(reader->arena, bt_str, count);
    if (!inputs) {
        return cli_refuse_status(BT_ENOMEM);
    }
    struct bt_optional_str_list taken = {inputs, 0, true};
    for (size_t i = 0; i < count; i++) {
        const bt_str type = bt_str_of(cli_given_at(reader->options, &flag_discover_input, i));
        if (!has_text(&taken, type)) {
            inputs[taken.count++] = type;
        }
    }
    if (count > 0) {
        reader->query->wanted.inputs = taken;
    }
    return true;
}

/* Read names separated by commas. */
static bool take_chain(struct cli_discover_reader *reader)
{
    const char *given = cli_given(reader->options, &flag_discover_chain);
    const bt_str text = bt_str_of(given);
    bt_str *names = BT_NEW_ARRAY(reader->arena, bt_str, text.len + 1);
    if (!names) {
        return cli_refuse_status(BT_ENOMEM);
    }
    struct bt_optional_str_list chain = {names, 0, true};
    for (size_t from = 0; from < text.len;) {
        const size_t comma = bt_str_find_byte(text, ',', from);
        if (comma > from) {
            names[chain.count++] = bt_str_slice(text, from, comma);
        }
        from = comma + 1;
    }
    if (given) {
        reader->query->wanted.chain = chain;
    }
    return true;
}

static bool take_autonomy(struct cli_discover_reader *reader)
{
    const char *given = cli_given(reader->options, &flag_discover_autonomy);
    const bool is_true = given && strcmp(given, "true") == 0;
    if (given && !is_true && strcmp(given, "false") != 0) {
        return cli_refuse_usage(reader->options, "--autonomy wants true or false, not %s", given);
    }
    if (given) {
        reader->query->wanted.autonomy = is_true ? BT_SKILL_ANSWER_YES : BT_SKILL_ANSWER_NO;
    }
    return true;
}

static bool take_top(struct cli_discover_reader *reader)
{
    const char *given = cli_given(reader->options, &flag_discover_top);
    uint64_t top = TOP_DEFAULT;
    if (given && (bt_str_to_u64(bt_str_of(given), &top) != BT_OK || top == 0)) {
        return cli_refuse_usage(reader->options, "--top wants a whole number from 1, not %s",
                                given);
    }
    reader->query->wanted.top = (size_t)top;
    return true;
}

static bool read_query(const struct cli_options *options, struct bt_env *env,
                       struct bt_arena *arena, struct cli_discover_query *out)
{
    *out = (struct cli_discover_query){0};
    struct cli_discover_reader reader = {
        .options = options, .env = env, .arena = arena, .query = out};
    if (!take_top(&reader) || !take_autonomy(&reader) || !take_source(&reader) ||
        !take_inputs(&reader) || !take_chain(&reader)) {
        return false;
    }
    const char *category = cli_given(options, &flag_discover_category);
    if (category) {
        out->wanted.category = bt_str_of(category);
    }
    out->wanted.authorized = cli_given(options, &flag_discover_authorized) != NULL;
    return true;
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void emit_findings(struct bt_emit *emit, const struct bt_findings *findings)
{
    cli_json_array(emit, "findings");
    bt_findings_emit(emit, findings);
    bt_emit_end(emit);
}

static void emit_part(struct bt_emit *emit, const char *name, int points)
{
    bt_emit_name(emit, name);
    bt_emit_i64(emit, points);
}

static void emit_text_or_null(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_name(emit, name);
    if (text.len > 0) {
        bt_emit_string(emit, text);
    } else {
        bt_emit_null(emit);
    }
}

static void emit_candidate(struct bt_emit *emit, const struct bt_skill_candidate *candidate)
{
    const struct bt_skill_score *parts = &candidate->parts;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "name", candidate->skill->name);
    emit_part(emit, "score", candidate->score);
    bt_emit_name(emit, "parts");
    bt_emit_begin_object(emit);
    emit_part(emit, "category", parts->category);
    emit_part(emit, "schema", parts->schema);
    emit_part(emit, "input", parts->input);
    emit_part(emit, "success", parts->success);
    emit_part(emit, "autonomy", parts->autonomy);
    emit_part(emit, "loop", parts->loop);
    bt_emit_end(emit);
    bt_emit_name(emit, "provided");
    if (candidate->provided == BT_SKILL_ANSWER_NONE) {
        bt_emit_null(emit);
    } else {
        bt_emit_bool(emit, candidate->provided == BT_SKILL_ANSWER_YES);
    }
    bt_emit_member_string(emit, "compatible", candidate->compatible);
    cli_json_bool(emit, "legacy", candidate->skill->is_legacy);
    emit_text_or_null(emit, "path", candidate->skill->path);
    bt_emit_end(emit);
}

/* Whether the source is in the catalogue and, when it is not, who has a name like it. */
static void emit_source_known(struct bt_emit *emit, const struct cli_discover_run *discover)
{
    const bt_str source = discover->query.wanted.source;
    const bool is_known = bt_skill_catalogue_find(discover->catalogue, source) != NULL;
    cli_json_bool(emit, "known", is_known);
    if (!is_known) {
        bt_str near[BT_SKILL_NEAREST_MAX];
        const size_t count = bt_skill_catalogue_nearest(discover->catalogue, source, near);
        bt_emit_member_texts(emit, "nearest", near, count);
    }
}

static void emit_query(struct bt_emit *emit, const struct cli_discover_run *discover)
{
    const struct bt_skill_query *wanted = &discover->query.wanted;
    bt_emit_name(emit, "query");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "source", wanted->source);
    emit_text_or_null(emit, "category", wanted->category);
    bt_emit_name(emit, "inputs");
    cli_emit_texts(emit, &wanted->inputs);
    bt_emit_name(emit, "chain");
    cli_emit_texts(emit, &wanted->chain);
    emit_source_known(emit, discover);
    bt_emit_end(emit);
}

static void put_json(struct bt_buf *buf, const struct cli_discover_run *discover)
{
    struct bt_emit emit;
    cli_json_begin(&emit, buf);
    emit_query(&emit, discover);
    cli_json_array(&emit, "candidates");
    for (size_t i = 0; i < discover->count; i++) {
        emit_candidate(&emit, &discover->candidates[i]);
    }
    bt_emit_end(&emit);
    cli_json_array(&emit, "available");
    for (size_t i = 0; i < bt_skill_catalogue_count(discover->catalogue); i++) {
        bt_emit_string(&emit, bt_skill_catalogue_at(discover->catalogue, i)->name);
    }
    bt_emit_end(&emit);
    emit_findings(&emit, discover->findings);
    cli_json_end(&emit);
}

/* ---- For people ------------------------------------------------------------------------------ */

/* Put a name in a column of `width` characters. */
static bt_str answer_word(enum bt_skill_answer answer)
{
    return answer == BT_SKILL_ANSWER_YES  ? BT_STR("yes")
           : answer == BT_SKILL_ANSWER_NO ? BT_STR("no")
                                          : BT_STR("");
}

static enum bt_status add_categories(struct bt_table *table, const struct bt_skill *skill)
{
    struct bt_buf buf;
    bt_str text;
    bt_buf_init(&buf, RESULT_BYTES_MAX);
    for (size_t i = 0; i < skill->categories.count; i++) {
        bt_buf_put_text(&buf, i > 0 ? "," : "");
        bt_buf_put(&buf, skill->categories.items[i]);
    }
    BT_TRY(bt_buf_finish(&buf, table->arena, &text));
    bt_table_add(table, text);
    return table->status;
}

static enum bt_status put_table(struct bt_buf *buf, const struct cli_discover_run *discover)
{
    static const char *const names[] = {"#SCORE",   "NAME",       "CATEGORY",
                                        "PROVIDED", "COMPATIBLE", NULL};
    struct bt_arena *arena = &discover->run->arena;
    struct bt_table table;
    bt_table_init(&table, arena, names);
    for (size_t i = 0; i < discover->count; i++) {
        const struct bt_skill_candidate *candidate = &discover->candidates[i];
        bt_str score;
        BT_TRY(bt_arena_printf(arena, &score, "%d", candidate->score));
        bt_table_add(&table, score);
        bt_table_add(&table, candidate->skill->name);
        BT_TRY(add_categories(&table, candidate->skill));
        bt_table_add(&table, answer_word(candidate->provided));
        bt_table_add(&table, candidate->compatible);
    }
    return bt_table_put(&table, cli_terminal_columns(), buf);
}

/* Print that no skill takes the work. */
static void print_none(const struct cli_discover_run *discover)
{
    const size_t available = bt_skill_catalogue_count(discover->catalogue);
    struct bt_buf line;
    bt_buf_init(&line, RESULT_BYTES_MAX);
    bt_buf_printf(&line, "No candidates: none of %zu discoverable skill%s takes this work from ",
                  available, available == 1 ? "" : "s");
    bt_buf_put_printable(&line, discover->query.wanted.source, NAME_SHOWN);
    bt_buf_put_text(&line, ". The accepts_from of a skill says whose work it takes.");
    bt_buf_put_char(&line, '\0');
    if (line.status == BT_OK) {
        cli_print_empty(discover->run->options, line.ptr);
    }
    bt_buf_free(&line);
}

/* Tell a person that the source is not in the catalogue: its name is perhaps misspelled. */
static void complain_unknown_source(const struct cli_discover_run *discover)
{
    const bt_str source = discover->query.wanted.source;
    bt_str near[BT_SKILL_NEAREST_MAX];
    if (bt_skill_catalogue_find(discover->catalogue, source)) {
        return;
    }
    const size_t count = bt_skill_catalogue_nearest(discover->catalogue, source, near);
    struct bt_buf line;
    bt_buf_init(&line, RESULT_BYTES_MAX);
    bt_buf_put_printable(&line, source, NAME_SHOWN);
    bt_buf_put_text(&line, " is not in the catalogue");
    bt_buf_put_text(&line, count > 0 ? "; " : "");
    bt_skill_put_suggestion(&line, near, count);
    if (line.status == BT_OK) {
        cli_print_error("%.*s", BT_STR_ARG(bt_buf_str(&line)));
    }
    bt_buf_free(&line);
}

/* ---- The run --------------------------------------------------------------------------------- */

/* The handoff does not name a source: show its judgement. */
static int show_unusable(struct cli_discover_run *discover)
{
    if (cli_wants_json(discover->run->options)) {
        struct bt_emit emit;
        struct bt_buf buf;
        bt_buf_init(&buf, RESULT_BYTES_MAX);
        cli_json_begin(&emit, &buf);
        emit_findings(&emit, discover->query.judged.findings);
        cli_json_end(&emit);
        return cli_print_buf(&buf) == CLI_DONE ? CLI_REJECTED : CLI_FAILED;
    }
    return cli_report_write_one(discover->run->options, &discover->run->arena,
                                &discover->query.judged)
               ? CLI_REJECTED
               : CLI_FAILED;
}

static int print_candidates(const struct cli_discover_run *discover)
{
    struct bt_buf buf;
    bt_buf_init(&buf, RESULT_BYTES_MAX);
    if (cli_wants_json(discover->run->options)) {
        put_json(&buf, discover);
    } else {
        cli_skills_complain(discover->findings);
        complain_unknown_source(discover);
        if (discover->count == 0) {
            print_none(discover);
        } else if (put_table(&buf, discover) != BT_OK) {
            bt_buf_free(&buf);
            return cli_fail_status(BT_ENOMEM);
        }
    }
    if (cli_print_buf(&buf) != CLI_DONE) {
        return CLI_FAILED;
    }
    return discover->count > 0 ? CLI_DONE : CLI_REJECTED;
}

static bool has_succeeded(void *context, bt_str source, bt_str target)
{
    return bt_trace_set_has_success(context, source, target);
}

static bool read_log(struct cli_discover_run *discover, const char *path)
{
    struct cli_input input;
    if (!cli_input_read(&discover->run->arena, path, BT_TRACE_LOG_BYTES_MAX, &input)) {
        return false;
    }
    const enum bt_status status = bt_trace_set_read(discover->history, input.path, input.content);
    return status == BT_OK || cli_refuse("cannot read %s: %s", path, bt_status_text(status));
}

/* Lines that are not events are ignored; baton trace show reports them. */
static bool read_history(struct cli_discover_run *discover)
{
    const char *path = cli_given_at(discover->run->options, &flag_history, 0);
    if (!path) {
        return true;
    }
    discover->history = bt_trace_set_new(&discover->run->env, &discover->run->arena);
    for (size_t i = 0; discover->history && path; i++) {
        if (!read_log(discover, path)) {
            return false;
        }
        path = cli_given_at(discover->run->options, &flag_history, i + 1);
    }
    if (!discover->history || bt_trace_set_group(discover->history, BT_STR("")) != BT_OK) {
        return cli_refuse_status(BT_ENOMEM);
    }
    discover->query.wanted.succeeded = has_succeeded;
    discover->query.wanted.context = discover->history;
    return true;
}

int cmd_discover(struct cli_run *run)
{
    struct cli_discover_run *discover = &(struct cli_discover_run){.run = run};
    if (!read_query(run->options, &run->env, &run->arena, &discover->query) ||
        !cli_skills_open(run->options, &run->arena, &discover->catalogue) ||
        !read_history(discover)) {
        return CLI_FAILED;
    }
    if (discover->query.is_unusable) {
        return show_unusable(discover);
    }
    discover->findings = cli_skills_findings(discover->catalogue, &run->arena);
    if (!discover->findings ||
        bt_skill_discover(discover->catalogue, &discover->query.wanted, &run->arena,
                          &discover->candidates, &discover->count) != BT_OK) {
        return cli_fail_status(BT_ENOMEM);
    }
    return print_candidates(discover);
}
