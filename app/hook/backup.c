/* SPDX-License-Identifier: Apache-2.0 */
/* backup.c - write and read backups: the bytes of the settings are base64 (RFC 4648) in JSON. */
#include "backup.h"

#include <string.h>

#include "json/emit.h"
#include "json/options.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- Base 64 --------------------------------------------------------------------------------- */

static void put_base64(struct bt_buf *buf, bt_str bytes)
{
    for (size_t i = 0; i < bytes.len; i += 3) {
        const size_t left = bytes.len - i;
        uint32_t group = (uint32_t)(unsigned char)bytes.ptr[i] << 16;
        group |= left > 1 ? (uint32_t)(unsigned char)bytes.ptr[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)(unsigned char)bytes.ptr[i + 2] : 0;
        bt_buf_put_char(buf, digits[group >> 18]);
        bt_buf_put_char(buf, digits[group >> 12 & 63]);
        bt_buf_put_char(buf, left > 1 ? digits[group >> 6 & 63] : '=');
        bt_buf_put_char(buf, left > 2 ? digits[group & 63] : '=');
    }
}

static enum bt_status read_base64(struct bt_arena *arena, bt_str text, bt_str *out)
{
    char *made = bt_arena_alloc(arena, text.len / 4 * 3 + 1);
    size_t size = 0;
    if (!made) {
        return BT_ENOMEM;
    }
    if (text.len % 4 != 0) {
        return BT_EINVAL;
    }
    for (size_t i = 0; i < text.len; i += 4) {
        const bool is_last = i + 4 == text.len;
        size_t padding = 0;
        uint32_t group = 0;
        for (size_t j = 0; j < 4; j++) {
            const char byte = text.ptr[i + j];
            const char *digit = byte != '\0' ? strchr(digits, byte) : NULL;
            padding += is_last && j > 1 && byte == '=';
            if (padding > 0 ? byte != '=' : !digit) {
                return BT_EINVAL;
            }
            group = group << 6 | (digit ? (uint32_t)(digit - digits) : 0);
        }
        for (size_t j = 0; j < 3 - padding; j++) {
            made[size++] = (char)(unsigned char)(group >> (16 - 8 * j) & 0xff);
        }
    }
    *out = (bt_str){made, size};
    return BT_OK;
}

/* ---- The object ------------------------------------------------------------------------------ */

void hook_backup_put(struct bt_buf *buf, const struct hook_backup *backup)
{
    struct bt_emit emit;
    struct bt_buf bytes;
    bt_buf_init(&bytes, buf->max);
    put_base64(&bytes, backup->bytes);
    bt_emit_init(&emit, buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_u64(&emit, "baton", 1);
    bt_emit_member_string(&emit, "host", backup->host);
    bt_emit_member_string(&emit, "path", backup->path);
    bt_emit_name(&emit, "existed");
    bt_emit_bool(&emit, backup->existed);
    bt_emit_member_string(&emit, "bytes", bt_buf_str(&bytes));
    bt_emit_member_string(&emit, "sha256_after", backup->sha256_after);
    if (backup->skill_sha256.len > 0) {
        bt_emit_member_string(&emit, "skill_sha256", backup->skill_sha256);
    }
    bt_emit_end(&emit);
    bt_buf_put_char(buf, '\n');
    buf->status = buf->status == BT_OK ? bytes.status : buf->status;
    bt_buf_free(&bytes);
}

static bool take_text(const struct bt_json_doc *document, const char *name, bt_str *out)
{
    const bt_json_value *value = bt_json_get(document, bt_json_root(document), bt_str_of(name));
    if (!value || bt_json_type(value) != BT_JSON_STRING) {
        return false;
    }
    *out = bt_json_text(value);
    return true;
}

enum bt_status hook_backup_read(struct bt_arena *arena, bt_str text, struct hook_backup *out)
{
    struct bt_json_options options = bt_json_options_default();
    struct bt_json_read_result read = {0};
    struct hook_backup backup = {.skill_sha256 = BT_STR("")};
    bt_str bytes;
    options.document_bytes_max = text.len + 1;
    options.string_bytes_max = text.len + 1;
    /* from: file */
    BT_TRY(bt_json_read(arena, text, &options, &read));
    if (!read.document) {
        return BT_EINVAL;
    }
    const bt_json_value *existed =
        bt_json_get(read.document, bt_json_root(read.document), BT_STR("existed"));
    if (!take_text(read.document, "host", &backup.host) ||
        !take_text(read.document, "path", &backup.path) ||
        !take_text(read.document, "bytes", &bytes) ||
        !take_text(read.document, "sha256_after", &backup.sha256_after) || !existed ||
        (bt_json_type(existed) != BT_JSON_TRUE && bt_json_type(existed) != BT_JSON_FALSE)) {
        return BT_EINVAL;
    }
    backup.existed = bt_json_type(existed) == BT_JSON_TRUE;
    (void)take_text(read.document, "skill_sha256", &backup.skill_sha256); /* it may be absent */
    BT_TRY(read_base64(arena, bytes, &backup.bytes));
    *out = backup;
    return BT_OK;
}
