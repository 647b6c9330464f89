/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - stage budget: the tokens of the whole document and of its sections.
 */
#include <assert.h>

#include "dialect/universal/stages.h"

/* ---- What can be counted with ---------------------------------------------------------------- */

/* The folder of --token-dir is looked at once, not once for each document. */
static const struct bt_table_check *tables_in(struct bt_universal *universal, bt_str dir,
                                              enum bt_encoding encoding, struct bt_arena *arena)
{
    struct bt_table_check *tables = &universal->tables;
    if (tables->looked && tables->encoding == encoding &&
        bt_str_eq(bt_buf_str(&tables->dir), dir)) {
        return tables;
    }
    bt_buf_clear(&tables->dir);
    bt_buf_put(&tables->dir, dir);
    tables->looked = tables->dir.status == BT_OK;
    tables->encoding = encoding;
    tables->status = bt_tokens_table_check(arena, dir, encoding, &tables->error);
    return tables;
}

static enum bt_status say_unavailable(struct bt_handoff *handoff, enum bt_encoding encoding,
                                      const char *reason)
{
    struct bt_remark remark;
    bt_handoff_remark(handoff, &remark, "TOKENS_UNAVAILABLE", NULL);
    bt_buf_put_text(&remark.message, "the table of ");
    bt_buf_put(&remark.message, bt_encoding_name(encoding));
    bt_buf_put_text(&remark.message, " cannot be used (");
    bt_buf_put_text(&remark.message, reason);
    bt_buf_put_text(&remark.message, "); a quarter of the bytes is taken for the count");
    bt_emit_member_string(&remark.emit, "encoding", bt_encoding_name(encoding));
    bt_emit_member_string(&remark.emit, "reason", bt_str_of(reason));
    remark.finding.hint = BT_STR("correct --token-dir, or leave it out: the tables are built in");
    return bt_remark_end(&remark, handoff->findings);
}

/* Decide what is counted with: the wanted encoding, or the estimate where its table is missing. */
static enum bt_status choose_encoding(struct bt_handoff *handoff)
{
    const struct bt_universal_options *options = handoff->options;
    handoff->encoding = options->encoding;
    if (options->encoding == BT_CHARS4 || options->token_dir.len == 0) {
        return BT_OK;
    }
    const struct bt_table_check *tables =
        tables_in(handoff->universal, options->token_dir, options->encoding, handoff->arena);
    if (tables->status == BT_OK || tables->status == BT_ENOMEM) {
        return tables->status;
    }
    handoff->encoding = BT_CHARS4;
    return say_unavailable(handoff, options->encoding, tables->error.text);
}

/* ---- Counting -------------------------------------------------------------------------------- */

/* What a section is made of: members of the handoff, or one value below it. */
struct section {
    const char *members[6]; /* in no particular order; NULL ends them */
    const char *in;         /* the one value is a member of this one, or NULL: of the handoff */
    bool one;               /* the value itself, not an object made of members */
};

static const struct section sections[BT_SECTION__MAX] = {
    [BT_SECTION_METADATA] = {{"version", "schema_type", "timestamp", "expires_at", "trace_id"},
                             NULL,
                             false},
    [BT_SECTION_ENDPOINTS] = {{"source", "target"}, NULL, false},
    [BT_SECTION_CONTEXT] = {{"context"}, NULL, true},
    [BT_SECTION_WORKING] = {{"working"}, "payload", true},
    [BT_SECTION_SESSION] = {{"session"}, "payload", true},
    [BT_SECTION_REFERENCES] = {{"references"}, "payload", true},
    [BT_SECTION_META] = {{"meta", "tracing"}, NULL, false},
};

static bool is_listed(const struct section *section, bt_str name)
{
    for (const char *const *member = section->members; *member; member++) {
        if (bt_str_eq(bt_str_of(*member), name)) {
            return true;
        }
    }
    return false;
}

/* Put the minified object made of the listed members that are present, in document order. */
static enum bt_status put_members(struct bt_handoff *handoff, const struct section *section,
                                  struct bt_buf *buf)
{
    const struct bt_json_member *members = bt_json_members(handoff->handoff);
    for (size_t i = 0; i < bt_json_count(handoff->handoff); i++) {
        if (!is_listed(section, bt_json_name(&members[i]))) {
            continue;
        }
        bt_buf_put_char(buf, buf->len == 0 ? '{' : ',');
        bt_json_put_string(buf, bt_json_name(&members[i]));
        bt_buf_put_char(buf, ':');
        BT_TRY(bt_json_write(buf, handoff->document, &members[i].value, BT_JSON_COMPACT,
                             handoff->arena, NULL));
    }
    if (buf->len > 0) {
        bt_buf_put_char(buf, '}');
    }
    return buf->status;
}

static enum bt_status put_section(struct bt_handoff *handoff, const struct section *section,
                                  struct bt_buf *buf)
{
    if (!section->one) {
        return put_members(handoff, section, buf);
    }
    const bt_value *object = section->in ? handoff->payload : handoff->handoff;
    const bt_value *value = bt_json_get(handoff->document, object, bt_str_of(section->members[0]));
    return value
               ? bt_json_write(buf, handoff->document, value, BT_JSON_COMPACT, handoff->arena, NULL)
               : BT_OK;
}

