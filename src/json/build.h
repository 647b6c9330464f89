/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - the second stage of reading: tokens -> document, in one pass and without recursion.
 */
#ifndef BATON_SRC_JSON_BUILD_H
#define BATON_SRC_JSON_BUILD_H

#include "json/doc.h"
#include "json/index.h"

/* An open container. */
struct bt_json_frame {
    bt_json_value
        *first;     /* its first child on the stack; a member takes two slots, name and value */
    uint32_t begin; /* offset of its bracket */
    bool is_object;
    uint32_t recent[16]; /* hashes of names of the object around it; see recent_names.h */
};

/* Why the second stage ended early. */
struct bt_json_failure {
    enum bt_status status;
    enum bt_json_error code;
    size_t offset;
    const char *detail;
    uint64_t limit;
    const char *limit_name;
    const struct bt_json_member *repeated; /* the member with the repeated name ... */
    size_t repeated_depth;                 /* ... and the number of frames above its object */
};

/* Everything the second stage works with. The arrays are large enough by construction: no token
 * makes more than one slot on the stack, one hash, or 16 bytes of document. */
struct bt_json_build {
    bt_str source;
    const struct bt_json_options *options;
    const struct bt_json_index *index;
    struct bt_arena *scratch;
    struct bt_json_doc *document;

    bt_json_value *stack;         /* values and names whose container is still open */
    uint32_t *hashes;             /* the hashes of those names */
    struct bt_json_frame *frames; /* options->depth_max of them */
    char *out;                    /* next free byte of the document */

    bool is_foreign; /* a name or a number that JavaScript may write otherwise was met */

    bool is_cut;           /* the index ends before the first value too many ... */
    uint32_t one_too_many; /* ... which stands here */

    /* Where the pass stood when it ended. */
    bt_json_value *top; /* first free slot */
    size_t depth;       /* open containers */
    uint64_t nodes;     /* children of closed containers */

    uint32_t *table; /* for finding repeated names in large objects */
    size_t table_size;

    struct bt_json_failure failure;
};

/* Whether `bits` has one set at from or after it, before to. */
static inline bool bt_json_has_bit(const uint64_t *bits, size_t from, size_t to)
{
    size_t word = from / 64;
    const size_t last = to / 64;
    uint64_t here = bits[word] & (~UINT64_C(0) << (from % 64));
    while (word < last) {
        if (here != 0) {
            return true;
        }
        here = bits[++word];
    }
    return (here & ~(~UINT64_C(0) << (to % 64))) != 0;
}

static inline bool bt_json_has_long_name(const struct bt_json_index *index, size_t from, size_t to)
{
    return index->any_wide && bt_json_has_bit(index->wide, from, to);
}

/* Build the document. False when something is wrong: with the text (code) or with us (status). */
typedef bool bt_json_build_fn(struct bt_json_build *build);

bt_json_build_fn bt_json_build_plain;
#if defined(__x86_64__)
bt_json_build_fn bt_json_build_avx2;   /* build.c compiled for AVX2 and BMI2 */
bt_json_build_fn bt_json_build_avx512; /* and for AVX-512 */
#endif

/*
 * Find, among `count` members, the first whose name an earlier one has. Returns its index, or
 * `count`. Takes time linear in count, unless hashes collide on purpose, and then n log n.
 * Sets build->status when memory runs out.
 */
size_t bt_json_find_duplicate_name(struct bt_json_build *build,
                                   const struct bt_json_member *members, size_t count);

/* Read a string that holds escapes or control characters; `begin` is the offset of its quote, `end`
 * that of the closing quote, or of the end of the source when there is none. */
BT_MUST_USE bool bt_json_build_string(struct bt_json_build *build, size_t begin, size_t end,
                                      bt_json_value *out);
/* Read a number that is not a short whole one, or that may touch the end of the source. */
BT_MUST_USE bool bt_json_build_number(struct bt_json_build *build, size_t begin,
                                      bt_json_value *out);

/* Whether JavaScript for sure writes the number at `begin` as it stands there. */
bool bt_json_number_is_short_integer(bt_str source, size_t begin);

/* Bytes that may stand right behind a number or word: blanks, and whatever is a token itself. */
extern const bool bt_json_ends_scalar[256];

/* Record what is wrong and where; always false. */
bool bt_json_build_fail(struct bt_json_build *build, enum bt_json_error code, size_t offset,
                        const char *detail);

#endif
