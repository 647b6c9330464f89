/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - what Baton has to say about documents: rules, findings, verdicts, renderings.
 *
 * A *rule* is a row in a table and never changes. A *finding* is one statement about one document
 * and names its rule. A *verdict* is a pure function of findings. A *report* holds the documents of
 * one run and can be rendered in several formats.
 */
#ifndef BATON_REPORT_H
#define BATON_REPORT_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rules ----------------------------------------------------------------------------------- */

/* In rising order, so that `severity >= fail_level` decides. Zero means "not decided". */
enum bt_severity {
    BT_SEVERITY_NONE = 0, /* words that are never findings */
    BT_SEVERITY_INFO,     /* tells */
    BT_SEVERITY_WARN,     /* does not block */
    BT_SEVERITY_HARD,     /* blocks */
};

/* In the order in which a document passes them; findings are sorted by it. */
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
    BT_FIX_SAFE,   /* --fix repairs it */
    BT_FIX_UNSAFE, /* --fix --unsafe-fixes repairs it */
};

/* One row of the registry: one code as one dialect means it. All text is for people, in UTF-8. */
struct bt_rule {
    bt_str code;    /* stable UPPER_SNAKE, never reused */
    bt_str dialect; /* "json", "universal" ... */
    enum bt_severity severity;
    enum bt_stage stage;
    enum bt_fix fix;
    bool security;
    bt_str meaning;     /* one line: what it says about the document */
    bt_str explanation; /* a paragraph: why it matters, what to do */
    bt_str bad;         /* the smallest document that breaks it; "" when it cannot be shown. These
                           are its bytes, not always UTF-8: show them with bt_buf_put_printable() */
    bt_str good;        /* the same document, mended */
};

BT_API bt_str bt_severity_name(enum bt_severity severity); /* "HARD", "WARN", "INFO", "" */
BT_API bt_str bt_stage_name(enum bt_stage stage);          /* "read" ... or "" */
BT_API bt_str bt_fix_name(enum bt_fix fix);                /* "safe", "unsafe" or "" */
/* BT_EINVAL when the text is none of HARD, WARN, INFO. */
BT_API BT_MUST_USE enum bt_status bt_severity_parse(bt_str text, enum bt_severity *out);

/* ---- Findings -------------------------------------------------------------------------------- */

#define BT_OFFSET_NONE SIZE_MAX

/* One statement about one document. Everything it points at lives as long as the findings. */
struct bt_finding {
    const struct bt_rule *rule;
    enum bt_severity severity; /* the rule's, unless a chapter names a condition that changes it */
    enum bt_fix fix;
    bool security;
    bt_str pointer;              /* RFC 6901 and its kin; "" is the whole document */
    size_t offset;               /* of the first byte it is about, or BT_OFFSET_NONE */
    struct bt_position position; /* filled in by bt_findings_finish(); line 0 when there is none */
    bt_str message;              /* one sentence */
    bt_str hint;                 /* what to do, or "" */
    bt_str params;               /* a compact JSON object, or "" */
};

struct bt_findings; /* a growing list in an arena */

/* NULL when the arena is exhausted. The list ends with the arena. */
BT_API BT_MUST_USE struct bt_findings *bt_findings_new(struct bt_arena *arena);
BT_API struct bt_arena *bt_findings_arena(struct bt_findings *findings);
/* A finding of `rule` about the whole document, ready to be filled in and added. Until something
 * better is filled in, its message is the rule's meaning. */
BT_API struct bt_finding bt_finding_from_rule(const struct bt_rule *rule);
/* Copies the finding; pointer, message, hint and params are copied into the arena as well. */
BT_API BT_MUST_USE enum bt_status bt_findings_add(struct bt_findings *findings,
                                                  const struct bt_finding *finding);
/*
 * Sort by stage, position (none first), code, pointer, then order of addition; drop findings equal
 * in code, pointer and params; compute lines and columns from `source`. Call it once, at the end.
 */
BT_API BT_MUST_USE enum bt_status bt_findings_finish(struct bt_findings *findings, bt_str source);
/* After that, for a document that is a part of a longer text: so many lines come before it. */
BT_API void bt_findings_shift_lines(struct bt_findings *findings, uint32_t lines);
BT_API size_t bt_findings_count(const struct bt_findings *findings);
BT_API const struct bt_finding *bt_findings_at(const struct bt_findings *findings, size_t index);

/* The HTTP status that a refusal for this reason is told with. */
BT_API unsigned bt_finding_http_status(const struct bt_finding *finding);

/* ---- Verdict --------------------------------------------------------------------------------- */

/* Zero is no verdict, and no verdict is never a pass. */
enum bt_verdict {
    BT_VERDICT_NONE = 0,
    BT_VERDICT_ACCEPTED,
    BT_VERDICT_REJECTED,
    BT_VERDICT_RECORDED, /* a raw record that was only logged; counts as accepted */
};

