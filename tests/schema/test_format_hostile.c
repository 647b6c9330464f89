/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_format_hostile.c - texts made to hurt: cut short, against a page that cannot be read,
 * random, and long.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "schema/test_format.h"

#include <sys/mman.h>
#include <unistd.h>

/* Some memory between two pages that cannot be touched. */
struct fence {
    char *pages;
    size_t page;
};

static struct fence fence_make(void)
{
    struct fence fence = {.page = (size_t)sysconf(_SC_PAGESIZE)};
    fence.pages = mmap(NULL, 3 * fence.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(fence.pages, MAP_FAILED);
    assert_int_equal(mprotect(fence.pages + fence.page, fence.page, PROT_READ | PROT_WRITE), 0);
    return fence;
}

static void fence_end(struct fence *fence)
{
    assert_int_equal(munmap(fence->pages, 3 * fence->page), 0);
}

/* The text copied against the page before it, or the page behind it. */
static bt_str fence_put(struct fence *fence, bt_str text, bool is_behind)
{
    char *at = fence->pages + (is_behind ? 2 * fence->page - text.len : fence->page);
    if (text.len > 0) {
        memcpy(at, text.ptr, text.len);
    }
    return (bt_str){at, text.len};
}

/* Ask all drafts; the answer is the same when asked twice. */
static void check_everywhere(const char *name, bt_str text)
{
    for (size_t i = 0; i < COUNT_OF(all_drafts); i++) {
        const struct bt_schema_format *format =
            bt_schema_format_find(bt_str_of(name), all_drafts[i]);
        if (format) {
            const enum bt_schema_format_answer answer = bt_schema_format_check(format, text);
            assert_true(answer == BT_SCHEMA_FORMAT_YES || answer == BT_SCHEMA_FORMAT_NO);
            assert_int_equal(bt_schema_format_check(format, text), answer);
        }
    }
}

static void nothing_beyond_the_text_is_read(void **state)
{
    (void)state;
    struct fence fence = fence_make();
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const bt_str whole = bt_str_of(samples[i].text);
        for (size_t size = 0; size <= whole.len; size++) {
            for (size_t j = 0; j < COUNT_OF(samples); j++) { /* every format, not only its own */
                for (int is_behind = 0; is_behind < 2; is_behind++) {
                    check_everywhere(samples[j].name,
                                     fence_put(&fence, (bt_str){whole.ptr, size}, is_behind != 0));
                }
            }
        }
    }
    fence_end(&fence);
}

/* xorshift64*: the same numbers in every run. */
static uint32_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (uint32_t)(*seed * UINT64_C(2685821657736338717) >> 32);
}

/* Mostly what some format has a meaning for. */
static char random_byte(uint64_t *seed)
{
    static const char special[] =
        "0123456789abcfxPTZ-:./~#%@[]{}\"\\+,?&_*()\xcc\x81\xd7\x90\xe2\x80\x8c";
    const uint32_t number = next_random(seed);
    return number % 8 == 0 ? (char)(number >> 8) : special[(number >> 8) % (sizeof(special) - 1)];
}

static void random_texts_are_judged(void **state)
{
    (void)state;
    struct fence fence = fence_make();
    uint64_t seed = UINT64_C(0x5eed0f0f0f0f0f01);
    char text[96];
    for (int round = 0; round < 40000; round++) {
        const struct sample *sample = &samples[(size_t)round % COUNT_OF(samples)];
        const bt_str whole = bt_str_of(sample->text);
        size_t size = next_random(&seed) % (sizeof(text) + 1);
        if (round % 2 == 0) { /* a sample with some bytes changed */
            size = whole.len < sizeof(text) ? whole.len : sizeof(text);
            memcpy(text, whole.ptr, size);
            for (uint32_t changes = 1 + next_random(&seed) % 3; changes > 0; changes--) {
                text[next_random(&seed) % size] = random_byte(&seed);
            }
        } else {
            for (size_t i = 0; i < size; i++) {
                text[i] = random_byte(&seed);
            }
        }
        check_everywhere(sample->name, fence_put(&fence, (bt_str){text, size}, true));
    }
    fence_end(&fence);
}

/* Long runs of whatever could make a scanner look back or ahead. Linear, so it is over soon. */
static void long_texts_are_judged(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "a",
        ".",
        "a.",
        "1",
        "1:",
        "::",
        "/",
        "~",
        "~0",
        "%",
        "%41",
        "{",
        "{a}",
        "}",
        "@",
        "a@",
        "\"",
        "\\a",
        "[",
        "#",
        "?",
        "-",
        "xn--a.",
        "P1D",
        "1Y",
        "\xcc\x81",
        "\xc3\xa9.",
        "((",
        "a\xcc\x81",
        " ",
        "\xd7\x90",
        "\xe2\x80\x8c",
        "\xe3\x80\x82",
        "a,",
        "\xe3\x83\xbb",
        "\xff",
    };
    static const char *const heads[] = {"", "P", "a:", "//", "\"", "{", "a@", "rgb(", "0/", "1"};
    const size_t size_max = (size_t)1 << 17;
    char *text = malloc(size_max);
    assert_non_null(text);
    for (size_t i = 0; i < COUNT_OF(bodies) * COUNT_OF(heads); i++) {
        const bt_str head = bt_str_of(heads[i % COUNT_OF(heads)]);
        const bt_str body = bt_str_of(bodies[i / COUNT_OF(heads)]);
        size_t size = head.len;
        memcpy(text, head.ptr, head.len);
        while (size + body.len <= size_max) {
            memcpy(text + size, body.ptr, body.len);
            size += body.len;
        }
        for (size_t j = 0; j < COUNT_OF(samples); j++) {
            const struct bt_schema_format *format =
                bt_schema_format_find(bt_str_of(samples[j].name), BT_SCHEMA_DRAFT_V1);
            if (format && format->has) { /* patterns of this size are beyond the bounds */
                (void)format->has((bt_str){text, size});
            }
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_beyond_the_text_is_read),
        cmocka_unit_test(random_texts_are_judged),
        cmocka_unit_test(long_texts_are_judged),
    };
    return RUN_TESTS(tests);
}
