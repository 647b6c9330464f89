/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <baton/json.h>

#include "report/add.h"

#define RULE(code_, stage_, severity_, fix_, security_)                                            \
    {                                                                                              \
        .code = BT_STR_INIT(code_), .dialect = BT_STR_INIT("universal"), .severity = severity_,    \
        .stage = stage_, .fix = fix_, .security = security_,                                       \
        .meaning = BT_STR_INIT("the meaning of " code_),                                           \
        .explanation = BT_STR_INIT("why " code_ " matters"), .bad = BT_STR_INIT("[1,]"),           \
        .good = BT_STR_INIT("[1]"),                                                                \
    }

enum rule { SYNTAX, REQUIRED, TYPE, BUDGET, LOOP, UNKNOWN };

static const struct bt_rule rules[] = {
    [SYNTAX] = RULE("JSON_SYNTAX", BT_STAGE_READ, BT_SEVERITY_HARD, BT_FIX_NONE, false),
    [REQUIRED] = RULE("SCHEMA_REQUIRED", BT_STAGE_SCHEMA, BT_SEVERITY_HARD, BT_FIX_SAFE, false),
    [TYPE] = RULE("SCHEMA_TYPE", BT_STAGE_SCHEMA, BT_SEVERITY_HARD, BT_FIX_NONE, false),
    [BUDGET] = RULE("TOKENS_OVER", BT_STAGE_BUDGET, BT_SEVERITY_WARN, BT_FIX_UNSAFE, false),
    [LOOP] = RULE("SELF_LOOP", BT_STAGE_SEMANTICS, BT_SEVERITY_HARD, BT_FIX_NONE, true),
    [UNKNOWN] = RULE("NAME_UNKNOWN", BT_STAGE_SEMANTICS, BT_SEVERITY_INFO, BT_FIX_NONE, false),
};

struct row {
    enum rule rule;
    size_t offset;
    const char *pointer;
    const char *message;
    const char *hint;
    const char *params;
};

struct document {
    bt_str path;
    enum bt_dialect_id dialect;
    bt_str source;
    enum bt_verdict verdict;
    const char *facts;
    const char *members;
    const struct row *rows;
    size_t count;
};

#define NO BT_OFFSET_NONE

/* Wide characters stand before "to", so that bytes, UTF-16 units and columns all differ. */
#define HANDOFF                                                                                    \
    "{\n\t\"handoff\": {},\n  \"\xe5\xae\x9b\xf0\x9f\x98\x80\": 1, \"to\": \"me\",\r\n"            \
    "  \"note\": \"a\tb\x1b[31m\xff\"\n}\n"

static const struct row handoff_rows[] = {
    {LOOP, 40, "/to", "\"me\" hands over to itself", "name another agent", ""},
    {BUDGET, NO, "", "the document has 2,104 tokens, 104 over its budget", "shorten it",
     "{\"actual\":2104,\"limit\":2000}"},
    {REQUIRED, 14, "/handoff", "the member \"trace_id\" is missing", "add it",
     "{\"property\":\"trace_id\"}"},
    {UNKNOWN, 57, "/note", "nobody knows what this is", "", ""},
    {TYPE, 31, "/\xe5\xae\x9b\xf0\x9f\x98\x80", "expected a string, found 1", "", ""},
};

static const struct row broken_rows[] = {
    {SYNTAX, 150, "", "expected a value at line 1, column 151, found \"}\"",
     "give the member a value", ""},
};

static const struct row hostile_rows[] = {
    {BUDGET, 0, "/" SAMPLE_HOSTILE, "no " SAMPLE_HOSTILE, "not " SAMPLE_HOSTILE,
     "{\"name\":\"\xc2\x9b\x7f\"}"},
    {UNKNOWN, NO, "/~1</code>", "see www.example.com | https://example.com {0} :tada: _x_ ~y~ $z$",
     "", ""},
};

/* Too long for a screen, on both sides of the mistake. */
#define TEN "1, 2, 3, 4, 5, "
#define BROKEN "{\"a\": [" TEN TEN TEN TEN TEN TEN TEN TEN TEN "], \"b\": }" TEN TEN TEN TEN "\n"

