/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal.h - the universal JSON handoff envelope, version 3.0.
 *
 * Checking goes through bt_check() like every dialect, with the options below.
 */
#ifndef BATON_UNIVERSAL_H
#define BATON_UNIVERSAL_H

#include <baton/env.h>
#include <baton/report.h>
#include <baton/tokens.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bt_skill_catalogue; /* see catalogue.h */

/* ---- How to judge ---------------------------------------------------------------------------- */

/* The parts of a handoff whose tokens are counted one by one. */
enum bt_universal_section {
    BT_UNIVERSAL_SECTION_METADATA = 0, /* version, schema_type, timestamp, expires_at, trace_id */
    BT_UNIVERSAL_SECTION_ENDPOINTS,    /* source, target */
    BT_UNIVERSAL_SECTION_CONTEXT,
    BT_UNIVERSAL_SECTION_WORKING,
    BT_UNIVERSAL_SECTION_SESSION,
    BT_UNIVERSAL_SECTION_REFERENCES,
    BT_UNIVERSAL_SECTION_META, /* meta, tracing */
    BT_UNIVERSAL_SECTION__MAX,
};

BT_API bt_str bt_universal_section_name(enum bt_universal_section section);
/* BT_EINVAL when no section has this name. */
BT_API BT_MUST_USE enum bt_status bt_universal_section_parse(bt_str name,
                                                             enum bt_universal_section *out);

#define BT_UNIVERSAL_SECTION_UNLIMITED UINT64_MAX

struct bt_universal_options {
    enum bt_encoding encoding;
    bt_str token_dir; /* where NAME.tiktoken lies; "": the built-in tables */
    uint64_t budget;  /* tokens of the whole document, from 1 */
    uint64_t section_limits
        [BT_UNIVERSAL_SECTION__MAX]; /* tokens of a section, or BT_UNIVERSAL_SECTION_UNLIMITED */
    bool semantics_warn;             /* loops and missing approval warn instead of blocking */
    bool chain_head;                 /* the source must be the first of the chain */
    bool strict_expiry;              /* EXPIRED blocks */
    bool no_refs;                    /* do not look for referenced files */
    bool refs_within_root;           /* look only beneath the root, as a server must */
    bool verify_artifacts;           /* compare the checksums of artifacts */
    bool fail_fast;                  /* stop after the first stage with a HARD finding */
    bt_str root;                     /* relative references are looked up here; "": where we are */
    const struct bt_skill_catalogue *catalogue; /* NULL: no stage governance */
};

/* o200k_base, 2000 tokens, ceilings 500, 1000, 500 for working, session, references. */
BT_API struct bt_universal_options bt_universal_checker_options_default(void);

/* ---- Working with one -------------------------------------------------------------------------*/

/* The compiled schema, token tables and warm memory; for one thread at a time. */
struct bt_universal_checker;

/* `env` must outlive it. On BT_OK *out is given back with bt_universal_checker_destroy(). */
BT_API BT_MUST_USE enum bt_status bt_universal_checker_create(struct bt_env *env,
                                                              struct bt_universal_checker **out);
/* NULL is allowed. */
BT_API void bt_universal_checker_destroy(struct bt_universal_checker *universal);

/* A document as it came in. */
struct bt_universal_input {
    bt_str path; /* as people know it */
    bt_str text;
    const struct bt_universal_options *options; /* NULL: the defaults */
};

enum bt_universal_outcome {
    BT_UNIVERSAL_OUTCOME_NONE = 0,
    BT_UNIVERSAL_UNCHANGED,
    BT_UNIVERSAL_FIXED,
    BT_UNIVERSAL_REPAIRED,
    BT_UNIVERSAL_COMPRESSED,
    BT_UNIVERSAL_SEALED,
    BT_UNIVERSAL_CONVERTED,
    BT_UNIVERSAL_ESCALATED, /* only a person can go on */
};

/* "unchanged", "repaired" ...; "" for none and for fixed, which has no word of its own. */
BT_API bt_str bt_universal_outcome_name(enum bt_universal_outcome outcome);

/*
 * What came of a change. Everything lives in the arena that the call was given.
 * `judged` has the findings and facts as the chapter asks for them, and in `members` the outcome
 * and the document, ready for bt_report_add(); `written` is added by whoever writes.
 */
