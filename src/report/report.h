/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - what is behind rules, findings, judgements and reports.
 */
#ifndef BATON_SRC_REPORT_REPORT_H
#define BATON_SRC_REPORT_REPORT_H

#include <baton/report.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

/* ---- Rules ----------------------------------------------------------------------------------- */

/* Dialects that can be judged come first, in the order in which recognition tries them. */
#define BT_DIALECT__CHECKABLE_MAX BT_DIALECT_RAW
#define BT_DIALECT__MAX (BT_DIALECT_BUNDLE + 1)
#define BT_REPORT_FORMAT__MAX (BT_REPORT_FORMAT_MARKDOWN + 1)

struct bt_rule_form; /* parameters and texts of the findings of a rule; inside the library */

/* What a report for people adds about findings of a rule. */
enum bt_rule_note {
    BT_RULE_NOTE_NONE,
    BT_RULE_NOTE_TAMPERING, /* it is evidence of tampering or forgery */
    BT_RULE_NOTE_LEAK,      /* a secret must be treated as leaked */
};

/* What a rule looks at beyond the document and the configuration. */
enum bt_rule_need {
    BT_RULE_NEED_STORE = 1,  /* what was recorded before */
    BT_RULE_NEED_CALLER = 2, /* what came with the call: principal, time, INPUT, transcript */
    BT_RULE_NEED_ROOT = 4,   /* files below the root */
};

/*
 * One row of the registry: one code in one dialect. All texts are UTF-8 for people, except the
 * examples.
 */
struct bt_rule {
    unsigned id;    /* of the code, the same in all dialects; differs between builds */
    bt_str code;    /* stable UPPER_SNAKE, never reused */
    bt_str dialect; /* "json", "universal" ... */
    enum bt_dialect_id dialect_id; /* BT_DIALECT_NONE: it is not about documents */
    enum bt_severity severity;
    enum bt_stage stage;
    enum bt_fix fix;
    bool security;
    uint8_t needs;      /* set of enum bt_rule_need, the same in all dialects */
    bt_str meaning;     /* one line: what it states about the document */
    bt_str explanation; /* a paragraph: why it matters, what to do */
    /*
     * The smallest document that breaks the rule; "" when there is no example. Raw bytes, not
     * always UTF-8: show them with bt_buf_put_printable().
     */
    bt_str bad;
    bt_str good;                     /* the corrected document */
    const struct bt_rule_form *form; /* NULL: its findings are written by hand */
    enum bt_rule_note note;          /* what reports for people add about its findings */
};

/* ---- Findings -------------------------------------------------------------------------------- */

#define BT_OFFSET_NONE SIZE_MAX

struct bt_finding_arg; /* a typed parameter; inside the library */

/* One statement about one document. Everything it points at must live as long as the findings. */
struct bt_finding {
    const struct bt_rule *rule;
    unsigned code;             /* the rule's id */
    enum bt_severity severity; /* the rule's, unless the rule's severity varies */
    /* what `severity` was before a setting of `baton check` changed it; NONE: it did not */
    enum bt_severity default_severity;
    enum bt_fix fix;
    bool security;
    /* RFC 6901, or the pointer syntax of the dialect; "" is the whole document */
    bt_str pointer;
    size_t offset;               /* of the first byte it is about, or BT_OFFSET_NONE */
    struct bt_position position; /* set by bt_findings_finish(); line 0: none */
    bt_str message;              /* one sentence */
    bt_str hint;                 /* what to do, or "" */
    const struct bt_finding_arg *args;
    size_t arg_count;
    bt_str params; /* the args as JSON, in lists that bt_findings_publish() has seen */
};

/* Put the parameters as a compact JSON object; nothing when the finding has none. */
void bt_finding_put_params(const struct bt_finding *finding, struct bt_buf *buf);

/* Make an empty list, which lives in the arena. NULL when the arena is exhausted. */
BT_MUST_USE struct bt_findings *bt_findings_new(struct bt_arena *arena);
/* The arena that the list was made in. */
struct bt_arena *bt_findings_arena(struct bt_findings *findings);
/*
 * A finding of `rule` about the whole document, to be filled in and added. Its message is the
 * rule's meaning until it is replaced.
 */