#define ROWS(rows_) .rows = rows_, .count = sizeof(rows_) / sizeof((rows_)[0])

static const struct document documents[] = {
    {.path = BT_STR_INIT("work/handoffs/\xc3\xa0 b:c.json"),
     .dialect = BT_DIALECT_UNIVERSAL,
     .source = BT_STR_INIT(HANDOFF),
     .verdict = BT_VERDICT_REJECTED,
     .facts = "{\"tokens\":2104}",
     .members = "\"submit\":{\"id\":7}",
     ROWS(handoff_rows)},
    {.path = BT_STR_INIT("./clean.json"),
     .dialect = BT_DIALECT_UNIVERSAL,
     .source = BT_STR_INIT("{}"),
     .verdict = BT_VERDICT_ACCEPTED},
    {.path = BT_STR_INIT("/srv/broken.json"),
     .dialect = BT_DIALECT_JSON,
     .source = BT_STR_INIT(BROKEN),
     .verdict = BT_VERDICT_REJECTED,
     ROWS(broken_rows)},
    {.path = BT_STR_INIT(SAMPLE_HOSTILE),
     .dialect = BT_DIALECT_XML,
     .source = BT_STR_INIT("\xe2\x80\xae<"),
     .verdict = BT_VERDICT_ACCEPTED,
     ROWS(hostile_rows)},
    {.path = BT_STR_INIT("<stdin>"),
     .dialect = BT_DIALECT_JSON,
     .source = BT_STR_INIT("raw"),
     .verdict = BT_VERDICT_RECORDED},
};

static const struct bt_failure failures[] = {
    {BT_STR_INIT("gone.json"), BT_FAILURE_NOT_FOUND, BT_STR_INIT("No such file or directory")},
    {BT_STR_INIT(SAMPLE_HOSTILE), BT_FAILURE_IO, BT_STR_INIT("not " SAMPLE_HOSTILE)},
    {BT_STR_INIT("baton.yaml"), BT_FAILURE_CONFIG, BT_STR_INIT("line 1: CONFIG_KEY_UNKNOWN")},
};

static enum bt_status add_rows(struct bt_findings *findings, const struct document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        const struct row *row = &document->rows[i];
        struct bt_finding finding = bt_finding_from_rule(&rules[row->rule]);
        finding.offset = row->offset;
        finding.pointer = bt_str_of(row->pointer);
        finding.message = bt_str_of(row->message);
        finding.hint = bt_str_of(row->hint);
        if (row->params[0] != '\0') {
            struct bt_arena *arena = bt_findings_arena(findings);
            struct bt_json_read_result read = {0};
            BT_TRY(bt_json_read(arena, bt_str_of(row->params), NULL, &read));
            BT_TRY(
                bt_finding_set_params(&finding, arena, read.document, bt_json_root(read.document)));
        }
        BT_TRY(bt_findings_add(findings, &finding));
    }
    return bt_findings_finish(findings, document->source);
}

struct bt_report *sample_report(struct bt_arena *arena)
{
    struct bt_report *report = bt_report_new(arena);
    for (size_t i = 0; report && i < sizeof(documents) / sizeof(documents[0]); i++) {
        const struct document *document = &documents[i];
        struct bt_findings *findings = bt_findings_new(arena);
        if (!findings || add_rows(findings, document) != BT_OK) {
            return NULL;
        }
        const struct bt_judgement judged = {
            .path = document->path,
            .dialect = document->dialect,
            .source = document->source,
            .verdict = document->verdict,
            .findings = findings,
            .facts = bt_str_of(document->facts),
            .extra_members = bt_str_of(document->members),
        };
        if (bt_report_add(report, &judged) != BT_OK) {
            return NULL;
        }
    }
    for (size_t i = 0; report && i < sizeof(failures) / sizeof(failures[0]); i++) {
        bt_report_fail(report, &failures[i]);
    }
    return report;
}
