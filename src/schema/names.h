/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - a perfect hash table of names.
 */
#ifndef BATON_SRC_SCHEMA_NAMES_H
#define BATON_SRC_SCHEMA_NAMES_H

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "schema/program.h"

/* Give a property its name. */
void bt_schema_property_name(struct bt_schema_property *property, bt_str name, uint32_t hash);
/* Make the table of `count` properties, whose names differ. The one behind them has BT_NO_KEY. */
BT_MUST_USE enum bt_status bt_schema_names_make(struct bt_arena *arena,
                                                const struct bt_schema_property *properties,
                                                uint32_t count, struct bt_schema_names *out);

/* A key that no name has: none is so long. */
#define BT_NO_KEY ((uint64_t)UINT32_MAX)

/* Size and hash of a name, in the order in which they stand in a member: one load gives both. */
static inline uint64_t bt_name_key(uint32_t size, uint32_t hash)
{
    return (uint64_t)hash << 32 | size;
}

/* Words that may stand anywhere. Read through pointers, not copied: a local whose address is taken
 * would have the compiler guard the stack of every function this is inlined into. */
__extension__ typedef uint64_t bt_loose_word __attribute__((aligned(1), may_alias));
__extension__ typedef uint32_t bt_loose_half __attribute__((aligned(1), may_alias));

static inline uint64_t bt_name_word(const char *bytes)
{
    return *(const bt_loose_word *)(const void *)bytes;
}

static inline uint32_t bt_name_half(const char *bytes)
{
    return *(const bt_loose_half *)(const void *)bytes;
}

/* Whether two names of one size are equal. Most names are short, and a call would take longer than
 * two loads that overlap. */
static inline bool bt_name_equal(const char *a, const char *b, size_t size)
{
    if (size > 16) {
        return memcmp(a, b, size) == 0;
    }
    if (size >= 8) {
        return ((bt_name_word(a) ^ bt_name_word(b)) |
                (bt_name_word(a + size - 8) ^ bt_name_word(b + size - 8))) == 0;
    }
    if (size >= 4) {
        return ((bt_name_half(a) ^ bt_name_half(b)) |
                (bt_name_half(a + size - 4) ^ bt_name_half(b + size - 4))) == 0;
    }
    /* Up to three bytes: first, middle and last cover them all. */
    return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}

/* Where a key has its place. The product is cut to 64 bits on purpose: its high bits depend on all
 * of the key. */
static inline size_t bt_schema_names_place(const struct bt_schema_names *names, uint64_t key)
{
    return (key * names->multiplier) >> names->shift;
}

/* Whether 16 bytes of a text differ from those of a head; those beyond the head do not count. */
static inline bool bt_schema_heads_differ(const uint8_t *head, const uint8_t *beyond,
                                          const char *text)
{
#ifdef __SSE2__
    const __m128i same = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)text),
                                        _mm_load_si128((const __m128i *)(const void *)head));
    const __m128i ignored = _mm_load_si128((const __m128i *)(const void *)beyond);
    return _mm_movemask_epi8(_mm_or_si128(same, ignored)) != 0xffff;
#else
    const char *a = (const char *)head;
    const char *b = (const char *)beyond;
    return (((bt_name_word(text) ^ bt_name_word(a)) & ~bt_name_word(b)) |
            ((bt_name_word(text + 8) ^ bt_name_word(a + 8)) & ~bt_name_word(b + 8))) != 0;
#endif
}

/* Whether a property and a name of its key differ, as far as 16 bytes tell. A name that is longer
 * always differs. */
static inline bool bt_schema_name_heads_differ(const struct bt_schema_property *property,
                                               const char *name)
{
    return bt_schema_heads_differ(property->head, property->beyond, name);
}

/* Whether a name of the property's key is the property's. One that is longer than the head never
 * seems to be. */
static inline bool bt_schema_name_head_is(const struct bt_schema_property *property,
                                          const char *name, size_t size)
{
    return size <= sizeof(property->head) &&
           bt_name_equal((const char *)property->head, name, size);
}

/* bt_plan_name_table_find() in all cases, one name after the other. */
const struct bt_schema_property *bt_schema_names_find_any(const struct bt_schema_object *object,
                                                          const struct bt_json_member *member,
                                                          uint64_t key);

/* The property that has the member's name, whose key is given, or NULL. With `is_wide`, 16 bytes of
 * the name can be read, however short it is. */
static inline __attribute__((always_inline)) const struct bt_schema_property *
bt_schema_names_find(const struct bt_schema_object *object, const struct bt_json_member *member,
                     uint64_t key, bool is_wide)
{
    const struct bt_schema_names *names = &object->names;
    const struct bt_schema_property *property = names->slots[bt_schema_names_place(names, key)];
    if (__builtin_expect(property->key != key, 0)) {
        return names->probes == 1 ? NULL : bt_schema_names_find_any(object, member, key);
    }
    const bool is_found = is_wide ? !bt_schema_name_heads_differ(property, member->name)
                                  : bt_schema_name_head_is(property, member->name, (uint32_t)key);
    return __builtin_expect(is_found, 1) ? property : bt_schema_names_find_any(object, member, key);
}

#endif
