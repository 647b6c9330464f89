/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_json_read.c - any bytes at all, read as JSON.
 *
 * Promises: the judgement depends on the bytes alone, not on the hash seed, the scratch memory, the
 * memory limit or the processor; bytes that are not UTF-8 are called so and nothing else is; every
 * value knows where it stands, so that reading its span alone gives the same value; numbers are
 * those of strtod(); every member is found by its name.
 */
#include "fuzz.h"
#include "json/read.h"

#define DEPTH_MAX 128
/* Each span is read again, so all of them would take quadratic time. */
#define SPANS_MAX 64

struct cursor {
    const bt_json_value *value;
    size_t next;
};

/* The values of a document, each before its children. */
struct walk {
    struct cursor stack[DEPTH_MAX + 1];
    size_t depth;
};

static struct bt_json_read_result read_seeded(struct bt_arena *arena, bt_str text, uint64_t seed,
                                              struct bt_arena *scratch)
{
    struct bt_json_options options = bt_json_options_default();
    options.hash_seed[0] = seed;
    options.hash_seed[1] = ~seed;
    options.scratch = scratch;
    struct bt_json_read_result result = {0};
    PROMISE(options.depth_max == DEPTH_MAX);
    PROMISE(bt_json_read(arena, text, &options, &result) == BT_OK);
    return result;
}

static void same_judgement(const struct bt_json_read_result *a, const struct bt_json_read_result *b)
{
    PROMISE(a->code == b->code);
    PROMISE(!a->document == !b->document);
    PROMISE(a->offset == b->offset);
    PROMISE(bt_str_eq(a->pointer, b->pointer));
    PROMISE(a->limit == b->limit);
    PROMISE(strcmp(a->detail, b->detail) == 0);
    if (a->document) {
        PROMISE(bt_json_node_count(a->document) == bt_json_node_count(b->document));
        PROMISE(bt_json_has_lone_surrogate(a->document) == bt_json_has_lone_surrogate(b->document));
        PROMISE(fuzz_same(a->document, b->document));
    }
}

static void judgement_is_sound(const struct bt_json_read_result *result, bt_str text)
{
    const bool is_utf8 = bt_utf8_check(text) == text.len;
    PROMISE((result->code == BT_JSON_ERROR_UTF8) == !is_utf8);
    PROMISE((result->code == BT_JSON_ERROR_NONE) == (result->document != NULL));
    PROMISE(result->document || result->offset <= text.len);
    PROMISE(result->code != BT_JSON_ERROR_DUPLICATE_KEY ||
            bt_json_pointer_is_valid(result->pointer));
}

static const bt_json_value *next_value(struct walk *walk)
{
    while (walk->depth > 0) {
        struct cursor *top = &walk->stack[walk->depth - 1];
        if (top->next == bt_json_count(top->value)) {
            walk->depth--;
            continue;
        }
        const size_t i = top->next++;
        const bt_json_value *child = bt_json_type(top->value) == BT_JSON_ARRAY
                                         ? &bt_json_items(top->value)[i]
                                         : &bt_json_members(top->value)[i].value;
        if (bt_json_count(child) > 0) {
            PROMISE(walk->depth < DEPTH_MAX);
            walk->stack[walk->depth++] = (struct cursor){child, 0};
        }
        return child;
    }
    return NULL;
}

