/* SPDX-License-Identifier: Apache-2.0 */
/*
 * civil_time.h - dates and times as they are written, and the proleptic Gregorian calendar.
 */
#ifndef BATON_SRC_BASE_CIVIL_TIME_H
#define BATON_SRC_BASE_CIVIL_TIME_H

#include <baton/base.h>

enum {
    BT_DAY_SECONDS = 86400,
    BT_DATE_BYTES = 10, /* YYYY-MM-DD */
};

/* The parts of a date-time as they stand in its text. Whether they name a moment is asked later. */
struct bt_civil_time {
    int year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    bt_str fraction; /* the digits after the point, or "" */
    int zone_sign;   /* -1, or 1 also for Z */
    int zone_hours;
    int zone_minutes;
};

/* Read YYYY-MM-DD; false when the text is anything else. The date itself is not judged. */
bool bt_civil_time_read_date(bt_str text, struct bt_civil_time *out);
/* Read YYYY-MM-DDThh:mm:ss[.fraction](Z|+hh:mm|-hh:mm); false when the text is anything else. */
bool bt_civil_time_read(bt_str text, struct bt_civil_time *out);

/* Whether the calendar has this day. */
bool bt_civil_time_is_valid_date(const struct bt_civil_time *civil);
/* Whether it is a day, a time of day and a zone. Second 60 counts where UTC says 23:59:60. */
bool bt_civil_time_is_valid(const struct bt_civil_time *civil);
/* Seconds since 1970 in UTC of what names a moment; second 60 is the next minute's first. */
int64_t bt_civil_time_seconds(const struct bt_civil_time *civil);
/* Seconds since 1970 of midnight UTC of the day. */
int64_t bt_civil_time_day_seconds(const struct bt_civil_time *civil);
/* The other way, in UTC; the year may be any that an int holds. */
struct bt_civil_time bt_civil_time_from_instant(int64_t seconds);
/* Write the day in UTC as YYYY-MM-DD and a NUL byte. Not before 1970. */
void bt_civil_date_format(int64_t seconds, char out[BT_DATE_BYTES + 1]);
/* The nanoseconds of a fraction; digits beyond the ninth are left out. */
int32_t bt_civil_time_nanos(bt_str fraction);

#endif
