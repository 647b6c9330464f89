/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest.h - shared by the REST handlers: request -> arguments -> operation -> HTTP response.
 *
 *     struct serve_rest rest;
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

/* Allowed names in the query of a path that judges. */
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
    bool is_shaped; /* the body is already a problem */
};

/* Begin. False: the response is already set. */
BT_MUST_USE bool rest_begin(struct serve_rest *rest, struct serve_call *x);
/*
 * Respond with the result of the operation and free everything. Returns what the handler must
 * return.
 */
enum bt_status rest_end(struct serve_rest *rest, enum bt_status status);
/* Free everything when the response is already set. Returns BT_OK. */
enum bt_status rest_drop(struct serve_rest *rest);
/*
 * Respond with the result of the operation, with this media type unless it is a problem, and free
 * everything.
 */
enum bt_status rest_end_as(struct serve_rest *rest, enum bt_status status, const char *type);
/*
 * Respond with the result of the operation, with this media type, an ETag and this Cache-Control,
 * and free everything.
 */
enum bt_status rest_end_cached(struct serve_rest *rest, enum bt_status status, const char *type,
                               const char *cache);

/* ---- Body ------------------------------------------------------------------------------------ */

/* The documents of a request, each with its options. */
struct serve_rest_documents {
    struct bt_check_request *items;
    size_t count;
};

/*
 * Read the document, or with `many` the documents, and all options. False: the response is set. In
 * both cases call rest_documents_end().
 */
BT_MUST_USE bool rest_documents(struct serve_rest *rest, unsigned use, bool many,
                                struct serve_rest_documents *out);
void rest_documents_end(struct serve_rest_documents *documents);

/*
 * A JSON object in the body. It is closed: it has no other members than those in `names`, separated
 * by spaces.
 */
struct serve_rest_object {
    struct serve_rest *rest;
    const struct bt_json_doc *document;
    const bt_json_value *root;
};

/* Read the object in the body; an empty body is an empty object. False: the response is set. */
BT_MUST_USE bool rest_object(struct serve_rest *rest, const char *names,
                             struct serve_rest_object *out);
/*
 * Check that an object within the body has no other members than those in `names`. False: the
 * response is set.
 */
BT_MUST_USE bool rest_object_is_closed(const struct serve_rest_object *object, const char *names);
/* A member, or NULL. */
const bt_json_value *rest_member(const struct serve_rest_object *object, const char *name);
/*
 * The text of a member; "" when it is absent. False: it is not a string, and the response is set.
 */
BT_MUST_USE bool rest_text(const struct serve_rest_object *object, const char *name, bt_str *out);
/* A whole number within bounds; *out is unchanged when it is absent. False: the response is set. */
BT_MUST_USE bool rest_number(const struct serve_rest_object *object, const char *name,
                             const uint64_t bounds[2], uint64_t *out);
/* The source text of a member; "" when it is absent. */
bt_str rest_source(const struct serve_rest_object *object, const char *name);

/* Decode the base64 text of member `name`. False: the response is set. */
BT_MUST_USE bool rest_decode(struct serve_rest *rest, const char *name, bt_str text, bt_str *out);

/* An operation on one document. */
typedef enum bt_status rest_document_fn(struct bt_call *work, struct bt_check_request *request);
/* Run an operation on the document of a request, and respond. */
enum bt_status rest_run(struct serve_call *x, unsigned use, rest_document_fn *run);

/* Respond with what the operation says is wrong with a parameter. */
enum bt_status rest_respond_bad_parameter(struct serve_rest *rest, bt_str name);
/* Respond that a part of the request is invalid. Returns false. */
bool rest_refuse(struct serve_rest *rest, const char *name, const char *message);

/* ---- Query ----------------------------------------------------------------------------------- */

/* The value of a name in the query; "" when it is absent. */
bt_str rest_query(struct serve_call *x, const char *name);
/* A whole number within bounds; *out is unchanged when it is absent. False: the response is set. */
BT_MUST_USE bool rest_query_number(struct serve_rest *rest, const char *name,
                                   const uint64_t bounds[2], uint64_t *out);
/*
 * "1" or "true", "0" or "false"; *out is unchanged when it is absent. False: the response is set.
 */
BT_MUST_USE bool rest_query_switch(struct serve_rest *rest, const char *name, bool *out);

/*
 * A text for which `is_right` holds; NULL: any text that is not empty. *out is "" when it is
 * absent. False: the response is set.
 */
BT_MUST_USE bool rest_query_word(struct serve_rest *rest, const char *name,
                                 bool (*is_right)(bt_str text), bt_str *out);

/* The filter of a list or stream of entries. False: the response is set. */
BT_MUST_USE bool rest_filter(struct serve_rest *rest, struct bt_handoff_filter *out);

#endif
