/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operation.h - what callers can ask for, through any adapter.
 *
 *     arguments (for some operations: a document and options) -> operation -> result
 *
 * A worker belongs to one thread. Who calls, and what they may do, is in struct bt_caller.
 */
#ifndef BATON_SRC_OPERATION_OPERATION_H
#define BATON_SRC_OPERATION_OPERATION_H

#include <baton/check.h>
#include <baton/json.h>

#include "config/config.h"
#include "dialect/contract/contract.h"
#include "dialect/governed/governed.h"
#include "dialect/plan/plan.h"
#include "dialect/universal/universal.h"
#include "engine/check.h"
#include "ledger/ledger.h"
#include "operation/arguments.h"
#include "operation/problem_ids.h"
#include "operation/scopes.h"
#include "operation/status.h"

struct bt_memory_files; /* see base/memory_files.h */
struct mcp_schemas;     /* see mcp/mcp.h */
struct bt_peer_reports; /* see peers.h */

/* A document in a result, and its findings; these names live as long as the process. */
struct bt_judged_finding {
    bt_str code;
    bt_str severity;
};

struct bt_judged_document {
    struct bt_judged_document *next;
    bt_str dialect;
    bt_str verdict;
    uint64_t judged_ns; /* of the monotonic clock */
    uint64_t tokens;    /* 0: not counted */
    const struct bt_judged_finding *findings;
    size_t finding_count;
};

/* A submission that was recorded. Times are those of the monotonic clock. */
struct bt_submit_event {
    uint64_t begun_ns; /* when it was submitted to the store */
    uint64_t ended_ns; /* 0: nothing was recorded */
    bool is_judged;    /* before that; otherwise within the commit */
    bool is_accepted;
    bool is_queued; /* in an inbox */
    uint64_t seq;   /* of its entry */
    bt_str target;  /* target agent; "" for none */
    bt_str trace;   /* named by the document; "" for none */
};

/* What the operations of a request did, for the metrics, the log and the trace of a server. */
struct bt_call_events {
    struct bt_arena *arena; /* of what follows; it lives as long as the request */
    struct bt_judged_document *judged;
    struct bt_submit_event recorded;
    size_t commit_count; /* submissions of a commit that is reported here; 0: elsewhere, or none */
};

/* The configuration values that every request needs, looked up once. */
struct bt_worker_settings {
    struct bt_universal_options universal;
    struct bt_contract_options contract;
    struct bt_plan_options plan;
    struct bt_governed_options governed;
    enum bt_severity fail_level;
    uint64_t max_rejections;
    uint64_t record_deadline_ms;
    uint32_t withheld; /* names that are withheld from all entries */
    bool has_roots;
    bool has_webhooks;
    bool has_peers;
};

struct bt_worker_settings bt_worker_settings_from_config(const struct bt_config *config);
/* The options of contract blocks that the configuration chooses. */
struct bt_contract_options bt_contract_options_from_config(const struct bt_config *config);
/* How a configuration lets the budget of a chain of handoffs be judged. */
struct bt_universal_chain_budget bt_op_chain_budget(const struct bt_config *config);

/* A root whose files lie in memory; one of a list. */
struct bt_op_memory_root {
    bt_str name;
    struct bt_memory_files *files;
    struct bt_op_memory_root *next;
};

/* The root of this name in a list; NULL: there is none. */
struct bt_op_memory_root *bt_op_memory_root_find(struct bt_op_memory_root *first, bt_str name);

/* What one OS thread works with. */
struct bt_worker {
    struct bt_env *env;
    struct bt_call_events *events; /* of calls that have none; NULL: they are not read */
    const struct bt_config *config;
    const struct bt_worker_settings *keys; /* of `config` */
    struct bt_checker *checker;
    struct bt_ledger *ledger;        /* open for writing; NULL: there is no store */
    struct bt_ledger_writer *writer; /* shared by the submissions of several threads; NULL: none */
    uint64_t opening_ms;             /* the part of the recording deadline for opening the store */
    bt_str root;                     /* the folder of the root `default`; "" for none */
    struct bt_op_memory_root *memory_roots; /* or NULL */
    bt_str input;                /* the contract INPUT of submissions; "": the stored ones */
    struct bt_policy policy;     /* for a request without options */
    bt_str organism;             /* the file of the pump's organism; "" for none */
    const char *witness;         /* the folder of the witness; NULL: that of `config` */
    struct mcp_schemas *schemas; /* of MCP's tools, made when needed; see mcp_schemas_destroy() */
    struct bt_arena *scratch;    /* of a server: for memory that is not needed after the result */
    const struct bt_token_table *token_tables[BT_ENCODING_CHARS4]; /* that were loaded, or NULL */
    struct bt_peer_reports *peers; /* see peers.h; NULL: nobody submits to peers here */
    atomic_bool
        *is_contradicted; /* set when a receipt proves what the ledger lacks; NULL: unused */
    struct bt_signature_host *signatures; /* who verifies in a core build; NULL: nobody */
};

