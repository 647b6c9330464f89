/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - a perfect hash table of names.
 */
#ifndef BATON_SRC_SCHEMA_NAMES_H
#define BATON_SRC_SCHEMA_NAMES_H

#include <string.h>

#include "schema/program.h"

/* Give a property its name, which stays where it is. */
void bt_property_name(struct bt_property *property, bt_str name);
/* Make the table of `count` properties, whose names differ and have these hashes. */
BT_MUST_USE enum bt_status bt_names_make(struct bt_arena *arena, const uint32_t *hashes,
                                         uint32_t count, struct bt_names *out);

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

/* How many bytes from the begin of the source on have 16 bytes of it behind them. Names mostly
 * stand in the source, and may be compared by words there, whatever their length. */
static inline size_t bt_names_reach(bt_str source)
{
    return source.len > 16 ? source.len - 16 : 0;
}

static inline __attribute__((always_inline)) bool
bt_property_is(const struct bt_property *property, const struct bt_json_member *member,
               const char *source, size_t reach)
{
    const char *name = member->name;
    if (__builtin_expect((uintptr_t)name - (uintptr_t)source >= reach, 0)) {
        return property->name_size == member->name_size &&
               bt_name_equal(property->name, name, member->name_size);
    }
    /* One comparison for all that can differ, since nothing is more often equal. */
    const uint64_t differ = ((bt_name_word(name) ^ property->words[0]) & property->masks[0]) |
                            ((bt_name_word(name + 8) ^ property->words[1]) & property->masks[1]) |
                            (property->name_size ^ member->name_size);
    return differ == 0 && (__builtin_expect(property->name_size <= 16, 1) ||
                           memcmp(property->name + 16, name + 16, property->name_size - 16) == 0);
}

/* The property that has the member's name, or NULL. `hash` is the schema's for that name; the
 * object has at least one property. */
static inline __attribute__((always_inline)) const struct bt_property *
bt_names_find(const struct bt_object *object, const struct bt_json_member *member, uint32_t hash,
              const char *source, size_t reach)
{
    const struct bt_names *names = &object->names;
    /* The product is taken in 32 bits on purpose: its high bits depend on all of the hash. */
    const struct bt_slot *slot = &names->slots[(hash * names->multiplier) >> names->shift];
    if (__builtin_expect(slot->hash == hash, 1)) {
        const struct bt_property *property = &object->properties[slot->index];
        if (__builtin_expect(bt_property_is(property, member, source, reach), 1)) {
            return property;
        }
    }
    for (uint32_t i = 1; i < names->probes; i++) {
        const struct bt_property *property = &object->properties[slot[i].index];
        if (slot[i].hash == hash && bt_property_is(property, member, source, reach)) {
            return property;
        }
    }
    return NULL;
}

#endif
