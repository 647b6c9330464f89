/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tile.c - widths and paths of tiles.
 */
#include "ledger/tile.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"

/* How many hashes a whole level has. */
static uint64_t level_width(uint32_t level, uint64_t size)
{
    const uint32_t height = level == BT_TILE_ENTRIES ? 0 : level * BT_TILE_HEIGHT;
    return height < 64 ? size >> height : 0;
}

uint32_t bt_tile_width(struct bt_tile tile, uint64_t size)
{
    const uint64_t width = level_width(tile.level, size);
    if (tile.n < width / BT_TILE_WIDTH) {
        return BT_TILE_WIDTH;
    }
    return tile.n == width / BT_TILE_WIDTH ? (uint32_t)(width % BT_TILE_WIDTH) : 0;
}

uint64_t bt_tile_count(uint32_t level, uint64_t size)
{
    const uint64_t width = level_width(level, size);
    return width / BT_TILE_WIDTH + (width % BT_TILE_WIDTH != 0);
}

void bt_tile_put_path(struct bt_buf *buf, struct bt_tile tile, uint32_t width)
{
    assert(buf);
    assert(width > 0);
    assert(width <= BT_TILE_WIDTH);
    if (tile.level == BT_TILE_ENTRIES) {
        bt_buf_put_text(buf, "tile/entries");
    } else {
        bt_buf_printf(buf, "tile/%u", tile.level);
    }
    /* Groups of three digits, all but the last one with an x before them. */
    uint64_t divisor = 1;
    while (tile.n / divisor >= 1000) {
        divisor *= 1000;
    }
    for (; divisor > 1; divisor /= 1000) {
        bt_buf_printf(buf, "/x%03" PRIu64, tile.n / divisor % 1000);
    }
    bt_buf_printf(buf, "/%03" PRIu64, tile.n % 1000);
    if (width < BT_TILE_WIDTH) {
        bt_buf_printf(buf, ".p/%u", width);
    }
}
