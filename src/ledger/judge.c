/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - who decides: the digest of this program's rules, and the entries about policies. */
#include "ledger/judge.h"

#include <assert.h>
#include <string.h>

#include "ledger/counts.h"
#include "report/version.h"
#include "select/rule_json.h"

enum { RULES_BYTES_MAX = 64 << 20 };

enum bt_status bt_ledger_judge(struct bt_ledger *ledger, struct bt_entry_judge *out,
                               struct bt_error *error)
{
    assert(ledger);
    assert(out);
    if (ledger->form.judge.rules.len == 0) {
        struct bt_arena work;
        bt_str digest;
        bt_arena_init(&work, RULES_BYTES_MAX);
        enum bt_status status = bt_rule_digest(&work, &digest);
        if (status == BT_OK) {
            status = bt_arena_copy(&ledger->arena, digest, &ledger->form.judge.rules);
        }
        bt_arena_free(&work);
        if (status != BT_OK) {
            return bt_error_set(error, status, "cannot name the rules: %s", bt_status_text(status));
        }
        ledger->form.judge.version = BT_STR(BATON_VERSION);
    }
    *out = ledger->form.judge;
    return BT_OK;
}

/* ---- Policies -------------------------------------------------------------------------------- */

/* The policy that an entry is about, if it is of that kind. */
struct ledger_policy_search {
    struct bt_arena *arena;
    bt_str after; /* "" until found */
    enum bt_status status;
};

static bool take_policy(void *context, const struct bt_store_entry *row)
{
    struct ledger_policy_search *search = context;
    struct bt_entry entry;
    if (!bt_str_eq(row->kind, BT_STR("policy")) || !bt_entry_read(row->entry, &entry)) {
        return true;
    }
    search->status = bt_arena_copy(search->arena, entry.refs.after, &search->after);
    return false;
}

/* The digest of the newest policy; "" when the log has none. */
static enum bt_status find_newest(struct bt_ledger_transaction *recording, bt_str *out,
                                  struct bt_error *error)
{
    struct bt_store *store = recording->ledger->store;
    struct ledger_policy_search search = {recording->arena, BT_STR(""), BT_OK};
    struct bt_store_count policies;
    const struct bt_map_entry *counted = bt_map_find(
        &recording->drafts.counters, (struct bt_map_key){BT_STR("policy"), BT_STORE_COUNT_KIND});
    if (counted) {
        policies = ((const struct bt_ledger_counter *)counted->value.pointer)->count;
    } else {
        BT_TRY(bt_store_count_get(store, BT_STORE_COUNT_KIND, BT_STR("policy"), &policies, error));
    }
    if (policies.n > 0) {
        const struct bt_store_scan scan = {.order = BT_STORE_DOWN, .from = policies.seq};
        BT_TRY(bt_store_entry_scan(store, &scan, take_policy, &search, error));
    }
    *out = search.after;
    return search.status;
}

/* Whether an entry has the policy. Its document may also be that of other entries. */
static enum bt_status is_recorded(struct bt_ledger_transaction *recording,
                                  const struct bt_merkle_hash *digest, bool *out,
                                  struct bt_error *error)
{
    struct ledger_policy_search search = {recording->arena, BT_STR(""), BT_OK};
    const struct bt_store_scan scan = {.order = BT_STORE_BY_DOCUMENT,
                                       .key = {(const char *)digest->bytes, BT_HASH_BYTES}};
    BT_TRY(bt_store_entry_scan(recording->ledger->store, &scan, take_policy, &search, error));
    *out = search.after.len > 0;
    return search.status;
}

static enum bt_status add_policy(struct bt_ledger_transaction *recording,
                                 const struct bt_submission *item, struct bt_error *error)
{
    struct bt_entry *entry = BT_NEW(recording->arena, struct bt_entry);
    struct bt_ledger_record *recorded = BT_NEW(recording->arena, struct bt_ledger_record);
    if (!entry || !recorded) {
        return bt_error_set(error, BT_ENOMEM, "%s", bt_status_text(BT_ENOMEM));
    }
    bt_entry_init(entry);
    entry->actor = item->entry.actor;
    entry->kind = BT_STR("policy");
    entry->dialect = BT_STR("baton");
    entry->verdict = BT_STR("recorded");
    entry->document.sha256 = recording->drafts.policy;
    entry->document.size = item->entry.policy.len;
    entry->refs.after = recording->drafts.policy;
    BT_TRY(find_newest(recording, &entry->refs.before, error));
    return bt_ledger_transaction_add_entry(recording, entry, &item->entry.policy, recorded, error);
}

static bt_str find_policy_ref(const struct bt_submission *item)
{
    for (size_t i = 0; i < item->entry.ref_count; i++) {
        if (bt_str_eq(item->entry.refs[i].name, BT_STR("policy"))) {
            return item->entry.refs[i].value;
        }
    }
    return BT_STR("");
}

enum bt_status bt_ledger_transaction_add_policy(struct bt_ledger_transaction *recording,
                                                const struct bt_submission *item,
                                                struct bt_error *error)
{
    assert(recording);
    assert(item);
    struct bt_ledger *ledger = recording->ledger;
    struct bt_merkle_hash digest;
    struct bt_store_document document;
    bool is_known = false;
    const bt_str named = find_policy_ref(item);
    if (ledger->form.version < 2 || item->entry.policy.len == 0 ||
        bt_str_eq(named, bt_str_of(ledger->form.policy)) ||
        bt_str_eq(named, recording->drafts.policy)) {
        return BT_OK;
    }
    if (!bt_merkle_hash_from_hex(named, &digest)) {
        return bt_error_set(error, BT_EINVAL, "the policy has no digest");
    }
    BT_TRY(is_recorded(recording, &digest, &is_known, error));
    BT_TRY(bt_arena_copy(recording->arena, named, &recording->drafts.policy));
    if (is_known) {
        return BT_OK;
    }
    /* Bytes that were redacted cannot be kept again, and a policy entry promises them. */
    const enum bt_status status = bt_store_document_get(
        ledger->store, recording->arena, (bt_str){(const char *)digest.bytes, BT_HASH_BYTES},
        &document, error);
    if (status != BT_OK && status != BT_ENOENT) {
        return status;
    }
    return status == BT_OK && document.redacted_seq != BT_STORE_NONE
               ? BT_OK
               : add_policy(recording, item, error);
}

void bt_ledger_remember_policy(const struct bt_ledger_transaction *recording)
{
    assert(recording);
    if (recording->drafts.policy.len == BT_HASH_HEX_BYTES - 1) {
        memcpy(recording->ledger->form.policy, recording->drafts.policy.ptr, BT_HASH_HEX_BYTES - 1);
    }
}
