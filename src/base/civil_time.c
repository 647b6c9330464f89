/* SPDX-License-Identifier: Apache-2.0 */
/*
 * civil_time.c - dates and times as they are written, and the proleptic Gregorian calendar, without
 * the C library's.
 */
#include "base/civil_time.h"

#include <assert.h>

#include "base/ascii.h"

enum {
    ERA_YEARS = 400, /* after so many years the calendar repeats */
    ERA_DAYS = 146097,
    DAYS_TO_1970 = 719468, /* from March 1st of year 0 */
};

/* A cursor over the text; `ok` falls to false at the first thing that does not fit. */
struct civil_time_scan {
    bt_str text;
    size_t at;
    bool ok;
};

static bool is_digit_at(const struct civil_time_scan *scan)
{
    return scan->at < scan->text.len && bt_ascii_is_digit(scan->text.ptr[scan->at]);
}

static bool next_is(const struct civil_time_scan *scan, char byte)
{
    return scan->at < scan->text.len && scan->text.ptr[scan->at] == byte;
}

static void skip_byte(struct civil_time_scan *scan, char byte)
{
    scan->ok = scan->ok && next_is(scan, byte);
    scan->at += scan->ok;
}

static int take_digits(struct civil_time_scan *scan, size_t count)
{
    int number = 0;
    for (size_t i = 0; i < count; i++) {
        scan->ok = scan->ok && is_digit_at(scan);
        if (!scan->ok) {
            return 0;
        }
        number = number * 10 + (scan->text.ptr[scan->at++] - '0');
    }
    return number;
}

static void take_date(struct civil_time_scan *scan, struct bt_civil_time *civil)
{
    civil->year = take_digits(scan, 4);
    skip_byte(scan, '-');
    civil->month = take_digits(scan, 2);
    skip_byte(scan, '-');
    civil->day = take_digits(scan, 2);
}

static void take_time(struct civil_time_scan *scan, struct bt_civil_time *civil)
{
    civil->hour = take_digits(scan, 2);
    skip_byte(scan, ':');
    civil->minute = take_digits(scan, 2);
    skip_byte(scan, ':');
    civil->second = take_digits(scan, 2);
    if (!next_is(scan, '.')) {
        return;
    }
    const size_t begin = ++scan->at;
    while (is_digit_at(scan)) {
        scan->at++;
    }
    civil->fraction = bt_str_slice(scan->text, begin, scan->at);
    scan->ok = scan->ok && civil->fraction.len > 0;
}

static void take_zone(struct civil_time_scan *scan, struct bt_civil_time *civil)
{
    if (next_is(scan, 'Z')) {
        scan->at++;
        return;
    }
    civil->zone_sign = next_is(scan, '-') ? -1 : 1;
    skip_byte(scan, civil->zone_sign < 0 ? '-' : '+');
    civil->zone_hours = take_digits(scan, 2);
    skip_byte(scan, ':');
    civil->zone_minutes = take_digits(scan, 2);
}

bool bt_civil_time_read_date(bt_str text, struct bt_civil_time *out)
{
    assert(out);
    struct civil_time_scan scan = {.text = text, .ok = true};
    struct bt_civil_time civil = {.zone_sign = 1};
    take_date(&scan, &civil);
    if (!scan.ok || scan.at != text.len) {
        return false;
    }
    *out = civil;
    return true;
}

bool bt_civil_time_read(bt_str text, struct bt_civil_time *out)
{
    assert(out);
    struct civil_time_scan scan = {.text = text, .ok = true};
    struct bt_civil_time civil = {.zone_sign = 1};
    take_date(&scan, &civil);
    skip_byte(&scan, 'T');
    take_time(&scan, &civil);
    take_zone(&scan, &civil);
    if (!scan.ok || scan.at != text.len) {
        return false;
    }
    *out = civil;
    return true;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

bool bt_civil_time_is_valid_date(const struct bt_civil_time *civil)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (civil->month < 1 || civil->month > 12) {
        return false;
    }
    const int leap_day = civil->month == 2 && is_leap(civil->year) ? 1 : 0;
    return civil->day >= 1 && civil->day <= days[civil->month - 1] + leap_day;
}

static int zone_minutes(const struct bt_civil_time *civil)
{
    return civil->zone_sign * (civil->zone_hours * 60 + civil->zone_minutes);
}

bool bt_civil_time_is_valid(const struct bt_civil_time *civil)
{
    if (!bt_civil_time_is_valid_date(civil) || civil->hour > 23 || civil->minute > 59 ||
        civil->zone_hours > 23 || civil->zone_minutes > 59) {
        return false;
    }
    const int day_minutes = 24 * 60;
    const int utc = civil->hour * 60 + civil->minute - zone_minutes(civil);
    const bool is_last = (utc + day_minutes) % day_minutes == day_minutes - 1;
    return civil->second <= 59 || (civil->second == 60 && is_last);
}

/* Years are counted from March so that the leap day comes last, and from 400 years earlier so that
 * nothing divided here is negative. */
int64_t bt_civil_time_day_seconds(const struct bt_civil_time *civil)
{
    assert(bt_civil_time_is_valid_date(civil));
    assert(civil->year >= 0);
    const int64_t year = (civil->month <= 2 ? civil->year - 1 : civil->year) + ERA_YEARS;
    const int64_t month_from_march = (civil->month + 9) % 12;
    const int64_t day_of_year = (153 * month_from_march + 2) / 5 + civil->day - 1;
    const int64_t days = 365 * year + year / 4 - year / 100 + year / 400 + day_of_year;
    return (days - ERA_DAYS - DAYS_TO_1970) * BT_DAY_SECONDS;
}

int64_t bt_civil_time_seconds(const struct bt_civil_time *civil)
{
    assert(bt_civil_time_is_valid(civil));
    const int64_t minutes = (int64_t)civil->hour * 60 + civil->minute - zone_minutes(civil);
    return bt_civil_time_day_seconds(civil) + minutes * 60 + civil->second;
}

struct bt_civil_time bt_civil_time_from_instant(int64_t seconds)
{
    int64_t days = seconds / BT_DAY_SECONDS;
    int64_t of_day = seconds % BT_DAY_SECONDS;
    days -= of_day < 0;
    of_day += of_day < 0 ? BT_DAY_SECONDS : 0;

    const int64_t shifted = days + DAYS_TO_1970;
    const int64_t era = (shifted >= 0 ? shifted : shifted - (ERA_DAYS - 1)) / ERA_DAYS;
    const int64_t day_of_era = shifted - era * ERA_DAYS;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    return (struct bt_civil_time){
        .year = (int)(era * ERA_YEARS + year_of_era + (month <= 2 ? 1 : 0)),
        .month = (int)month,
        .day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1),
        .hour = (int)(of_day / 3600),
        .minute = (int)(of_day / 60 % 60),
        .second = (int)(of_day % 60),
        .zone_sign = 1,
    };
}

int32_t bt_civil_time_nanos(bt_str fraction)
{
    int32_t nanos = 0;
    for (size_t i = 0; i < 9; i++) {
        nanos = nanos * 10 + (i < fraction.len ? fraction.ptr[i] - '0' : 0);
    }
    return nanos;
}
