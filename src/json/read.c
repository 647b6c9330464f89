/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - bytes to document: size, UTF-8, index, build; and the first problem in reading order.
 */
#include "json/read.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/env.h"
#include "base/keyed_hash.h"
#include "base/sized.h"
#include "base/uninitialized.h"
#include "json/build.h"
#include "json/doc.h"
#include "json/options.h"

enum { DOCUMENT_BYTES_LIMIT = 1 << 30, DEPTH_LIMIT = 1000 };

struct bt_json_options bt_json_options_default(void)
{
    return (struct bt_json_options){
        .size = sizeof(struct bt_json_options),
        .depth_max = 128,
        .document_bytes_max = 8U << 20,
        .string_bytes_max = 4U << 20,
        .nodes_max = 1000000,
        .hash_seed = {1, 0},
    };
}

struct bt_json_options bt_json_options_from_env(const struct bt_env *env)
{
    assert(env);
    return (struct bt_json_options){
        .size = sizeof(struct bt_json_options),
        .document_bytes_max = env->limits.document_bytes,
        .string_bytes_max = env->limits.string_bytes,
        .nodes_max = env->limits.nodes,
        .depth_max = env->limits.depth < UINT32_MAX ? (uint32_t)env->limits.depth : UINT32_MAX,
        .hash_seed = {env->hash_seed[0], env->hash_seed[1]},
    };
}

static bool are_sane(const struct bt_json_options *options)
{
    return options->document_bytes_max <= DOCUMENT_BYTES_LIMIT && options->depth_max >= 1 &&
           options->depth_max <= DEPTH_LIMIT && options->nodes_max < UINT32_MAX;
}

static void set_default(uint64_t *member, uint64_t value)
{
    *member = *member > 0 ? *member : value;
}

enum bt_status bt_json_options_complete(const struct bt_json_options *given,
                                        struct bt_json_options *out)
{
    BT_TRY(bt_sized_read(given, BT_SIZED_FIRST(struct bt_json_options), out));
    const struct bt_json_options usual = out->engine
                                             ? bt_json_options_from_env(bt_engine_env(out->engine))
                                             : bt_json_options_default();
    set_default(&out->document_bytes_max, usual.document_bytes_max);
    set_default(&out->string_bytes_max, usual.string_bytes_max);
    set_default(&out->nodes_max, usual.nodes_max);
    out->depth_max = out->depth_max > 0 ? out->depth_max : usual.depth_max;
    if (out->engine && out->hash_seed[0] == 0 && out->hash_seed[1] == 0) {
        memcpy(out->hash_seed, usual.hash_seed, sizeof(out->hash_seed));
    }
    if (out->hash_seed[0] == 0 && out->hash_seed[1] == 0) {
        BT_TRY(bt_env_make_seed(out->hash_seed));
    }
    return are_sane(out) ? BT_OK : BT_EINVAL;
}

static struct bt_json_read_result make_error(enum bt_json_error code, size_t offset,
                                             const char *detail)
{
    return (struct bt_json_read_result){.code = code,
                                        .offset = offset,
                                        .pointer = BT_STR(""),
                                        .detail = detail,
                                        .limit_name = BT_STR("")};
}

/* The slot after the last one of frame i. */
static bt_json_value *frame_end(const struct bt_json_build *build, size_t i)
{
    return i + 1 < build->depth ? build->frames[i + 1].first : build->top;
}

static size_t name_offset(const struct bt_json_build *build, const struct bt_json_member *member)
{
    return bt_json_member_name_span(build->document, member).begin;
}

/*
 * Containers check their names when they close. When reading stops before, the containers that are
 * still open may hold a repeated name that stands before the place where it stopped, and that is
 * then the first problem. A frame's last slot may be a name whose value is missing or still open.
 */
static void find_earlier_repeated(struct bt_json_build *build)
{
    for (size_t i = 0; i < build->depth && build->failure.status == BT_OK; i++) {
        const struct bt_json_frame *frame = &build->frames[i];
        if (!frame->is_object || build->options->duplicates_allowed) {
            continue;
        }
        const struct bt_json_member *members =
            (const struct bt_json_member *)(const void *)frame->first;
        const size_t count = ((size_t)(frame_end(build, i) - frame->first) + 1) / 2;
        const size_t repeated = bt_json_find_duplicate_name(build, members, count);
        if (repeated == count || build->failure.status != BT_OK) {
            continue;
        }
        const size_t offset = name_offset(build, &members[repeated]);
        if (build->failure.code != BT_JSON_ERROR_DUPLICATE_KEY || !build->failure.repeated ||
            offset < build->failure.offset) {
            build->failure.code = BT_JSON_ERROR_DUPLICATE_KEY;
            build->failure.offset = offset;
            build->failure.detail = "this name stands in the object already";
            build->failure.limit = 0;
            build->failure.limit_name = "";
            build->failure.repeated = &members[repeated];
            build->failure.repeated_depth = i;
        }
    }
}

