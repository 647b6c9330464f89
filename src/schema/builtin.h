/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin.h - the JSON Schemas in texts/, as a table that the build makes of them.
 */
#ifndef BATON_SRC_SCHEMA_BUILTIN_H
#define BATON_SRC_SCHEMA_BUILTIN_H

#include <baton/schema.h>

struct bt_schema_builtin {
    bt_str name; /* "report" ... */
    bt_str text; /* a JSON Schema, pretty-printed, with a final line feed */
};

/* The schema with this index; they are sorted by name. */
const struct bt_schema_builtin *bt_schema_builtin_at(size_t index);

/* Sorted by name, which is that of the file. */
extern const struct bt_schema_builtin bt_schema_texts[];
extern const size_t bt_schema_texts_count;

/* The text of a schema that is part of the program. */
bt_str bt_schema_builtin_of(const char *name);

#endif
