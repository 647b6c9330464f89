/* SPDX-License-Identifier: Apache-2.0 */
/* tile_cache.c - a cache of tiles, each in the one slot that its path selects. */
#include "operation/tile_cache.h"

#include <string.h>

#include "operation/hash.h"

/* A caller that makes paths collide only makes us read a tile again, as without the cache. */
static size_t place_of(bt_str path)
{
    return hash_text(path) % TILE_SLOTS;
}

bool bt_tile_cache_find(const struct bt_tile_cache *memory, bt_str path, struct bt_buf *out)
{
    const struct bt_tile_cache_slot *slot = &memory->slots[place_of(path)];
    if (slot->path_size == 0 || !bt_str_eq((bt_str){slot->path, slot->path_size}, path)) {
        return false;
    }
    bt_buf_put(out, bt_buf_str(&slot->bytes));
    return true;
}

void bt_tile_cache_store(struct bt_tile_cache *memory, bt_str path, bt_str bytes)
{
    struct bt_tile_cache_slot *slot = &memory->slots[place_of(path)];
    if (path.len == 0 || path.len > TILE_PATH_BYTES || bytes.len > TILE_BYTES_MAX) {
        return;
    }
    bt_buf_free(&slot->bytes);
    bt_buf_init(&slot->bytes, TILE_BYTES_MAX);
    bt_buf_put(&slot->bytes, bytes);
    memcpy(slot->path, path.ptr, path.len);
    slot->path_size = slot->bytes.status == BT_OK ? path.len : 0;
}

void bt_tile_cache_free(struct bt_tile_cache *memory)
{
    for (size_t i = 0; i < TILE_SLOTS; i++) {
        bt_buf_free(&memory->slots[i].bytes);
        memory->slots[i].path_size = 0;
    }
}
