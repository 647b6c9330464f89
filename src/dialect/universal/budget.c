/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - stage budget: does the document keep its budget, its sections theirs, and its word?
 */
#include <assert.h>

#include "dialect/universal/stages.h"

/* The folder of --token-dir is looked at once, not once for each document. */
static const struct bt_universal_token_table *tables_in(struct bt_universal_checker *universal,
                                                        bt_str dir, enum bt_encoding encoding,
                                                        struct bt_arena *arena)
{
    struct bt_universal_token_table *tables = &universal->tables;
    if (tables->is_checked && tables->encoding == encoding &&
        bt_str_eq(bt_buf_str(&tables->dir), dir)) {
        return tables;
    }
    bt_buf_clear(&tables->dir);
    bt_buf_put(&tables->dir, dir);
    tables->is_checked = tables->dir.status == BT_OK;
    tables->encoding = encoding;
    tables->status = bt_tokens_verify_table(arena, dir, encoding, &tables->error);
    return tables;
}

static enum bt_status add_unavailable_finding(struct bt_universal_check *handoff,
                                              enum bt_encoding encoding, const char *reason)
{
    struct bt_finding_builder remark;
    bt_universal_check_remark(handoff, &remark, "TOKENS_UNAVAILABLE", NULL);
    bt_buf_put_text(&remark.message, "the table of ");
    bt_buf_put(&remark.message, bt_encoding_name(encoding));
    bt_buf_put_text(&remark.message, " cannot be used (");
    bt_buf_put_text(&remark.message, reason);
    bt_buf_put_text(&remark.message, "); a quarter of the bytes is taken for the count");
    bt_emit_member_string(&remark.emit, "encoding", bt_encoding_name(encoding));
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(reason));
    remark.finding.hint = BT_STR("correct --token-dir, or leave it out: the tables are built in");
    return bt_finding_builder_end(&remark, handoff->findings);
}

/* Decide what is counted with: the wanted encoding, or the estimate where its table is missing. */
static enum bt_status choose_encoding(struct bt_universal_check *handoff)
{
    const struct bt_universal_options *options = handoff->options;
    handoff->encoding = options->encoding;
    if (options->encoding == BT_ENCODING_CHARS4 || options->token_dir.len == 0) {
        return BT_OK;
    }
    const struct bt_universal_token_table *tables =
        tables_in(handoff->universal, options->token_dir, options->encoding, handoff->arena);
    if (tables->status == BT_OK || tables->status == BT_ENOMEM) {
        return tables->status;
    }
    handoff->encoding = BT_ENCODING_CHARS4;
    return add_unavailable_finding(handoff, options->encoding, tables->error.text);
}

static enum bt_universal_section find_largest_section(const struct bt_universal_check *handoff)
{
    size_t best = 0;
    for (size_t i = 1; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        best = handoff->sections[i] > handoff->sections[best] ? i : best;
    }
    return (enum bt_universal_section)best;
}

static enum bt_status check_budget(struct bt_universal_check *handoff)
{
    const uint64_t budget = handoff->options->budget;
    if (handoff->count <= budget) {
        return BT_OK;
    }
    const bt_str section = bt_universal_section_name(find_largest_section(handoff));
    struct bt_finding_builder remark;
    bt_universal_check_remark(handoff, &remark, "TOKENS_OVER_BUDGET", NULL);
    bt_buf_put_text(&remark.message, "the document counts ");
    bt_buf_put_u64(&remark.message, handoff->count);
    bt_buf_put_text(&remark.message, " tokens and may have ");
    bt_buf_put_u64(&remark.message, budget);
    bt_buf_put_text(&remark.message, "; its largest section is ");
    bt_buf_put(&remark.message, section);
    bt_emit_member_u64(&remark.emit, "count", handoff->count);
    bt_emit_member_u64(&remark.emit, "budget", budget);
    bt_emit_member_string(&remark.emit, "encoding", bt_encoding_name(handoff->encoding));
    bt_emit_member_string(&remark.emit, "largest", section);
    remark.finding.hint = BT_STR("`baton compress` makes it smaller and keeps what it moves out");
    return bt_finding_builder_end(&remark, handoff->findings);
}

