/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipt.c - receipts read and written.
 */
#include "ledger/receipt.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "json/emit.h"
#include "ledger/entry.h"

enum { WRITTEN_BYTES_MAX = 1 << 20 };

static const bt_str first_line = BT_STR_INIT("c2sp.org/tlog-proof@v1");
static const bt_str extra_prefix = BT_STR_INIT("extra ");

bool bt_receipt_lines_next(struct bt_receipt_lines *lines, bt_str *out)
{
    assert(lines);
    assert(out);
    const size_t end = bt_str_find_byte(lines->rest, '\n', 0);
    lines->line++;
    if (end == lines->rest.len) {
        return false;
    }
    *out = bt_str_slice(lines->rest, 0, end);
    lines->rest = bt_str_slice(lines->rest, end + 1, lines->rest.len);
    return true;
}

bool bt_receipt_line_number(bt_str line, bt_str prefix, uint64_t *out)
{
    const bt_str digits = bt_str_slice(line, prefix.len, line.len);
    uint64_t number = 0;
    if (!bt_str_starts_with(line, prefix) || bt_str_to_u64(digits, &number) != BT_OK ||
        number > INT64_MAX || (digits.len > 1 && digits.ptr[0] == '0')) {
        return false;
    }
    *out = number;
    return true;
}

const char *bt_receipt_lines_take_proof(struct bt_receipt_lines *lines, struct bt_merkle_proof *out)
{
    bt_str line;
    out->count = 0;
    while (bt_receipt_lines_next(lines, &line)) {
        if (line.len == 0) {
            return NULL;
        }
        if (out->count == BT_TREE_DEPTH_MAX) {
            return "there are more than 63 hashes";
        }
        if (bt_base64_decoded_size(line) != BT_HASH_BYTES) {
            return "the line is not the base64 of a hash";
        }
        bt_base64_decode(line, out->hashes[out->count++].bytes);
    }
    return "an empty line must end the hashes";
}

void bt_merkle_proof_put_lines(struct bt_buf *buf, const struct bt_merkle_proof *proof)
{
    for (size_t i = 0; i < proof->count; i++) {
        bt_base64_put(buf, (bt_str){(const char *)proof->hashes[i].bytes, BT_HASH_BYTES});
        bt_buf_put_char(buf, '\n');
    }
}

/* Decode an entry into the arena. *out_reason is NULL, or what is wrong. */
static enum bt_status decode_entry(struct bt_arena *arena, bt_str encoded, struct bt_receipt *out,
                                   const char **out_reason)
{
    const size_t size = bt_base64_decoded_size(encoded);
    if (size == SIZE_MAX || size > BT_ENTRY_BYTES_MAX) {
        *out_reason = "the entry is not base64 of at most 65,535 bytes";
        return BT_OK;
    }
    char *bytes = bt_arena_alloc(arena, size + 1);
    if (!bytes) {
        return BT_ENOMEM;
    }
    bt_base64_decode(encoded, bytes);
    out->has_entry = true;
    out->entry = (bt_str){bytes, size};
    *out_reason = NULL;
    return BT_OK;
}

static enum bt_status read_text(struct bt_arena *arena, bt_str bytes, struct bt_receipt *out,
                                struct bt_receipt_error *fault)
{
    struct bt_receipt_lines lines = {.rest = bytes};
    bt_str line = BT_STR("");
    fault->reason = "the first line is not c2sp.org/tlog-proof@v1";
    if (bt_receipt_lines_next(&lines, &line) && bt_str_eq(line, first_line)) {
        fault->reason = bt_receipt_lines_next(&lines, &line) ? NULL : "it ends too early";
    }
    if (!fault->reason && bt_str_starts_with(line, extra_prefix)) {
        const bt_str encoded = bt_str_slice(line, extra_prefix.len, line.len);
        BT_TRY(decode_entry(arena, encoded, out, &fault->reason));
        if (!fault->reason && !bt_receipt_lines_next(&lines, &line)) {
            fault->reason = "it ends too early";
        }
    }
    if (!fault->reason && !bt_receipt_line_number(line, BT_STR("index "), &out->index)) {
        fault->reason = "the line is not `index` and a number";
    }
    if (!fault->reason) {
        fault->reason = bt_receipt_lines_take_proof(&lines, &out->proof);
    }
    fault->line = lines.line;
    out->checkpoint = lines.rest;
    return BT_OK;
}

