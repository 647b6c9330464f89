/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - stage budget: are the document and its sections within their budgets, and are the
 * declared counts true?
 */
#include <assert.h>

#include "dialect/universal/chain_budget.h"
#include "report/rules.h"

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

/* Decide what is counted with: the wanted encoding, or the estimate where its table is missing. */
static enum bt_status choose_encoding(struct bt_universal_check *handoff)
{
    const struct bt_universal_options *options = handoff->options;
    handoff->tokens.encoding = options->encoding;
    if (!bt_tokens_has_table(&handoff->universal->counters[options->encoding])) {
        handoff->tokens.encoding = BT_ENCODING_CHARS4;
        return bt_add_tokens_unavailable(handoff->findings, bt_location_whole(),
                                         bt_encoding_name(options->encoding),
                                         BT_STR("it was not given"));
    }
    if (options->encoding == BT_ENCODING_CHARS4 || options->token_dir.len == 0) {
        return BT_OK;
    }
    const struct bt_universal_token_table *tables =
        tables_in(handoff->universal, options->token_dir, options->encoding, handoff->arena);
    if (tables->status == BT_OK || tables->status == BT_ENOMEM) {
        return tables->status;
    }
    handoff->tokens.encoding = BT_ENCODING_CHARS4;
    return bt_add_tokens_unavailable(handoff->findings, bt_location_whole(),
                                     bt_encoding_name(options->encoding),
                                     bt_str_of(tables->error.text));
}

static enum bt_universal_section find_largest_section(const struct bt_universal_check *handoff)
{
    size_t best = 0;
    for (size_t i = 1; i < BT_UNIVERSAL_SECTION__MAX; i++) {
        best = handoff->tokens.sections[i] > handoff->tokens.sections[best] ? i : best;
    }
    return (enum bt_universal_section)best;
}

static enum bt_status check_budget(struct bt_universal_check *handoff)
{
    const uint64_t budget = handoff->options->budget;
    if (handoff->tokens.count <= budget) {
        return BT_OK;
    }
    return bt_add_universal_tokens_over_budget(
        handoff->findings, bt_location_whole(), handoff->tokens.count, budget,
        bt_encoding_name(handoff->tokens.encoding),
        bt_universal_section_name(find_largest_section(handoff)));
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
    *out_known = options->encoding != BT_ENCODING_CHARS4 &&
                 bt_tokens_has_table(&universal->counters[options->encoding]);
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
        bt_universal_check_usable(handoff, handoff->parts.meta, "token_count");
    uint64_t number = 0;
    if (!declared || !bt_universal_check_integer(handoff, declared, &number)) {
        return BT_OK;
    }
    const bool is_exact = handoff->tokens.encoding != BT_ENCODING_CHARS4;
    if (!bt_count_is_off(number, handoff->tokens.estimate) ||
        (is_exact && !bt_count_is_off(number, handoff->tokens.count))) {
        return BT_OK;
    }
    return bt_add_tokens_drift(handoff->findings, bt_universal_locate(handoff, declared), number,
                               handoff->tokens.estimate, is_exact ? &handoff->tokens.count : NULL,
                               bt_encoding_name(handoff->tokens.encoding));
}

static enum bt_status check_section(struct bt_universal_check *handoff,
                                    enum bt_universal_section section)
{
    const uint64_t limit = handoff->options->section_limits[section];
    if (handoff->tokens.sections[section] <= limit) {
        return BT_OK;
    }
    return bt_add_tokens_section_over(
        handoff->findings,
        bt_universal_locate(handoff, bt_universal_section_value(handoff, section)),
        bt_universal_section_name(section), handoff->tokens.sections[section], limit);
}

struct bt_tokens *bt_universal_counter(struct bt_universal_checker *universal,
                                       enum bt_encoding encoding)
{
    struct bt_tokens *counter = &universal->counters[encoding];
    return bt_tokens_has_table(counter) ? counter : &universal->counters[BT_ENCODING_CHARS4];
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
    return bt_universal_check_chain_budget(handoff);
}
