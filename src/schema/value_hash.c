/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value_hash.c - equal values have equal hashes.
 */
#include "schema/value_hash.h"

#include <assert.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/keyed_hash.h"
#include "base/vec.h"
#include "json/decimal.h"
#include "json/doc.h"
#include "json/text_hash.h"

/* A number that fits int64 hashes as that integer, any other by its digits and its magnitude; both
 * depend on the value alone. */
static uint64_t number_hash(bt_str text, uint64_t seed)
{
    const struct bt_json_decimal decimal = bt_json_decimal_parse(text);
    const size_t count = bt_json_decimal_count(&decimal);
    const int64_t point = bt_json_decimal_point(&decimal);
    if (count == 0) {
        return bt_json_hash_combine(seed, 0);
    }
    if (point >= (int64_t)count && point <= 18) {
        int64_t integer = 0;
        for (int64_t i = 0; i < point; i++) {
            const size_t index = (size_t)i;
            integer = integer * 10 + (index < count ? bt_json_decimal_digit(&decimal, index) : 0);
        }
        return bt_json_hash_combine(seed, (uint64_t)(decimal.negative ? -integer : integer));
    }
    uint64_t hash = bt_json_hash_combine(seed + (decimal.negative ? 1 : 0), (uint64_t)point);
    for (size_t i = 0; i < count;) {
        uint64_t digits = 1; /* so that "01" differs from "1" */
        for (size_t end = i + 18; i < count && i < end; i++) {
            digits = digits * 10 + bt_json_decimal_digit(&decimal, i);
        }
        hash = bt_json_hash_combine(hash, digits);
    }
    return hash;
}

static uint64_t integer_hash(int64_t integer, uint64_t seed)
{
    /* Up to 18 digits go the short way above; so must they here, and the rest by their digits. */
    if (integer > -INT64_C(1000000000000000000) && integer < INT64_C(1000000000000000000)) {
        return bt_json_hash_combine(seed, (uint64_t)integer);
    }
    char text[24];
    size_t at = sizeof(text);
    uint64_t left = integer < 0 ? (uint64_t)0 - (uint64_t)integer : (uint64_t)integer;
    while (left > 0) {
        text[--at] = (char)('0' + left % 10);
        left /= 10;
    }
    if (integer < 0) {
        text[--at] = '-';
    }
    return number_hash((bt_str){text + at, sizeof(text) - at}, seed);
}

uint64_t bt_schema_scalar_hash(const struct bt_json_doc *document, const bt_json_value *value,
                               uint64_t seed)
{
    switch (bt_json_type(value)) {
    case BT_JSON_STRING:
        return bt_json_hash_text(seed, bt_json_text(value));
    case BT_JSON_INTEGER:
        return integer_hash(value->as.integer, seed + 2);
    case BT_JSON_NUMBER:
        return number_hash(bt_json_number_text(document, value), seed + 2);
    case BT_JSON_NULL:
    case BT_JSON_FALSE:
    case BT_JSON_TRUE:
    case BT_JSON_ARRAY:
    case BT_JSON_OBJECT:
    case BT_JSON_NONE:
        break;
    }
    return bt_json_hash_combine(seed + 4, value->type);
}

/* A container whose children are being hashed. */
struct schema_value_hash_level {
    const bt_json_value *container;
    uint64_t hash;
    uint32_t next;
};

struct schema_value_hash_state {
    const struct bt_json_doc *document;
    const uint64_t *seed;
    bool same_seed; /* the document's name hashes will do */
    struct bt_arena *arena;
    BT_VEC(struct schema_value_hash_level) levels;
    uint64_t nodes;
};

static enum bt_status push_level(struct schema_value_hash_state *hashing,
                                 const bt_json_value *container)
{
    return bt_vec_push(
        hashing->arena, &hashing->levels,
        (struct schema_value_hash_level){
            container, bt_json_hash_combine(hashing->seed[0] + container->type, container->size),
            0});
}

/* Add the hash of the child before level->next. Items are ordered, members are not. */
static void combine_child(const struct schema_value_hash_state *hashing,
                          struct schema_value_hash_level *level, uint64_t child)
{
    if (bt_json_type(level->container) == BT_JSON_ARRAY) {
        level->hash = bt_json_hash_combine(level->hash, child);
        return;
    }
    const struct bt_json_member *member = &level->container->as.members[level->next - 1];
    const uint32_t name = hashing->same_seed
                              ? member->name_hash
                              : bt_hash_bytes(hashing->seed, member->name, member->name_size);
    level->hash += bt_json_hash_combine(name, child);
}

static enum bt_status hash_container(struct schema_value_hash_state *hashing,
                                     const bt_json_value *value, uint64_t *out)
{
    BT_TRY(push_level(hashing, value));
    for (;;) {
        struct schema_value_hash_level *level = &hashing->levels.items[hashing->levels.count - 1];
        if (level->next == level->container->size) {
            const uint64_t hash = level->hash;
            if (--hashing->levels.count == 0) {
                *out = hash;
                return BT_OK;
            }
            combine_child(hashing, &hashing->levels.items[hashing->levels.count - 1], hash);
            continue;
        }
        const uint32_t i = level->next++;
        const bt_json_value *child = bt_json_type(level->container) == BT_JSON_ARRAY
                                         ? &level->container->as.items[i]
                                         : &level->container->as.members[i].value;
        hashing->nodes++;
        if (bt_json_count(child) > 0) {
            BT_TRY(push_level(hashing, child));
        } else {
            combine_child(hashing, level,
                          bt_schema_scalar_hash(hashing->document, child, hashing->seed[0]));
        }
    }
}

enum bt_status bt_schema_value_hash(const struct bt_json_doc *document, const bt_json_value *value,
                                    const uint64_t seed[2], struct bt_arena *arena,
                                    uint64_t *out_hash, uint64_t *out_nodes)
{
    if (bt_json_count(value) == 0) {
        *out_hash = bt_schema_scalar_hash(document, value, seed[0]);
        *out_nodes = 1;
        return BT_OK;
    }
    struct schema_value_hash_state hashing = {.document = document,
                                              .seed = seed,
                                              .same_seed = document->seed[0] == seed[0] &&
                                                           document->seed[1] == seed[1],
                                              .arena = arena};
    const struct bt_arena_mark mark = bt_arena_mark(arena);
    const enum bt_status status = hash_container(&hashing, value, out_hash);
    bt_arena_rewind(arena, mark);
    *out_nodes = hashing.nodes + 1;
    return status;
}
