/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asan.h - tell AddressSanitizer which bytes of an arena are in use; nothing in other builds.
 */
#ifndef BATON_SRC_BASE_ASAN_H
#define BATON_SRC_BASE_ASAN_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BT_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(BT_ASAN)
#define BT_ASAN 1
#endif

#ifdef BT_ASAN
#include <sanitizer/asan_interface.h>
#define BT_ASAN_GAP 16
#define BT_ASAN_POISON(ptr, size) ASAN_POISON_MEMORY_REGION(ptr, size)
#define BT_ASAN_UNPOISON(ptr, size) ASAN_UNPOISON_MEMORY_REGION(ptr, size)
#else
#define BT_ASAN_GAP 0
#define BT_ASAN_POISON(ptr, size) ((void)(ptr), (void)(size))
#define BT_ASAN_UNPOISON(ptr, size) ((void)(ptr), (void)(size))
#endif

#endif
