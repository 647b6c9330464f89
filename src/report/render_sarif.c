/* SPDX-License-Identifier: Apache-2.0 */
/*
 * render_sarif.c - SARIF 2.1.0 (OASIS), for code scanning and editors.
 *
 * One run. Rules appear once per code, only those that were broken, sorted by code. Every document
 * is an artifact, also one without findings, so that the log says what was looked at.
 */
#include "report/render.h"

#include "base/env.h"

#include "base/ascii.h"
#include "report/add.h"
#include "report/broken.h"
#include "report/display_width.h"
#include "report/suppressed.h"
#include "report/version.h"

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static const char *level_of(enum bt_severity severity)
{
    if (severity == BT_SEVERITY_HARD) {
        return "error";
    }
    return severity == BT_SEVERITY_WARN ? "warning" : "note";
}

struct report_render_sarif {
    struct bt_emit emit;
    struct bt_buf text; /* working memory for one string */
    struct bt_report_broken broken;
    bool exits_zero;
    bool has_baseline;
};

/* The working string so far becomes a value; the next one starts empty. */
static void put_text(struct report_render_sarif *sarif)
{
    bt_emit_string(&sarif->emit, bt_buf_str(&sarif->text));
    struct bt_buf *buf = sarif->emit.buf;
    buf->status = buf->status == BT_OK ? sarif->text.status : buf->status;
    bt_buf_clear(&sarif->text);
}

static void put_member_text(struct bt_emit *emit, const char *name, bt_str text)
{
    bt_emit_member_object(emit, name);
    bt_emit_member_string(emit, "text", text);
    bt_emit_end(emit);
}

