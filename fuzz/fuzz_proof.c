/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_proof.c - any bytes, judged as a bundle, as a receipt of any form or a certificate, and read
 * as a policy of witnesses.
 *
 * Promises: judging succeeds, and gives the same answer twice; what is accepted is not accepted
 * with the key of another log; facts are JSON. The groups of a policy have members that were
 * declared before, of which they can demand as many as there are; without witnesses no quorum is
 * met but `none`.
 */
#include "fuzz.h"
#include "ledger/bundle.h"
#include "ledger/policy.h"
#include "ledger/proof_api.h"
#include "report/findings.h"

#define VKEY "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"
#define OTHER_VKEY "ledger.example/team+29cc8921+AeMZGmr4kKmgi4CeV9yGq90UZBrBx0cu056CVlKy+8Ik"

enum judge { JUDGE_BUNDLE, JUDGE_RECEIPT };

static struct bt_judgement judge_with(struct bt_arena *arena, enum judge judge, bt_str bytes,
                                      bt_str vkey)
{
    struct bt_judgement judged;
    struct bt_verifier_keys *keys = bt_verifier_keys_new(arena, BT_VERIFIER_KEY_LOG);
    PROMISE(keys);
    PROMISE(bt_verifier_keys_add(keys, vkey, NULL) == BT_OK);
    if (judge == JUDGE_BUNDLE) {
        const struct bt_ledger_bundle_judge_options options = {.keys = keys};
        PROMISE(bt_ledger_bundle_judge(arena, BT_STR("x"), bytes, &options, &judged) == BT_OK);
    } else {
        const struct bt_receipt_judge_options options = {.keys = keys, .any_verdict = true};
        PROMISE(bt_receipt_judge(arena, BT_STR("x"), bytes, &options, &judged) == BT_OK);
    }
    PROMISE(judged.verdict == bt_verdict_of(judged.findings, BT_SEVERITY_HARD));
    return judged;
}

static void try_judge(enum judge judge, bt_str bytes)
{
    struct bt_arena arena;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const struct bt_judgement first = judge_with(&arena, judge, bytes, BT_STR(VKEY));
    const struct bt_judgement again = judge_with(&arena, judge, bytes, BT_STR(VKEY));
    PROMISE(first.verdict == again.verdict);
    PROMISE(bt_str_eq(first.facts, again.facts));
    PROMISE(bt_findings_count(first.findings) == bt_findings_count(again.findings));
    for (size_t i = 0; i < bt_findings_count(first.findings); i++) {
        PROMISE(bt_findings_at(first.findings, i)->rule == bt_findings_at(again.findings, i)->rule);
    }
    if (first.facts.len > 0) {
        (void)fuzz_reread(&arena, first.facts);
    }
    if (first.verdict == BT_VERDICT_ACCEPTED) {
        PROMISE(judge_with(&arena, judge, bytes, BT_STR(OTHER_VKEY)).verdict ==
                BT_VERDICT_REJECTED);
    }
    bt_arena_free(&arena);
}

/* How many of the witnesses and groups below a group are met when all witnesses have cosigned is
 * decided by its members alone, so each of them must come before it. */
static void check_nodes(const struct bt_witness_policy *policy)
{
    PROMISE(policy->count <= 2 * (size_t)BT_POLICY_NODES_MAX);
    PROMISE(policy->witness_count + policy->group_count == policy->count);
    for (size_t i = 0; i < policy->count; i++) {
        const struct bt_policy_node *node = &policy->items[i];
        PROMISE(node->name.len > 0);
        PROMISE(node->is_group == (node->member_count > 0));
        PROMISE(!node->is_group || (node->threshold >= 1 && node->threshold <= node->member_count));
        for (size_t m = 0; m < node->member_count; m++) {
            PROMISE(node->members[m] < i);
            PROMISE(policy->items[node->members[m]].is_member);
        }
        for (size_t other = 0; other < i; other++) {
            PROMISE(!bt_str_eq(policy->items[other].name, node->name));
        }
    }
}

static bool try_policy(bt_str text)
{
    struct bt_arena arena;
    struct bt_witness_policy *policy = NULL;
    const struct bt_checkpoint_witnesses nobody = {0};
    struct bt_error error = {0};
    bt_str facts = BT_STR("");
    bool is_met = false;
    bt_arena_init(&arena, FUZZ_ARENA_BYTES);
    const enum bt_status status = bt_witness_policy_read(&arena, text, &policy, &error);
    PROMISE(status == BT_OK || status == BT_EINVAL);
    PROMISE(status == BT_OK || error.text[0] != '\0');
    if (status == BT_OK) {
        struct bt_findings *findings = bt_findings_new(&arena);
        PROMISE(findings);
        PROMISE(bt_witness_policy_logs(policy));
        check_nodes(policy);
        PROMISE(policy->needs_none || policy->quorum < policy->count);
        PROMISE(bt_witness_policy_judge(policy, &nobody, findings, &facts, &is_met) == BT_OK);
        PROMISE(is_met == policy->needs_none);
        PROMISE(is_met == (bt_findings_count(findings) == 0));
        (void)fuzz_reread(&arena, facts);
    }
    bt_arena_free(&arena);
    return status == BT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const bt_str bytes = fuzz_text(data, size);
    try_judge(JUDGE_BUNDLE, bytes);
    try_judge(JUDGE_RECEIPT, bytes);
    if (try_policy(bytes)) {
        fuzz_plant_overflow(data, size);
    }
    return 0;
}
