/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest.c - the name that was probably meant.
 *
 * Letters A to Z count as small ones, and '-', ' ' and '.' as '_'. The distance is optimal
 * string alignment: insert, delete, replace, or swap two neighbours. A name is like another one
 * when the distance is at most two and at most a third of its length; so long names need not be
 * compared, and neither do names whose lengths differ by more than two.
 */
#include "schema/nearest.h"

enum {
    CHARACTERS_MAX = 128, /* of a name that is compared at all */
    DISTANCE_MAX = 2,
};

struct schema_nearest_folded {
    uint32_t characters[CHARACTERS_MAX];
    size_t count;
};

static uint32_t fold_character(uint32_t character)
{
    if (character >= 'A' && character <= 'Z') {
        return character + ('a' - 'A');
    }
    return character == '-' || character == ' ' || character == '.' ? '_' : character;
}

/* False when the name is too long. */
static bool fold_name(bt_str name, struct schema_nearest_folded *out)
{
    out->count = 0;
    for (size_t i = 0; i < name.len;) {
        if (out->count == CHARACTERS_MAX) {
            return false;
        }
        uint32_t character = 0;
        i += bt_utf8_decode(name, i, &character);
        out->characters[out->count++] = fold_character(character);
    }
    return true;
}

static size_t get_minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Three rows of the table of distances: two back for swaps, one back, and the present. */
static size_t measure_distance(const struct schema_nearest_folded *a,
                               const struct schema_nearest_folded *b)
{
    size_t rows[3][CHARACTERS_MAX + 1];
    for (size_t k = 0; k <= b->count; k++) {
        rows[0][k] = k;
    }
    for (size_t i = 1; i <= a->count; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b->count; k++) {
            const bool same = a->characters[i - 1] == b->characters[k - 1];
            row[k] = get_minimum(get_minimum(above[k] + 1, row[k - 1] + 1),
                                 above[k - 1] + (same ? 0 : 1));
            if (i > 1 && k > 1 && a->characters[i - 1] == b->characters[k - 2] &&
                a->characters[i - 2] == b->characters[k - 1]) {
                row[k] = get_minimum(row[k], two_above[k - 2] + 1);
            }
        }
    }
    return rows[a->count % 3][b->count];
}

/* The distance of a candidate, or DISTANCE_MAX + 1 when it is not like the name. */
static size_t distance_to(const struct schema_nearest_folded *mine, bt_str candidate)
{
    struct schema_nearest_folded other;
    if (!fold_name(candidate, &other) || other.count > mine->count + DISTANCE_MAX ||
        mine->count > other.count + DISTANCE_MAX) {
        return DISTANCE_MAX + 1;
    }
    const size_t distance = measure_distance(mine, &other);
    return distance <= DISTANCE_MAX && 3 * distance <= other.count ? distance : DISTANCE_MAX + 1;
}

size_t bt_nearest_word(bt_str name, bt_nearest_word_fn *candidate, const void *context,
                       size_t count)
{
    size_t best = count;
    size_t best_distance = DISTANCE_MAX + 1;
    struct schema_nearest_folded mine;
    if (!fold_name(name, &mine)) {
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t distance = distance_to(&mine, candidate(context, i));
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

size_t bt_nearest_words(bt_str name, bt_nearest_word_fn *candidate, const void *context,
                        size_t count, size_t out[BT_NEAREST_WORDS_MAX])
{
    size_t distances[BT_NEAREST_WORDS_MAX];
    size_t found = 0;
    struct schema_nearest_folded mine;
    if (!fold_name(name, &mine)) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        const bt_str word = candidate(context, i);
        const size_t distance = distance_to(&mine, word);
        if (distance > DISTANCE_MAX) {
            continue;
        }
        size_t at = found;
        while (at > 0 && (distance < distances[at - 1] ||
                          (distance == distances[at - 1] &&
                           bt_str_compare(word, candidate(context, out[at - 1])) < 0))) {
            at--;
        }
        if (at == BT_NEAREST_WORDS_MAX) {
            continue;
        }
        found += found < BT_NEAREST_WORDS_MAX;
        for (size_t k = found - 1; k > at; k--) {
            distances[k] = distances[k - 1];
            out[k] = out[k - 1];
        }
        distances[at] = distance;
        out[at] = i;
    }
    return found;
}
