/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assert.h - assertions of the WebAssembly module: one that fails ends the instance. They have no
 * texts, which would be a tenth of the module.
 */
#ifndef BATON_SRC_WASM_ASSERT_H
#define BATON_SRC_WASM_ASSERT_H

#define static_assert _Static_assert
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())

#endif
