/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - tokens to document: one pass over the index with an explicit stack.
 *
 * Values are pushed on a stack; when a container closes, its children are the slots above its frame
 * and are copied into the document in one run. The happy path touches each token once and asks of a
 * string only whether its bits in the index are clear. What is unusual leaves for build_parts.c.
 *
 * The file is compiled once more for AVX2 and for AVX-512, under other names for its one function.
 */
#include "json/build.h"

#include <assert.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "base/keyed_hash.h"
#include "base/plain.h"
#include "json/digits.h"
#include "json/double.h"
#include "json/recent_names.h"

#ifndef BUILD_FUNCTION
#define BUILD_FUNCTION bt_json_build_plain
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#if defined(__AVX2__) && !BT_PLAIN_JSON_NUMBERS
#define HAS_LONG_NUMBERS 1
#else
#define HAS_LONG_NUMBERS 0
#endif

/* What a token's first byte begins. */
enum json_build_class {
    OTHER = 0,
    STRING,
    NUMBER,
    WORD,
    OBJECT,
    ARRAY,
};

static const uint8_t classes[256] = {
    ['"'] = STRING, ['-'] = NUMBER, ['0'] = NUMBER, ['1'] = NUMBER, ['2'] = NUMBER, ['3'] = NUMBER,
    ['4'] = NUMBER, ['5'] = NUMBER, ['6'] = NUMBER, ['7'] = NUMBER, ['8'] = NUMBER, ['9'] = NUMBER,
    ['t'] = WORD,   ['f'] = WORD,   ['n'] = WORD,   ['{'] = OBJECT, ['['] = ARRAY,
};

/* The pass, in one place whose address never leaves this file's inline functions, so that the
 * compiler keeps it in registers whatever is written through other pointers. */
struct json_build_pass {
    const char *source;
    size_t size;
    const uint32_t *token; /* the next one */
    const uint32_t *end;
    bt_json_value *top;          /* first free slot of the stack */
    struct bt_json_frame *frame; /* the innermost open container, or the one before the first */
    struct bt_json_frame *last_frame;
    char *out;
    uint64_t nodes;  /* children of closed containers */
    bool is_foreign; /* a name begins with a digit, or a number is one that JavaScript may write
                        otherwise */
    bool may_be_stringified; /* there is neither a blank outside strings nor an escape */
    uint64_t seed[2];
    size_t plain_end; /* a string that ends here or before is plain ASCII and not too long */
    struct bt_json_build *build; /* for everything that is rare */
    struct json_recent_names recent;
};

/* Everything of a value but its last eight bytes, in one store. */
static ALWAYS_INLINE void put_head(bt_json_value *out, uint8_t type, uint8_t flags, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t head = (uint64_t)type | (uint64_t)flags << 8 | (uint64_t)size << 32;
    memcpy(out, &head, sizeof(head));
#else
    out->type = type;
    out->flags = flags;
    out->spare = 0;
    out->size = (uint32_t)size;
#endif
}

static ALWAYS_INLINE bool take_odd_string(struct json_build_pass *pass, size_t begin, size_t end,
                                          bt_json_value *out)
{
    struct bt_json_build *build = pass->build;
    build->out = pass->out;
    const bool taken = bt_json_build_string(build, begin, end, out);
    pass->out = build->out;
    return taken;
}

enum {
    ODD = 1, /* escapes, control characters, too many bytes, or no end */
    WIDE = 2 /* bytes above 0x7f */
};

/* What is in a string that may not be plain, and what the next ones are compared with. */
struct json_build_contents {
    size_t plain_end;
    size_t found;
};

/* The first offset from `from` on at which a string must not end without being inspected. A
 * string that does not end is followed by the size of the source. */
