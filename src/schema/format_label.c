/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_label.c - which labels in Unicode may be: RFC 5891 section 4.2.3, the contextual rules of
 * RFC 5892 appendix A, and the Bidi rule of RFC 5893 section 2.
 */
#include "schema/format_idna.h"

enum { VIRAMA = 9 };

bool bt_schema_label_is_ascii(const struct bt_schema_label *label)
{
    for (size_t i = 0; i < label->count; i++) {
        if (label->points[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

bool bt_schema_label_is_classed(const struct bt_schema_label *label)
{
    for (size_t i = 0; i < label->count; i++) {
        if (bt_idna_of(label->points[i]).class == BT_IDNA_NONE) {
            return false;
        }
    }
    return true;
}

static bool is_after_virama(const struct bt_schema_label *label, size_t at)
{
    return at > 0 && bt_idna_of(label->points[at - 1]).combining == VIRAMA;
}

/* Appendix A.1: the non-joiner stands between letters that would join without it. */
static bool breaks_joining(const struct bt_schema_label *label, size_t at)
{
    size_t left = at;
    enum bt_joining before = BT_JOINING_TRANSPARENT;
    while (left > 0 && before == BT_JOINING_TRANSPARENT) {
        before = (enum bt_joining)bt_idna_of(label->points[--left]).joining;
    }
    size_t right = at + 1;
    enum bt_joining after = BT_JOINING_TRANSPARENT;
    while (right < label->count && after == BT_JOINING_TRANSPARENT) {
        after = (enum bt_joining)bt_idna_of(label->points[right++]).joining;
    }
    return (before == BT_JOINING_LEFT || before == BT_JOINING_DUAL) &&
           (after == BT_JOINING_RIGHT || after == BT_JOINING_DUAL);
}

static bool has_point_at(const struct bt_schema_label *label, size_t at, uint32_t point)
{
    return at < label->count && label->points[at] == point;
}

static bool has_script_at(const struct bt_schema_label *label, size_t at, enum bt_script script)
{
    return at < label->count && bt_idna_of(label->points[at]).script == script;
}

static bool has_script(const struct bt_schema_label *label, enum bt_script script)
{
    for (size_t i = 0; i < label->count; i++) {
        if (has_script_at(label, i, script)) {
            return true;
        }
    }
    return false;
}

/* Whether some character lies in first to first + 9. */
static bool has_digits_from(const struct bt_schema_label *label, uint32_t first)
{
    for (size_t i = 0; i < label->count; i++) {
        if (label->points[i] >= first && label->points[i] < first + 10) {
            return true;
        }
    }
    return false;
}

/* The rule of the character at `at`, which has one. */
static bool meets_context(const struct bt_schema_label *label, size_t at)
{
    switch (label->points[at]) {
    case 0xb7: /* middle dot, in Catalan between two l */
        return at > 0 && label->points[at - 1] == 'l' && has_point_at(label, at + 1, 'l');
    case 0x375: /* Greek lower numeral sign, before Greek */
        return has_script_at(label, at + 1, BT_SCRIPT_GREEK);
    case 0x5f3: /* Hebrew geresh and gershayim, behind Hebrew */
    case 0x5f4:
        return at > 0 && has_script_at(label, at - 1, BT_SCRIPT_HEBREW);
    case 0x200c: /* zero width non-joiner */
        return is_after_virama(label, at) || breaks_joining(label, at);
    case 0x200d: /* zero width joiner */
        return is_after_virama(label, at);
    case 0x30fb: /* katakana middle dot, where there is Japanese */
        return has_script(label, BT_SCRIPT_JAPANESE);
    default:
        break;
    }
    /* What remains are Arabic-Indic digits, extended or not, of which a label has one sort. */
    return !has_digits_from(label, 0x660) || !has_digits_from(label, 0x6f0);
}

bool bt_schema_label_is_valid(const struct bt_schema_label *label)
{
    const size_t count = label->count;
    if (count == 0 || label->points[0] == '-' || label->points[count - 1] == '-' ||
        (has_point_at(label, 2, '-') && has_point_at(label, 3, '-')) ||
        bt_idna_of(label->points[0]).is_mark) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const enum bt_idna_class class = (enum bt_idna_class)bt_idna_of(label->points[i]).class;
        if (class == BT_IDNA_NONE || (class != BT_IDNA_VALID && !meets_context(label, i))) {
            return false;
        }
    }
    return true;
}

/* Which of the directions occur in the label, one bit each. */
static unsigned directions_of(const struct bt_schema_label *label)
{
    unsigned mask = 0;
    for (size_t i = 0; i < label->count; i++) {
        mask |= 1U << bt_idna_of(label->points[i]).bidi;
    }
    return mask;
}

#define BIT(name) (1U << BT_BIDI_##name)
#define NEUTRAL (BIT(ES) | BIT(CS) | BIT(ET) | BIT(ON) | BIT(BN) | BIT(NSM))

bool bt_schema_label_is_rtl(const struct bt_schema_label *label)
{
    return (directions_of(label) & (BIT(R) | BIT(AL) | BIT(AN))) != 0;
}

bool bt_schema_label_meets_bidi(const struct bt_schema_label *label)
{
    const unsigned mask = directions_of(label);
    const unsigned first = 1U << bt_idna_of(label->points[0]).bidi;
    size_t end = label->count; /* marks at the end take the direction of what they stand on */
    while (end > 1 && bt_idna_of(label->points[end - 1]).bidi == BT_BIDI_NSM) {
        end--;
    }
    const unsigned last = 1U << bt_idna_of(label->points[end - 1]).bidi;
    if (first == BIT(L)) {
        return (mask & ~(BIT(L) | BIT(EN) | NEUTRAL)) == 0 && (last & (BIT(L) | BIT(EN))) != 0;
    }
    if ((first & (BIT(R) | BIT(AL))) == 0 || (mask & (BIT(EN) | BIT(AN))) == (BIT(EN) | BIT(AN))) {
        return false;
    }
    return (mask & ~(BIT(R) | BIT(AL) | BIT(AN) | BIT(EN) | NEUTRAL)) == 0 &&
           (last & (BIT(R) | BIT(AL) | BIT(EN) | BIT(AN))) != 0;
}
