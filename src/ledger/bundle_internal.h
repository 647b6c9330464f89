/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_internal.h - the content of a bundle, for the files that make and verify it. */
#ifndef BATON_SRC_LEDGER_BUNDLE_INTERNAL_H
#define BATON_SRC_LEDGER_BUNDLE_INTERNAL_H

#include "ledger/bundle.h"
#include "ledger/ledger_internal.h"

/* A disclosed entry. */
struct bt_ledger_bundle_entry {
    uint64_t seq;
    bt_str text;
};

/* A rule whose code occurs in the entries. */
struct bt_ledger_bundle_rule {
    bt_str code;
    bt_str severity;
    bt_str meaning;
};

/* A policy that the entries name. */
struct bt_ledger_bundle_policy {
    bt_str sha256;
    bt_str text; /* absent when no policy entry holds it */
};

/* What the readable parts of a page are made of, which is all in the data. */
struct bt_ledger_bundle {
    bt_str time; /* when it was made ... */
    bt_str program;
    bt_str title;
    bt_str origin;
    uint64_t size;
    bt_str by;
    bt_str value; /* absent with "all" */
    struct bt_ledger_bundle_counts counts;
    const struct bt_ledger_bundle_entry *entries; /* counts.disclosed of them */
    const struct bt_ledger_bundle_rule *rules;
    size_t rule_count;
    const struct bt_ledger_bundle_policy *policies;
    size_t policy_count;
    uint32_t limits; /* set of 1U << the index in bt_ledger_audit_limits */
};

/* "all", "handoff", "trace" and "agent", in the order of enum bt_ledger_bundle_by, and "included",
 * "redacted", "not_kept" and "left_out", in that of enum bt_ledger_bundle_state. */
extern const bt_str bt_ledger_bundle_by_names[BT_LEDGER_BUNDLE_AGENT + 1];
extern const bt_str bt_ledger_bundle_state_names[BT_LEDGER_BUNDLE_STATE__MAX];

/* The limits of a bundle without an audit. */
static inline uint32_t bt_ledger_bundle_limits(bool is_selected)
{
    return UINT32_C(1) << BT_LEDGER_AUDIT_UNSUBMITTED | UINT32_C(1) << BT_LEDGER_AUDIT_ACTED |
           UINT32_C(1) << BT_LEDGER_AUDIT_CLOCK | UINT32_C(1) << BT_LEDGER_AUDIT_REWRITE |
           (uint32_t)is_selected << BT_LEDGER_AUDIT_LAST;
}

/*
 * Put the page around `json`, in which no character has a meaning in HTML. The same data gives the
 * same bytes.
 */
void bt_ledger_bundle_put_page(struct bt_buf *buf, const struct bt_ledger_bundle *bundle,
                               bt_str json);
/* Find the data in a page. NULL, or what is wrong with the page. */
BT_MUST_USE const char *bt_ledger_bundle_find_data(bt_str page, bt_str *out);

/* The entries that are disclosed, in their order. */
struct bt_ledger_bundle_selection {
    bool is_empty;
    uint64_t from;
    uint64_t to;
    struct bt_ledger_bundle_entry *items;
    size_t count;
    size_t capacity;
};

/* Select the entries of a log of `size`. Statuses as for bt_ledger_put_bundle(). */
BT_MUST_USE enum bt_status bt_ledger_bundle_select(struct bt_ledger *ledger, struct bt_arena *arena,
                                                   uint64_t size,
                                                   const struct bt_ledger_bundle_options *options,
                                                   struct bt_ledger_bundle_selection *out,
                                                   struct bt_error *error);

#endif
