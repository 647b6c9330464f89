/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract.h - the agent_contract_handoff block with which a subagent ends its turn.
 *
 * Checks go through bt_check_document() as for every dialect, with the options below. Everything
 * else here needs no store: the INPUT envelope, templates, fixes, merging, repository addresses.
 * Statuses other than BT_OK that are not described: BT_ENOMEM, the arena reached its limit or the
 * system has no memory.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_CONTRACT_H
#define BATON_SRC_DIALECT_CONTRACT_CONTRACT_H

#include <baton/base.h>
#include <baton/json.h>
#include <baton/report.h>
#include "base/env.h"

#include "edit/edit.h"
#include "report/report.h"

/* ---- Checker --------------------------------------------------------------------------------- */

/* The compiled schema of INPUT envelopes; for one thread at a time. */
struct bt_contract_checker;

/*
 * Make a checker; the schema is compiled on first use. `env` must outlive it. Destroy it with
 * bt_contract_checker_destroy(). BT_ENOMEM: no memory.
 */
BT_MUST_USE enum bt_status bt_contract_checker_create(struct bt_env *env,
                                                      struct bt_contract_checker **out);
/* Destroy it. NULL is allowed. */
void bt_contract_checker_destroy(struct bt_contract_checker *contract);

/* ---- The INPUT envelope ---------------------------------------------------------------------- */

/*
 * The part of an agent's INPUT that matters for its block. Without an INPUT nothing is required and
 * no section is writable.
 */
struct bt_contract_input {
    bool consolidation_required;
    const bt_str *writable; /* names of the writable sections */
    size_t writable_count;
};

/*
 * Read an INPUT envelope; *out lives in the arena and points into `text`. BT_EINVAL: it is not
 * strict JSON, not an object, or a member has a wrong type; `error` says which.
 */
BT_MUST_USE enum bt_status bt_contract_input_read(struct bt_contract_checker *contract,
                                                  struct bt_arena *arena, bt_str text,
                                                  struct bt_contract_input *out,
                                                  struct bt_error *error);

/* ---- Comparing ------------------------------------------------------------------------------- */

/* A block that could be read, for what compares it with the record of its turn. */
struct bt_contract_view {
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the findings */
    const struct bt_json_doc *document;
    const bt_json_value *evidence; /* evidence_report, or NULL */
    bool is_complete;              /* its status is COMPLETE */
    size_t base;                   /* where the body begins in the message */
};

/*
 * Compare a block with something that the dialect does not know. Findings are added to the view's;
 * *out_facts is the JSON value of facts.evidence, in the view's arena, or "" for none.
 */
typedef enum bt_status bt_contract_compare_fn(void *context, const struct bt_contract_view *view,
                                              bt_str *out_facts);

/* ---- Options --------------------------------------------------------------------------------- */

enum bt_contract_direction {
    BT_CONTRACT_OUTPUT = 0, /* the message of an agent */
    BT_CONTRACT_INPUT,      /* an INPUT envelope */
};

struct bt_contract_options {
    enum bt_contract_direction direction;
    /* the document is the JSON body itself, without a fence */
    bool no_fence;
    const struct bt_contract_input *input; /* NULL: none was given */
    bt_str runtime_agent_id; /* from bt_contract_agent_id_from_runtime(); "": unknown */
    bt_str written_agent_id; /* that id as the agent host writes it, or "" */
    /* the agent host does not tell its agents their ids: one that is missing is filled in */
    bool fills_agent_id;
    /* What the words of bt_contract_options_set() choose. */
    bool any_agent_ids;      /* ids of other frameworks are legal */
    bool strict_transitions; /* a status that may not follow the last one rejects the report */
    bool rejects_off_list;   /* an update that may not be written rejects the report */
    bool own_approval_ids;   /* an approval id of another hook rejects the report */
    bt_contract_compare_fn *compare; /* NULL: nothing is compared */
    void *compare_context;
};

enum { BT_CONTRACT_SETTINGS = 4 };

/* A setting of the options with its two words; the first is the default. */
struct bt_contract_setting {
    const char *name; /* as in the configuration, without `contract.` */
    const char *words[2];
    bool *(*member)(struct bt_contract_options *options); /* true: the second word */
};

