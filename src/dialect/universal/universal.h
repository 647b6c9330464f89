/* SPDX-License-Identifier: Apache-2.0 */
/*
 * universal.h - the universal JSON handoff envelope, version 3.0.
 *
 * Checks go through bt_check_document() as for every dialect, with the options below. Statuses
 * other than BT_OK that are not described: BT_ENOMEM, the arena reached its limit or the system has
 * no memory.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_UNIVERSAL_H
#define BATON_SRC_DIALECT_UNIVERSAL_UNIVERSAL_H

#include <baton/base.h>
#include <baton/report.h>
#include <baton/tokens.h>
#include "base/env.h"

#include "edit/edit.h"
#include "report/report.h"

struct bt_skill_catalogue; /* see skill.h */

/* ---- Options --------------------------------------------------------------------------------- */

/* The sections of a handoff whose tokens are counted separately. */
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

/* The name of a section, such as "working"; a constant. */
bt_str bt_universal_section_name(enum bt_universal_section section);
/* Parse the name of a section. BT_EINVAL: the name is unknown. */
BT_MUST_USE enum bt_status bt_universal_section_parse(bt_str name, enum bt_universal_section *out);

#define BT_UNIVERSAL_SECTION_UNLIMITED UINT64_MAX

/* One unit of a budget: tokens, or millionths of a currency. */
struct bt_universal_budget_unit {
    bool is_there;
    uint64_t limit;
    uint64_t left;
};

/* /handoff/meta/baton_budget: what a chain of handoffs may spend, and what is left of it. */
struct bt_universal_budget {
    struct bt_universal_budget_unit tokens;
    struct bt_universal_budget_unit cost;
    bt_str currency; /* of the cost */
};

/* What one hop of a chain says. */
struct bt_universal_hop {
    bt_str trace_id;
    struct bt_universal_budget budget; /* neither unit is there: it has none */
};

/* Where the hop before comes from. */
enum bt_universal_previous {
    BT_UNIVERSAL_PREVIOUS_NONE = 0,
    BT_UNIVERSAL_PREVIOUS_GIVEN,
    BT_UNIVERSAL_PREVIOUS_LEDGER,
};

/* How the budget of a chain is judged. */
struct bt_universal_chain_budget {
    uint64_t tokens; /* ceiling of a limit; 0: none */
    uint64_t cost;   /* in millionths */
    uint64_t warn_percent;
    const struct bt_universal_hop *previous; /* NULL: not given */
};

struct bt_universal_options {
    enum bt_encoding encoding;
    bt_str token_dir; /* directory of NAME.tiktoken; "": the built-in tables */
    uint64_t budget;  /* tokens of the whole document, from 1 */
    /* tokens of each section, or BT_UNIVERSAL_SECTION_UNLIMITED */
    uint64_t section_limits[BT_UNIVERSAL_SECTION__MAX];
    bool semantics_warn; /* loops and missing approval are WARN instead of HARD */
    bool chain_head;     /* the source must be the first of the chain */
    bool strict_expiry;  /* EXPIRED is HARD */
    bool relaxed_names;  /* skills may have capital letters, dots and underscores in their names */
    bool no_refs;        /* do not check that referenced files exist */
    /* check referenced files only below `root`, as a server must */
    bool refs_within_root;
    bool verify_artifacts;    /* compare the checksums of artifacts */
    bool fail_fast;           /* stop after the first stage with a HARD finding */
    bool no_facts;            /* nobody reads the facts, so leave out what is only for them */
    bt_str root;              /* relative references start here; "": the current directory */
    const struct bt_dir *dir; /* the root where it has no path, as in memory; NULL: see `root` */
    const struct bt_skill_catalogue *catalogue; /* NULL: no stage governance */
    struct bt_universal_chain_budget chain_budget;
};

/* o200k_base, 2000 tokens; 500, 1000 and 500 for working, session and references. */
struct bt_universal_options bt_universal_options_default(void);

struct bt_universal_checker; /* see below */

/* ---- Budgets of chains ----------------------------------------------------------------------- */

