/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_show.c - baton ledger tail, baton ledger show */
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include <baton/json.h>

#include "cli.h"
#include "ledger/ledger.h"
#include "operation/ledger_json.h"
#include "operation/shown_json.h"
#include "output.h"
#include "run.h"

/* ---- One line for an entry ------------------------------------------------------------------- */

enum { WORD_SHOWN = 80, CODES_SHOWN = 3, VERDICT_COLUMNS = 8, DIALECT_COLUMNS = 9 };

/* An entry that was read. */
struct cli_entry_view {
    struct bt_buf *buf;
    const struct bt_json_doc *document;
    const bt_json_value *entry;
    bool colour;
};

static bt_str text_at(const struct cli_entry_view *shown, const bt_json_value *object,
                      const char *name)
{
    const bt_json_value *value =
        object ? bt_json_get(shown->document, object, bt_str_of(name)) : NULL;
    return value && bt_json_type(value) == BT_JSON_STRING ? bt_json_text(value) : BT_STR("");
}

static bt_str find_entry_text(const struct cli_entry_view *shown, const char *name)
{
    return text_at(shown, shown->entry, name);
}

/* Put a word in its own column. */
static void put_column(const struct cli_entry_view *shown, bt_str word, size_t columns)
{
    bt_buf_put_printable(shown->buf, word, WORD_SHOWN);
    bt_buf_put_repeat(shown->buf, ' ', word.len < columns ? columns - word.len : 0);
    bt_buf_put_text(shown->buf, "  ");
}

static void put_verdict(const struct cli_entry_view *shown)
{
    const bt_str verdict = find_entry_text(shown, "verdict");
    const bool is_bad = bt_str_eq(verdict, BT_STR("rejected"));
    const char *paint = is_bad                                   ? "\x1b[1;31m"
                        : bt_str_eq(verdict, BT_STR("accepted")) ? "\x1b[1;32m"
                                                                 : "";
    bt_buf_put_text(shown->buf, shown->colour ? paint : "");
    put_column(shown, verdict, VERDICT_COLUMNS);
    bt_buf_put_text(shown->buf, shown->colour && paint[0] ? "\x1b[0m" : "");
}

/* Put source and target, or else what the entry is about. */
static void put_source_and_target(const struct cli_entry_view *shown)
{
    const bt_str source = find_entry_text(shown, "source");
    const bt_str target = find_entry_text(shown, "target");
    const bt_str kind = find_entry_text(shown, "kind");
    const bt_json_value *refs = bt_json_get(shown->document, shown->entry, BT_STR("refs"));
    const bt_str event = text_at(shown, refs, "event");
    if (!bt_str_eq(kind, BT_STR("handoff"))) {
        bt_buf_put_printable(shown->buf, kind, WORD_SHOWN);
        bt_buf_put_text(shown->buf, event.len > 0 ? " " : "");
        bt_buf_put_printable(shown->buf, event, WORD_SHOWN);
        bt_buf_put_text(shown->buf, source.len > 0 || target.len > 0 ? " " : "");
    }
    bt_buf_put_printable(shown->buf, source, WORD_SHOWN);
    if (target.len > 0) {
        bt_buf_put_text(shown->buf, source.len > 0 ? " -> " : "-> ");
        bt_buf_put_printable(shown->buf, target, WORD_SHOWN);
    }
    if (source.len == 0 && target.len == 0) {
        bt_buf_put_text(shown->buf, bt_str_eq(kind, BT_STR("handoff")) ? "by " : " by ");
        bt_buf_put_printable(shown->buf, find_entry_text(shown, "actor"), WORD_SHOWN);
    }
}

static void put_codes(const struct cli_entry_view *shown)
{
    const bt_json_value *codes = bt_json_get(shown->document, shown->entry, BT_STR("codes"));
    const size_t count = codes ? bt_json_count(codes) : 0;
    for (size_t i = 0; i < count && i < CODES_SHOWN; i++) {
        bt_buf_put_text(shown->buf, i == 0 ? "  " : " ");
        bt_buf_put_printable(shown->buf, bt_json_text(&bt_json_items(codes)[i]), WORD_SHOWN);
    }
    if (count > CODES_SHOWN) {
        bt_buf_printf(shown->buf, " +%zu", count - CODES_SHOWN);
    }
}