struct bt_check_request;

/* The policy: settings, flags and the options of a request, which may be NULL. In the arena. */
BT_MUST_USE enum bt_status bt_op_policy(struct bt_arena *arena, const struct bt_worker *service,
                                        const struct bt_check_request *request,
                                        struct bt_policy *out);

struct bt_caller {
    bt_str actor; /* as it stands in entries */
    bt_str name;  /* as the server knows it; only of a server */
    bool is_anonymous;
    unsigned scopes;
    const bt_str *agents; /* agents that it represents; none: any agent */
    size_t agent_count;
    bt_str pump_client;  /* its client name in the pump; "" for none */
    bt_str workspace;    /* "" for the default */
    bt_str session;      /* "" for the default */
    bool hides_topology; /* it sees other agents only if auth.disclose_topology allows it */
};

/* True when the caller may represent an agent. */
bool bt_caller_represents(const struct bt_caller *caller, bt_str agent);

/* The folder of this server as a witness; NULL when it is not one. */
const char *bt_op_witness_folder(struct bt_call *call);

/* ---- Answers --------------------------------------------------------------------------------- */

/* Zero is not a result. */
enum bt_result_kind {
    ANSWER_DONE = 1, /* the body is the requested object */
    ANSWER_REFUSED,  /* answered, but the requested action did not happen */
    ANSWER_UNUSABLE, /* the body is text: what to change in the request */
    ANSWER_FAILED,   /* the body is text: why the work could not be done */
};

/* Media types of bodies that are not JSON. */
#define BT_MEDIA_TEXT "text/plain; charset=utf-8"
#define BT_MEDIA_BYTES "application/octet-stream"
#define BT_MEDIA_PAGE "text/html; charset=utf-8"
#define BT_MEDIA_COSE "application/cose"
#define BT_MEDIA_CBOR "application/cbor"
#define BT_MEDIA_DSSE "application/vnd.dsse.envelope.v1+json"

enum { BT_LIST_LIMIT_DEFAULT = 50 };

struct bt_result {
    enum bt_result_kind kind;
    struct bt_buf body;
    unsigned status;         /* of the HTTP response; 0: the default of the kind */
    bt_str code;             /* of the finding that decided; "" for none */
    enum bt_problem problem; /* or none */
    bt_str pointer;          /* of a problem with one part of the request, or "" */
    size_t reason_at;        /* in the body: the text of a problem after its code and pointer */
    bt_str params;           /* of the problem, a JSON object, or "" */
    const struct bt_findings *findings; /* about what was refused or cannot be read, or NULL */
    bt_str record;                      /* where the refusal is recorded: a JSON object, or "" */
    uint64_t seq;                       /* of the accepted handoff, when status is 201 */
    bool is_problem;                    /* the body is already the problem of a refusal */
    bool is_replay;                     /* the result of an earlier, identical request */
    bool is_pump_failure;               /* the pump failed, not the store */
    bool is_empty;                      /* there is nothing yet; it may be asked again */
    const char *media;                  /* of a body that is not JSON; NULL: JSON */
    enum bt_verdict verdict;            /* of all documents of a report, or none */
    enum bt_dialect_id dialect;         /* of the first of them, or none */
};

/* A request that is decided once, however often it is repeated. */
struct bt_idempotency_key {
    bt_str path;
    bt_str key;
    bt_str request; /* the bytes that distinguish requests */
};

struct bt_op_filing; /* a document while it is recorded; see filing.h */

/*
 * How a submission waits for the disk without a thread. bt_op_handoff_submit() leaves it to the
 * writer; when `notify` was called, or at `deadline_ms`, bt_op_submit_end() sets the result, on any
 * thread.
 */
