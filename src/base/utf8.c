/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.c - UTF-8 checked, counted, decoded and encoded (RFC 3629).
 *
 * The check runs 32 bytes at a time where the processor has AVX2: three table look-ups on the
 * nibbles of each pair of neighbours classify every two-byte mistake at once (the method of Keiser
 * and Lemire). It only says yes or no; the exact place of a mistake is found by the scalar walk.
 */
#include <baton/base.h>

#include <assert.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#include "base/cpu.h"
#include "base/str.h"
#endif

/* The length of the well-formed sequence at `bytes`, or 0. `left` bytes may be read. */
static size_t sequence_length(const unsigned char *bytes, size_t left)
{
    const unsigned char lead = bytes[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xc2 || lead > 0xf4) {
        return 0;
    }
    const size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (left < length) {
        return 0;
    }
    /* Only the second byte has bounds of its own: no overlong form, no surrogate, no U+110000. */
    const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (bytes[1] < low || bytes[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

static size_t check_scalar(bt_str text)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr;
    size_t i = 0;
    while (i < text.len) {
        if (text.len - i >= 8) {
            uint64_t word = 0;
            memcpy(&word, bytes + i, 8);
            if ((word & UINT64_C(0x8080808080808080)) == 0) {
                i += 8;
                continue;
            }
        }
        const size_t length = sequence_length(bytes + i, text.len - i);
        if (length == 0) {
            return i;
        }
        i += length;
    }
    return text.len;
}

#if defined(__x86_64__)

/* What can be wrong with two neighbouring bytes; a bit each. */
enum {
    TOO_SHORT = 1 << 0,  /* a lead byte without its continuation */
    TOO_LONG = 1 << 1,   /* a continuation after an ASCII byte */
    OVERLONG_3 = 1 << 2, /* E0 80..9F */
    TOO_LARGE = 1 << 3,  /* F4 90..BF and above */
    SURROGATE = 1 << 4,  /* ED A0..BF */
    OVERLONG_2 = 1 << 5, /* C0 and C1 */
    BEYOND = 1 << 6,     /* F5.. 80..8F, and overlong F0 80..8F */
    TWO_CONTS = 1 << 7,  /* two continuations; right only inside longer sequences */
    ANY_LOW = TOO_SHORT | TOO_LONG | TWO_CONTS,
};

struct base_utf8_tables {
    __m256i first_high;
    __m256i first_low;
    __m256i second_high;
};

__attribute__((target("avx2"))) static __m256i both_halves(const uint8_t table[16])
{
    __m128i half;
    memcpy(&half, table, 16);
    return _mm256_broadcastsi128_si256(half);
}

__attribute__((target("avx2"))) static struct base_utf8_tables load_tables(void)
{
    static const uint8_t first_high[16] = {
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TOO_LONG,
        TWO_CONTS,
        TWO_CONTS,
        TWO_CONTS,
        TWO_CONTS,
        TOO_SHORT | OVERLONG_2,
        TOO_SHORT,
        TOO_SHORT | OVERLONG_3 | SURROGATE,
        TOO_SHORT | TOO_LARGE | BEYOND,
    };
    static const uint8_t first_low[16] = {
        ANY_LOW | OVERLONG_3 | OVERLONG_2 | BEYOND,
        ANY_LOW | OVERLONG_2,
        ANY_LOW,
        ANY_LOW,
        ANY_LOW | TOO_LARGE,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND | SURROGATE,
        ANY_LOW | TOO_LARGE | BEYOND,
        ANY_LOW | TOO_LARGE | BEYOND,
    };
    static const uint8_t second_high[16] = {
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_LONG | OVERLONG_2 | TWO_CONTS | OVERLONG_3 | BEYOND,
        TOO_LONG | OVERLONG_2 | TWO_CONTS | OVERLONG_3 | TOO_LARGE,
        TOO_LONG | OVERLONG_2 | TWO_CONTS | SURROGATE | TOO_LARGE,
        TOO_LONG | OVERLONG_2 | TWO_CONTS | SURROGATE | TOO_LARGE,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
        TOO_SHORT,
    };
    return (struct base_utf8_tables){both_halves(first_high), both_halves(first_low),
                                     both_halves(second_high)};
}

/* Nonzero bytes where `now`, preceded by `before`, is not well-formed. */
__attribute__((target("avx2"))) static __m256i block_errors(const struct base_utf8_tables *tables,
                                                            __m256i before, __m256i now)
{
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    const __m256i joined = _mm256_permute2x128_si256(before, now, 0x21);
    const __m256i back1 = _mm256_alignr_epi8(now, joined, 15);
    const __m256i back2 = _mm256_alignr_epi8(now, joined, 14);
    const __m256i back3 = _mm256_alignr_epi8(now, joined, 13);
    const __m256i pair = _mm256_and_si256(
        _mm256_and_si256(_mm256_shuffle_epi8(tables->first_high,
                                             _mm256_and_si256(_mm256_srli_epi16(back1, 4), nibble)),
                         _mm256_shuffle_epi8(tables->first_low, _mm256_and_si256(back1, nibble))),
        _mm256_shuffle_epi8(tables->second_high,
                            _mm256_and_si256(_mm256_srli_epi16(now, 4), nibble)));
    /* Two continuations in a row are right where a lead of three or four bytes came before. */
    const __m256i third = _mm256_subs_epu8(back2, _mm256_set1_epi8((char)(0xe0 - 0x80)));
    const __m256i fourth = _mm256_subs_epu8(back3, _mm256_set1_epi8((char)(0xf0 - 0x80)));
    const __m256i wanted =
        _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(pair, wanted);
}

__attribute__((target("avx2"))) static bool is_valid_avx2(bt_str text)
{
    const struct base_utf8_tables tables = load_tables();
    __m256i before = _mm256_setzero_si256();
    __m256i errors = _mm256_setzero_si256();
    size_t i = 0;
    for (; text.len - i >= 32; i += 32) {
        /* Plain text is passed by. A sequence that is cut before it would show in its first bytes,
         * so the bytes before must be plain too. */
        while (text.len - i >= 96) {
            const __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)(text.ptr + i));
            const __m256i second =
                _mm256_loadu_si256((const __m256i *)(const void *)(text.ptr + i + 32));
            const __m256i all = _mm256_or_si256(_mm256_or_si256(first, second), before);
            if (_mm256_movemask_epi8(all) != 0) {
                break;
            }
            before = second;
            i += 64;
        }
        const __m256i now = _mm256_loadu_si256((const __m256i *)(const void *)(text.ptr + i));
        errors = _mm256_or_si256(errors, block_errors(&tables, before, now));
        before = now;
    }
    /* The rest, followed by zero bytes, so that a sequence cut at the end shows as too short. */
    char rest[32] = {0};
    memcpy(rest, text.ptr + i, text.len - i);
    const __m256i last = _mm256_loadu_si256((const __m256i *)(const void *)rest);
    errors = _mm256_or_si256(errors, block_errors(&tables, before, last));
    return _mm256_testz_si256(errors, errors) != 0;
}

#endif

size_t bt_utf8_check(bt_str text)
{
#if defined(__x86_64__)
    if (text.len >= 64 && BT_CPU_HAS(AVX2, "avx2") && is_valid_avx2(text)) {
        return text.len;
    }
#endif
    return check_scalar(text);
}

size_t bt_utf8_count(bt_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    }
    return count;
}

size_t bt_utf8_decode(bt_str text, size_t from, uint32_t *out_code_point)
{
    assert(from < text.len);
    assert(out_code_point);
    const unsigned char *bytes = (const unsigned char *)text.ptr + from;
    const unsigned char lead = bytes[0];
    const size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    assert(length <= text.len - from);
    static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code_point = lead & lead_bits[length];
    for (size_t i = 1; i < length; i++) {
        code_point = code_point << 6 | (bytes[i] & 0x3fU);
    }
    *out_code_point = code_point;
    return length;
}

size_t bt_utf8_encode(uint32_t code_point, char out[4])
{
    assert(code_point <= 0x10ffff);
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)(leads[length] | code_point);
    return length;
}
