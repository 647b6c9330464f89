/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.h - which instruction sets the processor has and the system lets us use.
 *
 * glibc asks the processor when a program starts, and tells. Without it the compiler's own library
 * asks again at every start, which takes some 70 us in a virtual machine: CPUID leaves the machine.
 */
#ifndef BATON_SRC_BASE_CPU_H
#define BATON_SRC_BASE_CPU_H

#if defined(__x86_64__)

#include <limits.h> /* says which libc this is */
#include <stdbool.h>

#if defined(__GLIBC__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

/* The name in glibc, and the name that the compiler has. */
#if defined(CPU_FEATURE_ACTIVE)
/* As CPU_FEATURE_ACTIVE() does, which shifts a signed 1 by up to 31. */
static inline bool bt_cpu_is_active(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
    return (leaf->active_array[feature % 128 / 32] >> feature % 32 & 1U) != 0;
}

#define BT_CPU_HAS(name, compiler_name) bt_cpu_is_active(x86_cpu_##name)
#define BT_CPU_HAS_SHA() bt_cpu_is_active(x86_cpu_SHA)
#else
#define BT_CPU_HAS(name, compiler_name) (__builtin_cpu_supports(compiler_name) != 0)
#define BT_CPU_HAS_SHA() false /* not all compilers have a name for it */
#endif

#endif

#endif
