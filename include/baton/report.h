/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - rules, findings, verdicts and the reports that show them.
 *
 * A *rule* is a constant row in a table. A *finding* is one statement about one document and names
 * its rule. A *verdict* is a pure function of findings. A *report* holds the documents of one run
 * and can be rendered in several formats.
 */
#ifndef BATON_REPORT_H
#define BATON_REPORT_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rules ----------------------------------------------------------------------------------- */

/* In ascending order, so that `severity >= fail_level` decides. Zero: not decided. */
enum bt_severity {
    BT_SEVERITY_NONE = 0, /* codes that are never findings */
    BT_SEVERITY_INFO,     /* informs */
    BT_SEVERITY_WARN,     /* does not reject */
    BT_SEVERITY_HARD,     /* rejects */
};

/* In the order in which a document passes them; findings are sorted by stage. */
enum bt_stage {
    BT_STAGE_NONE = 0,
    BT_STAGE_READ,
    BT_STAGE_SCHEMA,
    BT_STAGE_BUDGET,
    BT_STAGE_SEMANTICS,
    BT_STAGE_GOVERNANCE,
    BT_STAGE_RECORD,
    BT_STAGE_DELIVER,
};

enum bt_fix {
    BT_FIX_NONE = 0,
    BT_FIX_SAFE,   /* --fix fixes it */
    BT_FIX_UNSAFE, /* --fix --unsafe-fixes fixes it */
};

/*
 * What a document is. Documents that bt_check() can judge come first, in the order in which
 * recognition tries them; the others are what entries and reports can be about. Zero is none.
 */
enum bt_dialect_id {
    BT_DIALECT_NONE = 0,
    BT_DIALECT_GOVERNED,
    BT_DIALECT_RESPONSE,
    BT_DIALECT_UNIVERSAL,
    BT_DIALECT_CONTRACT,
    BT_DIALECT_XML,
    BT_DIALECT_ORGANISM,
    BT_DIALECT_PLAN,
    BT_DIALECT_MANIFEST,
    BT_DIALECT_LOCK,
    BT_DIALECT_BOUNDARIES,
    BT_DIALECT_PROMPT,
    BT_DIALECT_JSON,
    BT_DIALECT_CONFIG,
    BT_DIALECT__CHECKABLE_MAX,
    BT_DIALECT_RAW = BT_DIALECT__CHECKABLE_MAX, /* bytes that were recorded without a check */
    BT_DIALECT_BATON,                           /* entries that Baton makes of its own accord */
    BT_DIALECT_SCHEMA,
    BT_DIALECT_SKILL,
    BT_DIALECT_STORE,
    BT_DIALECT_LEDGER,
    BT_DIALECT_CHECKPOINT,
    BT_DIALECT_RECEIPT,
    BT_DIALECT__MAX,
};

struct bt_rule_form; /* parameters and texts of the findings of a rule; inside the library */

/*
 * One row of the registry: one code in one dialect. All texts are UTF-8 for people, except the
 * examples.
 */
/* What a report for people adds about findings of a rule. */
enum bt_rule_note {
    BT_RULE_NOTE_NONE,
    BT_RULE_NOTE_TAMPERING, /* it is evidence of tampering or forgery */
    BT_RULE_NOTE_LEAK,      /* a secret must be treated as leaked */
};

struct bt_rule {
    unsigned id;    /* of the code, the same in all dialects; differs between builds */
    bt_str code;    /* stable UPPER_SNAKE, never reused */
    bt_str dialect; /* "json", "universal" ... */
    enum bt_dialect_id dialect_id; /* BT_DIALECT_NONE: it is not about documents */
    enum bt_severity severity;
    enum bt_stage stage;
    enum bt_fix fix;
    bool security;
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

/* The number of rules. */
BT_API size_t bt_rules_count(void);
/* The rule with this index; they are sorted by code, then dialect. */
BT_API const struct bt_rule *bt_rules_at(size_t index);
/*
 * The index of the first rule with this code (rules with one code are neighbours), or
 * bt_rules_count().
 */
BT_API size_t bt_rules_find(bt_str code);

BT_API bt_str bt_severity_name(enum bt_severity severity); /* "HARD", "WARN", "INFO" or "" */
BT_API bt_str bt_stage_name(enum bt_stage stage);          /* "read" ... or "" */
BT_API bt_str bt_fix_name(enum bt_fix fix);                /* "safe", "unsafe" or "" */
/*
 * Parse a severity: HARD or error, WARN or warning, INFO, in any letter case. BT_EINVAL: the text
 * is none of them.
 */
BT_API BT_MUST_USE enum bt_status bt_severity_parse(bt_str text, enum bt_severity *out);

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
};

