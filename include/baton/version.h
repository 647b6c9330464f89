/* SPDX-License-Identifier: Apache-2.0 */
/*
 * version.h - which library this is, at compile time and at run time.
 *
 * Threads: every function may be called from any thread.
 */
#ifndef BATON_VERSION_H
#define BATON_VERSION_H

#include <baton/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers. */
#define BT_VERSION_MAJOR 0
#define BT_VERSION_MINOR 1
#define BT_VERSION_PATCH 0
#define BT_VERSION_NUMBER (BT_VERSION_MAJOR * 1000000 + BT_VERSION_MINOR * 1000 + BT_VERSION_PATCH)
#define BT_VERSION "0.1.0"
/* The generation of the binary interface: the number in libbaton.so.N. */
#define BT_ABI 0

/* The version of the library that runs, such as "0.1.0". A constant. */
BT_API const char *bt_version(void);
/* The version of the library that runs, as BT_VERSION_NUMBER counts. */
BT_API uint32_t bt_version_number(void);
/*
 * True when the library that runs serves a program that was compiled with the headers of version
 * `compiled`: bt_version_serves(BT_VERSION_NUMBER). False: the library is older.
 */
BT_API bool bt_version_serves(uint32_t compiled);
/*
 * What was built, as a JSON object with the members `version`, `abi`, `profile` and `parts`, the
 * names of the optional parts. A constant.
 */
BT_API bt_str bt_build_info(void);

#ifdef __cplusplus
}
#endif

#endif
