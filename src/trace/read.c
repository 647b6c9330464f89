/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - the text of a log -> events, and a finding for each line that is none.
 *
 * Lines are judged one by one and forgotten: an event's texts stand in the log itself, or in the
 * arena where they had escapes. So a log takes some 200 bytes for each line and no document more.
 */
#include <assert.h>
#include <string.h>

#include "json/options.h"
#include "report/json_rules.h"
#include "report/rules.h"
#include "trace/trace_set.h"

enum { LINE_MEMORY_MAX = 256 << 20 }; /* the document of one line, and as much to make it */

struct trace_read_line {
    bt_str text; /* without its line feed */
    size_t begin;
    uint32_t number;
    bool is_ended;
};

/* What reading one log needs. */
struct trace_read_reader {
    struct bt_trace_set *traces;
    struct bt_trace_log *log;
    struct bt_findings *findings;
    struct bt_arena documents; /* of one line at a time */
    struct bt_arena scratch;
    struct bt_json_options options;
};

struct bt_trace_set *bt_trace_set_new(const struct bt_env *env, struct bt_arena *arena)
{
    assert(env);
    assert(arena);
    struct bt_trace_set *traces = BT_NEW(arena, struct bt_trace_set);
    if (traces) {
        traces->env = env;
        traces->arena = arena;
    }
    return traces;
}

static enum bt_trace_line_invalid_reason find_read_reason(const struct bt_json_read_result *result,
                                                          const struct trace_read_line *line)
{
    if (!line->is_ended) {
        return BT_TRACE_LINE_INVALID_REASON_TRUNCATED;
    }
    switch (result->code) {
    case BT_JSON_ERROR_UTF8:
        return BT_TRACE_LINE_INVALID_REASON_UTF_8;
    case BT_JSON_ERROR_DUPLICATE_KEY:
        return BT_TRACE_LINE_INVALID_REASON_DUPLICATE_NAME;
    case BT_JSON_ERROR_TOO_DEEP:
        return BT_TRACE_LINE_INVALID_REASON_TOO_DEEP;
    case BT_JSON_ERROR_TOO_LARGE:
        return BT_TRACE_LINE_INVALID_REASON_TOO_LARGE;
    case BT_JSON_ERROR_SYNTAX:
    case BT_JSON_ERROR_NONE:
        break;
    }
    return line->text.len == 0 ? BT_TRACE_LINE_INVALID_REASON_BLANK
                               : BT_TRACE_LINE_INVALID_REASON_SYNTAX;
}

/* Path and line are said in params as well: findings equal in these would count as one. */
static enum bt_status add_skipped_finding(struct trace_read_reader *reader,
                                          const struct trace_read_line *line,
                                          enum bt_trace_line_invalid_reason reason)
{
    return bt_add_trace_line_invalid(reader->findings, bt_location_pointer(BT_STR(""), line->begin),
                                     reason, line->number, reader->log->judged.path);
}

static enum bt_status add_unknown_finding(struct trace_read_reader *reader,
                                          const struct trace_read_line *line,
                                          const struct bt_trace_event *event)
{
    return bt_add_trace_event_unknown(reader->findings,
                                      bt_location_pointer(BT_STR(""), line->begin),
                                      event->type_name, line->number, reader->log->judged.path);
}

/* Halves of surrogate pairs are told of wherever JSON is read; here with the line's place. */
static enum bt_status add_lone_findings(struct trace_read_reader *reader,
                                        const struct trace_read_line *line,
                                        const struct bt_json_doc *document)
{
    struct bt_findings *lone = bt_findings_new(&reader->documents);
    BT_TRY(lone ? BT_OK : BT_ENOMEM);
    BT_TRY(bt_findings_add_lone(lone, document));
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    enum bt_status status = BT_OK;
    for (size_t i = 0; status == BT_OK && i < bt_findings_count(lone); i++) {
        struct bt_finding finding = *bt_findings_at(lone, i);
        bt_buf_clear(&pointer);
        bt_json_pointer_put_index(&pointer,
                                  line->number - 1); /* the log as an array of its lines */
        bt_buf_put(&pointer, finding.pointer);
        finding.pointer = bt_buf_str(&pointer);
        finding.offset += line->begin;
        status =
            pointer.status == BT_OK ? bt_findings_add(reader->findings, &finding) : pointer.status;
    }
    bt_buf_free(&pointer);
    return status;
}

static enum bt_status add_event(struct trace_read_reader *reader,
                                const struct trace_read_line *line, struct bt_trace_event *event)
{
    event->log = (uint32_t)(reader->log - reader->traces->logs.items);
    event->line = line->number;
    reader->log->events[reader->log->event_count++] = *event;
    return event->type == BT_TRACE_EVENT_UNKNOWN ? add_unknown_finding(reader, line, event) : BT_OK;
}

