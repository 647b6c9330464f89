/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - the members that the schema of the block names, object by object.
 */
#ifndef BATON_SRC_DIALECT_CONTRACT_NAMES_H
#define BATON_SRC_DIALECT_CONTRACT_NAMES_H

#include "report/rules.h"

enum { BT_EVIDENCE_KEYS = 7, BT_CONSOLIDATION_KEYS = 6 };

/* A key of a report. Its code, which says that it is missing, is the key in upper case; it may also
 * be spelled like that. */
struct bt_contract_report_key {
    const char *name;
    unsigned code; /* enum bt_code */
    /* The finding that a list is missing; NULL: it should not hold a list. */
    enum bt_status (*add_missing)(struct bt_findings *findings, enum bt_fix fix,
                                  struct bt_location at, bt_str property);
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
