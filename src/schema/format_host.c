/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_host.c - host names: of letters, digits and hyphens (RFC 1123 section 2.1), and those of
 * IDNA 2008 in either form, A-labels (xn--...) and U-labels.
 */
#include <string.h>

#include "schema/format_idna.h"
#include "schema/format_scan.h"

/* RFC 1035 section 2.3.4 counts 255, one for the length of each label and one for the root. */
enum { NAME_BYTES_MAX = 253, PREFIX_BYTES = 4 };

/* What a name may have. */
enum {
    A_LABELS = 1,     /* labels that begin with xn-- are A-labels */
    U_LABELS = 2,     /* labels may be in Unicode ... */
    ANY_FORM = 4,     /* ... and need not be in normalisation form C */
    WIDE_DOTS = 8,    /* the full stops of East Asia separate labels too */
    NO_RESERVED = 16, /* no other labels with hyphens in third and fourth place (RFC 5890, 2.3.1) */
};

static const struct bt_schema_format_set label_set = {BT_FORMAT_DIGITS | BT_FORMAT_BIT('-'),
                                                      BT_FORMAT_LETTERS};

struct schema_format_host_name {
    unsigned flags;
    size_t bytes; /* of the labels so far with their dots, in ASCII */
    bool is_rtl;
    bool meets_bidi;
};

/* Take note of a label in Unicode for the Bidi rule, which looks at the whole name. */
static void note_direction(struct schema_format_host_name *name,
                           const struct bt_schema_label *label)
{
    name->is_rtl = name->is_rtl || bt_schema_label_is_rtl(label);
    name->meets_bidi = name->meets_bidi && bt_schema_label_meets_bidi(label);
}

/* Whether the label is a U-label; `out` is its normal form. */
static bool read_u_label(const struct bt_schema_label *label, bool any_form,
                         struct bt_schema_label *out)
{
    if (!bt_schema_label_is_classed(label) || !bt_schema_label_normalise(label, out)) {
        return false;
    }
    const bool is_normal =
        label->count == out->count &&
        memcmp(label->points, out->points, out->count * sizeof(out->points[0])) == 0;
    return (is_normal || any_form) && bt_schema_label_is_valid(out);
}

/*
 * A label that begins with xn-- must stand for a U-label, and that U-label for the very same text,
 * but for the case of its letters (RFC 5891 section 5.3).
 */
static bool scan_a_label(struct schema_format_host_name *name, bt_str text)
{
    char lower[BT_LABEL_BYTES_MAX];
    for (size_t i = PREFIX_BYTES; i < text.len; i++) {
        lower[i - PREFIX_BYTES] = bt_ascii_lower(text.ptr[i]);
    }
    const bt_str code = {lower, text.len - PREFIX_BYTES};
    struct bt_schema_label decoded;
    struct bt_schema_label label;
    if (!bt_punycode_decode(code, &decoded) || !read_u_label(&decoded, false, &label)) {
        return false;
    }
    char again[BT_LABEL_BYTES_MAX];
    size_t size = 0;
    if (!bt_punycode_encode(&label, again, sizeof(again), &size) ||
        !bt_str_eq((bt_str){again, size}, code)) {
        return false;
    }
    note_direction(name, &label);
    return !bt_schema_label_is_ascii(&label);
}

static bool scan_ascii_label(struct schema_format_host_name *name, bt_str text)
{
    if (text.len == 0 || text.len > BT_LABEL_BYTES_MAX || text.ptr[0] == '-' ||
        text.ptr[text.len - 1] == '-') {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (!bt_format_in(label_set, text.ptr[i])) {
            return false;
        }
    }
    name->bytes += text.len + 1;
    const bt_str prefix = BT_STR("xn--");
    if ((name->flags & A_LABELS) != 0 &&
        bt_ascii_equal_nocase(bt_str_slice(text, 0, prefix.len), prefix)) {
        return scan_a_label(name, text);
    }
    /* All that the Bidi rule can find amiss in ASCII is a digit at the beginning. */
    name->meets_bidi = name->meets_bidi && bt_ascii_is_alpha(text.ptr[0]);
    const bool is_reserved = bt_format_has_at(text, 2, '-') && bt_format_has_at(text, 3, '-');
    return !is_reserved || (name->flags & NO_RESERVED) == 0;
}

static bool scan_wide_label(struct schema_format_host_name *name, bt_str text)
{
    struct bt_schema_label label;
    label.count = 0;
    for (size_t i = 0; i < text.len;) {
        uint32_t point = 0;
        const size_t length = bt_format_decode(text, i, &point);
        if (length == 0 || label.count == BT_LABEL_POINTS_MAX) {
            return false;
        }
        label.points[label.count++] = point;
        i += length;
    }
    struct bt_schema_label normal;
    char code[BT_LABEL_BYTES_MAX - PREFIX_BYTES];
    size_t size = 0;
    if (!read_u_label(&label, (name->flags & ANY_FORM) != 0, &normal) ||
        !bt_punycode_encode(&normal, code, sizeof(code), &size)) {
        return false;
    }
    note_direction(name, &normal);
    name->bytes += PREFIX_BYTES + size + 1;
    return true;
}

/* The length of the separator at `at`, or 0. The other dots are those of RFC 3490 section 3.1. */
static size_t dot_length(bt_str text, size_t at, unsigned flags)
{
    if ((unsigned char)text.ptr[at] < 0x80) {
        return text.ptr[at] == '.';
    }
    const bt_str next = bt_str_slice(text, at, at + 3);
    const bool is_wide = bt_str_eq(next, BT_STR("\xe3\x80\x82")) ||
                         bt_str_eq(next, BT_STR("\xef\xbc\x8e")) ||
                         bt_str_eq(next, BT_STR("\xef\xbd\xa1"));
    return is_wide && (flags & WIDE_DOTS) != 0 ? 3 : 0;
}

static bool is_ascii(bt_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static bool is_name(bt_str text, unsigned flags)
{
    struct schema_format_host_name name = {.flags = flags, .meets_bidi = true};
    for (size_t first = 0;;) {
        size_t end = first;
        size_t dot = 0;
        while (end < text.len && dot == 0) {
            dot = dot_length(text, end, flags);
            end += dot == 0;
        }
        const bt_str label = bt_str_slice(text, first, end);
        const bool is_wide = (flags & U_LABELS) != 0 && !is_ascii(label);
        if (!(is_wide ? scan_wide_label(&name, label) : scan_ascii_label(&name, label)) ||
            name.bytes > NAME_BYTES_MAX + 1) {
            return false;
        }
        if (dot == 0) {
            return !name.is_rtl || name.meets_bidi;
        }
        first = end + dot;
    }
}

bool bt_schema_format_is_hostname_draft3(bt_str text)
{
    return is_name(text, 0);
}

bool bt_schema_format_is_hostname(bt_str text)
{
    return is_name(text, A_LABELS);
}

bool bt_schema_format_is_idn_hostname(bt_str text)
{
    return is_name(text, A_LABELS | U_LABELS | WIDE_DOTS | NO_RESERVED);
}

/* RFC 6531 adds U-labels to the grammar of RFC 5321; by the official tests their form is free. */
bool bt_schema_format_is_idn_domain(bt_str text)
{
    return is_name(text, U_LABELS | ANY_FORM);
}
