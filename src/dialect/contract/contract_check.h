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

#include <baton/contract.h>
#include <baton/schema.h>

#include "base/ascii.h"
#include "fence/fence.h"
#include "report/finding_builder.h"

struct bt_contract_checker {
    struct bt_env *env;
    struct bt_arena arena;    /* this lies in it itself */
    struct bt_schema *schema; /* of INPUT envelopes; NULL: not needed yet */
    struct bt_schema_runner *runner;
};

/* Make the schema, unless it is there. */
BT_MUST_USE enum bt_status bt_contract_schema(struct bt_contract_checker *contract);

/* ---- Rules ----------------------------------------------------------------------------------- */

enum { BT_CONTRACT_RULES_MAX = 96 };

/* The row of a code that has one. */
const struct bt_rule *bt_contract_rule(const char *code);
/* The row of a code, or NULL. */
const struct bt_rule *bt_contract_rule_or_null(bt_str code);

/* ---- One turn -------------------------------------------------------------------------------- */

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
    bt_str text; /* what comes in their place */
    bt_str code; /* "": it belongs to the change before */
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

struct bt_contract_check {
    struct bt_contract_checker *contract;
    const struct bt_contract_options *options;
    struct bt_findings *findings;
    struct bt_arena *arena; /* of the findings */
    bt_str text;
    enum bt_severity fail_level;
    bool wants_edits;

    size_t blocks;                      /* opening lines */
    struct bt_fence_block block;        /* the last of them */
    size_t base;                        /* where the body begins in the text */
    bt_str body;                        /* "" while there is none */
    const struct bt_json_doc *document; /* of the body; NULL: it could not be read */
    const bt_json_value *root;

    /* The parts, each a filled object or NULL. */
    const bt_json_value *status;
    const bt_json_value *evidence;
    const bt_json_value *consolidation;
    const bt_json_value *approval;

    enum bt_contract_status plan_status;
    bt_str agent_id;                     /* "": illegal */
    bool mismatch;                       /* it is not the one the host reports */
    bool demanded;                       /* a consolidation report is */
    unsigned missing_parts;              /* enum bt_contract_missing */
    unsigned missing_evidence_keys;      /* bit per key, in the order of names.h */
    unsigned missing_consolidation_keys; /* bit per key, in the order of names.h */
    struct bt_contract_words missing;
    struct bt_contract_words invalid;
    struct bt_contract_words warnings;
    bt_str canonical_request;              /* the approval request in canonical form, or "" */
    char fingerprint[BT_SHA256_HEX_BYTES]; /* of it; "": none */

    struct bt_contract_edits edits;
    struct bt_contract_edits secrets; /* runs of the text that nothing may show */

    /* Findings of one code are told a hundred times at most. Codes are listed as they come up. */
    unsigned finding_codes[BT_CONTRACT_RULES_MAX];
    size_t finding_code_count;
    size_t finding_counts[BT_CONTRACT_RULES_MAX];
    size_t last[BT_CONTRACT_RULES_MAX]; /* the index of the last one that was told */
};

/*
 * Read `text` and run every stage over it, adding to `findings` (not finished). *turn has been
 * cleared but for contract, options, findings, text, fail_level and wants_mends. When reading
 * fails, turn->document is NULL.
 */
BT_MUST_USE enum bt_status bt_contract_check_judge(struct bt_contract_check *turn);

/* Write the facts; `fixed` (may be NULL) are the changes that were made. */
BT_MUST_USE enum bt_status bt_contract_check_facts(const struct bt_contract_check *turn,
                                                   const struct bt_contract_edits *fixed,
                                                   bt_str *out);
/* The text as excerpts may show it: as long as the text, with credentials blotted out. */
BT_MUST_USE enum bt_status bt_contract_check_excerpt_text(const struct bt_contract_check *turn,
                                                          bt_str *out);

/* Finish the findings of a judged turn and put the report about it together, at fail level HARD;
 * `fixed` as above. */
BT_MUST_USE enum bt_status bt_contract_check_finish(struct bt_contract_check *turn, bt_str path,
                                                    const struct bt_contract_edits *fixed,
                                                    struct bt_judgement *out);

/* What the agent is told about a turn that was concluded: the prompt ("" when nothing is HARD) and
 * the member `repair` of a report. */
