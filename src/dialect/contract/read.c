/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - stage read: message -> block -> document. The first HARD finding ends it; findings about
 * the fences are added in any case.
 */
#include <assert.h>

#include "dialect/contract/stages.h"
#include "dialect/contract/syntax.h"
#include "report/findings.h"
#include "report/json_rules.h"

/* The first byte that is not blank, or text.len. The text need not be UTF-8. */
static size_t skip_blanks(bt_str text)
{
    const size_t good = bt_utf8_check(text);
    const bt_str sound = bt_str_slice(text, 0, good);
    const bt_str trimmed = bt_str_trim(sound);
    return trimmed.len > 0 ? (size_t)(trimmed.ptr - text.ptr) : good;
}

static enum bt_status add_fence_finding(struct bt_contract_check *turn, const char *code,
                                        size_t offset, const char *hint)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, code, NULL);
    remark.finding.offset = offset;
    remark.finding.hint = bt_str_of(hint);
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status add_duplicate_block_finding(struct bt_contract_check *turn)
{
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "CONTRACT_BLOCK_DUPLICATE", NULL);
    remark.finding.offset = turn->block.open;
    bt_buf_printf(&remark.message, "the message has %zu blocks; only the last one counts",
                  turn->blocks);
    bt_emit_member_u64(&remark.emit, "count", turn->blocks);
    remark.finding.hint = BT_STR("send one block, at the end");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status find_block(struct bt_contract_check *turn)
{
    struct bt_fence fence = {.text = turn->text, .tag = BT_CONTRACT_TAG};
    while (bt_fence_next(&fence, &turn->block)) {
        turn->blocks++;
    }
    if (turn->blocks > 1) {
        BT_TRY(add_duplicate_block_finding(turn));
    }
    if (turn->blocks > 0 && turn->block.closed) {
        const bt_str after = bt_str_slice(turn->text, turn->block.after, turn->text.len);
        const size_t first = skip_blanks(after);
        if (first < after.len) {
            BT_TRY(add_fence_finding(turn, "CONTRACT_BLOCK_NOT_LAST", turn->block.after + first,
                                     "put the block last"));
        }
    }
    return BT_OK;
}

/* Whether the text is one JSON object with a member agent_status. */
static enum bt_status is_envelope(struct bt_contract_check *turn, bt_str text, bool *out)
{
    const struct bt_json_options options = bt_json_options_from_env(turn->contract->env);
    const struct bt_arena_mark before = bt_arena_mark(turn->arena);
    struct bt_json_read_result read;
    *out = false;
    if (bt_str_find_byte(text, '{', 0) == text.len) {
        return BT_OK;
    }
    /* from: caller */
    BT_TRY(bt_json_read(turn->arena, text, &options, &read));
    *out = read.document &&
           bt_json_get(read.document, bt_json_root(read.document), BT_STR("agent_status")) != NULL;
    bt_arena_rewind(turn->arena, before);
    return BT_OK;
}

static enum bt_status add_fence_edits(struct bt_contract_check *turn)
{
    const size_t size = turn->text.len;
    const bool ended = bt_str_ends_with(turn->text, BT_STR("\n"));
    const struct bt_contract_edit opening = {.text = BT_STR("```agent_contract_handoff\n"),
                                             .kind = BT_FIX_SAFE};
    const struct bt_contract_edit closing = {.begin = size,
                                             .end = size,
                                             .text = ended ? BT_STR("```\n") : BT_STR("\n```\n"),
                                             .kind = BT_FIX_SAFE};
    BT_TRY(bt_contract_check_add_edit(turn, "CONTRACT_BLOCK_MISSING", NULL, opening));
    return bt_contract_check_add_edit(turn, "", NULL, closing);
}

