/* SPDX-License-Identifier: Apache-2.0 */
/* schema_view.h - what a built-in schema says about the place of a value. */
#ifndef BATON_APP_LSP_SCHEMA_VIEW_H
#define BATON_APP_LSP_SCHEMA_VIEW_H

#include <baton/json.h>

#include "lsp/completion.h"
#include "lsp/json_place.h"

enum { LSP_SCHEMAS_MAX = 64 };

/* The schemas that apply to one place, references and branches resolved. */
struct lsp_schema_view {
    const struct bt_json_doc *document;
    struct lsp_schema_part {
        const bt_json_value *schema;
        bool is_conditional; /* of a branch, so that what it requires may not be needed */
    } parts[LSP_SCHEMAS_MAX];
    size_t count;
};

/*
 * Find the schemas that apply after the first `depth` steps of a path. `name` is that of a built-in
 * schema. An unknown place has none. BT_ENOMEM: the arena reached its limit.
 */
BT_MUST_USE enum bt_status lsp_schema_view_find(struct bt_arena *arena, struct bt_env *env,
                                                const char *name, const struct lsp_json_step *path,
                                                size_t depth, struct lsp_schema_view *out);

/* The first text of a keyword such as `description`; "" when there is none. */
bt_str lsp_schema_view_text(const struct lsp_schema_view *view, const char *keyword);
/* Put the types: `string`, or `object or string`; nothing when the schemas name none. */
void lsp_schema_view_put_types(const struct lsp_schema_view *view, struct bt_buf *buf);
/* Add the names of the members that an object may have; `is_absent` selects them. */
BT_MUST_USE enum bt_status
lsp_schema_view_add_members(const struct lsp_schema_view *view, struct lsp_completion *completion,
                            bool (*is_absent)(const void *context, bt_str name),
                            const void *context);
/*
 * Add the values of enumerations and constants, and true and false; only texts when `in_string`.
 */
BT_MUST_USE enum bt_status lsp_schema_view_add_values(const struct lsp_schema_view *view,
                                                      struct lsp_completion *completion,
                                                      bool in_string);

#endif
