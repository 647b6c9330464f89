/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.c - memory with one owner, one limit and one end.
 *
 * Chunks hang in a list, newest first; each allocation takes the next 16-byte aligned bytes of the
 * newest chunk. Under AddressSanitizer the unused part of a chunk is poisoned and 16 poisoned bytes
 * follow every allocation, since without them an overflow inside a chunk would go unseen.
 */
#define _DEFAULT_SOURCE /* MADV_HUGEPAGE */

#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/asan.h"
#include "base/uninitialized.h"

enum {
    ALIGNMENT = 16,
    CHUNK_BYTES_MIN = 4096,
    BRIEF_BYTES = 128,
    HUGE_PAGE_BYTES = 2 << 20,
    HUGE_CHUNK_BYTES_MIN = 2 * HUGE_PAGE_BYTES,
};

struct bt_arena_chunk {
    struct bt_arena_chunk *older;
    size_t size; /* bytes of data[] */
    _Alignas(ALIGNMENT) char data[];
};

void bt_arena_init(struct bt_arena *arena, size_t limit)
{
    assert(arena);
    *arena = (struct bt_arena){.limit = limit};
}

static void free_chunk(struct bt_arena *arena, struct bt_arena_chunk *chunk)
{
    arena->taken -= sizeof(*chunk) + chunk->size;
    BT_ASAN_UNPOISON(chunk->data, chunk->size);
    free(chunk);
}

/* Make `chunk` the newest one and `next` its first free byte. */
static void use_chunk(struct bt_arena *arena, struct bt_arena_chunk *chunk, char *next)
{
    arena->chunk = chunk;
    arena->next = next;
    arena->end = chunk ? chunk->data + chunk->size : NULL;
    if (chunk) {
        BT_ASAN_POISON(next, (size_t)(arena->end - next));
    }
}

void bt_arena_free(struct bt_arena *arena)
{
    assert(arena);
    bt_arena_rewind(arena, (struct bt_arena_mark){0});
}

void bt_arena_reset(struct bt_arena *arena)
{
    assert(arena);
    /* Chunks grow, so the newest is the largest. */
    struct bt_arena_chunk *kept = arena->chunk;
    if (!kept) {
        return;
    }
    while (kept->older) {
        struct bt_arena_chunk *older = kept->older;
        kept->older = older->older;
        free_chunk(arena, older);
    }
    use_chunk(arena, kept, kept->data);
}

struct bt_arena_mark bt_arena_mark(const struct bt_arena *arena)
{
    assert(arena);
    return (struct bt_arena_mark){arena->chunk, arena->next};
}

void bt_arena_rewind(struct bt_arena *arena, struct bt_arena_mark mark)
{
    assert(arena);
    struct bt_arena_chunk *chunk = arena->chunk;
    while (chunk != mark.chunk) {
        assert(chunk); /* a mark of another arena, or one that was rewound past */
        struct bt_arena_chunk *older = chunk->older;
        free_chunk(arena, chunk);
        chunk = older;
    }
    use_chunk(arena, chunk, mark.next);
}

/* The size of the next chunk: twice the last, at least `need`, cut to what the limit leaves. */
static size_t chunk_size(const struct bt_arena *arena, size_t need)
{
    size_t left = arena->limit - arena->taken;
    if (left < sizeof(struct bt_arena_chunk)) {
        return 0;
    }
    left -= sizeof(struct bt_arena_chunk);
    size_t size = arena->chunk ? arena->chunk->size : CHUNK_BYTES_MIN / 2;
    size = size > SIZE_MAX / 2 ? SIZE_MAX : size * 2;
    size = size < need ? need : size;
    return size < left ? size : left;
}

/* Memory for a chunk. A large one is asked for in huge pages, each of which is one page fault
 * instead of 512. */
static void *take_memory(size_t size)
{
#if defined(MADV_HUGEPAGE)
    void *memory = NULL;
    if (size >= HUGE_CHUNK_BYTES_MIN) {
        if (posix_memalign(&memory, HUGE_PAGE_BYTES, size) == 0) {
            (void)madvise(memory, size, MADV_HUGEPAGE);
        }
        return memory;
    }
#endif
    return malloc(size);
}

