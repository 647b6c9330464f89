/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.h - what callers can ask for, whichever door they come through.
 *
 *     request (a document and options, or arguments) -> operation -> answer (a JSON object)
 *
 * A service belongs to one thread. Who calls, and what they may do, is in struct caller.
 */
#ifndef BATON_SRC_OPERATION_OPERATION_H
#define BATON_SRC_OPERATION_OPERATION_H

#include <baton/check.h>
#include <baton/config.h>
#include <baton/contract.h>
#include <baton/governed.h>
#include <baton/json.h>
#include <baton/ledger.h>
#include <baton/plan.h>
#include <baton/universal.h>

#include "operation/scopes.h"
#include "operation/tile_cache.h"

struct mcp_schemas; /* see mcp/mcp.h */

/* A submission that is in the ledger now. */
struct bt_submit_event {
    uint64_t begun_ns; /* of the monotonic clock: it was handed to the store */
    bool is_judged;    /* before that; otherwise within the commit */
    bool is_accepted;
    bool is_queued; /* in an inbox */
    uint64_t seq;   /* of its entry */
    bt_str target;  /* agent that it is handed to; "" for none */
    bt_str trace;   /* that the document names; "" for none */
};

/* What every request asks of the configuration, looked up once. */
struct bt_worker_settings {
    uint64_t budget;
    enum bt_encoding encoding;
    enum bt_severity fail_level;
    uint64_t max_rejections;
    uint64_t record_deadline_ms;
    uint32_t withheld; /* names that no entry gets */
    bool has_roots;
    bool has_webhooks;
};

struct bt_worker_settings bt_worker_settings_from_config(const struct bt_config *config);

/* What a thread works with. */
struct bt_worker {
    struct bt_env *env;
    /* Told of every document in an answer; NULL: nobody wants to know. */
    void (*judged)(void *context, const struct bt_judgement *judged);
    void *judged_context;
    /* Told of every submission that was recorded, with the same context; NULL: the same. */
    void (*filed)(void *context, const struct bt_submit_event *filed);
    const struct bt_config *config;
    struct bt_worker_settings keys; /* of `config` */
    struct bt_checker *checker;
    struct bt_ledger *ledger;        /* open for writing; NULL: there is no store */
    struct bt_ledger_writer *writer; /* that submissions of several threads share; NULL: none */
    uint64_t opening_ms;             /* of the deadline of recording, on opening the store */
    bt_str root;                     /* the folder that is the root `default`; "" for none */
    bt_str input;                    /* the contract INPUT of submissions; "": those in the store */
    bt_str policy;                   /* digest of what judges a request without options */
    bt_str organism;                 /* the file of the pump's organism; "" for none */
    struct mcp_schemas *schemas; /* of MCP's tools, made when needed; see mcp_schemas_destroy() */
    struct bt_tile_cache *tiles; /* NULL: none are remembered */
    struct bt_arena *scratch;    /* of a server: for what nobody needs once there is an answer */
};

struct bt_check_request;

/* The digest of all that judges: settings, flags and the options of a request, which is NULL for
 * one that has none. In the arena. */
BT_MUST_USE enum bt_status bt_op_policy(struct bt_arena *arena, const struct bt_worker *service,
                                        const struct bt_check_request *request, bt_str *out);

struct bt_caller {
    bt_str actor; /* as the ledger has it */
    unsigned scopes;
    const bt_str *agents; /* that it speaks for; none: for anybody */
    size_t agent_count;
    bt_str pump_client;  /* that it is for the pump; "" for none */
    bt_str workspace;    /* "" for the usual one */
    bt_str session;      /* "" for the usual one */
    bool hides_topology; /* it learns of others only what auth.disclose_topology allows */
};

/* Whether the caller may speak for an agent. */
bool bt_caller_represents(const struct bt_caller *caller, bt_str agent);

/* ---- Answers --------------------------------------------------------------------------------- */

/* Zero is not a result. */
enum bt_result_kind {
    ANSWER_DONE = 1, /* the body is the object that was asked for */
    ANSWER_REFUSED,  /* answered, but the requested action did not happen */
    ANSWER_UNUSABLE, /* the body is text: what to change about the request */
    ANSWER_FAILED,   /* the body is text: Baton could not do its work */
};

