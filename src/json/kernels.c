/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.c - which instruction sets the reader knows, best first.
 */
#include "base/cpu.h"
#include "base/plain.h"
#include "json/read.h"

#if defined(__x86_64__) && !defined(BT_PROFILE_CORE) && !defined(BT_SCALAR)

#if !BT_PLAIN_JSON_AVX512
static bool has_avx512(void)
{
    return BT_CPU_HAS(AVX512_VBMI2, "avx512vbmi2") && BT_CPU_HAS(AVX512BW, "avx512bw") &&
           BT_CPU_HAS(AVX512CD, "avx512cd") && BT_CPU_HAS(AVX512VL, "avx512vl") &&
           BT_CPU_HAS(PCLMULQDQ, "pclmul") && BT_CPU_HAS(BMI2, "bmi2") && BT_CPU_HAS(AVX2, "avx2");
}
#endif

static bool has_avx2(void)
{
    return BT_CPU_HAS(AVX2, "avx2") && BT_CPU_HAS(PCLMULQDQ, "pclmul") && BT_CPU_HAS(BMI1, "bmi") &&
           BT_CPU_HAS(BMI2, "bmi2");
}

#endif

static bool is_anywhere(void)
{
    return true;
}

const struct bt_json_kernel bt_json_kernels[] = {
#if defined(__x86_64__) && !defined(BT_PROFILE_CORE) && !defined(BT_SCALAR)
#if !BT_PLAIN_JSON_AVX512
    {"avx512", has_avx512, bt_json_index_avx512, bt_json_build_avx512},
#endif
    {"avx2", has_avx2, bt_json_index_avx2, bt_json_build_avx2},
    {"sse2", is_anywhere, bt_json_index_sse2, bt_json_build_plain},
#endif
    {"scalar", is_anywhere, bt_json_index_scalar, bt_json_build_plain},
};

const size_t bt_json_kernels_count = sizeof(bt_json_kernels) / sizeof(bt_json_kernels[0]);

const struct bt_json_kernel *bt_json_kernel_best(void)
{
    const struct bt_json_kernel *kernel = bt_json_kernels;
    while (!kernel->is_supported()) { /* the last one is */
        kernel++;
    }
    return kernel;
}
