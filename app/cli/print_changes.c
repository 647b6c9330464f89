/* SPDX-License-Identifier: Apache-2.0 */
/* print_changes.c - print the changes of a document for a person, line by line. */
#include "print_changes.h"

#include <assert.h>

#include <baton/json.h>

enum {
    PATH_SHOWN = 200,
    VALUE_SHOWN = 60,
    LINES_MAX = 100, /* a longer list is truncated */
};

static bt_str text_of(const struct bt_json_doc *facts, const bt_json_value *operation,
                      const char *name)
{
    const bt_json_value *value = bt_json_get(facts, operation, bt_str_of(name));
    return value ? bt_json_text(value) : BT_STR("");
}

/* Put a value as in the facts, which are compact. */
static void put_value(struct bt_buf *buf, const struct bt_json_doc *facts,
                      const bt_json_value *value)
{
    const struct bt_json_span span = bt_json_span(facts, value);
    bt_buf_put_printable(buf, bt_str_slice(bt_json_source(facts), span.begin, span.end),
                         VALUE_SHOWN);
}

static void put_operation(struct bt_buf *buf, const struct bt_json_doc *facts,
                          const bt_json_value *operation)
{
    const bt_str op = text_of(facts, operation, "op");
    const bt_str from = text_of(facts, operation, "from");
    const bt_json_value *was = bt_json_get(facts, operation, BT_STR("was"));
    const bt_json_value *value = bt_json_get(facts, operation, BT_STR("value"));
    bt_buf_put_text(buf, "  ");
    bt_buf_put(buf, op);
    bt_buf_put_repeat(buf, ' ', op.len < 9 ? 9 - op.len : 1);
    if (from.len > 0) {
        bt_buf_put_printable(buf, from, PATH_SHOWN);
        bt_buf_put_text(buf, " -> ");
    }
    bt_buf_put_printable(buf, text_of(facts, operation, "path"), PATH_SHOWN);
    bt_buf_put_text(buf, was || value ? "  " : "");
    if (was) {
        put_value(buf, facts, was);
    }
    bt_buf_put_text(buf, was && value ? " -> " : "");
    if (value) {
        put_value(buf, facts, value);
    }
    bt_buf_put_char(buf, '\n');
}

static void put_head(struct bt_buf *buf, const struct bt_universal_result *result, size_t count)
{
    bt_buf_put_printable(buf, result->judged.path, PATH_SHOWN);
    bt_buf_put_text(buf, ": ");
    bt_buf_put(buf, bt_universal_outcome_name(result->outcome));
    if (result->outcome == BT_UNIVERSAL_ESCALATED) {
        bt_buf_put_text(buf, ", nothing was written; what is left is for a person:\n\n");
        return;
    }
    bt_buf_printf(buf, ", %zu change%s\n", count, count == 1 ? "" : "s");
}

enum bt_status cli_put_changes(struct bt_buf *buf, struct bt_arena *arena,
                               const struct bt_universal_result *result)
{
    assert(buf);
    assert(result);
    struct bt_json_read_result read;
    if (result->outcome == BT_UNIVERSAL_UNCHANGED ||
        bt_universal_outcome_name(result->outcome).len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_json_read(arena, result->judged.facts, NULL, &read));
    const bt_json_value *changes =
        read.document ? bt_json_get(read.document, bt_json_root(read.document), BT_STR("changes"))
                      : NULL;
    const size_t count = changes ? bt_json_count(changes) : 0;
    put_head(buf, result, count);
    for (size_t i = 0; i < count && i < LINES_MAX; i++) {
        put_operation(buf, read.document, &bt_json_items(changes)[i]);
    }
    if (count > LINES_MAX) {
        bt_buf_printf(buf, "  and %zu more\n", count - LINES_MAX);
    }
    bt_buf_put_text(buf, result->outcome == BT_UNIVERSAL_ESCALATED ? "" : "\n");
    return buf->status;
}
