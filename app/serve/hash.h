/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - FNV-1a, for tables whose keys an attacker gains nothing by choosing. */
#ifndef BATON_APP_SERVE_HASH_H
#define BATON_APP_SERVE_HASH_H

#include <baton/base.h>

static inline uint32_t hash_text(bt_str text)
{
    uint32_t hash = 2166136261U;
    for (size_t i = 0; i < text.len; i++) {
        hash = (hash ^ (unsigned char)text.ptr[i]) * 16777619U;
    }
    return hash;
}

#endif