static bool take_json_proof(const bt_json_value *value, struct bt_merkle_proof *out)
{
    if (!value || bt_json_type(value) != BT_JSON_ARRAY ||
        bt_json_count(value) > BT_TREE_DEPTH_MAX) {
        return false;
    }
    out->count = bt_json_count(value);
    for (size_t i = 0; i < out->count; i++) {
        if (!bt_merkle_hash_from_hex(bt_json_text(&bt_json_items(value)[i]), &out->hashes[i])) {
            return false;
        }
    }
    return true;
}

/* True when the object has these members, optionally `entry`, and no others. */
static bool is_closed(const struct bt_json_doc *document, const bt_json_value *root, bool has_entry)
{
    return bt_json_type(root) == BT_JSON_OBJECT && bt_json_count(root) == (has_entry ? 5 : 4) &&
           bt_json_get(document, root, BT_STR("baton_receipt"));
}

static enum bt_status take_json(struct bt_arena *arena, const struct bt_json_doc *document,
                                struct bt_receipt *out, const char **out_reason)
{
    const bt_json_value *root = bt_json_root(document);
    const bt_json_value *version = bt_json_get(document, root, BT_STR("baton_receipt"));
    const bt_json_value *index = bt_json_get(document, root, BT_STR("index"));
    const bt_json_value *entry = bt_json_get(document, root, BT_STR("entry"));
    const bt_json_value *checkpoint = bt_json_get(document, root, BT_STR("checkpoint"));
    if (!is_closed(document, root, entry != NULL)) {
        *out_reason = "it is not an object of baton_receipt, index, entry, proof and checkpoint";
    } else if (bt_json_type(version) != BT_JSON_INTEGER || version->as.integer != 1) {
        *out_reason = "baton_receipt is not 1";
    } else if (!index || bt_json_type(index) != BT_JSON_INTEGER || index->as.integer < 0) {
        *out_reason = "index is not a whole number";
    } else if (!checkpoint || bt_json_type(checkpoint) != BT_JSON_STRING) {
        *out_reason = "checkpoint is not a string";
    } else if (!take_json_proof(bt_json_get(document, root, BT_STR("proof")), &out->proof)) {
        *out_reason = "proof is not a list of at most 63 hashes";
    } else if (entry && bt_json_type(entry) != BT_JSON_STRING) {
        *out_reason = "entry is not a string";
    } else {
        out->index = (uint64_t)index->as.integer;
        out->checkpoint = bt_json_text(checkpoint);
        *out_reason = NULL;
        return entry ? decode_entry(arena, bt_json_text(entry), out, out_reason) : BT_OK;
    }
    return BT_OK;
}

static bool has_json_start(bt_str bytes)
{
    size_t at = 0;
    while (at < bytes.len && (bytes.ptr[at] == ' ' || bytes.ptr[at] == '\t' ||
                              bytes.ptr[at] == '\n' || bytes.ptr[at] == '\r')) {
        at++;
    }
    return at < bytes.len && bytes.ptr[at] == '{';
}

enum bt_status bt_receipt_read(struct bt_arena *arena, bt_str bytes, struct bt_receipt *out,
                               struct bt_receipt_error *out_fault)
{
    assert(arena);
    assert(out);
    assert(out_fault);
    *out = (struct bt_receipt){.form = BT_RECEIPT_TEXT, .entry = BT_STR("")};
    *out_fault = (struct bt_receipt_error){.reason = "it is longer than 256 KiB"};
    if (bytes.len > BT_RECEIPT_BYTES_MAX) {
        return BT_OK;
    }
    if (!has_json_start(bytes)) {
        return read_text(arena, bytes, out, out_fault);
    }
    out->form = BT_RECEIPT_JSON;
    /* from: caller */
    BT_TRY(bt_json_read(arena, bytes, NULL, &out_fault->json));
    if (!out_fault->json.document) {
        out_fault->reason = "it is not JSON";
        return BT_OK;
    }
    return take_json(arena, out_fault->json.document, out, &out_fault->reason);
}

