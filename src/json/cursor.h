/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cursor.h - find values by pointers that come in the order of the document.
 *
 * An object may have very many members. The container of the previous pointer is remembered, and
 * the search in it continues where the previous one ended, so that n pointers into one object take
 * n steps together.
 */
#ifndef BATON_SRC_JSON_CURSOR_H
#define BATON_SRC_JSON_CURSOR_H

#include <baton/json.h>

#include "base/buf.h"

struct bt_json_cursor {
    const struct bt_json_doc *document;
    const bt_json_value *holder; /* the container of the previous pointer; NULL: none */
    struct bt_buf pointer;       /* of the holder */
    size_t next;                 /* the child after the one that was found */
};

/* Begin in `document`. Free the cursor with bt_json_cursor_free(). */
void bt_json_cursor_init(struct bt_json_cursor *cursor, const struct bt_json_doc *document);
void bt_json_cursor_free(struct bt_json_cursor *cursor);
/* Continue in another document. */
void bt_json_cursor_set_document(struct bt_json_cursor *cursor, const struct bt_json_doc *document);

/*
 * The value that the well-formed pointer names, or NULL. For a pointer other than "",
 * cursor->holder is then the container that it names a child of, or NULL when there is none, and
 * cursor->next - 1 is the index of the child that was found.
 */
const bt_json_value *bt_json_cursor_find(struct bt_json_cursor *cursor, bt_str pointer);

#endif
