/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instant.c - RFC 3339 texts to instants and back.
 */
#include "base/env.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/civil_time.h"

enum { YEAR_MIN = 1970, YEAR_MAX = 9999, FRACTION_DIGITS_MAX = 9 };

static const int64_t seconds_min = INT64_C(-62167219200); /* the first second of the year 0000 */

bt_instant bt_instant_after(bt_instant instant, uint64_t seconds)
{
    const int64_t from = instant.seconds > seconds_min ? instant.seconds : seconds_min;
    if (from > BT_INSTANT_SECONDS_MAX || seconds > (uint64_t)(BT_INSTANT_SECONDS_MAX - from)) {
        return (bt_instant){BT_INSTANT_SECONDS_MAX, instant.nanos};
    }
    return (bt_instant){from + (int64_t)seconds, instant.nanos};
}

enum bt_status bt_instant_parse(bt_str text, bt_instant *out)
{
    assert(out);
    struct bt_civil_time civil;
    if (!bt_civil_time_read(text, &civil) || !bt_civil_time_is_valid(&civil) ||
        civil.year < YEAR_MIN || civil.second == 60 || civil.fraction.len > FRACTION_DIGITS_MAX) {
        return BT_EINVAL;
    }
    const int64_t seconds = bt_civil_time_seconds(&civil);
    if (seconds < 0 || bt_civil_time_from_instant(seconds).year > YEAR_MAX) {
        return BT_EINVAL; /* the zone moved it out of the years that we can write */
    }
    *out = (bt_instant){seconds, bt_civil_time_nanos(civil.fraction)};
    return BT_OK;
}

enum bt_status bt_date_parse(bt_str text, bt_instant *out)
{
    assert(out);
    struct bt_civil_time civil;
    if (!bt_civil_time_read_date(text, &civil) || !bt_civil_time_is_valid_date(&civil) ||
        civil.year < YEAR_MIN) {
        return BT_EINVAL;
    }
    *out = (bt_instant){bt_civil_time_day_seconds(&civil), 0};
    return BT_OK;
}

/* Put a number with so many digits, and the byte behind it. Returns where the next one stands. */
static char *put_digits(char *out, int number, int digits, char behind)
{
    assert(number >= 0);
    for (int i = digits; i > 0; i--) {
        out[i - 1] = (char)('0' + number % 10);
        number /= 10;
    }
    assert(number == 0);
    out[digits] = behind;
    return out + digits + 1;
}

/* YYYY-MM-DDThh:mm:ss of a year that has four digits, and a byte behind it; returns the length
 * without that. */
static size_t put_whole_seconds(const struct bt_civil_time *civil, char out[BT_INSTANT_TEXT_BYTES])
{
    assert(civil->year >= 0);
    assert(civil->year <= YEAR_MAX);
    char *at = put_digits(out, civil->year, 4, '-');
    at = put_digits(at, civil->month, 2, '-');
    at = put_digits(at, civil->day, 2, 'T');
    at = put_digits(at, civil->hour, 2, ':');
    at = put_digits(at, civil->minute, 2, ':');
    at = put_digits(at, civil->second, 2, '.');
    return (size_t)(at - out) - 1;
}

size_t bt_instant_format(bt_instant instant, char out[BT_INSTANT_TEXT_BYTES])
{
    assert(instant.nanos >= 0);
    assert(instant.nanos < 1000000000);
    const struct bt_civil_time civil = bt_civil_time_from_instant(instant.seconds);
    size_t size = put_whole_seconds(&civil, out);
    if (instant.nanos > 0) {
        (void)put_digits(out + size + 1, (int)instant.nanos, FRACTION_DIGITS_MAX, '0');
        size += 1 + FRACTION_DIGITS_MAX;
        while (out[size - 1] == '0') {
            size--;
        }
    }
    out[size++] = 'Z';
    out[size] = '\0';
    return size;
}

void bt_civil_date_format(int64_t seconds, char out[BT_DATE_BYTES + 1])
{
    char text[BT_INSTANT_TEXT_BYTES];
    (void)bt_instant_format((bt_instant){.seconds = seconds}, text);
    memcpy(out, text, BT_DATE_BYTES);
    out[BT_DATE_BYTES] = '\0';
}

enum bt_timestamp_kind bt_timestamp_parse(bt_str text, bt_instant *out)
{
    assert(out);
    struct bt_civil_time civil;
    if (!bt_civil_time_read(text, &civil)) {
        return BT_TIMESTAMP_MALFORMED;
    }
    if (!bt_civil_time_is_valid(&civil)) {
        return BT_TIMESTAMP_KIND_IMPOSSIBLE;
    }
    *out = (bt_instant){bt_civil_time_seconds(&civil), bt_civil_time_nanos(civil.fraction)};
    return BT_TIMESTAMP_KIND_VALID;
}

enum bt_status bt_timestamp_to_utc(bt_str text, struct bt_buf *out)
{
    assert(out);
    struct bt_civil_time civil;
    if (!bt_civil_time_read(text, &civil) || !bt_civil_time_is_valid(&civil)) {
        return BT_EINVAL;
    }
    /* A leap second is the last of its minute: shift the second before it, then count one more. */
    const int leap = civil.second == 60 ? 1 : 0;
    struct bt_civil_time utc = bt_civil_time_from_instant(bt_civil_time_seconds(&civil) - leap);
    if (utc.year < 0 || utc.year > YEAR_MAX) {
        return BT_ELIMIT;
    }
    utc.second += leap;
    char whole[BT_INSTANT_TEXT_BYTES];
    bt_buf_put(out, (bt_str){whole, put_whole_seconds(&utc, whole)});
    bt_buf_put_text(out, civil.fraction.len > 0 ? "." : "");
    bt_buf_put(out, civil.fraction);
    bt_buf_put_char(out, 'Z');
    return out->status;
}

bool bt_timestamp_format(bt_instant instant, char out[BT_INSTANT_TEXT_BYTES])
{
    assert(instant.nanos >= 0);
    assert(instant.nanos < 1000000000);
    const struct bt_civil_time civil = bt_civil_time_from_instant(instant.seconds);
    if (civil.year < 0 || civil.year > YEAR_MAX) {
        return false;
    }
    const size_t size = put_whole_seconds(&civil, out);
    *put_digits(out + size + 1, (int)(instant.nanos / 1000000), 3, 'Z') = '\0';
    return true;
}
