/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.c - sort and match members without a quadratic case.
 *
 * Hash tables would work, but an attacker who knows the seed can make names collide; sorting by
 * hash and then by name has no bad case.
 */
#include "json/members.h"

#include <assert.h>
#include <string.h>

#include "json/doc.h"

/* Objects this small are matched by looking at each pair of members. */
enum { FEW_PAIRS = 256 };

struct json_member_sort {
    const struct bt_json_member *members;
    bt_json_name_order_fn *order;
};

static bool is_after(const struct json_member_sort *sorting, struct bt_json_member_key a,
                     struct bt_json_member_key b)
{
    if (a.key != b.key || !sorting->order) {
        return a.key > b.key;
    }
    return sorting->order(bt_json_name(&sorting->members[a.index]),
                          bt_json_name(&sorting->members[b.index])) > 0;
}

/* Merge the sorted runs from[0..middle) and from[middle..count) to `to`. */
static void merge_runs(const struct json_member_sort *sorting,
                       const struct bt_json_member_key *from, size_t middle, size_t count,
                       struct bt_json_member_key *to)
{
    if (middle >= count || !is_after(sorting, from[middle - 1], from[middle])) {
        memcpy(to, from, count * sizeof(*to));
        return;
    }
    size_t left = 0;
    size_t right = middle;
    for (size_t i = 0; i < count; i++) {
        const bool take_right =
            left == middle || (right < count && is_after(sorting, from[left], from[right]));
        to[i] = from[take_right ? right++ : left++];
    }
}

void bt_json_members_sort(struct bt_json_member_key *keys, struct bt_json_member_key *spare,
                          size_t count, const struct bt_json_member *members,
                          bt_json_name_order_fn *order)
{
    const struct json_member_sort sorting = {members, order};
    struct bt_json_member_key *from = keys;
    struct bt_json_member_key *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            const size_t left = count - first;
            merge_runs(&sorting, from + first, width, left < 2 * width ? left : 2 * width,
                       to + first);
        }
        struct bt_json_member_key *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof(*keys));
    }
}

static bool same_seed(const struct bt_json_doc *a, const struct bt_json_doc *b)
{
    return a->seed[0] == b->seed[0] && a->seed[1] == b->seed[1];
}

static bool same_name(const struct bt_json_member *a, const struct bt_json_member *b)
{
    return bt_str_eq(bt_json_name(a), bt_json_name(b));
}

/* Two objects, of which the first `skip` members have been matched already. */
struct json_members_match {
    bt_ref a;
    bt_ref b;
    size_t skip;
    size_t a_count;
    size_t b_count;
};

static void match_few(const struct json_members_match *match, uint32_t *out_partners)
{
    const struct bt_json_member *a = match->a.value->as.members;
    const struct bt_json_member *b = match->b.value->as.members;
    for (size_t i = match->skip; i < match->a_count; i++) {
        size_t j = match->skip;
        while (j < match->b_count && !same_name(&a[i], &b[j])) {
            j++;
        }
        out_partners[i] = j < match->b_count ? (uint32_t)j : BT_NO_MEMBER;
    }
}

/* Put the keys of the members from `skip` on, sorted, with the hashes that `hashed` has. */
static void sort_keys(bt_ref object, size_t skip, const struct bt_json_doc *hashed,
                      struct bt_json_member_key *keys, struct bt_json_member_key *spare)
{
    const struct bt_json_member *members = object.value->as.members;
    const size_t count = bt_json_count(object.value);
    const bool have_hash = same_seed(object.document, hashed);
    for (size_t i = skip; i < count; i++) {
        const uint32_t hash =
            have_hash ? members[i].name_hash : bt_json_name_hash(hashed, bt_json_name(&members[i]));
        keys[i - skip] = (struct bt_json_member_key){hash, (uint32_t)i};
    }
    bt_json_members_sort(keys, spare, count - skip, members, bt_str_compare);
}

static int compare_keys(const struct json_members_match *match, struct bt_json_member_key a,
                        struct bt_json_member_key b)
{
    if (a.key != b.key) {
        return a.key < b.key ? -1 : 1;
    }
    return bt_str_compare(bt_json_name(&match->a.value->as.members[a.index]),
                          bt_json_name(&match->b.value->as.members[b.index]));
}

static enum bt_status match_many(struct bt_json_member_matcher *matcher,
                                 const struct json_members_match *match, uint32_t *out_partners)
{
    const size_t a_left = match->a_count - match->skip;
    const size_t b_left = match->b_count - match->skip;
    const size_t need = a_left + b_left + (a_left > b_left ? a_left : b_left);
    struct bt_json_member_key *a =
        bt_json_scratch_reserve(&matcher->keys, matcher->arena, need, sizeof(*a));
    if (!a) {
        return BT_ENOMEM;
    }
    struct bt_json_member_key *b = a + a_left;
    struct bt_json_member_key *spare = b + b_left;
    sort_keys(match->a, match->skip, match->a.document, a, spare);
    sort_keys(match->b, match->skip, match->a.document, b, spare);

    size_t j = 0;
    for (size_t i = 0; i < a_left; i++) {
        int order = 1;
        while (j < b_left && (order = compare_keys(match, a[i], b[j])) > 0) {
            j++;
        }
        const bool found = j < b_left && order == 0;
        out_partners[a[i].index] = found ? b[j].index : BT_NO_MEMBER;
    }
    return BT_OK;
}

enum bt_status bt_json_members_match(struct bt_json_member_matcher *matcher, bt_ref a, bt_ref b,
                                     uint32_t *out_partners)
{
    assert(bt_json_type(a.value) == BT_JSON_OBJECT);
    assert(bt_json_type(b.value) == BT_JSON_OBJECT);
    struct json_members_match match = {a, b, 0, bt_json_count(a.value), bt_json_count(b.value)};
    const size_t shared = match.a_count < match.b_count ? match.a_count : match.b_count;
    const struct bt_json_member *a_members = a.value->as.members;
    const struct bt_json_member *b_members = b.value->as.members;
    /* Documents that are compared mostly have their members in the same order. */
    for (; match.skip < shared; match.skip++) {
        if (!same_name(&a_members[match.skip], &b_members[match.skip])) {
            break;
        }
        out_partners[match.skip] = (uint32_t)match.skip;
    }
    if ((match.a_count - match.skip) * (match.b_count - match.skip) <= FEW_PAIRS) {
        match_few(&match, out_partners);
        return BT_OK;
    }
    return match_many(matcher, &match, out_partners);
}