/* The pointer of the repeated member: for each open container the child that is being read. */
static enum bt_status point_at_repeated(const struct bt_json_build *build, struct bt_arena *arena,
                                        bt_str *out)
{
    struct bt_buf pointer;
    bt_buf_init(&pointer, SIZE_MAX);
    for (size_t i = 0; i < build->failure.repeated_depth; i++) {
        const struct bt_json_frame *frame = &build->frames[i];
        const size_t slots = (size_t)(frame_end(build, i) - frame->first);
        if (frame->is_object) {
            const struct bt_json_member *members =
                (const struct bt_json_member *)(const void *)frame->first;
            bt_json_pointer_put(&pointer, bt_json_name(&members[(slots - 1) / 2]));
        } else {
            bt_json_pointer_put_index(&pointer, slots);
        }
    }
    bt_json_pointer_put(&pointer, bt_json_name(build->failure.repeated));
    return bt_buf_finish(&pointer, arena, out);
}

/* Cut `size` bytes, rounded up to 16, from the front of a block that was made large enough. */
static void *alloc_from_block(char **block, size_t size)
{
    void *piece = *block;
    *block += (size + 15) / 16 * 16;
    return piece;
}

static enum bt_status make_index(struct bt_arena *scratch, bt_str source,
                                 struct bt_json_index *index, bt_json_index_fn *function)
{
    const size_t bits = bt_json_index_blocks(source.len) * sizeof(*index->odd);
    const size_t tokens = bt_json_index_room(source.len) * sizeof(*index->tokens);
    char *block = bt_arena_alloc_inline(scratch, 2 * bits + tokens + 32);
    if (!block) {
        return BT_ENOMEM;
    }
    index->odd = alloc_from_block(&block, bits);
    index->wide = alloc_from_block(&block, bits);
    index->tokens = alloc_from_block(&block, tokens);
    function(source, index);
    index->tokens[index->count] = index->is_open ? (uint32_t)source.len : index->tokens[0];
    return BT_OK;
}

/* Working memory of the second stage. Its bounds follow from the number of tokens (see build.h) or,
 * where they are lower, from the limits, so that a hostile text does not make us reserve much. */
static enum bt_status make_stack(struct bt_json_build *build)
{
    const size_t tokens = build->index->count;
    const uint64_t values_max = build->options->nodes_max + 2; /* the root, and the one too many */
    const size_t slots = (values_max < tokens / 2 ? (size_t)values_max * 2 : tokens) + 2;
    const size_t frames = build->options->depth_max * sizeof(*build->frames);
    const size_t stack = slots * sizeof(*build->stack);
    const size_t hashes = (slots / 2 + 16) * sizeof(*build->hashes);
    char *block = bt_arena_alloc_inline(build->scratch, frames + stack + hashes + 32);
    if (!block) {
        return BT_ENOMEM;
    }
    build->stack = alloc_from_block(&block, stack);
    build->hashes = alloc_from_block(&block, hashes);
    build->frames = alloc_from_block(&block, frames);
    return BT_OK;
}

/* Room for the document in one piece; what is left over is given back. */
static enum bt_status make_room(struct bt_json_build *build, struct bt_arena *arena,
                                size_t *out_size)
{
    const size_t tokens = build->index->count;
    const uint64_t values_max = build->options->nodes_max + 2;
    const size_t pieces = (values_max < tokens / 3 ? (size_t)values_max * 3 : tokens) + 3;
    /* Unescaped text is shorter than its source; each string has a header and is rounded up. */
    const size_t text = build->index->any_odd ? build->source.len + 32 * (tokens / 2 + 2) : 0;
    const size_t size = sizeof(*build->document) + 16 + pieces * sizeof(bt_json_value) + text;
    char *block = bt_arena_alloc_inline(arena, size);
    if (!block) {
        return BT_ENOMEM;
    }
    build->document = alloc_from_block(&block, sizeof(*build->document));
    build->out = block;
    *out_size = size;
    return BT_OK;
}

