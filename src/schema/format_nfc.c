/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_nfc.c - normalisation form C of a label (Unicode, section 3.11): take apart, order,
 * compose.
 *
 * Characters that NFC replaces for good are disallowed in labels, and so are jamo: syllables
 * of Hangul stay as they are. That leaves the pairs of format_idna.c.
 */
#include <assert.h>

#include "schema/format_idna.h"

enum { PARTS_MAX = 4 };

/* Append the parts of one character. */
static bool take_apart(uint32_t point, struct bt_schema_label *out)
{
    uint32_t seconds[PARTS_MAX - 1];
    size_t count = 0;
    while (bt_idna_decompose(point, &point, &seconds[count])) {
        count++;
        assert(count < PARTS_MAX);
    }
    if (BT_LABEL_POINTS_MAX - out->count <= count) {
        return false;
    }
    out->points[out->count++] = point;
    while (count > 0) {
        out->points[out->count++] = seconds[--count];
    }
    return true;
}

/* Sort each run of marks by combining class; what has class 0 stays where it is. */
static void sort_marks(struct bt_schema_label *label)
{
    for (size_t i = 1; i < label->count; i++) {
        const uint32_t point = label->points[i];
        const uint8_t combining = bt_idna_of(point).combining;
        size_t to = i;
        while (combining > 0 && to > 0 && bt_idna_of(label->points[to - 1]).combining > combining) {
            label->points[to] = label->points[to - 1];
            to--;
        }
        label->points[to] = point;
    }
}

/* Join each mark to the last character of class 0 unless another mark of its class blocks it. */
static void compose_label(struct bt_schema_label *label)
{
    size_t count = 0;
    size_t starter = 0;
    bool has_starter = false;
    uint8_t last = 0; /* combining class of what stands before, 0 right behind the starter */
    for (size_t i = 0; i < label->count; i++) {
        const uint32_t point = label->points[i];
        const uint8_t combining = bt_idna_of(point).combining;
        const bool is_blocked = !has_starter || (last > 0 && last >= combining);
        const uint32_t whole = is_blocked ? 0 : bt_idna_compose(label->points[starter], point);
        if (whole != 0) {
            label->points[starter] = whole;
            continue;
        }
        if (combining == 0) {
            starter = count;
            has_starter = true;
        }
        last = combining;
        label->points[count++] = point;
    }
    label->count = count;
}

bool bt_schema_label_normalise(const struct bt_schema_label *label, struct bt_schema_label *out)
{
    out->count = 0;
    for (size_t i = 0; i < label->count; i++) {
        if (!take_apart(label->points[i], out)) {
            return false;
        }
    }
    sort_marks(out);
    compose_label(out);
    return true;
}