/* Alone, at the end of a text, a number is scanned in another way; strtod() is a third opinion. */
static void number_is_exact(const bt_json_value *value, const bt_json_value *alone, bt_str text)
{
    char copy[64];
    if (!bt_json_is_number(value) || text.len >= sizeof(copy)) {
        return;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    const double real = strtod(copy, NULL);
    PROMISE(value->type == alone->type);
    PROMISE(memcmp(&value->as, &alone->as, sizeof(value->as)) == 0);
    if (bt_json_type(value) == BT_JSON_NUMBER) {
        PROMISE(memcmp(&real, &value->as.real, sizeof(real)) == 0);
    }
}

static void value_stands_where_it_says(const struct bt_json_doc *document,
                                       const bt_json_value *value)
{
    const bt_str source = bt_json_source(document);
    const struct bt_json_span span = bt_json_span(document, value);
    PROMISE(span.begin < span.end);
    PROMISE(span.end <= source.len);

    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const bt_str alone = bt_str_slice(source, span.begin, span.end);
    const struct bt_json_doc *again = fuzz_reread(&arena, alone);
    PROMISE(fuzz_equal(document, value, again, bt_json_root(again)));
    number_is_exact(value, bt_json_root(again), alone);
    bt_arena_free(&arena);
}

static void members_are_found(const struct bt_json_doc *document, const bt_json_value *object)
{
    const bt_str source = bt_json_source(document);
    const struct bt_json_member *members = bt_json_members(object);
    for (size_t i = 0; members && i < bt_json_count(object) && i < SPANS_MAX; i++) {
        const struct bt_json_span span = bt_json_member_name_span(document, &members[i]);
        PROMISE(span.begin + 1 < span.end);
        PROMISE(span.end <= source.len);
        PROMISE(source.ptr[span.begin] == '"');
        PROMISE(source.ptr[span.end - 1] == '"');
        PROMISE(members[i].name_hash == bt_json_name_hash(document, bt_json_name(&members[i])));
        PROMISE(bt_json_member(document, object, bt_json_name(&members[i])) == &members[i]);
    }
}

static void values_are_sound(const struct bt_json_doc *document)
{
    struct walk walk = {.stack[0] = {bt_json_root(document), 0}, .depth = 1};
    const bt_json_value *value = bt_json_root(document);
    uint64_t count = 0;
    for (; value; value = next_value(&walk)) {
        if (count < SPANS_MAX) {
            value_stands_where_it_says(document, value);
        }
        members_are_found(document, value);
        count++;
    }
    PROMISE(count == bt_json_node_count(document) + 1);
}

/* Too little memory is a status of its own, never another judgement. */
static void scarce_memory_changes_nothing(const struct bt_json_read_result *plenty, bt_str text)
{
    enum bt_status status = BT_ENOMEM;
    for (size_t limit = 64; status != BT_OK && limit <= FUZZ_ARENA_BYTES; limit *= 4) {
        struct bt_arena arena;
        bt_arena_init(&arena, limit);
        struct bt_json_read_result result = {0};
        status = bt_json_read(&arena, text, NULL, &result);
        PROMISE(status == BT_OK || status == BT_ENOMEM);
        if (status == BT_OK) {
            same_judgement(plenty, &result);
        }
        bt_arena_free(&arena);
    }
    PROMISE(status == BT_OK);
}

/* Whatever the processor has, the answer is that of plain C. */
static void processor_changes_nothing(const struct bt_json_read_result *plain, bt_str text)
{
    for (size_t i = 0; i < bt_json_kernels_count; i++) {
        if (!bt_json_kernels[i].is_supported()) {
            continue;
        }
        struct bt_arena arena;
        struct bt_arena scratch;
        bt_arena_init(&arena, FUZZ_ARENA_BYTES);
        bt_arena_init(&scratch, FUZZ_ARENA_BYTES);
        struct bt_json_options options = bt_json_options_default();
        options.scratch = &scratch;
        struct bt_json_read_result result = {0};
        const struct bt_json_kernel *kernel = &bt_json_kernels[i];
        PROMISE(bt_json_read_with(&arena, text, &options, kernel, &result) == BT_OK);
        same_judgement(plain, &result);
        bt_arena_free(&arena);
        bt_arena_free(&scratch);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str text = fuzz_text(data, size);
    struct bt_arena arena;
    struct bt_arena other;
    struct bt_arena scratch;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    bt_arena_init(&other, FUZZ_ARENA_BYTES);
    bt_arena_init(&scratch, FUZZ_ARENA_BYTES);

    const struct bt_json_read_result once = read_seeded(&arena, text, 0, NULL);
    const struct bt_json_read_result again = read_seeded(&other, text, size, &scratch);
    same_judgement(&once, &again);
    judgement_is_sound(&once, text);
    if (once.document) {
        values_are_sound(once.document);
    }
    scarce_memory_changes_nothing(&once, text);
    if (size > 0) {
        processor_changes_nothing(&once, text);
    }

    bt_arena_free(&scratch);
    bt_arena_free(&other);
    bt_arena_free(&arena);
    return 0;
}