/* Put the parameters as a compact JSON object; nothing when the finding has none. */
BT_API void bt_finding_put_params(const struct bt_finding *finding, struct bt_buf *buf);

struct bt_findings; /* a growing list in an arena */

/* Make an empty list, which lives in the arena. NULL when the arena is exhausted. */
BT_API BT_MUST_USE struct bt_findings *bt_findings_new(struct bt_arena *arena);
/* The arena that the list was made in. */
BT_API struct bt_arena *bt_findings_arena(struct bt_findings *findings);
/*
 * A finding of `rule` about the whole document, to be filled in and added. Its message is the
 * rule's meaning until it is replaced.
 */
BT_API struct bt_finding bt_finding_from_rule(const struct bt_rule *rule);
/*
 * Add a copy of the finding; pointer, message, hint and args are copied into the arena as well.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_findings_add(struct bt_findings *findings,
                                                  const struct bt_finding *finding);
/*
 * Sort by stage, position (none first), code, pointer, then order of addition; drop findings that
 * are equal in code, pointer and params; compute lines and columns from `source`. Call it once, at
 * the end. BT_ENOMEM: the arena reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_findings_finish(struct bt_findings *findings, bt_str source);
/*
 * Add `lines` to every position, for a document that is part of a longer text with that many lines
 * before it. Call it after bt_findings_finish().
 */
BT_API void bt_findings_shift_lines(struct bt_findings *findings, uint32_t lines);
/* The number of findings. */
BT_API size_t bt_findings_count(const struct bt_findings *findings);
/* The finding with this index, which must be below the count. */
BT_API const struct bt_finding *bt_findings_at(const struct bt_findings *findings, size_t index);

/* The HTTP status of a response that refuses a request because of this finding. */
BT_API unsigned bt_finding_http_status(const struct bt_finding *finding);

/* ---- Verdict --------------------------------------------------------------------------------- */

/* Zero is not a verdict, and without a verdict nothing passes. */
enum bt_verdict {
    BT_VERDICT_NONE = 0,
    BT_VERDICT_ACCEPTED,
    BT_VERDICT_REJECTED,
    BT_VERDICT_RECORDED, /* a raw record that was only logged; counts as accepted */
};

/* The verdict: rejected when any finding is at or above the fail level, else accepted. */
BT_API enum bt_verdict bt_verdict_of(const struct bt_findings *findings,
                                     enum bt_severity fail_level);
/* "accepted", "rejected", "recorded" or "undecided"; a constant. */
BT_API bt_str bt_verdict_name(enum bt_verdict verdict);

/* ---- Reports --------------------------------------------------------------------------------- */

struct bt_json_doc;   /* see json.h */
struct bt_suppressed; /* findings that settings removed; inside the library */

/* The name of a dialect as reports and entries write it; "" for BT_DIALECT_NONE. Names are in the
 * table in src/engine/dialects.c and nowhere else. */
BT_API bt_str bt_dialect_name(enum bt_dialect_id dialect);
/* The dialect of this name that bt_check() can judge, or BT_DIALECT_NONE. */
BT_API enum bt_dialect_id bt_dialect_find(bt_str name);

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
    bt_str speaker; /* the agent that a governed document or response is from */
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
    bt_str extra_members;               /* more members of the document, `"name":value,...` or "" */
    const struct bt_json_doc *document; /* what was read; NULL: nothing usable */
    struct bt_identity identity;
    size_t fixed; /* number of changes made because of findings; see facts.changes, facts.fixed */
    uint32_t skipped; /* a set of 1U << enum bt_skipped, if they are listed */
    const struct bt_report_changes *changes; /* NULL: no fixes were requested */
    const struct bt_suppressed *suppressed;  /* see facts.suppressed; NULL: none */
};

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
BT_API bt_str bt_failure_reason_name(enum bt_failure_reason reason);

/* A document that could not be judged. Not a finding, because another machine might judge it. */
struct bt_failure {
    bt_str path;
    enum bt_failure_reason reason;
    bt_str message; /* for people */
};

struct bt_report; /* the documents and failures of one run, in an arena */

