/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipt.h - verify a receipt of a recorded handoff offline, with keys that you trust.
 *
 * Threads: an engine belongs to one thread at a time. A report does not change; many threads may
 * read it, and one destroys it with bt_report_destroy(), before or after its engine.
 */
#ifndef BATON_RECEIPT_H
#define BATON_RECEIPT_H

#include <baton/call.h>
#include <baton/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a receipt is verified. Every zero member means the default that its comment names. */
struct bt_receipt_verify_options {
    uint32_t size;               /* sizeof this struct; 0: the layout of version 0.1 */
    uint32_t witnesses_required; /* 0: one if there are keys of witnesses, else none */
    const bt_str *vkeys;         /* keys of logs */
    size_t vkey_count;           /* 0: the key of the engine's store, which counts as local */
    const bt_str *witness_keys;
    size_t witness_key_count;
    bt_str document;   /* what the receipt must be about, with `has_document` */
    bool has_document; /* false: any document */
    bool any_verdict;  /* false: the recorded verdict must not be a rejection */
};

/*
 * Verify a receipt: a text, a JSON object or a DSSE envelope. `path` is its name in messages; `how`
 * may be NULL, which is all zero. Texts are copied where the report needs them. On BT_OK the report
 * has one document of the dialect `receipt` with the verdict, and the caller destroys it with
 * bt_report_destroy(). BT_EINVAL: a size is wrong, a key is not one, or there is neither a key nor
 * a store; `error` says which. BT_ENOMEM: no memory. BT_EIO: the store or libcrypto failed. `error`
 * may be NULL.
 */
BT_API BT_MUST_USE enum bt_status bt_receipt_verify(struct bt_engine *engine, bt_str path,
                                                    bt_str receipt,
                                                    const struct bt_receipt_verify_options *how,
                                                    struct bt_report **out, struct bt_error *error);

#ifdef __cplusplus
}
#endif

#endif
