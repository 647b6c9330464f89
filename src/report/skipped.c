/* SPDX-License-Identifier: Apache-2.0 */
/* skipped.c - what a report states besides findings: checks that were not made, and notes. */
#include "report/skipped.h"

#include "json/emit.h"
#include "report/render.h"
#include "report/suppressed.h"

/* A kind of skipped check: its words in JSON, and in lines for people. */
struct report_skipped_row {
    const char *what;
    const char *why;
    const char *need; /* NULL: nothing adds the check */
    const char *checks;
    const char *reason;
    bool is_shown; /* also where not every reason is */
};

static const struct report_skipped_row rows[BT_SKIPPED__MAX] = {
    [BT_SKIPPED_AFTER_READ_FAILED] = {"later_stages", "read_failed", NULL, "all later stages",
                                      "reading failed", false},
    [BT_SKIPPED_AFTER_FAIL_FAST] = {"later_stages", "fail_fast", NULL, "later stages",
                                    "--fail-fast", false},
    [BT_SKIPPED_SKILLS] = {"skills", "no_skills", "--skills DIR", "skills", "no skills", false},
    [BT_SKIPPED_REFERENCES] = {"references", "flag", NULL, "references", "--no-refs", false},
    [BT_SKIPPED_ARTIFACTS] = {"artifacts", "not_asked", "--verify-artifacts", "artifacts",
                              "not requested", false},
    [BT_SKIPPED_SCHEMAS] = {"schemas", "no_root", "--root DIR", "payload schemas", "no root", true},
    [BT_SKIPPED_INPUT] = {"input", "no_input", "--input FILE", "the INPUT", "no INPUT", true},
    [BT_SKIPPED_AGENT_ID] = {"agent_id", "no_host_id", "--runtime-agent-id ID", "the agent id",
                             "no id from the host", false},
    [BT_SKIPPED_STATE] = {"state", "needs_store", "baton contract submit", "the agent's state",
                          "needs a store", false},
    [BT_SKIPPED_GOVERNANCE] = {"governance", "no_root", "--root DIR", "governance", "no root",
                               true},
    [BT_SKIPPED_RECORD] = {"record", "needs_store", "baton govern submit", "the record",
                           "needs a store", false},
    [BT_SKIPPED_RESPONSE_RECORD] = {"record", "needs_store", "baton govern respond", "the record",
                                    "needs a store", false},
    [BT_SKIPPED_ROOT] = {"root", "no_root", "baton govern verify-root",
                         "the other files of the root", "no root", true},
    [BT_SKIPPED_ORGANISM] = {"organism", "no_organism", "--organism FILE", "the organism",
                             "no organism", true},
    [BT_SKIPPED_HANDLERS] = {"handlers", "needs_run", "baton pump check", "handlers",
                             "they are not loaded", false},
};

static bool has_skipped(const struct bt_judgement *document, enum bt_skipped skipped)
{
    return (document->skipped >> skipped & 1) != 0;
}

void bt_skipped_emit(struct bt_emit *emit, const struct bt_judgement *document)
{
    if (document->skipped == 0) {
        return;
    }
    bt_emit_member_array(emit, "skipped");
    for (enum bt_skipped i = 0; i < BT_SKIPPED__MAX; i++) {
        if (has_skipped(document, i)) {
            bt_emit_begin_object(emit);
            bt_emit_member_string(emit, "what", bt_str_of(rows[i].what));
            bt_emit_member_string(emit, "why", bt_str_of(rows[i].why));
            if (rows[i].need) {
                bt_emit_member_string(emit, "need", bt_str_of(rows[i].need));
            }
            bt_emit_end(emit);
        }
    }
    bt_emit_end(emit);
}

uint32_t bt_skipped_find(bt_str what, bt_str why, bt_str need)
{
    for (enum bt_skipped i = 0; i < BT_SKIPPED__MAX; i++) {
        if (bt_str_eq(what, bt_str_of(rows[i].what)) && bt_str_eq(why, bt_str_of(rows[i].why)) &&
            bt_str_eq(need, bt_str_of(rows[i].need ? rows[i].need : ""))) {
            return UINT32_C(1) << i;
        }
    }
    return 0;
}

static void put_line(struct bt_buf *buf, const struct report_skipped_row *row,
                     enum bt_dialect_id dialect, uint64_t count)
{
    const bt_str name = bt_dialect_name(dialect);
    bt_buf_printf(buf, "not checked: %s of ", row->checks);
    bt_buf_put_u64(buf, count);
    bt_buf_printf(buf, " %.*s document%s (%s%s%s)\n", BT_STR_ARG(name), count == 1 ? "" : "s",
                  row->reason, row->need ? "; use " : "", row->need ? row->need : "");
}

void bt_skipped_put_lines(struct bt_buf *buf, const struct bt_report *report, bool all)
{
    uint64_t counts[BT_DIALECT__MAX][BT_SKIPPED__MAX] = {{0}};
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        for (enum bt_skipped j = 0; document->skipped != 0 && j < BT_SKIPPED__MAX; j++) {
            counts[document->dialect][j] += has_skipped(document, j);
        }
    }
    for (enum bt_dialect_id i = 0; i < BT_DIALECT__MAX; i++) {
        for (enum bt_skipped j = 0; j < BT_SKIPPED__MAX; j++) {
            if (counts[i][j] > 0 && (all || rows[j].is_shown)) {
                put_line(buf, &rows[j], i, counts[i][j]);
            }
        }
    }
}

static void put_suppressed(struct bt_buf *buf, const struct bt_report_render_options *options,
                           bt_str path, const struct bt_suppressed_finding *item)
{
    bt_buf_put_text(buf, "suppressed: ");
    bt_report_put_line(buf, options, path, item->finding);
    bt_buf_put_text(buf, " (");
    bt_buf_put(buf, bt_suppressed_by_name(item->by));
    if (item->reason.len > 0) {
        bt_buf_put_text(buf, ": ");
        bt_buf_put_printable(buf, item->reason, BT_SENTENCE_SHOWN);
    }
    bt_buf_put_text(buf, ")\n");
}

void bt_skipped_put_notes(struct bt_buf *buf, const struct bt_report_render_options *options,
                          const struct bt_report *report)
{
    bt_buf_put(buf, bt_report_notes(report));
    for (size_t i = 0; i < bt_report_count(report); i++) {
        const struct bt_judgement *document = bt_report_at(report, i);
        for (size_t j = 0; document->suppressed && j < document->suppressed->count; j++) {
            put_suppressed(buf, options, document->path, &document->suppressed->items[j]);
        }
    }
}
