/* SPDX-License-Identifier: Apache-2.0 */
/* otlp_json.c - write spans as OTLP JSON: ids in hexadecimal, 64-bit numbers as strings. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <baton/check.h>
#include <baton/json.h>

#include "json/emit.h"
#include "operation/status.h"
#include "report/report.h"
#include "serve/otlp.h"

enum { STATUS_ERROR = 2, SERVER_FAILED = BT_HTTP_INTERNAL };

void span_set(char out[SPAN_TEXT_BYTES], bt_str text)
{
    size_t length = text.len < SPAN_TEXT_BYTES ? text.len : SPAN_TEXT_BYTES - 1;
    while (length < text.len && length > 0 && ((unsigned char)text.ptr[length] & 0xC0) == 0x80) {
        length--;
    }
    if (length > 0) {
        memcpy(out, text.ptr, length);
    }
    out[length] = '\0';
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static void begin_attribute(struct bt_emit *emit, const char *key)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "key", bt_str_of(key));
    bt_emit_member_object(emit, "value");
}

static void end_attribute(struct bt_emit *emit)
{
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Put a text, unless it is "". */
static void put_text(struct bt_emit *emit, const char *key, bt_str text)
{
    if (text.len > 0) {
        begin_attribute(emit, key);
        bt_emit_member_string(emit, "stringValue", text);
        end_attribute(emit);
    }
}

static void put_codes(struct bt_emit *emit, const struct serve_span *span)
{
    if (span->code_count == 0) {
        return;
    }
    begin_attribute(emit, "baton.codes");
    bt_emit_member_object(emit, "arrayValue");
    bt_emit_member_array(emit, "values");
    for (size_t i = 0; i < span->code_count; i++) {
        bt_emit_begin_object(emit);
        bt_emit_member_string(emit, "stringValue", span->codes[i]);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
    end_attribute(emit);
}

static void put_http(struct bt_emit *emit, const struct serve_span *span)
{
    char status[16];
    put_text(emit, "http.request.method", bt_str_of(span->name));
    put_text(emit, "http.route", bt_str_of(span->route));
    (void)snprintf(status, sizeof(status), "%u", span->status);
    begin_attribute(emit, "http.response.status_code");
    bt_emit_member_string(emit, "intValue", bt_str_of(status));
    end_attribute(emit);
}

static void put_attributes(struct bt_emit *emit, const struct serve_span *span)
{
    bt_emit_member_array(emit, "attributes");
    if (span->status > 0) {
        put_http(emit, span);
    }
    put_text(emit, "baton.dialect", span->dialect);
    put_text(emit, "baton.verdict", span->verdict);
    put_codes(emit, span);
    put_text(emit, "baton.ref", bt_str_of(span->ref));
    if (span->agent[0]) {
        put_text(emit, "gen_ai.operation.name", bt_str_of(span->name));
        put_text(emit, "gen_ai.agent.name", bt_str_of(span->agent));
        put_text(emit, "gen_ai.conversation.id", bt_str_of(span->conversation));
    }
    bt_emit_end(emit);
}

/* ---- Spans ----------------------------------------------------------------------------------- */

/* `POST /v1/check`, `invoke_agent TARGET`, `baton.record`. */
static void put_name(struct bt_emit *emit, const struct serve_span *span)
{
    char name[2 * SPAN_TEXT_BYTES];
    const char *object = span->route ? span->route : span->agent;
    (void)snprintf(name, sizeof(name), "%s%s%s", span->name, object[0] ? " " : "", object);
    bt_emit_member_string(emit, "name", bt_str_of(name));
}

static void put_time(struct bt_emit *emit, const char *name, uint64_t ns)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%" PRIu64, ns);
    bt_emit_member_string(emit, name, bt_str_of(text));
}

static void put_span(struct bt_emit *emit, const struct serve_span *span)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "traceId", bt_str_of(span->trace_id));
    bt_emit_member_string(emit, "spanId", bt_str_of(span->id));
    if (span->parent_id[0]) {
        bt_emit_member_string(emit, "parentSpanId", bt_str_of(span->parent_id));
    }
    put_name(emit, span);
    bt_emit_member_u64(emit, "kind", span->kind);
    put_time(emit, "startTimeUnixNano", span->begun_ns);
    put_time(emit, "endTimeUnixNano", span->ended_ns);
    put_attributes(emit, span);
    bt_emit_member_object(emit, "status");
    if (span->status >= SERVER_FAILED) {
        bt_emit_member_u64(emit, "code", STATUS_ERROR);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Begin a list with one object, which stays open. */
static void begin_list(struct bt_emit *emit, const char *name)
{
    bt_emit_member_array(emit, name);
    bt_emit_begin_object(emit);
}

static void put_program(struct bt_emit *emit)
{
    bt_emit_member_object(emit, "resource");
    bt_emit_member_array(emit, "attributes");
    put_text(emit, "service.name", BT_STR("baton"));
    put_text(emit, "service.version", bt_str_of(bt_version()));
    bt_emit_end(emit);
    bt_emit_end(emit);
}

void serve_spans_put(struct bt_buf *buf, const struct serve_span *spans, size_t count)
{
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    begin_list(&emit, "resourceSpans");
    put_program(&emit);
    begin_list(&emit, "scopeSpans");
    bt_emit_member_object(&emit, "scope");
    bt_emit_member_string(&emit, "name", BT_STR("baton"));
    bt_emit_member_string(&emit, "version", bt_str_of(bt_version()));
    bt_emit_end(&emit);
    bt_emit_member_array(&emit, "spans");
    for (size_t i = 0; i < count; i++) {
        put_span(&emit, &spans[i]);
    }
    for (int depth = 0; depth < 6; depth++) { /* spans, two lists of one object, the whole */
        bt_emit_end(&emit);
    }
}
