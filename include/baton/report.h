/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.h - rules, findings, verdicts and the reports that show them.
 *
 * A *rule* is a constant row in a table. A *finding* is one statement about one document and names
 * its rule. A *verdict* is a pure function of findings. A *report* holds judged documents and can
 * be rendered in several formats.
 *
 * Threads: rules and names are constants. A report does not change after it was made; many threads
 * may read it, and one destroys it. A list of findings belongs to one thread at a time while
 * findings are added.
 */
#ifndef BATON_REPORT_H
#define BATON_REPORT_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Names ----------------------------------------------------------------------------------- */

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

/* Whether a fix is known for what a finding states. */
enum bt_fix {
    BT_FIX_NONE = 0,
    BT_FIX_SAFE,   /* --fix fixes it */
    BT_FIX_UNSAFE, /* --fix --unsafe-fixes fixes it */
};

/*
 * What a document is, or what a report or an entry of the ledger is about. bt_dialects_at() gives
 * those that bt_check() can judge. Zero is none.
 */
enum bt_dialect_id {
    BT_DIALECT_NONE = 0,
    BT_DIALECT_GOVERNED = 1,
    BT_DIALECT_RESPONSE = 2,
    BT_DIALECT_UNIVERSAL = 3,
    BT_DIALECT_CONTRACT = 4,
    BT_DIALECT_XML = 5,
    BT_DIALECT_ORGANISM = 6,
    BT_DIALECT_PLAN = 7,
    BT_DIALECT_MANIFEST = 8,
    BT_DIALECT_LOCK = 9,
    BT_DIALECT_BOUNDARIES = 10,
    BT_DIALECT_PROMPT = 11,
    BT_DIALECT_JSON = 12,
    BT_DIALECT_CONFIG = 13,
    BT_DIALECT_RAW = 14,   /* bytes that were recorded without a check */
    BT_DIALECT_BATON = 15, /* entries that Baton makes of its own accord */
    BT_DIALECT_SCHEMA = 16,
    BT_DIALECT_SKILL = 17,
    BT_DIALECT_STORE = 18,
    BT_DIALECT_LEDGER = 19,
    BT_DIALECT_CHECKPOINT = 20,
    BT_DIALECT_RECEIPT = 21,
    BT_DIALECT_MCP = 22, /* a conversation with an MCP server, or its definitions */
    BT_DIALECT_BUNDLE = 23,
};

/* Zero is not a verdict, and without a verdict nothing passes. */
enum bt_verdict {
    BT_VERDICT_NONE = 0,
    BT_VERDICT_ACCEPTED,
    BT_VERDICT_REJECTED,
    BT_VERDICT_RECORDED, /* a raw record that was only logged; counts as accepted */
};

/* "HARD", "WARN", "INFO" or "". A constant. */
BT_API bt_str bt_severity_name(enum bt_severity severity);
/*
 * Parse a severity: HARD or error, WARN or warning, INFO, in any letter case. BT_EINVAL: the text
 * is none of them.
 */
BT_API BT_MUST_USE enum bt_status bt_severity_parse(bt_str text, enum bt_severity *out);
/* "read", "schema" and so on, or "". A constant. */
BT_API bt_str bt_stage_name(enum bt_stage stage);
/* "safe", "unsafe" or "". A constant. */
BT_API bt_str bt_fix_name(enum bt_fix fix);
/* "accepted", "rejected", "recorded" or "undecided". A constant. */
BT_API bt_str bt_verdict_name(enum bt_verdict verdict);
/* The name of a dialect as reports and entries write it; "" for BT_DIALECT_NONE. A constant. */
BT_API bt_str bt_dialect_name(enum bt_dialect_id dialect);
/* The dialect of this name that bt_check() can judge, or BT_DIALECT_NONE. */
BT_API enum bt_dialect_id bt_dialect_find(bt_str name);

/* ---- Rules ----------------------------------------------------------------------------------- */

/* One row of the registry: one code in one dialect. A constant, and so are its texts. */
struct bt_rule;

/* The number of rules. */
BT_API size_t bt_rules_count(void);
/*
 * The rule with this index, which must be below the count; they are sorted by code, then dialect.
 */
BT_API const struct bt_rule *bt_rules_at(size_t index);
/*
 * The index of the first rule with this code (rules with one code are neighbours), or
 * bt_rules_count().
 */
