/* SPDX-License-Identifier: Apache-2.0 */
/* tile_store.c - tiles of a log from its store. */
#include <assert.h>
#include <inttypes.h>

#include "ledger/ledger_internal.h"

static bool put_hash(void *context, uint64_t n, bt_str hash)
{
    (void)n;
    bt_buf_put(context, hash);
    return true;
}

static enum bt_status put_hashes(struct bt_ledger *ledger, struct bt_tile tile, uint32_t width,
                                 struct bt_buf *out, struct bt_error *error)
{
    const uint64_t first = tile.n * BT_TILE_WIDTH;
    const uint64_t range[2] = {first, first + width};
    BT_TRY(bt_store_hash_scan(ledger->store, tile.level, range, put_hash, out, error));
    return out->len == (size_t)width * BT_HASH_BYTES
               ? out->status
               : bt_error_set(error, BT_ECORRUPT, "hashes of the log are missing");
}

struct ledger_tile_store_bundle {
    struct bt_findings *alarms;
    struct bt_buf *out;
    uint64_t next;
    uint64_t end;
    enum bt_status status;
};

static enum bt_status put_entry(struct ledger_tile_store_bundle *bundle,
                                const struct bt_store_entry *row)
{
    struct bt_merkle_hash leaf;
    bt_merkle_hash_leaf(row->entry, &leaf);
    if (!bt_str_eq(row->leaf, (bt_str){(const char *)leaf.bytes, BT_HASH_BYTES})) {
        return bt_ledger_add_leaf_finding(bundle->alarms, row->seq, row->leaf, &leaf);
    }
    assert(row->entry.len <= BT_ENTRY_BYTES_MAX);
    bt_buf_put_char(bundle->out, (char)(row->entry.len >> 8));
    bt_buf_put_char(bundle->out, (char)(row->entry.len & 255));
    bt_buf_put(bundle->out, row->entry);
    return bundle->out->status;
}

static bool take_entry(void *context, const struct bt_store_entry *row)
{
    struct ledger_tile_store_bundle *bundle = context;
    if (row->seq != bundle->next || row->seq >= bundle->end) {
        return false;
    }
    bundle->status = put_entry(bundle, row);
    bundle->next++;
    return bundle->status == BT_OK && bt_findings_count(bundle->alarms) == 0 &&
           bundle->next < bundle->end;
}

static enum bt_status put_entries(struct bt_ledger *ledger, struct ledger_tile_store_bundle *bundle,
                                  struct bt_error *error)
{
    const struct bt_store_scan scan = {.order = BT_STORE_UP, .from = bundle->next};
    BT_TRY(bt_store_entry_scan(ledger->store, &scan, take_entry, bundle, error));
    BT_TRY(bundle->status);
    return bundle->next == bundle->end || bt_findings_count(bundle->alarms) > 0
               ? BT_OK
               : bt_error_set(error, BT_ECORRUPT, "entry %" PRIu64 " is missing", bundle->next);
}

enum bt_status bt_tile_put(struct bt_ledger *ledger, struct bt_tile tile, uint32_t width,
                           struct bt_findings *alarms, struct bt_buf *out, struct bt_error *error)
{
    assert(ledger);
    assert(out);
    const uint64_t first = tile.n * BT_TILE_WIDTH;
    struct ledger_tile_store_bundle bundle = {alarms, out, first, first + width, BT_OK};
    return tile.level == BT_TILE_ENTRIES ? put_entries(ledger, &bundle, error)
                                         : put_hashes(ledger, tile, width, out, error);
}

/* Take the part up to the next slash, or to the end. */
static bt_str take_part(bt_str *path)
{
    const size_t end = bt_str_find_byte(*path, '/', 0);
    const bt_str part = bt_str_slice(*path, 0, end);
    *path = bt_str_slice(*path, end + 1, path->len);
    return part;
}

/* Parse a path without its `tile/`. Its spelling is checked later. */
static bool read_path(bt_str path, struct bt_tile *out, uint64_t *out_width)
{
    const bt_str level = take_part(&path);
    uint64_t number = BT_TILE_ENTRIES;
    if (!bt_str_eq(level, BT_STR("entries")) &&
        (bt_str_to_u64(level, &number) != BT_OK || number >= BT_TILE_LEVELS)) {
        return false;
    }
    *out = (struct bt_tile){(uint32_t)number, 0};
    *out_width = BT_TILE_WIDTH;
    while (path.len > 0) {
        bt_str part = take_part(&path);
        part = bt_str_starts_with(part, BT_STR("x")) ? bt_str_slice(part, 1, part.len) : part;
        const bool is_part = bt_str_ends_with(part, BT_STR(".p"));
        part = is_part ? bt_str_slice(part, 0, part.len - 2) : part;
        if (bt_str_to_u64(part, &number) != BT_OK || number > 999 ||
            out->n > UINT64_MAX / 1000 / BT_TILE_WIDTH) {
            return false;
        }
        out->n = out->n * 1000 + number;
        if (is_part) {
            return bt_str_to_u64(path, out_width) == BT_OK && *out_width > 0 &&
                   *out_width < BT_TILE_WIDTH;
        }
    }
    return true;
}

/* Each tile has exactly one spelling. */
static bool is_spelled(bt_str path, struct bt_tile tile, uint32_t width)
{
    struct bt_buf buf;
    bt_buf_init(&buf, 256);
    bt_tile_put_path(&buf, tile, width);
    const bt_str spelled = bt_buf_str(&buf);
    const bool is_same = buf.status == BT_OK && bt_str_starts_with(spelled, BT_STR("tile/")) &&
                         bt_str_eq(bt_str_slice(spelled, 5, spelled.len), path);
    bt_buf_free(&buf);
    return is_same;
}

enum bt_status bt_ledger_put_tile(struct bt_ledger *ledger, struct bt_arena *arena, bt_str path,
                                  struct bt_findings *alarms, struct bt_buf *buf,
                                  struct bt_error *error)
{
    assert(ledger);
    assert(buf);
    struct bt_ledger_head head = {.size = 0};
    struct bt_tile tile;
    uint64_t width = 0;
    if (!read_path(path, &tile, &width) || !is_spelled(path, tile, (uint32_t)width)) {
        return bt_error_set(error, BT_ENOENT, "it is not the path of a tile");
    }
    BT_TRY(bt_ledger_head(ledger, arena, alarms, &head, error));
    if (bt_findings_count(alarms) > 0) {
        return BT_OK;
    }
    if (width > bt_tile_width(tile, head.size)) {
        return bt_error_set(error, BT_ENOENT, "the log is not that long");
    }
    return bt_tile_put(ledger, tile, (uint32_t)width, alarms, buf, error);
}
