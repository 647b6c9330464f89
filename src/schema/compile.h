/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.h - the step of compiling that runs the engine on the schema itself.
 */
#ifndef BATON_SRC_SCHEMA_COMPILE_H
#define BATON_SRC_SCHEMA_COMPILE_H

#include "schema/frame.h"

/*
 * Judge the schema by its own meta-schema. What it breaks is added to the problems: findings of the
 * meta-schema, with pointers into `source`.
 */
BT_MUST_USE enum bt_status bt_schema_compile_check(const struct bt_schema_frame *frame,
                                                   const struct bt_json_doc *source,
                                                   struct bt_schema_compile_errors *problems);

#endif