BT_API size_t bt_rules_find(bt_str code);
/* The code: stable UPPER_SNAKE, never reused. */
BT_API bt_str bt_rule_code(const struct bt_rule *rule);
/* The name of the dialect: "json", "universal" and so on. */
BT_API bt_str bt_rule_dialect(const struct bt_rule *rule);
/* The severity of its findings, unless a finding says otherwise. */
BT_API enum bt_severity bt_rule_severity(const struct bt_rule *rule);
/* The stage at which it is checked. */
BT_API enum bt_stage bt_rule_stage(const struct bt_rule *rule);
/* Whether a fix is known for its findings. */
BT_API enum bt_fix bt_rule_fix(const struct bt_rule *rule);
/* True when it is about security. */
BT_API bool bt_rule_is_security(const struct bt_rule *rule);
/* One line: what it states about the document. */
BT_API bt_str bt_rule_meaning(const struct bt_rule *rule);
/* A paragraph: why it matters, and what to do. */
BT_API bt_str bt_rule_explanation(const struct bt_rule *rule);
/*
 * The smallest document that breaks the rule; "" when the rule has no example. Bytes, which are not
 * always UTF-8.
 */
BT_API bt_str bt_rule_bad(const struct bt_rule *rule);
/* That document, corrected; "" when the rule has no example. */
BT_API bt_str bt_rule_good(const struct bt_rule *rule);

/* ---- Findings -------------------------------------------------------------------------------- */

/* A list of findings. */
struct bt_findings;

/* One statement about one document. It lives as long as its list or report. */
struct bt_finding;

/*
 * Make an empty list, for functions that add findings to it. NULL: no memory. Destroy it with
 * bt_findings_destroy(). It may take 256 MiB; after that adding gives BT_ENOMEM.
 */
BT_API BT_MUST_USE struct bt_findings *bt_findings_create(void);
/* Destroy a list that bt_findings_create() made, with its findings. NULL is allowed. */
BT_API void bt_findings_destroy(struct bt_findings *findings);
/* The number of findings. */
BT_API size_t bt_findings_count(const struct bt_findings *findings);
/* The finding with this index, which must be below the count. */
BT_API const struct bt_finding *bt_findings_at(const struct bt_findings *findings, size_t index);

/* The code of its rule. */
BT_API bt_str bt_finding_code(const struct bt_finding *finding);
/* How grave it is. */
BT_API enum bt_severity bt_finding_severity(const struct bt_finding *finding);
/* The stage that found it. */
BT_API enum bt_stage bt_finding_stage(const struct bt_finding *finding);
/* Where it is: RFC 6901, or the pointer syntax of the dialect; "" is the whole document. */
BT_API bt_str bt_finding_pointer(const struct bt_finding *finding);
/* Where it is in the source; line 0: the position is not known. */
BT_API struct bt_position bt_finding_place(const struct bt_finding *finding);
/* One sentence for people. */
BT_API bt_str bt_finding_message(const struct bt_finding *finding);
/* What to do, or "". */
BT_API bt_str bt_finding_hint(const struct bt_finding *finding);
/* True when it is about security. */
BT_API bool bt_finding_is_security(const struct bt_finding *finding);
/* Whether a fix is known for it. */
BT_API enum bt_fix bt_finding_fix(const struct bt_finding *finding);
/* Its parameters as a compact JSON object; "" when it has none. */
BT_API bt_str bt_finding_params(const struct bt_finding *finding);

/* ---- Reports --------------------------------------------------------------------------------- */

/* One judged document. It lives as long as its report. */
struct bt_judgement;

/* What the document was called. */
BT_API bt_str bt_judgement_path(const struct bt_judgement *judgement);
/* What it was judged as. */
BT_API enum bt_dialect_id bt_judgement_dialect(const struct bt_judgement *judgement);
/* Whether it passes. */
BT_API enum bt_verdict bt_judgement_verdict(const struct bt_judgement *judgement);
/* Its findings, sorted; never NULL. They live as long as the report. */
BT_API const struct bt_findings *bt_judgement_findings(const struct bt_judgement *judgement);
/* Facts about it as a compact JSON object, such as its size in tokens. */
BT_API bt_str bt_judgement_facts(const struct bt_judgement *judgement);
/* Further members that reports show for it, as the inside of a JSON object; "" for none. */
BT_API bt_str bt_judgement_members(const struct bt_judgement *judgement);

