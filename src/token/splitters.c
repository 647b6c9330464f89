/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splitters.c - which instruction sets texts are cut with, best first.
 */
#include "base/cpu.h"
#include "base/plain.h"
#include "token/split.h"

#if defined(__x86_64__) && !defined(BT_PROFILE_CORE) && !defined(BT_SCALAR) &&                     \
    !BT_PLAIN_TOKEN_VECTORS

static bool has_avx2(void)
{
    return BT_CPU_HAS(AVX2, "avx2") && BT_CPU_HAS(BMI1, "bmi") && BT_CPU_HAS(BMI2, "bmi2") &&
           BT_CPU_HAS(POPCNT, "popcnt");
}

static bool has_avx512(void)
{
    return has_avx2() && BT_CPU_HAS(AVX512F, "avx512f") && BT_CPU_HAS(AVX512BW, "avx512bw");
}

#endif

static bool is_anywhere(void)
{
    return true;
}

const struct bt_token_splitter bt_token_splitters[] = {
#if defined(__x86_64__) && !defined(BT_PROFILE_CORE) && !defined(BT_SCALAR) &&                     \
    !BT_PLAIN_TOKEN_VECTORS
    {"avx512", has_avx512, bt_token_split_o200k_avx512, bt_token_split_cl100k_avx512,
     bt_token_known_o200k_avx512, bt_token_known_cl100k_avx512, bt_token_count_memos_avx512},
    {"avx2", has_avx2, bt_token_split_o200k_avx2, bt_token_split_cl100k_avx2,
     bt_token_known_o200k_avx2, bt_token_known_cl100k_avx2, bt_token_count_memos_avx2},
#endif
    {"plain", is_anywhere, bt_token_split_o200k, bt_token_split_cl100k, bt_token_known_o200k,
     bt_token_known_cl100k, bt_token_count_memos},
};

const size_t bt_token_splitters_count = sizeof(bt_token_splitters) / sizeof(bt_token_splitters[0]);

const struct bt_token_splitter *bt_token_splitter_best(void)
{
    const struct bt_token_splitter *splitter = bt_token_splitters;
    while (!splitter->is_supported()) { /* the last one is */
        splitter++;
    }
    return splitter;
}
