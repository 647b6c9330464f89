/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_pack.c - the calls of one agent as bytes, for the next reading.
 *
 * A version, flags, then each call: what changed since the call before, the hash of its id, the
 * hashes of its segments. Then the sessions of running commands. There is no text in it.
 */
#include <assert.h>
#include <string.h>

#include "base/pack.h"
#include "evidence/index.h"

enum { VERSION = 1 };

enum {
    HAS_RESULT = 1,
    IS_ERROR = 2,
    IS_CERTAIN = 4,
    IS_CUT = 8,
    IS_UNDERSTOOD = 16,
    IS_READING = 32,
    IS_EDIT_BY_EXIT = 64,
    IS_DOCUMENT = 128,
};

static uint64_t flags_of(const struct bt_evidence_call *call)
{
    return (call->has_result ? HAS_RESULT : 0) | (call->is_error ? IS_ERROR : 0) |
           (call->is_certain ? IS_CERTAIN : 0) | (call->is_cut ? IS_CUT : 0) |
           (call->is_understood ? IS_UNDERSTOOD : 0) | (call->is_reading ? IS_READING : 0) |
           (call->is_edit_by_exit ? IS_EDIT_BY_EXIT : 0) | (call->is_document ? IS_DOCUMENT : 0);
}

static void set_flags(struct bt_evidence_call *call, uint64_t flags)
{
    call->has_result = (flags & HAS_RESULT) != 0;
    call->is_error = (flags & IS_ERROR) != 0;
    call->is_certain = (flags & IS_CERTAIN) != 0;
    call->is_cut = (flags & IS_CUT) != 0;
    call->is_understood = (flags & IS_UNDERSTOOD) != 0;
    call->is_reading = (flags & IS_READING) != 0;
    call->is_edit_by_exit = (flags & IS_EDIT_BY_EXIT) != 0;
    call->is_document = (flags & IS_DOCUMENT) != 0;
}

static void pack_call(struct bt_buf *buf, const struct bt_evidence_index *index, size_t number)
{
    const struct bt_evidence_call *call = &index->calls.items[number];
    const struct bt_evidence_call before = number > 0 ? call[-1] : (struct bt_evidence_call){0};
    bt_pack_u64(buf, call->line - before.line);
    bt_pack_u64(buf, call->offset - before.offset);
    bt_pack_u64(buf, call->kind);
    bt_pack_u64(buf, call->reason);
    bt_pack_u64(buf, flags_of(call));
    bt_pack_u64(buf, (uint64_t)call->exit);
    bt_pack_u64(buf, call->continues);
    bt_pack_u64(buf, call->hash_count);
    bt_buf_put(buf, index->ids.entries[number].key.text);
    if (call->hash_count > 0) {
        bt_buf_put(buf, (bt_str){(const char *)&index->hashes.items[call->first_hash],
                                 call->hash_count * sizeof(struct bt_segment_hash)});
    }
}

void bt_evidence_index_pack(const struct bt_evidence_index *index, struct bt_buf *buf)
{
    assert(index);
    assert(!index->options.is_all);
    assert(index->ids.count == index->calls.count);
    bt_pack_u64(buf, VERSION);
    bt_pack_u64(buf, index->is_full);
    bt_pack_text(buf, index->options.agent);
    bt_pack_u64(buf, index->calls.count);
    for (size_t i = 0; i < index->calls.count; i++) {
        pack_call(buf, index, i);
    }
    bt_pack_u64(buf, index->sessions.count);
    for (size_t i = 0; i < index->sessions.count; i++) {
        bt_buf_put(buf, index->sessions.entries[i].key.text);
        bt_pack_u64(buf, index->sessions.entries[i].value.number);
    }
}

/* Add an id with the number of its call. */
static enum bt_status take_id(struct bt_evidence_index *index, struct bt_map *map, bt_str hash,
                              uint64_t number)
{
    struct bt_map_entry *entry = NULL;
    bt_str kept;
    BT_TRY(bt_arena_copy(index->arena, hash, &kept));
    BT_TRY(bt_map_add(map, bt_map_text(kept), &entry));
    const bool is_new = entry->value.number == 0;
    entry->value.number = number;
    return is_new ? BT_OK : BT_ECORRUPT;
}