struct bt_result {
    enum bt_result_kind kind;
    struct bt_buf body;
    unsigned status; /* that a web client is told; 0: what the kind says */
    bt_str code;     /* why not: of the finding that decided, or of a problem; "" for neither */
    bt_str pointer;  /* of a problem with one part of the request, or "" */
    bt_str params;   /* of the same, a JSON object, or "" */
    const struct bt_findings *findings; /* of what was refused or cannot be read, or NULL */
    bt_str record;                      /* where that is recorded: a JSON object, or "" */
    uint64_t seq;                       /* of what was accepted, when status is 201 */
    bool is_replay;                     /* it is what the same request was told before */
    bool is_pump_failure;               /* what failed is not the store, but the pump */
    enum bt_verdict verdict;            /* of all documents of a report, or none */
};

/* A request that is decided once, however often it comes. */
struct bt_idempotency_key {
    bt_str path;
    bt_str key;
    bt_str request; /* the bytes that tell requests apart */
};

struct bt_op_filing; /* a document on its way into the record; see filing.h */

/*
 * How a submission waits for the disk without a thread. op_submit() leaves it to the writer, then:
 * when `told` was called, or at `late_ms`, op_submit_end() answers, in any thread.
 */
struct bt_call_completion {
    void (*notify)(void *context); /* as struct bt_ledger_completion has it */
    void *context;
    bool may_wait;     /* what cannot be left to the writer is waited for: never must_wait */
    bool was_notified; /* for op_submit_end(): not only late */
    struct bt_op_filing
        *filing;               /* out: what is under way; NULL: there is an answer, or must_wait */
    uint64_t deadline_ms;      /* out, of CLOCK_MONOTONIC */
    bool needs_waiting_thread; /* out: go on in a thread that waits, with a store */
};

/* One request on its way. */
struct bt_call {
    struct bt_worker *service;
    const struct bt_caller *caller;
    struct bt_arena *arena;
    struct bt_result *answer;
    void *watcher; /* that service->judged and ->filed are told; NULL: judged_context */
    struct bt_call_completion *later;     /* NULL: the thread waits */
    const struct bt_idempotency_key *key; /* NULL: none was given */
    bt_str traceparent;                   /* of the request, or "" */
    /* Puts a refusal that is recorded into the words of the door, before it is kept for a repeat;
     * NULL: the object of the operation is the answer. */
    enum bt_status (*write_refusal)(struct bt_call *work, void *adapter);
    void *adapter;
};

/* Who is told of what becomes of it. */
static inline void *work_watcher(const struct bt_call *work)
{
    return work->watcher ? work->watcher : work->service->judged_context;
}

/*
 * Say that a request cannot be used, and why. Returns BT_OK, so that it can end an operation. The
 * text begins with the code of a problem, perhaps with a pointer: "PARAMETER_INVALID at /id: ...".
 */
enum bt_status bt_result_set_problem(struct bt_call *work, const char *format, ...) BT_PRINTF(2, 3);
/* Say that a part of the request cannot be read, with the findings, of which the first decides. */
BT_MUST_USE enum bt_status
bt_result_set_unreadable(struct bt_call *work, const struct bt_findings *findings, const char *why);
/* Say that Baton could not do its work. */
enum bt_status bt_result_set_failed(struct bt_call *work, const char *format, ...) BT_PRINTF(2, 3);
/* Say that what was asked for did not happen, for the reason of this finding, one of `findings`;
 * the body is set. */
void bt_result_set_refused(struct bt_call *work, const struct bt_finding *why,
                           const struct bt_findings *findings, bt_str record);
/* Say that the body is what was asked for. Returns the status of the body. */
BT_MUST_USE enum bt_status bt_result_set_done(struct bt_call *work);
/* Answer with a report of these documents and further members. */
BT_MUST_USE enum bt_status bt_result_set_report(struct bt_call *work,
                                                const struct bt_judgement *judged, size_t count,
                                                bt_str members);

/* ---- Requests -------------------------------------------------------------------------------- */

