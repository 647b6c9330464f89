/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alphabet.c - from the sets of a pattern to its symbols.
 *
 * All ends of all ranges cut the code points into pieces that every set holds whole or not at all.
 * Set by set, each class of pieces is then split into those inside and those outside (partition
 * refinement); the classes that remain are the symbols. Exact, so that no choice of sets can make
 * two symbols one.
 */
#include "regex/alphabet.h"

#include <string.h>

#define RANGES_MAX 200000U
#define SYMBOLS_MAX 65000U
/* Pieces visited while refining: some tens of milliseconds. */
#define VISITS_MAX UINT64_C(20000000)

static const char too_many[] = "the pattern distinguishes too many characters";

struct re_alphabet_pieces {
    uint32_t *starts; /* the last is BT_RE_POINT_MAX + 1, which begins no piece */
    uint32_t count;
    uint32_t *class_of;
};

static uint64_t hash_of(const struct bt_re_set *set)
{
    uint64_t hash = set->count;
    for (uint32_t i = 0; i < set->count; i++) {
        hash = (hash ^ set->ranges[i].first) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ set->ranges[i].last ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return hash ^ hash >> 32;
}

static void put_slot(struct bt_re_sets *sets, uint32_t index)
{
    uint64_t slot = hash_of(&sets->items[index]);
    while (sets->slots[slot & (sets->slots_count - 1)] != 0) {
        slot++;
    }
    sets->slots[slot & (sets->slots_count - 1)] = index;
}

static bool grow_sets(struct bt_re_build *build, struct bt_re_sets *sets)
{
    const uint32_t capacity = sets->capacity > 0 ? sets->capacity * 2 : 16;
    struct bt_re_set *items = bt_re_scratch(build, capacity, sizeof(*items));
    uint32_t *slots = items ? bt_re_scratch(build, (size_t)capacity * 2, sizeof(*slots)) : NULL;
    if (!slots) {
        return false;
    }
    if (sets->count > 0) {
        memcpy(items, sets->items, sets->count * sizeof(*items));
    }
    sets->items = items;
    sets->capacity = capacity;
    sets->slots = slots;
    sets->slots_count = capacity * 2;
    for (uint32_t i = 1; i < sets->count; i++) {
        put_slot(sets, i);
    }
    return true;
}

bool bt_re_sets_add(struct bt_re_build *build, struct bt_re_sets *sets, const struct bt_re_set *set,
                    uint32_t *out_index)
{
    if (sets->capacity == 0) {
        if (!grow_sets(build, sets) || !bt_re_set_add(build, &sets->items[0], 0, BT_RE_POINT_MAX)) {
            return false;
        }
        sets->count = 1;
    }
    for (uint64_t slot = hash_of(set);; slot++) {
        const uint32_t index = sets->slots[slot & (sets->slots_count - 1)];
        if (index == 0) {
            break;
        }
        if (bt_re_set_eq(&sets->items[index], set)) {
            *out_index = index;
            return true;
        }
    }
    sets->ranges += set->count;
    if (sets->ranges > RANGES_MAX) {
        return bt_re_fail(build, BT_REGEX_ERROR_TOO_COMPLEX, 0, too_many);
    }
    if (sets->count == sets->capacity && !grow_sets(build, sets)) {
        return false;
    }
    sets->items[sets->count] = *set;
    put_slot(sets, sets->count);
    *out_index = sets->count++;
    return true;
}

/* The ends of all ranges, sorted, each once. Borrows the sort of sets. */
static bool build_pieces(struct bt_re_build *build, const struct bt_re_sets *sets,
                         struct re_alphabet_pieces *out)
{
    const size_t capacity = (size_t)sets->ranges * 2 + 3;
    struct bt_re_set ends = {bt_re_scratch(build, capacity, sizeof(struct bt_re_range)), 0,
                             (uint32_t)capacity};
    if (!ends.ranges) {
        return false;
    }
    /* Ends are kept as ranges of doubled numbers, so that neighbours do not join. */
    for (uint32_t i = 0; i < sets->count; i++) {
        for (uint32_t j = 0; j < sets->items[i].count; j++) {
            const uint32_t first = sets->items[i].ranges[j].first * 2;
            const uint32_t after = (sets->items[i].ranges[j].last + 1) * 2;
            ends.ranges[ends.count++] = (struct bt_re_range){first, first};
            ends.ranges[ends.count++] = (struct bt_re_range){after, after};
        }
    }
    bt_re_set_finish(&ends);
    out->starts = bt_re_scratch(build, ends.count, sizeof(*out->starts));
    out->class_of = out->starts ? bt_re_scratch(build, ends.count, sizeof(uint32_t)) : NULL;
    if (!out->class_of) {
        return false;
    }
    for (uint32_t i = 0; i < ends.count; i++) {
        out->starts[i] = ends.ranges[i].first / 2;
    }
    out->count = ends.count - 1; /* item 0 of the sets is everything: 0 is there, and the end */
    return true;
}

/* The piece that begins at `point`. */
static uint32_t piece_at(const struct re_alphabet_pieces *pieces, uint32_t point)
{
    uint32_t low = 0;
    uint32_t high = pieces->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (pieces->starts[middle] < point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct re_alphabet_refiner {
    struct re_alphabet_pieces *pieces;
    uint32_t *size; /* of each class */
    uint32_t *hits; /* of each class, pieces inside the set at hand */
    uint32_t *moved_to;
    uint32_t classes;
    uint64_t visits;
};

/* First count how much of each class the set holds, then move what is held of those it halves. */
static void split_classes(struct re_alphabet_refiner *self, const struct bt_re_set *set,
                          bool is_counting)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const uint32_t end = piece_at(self->pieces, set->ranges[i].last + 1);
        for (uint32_t p = piece_at(self->pieces, set->ranges[i].first); p < end; p++) {
            const uint32_t class = self->pieces->class_of[p];
            self->visits++;
            if (is_counting) {
                self->hits[class]++;
                continue;
            }
            if (self->hits[class] == self->size[class]) {
                continue;
            }
            if (self->moved_to[class] == 0) {
                self->moved_to[class] = self->classes++;
            }
            const uint32_t target = self->moved_to[class];
            self->pieces->class_of[p] = target;
            self->size[target]++;
        }
    }
}

/* Forget the counts of the classes that the set touched, and shrink those that were split. */
static void commit_split(struct re_alphabet_refiner *self, uint32_t classes_before)
{
    for (uint32_t class = 0; class < classes_before; class ++) {
        if (self->moved_to[class] != 0) {
            self->size[class] -= self->hits[class];
        }
        self->hits[class] = 0;
        self->moved_to[class] = 0;
    }
}

static bool refine_classes(struct bt_re_build *build, const struct bt_re_sets *sets,
                           struct re_alphabet_pieces *pieces, uint32_t *out_classes)
{
    struct re_alphabet_refiner self = {.pieces = pieces, .classes = 1};
    uint32_t *counts = bt_re_scratch(build, (size_t)pieces->count + 1, 3 * sizeof(*counts));
    if (!counts) {
        return false;
    }
    self.size = counts;
    self.hits = counts + pieces->count + 1;
    self.moved_to = self.hits + pieces->count + 1;
    self.size[0] = pieces->count;
    for (uint32_t i = 1; i < sets->count; i++) {
        const uint32_t before = self.classes;
        split_classes(&self, &sets->items[i], true);
        split_classes(&self, &sets->items[i], false);
        commit_split(&self, before);
        self.visits += before;
        if (self.visits > VISITS_MAX || self.classes > SYMBOLS_MAX) {
            return bt_re_fail(build, BT_REGEX_ERROR_TOO_COMPLEX, 0, too_many);
        }
    }
    *out_classes = self.classes;
    return true;
}

/* Write the pieces as ranges, neighbours of one class joined. */
static bool keep_ranges(struct bt_re_build *build, const struct re_alphabet_pieces *pieces,
                        struct bt_re_alphabet *out)
{
    uint32_t *starts = bt_re_keep(build, pieces->count, sizeof(*starts));
    uint16_t *symbols = starts ? bt_re_keep(build, pieces->count, sizeof(*symbols)) : NULL;
    if (!symbols) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t p = 0; p < pieces->count; p++) {
        if (count == 0 || symbols[count - 1] != pieces->class_of[p]) {
            starts[count] = pieces->starts[p];
            symbols[count++] = (uint16_t)pieces->class_of[p];
        }
    }
    out->starts = starts;
    out->symbols = symbols;
    out->ranges = count;
    for (uint32_t point = 0; point < 128; point++) {
        out->ascii[point] = (uint16_t)bt_re_alphabet_symbol(out, point);
    }
    return true;
}

