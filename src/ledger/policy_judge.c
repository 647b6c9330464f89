/* SPDX-License-Identifier: Apache-2.0 */
/* policy_judge.c - whether the witnesses that cosigned a checkpoint meet the quorum of a policy. */
#include <assert.h>
#include <string.h>

#include "json/emit.h"
#include "ledger/policy.h"
#include "ledger/verify_receipt.h"

static bool has_cosigned(const struct bt_policy_node *node,
                         const struct bt_checkpoint_witnesses *witnessed)
{
    for (size_t i = 0; node->type == 0 && i < witnessed->count; i++) {
        if (memcmp(witnessed->signers[i]->key, node->key, BT_KEY_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

/* Decide each node, which depends on nodes before it. `names` gets those of the witnesses that
 * count. */
static bool meets_quorum(const struct bt_witness_policy *policy,
                         const struct bt_checkpoint_witnesses *witnessed, bool *met, bt_str *names,
                         size_t *out_count)
{
    *out_count = 0;
    for (size_t i = 0; i < policy->count; i++) {
        const struct bt_policy_node *node = &policy->items[i];
        size_t count = 0;
        for (size_t m = 0; m < node->member_count; m++) {
            count += met[node->members[m]] ? 1 : 0;
        }
        met[i] = node->is_group ? count >= node->threshold : has_cosigned(node, witnessed);
        if (met[i] && !node->is_group) {
            names[(*out_count)++] = node->name;
        }
    }
    return policy->needs_none || met[policy->quorum];
}

static enum bt_status put_facts(struct bt_arena *arena, const struct bt_witness_policy *policy,
                                bt_str quorum, bool is_met, bt_str *out)
{
    struct bt_buf buf;
    struct bt_emit emit;
    bt_buf_init(&buf, SIZE_MAX);
    bt_emit_init(&emit, &buf, false);
    bt_emit_begin_object(&emit);
    bt_emit_member_string(&emit, "sha256", bt_str_of(policy->sha256));
    bt_emit_member_string(&emit, "quorum", quorum);
    bt_emit_name(&emit, "met");
    bt_emit_bool(&emit, is_met);
    bt_emit_end(&emit);
    return bt_buf_finish(&buf, arena, out);
}

enum bt_status bt_witness_policy_judge(const struct bt_witness_policy *policy,
                                       const struct bt_checkpoint_witnesses *witnessed,
                                       struct bt_findings *findings, bt_str *out_facts,
                                       bool *out_met)
{
    assert(policy);
    assert(witnessed);
    struct bt_arena *arena = bt_findings_arena(findings);
    bool *met = BT_NEW_ARRAY(arena, bool, policy->count + 1);
    bt_str *names = BT_NEW_ARRAY(arena, bt_str, policy->count + 1);
    size_t count = 0;
    if (!met || !names) {
        return BT_ENOMEM;
    }
    const bt_str quorum = policy->needs_none ? BT_STR("none") : policy->items[policy->quorum].name;
    *out_met = meets_quorum(policy, witnessed, met, names, &count);
    BT_TRY(put_facts(arena, policy, quorum, *out_met, out_facts));
    return *out_met
               ? BT_OK
               : bt_add_ledger_witness_missing_policy(findings,
                                                      bt_ledger_part(BT_STR("/checkpoint")), quorum,
                                                      (struct bt_str_list){names, count});
}

enum bt_status bt_witness_policy_add_unsupported(const struct bt_witness_policy *policy,
                                                 struct bt_findings *findings)
{
    for (size_t i = 0; i < policy->count; i++) {
        const struct bt_policy_node *node = &policy->items[i];
        if (node->type != 0) {
            BT_TRY(bt_add_witness_key_unsupported(findings, bt_ledger_part(BT_STR("/policy")),
                                                  node->key_name, node->type));
        }
    }
    return BT_OK;
}

enum bt_status bt_receipt_check_policy(struct bt_receipt_check *in)
{
    bool is_met = false;
    BT_TRY(bt_witness_policy_add_unsupported(in->options->policy, in->findings));
    return bt_witness_policy_judge(in->options->policy, &in->witnessed, in->findings,
                                   &in->policy_facts, &is_met);
}
