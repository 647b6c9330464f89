/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count_blocks.c - a library to preload that counts the blocks of malloc() that are in use.
 */
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static _Atomic long blocks;

long blocks_in_use(void);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **out, size_t alignment, size_t size);
void free(void *block);

long blocks_in_use(void)
{
    return blocks;
}

static void *count_block(void *block)
{
    if (block) {
        blocks++;
    }
    return block;
}

void *malloc(size_t size)
{
    return count_block(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return count_block(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    void *moved = __libc_realloc(block, size);
    if (!block) {
        return count_block(moved);
    }
    if (size == 0) {
        blocks--;
    }
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return count_block(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = count_block(__libc_memalign(alignment, size));
    return *out ? 0 : 12;
}

void free(void *block)
{
    if (block) {
        blocks--;
    }
    __libc_free(block);
}
