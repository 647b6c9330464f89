/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_place.h - where an offset is in a text that should be JSON.
 *
 * The text need not be readable as a whole: only what stands before the offset is looked through,
 * token by token, and every token is taken for what it most likely is.
 */
#ifndef BATON_APP_LSP_JSON_PLACE_H
#define BATON_APP_LSP_JSON_PLACE_H

#include <baton/base.h>

#include "lsp/text.h"

enum { LSP_JSON_DEPTH_MAX = 128 };

/* One step from a container to a child. */
struct lsp_json_step {
    bt_str name; /* as it is written, without quotes; NULL pointer: an item of an array */
    size_t index;
};

/* What belongs at an offset. */
enum lsp_json_role {
    LSP_JSON_NOWHERE = 0, /* after a value, or deeper than LSP_JSON_DEPTH_MAX */
    LSP_JSON_NAME,        /* the name of a member */
    LSP_JSON_VALUE,
};

struct lsp_json_place {
    enum lsp_json_role role;
    /* to the value; for a name to its object, with the name itself as one more step behind it */
    struct lsp_json_step path[LSP_JSON_DEPTH_MAX + 1];
    size_t depth;
    size_t container;      /* offset of the bracket of the container */
    struct lsp_span token; /* at the offset, with its quotes; empty: there is none */
    bool is_string;
    bool is_closed; /* the string has its closing quote */
};

/* Find the place of an offset in the part `body` of a text. */
void lsp_json_place_find(bt_str text, struct lsp_span body, size_t offset,
                         struct lsp_json_place *out);

/* True when the path, without its last `drop` steps, has these names; "*" stands for an index. */
bool lsp_json_place_is(const struct lsp_json_place *place, size_t drop, const char *const *names,
                       size_t count);

/* The content of a token: without quotes. */
struct lsp_span lsp_json_content(const struct lsp_json_place *place);

/*
 * The value of a string member of the object whose bracket is at `container`; "" when it has none.
 */
bt_str lsp_json_sibling(bt_str text, struct lsp_span body, size_t container, bt_str name);

/* True when the object has a member of this name, other than the token at `except`. */
bool lsp_json_has_member(bt_str text, struct lsp_span body, size_t container, bt_str name,
                         size_t except);

#endif