bool bt_count_is_off(uint64_t declared, uint64_t actual)
{
    const uint64_t difference = declared > actual ? declared - actual : actual - declared;
    return 10 * difference > 3 * actual;
}

enum bt_status bt_count_exactly(struct bt_universal_checker *universal,
                                const struct bt_universal_options *options, bt_str text,
                                struct bt_arena *arena, bool *out_known, uint64_t *out)
{
    *out_known = options->encoding != BT_ENCODING_CHARS4;
    if (*out_known && options->token_dir.len > 0) {
        const struct bt_universal_token_table *tables =
            tables_in(universal, options->token_dir, options->encoding, arena);
        *out_known = tables->status == BT_OK;
    }
    return *out_known ? bt_tokens_count(&universal->counters[options->encoding], text, out) : BT_OK;
}

/* The count that a document declares may be the estimate or the exact one. */
static enum bt_status check_drift(struct bt_universal_check *handoff)
{
    const bt_json_value *declared =
        bt_universal_check_usable(handoff, handoff->meta, "token_count");
    uint64_t number = 0;
    if (!declared || !bt_universal_check_integer(handoff, declared, &number)) {
        return BT_OK;
    }
    const bool is_exact = handoff->encoding != BT_ENCODING_CHARS4;
    if (!bt_count_is_off(number, handoff->estimate) ||
        (is_exact && !bt_count_is_off(number, handoff->count))) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_universal_check_remark(handoff, &remark, "TOKENS_DRIFT", declared);
    bt_buf_put_text(&remark.message, "the document says that it has ");
    bt_buf_put_u64(&remark.message, number);
    bt_buf_put_text(&remark.message, " tokens; a quarter of its bytes is ");
    bt_buf_put_u64(&remark.message, handoff->estimate);
    bt_emit_member_u64(&remark.emit, "declared", number);
    bt_emit_member_u64(&remark.emit, "estimate", handoff->estimate);
    bt_emit_name(&remark.emit, "exact");
    if (is_exact) {
        bt_buf_put_text(&remark.message, ", and exactly it has ");
        bt_buf_put_u64(&remark.message, handoff->count);
        bt_emit_u64(&remark.emit, handoff->count);
    } else {
        bt_emit_null(&remark.emit);
    }
    bt_emit_member_string(&remark.emit, "encoding", bt_encoding_name(handoff->encoding));
    remark.finding.hint = BT_STR("`baton check --fix` counts again");
    return bt_finding_builder_end(&remark, handoff->findings);
}

static enum bt_status check_section(struct bt_universal_check *handoff,
                                    enum bt_universal_section section)
{
    const uint64_t limit = handoff->options->section_limits[section];
    if (handoff->sections[section] <= limit) {
        return BT_OK;
    }
    struct bt_finding_builder remark;
    bt_universal_check_remark(handoff, &remark, "TOKENS_SECTION_OVER",
                              bt_universal_section_value(handoff, section));
    bt_buf_put_text(&remark.message, "the section ");
    bt_buf_put(&remark.message, bt_universal_section_name(section));
    bt_buf_put_text(&remark.message, " counts ");
    bt_buf_put_u64(&remark.message, handoff->sections[section]);
    bt_buf_put_text(&remark.message, " tokens; its ceiling is ");
    bt_buf_put_u64(&remark.message, limit);
    bt_emit_member_string(&remark.emit, "section", bt_universal_section_name(section));
    bt_emit_member_u64(&remark.emit, "count", handoff->sections[section]);
    bt_emit_member_u64(&remark.emit, "limit", limit);
    remark.finding.hint = BT_STR("move data into files and refer to them in payload.references");
    return bt_finding_builder_end(&remark, handoff->findings);
}

enum bt_status bt_universal_stage_budget(struct bt_universal_check *handoff)
{
    BT_TRY(choose_encoding(handoff));
    BT_TRY(bt_universal_count_tokens(handoff));
    BT_TRY(check_budget(handoff));
    BT_TRY(check_drift(handoff));
    for (size_t i = 0; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        BT_TRY(check_section(handoff, (enum bt_universal_section)i));
    }
    return BT_OK;
}