/* Whether the token at i opens a value: not a name, not punctuation. */
static bool is_value(const struct bt_json_build *build, size_t i)
{
    const struct bt_json_index *index = build->index;
    const char *source = build->source.ptr;
    const char byte = source[index->tokens[i]];
    if (byte == '"') {
        return i + 2 >= index->count || source[index->tokens[i + 2]] != ':';
    }
    return byte != ',' && byte != ':' && byte != ']' && byte != '}';
}

/*
 * Cut the index before the first value that is one too many. The second stage then ends there
 * unless it finds something wrong earlier; so it need not count. Only an index with more tokens
 * than values are allowed is walked at all.
 */
static bool cut_index(struct bt_json_build *build, struct bt_json_index *index)
{
    uint64_t left = build->options->nodes_max + 1; /* the root counts as none */
    for (size_t i = 0; i < index->count; i++) {
        const bool is_string = build->source.ptr[index->tokens[i]] == '"';
        if (is_value(build, i) && left-- == 0) {
            build->one_too_many = index->tokens[i];
            index->count = i;
            index->tokens[i] = index->tokens[0];
            return true;
        }
        i += is_string; /* the closing quote */
    }
    return false;
}

static enum bt_status describe_error(struct bt_json_build *build, struct bt_arena *arena,
                                     struct bt_json_read_result *out_result)
{
    BT_TRY(build->failure.status);
    if (build->is_cut && build->failure.offset == build->source.len) {
        build->failure.code = BT_JSON_ERROR_TOO_LARGE;
        build->failure.offset = build->one_too_many;
        build->failure.detail = "too many members and items";
        build->failure.limit = build->options->nodes_max;
        build->failure.limit_name = "nodes";
    }
    find_earlier_repeated(build);
    BT_TRY(build->failure.status);
    struct bt_json_read_result result =
        make_error(build->failure.code, build->failure.offset, build->failure.detail);
    result.limit = build->failure.limit;
    result.limit_name = bt_str_of(build->failure.limit_name);
    if (build->failure.repeated) {
        BT_TRY(point_at_repeated(build, arena, &result.pointer));
    }
    *out_result = result;
    return BT_OK;
}

static enum bt_status build_document(struct bt_json_build *build, struct bt_arena *arena,
                                     bt_json_build_fn *function,
                                     struct bt_json_read_result *out_result)
{
    const struct bt_json_options *options = build->options;
    size_t room = 0;
    BT_TRY(make_stack(build));
    BT_TRY(make_room(build, arena, &room));
    struct bt_json_doc *document = build->document;
    *document =
        (struct bt_json_doc){.source = build->source, .last_wins = options->duplicates_allowed};
    bt_hash_begin(options->hash_seed, document->seed);
    if (!function(build)) {
        return describe_error(build, arena, out_result);
    }
    const size_t used = (size_t)(build->out - (char *)document);
    assert(used <= room);
    bt_arena_shrink_last(arena, document, used);
    document->root = build->stack[0];
    document->nodes = build->nodes;
    document->is_compact = !build->index->any_blank && !build->index->any_odd;
    document->is_stringified = document->is_compact && !build->is_foreign;
    *out_result = (struct bt_json_read_result){
        .document = document, .pointer = BT_STR(""), .detail = "", .limit_name = BT_STR("")};
    return BT_OK;
}

/* In scratch memory and member by member: a large struct on the stack would be filled with zeroes
 * for every document, which small ones would feel. */
static struct bt_json_build *begin_build(bt_str source, const struct bt_json_options *options,
                                         const struct bt_json_index *index,
                                         struct bt_arena *scratch)
{
    struct bt_json_build *build = bt_arena_alloc_inline(scratch, sizeof(*build));
    if (build) {
        build->source = source;
        build->options = options;
        build->index = index;
        build->scratch = scratch;
        build->table = NULL;
        build->table_size = 0;
        build->is_foreign = false;
        build->failure.status = BT_OK;
        build->failure.code = BT_JSON_ERROR_NONE;
        build->failure.limit = 0;
        build->failure.limit_name = "";
        build->failure.repeated = NULL;
    }
    return build;
}

