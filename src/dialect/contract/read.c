/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - stage read: message -> block -> document. The first HARD finding ends it; findings about
 * the fences are added in any case.
 */
#include <assert.h>

#include "dialect/contract/contract.h"
#include "dialect/contract/contract_check.h"
#include "json/options.h"
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

static enum bt_status find_block(struct bt_contract_check *check)
{
    struct bt_fence fence = {.text = check->text, .tag = BT_CONTRACT_TAG};
    while (bt_fence_next(&fence, &check->block.fence)) {
        check->block.count++;
    }
    if (check->block.count > 1) {
        BT_TRY(bt_add_contract_block_duplicate(
            check->findings, bt_location_pointer(BT_STR(""), check->block.fence.open),
            check->block.count));
    }
    if (check->block.count > 0 && check->block.fence.closed) {
        const bt_str after = bt_str_slice(check->text, check->block.fence.after, check->text.len);
        const size_t first = skip_blanks(after);
        if (first < after.len) {
            BT_TRY(bt_add_contract_block_not_last(
                check->findings,
                bt_location_pointer(BT_STR(""), check->block.fence.after + first)));
        }
    }
    return BT_OK;
}

/* Whether the text is one JSON object with a member agent_status. */
static enum bt_status is_envelope(struct bt_contract_check *check, bt_str text, bool *out)
{
    const struct bt_json_options options = bt_json_options_from_env(check->contract->env);
    const struct bt_arena_mark before = bt_arena_mark(check->arena);
    struct bt_json_read_result read = {0};
    *out = false;
    if (bt_str_find_byte(text, '{', 0) == text.len) {
        return BT_OK;
    }
    /* from: caller */
    BT_TRY(bt_json_read(check->arena, text, &options, &read));
    *out = read.document &&
           bt_json_get(read.document, bt_json_root(read.document), BT_STR("agent_status")) != NULL;
    bt_arena_rewind(check->arena, before);
    return BT_OK;
}

static enum bt_status add_fence_edits(struct bt_contract_check *check)
{
    const size_t size = check->text.len;
    const bool ended = bt_str_ends_with(check->text, BT_STR("\n"));
    const struct bt_contract_edit opening = {.text = BT_STR("```agent_contract_handoff\n"),
                                             .kind = BT_FIX_SAFE};
    const struct bt_contract_edit closing = {.begin = size,
                                             .end = size,
                                             .text = ended ? BT_STR("```\n") : BT_STR("\n```\n"),
                                             .kind = BT_FIX_SAFE};
    BT_TRY(bt_contract_check_add_edit(check, BT_CODE_CONTRACT_BLOCK_MISSING, NULL, opening));
    return bt_contract_check_add_edit(check, BT_CODE_NONE, NULL, closing);
}

static enum bt_status add_tag_edit(struct bt_contract_check *check,
                                   const struct bt_fence_block *block)
{
    const size_t end = bt_str_find_byte(check->text, '\n', block->open);
    size_t tag = block->open;
    while (tag < end && check->text.ptr[tag] != 'j') {
        tag++;
    }
    const struct bt_contract_edit edit = {.begin = tag,
                                          .end = tag + sizeof("json") - 1,
                                          .text = BT_CONTRACT_TAG,
                                          .kind = BT_FIX_SAFE};
    return bt_contract_check_add_edit(check, BT_CODE_CONTRACT_BLOCK_MISSING, NULL, edit);
}

/* The envelope may be there without its fence, or in one of another name. */
static enum bt_status find_unfenced(struct bt_contract_check *check, bool *out_found)
{
    BT_TRY(is_envelope(check, check->text, out_found));
    if (*out_found) {
        return add_fence_edits(check);
    }
    struct bt_fence fence = {.text = check->text, .tag = BT_STR("json")};
    struct bt_fence_block block;
    struct bt_fence_block last = {0};
    while (bt_fence_next(&fence, &block)) {
        bool is = false;
        if (block.closed) {
            BT_TRY(is_envelope(check, bt_str_slice(check->text, block.body, block.end), &is));
        }
        last = is ? block : last;
        *out_found = *out_found || is;
    }
    return *out_found ? add_tag_edit(check, &last) : BT_OK;
}

static enum bt_status add_missing_block_finding(struct bt_contract_check *check)
{
    bool found = false;
    BT_TRY(find_unfenced(check, &found));
    return bt_add_contract_block_missing(check->findings, found ? BT_FIX_SAFE : BT_FIX_NONE,
                                         bt_location_whole(), found);
}

static struct bt_finding *last_finding(const struct bt_contract_check *check)
{
    return check->findings->items[bt_findings_count(check->findings) - 1];
}

static enum bt_status add_syntax_finding(struct bt_contract_check *check,
                                         const struct bt_json_read_result *read)
{
    bool fixable = false;
    const enum bt_contract_json_syntax_rule rule =
        bt_contract_check_syntax(check->block.body, read->offset, &fixable);
    const size_t offset = check->block.base + read->offset;
    const struct bt_position place = bt_position_at(check->text, offset);
    bt_str found = BT_STR_ABSENT;
    if (read->offset < check->block.body.len) {
        uint32_t character = 0; /* one of them: what follows may be a secret */
        const size_t bytes = bt_utf8_decode(check->block.body, read->offset, &character);
        found = bt_str_slice(check->block.body, read->offset, read->offset + bytes);
    }
    BT_TRY(bt_add_contract_json_syntax(check->findings, fixable ? BT_FIX_SAFE : BT_FIX_NONE,
                                       bt_location_pointer(BT_STR(""), offset), rule,
                                       bt_str_of(read->detail), place.line, place.column, found));
    const bt_str rest = bt_str_slice(check->block.body, read->offset, check->block.body.len);
    if (rule == BT_CONTRACT_JSON_SYNTAX_RULE_CONTROL_CHARACTER && bt_str_is_blank(rest)) {
        /* The line end of the fence stands in a string, which was probably cut off. */
        last_finding(check)->hint =
            BT_STR("close the string before the line ends, and send the whole object after the "
                   "line ```agent_contract_handoff: fill in a whole block");
    }
    return fixable && check->wants_edits ? bt_contract_fix_syntax(check) : BT_OK;
}

