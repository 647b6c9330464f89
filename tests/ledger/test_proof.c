/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_proof.c - proofs hold where they should, and forged ones nowhere.
 */
#include "test.h"

#include "base/str.h"
#include "log.h"

enum { MUTATIONS = 100000 };

/* BATON_FORGERIES in the environment asks for more. */
static size_t mutations(void)
{
    const char *wish = getenv("BATON_FORGERIES");
    uint64_t count = MUTATIONS;
    assert_true(!wish || bt_str_to_u64(bt_str_of(wish), &count) == BT_OK);
    return (size_t)count;
}

static struct bt_inclusion_proof inclusion_of(const struct log *log, size_t index, size_t size)
{
    return (struct bt_inclusion_proof){index, size, log->leaves[index], log_root(log, 0, size)};
}

static struct bt_consistency_proof consistency_of(const struct log *log, size_t old_size,
                                                  size_t new_size)
{
    return (struct bt_consistency_proof){old_size, new_size, log_root(log, 0, old_size),
                                         log_root(log, 0, new_size)};
}

static void every_entry_of_every_size_is_proven(void **state)
{
    (void)state;
    struct log log = log_make(130);
    const struct bt_merkle_subtrees subtrees = log_subtrees(&log);
    for (size_t size = 1; size <= log.size; size++) {
        for (size_t index = 0; index < size; index++) {
            struct bt_merkle_proof proof;
            struct bt_inclusion_proof claim = inclusion_of(&log, index, size);
            assert_int_equal(bt_inclusion_proof_make(&subtrees, index, size, &proof), BT_OK);
            assert_true(bt_inclusion_proof_verify(&claim, &proof));
            claim.index = index == 0 ? 1 : index - 1;
            assert_false(bt_inclusion_proof_verify(&claim, &proof));
        }
    }
    log_free(&log);
}

static void every_growth_is_proven(void **state)
{
    (void)state;
    struct log log = log_make(130);
    const struct bt_merkle_subtrees subtrees = log_subtrees(&log);
    for (size_t new_size = 0; new_size <= log.size; new_size++) {
        for (size_t old_size = 0; old_size <= new_size; old_size++) {
            struct bt_merkle_proof proof;
            struct bt_consistency_proof claim = consistency_of(&log, old_size, new_size);
            assert_int_equal(bt_consistency_proof_make(&subtrees, old_size, new_size, &proof),
                             BT_OK);
            assert_true(bt_consistency_proof_verify(&claim, &proof));
            assert_int_equal(proof.count == 0, old_size == 0 || old_size == new_size);
            claim.old_root.bytes[7] ^= 1;
            assert_false(bt_consistency_proof_verify(&claim, &proof));
            claim.old_root.bytes[7] ^= 1;
            claim.new_root.bytes[7] ^= 1;
            assert_int_equal(bt_consistency_proof_verify(&claim, &proof),
                             old_size == 0 && new_size > 0); /* nothing ties it to the root */
        }
    }
    log_free(&log);
}

static void proofs_hold_at_the_edges_of_tiles(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 255, 256, 257, 65535, 65536, 65537, 70000};
    struct log log = log_make(70000);
    const struct bt_merkle_subtrees subtrees = log_subtrees(&log);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const size_t indexes[] = {0, sizes[i] / 2, sizes[i] - 1};
        for (size_t j = 0; j < COUNT_OF(indexes); j++) {
            struct bt_merkle_proof proof;
            const struct bt_inclusion_proof claim = inclusion_of(&log, indexes[j], sizes[i]);
            assert_int_equal(bt_inclusion_proof_make(&subtrees, indexes[j], sizes[i], &proof),
                             BT_OK);
            assert_true(bt_inclusion_proof_verify(&claim, &proof));
        }
        for (size_t j = 0; j <= i; j++) {
            struct bt_merkle_proof proof;
            const struct bt_consistency_proof claim = consistency_of(&log, sizes[j], sizes[i]);
            assert_int_equal(bt_consistency_proof_make(&subtrees, sizes[j], sizes[i], &proof),
                             BT_OK);
            assert_true(bt_consistency_proof_verify(&claim, &proof));
        }
    }
    log_free(&log);
}

/* Change one thing about a proof: a bit, the order, the length. */
static void mutate_proof(struct bt_merkle_proof *proof, uint64_t *random)
{
    const uint64_t choice = log_random(random) % 8;
    const size_t at = proof->count > 0 ? log_random(random) % proof->count : 0;
    if (choice < 4 && proof->count > 0) {
        proof->hashes[at].bytes[log_random(random) % BT_HASH_BYTES] ^=
            (uint8_t)(1 << log_random(random) % 8);
    } else if (choice == 4 && proof->count > 0) {
        proof->count--;
    } else if (choice == 5 && proof->count > 1) {
        const struct bt_merkle_hash first = proof->hashes[0];
        const size_t other = 1 + log_random(random) % (proof->count - 1);
        proof->hashes[0] = proof->hashes[other];
        proof->hashes[other] = first;
    } else if (proof->count < BT_TREE_DEPTH_MAX) {
        proof->hashes[proof->count] = proof->hashes[at];
        proof->count++;
    }
}

