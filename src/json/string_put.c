/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string_put.c - strings as JSON writes them.
 *
 * Only what must be escaped is: the quote, the backslash and U+0000 to U+001F, and surrogates that
 * stand alone, which have no UTF-8. Everything between two escapes is copied at once.
 */
#include "json/string_put.h"

#include <assert.h>
#include <string.h>

#include <baton/json.h>

#include "base/buf.h"

static bool must_escape(unsigned char byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

/* Whether one of eight bytes must be escaped: each test leaves the high bit of the first such byte
 * set, and no bit when there is none. */
static bool must_escape_any(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t quote = word ^ ones * '"';
    const uint64_t backslash = word ^ ones * '\\';
    const uint64_t found = ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) |
                           ((backslash - ones) & ~backslash);
    return (found & ones * 0x80) != 0;
}

/* The offset of the first byte at or after `from` that must be escaped, or text.len. */
static size_t find_escape(bt_str text, size_t from)
{
    size_t i = from;
    for (uint64_t word = 0; text.len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, text.ptr + i, sizeof(word));
        if (must_escape_any(word)) {
            break;
        }
    }
    while (i < text.len && !must_escape((unsigned char)text.ptr[i])) {
        i++;
    }
    return i;
}

static void put_unit(struct bt_buf *buf, unsigned unit)
{
    static const char hex[] = "0123456789abcdef";
    const char escape[] = {
        '\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    bt_buf_put(buf, (bt_str){escape, sizeof(escape)});
}

static void put_escape(struct bt_buf *buf, unsigned char byte)
{
    static const char letters[] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
    };
    assert(byte < sizeof(letters));
    if (letters[byte] == '\0') {
        put_unit(buf, byte);
        return;
    }
    const char escape[] = {'\\', letters[byte]};
    bt_buf_put(buf, (bt_str){escape, sizeof(escape)});
}

void bt_json_put_escaped_utf8(struct bt_buf *buf, bt_str text)
{
    size_t done = 0;
    for (;;) {
        const size_t next = find_escape(text, done);
        bt_buf_put(buf, bt_str_slice(text, done, next));
        if (next == text.len) {
            return;
        }
        put_escape(buf, (unsigned char)text.ptr[next]);
        done = next + 1;
    }
}

/* The surrogate written in the three bytes at `from`, or 0. */
static unsigned surrogate_at(bt_str text, size_t from)
{
    const unsigned char *bytes = (const unsigned char *)text.ptr + from;
    if (text.len - from < 3 || bytes[0] != 0xed || bytes[1] < 0xa0 || bytes[1] > 0xbf ||
        (bytes[2] & 0xc0) != 0x80) {
        return 0;
    }
    return 0xd000U | (bytes[1] & 0x3fU) << 6 | (bytes[2] & 0x3fU);
}

/* Text that is not UTF-8 throughout, a short run at a time: a check may look at all it is given
 * before it names the first bad byte, so giving it the whole rest every time would be quadratic. */
static void put_sanitized(struct bt_buf *buf, bt_str text)
{
    enum { RUN_BYTES = 32 };
    size_t i = 0;
    while (i < text.len) {
        const bt_str run = bt_str_slice(text, i, i + RUN_BYTES);
        const size_t good = bt_utf8_check(run);
        const unsigned surrogate = good > 0 ? 0 : surrogate_at(text, i);
        if (good > 0) {
            bt_json_put_escaped_utf8(buf, bt_str_slice(run, 0, good));
            i += good;
        } else if (surrogate != 0) {
            put_unit(buf, surrogate);
            i += 3;
        } else {
            bt_buf_put(buf, BT_STR("\xef\xbf\xbd"));
            i++;
        }
    }
}

void bt_json_put_escaped(struct bt_buf *buf, bt_str text)
{
    if (bt_utf8_check(text) == text.len) {
        bt_json_put_escaped_utf8(buf, text);
    } else {
        put_sanitized(buf, text);
    }
}

/* The bytes of a text of 1 to 7, some of them twice, in one word. */
static uint64_t load_few(bt_str text)
{
    if (text.len >= 4) {
        uint32_t ends[2];
        memcpy(&ends[0], text.ptr, sizeof(ends[0]));
        memcpy(&ends[1], text.ptr + text.len - sizeof(ends[1]), sizeof(ends[1]));
        return (uint64_t)ends[0] << 32 | ends[1];
    }
    const uint64_t first = (unsigned char)text.ptr[0];
    const uint64_t middle = (unsigned char)text.ptr[text.len / 2];
    const uint64_t last = (unsigned char)text.ptr[text.len - 1];
    return UINT64_C(0x0101010101) * first << 24 | middle << 16 | last << 8 | last;
}

static bool is_plain_word(uint64_t word)
{
    return (word & UINT64_C(0x8080808080808080)) == 0 && !must_escape_any(word);
}

typedef signed char string_block __attribute__((vector_size(16)));

static string_block load_block(const char *bytes)
{
    string_block block;
    memcpy(&block, bytes, sizeof(block));
    return block;
}

/* The number of items of a comparison that were true. */
static unsigned count_found(string_block found)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t words[2];
    memcpy(words, &found, sizeof(words));
    return (unsigned)(((words[0] & ones) + (words[1] & ones)) * ones >> 56);
}

static bool is_none_found(string_block found)
{
    uint64_t words[2];
    memcpy(words, &found, sizeof(words));
    return (words[0] | words[1]) == 0;
}

/* Bytes above 0x7f are negative. */
static bool is_plain_block(string_block block)
{
    return is_none_found((block < ' ') | (block == '"') | (block == '\\'));
}

size_t bt_json_string_count_escapes(bt_str text)
{
    size_t added = 0;
    size_t i = 0;
    while (i < text.len) {
        if (text.len - i >= sizeof(string_block)) {
            const string_block block = load_block(text.ptr + i);
            if (is_none_found((block >= 0) & (block < ' '))) {
                added += count_found((block == '"') | (block == '\\'));
                i += sizeof(block);
                continue;
            }
        }
        const unsigned char byte = (unsigned char)text.ptr[i++];
        if (byte < ' ') {
            added += byte >= '\b' && byte <= '\r' && byte != '\v' ? 1 : 5;
        } else {
            added += byte == '"' || byte == '\\';
        }
    }
    return added;
}

bool bt_json_string_needs_no_escape(bt_str text)
{
    uint64_t ends[2];
    if (text.len < sizeof(ends[0])) {
        return text.len == 0 || is_plain_word(load_few(text));
    }
    if (text.len < sizeof(string_block)) {
        memcpy(&ends[0], text.ptr, sizeof(ends[0]));
        memcpy(&ends[1], text.ptr + text.len - sizeof(ends[1]), sizeof(ends[1]));
        return is_plain_word(ends[0]) && is_plain_word(ends[1]);
    }
    for (size_t i = 0; text.len - i > sizeof(string_block); i += sizeof(string_block)) {
        if (!is_plain_block(load_block(text.ptr + i))) {
            return false;
        }
    }
    return is_plain_block(load_block(text.ptr + text.len - sizeof(string_block)));
}

void bt_json_put_string(struct bt_buf *buf, bt_str text)
{
    char *room = text.len > 0 && bt_json_string_needs_no_escape(text)
                     ? bt_buf_reserve(buf, text.len + 2)
                     : NULL;
    if (room) {
        room[0] = '"';
        memcpy(room + 1, text.ptr, text.len);
        room[text.len + 1] = '"';
        buf->len += text.len + 2;
        return;
    }
    bt_buf_put_char(buf, '"');
    bt_json_put_escaped(buf, text);
    bt_buf_put_char(buf, '"');
}
