/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_check.h - the end of one agent's turn on its way through the stages, for the files of
 * this folder.
 *
 *     read -> status -> evidence -> consolidation -> members -> approval -> verification -> loop
 *          -> updates -> governance
 *
 * Stages run in the order in which the contract lists its tokens, whatever the stage of their
 * findings: findings are sorted in the end, tokens are not.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_CONTRACT_CHECK_H
#define BATON_SRC_DIALECT_CONTRACT_CONTRACT_CHECK_H

#include <baton/schema.h>

#include "base/ascii.h"
#include "dialect/contract/contract.h"
#include "fence/fence.h"
#include "report/rules.h"

struct bt_contract_checker {
    struct bt_env *env;
    struct bt_arena arena;    /* this lies in it itself */
    struct bt_schema *schema; /* of INPUT envelopes; NULL: not needed yet */
    struct bt_schema_runner *runner;
};

/* Make the schema, unless it is there. */
BT_MUST_USE enum bt_status bt_contract_schema(struct bt_contract_checker *contract);

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Findings of one code; what is left out is counted. */
enum { BT_CONTRACT_FINDINGS_PER_CODE = 100 };

/* ---- One check ------------------------------------------------------------------------------- */

#define BT_CONTRACT_TAG BT_STR("agent_contract_handoff")

/* Tokens, in the order of the contract. There are never more than the rules can name. */
enum { BT_WORDS_MAX = 40 };

struct bt_contract_words {
    bt_str items[BT_WORDS_MAX];
    size_t count;
};

/* A change of some bytes of the text that would settle a finding. */
struct bt_contract_edit {
    size_t begin;
    size_t end;
    bt_str text;   /* what comes in their place */
    unsigned code; /* enum bt_code; BT_CODE_NONE: it belongs to the change before */
    bt_str pointer;
    enum bt_fix kind;
};

struct bt_contract_edits {
    struct bt_contract_edit *items;
    size_t count;
    size_t capacity;
};

/* What a block lacks, as a template can supply it. */
enum bt_contract_missing {
    BT_CONTRACT_MISSING_PLAN_STATUS = 1,
    BT_CONTRACT_MISSING_PENDING_STEPS = 2,
    BT_CONTRACT_MISSING_NEXT_ACTION = 4,
    BT_CONTRACT_MISSING_AGENT_ID = 8, /* or it is malformed, or not the host's */
    BT_CONTRACT_MISSING_CONSOLIDATION = 16,
    BT_CONTRACT_MISSING_APPROVAL = 32,
    BT_CONTRACT_MISSING_ROLLBACK = 64,
    BT_CONTRACT_MISSING_APPROVAL_VERIFICATION = 128,
    BT_CONTRACT_MISSING_VERIFICATION = 256,
};

/* The last block of the message. */
struct bt_contract_found_block {
    size_t count; /* opening lines of all blocks */
    struct bt_fence_block fence;
    size_t base; /* where the body begins in the text */
    bt_str body; /* "" while there is none */
};

/* The parts, each a filled object or NULL. */
struct bt_contract_parts {
    const bt_json_value *status;
    const bt_json_value *evidence;
    const bt_json_value *consolidation;
    const bt_json_value *approval;
};

struct bt_contract_absent {
    unsigned parts;              /* enum bt_contract_missing */
    unsigned evidence_keys;      /* bit per key, in the order of names.h */
    unsigned consolidation_keys; /* bit per key, in the order of names.h */
};

struct bt_contract_tokens {
    struct bt_contract_words missing;
    struct bt_contract_words invalid;
    struct bt_contract_words warnings;
};

/* The approval request. */
struct bt_contract_sealed_request {
    bt_str canonical;                      /* in canonical form, or "" */
    char fingerprint[BT_SHA256_HEX_BYTES]; /* of it; "": none */
};

struct bt_contract_check {
    struct bt_contract_checker *contract;
    const struct bt_contract_options *options;
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the findings */
    bt_str text;
    enum bt_severity fail_level;
    bool wants_edits;

    struct bt_contract_found_block block;
    const struct bt_json_doc *document; /* of the body; NULL: it could not be read */
    const bt_json_value *root;
    struct bt_contract_parts parts;

    enum bt_contract_status plan_status;
    bt_str agent_id; /* "": illegal */
    bool mismatch;   /* it is not the one the host reports */
    bool demanded;   /* a consolidation report is */
    struct bt_contract_absent absent;
    struct bt_contract_tokens tokens;
    struct bt_contract_sealed_request request;

    struct bt_contract_edits edits;
    struct bt_contract_edits secrets; /* runs of the text that nothing may show */
};

/*
 * Read `text` and run every stage over it, adding to `findings` (not finished). *check has been
 * cleared but for contract, options, findings, text, fail_level and wants_edits. When reading
 * fails, check->document is NULL.
 */
BT_MUST_USE enum bt_status bt_contract_check_judge(struct bt_contract_check *check);

/* Write the facts; `fixed` (may be NULL) are the changes that were made. */
BT_MUST_USE enum bt_status bt_contract_check_facts(const struct bt_contract_check *check,
                                                   const struct bt_contract_edits *fixed,
                                                   bt_str *out);