static enum bt_status add_tag_edit(struct bt_contract_check *turn,
                                   const struct bt_fence_block *block)
{
    const size_t end = bt_str_find_byte(turn->text, '\n', block->open);
    size_t tag = block->open;
    while (tag < end && turn->text.ptr[tag] != 'j') {
        tag++;
    }
    const struct bt_contract_edit edit = {.begin = tag,
                                          .end = tag + sizeof("json") - 1,
                                          .text = BT_CONTRACT_TAG,
                                          .kind = BT_FIX_SAFE};
    return bt_contract_check_add_edit(turn, "CONTRACT_BLOCK_MISSING", NULL, edit);
}

/* The envelope may be there without its fence, or in one of another name. */
static enum bt_status find_unfenced(struct bt_contract_check *turn, bool *out_found)
{
    BT_TRY(is_envelope(turn, turn->text, out_found));
    if (*out_found) {
        return add_fence_edits(turn);
    }
    struct bt_fence fence = {.text = turn->text, .tag = BT_STR("json")};
    struct bt_fence_block block;
    struct bt_fence_block last = {0};
    while (bt_fence_next(&fence, &block)) {
        bool is = false;
        if (block.closed) {
            BT_TRY(is_envelope(turn, bt_str_slice(turn->text, block.body, block.end), &is));
        }
        last = is ? block : last;
        *out_found = *out_found || is;
    }
    return *out_found ? add_tag_edit(turn, &last) : BT_OK;
}

static enum bt_status add_missing_block_finding(struct bt_contract_check *turn)
{
    bool found = false;
    BT_TRY(find_unfenced(turn, &found));
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "CONTRACT_BLOCK_MISSING", NULL);
    remark.finding.fix = found ? BT_FIX_SAFE : BT_FIX_NONE;
    remark.finding.hint =
        found ? BT_STR("the envelope is there, but not in a fence called agent_contract_handoff; "
                       "--fix puts it into one")
              : BT_STR("end the turn with a fenced agent_contract_handoff block; `baton contract "
                       "template` prints a blank one");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status add_syntax_finding(struct bt_contract_check *turn,
                                         const struct bt_json_read_result *read)
{
    bool fixable = false;
    const enum bt_contract_syntax_rule rule =
        bt_contract_check_syntax(turn->body, read->offset, &fixable);
    const struct bt_position place = bt_position_at(turn->text, turn->base + read->offset);
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "JSON_SYNTAX", NULL);
    remark.finding.offset = turn->base + read->offset;
    remark.finding.fix = fixable ? BT_FIX_SAFE : BT_FIX_NONE;
    bt_buf_printf(&remark.message, "the body is no JSON: %s at line %u, column %u", read->detail,
                  place.line, place.column);
    if (read->offset < turn->body.len) {
        bt_buf_put_text(&remark.message, ", found ");
        uint32_t character = 0; /* one of them: what follows may be a secret */
        const size_t bytes = bt_utf8_decode(turn->body, read->offset, &character);
        bt_buf_put_quoted(&remark.message,
                          bt_str_slice(turn->body, read->offset, read->offset + bytes));
    }
    bt_emit_member_string(&remark.emit, "rule", bt_contract_syntax_rule_name(rule));
    remark.finding.hint = bt_contract_syntax_hint(rule);
    BT_TRY(bt_contract_check_add_finding(turn, &remark));
    return fixable && turn->wants_edits ? bt_contract_fix_syntax(turn) : BT_OK;
}

/* What the reader says of a part is said of the message. */
static enum bt_status add_read_finding(struct bt_contract_check *turn,
                                       const struct bt_json_read_result *read)
{
    if (read->code == BT_JSON_ERROR_SYNTAX) {
        return add_syntax_finding(turn, read);
    }
    struct bt_json_read_result shifted = *read;
    shifted.offset += turn->base;
    return bt_findings_add_json(turn->findings, &shifted, turn->text);
}

