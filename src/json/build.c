/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - tokens to document: one pass over the index with an explicit stack.
 *
 * Values are pushed on a stack; when a container closes, its children are the slots above its frame
 * and are copied into the document in one run. The happy path touches each token once and asks of a
 * string only whether its bits in the index are clear. What is unusual leaves for build_parts.c.
 *
 * The file is compiled a second time for AVX2 and BMI2, under another name for its one function.
 */
#include "json/build.h"

#include <assert.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "base/keyed_hash.h"
#include "json/digits.h"

#ifndef BUILD_FUNCTION
#define BUILD_FUNCTION bt_json_build_plain
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

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

/* Objects of up to so many members are checked for repeated names as they are read. */
enum { SMALL_OBJECT = 16 };

/* The hashes of the names of open objects. */
struct json_recent_names {
#if defined(__AVX2__)
    /*
     * Those of the innermost object's last 16 names stand in two registers, and each new one is
     * compared with all of them when it comes. Storing them and loading them together at the end
     * would have to wait until the stores have settled.
     */
    __m256i newer; /* lowest bit set, so that an empty lane, which is zero, equals none */
    __m256i old;
    __m256i same; /* sticks: a pair of equal hashes in any object */
#else
    uint32_t *next; /* those of the innermost object are the last */
#endif
};

#if defined(__AVX2__)

static ALWAYS_INLINE struct json_recent_names recent_begin(uint32_t *memory)
{
    (void)memory;
    const __m256i zero = _mm256_setzero_si256();
    return (struct json_recent_names){zero, zero, zero};
}

static ALWAYS_INLINE void recent_add(struct json_recent_names *recent, uint32_t hash)
{
    const __m256i turn = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
    const __m256i all = _mm256_set1_epi32((int)(hash | 1));
    const __m256i same = _mm256_or_si256(_mm256_cmpeq_epi32(all, recent->newer),
                                         _mm256_cmpeq_epi32(all, recent->old));
    recent->same = _mm256_or_si256(recent->same, same);
    /* The oldest of the young comes last by the turn, where the old take it and it is replaced. */
    const __m256i newer = _mm256_permutevar8x32_epi32(recent->newer, turn);
    const __m256i old = _mm256_permutevar8x32_epi32(recent->old, turn);
    recent->old = _mm256_blend_epi32(old, newer, 0x80);
    recent->newer = _mm256_blend_epi32(newer, all, 0x80);
}

static ALWAYS_INLINE void recent_open(struct json_recent_names *recent, struct bt_json_frame *frame)
{
    memcpy(frame->recent, &recent->newer, sizeof(recent->newer));
    memcpy(frame->recent + 8, &recent->old, sizeof(recent->old));
    recent->newer = _mm256_setzero_si256();
    recent->old = _mm256_setzero_si256();
}

/* Whether two names of the innermost object may be equal. */
static ALWAYS_INLINE bool recent_close(struct json_recent_names *recent,
                                       const struct bt_json_frame *frame, size_t count)
{
    memcpy(&recent->newer, frame->recent, sizeof(recent->newer));
    memcpy(&recent->old, frame->recent + 8, sizeof(recent->old));
    return count > SMALL_OBJECT || !_mm256_testz_si256(recent->same, recent->same);
}

#else

static ALWAYS_INLINE struct json_recent_names recent_begin(uint32_t *memory)
{
    return (struct json_recent_names){memory};
}

static ALWAYS_INLINE void recent_add(struct json_recent_names *recent, uint32_t hash)
{
    *recent->next++ = hash;
}

static ALWAYS_INLINE void recent_open(struct json_recent_names *recent, struct bt_json_frame *frame)
{
    (void)recent;
    (void)frame;
}

static ALWAYS_INLINE bool recent_close(struct json_recent_names *recent,
                                       const struct bt_json_frame *frame, size_t count)
{
    (void)frame;
    const uint32_t *hashes = recent->next -= count;
    bool same = count > SMALL_OBJECT;
    for (size_t i = 1; i < count && !same; i++) {
        for (size_t j = 0; j < i; j++) {
            same |= hashes[i] == hashes[j];
        }
    }
    return same;
}

#endif

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
    bool is_foreign; /* a name begins with a digit, or there is a -0 */
    uint64_t seed[2];
    uint64_t string_bytes_max;
    const struct bt_json_index *special; /* NULL when no string has anything but plain ASCII */
    struct bt_json_build *build;         /* for everything that is rare */
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
    const bool taken =
        bt_json_build_string(build, begin, end > begin ? end : build->source.len, out);
    pass->out = build->out;
    return taken;
}

/* Whether the string at the next two tokens is a plain run of the source within bounds; both
 * offsets are set in any case. A string that does not end is followed by the sentinel, whose offset
 * is lower, so that its size is beyond all bounds. */
static ALWAYS_INLINE bool is_plain_string(const struct json_build_pass *pass, size_t *out_begin,
                                          size_t *out_end)
{
    const size_t begin = pass->token[0];
    const size_t end = pass->token[1];
    *out_begin = begin;
    *out_end = end;
    return LIKELY(end - begin - 1 <= pass->string_bytes_max) &&
           (LIKELY(!pass->special) || LIKELY(!bt_json_has_bit(pass->special->odd, begin, end)));
}

static ALWAYS_INLINE bool take_string(struct json_build_pass *pass, bt_json_value *out)
{
    size_t begin = 0;
    size_t end = 0;
    if (!is_plain_string(pass, &begin, &end)) {
        return take_odd_string(pass, begin, end, out);
    }
    const bool wide = UNLIKELY(pass->special) && bt_json_has_long_name(pass->special, begin, end);
    put_head(out, BT_JSON_STRING, wide ? BT_JSON_FLAG_NON_ASCII : 0, end - begin - 1);
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
    size_t begin = 0;
    size_t end = 0;
    if (is_plain_string(pass, &begin, &end)) {
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

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

static ALWAYS_INLINE bool take_number(struct json_build_pass *pass, bt_json_value *out)
{
    const size_t begin = pass->token[0];
    const char *at = pass->source + begin;
    const bool negative = *at == '-';
    at += negative;
    uint64_t number = 0;
    /* Eight bytes and the one behind them are looked at. */
    const unsigned digits = pass->size - begin > 9 ? bt_json_eight_digits(at, &number) : 0;
    if (UNLIKELY(digits == 0 || (*at == '0' && digits > 1)) ||
        !bt_json_ends_scalar[(unsigned char)at[digits]]) {
        return bt_json_build_number(pass->build, begin, out);
    }
    pass->is_foreign |= negative && number == 0;
    put_head(out, BT_JSON_INTEGER, 0, begin);
    out->as.integer = negative ? -(int64_t)number : (int64_t)number;
    return true;
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
    const enum json_build_class class = classes[(unsigned char)next_byte(pass)];
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
    enum json_build_step taken = take_value(pass);
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

bool BUILD_FUNCTION(struct bt_json_build *build)
{
    const struct bt_json_index *index = build->index;
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
        .string_bytes_max = build->options->string_bytes_max < build->source.len
                                ? build->options->string_bytes_max
                                : build->source.len,
        .special = index->any_odd || index->any_wide ? index : NULL,
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