/*
 * Read what a hop says, from its text. *out lives in the arena. BT_EINVAL: it is not a handoff with
 * a trace_id, or its budget is malformed; `error` says which.
 */
BT_MUST_USE enum bt_status bt_universal_hop_read(const struct bt_env *env, struct bt_arena *arena,
                                                 bt_str text, struct bt_universal_hop *out,
                                                 struct bt_error *error);
struct bt_json_doc; /* see json.h */
/* Read what a hop says, from its document, which must outlive *out. BT_EINVAL: its budget is
 * malformed. */
BT_MUST_USE enum bt_status bt_universal_hop_of(const struct bt_json_doc *document,
                                               struct bt_universal_hop *out);
/* Add a finding for everything that grew or vanished between two hops. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_universal_hop_compare(struct bt_findings *findings,
                                                    const struct bt_universal_hop *before,
                                                    const struct bt_universal_hop *now);
/* The facts of a handoff, with the ledger named as the source of the hop before, in the arena.
 * BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_universal_facts_name_ledger(struct bt_arena *arena, bt_str facts,
                                                          bt_str *out);

/* What a hop is given, and what it spent. Zero: nothing. */
struct bt_universal_spending {
    uint64_t tokens; /* a limit: begins a budget, or lowers one */
    uint64_t cost;   /* in millionths */
    bt_str currency; /* of a budget that begins */
    uint64_t spent_tokens;
    uint64_t spent_cost;
    bt_str unpriced; /* a model that something was spent on and that has no price, or "" */
};

/* Take off what was spent, not below 0, and begin or lower limits. */
void bt_universal_budget_spend(struct bt_universal_budget *budget,
                               const struct bt_universal_spending *spending);
/* True when there is a budget. */
bool bt_universal_budget_is_set(const struct bt_universal_budget *budget);
/*
 * Do the same in the text of a handoff, which is counted again. *out lives in the arena. BT_EINVAL:
 * the text cannot be read, or its budget is malformed.
 */
BT_MUST_USE enum bt_status bt_universal_set_budget(struct bt_universal_checker *universal,
                                                   struct bt_arena *arena, bt_str text,
                                                   const struct bt_universal_spending *spending,
                                                   bt_str *out);

/* ---- Checker and results --------------------------------------------------------------------- */

struct bt_token_table; /* see tokens.h of token/ */

/* The compiled schema, token tables and reused memory; for one thread at a time. */
struct bt_universal_checker;

/*
 * Make a checker; destroy it with bt_universal_checker_destroy(). `env` must outlive it. BT_ENOMEM:
 * no memory.
 */
BT_MUST_USE enum bt_status bt_universal_checker_create(struct bt_env *env,
                                                       struct bt_universal_checker **out);
/* Destroy it. NULL is allowed. */
void bt_universal_checker_destroy(struct bt_universal_checker *universal);
/* Count with this table, which must outlive the checker; for builds without tables. */
void bt_universal_checker_set_table(struct bt_universal_checker *universal,
                                    enum bt_encoding encoding, const struct bt_token_table *table);

/* A document to be checked or changed. */
struct bt_universal_input {
    bt_str path; /* for messages */
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
    BT_UNIVERSAL_ESCALATED, /* a person must decide */
};

/*
 * "unchanged", "repaired" and so on; "" for BT_UNIVERSAL_OUTCOME_NONE and BT_UNIVERSAL_FIXED. A
 * constant.
 */
bt_str bt_universal_outcome_name(enum bt_universal_outcome outcome);

/*
 * The result of a change. Everything lives in the arena passed to the call. `judged` has the
 * findings and facts and, in its extra members, the outcome and the document, ready for
 * bt_report_add(). The caller that writes the document sets `written`.
 */
