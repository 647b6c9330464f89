/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code_switch.c - the members by which the branches of anyOf and oneOf can be told apart.
 *
 * A branch that gives a property a const, or an enum, cannot pass for an object in which that
 * member has another value; one that requires a member cannot pass for an object without. What a
 * branch refers to, and what stands in its allOf, must hold as well, so it is looked at too.
 * Nothing else is concluded: a branch of which nothing is known is always open.
 */
#include <assert.h>

#include "base/plain.h"
#include "json/equal.h"
#include "schema/code.h"
#include "schema/set.h"
#include "schema/value_hash.h"

enum {
    SCHEMAS_MAX = 16,  /* that are looked at for one branch, or for one property of it */
    VALUES_MAX = 4096, /* of one switch */
    BITS_MAX = 64,     /* branches that have a bit; among more of them a switch names one */
    BRANCHES_MAX = BT_SCHEMA_IS_SMALL ? BITS_MAX : 1024, /* of one choice */
    SEVERAL = -1 /* what a switch names where it leaves more than one of these open */
};

/* Schemas that must hold together: one, and what it applies in place without alternatives. */
struct schema_code_switch_bundle {
    uint32_t nodes[SCHEMAS_MAX];
    size_t count;
};

static struct schema_code_switch_bundle bundle_of(const struct bt_schema_coder *coder,
                                                  uint32_t node)
{
    const struct bt_schema_frame *frame = coder->frame;
    struct schema_code_switch_bundle bundle = {.nodes = {node}, .count = 1};
    for (size_t i = 0; i < bundle.count; i++) {
        const struct bt_schema_node *each = &frame->nodes.items[bundle.nodes[i]];
        for (uint32_t k = 0; k < each->edges_count && bundle.count < SCHEMAS_MAX; k++) {
            const struct bt_schema_edge *edge = &frame->edges.items[each->edges + k];
            const bool holds = edge->keyword == BT_SCHEMA_KW_ALL_OF ||
                               (edge->keyword == BT_SCHEMA_KW_REF && !edge->is_dynamic);
            if (holds && edge->to != BT_NO_NODE) {
                bundle.nodes[bundle.count++] = edge->to;
            }
        }
    }
    return bundle;
}

/* The values of a const or enum: where they stand and how many. */
struct schema_code_switch_values {
    const struct bt_json_doc *document;
    const bt_json_value *first;
    size_t count;
};

static struct schema_code_switch_values values_of(const struct bt_schema_coder *coder,
                                                  uint32_t node)
{
    const struct schema_code_switch_bundle bundle = bundle_of(coder, node);
    for (size_t i = 0; i < bundle.count; i++) {
        const struct bt_schema_node *each = &coder->frame->nodes.items[bundle.nodes[i]];
        const bt_json_value *one = bt_schema_frame_keyword(coder->frame, each, BT_SCHEMA_KW_CONST);
        if (one) {
            return (struct schema_code_switch_values){bt_schema_frame_doc(coder->frame, each), one,
                                                      1};
        }
        const bt_json_value *list = bt_schema_frame_keyword(coder->frame, each, BT_SCHEMA_KW_ENUM);
        if (list && bt_json_type(list) == BT_JSON_ARRAY) {
            return (struct schema_code_switch_values){bt_schema_frame_doc(coder->frame, each),
                                                      bt_json_items(list), bt_json_count(list)};
        }
    }
    return (struct schema_code_switch_values){NULL, NULL, 0};
}

/* What one branch says about a member. */
struct schema_switch_demand {
    struct schema_code_switch_values values; /* first is NULL: nothing about its value */
    bool is_required;
};