struct bt_universal_result {
    struct bt_judgement judged;
    enum bt_universal_outcome outcome;
    bt_str text; /* the resulting document, in the form in which it is to be written; the given one
                    when escalated */
    struct bt_universal_spill {
        bt_str path; /* as the document refers to it; "": nothing was moved out */
        bt_str text;
    } spill;        /* a session that was moved out of the document */
    bt_str written; /* where it was written to, or would be; "": nowhere */
};

/* ---- Fixing ---------------------------------------------------------------------------------- */

/* Apply the safe fixes, and with `unsafe` the others. outcome: BT_UNIVERSAL_UNCHANGED or
 * BT_UNIVERSAL_FIXED. */
BT_API BT_MUST_USE enum bt_status bt_universal_checker_fix(struct bt_universal_checker *universal,
                                                           struct bt_arena *arena,
                                                           const struct bt_universal_input *input,
                                                           bool unsafe,
                                                           struct bt_universal_result *out);

/* ---- Where files may be written -------------------------------------------------------------- */

/*
 * The folders beneath which handoffs and what they refer to are written. A relative session_path
 * lies beneath the first one; an absolute one must lie beneath one of them. Without any, they are
 * the current folder and the temporary one.
 */
struct bt_universal_write_dirs {
    const bt_str *paths;
    size_t count;
    bt_str temporary; /* "": /tmp */
};

/* ---- Compressing ----------------------------------------------------------------------------- */

struct bt_universal_compress_options {
    bool
        /* the original order, which drops the session and the end of validity first */
        original_order;
    bool no_spill; /* do not write the session that was moved out; out->spill has it */
    struct bt_universal_write_dirs roots;
};

/*
 * Make the document fit options->budget, by the smallest step that does: its form, optional
 * members, the session moved to a file, texts shortened. outcome: BT_UNIVERSAL_UNCHANGED when it
 * fits already, BT_UNIVERSAL_COMPRESSED, or BT_UNIVERSAL_ESCALATED when it cannot be made to fit or
 * has other faults. The file of the session is written and durable when this returns; nothing is
 * written when it is escalated.
 *
 * BT_EIO, BT_EEXIST, BT_EDENIED: the file could not be written; BT_ELIMIT: there are hundreds of
 * long texts to shorten in a large document. `error` (may be NULL) says more.
 */
BT_API BT_MUST_USE enum bt_status
bt_universal_checker_compress(struct bt_universal_checker *universal, struct bt_arena *arena,
                              const struct bt_universal_input *input,
                              const struct bt_universal_compress_options *how,
                              struct bt_universal_result *out, struct bt_error *error);

/* ---- Sealing --------------------------------------------------------------------------------- */

/*
 * Set hash, size and token count of an accepted document; with `reseal` also of one whose only
 * fault is that its seal is broken. outcome: BT_UNIVERSAL_SEALED, or BT_UNIVERSAL_ESCALATED and
 * nothing was changed.
 */
BT_API BT_MUST_USE enum bt_status bt_universal_checker_seal(struct bt_universal_checker *universal,
                                                            struct bt_arena *arena,
                                                            const struct bt_universal_input *input,
                                                            bool reseal,
                                                            struct bt_universal_result *out);

/* ---- Writing --------------------------------------------------------------------------------- */

struct bt_json_doc; /* see json.h */

/* Called after the file was written, while findings can still be added to the report. */
typedef enum bt_status bt_universal_written_fn(void *context, const struct bt_json_doc *document,
                                               struct bt_findings *notes);

struct bt_universal_write_options {
    bool seal;          /* set hash, size and token count first; else the bytes go as they are */
    bool dry_run;       /* only find out where it would go */
    bool show_document; /* the report has the document, also when it is rejected */
    struct bt_universal_write_dirs roots;
    bt_universal_written_fn *written; /* or NULL */
    void *context;                    /* of `written` */
};

/*
 * Check a document and, if it is accepted, write it to
 * {session_path}/handoffs/{source}-to-{target}-{time}.json, or to the folder of this user beneath
 * the temporary one when that folder cannot be used. Nothing is ever overwritten. out->written is
 * the path; "" when the document was rejected.
 *
 * BT_EIO, BT_EEXIST, BT_EDENIED: it could not be written; `error` (may be NULL) says why.
 */
