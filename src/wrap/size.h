/* SPDX-License-Identifier: Apache-2.0 */
/* size.h - how large the result of a call is, and its content cut to a budget. */
#ifndef BATON_SRC_WRAP_SIZE_H
#define BATON_SRC_WRAP_SIZE_H

#include "wrap/session.h"

/* In the order of the words of TOKENS_OVER_BUDGET. */
enum bt_wrap_unit { BT_WRAP_UNIT_NONE = 0, BT_WRAP_UNIT_TOKENS, BT_WRAP_UNIT_BYTES };

struct bt_wrap_result_size {
    uint64_t text_tokens; /* of all texts in `content` */
    uint64_t text_bytes;
    uint64_t structured_tokens; /* of the compact JSON of `structuredContent` */
    uint64_t structured_bytes;
};

/* Measure a result. Without a counter there are no tokens. BT_ENOMEM. */
BT_MUST_USE enum bt_status bt_wrap_measure(struct bt_wrap_session *session, bt_ref result,
                                           struct bt_wrap_result_size *out);

/* What a result may have; BT_WRAP_UNSET: any. */
struct bt_wrap_size_budget {
    uint64_t tokens;
    uint64_t bytes;
};

/* How a result is cut. */
struct bt_wrap_cut {
    struct bt_wrap_size_budget budget;
    struct bt_wrap_result_size size;
    enum bt_wrap_unit unit; /* that is told */
    bool is_spilled;        /* the whole text is kept in a file */
};

/*
 * Make the content of a result that fits the budget: texts in their order, the first that does not
 * fit cut, a last text that says so, and all other items. *out is JSON in the memory of the
 * message, with the white space of the source. BT_ENOMEM.
 */
BT_MUST_USE enum bt_status bt_wrap_cut_content(struct bt_wrap_session *session, bt_ref result,
                                               const struct bt_wrap_cut *cut, bt_str *out);

#endif