struct bt_universal_result {
    struct bt_judgement judged;
    enum bt_universal_outcome outcome;
    /* the resulting document in the form to be written; the given one when escalated */
    bt_str text;
    struct bt_universal_spill {
        bt_str path; /* as the document refers to it; "": nothing was moved out */
        bt_str text;
    } spill;                              /* a session that was moved out of the document */
    struct bt_universal_spill spill_text; /* the whole of texts that were shortened in it */
    bt_str written;                       /* where it was or would be written; "": not written */
    const struct bt_json_doc *changes;    /* the list of facts.changes; NULL: there is none */
    struct bt_edit_list edits;            /* from the given text to `text`; of bt_universal_fix() */
    struct bt_universal_counts {
        bool is_known;
        uint64_t estimate;
        uint64_t exact; /* unknown when the encoding is BT_ENCODING_CHARS4 */
        enum bt_encoding encoding;
    } counts; /* of the judged document */
};

/*
 * Let the findings about a document that is not returned cite the given text: positions and
 * excerpts are those of `given`, for pointers that name in it what they name in the judged
 * document; other findings have none. With "" none has. BT_ENOMEM is the only failure.
 */
BT_MUST_USE enum bt_status bt_universal_cite_given(struct bt_judgement *judged,
                                                   struct bt_arena *arena, bt_str given);

/* ---- Fixing ---------------------------------------------------------------------------------- */

struct bt_fix_choice; /* see report/fixes.h */

/*
 * Make the fixes that were chosen. Only the bytes concerned change, and out->edits are these
 * changes. A payload that was truly sealed is sealed again. meta.token_count is counted again
 * whenever anything changed; with a single finding only when the finding is about it. The outcome
 * is BT_UNIVERSAL_UNCHANGED or BT_UNIVERSAL_FIXED. BT_ELIMIT: the result would be larger than a
 * document may be.
 */
BT_MUST_USE enum bt_status bt_universal_fix(struct bt_universal_checker *universal,
                                            struct bt_arena *arena,
                                            const struct bt_universal_input *input,
                                            const struct bt_fix_choice *choice,
                                            struct bt_universal_result *out);

/* ---- Directories ----------------------------------------------------------------------------- */

/*
 * The directories below which handoffs and the files they refer to are written. A relative
 * session_path starts at the first one; an absolute one must be below one of them. If there is
 * none, the current directory and the temporary directory are used.
 */
struct bt_universal_write_dirs {
    const bt_str *paths;
    size_t count;
    bt_str temporary; /* "": /tmp */
};

/* ---- Compressing ----------------------------------------------------------------------------- */

struct bt_universal_compress_options {
    /* use the original order, which drops the session and the expiry first */
    bool original_order;
    bool no_files; /* move nothing out to files */
    bool no_spill; /* do not write the files; out->spill and out->spill_text have them */
    struct bt_universal_write_dirs roots;
};

/*
 * Make the document fit options->budget and give up as little as that demands: compact form, the
 * session moved to a file, long texts shortened and kept whole in a file, optional members dropped,
 * the summary shortened. The outcome is
 * BT_UNIVERSAL_UNCHANGED when it already fits, BT_UNIVERSAL_COMPRESSED, or BT_UNIVERSAL_ESCALATED
 * when it cannot be made to fit or has other errors. The files are durable when the call returns;
 * nothing is written when the document is escalated.
 *
 * BT_EIO, BT_EEXIST, BT_EDENIED: a file could not be written. BT_ELIMIT: a large document has
 * hundreds of long texts to shorten. `error` (may be NULL) says why.
 */
BT_MUST_USE enum bt_status bt_universal_compress(struct bt_universal_checker *universal,
                                                 struct bt_arena *arena,
                                                 const struct bt_universal_input *input,
                                                 const struct bt_universal_compress_options *how,
                                                 struct bt_universal_result *out,
                                                 struct bt_error *error);

/* ---- Viewing --------------------------------------------------------------------------------- */

/* A document as its receiver should read it. */
struct bt_universal_view {
    bt_str text;     /* JSON, pretty; not a valid document, since a written null is refused */
    bt_str defaults; /* JSON: the pointers of what was filled in, in document order */
};

/*
 * Fill in the values that stand for absent optional members, each at the end of its object. `text`
 * must pass the stages read and schema: see bt_universal_can_view(). *out lives in the arena.
 * BT_EINVAL: the text does not pass them. BT_ELIMIT: the view would be larger than a document may
 * be.
 */
