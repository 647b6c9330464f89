/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rest.h - shared by the REST handlers: request -> arguments -> operation -> HTTP response.
 *
 *
 */
#ifndef BATON_APP_SERVE_REST_H
#define BATON_APP_SERVE_REST_H

#include "operation/records.h"
#include "serve/call.h"

/* ---- Tables ---------------------------------------------------------------------------------- */

extern const struct serve_handler judge_handlers[];
extern const struct serve_handler lookup_handlers[];
extern const struct serve_handler handoff_handlers[];
extern const struct serve_handler stream_handlers[];
extern const struct serve_handler inbox_handlers[];
extern const struct serve_handler govern_handlers[];
extern const struct serve_handler contract_handlers[];
extern const struct serve_handler approval_handlers[];
extern const struct serve_handler trace_handlers[];
extern const struct serve_handler ledger_handlers[];
extern const struct serve_handler hook_handlers[];
extern const struct serve_handler admin_handlers[];
extern const struct serve_handler pump_handlers[];
extern const struct serve_route openapi_routes[];

/* Media types of the envelope around documents, and of problems. */
#define REST_ENVELOPE "application/vnd.baton.request+json"
#define REST_PROBLEM "application/problem+json"

/* ---- One request ----------------------------------------------------------------------------- */

struct serve_rest {
    struct serve_call *x;
    struct bt_result answer;
    struct bt_call work;
    struct bt_idempotency_key key;
    struct bt_call_completion later;
    bool is_shaped;                     /* the body is already a problem */
    const struct bt_json_doc *document; /* the object in the body, of which ... */
    const bt_json_value *object;        /* ... this is the root; NULL: there is none */
    const char *type;  /* media type of the response unless it is a problem; NULL: JSON */
    const char *cache; /* Cache-Control of the response, which then has an ETag; NULL: none */
};

/*
 * Run the handler of a route: check the query and the object in the body against the row of the
 * operation, call rest_fn, and respond with its result unless it has set the response.
 */
enum bt_status rest_handle(struct serve_call *x);

/* Begin. False: the response is already set. */
BT_MUST_USE bool rest_begin(struct serve_rest *rest, struct serve_call *x);
/*
 * Respond with the result of the operation and free everything. Returns what the handler must
 * return.
 */
enum bt_status rest_end(struct serve_rest *rest, enum bt_status status);
/* Free everything when the response is already set. Returns BT_OK. */
enum bt_status rest_drop(struct serve_rest *rest);
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
BT_MUST_USE bool rest_object_read(struct serve_rest *rest, struct serve_rest_object *out);
/* Read the object in the body, and check its members. False: the response is set. */
BT_MUST_USE bool rest_object(struct serve_rest *rest, const char *names,
                             struct serve_rest_object *out);
/*
 * Check that an object within the body has no other members than those in `names`. False: the
 * response is set.
 */
BT_MUST_USE bool rest_object_is_closed(const struct serve_rest_object *object, const char *names);
/* A member, or NULL. */
const bt_json_value *rest_object_member(const struct serve_rest_object *object, const char *name);
/*
 * The text of a member; "" when it is absent. False: it is not a string, and the response is set.
 */
BT_MUST_USE bool rest_object_text(const struct serve_rest_object *object, const char *name,
                                  bt_str *out);
/* The source text of a member; "" when it is absent. */
bt_str rest_object_source(const struct serve_rest_object *object, const char *name);

/* Decode the base64 text of member `name`. False: the response is set. */
BT_MUST_USE bool rest_decode(struct serve_rest *rest, const char *name, bt_str text, bt_str *out);

/* An operation on one document. */
typedef enum bt_status rest_document_fn(struct bt_call *work, struct bt_check_request *request);
/* Run an operation on the document of a request, or set the response. */
enum bt_status rest_run(struct serve_rest *rest, unsigned use, rest_document_fn *run);

/* Respond with what the operation says is wrong with a parameter. */
enum bt_status rest_respond_bad_parameter(struct serve_rest *rest, bt_str name);
/* Respond that a part of the request is invalid. Returns false. */
bool rest_refuse(struct serve_rest *rest, const char *name, const char *message);

/* ---- Arguments ------------------------------------------------------------------------------- */

/* These were checked against the row. A name is looked up in the object, then in the query. */
/* True when the argument is given. */
bool rest_has(const struct serve_rest *rest, const char *name);
/* A text; "" when it is absent. */
bt_str rest_text(const struct serve_rest *rest, const char *name);
/* A whole number; `otherwise` when it is absent. */
uint64_t rest_number(const struct serve_rest *rest, const char *name, uint64_t otherwise);
/* True when it is given as 1 or true. */
bool rest_switch(const struct serve_rest *rest, const char *name);
/* A member of the object; NULL when it is absent. */
const bt_json_value *rest_value(const struct serve_rest *rest, const char *name);
/* The source text of a member of the object; "" when it is absent. */
bt_str rest_source(const struct serve_rest *rest, const char *name);
/* The value of a name in the query; "" when it is absent. */
bt_str rest_query(struct serve_call *x, const char *name);

/* The filter of a list or stream of entries. */
void rest_filter(const struct serve_rest *rest, struct bt_handoff_filter *out);

#endif
