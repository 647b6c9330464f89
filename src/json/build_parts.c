/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_parts.c - the slow paths of the second stage: strings with escapes, numbers with fractions,
 * and errors, each reported at the byte where reading stopped.
 */
#include "json/build.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "json/digits.h"
#include "json/double.h"

bool bt_json_build_fail(struct bt_json_build *build, enum bt_json_error code, size_t offset,
                        const char *detail)
{
    build->failure.code = code;
    build->failure.offset = offset;
    build->failure.detail = detail;
    return false;
}

static bool fail_syntax(struct bt_json_build *build, size_t offset, const char *detail)
{
    return bt_json_build_fail(build, BT_JSON_ERROR_SYNTAX, offset, detail);
}

/* A string on its way from the source to the document. */
struct json_build_parts_unescape {
    struct bt_json_build *build;
    size_t at;  /* offset in the source */
    size_t end; /* offset of the closing quote, or of the source's end */
    char *out;
    uint8_t flags;
};

/* Four hexadecimal digits at `at`. On failure sets *out_bad to the offset of the first byte that is
 * none. */
static bool hex_four(const struct json_build_parts_unescape *text, size_t at, uint32_t *out,
                     size_t *out_bad)
{
    uint32_t number = 0;
    for (size_t i = 0; i < 4; i++) {
        const int digit =
            at + i < text->end ? bt_ascii_hex_value(text->build->source.ptr[at + i]) : -1;
        if (digit < 0) {
            *out_bad = at + i;
            return false;
        }
        number = number * 16 + (uint32_t)digit;
    }
    *out = number;
    return true;
}

/* A \u escape whose digits begin at text->at; joins the two halves of a surrogate pair. */
static bool unescape_unicode(struct json_build_parts_unescape *text)
{
    uint32_t code = 0;
    size_t bad = 0;
    if (!hex_four(text, text->at, &code, &bad)) {
        return fail_syntax(text->build, bad, "expected four hexadecimal digits after \\u");
    }
    text->at += 4;
    const char *source = text->build->source.ptr;
    uint32_t low = 0;
    if (code >= 0xd800 && code <= 0xdbff && text->end - text->at >= 6 && source[text->at] == '\\' &&
        source[text->at + 1] == 'u' && hex_four(text, text->at + 2, &low, &bad) && low >= 0xdc00 &&
        low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        text->at += 6;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
        text->flags |= BT_JSON_FLAG_LONE_SURROGATE;
        text->build->document->has_lone = true;
    }
    text->flags |= code > 0x7f ? BT_JSON_FLAG_NON_ASCII : 0;
    text->out += bt_utf8_encode(code, text->out);
    return true;
}

