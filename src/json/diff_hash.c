/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_hash.c - the hash of every value of a document.
 *
 * The values are laid out level by level, children behind their parents, so one pass forward places
 * them, one pass backward hashes them, and neither needs a stack.
 */
#include "json/diff.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "json/text_hash.h"

/* Always the same, so that a diff depends on the documents alone. */
static const uint64_t no_seed = 0;

static uint64_t hash_number(const bt_json_value *number)
{
    /* Equal numbers have the same nearest double; 0 and -0 are made one. */
    const double nearest = bt_json_to_double(number) + 0.0;
    uint64_t bits = 0;
    memcpy(&bits, &nearest, sizeof(bits));
    return bt_json_hash_combine(BT_JSON_NUMBER, bits);
}

static uint64_t hash_name(const struct bt_json_member *member)
{
    return bt_json_hash_text(no_seed, bt_json_name(member));
}

static uint64_t hash_children(const bt_json_value *value, const struct bt_json_diff_node *children)
{
    const size_t count = bt_json_count(value);
    uint64_t hash = bt_json_hash_combine(value->type, count);
    for (size_t i = 0; i < count; i++) {
        if (value->type == BT_JSON_ARRAY) {
            hash = bt_json_hash_combine(hash, children[i].hash);
        } else {
            /* A sum, since the order of members means nothing. */
            hash += bt_json_hash_combine(hash_name(&value->as.members[i]), children[i].hash);
        }
    }
    return hash;
}

static uint64_t hash_value(const struct bt_json_diff_node *shades,
                           const struct bt_json_diff_node *shade)
{
    const bt_json_value *value = shade->value;
    if (bt_json_is_number(value)) {
        return hash_number(value);
    }
    if (value->type == BT_JSON_STRING) {
        return bt_json_hash_combine(BT_JSON_STRING,
                                    bt_json_hash_text(no_seed, bt_json_text(value)));
    }
    return hash_children(value, shades + shade->first);
}

enum bt_status bt_json_diff_hash_nodes(const struct bt_json_doc *document, struct bt_arena *arena,
                                       struct bt_json_diff_node **out_shades)
{
    const uint64_t count = bt_json_node_count(document) + 1;
    assert(count < UINT32_MAX);
    struct bt_json_diff_node *shades = BT_NEW_ARRAY(arena, struct bt_json_diff_node, count);
    if (!shades) {
        return BT_ENOMEM;
    }
    size_t end = 0;
    shades[end++].value = bt_json_root(document);
    for (size_t i = 0; i < end; i++) {
        const bt_json_value *value = shades[i].value;
        shades[i].first = (uint32_t)end;
        for (size_t child = 0; child < bt_json_count(value); child++) {
            assert(end < count);
            shades[end++].value = value->type == BT_JSON_ARRAY ? &value->as.items[child]
                                                               : &value->as.members[child].value;
        }
    }
    for (size_t i = end; i-- > 0;) {
        shades[i].hash = hash_value(shades, &shades[i]);
    }
    *out_shades = shades;
    return BT_OK;
}
