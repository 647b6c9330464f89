/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_places.c - the locations that an answer may change.
 *
 * Routing, approval, seals and the version belong to people: their findings open nothing.
 */
#include "dialect/universal/open_places.h"

#include <stdlib.h>

#include "base/vec.h"
#include "dialect/universal/fix_table.h"
#include "report/rules.h"

/* Add the locations that a finding opens. */
static enum bt_status add_opened(const struct bt_finding *finding, struct bt_arena *arena,
                                 struct bt_universal_open_places *places)
{
    bt_str place = finding->pointer;
    if (finding->code == BT_CODE_TOKENS_OVER_BUDGET) {
        BT_TRY(bt_vec_push(arena, places, BT_STR("/handoff/context")));
        return bt_vec_push(arena, places, BT_STR("/handoff/payload"));
    }
    if (finding->code == BT_CODE_SCHEMA_REQUIRED) {
        BT_TRY(bt_universal_put_missing_pointer(finding, arena, &place));
    } else if (finding->code == BT_CODE_REENTRY_WITHOUT_REASON) {
        place = BT_STR("/handoff/meta/handoff_reason");
    } else if (finding->code != BT_CODE_TIMESTAMP_INVALID &&
               (!bt_str_starts_with(finding->rule->code, BT_STR("SCHEMA_")) ||
                /* A version that is there says what the document is; no answer changes that. */
                bt_str_eq(finding->pointer, BT_STR("/handoff/version")))) {
        return BT_OK;
    }
    return bt_vec_push(arena, places, place);
}

static int compare_places(const void *a, const void *b)
{
    return bt_str_compare(*(const bt_str *)a, *(const bt_str *)b);
}

enum bt_status bt_universal_open_places_find(const struct bt_findings *findings,
                                             struct bt_arena *arena,
                                             struct bt_universal_open_places *out)
{
    struct bt_universal_open_places places = {NULL, 0, 0};
    for (size_t i = 0; i < bt_findings_count(findings); i++) {
        const struct bt_finding *finding = bt_findings_at(findings, i);
        if (finding->severity == BT_SEVERITY_HARD) {
            BT_TRY(add_opened(finding, arena, &places));
        }
    }
    if (places.count > 1) {
        qsort(places.items, places.count, sizeof(*places.items), compare_places);
    }
    size_t kept = 0;
    for (size_t i = 0; i < places.count; i++) {
        if (kept == 0 || !bt_str_eq(places.items[kept - 1], places.items[i])) {
            places.items[kept++] = places.items[i];
        }
    }
    places.count = kept;
    *out = places;
    return BT_OK;
}

static bool is_place(const struct bt_universal_open_places *places, bt_str pointer)
{
    return places->count > 0 &&
           bsearch(&pointer, places->items, places->count, sizeof(pointer), compare_places) != NULL;
}

bool bt_universal_open_places_hold(const struct bt_universal_open_places *places, bt_str pointer)
{
    /* Each beginning of the pointer that is a pointer itself, "" and the whole among them. */
    for (size_t end = 0;; end = bt_str_find_byte(pointer, '/', end + 1)) {
        if (is_place(places, bt_str_slice(pointer, 0, end))) {
            return true;
        }
        if (end == pointer.len) {
            return false;
        }
    }
}

bool bt_universal_open_places_touch(const struct bt_universal_open_places *places, bt_str pointer)
{
    for (size_t i = 0; i < places->count; i++) {
        const bt_str place = places->items[i];
        if (bt_str_starts_with(place, pointer) && place.len > pointer.len &&
            place.ptr[pointer.len] == '/') {
            return true;
        }
    }
    return bt_universal_open_places_hold(places, pointer);
}
