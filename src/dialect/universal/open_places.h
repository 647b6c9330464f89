/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_places.h - the locations that an answer may change: those that HARD findings open.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_OPEN_PLACES_H
#define BATON_SRC_DIALECT_UNIVERSAL_OPEN_PLACES_H

#include <baton/report.h>

struct bt_universal_open_places {
    bt_str *items; /* pointers, sorted; each once */
    size_t count;
    size_t capacity;
};

/* The locations that the HARD findings open, in the arena. BT_ENOMEM is the only failure. */
BT_MUST_USE enum bt_status bt_universal_open_places_find(const struct bt_findings *findings,
                                                         struct bt_arena *arena,
                                                         struct bt_universal_open_places *out);

/* True when `pointer` names an open place or something below one. */
bool bt_universal_open_places_hold(const struct bt_universal_open_places *places, bt_str pointer);
/* True when `pointer` names an open place, or something below or above one. */
bool bt_universal_open_places_touch(const struct bt_universal_open_places *places, bt_str pointer);

#endif
