/* SPDX-License-Identifier: Apache-2.0 */
/* dialects.h - what the server does with the documents of each dialect: one row of a table. */
#ifndef BATON_APP_LSP_DIALECTS_H
#define BATON_APP_LSP_DIALECTS_H

#include "lsp/completion.h"
#include "lsp/lsp_internal.h"

/* The length of the value at an offset: of a scalar all of it, of a container its bracket. */
typedef size_t lsp_measure_fn(bt_str text, size_t at);
/* Add what can stand at the offset of the request. */
typedef enum bt_status lsp_complete_fn(struct lsp_request *request, struct lsp_completion *out);

/* A place in a file. */
struct lsp_target {
    bt_str path;          /* absolute; "": the document of the request */
    bt_str text;          /* of the file, as far as `span` needs it */
    struct lsp_span span; /* in its text */
    bool is_found;
};

/* Find what the value at the offset of the request refers to. */
typedef enum bt_status lsp_define_fn(struct lsp_request *request, struct lsp_target *out);

struct lsp_dialect {
    lsp_measure_fn *measure;
    const char *schema;        /* name of the built-in schema of its JSON; NULL: none */
    lsp_complete_fn *complete; /* NULL: nothing */
    lsp_define_fn *define;     /* NULL: nothing */
    bool is_formatted;
};

const struct lsp_dialect *lsp_dialect(enum bt_dialect_id dialect);

lsp_measure_fn lsp_measure_json;
lsp_measure_fn lsp_measure_csv;
lsp_measure_fn lsp_measure_xml;
lsp_measure_fn lsp_measure_yaml;

lsp_complete_fn lsp_complete_universal;
lsp_complete_fn lsp_complete_json;
lsp_complete_fn lsp_complete_governed;
lsp_complete_fn lsp_complete_plan;
lsp_complete_fn lsp_complete_message;
lsp_complete_fn lsp_complete_organism;
lsp_complete_fn lsp_complete_config;

lsp_define_fn lsp_define_universal;
lsp_define_fn lsp_define_governed;
lsp_define_fn lsp_define_plan;
lsp_define_fn lsp_define_message;
lsp_define_fn lsp_define_organism;

/* The JSON of a document: the whole text, or the body of a contract block that holds the offset. */
struct lsp_span lsp_json_body(const struct lsp_document *document, size_t offset);

#endif