BT_API BT_MUST_USE enum bt_status
bt_universal_checker_write(struct bt_universal_checker *universal, struct bt_arena *arena,
                           const struct bt_universal_input *input,
                           const struct bt_universal_write_options *how,
                           struct bt_universal_result *out, struct bt_error *error);

/* ---- Making ---------------------------------------------------------------------------------- */

struct bt_str_list {
    const bt_str *items;
    size_t count;
};

struct bt_universal_tag {
    bt_str name;
    bt_str value;
};

/*
 * A handoff that is to be made. A text whose `ptr` is NULL is absent, and so is its member; a draft
 * of zeros has nothing. Texts are UTF-8. What is wrong with them is told when the document is
 * judged.
 */
struct bt_universal_draft {
    bt_str timestamp; /* absent: now, in whole seconds */
    bt_str expires_at;
    bt_str trace_id; /* absent: a new one */
    bt_str source;
    bt_str workflow_id;
    bt_str session_path;
    bt_str phase;
    bt_str target;
    bt_str invocation;
    bt_str category;
    bt_str expected_phase;
    bt_str summary;
    bt_str original_prompt;
    bt_str problem_type;
    struct bt_str_list focus_areas;
    struct bt_str_list known_gaps;
    struct bt_str_list success_criteria;
    bt_str working;           /* JSON; absent: {} */
    bt_str session;           /* JSON */
    bt_str references;        /* JSON */
    bt_str confidence;        /* absent: medium */
    struct bt_str_list chain; /* empty: the source alone */
    bool no_chain;            /* empty means that there is none */
    bt_str reason;
    bool approved;
    bt_str parent_span;
    const struct bt_universal_tag *tags;
    size_t tag_count;
    bool no_seal;
    bool pretty;
};

/*
 * Let the draft go on from another handoff: its chain with the draft's source after it, its
 * trace_id and original_prompt where the draft has none. BT_EINVAL: the text is no handoff whose
 * chain is known; `error` (may be NULL) says why. The texts live in the arena.
 */
BT_API BT_MUST_USE enum bt_status
bt_universal_draft_continue(struct bt_universal_checker *universal, struct bt_arena *arena,
                            bt_str text, struct bt_universal_draft *draft, struct bt_error *error);

/* The document of a draft: members in the order of the schema, sealed and counted. BT_EINVAL: a
 * part that should be JSON is not; `error` (may be NULL) says which. */
BT_API BT_MUST_USE enum bt_status bt_universal_draft_write(struct bt_universal_checker *universal,
                                                           struct bt_arena *arena,
                                                           const struct bt_universal_draft *draft,
                                                           bt_str *out, struct bt_error *error);

/* ---- Converting ------------------------------------------------------------------------------ */

struct bt_universal_convert_options {
    bt_str from;        /* the dialect: universal, governed, contract or plan; "": recognise it */
    bt_str step;        /* of a plan: the one that hands over */
    bool keep_unmapped; /* what has no place is kept in payload.session.state.rest */
    bool strict;        /* what has no place blocks */
    const struct bt_universal_draft *draft; /* what it says fills in or overrides; NULL: nothing */
};

/* The dialect that a conversion reads `text` as: `from`, or the one that is recognised where that
 * is "". "" when there is none, or none that can be converted. */
BT_API bt_str bt_convert_dialect(bt_str from, bt_str text);

/*
 * Make a universal handoff of version 3.0 from one of version 2.0 or from another dialect.
 * facts.carried and facts.not_carried name every member of what was given. outcome:
 * BT_UNIVERSAL_CONVERTED; BT_UNIVERSAL_UNCHANGED for one of version 3.0; BT_UNIVERSAL_ESCALATED
 * when the result is not accepted, with its findings, or when the document cannot be read, with
 * those of its own dialect.
 *
 * BT_ENOENT: the dialect is not recognised. BT_EINVAL: it cannot be converted, a plan without a
 * step was given, or a part of the draft is not JSON. `error` (may be NULL) says more.
 */
BT_API BT_MUST_USE enum bt_status
bt_universal_checker_convert(struct bt_universal_checker *universal, struct bt_arena *arena,
                             const struct bt_universal_input *input,
                             const struct bt_universal_convert_options *how,
                             struct bt_universal_result *out, struct bt_error *error);

/* ---- Repairing ------------------------------------------------------------------------------- */