static bool has_byte_order_mark(bt_str source)
{
    return bt_str_starts_with(source, BT_STR("\xef\xbb\xbf"));
}

enum bt_status bt_json_read_with(struct bt_arena *arena, bt_str source,
                                 const struct bt_json_options *options,
                                 const struct bt_json_kernel *kernel,
                                 struct bt_json_read_result *out_result)
{
    struct bt_arena *scratch = options->scratch;
    struct bt_json_index index = {0};
    BT_TRY(make_index(scratch, source, &index, kernel->index));
    if (index.any_wide) {
        const size_t bad = bt_utf8_check(source);
        if (bad < source.len) {
            *out_result = make_error(BT_JSON_ERROR_UTF8, bad, "not UTF-8");
            return BT_OK;
        }
        if (has_byte_order_mark(source)) {
            *out_result = make_error(BT_JSON_ERROR_SYNTAX, 0, "a byte order mark is not allowed");
            return BT_OK;
        }
    }
    if (index.count == 0) {
        *out_result = make_error(BT_JSON_ERROR_SYNTAX, source.len, "expected a value");
        return BT_OK;
    }
    struct bt_json_build *build = begin_build(source, options, &index, scratch);
    if (!build) {
        return BT_ENOMEM;
    }
    build->is_cut = index.count > options->nodes_max && cut_index(build, &index);
    return build_document(build, arena, kernel->build, out_result);
}

/* With options and scratch memory given. */
static enum bt_status read_bounded(struct bt_arena *arena, bt_str source,
                                   const struct bt_json_options *options,
                                   struct bt_json_read_result *out_result)
{
    if (source.len > options->document_bytes_max) {
        *out_result = make_error(BT_JSON_ERROR_TOO_LARGE, 0, "the document is too large");
        out_result->limit = options->document_bytes_max;
        out_result->limit_name = BT_STR("document_bytes");
        return BT_OK;
    }
    bt_arena_reset(options->scratch);
    return bt_json_read_with(arena, source, options, bt_json_kernel_best(), out_result);
}

/* Working memory must not lie behind the document, whose last bytes are given back. */
static enum bt_status read_with_own_scratch(struct bt_arena *arena, bt_str source,
                                            const struct bt_json_options *options,
                                            struct bt_json_read_result *out_result)
{
    struct bt_arena scratch;
    struct bt_json_options own = *options;
    own.scratch = &scratch;
    bt_arena_init(&scratch, arena->limit);
    const enum bt_status status = read_bounded(arena, source, &own, out_result);
    bt_arena_free(&scratch);
    return status;
}

/* Whether there is nothing to fill in, so that the caller's options can be used where they are. */
static bool are_complete(const struct bt_json_options *given)
{
    return given && given->size == sizeof(*given) && given->scratch && given->nodes_max > 0 &&
           given->document_bytes_max > 0 && given->string_bytes_max > 0 &&
           (given->hash_seed[0] | given->hash_seed[1]) != 0 && are_sane(given);
}

/* With a copy of the options in which everything is filled in. */
static __attribute__((noinline)) enum bt_status
read_completed(struct bt_arena *arena, bt_str source, const struct bt_json_options *given,
               struct bt_json_read_result *out_result)
{
    BT_UNCLEARED struct bt_json_options complete;
    BT_TRY(bt_json_options_complete(given, &complete));
    return complete.scratch ? read_bounded(arena, source, &complete, out_result)
                            : read_with_own_scratch(arena, source, &complete, out_result);
}

static inline enum bt_status read_source(struct bt_arena *arena, bt_str source,
                                         const struct bt_json_options *given,
                                         struct bt_json_read_result *out_result)
{
    return are_complete(given) ? read_bounded(arena, source, given, out_result)
                               : read_completed(arena, source, given, out_result);
}

enum bt_status bt_json_read(struct bt_arena *arena, bt_str source,
                            const struct bt_json_options *options,
                            struct bt_json_read_result *out_result)
{
    assert(arena);
    assert(out_result);
    const struct bt_sized_layout layout = BT_SIZED_FIRST(struct bt_json_read_result);
    BT_TRY(bt_sized_check(out_result, layout));
    /* No struct is shorter yet, so it is filled in where it is: a copy would wait until what was
     * just written can be read. */
    assert(layout.first == layout.known);
    const uint32_t size = out_result->size;
    const enum bt_status status = read_source(arena, source, options, out_result);
    out_result->size = size;
    return status;
}
