/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_time.c - dates, times and durations as RFC 3339 writes them (section 5.6, appendix A).
 */
#include "schema/format_scan.h"

enum { DATE_LENGTH = 10, CLOCK_LENGTH = 8, ZONE_LENGTH = 6, MINUTES_OF_DAY = 24 * 60 };

struct schema_format_time_date {
    unsigned year;
    unsigned month;
    unsigned day;
};

struct schema_format_time_clock {
    unsigned hour;
    unsigned minute;
    unsigned second;
    int zone_minutes; /* east of UTC */
};

/* The number of `count` digits at `at`. */
static bool read_digits(bt_str text, size_t at, size_t count, unsigned *out)
{
    if (text.len < count || at > text.len - count) {
        return false;
    }
    unsigned value = 0;
    for (size_t i = at; i < at + count; i++) {
        if (!bt_ascii_is_digit(text.ptr[i])) {
            return false;
        }
        value = 10 * value + (unsigned)(text.ptr[i] - '0');
    }
    *out = value;
    return true;
}

static unsigned days_of(struct schema_format_time_date date)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
    return date.month == 2 && is_leap ? 29 : days[date.month - 1];
}

static bool read_date(bt_str text, struct schema_format_time_date *out)
{
    struct schema_format_time_date date;
    if (text.len != DATE_LENGTH || text.ptr[4] != '-' || text.ptr[7] != '-' ||
        !read_digits(text, 0, 4, &date.year) || !read_digits(text, 5, 2, &date.month) ||
        !read_digits(text, 8, 2, &date.day)) {
        return false;
    }
    if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > days_of(date)) {
        return false;
    }
    *out = date;
    return true;
}

/* hh:mm:ss at the start of `text`; the second may be 60. */
static bool read_clock(bt_str text, struct schema_format_time_clock *out)
{
    return read_digits(text, 0, 2, &out->hour) && bt_format_has_at(text, 2, ':') &&
           read_digits(text, 3, 2, &out->minute) && bt_format_has_at(text, 5, ':') &&
           read_digits(text, 6, 2, &out->second) && out->hour < 24 && out->minute < 60 &&
           out->second <= 60;
}

/* Z, or a sign, hours and minutes; nothing else. */
static bool read_zone(bt_str text, int *out_minutes)
{
    if (text.len == 1 && bt_ascii_lower(text.ptr[0]) == 'z') {
        *out_minutes = 0;
        return true;
    }
    unsigned hours = 0;
    unsigned minutes = 0;
    if (text.len != ZONE_LENGTH || (text.ptr[0] != '+' && text.ptr[0] != '-') ||
        text.ptr[3] != ':' || !read_digits(text, 1, 2, &hours) ||
        !read_digits(text, 4, 2, &minutes) || hours > 23 || minutes > 59) {
        return false;
    }
    const int east = (int)(60 * hours + minutes);
    *out_minutes = text.ptr[0] == '-' ? -east : east;
    return true;
}

/* A leap second is the last of a day of UTC (section 5.7). */
static bool is_end_of_utc_day(struct schema_format_time_clock clock)
{
    const int minutes = (int)(60 * clock.hour + clock.minute) - clock.zone_minutes;
    return (minutes + MINUTES_OF_DAY) % MINUTES_OF_DAY == MINUTES_OF_DAY - 1;
}

static bool read_time(bt_str text, struct schema_format_time_clock *out)
{
    struct schema_format_time_clock clock = {0};
    if (!read_clock(text, &clock)) {
        return false;
    }
    size_t at = CLOCK_LENGTH;
    if (bt_format_has_at(text, at, '.')) {
        const size_t fraction = at + 1;
        at = bt_format_skip_digits(text, fraction);
        if (at == fraction) {
            return false;
        }
    }
    if (!read_zone(bt_str_slice(text, at, text.len), &clock.zone_minutes) ||
        (clock.second == 60 && !is_end_of_utc_day(clock))) {
        return false;
    }
    *out = clock;
    return true;
}

bool bt_schema_format_is_date(bt_str text)
{
    struct schema_format_time_date date;
    return read_date(text, &date);
}

bool bt_schema_format_is_time(bt_str text)
{
    struct schema_format_time_clock clock;
    return read_time(text, &clock);
}

/* Draft 3 has the local time alone, so it is unknown when a leap second is due. */
bool bt_schema_format_is_time_draft3(bt_str text)
{
    struct schema_format_time_clock clock = {0};
    return text.len == CLOCK_LENGTH && read_clock(text, &clock) && clock.second < 60;
}

bool bt_schema_format_is_date_time(bt_str text)
{
    struct schema_format_time_date date;
    struct schema_format_time_clock clock;
    if (text.len <= DATE_LENGTH || bt_ascii_lower(text.ptr[DATE_LENGTH]) != 't' ||
        !read_date(bt_str_slice(text, 0, DATE_LENGTH), &date) ||
        !read_time(bt_str_slice(text, DATE_LENGTH + 1, text.len), &clock)) {
        return false;
    }
    if (clock.second < 60) {
        return true;
    }
    /* Leap seconds end a month of UTC; east of Greenwich that is already the first of the next. */
    return date.day == (clock.zone_minutes > 0 ? 1 : days_of(date));
}

/*
 * One or more numbers with their units, from `units` in that order and without a gap, so that
 * P1Y2D is refused: dur-year may be followed by dur-month only.
 */
static bool scan_units(bt_str text, size_t *at, bt_str units)
{
    size_t i = *at;
    size_t next = units.len; /* index of the unit that must follow; at first any may */
    for (;;) {
        const size_t digits_end = bt_format_skip_digits(text, i);
        if (digits_end == i) {
            break;
        }
        if (digits_end == text.len) {
            return false;
        }
        const size_t unit = bt_str_find_byte(units, bt_ascii_lower(text.ptr[digits_end]), 0);
        if (unit == units.len || (i > *at && unit != next)) {
            return false;
        }
        next = unit + 1;
        i = digits_end + 1;
    }
    const bool is_any = i > *at;
    *at = i;
    return is_any;
}

/* The letters may be small: strings of ABNF are (RFC 5234 section 2.3). */
bool bt_schema_format_is_duration(bt_str text)
{
    size_t at = 1;
    if (text.len == 0 || bt_ascii_lower(text.ptr[0]) != 'p') {
        return false;
    }
    if (scan_units(text, &at, BT_STR("w"))) {
        return at == text.len;
    }
    const bool has_date = scan_units(text, &at, BT_STR("ymd"));
    if (at == text.len) {
        return has_date;
    }
    if (bt_ascii_lower(text.ptr[at]) != 't') {
        return false;
    }
    at++;
    return scan_units(text, &at, BT_STR("hms")) && at == text.len;
}
