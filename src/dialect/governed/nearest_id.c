/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nearest_id.c - the agent that was probably meant. A suggestion, never applied.
 *
 * The distance is Levenshtein's, in bytes, of the wrong id without white space at its ends, in
 * lower case and with `_` read as `-`. An id that is more than two changes away is not suggested,
 * so ids whose lengths differ by more than two need not be compared.
 */
#include "dialect/governed/governed_root.h"

enum { LENGTH_MAX = 130, DISTANCE_MAX = 2 };

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static char fold_byte(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte == '_' ? '-' : byte;
}

static size_t get_minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t measure_distance(bt_str wrong, bt_str id)
{
    size_t rows[2][LENGTH_MAX + 1];
    for (size_t k = 0; k <= id.len; k++) {
        rows[0][k] = k;
    }
    for (size_t i = 1; i <= wrong.len; i++) {
        const size_t *above = rows[(i + 1) % 2];
        size_t *row = rows[i % 2];
        row[0] = i;
        for (size_t k = 1; k <= id.len; k++) {
            const size_t replaced = above[k - 1] + (fold_byte(wrong.ptr[i - 1]) != id.ptr[k - 1]);
            row[k] = get_minimum(replaced, get_minimum(above[k], row[k - 1]) + 1);
        }
    }
    return rows[wrong.len % 2][id.len];
}

size_t bt_governed_root_nearest_id(const struct bt_governed_root *governed_root, bt_str id)
{
    size_t begin = 0;
    size_t end = id.len;
    while (begin < end && is_space(id.ptr[begin])) {
        begin++;
    }
    while (end > begin && is_space(id.ptr[end - 1])) {
        end--;
    }
    const bt_str wrong = bt_str_slice(id, begin, end);
    size_t best = BT_NO_AGENT;
    size_t best_distance = DISTANCE_MAX + 1;
    for (size_t i = 0; i < governed_root->count && wrong.len <= LENGTH_MAX; i++) {
        const bt_str other = governed_root->agents[i].id;
        if (other.len > LENGTH_MAX || other.len > wrong.len + DISTANCE_MAX ||
            wrong.len > other.len + DISTANCE_MAX) {
            continue;
        }
        const size_t changes = measure_distance(wrong, other);
        if (changes < best_distance) {
            best = i;
            best_distance = changes;
        }
    }
    return best;
}
