/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leaf_format.c - `format`, and the content keywords of draft 7.
 */
#include "schema/leaf.h"

#include "json/options.h"
#include "schema/format.h"

enum bt_schema_result bt_schema_leaf_format(struct bt_schema_machine *run,
                                            const struct bt_schema_format *format, bt_str text)
{
    if (!bt_schema_run_charge(run, 1 + text.len / 8)) {
        return BT_SCHEMA_UNDECIDED;
    }
    switch (bt_schema_format_check(format, text)) {
    case BT_SCHEMA_FORMAT_YES:
        return BT_SCHEMA_VALID;
    case BT_SCHEMA_FORMAT_NO:
        return BT_SCHEMA_INVALID;
    case BT_SCHEMA_FORMAT_LIMIT:
        break;
    }
    return bt_run_stop(run, BT_SCHEMA_LIMIT_WORK);
}

static int base64_value(char byte)
{
    if (byte >= 'A' && byte <= 'Z') {
        return byte - 'A';
    }
    if (byte >= 'a' && byte <= 'z') {
        return byte - 'a' + 26;
    }
    if (byte >= '0' && byte <= '9') {
        return byte - '0' + 52;
    }
    return byte == '+' ? 62 : byte == '/' ? 63 : -1;
}

/* RFC 4648 section 4, padded. Returns the decoded length, or SIZE_MAX when the text is none. */
static size_t decode_base64(bt_str text, char *out)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i += 4) {
        const bool is_last = text.len - i == 4;
        const size_t pads = (is_last && text.ptr[i + 3] == '=') +
                            (size_t)(is_last && text.ptr[i + 3] == '=' && text.ptr[i + 2] == '=');
        uint32_t group = 0;
        for (size_t k = 0; k < 4; k++) {
            const int value = k < 4 - pads ? base64_value(text.ptr[i + k]) : 0;
            if (value < 0) {
                return SIZE_MAX;
            }
            group = group << 6 | (uint32_t)value;
        }
        for (size_t k = 0; k < 3 - pads; k++) {
            out[len++] = (char)(group >> (16 - 8 * k));
        }
    }
    return len;
}

static enum bt_schema_result check_content(struct bt_schema_machine *run, unsigned content,
                                           bt_str text)
{
    if ((content & BT_SCHEMA_CONTENT_BASE64) != 0) {
        char *bytes = text.len % 4 == 0 ? bt_arena_alloc(&run->scratch, text.len + 1) : NULL;
        if (!bytes) {
            return text.len % 4 == 0 ? bt_schema_run_out_of_memory(run) : BT_SCHEMA_INVALID;
        }
        const size_t len = decode_base64(text, bytes);
        if (len == SIZE_MAX) {
            return BT_SCHEMA_INVALID;
        }
        text = (bt_str){bytes, len};
    }
    if ((content & BT_SCHEMA_CONTENT_JSON) == 0) {
        return BT_SCHEMA_VALID;
    }
    struct bt_json_options options = bt_json_options_default();
    options.depth_max = 1000;
    struct bt_json_read_result result = {0};
    /* from: caller */
    if (bt_json_read(&run->scratch, text, &options, &result) != BT_OK) {
        return bt_schema_run_out_of_memory(run);
    }
    return result.document ? BT_SCHEMA_VALID : BT_SCHEMA_INVALID;
}

enum bt_schema_result bt_schema_leaf_content(struct bt_schema_machine *run, unsigned content,
                                             bt_str text)
{
    if (!bt_schema_run_charge(run, 1 + text.len / 8)) {
        return BT_SCHEMA_UNDECIDED;
    }
    const struct bt_arena_mark mark = bt_arena_mark(&run->scratch);
    const enum bt_schema_result answer = check_content(run, content, text);
    bt_arena_rewind(&run->scratch, mark);
    return answer;
}
