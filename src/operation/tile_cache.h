/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile_cache.h - a cache of tiles. A tile of a given path never changes, so one that was read and
 * checked once need not be read again.
 */
#ifndef BATON_SRC_OPERATION_TILE_CACHE_H
#define BATON_SRC_OPERATION_TILE_CACHE_H

#include <baton/base.h>

enum { TILE_SLOTS = 32, TILE_PATH_BYTES = 64, TILE_BYTES_MAX = 64 << 10 };

struct bt_tile_cache_slot {
    char path[TILE_PATH_BYTES];
    size_t path_size; /* 0: it is empty */
    struct bt_buf bytes;
};

/* Used by one thread. Zeroed memory is an empty cache. */
struct bt_tile_cache {
    struct bt_tile_cache_slot slots[TILE_SLOTS];
};

/* Put the tile if it is cached. */
bool bt_tile_cache_find(const struct bt_tile_cache *memory, bt_str path, struct bt_buf *out);
/* Cache a tile, unless it is large; it may replace another. */
void bt_tile_cache_store(struct bt_tile_cache *memory, bt_str path, bt_str bytes);
void bt_tile_cache_free(struct bt_tile_cache *memory);

#endif