static bool is_name_required(const struct bt_schema_coder *coder, const struct bt_schema_node *node,
                             bt_str name)
{
    const bt_json_value *list = bt_schema_frame_keyword(coder->frame, node, BT_SCHEMA_KW_REQUIRED);
    const bt_json_value *items = list ? bt_json_items(list) : NULL;
    for (size_t i = 0; items && i < bt_json_count(list); i++) {
        if (bt_json_type(&items[i]) == BT_JSON_STRING && bt_str_eq(bt_json_text(&items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Whether one of the schemas that must hold with this one requires the name. */
static bool bundle_requires(const struct bt_schema_coder *coder, uint32_t node, bt_str name)
{
    const struct schema_code_switch_bundle bundle = bundle_of(coder, node);
    for (size_t i = 0; i < bundle.count; i++) {
        if (is_name_required(coder, &coder->frame->nodes.items[bundle.nodes[i]], name)) {
            return true;
        }
    }
    return false;
}

/* Whether every branch of the node's anyOf or oneOf requires the name. Of more than a few branches
 * it is not asked. */
static bool choice_requires(const struct bt_schema_coder *coder, const struct bt_schema_node *node,
                            enum bt_schema_keyword keyword, bt_str name)
{
    enum { BRANCHES = 8 };
    size_t branches = 0;
    for (uint32_t k = 0; bt_schema_node_has(node, keyword) && k < node->edges_count; k++) {
        const struct bt_schema_edge *edge = &coder->frame->edges.items[node->edges + k];
        if (edge->keyword != keyword) {
            continue;
        }
        if (++branches > BRANCHES || edge->to == BT_NO_NODE ||
            !bundle_requires(coder, edge->to, name)) {
            return false;
        }
    }
    return branches > 0;
}

static struct schema_switch_demand demand_of(const struct bt_schema_coder *coder, uint32_t branch,
                                             bt_str name)
{
    struct schema_switch_demand demand = {.values = {NULL, NULL, 0}};
    const struct schema_code_switch_bundle bundle = bundle_of(coder, branch);
    for (size_t i = 0; i < bundle.count; i++) {
        const struct bt_schema_node *each = &coder->frame->nodes.items[bundle.nodes[i]];
        demand.is_required =
            demand.is_required || is_name_required(coder, each, name) ||
            (!BT_SCHEMA_IS_SMALL && (choice_requires(coder, each, BT_SCHEMA_KW_ANY_OF, name) ||
                                     choice_requires(coder, each, BT_SCHEMA_KW_ONE_OF, name)));
        const bt_json_value *map =
            bt_schema_frame_keyword(coder->frame, each, BT_SCHEMA_KW_PROPERTIES);
        const bt_json_value *schema =
            bt_json_get(bt_schema_frame_doc(coder->frame, each), map, name);
        const uint32_t node = schema ? bt_schema_frame_node(coder->frame, schema) : BT_NO_NODE;
        if (node != BT_NO_NODE && !demand.values.first) {
            demand.values = values_of(coder, node);
        }
    }
    return demand;
}

/* A choice whose switch is sought. */
struct schema_code_switch_search {
    struct bt_schema_coder *coder;
    uint32_t branches[BRANCHES_MAX];
    size_t count;
};

/* How many branches tell something about the value of this member. */
static size_t count_deciding_branches(const struct schema_code_switch_search *search, bt_str name)
{
    size_t worth = 0;
    for (size_t i = 0; i < search->count; i++) {
        worth += demand_of(search->coder, search->branches[i], name).values.first != NULL;
    }
    return worth;
}

/* The member about which most branches tell something, and how many do. The names that the first
 * branches give are tried: a switch that leaves those out would be of little use. */
static size_t find_name(const struct schema_code_switch_search *search, bt_str *out)
{
    enum { BRANCHES = 3, NAMES = 16 };
    size_t best = 0;
    for (size_t i = 0; i < search->count && i < BRANCHES; i++) {
        const struct schema_code_switch_bundle bundle =
            bundle_of(search->coder, search->branches[i]);
        for (size_t k = 0; k < bundle.count; k++) {
            const struct bt_schema_frame *frame = search->coder->frame;
            const bt_json_value *map = bt_schema_frame_keyword(
                frame, &frame->nodes.items[bundle.nodes[k]], BT_SCHEMA_KW_PROPERTIES);
            const struct bt_json_member *members = map ? bt_json_members(map) : NULL;
            size_t tried = 0;
            for (size_t m = 0; members && m < bt_json_count(map) && tried < NAMES; m++) {
                const uint32_t node = bt_schema_frame_node(frame, &members[m].value);
                if (node == BT_NO_NODE || !values_of(search->coder, node).first) {
                    continue;
                }
                tried++;
                const size_t each = count_deciding_branches(search, bt_json_name(&members[m]));
                if (each > best) {
                    best = each;
                    *out = bt_json_name(&members[m]);
                }
            }
        }
    }
    return best;
}

/* The values of all branches, each once. */
struct schema_code_switch_known {
    bt_json_value *values;
    uint64_t *branches;
    bool names_one; /* a branch is a number, and not a bit */
    uint32_t count;
    struct bt_map by_hash; /* the numbers of its entries are those of the values */
};

static enum bt_status add_value(struct bt_schema_coder *coder,
                                struct schema_code_switch_known *known, const bt_json_value *value,
                                uint64_t branch)
{
    const struct bt_json_doc *document = bt_schema_code_doc(coder);
    uint32_t found = 0;
    bool is_found = false;
    /* A value with the same hash as another that is not equal takes the next number. */
    for (uint64_t hash = bt_schema_scalar_hash(document, value, 0); !is_found; hash++) {
        struct bt_map_entry *entry = NULL;
        BT_TRY(bt_map_add(&known->by_hash, bt_map_number(hash), &entry));
        found = bt_map_index(&known->by_hash, entry);
        if (found == known->count) {
            known->values[known->count++] = *value;
            break;
        }
        is_found = bt_json_compare_shallow((bt_ref){document, &known->values[found]},
                                           (bt_ref){document, value}) == BT_ALIKE;
    }
    if (!known->names_one) {
        known->branches[found] |= branch;
    } else if (known->branches[found] != branch) {
        known->branches[found] = known->branches[found] == 0 ? branch : (uint64_t)SEVERAL;
    }
    return BT_OK;
}

static enum bt_status add_branch(struct bt_schema_coder *coder, struct bt_schema_switch *key,
                                 struct schema_code_switch_known *known,
                                 const struct schema_switch_demand *demand, uint64_t branch)
{
    key->absent |= demand->is_required ? 0 : branch;
    key->other |= demand->values.first ? 0 : branch;
    for (size_t i = 0; demand->values.first && i < demand->values.count; i++) {
        const bt_json_value *value = &demand->values.first[i];
        /* Containers are not compared; numbers only within one document, which has their text. */
        const bool is_text = bt_json_type(value) == BT_JSON_STRING;
        const bool is_near = demand->values.document == bt_schema_code_doc(coder);
        if (is_text || (is_near && bt_json_type(value) < BT_JSON_ARRAY)) {
            BT_TRY(add_value(coder, known, value, branch));
        } else {
            key->other |= branch;
        }
    }
    return BT_OK;
}

static enum bt_status make_switch(const struct schema_code_switch_search *search, bt_str name,
                                  const struct bt_schema_switch **out)
{
    struct bt_schema_coder *coder = search->coder;
    size_t most = 0;
    for (size_t i = 0; i < search->count; i++) {
        most += demand_of(coder, search->branches[i], name).values.count;
    }
    if (most > VALUES_MAX) {
        return BT_OK;
    }
    struct bt_schema_switch *key = BT_NEW(coder->arena, struct bt_schema_switch);
    struct schema_code_switch_known known = {.values =
                                                 BT_NEW_ARRAY(coder->arena, bt_json_value, most),
                                             .branches = BT_NEW_ARRAY(coder->arena, uint64_t, most),
                                             .names_one = search->count > BITS_MAX};
    if (!key || !known.values || !known.branches) {
        return BT_ENOMEM;
    }
    bt_map_init(&known.by_hash, coder->scratch, coder->options->hash_seed);
    key->name = name;
    key->name_hash = bt_json_name_hash(bt_schema_code_doc(coder), name);
    for (size_t i = 0; i < search->count; i++) {
        const struct schema_switch_demand demand = demand_of(coder, search->branches[i], name);
        BT_TRY(add_branch(coder, key, &known, &demand,
                          known.names_one ? 1 + (uint64_t)i : UINT64_C(1) << i));
    }
    /* A branch of which nothing is known is open for the known values as well. */
    for (uint32_t i = 0; i < known.count; i++) {
        if (!known.names_one) {
            known.branches[i] |= key->other;
        } else if (key->other != 0 || known.branches[i] == (uint64_t)SEVERAL) {
            known.branches[i] = 0;
        }
    }
    key->branches = known.branches;
    BT_TRY(bt_schema_set_make(coder->arena, bt_schema_code_doc(coder), known.values, known.count,
                              &key->values));
    *out = key;
    return BT_OK;
}

/* The branches that do not require the name, as bits. */
static uint64_t find_absent(const struct schema_code_switch_search *search, bt_str name)
{
    uint64_t absent = 0;
    for (size_t i = 0; i < search->count; i++) {
        const bool is_required = demand_of(search->coder, search->branches[i], name).is_required;
        absent |= (uint64_t)!is_required << i;
    }
    return absent;
}

/* Members that branches require and that tell them from others: of each branch the first names. */
static enum bt_status find_presences(const struct schema_code_switch_search *search,
                                     struct bt_schema_choice *choice)
{
    enum { KEYS = 4, NAMES = 4 };
    struct bt_schema_coder *coder = search->coder;
    struct bt_schema_presence *made = BT_NEW_ARRAY(coder->arena, struct bt_schema_presence, KEYS);
    if (!made) {
        return BT_ENOMEM;
    }
    choice->presences = made;
    uint64_t closed = 0; /* the branches that one of the members made so far tells from another */
    for (size_t i = 0; i < search->count; i++) {
        const struct schema_code_switch_bundle bundle = bundle_of(coder, search->branches[i]);
        for (size_t k = 0; k < bundle.count; k++) {
            const bt_json_value *list = bt_schema_frame_keyword(
                coder->frame, &coder->frame->nodes.items[bundle.nodes[k]], BT_SCHEMA_KW_REQUIRED);
            const bt_json_value *items = list ? bt_json_items(list) : NULL;
            for (size_t m = 0; items && m < bt_json_count(list) && m < NAMES; m++) {
                if ((closed >> i & 1) != 0 || choice->presences_count == KEYS ||
                    bt_json_type(&items[m]) != BT_JSON_STRING) {
                    continue;
                }
                const bt_str name = bt_json_text(&items[m]);
                const uint64_t absent = find_absent(search, name);
                if (absent != 0) {
                    closed |= ~absent;
                    made[choice->presences_count++] = (struct bt_schema_presence){
                        name, bt_json_name_hash(bt_schema_code_doc(coder), name), absent};
                }
            }
        }
    }
    return BT_OK;
}

enum bt_status bt_schema_code_switch(struct bt_schema_coder *coder, struct bt_schema_choice *choice,
                                     const bt_json_value *list)
{
    enum { DECIDING_MIN = 2 }; /* branches that make a switch worth its cost among leaves */
    struct schema_code_switch_search search = {.coder = coder, .count = choice->count};
    if (BT_PLAIN_SCHEMA_SWITCH || search.count < 2 || search.count > BRANCHES_MAX) {
        return BT_OK;
    }
    for (size_t i = 0; i < search.count; i++) {
        search.branches[i] = bt_schema_frame_node(coder->frame, &bt_json_items(list)[i]);
        if (search.branches[i] == BT_NO_NODE) {
            return BT_OK;
        }
    }
    bt_str name = BT_STR("");
    const size_t deciding = find_name(&search, &name);
    if (!BT_SCHEMA_IS_SMALL && deciding < DECIDING_MIN && search.count <= BT_CHOICE_KEPT) {
        BT_TRY(find_presences(&search, choice));
    }
    /* A switch that names one branch has to know about all of them. */
    if (deciding == 0 || (search.count > BITS_MAX && deciding < search.count)) {
        return BT_OK;
    }
    return make_switch(&search, name, deciding < DECIDING_MIN ? &choice->block_key : &choice->key);
}
