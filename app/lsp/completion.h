/* SPDX-License-Identifier: Apache-2.0 */
/* completion.h - a list of what can be inserted at a position. */
#ifndef BATON_APP_LSP_COMPLETION_H
#define BATON_APP_LSP_COMPLETION_H

#include "lsp/lsp.h"
#include "lsp/text.h"

/* Kinds of the protocol. */
enum lsp_completion_kind {
    LSP_KIND_MODULE = 9,
    LSP_KIND_PROPERTY = 10,
    LSP_KIND_VALUE = 12,
    LSP_KIND_FILE = 17,
    LSP_KIND_REFERENCE = 18,
};

struct lsp_completion_item {
    bt_str label;
    bt_str detail;
    enum lsp_completion_kind kind;
    bool is_needed; /* comes first */
    bool is_bare;   /* never put in quotes: a number, true, false, null */
};

struct lsp_completion {
    struct bt_arena *arena; /* of the texts that are made for it */
    struct lsp_span span;   /* what is replaced */
    bool quotes;            /* put labels in quotes, as JSON strings */
    bool closes;            /* add the missing quote of a string */
    struct lsp_completion_item *items;
    size_t count;
    size_t capacity;
};

enum { LSP_CANDIDATES_MAX = 10000 };

/*
 * Add an item. Of items with one label the first is shown. Items beyond LSP_CANDIDATES_MAX are
 * dropped.
 * BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status lsp_completion_add(struct lsp_completion *completion,
                                              const struct lsp_completion_item *item);

/* Add a label with a kind and a detail. A status as above. */
BT_MUST_USE enum bt_status lsp_completion_add_label(struct lsp_completion *completion, bt_str label,
                                                    enum lsp_completion_kind kind, bt_str detail);

#endif