/* The escape whose backslash stands at text->at. */
static bool unescape_one(struct json_build_parts_unescape *text)
{
    static const char plain[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    text->at++;
    if (text->at >= text->end) {
        return fail_syntax(text->build, text->end, "the string does not end");
    }
    const unsigned char byte = (unsigned char)text->build->source.ptr[text->at];
    if (byte == 'u') {
        text->at++;
        return unescape_unicode(text);
    }
    if (plain[byte] == 0) {
        return fail_syntax(text->build, text->at, "no such escape");
    }
    *text->out++ = plain[byte];
    text->at++;
    return true;
}

/* The next backslash or control character at or after text->at: the index knows. */
static size_t next_odd(const struct json_build_parts_unescape *text)
{
    const uint64_t *odd = text->build->index->odd;
    const size_t last = text->end / 64;
    size_t word = text->at / 64;
    uint64_t bits = odd[word] & (~UINT64_C(0) << (text->at % 64));
    while (bits == 0 && word < last) {
        bits = odd[++word];
    }
    const size_t found = bits != 0 ? word * 64 + (size_t)__builtin_ctzll(bits) : text->end;
    return found < text->end ? found : text->end;
}

/* Copy a run of plain text, 16 bytes at a time where source and document have the room. */
static void copy_run(struct json_build_parts_unescape *text, size_t end)
{
    const bt_str source = text->build->source;
    const char *from = source.ptr + text->at;
    const size_t size = end - text->at;
    if (source.len - text->at >= size + 16) {
        for (size_t i = 0; i < size; i += 16) {
            memcpy(text->out + i, from + i, 16);
        }
    } else {
        memcpy(text->out, from, size);
    }
    text->out += size;
    text->at = end;
}

static bool unescape_all(struct json_build_parts_unescape *text)
{
    for (;;) {
        copy_run(text, next_odd(text));
        if (text->at >= text->end) {
            break;
        }
        if (text->build->source.ptr[text->at] != '\\') {
            return fail_syntax(text->build, text->at, "control characters must be escaped");
        }
        if (!unescape_one(text)) {
            return false;
        }
    }
    return text->end < text->build->source.len ||
           fail_syntax(text->build, text->end, "the string does not end");
}

bool bt_json_build_string(struct bt_json_build *build, size_t begin, size_t end, bt_json_value *out)
{
    if (end - begin - 1 > build->options->string_bytes_max) {
        build->failure.limit = build->options->string_bytes_max;
        build->failure.limit_name = "string_bytes";
        return bt_json_build_fail(build, BT_JSON_ERROR_TOO_LARGE, begin, "the string is too long");
    }
    const struct bt_json_header header = {.begin = (uint32_t)begin, .end = (uint32_t)end + 1};
    char *first = build->out + sizeof(header);
    struct json_build_parts_unescape text = {
        .build = build, .at = begin + 1, .end = end, .out = first};
    text.flags = bt_json_has_long_name(build->index, begin, end) ? BT_JSON_FLAG_NON_ASCII : 0;
    if (!unescape_all(&text)) {
        return false;
    }
    memcpy(build->out, &header, sizeof(header));
    const size_t size = (size_t)(text.out - first);
    build->out = first + (size + 15) / 16 * 16;
    *out = (bt_json_value){.type = BT_JSON_STRING,
                           .flags = (uint8_t)(text.flags | BT_JSON_FLAG_ESCAPED),
                           .size = (uint32_t)size,
                           .as.text = first};
    return true;
}

const bool bt_json_ends_scalar[256] = {
    [' '] = true, ['\t'] = true, ['\n'] = true, ['\r'] = true, [','] = true, [':'] = true,
    ['['] = true, [']'] = true,  ['{'] = true,  ['}'] = true,  ['"'] = true,
};

/* A number as it is scanned: its digits as far as 19 of them go, and where they stand. */
struct json_build_parts_number {
    const char *source;
    size_t at;
    size_t end; /* of the source */
    uint64_t mantissa;
    size_t digits; /* significant ones; above 19 the mantissa is not complete */
    int64_t exponent;
    bool has_exponent; /* written as one */
};

static bool at_digit(const struct json_build_parts_number *number)
{
    return number->at < number->end && (unsigned char)(number->source[number->at] - '0') <= 9;
}

static bool at_byte(const struct json_build_parts_number *number, char byte)
{
    return number->at < number->end && number->source[number->at] == byte;
}

/* Returns how many digits there were. */
static size_t scan_digits(struct json_build_parts_number *number)
{
    const size_t from = number->at;
    while (at_digit(number)) {
        const uint64_t digit = (uint64_t)(number->source[number->at] - '0');
        number->digits += number->digits > 0 || digit > 0;
        if (number->digits <= 19) {
            number->mantissa = number->mantissa * 10 + digit;
        }
        number->at++;
    }
    return number->at - from;
}

/* The exponent's value matters only as far as doubles reach; the text is kept. */
static size_t scan_exponent(struct json_build_parts_number *number)
{
    const int64_t exponent_max = 1000000000;
    number->at++;
    const bool negative = at_byte(number, '-');
    number->at += negative || at_byte(number, '+');
    const size_t from = number->at;
    int64_t exponent = 0;
    while (at_digit(number)) {
        exponent = exponent * 10 + (number->source[number->at++] - '0');
        exponent = exponent < exponent_max ? exponent : exponent_max;
    }
    number->exponent += negative ? -exponent : exponent;
    return number->at - from;
}

/* Scan by the grammar of RFC 8259, section 6. Returns what is missing at number->at, or NULL. */
static const char *scan_number(struct json_build_parts_number *number, bool *out_whole)
{
    const bool leading_zero = at_byte(number, '0');
    const size_t whole_digits = scan_digits(number);
    if (whole_digits == 0) {
        return "expected a digit";
    }
    if (leading_zero && whole_digits > 1) {
        number->at -= whole_digits - 1;
        return "a number does not begin with 0";
    }
    if (at_byte(number, '.')) {
        *out_whole = false;
        number->at++;
        const size_t fraction_digits = scan_digits(number);
        if (fraction_digits == 0) {
            return "expected a digit after the point";
        }
        number->exponent -= (int64_t)fraction_digits;
    }
    if (at_byte(number, 'e') || at_byte(number, 'E')) {
        *out_whole = false;
        number->has_exponent = true;
        if (scan_exponent(number) == 0) {
            return "expected a digit in the exponent";
        }
    }
    return NULL;
}

/* True when the next character follows without white space and does not begin a token of its
 * own. */
static bool goes_on(const struct json_build_parts_number *number)
{
    return number->at < number->end &&
           !bt_json_ends_scalar[(unsigned char)number->source[number->at]];
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(BT_PROFILE_CORE)

enum {
    SHORT_REACH = 64,      /* bytes that are looked at for a short number, at most */
    SHORT_DIGITS_MAX = 19, /* every number of so many digits is below 2^64 */
    PLAIN_DIGITS = 15      /* JavaScript writes so many digits as they are */
};

/* Join the digits at `at`, of which 24 are looked at, to the mantissa. Returns where they end. */
static inline const char *join_digits(const char *at, uint64_t *mantissa)
{
    static const uint64_t powers[9] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};
    unsigned count = 8;
    for (int i = 0; i < 3 && count == 8; i++) {
        uint64_t number = 0;
        count = bt_json_eight_digits(at, &number);
        *mantissa = *mantissa * powers[count] + number;
        at += count;
    }
    return at;
}

/* Read a number of up to 19 digits without an exponent that stands well before the end of the
 * source. False: it is something else, or its double is not known yet, and nothing has changed. */
static bool take_short_number(struct bt_json_build *build, size_t begin, bt_json_value *out)
{
    if (build->source.len - begin <= SHORT_REACH) {
        return false;
    }
    const char *source = build->source.ptr + begin;
    const bool negative = *source == '-';
    const char *first = source + negative;
    uint64_t mantissa = 0;
    const char *at = join_digits(first, &mantissa);
    const size_t whole = (size_t)(at - first);
    size_t fraction = 0;
    if (*at == '.') {
        const char *point = at++;
        at = join_digits(at, &mantissa);
        fraction = (size_t)(at - point) - 1;
    }
    const bool is_zero = *first == '0';
    if (whole == 0 || whole + fraction > SHORT_DIGITS_MAX || at[-1] == '.' ||
        (is_zero && (whole > 1 || (negative && fraction == 0))) ||
        !bt_json_ends_scalar[(unsigned char)*at]) {
        return false;
    }
    bt_json_value made = {.type = BT_JSON_INTEGER, .size = (uint32_t)begin};
    double real = 0;
    if (fraction == 0 && mantissa <= (UINT64_C(1) << 63) - !negative) {
        made.as.integer = (int64_t)(negative ? ~mantissa + 1 : mantissa);
    } else if (bt_double_from_parts(mantissa, -(int64_t)fraction, &real)) {
        made.type = BT_JSON_NUMBER;
        made.as.real = negative ? -real : real;
    } else {
        return false;
    }
    const bool is_plain =
        whole + fraction <= PLAIN_DIGITS && (fraction == 0 || (at[-1] != '0' && !is_zero));
    /* Nobody asks of a document that has blanks or escapes. */
    if (!is_plain && !build->index->any_blank && !build->index->any_odd && !build->is_foreign) {
        build->is_foreign = !bt_json_number_is_short_integer(build->source, begin);
    }
    if (at - source > BT_JSON_SHORT_NUMBER_MAX) {
        build->document->has_long_number = true;
    }
    *out = made;
    return true;
}

#else

static bool take_short_number(struct bt_json_build *build, size_t begin, bt_json_value *out)
{
    (void)build;
    (void)begin;
    (void)out;
    return false;
}

#endif

bool bt_json_build_number(struct bt_json_build *build, size_t begin, bt_json_value *out)
{
    if (take_short_number(build, begin, out)) {
        return true;
    }
    const char *source = build->source.ptr;
    const bool negative = source[begin] == '-';
    struct json_build_parts_number number = {
        .source = source, .at = begin + negative, .end = build->source.len};
    bool whole = true;
    const char *missing = scan_number(&number, &whole);
    if (!missing && goes_on(&number)) {
        missing = "expected a comma or a closing bracket";
    }
    if (missing) {
        return fail_syntax(build, number.at, missing);
    }
    build->is_foreign = build->is_foreign || !bt_json_number_is_short_integer(build->source, begin);
    if (number.has_exponent || number.at - begin > BT_JSON_SHORT_NUMBER_MAX) {
        build->document->has_long_number = true;
    }
    const uint64_t magnitude_max = (UINT64_C(1) << 63) - !negative;
    *out = (bt_json_value){.type = BT_JSON_INTEGER, .size = (uint32_t)begin};
    if (whole && number.digits <= 19 && number.mantissa <= magnitude_max) {
        out->as.integer = (int64_t)(negative ? ~number.mantissa + 1 : number.mantissa);
        return true;
    }
    out->type = BT_JSON_NUMBER;
    double real = 0;
    if (number.digits <= 19 && bt_double_from_parts(number.mantissa, number.exponent, &real)) {
        out->as.real = negative ? -real : real;
    } else {
        out->as.real = bt_json_decimal_to_double((bt_str){source + begin, number.at - begin});
    }
    return true;
}
