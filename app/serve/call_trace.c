/* SPDX-License-Identifier: Apache-2.0 */
/* call_trace.c - the trace of a request: read traceparent, export spans. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "serve/otlp.h"
#include "serve/server.h"

enum {
    PARENT_BYTES = 55,
    STATE_BYTES_MAX = 512,
    SPAN_ID_BYTES = 8,
    CHILDREN_MAX = 4, /* the number of ids in 32 random bytes */
};

static bool is_hex(bt_str text)
{
    bool has_other = false;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'))) {
            return false;
        }
        has_other = has_other || byte != '0';
    }
    return has_other;
}

static void put_hex(const uint8_t *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static unsigned parse_hex_digit(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/*
 * Take a well-formed parent (W3C Trace Context section 3.2); version ff is invalid, and a later
 * version may have more after a dash.
 */
static bool take_parent(bt_str value, struct serve_call_trace *out)
{
    const bt_str version = bt_str_slice(value, 0, 2);
    const bt_str flags = bt_str_slice(value, 53, 55);
    const bool is_plain = bt_str_eq(version, BT_STR("00"));
    if (value.len < PARENT_BYTES || (is_plain && value.len != PARENT_BYTES) ||
        (value.len > PARENT_BYTES && value.ptr[PARENT_BYTES] != '-') || value.ptr[2] != '-' ||
        value.ptr[35] != '-' || value.ptr[52] != '-' || !(is_plain || is_hex(version)) ||
        bt_str_eq(version, BT_STR("ff")) || !is_hex(bt_str_slice(value, 3, 35)) ||
        !is_hex(bt_str_slice(value, 36, 52)) ||
        !(bt_str_eq(flags, BT_STR("00")) || is_hex(flags))) {
        return false;
    }
    memcpy(out->trace_id, value.ptr + 3, 32);
    memcpy(out->parent_id, value.ptr + 36, 16);
    out->flags = (parse_hex_digit(flags.ptr[0]) << 4 | parse_hex_digit(flags.ptr[1])) & 1;
    return true;
}

/* Write the ids and flags as one text. */
static void put_text(struct serve_call_trace *trace)
{
    const uint8_t ends[2] = {0, (uint8_t)trace->flags};
    put_hex(&ends[0], 1, trace->text);
    trace->text[2] = '-';
    memcpy(trace->text + 3, trace->trace_id, 32);
    trace->text[35] = '-';
    memcpy(trace->text + 36, trace->span_id, 16);
    trace->text[52] = '-';
    put_hex(&ends[1], 1, trace->text + 53);
}

bool serve_call_trace_begin(struct bt_env *env, const struct http_request *request,
                            struct serve_call_trace *out)
{
    uint8_t bytes[32];
    *out = (struct serve_call_trace){.state = BT_STR("")};
    if (bt_env_id_bytes(env, bytes) != BT_OK) {
        return false;
    }
    bytes[0] |= 1; /* neither id may be all zeros */
    bytes[16] |= 1;
    put_hex(bytes + 16, 8, out->span_id);
    size_t count = 0;
    const bt_str parent = serve_field(request, "traceparent", &count);
    if (count == 1 && take_parent(parent, out)) {
        const bt_str state = serve_field(request, "tracestate", NULL);
        out->state = state.len <= STATE_BYTES_MAX ? state : BT_STR("");
    } else {
        out->flags = 1;
        put_hex(bytes, 16, out->trace_id);
    }
    put_text(out);
    return true;
}

/* ---- Output ---------------------------------------------------------------------------------- */

/* The spans of one request while they are exported. */
struct serve_span_writer {
    struct serve_server *gateway;
    const struct serve_call *x;
    uint64_t offset_ns; /* converts the monotonic clock to time since 1970 */
    uint8_t ids[CHILDREN_MAX * SPAN_ID_BYTES];
    size_t id_count; /* ids used so far */
};

static uint64_t since_1970(bt_instant now)
{
    return (uint64_t)now.seconds * 1000000000 + (uint64_t)now.nanos;
}

static void put_codes(struct serve_span *span, const struct serve_call *x)
{
    _Static_assert(sizeof(span->codes) >= sizeof(x->outcome.codes), "all codes of a request fit");
    memcpy(span->codes, x->outcome.codes, x->outcome.code_count * sizeof(x->outcome.codes[0]));
    span->code_count = x->outcome.code_count;
}

static struct serve_span begin_span(const struct serve_span_writer *span_writer,
                                    const uint64_t moments_ns[2])
{
    struct serve_span span = {.kind = SPAN_INTERNAL,
                              .begun_ns = moments_ns[0] + span_writer->offset_ns,
                              .ended_ns = moments_ns[1] + span_writer->offset_ns,
                              .dialect = span_writer->x->timing.dialect,
                              .verdict = BT_STR_INIT("")};
    memcpy(span.trace_id, span_writer->x->trace.trace_id, sizeof(span.trace_id));
    return span;
}

static void export_child_span(struct serve_span_writer *span_writer, struct serve_span *span)
{
    assert(span_writer->id_count < CHILDREN_MAX);
    uint8_t *id = span_writer->ids + SPAN_ID_BYTES * span_writer->id_count++;
    id[0] |= 1; /* must not be all zeros */
    put_hex(id, SPAN_ID_BYTES, span->id);
    memcpy(span->parent_id, span_writer->x->trace.span_id, sizeof(span->parent_id));
    otlp_put(span_writer->gateway->observers.otlp, span);
}

/* Set the reference of the recorded entry, if there is one. */
static void put_ref(const struct serve_span_writer *span_writer, struct serve_span *span)
{
    const struct serve_call_timing *timing = &span_writer->x->timing;
    const bt_str origin = span_writer->gateway->store.origin;
    if (timing->record_ns[1] > 0) {
        (void)snprintf(span->ref, sizeof(span->ref), "%.*s#%" PRIu64, BT_STR_ARG(origin),
                       timing->seq);
    }
}

static void export_server_span(struct serve_span_writer *span_writer, uint64_t now_ns)
{
    const struct serve_call *x = span_writer->x;
    const uint64_t moments_ns[2] = {x->call->begun_us * 1000, now_ns};
    struct serve_span span = begin_span(span_writer, moments_ns);
    const bt_str method = http_method_name(x->request->method);
    memcpy(span.id, x->trace.span_id, sizeof(span.id));
    memcpy(span.parent_id, x->trace.parent_id, sizeof(span.parent_id));
    span.kind = SPAN_SERVER;
    span.name = method.len > 0 ? method.ptr : "HTTP";
    span.route = x->route ? x->route->path : NULL;
    span.status = x->answer->status;
    span.verdict = x->timing.verdict;
    put_codes(&span, x);
    put_ref(span_writer, &span);
    otlp_put(span_writer->gateway->observers.otlp, &span);
}

static void export_check_span(struct serve_span_writer *span_writer)
{
    const struct serve_call *x = span_writer->x;
    struct serve_span span = begin_span(span_writer, x->timing.check_ns);
    span.name = "baton.check";
    span.verdict = x->timing.verdict;
    put_codes(&span, x);
    export_child_span(span_writer, &span);
}

/* The commit that recorded also delivered to an inbox, or asked an agent to continue. */
static void export_record_spans(struct serve_span_writer *span_writer)
{
    const struct serve_call_timing *timing = &span_writer->x->timing;
    struct serve_span span = begin_span(span_writer, timing->record_ns);
    put_ref(span_writer, &span);
    span.name = "baton.record";
    export_child_span(span_writer, &span);
    if (timing->is_delivered) {
        span.name = "baton.deliver";
        export_child_span(span_writer, &span);
    }
    if (timing->is_accepted && timing->target.len > 0) {
        span.name = "invoke_agent";
        span.kind = SPAN_CLIENT;
        span_set(span.agent, timing->target);
        span_set(span.conversation, timing->trace);
        export_child_span(span_writer, &span);
    }
}

void serve_call_trace_export(struct serve_server *gateway, const struct serve_call *x)
{
    struct serve_span_writer span_writer = {.gateway = gateway, .x = x};
    if (!otlp_is_on(gateway->observers.otlp) ||
        bt_env_id_bytes(&gateway->ids, span_writer.ids) != BT_OK) {
        return;
    }
    const uint64_t now_ns = bt_clock_monotonic_us() * 1000;
    span_writer.offset_ns = since_1970(bt_env_now(&gateway->env)) - now_ns;
    export_server_span(&span_writer, now_ns);
    if (x->timing.check_ns[1] > 0) {
        export_check_span(&span_writer);
    }
    if (x->timing.record_ns[1] > 0) {
        export_record_spans(&span_writer);
    }
}