/* The text as excerpts may show it: as long as the text, with credentials blotted out. */
BT_MUST_USE enum bt_status bt_contract_check_excerpt_text(const struct bt_contract_check *check,
                                                          bt_str *out);

/* Finish the findings of a judged turn and put the report about it together, at fail level HARD;
 * `fixed` as above. */
BT_MUST_USE enum bt_status bt_contract_check_finish(struct bt_contract_check *check, bt_str path,
                                                    const struct bt_contract_edits *fixed,
                                                    struct bt_judgement *out);

/* What the agent is told about a turn that was concluded: the prompt ("" when nothing is HARD) and
 * the member `repair` of a report. */
BT_MUST_USE enum bt_status bt_contract_check_write_repair(struct bt_contract_check *check,
                                                          struct bt_contract_attempt attempt,
                                                          bt_str *out_prompt, bt_str *out_members);

/* Whether a finding is at the fail level so far. */
bool bt_contract_check_is_rejected(const struct bt_contract_check *check);
/* "none", or who is to repair the block. */
bt_str bt_contract_check_action(const struct bt_contract_check *check);

/* ---- Looking --------------------------------------------------------------------------------- */

/* The member of an object (may be NULL), or NULL. */
const bt_json_value *bt_contract_check_get(const struct bt_contract_check *check,
                                           const bt_json_value *object, const char *name);
/* The value if it is an object with members, else NULL. */
const bt_json_value *bt_contract_non_empty_object(const bt_json_value *value);
/* Whether a value (NULL: absent) is a string that is not blank. */
bool bt_json_is_non_blank_string(const bt_json_value *value);
/* Whether a value is a non-blank string, a non-empty list or a non-empty object. */
bool bt_json_is_non_empty(const bt_json_value *value);
/* Whether a value is absent or null. */
bool bt_json_is_absent_or_null(const bt_json_value *value);
/* The number of a value that is one, or a string that is wholly one; "" otherwise. */
bt_str bt_contract_number_text(const struct bt_contract_check *check, const bt_json_value *value);
/* A string as it is, any other value as compact JSON, in the arena or the document. */
BT_MUST_USE enum bt_status bt_contract_check_text(const struct bt_contract_check *check,
                                                  const bt_json_value *value, bt_str *out);

/* ---- Saying ---------------------------------------------------------------------------------- */

/* Where a value of the document stands in the message; NULL: the whole message. */
struct bt_location bt_contract_locate(const struct bt_contract_check *check,
                                      const bt_json_value *value);
/* The text or number that a finding is about, absent when it is blank or neither. Not for payloads:
 * what they hold may be secret. */
bt_str bt_contract_shown_value(const struct bt_contract_check *check, const bt_json_value *value);

typedef enum bt_status bt_contract_add_member_fn(struct bt_findings *findings,
                                                 struct bt_location at, bt_str property,
                                                 bt_str value);
/* Add a finding about the member `name` of `object`: with its value when it is there, else about
 * the object that lacks it, with params.property. */
BT_MUST_USE enum bt_status bt_contract_check_add_member(struct bt_contract_check *check,
                                                        bt_contract_add_member_fn *add,
                                                        const bt_json_value *object,
                                                        const char *name);
/* Say that a string is understood but not written in its canonical form, unless it is. */
BT_MUST_USE enum bt_status bt_contract_check_canonical_spelling(struct bt_contract_check *check,
                                                                const bt_json_value *value,
                                                                bt_str canonical);
/* All five tokens of a status that is not there. */
void bt_contract_check_add_missing_status(struct bt_contract_check *check);
void bt_contract_words_add(struct bt_contract_words *words, bt_str word);
/* Add the text of a code (enum bt_code). */
void bt_contract_words_add_code(struct bt_contract_words *words, unsigned code);
/* Add "CODE:text", where the text is cut at 80 bytes. */
BT_MUST_USE enum bt_status bt_contract_check_add_token(struct bt_contract_check *check,
                                                       struct bt_contract_words *words,
                                                       unsigned code, bt_str text);

/* Note a change that would settle the finding of `code` about `value`. Offsets are the body's. */
BT_MUST_USE enum bt_status bt_contract_check_add_edit(struct bt_contract_check *check,
                                                      unsigned code, const bt_json_value *value,
                                                      struct bt_contract_edit edit);
/* Record a change that would resolve the finding of `code` about `value`: replace it by a
 * string. */
BT_MUST_USE enum bt_status bt_contract_check_add_string_edit(struct bt_contract_check *check,
                                                             unsigned code,
                                                             const bt_json_value *value,
                                                             bt_str text);

/* The text with all noted changes made. */
BT_MUST_USE enum bt_status bt_contract_edits_apply(struct bt_contract_check *check, bt_str *out);
/* Note that nothing may show these bytes of the body; see bt_contract_check_excerpt_text(). */
BT_MUST_USE enum bt_status bt_contract_check_redact(struct bt_contract_check *check, size_t begin,
                                                    size_t end);

#endif