BT_MUST_USE enum bt_status bt_universal_view(struct bt_env *env, struct bt_arena *arena,
                                             bt_str text, struct bt_universal_view *out);
/* True when no HARD finding of stage read or schema is among the findings about a document. */
bool bt_universal_can_view(const struct bt_findings *findings);

/* ---- Sealing --------------------------------------------------------------------------------- */

/*
 * Set hash, size and token count of an accepted document; with `reseal` also of one whose only
 * error is a broken seal. The outcome is BT_UNIVERSAL_SEALED, or BT_UNIVERSAL_ESCALATED and nothing
 * was changed.
 */
BT_MUST_USE enum bt_status bt_universal_seal(struct bt_universal_checker *universal,
                                             struct bt_arena *arena,
                                             const struct bt_universal_input *input, bool reseal,
                                             struct bt_universal_result *out);

/* ---- Writing --------------------------------------------------------------------------------- */

struct bt_json_doc; /* see json.h */

/* Called after the file was written, while findings can still be added to the report. */
typedef enum bt_status bt_universal_written_fn(void *context, const struct bt_json_doc *document,
                                               struct bt_findings *notes);

struct bt_universal_write_options {
    /* set hash, size and token count first; else the bytes are written unchanged */
    bool seal;
    bool dry_run;       /* only determine where it would be written */
    bool show_document; /* the report contains the document even when it is rejected */
    struct bt_universal_write_dirs roots;
    bt_universal_written_fn *written; /* or NULL */
    void *context;                    /* of `written` */
};

/*
 * Check a document and, if it is accepted, write it to
 * {session_path}/handoffs/{source}-to-{target}-{time}.json or, when that directory cannot be used,
 * to this user's directory below the temporary one. Files are never overwritten. out->written is
 * the path; "" when the document was rejected.
 *
 * BT_EIO, BT_EEXIST, BT_EDENIED: it could not be written; `error` (may be NULL) says why.
 */
BT_MUST_USE enum bt_status bt_universal_write(struct bt_universal_checker *universal,
                                              struct bt_arena *arena,
                                              const struct bt_universal_input *input,
                                              const struct bt_universal_write_options *how,
                                              struct bt_universal_result *out,
                                              struct bt_error *error);

/* ---- Drafts ---------------------------------------------------------------------------------- */

struct bt_universal_tag {
    bt_str name;
    bt_str value;
};

/*
 * A handoff to be made. A text whose `ptr` is NULL is absent, and its member is omitted; a zeroed
 * draft is empty. Texts are UTF-8. They are checked when the document is judged.
 */
struct bt_universal_draft {
    bt_str timestamp; /* absent: now, in whole seconds */
    bt_str expires_at;
    bt_str trace_id; /* absent: a new id */
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
    struct bt_str_list chain; /* empty: only the source */
    bool no_chain;            /* an empty `chain` means that there is none */
    bt_str reason;
    bool approved;
    bt_str parent_span;
    const struct bt_universal_tag *tags;
    size_t tag_count;
    bool no_seal;
    bool pretty;
    struct bt_universal_budget budget; /* neither unit is there: none */
};

/*
 * Continue another handoff: the draft gets its chain followed by the draft's source, its budget,
 * and its trace_id and original_prompt where the draft has none. The texts live in the arena.
 * BT_EINVAL: the text is not a handoff with a known chain; `error` (may be NULL) says why.
 */
BT_MUST_USE enum bt_status bt_universal_draft_continue(struct bt_universal_checker *universal,
                                                       struct bt_arena *arena, bt_str text,
                                                       struct bt_universal_draft *draft,
                                                       struct bt_error *error);

/*
 * Write the document of a draft: members in the order of the schema, sealed and counted. *out lives
 * in the arena. BT_EINVAL: a part that must be JSON is not; `error` (may be NULL) says which.
 */
