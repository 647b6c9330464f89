/* SPDX-License-Identifier: Apache-2.0 */
/* verify_findings.c - the findings of a verification: at most a hundred of each code. */
#include <assert.h>
#include <string.h>

#include "ledger/verify.h"
#include "report/findings.h"

/* How many tiles the size needs beyond the position of the pass. */
static uint64_t pieces_left(const struct bt_verify *verify)
{
    uint64_t left = 0;
    if (verify->ledger) {
        return verify->newest.size - verify->pass.tree.size;
    }
    for (uint32_t level = 0; level < BT_TILE_LEVELS; level++) {
        left += bt_tile_count(level, verify->newest.size);
    }
    left += bt_tile_count(BT_TILE_ENTRIES, verify->newest.size);
    const uint64_t walked = 2 * (verify->pass.tree.size / BT_TILE_WIDTH + 1);
    return left > walked ? left - walked : 0;
}

enum bt_status bt_verify_add_missing_finding(struct bt_verify *verify, struct bt_location at,
                                             bt_str path, uint64_t expected, uint64_t actual)
{
    /* The length of a bundle is known only from the bundle. */
    BT_TRY(bt_add_ledger_incomplete(verify->findings, at, path, expected, actual, expected == 0));
    if (bt_findings_count_of_code(verify->findings, BT_CODE_LEDGER_INCOMPLETE) ==
        BT_VERIFY_FINDINGS_PER_CODE) {
        verify->is_stopped = true;
        /* they are not read: they count as missing */
        bt_findings_count_omitted(verify->findings, BT_CODE_LEDGER_INCOMPLETE, pieces_left(verify));
    }
    return BT_OK;
}

size_t bt_verify_digests(struct bt_verify *verify, const struct bt_merkle_hash **out)
{
    assert(verify);
    struct bt_merkle_hash *digests = (struct bt_merkle_hash *)(void *)verify->digests.ptr;
    *out = digests;
    return bt_merkle_hashes_sort(digests, verify->digests.len / sizeof(digests[0]));
}

enum bt_status bt_verify_document(struct bt_verify *verify, bt_str digest, bt_str bytes,
                                  uint64_t size)
{
    struct bt_merkle_hash expected;
    struct bt_merkle_hash actual;
    char hex[BT_HASH_HEX_BYTES];
    char found[BT_HASH_HEX_BYTES];
    assert(digest.len == BT_HASH_BYTES);
    memcpy(expected.bytes, digest.ptr, BT_HASH_BYTES);
    bt_merkle_hash_plain(bytes, &actual);
    verify->result.documents_checked++;
    if (bt_merkle_hash_eq(&expected, &actual) && bytes.len == size) {
        return BT_OK;
    }
    bt_merkle_hash_hex(&expected, hex);
    return bt_add_ledger_document_mismatch(verify->findings,
                                           bt_ledger_location(&verify->work, "/documents/%s", hex),
                                           bt_merkle_hash_text(&actual, found));
}
