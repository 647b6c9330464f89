/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_statement.c - any bytes, read as a signed statement of somebody else.
 *
 * Promises: what is accepted is deterministic CBOR, whose leaf is at most 65535 bytes, is read as
 * the same statement, and is not an entry; the unprotected header changes neither leaf nor digest;
 * a refusal says why; without listed issuers nothing is taken.
 */
#include "base/buf.h"
#include "cbor/cbor.h"
#include "fuzz.h"
#include "ledger/entry.h"
#include "ledger/issuers.h"

static bool is_same(const struct bt_signed_statement *a, const struct bt_signed_statement *b)
{
    return bt_str_eq(a->headers, b->headers) && a->alg == b->alg && bt_str_eq(a->kid, b->kid) &&
           bt_str_eq(a->issuer, b->issuer) && bt_str_eq(a->subject, b->subject) &&
           bt_str_eq(a->payload, b->payload) && bt_str_eq(a->signature, b->signature);
}

static void try_leaf(struct bt_arena *arena, bt_str bytes,
                     const struct bt_signed_statement *statement)
{
    struct bt_signed_statement again;
    struct bt_merkle_hash digests[2];
    struct bt_entry entry;
    bt_str leaf;
    bt_str same;
    PROMISE(bt_statement_leaf(arena, statement, &leaf) == BT_OK);
    PROMISE(leaf.len <= BT_STATEMENT_BYTES_MAX && leaf.len <= bytes.len);
    PROMISE(!bt_statement_read_leaf(leaf, &again).refusal);
    PROMISE(is_same(statement, &again));
    PROMISE(bt_statement_leaf(arena, &again, &same) == BT_OK);
    PROMISE(bt_str_eq(leaf, same));
    PROMISE(bt_statement_digest(statement, &digests[0]) == BT_OK);
    PROMISE(bt_statement_digest(&again, &digests[1]) == BT_OK);
    PROMISE(bt_merkle_hash_eq(&digests[0], &digests[1]));
    PROMISE(bt_str_eq(leaf, bytes) == !bt_statement_read_leaf(bytes, &again).refusal);
    PROMISE(!bt_entry_read(leaf, &entry));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str bytes = fuzz_text(data, size);
    const struct bt_issuers nobody = {.text = BT_STR_INIT("[]")};
    struct bt_arena arena;
    struct bt_signed_statement statement;
    struct bt_statement_fault fault = bt_statement_read(bytes, &statement);
    PROMISE(fault.why && (fault.refusal == BT_STATEMENT_FINE) == (fault.why[0] == '\0'));
    if (fault.refusal) {
        return 0;
    }
    fuzz_plant_overflow(data, size);
    PROMISE(!bt_cbor_check(bytes));
    PROMISE(!bt_cbor_check(statement.headers));
    PROMISE(statement.kid.len == BT_HASH_BYTES && statement.issuer.len > 0);
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    try_leaf(&arena, bytes, &statement);
    PROMISE(bt_issuers_judge(&nobody, &statement, &fault) == BT_OK);
    PROMISE(fault.refusal == BT_STATEMENT_REJECTED);
    bt_arena_free(&arena);
    return 0;
}