struct bt_universal_repair_options {
    unsigned attempts;   /* of the ladder, 1 to 3; zero means 3 */
    bool original_order; /* compress in the original order */
    bool no_spill;       /* do not write a session that was moved out; out->spill has it */
    struct bt_universal_write_dirs roots;
};

/*
 * Go up the ladder until a result is accepted: mend what can be mended, compress, keep nothing of
 * the payload but its working part. outcome: BT_UNIVERSAL_UNCHANGED, BT_UNIVERSAL_REPAIRED, or
 * BT_UNIVERSAL_ESCALATED, when only a person can go on; then out->judged is about the document
 * after the first attempt. The file of a session that was moved out is written and durable when
 * this returns.
 *
 * BT_EIO, BT_EEXIST, BT_EDENIED: that file could not be written; `error` (may be NULL) says why.
 */
BT_API BT_MUST_USE enum bt_status
bt_universal_checker_repair(struct bt_universal_checker *universal, struct bt_arena *arena,
                            const struct bt_universal_input *input,
                            const struct bt_universal_repair_options *how,
                            struct bt_universal_result *out, struct bt_error *error);

/*
 * The same with a model between the ladder and the person:
 *
 *     bt_universal_repair_open(universal, &input, &how, &repair);
 *     while (!bt_universal_repair_is_done(repair) && tries are left) {
 *         bt_universal_repair_write_prompt(repair, &arena, &prompt);
 *         ... ask ...
 *         bt_universal_repair_apply_answer(repair, answer, &kind);
 *     }
 *     bt_universal_repair_finish(repair, &arena, &result, &error);
 *     bt_universal_repair_close(repair);
 *
 * The library asks nobody: it words the question and judges the answer.
 */
struct bt_universal_repair_run;

/* Go up the ladder. `universal` and what `input` and `how` point at must outlive *out, which is
 * given back with bt_universal_repair_close(). */
BT_API BT_MUST_USE enum bt_status bt_universal_repair_open(
    struct bt_universal_checker *universal, const struct bt_universal_input *input,
    const struct bt_universal_repair_options *how, struct bt_universal_repair_run **out);
/* NULL is allowed. */
BT_API void bt_universal_repair_close(struct bt_universal_repair_run *repair);

/* Whether a result was accepted. */
BT_API bool bt_universal_repair_is_done(const struct bt_universal_repair_run *repair);
/* Whether there is something to ask: nothing was accepted, and the document could be read. */
BT_API bool bt_universal_repair_can_prompt(const struct bt_universal_repair_run *repair);

struct bt_universal_prompt {
    bt_str text; /* for the model */
    bt_str json; /* the same with its parts: {"text","errors","schema"} */
};

/* Word the question about what is left. Only when it is askable. */
BT_API BT_MUST_USE enum bt_status
bt_universal_repair_write_prompt(struct bt_universal_repair_run *repair, struct bt_arena *arena,
                                 struct bt_universal_prompt *out);

/* What came of one try. Zero is no answer at all. */
enum bt_universal_answer_result {
    BT_UNIVERSAL_ANSWER_NONE = 0,
    BT_UNIVERSAL_ANSWER_ACCEPTED,
    BT_UNIVERSAL_ANSWER_REJECTED,     /* applied, but something blocks still: ask again from here */
    BT_UNIVERSAL_ANSWER_INVALID,      /* not usable; nothing was changed */
    BT_UNIVERSAL_ANSWER_OUT_OF_SCOPE, /* it changes what was not asked about; nothing was changed */
    BT_UNIVERSAL_ANSWER_FAILED,       /* there was none */
};

/* Take an answer: an RFC 6902 patch or a whole document, perhaps in one code fence. */
BT_API BT_MUST_USE enum bt_status
bt_universal_repair_apply_answer(struct bt_universal_repair_run *repair, bt_str answer,
                                 enum bt_universal_answer_result *out);
/* Note a try that gave no answer, and why. */
BT_API BT_MUST_USE enum bt_status
bt_universal_repair_note_failure(struct bt_universal_repair_run *repair, const char *reason);

/* Put the result together, in `arena`; facts.llm lists the tries when `tries` is set. Writes the
 * file of a session that was moved out, unless how->no_spill. Statuses as above. */
BT_API BT_MUST_USE enum bt_status bt_universal_repair_finish(struct bt_universal_repair_run *repair,
                                                             struct bt_arena *arena, bool tries,
                                                             struct bt_universal_result *out,
                                                             struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