static bool keep_bitmaps(struct bt_re_build *build, const struct bt_re_sets *sets,
                         const struct re_alphabet_pieces *pieces, struct bt_re_alphabet *out)
{
    out->words = out->count / 64 + 1;
    uint64_t *bitmaps = bt_re_keep(build, sets->count, out->words * sizeof(*bitmaps));
    if (!bitmaps) {
        return false;
    }
    for (uint32_t i = 0; i < sets->count; i++) {
        uint64_t *bitmap = bitmaps + (size_t)i * out->words;
        const struct bt_re_set *set = &sets->items[i];
        for (uint32_t j = 0; j < set->count; j++) {
            const uint32_t end = piece_at(pieces, set->ranges[j].last + 1);
            for (uint32_t p = piece_at(pieces, set->ranges[j].first); p < end; p++) {
                bitmap[pieces->class_of[p] / 64] |= UINT64_C(1) << (pieces->class_of[p] % 64);
            }
        }
    }
    out->bitmaps = bitmaps;
    return true;
}

bool bt_re_alphabet_make(struct bt_re_build *build, const struct bt_re_sets *sets,
                         struct bt_re_alphabet *out)
{
    assert(sets->count > 0);
    struct re_alphabet_pieces pieces = {0};
    return build_pieces(build, sets, &pieces) &&
           refine_classes(build, sets, &pieces, &out->count) && keep_ranges(build, &pieces, out) &&
           keep_bitmaps(build, sets, &pieces, out);
}
