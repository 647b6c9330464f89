/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.h - test data as documents: files, folders, and values that become documents.
 */
#ifndef BATON_TESTS_SCHEMA_DOCUMENTS_H
#define BATON_TESTS_SCHEMA_DOCUMENTS_H

#include "json/json_test.h"
#include "judge.h"

#define TEST_PATH_BYTES 1024

/* Read a text with wide bounds; NULL when it is not JSON. */
const struct bt_json_doc *read_document(struct bt_arena *arena, bt_str text);
/* Read a file that must be JSON. */
const struct bt_json_doc *read_document_file(struct bt_arena *arena, const char *path);
/* Make a document of its own out of a value. */
const struct bt_json_doc *document_of(struct bt_arena *arena, const struct bt_json_doc *document,
                                      const bt_json_value *value);

typedef void file_visitor(const char *path, const char *name, void *context);

/*
 * Visit the .json files beneath `folder` in order of their paths; `name` is the path from there.
 * False when there is no such folder.
 */
bool visit_files(const char *folder, file_visitor *visitor, void *context);

/* The documents beneath a folder, each named `base` and its path from there. */
struct named_documents {
    struct bt_schema_document *items;
    size_t count;
    size_t capacity;
};

bool read_folder(struct bt_arena *arena, const char *folder, const char *base,
                 struct named_documents *out);

#endif
