/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

enum { ARENA_BYTES = 512 << 20 };

static void begin(struct log *log)
{
    assert_int_equal(bt_env_init(&log->env), BT_OK);
    bt_arena_init(&log->arena, ARENA_BYTES);
    log->traces = bt_trace_set_new(&log->env, &log->arena);
    assert_non_null(log->traces);
}

void log_read(struct log *log, const char *const *texts)
{
    begin(log);
    for (; *texts; texts++) {
        assert_int_equal(bt_trace_set_read(log->traces, BT_STR("log"), bt_str_of(*texts)), BT_OK);
    }
    assert_int_equal(bt_trace_set_group(log->traces, BT_STR("")), BT_OK);
}

void log_read_text(struct log *log, bt_str text)
{
    begin(log);
    assert_int_equal(bt_trace_set_read(log->traces, BT_STR("log"), text), BT_OK);
    assert_int_equal(bt_trace_set_group(log->traces, BT_STR("")), BT_OK);
}

void log_free(struct log *log)
{
    bt_arena_free(&log->arena);
}

char *log_render(const struct log *log, enum bt_trace_view view, enum bt_trace_format form)
{
    const struct bt_trace_render_options options = {.view = view, .form = form};
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    assert_int_equal(bt_trace_set_render(log->traces, &options, &buf), BT_OK);
    bt_buf_put_char(&buf, '\0');
    assert_int_equal(buf.status, BT_OK);
    assert_int_equal(strlen(buf.ptr), buf.len - 1);
    return buf.ptr;
}

size_t log_count(const struct log *log, const char *code)
{
    size_t count = 0;
    for (size_t i = 0; i < bt_trace_set_log_count(log->traces); i++) {
        const struct bt_findings *findings = bt_trace_set_log_at(log->traces, i)->findings;
        for (size_t j = 0; j < bt_findings_count(findings); j++) {
            count += bt_str_eq(bt_findings_at(findings, j)->rule->code, bt_str_of(code));
        }
    }
    return count;
}