/*
 * Put the line with its line feed. BT_ENOMEM: the arena reached its limit. BT_ECORRUPT: the text is
 * not an entry. In both cases nothing is put.
 */
static enum bt_status cli_put_entry_line(struct bt_buf *buf, struct bt_arena *arena,
                                         const struct bt_ledger_entry *entry, bool colour)
{
    struct bt_json_read_result read;
    /* from: store */
    BT_TRY(bt_json_read(arena, entry->text, NULL, &read));
    if (!read.document) {
        return BT_ECORRUPT;
    }
    const struct cli_entry_view shown = {buf, read.document, bt_json_root(read.document), colour};
    const bt_str time = find_entry_text(&shown, "time");
    bt_buf_printf(buf, "#%-5" PRIu64 " %.*s %.*s  ", entry->seq,
                  BT_STR_ARG(bt_str_slice(time, 0, 10)), BT_STR_ARG(bt_str_slice(time, 11, 19)));
    put_verdict(&shown);
    put_column(&shown, find_entry_text(&shown, "dialect"), DIALECT_COLUMNS);
    put_source_and_target(&shown);
    put_codes(&shown);
    bt_buf_put_char(buf, '\n');
    return BT_OK;
}

/* ---- baton ledger tail ----------------------------------------------------------------------- */

static bool take_instant(struct cli_run *run, const struct cli_flag *flag, bool *out_has,
                         bt_instant *out)
{
    const char *text = cli_given(run->options, flag);
    *out_has = text != NULL;
    return !text || bt_instant_parse(bt_str_of(text), out) == BT_OK ||
           cli_refuse_usage(run->options, "--%s wants a time like 2026-02-11T00:45:02Z",
                            flag->name);
}

static bool take_filter(struct cli_run *run, struct bt_ledger_filter *out)
{
    const struct cli_options *options = run->options;
    *out = (struct bt_ledger_filter){
        .kind = bt_str_of(cli_given(options, &flag_kind)),
        .verdict = bt_str_of(cli_given(options, &flag_verdict)),
        .handoff_id = bt_str_of(cli_given(options, &flag_handoff)),
        .trace_id = bt_str_of(cli_given(options, &flag_trace)),
    };
    if ((out->kind.len > 0 && !bt_entry_kind_is_valid(out->kind)) ||
        (out->verdict.len > 0 && !bt_entry_verdict_is_valid(out->verdict))) {
        return cli_refuse_usage(options, "there are no entries with this kind or verdict");
    }
    return cli_run_number(run, &flag_count, 10, &out->count) &&
           cli_run_number(run, &flag_from, BT_LEDGER_SEQ_NONE, &out->from) &&
           take_instant(run, &flag_since, &out->has_since, &out->since) &&
           take_instant(run, &flag_until, &out->has_until, &out->until);
}

/* True when the output is for a person at a terminal. */
static bool is_seen(const struct cli_run *run)
{
    return isatty(STDOUT_FILENO) == 1 && !cli_run_is_json(run->options) &&
           !cli_given(run->options, &flag_out);
}

/* Put one line for each entry: JSON, a summary for a terminal, or its text. */
static enum bt_status put_lines(struct cli_run *run, const struct bt_ledger_entries *entries,
                                struct bt_buf *buf)
{
    const bool is_json = cli_run_is_json(run->options);
    const bool in_words = is_seen(run);
    for (size_t i = 0; i < entries->count; i++) {
        const struct bt_ledger_entry *entry = &entries->items[i];
        struct bt_emit emit;
        if (is_json) {
            bt_emit_init(&emit, buf, false);
            bt_entry_fields_emit(&emit, entry);
            bt_buf_put_char(buf, '\n');
        } else if (in_words) {
            BT_TRY(cli_put_entry_line(buf, &run->arena, entry, cli_wants_colour()));
        } else {
            bt_buf_put(buf, entry->text); /* it holds no control or hidden characters */
            bt_buf_put_char(buf, '\n');
        }
    }
    return BT_OK;
}

static bool has_format(const struct cli_options *options, enum bt_report_format format)
{
    return options->output_count > 0 &&
           options->outputs[options->output_count - 1].format == format;
}