/* A document and how it is to be judged. */
struct bt_check_request {
    bt_str text;
    bt_str path;
    const struct bt_dialect *dialect; /* NULL: recognise it */
    enum bt_severity fail_level;
    struct bt_universal_options universal;
    struct bt_contract_options contract;
    char host_id[BT_AGENT_ID_BYTES_MAX + 1];
    struct bt_contract_input input;
    bt_str input_text; /* of an operator, for a submission; "": the one that is stored */
    struct bt_plan_options plan;
    struct bt_dir *root; /* open; given back by bt_op_request_end() */
    struct bt_governed_options governed;
    struct bt_dir *catalogue; /* of governed handoffs; the same */
    bt_str root_name;         /* that the caller named; "" for none */
    bool has_options;         /* some that judge, so that the digest of the policy is its own */
    bool structure_only;
    bool now_given;
    bt_instant now;
    uint64_t attempt; /* 0: the usual number */
    uint64_t max_rejections;
    bool original_order;
    bool emit_prompt;
    bt_str answer; /* of a model; "": none */
    bt_str from;   /* convert: the dialect */
    bt_str step;
    bt_str id; /* submissions: the replay key of a dialect without one */
    bt_str workspace;
    bt_str session;
    bt_str members; /* of the report that answers, besides */
    uint32_t withheld;
    bool omit_document;
    bool is_expired; /* submissions: the envelope it came in is no longer valid */
    const struct bt_transaction_hooks
        *transaction_hooks; /* submissions: what commits with the decision; NULL: nothing */
};

/* For which operations an option is. */
enum bt_op_service_option_use {
    OPTION_JUDGE = 1,
    OPTION_REPAIR = 2,
    OPTION_CONVERT = 4,
    OPTION_SUBMIT = 8,
};

/* ---- Decisions ------------------------------------------------------------------------------- */

/* Fills in the answer of an operation that records. */
typedef enum bt_status compose_fn(struct bt_call *work, void *context);

/* An operation that records, and is done once for one key. */
struct bt_op_idempotent {
    struct bt_call *work;
    compose_fn *compose;
    void *context;
    bool is_composed;     /* the answer is there */
    bool can_name_agents; /* it may tell of agents, and the document is from `source` */
    bt_str source;
    struct bt_idempotency once;
};

/* Make ready; with a key, what this thread records next through its ledger answers it, unless
 * `once` is taken from here for a submission. */
void bt_op_idempotency_begin(struct bt_op_idempotent *deciding, struct bt_call *work,
                             compose_fn *compose, void *context);
void bt_op_idempotent_attach(struct bt_op_idempotent *deciding);
/* End it: answer, for the first time or once more. `is_done`: what was asked for is recorded, or
 * needed no record; else *failed* tells the caller why not. */
BT_MUST_USE enum bt_status bt_op_idempotency_end(struct bt_op_idempotent *deciding, bool is_done,
                                                 const char *failed);

/* The bit of a name that an entry can leave out, 0 for none; and of those that it always does. */
uint32_t bt_entry_field_parse(bt_str name);
uint32_t bt_config_withheld_fields(const struct bt_config *config);

/* Fill in what the configuration says. */
void bt_op_request_begin(const struct bt_worker *service, struct bt_check_request *out);
void bt_op_request_end(struct bt_check_request *request);

/* The value of an option: from JSON, or a text of a query. */
struct bt_arg {
    const struct bt_json_doc *document; /* NULL: a text */
    const bt_json_value *json;
    bt_str text;
    bool is_argument; /* it stands beside the options, as an argument of a tool */
};

/* Take one option. False after answer_unusable(): unknown, or of a wrong value. */
BT_MUST_USE bool bt_op_request_option(struct bt_call *work, struct bt_check_request *request,
                                      unsigned use, bt_str name, const struct bt_arg *value);
/* Whether the option of this name, which was taken, is as strict as the policy of the server. False
 * after answer_unusable(). */
BT_MUST_USE bool bt_op_request_tightens(struct bt_call *work, struct bt_check_request *request,
                                        bt_str name, const struct bt_arg *value);
/* Check, once the dialect is known, that its options are as strict as the policy of the server:
 * the root, and whether the document is stored. False after answer_unusable(). */
BT_MUST_USE bool bt_op_request_may_record(struct bt_call *work,
                                          const struct bt_check_request *request);
/* Put a member: an option that judges, with the value in force. */
void bt_op_request_put_option(struct bt_emit *emit, const struct bt_check_request *request,
                              const char *name);
/* Take a document: a string exactly, an object in its minified form. */
BT_MUST_USE enum bt_status bt_op_request_document(struct bt_call *work,
                                                  const struct bt_json_doc *document,
                                                  const bt_json_value *value, bt_str *out);
/* Name the dialect. False after answer_unusable(). */
BT_MUST_USE bool bt_op_request_dialect(struct bt_call *work, bt_str name,
                                       const struct bt_dialect **out);
/* The folder that a root's name stands for; "" when there is none. False after
 * answer_unusable(). */
