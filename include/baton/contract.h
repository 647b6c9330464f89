/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract.h - the agent_contract_handoff block with which a subagent ends its turn.
 *
 * Checking goes through bt_check() like every dialect, with the options below. What stands here
 * besides needs no store: the INPUT envelope, templates, repairs, merging, addresses.
 */
#ifndef BATON_CONTRACT_H
#define BATON_CONTRACT_H

#include <baton/env.h>
#include <baton/json.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What is made once ----------------------------------------------------------------------- */

/* The compiled schema of INPUT envelopes; for one thread at a time. */
struct bt_contract_checker;

/* `env` must outlive it. On BT_OK *out is given back with bt_contract_checker_destroy(). This costs
 * next to nothing: the schema is made when it is needed. */
BT_API BT_MUST_USE enum bt_status bt_contract_checker_create(struct bt_env *env,
                                                             struct bt_contract_checker **out);
/* NULL is allowed. */
BT_API void bt_contract_checker_destroy(struct bt_contract_checker *contract);

/* ---- The INPUT envelope ---------------------------------------------------------------------- */

/* What an agent was given before its turn, as far as it decides about its block. Without one
 * nothing is demanded and nothing is writable. */
struct bt_contract_input {
    bool consolidation_required;
    const bt_str *writable; /* names of sections that may be written */
    size_t writable_count;
};

/*
 * Read an INPUT as configuration; *out lives in the arena and points into `text`. BT_EINVAL, with
 * the reason in `error`: it is no strict JSON, no object, or a member is of a wrong type.
 */
BT_API BT_MUST_USE enum bt_status
bt_contract_checker_input_read(struct bt_contract_checker *contract, struct bt_arena *arena,
                               bt_str text, struct bt_contract_input *out, struct bt_error *error);

/* ---- How to judge ---------------------------------------------------------------------------- */

enum bt_contract_direction {
    BT_CONTRACT_OUTPUT = 0, /* the message of an agent */
    BT_CONTRACT_INPUT,      /* an INPUT envelope */
};

struct bt_contract_options {
    enum bt_contract_direction direction;
    bool no_fence;                         /* the document is the body itself, without a fence */
    const struct bt_contract_input *input; /* NULL: none was given */
    bt_str runtime_agent_id; /* from bt_contract_agent_id_from_runtime(); "": unknown */
};

#define BT_AGENT_ID_BYTES_MAX 128

/* The id that a block must carry when the host calls its agent `id`: a legal one as it is, other
 * forms mapped to one. NUL-terminated. BT_ENOMEM or BT_EIO: libcrypto could not do it. */
BT_API BT_MUST_USE enum bt_status
bt_contract_agent_id_from_runtime(bt_str id, char out[BT_AGENT_ID_BYTES_MAX + 1]);
/* Whether the text is a legal agent id: `a` and 5 to 127 lower-case hexadecimal digits. */
BT_API bool bt_agent_id_is_valid(bt_str text);

/* Whether the text is the id of an approval request: `P-` and 32 lower-case hexadecimal digits. */
BT_API bool bt_approval_id_is_valid(bt_str text);

/* Zero is no status, so that cleared memory never reads as one. */
enum bt_contract_status {
    BT_CONTRACT_STATUS_NONE = 0,
    BT_CONTRACT_STATUS_IN_PROGRESS,
    BT_CONTRACT_STATUS_APPROVAL_REQUEST,
    BT_CONTRACT_STATUS_COMPLETE,
    BT_CONTRACT_STATUS_BLOCKED,
    BT_CONTRACT_STATUS_NEEDS_INPUT,
    BT_CONTRACT_STATUS__MAX,
};

/* "IN_PROGRESS" ...; "" for none. */
BT_API bt_str bt_contract_status_name(enum bt_contract_status status);
/* BT_EINVAL when the text is none of the five words. */
BT_API BT_MUST_USE enum bt_status bt_contract_status_parse(bt_str name,
                                                           enum bt_contract_status *out);

/* ---- Templates and repairs ------------------------------------------------------------------- */

