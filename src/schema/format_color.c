/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_color.c - colours of CSS 2.1 (sections 4.3.6 and 18.2), which draft 3 has a format for.
 */
#include "schema/format_scan.h"

static const bt_str names[] = {
    BT_STR_INIT("aqua"), BT_STR_INIT("black"), BT_STR_INIT("blue"), BT_STR_INIT("fuchsia"),
    BT_STR_INIT("gray"), BT_STR_INIT("green"), BT_STR_INIT("lime"), BT_STR_INIT("maroon"),
    BT_STR_INIT("navy"), BT_STR_INIT("olive"), BT_STR_INIT("orange"), BT_STR_INIT("purple"),
    BT_STR_INIT("red"), BT_STR_INIT("silver"), BT_STR_INIT("teal"), BT_STR_INIT("white"),
    BT_STR_INIT("yellow"),
    /* The colours of the user's own system. */
    BT_STR_INIT("ActiveBorder"), BT_STR_INIT("ActiveCaption"), BT_STR_INIT("AppWorkspace"),
    BT_STR_INIT("Background"), BT_STR_INIT("ButtonFace"), BT_STR_INIT("ButtonHighlight"),
    BT_STR_INIT("ButtonShadow"), BT_STR_INIT("ButtonText"), BT_STR_INIT("CaptionText"),
    BT_STR_INIT("GrayText"), BT_STR_INIT("Highlight"), BT_STR_INIT("HighlightText"),
    BT_STR_INIT("InactiveBorder"), BT_STR_INIT("InactiveCaption"),
    BT_STR_INIT("InactiveCaptionText"), BT_STR_INIT("InfoBackground"), BT_STR_INIT("InfoText"),
    BT_STR_INIT("Menu"), BT_STR_INIT("MenuText"), BT_STR_INIT("Scrollbar"),
    BT_STR_INIT("ThreeDDarkShadow"), BT_STR_INIT("ThreeDFace"), BT_STR_INIT("ThreeDHighlight"),
    BT_STR_INIT("ThreeDLightShadow"), BT_STR_INIT("ThreeDShadow"), BT_STR_INIT("Window"),
    BT_STR_INIT("WindowFrame"), BT_STR_INIT("WindowText")};

static bool is_name(bt_str text)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (bt_ascii_equal_nocase(text, names[i])) {
            return true;
        }
    }
    return false;
}

/* # and three or six hexadecimal digits. */
static bool is_hash(bt_str text)
{
    if ((text.len != 4 && text.len != 7) || text.ptr[0] != '#') {
        return false;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (!bt_ascii_is_hex(text.ptr[i])) {
            return false;
        }
    }
    return true;
}

static size_t skip_space(bt_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || (text.ptr[at] >= '\t' && text.ptr[at] <= '\r' &&
                                                     text.ptr[at] != '\v'))) {
        at++;
    }
    return at;
}

/* A signed integer, or a signed number with a percent sign. */
static bool scan_value(bt_str text, size_t *at, bool *out_is_percent)
{
    size_t i = *at;
    i += bt_format_has_at(text, i, '+') || bt_format_has_at(text, i, '-');
    const size_t whole = i;
    i = bt_format_skip_digits(text, i);
    size_t digits = i - whole;
    const bool has_point = bt_format_has_at(text, i, '.');
    if (has_point) {
        const size_t fraction = i + 1;
        i = bt_format_skip_digits(text, fraction);
        if (i == fraction) {
            return false;
        }
        digits += i - fraction;
    }
    *out_is_percent = bt_format_has_at(text, i, '%');
    *at = i + *out_is_percent;
    return digits > 0 && (*out_is_percent || !has_point);
}

/* rgb( three integers or three percentages ); what is out of range is clipped, not refused. */
static bool is_function(bt_str text)
{
    const bt_str head = BT_STR("rgb(");
    if (!bt_ascii_equal_nocase(bt_str_slice(text, 0, head.len), head)) {
        return false;
    }
    size_t at = head.len;
    bool is_percent = false;
    for (int i = 0; i < 3; i++) {
        bool is_this_percent = false;
        at = skip_space(text, at);
        if (!scan_value(text, &at, &is_this_percent) || (i > 0 && is_this_percent != is_percent)) {
            return false;
        }
        is_percent = is_this_percent;
        at = skip_space(text, at);
        if (!bt_format_has_at(text, at++, i < 2 ? ',' : ')')) {
            return false;
        }
    }
    return at == text.len;
}

bool bt_schema_format_is_color(bt_str text)
{
    return is_hash(text) || is_name(text) || is_function(text);
}