static ALWAYS_INLINE size_t find_plain_end(const struct bt_json_build *build, size_t from)
{
    const struct bt_json_index *index = build->index;
    const size_t last = build->source.len - 1;
    const uint64_t max = build->options->string_bytes_max;
    const size_t end = max < last - from ? from + (size_t)max : last;
    if (!index->any_odd && !index->any_wide) {
        return end;
    }
    size_t word = from / 64;
    uint64_t bits = (index->odd[word] | index->wide[word]) & (~UINT64_C(0) << (from % 64));
    while (bits == 0 && word < end / 64) {
        word++;
        bits = index->odd[word] | index->wide[word];
    }
    const size_t place = bits != 0 ? word * 64 + (size_t)__builtin_ctzll(bits) : end;
    return place < end ? place : end;
}

static NEVER_INLINE struct json_build_contents inspect_string(const struct bt_json_build *build,
                                                              size_t begin, size_t end)
{
    const struct bt_json_index *index = build->index;
    if (end == build->source.len || end - begin - 1 > build->options->string_bytes_max) {
        return (struct json_build_contents){end, ODD}; /* and the pass ends */
    }
    const size_t odd = bt_json_has_bit(index->odd, begin, end) ? ODD : 0;
    const size_t wide = bt_json_has_bit(index->wide, begin, end) ? WIDE : 0;
    return (struct json_build_contents){find_plain_end(build, end), odd | wide};
}

/* What is in the string at the next two tokens: ODD and WIDE, or 0. Most strings are plain, and one
 * comparison says so. */
static ALWAYS_INLINE size_t classify_string(struct json_build_pass *pass, size_t begin, size_t end)
{
    if (LIKELY(end <= pass->plain_end)) {
        return 0;
    }
    const struct json_build_contents contents = inspect_string(pass->build, begin, end);
    pass->plain_end = contents.plain_end;
    return contents.found;
}

static ALWAYS_INLINE bool take_string(struct json_build_pass *pass, bt_json_value *out)
{
    const size_t begin = pass->token[0];
    const size_t end = pass->token[1];
    const size_t found = classify_string(pass, begin, end);
    if (UNLIKELY(found & ODD)) {
        return take_odd_string(pass, begin, end, out);
    }
    put_head(out, BT_JSON_STRING, found ? BT_JSON_FLAG_NON_ASCII : 0, end - begin - 1);
    out->as.text = pass->source + begin + 1;
    return true;
}

/* The lowest `bits` bits of the word; all of them from 64 on. */
static ALWAYS_INLINE uint64_t low_bits(uint64_t word, size_t bits)
{
#if defined(__BMI2__)
    return _bzhi_u64(word, (unsigned)bits);
#else
    return bits >= 64 ? word : word & ((UINT64_C(1) << bits) - 1);
#endif
}

/* The hash of a name. Most names are short and do not touch the end of the source, so that 16 bytes
 * can be loaded and masked without a branch on the length. */
static ALWAYS_INLINE uint32_t hash_name(const struct json_build_pass *pass, const char *name,
                                        size_t size)
{
    if (size > 16 || (size_t)(pass->source + pass->size - name) < 16) {
        return bt_hash_bytes(pass->seed, name, size);
    }
    uint64_t words[2];
    memcpy(words, name, 16);
    const size_t bits = 8 * size;
    return bt_hash_words(pass->seed, low_bits(words[0], bits),
                         low_bits(words[1], bits > 64 ? bits - 64 : 0), size);
}

/* A name takes one slot: pointer, size, hash; the value's slot follows and makes it a member. */
static ALWAYS_INLINE void put_name(struct json_build_pass *pass, const char *name, size_t size,
                                   uint32_t hash)
{
    struct bt_json_member *member = (struct bt_json_member *)(void *)pass->top++;
    member->name = name;
    member->name_size = (uint32_t)size;
    member->name_hash = hash;
    pass->is_foreign |= (unsigned char)(*name - '0') <= 9; /* an empty one has its quote there */
    recent_add(&pass->recent, hash);
}

