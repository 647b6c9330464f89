/* SPDX-License-Identifier: Apache-2.0 */
/* dialects.c - the table of dialects as the server sees it, and how long their values are. */
#include "lsp/dialects.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "fence/fence.h"

const struct lsp_dialect *lsp_dialect(enum bt_dialect_id dialect)
{
    static const struct lsp_dialect rows[BT_DIALECT__CHECKABLE_MAX] = {
        [BT_DIALECT_UNIVERSAL] = {.measure = lsp_measure_json,
                                  .schema = "universal",
                                  .complete = lsp_complete_universal,
                                  .define = lsp_define_universal,
                                  .is_formatted = true},
        [BT_DIALECT_CONTRACT] = {.measure = lsp_measure_json,
                                 .schema = "contract",
                                 .complete = lsp_complete_json,
                                 .is_formatted = true},
        [BT_DIALECT_GOVERNED] = {.measure = lsp_measure_json,
                                 .schema = "governed",
                                 .complete = lsp_complete_governed,
                                 .define = lsp_define_governed},
        [BT_DIALECT_RESPONSE] = {.measure = lsp_measure_json,
                                 .schema = "response",
                                 .complete = lsp_complete_governed,
                                 .define = lsp_define_governed},
        [BT_DIALECT_PLAN] = {.measure = lsp_measure_csv,
                             .complete = lsp_complete_plan,
                             .define = lsp_define_plan},
        [BT_DIALECT_XML] = {.measure = lsp_measure_xml,
                            .complete = lsp_complete_message,
                            .define = lsp_define_message},
        [BT_DIALECT_ORGANISM] = {.measure = lsp_measure_yaml,
                                 .complete = lsp_complete_organism,
                                 .define = lsp_define_organism},
        [BT_DIALECT_CONFIG] = {.measure = lsp_measure_yaml, .complete = lsp_complete_config},
        [BT_DIALECT_MANIFEST] = {.measure = lsp_measure_json,
                                 .schema = "manifest",
                                 .complete = lsp_complete_json},
        [BT_DIALECT_LOCK] = {.measure = lsp_measure_json,
                             .schema = "lock",
                             .complete = lsp_complete_json},
        [BT_DIALECT_BOUNDARIES] = {.measure = lsp_measure_json,
                                   .schema = "boundaries",
                                   .complete = lsp_complete_json},
        [BT_DIALECT_PROMPT] = {.measure = lsp_measure_yaml},
        [BT_DIALECT_JSON] = {.measure = lsp_measure_json},
    };
    assert(dialect > BT_DIALECT_NONE && dialect < BT_DIALECT__CHECKABLE_MAX);
    assert(rows[dialect].measure);
    return &rows[dialect];
}

/* ---- JSON of a document ---------------------------------------------------------------------- */

struct lsp_span lsp_json_body(const struct lsp_document *document, size_t offset)
{
    const bt_str text = lsp_document_text(document);
    struct lsp_span body = {0, text.len};
    if (document->judged.dialect != BT_DIALECT_CONTRACT) {
        return body;
    }
    struct bt_fence fence = {.text = text, .tag = BT_STR("agent_contract_handoff")};
    struct bt_fence_block block;
    while (bt_fence_next(&fence, &block)) {
        body = (struct lsp_span){block.body, block.end};
        if (offset <= block.end) {
            break;
        }
    }
    return body;
}

/* ---- Lengths of values ----------------------------------------------------------------------- */

/* The length of a text from a quote to the next one that no backslash escapes, in one line. */
static size_t measure_quoted(bt_str text, size_t at)
{
    size_t end = at + 1;
    while (end < text.len && text.ptr[end] != text.ptr[at] && text.ptr[end] != '\n') {
        end += text.ptr[end] == '\\' && end + 1 < text.len ? 2 : 1;
    }
    end += end < text.len && text.ptr[end] == text.ptr[at];
    return (end < text.len ? end : text.len) - at;
}

/* The length of what comes before one of some bytes, a control character or the end. */
static size_t measure_until(bt_str text, size_t at, const char *stops)
{
    size_t end = at;
    while (end < text.len && !bt_ascii_is_control(text.ptr[end]) && !strchr(stops, text.ptr[end])) {
        end++;
    }
    return end - at;
}

/* At least one byte, so that what has no length of its own can be seen. */
static size_t measure_at_least_one(bt_str text, size_t at, size_t size)
{
    return size > 0 || at >= text.len ? size : 1;
}

size_t lsp_measure_json(bt_str text, size_t at)
{
    if (at < text.len && text.ptr[at] == '"') {
        return measure_quoted(text, at);
    }
    return measure_at_least_one(text, at, measure_until(text, at, " {}[]:,\""));
}

size_t lsp_measure_csv(bt_str text, size_t at)
{
    if (at >= text.len || text.ptr[at] != '"') {
        return measure_until(text, at, ",");
    }
    size_t end = at + 1;
    while (end < text.len &&
           (text.ptr[end] != '"' || (end + 1 < text.len && text.ptr[end + 1] == '"'))) {
        end += text.ptr[end] == '"' ? 2 : 1;
    }
    end += end < text.len;
    return (end < text.len ? end : text.len) - at;
}

size_t lsp_measure_xml(bt_str text, size_t at)
{
    if (at >= text.len || text.ptr[at] != '<') {
        return measure_at_least_one(text, at, measure_until(text, at, " <>=/"));
    }
    size_t end = at + 1;
    char quote = '\0';
    while (end < text.len && (quote || text.ptr[end] != '>')) {
        const char byte = text.ptr[end];
        quote = quote ? (byte == quote ? '\0' : quote) : byte == '"' || byte == '\'' ? byte : '\0';
        end++;
    }
    end += end < text.len;
    return end - at;
}

size_t lsp_measure_yaml(bt_str text, size_t at)
{
    if (at < text.len && (text.ptr[at] == '"' || text.ptr[at] == '\'')) {
        return measure_quoted(text, at);
    }
    if (at < text.len && strchr("{}[]|>", text.ptr[at])) {
        return 1;
    }
    size_t size = measure_until(text, at, "#,{}[]");
    /* A key ends before its colon; blanks at the end do not belong to a value. */
    for (size_t i = 0; i < size; i++) {
        const bool is_key =
            text.ptr[at + i] == ':' && (i + 1 == size || text.ptr[at + i + 1] == ' ');
        size = is_key ? i : size;
    }
    while (size > 0 && bt_ascii_is_blank(text.ptr[at + size - 1])) {
        size--;
    }
    return measure_at_least_one(text, at, size);
}
