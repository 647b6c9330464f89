/* SPDX-License-Identifier: Apache-2.0 */
/* verify_findings.c - the findings of a verification: at most a hundred of each code. */
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ledger/verify.h"

enum { FINDINGS_PER_CODE = 100, MISSING_MAX = 100 };

static struct bt_verify_count *count_of(struct bt_verify *verify, const char *code)
{
    struct bt_verify_count *count = verify->counts;
    while (count->code && strcmp(count->code, code) != 0) {
        count++;
        assert(count < verify->counts + BT_VERIFY_CODES_MAX);
    }
    count->code = code;
    return count;
}

enum bt_status bt_verify_add_finding(struct bt_verify *verify, const char *code, bt_str pointer,
                                     bt_str params, const char *format, ...)
{
    struct bt_verify_count *count = count_of(verify, code);
    if (++count->count > FINDINGS_PER_CODE) {
        return BT_OK;
    }
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    assert(size >= 0);
    struct bt_finding finding = bt_ledger_finding(code);
    finding.pointer = pointer;
    finding.params = params;
    finding.message = bt_str_of(message);
    if (count->count < FINDINGS_PER_CODE) {
        return bt_findings_add(verify->findings, &finding);
    }
    /* The last one may have to say how many more there are. */
    BT_TRY(bt_arena_copy(verify->arena, finding.pointer, &finding.pointer));
    BT_TRY(bt_arena_copy(verify->arena, finding.params, &finding.params));
    BT_TRY(bt_arena_copy(verify->arena, finding.message, &finding.message));
    count->last = finding;
    return BT_OK;
}

enum bt_status bt_verify_add_omitted_counts(struct bt_verify *verify)
{
    for (struct bt_verify_count *count = verify->counts; count->code; count++) {
        struct bt_finding *last = &count->last;
        if (count->count < FINDINGS_PER_CODE) {
            continue;
        }
        if (count->count > FINDINGS_PER_CODE) {
            const bt_str inner = bt_str_slice(last->params, 1, last->params.len - 1);
            const bool has_inner = last->params.len > 2;
            BT_TRY(bt_arena_printf(verify->arena, &last->params, "{%.*s%s\"more\":%" PRIu64 "}",
                                   has_inner ? (int)inner.len : 0, inner.ptr, has_inner ? "," : "",
                                   count->count - FINDINGS_PER_CODE));
        }
        BT_TRY(bt_findings_add(verify->findings, last));
    }
    return BT_OK;
}

/* How many tiles the size needs beyond the position of the pass. */
static uint64_t pieces_left(const struct bt_verify *verify)
{
    uint64_t left = 0;
    if (verify->ledger) {
        return verify->newest.size - verify->tree.size;
    }
    for (uint32_t level = 0; level < BT_TILE_LEVELS; level++) {
        left += bt_tile_count(level, verify->newest.size);
    }
    left += bt_tile_count(BT_TILE_ENTRIES, verify->newest.size);
    const uint64_t walked = 2 * (verify->tree.size / BT_TILE_WIDTH + 1);
    return left > walked ? left - walked : 0;
}

enum bt_status bt_verify_add_missing_finding(struct bt_verify *verify, bt_str pointer, bt_str path,
                                             uint64_t expected, uint64_t actual)
{
    bt_str params;
    BT_TRY(bt_arena_printf(&verify->work, &params,
                           "{\"path\":\"%.*s\",\"expected\":%" PRIu64 ",\"actual\":%" PRIu64 "}",
                           BT_STR_ARG(path), expected, actual));
    /* The length of a bundle is known only from the bundle. */
    BT_TRY(expected > 0
               ? bt_verify_add_finding(verify, "LEDGER_INCOMPLETE", pointer, params,
                                       "the signed size promises %" PRIu64
                                       " bytes here, and there are %" PRIu64,
                                       expected, actual)
               : bt_verify_add_finding(verify, "LEDGER_INCOMPLETE", pointer, params,
                                       "the signed size promises entries here, and there are "
                                       "%" PRIu64 " bytes",
                                       actual));
    struct bt_verify_count *count = count_of(verify, "LEDGER_INCOMPLETE");
    if (count->count == MISSING_MAX) {
        verify->is_stopped = true;
        count->count += pieces_left(verify); /* they are not read: they count as missing */
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
    bt_str pointer;
    bt_str params;
    assert(digest.len == BT_HASH_BYTES);
    memcpy(expected.bytes, digest.ptr, BT_HASH_BYTES);
    bt_merkle_hash_plain(bytes, &actual);
    verify->documents_checked++;
    if (bt_merkle_hash_eq(&expected, &actual) && bytes.len == size) {
        return BT_OK;
    }
    bt_merkle_hash_hex(&expected, hex);
    bt_merkle_hash_hex(&actual, found);
    BT_TRY(bt_arena_printf(&verify->work, &pointer, "/documents/%s", hex));
    BT_TRY(bt_arena_printf(&verify->work, &params, "{\"actual\":\"%s\"}", found));
    return bt_verify_add_finding(verify, "LEDGER_DOCUMENT_MISMATCH", pointer, params,
                                 "the bytes that are kept for this digest are others");
}
