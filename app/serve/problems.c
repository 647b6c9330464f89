/* SPDX-License-Identifier: Apache-2.0 */
/* problems.c - the table of problems, one row each. */
#include "serve/problem.h"

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

const struct bt_problem *problem_at(size_t index)
{
    return index < sizeof(problems) / sizeof(problems[0]) ? &problems[index] : NULL;
}

const struct bt_problem *problem_named(bt_str code)
{
    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
        if (bt_str_eq(bt_str_of(problems[i].code), code)) {
            return &problems[i];
        }
    }
    return NULL;
}
