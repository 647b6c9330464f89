/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fence.h - the fenced blocks of one tag in a text, one after the other.
 *
 *     struct bt_fence fence = {.text = message, .tag = BT_STR("agent_contract_handoff")};
 *     struct bt_fence_block block;
 *     while (bt_fence_next(&fence, &block)) {
 *         ... text from block.body to block.end ...
 *     }
 *
 * An opening line is 0 to 3 blanks, three or more backticks, directly the tag, then only blanks and
 * tabs. The closing line is 0 to 3 blanks, at least as many backticks, then only blanks and tabs.
 * Lines end with LF, and one CR before it belongs to the line end. Fences of other tags mean
 * nothing here: one that somebody forgot to close must not hide what comes after it.
 */
#ifndef BATON_SRC_FENCE_FENCE_H
#define BATON_SRC_FENCE_FENCE_H

#include <baton/base.h>

/* Offsets in the text. */
struct bt_fence_block {
    size_t open;  /* the opening line */
    size_t body;  /* the line after it */
    size_t end;   /* the closing line; where the body ends */
    size_t after; /* the line after that */
    bool closed;  /* false: another opening line or the end of the text came first */
};

struct bt_fence {
    bt_str text;
    bt_str tag; /* case-sensitive, not empty */
    size_t at;  /* where to look from; always the beginning of a line */
};

/* Find the next block. False when there is none. Takes no memory, and time linear in the text for
 * all blocks together. */
BT_MUST_USE bool bt_fence_next(struct bt_fence *fence, struct bt_fence_block *out);

/* Whether the text has an opening line at all. */
bool bt_fence_opens(bt_str text, bt_str tag);

#endif
