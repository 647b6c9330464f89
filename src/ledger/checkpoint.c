/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.c - notes read strictly, signatures checked.
 *
 * A note has exactly one spelling: two spellings of one note would be two notes to a cache.
 */
#include "ledger/checkpoint.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/env.h"
#include "base/error.h"
#include "base/str.h"
#include "ledger/ed25519.h"

static const bt_str dash = BT_STR_INIT("\xe2\x80\x94 "); /* U+2014 and a space */

static bool is_unicode_space(uint32_t code)
{
    return code == ' ' || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
           code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

static bool has_control(bt_str text)
{
    uint32_t code = 0;
    for (size_t i = 0; i < text.len; i += bt_utf8_decode(text, i, &code)) {
        const unsigned char byte = (unsigned char)text.ptr[i];
        const bool is_c1 = byte == 0xc2 && (unsigned char)text.ptr[i + 1] < 0xa0;
        if ((byte < 0x20 && byte != '\n') || byte == 0x7f || is_c1) {
            return true;
        }
    }
    return false;
}

/* Key names of other systems: anything without white space and plus. */
static bool is_foreign_name(bt_str name)
{
    uint32_t code = 0;
    for (size_t i = 0; i < name.len;) {
        i += bt_utf8_decode(name, i, &code);
        if (is_unicode_space(code) || code == '+') {
            return false;
        }
    }
    return name.len > 0;
}

const char *bt_note_signature_read(bt_str line, struct bt_note_signature *out)
{
    assert(out);
    if (bt_utf8_check(line) != line.len || !bt_str_starts_with(line, dash)) {
        return "a signature line begins with a dash (U+2014) and a blank";
    }
    const bt_str rest = bt_str_slice(line, dash.len, line.len);
    const size_t blank = bt_str_find_byte(rest, ' ', 0);
    const bt_str name = bt_str_slice(rest, 0, blank);
    const bt_str encoded = bt_str_slice(rest, blank + 1, rest.len);
    if (!is_foreign_name(name)) {
        return "a signature line has no key name";
    }
    const size_t size = bt_base64_decoded_size(encoded);
    if (size == SIZE_MAX || size <= BT_KEY_ID_BYTES) {
        return "a signature is not the base64 of a key id and a signature";
    }
    *out = (struct bt_note_signature){.line = line, .name = name, .encoded = encoded};
    /* Eight digits stand for six bytes; there are at least five, so that many digits. */
    uint8_t head[6];
    char digits[8];
    memcpy(digits, encoded.ptr, sizeof(digits));
    bt_base64_decode((bt_str){digits, sizeof(digits)}, head);
    memcpy(out->id, head, BT_KEY_ID_BYTES);
    return NULL;
}

static const char *read_lines(bt_str lines, struct bt_checkpoint *out)
{
    for (size_t from = 0; from < lines.len;) {
        const size_t end = bt_str_find_byte(lines, '\n', from);
        if (out->line_count == BT_NOTE_LINES_MAX) {
            return "there are more than 64 signature lines";
        }
        const char *reason =
            bt_note_signature_read(bt_str_slice(lines, from, end), &out->lines[out->line_count++]);
        if (reason) {
            return reason;
        }
        from = end + 1;
    }
    return out->line_count == 0 ? "it has no signature line" : NULL;
}

/* Take the next line from `rest`, without its line feed. */
static bt_str take_line(bt_str *rest)
{
    const size_t end = bt_str_find_byte(*rest, '\n', 0);
    const bt_str line = bt_str_slice(*rest, 0, end);
    *rest = bt_str_slice(*rest, end + 1, rest->len);
    return line;
}

static const char *read_text(bt_str text, struct bt_checkpoint *out)
{
    bt_str rest = text;
    out->text = text;
    out->origin = take_line(&rest);
    const bt_str size = take_line(&rest);
    const bt_str root = take_line(&rest);
    if (out->origin.len == 0) {
        return "the first line, the origin, is empty";
    }
    if (bt_str_to_u64(size, &out->size) != BT_OK || out->size > INT64_MAX ||
        (size.len > 1 && size.ptr[0] == '0')) {
        return "the second line is not a size in decimal";
    }
    if (bt_base64_decoded_size(root) != BT_HASH_BYTES) {
        return "the third line is not the base64 of a root of 32 bytes";
    }
    bt_base64_decode(root, out->root.bytes);
    while (rest.len > 0) {
        if (take_line(&rest).len == 0) {
            return "an extension line is empty";
        }
    }
    return NULL;
}

/* The offset of the last empty line, or SIZE_MAX. */
static size_t last_empty_line(bt_str note)
{
    for (size_t i = note.len; i > 1; i--) {
        if (note.ptr[i - 1] == '\n' && note.ptr[i - 2] == '\n') {
            return i - 1;
        }
    }
    return SIZE_MAX;
}

const char *bt_checkpoint_read(bt_str note, struct bt_checkpoint *out)
{
    assert(out);
    out->note = note;
    out->line_count = 0;
    if (note.len > BT_NOTE_BYTES_MAX) {
        return "it is longer than 64 KiB";
    }
    if (bt_utf8_check(note) != note.len) {
        return "it is not UTF-8";
    }
    if (has_control(note)) {
        return "it holds a control character; lines end with a line feed alone";
    }
    const size_t split = last_empty_line(note);
    if (split == SIZE_MAX) {
        return "an empty line is missing before the signatures";
    }
    if (note.ptr[note.len - 1] != '\n') {
        return "it does not end with a line feed";
    }
    const char *reason = read_text(bt_str_slice(note, 0, split), out);
    return reason ? reason : read_lines(bt_str_slice(note, split + 1, note.len), out);
}

static bool is_by(const struct bt_note_signature *line, const struct bt_vkey *vkey)
{
    return bt_str_eq(line->name, bt_vkey_name(vkey)) &&
           memcmp(line->id, vkey->id, BT_KEY_ID_BYTES) == 0;
}

/* Check whether a log's signature line fits the text. */
static enum bt_status judge_line(const struct bt_checkpoint *checkpoint,
                                 const struct bt_note_signature *line, const struct bt_vkey *vkey,
                                 bool *out_valid)
{
    uint8_t bytes[BT_KEY_ID_BYTES + BT_SIGNATURE_BYTES];
    *out_valid = false;
    if (bt_base64_decoded_size(line->encoded) != sizeof(bytes)) {
        return BT_OK;
    }
    bt_base64_decode(line->encoded, bytes);
    return bt_vkey_verify(vkey, checkpoint->text, bytes + BT_KEY_ID_BYTES, out_valid);
}

/* Check one known key: whether it signed, and its signatures fit. */
static enum bt_status judge_key(const struct bt_checkpoint *checkpoint, const struct bt_vkey *vkey,
                                bool *out_signed, bool *out_valid)
{
    *out_signed = false;
    *out_valid = true;
    for (size_t i = 0; i < checkpoint->line_count && *out_valid; i++) {
        if (is_by(&checkpoint->lines[i], vkey)) {
            *out_signed = true;
            BT_TRY(judge_line(checkpoint, &checkpoint->lines[i], vkey, out_valid));
        }
    }
    return BT_OK;
}

enum bt_status bt_checkpoint_judge(const struct bt_checkpoint *checkpoint,
                                   const struct bt_vkey_list *log_keys,
                                   struct bt_checkpoint_trust_result *out)
{
    assert(checkpoint);
    assert(log_keys);
    bool origin_known = false;
    bool origin_signed = false;
    const struct bt_vkey *culprit = NULL;
    for (size_t i = 0; i < log_keys->count; i++) {
        const struct bt_vkey *vkey = &log_keys->items[i];
        const bool is_origin = bt_str_eq(bt_vkey_name(vkey), checkpoint->origin);
        bool has_signed = false;
        bool valid = true;
        BT_TRY(judge_key(checkpoint, vkey, &has_signed, &valid));
        origin_known = origin_known || is_origin;
        origin_signed = origin_signed || (is_origin && has_signed);
        culprit = culprit || valid ? culprit : vkey;
    }
    *out = (struct bt_checkpoint_trust_result){.trust = !origin_known ? BT_CHECKPOINT_TRUST_ORIGIN
                                                        : !origin_signed ? BT_CHECKPOINT_TRUST_KEY
                                                        : culprit ? BT_CHECKPOINT_TRUST_SIGNATURE
                                                                  : BT_TRUSTED,
                                               .culprit = culprit};
    return BT_OK;
}

void bt_cosignature_put_signed(struct bt_buf *buf, bt_str text, uint64_t time)
{
    bt_buf_printf(buf, "cosignature/v1\ntime %" PRIu64 "\n", time);
    bt_buf_put(buf, text);
}

static uint64_t get_u64(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < 8; i++) {
        number = number << 8 | bytes[i];
    }
    return number;
}