static void put_rule(struct bt_emit *emit, const struct bt_rule *rule)
{
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "id", rule->code);
    put_member_text(emit, "shortDescription", rule->meaning);
    put_member_text(emit, "fullDescription", rule->explanation);
    put_member_text(emit, "help", rule->explanation);
    bt_emit_member_object(emit, "defaultConfiguration");
    bt_emit_member_string(emit, "level", bt_str_of(level_of(rule->severity)));
    bt_emit_end(emit);
    bt_emit_member_object(emit, "properties");
    bt_emit_member_string(emit, "stage", bt_stage_name(rule->stage));
    bt_emit_member_array(emit, "tags");
    if (rule->security) {
        bt_emit_string(emit, BT_STR("security"));
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static void put_tool(struct report_render_sarif *sarif)
{
    struct bt_emit *emit = &sarif->emit;
    bt_emit_member_object(emit, "tool");
    bt_emit_member_object(emit, "driver");
    bt_emit_member_string(emit, "name", BT_STR("Baton"));
    bt_emit_member_string(emit, "version", BT_STR(BATON_VERSION));
    bt_emit_member_array(emit, "rules");
    for (size_t i = 0; i < sarif->broken.count; i++) {
        put_rule(emit, sarif->broken.rules[i]);
    }
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

static bool is_uri_byte(unsigned char byte)
{
    return bt_ascii_is_alnum((char)byte) || byte == '-' || byte == '.' || byte == '_' ||
           byte == '~' || byte == '/';
}

/* RFC 3986: unreserved characters and the slash stand for themselves, all else is percent-encoded
 * byte by byte. An absolute path becomes a file URI; a relative one stays relative. */
static void put_uri(struct report_render_sarif *sarif, bt_str path)
{
    if (bt_str_starts_with(path, BT_STR("/"))) {
        bt_buf_put_text(&sarif->text, "file://");
    }
    size_t at = bt_str_starts_with(path, BT_STR("./")) ? 2 : 0;
    for (; at < path.len; at++) {
        const unsigned char byte = (unsigned char)path.ptr[at];
        if (is_uri_byte(byte)) {
            bt_buf_put_char(&sarif->text, path.ptr[at]);
        } else {
            bt_buf_printf(&sarif->text, "%%%02X", byte);
        }
    }
    bt_emit_name(&sarif->emit, "uri");
    put_text(sarif);
}

/* The number of the document makes artifacts unique, which SARIF demands even of a file that was
 * given twice. */
static void put_artifacts(struct report_render_sarif *sarif, const struct bt_report *report)
{
    struct bt_emit *emit = &sarif->emit;
    bt_emit_member_array(emit, "artifacts");
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        bt_emit_begin_object(emit);
        bt_emit_member_object(emit, "location");
        put_uri(sarif, document->path);
        bt_emit_end(emit);
        bt_emit_member_object(emit, "properties");
        bt_emit_member_u64(emit, "document", i);
        bt_emit_member_string(emit, "dialect", bt_dialect_name(document->dialect));
        bt_emit_member_string(emit, "verdict", bt_verdict_name(document->verdict));
        bt_emit_end(emit);
        bt_emit_end(emit);
    }
    bt_emit_end(emit);
}

/* SARIF 3.11.6: "](" would make a link of what stands before and behind it. */
static size_t escape_link(struct bt_buf *buf, bt_str text, size_t at)
{
    if (bt_str_eq(bt_str_slice(text, at, at + 2), BT_STR("]("))) {
        bt_buf_put_char(buf, '\\');
    }
    bt_buf_put_char(buf, text.ptr[at]);
    return 1;
}

static void put_message(struct report_render_sarif *sarif, bt_str message, bt_str hint)
{
    bt_report_put_escaped(&sarif->text, message, BT_SENTENCE_SHOWN, escape_link);
    if (hint.len > 0) {
        bt_buf_put_text(&sarif->text, "\nhelp: ");
        bt_report_put_escaped(&sarif->text, hint, BT_SENTENCE_SHOWN, escape_link);
    }
    bt_emit_member_object(&sarif->emit, "message");
    bt_emit_name(&sarif->emit, "text");
    put_text(sarif);
    bt_emit_end(&sarif->emit);
}

/* How far a line has been measured. Offsets rise within a stage, so each line is measured once per
 * stage at most, however many findings it has. */
struct sarif_line_measure {
    size_t line_begin;
    size_t at;
    size_t units; /* UTF-16 code units from line_begin to at */
};

static size_t utf16_column(struct sarif_line_measure *ruler, bt_str source,
                           const struct bt_finding *finding)
{
    const size_t before = (size_t)finding->position.column - 1;
    const bt_str text = bt_str_slice(source, 0, finding->offset);
    if (before > text.len) {
        return finding->position.column; /* no source to measure */
    }
    if (ruler->line_begin != text.len - before || ruler->at > text.len) {
        *ruler = (struct sarif_line_measure){text.len - before, text.len - before, 0};
    }
    while (ruler->at < text.len) {
        const struct bt_display_char glyph = bt_display_char_at(text, ruler->at);
        ruler->at += glyph.bytes;
        ruler->units += glyph.code_point > 0xffff ? 2 : 1;
    }
    return ruler->units + 1;
}

static void put_region(struct report_render_sarif *sarif, struct sarif_line_measure *ruler,
                       bt_str source, const struct bt_finding *finding)
{
    if (finding->position.line == 0) {
        return;
    }
    bt_emit_member_object(&sarif->emit, "region");
    bt_emit_member_u64(&sarif->emit, "startLine", finding->position.line);
    bt_emit_member_u64(&sarif->emit, "startColumn", utf16_column(ruler, source, finding));
    bt_emit_end(&sarif->emit);
}

static void put_logical(struct bt_emit *emit, enum bt_dialect_id dialect, bt_str pointer)
{
    if (pointer.len == 0) {
        return;
    }
    bt_emit_member_array(emit, "logicalLocations");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "fullyQualifiedName", pointer);
    bt_emit_member_string(emit, "kind",
                          dialect == BT_DIALECT_XML ? BT_STR("element") : BT_STR("value"));
    bt_emit_end(emit);
    bt_emit_end(emit);
}

struct sarif_region {
    const struct bt_judgement *document;
    size_t index; /* of the document */
    struct sarif_line_measure *ruler;
};

