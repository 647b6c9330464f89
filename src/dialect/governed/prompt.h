/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.h - what Baton reads from a prompt file: lines about collaboration, and percentages. */
#ifndef BATON_SRC_DIALECT_GOVERNED_PROMPT_H
#define BATON_SRC_DIALECT_GOVERNED_PROMPT_H

#include "dialect/governed/governed_root.h"

enum bt_governed_prompt_line_kind {
    BT_PROMPT_SECTION = 1, /* a heading that opens the section about collaboration */
    BT_PROMPT_PARTNER,     /* "- **With Domain NN (LABEL):** TEXT" inside it */
    BT_PROMPT_ODD,         /* another "- " line inside it */
    BT_PROMPT_SHARE,       /* a heading "KIND Domain: NAME (Domain NN) - PP%" */
};

struct bt_governed_prompt_line {
    enum bt_governed_prompt_line_kind kind;
    size_t offset; /* of the line */
    int number;    /* partner, share: of the domain */
    bt_str label;  /* partner */
    enum bt_governed_relation relation;
    unsigned percent; /* share */
};

struct bt_governed_prompt_reader {
    bt_str text;
    size_t at;
    bool is_fenced;
    bool in_section;
};

/* The next line that says something; false at the end. Takes no memory and time linear in the
 * text; any bytes will do. */
bool bt_governed_prompt_next_line(struct bt_governed_prompt_reader *reader,
                                  struct bt_governed_prompt_line *out);

/* Whether a label has a word, and every word of it stands in the domain's name or in its id after
 * the number. */
bool bt_governed_prompt_label_matches(bt_str label, const struct bt_governed_agent *domain);

#endif
