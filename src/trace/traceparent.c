/* SPDX-License-Identifier: Apache-2.0 */
/* traceparent.c - write and parse the W3C header `traceparent`: 00-TRACE-PARENT-FLAGS. */
#include "trace/trace.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "report/rules.h"

enum { TRACE_DIGITS = 32, PARENT_DIGITS = 16, FLAGS_DIGITS = 2, VALUE_BYTES = 55 };

/* Copy the first `count` hexadecimal digits, hyphens skipped and in lower case; false when
 * something else comes before them. `out` has room for a NUL more. */
static bool take_digits(bt_str text, size_t count, char *out)
{
    size_t taken = 0;
    for (size_t i = 0; i < text.len && taken < count; i++) {
        const char byte = text.ptr[i];
        const char lower = bt_ascii_lower(byte);
        if (byte == '-') {
            continue;
        }
        if (!bt_ascii_is_hex(lower)) {
            return false;
        }
        out[taken++] = lower;
    }
    out[taken] = '\0';
    return taken == count;
}

static bool is_zero(const char *digits)
{
    return digits[strspn(digits, "0")] == '\0';
}

static void write_traceparent(const char *trace, const char *parent, const char *flags,
                              struct bt_traceparent *out)
{
    (void)snprintf(out->text, sizeof(out->text), "00-%.32s-%.16s-%.2s", trace, parent, flags);
    (void)snprintf(out->trace_id, sizeof(out->trace_id), "%.8s-%.4s-%.4s-%.4s-%.12s", trace,
                   trace + 8, trace + 12, trace + 16, trace + 20);
    (void)snprintf(out->parent_id, sizeof(out->parent_id), "%.16s", parent);
    (void)snprintf(out->flags, sizeof(out->flags), "%.2s", flags);
}

static enum bt_status add_unavailable_finding(struct bt_findings *findings,
                                              const struct bt_json_doc *handoff, bt_str pointer,
                                              const char *reason)
{
    const bt_json_value *value = bt_json_resolve(handoff, bt_json_root(handoff), pointer);
    const bt_str text = value ? bt_json_text(value) : BT_STR("");
    return bt_add_traceparent_unavailable(findings, bt_location_value(handoff, value),
                                          text.len > 0 ? text : BT_STR_ABSENT, bt_str_of(reason));
}

enum bt_status bt_traceparent_from_handoff(const struct bt_json_doc *handoff,
                                           struct bt_findings *findings, bool *out_made,
                                           struct bt_traceparent *out)
{
    assert(handoff);
    assert(out_made);
    assert(out);
    const bt_str trace_at = BT_STR("/handoff/trace_id");
    const bt_str parent_at = BT_STR("/handoff/tracing/parent_span_id");
    const bt_json_value *root = bt_json_root(handoff);
    const bt_json_value *trace = bt_json_resolve(handoff, root, trace_at);
    const bt_json_value *parent = bt_json_resolve(handoff, root, parent_at);
    char trace_digits[TRACE_DIGITS + 1];
    char parent_digits[PARENT_DIGITS + 1];
    *out_made = false;
    if (!trace || !bt_uuid_is_valid(bt_json_text(trace)) ||
        !take_digits(bt_json_text(trace), TRACE_DIGITS, trace_digits)) {
        return add_unavailable_finding(findings, handoff, trace_at, "it has no usable trace_id");
    }
    if (is_zero(trace_digits)) {
        return add_unavailable_finding(findings, handoff, trace_at, "the trace_id is all zero");
    }
    if (!parent || !take_digits(bt_json_text(parent), PARENT_DIGITS, parent_digits)) {
        return add_unavailable_finding(findings, handoff, parent_at,
                                       "it has no parent_span_id with 16 hexadecimal digits");
    }
    if (is_zero(parent_digits)) {
        return add_unavailable_finding(findings, handoff, parent_at,
                                       "the parent_span_id begins with 16 zeros");
    }
    write_traceparent(trace_digits, parent_digits, "01", out);
    *out_made = true;
    return BT_OK;
}

/* What is wrong with the value, or NULL. */
static const char *find_fault(bt_str value)
{
    static const size_t hyphens[] = {2, 3 + TRACE_DIGITS, 4 + TRACE_DIGITS + PARENT_DIGITS};
    if (value.len != VALUE_BYTES) {
        return "it is not 55 bytes long";
    }
    for (size_t i = 0, next = 0; i < value.len; i++) {
        const bool is_hyphen = next < 3 && i == hyphens[next];
        next += is_hyphen;
        if (is_hyphen ? value.ptr[i] != '-' : !bt_hex_is_valid(value.ptr[i])) {
            return is_hyphen ? "its parts are not joined by hyphens"
                             : "it has something other than hexadecimal digits in lower case";
        }
    }
    return bt_str_starts_with(value, BT_STR("00-")) ? NULL : "its version is not 00";
}

enum bt_status bt_traceparent_parse(bt_str value, struct bt_findings *findings, bool *out_made,
                                    struct bt_traceparent *out)
{
    assert(out_made);
    assert(out);
    char trace[TRACE_DIGITS + 1] = "";
    char parent[PARENT_DIGITS + 1] = "";
    char flags[FLAGS_DIGITS + 1] = "";
    const char *fault = find_fault(value);
    if (!fault) {
        (void)take_digits(bt_str_slice(value, 3, VALUE_BYTES), TRACE_DIGITS, trace);
        (void)take_digits(bt_str_slice(value, 36, VALUE_BYTES), PARENT_DIGITS, parent);
        (void)take_digits(bt_str_slice(value, 53, VALUE_BYTES), FLAGS_DIGITS, flags);
        fault = is_zero(trace) ? "its trace id is all zero" : NULL;
        fault = !fault && is_zero(parent) ? "its parent id is all zero" : fault;
    }
    *out_made = fault == NULL;
    if (fault) {
        return bt_add_traceparent_invalid(findings, bt_location_whole(),
                                          value.len > 0 ? value : BT_STR_ABSENT, bt_str_of(fault));
    }
    write_traceparent(trace, parent, flags, out);
    return BT_OK;
}
