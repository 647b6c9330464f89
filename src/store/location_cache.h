/* SPDX-License-Identifier: Apache-2.0 */
/*
 * location_cache.h - the probable location of a document, by its key.
 *
 * A document that is put again is not new, and searching for it takes as long as recording twenty
 * others. Nearly each of the last million documents has its number in one of two slots that its key
 * selects; the caller then compares the document itself.
 */
#ifndef BATON_SRC_STORE_LOCATION_CACHE_H
#define BATON_SRC_STORE_LOCATION_CACHE_H

#include <baton/base.h>

enum { BT_PLACES_GUESSES = 2 };

struct bt_store_location_cache {
    struct bt_arena arena;
    uint64_t *slots; /* number + 1; 0: empty. NULL: there is no table */
    size_t count;    /* a power of two */
};

void bt_store_location_cache_init(struct bt_store_location_cache *places);
void bt_store_location_cache_free(struct bt_store_location_cache *places);
/* Empty it, with room for so many documents, up to a bound. Without memory it has no locations. */
void bt_store_location_cache_reserve(struct bt_store_location_cache *places, uint64_t documents);
/* Set the number of the document with this key of 48 bits; it may replace another. */
void bt_store_location_cache_add(struct bt_store_location_cache *places, uint64_t mark,
                                 uint64_t number);
/* Put the candidate numbers into `out`; returns how many. */
size_t bt_store_location_cache_find(const struct bt_store_location_cache *places, uint64_t mark,
                                    uint64_t out[BT_PLACES_GUESSES]);

#endif