BT_MUST_USE enum bt_status bt_universal_draft_write(struct bt_universal_checker *universal,
                                                    struct bt_arena *arena,
                                                    const struct bt_universal_draft *draft,
                                                    bt_str *out, struct bt_error *error);

/*
 * Give the draft the defaults of the members that it lacks and that a handoff needs. *out_defaults
 * is a JSON object of those that were used, in the arena.
 */
BT_MUST_USE enum bt_status bt_universal_draft_complete(struct bt_universal_draft *draft,
                                                       struct bt_arena *arena,
                                                       bt_str *out_defaults);

/*
 * Check a handoff that was made of a draft: whether it is accepted, and whether `write` could name
 * its file. The result has the document even when it is rejected. No file is read or written.
 */
BT_MUST_USE enum bt_status bt_universal_draft_check(struct bt_universal_checker *universal,
                                                    struct bt_arena *arena,
                                                    const struct bt_universal_input *input,
                                                    struct bt_universal_result *out);

/* ---- Converting ------------------------------------------------------------------------------ */

struct bt_universal_convert_options {
    enum bt_dialect_id from; /* universal, governed, contract or plan; none: recognise it */
    bt_str step;             /* of a plan: the step that hands over */
    bool keep_unmapped;      /* keep members without a counterpart in payload.session.state.rest */
    bool strict;             /* members without a counterpart are HARD */
    /* its members complete or replace those of the result; NULL: none */
    const struct bt_universal_draft *draft;
};

/*
 * The dialect that a conversion reads `text` as: `from` or, when that is BT_DIALECT_NONE, the
 * recognised one. BT_DIALECT_NONE when it cannot be recognised or converted.
 */
enum bt_dialect_id bt_convert_dialect(enum bt_dialect_id from, bt_str text);

/*
 * Make a universal handoff of version 3.0 from one of version 2.0 or from another dialect.
 * facts.carried and facts.not_carried name every member of the input. The outcome is
 * BT_UNIVERSAL_CONVERTED; BT_UNIVERSAL_UNCHANGED for version 3.0; BT_UNIVERSAL_ESCALATED when the
 * result is not accepted (with its findings) or the input cannot be read (with the findings of its
 * own dialect).
 *
 * BT_ENOENT: the dialect is not recognised. BT_EINVAL: it cannot be converted, a plan was given
 * without a step, or a part of the draft is not JSON. `error` (may be NULL) says why.
 */
BT_MUST_USE enum bt_status bt_universal_convert(struct bt_universal_checker *universal,
                                                struct bt_arena *arena,
                                                const struct bt_universal_input *input,
                                                const struct bt_universal_convert_options *how,
                                                struct bt_universal_result *out,
                                                struct bt_error *error);

/* ---- Repairing ------------------------------------------------------------------------------- */

/* What a prompt shows of the document. */
enum bt_universal_prompt_kind {
    BT_UNIVERSAL_PROMPT_DOCUMENT = 0, /* all of it, without secrets */
    BT_UNIVERSAL_PROMPT_FINDINGS,     /* the values that findings are about */
};

struct bt_universal_repair_options {
    unsigned attempts;   /* number of repair stages to try, 1 to 3; 0: 3 */
    bool original_order; /* compress in the original order */
    bool no_files;       /* move nothing out to files */
    bool no_spill;       /* do not write the files; the result has them */
    struct bt_universal_write_dirs roots;
    enum bt_universal_prompt_kind prompt; /* also of the prompt that an answer is about */
};

/*
 * Apply up to three repair stages until a result is accepted: apply fixes, compress, keep only the
 * working part of the payload. The outcome is BT_UNIVERSAL_UNCHANGED, BT_UNIVERSAL_REPAIRED, or
 * BT_UNIVERSAL_ESCALATED when a person must decide; then out->judged is about the document after
 * the first stage. The file of a session that was moved out is durable when the call returns.
 *
 * BT_EIO, BT_EEXIST, BT_EDENIED: that file could not be written; `error` (may be NULL) says why.
 */
BT_MUST_USE enum bt_status bt_universal_repair(struct bt_universal_checker *universal,
                                               struct bt_arena *arena,
                                               const struct bt_universal_input *input,
                                               const struct bt_universal_repair_options *how,
                                               struct bt_universal_result *out,
                                               struct bt_error *error);

