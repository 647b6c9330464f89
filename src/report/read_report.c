/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_report.c - the object of the json format -> the report that it shows, to be rendered in
 * another format.
 *
 * The object is valid by its schema, so the types of all members are known. Texts that the report
 * keeps lie in the document or in the arena.
 */
#include "report/read_report.h"

#include "base/buf.h"
#include "base/error.h"
#include "json/emit.h"
#include "report/add.h"
#include "report/findings.h"
#include "report/skipped.h"
#include "report/suppressed.h"

struct report_reader {
    const struct bt_json_doc *document;
    struct bt_arena *arena;
    struct bt_error *error;
};

static const bt_json_value *member_of(const struct report_reader *reader,
                                      const bt_json_value *object, const char *name)
{
    return bt_json_get(reader->document, object, bt_str_of(name));
}

/* "" when it is absent. */
static bt_str text_of(const struct report_reader *reader, const bt_json_value *object,
                      const char *name)
{
    const bt_json_value *value = member_of(reader, object, name);
    return value ? bt_json_text(value) : BT_STR("");
}

/* A whole number, at most UINT32_MAX; 0 when it is absent. */
static uint32_t number_of(const struct report_reader *reader, const bt_json_value *object,
                          const char *name)
{
    const bt_json_value *value = member_of(reader, object, name);
    const double number = value ? bt_json_to_double(value) : 0;
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static bool is_listed(bt_str name, const char *const *names)
{
    for (size_t i = 0; names[i]; i++) {
        if (bt_str_eq(name, bt_str_of(names[i]))) {
            return true;
        }
    }
    return false;
}

/* The members of an object whose names are not listed, as `"name":value,...`. */
static enum bt_status copy_others(const struct report_reader *reader, const bt_json_value *object,
                                  const char *const *names, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    for (size_t i = 0; i < bt_json_count(object) && status == BT_OK; i++) {
        const struct bt_json_member *member = &bt_json_members(object)[i];
        if (!is_listed(bt_json_name(member), names)) {
            bt_emit_name_str(&emit, bt_json_name(member));
            bt_emit_value(&emit);
            status = bt_json_write(&buf, reader->document, &member->value, BT_JSON_FORM_COMPACT,
                                   reader->arena, NULL);
        }
    }
    BT_TRY(bt_buf_finish_if(status, &buf, reader->arena, out));
    *out = bt_str_slice(*out, 1, out->len); /* behind the brace */
    return BT_OK;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static enum bt_dialect_id find_dialect(bt_str name)
{
    for (enum bt_dialect_id i = 1; i < BT_DIALECT__MAX; i++) {
        if (bt_str_eq(bt_dialect_name(i), name)) {
            return i;
        }
    }
    return BT_DIALECT_NONE;
}

static enum bt_verdict find_verdict(bt_str name)
{
    enum bt_verdict verdict = BT_VERDICT_ACCEPTED;
    while (verdict < BT_VERDICT_RECORDED && !bt_str_eq(bt_verdict_name(verdict), name)) {
        verdict++;
    }
    return verdict;
}

static enum bt_failure_reason find_reason(bt_str name)
{
    enum bt_failure_reason reason = BT_FAILURE_NOT_FOUND;
    while (reason < BT_FAILURE_CONFIG && !bt_str_eq(bt_failure_reason_name(reason), name)) {
        reason++;
    }
    return reason;
}

static enum bt_suppressed_by find_suppressed_by(bt_str name)
{
    enum bt_suppressed_by by = BT_SUPPRESSED_BY_BASELINE;
    while (by < BT_SUPPRESSED_BY_RULES && !bt_str_eq(bt_suppressed_by_name(by), name)) {
        by++;
    }
    return by;
}

/* The row of the dialect where it has one, else that of JSON, else the first of the code. */
static enum bt_status find_rule(const struct report_reader *reader, bt_str code,
                                enum bt_dialect_id dialect, const struct bt_rule **out)
{
    const size_t first = bt_rules_find(code);
    if (first == bt_rules_count()) {
        return bt_error_set(reader->error, BT_ENOENT, "this version has no rule %.*s",
                            BT_STR_ARG(code));
    }
    const struct bt_rule *rule = bt_rules_at(first);
    const struct bt_rule *own = bt_rule_of_dialect_or_null(rule->id, dialect);
    own = own ? own : bt_rule_of_dialect_or_null(rule->id, BT_DIALECT_JSON);
    *out = own ? own : rule;
    return BT_OK;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* Where the lines of a source begin. */
struct report_source_lines {
    bt_str source;
    const size_t *begins;
    size_t count;
};

static enum bt_status find_lines(const struct report_reader *reader, bt_str source,
                                 struct report_source_lines *out)
{
    size_t count = 1;
    for (size_t at = 0; (at = bt_str_find_byte(source, '\n', at)) < source.len; at++) {
        count++;
    }
    size_t *begins = BT_NEW_ARRAY(reader->arena, size_t, count);
    if (!begins) {
        return BT_ENOMEM;
    }
    begins[0] = bt_line_cursor_begin(source).line_begin;
    for (size_t i = 1; i < count; i++) {
        begins[i] = bt_str_find_byte(source, '\n', begins[i - 1]) + 1;
    }
    *out = (struct report_source_lines){source, begins, source.len > 0 ? count : 0};
    return BT_OK;
}

static size_t find_offset(const struct report_source_lines *lines, struct bt_position position)
{
    if (position.line == 0 || position.line > lines->count) {
        return BT_OFFSET_NONE;
    }
    const size_t begin = lines->begins[position.line - 1];
    const size_t room = lines->source.len - begin;
    return position.column > 0 && position.column - 1 <= room ? begin + position.column - 1
                                                              : BT_OFFSET_NONE;
}

/* ---- Findings -------------------------------------------------------------------------------- */

static enum bt_status add_finding(const struct report_reader *reader, const bt_json_value *object,
                                  enum bt_dialect_id dialect,
                                  const struct report_source_lines *lines,
                                  struct bt_findings *findings)
{
    const struct bt_rule *rule = NULL;
    BT_TRY(find_rule(reader, text_of(reader, object, "code"), dialect, &rule));
    struct bt_finding finding = bt_finding_from_rule(rule);
    const bt_json_value *params = member_of(reader, object, "params");
    const bt_str changed = text_of(reader, object, "default_severity");
    const bt_str fix = text_of(reader, object, "fix");
    BT_TRY(bt_severity_parse(text_of(reader, object, "severity"), &finding.severity));
    if (changed.len > 0) {
        BT_TRY(bt_severity_parse(changed, &finding.default_severity));
    }
    finding.fix = bt_str_eq(fix, bt_fix_name(BT_FIX_SAFE))     ? BT_FIX_SAFE
                  : bt_str_eq(fix, bt_fix_name(BT_FIX_UNSAFE)) ? BT_FIX_UNSAFE
                                                               : BT_FIX_NONE;
    const bt_json_value *security = member_of(reader, object, "security");
    finding.security = security && bt_json_type(security) == BT_JSON_TRUE;
    finding.pointer = text_of(reader, object, "pointer");
    finding.message = text_of(reader, object, "message");
    finding.hint = text_of(reader, object, "hint");
    const struct bt_position position = {number_of(reader, object, "line"),
                                         number_of(reader, object, "column")};
    finding.offset = find_offset(lines, position);
    if (params) {
        BT_TRY(bt_finding_set_params(&finding, reader->arena, reader->document, params));
    }
    BT_TRY(bt_findings_add(findings, &finding));
    findings->items[findings->count - 1]->position = position; /* adding leaves it open */
    return BT_OK;
}

static enum bt_status read_findings(const struct report_reader *reader, const bt_json_value *object,
                                    bt_str source, struct bt_judgement *judgement)
{
    const bt_json_value *list = member_of(reader, object, "findings");
    struct bt_findings *findings = bt_findings_new(reader->arena);
    struct report_source_lines lines;
    if (!findings) {
        return BT_ENOMEM;
    }
    BT_TRY(find_lines(reader, source, &lines));
    for (size_t i = 0; i < bt_json_count(list); i++) {
        BT_TRY(add_finding(reader, &bt_json_items(list)[i], judgement->dialect, &lines, findings));
    }
    judgement->findings = findings;
    return BT_OK;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void read_skipped(const struct report_reader *reader, const bt_json_value *facts,
                         struct bt_judgement *judgement)
{
    const bt_json_value *list = member_of(reader, facts, "skipped");
    const bool is_list = list && bt_json_type(list) == BT_JSON_ARRAY;
    for (size_t i = 0; is_list && i < bt_json_count(list); i++) {
        const bt_json_value *item = &bt_json_items(list)[i];
        if (bt_json_type(item) == BT_JSON_OBJECT) {
            judgement->skipped |=
                bt_skipped_find(text_of(reader, item, "what"), text_of(reader, item, "why"),
                                text_of(reader, item, "need"));
        }
    }
}

enum { SUPPRESSED_MAX = 1 << 20 };

/* Add the findings of one item, which are equal. */
static enum bt_status add_suppressed(const struct report_reader *reader, const bt_json_value *item,
                                     enum bt_dialect_id dialect, struct bt_suppressed *suppressed)
{
    const uint32_t count = number_of(reader, item, "count");
    const struct bt_rule *rule = NULL;
    struct bt_finding *finding = BT_NEW(reader->arena, struct bt_finding);
    if (!finding || count > SUPPRESSED_MAX - suppressed->count) {
        return BT_ENOMEM;
    }
    BT_TRY(find_rule(reader, text_of(reader, item, "code"), dialect, &rule));
    *finding = bt_finding_from_rule(rule);
    BT_TRY(bt_vec_reserve(reader->arena, suppressed, count));
    for (uint32_t i = 0; i < count; i++) {
        suppressed->items[suppressed->count++] =
            (struct bt_suppressed_finding){finding, find_suppressed_by(text_of(reader, item, "by")),
                                           text_of(reader, item, "reason")};
    }
    return BT_OK;
}

static enum bt_status read_suppressed(const struct report_reader *reader,
                                      const bt_json_value *facts, struct bt_judgement *judgement)
{
    const bt_json_value *list = member_of(reader, facts, "suppressed");
    struct bt_suppressed *suppressed = list ? BT_NEW(reader->arena, struct bt_suppressed) : NULL;
    if (list && !suppressed) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; list && i < bt_json_count(list); i++) {
        BT_TRY(add_suppressed(reader, &bt_json_items(list)[i], judgement->dialect, suppressed));
    }
    judgement->suppressed = suppressed;
    return BT_OK;
}

static enum bt_status read_facts(const struct report_reader *reader, const bt_json_value *facts,
                                 struct bt_judgement *judgement)
{
    static const char *const shown_elsewhere[] = {"skipped", "suppressed", NULL};
    bt_str members;
    read_skipped(reader, facts, judgement);
    BT_TRY(read_suppressed(reader, facts, judgement));
    BT_TRY(copy_others(reader, facts, shown_elsewhere, &members));
    return bt_arena_printf(reader->arena, &judgement->facts, "{%.*s}", BT_STR_ARG(members));
}

/* ---- Reports --------------------------------------------------------------------------------- */

static enum bt_status add_document(const struct report_reader *reader, const bt_json_value *object,
                                   bt_str source, uint32_t fixed, struct bt_report *report)
{
    static const char *const known[] = {"path", "dialect", "verdict", "findings", "facts", NULL};
    const bt_str dialect = text_of(reader, object, "dialect");
    struct bt_judgement judgement = {.path = text_of(reader, object, "path"),
                                     .dialect = find_dialect(dialect),
                                     .verdict = find_verdict(text_of(reader, object, "verdict")),
                                     .source = source,
                                     .fixed = fixed};
    if (judgement.dialect == BT_DIALECT_NONE && dialect.len > 0) {
        return bt_error_set(reader->error, BT_ENOENT, "this version has no dialect %.*s",
                            BT_STR_ARG(dialect));
    }
    BT_TRY(read_findings(reader, object, source, &judgement));
    BT_TRY(read_facts(reader, member_of(reader, object, "facts"), &judgement));
    BT_TRY(copy_others(reader, object, known, &judgement.extra_members));
    return bt_report_add(report, &judgement);
}

static void add_failures(const struct report_reader *reader, const bt_json_value *list,
                         struct bt_report *report)
{
    for (size_t i = 0; list && i < bt_json_count(list); i++) {
        const bt_json_value *item = &bt_json_items(list)[i];
        const struct bt_failure failure = {text_of(reader, item, "path"),
                                           find_reason(text_of(reader, item, "reason")),
                                           text_of(reader, item, "message")};
        bt_report_fail(report, &failure);
    }
}

enum bt_status bt_report_read(const struct bt_json_doc *document, const struct bt_str_list *sources,
                              struct bt_arena *arena, struct bt_report **out,
                              struct bt_report_render_options *how, struct bt_error *error)
{
    static const char *const known[] = {"baton",      "documents", "failures",
                                        "statistics", "summary",   NULL};
    const struct report_reader reader = {document, arena, error};
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *documents = member_of(&reader, root, "documents");
    const uint32_t fixed = number_of(&reader, member_of(&reader, root, "summary"), "fixed");
    struct bt_report *report = bt_report_new(arena);
    if (!report) {
        return BT_ENOMEM;
    }
    for (size_t i = 0; i < bt_json_count(documents); i++) {
        /* Only the sum of all documents is known; it stands with the first. */
        BT_TRY(add_document(&reader, &bt_json_items(documents)[i],
                            i < sources->count ? sources->items[i] : BT_STR(""), i == 0 ? fixed : 0,
                            report));
    }
    add_failures(&reader, member_of(&reader, root, "failures"), report);
    if (member_of(&reader, root, "baseline")) {
        bt_report_set_baseline(report);
    }
    *how = (struct bt_report_render_options){.statistics =
                                                 member_of(&reader, root, "statistics") != NULL};
    BT_TRY(copy_others(&reader, root, known, &how->extra_members));
    *out = report;
    return BT_OK;
}
