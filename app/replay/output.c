/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - the result of a replay as JSON, one change per line, Markdown, or text for people. */
#include <inttypes.h>
#include <stdlib.h>

#include <baton/json.h>
#include <baton/version.h>

#include "base/vec.h"
#include "cli/output.h"
#include "json/emit.h"
#include "operation/rule_text.h"
#include "replay/replay.h"
#include "report/table.h"

enum { OUTPUT_BYTES_MAX = 2000000000 };

bt_str replay_reason_name(enum replay_reason reason)
{
    static const bt_str names[] = {
        [REPLAY_REASON_NONE] = BT_STR_INIT(""),
        [REPLAY_REASON_NOT_KEPT] = BT_STR_INIT("not_kept"),
        [REPLAY_REASON_REDACTED] = BT_STR_INIT("redacted"),
        [REPLAY_REASON_TRUNCATED] = BT_STR_INIT("truncated"),
        [REPLAY_REASON_STATEFUL] = BT_STR_INIT("stateful"),
        [REPLAY_REASON_ROOT] = BT_STR_INIT("root"),
        [REPLAY_REASON_FAILED] = BT_STR_INIT("failed"),
    };
    return names[reason];
}

static bt_str verdict_of(const struct replay_side *side)
{
    return bt_verdict_name(side->is_rejected ? BT_VERDICT_REJECTED : BT_VERDICT_ACCEPTED);
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Called for each change in the order of seq. */
typedef void replay_put_fn(void *context, const struct replay_change *change);

static void for_each_change(const struct replay_run *run, replay_put_fn *put, void *context)
{
    for (size_t i = 0; i < run->span_count; i++) {
        for (size_t j = 0; j < run->spans[i].count; j++) {
            put(context, &run->spans[i].items[j]);
        }
    }
}

static void emit_side(struct bt_emit *emit, const char *name, const struct replay_side *side)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_string(emit, "verdict", verdict_of(side));
    cli_json_array(emit, "codes");
    for (size_t i = 0; i < side->code_count; i++) {
        bt_emit_string(emit, side->codes[i]);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void emit_change(void *context, const struct replay_change *change)
{
    struct bt_emit *emit = context;
    bt_emit_begin_object(emit);
    bt_emit_member_u64(emit, "seq", change->seq);
    bt_emit_member_string(emit, "dialect", bt_dialect_name(change->dialect));
    bt_emit_member_string_or_null(emit, "handoff_id", change->handoff_id);
    emit_side(emit, "was", &change->was);
    emit_side(emit, "is", &change->is);
    bt_emit_end(emit);
}

static void put_line(void *context, const struct replay_change *change)
{
    struct bt_buf *buf = context;
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    emit_change(&emit, change);
    bt_buf_put_char(buf, '\n');
}

static void put_codes(struct bt_buf *buf, const struct replay_side *side)
{
    bt_buf_put(buf, verdict_of(side));
    for (size_t i = 0; i < side->code_count; i++) {
        bt_buf_put_text(buf, i == 0 ? " " : ", ");
        bt_buf_put(buf, side->codes[i]);
    }
}

static void put_row(void *context, const struct replay_change *change)
{
    struct bt_buf *buf = context;
    bt_buf_printf(buf, "| %" PRIu64 " | %.*s | %.*s | ", change->seq,
                  BT_STR_ARG(bt_dialect_name(change->dialect)), BT_STR_ARG(change->handoff_id));
    put_codes(buf, &change->was);
    bt_buf_put_text(buf, " | ");
    put_codes(buf, &change->is);
    bt_buf_put_text(buf, " |\n");
}

static void add_side(struct bt_table *table, const struct replay_side *side)
{
    struct bt_buf cell;
    bt_str text = BT_STR("");
    bt_buf_init(&cell, OUTPUT_BYTES_MAX);
    put_codes(&cell, side);
    const enum bt_status status = bt_buf_finish(&cell, table->arena, &text);
    table->status = table->status == BT_OK ? status : table->status;
    bt_table_add(table, text);
}

static void add_row(void *context, const struct replay_change *change)
{
    struct bt_table *table = context;
    bt_table_add_u64(table, change->seq);
    bt_table_add(table, bt_dialect_name(change->dialect));
    bt_table_add(table, change->handoff_id);
    add_side(table, &change->was);
    add_side(table, &change->is);
}

/* ---- Codes ----------------------------------------------------------------------------------- */

/* How many changed documents gained a code, and how many lost it. */
struct replay_code {
    bt_str code;
    uint64_t added;
    uint64_t removed;
};

struct replay_codes {
    struct bt_arena *arena;
    BT_VEC(struct replay_code) list; /* sorted */
    enum bt_status status;
};

/* The count of a code, added where it is missing. NULL: out of memory. */
static struct replay_code *find_code(struct replay_codes *codes, bt_str code)
{
    size_t at = 0;
    while (at < codes->list.count && bt_str_compare(codes->list.items[at].code, code) < 0) {
        at++;
    }
    if (at < codes->list.count && bt_str_eq(codes->list.items[at].code, code)) {
        return &codes->list.items[at];
    }
    codes->status = bt_vec_reserve(codes->arena, &codes->list, 1);
    if (codes->status != BT_OK) {
        return NULL;
    }
    for (size_t i = codes->list.count; i > at; i--) {
        codes->list.items[i] = codes->list.items[i - 1];
    }
    codes->list.count++;
    codes->list.items[at] = (struct replay_code){.code = code};
    return &codes->list.items[at];
}

static bool has_code(const struct replay_side *side, bt_str code)
{
    for (size_t i = 0; i < side->code_count; i++) {
        if (bt_str_eq(side->codes[i], code)) {
            return true;
        }
    }
    return false;
}

static void count_codes(void *context, const struct replay_change *change)
{
    struct replay_codes *codes = context;
    for (size_t i = 0; i < change->is.code_count && codes->status == BT_OK; i++) {
        const bt_str code = change->is.codes[i];
        struct replay_code *count = has_code(&change->was, code) ? NULL : find_code(codes, code);
        if (count) {
            count->added++;
        }
    }
    for (size_t i = 0; i < change->was.code_count && codes->status == BT_OK; i++) {
        const bt_str code = change->was.codes[i];
        struct replay_code *count = has_code(&change->is, code) ? NULL : find_code(codes, code);
        if (count) {
            count->removed++;
        }
    }
}

/* ---- Formats --------------------------------------------------------------------------------- */

static void emit_unjudged(struct bt_emit *emit, const struct replay_counts *counts)
{
    bt_emit_member_object(emit, "unjudged");
    for (enum replay_reason i = REPLAY_REASON_NOT_KEPT; i < REPLAY_REASON__MAX; i++) {
        if (counts->unjudged[i] > 0) {
            bt_emit_name_str(emit, replay_reason_name(i));
            bt_emit_u64(emit, counts->unjudged[i]);
        }
    }
    bt_emit_end(emit);
}

static bool emit_judge(struct replay_run *run, struct bt_emit *emit)
{
    const struct replay_program *program = &run->settings.program;
    bt_str version = program->version;
    bt_str rules = program->rules;
    bt_str policy = BT_STR("");
    if (!program->path) {
        version = bt_str_of(bt_version());
        if (!cli_is_ok(bt_rule_digest(&run->cli->arena, &rules))) {
            return false;
        }
    }
    if (!replay_settings_policy(run->cli, &run->settings, &policy)) {
        return false;
    }
    bt_emit_member_object(emit, "judge");
    bt_emit_member_string_or_null(emit, "version", version);
    bt_emit_member_string_or_null(emit, "rules", rules);
    bt_emit_member_string(emit, "policy", policy);
    bt_emit_end(emit);
    return true;
}

/* The first entry of the range, and its last; null for a log without entries. */
static void emit_range(struct bt_emit *emit, const struct replay_run *run)
{
    bt_emit_member_u64(emit, "from", run->first);
    if (run->end > run->first) {
        bt_emit_member_u64(emit, "to", run->end - 1);
    } else {
        bt_emit_member_null(emit, "to");
    }
}

static bool put_json(struct replay_run *run, struct bt_buf *buf)
{
    struct replay_codes codes = {.arena = &run->cli->arena, .status = BT_OK};
    struct bt_emit emit;
    for_each_change(run, count_codes, &codes);
    if (!cli_is_ok(codes.status)) {
        return false;
    }
    cli_json_begin(&emit, buf);
    bt_emit_member_object(&emit, "replay");
    emit_range(&emit, run);
    bt_emit_member_u64(&emit, "candidates", run->counts.candidates);
    bt_emit_member_u64(&emit, "judged", run->counts.judged);
    bt_emit_member_u64(&emit, "same", run->counts.same);
    bt_emit_member_u64(&emit, "changed", run->counts.changed);
    emit_unjudged(&emit, &run->counts);
    cli_json_array(&emit, "changes");
    for_each_change(run, emit_change, &emit);
    bt_emit_end(&emit);
    bt_emit_member_object(&emit, "codes");
    for (size_t i = 0; i < codes.list.count; i++) {
        bt_emit_name_str(&emit, codes.list.items[i].code);
        bt_emit_begin_object(&emit);
        bt_emit_member_u64(&emit, "added", codes.list.items[i].added);
        bt_emit_member_u64(&emit, "removed", codes.list.items[i].removed);
        bt_emit_end(&emit);
    }
    bt_emit_end(&emit);
    if (!emit_judge(run, &emit)) {
        return false;
    }
    bt_emit_end(&emit);
    cli_json_end(&emit);
    return true;
}

static void put_markdown(const struct replay_run *run, struct bt_buf *buf)
{
    bt_buf_put_text(buf, "| seq | dialect | handoff_id | was | is |\n|---|---|---|---|---|\n");
    for_each_change(run, put_row, buf);
}

static void put_summary(const struct replay_run *run, struct bt_buf *buf)
{
    const struct replay_counts *counts = &run->counts;
    bt_buf_printf(buf,
                  "%" PRIu64 " of %" PRIu64 " recorded handoffs checked again: %" PRIu64
                  " same, %" PRIu64 " changed",
                  counts->judged, counts->candidates, counts->same, counts->changed);
    for (enum replay_reason i = REPLAY_REASON_NOT_KEPT; i < REPLAY_REASON__MAX; i++) {
        if (counts->unjudged[i] > 0) {
            bt_buf_printf(buf, "; not checked, %.*s: %" PRIu64, BT_STR_ARG(replay_reason_name(i)),
                          counts->unjudged[i]);
        }
    }
    bt_buf_put_char(buf, '\n');
}

static bool put_text(const struct replay_run *run, struct bt_buf *buf)
{
    static const char *const names[] = {"#SEQ", "DIALECT", "HANDOFF", "WAS", "IS", NULL};
    struct bt_table table;
    bt_table_init(&table, &run->cli->arena, names);
    for_each_change(run, add_row, &table);
    if (run->counts.changed > 0 && !cli_is_ok(bt_table_put(&table, cli_terminal_columns(), buf))) {
        return false;
    }
    put_summary(run, buf);
    return true;
}

int replay_print(struct replay_run *run)
{
    const struct cli_options *options = run->cli->options;
    const enum bt_report_format format =
        options->output_count > 0 ? options->outputs[0].format : BT_REPORT_FORMAT_FULL;
    struct bt_buf buf;
    bool is_put = true;
    bt_buf_init(&buf, OUTPUT_BYTES_MAX);
    if (format == BT_REPORT_FORMAT_JSON) {
        is_put = put_json(run, &buf);
    } else if (format == BT_REPORT_FORMAT_JSONL) {
        for_each_change(run, put_line, &buf);
    } else if (format == BT_REPORT_FORMAT_MARKDOWN) {
        put_markdown(run, &buf);
    } else {
        is_put = put_text(run, &buf);
    }
    if (!is_put) {
        bt_buf_free(&buf);
        return CLI_FAILED;
    }
    return cli_run_print(run->cli, &buf);
}
