/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h - the values of the keyword `format`: which a draft knows, and whether a text has one.
 *
 * Checks are pure functions of the text, take time linear in it and, `regex` aside, no memory. Each
 * follows the grammar of the document that the draft names.
 */
#ifndef BATON_SRC_SCHEMA_FORMAT_H
#define BATON_SRC_SCHEMA_FORMAT_H

#include <baton/schema.h>

struct bt_schema_format {
    bt_str name;
    uint32_t drafts;          /* 1 << draft for each draft that has it */
    bool (*has)(bt_str text); /* NULL: `regex`, which alone can run into a bound */
};

/* Zero is not a decision, so that cleared memory never reads as one. */
enum bt_schema_format_answer {
    BT_SCHEMA_FORMAT_LIMIT = 0, /* undecided: a bound of the regular expressions was reached */
    BT_SCHEMA_FORMAT_NO,
    BT_SCHEMA_FORMAT_YES,
};

/* The format that `draft` calls `name`, or NULL: formats that it does not know are ignored. */
const struct bt_schema_format *bt_schema_format_find(bt_str name, enum bt_schema_draft draft);

/*
 * Does `text`, the text of a string, have the format? The text is UTF-8, in which lone surrogates
 * may stand in three bytes; other bytes are refused like any other mistake.
 */
enum bt_schema_format_answer bt_schema_format_check(const struct bt_schema_format *format,
                                                    bt_str text);

#endif