static bool same_proof(const struct bt_merkle_proof *a, const struct bt_merkle_proof *b)
{
    return a->count == b->count &&
           memcmp(a->hashes, b->hashes, a->count * sizeof(struct bt_merkle_hash)) == 0;
}

/* What a verifier would say that computes the root from as many hashes as it needs and forgets to
 * ask whether the proof is exactly that long. */
static bool holds_without_length(const struct bt_inclusion_proof *claim,
                                 const struct bt_merkle_proof *proof)
{
    struct bt_merkle_proof cut = *proof;
    for (cut.count = 0; cut.count <= proof->count; cut.count++) {
        if (bt_inclusion_proof_verify(claim, &cut)) {
            return true;
        }
    }
    return false;
}

static void a_forged_inclusion_never_holds(void **state)
{
    (void)state;
    struct log log = log_make(67);
    const struct bt_merkle_subtrees subtrees = log_subtrees(&log);
    uint64_t random = 1;
    size_t fooled = 0;
    for (size_t i = 0; i < mutations(); i++) {
        struct bt_merkle_proof proof;
        const size_t size = 1 + log_random(&random) % log.size;
        const size_t index = log_random(&random) % size;
        struct bt_inclusion_proof claim = inclusion_of(&log, index, size);
        assert_int_equal(bt_inclusion_proof_make(&subtrees, index, size, &proof), BT_OK);
        struct bt_merkle_proof forged = proof;
        if (log_random(&random) % 4 == 0) {
            claim.leaf = log.leaves[(index + 1) % log.size];
        } else {
            mutate_proof(&forged, &random);
        }
        const bool is_forged =
            !same_proof(&proof, &forged) || !bt_merkle_hash_eq(&claim.leaf, &log.leaves[index]);
        assert_true(!is_forged || !bt_inclusion_proof_verify(&claim, &forged));
        fooled += is_forged && holds_without_length(&claim, &forged);
    }
    assert_true(fooled > 0); /* the mutations would find a verifier that forgets the length */
    log_free(&log);
}

static bool grows_without_length(const struct bt_consistency_proof *claim,
                                 const struct bt_merkle_proof *proof)
{
    struct bt_merkle_proof cut = *proof;
    for (cut.count = 0; cut.count <= proof->count; cut.count++) {
        if (bt_consistency_proof_verify(claim, &cut)) {
            return true;
        }
    }
    return false;
}

static void a_forged_growth_never_holds(void **state)
{
    (void)state;
    struct log log = log_make(67);
    const struct bt_merkle_subtrees subtrees = log_subtrees(&log);
    uint64_t random = 2;
    size_t fooled = 0;
    for (size_t i = 0; i < mutations(); i++) {
        struct bt_merkle_proof proof;
        const size_t new_size = 1 + log_random(&random) % log.size;
        const size_t old_size = log_random(&random) % (new_size + 1);
        const struct bt_consistency_proof claim = consistency_of(&log, old_size, new_size);
        assert_int_equal(bt_consistency_proof_make(&subtrees, old_size, new_size, &proof), BT_OK);
        mutate_proof(&proof, &random);
        assert_false(bt_consistency_proof_verify(&claim, &proof));
        fooled += grows_without_length(&claim, &proof);
    }
    assert_true(fooled > 0);
    log_free(&log);
}

static void sizes_and_indexes_out_of_range_never_hold(void **state)
{
    (void)state;
    struct log log = log_make(3);
    const struct bt_merkle_proof none = {0};
    struct bt_inclusion_proof inclusion = inclusion_of(&log, 0, 1);
    assert_true(bt_inclusion_proof_verify(&inclusion, &none));
    inclusion.index = 1;
    assert_false(bt_inclusion_proof_verify(&inclusion, &none));
    inclusion.index = UINT64_MAX;
    inclusion.size = UINT64_MAX;
    assert_false(bt_inclusion_proof_verify(&inclusion, &none));
    inclusion.size = 0;
    assert_false(bt_inclusion_proof_verify(&inclusion, &none));
    struct bt_consistency_proof growth = consistency_of(&log, 2, 3);
    growth.old_size = 3;
    growth.new_size = 2;
    assert_false(bt_consistency_proof_verify(&growth, &none));
    log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_of_every_size_is_proven),
        cmocka_unit_test(every_growth_is_proven),
        cmocka_unit_test(proofs_hold_at_the_edges_of_tiles),
        cmocka_unit_test(a_forged_inclusion_never_holds),
        cmocka_unit_test(a_forged_growth_never_holds),
        cmocka_unit_test(sizes_and_indexes_out_of_range_never_hold),
    };
    return RUN_TESTS(tests);
}