static bool add_chunk(struct bt_arena *arena, size_t need)
{
    const size_t size = chunk_size(arena, need);
    arena->system_refused = false;
    if (size < need) {
        return false;
    }
    struct bt_arena_chunk *chunk = take_memory(sizeof(*chunk) + size);
    if (!chunk) {
        arena->system_refused = true;
        return false;
    }
    chunk->older = arena->chunk;
    chunk->size = size;
    arena->taken += sizeof(*chunk) + size;
    use_chunk(arena, chunk, chunk->data);
    return true;
}

void *bt_arena_alloc(struct bt_arena *arena, size_t size)
{
    assert(arena);
    size_t room = size > 0 ? size : 1; /* even nothing has an address of its own */
    if (__builtin_add_overflow(room, (size_t)ALIGNMENT - 1 + BT_ASAN_GAP, &room)) {
        return NULL;
    }
    room &= ~(size_t)(ALIGNMENT - 1);
    if ((size_t)(arena->end - arena->next) < room && !add_chunk(arena, room)) {
        return NULL;
    }
    char *memory = arena->next;
    arena->next += room;
    BT_ASAN_UNPOISON(memory, size);
    return memory;
}

void bt_arena_shrink_last(struct bt_arena *arena, void *memory, size_t size)
{
    char *bytes = memory;
    assert(bytes >= arena->chunk->data);
    assert(size <= (size_t)(arena->next - bytes));
    size_t room = (size + (size_t)ALIGNMENT - 1 + BT_ASAN_GAP) & ~(size_t)(ALIGNMENT - 1);
    room = room < (size_t)(arena->next - bytes) ? room : (size_t)(arena->next - bytes);
    BT_ASAN_POISON(bytes + size, (size_t)(arena->next - bytes) - size);
    arena->next = bytes + room;
}

void *bt_arena_calloc(struct bt_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    void *memory = bt_arena_alloc(arena, bytes);
    if (memory && bytes > 0) {
        memset(memory, 0, bytes);
    }
    return memory;
}

enum bt_status bt_arena_copy(struct bt_arena *arena, bt_str text, bt_str *out)
{
    assert(out);
    if (text.len == SIZE_MAX) {
        return BT_ENOMEM;
    }
    char *copy = bt_arena_alloc(arena, text.len + 1);
    if (!copy) {
        return BT_ENOMEM;
    }
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    copy[text.len] = '\0';
    *out = (bt_str){copy, text.len};
    return BT_OK;
}

enum bt_status bt_arena_printf(struct bt_arena *arena, bt_str *out, const char *format, ...)
{
    assert(out);
    BT_UNCLEARED char brief[BRIEF_BYTES]; /* most texts are, and need no second look */
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(brief, sizeof(brief), format, arguments);
    va_end(arguments);
    if (size < 0) {
        return BT_EINVAL;
    }
    if ((size_t)size < sizeof(brief)) {
        return bt_arena_copy(arena, (bt_str){brief, (size_t)size}, out);
    }
    char *text = bt_arena_alloc(arena, (size_t)size + 1);
    if (!text) {
        return BT_ENOMEM;
    }
    va_start(arguments, format);
    const int written = vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    assert(written == size);
    *out = (bt_str){text, (size_t)written};
    return BT_OK;
}

void *bt_handle_create(size_t size)
{
    return calloc(1, size);
}

void bt_handle_destroy(void *handle)
{
    free(handle);
}

struct bt_arena *bt_arena_create(size_t limit)
{
    struct bt_arena *arena = bt_handle_create(sizeof(*arena));
    if (arena) {
        bt_arena_init(arena, limit);
    }
    return arena;
}

void bt_arena_destroy(struct bt_arena *arena)
{
    if (arena) {
        bt_arena_free(arena);
        bt_handle_destroy(arena);
    }
}
