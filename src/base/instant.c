/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instant.c - RFC 3339 texts to instants and back, without the C library's calendar.
 */
#include <baton/env.h>

#include <assert.h>
#include <stdio.h>

enum { DAY_SECONDS = 86400, YEAR_MIN = 1970, YEAR_MAX = 9999 };

/* A cursor over the text; `ok` falls to false at the first thing that does not fit. */
struct scan {
    bt_str text;
    size_t at;
    bool ok;
};

static int take_digits(struct scan *scan, size_t count)
{
    int number = 0;
    for (size_t i = 0; i < count; i++) {
        if (scan->at >= scan->text.len || scan->text.ptr[scan->at] < '0' ||
            scan->text.ptr[scan->at] > '9') {
            scan->ok = false;
            return 0;
        }
        number = number * 10 + (scan->text.ptr[scan->at++] - '0');
    }
    return number;
}

static bool next_is(const struct scan *scan, char byte)
{
    return scan->at < scan->text.len && scan->text.ptr[scan->at] == byte;
}

static void take(struct scan *scan, char byte)
{
    scan->ok = scan->ok && next_is(scan, byte);
    scan->at++;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    assert(month >= 1);
    assert(month <= 12);
    return days[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Days from 1970-01-01; years are counted from March so that the leap day comes last. */
static int64_t days_from_civil(int year, int month, int day)
{
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t month_from_march = (month + 9) % 12;
    const int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

static int64_t take_date(struct scan *scan)
{
    const int year = take_digits(scan, 4);
    take(scan, '-');
    const int month = take_digits(scan, 2);
    take(scan, '-');
    const int day = take_digits(scan, 2);
    if (!scan->ok || year < YEAR_MIN || month < 1 || month > 12 || day < 1 ||
        day > days_in_month(year, month)) {
        scan->ok = false;
        return 0;
    }
    return days_from_civil(year, month, day);
}

static int32_t take_fraction(struct scan *scan)
{
    int32_t nanos = 0;
    int digits = 0;
    scan->at++;
    while (scan->at < scan->text.len && scan->text.ptr[scan->at] >= '0' &&
           scan->text.ptr[scan->at] <= '9' && digits < 10) {
        digits++;
        nanos = digits <= 9 ? nanos * 10 + (scan->text.ptr[scan->at] - '0') : nanos;
        scan->at++;
    }
    scan->ok = scan->ok && digits >= 1 && digits <= 9;
    for (; digits < 9; digits++) {
        nanos *= 10;
    }
    return nanos;
}

static int64_t take_offset_seconds(struct scan *scan)
{
    if (next_is(scan, 'Z')) {
        scan->at++;
        return 0;
    }
    const int64_t sign = next_is(scan, '-') ? -1 : 1;
    scan->ok = scan->ok && (next_is(scan, '+') || next_is(scan, '-'));
    scan->at++;
    const int hours = take_digits(scan, 2);
    take(scan, ':');
    const int minutes = take_digits(scan, 2);
    scan->ok = scan->ok && hours <= 23 && minutes <= 59;
    return sign * ((int64_t)hours * 3600 + (int64_t)minutes * 60);
}

enum bt_status bt_instant_parse(bt_str text, bt_instant *out)
{
    assert(out);
    struct scan scan = {.text = text, .ok = true};
    const int64_t days = take_date(&scan);
    take(&scan, 'T');
    const int hour = take_digits(&scan, 2);
    take(&scan, ':');
    const int minute = take_digits(&scan, 2);
    take(&scan, ':');
    const int second = take_digits(&scan, 2);
    const int32_t nanos = next_is(&scan, '.') ? take_fraction(&scan) : 0;
    const int64_t offset = take_offset_seconds(&scan);
    if (!scan.ok || scan.at != text.len || hour > 23 || minute > 59 || second > 59) {
        return BT_EINVAL;
    }
    const int64_t of_day = (int64_t)hour * 3600 + (int64_t)minute * 60 + second;
    const int64_t seconds = days * DAY_SECONDS + of_day - offset;
    const int64_t seconds_end = days_from_civil(YEAR_MAX, 12, 31) * DAY_SECONDS + DAY_SECONDS;
    if (seconds < 0 || seconds >= seconds_end) {
        return BT_EINVAL; /* the zone moved it out of the years that we can write */
    }
    *out = (bt_instant){seconds, nanos};
    return BT_OK;
}

enum bt_status bt_date_parse(bt_str text, bt_instant *out)
{
    assert(out);
    struct scan scan = {.text = text, .ok = true};
    const int64_t days = take_date(&scan);
    if (!scan.ok || scan.at != text.len) {
        return BT_EINVAL;
    }
    *out = (bt_instant){days * DAY_SECONDS, 0};
    return BT_OK;
}

size_t bt_instant_format(bt_instant instant, char out[BT_INSTANT_TEXT_BYTES])
{
    assert(instant.seconds >= 0);
    assert(instant.nanos >= 0);
    assert(instant.nanos < 1000000000);
    const int64_t days = instant.seconds / DAY_SECONDS;
    const int64_t of_day = instant.seconds % DAY_SECONDS;
    /* The inverse of days_from_civil(), in eras of 400 years. */
    const int64_t shifted = days + 719468;
    const int64_t era = shifted / 146097;
    const int64_t day_of_era = shifted % 146097;
    const int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const int64_t day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    const int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    const int64_t year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);

    int size =
        snprintf(out, BT_INSTANT_TEXT_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d", (int)year, (int)month,
                 (int)day, (int)(of_day / 3600), (int)(of_day / 60 % 60), (int)(of_day % 60));
    assert(size > 0);
    assert(size < BT_INSTANT_TEXT_BYTES - 12);
    if (instant.nanos > 0) {
        size +=
            snprintf(out + size, BT_INSTANT_TEXT_BYTES - (size_t)size, ".%09d", (int)instant.nanos);
        while (out[size - 1] == '0') {
            size--;
        }
    }
    out[size++] = 'Z';
    out[size] = '\0';
    return (size_t)size;
}