static ALWAYS_INLINE bool take_name(struct json_build_pass *pass)
{
    const size_t begin = pass->token[0];
    const size_t end = pass->token[1];
    if (LIKELY(!(classify_string(pass, begin, end) & ODD))) {
        const char *name = pass->source + begin + 1;
        const size_t size = end - begin - 1;
        put_name(pass, name, size, hash_name(pass, name, size));
        return true;
    }
    bt_json_value name;
    if (!take_odd_string(pass, begin, end, &name)) {
        return false;
    }
    put_name(pass, name.as.text, name.size, bt_hash_bytes(pass->seed, name.as.text, name.size));
    return true;
}

static ALWAYS_INLINE void put_integer(bt_json_value *out, size_t begin, bool negative,
                                      uint64_t number)
{
    put_head(out, BT_JSON_INTEGER, 0, begin);
    out->as.integer = negative ? -(int64_t)number : (int64_t)number;
}

#if HAS_LONG_NUMBERS

enum {
    LONG_REACH = 32,      /* bytes that are looked at for a number of more than 8 digits, at most */
    LONG_DIGITS_MAX = 19, /* every number of so many digits is below 2^64 */
    PLAIN_DIGITS = 15,    /* JavaScript writes so many digits as they are, */
    PLAIN_PLACES = 6      /* unless the first that counts stands behind so many places */
};

/* The number of `whole` digits at `at` that spell `number`, a point, and what follows it. */
static ALWAYS_INLINE bool read_fraction(const char *at, unsigned whole, uint64_t number,
                                        bool must_be_plain, const char **out_end, double *out)
{
    static const uint64_t powers[17] = {1,
                                        10,
                                        100,
                                        1000,
                                        10000,
                                        100000,
                                        1000000,
                                        10000000,
                                        100000000,
                                        1000000000,
                                        10000000000,
                                        100000000000,
                                        1000000000000,
                                        10000000000000,
                                        100000000000000,
                                        1000000000000000,
                                        10000000000000000};
    uint64_t rest = 0;
    const unsigned fraction = bt_json_sixteen_digits(at + whole + 1, &rest);
    const char *end = at + whole + 1 + fraction;
    const unsigned digits = whole + fraction;
    const bool is_tiny =
        *at == '0' && fraction > PLAIN_PLACES && rest < powers[fraction - PLAIN_PLACES];
    const bool is_plain = digits <= PLAIN_DIGITS && end[-1] != '0' && !is_tiny;
    *out_end = end;
    return fraction > 0 && digits <= LONG_DIGITS_MAX && (is_plain || !must_be_plain) &&
           bt_json_ends_scalar[(unsigned char)*end] &&
           bt_double_from_fraction(number * powers[fraction] + rest, fraction, out);
}

/*
 * Read a number whose first `digits` digits, which spell `number`, are followed by more of them or
 * by a fraction. False: it is something else, or not plain though it must be, and nothing has
 * changed. A call costs less than the registers that it would take from the loop.
 */
static NEVER_INLINE bool take_long_number(struct bt_json_build *build, size_t begin,
                                          unsigned digits, uint64_t number, bool must_be_plain,
                                          bt_json_value *out)
{
    const char *source = build->source.ptr + begin;
    const bool negative = *source == '-';
    const char *at = source + negative;
    if (at[digits] != '.') {
        const unsigned count = bt_json_sixteen_digits(at, &number);
        put_integer(out, begin, negative, number);
        return count + negative <= PLAIN_DIGITS && bt_json_ends_scalar[(unsigned char)at[count]];
    }
    const char *end = at;
    double real = 0;
    if (!read_fraction(at, digits, number, must_be_plain, &end, &real)) {
        return false;
    }
    if (end - source > BT_JSON_SHORT_NUMBER_MAX) {
        build->document->has_long_number = true;
    }
    put_head(out, BT_JSON_NUMBER, 0, begin);
    out->as.real = negative ? -real : real;
    return true;
}

#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

