/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_ledger_show.c - baton ledger tail, baton ledger show */
#include <inttypes.h>
#include <time.h>

#include <baton/json.h>

#include "base/buf.h"
#include "cli.h"
#include "json/emit.h"
#include "ledger/ledger.h"
#include "ledger/proof_api.h"
#include "operation/ledger_json.h"
#include "operation/shown_json.h"
#include "output.h"
#include "report/table.h"
#include "run.h"

/* ---- One line for an entry ------------------------------------------------------------------- */

enum { CODES_BYTES_MAX = 1 << 20 };

/* An entry that was read. */
struct cli_entry_view {
    const struct bt_json_doc *document;
    const bt_json_value *entry;
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

static void add_codes(struct bt_table *table, const struct cli_entry_view *shown)
{
    const bt_json_value *codes = bt_json_get(shown->document, shown->entry, BT_STR("codes"));
    const size_t count = codes ? bt_json_count(codes) : 0;
    struct bt_buf buf;
    bt_str text = BT_STR("");
    bt_buf_init(&buf, CODES_BYTES_MAX);
    for (size_t i = 0; i < count; i++) {
        bt_buf_put_text(&buf, i == 0 ? "" : " ");
        bt_buf_put(&buf, bt_json_text(&bt_json_items(codes)[i]));
    }
    const enum bt_status status = bt_buf_finish(&buf, table->arena, &text);
    table->status = table->status == BT_OK ? status : table->status;
    bt_table_add(table, text);
}

/*
 * The time of an entry. Where a person chose the instant of the judgement, that instant comes first
 * and the clock of the record after it.
 */
static enum bt_status find_time(struct cli_run *run, const struct cli_entry_view *shown,
                                bt_str *out)
{
    const bt_json_value *refs = bt_json_get(shown->document, shown->entry, BT_STR("refs"));
    const bt_str pinned = text_at(shown, refs, "pinned");
    const bt_instant now = bt_env_now(&run->env);
    bt_str chosen;
    BT_TRY(cli_time_text(run->options, &run->arena, now, find_entry_text(shown, "time"), out));
    if (pinned.len == 0) {
        return BT_OK;
    }
    BT_TRY(cli_time_text(run->options, &run->arena, now, pinned, &chosen));
    return bt_arena_printf(&run->arena, out, "%.*s (recorded %.*s)", BT_STR_ARG(chosen),
                           BT_STR_ARG(*out));
}

/* Add the row of an entry. BT_ECORRUPT: the text is not an entry. */
static enum bt_status add_entry(struct cli_run *run, struct bt_table *table,
                                const struct bt_ledger_entry *entry)
{
    struct bt_json_read_result read = {0};
    bt_str time;
    /* from: store */
    BT_TRY(bt_json_read(&run->arena, entry->text, NULL, &read));
    if (!read.document) {
        return BT_ECORRUPT;
    }
    const struct cli_entry_view shown = {read.document, bt_json_root(read.document)};
    BT_TRY(find_time(run, &shown, &time));
    bt_table_add_u64(table, entry->seq);
    bt_table_add(table, time);
    bt_table_add(table, find_entry_text(&shown, "verdict"));
    bt_table_add(table, find_entry_text(&shown, "kind"));
    bt_table_add(table, find_entry_text(&shown, "dialect"));
    bt_table_add(table, find_entry_text(&shown, "source"));
    bt_table_add(table, find_entry_text(&shown, "target"));
    add_codes(table, &shown);
    return table->status;
}

/* ---- baton ledger tail ----------------------------------------------------------------------- */

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
        return cli_refuse_usage(options, "no entry has this kind or verdict");
    }
    return cli_run_number(run, &flag_count, 10, &out->count) &&
           cli_run_number(run, &flag_from, BT_LEDGER_SEQ_NONE, &out->from) &&
           cli_run_instant(run, &flag_since, &out->has_since, &out->since) &&
           cli_run_instant(run, &flag_until, &out->has_until, &out->until);
}

/* Put one line for each entry. */
static void put_lines(const struct bt_ledger_entries *entries, struct bt_buf *buf)
{
    for (size_t i = 0; i < entries->count; i++) {
        struct bt_emit emit;
        bt_emit_init(&emit, buf, false);
        bt_entry_fields_emit(&emit, &entries->items[i]);
        bt_buf_put_char(buf, '\n');
    }
}

static enum bt_status put_table(struct cli_run *run, const struct bt_ledger_entries *entries,
                                bool is_continued, struct bt_buf *buf)
{
    static const char *const names[] = {"#SEQ", "TIME", "VERDICT", "KIND", "DIALECT",
                                        "FROM", "TO",   "CODES",   NULL};
    struct bt_table table;
    bt_table_init(&table, &run->arena, names);
    table.without_header = is_continued;
    for (size_t i = 0; i < entries->count; i++) {
        BT_TRY(add_entry(run, &table, &entries->items[i]));
    }
    return entries->count > 0 ? bt_table_put(&table, cli_terminal_columns(), buf) : BT_OK;
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
    bt_buf_init(&buf, (size_t)1 << 30);
    if (has_format(run->options, BT_REPORT_FORMAT_JSON)) {
        bt_emit_entries(&buf, &head, &entries);
        bt_buf_put_char(&buf, '\n');
    } else if (has_format(run->options, BT_REPORT_FORMAT_JSONL)) {
        put_lines(&entries, &buf);
    } else if (put_table(run, &entries, *out_next > 0, &buf) != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot show the entries");
    }
    *out_next = entries.count > 0 ? entries.items[entries.count - 1].seq + 1 : *out_next;
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
    if (code == CLI_DONE && next == 0 && !cli_run_is_json(run->options)) {
        cli_print_empty(run->options, "No entries. `baton ledger append` and the commands that "
                                      "decide about handoffs record them.");
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

/* ---- certificate ----------------------------------------------------------------------------- */

int cmd_ledger_certificate(struct cli_run *run)
{
    const bt_str operand = bt_str_of(run->options->operands[0]);
    const bt_str prefix = BT_STR("sha256:");
    struct bt_certificate_request request = {
        .by_seq = !bt_str_starts_with(operand, prefix),
        .sha256 = bt_str_slice(operand, prefix.len, operand.len),
    };
    struct bt_buf buf;
    if (!cli_run_open_ledger(run, CLI_READ) ||
        (request.by_seq && !cli_run_seq(run, operand.ptr, &request.seq))) {
        return CLI_FAILED;
    }
    bt_buf_init(&buf, BT_CERTIFICATE_BYTES_MAX);
    if (bt_ledger_put_certificate(run->ledger, &run->arena, &request, &buf, &run->error) != BT_OK) {
        bt_buf_free(&buf);
        return cli_run_failed(run, "cannot make the certificate");
    }
    cli_print_error("note: it proves that the deletion is on record, not that no copy exists");
    return cli_run_print_bytes(run, &buf);
}