/* Add the finding of the JSON reader, with advice for the author of the block. */
static enum bt_status add_json_finding(struct bt_contract_check *check,
                                       const struct bt_json_read_result *read)
{
    static const char *const advice[] = {
        [BT_JSON_ERROR_NONE] = "",
        [BT_JSON_ERROR_SYNTAX] = "write strict JSON",
        [BT_JSON_ERROR_UTF8] = "send the whole message as UTF-8",
        [BT_JSON_ERROR_DUPLICATE_KEY] =
            "write each name once in an object: remove the second member of that name",
        [BT_JSON_ERROR_TOO_DEEP] = "remove what is nested too deeply, or fill in a whole block",
        /* In parentheses, since clang takes two literals in a list for a forgotten comma. */
        [BT_JSON_ERROR_TOO_LARGE] = ("shorten the message: put large content into files and name "
                                     "them, or fill in a whole block"),
    };
    BT_TRY(bt_findings_add_json(check->findings, read, check->text));
    return bt_arena_printf(check->arena, &last_finding(check)->hint,
                           "%s; the block begins with the line ```%.*s", advice[read->code],
                           BT_STR_ARG(BT_CONTRACT_TAG));
}

/* What the reader says of a part is said of the message. */
static enum bt_status add_read_finding(struct bt_contract_check *check,
                                       const struct bt_json_read_result *read)
{
    if (read->code == BT_JSON_ERROR_SYNTAX) {
        return add_syntax_finding(check, read);
    }
    struct bt_json_read_result shifted = *read;
    shifted.offset += check->block.base;
    return add_json_finding(check, &shifted);
}

/* Surrogates are found in the body; their findings stand in the message. */
static enum bt_status add_lone(struct bt_contract_check *check, const struct bt_json_doc *document)
{
    const size_t from = bt_findings_count(check->findings);
    BT_TRY(bt_findings_add_lone(check->findings, document));
    for (size_t i = from; i < bt_findings_count(check->findings); i++) {
        check->findings->items[i]->offset += check->block.base;
    }
    return BT_OK;
}

static enum bt_status add_not_object_finding(struct bt_contract_check *check,
                                             const struct bt_json_doc *document)
{
    const bt_json_value *root = bt_json_root(document);
    const size_t offset = check->block.base + bt_json_span(document, root).begin;
    return bt_add_contract_not_object(check->findings, bt_location_pointer(BT_STR(""), offset),
                                      bt_str_of(bt_json_type_name(document, root)));
}

static enum bt_status read_body(struct bt_contract_check *check)
{
    const struct bt_json_options options = bt_json_options_from_env(check->contract->env);
    struct bt_json_read_result read = {0};
    /* from: caller */
    BT_TRY(bt_json_read(check->arena, check->block.body, &options, &read));
    if (!read.document) {
        return add_read_finding(check, &read);
    }
    if (bt_json_type(bt_json_root(read.document)) != BT_JSON_OBJECT) {
        return add_not_object_finding(check, read.document);
    }
    check->document = read.document;
    check->root = bt_json_root(read.document);
    return add_lone(check, read.document);
}

static enum bt_status add_too_large_finding(struct bt_contract_check *check, uint64_t limit)
{
    const struct bt_json_read_result read = {.code = BT_JSON_ERROR_TOO_LARGE,
                                             .offset = (size_t)limit,
                                             .pointer = BT_STR(""),
                                             .detail = "the document has too many bytes",
                                             .limit = limit,
                                             .limit_name = BT_STR("document_bytes")};
    return add_json_finding(check, &read);
}

static enum bt_status add_not_utf8_finding(struct bt_contract_check *check, size_t offset)
{
    const struct bt_json_read_result read = {.code = BT_JSON_ERROR_UTF8,
                                             .offset = offset,
                                             .pointer = BT_STR(""),
                                             .detail = "not UTF-8",
                                             .limit_name = BT_STR("")};
    return add_json_finding(check, &read);
}

static enum bt_status set_body(struct bt_contract_check *check)
{
    if (check->options->no_fence) {
        check->block.count = 1;
        check->block.fence = (struct bt_fence_block){
            .end = check->text.len, .after = check->text.len, .closed = true};
    } else {
        BT_TRY(find_block(check));
    }
    if (check->block.count > 0 && check->block.fence.closed) {
        check->block.body =
            bt_str_slice(check->text, check->block.fence.body, check->block.fence.end);
    }
    return BT_OK;
}

enum bt_status bt_contract_check_read(struct bt_contract_check *check)
{
    const uint64_t limit = check->contract->env->limits.document_bytes;
    if (check->text.len > limit) {
        return add_too_large_finding(check, limit);
    }
    BT_TRY(set_body(check));
    const size_t bad = bt_utf8_check(check->text);
    if (bad < check->text.len) {
        return add_not_utf8_finding(check, bad);
    }
    if (check->block.count == 0) {
        return add_missing_block_finding(check);
    }
    if (!check->block.fence.closed) {
        return bt_add_contract_block_unclosed(
            check->findings, bt_location_pointer(BT_STR(""), check->block.fence.open));
    }
    check->block.base = check->block.fence.body;
    return read_body(check);
}

bool bt_contract_recognise(bt_str content)
{
    return bt_fence_opens(content, BT_CONTRACT_TAG);
}