void bt_receipt_put_text(struct bt_buf *buf, const struct bt_receipt *receipt)
{
    assert(buf);
    assert(receipt);
    bt_buf_put(buf, first_line);
    bt_buf_put_char(buf, '\n');
    if (receipt->has_entry) {
        bt_buf_put(buf, extra_prefix);
        bt_base64_put(buf, receipt->entry);
        bt_buf_put_char(buf, '\n');
    }
    bt_buf_printf(buf, "index %" PRIu64 "\n", receipt->index);
    bt_merkle_proof_put_lines(buf, &receipt->proof);
    bt_buf_put_char(buf, '\n');
    bt_buf_put(buf, receipt->checkpoint);
}

static void put_entry(struct bt_emit *emit, const struct bt_receipt *receipt)
{
    if (receipt->has_entry) {
        bt_emit_name(emit, "entry");
        bt_emit_raw(emit, BT_STR("\""));
        bt_base64_put(emit->buf, receipt->entry);
        bt_buf_put_char(emit->buf, '"');
    }
}

static void put_proof(struct bt_emit *emit, const struct bt_merkle_proof *proof)
{
    bt_emit_name(emit, "proof");
    bt_emit_begin_array(emit);
    for (size_t i = 0; i < proof->count; i++) {
        char hex[BT_HASH_HEX_BYTES];
        bt_merkle_hash_hex(&proof->hashes[i], hex);
        bt_emit_string(emit, bt_str_of(hex));
    }
    bt_emit_end(emit);
}

void bt_receipt_put_json(struct bt_buf *buf, const struct bt_receipt *receipt, bool canonical)
{
    assert(buf);
    assert(receipt);
    struct bt_emit emit;
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton_receipt", 1);
    if (canonical) {
        bt_emit_member_string(&emit, "checkpoint", receipt->checkpoint);
        put_entry(&emit, receipt);
        bt_emit_member_u64(&emit, "index", receipt->index);
        put_proof(&emit, &receipt->proof);
    } else {
        bt_emit_member_u64(&emit, "index", receipt->index);
        put_entry(&emit, receipt);
        put_proof(&emit, &receipt->proof);
        bt_emit_member_string(&emit, "checkpoint", receipt->checkpoint);
    }
    bt_emit_end(&emit);
}

enum bt_status bt_receipt_write(struct bt_arena *arena, const struct bt_receipt *receipt,
                                bt_str *out)
{
    struct bt_buf buf;
    bt_buf_init(&buf, WRITTEN_BYTES_MAX);
    bt_receipt_put_json(&buf, receipt, false);
    return bt_buf_finish(&buf, arena, out);
}

enum bt_status bt_receipt_copy(struct bt_arena *arena, const struct bt_receipt *receipt,
                               const struct bt_receipt **out)
{
    assert(receipt);
    assert(out);
    struct bt_receipt *copy = bt_arena_alloc(arena, sizeof(*copy));
    if (!copy) {
        return BT_ENOMEM;
    }
    copy->form = receipt->form;
    copy->index = receipt->index;
    copy->has_entry = receipt->has_entry;
    copy->proof.count = receipt->proof.count;
    memcpy(copy->proof.hashes, receipt->proof.hashes,
           receipt->proof.count * sizeof(receipt->proof.hashes[0]));
    BT_TRY(bt_arena_copy(arena, receipt->entry, &copy->entry));
    BT_TRY(bt_arena_copy(arena, receipt->checkpoint, &copy->checkpoint));
    *out = copy;
    return BT_OK;
}