enum bt_status bt_cosignature_judge(const struct bt_checkpoint *checkpoint,
                                    const struct bt_note_signature *line,
                                    const struct bt_vkey *witness,
                                    struct bt_checkpoint_cosigner *out)
{
    assert(checkpoint);
    assert(line);
    assert(witness);
    uint8_t bytes[BT_KEY_ID_BYTES + BT_COSIGNATURE_BYTES];
    if (!is_by(line, witness)) {
        return BT_ENOENT;
    }
    struct bt_checkpoint_cosigner cosigned = {.witness = witness};
    const bool has_size = bt_base64_decoded_size(line->encoded) == sizeof(bytes);
    if (has_size) {
        bt_base64_decode(line->encoded, bytes);
        cosigned.time = get_u64(bytes + BT_KEY_ID_BYTES);
    }
    if (has_size && cosigned.time <= BT_INSTANT_SECONDS_MAX) { /* later ones cannot be written */
        struct bt_buf message;
        bt_buf_init(&message, (size_t)2 * BT_NOTE_BYTES_MAX);
        bt_cosignature_put_signed(&message, checkpoint->text, cosigned.time);
        enum bt_status status = message.status;
        if (status == BT_OK) {
            status = bt_vkey_verify(witness, bt_buf_str(&message), bytes + BT_KEY_ID_BYTES + 8,
                                    &cosigned.valid);
        }
        bt_buf_free(&message);
        BT_TRY(status);
    }
    *out = cosigned;
    return BT_OK;
}

void bt_checkpoint_put_text(struct bt_buf *buf, bt_str origin, uint64_t size,
                            const struct bt_merkle_hash *root)
{
    assert(buf);
    assert(root);
    bt_buf_put(buf, origin);
    bt_buf_printf(buf, "\n%" PRIu64 "\n", size);
    bt_base64_put(buf, (bt_str){(const char *)root->bytes, BT_HASH_BYTES});
    bt_buf_put_char(buf, '\n');
}
