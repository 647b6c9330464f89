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
#include "json/members.h"
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
    bt_str string; /* the string that `text` is, when it replaces a string; else absent */
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
    const bt_json_value *status_word; /* where plan_status was read, any value or NULL */
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
    bt_str alias;    /* the word that was read as another status, or "" */
    bt_str evidence; /* facts.evidence, from options->compare, or "" */
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
/* The id that the host reports, absent when it is not known. */
bt_str bt_contract_expected_id(const struct bt_contract_check *check);
/* The form that an id must have when the host's is not known, as a regular expression. */
bt_str bt_contract_id_pattern(const struct bt_contract_check *check);
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

/* Note that nothing may show these bytes of the body; see bt_contract_check_excerpt_text(). */
BT_MUST_USE enum bt_status bt_contract_check_redact(struct bt_contract_check *check, size_t begin,
                                                    size_t end);

/* ---- Stages ---------------------------------------------------------------------------------- */

typedef enum bt_status bt_contract_check_fn(struct bt_contract_check *check);

bt_contract_check_fn bt_contract_check_read;
bt_contract_check_fn bt_contract_check_status;
bt_contract_check_fn bt_contract_check_evidence;
bt_contract_check_fn bt_contract_check_consolidation;
bt_contract_check_fn bt_contract_check_members;
bt_contract_check_fn bt_contract_check_marks;
bt_contract_check_fn bt_contract_check_approval;
bt_contract_check_fn bt_contract_check_verification;
bt_contract_check_fn bt_contract_check_loop;
bt_contract_check_fn bt_contract_check_advisory;
bt_contract_check_fn bt_contract_check_updates;
bt_contract_check_fn bt_contract_check_record;

/* ---- Members that the schema names ----------------------------------------------------------- */

enum { BT_EVIDENCE_KEYS = 7, BT_CONSOLIDATION_KEYS = 6 };

/* A key of a report. Its code, which says that it is missing, is the key in upper case; it may also
 * be spelled like that. */
struct bt_contract_report_key {
    const char *name;
    unsigned code; /* enum bt_code */
    /* The finding that a list is missing; NULL: it should not hold a list. */
    enum bt_status (*add_missing)(struct bt_findings *findings, enum bt_fix fix,
                                  struct bt_location at, bt_str property, bt_str report);
};

extern const struct bt_contract_report_key bt_evidence_keys[BT_EVIDENCE_KEYS];
extern const struct bt_contract_report_key bt_consolidation_keys[BT_CONSOLIDATION_KEYS];

/* An object whose members the schema names. */
struct bt_contract_object_row {
    const char *pointer; /* of the object; "" the root */
    const char *const *names;
    size_t count;
};

enum bt_contract_object {
    BT_CONTRACT_OBJECT_ROOT = 0,
    BT_CONTRACT_OBJECT_STATUS,
    BT_CONTRACT_OBJECT_EVIDENCE,
    BT_CONTRACT_OBJECT_CONSOLIDATION,
    BT_CONTRACT_OBJECT_APPROVAL,
    BT_CONTRACT_OBJECT_LOOP,
    BT_CONTRACT_OBJECT_UPDATE, /* each item of update_contracts */
    BT_CONTRACT_OBJECT__MAX,
};

extern const struct bt_contract_object_row bt_named_objects[BT_CONTRACT_OBJECT__MAX];

/* ---- INPUT envelopes ------------------------------------------------------------------------- */

/* What an INPUT that fits its schema says; *out lives in the arena. */
BT_MUST_USE enum bt_status bt_contract_read_input(struct bt_arena *arena,
                                                  const struct bt_json_doc *document,
                                                  struct bt_contract_input *out);

/* Judge check->text as an INPUT envelope and write its facts. */
BT_MUST_USE enum bt_status bt_contract_judge_input(struct bt_contract_check *check,
                                                   bt_str *out_facts);

/* ---- Syntax ---------------------------------------------------------------------------------- */

/* What is wrong with a body that a strict reader could read up to `offset`. *out_fixable: it is a
 * comment or comma that can be taken out. */