/* Print what the filter finds. *out_next is the seq after the last one. */
static int print_entries(struct cli_run *run, const struct bt_ledger_filter *filter,
                         uint64_t *out_next)
{
    struct bt_ledger_head head;
    struct bt_ledger_entries entries = {0};
    struct bt_buf buf;
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_list_entries(run->ledger, &run->arena, filter, run->alarms, &entries,
                               &run->error) != BT_OK) {
        return cli_run_failed(run, "cannot read the ledger");
    }
    if (cli_run_alarmed(run)) {
        return CLI_REJECTED;
    }
    *out_next = entries.count > 0 ? entries.items[entries.count - 1].seq + 1 : *out_next;
    bt_buf_init(&buf, (size_t)1 << 30);
    if (has_format(run->options, BT_REPORT_FORMAT_JSON)) {
        bt_emit_entries(&buf, &head, &entries);
        bt_buf_put_char(&buf, '\n');
    } else if (put_lines(run, &entries, &buf) != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot show the entries");
    }
    return cli_run_print(run, &buf);
}

/* Poll once a second, until a signal arrives or the reader has closed the pipe. */
static int follow_ledger(struct cli_run *run, struct bt_ledger_filter *filter, uint64_t next)
{
    const struct timespec second = {1, 0};
    int code = CLI_DONE;
    filter->count = BT_LEDGER_SEQ_NONE;
    while (code == CLI_DONE && !cli_reader_is_gone()) {
        const struct bt_arena_mark before = bt_arena_mark(&run->arena);
        (void)nanosleep(&second, NULL);
        filter->from = next;
        code = print_entries(run, filter, &next);
        bt_arena_rewind(&run->arena, before);
    }
    return code;
}

int cmd_ledger_tail(struct cli_run *run)
{
    struct bt_ledger_filter filter;
    uint64_t next = 0;
    const bool is_following = cli_given(run->options, &flag_follow) != NULL;
    if (!take_filter(run, &filter)) {
        return CLI_FAILED;
    }
    if (is_following &&
        (has_format(run->options, BT_REPORT_FORMAT_JSON) || cli_given(run->options, &flag_out))) {
        return cli_usage_error(run->options->command,
                               "--follow shows lines: use -f jsonl, without -o");
    }
    if (!cli_run_open_ledger(run, CLI_READ)) {
        return CLI_FAILED;
    }
    const int code = print_entries(run, &filter, &next);
    if (code == CLI_DONE && next == 0 && is_seen(run)) {
        cli_print_error("note: there is no such entry yet");
    }
    return is_following && code == CLI_DONE ? follow_ledger(run, &filter, next) : code;
}

/* ---- baton ledger show ----------------------------------------------------------------------- */

static int print_entry(struct cli_run *run, const struct bt_ledger_head *head,
                       const struct bt_ledger_entry_view *shown)
{
    struct bt_buf buf;
    bt_buf_init(&buf, (size_t)1 << 30);
    if (cli_given(run->options, &flag_document)) {
        if (shown->state != BT_DOCUMENT_STORED) {
            cli_print_error("the document of this entry is %s", bt_entry_view_state(shown->state));
            return CLI_REJECTED;
        }
        bt_buf_put(&buf, shown->bytes);
        return cli_run_print_bytes(run, &buf);
    }
    if (cli_run_is_json(run->options)) {
        bt_emit_entry_view(&buf, head->origin, shown);
        bt_buf_put_char(&buf, '\n');
    } else {
        bt_buf_printf(&buf, "%.*s#%" PRIu64 "\nleaf %.*s\n%.*s\ndocument: %s\n",
                      BT_STR_ARG(head->origin), shown->entry.seq,
                      BT_STR_ARG(shown->entry.leaf_hash), BT_STR_ARG(shown->entry.text),
                      bt_entry_view_state(shown->state));
    }
    return cli_run_print(run, &buf);
}

int cmd_ledger_show(struct cli_run *run)
{
    uint64_t seq = 0;
    struct bt_ledger_head head;
    struct bt_ledger_entry_view shown;
    if (!cli_run_open_ledger(run, CLI_READ) || !cli_run_seq(run, run->options->operands[0], &seq)) {
        return CLI_FAILED;
    }
    if (bt_ledger_head(run->ledger, &run->arena, run->alarms, &head, &run->error) != BT_OK ||
        bt_ledger_get_entry(run->ledger, &run->arena, seq, run->alarms, &shown, &run->error) !=
            BT_OK) {
        return cli_run_failed(run, "cannot show it");
    }
    return cli_run_alarmed(run) ? CLI_REJECTED : print_entry(run, &head, &shown);
}
