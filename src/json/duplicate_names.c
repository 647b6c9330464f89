/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duplicate_names.c - find a repeated member name, in linear time even for names chosen by an
 * attacker.
 *
 * Names go one by one into an open table by their hash. With a random seed an attacker cannot
 * construct collisions. Without one, probes are counted, and when there are too many the names
 * are sorted instead.
 */
#include "json/build.h"

#include <assert.h>
#include <string.h>

static bt_str name_of(const struct bt_json_member *members, size_t i)
{
    return (bt_str){members[i].name, members[i].name_size};
}

/* A table of at least twice `count` entries, a power of two. NULL when memory runs out. */
static uint32_t *make_table(struct bt_json_build *build, size_t count)
{
    size_t size = 64;
    while (size < count * 2) {
        size *= 2;
    }
    if (size > build->table_size) {
        build->table = bt_arena_alloc(build->scratch, size * sizeof(*build->table));
        build->table_size = build->table ? size : 0;
        build->failure.status = build->table ? build->failure.status : BT_ENOMEM;
    }
    if (build->table) {
        build->table_size = size;
        memset(build->table, 0, size * sizeof(*build->table));
    }
    return build->table;
}

/* By name, then by place: a heap sort, since it needs no memory and has no bad case. */
static bool sorts_before(const struct bt_json_member *members, uint32_t a, uint32_t b)
{
    const int order = bt_str_compare(name_of(members, a), name_of(members, b));
    return order != 0 ? order < 0 : a < b;
}

static void sift_down(const struct bt_json_member *members, uint32_t *heap, size_t root,
                      size_t count)
{
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= count) {
            return;
        }
        if (child + 1 < count && sorts_before(members, heap[child], heap[child + 1])) {
            child++;
        }
        if (!sorts_before(members, heap[root], heap[child])) {
            return;
        }
        const uint32_t moved = heap[root];
        heap[root] = heap[child];
        heap[child] = moved;
        root = child;
    }
}

static size_t find_by_sorting(const struct bt_json_member *members, size_t count, uint32_t *order)
{
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t i = count / 2; i > 0; i--) {
        sift_down(members, order, i - 1, count);
    }
    for (size_t left = count; left > 1; left--) {
        const uint32_t last = order[0];
        order[0] = order[left - 1];
        order[left - 1] = last;
        sift_down(members, order, 0, left - 1);
    }
    size_t first = count;
    for (size_t i = 1; i < count; i++) {
        if (order[i] < first &&
            bt_str_eq(name_of(members, order[i]), name_of(members, order[i - 1]))) {
            first = order[i];
        }
    }
    return first;
}

size_t bt_json_find_duplicate_name(struct bt_json_build *build,
                                   const struct bt_json_member *members, size_t count)
{
    uint32_t *table = count > 1 ? make_table(build, count) : NULL;
    if (!table) {
        return count;
    }
    const size_t mask = build->table_size - 1;
    size_t probes_left = 16 * count + 64;
    for (size_t i = 0; i < count; i++) {
        size_t slot = members[i].name_hash & mask;
        for (; table[slot] != 0; slot = (slot + 1) & mask) {
            const size_t other = table[slot] - 1;
            if (members[other].name_hash == members[i].name_hash &&
                bt_str_eq(name_of(members, other), name_of(members, i))) {
                return i;
            }
            if (probes_left-- == 0) {
                return find_by_sorting(members, count, table);
            }
        }
        table[slot] = (uint32_t)i + 1;
    }
    return count;
}
