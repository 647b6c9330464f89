/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dialect_names.h - the names that an entry can have as its dialect, for the reader of entries.
 */
#ifndef BATON_SRC_REPORT_DIALECT_NAMES_H
#define BATON_SRC_REPORT_DIALECT_NAMES_H

#include <baton/base.h>

/* They end with "". Defined in src/engine/dialects.c, as all names of dialects are. */
extern const bt_str bt_dialect_recordable_names[];

#endif
