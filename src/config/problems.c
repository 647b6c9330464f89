/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problems.c - the rows of what a server says instead of what was asked for; never findings.
 */
#include "config/config_internal.h"

#define TEXT BT_STR_INIT
#define ROW(code_, meaning_, explanation_)                                                         \
    {                                                                                              \
        .code = TEXT(code_), .dialect = TEXT("http"), .severity = BT_SEVERITY_NONE,                \
        .stage = BT_STAGE_NONE, .meaning = TEXT(meaning_), .explanation = TEXT(explanation_),      \
    }

const struct bt_rule bt_problem_rules[] = {
    ROW("BAD_REQUEST", "HTTP 400: bad request",
        "The request is not well-formed HTTP, or its body is not of the form that the path takes. "
        "The server reads HTTP strictly: it refuses every shape that two readers could understand "
        "differently. Send Content-Length or chunks, one Host, lines that end in CR LF, and a path "
        "without empty, . or .. segments."),
    ROW("BODY_TOO_LARGE", "HTTP 413: body too large",
        "The body, or what is to be made of it, is larger than the path allows. Nothing was "
        "recorded. The limits are `limits.body_bytes`, and `limits.document_bytes` for what is "
        "made; a GET, HEAD or DELETE is sent without a body."),
    ROW("DIALECT_UNKNOWN", "HTTP 400: unknown dialect",
        "The dialect of the document is not given and not recognised. Name it with the option "
        "`as`, or give a `path` whose name tells it."),
    ROW("DOCUMENT_REDACTED", "HTTP 410: document redacted",
        "The bytes of this document were deleted; its entry is still in the ledger. The entry "
        "tells the digest of the document, and the ledger when and why it was redacted."),
    ROW("EXPECTATION_FAILED", "HTTP 417: expectation failed",
        "Only the expectation 100-continue is known. Leave the field Expect out."),
    ROW("HEADERS_TOO_LARGE", "HTTP 431: head too large",
        "The head of the request is too large. The limits are `limits.header_bytes` and "
        "`limits.header_count`."),
    ROW("HOST_NOT_ALLOWED", "HTTP 421: host not allowed",
        "This server is not known by the name in Host. A local server answers to localhost and its "
        "own addresses. Other names are listed by the operator under `hosts`, or given as "
        "`public_url`."),
    ROW("HTTP_VERSION", "HTTP 505: hTTP version not supported",
        "Only HTTP/1.1 and HTTP/1.0 are spoken. Put a proxy in front for other versions."),
    ROW("IDEMPOTENCY_KEY_REUSED", "HTTP 422: idempotency key reused",
        "This key came with another request before. A key belongs to one request. Take a new one; "
        "the id of the handoff makes a good key."),
    ROW("INTERNAL", "HTTP 500: internal error",
        "The server could not do its work. Nothing was acknowledged. The log has a line with the "
        "same request id."),
    ROW("LEDGER_READ_ONLY", "HTTP 503: ledger is read-only",
        "Nothing is recorded at present. The server was started with --read-only, or protects a "
        "ledger that is damaged."),
    ROW("METHOD_NOT_ALLOWED", "HTTP 405: method not allowed",
        "The path does not know this method. The field `Allow` lists the methods that it knows."),
    ROW("NOT_ACCEPTABLE", "HTTP 406: not acceptable",
        "The path offers none of the media types that Accept allows. Leave Accept out, or add "
        "`*/*`."),
    ROW("NOT_FOUND", "HTTP 404: not found",
        "There is nothing here that the caller may see. What does not exist and what belongs to "
        "somebody else get the same answer."),
    ROW("NOT_IMPLEMENTED", "HTTP 501: not implemented",
        "The method or the transfer coding is not known here. Bodies come with Content-Length, or "
        "chunked and nothing else."),
    ROW("ORIGIN_NOT_ALLOWED", "HTTP 403: origin not allowed",
        "A page of another origin may not call this server. Pages of other origins are listed by "
        "the operator under `cors.origins`."),
    ROW("OUTCOME_UNKNOWN", "HTTP 503: outcome unknown",
        "The store was lost during the commit, so the decision may have been recorded or not. Send "
        "the request again with the same Idempotency-Key: the answer tells the truth."),
    ROW("OVERLOADED", "HTTP 503: overloaded",
        "The server has as much to do as it can. Nothing was done. Try again after Retry-After. "
        "The bounds are under `limits`."),
    ROW("PARAMETER_INVALID", "HTTP 400: invalid parameter",
        "A parameter is unknown, repeated or of a wrong value. The findings point at the parameter "
        "by its name. The OpenAPI document lists what each path takes."),
    ROW("RATE_LIMITED", "HTTP 429: too many requests",
        "The caller asks too often. Wait as long as Retry-After says. The limits are under "
        "`rate`."),
    ROW("REQUEST_TIMEOUT", "HTTP 408: request timeout",
        "The request did not arrive completely in time. Head and body have deadlines that count "
        "from the first byte: `limits.header_timeout_s`, `limits.body_timeout_s`."),
    ROW("ROOT_NOT_CONFIGURED", "HTTP 503: root not configured",
        "The folder that this kind of handoff is judged against is not configured. The operator "
        "gives it with --root, `roots` or `governed.root`."),
    ROW("SCOPE_MISSING", "HTTP 403: scope missing",
        "The caller is known, but may not do this. The member `scope` names what is needed. Ask "
        "the operator for a token that has it."),
    ROW("STORE_UNAVAILABLE", "HTTP 503: store unavailable",
        "What this path needs of the store cannot be had now. Nothing was recorded, so the request "
        "can be sent again."),
    ROW("UNAUTHENTICATED", "HTTP 401: not authenticated",
        "A valid token or client certificate is needed. Send `Authorization: Bearer bt_...`. A "
        "missing, unknown, expired and malformed token all get this answer. The operator makes "
        "tokens with `baton token new`."),
    ROW("UNSUPPORTED_MEDIA_TYPE", "HTTP 415: unsupported media type",
        "The path does not take a body of this media type or content coding. The OpenAPI document "
        "lists the media types of each path. No content coding is understood."),
    ROW("URI_TOO_LONG", "HTTP 414: target too long",
        "The target of the request is too long. The limit is `limits.target_bytes`. Options can "
        "travel in a request envelope instead."),
};
const size_t bt_problem_rules_count = sizeof(bt_problem_rules) / sizeof(bt_problem_rules[0]);
