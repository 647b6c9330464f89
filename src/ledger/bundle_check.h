/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_check.h - a bundle while it is checked, for the files that check it. */
#ifndef BATON_SRC_LEDGER_BUNDLE_CHECK_H
#define BATON_SRC_LEDGER_BUNDLE_CHECK_H

#include <baton/json.h>

#include "json/get.h"
#include "ledger/bundle_internal.h"

/* A bundle while it is checked. */
struct bt_bundle_check {
    struct bt_arena *arena;
    struct bt_arena work; /* reset for each entry and document */
    const struct bt_ledger_bundle_judge_options *options;
    struct bt_findings *findings;
    bt_str bytes; /* of the file ... */
    bt_str data;  /* ... and of the JSON in it */
    bool is_page;
    const struct bt_json_doc *document;
    const bt_json_value *root;
    struct bt_entry *entry;        /* the one that was read last */
    struct bt_ledger_bundle shown; /* valid once the form was checked */
    struct bt_ledger_bundle_entry *entries;
    struct bt_checkpoint *checkpoint; /* NULL until it is trusted */
    struct bt_checkpoint_witnesses witnessed;
    bt_str policy_facts; /* JSON object; "" without a policy */
    const char *page;    /* the fact; NULL until it is compared */
};

static inline bool bt_bundle_is_blocked(const struct bt_bundle_check *check)
{
    return bt_verdict_of(check->findings, BT_SEVERITY_HARD) != BT_VERDICT_ACCEPTED;
}

static inline const bt_json_value *bt_bundle_member(const struct bt_bundle_check *check,
                                                    const bt_json_value *object, const char *name)
{
    return bt_json_get(check->document, object, bt_str_of(name));
}

static inline bt_str bt_bundle_text(const struct bt_bundle_check *check,
                                    const bt_json_value *object, const char *name)
{
    return bt_json_get_text(check->document, object, bt_str_of(name));
}

/* A number that the schema has checked. */
static inline uint64_t bt_bundle_number(const struct bt_bundle_check *check,
                                        const bt_json_value *object, const char *name)
{
    return (uint64_t)bt_bundle_member(check, object, name)->as.integer;
}

/* Add BUNDLE_SYNTAX with this reason. */
BT_MUST_USE enum bt_status bt_bundle_add_syntax(struct bt_bundle_check *check, const char *format,
                                                ...) BT_PRINTF(2, 3);
/* The first step: find and read the data, and check their form. */
BT_MUST_USE enum bt_status bt_bundle_check_form(struct bt_bundle_check *check);

#endif
