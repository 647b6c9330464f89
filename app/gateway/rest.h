/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest.h - what the handlers of REST share: a request in, an operation, its answer as HTTP.
 *
 *     struct rest rest;
 *     return rest_begin(&rest, x) ? rest_end(&rest, op_thing(&rest.work, ...)) : BT_OK;
 */
#ifndef BATON_APP_GATEWAY_REST_H
#define BATON_APP_GATEWAY_REST_H

#include "gateway/route.h"
#include "service/records.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

extern const struct route judge_routes[];
extern const struct route lookup_routes[];
extern const struct route handoff_routes[];
extern const struct route stream_routes[];
extern const struct route inbox_routes[];
extern const struct route govern_routes[];
extern const struct route contract_routes[];
extern const struct route approval_routes[];
extern const struct route trace_routes[];
extern const struct route ledger_routes[];
extern const struct route hook_routes[];
extern const struct route admin_routes[];
extern const struct route pump_routes[];
extern const struct route openapi_routes[];

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

struct rest {
    struct exchange *x;
    struct answer answer;
    struct work work;
    struct work_key key;
    struct later later;
    bool is_shaped; /* the body is a problem already */
};

/* Make ready. False: the request is answered already. */
BT_MUST_USE bool rest_begin(struct rest *rest, struct exchange *x);
/* Answer with what the operation says, and give everything back. Returns what the handler
 * returns. */
enum bt_status rest_end(struct rest *rest, enum bt_status status);
/* Give everything back: the request is answered. Returns BT_OK. */
enum bt_status rest_drop(struct rest *rest);
/* The same with another media type than JSON for what is no problem. */
enum bt_status rest_end_as(struct rest *rest, enum bt_status status, const char *type);
/* The same with an ETag and this Cache-Control. */
enum bt_status rest_end_cached(struct rest *rest, enum bt_status status, const char *type,
                               const char *cache);

/* ---- Its body -------------------------------------------------------------------------------- */

/* Documents of a request, each with its options. */
struct rest_documents {
    struct request *items;
    size_t count;
};

/* Take the document, or with `many` the documents, and all options. False after an answer; given
 * back with rest_documents_end() in either case. */
BT_MUST_USE bool rest_documents(struct rest *rest, unsigned use, bool many,
                                struct rest_documents *out);
void rest_documents_end(struct rest_documents *documents);

/* An object in the body, closed: it has no other members than those in `names`, by blanks. */
struct rest_object {
    struct rest *rest;
    const struct bt_doc *document;
    const bt_value *root;
};

/* False after an answer. An empty body is an empty object. */
BT_MUST_USE bool rest_object(struct rest *rest, const char *names, struct rest_object *out);
/* The same of an object within it. False after an answer. */
BT_MUST_USE bool rest_object_is_closed(const struct rest_object *object, const char *names);
/* A member, or NULL. */
const bt_value *rest_member(const struct rest_object *object, const char *name);
/* The text of a member; "" when it is absent. False after an answer: no text. */
BT_MUST_USE bool rest_text(const struct rest_object *object, const char *name, bt_str *out);
/* A whole number within bounds; *out stays when it is absent. False after an answer. */
BT_MUST_USE bool rest_number(const struct rest_object *object, const char *name,
                             const uint64_t bounds[2], uint64_t *out);
/* The JSON text of a member as it was written; "" when it is absent. */
bt_str rest_source(const struct rest_object *object, const char *name);

/* The bytes that a base64 text in member `name` stands for. False after an answer. */
BT_MUST_USE bool rest_decode(struct rest *rest, const char *name, bt_str text, bt_str *out);

/* Run an operation about the one document of a request. */
typedef enum bt_status rest_document_fn(struct work *work, struct request *request);
enum bt_status rest_run(struct exchange *x, unsigned use, rest_document_fn *run);

/* Say what the operation says is wrong with a parameter. */
enum bt_status rest_tell_parameter(struct rest *rest, bt_str name);
/* Say that a part of the request is wrong. Returns false. */
bool rest_refuse(struct rest *rest, const char *name, const char *message);

/* ---- Its query ------------------------------------------------------------------------------- */

/* "" when it is absent. */
bt_str rest_query(struct exchange *x, const char *name);
/* False after an answer: no whole number within bounds. *out stays when it is absent. */
BT_MUST_USE bool rest_query_number(struct rest *rest, const char *name, const uint64_t bounds[2],
                                   uint64_t *out);
/* "1" or "true", "0" or "false". False after an answer. */
BT_MUST_USE bool rest_query_switch(struct rest *rest, const char *name, bool *out);

/* A text for which `is_right` holds; NULL: one that is not empty. False after an answer. *out is ""
 * when it is absent. */
BT_MUST_USE bool rest_query_word(struct rest *rest, const char *name, bool (*is_right)(bt_str text),
                                 bt_str *out);

/* The filter of a list or stream of entries. False after an answer. */
BT_MUST_USE bool rest_filter(struct rest *rest, struct handoff_filter *out);

#endif