/*
 * Repair with a model before a person is needed:
 *
 *     bt_universal_repair_open(universal, &input, &how, &repair);
 *     while (!bt_universal_repair_is_done(repair) && tries are left) {
 *         bt_universal_repair_write_prompt(repair, &arena, &prompt);
 *         ... call the model ...
 *         bt_universal_repair_apply_answer(repair, answer, &kind);
 *     }
 *     bt_universal_repair_finish(repair, &arena, &result, &error);
 *     bt_universal_repair_close(repair);
 *
 * The library does not call the model: it writes the prompt and checks the answer.
 */
struct bt_universal_repair_run;

/*
 * Apply the repair stages as bt_universal_repair() does. `universal` and what `input` and
 * `how` point at must outlive *out; close it with bt_universal_repair_close().
 */
BT_MUST_USE enum bt_status bt_universal_repair_open(struct bt_universal_checker *universal,
                                                    const struct bt_universal_input *input,
                                                    const struct bt_universal_repair_options *how,
                                                    struct bt_universal_repair_run **out);
/* Free it. NULL is allowed. */
void bt_universal_repair_close(struct bt_universal_repair_run *repair);

/* True when a result was accepted. */
bool bt_universal_repair_is_done(const struct bt_universal_repair_run *repair);
/* True when a prompt can be written: nothing was accepted, and the document could be read. */
bool bt_universal_repair_can_prompt(const struct bt_universal_repair_run *repair);

struct bt_universal_prompt {
    bt_str text; /* for the model */
    bt_str json; /* the text with its parts: "text", "errors", "open", "schema", "document" ... */
};

/* For a person, where a prompt has no text. */
#define BT_UNIVERSAL_NO_PROMPT "no finding here can be answered by a model"

/*
 * Write the prompt about the remaining findings, in the arena. Only when
 * bt_universal_repair_can_prompt(). The text is "" when no finding opens a location to an answer,
 * so that a model cannot help; the JSON says then which findings there are.
 */
BT_MUST_USE enum bt_status bt_universal_repair_write_prompt(struct bt_universal_repair_run *repair,
                                                            struct bt_arena *arena,
                                                            struct bt_universal_prompt *out);

/* The result of one answer. Zero is not a result. */
enum bt_universal_answer_result {
    BT_UNIVERSAL_ANSWER_NONE = 0,
    BT_UNIVERSAL_ANSWER_ACCEPTED,
    BT_UNIVERSAL_ANSWER_REJECTED, /* applied, but HARD findings remain: prompt again */
    BT_UNIVERSAL_ANSWER_INVALID,  /* unusable; nothing was changed */
    /* it changes more than the prompt allows; nothing was changed */
    BT_UNIVERSAL_ANSWER_OUT_OF_SCOPE,
    BT_UNIVERSAL_ANSWER_FAILED, /* the model gave no answer */
    BT_UNIVERSAL_ANSWER_EMPTY,  /* it changes nothing, so that asking again is of no use */
};

/* Apply an answer: an RFC 6902 patch or a whole document, optionally in one code fence. */
BT_MUST_USE enum bt_status bt_universal_repair_apply_answer(struct bt_universal_repair_run *repair,
                                                            bt_str answer,
                                                            enum bt_universal_answer_result *out);
/* Record an attempt that gave no answer, with the reason. */
BT_MUST_USE enum bt_status bt_universal_repair_note_failure(struct bt_universal_repair_run *repair,
                                                            const char *reason);

/*
 * Make the result in `arena`; with `tries`, facts.llm lists the attempts. Writes the file of a
 * session that was moved out, unless how->no_spill. Statuses as for bt_universal_repair().
 */
BT_MUST_USE enum bt_status bt_universal_repair_finish(struct bt_universal_repair_run *repair,
                                                      struct bt_arena *arena, bool tries,
                                                      struct bt_universal_result *out,
                                                      struct bt_error *error);

#endif
