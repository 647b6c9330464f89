/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - everything a caller can ask for, one row each.
 *
 * The rows are written in *.ops, whose grammar is in tools/operation_table.py. From a row come the
 * path of REST and its part of the OpenAPI document, the tool of MCP and the schema of its
 * arguments, and the skill of A2A.
 */
#ifndef BATON_SRC_OPERATION_TABLE_H
#define BATON_SRC_OPERATION_TABLE_H

#include <baton/base.h>

#include "operation/operation_ids.h"
#include "operation/scopes.h"

/* What an operation does besides computing an answer. A set is the sum of these. */
enum bt_operation_effect {
    BT_EFFECT_READS_STORE = 1,     /* needs a store */
    BT_EFFECT_RECORDS = 2,         /* writes to the store, which it needs */
    BT_EFFECT_DELIVERS = 4,        /* hands something on, so it counts as a submission */
    BT_EFFECT_STREAMS = 8,         /* answers with a stream of events */
    BT_EFFECT_MAY_READ_STORE = 16, /* uses a store if there is one */
    BT_EFFECT_WAITS = 32,          /* may wait for the disk or another process */
    BT_EFFECT_BRIEF = 64,          /* is short, and uses no other system unless it waits */
};

/* How long a client may keep an answer. */
enum bt_operation_cache {
    BT_CACHE_NONE = 0,
    BT_CACHE_REVALIDATE,
    BT_CACHE_MINUTES,
    BT_CACHE_FOREVER,
};

/* Outcomes that an operation can have besides those that all have. A set is the sum of these. */
enum bt_operation_outcome {
    BT_OUTCOME_CREATED = 1,
    BT_OUTCOME_ACCEPTED = 2,
    BT_OUTCOME_CONFLICT = 4,
    BT_OUTCOME_GONE = 8,
    BT_OUTCOME_UNPROCESSABLE = 16,
};

enum bt_operation_param_type {
    BT_OPERATION_PARAM_TEXT = 1,
    BT_OPERATION_PARAM_NAME, /* a text that is not empty */
    BT_OPERATION_PARAM_INTEGER,
    BT_OPERATION_PARAM_BOOL,
    BT_OPERATION_PARAM_DOCUMENT, /* the exact text, or a JSON object */
    BT_OPERATION_PARAM_SCHEMA,   /* a reference, or a JSON object */
    BT_OPERATION_PARAM_JSON,     /* any value of JSON */
    BT_OPERATION_PARAM_LIST,     /* a list of objects */
    BT_OPERATION_PARAM_WORD,
    BT_OPERATION_PARAM_DIALECT,
    BT_OPERATION_PARAM_SEVERITY,
    BT_OPERATION_PARAM_ENCODING,
    BT_OPERATION_PARAM_INSTANT,
    BT_OPERATION_PARAM_DURATION,
    BT_OPERATION_PARAM_ID,  /* the number of an entry, or the id of a handoff */
    BT_OPERATION_PARAM_KEY, /* of idempotency */
    BT_OPERATION_PARAM_PATH,
    BT_OPERATION_PARAM_SEQ, /* the number of an entry */
    BT_OPERATION_PARAM_VERDICT,
    BT_OPERATION_PARAM_KIND, /* of an entry */
};

/* Where a parameter stands. A set is the sum of these. */
enum bt_operation_place {
    BT_IN_PATH = 1,
    BT_IN_QUERY = 2,
    BT_IN_BODY = 4,    /* a member of the JSON object in the body */
    BT_IN_CONTENT = 8, /* the whole body */
    BT_IN_TOOL = 16,   /* an argument of the tool */
    BT_IN_OPTION = 32, /* in the query, or in the `options` of an envelope or a tool */
    BT_IN_CALL = 64,   /* a member of the request of bt_call() */
};

struct bt_operation_param {
    bt_str name;
    enum bt_operation_param_type type;
    unsigned places;
    bool is_required;
    bool is_repeated;
    bool is_unchecked; /* the operation says what is wrong with it */
    uint64_t min;      /* of an integer */
    uint64_t max;
    const bt_str *words; /* that a WORD can be; the types of a JSON value, any if there are none */
    size_t word_count;
    const struct bt_operation_param *members; /* of the objects of a LIST */
    size_t member_count;
};

enum bt_rest_method { BT_REST_NONE, BT_REST_GET, BT_REST_POST, BT_REST_PUT, BT_REST_DELETE };

struct bt_operation_rest {
    enum bt_rest_method method; /* BT_REST_NONE: there is no path */
    const char *path;           /* "/v1/handoffs/{id}"; {name...} at the end takes what is left */
    const char *operation_id;
    const char *takes;  /* media types of the body, separated by spaces; NULL: none is read */
    const char *gives;  /* media types of the answer; NULL: application/json */
    bool takes_object;  /* the body is a JSON object of parameters */
    const char *body;   /* JSON Schema of a body of JSON; NULL: there is none */
    const char *result; /* JSON Schema of the answer, as OpenAPI refers to it */
};

struct bt_operation_tool {
    const char *name; /* NULL: there is no tool */
    const char *description;
    unsigned scopes;
    const char *input;  /* the members `properties` and `required` of a JSON Schema */
    const char *output; /* JSON Schema of the result; NULL: that of a report */
};

struct bt_operation_skill {
    const char *id; /* NULL: there is no skill */
    const char *name;
    const char *description;
};

struct bt_operation {
    const char *name; /* "handoff.submit" */
    const char *summary;
    const char *about; /* at least the summary */
    unsigned scopes;   /* any one of these will do; 0: it is for everybody */
    unsigned effects;
    unsigned outcomes;
    enum bt_operation_cache cache;
    bt_operation_fn *run; /* NULL: an adapter runs it itself */
    const struct bt_operation_param *params;
    size_t param_count;
    struct bt_operation_rest rest;
    struct bt_operation_tool tool;
    struct bt_operation_skill skill;
};

extern const struct bt_operation bt_operations[BT_OPERATION__MAX];
/* Those with a path, a tool or a skill, in the order in which they are shown. */
extern const enum bt_operation_id bt_operations_rest[BT_OPERATIONS_REST_COUNT];
extern const enum bt_operation_id bt_operations_tools[BT_OPERATIONS_TOOLS_COUNT];
extern const enum bt_operation_id bt_operations_skills[BT_OPERATIONS_SKILLS_COUNT];
/* Those that bt_call() runs, in the order of bt_operations_at(). */
extern const enum bt_operation_id bt_operations_calls[BT_OPERATIONS_CALLS_COUNT];

/* A group of paths in the OpenAPI document. */
struct bt_operation_tag {
    const char *name;
    const char *about;
    const char *under; /* the first parts of its paths, separated by spaces */
};

extern const struct bt_operation_tag bt_operation_tags[];
extern const size_t bt_operation_tag_count;

/* The operation with this operationId, compared exactly, that bt_call() runs; NULL when there is
 * none. */
const struct bt_operation *bt_operation_find(bt_str operation_id);
/* The parameter of this name in one of these places; NULL when there is none. */
const struct bt_operation_param *bt_operation_param_find(const struct bt_operation *operation,
                                                         unsigned places, bt_str name);

#endif
