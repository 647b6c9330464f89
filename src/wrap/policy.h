/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - what a session does with calls, results, definitions and records of one server.
 *
 *     struct bt_wrap_policy policy = bt_wrap_policy_default();
 *     ... bt_wrap_policy_read() takes the configuration, flags set members afterwards
 *     bt_wrap_policy_for_tool(&policy, name, &hints, &tool);
 *
 * A policy is plain data. Words are enums, numbered from 1 in the order that config/wrap_keys.c has
 * them in; zero means that a rule does not have the key.
 */
#ifndef BATON_SRC_WRAP_POLICY_H
#define BATON_SRC_WRAP_POLICY_H

#include <baton/json.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/env.h"
#include "base/str.h"
#include "base/vec.h"

struct bt_config; /* see config/config.h */

/* A number that is not given. */
#define BT_WRAP_UNSET UINT64_MAX

/* ---- Words ----------------------------------------------------------------------------------- */

enum bt_wrap_choice { BT_WRAP_CHOICE_UNSET = 0, BT_WRAP_CHOICE_NO, BT_WRAP_CHOICE_YES };

/* What follows from a definition or command that is not the pinned one. */
enum bt_wrap_pinning { BT_WRAP_PINNING_WARN = 1, BT_WRAP_PINNING_HIDE, BT_WRAP_PINNING_BLOCK };

/* What follows from a finding about arguments or results. */
enum bt_wrap_judging { BT_WRAP_JUDGING_OFF = 1, BT_WRAP_JUDGING_WARN, BT_WRAP_JUDGING_REFUSE };

/* What follows from a finding about texts. */
enum bt_wrap_reading { BT_WRAP_READING_OFF = 1, BT_WRAP_READING_WARN, BT_WRAP_READING_HIDE };

/* Where a person is asked for an approval: by a form of the client, or outside of it. */
enum bt_wrap_approval_form { BT_WRAP_APPROVAL_FORM_CLIENT = 1, BT_WRAP_APPROVAL_FORM_OUTSIDE };

/* What a record keeps beside digests; `none`: calls that passed have no record. */
enum bt_wrap_recording {
    BT_WRAP_RECORDING_NONE = 1,
    BT_WRAP_RECORDING_DIGESTS,
    BT_WRAP_RECORDING_ARGUMENTS,
    BT_WRAP_RECORDING_ALL,
};

/* Whether an answer waits until its record is durable. */
enum bt_wrap_waiting { BT_WRAP_WAITING_NONE = 1, BT_WRAP_WAITING_DURABLE };

/* What happens to calls while the store fails; `class`: `open` for tools that only read. */
enum bt_wrap_failing { BT_WRAP_FAILING_OPEN = 1, BT_WRAP_FAILING_CLOSED, BT_WRAP_FAILING_CLASS };

/* What a tool may do. */
enum bt_wrap_class { BT_WRAP_CLASS_READ = 1, BT_WRAP_CLASS_WRITE, BT_WRAP_CLASS_DESTRUCTIVE };

/* What happens to a result that is larger than its budget. */
enum bt_wrap_over {
    BT_WRAP_OVER_WARN = 1,
    BT_WRAP_OVER_CUT,
    BT_WRAP_OVER_SPILL,
    BT_WRAP_OVER_REFUSE,
};

/* What happens to a request of the server. */
enum bt_wrap_server_request { BT_WRAP_SERVER_REQUEST_PASS = 1, BT_WRAP_SERVER_REQUEST_REFUSE };

/* Methods whose requests are recorded: a set. */
enum bt_wrap_recorded_methods {
    BT_WRAP_RECORDS_CALL = 1 << 0,        /* tools/call */
    BT_WRAP_RECORDS_READ = 1 << 1,        /* resources/read */
    BT_WRAP_RECORDS_PROMPT = 1 << 2,      /* prompts/get */
    BT_WRAP_RECORDS_SAMPLING = 1 << 3,    /* sampling/createMessage */
    BT_WRAP_RECORDS_ELICITATION = 1 << 4, /* elicitation/create */
};

/* ---- Policy ---------------------------------------------------------------------------------- */

/* One rule about tools, or what all rules together say about one tool. */
struct bt_wrap_rule {
    struct bt_str_list tools;    /* patterns of which one must match */
    struct bt_str_list unpinned; /* members that are left out when definitions are compared */
    enum bt_wrap_class tool_class;
    enum bt_wrap_choice idempotent;
    enum bt_wrap_choice deny;
    enum bt_wrap_choice approve;
    enum bt_wrap_over over;
    enum bt_wrap_judging arguments;
    enum bt_wrap_judging results;
    enum bt_wrap_recording record;
    enum bt_wrap_waiting wait;
    enum bt_wrap_failing fail;
    uint64_t rate;   /* calls a minute for all tools of the rule together; 0: not limited */
    uint64_t tokens; /* of a result */
    uint64_t bytes;  /* of a result */
    uint64_t cost;   /* units that a call costs */
};

struct bt_wrap_pin_policy {
    enum bt_wrap_pinning changed;
    enum bt_wrap_pinning added;
    enum bt_wrap_pinning removed;
    enum bt_wrap_pinning command;
    enum bt_wrap_choice first_use; /* pin what is seen first */
};

