/* SPDX-License-Identifier: Apache-2.0 */
/* size.c - texts of a result counted in tokens and bytes, and cut to a budget. */
#include "wrap/size.h"

#include "base/ascii.h"
#include "json/emit.h"
#include "json/get.h"
#include "token/tokens.h"

enum { GUESSED_BYTES_PER_TOKEN = 4 };

/* ---- Measuring ------------------------------------------------------------------------------- */

/* The text of an item of `content`: its own, or that of the resource in it; NULL: it has none. */
static const bt_json_value *find_text(const struct bt_json_doc *document, const bt_json_value *item)
{
    const bt_str type = bt_json_get_text(document, item, BT_STR("type"));
    const bool is_resource = bt_str_eq(type, BT_STR("resource"));
    const bt_json_value *owner =
        is_resource ? bt_json_get(document, item, BT_STR("resource")) : item;
    const bt_json_value *text = owner && (is_resource || bt_str_eq(type, BT_STR("text")))
                                    ? bt_json_get(document, owner, BT_STR("text"))
                                    : NULL;
    return text && bt_json_type(text) == BT_JSON_STRING ? text : NULL;
}

static enum bt_status count_tokens(struct bt_wrap_session *session, bt_str text, uint64_t *out)
{
    struct bt_tokens *counter = session->settings->tokens;
    *out = 0;
    return counter && bt_tokens_has_table(counter) ? bt_tokens_count(counter, text, out) : BT_OK;
}

enum bt_status bt_wrap_measure(struct bt_wrap_session *session, bt_ref result,
                               struct bt_wrap_result_size *out)
{
    const bt_json_value *content = bt_json_get(result.document, result.value, BT_STR("content"));
    const bt_json_value *structured =
        bt_json_get(result.document, result.value, BT_STR("structuredContent"));
    const bt_json_value *items = content ? bt_json_items(content) : NULL;
    *out = (struct bt_wrap_result_size){0};
    for (size_t i = 0; items && i < bt_json_count(content); i++) {
        const bt_json_value *text = find_text(result.document, &items[i]);
        uint64_t tokens = 0;
        if (text) {
            BT_TRY(count_tokens(session, bt_json_text(text), &tokens));
            out->text_tokens += tokens;
            out->text_bytes += bt_json_text(text).len;
        }
    }
    if (structured) {
        bt_str json;
        BT_TRY(bt_json_write_text(result.document, structured, BT_JSON_FORM_COMPACT,
                                  &session->message, &json));
        BT_TRY(count_tokens(session, json, &out->structured_tokens));
        out->structured_bytes = json.len;
    }
    return BT_OK;
}

/* ---- Cutting --------------------------------------------------------------------------------- */

/* What is left of the budget while texts are kept. */
struct wrap_cutter {
    struct bt_wrap_session *session;
    bt_str source; /* of the message */
    struct bt_emit emit;
    struct bt_wrap_size_budget left;
    uint64_t kept_tokens;
    uint64_t kept_bytes;
    bool is_full; /* a text did not fit; later ones are dropped */
};

static bool text_fits(struct wrap_cutter *cutter, bt_str text)
{
    struct bt_tokens *counter = cutter->session->settings->tokens;
    bool is_within = true;
    if (text.len > cutter->left.bytes) {
        return false;
    }
    return cutter->left.tokens == BT_WRAP_UNSET || !counter || !bt_tokens_has_table(counter) ||
           (bt_tokens_fit_budget(counter, text, cutter->left.tokens, &is_within) == BT_OK &&
            is_within);
}

static bt_str cut_at_character(bt_str text, size_t at)
{
    while (at > 0 && at < text.len && ((unsigned char)text.ptr[at] & 0xc0) == 0x80) {
        at--;
    }
    return bt_str_slice(text, 0, at);
}