struct bt_call_completion {
    void (*notify)(void *context); /* as struct bt_ledger_completion has it */
    void *context;
    bool may_wait;     /* wait for what cannot be left to the writer: never needs_waiting_thread */
    bool was_notified; /* for bt_op_submit_end(): not only late */
    struct bt_op_filing *filing; /* out: what is in progress; NULL: there is a result, or
                                * needs_waiting_thread */
    uint64_t deadline_ms;        /* out, of CLOCK_MONOTONIC */
    bool needs_waiting_thread;   /* out: continue on a thread that waits, with a store */
};

/* One request in progress. */
struct bt_organism; /* see organism/read.h */

struct bt_call {
    struct bt_worker *service;
    const struct bt_caller *caller;
    struct bt_arena *arena;
    struct bt_result *answer;
    struct bt_call_events *events;        /* NULL: those of the worker */
    struct bt_call_completion *later;     /* NULL: the thread waits */
    const struct bt_idempotency_key *key; /* NULL: none was given */
    bt_str traceparent;                   /* of the request, or "" */
    uint64_t number;                      /* the caller's own, for the entry; 0: none */
    bool wants_text;                      /* rather than JSON, where there are both */
    bool wants_cose;                      /* rather than either, where there is COSE */
    const struct bt_organism *organism;   /* that judges pump messages; NULL: none */
    /* Writes a recorded refusal in the form of the adapter, before it is stored for a repeat;
     * NULL: the object of the operation is the result. */
    enum bt_status (*write_refusal)(struct bt_call *work, void *adapter);
    void *adapter;
};

/* The events of this call; NULL: they are not read. */
static inline struct bt_call_events *bt_call_events_of(const struct bt_call *work)
{
    return work->events ? work->events : work->service->events;
}

/*
 * Set a problem: the request cannot be used, and why. `pointer` says where, or is "". Returns
 * BT_OK, so that it can end an operation. The body is a text such as
 * "PARAMETER_INVALID at /id: it is missing".
 */
enum bt_status bt_result_set_problem(struct bt_call *work, enum bt_problem problem, bt_str pointer,
                                     const char *format, ...) BT_PRINTF(4, 5);
/* Set the problem that an argument cannot be used. Returns BT_EINVAL, which ends the reading of
 * arguments: see args_read.h. */
enum bt_status bt_result_refuse_argument(struct bt_call *work, bt_str name, const char *why);
/* An RFC 6901 pointer for it; "" without memory. */
bt_str bt_result_pointer(struct bt_call *work, const char *format, ...) BT_PRINTF(2, 3);
/* Set the problem that a part of the request cannot be read, with the findings, of which the
 * first decides. */
BT_MUST_USE enum bt_status
bt_result_set_unreadable(struct bt_call *work, const struct bt_findings *findings, const char *why);
/*
 * Set the result that the work could not be done, and why; BT_PROBLEM_NONE: for a reason within.
 * BT_PROBLEM_STORE_UNAVAILABLE becomes bt_result_set_unknown() when a commit was interrupted.
 */
enum bt_status bt_result_set_failed(struct bt_call *work, enum bt_problem problem,
                                    const char *format, ...) BT_PRINTF(3, 4);
/* Set the result that it is unknown whether the decision was recorded. */
enum bt_status bt_result_set_unknown(struct bt_call *work);
/* Set the result that the requested action did not happen, because of this finding, one of
 * `findings`; the body is set. */
void bt_result_set_refused(struct bt_call *work, const struct bt_finding *why,
                           const struct bt_findings *findings, bt_str record);
/*
 * What is written about a result that is neither the requested object nor a refusal: its problem,
 * and the members that say more, in the arena.
 */
BT_MUST_USE enum bt_status bt_result_find_problem(struct bt_call *work, enum bt_problem *out,
                                                  bt_str *out_members);
/*
 * Replace the body of a refusal by the problem of its finding, if there is one. `request_id` NULL:
 * without the member `instance`.
 */
BT_MUST_USE enum bt_status bt_result_write_refusal(struct bt_call *work, const char *request_id);
/* Set the result that the body is the requested object. Returns the status of the body. */
BT_MUST_USE enum bt_status bt_result_set_done(struct bt_call *work);
/* Set a report of these documents and further members as the result. */
BT_MUST_USE enum bt_status bt_result_set_report(struct bt_call *work,
                                                const struct bt_judgement *judged, size_t count,
                                                bt_str members);