static void put_location(struct report_render_sarif *sarif, const struct sarif_region *region,
                         const struct bt_finding *finding)
{
    struct bt_emit *emit = &sarif->emit;
    bt_emit_member_array(emit, "locations");
    bt_emit_begin_object(emit);
    bt_emit_member_object(emit, "physicalLocation");
    bt_emit_member_object(emit, "artifactLocation");
    put_uri(sarif, region->document->path);
    bt_emit_member_u64(emit, "index", region->index);
    bt_emit_end(emit);
    put_region(sarif, region->ruler, region->document->source, finding);
    bt_emit_end(emit);
    put_logical(emit, region->document->dialect, finding->pointer);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Says "the same finding as last time" although lines above it came or went: made of what findings
 * of one document are told apart by. Codes and params hold no NUL, so the parts stay apart. */
static void put_fingerprint(struct report_render_sarif *sarif, const struct bt_finding *finding)
{
    char hex[BT_SHA256_HEX_BYTES] = "";
    bt_buf_put(&sarif->text, finding->rule->code);
    bt_buf_put_char(&sarif->text, '\0');
    bt_finding_put_params(finding, &sarif->text);
    bt_buf_put_char(&sarif->text, '\0');
    bt_buf_put(&sarif->text, finding->pointer);
    const enum bt_status hashed = bt_sha256_hex(bt_buf_str(&sarif->text), hex);
    const enum bt_status status = sarif->text.status == BT_OK ? hashed : sarif->text.status;
    bt_buf_clear(&sarif->text);
    struct bt_buf *buf = sarif->emit.buf;
    buf->status = buf->status == BT_OK ? status : buf->status;
    bt_emit_member_object(&sarif->emit, "partialFingerprints");
    bt_emit_member_string(&sarif->emit, "batonFinding/v1", bt_str_of(hex));
    bt_emit_end(&sarif->emit);
}

static void put_properties(struct bt_emit *emit, const struct bt_finding *finding)
{
    bt_emit_member_object(emit, "properties");
    bt_emit_member_string(emit, "severity", bt_severity_name(finding->severity));
    bt_emit_member_string(emit, "stage", bt_stage_name(finding->rule->stage));
    if (finding->security) {
        bt_emit_member_bool(emit, "security", true);
    }
    if (finding->fix != BT_FIX_NONE) {
        bt_emit_member_string(emit, "fix", bt_fix_name(finding->fix));
    }
    bt_finding_emit_params(finding, emit);
    bt_emit_end(emit);
}

/* SARIF 3.27.23: a result that a setting outside the document suppresses, and why. */
static void put_suppression(struct bt_emit *emit, const struct bt_suppressed_finding *suppressed)
{
    const bool is_baselined = suppressed->by == BT_SUPPRESSED_BY_BASELINE;
    bt_emit_member_array(emit, "suppressions");
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "kind", BT_STR("external"));
    bt_emit_member_string(emit, "status", BT_STR("accepted"));
    bt_emit_member_string(emit, "justification",
                          is_baselined ? bt_suppressed_by_name(suppressed->by)
                                       : suppressed->reason);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* Put a finding; `suppressed` is NULL for one that is shown. */
static void put_result(struct report_render_sarif *sarif, const struct sarif_region *region,
                       const struct bt_finding *finding,
                       const struct bt_suppressed_finding *suppressed)
{
    struct bt_emit *emit = &sarif->emit;
    const bool is_old = suppressed && suppressed->by == BT_SUPPRESSED_BY_BASELINE;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "ruleId", finding->rule->code);
    bt_emit_member_u64(emit, "ruleIndex",
                       bt_report_broken_index(&sarif->broken, finding->rule->code));
    bt_emit_member_string(emit, "level", bt_str_of(level_of(finding->severity)));
    put_message(sarif, finding->message, finding->hint);
    put_location(sarif, region, finding);
    put_fingerprint(sarif, finding);
    if (sarif->has_baseline) {
        bt_emit_member_string(emit, "baselineState", is_old ? BT_STR("unchanged") : BT_STR("new"));
    }
    if (suppressed) {
        put_suppression(emit, suppressed);
    }
    put_properties(emit, finding);
    bt_emit_end(emit);
}

static void put_results(struct report_render_sarif *sarif, const struct bt_report *report)
{
    struct bt_emit *emit = &sarif->emit;
    bt_emit_member_array(emit, "results");
    for (size_t i = 0; i < bt_report_count(report); i++) {
        struct sarif_line_measure ruler = {0};
        const struct sarif_region region = {bt_report_at(report, i), i, &ruler};
        const struct bt_suppressed *suppressed = region.document->suppressed;
        for (size_t j = 0; j < bt_findings_count(region.document->findings); j++) {
            put_result(sarif, &region, bt_findings_at(region.document->findings, j), NULL);
        }
        for (size_t j = 0; suppressed && j < suppressed->count; j++) {
            if (suppressed->items[j].by != BT_SUPPRESSED_BY_RULES) {
                put_result(sarif, &region, suppressed->items[j].finding, &suppressed->items[j]);
            }
        }
    }
    bt_emit_end(emit);
}