static enum bt_status read_line(struct trace_read_reader *reader,
                                const struct trace_read_line *line)
{
    struct bt_json_read_result result = {0};
    struct bt_trace_event event;
    enum bt_trace_line_invalid_reason wrong = BT_TRACE_LINE_INVALID_REASON__NONE;
    bt_arena_reset(&reader->documents);
    /* from: file */
    BT_TRY(bt_json_read(&reader->documents, line->text, &reader->options, &result));
    if (!result.document) {
        return add_skipped_finding(reader, line, find_read_reason(&result, line));
    }
    if (bt_json_has_lone_surrogate(result.document)) {
        BT_TRY(add_lone_findings(reader, line, result.document));
    }
    BT_TRY(bt_trace_event_read(reader->traces->arena, result.document, &wrong, &event));
    return wrong != BT_TRACE_LINE_INVALID_REASON__NONE ? add_skipped_finding(reader, line, wrong)
                                                       : add_event(reader, line, &event);
}

static enum bt_status read_lines(struct trace_read_reader *reader, bt_str text)
{
    struct trace_read_line line = {.number = 1};
    while (line.begin < text.len) {
        const size_t end = bt_str_find_byte(text, '\n', line.begin);
        line.text = bt_str_slice(text, line.begin, end);
        line.is_ended = end < text.len;
        BT_TRY(read_line(reader, &line));
        line.begin = end + 1;
        line.number++;
    }
    return BT_OK;
}

static size_t count_lines(bt_str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; at = bt_str_find_byte(text, '\n', at) + 1) {
        count++;
    }
    return count;
}

static enum bt_status add_log(struct bt_trace_set *traces, bt_str path, bt_str text,
                              struct bt_trace_log **out)
{
    const size_t lines = count_lines(text);
    if (text.len > BT_TRACE_LOG_BYTES_MAX || lines > BT_TRACE_LINES_MAX - traces->line_count) {
        return BT_ELIMIT;
    }
    BT_TRY(bt_vec_reserve(traces->arena, &traces->logs, 1));
    struct bt_trace_log *log = &traces->logs.items[traces->logs.count];
    *log = (struct bt_trace_log){
        .judged = {.path = path, .dialect = BT_DIALECT_UNIVERSAL, .source = text},
        .events = BT_NEW_ARRAY(traces->arena, struct bt_trace_event, lines),
    };
    if (lines > 0 && !log->events) {
        return BT_ENOMEM;
    }
    traces->line_count += lines;
    *out = log;
    return BT_OK;
}

static enum bt_status read_log(struct trace_read_reader *reader, bt_str text)
{
    reader->findings = bt_findings_new(reader->traces->arena);
    BT_TRY(reader->findings ? BT_OK : BT_ENOMEM);
    BT_TRY(read_lines(reader, text));
    BT_TRY(bt_findings_finish(reader->findings, text));
    reader->log->judged.findings = reader->findings;
    reader->log->judged.verdict = bt_verdict_of(reader->findings, BT_SEVERITY_HARD);
    reader->traces->event_count += reader->log->event_count;
    reader->traces->logs.count++;
    return BT_OK;
}

enum bt_status bt_trace_set_read(struct bt_trace_set *traces, bt_str path, bt_str text)
{
    assert(traces);
    assert(!traces->items);
    struct trace_read_reader reader = {.traces = traces,
                                       .options = bt_json_options_from_env(traces->env)};
    BT_TRY(add_log(traces, path, text, &reader.log));
    bt_arena_init(&reader.documents, LINE_MEMORY_MAX);
    bt_arena_init(&reader.scratch, LINE_MEMORY_MAX);
    reader.options.scratch = &reader.scratch;
    if (reader.options.document_bytes_max > BT_TRACE_LINE_BYTES_MAX) {
        reader.options.document_bytes_max = BT_TRACE_LINE_BYTES_MAX;
    }
    const enum bt_status status = read_log(&reader, text);
    bt_arena_free(&reader.documents);
    bt_arena_free(&reader.scratch);
    return status;
}

size_t bt_trace_set_log_count(const struct bt_trace_set *traces)
{
    return traces->logs.count;
}

const struct bt_judgement *bt_trace_set_log_at(const struct bt_trace_set *traces, size_t index)
{
    assert(index < traces->logs.count);
    return &traces->logs.items[index].judged;
}

size_t bt_trace_set_event_count(const struct bt_trace_set *traces)
{
    return traces->event_count;
}
