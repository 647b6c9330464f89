/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problems.c - what the server says instead of what was asked for, one row each.
 */
#include "gateway/gateway.h"

static const struct problem problems[] = {
    {"BAD_REQUEST", 400, "Bad request",
     "The request is not well-formed HTTP, or its body is not of the form that the path takes.",
     "The server reads HTTP strictly: it refuses every shape that two readers could understand "
     "differently. "
     "Send Content-Length or chunks, one Host, lines that end in CR LF, and a path without empty, "
     ". or .. segments."},
    {"PARAMETER_INVALID", 400, "Invalid parameter",
     "A parameter is unknown, repeated or of a wrong value.",
     "The findings point at the parameter by its name. The OpenAPI document lists what each path "
     "takes."},
    {"DIALECT_UNKNOWN", 400, "Unknown dialect",
     "The dialect of the document is not given and not recognised.",
     "Name it with the option `as`, or give a `path` whose name tells it."},
    {"UNAUTHENTICATED", 401, "Not authenticated", "A valid token or client certificate is needed.",
     "Send `Authorization: Bearer bt_...`. A missing, unknown, expired and malformed token all get "
     "this answer. "
     "The operator makes tokens with `baton token new`."},
    {"SCOPE_MISSING", 403, "Scope missing", "The caller is known, but may not do this.",
     "The member `scope` names what is needed. Ask the operator for a token that has it."},
    {"ORIGIN_NOT_ALLOWED", 403, "Origin not allowed",
     "A page of another origin may not call this server.",
     "Pages of other origins are listed by the operator under `cors.origins`."},
    {"NOT_FOUND", 404, "Not found", "There is nothing here that the caller may see.",
     "What does not exist and what belongs to somebody else get the same answer."},
    {"METHOD_NOT_ALLOWED", 405, "Method not allowed", "The path does not know this method.",
     "The field `Allow` lists the methods that it knows."},
    {"NOT_ACCEPTABLE", 406, "Not acceptable",
     "The path offers none of the media types that Accept allows.",
     "Leave Accept out, or add `*/*`."},
    {"REQUEST_TIMEOUT", 408, "Request timeout", "The request did not arrive completely in time.",
     "Head and body have deadlines that count from the first byte: `limits.header_timeout_s`, "
     "`limits.body_timeout_s`."},
    {"DOCUMENT_REDACTED", 410, "Document redacted",
     "The bytes of this document were deleted; its entry is still in the ledger.",
     "The entry tells the digest of the document, and the ledger when and why it was redacted."},
    {"BODY_TOO_LARGE", 413, "Body too large", "The body is larger than this server reads.",
     "Nothing was judged or recorded. The limit is `limits.body_bytes`."},
    {"URI_TOO_LONG", 414, "Target too long", "The target of the request is too long.",
     "The limit is `limits.target_bytes`. Options can travel in a request envelope instead."},
    {"UNSUPPORTED_MEDIA_TYPE", 415, "Unsupported media type",
     "The path does not take a body of this media type or content coding.",
     "The OpenAPI document lists the media types of each path. No content coding is understood."},
    {"EXPECTATION_FAILED", 417, "Expectation failed", "Only the expectation 100-continue is known.",
     "Leave the field Expect out."},
    {"HOST_NOT_ALLOWED", 421, "Host not allowed", "This server is not known by the name in Host.",
     "A local server answers to localhost and its own addresses. Other names are listed by the "
     "operator "
     "under `hosts`, or given as `public_url`."},
    {"IDEMPOTENCY_KEY_REUSED", 422, "Idempotency key reused",
     "This key came with another request before.",
     "A key belongs to one request. Take a new one; the id of the handoff makes a good key."},
    {"RATE_LIMITED", 429, "Too many requests", "The caller asks too often.",
     "Wait as long as Retry-After says. The limits are under `rate`."},
    {"HEADERS_TOO_LARGE", 431, "Head too large", "The head of the request is too large.",
     "The limits are `limits.header_bytes` and `limits.header_count`."},
    {"INTERNAL", 500, "Internal error", "The server could not do its work.",
     "Nothing was acknowledged. The log has a line with the same request id."},
    {"NOT_IMPLEMENTED", 501, "Not implemented",
     "The method or the transfer coding is not known here.",
     "Bodies come with Content-Length, or chunked and nothing else."},
    {"OVERLOADED", 503, "Overloaded", "The server has as much to do as it can.",
     "Nothing was done. Try again after Retry-After. The bounds are under `limits`."},
    {"STORE_UNAVAILABLE", 503, "Store unavailable",
     "What this path needs of the store cannot be had now.",
     "Nothing was recorded, so the request can be sent again."},
    {"LEDGER_READ_ONLY", 503, "Ledger is read-only", "Nothing is recorded at present.",
     "The server was started with --read-only, or protects a ledger that is damaged."},
    {"ROOT_NOT_CONFIGURED", 503, "Root not configured",
     "The folder that this kind of handoff is judged against is not configured.",
     "The operator gives it with --root, `roots` or `governed.root`."},
    {"OUTCOME_UNKNOWN", 503, "Outcome unknown",
     "The store was lost during the commit, so the decision may have been recorded or not.",
     "Send the request again with the same Idempotency-Key: the answer tells the truth."},
    {"HTTP_VERSION", 505, "HTTP version not supported", "Only HTTP/1.1 and HTTP/1.0 are spoken.",
     "Put a proxy in front for other versions."},
};

const struct problem *problem_at(size_t index)
{
    return index < sizeof(problems) / sizeof(problems[0]) ? &problems[index] : NULL;
}

const struct problem *problem_named(bt_str code)
{
    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
        if (bt_str_eq(bt_str_of(problems[i].code), code)) {
            return &problems[i];
        }
    }
    return NULL;
}