static ALWAYS_INLINE bool take_number(struct json_build_pass *pass, bt_json_value *out)
{
    const size_t begin = pass->token[0];
    const size_t left = pass->size - begin;
    const bool negative = pass->source[begin] == '-';
    const char *at = pass->source + begin + negative;
    uint64_t number = 0;
    /* Eight bytes and the one behind them are looked at. */
    const unsigned digits = left > 9 ? bt_json_eight_digits(at, &number) : 0;
    if (LIKELY(digits > 0) && LIKELY(*at != '0' || digits == 1)) {
        if (LIKELY(bt_json_ends_scalar[(unsigned char)at[digits]])) {
            pass->is_foreign |= negative && number == 0;
            put_integer(out, begin, negative, number);
            return true;
        }
#if HAS_LONG_NUMBERS
        const bool must_be_plain = pass->may_be_stringified && !pass->is_foreign;
        if (left > LONG_REACH &&
            take_long_number(pass->build, begin, digits, number, must_be_plain, out)) {
            return true;
        }
#endif
    }
    const bool taken = bt_json_build_number(pass->build, begin, out);
    pass->is_foreign |= pass->build->is_foreign;
    return taken;
}

#else

static ALWAYS_INLINE bool take_number(struct json_build_pass *pass, bt_json_value *out)
{
    return bt_json_build_number(pass->build, pass->token[0], out);
}

#endif

/* The words, at the places that bits 3 and 4 of their first letters give. */
static const struct json_build_word {
    char text[6];
    uint8_t size;
    uint8_t type;
} words[4] = {
    {"false", 5, BT_JSON_FALSE},
    {"null", 4, BT_JSON_NULL},
    {"true", 4, BT_JSON_TRUE},
};

static NEVER_INLINE bool fail_word(struct bt_json_build *build, size_t begin,
                                   const struct json_build_word *word)
{
    const bt_str rest = bt_str_slice(build->source, begin, build->source.len);
    size_t same = 0;
    while (same < rest.len && same < word->size && rest.ptr[same] == word->text[same]) {
        same++;
    }
    return bt_json_build_fail(build, BT_JSON_ERROR_SYNTAX, begin + same,
                              same < word->size ? "expected true, false or null"
                                                : "expected a comma or a closing bracket");
}

static ALWAYS_INLINE bool take_word(struct json_build_pass *pass, bt_json_value *out)
{
    const size_t begin = pass->token[0];
    const char *at = pass->source + begin;
    const struct json_build_word *word = &words[*at >> 3 & 3];
    const size_t left = pass->size - begin;
    if (left < word->size || memcmp(at, word->text, 4) != 0 ||
        at[word->size - 1] != word->text[word->size - 1] ||
        (left > word->size && !bt_json_ends_scalar[(unsigned char)at[word->size]])) {
        return fail_word(pass->build, begin, word);
    }
    put_head(out, word->type, 0, begin);
    out->as.integer = 0;
    return true;
}

static NEVER_INLINE bool check_repeated(struct bt_json_build *build,
                                        const struct bt_json_member *members, size_t count)
{
    if (build->options->duplicates_allowed) {
        return true;
    }
    const size_t repeated = bt_json_find_duplicate_name(build, members, count);
    if (build->failure.status != BT_OK) {
        return false;
    }
    if (repeated == count) {
        return true;
    }
    /* The place is found with those of the containers that are still open. */
    return bt_json_build_fail(build, BT_JSON_ERROR_DUPLICATE_KEY, 0, "");
}

static ALWAYS_INLINE bool names_differ(struct json_build_pass *pass, const bt_json_value *first,
                                       size_t count)
{
    if (LIKELY(!recent_close(&pass->recent, pass->frame, count))) {
        return true;
    }
    return check_repeated(pass->build, (const struct bt_json_member *)(const void *)first, count);
}

