/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_line.c - a ledger entry as one line for a person at a terminal.
 *
 *     #61  2026-11-15 18:25:36  rejected  universal  planner -> builder  SCHEMA_CONST +2
 */
#include "entry_line.h"

#include <inttypes.h>

#include <baton/json.h>

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

enum bt_status cli_put_entry_line(struct bt_buf *buf, struct bt_arena *arena,
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
