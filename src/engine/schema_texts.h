/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_texts.h - the JSON Schemas in schemas/, as a table that the build makes of them.
 */
#ifndef BATON_SRC_ENGINE_SCHEMA_TEXTS_H
#define BATON_SRC_ENGINE_SCHEMA_TEXTS_H

#include <baton/check.h>

/* Sorted by name, which is that of the file. */
extern const struct bt_schema_text bt_schema_texts[];
extern const size_t bt_schema_texts_count;

#endif