/* Move the children of the innermost container into the document; one slot then stands for them. */
static ALWAYS_INLINE bool close_container(struct json_build_pass *pass)
{
    bt_json_value *const first = pass->frame->first;
    const bool is_object = pass->frame->is_object;
    const size_t slots = (size_t)(pass->top - first);
    const size_t count = is_object ? slots / 2 : slots;
    if (is_object && !names_differ(pass, first, count)) {
        return false;
    }
    const struct bt_json_header header = {.begin = pass->frame->begin, .end = *pass->token + 1};
    char *children = pass->out + sizeof(header);
    memcpy(pass->out, &header, sizeof(header));
    for (size_t i = 0; i < slots; i += 2) { /* there is room for one slot too many */
        memcpy(children + i * sizeof(bt_json_value), &first[i], 2 * sizeof(bt_json_value));
    }
    pass->out = children + slots * sizeof(bt_json_value);
    pass->nodes += count;
    put_head(first, is_object ? BT_JSON_OBJECT : BT_JSON_ARRAY, 0, count);
    first->as.items = (const bt_json_value *)(void *)children;
    pass->top = first + 1;
    pass->token++;
    pass->frame--;
    return true;
}

/* What has been taken at a place where a value was due. */
enum json_build_step {
    NOTHING, /* and the pass has failed */
    SCALAR,
    OBJECT_BEGIN,
    ARRAY_BEGIN,
};

/* The byte of the next token. Behind the last one stands the first once more: the bracket that
 * opened the root, which fits only where a value is due, and there open_container() looks. */
static ALWAYS_INLINE char next_byte(const struct json_build_pass *pass)
{
    return pass->source[*pass->token];
}

/* The next token is not what was due. Always false. */
static NEVER_INLINE bool fail_at(struct bt_json_build *build, const uint32_t *token,
                                 enum bt_json_error code, const char *detail)
{
    const bool at_end = token == build->index->tokens + build->index->count;
    return bt_json_build_fail(build, code, at_end ? build->source.len : *token, detail);
}

static ALWAYS_INLINE bool open_container(struct json_build_pass *pass, bool is_object)
{
    struct bt_json_build *build = pass->build;
    if (UNLIKELY(pass->token == pass->end)) {
        return fail_at(build, pass->token, BT_JSON_ERROR_SYNTAX, "expected a value");
    }
    if (UNLIKELY(pass->frame == pass->last_frame)) {
        build->failure.limit = build->options->depth_max;
        build->failure.limit_name = "depth";
        return fail_at(build, pass->token, BT_JSON_ERROR_TOO_DEEP, "nested too deeply");
    }
    struct bt_json_frame *frame = ++pass->frame;
    frame->first = pass->top;
    frame->begin = *pass->token++;
    frame->is_object = is_object;
    if (is_object) {
        recent_open(&pass->recent, frame);
    }
    return true;
}

static ALWAYS_INLINE enum json_build_step take_value(struct json_build_pass *pass)
{
    const unsigned char byte = (unsigned char)next_byte(pass);
    /* Most values are strings, and need no look at the table. */
    const enum json_build_class class = byte == '"' ? STRING : classes[byte];
    bool taken = false;
    if (class == STRING) {
        taken = take_string(pass, pass->top);
        pass->token += 2;
    } else if (class == NUMBER) {
        taken = take_number(pass, pass->top);
        pass->token++;
    } else if (class == OBJECT) {
        return open_container(pass, true) ? OBJECT_BEGIN : NOTHING;
    } else if (class == ARRAY) {
        return open_container(pass, false) ? ARRAY_BEGIN : NOTHING;
    } else if (class == WORD) {
        taken = take_word(pass, pass->top);
        pass->token++;
    } else {
        taken = fail_at(pass->build, pass->token, BT_JSON_ERROR_SYNTAX, "expected a value");
    }
    if (UNLIKELY(!taken)) {
        return NOTHING;
    }
    pass->top++;
    return SCALAR;
}

/* The root. The wide builds leave documents that are a single scalar to the plain one, so that the
 * code for scalars stands in fewer places. */
static ALWAYS_INLINE enum json_build_step take_root(struct json_build_pass *pass)
{
#if defined(__AVX2__)
    const bool is_object = next_byte(pass) == '{';
    if (!open_container(pass, is_object)) {
        return NOTHING;
    }
    return is_object ? OBJECT_BEGIN : ARRAY_BEGIN;
#else
    return take_value(pass);
#endif
}

