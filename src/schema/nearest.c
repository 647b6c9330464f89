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

#include "base/str.h"

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

/* How far a name is from the folded one; more than DISTANCE_MAX when they are not alike. */
static size_t compare_names(const struct schema_nearest_folded *mine, bt_str name)
{
    struct schema_nearest_folded other;
    if (!fold_name(name, &other) || other.count > mine->count + DISTANCE_MAX ||
        mine->count > other.count + DISTANCE_MAX) {
        return DISTANCE_MAX + 1;
    }
    const size_t distance = measure_distance(mine, &other);
    return 3 * distance <= other.count ? distance : DISTANCE_MAX + 1;
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
        const size_t distance = compare_names(&mine, candidate(context, i));
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

/* Insert a name in its order, unless it is there or behind the last of a full list. */
static size_t insert_name(bt_str *names, size_t *distances, size_t count, bt_str name,
                          size_t distance)
{
    size_t at = 0;
    while (at < count && (distances[at] < distance ||
                          (distances[at] == distance && bt_str_compare(names[at], name) < 0))) {
        at++;
    }
    if (at == BT_NEAREST_WORDS_MAX || (at < count && bt_str_eq(names[at], name))) {
        return count;
    }
    const size_t new_count = count < BT_NEAREST_WORDS_MAX ? count + 1 : count;
    for (size_t i = new_count - 1; i > at; i--) {
        names[i] = names[i - 1];
        distances[i] = distances[i - 1];
    }
    names[at] = name;
    distances[at] = distance;
    return new_count;
}

size_t bt_nearest_words(bt_str name, bt_nearest_word_fn *candidate, const void *context,
                        size_t count, bt_str *out)
{
    size_t distances[BT_NEAREST_WORDS_MAX];
    size_t found = 0;
    struct schema_nearest_folded mine;
    if (!fold_name(name, &mine)) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        const bt_str other = candidate(context, i);
        const size_t distance = compare_names(&mine, other);
        if (distance <= DISTANCE_MAX) {
            found = insert_name(out, distances, found, other, distance);
        }
    }
    return found;
}
