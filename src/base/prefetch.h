/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefetch.h - functions that only ask for memory which is used soon.
 *
 * GCC finds that such a function has no effect, and leaves out its calls, unless it has become a
 * part of its caller before anybody looks.
 */
#ifndef BATON_SRC_BASE_PREFETCH_H
#define BATON_SRC_BASE_PREFETCH_H

#define BT_PREFETCH_INLINE __attribute__((always_inline)) static inline

#endif