/* Surrogates are found in the body; their findings stand in the message. */
static enum bt_status add_lone(struct bt_contract_check *turn, const struct bt_json_doc *document)
{
    const size_t from = bt_findings_count(turn->findings);
    BT_TRY(bt_findings_add_lone(turn->findings, document));
    for (size_t i = from; i < bt_findings_count(turn->findings); i++) {
        turn->findings->items[i]->offset += turn->base;
    }
    bt_contract_check_cap_findings(turn, from);
    return BT_OK;
}

static enum bt_status add_not_object_finding(struct bt_contract_check *turn,
                                             const struct bt_json_doc *document)
{
    const bt_json_value *root = bt_json_root(document);
    struct bt_finding_builder remark;
    bt_contract_check_remark(turn, &remark, "CONTRACT_NOT_OBJECT", NULL);
    remark.finding.offset = turn->base + bt_json_span(document, root).begin;
    const char *type = bt_json_type_name(document, root);
    bt_buf_printf(&remark.message, "the body is JSON of type %s, not an object", type);
    bt_emit_member_string(&remark.emit, "actual", bt_str_of(type));
    remark.finding.hint = BT_STR("send one object");
    return bt_contract_check_add_finding(turn, &remark);
}

static enum bt_status read_body(struct bt_contract_check *turn)
{
    const struct bt_json_options options = bt_json_options_from_env(turn->contract->env);
    struct bt_json_read_result read;
    /* from: caller */
    BT_TRY(bt_json_read(turn->arena, turn->body, &options, &read));
    if (!read.document) {
        return add_read_finding(turn, &read);
    }
    if (bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return add_not_object_finding(turn, read.document);
    }
    turn->document = read.document;
    turn->root = bt_json_root(read.document);
    return add_lone(turn, read.document);
}

static enum bt_status add_too_large_finding(struct bt_contract_check *turn, uint64_t limit)
{
    const struct bt_json_read_result read = {.code = BT_JSON_ERROR_TOO_LARGE,
                                             .offset = (size_t)limit,
                                             .pointer = BT_STR(""),
                                             .detail = "the document has too many bytes",
                                             .limit = limit,
                                             .limit_name = BT_STR("document_bytes")};
    return bt_findings_add_json(turn->findings, &read, turn->text);
}

static enum bt_status add_not_utf8_finding(struct bt_contract_check *turn, size_t offset)
{
    const struct bt_json_read_result read = {.code = BT_JSON_ERROR_UTF8,
                                             .offset = offset,
                                             .pointer = BT_STR(""),
                                             .detail = "not UTF-8",
                                             .limit_name = BT_STR("")};
    return bt_findings_add_json(turn->findings, &read, turn->text);
}

static enum bt_status set_body(struct bt_contract_check *turn)
{
    if (turn->options->no_fence) {
        turn->blocks = 1;
        turn->block =
            (struct bt_fence_block){.end = turn->text.len, .after = turn->text.len, .closed = true};
    } else {
        BT_TRY(find_block(turn));
    }
    if (turn->blocks > 0 && turn->block.closed) {
        turn->body = bt_str_slice(turn->text, turn->block.body, turn->block.end);
    }
    return BT_OK;
}

enum bt_status bt_contract_check_read(struct bt_contract_check *turn)
{
    const uint64_t limit = turn->contract->env->limits.document_bytes;
    if (turn->text.len > limit) {
        return add_too_large_finding(turn, limit);
    }
    BT_TRY(set_body(turn));
    const size_t bad = bt_utf8_check(turn->text);
    if (bad < turn->text.len) {
        return add_not_utf8_finding(turn, bad);
    }
    if (turn->blocks == 0) {
        return add_missing_block_finding(turn);
    }
    if (!turn->block.closed) {
        return add_fence_finding(
            turn, "CONTRACT_BLOCK_UNCLOSED", turn->block.open,
            "close it with a fence on a line of its own; the message may have been "
            "cut");
    }
    turn->base = turn->block.body;
    return read_body(turn);
}