BT_MUST_USE enum bt_status bt_contract_check_write_repair(struct bt_contract_check *turn,
                                                          struct bt_contract_attempt attempt,
                                                          bt_str *out_prompt, bt_str *out_members);

/* Whether a finding is at the fail level so far. */
bool bt_contract_check_is_rejected(const struct bt_contract_check *turn);
/* "none", or who is to repair the block. */
bt_str bt_contract_check_action(const struct bt_contract_check *turn);

/* ---- Looking --------------------------------------------------------------------------------- */

/* The member of an object (may be NULL), or NULL. */
const bt_json_value *bt_contract_check_get(const struct bt_contract_check *turn,
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
bt_str bt_contract_number_text(const struct bt_contract_check *turn, const bt_json_value *value);
/* A string as it is, any other value as compact JSON, in the arena or the document. */
BT_MUST_USE enum bt_status bt_contract_check_text(const struct bt_contract_check *turn,
                                                  const bt_json_value *value, bt_str *out);
/* The beginning of a text, at most 80 bytes, cut at a character. */
bt_str bt_str_truncate_80(bt_str text);

/* ---- Saying ---------------------------------------------------------------------------------- */

/* Begin a finding about `value`, which stands in the document; NULL: about no place. */
void bt_contract_check_remark(const struct bt_contract_check *turn,
                              struct bt_finding_builder *remark, const char *code,
                              const bt_json_value *value);
/* Begin a finding about the member `name` of `object`: the member itself when it is there, else
 * the object that lacks it, with params.property. */
void bt_contract_check_remark_member(const struct bt_contract_check *turn,
                                     struct bt_finding_builder *remark, const char *code,
                                     const bt_json_value *object, const char *name);
/* Let the message be what the rule means, with the text or number that the finding is about. Not
 * for payloads: what they hold may be secret. */
void bt_contract_check_put_value(const struct bt_contract_check *turn,
                                 struct bt_finding_builder *remark, const bt_json_value *value);
/* Add the finding and end the remark, unless its code was told a hundred times. */
BT_MUST_USE enum bt_status bt_contract_check_add_finding(struct bt_contract_check *turn,
                                                         struct bt_finding_builder *remark);
/* A finding about a member without anything else to tell. */
BT_MUST_USE enum bt_status bt_contract_check_add_member_finding(struct bt_contract_check *turn,
                                                                const char *code,
                                                                const bt_json_value *object,
                                                                const char *name, const char *hint);
/* Say that a string is understood but not written in its canonical form, unless it is. */
BT_MUST_USE enum bt_status bt_contract_check_canonical_spelling(struct bt_contract_check *turn,
                                                                const bt_json_value *value,
                                                                bt_str canonical);
/* All five tokens of a status that is not there. */
void bt_contract_check_add_missing_status(struct bt_contract_check *turn);
/* Hold the findings from `from` on, which shared code has added, to a hundred of each code. */
void bt_contract_check_cap_findings(struct bt_contract_check *turn, size_t from);

/* Write into the last finding of each such code how many more there are. */
BT_MUST_USE enum bt_status bt_contract_check_add_omitted_counts(struct bt_contract_check *turn);

void bt_contract_words_add(struct bt_contract_words *words, bt_str word);
/* Add "CODE:text", where the text is cut at 80 bytes. */
BT_MUST_USE enum bt_status bt_contract_check_add_token(struct bt_contract_check *turn,
                                                       struct bt_contract_words *words,
                                                       const char *code, bt_str text);

/* Note a change that would settle the finding of `code` about `value`. Offsets are the body's. */
BT_MUST_USE enum bt_status bt_contract_check_add_edit(struct bt_contract_check *turn,
                                                      const char *code, const bt_json_value *value,
                                                      struct bt_contract_edit edit);
/* Record a change that would resolve the finding of `code` about `value`: replace it by a
 * string. */
BT_MUST_USE enum bt_status bt_contract_check_add_string_edit(struct bt_contract_check *turn,
                                                             const char *code,
                                                             const bt_json_value *value,
                                                             bt_str text);

/* The text with all noted changes made. */
BT_MUST_USE enum bt_status bt_contract_edits_apply(struct bt_contract_check *turn, bt_str *out);
/* Note that nothing may show these bytes of the body; see bt_contract_check_excerpt_text(). */
BT_MUST_USE enum bt_status bt_contract_check_redact(struct bt_contract_check *turn, size_t begin,
                                                    size_t end);

#endif
