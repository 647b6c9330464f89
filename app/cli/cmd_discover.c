/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_discover.c - baton discover
 */
#include "json/emit.h"
#include "trace/trace.h"

#include "cli.h"
#include "discover_query.h"
#include "input.h"
#include "output.h"
#include "run.h"
#include "skills.h"

enum {
    RESULT_BYTES_MAX = 64 << 20,
    NAME_SHOWN = 40,
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
static void put_name(struct bt_buf *buf, bt_str name, size_t width)
{
    const size_t from = buf->len;
    bt_buf_put_printable(buf, name, NAME_SHOWN);
    const size_t shown = bt_utf8_count(bt_str_slice(bt_buf_str(buf), from, buf->len));
    bt_buf_put_repeat(buf, ' ', shown < width ? width - shown : 0);
}

static size_t name_width(const struct cli_discover_run *discover)
{
    size_t width = sizeof("skill") - 1;
    for (size_t i = 0; i < discover->count; i++) {
        const size_t length = discover->candidates[i].skill->name.len;
        width = length > width ? length : width;
    }
    return width < NAME_SHOWN ? width : NAME_SHOWN;
}

static const char *remark_of(const struct bt_skill_candidate *candidate)
{
    if (candidate->skill->is_legacy) {
        return "older protocol";
    }
    return candidate->provided == BT_SKILL_ANSWER_NO ? "not in provides_to" : "";
}

static void put_table(struct bt_buf *buf, const struct cli_discover_run *discover)
{
    const size_t width = name_width(discover);
    put_name(buf, BT_STR("skill"), width);
    bt_buf_put_text(buf, "  score  category  schema  input  success  autonomy  loop  compatible\n");
    for (size_t i = 0; i < discover->count; i++) {
        const struct bt_skill_candidate *candidate = &discover->candidates[i];
        const struct bt_skill_score *parts = &candidate->parts;
        put_name(buf, candidate->skill->name, width);
        bt_buf_printf(buf, "  %5d  %8d  %6d  %5d  %7d  %8d  %4d  %.*s", candidate->score,
                      parts->category, parts->schema, parts->input, parts->success, parts->autonomy,
                      parts->loop, BT_STR_ARG(candidate->compatible));
        if (remark_of(candidate)[0] != '\0') {
            bt_buf_put_repeat(buf, ' ', sizeof("compatible") + 1 - candidate->compatible.len);
            bt_buf_put_text(buf, remark_of(candidate));
        }
        bt_buf_put_char(buf, '\n');
    }
}

static void put_full(struct bt_buf *buf, const struct cli_discover_run *discover)
{
    const size_t available = bt_skill_catalogue_count(discover->catalogue);
    if (discover->count > 0) {
        put_table(buf, discover);
        return;
    }
    bt_buf_printf(buf, "none of %zu discoverable skill%s takes this work from ", available,
                  available == 1 ? "" : "s");
    bt_buf_put_printable(buf, discover->query.wanted.source, NAME_SHOWN);
    bt_buf_put_char(buf, '\n');
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
        put_full(&buf, discover);
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
    if (!cli_given(run->options, &flag_skills)) {
        return cli_usage_error(run->options->command, "discover among what? Give --skills DIR");
    }
    if (!discover_query_read(run->options, &run->env, &run->arena, &discover->query) ||
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
