/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the members that the schema of the block names, object by object.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_NAMES_H
#define BATON_SRC_DIALECT_CONTRACT_NAMES_H

#include <baton/base.h>

enum { BT_EVIDENCE_KEYS = 7, BT_CONSOLIDATION_KEYS = 6 };

/* The key and the token that tells its absence. */
struct bt_contract_report_key {
    const char *name;
    const char *token; /* the name in upper case, which is also how it may be spelled */
    bool list;         /* it should hold a list */
};

extern const struct bt_contract_report_key bt_evidence_keys[BT_EVIDENCE_KEYS];
extern const struct bt_contract_report_key bt_consolidation_keys[BT_CONSOLIDATION_KEYS];

/* An object whose members the schema names. */
struct bt_contract_object_row {
    const char *pointer; /* of the object; "" the root */
    const char *const *names;
    size_t count;
};

enum bt_contract_object {
    BT_CONTRACT_OBJECT_ROOT = 0,
    BT_CONTRACT_OBJECT_STATUS,
    BT_CONTRACT_OBJECT_EVIDENCE,
    BT_CONTRACT_OBJECT_CONSOLIDATION,
    BT_CONTRACT_OBJECT_APPROVAL,
    BT_CONTRACT_OBJECT_LOOP,
    BT_CONTRACT_OBJECT_UPDATE, /* each item of update_contracts */
    BT_CONTRACT_OBJECT__MAX,
};

extern const struct bt_contract_object_row bt_named_objects[BT_CONTRACT_OBJECT__MAX];

#endif
