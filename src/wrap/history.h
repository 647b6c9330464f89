/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history.h - calls that were recorded, read back from a ledger: listed, shown, counted.
 *
 * What only the record of a call has is absent when its document was redacted. Statuses are those
 * of ledger/ledger.h; with findings in `alarms` the ledger cannot be trusted.
 */
#ifndef BATON_SRC_WRAP_HISTORY_H
#define BATON_SRC_WRAP_HISTORY_H

#include "ledger/ledger.h"
#include "wrap/lock.h"
#include "wrap/record.h"

struct bt_emit;

/* A recorded call, or another entry of `baton wrap`. Absent texts are "". */
struct bt_wrap_past_call {
    uint64_t seq;
    bt_str time;
    bt_str server;
    bt_str tool;
    bt_str method;
    enum bt_wrap_event event;
    bt_str verdict;
    bt_str source;
    bt_str session;
    bt_str trace_id;
    bt_str approval;
    bt_str actor;
    const struct bt_json_doc *entry;
    const struct bt_json_doc *record; /* NULL: its document is not kept */
    const bt_json_value *ms;          /* of the record; NULL: absent */
    const bt_json_value *cost;
    bool has_tokens;
    uint64_t tokens;
};

/* What the calls have in common; "" and NONE match any. */
struct bt_wrap_history_filter {
    struct bt_ledger_filter entries;
    bt_str server;
    bt_str tool;
    bt_str session;
    bt_str actor;
    enum bt_wrap_event event;
};

struct bt_wrap_history {
    struct bt_ledger *ledger;
    struct bt_wrap_memory memory; /* of the results */
    struct bt_findings *alarms;
};

struct bt_wrap_past_calls {
    struct bt_wrap_past_call *items;
    size_t count;
    uint64_t last; /* the last entry that was examined; BT_LEDGER_SEQ_NONE: none */
};

/* The matching calls, oldest first. */
BT_MUST_USE enum bt_status bt_wrap_history_list(const struct bt_wrap_history *history,
                                                const struct bt_wrap_history_filter *filter,
                                                struct bt_wrap_past_calls *out,
                                                struct bt_error *error);
enum { BT_WRAP_HISTORY_PAGE = 1000 };

/* The filter of the first page of all calls that match; `filter->entries.count` is not used. */
struct bt_wrap_history_filter
bt_wrap_history_first_page(const struct bt_wrap_history_filter *filter);
/* Set the filter of the next page. False: `calls` was the last one. */
bool bt_wrap_history_turn_page(const struct bt_wrap_history *history,
                               const struct bt_wrap_past_calls *calls,
                               struct bt_wrap_history_filter *page);
/* One call. BT_EINVAL: the entry is not one of `baton wrap`. BT_ENOENT: the log is shorter. */
BT_MUST_USE enum bt_status bt_wrap_history_get(const struct bt_wrap_history *history, uint64_t seq,
                                               struct bt_wrap_past_call *out,
                                               struct bt_error *error);

/* True for a call of a tool; false for requests of other methods, changed lists and gaps. */
bool bt_wrap_past_call_is_call(const struct bt_wrap_past_call *call);

/* Put a call as an object of the list. */
void bt_wrap_past_call_emit(struct bt_emit *emit, const struct bt_wrap_past_call *call);

/* Which part of a call a text is compared with. */
enum bt_wrap_compared { BT_WRAP_COMPARED_REQUEST = 0, BT_WRAP_COMPARED_RESPONSE };

/*
 * Compare a value, without its metadata, with the digest in the record of a call. A difference is
 * RECEIPT_DOCUMENT_MISMATCH at /request or /response. *out_is_known is false when the record is not
 * kept.
 */
BT_MUST_USE enum bt_status bt_wrap_past_call_compare(const struct bt_wrap_past_call *call,
                                                     enum bt_wrap_compared which,
                                                     const struct bt_json_doc *given,
                                                     struct bt_findings *findings,
                                                     bool *out_is_known);

/* ---- Counting ------------------------------------------------------------------------------ */

/* What was called of one tool. */
struct bt_wrap_tool_stats {
    bt_str server;
    bt_str tool;
    uint64_t calls;
    uint64_t returned;
    uint64_t failed;
    uint64_t refused;
    uint64_t tokens;
    uint64_t cost;
    BT_VEC(uint64_t) ms; /* of each call whose record is kept */
};

/* Count the matching calls, by server and tool, sorted. `filter->entries.count` is not used. */
BT_MUST_USE enum bt_status bt_wrap_history_count(const struct bt_wrap_history *history,
                                                 const struct bt_wrap_history_filter *filter,
                                                 struct bt_wrap_tool_stats **out, size_t *out_count,
                                                 struct bt_error *error);
/* The smallest number that so many percent of them do not exceed; they are sorted. */
uint64_t bt_wrap_percentile(const uint64_t *sorted, size_t count, unsigned percent);

#endif