extern const struct bt_contract_setting bt_contract_settings[BT_CONTRACT_SETTINGS];

/* Choose by a word: `agent_ids` host or any, `transitions` warn or strict, `off_list` drop or
 * reject, `approval_ids` any or own. False when there is no such setting or word. */
bool bt_contract_options_set(struct bt_contract_options *options, bt_str name, bt_str word);

#define BT_AGENT_ID_BYTES_MAX 128

/*
 * Convert the id that an agent host uses to the agent id that a block must have: a valid id is
 * unchanged, other forms are mapped to a valid one. NUL-terminated. BT_ENOMEM, BT_EIO: libcrypto
 * failed.
 */
BT_MUST_USE enum bt_status bt_contract_agent_id_from_runtime(bt_str id,
                                                             char out[BT_AGENT_ID_BYTES_MAX + 1]);
/* True when the text is a valid agent id: `a` and 5 to 127 lower-case hexadecimal digits. */
bool bt_agent_id_is_valid(bt_str text);
/* True when the text is an id of any framework: at most 128 letters, digits and _ . : @ / -, the
 * first a letter or digit. */
bool bt_agent_id_is_any(bt_str text);

/*
 * True when the text is the id of an approval request: `P-` and 32 lower-case hexadecimal digits.
 */
bool bt_approval_id_is_valid(bt_str text);

/* Zero is not a status, so that cleared memory never reads as one. */
enum bt_contract_status {
    BT_CONTRACT_STATUS_NONE = 0,
    BT_CONTRACT_STATUS_IN_PROGRESS,
    BT_CONTRACT_STATUS_APPROVAL_REQUEST,
    BT_CONTRACT_STATUS_COMPLETE,
    BT_CONTRACT_STATUS_BLOCKED,
    BT_CONTRACT_STATUS_NEEDS_INPUT,
    BT_CONTRACT_STATUS__MAX,
};

/* "IN_PROGRESS" and so on; "" for BT_CONTRACT_STATUS_NONE. A constant. */
bt_str bt_contract_status_name(enum bt_contract_status status);
/* What is to be done after a report with this status: "resume", "close" and so on; "" for none. */
bt_str bt_contract_status_dispatch(enum bt_contract_status status);
/* Parse a status. BT_EINVAL: the text is not one of the five words. */
BT_MUST_USE enum bt_status bt_contract_status_parse(bt_str name, enum bt_contract_status *out);

/* ---- Templates and fixes --------------------------------------------------------------------- */

struct bt_contract_template {
    enum bt_contract_status status; /* none means IN_PROGRESS */
    bt_str agent_id;                /* "": left for the agent to fill in */
    bool consolidation_required;
    bool fills_agent_id; /* the agent leaves its id blank; only for marked blocks */
};

/*
 * Put an empty envelope as JSON, compact or indented by two spaces, without a final line feed.
 * Failures stick to the buffer.
 */
void bt_contract_put_template(struct bt_buf *buf, const struct bt_contract_template *wanted,
                              bool pretty);
/* Put an empty envelope in its fence, ready to be filled in. Failures stick to the buffer. */
void bt_contract_put_block(struct bt_buf *buf, const struct bt_contract_template *wanted);

/* A report to be made. Empty lists and texts are left blank, as the template has them. */
struct bt_contract_draft {
    struct bt_contract_template blank; /* what is filled in */
    bt_str next_action;
    bt_str verification; /* the result; "": the report has no verification */
    bt_str summary;      /* "": the report has none */
    struct bt_str_list pending_steps;
    struct bt_str_list files_checked;
    struct bt_str_list commands_run;
    struct bt_str_list key_outputs;
    struct bt_str_list open_gaps;
};

/* Put a filled envelope in its fence. Failures stick to the buffer. */
void bt_contract_put_draft(struct bt_buf *buf, const struct bt_contract_draft *draft);

/*
 * Put a block as an agent would write it, with a mark <FILL: ...> for everything that it must fill
 * in; no status means COMPLETE. Compact or indented by two spaces, without a final line feed.
 * Failures stick to the buffer.
 */