/* Make an empty report, which lives in the arena. NULL when the arena is exhausted. */
BT_API BT_MUST_USE struct bt_report *bt_report_new(struct bt_arena *arena);
/*
 * Destroy a report that a function gave to its caller, with everything it points at; one made in an
 * arena ends with that arena. NULL is allowed.
 */
BT_API void bt_report_destroy(struct bt_report *report);
/* The arena that the report was made in. */
BT_API struct bt_arena *bt_report_arena(struct bt_report *report);
/*
 * Add a copy of the struct; what it points at must live as long as the report. BT_ENOMEM: the arena
 * reached its limit.
 */
BT_API BT_MUST_USE enum bt_status bt_report_add(struct bt_report *report,
                                                const struct bt_judgement *document);
/* The number of documents. */
BT_API size_t bt_report_count(const struct bt_report *report);
/* The document with this index, which must be below the count. */
BT_API const struct bt_judgement *bt_report_at(const struct bt_report *report, size_t index);

/*
 * Add a failure; path and message are copied. A failure for which there is no memory is still
 * counted: the last failure of the report then states that some are not listed.
 */
BT_API void bt_report_fail(struct bt_report *report, const struct bt_failure *failure);
/* The number of failures. */
BT_API size_t bt_report_failure_count(const struct bt_report *report);
/* The failure with this index, which must be below the count. */
BT_API const struct bt_failure *bt_report_failure_at(const struct bt_report *report, size_t index);

struct bt_report_totals {
    uint64_t documents;
    uint64_t accepted;
    uint64_t rejected;
    uint64_t hard;
    uint64_t warn;
    uint64_t info;
    uint64_t failures;
    uint64_t suppressed; /* findings that settings removed */
    uint64_t fixed;
};

/* Count the documents, findings and failures of a report. */
BT_API struct bt_report_totals bt_report_count_totals(const struct bt_report *report);

enum bt_report_format {
    BT_REPORT_FORMAT_FULL = 0, /* for people: source excerpt with a caret */
    BT_REPORT_FORMAT_CONCISE,  /* path:line:col: error: CODE message */
    BT_REPORT_FORMAT_JSON,     /* one object */
    BT_REPORT_FORMAT_JSONL,    /* one object per document and failure, and one for the summary */
    BT_REPORT_FORMAT_GITHUB,   /* workflow commands */
    BT_REPORT_FORMAT_JUNIT,
    BT_REPORT_FORMAT_SARIF, /* 2.1.0 */
    BT_REPORT_FORMAT_MARKDOWN,
    BT_REPORT_FORMAT__MAX,
};

/* Parse the name of a format. BT_EINVAL: the name is unknown. */
BT_API BT_MUST_USE enum bt_status bt_report_format_parse(bt_str name, enum bt_report_format *out);
/* "full", "concise" and so on; a constant. */
BT_API bt_str bt_report_format_name(enum bt_report_format format);

struct bt_report_render_options {
    enum bt_report_format format;
    bool colour; /* ANSI colours; only for the full format */
    /* more top-level members of json and of the last line of jsonl: `"name":value,...` or "" */
    bt_str extra_members;
    size_t columns; /* of the terminal, for the full format; 0: not a terminal, do not wrap */
    /* full and concise: show only findings from this severity on, and failures; NONE: everything */
    enum bt_severity quiet_below;
    /* full and concise: the rules page to which codes are linked by OSC 8; "": they are not */
    bt_str docs_url;
    bool hides_clean; /* for the full format: no lines for documents without findings */
    /* the text formats end with a line that begins with this time and has the totals; "": none */
    bt_str time;
    bool is_verbose; /* for the full format: all checks that were not made */
    bool statistics; /* count the findings by code; for the text and JSON formats */
    bool exits_zero; /* rejected documents do not change the exit code, which SARIF reports */
};

/*
 * Render to `buf`. The result ends in a line feed; concise and github give an empty text when there
 * are neither findings nor failures. BT_EINVAL: the format is unknown. Failures of the buffer stick
 * to it and are returned.
 */
BT_API BT_MUST_USE enum bt_status bt_report_render(const struct bt_report *report,
                                                   const struct bt_report_render_options *options,
                                                   struct bt_buf *buf);

struct bt_emit; /* see json.h */

/*
 * Put the findings, in the form of the json format, into the array that `emit` has open. For
 * objects other than reports that have a member "findings".
 */
BT_API void bt_findings_emit(struct bt_emit *emit, const struct bt_findings *findings);

#ifdef __cplusplus
}
#endif

#endif
