/* SPDX-License-Identifier: Apache-2.0 */
/* problem.c - the table of problems, one row each, and how one is written (RFC 9457). */
#include "operation/problem.h"

enum { STATUS_UNAVAILABLE = 503 };

static const struct bt_problem problems[] = {
    {"BAD_REQUEST", 400, "Bad request",
     "The request is not well-formed HTTP, or its body is not of the form that the path takes."},
    {"PARAMETER_INVALID", 400, "Invalid parameter",
     "A parameter is unknown, repeated or of a wrong value."},
    {"DIALECT_UNKNOWN", 400, "Unknown dialect",
     "The dialect of the document is not given and not recognised."},
    {"UNAUTHENTICATED", 401, "Not authenticated", "A valid token or client certificate is needed."},
    {"SCOPE_MISSING", 403, "Scope missing", "The caller is known, but may not do this."},
    {"ORIGIN_NOT_ALLOWED", 403, "Origin not allowed",
     "A page of another origin may not call this server."},
    {"NOT_FOUND", 404, "Not found", "There is nothing here that the caller may see."},
    {"METHOD_NOT_ALLOWED", 405, "Method not allowed", "The path does not know this method."},
    {"NOT_ACCEPTABLE", 406, "Not acceptable",
     "The path offers none of the media types that Accept allows."},
    {"REQUEST_TIMEOUT", 408, "Request timeout", "The request did not arrive completely in time."},
    {"DOCUMENT_REDACTED", 410, "Document redacted",
     "The bytes of this document were deleted; its entry is still in the ledger."},
    {"BODY_TOO_LARGE", 413, "Body too large",
     "The body, or what is to be made of it, is larger than the path allows; a GET, HEAD or "
     "DELETE is sent without a body."},
    {"URI_TOO_LONG", 414, "Target too long", "The target of the request is too long."},
    {"UNSUPPORTED_MEDIA_TYPE", 415, "Unsupported media type",
     "The path does not take a body of this media type or content coding."},
    {"EXPECTATION_FAILED", 417, "Expectation failed",
     "Only the expectation 100-continue is known."},
    {"HOST_NOT_ALLOWED", 421, "Host not allowed", "This server is not known by the name in Host."},
    {"IDEMPOTENCY_KEY_REUSED", 422, "Idempotency key reused",
     "This key came with another request before."},
    {"RATE_LIMITED", 429, "Too many requests", "The caller asks too often."},
    {"HEADERS_TOO_LARGE", 431, "Head too large", "The head of the request is too large."},
    {"INTERNAL", 500, "Internal error", "The server could not do its work."},
    {"NOT_IMPLEMENTED", 501, "Not implemented",
     "The method or the transfer coding is not known here."},
    {"OVERLOADED", 503, "Overloaded", "The server has as much to do as it can."},
    {"STORE_UNAVAILABLE", 503, "Store unavailable",
     "What this path needs of the store cannot be had now."},
    {"LEDGER_READ_ONLY", 503, "Ledger is read-only", "Nothing is recorded at present."},
    {"ROOT_NOT_CONFIGURED", 503, "Root not configured",
     "The folder that this kind of handoff is judged against is not configured."},
    {"OUTCOME_UNKNOWN", 503, "Outcome unknown",
     "The store was lost during the commit, so the decision may have been recorded or not."},
    {"HTTP_VERSION", 505, "HTTP version not supported", "Only HTTP/1.1 and HTTP/1.0 are spoken."},
};

const struct bt_problem *bt_problem_find(bt_str code)
{
    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
        if (bt_str_eq(bt_str_of(problems[i].code), code)) {
            return &problems[i];
        }
    }
    return NULL;
}

void bt_problem_put(struct bt_buf *buf, const struct bt_problem_details *details)
{
    const bool is_unknown = bt_str_eq(details->code, BT_STR("OUTCOME_UNKNOWN"));
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_name(&emit, "type");
    bt_emit_raw(&emit, BT_STR("\"/problems/"));
    bt_buf_put(buf, details->code);
    bt_buf_put_char(buf, '"');
    bt_emit_member_string(&emit, "title", details->title);
    bt_emit_member_u64(&emit, "status", details->status);
    bt_emit_member_string(&emit, "detail", details->detail);
    bt_emit_name(&emit, "instance");
    bt_emit_raw(&emit, BT_STR("\"urn:baton:request:"));
    bt_buf_put_text(buf, details->request_id);
    bt_buf_put_char(buf, '"');
    bt_emit_member_string(&emit, "code", details->code);
    if (details->findings) {
        bt_emit_name(&emit, "findings");
        bt_emit_begin_array(&emit);
        bt_findings_emit(&emit, details->findings);
        bt_emit_end(&emit);
    }
    if (details->members.len > 0) {
        bt_buf_put_char(buf, ',');
        bt_buf_put(buf, details->members);
    }
    if (details->record.len > 0) {
        bt_emit_name(&emit, "record");
        bt_emit_raw(&emit, details->record);
    }
    if (details->status == STATUS_UNAVAILABLE) {
        bt_emit_member_string(&emit, "outcome", bt_str_of(is_unknown ? "unknown" : "none"));
    }
    bt_emit_end(&emit);
}

void bt_problem_put_finding(struct bt_buf *buf, const char *code, bt_str pointer, bt_str message,
                            bt_str params)
{
    struct bt_emit emit;
    bt_buf_put_text(buf, "\"findings\":[");
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "code", bt_str_of(code));
    bt_emit_member_string(&emit, "severity", BT_STR("HARD"));
    bt_emit_member_string(&emit, "stage", BT_STR("read"));
    bt_emit_member_string(&emit, "pointer", pointer);
    bt_emit_member_string(&emit, "message", message);
    if (params.len > 0) {
        bt_emit_name(&emit, "params");
        bt_emit_raw(&emit, params);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(buf, ']');
}