BT_MUST_USE bool bt_op_find_root(struct bt_call *work, bt_str name, bt_str *out);
/* Open the roots: the named one, or the usual ones. False after answer_unusable(). */
BT_MUST_USE bool bt_op_request_root(struct bt_call *work, struct bt_check_request *request,
                                    bt_str name);

/* ---- Operations ------------------------------------------------------------------------------ */

/* Each sets the answer; a status other than BT_OK means that there was no memory. */
BT_MUST_USE enum bt_status bt_op_check(struct bt_call *work, struct bt_check_request *request);
/* Check several documents and answer with one report; all use the time options of the first. */
BT_MUST_USE enum bt_status bt_op_check_all(struct bt_call *work, struct bt_check_request *requests,
                                           size_t count);

/* Run an operation at the time that the request gives, if it gives one. */
typedef enum bt_status request_fn(struct bt_call *work, struct bt_check_request *request);
BT_MUST_USE enum bt_status bt_op_request_run(struct bt_call *work, struct bt_check_request *request,
                                             request_fn *run);

BT_MUST_USE enum bt_status bt_op_repair(struct bt_call *work, struct bt_check_request *request);
BT_MUST_USE enum bt_status bt_op_compress(struct bt_call *work, struct bt_check_request *request);
BT_MUST_USE enum bt_status bt_op_convert(struct bt_call *work, struct bt_check_request *request);
BT_MUST_USE enum bt_status bt_op_tokens(struct bt_call *work, bt_str text, bt_str encoding);
BT_MUST_USE enum bt_status bt_op_explain(struct bt_call *work, bt_str code);
BT_MUST_USE enum bt_status bt_op_plan_audit(struct bt_call *work, struct bt_check_request *request);
BT_MUST_USE enum bt_status bt_op_plan_waves(struct bt_call *work, struct bt_check_request *request,
                                            bool remaining);

/* A recorded run, and what was expected of it. */
struct bt_op_trajectory {
    bool has_plan;
    bt_str plan;
    const bt_str *chains;
    size_t chain_count;
    bt_str returns_to;
};

BT_MUST_USE enum bt_status bt_op_plan_trajectory(struct bt_call *work,
                                                 struct bt_check_request *request,
                                                 const struct bt_op_trajectory *arguments);
/* Judge a document by any schema, which is given as a text. */
BT_MUST_USE enum bt_status bt_op_schema_validate(struct bt_call *work, bt_str schema,
                                                 bt_str instance);
/* Merge the payload of an update into a section. */
BT_MUST_USE enum bt_status bt_op_contract_merge(struct bt_call *work, bt_str stored,
                                                bt_str payload);
BT_MUST_USE enum bt_status bt_op_verify_root(struct bt_call *work);
/* Put `{"baton":1,"schemas":[...]}`: the names of the schemas. */
void bt_schemas_put(struct bt_buf *buf);

/* A payload schema: an object, or a reference beneath a root. */
struct bt_op_schema_ref {
    bt_str text;      /* of the object; "" for a reference */
    bt_str reference; /* ... */
    const char *name; /* of the argument, for reports */
};

BT_MUST_USE enum bt_status bt_op_validate(struct bt_call *work, struct bt_check_request *request,
                                          const struct bt_op_schema_ref *schema);
BT_MUST_USE enum bt_status bt_op_schema_compare(struct bt_call *work,
                                                struct bt_check_request *request,
                                                const struct bt_op_schema_ref schemas[2],
                                                bt_str mode);

struct bt_op_receipt {
    bt_str receipt;
    const bt_str *vkeys;
    size_t vkey_count;
    bool has_document;
    bt_str document;
};

BT_MUST_USE enum bt_status bt_op_verify_receipt(struct bt_call *work,
                                                const struct bt_op_receipt *arguments);

/* Take out of a text of JSON what would tell the caller of agents that are not its own, when
 * `source` is whom the document is from. */
BT_MUST_USE enum bt_status bt_result_hide_topology(struct bt_call *work, bt_str source,
                                                   struct bt_buf *text);

/* Remove what would reveal agents of others to the caller, when the document's dialect names
 * agents. */
BT_MUST_USE enum bt_status
bt_op_hide_agents(struct bt_call *work, const struct bt_judgement *judged, struct bt_buf *text);

/* Nanoseconds of the steady clock. */
uint64_t bt_worker_clock_ns(void *context);

/* Put `{"baton":1,"rules":[...]}`. */
void bt_rules_put(struct bt_buf *buf);
/* The schema of this name, or "". */
bt_str bt_schema_builtin_text(bt_str name);

#endif