static ALWAYS_INLINE bool take_name_and_colon(struct json_build_pass *pass)
{
    if (UNLIKELY(next_byte(pass) != '"')) {
        return fail_at(pass->build, pass->token, BT_JSON_ERROR_SYNTAX, "expected a name in quotes");
    }
    if (UNLIKELY(!take_name(pass))) {
        return false;
    }
    pass->token += 2;
    if (UNLIKELY(next_byte(pass) != ':')) {
        return fail_at(pass->build, pass->token, BT_JSON_ERROR_SYNTAX, "expected a colon");
    }
    pass->token++;
    return true;
}

/* Whether the container that has just begun ends at once. */
static ALWAYS_INLINE bool is_empty(const struct json_build_pass *pass, enum json_build_step taken)
{
    return next_byte(pass) == (taken == OBJECT_BEGIN ? '}' : ']');
}

/*
 * The states of the grammar are places in the code, joined by jumps: a state variable would be
 * looked at once per token for nothing, and members and items would share the branches by which the
 * processor foresees what comes next. Every jump backwards has taken a token.
 */
static ALWAYS_INLINE bool parse_tokens(struct json_build_pass *pass)
{
    enum json_build_step taken = take_root(pass);
    if (taken == SCALAR) {
        goto end;
    }
begin:
    if (taken == NOTHING) {
        return false;
    }
    if (is_empty(pass, taken)) {
        goto close;
    }
    if (taken == ARRAY_BEGIN) {
        goto item;
    }
member:
    if (!take_name_and_colon(pass)) {
        return false;
    }
    taken = take_value(pass);
    if (taken != SCALAR) {
        goto begin;
    }
after_member:
    if (next_byte(pass) == ',') {
        pass->token++;
        goto member;
    }
    if (next_byte(pass) != '}') {
        return fail_at(pass->build, pass->token, BT_JSON_ERROR_SYNTAX, "expected a comma or }");
    }
close:
    if (!close_container(pass)) {
        return false;
    }
    if (pass->frame < pass->build->frames) {
        goto end;
    }
    if (pass->frame->is_object) {
        goto after_member;
    }
after_item:
    if (next_byte(pass) == ']') {
        goto close;
    }
    if (next_byte(pass) != ',') {
        return fail_at(pass->build, pass->token, BT_JSON_ERROR_SYNTAX, "expected a comma or ]");
    }
    pass->token++;
item:
    taken = take_value(pass);
    if (taken == SCALAR) {
        goto after_item;
    }
    goto begin;
end:
    return pass->token == pass->end ||
           fail_at(pass->build, pass->token, BT_JSON_ERROR_SYNTAX, "expected the end");
}

/* Aligned, so that what is linked in front of it does not change its speed. */
__attribute__((aligned(64))) bool BUILD_FUNCTION(struct bt_json_build *build)
{
    const struct bt_json_index *index = build->index;
#if defined(__AVX2__)
    const char root = build->source.ptr[index->tokens[0]];
    if (UNLIKELY(root != '{' && root != '[')) {
        return bt_json_build_plain(build);
    }
#endif
    struct json_build_pass pass = {
        .source = build->source.ptr,
        .size = build->source.len,
        .token = index->tokens,
        .end = index->tokens + index->count,
        .top = build->stack,
        .recent = recent_begin(build->hashes),
        .frame = build->frames - 1,
        .last_frame = build->frames + build->options->depth_max - 1,
        .out = build->out,
        .seed = {build->document->seed[0], build->document->seed[1]},
        .may_be_stringified = !index->any_blank && !index->any_odd,
        .plain_end = find_plain_end(build, 0),
        .build = build,
    };
    const bool is_built = parse_tokens(&pass);
    build->out = pass.out;
    build->top = pass.top;
    build->depth = (size_t)(pass.frame + 1 - build->frames);
    build->nodes = pass.nodes;
    build->is_foreign |= pass.is_foreign;
    return is_built;
}
