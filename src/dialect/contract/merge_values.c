/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_values.c - two lists -> one without repetitions.
 *
 * Items are sorted by a hash under which equal values are equal, so only neighbours are compared,
 * and lists of any length take n log n steps.
 */
#include "dialect/contract/contract_check.h"

#include <assert.h>

#include "report/sort.h"
#include "schema/value_hash.h"

struct contract_merge_items {
    struct bt_arena *arena;
    bt_ref lists[2];
    size_t first; /* so many are of the first list */
    size_t count;
    uint64_t *hashes;
    size_t *order;
    size_t *scratch;
    bool *kept;
};

static bt_ref item_at(const struct contract_merge_items *items, size_t index)
{
    const size_t list = index < items->first ? 0 : 1;
    const bt_ref from = items->lists[list];
    const size_t place = list == 0 ? index : index - items->first;
    return (bt_ref){from.document, &bt_json_items(from.value)[place]};
}

static enum bt_status items_init(struct contract_merge_items *items, const uint64_t seed[2])
{
    struct bt_arena *arena = items->arena;
    const size_t count = items->count;
    items->hashes = BT_NEW_ARRAY(arena, uint64_t, count + 1);
    items->order = BT_NEW_ARRAY(arena, size_t, count + 1);
    items->scratch = BT_NEW_ARRAY(arena, size_t, count + 1);
    items->kept = BT_NEW_ARRAY(arena, bool, count + 1);
    BT_TRY(items->hashes && items->order && items->scratch && items->kept ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < count; i++) {
        const bt_ref item = item_at(items, i);
        uint64_t nodes = 0;
        items->order[i] = i;
        BT_TRY(bt_schema_value_hash(item.document, item.value, seed, arena, &items->hashes[i],
                                    &nodes));
    }
    return BT_OK;
}

static int compare_hashes(const void *context, size_t a, size_t b)
{
    const struct contract_merge_items *items = context;
    return (items->hashes[a] > items->hashes[b]) - (items->hashes[a] < items->hashes[b]);
}

/* Whether one of the kept items from `begin` of the order on, which have the hash of the one at
 * `place`, equals it. Of equal items the first is kept, so it is soon found. */
static enum bt_status is_repeated(const struct contract_merge_items *items, size_t begin,
                                  size_t place, bool *out)
{
    const bt_ref item = item_at(items, items->order[place]);
    *out = false;
    for (size_t i = begin; i < place && !*out; i++) {
        if (items->kept[items->order[i]]) {
            const bt_ref earlier = item_at(items, items->order[i]);
            BT_TRY(bt_json_equal(item.document, item.value, earlier.document, earlier.value,
                                 items->arena, out));
        }
    }
    return BT_OK;
}

static enum bt_status keep_first_ones(struct contract_merge_items *items)
{
    size_t begin = 0; /* of the run of equal hashes */
    bt_sort_indices(items->order, items->scratch, items->count, compare_hashes, items);
    for (size_t i = 0; i < items->count; i++) {
        bool repeated = false;
        begin = compare_hashes(items, items->order[begin], items->order[i]) == 0 ? begin : i;
        BT_TRY(is_repeated(items, begin, i, &repeated));
        items->kept[items->order[i]] = !repeated;
    }
    return BT_OK;
}

/* The name of a kept object, or NULL. */
static const bt_json_value *name_of(const struct contract_merge_items *items, size_t index)
{
    const bt_ref item = item_at(items, index);
    const bt_json_value *name =
        items->kept[index] ? bt_json_get(item.document, item.value, BT_STR("name")) : NULL;
    return name && bt_json_type(name) == BT_JSON_STRING ? name : NULL;
}

static int compare_names(const void *context, size_t a, size_t b)
{
    const bt_json_value *one = name_of(context, a);
    const bt_json_value *other = name_of(context, b);
    if (!one || !other) {
        return (one != NULL) - (other != NULL);
    }
    return bt_str_compare(bt_json_text(one), bt_json_text(other));
}

static bool has_same_name(const struct contract_merge_items *items)
{
    bt_sort_indices(items->order, items->scratch, items->count, compare_names, items);
    for (size_t i = 1; i < items->count; i++) {
        if (name_of(items, items->order[i]) &&
            compare_names(items, items->order[i - 1], items->order[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_changed(const struct contract_merge_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        if (items->kept[i] != (i < items->first)) {
            return true;
        }
    }
    return false;
}

static enum bt_status list_kept(const struct contract_merge_items *items,
                                struct bt_contract_merged_value *out)
{
    bt_ref *kept = BT_NEW_ARRAY(items->arena, bt_ref, items->count + 1);
    BT_TRY(kept ? BT_OK : BT_ENOMEM);
    for (size_t i = 0; i < items->count; i++) {
        if (items->kept[i]) {
            kept[out->count++] = item_at(items, i);
        }
    }
    out->items = kept;
    return BT_OK;
}

enum bt_status bt_contract_merge_values(struct bt_arena *arena, bt_ref a, bt_ref b,
                                        const uint64_t seed[2],
                                        struct bt_contract_merged_value *out)
{
    assert(bt_json_type(a.value) == BT_JSON_ARRAY);
    assert(bt_json_type(b.value) == BT_JSON_ARRAY);
    struct contract_merge_items items = {.arena = arena,
                                         .lists = {a, b},
                                         .first = bt_json_count(a.value),
                                         .count = bt_json_count(a.value) + bt_json_count(b.value)};
    struct bt_contract_merged_value united = {.items = NULL};
    BT_TRY(items_init(&items, seed));
    BT_TRY(keep_first_ones(&items));
    united.changed = is_changed(&items);
    united.same_name = has_same_name(&items);
    if (united.changed) {
        BT_TRY(list_kept(&items, &united));
    }
    *out = united;
    return BT_OK;
}