/* ---- Requests -------------------------------------------------------------------------------- */

/* When a document is judged. */
struct bt_judging_time {
    bool is_given; /* else: now */
    bt_instant now;
};

/* How a document is repaired, shortened, converted, sealed or made. */
struct bt_rewrite_options {
    uint64_t attempt; /* 0: the default */
    bool original_order;
    bool emit_prompt;
    bool prompts_findings; /* a prompt shows the findings and not the document */
    bt_str answer;         /* from a model; "": none */
    bt_str from;           /* the dialect to convert from */
    bt_str step;
    bool reseal;
    struct bt_universal_draft *draft; /* of a handoff to be made, or NULL */
};

/* How a submission is recorded. */
struct bt_record_options {
    bt_str input_text; /* the contract INPUT from an operator; "": the stored one */
    bt_str id;         /* the replay key of a dialect without one */
    bt_str workspace;
    bt_str session;
    uint32_t withheld;
    bool omit_document;
    bool is_expired;        /* the envelope has expired */
    struct bt_arg receipts; /* of partners' logs, a list; absent: none */
    const struct bt_transaction_hooks
        *transaction_hooks; /* committed with the decision; NULL: nothing */
};

/* A document and how it is to be judged. */
struct bt_check_request {
    bt_str text;
    bt_str path;
    enum bt_dialect_id dialect; /* BT_DIALECT_NONE: recognise it */
    enum bt_severity fail_level;
    struct bt_universal_options universal;
    struct bt_contract_options contract;
    char host_id[BT_AGENT_ID_BYTES_MAX + 1];
    struct bt_contract_input input;
    struct bt_plan_options plan;
    struct bt_dir *root; /* open; closed by bt_op_request_end() */
    struct bt_governed_options governed;
    struct bt_dir *catalogue; /* of governed handoffs; closed by bt_op_request_end() */
    bt_str root_name;         /* named by the caller; "" for none */
    bool has_options;         /* some options change the judgement, so that the policy has its
                               * own digest */
    bool structure_only;
    uint64_t max_rejections;
    bt_str members; /* further members of the report */
    struct bt_judging_time time;
    struct bt_rewrite_options rewrite;
    struct bt_record_options record;
};

/* The operations that an option is for. */
enum bt_op_service_option_use {
    OPTION_NONE = 0,
    OPTION_JUDGE = 1,
    OPTION_REPAIR = 2,
    OPTION_CONVERT = 4,
    OPTION_SUBMIT = 8,
    OPTION_SEAL = 16,
};

/* ---- Decisions ------------------------------------------------------------------------------- */

/* Fills in the result of an operation that records. */
typedef enum bt_status compose_fn(struct bt_call *work, void *context);

/* An operation that records, and is done once for one key. */
struct bt_op_idempotent {
    struct bt_call *work;
    compose_fn *compose;
    void *context;
    bool is_composed;     /* the result is written */
    bool can_name_agents; /* it may reveal agents, and the document is from `source` */
    bt_str source;
    struct bt_idempotency once;
};

/* Begin; with a key, what this thread records next through its ledger is stored with the result,
 * unless `once` is taken from here for a submission. */
void bt_op_idempotency_begin(struct bt_op_idempotent *deciding, struct bt_call *work,
                             compose_fn *compose, void *context);
void bt_op_idempotent_attach(struct bt_op_idempotent *deciding);
/* End it: set the result, for the first time or repeated. `is_done`: the action is recorded, or
 * needed no record; else *failed* says why not; NULL: it is unknown whether it is. */
BT_MUST_USE enum bt_status bt_op_idempotency_end(struct bt_op_idempotent *deciding, bool is_done,
                                                 const char *failed);

/* The bit of a name that an entry can withhold, 0 for none; and of those that are always
 * withheld. */
uint32_t bt_entry_field_parse(bt_str name);
uint32_t bt_config_withheld_fields(const struct bt_config *config);

/* Fill in the values of the configuration. */
void bt_op_request_begin(const struct bt_worker *service, struct bt_check_request *out);
void bt_op_request_end(struct bt_check_request *request);

/* True when there is an option of this name that takes this text. Whether there is such a root is
 * known only to an engine. */
