/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memo.c - answers that were given before, so that no schema can make a run exponential.
 *
 * Only blocks that several schemas apply begin with a MEMO instruction. Most documents ask each
 * of them about each value once, and would gain nothing; so nothing is remembered until there
 * were more questions than such documents have. From then on every question is answered once.
 *
 * What was found in one dynamic scope does not hold in another: the scope is part of the
 * question. A block that marks children does so each time it passes: of tracked blocks only
 * failures are kept.
 */
#include <string.h>

#include "json/text_hash.h"
#include "schema/machine.h"

enum {
    LOOKUPS_FIRST = 32,
    LOOKUPS_PER_NODE = 4,
    SLOTS_FIRST = 1024,
};

void bt_schema_memo_reset(struct bt_schema_machine *run, uint64_t nodes)
{
    struct bt_schema_memo *memo = &run->memo;
    if (memo->count > 0 && memo->generation == UINT16_MAX) {
        memset(memo->slots, 0, memo->capacity * sizeof(*memo->slots));
        memo->generation = 0;
    }
    if (memo->count > 0 || memo->generation == 0) {
        memo->generation++;
    }
    memo->count = 0;
    memo->lookups = 0;
    memo->lookups_before_start = LOOKUPS_FIRST + LOOKUPS_PER_NODE * nodes;
    memo->is_on = false;
}

static bool is_free(const struct bt_schema_memo *memo, const struct bt_schema_memo_slot *slot)
{
    return slot->generation != memo->generation;
}

static struct bt_schema_memo_slot *slot_of(const struct bt_schema_memo *memo,
                                           const struct bt_schema_memo_slot *key)
{
    const uint64_t hash = bt_json_hash_combine(
        bt_json_hash_combine((uint64_t)(uintptr_t)key->at, (uint64_t)(uintptr_t)key->value),
        key->scope);
    size_t at = hash & (memo->capacity - 1);
    while (!is_free(memo, &memo->slots[at]) &&
           (memo->slots[at].at != key->at || memo->slots[at].value != key->value ||
            memo->slots[at].scope != key->scope)) {
        at = (at + 1) & (memo->capacity - 1);
    }
    return &memo->slots[at];
}

/* Make the table twice as large. Without memory it stays as it is, and no more is remembered. */
static bool grow_memo(struct bt_schema_machine *run)
{
    struct bt_schema_memo *memo = &run->memo;
    struct bt_schema_memo larger = *memo;
    larger.capacity = memo->capacity > 0 ? memo->capacity * 2 : SLOTS_FIRST;
    larger.slots = BT_NEW_ARRAY(&run->arena, struct bt_schema_memo_slot, larger.capacity);
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < memo->capacity; i++) {
        if (!is_free(memo, &memo->slots[i])) {
            *slot_of(&larger, &memo->slots[i]) = memo->slots[i];
        }
    }
    *memo = larger;
    return true;
}

bool bt_schema_memo_known(const struct bt_schema_machine *run, const struct bt_schema_instr *at,
                          const bt_json_value *value)
{
    const struct bt_schema_memo_slot key = {.at = at, .value = value, .scope = run->scope.current};
    return run->memo.count > 0 && !is_free(&run->memo, slot_of(&run->memo, &key));
}

enum bt_schema_result bt_schema_memo_find(struct bt_schema_machine *run,
                                          const struct bt_schema_instr *at,
                                          const bt_json_value *value)
{
    struct bt_schema_memo *memo = &run->memo;
    if (!memo->is_on) {
        memo->is_on = ++memo->lookups > memo->lookups_before_start;
        return BT_SCHEMA_UNDECIDED;
    }
    if (memo->count == 0) {
        return BT_SCHEMA_UNDECIDED;
    }
    const struct bt_schema_memo_slot key = {.at = at, .value = value, .scope = run->scope.current};
    const struct bt_schema_memo_slot *slot = slot_of(memo, &key);
    return is_free(memo, slot) ? BT_SCHEMA_UNDECIDED : (enum bt_schema_result)slot->answer;
}

void bt_schema_memo_put(struct bt_schema_machine *run, const struct bt_schema_stack_entry *entry,
                        enum bt_schema_result answer)
{
    struct bt_schema_memo *memo = &run->memo;
    if (answer == BT_SCHEMA_VALID && (entry->at->flags & BT_SCHEMA_INSTR_FLAG_TRACKED) != 0) {
        return;
    }
    if (memo->count >= memo->capacity / 2 && !grow_memo(run)) {
        return;
    }
    const struct bt_schema_memo_slot key = {.at = entry->at,
                                            .value = entry->value,
                                            .scope = entry->extra,
                                            .generation = memo->generation,
                                            .answer = (uint16_t)answer};
    struct bt_schema_memo_slot *slot = slot_of(memo, &key);
    memo->count += is_free(memo, slot);
    *slot = key;
}
