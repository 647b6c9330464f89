/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_punycode.c - Punycode, the ASCII form of labels (RFC 3492).
 */
#include <assert.h>
#include <string.h>

#include "schema/format_idna.h"

/* Section 5. */
enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    BIAS_FIRST = 72,
    POINT_FIRST = 0x80
};

/* A delta beyond this leads out of Unicode, whatever the label. */
#define DELTA_MAX (UINT64_C(0x110000) * (BT_LABEL_POINTS_MAX + 1))

static uint64_t get_threshold(uint64_t k, uint64_t bias)
{
    if (k <= bias + T_MIN) {
        return T_MIN;
    }
    return k >= bias + T_MAX ? T_MAX : k - bias;
}

static uint64_t adapt_bias(uint64_t delta, uint64_t count, bool is_first)
{
    delta /= is_first ? DAMP : 2;
    delta += delta / count;
    uint64_t k = 0;
    while (delta > (BASE - T_MIN) * T_MAX / 2) {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

/* The value of a digit, or BASE. */
static uint64_t digit_of(char c)
{
    if (c >= 'a' && c <= 'z') {
        return (uint64_t)(c - 'a');
    }
    return c >= '0' && c <= '9' ? (uint64_t)(c - '0') + 26 : BASE;
}

/* Read one number of variable length and add it to *delta. */
static bool read_delta(bt_str text, size_t *at, uint64_t bias, uint64_t *delta)
{
    uint64_t weight = 1;
    for (uint64_t k = BASE;; k += BASE) {
        if (*at == text.len) {
            return false;
        }
        const uint64_t digit = digit_of(text.ptr[(*at)++]);
        const uint64_t t = get_threshold(k, bias);
        /* Neither product overflows: a number that goes on has grown by its weight at least. */
        *delta += digit * weight;
        if (digit == BASE || *delta > DELTA_MAX) {
            return false;
        }
        if (digit < t) {
            return true;
        }
        weight *= BASE - t;
    }
}

static void insert_point(struct bt_schema_label *label, size_t at, uint32_t point)
{
    memmove(&label->points[at + 1], &label->points[at],
            (label->count - at) * sizeof(label->points[0]));
    label->points[at] = point;
    label->count++;
}

bool bt_punycode_decode(bt_str text, struct bt_schema_label *out)
{
    if (text.len > BT_LABEL_BYTES_MAX) {
        return false;
    }
    size_t basic = text.len; /* up to the last hyphen stand the characters that are ASCII */
    while (basic > 0 && text.ptr[basic - 1] != '-') {
        basic--;
    }
    size_t at = basic;
    out->count = 0;
    for (size_t i = 0; i + 1 < basic; i++) {
        out->points[out->count++] = (unsigned char)text.ptr[i];
    }
    uint64_t point = POINT_FIRST;
    uint64_t bias = BIAS_FIRST;
    uint64_t place = 0;
    while (at < text.len) {
        const uint64_t before = place;
        if (!read_delta(text, &at, bias, &place)) {
            return false;
        }
        const uint64_t count = out->count + 1;
        bias = adapt_bias(place - before, count, before == 0);
        point += place / count;
        place %= count;
        if (point > 0x10ffff) {
            return false;
        }
        insert_point(out, place, (uint32_t)point);
        place++;
    }
    return true;
}

/* What is being written. */
struct schema_format_punycode_sink {
    char *out;
    size_t size;
    size_t max;
};

static bool put_char(struct schema_format_punycode_sink *sink, char c)
{
    if (sink->size == sink->max) {
        return false;
    }
    sink->out[sink->size++] = c;
    return true;
}

static bool put_delta(struct schema_format_punycode_sink *sink, uint64_t delta, uint64_t bias)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (uint64_t k = BASE;; k += BASE) {
        const uint64_t t = get_threshold(k, bias);
        if (delta < t) {
            return put_char(sink, digits[delta]);
        }
        if (!put_char(sink, digits[t + (delta - t) % (BASE - t)])) {
            return false;
        }
        delta = (delta - t) / (BASE - t);
    }
}

/* The smallest character that is at least `from`, of which there must be one. */
static uint32_t smallest_from(const struct bt_schema_label *label, uint32_t from)
{
    uint32_t smallest = UINT32_MAX;
    for (size_t i = 0; i < label->count; i++) {
        if (label->points[i] >= from && label->points[i] < smallest) {
            smallest = label->points[i];
        }
    }
    assert(smallest != UINT32_MAX);
    return smallest;
}

bool bt_punycode_encode(const struct bt_schema_label *label, char *out, size_t max,
                        size_t *out_size)
{
    struct schema_format_punycode_sink sink = {out, 0, max};
    for (size_t i = 0; i < label->count; i++) {
        if (label->points[i] < POINT_FIRST && !put_char(&sink, (char)label->points[i])) {
            return false;
        }
    }
    const size_t basic = sink.size;
    size_t done = basic;
    if (basic > 0 && !put_char(&sink, '-')) {
        return false;
    }
    uint64_t delta = 0;
    uint64_t bias = BIAS_FIRST;
    for (uint32_t from = POINT_FIRST; done < label->count;) {
        const uint32_t point = smallest_from(label, from);
        delta += (uint64_t)(point - from) * (done + 1);
        for (size_t i = 0; i < label->count; i++) {
            delta += label->points[i] < point;
            if (label->points[i] != point) {
                continue;
            }
            if (!put_delta(&sink, delta, bias)) {
                return false;
            }
            bias = adapt_bias(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
        delta++;
        from = point + 1;
    }
    *out_size = sink.size;
    return true;
}
