/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest.h - what the handlers of REST share: a request in, an operation, its answer as HTTP.
 *
 *     struct rest rest;
 *     return rest_begin(&rest, x) ? rest_end(&rest, op_thing(&rest.work, ...)) : BT_OK;
 */
#ifndef BATON_APP_SERVE_REST_H
#define BATON_APP_SERVE_REST_H

#include "operation/records.h"
#include "serve/call.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

extern const struct serve_route judge_routes[];
extern const struct serve_route lookup_routes[];
extern const struct serve_route handoff_routes[];
extern const struct serve_route stream_routes[];
extern const struct serve_route inbox_routes[];
extern const struct serve_route govern_routes[];
extern const struct serve_route contract_routes[];
extern const struct serve_route approval_routes[];
extern const struct serve_route trace_routes[];
extern const struct serve_route ledger_routes[];
extern const struct serve_route hook_routes[];
extern const struct serve_route admin_routes[];
extern const struct serve_route pump_routes[];
extern const struct serve_route openapi_routes[];

/* Media types of a document, and of the envelope around one. */
#define REST_ENVELOPE "application/vnd.baton.request+json"
#define REST_DOCUMENT                                                                              \
    "application/json text/csv text/markdown text/plain application/xml "                          \
    "application/octet-stream " REST_ENVELOPE
#define REST_PROBLEM "application/problem+json"

/* Names that the query of a judging path may have. */
#define REST_JUDGE                                                                                 \
    "as path fail_level fail_fast root today now tokens budget section_limit semantics chain "     \
    "strict_expiry"

/* ---- One request ----------------------------------------------------------------------------- */

struct serve_rest {
    struct serve_call *x;
    struct bt_result answer;
    struct bt_call work;
    struct bt_idempotency_key key;
    struct bt_call_completion later;
    bool is_shaped; /* the body is a problem already */
};

/* Make ready. False: the request is answered already. */
BT_MUST_USE bool rest_begin(struct serve_rest *rest, struct serve_call *x);
/* Answer with what the operation says, and give everything back. Returns what the handler
 * returns. */
enum bt_status rest_end(struct serve_rest *rest, enum bt_status status);
/* Give everything back: the request is answered. Returns BT_OK. */
enum bt_status rest_drop(struct serve_rest *rest);
/* The same with another media type than JSON for what is no problem. */
enum bt_status rest_end_as(struct serve_rest *rest, enum bt_status status, const char *type);
/* The same with an ETag and this Cache-Control. */
enum bt_status rest_end_cached(struct serve_rest *rest, enum bt_status status, const char *type,
                               const char *cache);

/* ---- Its body -------------------------------------------------------------------------------- */

/* Documents of a request, each with its options. */
struct serve_rest_documents {
    struct bt_check_request *items;
    size_t count;
};

/* Take the document, or with `many` the documents, and all options. False after an answer; given
 * back with rest_documents_end() in either case. */
BT_MUST_USE bool rest_documents(struct serve_rest *rest, unsigned use, bool many,
                                struct serve_rest_documents *out);
void rest_documents_end(struct serve_rest_documents *documents);

/* An object in the body, closed: it has no other members than those in `names`, by blanks. */
struct serve_rest_object {
    struct serve_rest *rest;
    const struct bt_json_doc *document;
    const bt_json_value *root;
};

/* False after an answer. An empty body is an empty object. */
BT_MUST_USE bool rest_object(struct serve_rest *rest, const char *names,
                             struct serve_rest_object *out);
/* The same of an object within it. False after an answer. */
BT_MUST_USE bool rest_object_is_closed(const struct serve_rest_object *object, const char *names);
/* A member, or NULL. */
const bt_json_value *rest_member(const struct serve_rest_object *object, const char *name);
/* The text of a member; "" when it is absent. False after an answer: no text. */
BT_MUST_USE bool rest_text(const struct serve_rest_object *object, const char *name, bt_str *out);
/* A whole number within bounds; *out stays when it is absent. False after an answer. */
BT_MUST_USE bool rest_number(const struct serve_rest_object *object, const char *name,
                             const uint64_t bounds[2], uint64_t *out);
/* The JSON text of a member as it was written; "" when it is absent. */
bt_str rest_source(const struct serve_rest_object *object, const char *name);

/* The bytes that a base64 text in member `name` stands for. False after an answer. */
BT_MUST_USE bool rest_decode(struct serve_rest *rest, const char *name, bt_str text, bt_str *out);

/* Run an operation about the one document of a request. */
typedef enum bt_status rest_document_fn(struct bt_call *work, struct bt_check_request *request);
enum bt_status rest_run(struct serve_call *x, unsigned use, rest_document_fn *run);

/* Say what the operation says is wrong with a parameter. */
enum bt_status rest_respond_bad_parameter(struct serve_rest *rest, bt_str name);
/* Say that a part of the request is wrong. Returns false. */
bool rest_refuse(struct serve_rest *rest, const char *name, const char *message);

/* ---- Its query ------------------------------------------------------------------------------- */

/* "" when it is absent. */
bt_str rest_query(struct serve_call *x, const char *name);
/* False after an answer: no whole number within bounds. *out stays when it is absent. */
BT_MUST_USE bool rest_query_number(struct serve_rest *rest, const char *name,
                                   const uint64_t bounds[2], uint64_t *out);
/* "1" or "true", "0" or "false". False after an answer. */
BT_MUST_USE bool rest_query_switch(struct serve_rest *rest, const char *name, bool *out);

/* A text for which `is_right` holds; NULL: one that is not empty. False after an answer. *out is ""
 * when it is absent. */
BT_MUST_USE bool rest_query_word(struct serve_rest *rest, const char *name,
                                 bool (*is_right)(bt_str text), bt_str *out);

/* The filter of a list or stream of entries. False after an answer. */
BT_MUST_USE bool rest_filter(struct serve_rest *rest, struct bt_handoff_filter *out);

#endif