static enum bt_status take_hashes(struct bt_evidence_index *index, bt_str bytes,
                                  struct bt_evidence_call *call)
{
    call->first_hash = (uint32_t)index->hashes.count;
    if (bytes.len == 0) {
        return BT_OK;
    }
    BT_TRY(bt_vec_reserve(index->arena, &index->hashes, call->hash_count));
    memcpy(&index->hashes.items[index->hashes.count], bytes.ptr, bytes.len);
    index->hashes.count += call->hash_count;
    return BT_OK;
}

static enum bt_status unpack_call(struct bt_evidence_index *index, struct bt_unpack *from)
{
    const size_t number = index->calls.count;
    const struct bt_evidence_call before =
        number > 0 ? index->calls.items[number - 1] : (struct bt_evidence_call){0};
    struct bt_evidence_call call = {.number = (uint32_t)number + 1,
                                    .text = {BT_STR_INIT(""), BT_STR_INIT(""), BT_STR_INIT("")}};
    call.line = before.line + bt_unpack_u64(from);
    call.offset = before.offset + bt_unpack_u64(from);
    const uint64_t kind = bt_unpack_u64(from);
    const uint64_t reason = bt_unpack_u64(from);
    set_flags(&call, bt_unpack_u64(from));
    call.exit = (int64_t)bt_unpack_u64(from);
    const uint64_t continues = bt_unpack_u64(from);
    const uint64_t hash_count = bt_unpack_u64(from);
    const bt_str id = bt_unpack_bytes(from, BT_EVIDENCE_ID_BYTES);
    if (from->is_broken || kind > BT_CALL_READING || reason > BT_CALL_INTERRUPTED ||
        continues > number || hash_count > from->bytes.len / sizeof(struct bt_segment_hash)) {
        return BT_ECORRUPT;
    }
    call.kind = (uint8_t)kind;
    call.reason = (uint8_t)reason;
    call.continues = (uint32_t)continues;
    call.hash_count = (uint32_t)hash_count;
    BT_TRY(take_hashes(
        index, bt_unpack_bytes(from, (size_t)hash_count * sizeof(struct bt_segment_hash)), &call));
    BT_TRY(take_id(index, &index->ids, id, number + 1));
    return bt_vec_push(index->arena, &index->calls, call);
}

enum bt_status bt_evidence_index_unpack(struct bt_evidence_index *index, bt_str bytes)
{
    assert(index);
    assert(index->calls.count == 0);
    struct bt_unpack from = {bytes, false};
    const uint64_t version = bt_unpack_u64(&from);
    index->is_full = bt_unpack_u64(&from) != 0;
    const bt_str agent = bt_unpack_text(&from);
    const uint64_t count = bt_unpack_u64(&from);
    if (from.is_broken || version != VERSION || count > BT_EVIDENCE_CALLS_MAX) {
        return BT_ECORRUPT;
    }
    BT_TRY(bt_arena_copy(index->arena, agent, &index->options.agent));
    BT_TRY(bt_map_reserve(&index->ids, (size_t)count));
    BT_TRY(bt_vec_reserve(index->arena, &index->calls, (size_t)count));
    for (uint64_t i = 0; i < count; i++) {
        BT_TRY(unpack_call(index, &from));
    }
    BT_TRY(bt_vec_push(index->arena, &index->counts, (uint32_t)count));
    index->unpacked_count = (size_t)count;
    const uint64_t sessions = bt_unpack_u64(&from);
    for (uint64_t i = 0; i < sessions && !from.is_broken; i++) {
        const bt_str hash = bt_unpack_bytes(&from, BT_EVIDENCE_ID_BYTES);
        const uint64_t number = bt_unpack_u64(&from);
        if (from.is_broken || number == 0 || number > count) {
            return BT_ECORRUPT;
        }
        BT_TRY(take_id(index, &index->sessions, hash, number));
    }
    return from.is_broken || from.bytes.len > 0 ? BT_ECORRUPT : BT_OK;
}