/* A prefix that fits, and of which a longer one does not. */
static bt_str cut_text(struct wrap_cutter *cutter, bt_str text)
{
    size_t low = 0;
    size_t high = text.len;
    size_t step =
        (cutter->left.tokens < text.len ? cutter->left.tokens : text.len) * GUESSED_BYTES_PER_TOKEN;
    step = step > 0 && step < text.len ? step : 1;
    while (step < high && text_fits(cutter, cut_at_character(text, step))) {
        low = step;
        step *= 2;
    }
    high = step < high ? step : high;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (text_fits(cutter, cut_at_character(text, middle))) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return cut_at_character(text, low);
}

/* Take a text from the budget. BT_ENOMEM. */
static enum bt_status keep_text(struct wrap_cutter *cutter, bt_str text)
{
    uint64_t tokens = 0;
    BT_TRY(count_tokens(cutter->session, text, &tokens));
    cutter->kept_tokens += tokens;
    cutter->kept_bytes += text.len;
    if (cutter->left.tokens != BT_WRAP_UNSET) {
        cutter->left.tokens -= tokens < cutter->left.tokens ? tokens : cutter->left.tokens;
    }
    if (cutter->left.bytes != BT_WRAP_UNSET) {
        cutter->left.bytes -= text.len;
    }
    return BT_OK;
}

/* Put an item as the source has it, with `text` in place of its own unless `value` is NULL. */
static void put_source(struct wrap_cutter *cutter, const struct bt_json_doc *document,
                       const bt_json_value *item, const bt_json_value *value, bt_str text)
{
    struct bt_buf *buf = cutter->emit.buf;
    const struct bt_json_span whole = bt_json_span(document, item);
    const struct bt_json_span part =
        value ? bt_json_span(document, value) : (struct bt_json_span){whole.end, whole.end};
    bt_emit_value(&cutter->emit);
    bt_buf_put(buf, bt_str_slice(cutter->source, whole.begin, part.begin));
    if (value) {
        bt_json_put_string(buf, text);
    }
    bt_buf_put(buf, bt_str_slice(cutter->source, part.end, whole.end));
}

static enum bt_status put_item(struct wrap_cutter *cutter, const struct bt_json_doc *document,
                               const bt_json_value *item)
{
    const bt_json_value *value = find_text(document, item);
    const bt_str text = value ? bt_json_text(value) : BT_STR("");
    const bool is_cut = value && !cutter->is_full && !text_fits(cutter, text);
    const bt_str kept = is_cut ? cut_text(cutter, text) : text;
    if (value && (cutter->is_full || (is_cut && kept.len == 0))) {
        cutter->is_full = true;
        return BT_OK;
    }
    put_source(cutter, document, item, is_cut ? value : NULL, kept);
    cutter->is_full = cutter->is_full || is_cut;
    return value ? keep_text(cutter, kept) : BT_OK;
}

/* ---- The last text --------------------------------------------------------------------------- */

/* Write all texts, joined by LF, to a file. "": that was not possible. */
static enum bt_status spill_texts(struct bt_wrap_session *session, bt_ref result, bt_str *out_path,
                                  uint64_t *out_size)
{
    const struct bt_wrap_writer *writer = session->settings->writer;
    const bt_json_value *content = bt_json_get(result.document, result.value, BT_STR("content"));
    const bt_json_value *items = bt_json_items(content);
    struct bt_buf buf;
    bool is_first = true;
    bt_buf_init(&buf, 2 * session->settings->policy.limits.message_bytes);
    for (size_t i = 0; i < bt_json_count(content); i++) {
        const bt_json_value *text = find_text(result.document, &items[i]);
        if (text) {
            bt_buf_put_text(&buf, is_first ? "" : "\n");
            bt_buf_put(&buf, bt_json_text(text));
            is_first = false;
        }
    }
    const enum bt_status status = bt_buf_status(&buf);
    *out_size = buf.len;
    if (status != BT_OK || !writer || !writer->spill ||
        !writer->spill(writer->context, bt_buf_str(&buf), &session->message, out_path)) {
        *out_path = BT_STR("");
    }
    bt_buf_free(&buf);
    return status;
}