/* Judged documents. */
struct bt_report;

/* The number of documents. */
BT_API size_t bt_report_count(const struct bt_report *report);
/* The document with this index, which must be below the count. */
BT_API const struct bt_judgement *bt_report_at(const struct bt_report *report, size_t index);
/*
 * Move the documents of `more` behind those of `report`, which owns them from then on; `more` is no
 * longer there on BT_OK. BT_ENOMEM: no memory; nothing was moved.
 */
BT_API BT_MUST_USE enum bt_status bt_report_join(struct bt_report *report, struct bt_report *more);
/* Destroy a report with everything it gave out. NULL is allowed. */
BT_API void bt_report_destroy(struct bt_report *report);

/* Numbers of a report: a sized struct that the library fills in; see BT_INIT(). */
struct bt_report_totals {
    uint32_t size; /* of this struct; 0: that of version 0.1 */
    uint64_t documents;
    uint64_t accepted;
    uint64_t rejected;
    uint64_t hard; /* findings */
    uint64_t warn;
    uint64_t info;
    uint64_t failures;   /* documents that could not be judged */
    uint64_t suppressed; /* findings that settings removed */
    uint64_t fixed;
};

/* Count the documents, findings and failures of a report. BT_EINVAL: the size of *out is wrong. */
BT_API BT_MUST_USE enum bt_status bt_report_count_totals(const struct bt_report *report,
                                                         struct bt_report_totals *out);

/* How a report is shown. */
enum bt_report_format {
    BT_REPORT_FORMAT_FULL = 0,    /* for people: source excerpt with a caret */
    BT_REPORT_FORMAT_CONCISE = 1, /* path:line:col: error: CODE message */
    BT_REPORT_FORMAT_JSON = 2,    /* one object */
    BT_REPORT_FORMAT_JSONL = 3,   /* one object per document, and one for the summary */
    BT_REPORT_FORMAT_GITHUB = 4,  /* workflow commands */
    BT_REPORT_FORMAT_JUNIT = 5,
    BT_REPORT_FORMAT_SARIF = 6, /* 2.1.0 */
    BT_REPORT_FORMAT_MARKDOWN = 7,
};

/* Parse the name of a format. BT_EINVAL: the name is unknown. */
BT_API BT_MUST_USE enum bt_status bt_report_format_parse(bt_str name, enum bt_report_format *out);
/* "full", "concise" and so on; "" for an unknown format. A constant. */
BT_API bt_str bt_report_format_name(enum bt_report_format format);

/* How a report is rendered: a sized struct. Every zero means the default. */
struct bt_report_render_options {
    uint32_t size; /* of this struct; 0: that of version 0.1 */
    enum bt_report_format format;
    /* full and concise: show only findings from this severity on, and failures; NONE: everything */
    enum bt_severity quiet_below;
    size_t columns; /* of the terminal, for the full format; 0: not a terminal, do not wrap */
    /* more top-level members of json and of the last line of jsonl: `"name":value,...` or "" */
    bt_str extra_members;
    /* full and concise: the rules page to which codes are linked by OSC 8; "": they are not */
    bt_str docs_url;
    /* the text formats end with a line that begins with this time and has the totals; "": none */
    bt_str time;
    bool colour;      /* ANSI colours; only for the full format */
    bool hides_clean; /* for the full format: no lines for documents without findings */
    bool is_verbose;  /* for the full format: all checks that were not made */
    bool statistics;  /* count the findings by code; for the text and JSON formats */
    bool exits_zero;  /* rejected documents do not change the exit code, which SARIF reports */
};

/*
 * Render to `buf`. The result ends in a line feed; concise and github give an empty text when there
 * are neither findings nor failures. `how` may be NULL, which is all zero. BT_EINVAL: the format is
 * unknown, or the size of *how is wrong. Failures of the buffer stick to it and are returned.
 */
BT_API BT_MUST_USE enum bt_status bt_report_render(const struct bt_report *report,
                                                   const struct bt_report_render_options *how,
                                                   struct bt_buf *buf);

#ifdef __cplusplus
}
#endif

#endif