static enum bt_status count_sections(struct bt_handoff *handoff, struct bt_tokens *counter)
{
    struct bt_buf buf;
    bt_buf_init(&buf, SIZE_MAX);
    enum bt_status status = BT_OK;
    for (size_t i = 0; status == BT_OK && handoff->handoff && i < BT_SECTION__MAX; i++) {
        bt_buf_clear(&buf);
        status = put_section(handoff, &sections[i], &buf);
        if (status == BT_OK) {
            status = bt_tokens_count(counter, bt_buf_str(&buf), &handoff->sections[i]);
        }
    }
    bt_buf_free(&buf);
    return status;
}

static enum bt_status count(struct bt_handoff *handoff)
{
    struct bt_tokens *counter = &handoff->universal->counters[handoff->encoding];
    handoff->estimate = bt_tokens_estimate(handoff->text);
    BT_TRY(bt_tokens_count(counter, handoff->text, &handoff->count));
    return count_sections(handoff, counter);
}

/* ---- Rules ----------------------------------------------------------------------------------- */

static enum bt_section largest(const struct bt_handoff *handoff)
{
    size_t best = 0;
    for (size_t i = 1; i < BT_SECTION__MAX; i++) {
        best = handoff->sections[i] > handoff->sections[best] ? i : best;
    }
    return (enum bt_section)best;
}

static enum bt_status check_budget(struct bt_handoff *handoff)
{
    const uint64_t budget = handoff->options->budget;
    if (handoff->count <= budget) {
        return BT_OK;
    }
    const bt_str section = bt_section_name(largest(handoff));
    struct bt_remark remark;
    bt_handoff_remark(handoff, &remark, "TOKENS_OVER_BUDGET", NULL);
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
    return bt_remark_end(&remark, handoff->findings);
}

static enum bt_status check_drift(struct bt_handoff *handoff)
{
    const bt_value *declared = bt_usable(handoff, handoff->meta, "token_count");
    uint64_t number = 0;
    if (!declared || !bt_handoff_integer(handoff, declared, &number)) {
        return BT_OK;
    }
    const uint64_t estimate = handoff->estimate;
    const uint64_t difference = number > estimate ? number - estimate : estimate - number;
    if (10 * difference <= 3 * estimate) {
        return BT_OK;
    }
    struct bt_remark remark;
    bt_handoff_remark(handoff, &remark, "TOKENS_DRIFT", declared);
    bt_buf_put_text(&remark.message, "the document says that it has ");
    bt_buf_put_u64(&remark.message, number);
    bt_buf_put_text(&remark.message, " tokens; a quarter of its bytes is ");
    bt_buf_put_u64(&remark.message, estimate);
    bt_emit_member_u64(&remark.emit, "declared", number);
    bt_emit_member_u64(&remark.emit, "estimate", estimate);
    remark.finding.hint = BT_STR("`baton check --fix` counts again");
    return bt_remark_end(&remark, handoff->findings);
}

/* The value that a section's finding points at. */
static const bt_value *place_of(const struct bt_handoff *handoff, enum bt_section section)
{
    const struct section *row = &sections[section];
    if (row->one) {
        return bt_json_get(handoff->document, row->in ? handoff->payload : handoff->handoff,
                           bt_str_of(row->members[0]));
    }
    const bt_value *meta = bt_json_get(handoff->document, handoff->handoff, BT_STR("meta"));
    return section == BT_SECTION_META && meta ? meta : handoff->handoff;
}

static enum bt_status check_section(struct bt_handoff *handoff, enum bt_section section)
{
    const uint64_t limit = handoff->options->ceilings[section];
    if (handoff->sections[section] <= limit) {
        return BT_OK;
    }
    struct bt_remark remark;
    bt_handoff_remark(handoff, &remark, "TOKENS_SECTION_OVER", place_of(handoff, section));
    bt_buf_put_text(&remark.message, "the section ");
    bt_buf_put(&remark.message, bt_section_name(section));
    bt_buf_put_text(&remark.message, " counts ");
    bt_buf_put_u64(&remark.message, handoff->sections[section]);
    bt_buf_put_text(&remark.message, " tokens; its ceiling is ");
    bt_buf_put_u64(&remark.message, limit);
    bt_emit_member_string(&remark.emit, "section", bt_section_name(section));
    bt_emit_member_u64(&remark.emit, "count", handoff->sections[section]);
    bt_emit_member_u64(&remark.emit, "limit", limit);
    remark.finding.hint = BT_STR("move data into files and refer to them in payload.references");
    return bt_remark_end(&remark, handoff->findings);
}

enum bt_status bt_stage_budget(struct bt_handoff *handoff)
{
    BT_TRY(choose_encoding(handoff));
    BT_TRY(count(handoff));
    BT_TRY(check_budget(handoff));
    BT_TRY(check_drift(handoff));
    for (size_t i = 0; i < BT_SECTION__MAX; i++) {
        BT_TRY(check_section(handoff, (enum bt_section)i));
    }
    return BT_OK;
}
