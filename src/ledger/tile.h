/* SPDX-License-Identifier: Apache-2.0 */
/* tile.h - how a log is divided into static files: C2SP tlog-tiles. */
#ifndef BATON_SRC_LEDGER_TILE_H
#define BATON_SRC_LEDGER_TILE_H

#include "ledger/tree.h"

enum { BT_TILE_ENTRIES = UINT8_MAX }; /* the level of bundles of entries, in paths */

/* Which tile of a log: level 0 holds leaf hashes, level L the roots of full tiles of level L-1. */
struct bt_tile {
    uint32_t level; /* or BT_TILE_ENTRIES */
    uint64_t n;
};

/* Hashes (or entries) that the tile has in a log of that size: 0 to 256. */
uint32_t bt_tile_width(struct bt_tile tile, uint64_t size);
/* Tiles that a log of that size has on a level, a partial one included. */
uint64_t bt_tile_count(uint32_t level, uint64_t size);
/* Put `tile/LEVEL/N` or, for a width below 256, `tile/LEVEL/N.p/WIDTH`. */
void bt_tile_put_path(struct bt_buf *buf, struct bt_tile tile, uint32_t width);

#endif