/* Rejected when any finding is at or above the fail level. */
BT_API enum bt_verdict bt_verdict_of(const struct bt_findings *findings,
                                     enum bt_severity fail_level);
/* "accepted", "rejected", "recorded", or "undecided". */
BT_API bt_str bt_verdict_name(enum bt_verdict verdict);

/* ---- Reports --------------------------------------------------------------------------------- */

struct bt_json_doc; /* see json.h */

/* One judged document. */
struct bt_judgement {
    bt_str path;
    bt_str dialect;
    bt_str source; /* the bytes, for excerpts */
    enum bt_verdict verdict;
    const struct bt_findings *findings;
    bt_str facts;         /* a compact JSON object; "" means {} */
    bt_str extra_members; /* further members of the document, `"name":value,...` or "" */
    const struct bt_json_doc
        *document; /* what was read, beside the findings; NULL: nothing of use */
    size_t fixed;  /* changes that were made because of a finding, see facts.changes, facts.fixed */
};

/* Why something could not be judged. */
enum bt_failure_reason {
    BT_FAILURE_NONE = 0,
    BT_FAILURE_NOT_FOUND,
    BT_FAILURE_PERMISSION,
    BT_FAILURE_NOT_A_FILE,
    BT_FAILURE_IO,
    BT_FAILURE_UNRECOGNISED, /* the dialect of a named document is not known */
    BT_FAILURE_NEEDS_ROOT,
    BT_FAILURE_NO_DOCUMENTS, /* a named folder holds none */
    BT_FAILURE_WALK_LIMIT,   /* a folder is too large or too deep */
    BT_FAILURE_MEMORY,
    BT_FAILURE_CONFIG, /* the configuration cannot be used; the path is that of its file */
    BT_FAILURE__MAX,
};

/* "not_found", "permission" and so on; "" for BT_FAILURE_NONE. */
BT_API bt_str bt_failure_reason_name(enum bt_failure_reason reason);

/* Something that could not be judged: no finding, because another machine might judge it. */
struct bt_failure {
    bt_str path;
    enum bt_failure_reason reason;
    bt_str message; /* for people */
};

struct bt_report; /* the documents of one run, and what could not be judged, in an arena */

BT_API BT_MUST_USE struct bt_report *bt_report_new(struct bt_arena *arena);
/* The arena that it was made in. */
BT_API struct bt_arena *bt_report_arena(struct bt_report *report);
/* Copies the struct; what it points at must live as long as the report. */
BT_API BT_MUST_USE enum bt_status bt_report_add(struct bt_report *report,
                                                const struct bt_judgement *document);
BT_API size_t bt_report_count(const struct bt_report *report);
BT_API const struct bt_judgement *bt_report_at(const struct bt_report *report, size_t index);

/* Add a failure; path and message are copied. One that there is no memory for is still counted: the
 * last failure of the report then says that some are not listed. */
BT_API void bt_report_fail(struct bt_report *report, const struct bt_failure *failure);
BT_API size_t bt_report_failure_count(const struct bt_report *report);
BT_API const struct bt_failure *bt_report_failure_at(const struct bt_report *report, size_t index);

struct bt_report_totals {
    uint64_t documents;
    uint64_t accepted;
    uint64_t rejected;
    uint64_t hard;
    uint64_t warn;
    uint64_t info;
    uint64_t failures;
    uint64_t
        suppressed; /* findings that were found and are not shown: there is no way to do that */
    uint64_t fixed;
};

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

/* BT_EINVAL when no format has this name. */
BT_API BT_MUST_USE enum bt_status bt_report_format_parse(bt_str name, enum bt_report_format *out);
BT_API bt_str bt_report_format_name(enum bt_report_format format);

struct bt_report_render_options {
    enum bt_report_format format;
    bool colour;          /* ANSI colours; only the full format has any */
    bt_str extra_members; /* further top-level members of json, and of jsonl's last line:
                       `"name":value,...` or "" */
    size_t columns;       /* of the terminal, for the full format; 0: there is none, wrap nothing */
};

/* Render to `buf`. The result ends in a line feed; concise and github give nothing at all when
 * there are neither findings nor failures. BT_EINVAL: no such format. Errors of the buffer stick to
 * it and are returned. */
BT_API BT_MUST_USE enum bt_status bt_report_render(const struct bt_report *report,
                                                   const struct bt_report_render_options *options,
                                                   struct bt_buf *buf);

struct bt_emit; /* see json.h */

/* Put findings, as the json format shows them, into the array that `emit` stands in: for objects
 * that are no report and have a member "findings". */
BT_API void bt_findings_emit(struct bt_emit *emit, const struct bt_findings *findings);

#ifdef __cplusplus
}
#endif

#endif