struct bt_finding bt_finding_from_rule(const struct bt_rule *rule);
/*
 * Add a copy of the finding; pointer, message, hint and args are copied into the arena as well.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_findings_add(struct bt_findings *findings,
                                           const struct bt_finding *finding);
/*
 * Sort by stage, position (none first), code, pointer, then order of addition; drop findings that
 * are equal in code, pointer and params; compute lines and columns from `source`. Call it once, at
 * the end. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_findings_finish(struct bt_findings *findings, bt_str source);
/* Copy a finished list into an arena. BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status bt_findings_copy(const struct bt_findings *findings,
                                            struct bt_arena *arena, struct bt_findings **out);
/*
 * Add `lines` to every position, for a document that is part of a longer text with that many lines
 * before it. Call it after bt_findings_finish().
 */
void bt_findings_shift_lines(struct bt_findings *findings, uint32_t lines);

/* The HTTP status of a response that refuses a request because of this finding. */
unsigned bt_finding_http_status(const struct bt_finding *finding);

struct bt_emit; /* see json/emit.h */

/*
 * Put the findings, in the form of the json format, into the array that `emit` has open. For
 * objects other than reports that have a member "findings".
 */
void bt_findings_emit(struct bt_emit *emit, const struct bt_findings *findings);

/* ---- Judgements ------------------------------------------------------------------------------ */

/* The verdict: rejected when any finding is at or above the fail level, else accepted. */
enum bt_verdict bt_verdict_of(const struct bt_findings *findings, enum bt_severity fail_level);

struct bt_json_doc;   /* see json.h */
struct bt_suppressed; /* findings that settings removed; inside the library */

/*
 * Whom a document is from and for, as far as it could be read. A name that the document does not
 * have is ""; one that it has as an empty text, which no entry may hold, is " ".
 */
struct bt_identity {
    bt_str handoff_id; /* that the document itself has */
    bt_str id_pointer; /* where the dialect has it; "": it has none */
    bt_str trace_id;
    bt_str source;
    bt_str target;
    bt_str speaker;   /* the agent that a governed document or response is from */
    bool sets_budget; /* for the handoffs that follow in its trace */
};

/* A check that a judgement did not make, and why: an item of facts.skipped, in its order. */
enum bt_skipped {
    BT_SKIPPED_AFTER_READ_FAILED = 0, /* later_stages, read_failed */
    BT_SKIPPED_AFTER_FAIL_FAST,       /* later_stages, fail_fast */
    BT_SKIPPED_SKILLS,                /* no_skills */
    BT_SKIPPED_REFERENCES,            /* flag */
    BT_SKIPPED_ARTIFACTS,             /* not_asked */
    BT_SKIPPED_SCHEMAS,               /* no_root */
    BT_SKIPPED_INPUT,                 /* no_input */
    BT_SKIPPED_AGENT_ID,              /* no_host_id */
    BT_SKIPPED_STATE,                 /* needs_store */
    BT_SKIPPED_GOVERNANCE,            /* no_root */
    BT_SKIPPED_RECORD,                /* needs_store */
    BT_SKIPPED_RESPONSE_RECORD,       /* record, needs_store */
    BT_SKIPPED_ROOT,                  /* no_root */
    BT_SKIPPED_ORGANISM,              /* no_organism */
    BT_SKIPPED_HANDLERS,              /* needs_run */
    BT_SKIPPED__MAX,
};

/* One change that a fix made. */
struct bt_report_change {
    bt_str why;                  /* the code of the finding, or recount or reseal */
    size_t offset;               /* in the document before all changes */
    struct bt_position position; /* of the offset */
    bt_str before;               /* what was there, as it was written or minified; "": nothing */
    bt_str after;                /* what is there now; "": nothing */
};

/* The changes to one document, in the order of the document. */
struct bt_report_changes {
    const struct bt_report_change *items;
    size_t count;
};

