/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml_place.h - where an offset is in a YAML text in block style, line by line. The text need not
 * be readable as a whole.
 */
#ifndef BATON_APP_LSP_YAML_PLACE_H
#define BATON_APP_LSP_YAML_PLACE_H

#include "lsp/text.h"

enum { LSP_YAML_DEPTH_MAX = 32 };

/* One line of a mapping or of a list. */
struct lsp_yaml_line {
    bt_str path[LSP_YAML_DEPTH_MAX]; /* keys from the outside, a list item is "[]" */
    size_t depth;
    bool has_key;          /* a key and its colon: the last step of the path is that key */
    struct lsp_span key;   /* or the word that may become one */
    struct lsp_span value; /* without quotes and comments; empty: there is none */
};

/* Passes over the lines from the beginning. Begin with {.text = ...}. */
struct lsp_yaml_scan {
    bt_str text;
    size_t at;
    struct lsp_yaml_level {
        size_t indent;
        bt_str step;
    } levels[LSP_YAML_DEPTH_MAX];
    size_t depth;
    struct lsp_yaml_line line;
    struct lsp_span whole; /* the line in the text, without its end */
};

/* Take the next line, blank ones included. False after the last. */
bool lsp_yaml_next(struct lsp_yaml_scan *scan);

/* The line that an offset is in. */
struct lsp_yaml_line lsp_yaml_line_at(bt_str text, size_t offset);
/* The item of a value, which may be a list in brackets, that an offset is in. */
struct lsp_span lsp_yaml_item_at(bt_str text, const struct lsp_yaml_line *line, size_t offset);
/* True when the path of a line is these steps. */
bool lsp_yaml_is(const struct lsp_yaml_line *line, const char *const *steps, size_t count);

/* Find the name of a listener, ignoring case, in the text of an organism. */
bool lsp_yaml_find_listener(bt_str text, bt_str name, struct lsp_span *out);

#endif