struct bt_contract_template {
    enum bt_contract_status status; /* none: IN_PROGRESS */
    bt_str agent_id;                /* "": to be filled in */
    bool consolidation_required;
};

/* Put the blank envelope as JSON, compact or indented by two blanks, without a final line feed. */
BT_API void bt_contract_checker_put_template(struct bt_buf *buf,
                                             const struct bt_contract_template *wanted,
                                             bool pretty);
/* The same in its fence, ready to be filled in. */
BT_API void bt_contract_checker_put_block(struct bt_buf *buf,
                                          const struct bt_contract_template *wanted);

struct bt_contract_document {
    bt_str path; /* as people know it */
    bt_str text;
    const struct bt_contract_options *options; /* NULL: the defaults */
};

/* What came of fixing. Everything lives in the arena that the call was given. */
struct bt_contract_fix_result {
    struct bt_judgement judged; /* the result, judged; facts.fixed lists what was done */
    bt_str text;                /* the resulting document; the given one when nothing changed */
    bt_str before;              /* the given document as it may be shown, like judged.source */
    size_t count;               /* of the fixes that were made */
};

/* Apply the safe fixes, and with `unsafe` the others. Only the bytes concerned are changed. */
BT_API BT_MUST_USE enum bt_status
bt_contract_checker_fix(struct bt_contract_checker *contract, struct bt_arena *arena,
                        const struct bt_contract_document *document, bool unsafe,
                        struct bt_contract_fix_result *out);

struct bt_contract_attempt {
    uint64_t number; /* from 1 */
    uint64_t limit;  /* how often a bad report is sent back */
};

/* What an agent is told about its bad report. */
struct bt_contract_repair_prompt {
    struct bt_judgement judged;
    bt_str prompt;  /* "" when the report is accepted */
    bt_str members; /* `"repair":{...}`, for the report; see struct bt_report_render_options */
};

/* Judge a message and write the prompt that asks for a better one. */
BT_API BT_MUST_USE enum bt_status
bt_contract_write_repair_prompt(struct bt_contract_checker *contract, struct bt_arena *arena,
                                const struct bt_contract_document *document,
                                struct bt_contract_attempt attempt,
                                struct bt_contract_repair_prompt *out);

/* ---- Sections -------------------------------------------------------------------------------- */

/* What came of merging. Everything lives in the arena that the call was given. */
struct bt_contract_merge_result {
    struct bt_judgement judged; /* of the payload */
    bt_str result;              /* the merged object, compact; "" when the payload is rejected */
    bt_str members;             /* `"result":...,"changes":[...]`, for the report */
};

/* Merge the payload of an update into a stored section, which is a JSON object. */
BT_API BT_MUST_USE enum bt_status bt_contract_merge_section(
    struct bt_contract_checker *contract, struct bt_arena *arena, const struct bt_json_doc *stored,
    const struct bt_contract_document *payload, struct bt_contract_merge_result *out);

/* ---- Addresses of repositories --------------------------------------------------------------- */

enum bt_repo_address_removed {
    BT_REPO_ADDRESS_REMOVED_USER = 1,        /* a user part without a secret */
    BT_REPO_ADDRESS_REMOVED_CREDENTIALS = 2, /* a password, or a user part with http */
    BT_REPO_ADDRESS_REMOVED_PORT = 4,
};

/* A remote address as everybody writes it the same way. Lives in the arena it was made in. */
struct bt_repo_address {
    bool valid;
    bt_str identity;  /* host/owner/repo; "" when invalid */
    bt_str suffix;    /* table/name; "" for a bare address */
    bt_str canonical; /* identity, or identity:suffix */
    unsigned dropped; /* enum bt_repo_address_removed */
};

/* Read an address, with a suffix if it has one. BT_ENOMEM is its only failure. */
BT_API BT_MUST_USE enum bt_status bt_repo_address_parse(struct bt_arena *arena, bt_str text,
                                                        struct bt_repo_address *out);

#ifdef __cplusplus
}
#endif

#endif
