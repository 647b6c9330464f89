/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - where a request stands in a trace: traceparent in, a span of our own.
 */
#include <string.h>

#include "gateway/gateway.h"

enum { PARENT_BYTES = 55, STATE_BYTES_MAX = 512 };

static bool is_hex(bt_str text)
{
    bool has_other = false;
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];
        if (!((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f'))) {
            return false;
        }
        has_other = has_other || byte != '0';
    }
    return has_other;
}

static void put_hex(const uint8_t *bytes, size_t count, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static unsigned nibble(char digit)
{
    return (unsigned)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

/* Take a parent that is well-formed (W3C Trace Context section 3.2); version ff is none, and a
 * later version may have more behind a dash. */
static bool take_parent(bt_str value, struct exchange_trace *out)
{
    const bt_str version = bt_str_slice(value, 0, 2);
    const bt_str flags = bt_str_slice(value, 53, 55);
    const bool is_plain = bt_str_eq(version, BT_STR("00"));
    if (value.len < PARENT_BYTES || (is_plain && value.len != PARENT_BYTES) ||
        (value.len > PARENT_BYTES && value.ptr[PARENT_BYTES] != '-') || value.ptr[2] != '-' ||
        value.ptr[35] != '-' || value.ptr[52] != '-' || !(is_plain || is_hex(version)) ||
        bt_str_eq(version, BT_STR("ff")) || !is_hex(bt_str_slice(value, 3, 35)) ||
        !is_hex(bt_str_slice(value, 36, 52)) ||
        !(bt_str_eq(flags, BT_STR("00")) || is_hex(flags))) {
        return false;
    }
    memcpy(out->trace_id, value.ptr + 3, 32);
    memcpy(out->parent_id, value.ptr + 36, 16);
    out->flags = (nibble(flags.ptr[0]) << 4 | nibble(flags.ptr[1])) & 1;
    return true;
}

bool trace_begin(struct bt_env *env, const struct http_request *request, struct exchange_trace *out)
{
    uint8_t bytes[32];
    *out = (struct exchange_trace){.state = BT_STR("")};
    if (bt_env_id_bytes(env, bytes) != BT_OK) {
        return false;
    }
    bytes[0] |= 1; /* neither id is all zeros */
    bytes[16] |= 1;
    put_hex(bytes + 16, 8, out->span_id);
    if (http_field_count(request, "traceparent") == 1 &&
        take_parent(http_field_text(request, "traceparent"), out)) {
        const bt_str state = http_field_text(request, "tracestate");
        out->state = state.len <= STATE_BYTES_MAX ? state : BT_STR("");
        return true;
    }
    out->flags = 1;
    put_hex(bytes, 16, out->trace_id);
    return true;
}
