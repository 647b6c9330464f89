/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - write the log. A slow reader loses lines, which are counted. */
#include "serve/log.h"
#include "json/emit.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

enum {
    LINES_BYTES_MAX = 1 << 20,
    PIECE_BYTES = 4096, /* PIPE_BUF: what a pipe accepts as a whole */
    LAST_WAIT_MS = 1000,
};

struct serve_log_style log_style_of(const struct bt_config *config)
{
    static const char *const levels[] = {"debug", "info", "warn", "error"};
    struct serve_log_style style = {
        .level = LOG_INFO,
        .is_json = bt_str_eq(bt_config_text(config, "log.format"), BT_STR("json")),
        .has_addresses = bt_config_bool(config, "log.addresses")};
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (bt_str_eq(bt_config_text(config, "log.level"), bt_str_of(levels[i]))) {
            style.level = (enum serve_log_level)(i + 1);
        }
    }
    return style;
}

void log_init(struct serve_log *log, const struct bt_config *config)
{
    *log = (struct serve_log){.style = log_style_of(config)};
    bt_buf_init(&log->lines, LINES_BYTES_MAX);
}

void log_free(struct serve_log *log)
{
    log_flush(log, true);
    bt_buf_free(&log->lines);
}

/* Write one piece. False: not possible now. */
static bool write_piece(bt_str lines, size_t *at, int wait_ms)
{
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    const size_t left = lines.len - *at;
    if (poll(&out, 1, wait_ms) != 1 || !(out.revents & POLLOUT)) {
        return false;
    }
    const ssize_t count =
        write(STDERR_FILENO, lines.ptr + *at, left < PIECE_BYTES ? left : PIECE_BYTES);
    if (count > 0) {
        *at += (size_t)count;
    }
    return count > 0 || errno == EINTR;
}

void log_flush(struct serve_log *log, bool all)
{
    const bt_str lines = bt_buf_str(&log->lines);
    size_t at = 0;
    while (at < lines.len && write_piece(lines, &at, all ? LAST_WAIT_MS : 0)) {
    }
    if (at == lines.len) {
        bt_buf_clear(&log->lines);
        return;
    }
    for (size_t i = at; i < lines.len; i++) {
        log->lines.ptr[i - at] = lines.ptr[i];
    }
    log->lines.len -= at;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static const char *level_name(enum serve_log_level level)
{
    static const char *const names[] = {"", "debug", "info", "warn", "error"};
    return names[level];
}

static void put_text(struct bt_emit *emit, const char *name, bt_str text)
{
    if (text.len > 0) {
        bt_emit_member_string(emit, name, text);
    }
}

static void put_codes(struct bt_emit *emit, const struct serve_call *x)
{
    if (x->outcome.code.len == 0 && x->outcome.code_count == 0) {
        return;
    }
    bt_emit_member_array(emit, "codes");
    if (x->outcome.code.len > 0) {
        bt_emit_string(emit, x->outcome.code);
    }
    for (size_t i = 0; i < x->outcome.code_count; i++) {
        bt_emit_string(emit, x->outcome.codes[i]);
    }
    bt_emit_end(emit);
}

static void put_exchange(struct bt_emit *emit, const struct serve_call *x, uint64_t ms)
{
    put_text(emit, "request_id", bt_str_of(x->request_id));
    put_text(emit, "trace_id", bt_str_of(x->trace.trace_id));
    put_text(emit, "principal", x->identity.principal ? x->identity.principal->name : BT_STR(""));
    put_text(emit, "method", http_method_name(x->request->method));
    put_text(emit, "route", x->route ? bt_str_of(x->route->path) : BT_STR("other"));
    bt_emit_member_u64(emit, "status", x->answer->status);
    bt_emit_member_u64(emit, "ms", ms);
    bt_emit_member_u64(emit, "bytes_in", x->request->body.len);
    bt_emit_member_u64(emit, "bytes_out", x->call->bytes_out);
    put_codes(emit, x);
    if (x->outcome.has_seq) {
        bt_emit_member_u64(emit, "seq", x->outcome.seq);
    }
}

static void put_json(struct bt_buf *buf, const char *time, const struct serve_log_line *line,
                     bool has_address)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "time", bt_str_of(time));
    bt_emit_member_string(&emit, "level", bt_str_of(level_name(line->level)));
    bt_emit_member_string(&emit, "event", bt_str_of(line->event));
    if (line->exchange) {
        put_exchange(&emit, line->exchange, line->ms);
    }
    put_text(&emit, "address", has_address ? bt_str_of(line->address) : BT_STR(""));
    put_text(&emit, "detail", bt_str_of(line->detail));
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
}

static void put_plain(struct bt_buf *buf, const char *time, const struct serve_log_line *line,
                      bool has_address)
{
    const struct serve_call *x = line->exchange;
    bt_buf_printf(buf, "%s %s %s", time, level_name(line->level), line->event);
    if (x) {
        const bt_str name = x->identity.principal ? x->identity.principal->name : BT_STR("-");
        bt_buf_printf(buf, " %s %.*s %s %u %" PRIu64 "ms %.*s", x->request_id,
                      BT_STR_ARG(http_method_name(x->request->method)),
                      x->route ? x->route->path : "other", x->answer->status, line->ms,
                      BT_STR_ARG(name));
        bt_buf_printf(buf, "%s%.*s", x->outcome.code.len > 0 ? " " : "",
                      BT_STR_ARG(x->outcome.code));
    }
    if (has_address && line->address) {
        bt_buf_printf(buf, " from %s", line->address);
    }
    if (line->detail) {
        bt_buf_put_char(buf, ' ');
        bt_buf_put_printable(buf, bt_str_of(line->detail), 500);
    }
    bt_buf_put_char(buf, '\n');
}

void log_put(struct serve_log *log, bt_instant now, const struct serve_log_line *line)
{
    char time[BT_INSTANT_TEXT_BYTES] = "";
    const size_t before = log->lines.len;
    if (line->level < log->style.level || !bt_timestamp_format(now, time)) {
        return;
    }
    if (log->style.is_json) {
        put_json(&log->lines, time, line, log->style.has_addresses);
    } else {
        put_plain(&log->lines, time, line, log->style.has_addresses);
    }
    if (log->lines.status != BT_OK) {
        log->lines.status = BT_OK;
        log->lines.len = before;
        log->dropped++;
    }
}