void bt_contract_put_marked(struct bt_buf *buf, const struct bt_contract_template *wanted,
                            bool pretty);
/* Put what an agent is told at its start: its id, the five statuses, and a marked block in its
 * fence. At most 6,144 bytes. Failures stick to the buffer. */
void bt_contract_put_guide(struct bt_buf *buf, const struct bt_contract_template *wanted);

/* SKILL.md of the skill `baton-contract`, which tells agents how to write blocks. */
bt_str bt_contract_skill(void);

struct bt_contract_document {
    bt_str path; /* for messages */
    bt_str text;
    const struct bt_contract_options *options; /* NULL: the defaults */
};

/* The result of fixing. Everything lives in the arena passed to the call. */
struct bt_contract_fix_result {
    struct bt_judgement judged; /* of the resulting document; facts.fixed lists the fixes */
    bt_str text;                /* the resulting document, or the given one when nothing changed */
    bt_str before;              /* the given document as it may be shown, like judged.source */
    struct bt_edit_list edits;  /* from the given document to `text` */
    size_t count;               /* number of fixes applied */
};

struct bt_fix_choice; /* see report/fixes.h */

/* Make the fixes that were chosen. Only the affected bytes are changed. */
BT_MUST_USE enum bt_status bt_contract_fix(struct bt_contract_checker *contract,
                                           struct bt_arena *arena,
                                           const struct bt_contract_document *document,
                                           const struct bt_fix_choice *choice,
                                           struct bt_contract_fix_result *out);

struct bt_contract_attempt {
    uint64_t number; /* from 1 */
    uint64_t limit;  /* the number of times a bad report is sent back */
};

/* What an agent is told about its bad report. Everything lives in the arena passed to the call. */
struct bt_contract_repair_prompt {
    struct bt_judgement judged;
    bt_str prompt;  /* "" when the report is accepted */
    bt_str members; /* `"repair":{...}`, for the report; see struct bt_report_render_options */
};

/* Judge a message and write the prompt that requests a better one. */
BT_MUST_USE enum bt_status
bt_contract_write_repair_prompt(struct bt_contract_checker *contract, struct bt_arena *arena,
                                const struct bt_contract_document *document,
                                struct bt_contract_attempt attempt,
                                struct bt_contract_repair_prompt *out);

/* ---- Sections -------------------------------------------------------------------------------- */

/* The result of merging. Everything lives in the arena passed to the call. */
struct bt_contract_merge_result {
    struct bt_judgement judged; /* of the payload */
    bt_str result;              /* the merged object, compact; "" when the payload is rejected */
    bt_str members;             /* `"result":...,"changes":[...]`, for the report */
};

/* Merge the payload of an update into a stored section, which is a JSON object. */
BT_MUST_USE enum bt_status bt_contract_merge_section(struct bt_contract_checker *contract,
                                                     struct bt_arena *arena,
                                                     const struct bt_json_doc *stored,
                                                     const struct bt_contract_document *payload,
                                                     struct bt_contract_merge_result *out);

/* ---- Repository addresses -------------------------------------------------------------------- */

enum bt_repo_address_removed {
    BT_REPO_ADDRESS_REMOVED_USER = 1,        /* a user name without a secret */
    BT_REPO_ADDRESS_REMOVED_CREDENTIALS = 2, /* a password, or any user part with http */
    BT_REPO_ADDRESS_REMOVED_PORT = 4,
};

/* A repository address in normal form. Lives in the arena it was made in. */
struct bt_repo_address {
    bool valid;
    bt_str identity;  /* host/owner/repo; "" when invalid */
    bt_str suffix;    /* table/name; "" when the address has no suffix */
    bt_str canonical; /* identity, or identity:suffix */
    unsigned dropped; /* enum bt_repo_address_removed */
};

/*
 * Parse a repository address with an optional suffix. An address that is not valid gives BT_OK with
 * out->valid false. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_repo_address_parse(struct bt_arena *arena, bt_str text,
                                                 struct bt_repo_address *out);

/* ---- Recognition ----------------------------------------------------------------------------- */

/* Whether it has the opening line of a block. Takes no memory. */
bool bt_contract_recognise(bt_str content);

#endif