static void put_notification(struct report_render_sarif *sarif, const struct bt_failure *failure)
{
    struct bt_emit *emit = &sarif->emit;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "level", BT_STR("error"));
    bt_emit_member_object(emit, "descriptor");
    bt_emit_member_string(emit, "id", bt_failure_reason_name(failure->reason));
    bt_emit_end(emit);
    bt_report_put_escaped(&sarif->text, failure->path, BT_PATH_SHOWN, escape_link);
    bt_buf_put_text(&sarif->text, ": not judged: ");
    put_message(sarif, failure->message, BT_STR(""));
    bt_emit_member_array(emit, "locations");
    bt_emit_begin_object(emit);
    bt_emit_member_object(emit, "physicalLocation");
    bt_emit_member_object(emit, "artifactLocation");
    put_uri(sarif, failure->path);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* The failures that are about the configuration, or all others; left out when there are none. */
static void put_notifications(struct report_render_sarif *sarif, const struct bt_report *report,
                              const char *name, bool is_config)
{
    bool has_begun = false;
    for (size_t i = 0; i < bt_report_failure_count(report); i++) {
        const struct bt_failure *failure = bt_report_failure_at(report, i);
        if ((failure->reason == BT_FAILURE_CONFIG) != is_config) {
            continue;
        }
        if (!has_begun) {
            bt_emit_member_array(&sarif->emit, name);
            has_begun = true;
        }
        put_notification(sarif, failure);
    }
    if (has_begun) {
        bt_emit_end(&sarif->emit);
    }
}

/* The exit code of a run that ends with this report. */
static uint64_t exit_code_of(const struct bt_report_totals *summary, bool exits_zero)
{
    if (summary->failures > 0) {
        return 2;
    }
    return summary->rejected > 0 && !exits_zero ? 1 : 0;
}

static void put_invocation(struct report_render_sarif *sarif, const struct bt_report *report)
{
    struct bt_emit *emit = &sarif->emit;
    const struct bt_report_totals summary = bt_report_get_totals(report);
    bt_emit_member_array(emit, "invocations");
    bt_emit_begin_object(emit);
    bt_emit_member_bool(emit, "executionSuccessful", summary.failures == 0);
    bt_emit_member_u64(emit, "exitCode", exit_code_of(&summary, sarif->exits_zero));
    put_notifications(sarif, report, "toolExecutionNotifications", false);
    put_notifications(sarif, report, "toolConfigurationNotifications", true);
    bt_emit_end(emit);
    bt_emit_end(emit);
}

/* No end time, no machine, no command line: the same run gives the same bytes anywhere. */
static void put_run(struct report_render_sarif *sarif, const struct bt_report *report)
{
    struct bt_emit *emit = &sarif->emit;
    bt_emit_begin_object(emit);
    put_tool(sarif);
    put_invocation(sarif, report);
    bt_emit_member_string(emit, "columnKind", BT_STR("utf16CodeUnits"));
    put_artifacts(sarif, report);
    put_results(sarif, report);
    bt_emit_end(emit);
}

static void put_log(struct report_render_sarif *sarif, const struct bt_report *report)
{
    struct bt_emit *emit = &sarif->emit;
    bt_emit_begin_object(emit);
    bt_emit_member_string(emit, "$schema", BT_STR(SCHEMA));
    bt_emit_member_string(emit, "version", BT_STR("2.1.0"));
    bt_emit_member_array(emit, "runs");
    put_run(sarif, report);
    bt_emit_end(emit);
    bt_emit_end(emit);
    bt_buf_put_char(emit->buf, '\n');
}

void bt_report_render_sarif(const struct bt_report *report,
                            const struct bt_report_render_options *options, struct bt_buf *buf)
{
    const size_t from = buf->len;
    struct report_render_sarif sarif = {.exits_zero = options->exits_zero,
                                        .has_baseline = bt_report_has_baseline(report)};
    struct bt_arena arena;
    bt_arena_init(&arena, SIZE_MAX);
    bt_buf_init(&sarif.text, SIZE_MAX);
    bt_emit_init(&sarif.emit, buf, false);
    const enum bt_status status = bt_report_broken_find(report, &arena, &sarif.broken);
    if (status == BT_OK) {
        put_log(&sarif, report);
        bt_json_escape_hidden(buf, from);
    }
    buf->status = buf->status == BT_OK ? status : buf->status;
    bt_buf_free(&sarif.text);
    bt_arena_free(&arena);
}
