/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seal.h - the hash and size of the payload.
 */
#ifndef BATON_SRC_DIALECT_UNIVERSAL_SEAL_H
#define BATON_SRC_DIALECT_UNIVERSAL_SEAL_H

#include <baton/env.h>
#include <baton/json.h>

struct bt_universal_seal_info {
    uint64_t bytes;
    char hash[sizeof("sha256:") - 1 + BT_SHA256_HEX_BYTES]; /* "sha256:..." and a NUL */
};

/* Measure a payload. `arena` is working memory and is rewound. */
BT_MUST_USE enum bt_status bt_universal_seal_info_of(const struct bt_json_doc *document,
                                                     const bt_json_value *payload,
                                                     struct bt_arena *arena,
                                                     struct bt_universal_seal_info *out);

#endif
