/* SPDX-License-Identifier: Apache-2.0 */
/* outputs.h - look for quoted lines in the outputs of a turn. */
#ifndef BATON_SRC_EVIDENCE_OUTPUTS_H
#define BATON_SRC_EVIDENCE_OUTPUTS_H

#include "evidence/index.h"

/* A text with its lines as they are compared: without colours and extra blanks. */
struct bt_plain_text {
    const bt_str *lines;
    size_t count;
};

/* BT_ENOMEM: the arena reached its limit. */
BT_MUST_USE enum bt_status bt_plain_text_read(struct bt_arena *arena, bt_str text,
                                              struct bt_plain_text *out);

/* A quotation, and how many of its lines were found so far. */
struct bt_quotation {
    struct bt_plain_text text;
    size_t found;
};

/* Read a quotation: lines that stand for others ("...") and prompts are left out. */
BT_MUST_USE enum bt_status bt_quotation_read(struct bt_arena *arena, bt_str text,
                                             struct bt_quotation *out);
/* Look for the next lines of a quotation in an output. */
void bt_quotation_search(struct bt_quotation *quotation, const struct bt_plain_text *output);

static inline bool bt_quotation_is_found(const struct bt_quotation *quotation)
{
    return quotation->found == quotation->text.count;
}

#endif