/* One judged document. */
struct bt_judgement {
    bt_str path;
    enum bt_dialect_id dialect;
    bt_str source; /* the bytes, for excerpts */
    enum bt_verdict verdict;
    const struct bt_findings *findings;
    bt_str facts;                       /* a compact JSON object; "" means {} */
    bt_str shown_facts;                 /* as reports show them; see bt_judgement_publish() */
    bt_str extra_members;               /* more members of the document, `"name":value,...` or "" */
    const struct bt_json_doc *document; /* what was read; NULL: nothing usable */
    struct bt_identity identity;
    uint64_t tokens; /* of the document; 0: not counted */
    size_t fixed; /* number of changes made because of findings; see facts.changes, facts.fixed */
    uint32_t skipped; /* a set of 1U << enum bt_skipped, if they are listed */
    const struct bt_report_changes *changes; /* NULL: no fixes were requested */
    const struct bt_suppressed *suppressed;  /* see facts.suppressed; NULL: none */
};

/*
 * Make the judgement of a document of which all findings are known: finish them, and let HARD ones
 * reject it. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_judgement_make(bt_str path, enum bt_dialect_id dialect, bt_str source,
                                             struct bt_findings *findings, bt_str facts,
                                             struct bt_judgement *out);

/*
 * Make it readable for callers of the library: the parameters of its findings and its facts become
 * texts in the arena, which is that of its findings. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status bt_judgement_publish(struct bt_judgement *judgement,
                                                struct bt_arena *arena);

/* Why a document could not be judged. */
enum bt_failure_reason {
    BT_FAILURE_NONE = 0,
    BT_FAILURE_NOT_FOUND,
    BT_FAILURE_PERMISSION,
    BT_FAILURE_NOT_A_FILE,
    BT_FAILURE_IO,
    BT_FAILURE_UNRECOGNISED, /* the dialect of a named document was not recognised */
    BT_FAILURE_NEEDS_ROOT,
    BT_FAILURE_NO_DOCUMENTS, /* a named directory holds none */
    BT_FAILURE_WALK_LIMIT,   /* a directory is too large or too deep */
    BT_FAILURE_MEMORY,
    BT_FAILURE_CONFIG, /* the configuration cannot be used; the path is that of its file */
    BT_FAILURE__MAX,
};

/* "not_found", "permission" and so on; "" for BT_FAILURE_NONE. A constant. */
bt_str bt_failure_reason_name(enum bt_failure_reason reason);

/* A document that could not be judged. Not a finding, because another machine might judge it. */
struct bt_failure {
    bt_str path;
    enum bt_failure_reason reason;
    bt_str message; /* for people */
};

/* ---- Reports --------------------------------------------------------------------------------- */

/* Make an empty report, which lives in the arena. NULL when the arena is exhausted. */
BT_MUST_USE struct bt_report *bt_report_new(struct bt_arena *arena);
/* Make an empty report with an arena of its own, which may take up to `limit` bytes. NULL when
 * memory runs out. Destroy it with bt_report_destroy(). */
BT_MUST_USE struct bt_report *bt_report_create(size_t limit);
/* The arena that the report was made in. */
struct bt_arena *bt_report_arena(struct bt_report *report);
/*
 * Add a copy of the struct; what it points at must live as long as the report. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_MUST_USE enum bt_status bt_report_add(struct bt_report *report,
                                         const struct bt_judgement *document);
/* Add a judgement that itself lives as long as the report. BT_ENOMEM: the arena reached its
 * limit. */
BT_MUST_USE enum bt_status bt_report_keep(struct bt_report *report,
                                          const struct bt_judgement *document);

/*
 * Add a failure; path and message are copied. A failure that does not fit into memory is still
 * counted: the last failure of the report then states that some are not listed.
 */
void bt_report_fail(struct bt_report *report, const struct bt_failure *failure);
/* The number of failures. */
size_t bt_report_failure_count(const struct bt_report *report);
/* The failure with this index, which must be below the count. */
const struct bt_failure *bt_report_failure_at(const struct bt_report *report, size_t index);

/*
 * Put a part of a report in the format jsonl, so that a long one can be written in pieces: the line
 * of the document with this index; for the number of documents, all lines behind theirs.
 */
void bt_report_put_jsonl(const struct bt_report *report,
                         const struct bt_report_render_options *options, size_t index,
                         struct bt_buf *buf);

/* Count the documents, findings and failures of a report. */
struct bt_report_totals bt_report_get_totals(const struct bt_report *report);

#endif