static void put_file_uri(struct bt_buf *buf, bt_str path)
{
    const bt_str plain = BT_STR("/._~-");
    bt_buf_put_text(buf, "file://");
    for (size_t i = 0; i < path.len; i++) {
        const char byte = path.ptr[i];
        if (bt_ascii_is_alnum(byte) || bt_str_find_byte(plain, byte, 0) < plain.len) {
            bt_buf_put_char(buf, byte);
        } else {
            bt_buf_printf(buf, "%%%02X", (unsigned)(unsigned char)byte);
        }
    }
}

static enum bt_status put_link(struct wrap_cutter *cutter, bt_str path, uint64_t size)
{
    struct bt_buf uri;
    bt_str text;
    bt_buf_init(&uri, 3 * path.len + sizeof("file://"));
    put_file_uri(&uri, path);
    BT_TRY(bt_buf_finish(&uri, &cutter->session->message, &text));
    bt_emit_begin_object(&cutter->emit);
    bt_emit_member_string(&cutter->emit, "type", BT_STR("resource_link"));
    bt_emit_member_string(&cutter->emit, "uri", text);
    bt_emit_member_string(&cutter->emit, "name", BT_STR("full result"));
    bt_emit_member_string(&cutter->emit, "mimeType", BT_STR("text/plain"));
    bt_emit_member_u64(&cutter->emit, "size", size);
    bt_emit_end(&cutter->emit);
    return BT_OK;
}

static enum bt_status put_notice(struct wrap_cutter *cutter, bt_ref result,
                                 const struct bt_wrap_cut *cut)
{
    const bool in_tokens = cut->unit == BT_WRAP_UNIT_TOKENS;
    const uint64_t all = in_tokens ? cut->size.text_tokens : cut->size.text_bytes;
    const uint64_t kept = in_tokens ? cutter->kept_tokens : cutter->kept_bytes;
    bt_str path = BT_STR("");
    bt_str text;
    uint64_t size = 0;
    if (cut->is_spilled) {
        BT_TRY(spill_texts(cutter->session, result, &path, &size));
    }
    BT_TRY(bt_arena_printf(
        &cutter->session->message, &text, "[cut by baton: %llu of %llu %s left out]%s%.*s",
        (unsigned long long)(all - (kept < all ? kept : all)), (unsigned long long)all,
        in_tokens ? "tokens" : "bytes", path.len > 0 ? "\nfull result: " : "", BT_STR_ARG(path)));
    bt_emit_begin_object(&cutter->emit);
    bt_emit_member_string(&cutter->emit, "type", BT_STR("text"));
    bt_emit_member_string(&cutter->emit, "text", text);
    bt_emit_end(&cutter->emit);
    return path.len > 0 ? put_link(cutter, path, size) : BT_OK;
}

enum bt_status bt_wrap_cut_content(struct bt_wrap_session *session, bt_ref result,
                                   const struct bt_wrap_cut *cut, bt_str *out)
{
    const bt_json_value *content = bt_json_get(result.document, result.value, BT_STR("content"));
    const bt_json_value *items = content ? bt_json_items(content) : NULL;
    struct wrap_cutter cutter = {
        .session = session, .source = bt_json_source(result.document), .left = cut->budget};
    struct bt_buf buf;
    enum bt_status status = BT_OK;
    bt_buf_init(&buf, 8 * session->settings->policy.limits.message_bytes);
    bt_emit_init(&cutter.emit, &buf, false);
    bt_emit_begin_array(&cutter.emit);
    for (size_t i = 0; status == BT_OK && items && i < bt_json_count(content); i++) {
        status = put_item(&cutter, result.document, &items[i]);
    }
    if (status == BT_OK) {
        status = put_notice(&cutter, result, cut);
    }
    bt_emit_end(&cutter.emit);
    return bt_buf_finish_if(status, &buf, &session->message, out);
}