enum bt_contract_json_syntax_rule bt_contract_check_syntax(bt_str body, size_t offset,
                                                           bool *out_fixable);

/* Note the removal of every comment and trailing comma up to the first other mistake. */
BT_MUST_USE enum bt_status bt_contract_fix_syntax(struct bt_contract_check *check);

/* ---- Updates --------------------------------------------------------------------------------- */

/* One entry, as far as it is well-formed. */
struct bt_contract_update {
    const bt_json_value *contract; /* a legal name, or NULL */
    const bt_json_value *payload;  /* an object, or NULL */
    bool is_dropped;               /* it may not be written, and the report counts without it */
};

/* How many entries there are. */
size_t bt_contract_updates_count(const struct bt_contract_check *check);
/* The entry at `index`; both parts are NULL when it is not an object. */
struct bt_contract_update bt_contract_updates_at(const struct bt_contract_check *check,
                                                 size_t index);
/* Merge the payload of an update, an object of the checked document, into a stored section. Sets
 * result and members of *out, and adds findings; check->wants_edits was set. */
BT_MUST_USE enum bt_status bt_contract_check_merge(struct bt_contract_check *check,
                                                   const bt_json_value *payload,
                                                   const struct bt_json_doc *stored,
                                                   struct bt_contract_merge_result *out);

/* Judge everything in `payload`, an object of check->document; what a running system says only
 * when `seeks_live_state`. */
BT_MUST_USE enum bt_status bt_contract_check_payload(struct bt_contract_check *check,
                                                     const bt_json_value *payload,
                                                     bool seeks_live_state);

/* Whether a value is what only a running system can say. `name` is "" for the items of a list. */
bool bt_contract_is_live_state(bt_str name, const bt_json_value *value);

struct bt_contract_merged_value {
    bool changed;        /* it is not the first list as it was */
    bool same_name;      /* two different objects have the same string as their `name` */
    const bt_ref *items; /* the list; in the arena; only when changed */
    size_t count;
};

/*
 * The items of `a`, then those of `b`, each kept only if no earlier one is deeply equal. `seed`
 * prevents an attacker from choosing values whose hashes collide. BT_ENOMEM is its only failure.
 */
BT_MUST_USE enum bt_status bt_contract_merge_values(struct bt_arena *arena, bt_ref a, bt_ref b,
                                                    const uint64_t seed[2],
                                                    struct bt_contract_merged_value *out);

/* ---- Addresses of repositories --------------------------------------------------------------- */

/* Read a reference, address:table/name; out->valid is false for everything else. */
BT_MUST_USE enum bt_status bt_repo_reference_parse(struct bt_arena *arena, bt_str text,
                                                   struct bt_repo_address *out);

/*
 * Find the next user part of an address that is a secret, at or after `from`: any with http, with
 * other schemes one that has a password. Slashes may be escaped, as in the source of a string.
 * False when there is none. The text is UTF-8.
 */
BT_MUST_USE bool bt_contract_next_secret(bt_str text, size_t from, size_t *out_begin,
                                         size_t *out_end);

/* Put the text with *** in place of such parts. */
void bt_contract_put_redacted(struct bt_buf *buf, bt_str text);

/* ---- Parts that are written ------------------------------------------------------------------ */

/* Put the member `advisory` of the facts. A block that was not read has none of them. */
BT_MUST_USE enum bt_status bt_contract_put_advisory(const struct bt_contract_check *check,
                                                    struct bt_emit *emit);

/* Put a marked block in its fence; see bt_contract_put_marked(). */
void bt_contract_put_marked_block(struct bt_buf *buf, const struct bt_contract_template *wanted);

/* Put what the block of a judged turn lacks, blank and at its place: only the members that are
 * missing, a missing container whole; everything when there is no block. `id` is the known one, or
 * "". False, with nothing put, when nothing is missing. */
bool bt_contract_put_missing_template(struct bt_emit *emit, const struct bt_contract_check *check,
                                      bt_str id);

#endif