bool bt_op_option_is_valid(unsigned use, bt_str name, bt_str text);
/* Take one option. False after bt_result_set_problem(): unknown, or a wrong value. */
BT_MUST_USE bool bt_op_request_option(struct bt_call *work, struct bt_check_request *request,
                                      unsigned use, bt_str name, const struct bt_arg *value);
/* True when the option of this name, which was taken, is as strict as the policy of the server.
 * False after bt_result_set_problem(). */
BT_MUST_USE bool bt_op_request_tightens(struct bt_call *work, struct bt_check_request *request,
                                        bt_str name, const struct bt_arg *value);
/* Check, once the dialect is known, that its options are as strict as the policy of the server:
 * the root, and whether the document is stored. False after bt_result_set_problem(). */
BT_MUST_USE bool bt_op_request_may_record(struct bt_call *work,
                                          const struct bt_check_request *request);
/* Put a member: an option that affects judging, with the value in force. */
void bt_op_request_put_option(struct bt_emit *emit, const struct bt_check_request *request,
                              const char *name);
/* Take a document: a string exactly, an object in its minified form. */
BT_MUST_USE enum bt_status bt_op_request_document(struct bt_call *work,
                                                  const struct bt_json_doc *document,
                                                  const bt_json_value *value, bt_str *out);
/* Set the dialect by name. False after bt_result_set_problem(). */
BT_MUST_USE bool bt_op_request_dialect(struct bt_call *work, bt_str name, enum bt_dialect_id *out);
/* Open the roots: the named one, or the default ones. False after bt_result_set_problem(). */
BT_MUST_USE bool bt_op_request_root(struct bt_call *work, struct bt_check_request *request,
                                    bt_str name);
/* Begin a request and open the catalogue of governed agents. False: the result is set. The caller
 * ends the request in either case. */
BT_MUST_USE bool bt_op_open_catalogue(struct bt_call *work, struct bt_check_request *out);

/*
 * Read a document of a call, by its number in an envelope, and all options. Call
 * bt_op_request_end() in every case. BT_OK with a result: something is wrong with the arguments.
 */
BT_MUST_USE enum bt_status bt_op_request_read(struct bt_call *work, const struct bt_args *args,
                                              unsigned use, size_t index,
                                              struct bt_check_request *out);

/* ---- Operations ------------------------------------------------------------------------------ */

/* Each sets the result; a status other than BT_OK means that there was no memory. */
typedef enum bt_status request_fn(struct bt_call *work, struct bt_check_request *request);
/* Run one on the document of a call; a dialect takes the place of that in the arguments. */
BT_MUST_USE enum bt_status bt_op_run_document(struct bt_call *work, const struct bt_args *args,
                                              unsigned use, enum bt_dialect_id dialect,
                                              request_fn *run);
/* Run one at the time that the request gives, if any. */
BT_MUST_USE enum bt_status bt_op_request_run(struct bt_call *work, struct bt_check_request *request,
                                             request_fn *run);
/* Judge the document at the time that the request gives, if any. False in *out_done: the result is
 * set instead. */
BT_MUST_USE enum bt_status bt_op_judge(struct bt_call *work, struct bt_check_request *request,
                                       struct bt_judgement *out, bool *out_done);
BT_MUST_USE enum bt_status bt_op_check(struct bt_call *work, struct bt_check_request *request);
BT_MUST_USE enum bt_status bt_op_repair(struct bt_call *work, struct bt_check_request *request);

/* Remove from a JSON text what would reveal to the caller agents that are not its own, when
 * `source` is the source of the document. */
BT_MUST_USE enum bt_status bt_result_hide_topology(struct bt_call *work, bt_str source,
                                                   struct bt_buf *text);

/* Remove what would reveal agents of others to the caller, when the document's dialect names
 * agents. */
BT_MUST_USE enum bt_status
bt_op_hide_agents(struct bt_call *work, const struct bt_judgement *judged, struct bt_buf *text);

/* Nanoseconds of the monotonic clock. */
uint64_t bt_worker_clock_ns(void *context);

/* Put `{"baton":1,"rules":[...]}`. */
void bt_rules_put(struct bt_buf *buf);
/* Read JSON that must be valid by the built-in schema of this name; NULL in *out: it is not. */
BT_MUST_USE enum bt_status bt_op_read_valid(struct bt_call *work, bt_str text, const char *name,
                                            const struct bt_json_doc **out);
/* The schema of this name, or "". */
bt_str bt_schema_builtin_named(bt_str name);

#endif