struct bt_wrap_server_requests {
    enum bt_wrap_server_request sampling;
    enum bt_wrap_server_request elicitation;
    enum bt_wrap_server_request roots;
};

/* Limits of a session; BT_WRAP_UNSET: none. */
struct bt_wrap_spend {
    uint64_t calls;
    uint64_t tokens;
    uint64_t cost;
};

struct bt_wrap_limits {
    uint64_t message_bytes; /* of one line */
    uint64_t buffer_bytes;  /* that wait in one direction, besides one message */
    uint64_t in_flight;     /* open requests of one side */
    uint64_t pending;       /* requests for approval */
    uint64_t queue_records; /* that wait to be written */
};

/* The policy of one server: every member is set. */
struct bt_wrap_policy {
    struct bt_wrap_pin_policy pin;
    enum bt_wrap_judging arguments;
    enum bt_wrap_judging results;
    enum bt_wrap_reading texts;
    enum bt_wrap_reading secrets;             /* off or warn */
    enum bt_wrap_choice annotate;             /* name the record in results */
    enum bt_wrap_approval_form approval_form; /* the key `ask` */
    enum bt_wrap_recording record;
    unsigned methods; /* set of enum bt_wrap_recorded_methods */
    enum bt_wrap_waiting wait;
    enum bt_wrap_failing fail;
    struct bt_wrap_server_requests from_server;
    BT_VEC(struct bt_wrap_rule) rules; /* in their order: later ones win */
    struct bt_wrap_spend spend;
    struct bt_wrap_limits limits;
    uint64_t shutdown_ms;
    uint64_t upstream_idle_s;
    bool is_observing; /* nothing is refused, hidden, cut or asked; see bt_wrap_policy_observe() */
};

/* The defaults of every key. */
struct bt_wrap_policy bt_wrap_policy_default(void);
/* A rule that says nothing. */
struct bt_wrap_rule bt_wrap_rule_default(void);

/*
 * Read the policy of the server called `name`: the keys below `wrap`, those below
 * `wrap.servers.NAME` win key by key, and its rules come last. The texts of the configuration must
 * outlive the policy, whose rules are in the arena. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_policy_read(struct bt_arena *arena,
                                               const struct bt_config *config, bt_str name,
                                               struct bt_wrap_policy *out);

/* True when the configuration sets a key such as `ask` for all servers or for this one. */
bool bt_wrap_policy_is_given(const struct bt_config *config, bt_str name, bt_str key);

/*
 * Enforce: arguments and results that break their schema are refused, suspicious texts hidden,
 * records durable and failing stores closed, and destructive tools need an approval unless a later
 * rule says otherwise. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_policy_enforce(struct bt_arena *arena,
                                                  struct bt_wrap_policy *policy);
/* Observe: everything that is checked only warns. */
void bt_wrap_policy_observe(struct bt_wrap_policy *policy);
/* Add a rule for one pattern behind the others; `rule` says the rest. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_policy_add(struct bt_arena *arena, struct bt_wrap_policy *policy,
                                              bt_str pattern, const struct bt_wrap_rule *rule);
/* True when a rule can ask for an approval. */
bool bt_wrap_policy_approves(const struct bt_wrap_policy *policy);

/*
 * Set a key from its word, such as `record` from "all", as the configuration would. BT_EINVAL: the
 * key does not have this word.
 */
BT_MUST_USE enum bt_status bt_wrap_policy_set(struct bt_wrap_policy *policy, bt_str key,
                                              bt_str word);

/* Put the canonical JSON (RFC 8785) of the policy: every key, defaults included. */
void bt_wrap_policy_put(const struct bt_wrap_policy *policy, struct bt_buf *buf);
/* The SHA-256 of that text. BT_ENOMEM, BT_EIO. */
BT_MUST_USE enum bt_status bt_wrap_policy_digest(const struct bt_wrap_policy *policy,
                                                 char out[BT_SHA256_HEX_BYTES]);

/* ---- Tools ----------------------------------------------------------------------------------- */

/* The annotations of a tool that rules use. */
struct bt_wrap_hints {
    enum bt_wrap_choice read_only;
    enum bt_wrap_choice destructive;
    enum bt_wrap_choice idempotent;
    enum bt_wrap_choice open_world;
};

/* The hints in a definition; none when it has no annotations. */
struct bt_wrap_hints bt_wrap_hints_read(const struct bt_json_doc *document,
                                        const bt_json_value *definition);

enum { BT_WRAP_NO_RULE = -1 };

/* What a policy says about one tool: every member of `rule` is set but `tools`. */
struct bt_wrap_tool_policy {
    struct bt_wrap_rule rule;
    ptrdiff_t rate_rule; /* the rule that `rate` is of, or BT_WRAP_NO_RULE */
};

/*
 * What the policy says about a tool. Names decide about class and idempotence first, then patterns
 * with @ count too; of all rules that match, the later one wins key by key.
 */
void bt_wrap_policy_for_tool(const struct bt_wrap_policy *policy, bt_str name,
                             const struct bt_wrap_hints *hints, struct bt_wrap_tool_policy *out);

/* True when a rule has a pattern with @, so that definitions have to be known. */
bool bt_wrap_policy_needs_hints(const struct bt_wrap_policy *policy);

#endif
